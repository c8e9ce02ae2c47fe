// Morph targets for what bones leave: frames that are too far off become rows, rows become few targets, until every
// frame is close enough or there may be no more targets. Every round replays the bake as a player does, so that the
// error is true.
#include "bake/bones.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"

#include <string.h>

enum { ROUNDS = 8, HALVINGS = 4, MAX_ROWS = 128, ROW_BYTES = 48 << 20 };

static const double row_share = 0.995; // of the tolerance: frames that are farther off need targets
static const double aim_share = 0.985; // of the tolerance: what targets should reach in the frames that made them
static const double mask_share = 0.93; // of the tolerance: vertices that are never farther off need no target
static const double mask_width = 0.05; // of the tolerance, beyond that: targets fade in

// One mesh.
struct limberi_bone_rows {
    uint32_t room;    // most frames that become rows
    uint32_t count;   // frames that are too far off; then those of them that become rows
    uint32_t* frames; // [count]
    int32_t* row_of;  // [frame] -1: it is no row
    uint32_t vertex_count;
    uint32_t* vertices; // that targets may move
    float* rows;        // [count][vertex_count * 3] mesh space
    double* products;   // of the targets, factored
    uint32_t active_count;
    uint32_t* active; // vertices that targets move
    float* packed;    // [target][active * 3] the targets there
    double scale;     // world length of a unit of the mesh
    double* errors;   // [frame] world units
    bool extended;    // since the last replay
};

// --- frames become rows ---

