// Inside src/style: the list of constraints, the only structured value.
#ifndef LIMBERI_STYLE_CONSTRAINTS_H
#define LIMBERI_STYLE_CONSTRAINTS_H

#include "style/value.h"

enum { LIMBERI_CONSTRAINT_LIMIT = 1024, LIMBERI_TARGET_LIMIT = 4096 };

// Checks "auto" or a list of constraints. On failure the message is set and *fault is the value it is about.
LIMBER_MUST_USE limber_result limberi_constraints_check(const limberi_json_document* json, const limberi_json* node,
                                                        const limberi_json** fault, limber_error* error);
// What formulas of a joint may use: what is the same for all vertices, and the joint's own speed.
limber_expression_scope limberi_constraint_scope(void);

#endif
