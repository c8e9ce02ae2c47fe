// The style key of colliders.
#include "collide/style_keys.h"

static const char* const schema[] = {
    "anyOf",
    LIMBERI_TEXT("[{\"enum\": [\"none\", \"auto\"]}, {\"type\": \"array\", \"items\": {\"anyOf\": [{\"enum\": "
                 "[\"auto\"]}, {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"capsule\": "
                 "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"joint\": {\"type\": "
                 "\"string\", \"minLength\": 1}, \"from\": {\"type\": \"array\", \"items\": {\"type\": \"number\"}, "
                 "\"minItems\": 3, \"maxItems\": 3}, \"to\": {\"type\": \"array\", \"items\": {\"type\": \"number\"}, "
                 "\"minItems\": 3, \"maxItems\": 3}, \"radius\": {\"type\": \"number\", \"minimum\": 0}}, "
                 "\"required\": [\"radius\"]}, \"layer\": {\"type\": \"string\", \"minLength\": 1}, \"obey\": "
                 "{\"type\": \"array\", \"items\": {\"type\": \"string\", \"minLength\": 1}, \"minItems\": 1}}, "
                 "\"required\": [\"capsule\"]}, {\"type\": \"object\", \"additionalProperties\": false, "
                 "\"properties\": {\"sphere\": {\"type\": \"object\", \"additionalProperties\": false, "
                 "\"properties\": {\"joint\": {\"type\": \"string\", \"minLength\": 1}, \"center\": {\"type\": "
                 "\"array\", \"items\": {\"type\": \"number\"}, \"minItems\": 3, \"maxItems\": 3}, \"radius\": "
                 "{\"type\": \"number\", \"minimum\": 0}}, \"required\": [\"radius\"]}, \"layer\": {\"type\": "
                 "\"string\", \"minLength\": 1}, \"obey\": {\"type\": \"array\", \"items\": {\"type\": \"string\", "
                 "\"minLength\": 1}, \"minItems\": 1}}, \"required\": [\"sphere\"]}, {\"type\": \"object\", "
                 "\"additionalProperties\": false, \"properties\": {\"plane\": {\"type\": \"object\", "
                 "\"additionalProperties\": false, \"properties\": {\"joint\": {\"type\": \"string\", \"minLength\": "
                 "1}, \"point\": {\"type\": \"array\", \"items\": {\"type\": \"number\"}, \"minItems\": 3, "
                 "\"maxItems\": 3}, \"normal\": {\"type\": \"array\", \"items\": {\"type\": \"number\"}, "
                 "\"minItems\": 3, \"maxItems\": 3}}}, \"layer\": {\"type\": \"string\", \"minLength\": 1}, \"obey\": "
                 "{\"type\": \"array\", \"items\": {\"type\": \"string\", \"minLength\": 1}, \"minItems\": 1}}, "
                 "\"required\": [\"plane\"]}]}}]"),
    NULL};
static const limberi_reader reader = {.check = limberi_colliders_check,
                                      .bind_json = limberi_bind_colliders,
                                      .shown = LIMBERI_TEXT("\"none\", \"auto\" or list"),
                                      .schema = LIMBERI_TEXTS(schema)};

static const limberi_row rows[] = {
    LIMBERI_ROW(
        "colliders", OTHER, "", 0, 0, false, "\"none\"", LIMBERI_COLLIDER_WORDS,
        "bodies that effects do not push skin into: \"auto\" finds them, or a list of capsules, spheres and planes; "
        "see "
        "docs/ground.md",
        OWN, 0, 0, 0, LIMBERI_HAS_COLLIDERS ? &reader : NULL),
};

const limberi_keys limberi_collider_keys = LIMBERI_KEYS(rows);
