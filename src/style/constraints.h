// Inside src/style: the list of constraints, the only structured value.
#ifndef LIMBERI_STYLE_CONSTRAINTS_H
#define LIMBERI_STYLE_CONSTRAINTS_H

#include "base/json_write.h"
#include "style/value.h"

enum { LIMBERI_CONSTRAINT_LIMIT = 1024, LIMBERI_TARGET_LIMIT = 4096 };

// Checks "auto" or a list of constraints. On failure the message is set and *fault is the node it is about.
LIMBER_MUST_USE limber_result limberi_constraints_check(const limberi_json* json, uint32_t node, uint32_t* fault,
                                                        limber_error* error);
// Writes a value and all that is in it, numbers with the digits they had.
void limberi_json_subtree(limberi_json_writer* writer, const limberi_json* json, uint32_t node);

// The member of an object, 0: none.
uint32_t limberi_json_member(const limberi_json* json, uint32_t object, const char* key);

// What formulas of a joint may use: what is the same for all vertices, and the joint's own speed.
limber_expression_scope limberi_constraint_scope(void);

#endif
