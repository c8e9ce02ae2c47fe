// Values of formulas: precedence, every function, and results that are always finite.
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <limber/stages/expression.h>

#include "kit/formulas.h"

enum { COUNT = LIMBER_BLOCK };

static limber_expression* compile(const char* text) {
    limber_expression* e;
    limber_error error;
    if (limber_expression_create(text, NULL, &e, &error))
        fail_msg("%s (%s)\n%s", error.message, error.place, error.detail);
    assert_string_equal(limber_expression_text(e), text);
    return e;
}

// Every name has a different value: t 0.5, frame 12, phase 0.25, x 0.3, y -1.7, z 2.5, the others 0.1 each more.
static const float frame_values[3] = {0.5f, 12, 0.25f};
static const float vertex_values[LIMBER_VARIABLE_COUNT] = {0,    0,    0,    0.3f, -1.7f, 2.5f,   0.6f, -0.8f, 0.1f,
                                                           0.2f, 0.9f, 0.7f, 0.4f, 1.5f,  -0.35f, -2,   3};

static float evaluate(const char* text) {
    static float arrays[LIMBER_VARIABLE_COUNT][COUNT], layers[2][COUNT];
    limber_expression* e = compile(text);
    limber_expression_inputs in = limber_expression_inputs_default();
    float out[COUNT + 1];
    in.count = COUNT;
    memcpy(in.frame, frame_values, sizeof frame_values);
    for (int n = LIMBER_VARIABLE_FRAME_COUNT; n < LIMBER_VARIABLE_COUNT; n++) {
        for (int i = 0; i < COUNT; i++)
            arrays[n][i] = vertex_values[n];
        in.vertex[n] = arrays[n];
    }
    for (int i = 0; i < COUNT; i++) {
        layers[0][i] = 0.6f;
        layers[1][i] = -0.4f;
    }
    in.layers[0] = layers[0];
    in.layers[1] = layers[1];
    out[COUNT] = 77;
    limber_expression_evaluate(e, &in, out);
    for (int i = 1; i < COUNT; i++)
        assert_true(out[i] == out[0]);
    assert_true(out[COUNT] == 77);
    if (limber_expression_is_uniform(e))
        assert_true(limber_expression_evaluate_uniform(e, &in) == out[0]);
    limber_expression_destroy(e);
    return out[0];
}

typedef struct expected {
    const char* text;
    double value;
} expected;

static void check(const expected* rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        float value = evaluate(rows[i].text);
        if (!(fabs((double)value - rows[i].value) <= 3e-7 * fmax(1, fabs(rows[i].value))))
            fail_msg("%s is %.9g, not %.9g", rows[i].text, (double)value, rows[i].value);
    }
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

static void numbers_are_read_in_every_spelling(void** state) {
    (void)state;
    static const expected rows[] = {
        {"1", 1},
        {".5", 0.5},
        {"5.", 5},
        {"1e-3", 1e-3},
        {"1E3", 1e3},
        {"2.5e+2", 250},
        {"007", 7},
        {"0", 0},
        {"0.1", 0.1},
        {"1e30", 1e30},
        {"1e-60", 0},
        {"0e99999", 0},
        {"0.000000000000000000000000000001e30", 1},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
        {"100000000000000000000000e-23", 1},
        {"3.14159265358979323846264338327950288", 3.14159265358979},
        {"16777217", 16777216},
        {"\t 1\n", 1},
        {"pi", 3.14159265358979},
        {"1e00000000000000000001", 10},
        {"1e-99999", 0},
    };
    CHECK(rows);
}

static void numbers_are_rounded_as_by_the_c_library(void** state) {
    (void)state;
    uint32_t seed = 11;
    for (int i = 0; i < 3000; i++) {
        char text[64];
        int digits = (int)(formula_random(&seed) % 12), exponent = (int)(formula_random(&seed) % 60) - 35;
        double mantissa = (double)formula_random(&seed) / 16777216 * 10;
        snprintf(text, sizeof text, i % 3 ? "%.*fe%d" : "%.*f", digits, mantissa, exponent);
        float value = evaluate(text), right = strtof(text, NULL);
        if (!(value >= nextafterf(right, -1) && value <= nextafterf(right, 1e38f)))
            fail_msg("%s is %.9g, not %.9g", text, (double)value, (double)right);
    }
}

