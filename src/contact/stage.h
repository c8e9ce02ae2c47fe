// The ground under a frame, after the effects: landings squash the body, what stands stays where it is, nothing goes
// through the floor, and rigid parts keep their shape. Nothing is kept from frame to frame.
#ifndef LIMBERI_CONTACT_STAGE_H
#define LIMBERI_CONTACT_STAGE_H

#include "asset/groups.h"
#include "contact/contacts.h"
#include "contact/floor_points.h"
#include "contact/support.h"
#include "rigid/rigid.h"
#include <limber/stages/impact.h>

typedef struct limberi_contact_stage limberi_contact_stage;

// *ground is NULL where the settings leave nothing to do. `shapes`: frames may come with a body. `rigid` may be NULL; both
// it and what the settings point to must outlive the stage.
LIMBER_MUST_USE limber_result limberi_contact_stage_create(const limber_asset* asset,
                                                           const limber_contact_settings* contact,
                                                           const limber_impact_settings* impact, bool shapes,
                                                           limberi_rigid* rigid, limberi_contact_stage** ground,
                                                           limber_error* error);
void limberi_contact_stage_destroy(limberi_contact_stage* ground);

// Before contacts of several clips: what they share. `ground` may be NULL.
LIMBER_MUST_USE limber_result limberi_contact_stage_prepare(const limberi_contact_stage* ground,
                                                            const limber_parallel* parallel);

// The contacts of a clip, found when first asked for. *contacts is NULL without a clip.
LIMBER_MUST_USE limber_result limberi_contact_stage_contacts(limberi_contact_stage* ground, const limber_clip* clip,
                                                             int32_t index, bool loops,
                                                             const limber_contacts** contacts);

// How the performance squashes and bends the whole body at a moment.
typedef struct limberi_body_state {
    double strain[6]; // logarithm of the stretch: xx, yy, zz, xy, yz, zx; adds up to 0, so the volume is kept
    double bend[2];   // x and z: radians per body height
    double support;   // 0: it flies ... 1: something carries it
    double height;    // of the body
    double landing;   // gain of landings on top of it, for bodies without legs to bend
} limberi_body_state;

// The same as a map: p -> p + stretch (p - center) + shift, then up to a bend along the height above the center.
typedef struct limberi_body_shape {
    float center[3], shift[3];
    float stretch[6]; // minus the identity, in the order of strain
    float bend[2];    // curvature along x and z
    float planted;    // how much what is low stays where it is sideways
    float per_height; // 1 / the height of the body
} limberi_body_shape;

// Where a frame does not know all its vertices: how it learns of support points, group by group.
typedef struct limberi_points_wanted {
    void* user;
    // The points of a group that are in a box: how far effects may move them along each axis. False: nobody knows.
    bool (*reach)(void* user, uint32_t mesh, uint32_t group, const limberi_floor_box* box, float reach[3]);
    // Puts them into `skinned` and, with `moved`, into `deformed`.
    void (*show)(void* user, uint32_t mesh, uint32_t group, bool moved);
} limberi_points_wanted;

// All meshes after each other, 3 floats per vertex, world space.
typedef struct limberi_contact_stage_frame {
    const limber_contacts* contacts;   // NULL: none
    const limberi_live_contacts* live; // instead of them, NULL: none
    double time_s;
    float strength; // of the style in this frame
    bool shaped;    // by `body`, which then stands in for landings
    limberi_body_state body;
    bool edited; // the skeleton is not where the plain clip has it: the floor holds for `skinned` as well
    const limber_pose* pose;
    limber_mat4* const* palettes; // [skin]
    const float* skinned;         // before the effects
    float* deformed;              // after them
    const float* skinned_normals; // with Jacobian normals, else NULL
    float* normals;
    const limber_vec3 *lag_moves, *lag_turns; // as in limberi_rigid_frame
    float swing, swing_limit;
    const limberi_points_wanted* wanted; // NULL: all vertices are known
    bool boxed;                          // then: skinning is linear, so that points stay in the boxes of their joints
    const float* stored; // what vertices are read for otherwise, as limberi_contact_stage_store has it; NULL: not known
    bool stored_lifts;   // then: that of single joints, too
} limberi_contact_stage_frame;

// Finds what is the same for all vertices; reads `deformed` only. False: the frame has nothing to do.
bool limberi_contact_stage_begin(limberi_contact_stage* ground, const limberi_contact_stage_frame* frame);
// What begin found from vertices, as numbers that change smoothly between corners of the motion; with them the frame
// needs no vertices but for the lifts of joints. Not with colliders, which read vertices themselves.
uint32_t limberi_contact_stage_numbers(const limberi_contact_stage* ground);
void limberi_contact_stage_store(const limberi_contact_stage* ground, const limber_pose* pose, float* numbers);
// How far vertices of the current frame would be off, at most: by the lifts of joints, and by all else.
typedef struct limberi_stored_errors {
    float whole, lifts;
} limberi_stored_errors;
limberi_stored_errors limberi_contact_stage_compare(const limberi_contact_stage* ground, const limber_pose* pose,
                                                    const float* skinned, const float* found, const float* stored);
// Then moves the vertices of a group in place, by any number of threads. False: none moved.
bool limberi_contact_stage_group(const limberi_contact_stage* ground, const limberi_contact_stage_frame* frame,
                                 uint32_t mesh, uint32_t group);

// For colliders, which come later and must not push vertices through the floor. The height that a vertex may have which
// they move between two heights, and the height above which the floor changes nothing (-HUGE_VALF: there is no floor).
float limberi_contact_stage_keep_above(const limberi_contact_stage* ground, uint32_t vertex, float from, float to);
float limberi_contact_stage_reach(const limberi_contact_stage* ground);

// For a GPU that moves the vertices instead. Contacts or impacts are on; `ground` may be NULL.
bool limberi_contact_stage_acts(const limberi_contact_stage* ground);
// The vertices whose positions limberi_contact_stage_begin reads: after the effects (`moved`), or only before them.
// Some are listed twice. Returns their number; `vertices` may be NULL.
uint32_t limberi_contact_stage_probes(const limberi_contact_stage* ground, bool moved, uint32_t* vertices);
// [mesh] the points whose positions limberi_contact_stage_begin reads where they are near the floor; NULL: none.
const struct limberi_groups* const* limberi_contact_stage_points(const limberi_contact_stage* ground);
// After begin: how far a single vertex of the frame goes, but for rigid parts.
limber_vec3 limberi_contact_stage_settled(const limberi_contact_stage* ground, const limberi_contact_stage_frame* frame,
                                          uint32_t vertex);
// How much contacts count at each vertex of a mesh; NULL: 1.
const float* limberi_contact_stage_layer(const limberi_contact_stage* ground, uint32_t mesh);

// What begin found besides the rows of joints.
typedef struct limberi_contact_stage_found {
    bool floor, edited;
    float scale, depth, firm; // what heights are measured in, how far the plain clip is below the floor, its push
    limberi_body_shape shape; // all 0: none
} limberi_contact_stage_found;

limberi_contact_stage_found limberi_contact_stage_result(const limberi_contact_stage* ground);
// Of a joint: how much it is held, the height of its ground, how far it is lifted, which share of its skin stays.
void limberi_contact_stage_footing(const limberi_contact_stage* ground, uint32_t joint, float out[4]);

#endif