static limber_result open_replays(limberi_bone_bake* b, limberi_bone_frame* f) {
    f->replays = LIMBERI_ALLOCATE(&b->arena, limberi_bone_replay, b->model->mesh_count);
    for (uint32_t m = 0; f->replays && m < b->model->mesh_count; m++) {
        size_t width = 3 * (size_t)b->model->meshes[m].vertex_count;
        f->replays[m].positions = LIMBERI_ALLOCATE(&b->arena, float, width);
        f->replays[m].shape = LIMBERI_ALLOCATE(&b->arena, float, width);
        f->replays[m].row = LIMBERI_ALLOCATE(&b->arena, float, width);
    }
    return b->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

static limber_result open_rows(limberi_bone_bake* b) {
    limber_result result = LIMBER_OK;
    b->rows = LIMBERI_ALLOCATE(&b->arena, limberi_bone_rows, b->model->mesh_count);
    for (uint32_t m = 0; b->rows && m < b->model->mesh_count; m++) {
        const limber_mesh* mesh = &b->model->meshes[m];
        size_t width = 3 * (size_t)mesh->vertex_count;
        size_t fit = width ? ROW_BYTES / (width * sizeof(float)) : 0;
        limberi_bone_rows* r = &b->rows[m];
        fit = fit < MAX_ROWS ? fit : MAX_ROWS;
        r->room = (uint32_t)(fit < 2 ? 2 : fit);
        r->scale = limberi_bake_mesh_scale(b->model, mesh);
        r->errors = LIMBERI_ALLOCATE(&b->arena, double, b->frame_count);
        for (uint32_t i = 0; r->errors && i < b->frame_count; i++)
            r->errors[i] = HUGE_VAL;
        r->frames = LIMBERI_ALLOCATE(&b->arena, uint32_t, b->frame_count);
        r->row_of = LIMBERI_ALLOCATE(&b->arena, int32_t, b->frame_count);
        r->vertices = LIMBERI_ALLOCATE(&b->arena, uint32_t, mesh->vertex_count);
        r->extended = true;
        for (uint32_t t = 0; t < b->bake->track_count; t++)
            if (!(b->bake->meshes[m].weights[t] = limberi_allocate_zeroed(1, sizeof(float))))
                return LIMBER_ERROR_MEMORY;
    }
    for (uint32_t i = 0; !result && i < b->member_count; i++)
        result = open_replays(b, &b->frames[i]);
    return b->arena.failed ? LIMBER_ERROR_MEMORY : result;
}

static void find_row(limberi_bone_frame* f, uint32_t m, const float* base, uint32_t first, uint32_t count, float* row) {
    const limberi_bone_mesh* mesh = &f->bake->bones.meshes[m];
    limberi_bake_corrective_job job = {.mesh = &mesh->mesh,
                                       .palette = f->palettes[m],
                                       .morphed_positions = base,
                                       .positions = f->wanted + 3 * (size_t)mesh->mesh.first_vertex,
                                       .out_positions = row,
                                       .first_vertex = first,
                                       .vertex_count = count};
    limberi_bake_corrective(&job);
}

// Of some vertices, in rising order, next to each other.
static void find_packed_row(limberi_bone_frame* f, uint32_t m, const float* base, const uint32_t* vertices,
                            uint32_t count, float* packed) {
    float* row = f->replays[m].row;
    for (uint32_t i = 0, end = 0; i < count; i = end) {
        for (end = i + 1; end < count && vertices[end] == vertices[end - 1] + 1;)
            end++;
        find_row(f, m, base, vertices[i], end - i, row);
        memcpy(packed + 3 * (size_t)i, row + 3 * (size_t)vertices[i], 3 * (size_t)(end - i) * sizeof *packed);
    }
}

// The combination of targets that suits the frame; what they do not move has no say.
static void find_weights(limberi_bone_frame* f, uint32_t m, const float* base) {
    limberi_bone_replay* r = &f->replays[m];
    const limberi_bone_rows* rows = &f->bake->rows[m];
    float* packed = r->shape; // free by now
    find_packed_row(f, m, base, rows->active, rows->active_count, packed);
    limberi_bone_combine(f->bake->bake->meshes[m].target_count, 3 * (size_t)rows->active_count, rows->packed,
                         rows->products, packed, r->weights);
}

// Adds the targets to `positions`; `shape` is free.
static void move(const limberi_bone_rows* rows, limberi_bone_replay* r, uint32_t target_count) {
    size_t width = 3 * (size_t)rows->active_count;
    memset(r->shape, 0, width * sizeof *r->shape);
    limberi_rows_sum sum = {.targets = r->shape,
                            .sources = rows->packed,
                            .factors = r->shares,
                            .width = width,
                            .source_count = target_count,
                            .target_count = 1};
    limberi_rows_add(&sum);
    for (size_t i = 0; i < rows->active_count; i++)
        for (size_t c = 0; c < 3; c++)
            r->positions[3 * (size_t)rows->active[i] + c] += r->shape[3 * i + c];
}

// Where squares do not fit into floats.
static double farthest_in_doubles(const float* shape, const float* wanted, size_t width) {
    double worst = 0;
    for (size_t i = 0; i < width; i += 3) {
        double x = (double)shape[i] - (double)wanted[i];
        double y = (double)shape[i + 1] - (double)wanted[i + 1];
        double z = (double)shape[i + 2] - (double)wanted[i + 2];
        double square = x * x + y * y + z * z;
        worst = square > worst ? square : worst;
    }
    return sqrt(worst);
}

// How far the farthest vertex is off.
static double farthest(const float* shape, const float* wanted, size_t width) {
    float worst = 0;
    for (size_t i = 0; i < width; i += 3) {
        limber_vec3 off = limberi_sub(limberi_load3(shape + i), limberi_load3(wanted + i));
        worst = fmaxf(worst, limberi_dot(off, off));
    }
    return isfinite(worst) ? sqrt((double)worst) : farthest_in_doubles(shape, wanted, width);
}

// The error of the frame when the targets have these weights times `share`; the vertices are in `shape` afterwards.
static double show_weights(limberi_bone_frame* f, uint32_t m, const float* base, float share, float* weights) {
    limberi_bone_replay* r = &f->replays[m];
    const limber_bake_mesh* baked = &f->bake->bake->meshes[m];
    const limber_mesh* mesh = &f->bake->model->meshes[m];
    size_t width = 3 * (size_t)mesh->vertex_count;
    const float* wanted = f->wanted + 3 * (size_t)mesh->first_vertex;
    memcpy(r->positions, base, width * sizeof(float));
    for (uint32_t t = 0; t < baked->target_count; t++) {
        weights[t] = share * (float)r->weights[t];
        r->shares[t] = (double)weights[t];
    }
    if (baked->target_count)
        move(&f->bake->rows[m], r, baked->target_count);
    limberi_bone_bake_skin(f, m, r->positions, r->shape);
    return farthest(r->shape, wanted, width);
}

// The best mean may be worse for a vertex than no target at all.
static double show_best(limberi_bone_frame* f, uint32_t m, const float* base, float* weights) {
    const limberi_bone_bake* b = f->bake;
    double error = show_weights(f, m, base, 1, weights);
    if (!b->bake->meshes[m].target_count || error <= b->tolerance)
        return error;
    for (float share = 0.5f; share >= 0; share -= 0.5f) {
        error = show_weights(f, m, base, share, weights);
        if (error <= b->tolerance)
            return error;
    }
    return show_weights(f, m, base, 1, weights);
}

// The last target that is allowed, if there are several, is the one that limberi_bake_limit_weights adds.
static uint32_t target_limit(const limberi_bone_bake* b) {
    return b->settings->target_limit > 1 ? b->settings->target_limit - 1 : b->settings->target_limit;
}

// A frame that is close enough stays as it is, with weights of 0 for targets that came after it.
static bool is_due(const limberi_bone_bake* b, uint32_t m, uint32_t frame) {
    return b->rows[m].extended && b->rows[m].errors[frame] > row_share * b->tolerance;
}

static void replay_mesh(limberi_bone_frame* f, uint32_t m) {
    const limberi_bone_bake* b = f->bake;
    limberi_bone_replay* r = &f->replays[m];
    const limber_mesh* mesh = &b->model->meshes[m];
    const limber_bake_mesh* baked = &b->bake->meshes[m];
    if (!is_due(b, m, f->frame))
        return;
    const float* base = limberi_bone_bake_morphed(f, m);
    float* weights = baked->weights[f->track] + (size_t)f->index * baked->target_count;
    if (baked->target_count)
        find_weights(f, m, base);
    b->rows[m].errors[f->frame] = show_best(f, m, base, weights);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        float* off = &f->off[mesh->first_vertex + v];
        *off = fmaxf(*off, limberi_distance(limberi_load3(r->shape + 3 * (size_t)v),
                                            limberi_load3(f->wanted + 3 * ((size_t)mesh->first_vertex + v))));
    }
}

