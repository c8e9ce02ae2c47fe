// Whole files in.
#ifndef LIMBERI_FILE_H
#define LIMBERI_FILE_H

#include "base/error.h"
#include "base/memory.h"

typedef struct limberi_bytes {
    const uint8_t* data;
    size_t size;
} limberi_bytes;

static inline uint32_t limberi_little_endian(const uint8_t* p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

// The whole file at `path`, in memory of the arena. A file of more than `limit` bytes is LIMBER_ERROR_LIMIT, anything
// that is neither a plain file nor a pipe LIMBER_ERROR_FILE.
LIMBER_MUST_USE limber_result limberi_file_read(const char* path, uint64_t limit, limberi_arena* arena,
                                                limberi_bytes* out, limber_error* error);

// The same for plain files only: never waits, as for a pipe that nobody writes to.
LIMBER_MUST_USE limber_result limberi_file_read_plain(const char* path, uint64_t limit, limberi_arena* arena,
                                                      limberi_bytes* out, limber_error* error);

// The same for a file that a document refers to: only plain files at or below the folder, and no link is followed.
LIMBER_MUST_USE limber_result limberi_file_read_below(const char* folder, const char* path, uint64_t limit,
                                                      limberi_arena* arena, limberi_bytes* out, limber_error* error);

// The place of an error in a file begins with the file. Returns `result`; LIMBER_OK changes nothing.
limber_result limberi_file_blame(const char* path, limber_result result, limber_error* error);

// What follows the last slash.
const char* limberi_file_name(const char* path);

// Whether the path ends so (given in lower case, there in either) and has something before that.
bool limberi_file_has_ending(const char* path, const char* ending);

// The part of `path` before its last slash, "." when it has none; NULL when memory is short.
char* limberi_file_folder(limberi_arena* arena, const char* path);

#endif
