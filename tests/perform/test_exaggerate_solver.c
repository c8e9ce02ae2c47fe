// The skeletal graph Laplacian against a dense least-squares solution that knows nothing of our solver.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "perform/exaggerate/graph.h"

enum { MAX = 128 };

typedef struct skeleton {
    const char* name;
    uint32_t count;
    int32_t parents[MAX];
    limber_vec3 p[MAX];
    bool pinned[MAX]; // what pinning the root holds
} skeleton;

static unsigned seed = 1;
static double any(void) {
    seed = seed * 1103515245u + 12345u;
    return (double)(seed >> 8 & 0xffff) / 65536.0 - 0.5;
}

static void place(skeleton* s) {
    for (uint32_t j = 0; j < s->count; j++) {
        limber_vec3 step = {(float)any(), (float)any(), (float)any()};
        limber_vec3 from = s->parents[j] < 0 ? (limber_vec3){0, 1, 0} : s->p[s->parents[j]];
        s->p[j] = (limber_vec3){from.x + step.x, from.y + step.y, from.z + step.z};
    }
}

static skeleton star(void) {
    skeleton s = {"star", 9, {-1, 0, 0, 0, 0, 0, 0, 0, 0}, {{0, 0, 0}}, {true}};
    place(&s);
    return s;
}

static skeleton chain(uint32_t count) {
    skeleton s = {"chain", count, {0}, {{0, 0, 0}}, {true}};
    for (uint32_t j = 0; j < count; j++)
        s.parents[j] = (int32_t)j - 1;
    place(&s);
    return s;
}

// 0 on the floor, 1 hips, spine 2 3 4 (head 5), arms 6 7 8 and 9 10 11 from 4, legs 12 13 14 and 15 16 17 from 1.
static skeleton human(void) {
    skeleton s = {"human", 18, {-1, 0, 1, 2, 3, 4, 4, 6, 7, 4, 9, 10, 1, 12, 13, 1, 15, 16}, {{0, 0, 0}}, {true, true}};
    place(&s);
    return s;
}

// --- the independent solver ---

// min |M x - b|^2 by the normal equations and Gaussian elimination with pivots. M is rows x n.
static void least_squares(const double* m, const double* b, uint32_t rows, uint32_t n, double* x) {
    double* a = calloc((size_t)n * (n + 1), sizeof *a);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t r = 0; r < rows; r++) {
            for (uint32_t j = 0; j < n; j++)
                a[i * (n + 1) + j] += m[r * n + i] * m[r * n + j];
            a[i * (n + 1) + n] += m[r * n + i] * b[r];
        }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k; i < n; i++)
            if (fabs(a[i * (n + 1) + k]) > fabs(a[best * (n + 1) + k]))
                best = i;
        for (uint32_t j = 0; j <= n; j++) {
            double swap = a[k * (n + 1) + j];
            a[k * (n + 1) + j] = a[best * (n + 1) + j];
            a[best * (n + 1) + j] = swap;
        }
        for (uint32_t i = 0; i < n; i++) {
            double f = i == k ? 0 : a[i * (n + 1) + k] / a[k * (n + 1) + k];
            for (uint32_t j = k; f != 0 && j <= n; j++)
                a[i * (n + 1) + j] -= f * a[k * (n + 1) + j];
        }
    }
    for (uint32_t k = 0; k < n; k++)
        x[k] = a[k * (n + 1) + n] / a[k * (n + 1) + k];
    free(a);
}

