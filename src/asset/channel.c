// Values of one animation channel between its keys, in double precision so that differences of nearby samples keep
// their digits.
#include "asset/channel.h"

#include <math.h>
#include <string.h>

uint32_t limberi_channel_width(const limber_channel* channel) {
    return channel->path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
}

size_t limberi_channel_numbers_per_key(const limber_model* model, const limber_channel* channel) {
    size_t width = limberi_channel_width(channel);
    if (channel->path == LIMBER_CHANNEL_WEIGHTS)
        width = model->meshes[channel->target].morph_count;
    return channel->interpolation == LIMBER_INTERPOLATION_CUBIC ? 3 * width : width;
}

bool limberi_channel_is_same(const limber_model* model, const limber_channel* a, const limber_channel* b) {
    if (a->values == b->values)
        return true;
    size_t numbers = limberi_channel_numbers_per_key(model, a) * a->key_count;
    return a->key_count == b->key_count && a->interpolation == b->interpolation &&
           !memcmp(a->times, b->times, a->key_count * sizeof *a->times) &&
           !memcmp(a->values, b->values, numbers * sizeof *a->values);
}

const float* limberi_channel_key(const limber_channel* channel, uint32_t key) {
    size_t width = limberi_channel_width(channel);
    if (channel->interpolation == LIMBER_INTERPOLATION_CUBIC)
        return channel->values + (3 * (size_t)key + 1) * width;
    return channel->values + key * width;
}

double limberi_quat_angle(const double* a, const double* b) {
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    double sum = 0;
    double difference = 0;
    for (int i = 0; i < 4; i++) {
        double other = dot < 0 ? -b[i] : b[i];
        sum += (a[i] + other) * (a[i] + other);
        difference += (a[i] - other) * (a[i] - other);
    }
    return 4 * atan2(sqrt(difference), sqrt(sum));
}

// Nearly all have unit length up to the rounding of a float; one step of Newton's method then leaves less than 1e-12.
static void normalize4(double* q) {
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(square > 1e-40)) {
        q[0] = q[1] = q[2] = 0;
        q[3] = 1;
        return;
    }
    double scale = fabs(square - 1) < 1e-6 ? 1.5 - 0.5 * square : 1 / sqrt(square);
    for (int i = 0; i < 4; i++)
        q[i] *= scale;
}

double limberi_small_asin(double x) {
    double u = x * x;
    return x * (1 + u * (1 / 6.0 + u * (3 / 40.0 + u * (5 / 112.0 + u * (35 / 1152.0 + u * (63 / 2816.0))))));
}

// In double precision for |x| < 0.15.
static double small_sin(double x) {
    double u = x * x;
    return x * (1 - u * (1 / 6.0 - u * (1 / 120.0 - u * (1 / 5040.0 - u * (1 / 362880.0)))));
}

// Keys are usually close together, where short series replace the slow sin and atan2.
static void slerp(const double* a, const double* b, double t, double* out) {
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    double side = dot < 0 ? -1 : 1;
    double chord = 0;
    for (int i = 0; i < 4; i++)
        chord += (a[i] - side * b[i]) * (a[i] - side * b[i]);
    double wa, wb;
    if (chord < 1e-12) { // chord and arc agree in double precision, and equal keys give exactly their value
        for (int i = 0; i < 4; i++)
            out[i] = a[i] + t * (side * b[i] - a[i]);
        return;
    }
    if (chord < 0.01) {
        double angle = 2 * limberi_small_asin(0.5 * sqrt(chord)); // between the quaternions as vectors
        double sine = small_sin(angle);
        wa = small_sin((1 - t) * angle) / sine;
        wb = small_sin(t * angle) / sine;
    } else {
        double angle = 0.5 * limberi_quat_angle(a, b);
        double sine = sin(angle);
        wa = sin((1 - t) * angle) / sine;
        wb = sin(t * angle) / sine;
    }
    for (int i = 0; i < 4; i++)
        out[i] = wa * a[i] + side * wb * b[i];
}

static bool is_between(const float* times, uint32_t key, double time_s) {
    return times[key] <= time_s && time_s < times[key + 1];
}

