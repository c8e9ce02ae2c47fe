// The files of a dump, which appear together or not at all: a new folder gets its name when everything is in it, and in
// a folder that is there already the files replace those of an earlier dump in one go.
#ifndef CLI_DUMP_FILES_H
#define CLI_DUMP_FILES_H

#include "io/file_write.h"

#include <limits.h>

enum { CLI_DUMP_FILES = 24, CLI_DUMP_REASON = 256 };

typedef struct cli_dump_files {
    const char* folder;     // where they will be
    char made_in[PATH_MAX]; // where they are made: the folder, or a new one beside it
    bool is_new;
    limberi_sweep* sweep; // of the new one
    uint32_t count;
    limberi_file files[CLI_DUMP_FILES];
    const char* names[CLI_DUMP_FILES];
    const char* failed; // the first file that could not be written
    char reason[CLI_DUMP_REASON];
    bool not_finite; // because a number in it is not one
} cli_dump_files;

// False: the folder cannot be made, errno says why.
bool cli_dump_files_open(cli_dump_files* d, const char* folder);

// A file to write to; NULL: failed, which d->failed says. `name` is a literal.
limberi_file* cli_dump_file(cli_dump_files* d, const char* name);

// When everything is in it.
void cli_dump_file_end(cli_dump_files* d, limberi_file* file);

// Something else went wrong with this file. The first one counts; `reason` NULL: not enough memory.
void cli_dump_file_fails(cli_dump_files* d, const char* name, const char* reason);

// Gives the files their names, and removes those of `sometimes` that an earlier dump left. The exit status.
int cli_dump_files_commit(cli_dump_files* d, const char* const* sometimes, uint32_t sometimes_count);

// Instead, after a failure: nothing is left. The exit status, with one line.
int cli_dump_files_discard(cli_dump_files* d);

#endif
