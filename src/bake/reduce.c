// Target reduction in two steps. A greedy basis holds a quarter of the tolerance: of a batch of rows, the residual that
// is furthest off becomes the next vector, until none is. Rows are then forgotten but for their coefficients. A
// principal component analysis of the coefficients, whose size is that of the basis, turns the basis to its most
// important axes, and as many as the rest of the tolerance allows are dropped.
#include "bake/reduce.h"
#include "base/memory.h"
#include "base/symmetric.h"

#include <math.h>
#include <string.h>

// Rows at a time: more of them choose better vectors and take more memory.
enum { BATCH_ROWS = 48, ROWS_PER_TASK = 1 };
// Above this many greedy vectors the eigenvectors cost more than they save.
enum { LARGEST_EIGENPROBLEM = 1024 };
static const double greedy_share = 0.25; // of the tolerance

struct limberi_reducer {
    size_t width;
    double tolerance;
    limber_parallel parallel;
    uint32_t count, capacity; // vectors
    float* vectors;           // [count][width], orthonormal but for rounding
    float* followed;          // [count][width]: sums of coefficient times follower; NULL without followers
    uint32_t row_count, row_capacity;
    double** coefficients; // [row]: its own `row_lengths` numbers, the rest are 0
    uint32_t* row_lengths;
    double* offsets;                    // [row]: how far the greedy basis is off
    uint32_t batch_count, copied_count; // rows of the batch, and those that are copied already
    const float *rows[BATCH_ROWS], *followers[BATCH_ROWS];
    float *batch, *batch_followers;      // [BATCH_ROWS][width]
    double* factors;                     // [BATCH_ROWS][capacity]
    double *batch_offsets, *new_factors; // [BATCH_ROWS]
    double* dots;                        // [capacity] of a new vector with the others
    uint32_t adding;                     // for the tasks: the vector that the batch is freed of
    const float* residual;               // for the tasks: what becomes the next vector
};

void limberi_reduction_free(limberi_reduction* reduction) {
    limberi_release(reduction->basis);
    limberi_release(reduction->followers);
    limberi_release(reduction->coefficients);
    memset(reduction, 0, sizeof *reduction);
}

limberi_reducer* limberi_reducer_create(size_t width, double tolerance, bool follow, const limber_parallel* parallel) {
    limberi_reducer* r = limberi_allocate_zeroed(1, sizeof *r);
    if (!r)
        return NULL;
    r->width = width;
    r->tolerance = tolerance;
    if (parallel)
        r->parallel = *parallel;
    size_t bytes = (BATCH_ROWS * width + 1) * sizeof(float);
    r->batch = limberi_allocate(bytes);
    r->batch_followers = follow ? limberi_allocate(bytes) : NULL;
    r->batch_offsets = limberi_allocate_zeroed(BATCH_ROWS, sizeof *r->batch_offsets);
    r->new_factors = limberi_allocate_zeroed(BATCH_ROWS, sizeof *r->new_factors);
    if (r->batch && (!follow || r->batch_followers) && r->batch_offsets && r->new_factors)
        return r;
    limberi_reducer_destroy(r);
    return NULL;
}

void limberi_reducer_destroy(limberi_reducer* r) {
    if (!r)
        return;
    for (uint32_t i = 0; i < r->row_count; i++)
        limberi_release(r->coefficients[i]);
    limberi_release(r->coefficients);
    limberi_release(r->row_lengths);
    limberi_release(r->offsets);
    limberi_release(r->vectors);
    limberi_release(r->followed);
    limberi_release(r->batch);
    limberi_release(r->batch_followers);
    limberi_release(r->batch_offsets);
    limberi_release(r->new_factors);
    limberi_release(r->dots);
    limberi_release(r->factors);
    limberi_release(r);
}

// --- room ---

static void* grown(void* old, size_t before, size_t after, bool* failed) {
    void* memory = limberi_reallocate(old, before, after);
    *failed = *failed || !memory;
    return memory ? memory : old;
}

typedef struct row_copy {
    const float* from;
    float* to;
    size_t width;
} row_copy;

