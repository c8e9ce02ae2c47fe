// A small JSON Schema checker: the words that the style's schema uses, and a failed test for any other.
#ifndef LIMBER_TEST_SCHEMA_CHECK_H
#define LIMBER_TEST_SCHEMA_CHECK_H

#include "base/json.h"

// "" when value `node` of `json` obeys schema `rule` of `schema`, else the path of what does not.
const char* schema_check(const limberi_json* schema, uint32_t rule, const limberi_json* json, uint32_t node);

#endif
