// Which bake is made: how large each kind becomes, and which is the smallest.
#include "bake/bake_private.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"

#include <string.h>

static const uint32_t estimate_samples = 32;
static const double later_growth = 0.62;
static const uint32_t key_bytes = 44;         // of a bone in a frame
static const double target_overhead = 800;    // bytes of JSON, at most
static const double sparse_weights = 1 << 18; // as the glTF writer does it
static const double close_enough = 1.5;       // times the tolerance: bones that miss it by more miss it again
static const double closer_share = 0.95;
static const int closer_tries = 2;
static const double certainly_more = 1.02; // times the estimate; nearer to it the frames decide
// JSON of a target's accessor, of a node, and of the channel, sampler and accessors of a curve.
static const double target_bytes = 250;
static const double node_bytes = 150;
static const double curve_bytes = 400;

// --- sizes ---

// Sparse where that takes less.
static double vertex_bytes(const limber_bake_mesh* baked, uint32_t target, uint32_t vertices) {
    const float* at = baked->positions + 3 * (size_t)target * vertices;
    size_t moved = 0;
    for (size_t v = 0; v < vertices; v++, at += 3)
        moved += at[0] != 0 || at[1] != 0 || at[2] != 0;
    return fmin(12.0 * vertices, 14.0 * (double)moved);
}

// Of a bone bake.
static double mesh_bytes(const limber_bake* bake, const limber_bake_mesh* baked, uint32_t vertices) {
    double bytes = target_bytes * baked->target_count;
    for (uint32_t t = 0; t < baked->target_count; t++)
        bytes += vertex_bytes(baked, t, vertices);
    for (uint32_t t = 0; t < bake->track_count; t++)
        bytes += 4.0 * baked->target_count * bake->tracks[t].frame_count;
    return bytes;
}

// Of one key: its value.
static double value_bytes(const limber_bake_bone* bone, uint32_t part) {
    if (part != LIMBER_BONE_ROTATION && part != LIMBER_BONE_BACK)
        return 12;
    return bone->packed ? 8 : 16;
}

static double bone_bytes(const limber_bake* bake, const limber_bake_bone* bone) {
    double bytes = node_bytes * (bone->shears ? 2 : 1);
    for (uint32_t i = 0; i < bake->track_count * (uint32_t)LIMBER_BONE_CURVES; i++) {
        const limber_bake_curve* curve = &bone->curves[i];
        if (curve->key_count)
            bytes += curve_bytes + (4.0 + value_bytes(bone, i % LIMBER_BONE_CURVES)) * curve->key_count;
    }
    return bytes;
}

static double bytes_of(const limber_model* model, const limber_bake* bake) {
    double bytes = 0;
    for (uint32_t m = 0; m < bake->mesh_count; m++)
        bytes += mesh_bytes(bake, &bake->meshes[m], model->meshes[m].vertex_count);
    for (uint32_t i = 0; i < bake->bone_count; i++)
        bytes += bone_bytes(bake, &bake->bones[i]);
    return bytes;
}

// The number of targets for all frames, from that for samples, which grows with a power of the frames that becomes
// smaller: the power between half the samples and all of them, times `later_growth`. On 22 characters with four settings
// each that is within a factor of two of the bake, but for a cylinder (0.32) and a dancer (2.06) with large tolerances.
static double all_targets(const limberi_baker* b, uint32_t mesh) {
    double samples = b->frame_count;
    double targets = b->bake->meshes[mesh].target_count;
    double half = b->halves[mesh].target_count;
    double growth = 1;
    if (b->frame_count < b->all_frames && b->half_frames)
        growth = fmin(fmax(log(fmax(targets, 1) / fmax(half, 1)) / log(samples / b->half_frames), 0), 1) * later_growth;
    return ceil(targets * pow(b->all_frames / samples, growth));
}

// Of a mesh in a file.
static double bytes_of_targets(const limberi_baker* b, uint32_t mesh, double targets, bool exact) {
    double width = b->settings->normals ? 6 : 3;
    double weights = targets * b->all_frames;
    double bytes = sizeof(float) * (exact && weights > sparse_weights ? 2.0 * b->all_frames : weights);
    if (!exact)
        bytes += sizeof(float) * width * targets * b->source->model->meshes[mesh].vertex_count;
    return bytes + target_overhead * targets;
}

// With the tolerance of the settings, or of one target for each frame, which takes no other look at the frames.
static void estimate_all(const limberi_baker* b, bool exact, limber_bake_estimate* estimate) {
    double bytes = 0;
    double max = 0;
    double share = b->frame_count ? (double)b->all_frames / b->frame_count : 0;
    for (uint32_t m = 0; b->frame_count && m < b->bake->mesh_count; m++) {
        double targets = exact ? ceil(b->halves[m].row_count * share) : all_targets(b, m);
        targets = fmin(targets, b->all_frames);
        max = fmax(max, targets);
        bytes += bytes_of_targets(b, m, targets, exact);
    }
    if (exact)
        bytes += (double)b->byte_count * share;
    estimate->frame_count = b->all_frames;
    estimate->target_count = (uint32_t)max; // of the most
    estimate->byte_count = (uint64_t)bytes;
    estimate->tolerance = exact ? 0 : b->settings->tolerance;
}

