// Every effect against its closed form, on the cylinder and the ball.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "deform/effects/formulas.h"
#include "kit/scene.h"
#include "kit/surfaces.h"

static limber_effect_settings* effect(test_scene* scene, limber_effect e) {
    return &scene->settings.deform.effects[e];
}

static bool close_to(limber_vec3 a, limber_vec3 b, float tolerance) {
    return limberi_length(limberi_sub(a, b)) <= tolerance;
}

static void floppy_linear_is_minus_k_v(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "ball");
    effect(&s, LIMBER_EFFECT_FLOPPY)->linear.value = 0.05f;
    s.motion.velocity[0] = limberi_vec3(3, -1, 2);
    test_scene_run(&s);
    for (uint32_t u = 0; u < s.model->vertex_count; u++)
        assert_true(close_to(test_scene_displacement(&s, u), limberi_vec3(-0.15f, 0.05f, -0.1f), 1e-6f));
    test_scene_close(&s);
}

// A spin of the root about z: every vertex keeps its distance from the axis and lags by k w |r| / L.
static void floppy_angular_turns_back_by_the_distance_and_keeps_the_radius(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    effect(&s, LIMBER_EFFECT_FLOPPY)->angular.value = 0.3f;
    s.motion.angular_velocity[0] = limberi_vec3(0, 0, 2.5f);
    test_scene_run(&s);
    float widest = 0;
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        limber_vec3 r = test_scene_position(&s, u), d = test_scene_displacement(&s, u); // the root stands at the origin
        float radius = sqrtf(r.x * r.x + r.y * r.y), angle = -0.3f * 2.5f * radius / s.model->size;
        limber_vec3 turned =
            limberi_vec3(r.x * cosf(angle) - r.y * sinf(angle), r.x * sinf(angle) + r.y * cosf(angle), r.z);
        assert_true(close_to(limberi_add(r, d), turned, 2e-6f));
        limber_vec3 p = limberi_add(r, d);
        assert_true(fabsf(sqrtf(p.x * p.x + p.y * p.y) - radius) < 2e-6f && fabsf(d.z) < 1e-7f);
        widest = fmaxf(widest, -angle);
    }
    assert_true(widest > 0.5f); // it did bend
    test_scene_close(&s);
}

static void floppy_zero_on_the_axis_and_for_joints_at_rest(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    effect(&s, LIMBER_EFFECT_FLOPPY)->angular.value = 0.3f;
    s.motion.angular_velocity[4] = limberi_vec3(0, 0, 2); // the top joint only
    test_scene_run(&s);
    uint32_t moved = 0;
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        float y = test_scene_position(&s, u).y;
        bool zero = limberi_length(test_scene_displacement(&s, u)) == 0;
        if (y < 1.39f) // below the hand-over nothing hangs on it
            assert_true(zero);
        moved += !zero;
    }
    assert_true(moved > 100);
    test_scene_close(&s);
}

static void squash_linear_stretches_along_and_keeps_the_volume(void** state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        test_scene s;
        test_scene_open(&s, "ball");
        effect(&s, LIMBER_EFFECT_SQUASH)->linear.value = 0.2f * (float)sign;
        s.motion.velocity[1] = limberi_vec3(0, 2, 0);
        test_scene_run(&s);
        float stretch = 1 + 0.2f * (float)sign * 2 / s.model->size;
        limber_vec3 c = limberi_mat4_point(&s.frame.pose->world_from_joint[1], s.model->rig.centroid[1]);
        double worst = 0;
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 arm = limberi_sub(test_scene_position(&s, u), c), d = test_scene_displacement(&s, u);
            limber_vec3 want =
                limberi_vec3(arm.x * (1 / sqrtf(stretch) - 1), arm.y * (stretch - 1), arm.z * (1 / sqrtf(stretch) - 1));
            assert_true(close_to(d, want, 2e-6f));
            // The factors of the three axes, measured on this vertex, multiply to 1.
            if (fabsf(arm.x) > 0.1f && fabsf(arm.y) > 0.1f && fabsf(arm.z) > 0.1f) {
                double volume = (1 + (double)d.x / (double)arm.x) * (1 + (double)d.y / (double)arm.y) *
                                (1 + (double)d.z / (double)arm.z);
                worst = fmax(worst, fabs(volume - 1));
            }
        }
        assert_true(worst < 1e-5);
        test_scene_close(&s);
    }
}

// Spin of the cylinder about z: the medial axis is y, so x is squashed, z stretched, by factors whose product is 1.
static void squash_angular_widens_across_and_keeps_the_volume(void** state) {
    (void)state;
    for (int about = 0; about < 2; about++) {
        test_scene s;
        test_scene_open(&s, "cylinder");
        effect(&s, LIMBER_EFFECT_SQUASH)->angular.value = 0.2f;
        effect(&s, LIMBER_EFFECT_SQUASH)->about = (limber_about)about;
        s.motion.angular_velocity[0] = limberi_vec3(0, 0, 3);
        test_scene_run(&s);
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 p = test_scene_position(&s, u), d = test_scene_displacement(&s, u);
            float speed = 3 * sqrtf(p.x * p.x + p.y * p.y), stretch = 1 + 0.2f * speed / s.model->size;
            // e = y x z = x direction grows by s, z direction shrinks to 1 / (1 + s)
            assert_true(close_to(d, limberi_vec3(p.x * (stretch - 1), 0, p.z * (1 / stretch - 1)), 2e-6f));
            if (fabsf(p.x) > 0.05f && fabsf(p.z) > 0.05f)
                assert_true(fabsf((1 + d.x / p.x) * (1 + d.z / p.z) - 1) < 1e-5f);
        }
        test_scene_close(&s);
    }
}

