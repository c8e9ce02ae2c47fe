// Clips that the style edits, as a file with a bone bake plays them: rotations have 16 bits, and there are keys only where
// linear interpolation shows something else. The joints of the bake then move as these clips have it, so that bones,
// which hang below them, and the error know.
#include "asset/channel.h"
#include "bake/bones.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

static const double joint_share =
    0.25;                             // of the tolerance: how far keys that are left out may put a vertex of the joint
static const double min_reach = 0.05; // of L: what hangs on a joint without skin
static const double packed_step = 32767;

// Frames without a key; JSON of an accessor of times and of its view.
enum { LONGEST_GAP = 48, TIMES_BYTES = 180, FRAMES_PER_TASK = 4 };

// One channel of an edited clip, frame by frame.
typedef struct joint_track {
    limber_channel* channel;
    uint32_t joint;
    limber_channel_path path;
    float *plain, *shown; // [frame][4]
    uint32_t key_count;
    uint32_t* keys; // frames
} joint_track;

typedef struct clip_packer {
    limberi_bone_bake* bake;
    limberi_arena* memory; // of the clips
    limberi_arena scratch;
    const limber_bake_track* track;
    uint32_t first_frame; // of the track
    float* reach;         // [joint] world units: the farthest that it carries a vertex
    uint32_t count;
    joint_track* tracks;
    bool* moved;                 // [joint] it, or a joint above it
    limber_mat4* scratch_joints; // [worker][joint]
} clip_packer;

// --- reach ---

static void find_reach(clip_packer* c) {
    const limberi_bone_bake* b = c->bake;
    const limber_rig* rig = &b->model->rig;
    double size = (double)b->model->size;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        double square = 0;
        for (size_t i = 3 * (size_t)j; i < 3 * (size_t)j + 3; i++) {
            double side = fmax(fabs(b->bones.low[i]), fabs(b->bones.high[i]));
            square += side * side;
        }
        c->reach[j] = (float)(size * fmax(min_reach, b->bones.unit[j] * sqrt(square)));
    }
    for (uint32_t j = rig->joint_count; j-- > 0;) {
        if (rig->parents[j] < 0)
            continue;
        uint32_t parent = (uint32_t)rig->parents[j];
        limber_vec3 from = limberi_mat4_translation(&rig->world_from_joint_rest[parent]);
        limber_vec3 to = limberi_mat4_translation(&rig->world_from_joint_rest[j]);
        c->reach[parent] = fmaxf(c->reach[parent], c->reach[j] + limberi_distance(from, to));
    }
}

// How far the channel's numbers may be off.
static double allowed(const clip_packer* c, const limber_channel* channel) {
    const limber_rig* rig = &c->bake->model->rig;
    double length = joint_share * c->bake->tolerance;
    int32_t parent = rig->parents[channel->target];
    if (channel->path == LIMBER_CHANNEL_ROTATION) // half the angle
        return 0.5 * length / (double)c->reach[channel->target];
    double scale = 0;
    for (int i = 0; parent >= 0 && i < 3; i++)
        scale = fmax(scale, (double)limberi_length(limberi_mat4_column(&rig->world_from_joint_rest[parent], i)));
    return length / (scale > 0 ? scale : 1);
}

// --- keys ---

// All keys of the channel are frames, or would be left out for them.
static bool can_pack(const clip_packer* c, const limber_channel* channel) {
    const limber_bake_track* track = c->track;
    return (channel->path == LIMBER_CHANNEL_ROTATION || channel->path == LIMBER_CHANNEL_TRANSLATION) &&
           channel->interpolation == LIMBER_INTERPOLATION_LINEAR && track->frame_count > 1 &&
           track->frame_count <= channel->key_count && track->times[0] <= channel->times[0] &&
           track->times[track->frame_count - 1] >= channel->times[channel->key_count - 1];
}

static void sample(const clip_packer* c, const limber_channel* channel, joint_track* t) {
    uint32_t width = limberi_channel_width(channel);
    uint32_t near = 0;
    for (uint32_t f = 0; f < c->track->frame_count; f++) {
        double value[4] = {0};
        double dot = 0;
        limberi_channel_sample(channel, (double)c->track->times[f], &near, value);
        for (uint32_t i = 0; f && i < width && width == 4; i++)
            dot += value[i] * (double)t->plain[4 * (f - 1) + i];
        for (uint32_t i = 0; i < width; i++) {
            double one = dot < 0 ? -value[i] : value[i];
            t->plain[4 * (size_t)f + i] = (float)one;
            t->shown[4 * (size_t)f + i] = (float)(width == 4 ? floor(one * packed_step + 0.5) / packed_step : one);
        }
    }
}

