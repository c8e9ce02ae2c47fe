// The cartoon filter, the spreading of edits, the way back to a skeleton: closed forms on signals made by hand.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kit/models.h"
#include "perform/exaggerate/cartoon_filter.h"
#include "perform/exaggerate/editor.h"

enum { MAX_FRAMES = 1024, JOINTS = 3 };

static const int32_t chain_parents[JOINTS] = {-1, 0, 1};

// Three joints in a row with three signals: translation (x), rotation about an oblique axis, and scale.
typedef struct bench {
    limberi_take take;
    limber_rig rig;
    uint32_t segments[3];
    limber_transform local[MAX_FRAMES * JOINTS];
} bench;

static const double axis[3] = {0.6, 0, 0.8};

static void bench_open(bench* b, uint32_t frames, double rate, bool loops) {
    memset(b, 0, sizeof *b);
    b->rig.joint_count = JOINTS;
    b->rig.parents = chain_parents;
    b->segments[1] = frames;
    b->take = (limberi_take){JOINTS, frames, 0, 1 / rate, loops, 1, b->segments, b->local};
}

// Writes a signal to all three parts of all joints.
static void bench_put(bench* b, uint32_t frame, double x) {
    for (uint32_t j = 0; j < JOINTS; j++) {
        limber_transform* t = limberi_take_at(&b->take, frame, j);
        double s = sin(0.5 * x);
        t->translation = limberi_vec3((float)(2 * x), (float)j, 0);
        t->rotation =
            (limber_quat){(float)(axis[0] * s), (float)(axis[1] * s), (float)(axis[2] * s), (float)cos(0.5 * x)};
        t->scale = limberi_vec3(1, (float)exp(x), 1);
    }
}

// Reads it back from one of the parts; the angle is taken near `near`, since it wraps.
static double bench_get(const bench* b, uint32_t frame, uint32_t joint, int part, double near) {
    const limber_transform* t = limberi_take_at(&b->take, frame, joint);
    if (part == 0)
        return (double)t->translation.x / 2;
    if (part == 2)
        return log((double)t->scale.y);
    double along = (double)t->rotation.x * axis[0] + (double)t->rotation.y * axis[1] + (double)t->rotation.z * axis[2];
    double angle = 2 * atan2(along, (double)t->rotation.w);
    return angle + 2 * LIMBERI_PI * round((near - angle) / (2 * LIMBERI_PI));
}

static void run(bench* b, double amount, double sigma_s, double delay_s) {
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.amount = amount;
    settings.sigma_s = sigma_s;
    settings.delay_s = delay_s;
    assert_int_equal(limberi_take_filter(&b->take, &b->rig, &settings, 0), LIMBER_OK);
}

// --- the filter ---

static void constants_and_ramps_come_back_unchanged(void** state) {
    (void)state;
    for (double speed = 0; speed < 20; speed += 6.5) { // several whole turns
        bench b;
        bench_open(&b, 100, 60, false);
        for (uint32_t f = 0; f < 100; f++)
            bench_put(&b, f, 0.2 + speed * f / 60);
        run(&b, 2, 0.12, 0);
        for (uint32_t f = 0; f < 100; f++)
            for (int part = 0; part < 2; part++) // float rounding of steep ramps is all there is
                assert_true(fabs(bench_get(&b, f, 1, part, 0.2 + speed * f / 60) - (0.2 + speed * f / 60)) < 2e-5);
    }
}

static double step_signal(double t) {
    return t < 1 ? 0 : t > 1.2 ? 1 : (t - 1) / 0.2;
}

static void a_step_gets_anticipation_and_overshoot(void** state) {
    (void)state;
    bench b;
    bench_open(&b, 240, 120, false);
    for (uint32_t f = 0; f < 240; f++)
        bench_put(&b, f, step_signal(f / 120.0));
    run(&b, 1, 0.1, 0);
    for (int part = 0; part < 3; part++) {
        double min = 1, max = 0;
        uint32_t at_least = 0, at_most = 0;
        for (uint32_t f = 0; f < 240; f++) {
            double x = bench_get(&b, f, 1, part, 0.5);
            if (x < min) {
                min = x;
                at_least = f;
            }
            if (x > max) {
                max = x;
                at_most = f;
            }
        }
        assert_true(min < -0.1 && min > -0.3 && at_least > 100 && at_least < 120);
        assert_true(max > 1.1 && max < 1.3 && at_most > 144 && at_most < 164);
        assert_true(fabs(bench_get(&b, 5, 1, part, 0)) < 1e-5 && fabs(bench_get(&b, 235, 1, part, 1) - 1) < 1e-5);
    }
}

