// Characters with props for tests: an arm of soft skin along +X, and boxes that hang on its joints.
#ifndef LIMBER_TEST_PROPS_H
#define LIMBER_TEST_PROPS_H

#include <limber/limber.h>
#include <limber/stages/stages.h>

enum { PROP_SHOULDER, PROP_ELBOW, PROP_HAND, PROP_FINGERS = 3, PROP_JOINTS = 9 }; // six fingers below the hand

// Meshes are made one after the other; the character owns copies of everything.
typedef struct test_props test_props;

test_props* test_props_begin(void);
// Skin from the shoulder (0, 0, 0) past the hand (2, 0, 0), with blended weights.
void test_props_arm(test_props* props);
// A mesh of one box; `joint` -1: half on the elbow, half on the hand.
void test_props_box(test_props* props, const char* name, int32_t joint, limber_vec3 low, limber_vec3 high);
// Adds another box to the mesh made last.
void test_props_more(test_props* props, int32_t joint, limber_vec3 low, limber_vec3 high);
// A vertex of the mesh made last hangs on another joint.
void test_props_stray(test_props* props, uint32_t vertex, uint32_t joint);
// A vertex of the mesh made last hangs on this joint, too, with this weight.
void test_props_blend(test_props* props, uint32_t vertex, uint32_t joint, float weight);
// Gives the mesh made last a layer "rigid" with one value.
void test_props_paint(test_props* props, float value);
// How far a joint swings in the clip, instead of its usual angle.
void test_props_swing(test_props* props, uint32_t joint, float angle_rad);
// How far the fingers are from the hand, to both sides; else they are in it.
void test_props_spread(test_props* props, float distance);
// One clip in which all joints swing; frees `props`.
limber_asset* test_props_end(test_props* props);

// The arm with a sword in its hand: meshes "Arm" and "Sword".
limber_asset* test_sword_create(void);

#endif
