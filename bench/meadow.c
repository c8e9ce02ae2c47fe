// Thousands of cows, each with its own clip and time, drawn by the shader in one call.
#include "base/error.h"
#include "base/math.h"
#include "bench/gpu.h"
#include "characters/characters.h"
#include "render/film/picture.h"
#include "render/gl/gl.h"
#include "render/gl/target.h"
#include "render/shaders.h"

#include <stdlib.h>
#include <string.h>

static float scatter(uint32_t index, uint32_t which) {
    uint32_t h = index * 747796405u + which * 2891336453u + 1u;
    h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
    return (float)((h >> 22) ^ h) * (1.0f / 4294967296.0f);
}

// All clips but one that runs away.
static uint32_t clip_of(const limber_model* model, uint32_t index) {
    uint32_t count = model->clip_count > 3 ? 3 : model->clip_count;
    return (uint32_t)((float)count * scatter(index, 5)) % count;
}

limber_result bench_crowd_pose(const bench_crowd* crowd, double time_s, limber_error* error) {
    const limber_model* model = limber_asset_model(crowd->asset);
    // Clip by clip: a pipeline keeps what filters made of the clip it saw last.
    for (uint32_t clip = 0; clip < model->clip_count; clip++)
        for (uint32_t i = 0; i < crowd->count; i++) {
            const limber_clip* c = &model->clips[clip];
            double length = c->end_s - c->start_s;
            double at = time_s + length * (double)scatter(i, 6);
            if (clip_of(model, i) != clip)
                continue;
            at = c->start_s + (length > 0 ? fmod(at, length) : 0);
            if (limber_pipeline_evaluate_joints(crowd->pipeline, (int32_t)clip, at) != LIMBER_OK)
                return limberi_fail_memory(error);
            limber_result result = limberi_gpu_character_pose(crowd->character, i, error);
            if (result)
                return result;
        }
    return LIMBER_OK;
}

// Rows with gaps, nobody quite in line.
void bench_crowd_place(const bench_crowd* crowd, uint32_t index, float place[4]) {
    float size = limber_asset_model(crowd->asset)->size;
    uint32_t across = (uint32_t)ceilf(sqrtf((float)crowd->count * 0.8f));
    uint32_t row = index / across;
    float x = (float)(index % across) - 0.5f * (float)(across - 1);
    float z = (float)row;
    bool alone = crowd->count == 1;
    place[0] = alone ? 0 : 1.25f * size * (x + 0.7f * (scatter(index, 1) - 0.5f));
    place[1] = 0;
    place[2] = alone ? 0 : -1.25f * size * (z + 0.7f * (scatter(index, 2) - 0.5f));
    place[3] = alone ? 0 : 0.7f + 2.2f * (scatter(index, 3) - 0.5f);
}

// --- the picture ---

typedef struct meadow {
    bench_crowd crowd;
    limber_style* style;
    limberi_target target;
    limberi_program ground, shadow;
    GLuint places, vertex_array;
    limberi_gpu_camera camera;
    limber_vec3 right, up, forward;
} meadow;

static const float HAZE[3] = {0.62f, 0.74f, 0.84f};

static limber_result open_crowd(meadow* m, limberi_gpu* gpu, uint32_t count, limber_error* error) {
    const limberi_gpu_settings wanted = {.instances = count};
    m->crowd.count = count;
    limber_result result = limberi_character_create("cow", 1, &m->crowd.asset, error);
    if (!result)
        result = limber_style_create(&m->style, error);
    if (!result)
        result = limber_style_read_preset(m->style, "cartoon", error);
    if (!result)
        result = limber_pipeline_create(m->crowd.asset, m->style, &m->crowd.pipeline, error);
    if (result)
        return result;
    limber_pipeline_set_outputs(m->crowd.pipeline, LIMBER_OUTPUT_NORMALS);
    return limberi_gpu_character_create(gpu, m->crowd.pipeline, &wanted, &m->crowd.character, error);
}

// Stands before the first row, a little above the backs, and looks over the herd.
static void set_camera(meadow* m, float aspect) {
    float size = limber_asset_model(m->crowd.asset)->size;
    float half = 0.42f;
    float near = 0.2f * size;
    float far = 400 * size;
    limber_vec3 eye = limberi_vec3(0, 1.9f * size, 2.6f * size);
    m->forward = limberi_normalize(limberi_vec3(0, -0.25f, -1));
    limber_vec3 side = limberi_normalize(limberi_cross(m->forward, limberi_vec3(0, 1, 0)));
    limber_vec3 over = limberi_cross(side, m->forward);
    m->right = limberi_scale(side, half * aspect);
    m->up = limberi_scale(over, half);
    const limber_vec3 rows[2] = {limberi_scale(side, 1 / (half * aspect)), limberi_scale(over, 1 / half)};
    float* c = m->camera.clip_from_world;
    for (int row = 0; row < 2; row++) {
        c[row] = rows[row].x;
        c[4 + row] = rows[row].y;
        c[8 + row] = rows[row].z;
        c[12 + row] = -limberi_dot(rows[row], eye);
    }
    float depth = (far + near) / (far - near);
    float ahead = -limberi_dot(m->forward, eye);
    const float f[3] = {m->forward.x, m->forward.y, m->forward.z};
    for (int k = 0; k < 3; k++) {
        c[4 * k + 2] = depth * f[k];
        c[4 * k + 3] = f[k];
    }
    c[14] = depth * ahead - 2 * far * near / (far - near);
    c[15] = ahead;
    limberi_store3(m->camera.eye, eye);
    memcpy(m->camera.haze, HAZE, sizeof HAZE);
    m->camera.haze_per_distance = 0.008f / size;
}

