// The smallest ball around points, and the size of characters that is made of it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "base/math.h"
#include "kit/random_rigs.h"
#include "kit/scene.h"

static void expect_ball(const float* points, size_t count, double x, double y, double z, double radius) {
    limberi_ball ball = limberi_ball_around(points, count);
    const double center[3] = {x, y, z};
    for (int c = 0; c < 3; c++)
        assert_true(fabs(ball.center[c] - center[c]) < 1e-6);
    assert_true(fabs(ball.radius - radius) < 1e-6);
}

static void known_shapes_have_their_balls(void** state) {
    (void)state;
    float cube[24];
    for (int i = 0; i < 8; i++)
        for (int c = 0; c < 3; c++)
            cube[3 * i + c] = (float)(i >> c & 1);
    expect_ball(cube, 8, 0.5, 0.5, 0.5, 0.5 * sqrt(3));
    const float simplex[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    expect_ball(simplex, 4, 0, 0, 0, sqrt(3));
    const float triangle[9] = {1, 0, 0, -0.5f, 0, 0.8660254f, -0.5f, 0, -0.8660254f};
    expect_ball(triangle, 3, 0, 0, 0, 1);
    const float blunt[9] = {-2, 0, 0, 2, 0, 0, 0, 1, 0}; // the longest side holds it
    expect_ball(blunt, 3, 0, 0, 0, 2);
}

static void degenerate_points_have_balls_too(void** state) {
    (void)state;
    const float one[3] = {3, -4, 5};
    expect_ball(one, 1, 3, -4, 5, 0);
    expect_ball(one, 0, 0, 0, 0, 0);
    const float same[12] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3};
    expect_ball(same, 4, 1, 2, 3, 0);
    const float line[15] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 4, 4, 4, 1, 1, 1};
    expect_ball(line, 5, 2, 2, 2, 2 * sqrt(3));
    const float square[15] = {0, 0, 7, 1, 0, 7, 1, 1, 7, 0, 1, 7, 0.5f, 0.5f, 7};
    expect_ball(square, 5, 0.5, 0.5, 7, 0.5 * sqrt(2));
    const float holes[12] = {NAN, 0, 0, 1, 0, 0, -1, 0, 0, 0, INFINITY, 0};
    expect_ball(holes, 4, 0, 0, 0, 1);
}

// On a sphere nearly every point is one that holds the ball.
static void points_on_a_sphere_give_it_back(void** state) {
    (void)state;
    test_random random = test_random_seed(3);
    enum { COUNT = 20000 };
    float* points = malloc(3 * COUNT * sizeof *points);
    for (uint32_t i = 0; i < COUNT; i++) {
        limber_vec3 p = limberi_scale(test_random_direction(&random), 2.5f);
        limberi_store3(points + 3 * (size_t)i, limberi_add(p, limberi_vec3(1, 2, -3)));
    }
    limberi_ball ball = limberi_ball_around(points, COUNT);
    assert_true(fabs(ball.radius - 2.5) < 1e-6 && fabs(ball.center[0] - 1) < 1e-5 && fabs(ball.center[1] - 2) < 1e-5);
    free(points);
}

// --- all choices of 2, 3 and 4 points ---

// The middle of the ball through some points, in their own line, plane or space, by Gram-Schmidt: p . d_i of every
// direction is known.
static bool middle_of(const float* points, const uint32_t* chosen, int count, double* middle) {
    double axes[3][3], along[3] = {0, 0, 0};
    for (int c = 0; c < 3; c++)
        middle[c] = 0;
    for (int i = 1; i < count; i++) {
        double d[3], square = 0, length = 0, rest;
        for (int c = 0; c < 3; c++)
            d[c] = (double)points[3 * chosen[i] + (uint32_t)c] - (double)points[3 * chosen[0] + (uint32_t)c];
        for (int c = 0; c < 3; c++)
            square += d[c] * d[c];
        rest = 0.5 * square; // d . middle
        for (int k = 0; k < i - 1; k++) {
            double part = d[0] * axes[k][0] + d[1] * axes[k][1] + d[2] * axes[k][2];
            rest -= part * along[k];
            for (int c = 0; c < 3; c++)
                d[c] -= part * axes[k][c];
        }
        for (int c = 0; c < 3; c++)
            length += d[c] * d[c];
        length = sqrt(length);
        if (length < 1e-7)
            return false;
        for (int c = 0; c < 3; c++)
            axes[i - 1][c] = d[c] / length;
        along[i - 1] = rest / length;
        for (int c = 0; c < 3; c++)
            middle[c] += along[i - 1] * axes[i - 1][c];
    }
    for (int c = 0; c < 3; c++)
        middle[c] += (double)points[3 * chosen[0] + (uint32_t)c];
    return true;
}

