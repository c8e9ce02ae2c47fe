// Characters deformed by the graphics card: shaders/limber_deform.glsl, run by transform feedback or a compute shader
// and read back, or drawn straight away. One character, or a crowd that shares its vertices.
//
//     limberi_gpu* gpu;
//     if (limberi_gpu_create(&gpu, &error) != LIMBER_OK) ...                    // no EGL: says which packages
//     limberi_gpu_character* character;
//     if (limberi_gpu_character_create(gpu, pipeline, NULL, &character, &error) != LIMBER_OK) ...
//     if (limber_pipeline_evaluate_joints(pipeline, clip, time_s) != LIMBER_OK) ...        // joints on the CPU
//     if (limberi_gpu_character_pose(character, 0, &error) != LIMBER_OK) ...    // into the texture
//     if (limberi_gpu_character_run(character, LIMBERI_GPU_FEEDBACK, &error) != LIMBER_OK) ... // vertices on the GPU
//     if (limberi_gpu_character_read(character, 0, positions, normals, &error) != LIMBER_OK) ...
#ifndef LIMBERI_DEFORM_GPU_H
#define LIMBERI_DEFORM_GPU_H

#include "render/gl/deform_program.h"

// A context without a window and the programs that styles asked for so far.
typedef struct limberi_gpu limberi_gpu;

LIMBER_MUST_USE limber_result limberi_gpu_create(limberi_gpu** gpu, limber_error* error);
void limberi_gpu_destroy(limberi_gpu* gpu);
// The driver's own words.
const char* limberi_gpu_device(const limberi_gpu* gpu);
const limberi_context* limberi_gpu_context(const limberi_gpu* gpu);
// Whether the driver has what that way needs.
bool limberi_gpu_can(const limberi_gpu* gpu, limberi_gpu_path path);

typedef struct limberi_gpu_settings {
    uint32_t instances;   // characters of the crowd
    bool dynamic;         // one program for all styles (LIMBER_DYNAMIC)
    bool skinned_normals; // normals do not follow the effects
    uint32_t portion;     // characters that are computed at once; 0: as many as is good
} limberi_gpu_settings;

// One pipeline's character and style. The pipeline must outlive it, the gpu too.
typedef struct limberi_gpu_character limberi_gpu_character;

// `settings` NULL: one character with a separate program. LIMBER_ERROR_UNSUPPORTED where the shader cannot do what the
// style or the character asks for; the message says what.
LIMBER_MUST_USE limber_result limberi_gpu_character_create(limberi_gpu* gpu, limber_pipeline* pipeline,
                                                           const limberi_gpu_settings* settings,
                                                           limberi_gpu_character** character, limber_error* error);
void limberi_gpu_character_destroy(limberi_gpu_character* character);

// The pose the pipeline was last asked for becomes that of one character of the crowd; smears are not part of it.
LIMBER_MUST_USE limber_result limberi_gpu_character_pose(limberi_gpu_character* character, uint32_t instance,
                                                         limber_error* error);
// For crowds whose texels come from elsewhere (limber/crowd.h): where those of a character go, 4 * max_texels floats. One
// pose must have been given before, for what all of them share.
float* limberi_gpu_character_room(limberi_gpu_character* character, uint32_t instance);
// Those of all instances, one after the other, in memory that the card reads itself: only for writing, by any threads,
// before the next run, and all that run must be written. NULL: the driver lends none.
float* limberi_gpu_character_lend(limberi_gpu_character* character);
// How many of the instances run from now on; all of them at first.
void limberi_gpu_character_use(limberi_gpu_character* character, uint32_t instances);
// Where drawing puts that character: xyz, and a turn about y (rad).
void limberi_gpu_character_place(limberi_gpu_character* character, uint32_t instance, const float place[4]);

// Uploads what poses and places have changed, then deforms every vertex. Drawing goes to the framebuffer that is bound,
// with limberi_gpu_character_camera. LIMBERI_GPU_REDRAW draws what LIMBERI_GPU_COMPUTE left.
LIMBER_MUST_USE limber_result limberi_gpu_character_run(limberi_gpu_character* character, limberi_gpu_path path,
                                                        limber_error* error);

typedef struct limberi_gpu_camera {
    float clip_from_world[16]; // column-major
    float eye[3];
    float haze[3], haze_per_distance; // linear
} limberi_gpu_camera;

void limberi_gpu_character_camera(limberi_gpu_character* character, const limberi_gpu_camera* camera);

// What feedback or compute left. World space, 3 floats per vertex, all meshes after each other; normals as the style
// says by compute, else by the Jacobian; NULL: not wanted.
LIMBER_MUST_USE limber_result limberi_gpu_character_read(limberi_gpu_character* character, uint32_t instance,
                                                         float* positions, float* normals, limber_error* error);

// Bytes per vertex: positions, normals, joints and weights of plain skinning, and with what the effects need.
typedef struct limberi_gpu_memory {
    size_t plain, all;
} limberi_gpu_memory;

limberi_gpu_memory limberi_gpu_character_bytes(const limberi_gpu_character* character);
// Texels that the pose packed last has, 16 bytes each.
uint32_t limberi_gpu_character_texels(const limberi_gpu_character* character);

#endif
