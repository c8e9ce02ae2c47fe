// The built studio: where it is, and its files.
#ifndef LIMBER_CLI_STUDIO_FILES_H
#define LIMBER_CLI_STUDIO_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The folder with the studio's index.html: `asked` when that is not NULL, else the one installed with this program,
// else the one of the build this program belongs to. Prints what is wrong and returns the exit status.
int studio_find_folder(const char* asked, char* folder, size_t room);

// A plain file for reading, or -1. `path` has been through studio_decode_path; symbolic links are not followed.
int studio_open_below(const char* folder, const char* path, uint64_t* size);

// A plain file wherever it lies, or -1.
int studio_open_plain(const char* path, uint64_t* size);

#endif