static void copy_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const row_copy* c = user;
    (void)worker;
    memcpy(c->to + first * c->width, c->from + first * c->width, (end - first) * c->width * sizeof(float));
}

// By all threads: new memory is slow when it is first touched.
static float* grown_rows(const limberi_reducer* r, float* old, uint32_t capacity, bool* failed) {
    row_copy copy = {old, limberi_allocate(capacity * r->width * sizeof(float)), r->width};
    *failed = *failed || !copy.to;
    if (!copy.to)
        return old;
    limberi_parallel_for(&r->parallel, r->count, 1, copy_some, &copy);
    limberi_release(old);
    return copy.to;
}

static bool grow_vectors(limberi_reducer* r) {
    if (r->count < r->capacity)
        return true;
    uint32_t before = r->capacity;
    uint32_t after = before ? before + before / 2 : 32;
    double* factors = limberi_allocate_zeroed((size_t)BATCH_ROWS * after, sizeof *factors);
    bool failed = !factors;
    r->dots = grown(r->dots, before * sizeof *r->dots, after * sizeof *r->dots, &failed);
    r->vectors = grown_rows(r, r->vectors, after, &failed);
    if (r->batch_followers)
        r->followed = grown_rows(r, r->followed, after, &failed);
    if (failed) {
        limberi_release(factors);
        return false;
    }
    for (uint32_t b = 0; before && b < BATCH_ROWS; b++)
        memcpy(factors + (size_t)b * after, r->factors + (size_t)b * before, r->count * sizeof *factors);
    limberi_release(r->factors);
    r->factors = factors;
    r->capacity = after;
    return true;
}

static bool grow_rows(limberi_reducer* r) {
    if (r->row_count + BATCH_ROWS <= r->row_capacity)
        return true;
    uint32_t before = r->row_capacity;
    uint32_t after = 2 * before + BATCH_ROWS;
    bool failed = false;
    r->coefficients =
        grown(r->coefficients, before * sizeof *r->coefficients, after * sizeof *r->coefficients, &failed);
    r->row_lengths = grown(r->row_lengths, before * sizeof *r->row_lengths, after * sizeof *r->row_lengths, &failed);
    r->offsets = grown(r->offsets, before * sizeof *r->offsets, after * sizeof *r->offsets, &failed);
    r->row_capacity = failed ? before : after;
    return !failed;
}

// --- a batch ---

// Factors of the basis so far, with the other sign: what remains is a sum.
static void measure_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_reducer* r = user;
    (void)worker;
    for (uint32_t b = first; b < end; b++) {
        double* factors = r->factors + (size_t)b * r->capacity;
        limberi_rows_dots(r->batch + b * r->width, r->vectors, r->count, r->width, factors);
        for (uint32_t i = 0; i < r->count; i++)
            factors[i] = -factors[i];
    }
}

static void offset_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_reducer* r = user;
    (void)worker;
    for (uint32_t b = first; b < end; b++)
        r->batch_offsets[b] = limberi_rows_longest(r->batch + b * r->width, r->width);
}

static void project_batch(limberi_reducer* r) {
    if (r->count) {
        limberi_parallel_for(&r->parallel, r->batch_count, ROWS_PER_TASK, measure_some, r);
        limberi_rows_sum sum = {.targets = r->batch,
                                .target_count = r->batch_count,
                                .sources = r->vectors,
                                .source_count = r->count,
                                .factors = r->factors,
                                .factor_stride = r->capacity,
                                .width = r->width,
                                .parallel = &r->parallel};
        limberi_rows_add(&sum);
    }
    limberi_parallel_for(&r->parallel, r->batch_count, ROWS_PER_TASK, offset_some, r);
}

enum { DOTS_PER_TASK = 4, NUMBERS_PER_TASK = 1 << 16 }; // four: as limberi_rows_dots takes them together

static void dot_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_reducer* r = user;
    (void)worker;
    for (uint32_t i = first; i < end; i++) {
        uint32_t at = DOTS_PER_TASK * i;
        uint32_t left = r->count - at;
        limberi_rows_dots(r->residual, r->vectors + at * r->width, left < DOTS_PER_TASK ? left : DOTS_PER_TASK,
                          r->width, r->dots + at);
    }
}

