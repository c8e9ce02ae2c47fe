// Inside src/style: the value of "rigid", a word or an object.
#ifndef LIMBERI_STYLE_RIGID_VALUE_H
#define LIMBERI_STYLE_RIGID_VALUE_H

#include "style/value.h"

#define LIMBERI_RIGID_WORDS "off auto" // as in limber_rigid_mode

// On failure the message is set and *fault is the value it is about.
LIMBER_MUST_USE limber_result limberi_rigid_check(const limberi_json_document* json, const limberi_json* node,
                                                  const limberi_json** fault, limber_error* error);

#endif
