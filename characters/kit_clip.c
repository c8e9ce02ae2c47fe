// Clips: a motion is a pure function of time; it is sampled at 30 keys per second with its own derivatives as tangents.
#include "characters/kit_internal.h"

#include <string.h>

// Small against a key's 1/30 s, large against the rounding of float poses.
static const double TANGENT_STEP_S = 1.0 / 480.0;
static const double KEYS_PER_SECOND = 30.0;
enum { KEY_LIMIT = 30 * 60 };

typedef struct recording {
    kit* k;
    double duration_s;
    bool loops;
    kit_motion motion;
    const void* user;
    uint32_t key_count;
    float* times;
    limber_transform *values, *slopes; // [key][joint]
} recording;

static void pose_rest(const kit* k, kit_pose* pose) {
    pose->k = k;
    memcpy(pose->local, k->rest_local, sizeof(limber_transform) * k->joint_count);
}

static void pose_sample(const recording* r, double t, kit_pose* pose) {
    if (r->loops)
        t -= r->duration_s * floor(t / r->duration_s);
    else
        t = fmin(fmax(t, 0), r->duration_s);
    pose_rest(r->k, pose);
    r->motion(r->user, t, pose);
    for (uint32_t j = 0; j < r->k->joint_count; j++)
        pose->local[j].rotation = limberi_quat_normalize(pose->local[j].rotation);
}

static limber_quat quat_facing(limber_quat q, limber_quat reference) {
    limber_quat n = {-q.x, -q.y, -q.z, -q.w};
    return limberi_quat_dot(q, reference) < 0 ? n : q;
}

static limber_transform slope(const limber_transform* before, const limber_transform* after, float span_s) {
    limber_transform s = *after;
    limber_quat a = before->rotation;
    limber_quat b = after->rotation;
    s.translation = limberi_scale(limberi_sub(after->translation, before->translation), 1 / span_s);
    limber_quat q = {(b.x - a.x) / span_s, (b.y - a.y) / span_s, (b.z - a.z) / span_s, (b.w - a.w) / span_s};
    s.rotation = q;
    return s;
}

static void record_key(const recording* r, uint32_t key, kit_pose* here, kit_pose* before, kit_pose* after) {
    uint32_t joints = r->k->joint_count;
    double t = fmin(key / KEYS_PER_SECOND, r->duration_s);
    pose_sample(r, t, here);
    pose_sample(r, t - TANGENT_STEP_S, before);
    pose_sample(r, t + TANGENT_STEP_S, after);
    r->times[key] = (float)t;
    for (uint32_t j = 0; j < joints; j++) {
        limber_transform* value = &r->values[key * joints + j];
        *value = here->local[j];
        if (key > 0)
            value->rotation = quat_facing(value->rotation, r->values[(key - 1) * joints + j].rotation);
        before->local[j].rotation = quat_facing(before->local[j].rotation, value->rotation);
        after->local[j].rotation = quat_facing(after->local[j].rotation, value->rotation);
        r->slopes[key * joints + j] = slope(&before->local[j], &after->local[j], (float)(2 * TANGENT_STEP_S));
    }
}

// The last key of a loop is the first one, turned to the same side as its neighbour.
static void close_loop(const recording* r) {
    uint32_t joints = r->k->joint_count;
    uint32_t last = r->key_count - 1;
    for (uint32_t j = 0; j < joints; j++) {
        limber_transform* value = &r->values[last * joints + j];
        float side = limberi_quat_dot(r->values[j].rotation, value->rotation) < 0 ? -1.0f : 1.0f;
        limber_quat q = r->values[j].rotation;
        limber_quat s = r->slopes[j].rotation;
        *value = r->values[j];
        value->rotation = (limber_quat){side * q.x, side * q.y, side * q.z, side * q.w};
        r->slopes[last * joints + j] = r->slopes[j];
        r->slopes[last * joints + j].rotation = (limber_quat){side * s.x, side * s.y, side * s.z, side * s.w};
    }
}

