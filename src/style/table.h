// The one table behind the style: all keys, their types and ranges, their help, and where binding puts their values.
#ifndef LIMBERI_STYLE_TABLE_H
#define LIMBERI_STYLE_TABLE_H

#include "base/style_row.h"
#include <limber/stages/settings.h>

// What a value of the smear section becomes.
typedef enum limberi_smear_part {
    LIMBERI_SMEAR_NUMBER, // limber_number
    LIMBERI_SMEAR_COUNT,  // uint32_t
    LIMBERI_SMEAR_FLOAT,
    LIMBERI_SMEAR_SWITCH, // bool
    LIMBERI_SMEAR_CHOICE, // enumeration
    LIMBERI_SMEAR_JOINT,
    LIMBERI_SMEAR_PRUNE,
    LIMBERI_SMEAR_SPACE,
    LIMBERI_SMEAR_AMOUNT,  // limber_number; a word stands for a formula
    LIMBERI_SMEAR_OPACITY, // of multiples: a word selects SMEAR, eq. 12
    LIMBERI_SMEAR_LENGTH,  // of lines
    LIMBERI_SMEAR_COLOR    // of lines
} limberi_smear_part;

// What a value of the exaggerate section becomes.
typedef enum limberi_exaggerate_part {
    LIMBERI_EXAGGERATE_NUMBER, // double
    LIMBERI_EXAGGERATE_SWITCH, // bool
    LIMBERI_EXAGGERATE_CHOICE, // enumeration
    LIMBERI_EXAGGERATE_FILTERED,
    LIMBERI_EXAGGERATE_CONSTRAINTS
} limberi_exaggerate_part;

// Quantities a filter may be for.
typedef enum limberi_quantity {
    LIMBERI_QUANTITY_ALL,
    LIMBERI_QUANTITY_VELOCITY,
    LIMBERI_QUANTITY_ACCELERATION,
    LIMBERI_QUANTITY_ANGULAR_VELOCITY,
    LIMBERI_QUANTITY_ANGULAR_ACCELERATION,
    LIMBERI_QUANTITY_COUNT
} limberi_quantity;

const limberi_row* limberi_row_at(uint32_t index);
// Bit i: effect i has this key.
uint32_t limberi_row_effects(const limberi_row* row);
// Keys of one constraint, which stand in a list and so have no address: "exaggerate.constraints[].joint".
uint32_t limberi_constraint_row_count(void);
const limberi_row* limberi_constraint_row_at(uint32_t index);
uint32_t limberi_section_count(void);
const limberi_section* limberi_section_at(uint32_t index);
// The section a row belongs to: the one with the longest path that leads to it.
uint32_t limberi_section_of(const limberi_row* row);

// -1: no effect of that name.
int32_t limberi_effect_find(const char* name);

// --- addresses ---

enum { LIMBERI_ADDRESS_DEPTH = 5 }; // effects.drag.filter.velocity.gamma

// Where a value stands in a style, key by key: {"joints", "Arm.L", "squash.angular"}.
typedef struct limberi_address {
    uint32_t count;
    const char* keys[LIMBERI_ADDRESS_DEPTH];
} limberi_address;

// Whether names stand below this key: "joints" and "meshes".
bool limberi_has_names(const char* key);
// Whether the first `count` keys of the address lead towards this row.
bool limberi_row_accepts(const limberi_row* row, const limberi_address* address, uint32_t count);
// How many keys an address of this row has.
uint32_t limberi_row_depth(const limberi_row* row);
// Key number `level` of the row's path, "*" where any name may stand.
void limberi_row_key(const limberi_row* row, uint32_t level, char* out, size_t size);
// The row of exactly this address, -1: none.
int32_t limberi_row_find(const limberi_address* address);
// "joints.Arm.L.squash.angular"
void limberi_address_format(const limberi_address* address, char* out, size_t size);

#endif