// A swing of frequency w grows by 1 + A (sigma w)^2 exp(-(sigma w)^2 / 2), at every frame of a loop and in its seam.
static void swings_grow_as_the_closed_form_says(void** state) {
    (void)state;
    const double amount = 0.7, sigma = 0.12, w = 2 * LIMBERI_PI * 2; // two swings a second
    double factor = 1 + amount * sigma * sigma * w * w * exp(-0.5 * sigma * sigma * w * w);
    bench b;
    bench_open(&b, 241, 240, true);
    for (uint32_t f = 0; f < 241; f++)
        bench_put(&b, f, 0.4 * sin(w * f / 240));
    run(&b, amount, sigma, 0);
    for (uint32_t f = 0; f < 241; f++)
        for (int part = 0; part < 3; part++)
            assert_true(fabs(bench_get(&b, f, 2, part, 0) - factor * 0.4 * sin(w * f / 240)) < 2e-4);
}

static double wiggle(double t) {
    return 0.8 * sin(5 * t) + 0.3 * sin(11 * t + 1) + 2 * t;
}

static void results_do_not_depend_on_the_frame_rate(void** state) {
    (void)state;
    double found[3][3][61];
    for (int i = 0; i < 3; i++) {
        uint32_t rate = 30u << i, frames = 2 * rate + 1;
        bench b;
        bench_open(&b, frames, rate, false);
        for (uint32_t f = 0; f < frames; f++)
            bench_put(&b, f, wiggle((double)f / rate));
        run(&b, 1, 0.12, 0.05);
        for (int part = 0; part < 3; part++)
            for (uint32_t k = 0; k < 61; k++)
                found[i][part][k] = bench_get(&b, k << i, 2, part, wiggle(k / 30.0));
    }
    for (int part = 0; part < 3; part++)
        for (uint32_t k = 0; k < 61; k++) {
            assert_true(fabs(found[1][part][k] - found[2][part][k]) < 0.006);
            assert_true(fabs(found[0][part][k] - found[2][part][k]) < 0.025);
        }
}

static void quaternion_signs_do_not_matter(void** state) {
    (void)state;
    bench b, flipped;
    bench_open(&b, 120, 60, false);
    for (uint32_t f = 0; f < 120; f++)
        bench_put(&b, f, wiggle(f / 60.0) * 3);
    bench_open(&flipped, 120, 60, false);
    memcpy(flipped.local, b.local, sizeof b.local);
    for (uint32_t i = 0; i < 120 * JOINTS; i++)
        if (i * 2654435761u >> 31) {
            limber_quat* q = &flipped.local[i].rotation;
            *q = (limber_quat){-q->x, -q->y, -q->z, -q->w};
        }
    run(&b, 0.8, 0.15, 0.03);
    run(&flipped, 0.8, 0.15, 0.03);
    for (uint32_t i = 0; i < 120 * JOINTS; i++) {
        limber_quat p = b.local[i].rotation, q = flipped.local[i].rotation;
        assert_true(fabsf(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w) > 1 - 1e-6f);
    }
}

// A wrist that a capture flips over within one frame did not turn; one that turns as far in two frames did, and is
// filtered like everything else that moves.
static void a_fast_turn_is_filtered_and_a_flip_is_not(void** state) {
    (void)state;
    for (uint32_t frames = 1; frames <= 2; frames++) {
        bench b;
        double x[100], turned = 0, moved = 0;
        bench_open(&b, 100, 60, false);
        for (uint32_t f = 0; f < 100; f++) {
            x[f] = 1.8 * fmin(fmax((f - 50.0) / frames, 0), 1);
            bench_put(&b, f, x[f]);
        }
        run(&b, 1, 0.1, 0);
        for (uint32_t f = 0; f < 100; f++) {
            turned = fmax(turned, fabs(bench_get(&b, f, 1, 1, x[f]) - x[f]));
            moved = fmax(moved, fabs(bench_get(&b, f, 1, 0, x[f]) - x[f]));
        }
        assert_true(moved > 0.1);
        assert_true(frames == 1 ? turned < 1e-5 : fabs(turned - moved) < 1e-4);
    }
}

static void nothing_is_smoothed_across_a_cut(void** state) {
    (void)state;
    bench b;
    bench_open(&b, 100, 60, false);
    b.segments[1] = 40;
    b.segments[2] = 100;
    b.take.segment_count = 2;
    for (uint32_t f = 0; f < 100; f++)
        bench_put(&b, f, f < 40 ? 0.3 : 2.5);
    run(&b, 2, 0.2, 0.1);
    for (uint32_t f = 0; f < 100; f++)
        for (int part = 0; part < 3; part++)
            assert_true(fabs(bench_get(&b, f, 2, part, f < 40 ? 0.3 : 2.5) - (f < 40 ? 0.3 : 2.5)) < 1e-5);
}

static void joints_down_the_chain_move_later(void** state) {
    (void)state;
    bench b;
    bench_open(&b, 120, 60, false);
    for (uint32_t f = 0; f < 120; f++)
        bench_put(&b, f, wiggle(f / 60.0));
    run(&b, 0, 0.12, 0.1); // six frames a level
    for (uint32_t f = 20; f < 120; f++)
        for (uint32_t j = 0; j < JOINTS; j++) {
            double x = wiggle((f - 6 * (double)j) / 60);
            assert_true(fabs(bench_get(&b, f, j, 1, x) - x) < 1e-5);
        }
    for (uint32_t f = 0; f < 6; f++)
        assert_true(fabs(bench_get(&b, f, 1, 1, 0) - wiggle(0)) < 1e-5);
}

