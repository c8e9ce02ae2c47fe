// Fitting cones: exact ones in any pose are found again, noise and cylinders are survived, the residual is honest.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "deform/effects/cone.h"
#include "kit/scene.h"

enum { AROUND = 24, ALONG = 10, POINTS = AROUND * ALONG };

static uint32_t seed = 1;

static float noise(void) {
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608.0f - 1.0f;
}

typedef struct truth {
    limber_vec3 apex, axis;        // world
    float half_angle, first, last; // heights from the apex that are covered
    float turn;                    // part of the full circle that is covered
} truth;

// Of one mesh and the joints of its skin.
static limber_asset* character_of(const limber_mesh* mesh, const limber_skin* skin, const int32_t* parents,
                                  const limber_transform* rest) {
    limber_model model = limber_model_default();
    model.rig.joint_count = skin->joint_count;
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    model.skin_count = model.mesh_count = 1;
    model.skins = skin;
    model.meshes = mesh;
    limber_asset* asset;
    assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
    return asset;
}

// A character of one joint (placed anywhere) whose vertices lie on the cone.
static limber_asset* cone_character(const truth* t, float jitter, const limber_transform* joint) {
    static float positions[3 * POINTS], weights[POINTS];
    static uint32_t first[POINTS + 1], triangles[6 * POINTS], joints[1] = {0};
    static uint16_t influence[POINTS];
    static int32_t parent[1] = {-1};
    limber_vec3 helper = fabsf(t->axis.x) < 0.6f ? limberi_vec3(1, 0, 0) : limberi_vec3(0, 1, 0);
    limber_vec3 u = limberi_normalize(limberi_cross(helper, t->axis)), v = limberi_cross(t->axis, u);
    uint32_t n = 0;
    for (uint32_t r = 0; r < ALONG; r++) {
        for (uint32_t k = 0; k < AROUND; k++) {
            float h = t->first + (t->last - t->first) * (float)r / (ALONG - 1);
            float around = t->turn * 6.2831853f * (float)k / AROUND,
                  radius = h * tanf(t->half_angle) + jitter * noise();
            limber_vec3 p = limberi_add(t->apex, limberi_scale(t->axis, h));
            p = limberi_add(p, limberi_scale(u, radius * cosf(around)));
            p = limberi_add(p, limberi_scale(v, radius * sinf(around)));
            uint32_t i = r * AROUND + k;
            limberi_store3(positions + 3 * i, p);
            first[i] = i;
            weights[i] = 1;
            if (r + 1 < ALONG && k + 1 < AROUND) {
                const uint32_t quad[6] = {i, i + 1, i + AROUND, i + 1, i + AROUND + 1, i + AROUND};
                memcpy(triangles + 6 * n++, quad, sizeof quad);
            }
        }
    }
    first[POINTS] = POINTS;
    limber_mat4 world = limberi_mat4_from_transform(joint), inverse;
    assert_true(limberi_mat4_inverse(&world, &inverse));
    limber_skin skin = {"cone", 1, joints, &inverse, limber_mat4_identity()};
    limber_mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.vertex_count = POINTS;
    mesh.triangle_count = 2 * n;
    mesh.positions = positions;
    mesh.triangles = triangles;
    mesh.influence_first = first;
    mesh.influence_joint = influence;
    mesh.influence_weight = weights;
    return character_of(&mesh, &skin, parent, joint);
}

static truth random_truth(void) {
    truth t;
    t.apex = limberi_vec3(noise(), noise(), noise());
    t.axis = limberi_normalize(limberi_vec3(noise(), noise(), noise() + 1e-3f));
    t.half_angle = 0.15f + 0.4f * (noise() + 1);
    t.first = 0.3f;
    t.last = 1.0f + 0.5f * (noise() + 1);
    t.turn = 1;
    return t;
}

static limber_transform random_joint(void) {
    limber_transform joint = limber_transform_identity();
    joint.translation = limberi_vec3(noise(), noise(), noise());
    joint.rotation = limberi_quat_exp(limberi_vec3(2 * noise(), 2 * noise(), 2 * noise()));
    float scale = powf(10, noise());
    joint.scale = limberi_vec3(scale, scale, scale);
    return joint;
}

