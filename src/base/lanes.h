// Four floats at once, as the vector types that gcc and clang have for every target: NEON, SSE, WASM, or plain code
// where there are no such instructions. Sums, products and quotients are the compiler's own operators, so the result is
// the same to the bit on all of them.
#ifndef LIMBERI_LANES_H
#define LIMBERI_LANES_H

#include <stdint.h>
#include <string.h>

typedef float limberi_lanes __attribute__((vector_size(16)));
typedef int32_t limberi_mask __attribute__((vector_size(16))); // of a comparison: all bits of a lane set, or none

static inline limberi_lanes limberi_lanes_load(const float* four) {
    limberi_lanes v;
    memcpy(&v, four, sizeof v);
    return v;
}

static inline void limberi_lanes_store(float* four, limberi_lanes v) {
    memcpy(four, &v, sizeof v);
}

static inline limberi_lanes limberi_lanes_all(float value) {
    limberi_lanes v = {value, value, value, value};
    return v;
}

static inline limberi_lanes limberi_lanes_select(limberi_mask mask, limberi_lanes yes, limberi_lanes no) {
    return (limberi_lanes)((mask & (limberi_mask)yes) | (~mask & (limberi_mask)no));
}

static inline limberi_lanes limberi_lanes_min(limberi_lanes a, limberi_lanes b) {
    return limberi_lanes_select(a < b, a, b);
}

static inline limberi_lanes limberi_lanes_max(limberi_lanes a, limberi_lanes b) {
    return limberi_lanes_select(a > b, a, b);
}

#endif
