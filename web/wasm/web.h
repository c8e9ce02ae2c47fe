// What the browser calls: pointers and numbers only. Every function is exported under its own name;
// web/limber/src/wasm.ts has the other side. Functions that can fail return 0 (or a limber_result) and leave the reason
// in limberi_web_error.
#ifndef LIMBERI_WEB_H
#define LIMBERI_WEB_H

#include "pipeline/state.h"
#include <limber/bvh.h>
#include <limber/limber.h>
#include <limber/pack.h>
#include <limber/stages/stages.h>

#define WEB_EXPORT(name) __attribute__((export_name(#name))) name

extern limber_error limberi_web_error;
// For results that come without a message.
limber_result limberi_web_fail(limber_result result);

// The base color texture of a mesh, for motion lines: sRGB, 4 bytes per pixel, top row first.
typedef struct web_texture {
    uint32_t width, height;
    uint8_t* pixels; // NULL: none
} web_texture;

// A character that was built from arrays, or read from a BVH file.
typedef struct web_character {
    limber_asset* asset; // NULL: the file's
    limber_bvh* bvh;
    const limber_model* model;
    web_texture* textures; // [mesh]; NULL: none has one
} web_character;

typedef struct web_pipeline {
    const web_character* character;
    limber_pipeline* pipeline;
    struct web_live* lives;  // the first of a list
    limber_smeared shown;    // what was evaluated last
    limber_pack* pack;       // NULL: not asked for
    limber_colliders* found; // those that "auto" finds, where the style has none; NULL: not asked for
    float* texels;
    int16_t* columns;
    bool columns_ready;
} web_pipeline;

// A stream of poses, and the place where the caller writes the next one.
typedef struct web_live {
    struct web_live *before, *after;
    web_pipeline* owner;
    limber_live* live;
    limber_transform* local; // [joint]
    float* morph_weights;    // [morph]
    bool has_ground;
    float ground; // its height
} web_live;

const limber_asset* limberi_web_asset(const web_character* character);
// Lines of the pipeline take their colors from the textures of its character.
void limberi_web_color_lines(const web_character* character, limber_pipeline* pipeline);
void limberi_web_drop_textures(web_character* character);
// Textures for which memory is missing are left out: then lines have the color of the material.
void limberi_web_share_textures(const web_character* from, web_character* to);
void limberi_web_drop_pack(web_pipeline* pipeline);
void limberi_web_free_live(web_live* live);

#endif
