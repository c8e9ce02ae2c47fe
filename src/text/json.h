// JSON: a text becomes a tree of values that can be looked at, changed, and written again (text/json_write.h).
//
//     limberi_json_document json;
//     if (limberi_json_read(text, length, NULL, &json, &error) != LIMBER_OK) ...   // error->place: "line 3, column 7"
//     const limberi_json* nodes = limberi_json_get(json.root, "nodes");
//     for (uint32_t i = 0; i < limberi_json_count(nodes); i++)
//         use(limberi_json_at(nodes, i));
//     limberi_json_set(&json, json.root, "answer", limberi_json_new_integer(&json, 42));
//     limberi_json_free(&json);
//
// Every value belongs to its document and lives as long as it does, in the tree or not. Objects keep the order of their
// members. Reading takes linear time (n log n in the members of one object), whatever the text.
//
// One reader serves two kinds of text, told apart by a flag: styles are written by hand, so comments and trailing commas
// are allowed there and a key that stands twice is an error; glTF is exact JSON.
#ifndef LIMBERI_JSON_H
#define LIMBERI_JSON_H

#include "base/memory.h"

typedef enum limberi_json_type {
    LIMBERI_JSON_NULL,
    LIMBERI_JSON_SWITCH,
    LIMBERI_JSON_INTEGER, // written without a point or an exponent
    LIMBERI_JSON_REAL,
    LIMBERI_JSON_STRING,
    LIMBERI_JSON_ARRAY,
    LIMBERI_JSON_OBJECT
} limberi_json_type;

// 24 bytes, and a pointer (an array) or two (an object) in the container.
typedef struct limberi_json {
    uint8_t type;              // limberi_json_type
    bool truth;                // of a switch
    uint32_t count;            // items, members, bytes of a string, characters of a number in the text it came from
    uint32_t place, key_place; // where in the text the value and its key start; see limberi_json_place_at
    union {
        int64_t integer;
        double real;      // finite
        const char* text; // UTF-8, terminated; with exact rules it may also have zeros inside
        struct limberi_json_list* list;
        struct limberi_json_table* table;
    };
} limberi_json;

typedef struct limberi_json_place {
    uint32_t line, column; // from 1; columns count characters, not bytes
} limberi_json_place;

typedef struct limberi_json_document {
    limberi_json* root;
    uint32_t value_count; // that were read
    limberi_arena arena;  // arena.failed: memory ran short, or a value was put where none can be
    char *front, *back;   // what is left of the arena's last piece: values from the front, texts from the back
    size_t byte_count;    // of all pieces
    size_t byte_limit;    // 0: none
    bool too_large;       // the limit was reached
    const char* text;     // that was read, which the document does not own; for places and numbers as written
    uint32_t mark;        // the place that was asked for last, so that counting goes over the text only once
    limberi_json_place mark_place;
} limberi_json_document;

typedef struct limberi_json_rules {
    size_t byte_count;   // of the text
    size_t memory_bytes; // of the tree without its long texts; 0: any
    uint32_t value_count, depth;
    bool hand_written; // comments and trailing commas; no key twice, no character 0, any size of whole numbers
} limberi_json_rules;

limberi_json_rules limberi_json_rules_hand_written(void); // 1 MiB, 65536 values, 64 levels
limberi_json_rules limberi_json_rules_exact(void);        // 256 MiB of tree, 2048 levels

// `rules` NULL: hand-written. On failure `json` is empty and error->place is "line 3, column 7 (path.of.the.object)".
// Under exact rules the last of several values of the same key counts.
LIMBER_MUST_USE limber_result limberi_json_read(const char* text, size_t length, const limberi_json_rules* rules,
                                                limberi_json_document* json, limber_error* error);
void limberi_json_free(limberi_json_document* json);

// --- looking; no value (NULL) is taken for one that has nothing in it ---

limberi_json* limberi_json_get(const limberi_json* object, const char* key); // NULL: none
limberi_json* limberi_json_at(const limberi_json* container, size_t index);  // an item, or the value of a member
const char* limberi_json_key_at(const limberi_json* object, size_t index);
uint32_t limberi_json_count(const limberi_json* container); // 0 for anything else
bool limberi_json_is(const limberi_json* value, limberi_json_type type);
bool limberi_json_is_number(const limberi_json* value);
double limberi_json_as_number(const limberi_json* value);    // 0 for anything else
int64_t limberi_json_as_integer(const limberi_json* value);  // 0 for anything else
const char* limberi_json_as_text(const limberi_json* value); // NULL for anything else
bool limberi_json_as_truth(const limberi_json* value);       // false for anything else

// --- making and changing; when memory is short json->arena.failed is set, and what was to be changed stays ---

limberi_json* limberi_json_new(limberi_json_document* json, limberi_json_type type); // null, false, 0 or empty
limberi_json* limberi_json_new_switch(limberi_json_document* json, bool truth);
limberi_json* limberi_json_new_integer(limberi_json_document* json, int64_t integer);
limberi_json* limberi_json_new_real(limberi_json_document* json, double real);
limberi_json* limberi_json_new_string(limberi_json_document* json, const char* text); // keeps a copy

// A member keeps its position when its value changes, a new one goes to the end.
void limberi_json_set(limberi_json_document* json, limberi_json* object, const char* key, limberi_json* value);
void limberi_json_append(limberi_json_document* json, limberi_json* array, limberi_json* value);
void limberi_json_replace(limberi_json_document* json, limberi_json* array, size_t index, limberi_json* value);
void limberi_json_remove(limberi_json* object, const char* key);
void limberi_json_remove_at(limberi_json* array, size_t index);

// Removes all members whose keys `unwanted` says so of, in one go.
void limberi_json_remove_if(limberi_json* object, bool (*unwanted)(const char* key));

// Makes what another document holds part of this one, which may then put it into its tree; the other is empty.
limberi_json* limberi_json_adopt(limberi_json_document* json, limberi_json_document* other);

// A copy of all that is in the value. Texts are shared: `json` must not outlive the document of `value`.
limberi_json* limberi_json_copy(limberi_json_document* json, const limberi_json* value);

// --- for messages ---

// Of limberi_json.place and key_place. Quick when asked for in the order of the text.
limberi_json_place limberi_json_place_at(limberi_json_document* json, uint32_t place);

// A number as it stands in the text, cut when it does not fit.
void limberi_json_written(const limberi_json_document* json, const limberi_json* number, char* out, size_t size);

// "the number 2.50", "\"cone\"". Names are cut to be short and have no control characters.
void limberi_json_describe(const limberi_json_document* json, const limberi_json* value, char* out, size_t size);
// Copies a name from a file for use in a message: no control characters, at most `size` - 1 bytes, whole characters.
void limberi_json_tidy(const char* name, char* out, size_t size);

#endif
