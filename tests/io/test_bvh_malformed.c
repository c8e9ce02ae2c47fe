// Every malformed BVH file is refused with the right result and one clear line that names the line of the file.
#include "kit/bvh_files.h"

#include <limber/bvh.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void each_malformed_file_is_refused_with_its_line(void** state) {
    (void)state;
    assert_true(bvh_malformed_count() >= 30);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < bvh_malformed_count(); i++) {
        malformed_file file = bvh_malformed_make(i);
        uint8_t* bytes = malloc(file.size ? file.size : 1); // its own block: a sanitizer sees a byte read too far
        assert_non_null(bytes);
        memcpy(bytes, file.bytes, file.size);
        limber_bvh* bvh = NULL;
        limber_error error;
        limber_result result = limber_bvh_load_memory(bytes, file.size, NULL, NULL, &bvh, &error);
        bool good = result == file.result && error.result == result && !bvh && malformed_line(error.message) &&
                    strcmp(error.place, file.place) == 0;
        if (!good)
            print_error("%s: result %d (should be %d), place '%s' (should be '%s'): %s\n", file.name, result,
                        file.result, error.place, file.place, error.message);
        wrong += !good;
        limber_bvh_destroy(bvh);
        free(bytes);
        free(file.bytes);
    }
    assert_int_equal(wrong, 0);
}

// Cut before its last number it is refused; a shorter last number is still a number.
static void a_file_cut_anywhere_is_refused(void** state) {
    (void)state;
    size_t whole = strlen(bvh_good), needed = whole - strlen("1\n");
    for (size_t size = 0; size <= whole; size++) {
        char* part = malloc(size ? size : 1);
        assert_non_null(part);
        memcpy(part, bvh_good, size);
        limber_bvh* bvh;
        limber_error error;
        limber_result result = limber_bvh_load_memory(part, size, NULL, NULL, &bvh, &error);
        assert_int_equal(result, size < needed ? LIMBER_ERROR_DATA : LIMBER_OK);
        assert_true(size >= needed || strncmp(error.place, "line ", 5) == 0);
        limber_bvh_destroy(bvh);
        free(part);
    }
}

static void limits_are_kept(void** state) {
    (void)state;
    limber_bvh* bvh;
    limber_error error;
    size_t size = strlen(bvh_good);
    limber_bvh_limits small = {size - 1, 0, 0}, joints = {0, 1, 0}, keys = {0, 0, 2 * 11 - 1},
                      enough = {size, 2, 2 * 11};
    assert_int_equal(limber_bvh_load_memory(bvh_good, size, NULL, &small, &bvh, &error), LIMBER_ERROR_LIMIT);
    assert_int_equal(limber_bvh_load_memory(bvh_good, size, NULL, &joints, &bvh, &error), LIMBER_ERROR_LIMIT);
    assert_string_equal(error.place, "line 6");
    assert_int_equal(limber_bvh_load_memory(bvh_good, size, NULL, &keys, &bvh, &error), LIMBER_ERROR_LIMIT);
    assert_int_equal(limber_bvh_load_memory(bvh_good, size, NULL, &enough, &bvh, &error), LIMBER_OK);
    limber_bvh_destroy(bvh);
}

static void the_error_may_be_left_out(void** state) {
    (void)state;
    limber_bvh* bvh;
    assert_int_equal(limber_bvh_load_memory("x", 1, NULL, NULL, &bvh, NULL), LIMBER_ERROR_DATA);
    assert_int_equal(limber_bvh_load_memory(NULL, 0, NULL, NULL, &bvh, NULL), LIMBER_ERROR_DATA);
    assert_int_equal(limber_bvh_load_file("does/not/exist.bvh", NULL, &bvh, NULL), LIMBER_ERROR_FILE);
    limber_bvh_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_malformed_file_is_refused_with_its_line),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(the_error_may_be_left_out),
    };
    return cmocka_run_group_tests_name("bvh malformed", tests, NULL, NULL);
}
