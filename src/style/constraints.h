// Inside src/style: the list of constraints, the only structured value.
#ifndef LIMBERI_STYLE_CONSTRAINTS_H
#define LIMBERI_STYLE_CONSTRAINTS_H

#include "style/value.h"

enum { LIMBERI_CONSTRAINT_LIMIT = 1024, LIMBERI_TARGET_LIMIT = 4096 };

// Checks "auto" or a list of constraints. On failure the message is set and *fault is the node it is about.
LIMBER_MUST_USE limber_result limberi_constraints_check(const limberi_json* json, uint32_t node, uint32_t* fault,
                                                        limber_error* error);

#endif
