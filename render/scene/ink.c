// Outlines as an inker draws them: around the character, where one part of it stands before another, and, thinner,
// along creases and borders of materials.
#include "render/scene/ink.h"
#include "base/error.h"
#include "base/math.h"
#include "render/scene/renderer.h"
#include "render/shaders.h"

#include <string.h>

// Shares of the outline's width: a part before another, and what lies flat on the surface.
#define INNER_WIDTH 0.8f
#define DETAIL_WIDTH 0.5f
// Stage units: a step in depth that deserves a line. A lip is less, a folded arm more.
#define NEAREST_GAP 0.014f
#define KERNEL 40

typedef struct map_format {
    GLenum internal, format, type;
} map_format;

static GLuint create_map(const limberi_gl* gl, uint32_t width, uint32_t height, map_format f) {
    GLuint id = 0;
    gl->GenTextures(1, &id);
    gl->BindTexture(GL_TEXTURE_2D, id);
    gl->TexImage2D(GL_TEXTURE_2D, 0, (GLint)f.internal, (GLsizei)width, (GLsizei)height, 0, f.format, f.type, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return id;
}

static bool attach(const limberi_gl* gl, GLuint map, GLuint depth, GLuint* framebuffer) {
    gl->GenFramebuffers(1, framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, *framebuffer);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, map, 0);
    if (depth)
        gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    return gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

// Mip levels of an odd size leave out rows, and with them lines: all that are used divide evenly.
static uint32_t whole_blocks(uint32_t size) {
    return (size + 63) / 64 * 64;
}

// About 30 bytes per drawn pixel of a strip, beside the target's own.
static bool create_maps(limberi_ink* ink) {
    const limberi_gl* gl = ink->gl;
    const map_format numbers = {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT};
    const map_format weights = {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE};
    ink->surface = create_map(gl, ink->width, ink->height, numbers);
    ink->edges = create_map(gl, whole_blocks(ink->width), whole_blocks(ink->height), weights);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    gl->GenerateMipmap(GL_TEXTURE_2D);
    ink->blurred = create_map(gl, ink->width, ink->height, weights);
    gl->GenRenderbuffers(1, &ink->depth);
    gl->BindRenderbuffer(GL_RENDERBUFFER, ink->depth);
    gl->RenderbufferStorageMultisample(GL_RENDERBUFFER, 0, GL_DEPTH_COMPONENT24, (GLsizei)ink->width,
                                       (GLsizei)ink->height);
    if (!attach(gl, ink->surface, ink->depth, &ink->surface_framebuffer) ||
        !attach(gl, ink->blurred, 0, &ink->blurred_framebuffer) || !attach(gl, ink->edges, 0, &ink->edges_framebuffer))
        return false;
    gl->ClearColor(0, 0, 0, 0); // what lies beyond the picture stays empty
    gl->Clear(GL_COLOR_BUFFER_BIT);
    return true;
}

static limber_result create_programs(limberi_ink* ink, limber_error* error) {
    const struct {
        const char *name, *vertex, *fragment;
        limberi_program* program;
    } all[] = {{"ink surface", limberi_shader_scene_vert, limberi_shader_ink_surface_frag, &ink->surface_program},
               {"ink edges", limberi_shader_fullscreen_vert, limberi_shader_ink_edges_frag, &ink->edges_program},
               {"ink blur", limberi_shader_fullscreen_vert, limberi_shader_ink_blur_frag, &ink->blur_program},
               {"ink line", limberi_shader_fullscreen_vert, limberi_shader_ink_line_frag, &ink->line_program}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        limber_result result =
            limberi_program_create(ink->gl, all[i].name, all[i].vertex, NULL, all[i].fragment, all[i].program, error);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

static int blur_radius(const limberi_ink* ink) {
    int radius = (int)ceilf(2.5f * ink->sigma);
    return radius < KERNEL ? radius : KERNEL;
}

static void set_blur(const limberi_ink* ink, const limberi_program* p) {
    float weights[KERNEL];
    float total = 0.0f;
    int radius = blur_radius(ink);
    int coarse = 0;
    for (int i = 0; i < radius; i++) {
        float x = ((float)i + 0.5f) / ink->sigma; // edges lie between pixels
        weights[i] = expf(-0.5f * x * x);
        total += 2.0f * weights[i];
    }
    for (int i = 0; i < radius; i++)
        weights[i] /= total;
    while (1 << coarse < radius)
        coarse++;
    limberi_set_floats(p, "weights", weights, radius);
    limberi_set_int(p, "radius", radius);
    limberi_set_int(p, "coarse", coarse);
}

limber_result limberi_ink_create(const limberi_gl* gl, const limberi_target* target, float width, limberi_ink* ink,
                                 limber_error* error) {
    memset(ink, 0, sizeof *ink);
    ink->gl = gl;
    ink->half_width = 0.5f * width * (float)target->scale;
    ink->sigma = fmaxf(0.9f * ink->half_width, 0.9f);
    ink->margin = (uint32_t)blur_radius(ink) + 2;
    ink->width = target->width * target->scale;
    ink->height = target->strip_rows * target->scale + 2 * ink->margin;
    limber_result result = create_programs(ink, error);
    if (result != LIMBER_OK)
        return result;
    bool complete = create_maps(ink);
    result = limberi_gl_check(gl, "make the maps of the ink", error);
    if (result == LIMBER_OK && !complete)
        result = limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the driver cannot draw the buffers for ink outlines");
    return result;
}

void limberi_ink_destroy(limberi_ink* ink) {
    if (ink->gl) {
        const GLuint maps[3] = {ink->surface, ink->edges, ink->blurred};
        const GLuint framebuffers[3] = {ink->surface_framebuffer, ink->edges_framebuffer, ink->blurred_framebuffer};
        ink->gl->DeleteTextures(3, maps);
        ink->gl->DeleteRenderbuffers(1, &ink->depth);
        ink->gl->DeleteFramebuffers(3, framebuffers);
        limberi_program_destroy(&ink->surface_program);
        limberi_program_destroy(&ink->edges_program);
        limberi_program_destroy(&ink->blur_program);
        limberi_program_destroy(&ink->line_program);
    }
    memset(ink, 0, sizeof *ink);
}

static void draw_part(const limberi_ink* ink, const limberi_geometry* geometry, uint32_t index) {
    const limberi_gl* gl = ink->gl;
    const limberi_program* p = &ink->surface_program;
    const limberi_batch* batch = &geometry->batches[index];
    if (batch->sheer)
        return; // glass and veils have no outline
    (batch->double_sided ? gl->Disable : gl->Enable)(GL_CULL_FACE);
    gl->FrontFace(batch->mirrored ? GL_CW : GL_CCW);
    limberi_set_int(p, "part", (int)batch->part);
    limberi_set_int(p, "cut_out", batch->blended && batch->texture);
    limberi_set_float(p, "base_alpha", batch->blended ? batch->base_color[3] : 1e6f);
    gl->BindTexture(GL_TEXTURE_2D, batch->texture);
    limberi_geometry_draw(geometry, batch);
}

static void draw_surface(const limberi_ink* ink, const limberi_geometry* geometry, const limberi_view* view,
                         const limberi_projection* projection) {
    const limberi_gl* gl = ink->gl;
    const limberi_program* p = &ink->surface_program;
    static const GLuint nothing[4] = {0, 0, 0, 0};
    gl->BindFramebuffer(GL_FRAMEBUFFER, ink->surface_framebuffer);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LESS);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_BLEND);
    gl->ClearBufferuiv(GL_COLOR, 0, nothing);
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    limberi_program_use(p);
    limberi_set_stage(p, "stage", &view->stage);
    limberi_set_projection(p, "projection", projection);
    limberi_set_eye(p, "eye", view);
    gl->ActiveTexture(GL_TEXTURE0);
    limberi_set_int(p, "base_texture", 0);
    limberi_geometry_bind(geometry);
    for (uint32_t i = 0; i < geometry->batch_count; i++)
        draw_part(ink, geometry, i);
}

// A pass over a whole map that reads another one.
static void filter(const limberi_ink* ink, const limberi_program* p, GLuint source, const char* source_name) {
    const limberi_gl* gl = ink->gl;
    gl->Disable(GL_DEPTH_TEST);
    gl->Disable(GL_CULL_FACE);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, source);
    limberi_set_int(p, source_name, 0);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
}

