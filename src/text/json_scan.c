// The words of a JSON text: space, strings, numbers.
#include "text/json_scan.h"

#include "text/json_private.h"
#include "text/text.h"

#include <math.h>
#include <string.h>

uint32_t limberi_scan_place(const limberi_scanner* scanner) {
    return (uint32_t)(scanner->at - scanner->json->text);
}

limber_result limberi_scan_fail(limberi_scanner* scanner, uint32_t place, const char* format, ...) {
    char message[sizeof scanner->error->message];
    va_list arguments;
    va_start(arguments, format);
    limberi_format_list(message, sizeof message, format, arguments);
    va_end(arguments);
    (void)limberi_fail(scanner->error, LIMBER_ERROR_DATA, "%s", message);
    limberi_json_place at = limberi_json_place_at(scanner->json, place);
    return limberi_at(scanner->error, LIMBER_ERROR_DATA, "line %u, column %u", at.line, at.column);
}

limber_result limberi_scan_fail_memory(limberi_scanner* scanner) {
    if (scanner->json->too_large)
        return limberi_fail(scanner->error, LIMBER_ERROR_LIMIT, "the text has too many values");
    return limberi_fail_memory(scanner->error);
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
    uint32_t start = limberi_scan_place(scanner);
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
        } else if (c == '/' && scanner->hand_written) {
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

// A string is gone through twice: to see whether it is right and how long, and to copy it. Most have no escapes and are
// copied as they are.
typedef struct string_scan {
    char* out; // NULL: only count
    size_t length;
    bool plain;
} string_scan;

static void append_bytes(string_scan* s, const char* bytes, size_t count) {
    if (s->out)
        memcpy(s->out + s->length, bytes, count);
    s->length += count;
}

static void put_character(string_scan* s, uint32_t c) {
    char bytes[4];
    int tail = (c >= 0x80) + (c >= 0x800) + (c >= 0x10000); // bytes after the first
    static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};
    bytes[0] = (char)(leads[tail] | c >> (6 * tail));
    for (int i = 1; i <= tail; i++)
        bytes[i] = (char)(0x80 | (c >> (6 * (tail - i)) & 63));
    append_bytes(s, bytes, (size_t)tail + 1);
}

// Four hexadecimal digits, or -1.
static int32_t hex4(const limberi_scanner* scanner, const char* p) {
    int32_t value = 0;
    for (int i = 0; i < 4; i++, p++) {
        if (p >= scanner->end)
            return -1;
        char c = *p;
        if (c >= '0' && c <= '9')
            value = 16 * value + (c - '0');
        else if (c >= 'a' && c <= 'f')
            value = 16 * value + (c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            value = 16 * value + (c - 'A' + 10);
        else
            return -1;
    }
    return value;
}

// \u0041 or a pair such as \ud83d\ude00; `at` stands on the backslash.
static limber_result scan_unicode(limberi_scanner* scanner, string_scan* s) {
    uint32_t place = limberi_scan_place(scanner);
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
    if (c == 0 && scanner->hand_written)
        return limberi_scan_fail(scanner, place, "a string must not contain the character 0");
    put_character(s, (uint32_t)c);
    return LIMBER_OK;
}

static limber_result scan_escape(limberi_scanner* scanner, string_scan* s) {
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    char name = scanner->end - scanner->at >= 2 ? scanner->at[1] : 0;
    s->plain = false;
    if (name == 'u')
        return scan_unicode(scanner, s);
    const char* found = name ? strchr(names, name) : NULL;
    if (!found)
        return limberi_scan_fail(scanner, limberi_scan_place(scanner),
                                 "a backslash here needs one of \" \\ / b f n r t u after it");
    append_bytes(s, &values[found - names], 1);
    scanner->at += 2;
    return LIMBER_OK;
}

// As far as nothing has to be looked at closely.
static void skip_letters(limberi_scanner* scanner, string_scan* s) {
    const char* start = scanner->at;
    while (scanner->at < scanner->end && *scanner->at >= ' ' && *scanner->at < 127 && *scanner->at != '"' &&
           *scanner->at != '\\')
        scanner->at++;
    append_bytes(s, start, (size_t)(scanner->at - start));
}

// From behind the opening quote to the closing one.
static limber_result scan_characters(limberi_scanner* scanner, string_scan* s) {
    uint32_t start = limberi_scan_place(scanner) - 1;
    for (;;) {
        skip_letters(scanner, s);
        if (scanner->at >= scanner->end)
            return limberi_scan_fail(scanner, start, "the string that starts here has no closing quote");
        unsigned char c = (unsigned char)*scanner->at;
        if (c == '"')
            return LIMBER_OK;
        if (c == '\\') {
            limber_result result = scan_escape(scanner, s);
            if (result)
                return result;
            continue;
        }
        if (c == '\n' || c == '\r')
            return limberi_scan_fail(scanner, start, "the string that starts here has no closing quote on its line");
        int length = c < 32 ? 0 : limberi_utf8_length(scanner->at, scanner->end);
        if (!length)
            return limberi_scan_fail(scanner, limberi_scan_place(scanner),
                                     c < 32 ? "a control character inside a string" : "this is not UTF-8 text");
        append_bytes(s, scanner->at, (size_t)length);
        scanner->at += length;
    }
}

// Copies what scan_characters has been through.
static const char* copy_string(limberi_scanner* scanner, const char* start, const string_scan* seen) {
    string_scan copy = {limberi_json_allocate_text(scanner->json, seen->length + 1), 0, true};
    if (!copy.out)
        return NULL;
    if (seen->plain) {
        append_bytes(&copy, start, seen->length);
    } else {
        scanner->at = start;
        (void)!scan_characters(scanner, &copy); // it has been through, and ends where it did
    }
    copy.out[seen->length] = 0;
    return copy.out;
}

limber_result limberi_scan_string(limberi_scanner* scanner, const char** text, uint32_t* length) {
    const char* start = ++scanner->at;
    string_scan seen = {NULL, 0, true};
    limber_result result = scan_characters(scanner, &seen);
    if (result)
        return result;
    *text = copy_string(scanner, start, &seen);
    *length = (uint32_t)seen.length;
    scanner->at++;
    return *text ? LIMBER_OK : limberi_scan_fail_memory(scanner);
}

static uint32_t number_of_key(const char* key, size_t length) { // FNV-1a
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)key[i]) * 16777619u;
    return (hash ^ hash >> 16) % LIMBERI_KEYS_KNOWN;
}

