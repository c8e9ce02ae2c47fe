// The cartoon animation filter (stretchable cartoon editing, section 3, after Wang et al. 2006). The convolution with
// the Laplacian of a Gaussian is the convolution of the second derivative with the Gaussian. Of a signal that is
// straight between its frames, the second derivative is a spike of (second difference / step) at each frame, so the sum
// below is exact for it: constants and ramps come back as they were, up to the very ends, and frame rates agree. LoG is
// taken times sigma^2, so that the amount means the same for every width.
//
// A rotation's signal is its path in log space: the steps log(q[i+1] q[i]^-1), each the short way round, which is why
// neither the signs of the quaternions nor whole turns matter.
#include "perform/exaggerate/cartoon_filter.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/turns.h"

#include <string.h>

static const double gauss_reach = 5; // in sigmas
static const double flip_rad = 0.7;  // a turn in one frame, and against the frames beside it
static const double flip_ratio = 4;
static const double largest_change = 1e4; // keeps absurd amounts finite
// Of formulas, as of the keys; s.
static const double largest_amount = 100;
static const double largest_sigma = 10;
static const double smallest_sigma = 0.001;
static const double largest_delay = 10;
// What the changes approach where limits are asked for: rad; L, of a root; and of how long the bone is at most.
static const double max_turn = 0.45;
static const double max_travel = 0.1;
static const double max_slide = 0.3;
static const double max_growth = 0.5;

uint32_t limberi_gauss_reach(double sigma_s, double step_s, uint32_t max) {
    double reach = step_s > 0 ? ceil(gauss_reach * sigma_s / step_s) : 0;
    return reach < max ? (uint32_t)reach : max;
}

void limberi_gauss(double amount, double sigma_s, double step_s, uint32_t reach, double* gauss) {
    double scale = sigma_s > 0 && step_s > 0 ? -amount * sigma_s / (step_s * sqrt(2 * LIMBERI_PI)) : 0;
    for (uint32_t k = 0; k <= reach; k++) {
        double x = sigma_s > 0 ? k * step_s / sigma_s : 0;
        gauss[k] = scale * exp(-0.5 * x * x);
    }
}

static void add_bend(const double* bend, double weight, double* change) {
    change[0] += weight * bend[0];
    change[1] += weight * bend[1];
    change[2] += weight * bend[2];
}

void limberi_cartoon(const double* bends, uint32_t count, bool loops, const double* gauss, size_t stride,
                     uint32_t reach, double* change) {
    for (uint32_t j = 0; j < count; j++) {
        const double* bend = bends + 3 * (size_t)j;
        if (bend[0] == 0 && bend[1] == 0 && bend[2] == 0)
            continue;
        add_bend(bend, gauss[j * stride], change + 3 * (size_t)j);
        for (uint32_t k = 1; k <= reach; k++) {
            size_t after = (j + (size_t)k) % count;
            size_t before = (j + (size_t)count - k % count) % count;
            if (loops || j + k < count)
                add_bend(bend, gauss[after * stride + k], change + 3 * after);
            if (loops || k <= j)
                add_bend(bend, gauss[before * stride + k], change + 3 * before);
        }
    }
}

// --- the signals of one joint ---

typedef struct filter_work {
    limberi_take* take;
    const limber_rig* rig;
    uint32_t first, count; // the frames of the segment; of a loop without its last, which is its first
    bool loops;
    uint32_t reach;
    size_t room;   // numbers of a Gaussian
    size_t stride; // between the Gaussians of two frames; 0: one for all
    double size;   // 0: no limits
    double *gauss, *steps, *bends, *change;
} filter_work;

static limber_transform* frame_at(const filter_work* w, uint32_t i, uint32_t joint) {
    return limberi_take_at(w->take, w->first + i % w->count, joint);
}

static void rotation_step(limber_quat a, limber_quat b, double* step) {
    const double ax = (double)a.x;
    const double ay = (double)a.y;
    const double az = (double)a.z;
    const double aw = (double)a.w;
    const double bx = (double)b.x;
    const double by = (double)b.y;
    const double bz = (double)b.z;
    const double bw = (double)b.w;
    double x = bx * aw - bw * ax - by * az + bz * ay;
    double y = by * aw - bw * ay - bz * ax + bx * az;
    double z = bz * aw - bw * az - bx * ay + by * ax;
    double w = bw * aw + bx * ax + by * ay + bz * az;
    double sine = sqrt(x * x + y * y + z * z);
    double scale = sine > 1e-12 ? 2 * atan2(sine, fabs(w)) / sine : 2;
    scale = w < 0 ? -scale : scale;
    step[0] = x * scale;
    step[1] = y * scale;
    step[2] = z * scale;
}

