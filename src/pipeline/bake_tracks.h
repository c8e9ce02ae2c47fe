// Inside src/pipeline: which frames a bake has.
#ifndef LIMBERI_PIPELINE_BAKE_TRACKS_H
#define LIMBERI_PIPELINE_BAKE_TRACKS_H

#include "pipeline/pipeline_private.h"

// Fills the tracks of the bake; *frame_count is over all of them.
LIMBER_MUST_USE limber_result limberi_bake_tracks(const limber_pipeline* pipeline, const limber_bake_settings* settings,
                                                  limber_bake* bake, uint32_t* frame_count, limber_error* error);
double limberi_bake_rate(const limber_bake_settings* settings, const limber_clip* clip);
// Whether a frame is in the range; others are plain.
bool limberi_bake_shows(const limber_bake_settings* settings, double time_s);

// bake_bones.c
LIMBER_MUST_USE limber_result limberi_pipeline_bake_bones(limber_pipeline* pipeline,
                                                          const limber_bake_settings* settings, limber_bake** bake,
                                                          limber_error* error);

#endif
