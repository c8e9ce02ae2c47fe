// limber/stages/keys.h: the table of every key of a style file, for programs that show them: editors, help, schemas.
//
// The parser, `--set`, the JSON Schema, the help and the documentation all come from this table.
//
//     for (uint32_t i = 0; i < limber_key_count(); i++) {
//         const limber_key* key = limber_key_at(i);
//         if (key->type == LIMBER_KEY_NUMBER)
//             printf("%s: %g to %g %s\n", key->path, key->min, key->max, key->unit);
//     }
#ifndef LIMBER_STAGES_KEYS_H
#define LIMBER_STAGES_KEYS_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// What the value of a key is.
typedef enum limber_key_type {
    LIMBER_KEY_NUMBER,   // a number or a formula
    LIMBER_KEY_CONSTANT, // a number, no formula: the value is used once per clip and cannot change with time
    LIMBER_KEY_SWITCH,   // true or false
    LIMBER_KEY_CHOICE,   // one of a few words
    LIMBER_KEY_TEXT,     // a name
    LIMBER_KEY_LIST,     // a list of words from `choices`, or of names when there are no choices
    LIMBER_KEY_VECTOR,   // three numbers
    LIMBER_KEY_OTHER     // a structure, described in `help`
} limber_key_type;

// One row of the table.
typedef struct limber_key {
    const char* path; // "effects.floppy.angular"; may contain a star: "joints.*.floppy"
    limber_key_type type;
    const char* unit;         // "degrees", "1/s", ... or ""
    double min, max;          // range of a number
    bool min_is_excluded;     // the value must be above `min`
    const char* default_text; // as it would stand in JSON; NULL: no default
    const char* choices;      // "linear dualquat", or NULL; a number with choices may also be one of these words
    const char* help;         // one line
} limber_key;

// All rows, in the order of the documentation.
LIMBER_API uint32_t limber_key_count(void);
LIMBER_API const limber_key* limber_key_at(uint32_t index);

// Texts made from the table. They stay valid until the program ends; NULL when memory is short.
LIMBER_API const char* limber_style_schema(void);   // JSON Schema
LIMBER_API const char* limber_style_help(void);     // for a terminal
LIMBER_API const char* limber_style_markdown(void); // for the documentation

#ifdef __cplusplus
}
#endif

#endif
