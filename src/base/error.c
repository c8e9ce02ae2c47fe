// Filling a limber_error without stdio, so that the core also compiles where there is none.
#include "base/error.h"

#include <math.h>
#include <string.h>

#define LIMBERI_STRING2(x) #x
#define LIMBERI_STRING(x) LIMBERI_STRING2(x)

const char* limber_version(void) {
    return LIMBERI_STRING(LIMBER_VERSION_MAJOR) "." LIMBERI_STRING(LIMBER_VERSION_MINOR) "." LIMBERI_STRING(
        LIMBER_VERSION_PATCH);
}

typedef struct writer {
    char* out;
    size_t size, length;
} writer;

static void put_char(writer* w, char c) {
    if (w->length + 1 < w->size)
        w->out[w->length++] = c;
}

static void put_string(writer* w, const char* s) {
    for (s = s ? s : "(null)"; *s; s++)
        put_char(w, *s);
}

static void put_unsigned(writer* w, unsigned long long value) {
    char digits[24];
    int count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count)
        put_char(w, digits[--count]);
}

static void put_signed(writer* w, long long value) {
    if (value < 0)
        put_char(w, '-');
    put_unsigned(w, value < 0 ? 0ull - (unsigned long long)value : (unsigned long long)value);
}

static double power_of_ten(int exponent) {
    static const double powers[] = {1e1, 1e2, 1e4, 1e8, 1e16, 1e32, 1e64, 1e128, 1e256};
    double power = 1;
    for (int bit = 0, rest = exponent < 0 ? -exponent : exponent; rest; bit++, rest >>= 1)
        power *= rest & 1 ? powers[bit] : 1;
    return power;
}

// Six significant digits; plain notation between 1e-4 and 1e9, else with an exponent.
static void put_real(writer* w, double value) {
    if (isnan(value)) {
        put_string(w, "nan");
        return;
    }
    if (value < 0)
        put_char(w, '-');
    value = fabs(value);
    if (isinf(value)) {
        put_string(w, "inf");
        return;
    }
    int exponent = 0;
    if (value > 0 && (value >= 1e9 || value < 1e-4)) {
        exponent = (int)floor(log10(value));
        value = exponent < 0 ? value * power_of_ten(exponent / 2) * power_of_ten(exponent - exponent / 2) // no overflow
                             : value / power_of_ten(exponent);
    }
    int decimals = 5;
    for (double v = value; v >= 10 && decimals > 0; v /= 10)
        decimals--;
    for (double v = value; v > 0 && v < 1 && decimals < 9; v *= 10)
        decimals++;
    double unit = power_of_ten(decimals);
    unsigned long long scaled = (unsigned long long)(value * unit + 0.5);
    unsigned long long whole = scaled / (unsigned long long)unit, rest = scaled % (unsigned long long)unit;
    put_unsigned(w, whole);
    if (rest) {
        put_char(w, '.');
        for (unsigned long long u = (unsigned long long)unit / 10; rest; u /= 10) {
            put_char(w, (char)('0' + rest / u));
            rest %= u;
        }
    }
    if (exponent) {
        put_char(w, 'e');
        put_signed(w, exponent);
    }
}

static const char* put_conversion(writer* w, const char* p, va_list* arguments) {
    switch (*p) {
    case 's':
        put_string(w, va_arg(*arguments, const char*));
        break;
    case 'c':
        put_char(w, (char)va_arg(*arguments, int));
        break;
    case 'd':
        put_signed(w, va_arg(*arguments, int));
        break;
    case 'u':
        put_unsigned(w, va_arg(*arguments, unsigned));
        break;
    case 'g':
        put_real(w, va_arg(*arguments, double));
        break;
    case 'z':
        put_unsigned(w, va_arg(*arguments, size_t));
        p += p[1] == 'u';
        break;
    case 'l':
        put_unsigned(w, va_arg(*arguments, unsigned long long));
        p += strncmp(p, "llu", 3) == 0 ? 2 : 0;
        break;
    default:
        put_char(w, *p);
        break;
    }
    return p;
}

void limberi_format_list(char* out, size_t size, const char* format, va_list arguments) {
    writer w = {out, size, 0};
    va_list rest;
    va_copy(rest, arguments);
    for (const char* p = format; *p; p++) {
        if (*p == '%' && p[1])
            p = put_conversion(&w, p + 1, &rest);
        else
            put_char(&w, *p);
    }
    va_end(rest);
    if (size)
        out[w.length] = 0;
}

void limberi_format(char* out, size_t size, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    limberi_format_list(out, size, format, arguments);
    va_end(arguments);
}

limber_result limberi_fail(limber_error* error, limber_result result, const char* format, ...) {
    if (!error)
        return result;
    error->result = result;
    error->place[0] = error->detail[0] = 0;
    va_list arguments;
    va_start(arguments, format);
    limberi_format_list(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return result;
}

limber_result limberi_fail_absent(limber_error* error, const char* what) {
    return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "limber/light has no %s; use the whole module", what);
}

limber_result limberi_fail_memory(limber_error* error) {
    return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory");
}

void limberi_error_empty(limber_error* error) {
    if (error)
        memset(error, 0, sizeof *error);
}

limber_result limberi_error_fill(limber_error* error, limber_result result) {
    if (result == LIMBER_OK || !error || error->message[0])
        return result;
    if (result == LIMBER_ERROR_MEMORY)
        return limberi_fail_memory(error);
    return limberi_fail(error, result,
                        result == LIMBER_ERROR_LIMIT ? "a clip is too long to filter its motion: too many samples"
                                                     : "a frame cannot be evaluated");
}

limber_result limberi_at(limber_error* error, limber_result result, const char* format, ...) {
    if (!error)
        return result;
    va_list arguments;
    va_start(arguments, format);
    limberi_format_list(error->place, sizeof error->place, format, arguments);
    va_end(arguments);
    return result;
}
