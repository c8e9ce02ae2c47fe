// Low-pass:  y' = g x + (1 - g) y with g = 1 - (1 - gamma)^(60 dt), so that gamma means the same at every step.
// Spring:    y'' = w^2 (x - y) - 2 z w y', stepped exactly for an input that is straight between samples: there
//            y = x - 2 z s / w (s the input's slope) is a solution, and the distance to it swings freely.
#include "motion/time_filter.h"

#include "base/build.h"
#include "base/turns.h"

#include <math.h>
#include <string.h>

static const double reference_rate = 60;
static const double live_fps = 30;

typedef limberi_stepper stepper;

// --- settings ---

limberi_moment limberi_moment_of(const limber_clip* clip, double time_s) {
    double duration = clip ? clip->end_s - clip->start_s : 0;
    return (limberi_moment){time_s, time_s * (clip ? clip->fps : live_fps), duration > 0 ? time_s / duration : 0};
}

static bool filter_equal(const limber_filter* a, const limber_filter* b) {
    if (a->type != b->type)
        return false;
    if (a->type == LIMBER_FILTER_LOWPASS)
        return a->gamma == b->gamma;
    return a->type == LIMBER_FILTER_NONE || (a->frequency_hz == b->frequency_hz && a->damping == b->damping);
}

static bool follower_equal(const limber_follower* a, const limber_follower* b) {
    return a->frequency_hz == b->frequency_hz &&
           (a->frequency_hz == 0 || (a->damping == b->damping && a->smooth_s == b->smooth_s &&
                                     a->ahead_s == b->ahead_s && a->arrive == b->arrive));
}

static bool gate_equal(const limber_filter_set* a, const limber_filter_set* b) {
    bool used = a->acceleration.type || a->angular_acceleration.type;
    return !used || (a->gate == b->gate &&
                     (a->gate == LIMBER_GATE_NONE || (a->turn_s == b->turn_s && a->gate_limit[0] == b->gate_limit[0] &&
                                                      a->gate_limit[1] == b->gate_limit[1])));
}

static bool set_equal(const limber_filter_set* a, const limber_filter_set* b) {
    return a->air == b->air && a->derivative == b->derivative && follower_equal(&a->follower, &b->follower) &&
           gate_equal(a, b) && filter_equal(&a->velocity, &b->velocity) &&
           filter_equal(&a->acceleration, &b->acceleration) &&
           filter_equal(&a->angular_velocity, &b->angular_velocity) &&
           filter_equal(&a->angular_acceleration, &b->angular_acceleration);
}

static bool formulas_equal(const limberi_filters* a, const limberi_filters* b) {
    for (uint32_t i = 0; a->formula_count == b->formula_count && i < a->formula_count; i++) {
        const limberi_filter_formula* x = &a->formulas[i];
        const limberi_filter_formula* y = &b->formulas[i];
        if (x->number != y->number || x->scale != y->scale ||
            strcmp(limber_expression_text(x->expression), limber_expression_text(y->expression)) != 0)
            return false;
    }
    return a->formula_count == b->formula_count;
}

bool limberi_filters_equal(const limberi_filters* a, const limberi_filters* b) {
    return set_equal(&a->set, &b->set) && (!LIMBERI_HAS_FORMULAS || formulas_equal(a, b));
}

bool limberi_filter_number_is_known(size_t number) {
    static const size_t filters[] = {offsetof(limber_filter_set, velocity), offsetof(limber_filter_set, acceleration),
                                     offsetof(limber_filter_set, angular_velocity),
                                     offsetof(limber_filter_set, angular_acceleration)};
    static const size_t numbers[] = {offsetof(limber_filter, gamma), offsetof(limber_filter, frequency_hz),
                                     offsetof(limber_filter, damping)};
    bool known = number == offsetof(limber_filter_set, follower.frequency_hz) ||
                 number == offsetof(limber_filter_set, follower.damping) ||
                 number == offsetof(limber_filter_set, follower.smooth_s);
    for (uint32_t i = 0; i < 12; i++)
        known = known || number == filters[i / 3] + numbers[i % 3];
    return known;
}

limber_filter_set limberi_filters_at(const limberi_filters* filters, const limberi_moment* at) {
    limber_filter_set set = filters->set;
    limber_expression_inputs in = limber_expression_inputs_default();
    in.frame[LIMBER_VARIABLE_T] = (float)at->time_s;
    in.frame[LIMBER_VARIABLE_FRAME] = (float)at->frame;
    in.frame[LIMBER_VARIABLE_PHASE] = (float)at->phase;
    for (uint32_t i = 0; LIMBERI_HAS_FORMULAS && i < filters->formula_count; i++) {
        const limberi_filter_formula* f = &filters->formulas[i];
        double value = f->scale * (double)limber_expression_evaluate_uniform(f->expression, &in);
        memcpy((char*)&set + f->number, &value, sizeof value);
    }
    return set;
}

// --- one step ---

static stepper lowpass_stepper(const limber_filter* filter, double step_s) {
    double gamma = fmin(fmax(filter->gamma, 1e-6), 1);
    double keep = gamma < 1 ? exp(reference_rate * step_s * log1p(-gamma)) : 0;
    return (stepper){{keep, 0, 0, 0}, {0, 0}, {1 - keep, 0}};
}

