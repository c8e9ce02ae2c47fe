// Runs every frame of the chosen clips through the pipeline and collects morph targets.
#include "bake/sliders.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/settings.h"
#include "pipeline/bake_rounds.h"
#include "pipeline/bake_tracks.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t estimate_samples = 32;
static const uint32_t key_bytes = 44;         // of a bone in a frame
static const double target_overhead = 800;    // bytes of JSON
static const double sparse_weights = 1 << 18; // as the glTF writer does it

limber_bake_settings limber_bake_settings_default(void) {
    limber_bake_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.struct_size = sizeof settings;
    settings.range_start_s = -HUGE_VAL;
    settings.range_end_s = HUGE_VAL;
    settings.normals = true;
    settings.target_limit = UINT32_MAX;
    return settings;
}

static limber_result make_reducer(limberi_baker* b, uint32_t m) {
    const limber_mesh* mesh = &b->pipeline->model->meshes[m];
    double tolerance = b->settings->tolerance * (double)b->pipeline->model->size / limberi_bake_mesh_scale(b, mesh);
    b->collectors[m].reducer =
        limberi_reducer_create(3 * (size_t)mesh->vertex_count, tolerance, b->settings->normals, &b->pipeline->parallel);
    return b->collectors[m].reducer ? LIMBER_OK : limberi_bake_no_memory(b->error);
}

static limber_result make_collectors(limberi_baker* b) {
    const limber_model* model = b->pipeline->model;
    b->bake->kind = b->settings->kind;
    if (b->settings->store)
        b->bake->store = *b->settings->store;
    b->bake->stored_normals = b->settings->normals;
    b->bake->mesh_count = model->mesh_count;
    b->bake->meshes = limberi_allocate_zeroed((size_t)model->mesh_count + 1, sizeof *b->bake->meshes);
    b->collectors = limberi_allocate_zeroed((size_t)model->mesh_count + 1, sizeof *b->collectors);
    if (!b->bake->meshes || !b->collectors)
        return limberi_bake_no_memory(b->error);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        b->bake->meshes[m].weights = limberi_allocate_zeroed((size_t)b->bake->track_count + 1, sizeof(float*));
        b->collectors[m].row_of_frame = limberi_allocate(((size_t)b->frame_count + 1) * sizeof(int32_t));
        if (!b->bake->meshes[m].weights || !b->collectors[m].row_of_frame)
            return limberi_bake_no_memory(b->error);
        limber_result result = b->settings->tolerance > 0 ? make_reducer(b, m) : LIMBER_OK;
        if (result)
            return result;
    }
    return LIMBER_OK;
}

static limber_result make_bases(limberi_baker* b) {
    limber_frame frame;
    limber_result result = limber_pipeline_evaluate(b->pipeline, -1, 0, &frame);
    for (uint32_t m = 0; !result && m < b->bake->mesh_count; m++) {
        const limber_mesh* mesh = &b->pipeline->model->meshes[m];
        size_t width = 3 * (size_t)mesh->vertex_count, at = 3 * (size_t)mesh->first_vertex;
        limber_bake_mesh* baked = &b->bake->meshes[m];
        baked->base_positions = limberi_allocate((width + 1) * sizeof(float));
        baked->base_normals = limberi_allocate((width + 1) * sizeof(float));
        if (!baked->base_positions || !baked->base_normals)
            return limberi_bake_no_memory(b->error);
        memcpy(baked->base_positions, frame.positions + at, width * sizeof(float));
        memcpy(baked->base_normals, frame.normals + at, width * sizeof(float));
    }
    return result;
}

static limber_result reduce_mesh(limberi_baker* b, uint32_t m, limberi_reduction* reduction) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    limber_result result = limberi_reducer_finish(b->collectors[m].reducer, reduction);
    limberi_reducer_destroy(b->collectors[m].reducer);
    b->collectors[m].reducer = NULL;
    if (result)
        return limberi_bake_no_memory(b->error);
    baked->positions = reduction->basis;
    baked->normals = reduction->followers;
    baked->target_count = reduction->count;
    reduction->basis = reduction->followers = NULL;
    double scale = limberi_bake_mesh_scale(b, &b->pipeline->model->meshes[m]) / (double)b->pipeline->model->size;
    b->bake->error = fmax(b->bake->error, reduction->error * scale);
    return LIMBER_OK;
}

