// Rows become few targets: their principal axes, of which the fewest are looked for that hold the tolerance.
#include "bake/bones.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/symmetric.h"

#include <string.h>

enum { TRIES = 12, VERTICES_PER_TASK = 512 };

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
    if (!held) {
        held = holds(s, high, TRIES, &worst);
        keep_best(s);
    }
    if (s->job->held)
        *s->job->held = held;
    return held || worst < HUGE_VAL ? high : 0;
}

limber_result limberi_bone_targets(const limberi_bone_targets_job* job, uint32_t* count, float** targets) {
    target_search s = {0};
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
