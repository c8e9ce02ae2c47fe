// Corrective and vertex bakes: every frame of the chosen clips becomes a row of a mesh, and rows become morph targets.
#include "bake/bake_private.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"

#include <string.h>

enum { NUMBERS_PER_TASK = 1 << 10 };

static limber_result make_reducer(limberi_baker* b, uint32_t m) {
    const limber_mesh* mesh = &b->source->model->meshes[m];
    double tolerance = b->settings->tolerance * (double)b->source->model->size / limberi_baker_scale(b, mesh);
    size_t width = 3 * (size_t)mesh->vertex_count;
    limberi_collector* c = &b->collectors[m];
    bool follow = b->settings->normals && !b->halves; // an estimate only counts
    c->reducer = limberi_reducer_create(width, tolerance, follow, &b->source->parallel);
    bool halves = b->halves && b->frame_count < b->all_frames;
    if (halves)
        c->half = limberi_reducer_create(width, tolerance, false, &b->source->parallel);
    return c->reducer && (c->half || !halves) ? LIMBER_OK : limberi_fail_memory(b->error);
}

static limber_result make_collectors(limberi_baker* b) {
    const limber_model* model = b->source->model;
    b->bake->kind = b->settings->kind;
    if (b->settings->store)
        b->bake->store = *b->settings->store;
    b->bake->stored_normals = b->settings->normals;
    b->bake->mesh_count = model->mesh_count;
    b->bake->meshes = limberi_allocate_zeroed((size_t)model->mesh_count + 1, sizeof *b->bake->meshes);
    b->collectors = limberi_allocate_zeroed((size_t)model->mesh_count + 1, sizeof *b->collectors);
    if (!b->bake->meshes || !b->collectors)
        return limberi_fail_memory(b->error);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        b->bake->meshes[m].weights = limberi_allocate_zeroed((size_t)b->bake->track_count + 1, sizeof(float*));
        b->collectors[m].row_of_frame = limberi_allocate(((size_t)b->frame_count + 1) * sizeof(int32_t));
        if (!b->bake->meshes[m].weights || !b->collectors[m].row_of_frame)
            return limberi_fail_memory(b->error);
        limber_result result = b->settings->tolerance > 0 ? make_reducer(b, m) : LIMBER_OK;
        if (result)
            return result;
    }
    return LIMBER_OK;
}

static limber_result make_bases(limberi_baker* b) {
    limberi_bake_frame frame;
    limber_result result = b->source->frame(b->source->user, 0, -1, 0, 0, &frame);
    for (uint32_t m = 0; !result && m < b->bake->mesh_count; m++) {
        const limber_mesh* mesh = &b->source->model->meshes[m];
        size_t width = 3 * (size_t)mesh->vertex_count;
        size_t at = 3 * (size_t)mesh->first_vertex;
        limber_bake_mesh* baked = &b->bake->meshes[m];
        baked->base_positions = limberi_allocate((width + 1) * sizeof(float));
        baked->base_normals = limberi_allocate((width + 1) * sizeof(float));
        if (!baked->base_positions || !baked->base_normals)
            return limberi_fail_memory(b->error);
        memcpy(baked->base_positions, frame.positions + at, width * sizeof(float));
        memcpy(baked->base_normals, frame.normals + at, width * sizeof(float));
    }
    return result;
}

static limber_result reduce_mesh(limberi_baker* b, uint32_t m, limberi_reduction* reduction) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    limber_result result = limberi_reducer_finish(b->collectors[m].reducer, reduction);
    limberi_reducer_destroy(b->collectors[m].reducer);
    b->collectors[m].reducer = NULL;
    if (result)
        return limberi_fail_memory(b->error);
    baked->positions = reduction->basis;
    baked->normals = reduction->followers;
    baked->target_count = reduction->count;
    reduction->basis = reduction->followers = NULL;
    double scale = limberi_baker_scale(b, &b->source->model->meshes[m]) / (double)b->source->model->size;
    b->bake->error = fmax(b->bake->error, reduction->error * scale);
    return LIMBER_OK;
}

static limber_result fill_weights(limberi_baker* b, uint32_t m, const limberi_reduction* reduction) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    const limberi_collector* c = &b->collectors[m];
    size_t targets = baked->target_count;
    uint32_t frame_index = 0;
    for (uint32_t t = 0; t < b->bake->track_count; t++) {
        uint32_t frames = b->bake->tracks[t].frame_count;
        baked->weights[t] = limberi_allocate_zeroed(frames * targets + 1, sizeof(float));
        if (!baked->weights[t])
            return limberi_fail_memory(b->error);
        for (uint32_t i = 0; i < frames; i++, frame_index++) {
            int32_t row = c->row_of_frame[frame_index];
            if (row < 0 || !targets)
                continue;
            if (reduction)
                memcpy(baked->weights[t] + i * targets, reduction->coefficients + (size_t)row * targets,
                       targets * sizeof(float));
            else
                baked->weights[t][i * targets + (size_t)row] = 1;
        }
    }
    return LIMBER_OK;
}

