// Both skinning methods: rigid motions, blending, stretch, mirrors, normals and ranges.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"

typedef struct bench {
    limber_asset* asset;
    const limber_model* model;
    limber_pose pose;
    limber_mat4 palette[8];
    limber_dualquat dualquats[8];
    float positions[60], normals[60];
} bench;

static void bench_open(bench* b, uint32_t joints) {
    b->asset = test_tube_create(joints, 1, 30, false);
    b->model = limber_asset_model(b->asset);
    assert_int_equal(limber_pose_create(b->model, &b->pose), LIMBER_OK);
}

static void bench_close(bench* b) {
    limber_pose_destroy(&b->pose);
    limber_asset_destroy(b->asset);
}

static void bench_skin(bench* b, limber_skinning skinning) {
    limber_pose_update_world(b->model, &b->pose);
    limber_skin_palette(&b->model->skins[0], &b->pose, b->palette);
    limber_skin_dualquats(b->palette, b->model->skins[0].joint_count, b->dualquats);
    limber_skin_job job = limber_skin_job_default();
    job.mesh = &b->model->meshes[0];
    job.skinning = skinning;
    job.palette = b->palette;
    job.dualquats = b->dualquats;
    job.palette_count = b->model->skins[0].joint_count;
    job.out_positions = b->positions;
    job.out_normals = b->normals;
    assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
}

static void rigid_motion_moves_every_vertex_rigidly_with_both_methods(void** state) {
    (void)state;
    bench b;
    bench_open(&b, 3);
    b.pose.local[0].translation = limberi_vec3(1, 2, 3);
    b.pose.local[0].rotation = limberi_quat_exp(limberi_vec3(0.3f, -1.1f, 2.0f));
    for (int method = 0; method < 2; method++) {
        bench_skin(&b, (limber_skinning)method);
        const limber_mesh* mesh = &b.model->meshes[0];
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            limber_vec3 p = limberi_quat_rotate(b.pose.local[0].rotation, limberi_load3(mesh->positions + 3 * u));
            p = limberi_add(p, b.pose.local[0].translation);
            assert_true(limberi_length(limberi_sub(p, limberi_load3(b.positions + 3 * u))) < 2e-6f * b.model->size * 4);
            limber_vec3 n = limberi_quat_rotate(b.pose.local[0].rotation, limberi_load3(mesh->normals + 3 * u));
            assert_true(limberi_length(limberi_sub(n, limberi_load3(b.normals + 3 * u))) < 1e-5f);
        }
    }
    bench_close(&b);
}

static float ring_radius(const bench* b, uint32_t ring) {
    float sum = 0;
    for (uint32_t k = 0; k < 4; k++) {
        const float* p = b->positions + 3 * (4 * ring + k);
        sum += sqrtf(p[0] * p[0] + p[2] * p[2]) / 4;
    }
    return sum;
}

// Half way between a joint at rest and one twisted by 180 degrees, linear blending collapses to a point (the candy
// wrapper) and dual quaternions keep the radius.
static void dualquat_twist_keeps_radius_where_linear_collapses(void** state) {
    (void)state;
    bench b;
    bench_open(&b, 3);
    b.pose.local[1].rotation = limberi_quat_exp(limberi_vec3(0, (float)LIMBERI_PI * 0.999f, 0));
    bench_skin(&b, LIMBER_SKINNING_LINEAR);
    assert_true(ring_radius(&b, 1) < 0.01f);
    bench_skin(&b, LIMBER_SKINNING_DUALQUAT);
    assert_true(fabsf(ring_radius(&b, 1) - 0.25f * sqrtf(2)) < 1e-4f);
    bench_close(&b);
}

static void dualquat_takes_the_short_way_for_antipodal_quaternions(void** state) {
    (void)state;
    bench b, c;
    bench_open(&b, 3);
    bench_open(&c, 3);
    limber_quat q = limberi_quat_exp(limberi_vec3(0.4f, 0.1f, 0.2f));
    limber_quat minus = {-q.x, -q.y, -q.z, -q.w};
    b.pose.local[1].rotation = q;
    c.pose.local[1].rotation = minus;
    bench_skin(&b, LIMBER_SKINNING_DUALQUAT);
    bench_skin(&c, LIMBER_SKINNING_DUALQUAT);
    for (int i = 0; i < 60; i++)
        assert_true(fabsf(b.positions[i] - c.positions[i]) < 1e-6f);
    bench_close(&b);
    bench_close(&c);
}

