// Timing (S15): the clip lingers in its key poses, hurries between them and hangs in the air. Whole poses are retimed, so
// that what stands on the floor goes on standing. The clip keeps its length, and key poses keep their times.
#include "perform/held_poses.h"

#include "base/math.h"

#include <string.h>

static const double shortest_s = 0.25; // shorter clips are left alone
static const double speed_soft_s = 0.045;
static const double speed_around_s = 0.5;
static const double speed_none = 0.1;
static const double speed_still = 1e-5; // less is rounding, and must not choose a key pose
static const double idle_none = 0.10;   // 95th percentile of the speed: nothing to time in an idle
static const double idle_full = 0.45;
static const double cycle_none = 0.25; // of limberi_acting.rest: a loop that never rests is a gait
static const double cycle_full = 0.45;
static const double drift_s = 0.60; // without key poses, slower changes than this are taken out
static const double max_shift_s = 0.22;
static const double slowest = 0.40; // of the plain speed
static const double fastest = 1.75;
static const double key_apart_s = 0.18;
static const double key_depth = 0.5;
static const double shortest_flight_s = 0.12;
static const double slowest_flight = 0.35;
static const double flight_soft = 0.12;
static const double full_hang = 0.825; // log of the rate at the top of a flight, for a hang of 1

// --- key poses: where the pose speed has a clear minimum ---

static double log_speed(const limberi_acting* a, const double* speed, int64_t moment) {
    int64_t period = (int64_t)a->grid.count - 1;
    if (a->grid.loops)
        moment = ((moment % period) + period) % period;
    return log(speed[moment] + 0.05);
}

// How much the speed rises on the lower side before it falls below this minimum again.
static double depth_of(const limberi_acting* a, const double* speed, uint32_t moment) {
    double here = log_speed(a, speed, moment);
    double rise[2] = {0, 0};
    int64_t last = (int64_t)a->grid.count - 1;
    for (int side = 0; side < 2; side++) {
        int step = side ? 1 : -1;
        for (int64_t k = 1; k <= last; k++) {
            int64_t at = moment + step * k;
            if (!a->grid.loops && (at < a->first || at > last)) { // a clip that starts or ends at rest
                rise[side] = INFINITY;
                break;
            }
            double value = log_speed(a, speed, at);
            if (value < here)
                break;
            rise[side] = fmax(rise[side], value - here);
        }
    }
    return fmin(rise[0], rise[1]);
}

static bool is_minimum(const limberi_acting* a, const double* speed, uint32_t moment) {
    int64_t last = (int64_t)a->grid.count - 1;
    int64_t end = a->grid.loops ? moment + last : last;
    double here = log_speed(a, speed, moment);
    bool starts = !a->grid.loops && moment == a->first;
    if (!starts && !(log_speed(a, speed, (int64_t)moment - 1) > here))
        return false;
    int64_t next = (int64_t)moment + 1; // over a plateau, whose first moment it is: others need not look
    while (next <= end && log_speed(a, speed, next) == here)
        next++;
    return next > end ? !a->grid.loops : log_speed(a, speed, next) > here;
}

// The deepest first; others must keep away from it.
static void find_keys(const limberi_acting* a, const double* speed, double* depth, limberi_timing* timing) {
    uint32_t last = a->grid.count - 1;
    uint32_t end = a->grid.loops ? last : last + 1;
    for (uint32_t f = a->first; f < end; f++)
        depth[f] = is_minimum(a, speed, f) ? depth_of(a, speed, f) : 0;
    for (uint32_t f = a->first; f < end; f++) {
        bool best = depth[f] >= key_depth;
        for (uint32_t k = a->first; best && k < end; k++) {
            double apart = fabs((double)k - f);
            if (a->grid.loops)
                apart = fmin(apart, last - apart);
            bool near = k != f && depth[k] >= key_depth && apart * a->grid.step_s < key_apart_s;
            double here = log_speed(a, speed, f);
            double there = log_speed(a, speed, k);
            best = !near || here < there || (here == there && f < k);
        }
        if (best)
            timing->keys[timing->key_count++] = f;
    }
}

// --- flights: fast off, hanging at the top, fast down; their length stays ---

// Whether it is a flight.
static bool time_flight(const limberi_acting* a, const double* rise, uint32_t from, uint32_t to, double hang,
                        double* hurry) {
    double max = 0;
    for (uint32_t f = from; f <= to; f++)
        max = fmax(max, fabs(rise[f]));
    bool flies =
        (to - from) * a->grid.step_s >= shortest_flight_s && max > slowest_flight && rise[from] > 0 && rise[to] < 0;
    for (uint32_t f = from; flies && hang > 0 && f <= to; f++) {
        double at = (double)(f - from) / (to - from);
        double inside = limberi_smooth_step(0, flight_soft, at) * limberi_smooth_step(0, flight_soft, 1 - at);
        double wanted = full_hang * hang * (2 * fmin(fabs(rise[f]) / max, 1) - 1);
        hurry[f] = (1 - inside) * hurry[f] + inside * wanted;
    }
    return flies;
}

