// Bakes of a pipeline: its frames, as a bake asks for them.
#include "bake/bake.h"
#include "asset/clip.h"
#include "base/build.h"
#include "base/error.h"
#include "base/memory.h"
#include "perform/holds.h"
#include "pipeline/frame_pool.h"

#include <string.h>

typedef struct frame_source {
    limber_pipeline* pipeline;
    uint32_t outputs; // of the program, which may have no use for normals
    limberi_frame_pool pool;
} frame_source;

static uint32_t needed_outputs(const limber_pipeline* p, bool normals) {
    const limber_smear_settings* smear = &p->settings.smear;
    if (normals)
        return p->outputs | LIMBER_OUTPUT_NORMALS;
    return limber_smear_adds_meshes(smear) ? p->outputs
                                           : p->outputs & ~(uint32_t)(LIMBER_OUTPUT_NORMALS | LIMBER_OUTPUT_SKINNED);
}

static limber_result open_source(void* user, bool normals, uint32_t max_count, uint32_t* count, limber_error* error) {
    frame_source* s = user;
    limber_pipeline_set_outputs(s->pipeline, needed_outputs(s->pipeline, normals));
    limber_result result = limberi_frame_pool_open(&s->pool, s->pipeline, max_count, error);
    *count = s->pool.count;
    return result;
}

static void close_source(void* user) {
    frame_source* s = user;
    limber_pipeline_set_outputs(s->pipeline, s->outputs);
    limberi_frame_pool_close(&s->pool);
}

static limber_result prepare(void* user, uint32_t clip) {
    const frame_source* s = user;
    return clip == LIMBERI_ALL_CLIPS ? limberi_frame_pool_prepare_all(&s->pool)
                                     : limberi_frame_pool_prepare(&s->pool, clip);
}

static limber_result show_frame(void* user, uint32_t member, int32_t clip, double time_s, double fps,
                                limberi_bake_frame* frame) {
    limber_pipeline* p = ((frame_source*)user)->pool.members[member];
    const limber_clip* shown = clip < 0 ? NULL : &p->model->clips[clip];
    limber_smeared smeared = {0};
    limber_result result = clip < 0 ? limber_pipeline_evaluate(p, clip, time_s, &smeared.frame)
                                    : limber_pipeline_evaluate_smeared(p, clip, time_s, fps, &smeared);
    if (result)
        return result;
    frame->positions = smeared.frame.positions;
    frame->normals = smeared.frame.normals;
    frame->morphed_positions = p->morphed_positions;
    frame->morphed_normals = p->morphed_normals;
    frame->palettes = p->palettes;
    frame->world_from_joint = p->pose.world_from_joint;
    frame->skin_from_joint = limberi_pipeline_skin_pose(p, shown, p->posed_time_s)->world_from_joint;
    frame->smear_mesh_count = smeared.mesh_count;
    frame->smear_meshes = smeared.meshes;
    return LIMBER_OK;
}

static limber_result add_shifts(void* user, double fps, limber_bake* bake) {
    return limberi_bake_shifts(((frame_source*)user)->pipeline, fps, bake);
}

static limber_result perform(void* user) {
    return limberi_pipeline_perform_all(((frame_source*)user)->pipeline);
}

static limber_result find_holds(void* user, uint32_t clip, uint32_t* count, double* times) {
    limber_pipeline* p = ((frame_source*)user)->pipeline;
    limberi_holds holds;
    limber_result result = limberi_pipeline_perform(p, clip);
    bool held = !result && LIMBERI_HAS_CLIPS && limberi_pipeline_holds(p, clip, &holds);
    *count = held ? limberi_holds_keys(&holds, times) : 0;
    return result;
}

static double held_time(void* user, uint32_t clip, double time_s) {
    const limber_pipeline* p = ((frame_source*)user)->pipeline;
    limberi_holds holds;
    return LIMBERI_HAS_CLIPS && limberi_pipeline_holds(p, clip, &holds) ? limberi_holds_time(&holds, time_s) : time_s;
}

