// Target reduction in two steps. A greedy basis (orthonormalise the frame that is furthest off, subtract, repeat) holds
// a quarter of the tolerance for any number of frames in little memory; a principal component analysis inside that
// small basis then drops what the other three quarters allow.
#include "bake/reduce.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Above this many greedy vectors the eigenvectors cost more than they save.
enum { LARGEST_EIGENPROBLEM = 512 };

typedef struct basis_set {
    uint32_t count, capacity;
    float* vectors;       // [count][width]
    double* coefficients; // [row][capacity]
} basis_set;

static double largest_offset(const float* row, size_t width) {
    float most = 0;
    for (size_t i = 0; i + 2 < width; i += 3)
        most = fmaxf(most, row[i] * row[i] + row[i + 1] * row[i + 1] + row[i + 2] * row[i + 2]);
    return sqrt((double)most);
}

static double dot(const float* a, const float* b, size_t width) {
    double sum = 0;
    for (size_t i = 0; i < width; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

static bool grow_basis(basis_set* set, size_t width, uint32_t row_count) {
    if (set->count < set->capacity)
        return true;
    uint32_t capacity = set->capacity ? 2 * set->capacity : 16;
    capacity = capacity < row_count ? capacity : row_count;
    float* vectors =
        limberi_reallocate(set->vectors, set->capacity * width * sizeof *vectors, capacity * width * sizeof *vectors);
    if (vectors)
        set->vectors = vectors;
    double* coefficients = limberi_allocate_zeroed((size_t)row_count * capacity, sizeof *coefficients);
    if (!vectors || !coefficients) {
        limberi_release(coefficients);
        return false;
    }
    for (uint32_t r = 0; set->capacity && r < row_count; r++)
        memcpy(coefficients + (size_t)r * capacity, set->coefficients + (size_t)r * set->capacity,
               set->count * sizeof *coefficients);
    limberi_release(set->coefficients);
    set->coefficients = coefficients;
    set->capacity = capacity;
    return true;
}

static limber_result greedy_basis(float* rows, uint32_t row_count, size_t width, double tolerance, basis_set* set) {
    double* offset = limberi_allocate(row_count * sizeof *offset);
    if (!offset)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t r = 0; r < row_count; r++)
        offset[r] = largest_offset(rows + r * width, width);
    limber_result result = LIMBER_OK;
    while (set->count < row_count) {
        uint32_t worst = 0;
        for (uint32_t r = 1; r < row_count; r++)
            worst = offset[r] > offset[worst] ? r : worst;
        float* residual = rows + worst * width;
        double length = sqrt(dot(residual, residual, width));
        if (!(offset[worst] > tolerance) || !(length > 0))
            break;
        if (!grow_basis(set, width, row_count)) {
            result = LIMBER_ERROR_MEMORY;
            break;
        }
        float* q = set->vectors + set->count * width;
        for (size_t i = 0; i < width; i++)
            q[i] = (float)((double)residual[i] / length);
        for (uint32_t r = 0; r < row_count; r++) {
            float* row = rows + r * width;
            double c = dot(row, q, width);
            for (size_t i = 0; i < width; i++)
                row[i] -= (float)(c * (double)q[i]);
            set->coefficients[(size_t)r * set->capacity + set->count] = c;
            offset[r] = largest_offset(row, width);
        }
        set->count++;
    }
    limberi_release(offset);
    return result;
}

// One Jacobi rotation that zeroes a[p][q] of the symmetric matrix and turns the eigenvector columns along.
static void jacobi_rotate(double* a, double* vectors, uint32_t n, uint32_t p, uint32_t q) {
    double apq = a[p * n + q];
    if (fabs(apq) <= 1e-15 * sqrt(fabs(a[p * n + p] * a[q * n + q])))
        return;
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (uint32_t k = 0; k < n; k++) {
        double akp = a[k * n + p], akq = a[k * n + q];
        a[k * n + p] = c * akp - s * akq;
        a[k * n + q] = s * akp + c * akq;
    }
    for (uint32_t k = 0; k < n; k++) {
        double apk = a[p * n + k], aqk = a[q * n + k];
        a[p * n + k] = c * apk - s * aqk;
        a[q * n + k] = s * apk + c * aqk;
        double vp = vectors[k * n + p], vq = vectors[k * n + q];
        vectors[k * n + p] = c * vp - s * vq;
        vectors[k * n + q] = s * vp + c * vq;
    }
}

static void eigenvectors(double* a, double* vectors, uint32_t n) {
    for (uint32_t i = 0; i < n * n; i++)
        vectors[i] = i % (n + 1) == 0 ? 1 : 0;
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = 0, on = 0;
        for (uint32_t i = 0; i < n * n; i++)
            *(i % (n + 1) == 0 ? &on : &off) += a[i] * a[i];
        if (off <= 1e-24 * on)
            break;
        for (uint32_t p = 0; p + 1 < n; p++)
            for (uint32_t q = p + 1; q < n; q++)
                jacobi_rotate(a, vectors, n, p, q);
    }
}

