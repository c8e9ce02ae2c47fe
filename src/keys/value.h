// One value of a style, checked against its row of the table.
#ifndef LIMBERI_KEYS_VALUE_H
#define LIMBERI_KEYS_VALUE_H

#include "base/memory.h"
#include "keys/row.h"
#include "text/words.h"

typedef struct limberi_value {
    const char* json;  // as it stands in a style
    const char* text;  // of names and formulas, else NULL
    bool word;         // of a number: one of its words ("auto") stands instead
    double numbers[3]; // of numbers and vectors
    uint32_t choice;   // which word of the row's choices
    uint32_t bits;     // of a list: bit flags of the row's choices
} limberi_value;

// Copies what it needs into the arena. On failure the message is set and *fault is the value it is about.
LIMBER_MUST_USE limber_result limberi_value_read(limberi_arena* arena, const limberi_row* row,
                                                 const limberi_json_document* json, const limberi_json* node,
                                                 limberi_value* value, const limberi_json** fault, limber_error* error);

// "expected a name in quotes, found 3"; *fault becomes the value.
limber_result limberi_fail_found(const limberi_json_document* json, const limberi_json* node,
                                 const limberi_json** fault, const char* wanted, limber_error* error);

// What formulas of this row may use.
limber_expression_scope limberi_row_scope(const limberi_row* row);

// "a number or a formula in quotes"
void limberi_key_expects(const limber_key* key, char* out, size_t size);
// "0 ... 180", "above 0, at most 1", "" when it is not a number.
void limberi_key_range(const limber_key* key, char* out, size_t size);

#endif
