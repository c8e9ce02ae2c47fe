// Weights channels: the baked ones, merged with those a file already has.
#include "asset/channel.h"
#include "io/gltf/write.h"

#include <math.h>
#include <string.h>

// Two keys closer than this are one: a 32-bit time cannot tell them apart after a few minutes.
static const double same_time_s = 1e-6;
// How long before a step its old value is held; shorter than any frame, longer than the rounding of a 32-bit time.
static const double step_hold_s = 1e-4;

// --- keys ---

static const float packed_step = 32767;

static bool fits_int16(const float* values, size_t count) {
    bool fits = true;
    for (size_t i = 0; fits && i < count; i++)
        fits = fabsf(values[i]) <= 1 && values[i] == (float)(floor((double)(values[i] * packed_step) + 0.5) / 32767);
    return fits;
}

uint8_t* limberi_int16_of(limberi_writer* writer, const float* values, size_t count) {
    uint8_t* bytes = LIMBERI_ALLOCATE(&writer->arena, uint8_t, 2 * count);
    for (size_t i = 0; bytes && i < count; i++) {
        int16_t value = (int16_t)lrintf(fminf(fmaxf(values[i], -1), 1) * packed_step);
        bytes[2 * i] = (uint8_t)((uint16_t)value & 255);
        bytes[2 * i + 1] = (uint8_t)((uint16_t)value >> 8);
    }
    return bytes;
}

uint32_t limberi_values_add(limberi_writer* writer, const float* values, size_t count, const char* type) {
    size_t numbers = count * limberi_type_size(type);
    bool packed = strcmp(type, "VEC4") == 0 && fits_int16(values, numbers);
    const uint8_t* bytes = packed ? limberi_int16_of(writer, values, numbers) : NULL;
    if (!bytes)
        return limberi_floats_add(writer, values, count, type, 0, false);
    limberi_accessor accessor = {.view = limberi_view_begin(writer, 0, 0),
                                 .component_type = LIMBERI_GLTF_INT16,
                                 .type = type,
                                 .count = count,
                                 .normalized = true};
    limberi_writer_append(writer, bytes, 2 * numbers);
    limberi_view_end(writer, accessor.view);
    return limberi_accessor_add(writer, &accessor);
}

// --- channels ---

static limberi_json* make_sampler(limberi_writer* writer, uint32_t input, uint32_t output, const char* interpolation) {
    limberi_json* sampler = limberi_new_object(writer);
    limberi_put_integer(writer, sampler, "input", input);
    limberi_put_integer(writer, sampler, "output", output);
    if (strcmp(interpolation, "LINEAR") != 0) // what it is where nothing is said
        limberi_put_string(writer, sampler, "interpolation", interpolation);
    return sampler;
}

static limberi_json* find_or_add(limberi_writer* writer, uint32_t animation, uint32_t node, const char* path) {
    limberi_json* channel = limberi_channels_find(writer, animation, node, path);
    return channel ? channel : limberi_channels_add(writer, animation, node, path);
}

void limberi_set_channel(limberi_writer* writer, uint32_t animation, uint32_t node, const char* path,
                         const char* interpolation, uint32_t input, uint32_t output) {
    limberi_json* channel = find_or_add(writer, animation, node, path);
    limberi_channels_sample(writer, animation, channel, make_sampler(writer, input, output, interpolation));
}

// The file's own weights of the mesh in this clip, as it is edited, or NULL.
static const limber_channel* old_channel(limberi_writer* writer, uint32_t mesh, uint32_t clip_index,
                                         const limber_bake_track* track) {
    const limber_clip* clip = &limber_asset_model(writer->document->asset)->clips[clip_index];
    for (uint32_t i = 0; i < writer->edits->clip_count; i++) {
        const limber_edited_clip* edit = &writer->edits->clips[i];
        for (uint32_t c = 0; edit->index == clip_index && c < edit->clip->channel_count; c++)
            if (edit->clip->channels[c].path == LIMBER_CHANNEL_WEIGHTS && edit->clip->channels[c].target == mesh)
                return limberi_baked_keys(writer, track, &edit->clip->channels[c]);
    }
    int32_t channel = clip->weights_of_mesh ? clip->weights_of_mesh[mesh] : -1;
    return channel >= 0 ? &clip->channels[channel] : NULL;
}

