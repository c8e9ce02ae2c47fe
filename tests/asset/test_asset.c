// Load-time checks, derived quantities, clip facts and pose sampling.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"

static bool near(float a, float b, float tolerance) {
    return fabsf(a - b) <= tolerance;
}

static void upward_weights_add_up_the_descendants(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, false);
    const limber_model* model = limber_asset_model(asset);
    float dense[3];
    limber_mesh_upward_weights(model, &model->meshes[0], 4, dense); // second ring: half way up the first bone
    assert_true(near(dense[0], 1, 1e-6f) && near(dense[1], 0.5f, 1e-6f) && near(dense[2], 0, 0));
    limber_mesh_upward_weights(model, &model->meshes[0], 16, dense); // top ring
    assert_true(near(dense[0], 1, 1e-6f) && near(dense[1], 1, 1e-6f) && near(dense[2], 1, 1e-6f));
    limber_asset_destroy(asset);
}

// Each ring but the outer two owns as much area as the others, the outer two half of it.
static void centroid_is_the_area_weighted_mean_of_upward_weights(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, false);
    const limber_rig* rig = &limber_asset_model(asset)->rig;
    assert_true(near(rig->centroid[0].y, 1, 1e-5f) && near(rig->centroid[0].x, 0, 1e-6f));
    // Joint 1: weights 0, .5, 1, 1, 1 at heights 0, .5, 1, 1.5, 2, areas 1, 2, 2, 2, 1.
    float expected = (0.5f * 2 * 0.5f + 2 * 1 + 2 * 1.5f + 1 * 2) / (0.5f * 2 + 2 + 2 + 1) - 1;
    assert_true(near(rig->centroid[1].y, expected, 1e-5f));
    assert_true(near(rig->medial_axis[1].y, 1, 1e-6f) && near(rig->bone_direction[0].y, 1, 1e-6f));
    assert_true(near(rig->bone_direction[2].y, -1, 1e-6f) || near(rig->bone_direction[2].y, 1, 1e-6f));
    limber_asset_destroy(asset);
}

static void looks_that_are_not_finite_count_as_nothing(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, false);
    limber_model model = *limber_asset_model(asset);
    limber_mesh mesh = model.meshes[0];
    float normals[60] = {1, NAN}, uvs[40] = {INFINITY, 1}, colors[80] = {0, -INFINITY, 1};
    assert_int_equal(mesh.vertex_count, 20);
    mesh.normals = normals;
    mesh.uvs = uvs;
    mesh.colors = colors;
    model.meshes = &mesh;
    limber_asset* made;
    assert_int_equal(limber_asset_create(&model, &made, NULL), LIMBER_OK);
    const limber_mesh* kept = &limber_asset_model(made)->meshes[0];
    assert_true(kept->normals[0] == 1 && kept->normals[1] == 0);
    assert_true(kept->uvs[0] == 0 && kept->uvs[1] == 1);
    assert_true(kept->colors[1] == 0 && kept->colors[2] == 1);
    limber_asset_destroy(made);
    limber_asset_destroy(asset);
}

static void areas_add_up_to_the_surface(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, false);
    const limber_model* model = limber_asset_model(asset);
    float sum = 0;
    for (uint32_t u = 0; u < model->vertex_count; u++)
        sum += model->meshes[0].areas[u];
    assert_true(near(sum, 4 * 0.5f * 2, 1e-5f));
    assert_true(near(model->size, sqrtf(0.25f + 4 + 0.25f), 1e-5f));
    limber_asset_destroy(asset);
}

static void derived_quantities_of_every_character_are_finite(void** state) {
    (void)state;
    for (uint32_t i = 0; i < test_character_count(); i++) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        const limber_model* model = limber_asset_model(asset);
        assert_true(model->size > 0 && isfinite(model->size));
        for (uint32_t j = 0; j < model->rig.joint_count; j++) {
            limber_vec3 c = model->rig.centroid[j], l = model->rig.bone_direction[j];
            assert_true(isfinite(c.x + c.y + c.z) && isfinite(l.x + l.y + l.z));
            assert_true(limberi_length(l) < 1.001f);
            assert_true(model->rig.parents[j] < (int32_t)j);
        }
        for (uint32_t m = 0; m < model->mesh_count; m++) {
            const limber_mesh* mesh = &model->meshes[m];
            for (uint32_t u = 0; u < mesh->vertex_count; u++) {
                float sum = 0;
                for (uint32_t k = mesh->influence_first[u]; k < mesh->influence_first[u + 1]; k++)
                    sum += mesh->influence_weight[k];
                assert_true(near(sum, 1, 1e-5f));
            }
        }
        test_character_free(asset, gltf);
    }
}