static void joints_that_are_not_named_stay(void** state) {
    (void)state;
    bench b;
    bench_open(&b, 120, 60, false);
    for (uint32_t f = 0; f < 120; f++)
        bench_put(&b, f, wiggle(f / 60.0));
    const bool only_last[JOINTS] = {false, false, true};
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.amount = 1;
    settings.delay_s = 0.1;
    settings.filter_joints = only_last;
    assert_int_equal(limberi_take_filter(&b.take, &b.rig, &settings, 0), LIMBER_OK);
    double max = 0;
    for (uint32_t f = 0; f < 120; f++) {
        assert_true(fabs(bench_get(&b, f, 1, 1, wiggle(f / 60.0)) - wiggle(f / 60.0)) < 1e-6);
        max = fmax(max, fabs(bench_get(&b, f, 2, 1, wiggle(f / 60.0)) - wiggle(f / 60.0)));
    }
    assert_true(max > 0.05); // and it is the first of its chain, so it is not delayed
    assert_true(max < 1.2);
}

static limber_expression* of_time(const char* text) {
    const limber_expression_scope scope = {(1u << LIMBER_VARIABLE_FRAME_COUNT) - 1, false};
    limber_expression* made;
    assert_int_equal(limber_expression_create(text, &scope, &made, NULL), LIMBER_OK);
    return made;
}

// Stretchable cartoon editing, section 3: f~(t) = f(t) - A(t) (f * LoG_sigma(t))(t).
static void amounts_and_widths_may_change_with_time(void** state) {
    (void)state;
    static const struct {
        const char *amount, *sigma;
        double before[2], after[2]; // amount and sigma before and after one second
    } cases[] = {{"t < 1 ? 0.25 : 2", NULL, {0.25, 0.12}, {2, 0.12}},
                 {NULL, "t < 1 ? 0.05 : 0.2", {1, 0.05}, {1, 0.2}},
                 {"frame < 60 ? 0.5 : 1.5", "phase < 0.5 ? 0.2 : 0.06", {0.5, 0.2}, {1.5, 0.06}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bench b, first, second;
        bench_open(&b, 121, 60, false);
        bench_open(&first, 121, 60, false);
        bench_open(&second, 121, 60, false);
        for (uint32_t f = 0; f < 121; f++) {
            bench_put(&b, f, wiggle(f / 60.0));
            bench_put(&first, f, wiggle(f / 60.0));
            bench_put(&second, f, wiggle(f / 60.0));
        }
        limber_exaggerate_settings settings = limber_exaggerate_settings_default();
        limber_expression* amount = cases[c].amount ? of_time(cases[c].amount) : NULL;
        limber_expression* sigma = cases[c].sigma ? of_time(cases[c].sigma) : NULL;
        settings.amount = 1; // numbers multiply their formulas
        settings.sigma_s = sigma ? 1 : 0.12;
        settings.changes.amount = amount;
        settings.changes.sigma_s = sigma;
        assert_int_equal(limberi_take_filter(&b.take, &b.rig, &settings, 0), LIMBER_OK);
        run(&first, cases[c].before[0], cases[c].before[1], 0);
        run(&second, cases[c].after[0], cases[c].after[1], 0);
        for (uint32_t f = 0; f < 121; f++)
            for (int part = 0; part < 3; part++) {
                double x = bench_get(f < 60 ? &first : &second, f, 1, part, wiggle(f / 60.0));
                assert_true(fabs(bench_get(&b, f, 1, part, x) - x) < 1e-6);
            }
        limber_expression_destroy(amount);
        limber_expression_destroy(sigma);
    }
}

static void delays_may_change_with_time(void** state) {
    (void)state;
    bench b;
    bench_open(&b, 121, 60, false);
    for (uint32_t f = 0; f < 121; f++)
        bench_put(&b, f, wiggle(f / 60.0));
    limber_expression* delay = of_time("t < 1 ? 0 : 0.1");
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.delay_s = 1;
    settings.changes.delay_s = delay;
    assert_int_equal(limberi_take_filter(&b.take, &b.rig, &settings, 0), LIMBER_OK);
    for (uint32_t f = 0; f < 121; f++) {
        double x = wiggle((f < 60 ? f : f - 6) / 60.0);
        assert_true(fabs(bench_get(&b, f, 1, 1, x) - x) < 1e-5);
    }
    limber_expression_destroy(delay);
}

// How much the filter changes a jump of this height, of joint 1.
static double largest_change(double height, int part, double size) {
    bench b;
    double max = 0;
    bench_open(&b, 240, 120, false);
    for (uint32_t f = 0; f < 240; f++)
        bench_put(&b, f, height * step_signal(f / 120.0));
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.amount = 1;
    settings.sigma_s = 0.1;
    assert_int_equal(limberi_take_filter(&b.take, &b.rig, &settings, size), LIMBER_OK);
    for (uint32_t f = 0; f < 240; f++) {
        double was = height * step_signal(f / 120.0);
        max = fmax(max, fabs(bench_get(&b, f, 1, part, was) - was));
    }
    return max;
}

static void limited_changes_stay_small_and_small_ones_stay(void** state) {
    (void)state;
    static const double max[] = {0.3 * 5.8 / 2, 0.45, 0.5}; // of a bone at most 5.8 long, whose signal is half of it
    for (int part = 0; part < 3; part++) {
        double small = largest_change(0.2, part, 0), wild = largest_change(2.8, part, 0);
        assert_true(largest_change(0.2, part, 1) > 0.95 * small && largest_change(0.2, part, 1) < small);
        assert_true(largest_change(2.8, part, 1) < max[part] && largest_change(2.8, part, 1) < 0.9 * wild);
    }
}

// --- spreading ---

static double spread_at(const limberi_knot* knots, uint32_t count, limber_spread spread, double t) {
    limber_vec3 value = {0, 0, 0};
    limberi_spread_add(knots, count, spread, t, &value);
    return (double)value.y;
}

static void edits_fade_to_nothing_at_the_ends_of_their_window(void** state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        limber_spread spread = kind ? LIMBER_SPREAD_BILAPLACE : LIMBER_SPREAD_LAPLACE;
        limberi_knot knots[5] = {{0, {0, 0, 0}, {0, 0, 0}},
                                 {1, {0, 2, 0}, {0, 0, 0}},
                                 {1.3, {0, -1, 0}, {0, 0, 0}},
                                 {2, {0, 3, 0}, {0, 0, 0}}};
        double scratch[5];
        limberi_spread_prepare(knots, 3, 0.4, spread, scratch);
        assert_true(fabs(spread_at(knots, 3, spread, 1) - 2) < 1e-6);
        assert_true(fabs(spread_at(knots, 3, spread, 1.3) + 1) < 1e-6);
        assert_true(fabs(spread_at(knots, 3, spread, 2) - 3) < 1e-6);
        for (double t = -1; t < 0.6; t += 0.05)
            assert_true(spread_at(knots, 3, spread, t) == 0 && spread_at(knots, 3, spread, 3 - t) == 0);
        double h = 1e-3, slope = spread_at(knots, 3, spread, 0.6 + h) / h;
        double end_slope = spread_at(knots, 3, spread, 2.4 - h) / h;
        if (kind) // value and slope vanish together
            assert_true(fabs(slope) < 0.1 && fabs(end_slope) < 0.1);
        else // straight lines
            assert_true(fabs(slope - 2 / 0.4) < 1e-3 && fabs(end_slope - 3 / 0.4) < 1e-3);
    }
}

