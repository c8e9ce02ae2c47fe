// The measures behind `limber info --style`, where the answer is known.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kit/models.h"
#include "review/bounds.h"
#include "review/changes.h"
#include "review/review_private.h"

static void percentiles_lie_between_neighbors(void** state) {
    (void)state;
    float values[5] = {5, 1, 4, 2, 3};
    assert_float_equal(limberi_percentile(values, 5, 50), 3, 0);
    assert_float_equal(limberi_percentile(values, 5, 0), 1, 0);
    assert_float_equal(limberi_percentile(values, 5, 100), 5, 0);
    assert_float_equal(limberi_percentile(values, 5, 90), 4.6f, 1e-6f);
    assert_float_equal(limberi_percentile(values, 0, 90), 0, 0);
}

static int by_size(const void* a, const void* b) {
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

static void percentiles_are_those_of_sorted_values(void** state) {
    (void)state;
    enum { COUNT = 997 };
    float values[COUNT], sorted[COUNT];
    for (uint32_t kinds = 1; kinds < 2000; kinds += 37) { // few kinds: many are equal
        for (uint32_t i = 0; i < COUNT; i++)
            sorted[i] = values[i] = (float)(i * 7919u % 1009u % kinds);
        qsort(sorted, COUNT, sizeof *sorted, by_size);
        for (uint32_t rank = 0; rank < COUNT; rank += 83)
            assert_float_equal(limberi_percentile(values, COUNT, 100.0 * rank / (COUNT - 1)), sorted[rank], 1e-6);
    }
}

// One vertex that runs at a steady 1 per frame, displaced by 0, 0, 3, 3: a pop of three times the plain motion.
static void a_jump_of_the_displacement_pops(void** state) {
    (void)state;
    limberi_arena arena = {NULL, false};
    limber_clip clip;
    limberi_changes changes;
    memset(&clip, 0, sizeof clip);
    assert_true(limberi_changes_begin(&changes, &arena, &clip, 1));
    for (int i = 0; i < 4; i++) {
        const float plain[3] = {(float)i, 0, 0}, styled[3] = {(float)i, i < 2 ? 0 : 3, 0};
        limberi_changes_add(&changes, i / 120.0, plain, styled);
    }
    assert_float_equal(limberi_changes_pop(&changes, 1, 120), 3, 1e-6);
    assert_true(changes.change_s == 2 / 120.0);
    assert_float_equal(limberi_changes_gap(&changes), 3, 1e-6);
    assert_float_equal(limberi_changes_seam(&changes).length, 3, 1e-6);
    limberi_arena_free(&arena);
}

static void a_jump_cut_is_no_pop(void** state) {
    (void)state;
    limberi_arena arena = {NULL, false};
    limber_cut cut = {0.1, 0.2};
    limber_clip clip;
    limberi_changes changes;
    memset(&clip, 0, sizeof clip);
    clip.cuts = &cut;
    clip.cut_count = 1;
    assert_true(limberi_changes_begin(&changes, &arena, &clip, 1));
    const float here[3] = {0, 0, 0}, there[3] = {9, 0, 0};
    limberi_changes_add(&changes, 0.1, here, here);
    limberi_changes_add(&changes, 0.2, here, there);
    assert_float_equal(limberi_changes_pop(&changes, 1, 120), 0, 0);
    limberi_arena_free(&arena);
}

// Two triangles of area 0.5: one with an opacity of 1, 0, 1, 1, 0, 0, one that swells and fades.
static void what_goes_away_for_a_frame_flickers(void** state) {
    (void)state;
    static const float opacities[2][6] = {{1, 0, 1, 1, 0, 0}, {0, 0.5f, 1, 0.5f, 0, 0}};
    static const float positions[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 0, 0, 6, 0, 0, 5, 1, 0};
    static const uint32_t triangles[6] = {0, 1, 2, 3, 4, 5};
    float colors[24] = {0};
    limberi_arena arena = {NULL, false};
    limberi_review_flicker flicker;
    limber_smear_mesh mesh;
    limber_smeared at;
    memset(&flicker, 0, sizeof flicker);
    memset(&mesh, 0, sizeof mesh);
    memset(&at, 0, sizeof at);
    mesh.vertex_count = 6;
    mesh.triangle_count = 2;
    mesh.triangles = triangles;
    mesh.positions = positions;
    mesh.colors = colors;
    mesh.visible = true;
    at.meshes = &mesh;
    at.mesh_count = 1;
    for (int f = 0; f < 6; f++) {
        for (int v = 0; v < 6; v++)
            colors[4 * v + 3] = opacities[v / 3][f];
        limberi_flicker_add(&flicker, &arena, &at, f / 24.0);
    }
    assert_false(arena.failed);
    assert_true(fabs(limberi_flicker_share(&flicker) - 0.5 / (1.5 + 1)) < 1e-6); // in the second frame, and only there
    assert_true(fabs(flicker.worst_s - 1 / 24.0) < 1e-9);
    limberi_review review;
    memset(&review, 0, sizeof review);
    limberi_bounds bounds = limberi_bounds_of("smear", true, false);
    review.smears.flicker = limberi_flicker_share(&flicker);
    assert_true(limberi_bounds_broken(&bounds, &review) & 1u << LIMBERI_BOUND_SMEAR_FLICKER);
    review.smears.flicker = 0.09;
    assert_false(limberi_bounds_broken(&bounds, &review) & 1u << LIMBERI_BOUND_SMEAR_FLICKER);
    limberi_arena_free(&arena);
}

static void bounds_are_the_presets_own(void** state) {
    (void)state;
    limberi_review review;
    memset(&review, 0, sizeof review);
    review.motion = review.speed = 1;
    review.strength = 0.25;
    review.stretch = 2;
    limberi_bounds cartoon = limberi_bounds_of("cartoon", true, false),
                   jelly = limberi_bounds_of("jelly", false, false);
    limberi_bounds other = limberi_bounds_of("my.json", true, false), figure = limberi_bounds_of("cartoon", true, true);
    assert_int_equal(limberi_bounds_broken(&cartoon, &review), 1 << LIMBERI_BOUND_STRONG | 1 << LIMBERI_BOUND_STRETCH);
    assert_int_equal(limberi_bounds_broken(&jelly, &review), 0);
    assert_int_equal(limberi_bounds_broken(&other, &review), 0);
    review.strength = 0.01;
    review.stretch = 1;
    review.rigid = 0.5;
    assert_int_equal(limberi_bounds_broken(&cartoon, &review), 1 << LIMBERI_BOUND_WEAK | 1 << LIMBERI_BOUND_RIGID);
    assert_int_equal(limberi_bounds_broken(&figure, &review), 1 << LIMBERI_BOUND_WEAK);
    assert_int_equal(limberi_bounds_broken(&other, &review), 1 << LIMBERI_BOUND_RIGID);
    review.motion = 0.005; // nothing is expected of what hardly moves
    assert_int_equal(limberi_bounds_broken(&figure, &review), 0);
}

// The style is destroyed.
static limberi_review review_style(const limber_asset* asset, uint32_t clip, limber_style* style) {
    limberi_review_job job = {.clip = clip};
    limber_error error;
    limberi_review review;
    assert_int_equal(limber_pipeline_create(asset, NULL, &job.plain, &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &job.styled, &error), LIMBER_OK);
    assert_int_equal(limberi_review_clip(&job, &review, &error), LIMBER_OK);
    limber_pipeline_destroy(job.plain);
    limber_pipeline_destroy(job.styled);
    limber_style_destroy(style);
    return review;
}

static limberi_review review_of(const limber_asset* asset, uint32_t clip, const char* colliders, const char* gain) {
    limber_style* style;
    limber_error error;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_set(style, "effects.floppy.angular", gain, &error), LIMBER_OK);
    assert_int_equal(limber_style_set(style, "colliders", colliders, &error), LIMBER_OK);
    return review_style(asset, clip, style);
}

