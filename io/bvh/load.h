// Shared by io/bvh/load.c, expect.c, hierarchy.c and motion_block.c: the state of one load, and its steps.
#ifndef LIMBERI_BVH_LOAD_H
#define LIMBERI_BVH_LOAD_H

#include "io/bvh/layout.h"
#include "io/bvh/scan.h"

typedef struct limberi_bvh_reader {
    limber_bvh* bvh;
    limberi_bvh_scanner scanner;
    limber_bvh_limits limits;
    limberi_arena scratch; // until the asset has its own copy
    limber_error* error;
    limber_model model;
    limber_clip clip;
} limberi_bvh_reader;

// From the start of the text up to and including the word MOTION.
LIMBER_MUST_USE limber_result limberi_bvh_read_hierarchy(limberi_bvh_reader* reader);

// Frames, Frame Time and the numbers, into reader->clip.
LIMBER_MUST_USE limber_result limberi_bvh_read_motion(limberi_bvh_reader* reader);

// The next word as a number; `what` says in messages what it should be.
LIMBER_MUST_USE limber_result limberi_bvh_read_number(limberi_bvh_reader* reader, const char* what, double* number);

// "'word' stands where `expected` should".
LIMBER_MUST_USE limber_result limberi_bvh_fail_word(limberi_bvh_reader* reader, limberi_bvh_word word,
                                                    const char* expected);
LIMBER_MUST_USE limber_result limberi_bvh_fail_memory(limberi_bvh_reader* reader);

#endif