static void squash_of_the_paper_fades_where_the_axes_are_parallel(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    effect(&s, LIMBER_EFFECT_SQUASH)->angular.value = 0.2f;
    effect(&s, LIMBER_EFFECT_SQUASH)->fade.value = 0;
    float before = 0, biggest_step = 0;
    for (int i = 0; i <= 80; i++) {
        float tilt = 0.001f * (float)i;
        s.motion.angular_velocity[0] = limberi_vec3(0, 3 * cosf(tilt), 3 * sinf(tilt));
        test_scene_run(&s);
        float most = 0;
        for (uint32_t u = 0; u < s.model->vertex_count; u++)
            most = fmaxf(most, limberi_length(test_scene_displacement(&s, u)));
        if (i <= 9)
            assert_true(most == 0);
        biggest_step = fmaxf(biggest_step, fabsf(most - before));
        before = most;
    }
    assert_true(before > 1e-2f && biggest_step < 0.06f * before);
    test_scene_close(&s);
}

// The axis of rotation sweeps past the medial axis, 1.7 degrees beside it. Returns the largest step of any vertex
// between two frames while the axes are within 5 degrees, in parts of the largest displacement.
static float sweep_over_the_medial_axis(float fade) {
    enum { STEPS = 20, MOST = 4096 };
    static limber_vec3 before[MOST];
    test_scene s;
    float step = 0, most = 0;
    test_scene_open(&s, "cylinder");
    assert_true(s.model->vertex_count <= MOST);
    effect(&s, LIMBER_EFFECT_SQUASH)->angular.value = 0.2f;
    effect(&s, LIMBER_EFFECT_SQUASH)->fade.value = fade;
    for (int i = -STEPS; i <= STEPS; i++) {
        float tilt = 0.02f * (float)i;
        s.motion.angular_velocity[0] = limberi_scale(limberi_vec3(0.03f, cosf(tilt), sinf(tilt)), 3);
        test_scene_run(&s);
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 d = test_scene_displacement(&s, u);
            if (abs(i) < 5)
                step = fmaxf(step, limberi_length(limberi_sub(d, before[u])));
            most = fmaxf(most, limberi_length(d));
            before[u] = d;
        }
    }
    test_scene_close(&s);
    return step / most;
}

static void squash_angular_does_not_jump_where_the_axes_pass_each_other(void** state) {
    (void)state;
    float smooth = sweep_over_the_medial_axis(1), half = sweep_over_the_medial_axis(0.5f);
    float paper = sweep_over_the_medial_axis(0);
    print_message("largest step: fade 1 %.3f, 0.5 %.3f, 0 %.3f\n", (double)smooth, (double)half, (double)paper);
    assert_true(smooth < 0.06f && paper > 0.2f && half > smooth && half < paper);
}

// The angular s of the paper times the square of the sine between the two axes.
static void squash_angular_goes_with_the_square_of_the_sine(void** state) {
    (void)state;
    for (int i = 1; i < 8; i++) {
        test_scene s;
        float tilt = 0.2f * (float)i, fade = i % 2 ? 1 : 0.25f;
        test_scene_open(&s, "cylinder");
        effect(&s, LIMBER_EFFECT_SQUASH)->angular.value = 0.2f;
        effect(&s, LIMBER_EFFECT_SQUASH)->fade.value = fade;
        s.motion.angular_velocity[0] = limberi_vec3(0, 3 * cosf(tilt), 3 * sinf(tilt));
        test_scene_run(&s);
        float share = 1 + fade * (sinf(tilt) * sinf(tilt) - 1);
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 p = test_scene_position(&s, u), d = test_scene_displacement(&s, u);
            float speed = limberi_length(limberi_cross(s.motion.angular_velocity[0], p));
            float stretch = 1 + share * 0.2f * speed / s.model->size;
            assert_true(close_to(d, limberi_vec3(p.x * (stretch - 1), 0, p.z * (1 / stretch - 1)), 3e-6f));
        }
        test_scene_close(&s);
    }
}

static void squash_never_exceeds_its_max(void** state) {
    (void)state;
    static const float gains[] = {1e-3f, 0.3f, 3, 1e6f, -1e-3f, -0.3f, -1e6f};
    for (size_t g = 0; g < sizeof gains / sizeof *gains; g++) {
        test_scene s;
        test_scene_open(&s, "cylinder");
        effect(&s, LIMBER_EFFECT_SQUASH)->angular.value = gains[g];
        effect(&s, LIMBER_EFFECT_SQUASH)->max_squash.value = 0.4f;
        s.motion.angular_velocity[0] = limberi_vec3(0, 0, 3);
        test_scene_run(&s);
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 p = test_scene_position(&s, u), d = test_scene_displacement(&s, u);
            double plain = 3.0 * (double)gains[g] * sqrt((double)p.x * (double)p.x + (double)p.y * (double)p.y) /
                           (double)s.model->size;
            double limited = plain / sqrt(1 + plain * plain / 0.16);
            assert_true(fabsf(d.x) <= 0.4001f * fabsf(p.x) + 1e-6f);
            assert_true(
                close_to(d, limberi_vec3(p.x * (float)limited, 0, p.z * (float)(1 / (1 + limited) - 1)), 3e-6f));
            if (fabsf(gains[g]) < 0.01f) // unchanged to first order
                assert_true(fabs(limited - plain) <= fabs(plain) * 1e-3);
        }
        test_scene_close(&s);
    }
}

