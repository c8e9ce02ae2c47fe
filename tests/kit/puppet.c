// A character that live poses move, and the same one without a style.
#include "kit/puppet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/scene.h"

static bool flat(void* user, float x, float z, float* height) {
    (void)x;
    (void)z;
    *height = *(const float*)user;
    return true;
}

limber_stage_settings puppet_settings(double exaggerate, double squash, double bend) {
    limber_stage_settings settings = limber_stage_settings_default();
    settings.perform.exaggerate = exaggerate;
    settings.perform.squash = squash;
    settings.perform.bend = bend;
    return settings;
}

void puppet_open_with(puppet* p, limber_asset* asset, const limber_stage_settings* settings) {
    limber_error error;
    memset(p, 0, sizeof *p);
    p->model = limber_asset_model(asset);
    if (limber_pipeline_create_from_settings(asset, settings, &p->pipeline, &error) != LIMBER_OK ||
        limber_live_create(p->pipeline, NULL, &p->live, &error) != LIMBER_OK ||
        limber_pipeline_create_from_settings(asset, NULL, &p->plainly, &error) != LIMBER_OK ||
        limber_live_create(p->plainly, NULL, &p->bare, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    assert_int_equal(limber_pose_create(p->model, &p->pose), LIMBER_OK);
    p->plain = calloc(3 * (size_t)p->model->vertex_count, sizeof *p->plain);
}

void puppet_open(puppet* p, const char* name, limber_stage_settings settings) {
    limber_asset* asset = test_built_in(name, 0.5);
    puppet_open_with(p, asset, &settings);
    p->asset = asset;
}

void puppet_close(puppet* p) {
    limber_live_destroy(p->bare);
    limber_live_destroy(p->live);
    limber_pipeline_destroy(p->plainly);
    limber_pipeline_destroy(p->pipeline);
    limber_pose_destroy(&p->pose);
    limber_asset_destroy(p->asset);
    free(p->plain);
}

void puppet_stand_at(puppet* p, float floor) {
    p->floor = floor;
    limber_live_set_ground(p->live, flat, &p->floor);
}

uint32_t puppet_clip(const puppet* p, const char* name) {
    for (uint32_t c = 0; c < p->model->clip_count; c++)
        if (strcmp(p->model->clips[c].name, name) == 0)
            return c;
    fail_msg("there is no clip '%s'", name);
    return 0;
}

// The pose in p->pose, which stays plain.
void puppet_push(puppet* p, double time_s) {
    assert_int_equal(limber_live_push(p->live, p->pose.local, NULL, time_s), LIMBER_OK);
    limber_pipeline_evaluate_vertices(p->pipeline, &p->frame);
}

void puppet_sample(puppet* p, uint32_t clip, double time_s) {
    const limber_clip* c = &p->model->clips[clip];
    limber_clip_sample(p->model, c, limber_clip_wrap(c, true, c->start_s + time_s), &p->pose);
}

void puppet_play(puppet* p, uint32_t clip, double time_s) {
    puppet_sample(p, clip, time_s);
    puppet_push(p, time_s);
}

// The pose in p->pose without a style.
void puppet_skin_plainly(puppet* p) {
    limber_frame frame;
    assert_int_equal(limber_live_evaluate(p->bare, p->pose.local, NULL, 0, &frame), LIMBER_OK);
    memcpy(p->plain, frame.positions, 3 * sizeof *p->plain * p->model->vertex_count);
}

double puppet_farthest(const puppet* p, const float* a, const float* b) {
    double worst = 0;
    for (size_t i = 0; i < 3 * (size_t)p->model->vertex_count; i++) {
        assert_true(isfinite(a[i]) && isfinite(b[i]));
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    }
    return worst / (double)p->model->size;
}

puppet_box puppet_box_of(const limber_model* model, const float* p) {
    puppet_box b = {0, INFINITY, -INFINITY};
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        b.low = fmin(b.low, (double)p[3 * (size_t)v + 1]);
        b.high = fmax(b.high, (double)p[3 * (size_t)v + 1]);
    }
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t t = 0; t < mesh->triangle_count; t++) {
            limber_vec3 at[3];
            for (int k = 0; k < 3; k++)
                at[k] =
                    limberi_load3(p + 3 * ((size_t)mesh->first_vertex + mesh->triangles[3 * (size_t)t + (size_t)k]));
            b.volume += (double)limberi_dot(at[0], limberi_cross(at[1], at[2])) / 6;
        }
    }
    return b;
}
