// Rows become few targets: their principal axes, of which the fewest are looked for that hold the tolerance.
#include "bake/bones.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/symmetric.h"

#include <string.h>

// STEPS of a try towards its axes, from those of the try before: with 1 and 6 nine characters take 0.2 and 0.8 % more
// bytes in sum, with exact axes 1.6 %.
enum { TRIES = 12, STEPS = 3, VERTICES_PER_TASK = 512 };

// Of multiplications; less is not worth the call of another thread.
static const double min_task = 1 << 17;

// Principal axes hold the mean, but what counts is the worst vertex: rows and vertices that are still off weigh more in
// the next try.
typedef struct target_search {
    const limberi_bone_targets_job* job;
    double *gram, *values;      // [row]^2, [row]
    double* plain_axes;         // [row]^2 with equal weights, by falling value
    double *axes, *axes_room;   // [room][row] of the current try
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

// So many rows that a task of them is worth a thread.
static uint32_t rows_per_task(double multiplications_per_row) {
    return 1 + (uint32_t)(min_task / (multiplications_per_row + 1));
}

static void multiply_all(target_search* s) {
    uint32_t n = s->job->row_count;
    double width = (double)s->job->width;
    for (size_t v = 0; 3 * v < s->job->width; v++)
        s->off[v] = sqrtf(s->importance[v]);
    limberi_parallel_for(s->job->parallel, n, rows_per_task(width), scale_rows, s);
    limberi_parallel_for(s->job->parallel, n, rows_per_task(0.5 * n * width), multiply_rows, s);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            s->gram[k * (size_t)n + i] = s->gram[i * (size_t)n + k];
}

// With equal weights: where all numbers of targets begin.
static bool find_plain_axes(target_search* s) {
    size_t n = s->job->row_count;
    multiply_all(s);
    memcpy(s->plain_axes, s->gram, n * n * sizeof *s->gram);
    s->no_memory = limberi_eigen(s->plain_axes, (uint32_t)n, s->values, s->job->parallel) != LIMBER_OK;
    return !s->no_memory;
}

static void find_axes(target_search* s, int tries) {
    uint32_t n = s->job->row_count;
    if (tries == 0) {
        memcpy(s->axes, s->plain_axes, (size_t)s->count * n * sizeof *s->axes);
        return;
    }
    multiply_all(s);
    limberi_eigen_approach(s->gram, n, s->count, STEPS, s->axes, s->axes_room);
}

// An important axis, as a combination of the rows, with a largest displacement of 1 tolerance.
static void add_axis(target_search* s, uint32_t t) {
    uint32_t n = s->job->row_count;
    size_t width = s->job->width;
    double* axis = s->axes_room + t * (size_t)n;
    memset(s->targets + t * width, 0, width * sizeof *s->targets);
    for (uint32_t r = 0; r < n; r++)
        axis[r] = s->axes[t * (size_t)n + r] * (double)s->row_weight[r];
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
    limberi_parallel_for(parallel, count, rows_per_task(0.5 * count * (double)width), multiply_targets, &work);
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
static bool try_targets(target_search* s, uint32_t count, int tries, double* worst) {
    const limberi_bone_targets_job* job = s->job;
    double width = (double)job->width;
    *worst = 0;
    s->count = count;
    find_axes(s, tries);
    limberi_parallel_for(job->parallel, count, rows_per_task(job->row_count * width), add_axes, s);
    if (limberi_bone_products(job->parallel, count, job->width, s->targets, s->products))
        return false;
    limberi_parallel_for(job->parallel, job->row_count, rows_per_task(2 * count * width), try_rows, s);
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

static void weigh_equally(target_search* s) {
    for (size_t v = 0; 3 * v < s->job->width; v++)
        s->importance[v] = 1;
    for (uint32_t r = 0; r < s->job->row_count; r++)
        s->row_weight[r] = 1;
}

// Whether this many targets can hold the tolerance.
static bool holds(target_search* s, uint32_t count, int tries, double* best) {
    double worst = 0;
    *best = HUGE_VAL;
    weigh_equally(s);
    for (int i = 0; i<tries&& * best> s->job->tolerance && !is_hopeless(i, *best, s->job->tolerance); i++) {
        if (!try_targets(s, count, i, &worst))
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
    s->plain_axes = limberi_allocate(n * n * sizeof *s->plain_axes);
    s->axes = limberi_allocate(s->room * n * sizeof *s->axes);
    s->axes_room = limberi_allocate(s->room * n * sizeof *s->axes_room);
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
    return s->gram && s->plain_axes && s->axes && s->axes_room && s->values && s->importance && s->off &&
           s->row_weight && s->scaled && s->targets && s->best && s->enough && s->products && s->weights && s->row_off;
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
    double worst = HUGE_VAL;
    bool held = false;
    weigh_equally(s);
    if (!find_plain_axes(s))
        return 0;
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
    limberi_release(s.plain_axes);
    limberi_release(s.axes);
    limberi_release(s.axes_room);
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
