// Memory may run out at any allocation of any stage: it then says so, and what it was asked for is not there. Memory that
// did not run out is given back.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "characters/characters.h"
#include "kit/failing_memory.h"
#include "kit/models.h"
#include "kit/props.h"
#include "kit/sanitized.h"
#include "kit/style_kit.h"
#include <limber/pack.h>

typedef struct work {
    const limber_asset* asset;
    const limber_style* style;
    float* values; // one per vertex
} work;

typedef limber_result (*action)(const work* w, limber_error* error);

static limber_result make_asset(const work* w, limber_error* error) {
    limber_asset* made;
    limber_result result = limber_asset_create(limber_asset_model(w->asset), &made, error);
    assert_true((made != NULL) == !result);
    limber_asset_destroy(made);
    return result;
}

static limber_result make_layers(const work* w, limber_error* error) {
    const limber_model* model = limber_asset_model(w->asset);
    bool found;
    limber_result result = limber_layer_thickness(model, w->values, error);
    result = result ? result : limber_layer_joint_distance(model, 1, w->values, error);
    result = result ? result : limber_layer_skirt(model, w->values, &found, error);
    return result ? result : limber_layer_smooth(model, 2, w->values, error);
}

static limber_result make_frames(const work* w, limber_error* error) {
    limber_pipeline* pipeline;
    limber_frame frame;
    limber_result result = limber_pipeline_create(w->asset, w->style, &pipeline, error);
    assert_true((pipeline != NULL) == !result);
    if (!result)
        result = limber_pipeline_evaluate(pipeline, 0, 0.3, &frame);
    limber_pipeline_destroy(pipeline);
    return result;
}

static limber_result make_clip(const work* w, limber_error* error) {
    limber_pipeline* pipeline;
    limber_edited_clip edited;
    limber_result result = limber_pipeline_create(w->asset, w->style, &pipeline, error);
    if (!result && !limber_pipeline_edited_clip(pipeline, 0, &edited))
        result = LIMBER_ERROR_MEMORY;
    limber_pipeline_destroy(pipeline);
    return result;
}

static limber_result make_pack(const work* w, limber_error* error) {
    limber_pipeline* pipeline;
    limber_pack* pack = NULL;
    limber_result result = limber_pipeline_create(w->asset, w->style, &pipeline, error);
    if (!result)
        result = limber_pack_create(pipeline, true, &pack, error);
    limber_pack_destroy(pack);
    limber_pipeline_destroy(pipeline);
    return result;
}

// What was asked for with the memory that ran out can be had afterwards.
static void check_each(const char* name, const work* w, action act, long step) {
    long failures = 0;
    for (bool done = false; !done; failures += step) {
        limber_error error;
        test_memory_allow(failures);
        limber_result result = act(w, &error);
        done = !test_memory_end();
        if (result != (done ? LIMBER_OK : LIMBER_ERROR_MEMORY))
            fail_msg("%s, allocation %ld failed and the answer is %d", name, failures, result);
    }
    assert_true(failures > 5);
}

static void check(const char* name, const work* w, action act) {
    check_each(name, w, act, 1);
}

