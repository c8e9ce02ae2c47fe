#include "base/error.h"
#include "base/math.h"
#include "render/camera.h"
#include "render/context.h"
#include "render/extras.h"
#include "render/geometry.h"
#include "render/light.h"
#include "render/program.h"
#include "render/render.h"
#include "render/shaders.h"
#include "render/srgb.h"
#include "render/target.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

struct limber_renderer {
    limber_render_settings settings;
    limberi_context context;
    limberi_camera camera;
    limberi_target target;
    limberi_light light;
    limberi_program background, ground, scene;
    const limber_model* model;
    limberi_geometry geometry;
    limberi_extras extras;
    float floor_height; // in the world; NAN: under everything framed
};

limber_render_settings limber_render_settings_default(void) {
    limber_render_settings settings = {.width = 960,
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

static limber_result check_settings(const limber_render_settings* s, limber_error* error) {
    if (s->width == 0 || s->height == 0)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a picture of %u x %u pixels is empty", s->width, s->height);
    if (s->width > LIMBER_RENDER_SIDE_LIMIT || s->height > LIMBER_RENDER_SIDE_LIMIT)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "a picture of %u x %u pixels is too large (at most %u a side)",
                            s->width, s->height, LIMBER_RENDER_SIDE_LIMIT);
    if (s->supersample > LIMBER_RENDER_SUPERSAMPLE_LIMIT)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "supersampling must be 0 ... %u",
                            LIMBER_RENDER_SUPERSAMPLE_LIMIT);
    if (!isfinite(s->yaw_deg) || !(fabsf(s->pitch_deg) <= 90.0f))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the camera's pitch must be -90 ... 90 degrees");
    if (!(s->field_of_view_deg >= 1.0f && s->field_of_view_deg <= 120.0f))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the field of view must be 1 ... 120 degrees");
    if (!(s->margin >= 0.0f && s->margin <= 0.9f))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the margin must be 0 ... 0.9");
    return LIMBER_OK;
}

static limber_result create_programs(limber_renderer* r, limber_error* error) {
    const limberi_gl* gl = &r->context.gl;
    limber_result result = limberi_program_create(gl, "background", limberi_shader_fullscreen_vert, NULL,
                                                  limberi_shader_background_frag, &r->background, error);
    if (result == LIMBER_OK)
        result = limberi_program_create(gl, "ground", limberi_shader_ground_vert, limberi_shader_shadow_glsl,
                                        limberi_shader_ground_frag, &r->ground, error);
    if (result == LIMBER_OK)
        result = limberi_program_create(gl, "scene", limberi_shader_scene_vert, limberi_shader_shadow_glsl,
                                        limberi_shader_scene_frag, &r->scene, error);
    return result;
}

static float radians(float degrees) {
    return degrees * (float)(LIMBERI_PI / 180.0);
}

static uint32_t drawing_scale(const limber_render_settings* s) {
    const uint64_t large = 2500000; // pixels; above it single pixels hardly show
    if (s->supersample > 0)
        return s->supersample;
    return (uint64_t)s->width * s->height > large ? 1 : 2;
}

static limber_result create_parts(limber_renderer* r, limber_error* error) {
    const limber_render_settings* s = &r->settings;
    limberi_camera_init(&r->camera, radians(s->yaw_deg), radians(s->pitch_deg), radians(s->field_of_view_deg),
                        (float)s->width / (float)s->height, s->margin);
    limber_result result = limberi_context_create(&r->context, error);
    if (result == LIMBER_OK)
        result = limberi_target_create(&r->context.gl, s->width, s->height, drawing_scale(s), &r->target, error);
    if (result == LIMBER_OK)
        result = limberi_light_create(&r->context.gl, &r->light, error);
    return result == LIMBER_OK ? create_programs(r, error) : result;
}

limber_result limber_renderer_create(const limber_render_settings* settings, limber_renderer** renderer,
                                     limber_error* error) {
    *renderer = NULL;
    limber_result result = check_settings(settings, error);
    if (result != LIMBER_OK)
        return result;
    limber_renderer* r = calloc(1, sizeof *r);
    if (!r)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "no memory for a renderer");
    r->settings = *settings;
    result = create_parts(r, error);
    if (result == LIMBER_OK)
        *renderer = r;
    else
        limber_renderer_destroy(r);
    return result;
}

void limber_renderer_destroy(limber_renderer* r) {
    if (!r)
        return;
    if (r->context.context != EGL_NO_CONTEXT && limberi_context_use(&r->context, NULL) == LIMBER_OK) {
        limberi_geometry_destroy(&r->geometry);
        limberi_extras_destroy(&r->extras);
        limberi_program_destroy(&r->background);
        limberi_program_destroy(&r->ground);
        limberi_program_destroy(&r->scene);
        limberi_light_destroy(&r->light);
        limberi_target_destroy(&r->target);
    }
    limberi_context_destroy(&r->context);
    free(r);
}

const char* limber_renderer_device(const limber_renderer* r) {
    return limberi_context_use(&r->context, NULL) == LIMBER_OK ? limberi_context_device(&r->context) : "unknown";
}

