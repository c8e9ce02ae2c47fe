// Contacts of a clip, as the stage after the effects needs them.
#ifndef LIMBERI_CONTACTS_H
#define LIMBERI_CONTACTS_H

#include "asset/derived.h"
#include <limber/stages/contacts.h>
#include <limber/stages/motion.h>

// `loops`: whether the clip counts as one.
LIMBER_MUST_USE limber_result limberi_contacts_find(const limber_asset* asset, const limber_clip* clip, int32_t index,
                                                    bool loops, const limber_contact_settings* settings,
                                                    limber_contacts** contacts);

// What contacts of all clips share, by several threads. `parallel` may be NULL.
LIMBER_MUST_USE limber_result limberi_contacts_prepare(const limber_asset* asset,
                                                       const limber_contact_settings* settings,
                                                       const limber_parallel* parallel);

static const float limberi_reach_full = 0.03f, limberi_reach_none = 0.30f;

// How much of a contact a vertex feels that is this far above the ground, in scales.
static inline float limberi_contact_reach(float above) {
    float t = (above - limberi_reach_full) / (limberi_reach_none - limberi_reach_full);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return 1 - t * t * (3 - 2 * t);
}

// How much each joint itself touches the ground, before that spreads to its neighbours. [joint_count]
void limberi_contacts_touching(const limber_contacts* contacts, double time_s, float* touching);

// How much the whole body is squashed (below 0) or stretched by landings faster than `min_speed` (scales per second), and
// the height of its lowest point; 0: not at all.
double limberi_contacts_impact(const limber_contacts* contacts, double time_s, double gain, double min_speed,
                               double* low);

// Landings of the clip, by time: when, from its start, and how fast the fall is (scales per second).
uint32_t limberi_contacts_landing_count(const limber_contacts* contacts);
void limberi_contacts_landing_at(const limber_contacts* contacts, uint32_t index, double* time_s, double* speed);

// How far the plain clip is below the lowest level itself.
double limberi_contacts_depth(const limber_contacts* contacts, double time_s);

#endif
