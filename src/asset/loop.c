// A clip loops when its last pose is the first one again, as far as a viewer can tell. Exporters close cycles to between
// 1e-3 and 0.1 rad.
//
// A walk may end somewhere else: of one joint, the root, travel and yaw are taken out first. The root is found by what
// it carries, not by its name: the topmost joint that does not come back, and has nearly all of the skin below it. Joints
// that move no skin are not seen, and do not count.
#include "asset/channel.h"
#include "asset/clip.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/turns.h"
#include <limber/stages/pose.h>

#include <string.h>

static const double max_turn = 8 * LIMBERI_PI / 180; // of a joint, in its parent's frame
static const double max_move = 0.02;                 // of L
static const double max_scale = 0.02;                // of the larger one
static const double max_weight = 0.02;               // of a morph target
static const double root_share = 0.9;                // of the skin that a root carries
static const double min_gap = 1e-6;                  // rad, and of L: less is rounding and no seam
static const double closed_gap = 1e-4;

typedef struct search {
    const limber_model* model;
    limber_clip* clip;
    float* carried; // [joint] part of the skin that hangs on it and on the joints below
} search;

// --- the gap of one joint ---

typedef struct gap {
    double move[3], turn[3]; // in the parent's frame: add, and turn on the left, to get from the first pose to the last
    double length, angle;    // in L, in rad
} gap;

static const limber_channel* channel_of(const limber_clip* clip, uint32_t joint, limber_channel_path path) {
    int32_t c = clip->channel_of_joint[3 * (size_t)joint + path];
    return c < 0 ? NULL : &clip->channels[c];
}

static bool sample_ends(const limber_clip* clip, const limber_channel* channel, double* first, double* last) {
    uint32_t key = 0;
    if (!channel || channel->key_count < 2)
        return false;
    limberi_channel_sample(channel, clip->start_s, &key, first);
    limberi_channel_sample(channel, clip->end_s, &key, last);
    return true;
}

static void turn_between(const double* from, const double* to, double* turn) {
    double back[4];
    limberi_turn_inverse(from, back);
    limberi_turn_mul(to, back, turn);
}

// World length, in L, of a vector in the frame of the joint's parent.
static double in_sizes(const limber_model* model, uint32_t joint, const double* v) {
    return limberi_length3(v) * limberi_parent_scale(&model->rig, joint) / (double)model->size;
}

static gap gap_of(const limber_model* model, const limber_clip* clip, uint32_t joint) {
    gap g = {{0, 0, 0}, {0, 0, 0}, 0, 0};
    double first[4], last[4], turn[4];
    if (sample_ends(clip, channel_of(clip, joint, LIMBER_CHANNEL_TRANSLATION), first, last))
        for (int i = 0; i < 3; i++)
            g.move[i] = last[i] - first[i];
    if (sample_ends(clip, channel_of(clip, joint, LIMBER_CHANNEL_ROTATION), first, last)) {
        turn_between(first, last, turn);
        limberi_turn_log(turn, g.turn);
    }
    g.length = in_sizes(model, joint, g.move);
    g.angle = limberi_length3(g.turn);
    return g;
}

// 1: as far as the rule allows.
static double excess(const gap* g) {
    return fmax(g->length / max_move, g->angle / max_turn);
}

static bool is_rounding(const gap* g) {
    return g->length < min_gap && g->angle < min_gap;
}

// --- travel ---

// The joint's parent in the first pose, and the world's up axis seen from there.
static limber_result parent_frame(const search* s, uint32_t joint, limber_mat4* world_from_parent, double* up) {
    limber_pose pose;
    *world_from_parent = limber_mat4_identity();
    if (s->model->rig.parents[joint] >= 0) {
        if (limber_pose_create(s->model, &pose))
            return LIMBER_ERROR_MEMORY;
        limber_clip_sample(s->model, s->clip, s->clip->start_s, &pose);
        limber_pose_update_world(s->model, &pose);
        *world_from_parent = pose.world_from_joint[s->model->rig.parents[joint]];
        limber_pose_destroy(&pose);
    }
    limber_mat4 back;
    limberi_mat4_inverse(world_from_parent, &back);
    limber_vec3 y = limberi_normalize(limberi_mat4_vector(&back, limberi_vec3(0, 1, 0)));
    up[0] = (double)y.x;
    up[1] = (double)y.y;
    up[2] = (double)y.z;
    return LIMBER_OK;
}

