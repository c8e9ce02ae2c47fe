// Buffered numbers and text on their way to a limberi_file.
#include "io/out.h"

#include "base/error.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

limber_result limberi_out_open(limberi_out* out, const char* path, limber_error* error) {
    if (!out->bytes)
        out->bytes = limberi_allocate(LIMBERI_OUT_BYTES);
    if (!out->bytes)
        return limberi_fail_memory(error);
    out->used = 0;
    return limberi_file_open(&out->file, path, error);
}

static void hand_on(limberi_out* out, const void* bytes, size_t count) {
    limberi_file_put(&out->file, bytes, count);
    if (out->watch)
        out->watch(out->watcher, bytes, count);
}

void limberi_out_flush(limberi_out* out) {
    hand_on(out, out->bytes, out->used);
    out->used = 0;
}

// Room for `count` more bytes (at most the whole buffer), which the caller fills and adds to `used`.
static char* reserve(limberi_out* out, size_t count) {
    if (count > LIMBERI_OUT_BYTES - out->used)
        limberi_out_flush(out);
    return out->bytes + out->used;
}

limber_result limberi_out_finish(limberi_out* out, limber_error* error) {
    limberi_out_flush(out);
    return limberi_file_finish(&out->file, error);
}

limber_result limberi_out_commit(limberi_out* out, limber_error* error) {
    limberi_out_flush(out);
    return limberi_file_commit(&out->file, error);
}

void limberi_out_close(limberi_out* out) {
    limberi_file_discard(&out->file);
    limberi_release(out->bytes);
    memset(out, 0, sizeof *out);
}

void limberi_out_bytes(limberi_out* out, const void* bytes, size_t count) {
    if (count > LIMBERI_OUT_BYTES) {
        limberi_out_flush(out);
        hand_on(out, bytes, count);
        return;
    }
    memcpy(reserve(out, count), bytes, count);
    out->used += count;
}

void limberi_out_string(limberi_out* out, const char* text) {
    limberi_out_bytes(out, text, strlen(text));
}

void limberi_out_unsigned(limberi_out* out, uint32_t value) {
    out->used += limberi_unsigned_format(value, reserve(out, LIMBERI_UNSIGNED_CHARS));
}

static char* copy_text(char* p, const char* text) {
    while (*text)
        *p++ = *text++;
    return p;
}

void limberi_out_tuple(limberi_out* out, const char* before, const float* values, uint32_t count, const char* between,
                       const char* after) {
    if (!limberi_file_check(&out->file, values, count))
        return;
    char* start = reserve(out, (LIMBERI_FLOAT_CHARS + 8) * ((size_t)count + 2));
    char* p = copy_text(start, before);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            p = copy_text(p, between);
        p += limberi_float_format(values[i], p);
    }
    out->used += (size_t)(copy_text(p, after) - start);
}

void limberi_out_decimal(limberi_out* out, double value) {
    const float whole = fabs(value) < 4e9 ? 0 : NAN; // as good as none
    if (!limberi_file_check(&out->file, &whole, 1))
        return;
    uint64_t millionths = (uint64_t)llround(fabs(value) * 1e6);
    if (value < 0 && millionths)
        limberi_out_string(out, "-");
    limberi_out_unsigned(out, (uint32_t)(millionths / 1000000));
    millionths %= 1000000;
    if (!millionths)
        return;
    char digits[8] = ".";
    int count = 1;
    for (uint64_t unit = 100000; millionths; unit /= 10) {
        digits[count++] = (char)('0' + millionths / unit);
        millionths %= unit;
    }
    limberi_out_bytes(out, digits, (size_t)count);
}

void limberi_out_little_endian(limberi_out* out, uint32_t word) {
    char* p = reserve(out, 4);
    for (int i = 0; i < 4; i++)
        p[i] = (char)(word >> (8 * i) & 255);
    out->used += 4;
}

void limberi_out_big_endian(limberi_out* out, uint32_t word) {
    char* p = reserve(out, 4);
    for (int i = 0; i < 4; i++)
        p[i] = (char)(word >> (24 - 8 * i) & 255);
    out->used += 4;
}

void limberi_out_floats_little_endian(limberi_out* out, const float* values, size_t count) {
    if (!limberi_file_check(&out->file, values, count))
        return;
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, &values[i], sizeof word);
        limberi_out_little_endian(out, word);
    }
}

void limberi_out_floats_big_endian(limberi_out* out, const float* values, size_t count) {
    if (!limberi_file_check(&out->file, values, count))
        return;
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, &values[i], sizeof word);
        limberi_out_big_endian(out, word);
    }
}
