// Shared by deform_gpu.c and deform_buffers.c.
#ifndef LIMBERI_DEFORM_GPU_PRIVATE_H
#define LIMBERI_DEFORM_GPU_PRIVATE_H

#include "render/gl/deform_gpu.h"
#include <GLES3/gl31.h>

struct limberi_gpu {
    limberi_context context;
    limberi_deform_program* programs;
    GLuint frame, pixel;               // draw calls need somewhere to draw to, even when nothing is drawn
    PFNGLDISPATCHCOMPUTEPROC dispatch; // NULL: no compute shaders
    PFNGLMEMORYBARRIERPROC barrier;
    bool redraws;           // vertex shaders can read buffers
    uint32_t shared_texels; // that a compute shader copies for each of its groups
};

struct limberi_gpu_character {
    limberi_gpu* gpu;
    limber_pipeline* pipeline;
    limberi_gpu_settings settings;
    const limber_model* model;
    limber_pack* pack;
    limber_pack_layout layout;
    GLuint vertex_array, texture, obeyed;      // the last two are textures; 0: no colliders
    GLuint surface, joints, columns, deformed; // buffers; the last is made when something is to be read back
    GLuint surfaces, rings;                    // for averaged normals, likewise
    GLuint triangles, places, colors;          // for drawing
    limberi_gpu_camera camera;
    GLuint lent;       // buffer of texels that programs write themselves
    bool is_lent;      // until the next run
    float* texels;     // [instance][max_texels][4]
    float* place_list; // [instance][4]
    float* vertices;   // [vertex][6] positions and normals, mesh space
    int16_t* column_values;
    bool columns_ready, posed, placed; // columns, texels, places as they are on the card
    uint32_t texel_count;
    uint32_t used;    // instances that run
    uint32_t portion; // of them at a time, for the compute shader
    bool averaged;    // normals of the compute shader
};

// What a character has on the card, by deform_buffers.c. The context must be current.
LIMBER_MUST_USE limber_result limberi_gpu_make_vertices(limberi_gpu_character* character, limber_error* error);
LIMBER_MUST_USE limber_result limberi_gpu_make_texture(limberi_gpu_character* character, limber_error* error);
LIMBER_MUST_USE limber_result limberi_gpu_make_obeyed(limberi_gpu_character* character, limber_error* error);
// These are made when something is drawn or read back for the first time.
LIMBER_MUST_USE limber_result limberi_gpu_make_drawing(limberi_gpu_character* character, limber_error* error);
LIMBER_MUST_USE limber_result limberi_gpu_make_deformed(limberi_gpu_character* character, limber_error* error);
LIMBER_MUST_USE limber_result limberi_gpu_make_averaging(limberi_gpu_character* character, limber_error* error);
void limberi_gpu_delete_buffers(limberi_gpu_character* character);
size_t limberi_gpu_texture_height(const limberi_gpu_character* character); // rows of LIMBER_PACK_WIDTH texels

// Positions and normals of one mesh go into `vertices`; those of meshes with morph targets to the card.
void limberi_gpu_write_surface(const limberi_gpu_character* character, const limber_mesh* mesh);
void limberi_gpu_upload_surface(const limberi_gpu_character* character);
// NULL: the columns on the card are up to date.
int16_t* limberi_gpu_wanted_columns(const limberi_gpu_character* character);
void limberi_gpu_upload_columns(limberi_gpu_character* character);
void limberi_gpu_upload_texels(limberi_gpu_character* character);

#endif
