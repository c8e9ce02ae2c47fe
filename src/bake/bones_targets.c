// Morph targets for what bones leave: frames that are too far off become rows, rows become few targets, until every
// frame is close enough or there may be no more targets. Every round replays the bake as a player does, so that the
// error is true.
#include "bake/bones.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/symmetric.h"

#include <string.h>

enum { TRIES = 12, VERTICES_PER_TASK = 512 };
enum { ROUNDS = 8, MAX_ROWS = 128, ROW_BYTES = 48 << 20 };

static const double row_share = 0.995; // of the tolerance: frames that are farther off need targets
static const double aim_share = 0.98;  // of the tolerance: what targets should reach in the frames that made them
static const double mask_share = 0.85; // of the tolerance: vertices that are never farther off need no target
static const double mask_width = 0.1;  // of the tolerance, beyond that: targets fade in

// One mesh.
struct limberi_bone_rows {
    uint32_t count, room, every, skipped;
    float* rows;      // [count][vertex * 3] mesh space
    double* products; // of the targets, factored
    double scale;     // world length of a unit of the mesh
    double error;     // world units, the worst of all frames
};

// --- rows become targets ---

// Principal axes hold the mean, but what counts is the worst vertex: rows and vertices that are still off weigh more in
// the next try.
typedef struct target_search {
    const limberi_bone_targets_job* job;
    double *gram, *values;      // [row]^2, [row]
    float* importance;          // [vertex]
    float* row_weight;          // [row]
    float* scaled;              // [row][width] by both
    float *targets, *best;      // [count][width]
    float* enough;              // [count][width] the best of the fewest that held
    float* off;                 // [vertex] the worst of all rows
    double *products, *weights; // weights: [row][room]
    double* row_off;            // [row]
    uint32_t room;              // of `targets` and `best`
    uint32_t count;             // targets of the current try
    bool no_memory;             // sticky
} target_search;

static void scale_rows(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    target_search* s = user;
    size_t width = s->job->width;
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        for (size_t x = 0; x < width; x++)
            s->scaled[i * width + x] = s->row_weight[i] * s->off[x / 3] * s->job->rows[i * width + x];
}

static void multiply_rows(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    target_search* s = user;
    size_t width = s->job->width;
    size_t n = s->job->row_count;
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        limberi_rows_dots(s->scaled + i * width, s->scaled, i + 1, width, s->gram + i * n);
}

static bool find_axes(target_search* s) {
    uint32_t n = s->job->row_count;
    for (size_t v = 0; 3 * v < s->job->width; v++)
        s->off[v] = sqrtf(s->importance[v]);
    limberi_parallel_for(s->job->parallel, n, 1, scale_rows, s);
    limberi_parallel_for(s->job->parallel, n, 1, multiply_rows, s);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            s->gram[k * (size_t)n + i] = s->gram[i * (size_t)n + k];
    s->no_memory = s->no_memory || limberi_eigen(s->gram, n, s->values, s->job->parallel) != LIMBER_OK;
    return !s->no_memory;
}

// An important axis, as a combination of the rows, with a largest displacement of 1 tolerance.
static void add_axis(target_search* s, uint32_t t) {
    uint32_t n = s->job->row_count;
    size_t width = s->job->width;
    double* axis = s->gram + t * (size_t)n;
    memset(s->targets + t * width, 0, width * sizeof *s->targets);
    for (uint32_t r = 0; r < n; r++)
        axis[r] *= (double)s->row_weight[r];
    limberi_rows_sum sum = {s->targets + t * width, s->job->rows, axis, width, n, 1, n, NULL, NULL, 0};
    limberi_rows_add(&sum);
    float max = 0;
    for (size_t i = 0; i < width; i++) {
        float x = fabsf(s->targets[t * width + i]);
        max = x > max ? x : max;
    }
    for (size_t i = 0; max > 0 && i < width; i++)
        s->targets[t * width + i] /= max;
}