static int clamp(float value, int low, int high) {
    if (!(value > (float)low))
        return low;
    return value < (float)high ? (int)value : high;
}

// The part of the maps that the box covers; all of it when the box reaches behind the camera.
static void choose_area(limberi_ink* ink, const limberi_target* target, int below, const limberi_projection* projection,
                        limber_vec3 min, limber_vec3 max) {
    float low[2] = {1.0f, 1.0f};
    float high[2] = {-1.0f, -1.0f};
    for (int i = 0; i < 8; i++) {
        float clip[4];
        limber_vec3 corner = limberi_vec3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z);
        limberi_project(projection, corner, clip);
        for (int axis = 0; axis < 2; axis++) {
            bool behind = !(clip[3] > 1e-6f);
            low[axis] = fminf(low[axis], behind ? -1.0f : clip[axis] / clip[3]);
            high[axis] = fmaxf(high[axis], behind ? 1.0f : clip[axis] / clip[3]);
        }
    }
    float margin = (float)ink->margin;
    float rows = (float)(target->height * target->scale);
    float from = margin - (float)below;
    ink->left = clamp((0.5f + 0.5f * low[0]) * (float)ink->width - margin, 0, (int)ink->width);
    ink->right = clamp((0.5f + 0.5f * high[0]) * (float)ink->width + margin, 0, (int)ink->width);
    ink->bottom = clamp((0.5f + 0.5f * low[1]) * rows + from - margin, 0, (int)ink->height);
    ink->top = clamp((0.5f + 0.5f * high[1]) * rows + from + margin, 0, (int)ink->height);
}

