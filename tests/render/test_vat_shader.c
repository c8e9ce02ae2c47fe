// The shader of docs/vat.md, compiled as it stands there: it gives back the vertices and normals that were written.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "io/file.h"
#include "render/gl/gl.h"
#include <limber/limber.h>

#include <png.h>

enum { FRAMES = 5, OUTPUTS = 6 };
static const double fps = 12;
static const double sideways = 1e-3; // of a normal

typedef struct scene {
    limber_asset* asset;
    limber_pipeline* pipeline;
    const limber_model* model;
    limberi_context context;
    char folder[64], path[128];
    float min[3], max[3];
    int width, height;
    float *wanted, *base; // [frame][vertex][position, normal]; positions of the first frame
} scene;

static limber_result give_frame(void* user, uint32_t index, const float** positions, const float** normals) {
    scene* s = user;
    limber_frame frame;
    limber_result result = limber_pipeline_evaluate(s->pipeline, 0, index / fps, &frame);
    if (result != LIMBER_OK)
        return result;
    *positions = frame.positions;
    *normals = frame.normals;
    for (uint32_t u = 0; u < s->model->vertex_count; u++) {
        float* to = s->wanted + OUTPUTS * ((size_t)index * s->model->vertex_count + u);
        memcpy(to, frame.positions + 3 * (size_t)u, 3 * sizeof *to);
        limberi_store3(to + 3, limberi_normalize(limberi_load3(frame.normals + 3 * (size_t)u)));
        if (!index)
            memcpy(s->base + 3 * (size_t)u, to, 3 * sizeof *to);
    }
    return LIMBER_OK;
}

static void make_pipeline(scene* s) {
    limber_error error;
    limber_style* style;
    assert_int_equal(limberi_character_create("dancer", 1, &s->asset, &error), LIMBER_OK);
    s->model = limber_asset_model(s->asset);
    assert_true(s->model->vertex_count > LIMBER_VAT_SIDE);
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, "cartoon", &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(s->asset, style, &s->pipeline, &error), LIMBER_OK);
    limber_style_destroy(style);
}