limber_result limberi_scan_key(limberi_scanner* scanner, const char** key) {
    uint32_t place = limberi_scan_place(scanner);
    const char* start = ++scanner->at;
    string_scan seen = {NULL, 0, true};
    limber_result result = scan_characters(scanner, &seen);
    if (result)
        return result;
    const char** known = &scanner->known[number_of_key(start, (size_t)(scanner->at - start))];
    bool same = *known && seen.plain && strncmp(*known, start, seen.length) == 0 && !(*known)[seen.length];
    *key = same ? *known : copy_string(scanner, start, &seen);
    scanner->at++;
    if (!*key)
        return limberi_scan_fail_memory(scanner);
    if (strlen(*key) != seen.length)
        return limberi_scan_fail(scanner, place, "a key may not hold the character 0");
    *known = *key;
    return LIMBER_OK;
}

// --- numbers ---

static const char* skip_digits(const char* p, const char* end) {
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

// How far the number at `p` goes, NULL when it is none; *whole: without a point and an exponent.
static const char* end_of_number(const char* p, const char* end, bool* whole) {
    p += *p == '-';
    const char* digits = skip_digits(p, end);
    if (digits == p || (*p == '0' && digits - p > 1))
        return NULL;
    p = digits;
    *whole = true;
    if (p < end && *p == '.') {
        *whole = false;
        digits = skip_digits(p + 1, end);
        if (digits == p + 1)
            return NULL;
        p = digits;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        *whole = false;
        p++;
        p += p < end && (*p == '-' || *p == '+');
        digits = skip_digits(p, end);
        return digits == p ? NULL : digits;
    }
    return p;
}

// False when it does not fit.
static bool read_integer(const char* p, const char* end, int64_t* out) {
    bool negative = *p == '-';
    uint64_t value = 0;
    uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
    for (p += negative; p < end; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (value > (limit - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *out = negative && value ? -(int64_t)(value - 1) - 1 : (int64_t)value;
    return true;
}

limber_result limberi_scan_number(limberi_scanner* scanner, limberi_json* number) {
    uint32_t place = limberi_scan_place(scanner);
    const char* start = scanner->at;
    bool whole = false;
    const char* end = end_of_number(start, scanner->end, &whole);
    if (!end)
        return limberi_scan_fail(scanner, place, "numbers are written like 12, -0.5 or 3e-2");
    number->count = (uint32_t)(end - start);
    scanner->at = end;
    number->type = LIMBERI_JSON_INTEGER;
    if (whole && read_integer(start, end, &number->integer))
        return LIMBER_OK;
    number->type = LIMBERI_JSON_REAL;
    number->real = limberi_decimal_read(start, number->count);
    if (!isfinite(number->real) || (whole && !scanner->hand_written))
        return limberi_scan_fail(scanner, place, "this number is too large");
    return LIMBER_OK;
}