static void add_axes(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    (void)worker;
    for (uint32_t t = first; t < end; t++)
        add_axis(user, t);
}

typedef struct product_work {
    uint32_t count;
    size_t width;
    const float* targets;
    double* products;
} product_work;

// The lower triangle.
static void multiply_targets(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const product_work* w = user;
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        limberi_rows_dots(w->targets + i * w->width, w->targets, i + 1, w->width, w->products + i * (size_t)w->count);
}

limber_result limberi_bone_products(const limber_parallel* parallel, uint32_t count, size_t width, const float* targets,
                                    double* products) {
    double trace = 0;
    product_work work = {count, width, targets, products};
    limberi_parallel_for(parallel, count, 1, multiply_targets, &work);
    for (uint32_t i = 0; i < count; i++)
        trace += products[i * (size_t)count + i];
    for (uint32_t i = 0; i < count; i++)
        products[i * (size_t)count + i] += 1e-7 * trace / count + 1e-30;
    limberi_lower lower = {count, products, NULL, NULL};
    return limberi_cholesky(&lower) ? LIMBER_OK : LIMBER_ERROR_DATA;
}

void limberi_bone_combine(uint32_t count, size_t width, const float* targets, double* products, const float* row,
                          double* weights) {
    limberi_rows_dots(row, targets, count, width, weights);
    limberi_lower lower = {count, products, NULL, NULL};
    limberi_cholesky_solve(&lower, 1, weights);
}

// What the targets leave of a row stays in `scaled`, which find_axes fills again.
static double row_error(target_search* s, uint32_t r, double* weights) {
    size_t width = s->job->width;
    float worst = 0;
    float* left = s->scaled + r * width;
    for (uint32_t t = 0; t < s->count; t++)
        weights[t] = -weights[t];
    memcpy(left, s->job->rows + r * width, width * sizeof *left);
    limberi_rows_sum sum = {left, s->targets, weights, width, s->count, 1, s->count, NULL, NULL, 0};
    limberi_rows_add(&sum);
    for (size_t v = 0; 3 * v < width; v++) {
        float off = left[3 * v] * left[3 * v] + left[3 * v + 1] * left[3 * v + 1] + left[3 * v + 2] * left[3 * v + 2];
        worst = off > worst ? off : worst;
    }
    return sqrt((double)worst);
}

static void try_rows(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    target_search* s = user;
    const limberi_bone_targets_job* job = s->job;
    (void)worker;
    for (uint32_t r = first; r < end; r++) {
        double* weights = s->weights + (size_t)r * s->room;
        limberi_bone_combine(s->count, job->width, s->targets, s->products, job->rows + r * job->width, weights);
        s->row_off[r] = row_error(s, r, weights);
    }
}

static void find_worst(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    target_search* s = user;
    size_t width = s->job->width;
    (void)worker;
    memset(s->off + first, 0, (end - first) * sizeof *s->off);
    for (uint32_t r = 0; r < s->job->row_count; r++)
        for (uint32_t v = first; v < end; v++) {
            const float* left = s->scaled + r * width + 3 * (size_t)v;
            float off = left[0] * left[0] + left[1] * left[1] + left[2] * left[2];
            s->off[v] = off > s->off[v] ? off : s->off[v];
        }
}

// The error of the worst row; what is off weighs more from now on.
static bool try_targets(target_search* s, uint32_t count, double* worst) {
    const limberi_bone_targets_job* job = s->job;
    *worst = 0;
    s->count = count;
    if (!find_axes(s))
        return false;
    limberi_parallel_for(job->parallel, count, 1, add_axes, s);
    if (limberi_bone_products(job->parallel, count, job->width, s->targets, s->products))
        return false;
    limberi_parallel_for(job->parallel, job->row_count, 1, try_rows, s);
    for (uint32_t r = 0; r < job->row_count; r++) {
        s->row_weight[r] *= (float)(0.5 + s->row_off[r] / job->tolerance);
        *worst = fmax(*worst, s->row_off[r]);
    }
    limberi_parallel_for(job->parallel, (uint32_t)(job->width / 3), VERTICES_PER_TASK, find_worst, s);
    for (size_t v = 0; *worst > 0 && 3 * v < job->width; v++)
        s->importance[v] *= 0.5f + (float)(sqrt((double)s->off[v]) / *worst);
    return true;
}

