// limber/stages/colliders.h: bodies that effects do not push skin into: skirts stay outside of legs, capes behind backs.
//
// Colliders are capsules, spheres and planes on joints or in the world (limber_collider, asset.h). They are given, read
// from the file (VRM), or fitted to the bones:
//
//     limber_colliders* colliders;
//     limber_error error;
//     if (limber_colliders_find(asset, NULL, &colliders, &error) != LIMBER_OK)
//         return 1;
//     for (uint32_t i = 0; i < limber_collider_count(colliders); i++) {
//         limber_collider c = limber_collider_at(colliders, i);
//         printf("radius %g on %s\n", c.radius, c.joint < 0 ? "the world" : model->rig.names[c.joint]);
//     }
//     limber_colliders_destroy(colliders);
//
// A vertex is never deeper in a collider than the plain animation has it. Where the animation itself goes through a
// leg, so does the skirt.
#ifndef LIMBER_STAGES_COLLIDERS_H
#define LIMBER_STAGES_COLLIDERS_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

// No colliders: `automatic` false and `count` 0.
typedef struct limber_collider_settings {
    bool automatic; // those of the file, or capsules fitted to the bones where it has none
    uint32_t count; // more of them
    const limber_collider* items;
} limber_collider_settings;

// The colliders of a character.
typedef struct limber_colliders limber_colliders;

// `settings` NULL: automatic. The asset must outlive the result.
LIMBER_API LIMBER_MUST_USE limber_result limber_colliders_find(const limber_asset* asset,
                                                               const limber_collider_settings* settings,
                                                               limber_colliders** colliders, limber_error* error);
LIMBER_API void limber_colliders_destroy(limber_colliders* colliders);

// All of them, in the frames that limber_collider says. Names and arrays in them belong to `colliders`.
LIMBER_API uint32_t limber_collider_count(const limber_colliders* colliders);
LIMBER_API limber_collider limber_collider_at(const limber_colliders* colliders, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