typedef struct key_merge {
    const limber_mesh* mesh;
    const limber_channel* old;
    const limber_bake_track* track;
    limberi_frame_weights weights;
    uint32_t old_count, new_count;
    const float* times; // of the keys
} key_merge;

// Times at which the old channel needs keys: its own, and for steps a moment before each.
static uint32_t old_times(const limber_channel* old, double* times) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < old->key_count; k++) {
        if (k && old->interpolation == LIMBER_INTERPOLATION_STEP) {
            double gap = (double)old->times[k] - (double)old->times[k - 1];
            times[count++] = (double)old->times[k] - fmin(step_hold_s, 0.5 * gap);
        }
        times[count++] = (double)old->times[k];
    }
    return count;
}

// Both sorted lists in one. Where two times are the same, the frame's is kept, so that frames stay exact.
static uint32_t merge_times(const double* a, uint32_t a_count, const limber_bake_track* track, float* out) {
    uint32_t i = 0;
    uint32_t f = 0;
    uint32_t count = 0;
    while (i < a_count || f < track->frame_count) {
        bool frame = i == a_count || (f < track->frame_count && (double)track->times[f] <= a[i] + same_time_s);
        float time = frame ? track->times[f++] : (float)a[i++];
        while (frame && i < a_count && a[i] <= (double)time + same_time_s)
            i++;
        if (!count || time > out[count - 1])
            out[count++] = time;
    }
    return count;
}

static void add_frame(const key_merge* merge, uint32_t frame, double share, float* out) {
    const float* weights = merge->weights.weights;
    if (merge->weights.shown && merge->weights.shown[frame] >= 0)
        out[merge->weights.shown[frame]] += (float)share;
    for (uint32_t t = 0; weights && t < merge->new_count; t++)
        out[t] += (float)(share * (double)weights[(size_t)frame * merge->new_count + t]);
}

static void sample_frames(const key_merge* merge, double time, float* out) {
    const limber_bake_track* track = merge->track;
    uint32_t last = track->frame_count - 1;
    uint32_t f = 0;
    uint32_t step = 1;
    for (uint32_t high = last; f < high;) { // the last frame that is not later
        step = f + (high - f + 1) / 2;
        if ((double)track->times[step] <= time)
            f = step;
        else
            high = step - 1;
    }
    double span = f < last ? (double)track->times[f + 1] - (double)track->times[f] : 1.0;
    double s = fmin(fmax((time - (double)track->times[f]) / span, 0.0), 1.0);
    memset(out, 0, merge->new_count * sizeof *out);
    add_frame(merge, f, f < last ? 1 - s : 1, out);
    if (f < last)
        add_frame(merge, f + 1, s, out);
}

static void sample_old(const key_merge* merge, double time, float* out) {
    if (merge->old)
        limberi_channel_sample_weights(merge->old, time, merge->old_count, out);
    else if (merge->mesh->morph_defaults)
        memcpy(out, merge->mesh->morph_defaults, merge->old_count * sizeof(float));
    else
        memset(out, 0, merge->old_count * sizeof(float));
}

// Values of whole keys, when the file is written.
static bool fill_keys(const void* user, uint64_t at, void* out, size_t count) {
    const key_merge* merge = user;
    size_t width = merge->old_count + merge->new_count;
    size_t row = width * sizeof(float);
    float* values = out;
    for (size_t k = (size_t)(at / row); count; k++, values += width, count -= row) {
        sample_old(merge, (double)merge->times[k], values);
        sample_frames(merge, (double)merge->times[k], values + merge->old_count);
    }
    return true;
}

