// Files that appear complete or not at all: written under a temporary name beside the final one, then renamed.
#ifndef LIMBERI_FILE_WRITE_H
#define LIMBERI_FILE_WRITE_H

#include <limber/base.h>
#include <stdio.h>

typedef struct limberi_file {
    FILE* stream;
    char* path;      // where it will appear
    char* temporary; // where it is now
    bool failed;     // sticky: a write went wrong
    int error_number;
} limberi_file;

// Every successful limberi_file_open is ended by limberi_file_commit or limberi_file_discard.
LIMBER_MUST_USE limber_result limberi_file_open(limberi_file* file, const char* path, limber_error* error);
void limberi_file_put(limberi_file* file, const void* bytes, size_t byte_count);

// Closes the temporary file; after LIMBER_OK all bytes are on their way to the disk and only the rename is left. To
// write several files together, finish all of them before the first commit.
LIMBER_MUST_USE limber_result limberi_file_finish(limberi_file* file, limber_error* error);

// Finishes if need be and renames. On failure the temporary file is gone.
LIMBER_MUST_USE limber_result limberi_file_commit(limberi_file* file, limber_error* error);
void limberi_file_discard(limberi_file* file); // no-op on a file that was never opened, committed or zeroed

#endif