// What is this far off after so many tries will not get there, and the next number of targets comes sooner. With 2.5 and
// 1.5 times the tolerance one of eleven characters took more targets and 0.6 % more bytes; with these none does.
typedef struct last_chance {
    int tries;
    double share; // of the tolerance
} last_chance;

static const last_chance chances[] = {{2, 4}, {4, 2}};

static bool is_hopeless(int tries, double best, double tolerance) {
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++)
        if (tries >= chances[i].tries && best > chances[i].share * tolerance)
            return true;
    return false;
}

// Whether this many targets can hold the tolerance.
static bool holds(target_search* s, uint32_t count, int tries, double* best) {
    double worst = 0;
    *best = HUGE_VAL;
    for (size_t v = 0; 3 * v < s->job->width; v++)
        s->importance[v] = 1;
    for (uint32_t r = 0; r < s->job->row_count; r++)
        s->row_weight[r] = 1;
    for (int i = 0; i<tries&& * best> s->job->tolerance && !is_hopeless(i, *best, s->job->tolerance); i++) {
        if (!try_targets(s, count, &worst))
            return false;
        if (worst >= *best)
            continue;
        *best = worst;
        memcpy(s->best, s->targets, count * s->job->width * sizeof *s->best);
    }
    return *best <= s->job->tolerance;
}

static bool allocate(target_search* s) {
    size_t n = s->job->row_count;
    size_t width = s->job->width;
    s->gram = limberi_allocate(n * n * sizeof *s->gram);
    s->values = limberi_allocate(n * sizeof *s->values);
    s->importance = limberi_allocate((width / 3 + 1) * sizeof *s->importance);
    s->off = limberi_allocate((width / 3 + 1) * sizeof *s->off);
    s->row_weight = limberi_allocate(n * sizeof *s->row_weight);
    s->scaled = limberi_allocate(n * width * sizeof *s->scaled);
    s->targets = limberi_allocate(s->room * width * sizeof *s->targets);
    s->best = limberi_allocate(s->room * width * sizeof *s->best);
    s->enough = limberi_allocate(s->room * width * sizeof *s->enough);
    s->products = limberi_allocate((size_t)s->room * s->room * sizeof *s->products);
    s->weights = limberi_allocate(n * s->room * sizeof *s->weights);
    s->row_off = limberi_allocate(n * sizeof *s->row_off);
    return s->gram && s->values && s->importance && s->off && s->row_weight && s->scaled && s->targets && s->best &&
           s->enough && s->products && s->weights && s->row_off;
}

static void keep_best(target_search* s) {
    float* found = s->best;
    s->best = s->enough;
    s->enough = found;
}

// Doubles the number until it is enough, then halves the gap: plain axes answer fast, the tries only decide.
static uint32_t search_count(target_search* s) {
    uint32_t low = 0;
    uint32_t high = 1;
    double worst;
    bool held = false;
    while (!held && high < s->room) {
        held = holds(s, high, high < 5 ? TRIES : 2, &worst);
        low = held ? low : high;
        if (!held)
            high = 2 * high < s->room ? 2 * high : s->room;
    }
    if (held)
        keep_best(s);
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (holds(s, middle, TRIES, &worst)) {
            high = middle;
            held = true;
            keep_best(s);
        } else {
            low = middle;
        }
    }
    if (held)
        return high;
    holds(s, high, TRIES, &worst);
    keep_best(s);
    return worst < HUGE_VAL ? high : 0;
}

