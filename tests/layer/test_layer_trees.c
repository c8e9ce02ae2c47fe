// The trees behind thickness and distance against plain loops over everything, and layers when memory runs short.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/math.h"
#include "deform/normals/split.h"
#include "kit/failing_memory.h"
#include "kit/surfaces.h"
#include "layer/layer.h"
#include "layer/rays.h"
#include "layer/surface.h"

static uint32_t random_state = 1;

static float random_float(void) { // -1 ... 1
    random_state = random_state * 1664525u + 1013904223u;
    return (float)(random_state >> 8) / 8388608.0f - 1;
}

static limber_vec3 random_point(void) {
    float x = random_float(), y = random_float();
    return limberi_vec3(x, y, random_float());
}

enum { RUNS = 7 };

// Twice, since the second time it is known.
static limber_result find_skirt(const limber_asset* asset) {
    const limber_model* model;
    limber_result result = limberi_asset_skirt(asset, &model);
    return result ? result : limberi_asset_skirt(asset, &model);
}

static limber_result find_split(const limber_model* model) {
    limberi_arena arena = {NULL, false};
    limberi_split_normals split;
    limber_result result = limberi_split_find(&arena, model, &split);
    limberi_arena_free(&arena);
    return result;
}

static limber_result run_layer(int which, const limber_asset* asset, float* values, limber_error* error) {
    const limber_model* model = limber_asset_model(asset);
    bool found;
    if (which >= 5)
        limberi_fail(error, LIMBER_ERROR_MEMORY, "memory"); // these leave it to the caller
    if (which == 6)
        return find_skirt(asset);
    if (which == 5)
        return find_split(model);
    if (which == 4)
        return limber_layer_skirt(model, values, &found, error);
    if (which == 0)
        return limber_layer_thickness(model, values, error);
    if (which == 1)
        return limber_layer_height(model, values, error);
    if (which == 2)
        return limber_layer_joint_distance(model, 0, values, error);
    return limber_layer_smooth(model, 3, values, error);
}

static void running_out_of_memory_is_an_error_at_every_allocation(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_ball(s, limberi_vec3(0, 0, 0), 1, 12, 6);
    test_surface_ball(s, limberi_vec3(0, 1, 0), 0.2f, 8, 4);
    limber_asset* asset = test_surface_asset(s);
    float* values = calloc(s->vertex_count, sizeof *values);
    for (int which = 0; which < RUNS; which++) {
        long count = 0;
        for (limber_result result = LIMBER_ERROR_MEMORY; result; count++) {
            limber_error error;
            memset(&error, 0, sizeof error);
            test_memory_allow(count);
            result = run_layer(which, asset, values, &error);
            assert_int_equal(result, test_memory_end() ? LIMBER_ERROR_MEMORY : LIMBER_OK);
            assert_true(result == LIMBER_OK || strstr(error.message, "memory"));
            assert_true(count < 200);
        }
        assert_true(count > 1);
    }
    free(values);
    limber_asset_destroy(asset);
    free(s);
}

// ---- rays ----

// A cloud of triangles in two pieces, with some that have no area.
static void make_cloud(limberi_surface* s, uint32_t* pieces, uint32_t count, float size) {
    memset(s, 0, sizeof *s);
    s->triangle_count = count;
    s->node_count = 3 * count;
    s->positions = LIMBERI_ALLOCATE(&s->arena, limber_vec3, s->node_count + 1);
    s->triangles = LIMBERI_ALLOCATE(&s->arena, uint32_t, s->node_count + 1);
    for (uint32_t t = 0; t < count; t++) {
        limber_vec3 middle = random_point();
        for (uint32_t i = 0; i < 3; i++) {
            float spread = t % 17 ? size : 0;
            s->positions[3 * t + i] = limberi_add(middle, limberi_scale(random_point(), spread));
            s->triangles[3 * t + i] = 3 * t + i;
            pieces[3 * t + i] = t % 2;
        }
    }
}

// By the plane and three sides, in double precision: another way than the tree's.
static double meet(const limber_vec3* p, limber_vec3 from, limber_vec3 along, bool* leaving) {
    double e[2][3], n[3], d[3] = {(double)along.x, (double)along.y, (double)along.z};
    const double o[3] = {(double)from.x, (double)from.y, (double)from.z};
    double v[3][3];
    for (int i = 0; i < 3; i++) {
        v[i][0] = (double)p[i].x;
        v[i][1] = (double)p[i].y;
        v[i][2] = (double)p[i].z;
    }
    for (int c = 0; c < 3; c++) {
        e[0][c] = v[1][c] - v[0][c];
        e[1][c] = v[2][c] - v[0][c];
    }
    for (int c = 0; c < 3; c++)
        n[c] = e[0][(c + 1) % 3] * e[1][(c + 2) % 3] - e[0][(c + 2) % 3] * e[1][(c + 1) % 3];
    double rate = n[0] * d[0] + n[1] * d[1] + n[2] * d[2], gap = 0;
    for (int c = 0; c < 3; c++)
        gap += n[c] * (v[0][c] - o[c]);
    if (fabs(rate) < 1e-9)
        return HUGE_VAL;
    double t = gap / rate, q[3];
    for (int c = 0; c < 3; c++)
        q[c] = o[c] + t * d[c];
    for (int i = 0; i < 3; i++) {
        const double *a = v[i], *b = v[(i + 1) % 3];
        double side = 0;
        for (int c = 0; c < 3; c++) {
            int x = (c + 1) % 3, y = (c + 2) % 3;
            side += n[c] * ((b[x] - a[x]) * (q[y] - a[y]) - (b[y] - a[y]) * (q[x] - a[x]));
        }
        if (side < 0)
            return HUGE_VAL;
    }
    *leaving = rate > 0;
    return t;
}

