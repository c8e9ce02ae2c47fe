// Style keys of the cones of lift.
#ifndef LIMBERI_DEFORM_CONE_KEYS_H
#define LIMBERI_DEFORM_CONE_KEYS_H

#include "deform/slots.h"
#include "keys/bind.h"

// Places of the numbers of lift.
enum { LIMBERI_LIFT_SOURCE = LIMBERI_VALUE_OWN, LIMBERI_LIFT_MODE, LIMBERI_LIFT_NORMALS, LIMBERI_LIFT_FALLOFF };

typedef enum limberi_cone_key {
    LIMBERI_CONE_JOINT,
    LIMBERI_CONE_JOINTS,
    LIMBERI_CONE_FIT,
    LIMBERI_CONE_APEX,
    LIMBERI_CONE_AXIS,
    LIMBERI_CONE_HALF_ANGLE,
    LIMBERI_CONE_BASE_RADIUS,
    LIMBERI_CONE_KEY_COUNT
} limberi_cone_key;

// What is known once all keys of lift are.
limber_result limberi_bind_cone(limberi_binder* binder, limber_deform_settings* settings);

#endif
