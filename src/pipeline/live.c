// Live use: poses come from outside, one by one, and nobody knows the next. Motion by backward differences (S3), time
// filters stepped with the real time between poses (S6), smears into the past (S7).
#include "motion/live.h"
#include "base/error.h"
#include "pipeline/smear.h"
#include <limber/smear_live.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct limberi_live_stage {
    limber_tracker* tracker;
    limberi_live_filter* filters[LIMBERI_SLOTS]; // [filter_count]
    bool running;                                // some pose was pushed since the last reset
    double start_s, time_s;                      // of the first pose and of the newest
    limber_smear_live* smears;                   // NULL until they are asked for
    limber_deformer* welds;
    float *positions, *normals, *offsets; // of the smeared frame
};

void limberi_pipeline_live_destroy(struct limberi_live_stage* stage) {
    if (!stage)
        return;
    limber_tracker_destroy(stage->tracker);
    for (uint32_t i = 0; i < LIMBERI_SLOTS; i++)
        limberi_live_filter_destroy(stage->filters[i]);
    limber_smear_live_destroy(stage->smears);
    limber_deformer_destroy(stage->welds);
    free(stage->positions);
    free(stage->normals);
    free(stage->offsets);
    free(stage);
}

static limber_result open_stage(limber_pipeline* p) {
    if (p->live)
        return LIMBER_OK;
    struct limberi_live_stage* stage = calloc(1, sizeof *stage);
    if (!stage)
        return LIMBER_ERROR_MEMORY;
    limber_result result = limber_tracker_create(p->model, &stage->tracker, NULL);
    for (uint32_t i = 0; !result && i < p->filter_count; i++)
        result = limberi_live_filter_create(p->model, &p->filters[i], &stage->filters[i]);
    if (result)
        limberi_pipeline_live_destroy(stage);
    else
        p->live = stage;
    return result;
}

static bool all_finite(const float* values, size_t count) {
    float sum = 0; // of zeros; what is not finite times zero is no number
    for (size_t i = 0; i < count; i++)
        sum += 0 * values[i];
    return sum == 0;
}

// A pose with holes would stay in the filters for good.
static bool usable(const limber_model* model, const limber_transform* local, const float* morph_weights,
                   double time_s) {
    return isfinite(time_s) &&
           all_finite(&local->translation.x, (sizeof *local / sizeof(float)) * model->rig.joint_count) &&
           (!morph_weights || all_finite(morph_weights, model->morph_count));
}

static void set_morphs(limber_pipeline* p, const float* weights) {
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        const limber_mesh* mesh = &p->model->meshes[m];
        const float* from = weights ? weights + mesh->first_morph : mesh->morph_defaults;
        for (uint32_t i = 0; i < mesh->morph_count; i++)
            p->pose.morph_weights[mesh->first_morph + i] = from ? from[i] : 0;
    }
}

static void find_motion(limber_pipeline* p, double time_s) {
    struct limberi_live_stage* stage = p->live;
    limberi_tracked tracked = limberi_tracker_take(stage->tracker, p->pose.local, time_s);
    const limber_kinematics* plain = limber_tracker_kinematics(stage->tracker);
    limber_motion_to_world(p->model, &p->pose, plain, &p->world_motion);
    for (uint32_t i = 0; i < p->filter_count; i++) {
        limberi_live_filter_push(stage->filters[i], tracked, plain, &p->filtered[i]);
        limber_motion_to_world(p->model, &p->pose, &p->filtered[i], &p->filtered[i]);
    }
}

limber_result limber_pipeline_live(limber_pipeline* p, const limber_transform* local, const float* morph_weights,
                                   double time_s) {
    if (!usable(p->model, local, morph_weights, time_s))
        return LIMBER_ERROR_ARGUMENT;
    limber_result result = open_stage(p);
    if (result)
        return result;
    struct limberi_live_stage* stage = p->live;
    if (!stage->running || time_s < stage->start_s)
        stage->start_s = time_s;
    stage->running = true;
    stage->time_s = time_s;
    memcpy(p->pose.local, local, p->model->rig.joint_count * sizeof *local);
    set_morphs(p, morph_weights);
    limberi_pipeline_move(p, NULL, 0);
    find_motion(p, time_s);
    p->posed_clip = -1;
    p->posed_time_s = time_s - stage->start_s;
    p->posed_live = p->posed_filtered = true;
    return LIMBER_OK;
}

