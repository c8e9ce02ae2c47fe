// The SIMD wrapper in every width against the C library.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kit/random_rigs.h"
#include "lanes_probe.h"

enum { COUNT = 1 << 17 };

static const test_lanes* const widths[] = {&test_lanes_plain, &test_lanes_wide};
static const double pi = 3.14159265358979323846;
static float a[COUNT], b[COUNT], out[COUNT], other[COUNT];

static void fill(float* values, float max) {
    test_random random = test_random_seed(5);
    for (int i = 0; i < COUNT; i++) // every magnitude gets its share
        values[i] =
            test_random_between(&random, -max, max) * (i % 3 ? 1 : powf(10, test_random_between(&random, -12, 0)));
    values[0] = max;
    values[1] = -max;
    values[2] = 0;
    values[3] = -0.0f;
}

// Worst errors of sine and versine, as shares of |a| and a^2.
static void measure(double* sine, double* versine) {
    *sine = *versine = 0;
    for (int i = 0; i < COUNT; i++) {
        double x = (double)a[i], half = sin(0.5 * x), share = fabs(x);
        if (share < 1e-15) {
            assert_true(fabs((double)out[i]) <= 1e-15 && other[i] >= 0 && other[i] <= 1e-30f);
            continue;
        }
        *sine = fmax(*sine, fabs((double)out[i] - sin(x)) / share);
        *versine = fmax(*versine, fabs((double)other[i] - 2 * half * half) / (share * share));
    }
}

// The bounds are those that base/lanes.h states.
static void sines_and_versines_stay_within_their_stated_errors(void** state) {
    (void)state;
    for (int w = 0; w < 2; w++) {
        double sine, versine;
        fill(a, 1);
        widths[w]->small_sine_versine(a, out, other, COUNT);
        measure(&sine, &versine);
        print_message("width %u, up to 1: sine %.3g |a|, versine %.3g a^2\n", widths[w]->width, sine, versine);
        assert_true(sine < 1.2e-7 && versine < 8e-8);
        fill(a, 0.5f);
        widths[w]->tiny_sine_versine(a, out, other, COUNT);
        measure(&sine, &versine);
        print_message("width %u, up to 1/2: sine %.3g |a|, versine %.3g a^2\n", widths[w]->width, sine, versine);
        assert_true(sine < 5e-7 && versine < 1e-7);
        fill(a, 0.125f);
        widths[w]->faint_sine_versine(a, out, other, COUNT);
        measure(&sine, &versine);
        print_message("width %u, up to 1/8: sine %.3g |a|, versine %.3g a^2\n", widths[w]->width, sine, versine);
        assert_true(sine < 4.5e-7 && versine < 1.4e-7);
        fill(a, (float)pi);
        widths[w]->sine_versine(a, out, other, COUNT);
        measure(&sine, &versine);
        print_message("width %u, up to pi: sine %.3g |a|, versine %.3g a^2\n", widths[w]->width, sine, versine);
        assert_true(sine < 2.5e-7 && versine < 8e-8);
    }
}

static void angles_lose_whole_turns_and_nothing_else(void** state) {
    (void)state;
    for (int w = 0; w < 2; w++) {
        static const float ranges[] = {3.1f, 30, 1000, 1e6f};
        for (int r = 0; r < 4; r++) {
            double worst = 0;
            fill(a, ranges[r]);
            widths[w]->within_turn(a, out, COUNT);
            for (int i = 0; i < COUNT; i++) {
                double x = (double)a[i], y = (double)out[i];
                assert_true(fabs(y) <= pi + 1e-6 + 2e-7 * fabs(x)); // the quotient by 2 pi is rounded, too
                if (fabs(x) < 3.1)
                    assert_true(a[i] == out[i]);
                worst = fmax(worst, fabs(remainder(y - x, 2 * pi)) / fmax(1, fabs(x)));
            }
            assert_true(worst < 2.5e-7); // two roundings of the angle
        }
        const float enormous[8] = {1e12f, -1e20f, 3e38f, -3e38f, 4194304, -4194304, 8388608, 1e9f};
        widths[w]->within_turn(enormous, out, 8);
        for (int i = 0; i < 8; i++)
            assert_true(isfinite(out[i]));
    }
}

