// A cycle of a motion: the part after which it comes back to where it was, and what is left between its ends.
#include "base/math.h"
#include "base/memory.h"
#include "base/turns.h"
#include "retarget/retarget_private.h"

#include <math.h>

static const double look_fps = 30;
static const double max_looks = 1200;  // longer motions are looked at more rarely
static const double shortest_s = 0.4;  // of a cycle
static const double widest_gap = 0.35; // between its ends, of how far it goes in between

enum { LOOK_JOINTS = 2 * LIMBERI_CHAIN_MAX };

typedef struct cycle_search {
    uint32_t joint_count, frame_count;
    uint32_t joints[LOOK_JOINTS];
    double step_s;
    double leg;
    limber_quat* turns; // [frame * joint_count + joint]
    double* heights;    // [frame] of the hips
} cycle_search;

static void add_joints(cycle_search* s, const limberi_chain* chain) {
    for (uint32_t i = 0; i < chain->count && s->joint_count < LOOK_JOINTS; i++)
        s->joints[s->joint_count++] = chain->joints[i];
}

static double height_of(const limberi_figure* f, const limber_pose* pose) {
    const float* m = pose->world_from_joint[f->hips].m;
    return (double)m[12] * f->up[0] + (double)m[13] * f->up[1] + (double)m[14] * f->up[2];
}

static void sample_cycle(const limber_retarget* r, const limber_clip* motion, double first_s, limber_pose* pose,
                         cycle_search* s) {
    for (uint32_t f = 0; f < s->frame_count; f++) {
        limber_clip_sample(r->motion, motion, first_s + f * s->step_s, pose);
        limber_pose_update_world(r->motion, pose);
        for (uint32_t i = 0; i < s->joint_count; i++)
            s->turns[(size_t)f * s->joint_count + i] = pose->local[s->joints[i]].rotation;
        s->heights[f] = height_of(&r->from, pose) / s->leg;
    }
}

// How far two poses are from each other, squared: the mean of their joints in radians, and the height in legs.
static double gap(const cycle_search* s, uint32_t a, uint32_t b) {
    double sum = 0;
    for (uint32_t i = 0; i < s->joint_count; i++) {
        limber_quat p = s->turns[(size_t)a * s->joint_count + i];
        limber_quat q = s->turns[(size_t)b * s->joint_count + i];
        double same = (double)(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w);
        sum += 4 * (1 - same * same);
    }
    double climb = s->heights[a] - s->heights[b];
    return (sum > 0 ? sum / s->joint_count : 0) + climb * climb;
}

// The same with the frames beside them, as far as there are some: it also has to go the same way.
static double gap_around(const cycle_search* s, uint32_t a, uint32_t b) {
    double sum = gap(s, a, b);
    double count = 1;
    if (a > 0) {
        sum += gap(s, a - 1, b - 1);
        count++;
    }
    if (b + 1 < s->frame_count) {
        sum += gap(s, a + 1, b + 1);
        count++;
    }
    return sum / count;
}

// The frames whose gap is smallest, of how far the motion goes away in between.
static bool best_pair(const cycle_search* s, uint32_t* first, uint32_t* last) {
    uint32_t min_frames = (uint32_t)ceil(shortest_s / s->step_s);
    double best = widest_gap * widest_gap;
    bool found = false;
    for (uint32_t a = 0; a < s->frame_count; a++) {
        double away = 0;
        for (uint32_t b = a + 1; b < s->frame_count; b++) {
            double here = gap(s, a, b);
            if (b - a >= min_frames && here < best * away && gap_around(s, a, b) < best * away) {
                best = gap_around(s, a, b) / away;
                *first = a;
                *last = b;
                found = true;
            }
            away = here > away ? here : away;
        }
    }
    return found;
}

limber_result limberi_cycle_find(const limber_retarget* r, const limber_clip* motion, limber_pose* pose,
                                 double* first_s, double* last_s) {
    cycle_search s = {0};
    double duration = *last_s - *first_s;
    double steps = floor(duration * look_fps + 0.5);
    steps = steps < max_looks ? steps : max_looks;
    steps = steps > 1 ? steps : 1;
    s.frame_count = (uint32_t)steps + 1;
    s.step_s = duration / steps;
    s.leg = limberi_leg_length_of(&r->from);
    s.joints[s.joint_count++] = (uint32_t)r->from.hips;
    add_joints(&s, &r->from.spine);
    for (uint32_t l = 0; l < LIMBERI_LIMBS; l++)
        if (limberi_figure_has(&r->from, l))
            add_joints(&s, &r->from.limbs[l].bones);
    s.turns = limberi_allocate_zeroed((size_t)s.frame_count * s.joint_count, sizeof *s.turns);
    s.heights = limberi_allocate_zeroed(s.frame_count, sizeof *s.heights);
    limber_result result = s.turns && s.heights ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    uint32_t first = 0;
    uint32_t last = 0;
    if (!result)
        sample_cycle(r, motion, *first_s, pose, &s);
    if (!result && (!(s.step_s > 0) || !best_pair(&s, &first, &last)))
        result = LIMBER_ERROR_ARGUMENT;
    double start_s = *first_s;
    if (!result) {
        *first_s = start_s + first * s.step_s;
        *last_s = start_s + last * s.step_s;
    }
    limberi_release(s.turns);
    limberi_release(s.heights);
    return result;
}

// --- closing ---

bool limberi_closing_open(limberi_closing* c, limber_retarget* r, const limber_clip* motion, limber_pose* pose) {
    uint32_t joints = r->motion->rig.joint_count;
    double(*starts)[4] = limberi_arena_allocate(&r->arena, joints, sizeof *starts);
    c->turns = limberi_arena_allocate(&r->arena, joints, sizeof *c->turns);
    if (r->arena.failed)
        return false;
    limber_clip_sample(r->motion, motion, c->first_s, pose);
    limber_pose_update_world(r->motion, pose);
    double height = height_of(&r->from, pose);
    for (uint32_t j = 0; j < joints; j++)
        limberi_turn_of_transform(&pose->local[j], starts[j]);
    limber_clip_sample(r->motion, motion, c->last_s, pose);
    for (uint32_t j = 0; j < joints; j++) {
        double end[4];
        double inverse[4];
        double way[4];
        limberi_turn_of_transform(&pose->local[j], end);
        limberi_turn_inverse(end, inverse);
        limberi_turn_mul(starts[j], inverse, way);
        limberi_turn_log(way, c->turns[j]);
    }
    c->rise = 0;
    limberi_closing_apply(c, r, c->last_s, pose);
    c->rise = height - height_of(&r->from, pose);
    return true;
}

void limberi_closing_apply(const limberi_closing* c, const limber_retarget* r, double time_s, limber_pose* pose) {
    double part = c->last_s > c->first_s ? (time_s - c->first_s) / (c->last_s - c->first_s) : 0;
    for (uint32_t j = 0; j < r->motion->rig.joint_count; j++) {
        double now[4];
        double step[4];
        double closed[4];
        limberi_turn_of_transform(&pose->local[j], now);
        limberi_turn_exp(c->turns[j], part, step);
        limberi_turn_mul(step, now, closed);
        pose->local[j].rotation = (limber_quat){(float)closed[0], (float)closed[1], (float)closed[2], (float)closed[3]};
    }
    limber_pose_update_world(r->motion, pose);
    for (uint32_t j = 0; j < r->motion->rig.joint_count; j++)
        for (int i = 0; i < 3; i++)
            pose->world_from_joint[j].m[12 + i] += (float)(part * c->rise * r->from.up[i]);
}
