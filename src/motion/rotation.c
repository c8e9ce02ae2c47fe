// Rotation vectors between quaternions in double precision, along the shortest arc.
#include "motion/rotation.h"
#include "asset/channel.h"

#include <math.h>

void limberi_rotation_between(const double* a, const double* b, double* vector) {
    double x = -b[3] * a[0] + b[0] * a[3] - b[1] * a[2] + b[2] * a[1];
    double y = -b[3] * a[1] + b[0] * a[2] + b[1] * a[3] - b[2] * a[0];
    double z = -b[3] * a[2] - b[0] * a[1] + b[1] * a[0] + b[2] * a[3];
    double w = b[3] * a[3] + b[0] * a[0] + b[1] * a[1] + b[2] * a[2];
    double sine = sqrt(x * x + y * y + z * z);
    double angle = 2 * (sine < 0.06 ? limberi_small_asin(sine) : atan2(sine, fabs(w)));
    double scale = sine > 1e-12 ? angle / sine : 2;
    if (w < 0)
        scale = -scale;
    vector[0] = x * scale;
    vector[1] = y * scale;
    vector[2] = z * scale;
}