static void rounding_goes_to_the_nearest_whole_number(void** state) {
    (void)state;
    for (int w = 0; w < 2; w++) {
        fill(a, 4194303);
        const float halves[8] = {0.5f, -0.5f, 1.5f, 2.5f, 2097151.5f, -2097151.5f, 0.49999997f, -0.49999997f};
        memcpy(a + 8, halves, sizeof halves);
        widths[w]->round(a, out, COUNT);
        for (int i = 0; i < COUNT; i++)
            assert_true(out[i] == rintf(a[i]));
        const float large[8] = {4194304, -4194305, 8388608, 16777218, 1e20f, -1e30f, 3e38f, -3e38f};
        widths[w]->round(large, out, 8);
        assert_memory_equal(large, out, sizeof large);
    }
}

static void choices_are_those_of_the_plain_language(void** state) {
    (void)state;
    for (int w = 0; w < 2; w++) {
        fill(a, 10);
        memcpy(b, a + 1, (COUNT - 1) * sizeof *b);
        b[COUNT - 1] = a[COUNT - 1]; // two that are equal
        widths[w]->min(a, b, out, COUNT);
        widths[w]->max(a, b, other, COUNT);
        for (int i = 0; i < COUNT; i++)
            assert_true(out[i] == (a[i] < b[i] ? a[i] : b[i]) && other[i] == (a[i] < b[i] ? b[i] : a[i]));
        widths[w]->select_less(a, b, out, COUNT);
        widths[w]->sign_of(a, b, other, COUNT);
        for (int i = 0; i < COUNT; i++)
            assert_true(out[i] == (a[i] < b[i] ? a[i] : b[i] + 1) && other[i] == copysignf(fabsf(a[i]), b[i]));
        a[0] = a[1] = a[2] = a[3] = 1;
        b[0] = b[1] = b[2] = b[3] = 1;
        assert_false(widths[w]->any_less(a, b));
        a[widths[w]->width - 1] = 0.5f;
        assert_true(widths[w]->any_less(a, b));
    }
}

static void not_a_number_is_less_than_nothing(void** state) {
    (void)state;
    for (int w = 0; w < 2; w++) {
        for (int i = 0; i < 8; i++) {
            a[i] = i % 2 ? NAN : 1;
            b[i] = i % 2 ? 1 : NAN;
        }
        assert_false(widths[w]->any_less(a, b));
        widths[w]->select_less(a, b, out, 8);
        for (int i = 1; i < 8; i += 2)
            assert_true(out[i] == 2);
    }
}

static void inverses_roots_and_products_are_rounded_as_the_standard_says(void** state) {
    (void)state;
    for (int w = 0; w < 2; w++) {
        fill(a, 1000);
        fill(b, 3);
        widths[w]->inverse(a, out, COUNT);
        for (int i = 0; i < COUNT; i++)
            assert_true(out[i] == (a[i] > 0 ? 1 / a[i] : 0));
        for (int i = 0; i < COUNT; i++)
            a[i] = fabsf(a[i]);
        widths[w]->square_root(a, out, COUNT);
        for (int i = 0; i < COUNT; i++)
            assert_true(out[i] == sqrtf(a[i]));
        widths[w]->fused(a, b, out, other, COUNT);
        for (int i = 0; i < COUNT; i++) { // rounded once or twice
            double product = (double)a[i] * (double)b[i], slack = 1.2e-7 * (2 + fabs(product));
            assert_true(fabs((double)out[i] - (2 + product)) <= slack &&
                        fabs((double)other[i] - (2 - product)) <= slack);
        }
    }
}

static void triples_go_to_their_vertices_and_come_back(void** state) {
    (void)state;
    static const uint32_t lists[2][8] = {{3, 4, 5, 6, 7, 8, 9, 10}, {9, 2, 3, 7, 5, 1, 4, 0}};
    for (int w = 0; w < 2; w++) {
        for (int l = 0; l < 2; l++) {
            uint32_t width = widths[w]->width;
            fill(a, 1000);
            memset(out, 0, sizeof out);
            widths[w]->triples(a, lists[l], out, other);
            for (uint32_t i = 0; i < width; i++)
                for (uint32_t c = 0; c < 3; c++)
                    assert_true(out[3 * lists[l][i] + c] == a[c * width + i] &&
                                other[c * width + i] == a[c * width + i]);
            for (uint32_t u = 11; u < 20; u++)
                assert_true(out[3 * u] == 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_and_versines_stay_within_their_stated_errors),
        cmocka_unit_test(angles_lose_whole_turns_and_nothing_else),
        cmocka_unit_test(rounding_goes_to_the_nearest_whole_number),
        cmocka_unit_test(choices_are_those_of_the_plain_language),
        cmocka_unit_test(not_a_number_is_less_than_nothing),
        cmocka_unit_test(inverses_roots_and_products_are_rounded_as_the_standard_says),
        cmocka_unit_test(triples_go_to_their_vertices_and_come_back),
    };
    return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
