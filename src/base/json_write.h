// Writes JSON into a buffer, putting the commas where they belong. Compact, or indented with one member per line; what
// is written between limberi_json_flat(w, true) and (w, false) stays on its line.
#ifndef LIMBERI_JSON_WRITE_H
#define LIMBERI_JSON_WRITE_H

#include "base/buffer.h"
#include "base/json.h"

typedef struct limberi_json_writer {
    limberi_buffer* out;
    uint32_t indent; // blanks per level, 0: compact
    uint32_t depth, flat;
} limberi_json_writer;

// '{' or '[', and the bracket that closes it.
void limberi_json_open(limberi_json_writer* writer, char bracket);
void limberi_json_close(limberi_json_writer* writer, char bracket);
void limberi_json_flat(limberi_json_writer* writer, bool flat);
void limberi_json_key(limberi_json_writer* writer, const char* key);
void limberi_json_string(limberi_json_writer* writer, const char* text);
void limberi_json_raw(limberi_json_writer* writer, const char* json); // already JSON
void limberi_json_number(limberi_json_writer* writer, double number); // six digits

// Writes a value and all that is in it, numbers with the digits they had.
void limberi_json_subtree(limberi_json_writer* writer, const limberi_json* json, uint32_t node);

// A string with quotes and escapes, wherever it is needed.
void limberi_json_quote(limberi_buffer* out, const char* text);

#endif