static void upward_sum_identity_holds_on_every_character(void** state) {
    (void)state;
    // sum_j B_j f_j = sum_k b_k sum_{j in k and its ancestors} f_j, for any f.
    for (uint32_t i = 0; i < test_character_count(); i++) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        const limber_model* model = limber_asset_model(asset);
        uint32_t joints = model->rig.joint_count;
        float* dense = calloc(joints, sizeof *dense);
        float* chain = calloc(joints, sizeof *chain);
        for (uint32_t j = 0; j < joints; j++) {
            float f = sinf((float)j * 12.9898f);
            chain[j] = f + (model->rig.parents[j] < 0 ? 0 : chain[model->rig.parents[j]]);
        }
        for (uint32_t m = 0; m < model->mesh_count; m++) {
            const limber_mesh* mesh = &model->meshes[m];
            const limber_skin* skin = &model->skins[mesh->skin];
            for (uint32_t u = 0; u < mesh->vertex_count; u += 7) {
                double left = 0, right = 0;
                limber_mesh_upward_weights(model, mesh, u, dense);
                for (uint32_t j = 0; j < joints; j++)
                    left += (double)dense[j] * (double)sinf((float)j * 12.9898f);
                for (uint32_t k = mesh->influence_first[u]; k < mesh->influence_first[u + 1]; k++)
                    right += (double)mesh->influence_weight[k] * (double)chain[skin->joints[mesh->influence_joint[k]]];
                assert_true(fabs(left - right) < 1e-4);
            }
        }
        free(dense);
        free(chain);
        test_character_free(asset, gltf);
    }
}

// A copy of the tube's model whose parts a test may spoil.
typedef struct spoiled {
    limber_model model;
    limber_mesh mesh;
    limber_skin skin;
    limber_clip clip;
    limber_channel channel;
    limber_transform rest[3];
    int32_t parents[3];
    uint32_t skin_joints[3], first[21], triangles[96];
    uint16_t joints[40];
    limber_mat4 inverse[3];
    float positions[60], weights[40], times[31], values[124], layer_values[20];
    limber_layer layer;
    limber_part part;
} spoiled;

static void spoil_begin(spoiled* s, const limber_model* model) {
    const limber_mesh* mesh = &model->meshes[0];
    s->model = *model;
    s->mesh = *mesh;
    s->skin = model->skins[0];
    s->clip = model->clips[0];
    s->channel = model->clips[0].channels[0];
    memcpy(s->rest, model->rig.rest_local, sizeof s->rest);
    memcpy(s->parents, model->rig.parents, sizeof s->parents);
    memcpy(s->skin_joints, s->skin.joints, sizeof s->skin_joints);
    memcpy(s->inverse, s->skin.joint_from_mesh, sizeof s->inverse);
    memcpy(s->first, mesh->influence_first, sizeof s->first);
    memcpy(s->joints, mesh->influence_joint, s->first[20] * sizeof(uint16_t));
    memcpy(s->weights, mesh->influence_weight, s->first[20] * sizeof(float));
    memcpy(s->triangles, mesh->triangles, 3 * mesh->triangle_count * sizeof(uint32_t));
    memcpy(s->positions, mesh->positions, sizeof s->positions);
    memcpy(s->times, s->channel.times, sizeof s->times);
    memcpy(s->values, s->channel.values, sizeof s->values);
    s->layer.name = "floppy";
    s->layer.values = s->layer_values;
    memset(s->layer_values, 0, sizeof s->layer_values);
    s->part = (limber_part){0, 20, 0, 32, -1};
    s->model.rig.rest_local = s->rest;
    s->model.rig.parents = s->parents;
    s->model.skins = &s->skin;
    s->model.meshes = &s->mesh;
    s->model.clips = &s->clip;
    s->skin.joints = s->skin_joints;
    s->skin.joint_from_mesh = s->inverse;
    s->mesh.influence_first = s->first;
    s->mesh.influence_joint = s->joints;
    s->mesh.influence_weight = s->weights;
    s->mesh.triangles = s->triangles;
    s->mesh.positions = s->positions;
    s->mesh.layer_count = s->mesh.part_count = 1;
    s->mesh.layers = &s->layer;
    s->mesh.parts = &s->part;
    s->clip.channels = &s->channel;
    s->channel.times = s->times;
    s->channel.values = s->values;
}

