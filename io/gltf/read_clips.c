// "animations": the channels that move joints of the rig or weights of its meshes.
#include "io/gltf/read_accessor.h"

#include <stdlib.h>
#include <string.h>

// One animation while it is read.
typedef struct animation {
    limberi_gltf_reader* reader;
    uint32_t index;
    limberi_gltf_list samplers;
    uint32_t* joint_done; // [joint * 3 + path]: index of the last animation that had such a channel, plus 1
    uint32_t* mesh_done;  // [mesh]
} animation;

static limber_result read_interpolation(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                        const limberi_json* sampler, limber_interpolation* out) {
    const char* name = "LINEAR";
    limber_result result = limberi_gltf_string(reader, place, sampler, "interpolation", &name);
    if (result)
        return result;
    static const struct {
        const char* name;
        limber_interpolation value;
    } known[] = {{"STEP", LIMBER_INTERPOLATION_STEP},
                 {"LINEAR", LIMBER_INTERPOLATION_LINEAR},
                 {"CUBICSPLINE", LIMBER_INTERPOLATION_CUBIC}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(name, known[i].name) != 0)
            continue;
        *out = known[i].value;
        return LIMBER_OK;
    }
    return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "its interpolation '%s' is unknown", name);
}

// --- keys out of order ---

static bool is_sorted(const limber_channel* channel) {
    for (uint32_t k = 1; k < channel->key_count; k++)
        if (!(channel->times[k] > channel->times[k - 1]))
            return false;
    return true;
}

typedef struct timed_key {
    float time_s;
    uint32_t key;
} timed_key;

static int earlier(const void* a, const void* b) {
    const timed_key* x = a;
    const timed_key* y = b;
    if (x->time_s != y->time_s)
        return x->time_s < y->time_s ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

// By time; of several keys at one time the last one counts. `width`: floats per key.
static limber_result sort_keys(limberi_gltf_reader* reader, const limberi_gltf_place* place, limber_channel* channel,
                               size_t width) {
    uint32_t count = channel->key_count;
    uint32_t kept = 0;
    timed_key* order = LIMBERI_ALLOCATE(&reader->scratch, timed_key, count);
    float* times = LIMBERI_ALLOCATE(&reader->scratch, float, count);
    float* values = LIMBERI_ALLOCATE(&reader->scratch, float, count* width);
    if (!order || !times || !values)
        return limberi_fail_memory(reader->error);
    for (uint32_t k = 0; k < count; k++)
        order[k] = (timed_key){channel->times[k], k};
    qsort(order, count, sizeof *order, earlier);
    for (uint32_t k = 0; k < count; k++) {
        if (kept && !(order[k].time_s > times[kept - 1]))
            kept--;
        times[kept] = order[k].time_s;
        memcpy(values + kept++ * width, channel->values + order[k].key * width, width * sizeof *values);
    }
    channel->times = times;
    channel->values = values;
    channel->key_count = kept;
    if (!reader->sorted)
        limberi_gltf_note(reader, place,
                          "has keys that are out of order or at the same time; they are sorted, the last one counts");
    reader->sorted = true;
    return LIMBER_OK;
}

static limber_result check_counts(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                  const limber_channel* channel, const limberi_gltf_accessor* output) {
    uint64_t per_key = channel->interpolation == LIMBER_INTERPOLATION_CUBIC ? 3 : 1;
    if (channel->path == LIMBER_CHANNEL_WEIGHTS)
        per_key *= reader->model.meshes[channel->target].morph_count;
    uint64_t expected = per_key * channel->key_count;
    if (output->count != expected)
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "has %u keys, which need %llu values, not %u",
                                 channel->key_count, (unsigned long long)expected, output->count);
    // Each channel has its own copy in the asset, even where the file shares them.
    uint64_t floats = channel->key_count + expected * output->components;
    return limberi_gltf_charge(reader, place, &reader->budget.key_values, floats, "values of keys");
}

static limber_result read_sampler(animation* a, uint32_t index, limber_channel* channel) {
    static const char* const types[] = {"VEC3", "VEC4", "VEC3", "SCALAR"}; // by limber_channel_path
    limberi_gltf_reader* reader = a->reader;
    limberi_gltf_place place = limberi_gltf_place_of(&reader->animations, a->index);
    place = limberi_gltf_place_in(place, "samplers", index);
    const limberi_json* sampler = limberi_gltf_entry(&a->samplers, index);
    limberi_gltf_accessor *input, *output;
    if (!limberi_json_is(sampler, LIMBERI_JSON_OBJECT))
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "must be an object");
    limber_result result = read_interpolation(reader, &place, sampler, &channel->interpolation);
    if (!result)
        result = limberi_gltf_open(reader, &place, sampler, "input", "SCALAR", &input);
    if (!result)
        result = limberi_gltf_open(reader, &place, sampler, "output", types[channel->path], &output);
    if (result)
        return result;
    if (!input || !output || input->count == 0)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "has no %s", !output ? "\"output\"" : "keys");
    if (input->component != LIMBERI_GLTF_FLOAT)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "its times are not floats");
    channel->key_count = input->count;
    result = check_counts(reader, &place, channel, output);
    if (!result)
        result = limberi_gltf_floats_shared(reader, input, &channel->times);
    if (!result)
        result = limberi_gltf_floats_shared(reader, output, &channel->values);
    if (result || is_sorted(channel))
        return result;
    return sort_keys(reader, &place, channel, (size_t)output->count * output->components / channel->key_count);
}

static bool find_path(const char* name, limber_channel_path* out) {
    static const char* const names[] = {"translation", "rotation", "scale", "weights"}; // by limber_channel_path
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        *out = (limber_channel_path)i;
        return true;
    }
    return false;
}

