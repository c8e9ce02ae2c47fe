// Motion offsets: the closed form of the ball, a second implementation, ribbons against planes, and what must not
// change them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "kit/scene.h"
#include "kit/smear_kit.h"
#include "smear/smear.h"

enum { FRAMES = 6 };

static limber_asset* character(const char* name) {
    limber_asset* asset;
    limber_error error;
    if (limberi_character_create(name, 1, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return asset;
}

static float* offsets_of(limber_smearer* smearer, const test_reel* reel, uint32_t frame) {
    float* offsets = malloc(((size_t)reel->model->vertex_count + 1) * sizeof *offsets);
    const limber_smear_frame *now = &reel->frames[frame], *next = &reel->frames[frame + 1];
    limber_smearer_offsets(smearer, now, now, next, offsets);
    return offsets;
}

// --- the ball ---

// Signed distances from the plane through the centre, across the motion, over the largest of them.
static void check_ball(const limber_smear_settings* settings, const char* clip) {
    limber_asset* asset = character("ball");
    const limber_model* model = limber_asset_model(asset);
    limber_smearer* smearer = test_smearer(asset, settings);
    test_reel reel = test_reel_open(asset, smearer, (uint32_t)limber_model_find_clip(model, clip), 30, 3, FRAMES);
    for (uint32_t f = 0; f + 1 < reel.count; f++) {
        float* offsets = offsets_of(smearer, &reel, f);
        limber_vec3 center = limberi_mat4_translation(&reel.poses[f].world_from_joint[1]);
        limber_vec3 next = limberi_mat4_translation(&reel.poses[f + 1].world_from_joint[1]);
        limber_vec3 way = limberi_normalize(limberi_sub(next, center));
        double max = 0;
        for (size_t u = 0; u < model->vertex_count; u++)
            max = fmax(max, fabs((double)limberi_dot(
                                limberi_sub(limberi_load3(reel.frames[f].positions + 3 * u), center), way)));
        for (size_t u = 0; u < model->vertex_count; u++) {
            limber_vec3 arm = limberi_sub(limberi_load3(reel.frames[f].positions + 3 * u), center);
            assert_true(fabs((double)offsets[u] - (double)limberi_dot(arm, way) / max) < 2e-5);
        }
        free(offsets);
    }
    test_reel_close(&reel);
    limber_smearer_destroy(smearer);
    limber_asset_destroy(asset);
}

static void offsets_of_the_ball_are_signed_distances(void** state) {
    (void)state;
    limber_smear_settings settings = limber_smear_settings_default();
    check_ball(&settings, "bounce");
    check_ball(&settings, "roll");
    settings.offsets.skeleton = false;
    check_ball(&settings, "bounce");
    check_ball(&settings, "dash-stop");
}

// --- the second implementation ---

static void compare_with_plain(const limber_asset* asset, const char* name, const uint8_t* pruned) {
    const limber_model* model = limber_asset_model(asset);
    limber_smear_settings settings = limber_smear_settings_default();
    settings.offsets.pruned = pruned;
    limber_smearer* smearer = test_smearer(asset, &settings);
    double* expected = malloc(((size_t)model->vertex_count + 1) * sizeof *expected);
    for (uint32_t c = 0; c < model->clip_count && c < 3; c++) {
        uint32_t start = limber_clip_frame_count(&model->clips[c], 30) / 3;
        test_reel reel = test_reel_open(asset, smearer, c, 30, start, 2);
        for (uint32_t f = 0; f + 1 < reel.count; f++) {
            float* offsets = offsets_of(smearer, &reel, f);
            test_offsets(model, pruned, &reel.poses[f], &reel.poses[f + 1], reel.frames[f].positions, expected);
            for (uint32_t u = 0; u < model->vertex_count; u++) {
                double off = fabs((double)offsets[u] - expected[u]);
                if (off > 2e-3 && !test_offset_is_delicate(model, &reel.poses[f], &reel.poses[f + 1], u))
                    fail_msg("%s clip %u frame %u vertex %u: %g instead of %g", name, c, start + f, u,
                             (double)offsets[u], expected[u]);
            }
            free(offsets);
        }
        test_reel_close(&reel);
    }
    free(expected);
    limber_smearer_destroy(smearer);
}

static void offsets_equal_the_formulas_as_they_are_written(void** state) {
    (void)state;
    for (uint32_t i = 0; i < test_character_count(); i++) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        compare_with_plain(asset, test_character_name(i), NULL);
        test_character_free(asset, gltf);
    }
}

// Equation 9, as printed.
static void offsets_may_be_normalized_as_printed(void** state) {
    (void)state;
    limber_asset* asset = character("giraffe");
    const limber_model* model = limber_asset_model(asset);
    limber_smear_settings settings = limber_smear_settings_default();
    double* expected = malloc(model->vertex_count * sizeof *expected);
    limber_smearer* plain = test_smearer(asset, &settings);
    settings.printed_sizes = true;
    limber_smearer* smearer = test_smearer(asset, &settings);
    test_reel reel = test_reel_open(asset, smearer, 1, 30, 8, 2);
    float *offsets = offsets_of(smearer, &reel, 0), *usual = offsets_of(plain, &reel, 0);
    double other = 0;
    uint32_t compared = 0;
    test_offsets_printed(model, &reel.poses[0], &reel.poses[1], reel.frames[0].positions, expected);
    for (uint32_t u = 0; u < model->vertex_count; u++) {
        if (test_offset_is_delicate(model, &reel.poses[0], &reel.poses[1], u))
            continue;
        assert_true(fabs((double)offsets[u] - expected[u]) < 2e-3);
        other = fmax(other, fabs((double)(offsets[u] - usual[u])));
        compared++;
    }
    assert_true(other > 0.1 && compared > 100);
    free(offsets);
    free(usual);
    free(expected);
    test_reel_close(&reel);
    limber_smearer_destroy(plain);
    limber_smearer_destroy(smearer);
    limber_asset_destroy(asset);
}

static void pruned_bones_hand_their_vertices_to_the_bone_above(void** state) {
    (void)state;
    limber_asset* asset = character("giraffe");
    const limber_model* model = limber_asset_model(asset);
    uint8_t* pruned = calloc((size_t)model->rig.joint_count + 1, 1);
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        pruned[j] = j == 0 || j % 3 == 2; // the root, too, though nobody can take its vertices
    compare_with_plain(asset, "giraffe", pruned);
    free(pruned);
    limber_asset_destroy(asset);
}

// The skin of each joint with its descendants, vertex by vertex up the tree.
static void areas_below(const limber_model* model, double* areas) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
                int32_t j = (int32_t)model->skins[mesh->skin].joints[mesh->influence_joint[i]];
                for (; j >= 0; j = model->rig.parents[j])
                    areas[j] += (double)mesh->areas[u] * (double)mesh->influence_weight[i];
            }
    }
}

