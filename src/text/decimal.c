// Numbers from decimal digits and back, with a '.' in every locale. Doubles are exactly rounded: what strtod and printf's
// "%.17g" do in the "C" locale, for a library that may not depend on either. Floats have their own way, which is quick.
#include "text/text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// --- integers of any length ---

// The halfway point between two doubles has at most 767 significant digits: with one more to say whether others follow,
// every decimal number falls on the right side of it.
enum { DIGITS_READ = 768, LIMBS = 128 };

static const uint32_t five_to_13 = 1220703125; // the largest power of five in 32 bits

typedef struct big {
    uint32_t limbs[LIMBS]; // the lowest first
    uint32_t count;        // without zeros at the upper end
} big;

static big big_of(uint64_t value) {
    big n;
    n.limbs[0] = (uint32_t)value;
    n.limbs[1] = (uint32_t)(value >> 32);
    n.count = value >> 32 ? 2 : value != 0;
    return n;
}

static void multiply_add(big* n, uint32_t factor, uint32_t addend) {
    uint64_t carry = addend;
    for (uint32_t i = 0; i < n->count; i++) {
        carry += (uint64_t)n->limbs[i] * factor;
        n->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        n->limbs[n->count++] = (uint32_t)carry;
}

// Returns whether something is left over.
static bool divide(big* n, uint32_t divisor) {
    uint64_t rest = 0;
    for (uint32_t i = n->count; i-- > 0;) {
        rest = rest << 32 | n->limbs[i];
        n->limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (n->count && !n->limbs[n->count - 1])
        n->count--;
    return rest != 0;
}

static uint32_t power_of_five(int exponent) {
    uint32_t power = 1;
    for (; exponent > 0; exponent--)
        power *= 5;
    return power;
}

static void multiply_by_fives(big* n, int count) {
    for (; count > 13; count -= 13)
        multiply_add(n, five_to_13, 0);
    multiply_add(n, power_of_five(count), 0);
}

static bool divide_by_fives(big* n, int count) {
    bool rest = false;
    for (; count > 13; count -= 13)
        rest = divide(n, five_to_13) || rest;
    return divide(n, power_of_five(count)) || rest;
}

static void shift_left(big* n, int bits) {
    uint32_t whole = (uint32_t)bits / 32;
    multiply_add(n, (uint32_t)1 << bits % 32, 0);
    if (!whole || !n->count)
        return;
    memmove(n->limbs + whole, n->limbs, n->count * sizeof *n->limbs);
    memset(n->limbs, 0, whole * sizeof *n->limbs);
    n->count += whole;
}

static int bit_count(const big* n) {
    int bits = 32 * (int)n->count;
    for (uint32_t top = n->count ? n->limbs[n->count - 1] : 0; top && !(top >> 31); top <<= 1)
        bits--;
    return bits;
}

static uint32_t limb_at(const big* n, uint32_t index) {
    return index < n->count ? n->limbs[index] : 0;
}

// n / 2^bits, which fits into 64 bits; *rest says whether something is left over.
static uint64_t shifted_right(const big* n, int bits, bool* rest) {
    uint32_t whole = (uint32_t)bits / 32;
    uint32_t part = (uint32_t)bits % 32;
    for (uint32_t i = 0; i < whole && i < n->count; i++)
        *rest = *rest || n->limbs[i];
    uint32_t lowest = limb_at(n, whole);
    *rest = *rest || (part && lowest << (32 - part));
    uint64_t value = (uint64_t)limb_at(n, whole + 1) << 32 | lowest;
    return part ? value >> part | (uint64_t)limb_at(n, whole + 2) << (64 - part) : value;
}

// Half of `doubled`, to the nearest and on a tie to the even one.
static uint64_t round_half(uint64_t doubled, bool rest) {
    uint64_t half = doubled >> 1;
    return half + (doubled & 1 && (rest || half & 1));
}

// --- reading ---

// n * 2^exponent and, when `rest`, something less than one more n.
static double nearest(const big* n, int exponent, bool rest) {
    int bits = bit_count(n);
    int lowest = bits - DBL_MANT_DIG + exponent;
    lowest = lowest < DBL_MIN_EXP - DBL_MANT_DIG ? DBL_MIN_EXP - DBL_MANT_DIG : lowest;
    int drop = lowest - exponent;
    if (drop <= 0) // nothing is left over either: those who divide keep more bits
        return ldexp((double)shifted_right(n, 0, &rest), exponent);
    if (drop > bits + 1)
        return 0;
    uint64_t doubled = shifted_right(n, drop - 1, &rest);
    return ldexp((double)round_half(doubled, rest), lowest);
}

// n * 10^exponent. Uses n up.
static double exactly_scaled(big* n, int exponent) {
    if (exponent >= 0) {
        multiply_by_fives(n, exponent);
        return nearest(n, exponent, false);
    }
    int fives = -exponent;
    int bits_of_fives = (int)(fives * 2.33) + 1; // log2(5) is 2.32
    int shift = 66 + bits_of_fives - bit_count(n);
    shift = shift > 0 ? shift : 0;
    shift_left(n, shift);
    bool rest = divide_by_fives(n, fives);
    return nearest(n, exponent - shift, rest);
}

typedef struct decimal {
    big digits;
    uint64_t first; // the first 18 digits, for the quick way
    int used, exponent;
    uint32_t pending; // up to nine digits on their way into `digits`
    int pending_count;
    bool negative, fraction, beyond; // beyond: a digit that is not 0 came when there was no room
} decimal;

static int read_exponent(const char* text, const char* end) {
    int value = 0;
    bool negative = text < end && *text == '-';
    for (text += text < end && (*text == '-' || *text == '+'); text < end; text++)
        value = value < 100000000 ? 10 * value + (*text - '0') : value;
    return negative ? -value : value;
}

static void add_pending(decimal* d) {
    static const uint32_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
    uint32_t scale = tens[d->pending_count];
    if (d->used + d->pending_count <= 18)
        d->first = d->first * scale + d->pending;
    multiply_add(&d->digits, scale, d->pending);
    d->used += d->pending_count;
    d->pending = 0;
    d->pending_count = 0;
}

// Zeros in front count for nothing. Digits beyond DIGITS_READ only matter by being there.
static void add_digit(decimal* d, uint32_t digit) {
    bool started = d->used || d->pending_count || digit;
    bool room = d->used + d->pending_count < DIGITS_READ;
    d->beyond = d->beyond || (!room && digit);
    d->exponent += d->fraction ? -(int)(room || !started) : !room;
    if (!started || !room)
        return;
    d->pending = 10 * d->pending + digit;
    if (++d->pending_count == 9)
        add_pending(d);
}

static void split(const char* text, size_t length, decimal* d) {
    const char* end = text + length;
    d->digits.count = 0; // the rest of it stays as it is: clearing it would take longer than reading
    d->first = 0;
    d->used = d->exponent = d->pending_count = 0;
    d->pending = 0;
    d->negative = *text == '-';
    d->fraction = d->beyond = false;
    for (text += d->negative; text < end && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.')
            d->fraction = true;
        else
            add_digit(d, (uint32_t)(*text - '0'));
    }
    add_pending(d);
    if (d->beyond) { // they become one digit 1
        multiply_add(&d->digits, 10, 1);
        d->exponent--;
    }
    if (text < end)
        d->exponent += read_exponent(text + 1, end);
}

// Up to 1e22 exact, beyond that within half a unit in the last place.
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27,
                                1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38, 1e39, 1e40, 1e41,
                                1e42, 1e43, 1e44, 1e45, 1e46, 1e47, 1e48, 1e49, 1e50, 1e51, 1e52, 1e53};

double limberi_decimal_read(const char* text, size_t length) {
    decimal d;
    split(text, length, &d);
    double value;
    int exponent = d.exponent;
    int size = exponent + d.used;
    if (!d.used || size < -400) // every digit of zero is in front
        value = 0;
    else if (size > 400)
        value = HUGE_VAL;
    else if (FLT_EVAL_METHOD == 0 && d.used <= 15 && exponent >= -22 &&
             exponent <= 22) // two exact numbers: one rounding
        value = exponent < 0 ? (double)d.first / powers[-exponent] : (double)d.first * powers[exponent];
    else
        value = exactly_scaled(&d.digits, exponent);
    return d.negative ? -value : value;
}

// --- writing ---

// value * 10^scale to the nearest whole number; value is positive and the result fits.
static uint64_t scaled_to_integer(double value, int scale) {
    int exponent;
    double fraction = frexp(value, &exponent);
    big n = big_of((uint64_t)ldexp(fraction, DBL_MANT_DIG));
    bool rest = false;
    int shift = exponent - DBL_MANT_DIG + scale + 1; // one bit more than asked for tells how to round
    if (scale >= 0)
        multiply_by_fives(&n, scale);
    if (shift > 0)
        shift_left(&n, shift);
    if (scale < 0)
        rest = divide_by_fives(&n, -scale);
    uint64_t doubled = shifted_right(&n, shift < 0 ? -shift : 0, &rest); // which may also set `rest`
    return round_half(doubled, rest);
}

// The digits as a whole number, and the power of ten of the first.
static uint64_t leading_digits(double value, int digits, int* power) {
    uint64_t end = 1;
    for (int i = 0; i < digits; i++)
        end *= 10;
    *power = (int)floor(log10(value)); // or one beside it
    uint64_t whole = scaled_to_integer(value, digits - 1 - *power);
    if (whole >= end)
        return scaled_to_integer(value, digits - 1 - ++*power);
    uint64_t finer = whole <= end / 10 ? scaled_to_integer(value, digits - *power) : end;
    *power -= finer < end;
    return finer < end ? finer : whole;
}

static char* put_text(char* out, const char* text, int count) {
    memcpy(out, text, (size_t)count);
    return out + count;
}

static char* put_exponent(char* out, int power, bool padded) {
    *out++ = 'e';
    *out++ = power < 0 ? '-' : '+';
    power = power < 0 ? -power : power;
    if (power >= 100)
        *out++ = (char)('0' + power / 100);
    if (power >= 10 || padded)
        *out++ = (char)('0' + power / 10 % 10);
    *out++ = (char)('0' + power % 10);
    return out;
}

// `count` digits, the first of which stands for 10^power; at most `digits` stand before the point. `padded`: as "%g",
// whose exponents have two digits and begin at 1e-5; else they are as short as can be and begin at 1e-6.
static inline char* place_point(char* out, const char* text, int count, int power, int digits, bool padded) {
    if (power < (padded ? -4 : -5) || power >= digits) {
        *out++ = text[0];
        if (count > 1)
            *out++ = '.';
        return put_exponent(put_text(out, text + 1, count - 1), power, padded);
    }
    if (power < 0) {
        out = put_text(out, "0.0000", 1 - power);
        return put_text(out, text, count);
    }
    int before = power + 1;
    if (count <= before)
        return put_text(put_text(out, text, count), "0000000000000000", before - count);
    out = put_text(out, text, before);
    *out++ = '.';
    return put_text(out, text + before, count - before);
}

static size_t put_digits(double value, uint64_t whole, int digits, int power, char* out) {
    char* p = out;
    char text[LIMBERI_DECIMAL_DIGITS];
    int count = digits;
    if (signbit(value))
        *p++ = '-';
    for (char* digit = text + digits; digit > text; whole /= 10)
        *--digit = (char)('0' + whole % 10);
    while (count > 1 && text[count - 1] == '0')
        count--;
    p = place_point(p, text, count, power, digits, true);
    *p = 0;
    return (size_t)(p - out);
}

size_t limberi_decimal_format(double value, int digits, char* out) {
    int power = 0;
    uint64_t whole = value != 0 ? leading_digits(fabs(value), digits, &power) : 0;
    return put_digits(value, whole, digits, power, out);
}

// Half the distance to the next double, in units of the last of LIMBERI_DECIMAL_DIGITS digits; 0: not easily told.
static double half_step(double value, int power) {
    int exponent;
    int digits = LIMBERI_DECIMAL_DIGITS - 1 - power;
    double fraction = fabs(frexp(value, &exponent));
    if (!(fraction > 0.5) || digits < -22 || digits > 44) // after 0.5 the next one below is nearer
        return 0;
    double unit = digits < 0 ? 1 / powers[-digits] : powers[digits > 22 ? 22 : digits];
    if (digits > 22)
        unit *= powers[digits - 22];
    return ldexp(unit, exponent - DBL_MANT_DIG - 1);
}

// What was written with up to 15 digits comes back as it was. All digits tell mostly whether fewer would do; where they
// do not, reading them does.
size_t limberi_decimal_format_short(double value, char* out) {
    int power = 0;
    uint64_t whole = value != 0 ? leading_digits(fabs(value), LIMBERI_DECIMAL_DIGITS, &power) : 0;
    double half = value != 0 ? half_step(value, power) : 0;
    double rounded = 0.51;                    // how far `whole` is off
    const uint64_t end = 100000000000000000u; // 17 digits are less
    uint64_t unit = 100;
    for (int digits = 15; digits < LIMBERI_DECIMAL_DIGITS; digits++, unit /= 10) {
        uint64_t rest = whole % unit;
        uint64_t fewer = whole / unit + (rest > unit / 2);
        double off = (double)(rest < unit / 2 ? rest : unit - rest);
        if (half > 0 && off > half + rounded)
            continue;
        if (off < half - rounded && rest != unit / 2 && fewer * unit < end)
            return put_digits(value, fewer, digits, power, out);
        size_t length = limberi_decimal_format(value, digits, out);
        if (limberi_decimal_read(out, length) == value)
            return length;
    }
    return put_digits(value, whole, LIMBERI_DECIMAL_DIGITS, power, out);
}

// --- floats and counts, quickly ---

enum { FLOAT_DIGITS = 9 }; // enough for every float32 to read back as itself

static double scale_by_ten(double value, int exponent) {
    return exponent >= 0 ? value * powers[exponent] : value / powers[-exponent];
}

// floor(log10(value)) or one less, from the binary exponent: 1233 / 4096 is log10(2) to 5e-6. The 64 keep the division
// on positive numbers, where it rounds down.
static int decimal_exponent(float value, uint32_t bits) {
    int biased = (int)(bits >> 23);
    int binary = biased ? biased - 127 : ilogbf(value);
    return (binary * 1233 + 64 * 4096) / 4096 - 64;
}

// The roundest integer within `room` of `scaled`, which has FLOAT_DIGITS digits. A normal float32 has between 3 and 60 units
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
    int shift = FLOAT_DIGITS - 1 - decimal_exponent(positive, bits);
    double scaled = scale_by_ten(positive, shift);
    if (scaled >= powers[FLOAT_DIGITS])
        scaled = scale_by_ten(positive, --shift);
    // The neighbour below is never farther than the one above; the rest of the factor is a margin against rounding.
    double room = scale_by_ten((double)positive - (double)neighbour_below(positive, bits), shift) * 0.499999;

    char digits[12];
    char* end = digits + sizeof digits;
    const char* first = put_digits_before(end, roundest_near(scaled, room));
    int power = (int)(end - first) - shift - 1;
    while (end[-1] == '0')
        end--;
    return (size_t)(place_point(p, first, (int)(end - first), power, FLOAT_DIGITS, false) - out);
}
