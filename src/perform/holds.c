// Poses on ones, twos and threes.
#include "perform/holds.h"

static const double frame_rate = 24;
static const double frame_snap = 1e-3; // of a frame: a time this much before one is on it
static const double key_gap_s = 1e-4;  // before the next hold; shorter than any frame, ...
static const double key_gap = 5e-7;    // ... and of the time: longer than the rounding of a 32-bit one
static const double fast = 1.1;        // body heights per second: above, each frame has a pose of its own
static const double slow = 0.22;       // below, a pose stays for three frames
static const double travels = 0.5;

static uint32_t frames_of(const limber_clip* clip) {
    double length = clip->end_s - clip->start_s;
    if (!(length > 0) || !isfinite(length))
        return 0;
    return (uint32_t)fmin(fmax(round(length * frame_rate), 1), 1e9);
}

limberi_holds limberi_holds_even(const limber_clip* clip, uint32_t step) {
    return (limberi_holds){clip->start_s, clip->end_s, frames_of(clip), step, NULL};
}

// --- by speed ---

// The largest value from one frame to another, both counted.
static double max_over(const limberi_acting* a, const double* values, double frame_moments, uint32_t from,
                       uint32_t to) {
    double low = ceil(from * frame_moments - 1e-6);
    double high = floor(to * frame_moments + 1e-6);
    double largest = limberi_signal_at(values, a->grid.count, from * frame_moments);
    for (uint32_t f = (uint32_t)low; f <= high && f < a->grid.count; f++)
        largest = fmax(largest, values[f]);
    return largest;
}

// Speed and travel as the performance shows them.
static void see_speed(const limberi_acting* a, const double* source, double* speed, double* travel) {
    uint32_t last = a->grid.count - 1;
    for (uint32_t f = 0; f <= last; f++) {
        uint32_t before = f > 0 ? f - 1 : 0;
        uint32_t after = f < last ? f + 1 : last;
        double moment = source ? source[f] : f;
        double rate = source ? (source[after] - source[before]) / (after - before) : 1;
        speed[f] = rate * limberi_signal_at(a->speed, a->grid.count, moment);
        travel[f] = 1 - limberi_signal_at(a->free, a->grid.count, moment);
    }
}

static uint32_t length_at(const limberi_acting* a, const double* speed, const double* travel, double frame_moments,
                          uint32_t frame, uint32_t count) {
    uint32_t two = frame + 2 < count ? frame + 2 : count;
    if (max_over(a, speed, frame_moments, frame, two) > fast ||
        max_over(a, travel, frame_moments, frame, two) > travels)
        return 1;
    if (frame + 3 <= count && max_over(a, speed, frame_moments, frame, frame + 3) < slow)
        return 3;
    return two - frame;
}

limber_result limberi_holds_find(const limberi_acting* a, const double* source, limberi_arena* arena,
                                 limberi_holds* holds) {
    limberi_arena scratch = {NULL, false};
    double* speed = LIMBERI_ALLOCATE(&scratch, double, a->grid.count);
    double* travel = LIMBERI_ALLOCATE(&scratch, double, a->grid.count);
    *holds = limberi_holds_even(a->clip, 1);
    uint32_t count = holds->frame_count;
    holds->firsts = LIMBERI_ALLOCATE(arena, uint32_t, count + (size_t)1);
    bool failed = scratch.failed || !holds->firsts;
    double frame_moments = (a->grid.count - 1) / fmax(count, 1);
    if (!failed)
        see_speed(a, source, speed, travel);
    for (uint32_t frame = 0; !failed && frame < count;) {
        uint32_t length = length_at(a, speed, travel, frame_moments, frame, count);
        for (uint32_t i = 0; i < length; i++)
            holds->firsts[frame + i] = frame;
        frame += length;
    }
    limberi_arena_free(&scratch);
    return failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

// --- times ---

static uint32_t first_of(const limberi_holds* holds, uint32_t frame) {
    return holds->firsts ? holds->firsts[frame] : frame - frame % holds->step;
}

static double time_of(const limberi_holds* holds, uint32_t frame) {
    if (frame >= holds->frame_count)
        return holds->end_s;
    return holds->start_s + (holds->end_s - holds->start_s) * frame / holds->frame_count;
}

double limberi_holds_time(const limberi_holds* holds, double time_s) {
    double frame = (time_s - holds->start_s) / (holds->end_s - holds->start_s) * holds->frame_count;
    if (!holds->frame_count || !(frame >= 0) || frame > holds->frame_count)
        return time_s;
    uint32_t whole = (uint32_t)(frame + frame_snap);
    return whole < holds->frame_count ? time_of(holds, first_of(holds, whole)) : holds->end_s;
}

uint32_t limberi_holds_keys(const limberi_holds* holds, double* times) {
    uint32_t count = 0;
    for (uint32_t frame = 0; frame < holds->frame_count; frame++) {
        if (first_of(holds, frame) != frame)
            continue;
        double at = time_of(holds, frame);
        if (times && count)
            times[count - 1] = at - fmax(key_gap_s, key_gap * fabs(at));
        if (times)
            times[count] = at;
        count += 2;
    }
    if (times && count)
        times[count - 1] = holds->end_s - fmax(key_gap_s, key_gap * fabs(holds->end_s));
    if (times && count)
        times[count] = holds->end_s;
    return count ? count + 1 : 0;
}