// What a channel drives; false when it is nothing of the model, or driven already.
static bool claim_target(animation* a, const limberi_gltf_place* place, uint32_t node, limber_channel* channel,
                         bool* camera) {
    limberi_gltf_reader* reader = a->reader;
    bool weights = channel->path == LIMBER_CHANNEL_WEIGHTS;
    *camera = !weights && reader->camera_of_node[node] != LIMBERI_NONE;
    if (*camera) {
        channel->target = reader->camera_of_node[node];
        return true;
    }
    channel->target = weights ? reader->mesh_of_node[node] : (uint32_t)reader->gltf->joint_of_node[node];
    if (channel->target == LIMBERI_NONE)
        return false;
    if (weights && reader->model.meshes[channel->target].morph_count == 0) {
        limberi_gltf_note(reader, place, "animates weights of a mesh without morph targets");
        return false;
    }
    uint32_t* done =
        weights ? &a->mesh_done[channel->target] : &a->joint_done[3 * (size_t)channel->target + (size_t)channel->path];
    if (*done == a->index + 1) {
        limberi_gltf_note(reader, place, "animates the same property as an earlier channel and is ignored");
        return false;
    }
    *done = a->index + 1;
    return true;
}

static limber_result read_channel(animation* a, const limberi_json* object, uint32_t index, limber_channel* out,
                                  bool* used, bool* camera) {
    limberi_gltf_reader* reader = a->reader;
    limberi_gltf_place place = limberi_gltf_place_of(&reader->animations, a->index);
    place = limberi_gltf_place_in(place, "channels", index);
    const limberi_json* target = NULL;
    const char* path = "";
    uint32_t node = LIMBERI_NONE;
    uint32_t sampler = LIMBERI_NONE;
    *used = *camera = false;
    if (!limberi_json_is(object, LIMBERI_JSON_OBJECT))
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "must be an object");
    limber_result result = limberi_gltf_object(reader, &place, object, "target", &target);
    if (!result)
        result = limberi_gltf_index(reader, &place, target, "node", &reader->nodes, &node);
    if (!result)
        result = limberi_gltf_string(reader, &place, target, "path", &path);
    if (!result)
        result = limberi_gltf_index(reader, &place, object, "sampler", &a->samplers, &sampler);
    if (result || node == LIMBERI_NONE || !find_path(path, &out->path) || !claim_target(a, &place, node, out, camera))
        return result;
    if (sampler == LIMBERI_NONE)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "has no \"sampler\"");
    *used = true;
    return read_sampler(a, sampler, out);
}

static limber_result read_animation(animation* a, limber_clip* clip) {
    limberi_gltf_reader* reader = a->reader;
    const limberi_json* object = limberi_gltf_entry(&reader->animations, a->index);
    limberi_gltf_place place = limberi_gltf_place_of(&reader->animations, a->index);
    const limberi_json* samplers = NULL;
    const limberi_json* listed = NULL;
    limber_result result = limberi_gltf_array(reader, &place, object, "samplers", &samplers);
    if (!result)
        result = limberi_gltf_array(reader, &place, object, "channels", &listed);
    // The asset keeps a table of channels by joint and mesh for every clip.
    uint64_t table = 3 * (uint64_t)reader->model.rig.joint_count + reader->model.mesh_count;
    if (!result)
        result = limberi_gltf_charge(reader, &place, &reader->budget.clip_entries, table, "entries of clips");
    if (result)
        return result;
    limberi_gltf_list list = {"samplers", samplers, limberi_json_count(samplers)};
    a->samplers = list;
    limber_channel* channels = LIMBERI_ALLOCATE(&reader->scratch, limber_channel, limberi_json_count(listed));
    limber_channel* of_cameras = LIMBERI_ALLOCATE(&reader->scratch, limber_channel, limberi_json_count(listed));
    if (!channels || !of_cameras)
        return limberi_fail_memory(reader->error);
    clip->name = limberi_gltf_name(reader, &reader->animations, a->index, "animation");
    clip->channels = channels;
    clip->camera_channels = of_cameras;
    for (uint32_t i = 0; i < limberi_json_count(listed); i++) {
        bool used, camera;
        limber_channel channel = {0};
        result = read_channel(a, limberi_json_at(listed, i), i, &channel, &used, &camera);
        if (result)
            return result;
        if (used && camera)
            of_cameras[clip->camera_channel_count++] = channel;
        else if (used)
            channels[clip->channel_count++] = channel;
    }
    return LIMBER_OK;
}

limber_result limberi_gltf_read_clips(limberi_gltf_reader* reader) {
    limber_model* model = &reader->model;
    uint32_t count = reader->animations.count;
    limberi_arena* scratch = &reader->scratch;
    limber_clip* clips = LIMBERI_ALLOCATE(scratch, limber_clip, count);
    animation a = {.reader = reader,
                   .joint_done = LIMBERI_ALLOCATE(scratch, uint32_t, 3 * (size_t)model->rig.joint_count),
                   .mesh_done = LIMBERI_ALLOCATE(scratch, uint32_t, model->mesh_count)};
    uint32_t* sources = LIMBERI_ALLOCATE(reader->arena, uint32_t, count);
    if (scratch->failed || !sources)
        return limberi_fail_memory(reader->error);
    for (a.index = 0; a.index < count; a.index++) {
        sources[a.index] = a.index;
        limber_result result = read_animation(&a, &clips[a.index]);
        if (result)
            return result;
    }
    model->clip_count = count;
    model->clips = clips;
    reader->gltf->animation_of_clip = sources;
    return LIMBER_OK;
}
