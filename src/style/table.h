// The one table behind the style: all keys, their types and ranges, their help, and where binding puts their values.
#ifndef LIMBERI_STYLE_TABLE_H
#define LIMBERI_STYLE_TABLE_H

#include <limber/style.h>

// What binding does with a value. `offset` of the row is where it goes.
typedef enum limberi_store {
    LIMBERI_STORE_NOTHING,
    LIMBERI_STORE_SIZE,   // float in limber_stage_settings
    LIMBERI_STORE_STEP,   // double in limber_stage_settings
    LIMBERI_STORE_MODE,   // enumeration in limber_stage_settings
    LIMBERI_STORE_NUMBER, // limber_number in limber_effect_settings
    LIMBERI_STORE_CHOICE, // enumeration in limber_effect_settings
    LIMBERI_STORE_LAYER,
    LIMBERI_STORE_SOURCES,
    LIMBERI_STORE_FILTER_TYPE, // enumeration in limber_filter; `part` says of which quantity
    LIMBERI_STORE_FILTER,      // double in limber_filter
    LIMBERI_STORE_CONE,        // `part` says which of the cone's keys
    LIMBERI_STORE_GAIN,        // of a joint, for the effects of the row; `part` 1: linear, 2: angular, 3: both
    LIMBERI_STORE_OFFSET,      // of a joint's centroid
    LIMBERI_STORE_ABOUT,       // of a joint
    LIMBERI_STORE_SMEAR,       // in limber_smear_settings; `part` says as what
    LIMBERI_STORE_SPIN,        // of a joint: whether smears ignore it
    LIMBERI_STORE_EXAGGERATE   // in limber_exaggerate_settings; `part` says as what
} limberi_store;

// What a value of the smear section becomes.
typedef enum limberi_smear_part {
    LIMBERI_SMEAR_NUMBER, // limber_number
    LIMBERI_SMEAR_COUNT,  // uint32_t
    LIMBERI_SMEAR_FLOAT,
    LIMBERI_SMEAR_SWITCH, // bool
    LIMBERI_SMEAR_PRUNE,
    LIMBERI_SMEAR_SPACE,
    LIMBERI_SMEAR_AMOUNT,  // limber_number; a word stands for a formula
    LIMBERI_SMEAR_OPACITY, // of multiples: a word selects SMEAR, eq. 12
    LIMBERI_SMEAR_LENGTH   // of lines
} limberi_smear_part;

// What a value of the exaggerate section becomes.
typedef enum limberi_exaggerate_part {
    LIMBERI_EXAGGERATE_NUMBER, // double
    LIMBERI_EXAGGERATE_SWITCH, // bool
    LIMBERI_EXAGGERATE_CHOICE, // enumeration
    LIMBERI_EXAGGERATE_FILTERED,
    LIMBERI_EXAGGERATE_PLANTED,
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

typedef enum limberi_cone_key {
    LIMBERI_CONE_JOINT,
    LIMBERI_CONE_FIT,
    LIMBERI_CONE_APEX,
    LIMBERI_CONE_AXIS,
    LIMBERI_CONE_HALF_ANGLE,
    LIMBERI_CONE_BASE_RADIUS,
    LIMBERI_CONE_KEY_COUNT
} limberi_cone_key;

typedef struct limberi_row {
    limber_key key;
    limberi_store store;
    uint32_t effects; // bit i: limber_effect i has this key
    uint32_t part;
    size_t offset;
} limberi_row;

// A group of rows: what the help and the documentation put under one heading. The path may hold a star.
typedef struct limberi_section {
    const char *path, *title, *text, *example;
} limberi_section;

const limberi_row* limberi_row_at(uint32_t index);
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
