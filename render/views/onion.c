// Onion skins: the character some frames before and after, as ghosts behind it.
#include "render/views/onion.h"
#include "base/error.h"
#include "render/film/picture.h"
#include "render/views/views_private.h"

#include <stdlib.h>
#include <string.h>

struct limberi_onion {
    const limber_model* model;
    uint32_t count, step;
    uint32_t ghost_count; // in the current frame
    limberi_ghost* ghosts;
    float* memory; // positions and normals of all of them
};

limber_result limberi_onion_create(const limber_model* model, uint32_t count, uint32_t step, limberi_onion** onion,
                                   limber_error* error) {
    *onion = NULL;
    if (count == 0 || count > LIMBERI_ONION_LIMIT || step == 0)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "an onion skin must have 1 to %u ghosts on either side",
                            LIMBERI_ONION_LIMIT);
    limberi_onion* o = calloc(1, sizeof *o);
    size_t floats = 2 * (size_t)count * 6 * ((size_t)model->vertex_count + 1);
    if (o) {
        o->ghosts = calloc(2 * (size_t)count, sizeof *o->ghosts);
        o->memory = malloc(floats * sizeof *o->memory);
    }
    if (!o || !o->ghosts || !o->memory) {
        limberi_onion_destroy(o);
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for %u ghosts", 2 * count);
    }
    o->model = model;
    o->count = count;
    o->step = step;
    *onion = o;
    return LIMBER_OK;
}

void limberi_onion_destroy(limberi_onion* o) {
    if (!o)
        return;
    free(o->ghosts);
    free(o->memory);
    free(o);
}

// The nearer in time, the denser.
static void add_ghost(limberi_onion* o, int32_t number, const limber_frame* frame) {
    size_t size = 3 * ((size_t)o->model->vertex_count + 1);
    size_t used = 3 * (size_t)o->model->vertex_count;
    float* positions = o->memory + 2 * size * o->ghost_count;
    limberi_ghost* ghost = &o->ghosts[o->ghost_count++];
    const uint8_t* color = number < 0 ? limberi_view_past : limberi_view_future;
    uint32_t away = (uint32_t)abs(number);
    memcpy(positions, frame->positions, used * sizeof *positions);
    if (frame->normals)
        memcpy(positions + size, frame->normals, used * sizeof *positions);
    ghost->positions = positions;
    ghost->normals = frame->normals ? positions + size : NULL;
    for (int c = 0; c < 3; c++)
        ghost->color[c] = limberi_linear_from_srgb((float)color[c] / 255.0f);
    ghost->color[3] = 0.1f + 0.4f * (1.0f - (float)(away - 1) / (float)o->count);
}

limber_result limberi_onion_look(limberi_onion* o, limber_pipeline* pipeline, int32_t clip, double time_s, double fps,
                                 limber_error* error) {
    o->ghost_count = 0;
    if (clip < 0 || !(fps > 0))
        return LIMBER_OK;
    const limber_clip* shown = &o->model->clips[clip];
    bool wraps = shown->loops && !shown->travels;
    for (uint32_t i = 0; i < 2 * o->count; i++) { // the farthest in time first
        int32_t away = (int32_t)(o->count - i / 2);
        int32_t number = i % 2 ? away : -away;
        double at = time_s + (double)number * (double)o->step / fps;
        limber_smeared smeared;
        if (!wraps && (at < shown->start_s - 1e-6 || at > shown->end_s + 1e-6))
            continue;
        at = limber_clip_wrap(shown, wraps, at);
        if (limber_pipeline_evaluate_smeared(pipeline, clip, at, fps, &smeared) != LIMBER_OK)
            return limberi_fail(error, LIMBER_ERROR_DATA, "cannot evaluate the pose at %g s", at);
        add_ghost(o, number, &smeared.frame);
    }
    return LIMBER_OK;
}

void limberi_onion_show(const limberi_onion* o, limberi_renderer* renderer) {
    limberi_renderer_ghosts(renderer, o->ghosts, o->ghost_count);
}

void limberi_onion_frame(const limberi_onion* o, limberi_renderer* renderer) {
    for (uint32_t i = 0; i < o->ghost_count; i++)
        limberi_renderer_frame(renderer, o->ghosts[i].positions);
}
