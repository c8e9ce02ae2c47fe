// A character on the test bench: a pose, velocities by hand, effects by hand.
#ifndef LIMBER_TEST_SCENE_H
#define LIMBER_TEST_SCENE_H

#include "kit/models.h"

typedef struct test_scene {
    limber_asset* asset;
    const limber_model* model;
    limber_stage_settings settings;
    limber_pipeline* pipeline;
    limber_kinematics motion; // world space, by hand
    limber_frame frame;
} test_scene;

// A built-in character at rest, no effects, nothing moving.
void test_scene_open(test_scene* scene, const char* character);
void test_scene_close(test_scene* scene);

// Evaluates the default pose with scene->settings and scene->motion.
void test_scene_run(test_scene* scene);

limber_vec3 test_scene_position(const test_scene* scene, uint32_t vertex); // skinned
limber_vec3 test_scene_displacement(const test_scene* scene, uint32_t vertex);

// Fails the test when it cannot be made.
limber_pipeline* test_pipeline(const limber_asset* asset, const limber_stage_settings* settings);
// The vertices of a moment of a clip.
const float* test_positions(limber_pipeline* pipeline, uint32_t clip, double time_s);
// For limber_parallel: three workers, the last piece of work first.
void test_run_backwards(void* pool, uint32_t count, uint32_t step, limber_task task, void* user);

// A copy of the character with its joints listed in another order and, above its roots, a new joint with the given
// transform. NULL order: as it was. The caller destroys it.
limber_asset* test_rearranged(const limber_model* model, const uint32_t* order, const limber_transform* above);

// Every effect on, both parts, with limits, filters and layers.
limber_stage_settings test_everything(const limber_model* model);

#endif
