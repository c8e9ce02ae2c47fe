// Draws one frame: background, ground, shadow, character, ghosts.
#include "base/error.h"
#include "base/math.h"
#include "render/film/picture.h"
#include "render/scene/renderer.h"

static limber_vec3 linear_color(const float srgb[3]) {
    return limberi_vec3(limberi_linear_from_srgb(srgb[0]), limberi_linear_from_srgb(srgb[1]),
                        limberi_linear_from_srgb(srgb[2]));
}

static void draw_background(const limberi_renderer* r) {
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
static void set_ground(const limberi_renderer* r, const limberi_view* view) {
    const limberi_program* p = &r->ground;
    limber_vec3 half = limberi_scale(limberi_sub(view->max, view->min), 0.5f);
    limber_vec3 center = limberi_scale(limberi_add(view->max, view->min), 0.5f);
    float radius = sqrtf(half.x * half.x + half.z * half.z) + 1.6f * half.y + 0.5f;
    limberi_set_vec4(p, "ground", center.x, r->light.ground_height, center.z, 2.0f * radius);
    limberi_set_float2(p, "fade", 0.6f * radius, 2.0f * radius);
}

static void draw_ground(const limberi_renderer* r, const limberi_view* view, const limberi_projection* projection) {
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

// Which of its sides a part shows, and what of it is seen through.
static void set_sides(const limberi_gl* gl, const limberi_batch* batch) {
    (batch->double_sided ? gl->Disable : gl->Enable)(GL_CULL_FACE);
    gl->FrontFace(batch->mirrored ? GL_CW : GL_CCW);
}

// Copies have the shift of the mesh they are copies of.
static float shift_of(const limberi_renderer* r, const limberi_geometry* geometry, const limberi_batch* batch) {
    uint32_t mesh = geometry == &r->copies.geometry ? r->copies.sources[batch->mesh] : batch->mesh;
    return r->shifts && mesh < r->model->mesh_count ? r->shifts[mesh] : 0.0f;
}

static void set_batch(const limberi_renderer* r, const limberi_geometry* geometry, const limberi_batch* batch) {
    static const float white[4] = {1, 1, 1, 1};
    const limberi_gl* gl = &r->context.gl;
    const limberi_program* p = &r->scene;
    bool painted = geometry->painted;
    bool blended = batch->blended && !painted;
    const float* color = painted ? white : batch->base_color;
    set_sides(gl, batch);
    (blended || r->opacity < 1.0f ? gl->Enable : gl->Disable)(GL_BLEND);
    limberi_set_vec4(p, "base_color", color[0], color[1], color[2], color[3]);
    limberi_set_float2(p, "surface", painted ? 0.0f : batch->metallic, painted ? 0.75f : batch->roughness);
    limberi_set_int(p, "blended", blended);
    limberi_set_float(p, "texture_shift", shift_of(r, geometry, batch));
    limberi_set_int(p, "textured", batch->texture != 0 && !painted);
    gl->BindTexture(GL_TEXTURE_2D, batch->texture);
}

// What is hardly there hides nothing.
static void draw_batches(const limberi_renderer* r, const limberi_geometry* geometry, bool all_sheer) {
    const limberi_gl* gl = &r->context.gl;
    limberi_geometry_bind(geometry);
    for (uint32_t i = 0; i < geometry->batch_count; i++) {
        set_batch(r, geometry, &geometry->batches[i]);
        gl->DepthMask(all_sheer || geometry->batches[i].sheer ? GL_FALSE : GL_TRUE);
        limberi_geometry_draw(geometry, &geometry->batches[i]);
    }
}

// Depth first: of a see-through character only the side that faces the camera is drawn then.
static void draw_depth(const limberi_renderer* r, const limberi_view* view, const limberi_projection* projection) {
    const limberi_gl* gl = &r->context.gl;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LESS);
    gl->DepthMask(GL_TRUE);
    gl->ColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    limberi_program_use(&r->depth);
    limberi_set_stage(&r->depth, "stage", &view->stage);
    limberi_set_projection(&r->depth, "projection", projection);
    limberi_geometry_bind(&r->geometry);
    for (uint32_t i = 0; i < r->geometry.batch_count; i++) {
        set_sides(gl, &r->geometry.batches[i]);
        if (!r->geometry.batches[i].sheer)
            limberi_geometry_draw(&r->geometry, &r->geometry.batches[i]);
    }
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

static void set_scene(const limberi_renderer* r, const limberi_view* view, const limberi_projection* projection) {
    const limberi_program* p = &r->scene;
    limberi_program_use(p);
    limberi_set_stage(p, "stage", &view->stage);
    limberi_set_projection(p, "projection", projection);
    limberi_set_eye(p, "eye", view);
    limberi_set_vec3(p, "key_direction", r->light.key_direction);
    limberi_set_vec3(p, "fill_direction", r->light.fill_direction);
    limberi_set_vec3(p, "rim_direction", r->light.rim_direction);
    limberi_set_float(p, "floor_height", r->light.ground_height);
    limberi_set_float(p, "opacity", r->opacity);
    limberi_light_bind_shadow(&r->light, p);
    r->context.gl.ActiveTexture(GL_TEXTURE0);
    limberi_set_int(p, "base_texture", 0);
}

static void draw_scene(const limberi_renderer* r, const limberi_view* view, const limberi_projection* projection) {
    const limberi_gl* gl = &r->context.gl;
    if (r->opacity < 1.0f)
        draw_depth(r, view, projection);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LEQUAL);
    gl->DepthMask(GL_TRUE);
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    set_scene(r, view, projection);
    draw_batches(r, &r->geometry, false);
    if (r->copies.visible)
        draw_batches(r, &r->copies.geometry, true);
    gl->DepthMask(GL_TRUE);
}

static void draw_ghost(const limberi_renderer* r, const limberi_ghost* ghost, const limberi_view* view,
                       const limberi_projection* projection) {
    const limberi_gl* gl = &r->context.gl;
    const limberi_program* p = &r->ghost;
    const float* color = ghost->color;
    limberi_geometry_move(&r->geometry, ghost->positions, ghost->normals);
    draw_depth(r, view, projection);
    gl->DepthFunc(GL_LEQUAL);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    limberi_program_use(p);
    limberi_set_stage(p, "stage", &view->stage);
    limberi_set_projection(p, "projection", projection);
    limberi_set_eye(p, "eye", view);
    limberi_set_vec3(p, "key_direction", r->light.key_direction);
    limberi_set_vec4(p, "color", color[0], color[1], color[2], color[3]);
    for (uint32_t i = 0; i < r->geometry.batch_count; i++) {
        set_sides(gl, &r->geometry.batches[i]);
        if (!r->geometry.batches[i].sheer)
            limberi_geometry_draw(&r->geometry, &r->geometry.batches[i]);
    }
    gl->Clear(GL_DEPTH_BUFFER_BIT); // ghosts hide nothing
}

// What a camera was shown, in stage space.
static void find_box(const limberi_camera* shown, const limberi_view* view, limber_vec3* min, limber_vec3* max) {
    *min = view->min;
    *max = view->max;
    if (shown->empty)
        return;
    limber_vec3 low = limberi_vec3((float)shown->min[0], (float)shown->min[1], (float)shown->min[2]);
    limber_vec3 high = limberi_vec3((float)shown->max[0], (float)shown->max[1], (float)shown->max[2]);
    *min = limberi_stage_point(&view->stage, low);
    *max = limberi_stage_point(&view->stage, high);
}

// Only for this frame's own box: shadow maps that had to cover a whole walk would be coarse.
static void update_light(limberi_renderer* r, const limberi_view* view, const float* positions) {
    limberi_camera now = r->camera;
    limberi_camera_reset(&now);
    limberi_show_model(&now, r->model, positions);
    limber_vec3 min, max;
    find_box(&now, view, &min, &max);
    float yaw_rad = atan2f(-view->right.z, view->right.x); // also when looking straight down
    limberi_light_update(&r->light, &r->geometry, view, yaw_rad, min, max, r->settings.ground);
}

static void trace_ink(limberi_renderer* r, uint32_t strip, const float* positions, const limberi_view* view) {
    limberi_camera all = r->camera;
    limberi_camera_reset(&all);
    limberi_camera_show(&all, positions, r->geometry.vertex_count);
    limber_vec3 min, max;
    find_box(&all, view, &min, &max);
    limberi_ink_trace(&r->ink, &r->target, strip, &r->geometry, view, min, max);
}

static void draw_strip(limberi_renderer* r, uint32_t strip, const float* positions, const float* normals,
                       const limberi_view* view, uint8_t* pixels) {
    limberi_projection projection = limberi_view_projection(view);
    if (r->settings.ink > 0.0f)
        trace_ink(r, strip, positions, view);
    limberi_target_begin(&r->target, strip);
    if (!r->settings.transparent)
        draw_background(r);
    if (r->settings.ground)
        draw_ground(r, view, &projection);
    for (uint32_t i = 0; i < r->ghost_count; i++)
        draw_ghost(r, &r->ghosts[i], view, &projection);
    if (r->ghost_count)
        limberi_geometry_move(&r->geometry, positions, normals);
    draw_scene(r, view, &projection);
    if (r->settings.ink > 0.0f)
        limberi_ink_draw(&r->ink);
    limberi_overlay_draw(&r->overlay, view, &projection);
    limberi_target_read(&r->target, strip, pixels);
}

limber_result limberi_renderer_draw(limberi_renderer* r, const float* positions, const float* normals, uint8_t* pixels,
                                    limber_error* error) {
    if (!r->model)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "no model is loaded into the renderer");
    limber_result result = limberi_context_use(&r->context, error);
    if (result != LIMBER_OK)
        return result;
    limberi_camera camera = r->camera;
    if (camera.empty) {
        limberi_show_model(&camera, r->model, positions);
        camera = limberi_camera_moved(&camera, limberi_scale(r->followed, -1.0f));
    }
    limberi_view view = limberi_renderer_view(r, &camera);
    if (isfinite(r->floor_height))
        view.ground = (r->floor_height - view.stage.origin.y) * view.stage.scale;

    if (r->copies.visible)
        limberi_geometry_move(&r->copies.geometry, r->copies.positions, r->copies.normals);
    limberi_geometry_move(&r->geometry, positions, normals);
    update_light(r, &view, positions);
    for (uint32_t strip = 0; strip < r->target.strip_count; strip++)
        draw_strip(r, strip, positions, normals, &view, pixels);
    return limberi_gl_check(&r->context.gl, "draw", error);
}
