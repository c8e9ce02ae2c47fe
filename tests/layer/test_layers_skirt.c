// What is a skirt and what is not, on figures of known shape.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/surfaces.h"
#include "layer/layer.h"

enum { HIPS, LEFT_HIP, LEFT_KNEE, LEFT_FOOT, RIGHT_HIP, RIGHT_KNEE, RIGHT_FOOT, JOINTS };

static const float hem = 0.6f, hips = 1.1f;

// A ball on two legs, 1.6 high; the caller dresses it.
static test_surface* figure(void) {
    test_surface* s = test_surface_create();
    test_surface_ball(s, limberi_vec3(0, 1.3f, 0), 0.3f, 24, 12);
    test_surface_capsule(s, limberi_vec3(0.1f, 0.1f, 0), 0.9f, 0.06f, 12, 8);
    test_surface_capsule(s, limberi_vec3(-0.1f, 0.1f, 0), 0.9f, 0.06f, 12, 8);
    s->joint_count = JOINTS;
    s->joints[HIPS] = limberi_vec3(0, hips, 0);
    for (int side = 0; side < 2; side++) {
        float x = side ? -0.1f : 0.1f;
        s->joints[LEFT_HIP + 3 * side] = limberi_vec3(x, 1.0f, 0);
        s->joints[LEFT_KNEE + 3 * side] = limberi_vec3(x, 0.5f, 0.02f);
        s->joints[LEFT_FOOT + 3 * side] = limberi_vec3(x, 0.05f, 0);
    }
    return s;
}

// The surface's joints are roots; here both legs hang on the hips.
static limber_asset* standing(test_surface* s) {
    static const int32_t parents[JOINTS] = {-1, HIPS, LEFT_HIP, LEFT_KNEE, HIPS, RIGHT_HIP, RIGHT_KNEE};
    limber_asset* flat = test_surface_asset(s);
    limber_model model = *limber_asset_model(flat);
    limber_transform rest[JOINTS];
    for (int j = 0; j < JOINTS; j++) {
        rest[j] = model.rig.rest_local[j];
        if (parents[j] >= 0)
            rest[j].translation = limberi_sub(s->joints[j], s->joints[parents[j]]);
    }
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    limber_asset* asset;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_asset_destroy(flat);
    return asset;
}

// Frees the figure. `first`: of the vertices that are a skirt, UINT32_MAX: there is none.
static void check(test_surface* s, uint32_t first, uint32_t end, const char* what) {
    limber_asset* asset = standing(s);
    const limber_model* model = limber_asset_model(asset);
    float* values = calloc(model->vertex_count + 1, sizeof *values);
    bool found;
    assert_int_equal(limber_layer_skirt(model, values, &found, NULL), LIMBER_OK);
    if (found != (first != UINT32_MAX))
        fail_msg("%s: %s", what, found ? "is a skirt" : "is no skirt");
    for (uint32_t u = 0; u < model->vertex_count; u++) {
        float y = s->positions[3 * u + 1], want = fminf(fmaxf((hips - y) / (hips - hem), 0), 1);
        want = u >= first && u < end ? want : 0;
        if (!(fabsf(values[u] - want) < 1e-4f))
            fail_msg("%s: vertex %u at height %g is %g, not %g", what, u, (double)y, (double)values[u], (double)want);
    }
    free(values);
    limber_asset_destroy(asset);
    free(s);
}

static void tubes_that_get_wider_around_both_legs_are_skirts(void** state) {
    (void)state;
    test_surface* s = figure();
    uint32_t first = s->vertex_count;
    test_surface_tube(s, limberi_vec3(0, hem, 0), 0.55f, 0.45f, 0.2f, 32, 10);
    check(s, first, s->vertex_count, "a cone");
    s = figure();
    first = s->vertex_count;
    test_surface_tube(s, limberi_vec3(0, hem, 0), 0.55f, 0.45f, 0.2f, 32, 10);
    test_surface_tube(s, limberi_vec3(0, hem, 0), 0.55f, 0.45f, 0.18f, 32, 10); // joined at the hem
    check(s, first, s->vertex_count, "a cone with a lining");
    s = figure();
    first = s->vertex_count;
    test_surface_tube(s, limberi_vec3(0, hem, 0), 0.9f, 0.45f, 0.12f, 32, 16);
    check(s, first, s->vertex_count, "a dress");
}

// The place of the vertex that is nearest.
static limber_vec3 vertex_near(const test_surface* s, limber_vec3 place) {
    limber_vec3 best = limberi_load3(s->positions);
    for (uint32_t u = 1; u < s->vertex_count; u++) {
        limber_vec3 p = limberi_load3(s->positions + 3 * u);
        best = limberi_distance(p, place) < limberi_distance(best, place) ? p : best;
    }
    return best;
}

// All one piece, as scanned figures are: only the open edge says where the skirt ends.
static void a_skirt_may_be_sewn_to_the_body(void** state) {
    (void)state;
    test_surface* s = figure();
    uint32_t first = s->vertex_count;
    test_surface_tube(s, limberi_vec3(0, hem, 0), 0.55f, 0.45f, 0.2f, 32, 10);
    uint32_t end = s->vertex_count;
    limber_vec3 waist = vertex_near(s, limberi_vec3(0, 1.15f, 0.2f)), head = vertex_near(s, limberi_vec3(0, 1.6f, 0));
    for (int i = 0; i < 4; i++) // with a seam to each leg, inside and outside
        test_surface_triangle(s, vertex_near(s, limberi_vec3(i % 2 ? 0.1f : -0.1f, 0.3f, 0)), waist, head);
    check(s, first, end, "a cone sewn to the body");
}