// A frame as a player shows it, mesh by mesh.
static void show_frame(limberi_bone_frame* f, void (*each)(limberi_bone_frame* f, uint32_t m)) {
    f->result = limberi_bone_bake_frame(f);
    if (!f->result)
        limberi_bone_bake_pose(f, true);
    for (uint32_t m = 0; !f->result && m < f->bake->model->mesh_count; m++)
        each(f, m);
}

static void replay_some(void* frames, uint32_t first, uint32_t end, uint32_t worker) {
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        show_frame((limberi_bone_frame*)frames + i, replay_mesh);
}

// Those that are still too far off.
static void list_frames(const limberi_bone_bake* b, uint32_t m) {
    limberi_bone_rows* r = &b->rows[m];
    r->count = 0;
    for (uint32_t f = 0; f < b->frame_count && b->bake->meshes[m].target_count < target_limit(b); f++)
        if (is_due(b, m, f))
            r->frames[r->count++] = f;
}

static limber_result replay(limberi_bone_bake* b) {
    for (uint32_t f = 0; f < b->frame_count; f++) {
        b->settled[f] = true;
        for (uint32_t m = 0; m < b->model->mesh_count; m++)
            b->settled[f] = b->settled[f] && !is_due(b, m, f);
    }
    limber_result result = limberi_bone_bake_pass(b, 1, replay_some, NULL);
    limberi_bone_bake_merge_off(b);
    for (uint32_t m = 0; m < b->model->mesh_count; m++) {
        list_frames(b, m);
        b->rows[m].extended = false;
    }
    return result;
}

