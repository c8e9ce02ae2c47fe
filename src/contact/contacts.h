// Contacts of a clip, or of live poses, as the stage after the effects needs them.
#ifndef LIMBERI_CONTACTS_H
#define LIMBERI_CONTACTS_H

#include "asset/asset.h"
#include "base/math.h"
#include <limber/stages/contacts.h>
#include <limber/stages/motion.h>
#include <limber/stages/pose.h>

// `loops`: whether the clip counts as one.
LIMBER_MUST_USE limber_result limberi_contacts_find(const limber_asset* asset, const limber_clip* clip, int32_t index,
                                                    bool loops, const limber_contact_settings* settings,
                                                    limber_contacts** contacts);

// Whether these settings ask for nothing else than what the clip has as it came.
bool limberi_contacts_are_shared(const limber_asset* asset, int32_t index, bool loops,
                                 const limber_contact_settings* settings);
// Those belong to the asset; any thread.
LIMBER_MUST_USE limber_result limberi_contacts_share(const limber_asset* asset, uint32_t clip,
                                                     const limber_contacts** contacts);

// What contacts of all clips share, by several threads. `parallel` may be NULL.
LIMBER_MUST_USE limber_result limberi_contacts_prepare(const limber_asset* asset,
                                                       const limber_contact_settings* settings,
                                                       const limber_parallel* parallel);

static const float limberi_reach_full = 0.03f;
static const float limberi_reach_none = 0.30f;

// How much of a contact a vertex feels that is this far above the ground, in scales.
static inline float limberi_contact_reach(float above) {
    float t = (above - limberi_reach_full) / (limberi_reach_none - limberi_reach_full);
    t = limberi_clamp(t, 0, 1);
    return 1 - t * t * (3 - 2 * t);
}

// How much each joint itself touches the ground, before that spreads to its neighbours. [joint_count]
void limberi_contacts_touching(const limber_contacts* contacts, double time_s, float* touching);

// How much the whole body is squashed (below 0) or stretched by landings faster than `min_speed` (scales per second), and
// the height of its lowest point; 0: not at all.
double limberi_contacts_impact(const limber_contacts* contacts, double time_s, double gain, double min_speed,
                               double* low);

// How far the plain clip is below the lowest level itself.
double limberi_contacts_depth(const limber_contacts* contacts, double time_s);

// --- live: poses that come one by one. The same rule as for clips, with backward differences; the caller says where the
// ground is ---

typedef bool (*limberi_contact_stage_height)(void* user, float x, float z, float* height); // as in limber/live.h
typedef struct limberi_live_contacts limberi_live_contacts;

// NULL: not enough memory.
limberi_live_contacts* limberi_live_contacts_create(const limber_asset* asset);
void limberi_live_contacts_destroy(limberi_live_contacts* contacts);
// The next pose has nothing to do with the last one.
void limberi_live_contacts_reset(limberi_live_contacts* contacts);
// The pose has its world matrices.
void limberi_live_contacts_push(limberi_live_contacts* contacts, const limber_pose* pose, double time_s,
                                limberi_contact_stage_height ground, void* user);

// Of the newest pose, [joint]: how much it is held, the ground below it, how much it touches the ground itself.
typedef struct limberi_live_footing {
    const float *hold, *height, *touching;
    double depth; // how far the pose itself is below the ground
} limberi_live_footing;

limberi_live_footing limberi_live_contacts_footing(const limberi_live_contacts* contacts);
// As limberi_contacts_impact; without the stretch before a landing, which cannot be foreseen.
double limberi_live_contacts_impact(const limberi_live_contacts* contacts, double gain, double min_speed, double* low);

#endif
