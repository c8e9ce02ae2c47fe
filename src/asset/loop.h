// Whether a clip is a loop, and what is missing at its seam.
#ifndef LIMBERI_ASSET_LOOP_H
#define LIMBERI_ASSET_LOOP_H

#include "base/arena.h"
#include <limber/asset.h>

// Fills loops, travels and loop. Needs the clip's range, tables and cuts; `shares` are those of limberi_skin_shares.
limber_result limberi_clip_derive_loop(limberi_arena* arena, const limber_model* model, const float* shares,
                                       limber_clip* clip);

// Only the seams, for a clip whose keys have changed since.
limber_result limberi_clip_derive_seams(limberi_arena* arena, const limber_model* model, limber_clip* clip);

// Whether the last pose is the first one again, but for rounding, and in the same place.
bool limberi_clip_closes(const limber_clip* clip);

#endif