static limber_result fill_weights(limberi_baker* b, uint32_t m, const limberi_reduction* reduction) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    const limberi_collector* c = &b->collectors[m];
    size_t targets = baked->target_count;
    uint32_t frame_index = 0;
    for (uint32_t t = 0; t < b->bake->track_count; t++) {
        uint32_t frames = b->bake->tracks[t].frame_count;
        baked->weights[t] = limberi_allocate_zeroed(frames * targets + 1, sizeof(float));
        if (!baked->weights[t])
            return limberi_bake_no_memory(b->error);
        for (uint32_t i = 0; i < frames; i++, frame_index++) {
            int32_t row = c->row_of_frame[frame_index];
            if (row < 0 || !targets)
                continue;
            if (reduction)
                memcpy(baked->weights[t] + i * targets, reduction->coefficients + (size_t)row * targets,
                       targets * sizeof(float));
            else
                baked->weights[t][i * targets + (size_t)row] = 1;
        }
    }
    return LIMBER_OK;
}

// One target at a time, and all of it.
static limber_result fill_shown(limberi_baker* b, uint32_t m) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    const int32_t* row = b->collectors[m].row_of_frame;
    limberi_release(baked->weights);
    baked->weights = NULL;
    baked->shown = limberi_allocate_zeroed((size_t)b->bake->track_count + 1, sizeof *baked->shown);
    for (uint32_t t = 0; baked->shown && t < b->bake->track_count; t++) {
        uint32_t frames = b->bake->tracks[t].frame_count;
        baked->shown[t] = limberi_allocate((frames + 1u) * sizeof *row);
        if (!baked->shown[t])
            return limberi_bake_no_memory(b->error);
        memcpy(baked->shown[t], row, frames * sizeof *row);
        row += frames;
    }
    return baked->shown ? LIMBER_OK : limberi_bake_no_memory(b->error);
}

static limber_result finish_mesh(limberi_baker* b, uint32_t m) {
    limberi_reduction reduction;
    memset(&reduction, 0, sizeof reduction);
    b->bake->meshes[m].target_count = b->collectors[m].row_count;
    bool reduce = b->settings->tolerance > 0 && b->collectors[m].row_count > 0;
    limber_result result = reduce ? reduce_mesh(b, m, &reduction) : LIMBER_OK;
    if (!result && b->bake->meshes[m].rows)
        result = fill_shown(b, m);
    else if (!result)
        result = fill_weights(b, m, reduce ? &reduction : NULL);
    limberi_reduction_free(&reduction);
    uint32_t vertex_count = b->pipeline->model->meshes[m].vertex_count;
    if (!result && reduce && limberi_bake_settle(b->bake, m, vertex_count, &b->pipeline->parallel))
        result = limberi_bake_no_memory(b->error);
    return result;
}

// Frames spread over all tracks, a few of them.
static void thin_tracks(limberi_baker* b) {
    uint32_t every = (b->frame_count + b->samples - 1) / b->samples, index = every / 2;
    b->all_frames = b->frame_count;
    b->frame_count = 0;
    for (uint32_t t = 0; every > 1 && t < b->bake->track_count; t++) {
        limber_bake_track* track = &b->bake->tracks[t];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < track->frame_count; i++, index++)
            if (index % every == 0)
                track->times[kept++] = track->times[i];
        track->frame_count = kept;
        b->frame_count += kept;
    }
    b->frame_count = every > 1 ? b->frame_count : b->all_frames;
}

static limber_result run(limberi_baker* b) {
    limber_result result = limberi_bake_tracks(b->pipeline, b->settings, b->bake, &b->frame_count, b->error);
    if (!result && b->samples)
        thin_tracks(b);
    if (!result)
        result = make_collectors(b);
    if (!result && b->settings->kind == LIMBER_BAKE_VERTEX)
        result = make_bases(b);
    limberi_smear_bake smears = {.pipeline = b->pipeline, .settings = b->settings, .bake = b->bake, .error = b->error};
    b->smears = smears;
    b->smears.frame_count = b->frame_count;
    if (!result)
        result = limberi_bake_rounds(b);
    for (uint32_t m = 0; !result && m < b->bake->mesh_count; m++)
        result = finish_mesh(b, m);
    if (!result)
        result = limberi_smear_bake_finish(&b->smears);
    if (!result && limberi_bake_shifts(b->pipeline, b->settings->fps, b->bake))
        result = limberi_bake_no_memory(b->error);
    limberi_smear_bake_close(&b->smears);
    return result;
}

limber_result limberi_bake_settings_read(const limber_bake_settings* given, limber_bake_settings* out,
                                         limber_error* error) {
    *out = limber_bake_settings_default();
    if (!given)
        return LIMBER_OK;
    limber_result result = limberi_settings_read(out, sizeof *out, given, "limber_bake_settings", error);
    if (!result && (out->kind > LIMBER_BAKE_BONES || out->smear_meshes > LIMBER_SMEAR_MESHES_NONE))
        result = limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there is no such kind of bake");
    return result;
}

