// Characters from files and from other characters, and their textures.
#include "base/error.h"
#include "pipeline/style_change.h"
#include "web/wasm/web.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void limberi_web_drop_textures(web_character* c) {
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

// --- refined ---

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