// The residual as a new vector. Once more at right angles to the others: small residuals are mostly rounding.
static bool add_vector(limberi_reducer* r, const float* residual) {
    float* q = r->vectors + r->count * r->width;
    r->residual = residual;
    uint32_t step = (uint32_t)(1 + NUMBERS_PER_TASK / (DOTS_PER_TASK * r->width + 1));
    limberi_parallel_for(&r->parallel, (r->count + DOTS_PER_TASK - 1) / DOTS_PER_TASK, step, dot_some, r);
    for (uint32_t i = 0; i < r->count; i++)
        r->dots[i] = -r->dots[i];
    limberi_rows_sum sum = {.targets = q,
                            .target_count = 1,
                            .sources = r->vectors,
                            .source_count = r->count,
                            .factors = r->dots,
                            .factor_stride = r->count,
                            .width = r->width,
                            .parallel = &r->parallel,
                            .start = residual};
    limberi_rows_add(&sum);
    double length = sqrt(limberi_rows_dot(q, q, r->width));
    if (!(length > 0))
        return false;
    limberi_rows_scale(&r->parallel, q, r->width, length, true);
    return true;
}

// Rows that are good enough already stay as they are.
static void free_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_reducer* r = user;
    const float* q = r->vectors + r->adding * r->width;
    (void)worker;
    for (uint32_t b = first; b < end; b++) {
        float* row = r->batch + b * r->width;
        r->new_factors[b] = 0;
        if (!(r->batch_offsets[b] > greedy_share * r->tolerance))
            continue;
        r->new_factors[b] = -limberi_rows_dot(row, q, r->width);
        limberi_rows_add_one(row, q, r->new_factors[b], r->width);
        r->batch_offsets[b] = limberi_rows_longest(row, r->width);
    }
}

// A row takes one vector, and perhaps another for what rounding left of it. Where numbers are so large that rounding
// alone is more than the tolerance, each further one would take away a little, thousands of times.
enum { TRIES_PER_ROW = 2 };

// The row that is furthest off, of those that are too far and still have tries; none: batch_count.
static uint32_t worst_of_batch(const limberi_reducer* r, const uint8_t* tries) {
    uint32_t worst = r->batch_count;
    double max = greedy_share * r->tolerance;
    for (uint32_t b = 0; b < r->batch_count; b++)
        if (tries[b] < TRIES_PER_ROW && r->batch_offsets[b] > max) {
            max = r->batch_offsets[b];
            worst = b;
        }
    return worst;
}

static void free_batch(limberi_reducer* r) {
    r->adding = r->count;
    limberi_parallel_for(&r->parallel, r->batch_count, ROWS_PER_TASK, free_some, r);
    for (uint32_t b = 0; b < r->batch_count; b++)
        r->factors[(size_t)b * r->capacity + r->count] = r->new_factors[b];
    r->count++;
}

// No more vectors than a row has numbers are at right angles to each other.
static limber_result extend_basis(limberi_reducer* r) {
    uint8_t tries[BATCH_ROWS] = {0};
    while (r->count < r->width) {
        uint32_t worst = worst_of_batch(r, tries);
        if (worst == r->batch_count)
            break;
        if (!grow_vectors(r))
            return LIMBER_ERROR_MEMORY;
        double before = r->batch_offsets[worst];
        tries[worst]++;
        if (add_vector(r, r->batch + worst * r->width))
            free_batch(r);
        if (!(r->batch_offsets[worst] < before)) // only rounding is left
            tries[worst] = TRIES_PER_ROW;
    }
    return LIMBER_OK;
}

static limber_result keep_factors(limberi_reducer* r) {
    if (!grow_rows(r))
        return LIMBER_ERROR_MEMORY;
    for (uint32_t b = 0; b < r->batch_count; b++) {
        double* kept = limberi_allocate((r->count + 1u) * sizeof *kept);
        if (!kept)
            return LIMBER_ERROR_MEMORY;
        for (uint32_t i = 0; i < r->count; i++)
            kept[i] = -r->factors[(size_t)b * r->capacity + i];
        r->offsets[r->row_count] = r->batch_offsets[b];
        r->row_lengths[r->row_count] = r->count;
        r->coefficients[r->row_count++] = kept;
    }
    return LIMBER_OK;
}

