// UTF-8: which bytes are characters.
#ifndef LIMBERI_UTF8_H
#define LIMBERI_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How many bytes the character at `p` (which lies before `end`) has, 0 when these bytes are none. Surrogates, numbers
// beyond U+10FFFF and characters written longer than need be are none.
int limberi_utf8_length(const char* p, const char* end);

// The number of a character of so many bytes.
uint32_t limberi_utf8_number(const char* p, int length);

// Whether a character steers a terminal, breaks the line or turns the order of letters around: names of strangers must
// not print any of these.
bool limberi_utf8_steers(uint32_t number);

bool limberi_utf8_is_valid(const char* text, size_t length);

#endif
