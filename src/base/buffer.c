// A text that grows as it is written.
#include "base/buffer.h"
#include "base/memory.h"

#include <string.h>

static bool reserve(limberi_buffer* buffer, size_t more) {
    if (buffer->failed || more > SIZE_MAX / 4 - buffer->length) {
        buffer->failed = true;
        return false;
    }
    size_t needed = buffer->length + more + 1;
    if (needed <= buffer->capacity)
        return true;
    size_t capacity = needed < 256 ? 256 : 2 * needed;
    char* data = limberi_reallocate(buffer->data, buffer->capacity, capacity);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    buffer->data[buffer->length] = 0;
    return true;
}

void limberi_buffer_add_bytes(limberi_buffer* buffer, const char* bytes, size_t count) {
    if (!reserve(buffer, count))
        return;
    memcpy(buffer->data + buffer->length, bytes, count);
    buffer->length += count;
    buffer->data[buffer->length] = 0;
}

void limberi_buffer_add(limberi_buffer* buffer, const char* text) {
    limberi_buffer_add_bytes(buffer, text, strlen(text));
}

void limberi_buffer_fill(limberi_buffer* buffer, char c, size_t count) {
    if (!reserve(buffer, count))
        return;
    memset(buffer->data + buffer->length, c, count);
    buffer->length += count;
    buffer->data[buffer->length] = 0;
}

void limberi_buffer_format(limberi_buffer* buffer, const char* format, ...) {
    // What fills the room to its last byte may have been cut: try again with more.
    for (size_t room = 255; reserve(buffer, room); room *= 2) {
        va_list arguments;
        va_start(arguments, format);
        limberi_format_list(buffer->data + buffer->length, room + 1, format, arguments);
        va_end(arguments);
        size_t written = strlen(buffer->data + buffer->length);
        if (written < room) {
            buffer->length += written;
            return;
        }
    }
}

void limberi_buffer_free(limberi_buffer* buffer) {
    limberi_release(buffer->data);
    limberi_buffer empty = {NULL, 0, 0, false};
    *buffer = empty;
}