// d'''' = 0 between the keys and no jump of d'' in them: what makes it the solution of the bi-Laplace problem.
static void smooth_edits_solve_the_bilaplace_problem(void** state) {
    (void)state;
    limberi_knot knots[4] = {{0, {0, 0, 0}, {0, 0, 0}}, {1, {0, 2, 0}, {0, 0, 0}}, {1.5, {0, -1, 0}, {0, 0, 0}}};
    double scratch[4], h = 0.02;
    limberi_spread_prepare(knots, 2, 0.5, LIMBER_SPREAD_BILAPLACE, scratch);
    double d[5];
    for (double t = 0.56; t < 1.94; t += 0.1) {
        for (int i = 0; i < 5; i++)
            d[i] = spread_at(knots, 2, LIMBER_SPREAD_BILAPLACE, t + (i - 2) * h);
        bool near_key = fabs(t - 1) < 2.5 * h || fabs(t - 1.5) < 2.5 * h;
        assert_true(near_key || fabs(d[0] - 4 * d[1] + 6 * d[2] - 4 * d[3] + d[4]) < 2e-5);
    }
    for (int key = 1; key <= 2; key++) {
        double t = knots[key].time_s, e = 2e-3;
        double left = spread_at(knots, 2, LIMBER_SPREAD_BILAPLACE, t) -
                      2 * spread_at(knots, 2, LIMBER_SPREAD_BILAPLACE, t - 10 * e) +
                      spread_at(knots, 2, LIMBER_SPREAD_BILAPLACE, t - 20 * e);
        double right = spread_at(knots, 2, LIMBER_SPREAD_BILAPLACE, t) -
                       2 * spread_at(knots, 2, LIMBER_SPREAD_BILAPLACE, t + 10 * e) +
                       spread_at(knots, 2, LIMBER_SPREAD_BILAPLACE, t + 20 * e);
        assert_true(fabs(left - right) < 0.15 * fabs(left));
    }
}

