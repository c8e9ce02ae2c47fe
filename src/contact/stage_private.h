// Inside src/contact: what a frame knows of the ground (stage.c), and what that does to vertices (stage_vertices.c).
#ifndef LIMBERI_CONTACT_STAGE_PRIVATE_H
#define LIMBERI_CONTACT_STAGE_PRIVATE_H

#include "contact/stage.h"

// What of the ground a joint has, and a vertex sees: weighted means over its joints.
typedef struct limberi_contact_footing {
    float hold, height, lift, fixed;
} limberi_contact_footing;

// The floor of a frame.
typedef struct limberi_contact_floor {
    float scale; // what heights are measured in
    float depth; // how far the plain clip itself is below it
    float firm;  // how much of its push counts
    bool edited; // it holds whatever the skeleton does
} limberi_contact_floor;

// A group of vertices.
typedef struct limberi_contact_block {
    limberi_block3 skinned, moved; // moved: by how much
    float hold[LIMBER_BLOCK], height[LIMBER_BLOCK], lift[LIMBER_BLOCK], fixed[LIMBER_BLOCK];
    float strength[LIMBER_BLOCK], keep[LIMBER_BLOCK]; // keep: how much of the displacement is left
    float above[LIMBER_BLOCK];                        // the center of the body's shape
} limberi_contact_block;

struct limberi_contact_stage {
    limberi_arena arena;
    const limber_asset* asset;
    const limber_model* model;
    const limber_contact_settings* contact;
    const limber_impact_settings* impact;
    const limberi_support* support;
    limberi_floor_points points; // of the support
    limberi_rigid* rigid;
    limber_contacts** of_clip;       // [clip] NULL: not asked for yet
    const float** layer_of_mesh;     // [mesh] values per vertex, NULL: 1
    limberi_contact_footing* rows;   // [joint] this frame
    float *hold, *height, *touching; // [joint] scratch
    float* planted;                  // [rigid part] this frame
    bool floor;                      // this frame has a floor
    limberi_contact_floor on;        // and this is it
    bool shapes;                     // frames may come with a body
    bool squashes;                   // the whole body has another shape in this frame
    limberi_body_shape shape;        // and this is it
    float low;                       // the lowest support point that it was found by, above the middle of the body
    limber_vec3 unstretch[3];        // rows of the inverse of its stretch, for normals
};

// A stage in one of its frames.
typedef struct limberi_contact_step {
    const limberi_contact_stage* g;
    const limberi_contact_stage_frame* f;
} limberi_contact_step;

// Displacements of a few vertices, for parts that keep their shape: `user` is a limberi_contact_step. The first adds the
// shape of the whole body, the second what the floor does after that.
void limberi_contact_shape_points(const void* user, limberi_rigid_points* points);
void limberi_contact_settle_points(const void* user, limberi_rigid_points* points);

// The shape of the whole body on a group of vertices.
void limberi_contact_shape_group(const limberi_body_shape* shape, uint32_t width, limberi_contact_block* b);

#endif
