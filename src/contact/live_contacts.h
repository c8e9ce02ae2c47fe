// Contacts of poses that come one by one: the same rule as for clips, with backward differences, and the game says where
// the ground is.
#ifndef LIMBERI_LIVE_CONTACTS_H
#define LIMBERI_LIVE_CONTACTS_H

#include "contact/support.h"

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
} limberi_live_footing;

limberi_live_footing limberi_live_contacts_footing(const limberi_live_contacts* contacts);
// As limberi_contacts_impact; without the stretch before a landing, which nobody can foresee.
double limberi_live_contacts_impact(const limberi_live_contacts* contacts, double gain, double min_speed, double* low);

#endif
