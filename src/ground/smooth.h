// 0 below `low`, 1 above `high`, and a continuous slope between them.
#ifndef LIMBERI_SMOOTH_H
#define LIMBERI_SMOOTH_H

#include <math.h>

static inline double limberi_smooth_step(double low, double high, double x) {
    double t = fmin(fmax((x - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

#endif