static float axis_of(limber_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// The problem as the paper writes it, in the positions themselves: rows of L and of the constraints, held joints by
// their known places. LIMBER_PIN_ROOT has no rows for them.
static void dense(const skeleton* s, uint32_t count, const uint32_t* joints, const float* weights,
                  const limber_vec3* targets, limber_pin pin, limber_vec3* out) {
    uint32_t n = s->count, rows = n + count;
    double* l = calloc((size_t)n * n, sizeof *l);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t degree = 0;
        for (uint32_t j = 0; j < n; j++)
            degree += s->parents[j] == (int32_t)i || s->parents[i] == (int32_t)j;
        l[i * n + i] = 1;
        for (uint32_t j = 0; j < n; j++)
            if (s->parents[j] == (int32_t)i || s->parents[i] == (int32_t)j)
                l[i * n + j] = -1.0 / degree;
    }
    for (int axis = 0; axis < 3; axis++) {
        uint32_t column[MAX], unknowns = 0;
        for (uint32_t j = 0; j < n; j++)
            column[j] = pin && s->pinned[j] ? UINT32_MAX : unknowns++;
        double* m = calloc((size_t)rows * unknowns, sizeof *m);
        double* b = calloc(rows, sizeof *b);
        double x[MAX];
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n && !(pin == LIMBER_PIN_ROOT && s->pinned[i]); j++) {
                b[i] += l[i * n + j] * (double)axis_of(s->p[j], axis);
                if (column[j] == UINT32_MAX)
                    b[i] -= l[i * n + j] * (double)axis_of(s->p[j], axis);
                else
                    m[i * unknowns + column[j]] = l[i * n + j];
            }
        for (uint32_t c = 0; c < count; c++) {
            if (column[joints[c]] == UINT32_MAX)
                continue;
            m[(n + c) * unknowns + column[joints[c]]] = sqrt((double)weights[c]);
            b[n + c] = sqrt((double)weights[c]) * (double)axis_of(targets[c], axis);
        }
        least_squares(m, b, rows, unknowns, x);
        for (uint32_t j = 0; j < n; j++) {
            float value = column[j] == UINT32_MAX ? axis_of(s->p[j], axis) : (float)x[column[j]];
            *(axis == 0 ? &out[j].x : axis == 1 ? &out[j].y : &out[j].z) = value;
        }
        free(m);
        free(b);
    }
    free(l);
}

static float apart(limber_vec3 a, limber_vec3 b) {
    return fabsf(a.x - b.x) + fabsf(a.y - b.y) + fabsf(a.z - b.z);
}

static limber_bone_solver* make(const skeleton* s, uint32_t count, const uint32_t* joints, const float* weights,
                                limber_pin pin) {
    limber_bone_graph graph = {s->count, s->parents, NULL};
    limber_bone_solver* solver;
    limber_error error;
    if (limber_bone_solver_create(&graph, count, joints, weights, pin, &solver, &error) != LIMBER_OK)
        fail_msg("%s: %s", s->name, error.message);
    limber_bone_solver_pose(solver, s->p);
    return solver;
}

static void compare(const skeleton* s, uint32_t count, const uint32_t* joints, const float* weights, limber_pin pin) {
    limber_vec3 targets[8], expected[MAX];
    limber_bone_solver* solver = make(s, count, joints, weights, pin);
    for (int round = 0; round < 3; round++) { // targets move on; the factor stays
        for (uint32_t c = 0; c < count; c++) {
            targets[c] = (limber_vec3){(float)(2 * any()), (float)(2 * any()), (float)(2 * any())};
            limber_bone_solver_move(solver, c, targets[c]);
        }
        dense(s, count, joints, weights, targets, pin, expected);
        const limber_vec3* found = limber_bone_solver_positions(solver);
        for (uint32_t j = 0; j < s->count; j++)
            assert_true(apart(found[j], expected[j]) < 2e-5f);
    }
    limber_bone_solver_destroy(solver);
}

static void poses_are_the_least_squares_solution(void** state) {
    (void)state;
    const skeleton all[] = {star(), chain(12), human()};
    for (int i = 0; i < 3; i++) {
        const uint32_t joints[] = {all[i].count - 1, 3, 5, 7};
        const float weights[] = {1, 0.2f, 30, 4};
        for (uint32_t count = 1; count <= 4; count++) {
            compare(&all[i], count, joints, weights, LIMBER_PIN_NONE);
            compare(&all[i], count, joints, weights, LIMBER_PIN_ROOT);
            compare(&all[i], count, joints, weights, LIMBER_PIN_PAPER);
        }
    }
}

static void no_constraint_and_no_pull_leave_the_pose_alone(void** state) {
    (void)state;
    skeleton s = human();
    const uint32_t joint = 8;
    const float weight = 1;
    for (int pin = 0; pin < 3; pin++)
        for (uint32_t count = 0; count < 2; count++) {
            limber_bone_solver* solver = make(&s, count, &joint, &weight, (limber_pin)pin);
            limber_bone_solver_move(solver, 0, s.p[joint]);
            for (uint32_t j = 0; j < s.count; j++)
                assert_true(apart(limber_bone_solver_positions(solver)[j], s.p[j]) == 0);
            limber_bone_solver_destroy(solver);
        }
}