// Columns of `vectors` by falling eigenvalue (the diagonal of `a`).
static void sort_columns(const double* a, uint32_t n, uint32_t* order) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i;
        while (at > 0 && a[order[at - 1] * (n + 1)] < a[i * (n + 1)]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

static void add_products(const basis_set* set, uint32_t row_count, double* gram) {
    uint32_t n = set->count;
    for (uint32_t r = 0; r < row_count; r++) {
        const double* c = set->coefficients + (size_t)r * set->capacity;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n; k++)
                gram[i * n + k] += c[i] * c[k];
    }
}

// The set as it is seen along other axes: columns of `axes`, in this order.
static void turn_set(const basis_set* set, uint32_t row_count, size_t width, const double* axes, const uint32_t* order,
                     float* basis, double* turned) {
    uint32_t n = set->count;
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < n; i++)
            for (size_t x = 0; x < width; x++)
                basis[k * width + x] += (float)axes[i * n + order[k]] * set->vectors[i * width + x];
        for (uint32_t r = 0; r < row_count; r++) {
            double sum = 0;
            for (uint32_t i = 0; i < n; i++)
                sum += set->coefficients[(size_t)r * set->capacity + i] * axes[i * n + order[k]];
            turned[(size_t)r * set->capacity + k] = sum;
        }
    }
}

// Replaces the set by the same space seen along its principal axes, most important first.
static limber_result principal_axes(basis_set* set, uint32_t row_count, size_t width) {
    uint32_t n = set->count;
    double* gram = limberi_allocate_zeroed((size_t)n * n, sizeof *gram);
    double* vectors = limberi_allocate((size_t)n * n * sizeof *vectors);
    uint32_t* order = limberi_allocate(n * sizeof *order);
    double* turned = limberi_allocate(((size_t)row_count * set->capacity) * sizeof *turned);
    float* basis = limberi_allocate_zeroed((size_t)n * width, sizeof *basis);
    limber_result result = gram && vectors && order && turned && basis ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    if (!result) {
        add_products(set, row_count, gram);
        eigenvectors(gram, vectors, n);
        sort_columns(gram, n, order);
        turn_set(set, row_count, width, vectors, order, basis, turned);
        limberi_release(set->vectors);
        limberi_release(set->coefficients);
        set->vectors = basis;
        set->coefficients = turned;
        basis = NULL;
        turned = NULL;
    }
    limberi_release(gram);
    limberi_release(vectors);
    limberi_release(order);
    limberi_release(turned);
    limberi_release(basis);
    return result;
}

// How far off the worst vertex is when only the first `kept` axes are used.
static double truncation_error(const basis_set* set, uint32_t row_count, size_t width, uint32_t kept, float* scratch) {
    double worst = 0;
    for (uint32_t r = 0; r < row_count; r++) {
        memset(scratch, 0, width * sizeof *scratch);
        for (uint32_t k = kept; k < set->count; k++) {
            float c = (float)set->coefficients[(size_t)r * set->capacity + k];
            const float* vector = set->vectors + k * width;
            for (size_t i = 0; i < width; i++)
                scratch[i] += c * vector[i];
        }
        worst = fmax(worst, largest_offset(scratch, width));
    }
    return worst;
}