static void operators_bind_and_group_as_in_mathematics(void** state) {
    (void)state;
    static const expected rows[] = {
        {"1+2*3", 7},     {"(1+2)*3", 9},   {"10-4-3", 3},        {"100/10/5", 2},     {"100/10*5", 50},
        {"7%4%2", 1},     {"2*7%4", 2},     {"2^3^2", 512},       {"(2^3)^2", 64},     {"-2^2", -4},
        {"(-2)^2", 4},    {"2^-1", 0.5},    {"2^-1^2", 0.5},      {"-2^-2", -0.25},    {"2*-3", -6},
        {"2--3", 5},      {"2---3", -1},    {"--2", 2},           {"!0", 1},           {"!3", 0},
        {"!!3", 1},       {"-!0", -1},      {"!0+1", 2},          {"!2^2", 0},         {"3<4", 1},
        {"4<3", 0},       {"3<3", 0},       {"3<=3", 1},          {"3>=4", 0},         {"4>=4", 1},
        {"4>3", 1},       {"3==3", 1},      {"3!=3", 0},          {"1+1<3", 1},        {"1<2==2<3", 1},
        {"1==2<3", 1},    {"2==2<3", 0},    {"1&&2", 1},          {"1&&0", 0},         {"0||0", 0},
        {"0||-3", 1},     {"1||0&&0", 1},   {"(1||0)&&0", 0},     {"1<2&&3<2", 0},     {"1<2||3<2", 1},
        {"!0&&!0", 1},    {"1?2:3", 2},     {"0?2:3", 3},         {"0?1:0?2:3", 3},    {"0?1:1?2:3", 2},
        {"1?0?5:6:7", 6}, {"1?2:3+10", 2},  {"0?2:3+10", 13},     {"(1?2:3)+10", 12},  {"1||0?2:3", 2},
        {"2>1?4:5", 4},   {"1?1?1:2:3", 1}, {"0?1:0?2:0?3:4", 4}, {"min(1?2:3,9)", 2}, {"2*(3+(4-(5-6)))", 16},
        {"((((7))))", 7}, {"1 - 2 + 3", 2}, {"2 ^ 2 * 3", 12},    {"3 * 2 ^ 2", 12},   {"-3 % 2", 1},
        {"-(3 % 2)", -1}, {"6/2^2", 1.5},
    };
    CHECK(rows);
}

static void names_mean_their_inputs(void** state) {
    (void)state;
    static const expected rows[] = {
        {"t", 0.5},
        {"frame", 12},
        {"phase", 0.25},
        {"x", 0.3},
        {"y", -1.7},
        {"z", 2.5},
        {"nx", 0.6},
        {"ny", -0.8},
        {"nz", 0.1},
        {"u", 0.2},
        {"v", 0.9},
        {"height", 0.7},
        {"rand", 0.4},
        {"speed", 1.5},
        {"offset", -0.35},
        {"paint.ears", 0.6},
        {"paint.ears - paint.tail", 1},
        {"paint.a*paint.b*paint.a", -0.144},
        {"x+y+z", 1.1},
        {"t*x", 0.15},
        {"x*t", 0.15},
        {"t - x", 0.2},
        {"x - t", -0.2},
        {"(t + phase) * x", 0.225},
        {"2*t + 0*x", 1},
        {"frame/24 == t", 1},
        {"x < t ? y : z", -1.7},
        {"t > phase ? x : y", 0.3},
        {"x ? t : phase", 0.5},
        {"paint.\303\266hr + paint.2nd", 0.2},
        {"0.4 * smoothstep(0.2, 1, height) * paint.ears", 0.1640625},
        {"(x+t)*(y+t*t)*(z+t*t*t)*(height+sin(t))", 0.8 * -1.45 * 2.625 * (0.7 + 0.479425538604)},
    };
    CHECK(rows);
}

