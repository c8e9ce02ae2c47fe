// limber/stages/retarget.h: the motion of one skeleton onto another.
//
//     const limber_model* walk = model;      // any character with clips, such as a .bvh file's
//     const limber_model* character = model; // another one
//     limber_retarget_settings settings = limber_retarget_settings_default();
//     limber_retarget* retarget;
//     limber_error error;
//     if (limber_retarget_create(walk, character, &settings, &retarget, &error) != LIMBER_OK) {
//         fprintf(stderr, "%s\n", error.message); // what of a body was not found, and in which of the two
//         return 1;
//     }
//     const limber_clip* clip;
//     if (limber_retarget_clip(retarget, &walk->clips[0], &clip, &error) == LIMBER_OK)
//         printf("%u channels\n", clip->channel_count); // of the character's joints; a glTF edit can carry it
//     limber_retarget_destroy(retarget);
//
// Both models are completed by limber_asset_create and outlive the result. Joints are matched by name and by shape.
// Skeletons that are the same joint for joint pass their keys on as they are. Otherwise bones take the directions of the
// motion's bones, as seen from each one's rest pose; the hips travel by the ratio of the legs' lengths; feet go where the
// motion's feet go, so that what stood stands. What the motion does not have keeps its rest pose.
#ifndef LIMBER_STAGES_RETARGET_H
#define LIMBER_STAGES_RETARGET_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

// One joint of the character and the joint whose motion it takes.
typedef struct limber_joint_match {
    uint32_t joint;   // of the character
    uint32_t source;  // of the motion
    const char* part; // "left upper leg"
    float sure;       // 0 ... 1: how sure the match is
} limber_joint_match;

#define LIMBER_NO_SOURCE UINT32_MAX // in a pair: the joint keeps its rest pose

// A joint of the character takes the motion of the one that is given, whatever is found otherwise, or keeps its rest pose.
typedef struct limber_joint_pair {
    uint32_t joint;  // of the character
    uint32_t source; // of the motion, or LIMBER_NO_SOURCE
} limber_joint_pair;

// How a motion is transferred.
typedef struct limber_retarget_settings {
    uint32_t struct_size;  // set by limber_retarget_settings_default
    double fps;            // of the new keys; 0: the motion's own
    double start_s, end_s; // the part of the motion, since its start; end 0: all of it
    bool in_place;         // the hips' way along the ground is taken out, as far as it is a steady one
    bool mirror;           // left and right are swapped
    const char* name;      // of the new clip; NULL: the motion's
    uint32_t pair_count;
    const limber_joint_pair* pairs;
    // [joint] what it is in a body, as VRM calls it ("leftUpperLeg"), or NULL: what its name says. NULL: no joint is told.
    const char* const* motion_bones;
    const char* const* character_bones; // the same for the character
    bool touch; // hands that touch each other or the body in the motion come as close on the character, within limits
    bool root_motion; // the way along the ground moves from the hips to the topmost joint above them
    bool
        loop; // the result is a cycle: the one that is found, or the part that start_s and end_s say; its end is closed
} limber_retarget_settings;

LIMBER_DEFAULT(limber_retarget_settings)

// Which joints of a character follow which joints of a motion.
typedef struct limber_retarget limber_retarget;

// Refuses what has no hips and two legs, and a motion on all fours for a figure on two legs or the other way round.
LIMBER_API LIMBER_MUST_USE limber_result limber_retarget_create(const limber_model* motion,
                                                                const limber_model* character,
                                                                const limber_retarget_settings* settings,
                                                                limber_retarget** retarget, limber_error* error);
LIMBER_API void limber_retarget_destroy(limber_retarget* retarget);

// The pairs of joints that were found or given.
LIMBER_API uint32_t limber_retarget_match_count(const limber_retarget* retarget);
LIMBER_API limber_joint_match limber_retarget_match(const limber_retarget* retarget, uint32_t index);

// A clip of the motion as one of the character. It belongs to `retarget`; only its name and channels are filled.
LIMBER_API LIMBER_MUST_USE limber_result limber_retarget_clip(limber_retarget* retarget, const limber_clip* motion,
                                                              const limber_clip** clip, limber_error* error);

#ifdef __cplusplus
}
#endif

#endif
