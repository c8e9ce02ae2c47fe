// Doubles from decimal digits and back, exactly rounded, with a '.' in every locale: what strtod and printf's "%.17g"
// do in the "C" locale, for a library that may not depend on either.
#ifndef LIMBERI_DECIMAL_H
#define LIMBERI_DECIMAL_H

#include <stddef.h>

enum { LIMBERI_DECIMAL_CHARS = 32, LIMBERI_DECIMAL_DIGITS = 17 }; // 17 digits give every double back

// The double nearest to "-12.5e3": digits, which may have a point among them, and an exponent. The caller has checked
// that this is what stands there. Infinite when it is too large.
double limberi_decimal_read(const char* text, size_t length);

// At most `digits` (1 to 17) significant ones, as "%.*g" writes them. Needs LIMBERI_DECIMAL_CHARS, terminates, returns
// the length. `value` is finite.
size_t limberi_decimal_format(double value, int digits, char* out);

// As few digits, from 15 to 17, as give the same double back: 0.15, not 0.14999999999999999.
size_t limberi_decimal_format_short(double value, char* out);

#endif