limber_result limberi_bone_targets(const limberi_bone_targets_job* job, uint32_t* count, float** targets) {
    target_search s;
    memset(&s, 0, sizeof s);
    s.job = job;
    s.room = job->row_count < job->limit ? job->row_count : job->limit;
    *count = 0;
    *targets = NULL;
    if (!s.room || !job->width)
        return LIMBER_OK;
    limber_result result = allocate(&s) ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    if (!result) {
        *count = search_count(&s);
        result = s.no_memory ? LIMBER_ERROR_MEMORY : LIMBER_OK;
    }
    if (!result) {
        *targets = s.enough;
        s.enough = NULL;
    }
    limberi_release(s.gram);
    limberi_release(s.values);
    limberi_release(s.importance);
    limberi_release(s.off);
    limberi_release(s.row_weight);
    limberi_release(s.scaled);
    limberi_release(s.targets);
    limberi_release(s.best);
    limberi_release(s.enough);
    limberi_release(s.products);
    limberi_release(s.weights);
    limberi_release(s.row_off);
    return result;
}

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
        for (uint32_t t = 0; t < b->bake->track_count; t++)
            if (!(b->bake->meshes[m].weights[t] = limberi_allocate_zeroed(1, sizeof(float))))
                return LIMBER_ERROR_MEMORY;
    }
    for (uint32_t i = 0; !result && i < b->member_count; i++)
        result = open_replays(b, &b->frames[i]);
    return b->arena.failed ? LIMBER_ERROR_MEMORY : result;
}

static void find_row(limberi_bone_frame* f, uint32_t m, const float* base, float* row) {
    const limberi_bone_mesh* mesh = &f->bake->bones.meshes[m];
    limberi_bake_corrective_job job = {.mesh = &mesh->mesh,
                                       .palette = f->palettes[m],
                                       .morphed_positions = base,
                                       .positions = f->wanted + 3 * (size_t)mesh->mesh.first_vertex,
                                       .out_positions = row,
                                       .vertex_count = LIMBER_TO_END};
    limberi_bake_corrective(&job);
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
static double show(limberi_bone_frame* f, uint32_t m, const float* base, float share, float* weights) {
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
    limberi_rows_sum sum = {.targets = r->positions,
                            .sources = baked->positions,
                            .factors = r->shares,
                            .width = width,
                            .source_count = baked->target_count,
                            .target_count = 1};
    if (baked->target_count)
        limberi_rows_add(&sum);
    limberi_bone_bake_skin(f, m, r->positions, r->shape);
    return farthest(r->shape, wanted, width);
}

// The best mean may be worse for a vertex than no target at all.
static double show_best(limberi_bone_frame* f, uint32_t m, const float* base, float* weights) {
    const limberi_bone_bake* b = f->bake;
    double error = show(f, m, base, 1, weights);
    if (!b->bake->meshes[m].target_count || error <= b->tolerance)
        return error;
    for (float share = 0.5f; share >= 0; share -= 0.5f) {
        error = show(f, m, base, share, weights);
        if (error <= b->tolerance)
            return error;
    }
    return show(f, m, base, 1, weights);
}

// The last target that is allowed, if there are several, is the one that limberi_bake_limit_weights adds.
static uint32_t target_limit(const limberi_bone_bake* b) {
    return b->settings->target_limit > 1 ? b->settings->target_limit - 1 : b->settings->target_limit;
}

static bool allocate_rows(limberi_bone_rows* r, size_t width) {
    if (r->rows)
        return true;
    r->rows = limberi_allocate((size_t)r->room * width * sizeof(float));
    r->every = 1;
    return r->rows != NULL;
}

// When there is no room every second row goes, and fewer come: what they would have needed the next round finds.
static bool keep_row(limberi_bone_bake* b, uint32_t m, const float* row) {
    limberi_bone_rows* r = &b->rows[m];
    size_t width = 3 * (size_t)b->model->meshes[m].vertex_count;
    if (!allocate_rows(r, width))
        return false;
    if (r->skipped++ % r->every != 0)
        return true;
    if (r->count == r->room) {
        for (uint32_t i = 0; 2 * i < r->count; i++)
            memcpy(r->rows + i * width, r->rows + 2 * i * width, width * sizeof(float));
        r->count = (r->count + 1) / 2;
        r->every *= 2;
    }
    memcpy(r->rows + r->count++ * width, row, width * sizeof(float));
    return true;
}

static void replay_mesh(limberi_bone_frame* f, uint32_t m) {
    const limberi_bone_bake* b = f->bake;
    limberi_bone_replay* r = &f->replays[m];
    const limber_mesh* mesh = &b->model->meshes[m];
    const limber_bake_mesh* baked = &b->bake->meshes[m];
    const float* base = limberi_bone_bake_morphed(f, m);
    float* weights = baked->weights[f->track] + (size_t)f->index * baked->target_count;
    if (baked->target_count) {
        find_row(f, m, base, r->row);
        limberi_bone_combine(baked->target_count, 3 * (size_t)mesh->vertex_count, baked->positions, b->rows[m].products,
                             r->row, r->weights);
    }
    r->error = show_best(f, m, base, weights);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        float* off = &f->off[mesh->first_vertex + v];
        *off =
            fmaxf(*off, limberi_length(limberi_sub(limberi_load3(r->shape + 3 * (size_t)v),
                                                   limberi_load3(f->wanted + 3 * ((size_t)mesh->first_vertex + v)))));
    }
    r->wants = r->error > row_share * b->tolerance && baked->target_count < target_limit(b);
    if (r->wants)
        find_row(f, m, r->positions, r->row);
}