static limber_result place_all(meadow* m, const limberi_gl* gl, limber_error* error) {
    float* places = calloc(m->crowd.count, 4 * sizeof *places);
    if (!places)
        return limberi_fail_memory(error);
    for (uint32_t i = 0; i < m->crowd.count; i++) {
        bench_crowd_place(&m->crowd, i, places + 4 * (size_t)i);
        limberi_gpu_character_place(m->crowd.character, i, places + 4 * (size_t)i);
    }
    gl->GenVertexArrays(1, &m->vertex_array);
    gl->BindVertexArray(m->vertex_array);
    gl->GenBuffers(1, &m->places);
    gl->BindBuffer(GL_ARRAY_BUFFER, m->places);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(16 * (size_t)m->crowd.count), places, GL_STATIC_DRAW);
    gl->EnableVertexAttribArray(0);
    gl->VertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 16, (const void*)0);
    gl->VertexAttribDivisor(0, 1);
    gl->BindVertexArray(0);
    free(places);
    return limberi_gl_check(gl, "place the cows", error);
}

static limber_result open_meadow(meadow* m, limberi_gpu* gpu, uint32_t count, uint32_t width, uint32_t height,
                                 limber_error* error) {
    const limberi_gl* gl = &limberi_gpu_context(gpu)->gl;
    limber_result result = open_crowd(m, gpu, count, error);
    if (!result)
        result = limberi_target_create(gl, width, height, 2, &m->target, error);
    if (!result)
        result = limberi_program_create(gl, "meadow", limberi_shader_fullscreen_vert, NULL, limberi_shader_meadow_frag,
                                        &m->ground, error);
    if (!result)
        result = limberi_program_create(gl, "meadow shadow", limberi_shader_meadow_shadow_vert, NULL,
                                        limberi_shader_meadow_shadow_frag, &m->shadow, error);
    if (!result)
        result = place_all(m, gl, error);
    if (!result)
        result = bench_crowd_pose(&m->crowd, 0.4, error);
    if (result)
        return result;
    set_camera(m, (float)width / (float)height);
    limberi_gpu_character_camera(m->crowd.character, &m->camera);
    return LIMBER_OK;
}

static void close_meadow(meadow* m, const limberi_gl* gl) {
    if (m->places) {
        gl->DeleteBuffers(1, &m->places);
        gl->DeleteVertexArrays(1, &m->vertex_array);
    }
    limberi_program_destroy(&m->ground);
    limberi_program_destroy(&m->shadow);
    if (m->target.gl)
        limberi_target_destroy(&m->target);
    limberi_gpu_character_destroy(m->crowd.character);
    limber_pipeline_destroy(m->crowd.pipeline);
    limber_style_destroy(m->style);
    limber_asset_destroy(m->crowd.asset);
}

static void draw_ground(const meadow* m, const limberi_gl* gl) {
    const limberi_program* p = &m->ground;
    gl->Disable(GL_DEPTH_TEST);
    gl->Disable(GL_BLEND);
    gl->Disable(GL_CULL_FACE);
    limberi_program_use(p);
    limberi_set_vec3(p, "eye", limberi_load3(m->camera.eye));
    limberi_set_vec3(p, "right", m->right);
    limberi_set_vec3(p, "up", m->up);
    limberi_set_vec3(p, "forward", m->forward);
    limberi_set_vec3(p, "haze", limberi_load3(m->camera.haze));
    limberi_set_float(p, "haze_per_distance", m->camera.haze_per_distance);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_shadows(const meadow* m, const limberi_gl* gl) {
    float size = limber_asset_model(m->crowd.asset)->size;
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    limberi_program_use(&m->shadow);
    gl->UniformMatrix4fv(gl->GetUniformLocation(m->shadow.id, "clip_from_world"), 1, GL_FALSE,
                         m->camera.clip_from_world);
    limberi_set_float2(&m->shadow, "radius", 0.24f * size, 0.42f * size);
    gl->BindVertexArray(m->vertex_array);
    gl->DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)m->crowd.count);
    gl->BindVertexArray(0);
    gl->Disable(GL_BLEND);
}

static limber_result draw(meadow* m, const limberi_gl* gl, limberi_picture* picture, limber_error* error) {
    for (uint32_t strip = 0; strip < m->target.strip_count; strip++) {
        limberi_target_begin(&m->target, strip);
        draw_ground(m, gl);
        draw_shadows(m, gl);
        gl->Enable(GL_DEPTH_TEST);
        gl->DepthMask(GL_TRUE);
        limber_result result = limberi_gpu_character_run(m->crowd.character, LIMBERI_GPU_DRAW, error);
        if (result)
            return result;
        limberi_target_read(&m->target, strip, picture->pixels);
    }
    return limberi_gl_check(gl, "draw the meadow", error);
}

limber_result bench_meadow(limberi_gpu* gpu, uint32_t count, uint32_t width, uint32_t height, const char* path,
                           limber_error* error) {
    const limberi_context* context = limberi_gpu_context(gpu);
    meadow m;
    limberi_picture picture = {0};
    memset(&m, 0, sizeof m);
    limber_result result = limberi_context_use(context, error);
    if (!result)
        result = open_meadow(&m, gpu, count, width, height, error);
    if (!result)
        result = limberi_picture_create(width, height, &picture, error);
    if (!result)
        result = draw(&m, &context->gl, &picture, error);
    if (!result)
        result = limberi_picture_save_png(&picture, path, error);
    limberi_picture_destroy(&picture);
    close_meadow(&m, &context->gl);
    return result;
}