static void small_joints_are_pruned(const char* name, const char* const* small, const char* const* kept) {
    limber_asset* asset = character(name);
    const limber_model* model = limber_asset_model(asset);
    uint32_t joints = model->rig.joint_count;
    double* areas = calloc((size_t)joints + 1, sizeof *areas);
    uint8_t* pruned = calloc((size_t)joints + 1, 1);
    areas_below(model, areas);
    for (uint32_t j = 0; j < joints; j++) {
        pruned[j] = sqrt(areas[j]) < 0.15 * (double)model->size;
        for (int i = 0; i < 3; i++) {
            assert_true(strcmp(model->rig.names[j], small[i]) != 0 || pruned[j]);
            assert_true(strcmp(model->rig.names[j], kept[i]) != 0 || !pruned[j]);
        }
    }
    limber_smear_settings settings = limber_smear_settings_default();
    settings.offsets.pruned = pruned;
    limber_smearer* listed = test_smearer(asset, &settings);
    settings.offsets.pruned = NULL;
    settings.offsets.prune_below = 0.15f;
    limber_smearer* found = test_smearer(asset, &settings);
    test_reel reel = test_reel_open(asset, listed, 0, 30, 5, 2);
    float *a = offsets_of(listed, &reel, 0), *b = offsets_of(found, &reel, 0);
    assert_memory_equal(a, b, model->vertex_count * sizeof *a);
    free(a);
    free(b);
    test_reel_close(&reel);
    limber_smearer_destroy(listed);
    limber_smearer_destroy(found);
    free(areas);
    free(pruned);
    limber_asset_destroy(asset);
}

