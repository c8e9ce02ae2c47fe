// A clip of the motion, moment by moment, as keys of the character's joints.
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/turns.h"
#include "retarget/retarget_private.h"

#include <stdlib.h>
#include <string.h>

static const double max_samples = 16777216; // joints times frames
static const double study_fps = 60;
static const double near_fps = 60;        // keys that lie as near as this follow whatever happens between
static const double max_studied = 200000; // longer clips are studied at a lower rate
static const double floor_differs = 0.12; // of the leg: a rest pose that does not stand where the clip does

typedef struct clip_frames {
    const limber_clip* motion;
    uint32_t count;
    double fps, first_s, last_s; // of the motion's clip
} clip_frames;

// Keys come when those of the motion do. What is carried does not go straight from one to the next, where theirs lie far
// apart: so there are more in between.
static double own_rate(const limber_retarget* r, const limber_clip* motion) {
    bool straight = r->same;
    for (uint32_t i = 0; i < motion->channel_count; i++)
        straight = straight && motion->channels[i].interpolation != LIMBER_INTERPOLATION_CUBIC;
    return straight || motion->fps >= near_fps ? motion->fps : motion->fps * ceil(near_fps / motion->fps);
}

static limber_result choose_range(const limber_retarget* r, const limber_clip* motion, limber_pose* pose,
                                  clip_frames* f, limber_error* error) {
    const limber_retarget_settings* s = &r->settings;
    f->motion = motion;
    f->fps = s->fps > 0 ? s->fps : own_rate(r, motion);
    f->first_s = motion->start_s + (s->start_s > 0 ? s->start_s : 0);
    f->last_s = s->end_s > 0 && motion->start_s + s->end_s < motion->end_s ? motion->start_s + s->end_s : motion->end_s;
    if (f->first_s > f->last_s)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "clip '%s' ends at %g s, before that part of it begins",
                            motion->name, motion->end_s - motion->start_s);
    if (!s->loop || s->start_s > 0 || s->end_s > 0 || motion->loops)
        return LIMBER_OK;
    limber_result result = limberi_cycle_find(r, motion, pose, &f->first_s, &f->last_s);
    if (result == LIMBER_ERROR_ARGUMENT)
        return limberi_fail(error, result, "no cycle in clip '%s': say which part of it is one (FILE@A:B)",
                            motion->name);
    return result ? limberi_fail_memory(error) : LIMBER_OK;
}

static limber_result choose_frames(const limber_retarget* r, const limber_clip* motion, limber_pose* pose,
                                   clip_frames* f, limber_error* error) {
    limber_result result = choose_range(r, motion, pose, f, error);
    if (result)
        return result;
    double steps = ceil((f->last_s - f->first_s) * f->fps - 1e-3);
    if (!((steps + 1) * (r->character->rig.joint_count + r->motion->rig.joint_count) <= max_samples))
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "clip '%s' is too long; take a part of it or a lower rate",
                            motion->name);
    f->count = (uint32_t)(steps > 0 ? steps : 0) + 1;
    return LIMBER_OK;
}

// The frames in which the ground is looked for: the same ones whatever the rate of the motion and of the new keys.
static clip_frames frames_to_study(const clip_frames* keys) {
    clip_frames f = *keys;
    double duration = keys->last_s - keys->first_s;
    double steps = floor(duration * study_fps + 0.5);
    steps = steps < max_studied ? steps : max_studied;
    steps = steps > 1 ? steps : 1;
    f.count = duration > 0 ? (uint32_t)steps + 1 : 1;
    f.fps = duration > 0 ? steps / duration : study_fps;
    return f;
}

static double frame_time(const clip_frames* f, uint32_t frame) {
    double time_s = f->first_s + frame / f->fps;
    return frame + 1 == f->count || time_s > f->last_s ? f->last_s : time_s;
}

// Keys of one joint: three or four numbers a frame.
typedef struct key_track {
    uint32_t joint;
    limber_channel_path path;
    float* values;
} key_track;

typedef struct clip_builder {
    limber_retarget* r;
    clip_frames frames;  // of the new keys
    clip_frames studied; // in which the ground is looked for
    uint32_t track_count, track_room;
    key_track* tracks;
    limber_pose pose; // of the motion
    limberi_closing closing;
    limberi_moment moment;
} clip_builder;

// What the motion stands on, frame by frame.
typedef struct clip_ground {
    double speed[3]; // of the figure that is kept in place, per second
    limberi_steps steps;
    limberi_stances stances;
} clip_ground;

static uint32_t path_width(limber_channel_path path) {
    return path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
}

