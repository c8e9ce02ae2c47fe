// The vertices of a mesh, sorted once so that those with the same joints are next to each other. The kernels run over
// these groups. A group of up to LIMBER_BLOCK vertices shares its joints, so matrices are loaded once per group instead
// of once per vertex, and unmoved joints are skipped for all of its vertices at once.
#ifndef LIMBERI_GROUPS_H
#define LIMBERI_GROUPS_H

#include "base/memory.h"
#include <limber/asset.h>
#include <limber/stages/expression.h>

// --- depths of joints in the tree, and the lowest common ancestor of two joints in logarithmic time ---

typedef struct limberi_ancestors {
    const int32_t* parents;
    uint32_t* depth; // [joint] 1 for roots
    int32_t* jump;   // [joint] some ancestor far above, -1
    uint32_t* order; // [joint] place in a walk that visits parents before children, and whole branches one by one
} limberi_ancestors;

// False (and a failed arena) when memory is short.
bool limberi_ancestors_make(limberi_arena* arena, const limber_rig* rig, limberi_ancestors* ancestors);

// The deepest joint that is above both, or one of them; -1: they have different roots, or one is -1.
int32_t limberi_ancestors_common(const limberi_ancestors* ancestors, int32_t a, int32_t b);

static inline uint32_t limberi_ancestors_depth(const limberi_ancestors* ancestors, int32_t joint) {
    return joint < 0 ? 0 : ancestors->depth[joint];
}

// --- groups ---

enum { LIMBERI_GROUP_STEP = 8 }; // vertices are padded to this many, the most lanes of any variant

// x, y and z of a block of vertices.
typedef struct limberi_block3 {
    float v[3][LIMBER_BLOCK];
} limberi_block3;

// Joints from `first` up to, but not including, `stop` (or past a root) have the same upward weight.
typedef struct limberi_chain {
    uint16_t first, weight; // rig joint; which of the group's weights
    int32_t stop;           // rig joint, -1: past the root
} limberi_chain;

// Weight number slot_count + n of a group is the sum of two earlier ones.
typedef struct limberi_weight_sum {
    uint16_t a, b;
} limberi_weight_sum;

typedef struct limberi_group {
    uint32_t first;                  // of its vertices in the sorted arrays
    uint32_t count, width;           // vertices, and rounded up to LIMBERI_GROUP_STEP
    uint32_t slot_first, slot_count; // joints of the skin that move it
    uint32_t weight_first;           // [slot][width]; with a single slot nothing is stored, the weight is 1
    uint32_t sum_first, sum_count;   // upward weights further up the hierarchy
    uint32_t chain_first, chain_count;
} limberi_group;

struct limberi_groups {
    uint32_t group_count;
    uint32_t width;       // of all groups: length of the sorted arrays
    uint32_t max_weights; // slots and sums of the widest group
    double pairs;         // joint-vertex pairs after upward propagation, and as the kernels see them
    double padded_pairs;
    const limberi_group* groups;
    const uint32_t* vertices;               // [width] of the mesh; padding repeats the group's last vertex
    const float *positions[3], *normals[3]; // [width]
    const float* weights;
    const uint16_t* slots; // joints of the skin
    const limberi_weight_sum* sums;
    const limberi_chain* chains;
};

// The weights of meshes must be normalised already, `tree` is that of the model's rig. NULL (and a failed arena) when
// memory is short.
const struct limberi_groups* limberi_groups_make(limberi_arena* arena, const limber_model* model,
                                                 const limberi_ancestors* tree, const limber_mesh* mesh);
// Of some vertices of the mesh only, each once, in any order.
const struct limberi_groups* limberi_groups_make_of(limberi_arena* arena, const limber_model* model,
                                                    const limberi_ancestors* tree, const limber_mesh* mesh,
                                                    const uint32_t* vertices, uint32_t count);

// Those of every mesh of a character.
const struct limberi_groups* const* limberi_asset_groups(const limber_asset* asset);

extern const float limberi_group_ones[LIMBER_BLOCK];

// Weight number `index` of a group; `sums` holds [sum][LIMBER_BLOCK], see limberi_group_sums.
const float* limberi_group_weight(const struct limberi_groups* groups, const limberi_group* group, const float* sums,
                                  uint32_t index);
void limberi_group_sums(const struct limberi_groups* groups, const limberi_group* group, float* sums);

// Three floats per vertex of the mesh, to a group and back.
void limberi_group_gather(const struct limberi_groups* groups, const limberi_group* group, const float* from,
                          limberi_block3* to);
void limberi_group_scatter(const struct limberi_groups* groups, const limberi_group* group, const limberi_block3* from,
                           float* to);
// Two of them in one go.
void limberi_group_scatter_both(const struct limberi_groups* groups, const limberi_group* group,
                                const limberi_block3* from, float* to, const limberi_block3* from_other, float* other);

// A per-vertex array of the mesh in sorted order; NULL stays NULL.
const float* limberi_groups_sorted(limberi_arena* arena, const struct limberi_groups* groups, const float* values);

#endif
