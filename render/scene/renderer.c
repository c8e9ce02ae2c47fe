// What a renderer is made of.
#include "render/scene/renderer.h"
#include "base/error.h"
#include "base/math.h"
#include "render/shaders.h"

#include <stdlib.h>
#include <string.h>

limberi_render_settings limberi_render_settings_default(void) {
    limberi_render_settings settings = {.width = 960,
                                        .height = 720,
                                        .yaw_deg = 32.0f,
                                        .pitch_deg = 12.0f,
                                        .field_of_view_deg = 26.0f,
                                        .margin = 0.1f,
                                        .ground = true,
                                        .background_top = {0.80f, 0.86f, 0.92f},
                                        .background_bottom = {0.93f, 0.93f, 0.91f}};
    return settings;
}

static limber_result check_settings(const limberi_render_settings* s, limber_error* error) {
    if (s->width == 0 || s->height == 0)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a picture of %u x %u pixels is empty", s->width, s->height);
    if (s->width > LIMBERI_RENDER_SIDE_LIMIT || s->height > LIMBERI_RENDER_SIDE_LIMIT)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "a picture of %u x %u pixels is too large (max %u per side)",
                            s->width, s->height, LIMBERI_RENDER_SIDE_LIMIT);
    if (s->supersample > LIMBERI_RENDER_SUPERSAMPLE_LIMIT)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "supersampling must be 0 ... %u",
                            LIMBERI_RENDER_SUPERSAMPLE_LIMIT);
    if (!isfinite(s->yaw_deg) || !(fabsf(s->pitch_deg) <= 90.0f))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the camera's pitch must be -90 ... 90 degrees");
    if (!(s->field_of_view_deg >= 1.0f && s->field_of_view_deg <= 120.0f))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the field of view must be 1 ... 120 degrees");
    if (!(s->margin >= 0.0f && s->margin <= 0.9f))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the margin must be 0 ... 0.9");
    if (!(s->ink >= 0.0f && s->ink <= LIMBERI_RENDER_INK_LIMIT))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "ink must be 0 ... %g pixels wide",
                            (double)LIMBERI_RENDER_INK_LIMIT);
    return LIMBER_OK;
}

static limber_result create_programs(limberi_renderer* r, limber_error* error) {
    const limberi_gl* gl = &r->context.gl;
    limber_result result = limberi_program_create(gl, "background", limberi_shader_fullscreen_vert, NULL,
                                                  limberi_shader_background_frag, &r->background, error);
    if (result == LIMBER_OK)
        result = limberi_program_create(gl, "ground", limberi_shader_ground_vert, limberi_shader_shadow_glsl,
                                        limberi_shader_ground_frag, &r->ground, error);
    if (result == LIMBER_OK)
        result = limberi_program_create(gl, "depth", limberi_shader_depth_vert, NULL, limberi_shader_depth_frag,
                                        &r->depth, error);
    if (result == LIMBER_OK)
        result = limberi_program_create(gl, "ghost", limberi_shader_scene_vert, NULL, limberi_shader_ghost_frag,
                                        &r->ghost, error);
    if (result == LIMBER_OK)
        result = limberi_program_create(gl, "scene", limberi_shader_scene_vert, limberi_shader_shadow_glsl,
                                        limberi_shader_scene_frag, &r->scene, error);
    return result;
}

float limberi_render_ink_width(uint32_t width, uint32_t height) {
    float shorter = (float)(width < height ? width : height);
    return fminf(fmaxf(shorter / 280.0f, 1.4f), LIMBERI_RENDER_INK_LIMIT);
}

static float radians(float degrees) {
    return degrees * (float)(LIMBERI_PI / 180.0);
}

static uint32_t drawing_scale(const limberi_render_settings* s) {
    const uint64_t large = 2500000; // pixels; above it single pixels hardly show
    if (s->supersample > 0)
        return s->supersample;
    return (uint64_t)s->width * s->height > large ? 1 : 2;
}