static void squash_along_a_path_never_exceeds_its_max(void** state) {
    (void)state;
    for (int layered = 0; layered < 2; layered++) { // with a constant gain, and with one per vertex
        test_scene s;
        limber_expression* formula = NULL;
        test_scene_open(&s, "ball");
        assert_int_equal(limber_expression_create("2 + 0 * x", NULL, &formula, NULL), LIMBER_OK);
        effect(&s, LIMBER_EFFECT_SQUASH)->linear.value = 2;
        effect(&s, LIMBER_EFFECT_SQUASH)->linear.expression = layered ? formula : NULL;
        effect(&s, LIMBER_EFFECT_SQUASH)->max_squash.value = 0.5f;
        s.motion.velocity[1] = limberi_vec3(0, 4, 0);
        test_scene_run(&s);
        float plain = 2 * 4 / s.model->size, limited = plain / sqrtf(1 + 4 * plain * plain);
        assert_true(limited < 0.5f);
        limber_vec3 c = limberi_mat4_point(&s.frame.pose->world_from_joint[1], s.model->rig.centroid[1]);
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            float arm = test_scene_position(&s, u).y - c.y;
            assert_true(fabsf(test_scene_displacement(&s, u).y - limited * arm) < 3e-6f);
        }
        test_scene_close(&s);
        limber_expression_destroy(formula);
    }
}

static void one_plus_s_never_goes_below_a_tenth(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "ball");
    effect(&s, LIMBER_EFFECT_SQUASH)->linear.value = -1e6f;
    s.motion.velocity[1] = limberi_vec3(0, 4, 0);
    test_scene_run(&s);
    limber_vec3 c = limberi_mat4_point(&s.frame.pose->world_from_joint[1], s.model->rig.centroid[1]);
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        float arm = test_scene_position(&s, u).y - c.y;
        assert_true(fabsf(arm + test_scene_displacement(&s, u).y - 0.1f * arm) < 1e-5f);
    }
    test_scene_close(&s);
}

static void run_acceleration(test_scene* s, limber_effect e, limber_vec3 v, limber_vec3 a, float turn_s) {
    limber_stage_settings_default(&s->settings);
    effect(s, e)->linear.value = 0.02f;
    effect(s, e)->angular.value = 0.06f;
    effect(s, e)->turn.value = turn_s;
    s->motion.velocity[0] = s->motion.angular_velocity[0] = v;
    s->motion.acceleration[0] = s->motion.angular_acceleration[0] = a;
    test_scene_run(s);
}

static void drag_and_followthrough_add_up_to_the_plain_acceleration_deformer(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    uint32_t count = s.model->vertex_count;
    limber_vec3* sum = calloc(count, sizeof *sum);
    const limber_vec3 a = limberi_vec3(1, -4, 7);
    const limber_vec3 velocities[] = {{0.3f, 0.2f, 0.1f}, {-0.1f, 0.1f, -0.03f}, {-1, 2, -3}, {0, 0, -0.05f}};
    for (int i = 0; i < 4; i++) {
        memset(sum, 0, count * sizeof *sum);
        run_acceleration(&s, LIMBER_EFFECT_DRAG, velocities[i], a, 0.06f);
        for (uint32_t u = 0; u < count; u++)
            sum[u] = test_scene_displacement(&s, u);
        run_acceleration(&s, LIMBER_EFFECT_FOLLOWTHROUGH, velocities[i], a, 0.06f);
        for (uint32_t u = 0; u < count; u++)
            sum[u] = limberi_add(sum[u], test_scene_displacement(&s, u));
        run_acceleration(&s, LIMBER_EFFECT_DRAG, a, a, 0.06f); // far from any turning point: all of it is drag
        for (uint32_t u = 0; u < count; u++)
            assert_true(close_to(sum[u], test_scene_displacement(&s, u), 1e-6f));
    }
    free(sum);
    test_scene_close(&s);
}

static void drag_acts_while_speeding_up_and_followthrough_while_slowing_down(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "ball");
    const limber_vec3 a = limberi_vec3(0, 0, 5), along = limberi_vec3(0, 0, 2), against = limberi_vec3(0, 0, -2);
    for (int hard = 0; hard < 2; hard++) {
        float turn_s = hard ? 0 : 0.06f;
        run_acceleration(&s, LIMBER_EFFECT_DRAG, along, a, turn_s);
        assert_true(limberi_length(test_scene_displacement(&s, 5)) > 0.05f);
        run_acceleration(&s, LIMBER_EFFECT_DRAG, against, a, turn_s);
        assert_true(limberi_length(test_scene_displacement(&s, 5)) == 0);
        run_acceleration(&s, LIMBER_EFFECT_FOLLOWTHROUGH, along, a, turn_s);
        assert_true(limberi_length(test_scene_displacement(&s, 5)) == 0);
        run_acceleration(&s, LIMBER_EFFECT_FOLLOWTHROUGH, against, a, turn_s);
        assert_true(limberi_length(test_scene_displacement(&s, 5)) > 0.05f);
    }
    // 0.03 s before the turning point, half of `turn`: smoothstep(-1, 1, 0.5).
    float speed = 0.03f * 5, share = 0.75f * 0.75f * (3 - 2 * 0.75f);
    limber_stage_settings_default(&s.settings);
    effect(&s, LIMBER_EFFECT_FOLLOWTHROUGH)->linear.value = 0.02f;
    memset(s.motion.angular_velocity, 0, 2 * sizeof(limber_vec3));
    memset(s.motion.angular_acceleration, 0, 2 * sizeof(limber_vec3));
    s.motion.velocity[0] = limberi_vec3(0, 0, -speed);
    s.motion.acceleration[0] = a;
    test_scene_run(&s);
    assert_true(close_to(test_scene_displacement(&s, 9), limberi_vec3(0, 0, -0.02f * 5 * share), 1e-6f));
    test_scene_close(&s);
}

