// The small linear problems inside of a fit.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fit/fit_private.h"

static void solves_a_system_of_any_scale(void** state) {
    (void)state;
    const double a[9] = {4e6, 2e3, 1, 2e3, 5, 1e-3, 1, 1e-3, 3e-6}, x[3] = {1e-3, -2, 500};
    double b[3], found[3];
    for (int i = 0; i < 3; i++)
        b[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
    assert_true(limberi_fit_solve(3, a, b, 0, found));
    for (int i = 0; i < 3; i++)
        assert_true(fabs(found[i] - x[i]) < 1e-6 * fabs(x[i]));
}

static void columns_without_influence_stay_at_0(void** state) {
    (void)state;
    const double a[4] = {4, 0, 0, 0}, b[2] = {8, 0};
    double found[2];
    assert_true(limberi_fit_solve(2, a, b, 0, found));
    assert_true(fabs(found[0] - 2) < 1e-6);
    assert_true(found[1] == 0);
}

// The ridge shares between columns that say the same.
static void equal_columns_share(void** state) {
    (void)state;
    const double a[4] = {1, 1, 1, 1}, b[2] = {2, 2};
    double found[2];
    assert_true(limberi_fit_solve(2, a, b, 0, found));
    assert_true(fabs(found[0] - 1) < 1e-3);
    assert_true(fabs(found[1] - 1) < 1e-3);
}

static void damping_makes_steps_smaller(void** state) {
    (void)state;
    const double a[1] = {2}, b[1] = {4};
    double found[1];
    assert_true(limberi_fit_solve(1, a, b, 1, found));
    assert_true(fabs(found[0] - 1) < 1e-6);
}

static void numbers_that_are_none_are_refused(void** state) {
    (void)state;
    const double a[1] = {2}, b[1] = {NAN}, c[4] = {1, NAN, NAN, 1}, d[2] = {1, 1};
    double found[2];
    assert_false(limberi_fit_solve(1, a, b, 0, found));
    assert_false(limberi_fit_solve(2, c, d, 0, found));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_a_system_of_any_scale),
        cmocka_unit_test(columns_without_influence_stay_at_0),
        cmocka_unit_test(equal_columns_share),
        cmocka_unit_test(damping_makes_steps_smaller),
        cmocka_unit_test(numbers_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
