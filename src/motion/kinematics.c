// Velocity, acceleration, spin and its change by finite differences in the parent's frame (velocity skinning, section
// 3.2; acceleration skinning, section 5).
#include "motion/kinematics.h"
#include "asset/channel.h"
#include "asset/clip.h"
#include "asset/moments.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/settings.h"
#include "base/turns.h"
#include "motion/seam.h"
#include <limber/stages/motion.h>

#include <string.h>

// Of the differences, whatever rate a clip was sampled at: shorter ones turn the noise of motion capture and the kinks
// at keys into spikes, longer ones eat fast motion (docs/calm.md has the figures).
static const double default_step_s = 1 / 24.0;

void limber_motion_settings_init(limber_motion_settings* given, size_t size) {
    limber_motion_settings settings = {sizeof settings, 0, LIMBER_LOOP_AUTO, LIMBER_DERIVATIVES_DIFFERENCES};
    limberi_settings_write(given, size, &settings, sizeof settings);
}

limber_result limber_kinematics_create(const limber_model* model, limber_kinematics* out) {
    size_t count = model->rig.joint_count ? model->rig.joint_count : 1;
    limber_vec3* block = limberi_allocate_zeroed(4 * count, sizeof *block);
    if (!block)
        return LIMBER_ERROR_MEMORY;
    out->velocity = block;
    out->acceleration = block + count;
    out->angular_velocity = block + 2 * count;
    out->angular_acceleration = block + 3 * count;
    return LIMBER_OK;
}

void limber_kinematics_destroy(limber_kinematics* kinematics) {
    if (!kinematics)
        return;
    limberi_release(kinematics->velocity); // the four arrays are one block
    memset(kinematics, 0, sizeof *kinematics);
}

double limberi_motion_step(const limber_motion_settings* settings) {
    return settings->step_s > 0 ? settings->step_s : default_step_s;
}

bool limberi_motion_loops(const limber_clip* clip, const limber_motion_settings* settings) {
    return settings->loop == LIMBER_LOOP_ALWAYS || (settings->loop == LIMBER_LOOP_AUTO && clip->loops);
}

// The times that differences around t may use: the span between the cuts (or ends) on either side of t.
typedef struct span {
    double low, high;
} span;

static span span_around(const limber_clip* clip, bool loops, double t) {
    double period = clip->end_s - clip->start_s;
    span s = {loops ? -HUGE_VAL : clip->start_s, loops ? HUGE_VAL : clip->end_s};
    if (loops && clip->cut_count) { // the nearest cut may lie in the turn before or after
        s.low = clip->cuts[clip->cut_count - 1].after_s - period;
        s.high = clip->cuts[0].before_s + period;
    }
    for (uint32_t i = 0; i < clip->cut_count; i++) {
        const limber_cut* cut = &clip->cuts[i];
        if (t >= 0.5 * (cut->before_s + cut->after_s)) {
            s.low = cut->after_s;
        } else {
            s.high = fmin(s.high, cut->before_s);
            break;
        }
    }
    return s;
}

// The sample times of both differences. Near an end of the span the first difference gets shorter on that side and
// the second moves its centre inward, so neither crosses the end and neither spikes.
typedef struct stencil {
    double before, after;       // first difference, over after - before
    double left, centre, right; // second difference, spaced by step
    double width, step;
} stencil;

static stencil stencil_in(span s, double step_s, double t) {
    t = fmin(fmax(t, s.low), s.high);
    stencil d;
    d.before = fmax(t - step_s, s.low);
    d.after = fmin(t + step_s, s.high);
    d.step = fmin(step_s, 0.5 * (s.high - s.low));
    d.centre = fmin(fmax(t, s.low + d.step), s.high - d.step);
    d.left = d.centre - d.step;
    d.right = d.centre + d.step;
    d.width = d.after - d.before;
    return d;
}

double limberi_motion_around(const limber_clip* clip, const limber_motion_settings* settings, double time_s,
                             double* before, double* after) {
    bool loops = limberi_motion_loops(clip, settings);
    double t = limber_clip_wrap(clip, loops, time_s);
    stencil d = stencil_in(span_around(clip, loops, t), limberi_motion_step(settings), t);
    *before = limber_clip_wrap(clip, loops, d.before);
    *after = limber_clip_wrap(clip, loops, d.after);
    return clip->end_s > clip->start_s ? d.width : 0;
}

