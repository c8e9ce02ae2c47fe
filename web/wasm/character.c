// What a character consists of, and layers that paint themselves.
#include "base/error.h"
#include "pipeline/style_change.h"
#include "web/wasm/web.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const limber_asset* limberi_web_asset(const web_character* c) {
    return c->bvh ? limber_bvh_asset(c->bvh) : c->asset;
}

web_character* WEB_EXPORT(character_from_bvh)(const void* bytes, size_t count, const char* clip_name) {
    web_character* c = calloc(1, sizeof *c);
    if (!c) {
        limberi_fail(&limberi_web_error, LIMBER_ERROR_MEMORY, "not enough memory for the character");
        return NULL;
    }
    if (limber_bvh_load_memory(bytes, count, clip_name, NULL, &c->bvh, &limberi_web_error) != LIMBER_OK) {
        free(c);
        return NULL;
    }
    c->model = limber_asset_model(limber_bvh_asset(c->bvh));
    return c;
}

// --- textures ---

// The nearest pixel; textures repeat.
static void read_texel(void* user, uint32_t image, float u, float v, float* rgba) {
    const web_texture* t = &((const web_texture*)user)[image];
    if (!t->pixels || !t->width || !t->height || !isfinite(u) || !isfinite(v))
        return;
    uint32_t x = (uint32_t)((u - floorf(u)) * (float)t->width), y = (uint32_t)((v - floorf(v)) * (float)t->height);
    x = x < t->width ? x : t->width - 1;
    y = y < t->height ? y : t->height - 1;
    const uint8_t* pixel = t->pixels + 4 * ((size_t)y * t->width + x);
    for (int c = 0; c < 3; c++) {
        float s = (float)pixel[c] / 255;
        rgba[c] = s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
    }
    rgba[3] = (float)pixel[3] / 255;
}

void limberi_web_color_lines(const web_character* c, limber_pipeline* pipeline) {
    limber_texel_reader reader = {read_texel, c->textures};
    if (c->textures)
        limberi_pipeline_read_texels(pipeline, &reader);
}

static void drop_textures(web_character* c) {
    for (uint32_t m = 0; c->textures && m < c->model->mesh_count; m++)
        free(c->textures[m].pixels);
    free(c->textures);
}

static const uint32_t most_pixels = 16384; // a side

// Room for the pixels of a mesh's texture; pipelines that are made from now on know them. 0: not enough memory.
uint8_t* WEB_EXPORT(character_texture)(web_character* c, uint32_t mesh, uint32_t width, uint32_t height) {
    if (!c->textures && !c->bvh)
        c->textures = calloc((size_t)c->model->mesh_count + 1, sizeof *c->textures);
    bool fits = mesh < c->model->mesh_count && width <= most_pixels && height <= most_pixels; // memory has 32 bits
    uint8_t* pixels = c->textures && fits ? calloc((size_t)width * height + 1, 4) : NULL;
    if (!pixels) {
        limberi_fail(&limberi_web_error, LIMBER_ERROR_MEMORY, "not enough memory for the texture of mesh %u", mesh);
        return NULL;
    }
    free(c->textures[mesh].pixels);
    c->textures[mesh] = (web_texture){width, height, pixels};
    return pixels;
}

// What cannot be had for want of memory is left out: then lines have the color of the material.
static void share_textures(const web_character* from, web_character* to) {
    for (uint32_t m = 0; from->textures && m < from->model->mesh_count; m++) {
        const web_texture* t = &from->textures[m];
        uint8_t* pixels = t->pixels ? character_texture(to, m, t->width, t->height) : NULL;
        if (pixels)
            memcpy(pixels, t->pixels, 4 * (size_t)t->width * t->height);
    }
}

// The character with finer meshes where the style's elongation tears them; 0 without an error: nothing does.
web_character* WEB_EXPORT(character_refine)(const web_character* from, const limber_style* style, double fps) {
    limber_pipeline* pipeline = NULL;
    web_character* c = calloc(1, sizeof *c);
    limber_bake_settings frames = limber_bake_settings_default();
    frames.fps = fps;
    memset(&limberi_web_error, 0, sizeof limberi_web_error);
    limber_result result = c ? limber_pipeline_create(limberi_web_asset(from), style, &pipeline, &limberi_web_error)
                             : limberi_fail(&limberi_web_error, LIMBER_ERROR_MEMORY, "not enough memory");
    if (!result)
        result = limber_pipeline_subdivide(pipeline, &frames, &c->asset, &limberi_web_error);
    limber_pipeline_destroy(pipeline);
    if (result || !c->asset) {
        free(c);
        return NULL;
    }
    c->model = limber_asset_model(c->asset);
    share_textures(from, c);
    return c;
}

void WEB_EXPORT(character_destroy)(web_character* c) {
    if (!c)
        return;
    drop_textures(c);
    limber_asset_destroy(c->asset);
    limber_bvh_destroy(c->bvh);
    free(c);
}

enum { COUNT_JOINTS, COUNT_SKINS, COUNT_MESHES, COUNT_CLIPS, COUNT_VERTICES, COUNT_MORPHS, COUNT_CAMERAS };

