// The operations of formulas over blocks of floats. Each is one loop over a plain function of floats that the compiler
// can turn into vector instructions: choices are selections, and every division is guarded.
#include "base/lanes.h"
#include "text/expression_private.h"
#include "text/noise.h"

LIMBERI_INLINED float min(float a, float b) {
    return b < a ? b : a;
}

LIMBERI_INLINED float greatest(float a, float b) {
    return b > a ? b : a;
}

LIMBERI_INLINED float bounded(float v) {
    return limberi_cut_below(limberi_cut_above(v, LIMBERI_VALUE_MAX), -LIMBERI_VALUE_MAX);
}

LIMBERI_INLINED float truth(bool is) {
    return (float)(int)is;
}

// A full block is the common case, and its fixed count spares the compiler the remainder.
LIMBERI_INLINED void map1(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count,
                          float (*f)(float)) {
    const float* restrict a = held[in[0]];
    if (count == LIMBER_BLOCK)
        for (uint32_t i = 0; i < LIMBER_BLOCK; i++)
            out[i] = f(a[i]);
    else
        for (uint32_t i = 0; i < count; i++)
            out[i] = f(a[i]);
}

LIMBERI_INLINED void map2(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count,
                          float (*f)(float, float)) {
    const float* restrict a = held[in[0]], * restrict b = held[in[1]];
    if (count == LIMBER_BLOCK)
        for (uint32_t i = 0; i < LIMBER_BLOCK; i++)
            out[i] = f(a[i], b[i]);
    else
        for (uint32_t i = 0; i < count; i++)
            out[i] = f(a[i], b[i]);
}

LIMBERI_INLINED void map3(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count,
                          float (*f)(float, float, float)) {
    const float* restrict a = held[in[0]], * restrict b = held[in[1]], * restrict c = held[in[2]];
    if (count == LIMBER_BLOCK)
        for (uint32_t i = 0; i < LIMBER_BLOCK; i++)
            out[i] = f(a[i], b[i], c[i]);
    else
        for (uint32_t i = 0; i < count; i++)
            out[i] = f(a[i], b[i], c[i]);
}

LIMBERI_INLINED float negate(float a) {
    return -a;
}

LIMBERI_INLINED float invert(float a) {
    return truth(a == 0);
}

LIMBERI_INLINED float absolute(float a) {
    return fabsf(a);
}

LIMBERI_INLINED float square_root(float a) {
    return sqrtf(limberi_cut_below(a, 0));
}

LIMBERI_INLINED float sine(float a) {
    return sinf(a);
}

LIMBERI_INLINED float cosine(float a) {
    return cosf(a);
}

LIMBERI_INLINED float exponential(float a) {
    return bounded(expf(a));
}

LIMBERI_INLINED float logarithm(float a) {
    return a > 0 ? logf(a) : 0;
}

LIMBERI_INLINED float round_down(float a) {
    return floorf(a);
}

// Below 1 also for the smallest negative numbers, whose distance to -1 rounds to 1.
LIMBERI_INLINED float fraction(float a) {
    float f = a - floorf(a);
    return limberi_cut_above(f, 0x1.fffffep-1f);
}

LIMBERI_INLINED float square(float a) {
    return bounded(a * a);
}

LIMBERI_INLINED float cube(float a) {
    return bounded(a * a * a);
}

LIMBERI_INLINED float sum(float a, float b) {
    return bounded(a + b);
}

LIMBERI_INLINED float difference(float a, float b) {
    return bounded(a - b);
}

LIMBERI_INLINED float product(float a, float b) {
    return bounded(a * b);
}

LIMBERI_INLINED float plain_sum(float a, float b) {
    return a + b;
}

LIMBERI_INLINED float plain_difference(float a, float b) {
    return a - b;
}

LIMBERI_INLINED float plain_product(float a, float b) {
    return a * b;
}

LIMBERI_INLINED float quotient(float a, float b) {
    return limberi_pick(b != 0, bounded(a / limberi_pick(b != 0, b, 1)), 0);
}