static void write_files(scene* s) {
    limber_error error;
    limber_cache_job job = limber_cache_job_default();
    job.model = s->model;
    job.fps = fps;
    job.frame_count = FRAMES;
    job.frame = give_frame;
    job.user = s;
    strcpy(s->folder, "/tmp/limber-vat-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    if (limber_vat_save(&job, NULL, s->folder, "d", &error) != LIMBER_OK)
        fail_msg("%s", error.message);
}

static char* read_text(const char* path) {
    limberi_arena arena = {0};
    limberi_bytes bytes;
    limber_error error;
    if (limberi_file_read(path, 1 << 20, &arena, &bytes, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    char* text = calloc(bytes.size + 1, 1);
    memcpy(text, bytes.data, bytes.size);
    limberi_arena_free(&arena);
    return text;
}

static const char* file_named(scene* s, const char* name) {
    snprintf(s->path, sizeof s->path, "%s/%s", s->folder, name);
    return s->path;
}

static void read_remap(scene* s) {
    char* text = read_text(file_named(s, "d-remap_info.json"));
    const char *min = strstr(text, "\"Min\": ["), *max = strstr(text, "\"Max\": [");
    assert_true(min && max);
    assert_int_equal(sscanf(min + 8, "%f, %f, %f", &s->min[0], &s->min[1], &s->min[2]), 3);
    assert_int_equal(sscanf(max + 8, "%f, %f, %f", &s->max[0], &s->max[1], &s->max[2]), 3);
    free(text);
}

// Nothing is drawn, but a context without a window wants something to draw to all the same.
static void make_target(const limberi_gl* gl) {
    GLuint texture, target;
    gl->GenTextures(1, &texture);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    gl->GenFramebuffers(1, &target);
    gl->BindFramebuffer(GL_FRAMEBUFFER, target);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
}

// Four numbers from 0 to 1 a pixel. libpng ends the test when it does not like the file.
static float* read_texture(scene* s) {
    FILE* file = fopen(file_named(s, "d_vat.png"), "rb");
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    assert_non_null(file);
    png_init_io(png, file);
    png_read_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
    s->width = (int)png_get_image_width(png, info);
    s->height = (int)png_get_image_height(png, info);
    assert_int_equal(png_get_bit_depth(png, info), 16);
    assert_int_equal(png_get_channels(png, info), 3);
    float* values = calloc(4 * (size_t)s->width * (size_t)s->height, sizeof *values);
    for (int y = 0; y < s->height; y++) {
        const uint8_t* row = png_get_rows(png, info)[y];
        for (int i = 0; i < 3 * s->width; i++)
            values[4 * (y * s->width + i / 3) + i % 3] = (float)(256 * row[2 * i] + row[2 * i + 1]) / 65535;
    }
    png_destroy_read_struct(&png, &info, NULL);
    fclose(file);
    return values;
}

static void upload_texture(scene* s) {
    const limberi_gl* gl = &s->context.gl;
    float* values = read_texture(s);
    GLuint texture;
    gl->GenTextures(1, &texture);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, s->width, s->height, 0, GL_RGBA, GL_FLOAT, values);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    free(values);
}

static void compile(const limberi_gl* gl, GLuint program, GLenum kind, const char* text) {
    GLuint shader = gl->CreateShader(kind);
    GLint good = 0;
    char log[512] = "";
    gl->ShaderSource(shader, 1, &text, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &good);
    gl->GetShaderInfoLog(shader, sizeof log, NULL, log);
    if (!good)
        fail_msg("%s", log);
    gl->AttachShader(program, shader);
    gl->DeleteShader(shader);
}

// What stands in the page between ```glsl and ```.
static GLuint make_program(const limberi_gl* gl) {
    static const char* const outputs[] = {"vat_position", "vat_normal"};
    char* page = read_text(getenv("LIMBER_VAT_PAGE"));
    char* start = strstr(page, "```glsl\n");
    assert_non_null(start);
    char* end = strstr(start + 8, "```");
    assert_non_null(end);
    *end = 0;
    GLuint program = gl->CreateProgram();
    GLint good = 0;
    compile(gl, program, GL_VERTEX_SHADER, start + 8);
    compile(gl, program, GL_FRAGMENT_SHADER,
            "#version 300 es\nprecision highp float;\nout vec4 color;\nvoid main() { color = vec4(0.0); }\n");
    gl->TransformFeedbackVaryings(program, 2, outputs, GL_INTERLEAVED_ATTRIBS);
    gl->LinkProgram(program);
    gl->GetProgramiv(program, GL_LINK_STATUS, &good);
    assert_true(good);
    free(page);
    return program;
}

static void bind_attribute(const limberi_gl* gl, GLuint place, GLint size, const float* values, size_t count) {
    GLuint buffer;
    gl->GenBuffers(1, &buffer);
    gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * (size_t)size * sizeof *values), values, GL_STATIC_DRAW);
    gl->EnableVertexAttribArray(place);
    gl->VertexAttribPointer(place, size, GL_FLOAT, GL_FALSE, 0, NULL);
}

// Columns, then further down; tests/js/vat.mjs reads the same from the mesh.
static float* make_lookup(const scene* s) {
    size_t count = s->model->vertex_count, width = (size_t)s->width;
    float* lookup = calloc(2 * count, sizeof *lookup);
    for (size_t u = 0; u < count; u++) {
        lookup[2 * u] = ((float)(u % width) + 0.5f) / (float)width;
        lookup[2 * u + 1] = ((float)(u / width * FRAMES) + 0.5f) / (float)s->height;
    }
    return lookup;
}