static double meet_all(const limberi_surface* s, const uint32_t* pieces, limber_vec3 from, limber_vec3 along,
                       int64_t piece) {
    double min = HUGE_VAL;
    bool left = false;
    for (uint32_t t = 0; t < s->triangle_count; t++) {
        bool leaving = false;
        double at = meet(s->positions + 3 * (size_t)t, from, along, &leaving);
        bool counts = piece < 0 ? leaving : pieces[3 * t] == (uint32_t)piece;
        if (!counts || at < 1e-3 || at >= min)
            continue;
        min = at;
        left = leaving;
    }
    return left ? min : HUGE_VAL;
}

static void rays_find_what_a_loop_over_all_triangles_finds(void** state) {
    (void)state;
    enum { MAX = 400, RAYS = 400 };
    static uint32_t pieces[3 * MAX + 1];
    const uint32_t counts[] = {0, 1, 3, 4, 5, 17, 100, MAX};
    uint32_t found = 0, differ = 0, asked = 0;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        limberi_surface s;
        limberi_ray_tree tree;
        make_cloud(&s, pieces, counts[k], 0.9f);
        assert_int_equal(limberi_ray_tree_build(&s.arena, &s, pieces, &tree), LIMBER_OK);
        for (uint32_t i = 0; i < RAYS; i++) {
            limber_vec3 from = random_point(), along = limberi_normalize(random_point());
            if (i % 5 == 0) // along an axis, some components exactly 0
                along = limberi_vec3(i % 3 == 0 ? -1 : 0, i % 3 == 1 ? 1 : 0, i % 3 == 2 ? 1 : 0);
            for (int64_t piece = -1; piece < 2; piece++) {
                float t = piece < 0 ? limberi_ray_leaves_any(&tree, from, along, 1e-3f)
                                    : limberi_ray_leaves_piece(&tree, from, along, 1e-3f, (uint32_t)piece);
                double expected = meet_all(&s, pieces, from, along, piece);
                found += expected < HUGE_VAL;
                differ += isinf(expected) ? !isinf((double)t) : !(fabs((double)t - expected) < 1e-4);
                asked++;
            }
        }
        limberi_arena_free(&s.arena);
    }
    assert_true(found > asked / 10);
    assert_true(differ <= asked / 2000); // edges hit to the last bit
}

// ---- nearest ----

static size_t looked_at; // items

static float point_distance(const void* user, uint32_t item, limber_vec3 place) {
    looked_at++;
    limber_vec3 away = limberi_sub(((const limber_vec3*)user)[item], place);
    return limberi_dot(away, away);
}

static void the_nearest_point_is_that_of_a_loop_over_all(void** state) {
    (void)state;
    enum { POINTS = 3000 };
    static limber_vec3 points[POINTS];
    static limberi_box boxes[POINTS];
    static double ranks[POINTS];
    limberi_arena arena = {NULL, false};
    for (uint32_t i = 0; i < POINTS; i++) {
        points[i] = i % 3 ? random_point() : limberi_vec3(0.5f, 0.5f, 0.5f); // a third of them at one place
        limberi_store3(boxes[i].low, points[i]);
        limberi_store3(boxes[i].high, points[i]);
        ranks[i] = i % 7;
    }
    limberi_box_tree tree;
    assert_int_equal(limberi_box_tree_build(&arena, boxes, POINTS, &tree), LIMBER_OK);
    for (int i = 0; i < 500; i++) {
        limber_vec3 place = limberi_scale(random_point(), 1.5f);
        float limit = i % 2 ? HUGE_VALF : 0.1f, min = limit * limit;
        uint32_t best = UINT32_MAX;
        for (uint32_t k = 0; k < POINTS; k++) {
            float square = point_distance(points, k, place);
            if (square < min) {
                min = square;
                best = k;
            }
        }
        uint32_t found = limberi_box_tree_nearest(&tree, place, limit, 0, point_distance, points);
        assert_int_equal(found == UINT32_MAX, best == UINT32_MAX);
        assert_true(best == UINT32_MAX || point_distance(points, found, place) == min);
    }
    assert_int_equal(limberi_box_tree_rank(&arena, &tree, ranks), LIMBER_OK);
    assert_int_equal(limberi_box_tree_nearest(&tree, points[1], HUGE_VALF, 6, point_distance, points), UINT32_MAX);
    assert_int_not_equal(limberi_box_tree_nearest(&tree, points[1], HUGE_VALF, 5, point_distance, points), UINT32_MAX);
    limberi_arena_free(&arena);
}

