// Inside src/style: what a style holds and how it is read.
#ifndef LIMBERI_STYLE_PRIVATE_H
#define LIMBERI_STYLE_PRIVATE_H

#include "base/buffer.h"
#include "keys/bind.h"
#include "style/table.h"
#include <limber/style.h>

enum { LIMBERI_ENTRY_LIMIT = 16384 };

struct limber_style {
    limberi_arena arena;
    limberi_entry* entries;
    uint32_t count, capacity;
    uint32_t pattern_count;
    limberi_buffer text;
};

// The entries in the order of the table: the style as a whole, each effect, then the patterns of joints with their
// general keys first. NULL when memory is short.
const uint32_t* limberi_style_order(const limber_style* style, limberi_arena* arena);

// Reads a JSON value that stands at `base` into the style, or changes nothing. Places are only told when the text is
// the user's own.
LIMBER_MUST_USE limber_result limberi_style_change(limber_style* style, limberi_json_document* json,
                                                   const limberi_address* base, bool places, limber_error* error);

// A copy that has room for `more` entries; and taking over what a copy has become.
LIMBER_MUST_USE limber_result limberi_style_copy(const limber_style* style, uint32_t more, limber_style* copy,
                                                 limber_error* error);
void limberi_style_replace(limber_style* style, limber_style* copy);
void limberi_style_clear(limber_style* style);

LIMBER_MUST_USE limber_result limberi_style_put(limber_style* style, const limberi_entry* entry, limber_error* error);
// Forgets the filter of an effect: all of it, or that of one quantity.
void limberi_style_drop_filter(limber_style* style, int32_t effect, limberi_quantity quantity);

// --- texts made from the table ---

void limberi_write_schema(limberi_buffer* out);

// --- what src/style/embed_presets.cmake makes from presets/*.json ---

extern const limber_preset limberi_presets[];
extern const uint32_t limberi_preset_count;

#endif