static void functions_meet_their_closed_forms(void** state) {
    (void)state;
    static const expected rows[] = {
        {"abs(-3)", 3},
        {"abs(y)", 1.7},
        {"min(3, 1, 2)", 1},
        {"max(3, 1, 2, 7, 5)", 7},
        {"min(x, y, z)", -1.7},
        {"max(x, t)", 0.5},
        {"clamp(5, 0, 1)", 1},
        {"clamp(-5, 0, 1)", 0},
        {"clamp(x, 0, 1)", 0.3},
        {"clamp(z, -1, 1)", 1},
        {"clamp(0.5, 1, 0)", 0},
        {"mix(2, 4, 0)", 2},
        {"mix(2, 4, 1)", 4},
        {"mix(2, 4, .25)", 2.5},
        {"mix(2, 4, .75)", 3.5},
        {"mix(2, 4, 2)", 6},
        {"mix(2, 4, -1)", 0},
        {"mix(y, z, t)", 0.4},
        {"step(1, 1)", 1},
        {"step(1, 0.999)", 0},
        {"step(t, x)", 0},
        {"step(x, t)", 1},
        {"smoothstep(0, 1, 0.5)", 0.5},
        {"smoothstep(0, 1, 0.25)", 0.15625},
        {"smoothstep(0, 1, -1)", 0},
        {"smoothstep(0, 1, 9)", 1},
        {"smoothstep(1, 0, 0.25)", 0.84375},
        {"smoothstep(2, 4, z)", 0.15625},
        {"smoothstep(t, t+2, z)", 1},
        {"smoothstep(x-x, x/x, t)", 0.5},
        {"smoothstep(1, 1, 0.5)", 0},
        {"smoothstep(1, 1, 1.5)", 1},
        {"smoothstep(1, 1, 1)", 0},
        {"smoothstep(x, x, z)", 1},
        {"sin(0)", 0},
        {"sin(pi/2)", 1},
        {"sin(y)", -0.99166481},
        {"cos(0)", 1},
        {"cos(pi)", -1},
        {"cos(z)", -0.80114362},
        {"exp(0)", 1},
        {"exp(1)", 2.718281828},
        {"exp(y)", 0.18268352},
        {"log(1)", 0},
        {"log(exp(2))", 2},
        {"log(z)", 0.91629073},
        {"sqrt(2)", 1.414213562},
        {"sqrt(z*z)", 2.5},
        {"pow(2, 10)", 1024},
        {"pow(z, x)", 1.316382204},
        {"pow(-2, 3)", -8},
        {"pow(-2, 5)", -32},
        {"y^2", 2.89},
        {"y^3", -4.913},
        {"y^4", 8.3521},
        {"y^1", -1.7},
        {"y^0", 1},
        {"z^0.5", 1.58113883},
        {"z^-2", 0.16},
        {"0^0", 1},
        {"floor(2.7)", 2},
        {"floor(-2.1)", -3},
        {"floor(y)", -2},
        {"floor(3)", 3},
        {"fract(2.75)", 0.75},
        {"fract(-0.25)", 0.75},
        {"fract(y)", 0.3},
        {"y % 1", 0.3},
        {"5.5 % 2", 1.5},
        {"-5.5 % 2", 0.5},
        {"5.5 % -2", -0.5},
        {"-5.5 % -2", -1.5},
        {"z % x", 0.1},
        {"noise(1, 2, 3)", 0},
        {"noise(-7, 0, 1000)", 0},
        {"noise(0.3, 0.6) - noise(0.3, 0.6, 0)", 0},
        {"noise(0.3) - noise(0.3, 0, 0)", 0},
    };
    CHECK(rows);
}

