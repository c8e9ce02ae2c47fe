// Inside render/: what a renderer is made of. renderer.c looks after it, draw_frame.c takes the pictures.
#ifndef LIMBERI_RENDERER_H
#define LIMBERI_RENDERER_H

#include "render/gl/context.h"
#include "render/gl/shader_program.h"
#include "render/gl/target.h"
#include "render/render.h"
#include "render/scene/copies.h"
#include "render/scene/geometry.h"
#include "render/scene/ink.h"
#include "render/scene/light.h"
#include "render/scene/overlay.h"
#include "render/scene/viewpoint.h"

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

#endif
