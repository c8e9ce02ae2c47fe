// What the parts of the UsdSkel writer share.
#ifndef LIMBERI_CACHE_USD_SKEL_H
#define LIMBERI_CACHE_USD_SKEL_H

#include "base/error.h"
#include "base/math.h"
#include "io/cache/usd_text.h"
#include "io/cache/writers.h"
#include <limber/stages/pose.h>
#include <limber/usd.h>

// Which Skeleton a skin uses, and the mesh's place when it was bound.
typedef struct limberi_usd_place {
    uint32_t skeleton;
    limber_mat4 world_from_mesh; // primvars:skel:geomBindTransform
} limberi_usd_place;

// The blend shapes of a mesh: its own morph targets, then those of the bake.
typedef struct limberi_usd_shapes {
    uint32_t count;
    const char** names; // also the tokens of the animation, so no two meshes share one
} limberi_usd_shapes;

typedef struct limberi_usd {
    const limber_usd_job* job;
    const limber_model* model;
    const limber_clip* clip; // NULL: the default pose
    limberi_arena arena;
    limberi_out out;
    bool not_finite; // sticky: a number could not be written

    const char* root;
    const char* animation;
    const char* materials;
    const char** mesh_names;
    const char** material_names;

    // Joints of the rig, then those that stretch skin.
    uint32_t joint_count;
    const char** joint_paths;
    const uint32_t* parents; // UINT32_MAX for a root
    uint32_t* skin_joints;   // [rig joint] the joint its skin hangs on

    float* middles; // [stretch] where along the bone the joint is that stretches its skin

    // Frames of the bake's track that are written.
    uint32_t first_frame, frame_count;
    limber_pose pose;
    float* shrink; // [joint] its scales divided by this are 1 at most
    float* units;  // [joint] how much larger its axes are than the rig's
    limber_transform* local;
    limber_vec3* lost; // [joint] what rounding the scales left out, as factors

    uint32_t skeleton_count;
    const char** skeleton_names;
    limber_mat4** binds; // [skeleton][joint] world_from_joint, in units of the rig
    limberi_usd_place* places;

    uint32_t shape_count; // of all meshes
    limberi_usd_shapes* shapes;
    float* scratch; // 6 per vertex of the largest mesh

    const char** packed; // [image] its name in a .usdz, or NULL; NULL: the file is a .usda
} limberi_usd;

// Names for the pictures that go into a .usdz; false: no memory.
bool limberi_usd_open_pictures(limberi_usd* usd);
// Numbers, with a look whether they are finite.
void limberi_usd_floats(limberi_usd* usd, const float* values, size_t tuple_count, uint32_t size);
void limberi_usd_matrix(limberi_usd* usd, const limber_mat4* matrix);

// "name = [\"a\", \"b\"]" with everything before the names given.
void limberi_usd_tokens(limberi_usd* usd, const char* before, const char* const* names, size_t count);
// "/root/a", "/root/a/b", "/root/a/b/c".
void limberi_usd_path(limberi_usd* usd, const char* a, const char* b, const char* c);

// Chooses Skeletons and places for all skins.
LIMBER_MUST_USE limber_result limberi_usd_bind(limberi_usd* usd, limber_error* error);

// The time code of a frame, counted from the first one that is written.
double limberi_usd_code(const limberi_usd* usd, uint32_t frame);
double limberi_usd_time_s(const limberi_usd* usd, uint32_t frame);
// Names and parents of joints, and how large their scales get.
LIMBER_MUST_USE limber_result limberi_usd_open_joints(limberi_usd* usd, limber_error* error);
limber_transform limberi_usd_rest(const limberi_usd* usd, uint32_t joint);
limber_mat4 limberi_usd_bound(const limberi_usd* usd, uint32_t skeleton, uint32_t joint);
void limberi_usd_put_animation(limberi_usd* usd);

LIMBER_MUST_USE limber_result limberi_usd_open_shapes(limberi_usd* usd, limber_error* error);
// Weights of all shapes at a frame; usd->pose is that of the frame.
void limberi_usd_weights(const limberi_usd* usd, uint32_t frame, float* weights);
LIMBER_MUST_USE limber_result limberi_usd_put_shapes(limberi_usd* usd, uint32_t mesh, limber_error* error);

bool limberi_usd_open_materials(limberi_usd* usd);
void limberi_usd_put_materials(limberi_usd* usd);
void limberi_usd_put_binding(limberi_usd* usd, const limber_mesh* mesh);
// A GeomSubset for each part, when there are several.
void limberi_usd_put_subsets(limberi_usd* usd, const limber_mesh* mesh);

#endif
