// BVH files made by code: a small good one, bad ones, and large ones.
#ifndef LIMBER_TEST_BVH_FILES_H
#define LIMBER_TEST_BVH_FILES_H

#include "kit/malformed.h"

extern const char bvh_good[]; // two joints, an End Site, two frames

// Files that no reader should accept, each the good one with one thing wrong. `place` is the line that must be named.
uint32_t bvh_malformed_count(void);
malformed_file bvh_malformed_make(uint32_t index);

// A text that grows.
typedef struct bvh_text {
    char* text;
    size_t length, room;
} bvh_text;

void bvh_add(bvh_text* t, const char* format, ...) __attribute__((format(printf, 2, 3)));

// `depth` joints, each in the one before.
bvh_text bvh_chain(uint32_t depth, uint32_t frames);

// A figure of `joints` joints below one root, in chains of five, with numbers as motion capture has them.
bvh_text bvh_crowd(uint32_t joints, uint32_t frames);

#endif
