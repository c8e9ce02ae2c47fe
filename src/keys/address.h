// Where a value stands in a style, key by key.
#ifndef LIMBERI_KEYS_ADDRESS_H
#define LIMBERI_KEYS_ADDRESS_H

#include "keys/row.h"

enum { LIMBERI_ADDRESS_DEPTH = 5 }; // effects.drag.filter.velocity.gamma

// {"joints", "Arm.L", "squash.angular"}
typedef struct limberi_address {
    uint32_t count;
    const char* keys[LIMBERI_ADDRESS_DEPTH];
} limberi_address;

// Whether names stand below this key: "joints" and "meshes".
bool limberi_has_names(const char* key);
// How many keys an address of this row has.
uint32_t limberi_row_depth(const limberi_row* row);
// Where key `level` of the row's path starts, "*" where any name may stand; NULL: it has none.
const char* limberi_row_key_at(const limberi_row* row, uint32_t level, size_t* length);
void limberi_row_key(const limberi_row* row, uint32_t level, char* out, size_t size);
// "joints.Arm.L.squash.angular"
void limberi_address_format(const limberi_address* address, char* out, size_t size);
// "line 4, column 12 (effects.floppy.angular)"; without a line only the path.
limber_result limberi_style_at(limber_error* error, limber_result result, limberi_json_place place,
                               const limberi_address* address);

#endif
