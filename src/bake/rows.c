// Sums over long rows of floats, several rows at a time so that what is loaded is used more than once.
#include "bake/reduce.h"

#include <math.h>
#include <string.h>

// Lanes of a dot product, targets at a time, and the columns (whole lanes, whole vectors) that fit the first cache
// together with some targets.
enum { LANES = 16, AT_ONCE = 8, COLUMNS = 21 * 3 * LANES };
enum { SCALED_AT_ONCE = 1 << 13, PARTS = 64 };

// Of multiplications; less is not worth the call of another thread.
static const double min_task = 1 << 17;

// Single precision within a block, double between blocks: the numbers that are not whole lanes come last.
double limberi_rows_dot(const float* a, const float* b, size_t width) {
    double sum = 0;
    size_t i = 0;
    while (i + LANES <= width) {
        float lanes[LANES] = {0};
        size_t end = width - i < COLUMNS ? width - i : COLUMNS;
        end = i + end / LANES * LANES;
        for (; i < end; i += LANES)
            for (size_t k = 0; k < LANES; k++)
                lanes[k] += a[i + k] * b[i + k];
        for (size_t k = 0; k < LANES; k++)
            sum += (double)lanes[k];
    }
    for (; i < width; i++)
        sum += (double)(a[i] * b[i]);
    return sum;
}

// One block of a row against four others.
static void dot_four(const float* row, const float* others, size_t width, size_t count, double* sums) {
    float lanes[4][LANES] = {{0}};
    const float* a = others;
    const float* b = a + width;
    const float* c = b + width;
    const float* d = c + width;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            float x = row[i + k];
            lanes[0][k] += x * a[i + k];
            lanes[1][k] += x * b[i + k];
            lanes[2][k] += x * c[i + k];
            lanes[3][k] += x * d[i + k];
        }
    for (size_t v = 0; v < 4; v++) {
        for (size_t k = 0; k < LANES; k++)
            sums[v] += (double)lanes[v][k];
        for (size_t rest = i; rest < count; rest++)
            sums[v] += (double)(row[rest] * others[v * width + rest]);
    }
}

void limberi_rows_dots(const float* row, const float* others, uint32_t count, size_t width, double* sums) {
    memset(sums, 0, count * sizeof *sums);
    for (size_t x = 0; x < width; x += COLUMNS) {
        size_t columns = width - x < COLUMNS ? width - x : COLUMNS;
        uint32_t v = 0;
        for (; v + 4 <= count; v += 4)
            dot_four(row + x, others + v * width + x, width, columns, sums + v);
        for (; v < count; v++)
            sums[v] += limberi_rows_dot(row + x, others + v * width + x, columns);
    }
}

// Of numbers whose squares do not fit into floats.
static double longest_of_all(const float* row, size_t width) {
    double max = 0;
    for (size_t i = 0; i + 2 < width; i += 3) {
        double x = (double)row[i];
        double y = (double)row[i + 1];
        double z = (double)row[i + 2];
        double square = x * x + y * y + z * z;
        if (square > max)
            max = square;
    }
    return sqrt(max);
}

double limberi_rows_longest(const float* row, size_t width) {
    float max = 0;
    for (size_t i = 0; i + 2 < width; i += 3)
        max = fmaxf(max, row[i] * row[i] + row[i + 1] * row[i + 1] + row[i + 2] * row[i + 2]);
    return isfinite(max) ? sqrt((double)max) : longest_of_all(row, width);
}

static void add_one(float* restrict target, const float* restrict source, float factor, size_t count) {
    for (size_t i = 0; i < count; i++)
        target[i] += factor * source[i];
}

// Four sources in one go: the target is loaded and stored once.
static void add_four(float* restrict target, const float* restrict source, size_t width, const double* factors,
                     size_t count) {
    const float* a = source;
    const float* b = a + width;
    const float* c = b + width;
    const float* d = c + width;
    float fa = (float)factors[0];
    float fb = (float)factors[1];
    float fc = (float)factors[2];
    float fd = (float)factors[3];
    for (size_t i = 0; i < count; i++)
        target[i] += (fa * a[i] + fb * b[i]) + (fc * c[i] + fd * d[i]);
}

