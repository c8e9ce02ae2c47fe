// Shared inside src/asset: the steps of limber_asset_create, in the order they run.
#ifndef LIMBERI_ASSET_PRIVATE_H
#define LIMBERI_ASSET_PRIVATE_H

#include "base/error.h"
#include "base/memory.h"
#include <limber/asset.h>

// Whether later stages may trust the model's indices, counts and numbers. Reads only.
limber_result limberi_model_check(const limber_model* model, limber_error* error);

// Rest and bind matrices, areas, normals, centroids, bone directions and the size. `model` is the arena's own copy.
limber_result limberi_model_derive(limberi_arena* arena, limber_model* model, limber_error* error);

// Key range, rate, lookup tables, loops and cuts of one clip. Needs the model's size and rest matrices, and how much of
// the skin hangs on each joint (limberi_skin_shares).
limber_result limberi_clip_derive(limberi_arena* arena, const limber_model* model, const float* shares,
                                  limber_clip* clip, limber_error* error);

// Sets rig.hangs_on, of joints that come before. `order`: the one in which all that a joint could hang on comes before it,
// NULL: that of the rig. Needs the clips and all that the model derives.
limber_result limberi_find_companions(limberi_arena* arena, limber_model* model, uint32_t** order);

// The same model with the joints in another order: order[new] is the old one. Arrays that change are the arena's.
bool limberi_model_reorder(limberi_arena* arena, const uint32_t* order, limber_model* model);

#endif
