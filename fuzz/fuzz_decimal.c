// Fuzzes numbers as text: what is read is what the C library reads, and every double comes back from its 17 digits
// or fewer.
#include "fuzz/kit/bytes.h"
#include "text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void check_value(double value) {
    char text[LIMBERI_DECIMAL_CHARS];
    if (!isfinite(value))
        return;
    size_t length = limberi_decimal_format(value, LIMBERI_DECIMAL_DIGITS, text);
    FUZZ_CHECK(length < sizeof text && strlen(text) == length);
    double again = limberi_decimal_read(text, length);
    FUZZ_CHECK(memcmp(&again, &value, sizeof value) == 0);
    length = limberi_decimal_format_short(value, text);
    again = limberi_decimal_read(text, length);
    FUZZ_CHECK(length < sizeof text && memcmp(&again, &value, sizeof value) == 0);
    for (int digits = 1; digits < LIMBERI_DECIMAL_DIGITS; digits += 5)
        FUZZ_CHECK(limberi_decimal_format(value, digits, text) < sizeof text);
}

// The length of the number that a text starts with, as JSON has it.
static size_t number_length(const char* text) {
    size_t at = text[0] == '-', digits = strspn(text + at, "0123456789");
    if (!digits)
        return 0;
    at += digits;
    size_t after = text[at] == '.' ? strspn(text + at + 1, "0123456789") : 0;
    at += after ? after + 1 : 0;
    if (text[at] == 'e' || text[at] == 'E') {
        size_t sign = text[at + 1] == '+' || text[at + 1] == '-', power = strspn(text + at + 1 + sign, "0123456789");
        at += power ? 1 + sign + power : 0;
    }
    return at;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    double value;
    char* text = malloc(size + 1);
    FUZZ_CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    size_t length = number_length(text);
    if (length && length < 400) {
        text[length] = 0;
        double ours = limberi_decimal_read(text, length), theirs = strtod(text, NULL);
        FUZZ_CHECK(ours == theirs);
    }
    if (size >= sizeof value) {
        memcpy(&value, data, sizeof value);
        check_value(value);
    }
    free(text);
    return 0;
}