enum { BEFORE, AFTER, LEFT, CENTRE, RIGHT }; // slots of limberi_seams

static stencil wrapped(const limber_clip* clip, bool loops, stencil d, limberi_seams* seams) {
    double* times[LIMBERI_SEAM_SLOTS] = {&d.before, &d.after, &d.left, &d.centre, &d.right};
    seams->clip = loops && limberi_has_seams(clip) ? clip : NULL;
    for (int i = 0; i < LIMBERI_SEAM_SLOTS; i++)
        *times[i] = seams->clip ? limberi_seams_set(seams, i, *times[i]) : limber_clip_wrap(clip, loops, *times[i]);
    return d;
}

// --- both differences of two channels, side by side ---

typedef struct mover {
    uint32_t before, after, left, centre, right; // moments of the stencil
    double per_width, per_square;
    limber_kinematics* out;
    const limberi_seams* seams; // NULL: none
} mover;

static mover plan_moments(const stencil* d, const limberi_seams* seams, limberi_moments* moments,
                          limber_kinematics* out) {
    mover m;
    m.left = limberi_moments_add(moments, d->left);
    m.centre = limberi_moments_add(moments, d->centre);
    m.right = limberi_moments_add(moments, d->right);
    m.before = limberi_moments_add(moments, d->before); // away from ends and cuts these two are left and right
    m.after = limberi_moments_add(moments, d->after);
    m.per_width = d->width > 0 ? 1 / d->width : 0;
    m.per_square = d->step > 0 ? 1 / (d->step * d->step) : 0;
    m.out = out;
    m.seams = seams->clip ? seams : NULL;
    return m;
}

// Replaces the values of joints with a seam by those of the endless motion, one for each slot.
static mover close_seams(const mover* m, limber_channel_path path, const uint32_t* joints, limberi_moment_values values,
                         limberi_moment_values closed) {
    const uint32_t moments[LIMBERI_SEAM_SLOTS] = {m->before, m->after, m->left, m->centre, m->right};
    mover own = *m;
    own.before = BEFORE;
    own.after = AFTER;
    own.left = LEFT;
    own.centre = CENTRE;
    own.right = RIGHT;
    for (int slot = 0; slot < LIMBERI_SEAM_SLOTS; slot++)
        for (int lane = 0; lane < 2; lane++) {
            int count = path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
            double value[4];
            for (int i = 0; i < count; i++)
                value[i] = values[moments[slot]][i][lane];
            limberi_seams_close(m->seams, slot, joints[lane], path, value);
            for (int i = 0; i < count; i++)
                closed[slot][i][lane] = value[i];
        }
    return own;
}

// 2 asin(s) / s = 2 + u (...) for u = s^2 up to 1/16, that is for turns of up to 28 degrees; near-minimax (fitted in
// Chebyshev points) with a relative error below 1e-15.
enum { TURN_TERMS = 8 };
static const double largest_square = 0.0625;
static const double turn_terms[TURN_TERMS] = {2,
                                              0.333333333333346,
                                              0.14999999998010954,
                                              0.08928571936356056,
                                              0.060763404101483155,
                                              0.044766265744798445,
                                              0.034199450396197664,
                                              0.03360626361202381};

// Only the lanes that need it: the result of a joint must not depend on the joint in the other lane.
static void turn_far(const limberi_pair* a, const limberi_pair* b, limberi_pair square, limberi_pair* vector) {
    for (int lane = 0; lane < 2; lane++) {
        if (square[lane] < largest_square)
            continue;
        double from[4], to[4], turn[3];
        for (int i = 0; i < 4; i++) {
            from[i] = a[i][lane];
            to[i] = b[i][lane];
        }
        limberi_rotation_between(from, to, turn);
        for (int i = 0; i < 3; i++)
            vector[i][lane] = turn[i];
    }
}