static limber_result create_parts(limberi_renderer* r, limber_error* error) {
    const limberi_render_settings* s = &r->settings;
    limberi_camera_init(&r->camera, radians(s->yaw_deg), radians(s->pitch_deg), radians(s->field_of_view_deg),
                        (float)s->width / (float)s->height, s->margin);
    limber_result result = limberi_context_create(&r->context, error);
    if (result == LIMBER_OK)
        result = limberi_target_create(&r->context.gl, s->width, s->height, drawing_scale(s), &r->target, error);
    if (result == LIMBER_OK)
        result = limberi_light_create(&r->context.gl, &r->light, error);
    if (result == LIMBER_OK)
        result = limberi_overlay_create(&r->context.gl, &r->overlay, error);
    if (result == LIMBER_OK && s->ink > 0.0f)
        result = limberi_ink_create(&r->context.gl, &r->target, s->ink, &r->ink, error);
    return result == LIMBER_OK ? create_programs(r, error) : result;
}

limber_result limberi_renderer_create(const limberi_render_settings* settings, limberi_renderer** renderer,
                                      limber_error* error) {
    *renderer = NULL;
    limber_result result = check_settings(settings, error);
    if (result != LIMBER_OK)
        return result;
    limberi_renderer* r = calloc(1, sizeof *r);
    if (!r)
        return limberi_fail_memory(error);
    r->settings = *settings;
    r->opacity = 1.0f;
    result = create_parts(r, error);
    if (result == LIMBER_OK)
        *renderer = r;
    else
        limberi_renderer_destroy(r);
    return result;
}

void limberi_renderer_destroy(limberi_renderer* r) {
    if (!r)
        return;
    if (r->context.context != EGL_NO_CONTEXT && limberi_context_use(&r->context, NULL) == LIMBER_OK) {
        limberi_geometry_destroy(&r->geometry);
        limberi_copies_destroy(&r->copies);
        limberi_overlay_destroy(&r->overlay);
        limberi_ink_destroy(&r->ink);
        limberi_program_destroy(&r->background);
        limberi_program_destroy(&r->depth);
        limberi_program_destroy(&r->ghost);
        limberi_program_destroy(&r->ground);
        limberi_program_destroy(&r->scene);
        limberi_light_destroy(&r->light);
        limberi_target_destroy(&r->target);
    }
    free(r->shifts);
    limberi_context_destroy(&r->context);
    free(r);
}

const char* limberi_renderer_device(const limberi_renderer* r) {
    return limberi_context_use(&r->context, NULL) == LIMBER_OK ? limberi_context_device(&r->context) : "unknown";
}

limber_result limberi_renderer_load(limberi_renderer* r, const limber_model* model, limber_error* error) {
    limber_result result = limberi_context_use(&r->context, error);
    if (result != LIMBER_OK)
        return result;
    limberi_geometry_destroy(&r->geometry);
    limberi_copies_destroy(&r->copies);
    limberi_camera_reset(&r->camera);
    limberi_renderer_look(r, NULL, NULL);
    limberi_renderer_ghosts(r, NULL, 0);
    limberi_renderer_fade(r, 1.0f);
    free(r->shifts);
    r->shifts = NULL;
    r->overlay.vertex_count = 0;
    r->floor_height = NAN;
    r->followed = limberi_vec3(0, 0, 0);
    r->model = NULL;
    result = limberi_geometry_create(&r->context.gl, model, &r->geometry, error);
    if (result == LIMBER_OK)
        r->model = model;
    else
        limberi_geometry_destroy(&r->geometry);
    return result;
}

const char* limberi_renderer_warning(const limberi_renderer* r) {
    return r->geometry.textures.warning[0] ? r->geometry.textures.warning : NULL;
}

void limberi_show_model(limberi_camera* camera, const limber_model* model, const float* positions) {
    bool everything = true;
    for (uint32_t i = 0; i < model->mesh_count; i++)
        everything = everything && model->meshes[i].scenery;
    size_t first = 0;
    for (uint32_t i = 0; i < model->mesh_count; i++) {
        const limber_mesh* mesh = &model->meshes[i];
        if (everything || !mesh->scenery)
            limberi_camera_show(camera, positions + 3 * first, mesh->vertex_count);
        first += mesh->vertex_count;
    }
}

// What was framed is kept where the camera started.
static void set_out(limberi_renderer* r) {
    r->camera = limberi_camera_moved(&r->camera, r->followed);
}

static void come_back(limberi_renderer* r) {
    r->camera = limberi_camera_moved(&r->camera, limberi_scale(r->followed, -1.0f));
}