// --- rows ---

// Where targets act: vertices that are too far off, fading out around them.
static float mask_at(const limberi_bone_bake* b, uint32_t vertex) {
    double x = ((double)b->off[vertex] / b->tolerance - mask_share) / mask_width;
    return (float)fmin(fmax(x, 0), 1);
}

// What a frame that was replayed still wants of its targets.
static void store_row(limberi_bone_frame* f, uint32_t m) {
    const limberi_bone_bake* b = f->bake;
    const limberi_bone_rows* rows = &b->rows[m];
    const limber_bake_mesh* baked = &b->bake->meshes[m];
    const limber_mesh* mesh = &b->model->meshes[m];
    limberi_bone_replay* r = &f->replays[m];
    if (rows->row_of[f->frame] < 0)
        return;
    float* row = rows->rows + 3 * (size_t)rows->vertex_count * (size_t)rows->row_of[f->frame];
    const float* weights = baked->weights[f->track] + (size_t)f->index * baked->target_count;
    memcpy(r->positions, limberi_bone_bake_morphed(f, m), 3 * (size_t)mesh->vertex_count * sizeof(float));
    for (uint32_t t = 0; t < baked->target_count; t++)
        r->shares[t] = (double)weights[t];
    if (baked->target_count)
        move(rows, r, baked->target_count);
    find_packed_row(f, m, r->positions, rows->vertices, rows->vertex_count, row);
    for (uint32_t k = 0; k < rows->vertex_count; k++) {
        float mask = mask_at(b, mesh->first_vertex + rows->vertices[k]);
        for (size_t c = 0; c < 3; c++)
            row[3 * (size_t)k + c] *= mask;
    }
}

static void store_some(void* frames, uint32_t first, uint32_t end, uint32_t worker) {
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        show_frame((limberi_bone_frame*)frames + i, store_row);
}

// Where there is no room for all frames, every second, fourth ... one is a row: what the others would have needed the next
// round finds.
static bool open_frames(limberi_bone_bake* b, uint32_t m) {
    limberi_bone_rows* r = &b->rows[m];
    const limber_mesh* mesh = &b->model->meshes[m];
    uint32_t every = 1;
    while ((r->count + every - 1) / every > r->room)
        every *= 2;
    r->count = (r->count + every - 1) / every;
    memset(r->row_of, 0xff, b->frame_count * sizeof *r->row_of);
    for (uint32_t i = 0; i < r->count; i++) {
        r->row_of[r->frames[i * every]] = (int32_t)i;
        b->settled[r->frames[i * every]] = false;
    }
    r->vertex_count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (mask_at(b, mesh->first_vertex + v) > 0)
            r->vertices[r->vertex_count++] = v;
    limberi_release(r->rows);
    r->rows = limberi_allocate(((size_t)r->count * 3 * r->vertex_count + 1) * sizeof *r->rows);
    return r->rows != NULL;
}

static limber_result find_rows(limberi_bone_bake* b) {
    for (uint32_t f = 0; f < b->frame_count; f++)
        b->settled[f] = true;
    for (uint32_t m = 0; m < b->model->mesh_count; m++)
        if (!open_frames(b, m))
            return LIMBER_ERROR_MEMORY;
    return limberi_bone_bake_pass(b, 1, store_some, NULL);
}

// --- rounds ---

static bool grow_weights(limberi_bone_bake* b, uint32_t m, size_t count) {
    for (uint32_t i = 0; i < b->member_count; i++) {
        limberi_bone_replay* r = &b->frames[i].replays[m];
        limberi_release(r->weights);
        r->weights = limberi_allocate_zeroed(2 * count + 1, sizeof *r->weights);
        if (!r->weights)
            return false;
        r->shares = r->weights + count;
    }
    return true;
}

