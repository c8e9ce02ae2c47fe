// Inside render/: what a renderer is made of. renderer.c looks after it, draw_frame.c takes the pictures.
#ifndef LIMBERI_RENDERER_H
#define LIMBERI_RENDERER_H

#include "render/gl/gl.h"
#include "render/gl/target.h"
#include "render/render.h"
#include "render/scene/geometry.h"
#include "render/scene/ink.h"
#include "render/scene/light.h"
#include "render/scene/viewpoint.h"

#include <limber/stages/smear.h>

// --- copies ---
// Inside render/: in-between copies and lines that smears add to a frame, seen through and without shadows.

typedef struct limberi_copies {
    limberi_geometry geometry;
    uint32_t mesh_count;   // what the geometry was made for
    const uint32_t* shape; // and the triangles of its first mesh
    bool visible;          // in the current frame
    float *positions, *normals, *colors;
    uint32_t* sources; // [mesh] in the model; UINT32_MAX: lines
} limberi_copies;

// Takes over a frame's meshes; uploads what does not change when they are others than before.
LIMBER_MUST_USE limber_result limberi_copies_set(limberi_copies* copies, const limberi_gl* gl,
                                                 const limber_model* model, const limber_smear_mesh* meshes,
                                                 uint32_t mesh_count, limber_error* error);
void limberi_copies_destroy(limberi_copies* copies);

// --- overlay ---
// Inside render/: triangles over the character: skeletons, arrows, paths.

typedef struct limberi_overlay {
    const limberi_gl* gl;
    limberi_program program;
    GLuint vertex_array, vertices;
    uint32_t vertex_count;
} limberi_overlay;

LIMBER_MUST_USE limber_result limberi_overlay_create(const limberi_gl* gl, limberi_overlay* overlay,
                                                     limber_error* error);
void limberi_overlay_destroy(limberi_overlay* overlay);
void limberi_overlay_set(limberi_overlay* overlay, const limberi_overlay_vertex* vertices, uint32_t count);

// Goes by the depth of what is drawn already, and forgets it.
void limberi_overlay_draw(const limberi_overlay* overlay, const limberi_view* view,
                          const limberi_projection* projection);

// --- the renderer ---

struct limberi_renderer {
    limberi_render_settings settings;
    limberi_context context;
    limberi_camera camera;
    limberi_target target;
    limberi_light light;
    limberi_program background, depth, ghost, ground, scene;
    limberi_ink ink; // nothing in it when the settings want none
    const limber_model* model;
    limberi_geometry geometry;
    limberi_copies copies;
    limberi_overlay overlay;
    const limberi_ghost* ghosts;
    uint32_t ghost_count;
    float opacity;
    float* shifts;      // [mesh of the model] of textures, along u
    float floor_height; // in the world; NAN: under everything framed
    limber_vec3 followed;
    bool through_lens; // by the two below
    limber_mat4 world_from_camera;
    limber_camera lens;
};

// The model's vertices; scenery only when there is nothing else.
void limberi_show_model(limberi_camera* camera, const limber_model* model, const float* positions);
limberi_view limberi_renderer_view(const limberi_renderer* renderer, const limberi_camera* camera);

// --- view uniforms ---
// What shaders are told about a view. As limberi_set_float and the like: of the program in use.

void limberi_set_stage(const limberi_program* program, const char* name, const limberi_stage* stage);
// A place, or the direction towards an orthographic camera, then with w 0.
void limberi_set_eye(const limberi_program* program, const char* name, const limberi_view* view);
void limberi_set_projection(const limberi_program* program, const char* name, const limberi_projection* value);

#endif
