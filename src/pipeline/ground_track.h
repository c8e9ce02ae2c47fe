// What the ground and rigid parts do in a clip, stored: for crowds, whose members would otherwise each look at some
// hundred vertices to find it.
#ifndef LIMBERI_PIPELINE_GROUND_TRACK_H
#define LIMBERI_PIPELINE_GROUND_TRACK_H

#include "base/memory.h"
#include "contact/stage.h"
#include <limber/pack.h>

enum { LIMBERI_STORED_WHOLE = 1, LIMBERI_STORED_LIFTS = 2 }; // what is good in a piece: all but lifts, and lifts

// Numbers after each other that change in the clip.
typedef struct limberi_ground_run {
    uint32_t first, end;
} limberi_ground_run;

typedef struct limberi_ground_track {
    limberi_arena arena;
    uint32_t numbers, cell_count, piece_count;
    double* corners;       // [cell_count + 1] in the clip
    uint32_t* first_piece; // [cell_count + 1]
    uint8_t* good;         // [piece]
    float* still;          // [numbers] of those that never change
    uint32_t run_count;
    limberi_ground_run* runs; // of the `width` others, which follow each other in the arrays below
    uint32_t width;
    float* ends;   // [piece_count + 1][width] of pieces
    int16_t* bows; // [piece][width] how far the middle is off the mean of both ends, in `steps`
    float* steps;  // [width]
} limberi_ground_track;

// Those that share the work: the first pipeline has prepared the clip, the others are its clones.
typedef struct limberi_ground_workers {
    limber_pipeline* const* pipelines; // [worker]
    limber_pack* const* packs;         // [worker]
    const limber_parallel* parallel;   // run NULL: the calling thread
} limberi_ground_workers;

// store_ground.c: *track is NULL where there is nothing to store, or too much.
LIMBER_MUST_USE limber_result limberi_ground_track_create(const limberi_ground_workers* workers, uint32_t clip,
                                                          limberi_ground_track** track);
void limberi_ground_track_destroy(limberi_ground_track* track);
// The numbers of limberi_contact_stage_store at a time, and whether those of lifts are good. False: they are not stored.
bool limberi_ground_track_at(const limberi_ground_track* track, double time_s, float* numbers, bool* lifts);
// Of numbers at the start, the middle and the end of a piece those at `x`, from 0 to 1.
void limberi_ground_track_blend(uint32_t count, const float* a, const float* b, const float* c, float x,
                                float* restrict out);
size_t limberi_ground_track_bytes(const limberi_ground_track* track);

// pack.c: frames are those of this track from now on; NULL: they are found.
void limberi_pack_set_ground(limber_pack* pack, const limberi_ground_track* track);
// How many numbers a frame has; 0: they cannot be stored.
uint32_t limberi_pack_ground_numbers(const limber_pack* pack);
// Finds them. False: the frame has none.
bool limberi_pack_find_ground(limber_pack* pack, int32_t clip, double time_s, float* numbers);
// How far vertices of that frame are off with others, in sizes of the character.
limberi_stored_errors limberi_pack_compare_ground(const limber_pack* pack, const float* found, const float* stored);

#endif
