// A crowd and its memory.
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"
#include "pipeline/clone.h"
#include "pipeline/crowd_private.h"
#include "pipeline/pipeline_private.h"

static const uint32_t all_outputs =
    LIMBER_CROWD_PALETTES | LIMBER_CROWD_TEXELS | LIMBER_CROWD_POSITIONS | LIMBER_CROWD_NORMALS;

void limber_crowd_settings_init(limber_crowd_settings* given, size_t size) {
    limber_crowd_settings settings = {.struct_size = sizeof settings, .outputs = LIMBER_CROWD_POSITIONS};
    limberi_settings_write(given, size, &settings, sizeof settings);
}

static limber_result check(const limber_crowd_settings* s, limber_error* error) {
    if (!s->kind_count || !s->kinds)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a crowd needs a kind of character");
    if (!s->member_limit || s->member_limit > LIMBER_TO_END / 8)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a crowd needs to know how many members it may have");
    if (!s->outputs || s->outputs & ~all_outputs)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a crowd needs to know what to compute: LIMBER_CROWD_...");
    if (!(s->step_s >= 0 && s->step_s < 1e9))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the step of a crowd's times must not be negative");
    if (s->parallel && (!s->parallel->run || !s->parallel->worker_count))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a job system needs a function and workers");
    return LIMBER_OK;
}

// The pipeline of each worker: the first is an original, the others are its clones.
static limber_result make_worker(limber_crowd* crowd, const limber_crowd_kind* given, limberi_crowd_kind* kind,
                                 uint32_t worker, limber_error* error) {
    limber_pipeline** made = &kind->pipelines[worker];
    limber_result result = worker ? limberi_pipeline_clone(kind->pipelines[0], made, error)
                                  : limber_pipeline_create(given->asset, given->style, made, error);
    if (result)
        return result;
    limberi_pipeline_show_only(*made);
    limber_pipeline_set_outputs(*made, crowd->outputs & LIMBER_CROWD_NORMALS ? LIMBER_OUTPUT_NORMALS : 0);
    return crowd->outputs & LIMBER_CROWD_TEXELS
               ? limber_pack_create(*made, crowd->outputs & LIMBER_CROWD_NORMALS, &kind->packs[worker], error)
               : LIMBER_OK;
}

static void measure_member(limberi_crowd_kind* kind) {
    const limber_model* model = kind->pipelines[0]->model;
    for (uint32_t s = 0; s < model->skin_count; s++)
        kind->palette_floats += 16 * (size_t)model->skins[s].joint_count;
    kind->vertex_floats = 3 * (size_t)model->vertex_count;
    if (!kind->packs)
        return;
    limber_pack_layout layout = limber_pack_get_layout(kind->packs[0]);
    kind->texel_floats = 4 * (size_t)layout.max_texels;
    kind->column_shorts = layout.columns_change ? layout.column_bytes / 2 * (size_t)model->vertex_count : 0;
}

static limber_result make_kind(limber_crowd* crowd, const limber_crowd_kind* given, limberi_crowd_kind* kind,
                               limber_error* error) {
    if (!given->asset)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a kind of a crowd needs a character");
    kind->pipelines = LIMBERI_ALLOCATE(&crowd->arena, limber_pipeline*, crowd->worker_count);
    if (crowd->outputs & LIMBER_CROWD_TEXELS)
        kind->packs = LIMBERI_ALLOCATE(&crowd->arena, limber_pack*, crowd->worker_count);
    kind->prepared = LIMBERI_ALLOCATE(&crowd->arena, bool, limber_asset_model(given->asset)->clip_count);
    kind->ground = LIMBERI_ALLOCATE(&crowd->arena, limberi_ground_track*, limber_asset_model(given->asset)->clip_count);
    limber_result result = crowd->arena.failed ? limberi_fail_memory(error) : LIMBER_OK;
    for (uint32_t w = 0; !result && w < crowd->worker_count; w++)
        result = make_worker(crowd, given, kind, w, error);
    if (!result)
        measure_member(kind);
    return result;
}

static bool allocate_lists(limber_crowd* crowd) {
    uint32_t max = crowd->member_limit;
    crowd->table_size = 4;
    while (crowd->table_size < 2 * max)
        crowd->table_size *= 2;
    crowd->due = LIMBERI_ALLOCATE(&crowd->arena, uint32_t, max);
    crowd->copies = LIMBERI_ALLOCATE(&crowd->arena, uint32_t, max);
    crowd->source = LIMBERI_ALLOCATE(&crowd->arena, uint32_t, max);
    crowd->times = LIMBERI_ALLOCATE(&crowd->arena, double, max);
    crowd->texel_counts = LIMBERI_ALLOCATE(&crowd->arena, uint32_t, crowd->outputs & LIMBER_CROWD_TEXELS ? max : 0);
    crowd->table = LIMBERI_ALLOCATE(&crowd->arena, uint32_t, crowd->table_size);
    crowd->results = LIMBERI_ALLOCATE(&crowd->arena, limber_result, crowd->worker_count);
    crowd->kinds = LIMBERI_ALLOCATE(&crowd->arena, limberi_crowd_kind, crowd->kind_count);
    return !crowd->arena.failed;
}

