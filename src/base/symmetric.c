// Eigenvectors: Householder reflections make the matrix tridiagonal, implicit QL steps with Wilkinson's shift make it
// diagonal (Golub and Van Loan, Matrix Computations, 8.3). Equations: Cholesky's factors (4.2). Vectors are kept as
// rows, so that every inner loop runs along memory.
// LAPACK's took as much time in bone bakes on one thread, and could not use more.
#include "base/symmetric.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 60 }; // per eigenvalue; two or three are usual
// Multiplications of a task, columns that are rotated together (two lines of a cache), rotations until they are applied.
enum { TASK_SIZE = 1 << 14, COLUMNS = 16, ROTATIONS = 1 << 14 };
enum { AT_ONCE = 4 }; // rows of the transform that share the loads of the reflections

typedef struct rotation {
    uint32_t row; // with the next one
    double c, s;
} rotation;

typedef struct tridiagonal {
    uint32_t n;
    double *d, *e; // diagonal; e[i] stands between i and i + 1
    double* rows;  // [n][n] of the transform
    const limber_parallel* parallel;
    rotation* rotations; // [rotation_limit] to be applied to the rows
    uint32_t rotation_count, rotation_limit;
} tridiagonal;

// Four sums at a time: each addition waits for the one before it.
static double dot(const double* a, const double* b, uint32_t count) {
    double sums[4] = {0};
    double rest = 0;
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (uint32_t k = 0; k < 4; k++)
            sums[k] += a[i + k] * b[i + k];
    for (; i < count; i++)
        rest += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest;
}

// The reflection that leaves only the first of the numbers: v and 2 / v.v, 0 when nothing is to be done.
static double reflector(double* v, uint32_t count, double* left) {
    double rest = 0;
    for (uint32_t i = 1; i < count; i++)
        rest += v[i] * v[i];
    *left = v[0];
    if (!(rest > 0))
        return 0;
    double length = sqrt(v[0] * v[0] + rest);
    *left = v[0] > 0 ? -length : length;
    v[0] -= *left;
    return 2 / (v[0] * v[0] + rest);
}

// a <- H a H on the trailing block, H = 1 - scale v v'. `w` is scratch.
typedef struct reflection {
    double* a;
    uint32_t n, first;
    const double* v;
    double scale;
    double* w;
} reflection;

static void multiply_rows(void* user, uint32_t begin, uint32_t end, uint32_t worker) {
    const reflection* r = user;
    uint32_t count = r->n - r->first;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        const double* row = r->a + (size_t)(r->first + i) * r->n + r->first;
        r->w[i] = r->scale * dot(row, r->v, count);
    }
}

static void update_rows(void* user, uint32_t begin, uint32_t end, uint32_t worker) {
    const reflection* r = user;
    uint32_t count = r->n - r->first;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        double* row = r->a + (size_t)(r->first + i) * r->n + r->first;
        for (uint32_t k = 0; k < count; k++)
            row[k] -= r->v[i] * r->w[k] + r->w[i] * r->v[k];
    }
}

static void reflect_both(reflection* r, const limber_parallel* parallel) {
    uint32_t count = r->n - r->first;
    uint32_t step = 1 + TASK_SIZE / count;
    double along = 0;
    limberi_parallel_for(parallel, count, step, multiply_rows, r);
    for (uint32_t i = 0; i < count; i++)
        along += r->w[i] * r->v[i];
    for (uint32_t i = 0; i < count; i++)
        r->w[i] -= 0.5 * r->scale * along * r->v[i];
    limberi_parallel_for(parallel, count, step, update_rows, r);
}

// All reflections of some rows of the transform, from the last to the first: what is not reflected yet is still the
// identity.
typedef struct transform {
    const double *a, *scales;
    double* rows;
    uint32_t n;
} transform;

static void reflect_rows(void* user, uint32_t begin, uint32_t end, uint32_t worker) {
    const transform* t = user;
    uint32_t n = t->n;
    (void)worker;
    memset(t->rows + (size_t)begin * n, 0, (size_t)(end - begin) * n * sizeof *t->rows);
    for (uint32_t r = begin; r < end; r++)
        t->rows[(size_t)r * n + r] = 1;
    for (uint32_t k = end - 1; k-- > 0;) {
        const double* v = t->a + (size_t)k * n + k + 1;
        for (uint32_t r = k + 1 > begin ? k + 1 : begin; t->scales[k] != 0 && r < end; r++) {
            double* row = t->rows + (size_t)r * n + k + 1;
            double along = t->scales[k] * dot(row, v, n - k - 1);
            for (uint32_t i = 0; i < n - k - 1; i++)
                row[i] -= along * v[i];
        }
    }
}