typedef void (*spoiler)(spoiled* s);

static void bad_parent(spoiled* s) {
    s->parents[1] = 2;
}
static void bad_parent_self(spoiled* s) {
    s->parents[1] = 1;
}
static void bad_parent_negative(spoiled* s) {
    s->parents[1] = -2;
}
static void bad_rest(spoiled* s) {
    s->rest[1].rotation.x = NAN;
}
static void bad_joint_count(spoiled* s) {
    s->model.rig.joint_count = LIMBER_JOINT_LIMIT + 1;
}
static void bad_skin_joint(spoiled* s) {
    s->skin_joints[2] = 3;
}
static void bad_skin_empty(spoiled* s) {
    s->skin.joint_count = 0;
}
static void bad_inverse(spoiled* s) {
    s->inverse[0].m[3] = INFINITY;
}
static void bad_mesh_skin(spoiled* s) {
    s->mesh.skin = 1;
}
static void bad_position(spoiled* s) {
    s->positions[17] = NAN;
}
static void bad_influence_joint(spoiled* s) {
    s->joints[3] = 3;
}
static void bad_weight(spoiled* s) {
    s->weights[3] = NAN;
}
static void bad_weight_negative(spoiled* s) {
    s->weights[3] = -0.1f;
}
static void bad_weight_sum(spoiled* s) {
    s->weights[0] = 0;
}
static void bad_influence_order(spoiled* s) {
    s->first[3] = s->first[2];
}
static void bad_triangle(spoiled* s) {
    s->triangles[5] = 20;
}
static void bad_part(spoiled* s) {
    s->part.first_triangle = 1;
}
static void bad_material(spoiled* s) {
    s->part.material = 0;
}
static void bad_layer(spoiled* s) {
    s->layer_values[4] = INFINITY;
}
static void bad_target(spoiled* s) {
    s->channel.target = 3;
}
static void bad_keys(spoiled* s) {
    s->channel.key_count = 0;
}
static void bad_times(spoiled* s) {
    s->times[5] = s->times[4];
}
static void bad_time(spoiled* s) {
    s->times[30] = NAN;
}
static void bad_value(spoiled* s) {
    s->values[40] = NAN;
}
static void bad_path(spoiled* s) {
    s->channel.path = (limber_channel_path)9;
}

static void every_broken_model_is_refused_with_a_place(void** state) {
    (void)state;
    static const spoiler spoilers[] = {bad_parent,
                                       bad_parent_self,
                                       bad_parent_negative,
                                       bad_rest,
                                       bad_joint_count,
                                       bad_skin_joint,
                                       bad_skin_empty,
                                       bad_inverse,
                                       bad_mesh_skin,
                                       bad_position,
                                       bad_influence_joint,
                                       bad_weight,
                                       bad_weight_negative,
                                       bad_weight_sum,
                                       bad_influence_order,
                                       bad_triangle,
                                       bad_part,
                                       bad_material,
                                       bad_layer,
                                       bad_target,
                                       bad_keys,
                                       bad_times,
                                       bad_time,
                                       bad_value,
                                       bad_path};
    limber_asset* good = test_tube_create(3, 1, 30, false);
    for (size_t i = 0; i < sizeof spoilers / sizeof *spoilers; i++) {
        spoiled s;
        limber_asset* asset = good;
        limber_error error;
        spoil_begin(&s, limber_asset_model(good));
        assert_int_equal(limber_asset_create(&s.model, &asset, &error), LIMBER_OK); // unspoiled it is fine
        limber_asset_destroy(asset);
        spoilers[i](&s);
        limber_result result = limber_asset_create(&s.model, &asset, &error);
        if (result == LIMBER_OK)
            fail_msg("spoiled model %zu was accepted", i);
        assert_null(asset);
        assert_int_equal(error.result, result);
        assert_true(strlen(error.message) > 8);
        assert_true(result == LIMBER_ERROR_LIMIT || strlen(error.place) > 4);
    }
    limber_asset_destroy(good);
}