void limberi_renderer_frame(limberi_renderer* r, const float* positions) {
    if (!r->model)
        return;
    set_out(r);
    limberi_show_model(&r->camera, r->model, positions);
    come_back(r);
}

void limberi_renderer_frame_box(limberi_renderer* r, limber_vec3 min, limber_vec3 max) {
    set_out(r);
    for (int i = 0; i < 8; i++) {
        const float corner[3] = {i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z};
        limberi_camera_show(&r->camera, corner, 1);
    }
    come_back(r);
}

void limberi_renderer_frame_points(limberi_renderer* r, const float* positions, size_t count) {
    set_out(r);
    limberi_camera_show(&r->camera, positions, count);
    come_back(r);
}

void limberi_renderer_follow(limberi_renderer* r, limber_vec3 offset) {
    r->followed = offset;
}

void limberi_renderer_ground(limberi_renderer* r, float height) {
    r->floor_height = height;
}

void limberi_renderer_frame_reset(limberi_renderer* r) {
    limberi_camera_reset(&r->camera);
}

void limberi_renderer_look(limberi_renderer* r, const limber_mat4* world_from_camera, const limber_camera* lens) {
    r->through_lens = world_from_camera && lens;
    if (!r->through_lens)
        return;
    r->world_from_camera = *world_from_camera;
    r->lens = *lens;
}

limberi_view limberi_renderer_view(const limberi_renderer* r, const limberi_camera* camera) {
    float size = r->model ? r->model->size : 0.0f;
    float aspect = (float)r->settings.width / (float)r->settings.height;
    limberi_camera moved = limberi_camera_moved(camera, r->followed);
    if (r->through_lens)
        return limberi_camera_through(&moved, size, aspect, &r->world_from_camera, &r->lens);
    return limberi_camera_view(&moved, size);
}

void limberi_renderer_project(const limberi_renderer* r, limber_vec3 point, float* x, float* y) {
    limberi_view view = limberi_renderer_view(r, &r->camera);
    limberi_projection projection = limberi_view_projection(&view);
    float clip[4];
    limberi_project(&projection, limberi_stage_point(&view.stage, point), clip);
    float w = fabsf(clip[3]) > 1e-20f ? clip[3] : 1e-20f;
    *x = (0.5f + 0.5f * clip[0] / w) * (float)r->settings.width;
    *y = (0.5f - 0.5f * clip[1] / w) * (float)r->settings.height;
}

limber_result limberi_renderer_copies(limberi_renderer* r, const limber_smear_mesh* meshes, uint32_t count,
                                      limber_error* error) {
    if (!r->model)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "no model is loaded into the renderer");
    limber_result result = limberi_context_use(&r->context, error);
    return result ? result : limberi_copies_set(&r->copies, &r->context.gl, r->model, meshes, count, error);
}

void limberi_renderer_paint(limberi_renderer* r, const float* colors) {
    if (r->model && limberi_context_use(&r->context, NULL) == LIMBER_OK)
        limberi_geometry_repaint(&r->geometry, colors);
}

limber_result limberi_renderer_shift(limberi_renderer* r, const float* shifts, limber_error* error) {
    uint32_t count = shifts && r->model ? r->model->mesh_count : 0;
    free(r->shifts);
    r->shifts = count ? malloc(count * sizeof *r->shifts) : NULL;
    if (count && !r->shifts)
        return limberi_fail_memory(error);
    if (count)
        memcpy(r->shifts, shifts, count * sizeof *r->shifts);
    return LIMBER_OK;
}

void limberi_renderer_fade(limberi_renderer* r, float opacity) {
    r->opacity = opacity;
}

void limberi_renderer_ghosts(limberi_renderer* r, const limberi_ghost* ghosts, uint32_t count) {
    r->ghosts = ghosts;
    r->ghost_count = count;
}

limber_result limberi_renderer_overlay(limberi_renderer* r, const limberi_overlay_vertex* vertices, uint32_t count,
                                       limber_error* error) {
    limber_result result = limberi_context_use(&r->context, error);
    if (result != LIMBER_OK)
        return result;
    limberi_overlay_set(&r->overlay, vertices, count);
    return limberi_gl_check(&r->context.gl, "upload what is drawn over the character", error);
}
