// Fuzzes the writers of caches, textures, USD and BVH: the bytes make a valid character, a style and the frames to write.
// A file appears whole or not at all, whatever the numbers; what limber reads itself (.bvh) it reads back.
#include "fuzz/kit/look.h"
#include "fuzz/kit/rig.h"
#include "fuzz/kit/run.h"

#include <limber/bake.h>
#include <limber/bvh.h>
#include <limber/cache.h>
#include <limber/usd.h>
#include <limber/vat.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { FRAMES = 4 };

typedef struct player {
    limber_pipeline* pipeline;
    bool normals;
    uint32_t ends_at; // this frame cannot be had
} player;

static limber_result one_frame(void* user, uint32_t index, const float** positions, const float** normals) {
    const player* p = user;
    limber_frame frame;
    limber_result result = index == p->ends_at
                               ? LIMBER_ERROR_MEMORY
                               : limber_pipeline_evaluate(p->pipeline, -1 + (int32_t)(index % 2), 0.1 * index, &frame);
    if (result != LIMBER_OK)
        return result;
    *positions = frame.positions;
    *normals = p->normals ? frame.normals : NULL;
    return LIMBER_OK;
}

static void gone(const char* path, limber_result result, const limber_error* error) {
    FUZZ_CHECK(result == LIMBER_OK ? access(path, F_OK) == 0 : access(path, F_OK) != 0 && error->message[0]);
    fuzz_remove(path);
}

static void write_cache(fuzz_bytes* b, const limber_model* model, player* p) {
    static const char* const names[] = {"a.pc2", "a.mdd", "a.usda", "a_%d.obj"};
    static const double rates[] = {24, 0.001, 1000000, 0, NAN, 5};
    limber_cache_job job = limber_cache_job_default();
    uint32_t kind = fuzz_below(b, 4);
    limber_error error;
    job.model = model;
    job.frame_count = fuzz_below(b, FRAMES);
    job.fps = rates[fuzz_below(b, 6)];
    job.start_s = (double)fuzz_wild(b);
    job.frame = one_frame;
    job.user = p;
    const char* path = fuzz_path(names[kind]);
    limber_result result = limber_cache_save(&job, path, &error);
    if (kind < 3) {
        gone(path, result, &error);
        return;
    }
    for (uint32_t i = 0; i < FRAMES; i++) {
        char name[16];
        snprintf(name, sizeof name, "a_%u.obj", i + 1);
        FUZZ_CHECK(result == LIMBER_OK || access(fuzz_path(name), F_OK) != 0);
        fuzz_remove(fuzz_path(name));
    }
}

static void write_vat(fuzz_bytes* b, const limber_model* model, player* p) {
    static const char* const files[] = {"v/a_vat.png", "v/a-remap_info.json", "v/a.glb"};
    limber_cache_job job = limber_cache_job_default();
    limber_error error;
    job.model = model;
    job.frame_count = fuzz_below(b, FRAMES);
    job.frame = one_frame;
    job.user = p;
    const limber_clip* clip = model->clip_count && fuzz_chance(b, 128) ? &model->clips[0] : NULL;
    limber_result result = limber_vat_save(&job, clip, fuzz_path("v"), "a", &error);
    for (int i = 0; i < 3; i++)
        gone(fuzz_path(files[i]), result, &error);
    fuzz_remove(fuzz_path("v"));
}

static void write_usd(fuzz_bytes* b, const limber_model* model, const player* p) {
    const uint32_t first = 0;
    limber_bake_settings settings = limber_bake_settings_default();
    limber_usd_job job = limber_usd_job_default();
    limber_edited_clip edited;
    limber_bake* bake = NULL;
    limber_error error;
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    settings.clips = model->clip_count ? &first : NULL;
    settings.clip_count = model->clip_count ? 1 : 0;
    settings.fps = 6;
    settings.range_end_s = 0.5;
    settings.tolerance = fuzz_chance(b, 128) ? 0.01 : 0;
    if (limber_pipeline_bake(p->pipeline, &settings, &bake, &error) != LIMBER_OK)
        return;
    job.model = model;
    job.bake = fuzz_chance(b, 200) ? bake : NULL;
    job.fps = fuzz_chance(b, 220) ? 24 : (double)fuzz_wild(b);
    if (model->clip_count && limber_pipeline_edited_clip(p->pipeline, 0, &edited))
        job.edited = &edited;
    gone(fuzz_path("a.usda"), limber_usd_save(&job, fuzz_path("a.usda"), &error), &error);
    limber_bake_destroy(bake);
}

static void write_bvh(fuzz_bytes* b, const limber_model* model) {
    limber_bvh_settings settings = limber_bvh_settings_default();
    limber_error error;
    limber_bvh_report report;
    limber_bvh* again;
    settings.fps = fuzz_chance(b, 200) ? 10 : 0;
    const char* path = fuzz_path("a.bvh");
    limber_result result = limber_bvh_save_file(model, &settings, path, &report, &error);
    if (result == LIMBER_OK) {
        limber_result read = limber_bvh_load_file(path, NULL, &again, &error);
        if (read != LIMBER_OK)
            fprintf(stderr, "%s: %s\n", error.place, error.message);
        FUZZ_CHECK(read == LIMBER_OK);
        limber_bvh_destroy(again);
    }
    gone(path, result, &error);
}

void fuzz_run(fuzz_bytes* bytes) {
    bool mild;
    uint32_t writer = fuzz_below(bytes, 4);
    limber_asset* asset = fuzz_rig(bytes, &mild);
    if (!asset)
        return;
    const limber_model* model = limber_asset_model(asset);
    limber_style* style = fuzz_look(bytes, &mild);
    player p = {fuzz_pipeline(asset, style), fuzz_chance(bytes, 128), fuzz_below(bytes, 16)};
    if (p.pipeline && writer == 0)
        write_cache(bytes, model, &p);
    else if (p.pipeline && writer == 1)
        write_vat(bytes, model, &p);
    else if (p.pipeline && writer == 2)
        write_usd(bytes, model, &p);
    else if (p.pipeline)
        write_bvh(bytes, model);
    limber_pipeline_destroy(p.pipeline);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}