static void stretch_draws_outwards_by_both_profiles(void** state) {
    (void)state;
    for (int profile = 0; profile < 2; profile++) {
        test_scene s;
        test_scene_open(&s, "cylinder");
        effect(&s, LIMBER_EFFECT_STRETCH)->angular.value = 0.01f;
        effect(&s, LIMBER_EFFECT_STRETCH)->profile = (limber_profile)profile;
        s.motion.angular_velocity[0] = limberi_vec3(0, 4, 0);
        test_scene_run(&s);
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 p = test_scene_position(&s, u);
            float gain = 0.01f * 16;
            if (profile)
                gain *= limberi_dot(p, p) / (s.model->size * s.model->size);
            assert_true(close_to(test_scene_displacement(&s, u), limberi_vec3(gain * p.x, 0, gain * p.z), 2e-6f));
        }
        test_scene_close(&s);
    }
}

static void lift_projects_the_source_on_the_cone_and_spares_the_waist(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    limber_effect_settings* lift = effect(&s, LIMBER_EFFECT_LIFT);
    lift->angular.value = 0.5f;
    lift->cone.joint = 0;
    lift->cone.apex = limberi_vec3(0, 3, 0);
    lift->cone.axis = limberi_vec3(0, -1, 0);
    lift->cone.half_angle_rad = 0.3f;
    lift->cone.base_radius = 0.1f;
    s.motion.angular_velocity[0] = limberi_vec3(0, 4, 0);
    test_scene_run(&s);
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        limber_vec3 p = test_scene_position(&s, u), out = limberi_normalize(limberi_vec3(p.x, 0, p.z));
        float radius = sqrtf(p.x * p.x + p.z * p.z), reach = fmaxf(0, radius - 0.1f) / s.model->size;
        limber_vec3 n = limberi_vec3(out.x * cosf(0.3f), sinf(0.3f), out.z * cosf(0.3f));
        float amount = 0.5f * reach * 16 * radius * cosf(0.3f); // source: stretch with gain 1
        assert_true(close_to(test_scene_displacement(&s, u), limberi_scale(n, amount), 5e-6f));
        if (radius < 0.1f)
            assert_true(limberi_length(test_scene_displacement(&s, u)) == 0);
    }
    test_scene_close(&s);
}

static void lift_takes_any_list_of_sources_with_their_own_gains(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    effect(&s, LIMBER_EFFECT_STRETCH)->angular.value = 0.02f;
    s.motion.angular_velocity[0] = limberi_vec3(0, 4, 0);
    test_scene_run(&s);
    uint32_t vertex = 0;
    for (uint32_t u = 0; u < s.model->vertex_count; u++) // a vertex on the side, far from lids
        if (fabsf(test_scene_position(&s, u).y - 1) < 0.03f)
            vertex = u;
    limber_vec3 plain = test_scene_displacement(&s, vertex);
    limber_effect_settings* lift = effect(&s, LIMBER_EFFECT_LIFT);
    lift->angular.value = 1;
    lift->normals = LIMBER_LIFT_MESH;
    lift->sources = (1u << LIMBER_EFFECT_STRETCH) | (1u << LIMBER_EFFECT_FLOPPY);
    effect(&s, LIMBER_EFFECT_FLOPPY)->linear.value = 1e-9f; // on, and as good as nothing
    test_scene_run(&s);
    float reach = 0.25f / s.model->size; // on the mantle the normal is the radius: source . n = 0.02 * 16 * r
    limber_vec3 d = limberi_sub(test_scene_displacement(&s, vertex), plain);
    assert_true(fabsf(limberi_length(d) - reach * 0.02f * 16 * 0.25f) < 2e-5f);
    test_scene_close(&s);
}

// Equation 14: of the sources only k X (psi . n) n is left; what is not a source stays whole.
static void lift_may_replace_its_sources(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    limber_effect_settings* lift = effect(&s, LIMBER_EFFECT_LIFT);
    lift->angular.value = 0.5f;
    lift->mode = LIMBER_LIFT_REPLACE;
    lift->cone = (limber_cone){0, {0, 3, 0}, {0, -1, 0}, 0.3f, 0.1f};
    effect(&s, LIMBER_EFFECT_STRETCH)->angular.value = 0.2f;
    effect(&s, LIMBER_EFFECT_FLOPPY)->linear.value = 0.01f;
    s.motion.angular_velocity[0] = limberi_vec3(0, 4, 0);
    s.motion.velocity[0] = limberi_vec3(1, 2, 3);
    for (int strength = 1; strength <= 2; strength++) {
        s.settings.deform.strength.value = 1.0f / (float)strength;
        test_scene_run(&s);
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 p = test_scene_position(&s, u), out = limberi_normalize(limberi_vec3(p.x, 0, p.z));
            float radius = sqrtf(p.x * p.x + p.z * p.z), reach = fmaxf(0, radius - 0.1f) / s.model->size;
            limber_vec3 n = limberi_vec3(out.x * cosf(0.3f), sinf(0.3f), out.z * cosf(0.3f));
            float amount = 0.5f * reach * 0.2f * 16 * radius * cosf(0.3f);
            limber_vec3 want = limberi_add(limberi_scale(n, amount), limberi_vec3(-0.01f, -0.02f, -0.03f));
            assert_true(close_to(test_scene_displacement(&s, u), limberi_scale(want, 1.0f / (float)strength), 5e-6f));
        }
    }
    test_scene_close(&s);
}

