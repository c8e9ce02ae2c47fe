// Noise and cells: statistics, continuity, and the same bits on every machine.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <limber/stages/expression.h>

#include "text/noise.h"

enum { COUNT = LIMBER_BLOCK };

// 24 bits, the upper ones of a long congruential row.
static uint32_t random_bits(uint64_t* seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 40);
}

static void noise_in_block(const float* x, const float* y, const float* z, float* out) {
    limberi_noise(out, x, y, z, COUNT);
}

static void noise_is_centred_bounded_and_continuous(void** state) {
    (void)state;
    uint64_t seed = 3;
    double sum = 0, squares = 0, largest = 0, steepest = 0;
    enum { ROUNDS = 4000 };
    for (int round = 0; round < ROUNDS; round++) {
        float p[3][COUNT], near[COUNT], a[COUNT], b[COUNT];
        for (int i = 0; i < COUNT; i++) {
            for (int k = 0; k < 3; k++)
                p[k][i] = (float)random_bits(&seed) / 131072 - 64;
            near[i] = p[round % 3][i] + 1e-3f;
        }
        noise_in_block(p[0], p[1], p[2], a);
        noise_in_block(round % 3 == 0 ? near : p[0], round % 3 == 1 ? near : p[1], round % 3 == 2 ? near : p[2], b);
        for (int i = 0; i < COUNT; i++) {
            sum += (double)a[i];
            squares += (double)a[i] * (double)a[i];
            largest = fmax(largest, fabs((double)a[i]));
            steepest = fmax(steepest, fabs((double)(b[i] - a[i])) / 1e-3);
        }
    }
    double count = (double)ROUNDS * COUNT, mean = sum / count, deviation = sqrt(squares / count - mean * mean);
    assert_true(fabs(mean) < 0.005);
    assert_true(deviation > 0.2 && deviation < 0.4);
    assert_true(largest > 0.8 && largest <= 1);
    assert_true(steepest > 1 && steepest < 5); // no jumps, also across lattice planes
}

static void noise_vanishes_on_the_lattice_and_is_smooth_across_it(void** state) {
    (void)state;
    for (int k = -3; k < 60; k++) {
        float x[COUNT], y[COUNT], z[COUNT], out[COUNT];
        for (int i = 0; i < COUNT; i++) {
            x[i] = (float)k + (float)(i - 32) * 0.01f;
            y[i] = 0.3f;
            z[i] = -7.6f;
        }
        noise_in_block(x, y, z, out);
        for (int i = 1; i + 2 < COUNT; i++) // third differences see a jump in the second derivative
            assert_true(fabsf(out[i + 2] - 3 * out[i + 1] + 3 * out[i] - out[i - 1]) < 2e-3f);
        for (int i = 0; i < COUNT; i++) {
            x[i] = (float)(k * i);
            y[i] = (float)(i - k);
            z[i] = (float)(7 * k - i);
        }
        noise_in_block(x, y, z, out);
        for (int i = 0; i < COUNT; i++)
            assert_true(out[i] == 0);
    }
}

static void cell_of(float px, float py, float pz, float* nearest, float* value) {
    *nearest = 1e9f;
    for (int dz = -2; dz <= 2; dz++)
        for (int dy = -2; dy <= 2; dy++)
            for (int dx = -2; dx <= 2; dx++) {
                int x = (int)floorf(px) + dx, y = (int)floorf(py) + dy, z = (int)floorf(pz) + dz;
                uint32_t h = limberi_hash3(x, y, z);
                float fx = (float)x + 0.05f + (float)(h & 1023) * 0.9f / 1023 - px;
                float fy = (float)y + 0.05f + (float)(h >> 10 & 1023) * 0.9f / 1023 - py;
                float fz = (float)z + 0.05f + (float)(h >> 20 & 1023) * 0.9f / 1023 - pz;
                float distance = fx * fx + fy * fy + fz * fz;
                if (distance < *nearest) {
                    *nearest = distance;
                    *value = limberi_unit_from_hash(limberi_hash3((int32_t)h, 1, 2));
                }
            }
}

