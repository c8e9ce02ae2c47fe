// Characters deformed by the graphics card: shaders/limber_deform.glsl, run by transform feedback and read back.
//
//     limberi_gpu* gpu;
//     if (limberi_gpu_create(&gpu, &error) != LIMBER_OK) ...                   // no EGL: says which packages
//     limberi_gpu_character* character;
//     if (limberi_gpu_character_create(gpu, pipeline, &character, &error) != LIMBER_OK) ...
//     if (limber_pipeline_pose(pipeline, clip, time_s) != LIMBER_OK) ...        // joints on the CPU
//     if (limberi_gpu_character_run(character, &error) != LIMBER_OK) ...        // vertices on the GPU
//     if (limberi_gpu_character_read(character, positions, normals, &error) != LIMBER_OK) ...
#ifndef LIMBERI_DEFORM_GPU_H
#define LIMBERI_DEFORM_GPU_H

#include "render/deform_pack.h"

// A context without a window and the programs that styles asked for so far.
typedef struct limberi_gpu limberi_gpu;

LIMBER_MUST_USE limber_result limberi_gpu_create(limberi_gpu** gpu, limber_error* error);
void limberi_gpu_destroy(limberi_gpu* gpu);
// The driver's own words.
const char* limberi_gpu_device(const limberi_gpu* gpu);

// One pipeline's character and style. The pipeline must outlive it, the gpu too.
typedef struct limberi_gpu_character limberi_gpu_character;

// LIMBER_ERROR_UNSUPPORTED where the shader cannot do what the style or the character asks for; the message says what.
// Normals follow the effects when the pipeline is to make normals (limber_pipeline_outputs), else only the skin.
LIMBER_MUST_USE limber_result limberi_gpu_character_create(limberi_gpu* gpu, limber_pipeline* pipeline,
                                                           limberi_gpu_character** character, limber_error* error);
void limberi_gpu_character_destroy(limberi_gpu_character* character);

// Uploads the pose the pipeline was last asked for and deforms every vertex; smears are not part of it.
LIMBER_MUST_USE limber_result limberi_gpu_character_run(limberi_gpu_character* character, limber_error* error);

// World space, 3 floats per vertex, all meshes after each other; normals by the Jacobian, NULL: not wanted.
LIMBER_MUST_USE limber_result limberi_gpu_character_read(limberi_gpu_character* character, float* positions,
                                                         float* normals, limber_error* error);

limberi_pack_memory limberi_gpu_character_bytes(const limberi_gpu_character* character);
// Texels that the last frame had, 16 bytes each.
uint32_t limberi_gpu_character_texels(const limberi_gpu_character* character);

#endif