// How many there are.
static uint32_t time_flights(const limberi_acting* a, double* rise, double hang, double* hurry) {
    uint32_t count = 0;
    for (uint32_t f = 0; f < a->grid.count; f++)
        rise[f] = a->velocity[3 * (size_t)f + 1];
    limberi_signal_smooth(&a->grid, 0.03, 1, rise, a->scratch);
    for (uint32_t f = 0; f < a->grid.count; f++) {
        uint32_t from = f;
        while (f + 1 < a->grid.count && a->support[f] < 0.3 && a->support[f + 1] < 0.3)
            f++;
        if (f > from)
            count += time_flight(a, rise, from, f, hang, hurry);
    }
    return count;
}

// --- the warp ---

// How much faster each moment is to pass: the log of a rate. Above its surroundings in speed it hurries, below it lingers.
static void find_hurry(const limberi_acting* a, double snap, double* speed, double* around, double* hurry) {
    const limberi_moments* grid = &a->grid;
    for (uint32_t f = 0; f < grid->count; f++)
        speed[f] = a->speed[f] * a->speed[f];
    limberi_signal_smooth(grid, speed_soft_s, 1, speed, a->scratch);
    for (uint32_t f = 0; f < grid->count; f++) {
        speed[f] = sqrt(fmax(speed[f] - speed_still * speed_still, 0));
        hurry[f] = around[f] = 0.5 * log(speed[f] * speed[f] + speed_none * speed_none);
    }
    limberi_signal_smooth(grid, speed_around_s, 1, around, a->scratch);
    double big = limberi_smooth_step(idle_none, idle_full, limberi_signal_percentile(grid, 0.95, speed, a->scratch));
    if (grid->loops)
        big *= 1 - limberi_smooth_step(cycle_none, cycle_full, a->rest);
    for (uint32_t f = 0; f < grid->count; f++)
        hurry[f] = snap * tanh(hurry[f] - around[f]) * a->free[f] * big;
}

// Later (above 0) or earlier than in the plain clip, in seconds of the output; 0 at both ends.
static void integrate(const limberi_acting* a, const double* hurry, double* shift) {
    uint32_t last = a->grid.count - 1;
    double mean = 0;
    double sum = 0;
    for (uint32_t f = a->first; f <= last; f++) {
        shift[f] = exp(-hurry[f]) - 1;
        mean += shift[f] / (last - a->first + 1);
    }
    double before = shift[a->first] - mean;
    for (uint32_t f = 0; f <= last; f++) {
        double now = f < a->first ? 0 : shift[f] - mean;
        sum += f > a->first ? 0.5 * (now + before) * a->grid.step_s : 0;
        before = now;
        shift[f] = sum;
    }
    for (uint32_t f = a->first; f <= last; f++)
        shift[f] -= sum * (f - a->first) / (last - a->first);
}

