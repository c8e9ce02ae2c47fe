// What a style smears: in how many frames, where, and what an animator would reject. Measured at 24 frames per second,
// the rate that smears are drawn for.
#include "base/math.h"
#include "review/review_private.h"

#include <math.h>
#include <string.h>

static const double seen = 0.003; // sizes that something must be stretched by to be seen
static const float opaque = 0.1f; // and of copies, lines and ribbons
static const double still = 0.01; // sizes within 1/24 s: what goes less far should not be smeared
static const double smear_fps = 24;
enum { MAX_SPINS = 16 }; // that are looked at

typedef struct work {
    const limberi_review_job* job;
    const limber_model* model;
    double size;
    limberi_review_edges edges;
    limberi_review_parts parts;
    limberi_review_flicker flicker;
    limberi_arena* arena;
    bool* spins;   // [joint] a ball or wheel, whose lowest point hardly moves while it rolls
    float* before; // the frame 1/24 s earlier, without smears
    bool has_before;
    limberi_smear_review* out;
    uint32_t run;    // smeared frames in a row
    double strength; // the most within the run
} work;

static double apart(const float* a, const float* b) {
    limber_vec3 step = limberi_sub(limberi_load3(a), limberi_load3(b));
    return (double)limberi_length(step);
}

// The vertex that is smeared farthest, and how far what hardly moves is.
static double find_farthest(const work* w, const limber_smeared* at, double time_s, uint32_t* vertex) {
    double max = 0;
    for (uint32_t v = 0; v < w->model->vertex_count; v++) {
        size_t i = 3 * (size_t)v;
        double far = apart(at->frame.positions + i, at->deformed + i) / w->size;
        if (far > max) {
            max = far;
            *vertex = v;
        }
        if (!w->has_before || far <= w->out->idle || apart(at->deformed + i, w->before + i) > still * w->size)
            continue;
        uint32_t joint = limberi_review_joint(w->model, v);
        if (w->spins[joint])
            continue;
        w->out->idle = far;
        w->out->at_idle.joint = joint;
        w->out->at_idle.time_s = time_s;
    }
    return max;
}

static uint32_t nearest_vertex(const work* w, const float* positions, const float* point) {
    uint32_t nearest = 0;
    for (uint32_t v = 1; v < w->model->vertex_count; v++)
        if (apart(positions + 3 * (size_t)v, point) < apart(positions + 3 * (size_t)nearest, point))
            nearest = v;
    return nearest;
}

// Copies, lines and ribbons: whether any can be seen, and the vertex of the character that the clearest is at.
static bool find_drawn(const work* w, const limber_smeared* at, uint32_t* vertex) {
    float max = opaque;
    const float* point = NULL;
    for (uint32_t m = 0; m < at->mesh_count; m++) {
        const limber_smear_mesh* mesh = &at->meshes[m];
        for (size_t v = 0; mesh->visible && mesh->colors && v < mesh->vertex_count; v++)
            if (mesh->colors[4 * v + 3] > max) {
                max = mesh->colors[4 * v + 3];
                point = mesh->positions + 3 * v;
            }
    }
    if (point)
        *vertex = nearest_vertex(w, at->deformed, point);
    return point != NULL;
}

// Frames in a row are one burst, named after what is smeared most.
static void add_to_burst(work* w, double strength, uint32_t vertex, double time_s) {
    limberi_smear_review* out = w->out;
    out->smeared++;
    if (w->run++ == 0) {
        w->strength = -1;
        out->burst_count++;
    }
    out->longest = w->run > out->longest ? w->run : out->longest;
    if (out->burst_count > LIMBERI_SMEAR_BURSTS)
        return;
    limberi_smear_burst* burst = &out->bursts[out->burst_count - 1];
    burst->start_s = w->run == 1 ? time_s : burst->start_s;
    burst->end_s = time_s;
    if (strength > w->strength) {
        w->strength = strength;
        burst->joint = limberi_review_joint(w->model, vertex);
    }
}