// Each pass reads a little around what it writes, so the ones before it write more.
static void set_area(const limberi_ink* ink, int wider, int shift) {
    ink->gl->Scissor(ink->left - wider, ink->bottom - wider + shift, ink->right - ink->left + 2 * wider,
                     ink->top - ink->bottom + 2 * wider);
}

void limberi_ink_trace(limberi_ink* ink, const limberi_target* target, uint32_t strip, const limberi_geometry* geometry,
                       const limberi_view* view, limber_vec3 min, limber_vec3 max) {
    const limberi_gl* gl = ink->gl;
    limberi_projection projection = limberi_view_projection(view);
    int below = (int)(strip * target->strip_rows * target->scale);
    choose_area(ink, target, below, &projection, min, max);
    gl->Viewport(0, (GLint)ink->margin - below, (GLsizei)ink->width, (GLsizei)(target->height * target->scale));
    gl->Enable(GL_SCISSOR_TEST);
    set_area(ink, 2 * (int)ink->margin, 0);
    draw_surface(ink, geometry, view, &projection);

    gl->Viewport(0, 0, (GLsizei)ink->width, (GLsizei)ink->height);
    gl->BindFramebuffer(GL_FRAMEBUFFER, ink->edges_framebuffer);
    limberi_program_use(&ink->edges_program);
    limberi_set_vec3(&ink->edges_program, "depth_range",
                     limberi_vec3(view->near, view->far, view->orthographic ? 0.0f : 1.0f));
    limberi_set_float(&ink->edges_program, "nearest_gap", NEAREST_GAP);
    set_area(ink, 2 * (int)ink->margin - 2, 0);
    filter(ink, &ink->edges_program, ink->surface, "surface");

    gl->BindFramebuffer(GL_FRAMEBUFFER, ink->blurred_framebuffer);
    limberi_program_use(&ink->blur_program);
    set_blur(ink, &ink->blur_program);
    gl->BindTexture(GL_TEXTURE_2D, ink->edges);
    gl->GenerateMipmap(GL_TEXTURE_2D);
    set_area(ink, (int)ink->margin, 0);
    filter(ink, &ink->blur_program, ink->edges, "edges");
    gl->Disable(GL_SCISSOR_TEST);
}

void limberi_ink_draw(const limberi_ink* ink) {
    const limberi_gl* gl = ink->gl;
    const limberi_program* p = &ink->line_program;
    float w = ink->half_width;
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    limberi_program_use(p);
    limberi_set_float(p, "sigma", ink->sigma);
    set_blur(ink, p);
    limberi_set_int(p, "rows_below", (int)ink->margin);
    limberi_set_vec3(p, "half_widths", limberi_vec3(w, INNER_WIDTH * w, DETAIL_WIDTH * w));
    limberi_set_vec3(p, "color", limberi_vec3(0.010f, 0.007f, 0.012f)); // a warm black
    gl->Enable(GL_SCISSOR_TEST);
    gl->ActiveTexture(GL_TEXTURE1);
    gl->BindTexture(GL_TEXTURE_2D, ink->edges);
    gl->BindSampler(1, 0); // the shadow map's
    limberi_set_int(p, "edges", 1);
    set_area(ink, 0, -(int)ink->margin);
    filter(ink, p, ink->blurred, "blurred");
    gl->Disable(GL_SCISSOR_TEST);
}