static void dualquat_carries_scale_and_mirrors(void** state) {
    (void)state;
    bench b;
    bench_open(&b, 3);
    b.pose.local[0].rotation = limberi_quat_exp(limberi_vec3(0.3f, -1.1f, 2.0f));
    b.pose.local[0].scale = limberi_vec3(-2, 3, 0.5f);
    float linear[60], normals[60];
    bench_skin(&b, LIMBER_SKINNING_LINEAR);
    memcpy(linear, b.positions, sizeof linear);
    memcpy(normals, b.normals, sizeof normals);
    bench_skin(&b, LIMBER_SKINNING_DUALQUAT);
    for (int i = 0; i < 60; i++) {
        assert_true(fabsf(linear[i] - b.positions[i]) < 1e-5f);
        assert_true(fabsf(normals[i] - b.normals[i]) < 1e-5f);
    }
    bench_close(&b);
}

static void normals_stay_perpendicular_under_uneven_scale(void** state) {
    (void)state;
    bench b;
    bench_open(&b, 3);
    b.pose.local[0].scale = limberi_vec3(1, 1, 5);
    bench_skin(&b, LIMBER_SKINNING_LINEAR);
    const limber_mesh* mesh = &b.model->meshes[0];
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t* v = mesh->triangles + 3 * t;
        limber_vec3 a = limberi_load3(b.positions + 3 * v[0]);
        limber_vec3 face = limberi_cross(limberi_sub(limberi_load3(b.positions + 3 * v[1]), a),
                                         limberi_sub(limberi_load3(b.positions + 3 * v[2]), a));
        for (int i = 0; i < 3; i++) {
            limber_vec3 n = limberi_load3(b.normals + 3 * v[i]);
            assert_true(fabsf(limberi_length(n) - 1) < 1e-5f);
            assert_true(limberi_dot(n, face) > 0); // still on the outer side
        }
    }
    bench_close(&b);
}

static void a_range_writes_only_its_vertices(void** state) {
    (void)state;
    bench b;
    bench_open(&b, 3);
    bench_skin(&b, LIMBER_SKINNING_LINEAR);
    float whole[60], part[60];
    memcpy(whole, b.positions, sizeof whole);
    memset(part, 0x7f, sizeof part);
    limber_skin_job job = limber_skin_job_default();
    job.mesh = &b.model->meshes[0];
    job.palette = b.palette;
    job.palette_count = 3;
    job.out_positions = part;
    job.first_vertex = 5;
    job.vertex_count = 6;
    assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
    unsigned char untouched[4] = {0x7f, 0x7f, 0x7f, 0x7f};
    for (int i = 0; i < 60; i++) {
        if (i / 3 >= 5 && i / 3 < 11)
            assert_true(part[i] == whole[i]);
        else
            assert_memory_equal(&part[i], untouched, 4);
    }
    job.out_positions = NULL;
    assert_int_equal(limber_skin_evaluate(&job), LIMBER_ERROR_ARGUMENT);
    job.out_positions = part;
    job.skinning = LIMBER_SKINNING_DUALQUAT;
    assert_int_equal(limber_skin_evaluate(&job), LIMBER_ERROR_ARGUMENT);
    bench_close(&b);
}

static void default_pose_is_the_rest_pose_of_every_character(void** state) {
    (void)state;
    for (uint32_t i = 0; i < test_character_count(); i++) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        const limber_model* model = limber_asset_model(asset);
        limber_pipeline* pipeline;
        limber_frame frame;
        assert_int_equal(limber_pipeline_create(asset, NULL, &pipeline, NULL), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(pipeline, -1, 0, &frame), LIMBER_OK);
        float* rest = malloc((3 * (size_t)model->vertex_count + 1) * sizeof *rest);
        double worst = 0;
        for (uint32_t m = 0; m < model->mesh_count; m++) {
            const limber_mesh* mesh = &model->meshes[m];
            limber_mesh_rest_positions(model, mesh, rest);
            for (size_t k = 0; k < 3 * (size_t)mesh->vertex_count; k++)
                worst = fmax(worst, fabs((double)rest[k] - (double)frame.skinned[3 * mesh->first_vertex + k]));
        }
        free(rest);
        assert_true(worst < 2e-6 * (double)model->size);
        limber_pipeline_destroy(pipeline);
        test_character_free(asset, gltf);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_motion_moves_every_vertex_rigidly_with_both_methods),
        cmocka_unit_test(dualquat_twist_keeps_radius_where_linear_collapses),
        cmocka_unit_test(dualquat_takes_the_short_way_for_antipodal_quaternions),
        cmocka_unit_test(dualquat_carries_scale_and_mirrors),
        cmocka_unit_test(normals_stay_perpendicular_under_uneven_scale),
        cmocka_unit_test(a_range_writes_only_its_vertices),
        cmocka_unit_test(default_pose_is_the_rest_pose_of_every_character),
    };
    return cmocka_run_group_tests_name("skin", tests, NULL, NULL);
}
