// The studio's module for .glb files: what `limber apply` does, over bytes. A file, layers and recorded clips go in; the
// file with the style baked into it comes out. Painted layers and takes are written first and the result is read again,
// so that the bake sees a character that has them.
#include "base/error.h"
#include "base/memory.h"
#include "io/gltf/document.h"
#include "io/gltf/write.h"
#include "web/wasm/gltf/load.h"
#include "web/wasm/web.h"

#include <stdlib.h>
#include <string.h>

#define IMPORT(name) __attribute__((import_module("limber"), import_name(#name))) name

void IMPORT(progress)(uint32_t done, uint32_t total);

typedef struct web_export {
    limberi_arena arena;
    limberi_web_file file;
    uint32_t layer_count, clip_count;
    limber_gltf_layer* layers;
    limber_edited_clip* clips; // takes
    limber_channel* channels;  // of the last take
    void* bytes;
    size_t byte_count;
} web_export;

void WEB_EXPORT(export_destroy)(web_export* e) {
    if (!e)
        return;
    limberi_web_file_close(&e->file);
    limberi_arena_free(&e->arena);
    free(e->bytes);
    free(e);
}

// `clip_name`: the file is BVH. At most so many layers (each on all meshes) and takes follow.
web_export* WEB_EXPORT(export_create)(const void* bytes, size_t count, const char* clip_name, uint32_t layers,
                                      uint32_t takes) {
    web_export* e = calloc(1, sizeof *e);
    limber_result result = e ? LIMBER_OK : limberi_fail_memory(&limberi_web_error);
    if (!result)
        result = limberi_web_file_open(bytes, count, clip_name, &e->file);
    if (!result) {
        uint32_t meshes = limber_asset_model(limber_gltf_asset(e->file.gltf))->mesh_count;
        e->layers = LIMBERI_ALLOCATE(&e->arena, limber_gltf_layer, (size_t)layers * meshes);
        e->clips = LIMBERI_ALLOCATE(&e->arena, limber_edited_clip, takes);
        result = e->arena.failed ? limberi_fail_memory(&limberi_web_error) : LIMBER_OK;
    }
    if (!result)
        return e;
    export_destroy(e);
    return NULL;
}

// Room for names and numbers that last as long as the export; 0: not enough memory.
void* WEB_EXPORT(export_allocate)(web_export* e, size_t bytes) {
    return limberi_arena_allocate(&e->arena, bytes, 1);
}

// --- layers ---

// The layer of a mesh, zero where nothing was written yet.
static float* layer_values(web_export* e, uint32_t mesh, const char* name) {
    for (uint32_t i = 0; i < e->layer_count; i++)
        if (e->layers[i].mesh == mesh && strcmp(e->layers[i].layer.name, name) == 0)
            return (float*)(uintptr_t)e->layers[i].layer.values;
    const limber_model* model = limber_asset_model(limber_gltf_asset(e->file.gltf));
    float* values = LIMBERI_ALLOCATE(&e->arena, float, model->meshes[mesh].vertex_count);
    if (values)
        e->layers[e->layer_count++] = (limber_gltf_layer){mesh, {name, values}};
    return values;
}

// Values of a primitive of the file, by the index of its node. Of a BVH file: of a mesh. 0: it has no such primitive, or
// other vertices.
int32_t WEB_EXPORT(export_layer)(web_export* e, const char* name, uint32_t node, uint32_t primitive, uint32_t count,
                                 const float* values) {
    const limber_model* model = limber_asset_model(limber_gltf_asset(e->file.gltf));
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        if ((e->file.bvh ? m : e->file.gltf->meshes[m].node) != node || primitive >= limberi_part_count(mesh))
            continue;
        limber_part part = limberi_part_at(mesh, primitive);
        float* out = part.vertex_count == count ? layer_values(e, m, name) : NULL;
        if (out)
            memcpy(out + part.first_vertex, values, count * sizeof *values);
        return out != NULL;
    }
    return 0;
}

// --- takes ---

int32_t WEB_EXPORT(export_take)(web_export* e, const char* name, uint32_t channels) {
    limber_clip* clip = LIMBERI_ALLOCATE(&e->arena, limber_clip, 1);
    e->channels = LIMBERI_ALLOCATE(&e->arena, limber_channel, channels);
    if (e->arena.failed)
        return 0;
    clip->name = name;
    clip->channels = e->channels;
    e->clips[e->clip_count++] = (limber_edited_clip){.index = LIMBER_NEW_CLIP, .clip = clip};
    return 1;
}

