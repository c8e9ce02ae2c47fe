// Memory may run out at any allocation of the BVH reader and writer: they then say so, leak nothing (the sanitizer
// build sees to that), and leave no file.
#include "kit/bvh_files.h"
#include "kit/failing_memory.h"

#include <limber/bvh.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void each_failing_allocation_of_the_reader_is_reported(void** state) {
    (void)state;
    bvh_text file = {NULL, 0,
                     0}; // more joints than the first guess has room for, in one place: a small body is made fast
    bvh_add(&file, "HIERARCHY\n");
    for (int i = 0; i < 70; i++)
        bvh_add(&file, "%s j%d\n{\nOFFSET 0 0 0\nCHANNELS 2 Xrotation Yposition\n", i ? "JOINT" : "ROOT", i);
    for (int i = 0; i < 70; i++)
        bvh_add(&file, "}\n");
    bvh_add(&file, "MOTION\nFrames: 1\nFrame Time: 1\n");
    for (int i = 0; i < 140; i++)
        bvh_add(&file, "%d\n", i);
    long failures = 0;
    for (;; failures++) {
        limber_bvh* bvh;
        limber_error error;
        test_memory_allow(failures);
        limber_result result = limber_bvh_load_memory(file.text, file.length, NULL, NULL, &bvh, &error);
        bool done = !test_memory_end();
        assert_true((result == LIMBER_OK) == (bvh != NULL));
        limber_bvh_destroy(bvh);
        if (done)
            break;
        if (result != LIMBER_ERROR_MEMORY)
            fail_msg("allocation %ld failed and the answer is %d: %s", failures, result, error.message);
    }
    assert_true(failures > 100);
    free(file.text);
}

static void each_failing_allocation_of_the_writer_is_reported(void** state) {
    (void)state;
    char folder[] = "/tmp/limber-bvh-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out.bvh", folder);
    limber_bvh* bvh;
    assert_int_equal(limber_bvh_load_memory(bvh_good, strlen(bvh_good), NULL, NULL, &bvh, NULL), LIMBER_OK);
    const limber_model* model = limber_asset_model(limber_bvh_asset(bvh));
    long failures = 0;
    for (;; failures++) {
        limber_error error;
        test_memory_allow(failures);
        limber_result result = limber_bvh_save_file(model, NULL, path, NULL, &error);
        bool done = !test_memory_end();
        if (done)
            break;
        // A buffer that the file has no memory for is a file that cannot be written.
        if (result == LIMBER_OK || !strstr(error.message, "memory"))
            fail_msg("allocation %ld failed and the answer is %d: %s", failures, result, error.message);
        assert_int_equal(access(path, F_OK), -1);
    }
    assert_true(failures > 5);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
    limber_bvh_destroy(bvh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failing_allocation_of_the_reader_is_reported),
        cmocka_unit_test(each_failing_allocation_of_the_writer_is_reported),
    };
    return cmocka_run_group_tests_name("bvh allocation", tests, NULL, NULL);
}