static void add_track(clip_builder* b, uint32_t joint, limber_channel_path path) {
    key_track* track = &b->tracks[b->track_count++];
    track->joint = joint;
    track->path = path;
    track->values = LIMBERI_ALLOCATE(&b->r->arena, float, (size_t)b->frames.count* path_width(path));
}

static bool allocate_moment(clip_builder* b) {
    limber_retarget* r = b->r;
    limberi_moment* m = &b->moment;
    uint32_t joints = r->character->rig.joint_count;
    m->from = b->pose.world_from_joint;
    m->from_turn = limberi_arena_allocate(&r->arena, r->motion->rig.joint_count, sizeof *m->from_turn);
    m->extra = limberi_arena_allocate(&r->arena, joints, sizeof *m->extra);
    m->turn = limberi_arena_allocate(&r->arena, joints, sizeof *m->turn);
    m->place = limberi_arena_allocate(&r->arena, joints, sizeof *m->place);
    return !r->arena.failed;
}

static bool plan_tracks(clip_builder* b) {
    limber_retarget* r = b->r;
    uint32_t joints = r->character->rig.joint_count;
    b->tracks = LIMBERI_ALLOCATE(&r->arena, key_track, (size_t)3 * joints);
    if (!b->tracks)
        return false;
    for (uint32_t j = 0; j < joints; j++) {
        if (!r->same && r->drive_of[j] >= 0)
            add_track(b, j, LIMBER_CHANNEL_ROTATION);
        for (int path = 0; r->same && path < 3; path++)
            if (b->frames.motion->channel_of_joint[3 * (size_t)j + (size_t)path] >= 0)
                add_track(b, j, (limber_channel_path)path);
    }
    if (!r->same)
        add_track(b, (uint32_t)r->to.hips, LIMBER_CHANNEL_TRANSLATION);
    if (r->settings.root_motion)
        add_track(b, r->root, LIMBER_CHANNEL_TRANSLATION);
    for (uint32_t i = 0; i < r->foot_count; i++)
        if (r->feet[i].to->loose)
            add_track(b, (uint32_t)r->feet[i].to->end, LIMBER_CHANNEL_TRANSLATION);
    return !r->arena.failed;
}

static void sample_motion(clip_builder* b, const clip_frames* frames, uint32_t frame) {
    double time_s = frame_time(frames, frame);
    limber_clip_sample(b->r->motion, frames->motion, time_s, &b->pose);
    if (b->closing.turns)
        limberi_closing_apply(&b->closing, b->r, time_s, &b->pose);
    else
        limber_pose_update_world(b->r->motion, &b->pose);
}

static double ankle_height(const clip_builder* b, uint32_t leg) {
    const limberi_figure* f = &b->r->from;
    const float* m = b->pose.world_from_joint[f->limbs[leg].end].m;
    return (double)m[12] * f->up[0] + (double)m[13] * f->up[1] + (double)m[14] * f->up[2];
}

// Where the motion's ankles are when it stands: as in its rest pose, or, where that floats (captures), as low as they
// come in the clip, but for its lowest twentieth.
static bool find_lift(clip_builder* b) {
    const limber_retarget* r = b->r;
    double* lows = limberi_allocate(b->studied.count * sizeof *lows);
    if (!lows)
        return false;
    for (uint32_t f = 0; f < b->studied.count; f++) {
        sample_motion(b, &b->studied, f);
        double left = ankle_height(b, LIMBERI_LEG_LEFT);
        double right = ankle_height(b, LIMBERI_LEG_RIGHT);
        lows[f] = left < right ? left : right;
    }
    qsort(lows, b->studied.count, sizeof *lows, limberi_compare_doubles);
    double floor = lows[b->studied.count / 20];
    limberi_release(lows);
    if (fabs(floor - r->floor_rest) < floor_differs * limberi_leg_length_of(&r->from))
        floor = r->floor_rest;
    b->moment.lift = r->floor_goal - r->scale * floor;
    return true;
}

// The steady way of the hips along the ground, per second.
static void find_belt(clip_builder* b, double* speed) {
    double ends[2][3];
    memset(b->moment.belt, 0, sizeof b->moment.belt);
    double duration = b->frames.last_s - b->frames.first_s;
    for (uint32_t i = 0; i < 2; i++) {
        sample_motion(b, &b->frames, i ? b->frames.count - 1 : 0);
        limberi_carry_place(b->r, &b->moment, (uint32_t)b->r->from.hips, ends[i]);
    }
    double climb = 0;
    for (int i = 0; i < 3; i++) {
        speed[i] = duration > 0 ? (ends[1][i] - ends[0][i]) / duration : 0;
        climb += speed[i] * b->r->to.up[i];
    }
    for (int i = 0; i < 3; i++)
        speed[i] = b->r->settings.in_place ? speed[i] - climb * b->r->to.up[i] : 0;
}