static void weights_are_normalised_on_load(void** state) {
    (void)state;
    limber_asset *good = test_tube_create(3, 1, 30, false), *asset;
    spoiled s;
    spoil_begin(&s, limber_asset_model(good));
    for (uint32_t i = 0; i < s.first[20]; i++)
        s.weights[i] *= 7;
    assert_int_equal(limber_asset_create(&s.model, &asset, NULL), LIMBER_OK);
    const limber_mesh* a = &limber_asset_model(asset)->meshes[0];
    const limber_mesh* b = &limber_asset_model(good)->meshes[0];
    for (uint32_t i = 0; i < s.first[20]; i++)
        assert_true(near(a->influence_weight[i], b->influence_weight[i], 1e-6f));
    limber_asset_destroy(asset);
    limber_asset_destroy(good);
}

static void clip_facts_follow_from_the_keys(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 24, false);
    const limber_clip* clip = &limber_asset_model(asset)->clips[0];
    assert_true(clip->fps == 24 && clip->start_s == 0 && clip->end_s == 1 && !clip->loops && clip->cut_count == 0);
    assert_true(fabs(clip->key_step_s - 1 / 24.0) < 1e-6);
    limber_asset_destroy(asset);
    asset = test_tube_create(3, 1, 30, true);
    assert_true(limber_asset_model(asset)->clips[0].loops);
    limber_asset_destroy(asset);
}

static void frames_cover_the_clip_to_its_exact_end(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, false);
    const limber_clip* clip = &limber_asset_model(asset)->clips[0];
    assert_int_equal(limber_clip_frame_count(clip, 30), 31);
    assert_int_equal(limber_clip_frame_count(clip, 24), 25);
    assert_int_equal(limber_clip_frame_count(clip, 7.3), 9); // 0 ... 7/7.3, and the end
    assert_true(limber_clip_frame_time(clip, 7.3, 8) == 1);
    assert_true(limber_clip_frame_time(clip, 30, 30) == 1);
    assert_true(fabs(limber_clip_frame_time(clip, 30, 7) - 7 / 30.0) < 1e-12);
    limber_frame_range range = limber_clip_frames_between(clip, 30, 0.5, 0.6);
    assert_int_equal(range.first, 15);
    assert_int_equal(range.count, 4);
    range = limber_clip_frames_between(clip, 7.3, 0.97, 5);
    assert_int_equal(range.first, 8);
    assert_int_equal(range.count, 1);
    assert_int_equal(limber_clip_frames_between(clip, 30, 2, 3).count, 0);
    limber_asset_destroy(asset);
}

static void wrap_keeps_a_loop_inside_and_clamps_the_rest(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, true);
    const limber_clip* clip = &limber_asset_model(asset)->clips[0];
    assert_true(fabs(limber_clip_wrap(clip, true, 3.25) - 0.25) < 1e-12);
    assert_true(fabs(limber_clip_wrap(clip, true, -0.25) - 0.75) < 1e-12);
    assert_true(limber_clip_wrap(clip, true, 1) == 0);
    assert_true(limber_clip_wrap(clip, false, 3) == 1 && limber_clip_wrap(clip, false, -3) == 0);
    assert_true(limber_clip_wrap(clip, true, NAN) == 0);
    limber_asset_destroy(asset);
}

