// Values of one animation channel between its keys, in double precision so that differences of nearby samples keep
// their digits.
#ifndef LIMBERI_CHANNEL_H
#define LIMBERI_CHANNEL_H

#include <limber/asset.h>

// The key at or before `time_s` and how far (0 ... 1) it is on the way to the next one. `hint` is a key that may be
// near.
uint32_t limberi_channel_find(const limber_channel* channel, double time_s, uint32_t hint, double* fraction);

// One value (3 or 4 numbers) of a translation, rotation or scale channel. Rotations come out normalised. `hint` is a
// key that may be near, 0 at first, and comes back as the one that was: channels of a clip have their keys alike.
void limberi_channel_sample(const limber_channel* channel, double time_s, uint32_t* hint, double* value);

// Morph weights: `count` numbers.
void limberi_channel_sample_weights(const limber_channel* channel, double time_s, uint32_t count, float* weights);

// The value stored at a key, without its tangents.
const float* limberi_channel_key(const limber_channel* channel, uint32_t key);

// Numbers per key value: 3, or 4 for rotations.
uint32_t limberi_channel_width(const limber_channel* channel);
// Numbers per key of any channel, morph weights too, with the tangents of splines.
size_t limberi_channel_numbers_per_key(const limber_model* model, const limber_channel* channel);

// Whether two channels have the same keys.
bool limberi_channel_is_same(const limber_model* model, const limber_channel* a, const limber_channel* b);

// Angle of the rotation that leads from a to b, the short way.
double limberi_quat_angle(const double* a, const double* b);
// asin in double precision for |x| < 0.06.
double limberi_small_asin(double x);

#endif
