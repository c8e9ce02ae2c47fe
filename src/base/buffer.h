// A text that grows as it is written. Always terminated; after a failed allocation it stays as it was and says so.
#ifndef LIMBERI_BUFFER_H
#define LIMBERI_BUFFER_H

#include "base/error.h"

typedef struct limberi_buffer {
    char* data; // NULL until the first write
    size_t length, capacity;
    bool failed;
} limberi_buffer;

void limberi_buffer_add(limberi_buffer* buffer, const char* text);
void limberi_buffer_add_bytes(limberi_buffer* buffer, const char* bytes, size_t count);
// `count` times the same character.
void limberi_buffer_fill(limberi_buffer* buffer, char c, size_t count);
// As limberi_format.
void limberi_buffer_format(limberi_buffer* buffer, const char* format, ...) LIMBERI_PRINTF(2, 3);
void limberi_buffer_free(limberi_buffer* buffer);

#endif
