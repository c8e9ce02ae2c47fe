// Rows for the style keys of an effect: `effects.NAME.*` and `joints.*.NAME`.
#ifndef LIMBERI_DEFORM_EFFECT_KEYS_H
#define LIMBERI_DEFORM_EFFECT_KEYS_H

#include "deform/effects/effect.h"
#include "keys/row.h"

#include <stddef.h>

#define LIMBERI_MAX_GAIN 1e6 // larger gains are typing errors

// name: as in the file; EFFECT: as in limber_effect; key, type, unit, range (and whether its lower end is left out),
// default, choices, help; then what binding does with the value and where it goes.
#define LIMBERI_EFFECT_KEY(name, EFFECT, key, type, unit, min, max, excluded, value, choices, help, store, part, to)   \
    LIMBERI_ROW_WITH(value, "effects." name "." key, type, unit, min, max, excluded, choices, help, store,             \
                     1u << LIMBER_EFFECT_##EFFECT, part, to, NULL)

// Where number LIMBERI_VALUE_... stands in the settings.
#define LIMBERI_PLACE_OF(number) ((size_t)(number) * sizeof(limber_number))
_Static_assert(offsetof(limber_effect_settings, linear) == LIMBERI_PLACE_OF(LIMBERI_VALUE_LINEAR) &&
                   offsetof(limber_effect_settings, angular) == LIMBERI_PLACE_OF(LIMBERI_VALUE_ANGULAR) &&
                   offsetof(limber_effect_settings, values) == LIMBERI_PLACE_OF(LIMBERI_VALUE_OWN),
               "the numbers of an effect stand in the order of LIMBERI_VALUE_...");

// A number that may be a formula, ...
#define LIMBERI_NUMBER_KEY(name, EFFECT, key, number, unit, min, max, value, help)                                     \
    LIMBERI_EFFECT_KEY(name, EFFECT, key, NUMBER, unit, min, max, false, value, NULL, help, NUMBER, 0,                 \
                       LIMBERI_PLACE_OF(number))
// ... and one that may not. These come after the others.
#define LIMBERI_CONSTANT_KEY(name, EFFECT, key, number, unit, min, max, value, help)                                   \
    LIMBERI_EFFECT_KEY(name, EFFECT, key, CONSTANT, unit, min, max, false, value, NULL, help, VALUE, 0,                \
                       LIMBERI_PLACE_OF(number))

#define LIMBERI_LINEAR_KEY(name, EFFECT, unit, help)                                                                   \
    LIMBERI_NUMBER_KEY(name, EFFECT, "linear", LIMBERI_VALUE_LINEAR, unit, -LIMBERI_MAX_GAIN, LIMBERI_MAX_GAIN, "0",   \
                       help)
#define LIMBERI_ANGULAR_KEY(name, EFFECT, unit, help)                                                                  \
    LIMBERI_NUMBER_KEY(name, EFFECT, "angular", LIMBERI_VALUE_ANGULAR, unit, -LIMBERI_MAX_GAIN, LIMBERI_MAX_GAIN, "0", \
                       help)

// The number is the place of the word.
#define LIMBERI_CHOICE_KEY(name, EFFECT, key, number, value, choices, help)                                            \
    LIMBERI_EFFECT_KEY(name, EFFECT, key, CHOICE, "", 0, 0, false, value, choices, help, VALUE, 0,                     \
                       LIMBERI_PLACE_OF(number))

#define LIMBERI_LAYER_KEY(name, EFFECT)                                                                                \
    LIMBERI_EFFECT_KEY(                                                                                                \
        name, EFFECT, "layer", TEXT, "", 0, 0, false, "\"\"", NULL,                                                    \
        "painted layer that scales the effect per vertex; \"\": none; \"skirt\" is found if not painted", TEXT, 0,     \
        offsetof(limber_effect_settings, layer))

// Effects that bend share these keys.
#define LIMBERI_BEND_KEYS(name, EFFECT)                                                                                \
    LIMBERI_NUMBER_KEY(name, EFFECT, "max_bend", LIMBERI_VALUE_MAX_BEND, "degrees", 0, 180, "0",                       \
                       "max bend angle, eased in from three quarters of it; 0: no limit"),                             \
        LIMBERI_NUMBER_KEY(name, EFFECT, "twist", LIMBERI_VALUE_TWIST, "", -1000, 1000, "1",                           \
                           "multiplies the rotation around the bone"),                                                 \
        LIMBERI_NUMBER_KEY(name, EFFECT, "bend", LIMBERI_VALUE_BEND, "", -1000, 1000, "1",                             \
                           "multiplies the rotation across the bone"),                                                 \
        LIMBERI_CHOICE_KEY(name, EFFECT, "decompose", LIMBERI_VALUE_DECOMPOSE, "\"mixed\"", "mixed printed",           \
                           "twist and bend multiply one rotation, or are two displacements as the thesis prints them")

// Gains of a joint: `part` is LIMBERI_GAIN_...; formulas use what is the same for all vertices.
enum { LIMBERI_GAIN_LINEAR = 1, LIMBERI_GAIN_ANGULAR = 2, LIMBERI_GAIN_BOTH = 3 };

#define LIMBERI_JOINT_GAIN(name, effects, part, help)                                                                  \
    LIMBERI_ROW("joints.*." name, NUMBER, "", -LIMBERI_MAX_GAIN, LIMBERI_MAX_GAIN, false, "1", NULL, help, LATER,      \
                effects, part, 0, &limberi_frame_reader)
#define LIMBERI_JOINT_KEY(name, EFFECT, part, help) LIMBERI_JOINT_GAIN(name, 1u << LIMBER_EFFECT_##EFFECT, part, help)

// General keys come first, so that more specific ones override them.
#define LIMBERI_JOINT_KEYS(name, EFFECT)                                                                               \
    LIMBERI_JOINT_KEY(name, EFFECT, LIMBERI_GAIN_BOTH, "gain of this effect, both parts"),                             \
        LIMBERI_JOINT_KEY(name ".linear", EFFECT, LIMBERI_GAIN_LINEAR, "gain of the linear part"),                     \
        LIMBERI_JOINT_KEY(name ".angular", EFFECT, LIMBERI_GAIN_ANGULAR, "gain of the angular part")
#define LIMBERI_ANGULAR_JOINT_KEYS(name, EFFECT)                                                                       \
    LIMBERI_JOINT_KEY(name, EFFECT, LIMBERI_GAIN_BOTH, "gain of this effect"),                                         \
        LIMBERI_JOINT_KEY(name ".angular", EFFECT, LIMBERI_GAIN_ANGULAR, "gain of the angular part")

enum { LIMBERI_EVERY_EFFECT = (1 << LIMBER_EFFECT_COUNT) - 1 };

// `meshes.*.effects.*`: for all effects, and for each.
enum { LIMBERI_MESH_GAIN_KEYS = 1 + LIMBER_EFFECT_COUNT };
extern const limberi_row limberi_mesh_gain_rows[LIMBERI_MESH_GAIN_KEYS];

#endif