// Slopes of a monotone cubic through points (Fritsch and Carlson): no overshoot between them.
static double slope_between(double h0, double d0, double h1, double d1) {
    if (d0 * d1 <= 0)
        return 0;
    double w0 = 2 * h1 + h0;
    double w1 = h1 + 2 * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

typedef struct key_curve {
    uint32_t count;
    double *at, *value, *slope; // [count] rising
} key_curve;

static void find_slopes(key_curve* c) {
    for (uint32_t i = 0; i < c->count; i++) {
        c->slope[i] = 0;
        if (i == 0 || i + 1 == c->count)
            continue;
        double h0 = c->at[i] - c->at[i - 1];
        double h1 = c->at[i + 1] - c->at[i];
        c->slope[i] = slope_between(h0, (c->value[i] - c->value[i - 1]) / h0, h1, (c->value[i + 1] - c->value[i]) / h1);
    }
}

static double curve_at(const key_curve* c, double x) {
    uint32_t i = 0;
    while (i + 2 < c->count && x > c->at[i + 1])
        i++;
    double h = c->at[i + 1] - c->at[i];
    double t = fmin(fmax((x - c->at[i]) / h, 0), 1);
    double u = 1 - t;
    return c->value[i] * (1 + 2 * t) * u * u + c->value[i + 1] * (1 + 2 * u) * t * t +
           h * t * u * (c->slope[i] * u - c->slope[i + 1] * t);
}

// Key poses keep their times: what the shift does at them is taken out.
static bool pin(const limberi_acting* a, const limberi_timing* timing, double* shift, double* drift) {
    uint32_t last = a->grid.count - 1;
    uint32_t turns = a->grid.loops ? 3 : 1;
    if (!timing->key_count) {
        memcpy(drift, shift, a->grid.count * sizeof *drift);
        limberi_signal_smooth(&a->grid, drift_s, 1, drift, a->scratch);
        for (uint32_t f = 0; f <= last; f++)
            shift[f] -= drift[f];
        return true;
    }
    limberi_arena arena = {NULL, false};
    size_t room = (size_t)turns * timing->key_count + 2;
    key_curve c = {0, LIMBERI_ALLOCATE(&arena, double, room), LIMBERI_ALLOCATE(&arena, double, room),
                   LIMBERI_ALLOCATE(&arena, double, room)};
    bool failed = arena.failed;
    if (!failed && !a->grid.loops && timing->keys[0] > a->first)
        c.at[c.count++] = a->first;
    for (uint32_t turn = 0; !failed && turn < turns; turn++)
        for (uint32_t k = 0; k < timing->key_count; k++)
            c.at[c.count++] = timing->keys[k] + (a->grid.loops ? (double)last * ((double)turn - 1) : 0);
    if (!failed && !a->grid.loops && c.at[c.count - 1] < last)
        c.at[c.count++] = last;
    for (uint32_t i = 0; !failed && i < c.count; i++) {
        double at = a->grid.loops ? fmod(c.at[i] + last, last) : c.at[i];
        c.value[i] = shift[(uint32_t)(at + 0.5)];
    }
    if (!failed && c.count > 1) {
        find_slopes(&c);
        for (uint32_t f = a->first; f <= last; f++)
            shift[f] -= curve_at(&c, f);
    }
    limberi_arena_free(&arena);
    return !failed;
}

// Both ends keep their times, and nothing is shifted too far.
static void bound(const limberi_acting* a, double* shift) {
    uint32_t last = a->grid.count - 1;
    uint32_t first = a->first;
    double start = shift[first];
    double end = shift[last];
    for (uint32_t f = first; f <= last; f++) {
        double at = (double)(f - first) / (last - first);
        shift[f] -= a->grid.loops ? start : start * (1 - at) + end * at;
        shift[f] /= sqrt(1 + shift[f] * shift[f] / (max_shift_s * max_shift_s));
    }
}

// Bounds of the speed, then the inverse: which moment of the plain clip each output moment shows.
static void invert(const limberi_acting* a, const double* shift, double* source) {
    uint32_t last = a->grid.count - 1;
    uint32_t first = a->first;
    double step = a->grid.step_s;
    double* out = a->speeds[0]; // the output moment at which each plain one is shown
    out[first] = 0;
    for (uint32_t f = first + 1; f <= last; f++) {
        double slope = (shift[f] - shift[f - 1]) / step + 1;
        out[f] = out[f - 1] + fmin(fmax(slope, 1 / fastest), 1 / slowest);
    }
    double scale = (last - first) / out[last];
    uint32_t at = first;
    for (uint32_t f = 0; f <= last; f++) {
        if (f <= first) {
            source[f] = f;
            continue;
        }
        while (at + 2 <= last && out[at + 1] * scale < f - first)
            at++;
        double low = out[at] * scale;
        double high = out[at + 1] * scale;
        source[f] = fmin(at + (f - first - low) / (high - low), last);
    }
}

limber_result limberi_timing_find(limberi_acting* a, const limberi_timing_amounts* amounts, limberi_timing* timing) {
    const limberi_warp_bounds bounds = {slowest, fastest, max_shift_s, key_apart_s};
    uint32_t count = a->grid.count;
    memset(timing, 0, sizeof *timing);
    timing->source = LIMBERI_ALLOCATE(&a->arena, double, count);
    timing->keys = LIMBERI_ALLOCATE(&a->arena, uint32_t, count);
    limberi_arena scratch = {NULL, false};
    double* speed = LIMBERI_ALLOCATE(&scratch, double, count);
    double* hurry = LIMBERI_ALLOCATE(&scratch, double, count);
    double* shift = LIMBERI_ALLOCATE(&scratch, double, count);
    double* more = LIMBERI_ALLOCATE(&scratch, double, count);
    bool failed = a->arena.failed || scratch.failed;
    for (uint32_t f = 0; !failed && f < count; f++)
        timing->source[f] = f;
    double length = (count - 1 - a->first) * a->grid.step_s;
    if (!failed && length >= shortest_s && a->clip->cut_count <= (a->first > 0)) {
        find_hurry(a, amounts->snap, speed, more, hurry);
        find_keys(a, speed, more, timing);
        timing->gait = a->grid.loops && a->rest > cycle_full;
        if (a->has_floor && a->belt < 0.1 && !timing->gait)
            timing->flight_count = time_flights(a, more, amounts->hang, hurry);
        integrate(a, hurry, shift);
        failed = !pin(a, timing, shift, more);
        bound(a, shift);
        failed = failed || limberi_poses_hold(a, &bounds, amounts, timing, shift);
        invert(a, shift, timing->source);
    }
    for (uint32_t f = 0; !failed && f < count; f++)
        timing->changed = timing->changed || fabs(timing->source[f] - f) > 1e-6;
    limberi_arena_free(&scratch);
    return failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}
