// Eigenvectors and equations of symmetric matrices.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/symmetric.h"

static double random_number(uint32_t* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static void fill_symmetric(double* a, size_t n, uint32_t seed) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++)
            a[i * n + k] = a[k * n + i] = random_number(&seed);
}

// A v = value v for unit vectors that are at right angles to each other, by falling value.
static void check_eigenvectors(size_t n, const double* a, const double* vectors, const double* values) {
    for (size_t v = 0; v < n; v++) {
        assert_true(v == 0 || values[v] <= values[v - 1]);
        for (size_t w = 0; w <= v; w++) {
            double dot = 0;
            for (size_t i = 0; i < n; i++)
                dot += vectors[v * n + i] * vectors[w * n + i];
            assert_true(fabs(dot - (v == w)) < 1e-12);
        }
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * vectors[v * n + k];
            assert_true(fabs(sum - values[v] * vectors[v * n + i]) < 1e-12);
        }
    }
}

static void eigenvectors_are_of_the_matrix(void** state) {
    (void)state;
    enum { N = 40 };
    double a[N * N], vectors[N * N], values[N];
    fill_symmetric(a, N, 3);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++)
            a[i * N + k] = i / 10 == k / 10 ? a[i * N + k] : 0; // blocks: it splits
    memcpy(vectors, a, sizeof a);
    assert_int_equal(limberi_eigen(vectors, N, values, NULL), LIMBER_OK);
    check_eigenvectors(N, a, vectors, values);
}

static void small_matrices_need_no_memory(void** state) {
    (void)state;
    for (uint32_t n = 1; n <= LIMBERI_EIGEN_SMALL; n++)
        for (uint32_t seed = 0; seed < 200; seed++) {
            double a[16], vectors[16], general[16], values[4], others[4];
            fill_symmetric(a, n, seed);
            memcpy(vectors, a, sizeof a);
            memcpy(general, a, sizeof a);
            limberi_eigen_small(vectors, n, values);
            check_eigenvectors(n, a, vectors, values);
            assert_int_equal(limberi_eigen(general, n, others, NULL), LIMBER_OK);
            assert_memory_equal(vectors, general, n * n * sizeof(double));
            assert_memory_equal(values, others, n * sizeof(double));
        }
}

static void equal_eigenvalues_have_vectors_at_right_angles(void** state) {
    (void)state;
    double ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, zero[16] = {0}, vectors[16], values[4];
    memcpy(vectors, ones, sizeof ones);
    limberi_eigen_small(vectors, 3, values);
    check_eigenvectors(3, ones, vectors, values);
    assert_true(fabs(values[0] - 3) < 1e-12 && fabs(fabs(vectors[0]) - sqrt(1.0 / 3)) < 1e-12);
    memcpy(vectors, zero, sizeof zero);
    limberi_eigen_small(vectors, 4, values);
    check_eigenvectors(4, zero, vectors, values);
}

static void run_backwards(void* pool, uint32_t count, uint32_t step, limber_task task, void* user) {
    ++*(uint32_t*)pool;
    for (uint32_t i = (count - 1) / step + 1; i-- > 0;)
        task(user, i * step, (i + 1) * step < count ? (i + 1) * step : count, 0);
}

static void eigenvectors_are_the_same_for_any_threads(void** state) {
    (void)state;
    enum { N = 260 }; // more rows than a task takes
    static double alone[N * N], together[N * N];
    double values[2][N];
    uint32_t runs = 0;
    limber_parallel parallel = {1, run_backwards, &runs};
    fill_symmetric(alone, N, 5);
    memcpy(together, alone, sizeof alone);
    assert_int_equal(limberi_eigen(alone, N, values[0], NULL), LIMBER_OK);
    assert_int_equal(limberi_eigen(together, N, values[1], &parallel), LIMBER_OK);
    assert_true(runs > N);
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    assert_memory_equal(alone, together, sizeof alone);
}

// B B' + 1 for a random B, of any size: inner loops have rests of every length.
static void fill_positive(double* a, size_t n, uint32_t seed) {
    double b[32 * 32];
    for (size_t i = 0; i < n * n; i++)
        b[i] = random_number(&seed);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            a[i * n + k] = i == k;
            for (size_t x = 0; x < n; x++)
                a[i * n + k] += b[i * n + x] * b[k * n + x];
        }
}

static void equations_are_solved_for_all_right_hand_sides(void** state) {
    (void)state;
    for (uint32_t n = 1; n <= 32; n++) {
        double a[32 * 32], factored[32 * 32], wanted[3 * 32], right[3 * 32] = {0};
        uint32_t seed = 7;
        fill_positive(a, n, n);
        for (size_t i = 0; i < 3 * n; i++)
            wanted[i] = random_number(&seed);
        for (size_t s = 0; s < 3; s++)
            for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < n; k++)
                    right[s * n + i] += a[i * n + k] * wanted[s * n + k];
        memcpy(factored, a, sizeof a);
        for (size_t i = 0; i < n; i++)
            for (size_t k = i + 1; k < n; k++)
                factored[i * n + k] = NAN; // not read
        limberi_lower lower = {n, factored, NULL, NULL};
        assert_true(limberi_cholesky(&lower));
        limberi_cholesky_solve(&lower, 3, right);
        for (size_t i = 0; i < 3 * n; i++)
            assert_true(fabs(right[i] - wanted[i]) < 1e-11);
    }
}

