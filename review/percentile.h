// Percentiles of numbers, interpolated between neighbors in their order.
#ifndef LIMBERI_PERCENTILE_H
#define LIMBERI_PERCENTILE_H

#include <stddef.h>

// `percent` 0 ... 100; 0 where there are no values. Puts the values into another order; none may be NaN.
double limberi_percentile(float* values, size_t count, double percent);

#endif