static void warp_is_the_spec_s_formula(void** state) {
    (void)state;
    for (int i = 0; i <= 40; i++)
        for (int j = 1; j < 10; j++)
            for (int k = -8; k < 10; k++) {
                double x = i / 20.0 - 1, p = j / 10.0, s = k / 10.0, u = (x + 1) / 2, c = 2 / (1 - s) - 1;
                double r = u <= p ? pow(u, c) / pow(p, c - 1) : 1 - pow(1 - u, c) / pow(1 - p, c - 1);
                char text[64];
                snprintf(text, sizeof text, "warp(%.9g, %.9g, %.9g)", x, s, p);
                float value = evaluate(text);
                if (!(fabs((double)value - (2 * r - 1)) < 2e-5))
                    fail_msg("%s is %g, not %g", text, (double)value, 2 * r - 1);
            }
    static const expected ends[] = {
        {"warp(0.3, 0, 0.5)", 0.3},      {"warp(x, 0, 0.2)", 0.3},        {"warp(-1, 1, 0.5)", -1},
        {"warp(1, 1, 0.5)", 1},          {"warp(0.01, 1, 0.5)", 1},       {"warp(-0.01, 1, 0.5)", -1},
        {"warp(5, 0.5, 0.5)", 1},        {"warp(-5, 0.5, 0.5)", -1},      {"warp(0, 7, 0.5)", 0},
        {"warp(0.5, 0.5, 0)", 0.96875},  {"warp(-1, 0.5, 0)", -1},        {"warp(1, 0.5, 1)", 1},
        {"warp(0.5, 0.5, 1)", -0.15625}, {"warp(0.5, 0.5, 5)", -0.15625}, {"warp(0, -1, 0.5)", 0},
        {"warp(0.7, -9, 0.5)", 0},       {"warp(1, 0.5, -3)", 1},
    };
    CHECK(ends);
}

static void what_is_undefined_counts_as_zero_and_what_is_huge_ends(void** state) {
    (void)state;
    static const expected rows[] = {
        {"1/0", 0},
        {"0/0", 0},
        {"-1/(1-1)", 0},
        {"x/(y-y)", 0},
        {"1/-0", 0},
        {"5%0", 0},
        {"z%(y-y)", 0},
        {"log(0)", 0},
        {"log(-1)", 0},
        {"log(y)", 0},
        {"sqrt(-4)", 0},
        {"sqrt(y)", 0},
        {"y^0.5", 0},
        {"(-8)^(1/3)", 0},
        {"pow(y,x)", 0},
        {"0^-1", 0},
        {"pow(x-x, y)", 0},
        {"exp(1000)", 1e30},
        {"exp(z*1000)", 1e30},
        {"-exp(1000)", -1e30},
        {"1e30*1e30", 1e30},
        {"1e30*-1e30", -1e30},
        {"1e30+1e30", 1e30},
        {"-1e30-1e30", -1e30},
        {"1e30/1e-30", 1e30},
        {"(z*1e30)^2", 1e30},
        {"(y*1e30)^3", -1e30},
        {"10^40", 1e30},
        {"1e30-1e30", 0},
        {"exp(-1000)", 0},
        {"mix(-1e30,1e30,1e30)", 1e30},
        {"mix(1e30,-1e30,0.5)", 0},
        {"smoothstep(-1e30,1e30,0)", 0.5},
        {"(x > 9 ? 1 : z*1e29) * 1e30", 1e30},
        {"(x < 9 ? z*1e29 : 1) * 1e30", 1e30},
        {"max(1, z*1e29) * -1e30", -1e30},
        {"min(1, y*1e29) * 1e30", -1e30},
        {"abs(y*1e29) * 1e30", 1e30},
        {"-(z*1e29) * 1e30", -1e30},
        {"(z*1e29 + 1) * 1e30", 1e30},
        {"smoothstep(0,1e-40,x)", 1},
        {"1/1e-40", 1e30},
        {"abs(sin(1e30))<=1", 1},
        {"floor(1e30)", 1e30},
        {"fract(1e30)", 0},
        {"fract(-1e-20)<1", 1},
        {"noise(1e30,-1e30,1e20)", 0},
        {"voronoi(1e30)<1", 1},
        {"1e30 % 1e-20 < 1e-20", 1},
        {"key(0,1e30,1,-1e30)", 0},
    };
    CHECK(rows);
}

static void random_inputs(float arrays[4][COUNT], uint32_t* seed) {
    for (int n = 0; n < 4; n++)
        for (int i = 0; i < COUNT; i++) {
            uint32_t r = formula_random(seed);
            // A third of small whole numbers, so that comparisons and divisions meet equality and zero.
            arrays[n][i] = r % 3 ? (float)r / 4194304 - 2 : (float)(r / 3 % 5) - 2;
        }
}