static void the_joint_nears_its_target_as_the_weight_grows(void** state) {
    (void)state;
    skeleton s = human();
    const uint32_t joint = 8;
    limber_vec3 target = {s.p[8].x + 1, s.p[8].y, s.p[8].z};
    float before = 1;
    for (float weight = 0.01f; weight < 2e5f; weight *= 10) {
        limber_bone_solver* solver = make(&s, 1, &joint, &weight, LIMBER_PIN_ROOT);
        limber_bone_solver_move(solver, 0, target);
        float left = apart(limber_bone_solver_positions(solver)[8], target);
        assert_true(left < before);
        before = left;
        limber_bone_solver_destroy(solver);
    }
    assert_true(before < 1e-4f);
}

// From the hand to the hips each joint follows less than the one before, and the legs stay. As printed, the row of L of
// the hips keeps these in the middle of their neighbors, so the legs give way the other way.
static void the_others_follow_smoothly(void** state) {
    (void)state;
    skeleton s = human();
    const uint32_t joint = 8;
    const float weight = 10;
    for (int pin = LIMBER_PIN_ROOT; pin <= LIMBER_PIN_PAPER; pin++) {
        limber_bone_solver* solver = make(&s, 1, &joint, &weight, (limber_pin)pin);
        limber_vec3 target = {s.p[8].x, s.p[8].y + 1, s.p[8].z};
        limber_bone_solver_move(solver, 0, target);
        const limber_vec3* p = limber_bone_solver_positions(solver);
        const uint32_t path[] = {8, 7, 6, 4, 3, 2, 1};
        for (int i = 1; i < 7; i++)
            assert_true(p[path[i]].y - s.p[path[i]].y < p[path[i - 1]].y - s.p[path[i - 1]].y);
        assert_true(apart(p[1], s.p[1]) == 0 && apart(p[0], s.p[0]) == 0);
        float leg = p[14].y - s.p[14].y;
        assert_true(pin == LIMBER_PIN_ROOT ? leg == 0 : leg < -0.01f && leg > -0.5f * (p[4].y - s.p[4].y));
        limber_bone_solver_destroy(solver);
    }
}

// A foot pulled down stretches its own leg; the chest and the other leg stay.
static void a_pulled_leg_leaves_the_rest_of_the_body_alone(void** state) {
    (void)state;
    skeleton s = human();
    const float weight = 10;
    const uint32_t foot = 14;
    limber_bone_solver* solver = make(&s, 1, &foot, &weight, LIMBER_PIN_ROOT);
    limber_bone_solver_move(solver, 0, (limber_vec3){s.p[foot].x, s.p[foot].y - 1, s.p[foot].z});
    const limber_vec3* p = limber_bone_solver_positions(solver);
    for (uint32_t j = 0; j < s.count; j++)
        if (j < 12 || j > 14)
            assert_true(apart(p[j], s.p[j]) == 0);
    assert_true(s.p[foot].y - p[foot].y > 0.5f);
    limber_bone_solver_destroy(solver);
}

// --- bones that keep their length ---

// The greatest change of a bone's length, as a part of it.
static double worst_bone(const skeleton* s, const limber_vec3* moved) {
    double worst = 0;
    for (uint32_t j = 0; j < s->count; j++) {
        if (s->parents[j] < 0)
            continue;
        uint32_t parent = (uint32_t)s->parents[j];
        limber_vec3 was = limberi_sub(s->p[j], s->p[parent]);
        limber_vec3 now = limberi_add(was, limberi_sub(moved[j], moved[parent]));
        worst = fmax(worst, fabs((double)limberi_length(now) / (double)limberi_length(was) - 1));
    }
    return worst;
}

static void displace(const skeleton* s, uint32_t joint, float weight, double kinematic, limber_vec3 pull,
                     limber_vec3* moved) {
    limber_bone_graph graph = {s->count, s->parents, NULL};
    limber_bone_solver* solver;
    assert_int_equal(limberi_bone_solver_create(&graph, 1, &joint, &weight, LIMBER_PIN_ROOT, kinematic, &solver, NULL),
                     LIMBER_OK);
    limberi_bone_solver_displace(solver, s->p, &pull, moved);
    limber_bone_solver_destroy(solver);
}

static skeleton straight_arm(void) {
    skeleton s = chain(5);
    for (uint32_t j = 0; j < s.count; j++)
        s.p[j] = (limber_vec3){0.3f * (float)j, 0, 0};
    return s;
}

