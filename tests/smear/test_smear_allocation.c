// Memory may run out at any allocation of the smear stage: it then says so, leaks nothing, and works once there is
// some.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kit/failing_memory.h"
#include "kit/models.h"

static limber_pipeline* make_pipeline(const limber_asset* asset) {
    static const uint8_t spins[3] = {0, 1, 0};
    limber_stage_settings settings = limber_stage_settings_default();
    limber_pipeline* pipeline;
    limber_error error;
    settings.smear.elongate.amount.value = 1.5f;
    settings.smear.multiples.past = 2;
    settings.smear.lines.count = 5;
    settings.smear.ignore_spin = spins;
    if (limber_pipeline_create_from_settings(asset, &settings, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return pipeline;
}

static void each_failing_allocation_is_reported(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, true);
    long failures = 0;
    for (bool done = false; !done; failures++) {
        limber_pipeline* pipeline = make_pipeline(asset);
        limber_smeared smeared;
        test_memory_allow(failures);
        limber_result result = limber_pipeline_evaluate_smeared(pipeline, 0, 0.5, 30, &smeared);
        done = !test_memory_end();
        assert_int_equal(result, done ? LIMBER_OK : LIMBER_ERROR_MEMORY);
        assert_int_equal(limber_pipeline_evaluate_smeared(pipeline, 0, 0.5, 30, &smeared), LIMBER_OK);
        assert_int_equal(smeared.mesh_count, 3);
        limber_pipeline_destroy(pipeline);
    }
    print_message("%ld allocations\n", failures - 1);
    assert_true(failures > 40);
    limber_asset_destroy(asset);
}

static void settings_out_of_range_are_refused(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, true);
    for (int i = 0; i < 5; i++) {
        limber_smear_settings settings = limber_smear_settings_default();
        limber_smearer* smearer;
        limber_error error;
        uint32_t* wrong[5] = {&settings.offsets.smooth, &settings.multiples.past, &settings.multiples.future,
                              &settings.lines.count, &settings.step};
        *wrong[i] = i == 4 ? 0 : 100000;
        assert_true(limber_smearer_create(asset, &settings, &smearer, &error) != LIMBER_OK);
        assert_null(smearer);
        assert_true(strlen(error.message) > 10);
    }
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failing_allocation_is_reported),
        cmocka_unit_test(settings_out_of_range_are_refused),
    };
    return cmocka_run_group_tests_name("smear_allocation", tests, NULL, NULL);
}
