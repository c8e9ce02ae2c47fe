// Tokens of a formula, and faults that point into it.
#include "text/expression_private.h"
#include "text/text.h"

#include <string.h>

// Code points shown around a fault: a line of a terminal, and in UTF-8 still inside limber_error's detail.
enum { SHOWN_WHOLE = 100, SHOWN_BEFORE = 45, SHOWN_AFTER = 30 };

static bool is_letter(char c) {
    return limberi_is_letter(c) || c == '_';
}

// Layers take their names from files, in any language.
static bool is_layer_letter(char c) {
    return is_letter(c) || limberi_is_digit(c) || (unsigned char)c >= 0x80;
}

static uint32_t code_points(const char* text, uint32_t bytes) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < bytes; i++)
        count += !limberi_utf8_continues(text[i]);
    return count;
}

// The byte where code point `index` starts.
static uint32_t byte_of(const limberi_source* source, uint32_t index) {
    uint32_t at = 0;
    for (; at < source->length; at++)
        if (!limberi_utf8_continues(source->text[at]) && index-- == 0)
            break;
    return at;
}

static void append(char* out, size_t size, size_t* length, const char* text, size_t count) {
    for (size_t i = 0; i < count && *length + 1 < size; i++) {
        // A tab or line break would take the caret out of its column.
        bool control = (unsigned char)text[i] < ' ' || text[i] == 0x7f;
        out[(*length)++] = control ? ' ' : text[i];
    }
}

// The text, or a window of it, and under it a caret at code point `column`.
static void show_source(const limberi_source* source, uint32_t column, char* out, size_t size) {
    uint32_t total = code_points(source->text, source->length);
    uint32_t first = 0;
    uint32_t last = total;
    if (total > SHOWN_WHOLE) {
        first = column > SHOWN_BEFORE ? column - SHOWN_BEFORE : 0;
        last = column + SHOWN_AFTER < total ? column + SHOWN_AFTER : total;
    }
    uint32_t from = byte_of(source, first);
    uint32_t to = byte_of(source, last);
    if (to - from > 4 * SHOWN_WHOLE) // no valid text is: stray continuation bytes must not push the caret out
        to = from + 4 * SHOWN_WHOLE;
    size_t length = 0;
    append(out, size, &length, "...", first ? 3 : 0);
    append(out, size, &length, source->text + from, to - from);
    append(out, size, &length, "...", last < total ? 3 : 0);
    if (length + 1 < size)
        out[length++] = '\n';
    for (uint32_t i = 0; i < column - first + (first ? 3 : 0); i++)
        append(out, size, &length, " ", 1);
    append(out, size, &length, "^", 1);
    out[length] = 0;
}

