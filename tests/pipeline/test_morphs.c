// Morph targets that move drag and squash what they move: closed forms on a tube, and one against where vertices were.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"
#include <limber/bake.h>
#include <limber/pack.h>

enum { RATE = 240, TARGETS = 2, MAX = 256 };

// What the first target moves, and the weights of both.
typedef struct shapes {
    limber_vec3 way; // of the first target: all vertices, or those above y = 1
    bool all;
    double (*weight)(double t, int target);
    float scale; // of the whole character
} shapes;

static double ramp(double t, int target) {
    return target ? 0 : 0.5 * t;
}

static double sine(double t, int target) {
    return target ? 0 : 0.5 * sin(2 * LIMBERI_PI * t);
}

static double both(double t, int target) {
    return target ? 0.3 * cos(4 * LIMBERI_PI * t) : 0.5 * sin(2 * LIMBERI_PI * t);
}

// A tube that only its targets move; the second one swells it.
static limber_asset* make(const shapes* s) {
    static float times[RATE + 1], weights[TARGETS * (RATE + 1)], targets[TARGETS][3 * MAX], positions[3 * MAX];
    limber_asset *base = test_tube_create(2, 1, 30, true), *asset;
    limber_model model = *limber_asset_model(base);
    limber_mesh mesh = model.meshes[0];
    assert_true(mesh.vertex_count <= MAX);
    for (uint32_t u = 0; u < mesh.vertex_count; u++) {
        const float* p = mesh.positions + 3 * (size_t)u;
        bool moved = s->all || p[1] > 1;
        limberi_store3(positions + 3 * (size_t)u, limberi_scale(limberi_load3(p), s->scale));
        limberi_store3(targets[0] + 3 * (size_t)u, limberi_scale(s->way, moved ? s->scale : 0));
        limberi_store3(targets[1] + 3 * (size_t)u, limberi_scale(limberi_vec3(p[0], 0, p[2]), s->scale));
    }
    for (int k = 0; k <= RATE; k++) {
        times[k] = (float)k / RATE;
        for (int n = 0; n < TARGETS; n++)
            weights[TARGETS * k + n] = (float)s->weight((double)k / RATE, n);
    }
    limber_morph morphs[TARGETS] = {{"move", targets[0], NULL}, {"swell", targets[1], NULL}};
    mesh.positions = positions;
    mesh.morph_count = TARGETS;
    mesh.morphs = morphs;
    model.meshes = &mesh;
    limber_skin skin = model.skins[0];
    limber_mat4 bind[2];
    limber_transform rest[2];
    for (int j = 0; j < 2; j++) {
        bind[j] = skin.joint_from_mesh[j];
        for (int c = 12; c < 15; c++)
            bind[j].m[c] *= s->scale;
        rest[j] = model.rig.rest_local[j];
        rest[j].translation = limberi_scale(rest[j].translation, s->scale);
    }
    skin.joint_from_mesh = bind;
    model.skins = &skin;
    model.rig.rest_local = rest;
    limber_channel channel = {LIMBER_CHANNEL_WEIGHTS, LIMBER_INTERPOLATION_LINEAR, 0, RATE + 1, times, weights};
    limber_clip clip = model.clips[0];
    clip.channel_count = 1;
    clip.channels = &channel;
    model.clips = &clip;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_asset_destroy(base);
    return asset;
}

