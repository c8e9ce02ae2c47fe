// Which build of the kernels runs: chosen once, from what the processor can do.
#ifndef LIMBERI_VARIANT_H
#define LIMBERI_VARIANT_H

#include <stdbool.h>

// LIMBER_DEMO is compiled quickly and run once (cmake/demo.cmake).
#if defined(__x86_64__) && defined(__GNUC__) && !defined(LIMBER_DEMO)
#define LIMBERI_HAS_AVX2
#endif

typedef enum limberi_variant {
    LIMBERI_VARIANT_PLAIN, // one vertex at a time
    LIMBERI_VARIANT_WIDE,  // four
    LIMBERI_VARIANT_AVX2   // eight, x86 only
} limberi_variant;

static inline limberi_variant limberi_variant_best(void) {
#if defined(LIMBERI_HAS_AVX2)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return LIMBERI_VARIANT_AVX2;
#endif
    return LIMBERI_VARIANT_WIDE;
}

// Only tests ask for one vertex at a time. They run on the host, so the module for browsers goes without.
static inline bool limberi_variant_is_plain(limberi_variant variant) {
#if defined(__wasm__)
    (void)variant;
    return false;
#else
    return variant == LIMBERI_VARIANT_PLAIN;
#endif
}

#endif
