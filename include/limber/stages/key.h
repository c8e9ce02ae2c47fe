// limber/stages/key.h: what a key of the style file is. limber_key_at (limber/style.h) lists all of them.
#ifndef LIMBER_STAGES_KEY_H
#define LIMBER_STAGES_KEY_H

#include <limber/base.h>

typedef enum limber_key_type {
    LIMBER_KEY_NUMBER,   // a number or an expression
    LIMBER_KEY_CONSTANT, // a number only (nothing that is computed once per clip may change with t)
    LIMBER_KEY_SWITCH,   // true or false
    LIMBER_KEY_CHOICE,   // one of a few words
    LIMBER_KEY_TEXT,     // a name
    LIMBER_KEY_LIST,     // a list of words, or of names where it has no choices
    LIMBER_KEY_VECTOR,   // three numbers
    LIMBER_KEY_OTHER     // a structure of its own, explained in the help
} limber_key_type;

// One row of the table. A path may hold a star: "joints.*.floppy".
typedef struct limber_key {
    const char* path;
    limber_key_type type;
    const char* unit;         // "degrees", "1/s", ... or ""
    double min, max;          // range of numbers
    bool min_is_excluded;     // the range is open at `min`
    const char* default_text; // as it would stand in JSON; NULL: none
    const char* choices;      // "linear dualquat", or NULL; a number with choices may also be one of these words
    const char* help;         // one line
} limber_key;

#endif