static void check_all(limber_asset* asset, const char* text) {
    limber_style* style = style_kit_read(text);
    work w = {asset, style, calloc(limber_asset_model(asset)->vertex_count, sizeof(float))};
    check("asset", &w, make_asset);
    check("layers", &w, make_layers);
    check("frames", &w, make_frames);
    check("pack", &w, make_pack);
    free(w.values);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

static void rigid_parts_and_contacts_report_each_failing_allocation(void** state) {
    (void)state;
    check_all(test_sword_create(), "{\"rigid\": \"auto\", \"contact\": 1, \"floor\": 0, \"effects\": {\"floppy\": "
                                   "{\"angular\": 0.2, \"filter\": {\"gamma\": 0.5}}}}");
}

static void chains_and_averaged_normals_report_each_failing_allocation(void** state) {
    (void)state;
    check_all(test_tube_create(3, 1, 12, true),
              "{\"compose\": \"chain\", \"normals\": \"averaged\", \"effects\": {\"overlap\": {\"gain\": 2, \"layer\": "
              "\"height\"}, \"squash\": {\"angular\": \"0.1 * height\"}}}");
}

static void skirts_that_lift_report_each_failing_allocation(void** state) {
    (void)state;
    check_all(test_tube_create(3, 1, 12, true),
              "{\"effects\": {\"stretch\": {\"angular\": 0.1}, \"lift\": {\"angular\": 1, \"normals\": \"mesh\"}}}");
    check_all(test_tube_create(3, 1, 12, true),
              "{\"effects\": {\"stretch\": {\"angular\": 0.1}, \"lift\": {\"angular\": 1, \"cone\": {\"joint\": "
              "\"*\", \"apex\": [0, 3, 0], \"axis\": [0, -1, 0], \"half_angle\": 20}}}}");
}

static void performances_report_each_failing_allocation(void** state) {
    (void)state;
    limber_asset *hero, *runner;
    limber_style* style = style_kit_read(
        "{\"timing\": {\"snap\": 0.8, \"hang\": 1, \"step\": \"auto\", "
        "\"holds\": [{\"at\": 0.3, \"length\": 0.1}]}, \"pose\": {\"exaggerate\": 1, \"anticipate\": 0.5}}");
    assert_int_equal(limberi_character_create("hero", 0.5, &hero, NULL), LIMBER_OK);
    limber_model model = *limber_asset_model(hero);
    model.clip_count = 1; // a short one
    assert_int_equal(limber_asset_create(&model, &runner, NULL), LIMBER_OK);
    work w = {runner, style, NULL};
    long step = TEST_SANITIZED && !getenv("LIMBER_TEST_LONG") ? 5 : 1;
    check_each("frames", &w, make_frames, step);
    check_each("clip", &w, make_clip, step);
    limber_style_destroy(style);
    limber_asset_destroy(runner);
    limber_asset_destroy(hero);
}

// --- memory that is given back ---

static void* count_allocation(void* user, size_t byte_count) {
    ++*(long*)user;
    return malloc(byte_count);
}

static void count_release(void* user, void* memory) {
    --*(long*)user;
    free(memory);
}

static void whatever_was_made_gives_its_memory_back(void** state) {
    (void)state;
    static const char* const styles[] = {
        "{\"rigid\": \"auto\", \"contact\": 1, \"floor\": 0, \"colliders\": \"auto\", \"effects\": {\"floppy\": "
        "{\"angular\": 0.2, \"filter\": {\"gamma\": 0.5}}}, \"exaggerate\": {\"filter\": {\"amount\": 0.5}}, "
        "\"timing\": {\"snap\": 1}, \"pose\": {\"exaggerate\": 1}}",
        "{\"compose\": \"chain\", \"normals\": \"averaged\", \"effects\": {\"overlap\": {\"gain\": 2}}}"};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        long held = 0;
        const limber_allocator counting = {count_allocation, count_release, &held};
        limber_error error;
        limber_set_allocator(&counting);
        limber_asset* asset = test_sword_create();
        limber_style* style = style_kit_read(styles[i]);
        work w = {asset, style, calloc(limber_asset_model(asset)->vertex_count, sizeof(float))};
        long before = 0;
        for (int round = 0; round < 2; round++) { // what a character finds out about itself it keeps
            before = held;
            assert_int_equal(make_asset(&w, &error), LIMBER_OK);
            assert_int_equal(make_layers(&w, &error), LIMBER_OK);
            assert_int_equal(make_frames(&w, &error), LIMBER_OK);
            assert_int_equal(make_pack(&w, &error), LIMBER_OK);
        }
        assert_int_equal(held, before);
        free(w.values);
        limber_style_destroy(style);
        limber_asset_destroy(asset);
        assert_int_equal(held, 0);
        limber_set_allocator(NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_parts_and_contacts_report_each_failing_allocation),
        cmocka_unit_test(chains_and_averaged_normals_report_each_failing_allocation),
        cmocka_unit_test(whatever_was_made_gives_its_memory_back),
        cmocka_unit_test(skirts_that_lift_report_each_failing_allocation),
        cmocka_unit_test(performances_report_each_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
