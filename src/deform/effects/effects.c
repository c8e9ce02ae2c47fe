// All effects. A new one is a file in this folder, a name in limber_effect and a line here.
#include "deform/effects/keys.h"

// clang-format off
#define EFFECTS(X) \
    X(FLOPPY, floppy) \
    X(SQUASH, squash) \
    X(DRAG, drag) \
    X(FOLLOWTHROUGH, followthrough) \
    X(STRETCH, stretch) \
    X(LIFT, lift) \
    X(OVERLAP, overlap) \
    X(DERIVATIVE, derivative) \
    X(HOSE, hose)
// clang-format on

#define DECLARE(NAME, name) extern const limberi_effect limberi_effect_##name;
#define LIST(NAME, name) [LIMBER_EFFECT_##NAME] = &limberi_effect_##name,
#define LINE(NAME, name) LINE_##NAME,

EFFECTS(DECLARE)

const limberi_effect* const limberi_effects[LIMBER_EFFECT_COUNT] = {EFFECTS(LIST)};

enum { EFFECTS(LINE) LINE_COUNT };
_Static_assert((int)LINE_COUNT == (int)LIMBER_EFFECT_COUNT, "an effect has no line above");

// Gains of meshes. The general key comes first, so that those of single effects override it.
#define MESH_GAIN(name, effects, help)                                                                                 \
    LIMBERI_ROW("meshes.*.effects." name, CONSTANT, "", -LIMBERI_MAX_GAIN, LIMBERI_MAX_GAIN, false, "1", NULL, help,   \
                LATER, effects, 0, 0, NULL)
#define MESH_GAIN_OF(NAME, name) MESH_GAIN(#name, 1u << LIMBER_EFFECT_##NAME, "gain of this effect"),

const limberi_row limberi_mesh_gain_rows[LIMBERI_MESH_GAIN_KEYS] = {
    MESH_GAIN("*", LIMBERI_EVERY_EFFECT, "gain of all effects for these meshes"), EFFECTS(MESH_GAIN_OF)};

// Effects that a program registers: scalar, driven by any motion.
const limberi_effect limberi_effect_custom = {
    .name = "custom",
    .reads = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY | LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .driven_by = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY | LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .affine_part = LIMBERI_NO_PART,
    .constant_affine_part = LIMBERI_NO_PART,
};

limber_effect limberi_effect_by_weight(uint32_t index) {
    uint32_t at = 0;
    for (int follower = 1; follower >= 0; follower--)
        for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
            if (limberi_effects[e]->has_follower == (bool)follower && at++ == index)
                return (limber_effect)e;
    return LIMBER_EFFECT_COUNT;
}