LIMBERI_INLINED void turn_between(const limberi_pair* a, const limberi_pair* b, limberi_pair* vector) {
    limberi_pair x = (b[0] * a[3] - b[3] * a[0]) + (b[2] * a[1] - b[1] * a[2]);
    limberi_pair y = (b[1] * a[3] - b[3] * a[1]) + (b[0] * a[2] - b[2] * a[0]);
    limberi_pair z = (b[2] * a[3] - b[3] * a[2]) + (b[1] * a[0] - b[0] * a[1]);
    limberi_pair w = (b[0] * a[0] + b[1] * a[1]) + (b[2] * a[2] + b[3] * a[3]);
    limberi_pair u = x * x + y * y + z * z;
    limberi_pair v = u * u;
    limberi_pair even = limberi_pair_all(turn_terms[TURN_TERMS - 2]);
    limberi_pair odd = limberi_pair_all(turn_terms[TURN_TERMS - 1]);
    for (int n = TURN_TERMS - 4; n >= 0; n -= 2) { // two short chains of dependent sums are faster than a long one
        even = even * v + turn_terms[n];
        odd = odd * v + turn_terms[n + 1];
    }
    limberi_pair scale = limberi_pair_turned(even + odd * u, w);
    vector[0] = x * scale;
    vector[1] = y * scale;
    vector[2] = z * scale;
    if (!limberi_pair_both(u < largest_square))
        turn_far(a, b, u, vector);
}

// From here on (radians) the shortest arc over both steps may be the wrong way round; that of each step is not.
static const double widest_turn = 3;

// Where a turn over both steps is too wide for one rotation vector, the sum of the turns of both steps takes its place.
LIMBERI_INLINED void add_wide_turns(const limberi_pair* back, const limberi_pair* forth, limberi_pair* whole) {
    limberi_pair sum[3] = {back[0] + forth[0], back[1] + forth[1], back[2] + forth[2]};
    limberi_pair square = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
    if (limberi_pair_both(square < widest_turn * widest_turn))
        return;
    for (int lane = 0; lane < 2; lane++)
        for (int i = 0; i < 3 && square[lane] >= widest_turn * widest_turn; i++)
            whole[i][lane] = sum[i][lane];
}

static void differ_turns(const mover* m, limberi_moment_values q, limberi_pair* first, limberi_pair* second) {
    limberi_pair back[3];
    turn_between(q[m->before], q[m->after], first);
    turn_between(q[m->centre], q[m->right], second);
    turn_between(q[m->left], q[m->centre], back);
    if (m->before == m->left && m->after == m->right) {
        add_wide_turns(back, second, first);
    } else { // near an end
        limberi_pair to[3], from[3];
        turn_between(q[m->before], q[m->centre], to);
        turn_between(q[m->centre], q[m->after], from);
        add_wide_turns(to, from, first);
    }
    for (int i = 0; i < 3; i++)
        second[i] -= back[i];
}

static void differentiate(void* user, limber_channel_path path, const uint32_t* joints, limberi_moment_values values) {
    const mover* m = user;
    mover own;
    limberi_moment_values closed;
    const limber_clip* clip = m->seams ? m->seams->clip : NULL;
    if (clip && (limberi_joint_has_seam(clip, joints[0]) || limberi_joint_has_seam(clip, joints[1]))) {
        own = close_seams(m, path, joints, values, closed);
        m = &own;
        values = closed;
    }
    limberi_pair first[3], second[3];
    limber_vec3* firsts = m->out->velocity;
    limber_vec3* seconds = m->out->acceleration;
    if (path == LIMBER_CHANNEL_ROTATION) {
        differ_turns(m, values, first, second);
        firsts = m->out->angular_velocity;
        seconds = m->out->angular_acceleration;
    } else if (path == LIMBER_CHANNEL_TRANSLATION) {
        for (int i = 0; i < 3; i++) {
            first[i] = values[m->after][i] - values[m->before][i];
            second[i] = (values[m->right][i] - values[m->centre][i]) - (values[m->centre][i] - values[m->left][i]);
        }
    } else {
        return;
    }
    for (int i = 0; i < 3; i++) {
        first[i] *= m->per_width;
        second[i] *= m->per_square;
    }
    limberi_pair_store3(first, &firsts[joints[0]].x, &firsts[joints[1]].x);
    limberi_pair_store3(second, &seconds[joints[0]].x, &seconds[joints[1]].x);
}

// --- joints with their own cuts ---

typedef struct moment {
    const limber_clip* clip;
    bool loops;
    double step_s, time_s;
    span around; // that the whole character is in
} moment;

