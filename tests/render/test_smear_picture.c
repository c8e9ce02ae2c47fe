// Copies and lines in pictures: they are seen, seen through, and gone when there are none.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "characters/characters.h"
#include "render/render.h"
#include <limber/limber.h>
#include <limber/stages/stages.h>

enum { WIDTH = 160, HEIGHT = 96 };

static limberi_renderer* open_renderer(const limber_model* model) {
    limberi_render_settings settings = limberi_render_settings_default();
    limberi_renderer* renderer;
    limber_error error;
    settings.width = WIDTH;
    settings.height = HEIGHT;
    settings.yaw_deg = 90;
    if (limberi_renderer_create(&settings, &renderer, &error) != LIMBER_OK ||
        limberi_renderer_load(renderer, model, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return renderer;
}

static void draw(limberi_renderer* renderer, const limber_smeared* smeared, uint32_t extras, uint8_t* pixels) {
    limber_error error;
    if (limberi_renderer_copies(renderer, smeared->meshes, extras, &error) != LIMBER_OK ||
        limberi_renderer_draw(renderer, smeared->frame.positions, smeared->frame.normals, pixels, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
}

static uint32_t different(const uint8_t* a, const uint8_t* b) {
    uint32_t count = 0;
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        count += memcmp(a + 4 * i, b + 4 * i, 4) != 0;
    return count;
}

static void copies_and_lines_are_drawn(void** state) {
    (void)state;
    static uint8_t without[4 * WIDTH * HEIGHT], with[4 * WIDTH * HEIGHT], again[4 * WIDTH * HEIGHT];
    limber_asset* asset = NULL;
    limber_error error;
    limber_pipeline* pipeline = NULL;
    limber_smeared smeared;
    limber_stage_settings settings = limber_stage_settings_default();
    settings.smear.multiples.past = 2;
    settings.smear.lines.count = 30;
    if (limberi_character_create("ball", 1, &asset, &error) != LIMBER_OK ||
        limber_pipeline_create_from_settings(asset, &settings, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limberi_renderer* renderer = open_renderer(limber_asset_model(asset));
    assert_int_equal(limber_pipeline_evaluate_smeared(pipeline, 2, 29 / 30.0, 30, &smeared), LIMBER_OK);
    assert_int_equal(smeared.mesh_count, 3);
    limberi_renderer_frame(renderer, smeared.frame.positions);
    draw(renderer, &smeared, 0, without);
    draw(renderer, &smeared, 3, with);
    assert_in_range(different(without, with), 100, WIDTH * HEIGHT / 2);
    draw(renderer, &smeared, 2, again); // the copies alone
    assert_true(different(with, again) > 20);
    assert_true(different(without, again) > 50);
    draw(renderer, &smeared, 0, again);
    assert_int_equal(different(without, again), 0);
    limberi_renderer_destroy(renderer);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies_and_lines_are_drawn)};
    return cmocka_run_group_tests_name("smear_picture", tests, NULL, NULL);
}
