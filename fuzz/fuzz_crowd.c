// Fuzzes crowds: the bytes make a valid character, a style, and members of any clip at any time. A call that is wrong is
// refused with a reason; otherwise the vertices are those of the pipeline, to the bit.
#include "fuzz/kit/look.h"
#include "fuzz/kit/rig.h"
#include "fuzz/kit/run.h"

#include <limber/crowd.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 2, MEMBERS = 6 };

typedef struct stage {
    const limber_model* model;
    limber_pipeline* pipelines[KINDS];
    limber_crowd_settings settings;
    limber_crowd* crowd;
    limber_crowd_member members[MEMBERS + 1];
    limber_crowd_memory memory;
    uint8_t changed[MEMBERS + 1];
} stage;

static void* room(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    FUZZ_CHECK(memory != NULL);
    return memory;
}

static double pick_time(fuzz_bytes* b) {
    return fuzz_chance(b, 200) ? (double)fuzz_mild(b) : (double)fuzz_wild(b);
}

static void pick_members(fuzz_bytes* b, stage* s) {
    for (int i = 0; i <= MEMBERS; i++) {
        limber_crowd_member* m = &s->members[i];
        m->kind = fuzz_below(b, fuzz_chance(b, 4) ? KINDS + 1 : KINDS);
        m->clip = (int32_t)fuzz_below(b, s->model->clip_count + 1) - 1;
        if (fuzz_chance(b, 4))
            m->clip = (int32_t)s->model->clip_count;
        m->start_s = pick_time(b);
        m->speed = fuzz_chance(b, 128) ? 1 : pick_time(b);
        m->every = fuzz_below(b, 3);
    }
}

static void open_memory(stage* s) {
    size_t palette = 0, texels = 0, columns = 0;
    for (uint32_t i = 0; i < s->model->skin_count; i++)
        palette += 16 * (size_t)s->model->skins[i].joint_count;
    for (uint32_t k = 0; k < KINDS && s->settings.outputs & LIMBER_CROWD_TEXELS; k++) {
        limber_pack_layout layout = limber_crowd_layout(s->crowd, k);
        size_t bytes = (size_t)layout.column_bytes * s->model->vertex_count;
        texels = 4 * (size_t)layout.max_texels > texels ? 4 * (size_t)layout.max_texels : texels;
        columns = bytes / 2 > columns ? bytes / 2 : columns;
    }
    s->memory.palette_stride = palette;
    s->memory.palettes = room(MEMBERS * palette, sizeof(float));
    s->memory.texel_stride = texels;
    s->memory.texels = room(MEMBERS * texels, sizeof(float));
    s->memory.column_stride = columns;
    s->memory.columns = room(MEMBERS * columns, sizeof(int16_t));
    s->memory.vertex_stride = 3 * (size_t)s->model->vertex_count;
    s->memory.positions = room(MEMBERS * s->memory.vertex_stride, sizeof(float));
    s->memory.normals = room(MEMBERS * s->memory.vertex_stride, sizeof(float));
    s->memory.changed = s->changed;
}

static void close_memory(stage* s) {
    free(s->memory.palettes);
    free(s->memory.texels);
    free(s->memory.columns);
    free(s->memory.positions);
    free(s->memory.normals);
}

static void compare(const stage* s, uint32_t i, double now_s) {
    const limber_crowd_member* m = &s->members[i];
    limber_frame frame;
    size_t numbers = s->memory.vertex_stride;
    double time_s = limber_crowd_time(s->crowd, m, now_s);
    bool normals = s->settings.outputs & LIMBER_CROWD_NORMALS; // with other outputs sums are rounded in another order
    limber_pipeline_set_outputs(s->pipelines[m->kind], normals ? LIMBER_OUTPUT_NORMALS : 0);
    if (!s->changed[i] || limber_pipeline_evaluate(s->pipelines[m->kind], m->clip, time_s, &frame) != LIMBER_OK)
        return;
    FUZZ_CHECK(memcmp(frame.positions, s->memory.positions + i * numbers, numbers * sizeof(float)) == 0);
}

static void play(fuzz_bytes* b, stage* s) {
    for (uint64_t frame = 0; frame < 3; frame++) {
        limber_error error = {0};
        uint32_t count = fuzz_chance(b, 8) ? MEMBERS + 1 : fuzz_below(b, MEMBERS + 1);
        double now_s = pick_time(b);
        pick_members(b, s);
        limber_result result = limber_crowd_evaluate(s->crowd, s->members, count, now_s, frame, &s->memory, &error);
        FUZZ_CHECK(result == LIMBER_OK || error.message[0]);
        bool vertices = s->settings.outputs & LIMBER_CROWD_POSITIONS && !(s->settings.step_s > 0);
        for (uint32_t i = 0; result == LIMBER_OK && vertices && i < count; i++)
            compare(s, i, now_s);
    }
}

static void make_crowd(fuzz_bytes* b, stage* s, const limber_asset* asset, const limber_style* style) {
    const limber_crowd_kind kinds[KINDS] = {{asset, style}, {asset, NULL}};
    limber_parallel workers = fuzz_workers();
    limber_error error = {0};
    s->settings = limber_crowd_settings_default();
    s->settings.kinds = kinds;
    s->settings.kind_count = KINDS;
    s->settings.member_limit = MEMBERS;
    s->settings.outputs = fuzz_chance(b, 200) ? LIMBER_CROWD_POSITIONS | fuzz_below(b, 16) : fuzz_below(b, 32);
    s->settings.step_s = fuzz_chance(b, 170) ? 0 : pick_time(b);
    s->settings.parallel = fuzz_chance(b, 128) ? &workers : NULL;
    if (limber_crowd_create(&s->settings, &s->crowd, &error) != LIMBER_OK) {
        FUZZ_CHECK(error.message[0] != 0);
        return;
    }
    open_memory(s);
    play(b, s);
    close_memory(s);
    limber_crowd_destroy(s->crowd);
}

void fuzz_run(fuzz_bytes* bytes) {
    stage s = {0};
    bool mild;
    limber_asset* asset = fuzz_rig(bytes, &mild);
    if (!asset)
        return;
    limber_style* style = fuzz_look(bytes, &mild);
    s.model = limber_asset_model(asset);
    s.pipelines[0] = fuzz_pipeline(asset, style);
    s.pipelines[1] = fuzz_pipeline(asset, NULL);
    if (s.pipelines[0] && s.pipelines[1])
        make_crowd(bytes, &s, asset, style);
    limber_pipeline_destroy(s.pipelines[0]);
    limber_pipeline_destroy(s.pipelines[1]);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}
