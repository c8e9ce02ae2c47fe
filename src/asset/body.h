// The plan of a body, by how much of the skin hangs on each joint and never by names: hips, trunk, limbs.
#ifndef LIMBERI_BODY_H
#define LIMBERI_BODY_H

#include <limber/asset.h>

// How much of the skin hangs on each joint and on those below it; `own` are the shares of limberi_skin_shares.
void limberi_shares_below(const limber_rig* rig, const float* own, float* up);

// The joint that everything hangs on: the last of a chain from the root; -1: there are no joints.
int32_t limberi_body_hips(const limber_rig* rig, const float* up);
// Joints at and below the hips that carry much of the skin, parents first. Returns how many.
uint32_t limberi_body_trunk(const limber_rig* rig, const float* up, int32_t hips, uint32_t* trunk);
// The first joints of what hangs on the trunk and is large enough to be a limb. Returns how many.
uint32_t limberi_body_limbs(const limber_rig* rig, const float* up, const uint32_t* trunk, uint32_t trunk_count,
                            uint32_t* roots);

// [joint] whether it, or a joint that it hangs on, has a sibling like it, as arms and legs do. `scratch`: [joint] zeros;
// then how many joints hang below each one.
void limberi_body_pairs(const limber_model* model, uint32_t* scratch, uint8_t* paired);
// The plane between the two joints of the widest pair, in the rest pose; `below` and `paired`: from limberi_body_pairs.
// False: there is no pair.
bool limberi_body_middle(const limber_model* model, const uint32_t* below, const uint8_t* paired, limber_vec3* point,
                         limber_vec3* normal);

bool limberi_body_is_trunk(const uint32_t* trunk, uint32_t trunk_count, int32_t joint);

// Whether a joint is `above` or hangs below it.
bool limberi_hangs_below(const limber_rig* rig, uint32_t joint, uint32_t above);
// Joints from `above` to `joint`, both counted; 0: it does not hang below.
uint32_t limberi_chain_length(const limber_rig* rig, uint32_t joint, uint32_t above);

#endif
