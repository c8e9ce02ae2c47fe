// What is drawn into: a multisampled picture, and the way from there to the caller's pixels.
#include "render/gl/target.h"
#include "base/error.h"
#include "render/film/picture.h"

#include <stdlib.h>
#include <string.h>

// At about 40 bytes per drawn pixel (four samples of colour and depth, and two copies) this is 160 MiB.
#define STRIP_PIXEL_LIMIT ((uint64_t)4 << 20)
#define SAMPLES_WANTED 4

static uint32_t usable_scale(const limberi_gl* gl, uint32_t width, uint32_t height, uint32_t scale) {
    GLint buffer_limit = 0;
    GLint viewport_limit[2] = {0, 0};
    gl->GetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &buffer_limit);
    gl->GetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport_limit);
    uint64_t limit = (uint64_t)(buffer_limit < viewport_limit[0] ? buffer_limit : viewport_limit[0]);
    limit = limit < (uint64_t)viewport_limit[1] ? limit : (uint64_t)viewport_limit[1];
    uint64_t longer = width > height ? width : height;
    while (scale > 0 && longer * scale > limit)
        scale--;
    return scale;
}

static void cut_into_strips(limberi_target* t) {
    uint64_t rows = STRIP_PIXEL_LIMIT / ((uint64_t)t->width * t->scale * t->scale);
    rows = rows < t->height ? rows : t->height;
    rows = rows > 1 ? rows : 1;
    t->strip_count = (t->height + (uint32_t)rows - 1) / (uint32_t)rows;
    t->strip_rows = (t->height + t->strip_count - 1) / t->strip_count;
}

static GLuint storage(const limberi_target* t, GLenum format, GLint samples) {
    GLuint id = 0;
    t->gl->GenRenderbuffers(1, &id);
    t->gl->BindRenderbuffer(GL_RENDERBUFFER, id);
    t->gl->RenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, (GLsizei)(t->width * t->scale),
                                          (GLsizei)(t->strip_rows * t->scale));
    return id;
}

static bool attach(const limberi_target* t, GLuint* framebuffer, GLuint color, GLuint depth) {
    const limberi_gl* gl = t->gl;
    gl->GenFramebuffers(1, framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, *framebuffer);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
    if (depth)
        gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    return gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

// sRGB storage makes blending and the multisample resolve happen in linear light.
static bool create_buffers(limberi_target* t) {
    GLint samples = 0;
    t->gl->GetInternalformativ(GL_RENDERBUFFER, GL_SRGB8_ALPHA8, GL_SAMPLES, 1, &samples);
    samples = samples < SAMPLES_WANTED ? samples : SAMPLES_WANTED;
    t->color = storage(t, GL_SRGB8_ALPHA8, samples);
    t->depth = storage(t, GL_DEPTH_COMPONENT24, samples);
    t->resolved = storage(t, GL_SRGB8_ALPHA8, 0);
    return attach(t, &t->framebuffer, t->color, t->depth) && attach(t, &t->resolved_framebuffer, t->resolved, 0);
}

static bool create_tables(limberi_target* t) {
    t->bytes = malloc((size_t)t->width * t->strip_rows * t->scale * t->scale * 4);
    t->linear_of_byte = malloc(256 * sizeof *t->linear_of_byte);
    t->byte_of_linear = malloc(65536);
    if (!t->bytes || !t->linear_of_byte || !t->byte_of_linear)
        return false;
    for (int i = 0; i < 256; i++)
        t->linear_of_byte[i] = (uint16_t)(limberi_linear_from_srgb((float)i / 255.0f) * 65535.0f + 0.5f);
    for (int i = 0; i < 65536; i++)
        t->byte_of_linear[i] = limberi_byte(limberi_srgb_from_linear((float)i / 65535.0f));
    return true;
}

limber_result limberi_target_create(const limberi_gl* gl, uint32_t width, uint32_t height, uint32_t scale,
                                    limberi_target* t, limber_error* error) {
    memset(t, 0, sizeof *t);
    t->gl = gl;
    t->width = width;
    t->height = height;
    t->scale = usable_scale(gl, width, height, scale);
    if (t->scale == 0)
        return limberi_fail(error, LIMBER_ERROR_LIMIT,
                            "a picture of %u x %u pixels is larger than the graphics driver can draw", width, height);
    cut_into_strips(t);
    if (!create_tables(t))
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for a picture of %u x %u pixels", width,
                            height);
    bool complete = create_buffers(t);
    limber_result result = limberi_gl_check(gl, "make a picture to draw into", error);
    if (result == LIMBER_OK && !complete)
        result = limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "the driver cannot draw into an sRGB picture");
    return result;
}