static double reach_from(const float* points, uint32_t count, const double* middle) {
    double max = 0;
    for (uint32_t i = 0; i < count; i++) {
        double x = (double)points[3 * i] - middle[0], y = (double)points[3 * i + 1] - middle[1],
               z = (double)points[3 * i + 2] - middle[2];
        max = fmax(max, sqrt(x * x + y * y + z * z));
    }
    return max;
}

static double smallest_radius(const float* points, uint32_t count) {
    double best = HUGE_VAL;
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a; b < count; b++)
            for (uint32_t c = b; c < count; c++)
                for (uint32_t d = c; d < count; d++) {
                    uint32_t chosen[4] = {a, 0, 0, 0};
                    int n = 1;
                    double middle[3];
                    if (b > a)
                        chosen[n++] = b;
                    if (c > b)
                        chosen[n++] = c;
                    if (d > c)
                        chosen[n++] = d;
                    if (middle_of(points, chosen, n, middle))
                        best = fmin(best, reach_from(points, count, middle));
                }
    return best;
}

static void small_sets_agree_with_trying_everything(void** state) {
    (void)state;
    test_random random = test_random_seed(11);
    for (int round = 0; round < 300; round++) {
        uint32_t count = 1 + test_random_below(&random, 12);
        float points[36];
        bool flat = test_random_chance(&random, 0.3f), coarse = test_random_chance(&random, 0.3f);
        for (uint32_t i = 0; i < 3 * count; i++) {
            float x = test_random_between(&random, -1, 1);
            points[i] = flat && i % 3 == 2 ? 0 : coarse ? roundf(2 * x) : x;
        }
        assert_true(fabs(limberi_ball_around(points, count).radius - smallest_radius(points, count)) < 1e-9);
    }
}

// --- characters ---

static limber_transform any_rotation(test_random* random) {
    limber_transform above = limber_transform_identity();
    above.rotation = limberi_quat_exp(
        limberi_scale(test_random_direction(random), test_random_between(random, 0, (float)LIMBERI_PI)));
    return above;
}

static void turning_a_character_keeps_its_size(void** state) {
    (void)state;
    test_random random = test_random_seed(5);
    for (uint32_t i = 0; i < test_character_count(); i++) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        const limber_model* model = limber_asset_model(asset);
        for (int k = 0; k < 4; k++) {
            limber_transform above = any_rotation(&random);
            limber_asset* turned = test_rearranged(model, NULL, &above);
            float other = limber_asset_model(turned)->size;
            if (!(fabsf(other - model->size) < 1e-5f * model->size))
                fail_msg("%s: size %g, turned %g", test_character_name(i), (double)model->size, (double)other);
            limber_asset_destroy(turned);
        }
        limber_vec3 box = limberi_sub(model->rest_max, model->rest_min);
        assert_true(model->size <= limberi_length(box) * 1.000001f);
        assert_true(model->size >= fmaxf(box.x, fmaxf(box.y, box.z)) * 0.999999f);
        test_character_free(asset, gltf);
    }
}

static void a_bare_skeleton_is_as_large_as_its_joints_spread(void** state) {
    (void)state;
    limber_asset* tube = test_tube_create(4, 1, 30, false);
    limber_model bare = *limber_asset_model(tube);
    bare.skin_count = bare.mesh_count = bare.clip_count = 0;
    limber_asset* asset;
    assert_int_equal(limber_asset_create(&bare, &asset, NULL), LIMBER_OK);
    assert_true(fabsf(limber_asset_model(asset)->size - 3) < 1e-5f);
    limber_asset_destroy(asset);
    limber_asset_destroy(tube);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_shapes_have_their_balls),
        cmocka_unit_test(degenerate_points_have_balls_too),
        cmocka_unit_test(points_on_a_sphere_give_it_back),
        cmocka_unit_test(small_sets_agree_with_trying_everything),
        cmocka_unit_test(turning_a_character_keeps_its_size),
        cmocka_unit_test(a_bare_skeleton_is_as_large_as_its_joints_spread),
    };
    return cmocka_run_group_tests_name("ball", tests, NULL, NULL);
}