// One target at a time, and all of it.
static limber_result fill_shown(limberi_baker* b, uint32_t m) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    const int32_t* row = b->collectors[m].row_of_frame;
    limberi_release(baked->weights);
    baked->weights = NULL;
    baked->shown = limberi_allocate_zeroed((size_t)b->bake->track_count + 1, sizeof *baked->shown);
    for (uint32_t t = 0; baked->shown && t < b->bake->track_count; t++) {
        uint32_t frames = b->bake->tracks[t].frame_count;
        baked->shown[t] = limberi_allocate((frames + 1u) * sizeof *row);
        if (!baked->shown[t])
            return limberi_fail_memory(b->error);
        memcpy(baked->shown[t], row, frames * sizeof *row);
        row += frames;
    }
    return baked->shown ? LIMBER_OK : limberi_fail_memory(b->error);
}

// --- weights from 0 to 1 ---

// Of the weights of a target, which always holds 0: an unbaked clip has no weights.
typedef struct range {
    float low, span;
} range;

static range range_of(const limber_bake* bake, const limber_bake_mesh* baked, size_t target) {
    float low = 0;
    float high = 0;
    for (uint32_t k = 0; k < bake->track_count; k++)
        for (size_t f = 0; f < bake->tracks[k].frame_count; f++) {
            float weight = baked->weights[k][f * baked->target_count + target];
            low = weight < low ? weight : low;
            high = weight > high ? weight : high;
        }
    return (range){low, high - low};
}

static bool move_weights(const limber_bake* bake, limber_bake_mesh* baked, const range* ranges, size_t more) {
    size_t count = baked->target_count;
    size_t all = count + more;
    for (uint32_t k = 0; k < bake->track_count; k++) {
        size_t frames = bake->tracks[k].frame_count;
        float* weights = limberi_allocate_zeroed(frames * all + 1, sizeof *weights);
        if (!weights)
            return false;
        for (size_t f = 0; f < frames; f++) {
            for (size_t t = 0; t < count; t++)
                if (ranges[t].span > 0)
                    weights[f * all + t] = (baked->weights[k][f * count + t] - ranges[t].low) / ranges[t].span;
            if (more)
                weights[f * all + count] = 1;
        }
        limberi_release(baked->weights[k]);
        baked->weights[k] = weights;
    }
    return true;
}

// Positions or normals, while they move.
typedef struct moving {
    float* targets;
    size_t count, width, more;
    const range* ranges;
} moving;

static void move_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const moving* m = user;
    float* base = m->targets + m->count * m->width;
    (void)worker;
    for (uint32_t i = first; m->more && i < end; i++)
        base[i] = 0;
    for (size_t t = 0; t < m->count; t++) {
        float* target = m->targets + t * m->width;
        float low = m->ranges[t].low;
        float span = m->ranges[t].span;
        for (uint32_t i = first; m->more && i < end; i++)
            base[i] += low * target[i];
        for (uint32_t i = first; i < end; i++)
            target[i] *= span;
    }
}

static bool move_targets(float** targets, moving m, const limber_parallel* parallel) {
    size_t bytes = m.width * sizeof(float);
    if (!*targets)
        return true;
    float* room = limberi_reallocate(*targets, m.count * bytes, (m.count + m.more) * bytes);
    if (!room)
        return false;
    *targets = m.targets = room;
    limberi_parallel_for(parallel, (uint32_t)m.width, NUMBERS_PER_TASK, move_some, &m);
    return true;
}

