// Decimal numbers against the C library, which rounds exactly too.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text/text.h"

static uint64_t seed;

static uint64_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

// Any bits that are a finite number, numbers that were floats, and numbers of few digits.
static double random_number(int kind) {
    uint64_t bits = next_random();
    double value;
    memcpy(&value, &bits, sizeof value);
    if (kind == 1)
        return (double)(float)((double)(bits >> 40) * 1e-7 - 0.8);
    if (kind == 2)
        return (double)(bits >> 40) * pow(10, (int)(bits % 40) - 20);
    return isfinite(value) ? value : 1;
}

static void assert_reads(const char* text) {
    double expected = strtod(text, NULL), found = limberi_decimal_read(text, strlen(text));
    if (memcmp(&expected, &found, sizeof found) != 0)
        fail_msg("%s is read as %.17g instead of %.17g", text, found, expected);
}

static void assert_writes(double value, int digits) {
    char expected[64], found[LIMBERI_DECIMAL_CHARS];
    snprintf(expected, sizeof expected, "%.*g", digits, value);
    size_t length = limberi_decimal_format(value, digits, found);
    assert_string_equal(found, expected);
    assert_int_equal(length, strlen(expected));
}

static void numbers_are_written_as_printf_does(void** state) {
    (void)state;
    seed = 88172645463325252u;
    for (int i = 0; i < 60000; i++)
        assert_writes(random_number(i % 3), i % 4 ? 17 : 1 + i / 4 % 17);
    static const double edges[] = {
        0,       -0.0,     1,    9.5,  0.5,   2.5,  DBL_MAX,   DBL_MIN, 4.9406564584124654e-324,
        99999.5, 999999.5, 1e16, 1e17, 1e-4,  1e-5, 123456.75, 1e22,    1e23,
        0.3,     1.0 / 3,  1e15, -1e9, 5e-324};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        for (int digits = 1; digits <= 17; digits++)
            assert_writes(edges[i], digits);
}

static void short_numbers_stay_short_and_all_come_back(void** state) {
    (void)state;
    char text[LIMBERI_DECIMAL_CHARS];
    static const char* const shorts[] = {"0.15", "0.3", "1e-07", "123456789.012345", "5", "1e+22", "-0.1"};
    for (size_t i = 0; i < sizeof shorts / sizeof shorts[0]; i++) {
        limberi_decimal_format_short(strtod(shorts[i], NULL), text);
        assert_string_equal(text, shorts[i]);
    }
    seed = 521288629521288629u;
    for (int i = 0; i < 20000; i++) {
        double value = random_number(i % 3);
        size_t length = limberi_decimal_format_short(value, text);
        assert_int_equal(length, strlen(text));
        assert_true(strtod(text, NULL) == value);
    }
}

static void numbers_are_read_as_strtod_does(void** state) {
    (void)state;
    seed = 362436069362436069u;
    for (int i = 0; i < 60000; i++) {
        char text[1200];
        snprintf(text, sizeof text, "%.*e", i % 8 ? (int)(next_random() % 20) : (int)(next_random() % 800),
                 random_number(i % 3));
        assert_reads(text);
    }
    static const char* const edges[] = {"0",
                                        "-0",
                                        "-0.0",
                                        "0.1",
                                        "9007199254740993",
                                        "9007199254740992.99999999999999999999999999999",
                                        "123456789012345678901234567890",
                                        "1e22",
                                        "1e23",
                                        "1e400",
                                        "-1e999999999",
                                        "1e-400",
                                        "1e-999999999",
                                        "4.9e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "2.2250738585072011e-308",
                                        "1.7976931348623157e308",
                                        "1.7976931348623158e308",
                                        "1.7976931348623159e308",
                                        "0.000000000000000000000000000001e30",
                                        "000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        assert_reads(edges[i]);
}

// Exactly between two doubles, and a digit far behind that decides.
static void ties_go_to_the_even_one(void** state) {
    (void)state;
    assert_true(limberi_decimal_read("9007199254740993", 16) == 9007199254740992.0);
    assert_true(limberi_decimal_read("9007199254740995", 16) == 9007199254740996.0);
    enum { LENGTH = 3000 };
    char text[LENGTH];
    memset(text, '0', LENGTH);
    memcpy(text, "9007199254740993.", 17);
    assert_true(limberi_decimal_read(text, LENGTH) == 9007199254740992.0);
    text[LENGTH - 1] = '1';
    assert_true(limberi_decimal_read(text, LENGTH) == 9007199254740994.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_written_as_printf_does),
        cmocka_unit_test(short_numbers_stay_short_and_all_come_back),
        cmocka_unit_test(numbers_are_read_as_strtod_does),
        cmocka_unit_test(ties_go_to_the_even_one),
    };
    return cmocka_run_group_tests_name("decimal", tests, NULL, NULL);
}
