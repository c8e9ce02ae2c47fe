// The words and numbers of a BVH file.
#ifndef LIMBERI_BVH_SCAN_H
#define LIMBERI_BVH_SCAN_H

#include "base/error.h"

typedef struct limberi_bvh_scanner {
    const char *at, *end;
    const char* start; // of the text, for counting lines
    limber_error* error;
} limberi_bvh_scanner;

typedef struct limberi_bvh_word {
    const char* text; // not terminated
    size_t length;    // 0: the end of the file
} limberi_bvh_word;

typedef enum limberi_number_result {
    LIMBERI_NUMBER_OK,
    LIMBERI_NUMBER_NONE,    // not a number
    LIMBERI_NUMBER_ENDLESS, // nan, inf, or too large for a float
} limberi_number_result;

// Past blanks and comments (# and // at the start of a word), over lines.
void limberi_bvh_skip_space(limberi_bvh_scanner* scanner);

// The next word; braces and a colon after a word are separate words.
limberi_bvh_word limberi_bvh_next(limberi_bvh_scanner* scanner);
limberi_bvh_word limberi_bvh_peek(limberi_bvh_scanner* scanner);
bool limberi_bvh_word_is(limberi_bvh_word word, const char* text); // ignoring case
bool limberi_bvh_word_is_utf8(limberi_bvh_word word);

// What is left of this line before a comment or a brace, without blanks around it.
limberi_bvh_word limberi_bvh_rest_of_line(limberi_bvh_scanner* scanner);

// The number at the scanner, which stands on it; must end at a blank, a brace or the end.
limberi_number_result limberi_bvh_number(limberi_bvh_scanner* scanner, double* number);

// Sets the message, and as the place the line of `at`.
limber_result limberi_bvh_fail(const limberi_bvh_scanner* scanner, const char* at, limber_result result,
                               const char* format, ...) LIMBERI_PRINTF(4, 5);

// A word as messages show it: cut to a reasonable length and free of control characters.
typedef struct limberi_bvh_shown {
    char text[48];
} limberi_bvh_shown;
limberi_bvh_shown limberi_bvh_show(limberi_bvh_word word);

#endif
