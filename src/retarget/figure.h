// A skeleton as a figure: hips, spine, neck, head, four limbs, fingers and a tail, found by the names of the joints where
// they say enough, else by the shape of the skeleton.
#ifndef LIMBERI_RETARGET_FIGURE_H
#define LIMBERI_RETARGET_FIGURE_H

#include <limber/asset.h>

enum {
    LIMBERI_CHAIN_MAX = 24,
    LIMBERI_FINGERS = 5, // thumb, index, middle, ring, little
    LIMBERI_LIMBS = 4    // left and right arm (of animals: foreleg), left and right leg
};

typedef enum limberi_limb_name {
    LIMBERI_ARM_LEFT,
    LIMBERI_ARM_RIGHT,
    LIMBERI_LEG_LEFT,
    LIMBERI_LEG_RIGHT
} limberi_limb_name;

// Joints, each below the one before it.
typedef struct limberi_chain {
    uint32_t count;
    uint32_t joints[LIMBERI_CHAIN_MAX];
} limberi_chain;

typedef struct limberi_figure_limb {
    limberi_chain stub;  // between the body and the limb: a clavicle
    limberi_chain bones; // from the shoulder or hip to the last one before the end: two or more
    uint32_t lower;      // which of the bones is the first of the lower half
    int32_t end;         // wrist or ankle; -1: the limb was not found
    bool loose;          // the end hangs elsewhere in the tree, as rigs for inverse kinematics have it
    limberi_chain tip;   // toes
    limberi_chain fingers[LIMBERI_FINGERS];
} limberi_figure_limb;

typedef struct limberi_figure {
    const limber_rig* rig;
    int32_t hips, head; // -1: none
    limberi_chain spine, neck, tail;
    limberi_figure_limb limbs[LIMBERI_LIMBS];
    bool all_fours;                  // the arms are forelegs
    bool by_shape;                   // names did not say enough
    float sure;                      // how sure it is what the limbs are, 0 ... 1
    double up[3], side[3], front[3]; // of the rest pose: side is the figure's left
} limberi_figure;

// `bones` as in limber_retarget_settings. LIMBER_ERROR_ARGUMENT: there is no body with hips and two legs; `missing` says
// in plain words what was not found.
LIMBER_MUST_USE limber_result limberi_figure_find(const limber_model* model, const char* const* bones,
                                                  limberi_figure* figure, const char** missing);

static inline bool limberi_figure_has(const limberi_figure* figure, uint32_t limb) {
    return figure->limbs[limb].end >= 0;
}

// The place of a joint in the rest pose.
static inline void limberi_rest_place(const limber_rig* rig, uint32_t joint, double* place) {
    for (int i = 0; i < 3; i++)
        place[i] = (double)rig->world_from_joint_rest[joint].m[12 + i];
}

// From one joint to another in the rest pose.
static inline void limberi_rest_way(const limber_rig* rig, uint32_t a, uint32_t b, double* way) {
    double from[3];
    limberi_rest_place(rig, a, from);
    limberi_rest_place(rig, b, way);
    for (int i = 0; i < 3; i++)
        way[i] -= from[i];
}

// Length of both halves of a limb, from its first bone over the lower one to the end.
double limberi_limb_length(const limberi_figure* figure, uint32_t limb);

#endif