static void fingers_and_strands_can_be_pruned_by_size(void** state) {
    (void)state;
    const char* const fingers[] = {"HandIndexLeft", "HandThumbTipRight", "RibbonLeft"};
    const char* const limbs[] = {"ArmLowerLeft", "LegUpperRight", "Head"};
    const char* const ears[] = {"EarLeft", "OssiconeLeft", "LegHindHoofLeft"};
    const char* const legs[] = {"LegHindUpperLeft", "Neck16", "Head"};
    small_joints_are_pruned("dancer", fingers, limbs);
    small_joints_are_pruned("giraffe", ears, legs);
}

// --- two bones by hand ---

// Bones of a tube of two joints: one from (0, 0) to (0, 1), the other on to (0, 2) or round the corner.
static void lay_bone(limber_smear_bone* bone, limber_vec3 root, limber_vec3 tip) {
    bone->root = root;
    bone->tip = tip;
    bone->centroid = limberi_scale(limberi_add(root, tip), 0.5f);
    bone->turn = limberi_quat_identity();
}

static void move_bones(const limber_smear_bone* from, limber_smear_bone* to, uint32_t count, limber_vec3 way) {
    for (uint32_t j = 0; j < count; j++) {
        to[j] = from[j];
        to[j].root = limberi_add(from[j].root, way);
        to[j].tip = limberi_add(from[j].tip, way);
        to[j].centroid = limberi_add(from[j].centroid, way);
    }
}

static void straight_bones(limber_smear_bone bones[2]) {
    lay_bone(&bones[0], limberi_vec3(0, 0, 0), limberi_vec3(0, 1, 0));
    lay_bone(&bones[1], limberi_vec3(0, 1, 0), limberi_vec3(0, 2, 0));
}

// SMEAR, fig. 7: a part that slides along its own bone must not be sheared across it.
static void collinear_motion_is_not_sheared(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(2, 1, 30, false);
    limber_smearer* smearer = test_smearer(asset, NULL);
    float rest[60], offsets[20];
    limber_mesh_rest_positions(limber_asset_model(asset), &limber_asset_model(asset)->meshes[0], rest);
    limber_smear_bone now_bones[2], next_bones[2];
    straight_bones(now_bones);
    limber_smear_frame now = {rest, NULL, now_bones}, next = {rest, NULL, next_bones};
    for (int degrees = 0; degrees <= 90; degrees += 5) {
        float angle = (float)degrees * (float)LIMBERI_PI / 180;
        move_bones(now_bones, next_bones, 2, limberi_scale(limberi_vec3(sinf(angle), cosf(angle), 0), 0.1f));
        limber_smearer_offsets(smearer, &now, &now, &next, offsets);
        double shear = 0;
        for (int u = 0; u < 20; u++)
            shear = fmax(shear, fabs((double)offsets[u]));
        // Across the motion it is all of it; along the bone what is left is the square of the sine.
        assert_true(fabs(shear - sin((double)angle) * sin((double)angle)) < 1e-5);
    }
    limber_smearer_destroy(smearer);
    limber_asset_destroy(asset);
}

// SMEAR, fig. 6: the horizontal half of a bent capsule that moves down has its own front and back. A plane
// through the centroid puts none of it in front, and the far end of the other half all the way.
static void a_ribbon_follows_the_bones_where_a_plane_does_not(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, (float)LIMBERI_PI / 2, 30, false);
    limber_smear_settings settings = limber_smear_settings_default();
    const uint8_t pruned[3] = {0, 0, 1}; // two bones
    settings.offsets.pruned = pruned;
    limber_smearer* ribbon = test_smearer(asset, &settings);
    settings.offsets.skeleton = false;
    limber_smearer* plane = test_smearer(asset, &settings);
    test_reel reel = test_reel_open(asset, ribbon, 0, 30, 30, 1);
    const limber_smear_frame* now = &reel.frames[0];
    float moved[60], by_ribbon[20], by_plane[20];
    limber_smear_bone moved_bones[3];
    limber_smear_frame next = {moved, NULL, moved_bones};
    move_bones(now->bones, moved_bones, 3, limberi_vec3(0, -0.1f, 0));
    for (int i = 0; i < 60; i++)
        moved[i] = now->positions[i] - (i % 3 == 1 ? 0.1f : 0);
    limber_smearer_offsets(ribbon, now, now, &next, by_ribbon);
    limber_smearer_offsets(plane, now, now, &next, by_plane);
    for (int u = 16; u < 20; u++) { // the far end of the horizontal half
        float side = now->positions[3 * u + 1] < 1 ? 1.0f : -1.0f;
        assert_true(by_ribbon[u] * side > 0.3f); // less than 1: where the capsule is bent it is thicker
        assert_true(by_plane[u] < 0.1f);
    }
    for (int u = 0; u < 4; u++) { // the foot of the half that slides along itself
        assert_true(fabsf(by_ribbon[u]) < 1e-3f);
        assert_true(by_plane[u] > 0.5f);
    }
    test_reel_close(&reel);
    limber_smearer_destroy(ribbon);
    limber_smearer_destroy(plane);
    limber_asset_destroy(asset);
}