static void exact_cones_of_any_pose_are_found_again(void** state) {
    (void)state;
    for (int i = 0; i < 60; i++) {
        truth t = random_truth();
        limber_transform joint = random_joint();
        limber_asset* asset = cone_character(&t, 0, &joint);
        const limber_model* model = limber_asset_model(asset);
        limber_cone cone;
        float residual;
        limber_error error;
        assert_int_equal(limberi_cone_fit(model, 0, &cone, &residual, &error), LIMBER_OK);
        limber_mat4 world = limberi_mat4_from_transform(&joint);
        limber_vec3 apex = limberi_mat4_point(&world, cone.apex);
        limber_vec3 axis = limberi_normalize(limberi_mat4_vector(&world, cone.axis));
        assert_true(limberi_length(limberi_sub(apex, t.apex)) < 1e-3f * model->size);
        assert_true(limberi_length(limberi_sub(axis, t.axis)) < 1e-3f);
        assert_true(fabsf(cone.half_angle_rad - t.half_angle) < 1e-3f);
        assert_true(residual < 1e-5f);
        assert_true(fabsf(cone.base_radius - t.first * tanf(t.half_angle)) < 0.02f * model->size);
        limber_asset_destroy(asset);
    }
}

static void noise_moves_the_fit_little_and_shows_in_the_residual(void** state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        truth t = random_truth();
        limber_transform joint = limber_transform_identity();
        limber_asset* asset = cone_character(&t, 0.02f, &joint);
        const limber_model* model = limber_asset_model(asset);
        limber_cone cone;
        float residual;
        assert_int_equal(limberi_cone_fit(model, 0, &cone, &residual, NULL), LIMBER_OK);
        assert_true(limberi_length(limberi_sub(cone.axis, t.axis)) < 0.05f);
        assert_true(fabsf(cone.half_angle_rad - t.half_angle) < 0.05f);
        // Uniform noise of half width 0.02 has a root mean square of 0.0115, seen along the normal.
        float expected = 0.02f / sqrtf(3) * cosf(t.half_angle) / model->size;
        assert_true(residual > 0.7f * expected && residual < 1.3f * expected);
        limber_asset_destroy(asset);
    }
}

static void a_cylinder_is_nearly_a_cone_without_an_opening(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    limber_cone cone;
    float residual;
    assert_int_equal(limberi_cone_fit(s.model, 1, &cone, &residual, NULL), LIMBER_OK);
    assert_true(fabsf(fabsf(cone.axis.y) - 1) < 0.02f && cone.half_angle_rad < 0.1f);
    assert_true(isfinite(cone.apex.x + cone.apex.y + cone.apex.z));
    test_scene_close(&s);
}

static void a_joint_without_vertices_is_an_error_with_its_name(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cow");
    uint32_t empty = UINT32_MAX;
    float* dense = calloc(s.model->rig.joint_count, sizeof *dense);
    uint32_t* owned = calloc(s.model->rig.joint_count, sizeof *owned);
    for (uint32_t m = 0; m < s.model->mesh_count; m++)
        for (uint32_t u = 0; u < s.model->meshes[m].vertex_count; u++) {
            limber_mesh_upward_weights(s.model, &s.model->meshes[m], u, dense);
            for (uint32_t j = 0; j < s.model->rig.joint_count; j++)
                owned[j] += dense[j] >= 0.5f;
        }
    for (uint32_t j = 0; j < s.model->rig.joint_count; j++)
        if (owned[j] < 12)
            empty = j;
    free(dense);
    free(owned);
    limber_cone cone;
    float residual;
    limber_error error;
    if (empty != UINT32_MAX) {
        assert_int_equal(limberi_cone_fit(s.model, empty, &cone, &residual, &error), LIMBER_ERROR_DATA);
        assert_non_null(strstr(error.place, s.model->rig.names[empty]));
    }
    s.settings.deform.effects[LIMBER_EFFECT_LIFT].angular.value = 1; // a cone, but on no joint
    limber_pipeline* pipeline;
    assert_int_equal(limber_pipeline_create_from_settings(s.asset, &s.settings, &pipeline, &error),
                     LIMBER_ERROR_ARGUMENT);
    test_scene_close(&s);
}