// The part of it between the joint's own cuts, [first, end) of the clip's.
static span span_of_joint(const moment* at, uint32_t first, uint32_t end) {
    const limber_joint_cut* cuts = at->clip->joint_cuts;
    double period = at->clip->end_s - at->clip->start_s;
    uint32_t next = limberi_joint_cut_after(at->clip, first, end, at->time_s);
    span s = at->around;
    if (next > first)
        s.low = fmax(s.low, cuts[next - 1].cut.after_s);
    else if (at->loops)
        s.low = fmax(s.low, cuts[end - 1].cut.after_s - period);
    if (next < end)
        s.high = fmin(s.high, cuts[next].cut.before_s);
    else if (at->loops)
        s.high = fmin(s.high, cuts[first].cut.before_s + period);
    s.high = fmax(s.high, s.low); // between two flips that follow each other there is but a moment
    return s;
}

static void add_wide_turn(const double* back, const double* forth, double* whole) {
    double sum[3] = {back[0] + forth[0], back[1] + forth[1], back[2] + forth[2]};
    if (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] > widest_turn * widest_turn)
        memcpy(whole, sum, sizeof sum);
}

static void differentiate_channel(const limber_channel* channel, const stencil* d, const limberi_seams* seams,
                                  limber_vec3* first, limber_vec3* second) {
    double values[5][4], whole[3], back[3], forth[3];
    double per_width = d->width > 0 ? 1 / d->width : 0;
    double per_square = d->step > 0 ? 1 / (d->step * d->step) : 0;
    const double times[LIMBERI_SEAM_SLOTS] = {d->before, d->after, d->left, d->centre, d->right};
    uint32_t key = 0;
    for (int i = 0; i < LIMBERI_SEAM_SLOTS; i++) {
        limberi_channel_sample(channel, times[i], &key, values[i]);
        if (seams->clip)
            limberi_seams_close(seams, i, channel->target, channel->path, values[i]);
    }
    if (channel->path == LIMBER_CHANNEL_ROTATION) {
        limberi_rotation_between(values[0], values[1], whole);
        limberi_rotation_between(values[2], values[3], back);
        limberi_rotation_between(values[3], values[4], forth);
        if (d->before == d->left && d->after == d->right)
            add_wide_turn(back, forth, whole);
    }
    for (int i = 0; i < 3 && channel->path == LIMBER_CHANNEL_TRANSLATION; i++) {
        whole[i] = values[1][i] - values[0][i];
        back[i] = values[3][i] - values[2][i];
        forth[i] = values[4][i] - values[3][i];
    }
    *first = limberi_vec3((float)(whole[0] * per_width), (float)(whole[1] * per_width), (float)(whole[2] * per_width));
    *second = limberi_vec3((float)((forth[0] - back[0]) * per_square), (float)((forth[1] - back[1]) * per_square),
                           (float)((forth[2] - back[2]) * per_square));
}

// Few joints have their own cuts, and few moments are near one; the others are left unchanged.
static void differentiate_cut_joints(const moment* at, limber_kinematics* out) {
    const limber_clip* clip = at->clip;
    stencil common = stencil_in(at->around, at->step_s, at->time_s);
    double from = fmin(common.before, common.left);
    double to = fmax(common.after, common.right);
    for (uint32_t first = 0, end; first < clip->joint_cut_count; first = end) {
        uint32_t joint = clip->joint_cuts[first].joint;
        end = limberi_joint_cuts_end(clip, first);
        span s = span_of_joint(at, first, end);
        if (s.low <= from && s.high >= to)
            continue;
        limberi_seams seams;
        stencil d = wrapped(clip, at->loops, stencil_in(s, at->step_s, at->time_s), &seams);
        int32_t places = clip->channel_of_joint[3 * (size_t)joint + LIMBER_CHANNEL_TRANSLATION];
        int32_t turns = clip->channel_of_joint[3 * (size_t)joint + LIMBER_CHANNEL_ROTATION];
        if (places >= 0)
            differentiate_channel(&clip->channels[places], &d, &seams, &out->velocity[joint],
                                  &out->acceleration[joint]);
        if (turns >= 0)
            differentiate_channel(&clip->channels[turns], &d, &seams, &out->angular_velocity[joint],
                                  &out->angular_acceleration[joint]);
    }
}

// --- derivatives of the curves themselves ---

