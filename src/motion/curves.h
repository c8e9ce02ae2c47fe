// Derivatives of an animation curve itself, in place of differences between its values (velocity skinning, section 3.2).
#ifndef LIMBERI_MOTION_CURVES_H
#define LIMBERI_MOTION_CURVES_H

#include <limber/asset.h>

enum { LIMBERI_BEFORE = 1, LIMBERI_AFTER = 2 }; // sides of a key

// A moment closer to a key than this part of the way to the next one is the key.
#define LIMBERI_KEY_SNAP 1e-3

// First and second derivative of a translation, or angular velocity and its change of a rotation (on the left, like
// log(q(t + h) q(t)^-1) / h), in the middle between the sides that count where there is a kink: at keys.
void limberi_curve_slope(const limber_channel* channel, double time_s, unsigned sides, double* first, double* second);

#endif
