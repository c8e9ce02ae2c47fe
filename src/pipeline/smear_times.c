// The times of a smear's frames: on the clip's grid or between, around a loop, never beyond a cut.
#include "pipeline/smear_times.h"

#include "base/math.h"
#include "motion/kinematics.h"

#include <string.h>

static const double frame_snap = 1e-3; // of a frame: nearer to one than this is on it

// How far joints go between two moments, as a root mean square.
static double joint_travel(limber_pipeline* p, limber_vec3* before, const limber_clip* clip, double from_s,
                           double to_s) {
    double sum = 0;
    limber_clip_sample(p->model, clip, from_s, &p->pose);
    limber_pose_update_world(p->model, &p->pose);
    for (uint32_t j = 0; j < p->model->rig.joint_count; j++)
        before[j] = limberi_mat4_translation(&p->pose.world_from_joint[j]);
    limber_clip_sample(p->model, clip, to_s, &p->pose);
    limber_pose_update_world(p->model, &p->pose);
    for (uint32_t j = 0; j < p->model->rig.joint_count; j++) {
        limber_vec3 step = limberi_sub(limberi_mat4_translation(&p->pose.world_from_joint[j]), before[j]);
        sum += (double)limberi_dot(step, step);
    }
    return sqrt(sum);
}

// A body that snaps from one pose to the next can count as a jump cut, and is just what smears are for. Only where it
// jumps between two quiet moments do they end.
static bool is_another_shot(limber_pipeline* p, limber_vec3* places, const limber_clip* clip, const limber_cut* cut) {
    double step_s = cut->after_s - cut->before_s;
    double jump = joint_travel(p, places, clip, cut->before_s, cut->after_s);
    double before = joint_travel(p, places, clip, cut->before_s - step_s, cut->before_s);
    double after = joint_travel(p, places, clip, cut->after_s, cut->after_s + step_s);
    return jump > 4 * fmax(before, after);
}

static void find_shots(limber_pipeline* p, limberi_shots* shots, int32_t clip_index) {
    if (clip_index == shots->clip)
        return;
    const limber_clip* clip = &p->model->clips[clip_index];
    for (uint32_t i = 0; i < clip->cut_count && i < LIMBERI_SHOT_CUTS; i++)
        shots->is_shot[i] = is_another_shot(p, shots->places, clip, &clip->cuts[i]);
    shots->clip = clip_index;
}

// Frames beyond a jump cut are another shot.
static void stop_at_cuts(const limberi_shots* shots, limberi_timeline* t) {
    double half = 0.5 / t->fps;
    for (uint32_t i = 0; i < t->clip->cut_count && i < LIMBERI_SHOT_CUTS; i++) {
        const limber_cut* cut = &t->clip->cuts[i];
        if (!shots->is_shot[i])
            continue;
        double middle = 0.5 * (cut->before_s + cut->after_s);
        if (middle <= t->time_s && cut->after_s - half > t->start_s)
            t->start_s = cut->after_s;
        else if (middle > t->time_s && cut->before_s < t->end_s)
            t->end_s = cut->before_s;
    }
}

static uint32_t nearest_frame(const limberi_timeline* t, double time_s, double (*round_to)(double)) {
    double x = round_to((time_s - t->clip->start_s) * t->fps);
    uint32_t count = limber_clip_frame_count(t->clip, t->fps);
    if (x <= 0)
        return 0;
    return x < count - 1 ? (uint32_t)x : count - 1;
}

static double ceil_snapped(double x) {
    return ceil(x - frame_snap);
}

static double floor_snapped(double x) {
    return floor(x + frame_snap);
}

limberi_timeline limberi_timeline_of(limber_pipeline* p, limberi_shots* shots, int32_t clip_index, double time_s,
                                     double fps) {
    limberi_timeline t;
    memset(&t, 0, sizeof t);
    if (clip_index < 0)
        return t;
    const limber_clip* clip = t.clip = &p->model->clips[clip_index];
    t.fps = fps > 0 && isfinite(fps) ? fps : clip->fps;
    t.time_s = limber_clip_wrap(clip, false, time_s);
    t.start_s = clip->start_s;
    t.end_s = clip->end_s;
    t.loops = limberi_motion_loops(clip, &p->settings.motion) && !clip->travels; // paths never jump back
    find_shots(p, shots, clip_index);
    stop_at_cuts(shots, &t);
    t.loops = t.loops && t.start_s <= clip->start_s && t.end_s >= clip->end_s;
    uint32_t count = limber_clip_frame_count(clip, t.fps);
    t.period = count > 1 ? count - 1 : 1;
    t.index = nearest_frame(&t, t.time_s, round);
    if (fabs(limber_clip_frame_time(clip, t.fps, count - 1) - t.time_s) * t.fps < frame_snap)
        t.index = count - 1;
    t.on_grid = fabs(limber_clip_frame_time(clip, t.fps, t.index) - t.time_s) * t.fps < frame_snap;
    t.first = nearest_frame(&t, t.start_s, ceil_snapped);
    t.last = t.end_s >= clip->end_s ? count - 1 : nearest_frame(&t, t.end_s, floor_snapped);
    return t;
}

limberi_timeline limberi_timeline_held(const limberi_timeline* t, uint32_t step) {
    limberi_timeline h = *t;
    if (!t->clip || step < 2)
        return h;
    uint32_t index = t->on_grid ? t->index : nearest_frame(t, t->time_s, floor);
    h.index = index - index % step;
    h.index = h.index < t->first ? t->first : h.index;
    h.on_grid = true;
    h.time_s = limber_clip_frame_time(t->clip, t->fps, h.index);
    return h;
}

double limberi_timeline_at(const limberi_timeline* t, int32_t n) {
    if (!t->clip)
        return 0;
    int64_t at = (int64_t)t->index + n;
    int64_t period = t->period;
    if (!t->on_grid && t->loops)
        return n == 0 ? t->time_s : limber_clip_wrap(t->clip, true, t->time_s + n / t->fps);
    if (!t->on_grid)
        return fmin(fmax(t->time_s + n / t->fps, t->start_s), t->end_s);
    if (t->loops && n != 0)
        return limber_clip_frame_time(t->clip, t->fps, (uint32_t)((at % period + period) % period));
    if (at < (int64_t)t->first)
        at = (int64_t)t->first;
    if (at > (int64_t)t->last)
        at = (int64_t)t->last;
    return limber_clip_frame_time(t->clip, t->fps, (uint32_t)at);
}

double limberi_timeline_between(const limberi_timeline* t, int64_t parts_away, uint32_t parts) {
    int64_t whole = parts_away / parts;
    int64_t rest = parts_away % parts;
    if (rest < 0) {
        whole--;
        rest += parts;
    }
    double time_s = limberi_timeline_at(t, (int32_t)whole);
    if (rest == 0 || !t->clip)
        return time_s;
    double next_s = limberi_timeline_at(t, (int32_t)whole + 1);
    double end_s = next_s > time_s ? fmin(t->end_s, next_s) : t->end_s; // around a loop the next one is the first
    return next_s == time_s ? time_s : fmin(time_s + (double)rest / (parts * t->fps), end_s);
}