limber_result limberi_bake_limit_weights(limber_bake* bake, uint32_t mesh, uint32_t vertex_count,
                                         const limber_parallel* parallel) {
    limber_bake_mesh* baked = &bake->meshes[mesh];
    size_t count = baked->target_count;
    size_t more = 0;
    if (!count)
        return LIMBER_OK;
    range* ranges = limberi_allocate_zeroed(count, sizeof *ranges);
    if (!ranges)
        return LIMBER_ERROR_MEMORY;
    for (size_t t = 0; t < count; t++) {
        ranges[t] = range_of(bake, baked, t);
        more = more || ranges[t].low < 0;
    }
    moving all = {NULL, count, 3 * (size_t)vertex_count, more, ranges};
    bool done = move_targets(&baked->positions, all, parallel) && move_targets(&baked->normals, all, parallel) &&
                move_weights(bake, baked, ranges, more);
    baked->target_count += (uint32_t)more;
    limberi_release(ranges);
    return done ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

// --- all of it ---

// How many targets half of the samples make.
static limber_result count_half(limberi_baker* b, uint32_t m, uint32_t reduced_count) {
    limberi_reduction half = {0};
    b->halves[m].row_count = b->collectors[m].row_count;
    if (!b->collectors[m].half)
        return LIMBER_OK;
    limber_result result = limberi_reducer_finish(b->collectors[m].half, &half);
    uint32_t added = b->bake->meshes[m].target_count - reduced_count; // by limberi_bake_limit_weights
    b->halves[m].target_count = half.count ? half.count + added : 0;
    limberi_reduction_free(&half);
    return result ? limberi_fail_memory(b->error) : LIMBER_OK;
}

static limber_result finish_mesh(limberi_baker* b, uint32_t m) {
    limberi_reduction reduction = {0};
    b->bake->meshes[m].target_count = b->collectors[m].row_count;
    bool reduce = b->settings->tolerance > 0 && b->collectors[m].row_count > 0;
    limber_result result = reduce ? reduce_mesh(b, m, &reduction) : LIMBER_OK;
    if (!result && b->bake->meshes[m].rows)
        result = fill_shown(b, m);
    else if (!result)
        result = fill_weights(b, m, reduce ? &reduction : NULL);
    uint32_t reduced_count = b->bake->meshes[m].target_count;
    limberi_reduction_free(&reduction);
    uint32_t vertex_count = b->source->model->meshes[m].vertex_count;
    if (!result && reduce && limberi_bake_limit_weights(b->bake, m, vertex_count, &b->source->parallel))
        result = limberi_fail_memory(b->error);
    return result || !b->halves ? result : count_half(b, m, reduced_count);
}

// Frames spread over all tracks, a few of them.
static void thin_tracks(limberi_baker* b) {
    uint32_t every = (b->frame_count + b->samples - 1) / b->samples;
    uint32_t index = every / 2;
    b->all_frames = b->frame_count;
    b->frame_count = 0;
    for (uint32_t t = 0; every > 1 && t < b->bake->track_count; t++) {
        limber_bake_track* track = &b->bake->tracks[t];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < track->frame_count; i++, index++)
            if (index % every == 0)
                track->times[kept++] = track->times[i];
        track->frame_count = kept;
        b->frame_count += kept;
    }
    b->frame_count = every > 1 ? b->frame_count : b->all_frames;
    b->half_frames = (b->frame_count + 1) / 2;
}

static limber_result fill_targets(limberi_baker* b) {
    limber_result result = limberi_bake_tracks(b->source, b->settings, b->bake, &b->frame_count, b->error);
    if (!result && b->samples)
        thin_tracks(b);
    if (!result)
        result = make_collectors(b);
    if (!result)
        result = limberi_bake_open(b);
    if (!result && b->settings->kind == LIMBER_BAKE_VERTEX)
        result = make_bases(b);
    limberi_smear_bake smears = {.source = b->source, .settings = b->settings, .bake = b->bake, .error = b->error};
    b->smears = smears;
    b->smears.frame_count = b->frame_count;
    if (!result)
        result = limberi_bake_rounds(b);
    for (uint32_t m = 0; !result && m < b->bake->mesh_count; m++)
        result = finish_mesh(b, m);
    if (!result)
        result = limberi_smear_bake_finish(&b->smears);
    if (!result && b->source->shifts(b->source->user, b->settings->fps, b->bake))
        result = limberi_fail_memory(b->error);
    limberi_smear_bake_close(&b->smears);
    b->source->close(b->source->user);
    return result;
}

limber_result limberi_bake_targets(limberi_baker* b) {
    limberi_error_empty(b->error);
    b->bake = limberi_allocate_zeroed(1, sizeof *b->bake);
    if (!b->bake)
        return limberi_fail_memory(b->error);
    limber_result result = fill_targets(b);
    for (uint32_t m = 0; b->collectors && m < b->source->model->mesh_count; m++) {
        limberi_release(b->collectors[m].row_of_frame);
        limberi_reducer_destroy(b->collectors[m].reducer);
        limberi_reducer_destroy(b->collectors[m].half);
    }
    limberi_release(b->collectors);
    if (result) {
        limber_bake_destroy(b->bake);
        b->bake = NULL;
    }
    return result == LIMBER_ERROR_MEMORY ? limberi_fail_memory(b->error) : limberi_error_fill(b->error, result);
}
