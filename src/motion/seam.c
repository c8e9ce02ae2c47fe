// The endless motion of a loop. A joint with a gap g between the last pose and the first one moves by x - part g and
// exp(-part g) q, with part from -1/2 to 1/2: both ends meet, and the middle is unchanged. A root that travels is at
// R x + s and R q one turn later; the rest of its gap is measured from the start, before R has turned it.
#include "motion/seam.h"

#include "base/turns.h"

static const int max_turns = 1000; // of clips that are much shorter than a step

bool limberi_has_seams(const limber_clip* clip) {
    return clip->loop.seam_count > 0 || clip->loop.root >= 0;
}

static const limber_seam* find_seam(const limber_loop* loop, uint32_t joint) {
    uint32_t low = 0;
    uint32_t high = loop->seam_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (loop->seams[middle].joint < joint)
            low = middle + 1;
        else
            high = middle;
    }
    return low < loop->seam_count && loop->seams[low].joint == joint ? &loop->seams[low] : NULL;
}

const limber_seam* limberi_seam_of(const limber_clip* clip, uint32_t joint) {
    return find_seam(&clip->loop, joint);
}

bool limberi_joint_has_seam(const limber_clip* clip, uint32_t joint) {
    return clip->loop.root == (int32_t)joint || find_seam(&clip->loop, joint) != NULL;
}

double limberi_seams_set(limberi_seams* seams, int slot, double time_s) {
    const limber_clip* clip = seams->clip;
    double period = clip->end_s - clip->start_s;
    double wrapped = limber_clip_wrap(clip, true, time_s);
    double turns = period > 0 ? round((time_s - wrapped) / period) : 0;
    seams->part[slot] = period > 0 ? (wrapped - clip->start_s) / period : 0;
    seams->turn[slot] = (int)fmin(fmax(turns, -max_turns), max_turns);
    return wrapped;
}

static void close_turn(const limber_seam* seam, double part, double* value) {
    const double gap[3] = {(double)seam->turn[0], (double)seam->turn[1], (double)seam->turn[2]};
    const double q[4] = {value[0], value[1], value[2], value[3]};
    double back[4];
    limberi_turn_exp(gap, -part, back);
    limberi_turn_mul(back, q, value);
}

// One turn on, or one turn back.
static void carry(const limber_loop* loop, bool on, limber_channel_path path, double* value) {
    double turn[4], q[4];
    limberi_turn_inverse(loop->root_turn, q);
    for (int i = 0; i < 4; i++) {
        turn[i] = on ? loop->root_turn[i] : q[i];
        q[i] = path == LIMBER_CHANNEL_ROTATION ? value[i] : 0;
    }
    if (path == LIMBER_CHANNEL_ROTATION) {
        limberi_turn_mul(turn, q, value);
        return;
    }
    for (int i = 0; i < 3; i++)
        value[i] -= on ? 0 : loop->root_step[i];
    limberi_turn_rotate(turn, value, value);
    for (int i = 0; i < 3; i++)
        value[i] += on ? loop->root_step[i] : 0;
}

void limberi_seams_close(const limberi_seams* seams, int slot, uint32_t joint, limber_channel_path path,
                         double* value) {
    const limber_loop* loop = &seams->clip->loop;
    const limber_seam* seam = find_seam(loop, joint);
    double part = seams->part[slot] - (loop->root == (int32_t)joint ? 0 : 0.5);
    if (seam && path == LIMBER_CHANNEL_ROTATION)
        close_turn(seam, part, value);
    for (int i = 0; seam && path != LIMBER_CHANNEL_ROTATION && i < 3; i++)
        value[i] -= part * (double)seam->move[i];
    for (int n = seams->turn[slot]; loop->root == (int32_t)joint && n != 0; n += n < 0 ? 1 : -1)
        carry(loop, n > 0, path, value);
}

bool limberi_turns_at_end(const limber_clip* clip, double time_s) {
    return clip->loop.root >= 0 && clip->loop.yaw_rad != 0 && time_s >= clip->end_s;
}

void limberi_turn_at_seam(const limber_clip* clip, float* vector) {
    double v[3] = {(double)vector[0], (double)vector[1], (double)vector[2]};
    limberi_turn_rotate(clip->loop.root_turn, v, v);
    for (int i = 0; i < 3; i++)
        vector[i] = (float)v[i];
}