static void add_block(const limberi_rows_sum* sum, const double* factors, float* target, size_t first, size_t count) {
    uint32_t s = 0;
    for (; s + 4 <= sum->source_count; s += 4)
        add_four(target, sum->sources + s * sum->width + first, sum->width, factors + s, count);
    for (; s < sum->source_count; s++)
        add_one(target, sum->sources + s * sum->width + first, (float)factors[s], count);
}

// A task is a block of columns of some targets: there is enough to share out even where targets are few.
static void add_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_rows_sum* sum = user;
    uint32_t groups = (sum->target_count + AT_ONCE - 1) / AT_ONCE;
    (void)worker;
    for (uint32_t i = first; i < end; i++) {
        size_t x = (size_t)(i / groups) * COLUMNS;
        size_t count = sum->width - x < COLUMNS ? sum->width - x : COLUMNS;
        uint32_t t = i % groups * AT_ONCE;
        uint32_t last = t + AT_ONCE < sum->target_count ? t + AT_ONCE : sum->target_count;
        for (; t < last; t++) {
            float* target = sum->targets + t * sum->width + x;
            if (sum->start)
                memcpy(target, sum->start + t * sum->width + x, count * sizeof *target);
            else if (t >= sum->target_count - sum->fresh_count)
                memset(target, 0, count * sizeof *target);
            add_block(sum, sum->factors + t * sum->factor_stride, target, x, count);
        }
    }
}

void limberi_rows_add(const limberi_rows_sum* sum) {
    limberi_rows_sum copy = *sum;
    uint32_t groups = (sum->target_count + AT_ONCE - 1) / AT_ONCE;
    uint32_t blocks = (uint32_t)((sum->width + COLUMNS - 1) / COLUMNS);
    double each = (double)COLUMNS * sum->source_count * (sum->target_count < AT_ONCE ? sum->target_count : AT_ONCE);
    uint32_t step = each < min_task ? 1 + (uint32_t)(min_task / (each + 1)) : 1;
    limberi_parallel_for(sum->parallel, groups * blocks, step, add_some, &copy);
}

void limberi_rows_add_one(float* target, const float* source, double factor, size_t width) {
    add_one(target, source, (float)factor, width);
}

typedef struct scale_work {
    float* row;
    double factor;
    bool divide;
} scale_work;

static void scale_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const scale_work* w = user;
    (void)worker;
    for (uint32_t x = first; w->divide && x < end; x++)
        w->row[x] = (float)((double)w->row[x] / w->factor);
    for (uint32_t x = first; !w->divide && x < end; x++)
        w->row[x] = (float)((double)w->row[x] * w->factor);
}

void limberi_rows_scale(const limber_parallel* parallel, float* row, size_t width, double factor, bool divide) {
    scale_work work = {row, factor, divide};
    limberi_parallel_for(parallel, (uint32_t)width, SCALED_AT_ONCE, scale_some, &work);
}

// Parts of a row, each of whole blocks: a few for each thread.
typedef struct longest_work {
    const limberi_rows_sum* sum;
    uint32_t blocks_per_part;
    double max[PARTS];
} longest_work;

static void longest_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    longest_work* w = user;
    const limberi_rows_sum* sum = w->sum;
    size_t part = (size_t)w->blocks_per_part * COLUMNS;
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        for (size_t x = i * part; x < (i + 1) * part && x < sum->width; x += COLUMNS) {
            size_t count = sum->width - x < COLUMNS ? sum->width - x : COLUMNS;
            float block[COLUMNS];
            memset(block, 0, count * sizeof *block);
            add_block(sum, sum->factors, block, x, count);
            w->max[i] = fmax(w->max[i], limberi_rows_longest(block, count));
        }
}

double limberi_rows_longest_sum(const limberi_rows_sum* sum) {
    double max = 0;
    uint32_t blocks = (uint32_t)((sum->width + COLUMNS - 1) / COLUMNS);
    longest_work work = {.sum = sum, .blocks_per_part = (blocks + PARTS - 1) / PARTS};
    limberi_parallel_for(sum->parallel, PARTS, 1, longest_some, &work);
    for (uint32_t i = 0; i < PARTS; i++)
        max = fmax(max, work.max[i]);
    return max;
}
