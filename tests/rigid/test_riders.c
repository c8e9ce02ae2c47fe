// Riders: small parts that rest on skin go with the skin below them, each on its own.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"
#include "kit/props.h"

static uint32_t count_parts(const limber_asset* asset) {
    limber_rigid_parts* parts;
    assert_int_equal(limber_rigid_parts_find(asset, NULL, &parts, NULL), LIMBER_OK);
    uint32_t count = limber_rigid_part_count(parts);
    limber_rigid_parts_destroy(parts);
    return count;
}

// Two eyes on the hand, above and below it and as far from the skin, in L; `pupils`: a smaller box in front of each.
static limber_asset* eyes(float gap, bool pupils) {
    const float size = 2.3f;
    float near = 0.12f + gap * size;
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_box(props, "Eyes", PROP_HAND, limberi_vec3(2.1f, near, -0.02f), limberi_vec3(2.2f, near + 0.1f, 0.02f));
    test_props_more(props, PROP_HAND, limberi_vec3(2.1f, -near - 0.1f, -0.02f), limberi_vec3(2.2f, -near, 0.02f));
    for (int side = -1; pupils && side < 2; side += 2) {
        float from = side > 0 ? near + 0.03f : -near - 0.07f;
        test_props_more(props, PROP_HAND, limberi_vec3(2.13f, from, 0.022f), limberi_vec3(2.17f, from + 0.04f, 0.03f));
    }
    return test_props_end(props);
}

static double distance(const float* positions, uint32_t a, uint32_t b) {
    return (double)limberi_length(
        limberi_sub(limberi_load3(positions + 3 * (size_t)a), limberi_load3(positions + 3 * (size_t)b)));
}

static uint32_t nearest_skin(const limber_model* model, const float* positions, uint32_t vertex) {
    uint32_t best = 0;
    for (uint32_t u = 1; u < model->meshes[0].vertex_count; u++)
        if (distance(positions, vertex, u) < distance(positions, vertex, best))
            best = u;
    return best;
}

// Largest change of the distance between a vertex of the second mesh and the skin nearest to it at rest, in L.
static double looseness(const limber_asset* asset, limber_rigid_mode mode) {
    const limber_model* model = limber_asset_model(asset);
    const limber_mesh* mesh = &model->meshes[1];
    limber_stage_settings settings = limber_stage_settings_default();
    limber_pipeline* pipeline;
    limber_frame frame;
    double worst = 0;
    settings.rigid.mode = mode;
    settings.deform.effects[LIMBER_EFFECT_FLOPPY].angular.value = 0.06f;
    settings.deform.effects[LIMBER_EFFECT_SQUASH].linear.value = 0.1f;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
    for (int i = 0; i <= 20; i++) {
        assert_int_equal(limber_pipeline_evaluate(pipeline, 0, i / 20.0, &frame), LIMBER_OK);
        for (uint32_t u = mesh->first_vertex; u < mesh->first_vertex + mesh->vertex_count; u++) {
            uint32_t skin = nearest_skin(model, frame.skinned, u);
            worst = fmax(worst, fabs(distance(frame.positions, u, skin) - distance(frame.skinned, u, skin)));
        }
    }
    limber_pipeline_destroy(pipeline);
    return worst / (double)model->size;
}

static void each_eye_rides_on_the_skin_below_it(void** state) {
    (void)state;
    limber_asset* asset = eyes(0.025f, false);
    assert_int_equal(count_parts(asset), 2);
    double loose = looseness(asset, LIMBER_RIGID_AUTO);
    print_message("eyes come loose by %.4f L\n", loose);
    assert_true(loose < 0.01);
    limber_asset_destroy(asset);
}

static void a_pupil_goes_with_its_eye(void** state) {
    (void)state;
    limber_asset* asset = eyes(0.025f, true);
    assert_int_equal(count_parts(asset), 2);
    limber_asset_destroy(asset);
}

// Skin farther away than 0.03 L is not what they rest on: they are one part again.
static void what_hovers_does_not_ride(void** state) {
    (void)state;
    limber_asset* asset = eyes(0.04f, false);
    assert_int_equal(count_parts(asset), 1);
    limber_asset_destroy(asset);
}