static limber_expression_inputs inputs_of(float arrays[4][COUNT], uint32_t count) {
    limber_expression_inputs in = limber_expression_inputs_default();
    in.count = count;
    in.vertex[LIMBER_VARIABLE_X] = arrays[0];
    in.vertex[LIMBER_VARIABLE_Y] = arrays[1];
    in.vertex[LIMBER_VARIABLE_Z] = arrays[2];
    in.vertex[LIMBER_VARIABLE_HEIGHT] = arrays[3];
    return in;
}

static void random_formulas_equal_another_evaluator(void** state) {
    (void)state;
    static formula f;
    uint32_t seed = 1;
    for (int round = 0; round < 4000; round++) {
        float arrays[4][COUNT], out[COUNT];
        formula_grow(&f, &seed, 3, true);
        formula_print(&f, round % 2, FORMULA_NAMES, NULL);
        if (strlen(f.text) > LIMBER_EXPRESSION_LENGTH)
            continue;
        random_inputs(arrays, &seed);
        limber_expression* e = compile(f.text);
        limber_expression_inputs in = inputs_of(arrays, round % 4 ? COUNT : 1 + (uint32_t)round % COUNT);
        limber_expression_evaluate(e, &in, out);
        for (uint32_t i = 0; i < in.count; i++) {
            double values[4] = {(double)arrays[0][i], (double)arrays[1][i], (double)arrays[2][i], (double)arrays[3][i]};
            double right = formula_value(&f, values);
            if ((double)out[i] != right)
                fail_msg("%s at %g %g %g %g is %.9g, not %.9g", f.text, values[0], values[1], values[2], values[3],
                         (double)out[i], right);
        }
        limber_expression_destroy(e);
    }
}

// The same formula of vertices, of time and of numbers: run over blocks, run once per frame, folded when compiled.
static void folding_and_frames_change_no_bit(void** state) {
    (void)state;
    static formula f;
    uint32_t seed = 5;
    for (int round = 0; round < 3000; round++) {
        float arrays[4][COUNT], out[3][COUNT];
        formula_grow(&f, &seed, 3, false);
        float value = (float)(formula_random(&seed) % 65) / 8 - 4;
        double values[4] = {(double)value, (double)value, (double)value, (double)value};
        for (int i = 0; i < 4 * COUNT; i++)
            arrays[i / COUNT][i % COUNT] = value;
        limber_expression_inputs in = inputs_of(arrays, COUNT);
        in.frame[LIMBER_VARIABLE_T] = value;
        for (int way = 0; way < 3; way++) {
            formula_print(&f, true, (formula_leaves)way, values);
            if (strlen(f.text) > LIMBER_EXPRESSION_LENGTH)
                break;
            limber_expression* e = compile(f.text);
            limber_expression_evaluate(e, &in, out[way]);
            if (memcmp(out[way], out[0], sizeof out[0]) != 0)
                fail_msg("%s is %.9g, not %.9g", f.text, (double)out[way][0], (double)out[0][0]);
            limber_expression_destroy(e);
        }
    }
}

static void nothing_makes_a_result_infinite(void** state) {
    (void)state;
    static const float wild[] = {NAN,     INFINITY, -INFINITY, 3e38f, -3e38f, 1e30f, -1e30f, 1e-40f,
                                 -1e-40f, 0,        -0.0f,     1,     -1,     0.5f,  1e20f,  -1e-20f};
    static formula f;
    uint32_t seed = 9;
    for (int round = 0; round < 6000; round++) {
        float arrays[4][COUNT], out[COUNT];
        formula_grow(&f, &seed, 3, false);
        formula_print(&f, true, round % 8 ? FORMULA_NAMES : FORMULA_TIME, NULL);
        if (strlen(f.text) > LIMBER_EXPRESSION_LENGTH)
            continue;
        for (int i = 0; i < 4 * COUNT; i++)
            arrays[i / COUNT][i % COUNT] = wild[formula_random(&seed) % 16];
        limber_expression* e = compile(f.text);
        limber_expression_inputs in = inputs_of(arrays, COUNT);
        in.frame[LIMBER_VARIABLE_T] = wild[formula_random(&seed) % 16];
        limber_expression_evaluate(e, &in, out);
        for (int i = 0; i < COUNT; i++)
            if (!(fabsf(out[i]) <= 1e30f))
                fail_msg("%s is %g", f.text, (double)out[i]);
        limber_expression_destroy(e);
    }
}