// A baton that turns about its middle: the halves move against each other, and the offset is 0 where they meet.
static void a_motion_that_reverses_passes_through_zero(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(2, 1, 30, false);
    limber_smear_settings settings = limber_smear_settings_default();
    const uint8_t pruned[2] = {0, 1}; // one bone from end to end
    settings.offsets.pruned = pruned;
    limber_smearer* smearer = test_smearer(asset, &settings);
    float rest[60], offsets[20];
    limber_mesh_rest_positions(limber_asset_model(asset), &limber_asset_model(asset)->meshes[0], rest);
    limber_smear_bone now_bones[2], next_bones[2];
    straight_bones(now_bones);
    lay_bone(&next_bones[0], limberi_vec3(-0.1f, 0.005f, 0), limberi_vec3(0.1f, 0.995f, 0));
    next_bones[1] = next_bones[0];
    limber_smear_frame now = {rest, NULL, now_bones}, next = {rest, NULL, next_bones};
    limber_smearer_offsets(smearer, &now, &now, &next, offsets);
    for (int r = 0; r < 5; r++) // rings at 0, 1/4, 1/2, 3/4 and 1
        for (int k = 0; k < 4; k++) {
            float x = rest[3 * (4 * r + k)] / 0.25f, t = (float)r / 4, u = t * t * (3 - 2 * t);
            float expected = x * (2 * u - 1); // the interpolated direction is (2 u - 1, ~0, 0)
            assert_float_equal(offsets[4 * r + k], expected, 0.02);
        }
    limber_smearer_destroy(smearer);
    limber_asset_destroy(asset);
}

// --- flat and loose things ---

// A cut-out: the tube pressed flat. In its plane it has a front and a back; across it there is none.
// A part that turns back is still for a moment. The directions of one step flip there; steady offsets fade first.
static void steady_offsets_fade_before_the_motion_turns_back(void** state) {
    (void)state;
    limber_asset* asset = character("toon");
    const limber_model* model = limber_asset_model(asset);
    limber_smear_settings settings = limber_smear_settings_default();
    limber_smearer* stepped = test_smearer(asset, &settings);
    settings.steady_offsets = true;
    limber_smearer* steady = test_smearer(asset, &settings);
    test_reel reel = test_reel_open(asset, steady, (uint32_t)limber_model_find_clip(model, "swing"), 24, 12, 2);
    const limber_smear_frame *from = &reel.frames[0], *to = &reel.frames[1];
    float* offsets = malloc(model->vertex_count * sizeof *offsets);
    float largest[3] = {0, 0, 0};
    limber_smear_bone* near = malloc(model->rig.joint_count * sizeof *near);
    for (uint32_t j = 0; j < model->rig.joint_count; j++) { // a hundredth of the way
        near[j] = to->bones[j];
        near[j].root = limberi_lerp(to->bones[j].root, from->bones[j].root, 0.01f);
        near[j].tip = limberi_lerp(to->bones[j].tip, from->bones[j].tip, 0.01f);
    }
    limber_smear_frame slow = {to->positions, to->normals, near};
    const limber_smear_frame* starts[3] = {&slow, &slow, from};
    for (int i = 0; i < 3; i++) {
        limber_smearer_offsets(i ? steady : stepped, to, starts[i], to, offsets);
        for (uint32_t u = 0; u < model->vertex_count; u++)
            largest[i] = fmaxf(largest[i], fabsf(offsets[u]));
    }
    assert_true(largest[0] > 0.9f);  // one step: full, however slow
    assert_true(largest[1] < 0.01f); // steady: nearly none
    assert_true(largest[2] > 0.3f);  // steady and fast
    free(near);
    free(offsets);
    test_reel_close(&reel);
    limber_smearer_destroy(stepped);
    limber_smearer_destroy(steady);
    limber_asset_destroy(asset);
}

