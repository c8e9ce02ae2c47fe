// What a GPU needs for live smears: two textures of floats and the formulas as text. The GPU keeps the vertices of the
// last frames, in places that the CPU counts (limberi_smear_live_place). web/limber/shaders/smear.glsl reads all this and
// describes the layout.
#ifndef LIMBERI_SMEAR_PACK_H
#define LIMBERI_SMEAR_PACK_H

#include <limber/asset.h>
#include <limber/stages/smear_live.h>

// Frame -k: `share` of the way from one place to another.
typedef struct limberi_smear_mix {
    uint32_t from, to;
    float share;
} limberi_smear_mix;

// A limber_smear_live that keeps bones and no vertices. Push with NULL for both arrays; it cannot be evaluated.
LIMBER_MUST_USE limber_result limberi_smear_live_create_for_gpu(const limber_asset* asset,
                                                                const limber_smear_settings* settings,
                                                                const limber_smear_live_settings* chosen,
                                                                limber_smear_live** live, limber_error* error);
const limber_smearer* limberi_smear_live_smearer(const limber_smear_live* live);
uint32_t limberi_smear_live_capacity(const limber_smear_live* live); // places
uint32_t limberi_smear_live_history(const limber_smear_live* live);
uint32_t limberi_smear_live_place(const limber_smear_live* live); // where the vertices of the newest push go
// Fills `mixes` for frames 0 to -n, at most the history, and returns n.
uint32_t limberi_smear_live_look(limber_smear_live* live, limberi_smear_mix* mixes, double* time_s, double* frame);
// After a look: the bones of frame -k.
const limber_smear_bone* limberi_smear_live_bones(limber_smear_live* live, uint32_t k);

typedef struct limberi_smear_pack limberi_smear_pack;

// Numbers of texels, 4 floats each, and of what is drawn.
typedef struct limberi_smear_pack_layout {
    uint32_t fixed_texels, frame_texels;
    uint32_t places, place_texels;  // of vertices: position and normal each, in rows of 1024
    uint32_t chunks, joints, steps; // measured: chunks and joints for each of the steps
    uint32_t copies, lines;
} limberi_smear_pack_layout;

// LIMBER_ERROR_UNSUPPORTED, with the reason, where the CPU has to smear.
LIMBER_MUST_USE limber_result limberi_smear_pack_create(limber_smear_live* live, limberi_smear_pack** pack,
                                                        limber_error* error);
void limberi_smear_pack_destroy(limberi_smear_pack* pack);
limberi_smear_pack_layout limberi_smear_pack_get_layout(const limberi_smear_pack* pack);
// One block per formula: its name, then the lines of text/expression_code.h.
const char* limberi_smear_pack_formulas(const limberi_smear_pack* pack);
const float* limberi_smear_pack_fixed(const limberi_smear_pack* pack);
// The frame after the last push.
const float* limberi_smear_pack_frame(limberi_smear_pack* pack);

#endif
