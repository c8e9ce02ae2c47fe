// Texts that a test made before, compared word by word.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kit/recorded.h"

static const double tolerance = 0.005; // of a number; and a tenth of that as it is, near 0

static char* read_file(const char* path) {
    char* text = calloc(1, 1 << 20);
    FILE* in = fopen(path, "rb");
    assert_non_null(text);
    if (in) {
        (void)!fread(text, 1, (1 << 20) - 1, in);
        fclose(in);
    }
    return text;
}

static bool same_word(const char* a, const char* b) {
    char *a_end, *b_end;
    double x = strtod(a, &a_end), y = strtod(b, &b_end);
    if (a_end == a || b_end == b || *a_end || *b_end)
        return strcmp(a, b) == 0;
    return fabs(x - y) <= tolerance * (0.1 + fabs(y));
}

static char* next_word(char** rest) {
    char* word = *rest + strspn(*rest, " ");
    *rest = word + strcspn(word, " ");
    if (**rest)
        *(*rest)++ = 0;
    return word;
}

static bool same_line(const char* a, const char* b) {
    char x[512], y[512], *x_rest = x, *y_rest = y;
    snprintf(x, sizeof x, "%s", a);
    snprintf(y, sizeof y, "%s", b);
    while (*x_rest || *y_rest)
        if (!same_word(next_word(&x_rest), next_word(&y_rest)))
            return false;
    return true;
}

static char* next_line(char** rest) {
    char* line = *rest;
    *rest += strcspn(line, "\n");
    if (**rest)
        *(*rest)++ = 0;
    return line;
}

static void compare(char* now, const char* path) {
    char *was = read_file(path), *was_rest = was, *now_rest = now;
    uint32_t different = 0;
    while (*now_rest || *was_rest) {
        const char *x = next_line(&now_rest), *y = next_line(&was_rest);
        if (!same_line(x, y) && different++ < 10)
            print_error("now: %s\nwas: %s\n", x, y);
    }
    free(was);
    if (different)
        fail_msg("%u lines of %s are different now", different, path);
}

FILE* test_recorded_begin(char** text, size_t* length) {
    FILE* out = open_memstream(text, length);
    assert_non_null(out);
    return out;
}

void test_recorded_end(FILE* out, char** text, const size_t* length, const char* path) {
    assert_int_equal(fclose(out), 0);
    FILE* update = getenv("LIMBER_UPDATE") ? fopen(path, "wb") : NULL;
    if (update) {
        assert_int_equal(fwrite(*text, 1, *length, update), *length);
        assert_int_equal(fclose(update), 0);
    }
    compare(*text, path);
    free(*text);
}