static void add_frame(work* w, const limber_smeared* at, double time_s) {
    uint32_t vertex = 0;
    double far = find_farthest(w, at, time_s, &vertex);
    bool stretched = far > seen;
    uint32_t drawn_at = 0;
    bool drawn = find_drawn(w, at, &drawn_at);
    if (!stretched && !drawn) {
        w->run = 0;
        return;
    }
    add_to_burst(w, stretched ? far : 0, stretched ? vertex : drawn_at, time_s);
    if (!stretched)
        return;
    limberi_parts_add(&w->parts, w->size, time_s, at->deformed, at->frame.positions);
    double stretch = limberi_edges_frame(&w->edges, w->size, at->deformed, at->frame.positions);
    if (stretch <= w->out->stretch)
        return;
    w->out->stretch = stretch;
    w->out->at_stretch.joint = limberi_review_joint(w->model, vertex);
    w->out->at_stretch.time_s = time_s;
}

// Which joints roll.
static limber_result find_spins(work* w) {
    limberi_motion_part parts[MAX_SPINS];
    uint32_t count = 0;
    limber_result result = limberi_review_motions(w->model, &w->model->clips[w->job->clip], parts, MAX_SPINS, &count);
    for (uint32_t i = 0; i < count; i++)
        w->spins[parts[i].joint] |= parts[i].spin;
    return result;
}

static limber_result measure(work* w, double start_s, double end_s) {
    uint32_t frames = (uint32_t)floor((end_s - start_s) * smear_fps + 1e-6) + 1;
    for (uint32_t i = 0; i < frames; i++) {
        limber_smeared at;
        double time_s = start_s + i / smear_fps;
        limber_result result =
            limber_pipeline_evaluate_smeared(w->job->styled, (int32_t)w->job->clip, time_s, smear_fps, &at);
        if (result)
            return result;
        w->out->frame_count++;
        add_frame(w, &at, time_s);
        limberi_flicker_add(&w->flicker, w->arena, &at, time_s);
        if (w->arena->failed)
            return LIMBER_ERROR_MEMORY;
        memcpy(w->before, at.deformed, 3 * (size_t)w->model->vertex_count * sizeof *w->before);
        w->has_before = true;
    }
    return LIMBER_OK;
}

limber_result limberi_smears_measure(const limberi_review_job* job, limberi_arena* arena, const float* first,
                                     const float* middle, limberi_review* review) {
    work w;
    memset(&w, 0, sizeof w);
    w.job = job;
    w.model = limber_asset_model(limber_pipeline_asset(job->plain));
    w.size = review->size;
    w.out = &review->smears;
    w.out->stretch = 1;
    w.out->at_stretch.joint = w.out->at_idle.joint = w.out->at_rigid.joint = LIMBERI_NO_JOINT;
    w.out->at_flicker.joint = LIMBERI_NO_JOINT;
    w.arena = arena;
    if (!job->smears)
        return LIMBER_OK;
    w.before = LIMBERI_ALLOCATE(arena, float, 3 * (size_t)w.model->vertex_count);
    w.spins = LIMBERI_ALLOCATE(arena, bool, w.model->rig.joint_count);
    limberi_edges_find(&w.edges, arena, w.model, 1);
    limberi_parts_find(&w.parts, arena, w.model, w.size, first, middle);
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    limber_result result = find_spins(&w);
    if (!result)
        result = measure(&w, review->start_s, review->end_s);
    limberi_review rigid;
    memset(&rigid, 0, sizeof rigid);
    rigid.size = w.size;
    limberi_parts_end(&w.parts, w.model, &rigid);
    w.out->rigid = rigid.rigid;
    w.out->at_rigid = rigid.at_rigid;
    w.out->flicker = limberi_flicker_share(&w.flicker);
    w.out->at_flicker.time_s = w.flicker.worst_s;
    return result;
}