limber_result limber_renderer_load(limber_renderer* r, const limber_model* model, limber_error* error) {
    limber_result result = limberi_context_use(&r->context, error);
    if (result != LIMBER_OK)
        return result;
    limberi_geometry_destroy(&r->geometry);
    limberi_extras_destroy(&r->extras);
    limberi_camera_reset(&r->camera);
    r->floor_height = NAN;
    r->model = NULL;
    result = limberi_geometry_create(&r->context.gl, model, &r->geometry, error);
    if (result == LIMBER_OK)
        r->model = model;
    else
        limberi_geometry_destroy(&r->geometry);
    return result;
}

const char* limber_renderer_warning(const limber_renderer* r) {
    return r->geometry.warning[0] ? r->geometry.warning : NULL;
}

static bool is_all_scenery(const limber_model* model) {
    for (uint32_t i = 0; i < model->mesh_count; i++)
        if (!model->meshes[i].scenery)
            return false;
    return true;
}

static void show(limberi_camera* camera, const limber_model* model, const float* positions) {
    bool everything = is_all_scenery(model);
    size_t first = 0;
    for (uint32_t i = 0; i < model->mesh_count; i++) {
        const limber_mesh* mesh = &model->meshes[i];
        if (everything || !mesh->scenery)
            limberi_camera_show(camera, positions + 3 * first, mesh->vertex_count);
        first += mesh->vertex_count;
    }
}

void limber_renderer_frame(limber_renderer* r, const float* positions) {
    if (r->model)
        show(&r->camera, r->model, positions);
}

void limber_renderer_frame_box(limber_renderer* r, limber_vec3 min, limber_vec3 max) {
    for (int i = 0; i < 8; i++) {
        const float corner[3] = {i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z};
        limberi_camera_show(&r->camera, corner, 1);
    }
}

void limber_renderer_frame_points(limber_renderer* r, const float* positions, size_t count) {
    limberi_camera_show(&r->camera, positions, count);
}

void limber_renderer_ground(limber_renderer* r, float height) {
    r->floor_height = height;
}

void limber_renderer_frame_reset(limber_renderer* r) {
    limberi_camera_reset(&r->camera);
}

static float character_size(const limber_renderer* r) {
    return r->model ? r->model->size : 0.0f;
}

void limber_renderer_project(const limber_renderer* r, limber_vec3 point, float* x, float* y) {
    limberi_view view = limberi_camera_view(&r->camera, character_size(r));
    limberi_projection projection = limberi_camera_projection(&r->camera, &view);
    float clip[4];
    limberi_project(&projection, limberi_stage_point(&view.stage, point), clip);
    float w = fabsf(clip[3]) > 1e-20f ? clip[3] : 1e-20f;
    *x = (0.5f + 0.5f * clip[0] / w) * (float)r->settings.width;
    *y = (0.5f - 0.5f * clip[1] / w) * (float)r->settings.height;
}

static limber_vec3 linear_color(const float srgb[3]) {
    return limberi_vec3(limberi_linear_from_srgb(srgb[0]), limberi_linear_from_srgb(srgb[1]),
                        limberi_linear_from_srgb(srgb[2]));
}

static void draw_background(const limber_renderer* r) {
    const limberi_gl* gl = &r->context.gl;
    gl->Disable(GL_DEPTH_TEST);
    gl->Disable(GL_BLEND);
    gl->Disable(GL_CULL_FACE);
    limberi_program_use(&r->background);
    limberi_set_vec3(&r->background, "top", linear_color(r->settings.background_top));
    limberi_set_vec3(&r->background, "bottom", linear_color(r->settings.background_bottom));
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
}

// Far enough out that no shadow of the clip falls off the floor.
static void set_ground(const limber_renderer* r, const limberi_view* view) {
    const limberi_program* p = &r->ground;
    limber_vec3 half = limberi_scale(limberi_sub(view->max, view->min), 0.5f);
    limber_vec3 center = limberi_scale(limberi_add(view->max, view->min), 0.5f);
    float radius = sqrtf(half.x * half.x + half.z * half.z) + 1.6f * half.y + 0.5f;
    limberi_set_vec4(p, "ground", center.x, r->light.ground_height, center.z, 2.0f * radius);
    limberi_set_float2(p, "fade", 0.6f * radius, 2.0f * radius);
}