// followed += C' followers, the right-hand side of the normal equations.
static limber_result follow_batch(limberi_reducer* r, uint32_t fresh_count) {
    if (!r->followed)
        return LIMBER_OK;
    double* turned = limberi_allocate(((size_t)r->count * r->batch_count + 1) * sizeof *turned);
    if (!turned)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t b = 0; b < r->batch_count; b++)
            turned[(size_t)i * r->batch_count + b] = -r->factors[(size_t)b * r->capacity + i];
    limberi_rows_sum sum = {.targets = r->followed,
                            .target_count = r->count,
                            .sources = r->batch_followers,
                            .source_count = r->batch_count,
                            .factors = turned,
                            .factor_stride = r->batch_count,
                            .width = r->width,
                            .parallel = &r->parallel,
                            .fresh_count = fresh_count};
    limberi_rows_add(&sum);
    limberi_release(turned);
    return LIMBER_OK;
}

static void keep_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_reducer* r = user;
    (void)worker;
    for (uint32_t i = r->copied_count + first; i < r->copied_count + end; i++) {
        memcpy(r->batch + i * r->width, r->rows[i], r->width * sizeof(float));
        if (r->batch_followers)
            memcpy(r->batch_followers + i * r->width, r->followers[i], r->width * sizeof(float));
    }
}

void limberi_reducer_keep(limberi_reducer* r) {
    limberi_parallel_for(&r->parallel, r->batch_count - r->copied_count, ROWS_PER_TASK, keep_some, r);
    r->copied_count = r->batch_count;
}

static limber_result reduce_batch(limberi_reducer* r) {
    if (!r->batch_count)
        return LIMBER_OK;
    limberi_reducer_keep(r);
    uint32_t before = r->count;
    project_batch(r);
    limber_result result = extend_basis(r);
    if (!result)
        result = keep_factors(r);
    if (!result)
        result = follow_batch(r, r->count - before);
    r->batch_count = r->copied_count = 0;
    return result;
}

limber_result limberi_reducer_add(limberi_reducer* r, const float* row, const float* follower) {
    r->rows[r->batch_count] = row;
    r->followers[r->batch_count] = follower;
    return ++r->batch_count < BATCH_ROWS ? LIMBER_OK : reduce_batch(r);
}

// --- all rows ---

// While the basis is turned and cut.
typedef struct axes_work {
    const limberi_reducer* reducer;
    uint32_t count, kept;
    double* axes;   // [count][count], one per row
    double* turned; // [row][count]
    float* basis;   // [count][width], along the axes
    double* errors; // [row], with `kept` axes
    double* limits; // [row]
} axes_work;

// Rows of the matrix of products.
static void multiply_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const axes_work* w = user;
    const limberi_reducer* r = w->reducer;
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        for (uint32_t row = 0; row < r->row_count; row++) {
            const double* c = r->coefficients[row];
            double* products = w->axes + (size_t)i * w->count;
            for (uint32_t k = 0; i < r->row_lengths[row] && c[i] != 0 && k < r->row_lengths[row]; k++)
                products[k] += c[i] * c[k];
        }
}

static limber_result find_axes(axes_work* w) {
    uint32_t n = w->count;
    if (n > LARGEST_EIGENPROBLEM) {
        for (size_t i = 0; i < (size_t)n * n; i++)
            w->axes[i] = i % (n + 1u) == 0 ? 1 : 0;
        return LIMBER_OK;
    }
    double* values = limberi_allocate((n + 1u) * sizeof *values);
    if (!values)
        return LIMBER_ERROR_MEMORY;
    limberi_parallel_for(&w->reducer->parallel, n, 1, multiply_some, w);
    limber_result result = limberi_eigen(w->axes, n, values, &w->reducer->parallel);
    limberi_release(values);
    return result;
}

