// Frames of a clip for the tests of smears, and a second, slow and plain implementation of motion offsets to compare
// with.
#ifndef LIMBER_TEST_SMEAR_KIT_H
#define LIMBER_TEST_SMEAR_KIT_H

#include "kit/models.h"

// Frames of one clip at a rate, in separate memory.
typedef struct test_reel {
    const limber_model* model;
    uint32_t count;
    limber_smear_frame* frames;
    limber_pose* poses;
} test_reel;

// `limit` frames at most, from frame `start` on.
test_reel test_reel_open(const limber_asset* asset, const limber_smearer* smearer, uint32_t clip, double fps,
                         uint32_t start, uint32_t limit);
void test_reel_close(test_reel* reel);

limber_smearer* test_smearer(const limber_asset* asset, const limber_smear_settings* settings);

// The equations of SMEAR as corrected in docs/references.md, in double precision, with dense weights. `pruned` as in
// the settings, or NULL.
// With equation 9 as printed.
void test_offsets_printed(const limber_model* model, const limber_pose* pose, const limber_pose* next,
                          const float* positions, double* offsets);
void test_offsets(const limber_model* model, const uint8_t* pruned, const limber_pose* pose, const limber_pose* next,
                  const float* positions, double* offsets);

// Whether rounding may decide a vertex's offset: one of its bones is as good as still, or its two ends move against
// each other by just about the angle from which on that counts as a reversal.
bool test_offset_is_delicate(const limber_model* model, const limber_pose* pose, const limber_pose* next,
                             uint32_t vertex);

#endif