static void run_frame(const scene* s, GLuint program, GLuint buffer, float frame, float* got) {
    const limberi_gl* gl = &s->context.gl;
    GLsizeiptr bytes = (GLsizeiptr)(OUTPUTS * sizeof *got * s->model->vertex_count);
    gl->Uniform1f(gl->GetUniformLocation(program, "vat_frame"), frame);
    gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    gl->BufferData(GL_TRANSFORM_FEEDBACK_BUFFER, bytes, NULL, GL_STREAM_READ);
    gl->Enable(GL_RASTERIZER_DISCARD);
    gl->BeginTransformFeedback(GL_POINTS);
    gl->DrawArrays(GL_POINTS, 0, (GLsizei)s->model->vertex_count);
    gl->EndTransformFeedback();
    assert_int_equal(gl->GetError(), GL_NO_ERROR);
    const void* mapped = gl->MapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, bytes, GL_MAP_READ_BIT);
    assert_non_null(mapped);
    memcpy(got, mapped, (size_t)bytes);
    gl->UnmapBuffer(GL_TRANSFORM_FEEDBACK_BUFFER);
}

// Half way between two frames the shader blends them.
static void compare(const scene* s, float frame, const float* got) {
    size_t count = s->model->vertex_count;
    const float* a = s->wanted + OUTPUTS * count * (size_t)frame;
    const float* b = s->wanted + OUTPUTS * count * (size_t)ceilf(frame);
    double worst = 0, bound = 2e-6 * (double)s->model->size, part = (double)frame - floor((double)frame);
    for (int c = 0; c < 3; c++)
        bound += (double)(s->max[c] - s->min[c]) / 131070;
    for (size_t i = 0; i < OUTPUTS * count; i++) {
        double wanted = (double)a[i] + part * ((double)b[i] - (double)a[i]), off = fabs((double)got[i] - wanted);
        if (i % OUTPUTS < 3)
            worst = fmax(worst, off);
        else if (part == 0 && !(off < sideways))
            fail_msg("frame %g: the normal of vertex %zu is %g off", (double)frame, i / OUTPUTS, off);
    }
    if (!(worst < bound))
        fail_msg("frame %g: %g off, at most %g", (double)frame, worst, bound);
}

static void run_frames(scene* s) {
    static const float frames[] = {0, 1, 2.5f, FRAMES - 1};
    const limberi_gl* gl = &s->context.gl;
    size_t count = s->model->vertex_count;
    GLuint program = make_program(gl), array, buffer;
    float *lookup = make_lookup(s), *got = calloc(OUTPUTS * count, sizeof *got);
    gl->GenVertexArrays(1, &array);
    gl->BindVertexArray(array);
    gl->GenBuffers(1, &buffer);
    gl->UseProgram(program);
    bind_attribute(gl, 0, 3, s->base, count);
    bind_attribute(gl, 1, 2, lookup, count);
    gl->Uniform1i(gl->GetUniformLocation(program, "vat_frames"), FRAMES);
    gl->Uniform3fv(gl->GetUniformLocation(program, "vat_min"), 1, s->min);
    gl->Uniform3fv(gl->GetUniformLocation(program, "vat_max"), 1, s->max);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        run_frame(s, program, buffer, frames[i], got);
        compare(s, frames[i], got);
    }
    assert_int_equal(gl->GetError(), GL_NO_ERROR);
    free(lookup);
    free(got);
}

static void remove_files(scene* s) {
    static const char* const names[] = {"d_vat.png", "d-remap_info.json", "d.glb"};
    for (int i = 0; i < 3; i++)
        assert_int_equal(remove(file_named(s, names[i])), 0);
    assert_int_equal(rmdir(s->folder), 0);
}

static void test_the_shader_of_the_page_plays_the_textures(void** state) {
    scene s;
    limber_error error;
    (void)state;
    memset(&s, 0, sizeof s);
    if (limberi_context_create(&s.context, &error) != LIMBER_OK) {
        print_message("skipped: %s\n", error.message);
        skip();
    }
    make_pipeline(&s);
    s.wanted = calloc((size_t)OUTPUTS * FRAMES * s.model->vertex_count, sizeof *s.wanted);
    s.base = calloc((size_t)3 * s.model->vertex_count, sizeof *s.base);
    write_files(&s);
    read_remap(&s);
    make_target(&s.context.gl);
    upload_texture(&s);
    run_frames(&s);
    remove_files(&s);
    limberi_context_destroy(&s.context);
    limber_pipeline_destroy(s.pipeline);
    limber_asset_destroy(s.asset);
    free(s.wanted);
    free(s.base);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_shader_of_the_page_plays_the_textures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
