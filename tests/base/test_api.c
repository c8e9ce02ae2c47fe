// The public surface as a program outside meets it: styles by name, pipelines made from them, warnings.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "characters/characters.h"
#include <limber/limber.h>
#include <limber/stages/stages.h>

static limber_asset* asset;

static int open_cow(void** state) {
    limber_error error;
    (void)state;
    return limberi_character_create("cow", 1, &asset, &error) != LIMBER_OK;
}

static int close_cow(void** state) {
    (void)state;
    limber_asset_destroy(asset);
    return 0;
}

static void a_preset_is_read_by_its_name(void** state) {
    limber_style *by_name, *by_text;
    limber_error error;
    (void)state;
    for (uint32_t i = 0; i < limber_preset_count(); i++) {
        const limber_preset* preset = limber_preset_at(i);
        assert_int_equal(limber_style_create(&by_name, &error), LIMBER_OK);
        assert_int_equal(limber_style_create(&by_text, &error), LIMBER_OK);
        assert_int_equal(limber_style_read_preset(by_name, preset->name, &error), LIMBER_OK);
        assert_int_equal(limber_style_read(by_text, preset->text, strlen(preset->text), &error), LIMBER_OK);
        assert_string_equal(limber_style_text(by_name), limber_style_text(by_text));
        limber_style_destroy(by_name);
        limber_style_destroy(by_text);
    }
}

static void an_unknown_preset_suggests_the_nearest_and_changes_nothing(void** state) {
    limber_style* style;
    limber_error error;
    (void)state;
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    assert_int_equal(limber_style_set(style, "effects.floppy.angular", "0.25", &error), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, "carton", &error), LIMBER_ERROR_ARGUMENT);
    assert_string_equal(error.message, "there is no preset 'carton'; did you mean 'cartoon'?");
    assert_int_equal(limber_style_read_preset(style, "nothing like it", &error), LIMBER_ERROR_ARGUMENT);
    assert_null(strstr(error.message, "did you mean"));
    assert_non_null(strstr(limber_style_text(style), "0.25"));
    limber_style_destroy(style);
}

static void a_pipeline_keeps_what_it_needs_of_a_style(void** state) {
    limber_style* style;
    limber_bound_style* bound;
    limber_pipeline *from_style, *from_settings, *plain;
    limber_frame a, b, c;
    limber_error error;
    (void)state;
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, "cartoon", &error), LIMBER_OK);
    assert_int_equal(limber_style_set(style, "effects.floppy.angular", "0.3 * height", &error), LIMBER_OK);
    static const char* const acting[] = {"timing.snap", "timing.hang", "pose.exaggerate", "pose.anticipate"};
    for (int i = 0; i < 4; i++) // which change the skeleton
        assert_int_equal(limber_style_set(style, acting[i], "0", &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &from_style, &error), LIMBER_OK);
    assert_int_equal(limber_style_bind(style, asset, &bound, &error), LIMBER_OK);
    limber_style_destroy(style);
    assert_int_equal(
        limber_pipeline_create_from_settings(asset, limber_bound_style_settings(bound), &from_settings, &error),
        LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, NULL, &plain, &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(from_style, 0, 0.4, &a), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(from_settings, 0, 0.4, &b), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(plain, 0, 0.4, &c), LIMBER_OK);
    size_t bytes = 3 * (size_t)limber_asset_model(asset)->vertex_count * sizeof(float);
    assert_memory_equal(a.positions, b.positions, bytes);
    assert_memory_equal(a.skinned, c.positions, bytes);
    assert_true(memcmp(a.positions, c.positions, bytes) != 0);
    limber_pipeline_destroy(from_style);
    limber_pipeline_destroy(from_settings);
    limber_pipeline_destroy(plain);
    limber_bound_style_destroy(bound);
}

static void a_pipeline_tells_what_does_not_fit(void** state) {
    limber_style* style;
    limber_pipeline* pipeline;
    limber_error error;
    (void)state;
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    assert_int_equal(limber_style_set(style, "effects.floppy.angular", "0.5", &error), LIMBER_OK);
    assert_int_equal(limber_style_set(style, "effects.floppy.layer", "nowhere", &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_warning_count(pipeline), 1);
    assert_non_null(strstr(limber_pipeline_warning(pipeline, 0), "nowhere"));
    assert_string_equal(limber_pipeline_warning(pipeline, 1), "");
    limber_pipeline_destroy(pipeline);
    assert_int_equal(limber_style_set(style, "joints.NoSuchJoint.floppy", "2", &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, &error), LIMBER_ERROR_DATA);
    assert_null(pipeline);
    assert_int_equal(limber_pipeline_create(NULL, style, &pipeline, &error), LIMBER_ERROR_ARGUMENT);
    limber_style_destroy(style);
    assert_int_equal(limber_pipeline_create(asset, NULL, &pipeline, &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_warning_count(pipeline), 0);
    assert_string_equal(limber_pipeline_warning(pipeline, 0), "");
    limber_pipeline_destroy(pipeline);
}

// A program that was compiled against an older header passes a smaller struct; one that did not initialize it is told.
static void settings_are_known_by_their_size(void** state) {
    (void)state;
    limber_error error;
    limber_model model;
    limber_asset* made;
    memset(&model, 0, sizeof model);
    assert_int_equal(limber_asset_create(&model, &made, &error), LIMBER_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "start from limber_model_default"));
    limber_cache_job job = limber_cache_job_default();
    job.struct_size = offsetof(limber_cache_job, user); // before there was `user`
    job.user = &error;
    assert_int_equal(limber_cache_save(&job, "nothing.pc2", &error), LIMBER_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "a cache needs a model")); // it was read, and says what is missing
    job.struct_size = sizeof job + 4;
    assert_int_equal(limber_cache_save(&job, "nothing.pc2", &error), LIMBER_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "start from limber_cache_job_default"));
    job.struct_size = 0;
    assert_int_equal(limber_cache_save(&job, "nothing.pc2", &error), LIMBER_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "start from limber_cache_job_default"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_known_by_their_size),
        cmocka_unit_test(a_preset_is_read_by_its_name),
        cmocka_unit_test(an_unknown_preset_suggests_the_nearest_and_changes_nothing),
        cmocka_unit_test(a_pipeline_keeps_what_it_needs_of_a_style),
        cmocka_unit_test(a_pipeline_tells_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, open_cow, close_cow);
}
