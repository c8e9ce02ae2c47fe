// Rigid parts in a frame, after the effects: each part takes one rotation and one translation from what the effects did
// to it and to the skin that holds it. Nothing is kept from frame to frame.
#ifndef LIMBERI_RIGID_H
#define LIMBERI_RIGID_H

#include "rigid/rigid_parts.h"
#include <limber/stages/pose.h>

typedef struct limberi_rigid limberi_rigid;

// *rigid is NULL where the settings or the character leave nothing to do.
LIMBER_MUST_USE limber_result limberi_rigid_create(const limber_asset* asset, const limber_rigid_settings* settings,
                                                   limberi_rigid** rigid, limber_error* error);
void limberi_rigid_destroy(limberi_rigid* rigid);
const limber_rigid_parts* limberi_rigid_parts_of(const limberi_rigid* rigid);
// [joint] whether a part hangs on it.
const bool* limberi_rigid_stiff_joints(const limberi_rigid* rigid);
// [joint] whether it moves nothing but rigid parts, in a character that is not made of them.
const bool* limberi_rigid_props(const limberi_rigid* rigid);

// A few vertices of a frame: where they are before the effects, and how far they went. Beyond the count the weight is 0.
enum { LIMBERI_RIGID_POINTS = LIMBERI_RIGID_TOUCHES };
typedef struct limberi_rigid_points {
    const uint32_t* vertices;
    uint32_t count, width; // width: rounded up to vectors of four
    float weights[LIMBERI_RIGID_POINTS];
    float at[3][LIMBERI_RIGID_POINTS], way[3][LIMBERI_RIGID_POINTS];
} limberi_rigid_points;

_Static_assert(LIMBERI_RIGID_POINTS % 4 == 0 && (int)LIMBERI_RIGID_ANCHORS <= (int)LIMBERI_RIGID_POINTS,
               "points fit, in vectors of four");

// All meshes after each other, 3 floats per vertex, world space.
typedef struct limberi_rigid_frame {
    const limber_pose* pose;
    const float* skinned;         // before the effects
    float* deformed;              // after them; parts are moved in place
    const float* skinned_normals; // with Jacobian normals, else NULL
    float* normals;               // the same; averaged normals need nothing, as they follow from the positions
    const void* user;             // of the two functions below, which are NULL where no ground holds the character
    // Both get how far effects moved some points. They replace it by how far the points go before the ground holds
    // them, and after that.
    void (*field)(const void* user, limberi_rigid_points* points);
    void (*settled)(const void* user, limberi_rigid_points* points);
    const float* planted; // [part] how much it stands on the ground, or carries what does; NULL: no ground
    const float* ground;  // [joint] height of the ground
    float scale;          // what heights are measured in
    bool edited;          // the skeleton itself was edited: the skinned heights are no lower bound
    float depth;          // how far the plain clip is below the ground then
    const limber_vec3 *lag_moves, *lag_turns; // [joint] of the springs that appendages swing by, world; NULL: none
    float swing, swing_limit;                 // their gain and largest angle
    const float* stored;                      // the motions of the parts are these; NULL: they are to be found
} limberi_rigid_frame;

// Finds the motion of every part; reads `deformed` only.
void limberi_rigid_begin(limberi_rigid* rigid, const limberi_rigid_frame* frame);
// The motions of the parts as numbers that may be interpolated, and how far vertices of the parts are apart with two
// sets of such numbers, in the frame of the last limberi_rigid_begin. `skinned`: before the effects.
enum { LIMBERI_RIGID_NUMBERS = 12 };
uint32_t limberi_rigid_numbers(const limberi_rigid* rigid);
void limberi_rigid_store(const limberi_rigid* rigid, const limber_pose* pose, float* numbers);
float limberi_rigid_compare(const limberi_rigid* rigid, const limber_pose* pose, const float* skinned, const float* a,
                            const float* b);
// The vertices whose positions limberi_rigid_begin reads: after the effects (`moved`), or only before them. Some are
// listed twice. Returns their number; `vertices` may be NULL.
uint32_t limberi_rigid_probes(const limberi_rigid* rigid, bool moved, uint32_t* vertices);
// The motions it found, as displacements of skinned vertices (the rows of a 3 x 4 matrix): those of the parts, then one
// for each vertex that swings. limber_rigid_parts.motion_of has the number of each vertex's motion.
uint32_t limberi_rigid_motion_count(const limberi_rigid* rigid);
void limberi_rigid_displacement(const limberi_rigid* rigid, uint32_t motion, float out[12]);
// Then moves some of the vertices, by any number of threads.
uint32_t limberi_rigid_entry_count(const limberi_rigid* rigid);
void limberi_rigid_run(const limberi_rigid* rigid, const limberi_rigid_frame* frame, uint32_t first, uint32_t end);

#endif