static void what_hangs_beside_a_skirt_is_not_part_of_it(void** state) {
    (void)state;
    test_surface* s = figure();
    uint32_t first = s->vertex_count;
    test_surface_tube(s, limberi_vec3(0, hem, 0), 0.55f, 0.45f, 0.2f, 32, 10);
    uint32_t end = s->vertex_count;
    test_surface_tube(s, limberi_vec3(0.7f, hem, 0), 0.1f, 0.05f, 0.05f, 12, 2); // a bucket, as low as the hem
    check(s, first, end, "a cone beside a bucket");
}

// Whoever paints a skirt has decided: no other is looked for, and a figure that seems to have none has one.
static void a_painted_skirt_is_the_skirt(void** state) {
    (void)state;
    test_surface* s = figure();
    limber_asset* bare = standing(s);
    limber_model model = *limber_asset_model(bare);
    float* values = calloc(model.vertex_count, sizeof *values);
    limber_layer layer = {.name = LIMBERI_SKIRT_LAYER, .values = values};
    limber_mesh mesh = model.meshes[0];
    mesh.layer_count = 1;
    mesh.layers = &layer;
    model.meshes = &mesh;
    limber_asset* painted;
    assert_int_equal(limber_asset_create(&model, &painted, NULL), LIMBER_OK);
    const limber_model* skirted;
    assert_int_equal(limberi_asset_skirt(bare, &skirted), LIMBER_OK);
    assert_null(skirted);
    assert_int_equal(limberi_asset_skirt(painted, &skirted), LIMBER_OK);
    assert_ptr_equal(skirted, limber_asset_model(painted));
    limber_asset_destroy(painted);
    limber_asset_destroy(bare);
    free(values);
    free(s);
}

static void other_tubes_are_not(void** state) {
    (void)state;
    test_surface* s = figure();
    test_surface_tube(s, limberi_vec3(0.1f, hem, 0), 0.55f, 0.09f, 0.07f, 32, 10);
    test_surface_tube(s, limberi_vec3(-0.1f, hem, 0), 0.55f, 0.09f, 0.07f, 32, 10);
    check(s, UINT32_MAX, 0, "trousers");
    s = figure();
    test_surface_tube(s, limberi_vec3(0, hem, 0), 0.55f, 0.2f, 0.45f, 32, 10);
    check(s, UINT32_MAX, 0, "a funnel");
    s = figure();
    test_surface_tube(s, limberi_vec3(0, 1.07f, 0), 0.3f, 0.5f, 0.3f, 32, 10);
    check(s, UINT32_MAX, 0, "a shirt");
    s = figure();
    test_surface_tube(s, limberi_vec3(0, hem, 0), 0.1f, 0.45f, 0.4f, 32, 10);
    check(s, UINT32_MAX, 0, "a hoop far below the hips");
    s = figure();
    test_surface_tube(s, limberi_vec3(0, hem, 0), 0.55f, 0.3f, 0.15f, 32, 10);
    test_surface_capsule(s, limberi_vec3(0, 0.4f, 0), 0.8f, 0.4f, 32, 8);
    check(s, UINT32_MAX, 0, "the end of a body inside of another");
}

static void what_is_closed_below_is_not(void** state) {
    (void)state;
    test_surface* s = figure();
    uint32_t ring = s->vertex_count;
    test_surface_tube(s, limberi_vec3(0, hem, 0), 0.55f, 0.45f, 0.2f, 32, 10);
    for (uint32_t i = 0; i < 32; i++)
        test_surface_triangle(s, limberi_load3(s->positions + 3 * (ring + (i + 1) % 32)),
                              limberi_load3(s->positions + 3 * (ring + i)), limberi_vec3(0, hem, 0));
    check(s, UINT32_MAX, 0, "a cone with a lid");
}

static void what_does_not_go_around_is_not(void** state) {
    (void)state;
    test_surface* s = figure();
    test_surface_grid(s, limberi_vec3(-0.4f, 0.2f, -0.35f), limberi_vec3(0.8f, 0, 0), limberi_vec3(0, 1.3f, 0.1f), 10,
                      12);
    check(s, UINT32_MAX, 0, "a cape");
    s = figure();
    test_surface_tube(s, limberi_vec3(0, hem, -0.4f), 0.7f, 0.1f, 0.03f, 16, 10);
    check(s, UINT32_MAX, 0, "a ponytail");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tubes_that_get_wider_around_both_legs_are_skirts),
        cmocka_unit_test(a_skirt_may_be_sewn_to_the_body),
        cmocka_unit_test(what_hangs_beside_a_skirt_is_not_part_of_it),
        cmocka_unit_test(a_painted_skirt_is_the_skirt),
        cmocka_unit_test(other_tubes_are_not),
        cmocka_unit_test(what_is_closed_below_is_not),
        cmocka_unit_test(what_does_not_go_around_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
