// What the browser modules have in place of the C library's reduction of large angles.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define __rem_pio2_large quarter_turns
#include "web/wasm/angles.c" // NOLINT(bugprone-suspicious-include): it is not part of the library

// In pieces of 24 bits, as the C library hands it over.
static double sine(double angle) {
    int exponent = ilogb(angle) - 23;
    double rest = scalbn(angle, -exponent);
    double x[3];
    double y[2];
    for (int i = 0; i < 3; i++) {
        x[i] = floor(rest);
        rest = (rest - x[i]) * (1 << 24);
    }
    switch (quarter_turns(x, y, exponent, 3, 1) & 3) {
    case 0:
        return sin(y[0] + y[1]);
    case 1:
        return cos(y[0] + y[1]);
    case 2:
        return -sin(y[0] + y[1]);
    default:
        return -cos(y[0] + y[1]);
    }
}

static void sines_of_large_angles_are_close(void** state) {
    (void)state;
    for (double angle = 1.7e6; angle < 1e12; angle *= 1.37)
        assert_true(fabs(sine(angle) - sin(angle)) < 1e-16 * angle);
    assert_true(fabs(sine(1e300)) <= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sines_of_large_angles_are_close)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