// Some targets of some vertices.
typedef struct part_targets {
    const float* numbers; // [count][vertex_count * 3]
    const uint32_t* vertices;
    uint32_t count, vertex_count;
} part_targets;

// `place`: [vertex] where it goes to in a row, or UINT32_MAX; NULL: in the order of vertices.
static void spread(const part_targets* from, const uint32_t* place, float* to, size_t width) {
    const float* at = from->numbers;
    for (uint32_t t = 0; t < from->count; t++, to += width)
        for (uint32_t k = 0; k < from->vertex_count; k++, at += 3) {
            uint32_t v = place ? place[from->vertices[k]] : from->vertices[k];
            if (v != UINT32_MAX)
                memcpy(to + 3 * (size_t)v, at, 3 * sizeof *to);
        }
}

// The vertices that old or new targets move, in rising order. `place` is filled.
static uint32_t list_active(const part_targets* old, const part_targets* more, uint32_t vertices, uint32_t* place,
                            uint32_t* active) {
    uint32_t count = 0;
    const float* at = more->numbers;
    memset(place, 0xff, vertices * sizeof *place);
    for (uint32_t k = 0; k < old->vertex_count; k++)
        place[old->vertices[k]] = 0;
    for (uint32_t t = 0; t < more->count; t++)
        for (uint32_t k = 0; k < more->vertex_count; k++, at += 3)
            if (at[0] != 0 || at[1] != 0 || at[2] != 0)
                place[more->vertices[k]] = 0;
    for (uint32_t v = 0; v < vertices; v++)
        if (place[v] == 0) {
            active[count] = v;
            place[v] = count++;
        }
    return count;
}

// Puts more targets behind those there are.
static bool pack_targets(limberi_bone_bake* b, uint32_t m, const part_targets* more) {
    limberi_bone_rows* r = &b->rows[m];
    const uint32_t vertices = b->model->meshes[m].vertex_count;
    const uint32_t before = b->bake->meshes[m].target_count;
    const part_targets old = {r->packed, r->active, before, r->active_count};
    uint32_t* place = limberi_allocate((vertices + (size_t)1) * sizeof *place);
    uint32_t* active = limberi_allocate((vertices + (size_t)1) * sizeof *active);
    float* packed = NULL;
    if (place && active) {
        r->active_count = list_active(&old, more, vertices, place, active);
        size_t width = 3 * (size_t)r->active_count;
        packed = limberi_allocate_zeroed((before + more->count) * width + 1, sizeof *packed);
        if (packed) {
            spread(&old, place, packed, width);
            spread(more, place, packed + before * width, width);
        }
    }
    limberi_release(place);
    limberi_release(r->active);
    limberi_release(r->packed);
    r->active = active;
    r->packed = packed;
    return packed != NULL;
}

// The targets of all vertices, as the bake has them.
static bool unpack_targets(const limberi_bone_rows* r, limber_bake_mesh* baked, uint32_t vertices) {
    const part_targets all = {r->packed, r->active, baked->target_count, r->active_count};
    size_t width = 3 * (size_t)vertices;
    if (!baked->target_count)
        return true;
    baked->positions = limberi_allocate_zeroed(baked->target_count * width + 1, sizeof *baked->positions);
    if (baked->positions)
        spread(&all, NULL, baked->positions, width);
    return baked->positions != NULL;
}

// The weights of `count` more targets, the last, are 0.
static bool add_weights(limberi_bone_bake* b, uint32_t m, uint32_t count) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    size_t all = baked->target_count;
    for (uint32_t t = 0; t < b->bake->track_count; t++) {
        size_t frames = b->bake->tracks[t].frame_count;
        float* weights = limberi_allocate_zeroed(frames * all + 1, sizeof *weights);
        for (size_t f = 0; weights && f < frames; f++)
            memcpy(weights + f * all, baked->weights[t] + f * (all - count), (all - count) * sizeof *weights);
        limberi_release(baked->weights[t]);
        baked->weights[t] = weights;
        if (!weights)
            return false;
    }
    return true;
}