static void voronoi_gives_each_cell_one_value(void** state) {
    (void)state;
    limber_expression* e;
    limber_error error;
    assert_int_equal(limber_expression_create("voronoi(4)", NULL, &e, &error), LIMBER_OK);
    uint64_t seed = 21;
    int tenths[10] = {0}, total = 0, wrong = 0;
    for (int round = 0; round < 400; round++) {
        float p[3][COUNT], out[COUNT];
        limber_expression_inputs in = limber_expression_inputs_default();
        in.count = COUNT;
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < COUNT; i++)
                p[k][i] = (float)random_bits(&seed) / 1048576 - 8;
            in.vertex[LIMBER_VARIABLE_X + k] = p[k];
        }
        limber_expression_evaluate(e, &in, out);
        for (int i = 0; i < COUNT; i++) {
            float nearest, value = 0;
            assert_true(out[i] >= 0 && out[i] < 1);
            tenths[(int)(out[i] * 10)]++;
            total++;
            cell_of(4 * p[0][i], 4 * p[1][i], 4 * p[2][i], &nearest, &value);
            wrong += value != out[i];
        }
    }
    assert_true(wrong <= 2); // within rounding of a border
    for (int i = 0; i < 10; i++)
        assert_true(tenths[i] > total / 10 * 8 / 10 && tenths[i] < total / 10 * 12 / 10);
    limber_expression_destroy(e);
}

// Numbers from x86-64, which Arm must give as well.
static void hashes_noise_and_cells_are_the_same_on_every_machine(void** state) {
    (void)state;
    float x[COUNT], y[COUNT], z[COUNT], noise[COUNT], cells[COUNT];
    uint32_t hash = 0;
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)i * 0.37f - 9;
        y[i] = (float)(i * i) * 0.011f;
        z[i] = 100.25f - (float)i * 3.3f;
        hash = hash * 31 + limberi_hash3(i, -i, 7 * i);
    }
    limberi_noise(noise, x, y, z, COUNT);
    limberi_voronoi(cells, x, y, z, COUNT);
    uint32_t noise_sum = 0, cell_sum = 0;
    for (int i = 0; i < COUNT; i++) {
        uint32_t a, b;
        memcpy(&a, &noise[i], sizeof a);
        memcpy(&b, &cells[i], sizeof b);
        noise_sum = noise_sum * 31 + a;
        cell_sum = cell_sum * 31 + b;
    }
    assert_int_equal(hash, 0x62c063cbu);
    assert_int_equal(noise_sum, 0x1e0b8ff6u);
    assert_int_equal(cell_sum, 0xfe375c1eu);
}

static void hash_bits_depend_on_every_bit_of_every_coordinate(void** state) {
    (void)state;
    uint64_t seed = 2;
    for (int axis = 0; axis < 3; axis++)
        for (int bit = 0; bit < 32; bit++) {
            int flips[32] = {0};
            for (int n = 0; n < 4096; n++) {
                int32_t p[3];
                for (int k = 0; k < 3; k++)
                    p[k] = (int32_t)(random_bits(&seed) ^ random_bits(&seed) << 8);
                uint32_t before = limberi_hash3(p[0], p[1], p[2]);
                p[axis] = (int32_t)((uint32_t)p[axis] ^ 1u << bit);
                uint32_t changed = before ^ limberi_hash3(p[0], p[1], p[2]);
                for (int b = 0; b < 32; b++)
                    flips[b] += (int)(changed >> b & 1);
            }
            for (int b = 0; b < 32; b++) // 2048 expected; six deviations of a fair coin
                assert_true(abs(flips[b] - 2048) < 192);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_centred_bounded_and_continuous),
        cmocka_unit_test(noise_vanishes_on_the_lattice_and_is_smooth_across_it),
        cmocka_unit_test(voronoi_gives_each_cell_one_value),
        cmocka_unit_test(hashes_noise_and_cells_are_the_same_on_every_machine),
        cmocka_unit_test(hash_bits_depend_on_every_bit_of_every_coordinate),
    };
    return cmocka_run_group_tests_name("noise", tests, NULL, NULL);
}