uint32_t WEB_EXPORT(character_count)(const web_character* c, uint32_t which) {
    const limber_model* m = c->model;
    const uint32_t counts[] = {m->rig.joint_count, m->skin_count,  m->mesh_count,  m->clip_count,
                               m->vertex_count,    m->morph_count, m->camera_count};
    return which <= COUNT_CAMERAS ? counts[which] : 0;
}

float WEB_EXPORT(character_size)(const web_character* c) {
    return c->model->size;
}

// The names of what character_count counts: joints, skins, meshes, clips; cameras.
const char* WEB_EXPORT(character_name)(const web_character* c, uint32_t which, uint32_t i) {
    const limber_model* m = c->model;
    return which == COUNT_JOINTS    ? m->rig.names[i]
           : which == COUNT_SKINS   ? m->skins[i].name
           : which == COUNT_MESHES  ? m->meshes[i].name
           : which == COUNT_CLIPS   ? m->clips[i].name
           : which == COUNT_CAMERAS ? m->cameras[i].name
                                    : NULL;
}

const void* WEB_EXPORT(character_rig)(const web_character* c, uint32_t which) {
    const limber_rig* rig = &c->model->rig;
    const void* const arrays[] = {rig->parents,  rig->rest_local,  rig->world_from_joint_rest,
                                  rig->centroid, rig->medial_axis, rig->bone_direction};
    return which < 6 ? arrays[which] : NULL;
}

void WEB_EXPORT(character_rest)(const web_character* c, float* out) {
    for (uint32_t m = 0; m < c->model->mesh_count; m++)
        limber_mesh_rest_positions(c->model, &c->model->meshes[m], out + 3 * (size_t)c->model->meshes[m].first_vertex);
}

uint32_t WEB_EXPORT(skin_joint_count)(const web_character* c, uint32_t skin) {
    return c->model->skins[skin].joint_count;
}

const void* WEB_EXPORT(skin_array)(const web_character* c, uint32_t skin, uint32_t which) {
    return which == 0 ? (const void*)c->model->skins[skin].joints : c->model->skins[skin].joint_from_mesh;
}

uint32_t WEB_EXPORT(mesh_number)(const web_character* c, uint32_t mesh, uint32_t which) {
    const limber_mesh* m = &c->model->meshes[mesh];
    const uint32_t numbers[] = {
        m->skin,        m->vertex_count, m->triangle_count, m->morph_count,
        m->layer_count, m->first_vertex, m->first_morph,    m->influence_first[m->vertex_count]};
    return which < 8 ? numbers[which] : 0;
}

const void* WEB_EXPORT(mesh_array)(const web_character* c, uint32_t mesh, uint32_t which) {
    const limber_mesh* m = &c->model->meshes[mesh];
    const void* const arrays[] = {m->positions,       m->normals,          m->uvs,
                                  m->colors,          m->triangles,        m->influence_first,
                                  m->influence_joint, m->influence_weight, m->morph_defaults};
    return which < 9 ? arrays[which] : NULL;
}

const char* WEB_EXPORT(layer_name)(const web_character* c, uint32_t mesh, uint32_t layer) {
    return c->model->meshes[mesh].layers[layer].name;
}

// Its values, one per vertex. Who changes them tells every pipeline of the character (pipeline_repaint).
float* WEB_EXPORT(layer_values)(web_character* c, uint32_t mesh, uint32_t layer) {
    return (float*)c->model->meshes[mesh].layers[layer].values; // the asset is ours
}

enum { PAINT_THICKNESS, PAINT_HEIGHT, PAINT_JOINT, PAINT_FORMULA, PAINT_GIVEN, PAINT_SKIRT };

static limber_result paint_formula(const limber_model* model, const char* formula, float* values) {
    limber_expression* expression;
    limber_expression_scope scope = limber_layer_scope();
    limber_result result = limber_expression_create(formula, &scope, &expression, &limberi_web_error);
    if (result)
        return result;
    result = limber_layer_evaluate(model, expression, values, &limberi_web_error);
    limber_expression_destroy(expression);
    return result;
}

// Fills a value per vertex of all meshes, then smooths.
int32_t WEB_EXPORT(layer_paint)(const web_character* c, uint32_t kind, uint32_t joint, const char* formula,
                                uint32_t passes, float* values) {
    limber_result result = LIMBER_OK;
    bool found; // without a skirt all values are 0
    if (kind == PAINT_THICKNESS)
        result = limber_layer_thickness(c->model, values, &limberi_web_error);
    else if (kind == PAINT_HEIGHT)
        result = limber_layer_height(c->model, values, &limberi_web_error);
    else if (kind == PAINT_SKIRT)
        result = limber_layer_skirt(c->model, values, &found, &limberi_web_error);
    else if (kind == PAINT_JOINT && joint >= c->model->rig.joint_count)
        result = limberi_fail(&limberi_web_error, LIMBER_ERROR_ARGUMENT, "joint %u does not exist", joint);
    else if (kind == PAINT_JOINT)
        result = limber_layer_joint_distance(c->model, joint, values, &limberi_web_error);
    else if (kind == PAINT_FORMULA)
        result = paint_formula(c->model, formula, values);
    if (!result && passes)
        result = limber_layer_smooth(c->model, passes, values, &limberi_web_error);
    return (int32_t)result;
}
