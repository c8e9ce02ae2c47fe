// Signals of the analysis: smoothing is a Gaussian whatever its width, loops wrap, and springs come to rest.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perform/signal.h"

enum { COUNT = 601 };

static const double pi = 3.14159265358979323846;
static double scratch[2 * COUNT + 2];

static void smoothing_is_a_gaussian(void** state) {
    (void)state;
    const limberi_moments grid = {COUNT, 1.0 / 120, false};
    const double sigmas[] = {0.02, 0.045, 0.1, 0.35};
    for (size_t s = 0; s < sizeof sigmas / sizeof *sigmas; s++) {
        double values[COUNT] = {0}, sum = 0, variance = 0;
        values[300] = 1;
        limberi_signal_smooth(&grid, sigmas[s], 1, values, scratch);
        double width = sigmas[s] * 120, peak = 1 / (width * sqrt(2 * pi));
        for (int i = 0; i < COUNT; i++) {
            double exact = peak * exp(-0.5 * (i - 300) * (i - 300) / (width * width));
            sum += values[i];
            variance += values[i] * (i - 300) * (i - 300);
            assert_true(fabs(values[i] - exact) < 0.05 * peak);
        }
        assert_true(fabs(sum - 1) < 1e-9);
        assert_true(fabs(sqrt(variance) / width - 1) < 1e-6);
    }
}

static void smoothing_keeps_constants_and_wraps(void** state) {
    (void)state;
    const limberi_moments loop = {121, 1.0 / 120, true};
    double steady[121], wave[121];
    for (int i = 0; i < 121; i++) {
        steady[i] = 3;
        wave[i] = cos(2 * pi * i / 120);
    }
    limberi_signal_smooth(&loop, 1.2, 1, steady, scratch); // longer than the loop itself
    limberi_signal_smooth(&loop, 0.1, 1, wave, scratch);
    double factor = exp(-0.5 * 4 * pi * pi * 0.01); // what a Gaussian leaves of one wave per second
    for (int i = 0; i < 121; i++) {
        assert_true(fabs(steady[i] - 3) < 1e-9);
        assert_true(fabs(wave[i] - factor * cos(2 * pi * i / 120)) < 0.01);
    }
    assert_true(wave[0] == wave[120]);
}

static void windows_reach_as_far_as_they_say(void** state) {
    (void)state;
    const limberi_moments grid = {COUNT, 0.01, false}, loop = {COUNT, 0.01, true};
    double values[COUNT] = {0}, wrapped[COUNT] = {0}, low[COUNT];
    values[300] = 1;
    wrapped[0] = wrapped[COUNT - 1] = 1;
    for (int i = 0; i < COUNT; i++)
        low[i] = i == 300 ? -1 : 0;
    limberi_signal_max(&grid, 0.05, values, scratch);
    limberi_signal_max(&loop, 0.05, wrapped, scratch);
    limberi_signal_min(&grid, 0.05, low, scratch);
    for (int i = 0; i < COUNT; i++) {
        assert_true(values[i] == (abs(i - 300) <= 5));
        assert_true(low[i] == -(abs(i - 300) <= 5));
        assert_true(wrapped[i] == (i <= 5 || i >= COUNT - 6));
    }
}

static void derivatives_see_no_jump_at_the_seam_of_a_walk(void** state) {
    (void)state;
    const limberi_moments loop = {121, 1.0 / 120, true};
    double place[121], rate[121];
    for (int i = 0; i < 121; i++)
        place[i] = 2.0 * i / 120 + 0.1 * sin(2 * pi * i / 120);
    limberi_signal_rate(&loop, 1, place, rate);
    for (int i = 0; i < 121; i++)
        assert_true(fabs(rate[i] - 2 - 0.2 * pi * cos(2 * pi * i / 120)) < 1e-3);
}

static void springs_settle_and_loops_have_no_start(void** state) {
    (void)state;
    const limberi_moments grid = {COUNT, 1.0 / 120, false}, loop = {31, 1.0 / 120, true};
    double values[COUNT], turning[31], highest = 0;
    for (int i = 0; i < COUNT; i++)
        values[i] = i > 0;
    limberi_signal_spring(&grid, 4, 0.45, 1, values);
    for (int i = 0; i < COUNT; i++)
        highest = fmax(highest, values[i]);
    assert_true(fabs(values[COUNT - 1] - 1) < 1e-6);
    assert_true(fabs(highest - 1 - exp(-0.45 * pi / sqrt(1 - 0.45 * 0.45))) < 0.01); // the overshoot of a step
    for (int i = 0; i < 31; i++)
        turning[i] = cos(2 * pi * i / 30);
    limberi_signal_spring(&loop, 4, 0.45, 1, turning);
    assert_true(turning[0] == turning[30]);
    assert_true(fabs(turning[1] + turning[16]) <
                1e-9); // half a turn later it is the opposite: nothing is left of a start
}

static void percentiles_are_of_the_sorted_values(void** state) {
    (void)state;
    const limberi_moments grid = {101, 0.01, false};
    double values[101];
    for (int i = 0; i < 101; i++)
        values[i] = (i * 37) % 101;
    assert_true(fabs(limberi_signal_percentile(&grid, 0.95, values, scratch) - 95) < 1e-12);
    assert_true(fabs(limberi_signal_percentile(&grid, 0.055, values, scratch) - 5.5) < 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smoothing_is_a_gaussian),
        cmocka_unit_test(smoothing_keeps_constants_and_wraps),
        cmocka_unit_test(windows_reach_as_far_as_they_say),
        cmocka_unit_test(derivatives_see_no_jump_at_the_seam_of_a_walk),
        cmocka_unit_test(springs_settle_and_loops_have_no_start),
        cmocka_unit_test(percentiles_are_of_the_sorted_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
