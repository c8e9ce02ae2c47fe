#include "base/json_scan.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 19 }; // as many decimal digits as always fit into 64 bits

limberi_json_place limberi_scan_place(limberi_scanner* scanner) {
    for (; scanner->mark < scanner->at; scanner->mark++) {
        unsigned char c = (unsigned char)*scanner->mark;
        if (c == '\n') {
            scanner->mark_place.line++;
            scanner->mark_place.column = 1;
        } else if ((c & 0xC0) != 0x80) {
            scanner->mark_place.column++;
        }
    }
    return scanner->mark_place;
}

limber_result limberi_scan_fail(limberi_scanner* scanner, limberi_json_place place, const char* format, ...) {
    char message[sizeof scanner->error->message];
    va_list arguments;
    va_start(arguments, format);
    limberi_format_list(message, sizeof message, format, arguments);
    va_end(arguments);
    (void)limberi_fail(scanner->error, LIMBER_ERROR_DATA, "%s", message);
    return limberi_at(scanner->error, LIMBER_ERROR_DATA, "line %u, column %u", place.line, place.column);
}

void limberi_scan_describe(const limberi_scanner* scanner, char* out, size_t size) {
    if (scanner->at >= scanner->end)
        limberi_format(out, size, "the end of the text");
    else if (*scanner->at > ' ' && *scanner->at < 127)
        limberi_format(out, size, "'%c'", *scanner->at);
    else
        limberi_format(out, size, "a character that only a string may hold");
}

// --- space ---

static limber_result skip_comment(limberi_scanner* scanner) {
    limberi_json_place start = limberi_scan_place(scanner);
    if (scanner->end - scanner->at >= 2 && scanner->at[1] == '/') {
        while (scanner->at < scanner->end && *scanner->at != '\n')
            scanner->at++;
        return LIMBER_OK;
    }
    if (scanner->end - scanner->at < 2 || scanner->at[1] != '*')
        return limberi_scan_fail(scanner, start, "a comment starts with // or /*");
    for (scanner->at += 2; scanner->end - scanner->at >= 2; scanner->at++) {
        if (scanner->at[0] == '*' && scanner->at[1] == '/') {
            scanner->at += 2;
            return LIMBER_OK;
        }
    }
    return limberi_scan_fail(scanner, start, "the comment that starts here never ends with */");
}

limber_result limberi_scan_space(limberi_scanner* scanner) {
    while (scanner->at < scanner->end) {
        char c = *scanner->at;
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            scanner->at++;
        } else if (c == '/') {
            limber_result result = skip_comment(scanner);
            if (result)
                return result;
        } else {
            break;
        }
    }
    return LIMBER_OK;
}

// --- strings ---

static void put_utf8(limberi_scanner* scanner, uint32_t c) {
    char* out = scanner->strings;
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xC0 | c >> 6);
        *out++ = (char)(0x80 | (c & 63));
    } else if (c < 0x10000) {
        *out++ = (char)(0xE0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 63));
        *out++ = (char)(0x80 | (c & 63));
    } else {
        *out++ = (char)(0xF0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 63));
        *out++ = (char)(0x80 | (c >> 6 & 63));
        *out++ = (char)(0x80 | (c & 63));
    }
    scanner->strings = out;
}

// Bytes of the UTF-8 character at `p`, 0 when it is none (too long, a surrogate, cut off, beyond Unicode).
static int utf8_length(const char* p, const char* end) {
    const unsigned char* c = (const unsigned char*)p;
    int length = c[0] < 0x80 ? 1 : c[0] >= 0xC2 && c[0] < 0xE0 ? 2 : c[0] >= 0xE0 && c[0] < 0xF0 ? 3 : 4;
    if (length == 1)
        return 1;
    if (c[0] < 0xC2 || c[0] > 0xF4 || end - p < length)
        return 0;
    for (int i = 1; i < length; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    bool too_long = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90);
    bool beyond = (c[0] == 0xED && c[1] > 0x9F) || (c[0] == 0xF4 && c[1] > 0x8F);
    return too_long || beyond ? 0 : length;
}

// Four hexadecimal digits, or -1.
static int32_t hex4(const limberi_scanner* scanner, const char* p) {
    int32_t value = 0;
    for (int i = 0; i < 4; i++, p++) {
        if (p >= scanner->end)
            return -1;
        char c = *p;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = 16 * value + digit;
    }
    return value;
}

// \u0041 or a pair such as \ud83d\ude00; `at` stands on the backslash.
static limber_result scan_unicode(limberi_scanner* scanner) {
    limberi_json_place place = limberi_scan_place(scanner);
    int32_t c = hex4(scanner, scanner->at + 2);
    if (c < 0)
        return limberi_scan_fail(scanner, place, "\\u needs four hexadecimal digits");
    scanner->at += 6;
    if (c >= 0xD800 && c < 0xDC00) {
        bool pair = scanner->end - scanner->at >= 6 && scanner->at[0] == '\\' && scanner->at[1] == 'u';
        int32_t low = pair ? hex4(scanner, scanner->at + 2) : -1;
        if (low < 0xDC00 || low > 0xDFFF)
            return limberi_scan_fail(scanner, place, "incomplete surrogate pair");
        scanner->at += 6;
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    } else if (c >= 0xDC00 && c <= 0xDFFF) {
        return limberi_scan_fail(scanner, place, "incomplete surrogate pair");
    }
    if (c == 0)
        return limberi_scan_fail(scanner, place, "a string must not contain the character 0");
    put_utf8(scanner, (uint32_t)c);
    return LIMBER_OK;
}

