// Spin that moved into textures: joints stand still in the pipeline's own clips, and textures are shifted instead.
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "pipeline/pipeline_private.h"

#ifdef __wasm__
static const bool can_shift = false; // characters in the browser have no materials: there the shape spins
#else
static const bool can_shift = true;
#endif
static const uint32_t steps_per_key = 8; // of the angle, so that a fast wheel is followed from key to key

limber_result limberi_pipeline_stop_spins(limber_pipeline* p, limber_error* error) {
    const limber_model* model = p->model;
    if (!can_shift || !p->settings.smear.texture_spin || !model->clip_count)
        return LIMBER_OK;
    limber_result result = limberi_spins_find(&p->arena, model, &p->spins, error);
    if (result)
        return result;
    limber_clip* clips = LIMBERI_COPY(&p->arena, limber_clip, model->clips, model->clip_count);
    for (uint32_t c = 0; clips && c < model->clip_count; c++)
        if (limberi_spins_stop(&p->arena, model, &p->spins, &clips[c]))
            return limberi_fail_memory(error);
    if (p->arena.failed)
        return limberi_fail_memory(error);
    p->edited_model = *model;
    p->edited_model.clips = clips;
    p->model = &p->edited_model;
    return LIMBER_OK;
}

// The spin is in the clip as it came.
static double angle_at(const limber_pipeline* p, uint32_t clip, int32_t spin, double time_s) {
    const limber_model* model = limber_asset_model(p->asset);
    return limberi_spin_angle(model, &model->clips[clip], &p->spins.list[spin], time_s);
}

// What is turned by an angle shows what was that much behind.
static float shift_of(const limber_pipeline* p, uint32_t mesh, double angle) {
    return (float)(-p->spins.widths[mesh] * angle / (2 * LIMBERI_PI));
}

bool limber_pipeline_texture_shifts(const limber_pipeline* p, int32_t clip, double time_s, float* shifts) {
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        int32_t spin = p->spins.count ? p->spins.of_mesh[m] : -1;
        bool turns = spin >= 0 && clip >= 0 && clip < (int32_t)p->model->clip_count;
        shifts[m] = turns ? shift_of(p, m, angle_at(p, (uint32_t)clip, spin, time_s)) : 0;
    }
    return p->spins.count > 0;
}

// Without jumps from one end of a turn to the other: players go straight from key to key.
static float* shifts_over(const limber_pipeline* p, uint32_t mesh, const limber_bake_track* track) {
    float* shifts = limberi_allocate(((size_t)track->shift_count + 1) * sizeof *shifts);
    int32_t spin = p->spins.of_mesh[mesh];
    double before = 0;
    double angle = 0;
    for (uint32_t i = 0; shifts && i < track->shift_count; i++) {
        double to = (double)track->shift_times[i];
        double from = i ? (double)track->shift_times[i - 1] : to;
        for (uint32_t k = i ? 1 : steps_per_key; k <= steps_per_key; k++) {
            double now = angle_at(p, track->clip, spin, from + (to - from) * k / steps_per_key);
            angle += remainder(now - before, 2 * LIMBERI_PI);
            before = now;
        }
        shifts[i] = shift_of(p, mesh, angle);
    }
    return shifts;
}

static limber_result add_times(const limber_pipeline* p, double fps, limber_bake_track* track) {
    const limber_clip* clip = &p->model->clips[track->clip];
    double rate = fps > 0 ? fps : clip->fps;
    uint32_t count = limber_clip_frame_count(clip, rate);
    track->shift_times = limberi_allocate(((size_t)count + 1) * sizeof *track->shift_times);
    if (!track->shift_times)
        return LIMBER_ERROR_MEMORY;
    track->shift_count = count;
    for (uint32_t i = 0; i < count; i++)
        track->shift_times[i] = (float)limber_clip_frame_time(clip, rate, i);
    return LIMBER_OK;
}

limber_result limberi_bake_shifts(const limber_pipeline* p, double fps, limber_bake* bake) {
    for (uint32_t t = 0; p->spins.count && t < bake->track_count; t++)
        if (add_times(p, fps, &bake->tracks[t]))
            return LIMBER_ERROR_MEMORY;
    for (uint32_t m = 0; p->spins.count && m < bake->mesh_count; m++) {
        if (p->spins.of_mesh[m] < 0)
            continue;
        float** shifts = bake->meshes[m].shifts =
            limberi_allocate_zeroed((size_t)bake->track_count + 1, sizeof *bake->meshes[m].shifts);
        for (uint32_t t = 0; shifts && t < bake->track_count; t++)
            if (!(shifts[t] = shifts_over(p, m, &bake->tracks[t])))
                return LIMBER_ERROR_MEMORY;
        if (!shifts)
            return LIMBER_ERROR_MEMORY;
    }
    return LIMBER_OK;
}