// Both eyes of a face touch its nose and are parts of their own all the same.
static void a_nose_does_not_join_two_eyes(void** state) {
    (void)state;
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_box(props, "Face", PROP_HAND, limberi_vec3(2.1f, 0.13f, -0.16f), limberi_vec3(2.2f, 0.23f, -0.06f));
    test_props_more(props, PROP_HAND, limberi_vec3(2.1f, 0.13f, -0.05f), limberi_vec3(2.2f, 0.23f, 0.05f));
    test_props_more(props, PROP_HAND, limberi_vec3(2.1f, 0.13f, 0.06f), limberi_vec3(2.2f, 0.23f, 0.16f));
    limber_asset* asset = test_props_end(props);
    assert_int_equal(count_parts(asset), 3);
    limber_asset_destroy(asset);
}

// --- spikes ---

enum { SPIKE_RINGS = 9 }; // corners of a box: four each

// A thorn on the hand, `thick` across, whose root hangs on the elbow by `share` and whose tip does not.
static limber_asset* thorn(float thick, float share) {
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_box(props, "Thorn", PROP_HAND, limberi_vec3(2.1f, 0.06f, -0.025f),
                   limberi_vec3(2.1f + thick, 0.5f, 0.025f));
    for (uint32_t v = 0; v < 4 * SPIKE_RINGS; v++)
        test_props_blend(props, v, PROP_ELBOW, share * (float)(SPIKE_RINGS - 1 - v / 4) / (SPIKE_RINGS - 1));
    return test_props_end(props);
}

// Largest relative change of the length of the thorn by a stretch of this size.
static double growth(const limber_asset* asset, float stretch, limber_rigid_mode mode) {
    const limber_mesh* mesh = &limber_asset_model(asset)->meshes[1];
    limber_stage_settings settings = limber_stage_settings_default();
    limber_pipeline* pipeline;
    limber_frame frame;
    double worst = 0;
    uint32_t root = mesh->first_vertex, tip = root + 4 * (SPIKE_RINGS - 1);
    settings.rigid.mode = mode;
    settings.deform.effects[LIMBER_EFFECT_STRETCH].angular.value = stretch;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
    for (int i = 0; i <= 20; i++) {
        assert_int_equal(limber_pipeline_evaluate(pipeline, 0, i / 20.0, &frame), LIMBER_OK);
        worst = fmax(worst, fabs(distance(frame.positions, root, tip) / distance(frame.skinned, root, tip) - 1));
    }
    limber_pipeline_destroy(pipeline);
    return worst;
}

// Its weights are those of skin, and so it would be squashed as skin is.
static void a_thorn_keeps_its_length(void** state) {
    (void)state;
    limber_asset* asset = thorn(0.05f, 0.2f);
    assert_int_equal(count_parts(asset), 1);
    double soft = growth(asset, 0.0007f, LIMBER_RIGID_OFF), kept = growth(asset, 0.0007f, LIMBER_RIGID_AUTO);
    double loose = looseness(asset, LIMBER_RIGID_AUTO), skin = looseness(asset, LIMBER_RIGID_OFF);
    print_message("a thorn grows by %.4f, soft by %.4f; it comes loose by %.4f L, soft by %.4f\n", kept, soft, loose,
                  skin);
    assert_true(soft > 0.03);
    assert_true(kept < 0.2 * soft);
    assert_true(loose < skin + 0.005);
    limber_asset_destroy(asset);
}

// Where the body is stretched far, a rigid thorn would come out of it.
static void a_thorn_goes_with_a_body_that_is_stretched_far(void** state) {
    (void)state;
    limber_asset* asset = thorn(0.05f, 0.2f);
    double soft = growth(asset, 0.01f, LIMBER_RIGID_OFF), kept = growth(asset, 0.01f, LIMBER_RIGID_AUTO);
    print_message("in a large squash it grows by %.4f, soft by %.4f\n", kept, soft);
    assert_true(soft > 0.2);
    assert_true(fabs(kept / soft - 1) < 0.2);
    limber_asset_destroy(asset);
}

static void straps_and_joints_are_no_thorns(void** state) {
    (void)state;
    limber_asset *strap = thorn(0.3f, 0.2f), *finger = thorn(0.05f, 1);
    assert_int_equal(count_parts(strap), 0);
    assert_int_equal(count_parts(finger), 0);
    limber_asset_destroy(strap);
    limber_asset_destroy(finger);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_eye_rides_on_the_skin_below_it),
        cmocka_unit_test(a_pupil_goes_with_its_eye),
        cmocka_unit_test(what_hovers_does_not_ride),
        cmocka_unit_test(a_nose_does_not_join_two_eyes),
        cmocka_unit_test(a_thorn_keeps_its_length),
        cmocka_unit_test(a_thorn_goes_with_a_body_that_is_stretched_far),
        cmocka_unit_test(straps_and_joints_are_no_thorns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