// Leaves each reflection in the row of `a` it came from.
static void make_tridiagonal(double* a, const tridiagonal* t, double* scales, double* scratch) {
    uint32_t n = t->n;
    for (uint32_t k = 0; k + 1 < n; k++) {
        double* v = a + (size_t)k * n + k + 1;
        t->d[k] = a[(size_t)k * n + k];
        scales[k] = reflector(v, n - k - 1, &t->e[k]);
        reflection r = {a, n, k + 1, v, scales[k], scratch};
        if (scales[k] != 0)
            reflect_both(&r, t->parallel);
    }
    t->d[n - 1] = a[(size_t)n * n - 1];
    t->e[n - 1] = 0;
    transform all = {a, scales, t->rows, n};
    limberi_parallel_for(t->parallel, n, AT_ONCE, reflect_rows, &all);
}

// Columns do not know of each other.
static void rotate_columns(void* user, uint32_t begin, uint32_t end, uint32_t worker) {
    const tridiagonal* t = user;
    uint32_t first = begin * COLUMNS;
    uint32_t last = end * COLUMNS < t->n ? end * COLUMNS : t->n;
    (void)worker;
    for (uint32_t i = 0; i < t->rotation_count; i++) {
        const rotation* r = &t->rotations[i];
        double* restrict a = t->rows + (size_t)r->row * t->n, * restrict b = a + t->n;
        for (uint32_t k = first; k < last; k++) {
            double x = a[k];
            double y = b[k];
            a[k] = r->c * x - r->s * y;
            b[k] = r->s * x + r->c * y;
        }
    }
}

static void apply_rotations(tridiagonal* t) {
    limberi_parallel_for(t->parallel, (t->n + COLUMNS - 1) / COLUMNS, 1, rotate_columns, t);
    t->rotation_count = 0;
}

static void rotate(tridiagonal* t, uint32_t row, double c, double s) {
    rotation* r = &t->rotations[t->rotation_count++];
    r->row = row;
    r->c = c;
    r->s = s;
    if (t->rotation_count == t->rotation_limit)
        apply_rotations(t);
}

