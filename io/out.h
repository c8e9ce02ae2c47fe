// Buffered numbers and text on their way to a limberi_file. Written by hand because printf follows the user's locale
// (a decimal comma would break every reader) and takes most of the time of a text format.
#ifndef LIMBERI_OUT_H
#define LIMBERI_OUT_H

#include "io/file_write.h"
#include "text/text.h"

enum { LIMBERI_OUT_BYTES = 1 << 16 };

// Zero it, then open it; one may be opened again for the next file after a finish, commit or discard.
typedef struct limberi_out {
    limberi_file file;
    char* bytes;
    size_t used;
    void (*watch)(void* user, const void* bytes, size_t count); // sees all that goes to the file; NULL: nobody does
    void* watcher;
} limberi_out;

LIMBER_MUST_USE limber_result limberi_out_open(limberi_out* out, const char* path, limber_error* error);

// Hands on what is buffered and closes the temporary file, which stays in out->file until it is committed or discarded.
LIMBER_MUST_USE limber_result limberi_out_finish(limberi_out* out, limber_error* error);
LIMBER_MUST_USE limber_result limberi_out_commit(limberi_out* out, limber_error* error);

// Discards the file if there still is one and frees the buffer.
void limberi_out_close(limberi_out* out);

void limberi_out_flush(limberi_out* out); // hands on what is buffered
void limberi_out_bytes(limberi_out* out, const void* bytes, size_t count);
void limberi_out_string(limberi_out* out, const char* text);
void limberi_out_unsigned(limberi_out* out, uint32_t value);

// `before`, the numbers with `between` between them, `after`. The texts are short (8 characters).
void limberi_out_tuple(limberi_out* out, const char* before, const float* values, uint32_t count, const char* between,
                       const char* after);

// Up to six decimals; |value| below 4e9.
void limberi_out_decimal(limberi_out* out, double value);

void limberi_out_little_endian(limberi_out* out, uint32_t word);
void limberi_out_big_endian(limberi_out* out, uint32_t word);
void limberi_out_floats_little_endian(limberi_out* out, const float* values, size_t count);
void limberi_out_floats_big_endian(limberi_out* out, const float* values, size_t count);

#endif
