#include "bake/sliders.h"

#include "base/memory.h"

enum { NUMBERS_PER_TASK = 1 << 10 };

// Of the weights of a target, which always holds 0: an unbaked clip has no weights.
typedef struct range {
    float low, span;
} range;

static range range_of(const limber_bake* bake, const limber_bake_mesh* baked, size_t target) {
    float low = 0, high = 0;
    for (uint32_t k = 0; k < bake->track_count; k++)
        for (size_t f = 0; f < bake->tracks[k].frame_count; f++) {
            float weight = baked->weights[k][f * baked->target_count + target];
            low = weight < low ? weight : low;
            high = weight > high ? weight : high;
        }
    range found = {low, high - low};
    return found;
}

static bool move_weights(const limber_bake* bake, limber_bake_mesh* baked, const range* ranges, size_t more) {
    size_t count = baked->target_count, all = count + more;
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
        float *target = m->targets + t * m->width, low = m->ranges[t].low, span = m->ranges[t].span;
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

limber_result limberi_bake_settle(limber_bake* bake, uint32_t mesh, uint32_t vertex_count,
                                  const limber_parallel* parallel) {
    limber_bake_mesh* baked = &bake->meshes[mesh];
    size_t count = baked->target_count, more = 0;
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
