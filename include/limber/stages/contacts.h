// limber/stages/contacts.h: what of a character stands on the ground, and when.
//
// Contacts are found from the geometry of a clip, never from names: a foot, a hand, a back or a wheel that is low and
// still. Walks on the spot, stairs, ramps and leaps are understood; what flies has none.
//
//     limber_contacts* contacts;
//     limber_error error;
//     if (limber_contacts_find(asset, 0, NULL, &contacts, &error) != LIMBER_OK)
//         return 1;
//     for (uint32_t i = 0; i < limber_contact_count(contacts); i++) {
//         limber_contact one = limber_contact_at(contacts, i);
//         const char* name = limber_asset_model(asset)->rig.names[one.joint];
//         printf("%s stands from %g to %g s\n", name, one.from_s, one.to_s);
//     }
//     limber_contacts_destroy(contacts);
//
// A clip is looked at once, on a fixed grid; any moment can be asked for afterwards, in any order.
#ifndef LIMBER_STAGES_CONTACTS_H
#define LIMBER_STAGES_CONTACTS_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

// Where the floor is.
typedef enum limber_floor_mode {
    LIMBER_FLOOR_AUTO,  // levels where the clips of the file stand
    LIMBER_FLOOR_GIVEN, // one level, at a height
    LIMBER_FLOOR_NONE
} limber_floor_mode;

// A correction by an artist: contacts of some joints are added (amount 1), taken away (amount 0) or moved in time. An
// added one holds at any height: its ground is the lowest point of the joint itself. Seconds from the start of the clip.
typedef struct limber_contact_edit {
    const uint8_t* joints; // [joint] 1: meant
    int32_t clip;          // -1: every clip
    double from_s, to_s;   // the range
    float amount;
    double shift_s; // not 0: contacts in the range happen this much later; the amount does not matter then
} limber_contact_edit;

// How contacts are found, and how firmly they hold.
typedef struct limber_contact_settings {
    float strength; // 0: off ... 1
    limber_floor_mode floor;
    float height;          // for LIMBER_FLOOR_GIVEN
    const float* of_joint; // [joint] how much of the strength; NULL: all of it
    const char* layer;     // multiplies it per vertex; NULL or a layer that no mesh has: 1
    uint32_t edit_count;
    const limber_contact_edit* edits;
} limber_contact_settings;

// Strength 0, the floor found by itself.
LIMBER_API limber_contact_settings limber_contact_settings_default(void);

// A joint that stands for a while.
typedef struct limber_contact {
    uint32_t joint;      // in the rig
    double from_s, to_s; // from the start of the clip
    double height;       // of the ground
} limber_contact;

// The floor of a clip, and what stands on it.
typedef struct limber_contacts limber_contacts;

// `settings` NULL: the default; the strength does not matter here. The asset must outlive the result.
LIMBER_API LIMBER_MUST_USE limber_result limber_contacts_find(const limber_asset* asset, uint32_t clip,
                                                              const limber_contact_settings* settings,
                                                              limber_contacts** contacts, limber_error* error);
LIMBER_API void limber_contacts_destroy(limber_contacts* contacts);

// Heights of the floor, rising.
LIMBER_API uint32_t limber_contacts_level_count(const limber_contacts* contacts);
LIMBER_API double limber_contacts_level(const limber_contacts* contacts, uint32_t index);
// The length that contacts are measured in: about L.
LIMBER_API double limber_contacts_scale(const limber_contacts* contacts);
// Velocity along the ground (x, z) of feet that walk on the spot, world units per second; 0: none do.
LIMBER_API void limber_contacts_belt(const limber_contacts* contacts, double* velocity);

// By joint, then by time.
LIMBER_API uint32_t limber_contact_count(const limber_contacts* contacts);
LIMBER_API limber_contact limber_contact_at(const limber_contacts* contacts, uint32_t index);

// A joint that stays in its place while the body goes on, as a hand on a bar or a ladder does: it is held there, at any
// height. In a loop, a grip beyond its end may begin before 0 or end after the clip does.
typedef struct limber_grip {
    uint32_t joint;
    double from_s, to_s; // from the start of the clip
} limber_grip;

// By the time they end.
LIMBER_API uint32_t limber_grip_count(const limber_contacts* contacts);
LIMBER_API limber_grip limber_grip_at(const limber_contacts* contacts, uint32_t index);

// A moment in which the body comes down on the floor.
typedef struct limber_landing {
    double time_s; // from the start of the clip
    double speed;  // of the fall, in body lengths per second (as min_speed of limber_impact_settings)
} limber_landing;

// By time.
LIMBER_API uint32_t limber_landing_count(const limber_contacts* contacts);
LIMBER_API limber_landing limber_landing_at(const limber_contacts* contacts, uint32_t index);

// How much each joint is held (0 ... 1) and the height of the ground below it, at any time of the clip. Arrays of
// joint_count; either may be NULL. Without a floor and added contacts all are 0
// and false comes back.
LIMBER_API bool limber_contacts_evaluate(const limber_contacts* contacts, double time_s, float* contact, float* ground);

#ifdef __cplusplus
}
#endif

#endif