// Each face with its own four vertices, so that every corner of the cube has three normals.
static limber_asset* hard_cube(void) {
    test_surface* s = test_surface_create();
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            float c[3] = {-1, -1, -1}, right[3] = {0, 0, 0}, up[3] = {0, 0, 0};
            c[axis] = (float)side;
            right[(axis + (side > 0 ? 1 : 2)) % 3] = up[(axis + (side > 0 ? 2 : 1)) % 3] = 2;
            test_surface_grid(s, limberi_load3(c), limberi_load3(right), limberi_load3(up), 1, 1);
        }
    s->joint_count = 1;
    limber_asset* asset = test_surface_asset(s);
    free(s);
    return asset;
}

static void open_cube(test_scene* s) {
    memset(s, 0, sizeof *s);
    s->asset = hard_cube();
    s->model = limber_asset_model(s->asset);
    limber_stage_settings_default(&s->settings);
    assert_int_equal(limber_kinematics_create(s->model, &s->motion), LIMBER_OK);
    effect(s, LIMBER_EFFECT_LIFT)->angular.value = 0.5f;
    effect(s, LIMBER_EFFECT_LIFT)->normals = LIMBER_LIFT_MESH;
    s->motion.angular_velocity[0] = limberi_vec3(0, 4, 0);
}

// The three normals of a corner add up to the diagonal, whichever skinning and kernels run.
static void lift_does_not_tear_hard_edges(void** state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        test_scene s;
        open_cube(&s);
        s.settings.skinning = way & 1 ? LIMBER_SKINNING_DUALQUAT : LIMBER_SKINNING_LINEAR;
        if (way & 2) // the scalar function: stretch is not the only source
            effect(&s, LIMBER_EFFECT_LIFT)->sources = 1u << LIMBER_EFFECT_STRETCH | 1u << LIMBER_EFFECT_SQUASH;
        test_scene_run(&s);
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 p = test_scene_position(&s, u), n = limberi_normalize(p);
            float reach = sqrtf(2) / s.model->size, source = 16 * limberi_dot(limberi_vec3(p.x, 0, p.z), n);
            limber_vec3 want = limberi_scale(n, 0.5f * reach * source), got = test_scene_displacement(&s, u);
            if (way & 2) // squash has its own gain of 0 there
                assert_true(close_to(limberi_scale(n, limberi_dot(got, n)), got, 1e-5f));
            else
                assert_true(close_to(got, want, 1e-5f));
        }
        test_scene_close(&s);
    }
}

static void lift_of_a_sheet_with_two_sides_keeps_them_together(void** state) {
    (void)state;
    test_scene s;
    memset(&s, 0, sizeof s);
    test_surface* sheet = test_surface_create();
    test_surface_grid(sheet, limberi_vec3(1, -1, -1), limberi_vec3(0, 0, 2), limberi_vec3(0, 2, 0), 2, 2);
    test_surface_grid(sheet, limberi_vec3(1, -1, -1), limberi_vec3(0, 2, 0), limberi_vec3(0, 0, 2), 2, 2);
    sheet->joint_count = 1;
    s.asset = test_surface_asset(sheet);
    free(sheet);
    s.model = limber_asset_model(s.asset);
    limber_stage_settings_default(&s.settings);
    assert_int_equal(limber_kinematics_create(s.model, &s.motion), LIMBER_OK);
    effect(&s, LIMBER_EFFECT_LIFT)->angular.value = 0.5f;
    effect(&s, LIMBER_EFFECT_LIFT)->normals = LIMBER_LIFT_MESH;
    s.motion.angular_velocity[0] = limberi_vec3(0, 4, 0);
    test_scene_run(&s);
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        limber_vec3 p = test_scene_position(&s, u);
        float reach = sqrtf(p.x * p.x + p.z * p.z) / s.model->size;
        assert_true(close_to(test_scene_displacement(&s, u), limberi_vec3(0.5f * reach * 16, 0, 0), 1e-5f));
    }
    test_scene_close(&s);
}

static void bend_limit_is_untouched_below_the_knee_smooth_and_never_exceeded(void** state) {
    (void)state;
    uint32_t seed = 9;
    for (int i = 0; i < 200000; i++) {
        seed = seed * 1664525u + 1013904223u;
        float angle = ((float)(seed >> 8) / 8388608.0f - 1) * powf(10, (float)(i % 12) - 4);
        seed = seed * 1664525u + 1013904223u;
        float limit = (float)(seed >> 8) / 16777216.0f * 3.2f + 1e-4f;
        float limited = limberi_limit_angle(angle, limit);
        assert_true(fabsf(limited) <= limit && limited * angle >= 0);
        if (fabsf(angle) <= 0.75f * limit)
            assert_true(limited == angle);
        else
            assert_true(fabsf(limited) <= fabsf(angle));
    }
    float knee = 0.75f, h = 1e-3f; // slope 1 on both sides of the knee
    assert_true(fabsf((limberi_limit_angle(knee + h, 1) - limberi_limit_angle(knee, 1)) / h - 1) < 0.01f);
    assert_true(limberi_limit_angle(5, 0) == 5);
}

