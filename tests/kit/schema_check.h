// A small JSON Schema checker: the words that the style's schema uses, and a failed test for any other.
#ifndef LIMBER_TEST_SCHEMA_CHECK_H
#define LIMBER_TEST_SCHEMA_CHECK_H

#include "text/json.h"

// "" when the value obeys the rule, else the path of what does not.
const char* schema_check(const limberi_json* rule, const limberi_json* value);

#endif
