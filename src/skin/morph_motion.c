// Effects of morph targets that move: drag and squash of the vertices they move (thesis, section 7.2, open there).
#include "base/math.h"
#include "skin/skin.h"

#include <string.h>

static const float min_stretch = 0.1f; // as that of the effect squash

// v = sum w' d
static bool find_velocities(const limberi_morph_job* job, float* out) {
    size_t numbers = 3 * (size_t)job->mesh->vertex_count;
    bool any = false;
    memset(out, 0, numbers * sizeof *out);
    for (uint32_t m = 0; m < job->mesh->morph_count; m++) {
        float rate = job->rates[m];
        if (rate == 0 || !isfinite(rate))
            continue;
        for (size_t i = 0; i < numbers; i++)
            out[i] += rate * job->mesh->morphs[m].positions[i];
        any = true;
    }
    return any;
}

// The middle of what moves: vertices count by their area and by how fast they are.
static limber_vec3 middle_of(const limberi_morph_job* job, const float* velocities) {
    double sum[3] = {0, 0, 0};
    double whole = 0;
    for (size_t u = 0; u < job->mesh->vertex_count; u++) {
        double share = (double)limberi_length(limberi_load3(velocities + 3 * u));
        share *= job->mesh->areas ? (double)job->mesh->areas[u] : 1;
        whole += share;
        for (size_t c = 0; c < 3; c++)
            sum[c] += share * (double)job->positions[3 * u + c];
    }
    double per = whole > 0 ? 1 / whole : 0;
    return limberi_vec3((float)(sum[0] * per), (float)(sum[1] * per), (float)(sum[2] * per));
}

// Along the velocity, thinner across it; the volume stays.
static limber_vec3 squash(const limberi_morph_job* job, limber_vec3 arm, limber_vec3 velocity) {
    float speed = limberi_length(velocity);
    limber_vec3 direction = limberi_scale(velocity, 1 / speed);
    float stretch = fmaxf(1 + (float)(job->settings.squash / job->size) * speed, min_stretch);
    float thin = 1 / sqrtf(stretch) - 1;
    float along = limberi_dot(arm, direction) * (stretch - 1 - thin);
    return limberi_add(limberi_scale(arm, thin), limberi_scale(direction, along));
}

static limber_vec3 held(limber_vec3 d, float max) {
    float part = max > 0 ? limberi_length(d) / max : 0;
    d = limberi_scale(d, 1 / sqrtf(1 + part * part));
    // Enormous gains overflow; what is not a number moves nothing.
    return limberi_dot(d, d) < 1e30f ? d : limberi_vec3(0, 0, 0);
}

bool limberi_morph_move(const limberi_morph_job* job, float* out) {
    if (!limberi_morphs_are_on(&job->settings) || !(job->size > 0) || !find_velocities(job, out))
        return false;
    limber_vec3 middle = limberi_vec3(0, 0, 0);
    if (job->settings.squash != 0)
        middle = middle_of(job, out);
    float max = (float)(job->settings.max * job->size);
    for (size_t i = 0; i < 3 * (size_t)job->mesh->vertex_count; i += 3) {
        limber_vec3 p = limberi_load3(job->positions + i);
        limber_vec3 velocity = limberi_load3(out + i);
        limber_vec3 d = limberi_scale(velocity, -(float)job->settings.drag);
        if (job->settings.squash != 0 && limberi_dot(velocity, velocity) > 0)
            d = limberi_add(d, squash(job, limberi_sub(p, middle), velocity));
        limberi_store3(out + i, limberi_add(p, held(d, max)));
    }
    return true;
}
