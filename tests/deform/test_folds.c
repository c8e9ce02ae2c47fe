// What folds into palettes, found for four joints at once, is to the bit what the plans for the kernels fold.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "deform/gpu_rows.h"
#include "kit/looks.h"

enum { RIGS = TEST_SANITIZED ? 12 : 33 };

static uint32_t filled; // palettes with anything in them

static size_t palette_bytes(const limber_deformer* d) {
    return 12 * (size_t)d->model->rig.joint_count * sizeof(float);
}

// The palettes of all folds after each other.
static float* copy_palettes(const limber_deformer* d) {
    size_t bytes = palette_bytes(d);
    char* all = calloc(LIMBERI_FOLD_COUNT, bytes);
    for (int fold = 0; fold < LIMBERI_FOLD_COUNT; fold++)
        if (d->frame.palettes[fold])
            memcpy(all + (size_t)fold * bytes, d->frame.palettes[fold], bytes);
    return (float*)(void*)all;
}

static void compare_folds(const test_stage* stage, limber_deformer* d, const limber_deform_job* job, const char* look) {
    limberi_joint_quad* quads = calloc(limberi_quad_count(d->model), sizeof *quads);
    assert_true(limberi_deform_can_fold(d));
    limberi_deform_begin(d, job);
    float* want = copy_palettes(d);
    uint32_t folds = d->frame.folds;
    limberi_deform_begin_folds(d, job, quads);
    float* got = copy_palettes(d);
    for (uint32_t fold = 0; fold < LIMBERI_FOLD_COUNT; fold++)
        filled += folds >> fold & 1;
    if (folds != d->frame.folds || memcmp(want, got, LIMBERI_FOLD_COUNT * palette_bytes(d)) != 0)
        fail_msg("%s, %s: palettes %x, expected %x", stage->name, look, d->frame.folds, folds);
    free(want);
    free(got);
    free(quads);
}

static void compare_looks(test_stage* stage, limber_compose compose) {
    for (uint32_t l = 0; l < test_look_count; l++) {
        const test_look* look = &test_looks[l];
        limber_deform_settings settings;
        limber_deformer* deformer;
        limber_error error;
        if (!(look->uses & TEST_LOOK_KERNELS))
            continue;
        settings = limber_deform_settings_default();
        limber_deform_job job = test_stage_job(stage);
        test_look_set(look, &settings, &job, stage);
        settings.compose = compose;
        if (limber_deformer_create(stage->asset, &settings, &deformer, &error) != LIMBER_OK)
            fail_msg("%s: %s", stage->name, error.message);
        compare_folds(stage, deformer, &job, look->name);
        limber_deformer_destroy(deformer);
    }
}

static void four_joints_at_once_fold_as_their_plans_do(void** state) {
    (void)state;
    for (uint32_t i = 0; i < RIGS; i++) {
        test_stage stage = test_stage_random(i);
        compare_looks(&stage, LIMBER_COMPOSE_SUM);
        compare_looks(&stage, LIMBER_COMPOSE_CHAIN);
        test_stage_close(&stage);
    }
    assert_true(filled > RIGS);
    test_looks_free();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(four_joints_at_once_fold_as_their_plans_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
