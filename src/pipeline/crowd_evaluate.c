// A frame of a crowd: who is due, who shares a moment with whom, then the work, shared out by members.
#include "base/error.h"
#include "base/parallel.h"
#include "motion/kinematics.h"
#include "pipeline/crowd_private.h"
#include "pipeline/pipeline_private.h"

#include <math.h>
#include <string.h>

// --- time ---

double limber_crowd_time(const limber_crowd* crowd, const limber_crowd_member* m, double now_s) {
    const limber_pipeline* p = m->kind < crowd->kind_count ? crowd->kinds[m->kind].pipelines[0] : NULL;
    if (!p || m->clip < 0 || (uint32_t)m->clip >= p->model->clip_count)
        return 0;
    const limber_clip* clip = &p->model->clips[m->clip];
    double length = clip->end_s - clip->start_s;
    double at = m->start_s + m->speed * now_s;
    if (!(length > 0))
        return clip->start_s;
    if (limberi_motion_loops(clip, &p->settings.motion))
        at -= length * floor(at / length);
    return clip->start_s + fmin(fmax(at, 0), length);
}

static double rounded_time(const limber_crowd* crowd, const limber_crowd_member* m, double now_s) {
    double time_s = limber_crowd_time(crowd, m, now_s);
    if (!(crowd->step_s > 0) || m->clip < 0)
        return time_s;
    const limber_clip* clip = &crowd->kinds[m->kind].pipelines[0]->model->clips[m->clip];
    return fmin(clip->start_s + crowd->step_s * round((time_s - clip->start_s) / crowd->step_s), clip->end_s);
}

// --- checks ---

static const char* fault_of(const limber_crowd* crowd, const limber_crowd_member* m, double now_s) {
    if (m->kind >= crowd->kind_count)
        return "there is no such kind of character";
    if (m->clip >= (int32_t)crowd->kinds[m->kind].pipelines[0]->model->clip_count)
        return "its character has no such clip";
    return isfinite(m->start_s + m->speed * now_s) ? NULL : "its time is not a number";
}

static bool lacks(const void* memory, size_t stride, size_t needed) {
    return needed && (!memory || stride < needed);
}

static const char* missing_memory(const limber_crowd* crowd, const limberi_crowd_kind* k,
                                  const limber_crowd_memory* m) {
    if (crowd->outputs & LIMBER_CROWD_PALETTES && lacks(m->palettes, m->palette_stride, k->palette_floats))
        return "there is no room for its palettes";
    if (crowd->outputs & LIMBER_CROWD_TEXELS &&
        (lacks(m->texels, m->texel_stride, k->texel_floats) || lacks(m->columns, m->column_stride, k->column_shorts)))
        return "there is no room for its texels and columns";
    if (crowd->outputs & LIMBER_CROWD_POSITIONS && lacks(m->positions, m->vertex_stride, k->vertex_floats))
        return "there is no room for its vertices";
    if ((crowd->outputs & LIMBER_CROWD_POSITIONS) && (crowd->outputs & LIMBER_CROWD_NORMALS) &&
        lacks(m->normals, m->vertex_stride, k->vertex_floats))
        return "there is no room for its normals";
    return NULL;
}

static limber_result check(const limber_crowd* crowd, uint32_t count, double now_s, limber_error* error) {
    if (count > crowd->member_limit)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the crowd was made for %u members at most",
                            crowd->member_limit);
    uint32_t kind = UINT32_MAX; // of the last member, for which there is memory
    for (uint32_t i = 0; i < count; i++) {
        const limber_crowd_member* m = &crowd->members[i];
        const char* fault = fault_of(crowd, m, now_s);
        if (!fault && m->kind != kind)
            fault = missing_memory(crowd, &crowd->kinds[m->kind], crowd->memory);
        kind = m->kind;
        if (fault) {
            limberi_fail(error, LIMBER_ERROR_ARGUMENT, "%s", fault);
            return limberi_at(error, LIMBER_ERROR_ARGUMENT, "members[%u]", i);
        }
    }
    return LIMBER_OK;
}

// --- who is due ---