// Splits a rotation into a yaw about `up` and the tilt that follows it: turn = tilt yaw.
static void split_turn(const double* turn, const double* up, double* yaw, double* tilt) {
    double along = turn[0] * up[0] + turn[1] * up[1] + turn[2] * up[2];
    double size = hypot(along, turn[3]);
    double back[4];
    for (int i = 0; i < 3; i++)
        yaw[i] = size > 1e-9 ? along / size * up[i] : 0;
    yaw[3] = size > 1e-9 ? turn[3] / size : 1;
    limberi_turn_inverse(yaw, back);
    limberi_turn_mul(turn, back, tilt);
}

static void step_of(const limber_loop* loop, const double* first, const double* last, double* step) {
    limberi_turn_rotate(loop->root_turn, first, step);
    for (int i = 0; i < 3; i++)
        step[i] = last[i] - step[i];
}

static limber_result find_travel(const search* s, uint32_t root, double* up) {
    limber_loop* loop = &s->clip->loop;
    limber_mat4 world;
    double first[4], last[4], turn[4], tilt[4], yaw[3];
    if (parent_frame(s, root, &world, up))
        return LIMBER_ERROR_MEMORY;
    loop->root = (int32_t)root;
    if (sample_ends(s->clip, channel_of(s->clip, root, LIMBER_CHANNEL_ROTATION), first, last)) {
        turn_between(first, last, turn);
        split_turn(turn, up, loop->root_turn, tilt);
        limberi_turn_log(loop->root_turn, yaw);
        loop->yaw_rad = yaw[0] * up[0] + yaw[1] * up[1] + yaw[2] * up[2];
    }
    const limber_channel* places = channel_of(s->clip, root, LIMBER_CHANNEL_TRANSLATION);
    if (sample_ends(s->clip, places, first, last)) {
        limber_vec3 way =
            limberi_vec3((float)(last[0] - first[0]), (float)(last[1] - first[1]), (float)(last[2] - first[2]));
        loop->travel = limberi_mat4_vector(&world, way);
        step_of(loop, first, last, loop->root_step);
    } else { // a joint that turns about its own place stays there
        const limber_vec3 at = s->model->rig.rest_local[root].translation;
        double place[4] = {(double)at.x, (double)at.y, (double)at.z, 0};
        uint32_t key = 0;
        if (places)
            limberi_channel_sample(places, s->clip->start_s, &key, place);
        step_of(loop, place, place, loop->root_step);
    }
    return LIMBER_OK;
}

static void drop_travel(limber_loop* loop) {
    loop->root = -1;
    loop->yaw_rad = 0;
    loop->travel = limberi_vec3(0, 0, 0);
    memset(loop->root_step, 0, sizeof loop->root_step);
    memset(loop->root_turn, 0, sizeof loop->root_turn);
    loop->root_turn[3] = 1;
}

static gap gap_left(const limber_model* model, const limber_clip* clip, uint32_t joint) {
    gap g = gap_of(model, clip, joint);
    if (clip->loop.root != (int32_t)joint)
        return g;
    double turn[4], back[4], tilt[4];
    limberi_turn_exp(g.turn, 1, turn);
    limberi_turn_inverse(clip->loop.root_turn, back);
    limberi_turn_mul(turn, back, tilt);
    limberi_turn_log(tilt, g.turn);
    memset(g.move, 0, sizeof g.move);
    g.length = 0;
    g.angle = limberi_length3(g.turn);
    return g;
}

static bool is_cut(const limber_clip* clip, uint32_t joint) {
    for (uint32_t i = 0; i < clip->joint_cut_count; i++)
        if (clip->joint_cuts[i].joint == joint)
            return true;
    return clip->cut_count > 0;
}

// Joints with that much skin hang one below the other, and parents come first.
static int32_t find_root(const search* s) {
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++) {
        gap g = gap_of(s->model, s->clip, j);
        if ((double)s->carried[j] >= root_share && excess(&g) > 1)
            return is_cut(s->clip, j) ? -1 : (int32_t)j;
    }
    return -1;
}

// --- more than travel ---

// Whether a joint ever leaves its first pose by more than a gap may be.
static bool moves_far(const search* s, const limber_channel* channel) {
    bool turns = channel->path == LIMBER_CHANNEL_ROTATION;
    double first[4], now[4], way[3];
    uint32_t key = 0;
    limberi_channel_sample(channel, s->clip->start_s, &key, first);
    for (uint32_t k = 0; k < channel->key_count; k++) {
        limberi_channel_sample(channel, (double)channel->times[k], &key, now);
        for (int i = 0; i < 3; i++)
            way[i] = now[i] - first[i];
        if (turns ? limberi_quat_angle(first, now) > max_turn : in_sizes(s->model, channel->target, way) > max_move)
            return true;
    }
    return false;
}