// Velocity skinning, figure 14 (thesis, 7.1): ears go into the head, beyond the plain motion, and colliders bound it.
static void ears_go_into_the_head_and_colliders_keep_them_out(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("dog", 0.5);
    const limber_model* model = limber_asset_model(asset);
    uint32_t shake = 2;
    assert_string_equal(model->clips[shake].name, "shake");
    limberi_review none = review_of(asset, shake, "none", "0");
    limberi_review wild = review_of(asset, shake, "none", "0.4");
    limberi_review kept = review_of(asset, shake, "auto", "0.4");
    assert_true(none.depth == 0 && none.into == UINT32_MAX);
    assert_true(wild.depth > 0.03 && wild.into < model->rig.joint_count);
    assert_true(kept.depth < 0.5 * wild.depth);
    limber_asset_destroy(asset);
}

// With all of what hips lag, so that something goes deep.
static limberi_review preset_review(const limber_asset* asset, uint32_t clip, const char* preset,
                                    const char* colliders) {
    limber_style* style;
    limber_error error;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, preset, &error), LIMBER_OK);
    assert_int_equal(limber_style_set(style, "effects.overlap.whole", "1", &error), LIMBER_OK);
    if (colliders)
        assert_int_equal(limber_style_set(style, "colliders", colliders, &error), LIMBER_OK);
    return review_style(asset, clip, style);
}

