// The part of cmocka that the tests below use, for Windows, where Debian has no cmocka. A failed test ends the program
// with its line: enough to say that something is wrong, and what.
#ifndef LIMBER_TEST_WINDOWS_CMOCKA_H
#define LIMBER_TEST_WINDOWS_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char* name;
    void (*run)(void** state);
};

#define cmocka_unit_test(function)                                                                                     \
    { #function, function }
#define cmocka_run_group_tests_name(group, tests, setup, teardown)                                                     \
    windows_run(group, tests, sizeof(tests) / sizeof *(tests), setup, teardown)
#define cmocka_run_group_tests(tests, setup, teardown) cmocka_run_group_tests_name(#tests, tests, setup, teardown)

static jmp_buf windows_skipped;

static inline void windows_fail(const char* file, int line, const char* what) {
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    exit(1);
}

static inline int windows_run(const char* group, const struct CMUnitTest* tests, size_t count, int (*setup)(void**),
                              int (*teardown)(void**)) {
    void* state = NULL;
    if (setup && setup(&state) != 0)
        windows_fail(group, 0, "cannot be set up");
    volatile size_t done = 0;
    for (volatile size_t i = 0; i < count; i++) {
        if (setjmp(windows_skipped) == 0) {
            tests[i].run(&state);
            done++;
        }
    }
    if (teardown)
        teardown(&state);
    printf("%s: %zu of %zu tests passed, the others were skipped\n", group, done, count);
    return 0;
}

#define windows_check(holds, what) ((holds) ? (void)0 : windows_fail(__FILE__, __LINE__, what))
#define fail_msg(...) (fprintf(stderr, __VA_ARGS__), windows_fail(__FILE__, __LINE__, " failed"))
#define skip() longjmp(windows_skipped, 1)
#define print_message(...) printf(__VA_ARGS__)
#define print_error(...) fprintf(stderr, __VA_ARGS__)

#define assert_true(c) windows_check((c), #c)
#define assert_false(c) windows_check(!(c), "not " #c)
#define assert_null(p) windows_check((p) == NULL, #p " is not NULL")
#define assert_non_null(p) windows_check((p) != NULL, #p " is NULL")
#define assert_ptr_equal(a, b) windows_check((const void*)(a) == (const void*)(b), #a " is not " #b)
#define assert_int_equal(a, b) windows_check((long long)(a) == (long long)(b), #a " is not " #b)
#define assert_int_not_equal(a, b) windows_check((long long)(a) != (long long)(b), #a " is " #b)
#define assert_string_equal(a, b) windows_check(strcmp((a), (b)) == 0, #a " is not " #b)
#define assert_string_not_equal(a, b) windows_check(strcmp((a), (b)) != 0, #a " is " #b)
#define assert_memory_equal(a, b, size) windows_check(memcmp((a), (b), (size)) == 0, #a " is not " #b)
#define assert_float_equal(a, b, room) windows_check((a) - (b) <= (room) && (b) - (a) <= (room), #a " is not " #b)

#endif
