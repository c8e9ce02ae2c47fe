// For tests that hold effects against their closed forms.
#ifndef LIMBER_TEST_CLOSED_FORMS_H
#define LIMBER_TEST_CLOSED_FORMS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/scene.h"

static inline limber_effect_settings* effect(test_scene* scene, limber_effect e) {
    return &scene->settings.deform.effects[e];
}

static inline bool close_to(limber_vec3 a, limber_vec3 b, float tolerance) {
    return limberi_length(limberi_sub(a, b)) <= tolerance;
}

#endif
