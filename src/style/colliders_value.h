// Inside src/style: the value of "colliders", a word or a list.
#ifndef LIMBERI_STYLE_COLLIDERS_VALUE_H
#define LIMBERI_STYLE_COLLIDERS_VALUE_H

#include "style/value.h"

#define LIMBERI_COLLIDER_WORDS "none auto"

// The shapes in the order of limber_collider_shape, and what each may have besides "joint".
typedef struct limberi_collider_words {
    const char *shape, *from, *to; // to NULL: none
    bool round;                    // has a radius
} limberi_collider_words;

extern const limberi_collider_words limberi_collider_shapes[3];

// Everything but the names of joints. *fault is the value at fault.
LIMBER_MUST_USE limber_result limberi_colliders_check(const limberi_json_document* json, const limberi_json* node,
                                                      const limberi_json** fault, limber_error* error);
// The shape of a collider, and the object that describes it; NULL: not a collider.
const limberi_json* limberi_collider_shape_of(const limberi_json* item, uint32_t* shape);

#endif