// What lies between finite frames is finite; a cubic curve between finite keys may not be.
static void check_keys(limberi_writer* writer, const key_merge* merge, size_t count) {
    limberi_arena scratch = {0};
    float* row = LIMBERI_ALLOCATE(&scratch, float, merge->old_count + 1);
    if (merge->weights.weights)
        limberi_check_floats(writer, merge->weights.weights, (size_t)merge->track->frame_count * merge->new_count);
    for (size_t k = 0; row && merge->old && k < count; k++) {
        sample_old(merge, (double)merge->times[k], row);
        limberi_check_floats(writer, row, merge->old_count);
    }
    limberi_scratch_free(writer, &scratch);
}

// An accessor whose values are made when the file is written.
static uint32_t add_keys(limberi_writer* writer, const key_merge* merge, const float* times, size_t count) {
    size_t width = merge->old_count + merge->new_count;
    key_merge* kept = LIMBERI_COPY(&writer->arena, key_merge, merge, 1);
    if (!kept)
        return UINT32_MAX;
    kept->times = times;
    check_keys(writer, kept, count);
    uint32_t view = limberi_view_begin(writer, 0, 0);
    limberi_writer_append_later(writer, fill_keys, kept, (uint64_t)count * width * sizeof(float),
                                width * sizeof(float));
    limberi_view_end(writer, view);
    limberi_accessor accessor = {
        .view = view, .component_type = LIMBERI_GLTF_FLOAT, .type = "SCALAR", .count = count * width};
    return limberi_accessor_add(writer, &accessor);
}

// Makes the accessors of the merged channel; false when memory is short.
static bool merge_keys(limberi_writer* writer, const key_merge* merge, uint32_t* input, uint32_t* output) {
    size_t room = merge->old ? 2 * (size_t)merge->old->key_count : 0;
    limberi_arena scratch = {0};
    double* keys = LIMBERI_ALLOCATE(&scratch, double, room);
    float* times = LIMBERI_ALLOCATE(&writer->arena, float, room + merge->track->frame_count);
    uint32_t count = keys && times && merge->old ? old_times(merge->old, keys) : 0;
    if (keys && times)
        count = merge_times(keys, count, merge->track, times);
    limberi_scratch_free(writer, &scratch);
    if (!count)
        return false;
    *input = limberi_floats_add(writer, times, count, "SCALAR", 0, true);
    *output = add_keys(writer, merge, times, count);
    return *output != UINT32_MAX;
}

// Only the ones are mentioned: one number in each frame that shows a target.
static uint32_t add_ones(limberi_writer* writer, const key_merge* merge) {
    size_t frames = merge->track->frame_count;
    size_t count = 0;
    uint32_t* indices = LIMBERI_ALLOCATE(&writer->arena, uint32_t, frames + 1);
    float* ones = LIMBERI_ALLOCATE(&writer->arena, float, frames + 1);
    for (size_t f = 0; indices && ones && f < frames; f++) {
        if (merge->weights.shown[f] < 0)
            continue;
        indices[count] = (uint32_t)(f * merge->new_count + (size_t)merge->weights.shown[f]);
        ones[count++] = 1;
    }
    limberi_accessor accessor = {
        .view = UINT32_MAX, .component_type = LIMBERI_GLTF_FLOAT, .type = "SCALAR", .count = frames * merge->new_count};
    uint32_t index = limberi_accessor_add(writer, &accessor);
    if (count)
        limberi_accessor_scatter(writer, index, indices, ones, count);
    return index;
}