void limberi_target_destroy(limberi_target* t) {
    if (t->gl) {
        const GLuint renderbuffers[3] = {t->color, t->depth, t->resolved};
        const GLuint framebuffers[2] = {t->framebuffer, t->resolved_framebuffer};
        t->gl->DeleteRenderbuffers(3, renderbuffers);
        t->gl->DeleteFramebuffers(2, framebuffers);
    }
    free(t->bytes);
    free(t->linear_of_byte);
    free(t->byte_of_linear);
    memset(t, 0, sizeof *t);
}

static void resume(const limberi_target* t, uint32_t strip) {
    GLint below = (GLint)(strip * t->strip_rows * t->scale);
    t->gl->BindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
    t->gl->Viewport(0, -below, (GLsizei)(t->width * t->scale), (GLsizei)(t->height * t->scale));
}

void limberi_target_begin(const limberi_target* t, uint32_t strip) {
    resume(t, strip);
    t->gl->ClearColor(0, 0, 0, 0);
    t->gl->DepthMask(GL_TRUE);
    t->gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

// Premultiplied linear sums of one picture pixel to straight sRGB bytes.
static void finish_pixel(const limberi_target* t, const uint32_t sum[4], uint8_t* out) {
    uint32_t count = t->scale * t->scale;
    uint32_t alpha = sum[3]; // 255 * count when opaque
    out[3] = (uint8_t)((alpha + count / 2) / count);
    for (int c = 0; c < 3; c++) {
        uint64_t linear = alpha == 0 ? 0 : (uint64_t)sum[c] * 255 / alpha;
        linear = linear < 65535 ? linear : 65535;
        out[c] = out[3] == 0 ? 0 : t->byte_of_linear[linear];
    }
}

static void average(const limberi_target* t, uint32_t column, uint32_t row, uint32_t sum[4]) {
    size_t stride = (size_t)t->width * t->scale;
    memset(sum, 0, 4 * sizeof *sum);
    for (uint32_t y = 0; y < t->scale; y++) {
        const uint8_t* p = t->bytes + 4 * (((size_t)row * t->scale + y) * stride + (size_t)column * t->scale);
        for (uint32_t x = 0; x < t->scale; x++, p += 4) {
            for (int c = 0; c < 3; c++)
                sum[c] += t->linear_of_byte[p[c]];
            sum[3] += p[3];
        }
    }
}

static void read_back(const limberi_target* t) {
    const limberi_gl* gl = t->gl;
    GLint w = (GLint)(t->width * t->scale);
    GLint h = (GLint)(t->strip_rows * t->scale);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, t->framebuffer);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, t->resolved_framebuffer);
    gl->BlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    gl->BindFramebuffer(GL_FRAMEBUFFER, t->resolved_framebuffer);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 4);
    gl->ReadPixels(0, 0, w, h, GL_RGBA, GL_UNSIGNED_BYTE, t->bytes);
}

void limberi_target_read(const limberi_target* t, uint32_t strip, uint8_t* pixels) {
    uint32_t below = strip * t->strip_rows;
    read_back(t);
    for (uint32_t row = 0; row < t->strip_rows && below + row < t->height; row++) {
        uint8_t* out = pixels + 4 * (size_t)(t->height - 1 - below - row) * t->width;
        for (uint32_t column = 0; column < t->width; column++, out += 4) {
            uint32_t sum[4];
            average(t, column, row, sum);
            finish_pixel(t, sum, out);
        }
    }
}