static bool find_steps(clip_builder* b, limberi_steps* steps) {
    if (!limberi_steps_open(steps, b->r->foot_count, b->studied.count))
        return false;
    for (uint32_t f = 0; f < b->studied.count; f++) {
        sample_motion(b, &b->studied, f);
        for (uint32_t i = 0; i < b->r->foot_count; i++) {
            size_t at = (size_t)i * b->studied.count + f;
            steps->heights[at] = limberi_foot_height(b->r, &b->moment, &b->r->feet[i], steps->places[at]);
        }
    }
    limberi_steps_find(steps, b->r, b->studied.fps);
    return true;
}

static void store_turn(const clip_builder* b, uint32_t j, float* key, uint32_t frame) {
    const limberi_moment* m = &b->moment;
    int32_t parent = b->r->character->rig.parents[j];
    double local[4];
    memcpy(local, m->turn[j], sizeof local);
    if (parent >= 0) {
        double inverse[4];
        limberi_turn_inverse(m->turn[parent], inverse);
        limberi_turn_mul(inverse, m->turn[j], local);
    }
    double size = sqrt(local[0] * local[0] + local[1] * local[1] + local[2] * local[2] + local[3] * local[3]);
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += frame ? local[i] * (double)key[i - 4] : 1;
    for (int i = 0; i < 4; i++)
        key[i] = (float)(dot < 0 ? -local[i] / size : local[i] / size);
}

static void store_place(const clip_builder* b, uint32_t j, float* key) {
    const limberi_moment* m = &b->moment;
    int32_t parent = b->r->character->rig.parents[j];
    double way[3];
    double local[3];
    memcpy(local, m->place[j], sizeof local);
    if (parent >= 0) {
        double inverse[4];
        for (int i = 0; i < 3; i++)
            way[i] = (m->place[j][i] - m->place[parent][i]) / b->r->size[parent];
        limberi_turn_inverse(m->turn[parent], inverse);
        limberi_turn_rotate(inverse, way, local);
    }
    for (int i = 0; i < 3; i++)
        key[i] = (float)local[i];
}

static void store_same(const clip_builder* b, const key_track* track, float* key) {
    const limber_transform* t = &b->pose.local[track->joint];
    const float* part = &t->translation.x;
    if (track->path == LIMBER_CHANNEL_ROTATION)
        part = &t->rotation.x;
    if (track->path == LIMBER_CHANNEL_SCALE)
        part = &t->scale.x;
    memcpy(key, part, path_width(track->path) * sizeof *key);
}

static void store_frame(const clip_builder* b, uint32_t frame) {
    for (uint32_t i = 0; i < b->track_count; i++) {
        const key_track* track = &b->tracks[i];
        float* key = track->values + (size_t)frame * path_width(track->path);
        if (b->r->same)
            store_same(b, track, key);
        else if (track->path == LIMBER_CHANNEL_ROTATION)
            store_turn(b, track->joint, key, frame);
        else
            store_place(b, track->joint, key);
    }
}

static double between(double a, double b, double part) {
    return a + part * (b - a);
}

// The ground of every foot at a time, between two of the frames that were studied.
static void set_ground(clip_builder* b, const clip_ground* ground, double time_s) {
    uint32_t count = b->studied.count;
    double place = (time_s - b->studied.first_s) * b->studied.fps;
    double whole = floor(place + 1e-6);
    whole = whole < count - 1 ? whole : count - 1;
    double part = place - whole > 0 ? place - whole : 0;
    uint32_t f = (uint32_t)whole;
    uint32_t next = f + 1 < count ? f + 1 : f;
    for (uint32_t i = 0; i < b->r->foot_count; i++) {
        limberi_foot* foot = &b->r->feet[i];
        const limberi_stances* s = &ground->stances;
        size_t first = (size_t)i * count + f;
        size_t second = (size_t)i * count + next;
        foot->step = between(limberi_step_at(&ground->steps, i, f), limberi_step_at(&ground->steps, i, next), part);
        foot->low = between(s->lows[first], s->lows[second], part);
        foot->ground = between(s->grounds[first], s->grounds[second], part);
        for (int k = 0; k < 3; k++)
            foot->move[k] = between(s->moves[first][k], s->moves[second][k], part);
    }
}