// One more channel of the last take; linear between its keys. `node`: of a BVH file, the joint. A node that moves nothing
// is left out.
void WEB_EXPORT(export_channel)(web_export* e, uint32_t node, uint32_t path, uint32_t keys, const float* times,
                                const float* values) {
    const limber_model* model = limber_asset_model(limber_gltf_asset(e->file.gltf));
    limber_clip* clip = (limber_clip*)(uintptr_t)e->clips[e->clip_count - 1].clip;
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        if ((e->file.bvh ? j : e->file.gltf->node_of_joint[j]) == node) {
            e->channels[clip->channel_count++] =
                (limber_channel){(limber_channel_path)path, LIMBER_INTERPOLATION_LINEAR, j, keys, times, values};
            return;
        }
}

// --- the file ---

static bool tell(void* user, uint32_t done, uint32_t total) {
    (void)user;
    progress(done, total);
    return true;
}

static limber_result save(web_export* e, const limber_gltf* gltf, const limber_gltf_edits* edits) {
    free(e->bytes);
    return limber_gltf_save_memory(gltf, edits, &e->bytes, &e->byte_count, &limberi_web_error);
}

// With the layers and takes, which are clips from then on.
static limber_result save_plain(web_export* e, const char* style) {
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.style = style;
    edits.layer_count = e->layer_count;
    edits.layers = e->layers;
    edits.clip_count = e->clip_count;
    edits.clips = e->clips;
    return save(e, e->file.gltf, &edits);
}

static limber_result save_baked(web_export* e, const limber_gltf* gltf, const char* style, const limber_bake* bake) {
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = bake;
    edits.style = style;
    return save(e, gltf, &edits);
}

// From indices of the file's animations to those of the character's clips.
static uint32_t find_clips(const limber_gltf* gltf, uint32_t count, const uint32_t* animations, uint32_t* clips) {
    const limber_model* model = limber_asset_model(limber_gltf_asset(gltf));
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < model->clip_count; c++)
            if (gltf->animation_of_clip[c] == animations[i])
                clips[found++] = c;
    return found;
}

static limber_result bake(web_export* e, const limber_gltf* gltf, limber_style* style,
                          const limber_bake_settings* settings) {
    limber_pipeline* pipeline = NULL;
    limber_bake* baked = NULL;
    limber_error* error = &limberi_web_error;
    limber_result result = limber_pipeline_create(limber_gltf_asset(gltf), style, &pipeline, error);
    if (!result)
        result = limber_pipeline_bake(pipeline, settings, &baked, error);
    if (!result)
        result = limber_style_set(style, "baked", "true", error);
    if (!result)
        result = save_baked(e, gltf, limber_style_text(style), baked);
    limber_bake_destroy(baked);
    limber_pipeline_destroy(pipeline);
    return result;
}

// `animations`: indices in the file, takes after them; none: nothing is baked. Returns a limber_result.
int32_t WEB_EXPORT(export_write)(web_export* e, limber_style* style, uint32_t kind, uint32_t count,
                                 const uint32_t* animations, double fps, double tolerance, uint32_t smear_meshes) {
    limber_result result = save_plain(e, limber_style_text(style));
    if (result || !count)
        return (int32_t)result;
    limber_bake_settings settings = limber_bake_settings_default();
    limber_gltf* gltf = NULL;
    uint32_t* clips = calloc(count, sizeof *clips);
    result = clips ? limberi_web_gltf_load(e->bytes, e->byte_count, &gltf) : limberi_fail_memory(&limberi_web_error);
    if (!result) {
        settings.kind = (limber_bake_kind)kind;
        settings.clips = clips;
        settings.clip_count = find_clips(gltf, count, animations, clips);
        settings.fps = fps;
        settings.tolerance = tolerance;
        settings.shares = !limber_gltf_has_other_meshes(gltf);
        settings.smear_meshes = (limber_bake_smear_meshes)smear_meshes;
        settings.max_bytes = UINT32_MAX; // of a .glb
        settings.progress = tell;
        result = bake(e, gltf, style, &settings);
    }
    limber_gltf_destroy(gltf);
    free(clips);
    return (int32_t)result;
}

const void* WEB_EXPORT(export_bytes)(const web_export* e) {
    return e->bytes;
}

size_t WEB_EXPORT(export_size)(const web_export* e) {
    return e->byte_count;
}
