// Rows for the style keys of an effect: `effects.NAME.*` and `joints.*.NAME`.
#ifndef LIMBERI_DEFORM_EFFECT_KEYS_H
#define LIMBERI_DEFORM_EFFECT_KEYS_H

#include "base/style_row.h"
#include "deform/effects/effect.h"

#include <stddef.h>

#define LIMBERI_MAX_GAIN 1e6 // larger gains are typing errors

// name: as in the file; EFFECT: as in limber_effect; key, type, unit, range (and whether its lower end is left out),
// default, choices, help; then what binding does with the value and where it goes.
#define LIMBERI_EFFECT_KEY(name, EFFECT, key, type, unit, min, max, excluded, value, choices, help, store, part, to)   \
    {                                                                                                                  \
        {"effects." name "." key, LIMBER_KEY_##type, unit, min, max, excluded, value, choices, LIMBERI_TEXT(help)},    \
            LIMBERI_STORE_##store, 1u << LIMBER_EFFECT_##EFFECT, part, to                                              \
    }

#define LIMBERI_NUMBER_KEY(name, EFFECT, key, member, unit, min, max, value, help)                                     \
    LIMBERI_EFFECT_KEY(name, EFFECT, key, NUMBER, unit, min, max, false, value, NULL, help, NUMBER, 0,                 \
                       offsetof(limber_effect_settings, member))

#define LIMBERI_LINEAR_KEY(name, EFFECT, unit, help)                                                                   \
    LIMBERI_NUMBER_KEY(name, EFFECT, "linear", linear, unit, -LIMBERI_MAX_GAIN, LIMBERI_MAX_GAIN, "0", help)
#define LIMBERI_ANGULAR_KEY(name, EFFECT, unit, help)                                                                  \
    LIMBERI_NUMBER_KEY(name, EFFECT, "angular", angular, unit, -LIMBERI_MAX_GAIN, LIMBERI_MAX_GAIN, "0", help)

// The words stand in the order of the enumeration they are stored in.
#define LIMBERI_CHOICE_KEY(name, EFFECT, member, value, choices, help)                                                 \
    LIMBERI_EFFECT_KEY(name, EFFECT, #member, CHOICE, "", 0, 0, false, value, choices, help, CHOICE, 0,                \
                       offsetof(limber_effect_settings, member))

#define LIMBERI_LAYER_KEY(name, EFFECT)                                                                                \
    LIMBERI_EFFECT_KEY(                                                                                                \
        name, EFFECT, "layer", TEXT, "", 0, 0, false, "\"\"", NULL,                                                    \
        "painted layer that scales the effect per vertex; \"\": none; \"skirt\" is found if not painted", LAYER, 0, 0)

// Effects that bend share these keys.
#define LIMBERI_BEND_KEYS(name, EFFECT)                                                                                \
    LIMBERI_NUMBER_KEY(name, EFFECT, "max_bend", max_bend_deg, "degrees", 0, 180, "0",                                 \
                       "max bend angle, eased in from three quarters of it; 0: no limit"),                             \
        LIMBERI_NUMBER_KEY(name, EFFECT, "twist", twist, "", -1000, 1000, "1",                                         \
                           "multiplies the rotation around the bone"),                                                 \
        LIMBERI_NUMBER_KEY(name, EFFECT, "bend", bend, "", -1000, 1000, "1",                                           \
                           "multiplies the rotation across the bone")

#define LIMBERI_JOINT_KEY(name, EFFECT, part, help)                                                                    \
    {                                                                                                                  \
        {"joints.*." name,  LIMBER_KEY_NUMBER, "", -LIMBERI_MAX_GAIN, LIMBERI_MAX_GAIN, false, "1", NULL,              \
         LIMBERI_TEXT(help)},                                                                                          \
            LIMBERI_STORE_GAIN, 1u << LIMBER_EFFECT_##EFFECT, part, 0                                                  \
    }

// General keys come first, so that more specific ones override them.
#define LIMBERI_JOINT_KEYS(name, EFFECT)                                                                               \
    LIMBERI_JOINT_KEY(name, EFFECT, LIMBERI_GAIN_BOTH, "gain of this effect, both parts"),                             \
        LIMBERI_JOINT_KEY(name ".linear", EFFECT, LIMBERI_GAIN_LINEAR, "gain of the linear part"),                     \
        LIMBERI_JOINT_KEY(name ".angular", EFFECT, LIMBERI_GAIN_ANGULAR, "gain of the angular part")
#define LIMBERI_ANGULAR_JOINT_KEYS(name, EFFECT)                                                                       \
    LIMBERI_JOINT_KEY(name, EFFECT, LIMBERI_GAIN_BOTH, "gain of this effect"),                                         \
        LIMBERI_JOINT_KEY(name ".angular", EFFECT, LIMBERI_GAIN_ANGULAR, "gain of the angular part")

#endif