static void vector_step(limber_vec3 a, limber_vec3 b, bool logarithms, double* step) {
    const double from[3] = {(double)a.x, (double)a.y, (double)a.z};
    const double to[3] = {(double)b.x, (double)b.y, (double)b.z};
    for (int i = 0; i < 3; i++)
        step[i] = logarithms ? log(to[i] / from[i]) : to[i] - from[i];
}

static void measure_step(const filter_work* w, uint32_t joint, limber_channel_path path, uint32_t i) {
    const limber_transform* a = frame_at(w, i, joint);
    const limber_transform* b = frame_at(w, i + 1, joint);
    double* step = w->steps + 3 * (size_t)i;
    if (path == LIMBER_CHANNEL_ROTATION)
        rotation_step(a->rotation, b->rotation, step);
    else if (path == LIMBER_CHANNEL_TRANSLATION)
        vector_step(a->translation, b->translation, false, step);
    else
        vector_step(a->scale, b->scale, true, step);
}

// Scales are filtered by their logarithms; those that pass through 0 are left alone.
static bool has_logarithms(const filter_work* w, uint32_t joint) {
    for (uint32_t i = 0; i < w->count; i++) {
        limber_vec3 s = frame_at(w, i, joint)->scale;
        if (!(s.x > 1e-6f && s.y > 1e-6f && s.z > 1e-6f))
            return false;
    }
    return true;
}

static double step_length(const filter_work* w, uint32_t i) {
    const double* step = w->steps + 3 * (size_t)i;
    return limberi_length3(step);
}

// A captured joint that flips over within one frame and moves on as if nothing had happened did not move there: its
// path goes on after the jump as it came.
static void drop_flips(const filter_work* w, uint32_t steps) {
    for (uint32_t i = 0; i < steps; i++) {
        double* step = w->steps + 3 * (size_t)i;
        double here = step_length(w, i);
        uint32_t before = w->loops ? steps - 1 : 1;
        uint32_t after = w->loops ? 0 : i - 1;
        if (i)
            before = i - 1;
        if (i + 1 < steps)
            after = i + 1;
        if (here < flip_rad || steps < 3 || here < flip_ratio * step_length(w, before) ||
            here < flip_ratio * step_length(w, after))
            continue;
        for (int k = 0; k < 3; k++)
            step[k] = 0.5 * (w->steps[3 * (size_t)before + (size_t)k] + w->steps[3 * (size_t)after + (size_t)k]);
    }
}

static double* bend_at(const filter_work* w, uint32_t i) {
    return w->bends + 3 * (size_t)i;
}

// Whether the signal bends at all. Beyond its ends a signal goes on straight; the half frame there that still belongs
// to it bends like its neighbour.
static bool measure_bends(const filter_work* w, uint32_t joint, limber_channel_path path) {
    uint32_t steps = w->loops ? w->count : w->count - 1;
    uint32_t last = w->count - 1;
    bool any = false;
    for (uint32_t i = 0; i < steps; i++)
        measure_step(w, joint, path, i);
    if (path == LIMBER_CHANNEL_ROTATION)
        drop_flips(w, steps);
    for (uint32_t i = w->loops ? 0 : 1; i < steps; i++)
        for (int k = 0; k < 3; k++) {
            bend_at(w, i)[k] =
                w->steps[3 * (size_t)i + (size_t)k] - w->steps[3 * (size_t)(i ? i - 1 : last) + (size_t)k];
            any = any || bend_at(w, i)[k] != 0;
        }
    for (int k = 0; !w->loops && k < 3; k++) {
        bend_at(w, 0)[k] = last > 1 ? 0.5 * bend_at(w, 1)[k] : 0;
        bend_at(w, last)[k] = last > 1 ? 0.5 * bend_at(w, last - 1)[k] : 0;
    }
    return any;
}

static void apply_change(limber_transform* t, limber_channel_path path, const double* change) {
    double c[3];
    for (int i = 0; i < 3; i++)
        c[i] = fmin(fmax(change[i], -largest_change), largest_change);
    limber_vec3 v = limberi_vec3((float)c[0], (float)c[1], (float)c[2]);
    if (path == LIMBER_CHANNEL_ROTATION)
        t->rotation = limberi_quat_normalize(limberi_quat_mul(limberi_quat_exp(v), t->rotation));
    else if (path == LIMBER_CHANNEL_TRANSLATION)
        t->translation =
            limberi_vec3((float)((double)t->translation.x + change[0]), (float)((double)t->translation.y + change[1]),
                         (float)((double)t->translation.z + change[2]));
    else
        t->scale = limberi_vec3((float)((double)t->scale.x * exp(fmin(c[0], 10))),
                                (float)((double)t->scale.y * exp(fmin(c[1], 10))),
                                (float)((double)t->scale.z * exp(fmin(c[2], 10))));
}

