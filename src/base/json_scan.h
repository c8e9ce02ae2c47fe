// The words of a JSON text: space, strings, numbers. Shared by json.c and json_scan.c.
#ifndef LIMBERI_JSON_SCAN_H
#define LIMBERI_JSON_SCAN_H

#include "base/error.h"
#include "base/json.h"

typedef struct limberi_scanner {
    const char *at, *end;
    const char* mark; // the last place that was counted, so that counting goes over the text only once
    limberi_json_place mark_place;
    char* strings; // where the next decoded string goes; the whole text's length is room enough for all of them
    limber_error* error;
} limberi_scanner;

// The place of scanner->at, which must not lie before the place asked for last.
limberi_json_place limberi_scan_place(limberi_scanner* scanner);

// Sets the message and the place.
limber_result limberi_scan_fail(limberi_scanner* scanner, limberi_json_place place, const char* format, ...)
    LIMBERI_PRINTF(3, 4);

// Blanks and comments.
LIMBER_MUST_USE limber_result limberi_scan_space(limberi_scanner* scanner);
// From its opening quote.
LIMBER_MUST_USE limber_result limberi_scan_string(limberi_scanner* scanner, const char** text);
LIMBER_MUST_USE limber_result limberi_scan_number(limberi_scanner* scanner, double* number, const char** text);

// What stands at the scanner, for messages: "'}'", "the end of the text".
void limberi_scan_describe(const limberi_scanner* scanner, char* out, size_t size);

#endif
