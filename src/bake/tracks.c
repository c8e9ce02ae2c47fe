// What every bake has: settings, the frames of its clips, and an end.
#include "bake/bake_private.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/settings.h"

#include <string.h>

static const double default_tolerance = 0.001; // of L, where the kind has one
static const uint32_t max_frames = 1000000;

// --- settings ---

void limber_bake_settings_init(limber_bake_settings* given, size_t size) {
    limber_bake_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.struct_size = sizeof settings;
    settings.kind = LIMBER_BAKE_AUTO;
    settings.range_start_s = -HUGE_VAL;
    settings.range_end_s = HUGE_VAL;
    settings.tolerance = -1;
    settings.normals = true;
    settings.target_limit = UINT32_MAX;
    limberi_settings_write(given, size, &settings, sizeof settings);
}

limber_result limberi_bake_settings_read(const limber_bake_settings* given, limber_bake_settings* out,
                                         limber_error* error) {
    *out = limber_bake_settings_default();
    limber_result result =
        given ? limberi_settings_read(out, sizeof *out, given, "limber_bake_settings", error) : LIMBER_OK;
    if (!result && (out->kind > LIMBER_BAKE_AUTO || out->smear_meshes > LIMBER_SMEAR_MESHES_NONE))
        result = limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there is no such kind of bake");
    bool inexact = out->kind == LIMBER_BAKE_AUTO || out->kind == LIMBER_BAKE_BONES;
    if (!(out->tolerance >= 0))
        out->tolerance = inexact ? default_tolerance : 0;
    return result;
}

limber_result limberi_bake_too_large(limber_error* error, double bytes) {
    return limberi_fail(error, LIMBER_ERROR_LIMIT,
                        "the bake needs more than %g GB; use --tolerance, --clip, a shorter --range or a lower --fps",
                        bytes / 1e9);
}

// --- frames ---

double limberi_bake_rate(const limber_bake_settings* settings, const limber_clip* clip) {
    return settings->fps > 0 ? settings->fps : clip->fps;
}

static limber_result too_many_frames(const limber_clip* clip, uint32_t count, limber_error* error) {
    return limberi_fail(error, LIMBER_ERROR_LIMIT,
                        "clip '%s' has too many frames (%u, max %u); use --range to select a part", clip->name, count,
                        max_frames);
}

static limber_result fail_empty(const limber_clip* clip, limber_error* error) {
    return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "no frame of clip '%s' (%g to %g s) is in the range", clip->name,
                        clip->start_s, clip->end_s);
}

static const double edge_s = 1e-4; // between the last plain moment and the first of the range

// A clip that holds its poses has keys at both ends of each hold, at both ends of the range, and next to them outside.
static limber_result make_held_track(const limber_clip* clip, const limber_bake_settings* settings, const double* keys,
                                     uint32_t count, limber_bake_track* track, limber_error* error) {
    double from_s = fmax(settings->range_start_s, clip->start_s);
    double to_s = fmin(settings->range_end_s, clip->end_s);
    track->times = limberi_allocate((count + (size_t)4) * sizeof *track->times);
    if (!track->times)
        return limberi_fail_memory(error);
    if (count > max_frames)
        return too_many_frames(clip, count, error);
    if (!(from_s <= to_s))
        return fail_empty(clip, error);
    if (from_s > clip->start_s)
        track->times[track->frame_count++] = (float)fmax(from_s - edge_s, clip->start_s);
    track->times[track->frame_count++] = (float)from_s;
    for (uint32_t i = 0; i < count; i++)
        if (keys[i] > from_s && keys[i] < to_s && (float)keys[i] > track->times[track->frame_count - 1])
            track->times[track->frame_count++] = (float)keys[i];
    if ((float)to_s > track->times[track->frame_count - 1])
        track->times[track->frame_count++] = (float)to_s;
    if (to_s < clip->end_s)
        track->times[track->frame_count++] = (float)fmin(to_s + edge_s, clip->end_s);
    return LIMBER_OK;
}

// The frames of a track. When the range leaves out part of the clip, one frame on either side is added; it will carry
// no displacement, so that the clip is plain outside the range.
static limber_result make_even_track(const limber_clip* clip, const limber_bake_settings* settings,
                                     limber_bake_track* track, limber_error* error) {
    double fps = limberi_bake_rate(settings, clip);
    uint32_t all = limber_clip_frame_count(clip, fps);
    limber_frame_range range = limber_clip_frames_between(clip, fps, settings->range_start_s, settings->range_end_s);
    if (range.count > max_frames)
        return too_many_frames(clip, range.count, error);
    if (!range.count)
        return fail_empty(clip, error);
    uint32_t first = range.first > 0 ? range.first - 1 : 0;
    uint32_t end = range.first + range.count < all ? range.first + range.count + 1 : all;
    track->frame_count = end - first;
    track->times = limberi_allocate(track->frame_count * sizeof *track->times);
    if (!track->times)
        return limberi_fail_memory(error);
    for (uint32_t i = 0; i < track->frame_count; i++)
        track->times[i] = (float)limber_clip_frame_time(clip, fps, first + i);
    return LIMBER_OK;
}

