// Text: numbers, UTF-8, and names.
#ifndef LIMBERI_TEXT_H
#define LIMBERI_TEXT_H

#include <limber/stages/expression.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// --- doubles from decimal digits and back, exactly rounded, with a '.' in every locale: what strtod and printf's "%.17g"
// do in the "C" locale, for a library that may not depend on either ---

enum { LIMBERI_DECIMAL_CHARS = 32, LIMBERI_DECIMAL_DIGITS = 17 }; // 17 digits give every double back

// The double nearest to "-12.5e3": digits, which may have a point among them, and an exponent. The caller has checked
// that this is what stands there. Infinite when it is too large.
double limberi_decimal_read(const char* text, size_t length);

// At most `digits` (1 to 17) significant ones, as "%.*g" writes them. Needs LIMBERI_DECIMAL_CHARS, terminates, returns
// the length. `value` is finite.
size_t limberi_decimal_format(double value, int digits, char* out);

// As few digits, from 15 to 17, as give the same double back: 0.15, not 0.14999999999999999.
size_t limberi_decimal_format_short(double value, char* out);

// --- floats and counts, quickly ---

enum { LIMBERI_FLOAT_CHARS = 24, LIMBERI_UNSIGNED_CHARS = 10 };

// About the fewest digits, 9 at most, that read back as the same float (one more where two are as good). '.' in every
// locale, -0 becomes 0. Needs LIMBERI_FLOAT_CHARS, does not terminate, returns the length. `value` is finite.
size_t limberi_float_format(float value, char* out);

// Needs LIMBERI_UNSIGNED_CHARS, does not terminate, returns the length.
size_t limberi_unsigned_format(uint32_t value, char* out);

// --- UTF-8: which bytes are characters ---

// How many bytes the character at `p` (which lies before `end`) has, 0 when these bytes are none. Surrogates, numbers
// beyond U+10FFFF and characters written longer than need be are none.
int limberi_utf8_length(const char* p, const char* end);

// The number of a character of so many bytes.
uint32_t limberi_utf8_number(const char* p, int length);

// Whether a character controls a terminal, breaks the line or reverses the order of letters: names from files must not
// print any of these.
bool limberi_utf8_steers(uint32_t number);

bool limberi_utf8_is_valid(const char* text, size_t length);

// A byte of a character that does not begin it.
static inline bool limberi_utf8_continues(char c) {
    return ((unsigned char)c & 0xC0) == 0x80;
}

// --- letters and digits of ASCII, in every locale ---

static inline bool limberi_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline bool limberi_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline char limberi_lowercase(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// --- numbers of a style, which may be formulas ---

static inline bool limberi_is_on(limber_number n) {
    return n.expression || n.value != 0;
}

// --- names ---

// Either may be NULL.
static inline bool limberi_same_text(const char* a, const char* b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

// Whether `name` matches `pattern`, in which * stands for any run of characters.
bool limberi_name_matches(const char* name, const char* pattern);

// For limberi_suggest: `names` is an array of texts.
static inline const char* limberi_name_at(const void* names, size_t i) {
    return ((const char* const*)names)[i];
}

// "Did you mean": edit distance with swaps of neighbours, ignoring case, capped at 64 characters a side.
int limberi_edit_distance(const char* a, const char* b);

// The nearest of `count` names, or NULL when none is close enough to be worth suggesting. `name_at` returns name i.
const char* limberi_suggest(const char* wrong, const char* (*name_at)(const void* user, size_t i), const void* user,
                            size_t count);

#endif
