// Small characters made by hand for the tests.
#ifndef LIMBER_TEST_MODELS_H
#define LIMBER_TEST_MODELS_H

#include <limber/limber.h>
#include <limber/stages/stages.h>

// A square tube along +Y of five rings, bound to a chain of `joint_count` joints one unit apart, with one clip: the
// second joint turns about Z from 0 to `angle_rad` in one second, linearly, at `fps` keys a second.
typedef struct test_tube {
    limber_model model;
    limber_asset* asset;
} test_tube;

limber_asset* test_tube_create(uint32_t joint_count, float angle_rad, uint32_t fps, bool back_again);

// A built-in character; fails the test when it cannot be made.
limber_asset* test_built_in(const char* name, double detail);

// The clip of that name; fails the test when there is none.
uint32_t test_clip(const limber_asset* asset, const char* name);

// The folder of LIMBER_TEST_ASSETS, or NULL (the test then skips).
const char* test_assets(void);

// Every character the project has for tests: the built-in ones, then the files of LIMBER_TEST_ASSETS.
uint32_t test_character_count(void);
const char* test_character_name(uint32_t index);
// Loads it; *gltf is NULL for a built-in one. Fails the test when it cannot.
limber_asset* test_character_load(uint32_t index, limber_gltf** gltf);
// Tests that go through all of them take every fifth one, unless they may take long (./dev test --long).
uint32_t test_character_step(void);
void test_character_free(limber_asset* asset, limber_gltf* gltf);

#endif
