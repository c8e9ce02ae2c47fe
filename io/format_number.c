// Numbers to text, independent of the locale.
#include "io/out.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 9 }; // enough for every float32 to read back as itself

// Up to 1e22 exact, beyond that within half a unit in the last place.
static const double powers_of_ten[] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35,
    1e36, 1e37, 1e38, 1e39, 1e40, 1e41, 1e42, 1e43, 1e44, 1e45, 1e46, 1e47, 1e48, 1e49, 1e50, 1e51, 1e52, 1e53};

static double scale_by_ten(double value, int exponent) {
    return exponent >= 0 ? value * powers_of_ten[exponent] : value / powers_of_ten[-exponent];
}

// floor(log10(value)) or one less, from the binary exponent: 1233 / 4096 is log10(2) to 5e-6. The 64 keep the division
// on positive numbers, where it rounds down.
static int decimal_exponent(float value, uint32_t bits) {
    int biased = (int)(bits >> 23);
    int binary = biased ? biased - 127 : ilogbf(value);
    return (binary * 1233 + 64 * 4096) / 4096 - 64;
}

// The roundest integer within `room` of `scaled`, which has DIGITS digits. A normal float32 has between 3 and 60 units
// of room there, so if a multiple of a higher power of ten is in reach, it is also the nearest multiple of 1000.
static uint32_t roundest_near(double scaled, double room) {
    static const struct {
        uint32_t unit;
        double share;
    } roundings[] = {{1000, 1e-3}, {100, 1e-2}, {10, 1e-1}};
    for (int i = 0; i < 3; i++) {
        uint32_t candidate = (uint32_t)(scaled * roundings[i].share + 0.5) * roundings[i].unit;
        if (fabs(candidate - scaled) < room)
            return candidate;
    }
    return (uint32_t)(scaled + 0.5);
}

// Two digits per division: half of the time of a text format goes here.
static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                            "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

// Writes the digits so that they end before `end`, and returns where they begin.
static char* put_digits_before(char* end, uint32_t value) {
    for (; value >= 100; value /= 100)
        memcpy(end -= 2, pairs + 2 * (value % 100), 2);
    if (value >= 10)
        return memcpy(end - 2, pairs + 2 * value, 2);
    *--end = (char)('0' + value);
    return end;
}

size_t limberi_unsigned_format(uint32_t value, char* out) {
    char digits[LIMBERI_UNSIGNED_CHARS];
    char* first = put_digits_before(digits + sizeof digits, value);
    size_t count = (size_t)(digits + sizeof digits - first);
    memcpy(out, first, count);
    return count;
}

static char* put_zeros(char* p, int count) {
    for (; count > 0; count--)
        *p++ = '0';
    return p;
}

static char* put_text(char* p, const char* text, int count) {
    memcpy(p, text, (size_t)count);
    return p + count;
}

static char* put_exponent(char* p, const char* digits, int count, int exponent) {
    *p++ = digits[0];
    if (count > 1)
        *p++ = '.';
    p = put_text(p, digits + 1, count - 1);
    *p++ = 'e';
    *p++ = exponent < 0 ? '-' : '+';
    return p + limberi_unsigned_format((uint32_t)(exponent < 0 ? -exponent : exponent), p);
}

// `point` is where the decimal point goes, counted from the first digit. Plain between 1e-5 and 1e9, as %.9g does.
static char* put_placed(char* p, const char* digits, int count, int point) {
    if (point > DIGITS || point < -4)
        return put_exponent(p, digits, count, point - 1);
    if (point >= count)
        return put_zeros(put_text(p, digits, count), point - count);
    if (point > 0) {
        p = put_text(p, digits, point);
        *p++ = '.';
        return put_text(p, digits + point, count - point);
    }
    p = put_zeros(put_text(p, "0.", 2), -point);
    return put_text(p, digits, count);
}

static float neighbour_below(float positive, uint32_t bits) {
    bits--;
    memcpy(&positive, &bits, sizeof positive);
    return positive;
}

// All in double: scaling to nine digits errs by less than 1e-6 of a unit, against 3 units of room (roundest_near).
size_t limberi_float_format(float value, char* out) {
    char* p = out;
    if (value < 0)
        *p++ = '-';
    float positive = fabsf(value);
    if (positive == 0) {
        *out = '0';
        return 1;
    }
    uint32_t bits;
    memcpy(&bits, &positive, sizeof bits);
    int shift = DIGITS - 1 - decimal_exponent(positive, bits);
    double scaled = scale_by_ten(positive, shift);
    if (scaled >= powers_of_ten[DIGITS])
        scaled = scale_by_ten(positive, --shift);
    // The neighbour below is never farther than the one above; the rest of the factor is a margin against rounding.
    double room = scale_by_ten((double)positive - (double)neighbour_below(positive, bits), shift) * 0.499999;

    char digits[12];
    char* end = digits + sizeof digits;
    const char* first = put_digits_before(end, roundest_near(scaled, room));
    int point = (int)(end - first) - shift;
    while (end[-1] == '0')
        end--;
    return (size_t)(put_placed(p, first, (int)(end - first), point) - out);
}