static limber_result make_track(const limberi_bake_source* source, const limber_bake_settings* settings,
                                limber_bake_track* track, limber_error* error) {
    const limber_clip* clip = &source->model->clips[track->clip];
    uint32_t count;
    if (source->holds(source->user, track->clip, &count, NULL))
        return limberi_fail_memory(error);
    if (!count)
        return make_even_track(clip, settings, track, error);
    double* keys = limberi_allocate(count * sizeof *keys);
    limber_result result = LIMBER_ERROR_MEMORY;
    if (keys && !source->holds(source->user, track->clip, &count, keys))
        result = make_held_track(clip, settings, keys, count, track, error);
    limberi_release(keys);
    return result == LIMBER_ERROR_MEMORY ? limberi_fail_memory(error) : result;
}

bool limberi_bake_shows(const limber_bake_settings* settings, double time_s) {
    double snap = 1e-6;
    return time_s >= settings->range_start_s - snap && time_s <= settings->range_end_s + snap;
}

limber_result limberi_bake_tracks(const limberi_bake_source* source, const limber_bake_settings* settings,
                                  limber_bake* bake, uint32_t* frame_count, limber_error* error) {
    const limber_model* model = source->model;
    uint32_t count = settings->clips ? settings->clip_count : model->clip_count;
    *frame_count = 0;
    bake->tracks = limberi_allocate_zeroed(count ? count : 1, sizeof *bake->tracks);
    if (!bake->tracks)
        return limberi_fail_memory(error);
    bake->track_count = count;
    if (!settings->clips && source->perform(source->user))
        return limberi_fail_memory(error);
    for (uint32_t t = 0; t < count; t++) {
        uint32_t clip = settings->clips ? settings->clips[t] : t;
        if (clip >= model->clip_count)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "clip %u does not exist", clip);
        bake->tracks[t].clip = clip;
        limber_result result = make_track(source, settings, &bake->tracks[t], error);
        if (result)
            return result;
        *frame_count += bake->tracks[t].frame_count;
    }
    return LIMBER_OK;
}

// --- the end of a bake ---

static void free_tracks(float** tracks, uint32_t count) {
    for (uint32_t t = 0; tracks && t < count; t++)
        limberi_release(tracks[t]);
    limberi_release(tracks);
}

static void free_extra(limber_bake_smear_mesh* extra, uint32_t track_count) {
    for (uint32_t i = 0; extra->pieces && i < extra->piece_count; i++)
        limberi_release(extra->pieces[i].triangles);
    limberi_release(extra->pieces);
    limberi_release(extra->base_positions);
    limberi_release(extra->base_normals);
    limberi_release(extra->base_colors);
    limberi_release(extra->positions);
    limberi_release(extra->normals);
    limberi_release(extra->opacities);
    free_tracks(extra->weights, track_count);
    for (uint32_t t = 0; extra->visible && t < track_count; t++)
        limberi_release(extra->visible[t]);
    limberi_release(extra->visible);
}

static void free_bone(limber_bake_bone* bone, uint32_t track_count) {
    for (uint32_t c = 0; bone->curves && c < track_count * LIMBER_BONE_CURVES; c++) {
        limberi_release(bone->curves[c].frames);
        limberi_release(bone->curves[c].values);
    }
    limberi_release(bone->curves);
}

void limber_bake_destroy(limber_bake* bake) {
    if (!bake)
        return;
    for (uint32_t i = 0; bake->smear_meshes && i < bake->smear_mesh_count; i++)
        free_extra(&bake->smear_meshes[i], bake->track_count);
    limberi_release(bake->smear_meshes);
    for (uint32_t m = 0; bake->meshes && m < bake->mesh_count; m++) {
        limber_bake_mesh* mesh = &bake->meshes[m];
        limberi_release(mesh->base_positions);
        limberi_release(mesh->base_normals);
        limberi_release(mesh->positions);
        limberi_release(mesh->normals);
        limberi_release(mesh->rows);
        free_tracks(mesh->weights, bake->track_count);
        free_tracks(mesh->shifts, bake->track_count);
        for (uint32_t t = 0; mesh->shown && t < bake->track_count; t++)
            limberi_release(mesh->shown[t]);
        limberi_release(mesh->shown);
        limberi_release(mesh->helper);
    }
    for (uint32_t i = 0; bake->bones && i < bake->bone_count; i++)
        free_bone(&bake->bones[i], bake->track_count);
    limberi_release(bake->bones);
    limberi_release(bake->shares);
    for (uint32_t t = 0; bake->tracks && t < bake->track_count; t++) {
        limberi_release(bake->tracks[t].times);
        limberi_release(bake->tracks[t].shift_times);
    }
    limberi_release(bake->meshes);
    limberi_release(bake->tracks);
    if (bake->clip_memory)
        limberi_arena_free(bake->clip_memory);
    limberi_release(bake->clip_memory);
    limberi_release(bake);
}
