// Runs each function of base/lanes.h over arrays, once per compiled width.
#include "lanes_probe.h"
#include "base/lanes.h"

typedef limberi_lanes lanes;

static lanes get(const float* from, uint32_t i) {
    return limberi_lanes_load(from + i);
}

static void sine_versine(const float* a, float* sine, float* versine, uint32_t count) {
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT) {
        lanes s, v;
        limberi_lanes_sine_versine(get(a, i), get(a, i) * get(a, i), &s, &v);
        limberi_lanes_store(sine + i, s);
        limberi_lanes_store(versine + i, v);
    }
}

static void small_sine_versine(const float* a, float* sine, float* versine, uint32_t count) {
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT) {
        lanes s, v;
        limberi_lanes_small_sine_versine(get(a, i), get(a, i) * get(a, i), &s, &v);
        limberi_lanes_store(sine + i, s);
        limberi_lanes_store(versine + i, v);
    }
}

static void tiny_sine_versine(const float* a, float* sine, float* versine, uint32_t count) {
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT) {
        lanes s, v;
        limberi_lanes_tiny_sine_versine(get(a, i), get(a, i) * get(a, i), &s, &v);
        limberi_lanes_store(sine + i, s);
        limberi_lanes_store(versine + i, v);
    }
}

static void faint_sine_versine(const float* a, float* sine, float* versine, uint32_t count) {
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT) {
        lanes s, v;
        limberi_lanes_faint_sine_versine(get(a, i), get(a, i) * get(a, i), &s, &v);
        limberi_lanes_store(sine + i, s);
        limberi_lanes_store(versine + i, v);
    }
}

static void within_turn(const float* a, float* out, uint32_t count) {
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT)
        limberi_lanes_store(out + i, limberi_lanes_within_turn(get(a, i)));
}

static void round_all(const float* a, float* out, uint32_t count) {
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT)
        limberi_lanes_store(out + i, limberi_lanes_round(get(a, i)));
}

static void inverse(const float* a, float* out, uint32_t count) {
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT)
        limberi_lanes_store(out + i, limberi_lanes_inverse(get(a, i)));
}

static void square_root(const float* a, float* out, uint32_t count) {
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT)
        limberi_lanes_store(out + i, limberi_lanes_sqrt(get(a, i)));
}

static void min(const float* a, const float* b, float* out, uint32_t count) {
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT)
        limberi_lanes_store(out + i, limberi_lanes_min(get(a, i), get(b, i)));
}

static void max(const float* a, const float* b, float* out, uint32_t count) {
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT)
        limberi_lanes_store(out + i, limberi_lanes_max(get(a, i), get(b, i)));
}

static void select_less(const float* a, const float* b, float* out, uint32_t count) {
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT) {
        lanes x = get(a, i), y = get(b, i);
        limberi_lanes_store(out + i, limberi_lanes_select(limberi_lanes_less(x, y), x, y + limberi_lanes_all(1)));
    }
}

static void sign_of(const float* a, const float* b, float* out, uint32_t count) {
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT)
        limberi_lanes_store(out + i, limberi_lanes_sign_of(limberi_lanes_abs(get(a, i)), get(b, i)));
}

static void fused(const float* a, const float* b, float* sum, float* difference, uint32_t count) {
    for (uint32_t i = 0; i < count; i += LIMBERI_LANE_COUNT) {
        limberi_lanes_store(sum + i, limberi_lanes_fma(get(a, i), get(b, i), limberi_lanes_all(2)));
        limberi_lanes_store(difference + i, limberi_lanes_fms(get(a, i), get(b, i), limberi_lanes_all(2)));
    }
}

static void triples(const float* apart, const uint32_t* vertices, float* list, float* again) {
    enum { WIDTH = LIMBERI_LANE_COUNT };
    limberi_lanes_scatter_triples(list, vertices, apart, apart + WIDTH, apart + 2 * WIDTH);
    limberi_lanes_gather_triples(list, vertices, again, again + WIDTH, again + 2 * WIDTH);
}

static bool any_less(const float* a, const float* b) {
    return limberi_lanes_any(limberi_lanes_less(get(a, 0), get(b, 0)));
}

const test_lanes LIMBERI_VARIANT(test_lanes) = {LIMBERI_LANE_COUNT,
                                                sine_versine,
                                                small_sine_versine,
                                                tiny_sine_versine,
                                                faint_sine_versine,
                                                within_turn,
                                                round_all,
                                                inverse,
                                                square_root,
                                                min,
                                                max,
                                                select_less,
                                                sign_of,
                                                fused,
                                                triples,
                                                any_less};
