// Signals on an even grid over a clip: smoothing, windows, derivatives, springs. All of it takes time that grows with
// the signal alone, not with the width of the filter, since some of the windows are longer than the clip.
#include "perform/signal.h"

#include "base/math.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { BOXES = 4 }; // running means, one after the other; four are a Gaussian to 4 % of its peak

// --- smoothing ---

// The integral of the signal from its start to a real-valued place, with the signal going on beyond both ends.
typedef struct prefix_sum {
    const double* sums; // [period + 1]
    double first, last; // what goes on before and after, per moment
    uint32_t period;
    bool loops;
} prefix_sum;

static double integral_to(const prefix_sum* p, double place) {
    double turns = p->loops ? floor(place / p->period) : 0;
    place -= turns * p->period;
    double before = turns * p->sums[p->period];
    if (place <= 0)
        return before + place * p->first;
    if (place >= p->period)
        return before + p->sums[p->period] + (place - p->period) * p->last;
    uint32_t at = (uint32_t)place;
    return before + p->sums[at] + (place - at) * (p->sums[at + 1] - p->sums[at]);
}

static double mean_around(const prefix_sum* p, uint32_t moment, double half) {
    return (integral_to(p, moment + 0.5 + half) - integral_to(p, moment + 0.5 - half)) / (2 * half);
}

static void box(const limberi_moments* grid, double half, uint32_t width, double* values, double* scratch) {
    uint32_t period = grid->count - grid->loops;
    double* sums = scratch;
    sums[0] = 0;
    for (uint32_t i = 0; i < period; i++)
        sums[i + 1] = sums[i] + values[(size_t)i * width];
    prefix_sum p = {sums, values[0], values[(size_t)(period - 1) * width], period, grid->loops};
    double* out = scratch + grid->count + 1;
    double reach = ceil(half + 0.5);
    uint32_t from = reach < period ? (uint32_t)reach : period; // from here the box lies inside of the signal, ...
    uint32_t to = 2 * reach < period ? period - from : from;   // ... and up to here
    for (uint32_t i = 0; i < from; i++)
        out[i] = mean_around(&p, i, half);
    for (uint32_t i = to; i < period; i++)
        out[i] = mean_around(&p, i, half);
    uint32_t whole = (uint32_t)fmin(half + 0.5, period); // inside, its ends are always at the same part of a moment
    double part = half + 0.5 - whole;
    for (uint32_t i = from; i < to; i++) {
        const double* low = &sums[i - whole];
        const double* high = &sums[i + whole];
        out[i] = (high[0] - low[1] + part * (high[1] - high[0] + low[1] - low[0])) / (2 * half);
    }
    for (uint32_t i = 0; i < period; i++)
        values[(size_t)i * width] = out[i];
}

// Half the width of a box whose samples have this variance: r whole ones on both sides, and a part of the next.
static double half_of_box(double variance) {
    double r = floor(0.5 * (sqrt(1 + 12 * variance) - 1));
    double part = (2 * r + 1) * (r * (r + 1) - 3 * variance) / (6 * (variance - (r + 1) * (r + 1)));
    return r + 0.5 + part;
}

void limberi_signal_smooth(const limberi_moments* grid, double sigma_s, uint32_t width, double* values,
                           double* scratch) {
    double sigma = sigma_s / grid->step_s;
    if (!(sigma > 1e-3) || !isfinite(sigma))
        return;
    double half = half_of_box(sigma * sigma / BOXES);
    for (uint32_t w = 0; w < width; w++) {
        for (int pass = 0; pass < BOXES; pass++)
            box(grid, half, width, values + w, scratch);
        if (grid->loops)
            values[(size_t)(grid->count - 1) * width + w] = values[w];
    }
}

// --- windows ---

static uint32_t wrapped(const limberi_moments* grid, int64_t moment) {
    int64_t period = (int64_t)grid->count - grid->loops;
    if (grid->loops)
        return (uint32_t)(((moment % period) + period) % period);
    if (moment < 0)
        return 0;
    return (uint32_t)(moment < period ? moment : period - 1);
}

static int64_t moments(const limberi_moments* grid, double seconds) {
    double count = round(seconds / grid->step_s);
    return (int64_t)fmin(fmax(count, 0), grid->count);
}

