// Runs a compute shader made by `./dev shaders` on a Vulkan driver, and compares what it writes with the engine.
//   vulkan_deform FILE.spv INFLUENCES STYLES CHARACTER...
// STYLES is a file with a style per line, as JSON after a title and a tab. A character is a built-in one or a .glb file.
// Prints a line per character and style: name, title, frames, how far the two are apart at most and how far effects move
// a vertex (of L), and the share of normals that are more than three degrees off. 77: there is no driver.
#include "characters/characters.h"
#include "tests/web/vulkan_device.h"
#include <limber/limber.h>
#include <limber/pack.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_DRIVER = 77, FRAMES = 3 };

typedef struct stage {
    vulkan_device* vulkan;
    uint32_t influences;
    const limber_asset* asset;
    const limber_model* model;
    limber_pipeline* pipeline;
    limber_pack* pack;
    limber_pack_layout layout;
    vulkan_memory all[BIND_COUNT];
    float* texels;
} stage;

typedef struct tally {
    uint32_t frames;
    double apart, moved;
    uint64_t normals, turned;
} tally;

static int complain(const char* what, const limber_error* error) {
    fprintf(stderr, "vulkan_deform: %s: %s\n", what, error ? error->message : "failed");
    return 1;
}

// --- one style ---

static bool make_memory(stage* s) {
    size_t vertices = s->model->vertex_count;
    uint32_t rows = (s->layout.max_texels + LIMBER_PACK_WIDTH - 1) / LIMBER_PACK_WIDTH;
    uint32_t obeyed_rows = s->layout.obeyed_texels / LIMBER_PACK_WIDTH + 1;
    const size_t sizes[BIND_COUNT] = {[BIND_FRAME] = 36 * sizeof(int32_t),
                                      [BIND_POSITIONS] = 12 * vertices,
                                      [BIND_POSITIONS + 1] = 12 * vertices,
                                      [BIND_POSITIONS + 2] = s->layout.joint_bytes * vertices,
                                      [BIND_POSITIONS + 3] = s->layout.column_bytes * vertices,
                                      [BIND_RESULT] = 32 * vertices};
    if (!vulkan_make_texture(s->vulkan, LIMBER_PACK_WIDTH, rows, &s->all[BIND_TEXTURE]) ||
        !vulkan_make_texture(s->vulkan, LIMBER_PACK_WIDTH, obeyed_rows, &s->all[BIND_OBEYED]))
        return false;
    for (uint32_t i = BIND_FRAME; i < BIND_COUNT; i++)
        if (!vulkan_make_buffer(
                s->vulkan, sizes[i],
                i == BIND_FRAME ? VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &s->all[i]))
            return false;
    size_t texels = (size_t)(rows > obeyed_rows ? rows : obeyed_rows) * LIMBER_PACK_WIDTH;
    return (s->texels = calloc(texels, 4 * sizeof(float))) != NULL;
}

static void put_texels(vulkan_memory* texture, const float* texels, size_t count) {
    for (size_t at = 0; at < count; at += LIMBER_PACK_WIDTH) {
        size_t left = count - at, row = left < LIMBER_PACK_WIDTH ? left : LIMBER_PACK_WIDTH;
        memcpy(texture->bytes + at / LIMBER_PACK_WIDTH * texture->row_bytes, texels + 4 * at, 16 * row);
    }
}

static int32_t* numbers_of(stage* s) {
    return (int32_t*)(void*)s->all[BIND_FRAME].bytes;
}

static void put_once(stage* s) {
    int32_t* numbers = numbers_of(s);
    limber_pack_write_settings(s->pack, numbers);
    numbers[32] = (int32_t)s->model->vertex_count;
    numbers[33] = (int32_t)(s->layout.column_bytes / 2);
    numbers[34] = numbers[35] = 0;
    limber_pack_write_joints(s->pack, s->all[BIND_POSITIONS + 2].bytes);
    if (s->layout.obeyed_texels) {
        limber_pack_write_obeyed(s->pack, s->texels);
        put_texels(&s->all[BIND_OBEYED], s->texels, s->layout.obeyed_texels);
    }
}

static void close_style(stage* s) {
    for (uint32_t i = 0; i < BIND_COUNT; i++)
        vulkan_drop(s->vulkan, &s->all[i]);
    free(s->texels);
    s->texels = NULL;
    limber_pack_destroy(s->pack);
    limber_pipeline_destroy(s->pipeline);
    s->pack = NULL;
    s->pipeline = NULL;
}

// False, without a word, where the shader for this many influences does not do this style.
static bool open_style(stage* s, const char* text, int* status) {
    limber_style* style = NULL;
    limber_error error;
    limber_result result = limber_style_create(&style, &error);
    if (!result)
        result = limber_style_read(style, text, strlen(text), &error);
    if (!result)
        result = limber_pipeline_create(s->asset, style, &s->pipeline, &error);
    limber_style_destroy(style);
    if (!result)
        result = limber_pack_create(s->pipeline, true, &s->pack, &error);
    if (result && result != LIMBER_ERROR_UNSUPPORTED)
        *status = complain(text, &error);
    if (result)
        return false;
    s->layout = limber_pack_get_layout(s->pack);
    if (s->layout.influences != s->influences)
        return false;
    if (!make_memory(s)) {
        *status = complain("memory of the driver", NULL);
        return false;
    }
    put_once(s);
    return true;
}

// --- one frame ---