// Leaves the bake in b->bake, or nothing after an error.
static limber_result bake_frames(limberi_baker* b) {
    limberi_error_empty(b->error);
    b->bake = limberi_allocate_zeroed(1, sizeof *b->bake);
    if (!b->bake)
        return limberi_bake_no_memory(b->error);
    uint32_t outputs = b->pipeline->outputs; // of the program, which may have no use for normals
    limber_pipeline_set_outputs(b->pipeline, outputs | LIMBER_OUTPUT_NORMALS);
    limber_result result = run(b);
    limber_pipeline_set_outputs(b->pipeline, outputs);
    for (uint32_t m = 0; b->collectors && m < b->pipeline->model->mesh_count; m++) {
        limberi_release(b->collectors[m].row_of_frame);
        limberi_reducer_destroy(b->collectors[m].reducer);
    }
    limberi_release(b->collectors);
    if (result) {
        limber_bake_destroy(b->bake);
        b->bake = NULL;
    }
    return result == LIMBER_ERROR_MEMORY ? limberi_bake_no_memory(b->error) : limberi_error_fill(b->error, result);
}

limber_result limber_pipeline_bake(limber_pipeline* pipeline, const limber_bake_settings* given, limber_bake** bake,
                                   limber_error* error) {
    *bake = NULL;
    limber_bake_settings settings;
    limber_result result = limberi_bake_settings_read(given, &settings, error);
    if (result)
        return result;
    if (settings.kind == LIMBER_BAKE_BONES)
        return limberi_pipeline_bake_bones(pipeline, &settings, bake, error);
    limberi_baker b;
    memset(&b, 0, sizeof b);
    b.pipeline = pipeline;
    b.settings = &settings;
    b.error = error;
    result = bake_frames(&b);
    *bake = b.bake;
    return result;
}

// Of all frames, from those of some. Without a reduction targets grow with the frames. With one they grow less the more
// the samples have in common; the power is a fit to characters of this project and right within a factor of two.
static double all_targets(const limberi_baker* b, const limber_bake_mesh* mesh) {
    double samples = b->frame_count, frames = b->all_frames, targets = mesh->target_count;
    if (!(samples > 0))
        return 0;
    double growth = b->settings->tolerance > 0 ? pow(targets / samples, 2) : 1;
    return fmin(ceil(targets * pow(frames / samples, growth)), frames);
}

static void estimate_all(const limberi_baker* b, limber_bake_estimate* estimate) {
    double bytes = 0, width = b->settings->normals ? 6 : 3;
    estimate->frame_count = b->all_frames;
    for (uint32_t m = 0; m < b->bake->mesh_count; m++) {
        double targets = all_targets(b, &b->bake->meshes[m]), weights = targets * b->all_frames;
        bool sparse = weights > sparse_weights && !(b->settings->tolerance > 0);
        estimate->target_count =
            targets > estimate->target_count ? (uint32_t)targets : estimate->target_count; // of the most
        bytes += sizeof(float) * (sparse ? 2.0 * b->all_frames : weights) + target_overhead * targets;
        if (b->settings->tolerance > 0)
            bytes += sizeof(float) * width * targets * b->pipeline->model->meshes[m].vertex_count;
    }
    if (!(b->settings->tolerance > 0) && b->frame_count)
        bytes += (double)b->byte_count * b->all_frames / b->frame_count;
    estimate->byte_count = (uint64_t)bytes;
}

// Keys of all joints in all frames; targets are few, and only the work itself finds them.
static limber_result estimate_bones(limber_pipeline* pipeline, const limber_bake_settings* settings,
                                    limber_bake_estimate* estimate, limber_error* error) {
    limber_bake* bake = limberi_allocate_zeroed(1, sizeof *bake);
    limber_result result = bake ? limberi_bake_tracks(pipeline, settings, bake, &estimate->frame_count, error)
                                : limberi_bake_no_memory(error);
    estimate->byte_count = (uint64_t)estimate->frame_count * pipeline->model->rig.joint_count * key_bytes;
    limber_bake_destroy(bake);
    return result;
}

limber_result limber_pipeline_bake_estimate(limber_pipeline* pipeline, const limber_bake_settings* given,
                                            limber_bake_estimate* estimate, limber_error* error) {
    memset(estimate, 0, sizeof *estimate);
    limber_bake_settings settings;
    limber_result result = limberi_bake_settings_read(given, &settings, error);
    if (result)
        return result;
    settings.store = NULL;
    settings.progress = NULL;
    settings.max_bytes = 0;
    settings.smear_meshes = LIMBER_SMEAR_MESHES_NONE;
    if (settings.kind == LIMBER_BAKE_BONES)
        return estimate_bones(pipeline, &settings, estimate, error);
    limberi_baker b;
    memset(&b, 0, sizeof b);
    b.pipeline = pipeline;
    b.settings = &settings;
    b.error = error;
    b.samples = estimate_samples;
    result = bake_frames(&b);
    if (!result)
        estimate_all(&b, estimate);
    limber_bake_destroy(b.bake);
    return result;
}