static void bend_limit_holds_on_the_character(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    for (int i = 0; i < 6; i++) {
        effect(&s, LIMBER_EFFECT_FLOPPY)->angular.value = powf(10, (float)i - 1);
        effect(&s, LIMBER_EFFECT_FLOPPY)->max_bend_deg.value = 40;
        s.motion.angular_velocity[0] = limberi_vec3(0, 0, 3);
        test_scene_run(&s);
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 a = test_scene_position(&s, u), b = limberi_add(a, test_scene_displacement(&s, u));
            double turn = fabs(atan2((double)(a.x * b.y - a.y * b.x), (double)(a.x * b.x + a.y * b.y)));
            assert_true(turn <= 40.001 * LIMBERI_PI / 180);
        }
    }
    test_scene_close(&s);
}

static void twist_and_bend_split_the_gain(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    limber_vec3 plain[3], split;
    const limber_vec3 spins[3] = {{0, 2, 0}, {0, 0, 2}, {0, 1.4f, 1.4f}}; // twist, bend, both
    for (int i = 0; i < 3; i++) {
        effect(&s, LIMBER_EFFECT_FLOPPY)->angular.value = 0.1f;
        effect(&s, LIMBER_EFFECT_FLOPPY)->twist.value = effect(&s, LIMBER_EFFECT_FLOPPY)->bend.value = 1;
        s.motion.angular_velocity[0] = spins[i];
        test_scene_run(&s);
        plain[i] = test_scene_displacement(&s, 700);
        assert_true(limberi_length(plain[i]) > 1e-3f);
        effect(&s, LIMBER_EFFECT_FLOPPY)->twist.value = 0;
        test_scene_run(&s);
        split = test_scene_displacement(&s, 700);
        if (i == 0)
            assert_true(limberi_length(split) < 1e-5f);
        if (i == 1)
            assert_true(close_to(split, plain[i], 1e-6f));
        if (i == 2) // half of the axis is twist: m = cos 45
            assert_true(fabsf(limberi_length(split) / limberi_length(plain[i]) - (1 - sqrtf(0.5f))) < 0.01f);
    }
    test_scene_close(&s);
}

static void joint_gains_change_only_that_joint(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    uint32_t count = s.model->vertex_count;
    limber_joint_gain gains[5] = {{1, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 1}};
    float* all = malloc(3 * count * sizeof *all);
    effect(&s, LIMBER_EFFECT_FLOPPY)->angular.value = 0.1f;
    for (int j = 0; j < 5; j++)
        s.motion.angular_velocity[j] = limberi_vec3(0, 0, 1);
    test_scene_run(&s);
    memcpy(all, s.frame.positions, 3 * count * sizeof *all);
    s.settings.deform.joint_gains[LIMBER_EFFECT_FLOPPY] = gains;
    test_scene_run(&s);
    float* without = malloc(3 * count * sizeof *all);
    memcpy(without, s.frame.positions, 3 * count * sizeof *all);
    s.settings.deform.joint_gains[LIMBER_EFFECT_FLOPPY] = NULL;
    for (int j = 0; j < 5; j++)
        s.motion.angular_velocity[j] = limberi_vec3(0, 0, j == 2 ? 1.0f : 0.0f);
    test_scene_run(&s);
    for (uint32_t i = 0; i < 3 * count; i++) // what was left out is exactly what joint 2 adds alone
        assert_true(fabsf((all[i] - without[i]) - (s.frame.positions[i] - s.frame.skinned[i])) < 2e-6f);
    free(all);
    free(without);
    test_scene_close(&s);
}

static void layers_scale_the_displacement(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder"); // its floppy layer is the height
    effect(&s, LIMBER_EFFECT_FLOPPY)->linear.value = 0.1f;
    effect(&s, LIMBER_EFFECT_FLOPPY)->layer = "floppy";
    s.motion.velocity[0] = limberi_vec3(1, 0, 0);
    test_scene_run(&s);
    for (uint32_t u = 0; u < s.model->vertex_count; u++)
        assert_true(fabsf(test_scene_displacement(&s, u).x + 0.1f * test_scene_position(&s, u).y / 2) < 1e-6f);
    effect(&s, LIMBER_EFFECT_FLOPPY)->layer = "no such layer"; // counts as 1
    test_scene_run(&s);
    for (uint32_t u = 0; u < s.model->vertex_count; u++)
        assert_true(fabsf(test_scene_displacement(&s, u).x + 0.1f) < 1e-6f);
    test_scene_close(&s);
}