static void vertices_in_one_place_fit_no_cone(void** state) {
    (void)state;
    const truth point = {{0, 0, 0}, {0, 1, 0}, 0.4f, 0, 0, 1};
    limber_transform joint = limber_transform_identity();
    limber_asset* asset = cone_character(&point, 0, &joint);
    limber_cone cone;
    float residual;
    limber_error error;
    assert_int_equal(limberi_cone_fit(limber_asset_model(asset), 0, &cone, &residual, &error), LIMBER_ERROR_DATA);
    assert_non_null(strstr(error.message, "no cone fits"));
    limber_asset_destroy(asset);
}

// The preset as it ships, on the dancer as she ships: the hem rises, the waist stays where it is sewn on.
static void the_dancers_skirt_lifts_and_its_waist_stays_stitched(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "dancer");
    limber_style* style;
    limber_error error;
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, "skirt", &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(s.asset, style, &s.pipeline, &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_warning_count(s.pipeline), 0);
    limber_style_destroy(style);
    int32_t clip = limber_model_find_clip(s.model, "spin");
    assert_true(clip >= 0);
    assert_int_equal(limber_pipeline_evaluate(s.pipeline, clip, 0.4, &s.frame), LIMBER_OK);
    const limber_layer* skirt = limber_mesh_find_layer(&s.model->meshes[0], "skirt");
    assert_non_null(skirt);
    double rise = 0, hem = 0, waist = 0;
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        limber_vec3 d = test_scene_displacement(&s, u);
        if (skirt->values[u] > 0.9f) {
            rise += (double)d.y;
            hem++;
        }
        if (skirt->values[u] < 0.02f)
            waist = fmax(waist, (double)limberi_length(d));
    }
    print_message("hem rises by %.3f L on average, waist moves by at most %.5f L\n", rise / hem / (double)s.model->size,
                  waist / (double)s.model->size);
    assert_true(hem > 100 && rise / hem > 0.01 * (double)s.model->size);
    assert_true(waist < 1e-3 * (double)s.model->size);
    limber_cone cone;
    float residual;
    assert_true(limber_pipeline_cone(s.pipeline, &cone, &residual));
    assert_true(residual > 0 && residual < 0.05f);
    limber_pipeline_destroy(s.pipeline);
    s.pipeline = NULL;
    test_scene_close(&s);
}

// Nobody painted it: the skirt is found, and nothing else moves.
static void the_preset_finds_a_skirt_without_a_layer(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "dancer");
    limber_model bare = *s.model;
    limber_mesh mesh = bare.meshes[0];
    mesh.layer_count = 0;
    bare.meshes = &mesh;
    limber_asset* asset;
    limber_style* style;
    limber_error error;
    assert_int_equal(limber_asset_create(&bare, &asset, &error), LIMBER_OK);
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, "skirt", &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &s.pipeline, &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_warning_count(s.pipeline), 0);
    limber_style_destroy(style);
    assert_int_equal(limber_pipeline_evaluate(s.pipeline, limber_model_find_clip(s.model, "spin"), 0.4, &s.frame),
                     LIMBER_OK);
    const limber_layer* painted = limber_mesh_find_layer(&s.model->meshes[0], "skirt");
    double rise = 0, hem = 0;
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        limber_vec3 d = test_scene_displacement(&s, u);
        assert_true(painted->values[u] > 0 || limberi_length(d) < 1e-5f * s.model->size);
        rise += painted->values[u] > 0.9f ? (double)d.y : 0;
        hem += painted->values[u] > 0.9f;
    }
    print_message("hem rises by %.3f L on average\n", rise / hem / (double)s.model->size);
    assert_true(rise / hem > 0.01 * (double)s.model->size);
    limber_pipeline_destroy(s.pipeline);
    s.pipeline = NULL;
    limber_asset_destroy(asset);
    test_scene_close(&s);
}

// --- several cones ---