static bool joint_moves(const recording* r, uint32_t j, limber_channel_path path) {
    const limber_transform* rest = &r->k->rest_local[j];
    for (uint32_t key = 0; key < r->key_count; key++) {
        const limber_transform* value = &r->values[key * r->k->joint_count + j];
        if (path == LIMBER_CHANNEL_TRANSLATION &&
            limberi_length(limberi_sub(value->translation, rest->translation)) > 1e-7f)
            return true;
        limber_quat q = value->rotation;
        if (path == LIMBER_CHANNEL_ROTATION && q.x * q.x + q.y * q.y + q.z * q.z > 1e-14f)
            return true;
    }
    return false;
}

static void write_channel(const recording* r, uint32_t j, limber_channel_path path, float* out) {
    uint32_t joints = r->k->joint_count;
    uint32_t width = path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
    for (uint32_t key = 0; key < r->key_count; key++) {
        const limber_transform* value = &r->values[key * joints + j];
        const limber_transform* tangent = &r->slopes[key * joints + j];
        const void* v =
            path == LIMBER_CHANNEL_ROTATION ? (const void*)&value->rotation : (const void*)&value->translation;
        const void* s =
            path == LIMBER_CHANNEL_ROTATION ? (const void*)&tangent->rotation : (const void*)&tangent->translation;
        memcpy(out, s, sizeof(float) * width);
        memcpy(out + width, v, sizeof(float) * width);
        memcpy(out + 2 * width, s, sizeof(float) * width);
        out += 3 * width;
    }
}

static void write_clip(recording* r, const char* name) {
    kit* k = r->k;
    limber_channel* channels = LIMBERI_ALLOCATE(&k->arena, limber_channel, 2 * k->joint_count);
    uint32_t count = 0;
    for (uint32_t j = 0; channels && j < k->joint_count; j++) {
        for (int p = 0; p < 2; p++) {
            limber_channel_path path = p == 0 ? LIMBER_CHANNEL_TRANSLATION : LIMBER_CHANNEL_ROTATION;
            if (!joint_moves(r, j, path))
                continue;
            uint32_t width = path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
            float* values = LIMBERI_ALLOCATE(&k->arena, float, (size_t)3 * width * r->key_count);
            if (!values)
                break;
            write_channel(r, j, path, values);
            channels[count++] = (limber_channel){.path = path,
                                                 .interpolation = LIMBER_INTERPOLATION_CUBIC,
                                                 .target = j,
                                                 .key_count = r->key_count,
                                                 .times = r->times,
                                                 .values = values};
        }
    }
    limber_clip* clip = &k->clips[k->clip_count++];
    clip->name = limberi_arena_string(&k->arena, name);
    clip->channel_count = count;
    clip->channels = channels;
}

void kit_clip(kit* k, const char* name, double duration_s, bool loops, kit_motion motion, const void* user) {
    if (kit_failed(k))
        return;
    double keys = ceil(duration_s * KEYS_PER_SECOND - 1e-6) + 1;
    if (k->clip_count >= KIT_CLIP_LIMIT || !(keys >= 2) || keys > KEY_LIMIT) {
        kit_fail(k, LIMBER_ERROR_ARGUMENT, "a built-in character has too many clips or one of a strange length");
        return;
    }
    recording r = {.k = k, .duration_s = duration_s, .loops = loops, .motion = motion, .user = user};
    r.key_count = (uint32_t)keys;
    r.times = LIMBERI_ALLOCATE(&k->arena, float, r.key_count);
    r.values = LIMBERI_ALLOCATE(&k->arena, limber_transform, (size_t)r.key_count * k->joint_count);
    r.slopes = LIMBERI_ALLOCATE(&k->arena, limber_transform, (size_t)r.key_count * k->joint_count);
    kit_pose* poses = LIMBERI_ALLOCATE(&k->arena, kit_pose, 3);
    if (k->arena.failed) {
        kit_fail_memory(k);
        return;
    }
    for (uint32_t key = 0; key < r.key_count; key++)
        record_key(&r, key, &poses[0], &poses[1], &poses[2]);
    if (loops)
        close_loop(&r);
    write_clip(&r, name);
}
