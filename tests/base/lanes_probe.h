// What base/lanes.h offers, over arrays, so that a test can look at it in every width. Counts are multiples of 8.
#ifndef LIMBER_TEST_LANES_PROBE_H
#define LIMBER_TEST_LANES_PROBE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct test_lanes {
    uint32_t width;
    void (*sine_versine)(const float* a, float* sine, float* versine, uint32_t count);
    void (*small_sine_versine)(const float* a, float* sine, float* versine, uint32_t count);
    void (*tiny_sine_versine)(const float* a, float* sine, float* versine, uint32_t count);
    void (*faint_sine_versine)(const float* a, float* sine, float* versine, uint32_t count);
    void (*within_turn)(const float* a, float* out, uint32_t count);
    void (*round)(const float* a, float* out, uint32_t count);
    void (*inverse)(const float* a, float* out, uint32_t count);
    void (*square_root)(const float* a, float* out, uint32_t count);
    void (*min)(const float* a, const float* b, float* out, uint32_t count);
    void (*max)(const float* a, const float* b, float* out, uint32_t count);
    void (*select_less)(const float* a, const float* b, float* out, uint32_t count); // a < b ? a : b + 1
    void (*sign_of)(const float* a, const float* b, float* out, uint32_t count);     // |a| with the sign of b
    void (*fused)(const float* a, const float* b, float* sum, float* difference, uint32_t count); // 2 +- a * b
    // The first `width` of [3][width] to the vertices of a list, and back.
    void (*triples)(const float* apart, const uint32_t* vertices, float* list, float* again);
    bool (*any_less)(const float* a, const float* b); // over the first `width`
} test_lanes;

extern const test_lanes test_lanes_plain, test_lanes_wide;

#endif
