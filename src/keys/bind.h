// A style on its way to the settings of one character: what the stages need to make their settings of its values.
#ifndef LIMBERI_KEYS_BIND_H
#define LIMBERI_KEYS_BIND_H

#include "asset/asset.h"
#include "keys/address.h"
#include "keys/value.h"

enum {
    LIMBERI_WARNING_LIMIT = 64,
    LIMBERI_PATTERN_BYTES = 256 // longest name or pattern of a joint
};

// One key that was given. A later value of the same key takes its place.
typedef struct limberi_entry {
    const limberi_row* row;
    uint32_t index;          // of the row in the table
    int32_t effect;          // limber_effect, -1: not of an effect
    const char* effect_name; // NULL: not of an effect
    const char* pattern;     // of joints or meshes, else NULL
    uint32_t pattern_hash;   // so that most patterns are told apart without reading them
    uint32_t pattern_at;     // patterns in the order of their first appearance
    limberi_value value;
    limberi_json_place place;         // of the value in the text it came from; line 0: from limber_style_set
    limberi_json_place pattern_place; // of the pattern
    bool preset;                      // nobody wrote it for this character
} limberi_entry;

typedef struct limberi_binder {
    const limberi_entry* entries;
    const uint32_t* order;
    uint32_t count;
    const limber_asset* asset;
    const limber_model* model;
    limberi_arena* arena; // of what the settings point to
    limber_error* error;
    limber_expression** expressions; // room for one per entry, and three more for wind
    uint32_t expression_count;
    const char* warnings[LIMBERI_WARNING_LIMIT];
    uint32_t warning_count;
} limberi_binder;

// The entries in the order of the table.
static inline const limberi_entry* limberi_bind_entry(const limberi_binder* binder, uint32_t index) {
    return &binder->entries[binder->order[index]];
}

// The address of an entry. Its keys point into `keys` and the entry.
typedef struct limberi_entry_keys {
    char bytes[LIMBERI_ADDRESS_DEPTH][LIMBERI_WORD_BYTES];
} limberi_entry_keys;
limberi_address limberi_entry_address(const limberi_entry* entry, limberi_entry_keys* keys);
bool limberi_entry_is_of(const limberi_entry* entry, const char* section); // "smear", "meshes.*.smear"

// Puts the value of an entry where its row says.
LIMBER_MUST_USE limber_result limberi_bind_value(limberi_binder* binder, const limberi_entry* entry, void* settings);
// Takes over a formula that the style did not write itself.
LIMBER_MUST_USE limber_result limberi_bind_text(limberi_binder* binder, const limberi_entry* entry, const char* text,
                                                limber_number* out);
// A number or, once an entry, its formula, which the bound style then owns.
LIMBER_MUST_USE limber_result limberi_bind_number(limberi_binder* binder, const limberi_entry* entry,
                                                  limber_number* out);
// Warns of a layer that no mesh has.
void limberi_bind_layer(limberi_binder* binder, const limberi_entry* entry, const char* name);

// A pattern without its *, for suggestions; has room for LIMBERI_PATTERN_BYTES. Returns the length.
size_t limberi_pattern_letters(const char* pattern, char* letters);
// Says that no joint or mesh matches, and which comes nearest.
limber_result limberi_fail_joint(limberi_binder* binder, const char* pattern);
limber_result limberi_fail_mesh(limberi_binder* binder, const limberi_entry* entry);
// By its own name or that of its node.
bool limberi_mesh_matches(const limber_mesh* mesh, const char* pattern);

limber_result limberi_bind_at(limberi_binder* binder, limber_result result, const limberi_entry* entry);
// In an item of a list: "contacts[2].joint".
limber_result limberi_bind_at_item(limberi_binder* binder, limber_result result, const limberi_entry* entry,
                                   uint32_t item, const char* key);
void limberi_bind_warn(limberi_binder* binder, const limberi_entry* entry, const char* format, ...)
    LIMBERI_PRINTF(3, 4);

// [joint] what a key of joints says, 1 where it says nothing; *gains stays as it is where no joint has another number.
limber_result limberi_bind_joint_gains(limberi_binder* binder, const char* path, const float** gains);

#endif