// A curve of a loop goes on at the other end, where a root that travels may look elsewhere.
static void slope_at_start(const moment* at, const limber_channel* channel, double* first, double* second) {
    const limber_loop* loop = &at->clip->loop;
    double back[4], end[2][3];
    limberi_curve_slope(channel, at->clip->start_s, LIMBERI_AFTER, first, second);
    limberi_curve_slope(channel, at->clip->end_s, LIMBERI_BEFORE, end[0], end[1]);
    limberi_turn_inverse(loop->root_turn, back);
    for (int n = 0; loop->root == (int32_t)channel->target && n < 2; n++)
        limberi_turn_rotate(back, end[n], end[n]);
    for (int i = 0; i < 3; i++) {
        first[i] = 0.5 * (first[i] + end[0][i]);
        second[i] = 0.5 * (second[i] + end[1][i]);
    }
}

static void slope_of_curve(const moment* at, span s, const limber_channel* channel, double* first, double* second) {
    const limber_clip* clip = at->clip;
    double t = fmin(fmax(at->time_s, s.low), s.high);
    double near_s = LIMBERI_KEY_SNAP * clip->key_step_s;
    unsigned sides = t - s.low > near_s ? LIMBERI_BEFORE : 0;
    if (s.high - t > near_s)
        sides |= LIMBERI_AFTER;
    if (at->loops && clip->end_s - t <= near_s)
        sides &= LIMBERI_BEFORE;
    if (at->loops && t - clip->start_s <= near_s && sides & LIMBERI_BEFORE)
        slope_at_start(at, channel, first, second);
    else
        limberi_curve_slope(channel, t, sides, first, second);
}

// The endless motion of a loop: exp(-part g) q turns by exp(-part g) w - g / period, x - part g moves by v - g / period.
static void close_slope(const moment* at, const limber_channel* channel, double* first, double* second) {
    const limber_clip* clip = at->clip;
    const limber_seam* seam = at->loops ? limberi_seam_of(clip, channel->target) : NULL;
    if (!seam)
        return;
    bool turns = channel->path == LIMBER_CHANNEL_ROTATION;
    double period = clip->end_s - clip->start_s;
    double part = (at->time_s - clip->start_s) / period;
    double back[4];
    double gap[3];
    for (int i = 0; i < 3; i++)
        gap[i] = (double)(turns ? seam->turn[i] : seam->move[i]) / period;
    if (turns) {
        limberi_turn_exp(gap, -period * (part - (clip->loop.root == (int32_t)channel->target ? 0 : 0.5)), back);
        limberi_turn_rotate(back, first, first);
        limberi_turn_rotate(back, second, second);
        for (int i = 0; i < 3; i++) // and the axis of w turns along: -g / period x w
            second[i] -= gap[(i + 1) % 3] * first[(i + 2) % 3] - gap[(i + 2) % 3] * first[(i + 1) % 3];
    }
    for (int i = 0; i < 3; i++)
        first[i] -= gap[i];
}

static span span_of_target(const moment* at, uint32_t joint) {
    const limber_clip* clip = at->clip;
    for (uint32_t first = 0, end; first < clip->joint_cut_count; first = end) {
        end = limberi_joint_cuts_end(clip, first);
        if (clip->joint_cuts[first].joint == joint)
            return span_of_joint(at, first, end);
    }
    return at->around;
}

// In place of what the differences say. Only splines have a second derivative.
static void differentiate_curve(const moment* at, const limber_channel* channel, limber_kinematics* out) {
    bool turns = channel->path == LIMBER_CHANNEL_ROTATION;
    limber_vec3* first = turns ? out->angular_velocity : out->velocity;
    limber_vec3* second = turns ? out->angular_acceleration : out->acceleration;
    double v[3], a[3];
    if (channel->key_count < 2)
        return;
    slope_of_curve(at, span_of_target(at, channel->target), channel, v, a);
    close_slope(at, channel, v, a);
    first[channel->target] = limberi_vec3((float)v[0], (float)v[1], (float)v[2]);
    if (channel->interpolation == LIMBER_INTERPOLATION_CUBIC)
        second[channel->target] = limberi_vec3((float)a[0], (float)a[1], (float)a[2]);
}