static uint32_t hash_moment(const limber_crowd_member* m, double time_s) {
    uint64_t h;
    memcpy(&h, &time_s, sizeof h);
    h ^= ((uint64_t)m->kind << 32 | (uint32_t)m->clip) * 0x9E3779B97F4A7C15u;
    h *= 0xBF58476D1CE4E5B9u;
    return (uint32_t)(h >> 32);
}

// The first member in the same moment of the same clip, or `index` itself.
static uint32_t find_moment(limber_crowd* crowd, uint32_t index) {
    const limber_crowd_member* m = &crowd->members[index];
    for (uint32_t at = hash_moment(m, crowd->times[index]);; at++) {
        uint32_t* entry = &crowd->table[at & (crowd->table_size - 1)];
        if (!*entry) {
            *entry = index + 1;
            return index;
        }
        const limber_crowd_member* other = &crowd->members[*entry - 1];
        if (other->kind == m->kind && other->clip == m->clip && crowd->times[*entry - 1] == crowd->times[index])
            return *entry - 1;
    }
}

static limber_result plan(limber_crowd* crowd, uint32_t count, double now_s, uint64_t frame) {
    const limber_crowd_memory* memory = crowd->memory;
    memset(crowd->table, 0, crowd->table_size * sizeof *crowd->table);
    for (uint32_t i = 0; i < count; i++) {
        const limber_crowd_member* m = &crowd->members[i];
        bool due = m->every < 2 || (frame + i) % m->every == 0;
        bool own = m->every > 1 || !memory->same_as;
        limber_result result = LIMBER_OK;
        if (memory->changed)
            memory->changed[i] = 0;
        if (memory->same_as)
            memory->same_as[i] = i;
        if (!due)
            continue;
        if (m->clip >= 0 && !crowd->kinds[m->kind].prepared[m->clip])
            result = limberi_crowd_prepare_clip(&crowd->kinds[m->kind], (uint32_t)m->clip);
        crowd->times[i] = rounded_time(crowd, m, now_s);
        if (!result)
            result = limberi_pipeline_hold(crowd->kinds[m->kind].pipelines[0], m->clip, &crowd->times[i]);
        if (result)
            return result;
        crowd->source[i] = find_moment(crowd, i);
        if (crowd->source[i] == i)
            crowd->due[crowd->due_count++] = i;
        else if (own)
            crowd->copies[crowd->copy_count++] = i;
        else
            memory->same_as[i] = crowd->source[i];
    }
    return LIMBER_OK;
}

// --- work ---

static void write_palettes(const limber_pipeline* p, float* out) {
    for (uint32_t s = 0; s < p->model->skin_count; s++) {
        size_t floats = 16 * (size_t)p->model->skins[s].joint_count;
        memcpy(out, p->palettes[s], floats * sizeof *out);
        out += floats;
    }
}

static void write_vertices(const limber_crowd* crowd, const limberi_crowd_kind* kind, limber_pipeline* p, size_t at) {
    const limber_crowd_memory* memory = crowd->memory;
    limber_frame frame;
    limber_pipeline_evaluate_vertices(p, &frame);
    memcpy(memory->positions + at, frame.positions, kind->vertex_floats * sizeof(float));
    if (crowd->outputs & LIMBER_CROWD_NORMALS)
        memcpy(memory->normals + at, frame.normals, kind->vertex_floats * sizeof(float));
}

static limber_result compute(const limber_crowd* crowd, uint32_t i, uint32_t worker) {
    const limber_crowd_member* m = &crowd->members[i];
    const limber_crowd_memory* memory = crowd->memory;
    const limberi_crowd_kind* kind = &crowd->kinds[m->kind];
    limber_pipeline* p = kind->pipelines[worker];
    limber_result result = limber_pipeline_evaluate_joints(p, m->clip, crowd->times[i]);
    if (!result && crowd->outputs & LIMBER_CROWD_PALETTES)
        write_palettes(p, memory->palettes + i * memory->palette_stride);
    if (!result && crowd->outputs & LIMBER_CROWD_TEXELS) {
        uint32_t* texels = &crowd->texel_counts[i];
        int16_t* columns = kind->column_shorts ? memory->columns + i * memory->column_stride : NULL;
        limberi_pack_set_ground(kind->packs[worker], m->clip >= 0 ? kind->ground[m->clip] : NULL);
        result =
            limber_pack_evaluate(kind->packs[worker], memory->texels + i * memory->texel_stride, texels, columns, NULL);
        if (memory->texel_counts)
            memory->texel_counts[i] = *texels;
    }
    if (!result && crowd->outputs & LIMBER_CROWD_POSITIONS)
        write_vertices(crowd, kind, p, i * memory->vertex_stride);
    if (memory->changed)
        memory->changed[i] = 1;
    return result;
}

