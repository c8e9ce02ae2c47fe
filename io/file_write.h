// Files that appear complete or not at all: written under a temporary name beside the final one, then renamed.
#ifndef LIMBERI_FILE_WRITE_H
#define LIMBERI_FILE_WRITE_H

#include "io/sweep.h"
#include "io/system.h"
#include <limber/base.h>
#include <stdio.h>

typedef struct limberi_file {
    FILE* stream;
    int descriptor;  // of the stream, for those who write or read somewhere else in the file
    char* path;      // where it will appear
    char* temporary; // where it is now
    char* former;    // another name of what was there, while several files are renamed together
    limberi_sweep* sweep;
    limberi_identity before; // what was there when the work began
    bool failed;             // sticky: a write went wrong
    int error_number;
    bool not_finite; // that is what went wrong
} limberi_file;

// Between this and the commit, nobody else may write the file at `path`: otherwise the commit fails, and what they wrote
// stays. Without this call the time begins with limberi_file_open. For programs, before they read their input; `path`
// lives on.
void limberi_file_watch(const char* path);

// Every successful limberi_file_open is ended by limberi_file_commit or limberi_file_discard.
LIMBER_MUST_USE limber_result limberi_file_open(limberi_file* file, const char* path, limber_error* error);
void limberi_file_put(limberi_file* file, const void* bytes, size_t byte_count);

void limberi_file_seek(limberi_file* file, uint64_t offset); // the next bytes are put there

// A number that is written must be one; false fails the file with a line that says so. limberi_out checks all it writes.
bool limberi_file_check(limberi_file* file, const float* values, size_t count);

// Closes the temporary file; what is left is to wait for the disk, and the rename.
LIMBER_MUST_USE limber_result limberi_file_finish(limberi_file* file, limber_error* error);

// Finishes if need be and renames. On failure the temporary file is gone.
LIMBER_MUST_USE limber_result limberi_file_commit(limberi_file* file, limber_error* error);

// Several files that appear together or not at all: when one cannot be renamed, those before it become what they were.
LIMBER_MUST_USE limber_result limberi_files_commit(limberi_file* files, size_t count, limber_error* error);
void limberi_file_discard(limberi_file* file); // no-op on a file that was never opened, committed or zeroed

#endif
