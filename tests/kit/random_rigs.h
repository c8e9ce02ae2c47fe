// Random characters for property tests: every shape of hierarchy, and everything a file may hold that nobody would
// model on purpose. The same seed gives the same character on every machine.
#ifndef LIMBER_TEST_RANDOM_RIGS_H
#define LIMBER_TEST_RANDOM_RIGS_H

#include "kit/sanitized.h"

#include <limber/limber.h>
#include <limber/stages/stages.h>

typedef struct test_random {
    uint64_t state;
} test_random;

test_random test_random_seed(uint64_t seed);
uint32_t test_random_below(test_random* random, uint32_t count);
float test_random_between(test_random* random, float min, float max);
bool test_random_chance(test_random* random, float share);
limber_vec3 test_random_direction(test_random* random);

typedef enum test_shape {
    TEST_CHAIN,
    TEST_STAR,
    TEST_BUSH, // every joint has two children
    TEST_TREE, // parents at random
    TEST_FOREST,
    TEST_HEAP, // a tree with all joints at one place
    TEST_SHAPE_COUNT
} test_shape;

typedef struct test_rig_recipe {
    uint64_t seed;
    test_shape shape;
    uint32_t joint_count, mesh_count, vertex_count; // vertices of each mesh
    uint32_t influence_count;                       // at most, per vertex
    bool far_vertex;                                // one lies twenty times as far away as all others
    bool morphs, clip;
} test_rig_recipe;

// The recipe with this number: shapes, sizes and oddities take turns.
test_rig_recipe test_recipe(uint32_t index);
const char* test_recipe_text(const test_rig_recipe* recipe); // until the next call

// Layers "floppy" and "squash" (not in every mesh), texture coordinates, duplicate joints in skins and vertices,
// weights of zero, bones of no length. The caller destroys it.
limber_asset* test_random_rig(const test_rig_recipe* recipe);

// Joints turned at random by up to `angle_rad`; some of them scaled.
void test_random_pose(test_random* random, const limber_model* model, float angle_rad, limber_pose* pose);

// Velocities in L per second and radians per second of up to `max`, spread so that a vertex below many joints does not
// go to infinity; a share of the joints does not move at all.
void test_random_motion(test_random* random, const limber_model* model, float max, float still_share,
                        limber_kinematics* motion);

#endif