static void compute_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    limber_crowd* crowd = user;
    limber_result result = LIMBER_OK;
    for (uint32_t i = first; !result && i < end; i++)
        result = compute(crowd, crowd->due[i], worker);
    if (result) // rarely: the results of workers are next to each other
        crowd->results[worker] = result;
}

static void copy_row(float* rows, size_t stride, size_t count, uint32_t from, uint32_t to) {
    if (rows && count)
        memcpy(rows + to * stride, rows + from * stride, count * sizeof *rows);
}

static void copy(const limber_crowd* crowd, uint32_t from, uint32_t to) {
    const limber_crowd_memory* m = crowd->memory;
    const limberi_crowd_kind* k = &crowd->kinds[crowd->members[to].kind];
    uint32_t outputs = crowd->outputs;
    if (outputs & LIMBER_CROWD_PALETTES)
        copy_row(m->palettes, m->palette_stride, k->palette_floats, from, to);
    if (outputs & LIMBER_CROWD_TEXELS) {
        copy_row(m->texels, m->texel_stride, 4 * (size_t)crowd->texel_counts[from], from, to);
        if (k->column_shorts)
            memcpy(m->columns + to * m->column_stride, m->columns + from * m->column_stride,
                   k->column_shorts * sizeof *m->columns);
        if (m->texel_counts)
            m->texel_counts[to] = crowd->texel_counts[from];
    }
    if (outputs & LIMBER_CROWD_POSITIONS) {
        copy_row(m->positions, m->vertex_stride, k->vertex_floats, from, to);
        if (outputs & LIMBER_CROWD_NORMALS)
            copy_row(m->normals, m->vertex_stride, k->vertex_floats, from, to);
    }
    if (m->changed)
        m->changed[to] = 1;
}

static void copy_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limber_crowd* crowd = user;
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        copy(crowd, crowd->source[crowd->copies[i]], crowd->copies[i]);
}

// Pieces are so small that workers end at about the same time: who waits for the last one waits for 1/64 of the work of a
// thread. Taking a piece costs nothing next to a character.
static void run_in_pieces(limber_crowd* crowd, uint32_t count, limber_task task) {
    limberi_parallel_for(&crowd->parallel, count, 1 + count / (64 * crowd->worker_count), task, crowd);
}

limber_result limber_crowd_evaluate(limber_crowd* crowd, const limber_crowd_member* members, uint32_t count,
                                    double now_s, uint64_t frame, const limber_crowd_memory* memory,
                                    limber_error* error) {
    crowd->members = members;
    crowd->memory = memory;
    crowd->due_count = crowd->copy_count = 0;
    memset(crowd->results, 0, crowd->worker_count * sizeof *crowd->results);
    limberi_error_empty(error);
    limber_result result = check(crowd, count, now_s, error);
    if (!result)
        result = plan(crowd, count, now_s, frame);
    if (result)
        return limberi_error_fill(error, result);
    run_in_pieces(crowd, crowd->due_count, compute_some);
    for (uint32_t w = 0; w < crowd->worker_count; w++)
        if (crowd->results[w])
            return crowd->results[w] == LIMBER_ERROR_MEMORY
                       ? limberi_fail_memory(error)
                       : limberi_fail(error, crowd->results[w],
                                      "the shader needs a pose, and one motion for effects with the same filters");
    run_in_pieces(crowd, crowd->copy_count, copy_some);
    return LIMBER_OK;
}
