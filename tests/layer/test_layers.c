// Automatic layers and smoothing on shapes whose answer is known, and on shapes that are hardly shapes at all.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/surfaces.h"

typedef struct painted {
    limber_asset* asset;
    const limber_model* model;
    float* values;
    float* rest;
} painted;

static painted prepare(test_surface* s) {
    painted p;
    p.asset = test_surface_asset(s);
    p.model = limber_asset_model(p.asset);
    p.values = calloc(s->vertex_count + 1, sizeof *p.values);
    p.rest = calloc(3 * (size_t)s->vertex_count + 1, sizeof *p.rest);
    limber_mesh_rest_positions(p.model, &p.model->meshes[0], p.rest);
    free(s);
    return p;
}

static void finish(painted* p) {
    free(p->values);
    free(p->rest);
    limber_asset_destroy(p->asset);
}

static void all_within(const painted* p, uint32_t first, uint32_t end, float low, float high) {
    for (uint32_t u = first; u < end; u++)
        if (!(p->values[u] >= low && p->values[u] <= high))
            fail_msg("vertex %u: %g is not in %g ... %g", u, (double)p->values[u], (double)low, (double)high);
}

static void all_in_range(const painted* p) {
    all_within(p, 0, p->model->vertex_count, -1, 1);
}

static limber_vec3 at(float x, float y, float z) {
    return limberi_vec3(x, y, z);
}

static void paint_thickness(painted* p) {
    assert_int_equal(limber_layer_thickness(p->model, p->values, NULL), LIMBER_OK);
}

static void paint_distance(painted* p, uint32_t joint) {
    assert_int_equal(limber_layer_joint_distance(p->model, joint, p->values, NULL), LIMBER_OK);
}

// ---- thickness ----

static void thickness_of_a_ball_is_one_all_over(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_ball(s, at(1, 2, 3), 5, 48, 24);
    painted p = prepare(s);
    paint_thickness(&p);
    all_within(&p, 0, p.model->vertex_count, 0.97f, 1);
    finish(&p);
}

// From 1 to 0 at least a factor of 4 in diameter: a ball twice as thick stands half way.
static void thickness_is_a_logarithm_of_the_diameter(void** state) {
    (void)state;
    const float radii[3] = {2, 3, 8}, expected[3] = {0.5f, 1 - logf(3) / logf(4), 0};
    for (int i = 0; i < 3; i++) {
        test_surface* s = test_surface_create();
        test_surface_ball(s, at(0, 0, 0), radii[i], 48, 24);
        uint32_t large = s->vertex_count;
        test_surface_ball(s, at(20, 0, 0), 1, 48, 24);
        painted p = prepare(s);
        paint_thickness(&p);
        all_within(&p, 0, large, expected[i] - 0.03f, expected[i] + 0.03f);
        all_within(&p, large, p.model->vertex_count, 0.97f, 1);
        finish(&p);
    }
}

static void thickness_orders_a_rod_before_a_ball(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_ball(s, at(0, 0, 0), 1, 32, 16);
    uint32_t ball = s->vertex_count;
    test_surface_capsule(s, at(4, -5, 0), 10, 0.1f, 16, 60);
    painted p = prepare(s);
    paint_thickness(&p);
    all_within(&p, 0, ball, 0, 0.05f);
    all_within(&p, ball, p.model->vertex_count, 0.8f, 1);
    finish(&p);
}