static void smoothing_is_as_wide_at_every_rate(void** state) {
    (void)state;
    double width[3];
    for (int i = 0; i < 3; i++) {
        int rate = i == 0 ? 24 : 60 * i, middle = rate;
        limber_vec3 values[300], scratch[300];
        memset(values, 0, sizeof values);
        values[middle].x = 1;
        limberi_smooth(values, 1, (uint32_t)(2 * rate + 1), false, 1.0 / rate, 4, scratch);
        double sum = 0, square = 0;
        for (int f = 0; f <= 2 * rate; f++) {
            double t = (double)(f - middle) / rate;
            sum += (double)values[f].x;
            square += (double)values[f].x * t * t;
        }
        assert_true(fabs(sum - 1) < 1e-4);
        width[i] = sqrt(square);
    }
    assert_true(fabs(width[0] - width[2]) < 0.02 * width[2] && fabs(width[1] - width[2]) < 0.02 * width[2]);
    assert_true(fabs(width[2] - sqrt(4 * 0.5) / 30) < 0.02 * width[2]);
}

// --- rotations ---

static float apart(limber_vec3 a, limber_vec3 b) {
    return limberi_length(limberi_sub(a, b));
}

static void rotations_fit_the_directions_of_the_children(void** state) {
    (void)state;
    const limber_vec3 from[] = {{1, 0, 0}, {0.2f, 0.9f, 0}, {-0.3f, 0.1f, 2}, {0, -1, 0.5f}};
    for (int i = 1; i < 40; i++) {
        limber_quat turn = limberi_quat_exp(limberi_vec3(0.07f * (float)i, 0.02f * (float)i, -0.03f * (float)i));
        limber_vec3 to[4];
        for (int k = 0; k < 4; k++)
            to[k] = limberi_scale(limberi_quat_rotate(turn, from[k]), 1.5f); // longer bones do not matter
        for (uint32_t count = 2; count <= 4; count++) {
            limber_quat found = limberi_fit_rotation(from, to, count);
            for (uint32_t k = 0; k < count; k++)
                assert_true(apart(limberi_quat_rotate(found, from[k]), limberi_scale(to[k], 1 / 1.5f)) < 1e-5f);
        }
        limber_quat one = limberi_fit_rotation(from, to, 1);
        assert_true(apart(limberi_quat_rotate(one, from[0]), limberi_normalize(to[0])) < 1e-5f);
        // The shortest arc turns about an axis across both.
        assert_true(fabsf(limberi_dot(limberi_vec3(one.x, one.y, one.z), from[0])) < 1e-5f);
    }
}

static void what_the_children_leave_open_stays_as_it_was(void** state) {
    (void)state;
    // Both children in one line: the twist about it is free.
    const limber_vec3 from[] = {{0, 1, 0}, {0, 2, 0}}, to[] = {{1, 0, 0}, {2, 0, 0}};
    limber_quat found = limberi_fit_rotation(from, to, 2), arc = limberi_fit_rotation(from, to, 1);
    assert_true(fabsf(found.x - arc.x) + fabsf(found.y - arc.y) + fabsf(found.z - arc.z) < 1e-4f);
    limber_quat none = limberi_fit_rotation(from, to, 0);
    assert_true(none.w == 1);
}

// Two children, `angle` apart, that turn by half a radian about the line between them: how much of that the joint takes.
static double twist_followed(float angle) {
    const limber_vec3 from[] = {{sinf(0.5f * angle), cosf(0.5f * angle), 0},
                                {-sinf(0.5f * angle), cosf(0.5f * angle), 0}};
    limber_quat turn = limberi_quat_exp(limberi_vec3(0, 0.5f, 0));
    const limber_vec3 to[] = {limberi_quat_rotate(turn, from[0]), limberi_quat_rotate(turn, from[1])};
    limber_quat found = limberi_fit_rotation(from, to, 2);
    assert_true(fabsf(found.x) + fabsf(found.z) < 1e-5f);
    return 2 * atan2((double)found.y, (double)found.w) / 0.5;
}

// Children side by side say little about the twist: 1 - cos(angle) is to be 0.3 at least, 45.6 degrees.
static void children_side_by_side_hardly_twist_their_joint(void** state) {
    (void)state;
    const float degree = (float)LIMBERI_PI / 180;
    assert_true(fabs(twist_followed(90 * degree) - 1) < 1e-4);
    assert_true(fabs(twist_followed(46.5f * degree) - 1) < 1e-4);
    assert_true(twist_followed(44 * degree) < 0.99);
    assert_true(twist_followed(30 * degree) < 0.7);
    assert_true(twist_followed(5 * degree) < 0.05);
}

// A bone that is drawn through its joint and out on the other side: the joint never spins.
static void a_bone_that_folds_over_turns_its_joint_without_a_jump(void** state) {
    (void)state;
    const limber_vec3 from = {0, 1, 0};
    limber_quat before = limberi_quat_identity();
    for (int i = 0; i <= 400; i++) {
        float angle = 0.01f * (float)i * 1.5f;
        limber_vec3 to = {sinf(angle), cosf(angle), 0};
        limber_quat now = limberi_fit_rotation(&from, &to, 1);
        float dot = now.x * before.x + now.y * before.y + now.z * before.z + now.w * before.w;
        assert_true(2 * acosf(fminf(fabsf(dot), 1)) < 0.05f);
        if (angle < 2)
            assert_true(apart(limberi_quat_rotate(now, from), to) < 1e-5f);
        before = now;
    }
}

