// Fuzzes everything after the readers: the bytes make a valid character and a style for it. Frames, smears, edited clips
// and bakes of every kind come out, with the same bytes however the work is divided, finite where the numbers are not
// extreme; whatever is saved can be read again.
#include "fuzz/kit/look.h"
#include "fuzz/kit/rig.h"
#include "fuzz/kit/run.h"

#include <limber/bake.h>
#include <limber/stages/stages.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double pick_time(fuzz_bytes* b) {
    static const double times[] = {0, 0.1, 0.33, 0.5, 1, -1, 1e9, -1e300};
    return times[fuzz_below(b, 8)];
}

static void evaluate(fuzz_bytes* b, limber_pipeline* pipeline, bool mild) {
    const limber_model* model = limber_asset_model(limber_pipeline_asset(pipeline));
    for (uint32_t i = fuzz_below(b, 4); i > 0; i--) {
        int32_t clip = (int32_t)fuzz_below(b, model->clip_count + 2) - 1;
        fuzz_evaluate(pipeline, clip, pick_time(b), mild);
    }
    for (uint32_t i = fuzz_below(b, 3); i > 0; i--) {
        int32_t clip = (int32_t)fuzz_below(b, model->clip_count + 2) - 1;
        fuzz_smear(pipeline, clip, pick_time(b), fuzz_chance(b, 128) ? 0 : 12, mild);
    }
}

static limber_bake_settings pick_bake(fuzz_bytes* b) {
    limber_bake_settings s = limber_bake_settings_default();
    s.kind = (limber_bake_kind)fuzz_below(b, 4);
    s.fps = 4 + fuzz_below(b, 12);
    s.range_end_s = 0.8;
    s.tolerance = fuzz_chance(b, 128) ? 0 : 0.0005 * (1 + fuzz_below(b, 100));
    s.normals = fuzz_chance(b, 128);
    s.smear_meshes = (limber_bake_smear_meshes)fuzz_below(b, 3);
    s.target_limit = fuzz_below(b, 5);
    return s;
}

static void check_bake(const limber_model* model, const limber_bake* bake) {
    FUZZ_CHECK(isfinite(bake->error) && bake->mesh_count == model->mesh_count);
    for (uint32_t m = 0; m < bake->mesh_count; m++) {
        size_t count = 3 * (size_t)model->meshes[m].vertex_count;
        const limber_bake_mesh* mesh = &bake->meshes[m];
        FUZZ_CHECK(fuzz_all_finite(mesh->base_positions, count));
        FUZZ_CHECK(fuzz_all_finite(mesh->positions, mesh->target_count * count));
    }
}

static uint32_t edited_clips(const limber_pipeline* pipeline, uint32_t clip_count, limber_edited_clip* out) {
    uint32_t count = 0;
    for (uint32_t c = 0; c < clip_count; c++)
        count += limber_pipeline_edited_clip(pipeline, c, &out[count]);
    return count;
}

// Bakes by one worker and by three give the same file.
static void bake(fuzz_bytes* b, const limber_gltf* gltf, limber_pipeline* pipeline, limber_style* style, bool mild) {
    const limber_model* model = limber_asset_model(limber_pipeline_asset(pipeline));
    limber_bake_settings settings = pick_bake(b);
    limber_edited_clip edited[8];
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_bake* bake = NULL;
    limber_error error;
    if (fuzz_chance(b, 200) && limber_pipeline_bake(pipeline, &settings, &bake, &error) != LIMBER_OK)
        FUZZ_CHECK(!bake && error.message[0]);
    if (bake && mild)
        check_bake(model, bake);
    edits.bake = bake;
    edits.style = limber_style_text(style);
    edits.clip_count = edited_clips(pipeline, model->clip_count, edited);
    edits.clips = edited;
    edits.repairs = fuzz_chance(b, 60) ? LIMBER_REPAIR_ALL : 0;
    fuzz_save(gltf, &edits, fuzz_chance(b, 230) ? "out.glb" : "out.gltf");
    fuzz_remove(fuzz_path("out.bin"));
    limber_bake_destroy(bake);
}

static void subdivide(fuzz_bytes* b, limber_pipeline* pipeline) {
    limber_bake_settings settings = pick_bake(b);
    limber_asset* finer;
    limber_error error;
    if (limber_pipeline_subdivide(pipeline, &settings, &finer, &error) == LIMBER_OK)
        limber_asset_destroy(finer);
    else
        FUZZ_CHECK(error.message[0] != 0);
}

static void paint(fuzz_bytes* b, const limber_model* model) {
    float* values = calloc((size_t)model->vertex_count + 1, sizeof *values);
    limber_error error;
    bool found;
    uint32_t kind = fuzz_below(b, 4);
    FUZZ_CHECK(values != NULL);
    limber_result result = kind == 0   ? limber_layer_thickness(model, values, &error)
                           : kind == 1 ? limber_layer_height(model, values, &error)
                           : kind == 2 ? limber_layer_skirt(model, values, &found, &error)
                                       : limber_layer_joint_distance(model, 0, values, &error);
    if (result == LIMBER_OK)
        result = limber_layer_smooth(model, fuzz_below(b, 3), values, &error);
    FUZZ_CHECK(result != LIMBER_OK ? error.message[0] != 0 : fuzz_all_finite(values, model->vertex_count));
    free(values);
}

static void use(fuzz_bytes* b, const limber_gltf* gltf, limber_style* style, bool mild) {
    const limber_asset* asset = limber_gltf_asset(gltf);
    limber_pipeline* pipeline = fuzz_pipeline(asset, style);
    if (!pipeline)
        return;
    evaluate(b, pipeline, mild);
    bake(b, gltf, pipeline, style, mild);
    if (fuzz_chance(b, 40))
        subdivide(b, pipeline);
    if (fuzz_chance(b, 40))
        paint(b, limber_asset_model(asset));
    limber_pipeline_destroy(pipeline);
}

void fuzz_run(fuzz_bytes* bytes) {
    bool mild;
    limber_asset* asset = fuzz_rig(bytes, &mild);
    limber_gltf* gltf;
    limber_error error;
    if (!asset)
        return;
    limber_style* style = fuzz_look(bytes, &mild);
    if (limber_gltf_from_asset(asset, &gltf, &error) == LIMBER_OK) {
        use(bytes, gltf, style, mild);
        limber_gltf_destroy(gltf);
    } else
        FUZZ_CHECK(error.message[0] != 0);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}
