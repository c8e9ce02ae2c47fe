// What other folders use of a character besides the public headers.
#ifndef LIMBERI_ASSET_H
#define LIMBERI_ASSET_H

#include "base/math.h"
#include "base/memory.h"
#include "text/text.h"
#include <limber/asset.h>
#include <limber/stages/expression.h>
#include <limber/stages/pose.h>
#include <stdatomic.h>

// --- derived data: found when first asked for, and kept as long as the character lives ---

// The first member of what is kept.
typedef struct limberi_derived_item {
    void (*destroy)(struct limberi_derived_item* item);
} limberi_derived_item;

typedef struct limberi_derived {
    _Atomic(limberi_derived_item*) item; // NULL: not asked for yet
} limberi_derived;

typedef enum limberi_derived_kind {
    LIMBERI_DERIVED_RIGID,
    LIMBERI_DERIVED_SUPPORTS,
    LIMBERI_DERIVED_FLOORS,
    LIMBERI_DERIVED_CONTACTS,
    LIMBERI_DERIVED_SKIRT,
    LIMBERI_DERIVED_REHEARSAL,
    LIMBERI_DERIVED_LIVE_REHEARSAL,
    LIMBERI_DERIVED_KINDS
} limberi_derived_kind;

limberi_derived* limberi_asset_derived(const limber_asset* asset, limberi_derived_kind kind);
// Keeps `item`, or destroys it when another thread was faster; returns the one that is kept.
limberi_derived_item* limberi_derived_keep(limberi_derived* slot, limberi_derived_item* item);

// --- joints ---

// By name: its own, or its name as a bone of a human body.
static inline bool limberi_joint_matches(const limber_rig* rig, uint32_t joint, const char* pattern) {
    return limberi_name_matches(rig->names[joint], pattern) ||
           (rig->bones && rig->bones[joint] && limberi_name_matches(rig->bones[joint], pattern));
}

// Sets moving[joint] for those that any clip moves in their parent's frame.
void limberi_find_moving(const limber_model* model, uint8_t* moving);
// fused[joint]: the joint itself, or the one above that it never moves against.
void limberi_fuse_still(const limber_model* model, const uint8_t* moving, uint32_t* fused);

// --- meshes ---

// Which mesh has a vertex, where all meshes follow each other.
static inline const limber_mesh* limberi_mesh_of_vertex(const limber_model* model, uint32_t vertex) {
    uint32_t m = 0;
    while (m + 1 < model->mesh_count && vertex >= model->meshes[m + 1].first_vertex)
        m++;
    return &model->meshes[m];
}

// --- the smallest ball around points ---

typedef struct limberi_ball {
    double center[3], radius;
} limberi_ball;

// Around `count` points of 3 numbers each; points that are not finite are left out. No points: radius 0.
limberi_ball limberi_ball_around(const float* points, size_t count);

// --- what vertices hang on ---

// How much a vertex hangs on a joint of its skin.
static inline float limberi_weight_on(const limber_mesh* mesh, uint32_t vertex, uint32_t joint) {
    float sum = 0;
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++)
        sum += mesh->influence_joint[i] == joint ? mesh->influence_weight[i] : 0;
    return sum;
}

// On how many joints a vertex of the mesh hangs, at most; at least 1.
static inline uint32_t limberi_max_influences(const limber_mesh* mesh) {
    uint32_t max = 1;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t count = mesh->influence_first[v + 1] - mesh->influence_first[v];
        max = count > max ? count : max;
    }
    return max;
}

// --- poses of several moments ---

enum { LIMBERI_POSES = 6 }; // as many as are sampled at once

// limber_clip_sample at up to LIMBERI_POSES times, to the same bits: less work than one after the other where several lie
// between the same keys.
void limberi_clip_sample_some(const limber_model* model, const limber_clip* clip, const double* times_s, uint32_t count,
                              limber_pose* poses);

// Room for LIMBERI_POSES poses; on failure nothing is left to destroy.
LIMBER_MUST_USE limber_result limberi_poses_create(const limber_model* model, limber_pose* poses);
void limberi_poses_destroy(limber_pose* poses);

// --- colliders that a file or a program gives ---

// Whether the stages may trust it.
static inline bool limberi_collider_is_valid(const limber_collider* c, uint32_t joint_count) {
    limber_vec3 sum = limberi_add(c->from, c->to);
    bool finite = isfinite(sum.x) && isfinite(sum.y) && isfinite(sum.z) && isfinite(c->radius);
    bool known = c->shape <= LIMBER_COLLIDER_PLANE && c->joint >= -1 && c->joint < (int32_t)joint_count;
    return finite && known && c->radius >= 0 && (c->shape != LIMBER_COLLIDER_PLANE || !limberi_is_zero(c->to));
}

// --- what formulas may use of a vertex in the rest pose: position, normal, texture coordinates, height, a random number ---

// Per-vertex inputs of formulas for one mesh; NULL: no formula uses it.
typedef struct limberi_mesh_names {
    float* arrays[LIMBER_VARIABLE_COUNT];
} limberi_mesh_names;

// Fills the arrays of those of the `used` names (bits of limber_variable) that do not change as the character moves.
limber_result limberi_mesh_names_fill(limberi_arena* arena, const limber_model* model, const limber_mesh* mesh,
                                      uint32_t used, limberi_mesh_names* names);

// Points `inputs` at `count` vertices from `first`, with the layers that `expression` asks for.
void limberi_mesh_names_point(const limberi_mesh_names* names, const limber_mesh* mesh,
                              const limber_expression* expression, uint32_t first, uint32_t count,
                              limber_expression_inputs* inputs);

#endif
