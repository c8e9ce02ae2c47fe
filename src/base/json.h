// A small JSON reader: comments (// and /* */) and trailing commas are allowed, duplicate keys are not, and every value
// knows its line and column. The nodes lie in one flat array in the order of the text, so walking needs no recursion:
//
//     limberi_json json;
//     if (limberi_json_read(text, length, NULL, &json, &error) != LIMBER_OK) ...   // error->place: "line 3, column 7"
//     for (uint32_t i = limberi_json_first(&json, 0); i; i = limberi_json_next(&json, i))
//         use(json.nodes[i].key, &json.nodes[i]);                                  // members of the root
//     limberi_json_free(&json);
#ifndef LIMBERI_JSON_H
#define LIMBERI_JSON_H

#include "base/arena.h"

typedef enum limberi_json_type {
    LIMBERI_JSON_NULL,
    LIMBERI_JSON_SWITCH,
    LIMBERI_JSON_NUMBER,
    LIMBERI_JSON_STRING,
    LIMBERI_JSON_ARRAY,
    LIMBERI_JSON_OBJECT
} limberi_json_type;

typedef struct limberi_json_place {
    uint32_t line, column; // from 1; columns count characters, not bytes
} limberi_json_place;

typedef struct limberi_json_node {
    limberi_json_type type;
    bool truth;               // of a switch
    double number;            // finite
    const char* text;         // of a string, UTF-8 without escapes; of a number, as it is written
    const char* key;          // in an object, else NULL
    limberi_json_place place; // of the value
    limberi_json_place key_place;
    uint32_t parent; // UINT32_MAX for the root
    uint32_t end;    // the node after everything inside this one
    uint32_t count;  // of items or members
} limberi_json_node;

typedef struct limberi_json_limits {
    size_t byte_count;
    uint32_t node_count, depth;
} limberi_json_limits;

typedef struct limberi_json {
    limberi_json_node* nodes; // [0] is the root
    uint32_t node_count;
    limberi_arena arena;
} limberi_json;

limberi_json_limits limberi_json_limits_default(void);

// `limits` NULL: the default. On failure `json` is empty and error->place is "line 3, column 7 (path.of.the.object)".
LIMBER_MUST_USE limber_result limberi_json_read(const char* text, size_t length, const limberi_json_limits* limits,
                                                limberi_json* json, limber_error* error);
void limberi_json_free(limberi_json* json);

// First item or member of a node and the one after `node` in the same container; 0: none.
uint32_t limberi_json_first(const limberi_json* json, uint32_t node);
uint32_t limberi_json_next(const limberi_json* json, uint32_t node);
// The member of an object, 0: none.
uint32_t limberi_json_member(const limberi_json* json, uint32_t object, const char* key);

// "effects.lift.source[1]", cut when it does not fit; "" for the root.
void limberi_json_path(const limberi_json* json, uint32_t node, char* out, size_t size);

// "a number", "the text \"cone\"": for messages. Names are cut to be short and have no control characters.
void limberi_json_describe(const limberi_json_node* node, char* out, size_t size);
// Copies a name from a file for use in a message: no control characters, at most `size` - 1 bytes, whole characters.
void limberi_json_tidy(const char* name, char* out, size_t size);

#endif
