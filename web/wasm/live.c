// Poses that come from outside, one by one.
#include "base/error.h"
#include "web/wasm/web.h"

#include <stdlib.h>
#include <string.h>

void limberi_web_free_live(web_live* l) {
    limber_live_destroy(l->live);
    free(l->local);
    free(l->morph_weights);
    free(l);
}

static bool level_ground(void* user, float x, float z, float* height) {
    const web_live* l = user;
    (void)x;
    (void)z;
    *height = l->ground;
    return l->has_ground;
}

// Level ground at a height; NaN: none.
void WEB_EXPORT(live_ground)(web_live* l, float height) {
    l->has_ground = height == height;
    l->ground = height;
    limber_live_set_ground(l->live, l->has_ground ? level_ground : NULL, l);
}

// `before` (may be NULL): a stream of another pipeline of the character, whose motion goes on.
web_live* WEB_EXPORT(live_create)(web_pipeline* p, const web_live* before) {
    const limber_model* model = p->character->model;
    web_live* l = calloc(1, sizeof *l);
    if (l) {
        l->local = calloc((size_t)model->rig.joint_count + 1, sizeof *l->local);
        l->morph_weights = calloc((size_t)model->morph_count + 1, sizeof *l->morph_weights);
    }
    limber_result result =
        l && l->local && l->morph_weights
            ? limber_live_create(p->pipeline, before ? before->live : NULL, &l->live, &limberi_web_error)
            : limberi_web_fail(LIMBER_ERROR_MEMORY);
    if (result || !l || !l->local) {
        if (l)
            limberi_web_free_live(l);
        return NULL;
    }
    memcpy(l->local, model->rig.rest_local, model->rig.joint_count * sizeof *l->local);
    if (before && before->has_ground)
        live_ground(l, before->ground);
    l->owner = p;
    l->after = p->lives;
    if (p->lives)
        p->lives->before = l;
    p->lives = l;
    return l;
}

void WEB_EXPORT(live_destroy)(web_live* l) {
    if (l->before)
        l->before->after = l->after;
    else
        l->owner->lives = l->after;
    if (l->after)
        l->after->before = l->before;
    limberi_web_free_live(l);
}

// Where the caller writes local transforms (10 floats per joint) and morph weights.
float* WEB_EXPORT(live_array)(web_live* l, uint32_t which) {
    return which == 0 ? &l->local->translation.x : l->morph_weights;
}

int32_t WEB_EXPORT(live_push)(web_live* l, int32_t morphs, double time_s) {
    limber_result result = limber_live_push(l->live, l->local, morphs ? l->morph_weights : NULL, time_s);
    if (result)
        limberi_fail(&limberi_web_error, result, "a number of the pose is not finite");
    return (int32_t)result;
}

void WEB_EXPORT(live_reset)(web_live* l) {
    limber_live_reset(l->live);
}