// From a few frames. Auto: the smaller of reduced and exact targets. Bones may take less still, which only the work itself
// finds.
static limber_result estimate_targets(const limberi_bake_source* source, const limber_bake_settings* settings,
                                      limber_bake_estimate* estimate, limber_error* error) {
    limber_bake_settings targets = *settings;
    bool smallest = targets.kind == LIMBER_BAKE_AUTO;
    limber_bake_estimate exact;
    targets.kind = smallest ? LIMBER_BAKE_CORRECTIVE : targets.kind;
    limberi_baker b = {.source = source, .settings = &targets, .samples = estimate_samples, .error = error};
    b.halves = limberi_allocate_zeroed(source->model->mesh_count + (size_t)1, sizeof *b.halves);
    limber_result result = b.halves ? limberi_bake_targets(&b) : limberi_fail_memory(error);
    if (!result)
        estimate_all(&b, !(targets.tolerance > 0), estimate);
    if (!result && smallest && targets.tolerance > 0) {
        estimate_all(&b, true, &exact);
        *estimate = exact.byte_count <= estimate->byte_count ? exact : *estimate;
    }
    limber_bake_destroy(b.bake);
    limberi_release(b.halves);
    return result;
}

// Keys of all joints in all frames; targets are few, and only the work itself finds them.
static limber_result estimate_bones(const limberi_bake_source* source, const limber_bake_settings* settings,
                                    limber_bake_estimate* estimate, limber_error* error) {
    limber_bake* bake = limberi_allocate_zeroed(1, sizeof *bake);
    limber_result result =
        bake ? limberi_bake_tracks(source, settings, bake, &estimate->frame_count, error) : limberi_fail_memory(error);
    estimate->byte_count = (uint64_t)estimate->frame_count * source->model->rig.joint_count * key_bytes;
    estimate->tolerance = settings->tolerance;
    limber_bake_destroy(bake);
    return result;
}

limber_result limberi_bake_estimate(const limberi_bake_source* source, const limber_bake_settings* settings,
                                    limber_bake_estimate* estimate, limber_error* error) {
    limber_bake_settings quiet = *settings;
    quiet.store = NULL;
    quiet.progress = NULL;
    quiet.max_bytes = 0;
    quiet.smear_meshes = LIMBER_SMEAR_MESHES_NONE;
    memset(estimate, 0, sizeof *estimate);
    return quiet.kind == LIMBER_BAKE_BONES ? estimate_bones(source, &quiet, estimate, error)
                                           : estimate_targets(source, &quiet, estimate, error);
}

// --- kinds ---

static limber_result bake_targets(const limberi_bake_source* source, const limber_bake_settings* settings,
                                  limber_bake** bake, limber_error* error) {
    limberi_baker b = {.source = source, .settings = settings, .error = error};
    limber_result result = limberi_bake_targets(&b);
    *bake = b.bake;
    return result;
}

// What is rounded and left out at several places may add up to more than the tolerance. Then less is asked for.
static limber_result bake_held_bones(const limberi_bake_source* source, const limber_bake_settings* settings,
                                     limber_bake** bake, limber_error* error) {
    limber_bake_settings bones = *settings;
    bones.kind = LIMBER_BAKE_BONES;
    limber_result result = limberi_bake_bones(source, &bones, bake, error);
    for (int again = 0; !result && again < closer_tries; again++) {
        double times = (*bake)->error / settings->tolerance;
        if (!(times > 1 && times <= close_enough))
            break;
        limber_bake_destroy(*bake);
        *bake = NULL;
        bones.tolerance *= closer_share / times;
        result = limberi_bake_bones(source, &bones, bake, error);
    }
    return result;
}

// *bake stays NULL when bones cannot hold the tolerance, or take more than the estimate of targets alone.
static limber_result bake_smaller_bones(const limberi_bake_source* source, const limber_bake_settings* settings,
                                        const limber_bake_estimate* targets, limber_bake** bake, limber_error* error) {
    limber_result result = bake_held_bones(source, settings, bake, error);
    if (result == LIMBER_ERROR_DATA) // no bones fit
        return LIMBER_OK;
    if (result)
        return result;
    double bytes = bytes_of(source->model, *bake);
    double limit = (double)targets->byte_count;
    if (settings->max_bytes)
        limit = fmin(limit, (double)settings->max_bytes);
    if ((*bake)->error <= settings->tolerance && bytes <= limit)
        return LIMBER_OK;
    limber_bake_destroy(*bake);
    *bake = NULL;
    return LIMBER_OK;
}

// Bones, unless targets alone take less: few frames, or few vertices.
static limber_result bake_smallest(const limberi_bake_source* source, const limber_bake_settings* settings,
                                   limber_bake** bake, limber_error* error) {
    limber_bake_settings corrective = *settings;
    limber_bake_estimate targets;
    limber_result result = LIMBER_OK;
    if (settings->estimate)
        targets = *settings->estimate;
    else
        result = limberi_bake_estimate(source, settings, &targets, error);
    if (!result && settings->tolerance > 0 && source->model->skin_count && targets.byte_count)
        result = bake_smaller_bones(source, settings, &targets, bake, error);
    if (result || *bake)
        return result;
    if (settings->max_bytes && (double)targets.byte_count > certainly_more * (double)settings->max_bytes)
        return limberi_bake_too_large(error, (double)settings->max_bytes);
    corrective.kind = LIMBER_BAKE_CORRECTIVE;
    corrective.tolerance = targets.tolerance;
    corrective.store = targets.tolerance > 0 ? NULL : settings->store;
    return bake_targets(source, &corrective, bake, error);
}

limber_result limberi_bake(const limberi_bake_source* source, const limber_bake_settings* settings, limber_bake** bake,
                           limber_error* error) {
    *bake = NULL;
    if (settings->kind == LIMBER_BAKE_AUTO)
        return bake_smallest(source, settings, bake, error);
    return settings->kind == LIMBER_BAKE_BONES ? limberi_bake_bones(source, settings, bake, error)
                                               : bake_targets(source, settings, bake, error);
}
