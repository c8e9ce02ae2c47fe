// Effects against their closed forms, on the cylinder and the ball: floppy, drag, followthrough, stretch, and what all
// have in common. test_squash.c and test_lift.c have the others.
#include "deform/effects/formulas.h"
#include "kit/closed_forms.h"

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

static void run_acceleration(test_scene* s, limber_effect e, limber_vec3 v, limber_vec3 a, float turn_s) {
    s->settings = limber_stage_settings_default();
    effect(s, e)->linear.value = 0.02f;
    effect(s, e)->angular.value = 0.06f;
    limber_effect_number(&s->settings.deform, e, "turn")->value = turn_s;
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
    s.settings = limber_stage_settings_default();
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
        limber_effect_number(&s.settings.deform, LIMBER_EFFECT_STRETCH, "profile")->value = (limber_profile)profile;
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
        limber_effect_number(&s.settings.deform, LIMBER_EFFECT_FLOPPY, "max_bend")->value = 40;
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
        limber_effect_number(&s.settings.deform, LIMBER_EFFECT_FLOPPY, "twist")->value =
            limber_effect_number(&s.settings.deform, LIMBER_EFFECT_FLOPPY, "bend")->value = 1;
        s.motion.angular_velocity[0] = spins[i];
        test_scene_run(&s);
        plain[i] = test_scene_displacement(&s, 700);
        assert_true(limberi_length(plain[i]) > 1e-3f);
        limber_effect_number(&s.settings.deform, LIMBER_EFFECT_FLOPPY, "twist")->value = 0;
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

// Thesis 3.9 with 3.6 and 3.7, as printed: two displacements, by -m k_t |v| and by (1 + m) k_b |v|.
static void twist_and_bend_may_be_two_displacements_as_printed(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    effect(&s, LIMBER_EFFECT_FLOPPY)->angular.value = 0.3f;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_FLOPPY, "twist")->value = 0.7f;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_FLOPPY, "bend")->value = -0.4f;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_FLOPPY, "decompose")->value = LIMBER_DECOMPOSE_PRINTED;
    limber_vec3 w = {0, 1.2f, 1.6f};
    s.motion.angular_velocity[0] = w;
    test_scene_run(&s);
    limber_vec3 axis = limberi_normalize(w), place = limberi_mat4_translation(&s.frame.pose->world_from_joint[0]);
    float m = axis.y; // the bone stands upright
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        limber_vec3 arm = limberi_sub(test_scene_position(&s, u), place);
        limber_vec3 r = limberi_sub(arm, limberi_scale(axis, limberi_dot(arm, axis)));
        float speed = limberi_length(limberi_cross(w, arm)) / s.model->size;
        const float angles[2] = {-m * 0.3f * 0.7f * speed, (1 + m) * 0.3f * -0.4f * speed};
        limber_vec3 wanted = limberi_vec3(0, 0, 0);
        for (int i = 0; i < 2; i++)
            wanted = limberi_add(wanted, limberi_sub(limberi_scale(limberi_cross(axis, r), sinf(angles[i])),
                                                     limberi_scale(r, 1 - cosf(angles[i]))));
        assert_true(close_to(test_scene_displacement(&s, u), wanted, 3e-6f));
    }
    test_scene_close(&s);
}

static void numbers_of_effects_have_names_and_defaults(void** state) {
    (void)state;
    const struct {
        limber_effect effect;
        const char* name;
        float value;
    } known[] = {{LIMBER_EFFECT_SQUASH, "fade", 1},
                 {LIMBER_EFFECT_SQUASH, "max", 0},
                 {LIMBER_EFFECT_SQUASH, "about", LIMBER_ABOUT_AXIS},
                 {LIMBER_EFFECT_SQUASH, "driven_by", LIMBER_DRIVEN_BY_OVERLAP},
                 {LIMBER_EFFECT_DRAG, "turn", 0.06f},
                 {LIMBER_EFFECT_DRAG, "gate.limit", 1},
                 {LIMBER_EFFECT_FOLLOWTHROUGH, "gate.type", LIMBER_GATE_TIME},
                 {LIMBER_EFFECT_OVERLAP, "max", 37},
                 {LIMBER_EFFECT_OVERLAP, "reach", 0.75f},
                 {LIMBER_EFFECT_DERIVATIVE, "by", LIMBER_BY_JERK},
                 {LIMBER_EFFECT_DERIVATIVE, "bend", 1},
                 {LIMBER_EFFECT_LIFT, "source", 1 << LIMBER_EFFECT_STRETCH},
                 {LIMBER_EFFECT_FLOPPY, "linear", 0}};
    limber_deform_settings settings = limber_deform_settings_default();
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const limber_number* number = limber_effect_number(&settings, known[i].effect, known[i].name);
        assert_non_null(number);
        assert_true(number->value == known[i].value && !number->expression);
    }
    assert_ptr_equal(limber_effect_number(&settings, LIMBER_EFFECT_OVERLAP, "gain"),
                     &settings.effects[LIMBER_EFFECT_OVERLAP].angular);
    assert_null(limber_effect_number(&settings, LIMBER_EFFECT_SQUASH, "max_bend"));
    assert_null(limber_effect_number(&settings, LIMBER_EFFECT_SQUASH, "layer"));
}

static void enormous_negative_and_zero_gains_stay_finite(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    const float gains[] = {0, -0.5f, 1e6f, -1e6f, 1e30f, -1e30f};
    for (size_t g = 0; g < sizeof gains / sizeof *gains; g++) {
        for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
            effect(&s, (limber_effect)e)->linear.value = effect(&s, (limber_effect)e)->angular.value = gains[g];
        limber_effect_number(&s.settings.deform, LIMBER_EFFECT_LIFT, "normals")->value = LIMBER_LIFT_MESH;
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
        cmocka_unit_test(drag_and_followthrough_add_up_to_the_plain_acceleration_deformer),
        cmocka_unit_test(drag_acts_while_speeding_up_and_followthrough_while_slowing_down),
        cmocka_unit_test(stretch_draws_outwards_by_both_profiles),
        cmocka_unit_test(bend_limit_is_untouched_below_the_knee_smooth_and_never_exceeded),
        cmocka_unit_test(bend_limit_holds_on_the_character),
        cmocka_unit_test(twist_and_bend_split_the_gain),
        cmocka_unit_test(joint_gains_change_only_that_joint),
        cmocka_unit_test(layers_scale_the_displacement),
        cmocka_unit_test(numbers_of_effects_have_names_and_defaults),
        cmocka_unit_test(twist_and_bend_may_be_two_displacements_as_printed),
        cmocka_unit_test(enormous_negative_and_zero_gains_stay_finite),
        cmocka_unit_test(an_effect_of_ones_own_runs_beside_the_others),
        cmocka_unit_test(both_normals_agree_on_smooth_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
