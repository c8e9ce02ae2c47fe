// limber/stages/rigid.h: rigid parts: swords, helmets, eyes and robot shells that keep their shape under effects.
//
// A part is found from the mesh, never from names: a connected piece whose vertices all hang on one joint. In every
// frame it gets one rotation and one translation, taken from the skin that holds it.
//
//     limber_rigid_parts* parts;
//     limber_error error;
//     if (limber_rigid_parts_find(asset, NULL, &parts, &error) != LIMBER_OK)
//         return 1;
//     for (uint32_t i = 0; i < limber_rigid_part_count(parts); i++) {
//         limber_rigid_part part = limber_rigid_part_at(parts, i);
//         printf("%s on %s\n", part.name, limber_asset_model(asset)->rig.names[part.joint]);
//     }
//     limber_rigid_parts_destroy(parts);
//
// Meshes with a layer "rigid" are not searched: each painted area is a part, and the painted value says how rigid.
#ifndef LIMBER_STAGES_RIGID_H
#define LIMBER_STAGES_RIGID_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether parts keep their shape.
typedef enum limber_rigid_mode {
    LIMBER_RIGID_OFF,
    LIMBER_RIGID_AUTO // all parts, or those that `only` and `except` leave
} limber_rigid_mode;

// What a part is, found from its shape and the skeleton.
typedef enum limber_rigid_class {
    LIMBER_RIGID_MASS,      // a head, a torso, a limb: squashed a little
    LIMBER_RIGID_PROP,      // a sword, a shield, a staff: never changes its shape
    LIMBER_RIGID_APPENDAGE, // a cape, a hat: attached at one end
    LIMBER_RIGID_RIDER      // an eye, a button: goes with the skin it rests on
} limber_rigid_class;

// Patterns match the name of a mesh, its node or a joint; * stands for any text.
typedef struct limber_rigid_settings {
    limber_rigid_mode mode;
    uint32_t only_count, except_count;
    const char* const* only;   // only_count 0: all parts
    const char* const* except; // these deform like skin
    uint32_t mass_count, prop_count, appendage_count;
    const char* const* mass;      // these are masses, whatever was found
    const char* const* prop;      // these are props
    const char* const* appendage; // these are appendages
} limber_rigid_settings;

// A part of the character that keeps its shape.
typedef struct limber_rigid_part {
    const char* name; // of the node, or of the mesh where the node has none
    uint32_t joint;   // that holds it
    uint32_t vertex_count;
    limber_rigid_class kind;
} limber_rigid_part;

// All such parts of a character.
typedef struct limber_rigid_parts limber_rigid_parts;

// `settings` NULL: LIMBER_RIGID_AUTO. The asset must outlive the result.
LIMBER_API LIMBER_MUST_USE limber_result limber_rigid_parts_find(const limber_asset* asset,
                                                                 const limber_rigid_settings* settings,
                                                                 limber_rigid_parts** parts, limber_error* error);
LIMBER_API void limber_rigid_parts_destroy(limber_rigid_parts* parts);

// By joint, parents first.
LIMBER_API uint32_t limber_rigid_part_count(const limber_rigid_parts* parts);
LIMBER_API limber_rigid_part limber_rigid_part_at(const limber_rigid_parts* parts, uint32_t index);
// The part of each vertex, all meshes one after the other; -1: none.
LIMBER_API const int32_t* limber_rigid_part_of_vertex(const limber_rigid_parts* parts);

#ifdef __cplusplus
}
#endif

#endif
