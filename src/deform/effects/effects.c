// All effects. A new one is a file in this folder, a name in limber_effect and a line here.
#include "deform/effects/effect.h"

extern const limberi_effect limberi_effect_floppy, limberi_effect_squash, limberi_effect_drag,
    limberi_effect_followthrough, limberi_effect_stretch, limberi_effect_lift;

const limberi_effect* const limberi_effects[LIMBER_EFFECT_COUNT] = {
    [LIMBER_EFFECT_FLOPPY] = &limberi_effect_floppy,   [LIMBER_EFFECT_SQUASH] = &limberi_effect_squash,
    [LIMBER_EFFECT_DRAG] = &limberi_effect_drag,       [LIMBER_EFFECT_FOLLOWTHROUGH] = &limberi_effect_followthrough,
    [LIMBER_EFFECT_STRETCH] = &limberi_effect_stretch, [LIMBER_EFFECT_LIFT] = &limberi_effect_lift,
};

// Effects that a program registers: scalar, driven by any motion.
const limberi_effect limberi_effect_custom = {
    .name = "custom",
    .reads = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY | LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .driven_by = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY | LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .affine_part = LIMBERI_NO_PART,
    .constant_affine_part = LIMBERI_NO_PART,
};