static double max_change(const filter_work* w, uint32_t joint, limber_channel_path path) {
    if (path == LIMBER_CHANNEL_ROTATION)
        return max_turn;
    if (path == LIMBER_CHANNEL_SCALE)
        return max_growth;
    if (w->rig->parents[joint] < 0)
        return max_travel * w->size;
    double length = 0;
    for (uint32_t i = 0; i < w->count; i++)
        length = fmax(length, (double)limberi_length(frame_at(w, i, joint)->translation));
    return max_slide * length;
}

static void limit_changes(const filter_work* w, double max) {
    for (uint32_t i = 0; i < w->count; i++) {
        double* c = w->change + 3 * (size_t)i;
        double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        double part = max > 0 ? 1 / sqrt(1 + square / (max * max)) : 0;
        for (int k = 0; k < 3; k++)
            c[k] *= part;
    }
}

static void filter_channel(const filter_work* w, uint32_t joint, limber_channel_path path) {
    if (path == LIMBER_CHANNEL_SCALE && !has_logarithms(w, joint))
        return;
    if (!measure_bends(w, joint, path))
        return;
    memset(w->change, 0, 3 * (size_t)w->count * sizeof *w->change);
    limberi_cartoon(w->bends, w->count, w->loops, w->gauss, w->stride, w->reach, w->change);
    if (w->size > 0)
        limit_changes(w, max_change(w, joint, path));
    for (uint32_t i = 0; i < w->count; i++)
        apply_change(frame_at(w, i, joint), path, w->change + 3 * (size_t)i);
}

// --- delay ---