static void turn_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const axes_work* w = user;
    const limberi_reducer* r = w->reducer;
    (void)worker;
    for (uint32_t row = first; row < end; row++)
        for (uint32_t k = 0; k < w->count; k++) {
            const double* axis = w->axes + (size_t)k * w->count;
            const double* c = r->coefficients[row];
            double sum = 0;
            for (uint32_t i = 0; i < r->row_lengths[row]; i++)
                sum += axis[i] * c[i];
            w->turned[(size_t)row * w->count + k] = sum;
        }
}

// How far the axes that are dropped move the row's vertices.
static double dropped(const axes_work* w, uint32_t row, const limber_parallel* parallel) {
    limberi_rows_sum sum = {.sources = w->basis + w->kept * w->reducer->width,
                            .source_count = w->count - w->kept,
                            .factors = w->turned + (size_t)row * w->count + w->kept,
                            .width = w->reducer->width,
                            .parallel = parallel};
    return limberi_rows_longest_sum(&sum);
}

static void drop_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const axes_work* w = user;
    (void)worker;
    for (uint32_t row = first; row < end; row++)
        w->errors[row] = dropped(w, row, NULL);
}

// The row that loses most, by the length of what it loses.
static uint32_t likely_worst(const axes_work* w) {
    uint32_t worst = 0;
    double max = -1;
    for (uint32_t row = 0; row < w->reducer->row_count; row++) {
        double sum = 0;
        for (uint32_t k = w->kept; k < w->count; k++)
            sum += w->turned[(size_t)row * w->count + k] * w->turned[(size_t)row * w->count + k];
        worst = sum > max ? row : worst;
        max = fmax(max, sum);
    }
    return worst;
}

// The fewest axes with which this row is good enough, by halving; more than `low`.
static uint32_t needed_by(axes_work* w, uint32_t row, uint32_t low) {
    uint32_t high = w->count;
    while (low < high) {
        w->kept = low + (high - low) / 2;
        if (dropped(w, row, &w->reducer->parallel) <= w->limits[row])
            high = w->kept;
        else
            low = w->kept + 1;
    }
    return high;
}

// One row says how many axes it needs; then all are checked, and the worst may ask for more.
static void cut_axes(axes_work* w) {
    const limberi_reducer* r = w->reducer;
    uint32_t kept = needed_by(w, likely_worst(w), 0);
    for (;;) {
        uint32_t worst = 0;
        double max = 0;
        w->kept = kept;
        limberi_parallel_for(&r->parallel, r->row_count, ROWS_PER_TASK, drop_some, w);
        for (uint32_t row = 0; row < r->row_count; row++)
            if (w->errors[row] > w->limits[row] && w->errors[row] - w->limits[row] > max) {
                max = w->errors[row] - w->limits[row];
                worst = row;
            }
        if (!(max > 0) || kept == w->count)
            return;
        kept = needed_by(w, worst, kept + 1);
    }
}

static bool open_work(axes_work* w, const limberi_reducer* r) {
    memset(w, 0, sizeof *w);
    w->reducer = r;
    w->count = r->count;
    w->axes = limberi_allocate_zeroed((size_t)r->count * r->count + 1, sizeof *w->axes);
    w->turned = limberi_allocate(((size_t)r->row_count * r->count + 1) * sizeof *w->turned);
    w->basis = limberi_allocate_zeroed(r->count * r->width + 1, sizeof *w->basis);
    w->errors = limberi_allocate_zeroed((size_t)r->row_count + 1, sizeof *w->errors);
    w->limits = limberi_allocate((r->row_count + 1u) * sizeof *w->limits);
    for (uint32_t row = 0; w->limits && row < r->row_count; row++)
        w->limits[row] = r->tolerance - r->offsets[row];
    return w->axes && w->turned && w->basis && w->errors && w->limits;
}

static void close_work(axes_work* w) {
    limberi_release(w->axes);
    limberi_release(w->turned);
    limberi_release(w->basis);
    limberi_release(w->errors);
    limberi_release(w->limits);
}

