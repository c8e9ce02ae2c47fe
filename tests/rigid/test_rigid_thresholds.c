// What is just rigid and what just is not: how even weights must be, how near pieces, how still fingers.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/figure.h"
#include "kit/props.h"

enum { BOX_VERTICES = 36 };

static uint32_t count_and_destroy(limber_asset* asset) {
    limber_rigid_parts* parts;
    assert_int_equal(limber_rigid_parts_find(asset, NULL, &parts, NULL), LIMBER_OK);
    uint32_t count = limber_rigid_part_count(parts);
    limber_rigid_parts_destroy(parts);
    limber_asset_destroy(asset);
    return count;
}

static float size_and_destroy(limber_asset* asset) {
    float size = limber_asset_model(asset)->size;
    limber_asset_destroy(asset);
    return size;
}

// --- how near ---

static limber_asset* two_rings(float gap) {
    test_props* props = test_props_begin();
    float from = 1.52f + gap;
    test_props_arm(props);
    test_props_box(props, "A", PROP_HAND, limberi_vec3(1.5f, -0.14f, -0.03f), limberi_vec3(1.52f, 0.1f, 0.03f));
    test_props_box(props, "B", PROP_HAND, limberi_vec3(from, -0.14f, -0.03f), limberi_vec3(from + 0.02f, 0.1f, 0.03f));
    return test_props_end(props);
}

// Else each of them goes its own way, and a gap in an armor gapes.
static void pieces_a_hair_apart_are_one_part(void** state) {
    (void)state;
    float size = size_and_destroy(two_rings(0));
    assert_int_equal(count_and_destroy(two_rings(0.0115f * size)), 1);
    assert_int_equal(count_and_destroy(two_rings(0.0125f * size)), 2);
}

// --- how still and how small ---

// A box whose upper half hangs on a finger, too, that swings by this much.
static limber_asset* glove(float swing_rad, float height) {
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_swing(props, PROP_FINGERS, swing_rad);
    test_props_box(props, "Glove", PROP_HAND, limberi_vec3(2.1f, 0, -0.03f), limberi_vec3(2.2f, height, 0.03f));
    for (uint32_t u = 18; u < 36; u++)
        test_props_blend(props, u, PROP_FINGERS, 0.5f);
    return test_props_end(props);
}

// A glove whose fingers no clip moves is one piece. Two thousandths of a radian are noise, more is motion.
static void a_glove_is_rigid_while_its_fingers_rest(void** state) {
    (void)state;
    assert_int_equal(count_and_destroy(glove(0, 0.3f)), 1);
    assert_int_equal(count_and_destroy(glove(1.8e-3f, 0.3f)), 1);
    assert_int_equal(count_and_destroy(glove(2.1e-3f, 0.3f)), 0);
    assert_int_equal(count_and_destroy(glove(0.1f, 0.3f)), 0);
}

// A ponytail that no clip moves bends all the same: it is longer than a fifth of the character.
static void a_ponytail_is_soft_though_it_rests(void** state) {
    (void)state;
    float size = size_and_destroy(glove(0, 0.5f));
    assert_int_equal(count_and_destroy(glove(0, 0.185f * size)), 1);
    assert_int_equal(count_and_destroy(glove(0, 0.215f * size)), 0);
}

// --- what stands ---

// The left foot steps ahead and back, the right one turns on the spot with the body: boxes, all of them.
static void pose_steps(double t, test_posture* p, const void* user) {
    (void)user;
    if (t < 0.5)
        p->at[FIGURE_FOOT_LEFT] = limberi_vec3(0.15f, (float)(t * (0.5 - t)), 0.6f * (float)t);
    p->at[FIGURE_BODY].x += 0.3f * sinf(12 * (float)t);
    p->at[FIGURE_HEAD].x += 0.6f * sinf(12 * (float)t);
}

typedef struct strayed {
    double most;    // of the boots that stand, from where the clip has them
    uint32_t looks; // how many corners of them were looked at
} strayed;