// Pulled across, an arm swings round instead of getting longer; pulled along, it has to get longer, evenly.
static void kinematic_bones_turn_before_they_stretch(void** state) {
    (void)state;
    skeleton s = straight_arm();
    limber_vec3 free[MAX], kept[MAX];
    displace(&s, 4, 1, 0, (limber_vec3){0, 0.9f, 0}, free);
    displace(&s, 4, 1, 1, (limber_vec3){0, 0.9f, 0}, kept);
    assert_true(worst_bone(&s, free) > 0.1);
    assert_true(worst_bone(&s, kept) < 0.25 * worst_bone(&s, free));
    assert_true(kept[4].y > 0.6f && worst_bone(&s, kept) < 0.025);
    displace(&s, 4, 1000, 1, (limber_vec3){0.6f, 0, 0}, kept);
    assert_true(kept[4].x > 0.55f);
    for (uint32_t j = 1; j < s.count; j++)
        assert_true(fabsf(kept[j].x - 0.15f * (float)j) < 0.02f);
    for (double k = 0.25; k <= 1; k += 0.25) { // more is never worse
        displace(&s, 4, 1, k, (limber_vec3){0, 0.9f, 0}, kept);
        assert_true(worst_bone(&s, kept) < worst_bone(&s, free));
        memcpy(free, kept, sizeof free);
    }
}

// At rest nothing moves, and what is far from a pull hardly does.
static void kinematic_bones_rest_without_a_pull(void** state) {
    (void)state;
    skeleton s = human();
    limber_vec3 moved[MAX];
    displace(&s, 8, 1, 0.7, (limber_vec3){0, 0, 0}, moved);
    for (uint32_t j = 0; j < s.count; j++)
        assert_true(limberi_length(moved[j]) == 0);
    displace(&s, 8, 1, 0.7, (limber_vec3){0, 0.3f, 0}, moved);
    for (uint32_t j = 12; j < s.count; j++)
        assert_true(limberi_length(moved[j]) < 1e-6f);
}

static void a_free_root_lets_one_target_carry_everything(void** state) {
    (void)state;
    skeleton s = human();
    const uint32_t joint = 14;
    const float weight = 1;
    limber_bone_solver* solver = make(&s, 1, &joint, &weight, LIMBER_PIN_NONE);
    limber_bone_solver_move(solver, 0, (limber_vec3){s.p[14].x + 2, s.p[14].y - 1, s.p[14].z});
    for (uint32_t j = 0; j < s.count; j++) {
        limber_vec3 expected = {s.p[j].x + 2, s.p[j].y - 1, s.p[j].z};
        assert_true(apart(limber_bone_solver_positions(solver)[j], expected) < 1e-5f);
    }
    limber_bone_solver_destroy(solver);
}

static void parts_that_nothing_holds_stay(void** state) {
    (void)state;
    // Two separate chains; only the first is pulled, and nothing is pinned.
    skeleton s = {"two", 6, {-1, 0, 1, -1, 3, 4}, {{0, 0, 0}}, {false}};
    place(&s);
    const uint32_t joint = 2;
    const float weight = 1;
    limber_bone_solver* solver = make(&s, 1, &joint, &weight, LIMBER_PIN_NONE);
    limber_bone_solver_move(solver, 0, (limber_vec3){5, 5, 5});
    for (uint32_t j = 3; j < 6; j++)
        assert_true(apart(limber_bone_solver_positions(solver)[j], s.p[j]) == 0);
    assert_true(apart(limber_bone_solver_positions(solver)[0], s.p[0]) > 0.1f);
    limber_bone_solver_destroy(solver);
}

static void nodes_outside_the_skeleton_do_not_count(void** state) {
    (void)state;
    skeleton s = human(), bare = human();
    bool members[18];
    for (int j = 0; j < 18; j++)
        members[j] = j > 0; // the floor node is none
    for (uint32_t j = 1; j < 18; j++) {
        bare.parents[j - 1] = s.parents[j] - 1;
        bare.p[j - 1] = s.p[j];
    }
    bare.count = 17;
    const uint32_t joint = 8, bare_joint = 7;
    const float weight = 2;
    limber_bone_graph graph = {18, s.parents, members};
    limber_bone_solver *solver, *other = make(&bare, 1, &bare_joint, &weight, false);
    assert_int_equal(limber_bone_solver_create(&graph, 1, &joint, &weight, false, &solver, NULL), LIMBER_OK);
    limber_vec3 target = {1, 2, 3};
    limber_bone_solver_pose(solver, s.p);
    limber_bone_solver_pose(other, bare.p);
    limber_bone_solver_move(solver, 0, target);
    limber_bone_solver_move(other, 0, target);
    assert_true(apart(limber_bone_solver_positions(solver)[0], s.p[0]) == 0);
    for (uint32_t j = 1; j < 18; j++)
        assert_true(apart(limber_bone_solver_positions(solver)[j], limber_bone_solver_positions(other)[j - 1]) < 1e-5f);
    limber_bone_solver_destroy(solver);
    limber_bone_solver_destroy(other);
}