static void interpolations_follow_their_definition(void** state) {
    (void)state;
    limber_asset *good = test_tube_create(3, 1, 30, false), *asset;
    spoiled s;
    // Translation of joint 1: keys at 0, 0.5 and 1 s.
    static const float times[3] = {0, 0.5f, 1}, plain[9] = {0, 0, 0, 1, 2, 3, 0, 0, 0};
    static const float cubic[27] = {0, 0, 0, 0, 0, 0, 4, 0, 0, 4, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const limber_interpolation kinds[3] = {LIMBER_INTERPOLATION_STEP, LIMBER_INTERPOLATION_LINEAR,
                                           LIMBER_INTERPOLATION_CUBIC};
    const float expected[3] = {0, 0.5f, 0.5f + 0.5f * (0.125f * 4 - 0.125f * 4)}; // x at a quarter of a second
    for (int i = 0; i < 3; i++) {
        spoil_begin(&s, limber_asset_model(good));
        s.channel.path = LIMBER_CHANNEL_TRANSLATION;
        s.channel.interpolation = kinds[i];
        s.channel.key_count = 3;
        s.channel.times = times;
        s.channel.values = kinds[i] == LIMBER_INTERPOLATION_CUBIC ? cubic : plain;
        assert_int_equal(limber_asset_create(&s.model, &asset, NULL), LIMBER_OK);
        const limber_model* model = limber_asset_model(asset);
        limber_pose pose;
        assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
        limber_clip_sample(model, &model->clips[0], 0.25, &pose);
        assert_true(near(pose.local[1].translation.x, expected[i], 1e-6f));
        limber_clip_sample(model, &model->clips[0], 0.5, &pose);
        assert_true(near(pose.local[1].translation.z, 3, 1e-6f));
        limber_clip_sample(model, &model->clips[0], 9, &pose);
        assert_true(near(pose.local[1].translation.z, 0, 1e-6f));
        limber_pose_destroy(&pose);
        limber_asset_destroy(asset);
    }
    limber_asset_destroy(good);
}

static void inserted_pose_at_the_start_is_a_cut_and_fast_motion_is_not(void** state) {
    (void)state;
    limber_asset *good = test_tube_create(3, 1, 30, false), *asset;
    spoiled s;
    float moves[93];
    for (int fast = 0; fast < 2; fast++) {
        spoil_begin(&s, limber_asset_model(good));
        for (int k = 0; k <= 30; k++) {
            moves[3 * k] = fast ? 3.0f * (float)k : (k == 0 ? 0 : 5 + 0.01f * (float)k);
            moves[3 * k + 1] = moves[3 * k + 2] = 0;
        }
        s.channel.path = LIMBER_CHANNEL_TRANSLATION;
        s.channel.target = 0;
        s.channel.values = moves;
        assert_int_equal(limber_asset_create(&s.model, &asset, NULL), LIMBER_OK);
        const limber_clip* clip = &limber_asset_model(asset)->clips[0];
        assert_int_equal(clip->cut_count, fast ? 0 : 1);
        if (!fast)
            assert_true(clip->cuts[0].before_s == 0 && fabs(clip->cuts[0].after_s - 1 / 30.0) < 1e-6);
        limber_asset_destroy(asset);
    }
    limber_asset_destroy(good);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upward_weights_add_up_the_descendants),
        cmocka_unit_test(centroid_is_the_area_weighted_mean_of_upward_weights),
        cmocka_unit_test(areas_add_up_to_the_surface),
        cmocka_unit_test(looks_that_are_not_finite_count_as_nothing),
        cmocka_unit_test(derived_quantities_of_every_character_are_finite),
        cmocka_unit_test(upward_sum_identity_holds_on_every_character),
        cmocka_unit_test(every_broken_model_is_refused_with_a_place),
        cmocka_unit_test(weights_are_normalised_on_load),
        cmocka_unit_test(clip_facts_follow_from_the_keys),
        cmocka_unit_test(frames_cover_the_clip_to_its_exact_end),
        cmocka_unit_test(wrap_keeps_a_loop_inside_and_clamps_the_rest),
        cmocka_unit_test(interpolations_follow_their_definition),
        cmocka_unit_test(inserted_pose_at_the_start_is_a_cut_and_fast_motion_is_not),
    };
    return cmocka_run_group_tests_name("asset", tests, NULL, NULL);
}
