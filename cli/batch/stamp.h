// What makes an output up to date. `limber apply ... --stamp FILE` leaves a small file behind that says which input,
// style, options and version of limber its output was made from; a batch compares it with what it would do today.
//
// While a job runs, its stamp says "begun"; so a job that was killed never counts as done.
#ifndef LIMBER_CLI_BATCH_STAMP_H
#define LIMBER_CLI_BATCH_STAMP_H

#include "base/arena.h"
#include "cli/batch/hash.h"
#include <limber/base.h>

// Fingerprints of files that many jobs share. Zero it; freed by batch_files_free.
typedef struct batch_files {
    limberi_arena arena;
    struct batch_file** slots; // by path
    uint32_t count, slot_count;
} batch_files;

void batch_files_free(batch_files* files);
// Of a file and all that a glTF refers to; *bytes of all of them. False: it cannot be read.
bool batch_files_hash(batch_files* files, const char* path, char out[BATCH_HASH_CHARS], uint64_t* bytes);

// The fingerprint of everything that the output of `limber WORDS...` depends on: not of the names of files, nor of the
// number of threads. `words` begins with "apply" and its input. False: an input cannot be read.
bool batch_key(batch_files* files, uint32_t count, const char* const* words, char out[BATCH_HASH_CHARS],
               uint64_t* input_bytes);

// All that a glTF refers to, and the file itself: calls `each` with paths. False: memory is short or `each` said so.
bool batch_each_file(const char* path, bool (*each)(void* user, const char* path), void* user);

typedef struct batch_stamp {
    bool found, whole;          // whole: written, and all files are there, as large as they were
    char key[BATCH_HASH_CHARS]; // "" until the job is done
    double seconds;
    uint64_t bytes, peak_bytes; // of the output; of memory
} batch_stamp;

batch_stamp batch_stamp_read(const char* path, const char* output);

// By apply: before its work, and after it.
LIMBER_MUST_USE limber_result batch_stamp_begin(const char* path, const char* output, limber_error* error);
LIMBER_MUST_USE limber_result batch_stamp_end(const char* path, const char* output, const char* key, double seconds,
                                              limber_error* error);

#endif
