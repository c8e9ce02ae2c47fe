// Numbered file names: "run.obj" and "run_%03d.obj" to run.0001.obj and run_001.obj. The user's text is only ever
// copied, never used as a format.
#ifndef LIMBERI_CACHE_PATTERN_H
#define LIMBERI_CACHE_PATTERN_H

#include "base/arena.h"

typedef struct limberi_cache_pattern {
    char* before; // with %% already turned into %
    char* after;
    uint32_t width; // at least so many digits
    char* path;     // room for limberi_cache_pattern_path
} limberi_cache_pattern;

// A percent sign in the folder's part of the path is an ordinary character. A path without a counter gets ".%04d" in
// front of its ending.
LIMBER_MUST_USE limber_result limberi_cache_pattern_parse(limberi_arena* arena, const char* path,
                                                          limberi_cache_pattern* pattern, limber_error* error);

// The path of one number, in pattern->path.
const char* limberi_cache_pattern_path(limberi_cache_pattern* pattern, uint32_t number);

#endif