static bool add_targets(limberi_bone_bake* b, uint32_t m, const part_targets* more) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    limberi_bone_rows* r = &b->rows[m];
    size_t all = baked->target_count + (size_t)more->count;
    limberi_release(r->products);
    r->products = limberi_allocate(all * all * sizeof *r->products);
    if (!r->products || !grow_weights(b, m, all) || !pack_targets(b, m, more))
        return false;
    baked->target_count = (uint32_t)all;
    r->extended = true;
    return add_weights(b, m, more->count);
}

static limber_result extend(limberi_bone_bake* b, uint32_t m) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    limberi_bone_rows* r = &b->rows[m];
    float* places = limberi_allocate((3 * (size_t)r->vertex_count + 1) * sizeof *places);
    float* targets = NULL;
    uint32_t count = 0;
    limberi_bone_targets_job job = {.parallel = &b->source->parallel,
                                    .row_count = r->count,
                                    .frame_count = b->frame_count,
                                    .width = 3 * (size_t)r->vertex_count,
                                    .rows = r->rows,
                                    .tolerance = aim_share * b->tolerance / r->scale,
                                    .limit = target_limit(b) - baked->target_count};
    limber_result result = places ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    for (uint32_t k = 0; places && k < r->vertex_count; k++)
        memcpy(places + 3 * (size_t)k, b->model->meshes[m].positions + 3 * (size_t)r->vertices[k], 3 * sizeof *places);
    // Where bones enlarge, what is close enough in the mesh is not in the world.
    for (int i = 0; !result && !count && i < HALVINGS; i++, job.tolerance *= 0.5)
        result = b->settings->target_limit == UINT32_MAX
                     ? limberi_bone_targets_by_region(&job, places, &count, &targets)
                     : limberi_bone_targets(&job, &count, &targets); // as few as can be
    const part_targets more = {targets, r->vertices, count, r->vertex_count};
    if (!result && count && !add_targets(b, m, &more))
        result = LIMBER_ERROR_MEMORY;
    if (!result && count)
        result = limberi_bone_products(&b->source->parallel, baked->target_count, 3 * (size_t)r->active_count,
                                       r->packed, r->products);
    limberi_release(places);
    limberi_release(targets);
    return result;
}

static limber_result run_rounds(limberi_bone_bake* b) {
    limber_result result = replay(b);
    for (int round = 0; !result && round < ROUNDS; round++) {
        bool more = false;
        result = find_rows(b);
        for (uint32_t m = 0; !result && m < b->model->mesh_count; m++) {
            if (!b->rows[m].count)
                continue;
            result = extend(b, m);
            more = more || b->rows[m].extended;
        }
        if (!more)
            break;
        if (!result)
            result = replay(b);
    }
    return result;
}

limber_result limberi_bone_bake_targets(limberi_bone_bake* b) {
    limber_result result = open_rows(b);
    if (!result)
        result = run_rounds(b);
    for (uint32_t m = 0; b->rows && m < b->model->mesh_count; m++) {
        if (!result && !unpack_targets(&b->rows[m], &b->bake->meshes[m], b->model->meshes[m].vertex_count))
            result = LIMBER_ERROR_MEMORY;
        if (!result && b->bake->meshes[m].target_count < b->settings->target_limit)
            result = limberi_bake_limit_weights(b->bake, m, b->model->meshes[m].vertex_count, &b->source->parallel);
        for (uint32_t f = 0; b->rows[m].errors && f < b->frame_count; f++)
            b->bake->error = fmax(b->bake->error, b->rows[m].errors[f] / (double)b->model->size);
        limberi_release(b->rows[m].rows);
        limberi_release(b->rows[m].products);
        limberi_release(b->rows[m].active);
        limberi_release(b->rows[m].packed);
        for (uint32_t i = 0; i < b->member_count; i++)
            if (b->frames[i].replays)
                limberi_release(b->frames[i].replays[m].weights);
    }
    return result;
}