static void centroid_offset_moves_the_centre_of_the_squash(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "ball");
    limber_vec3 offsets[2] = {{0, 0, 0}, {0, -0.4f, 0}};
    effect(&s, LIMBER_EFFECT_SQUASH)->linear.value = 0.2f;
    s.settings.deform.centroid_offsets = offsets;
    s.motion.velocity[1] = limberi_vec3(0, 4, 0);
    test_scene_run(&s);
    limber_vec3 c =
        limberi_mat4_point(&s.frame.pose->world_from_joint[1], limberi_add(s.model->rig.centroid[1], offsets[1]));
    float stretch = 0.2f * 4 / s.model->size;
    for (uint32_t u = 0; u < s.model->vertex_count; u++)
        assert_true(fabsf(test_scene_displacement(&s, u).y - stretch * (test_scene_position(&s, u).y - c.y)) < 2e-6f);
    test_scene_close(&s);
}

static void the_axis_to_the_centroid_given_by_hand_changes_nothing(void** state) {
    (void)state;
    test_scene automatic, given;
    test_scene_open(&automatic, "cylinder");
    test_scene_open(&given, "cylinder");
    test_scene* scenes[2] = {&automatic, &given};
    limber_vec3 axes[16];
    assert_true(given.model->rig.joint_count <= 16);
    for (uint32_t j = 0; j < given.model->rig.joint_count; j++)
        axes[j] = given.model->rig.medial_axis[j];
    given.settings.deform.medial_axes = axes;
    for (int i = 0; i < 2; i++) {
        effect(scenes[i], LIMBER_EFFECT_SQUASH)->angular.value = 0.2f;
        scenes[i]->motion.angular_velocity[1] = limberi_vec3(1, 0.5f, 3);
        scenes[i]->motion.angular_velocity[2] = limberi_vec3(-2, 1, 0);
        test_scene_run(scenes[i]);
    }
    float most = 0;
    for (uint32_t u = 0; u < given.model->vertex_count; u++) {
        limber_vec3 a = test_scene_displacement(&automatic, u), b = test_scene_displacement(&given, u);
        assert_true(limberi_length(limberi_sub(a, b)) < 2e-6f);
        most = fmaxf(most, limberi_length(a));
    }
    assert_true(most > 0.01f);
    test_scene_close(&automatic);
    test_scene_close(&given);
}

// The formula, with an axis of any length; the centroid has no say in it.
static void squash_flattens_across_the_axis_that_is_given(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "ball");
    limber_vec3 axes[2] = {{0, 0, 0}, {3, 4, 0}}, offsets[2] = {{0, 0, 0}, {0, -0.4f, 0.2f}}, w = {0, 0, 2};
    effect(&s, LIMBER_EFFECT_SQUASH)->angular.value = 0.2f;
    effect(&s, LIMBER_EFFECT_SQUASH)->about = LIMBER_ABOUT_CENTER;
    s.settings.deform.medial_axes = axes;
    s.settings.deform.centroid_offsets = offsets;
    s.motion.angular_velocity[1] = w;
    test_scene_run(&s);
    const limber_mat4* world = &s.frame.pose->world_from_joint[1];
    limber_vec3 m = limberi_normalize(limberi_mat4_vector(world, axes[1]));
    limber_vec3 e = limberi_normalize(limberi_cross(m, w)), z = limberi_cross(e, m);
    float sine = limberi_length(limberi_cross(m, w)) / 2;
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        limber_vec3 y = limberi_sub(test_scene_position(&s, u), limberi_mat4_translation(world));
        float squash = sine * sine * 0.2f * limberi_length(limberi_cross(w, y)) / s.model->size;
        limber_vec3 d = limberi_add(limberi_scale(e, squash * limberi_dot(e, y)),
                                    limberi_scale(z, (1 / (1 + squash) - 1) * limberi_dot(z, y)));
        assert_true(limberi_length(limberi_sub(test_scene_displacement(&s, u), d)) < 2e-6f);
    }
    test_scene_close(&s);
}

static void enormous_negative_and_zero_gains_stay_finite(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    const float gains[] = {0, -0.5f, 1e6f, -1e6f, 1e30f, -1e30f};
    for (size_t g = 0; g < sizeof gains / sizeof *gains; g++) {
        for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
            effect(&s, (limber_effect)e)->linear.value = effect(&s, (limber_effect)e)->angular.value = gains[g];
            effect(&s, (limber_effect)e)->normals = LIMBER_LIFT_MESH;
        }
        for (uint32_t j = 0; j < 5; j++) {
            s.motion.velocity[j] = s.motion.angular_velocity[j] = limberi_vec3(1e3f, -2, 0.5f);
            s.motion.acceleration[j] = s.motion.angular_acceleration[j] = limberi_vec3(-1, 1e4f, 3);
        }
        for (int n = 0; n < 2; n++) {
            s.settings.deform.normals = (limber_normals)n;
            test_scene_run(&s);
            for (uint32_t i = 0; i < 3 * s.model->vertex_count; i++) {
                assert_true(isfinite(s.frame.positions[i]));
                assert_true(isfinite(s.frame.normals[i]));
                if (gains[g] == 0)
                    assert_true(s.frame.positions[i] == s.frame.skinned[i]);
            }
        }
    }
    test_scene_close(&s);
}

static void swell(const limber_effect_block* b) {
    float by = *(const float*)b->user * limberi_length(b->velocity);
    for (uint32_t i = 0; i < b->count; i++) {
        b->dx[i] += b->weight[i] * b->linear[i] * by * b->nx[i];
        b->dy[i] += b->weight[i] * b->linear[i] * by * b->ny[i];
        b->dz[i] += b->weight[i] * b->linear[i] * by * b->nz[i];
    }
}

