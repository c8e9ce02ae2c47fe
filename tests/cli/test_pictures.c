// What pictures are made of: the floor, the way of the camera and the labels.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "cli/pictures/pictures.h"
#include "kit/models.h"
#include <limber/stages/pose.h>
#include <limber/stages/skin.h>

static void skin(const limber_model* model, const limber_clip* clip, double t, float* positions) {
    limber_pose pose;
    limber_mat4* palette = malloc(sizeof *palette * model->rig.joint_count);
    assert_non_null(palette);
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    limber_clip_sample(model, clip, t, &pose);
    limber_pose_update_world(model, &pose);
    limber_skin_palette(&model->skins[0], &pose, palette);
    limber_skin_job job = limber_skin_job_default();
    job.mesh = &model->meshes[0];
    job.palette = palette;
    job.palette_count = model->skins[0].joint_count;
    job.out_positions = positions;
    assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
    limber_pose_destroy(&pose);
    free(palette);
}

// What is done to a frame before the floor is looked for.
typedef void (*spoil)(const limber_model* model, uint32_t frame, float* positions);

static float floor_of(const char* name, const char* clip_name, spoil how) {
    limber_asset* asset = test_built_in(name, 1);
    const limber_model* model = limber_asset_model(asset);
    const limber_clip* clip = &model->clips[limber_model_find_clip(model, clip_name)];
    uint32_t count = limber_clip_frame_count(clip, clip->fps);
    float* positions = malloc(sizeof(float) * 3 * model->vertex_count);
    floor_survey survey;
    assert_true(floor_survey_open(&survey, model, count));
    assert_true(isnan(floor_survey_height(&survey)));
    for (uint32_t i = 0; i < count; i++) {
        skin(model, clip, limber_clip_frame_time(clip, clip->fps, i), positions);
        if (how)
            how(model, i, positions);
        floor_survey_look(&survey, positions);
    }
    float height = floor_survey_height(&survey);
    floor_survey_close(&survey);
    free(positions);
    limber_asset_destroy(asset);
    return height;
}

// The built-in characters stand on y = 0; some in the whole clip, some only before and after a jump.
static void floor_lies_under_the_feet(void** state) {
    (void)state;
    static const char* const shows[][2] = {{"toon", "jump"}, {"toon", "run"},    {"hero", "jump"},
                                           {"hero", "stop"}, {"dog", "jump"},    {"dog", "run"},
                                           {"cow", "jump"},  {"ball", "bounce"}, {"snail", "crawl"}};
    for (size_t i = 0; i < sizeof shows / sizeof *shows; i++) {
        float height = floor_of(shows[i][0], shows[i][1], NULL);
        if (!(fabsf(height) < 0.006f))
            fail_msg("%s %s: the floor is at %g m", shows[i][0], shows[i][1], (double)height);
    }
}

// A few vertices, as the tip of a blade has, far below the floor for a quarter of the clip.
static void swing_a_spike_below(const limber_model* model, uint32_t frame, float* positions) {
    (void)model;
    if (frame >= 20 && frame < 40)
        for (int v = 0; v < 3; v++)
            positions[3 * v + 1] = -0.5f;
}

static void sink_for_a_frame(const limber_model* model, uint32_t frame, float* positions) {
    for (uint32_t v = 0; frame == 30 && v < model->vertex_count; v++)
        positions[3 * v + 1] -= 0.4f;
}

static void nothing_small_and_nothing_short_lowers_the_floor(void** state) {
    (void)state;
    float floor = floor_of("toon", "jump", NULL);
    assert_true(fabsf(floor_of("toon", "jump", swing_a_spike_below) - floor) < 0.002f);
    assert_true(fabsf(floor_of("toon", "jump", sink_for_a_frame) - floor) < 0.002f);
}

static void camera_follows_who_travels_and_nobody_else(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("toon", 1);
    const limber_model* model = limber_asset_model(asset);
    const limber_clip *run = &model->clips[limber_model_find_clip(model, "run")],
                      *stop = &model->clips[limber_model_find_clip(model, "stop")];
    follow_path path;
    limber_frame_range frames = {0, limber_clip_frame_count(run, run->fps)};
    assert_true(follow_open(&path, model, run, run->fps, frames));
    assert_null(path.at);
    assert_true(limberi_length(follow_at(&path, 3)) == 0);
    follow_close(&path);
    frames.count = limber_clip_frame_count(stop, stop->fps);
    assert_true(follow_open(&path, model, stop, stop->fps, frames));
    assert_non_null(path.at);
    float before = 0;
    for (double f = 0; f < frames.count; f += 0.5) {
        limber_vec3 at = follow_at(&path, f);
        assert_true(at.y == 0 && at.z >= before - 0.01f); // on, and not to and fro with the steps
        before = at.z;
    }
    assert_true(before > 3);
    assert_true(limberi_length(follow_at(&path, -5)) == 0);
    follow_close(&path);
    limber_asset_destroy(asset);
}

