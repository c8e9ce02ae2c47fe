// The words and numbers of a BVH file.
#include "io/bvh/scan.h"

#include "text/text.h"

#include <math.h>
#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

static bool is_comment(const limberi_bvh_scanner* s) {
    return *s->at == '#' || (*s->at == '/' && s->end - s->at > 1 && s->at[1] == '/');
}

void limberi_bvh_skip_space(limberi_bvh_scanner* s) {
    for (;;) {
        while (s->at < s->end && is_blank(*s->at))
            s->at++;
        if (s->at == s->end || !is_comment(s))
            return;
        while (s->at < s->end && !is_line_end(*s->at))
            s->at++;
    }
}

static bool is_brace(char c) {
    return c == '{' || c == '}';
}

limberi_bvh_word limberi_bvh_next(limberi_bvh_scanner* s) {
    limberi_bvh_skip_space(s);
    limberi_bvh_word word = {s->at, 0};
    if (s->at < s->end && (is_brace(*s->at) || *s->at == ':'))
        s->at++;
    else
        while (s->at < s->end && !is_blank(*s->at) && !is_brace(*s->at) && *s->at != ':')
            s->at++;
    word.length = (size_t)(s->at - word.text);
    return word;
}

limberi_bvh_word limberi_bvh_peek(limberi_bvh_scanner* s) {
    limberi_bvh_scanner ahead = *s;
    return limberi_bvh_next(&ahead);
}

bool limberi_bvh_word_is(limberi_bvh_word word, const char* text) {
    if (strlen(text) != word.length)
        return false;
    for (size_t i = 0; i < word.length; i++)
        if (limberi_lowercase(word.text[i]) != limberi_lowercase(text[i]))
            return false;
    return true;
}

limberi_bvh_word limberi_bvh_rest_of_line(limberi_bvh_scanner* s) {
    while (s->at < s->end && is_blank(*s->at) && !is_line_end(*s->at))
        s->at++;
    limberi_bvh_word rest = {s->at, 0};
    for (bool word_start = true; s->at < s->end && !is_line_end(*s->at) && !is_brace(*s->at); s->at++) {
        if (word_start && is_comment(s))
            break;
        word_start = is_blank(*s->at);
        rest.length = word_start ? rest.length : (size_t)(s->at + 1 - rest.text);
    }
    return rest;
}

// Every power up to 22 is exact in a double, and so is every integer up to 2^53: one operation on two exact numbers
// rounds once, which gives the double nearest to the text.
static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { EXACT_POWER = 22, MANTISSA_DIGITS = 18, MAX_EXPONENT = 9999 };

// Longer numbers and larger powers round a few times; a float, which all of them become, does not see that.
static double scale(uint64_t mantissa, int exponent) {
    double value = (double)mantissa;
    if (mantissa == 0 || exponent < -400)
        return 0;
    for (; exponent > EXACT_POWER && isfinite(value); exponent -= EXACT_POWER)
        value *= exact_powers[EXACT_POWER];
    for (; exponent < -EXACT_POWER; exponent += EXACT_POWER)
        value /= exact_powers[EXACT_POWER];
    if (exponent < 0)
        return value / exact_powers[-exponent];
    return value * exact_powers[exponent > EXACT_POWER ? 0 : exponent];
}

typedef struct digits {
    uint64_t mantissa;
    int count;    // of digits in the mantissa, without leading zeros
    int exponent; // of ten
    bool any;
} digits;

static bool is_digit(char c) {
    return (unsigned)c - '0' < 10u;
}

static const char* scan_digits(const char* p, const char* end, digits* d, bool fraction) {
    for (; p < end && is_digit(*p); p++) {
        d->any = true;
        if (d->count < MANTISSA_DIGITS) {
            d->mantissa = d->mantissa * 10 + (uint64_t)(*p - '0');
            d->count += d->mantissa != 0;
            d->exponent -= fraction && d->exponent > -MAX_EXPONENT;
        } else {
            d->exponent += !fraction && d->exponent < MAX_EXPONENT;
        }
    }
    return p;
}

static const char* scan_exponent(const char* p, const char* end, digits* d) {
    const char* from = p++;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end || !is_digit(*p))
        return from; // not an exponent: the number ends before the letter
    int exponent = 0;
    for (; p < end && is_digit(*p); p++)
        exponent = exponent < MAX_EXPONENT ? exponent * 10 + (*p - '0') : exponent;
    d->exponent += negative ? -exponent : exponent;
    return p;
}

// nan, inf and infinity in any case, with what some programs append: 1.#QNAN, nan(ind).
static bool looks_endless(const char* p, const char* end) {
    static const char* const names[] = {"nan", "-nan", "+nan", "inf", "-inf", "+inf", "1.#", "-1.#"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        limberi_bvh_word start = {p, strlen(names[i])};
        if ((size_t)(end - p) >= start.length && limberi_bvh_word_is(start, names[i]))
            return true;
    }
    return false;
}

limberi_number_result limberi_bvh_number(limberi_bvh_scanner* s, double* number) {
    const char* p = s->at;
    const char* end = s->end;
    digits d = {0, 0, 0, false};
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    p = scan_digits(p, end, &d, false);
    if (p < end && *p == '.')
        p = scan_digits(p + 1, end, &d, true);
    if (d.any && p < end && (*p == 'e' || *p == 'E'))
        p = scan_exponent(p, end, &d);
    if (!d.any || (p < end && !is_blank(*p) && !is_brace(*p)))
        return looks_endless(s->at, end) ? LIMBERI_NUMBER_ENDLESS : LIMBERI_NUMBER_NONE;
    double value = d.exponent <= 0 && d.exponent >= -EXACT_POWER && d.count < 16
                       ? (double)d.mantissa / exact_powers[-d.exponent]
                       : scale(d.mantissa, d.exponent);
    if (!(value < 3e38))
        return LIMBERI_NUMBER_ENDLESS;
    *number = negative ? -value : value;
    s->at = p;
    return LIMBERI_NUMBER_OK;
}

static uint32_t line_of(const limberi_bvh_scanner* s, const char* at) {
    uint32_t line = 1;
    for (const char* p = s->start; p < at; p++)
        line += *p == '\n' || (*p == '\r' && !(p + 1 < s->end && p[1] == '\n'));
    return line;
}

limber_result limberi_bvh_fail(const limberi_bvh_scanner* s, const char* at, limber_result result, const char* format,
                               ...) {
    char message[sizeof s->error->message];
    va_list arguments;
    va_start(arguments, format);
    limberi_format_list(message, sizeof message, format, arguments);
    va_end(arguments);
    limberi_fail(s->error, result, "%s", message);
    return limberi_at(s->error, result, "line %u", line_of(s, at));
}

bool limberi_bvh_word_is_utf8(limberi_bvh_word word) {
    return limberi_utf8_is_valid(word.text, word.length);
}

limberi_bvh_shown limberi_bvh_show(limberi_bvh_word word) {
    limberi_bvh_shown shown;
    size_t max = sizeof shown.text - 4;
    size_t length = word.length < max ? word.length : max;
    while (length < word.length && length > 0 && ((unsigned char)word.text[length] & 0xC0) == 0x80)
        length--; // not through the middle of a character
    bool utf8 = limberi_bvh_word_is_utf8(word);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)word.text[i];
        shown.text[i] = c < 32 || c == 127 || (c > 127 && !utf8) ? '?' : word.text[i];
    }
    memcpy(shown.text + length, length < word.length ? "..." : "", length < word.length ? 4 : 1);
    return shown;
}