static void wild_inputs_are_cut_like_results(void** state) {
    (void)state;
    float wild[COUNT] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 2, -0.0f, 1e30f}, out[COUNT];
    static const float cut[8] = {0, 1e30f, -1e30f, 1e30f, -1e30f, 2, 0, 1e30f};
    limber_expression_inputs in = limber_expression_inputs_default();
    in.count = 8;
    in.vertex[LIMBER_VARIABLE_X] = wild;
    static const char* const texts[] = {"x", "x * 1", "x / x == (x != 0)"};
    for (int k = 0; k < 3; k++) {
        limber_expression* e = compile(texts[k]);
        limber_expression_evaluate(e, &in, out);
        for (int i = 0; i < 8; i++)
            assert_true(out[i] == (k < 2 ? cut[i] : 1));
        limber_expression_destroy(e);
    }
}

static void inputs_that_are_missing_have_defaults(void** state) {
    (void)state;
    limber_expression* e = compile("10 * paint.ears + x + t + paint.tail");
    limber_expression_inputs in = limber_expression_inputs_default();
    float out[COUNT], tail[1] = {5};
    assert_int_equal(in.count, 1);
    in.layers[1] = tail;
    limber_expression_evaluate(e, &in, out);
    assert_true(out[0] == 15);
    assert_int_equal(limber_expression_layer_count(e), 2);
    assert_string_equal(limber_expression_layer(e, 0), "ears");
    assert_string_equal(limber_expression_layer(e, 1), "tail");
    assert_string_equal(limber_expression_layer(e, 2), "");
    limber_expression_destroy(e);
    limber_expression_destroy(NULL);
}

static void evaluation_in_place_reads_before_it_writes(void** state) {
    (void)state;
    static const char* const texts[] = {"x", "x+1", "(x+1)*x", "x*(y+x)-x"};
    for (size_t k = 0; k < 4; k++) {
        float x[COUNT], y[COUNT], out[COUNT];
        for (int i = 0; i < COUNT; i++)
            x[i] = y[i] = (float)i;
        limber_expression* e = compile(texts[k]);
        limber_expression_inputs in = limber_expression_inputs_default();
        in.count = COUNT;
        in.vertex[LIMBER_VARIABLE_X] = x;
        in.vertex[LIMBER_VARIABLE_Y] = y;
        limber_expression_evaluate(e, &in, out);
        limber_expression_evaluate(e, &in, x);
        assert_memory_equal(x, out, sizeof out);
        limber_expression_destroy(e);
    }
}