static bool same_vector(limber_vec3 a, limber_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_place(const limber_transform* a, const limber_transform* b) {
    return same_vector(a->translation, b->translation) && same_vector(a->scale, b->scale) &&
           a->rotation.x == b->rotation.x && a->rotation.y == b->rotation.y && a->rotation.z == b->rotation.z &&
           a->rotation.w == b->rotation.w;
}

static bool moves(const limberi_take* take, uint32_t joint) {
    const limber_transform* first = limberi_take_at(take, 0, joint);
    for (uint32_t f = 1; f < take->frame_count; f++)
        if (!same_place(first, limberi_take_at(take, f, joint)))
            return true;
    return false;
}

limber_transform limberi_transform_blend(const limber_transform* a, const limber_transform* b, double part) {
    float t = (float)part;
    limber_transform out = {limberi_lerp(a->translation, b->translation, t), a->rotation,
                            limberi_lerp(a->scale, b->scale, t)};
    double turn[3];
    rotation_step(a->rotation, b->rotation, turn);
    limber_vec3 v = limberi_vec3((float)(turn[0] * part), (float)(turn[1] * part), (float)(turn[2] * part));
    out.rotation = limberi_quat_normalize(limberi_quat_mul(limberi_quat_exp(v), a->rotation));
    return out;
}

static void delay_joint(limberi_take* take, uint32_t joint, double delay_s, const limber_expression* formula,
                        limber_transform* scratch) {
    for (uint32_t f = 0; f < take->frame_count; f++) {
        double later_s = delay_s * limberi_take_formula(take, formula, f, largest_delay);
        limberi_between at = limberi_take_between(take, f, limberi_take_time(take, f) - later_s);
        const limber_transform* a = limberi_take_at(take, at.a, joint);
        scratch[f] = at.part > 0 ? limberi_transform_blend(a, limberi_take_at(take, at.b, joint), at.part) : *a;
    }
    for (uint32_t f = 0; f < take->frame_count; f++)
        *limberi_take_at(take, f, joint) = scratch[f];
}

// Levels count the joints that move; the first of a chain is not delayed.
static limber_result delay_all(limberi_take* take, const limber_rig* rig, const limber_exaggerate_settings* settings) {
    int32_t* level = limberi_allocate_zeroed((size_t)take->joint_count + 1, sizeof *level);
    limber_transform* scratch = limberi_allocate_zeroed((size_t)take->frame_count + 1, sizeof *scratch);
    for (uint32_t j = 0; level && scratch && j < take->joint_count; j++) {
        level[j] = rig->parents[j] < 0 ? 0 : level[rig->parents[j]]; // of this joint, when it moves
        if ((settings->filter_joints && !settings->filter_joints[j]) || !moves(take, j))
            continue;
        if (level[j] > 0)
            delay_joint(take, j, level[j] * settings->delay_s, settings->changes.delay_s, scratch);
        level[j]++;
    }
    limber_result result = level && scratch ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    limberi_release(level);
    limberi_release(scratch);
    return result;
}

// --- all of it ---

static bool changes(const limber_exaggerate_settings* settings) {
    return settings->changes.amount || settings->changes.sigma_s;
}

static double sigma_at(const limberi_take* take, const limber_exaggerate_settings* settings, uint32_t frame) {
    double sigma_s = settings->sigma_s * limberi_take_formula(take, settings->changes.sigma_s, frame, largest_sigma);
    return sigma_s > smallest_sigma ? sigma_s : smallest_sigma;
}

static double widest_sigma(const limberi_take* take, const limber_exaggerate_settings* settings) {
    double widest = settings->changes.sigma_s ? 0 : settings->sigma_s;
    for (uint32_t f = 0; settings->changes.sigma_s && f < take->frame_count; f++) {
        double sigma_s = sigma_at(take, settings, f);
        widest = sigma_s > widest ? sigma_s : widest;
    }
    return widest;
}

// One for all frames, or one for each.
static void prepare_gauss(filter_work* w, const limber_exaggerate_settings* settings) {
    const limberi_take* take = w->take;
    w->reach =
        limberi_gauss_reach(widest_sigma(take, settings), take->step_s, take->loops ? 4 * w->count : w->count - 1);
    w->stride = 0;
    if (!changes(settings)) {
        limberi_gauss(settings->amount, settings->sigma_s, take->step_s, w->reach, w->gauss);
        return;
    }
    if (w->reach + (size_t)1 > w->room)
        w->reach = (uint32_t)w->room - 1;
    w->stride = w->reach + (size_t)1;
    for (uint32_t i = 0; i < w->count; i++) {
        double amount =
            settings->amount * limberi_take_formula(take, settings->changes.amount, w->first + i, largest_amount);
        limberi_gauss(amount, sigma_at(take, settings, w->first + i), take->step_s, w->reach, w->gauss + i * w->stride);
    }
}

static void filter_segment(filter_work* w, const limber_exaggerate_settings* settings, uint32_t segment) {
    limberi_take* take = w->take;
    w->first = take->segments[segment];
    w->loops = take->loops;
    w->count = take->segments[segment + 1] - w->first - (w->loops ? 1 : 0);
    if (w->count < 2)
        return;
    prepare_gauss(w, settings);
    for (uint32_t j = 0; j < take->joint_count; j++) {
        if (settings->filter_joints && !settings->filter_joints[j])
            continue;
        filter_channel(w, j, LIMBER_CHANNEL_TRANSLATION);
        filter_channel(w, j, LIMBER_CHANNEL_ROTATION);
        filter_channel(w, j, LIMBER_CHANNEL_SCALE);
        if (w->loops)
            *limberi_take_at(take, w->count, j) = *limberi_take_at(take, 0, j);
    }
}

limber_result limberi_take_filter(limberi_take* take, const limber_rig* rig, const limber_exaggerate_settings* settings,
                                  double size) {
    if (settings->amount != 0) {
        limberi_arena scratch = {NULL, false};
        size_t numbers = 3 * (size_t)take->frame_count;
        filter_work w = {.take = take, .rig = rig, .size = size};
        w.room = 4 * (size_t)take->frame_count + 1;
        if (changes(settings))
            w.room = limberi_gauss_reach(widest_sigma(take, settings), take->step_s, (uint32_t)w.room - 1) + (size_t)1;
        w.gauss = LIMBERI_ALLOCATE(&scratch, double, w.room*(changes(settings) ? take->frame_count : 1));
        w.steps = LIMBERI_ALLOCATE(&scratch, double, numbers);
        w.bends = LIMBERI_ALLOCATE(&scratch, double, numbers);
        w.change = LIMBERI_ALLOCATE(&scratch, double, numbers);
        bool failed = scratch.failed;
        uint32_t segments = failed ? 0 : take->segment_count;
        for (uint32_t s = 0; s < segments; s++)
            filter_segment(&w, settings, s);
        limberi_arena_free(&scratch);
        if (failed)
            return LIMBER_ERROR_MEMORY;
    }
    return settings->delay_s != 0 ? delay_all(take, rig, settings) : LIMBER_OK;
}