static limber_result fill_crowd(limber_crowd* crowd, const limber_crowd_settings* s, limber_error* error) {
    limber_result result = allocate_lists(crowd) ? LIMBER_OK : limberi_fail_memory(error);
    for (uint32_t k = 0; !result && k < crowd->kind_count; k++) {
        result = make_kind(crowd, &s->kinds[k], &crowd->kinds[k], error);
        if (result && error && !error->place[0])
            limberi_at(error, result, "kinds[%u]", k);
    }
    return result;
}

limber_result limber_crowd_create(const limber_crowd_settings* given, limber_crowd** crowd, limber_error* error) {
    limber_crowd_settings s = limber_crowd_settings_default();
    *crowd = NULL;
    limber_result result = limberi_settings_read(&s, sizeof s, given, "limber_crowd_settings", error);
    if (!result)
        result = check(&s, error);
    if (result)
        return result;
    limber_crowd* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    made->outputs = s.outputs;
    made->kind_count = s.kind_count;
    made->member_limit = s.member_limit;
    made->step_s = s.step_s;
    made->worker_count = s.parallel ? s.parallel->worker_count : 1;
    if (s.parallel)
        made->parallel = *s.parallel;
    result = fill_crowd(made, &s, error);
    if (result)
        limber_crowd_destroy(made);
    else
        *crowd = made;
    return result;
}

static void destroy_kind(limberi_crowd_kind* kind, uint32_t worker_count) {
    uint32_t clips = kind->ground && kind->pipelines && kind->pipelines[0] ? kind->pipelines[0]->model->clip_count : 0;
    for (uint32_t c = 0; c < clips; c++)
        limberi_ground_track_destroy(kind->ground[c]);
    for (uint32_t w = 0; kind->packs && w < worker_count; w++)
        limber_pack_destroy(kind->packs[w]);
    for (uint32_t w = worker_count; kind->pipelines && w-- > 0;) // the original last
        limber_pipeline_destroy(kind->pipelines[w]);
}

void limber_crowd_destroy(limber_crowd* crowd) {
    if (!crowd)
        return;
    for (uint32_t k = 0; crowd->kinds && k < crowd->kind_count; k++)
        destroy_kind(&crowd->kinds[k], crowd->worker_count);
    limberi_arena_free(&crowd->arena);
    limberi_release(crowd);
}

limber_result limberi_crowd_prepare_clip(limberi_crowd_kind* kind, uint32_t clip) {
    limber_result result = kind->prepared[clip] ? LIMBER_OK : limberi_pipeline_prepare_clip(kind->pipelines[0], clip);
    kind->prepared[clip] = !result;
    return result;
}

limber_result limber_crowd_prepare(limber_crowd* crowd, uint32_t kind, uint32_t clip, limber_error* error) {
    if (kind >= crowd->kind_count || clip >= crowd->kinds[kind].pipelines[0]->model->clip_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there is no such kind, or it has no such clip");
    limberi_crowd_kind* k = &crowd->kinds[kind];
    limber_result result = limberi_crowd_prepare_clip(k, clip);
    const limberi_ground_workers workers = {k->pipelines, k->packs, &crowd->parallel};
    if (!result && !k->ground[clip] && crowd->member_limit >= LIMBER_CROWD_STORES && k->packs)
        result = limberi_ground_track_create(&workers, clip, &k->ground[clip]);
    limberi_error_empty(error);
    return limberi_error_fill(error, result);
}

uint32_t limber_crowd_computed(const limber_crowd* crowd) {
    return crowd->due_count;
}

limber_pack_layout limber_crowd_layout(const limber_crowd* crowd, uint32_t kind) {
    const limber_pack* pack = limber_crowd_pack(crowd, kind);
    limber_pack_layout none = {0};
    return pack ? limber_pack_get_layout(pack) : none;
}

const limber_pack* limber_crowd_pack(const limber_crowd* crowd, uint32_t kind) {
    return kind < crowd->kind_count && crowd->kinds[kind].packs ? crowd->kinds[kind].packs[0] : NULL;
}

limber_result limber_crowd_write_columns(limber_crowd* crowd, uint32_t kind, int16_t* columns, limber_error* error) {
    if (!limber_crowd_pack(crowd, kind))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there is no such kind, or it has no texels");
    const limberi_crowd_kind* k = &crowd->kinds[kind];
    float* texels = limberi_allocate(k->texel_floats * sizeof *texels);
    uint32_t count;
    limber_result result = texels ? limber_pipeline_evaluate_joints(k->pipelines[0], -1, 0) : LIMBER_ERROR_MEMORY;
    if (!result)
        result = limber_pack_evaluate(k->packs[0], texels, &count, columns, error);
    else
        limberi_fail_memory(error);
    limberi_release(texels);
    return result;
}

const limber_pipeline* limber_crowd_pipeline(const limber_crowd* crowd, uint32_t kind) {
    return kind < crowd->kind_count ? crowd->kinds[kind].pipelines[0] : NULL;
}