static void put_surfaces(stage* s) {
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        const float* surface[2];
        limber_pack_surface(s->pack, m, &surface[0], &surface[1]);
        for (uint32_t i = 0; i < 2; i++)
            memcpy(s->all[BIND_POSITIONS + i].bytes + 12 * (size_t)mesh->first_vertex, surface[i],
                   12 * (size_t)mesh->vertex_count);
    }
}

static double distance(const float* a, const float* b) {
    double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1], z = (double)a[2] - (double)b[2];
    return sqrt(x * x + y * y + z * z);
}

static double cosine(const float* a, const float* b) {
    const float zero[3] = {0, 0, 0};
    double dot = (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2];
    return dot / (distance(a, zero) * distance(b, zero));
}

static void compare(const stage* s, const limber_frame* frame, tally* t) {
    const float* got = (const float*)(const void*)s->all[BIND_RESULT].bytes;
    for (size_t u = 0; u < s->model->vertex_count; u++) {
        double apart = distance(frame->positions + 3 * u, got + 8 * u) / (double)s->model->size;
        t->apart = apart <= t->apart ? t->apart : apart; // also where it is not a number
        t->moved = fmax(t->moved, distance(frame->positions + 3 * u, frame->skinned + 3 * u) / (double)s->model->size);
        t->normals++;
        t->turned += !(cosine(frame->normals + 3 * u, got + 8 * u + 4) > cos(3 * 3.14159265 / 180));
    }
    t->frames++;
}

static int run_frame(stage* s, double time_s, const char* title, tally* t) {
    limber_frame frame;
    limber_error error;
    uint32_t texel_count;
    int16_t* columns = (int16_t*)(void*)s->all[BIND_POSITIONS + 3].bytes;
    int32_t clip = s->model->clip_count ? 0 : -1;
    if (limber_pipeline_evaluate(s->pipeline, clip, time_s, &frame) != LIMBER_OK)
        return complain(title, NULL);
    if (limber_pack_evaluate(s->pack, s->texels, &texel_count, s->layout.column_bytes ? columns : NULL, &error) !=
        LIMBER_OK)
        return complain(title, &error);
    put_texels(&s->all[BIND_TEXTURE], s->texels, texel_count);
    put_surfaces(s);
    memset(s->all[BIND_RESULT].bytes, 0xff, 32 * (size_t)s->model->vertex_count); // not a number
    if (!vulkan_run(s->vulkan, s->all, (s->model->vertex_count + 63) / 64))
        return complain(title, NULL);
    compare(s, &frame, t);
    return 0;
}

// --- everything ---

static int run_style(stage* s, char* line, const char* name) {
    int status = 0;
    tally t = {0};
    char* text = strchr(line, '\t');
    if (!text)
        return complain(line, NULL);
    *text++ = 0;
    bool open = open_style(s, text, &status);
    double from = s->model->clip_count ? s->model->clips[0].start_s : 0;
    double span = s->model->clip_count ? s->model->clips[0].end_s - from : 0;
    for (int i = 0; open && !status && i < FRAMES; i++)
        status = run_frame(s, from + span * (0.15 + 0.3 * i), line, &t);
    close_style(s);
    if (!status && t.frames)
        printf("%s\t%s\t%u\t%.3g\t%.3g\t%.3g\n", name, line, t.frames, t.apart, t.moved,
               (double)t.turned / (double)t.normals);
    return status;
}

static int run_styles(stage* s, const char* styles, const char* name) {
    static char line[8192];
    FILE* file = fopen(styles, "r");
    int status = file ? 0 : complain(styles, NULL);
    while (!status && fgets(line, sizeof line, file))
        status = run_style(s, line, name);
    if (file)
        fclose(file);
    return status;
}

static int run_character(vulkan_device* v, const char* influences, const char* styles, const char* name) {
    limber_error error;
    limber_gltf* gltf = NULL;
    limber_asset* own = NULL;
    stage s = {.vulkan = v, .influences = (uint32_t)strtoul(influences, NULL, 10)};
    limber_result result = strstr(name, ".glb") ? limber_gltf_load_file(name, NULL, &gltf, &error)
                                                : limberi_character_create(name, 1, &own, &error);
    if (result)
        return complain(name, &error);
    s.asset = gltf ? limber_gltf_asset(gltf) : own;
    s.model = limber_asset_model(s.asset);
    int status = run_styles(&s, styles, name);
    limber_asset_destroy(own);
    limber_gltf_destroy(gltf);
    return status;
}

static uint32_t* read_words(const char* path, size_t* bytes) {
    static uint32_t words[1 << 18];
    FILE* file = fopen(path, "rb");
    *bytes = file ? fread(words, 1, sizeof words, file) : 0;
    if (file)
        fclose(file);
    return *bytes >= 20 && *bytes < sizeof words ? words : NULL;
}

int main(int count, char** args) {
    vulkan_device v;
    size_t bytes;
    if (count < 5)
        return complain("usage: vulkan_deform FILE.spv INFLUENCES STYLES CHARACTER...", NULL);
    const uint32_t* words = read_words(args[1], &bytes);
    if (!words)
        return complain(args[1], NULL);
    int status = 0;
    if (!vulkan_open(&v)) {
        printf("there is no Vulkan driver here (Debian: mesa-vulkan-drivers)\n");
        status = NO_DRIVER;
    } else if (!vulkan_load(&v, words, bytes)) {
        status = complain(args[1], NULL);
    } else {
        printf("on\t%s\n", v.properties.deviceName);
        for (int i = 4; !status && i < count; i++)
            status = run_character(&v, args[2], args[3], args[i]);
    }
    vulkan_close(&v);
    return status;
}
