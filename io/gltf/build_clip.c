// Clips of a new document.
#include "io/gltf/build.h"

#include <string.h>

static const char* const path_names[] = {"translation", "rotation", "scale", "weights"};
static const char* const interpolation_names[] = {"STEP", "LINEAR", "CUBICSPLINE"};

static uint32_t add_input(limberi_builder* b, const limber_channel* channel) {
    return limberi_floats_add(&b->writer, channel->times, channel->key_count, "SCALAR", 0, true);
}

static limberi_json* make_sampler(limberi_builder* b, const limber_channel* channel, uint32_t input) {
    limberi_writer* w = &b->writer;
    bool cubic = channel->interpolation == LIMBER_INTERPOLATION_CUBIC;
    const char* interpolation = interpolation_names[channel->interpolation];
    const float* values = channel->values;
    size_t rows = (size_t)channel->key_count * (cubic ? 3 : 1);
    bool weights = channel->path == LIMBER_CHANNEL_WEIGHTS;
    size_t width = channel->path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
    const char* type = channel->path == LIMBER_CHANNEL_ROTATION ? "VEC4" : "VEC3";
    if (weights) {
        width = b->model->meshes[channel->target].morph_count;
        type = "SCALAR";
    }
    if (cubic && channel->key_count == 1) { // a spline needs two keys; alone, only the value counts
        interpolation = "STEP";
        values += width;
        rows = 1;
    }
    limberi_json* sampler = limberi_new_object(w);
    limberi_put_integer(w, sampler, "input", input);
    uint32_t output = limberi_floats_add(w, values, weights ? rows * width : rows, type, 0, false);
    limberi_put_integer(w, sampler, "output", output);
    limberi_put_string(w, sampler, "interpolation", interpolation);
    return sampler;
}

static void push_channel(limberi_builder* b, limberi_json* channels, uint32_t sampler, uint32_t node,
                         const char* path) {
    limberi_writer* w = &b->writer;
    limberi_json* channel = limberi_new_object(w);
    limberi_json* target = limberi_new_object(w);
    limberi_put_integer(w, target, "node", node);
    limberi_put_string(w, target, "path", path);
    limberi_put_integer(w, channel, "sampler", sampler);
    limberi_put(w, channel, "target", target);
    limberi_push(w, channels, channel);
}

static void add_channels(limberi_builder* b, const limber_clip* clip, limberi_json* samplers, limberi_json* channels) {
    uint32_t input = UINT32_MAX;
    const limber_channel* before = NULL;
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const limber_channel* channel = &clip->channels[i];
        bool weights = channel->path == LIMBER_CHANNEL_WEIGHTS;
        if (weights && !b->model->meshes[channel->target].morph_count)
            continue;
        bool same = before && before->key_count == channel->key_count &&
                    memcmp(before->times, channel->times, channel->key_count * sizeof(float)) == 0;
        input = same ? input : add_input(b, channel);
        before = channel;
        uint32_t sampler = limberi_push(&b->writer, samplers, make_sampler(b, channel, input));
        uint32_t node = weights ? b->document->meshes[channel->target].node : channel->target;
        push_channel(b, channels, sampler, node, path_names[channel->path]);
    }
}

// An animation may not be empty: one key that holds the first joint where it rests.
static void add_rest_channel(limberi_builder* b, limberi_json* samplers, limberi_json* channels) {
    static const float start[1] = {0};
    limber_channel rest = {.path = LIMBER_CHANNEL_TRANSLATION,
                           .interpolation = LIMBER_INTERPOLATION_STEP,
                           .key_count = 1,
                           .times = start,
                           .values = &b->model->rig.rest_local[0].translation.x};
    limberi_push(&b->writer, samplers, make_sampler(b, &rest, add_input(b, &rest)));
    push_channel(b, channels, 0, 0, path_names[LIMBER_CHANNEL_TRANSLATION]);
}

void limberi_build_clip(limberi_builder* b, uint32_t c) {
    limberi_writer* w = &b->writer;
    const limber_clip* clip = &b->model->clips[c];
    limberi_json* animation = limberi_new_object(w);
    limberi_json* samplers = limberi_new_array(w);
    limberi_json* channels = limberi_new_array(w);
    if (clip->name[0])
        limberi_put_string(w, animation, "name", clip->name);
    limberi_put(w, animation, "channels", channels);
    limberi_put(w, animation, "samplers", samplers);
    add_channels(b, clip, samplers, channels);
    if (limberi_json_count(channels) == 0 && b->model->rig.joint_count)
        add_rest_channel(b, samplers, channels);
    b->document->animation_of_clip[c] = limberi_push(w, limberi_child_array(w, w->json.root, "animations"), animation);
}