static void replay_some(void* frames, uint32_t first, uint32_t end, uint32_t worker) {
    (void)worker;
    for (limberi_bone_frame* f = (limberi_bone_frame*)frames + first; f < (limberi_bone_frame*)frames + end; f++) {
        f->result = limberi_bone_bake_frame(f);
        if (!f->result)
            limberi_bone_bake_pose(f, true);
        for (uint32_t m = 0; !f->result && m < f->bake->model->mesh_count; m++)
            replay_mesh(f, m);
    }
}

static limber_result collect_rows(limberi_bone_bake* b, limberi_bone_frame* f) {
    for (uint32_t m = 0; m < b->model->mesh_count; m++) {
        const limberi_bone_replay* r = &f->replays[m];
        b->rows[m].error = fmax(b->rows[m].error, r->error);
        if (r->wants && !keep_row(b, m, r->row))
            return LIMBER_ERROR_MEMORY;
    }
    return LIMBER_OK;
}

static limber_result replay(limberi_bone_bake* b) {
    for (uint32_t m = 0; m < b->model->mesh_count; m++) {
        b->rows[m].error = 0;
        b->rows[m].count = b->rows[m].skipped = 0;
        b->rows[m].every = 1;
    }
    limber_result result = limberi_bone_bake_pass(b, 1, replay_some, collect_rows);
    limberi_bone_bake_merge_off(b);
    return result;
}

// --- rounds ---

// Where targets act: vertices that are too far off, fading out around them.
static float mask_at(const limberi_bone_bake* b, uint32_t vertex) {
    double x = ((double)b->off[vertex] / b->tolerance - mask_share) / mask_width;
    return (float)fmin(fmax(x, 0), 1);
}

static uint32_t pack_rows(limberi_bone_bake* b, uint32_t m, uint32_t* vertices, float** packed) {
    const limber_mesh* mesh = &b->model->meshes[m];
    limberi_bone_rows* r = &b->rows[m];
    size_t width = 3 * (size_t)mesh->vertex_count;
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (mask_at(b, mesh->first_vertex + v) > 0)
            vertices[count++] = v;
    *packed = limberi_allocate(((size_t)r->count * 3 * count + 1) * sizeof **packed);
    for (uint32_t i = 0; *packed && i < r->count; i++)
        for (uint32_t k = 0; k < count; k++) {
            float mask = mask_at(b, mesh->first_vertex + vertices[k]);
            for (size_t c = 0; c < 3; c++)
                (*packed)[3 * ((size_t)i * count + k) + c] = mask * r->rows[i * width + 3 * (size_t)vertices[k] + c];
        }
    return count;
}

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