static void differentiate_curves(const limber_model* model, const moment* at, limber_kinematics* out) {
    const limber_clip* clip = at->clip;
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        int32_t places = clip->channel_of_joint[3 * (size_t)j + LIMBER_CHANNEL_TRANSLATION];
        int32_t turns = clip->channel_of_joint[3 * (size_t)j + LIMBER_CHANNEL_ROTATION];
        if (places >= 0)
            differentiate_curve(at, &clip->channels[places], out);
        if (turns >= 0)
            differentiate_curve(at, &clip->channels[turns], out);
    }
}

void limberi_kinematics_clear(uint32_t joint_count, limber_kinematics* out) {
    limber_vec3* const quantities[4] = {out->velocity, out->acceleration, out->angular_velocity,
                                        out->angular_acceleration};
    for (int q = 0; q < 4; q++)
        memset(quantities[q], 0, joint_count * sizeof *quantities[q]);
}

void limberi_motion_at(const limber_model* model, const limber_clip* clip, const limber_motion_settings* settings,
                       double time_s, limber_pose* pose, limber_kinematics* out) {
    limber_vec3* const quantities[4] = {out->velocity, out->acceleration, out->angular_velocity,
                                        out->angular_acceleration};
    limberi_kinematics_clear(model->rig.joint_count, out);
    if (pose)
        limber_pose_rest(model, pose);
    if (!clip)
        return;
    limberi_visit visit;
    limberi_seams seams;
    mover m;
    limberi_visit_start(&visit);
    bool moves = clip->end_s > clip->start_s;
    moment at = {clip, limberi_motion_loops(clip, settings), limberi_motion_step(settings), 0, {0, 0}};
    if (moves) {
        at.time_s = limber_clip_wrap(clip, at.loops, time_s);
        at.around = span_around(clip, at.loops, at.time_s);
        stencil d = wrapped(clip, at.loops, stencil_in(at.around, at.step_s, at.time_s), &seams);
        m = plan_moments(&d, &seams, &visit.moments, out);
        visit.moved = differentiate;
        visit.user = &m;
    }
    visit.poses = pose;
    visit.pose_count = pose != NULL;
    visit.pose_first = pose ? limberi_moments_add(&visit.moments, time_s) : 0;
    if (visit.moments.count)
        limberi_clip_visit(model, clip, &visit);
    if (moves && clip->joint_cut_count)
        differentiate_cut_joints(&at, out);
    if (moves && settings->derivatives == LIMBER_DERIVATIVES_ANALYTIC)
        differentiate_curves(model, &at, out);
    for (int q = 0; moves && at.loops && limberi_turns_at_end(clip, time_s) && q < 4; q++)
        limberi_turn_at_seam(clip, &quantities[q][clip->loop.root].x);
}

limber_result limber_motion_from_clip(const limber_model* model, const limber_clip* clip,
                                      const limber_motion_settings* given, double time_s, limber_kinematics* out) {
    limber_motion_settings settings = limber_motion_settings_default();
    limber_result result = limberi_settings_read(&settings, sizeof settings, given, "limber_motion_settings", NULL);
    if (!result)
        limberi_motion_at(model, clip, &settings, time_s, NULL, out);
    return result;
}

void limberi_kinematics_copy(const limber_kinematics* from, uint32_t joint_count, limber_kinematics* to) {
    size_t bytes = joint_count * sizeof(limber_vec3);
    memcpy(to->velocity, from->velocity, bytes);
    memcpy(to->acceleration, from->acceleration, bytes);
    memcpy(to->angular_velocity, from->angular_velocity, bytes);
    memcpy(to->angular_acceleration, from->angular_acceleration, bytes);
}

// --- morph targets ---

void limberi_morph_rates(const limber_model* model, const limber_clip* clip, const limber_motion_settings* settings,
                         double time_s, float* scratch, float* rates) {
    double before;
    double after;
    double width = limberi_motion_around(clip, settings, time_s, &before, &after);
    memset(rates, 0, model->morph_count * sizeof *rates);
    for (uint32_t m = 0; width > 0 && m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        int32_t c = clip->weights_of_mesh[m];
        if (c < 0)
            continue;
        float* from = scratch;
        float* to = scratch + mesh->morph_count;
        limberi_channel_sample_weights(&clip->channels[c], before, mesh->morph_count, from);
        limberi_channel_sample_weights(&clip->channels[c], after, mesh->morph_count, to);
        for (uint32_t i = 0; i < mesh->morph_count; i++)
            rates[mesh->first_morph + i] = (float)(((double)to[i] - (double)from[i]) / width);
    }
}