// SMEAR 4.2 and 4.3: a style of copies or lines alone counts where they are farthest and most visible.
static void copies_and_lines_count_for_sheets(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("ball", 1);
    const limber_model* model = limber_asset_model(asset);
    size_t count = model->vertex_count;
    float* plain = calloc(3 * count, sizeof *plain);
    float* away = calloc(3 * count, sizeof *away);
    float* colors = calloc(4 * count, sizeof *colors);
    assert_true(plain && away && colors);
    limber_smear_mesh extra = {.kind = LIMBER_SMEAR_KIND_COPY,
                               .vertex_count = model->meshes[0].vertex_count,
                               .triangle_count = model->meshes[0].triangle_count,
                               .triangles = model->meshes[0].triangles,
                               .positions = away,
                               .colors = colors};
    limber_smeared styled = {.frame = {.positions = plain}, .mesh_count = 1, .meshes = &extra};
    assert_true(strength_find(model, &styled, plain) == 0);
    extra.visible = true;
    float before = 0;
    for (int i = 1; i < 4; i++) { // farther, then more opaque
        for (size_t v = 0; v < count; v++) {
            away[3 * v] = i < 3 ? 0.1f * (float)i : 0.2f;
            colors[4 * v + 3] = i < 3 ? 0.3f : 0.6f;
        }
        float strength = strength_find(model, &styled, plain);
        assert_true(strength > 1.5f * before && strength > 1e-3f);
        before = strength;
    }
    extra.kind = LIMBER_SMEAR_KIND_LINES;
    float thin = strength_find(model, &styled, plain); // all triangles are points
    assert_true(thin > 1e-3f);
    for (size_t v = 0; v < 3 * count; v++)
        away[v] = model->meshes[0].positions[v];
    assert_true(strength_find(model, &styled, plain) > 2 * thin);
    free(plain);
    free(away);
    free(colors);
    limber_asset_destroy(asset);
}

static void labels_name_style_and_frame(void** state) {
    (void)state;
    char text[64];
    label_style("cartoon", text, sizeof text);
    assert_string_equal(text, "cartoon");
    label_style("my/styles/wild.look.json", text, sizeof text);
    assert_string_equal(text, "wild.look");
    label_style(NULL, text, sizeof text);
    assert_string_equal(text, "styled");
    label_frame("cartoon", 12, 0.4, text, sizeof text);
    assert_string_equal(text, "cartoon   frame 12   0.40 s");
    label_frame(NULL, 0, 0, text, sizeof text);
    assert_string_equal(text, "frame 0   0.00 s");
}

// --- front ---

// Two pairs of joints, the left ones at `left` from the middle, the right ones opposite.
static float front_with(const char* const* names, limber_vec3 left) {
    limber_mat4 rest[4];
    for (int j = 0; j < 4; j++) {
        float way = j % 2 ? -1 : 1;
        rest[j] = (limber_mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, way * left.x, way * left.y + 1, way * left.z, 1}};
    }
    limber_model model = {.rig = {.joint_count = 4, .names = names, .world_from_joint_rest = rest}};
    return front_of(&model);
}

static void names_of_sides_tell_where_a_character_looks(void** state) {
    (void)state;
    static const char* const words[] = {"LeftArm", "RightArm", "mixamorig:LeftLeg", "mixamorig:RightLeg"};
    static const char* const letters[] = {"arm.l", "arm.r", "L_foot", "R_foot"};
    static const char* const none[] = {"All", "Alr", "Bell", "Berr"};
    assert_float_equal(front_with(words, limberi_vec3(1, 0, 0)), 0, 1e-4);
    assert_float_equal(fabsf(front_with(words, limberi_vec3(-1, 0, 0))), 180, 1e-4);
    assert_float_equal(front_with(letters, limberi_vec3(0, 0, -2)), 90, 1e-4);
    assert_float_equal(front_with(letters, limberi_vec3(0.1f, 1, -0.1f)), 0, 1e-4); // one above the other
    assert_float_equal(front_with(none, limberi_vec3(0, 0, -2)), 0, 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_sides_tell_where_a_character_looks),
        cmocka_unit_test(floor_lies_under_the_feet),
        cmocka_unit_test(nothing_small_and_nothing_short_lowers_the_floor),
        cmocka_unit_test(camera_follows_who_travels_and_nobody_else),
        cmocka_unit_test(copies_and_lines_count_for_sheets),
        cmocka_unit_test(labels_name_style_and_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