static strayed stray_of_boots(const limber_asset* asset, float strength) {
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings settings = limber_stage_settings_default();
    limber_pipeline* pipeline;
    limber_contacts* contacts;
    strayed found = {0, 0};
    settings.rigid.mode = LIMBER_RIGID_AUTO;
    settings.contacts.strength = strength;
    settings.deform.effects[LIMBER_EFFECT_FLOPPY].linear.value = 0.5f;
    settings.deform.effects[LIMBER_EFFECT_SQUASH].linear.value = 0.3f;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
    assert_true(limber_rigid_part_count(limber_pipeline_rigid_parts(pipeline)) >= 2);
    assert_int_equal(limber_contacts_find(asset, 0, NULL, &contacts, NULL), LIMBER_OK);
    for (int i = 0; i <= 60; i++) {
        limber_frame frame;
        float hold[FIGURE_JOINTS], ground[FIGURE_JOINTS];
        assert_int_equal(limber_pipeline_evaluate(pipeline, 0, i / 60.0, &frame), LIMBER_OK);
        (void)limber_contacts_evaluate(contacts, i / 60.0, hold, ground);
        for (uint32_t u = 0; u < model->meshes[0].vertex_count; u++) {
            uint32_t joint = model->skins[0].joints[model->meshes[0].influence_joint[u]];
            if (joint < FIGURE_FOOT_LEFT || hold[joint] < 0.999f)
                continue;
            limber_vec3 way = limberi_sub(limberi_load3(frame.positions + 3 * (size_t)u),
                                          limberi_load3(frame.skinned + 3 * (size_t)u));
            found.most = fmax(found.most, (double)limberi_length(way));
            found.looks++;
        }
    }
    limber_contacts_destroy(contacts);
    limber_pipeline_destroy(pipeline);
    return found;
}

static void a_boot_that_stands_neither_slides_nor_turns(void** state) {
    (void)state;
    const test_act act = {"Steps", 1, 60, pose_steps, NULL};
    limber_asset* asset = test_figure_create(&act, 1, false);
    strayed free = stray_of_boots(asset, 0), held = stray_of_boots(asset, 1);
    print_message("boots stray by %.4f, held by %.5f, %u corners\n", free.most, held.most, held.looks);
    assert_true(held.looks > 200);
    assert_true(held.most < 1e-4);
    limber_asset_destroy(asset);
}

// --- how even the weights ---

// A box on the hand whose first `count` vertices hang on a finger, too.
static uint32_t parts_of_blended(int32_t joint, uint32_t count, uint32_t with, float weight) {
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_box(props, "Thing", joint, limberi_vec3(2.1f, -0.2f, -0.03f), limberi_vec3(2.2f, 1.6f, 0.03f));
    for (uint32_t u = 0; u < count; u++)
        test_props_blend(props, u, with, weight);
    return count_and_destroy(test_props_end(props));
}

// A brush slips: up to a fifth of the vertices may hang on something else.
static void a_sword_with_a_few_stray_weights_is_rigid(void** state) {
    (void)state;
    assert_int_equal(parts_of_blended(PROP_HAND, 7, PROP_FINGERS, 0.5f), 1);
    assert_int_equal(parts_of_blended(PROP_HAND, 8, PROP_FINGERS, 0.5f), 0);
}

static void a_sword_may_hang_on_its_joint_by_95_percent(void** state) {
    (void)state;
    assert_int_equal(parts_of_blended(PROP_HAND, BOX_VERTICES / 2, PROP_FINGERS, 0.045f), 1);
    assert_int_equal(parts_of_blended(PROP_HAND, BOX_VERTICES / 2, PROP_FINGERS, 0.055f), 0);
}

// Half on the elbow, half on the hand, and one half of the vertices a little more on the hand than the other.
static void weights_that_vary_by_a_fiftieth_are_even(void** state) {
    (void)state;
    assert_int_equal(parts_of_blended(-1, BOX_VERTICES / 2, PROP_HAND, 0.519f), 1);
    assert_int_equal(parts_of_blended(-1, BOX_VERTICES / 2, PROP_HAND, 0.522f), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_boot_that_stands_neither_slides_nor_turns),
        cmocka_unit_test(pieces_a_hair_apart_are_one_part),
        cmocka_unit_test(a_glove_is_rigid_while_its_fingers_rest),
        cmocka_unit_test(a_ponytail_is_soft_though_it_rests),
        cmocka_unit_test(a_sword_with_a_few_stray_weights_is_rigid),
        cmocka_unit_test(a_sword_may_hang_on_its_joint_by_95_percent),
        cmocka_unit_test(weights_that_vary_by_a_fiftieth_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
