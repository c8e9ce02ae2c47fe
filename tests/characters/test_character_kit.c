// The kit that the characters are made with: surfaces from implicit shapes, curves of time, limbs that reach.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/kit_internal.h"

// A dumb-bell and a ring with a bite taken out: one piece of genus 0 and one of genus 1.
static void make_shape(kit_shape* shape, bool ring) {
    kit_brush brush = {.blend = 0.05f};
    shape->edge = 0.06f;
    if (ring) {
        kit_add(shape, &brush, kit_ring(kit_at(0, 1, 0), 0.5f, 0.15f, kit_at(30, 0, 0)));
        return;
    }
    const limber_vec3 points[] = {{-0.5f, 0, 0}, {0, 0.1f, 0}, {0.5f, 0, 0.1f}};
    const float radii[] = {0.1f, 0.06f, 0.1f};
    kit_add_limb(shape, &brush, points, radii, 3);
    kit_add(shape, &brush, kit_ball(kit_at(-0.6f, 0, 0), 0.25f));
    kit_add(shape, &brush, kit_ellipsoid(kit_at(0.6f, 0, 0.1f), kit_at(0.3f, 0.2f, 0.15f), kit_at(0, 20, 40)));
    brush.carve = true;
    kit_add(shape, &brush, kit_ball(kit_at(0.8f, 0.2f, 0.1f), 0.12f));
}

static void assert_on_surface(const kit_shape* shape, const kit_tri* mesh) {
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        assert_true(fabsf(kit_shape_distance(shape, mesh->at[v], NULL)) < 2e-4f);
    for (uint32_t h = 0; h < 3 * mesh->triangle_count; h++) {
        assert_int_equal(mesh->twin[mesh->twin[h]], h);
        assert_int_equal(mesh->corner[mesh->twin[h]], mesh->corner[kit_next(h)]);
    }
}

static int euler_characteristic(const kit_tri* mesh) {
    return (int)mesh->vertex_count - (int)(3 * mesh->triangle_count / 2) + (int)mesh->triangle_count;
}

static void check_shape(bool ring) {
    kit_shape* shape = calloc(1, sizeof *shape);
    assert_non_null(shape);
    make_shape(shape, ring);
    kit_tri mesh = {0}, finer = {0};
    assert_true(kit_extract(shape, 0.025f, &mesh));
    assert_int_equal(euler_characteristic(&mesh), ring ? 0 : 2);
    assert_true(kit_remesh(shape, 1, &mesh));
    assert_int_equal(euler_characteristic(&mesh), ring ? 0 : 2);
    assert_on_surface(shape, &mesh);
    uint32_t odd = 0;
    for (uint32_t h = 0; h < 3 * mesh.triangle_count; h++) {
        limber_vec3 way = limberi_sub(mesh.at[mesh.corner[kit_next(h)]], mesh.at[mesh.corner[h]]);
        float length = limberi_length(way);
        odd += length < 0.4f * 0.06f || length > 1.7f * 0.06f;
    }
    assert_true(odd * 50 < 3 * mesh.triangle_count); // even triangles: at most 2 % of the edges are off
    assert_true(kit_subdivide(shape, &mesh, &finer));
    assert_int_equal(finer.triangle_count, 4 * mesh.triangle_count);
    assert_int_equal(euler_characteristic(&finer), ring ? 0 : 2);
    assert_on_surface(shape, &finer);
    kit_tri_free(&mesh);
    kit_tri_free(&finer);
    free(shape);
}

static void shapes_become_even_closed_surfaces_of_the_right_genus(void** state) {
    (void)state;
    check_shape(false);
    check_shape(true);
}