static bool tilts(const search* s, const limber_channel* channel, const double* up) {
    double first[4], now[4], turn[4], yaw[4], tilt[4], vector[3];
    uint32_t key = 0;
    limberi_channel_sample(channel, s->clip->start_s, &key, first);
    for (uint32_t k = 0; k < channel->key_count; k++) {
        limberi_channel_sample(channel, (double)channel->times[k], &key, now);
        turn_between(first, now, turn);
        split_turn(turn, up, yaw, tilt);
        limberi_turn_log(tilt, vector);
        if (limberi_length3(vector) > max_turn)
            return true;
    }
    return false;
}

// Up and down, and back to the height where it began: a hop. What ends lower fell.
static bool bobs(const search* s, const limber_channel* channel, const double* up) {
    double first[4];
    double last[4];
    double now[4];
    double unit = in_sizes(s->model, channel->target, up);
    uint32_t key = 0;
    if (!sample_ends(s->clip, channel, first, last))
        return false;
    double low = up[0] * first[0] + up[1] * first[1] + up[2] * first[2];
    double rise = up[0] * last[0] + up[1] * last[1] + up[2] * last[2] - low;
    for (uint32_t k = 0; fabs(rise) * unit <= max_move && k < channel->key_count; k++) {
        double part = ((double)channel->times[k] - s->clip->start_s) / (s->clip->end_s - s->clip->start_s);
        limberi_channel_sample(channel, (double)channel->times[k], &key, now);
        double height = up[0] * now[0] + up[1] * now[1] + up[2] * now[2];
        if (fabs(height - low - part * rise) * unit > max_move)
            return true;
    }
    return false;
}

// A falling ball has the same pose all the way: that does not make it a cycle.
static bool does_more_than_travel(const search* s, const double* up) {
    const limber_clip* clip = s->clip;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const limber_channel* channel = &clip->channels[i];
        bool turns = channel->path == LIMBER_CHANNEL_ROTATION;
        bool moves = channel->path == LIMBER_CHANNEL_TRANSLATION;
        if ((!turns && !moves) || !(s->carried[channel->target] > 0))
            continue;
        if ((int32_t)channel->target != clip->loop.root) {
            if (moves_far(s, channel))
                return true;
        } else if (turns ? tilts(s, channel, up) : bobs(s, channel, up)) {
            return true;
        }
    }
    return false;
}

// --- the verdict ---

// What is farthest off; `more` is 1 where the rule ends.
static void judge(limber_loop* loop, double* worst, double more, limber_ends ends, uint32_t which) {
    if (!(more > *worst))
        return;
    *worst = more;
    loop->ends = ends;
    loop->joint = which;
}

static void judge_scale(const search* s, const limber_channel* channel, double* worst) {
    double first[4];
    double last[4];
    double off = 0;
    if (!sample_ends(s->clip, channel, first, last))
        return;
    for (int i = 0; i < 3; i++) {
        double larger = fmax(fmax(fabs(first[i]), fabs(last[i])), 1e-3);
        off = fmax(off, fabs(last[i] - first[i]) / larger);
    }
    s->clip->loop.off = fmax(s->clip->loop.off, off);
    judge(&s->clip->loop, worst, off / max_scale, LIMBER_ENDS_SCALE_OFF, channel->target);
}

static limber_result judge_weights(const search* s, const limber_channel* channel, double* worst) {
    uint32_t count = s->model->meshes[channel->target].morph_count;
    float* weights = limberi_allocate((2 * (size_t)count + 1) * sizeof *weights);
    float off = 0;
    if (!weights)
        return LIMBER_ERROR_MEMORY;
    limberi_channel_sample_weights(channel, s->clip->start_s, count, weights);
    limberi_channel_sample_weights(channel, s->clip->end_s, count, weights + count);
    for (uint32_t i = 0; i < count; i++) {
        float change = fabsf(weights[i] - weights[count + i]);
        off = change > off ? change : off;
    }
    limberi_release(weights);
    s->clip->loop.off = fmax(s->clip->loop.off, (double)off);
    judge(&s->clip->loop, worst, (double)off / max_weight, LIMBER_ENDS_MORPH_OFF, channel->target);
    return LIMBER_OK;
}