// --- what the joints of the clip do ---

// Three joints of a robot that the clip turns by `angle_rad`: which of them are edited as one piece with their parent.
static uint32_t count_fixed(double angle_rad, bool automatic) {
    static const bool stiff[JOINTS] = {true, true, true};
    bool fixed[JOINTS] = {false, false, false};
    bench b;
    bench_open(&b, 20, 30, false);
    for (uint32_t f = 0; f < 20; f++)
        bench_put(&b, f, f < 15 ? 0.4 : 0.4 + angle_rad);
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.automatic = automatic;
    settings.stiff = stiff;
    limber_model model = {.rig = b.rig};
    limberi_editor e = {.model = &model, .settings = &settings, .source = b.take, .take = b.take, .fixed = fixed};
    limberi_editor_find_fixed(&e);
    return (uint32_t)(fixed[0] + fixed[1] + fixed[2]);
}

// The fingers of a robot that a clip never bends stay straight; the ones that it bends by a third of a degree do not.
static void joints_that_a_clip_hardly_turns_move_with_their_parent(void** state) {
    (void)state;
    assert_int_equal(count_fixed(0, true), 2); // not the root
    assert_int_equal(count_fixed(0.0045, true), 2);
    assert_int_equal(count_fixed(-0.0045, true), 2);
    assert_int_equal(count_fixed(0.0055, true), 0);
    assert_int_equal(count_fixed(-0.0055, true), 0);
    assert_int_equal(count_fixed(0, false), 0); // edits by hand bend what they like
}