static void gradients_are_the_slopes_of_distances(void** state) {
    (void)state;
    kit_shape* shape = calloc(1, sizeof *shape);
    assert_non_null(shape);
    make_shape(shape, false);
    for (int i = 0; i < 200; i++) {
        float a = 0.37f * (float)i, b = 1.13f * (float)i;
        limber_vec3 at = kit_at(0.9f * sinf(a), 0.4f * cosf(b), 0.3f * sinf(a + b)), g;
        at = kit_shape_project(shape, at, 30, 0.1f);
        float f = kit_shape_distance(shape, at, &g), h = 1e-3f;
        if (fabsf(f) > 1e-4f)
            continue;
        float slope[3];
        for (int axis = 0; axis < 3; axis++) {
            limber_vec3 d = kit_at(axis == 0 ? h : 0, axis == 1 ? h : 0, axis == 2 ? h : 0);
            slope[axis] = (kit_shape_distance(shape, limberi_add(at, d), NULL) -
                           kit_shape_distance(shape, limberi_sub(at, d), NULL)) /
                          (2 * h);
        }
        assert_true(limberi_length(limberi_sub(g, limberi_load3(slope))) < 0.05f);
    }
    free(shape);
}

static void curves_pass_their_keys_and_never_overshoot(void** state) {
    (void)state;
    const kit_key keys[] = {{0, 1}, {0.3, 4}, {0.5, 4.2}, {1.1, -2}, {1.4, -2}, {2, 3}};
    for (int i = 0; i < 6; i++)
        assert_true(fabs(kit_keys(keys[i].t, keys, 6) - keys[i].value) < 1e-12);
    double last = kit_keys(0, keys, 6), last_slope = 0;
    for (double t = 1e-3; t < 2; t += 1e-3) {
        double value = kit_keys(t, keys, 6), slope = (value - last) / 1e-3;
        assert_true(value <= 4.2 + 1e-12 && value >= -2 - 1e-12);
        if (t > 2e-3)
            assert_true(fabs(slope - last_slope) < 0.5); // no kink
        last = value;
        last_slope = slope;
    }
    for (double t = -3; t < 3; t += 0.1) {
        double once = KIT_LOOP(t, 2.0, {0, 0}, {0.5, 2}, {1.2, -1}),
               again = KIT_LOOP(t + 2, 2.0, {0, 0}, {0.5, 2}, {1.2, -1});
        assert_true(fabs(once - again) < 1e-9);
    }
    assert_true(kit_ring_down(0.9, 1, 3, 4) == 0 && fabs(kit_ring_down(4, 1, 3, 4)) < 1e-5);
    assert_true(kit_wind_up(0.35, 0, 1, 0.2, 0.1) < -0.19 && fabs(kit_wind_up(1, 0, 1, 0.2, 0.1) - 1) < 1e-12);
}

static void a_limb_reaches_what_is_within_reach(void** state) {
    (void)state;
    kit* k = kit_create(1);
    assert_non_null(k);
    uint32_t root = kit_joint(k, "Root", KIT_NO_PARENT, 0, 1, 0);
    uint32_t upper = kit_joint(k, "Upper", (int32_t)root, 0.2f, 1, 0);
    uint32_t lower = kit_joint(k, "Lower", (int32_t)upper, 0.2f, 0.5f, 0.05f);
    uint32_t end = kit_joint(k, "End", (int32_t)lower, 0.2f, 0.1f, 0);
    kit_pose pose = {.k = k};
    memcpy(pose.local, k->rest_local, sizeof *pose.local * k->joint_count);
    kit_turn(&pose, root, 10, 40, -15);
    limber_quat flat = kit_euler(5, 0, 0);
    limber_vec3 target = {0.3f, 0.35f, 0.25f};
    kit_reach(&pose, upper, lower, end, target, kit_at(0, 0, 1), flat);
    assert_true(limberi_length(limberi_sub(kit_pose_at(&pose, end), target)) < 1e-5f);
    limber_quat turned = kit_pose_turned(&pose, end);
    assert_true(fabsf(turned.x * flat.x + turned.y * flat.y + turned.z * flat.z + turned.w * flat.w) > 0.99999f);
    kit_reach(&pose, upper, lower, end, kit_at(0.2f, -5, 0), kit_at(0, 0, 1), flat);
    limber_vec3 stretched = limberi_sub(kit_pose_at(&pose, end), kit_pose_at(&pose, upper));
    assert_true(limberi_length(stretched) < 0.9066f && limberi_length(stretched) > 0.89f);
    kit_destroy(k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_become_even_closed_surfaces_of_the_right_genus),
        cmocka_unit_test(gradients_are_the_slopes_of_distances),
        cmocka_unit_test(curves_pass_their_keys_and_never_overshoot),
        cmocka_unit_test(a_limb_reaches_what_is_within_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
