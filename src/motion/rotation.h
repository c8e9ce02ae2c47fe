// Rotation vectors between quaternions in double precision, along the shortest arc.
#ifndef LIMBERI_ROTATION_H
#define LIMBERI_ROTATION_H

// log(b * inverse(a)) as a rotation vector, for unit quaternions x, y, z, w.
void limberi_rotation_between(const double* a, const double* b, double* vector);

#endif
