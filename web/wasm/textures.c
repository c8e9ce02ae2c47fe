// The base color textures of a character, which motion lines take their colors from.
#include "base/error.h"
#include "pipeline/clone.h"
#include "web/wasm/web.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The nearest pixel; textures repeat.
static void read_texel(void* user, uint32_t image, float u, float v, float* rgba) {
    const web_texture* t = &((const web_texture*)user)[image];
    if (!t->pixels || !t->width || !t->height || !isfinite(u) || !isfinite(v))
        return;
    uint32_t x = (uint32_t)((u - floorf(u)) * (float)t->width);
    uint32_t y = (uint32_t)((v - floorf(v)) * (float)t->height);
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

static const uint32_t max_pixels = 16384; // a side

// Room for the pixels of a mesh's texture; pipelines that are made from now on know them. 0: not enough memory.
uint8_t* WEB_EXPORT(character_texture)(web_character* c, uint32_t mesh, uint32_t width, uint32_t height) {
    if (!c->textures && !c->bvh)
        c->textures = calloc((size_t)c->model->mesh_count + 1, sizeof *c->textures);
    bool fits = mesh < c->model->mesh_count && width <= max_pixels && height <= max_pixels; // memory has 32 bits
    uint8_t* pixels = c->textures && fits ? calloc((size_t)width * height + 1, 4) : NULL;
    if (!pixels) {
        limberi_fail_memory(&limberi_web_error);
        return NULL;
    }
    free(c->textures[mesh].pixels);
    c->textures[mesh] = (web_texture){width, height, pixels};
    return pixels;
}

void limberi_web_share_textures(const web_character* from, web_character* to) {
    for (uint32_t m = 0; from->textures && m < from->model->mesh_count; m++) {
        const web_texture* t = &from->textures[m];
        uint8_t* pixels = t->pixels ? character_texture(to, m, t->width, t->height) : NULL;
        if (pixels)
            memcpy(pixels, t->pixels, 4 * (size_t)t->width * t->height);
    }
}