// Two joints, the second `length` above the first, and skin around them that is `radius` + `slope` h wide.
static limber_asset* frustum_character(float length, float radius, float slope) {
    static float positions[3 * POINTS], weights[2 * POINTS];
    static uint32_t first[POINTS + 1], triangles[3] = {0, 1, 2}, joints[2] = {0, 1};
    static uint16_t influence[2 * POINTS];
    static const int32_t parents[2] = {-1, 0};
    for (uint32_t i = 0; i < POINTS; i++) {
        float h = length * (float)(i / AROUND) / (ALONG - 1), around = 6.2831853f * (float)(i % AROUND) / AROUND;
        float r = radius + slope * h;
        limberi_store3(positions + 3 * i, limberi_vec3(r * cosf(around), h, r * sinf(around)));
        first[i] = 2 * i;
        influence[2 * i] = 0;
        influence[2 * i + 1] = 1;
        weights[2 * i + 1] = h / length;
        weights[2 * i] = 1 - weights[2 * i + 1];
    }
    first[POINTS] = 2 * POINTS;
    limber_transform rest[2] = {limber_transform_identity(), limber_transform_identity()};
    rest[1].translation = limberi_vec3(0, length, 0);
    limber_mat4 bind[2] = {limber_mat4_identity(), limber_mat4_identity()};
    bind[1].m[13] = -length;
    limber_skin skin = {"frustum", 2, joints, bind, limber_mat4_identity()};
    limber_mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.vertex_count = POINTS;
    mesh.triangle_count = 1;
    mesh.positions = positions;
    mesh.triangles = triangles;
    mesh.influence_first = first;
    mesh.influence_joint = influence;
    mesh.influence_weight = weights;
    return character_of(&mesh, &skin, parents, rest);
}

static limber_result lift_with(const limber_asset* asset, const limber_lift_part* parts, uint32_t count,
                               limber_deformer** deformer, limber_error* error) {
    static limber_deform_settings settings;
    settings = limber_deform_settings_default();
    settings.effects[LIMBER_EFFECT_LIFT].angular.value = 1;
    settings.lift_cones.parts = parts;
    settings.lift_cones.part_count = count;
    return limber_deformer_create(asset, &settings, deformer, error);
}

static void a_chain_has_the_frustum_between_its_ends(void** state) {
    (void)state;
    const float shapes[][3] = {{2, 0.5f, 0.3f}, {3, 1, -0.25f}, {1, 0.4f, 0}};
    for (int i = 0; i < 3; i++) {
        float length = shapes[i][0], radius = shapes[i][1], slope = shapes[i][2];
        limber_asset* asset = frustum_character(length, radius, slope);
        const limber_lift_part part = {0, 1};
        limber_deformer* deformer;
        limber_cone cone;
        float residual;
        assert_int_equal(lift_with(asset, &part, 1, &deformer, NULL), LIMBER_OK);
        assert_true(limber_deformer_cone_at(deformer, 0, &cone, &residual));
        assert_false(limber_deformer_cone_at(deformer, 1, &cone, &residual));
        assert_true(fabsf(cone.half_angle_rad - atanf(fmaxf(fabsf(slope), 0.005f))) < 1e-4f);
        assert_true(fabsf(cone.base_radius - fminf(radius, radius + slope * length)) < 1e-4f && residual < 1e-4f);
        assert_true(slope == 0 || fabsf(cone.axis.y - (slope < 0 ? -1.0f : 1.0f)) < 1e-4f);
        assert_true(slope == 0 || fabsf(cone.apex.y + radius / slope) < 1e-3f);
        limber_deformer_destroy(deformer);
        limber_asset_destroy(asset);
    }
}

static void a_chain_that_is_none_is_an_error_with_both_names(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "dancer");
    const limber_lift_part part = {limber_rig_find_joint(&s.model->rig, "HandLeft"),
                                   limber_rig_find_joint(&s.model->rig, "Skirt")};
    limber_deformer* deformer;
    limber_error error;
    assert_int_equal(lift_with(s.asset, &part, 1, &deformer, &error), LIMBER_ERROR_DATA);
    assert_string_equal(error.message, "lift: joint 'Skirt' is not below 'HandLeft', so there is no chain");
    test_scene_close(&s);
}

static void a_cone_of_a_joint_that_is_not_there_is_refused(void** state) {
    (void)state;
    limber_asset* asset = frustum_character(2, 0.5f, 0.3f);
    const limber_lift_part parts[] = {{-1, -1}, {99, -1}, {0, 99}};
    for (int i = 0; i < 3; i++) {
        limber_deformer* deformer;
        limber_error error;
        assert_int_equal(lift_with(asset, &parts[i], 1, &deformer, &error), LIMBER_ERROR_ARGUMENT);
        assert_string_equal(error.message, "a cone of lift is for a joint that is not there");
    }
    limber_asset_destroy(asset);
}

