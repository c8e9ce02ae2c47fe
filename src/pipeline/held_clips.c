// Clips for files where a style holds poses (timing.step): a key at either end of each hold, for players that blend.
#include "base/error.h"
#include "base/memory.h"
#include "perform/holds.h"
#include "pipeline/pipeline_private.h"

#include <string.h>

struct limberi_held_clip {
    limberi_arena arena;
    limber_clip clip;
    limber_stretch* stretches;
};

// Where keys are, and the time that each shows.
typedef struct held_keys {
    uint32_t count;
    float* times;
    double* shown_s;
} held_keys;

static bool find_keys(const limberi_holds* holds, limberi_arena* arena, held_keys* keys) {
    uint32_t count = limberi_holds_keys(holds, NULL);
    keys->shown_s = LIMBERI_ALLOCATE(arena, double, count);
    keys->times = LIMBERI_ALLOCATE(arena, float, count);
    if (arena->failed)
        return false;
    limberi_holds_keys(holds, keys->shown_s);
    for (uint32_t k = 0; k < count; k++) {
        float time = (float)keys->shown_s[k];
        if (keys->count && time <= keys->times[keys->count - 1])
            continue;
        keys->times[keys->count] = time;
        keys->shown_s[keys->count++] = limberi_holds_time(holds, keys->shown_s[k]);
    }
    return true;
}

// What a channel drives, as the pose has it.
static const float* driven(const limber_model* model, const limber_channel* channel, const limber_pose* pose,
                           size_t* width) {
    const limber_transform* local = &pose->local[channel->target];
    *width = channel->path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
    switch (channel->path) {
    case LIMBER_CHANNEL_TRANSLATION:
        return &local->translation.x;
    case LIMBER_CHANNEL_ROTATION:
        return &local->rotation.x;
    case LIMBER_CHANNEL_SCALE:
        return &local->scale.x;
    default:
        *width = model->meshes[channel->target].morph_count;
        return pose->morph_weights + model->meshes[channel->target].first_morph;
    }
}

// Neighbouring quaternions are kept on one side.
static void write_key(const float* from, size_t width, bool turn, const float* before, float* out) {
    float dot = 0;
    for (size_t i = 0; turn && before && i < width; i++)
        dot += from[i] * before[i];
    for (size_t i = 0; i < width; i++)
        out[i] = dot < 0 ? -from[i] : from[i];
}

static bool sample_channels(const limber_model* model, const limber_clip* clip, const held_keys* keys,
                            struct limberi_held_clip* made) {
    limber_channel* channels = LIMBERI_COPY(&made->arena, limber_channel, clip->channels, clip->channel_count);
    float** values = LIMBERI_ALLOCATE(&made->arena, float*, clip->channel_count);
    limber_pose pose;
    size_t width;
    if (made->arena.failed || limber_pose_create(model, &pose))
        return false;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        driven(model, &channels[i], &pose, &width);
        values[i] = LIMBERI_ALLOCATE(&made->arena, float, width * keys->count);
        channels[i].interpolation = LIMBER_INTERPOLATION_LINEAR;
        channels[i].key_count = keys->count;
        channels[i].times = keys->times;
        channels[i].values = values[i];
    }
    for (uint32_t k = 0; !made->arena.failed && k < keys->count; k++) {
        limber_clip_sample(model, clip, keys->shown_s[k], &pose);
        for (uint32_t i = 0; i < clip->channel_count; i++) {
            const float* from = driven(model, &channels[i], &pose, &width);
            float* key = values[i] + k * width;
            write_key(from, width, channels[i].path == LIMBER_CHANNEL_ROTATION, k ? key - width : NULL, key);
        }
    }
    limber_pose_destroy(&pose);
    made->clip.channels = channels;
    return !made->arena.failed;
}

static float factor_at(const limber_stretch* stretch, double time_s) {
    uint32_t k = 1;
    while (k + 1 < stretch->key_count && (double)stretch->times[k] <= time_s)
        k++;
    if (stretch->key_count < 2)
        return stretch->key_count ? stretch->factors[0] : 1;
    double from_s = (double)stretch->times[k - 1];
    double part = (time_s - from_s) / ((double)stretch->times[k] - from_s);
    part = part > 0 ? part : 0;
    part = part < 1 ? part : 1;
    return (float)((1 - part) * (double)stretch->factors[k - 1] + part * (double)stretch->factors[k]);
}

static bool sample_stretches(const limber_edited_clip* edited, const held_keys* keys, struct limberi_held_clip* made) {
    made->stretches = LIMBERI_COPY(&made->arena, limber_stretch, edited->stretches, edited->stretch_count);
    for (uint32_t i = 0; made->stretches && i < edited->stretch_count; i++) {
        float* factors = LIMBERI_ALLOCATE(&made->arena, float, keys->count);
        for (uint32_t k = 0; factors && k < keys->count; k++)
            factors[k] = factor_at(&edited->stretches[i], keys->shown_s[k]);
        made->stretches[i].key_count = keys->count;
        made->stretches[i].times = keys->times;
        made->stretches[i].factors = factors;
    }
    return !made->arena.failed;
}

static struct limberi_held_clip* make_held(const limber_model* model, const limberi_holds* holds,
                                           const limber_edited_clip* edited) {
    struct limberi_held_clip* made = limberi_allocate_zeroed(1, sizeof *made);
    held_keys keys = {0, NULL, NULL};
    if (!made)
        return NULL;
    made->clip = *edited->clip;
    if (find_keys(holds, &made->arena, &keys) && sample_channels(model, edited->clip, &keys, made) &&
        sample_stretches(edited, &keys, made))
        return made;
    limberi_arena_free(&made->arena);
    limberi_release(made);
    return NULL;
}

limber_result limberi_pipeline_begin_holding(limber_pipeline* p, limber_error* error) {
    if (p->settings.perform.step == 1 || !p->model->clip_count)
        return LIMBER_OK;
    p->held = LIMBERI_ALLOCATE(&p->arena, struct limberi_held_clip*, p->model->clip_count);
    return p->held ? LIMBER_OK : limberi_fail_memory(error);
}

limber_result limberi_pipeline_hold_clip(limber_pipeline* p, limber_edited_clip* edited) {
    limberi_holds holds;
    if (!p->held || !limberi_pipeline_holds(p, edited->index, &holds))
        return LIMBER_OK;
    if (!p->held[edited->index])
        p->held[edited->index] = make_held(p->model, &holds, edited);
    const struct limberi_held_clip* made = p->held[edited->index];
    if (!made)
        return LIMBER_ERROR_MEMORY;
    edited->clip = &made->clip;
    edited->stretches = made->stretches;
    return LIMBER_OK;
}

void limberi_pipeline_drop_held(limber_pipeline* p) {
    for (uint32_t c = 0; p->held && c < p->model->clip_count; c++) {
        if (p->held[c])
            limberi_arena_free(&p->held[c]->arena);
        limberi_release(p->held[c]);
    }
}
