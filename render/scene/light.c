// The three lights, and the two maps that make their shadows: what the key light sees, and what the ground sees above
// itself.
#include "render/scene/light.h"
#include "base/error.h"
#include "base/math.h"
#include "render/scene/renderer.h"
#include "render/shaders.h"

#include <string.h>

enum { SHADOW_SIDE = 2048, LOWEST_SIDE = 256, CONTACT_SIDE = 128 };

// Stage units: how far the dark under a character reaches, and how far the ground map starts below the ground.
#define CONTACT_REACH 0.45f
#define BELOW_GROUND 0.05f

static GLuint texture(const limberi_gl* gl, GLenum internal, GLenum format, GLenum type, GLsizei side, GLint filter) {
    GLuint id = 0;
    gl->GenTextures(1, &id);
    gl->BindTexture(GL_TEXTURE_2D, id);
    gl->TexImage2D(GL_TEXTURE_2D, 0, (GLint)internal, side, side, 0, format, type, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return id;
}

static bool attach(const limberi_gl* gl, GLenum where, GLuint map, GLuint* framebuffer) {
    const GLenum buffers[1] = {where == GL_COLOR_ATTACHMENT0 ? GL_COLOR_ATTACHMENT0 : GL_NONE};
    gl->GenFramebuffers(1, framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, *framebuffer);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, where, GL_TEXTURE_2D, map, 0);
    gl->DrawBuffers(1, buffers);
    gl->ReadBuffer(buffers[0]);
    return gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static bool create_maps(limberi_light* l) {
    const limberi_gl* gl = l->gl;
    l->shadow_map = texture(gl, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, SHADOW_SIDE, GL_NEAREST);
    l->lowest_map = texture(gl, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, LOWEST_SIDE, GL_NEAREST);
    l->heights_map = texture(gl, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, LOWEST_SIDE, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->GenerateMipmap(GL_TEXTURE_2D);
    l->contact_map = texture(gl, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, CONTACT_SIDE, GL_LINEAR);
    gl->GenSamplers(1, &l->compare_sampler);
    gl->SamplerParameteri(l->compare_sampler, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    gl->SamplerParameteri(l->compare_sampler, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    gl->SamplerParameteri(l->compare_sampler, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    gl->SamplerParameteri(l->compare_sampler, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->SamplerParameteri(l->compare_sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->SamplerParameteri(l->compare_sampler, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return attach(gl, GL_DEPTH_ATTACHMENT, l->shadow_map, &l->shadow_framebuffer) &&
           attach(gl, GL_DEPTH_ATTACHMENT, l->lowest_map, &l->lowest_framebuffer) &&
           attach(gl, GL_COLOR_ATTACHMENT0, l->heights_map, &l->heights_framebuffer) &&
           attach(gl, GL_COLOR_ATTACHMENT0, l->contact_map, &l->contact_framebuffer);
}

limber_result limberi_light_create(const limberi_gl* gl, limberi_light* l, limber_error* error) {
    memset(l, 0, sizeof *l);
    l->gl = gl;
    limber_result result = limberi_program_create(gl, "depth", limberi_shader_depth_vert, NULL,
                                                  limberi_shader_depth_frag, &l->depth_program, error);
    if (result == LIMBER_OK)
        result = limberi_program_create(gl, "heights", limberi_shader_fullscreen_vert, NULL,
                                        limberi_shader_heights_frag, &l->heights_program, error);
    if (result == LIMBER_OK)
        result = limberi_program_create(gl, "contact", limberi_shader_fullscreen_vert, NULL,
                                        limberi_shader_contact_frag, &l->contact_program, error);
    if (result != LIMBER_OK)
        return result;
    bool complete = create_maps(l);
    result = limberi_gl_check(gl, "make the shadow maps", error);
    if (result == LIMBER_OK && !complete)
        result = limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the driver cannot draw shadow maps");
    return result;
}

void limberi_light_destroy(limberi_light* l) {
    if (l->gl) {
        const GLuint maps[4] = {l->shadow_map, l->lowest_map, l->heights_map, l->contact_map};
        const GLuint framebuffers[4] = {l->shadow_framebuffer, l->lowest_framebuffer, l->heights_framebuffer,
                                        l->contact_framebuffer};
        l->gl->DeleteTextures(4, maps);
        l->gl->DeleteFramebuffers(4, framebuffers);
        l->gl->DeleteSamplers(1, &l->compare_sampler);
        limberi_program_destroy(&l->depth_program);
        limberi_program_destroy(&l->heights_program);
        limberi_program_destroy(&l->contact_program);
    }
    memset(l, 0, sizeof *l);
}

// Heading relative to the camera's, positive to its right; elevation above the horizon.
static limber_vec3 direction(float yaw_rad, float heading_deg, float elevation_deg) {
    float degree = (float)(LIMBERI_PI / 180.0);
    float heading = yaw_rad + heading_deg * degree;
    float elevation = elevation_deg * degree;
    return limberi_vec3(sinf(heading) * cosf(elevation), sinf(elevation), cosf(heading) * cosf(elevation));
}

static void draw_depth(const limberi_light* l, const limberi_geometry* g, const limberi_view* view, GLuint framebuffer,
                       GLsizei side, const limberi_projection* projection) {
    const limberi_gl* gl = l->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl->Viewport(0, 0, side, side);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LESS);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_CULL_FACE);
    gl->Disable(GL_BLEND);
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    limberi_program_use(&l->depth_program);
    limberi_set_stage(&l->depth_program, "stage", &view->stage);
    limberi_set_projection(&l->depth_program, "projection", projection);
    for (uint32_t i = 0; i < g->batch_count; i++)
        limberi_geometry_draw(g, &g->batches[i]);
}

static void update_shadow(limberi_light* l, const limberi_geometry* g, const limberi_view* view, limber_vec3 min,
                          limber_vec3 max) {
    const float padding = 0.1f; // a little more than the widest penumbra in shadow.glsl
    limber_vec3 back = l->key_direction;
    limber_vec3 right = limberi_normalize(limberi_cross(limberi_vec3(0, 1, 0), back));
    limber_vec3 up = limberi_cross(back, right);
    l->shadow_projection = limberi_orthographic(right, up, back, min, max, padding);
    const float* m = l->shadow_projection.m;
    for (int row = 0; row < 3; row++) {
        float length = sqrtf(m[row] * m[row] + m[4 + row] * m[4 + row] + m[8 + row] * m[8 + row]);
        (&l->shadow_extent.x)[row] = length > 0.0f ? 2.0f / length : 1.0f;
    }
    draw_depth(l, g, view, l->shadow_framebuffer, SHADOW_SIDE, &l->shadow_projection);
}

// A pass over a whole map that reads another one.
static void filter(const limberi_light* l, const limberi_program* program, GLuint framebuffer, GLsizei side,
                   GLuint source, const char* source_name) {
    const limberi_gl* gl = l->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl->Viewport(0, 0, side, side);
    gl->Disable(GL_DEPTH_TEST);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, source);
    limberi_set_int(program, source_name, 0);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
}

// Looks straight up from just below the ground.
static void update_contact(limberi_light* l, const limberi_geometry* g, const limberi_view* view, limber_vec3 min,
                           limber_vec3 max) {
    limber_vec3 low = limberi_vec3(min.x - CONTACT_REACH, l->ground_height - BELOW_GROUND, min.z - CONTACT_REACH);
    limber_vec3 high = limberi_vec3(max.x + CONTACT_REACH, max.y + BELOW_GROUND, max.z + CONTACT_REACH);
    high.y = high.y > low.y + 0.1f ? high.y : low.y + 0.1f;
    const float region[4] = {low.x, low.z, high.x - low.x, high.z - low.z};
    memcpy(l->contact_region, region, sizeof region);
    limberi_projection upward =
        limberi_orthographic(limberi_vec3(1, 0, 0), limberi_vec3(0, 0, 1), limberi_vec3(0, -1, 0), low, high, 0.0f);
    draw_depth(l, g, view, l->lowest_framebuffer, LOWEST_SIDE, &upward);

    limberi_program_use(&l->heights_program);
    limberi_set_float2(&l->heights_program, "range", high.y - low.y, BELOW_GROUND);
    filter(l, &l->heights_program, l->heights_framebuffer, LOWEST_SIDE, l->lowest_map, "lowest");
    l->gl->BindTexture(GL_TEXTURE_2D, l->heights_map);
    l->gl->GenerateMipmap(GL_TEXTURE_2D);
    limberi_program_use(&l->contact_program);
    limberi_set_float2(&l->contact_program, "region", region[2], region[3]);
    filter(l, &l->contact_program, l->contact_framebuffer, CONTACT_SIDE, l->heights_map, "heights");
}

void limberi_light_update(limberi_light* l, const limberi_geometry* g, const limberi_view* view, float yaw_rad,
                          limber_vec3 min, limber_vec3 max, bool ground) {
    l->key_direction = direction(yaw_rad, -36.0f, 58.0f);
    l->fill_direction = direction(yaw_rad, 60.0f, 12.0f);
    l->rim_direction = direction(yaw_rad, 150.0f, 35.0f);
    l->ground_height = view->ground - 0.001f; // feet that stand on it must not flicker into it
    update_shadow(l, g, view, min, max);
    if (ground)
        update_contact(l, g, view, min, max);
}

void limberi_light_bind_shadow(const limberi_light* l, const limberi_program* program) {
    const limberi_gl* gl = l->gl;
    gl->ActiveTexture(GL_TEXTURE1);
    gl->BindTexture(GL_TEXTURE_2D, l->shadow_map);
    gl->BindSampler(1, l->compare_sampler);
    gl->ActiveTexture(GL_TEXTURE2);
    gl->BindTexture(GL_TEXTURE_2D, l->shadow_map);
    limberi_set_int(program, "shadow_compare", 1);
    limberi_set_int(program, "shadow_depth", 2);
    limberi_set_projection(program, "shadow_projection", &l->shadow_projection);
    limberi_set_vec3(program, "shadow_extent", l->shadow_extent);
}