static bool below(const limber_rig* rig, int32_t joint, int32_t above) {
    for (; joint >= 0; joint = rig->parents[joint])
        if (joint == above)
            return true;
    return false;
}

// How much of a vertex belongs to a part.
static float share_of(const limber_model* model, uint32_t u, const limber_lift_part* part) {
    const limber_mesh* mesh = &model->meshes[0];
    float share = 0;
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
        int32_t joint = (int32_t)model->skins[mesh->skin].joints[mesh->influence_joint[i]];
        bool beyond = part->to >= 0 && joint != part->to && below(&model->rig, joint, part->to);
        share += below(&model->rig, joint, part->joint) && !beyond ? mesh->influence_weight[i] : 0;
    }
    return share;
}

// Of a spin of the hips each vertex has what its cones, one by one, do to it. Those run through the kernels.
static void vertices_have_the_lift_of_the_cones_they_belong_to(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "dancer");
    const limber_lift_part parts[] = {
        {limber_rig_find_joint(&s.model->rig, "Skirt"), -1},
        {limber_rig_find_joint(&s.model->rig, "ArmUpperLeft"), limber_rig_find_joint(&s.model->rig, "HandLeft")}};
    limber_lift_cones* lift = &s.settings.deform.lift_cones;
    s.motion.angular_velocity[limber_rig_find_joint(&s.model->rig, "Hips")] = limberi_vec3(0.5f, 4, 0);
    s.settings.deform.effects[LIMBER_EFFECT_LIFT].angular.value = 0.3f;
    lift->parts = parts;
    lift->part_count = 2;
    test_scene_run(&s);
    size_t numbers = 3 * (size_t)s.model->vertex_count;
    float *got = malloc(numbers * sizeof *got), *wanted = calloc(numbers, sizeof *wanted), max[2] = {0, 0};
    limber_cone cones[2];
    for (uint32_t u = 0; u < s.model->vertex_count; u++)
        limberi_store3(got + 3 * (size_t)u, test_scene_displacement(&s, u));
    for (uint32_t c = 0; c < 2; c++) {
        float residual;
        assert_true(limber_pipeline_cone_at(s.pipeline, c, &cones[c], &residual));
    }
    lift->part_count = 0;
    for (int c = 0; c < 2; c++) {
        lift->cone = cones[c];
        test_scene_run(&s);
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 d = limberi_scale(test_scene_displacement(&s, u), share_of(s.model, u, &parts[c]));
            limberi_store3(wanted + 3 * (size_t)u, limberi_add(limberi_load3(wanted + 3 * (size_t)u), d));
            max[c] = fmaxf(max[c], limberi_length(d));
        }
    }
    assert_true(max[0] > 0.005f * s.model->size && max[1] > 0.005f * s.model->size);
    for (size_t i = 0; i < numbers; i++)
        assert_true(fabsf(got[i] - wanted[i]) < 4e-6f * s.model->size);
    free(got);
    free(wanted);
    test_scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_cones_of_any_pose_are_found_again),
        cmocka_unit_test(noise_moves_the_fit_little_and_shows_in_the_residual),
        cmocka_unit_test(a_cylinder_is_nearly_a_cone_without_an_opening),
        cmocka_unit_test(a_joint_without_vertices_is_an_error_with_its_name),
        cmocka_unit_test(vertices_in_one_place_fit_no_cone),
        cmocka_unit_test(the_dancers_skirt_lifts_and_its_waist_stays_stitched),
        cmocka_unit_test(the_preset_finds_a_skirt_without_a_layer),
        cmocka_unit_test(a_chain_has_the_frustum_between_its_ends),
        cmocka_unit_test(a_chain_that_is_none_is_an_error_with_both_names),
        cmocka_unit_test(a_cone_of_a_joint_that_is_not_there_is_refused),
        cmocka_unit_test(vertices_have_the_lift_of_the_cones_they_belong_to),
    };
    return cmocka_run_group_tests_name("cone", tests, NULL, NULL);
}