// Along the axes C'C is diagonal, so that the least-squares followers are C'N divided by it. Left out below what the
// coefficients' own rounding can say.
static limber_result turn_followers(const axes_work* w, limberi_reduction* out) {
    const limberi_reducer* r = w->reducer;
    double* scaled = limberi_allocate(((size_t)w->kept * w->count + 1) * sizeof *scaled);
    out->followers = limberi_allocate_zeroed(w->kept * r->width + 1, sizeof *out->followers);
    if (!scaled || !out->followers) {
        limberi_release(scaled);
        return LIMBER_ERROR_MEMORY;
    }
    for (uint32_t k = 0; k < w->kept; k++) {
        double squares = 0;
        for (uint32_t row = 0; row < r->row_count; row++)
            squares += w->turned[(size_t)row * w->count + k] * w->turned[(size_t)row * w->count + k];
        for (uint32_t i = 0; i < w->count; i++)
            scaled[(size_t)k * w->count + i] = squares > 0 ? w->axes[(size_t)k * w->count + i] / squares : 0;
    }
    limberi_rows_sum sum = {.targets = out->followers,
                            .target_count = w->kept,
                            .sources = r->followed,
                            .source_count = w->count,
                            .factors = scaled,
                            .factor_stride = w->count,
                            .width = r->width,
                            .parallel = &r->parallel};
    limberi_rows_add(&sum);
    limberi_release(scaled);
    return LIMBER_OK;
}

typedef struct handing {
    const axes_work* work;
    limberi_reduction* out;
} handing;

// Every column of coefficients gets a largest magnitude of 1, as sliders expect.
static void hand_over_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const axes_work* w = ((const handing*)user)->work;
    const limberi_reduction* out = ((const handing*)user)->out;
    const limberi_reducer* r = w->reducer;
    (void)worker;
    for (uint32_t k = first; k < end; k++) {
        double max = 0;
        for (uint32_t row = 0; row < r->row_count; row++)
            max = fmax(max, fabs(w->turned[(size_t)row * w->count + k]));
        for (uint32_t row = 0; max > 0 && row < r->row_count; row++)
            out->coefficients[(size_t)row * w->kept + k] = (float)(w->turned[(size_t)row * w->count + k] / max);
        limberi_rows_scale(NULL, w->basis + k * r->width, r->width, max, false);
        if (out->followers)
            limberi_rows_scale(NULL, out->followers + k * r->width, r->width, max, false);
    }
}

static limber_result make_reduction(axes_work* w, limberi_reduction* out) {
    const limberi_reducer* r = w->reducer;
    out->count = w->kept;
    out->coefficients = limberi_allocate_zeroed((size_t)r->row_count * w->kept + 1, sizeof *out->coefficients);
    limber_result result = out->coefficients ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    if (!result && r->batch_followers)
        result = turn_followers(w, out);
    handing work = {w, out};
    if (!result)
        limberi_parallel_for(&r->parallel, w->kept, 1, hand_over_some, &work);
    for (uint32_t row = 0; row < r->row_count; row++)
        out->error = fmax(out->error, w->errors[row] + r->offsets[row]);
    out->basis = w->basis;
    w->basis = NULL;
    return result;
}

// The vectors along the axes take the place of the vectors.
static void turn_vectors(axes_work* w, limberi_reducer* r) {
    limberi_rows_sum sum = {.targets = w->basis,
                            .target_count = w->count,
                            .sources = r->vectors,
                            .source_count = w->count,
                            .factors = w->axes,
                            .factor_stride = w->count,
                            .width = r->width,
                            .parallel = &r->parallel};
    limberi_rows_add(&sum);
    limberi_release(r->vectors);
    r->vectors = NULL;
}

limber_result limberi_reducer_finish(limberi_reducer* r, limberi_reduction* out) {
    axes_work w;
    memset(out, 0, sizeof *out);
    limber_result result = reduce_batch(r);
    if (result)
        return result;
    result = open_work(&w, r) ? find_axes(&w) : LIMBER_ERROR_MEMORY;
    if (!result) {
        limberi_parallel_for(&r->parallel, r->row_count, ROWS_PER_TASK, turn_some, &w);
        turn_vectors(&w, r);
        if (r->row_count)
            cut_axes(&w);
        result = make_reduction(&w, out);
    }
    close_work(&w);
    return result;
}