// Of the sign of b, so that a % 1 is fract(a) and patterns go on across zero.
LIMBERI_INLINED float modulo(float a, float b) {
    float r = b != 0 ? fmodf(a, b) : 0;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

LIMBERI_INLINED float power(float a, float b) {
    if ((a == 0 && b < 0) || (a < 0 && b != floorf(b)))
        return 0;
    return bounded(powf(a, b));
}

LIMBERI_INLINED float is_less(float a, float b) {
    return truth(a < b);
}

LIMBERI_INLINED float is_less_equal(float a, float b) {
    return truth(a <= b);
}

LIMBERI_INLINED float is_equal(float a, float b) {
    return truth(a == b);
}

LIMBERI_INLINED float is_not_equal(float a, float b) {
    return truth(a != b);
}

LIMBERI_INLINED float both(float a, float b) {
    return truth((a != 0) & (b != 0));
}

LIMBERI_INLINED float either(float a, float b) {
    return truth((a != 0) | (b != 0));
}

LIMBERI_INLINED float choose(float condition, float a, float b) {
    return limberi_pick(condition != 0, a, b);
}

// From the nearer end, so that both ends are exact and equal ends stay equal.
LIMBERI_INLINED float blend(float a, float b, float t) {
    float from_a = a + (b - a) * t;
    float from_b = b - (b - a) * (1 - t);
    return bounded(limberi_pick(t < 0.5f, from_a, from_b));
}

LIMBERI_INLINED float ramp(float start, float inverse, float x) {
    float t = limberi_cut_above(limberi_cut_below((x - start) * inverse, 0), 1);
    return t * t * (3 - 2 * t);
}

// A span of nothing is a step, whose slope is as large as values get.
LIMBERI_INLINED float inverse_span(float start, float end) {
    float span = end - start;
    return limberi_pick(span != 0, bounded(1 / limberi_pick(span != 0, span, 1)), LIMBERI_VALUE_MAX);
}

LIMBERI_INLINED float smooth(float start, float end, float x) {
    return ramp(start, inverse_span(start, end), x);
}

// The warp of SMEAR, section 5.2. p * (u / p)^c is u^c / p^(c - 1) without the overflow. At s = 1, where c has no end,
// 2e6 is steep enough for float.
static float warp(float x, float s, float p) {
    float u = limberi_cut_above(limberi_cut_below(0.5f * x + 0.5f, 0), 1);
    float span = limberi_cut_below(1 - s, 1e-6f);
    float c = limberi_cut_below(2 / span - 1, 0);
    p = limberi_cut_above(limberi_cut_below(p, 0), 1);
    float side = u <= p ? p : 1 - p;
    float along = u <= p ? u : 1 - u;
    float bent = side > 0 ? side * powf(along / side, c) : 0;
    return 2 * (u <= p ? bent : 1 - bent) - 1;
}

static void kernel_negate(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map1(out, held, in, count, negate);
}

static void kernel_not(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map1(out, held, in, count, invert);
}

static void kernel_abs(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map1(out, held, in, count, absolute);
}

static void kernel_sqrt(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map1(out, held, in, count, square_root);
}

static void kernel_sin(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map1(out, held, in, count, sine);
}

static void kernel_cos(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map1(out, held, in, count, cosine);
}

static void kernel_exp(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map1(out, held, in, count, exponential);
}

static void kernel_log(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map1(out, held, in, count, logarithm);
}

static void kernel_floor(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map1(out, held, in, count, round_down);
}

static void kernel_fract(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map1(out, held, in, count, fraction);
}

static void kernel_square(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map1(out, held, in, count, square);
}

static void kernel_cube(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map1(out, held, in, count, cube);
}

static void kernel_add(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, sum);
}

static void kernel_subtract(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, difference);
}

static void kernel_multiply(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, product);
}

static void kernel_plain_add(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, plain_sum);
}

static void kernel_plain_subtract(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, plain_difference);
}

static void kernel_plain_multiply(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, plain_product);
}

static void kernel_divide(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, quotient);
}

static void kernel_remainder(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, modulo);
}

static void kernel_power(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, power);
}

static void kernel_min(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, min);
}

static void kernel_max(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, greatest);
}

static void kernel_less(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, is_less);
}

static void kernel_less_equal(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, is_less_equal);
}

static void kernel_equal(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, is_equal);
}

static void kernel_not_equal(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, is_not_equal);
}

static void kernel_and(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, both);
}

static void kernel_or(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map2(out, held, in, count, either);
}

static void kernel_select(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map3(out, held, in, count, choose);
}

static void kernel_mix(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map3(out, held, in, count, blend);
}

static void kernel_smooth(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map3(out, held, in, count, smooth);
}

static void kernel_ramp(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map3(out, held, in, count, ramp);
}

static void kernel_warp(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    map3(out, held, in, count, warp);
}

static void kernel_noise(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    limberi_noise(out, held[in[0]], held[in[1]], held[in[2]], count);
}

