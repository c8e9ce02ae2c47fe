// Squash against its closed forms: volume, limits, and the axis and center that are given by hand.
#include "deform/effects/formulas.h"
#include "kit/closed_forms.h"

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
    test_scene s;
    test_scene_open(&s, "cylinder");
    effect(&s, LIMBER_EFFECT_SQUASH)->angular.value = 0.2f;
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

static void squash_of_the_paper_fades_where_the_axes_are_parallel(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    effect(&s, LIMBER_EFFECT_SQUASH)->angular.value = 0.2f;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_SQUASH, "fade")->value = 0;
    float before = 0, biggest_step = 0;
    for (int i = 0; i <= 80; i++) {
        float tilt = 0.001f * (float)i;
        s.motion.angular_velocity[0] = limberi_vec3(0, 3 * cosf(tilt), 3 * sinf(tilt));
        test_scene_run(&s);
        float max = 0;
        for (uint32_t u = 0; u < s.model->vertex_count; u++)
            max = fmaxf(max, limberi_length(test_scene_displacement(&s, u)));
        if (i <= 9)
            assert_true(max == 0);
        biggest_step = fmaxf(biggest_step, fabsf(max - before));
        before = max;
    }
    assert_true(before > 1e-2f && biggest_step < 0.06f * before);
    test_scene_close(&s);
}

// The axis of rotation sweeps past the medial axis, 1.7 degrees beside it. Returns the largest step of any vertex
// between two frames while the axes are within 5 degrees, in parts of the largest displacement.
static float sweep_over_the_medial_axis(float fade) {
    enum { STEPS = 20, MAX = 4096 };
    static limber_vec3 before[MAX];
    test_scene s;
    float step = 0, max = 0;
    test_scene_open(&s, "cylinder");
    assert_true(s.model->vertex_count <= MAX);
    effect(&s, LIMBER_EFFECT_SQUASH)->angular.value = 0.2f;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_SQUASH, "fade")->value = fade;
    for (int i = -STEPS; i <= STEPS; i++) {
        float tilt = 0.02f * (float)i;
        s.motion.angular_velocity[0] = limberi_scale(limberi_vec3(0.03f, cosf(tilt), sinf(tilt)), 3);
        test_scene_run(&s);
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 d = test_scene_displacement(&s, u);
            if (abs(i) < 5)
                step = fmaxf(step, limberi_length(limberi_sub(d, before[u])));
            max = fmaxf(max, limberi_length(d));
            before[u] = d;
        }
    }
    test_scene_close(&s);
    return step / max;
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
        limber_effect_number(&s.settings.deform, LIMBER_EFFECT_SQUASH, "fade")->value = fade;
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
        limber_effect_number(&s.settings.deform, LIMBER_EFFECT_SQUASH, "max")->value = 0.4f;
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
        limber_effect_number(&s.settings.deform, LIMBER_EFFECT_SQUASH, "max")->value = 0.5f;
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
    float max = 0;
    for (uint32_t u = 0; u < given.model->vertex_count; u++) {
        limber_vec3 a = test_scene_displacement(&automatic, u), b = test_scene_displacement(&given, u);
        assert_true(limberi_length(limberi_sub(a, b)) < 2e-6f);
        max = fmaxf(max, limberi_length(a));
    }
    assert_true(max > 0.01f);
    test_scene_close(&automatic);
    test_scene_close(&given);
}

// VS 15, with an axis of any length; the centroid only has a say along it, and only about the center: there the part
// shrinks as it does across, as the authors' program has it.
static void check_a_given_axis(limber_about about) {
    test_scene s;
    test_scene_open(&s, "ball");
    limber_vec3 axes[2] = {{0, 0, 0}, {3, 4, 0}}, offsets[2] = {{0, 0, 0}, {0, -0.4f, 0.2f}}, w = {0, 0, 2};
    effect(&s, LIMBER_EFFECT_SQUASH)->angular.value = 0.2f;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_SQUASH, "about")->value = (float)about;
    s.settings.deform.medial_axes = axes;
    s.settings.deform.centroid_offsets = offsets;
    s.motion.angular_velocity[1] = w;
    test_scene_run(&s);
    const limber_mat4* world = &s.frame.pose->world_from_joint[1];
    limber_vec3 m = limberi_normalize(limberi_mat4_vector(world, axes[1]));
    limber_vec3 e = limberi_normalize(limberi_cross(m, w)), z = limberi_cross(e, m);
    limber_vec3 center = limberi_mat4_point(world, limberi_add(s.model->rig.centroid[1], offsets[1]));
    float sine = limberi_length(limberi_cross(m, w)) / 2;
    float most = 0;
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        limber_vec3 y = limberi_sub(test_scene_position(&s, u), limberi_mat4_translation(world));
        float squash = sine * sine * 0.2f * limberi_length(limberi_cross(w, y)) / s.model->size;
        limber_vec3 d = limberi_add(limberi_scale(e, squash * limberi_dot(e, y)),
                                    limberi_scale(z, (1 / (1 + squash) - 1) * limberi_dot(z, y)));
        float along = limberi_dot(m, limberi_sub(test_scene_position(&s, u), center));
        limber_vec3 shorter = limberi_scale(m, (1 / (1 + squash) - 1) * along);
        if (about == LIMBER_ABOUT_CENTER)
            d = limberi_add(d, shorter);
        assert_true(limberi_length(limberi_sub(test_scene_displacement(&s, u), d)) < 2e-6f);
        most = fmaxf(most, limberi_length(shorter));
    }
    assert_true(most > 0.01f);
    test_scene_close(&s);
}

static void squash_flattens_across_the_axis_that_is_given(void** state) {
    (void)state;
    check_a_given_axis(LIMBER_ABOUT_AXIS);
}

static void squash_about_the_center_shrinks_along_the_axis_too(void** state) {
    (void)state;
    check_a_given_axis(LIMBER_ABOUT_CENTER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squash_linear_stretches_along_and_keeps_the_volume),
        cmocka_unit_test(squash_angular_widens_across_and_keeps_the_volume),
        cmocka_unit_test(squash_of_the_paper_fades_where_the_axes_are_parallel),
        cmocka_unit_test(squash_angular_does_not_jump_where_the_axes_pass_each_other),
        cmocka_unit_test(squash_angular_goes_with_the_square_of_the_sine),
        cmocka_unit_test(squash_never_exceeds_its_max),
        cmocka_unit_test(squash_along_a_path_never_exceeds_its_max),
        cmocka_unit_test(one_plus_s_never_goes_below_a_tenth),
        cmocka_unit_test(centroid_offset_moves_the_centre_of_the_squash),
        cmocka_unit_test(the_axis_to_the_centroid_given_by_hand_changes_nothing),
        cmocka_unit_test(squash_flattens_across_the_axis_that_is_given),
        cmocka_unit_test(squash_about_the_center_shrinks_along_the_axis_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
