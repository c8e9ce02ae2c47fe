// A character with a pose, velocities and effects set by hand.
#include "kit/scene.h"
#include "base/math.h"
#include "base/memory.h"
#include "characters/characters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void test_scene_open(test_scene* scene, const char* character) {
    memset(scene, 0, sizeof *scene);
    limber_error error;
    if (limberi_character_create(character, 1, &scene->asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    scene->model = limber_asset_model(scene->asset);
    scene->settings = limber_stage_settings_default();
    assert_int_equal(limber_kinematics_create(scene->model, &scene->motion), LIMBER_OK);
}

void test_scene_close(test_scene* scene) {
    limber_pipeline_destroy(scene->pipeline);
    limber_kinematics_destroy(&scene->motion);
    limber_asset_destroy(scene->asset);
}

limber_pipeline* test_pipeline(const limber_asset* asset, const limber_stage_settings* settings) {
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create_from_settings(asset, settings, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return pipeline;
}

const float* test_positions(limber_pipeline* pipeline, uint32_t clip, double time_s) {
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(pipeline, (int32_t)clip, time_s, &frame), LIMBER_OK);
    return frame.positions;
}

void test_run_backwards(void* pool, uint32_t count, uint32_t step, limber_task task, void* user) {
    (void)pool;
    uint32_t pieces = (count + step - 1) / step;
    for (uint32_t i = pieces; i-- > 0;)
        task(user, i * step, (i + 1) * step < count ? (i + 1) * step : count, i % 3);
}

void test_scene_run(test_scene* scene) {
    limber_error error;
    limber_pipeline_destroy(scene->pipeline);
    scene->pipeline = NULL;
    if (limber_pipeline_create_from_settings(scene->asset, &scene->settings, &scene->pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    assert_int_equal(limber_pipeline_evaluate_what_if(scene->pipeline, -1, 0, &scene->motion, 1, &scene->frame),
                     LIMBER_OK);
}

limber_vec3 test_scene_position(const test_scene* scene, uint32_t vertex) {
    return limberi_load3(scene->frame.skinned + 3 * (size_t)vertex);
}

limber_vec3 test_scene_displacement(const test_scene* scene, uint32_t vertex) {
    return limberi_sub(limberi_load3(scene->frame.positions + 3 * (size_t)vertex), test_scene_position(scene, vertex));
}

limber_asset* test_rearranged(const limber_model* model, const uint32_t* order, const limber_transform* above) {
    limberi_arena arena = {NULL, false};
    uint32_t count = model->rig.joint_count + 1;
    uint32_t* place = LIMBERI_ALLOCATE(&arena, uint32_t, count);
    limber_model copy = *model;
    const char** names = LIMBERI_ALLOCATE(&arena, const char*, count);
    int32_t* parents = LIMBERI_ALLOCATE(&arena, int32_t, count);
    limber_transform* rest = LIMBERI_ALLOCATE(&arena, limber_transform, count);
    names[0] = "above";
    parents[0] = -1;
    rest[0] = *above;
    for (uint32_t i = 0; i + 1 < count; i++)
        place[order ? order[i] : i] = i + 1;
    for (uint32_t j = 0; j + 1 < count; j++) {
        names[place[j]] = model->rig.names[j];
        parents[place[j]] = model->rig.parents[j] < 0 ? 0 : (int32_t)place[model->rig.parents[j]];
        rest[place[j]] = model->rig.rest_local[j];
    }
    limber_skin* skins = LIMBERI_COPY(&arena, limber_skin, model->skins, model->skin_count);
    for (uint32_t s = 0; s < model->skin_count; s++) {
        uint32_t* joints = LIMBERI_COPY(&arena, uint32_t, skins[s].joints, skins[s].joint_count);
        for (uint32_t k = 0; k < skins[s].joint_count; k++)
            joints[k] = place[joints[k]];
        skins[s].joints = joints;
    }
    limber_clip* clips = LIMBERI_COPY(&arena, limber_clip, model->clips, model->clip_count);
    for (uint32_t c = 0; c < model->clip_count; c++) {
        limber_channel* channels = LIMBERI_COPY(&arena, limber_channel, clips[c].channels, clips[c].channel_count);
        for (uint32_t i = 0; i < clips[c].channel_count; i++)
            if (channels[i].path != LIMBER_CHANNEL_WEIGHTS)
                channels[i].target = place[channels[i].target];
        clips[c].channels = channels;
    }
    copy.rig.joint_count = count;
    copy.rig.names = names;
    copy.rig.parents = parents;
    copy.rig.rest_local = rest;
    copy.skins = skins;
    copy.clips = clips;
    limber_asset* asset = NULL;
    limber_error error;
    uint32_t* found = LIMBERI_ALLOCATE(&arena, uint32_t, count);
    if (limber_asset_create_ordered(&copy, found, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    limberi_arena_free(&arena);
    return asset;
}

limber_stage_settings test_everything(const limber_model* model) {
    limber_stage_settings settings = limber_stage_settings_default();
    limber_effect_settings* e = settings.deform.effects;
    limber_filter lowpass = {LIMBER_FILTER_LOWPASS, 0.4, 0, 0}, spring = {LIMBER_FILTER_SPRING, 0, 3, 0.3};
    for (int i = 0; i < LIMBER_EFFECT_COUNT; i++) {
        e[i].linear.value = 0.03f;
        e[i].angular.value = 0.1f;
        limber_number* max_bend = limber_effect_number(&settings.deform, (limber_effect)i, "max_bend");
        if (max_bend)
            max_bend->value = 50;
    }
    limber_effect_number(&settings.deform, LIMBER_EFFECT_OVERLAP, "max")->value = 50;
    e[LIMBER_EFFECT_STRETCH].linear.value = e[LIMBER_EFFECT_LIFT].linear.value = 0;
    e[LIMBER_EFFECT_STRETCH].angular.value = 0.004f;
    limber_effect_number(&settings.deform, LIMBER_EFFECT_STRETCH, "profile")->value = LIMBER_PROFILE_QUADRATIC;
    e[LIMBER_EFFECT_LIFT].angular.value = 0.01f;
    limber_effect_number(&settings.deform, LIMBER_EFFECT_LIFT, "normals")->value = LIMBER_LIFT_MESH;
    e[LIMBER_EFFECT_DRAG].linear.value = e[LIMBER_EFFECT_FOLLOWTHROUGH].linear.value = 0.002f;
    e[LIMBER_EFFECT_DRAG].angular.value = e[LIMBER_EFFECT_FOLLOWTHROUGH].angular.value = 0.01f;
    limber_effect_number(&settings.deform, LIMBER_EFFECT_DERIVATIVE, "by")->value =
        LIMBER_BY_ACCELERATION; // jerk of keys is all spikes
    e[LIMBER_EFFECT_DERIVATIVE].linear.value = 0.001f;
    e[LIMBER_EFFECT_DERIVATIVE].angular.value = 0.005f;
    e[LIMBER_EFFECT_HOSE].linear.value = 0.9f;
    e[LIMBER_EFFECT_HOSE].angular.value = 0;
    limber_effect_number(&settings.deform, LIMBER_EFFECT_FLOPPY, "twist")->value = 0.5f;
    e[LIMBER_EFFECT_FLOPPY].layer = "floppy";
    e[LIMBER_EFFECT_FLOPPY].filters.velocity = e[LIMBER_EFFECT_FLOPPY].filters.angular_velocity = lowpass;
    e[LIMBER_EFFECT_FOLLOWTHROUGH].filters.acceleration = spring;
    e[LIMBER_EFFECT_FOLLOWTHROUGH].filters.angular_acceleration = spring;
    (void)model;
    return settings;
}
