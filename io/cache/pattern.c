// Numbered file names: "run.obj" and "run_%03d.obj" to run.0001.obj and run_001.obj.
#include "io/cache/writers.h"

#include "base/error.h"
#include "io/file.h"
#include "io/out.h"
#include <string.h>

enum { DEFAULT_WIDTH = 4 };

// The length of a counter (%d, %01d to %09d) at `text`, and its width; 0 when it is none. Plain widths such as %4d are
// refused: they would put spaces into the name.
static size_t counter_length(const char* text, uint32_t* width) {
    *width = 1;
    if (text[0] != '%')
        return 0;
    if (text[1] == 'd')
        return 2;
    if (text[1] != '0' || text[2] < '1' || text[2] > '9' || text[3] != 'd')
        return 0;
    *width = (uint32_t)(text[2] - '0');
    return 4;
}

// Copies the name into `before`, and from the counter on into `after`.
static limber_result split(const char* path, const char* name, limberi_cache_pattern* pattern, limber_error* error) {
    char* out = pattern->before + (name - path);
    memcpy(pattern->before, path, (size_t)(name - path));
    bool counted = false;
    while (*name) {
        uint32_t width;
        size_t length = counter_length(name, &width);
        if (length && !counted) {
            counted = true;
            pattern->width = width;
            out = pattern->after;
            name += length;
        } else if (*name != '%' || name[1] == '%') {
            name += *name == '%';
            *out++ = *name++;
        } else {
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                                "'%s': a name may contain one counter such as %%04d, and %%%% for a percent sign",
                                path);
        }
    }
    return LIMBER_OK;
}

static void add_default_counter(limberi_cache_pattern* pattern) {
    char* ending = strrchr(pattern->before, '.');
    if (!ending)
        ending = pattern->before + strlen(pattern->before);
    strcpy(pattern->after, ending);
    strcpy(ending, ".");
    pattern->width = DEFAULT_WIDTH;
}

limber_result limberi_cache_pattern_parse(limberi_arena* arena, const char* path, limberi_cache_pattern* pattern,
                                          limber_error* error) {
    size_t size = strlen(path) + 2;
    memset(pattern, 0, sizeof *pattern);
    pattern->before = LIMBERI_ALLOCATE(arena, char, size);
    pattern->after = LIMBERI_ALLOCATE(arena, char, size);
    pattern->path = LIMBERI_ALLOCATE(arena, char, size + LIMBERI_UNSIGNED_CHARS);
    if (!pattern->before || !pattern->after || !pattern->path)
        return limberi_fail_memory(error);
    limber_result result = split(path, limberi_file_name(path), pattern, error);
    if (result == LIMBER_OK && !pattern->width)
        add_default_counter(pattern);
    return result;
}

const char* limberi_cache_pattern_path(limberi_cache_pattern* pattern, uint32_t number) {
    char digits[LIMBERI_UNSIGNED_CHARS];
    size_t count = limberi_unsigned_format(number, digits);
    size_t length = strlen(pattern->before);
    memcpy(pattern->path, pattern->before, length);
    char* p = pattern->path + length;
    for (size_t i = count; i < pattern->width; i++)
        *p++ = '0';
    memcpy(p, digits, count);
    strcpy(p + count, pattern->after);
    return pattern->path;
}
