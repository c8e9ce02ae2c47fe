// Inside of src/retarget: how a figure is put together.
#ifndef LIMBERI_RETARGET_FIGURE_PRIVATE_H
#define LIMBERI_RETARGET_FIGURE_PRIVATE_H

#include "asset/body.h"
#include "retarget/figure.h"
#include "retarget/joint_names.h"

static inline bool limberi_means(const limberi_joint_meaning* meaning, limberi_family family, int side) {
    return meaning->family == family && meaning->side == side;
}

// limbs.c

// The lowest joint that both are below; -1: none.
int32_t limberi_common_parent(const limber_rig* rig, uint32_t a, uint32_t b);
double limberi_joints_apart(const limber_rig* rig, uint32_t a, uint32_t b); // in the rest pose

void limberi_chain_add(limberi_chain* chain, uint32_t joint); // what is too much is left out
// The joints from below `above` (-1: the root) to `joint`.
void limberi_chain_between(const limber_rig* rig, int32_t above, int32_t joint, limberi_chain* chain);

// Cuts a path from the body to the tip into a limb; its end is -1 when the path is none.
void limberi_limb_of_path(const limber_rig* rig, const limberi_joint_meaning* meanings, const limberi_chain* path,
                          limberi_figure_limb* limb);

// shape.c: limbs of skeletons whose names say nothing: pairs of branches that mirror each other. The pair that reaches
// lowest are the legs. Sets how sure that is: the less, the more other pairs are like them. False: not enough memory.
bool limberi_limbs_by_shape(const limber_model* model, limberi_figure* figure, const limberi_joint_meaning* meanings);
// The highest joint below the chest that is not in an arm; -1: none.
int32_t limberi_shape_head(const limberi_figure* figure, uint32_t chest);

#endif
