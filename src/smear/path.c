// Paths of vertices: uniform Catmull-Rom through their places in the frames (SMEAR, section 4.1).
#include "smear/smear_private.h"

#include <string.h>

// Weights of the steps between the four frames around the point, so that unmoved vertices keep their exact place.
typedef struct step_weights {
    int32_t frame; // the point lies between this one and the next
    float before, within, after;
} step_weights;

static inline step_weights weights_at(float amount) {
    float whole = floorf(amount);
    float t = amount - whole;
    float half = 0.5f * t;
    step_weights w;
    w.frame = (int32_t)whole;
    w.before = half * (1 + t * (t - 2));
    w.within = half * (1 + t * (3 - 2 * t));
    w.after = half * t * (t - 1);
    return w;
}

static inline float along(float p0, float p1, float p2, float p3, const step_weights* w) {
    return p1 + (w->before * (p1 - p0) + w->within * (p2 - p1) + w->after * (p3 - p2));
}

limber_vec3 limberi_smear_path(const limber_smear_frame* frames, int32_t first, int32_t last, uint32_t vertex,
                               float amount) {
    step_weights w = weights_at(fminf(fmaxf(amount, (float)first), (float)last));
    limber_vec3 p[4];
    for (int32_t k = 0; k < 4; k++) {
        int32_t frame = w.frame + k - 1;
        frame = frame < last ? frame : last;
        frame = frame > first ? frame : first;
        p[k] = limberi_load3(frames[frame - first].positions + 3 * (size_t)vertex);
    }
    return limberi_vec3(along(p[0].x, p[1].x, p[2].x, p[3].x, &w), along(p[0].y, p[1].y, p[2].y, p[3].y, &w),
                        along(p[0].z, p[1].z, p[2].z, p[3].z, &w));
}

void limberi_smear_copy(const limber_smear_frame* frames, int32_t first, float amount, size_t from, size_t count,
                        float* out) {
    step_weights w = weights_at(amount);
    const limber_smear_frame* at = frames + (w.frame - first);
    const float* p1 = at->positions + from;
    if (w.within == 0) {
        memcpy(out, p1, count * sizeof *out);
        return;
    }
    const float* p0 = at[-1].positions + from;
    const float* p2 = at[1].positions + from;
    const float* p3 = at[2].positions + from;
    for (size_t i = 0; i < count; i++)
        out[i] = along(p0[i], p1[i], p2[i], p3[i], &w);
}

void limberi_smear_move(const limber_smearer* s, const limber_smear_frame* frames, int32_t first, float* out) {
    for (size_t u = 0; u < s->model->vertex_count; u++) {
        step_weights w = weights_at(s->amounts[u]);
        const limber_smear_frame* at = frames + (w.frame - first);
        const float* p1 = at->positions + 3 * u;
        if (w.within == 0) { // on a frame: the neighbours may not even be there
            memcpy(out + 3 * u, p1, 3 * sizeof *out);
            continue;
        }
        const float* p0 = at[-1].positions + 3 * u;
        const float* p2 = at[1].positions + 3 * u;
        const float* p3 = at[2].positions + 3 * u;
        for (size_t c = 0; c < 3; c++)
            out[3 * u + c] = along(p0[c], p1[c], p2[c], p3[c], &w);
    }
}