void limberi_write_track(limberi_writer* writer, const limberi_weights_edit* edit, const limber_bake_track* track,
                         limberi_frame_weights weights, uint32_t* input) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    uint32_t animation = writer->document->animation_of_clip[track->clip];
    key_merge merged = {&model->meshes[edit->mesh], NULL, track, weights, edit->old_count, edit->new_count, NULL};
    if (edit->old_count)
        merged.old = old_channel(writer, edit->mesh, track->clip, track);
    uint32_t times = *input;
    uint32_t values;
    if (edit->old_count) {
        if (!merge_keys(writer, &merged, &times, &values))
            return;
    } else {
        if (*input == UINT32_MAX)
            *input = limberi_floats_add(writer, track->times, track->frame_count, "SCALAR", 0, true);
        times = *input;
        bool sparse = weights.shown && weights.many && !writer->edits->dense &&
                      (uint64_t)track->frame_count * edit->new_count < UINT32_MAX;
        size_t count = (size_t)track->frame_count * edit->new_count;
        if (sparse)
            values = add_ones(writer, &merged);
        else if (weights.shown)
            values = add_keys(writer, &merged, track->times, track->frame_count);
        else
            values = limberi_floats_add(writer, weights.weights, count, "SCALAR", 0, false);
        if (values == UINT32_MAX)
            return;
    }
    limberi_json* channel = find_or_add(writer, animation, edit->node, "weights");
    limberi_channels_sample(writer, animation, channel, make_sampler(writer, times, values, "LINEAR"));
}

static void extend_values(limberi_writer* writer, const limberi_weights_edit* edit, uint32_t animation,
                          limberi_json* channel, const limber_channel* old) {
    size_t width = edit->old_count + edit->new_count;
    size_t rows = (size_t)old->key_count * (old->interpolation == LIMBER_INTERPOLATION_CUBIC ? 3 : 1);
    float* values = LIMBERI_ALLOCATE(&writer->arena, float, rows* width);
    if (!values)
        return;
    for (size_t r = 0; r < rows; r++)
        memcpy(values + r * width, old->values + r * edit->old_count, edit->old_count * sizeof(float));
    uint32_t output = limberi_floats_add(writer, values, rows * width, "SCALAR", 0, false);
    limberi_json* sampler = limberi_json_get(limberi_item(writer->json.root, "animations", animation), "samplers");
    sampler = limberi_json_copy(&writer->json, limberi_json_at(sampler, limberi_index(channel, "sampler")));
    limberi_put_integer(writer, sampler, "output", output);
    limberi_channels_sample(writer, animation, channel, sampler);
}

// Nothing of the old motion applies any more. An animation may not be empty, so one key at rest stays in its place.
static void rest_values(limberi_writer* writer, const limberi_weights_edit* edit, uint32_t animation,
                        limberi_json* channel) {
    const limberi_json* object = limberi_item(writer->json.root, "animations", animation);
    if (!edit->new_count && limberi_json_count(limberi_json_get(object, "channels")) > 1) {
        limberi_channels_remove(writer, animation, channel);
        return;
    }
    if (!edit->new_count) {
        limberi_put_string(writer, limberi_json_get(channel, "target"), "path", "translation");
        limberi_channels_forget(writer);
    }
    size_t count = edit->new_count ? edit->new_count : 3;
    float* zeros = LIMBERI_ALLOCATE(&writer->arena, float, count + 1);
    if (!zeros)
        return;
    uint32_t input = limberi_floats_add(writer, zeros + count, 1, "SCALAR", 0, true);
    uint32_t output = edit->new_count ? limberi_floats_add(writer, zeros, count, "SCALAR", 0, false)
                                      : limberi_floats_add(writer, zeros, 1, "VEC3", 0, false);
    limberi_channels_sample(writer, animation, channel, make_sampler(writer, input, output, "LINEAR"));
}

void limberi_extend_tracks(limberi_writer* writer, const limberi_weights_edit* edit, const bool* baked) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    if (!(writer->roles[edit->node] & LIMBERI_ROLE_WEIGHTS))
        return;
    for (uint32_t c = 0; c < model->clip_count; c++) {
        uint32_t animation = writer->document->animation_of_clip[c];
        limberi_json* channel = baked[c] ? NULL : limberi_channels_find(writer, animation, edit->node, "weights");
        if (!channel)
            continue;
        const limber_channel* old = edit->old_count ? old_channel(writer, edit->mesh, c, NULL) : NULL;
        if (old)
            extend_values(writer, edit, animation, channel, old);
        else
            rest_values(writer, edit, animation, channel);
    }
}