// An eye that looks out of a head and a button on it are as thick as the head there; a horn's tip is not.
static void small_pieces_take_the_thickness_of_what_they_sit_on(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_ball(s, at(0, 0, 0), 1, 48, 24);
    uint32_t head = s->vertex_count;
    test_surface_ball(s, at(0, 0, 0.92f), 0.12f, 16, 8);
    uint32_t eye = s->vertex_count;
    test_surface_grid(s, at(0.98f, -0.05f, 0.05f), at(0, 0, -0.1f), at(0, 0.1f, 0), 2, 2); // an open patch
    test_surface_capsule(s, at(-1.01f, -0.1f, 0), 0.2f, 0.003f, 8, 8); // a line drawn on it, thinner than its gap
    uint32_t button = s->vertex_count;
    test_surface_capsule(s, at(0, 0.95f, 0), 1.5f, 0.1f, 16, 20);
    painted p = prepare(s);
    paint_thickness(&p);
    all_within(&p, 0, head, 0, 0.1f);
    all_within(&p, head, eye, 0, 0.1f);
    all_within(&p, eye, button, 0, 0.1f);
    for (uint32_t u = button; u < p.model->vertex_count; u++) {
        if (p.rest[3 * u + 1] < 1.1f)
            assert_true(p.values[u] < 0.15f);
        if (p.rest[3 * u + 1] > 1.6f)
            assert_true(p.values[u] > 0.8f);
    }
    finish(&p);
}

// A ring around a rod must not make the rod look thin where it cuts into it.
static void pieces_that_cut_through_each_other_keep_their_thickness(void** state) {
    (void)state;
    float plain = 0, ringed = 0;
    for (int ring = 0; ring < 2; ring++) {
        test_surface* s = test_surface_create();
        test_surface_capsule(s, at(0, 0, 0), 6, 1, 32, 30);
        uint32_t rod = s->vertex_count;
        test_surface_ball(s, at(0, 20, 0), 0.2f, 16, 8); // something thin to compare with
        if (ring)
            test_surface_capsule(s, at(0, 2.9f, 0), 0.2f, 1.2f, 32, 1);
        painted p = prepare(s);
        paint_thickness(&p);
        float* mean = ring ? &ringed : &plain;
        uint32_t count = 0;
        for (uint32_t u = 0; u < rod; u++) {
            if (fabsf(p.rest[3 * u + 1] - 3) > 0.5f)
                continue;
            *mean += p.values[u];
            count++;
        }
        *mean /= (float)count;
        finish(&p);
    }
    assert_true(fabsf(plain - ringed) < 0.01f);
}

static void thickness_of_hardly_anything_is_finite(void** state) {
    (void)state;
    for (int shape = 0; shape < 6; shape++) {
        test_surface* s = test_surface_create();
        if (shape == 1)
            test_surface_triangle(s, at(0, 0, 0), at(1, 0, 0), at(0, 1, 0));
        if (shape == 2) { // without area, in two ways, beside one that has some
            test_surface_triangle(s, at(0, 0, 0), at(1, 0, 0), at(2, 0, 0));
            test_surface_triangle(s, at(0, 0, 0), at(0, 0, 0), at(0, 0, 0));
            test_surface_triangle(s, at(0, 0, 5), at(1, 0, 5), at(0, 1, 5));
        }
        if (shape == 3) { // a leaf: two sheets back to back
            test_surface_grid(s, at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), 8, 8);
            test_surface_grid(s, at(1, 0, 0), at(-1, 0, 0), at(0, 1, 0), 8, 8);
        }
        if (shape >= 4) // a flat sheet, and the same with triangles that say nothing
            test_surface_grid(s, at(0, 0, 0), at(1, 0, 0), at(0, 0, 1), 8, 8);
        if (shape == 5)
            memset(s->triangles, 0, 3 * sizeof s->triangles[0]);
        if (shape == 0) { // vertices without triangles
            s->vertex_count = 3;
            s->positions[3] = 1;
        }
        painted p = prepare(s);
        paint_thickness(&p);
        all_within(&p, 0, p.model->vertex_count, 0.999f, 1);
        finish(&p);
    }
}