static void speeds_are_smoothed_over_a_thirtieth_of_a_second(void** state) {
    (void)state;
    static const struct { uint32_t rate, reach; } cases[] = {{24, 1}, {30, 1}, {60, 2}, {120, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t frames = cases[i].rate + 1, start = 12, reach = cases[i].reach;
        limber_vec3 positions[121 * JOINTS];
        bench b;
        bench_open(&b, frames, cases[i].rate, false);
        for (uint32_t f = 0; f < frames; f++)
            for (uint32_t j = 0; j < JOINTS; j++) // joint 0 never moves, the others go off together, one unit a second
                positions[f * JOINTS + j] =
                    limberi_vec3(0, j && f > start ? (float)(f - start) / (float)cases[i].rate : 0, (float)j);
        limberi_editor e = {.size = 2, .take = b.take, .positions = positions};
        assert_true(limberi_editor_speed(&e, 0, 1, -1) == 0 && limberi_editor_speed(&e, start - reach, 1, -1) == 0);
        assert_true(fabs(limberi_editor_speed(&e, start, 1, -1) - 0.25) < 1e-5);
        assert_true(fabs(limberi_editor_speed(&e, start + reach, 1, -1) - 0.5) < 1e-5);
        assert_true(fabs(limberi_editor_speed(&e, frames - 1, 1, -1) - 0.5) < 1e-5);
        assert_true(fabs(limberi_editor_speed(&e, frames - 1, 1, 0) - 0.5) < 1e-5);
        assert_true(limberi_editor_speed(&e, frames - 1, 1, 2) < 1e-6); // seen from one that goes along
        e.size = 0;
        assert_true(limberi_editor_speed(&e, frames - 1, 1, -1) == 0);
    }
}

// --- whole clips ---

typedef struct edited_tube {
    limber_asset* asset;
    const limber_model* model;
    limber_exaggerated* edited;
    limber_pose pose;
} edited_tube;

static void tube_open(edited_tube* t, const limber_exaggerate_settings* settings) {
    limber_error error;
    t->asset = test_tube_create(5, 1.2f, 30, true);
    t->model = limber_asset_model(t->asset);
    if (limber_exaggerate(t->model, &t->model->clips[0], 0, settings, &t->edited, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    assert_int_equal(limber_pose_create(t->model, &t->pose), LIMBER_OK);
}

static void tube_close(edited_tube* t) {
    limber_pose_destroy(&t->pose);
    limber_exaggerated_destroy(t->edited);
    limber_asset_destroy(t->asset);
}

static limber_vec3 tube_place(edited_tube* t, bool edited, uint32_t joint, double time_s) {
    limber_clip_sample(t->model, edited ? limber_exaggerated_clip(t->edited) : &t->model->clips[0], time_s, &t->pose);
    limber_pose_update_world(t->model, &t->pose);
    return limberi_mat4_translation(&t->pose.world_from_joint[joint]);
}

static void elongation_pulls_a_joint_away_from_its_parent(void** state) {
    (void)state;
    limber_constraint tip = limber_constraint_default();
    tip.joint = 4;
    tip.weight = 1e6f;
    tip.elongate.value = 0.1f;
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.constraints = &tip;
    settings.constraint_count = 1;
    edited_tube t;
    tube_open(&t, &settings);
    for (double time_s = 0; time_s <= 1; time_s += 0.1) {
        limber_vec3 was = tube_place(&t, false, 4, time_s), above = tube_place(&t, false, 3, time_s);
        limber_vec3 wanted =
            limberi_add(was, limberi_scale(limberi_normalize(limberi_sub(was, above)), 0.1f * t.model->size));
        assert_true(apart(tube_place(&t, true, 4, time_s), wanted) < 2e-3f * t.model->size);
        assert_true(apart(tube_place(&t, true, 0, time_s), tube_place(&t, false, 0, time_s)) < 1e-6f);
    }
    tube_close(&t);
}

static void formulas_know_time_and_speed(void** state) {
    (void)state;
    limber_expression* formula;
    assert_int_equal(limber_expression_create("0.3 * speed * step(0.5, t)", NULL, &formula, NULL), LIMBER_OK);
    limber_constraint tip = limber_constraint_default();
    tip.joint = 4;
    tip.elongate.expression = formula;
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.constraints = &tip;
    settings.constraint_count = 1;
    edited_tube t;
    tube_open(&t, &settings);
    assert_true(apart(tube_place(&t, true, 4, 0.3), tube_place(&t, false, 4, 0.3)) < 1e-6f);
    assert_true(apart(tube_place(&t, true, 4, 0.8), tube_place(&t, false, 4, 0.8)) > 0.02f * t.model->size);
    tube_close(&t);
    limber_expression_destroy(formula);
}

static void keys_move_a_joint_within_their_window_only(void** state) {
    (void)state;
    limber_target_key key = {0.5, {0, 0.05f, 0.2f}};
    limber_constraint tip = limber_constraint_default();
    tip.joint = 4;
    tip.weight = 1e6f;
    tip.keys = &key;
    tip.key_count = 1;
    tip.window_s = 0.2;
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.constraints = &tip;
    settings.constraint_count = 1;
    for (int relative = 0; relative < 2; relative++) {
        edited_tube t;
        tip.relative = relative;
        key.position = relative ? limberi_vec3(0, 0.05f, 0.2f) : limberi_vec3(1, 3, 2);
        tube_open(&t, &settings);
        limber_vec3 was = tube_place(&t, false, 4, 0.5);
        limber_vec3 wanted = relative ? limberi_add(was, limberi_scale(key.position, t.model->size)) : key.position;
        assert_true(apart(tube_place(&t, true, 4, 0.5), wanted) < 1e-4f * t.model->size);
        for (double time_s = 0; time_s <= 1; time_s += 1 / 30.0)
            if (fabs(time_s - 0.5) > 0.2 + 1e-6)
                for (uint32_t j = 0; j < 5; j++)
                    assert_true(apart(tube_place(&t, true, j, time_s), tube_place(&t, false, j, time_s)) < 1e-5f);
        tube_close(&t);
    }
}

static void settings_that_do_nothing_share_the_clip(void** state) {
    (void)state;
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    edited_tube t;
    assert_false(limber_exaggerate_is_on(&settings));
    tube_open(&t, &settings);
    assert_ptr_equal(limber_exaggerated_clip(t.edited)->channels, t.model->clips[0].channels);
    tube_close(&t);
}

static void stretched_bones_stretch_the_skin_but_not_the_children(void** state) {
    (void)state;
    limber_constraint tip = limber_constraint_default();
    tip.joint = 4;
    tip.weight = 100;
    tip.elongate.value = 0.2f;
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.constraints = &tip;
    settings.constraint_count = 1;
    edited_tube t;
    tube_open(&t, &settings);
    assert_true(limber_exaggerated_stretch_count(t.edited) > 0);
    double time_s = 0.4;
    limber_vec3 tip_now = tube_place(&t, true, 4, time_s), here = tube_place(&t, true, 3, time_s);
    limber_mat4 world[5];
    memcpy(world, t.pose.world_from_joint, sizeof world);
    limber_exaggerated_stretch_pose(t.edited, time_s, world);
    // A point of the skin at the old end of bone 3 now lies at its new end.
    limber_vec3 end = limberi_mat4_point(&world[3], limberi_vec3(0, 1, 0));
    assert_true(apart(end, tip_now) < 1e-3f && apart(here, limberi_mat4_translation(&world[3])) == 0);
    for (int c = 0; c < 3; c++) // no scale in the joints themselves
        for (uint32_t j = 0; j < 5; j++)
            assert_true(fabsf(limberi_length(limberi_mat4_column(&t.pose.world_from_joint[j], c)) - 1) < 1e-4f);
    // Across the bone nothing changes.
    assert_true(fabsf(limberi_length(limberi_mat4_column(&world[3], 0)) - 1) < 1e-4f);
    tube_close(&t);
    settings.stretch_skin = false;
    tube_open(&t, &settings);
    assert_int_equal(limber_exaggerated_stretch_count(t.edited), 0);
    tube_close(&t);
}

// A joint that moves no skin, as those that swords are put into do, changes nothing for the others.
static void a_socket_without_skin_does_not_count(void** state) {
    (void)state;
    enum { SOCKET = 5, JOINTS_HERE };
    limber_constraint tip = limber_constraint_default();
    tip.joint = 4;
    tip.elongate.value = 0.1f;
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.constraints = &tip;
    settings.constraint_count = 1;
    edited_tube plain, t;
    tube_open(&plain, &settings);
    limber_model model = *plain.model;
    const char* names[JOINTS_HERE] = {[SOCKET] = "Socket"};
    int32_t parents[JOINTS_HERE] = {[SOCKET] = 3};
    limber_transform rest[JOINTS_HERE] = {[SOCKET] = limber_transform_identity()};
    rest[SOCKET].translation = limberi_vec3(0.3f, 0.5f, 0);
    for (int j = 0; j < SOCKET; j++) {
        names[j] = model.rig.names[j];
        parents[j] = model.rig.parents[j];
        rest[j] = model.rig.rest_local[j];
    }
    model.rig.joint_count = JOINTS_HERE;
    model.rig.names = names;
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    assert_int_equal(limber_asset_create(&model, &t.asset, NULL), LIMBER_OK);
    t.model = limber_asset_model(t.asset);
    assert_int_equal(limber_exaggerate(t.model, &t.model->clips[0], 0, &settings, &t.edited, NULL), LIMBER_OK);
    assert_int_equal(limber_pose_create(t.model, &t.pose), LIMBER_OK);
    for (double time_s = 0; time_s <= 1; time_s += 0.1)
        for (uint32_t j = 0; j < SOCKET; j++)
            assert_true(apart(tube_place(&t, true, j, time_s), tube_place(&plain, true, j, time_s)) < 1e-5f);
    tube_close(&t);
    tube_close(&plain);
}

static void wrong_settings_are_refused(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, true);
    const limber_model* model = limber_asset_model(asset);
    limber_exaggerated* edited;
    limber_error error;
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    limber_target_key keys[2] = {{0.5, {0, 0, 0}}, {0.5, {0, 0, 0}}};
    limber_constraint c = limber_constraint_default();
    settings.constraints = &c;
    settings.constraint_count = 1;
    c.joint = 3;
    assert_int_equal(limber_exaggerate(model, &model->clips[0], 0, &settings, &edited, &error), LIMBER_ERROR_ARGUMENT);
    c.joint = 2;
    c.keys = keys;
    c.key_count = 2;
    assert_int_equal(limber_exaggerate(model, &model->clips[0], 0, &settings, &edited, &error), LIMBER_ERROR_ARGUMENT);
    settings.constraint_count = 0;
    settings.amount = NAN;
    assert_int_equal(limber_exaggerate(model, &model->clips[0], 0, &settings, &edited, &error), LIMBER_ERROR_ARGUMENT);
    settings.amount = 1;
    assert_int_equal(limber_exaggerate(model, &model->clips[0], 1e9, &settings, &edited, &error), LIMBER_ERROR_LIMIT);
    assert_null(edited);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_and_ramps_come_back_unchanged),
        cmocka_unit_test(a_step_gets_anticipation_and_overshoot),
        cmocka_unit_test(swings_grow_as_the_closed_form_says),
        cmocka_unit_test(results_do_not_depend_on_the_frame_rate),
        cmocka_unit_test(quaternion_signs_do_not_matter),
        cmocka_unit_test(a_fast_turn_is_filtered_and_a_flip_is_not),
        cmocka_unit_test(nothing_is_smoothed_across_a_cut),
        cmocka_unit_test(joints_down_the_chain_move_later),
        cmocka_unit_test(joints_that_are_not_named_stay),
        cmocka_unit_test(amounts_and_widths_may_change_with_time),
        cmocka_unit_test(delays_may_change_with_time),
        cmocka_unit_test(limited_changes_stay_small_and_small_ones_stay),
        cmocka_unit_test(edits_fade_to_nothing_at_the_ends_of_their_window),
        cmocka_unit_test(smooth_edits_solve_the_bilaplace_problem),
        cmocka_unit_test(smoothing_is_as_wide_at_every_rate),
        cmocka_unit_test(rotations_fit_the_directions_of_the_children),
        cmocka_unit_test(what_the_children_leave_open_stays_as_it_was),
        cmocka_unit_test(children_side_by_side_hardly_twist_their_joint),
        cmocka_unit_test(a_bone_that_folds_over_turns_its_joint_without_a_jump),
        cmocka_unit_test(joints_that_a_clip_hardly_turns_move_with_their_parent),
        cmocka_unit_test(speeds_are_smoothed_over_a_thirtieth_of_a_second),
        cmocka_unit_test(elongation_pulls_a_joint_away_from_its_parent),
        cmocka_unit_test(formulas_know_time_and_speed),
        cmocka_unit_test(keys_move_a_joint_within_their_window_only),
        cmocka_unit_test(settings_that_do_nothing_share_the_clip),
        cmocka_unit_test(stretched_bones_stretch_the_skin_but_not_the_children),
        cmocka_unit_test(a_socket_without_skin_does_not_count),
        cmocka_unit_test(wrong_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
