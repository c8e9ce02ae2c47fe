// Values that are lists of objects with a few plain keys each: contacts, holds.
#ifndef LIMBERI_KEYS_ITEMS_H
#define LIMBERI_KEYS_ITEMS_H

#include "keys/bind.h"

typedef struct limberi_item_key {
    const char* name;
    bool text;   // a name; else a number
    bool needed; // an item without it is wrong
    double min, max;
} limberi_item_key;

typedef struct limberi_items {
    const char* one;   // "contact"
    const char* shape; // "{\"joint\": ...}", as messages show it
    const limberi_item_key* keys;
    uint32_t key_count;
    // What the keys do not say one by one; may be NULL. On failure the message is set and *fault is what it is about.
    limber_result (*check)(const limberi_json* item, const limberi_json** fault, limber_error* error);
} limberi_items;

// "unknown key 'form' of a contact; did you mean 'from'?"; `name_at` returns the known ones.
limber_result limberi_fail_unknown_key(const char* key, const char* of,
                                       const char* (*name_at)(const void* user, size_t index), const void* user,
                                       uint32_t count, limber_error* error);
// Whether a value can be the name or pattern of a joint or clip; *fault becomes the value.
LIMBER_MUST_USE limber_result limberi_check_pattern(const limberi_json_document* json, const limberi_json* node,
                                                    const limberi_json** fault, limber_error* error);

// For limberi_reader.check: whether a value is such a list.
LIMBER_MUST_USE limber_result limberi_items_check(const limberi_items* items, const limberi_json_document* json,
                                                  const limberi_json* node, const limberi_json** fault,
                                                  limber_error* error);

// The number of a key, or `otherwise` where the item does not have it.
double limberi_item_number(const limberi_json* item, const char* key, double otherwise);

// Calls `add` for each clip that the key "clip" of an item names, or once with -1 where it has none. Presets work on any
// character; in a style file a name that no clip has is a slip.
LIMBER_MUST_USE limber_result limberi_bind_item_clips(limberi_binder* binder, const limberi_entry* entry, uint32_t at,
                                                      const limberi_json* item, void (*add)(void* user, int32_t clip),
                                                      void* user);

#endif