// Numbers at the end of what a float can hold.
static void layers_of_absurd_positions_are_finite(void** state) {
    (void)state;
    const float sizes[3] = {1e-30f, 1e25f, 2e38f};
    for (int i = 0; i < 3; i++) {
        test_surface* s = test_surface_create();
        test_surface_ball(s, at(0, 0, 0), 1, 12, 6);
        for (uint32_t k = 0; k < 3 * s->vertex_count; k++)
            s->positions[k] *= sizes[i];
        s->positions[0] = 1e38f;
        s->joint_count = 2;
        s->joints[1] = at(-1e38f, 1, 0);
        painted p = prepare(s);
        paint_thickness(&p);
        all_in_range(&p);
        for (uint32_t joint = 0; joint < 2; joint++) {
            paint_distance(&p, joint);
            all_in_range(&p);
        }
        assert_int_equal(limber_layer_height(p.model, p.values, NULL), LIMBER_OK);
        all_in_range(&p);
        assert_int_equal(limber_layer_smooth(p.model, 5, p.values, NULL), LIMBER_OK);
        all_in_range(&p);
        finish(&p);
    }
}

static void thickness_of_an_open_skirt_is_finite(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_tube(s, at(0, 0, 0), 1, 1, 0.3f, 32, 10);
    painted p = prepare(s);
    paint_thickness(&p);
    all_in_range(&p);
    finish(&p);
}

// Inside out or mirrored, files show the side their normals are on.
static void thickness_believes_normals_more_than_winding(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_ball(s, at(0, 0, 0), 4, 24, 12);
    uint32_t large = s->vertex_count;
    test_surface_ball(s, at(9, 0, 0), 1, 24, 12);
    painted p = prepare(s);
    limber_model copy = *p.model;
    limber_mesh mesh = copy.meshes[0];
    uint32_t* wound = malloc(3 * (size_t)mesh.triangle_count * sizeof *wound);
    for (uint32_t t = 0; t < mesh.triangle_count; t++)
        for (uint32_t i = 0; i < 3; i++)
            wound[3 * t + i] = mesh.triangles[3 * t + (t % 2 ? 2 - i : i)];
    mesh.triangles = wound;
    copy.meshes = &mesh;
    limber_asset* other;
    assert_int_equal(limber_asset_create(&copy, &other, NULL), LIMBER_OK);
    assert_int_equal(limber_layer_thickness(limber_asset_model(other), p.values, NULL), LIMBER_OK);
    all_within(&p, 0, large, 0, 0.03f);
    all_within(&p, large, p.model->vertex_count, 0.97f, 1);
    limber_asset_destroy(other);
    free(wound);
    finish(&p);
}

// ---- height ----

static void height_runs_from_0_at_the_feet_to_1_at_the_top(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_tube(s, at(3, -7, 2), 4, 1, 1, 16, 20);
    painted p = prepare(s);
    assert_int_equal(limber_layer_height(p.model, p.values, NULL), LIMBER_OK);
    for (uint32_t u = 0; u < p.model->vertex_count; u++)
        assert_true(fabsf(p.values[u] - (p.rest[3 * u + 1] + 7) / 4) < 1e-6f);
    finish(&p);
}

static void height_of_something_flat_is_0(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_grid(s, at(0, 3, 0), at(0, 0, 1), at(1, 0, 0), 4, 4);
    painted p = prepare(s);
    assert_int_equal(limber_layer_height(p.model, p.values, NULL), LIMBER_OK);
    all_within(&p, 0, p.model->vertex_count, 0, 0);
    finish(&p);
}

// ---- distance ----

static void distance_on_a_flat_strip_is_the_length(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_grid(s, at(0, 0, -0.5f), at(0, 0, 1), at(10, 0, 0), 10, 100);
    painted p = prepare(s); // joint 0 lies in the middle of the short edge x = 0
    paint_distance(&p, 0);
    double farthest = sqrt(100 + 0.25);
    for (uint32_t u = 0; u < p.model->vertex_count; u++) {
        double length = hypot((double)p.rest[3 * u], (double)p.rest[3 * u + 2]);
        assert_true(fabs((double)p.values[u] * farthest - length) < 0.002 * farthest);
    }
    finish(&p);
}

