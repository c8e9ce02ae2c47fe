// What is derived from a clip: its jump cuts, and whether it is a loop.
#ifndef LIMBERI_CLIP_H
#define LIMBERI_CLIP_H

#include "base/memory.h"
#include <limber/asset.h>

// All of it, with what is derived. `model` is the one that it is of.
limber_clip limberi_clip_copy(limberi_arena* arena, const limber_model* model, const limber_clip* clip);

// Makes tables of the clip's channels: `of_joint` is [3 * joint + path], `of_mesh` [mesh].
void limberi_clip_fill_tables(const limber_model* model, limber_clip* clip, int32_t* of_joint, int32_t* of_mesh);

// Lists the clips, the longest first, for threads that share them out: who takes the longest last is waited for. `order`
// has room for twice as many.
void limberi_clips_longest_first(const limber_model* model, uint32_t* order);

// --- cuts: of the whole character or of single joints ---

// Fills the clip's cuts and joint_cuts. Needs its range, its rate, and the model's areas and size.
limber_result limberi_clip_derive_cuts(limberi_arena* arena, const limber_model* model, limber_clip* clip);

// How much of the skin hangs on each joint, by area; all of them are 1. Where there is no skin joints count alike.
void limberi_skin_shares(const limber_model* model, float* shares);

// Whether joints that jump at one moment take the character with them. `jumps` is nonzero for them, and becomes
// nonzero for those that they carry: LIMBERI_CARRIED where they do not jump themselves.
enum { LIMBERI_JUMPS = 1, LIMBERI_CARRIED = 2 };
bool limberi_jump_of_all(const limber_rig* rig, const float* shares, uint8_t* jumps);

// The cuts of one joint after the other: those from `first` on that are of the same joint end before this one.
uint32_t limberi_joint_cuts_end(const limber_clip* clip, uint32_t first);
// The first cut in [first, end), all of one joint, whose middle lies after `time_s`; `end` when there is none.
uint32_t limberi_joint_cut_after(const limber_clip* clip, uint32_t first, uint32_t end, double time_s);

// World length of a unit in the frame of the joint's parent, in the rest pose.
double limberi_parent_scale(const limber_rig* rig, uint32_t joint);

// --- loops, and what is missing at their seams ---

// Fills loops, travels and loop. Needs the clip's range, tables and cuts; `shares` are those of limberi_skin_shares.
limber_result limberi_clip_derive_loop(limberi_arena* arena, const limber_model* model, const float* shares,
                                       limber_clip* clip);

// Only the seams, for a clip whose keys have changed since.
limber_result limberi_clip_derive_seams(limberi_arena* arena, const limber_model* model, limber_clip* clip);

// Whether the last pose is the first one again, but for rounding, and in the same place.
bool limberi_clip_closes(const limber_clip* clip);

#endif
