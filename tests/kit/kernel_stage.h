// A character in one moment, skinned and about to be deformed, for tests that compare kernels with their reference.
#ifndef LIMBER_TEST_KERNEL_STAGE_H
#define LIMBER_TEST_KERNEL_STAGE_H

#include "base/variant.h"
#include "kit/random_rigs.h"

enum { TEST_MOTIONS = 3 };

typedef struct test_stage {
    char name[200];
    limber_asset* asset;
    limber_gltf* gltf; // of a character from a file, else NULL
    const limber_model* model;
    limber_pose pose;
    limber_kinematics motion[TEST_MOTIONS]; // plain, and as two filters might leave it
    float *positions, *normals;             // skinned, all meshes after each other
    float *out, *out_normals, *reference;
    uint32_t joint; // some joint with vertices
} test_stage;

test_stage test_stage_random(uint32_t index);
// A character of kit/models.h in the middle of its first clip.
test_stage test_stage_character(uint32_t index);
void test_stage_close(test_stage* stage);

// Motion of all effects is motion[0]; positions to `out`, no normals.
limber_deform_job test_stage_job(const test_stage* stage);

// The variants this processor can run.
uint32_t test_variants(limberi_variant variants[3]);
const char* test_variant_name(limberi_variant variant);

// Fills stage->reference.
void test_stage_reference(test_stage* stage, limber_deformer* deformer, const limber_deform_job* job);

// Runs the deformer by one variant. The largest distance from the reference, as a share of L or of how far the farthest
// vertex was moved, whichever is more; fails on anything that is not a number.
double test_stage_compare(test_stage* stage, limber_deformer* deformer, const limber_deform_job* job,
                          limberi_variant variant);

#endif