static void distance_follows_the_surface_around_a_bend(void** state) {
    (void)state;
    test_surface* s = test_surface_create(); // a strip bent to three sides of a square, open at the front
    test_surface_grid(s, at(0, 0, 0), at(1, 0, 0), at(0, 0, 8), 4, 32);
    test_surface_grid(s, at(0, 0, 8), at(1, 0, 0), at(0, 2, 0), 4, 8);
    test_surface_grid(s, at(0, 2, 8), at(1, 0, 0), at(0, 0, -8), 4, 32);
    s->joints[0] = at(0.5f, 0, 0);
    painted p = prepare(s);
    paint_distance(&p, 0);
    double farthest = hypot(18, 0.5);
    for (uint32_t u = 0; u < p.model->vertex_count; u++) {
        const float* v = p.rest + 3 * u;
        double along = (double)(v[1] >= 2 ? 18 - v[2] : v[2] >= 8 ? 8 + v[1] : v[2]);
        double length = hypot(along, (double)v[0] - 0.5);
        assert_true(fabs((double)p.values[u] * farthest - length) < 0.003 * farthest);
    }
    finish(&p);
}

// Around a joint inside a limb the whole ring is at the start, and from there on all sides are equal.
static void distance_from_a_joint_inside_a_limb_grows_along_it(void** state) {
    (void)state;
    enum { SEGMENTS = 24, RINGS = 40 };
    test_surface* s = test_surface_create();
    test_surface_tube(s, at(0, 0, 0), 8, 0.5f, 0.5f, SEGMENTS, RINGS);
    s->joint_count = 2;
    s->joints[1] = at(0, 4, 0);
    for (uint32_t u = SEGMENTS * (RINGS / 2); u < s->vertex_count; u++)
        s->joint[u] = 1;
    painted p = prepare(s);
    paint_distance(&p, 1);
    for (uint32_t r = 0; r <= RINGS; r++) {
        const float* ring = p.values + (size_t)SEGMENTS * r;
        for (uint32_t i = 1; i < SEGMENTS; i++)
            assert_true(fabsf(ring[i] - ring[0]) < 0.002f);
        if (r == RINGS / 2)
            assert_true(ring[0] < 1e-6f);
        else if (r > RINGS / 2)
            assert_true(ring[0] > ring[-SEGMENTS]);
        else if (r < RINGS / 2)
            assert_true(ring[0] > ring[SEGMENTS]);
    }
    assert_true(p.values[0] > 0.9f && p.values[p.model->vertex_count - 1] > 0.9f);
    finish(&p);
}

// What hangs on nothing goes on from the nearest point: its distance is that point's and the gap.
static void distance_reaches_loose_pieces_through_the_air(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_grid(s, at(0, 0, -0.5f), at(0, 0, 1), at(10, 0, 0), 10, 100);
    uint32_t strip = s->vertex_count;
    test_surface_grid(s, at(5, 3, -0.1f), at(0, 0, 0.2f), at(0, 1, 0), 2, 2);
    painted p = prepare(s);
    paint_distance(&p, 0);
    double farthest = sqrt(100 + 0.25);
    for (uint32_t u = strip; u < p.model->vertex_count; u++) {
        const float* v = p.rest + 3 * u;
        double length = hypot((double)v[0], (double)v[2]) + (double)v[1];
        assert_true(fabs((double)p.values[u] * farthest - length) < 0.01 * farthest);
    }
    finish(&p);
}

static void distance_from_a_joint_that_holds_nothing_starts_at_the_nearest_vertices(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_grid(s, at(0, 0, -0.5f), at(0, 0, 1), at(10, 0, 0), 4, 40);
    s->joint_count = 2;
    s->joints[1] = at(10, 0, 0);
    painted p = prepare(s);
    paint_distance(&p, 1);
    double farthest = sqrt(100 + 0.25);
    for (uint32_t u = 0; u < p.model->vertex_count; u++) {
        double length = hypot((double)p.rest[3 * u] - 10, (double)p.rest[3 * u + 2]);
        assert_true(fabs((double)p.values[u] * farthest - length) < 0.005 * farthest);
    }
    finish(&p);
}