static limber_pipeline* open_with(const limber_asset* asset, double drag, double squash, double max) {
    limber_stage_settings settings = limber_stage_settings_default();
    limber_morph_settings morphs = {drag, squash, max};
    settings.morphs = morphs;
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create_from_settings(asset, &settings, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return pipeline;
}

static limber_vec3 displacement(const limber_frame* f, uint32_t u) {
    return limberi_sub(limberi_load3(f->positions + 3 * (size_t)u), limberi_load3(f->skinned + 3 * (size_t)u));
}

static void vertices_lag_behind_the_target_that_moves_them(void** state) {
    (void)state;
    for (int wave = 0; wave < 2; wave++) {
        shapes s = {{0.4f, 0.1f, 0}, false, wave ? sine : ramp, 1};
        limber_asset* asset = make(&s);
        const limber_mesh* mesh = &limber_asset_model(asset)->meshes[0];
        limber_pipeline* pipeline = open_with(asset, 0.05, 0, 0);
        for (int i = 0; i <= 24; i++) { // differences over 1/24 s, one-sided at the ends of the ramp
            double t = i / 24.0, w = 2 * LIMBERI_PI, rate = wave ? 0.5 * sin(w / 24) * 24 * cos(w * t) : 0.5;
            limber_frame f;
            assert_int_equal(limber_pipeline_evaluate(pipeline, 0, t, &f), LIMBER_OK);
            for (uint32_t u = 0; u < mesh->vertex_count; u++) {
                float part = mesh->positions[3 * (size_t)u + 1] > 1 ? -0.05f * (float)rate : 0;
                limber_vec3 wanted = limberi_scale(s.way, part);
                assert_true(limberi_length(limberi_sub(displacement(&f, u), wanted)) < 2e-6f);
            }
        }
        limber_pipeline_destroy(pipeline);
        limber_asset_destroy(asset);
    }
}

static void the_pose_at_rest_does_not_lag_behind_the_clip_before_it(void** state) {
    (void)state;
    shapes s = {{0.4f, 0.1f, 0}, false, ramp, 1};
    limber_asset* asset = make(&s);
    limber_pipeline* pipeline = open_with(asset, 0.05, 0, 0);
    limber_frame f;
    assert_int_equal(limber_pipeline_evaluate(pipeline, 0, 0.5, &f), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(pipeline, -1, 0, &f), LIMBER_OK);
    for (uint32_t u = 0; u < limber_asset_model(asset)->vertex_count; u++)
        assert_true(limberi_is_zero(displacement(&f, u)));
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

// All vertices alike: a stretch by 1 + s along the way, by 1 / sqrt(1 + s) across, about the middle of the surface.
static void what_moves_stretches_along_its_way_and_keeps_its_volume(void** state) {
    (void)state;
    shapes s = {{0, 2, 0}, true, ramp, 1};
    limber_asset* asset = make(&s);
    const limber_model* model = limber_asset_model(asset);
    const limber_mesh* mesh = &model->meshes[0];
    limber_pipeline* pipeline = open_with(asset, 0, 0.3, 0);
    limber_frame f;
    assert_int_equal(limber_pipeline_evaluate(pipeline, 0, 0.5, &f), LIMBER_OK);
    double middle[3] = {0, 0, 0}, area = 0;
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        area += (double)mesh->areas[u];
        for (size_t c = 0; c < 3; c++)
            middle[c] += (double)(mesh->areas[u] * f.skinned[3 * (size_t)u + c]);
    }
    double stretch = 1 + 0.3 * (0.5 * 2) / (double)model->size;
    assert_true(stretch > 1.05);
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        for (size_t c = 0; c < 3; c++) {
            double at = (double)f.skinned[3 * (size_t)u + c] - middle[c] / area;
            double wanted = at * (c == 1 ? stretch : 1 / sqrt(stretch)) + middle[c] / area;
            assert_true(fabs((double)f.positions[3 * (size_t)u + c] - wanted) < 2e-6);
        }
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

// Two targets at once: the velocity is what the plain character shows.
static void the_velocity_is_that_of_the_plain_vertices(void** state) {
    (void)state;
    shapes s = {{0.4f, 0.1f, -0.2f}, false, both, 1};
    limber_asset* asset = make(&s);
    size_t numbers = 3 * (size_t)limber_asset_model(asset)->vertex_count;
    limber_pipeline *plain = open_with(asset, 0, 0, 0), *late = open_with(asset, 0.07, 0, 0);
    float* before = malloc(numbers * sizeof *before);
    for (int i = 2; i < 22; i++) {
        limber_frame f;
        assert_int_equal(limber_pipeline_evaluate(plain, 0, (i - 1) / 24.0, &f), LIMBER_OK);
        memcpy(before, f.positions, numbers * sizeof *before);
        assert_int_equal(limber_pipeline_evaluate(plain, 0, (i + 1) / 24.0, &f), LIMBER_OK);
        for (size_t n = 0; n < numbers; n++)
            before[n] = 12 * (f.positions[n] - before[n]);
        assert_int_equal(limber_pipeline_evaluate(late, 0, i / 24.0, &f), LIMBER_OK);
        for (size_t n = 0; n < numbers; n++)
            assert_true(fabsf(f.positions[n] - (f.skinned[n] - 0.07f * before[n])) < 5e-6f);
    }
    free(before);
    limber_pipeline_destroy(plain);
    limber_pipeline_destroy(late);
    limber_asset_destroy(asset);
}

static void larger_characters_move_alike_within_the_max_and_loops_close(void** state) {
    (void)state;
    shapes s = {{0.4f, 0.1f, 0}, false, both, 1};
    limber_asset* small = make(&s);
    s.scale = 50;
    limber_asset* large = make(&s);
    limber_pipeline *a = open_with(small, 0.5, 1, 0.02), *b = open_with(large, 0.5, 1, 0.02);
    float size = limber_asset_model(small)->size, max = 0, first = 0;
    assert_true(limber_asset_model(small)->clips[0].loops);
    for (int i = 0; i <= 10; i++) {
        limber_frame x, y;
        assert_int_equal(limber_pipeline_evaluate(a, 0, 0.1 * i, &x), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(b, 0, 0.1 * i, &y), LIMBER_OK);
        for (uint32_t u = 0; u < limber_asset_model(small)->vertex_count; u++) {
            limber_vec3 d = displacement(&x, u), wide = displacement(&y, u);
            assert_true(limberi_length(limberi_sub(limberi_scale(d, 50), wide)) < 1e-3f);
            assert_true(limberi_length(d) < 0.0201f * size);
            max = fmaxf(max, limberi_length(d));
        }
        float sum = displacement(&x, limber_asset_model(small)->vertex_count - 1).x;
        first = i ? first : sum;
        assert_true(i < 10 || fabsf(sum - first) < 1e-5f);
    }
    assert_true(max > 0.015f * size);
    limber_pipeline_destroy(a);
    limber_pipeline_destroy(b);
    limber_asset_destroy(small);
    limber_asset_destroy(large);
}

static void live_weights_and_strength_count(void** state) {
    (void)state;
    shapes s = {{0.4f, 0, 0}, true, ramp, 1};
    limber_asset* asset = make(&s);
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings settings = limber_stage_settings_default();
    settings.morphs.drag = 0.05;
    settings.deform.strength.value = 0.5f;
    limber_pipeline* pipeline;
    limber_live* live;
    limber_pose pose;
    limber_frame f;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
    assert_int_equal(limber_live_create(pipeline, NULL, &live, NULL), LIMBER_OK);
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    limber_pose_rest(model, &pose);
    const double times[] = {3, 3.1, 3.25, 3.25, 9, 9.05}; // a pause keeps the rate, a gap has none
    for (int i = 0; i < 6; i++) {
        float weights[TARGETS] = {(float)times[i], 0};
        assert_int_equal(limber_live_push(live, pose.local, weights, times[i]), LIMBER_OK);
        limber_pipeline_evaluate_vertices(pipeline, &f);
        float wanted = i == 0 || i == 4 ? 0 : -0.5f * 0.05f * 0.4f;
        assert_true(fabsf(displacement(&f, 0).x - wanted) < 1e-5f);
    }
    limber_pose_destroy(&pose);
    limber_live_destroy(live);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

// What leaves limber has it: bakes, and the surface that goes to a shader.
static void bakes_and_packs_have_it(void** state) {
    (void)state;
    shapes s = {{0.4f, 0, 0}, true, ramp, 1};
    limber_asset* asset = make(&s);
    limber_pipeline* pipeline = open_with(asset, 0.05, 0, 0);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    limber_bake* bake;
    limber_pack* pack;
    limber_frame f;
    assert_int_equal(limber_pipeline_bake(pipeline, &settings, &bake, NULL), LIMBER_OK);
    assert_true(bake->meshes[0].target_count > 0 && fabsf(bake->meshes[0].positions[0] + 0.01f) < 1e-5f);
    limber_bake_destroy(bake);
    assert_int_equal(limber_pipeline_evaluate(pipeline, 0, 0.5, &f), LIMBER_OK);
    assert_int_equal(limber_pack_create(pipeline, true, &pack, NULL), LIMBER_OK);
    const float *positions, *normals;
    limber_pack_surface(pack, 0, &positions, &normals);
    for (uint32_t u = 0; u < 3 * limber_asset_model(asset)->vertex_count; u++)
        assert_true(fabsf(positions[u] - f.positions[u]) < 1e-6f); // the joints are in their rest pose
    limber_pack_destroy(pack);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

// SMEAR 3 and equation 1: a mesh that its targets alone move has offsets by the way of its centroid.
static void smears_see_what_only_targets_move(void** state) {
    (void)state;
    shapes s = {{0.4f, 0.1f, 0}, true, ramp, 1};
    limber_asset* asset = make(&s);
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings settings = limber_stage_settings_default();
    limber_pipeline* pipeline;
    limber_smeared got;
    settings.smear.multiples.past = 1;
    settings.smear.offsets.smooth = 0;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate_smeared(pipeline, 0, 0.5, 24, &got), LIMBER_OK);
    limber_vec3 way = limberi_normalize(s.way), center = limberi_vec3(0, 0, 0);
    double area = 0;
    float max = 0;
    for (uint32_t u = 0; u < model->vertex_count; u++) {
        limber_vec3 p = limberi_load3(got.frame.positions + 3 * (size_t)u);
        center = limberi_add(center, limberi_scale(p, model->meshes[0].areas[u]));
        area += (double)model->meshes[0].areas[u];
    }
    center = limberi_scale(center, (float)(1 / area));
    for (uint32_t u = 0; u < model->vertex_count; u++)
        max = fmaxf(max,
                    fabsf(limberi_dot(way, limberi_sub(limberi_load3(got.frame.positions + 3 * (size_t)u), center))));
    for (uint32_t u = 0; u < model->vertex_count; u++) {
        limber_vec3 arm = limberi_sub(limberi_load3(got.frame.positions + 3 * (size_t)u), center);
        assert_true(fabsf(got.offsets[u] - limberi_dot(way, arm) / max) < 1e-4f);
    }
    assert_true(got.mesh_count == 1 && got.meshes[0].visible);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_lag_behind_the_target_that_moves_them),
        cmocka_unit_test(the_pose_at_rest_does_not_lag_behind_the_clip_before_it),
        cmocka_unit_test(what_moves_stretches_along_its_way_and_keeps_its_volume),
        cmocka_unit_test(the_velocity_is_that_of_the_plain_vertices),
        cmocka_unit_test(larger_characters_move_alike_within_the_max_and_loops_close),
        cmocka_unit_test(live_weights_and_strength_count),
        cmocka_unit_test(bakes_and_packs_have_it),
        cmocka_unit_test(smears_see_what_only_targets_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