static void a_tree_that_searches_split_is_that_which_was_built(void** state) {
    (void)state;
    enum { POINTS = 3000, SEARCHES = 20 };
    static limber_vec3 points[POINTS];
    static limberi_box boxes[POINTS];
    limberi_arena arena = {NULL, false};
    limberi_box_tree trees[2];
    uint32_t found[2][SEARCHES];
    size_t looks[2];
    for (uint32_t i = 0; i < POINTS; i++) {
        points[i] = i % 3 ? random_point() : limberi_vec3(0.5f, 0.5f, 0.5f);
        limberi_store3(boxes[i].low, points[i]);
        limberi_store3(boxes[i].high, points[i]);
    }
    assert_int_equal(limberi_box_tree_build(&arena, boxes, POINTS, &trees[0]), LIMBER_OK);
    assert_int_equal(limberi_box_tree_open(&arena, boxes, POINTS, &trees[1]), LIMBER_OK);
    for (int t = 0; t < 2; t++) {
        looked_at = 0;
        for (uint32_t i = 0; i < SEARCHES; i++)
            found[t][i] = limberi_box_tree_nearest(&trees[t], limberi_scale(points[i], 1.1f), HUGE_VALF, 0,
                                                   point_distance, points);
        looks[t] = looked_at;
    }
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    assert_int_equal(looks[0], looks[1]);
    limberi_arena_free(&arena);
}

// Many items that no plane can tell apart must not make the tree deep, nor the search slow.
static void a_tree_over_items_at_one_place_ends(void** state) {
    (void)state;
    enum { ITEMS = 100000 };
    limberi_arena arena = {NULL, false};
    limberi_box* boxes = LIMBERI_ALLOCATE(&arena, limberi_box, ITEMS);
    limber_vec3* points = LIMBERI_ALLOCATE(&arena, limber_vec3, ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++) { // half at one place, half ever closer to another
        float x = i % 2 ? 1 : ldexpf(1, -(int)(i % 120));
        points[i] = limberi_vec3(x, 0, 0);
        limberi_store3(boxes[i].low, points[i]);
        limberi_store3(boxes[i].high, points[i]);
    }
    limberi_box_tree tree;
    assert_int_equal(limberi_box_tree_build(&arena, boxes, ITEMS, &tree), LIMBER_OK);
    assert_true(tree.node_count < 2 * ITEMS);
    uint32_t found = limberi_box_tree_nearest(&tree, limberi_vec3(0.9f, 0, 0), HUGE_VALF, 0, point_distance, points);
    assert_true(points[found].x == 1);
    limberi_arena_free(&arena);
}

// ---- pieces ----

static void pieces_know_their_volume_and_holes(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_ball(s, limberi_vec3(0, 0, 0), 1, 64, 32);
    test_surface_ball(s, limberi_vec3(5, 0, 0), 2, 64, 32);
    test_surface_tube(s, limberi_vec3(-5, 0, 0), 2, 1, 0.5f, 16, 4);
    limber_asset* asset = test_surface_asset(s);
    const limber_model* model = limber_asset_model(asset);
    limberi_surface surface;
    limberi_pieces pieces;
    assert_int_equal(limberi_surface_create(model, &surface), LIMBER_OK);
    assert_int_equal(limberi_pieces_find(&surface, &pieces), LIMBER_OK);
    assert_int_equal(pieces.count, 3);
    double unit = (double)model->size * (double)model->size * (double)model->size;
    assert_true(fabs(pieces.volumes[0] * unit - 4 * LIMBERI_PI / 3) < 0.05);
    double small = HUGE_VAL, large = 0; // whatever their order
    uint32_t open = 0;
    for (uint32_t i = 0; i < 3; i++) {
        open += pieces.open[i];
        if (pieces.open[i])
            continue;
        small = fmin(small, pieces.volumes[i]);
        large = fmax(large, pieces.volumes[i]);
    }
    assert_int_equal(open, 1);
    assert_true(fabs(large / small - 8) < 0.01);
    limberi_surface_destroy(&surface);
    limber_asset_destroy(asset);
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_out_of_memory_is_an_error_at_every_allocation),
        cmocka_unit_test(rays_find_what_a_loop_over_all_triangles_finds),
        cmocka_unit_test(the_nearest_point_is_that_of_a_loop_over_all),
        cmocka_unit_test(a_tree_that_searches_split_is_that_which_was_built),
        cmocka_unit_test(a_tree_over_items_at_one_place_ends),
        cmocka_unit_test(pieces_know_their_volume_and_holes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