// What a player shows at a frame between two keys.
static void sample_between(const clip_packer* c, const joint_track* t, uint32_t from, uint32_t to, uint32_t frame,
                           double* out) {
    const float* times = c->track->times;
    float both[8];
    const float ends[2] = {times[from], times[to]};
    uint32_t near = 0;
    limber_channel between = {t->path, LIMBER_INTERPOLATION_LINEAR, t->joint, 2, ends, both};
    uint32_t width = limberi_channel_width(&between);
    memcpy(both, t->shown + 4 * (size_t)from, width * sizeof *both);
    memcpy(both + width, t->shown + 4 * (size_t)to, width * sizeof *both);
    limberi_channel_sample(&between, (double)times[frame], &near, out);
}

static bool can_skip(const clip_packer* c, const joint_track* t, uint32_t from, uint32_t to, double limit) {
    uint32_t width = t->path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
    for (uint32_t f = from + 1; f < to; f++) {
        double value[4];
        double off = 0;
        double flipped = 0;
        sample_between(c, t, from, to, f, value);
        for (uint32_t i = 0; i < width; i++) {
            double plain = (double)t->plain[4 * (size_t)f + i];
            off += (value[i] - plain) * (value[i] - plain);
            flipped += (value[i] + plain) * (value[i] + plain);
        }
        if (!(sqrt(width == 4 ? fmin(off, flipped) : off) <= limit))
            return false;
    }
    return true;
}

static bool is_still(const clip_packer* c, const joint_track* t) {
    for (uint32_t f = 1; f < c->track->frame_count; f++)
        if (memcmp(t->shown, t->shown + 4 * (size_t)f, 4 * sizeof *t->shown) != 0)
            return false;
    return true;
}

// All frames where fewer keys do not make up for times of their own.
static void find_keys(const clip_packer* c, joint_track* t, double limit) {
    uint32_t frames = c->track->frame_count;
    uint32_t count = 1;
    uint32_t bytes = t->path == LIMBER_CHANNEL_ROTATION ? 8 : 12;
    t->keys[0] = 0;
    while (t->keys[count - 1] + 1 < frames && !is_still(c, t)) {
        uint32_t from = t->keys[count - 1];
        uint32_t to = from + 1;
        while (to + 1 < frames && to - from < LONGEST_GAP && can_skip(c, t, from, to + 1, limit))
            to++;
        t->keys[count++] = to;
    }
    if (count > 1 && count * (4 + bytes) + TIMES_BYTES > frames * bytes)
        for (count = 0; count < frames; count++)
            t->keys[count] = count;
    t->key_count = count;
}

static void replay(const clip_packer* c, joint_track* t) {
    uint32_t width = t->path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
    for (uint32_t k = 0; k + 1 < t->key_count; k++)
        for (uint32_t f = t->keys[k] + 1; f < t->keys[k + 1]; f++) {
            double value[4];
            sample_between(c, t, t->keys[k], t->keys[k + 1], f, value);
            for (uint32_t i = 0; i < width; i++)
                t->shown[4 * (size_t)f + i] = (float)value[i];
        }
}

static void store(const clip_packer* c, const joint_track* t) {
    limber_channel* channel = t->channel;
    uint32_t width = limberi_channel_width(channel);
    float* times = LIMBERI_ALLOCATE(c->memory, float, t->key_count);
    float* values = LIMBERI_ALLOCATE(c->memory, float, (size_t)width * t->key_count);
    for (uint32_t k = 0; times && values && k < t->key_count; k++) {
        times[k] = c->track->times[t->keys[k]];
        memcpy(values + (size_t)width * k, t->shown + 4 * (size_t)t->keys[k], width * sizeof *values);
    }
    if (!times || !values)
        return;
    channel->key_count = t->key_count;
    channel->times = times;
    channel->values = values;
}

static void add_track(clip_packer* c, limber_channel* channel) {
    size_t frames = c->track->frame_count;
    joint_track* t = &c->tracks[c->count++];
    t->channel = channel;
    t->joint = channel->target;
    t->path = channel->path;
    t->plain = LIMBERI_ALLOCATE(&c->scratch, float, 4 * frames);
    t->shown = LIMBERI_ALLOCATE(&c->scratch, float, 4 * frames);
    t->keys = LIMBERI_ALLOCATE(&c->scratch, uint32_t, frames + 1);
}

static void pack_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const clip_packer* c = user;
    (void)worker;
    for (uint32_t i = first; i < end; i++) {
        joint_track* t = &c->tracks[i];
        sample(c, t->channel, t);
        find_keys(c, t, allowed(c, t->channel));
        replay(c, t);
    }
}

static void pack_channels(clip_packer* c) {
    limberi_parallel_for(&c->bake->source->parallel, c->count, 1, pack_some, c);
    for (uint32_t i = 0; i < c->count; i++)
        store(c, &c->tracks[i]);
}

// --- joints ---

static limber_quat turn_at(const float* values) {
    limber_quat q = {values[0], values[1], values[2], values[3]};
    return limberi_quat_normalize(q);
}