static bool add_targets(limberi_bone_bake* b, uint32_t m, uint32_t count, const float* targets,
                        const uint32_t* vertices, uint32_t vertex_count) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    limberi_bone_rows* r = &b->rows[m];
    size_t width = 3 * (size_t)b->model->meshes[m].vertex_count;
    size_t all = baked->target_count + (size_t)count;
    float* positions = limberi_allocate_zeroed(all * width + 1, sizeof(float));
    limberi_release(r->products);
    r->products = limberi_allocate(all * all * sizeof *r->products);
    if (!positions || !r->products || !grow_weights(b, m, all)) {
        limberi_release(positions);
        return false;
    }
    if (baked->target_count)
        memcpy(positions, baked->positions, baked->target_count * width * sizeof(float));
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t k = 0; k < vertex_count; k++)
            memcpy(positions + (baked->target_count + t) * width + 3 * (size_t)vertices[k],
                   targets + 3 * ((size_t)t * vertex_count + k), 3 * sizeof(float));
    limberi_release(baked->positions);
    baked->positions = positions;
    baked->target_count = (uint32_t)all;
    for (uint32_t t = 0; t < b->bake->track_count; t++) {
        limberi_release(baked->weights[t]);
        baked->weights[t] = limberi_allocate_zeroed(b->bake->tracks[t].frame_count * all + 1, sizeof(float));
        if (!baked->weights[t])
            return false;
    }
    return true;
}

static limber_result extend(limberi_bone_bake* b, uint32_t m) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    limberi_bone_rows* r = &b->rows[m];
    size_t width = 3 * (size_t)b->model->meshes[m].vertex_count;
    uint32_t* vertices = limberi_allocate((b->model->meshes[m].vertex_count + (size_t)1) * sizeof *vertices);
    float* packed = NULL;
    float* targets = NULL;
    uint32_t count = 0;
    uint32_t kept = vertices ? pack_rows(b, m, vertices, &packed) : 0;
    limberi_bone_targets_job job = {.parallel = &b->source->parallel,
                                    .row_count = r->count,
                                    .width = 3 * (size_t)kept,
                                    .rows = packed,
                                    .tolerance = aim_share * b->tolerance / r->scale,
                                    .limit = target_limit(b) - baked->target_count};
    limber_result result = packed ? limberi_bone_targets(&job, &count, &targets) : LIMBER_ERROR_MEMORY;
    if (!result && count && !add_targets(b, m, count, targets, vertices, kept))
        result = LIMBER_ERROR_MEMORY;
    if (!result && count)
        result = limberi_bone_products(&b->source->parallel, baked->target_count, width, baked->positions, r->products);
    limberi_release(vertices);
    limberi_release(packed);
    limberi_release(targets);
    return result;
}

static limber_result run_rounds(limberi_bone_bake* b) {
    limber_result result = replay(b);
    for (int round = 0; !result && round < ROUNDS; round++) {
        bool more = false;
        for (uint32_t m = 0; !result && m < b->model->mesh_count; m++) {
            if (!b->rows[m].count)
                continue;
            more = true;
            result = extend(b, m);
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
        if (!result && b->bake->meshes[m].target_count < b->settings->target_limit)
            result = limberi_bake_limit_weights(b->bake, m, b->model->meshes[m].vertex_count, &b->source->parallel);
        b->bake->error = fmax(b->bake->error, b->rows[m].error / (double)b->model->size);
        limberi_release(b->rows[m].rows);
        limberi_release(b->rows[m].products);
        for (uint32_t i = 0; i < b->member_count; i++)
            if (b->frames[i].replays)
                limberi_release(b->frames[i].replays[m].weights);
    }
    return result;
}