// Velocity skinning, figure 14; thesis, 7.1; SMEAR, section 6: colliders bound what effects do.
static void colliders_bound_how_deep_parts_go(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("cow", 0.5);
    uint32_t jump = 1;
    assert_string_equal(limber_asset_model(asset)->clips[jump].name, "jump");
    limberi_review wild = preset_review(asset, jump, "jelly", "[]");
    limberi_review kept = preset_review(asset, jump, "jelly", NULL);
    assert_true(wild.depth > 0.04 && !wild.depth_is_posed);
    assert_true(kept.depth < 0.5 * wild.depth);
    assert_true(kept.pop < 1.05 * wild.pop && kept.stretch < 1.1 * wild.stretch);
    limber_asset_destroy(asset);
}

// Where a larger pose does it, as with the umbrella of the toon, nothing of that is the effects'.
static void what_poses_do_is_told_from_what_effects_do(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("toon", 0.5);
    limberi_review posed = preset_review(asset, 1, "cartoon", NULL);
    assert_true(posed.depth > 0.05 && posed.depth_is_posed);
    limber_asset_destroy(asset);
}

// SMEAR, section 6: the ball rolls on the spot, and dashes away: its spin, and its travel. A cow that walks has neither.
static void motions_are_taken_apart(void** state) {
    (void)state;
    static const struct {
        const char *character, *clip;
        double travel, spin; // L, turns; at least
    } cases[] = {{"ball", "roll", 0, 1}, {"ball", "dash-stop", 2, 0.9}, {"cow", "walk", 0, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        limber_asset* asset = test_built_in(cases[c].character, 0.5);
        const limber_model* model = limber_asset_model(asset);
        limberi_motion_part parts[8];
        uint32_t count = 0;
        double travel = 0;
        double spin = 0;
        for (uint32_t i = 0; i < model->clip_count; i++)
            if (strcmp(model->clips[i].name, cases[c].clip) == 0)
                assert_int_equal(limberi_review_motions(model, &model->clips[i], parts, 8, &count), LIMBER_OK);
        for (uint32_t i = 0; i < count; i++) {
            double* sum = parts[i].spin ? &spin : &travel;
            *sum += parts[i].amount;
            assert_string_equal(model->rig.names[parts[i].joint], parts[i].spin ? "Ball" : "Root");
        }
        print_message("%s %s: %g L, %g turns\n", cases[c].character, cases[c].clip, travel, spin);
        assert_true(cases[c].travel > 0 ? travel > cases[c].travel : travel == 0);
        assert_true(cases[c].spin > 0 ? spin > cases[c].spin : spin == 0);
        limber_asset_destroy(asset);
    }
}

// The point of a rolling ball that touches the floor hardly moves, and goes along with the ball that is stretched.
static void a_ball_that_rolls_is_on_the_move(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("ball", 1);
    limberi_review_job job = {.clip = (uint32_t)limber_model_find_clip(limber_asset_model(asset), "dash-stop"),
                              .smears = true};
    limber_style* style;
    limber_error error;
    limberi_review review;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, "smear", &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, NULL, &job.plain, &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &job.styled, &error), LIMBER_OK);
    assert_int_equal(limberi_review_clip(&job, &review, &error), LIMBER_OK);
    assert_true(review.smears.smeared > 8);
    assert_true(review.smears.idle < 0.01);
    limber_pipeline_destroy(job.plain);
    limber_pipeline_destroy(job.styled);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_lie_between_neighbors),
        cmocka_unit_test(percentiles_are_those_of_sorted_values),
        cmocka_unit_test(a_jump_of_the_displacement_pops),
        cmocka_unit_test(a_jump_cut_is_no_pop),
        cmocka_unit_test(what_goes_away_for_a_frame_flickers),
        cmocka_unit_test(bounds_are_the_presets_own),
        cmocka_unit_test(ears_go_into_the_head_and_colliders_keep_them_out),
        cmocka_unit_test(colliders_bound_how_deep_parts_go),
        cmocka_unit_test(what_poses_do_is_told_from_what_effects_do),
        cmocka_unit_test(motions_are_taken_apart),
        cmocka_unit_test(a_ball_that_rolls_is_on_the_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