// The motion at a frame, with its ground.
static void begin_frame(clip_builder* b, const clip_ground* ground, const clip_frames* frames, uint32_t frame) {
    double time_s = frame_time(frames, frame);
    sample_motion(b, frames, frame);
    for (int i = 0; i < 3; i++)
        b->moment.belt[i] = ground->speed[i] * (time_s - frames->first_s);
    set_ground(b, ground, time_s);
}

static bool find_stances(clip_builder* b, clip_ground* ground) {
    limberi_stances* s = &ground->stances;
    if (!limberi_stances_open(s, b->r->foot_count, b->studied.count) ||
        !limberi_stances_find_grounds(s, b->r, &ground->steps, b->studied.fps))
        return false;
    bool whole = b->studied.first_s <= b->studied.motion->start_s && b->studied.last_s >= b->studied.motion->end_s;
    s->loops = b->r->settings.loop || (b->studied.motion->loops && whole);
    b->r->stands = false;
    for (uint32_t f = 0; f < b->studied.count; f++) {
        begin_frame(b, ground, &b->studied, f);
        limberi_moment_pose(b->r, &b->moment);
        for (uint32_t i = 0; i < b->r->foot_count; i++)
            limberi_foot_miss(b->r, &b->moment, &b->r->feet[i], s->misses[(size_t)i * b->studied.count + f]);
    }
    return limberi_stances_find_moves(s, b->r);
}

static bool make_frames(clip_builder* b, clip_ground* ground) {
    if (!allocate_moment(b) || !find_lift(b) || !find_steps(b, &ground->steps))
        return false;
    find_belt(b, ground->speed);
    if (!find_stances(b, ground))
        return false;
    b->r->stands = true;
    for (uint32_t f = 0; f < b->frames.count; f++) {
        begin_frame(b, ground, &b->frames, f);
        limberi_moment_solve(b->r, &b->moment);
        store_frame(b, f);
    }
    return true;
}

static bool fill_tracks(clip_builder* b) {
    clip_ground ground = {0};
    b->closing.first_s = b->frames.first_s;
    b->closing.last_s = b->frames.last_s;
    if (!plan_tracks(b) ||
        (b->r->settings.loop && !limberi_closing_open(&b->closing, b->r, b->frames.motion, &b->pose)))
        return false;
    bool done = true;
    if (b->r->same) {
        for (uint32_t f = 0; f < b->frames.count; f++) {
            sample_motion(b, &b->frames, f);
            store_frame(b, f);
        }
    } else
        done = make_frames(b, &ground);
    limberi_steps_close(&ground.steps);
    limberi_stances_close(&ground.stances);
    return done;
}

static const limber_clip* build_clip(clip_builder* b) {
    limberi_arena* arena = &b->r->arena;
    limber_clip* clip = LIMBERI_ALLOCATE(arena, limber_clip, 1);
    limber_channel* channels = LIMBERI_ALLOCATE(arena, limber_channel, b->track_count);
    float* times = LIMBERI_ALLOCATE(arena, float, b->frames.count);
    if (arena->failed)
        return NULL;
    for (uint32_t f = 0; f < b->frames.count; f++)
        times[f] = (float)(frame_time(&b->frames, f) - b->frames.first_s);
    for (uint32_t i = 0; i < b->track_count; i++) {
        channels[i].path = b->tracks[i].path;
        channels[i].interpolation = LIMBER_INTERPOLATION_LINEAR;
        channels[i].target = b->tracks[i].joint;
        channels[i].key_count = b->frames.count;
        channels[i].times = times;
        channels[i].values = b->tracks[i].values;
    }
    clip->name = limberi_arena_string(arena, b->r->settings.name ? b->r->settings.name : b->frames.motion->name);
    clip->channel_count = b->track_count;
    clip->channels = channels;
    return arena->failed ? NULL : clip;
}

limber_result limber_retarget_clip(limber_retarget* r, const limber_clip* motion, const limber_clip** clip,
                                   limber_error* error) {
    clip_builder b = {0};
    *clip = NULL;
    b.r = r;
    if (limber_pose_create(r->motion, &b.pose))
        return limberi_fail_memory(error);
    limber_result result = choose_frames(r, motion, &b.pose, &b.frames, error);
    if (!result) {
        b.studied = frames_to_study(&b.frames);
        *clip = fill_tracks(&b) ? build_clip(&b) : NULL;
        result = *clip ? LIMBER_OK : limberi_fail_memory(error);
    }
    limber_pose_destroy(&b.pose);
    return result;
}