static void distance_without_triangles_is_straight(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    for (uint32_t u = 0; u < 11; u++)
        s->positions[3 * s->vertex_count++] = (float)u;
    painted p = prepare(s);
    paint_distance(&p, 0);
    for (uint32_t u = 0; u < 11; u++)
        assert_true(fabsf(p.values[u] - (float)u / 10) < 1e-5f);
    finish(&p);
}

static void joints_that_are_not_there_are_refused(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_ball(s, at(0, 0, 0), 1, 8, 4);
    painted p = prepare(s);
    limber_error error;
    assert_int_equal(limber_layer_joint_distance(p.model, 1, p.values, &error), LIMBER_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "joint 1"));
    finish(&p);
}

// ---- smoothing ----

static void smoothing_leaves_a_constant_to_the_bit(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_ball(s, at(0, 0, 0), 1, 24, 12);
    test_surface_grid(s, at(3, 0, 0), at(1, 0, 0), at(0, 0.01f, 0), 7, 5);
    painted p = prepare(s);
    for (uint32_t u = 0; u < p.model->vertex_count; u++)
        p.values[u] = -0.3f;
    assert_int_equal(limber_layer_smooth(p.model, 500, p.values, NULL), LIMBER_OK);
    for (uint32_t u = 0; u < p.model->vertex_count; u++)
        assert_true(p.values[u] == -0.3f);
    finish(&p);
}

static void smoothing_a_step_keeps_it_rising(void** state) {
    (void)state;
    enum { COLUMNS = 3, ROWS = 60 };
    for (uint32_t passes = 1; passes < 1000; passes *= 4) {
        test_surface* s = test_surface_create();
        test_surface_grid(s, at(0, 0, 0), at(1, 0, 0), at(0, 0, 20), COLUMNS, ROWS);
        painted p = prepare(s);
        for (uint32_t u = 0; u < p.model->vertex_count; u++)
            p.values[u] = u / (COLUMNS + 1) < ROWS / 2 ? -1.0f : 1.0f;
        assert_int_equal(limber_layer_smooth(p.model, passes, p.values, NULL), LIMBER_OK);
        all_in_range(&p);
        for (uint32_t u = COLUMNS + 1; u < p.model->vertex_count; u++)
            assert_true(p.values[u] >= p.values[u - COLUMNS - 1] - 1e-6f);
        float below = p.values[(COLUMNS + 1) * (ROWS / 2 - 1)], above = p.values[(COLUMNS + 1) * (ROWS / 2)];
        assert_true(below > -1 && above < 1 && above - below < 2); // something happened
        finish(&p);
    }
}

static void smoothing_a_peak_halves_it_and_never_undershoots(void** state) {
    (void)state;
    for (uint32_t passes = 1; passes < 20; passes++) {
        test_surface* s = test_surface_create();
        test_surface_grid(s, at(0, 0, 0), at(1, 0, 0), at(0, 0, 1), 6, 6);
        painted p = prepare(s);
        p.values[24] = 1;
        assert_int_equal(limber_layer_smooth(p.model, passes, p.values, NULL), LIMBER_OK);
        all_within(&p, 0, p.model->vertex_count, 0, 0.5f);
        assert_true(passes > 1 || p.values[24] == 0.5f);
        finish(&p);
    }
}

static void smoothing_is_stable_on_needles(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_grid(s, at(0, 0, 0), at(1e-4f, 0, 0), at(0, 0, 20), 6, 6);
    test_surface_triangle(s, at(0, 0, 0), at(5, 0, 0), at(10, 0, 0));
    painted p = prepare(s);
    float low = 1, high = -1;
    for (uint32_t u = 0; u < p.model->vertex_count; u++) {
        p.values[u] = 0.9f * sinf((float)(u * u));
        low = fminf(low, p.values[u]);
        high = fmaxf(high, p.values[u]);
    }
    assert_int_equal(limber_layer_smooth(p.model, 3000, p.values, NULL), LIMBER_OK);
    all_within(&p, 0, p.model->vertex_count, low - 1e-6f, high + 1e-6f);
    finish(&p);
}

