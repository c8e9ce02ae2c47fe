// Derivatives of an animation curve itself, in place of differences between its values (velocity skinning, section
// 3.2), and the rotation vector between two rotations.
#include "asset/channel.h"
#include "base/turns.h"
#include "motion/kinematics.h"

#include <math.h>
#include <string.h>

// --- between two rotations ---

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

// --- between two keys ---

// Hermite with tangents per second, as asset/channel.c has it: value, first and second derivative.
static void differentiate_spline(const limber_channel* channel, uint32_t key, double t, double (*out)[4]) {
    uint32_t width = limberi_channel_width(channel);
    const float* a = channel->values + 3 * (size_t)key * width;
    const float* b = a + 3 * (size_t)width;
    double step_s = (double)channel->times[key + 1] - channel->times[key];
    for (uint32_t i = 0; i < width; i++) {
        double value = a[width + i];
        double way = (double)b[width + i] - value;
        double leaves = step_s * (double)a[2 * width + i];
        double arrives = step_s * (double)b[i];
        out[0][i] = value + (3 - 2 * t) * t * t * way + ((t - 2) * t + 1) * t * leaves + (t - 1) * t * t * arrives;
        out[1][i] = (6 * (1 - t) * t * way + ((3 * t - 4) * t + 1) * leaves + (3 * t - 2) * t * arrives) / step_s;
        out[2][i] = ((6 - 12 * t) * way + (6 * t - 4) * leaves + (6 * t - 2) * arrives) / (step_s * step_s);
    }
}

// The vector part of a times the conjugate of b.
static void turn_from(const double* a, const double* b, double* out) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        int k = (i + 2) % 3;
        out[i] = b[3] * a[i] - a[3] * b[i] - (a[j] * b[k] - a[k] * b[j]);
    }
}

// Of q = p / |p|: w = 2 vec(p' p*) / |p|^2, and w' = 2 vec(p'' p*) / |p|^2 - 2 w (p . p') / |p|^2.
static void turn_spline(double (*p)[4], double* first, double* second) {
    double square = limberi_dot4(p[0], p[0]);
    double scale = square > 1e-30 ? 1 / square : 0;
    turn_from(p[1], p[0], first);
    turn_from(p[2], p[0], second);
    for (int i = 0; i < 3; i++) {
        first[i] *= 2 * scale;
        second[i] = 2 * scale * (second[i] - first[i] * limberi_dot4(p[0], p[1]));
    }
}

static void differentiate_line(const limber_channel* channel, uint32_t key, double* first) {
    const float* a = limberi_channel_key(channel, key);
    const float* b = limberi_channel_key(channel, key + 1);
    double per_step = 1 / ((double)channel->times[key + 1] - channel->times[key]);
    double from[4];
    double to[4];
    if (channel->path == LIMBER_CHANNEL_ROTATION) {
        uint32_t hint = key; // sampling normalizes
        limberi_channel_sample(channel, channel->times[key], &hint, from);
        limberi_channel_sample(channel, channel->times[key + 1], &hint, to);
        limberi_rotation_between(from, to, first);
    }
    for (int i = 0; i < 3; i++)
        first[i] = (channel->path == LIMBER_CHANNEL_ROTATION ? first[i] : (double)b[i] - (double)a[i]) * per_step;
}

// Adds the derivatives on the way from a key to the next one.
static void add_segment(const limber_channel* channel, uint32_t key, double t, double share, double* first,
                        double* second) {
    double p[3][4];
    double v[3] = {0, 0, 0};
    double a[3] = {0, 0, 0};
    if (channel->interpolation == LIMBER_INTERPOLATION_LINEAR) {
        differentiate_line(channel, key, v);
    } else if (channel->interpolation == LIMBER_INTERPOLATION_CUBIC) {
        differentiate_spline(channel, key, t, p);
        memcpy(v, p[1], sizeof v);
        memcpy(a, p[2], sizeof a);
        if (channel->path == LIMBER_CHANNEL_ROTATION)
            turn_spline(p, v, a);
    }
    for (int i = 0; i < 3; i++) {
        first[i] += share * v[i];
        second[i] += share * a[i];
    }
}

// --- at any time ---

// Before its first key and after its last one a curve stands still.
void limberi_curve_slope(const limber_channel* channel, double time_s, unsigned sides, double* first, double* second) {
    double t;
    double share = sides == (LIMBERI_BEFORE | LIMBERI_AFTER) ? 0.5 : 1;
    uint32_t last = channel->key_count - 1;
    uint32_t key = limberi_channel_find(channel, time_s, 0, &t);
    for (int i = 0; i < 3; i++)
        first[i] = second[i] = 0;
    bool outside = time_s < channel->times[0] || time_s > channel->times[last];
    if (outside && fabs(time_s - channel->times[key]) > 1e-6)
        return;
    if (t > LIMBERI_KEY_SNAP && t < 1 - LIMBERI_KEY_SNAP) {
        add_segment(channel, key, t, 1, first, second);
        return;
    }
    key += t > 0.5;
    if (sides & LIMBERI_BEFORE && key > 0)
        add_segment(channel, key - 1, 1, share, first, second);
    if (sides & LIMBERI_AFTER && key < last)
        add_segment(channel, key, 0, share, first, second);
}
