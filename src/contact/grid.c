// Signals on evenly spaced moments.
#include "contact/contacts_private.h"

#include "base/math.h"

#include <string.h>

enum { MAX_REACH = 64 }; // of windows, moments

static const double rate = 120;            // moments per second, S10
static const double max_numbers = 1 << 27; // of all moments together: longer clips get fewer
static const double max_moments = 1 << 20; // more than two hours

// About 120 per second; fewer for hours.
static limberi_grid signal_grid(const limber_clip* clip, bool loops, size_t numbers_per_moment) {
    double duration = clip->end_s - clip->start_s;
    double steps = duration > 0 ? fmax(1, round(duration * rate)) : 0;
    double max = fmax(2, max_numbers / (double)(numbers_per_moment ? numbers_per_moment : 1));
    steps = fmin(steps, fmin(max, max_moments));
    limberi_grid grid = {loops && steps > 0, clip->start_s, steps > 0 ? duration / steps : 0, (uint32_t)steps};
    grid.count += !grid.loops;
    return grid;
}

limberi_grid limberi_contact_grid(const limberi_support* support, const limber_clip* clip, bool loops) {
    return signal_grid(clip, loops, (size_t)support->owner_count + 1);
}

uint32_t limberi_grid_shift(const limberi_grid* grid, uint32_t at, int by) {
    int64_t moment = (int64_t)at + by;
    int64_t count = grid->count;
    if (grid->loops)
        return (uint32_t)(((moment % count) + count) % count);
    if (moment < 0)
        return 0;
    return (uint32_t)(moment < count ? moment : count - 1);
}

int limberi_grid_span(const limberi_grid* grid, double seconds) {
    double span = grid->step_s > 0 ? round(seconds / grid->step_s) : 1;
    return span > 1 ? (int)fmin(span, 1e6) : 1;
}

static double extreme(const limberi_grid* grid, double sign, int reach, const double* values, uint32_t at) {
    double max = sign * values[at];
    for (int k = -reach; k <= reach; k++) {
        double value = sign * values[limberi_grid_shift(grid, at, k)];
        max = value > max ? value : max;
    }
    return sign * max;
}

static double mean(const limberi_grid* grid, const double* weights, int reach, const double* values, uint32_t at) {
    double sum = 0;
    for (int k = -reach; k <= reach; k++)
        sum += weights[k + reach] * values[limberi_grid_shift(grid, at, k)];
    return sum;
}

void limberi_grid_filter(const limberi_grid* grid, limberi_window window, int reach, double* values, double* scratch) {
    double weights[2 * MAX_REACH + 1];
    reach = reach < MAX_REACH ? reach : MAX_REACH;
    for (int k = -reach; k <= reach; k++)
        weights[k + reach] = (1 + cos(LIMBERI_PI * k / (reach + 1))) / (2 * (reach + 1));
    for (uint32_t i = 0; i < grid->count; i++)
        scratch[i] = window == LIMBERI_WINDOW_HANN
                         ? mean(grid, weights, reach, values, i)
                         : extreme(grid, window == LIMBERI_WINDOW_MIN ? -1 : 1, reach, values, i);
    memcpy(values, scratch, grid->count * sizeof *values);
}