limber_result limberi_fault(limberi_source* source, limber_result result, uint32_t start, const char* format, ...) {
    source->result = result;
    limber_error* error = source->error;
    if (!error)
        return result;
    limberi_fail(error, result, "%s", "");
    va_list arguments;
    va_start(arguments, format);
    limberi_format_list(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    uint32_t column = code_points(source->text, start);
    show_source(source, column, error->detail, sizeof error->detail);
    return limberi_at(error, result, "column %u", column + 1);
}

limberi_quote limberi_quote_of(const limberi_source* source, uint32_t start, uint32_t length) {
    limberi_quote quote;
    size_t count = 0;
    size_t max = sizeof quote.text - 1;
    bool cut = length > max;
    if (cut)
        for (length = (uint32_t)max - 3; length && limberi_utf8_continues(source->text[start + length]); length--) {
        }
    append(quote.text, sizeof quote.text, &count, source->text + start, length);
    append(quote.text, sizeof quote.text, &count, "...", cut ? 3 : 0);
    quote.text[count] = 0;
    return quote;
}

bool limberi_token_is(const limberi_source* source, limberi_token token, const char* text) {
    return strlen(text) == token.length && memcmp(source->text + token.start, text, token.length) == 0;
}

static double power_of_ten(uint32_t exponent) {
    double power = 1;
    double square = 10;
    for (; exponent; exponent >>= 1, square *= square)
        if (exponent & 1)
            power *= square;
    return power;
}

// Nineteen digits fill 64 bits; the rest only move the point.
typedef struct digits {
    uint64_t mantissa;
    int exponent, significant;
    bool any;
} digits;

static void read_digits(limberi_source* source, digits* d, bool fraction) {
    for (; limberi_is_digit(source->text[source->at]); source->at++) {
        d->any = true;
        if (d->significant >= 19) {
            d->exponent += !fraction;
            continue;
        }
        d->mantissa = 10 * d->mantissa + (uint64_t)(source->text[source->at] - '0');
        d->significant += d->mantissa != 0;
        d->exponent -= fraction;
    }
}

// False when an 'e' stands without digits.
static bool read_exponent(limberi_source* source, digits* d) {
    const char* p = source->text + source->at;
    if (*p != 'e' && *p != 'E')
        return true;
    bool negative = p[1] == '-';
    p += p[1] == '-' || p[1] == '+' ? 2 : 1;
    if (!limberi_is_digit(*p))
        return false;
    int value = 0;
    for (; limberi_is_digit(*p); p++)
        value = value < 10000 ? 10 * value + (*p - '0') : value;
    d->exponent += negative ? -value : value;
    source->at = (uint32_t)(p - source->text);
    return true;
}

static limberi_token fault_token(limberi_source* source) {
    return (limberi_token){LIMBERI_TOKEN_FAULT, source->at, 0, 0};
}

static limberi_token malformed_number(limberi_source* source, uint32_t start) {
    uint32_t end = start;
    while (limberi_is_digit(source->text[end]) || is_letter(source->text[end]) || source->text[end] == '.')
        end++;
    limberi_quote quote = limberi_quote_of(source, start, end - start);
    limberi_fault(source, LIMBER_ERROR_DATA, start, "'%s' is not a number", quote.text);
    return fault_token(source);
}

static limberi_token read_number(limberi_source* source) {
    limberi_token token = {LIMBERI_TOKEN_NUMBER, source->at, 0, 0};
    digits d = {0, 0, 0, false};
    read_digits(source, &d, false);
    if (source->text[source->at] == '.') {
        source->at++;
        read_digits(source, &d, true);
    }
    if (!d.any || !read_exponent(source, &d) || source->text[source->at] == '.')
        return malformed_number(source, token.start);
    token.length = source->at - token.start;
    int magnitude = d.exponent + d.significant;
    if (!d.mantissa || magnitude < -60)
        return token;
    double value = (double)d.mantissa;
    if (magnitude <= 60)
        value =
            d.exponent < 0 ? value / power_of_ten((uint32_t)-d.exponent) : value * power_of_ten((uint32_t)d.exponent);
    if (magnitude > 60 || (float)value > LIMBERI_VALUE_MAX) {
        limberi_quote quote = limberi_quote_of(source, token.start, token.length);
        limberi_fault(source, LIMBER_ERROR_DATA, token.start, "%s is too large (max 1e30)", quote.text);
        return fault_token(source);
    }
    token.number = (float)value;
    return token;
}

static limberi_token read_name(limberi_source* source) {
    limberi_token token = {LIMBERI_TOKEN_NAME, source->at, 0, 0};
    while (is_letter(source->text[source->at]) || limberi_is_digit(source->text[source->at]))
        source->at++;
    token.length = source->at - token.start;
    if (!limberi_token_is(source, token, "paint") || source->text[source->at] != '.')
        return token;
    uint32_t name = ++source->at;
    while (is_layer_letter(source->text[source->at]))
        source->at++;
    token.kind = LIMBERI_TOKEN_LAYER;
    token.length = source->at - token.start;
    if (source->at > name)
        return token;
    limberi_fault(source, LIMBER_ERROR_DATA, name, "the name of a layer is missing after '" LIMBERI_PAINT "'");
    return fault_token(source);
}

static limberi_token unknown_character(limberi_source* source) {
    uint32_t end = source->at + 1;
    while (limberi_utf8_continues(source->text[end]))
        end++;
    const char* hint = "";
    char c = source->text[source->at];
    if (c == '=')
        hint = "; equality is '=='";
    if (c == '&')
        hint = "; the logical 'and' is '&&'";
    if (c == '.')
        hint = "; layers are written paint.ears, for example";
    if (c == '|')
        hint = "; the logical 'or' is '||'";
    limberi_quote quote = limberi_quote_of(source, source->at, end - source->at);
    limberi_fault(source, LIMBER_ERROR_DATA, source->at, "unexpected '%s'%s", quote.text, hint);
    return fault_token(source);
}

char limberi_peek(limberi_source* source) {
    while (source->at < source->length && strchr(" \t\r\n", source->text[source->at]))
        source->at++;
    return source->text[source->at];
}

limberi_token limberi_next_token(limberi_source* source) {
    limberi_peek(source);
    const char* p = source->text + source->at;
    limberi_token token = {LIMBERI_TOKEN_OPERATOR, source->at, 1, 0};
    if (source->at >= source->length) {
        token.kind = LIMBERI_TOKEN_END;
        token.length = 0;
        return token;
    }
    if (limberi_is_digit(*p) || (*p == '.' && limberi_is_digit(p[1])))
        return read_number(source);
    if (is_letter(*p))
        return read_name(source);
    static const char pairs[][3] = {"<=", ">=", "==", "!=", "&&", "||"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (p[0] == pairs[i][0] && p[1] == pairs[i][1])
            token.length = 2;
    if (token.length == 1 && !strchr("+-*/%^<>!?:(),", *p))
        return unknown_character(source);
    source->at += token.length;
    return token;
}