static void kernel_voronoi(float* restrict out, const float* const* held, const uint16_t* in, uint32_t count) {
    float x[LIMBER_BLOCK], y[LIMBER_BLOCK], z[LIMBER_BLOCK];
    const float* scale = held[in[3]];
    for (uint32_t i = 0; i < count; i++) {
        x[i] = product(held[in[0]][i], scale[i]);
        y[i] = product(held[in[1]][i], scale[i]);
        z[i] = product(held[in[2]][i], scale[i]);
    }
    limberi_voronoi(out, x, y, z, count);
}

void limberi_copy_bounded(float* out, const float* a, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        out[i] = bounded(limberi_pick(a[i] == a[i], a[i], 0));
}

// Without their sign, the bits of floats are ordered like the floats, with infinity and NaN on top.
LIMBERI_INLINED uint32_t magnitude_bits(float a) {
    return limberi_bits_of(a) & 0x7fffffffu;
}

LIMBERI_INLINED uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

bool limberi_is_bounded(const float* a, uint32_t count) {
    enum { QUARTER = LIMBER_BLOCK / 4 };
    uint32_t max[4] = {0, 0, 0, 0};
    if (count == LIMBER_BLOCK)
        for (uint32_t i = 0; i < QUARTER; i++) { // four chains: one would wait for itself sixteen times
            max[0] = larger(max[0], magnitude_bits(a[i]));
            max[1] = larger(max[1], magnitude_bits(a[i + QUARTER]));
            max[2] = larger(max[2], magnitude_bits(a[i + 2 * QUARTER]));
            max[3] = larger(max[3], magnitude_bits(a[i + 3 * QUARTER]));
        }
    else
        for (uint32_t i = 0; i < count; i++)
            max[0] = larger(max[0], magnitude_bits(a[i]));
    return larger(larger(max[0], max[1]), larger(max[2], max[3])) <= magnitude_bits(LIMBERI_VALUE_MAX);
}

float limberi_inverse_span(float start, float end) {
    return inverse_span(start, end);
}

const limberi_kernel limberi_kernels[LIMBERI_OP_COUNT] = {
    [LIMBERI_OP_NEGATE] = kernel_negate,
    [LIMBERI_OP_NOT] = kernel_not,
    [LIMBERI_OP_ABS] = kernel_abs,
    [LIMBERI_OP_SQRT] = kernel_sqrt,
    [LIMBERI_OP_SIN] = kernel_sin,
    [LIMBERI_OP_COS] = kernel_cos,
    [LIMBERI_OP_EXP] = kernel_exp,
    [LIMBERI_OP_LOG] = kernel_log,
    [LIMBERI_OP_FLOOR] = kernel_floor,
    [LIMBERI_OP_FRACT] = kernel_fract,
    [LIMBERI_OP_SQUARE] = kernel_square,
    [LIMBERI_OP_CUBE] = kernel_cube,
    [LIMBERI_OP_ADD] = kernel_add,
    [LIMBERI_OP_PLAIN_ADD] = kernel_plain_add,
    [LIMBERI_OP_SUBTRACT] = kernel_subtract,
    [LIMBERI_OP_PLAIN_SUBTRACT] = kernel_plain_subtract,
    [LIMBERI_OP_MULTIPLY] = kernel_multiply,
    [LIMBERI_OP_PLAIN_MULTIPLY] = kernel_plain_multiply,
    [LIMBERI_OP_DIVIDE] = kernel_divide,
    [LIMBERI_OP_REMAINDER] = kernel_remainder,
    [LIMBERI_OP_POWER] = kernel_power,
    [LIMBERI_OP_MIN] = kernel_min,
    [LIMBERI_OP_MAX] = kernel_max,
    [LIMBERI_OP_LESS] = kernel_less,
    [LIMBERI_OP_LESS_EQUAL] = kernel_less_equal,
    [LIMBERI_OP_EQUAL] = kernel_equal,
    [LIMBERI_OP_NOT_EQUAL] = kernel_not_equal,
    [LIMBERI_OP_AND] = kernel_and,
    [LIMBERI_OP_OR] = kernel_or,
    [LIMBERI_OP_SELECT] = kernel_select,
    [LIMBERI_OP_MIX] = kernel_mix,
    [LIMBERI_OP_SMOOTH] = kernel_smooth,
    [LIMBERI_OP_RAMP] = kernel_ramp,
    [LIMBERI_OP_WARP] = kernel_warp,
    [LIMBERI_OP_NOISE] = kernel_noise,
    [LIMBERI_OP_VORONOI] = kernel_voronoi,
};