// The last of the largest values stays until it leaves the window, or something as large comes in.
static void extreme(const limberi_moments* grid, double sign, double reach_s, double* values, double* scratch) {
    int64_t reach = moments(grid, reach_s);
    int64_t best = -reach - 1;
    for (int64_t i = 0; i < grid->count; i++) {
        bool left = best < i - reach;
        best = left ? i - reach : best;
        for (int64_t k = left ? best + 1 : i + reach; k <= i + reach; k++)
            if (sign * values[wrapped(grid, k)] >= sign * values[wrapped(grid, best)])
                best = k;
        scratch[i] = values[wrapped(grid, best)];
    }
    memcpy(values, scratch, grid->count * sizeof *values);
}

void limberi_signal_max(const limberi_moments* grid, double reach_s, double* values, double* scratch) {
    extreme(grid, 1, reach_s, values, scratch);
}

void limberi_signal_min(const limberi_moments* grid, double reach_s, double* values, double* scratch) {
    extreme(grid, -1, reach_s, values, scratch);
}

void limberi_signal_hann(const limberi_moments* grid, double reach_s, double* values, double* scratch) {
    int64_t reach = moments(grid, reach_s);
    for (uint32_t i = 0; i < grid->count; i++) {
        double sum = 0;
        for (int64_t k = -reach; k <= reach; k++)
            sum += (1 + cos(LIMBERI_PI * (double)k / (double)(reach + 1))) * values[wrapped(grid, i + k)];
        scratch[i] = sum / (double)(2 * (reach + 1));
    }
    memcpy(values, scratch, grid->count * sizeof *values);
}

// --- derivatives and springs ---

void limberi_signal_rate(const limberi_moments* grid, uint32_t width, const double* values, double* rate) {
    uint32_t last = grid->count - 1;
    for (uint32_t i = 0; i <= last; i++)
        for (uint32_t w = 0; w < width; w++) {
            const double* v = values + w;
            uint32_t before = i > 0 ? i - 1 : 0;
            uint32_t after = i < last ? i + 1 : last;
            double way = v[(size_t)after * width] - v[(size_t)before * width];
            uint32_t steps = after - before;
            if (grid->loops && last >= 3 && (i == 0 || i == last)) {
                way = v[width] - v[0] + v[(size_t)last * width] - v[(size_t)(last - 1) * width];
                steps = 2;
            }
            rate[(size_t)i * width + w] = way / (steps * grid->step_s);
        }
}

limberi_spring_step limberi_spring_stepper(double frequency_hz, double damping, double h) {
    double w = 2 * LIMBERI_PI * frequency_hz;
    double d = fmin(damping, 0.999);
    double wd = w * sqrt(1 - d * d);
    double fade = exp(-d * w * h);
    double c = cos(wd * h);
    double s = sin(wd * h) / wd;
    limberi_spring_step step = {
        {fade * (c + d * w * s), fade * s}, {-fade * w * w * s, fade * (c - d * w * s)}, {0, 0}};
    step.drive[0] = 1 - step.place[0];
    step.drive[1] = -step.velocity[0];
    return step;
}

void limberi_signal_spring(const limberi_moments* grid, double frequency_hz, double damping, uint32_t width,
                           double* values) {
    limberi_spring_step step = limberi_spring_stepper(frequency_hz, damping, grid->step_s);
    double period_s = (grid->count - 1) * grid->step_s;
    int turns = grid->loops ? 2 + (int)fmin(3 / period_s, 100) : 1; // until the start has faded from a loop
    for (uint32_t w = 0; w < width; w++) {
        double place = values[w];
        double velocity = 0;
        for (int turn = 0; turn < turns; turn++)
            for (uint32_t i = turn > 0; i < grid->count; i++) {
                double* value = &values[(size_t)i * width + w];
                if (i > 0)
                    limberi_spring_follow(&step, *value, &place, &velocity);
                if (turn + 1 == turns)
                    *value = place;
            }
        if (grid->loops)
            values[w] = values[(size_t)(grid->count - 1) * width + w];
    }
}

// --- statistics ---

double limberi_signal_percentile(const limberi_moments* grid, double share, const double* values, double* scratch) {
    memcpy(scratch, values, grid->count * sizeof *scratch);
    qsort(scratch, grid->count, sizeof *scratch, limberi_compare_doubles);
    return limberi_signal_at(scratch, grid->count, share * (grid->count - 1));
}

void limberi_signal_fill(double* values, uint32_t before, uint32_t now, double value) {
    values[now] = value;
    for (uint32_t k = before + 1; k < now; k++)
        values[k] = values[before] + (value - values[before]) * (k - before) / (now - before);
}