// Two guesses before the search: near the key that was asked for last (of the same clip, mostly), and where the key
// would be if all were evenly spaced.
static uint32_t guess_key(const float* times, uint32_t last, double time_s, uint32_t hint) {
    hint = hint < last ? hint : last - 1;
    if (is_between(times, hint, time_s))
        return hint;
    if (hint + 1 < last && is_between(times, hint + 1, time_s))
        return hint + 1;
    if (hint > 0 && is_between(times, hint - 1, time_s))
        return hint - 1;
    uint32_t even = (uint32_t)((time_s - times[0]) / ((double)times[last] - times[0]) * last);
    even = even < last ? even : last - 1;
    if (is_between(times, even, time_s))
        return even;
    uint32_t low = 0;
    uint32_t high = last;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (times[middle] <= time_s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t limberi_channel_find(const limber_channel* channel, double time_s, uint32_t hint, double* fraction) {
    const float* times = channel->times;
    uint32_t last = channel->key_count - 1;
    *fraction = 0;
    if (!(time_s > times[0]) || last == 0)
        return 0;
    if (time_s >= times[last])
        return last;
    uint32_t key = guess_key(times, last, time_s, hint);
    *fraction = (time_s - times[key]) / ((double)times[key + 1] - times[key]);
    return key;
}

// glTF's cubic spline: Hermite with tangents per second.
static double hermite(const float* a, const float* b, uint32_t width, uint32_t i, double step_s, double t) {
    double t2 = t * t;
    double t3 = t2 * t;
    double value = a[width + i];
    double out_tangent = a[2 * width + i];
    double in_tangent = b[i];
    double next = b[width + i];
    return value + ((3 * t2 - 2 * t3) * (next - value) + step_s * (t3 - 2 * t2 + t) * out_tangent +
                    step_s * (t3 - t2) * in_tangent);
}

void limberi_channel_sample(const limber_channel* channel, double time_s, uint32_t* hint, double* value) {
    double t;
    uint32_t key = limberi_channel_find(channel, time_s, *hint, &t);
    uint32_t width = limberi_channel_width(channel);
    *hint = key;
    const float* a = limberi_channel_key(channel, key);
    for (uint32_t i = 0; i < width; i++)
        value[i] = a[i];
    bool between = t > 0 && channel->interpolation != LIMBER_INTERPOLATION_STEP;
    if (between && channel->interpolation == LIMBER_INTERPOLATION_CUBIC) {
        const float* from = channel->values + 3 * (size_t)key * width;
        double step_s = (double)channel->times[key + 1] - channel->times[key];
        for (uint32_t i = 0; i < width; i++)
            value[i] = hermite(from, from + 3 * width, width, i, step_s, t);
    } else if (between) {
        double next[4];
        const float* b = limberi_channel_key(channel, key + 1);
        for (uint32_t i = 0; i < width; i++)
            next[i] = b[i];
        if (width == 4) {
            normalize4(value);
            normalize4(next);
            slerp(value, next, t, value);
            return; // between units
        } else {
            for (uint32_t i = 0; i < width; i++)
                value[i] += t * (next[i] - value[i]);
        }
    }
    if (width == 4)
        normalize4(value);
}

void limberi_channel_sample_weights(const limber_channel* channel, double time_s, uint32_t count, float* weights) {
    double t;
    uint32_t key = limberi_channel_find(channel, time_s, 0, &t);
    bool cubic = channel->interpolation == LIMBER_INTERPOLATION_CUBIC;
    const float* a = channel->values + (size_t)key * count * (cubic ? 3 : 1);
    double step_s = t > 0 ? (double)channel->times[key + 1] - channel->times[key] : 0;
    for (uint32_t i = 0; i < count; i++) {
        float value = cubic ? a[count + i] : a[i];
        if (t > 0 && cubic)
            value = (float)hermite(a, a + 3 * (size_t)count, count, i, step_s, t);
        else if (t > 0 && channel->interpolation == LIMBER_INTERPOLATION_LINEAR)
            value = (float)(value + t * (a[count + i] - value));
        weights[i] = value;
    }
}