// One implicit QL step on the unreduced block low..high.
static void ql_step(tridiagonal* t, uint32_t low, uint32_t high) {
    double* d = t->d;
    double* e = t->e;
    double half = (d[low + 1] - d[low]) / (2 * e[low]);
    double root = hypot(half, 1);
    double shift = d[low] - e[low] / (half + copysign(root, half));
    double g = d[high] - shift;
    double c = 1;
    double s = 1;
    double p = 0;
    for (uint32_t i = high; i-- > low;) {
        double f = s * e[i];
        double b = c * e[i];
        double r = hypot(f, g);
        e[i + 1] = r;
        if (r == 0) { // split early
            d[i + 1] -= p;
            e[high] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotate(t, i, c, s);
    }
    d[low] -= p;
    e[low] = g;
    e[high] = 0;
}

static void make_diagonal(tridiagonal* t) {
    for (uint32_t low = 0; low < t->n; low++) {
        for (int step = 0; step < MAX_STEPS; step++) {
            uint32_t high = low;
            while (high + 1 < t->n && fabs(t->e[high]) > 1e-16 * (fabs(t->d[high]) + fabs(t->d[high + 1])))
                high++;
            if (high == low)
                break;
            ql_step(t, low, high);
        }
    }
    apply_rotations(t);
}

// Falling eigenvalues; equal ones keep their order.
static void sort_into(const tridiagonal* t, double* a, double* values, uint32_t* order) {
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t at = i;
        for (; at > 0 && t->d[order[at - 1]] < t->d[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        values[i] = t->d[order[i]];
        memcpy(a + (size_t)i * t->n, t->rows + (size_t)order[i] * t->n, t->n * sizeof *a);
    }
}

// `room` has n * n + 4 * n numbers, `order` n.
static void find_eigenvectors(tridiagonal* t, double* a, double* values, double* room, uint32_t* order) {
    uint32_t n = t->n;
    t->d = room;
    t->e = room + n;
    t->rows = room + 4 * (size_t)n;
    make_tridiagonal(a, t, room + 2 * (size_t)n, room + 3 * (size_t)n);
    make_diagonal(t);
    sort_into(t, a, values, order);
}

limber_result limberi_eigen(double* a, uint32_t n, double* values, const limber_parallel* parallel) {
    if (!n)
        return LIMBER_OK;
    double* room = limberi_allocate(((size_t)n * n + 4 * (size_t)n) * sizeof *room);
    uint32_t* order = limberi_allocate(n * sizeof *order);
    rotation* rotations = limberi_allocate(ROTATIONS * sizeof *rotations);
    limber_result result = room && order && rotations ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    tridiagonal t = {.n = n, .parallel = parallel, .rotations = rotations, .rotation_limit = ROTATIONS};
    if (!result)
        find_eigenvectors(&t, a, values, room, order);
    limberi_release(room);
    limberi_release(order);
    limberi_release(rotations);
    return result;
}

void limberi_eigen_small(double* a, uint32_t n, double* values) {
    double room[LIMBERI_EIGEN_SMALL * LIMBERI_EIGEN_SMALL + 4 * LIMBERI_EIGEN_SMALL];
    uint32_t order[LIMBERI_EIGEN_SMALL];
    rotation rotations[16];
    tridiagonal t = {.n = n, .rotations = rotations, .rotation_limit = sizeof rotations / sizeof *rotations};
    find_eigenvectors(&t, a, values, room, order);
}

// At right angles to those before it; twice, since the first time leaves what rounding makes of a difference.
static void make_unit(double* rows, uint32_t n, uint32_t index) {
    double* row = rows + (size_t)index * n;
    double before = dot(row, row, n);
    for (uint32_t again = 0; again < 2; again++)
        for (uint32_t i = 0; i < index; i++) {
            const double* other = rows + (size_t)i * n;
            double along = dot(row, other, n);
            for (uint32_t k = 0; k < n; k++)
                row[k] -= along * other[k];
        }
    double square = dot(row, row, n);
    double scale = square > 1e-24 * before ? 1 / sqrt(square) : 0;
    for (uint32_t k = 0; k < n; k++)
        row[k] *= scale;
}

void limberi_eigen_approach(const double* a, uint32_t n, uint32_t count, uint32_t steps, double* rows, double* room) {
    for (uint32_t step = 0; step < steps; step++) {
        memcpy(room, rows, (size_t)count * n * sizeof *room);
        for (uint32_t r = 0; r < count; r++)
            for (uint32_t i = 0; i < n; i++)
                rows[(size_t)r * n + i] = dot(a + (size_t)i * n, room + (size_t)r * n, n);
        for (uint32_t r = 0; r < count; r++)
            make_unit(rows, n, r);
    }
}

// Turns a and the axes in the plane of two axes, so that a has nothing between these (Jacobi). r: the third axis.
static void turn_plane(double* a, double* axes, int p, int q, int r) {
    double between = a[3 * p + q];
    if (between == 0)
        return;
    double ratio = 0.5 * (a[4 * q] - a[4 * p]) / between;
    double t = (ratio < 0 ? -1 : 1) / (fabs(ratio) + sqrt(ratio * ratio + 1));
    double c = 1 / sqrt(t * t + 1);
    double s = t * c;
    double x = a[3 * p + r];
    double y = a[3 * q + r];
    a[4 * p] -= t * between;
    a[4 * q] += t * between;
    a[3 * p + q] = a[3 * q + p] = 0;
    a[3 * p + r] = a[3 * r + p] = c * x - s * y;
    a[3 * q + r] = a[3 * r + q] = s * x + c * y;
    for (int i = 0; i < 3; i++) {
        x = axes[3 * p + i];
        y = axes[3 * q + i];
        axes[3 * p + i] = c * x - s * y;
        axes[3 * q + i] = s * x + c * y;
    }
}

void limberi_eigen_three(const double* given, double* axes, double* values) {
    enum { SWEEPS = 12 }; // three or four do; the last ones double the digits
    double a[9];
    memcpy(a, given, sizeof a);
    for (int i = 0; i < 9; i++)
        axes[i] = i % 4 == 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double left = a[1] * a[1] + a[2] * a[2] + a[5] * a[5];
        if (!(left > 1e-26 * (a[0] * a[0] + a[4] * a[4] + a[8] * a[8])))
            break;
        turn_plane(a, axes, 0, 1, 2);
        turn_plane(a, axes, 0, 2, 1);
        turn_plane(a, axes, 1, 2, 0);
    }
    for (int i = 0; i < 3; i++)
        values[i] = a[4 * i];
}

// --- equations ---

static uint32_t first_of(const limberi_lower* a, uint32_t i) {
    return a->first ? a->first[i] : 0;
}

// Its first number.
static double* row_of(const limberi_lower* a, uint32_t i) {
    return a->numbers + (a->at ? a->at[i] : (size_t)i * a->n);
}

bool limberi_cholesky(const limberi_lower* a) {
    for (uint32_t i = 0; i < a->n; i++) {
        double* row = row_of(a, i);
        uint32_t first = first_of(a, i);
        for (uint32_t j = first; j < i; j++) {
            const double* other = row_of(a, j);
            uint32_t other_first = first_of(a, j);
            uint32_t both = first > other_first ? first : other_first;
            row[j - first] = (row[j - first] - dot(row + (both - first), other + (both - other_first), j - both)) /
                             other[j - other_first];
        }
        double left = row[i - first] - dot(row, row, i - first);
        if (!(left > 0))
            return false;
        row[i - first] = sqrt(left);
    }
    return true;
}

// L y = b, then L' x = y; both go along the rows of L.
void limberi_cholesky_solve(const limberi_lower* factored, uint32_t count, double* right) {
    uint32_t n = factored->n;
    for (uint32_t i = 0; i < n; i++) {
        const double* row = row_of(factored, i);
        uint32_t first = first_of(factored, i);
        for (double* x = right; x < right + (size_t)count * n; x += n)
            x[i] = (x[i] - dot(row, x + first, i - first)) / row[i - first];
    }
    for (uint32_t i = n; i-- > 0;) {
        const double* row = row_of(factored, i);
        uint32_t first = first_of(factored, i);
        for (double* x = right; x < right + (size_t)count * n; x += n) {
            double found = x[i] /= row[i - first];
            for (uint32_t k = first; k < i; k++)
                x[k] -= found * row[k - first];
        }
    }
}
