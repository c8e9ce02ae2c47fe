// A row of the table of style keys. Each stage keeps its own rows (style_keys.c in its folder); src/style collects them.
#ifndef LIMBERI_KEYS_ROW_H
#define LIMBERI_KEYS_ROW_H

#include "base/build.h"
#include "text/json.h"
#include <limber/stages/expression.h>
#include <limber/stages/keys.h>

// What binding makes of a value, at `offset` in the settings of the stage or effect.
typedef enum limberi_store {
    LIMBERI_STORE_NOTHING,
    LIMBERI_STORE_NUMBER, // limber_number
    LIMBERI_STORE_VALUE,  // limber_number, but no formula: the number, which word, or bit flags of words
    LIMBERI_STORE_FLOAT,
    LIMBERI_STORE_DOUBLE,
    LIMBERI_STORE_COUNT,  // uint32_t
    LIMBERI_STORE_CHOICE, // enumeration: which word
    LIMBERI_STORE_SWITCH, // bool; of words, whether it is not the first
    LIMBERI_STORE_TEXT,   // const char*; NULL: empty
    LIMBERI_STORE_OWN,    // what the row's reader says
    LIMBERI_STORE_LATER   // what the stage makes of it when all values are known; so with those of joints and meshes
} limberi_store;

struct limberi_binder;
struct limberi_entry;
struct limberi_row;

// What a stage knows about values of its own. All of it may be left out.
typedef struct limberi_reader {
    limber_expression_scope scope; // what formulas may use; no names: everything but `offset` and copies
    // Of LIMBER_KEY_OTHER: looks into the value. On failure the message is set and *fault is the value it is about.
    limber_result (*check)(const struct limberi_row* row, const limberi_json_document* json, const limberi_json* node,
                           const limberi_json** fault, limber_error* error);
    limber_result (*bind)(struct limberi_binder* binder, const struct limberi_entry* entry, void* settings);
    limber_result (*bind_json)(struct limberi_binder* binder, const struct limberi_entry* entry,
                               const limberi_json* root, void* settings); // instead, of LIMBER_KEY_OTHER
    const char* shown;                                                    // what the value is, for people
    const char* const* schema;       // its rule in the JSON Schema: keys and values, up to NULL
    const struct limberi_row* items; // or, of a list of objects, their keys ("exaggerate.constraints[].joint")
    uint32_t item_count;
} limberi_reader;

// What only people read; the browser's light module does without it.
#define LIMBERI_TEXT(text) (LIMBERI_HAS_TEXTS ? (text) : "")
#define LIMBERI_TEXTS(texts) (LIMBERI_HAS_TEXTS ? (texts) : NULL)

typedef struct limberi_row {
    limber_key key;
    limberi_store store;
    uint32_t effects; // bit i: limber_effect i has this key; filters: see limberi_row_effects
    uint32_t part;    // for the stage's own code
    size_t offset;
    const limberi_reader* reader; // NULL: the key says all
} limberi_row;

// The columns: path, type, unit, range (and whether its lower end is left out), default, choices, help; then what
// binding does with the value, for which effects, where it goes, and who reads it. The words of a choice stand in the
// order of the enumeration they are stored in.
#define LIMBERI_ROW_WITH(default_text, path, type, unit, min, max, above, choices, help, store, effects, part, offset, \
                         reader)                                                                                       \
    {                                                                                                                  \
        {path, LIMBER_KEY_##type, unit, min, max, above, default_text, choices, LIMBERI_TEXT(help)},                   \
            LIMBERI_STORE_##store, effects, part, offset, reader                                                       \
    }
#define LIMBERI_ROW(path, type, unit, min, max, above, value, choices, help, store, effects, part, offset, reader)     \
    LIMBERI_ROW_WITH(LIMBERI_TEXTS(value), path, type, unit, min, max, above, choices, help, store, effects, part,     \
                     offset, reader)

// Formulas may use what is the same for all vertices: t, frame and phase.
extern const limberi_reader limberi_frame_reader;

// A group of rows: what the help and the documentation put under one heading. The path may hold a star.
typedef struct limberi_section {
    const char *path, *title, *text, *example;
} limberi_section;

// Rows that stand together in the table, and the sections that come with them.
typedef struct limberi_keys {
    const limberi_row* rows;
    uint32_t count;
    const limberi_section* sections;
    uint32_t section_count;
} limberi_keys;

#define LIMBERI_KEYS(rows)                                                                                             \
    { rows, sizeof rows / sizeof *rows, NULL, 0 }
#define LIMBERI_KEYS_OF(rows, sections)                                                                                \
    {                                                                                                                  \
        rows, sizeof rows / sizeof *rows, LIMBERI_TEXTS(sections),                                                     \
            LIMBERI_HAS_TEXTS * sizeof sections / sizeof *sections                                                     \
    }

#endif
