// Between the keys the edit solves d'' = 0 or d'''' = 0 in time. The first is a straight line; the second, with value
// and slope 0 at both ends of the window and the keys given, is the cubic spline that is clamped there: both are known
// in closed form, so no frame rate enters.
#include "perform/exaggerate/editor.h"

#include "base/math.h"

// Slopes at the keys such that the second derivative has no jumps; a tridiagonal system.
static void find_slopes(limberi_knot* knots, uint32_t last, double* pivot) {
    for (int axis = 0; axis < 3; axis++) {
        knots[0].slope[axis] = knots[last].slope[axis] = 0;
        pivot[0] = 0;
        for (uint32_t i = 1; i < last; i++) {
            double before = 1 / (knots[i].time_s - knots[i - 1].time_s);
            double after = 1 / (knots[i + 1].time_s - knots[i].time_s);
            double right = 3 * ((knots[i].value[axis] - knots[i - 1].value[axis]) * before * before +
                                (knots[i + 1].value[axis] - knots[i].value[axis]) * after * after);
            double diagonal = 2 * (before + after) - before * pivot[i - 1];
            pivot[i] = after / diagonal;
            knots[i].slope[axis] = (right - before * knots[i - 1].slope[axis]) / diagonal;
        }
        for (uint32_t i = last - 1; i > 0; i--)
            knots[i].slope[axis] -= pivot[i] * knots[i + 1].slope[axis];
    }
}

void limberi_spread_prepare(limberi_knot* knots, uint32_t count, double window_s, limber_spread spread,
                            double* scratch) {
    uint32_t last = count + 1;
    double window = window_s > 1e-6 ? window_s : 1e-6;
    knots[0] = knots[last] = (limberi_knot){0, {0, 0, 0}, {0, 0, 0}};
    knots[0].time_s = knots[1].time_s - window;
    knots[last].time_s = knots[count].time_s + window;
    if (spread == LIMBER_SPREAD_BILAPLACE)
        find_slopes(knots, last, scratch);
}

static double hermite(const limberi_knot* a, const limberi_knot* b, int axis, double step, double t) {
    double t2 = t * t;
    double t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * a->value[axis] + step * (t3 - 2 * t2 + t) * a->slope[axis] +
           (3 * t2 - 2 * t3) * b->value[axis] + step * (t3 - t2) * b->slope[axis];
}

void limberi_spread_add(const limberi_knot* knots, uint32_t count, limber_spread spread, double time_s,
                        limber_vec3* value) {
    uint32_t last = count + 1;
    uint32_t i = 0;
    if (!(time_s > knots[0].time_s && time_s < knots[last].time_s))
        return;
    for (uint32_t end = last; end - i > 1;) {
        uint32_t middle = i + (end - i) / 2;
        if (time_s >= knots[middle].time_s)
            i = middle;
        else
            end = middle;
    }
    const limberi_knot* a = &knots[i];
    const limberi_knot* b = &knots[i + 1];
    double step = b->time_s - a->time_s;
    double t = (time_s - a->time_s) / step;
    double x[3];
    for (int axis = 0; axis < 3; axis++)
        x[axis] = spread == LIMBER_SPREAD_BILAPLACE ? hermite(a, b, axis, step, t)
                                                    : a->value[axis] + t * (b->value[axis] - a->value[axis]);
    *value = limberi_add(*value, limberi_vec3((float)x[0], (float)x[1], (float)x[2]));
}

// --- smoothing ---

static void smooth_once(limber_vec3* values, size_t stride, uint32_t count, bool loops, float part,
                        limber_vec3* scratch) {
    uint32_t period = loops ? count - 1 : count;
    for (uint32_t i = 0; i < period; i++) {
        uint32_t before = loops ? period - 1 : 0;
        uint32_t after = loops ? 0 : i;
        if (i > 0)
            before = i - 1;
        if (i + 1 < period)
            after = i + 1;
        limber_vec3 mean = limberi_lerp(values[before * stride], values[after * stride], 0.5f);
        scratch[i] = limberi_lerp(values[i * stride], mean, 0.5f * part);
    }
    for (uint32_t i = 0; i < period; i++)
        values[i * stride] = scratch[i];
    if (loops)
        values[period * stride] = values[0];
}

// A pass [1 2 1] / 4 widens by half a square frame. At other rates more or fewer passes, the last ones weaker, do the
// same per second.
void limberi_smooth(limber_vec3* values, size_t stride, uint32_t count, bool loops, double step_s, double passes,
                    limber_vec3* scratch) {
    if (count < 3 || !(step_s > 0) || !(passes > 0))
        return;
    double wanted = fmin(passes / (30 * step_s * 30 * step_s), 1e5);
    uint32_t rounds = (uint32_t)ceil(wanted);
    for (uint32_t i = 0; i < rounds; i++)
        smooth_once(values, stride, count, loops, (float)(wanted / rounds), scratch);
}