static void what_a_formula_uses_is_known(void** state) {
    (void)state;
    static const struct {
        const char* text;
        uint32_t uses;
        bool uniform;
    } rows[] = {
        {"1+2", 0, true},
        {"sin(t) + frame", 1u << LIMBER_VARIABLE_T | 1u << LIMBER_VARIABLE_FRAME, true},
        {"phase * height", 1u << LIMBER_VARIABLE_PHASE | 1u << LIMBER_VARIABLE_HEIGHT, false},
        {"paint.ears", 0, false},
        {"voronoi(3)", 1u << LIMBER_VARIABLE_X | 1u << LIMBER_VARIABLE_Y | 1u << LIMBER_VARIABLE_Z, false},
        {"key(0, 1, 2, 3)", 1u << LIMBER_VARIABLE_T, true},
        {"key(0, u, 2, 3)", 1u << LIMBER_VARIABLE_T | 1u << LIMBER_VARIABLE_U, false},
        {"noise(1, 2, 3.5)", 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        limber_expression* e = compile(rows[i].text);
        assert_int_equal(limber_expression_uses(e), rows[i].uses);
        assert_int_equal(limber_expression_is_uniform(e), rows[i].uniform);
        limber_expression_destroy(e);
    }
}

static float at_time(const limber_expression* e, float t) {
    limber_expression_inputs in = limber_expression_inputs_default();
    in.frame[LIMBER_VARIABLE_T] = t;
    return limber_expression_evaluate_uniform(e, &in);
}

static void key_meets_its_keys_stays_between_them_and_is_smooth(void** state) {
    (void)state;
    static const float times[] = {-1, 0.25f, 1, 7.5f, 8}, values[] = {3, 0.1f, 0.1f, 12, -5};
    limber_expression* e = compile("key(-1,3, 1/4,0.1, 1,.1, 15/2,12, 8,-5)");
    assert_true(at_time(e, -100) == 3 && at_time(e, 100) == -5);
    for (int k = 0; k < 5; k++) {
        assert_true(at_time(e, times[k]) == values[k]);
        // At rest at every key: the value leaves it with the square of the time.
        for (float h = 1e-2f; h > 1e-3f; h /= 2)
            assert_true(fabsf(at_time(e, times[k] + h) - values[k]) < 3 * 17 / 0.25f * h * h);
    }
    for (int k = 0; k < 4; k++) {
        float before = values[k], sign = values[k + 1] < values[k] ? -1.0f : 1.0f, slope = 0;
        for (int i = 1; i <= 1000; i++) {
            float t = times[k] + (times[k + 1] - times[k]) * (float)i / 1000, value = at_time(e, t);
            assert_true(sign * (value - before) >= -2e-6f);
            float next = (value - before) * 1000; // per interval; the cubic's slope changes by at most 6 / 1000 of it
            assert_true(fabsf(next - slope) <= 0.0061f * fabsf(values[k + 1] - values[k]) + 5e-3f);
            slope = next;
            before = value;
        }
        float middle = at_time(e, 0.5f * (times[k] + times[k + 1]));
        assert_true(fabsf(middle - 0.5f * (values[k] + values[k + 1])) < 1e-5f);
    }
    limber_expression_destroy(e);
}

static void key_takes_values_per_vertex(void** state) {
    (void)state;
    limber_expression* e = compile("key(0, x, 1, 2*x, 2, x*t)");
    float x[4] = {1, 2, 3, 4}, out[4];
    static const struct { float t, factor; } rows[] = {{-1, 1}, {0, 1}, {0.5f, 1.5f}, {1, 2}, {2, 2}, {3, 3}};
    for (int k = 0; k < 6; k++) {
        limber_expression_inputs in = limber_expression_inputs_default();
        in.count = 4;
        in.vertex[LIMBER_VARIABLE_X] = x;
        in.frame[LIMBER_VARIABLE_T] = rows[k].t;
        limber_expression_evaluate(e, &in, out);
        for (int i = 0; i < 4; i++)
            assert_true(fabsf(out[i] - rows[k].factor * x[i]) < 1e-6f);
    }
    limber_expression_destroy(e);
}

typedef struct thread_job {
    const limber_expression* expression;
    float out[COUNT];
} thread_job;

static void* evaluate_often(void* user) {
    thread_job* job = user;
    float arrays[4][COUNT];
    uint32_t seed = 77;
    random_inputs(arrays, &seed);
    limber_expression_inputs in = inputs_of(arrays, COUNT);
    for (int i = 0; i < 2000; i++)
        limber_expression_evaluate(job->expression, &in, job->out);
    return NULL;
}

static void threads_share_an_expression(void** state) {
    (void)state;
    limber_expression* e = compile("mix(sin(x*3+y), noise(x,y,z), smoothstep(0,1,height)) + voronoi(2)");
    thread_job jobs[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        jobs[i].expression = e;
        assert_int_equal(pthread_create(&threads[i], NULL, evaluate_often, &jobs[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < 4; i++)
        assert_memory_equal(jobs[i].out, jobs[0].out, sizeof jobs[0].out);
    limber_expression_destroy(e);
}

// The largest trees that the length allows, in the shapes that cost most: none may run out of anything.
static void dense_texts_compile(void** state) {
    (void)state;
    static const struct {
        const char *start, *again, *end;
        double value; // with everything 1
    } rows[] = {
        {"x", "^x", "", 1},
        {"x", "+x", "", 0},
        {"x", "-(x)", "", 0},
        {"", "-", "x", 0},
        {"", "!", "x", 0},
        {"x", "?x:x", "", 1},
        {"x", "?t:x", "", 1},
        {"(t+x)", "^(t+x)", "", 0},
        {"(x+t)", "?(x*t):(x-t)", "", 1},
        {"max(x", ",x", ")", 1},
        {"x*(t+1)", "+x*(t+1)", "", 0},
        {"1", "^x", "", 1},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[LIMBER_EXPRESSION_LENGTH + 1];
        size_t length = 0, again = strlen(rows[k].again), end = strlen(rows[k].end);
        length += (size_t)snprintf(text, sizeof text, "%s", rows[k].start);
        while (length + again + end <= LIMBER_EXPRESSION_LENGTH)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s", rows[k].again);
        snprintf(text + length, sizeof text - length, "%s", rows[k].end);
        limber_expression* e = compile(text);
        float one[1] = {1}, out[1];
        limber_expression_inputs in = limber_expression_inputs_default();
        in.vertex[LIMBER_VARIABLE_X] = one;
        in.frame[LIMBER_VARIABLE_T] = 1;
        limber_expression_evaluate(e, &in, out);
        assert_true(isfinite(out[0]));
        if (rows[k].value != 0)
            assert_true(out[0] == (float)rows[k].value);
        limber_expression_destroy(e);
    }
}

static void choices(char* text, int depth) {
    if (depth == 0) {
        strcat(text, "x");
        return;
    }
    for (int i = 0; i < 3; i++) {
        strcat(text, i == 0 ? "(" : i == 1 ? "?" : ":");
        choices(text, depth - 1);
    }
    strcat(text, ")");
}

static void dense_keys_and_choices_compile(void** state) {
    (void)state;
    char text[LIMBER_EXPRESSION_LENGTH + 64] = "key(0,x";
    for (int i = 1; strlen(text) + 8 < LIMBER_EXPRESSION_LENGTH; i++)
        snprintf(text + strlen(text), 16, ",%d,x", i);
    strcat(text, ")");
    float three[1] = {3}, out[1];
    limber_expression_inputs in = limber_expression_inputs_default();
    in.vertex[LIMBER_VARIABLE_X] = three;
    in.frame[LIMBER_VARIABLE_T] = 17.3f;
    limber_expression* e = compile(text);
    limber_expression_evaluate(e, &in, out);
    assert_true(out[0] == 3);
    limber_expression_destroy(e);
    // A full tree of choices, five deep: three operands each, none of them simple.
    text[0] = 0;
    choices(text, 5);
    assert_true(strlen(text) > 700);
    e = compile(text);
    limber_expression_evaluate(e, &in, out);
    assert_true(out[0] == 3);
    limber_expression_destroy(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_in_every_spelling),
        cmocka_unit_test(numbers_are_rounded_as_by_the_c_library),
        cmocka_unit_test(operators_bind_and_group_as_in_mathematics),
        cmocka_unit_test(names_mean_their_inputs),
        cmocka_unit_test(functions_meet_their_closed_forms),
        cmocka_unit_test(warp_is_the_spec_s_formula),
        cmocka_unit_test(what_is_undefined_counts_as_zero_and_what_is_huge_ends),
        cmocka_unit_test(random_formulas_equal_another_evaluator),
        cmocka_unit_test(folding_and_frames_change_no_bit),
        cmocka_unit_test(nothing_makes_a_result_infinite),
        cmocka_unit_test(wild_inputs_are_cut_like_results),
        cmocka_unit_test(inputs_that_are_missing_have_defaults),
        cmocka_unit_test(evaluation_in_place_reads_before_it_writes),
        cmocka_unit_test(what_a_formula_uses_is_known),
        cmocka_unit_test(key_meets_its_keys_stays_between_them_and_is_smooth),
        cmocka_unit_test(key_takes_values_per_vertex),
        cmocka_unit_test(threads_share_an_expression),
        cmocka_unit_test(dense_texts_compile),
        cmocka_unit_test(dense_keys_and_choices_compile),
    };
    return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