static void draw_ground(const limber_renderer* r, const limberi_view* view, const limberi_projection* projection) {
    const limberi_gl* gl = &r->context.gl;
    const limberi_program* p = &r->ground;
    const float* region = r->light.contact_region;
    if (view->eye.y <= r->light.ground_height)
        return;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_FALSE);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    limberi_program_use(p);
    limberi_set_projection(p, "projection", projection);
    set_ground(r, view);
    limberi_set_vec3(p, "color", limberi_scale(linear_color(r->settings.background_bottom), 1.0f));
    limberi_set_int(p, "shadow_only", r->settings.transparent);
    limberi_set_vec4(p, "contact_region", region[0], region[1], region[2], region[3]);
    limberi_light_bind_shadow(&r->light, p);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, r->light.contact_map);
    limberi_set_int(p, "contact", 0);
    gl->DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void set_batch(const limber_renderer* r, const limberi_batch* batch) {
    const limberi_gl* gl = &r->context.gl;
    const limberi_program* p = &r->scene;
    (batch->double_sided ? gl->Disable : gl->Enable)(GL_CULL_FACE);
    (batch->blended ? gl->Enable : gl->Disable)(GL_BLEND);
    gl->FrontFace(batch->mirrored ? GL_CW : GL_CCW);
    limberi_set_vec4(p, "base_color", batch->base_color[0], batch->base_color[1], batch->base_color[2],
                     batch->base_color[3]);
    limberi_set_float2(p, "surface", batch->metallic, batch->roughness);
    limberi_set_int(p, "blended", batch->blended);
    limberi_set_int(p, "textured", batch->texture != 0);
    gl->BindTexture(GL_TEXTURE_2D, batch->texture);
}

// What is hardly there hides nothing.
static void draw_batches(const limber_renderer* r, const limberi_geometry* geometry, bool all_sheer) {
    const limberi_gl* gl = &r->context.gl;
    limberi_geometry_bind(geometry);
    for (uint32_t i = 0; i < geometry->batch_count; i++) {
        set_batch(r, &geometry->batches[i]);
        gl->DepthMask(all_sheer || geometry->batches[i].sheer ? GL_FALSE : GL_TRUE);
        limberi_geometry_draw(geometry, &geometry->batches[i]);
    }
}

static void draw_scene(const limber_renderer* r, const limberi_view* view, const limberi_projection* projection) {
    const limberi_gl* gl = &r->context.gl;
    const limberi_program* p = &r->scene;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LESS);
    gl->DepthMask(GL_TRUE);
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    limberi_program_use(p);
    limberi_set_stage(p, "stage", &view->stage);
    limberi_set_projection(p, "projection", projection);
    limberi_set_vec3(p, "eye", view->eye);
    limberi_set_vec3(p, "key_direction", r->light.key_direction);
    limberi_set_vec3(p, "fill_direction", r->light.fill_direction);
    limberi_set_vec3(p, "rim_direction", r->light.rim_direction);
    limberi_set_float(p, "floor_height", r->light.ground_height);
    limberi_light_bind_shadow(&r->light, p);
    gl->ActiveTexture(GL_TEXTURE0);
    limberi_set_int(p, "base_texture", 0);
    draw_batches(r, &r->geometry, false);
    if (r->extras.visible)
        draw_batches(r, &r->extras.geometry, true);
    gl->DepthMask(GL_TRUE);
}

// The frame's own box: shadow maps that had to cover a whole walk would be coarse.
static void update_light(limber_renderer* r, const limberi_view* view, const float* positions) {
    limberi_camera now = r->camera;
    limberi_camera_reset(&now);
    show(&now, r->model, positions);
    limber_vec3 min = view->min, max = view->max;
    if (!now.empty) {
        limber_vec3 world_min = limberi_vec3((float)now.min[0], (float)now.min[1], (float)now.min[2]);
        limber_vec3 world_max = limberi_vec3((float)now.max[0], (float)now.max[1], (float)now.max[2]);
        min = limberi_stage_point(&view->stage, world_min);
        max = limberi_stage_point(&view->stage, world_max);
    }
    limberi_light_update(&r->light, &r->geometry, view, radians(r->settings.yaw_deg), min, max);
}

limber_result limber_renderer_extras(limber_renderer* r, const limber_smear_mesh* meshes, uint32_t count,
                                     limber_error* error) {
    if (!r->model)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "no model is loaded into the renderer");
    limber_result result = limberi_context_use(&r->context, error);
    return result ? result : limberi_extras_set(&r->extras, &r->context.gl, r->model, meshes, count, error);
}

limber_result limber_renderer_draw(limber_renderer* r, const float* positions, const float* normals, uint8_t* pixels,
                                   limber_error* error) {
    if (!r->model)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "no model is loaded into the renderer");
    limber_result result = limberi_context_use(&r->context, error);
    if (result != LIMBER_OK)
        return result;
    limberi_camera camera = r->camera;
    if (camera.empty)
        show(&camera, r->model, positions);
    limberi_view view = limberi_camera_view(&camera, character_size(r));
    limberi_projection projection = limberi_camera_projection(&camera, &view);
    if (isfinite(r->floor_height))
        view.ground = (r->floor_height - view.stage.origin.y) * view.stage.scale;

    if (r->extras.visible)
        limberi_geometry_move(&r->extras.geometry, r->extras.positions, r->extras.normals);
    limberi_geometry_move(&r->geometry, positions, normals);
    update_light(r, &view, positions);
    for (uint32_t strip = 0; strip < r->target.strip_count; strip++) {
        limberi_target_begin(&r->target, strip);
        if (!r->settings.transparent)
            draw_background(r);
        if (r->settings.ground)
            draw_ground(r, &view, &projection);
        draw_scene(r, &view, &projection);
        limberi_target_read(&r->target, strip, pixels);
    }
    return limberi_gl_check(&r->context.gl, "draw", error);
}