static void no_passes_change_nothing(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_ball(s, at(0, 0, 0), 1, 8, 4);
    painted p = prepare(s);
    for (uint32_t u = 0; u < p.model->vertex_count; u++)
        p.values[u] = (float)u;
    assert_int_equal(limber_layer_smooth(p.model, 0, p.values, NULL), LIMBER_OK);
    for (uint32_t u = 0; u < p.model->vertex_count; u++)
        assert_true(p.values[u] == (float)u);
    finish(&p);
}

// ---- names ----

static void layer_names_are_letters_digits_and_underscores(void** state) {
    (void)state;
    char longest[LIMBER_LAYER_NAME_LENGTH + 2];
    memset(longest, 'x', sizeof longest);
    longest[LIMBER_LAYER_NAME_LENGTH] = 0;
    assert_true(limber_layer_name_is_valid("ears"));
    assert_true(limber_layer_name_is_valid("Ears_2"));
    assert_true(limber_layer_name_is_valid("2nd"));
    assert_true(limber_layer_name_is_valid(longest));
    longest[LIMBER_LAYER_NAME_LENGTH] = 'x';
    longest[LIMBER_LAYER_NAME_LENGTH + 1] = 0;
    assert_false(limber_layer_name_is_valid(longest));
    assert_false(limber_layer_name_is_valid(""));
    assert_false(limber_layer_name_is_valid("left ear"));
    assert_false(limber_layer_name_is_valid("left-ear"));
    assert_false(limber_layer_name_is_valid("\xc3\xa4hre"));
    assert_true(limber_layer_name_is_valid("azAZ09_"));
    for (const char* other = "/:@[`{"; *other; other++) { // what stands beside letters and digits
        const char name[2] = {*other, 0};
        assert_false(limber_layer_name_is_valid(name));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thickness_of_a_ball_is_one_all_over),
        cmocka_unit_test(thickness_is_a_logarithm_of_the_diameter),
        cmocka_unit_test(thickness_orders_a_rod_before_a_ball),
        cmocka_unit_test(small_pieces_take_the_thickness_of_what_they_sit_on),
        cmocka_unit_test(pieces_that_cut_through_each_other_keep_their_thickness),
        cmocka_unit_test(thickness_of_hardly_anything_is_finite),
        cmocka_unit_test(layers_of_absurd_positions_are_finite),
        cmocka_unit_test(thickness_of_an_open_skirt_is_finite),
        cmocka_unit_test(thickness_believes_normals_more_than_winding),
        cmocka_unit_test(height_runs_from_0_at_the_feet_to_1_at_the_top),
        cmocka_unit_test(height_of_something_flat_is_0),
        cmocka_unit_test(distance_on_a_flat_strip_is_the_length),
        cmocka_unit_test(distance_follows_the_surface_around_a_bend),
        cmocka_unit_test(distance_from_a_joint_inside_a_limb_grows_along_it),
        cmocka_unit_test(distance_reaches_loose_pieces_through_the_air),
        cmocka_unit_test(distance_from_a_joint_that_holds_nothing_starts_at_the_nearest_vertices),
        cmocka_unit_test(distance_without_triangles_is_straight),
        cmocka_unit_test(joints_that_are_not_there_are_refused),
        cmocka_unit_test(smoothing_leaves_a_constant_to_the_bit),
        cmocka_unit_test(smoothing_a_step_keeps_it_rising),
        cmocka_unit_test(smoothing_a_peak_halves_it_and_never_undershoots),
        cmocka_unit_test(smoothing_is_stable_on_needles),
        cmocka_unit_test(no_passes_change_nothing),
        cmocka_unit_test(layer_names_are_letters_digits_and_underscores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