// exp(A t) of the damped oscillator z'' = -w^2 z - 2 d w z'.
static void oscillator(double w, double d, double t, double* m) {
    double decay = exp(-d * w * t);
    double c;
    double s; // s is sin(v t) / v in all three cases
    double q = w * w * (1 - d * d);
    if (fabs(q) * t * t < 1e-8) {
        c = 1;
        s = t;
    } else if (q > 0) {
        double v = sqrt(q);
        c = cos(v * t);
        s = sin(v * t) / v;
    } else { // overdamped: fold the decay in so that nothing overflows
        double v = sqrt(-q);
        double slow = exp((v - d * w) * t);
        double fast = exp((-v - d * w) * t);
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

// Steps of a signal, in order: the same again and again, or one for each sample.
static const stepper* step_from(const stepper* same, const limberi_signal* signal, uint32_t sample) {
    return signal->steps ? &signal->steps[sample] : same;
}

// The state that one turn of the loop leads back to itself: (1 - M^n) y = response from rest.
static void steady_state(const stepper* same, const limberi_signal* signal, double* y) {
    double from_rest[2] = {0, 0};
    double one[2] = {1, 0};
    double two[2] = {0, 1};
    for (uint32_t i = 0; i < signal->count; i++) {
        uint32_t next = i + 1 < signal->count ? i + 1 : 0;
        const stepper* s = step_from(same, signal, i);
        limberi_filter_step(s, (double)signal->samples[i * signal->stride],
                            (double)signal->samples[next * signal->stride], from_rest);
        limberi_filter_step(s, 0, 0, one);
        limberi_filter_step(s, 0, 0, two);
    }
    double a = 1 - one[0];
    double b = -two[0];
    double c = -one[1];
    double d = 1 - two[1];
    double det = a * d - b * c;
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

// From sample `at` on, in the state y, once around.
static void run_from(const stepper* same, const limberi_signal* signal, uint32_t at, double* y) {
    double before = (double)signal->samples[at * signal->stride];
    signal->samples[at * signal->stride] = (float)y[0];
    for (uint32_t n = 1; n < signal->count; n++) {
        const stepper* s = step_from(same, signal, at);
        at = at + 1 < signal->count ? at + 1 : 0;
        double after = (double)signal->samples[at * signal->stride];
        if (signal->restart && signal->restart[at]) {
            y[0] = after;
            y[1] = 0;
        } else {
            limberi_filter_step(s, before, after, y);
        }
        before = after;
        signal->samples[at * signal->stride] = (float)y[0];
    }
}

void limberi_filter_run(const limber_filter* filter, const limberi_signal* signal) {
    if (filter->type == LIMBER_FILTER_NONE || signal->count < 2)
        return;
    stepper s = limberi_filter_stepper(filter, signal->step_s);
    bool cut;
    uint32_t at = first_sample(signal, &cut);
    double y[2] = {(double)signal->samples[at * signal->stride], 0};
    if (signal->loops && !cut)
        steady_state(&s, signal, y);
    run_from(&s, signal, at, y);
}

// --- loops that turn ---

enum { STATES = 6 }; // y and y' of three signals

// Solves in place, the right side in the last column; false when there is no solution.
static bool solve_states(double (*a)[STATES + 1]) {
    for (int k = 0; k < STATES; k++) {
        int pivot = k;
        for (int i = k + 1; i < STATES; i++)
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        for (int j = 0; j <= STATES; j++) {
            double swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        if (fabs(a[k][k]) < 1e-9)
            return false;
        for (int i = 0; i < STATES; i++) {
            double part = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j <= STATES; j++)
                a[i][j] -= part * a[k][j];
        }
    }
    for (int k = 0; k < STATES; k++)
        a[k][STATES] /= a[k][k];
    return true;
}

// The state that one turn of the loop leads to itself, turned: R y = M^n y + response from rest.
static void turning_steady_state(const stepper* same, const limberi_signal* xyz, const double* turn, double (*y)[2]) {
    double a[STATES][STATES + 1] = {{0}};
    double one[2] = {1, 0};
    double two[2] = {0, 1};
    double end[3];
    for (int c = 0; c < 3; c++)
        end[c] = (double)xyz[c].samples[0];
    limberi_turn_rotate(turn, end, end);
    for (uint32_t i = 0; i < xyz->count; i++) {
        limberi_filter_step(step_from(same, xyz, i), 0, 0, one);
        limberi_filter_step(step_from(same, xyz, i), 0, 0, two);
    }
    for (int c = 0; c < 3; c++) {
        double axis[3] = {c == 0, c == 1, c == 2};
        double from_rest[2] = {0, 0}; // a column of R
        const limberi_signal* x = &xyz[c];
        limberi_turn_rotate(turn, axis, axis);
        for (uint32_t i = 0; i < x->count; i++)
            limberi_filter_step(step_from(same, x, i), (double)x->samples[i * x->stride],
                                i + 1 < x->count ? (double)x->samples[(i + 1) * x->stride] : end[c], from_rest);
        for (int k = 0; k < 3; k++)
            a[k][c] = a[3 + k][3 + c] = axis[k];
        a[c][STATES] = from_rest[0];
        a[3 + c][STATES] = from_rest[1];
    }
    for (int c = 0; c < 3; c++) {
        a[c][c] -= one[0];
        a[c][3 + c] -= two[0];
        a[3 + c][c] -= one[1];
        a[3 + c][3 + c] -= two[1];
    }
    bool solved = solve_states(a); // not for an undamped spring in step with the loop
    for (int c = 0; c < 3; c++) {
        y[c][0] = solved ? a[c][STATES] : (double)xyz[c].samples[0];
        y[c][1] = solved ? a[3 + c][STATES] : 0;
    }
}

void limberi_filter_run_turning(const limber_filter* filter, const limberi_signal* xyz, const double* turn) {
    if (filter->type == LIMBER_FILTER_NONE || xyz->count < 2)
        return;
    stepper s = limberi_filter_stepper(filter, xyz->step_s);
    double y[3][2];
    turning_steady_state(&s, xyz, turn, y);
    for (int c = 0; c < 3; c++)
        run_from(&s, &xyz[c], 0, y[c]);
}
