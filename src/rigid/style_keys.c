// The style key of rigid parts.
#include "rigid/style_keys.h"

#define NAMES "{\"type\": \"array\", \"items\": {\"type\": \"string\", \"minLength\": 1}, \"minItems\": 1}"

static const char* const schema[] = {"anyOf",
                                     "[{\"enum\": [\"off\", \"auto\"]}, {\"type\": \"object\", "
                                     "\"additionalProperties\": false, \"properties\": {\"only\": " NAMES
                                     ", \"except\": " NAMES ", \"mass\": " NAMES ", \"prop\": " NAMES
                                     ", \"appendage\": " NAMES "}}]",
                                     NULL};
static const limberi_reader reader = {.check = limberi_rigid_check,
                                      .bind_json = limberi_bind_rigid,
                                      .shown = LIMBERI_TEXT("\"auto\", \"off\" or object"),
                                      .schema = LIMBERI_TEXTS(schema)};

static const limberi_row rows[] = {
    LIMBERI_ROW(
        "rigid", OTHER, "", 0, 0, false, "\"off\"", LIMBERI_RIGID_WORDS,
        "which props, helmets and robot parts keep their shape: all, or {\"only\": [names], \"except\": [names]}; also "
        "what they are; see docs/rigid.md",
        OWN, 0, 0, 0, LIMBERI_HAS_RIGID ? &reader : NULL),
};

const limberi_keys limberi_rigid_keys = LIMBERI_KEYS(rows);
