// Low-pass:  y' = g x + (1 - g) y with g = 1 - (1 - gamma)^(60 dt), so that gamma means the same at every step.
// Spring:    y'' = w^2 (x - y) - 2 z w y', stepped exactly for an input that is straight between samples: there
//            y = x - 2 z s / w (s the input's slope) is a solution, and the distance to it swings freely.
#include "motion/time_filter.h"

#include <math.h>

static const double reference_rate = 60;

typedef limberi_stepper stepper;

static stepper lowpass_stepper(const limber_filter* filter, double step_s) {
    double gamma = fmin(fmax(filter->gamma, 1e-6), 1);
    double keep = gamma < 1 ? pow(1 - gamma, reference_rate * step_s) : 0;
    stepper s = {{keep, 0, 0, 0}, {0, 0}, {1 - keep, 0}};
    return s;
}

// exp(A t) of the damped oscillator z'' = -w^2 z - 2 d w z'.
static void oscillator(double w, double d, double t, double* m) {
    double decay = exp(-d * w * t), c, s; // s is sin(v t) / v in all three cases
    double q = w * w * (1 - d * d);
    if (fabs(q) * t * t < 1e-8) {
        c = 1;
        s = t;
    } else if (q > 0) {
        double v = sqrt(q);
        c = cos(v * t);
        s = sin(v * t) / v;
    } else { // overdamped: fold the decay in so that nothing overflows
        double v = sqrt(-q), slow = exp((v - d * w) * t), fast = exp((-v - d * w) * t);
        c = 0.5 * (slow + fast);
        s = 0.5 * (slow - fast) / v;
        decay = 1;
    }
    m[0] = decay * (c + d * w * s);
    m[1] = decay * s;
    m[2] = -decay * w * w * s;
    m[3] = decay * (c - d * w * s);
}

static stepper spring_stepper(const limber_filter* filter, double step_s) {
    double w = 2 * 3.14159265358979323846 * fmin(fmax(filter->frequency_hz, 1e-3), 1e3);
    double d = fmin(fmax(filter->damping, 0), 1e3);
    double lag = 2 * d / w;
    stepper s;
    oscillator(w, d, step_s, s.m);
    // With slope k = (x1 - x0) / dt: z0 = y0 - x0 + lag k, z0' = y0' - k, and back with x1 after the step.
    for (int i = 0; i < 2; i++) {
        double on_slope = (s.m[2 * i] * lag - s.m[2 * i + 1]) / step_s;
        s.f0[i] = -s.m[2 * i] - on_slope;
        s.f1[i] = on_slope;
    }
    s.f0[0] += lag / step_s;
    s.f1[0] += 1 - lag / step_s;
    s.f0[1] -= 1 / step_s;
    s.f1[1] += 1 / step_s;
    return s;
}

limberi_stepper limberi_filter_stepper(const limber_filter* filter, double step_s) {
    return filter->type == LIMBER_FILTER_LOWPASS ? lowpass_stepper(filter, step_s) : spring_stepper(filter, step_s);
}

void limberi_filter_step(const limberi_stepper* s, double before, double after, double* y) {
    double a = s->m[0] * y[0] + s->m[1] * y[1] + s->f0[0] * before + s->f1[0] * after;
    double b = s->m[2] * y[0] + s->m[3] * y[1] + s->f0[1] * before + s->f1[1] * after;
    y[0] = a;
    y[1] = b;
}

// The state that one turn of the loop leads back to itself: (1 - M^n) y = response from rest.
static void steady_state(const stepper* s, const limberi_signal* signal, double* y) {
    double from_rest[2] = {0, 0}, one[2] = {1, 0}, two[2] = {0, 1};
    for (uint32_t i = 0; i < signal->count; i++) {
        uint32_t next = i + 1 < signal->count ? i + 1 : 0;
        limberi_filter_step(s, (double)signal->samples[i * signal->stride],
                            (double)signal->samples[next * signal->stride], from_rest);
        limberi_filter_step(s, 0, 0, one);
        limberi_filter_step(s, 0, 0, two);
    }
    double a = 1 - one[0], b = -two[0], c = -one[1], d = 1 - two[1], det = a * d - b * c;
    y[0] = (double)signal->samples[0];
    y[1] = 0;
    if (fabs(det) < 1e-12) // an undamped spring in step with the loop has no steady state
        return;
    y[0] = (d * from_rest[0] - b * from_rest[1]) / det;
    y[1] = (a * from_rest[1] - c * from_rest[0]) / det;
}

// A loop with cuts starts behind its last cut and runs once around; a loop without starts in its steady state.
static uint32_t first_sample(const limberi_signal* signal, bool* cut) {
    *cut = false;
    for (uint32_t i = signal->count; signal->loops && signal->restart && i-- > 0;) {
        if (signal->restart[i]) {
            *cut = true;
            return i;
        }
    }
    return 0;
}

void limberi_filter_run(const limber_filter* filter, const limberi_signal* signal) {
    if (filter->type == LIMBER_FILTER_NONE || signal->count < 2)
        return;
    stepper s = limberi_filter_stepper(filter, signal->step_s);
    bool cut;
    uint32_t at = first_sample(signal, &cut);
    double before = (double)signal->samples[at * signal->stride], y[2] = {before, 0};
    if (signal->loops && !cut)
        steady_state(&s, signal, y);
    signal->samples[at * signal->stride] = (float)y[0];
    for (uint32_t n = 1; n < signal->count; n++) {
        at = at + 1 < signal->count ? at + 1 : 0;
        double after = (double)signal->samples[at * signal->stride];
        if (signal->restart && signal->restart[at]) {
            y[0] = after;
            y[1] = 0;
        } else {
            limberi_filter_step(&s, before, after, y);
        }
        before = after;
        signal->samples[at * signal->stride] = (float)y[0];
    }
}