static limber_result scan_escape(limberi_scanner* scanner) {
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char name = scanner->end - scanner->at >= 2 ? scanner->at[1] : 0;
    if (name == 'u')
        return scan_unicode(scanner);
    const char* found = name ? strchr(names, name) : NULL;
    if (!found)
        return limberi_scan_fail(scanner, limberi_scan_place(scanner),
                                 "a backslash must be followed by one of \" \\ / b f n r t u");
    *scanner->strings++ = values[found - names];
    scanner->at += 2;
    return LIMBER_OK;
}

limber_result limberi_scan_string(limberi_scanner* scanner, const char** text) {
    limberi_json_place start = limberi_scan_place(scanner);
    *text = scanner->strings;
    scanner->at++;
    while (scanner->at < scanner->end && *scanner->at != '"') {
        unsigned char c = (unsigned char)*scanner->at;
        if (c == '\\') {
            limber_result result = scan_escape(scanner);
            if (result)
                return result;
            continue;
        }
        if (c == '\n' || c == '\r')
            return limberi_scan_fail(scanner, start, "the string that starts here has no closing quote on its line");
        int length = c < 32 ? 0 : utf8_length(scanner->at, scanner->end);
        if (!length)
            return limberi_scan_fail(scanner, limberi_scan_place(scanner),
                                     c < 32 ? "a control character inside a string" : "this is not UTF-8 text");
        for (; length; length--)
            *scanner->strings++ = *scanner->at++;
    }
    if (scanner->at >= scanner->end)
        return limberi_scan_fail(scanner, start, "the string that starts here has no closing quote");
    scanner->at++;
    *scanner->strings++ = 0;
    return LIMBER_OK;
}

// --- numbers ---

// Exact while the digits fit into 53 bits and the power is at most 22, else within a few units in the last place.
static double scaled(uint64_t digits, int exponent) {
    static const double powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double value = (double)digits;
    exponent = exponent > 400 ? 400 : exponent < -400 ? -400 : exponent;
    for (; exponent > 22; exponent -= 22)
        value *= powers[22];
    for (; exponent < -22; exponent += 22)
        value /= powers[22];
    return exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
}

static bool is_digit(const char* p, const char* end) {
    return p < end && *p >= '0' && *p <= '9';
}

// The digits before or after the point; false when there are none.
static bool scan_digits(limberi_scanner* scanner, bool fraction, uint64_t* digits, int* used, int* exponent) {
    const char* start = scanner->at;
    for (; is_digit(scanner->at, scanner->end); scanner->at++) {
        bool room = *used < DIGITS;
        if (room)
            *digits = 10 * *digits + (uint64_t)(*scanner->at - '0');
        *used += room && *digits; // zeros in front do not count
        *exponent += fraction ? -(int)room : !room;
    }
    return scanner->at > start;
}

static bool scan_exponent(limberi_scanner* scanner, int* exponent) {
    const char* p = scanner->at;
    if (p >= scanner->end || (*p != 'e' && *p != 'E'))
        return true;
    p++;
    bool negative = p < scanner->end && *p == '-';
    p += p < scanner->end && (*p == '-' || *p == '+');
    if (!is_digit(p, scanner->end))
        return false;
    int value = 0;
    for (; is_digit(p, scanner->end); p++)
        value = value < 100000000 ? 10 * value + (*p - '0') : value;
    *exponent += negative ? -value : value;
    scanner->at = p;
    return true;
}

limber_result limberi_scan_number(limberi_scanner* scanner, double* number, const char** text) {
    limberi_json_place place = limberi_scan_place(scanner);
    const char* start = scanner->at;
    bool negative = *start == '-';
    uint64_t digits = 0;
    int used = 0, exponent = 0;
    scanner->at += negative;
    bool zero = is_digit(scanner->at, scanner->end) && *scanner->at == '0';
    bool right =
        scan_digits(scanner, false, &digits, &used, &exponent) && !(zero && scanner->at - start > 1 + negative);
    if (right && scanner->at < scanner->end && *scanner->at == '.') {
        scanner->at++;
        right = scan_digits(scanner, true, &digits, &used, &exponent);
    }
    if (!right || !scan_exponent(scanner, &exponent))
        return limberi_scan_fail(scanner, place, "numbers are written like 12, -0.5 or 3e-2");
    double value = scaled(digits, exponent);
    if (!isfinite(value))
        return limberi_scan_fail(scanner, place, "this number is too large");
    *number = negative ? -value : value;
    size_t length = (size_t)(scanner->at - start);
    memcpy(scanner->strings, start, length);
    *text = scanner->strings;
    scanner->strings += length;
    *scanner->strings++ = 0;
    return LIMBER_OK;
}
