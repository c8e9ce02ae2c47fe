// Bakes when memory runs out: each allocation that fails is reported, and nothing is lost.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kit/failing_memory.h"
#include "kit/models.h"
#include <limber/bake.h>

static void check(limber_pipeline* pipeline, const limber_bake_settings* settings, long at_least) {
    long failures = 0;
    for (;; failures++) {
        limber_bake* bake = NULL;
        test_memory_allow(failures);
        limber_result result = limber_pipeline_bake(pipeline, settings, &bake, NULL);
        bool done = !test_memory_end();
        limber_bake_destroy(bake);
        if (done) {
            assert_int_equal(result, LIMBER_OK);
            break;
        }
        if (result != LIMBER_ERROR_MEMORY)
            fail_msg("allocation %ld failed and the answer is %d", failures, result);
    }
    print_message("%ld allocations\n", failures);
    assert_true(failures >= at_least);
}

static void each_failing_allocation_is_reported(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(4, 1.5f, 12, true);
    limber_stage_settings stages;
    limber_pipeline* pipeline;
    stages = limber_stage_settings_default();
    stages.deform.effects[LIMBER_EFFECT_FLOPPY].angular.value = 0.2f;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &stages, &pipeline, NULL), LIMBER_OK);
    for (int i = 0; i < 4; i++) {
        limber_bake_settings settings = limber_bake_settings_default();
        settings.kind = i % 2 ? LIMBER_BAKE_VERTEX : LIMBER_BAKE_CORRECTIVE;
        settings.tolerance = i / 2 ? 0.001 : 0;
        settings.normals = true;
        check(pipeline, &settings, 5);
    }
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_failing_allocation_is_reported)};
    return cmocka_run_group_tests_name("bake_allocation", tests, NULL, NULL);
}
