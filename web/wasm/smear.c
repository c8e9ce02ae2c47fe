// Live smears on a graphics card: what it has to keep and to read (smear/smear_pack.h).
#include "base/error.h"
#include "smear/smear_pack.h"
#include "web/wasm/web.h"

#include <stdlib.h>

typedef struct web_smear {
    const web_pipeline* pipeline;
    limber_smear_live* live;
    limberi_smear_pack* pack;
} web_smear;

void WEB_EXPORT(smear_destroy)(web_smear* s) {
    if (!s)
        return;
    limberi_smear_pack_destroy(s->pack);
    limber_smear_live_destroy(s->live);
    free(s);
}

// 0: the CPU has to smear, limberi_web_error says why.
web_smear* WEB_EXPORT(smear_create)(const web_pipeline* p, double fps, uint32_t history, float teleport) {
    limber_smear_live_settings chosen = limber_smear_live_settings_default();
    chosen.fps = fps;
    chosen.history = history;
    chosen.teleport = teleport;
    web_smear* s = calloc(1, sizeof *s);
    if (!s) {
        limberi_fail_memory(&limberi_web_error);
        return NULL;
    }
    s->pipeline = p;
    const limber_smear_settings* settings = &limber_pipeline_stage_settings(p->pipeline)->smear;
    if (limberi_smear_live_create_for_gpu(limberi_web_asset(p->character), settings, &chosen, &s->live,
                                          &limberi_web_error) ||
        limberi_smear_pack_create(s->live, &s->pack, &limberi_web_error)) {
        smear_destroy(s);
        return NULL;
    }
    return s;
}

uint32_t WEB_EXPORT(smear_number)(const web_smear* s, uint32_t which) {
    limberi_smear_pack_layout l = limberi_smear_pack_get_layout(s->pack);
    const uint32_t numbers[] = {
        l.fixed_texels, l.frame_texels, l.places, l.place_texels, l.chunks,
        l.joints,       l.steps,        l.copies, l.lines,        limber_smear_live_mesh_count(s->live)};
    return which < sizeof numbers / sizeof *numbers ? numbers[which] : 0;
}

const char* WEB_EXPORT(smear_formulas)(const web_smear* s) {
    return limberi_smear_pack_formulas(s->pack);
}

const float* WEB_EXPORT(smear_fixed)(const web_smear* s) {
    return limberi_smear_pack_fixed(s->pack);
}

void WEB_EXPORT(smear_reset)(web_smear* s) {
    limber_smear_live_reset(s->live);
}

// The pose that was pushed last to a stream of the pipeline. Returns the place of its vertices.
uint32_t WEB_EXPORT(smear_push)(web_smear* s, double time_s) {
    limber_smear_live_push(s->live, NULL, NULL, limberi_pipeline_state_of(s->pipeline->pipeline).pose, time_s);
    return limberi_smear_live_place(s->live);
}

const float* WEB_EXPORT(smear_frame)(web_smear* s) {
    return limberi_smear_pack_frame(s->pack);
}

// Copies, then lines: kind, number of the copy, mesh it copies, vertices, triangles.
int32_t WEB_EXPORT(smear_mesh)(const web_smear* s, uint32_t i, uint32_t which) {
    const limber_smear_mesh* m = limber_smear_live_mesh(s->live, i);
    const int32_t numbers[] = {(int32_t)m->kind, m->number, (int32_t)m->source, (int32_t)m->vertex_count,
                               (int32_t)m->triangle_count};
    return which < 5 ? numbers[which] : 0;
}

const uint32_t* WEB_EXPORT(smear_triangles)(const web_smear* s, uint32_t i) {
    return limber_smear_live_mesh(s->live, i)->triangles;
}
