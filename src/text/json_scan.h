// The words of a JSON text: space, strings, numbers. Shared by json_read.c and json_scan.c.
#ifndef LIMBERI_JSON_SCAN_H
#define LIMBERI_JSON_SCAN_H

#include "base/error.h"
#include "text/json.h"

enum { LIMBERI_KEYS_KNOWN = 256 };

typedef struct limberi_scanner {
    const char *at, *end;
    limberi_json_document* json; // where strings are kept; `at` lies in its text
    bool hand_written;
    limber_error* error;
    const char* known[LIMBERI_KEYS_KNOWN]; // keys that were met, by a number made from their letters: most come again
} limberi_scanner;

// Where the scanner stands.
uint32_t limberi_scan_place(const limberi_scanner* scanner);

// Sets the message and the place.
limber_result limberi_scan_fail(limberi_scanner* scanner, uint32_t place, const char* format, ...) LIMBERI_PRINTF(3, 4);

// Memory is short, or the tree larger than the document allows.
limber_result limberi_scan_fail_memory(limberi_scanner* scanner);

// Blanks and, in what is written by hand, comments.
LIMBER_MUST_USE limber_result limberi_scan_space(limberi_scanner* scanner);
// From its opening quote.
LIMBER_MUST_USE limber_result limberi_scan_string(limberi_scanner* scanner, const char** text, uint32_t* length);
LIMBER_MUST_USE limber_result limberi_scan_key(limberi_scanner* scanner, const char** key);
// Fills the type, the number and its length.
LIMBER_MUST_USE limber_result limberi_scan_number(limberi_scanner* scanner, limberi_json* number);

// What stands at the scanner, for messages: "'}'", "the end of the text".
void limberi_scan_describe(const limberi_scanner* scanner, char* out, size_t size);

#endif