// `local` is relative to the joint above.
static void move_local(const clip_packer* c, uint32_t joint, uint32_t frame, limber_mat4* local) {
    for (uint32_t i = 0; i < c->count; i++) {
        const float* plain = c->tracks[i].plain + 4 * (size_t)frame;
        const float* shown = c->tracks[i].shown + 4 * (size_t)frame;
        if (c->tracks[i].joint != joint)
            continue;
        if (c->tracks[i].path == LIMBER_CHANNEL_TRANSLATION) {
            for (int k = 0; k < 3; k++)
                local->m[12 + k] += shown[k] - plain[k];
            continue;
        }
        limber_mat4 turned = *local;
        turned.m[12] = turned.m[13] = turned.m[14] = 0;
        limber_transform change = limber_transform_identity();
        change.rotation = limberi_quat_mul(turn_at(shown), limberi_quat_conj(turn_at(plain)));
        limber_mat4 turn = limberi_mat4_from_transform(&change);
        turned = limberi_mat4_mul(&turn, &turned);
        memcpy(turned.m + 12, local->m + 12, 3 * sizeof *turned.m);
        *local = turned;
    }
}

static void move_frame(const clip_packer* c, uint32_t frame, limber_mat4* moved) {
    const limber_rig* rig = &c->bake->model->rig;
    limber_mat4* world = c->bake->world + (size_t)(c->first_frame + frame) * rig->joint_count;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        limber_mat4 above = limber_mat4_identity();
        limber_mat4 local = world[j];
        int32_t parent = rig->parents[j];
        moved[j] = world[j];
        if (!c->moved[j] || (parent >= 0 && !limberi_mat4_inverse(&world[parent], &above)))
            continue;
        local = limberi_mat4_mul(&above, &local);
        move_local(c, j, frame, &local);
        moved[j] = parent >= 0 ? limberi_mat4_mul(&moved[parent], &local) : local;
    }
    memcpy(world, moved, rig->joint_count * sizeof *world);
}

static void move_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const clip_packer* c = user;
    for (uint32_t f = first; f < end; f++)
        move_frame(c, f, c->scratch_joints + (size_t)worker * c->bake->model->rig.joint_count);
}

static void move_joints(clip_packer* c) {
    const limber_rig* rig = &c->bake->model->rig;
    const limber_parallel* parallel = &c->bake->source->parallel;
    uint32_t workers = limberi_worker_count(parallel);
    c->scratch_joints = LIMBERI_ALLOCATE(&c->scratch, limber_mat4, (size_t)workers * rig->joint_count);
    if (!c->scratch_joints)
        return;
    for (uint32_t i = 0; i < c->count; i++)
        c->moved[c->tracks[i].joint] = true;
    for (uint32_t j = 0; j < rig->joint_count; j++)
        c->moved[j] = c->moved[j] || (rig->parents[j] >= 0 && c->moved[rig->parents[j]]);
    limberi_parallel_for(parallel, c->track->frame_count, FRAMES_PER_TASK, move_some, c);
}

// --- all of it ---

// Of a clip whose track begins at a frame. Channels that are as in the file stay there.
static limber_result pack_clip(limberi_bone_bake* b, uint32_t t, uint32_t first_frame, limber_edited_clip* edit) {
    const limber_clip* plain = &b->source->plain->clips[edit->index];
    limber_clip* clip = (limber_clip*)(uintptr_t)edit->clip; // the bake's own
    limber_channel* channels = (limber_channel*)(uintptr_t)clip->channels;
    uint32_t joints = b->model->rig.joint_count;
    clip_packer c = {
        .bake = b, .memory = b->bake->clip_memory, .track = &b->bake->tracks[t], .first_frame = first_frame};
    c.reach = LIMBERI_ALLOCATE(&c.scratch, float, joints);
    c.moved = LIMBERI_ALLOCATE(&c.scratch, bool, joints);
    c.tracks = LIMBERI_ALLOCATE(&c.scratch, joint_track, clip->channel_count);
    if (!c.scratch.failed)
        find_reach(&c);
    for (uint32_t i = 0; !c.scratch.failed && i < clip->channel_count; i++) {
        int32_t old = channels[i].path == LIMBER_CHANNEL_WEIGHTS
                          ? 0
                          : plain->channel_of_joint[3 * (size_t)channels[i].target + channels[i].path];
        bool same = old >= 0 && limberi_channel_is_same(b->source->plain, &plain->channels[old], &channels[i]);
        if (can_pack(&c, &channels[i]) && !same)
            add_track(&c, &channels[i]);
    }
    if (!c.scratch.failed && c.count) {
        pack_channels(&c);
        move_joints(&c);
    }
    bool failed = c.scratch.failed || c.memory->failed;
    limberi_arena_free(&c.scratch);
    return failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

limber_result limberi_bone_bake_clips(limberi_bone_bake* b) {
    limber_result result = b->source->edits(b->source->user, b->bake);
    uint32_t first = 0;
    for (uint32_t t = 0; !result && t < b->bake->track_count; t++) {
        for (uint32_t i = 0; !result && i < b->bake->clip_count; i++)
            if (b->bake->clips[i].index == b->bake->tracks[t].clip)
                result = pack_clip(b, t, first, &b->bake->clips[i]);
        first += b->bake->tracks[t].frame_count;
    }
    return result;
}