static limber_edited_clip copy_edited(limberi_arena* arena, const limber_model* model,
                                      const limber_edited_clip* given) {
    limber_edited_clip edited = *given;
    limber_clip* clip = LIMBERI_ALLOCATE(arena, limber_clip, 1);
    limber_stretch* stretches = LIMBERI_COPY(arena, limber_stretch, given->stretches, given->stretch_count);
    if (clip)
        *clip = limberi_clip_copy(arena, model, given->clip);
    for (uint32_t i = 0; stretches && i < given->stretch_count; i++) {
        stretches[i].times = LIMBERI_COPY(arena, float, stretches[i].times, stretches[i].key_count);
        stretches[i].factors = LIMBERI_COPY(arena, float, stretches[i].factors, stretches[i].key_count);
    }
    edited.clip = clip;
    edited.stretches = stretches;
    return edited;
}

// The bake fits the clips as the style edits them.
static limber_result copy_edited_clips(void* user, limber_bake* bake) {
    limber_pipeline* p = ((frame_source*)user)->pipeline;
    limberi_arena* arena = limberi_allocate_zeroed(1, sizeof *arena);
    if (!arena)
        return LIMBER_ERROR_MEMORY;
    bake->clip_memory = arena;
    bake->clips = LIMBERI_ALLOCATE(arena, limber_edited_clip, bake->track_count);
    for (uint32_t t = 0; !arena->failed && t < bake->track_count; t++) {
        limber_edited_clip edited;
        bool changed;
        if (limberi_pipeline_find_edited(p, bake->tracks[t].clip, &edited, &changed))
            return LIMBER_ERROR_MEMORY;
        if (changed)
            bake->clips[bake->clip_count++] = copy_edited(arena, p->model, &edited);
    }
    return arena->failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

static limberi_bake_source source_of(frame_source* s) {
    const limber_pipeline* p = s->pipeline;
    limberi_bake_source source = {.model = p->model,
                                  .plain = limber_asset_model(p->asset),
                                  .parallel = p->parallel,
                                  .smears =
                                      limber_smear_is_on(&p->settings.smear) || p->outputs & LIMBER_OUTPUT_OFFSETS,
                                  .user = s,
                                  .open = open_source,
                                  .close = close_source,
                                  .prepare = prepare,
                                  .frame = show_frame,
                                  .shifts = add_shifts,
                                  .edits = copy_edited_clips,
                                  .perform = perform,
                                  .holds = find_holds,
                                  .held = held_time};
    return source;
}

limber_result limber_pipeline_bake(limber_pipeline* pipeline, const limber_bake_settings* given, limber_bake** bake,
                                   limber_error* error) {
    frame_source frames = {.pipeline = pipeline, .outputs = pipeline->outputs};
    limberi_bake_source source = source_of(&frames);
    limber_bake_settings settings;
    *bake = NULL;
    limber_result result = limberi_bake_settings_read(given, &settings, error);
    if (!result)
        result = limberi_bake(&source, &settings, bake, error);
    if (result || (*bake)->clip_memory || !copy_edited_clips(&frames, *bake))
        return result;
    limber_bake_destroy(*bake);
    *bake = NULL;
    return limberi_fail_memory(error);
}

limber_result limber_pipeline_bake_estimate(limber_pipeline* pipeline, const limber_bake_settings* given,
                                            limber_bake_estimate* estimate, limber_error* error) {
    frame_source frames = {.pipeline = pipeline, .outputs = pipeline->outputs};
    limberi_bake_source source = source_of(&frames);
    limber_bake_settings settings;
    memset(estimate, 0, sizeof *estimate);
    limber_result result = limberi_bake_settings_read(given, &settings, error);
    return result ? result : limberi_bake_estimate(&source, &settings, estimate, error);
}