static void a_long_drag_ends_where_a_short_one_does(void** state) {
    (void)state;
    skeleton s = chain(100);
    const uint32_t joint = 99;
    const float weight = 3;
    limber_bone_solver *solver = make(&s, 1, &joint, &weight, LIMBER_PIN_ROOT),
                       *fresh = make(&s, 1, &joint, &weight, LIMBER_PIN_ROOT);
    limber_vec3 target = s.p[99];
    for (int i = 0; i < 100000; i++) {
        target = (limber_vec3){(float)any() * 10, (float)any() * 10, (float)any() * 10};
        limber_bone_solver_move(solver, 0, target);
    }
    limber_bone_solver_move(fresh, 0, target);
    for (uint32_t j = 0; j < s.count; j++)
        assert_true(apart(limber_bone_solver_positions(solver)[j], limber_bone_solver_positions(fresh)[j]) < 1e-5f);
    limber_bone_solver_destroy(solver);
    limber_bone_solver_destroy(fresh);
}

static void wrong_problems_are_refused(void** state) {
    (void)state;
    const int32_t parents[] = {-1, 0, 2};
    const int32_t fine[] = {-1, 0, 1};
    limber_bone_graph broken = {3, parents, NULL}, graph = {3, fine, NULL};
    limber_bone_solver* solver;
    limber_error error;
    uint32_t joint = 1;
    float weight = 1, negative = -1, nothing = NAN;
    assert_int_equal(limber_bone_solver_create(&broken, 1, &joint, &weight, true, &solver, &error),
                     LIMBER_ERROR_ARGUMENT);
    assert_null(solver);
    assert_int_equal(limber_bone_solver_create(&graph, 1, &joint, &negative, true, &solver, &error),
                     LIMBER_ERROR_ARGUMENT);
    assert_int_equal(limber_bone_solver_create(&graph, 1, &joint, &nothing, true, &solver, &error),
                     LIMBER_ERROR_ARGUMENT);
    joint = 3;
    assert_int_equal(limber_bone_solver_create(&graph, 1, &joint, &weight, true, &solver, &error),
                     LIMBER_ERROR_ARGUMENT);
    limber_bone_graph none = {0, NULL, NULL};
    assert_int_equal(limber_bone_solver_create(&none, 0, NULL, NULL, true, &solver, &error), LIMBER_OK);
    limber_bone_solver_destroy(solver);
    limber_bone_solver_destroy(NULL);
}

// A chain of the largest rig is quick, because only what lies near the diagonal is kept; a star that large is refused.
static void very_large_skeletons_are_solved_or_refused(void** state) {
    (void)state;
    uint32_t count = 60000, joint = count - 1;
    int32_t* parents = malloc(count * sizeof *parents);
    float weight = 1;
    limber_bone_solver* solver;
    limber_error error;
    for (uint32_t j = 0; j < count; j++)
        parents[j] = (int32_t)j - 1;
    limber_bone_graph graph = {count, parents, NULL};
    assert_int_equal(limber_bone_solver_create(&graph, 1, &joint, &weight, true, &solver, &error), LIMBER_OK);
    limber_bone_solver_destroy(solver);
    for (uint32_t j = 1; j < count; j++)
        parents[j] = 0;
    assert_int_equal(limber_bone_solver_create(&graph, 1, &joint, &weight, true, &solver, &error), LIMBER_ERROR_LIMIT);
    free(parents);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_are_the_least_squares_solution),
        cmocka_unit_test(no_constraint_and_no_pull_leave_the_pose_alone),
        cmocka_unit_test(the_joint_nears_its_target_as_the_weight_grows),
        cmocka_unit_test(the_others_follow_smoothly),
        cmocka_unit_test(a_pulled_leg_leaves_the_rest_of_the_body_alone),
        cmocka_unit_test(kinematic_bones_turn_before_they_stretch),
        cmocka_unit_test(kinematic_bones_rest_without_a_pull),
        cmocka_unit_test(a_free_root_lets_one_target_carry_everything),
        cmocka_unit_test(parts_that_nothing_holds_stay),
        cmocka_unit_test(nodes_outside_the_skeleton_do_not_count),
        cmocka_unit_test(a_long_drag_ends_where_a_short_one_does),
        cmocka_unit_test(wrong_problems_are_refused),
        cmocka_unit_test(very_large_skeletons_are_solved_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
