// Inside src/style: the values of "wind" and "gravity".
#ifndef LIMBERI_STYLE_AIR_VALUE_H
#define LIMBERI_STYLE_AIR_VALUE_H

#include "style/value.h"

// *fault is the value at fault.
LIMBER_MUST_USE limber_result limberi_wind_check(const limberi_row* row, const limberi_json_document* json,
                                                 const limberi_json* node, const limberi_json** fault,
                                                 limber_error* error);
LIMBER_MUST_USE limber_result limberi_gravity_check(const limberi_json_document* json, const limberi_json* node,
                                                    const limberi_json** fault, limber_error* error);

#endif