// Rows that begin later hold fewer numbers; the solution is the same to the bit.
static void zeros_before_a_row_need_no_room(void** state) {
    (void)state;
    enum { N = 16, SIDES = 2 };
    static const uint32_t first[N] = {0, 0, 0, 0, 4, 4, 4, 4, 0, 0, 0, 0, 8, 8, 8, 8};
    double whole[N * N], few[N * N], right[SIDES * N], same[SIDES * N];
    size_t at[N], size = 0;
    uint32_t seed = 3;
    fill_positive(whole, N, N);
    for (uint32_t i = 0; i < N; i++) {
        at[i] = size;
        for (uint32_t k = 0; k <= i; k++) {
            if (k < first[i])
                whole[i * N + k] = 0;
            else
                few[size++] = whole[i * N + k] *= i == k ? 4 : 0.25;
        }
    }
    assert_true(size < N * (N + 1) / 2);
    for (size_t i = 0; i < SIDES * N; i++)
        right[i] = same[i] = random_number(&seed);
    limberi_lower dense = {N, whole, NULL, NULL}, packed = {N, few, first, at};
    assert_true(limberi_cholesky(&dense) && limberi_cholesky(&packed));
    limberi_cholesky_solve(&dense, SIDES, right);
    limberi_cholesky_solve(&packed, SIDES, same);
    assert_memory_equal(right, same, sizeof right);
}

// Three axes, of which two or all depend on each other.
static void three_axes_are_turned_until_none_depends_on_another(void** state) {
    (void)state;
    double given[4][9] = {{2, 1, 0, 1, 5, 0, 0, 0, 3}, {2, 0, 1, 0, 3, 0, 1, 0, 5}, {3, 0, 0, 0, 2, 1, 0, 1, 5}};
    fill_symmetric(given[3], 3, 11);
    for (size_t m = 0; m < 4; m++) {
        double axes[9], values[3];
        limberi_eigen_three(given[m], axes, values);
        for (size_t v = 0; v < 3; v++)
            for (size_t i = 0; i < 3; i++) {
                double sum = 0, dot = 0;
                for (size_t k = 0; k < 3; k++) {
                    sum += given[m][3 * i + k] * axes[3 * v + k];
                    dot += axes[3 * v + k] * axes[3 * i + k];
                }
                assert_true(fabs(sum - values[v] * axes[3 * v + i]) < 1e-12);
                assert_true(fabs(dot - (v == i)) < 1e-12);
            }
    }
}

static void matrices_that_are_not_positive_are_refused(void** state) {
    (void)state;
    double indefinite[4] = {1, 2, 2, 1}, singular[4] = {1, 1, 1, 1}, unknown[4] = {1, NAN, NAN, 1};
    double* given[] = {indefinite, singular, unknown};
    for (int i = 0; i < 3; i++) {
        limberi_lower lower = {2, given[i], NULL, NULL};
        assert_false(limberi_cholesky(&lower));
    }
}

// Three rows of a matrix whose values are 1, 1/2, 1/4 ...
static void rows_approach_the_largest_eigenvectors(void** state) {
    (void)state;
    enum { N = 12, COUNT = 3 };
    double axes[N * N], values[N], a[N * N] = {0}, rows[COUNT * N], room[COUNT * N];
    uint32_t seed = 7;
    fill_symmetric(axes, N, 5);
    assert_int_equal(limberi_eigen(axes, N, values, NULL), LIMBER_OK);
    for (size_t v = 0; v < N; v++)
        for (size_t i = 0; i < N * N; i++)
            a[i] += ldexp(1, -(int)v) * axes[v * N + i / N] * axes[v * N + i % N];
    for (size_t i = 0; i < COUNT * N; i++)
        rows[i] = random_number(&seed);
    limberi_eigen_approach(a, N, COUNT, 60, rows, room);
    for (size_t v = 0; v < COUNT; v++) {
        double along = 0;
        for (size_t i = 0; i < N; i++)
            along += rows[v * N + i] * axes[v * N + i];
        assert_true(fabs(fabs(along) - 1) < 1e-12);
    }
    memset(a, 0, sizeof a);
    a[0] = 1;
    limberi_eigen_approach(a, N, COUNT, 2, rows, room);
    for (size_t i = 1; i < COUNT * N; i++) // one axis is left, the others are 0
        assert_true(rows[i] == 0);
    assert_true(fabs(rows[0]) == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvectors_are_of_the_matrix),
        cmocka_unit_test(small_matrices_need_no_memory),
        cmocka_unit_test(three_axes_are_turned_until_none_depends_on_another),
        cmocka_unit_test(equal_eigenvalues_have_vectors_at_right_angles),
        cmocka_unit_test(eigenvectors_are_the_same_for_any_threads),
        cmocka_unit_test(rows_approach_the_largest_eigenvectors),
        cmocka_unit_test(equations_are_solved_for_all_right_hand_sides),
        cmocka_unit_test(zeros_before_a_row_need_no_room),
        cmocka_unit_test(matrices_that_are_not_positive_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
