// Writes JSON into a buffer, putting the commas where they belong. Compact, or indented with one member per line; what
// is written between limberi_json_flat(w, true) and (w, false) stays on its line.
//
//     limberi_buffer text = {0};
//     limberi_json_writer w = {.out = &text, .indent = 2};
//     limberi_json_open(&w, '{');
//     limberi_json_key(&w, "answer");
//     limberi_json_integer(&w, 42);
//     limberi_json_close(&w, '}');
#ifndef LIMBERI_JSON_WRITE_H
#define LIMBERI_JSON_WRITE_H

#include "base/buffer.h"
#include "text/json.h"

typedef struct limberi_json_writer {
    limberi_buffer* out;
    uint32_t indent; // blanks per level, 0: compact
    uint32_t depth, flat;
    int digits;         // of limberi_json_real; 0: as many as give the double back
    const char* source; // the text that a tree was read from, to keep its numbers as they are written there; or NULL
} limberi_json_writer;

// '{' or '[', and the bracket that closes it.
void limberi_json_open(limberi_json_writer* writer, char bracket);
void limberi_json_close(limberi_json_writer* writer, char bracket);
void limberi_json_flat(limberi_json_writer* writer, bool flat);
void limberi_json_key(limberi_json_writer* writer, const char* key);
void limberi_json_string(limberi_json_writer* writer, const char* text);
void limberi_json_raw(limberi_json_writer* writer, const char* json); // already JSON
void limberi_json_number(limberi_json_writer* writer, double number); // six digits
void limberi_json_integer(limberi_json_writer* writer, int64_t integer);
void limberi_json_real(limberi_json_writer* writer, double real); // with a point or an exponent; finite
void limberi_json_switch(limberi_json_writer* writer, bool truth);
void limberi_json_tree(limberi_json_writer* writer, const limberi_json* value); // and all that is in it

// Writes a value and all that is in it, numbers with the digits they had.
void limberi_json_subtree(limberi_json_writer* writer, const limberi_json* json, uint32_t node);

// A string with quotes and escapes, wherever it is needed.
void limberi_json_quote(limberi_buffer* out, const char* text);

#endif
