// `limber info --style`: what a style does to each clip, in words and as JSON.
#include "cli/explain.h"

#include "cli/pool.h"

#include <math.h>
#include <stdlib.h>

typedef struct explainer {
    cli_explanation all;
    const limber_asset* asset;
    cli_look look;
    limber_pipeline *plain, *styled, *chained; // the last NULL where joints are composed as a chain anyway
    limber_pipeline* held;                     // the style with its step
    cli_pool* pool;
    cli_progress progress;
    uint32_t frames_done, frame_count; // of the clips before, and of all
} explainer;

static int open_pipelines(explainer* e, const char* input, const cli_common* common) {
    limber_error error = {0};
    limber_stage_settings smooth = e->look.settings;
    limber_result result = limber_pipeline_create(e->asset, NULL, &e->plain, &error);
    e->all.step = smooth.perform.step;
    smooth.perform.step = 1;
    if (!result)
        result = limber_pipeline_create_from_settings(e->asset, &e->look.settings, &e->held, &error);
    if (!result)
        result = limber_pipeline_create_from_settings(e->asset, &smooth, &e->styled, &error);
    if (!result && smooth.deform.compose == LIMBER_COMPOSE_SUM) {
        limber_stage_settings chain = smooth;
        chain.deform.compose = LIMBER_COMPOSE_CHAIN;
        result = limber_pipeline_create_from_settings(e->asset, &chain, &e->chained, &error);
    }
    if (result)
        return cli_fail_error(input, &error);
    if (cli_pool_lend(&e->pool, common->threads, e->plain) != LIMBER_OK ||
        cli_pool_lend(&e->pool, common->threads, e->styled) != LIMBER_OK)
        return cli_fail_memory(input);
    e->all.settings = limber_pipeline_stage_settings(e->styled);
    e->all.parts = limber_pipeline_rigid_parts(e->styled);
    return CLI_DONE;
}

static uint32_t frames_of(const limber_clip* clip) {
    return (uint32_t)(fmin(clip->end_s - clip->start_s, LIMBERI_REVIEW_SECONDS) * LIMBERI_REVIEW_RATE) + 1;
}

static int choose_clips(explainer* e, const char* input, const cli_common* common) {
    const limber_model* model = e->all.model;
    uint32_t first = 0;
    if (!model->clip_count)
        return cli_fail(input, "has no clips");
    int status = common->clip ? cli_find_clip(input, model, common->clip, &first) : CLI_DONE;
    if (status)
        return status;
    e->all.count = common->clip ? 1 : model->clip_count;
    e->all.clips = calloc(e->all.count, sizeof *e->all.clips);
    if (!e->all.clips)
        return cli_fail_memory(input);
    for (uint32_t i = 0; i < e->all.count; i++) {
        e->all.clips[i].clip = first + i;
        e->frame_count += frames_of(&model->clips[first + i]);
    }
    return CLI_DONE;
}

static bool step(void* user, uint32_t done, uint32_t total) {
    explainer* e = user;
    (void)total;
    return cli_progress_step(&e->progress, e->frames_done + done, e->frame_count);
}

// Displacements that are summed scale and fold a part where joints turn one after another, against each other above all
// (velocity skinning, figure 14); a chain does not.
static limber_result measure_distortion(const explainer* e, cli_explained* one) {
    const limber_clip* clip = &e->all.model->clips[one->clip];
    limber_frame_range frames = limber_clip_frames_between(clip, 30, one->review.start_s, one->review.end_s);
    one->at_distorted.joint = UINT32_MAX; // none
    for (uint32_t i = 0; e->chained && i < frames.count; i++) {
        limber_frame sum, chain;
        double time_s = limber_clip_frame_time(clip, 30, frames.first + i);
        limber_result result = limber_pipeline_evaluate(e->styled, (int32_t)one->clip, time_s, &sum);
        if (!result)
            result = limber_pipeline_evaluate(e->chained, (int32_t)one->clip, time_s, &chain);
        if (result)
            return result;
        for (uint32_t u = 0; u < e->all.model->vertex_count; u++) {
            const float* a = sum.positions + 3 * (size_t)u;
            const float* b = chain.positions + 3 * (size_t)u;
            double x = (double)a[0] - (double)b[0];
            double y = (double)a[1] - (double)b[1];
            double z = (double)a[2] - (double)b[2];
            double off = sqrt(x * x + y * y + z * z) / one->review.size;
            if (off > one->distorted) {
                one->distorted = off;
                one->at_distorted.joint = limberi_review_joint(e->all.model, u);
                one->at_distorted.time_s = time_s;
            }
        }
    }
    return LIMBER_OK;
}

static int measure_clip(explainer* e, cli_explained* one) {
    limber_error error = {0};
    limberi_review_job job = {e->plain, e->styled, one->clip, step, e, limber_smear_is_on(&e->all.settings->smear)};
    limber_result result = limberi_review_clip(&job, &one->review, &error);
    if (!result)
        result = limber_contacts_find(e->asset, one->clip, &e->all.settings->contacts, &one->contacts, &error);
    if (!result)
        result = measure_distortion(e, one);
    if (result)
        return cli_fail_error(e->all.input, &error);
    one->performs = limber_pipeline_performance(e->held, one->clip, &one->act);
    one->broken = limberi_bounds_broken(&e->all.bounds, &one->review);
    e->frames_done += frames_of(&e->all.model->clips[one->clip]);
    return CLI_DONE;
}

// A ball is nobody's prop, though nothing in it bends.
static bool is_one_piece(const limber_model* model) {
    int64_t joint = -1;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t i = 0; i < mesh->influence_first[mesh->vertex_count]; i++) {
            int64_t by = model->skins[mesh->skin].joints[mesh->influence_joint[i]];
            if (joint >= 0 && by != joint)
                return false;
            joint = by;
        }
    }
    return true;
}

static int measure_all(explainer* e, const cli_common* common) {
    int status = CLI_DONE;
    bool no_props = cli_has_ending(e->all.input, ".bvh") || is_one_piece(e->all.model);
    e->all.bounds = limberi_bounds_of(e->all.style, e->all.settings->rigid.mode != LIMBER_RIGID_OFF, no_props);
    e->progress = cli_progress_start("measuring frame", common->quiet);
    for (uint32_t i = 0; !status && i < e->all.count; i++)
        status = measure_clip(e, &e->all.clips[i]);
    cli_progress_end(&e->progress);
    return status;
}

static void close_all(explainer* e) {
    for (uint32_t i = 0; e->all.clips && i < e->all.count; i++)
        limber_contacts_destroy(e->all.clips[i].contacts);
    free(e->all.clips);
    limber_pipeline_destroy(e->plain);
    limber_pipeline_destroy(e->styled);
    limber_pipeline_destroy(e->held);
    limber_pipeline_destroy(e->chained);
    cli_pool_destroy(e->pool);
    cli_look_close(&e->look);
}

int cli_explain(const char* input, const limber_gltf* gltf, const cli_common* common, bool json) {
    explainer e = {0};
    e.asset = limber_gltf_asset(gltf);
    e.all.input = input;
    e.all.style = common->style;
    e.all.model = limber_asset_model(e.asset);
    int status = cli_look_open(input, gltf, common, &e.look);
    if (status)
        return status;
    status = choose_clips(&e, input, common);
    if (!status)
        status = open_pipelines(&e, input, common);
    if (!status)
        status = measure_all(&e, common);
    if (!status && json)
        status = cli_explain_json(&e.all);
    else if (!status)
        cli_explain_text(&e.all);
    close_all(&e);
    return status;
}
