// Velocity, acceleration, spin and its change by finite differences in the parent's frame (VS 3.2, AS 5).
#include "asset/channel.h"
#include "base/math.h"
#include "motion/rotation.h"
#include <limber/motion.h>

#include <stdlib.h>
#include <string.h>

static const double shortest_step_s = 1 / 120.0, longest_step_s = 1 / 24.0;

limber_motion_settings limber_motion_settings_default(void) {
    limber_motion_settings settings = {0, LIMBER_LOOP_AUTO};
    return settings;
}

limber_result limber_kinematics_create(const limber_model* model, limber_kinematics* out) {
    size_t count = model->rig.joint_count ? model->rig.joint_count : 1;
    limber_vec3* block = calloc(4 * count, sizeof *block);
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
    free(kinematics->velocity); // the four arrays are one block
    memset(kinematics, 0, sizeof *kinematics);
}

double limber_motion_step(const limber_clip* clip, const limber_motion_settings* settings) {
    double step_s =
        settings->step_s > 0 ? settings->step_s : fmin(fmax(clip->key_step_s, shortest_step_s), longest_step_s);
    return step_s;
}

bool limber_motion_loops(const limber_clip* clip, const limber_motion_settings* settings) {
    return settings->loop == LIMBER_LOOP_ALWAYS || (settings->loop == LIMBER_LOOP_AUTO && clip->loops);
}

void limberi_rotation_between(const double* a, const double* b, double* vector) {
    double x = -b[3] * a[0] + b[0] * a[3] - b[1] * a[2] + b[2] * a[1];
    double y = -b[3] * a[1] + b[0] * a[2] + b[1] * a[3] - b[2] * a[0];
    double z = -b[3] * a[2] - b[0] * a[1] + b[1] * a[0] + b[2] * a[3];
    double w = b[3] * a[3] + b[0] * a[0] + b[1] * a[1] + b[2] * a[2];
    double sine = sqrt(x * x + y * y + z * z);
    double angle = 2 * (sine < 0.06 ? limberi_small_asin(sine) : atan2(sine, fabs(w)));
    double scale = sine > 1e-12 ? angle / sine : 2;
    if (w < 0)
        scale = -scale;
    vector[0] = x * scale;
    vector[1] = y * scale;
    vector[2] = z * scale;
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

static stencil stencil_at(const limber_clip* clip, bool loops, double step_s, double t) {
    span s = span_around(clip, loops, t);
    t = fmin(fmax(t, s.low), s.high);
    stencil d;
    d.before = fmax(t - step_s, s.low);
    d.after = fmin(t + step_s, s.high);
    d.step = fmin(step_s, 0.5 * (s.high - s.low));
    d.centre = fmin(fmax(t, s.low + d.step), s.high - d.step);
    d.left = d.centre - d.step;
    d.right = d.centre + d.step;
    d.width = d.after - d.before;
    double* times[5] = {&d.before, &d.after, &d.left, &d.centre, &d.right};
    for (int i = 0; i < 5; i++)
        *times[i] = limber_clip_wrap(clip, loops, *times[i]);
    return d;
}

static void differentiate(const limber_channel* channel, const stencil* d, uint32_t* key, limber_vec3* first,
                          limber_vec3* second) {
    double before[4], after[4], left[4], centre[4], right[4], v[3], a[3];
    limberi_channel_sample(channel, d->left, key, left);
    limberi_channel_sample(channel, d->centre, key, centre);
    limberi_channel_sample(channel, d->right, key, right);
    if (d->before == d->left && d->after == d->right) { // away from ends and cuts both differences use the same times
        memcpy(before, left, sizeof before);
        memcpy(after, right, sizeof after);
    } else {
        limberi_channel_sample(channel, d->before, key, before);
        limberi_channel_sample(channel, d->after, key, after);
    }
    if (channel->path == LIMBER_PATH_ROTATION) {
        double back[3];
        limberi_rotation_between(before, after, v);
        limberi_rotation_between(centre, right, a);
        limberi_rotation_between(left, centre, back);
        for (int i = 0; i < 3; i++)
            a[i] -= back[i];
    } else {
        for (int i = 0; i < 3; i++) {
            v[i] = after[i] - before[i];
            a[i] = (right[i] - centre[i]) - (centre[i] - left[i]);
        }
    }
    double w = d->width > 0 ? 1 / d->width : 0, h = d->step > 0 ? 1 / (d->step * d->step) : 0;
    *first = limberi_vec3((float)(v[0] * w), (float)(v[1] * w), (float)(v[2] * w));
    *second = limberi_vec3((float)(a[0] * h), (float)(a[1] * h), (float)(a[2] * h));
}

void limber_motion_from_clip(const limber_model* model, const limber_clip* clip, const limber_motion_settings* settings,
                             double time_s, limber_kinematics* out) {
    size_t bytes = model->rig.joint_count * sizeof *out->velocity;
    memset(out->velocity, 0, bytes);
    memset(out->acceleration, 0, bytes);
    memset(out->angular_velocity, 0, bytes);
    memset(out->angular_acceleration, 0, bytes);
    if (!clip || !(clip->end_s > clip->start_s))
        return;
    bool loops = limber_motion_loops(clip, settings);
    stencil d = stencil_at(clip, loops, limber_motion_step(clip, settings), limber_clip_wrap(clip, loops, time_s));
    uint32_t key = 0;
    for (uint32_t c = clip->channel_count; c-- > 0;) {
        const limber_channel* channel = &clip->channels[c];
        if (channel->key_count < 2)
            continue;
        uint32_t j = channel->target;
        if (channel->path == LIMBER_PATH_TRANSLATION)
            differentiate(channel, &d, &key, &out->velocity[j], &out->acceleration[j]);
        else if (channel->path == LIMBER_PATH_ROTATION)
            differentiate(channel, &d, &key, &out->angular_velocity[j], &out->angular_acceleration[j]);
    }
}

static limber_vec3 rotate9(const float* r, limber_vec3 v) {
    return limberi_vec3(r[0] * v.x + r[3] * v.y + r[6] * v.z, r[1] * v.x + r[4] * v.y + r[7] * v.z,
                        r[2] * v.x + r[5] * v.y + r[8] * v.z);
}

static bool is_zero(limber_vec3 v) {
    return v.x == 0 && v.y == 0 && v.z == 0;
}

void limber_motion_to_world(const limber_model* model, const limber_pose* pose, const limber_kinematics* in,
                            limber_kinematics* out) {
    float r[9];
    int32_t turned = -1; // whose rotation `r` is; brothers and sisters follow each other
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        limber_vec3 v = in->velocity[j], a = in->acceleration[j];
        limber_vec3 w = in->angular_velocity[j], b = in->angular_acceleration[j];
        int32_t parent = model->rig.parents[j];
        if (parent >= 0 && !(is_zero(v) && is_zero(a))) {
            v = limberi_mat4_vector(&pose->world_from_joint[parent], v);
            a = limberi_mat4_vector(&pose->world_from_joint[parent], a);
        }
        if (parent >= 0 && !(is_zero(w) && is_zero(b))) {
            // A spin is an axial vector: seen through a mirrored parent, R = -mirror keeps its sense without a flip.
            if (turned != parent)
                limberi_mat4_rotation(&pose->world_from_joint[parent], r);
            turned = parent;
            w = rotate9(r, w);
            b = rotate9(r, b);
        }
        out->velocity[j] = v;
        out->acceleration[j] = a;
        out->angular_velocity[j] = w;
        out->angular_acceleration[j] = b;
    }
}
