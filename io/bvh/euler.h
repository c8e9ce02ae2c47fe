// Rotations as the three angles of a BVH joint.
#ifndef LIMBERI_BVH_EULER_H
#define LIMBERI_BVH_EULER_H

#include <stdbool.h>
#include <stdint.h>

// The angles (degrees) about axes[0], axes[1], axes[2] (0, 1, 2: x, y, z), applied from left to right, that make the
// unit quaternion q (x, y, z, w). No axis equals the one before it; the first may equal the last.
//
// Of the many triples that do, this is the one nearest to `angles`, the triple of the frame before, which it replaces:
// so angles run on past 180 degrees and do not jump over a gimbal lock. Of a joint that has only `kept` channels, the
// triple is preferred that leaves the others at 0.
void limberi_bvh_euler(const double* q, const uint8_t* axes, uint32_t kept, double* angles);

// q becomes q times the turn about an axis.
void limberi_bvh_turn(double* q, int axis, double degrees);

#endif