static limber_result judge_all(const search* s) {
    limber_loop* loop = &s->clip->loop;
    double worst = 1;
    double widest = 0;
    loop->ends = LIMBER_ENDS_MEET;
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++) {
        gap g = gap_left(s->model, s->clip, j);
        if (!(s->carried[j] > 0))
            continue;
        if (excess(&g) > widest && !is_rounding(&g)) {
            widest = excess(&g);
            loop->joint = j;
            loop->gap_rad = g.angle;
            loop->gap = g.length;
        }
        judge(loop, &worst, excess(&g), LIMBER_ENDS_JOINT_OFF, j);
    }
    for (uint32_t i = 0; i < s->clip->channel_count; i++) {
        const limber_channel* channel = &s->clip->channels[i];
        if (channel->path == LIMBER_CHANNEL_SCALE && s->carried[channel->target] > 0)
            judge_scale(s, channel, &worst);
        if (channel->path == LIMBER_CHANNEL_WEIGHTS && judge_weights(s, channel, &worst))
            return LIMBER_ERROR_MEMORY;
    }
    return LIMBER_OK;
}

static limber_result find_loop(const search* s) {
    limber_clip* clip = s->clip;
    limber_loop* loop = &clip->loop;
    int32_t root = find_root(s);
    double up[3] = {0, 1, 0};
    if ((root >= 0 && find_travel(s, (uint32_t)root, up)) || judge_all(s))
        return LIMBER_ERROR_MEMORY;
    if (loop->ends == LIMBER_ENDS_MEET && root >= 0 && !does_more_than_travel(s, up))
        loop->ends = LIMBER_ENDS_TRAVEL_ONLY;
    else if (loop->ends != LIMBER_ENDS_MEET)
        drop_travel(loop);
    clip->loops = loop->ends == LIMBER_ENDS_MEET;
    clip->travels = loop->root >= 0;
    return LIMBER_OK;
}

limber_result limberi_clip_derive_seams(limberi_arena* arena, const limber_model* model, limber_clip* clip) {
    uint32_t joints = model->rig.joint_count;
    clip->loop.seam_count = 0;
    clip->loop.seams = NULL;
    if (!(clip->end_s > clip->start_s))
        return LIMBER_OK;
    limber_seam* found = limberi_allocate(((size_t)joints + 1) * sizeof *found);
    if (!found)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t j = 0; j < joints; j++) {
        gap g = gap_left(model, clip, j);
        bool other_shot = clip->cut_count && excess(&g) > 1; // what is cut has no way from end to end
        if (is_rounding(&g) || other_shot)
            continue;
        limber_seam* seam = &found[clip->loop.seam_count++];
        seam->joint = j;
        for (int i = 0; i < 3; i++) {
            seam->move[i] = (float)g.move[i];
            seam->turn[i] = (float)g.turn[i];
        }
    }
    clip->loop.seams = LIMBERI_COPY(arena, limber_seam, found, clip->loop.seam_count);
    limberi_release(found);
    return arena->failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

limber_result limberi_clip_derive_loop(limberi_arena* arena, const limber_model* model, const float* shares,
                                       limber_clip* clip) {
    uint32_t joints = model->rig.joint_count;
    memset(&clip->loop, 0, sizeof clip->loop);
    clip->loops = clip->travels = false;
    clip->loop.ends = LIMBER_ENDS_ONE_POSE;
    drop_travel(&clip->loop);
    if (!(clip->end_s > clip->start_s))
        return LIMBER_OK;
    search s = {model, clip, limberi_allocate(((size_t)joints + 1) * sizeof *s.carried)};
    if (!s.carried)
        return LIMBER_ERROR_MEMORY;
    memcpy(s.carried, shares, joints * sizeof *shares);
    for (uint32_t j = joints; j-- > 0;)
        if (model->rig.parents[j] >= 0)
            s.carried[model->rig.parents[j]] += s.carried[j];
    limber_result result = find_loop(&s);
    limberi_release(s.carried);
    return result ? result : limberi_clip_derive_seams(arena, model, clip);
}

bool limberi_clip_closes(const limber_clip* clip) {
    const limber_loop* loop = &clip->loop;
    return clip->loops && !clip->travels && loop->gap_rad <= closed_gap && loop->gap <= closed_gap &&
           loop->off <= closed_gap;
}