void limber_pipeline_live_reset(limber_pipeline* p) {
    if (!p->live)
        return;
    limber_tracker_reset(p->live->tracker);
    if (p->live->smears)
        limber_smear_live_reset(p->live->smears);
    p->live->running = false;
}

limber_result limber_pipeline_live_continue(limber_pipeline* p, const limber_pipeline* before) {
    if (before->asset != p->asset)
        return LIMBER_ERROR_ARGUMENT;
    if (!before->live)
        return LIMBER_OK;
    limber_result result = open_stage(p);
    if (result)
        return result;
    limberi_tracker_copy(p->live->tracker, before->live->tracker);
    p->live->running = before->live->running;
    p->live->start_s = before->live->start_s;
    p->live->time_s = before->live->time_s;
    for (uint32_t i = 0; i < p->filter_count; i++)
        limberi_live_filter_start(p->live->filters[i], limber_tracker_kinematics(p->live->tracker));
    for (uint32_t i = 0; i < p->filter_count; i++)
        for (uint32_t k = 0; k < before->filter_count; k++)
            if (limber_filter_set_equal(&p->filters[i], &before->filters[k]))
                limberi_live_filter_copy(p->live->filters[i], before->live->filters[k]);
    return LIMBER_OK;
}

// --- smears ---

limber_result limber_pipeline_live_smears(limber_pipeline* p, const limber_smear_live_settings* settings,
                                          limber_error* error) {
    limber_smear_live* made = NULL;
    size_t vertices = (size_t)p->model->vertex_count + 1;
    if (open_stage(p))
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for live smears");
    struct limberi_live_stage* stage = p->live;
    limber_result result = limber_smear_live_create(p->asset, &p->settings.smear, settings, &made, error);
    if (result)
        return result;
    limber_smear_live_destroy(stage->smears);
    stage->smears = made;
    if (stage->welds)
        return LIMBER_OK;
    stage->positions = malloc(3 * vertices * sizeof(float));
    stage->normals = malloc(3 * vertices * sizeof(float));
    stage->offsets = malloc(vertices * sizeof(float));
    if (stage->positions && stage->normals && stage->offsets)
        stage->welds = limberi_pipeline_welds(p->model);
    return stage->welds ? LIMBER_OK : limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for live smears");
}

limber_result limber_pipeline_live_smear(limber_pipeline* p, limber_smeared* out) {
    memset(out, 0, sizeof *out);
    if (!p->posed_live)
        return LIMBER_ERROR_ARGUMENT;
    struct limberi_live_stage* stage = p->live;
    limber_result result = stage->welds ? LIMBER_OK : limber_pipeline_live_smears(p, NULL, NULL);
    if (result)
        return result;
    limber_pipeline_run(p, &out->frame);
    out->deformed = out->frame.positions;
    limber_smear_live_push(stage->smears, out->frame.positions, out->frame.normals, &p->pose, stage->time_s);
    result = limber_smear_live_evaluate(stage->smears, stage->positions, stage->offsets);
    if (result)
        return result;
    bool moved = limber_smear_live_moved(stage->smears);
    if (moved && out->frame.normals) {
        limberi_pipeline_turn_normals(p->model, stage->welds, out->deformed, out->frame.normals, stage->positions,
                                      stage->normals);
        out->frame.normals = stage->normals;
    }
    out->frame.positions = moved ? stage->positions : out->deformed;
    out->offsets = stage->offsets;
    out->mesh_count = limber_smear_live_mesh_count(stage->smears);
    out->meshes = out->mesh_count ? limber_smear_live_mesh(stage->smears, 0) : NULL;
    return LIMBER_OK;
}