static void a_flat_figure_has_a_front_in_its_plane_only(void** state) {
    (void)state;
    limber_asset* tube = test_tube_create(2, 1, 30, false);
    limber_model flat = *limber_asset_model(tube);
    limber_mesh mesh = flat.meshes[0];
    float positions[60], offsets[20];
    for (int i = 0; i < 60; i++)
        positions[i] = i % 3 == 2 ? 0 : mesh.positions[i];
    mesh.positions = positions;
    mesh.normals = NULL;
    flat.meshes = &mesh;
    limber_asset* asset;
    limber_error error;
    if (limber_asset_create(&flat, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_smearer* smearer = test_smearer(asset, NULL);
    limber_smear_bone now_bones[2], next_bones[2];
    straight_bones(now_bones);
    limber_smear_frame now = {positions, NULL, now_bones}, next = {positions, NULL, next_bones};
    move_bones(now_bones, next_bones, 2, limberi_vec3(0.1f, 0, 0));
    limber_smearer_offsets(smearer, &now, &now, &next, offsets);
    for (int u = 0; u < 20; u++)
        assert_float_equal(offsets[u], positions[3 * u] / 0.25f, 1e-5);
    move_bones(now_bones, next_bones, 2, limberi_vec3(0, 0, 0.1f));
    limber_smearer_offsets(smearer, &now, &now, &next, offsets);
    for (int u = 0; u < 20; u++)
        assert_true(offsets[u] == 0);
    limber_smearer_destroy(smearer);
    limber_asset_destroy(asset);
    limber_asset_destroy(tube);
}

// Two balls without a skeleton, each a mesh on a separate node; one of them moves.
static void rigid_meshes_are_objects_of_their_own(void** state) {
    (void)state;
    limber_asset* ball = character("ball");
    limber_model two = *limber_asset_model(ball);
    const char* names[2] = {"left", "right"};
    const int32_t parents[2] = {-1, -1};
    const uint32_t joints[2] = {0, 1};
    limber_mat4 inverse[2] = {limber_mat4_identity(), limber_mat4_identity()};
    limber_skin skins[2] = {{"left", 1, &joints[0], &inverse[0], limber_mat4_identity()},
                            {"right", 1, &joints[1], &inverse[1], limber_mat4_identity()}};
    limber_transform rest[2] = {limber_transform_identity(), limber_transform_identity()};
    limber_mesh meshes[2] = {two.meshes[0], two.meshes[0]};
    uint16_t* influences = calloc(meshes[0].influence_first[meshes[0].vertex_count], sizeof *influences);
    rest[1].translation = limberi_vec3(3, 0, 0);
    for (uint32_t m = 0; m < 2; m++) {
        meshes[m].skin = m;
        meshes[m].influence_joint = influences;
    }
    two.rig.joint_count = two.skin_count = two.mesh_count = 2;
    two.rig.names = names;
    two.rig.parents = parents;
    two.rig.rest_local = rest;
    two.skins = skins;
    two.meshes = meshes;
    two.clip_count = 0;
    limber_asset* asset;
    limber_error error;
    if (limber_asset_create(&two, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    const limber_model* model = limber_asset_model(asset);
    limber_smear_settings settings = limber_smear_settings_default();
    settings.offsets.camera = 0; // nothing of it is scenery
    limber_smearer* smearer = test_smearer(asset, &settings);
    limber_pose poses[2];
    limber_smear_bone bones[2][2];
    float* positions = malloc(3 * (size_t)model->vertex_count * sizeof *positions);
    float* offsets = malloc(model->vertex_count * sizeof *offsets);
    for (uint32_t m = 0; m < 2; m++) {
        limber_mesh_rest_positions(model, &model->meshes[m], positions + 3 * (size_t)model->meshes[m].first_vertex);
        assert_int_equal(limber_pose_create(model, &poses[m]), LIMBER_OK);
        poses[m].local[1].translation.z += 0.1f * (float)m; // the right one moves along z
        limber_pose_update_world(model, &poses[m]);
        limber_smearer_bones(smearer, &poses[m], NULL, bones[m]);
    }
    limber_smear_frame now = {positions, NULL, bones[0]}, next = {positions, NULL, bones[1]};
    limber_smearer_offsets(smearer, &now, &now, &next, offsets);
    uint32_t half = model->meshes[1].first_vertex;
    float max = 0;
    for (uint32_t u = 0; u < model->vertex_count; u++) {
        assert_true(u >= half || offsets[u] == 0);
        max = fmaxf(max, fabsf(offsets[u]));
    }
    assert_true(max > 0.5f && max <= 1);
    for (int i = 0; i < 2; i++)
        limber_pose_destroy(&poses[i]);
    free(positions);
    free(offsets);
    free(influences);
    limber_smearer_destroy(smearer);
    limber_asset_destroy(asset);
    limber_asset_destroy(ball);
}

// --- smoothing ---

static void smoothing_is_a_mean(void** state) {
    (void)state;
    const float a[3] = {1, -1, 0.25f}, b[3] = {1, 0.5f, 0.25f}, c[3] = {1, 0, 0.25f};
    const float* one[1] = {b};
    const float* three[3] = {a, b, c};
    float out[3];
    limberi_smear_smooth(one, 0, 3, out);
    assert_memory_equal(out, b, sizeof b);
    limberi_smear_smooth(three, 1, 3, out);
    double w = 0.5625; // (1 - (1/2)^2)^2
    assert_float_equal(out[0], 1, 1e-6);
    assert_true(fabs((double)out[1] - (0.5 - w) / (1 + 2 * w)) < 1e-6);
    assert_float_equal(out[2], 0.25, 1e-6);
}

// --- what holds for every character ---

static void check_range(const limber_asset* asset, const char* name) {
    const limber_model* model = limber_asset_model(asset);
    for (int skeleton = 0; skeleton < 2; skeleton++) {
        limber_smear_settings settings = limber_smear_settings_default();
        settings.offsets.skeleton = skeleton;
        limber_smearer* smearer = test_smearer(asset, &settings);
        for (uint32_t c = 0; c < model->clip_count; c++) {
            test_reel reel = test_reel_open(asset, smearer, c, 24, 0, 8);
            for (uint32_t f = 0; f + 1 < reel.count; f++) {
                float* offsets = offsets_of(smearer, &reel, f);
                for (uint32_t u = 0; u < model->vertex_count; u++)
                    if (!(fabsf(offsets[u]) <= 1))
                        fail_msg("%s: offset %g", name, (double)offsets[u]);
                free(offsets);
            }
            test_reel_close(&reel);
        }
        limber_smearer_destroy(smearer);
    }
}

static void offsets_stay_within_one(void** state) {
    (void)state;
    for (uint32_t i = 0; i < test_character_count(); i++) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        check_range(asset, test_character_name(i));
        test_character_free(asset, gltf);
    }
}

// Whether both vertices hang on the same joints with the same weights.
static bool same_weights(const limber_mesh* mesh, uint32_t a, uint32_t b) {
    uint32_t first = mesh->influence_first[a], other = mesh->influence_first[b];
    uint32_t count = mesh->influence_first[a + 1] - first;
    return count == mesh->influence_first[b + 1] - other &&
           memcmp(mesh->influence_joint + first, mesh->influence_joint + other,
                  count * sizeof *mesh->influence_joint) == 0 &&
           memcmp(mesh->influence_weight + first, mesh->influence_weight + other,
                  count * sizeof *mesh->influence_weight) == 0;
}

// The largest difference of offsets along an edge where weights change, in some frames of the clips.
static double largest_jump(const char* name, double detail) {
    limber_asset* asset;
    limber_error error;
    if (limberi_character_create(name, detail, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    const limber_model* model = limber_asset_model(asset);
    limber_smearer* smearer = test_smearer(asset, NULL);
    double jump = 0;
    for (uint32_t c = 0; c < model->clip_count; c++) {
        test_reel reel = test_reel_open(asset, smearer, c, 24, 4, 4);
        for (uint32_t f = 0; f + 1 < reel.count; f++) {
            float* offsets = offsets_of(smearer, &reel, f);
            for (uint32_t m = 0; m < model->mesh_count; m++) {
                const limber_mesh* mesh = &model->meshes[m];
                const float* of_mesh = offsets + mesh->first_vertex;
                for (uint32_t e = 0; e < 3 * mesh->triangle_count; e++) {
                    uint32_t a = mesh->triangles[e], b = mesh->triangles[e % 3 == 2 ? e - 2 : e + 1];
                    if (!same_weights(mesh, a, b))
                        jump = fmax(jump, fabs((double)of_mesh[a] - (double)of_mesh[b]));
                }
            }
            free(offsets);
        }
        test_reel_close(&reel);
    }
    limber_smearer_destroy(smearer);
    limber_asset_destroy(asset);
    return jump;
}

// A field that jumped at joints would jump as far on a mesh with shorter edges.
static void offsets_are_continuous_across_joints(void** state) {
    (void)state;
    static const struct {
        const char* name;
        double max, shrinks; // at twice the detail: the jump, and its part of the one before
    } cases[] = {{"cylinder", 0.12, 0.52},
                 {"giraffe", 0.8, 0.6},
                 {"snail", 0.3, 0.52},
                 {"cow", 0.55, 0.8},
                 {"flower", 0.55, 0.8}};
    for (int i = 0; i < 5; i++) {
        double coarse = largest_jump(cases[i].name, 1), fine = largest_jump(cases[i].name, 2);
        if (fine > cases[i].max || fine > cases[i].shrinks * coarse)
            fail_msg("%s: jumps by %g and, with half the edges, %g", cases[i].name, coarse, fine);
    }
}

// --- what must not change them ---

// The character under a joint that stands elsewhere, turned and of another size.
static void check_elsewhere(const char* name, const limber_transform* above) {
    limber_asset* asset = character(name);
    const limber_model* model = limber_asset_model(asset);
    limber_asset* other = test_rearranged(model, NULL, above);
    limber_smear_settings settings = limber_smear_settings_default();
    settings.size = model->size;
    limber_smearer* here = test_smearer(asset, &settings);
    settings.size = model->size * above->scale.x; // the box of a turned character differs, L must not
    limber_smearer* there = test_smearer(other, &settings);
    for (uint32_t c = 0; c < model->clip_count; c++) {
        test_reel a = test_reel_open(asset, here, c, 24, 5, 3), b = test_reel_open(other, there, c, 24, 5, 3);
        for (uint32_t f = 0; f + 1 < a.count; f++) {
            float *x = offsets_of(here, &a, f), *y = offsets_of(there, &b, f);
            for (uint32_t u = 0; u < model->vertex_count; u++)
                if (fabsf(x[u] - y[u]) > 5e-3f && !test_offset_is_delicate(model, &a.poses[f], &a.poses[f + 1], u))
                    fail_msg("%s clip %u: %g and %g", name, c, (double)x[u], (double)y[u]);
            free(x);
            free(y);
        }
        test_reel_close(&a);
        test_reel_close(&b);
    }
    limber_smearer_destroy(here);
    limber_smearer_destroy(there);
    limber_asset_destroy(other);
    limber_asset_destroy(asset);
}

static void the_world_may_be_elsewhere_and_of_any_size(void** state) {
    (void)state;
    static const char* const names[] = {"ball", "cow", "cylinder", "giraffe"};
    limber_transform above = limber_transform_identity();
    for (int i = 0; i < 4; i++) {
        above = limber_transform_identity();
        above.translation = limberi_vec3(0.7f, -1.3f, 2.1f);
        above.rotation = limberi_quat_exp(limberi_vec3(0.4f, 2.2f, -0.9f));
        check_elsewhere(names[i], &above);
        above = limber_transform_identity();
        above.scale = limberi_vec3(100, 100, 100);
        check_elsewhere(names[i], &above);
    }
}

// The same mesh with its vertices backwards.
static void the_order_of_vertices_does_not_matter(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, false);
    limber_model turned = *limber_asset_model(asset);
    limber_mesh mesh = turned.meshes[0];
    float positions[60], weights[40];
    uint32_t first[21], triangles[96];
    uint16_t joints[40];
    uint32_t n = 0;
    for (uint32_t u = 0; u < 20; u++) {
        uint32_t from = 19 - u;
        memcpy(positions + 3 * u, mesh.positions + 3 * from, 3 * sizeof(float));
        first[u] = n;
        for (uint32_t i = mesh.influence_first[from]; i < mesh.influence_first[from + 1]; i++, n++) {
            joints[n] = mesh.influence_joint[i];
            weights[n] = mesh.influence_weight[i];
        }
    }
    first[20] = n;
    for (uint32_t i = 0; i < 3 * mesh.triangle_count; i++)
        triangles[i] = 19 - mesh.triangles[i];
    mesh.positions = positions;
    mesh.normals = NULL;
    mesh.influence_first = first;
    mesh.influence_joint = joints;
    mesh.influence_weight = weights;
    mesh.triangles = triangles;
    turned.meshes = &mesh;
    limber_asset* other;
    limber_error error;
    if (limber_asset_create(&turned, &other, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    limber_smearer *a = test_smearer(asset, NULL), *b = test_smearer(other, NULL);
    test_reel forth = test_reel_open(asset, a, 0, 30, 5, 2), back = test_reel_open(other, b, 0, 30, 5, 2);
    float *x = offsets_of(a, &forth, 0), *y = offsets_of(b, &back, 0);
    for (uint32_t u = 0; u < 20; u++)
        assert_float_equal(x[u], y[19 - u], 1e-6);
    free(x);
    free(y);
    test_reel_close(&forth);
    test_reel_close(&back);
    limber_smearer_destroy(a);
    limber_smearer_destroy(b);
    limber_asset_destroy(other);
    limber_asset_destroy(asset);
}

static void what_stands_still_has_no_offset(void** state) {
    (void)state;
    for (int skeleton = 0; skeleton < 2; skeleton++) {
        limber_asset* asset = character("cow");
        limber_smear_settings settings = limber_smear_settings_default();
        settings.offsets.skeleton = skeleton;
        limber_smearer* smearer = test_smearer(asset, &settings);
        test_reel reel = test_reel_open(asset, smearer, 0, 24, 3, 1);
        float* offsets = malloc(((size_t)reel.model->vertex_count + 1) * sizeof *offsets);
        limber_smearer_offsets(smearer, &reel.frames[0], &reel.frames[0], &reel.frames[0], offsets);
        for (uint32_t u = 0; u < reel.model->vertex_count; u++)
            assert_true(offsets[u] == 0);
        free(offsets);
        test_reel_close(&reel);
        limber_smearer_destroy(smearer);
        limber_asset_destroy(asset);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_of_the_ball_are_signed_distances),
        cmocka_unit_test(offsets_equal_the_formulas_as_they_are_written),
        cmocka_unit_test(offsets_may_be_normalized_as_printed),
        cmocka_unit_test(pruned_bones_hand_their_vertices_to_the_bone_above),
        cmocka_unit_test(fingers_and_strands_can_be_pruned_by_size),
        cmocka_unit_test(collinear_motion_is_not_sheared),
        cmocka_unit_test(a_ribbon_follows_the_bones_where_a_plane_does_not),
        cmocka_unit_test(a_motion_that_reverses_passes_through_zero),
        cmocka_unit_test(steady_offsets_fade_before_the_motion_turns_back),
        cmocka_unit_test(a_flat_figure_has_a_front_in_its_plane_only),
        cmocka_unit_test(rigid_meshes_are_objects_of_their_own),
        cmocka_unit_test(smoothing_is_a_mean),
        cmocka_unit_test(offsets_stay_within_one),
        cmocka_unit_test(offsets_are_continuous_across_joints),
        cmocka_unit_test(the_world_may_be_elsewhere_and_of_any_size),
        cmocka_unit_test(the_order_of_vertices_does_not_matter),
        cmocka_unit_test(what_stands_still_has_no_offset),
    };
    return cmocka_run_group_tests_name("smear", tests, NULL, NULL);
}