static limber_result truncate_axes(basis_set* set, uint32_t row_count, size_t width, double tolerance) {
    float* scratch = limberi_allocate((width ? width : 1) * sizeof *scratch);
    if (!scratch)
        return LIMBER_ERROR_MEMORY;
    uint32_t low = 0, high = set->count; // `high` always holds the tolerance
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (truncation_error(set, row_count, width, middle, scratch) <= tolerance)
            high = middle;
        else
            low = middle + 1;
    }
    limberi_release(scratch);
    set->count = high;
    return LIMBER_OK;
}

// Hands the set over with every coefficient column scaled to a largest magnitude of 1, as sliders expect.
static limber_result hand_over(basis_set* set, uint32_t row_count, size_t width, limberi_reduction* out) {
    out->count = set->count;
    out->coefficients = limberi_allocate_zeroed((size_t)row_count * set->count + 1, sizeof *out->coefficients);
    if (!out->coefficients)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t k = 0; k < set->count; k++) {
        double most = 0;
        for (uint32_t r = 0; r < row_count; r++)
            most = fmax(most, fabs(set->coefficients[(size_t)r * set->capacity + k]));
        double scale = most > 0 ? 1 / most : 0;
        for (uint32_t r = 0; r < row_count; r++)
            out->coefficients[(size_t)r * set->count + k] =
                (float)(set->coefficients[(size_t)r * set->capacity + k] * scale);
        for (size_t i = 0; i < width; i++)
            set->vectors[k * width + i] = (float)((double)set->vectors[k * width + i] * most);
    }
    out->basis = set->vectors;
    set->vectors = NULL;
    return LIMBER_OK;
}

limber_result limberi_reduce(float* rows, uint32_t row_count, size_t width, double tolerance, limberi_reduction* out) {
    basis_set set = {0, 0, NULL, NULL};
    memset(out, 0, sizeof *out);
    limber_result result = greedy_basis(rows, row_count, width, 0.25 * tolerance, &set);
    if (!result && set.count > 1 && set.count <= LARGEST_EIGENPROBLEM)
        result = principal_axes(&set, row_count, width);
    if (!result)
        result = truncate_axes(&set, row_count, width, 0.75 * tolerance);
    if (!result)
        result = hand_over(&set, row_count, width, out);
    limberi_release(set.vectors);
    limberi_release(set.coefficients);
    return result;
}

// Makes the rows of `a` diagonal and takes those of `b` along.
static void eliminate(double* a, double* b, uint32_t n, size_t width) {
    for (uint32_t p = 0; p < n; p++) { // symmetric positive: the diagonal is a safe pivot
        double pivot = a[p * n + p];
        if (!(fabs(pivot) > 1e-12))
            continue;
        for (uint32_t r = 0; r < n; r++) {
            double f = r == p ? 0 : a[r * n + p] / pivot;
            for (uint32_t k = p; f != 0 && k < n; k++)
                a[r * n + k] -= f * a[p * n + k];
            for (size_t x = 0; f != 0 && x < width; x++)
                b[r * width + x] -= f * b[p * width + x];
        }
    }
}

// Solves (C^T C) B = C^T rows by Gauss elimination with pivoting; C^T C is small and well scaled.
limber_result limberi_reduce_follow(const float* rows, uint32_t row_count, size_t width,
                                    const limberi_reduction* reduction, float* basis) {
    uint32_t n = reduction->count;
    double* a = limberi_allocate_zeroed((size_t)n * n + 1, sizeof *a);
    double* b = limberi_allocate_zeroed((size_t)n * width + 1, sizeof *b);
    if (!a || !b) {
        limberi_release(a);
        limberi_release(b);
        return LIMBER_ERROR_MEMORY;
    }
    for (uint32_t r = 0; r < row_count; r++) {
        const float* c = reduction->coefficients + (size_t)r * n;
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t k = 0; k < n; k++)
                a[i * n + k] += (double)c[i] * (double)c[k];
            for (size_t x = 0; c[i] != 0 && x < width; x++)
                b[i * width + x] += (double)c[i] * (double)rows[r * width + x];
        }
    }
    eliminate(a, b, n, width);
    for (uint32_t p = 0; p < n; p++) {
        double pivot = a[p * n + p];
        for (size_t x = 0; x < width; x++)
            basis[p * width + x] = fabs(pivot) > 1e-12 ? (float)(b[p * width + x] / pivot) : 0.0f;
    }
    limberi_release(a);
    limberi_release(b);
    return LIMBER_OK;
}