static void an_effect_of_ones_own_runs_beside_the_others(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "ball");
    static const float amount = 0.5f;
    limber_custom_effect* own = &s.settings.deform.custom[0];
    own->name = "swell";
    own->function = swell;
    own->user = &amount;
    own->settings = limber_effect_settings_default(LIMBER_EFFECT_FLOPPY);
    own->settings.linear.value = 0.1f;
    s.settings.deform.custom_count = 1;
    s.motion.velocity[0] = limberi_vec3(2, 0, 0);
    test_scene_run(&s);
    for (uint32_t u = 0; u < s.model->vertex_count; u++)
        assert_true(fabsf(limberi_length(test_scene_displacement(&s, u)) - 0.1f) < 1e-4f);
    own->function = NULL;
    limber_pipeline* pipeline;
    assert_int_equal(limber_pipeline_create_from_settings(s.asset, &s.settings, &pipeline, NULL),
                     LIMBER_ERROR_ARGUMENT);
    test_scene_close(&s);
}

// Angle between the two kinds of normals over all vertices: mean and the 95th percentile, in degrees.
static int compare_floats(const void* a, const void* b) {
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

static void both_normals_agree_on_smooth_meshes(void** state) {
    (void)state;
    static const char* const characters[] = {"ball", "cylinder", "cow"};
    for (int c = 0; c < 3; c++) {
        test_scene s;
        test_scene_open(&s, characters[c]);
        s.settings = test_everything(s.model);
        uint32_t count = s.model->vertex_count;
        float* averaged = malloc(3 * count * sizeof *averaged);
        float* angle = malloc(count * sizeof *angle);
        for (int n = 0; n < 2; n++) {
            s.settings.deform.normals = (limber_normals)n;
            limber_pipeline_destroy(s.pipeline);
            s.pipeline = NULL;
            assert_int_equal(limber_pipeline_create_from_settings(s.asset, &s.settings, &s.pipeline, NULL), LIMBER_OK);
            assert_int_equal(limber_pipeline_evaluate(s.pipeline, 0, 0.37, &s.frame), LIMBER_OK);
            if (n == 0)
                memcpy(averaged, s.frame.normals, 3 * count * sizeof *averaged);
        }
        for (uint32_t u = 0; u < count; u++) {
            float cosine = limberi_dot(limberi_load3(averaged + 3 * u), limberi_load3(s.frame.normals + 3 * u));
            angle[u] = acosf(fminf(fmaxf(cosine, -1), 1)) * 57.29578f;
        }
        qsort(angle, count, sizeof *angle, compare_floats);
        print_message("%s: median %.2f, 95 %% below %.2f degrees\n", characters[c], (double)angle[count / 2],
                      (double)angle[count * 95 / 100]);
        assert_true(angle[count / 2] < 2 && angle[count * 95 / 100] < 8);
        free(averaged);
        free(angle);
        test_scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floppy_linear_is_minus_k_v),
        cmocka_unit_test(floppy_angular_turns_back_by_the_distance_and_keeps_the_radius),
        cmocka_unit_test(floppy_zero_on_the_axis_and_for_joints_at_rest),
        cmocka_unit_test(squash_linear_stretches_along_and_keeps_the_volume),
        cmocka_unit_test(squash_angular_widens_across_and_keeps_the_volume),
        cmocka_unit_test(squash_of_the_paper_fades_where_the_axes_are_parallel),
        cmocka_unit_test(squash_angular_does_not_jump_where_the_axes_pass_each_other),
        cmocka_unit_test(squash_angular_goes_with_the_square_of_the_sine),
        cmocka_unit_test(squash_never_exceeds_its_max),
        cmocka_unit_test(squash_along_a_path_never_exceeds_its_max),
        cmocka_unit_test(one_plus_s_never_goes_below_a_tenth),
        cmocka_unit_test(drag_and_followthrough_add_up_to_the_plain_acceleration_deformer),
        cmocka_unit_test(drag_acts_while_speeding_up_and_followthrough_while_slowing_down),
        cmocka_unit_test(stretch_draws_outwards_by_both_profiles),
        cmocka_unit_test(lift_projects_the_source_on_the_cone_and_spares_the_waist),
        cmocka_unit_test(lift_takes_any_list_of_sources_with_their_own_gains),
        cmocka_unit_test(lift_may_replace_its_sources),
        cmocka_unit_test(lift_does_not_tear_hard_edges),
        cmocka_unit_test(lift_of_a_sheet_with_two_sides_keeps_them_together),
        cmocka_unit_test(bend_limit_is_untouched_below_the_knee_smooth_and_never_exceeded),
        cmocka_unit_test(bend_limit_holds_on_the_character),
        cmocka_unit_test(twist_and_bend_split_the_gain),
        cmocka_unit_test(joint_gains_change_only_that_joint),
        cmocka_unit_test(layers_scale_the_displacement),
        cmocka_unit_test(centroid_offset_moves_the_centre_of_the_squash),
        cmocka_unit_test(the_axis_to_the_centroid_given_by_hand_changes_nothing),
        cmocka_unit_test(squash_flattens_across_the_axis_that_is_given),
        cmocka_unit_test(enormous_negative_and_zero_gains_stay_finite),
        cmocka_unit_test(an_effect_of_ones_own_runs_beside_the_others),
        cmocka_unit_test(both_normals_agree_on_smooth_meshes),
    };
    return cmocka_run_group_tests_name("deform", tests, NULL, NULL);
}
