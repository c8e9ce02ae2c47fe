// What a test found, as text, against the file of an earlier run. Numbers may differ by half a percent, which rounding of
// another compiler can do; words may not. LIMBER_UPDATE=1 rewrites the file: read what changed before you commit it.
#ifndef LIMBER_TEST_RECORDED_H
#define LIMBER_TEST_RECORDED_H

#include <stddef.h>
#include <stdio.h>

FILE* test_recorded_begin(char** text, size_t* length);
// Closes the text, compares it with the file at `path` and frees it.
void test_recorded_end(FILE* out, char** text, const size_t* length, const char* path);

#endif
