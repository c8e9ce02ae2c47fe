// Lift against its closed forms: cones, sources, and normals at hard edges.
#include "kit/closed_forms.h"
#include "kit/surfaces.h"

static void lift_projects_the_source_on_the_cone_and_spares_the_waist(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    limber_lift_cones* lift = &s.settings.deform.lift_cones;
    effect(&s, LIMBER_EFFECT_LIFT)->angular.value = 0.5f;
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
    effect(&s, LIMBER_EFFECT_LIFT)->angular.value = 1;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_LIFT, "normals")->value = LIMBER_LIFT_MESH;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_LIFT, "source")->value =
        1 << LIMBER_EFFECT_STRETCH | 1 << LIMBER_EFFECT_FLOPPY;
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
    effect(&s, LIMBER_EFFECT_LIFT)->angular.value = 0.5f;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_LIFT, "mode")->value = LIMBER_LIFT_REPLACE;
    s.settings.deform.lift_cones.cone = (limber_cone){0, {0, 3, 0}, {0, -1, 0}, 0.3f, 0.1f};
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

// Thesis, 5.3.1, without X: what the sources do, k times, along the normal; of every effect that may be a source.
static void lift_without_falloff_is_the_source_along_the_normal(void** state) {
    (void)state;
    static const limber_effect effects[] = {LIMBER_EFFECT_FLOPPY,        LIMBER_EFFECT_SQUASH,  LIMBER_EFFECT_DRAG,
                                            LIMBER_EFFECT_FOLLOWTHROUGH, LIMBER_EFFECT_STRETCH, LIMBER_EFFECT_OVERLAP,
                                            LIMBER_EFFECT_DERIVATIVE};
    for (uint32_t e = 0; e < sizeof effects / sizeof *effects; e++) {
        test_scene s;
        test_scene_open(&s, "cylinder");
        limber_vec3* plain = malloc(s.model->vertex_count * sizeof *plain);
        float most = 0;
        assert_non_null(plain);
        effect(&s, effects[e])->angular.value = effects[e] == LIMBER_EFFECT_OVERLAP ? 1 : 0.02f;
        limber_effect_number(&s.settings.deform, LIMBER_EFFECT_DERIVATIVE, "by")->value = LIMBER_BY_ACCELERATION;
        for (uint32_t j = 0; j < 2; j++) {
            s.motion.angular_velocity[j] = limberi_vec3(1, 2, 3);
            s.motion.angular_acceleration[j] = limberi_vec3(2, 40, 10 - 60 * (float)j);
        }
        test_scene_run(&s);
        for (uint32_t u = 0; u < s.model->vertex_count; u++)
            plain[u] = test_scene_displacement(&s, u);
        effect(&s, LIMBER_EFFECT_LIFT)->angular.value = 0.7f;
        limber_effect_number(&s.settings.deform, LIMBER_EFFECT_LIFT, "mode")->value = LIMBER_LIFT_REPLACE;
        limber_effect_number(&s.settings.deform, LIMBER_EFFECT_LIFT, "source")->value = (float)(1u << e);
        limber_effect_number(&s.settings.deform, LIMBER_EFFECT_LIFT, "falloff")->value = LIMBER_LIFT_EVEN;
        s.settings.deform.lift_cones.cone = (limber_cone){0, {0, 3, 0}, {0, -1, 0}, 0.3f, 0.1f};
        test_scene_run(&s);
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 p = test_scene_position(&s, u), out = limberi_normalize(limberi_vec3(p.x, 0, p.z));
            limber_vec3 n = limberi_vec3(out.x * cosf(0.3f), sinf(0.3f), out.z * cosf(0.3f));
            limber_vec3 wanted = limberi_scale(n, 0.7f * limberi_dot(plain[u], n));
            assert_true(close_to(test_scene_displacement(&s, u), wanted, 5e-6f));
            most = fmaxf(most, limberi_length(wanted));
        }
        assert_true(most > 1e-3f);
        free(plain);
        test_scene_close(&s);
    }
}

// The kernel of lift, which plain stretch drives, has no X either.
static void lift_by_plain_stretch_has_no_falloff_either(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    effect(&s, LIMBER_EFFECT_LIFT)->angular.value = 0.01f;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_LIFT, "falloff")->value = LIMBER_LIFT_EVEN;
    s.settings.deform.lift_cones.cone = (limber_cone){0, {0, 3, 0}, {0, -1, 0}, 0.3f, 0.1f};
    s.motion.angular_velocity[0] = limberi_vec3(0, 4, 0);
    test_scene_run(&s);
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        limber_vec3 p = test_scene_position(&s, u), out = limberi_normalize(limberi_vec3(p.x, 0, p.z));
        limber_vec3 n = limberi_vec3(out.x * cosf(0.3f), sinf(0.3f), out.z * cosf(0.3f));
        float amount = 0.01f * 16 * sqrtf(p.x * p.x + p.z * p.z) * cosf(0.3f);
        assert_true(close_to(test_scene_displacement(&s, u), limberi_scale(n, amount), 5e-6f));
    }
    test_scene_close(&s);
}

static void lift_by_what_is_off_is_refused(void** state) {
    (void)state;
    test_scene s;
    test_scene_open(&s, "cylinder");
    limber_deformer* made;
    limber_error error;
    effect(&s, LIMBER_EFFECT_LIFT)->angular.value = 1;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_LIFT, "normals")->value = LIMBER_LIFT_MESH;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_LIFT, "source")->value = 1 << 5;
    assert_int_equal(limber_deformer_create(s.asset, &s.settings.deform, &made, &error), LIMBER_ERROR_ARGUMENT);
    assert_string_equal(error.message, "lift: its source 'overlap' is off");
    test_scene_close(&s);
}

static void open_cube(test_scene* s) {
    memset(s, 0, sizeof *s);
    s->asset = hard_cube();
    s->model = limber_asset_model(s->asset);
    s->settings = limber_stage_settings_default();
    assert_int_equal(limber_kinematics_create(s->model, &s->motion), LIMBER_OK);
    effect(s, LIMBER_EFFECT_LIFT)->angular.value = 0.5f;
    limber_effect_number(&s->settings.deform, LIMBER_EFFECT_LIFT, "normals")->value = LIMBER_LIFT_MESH;
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
            limber_effect_number(&s.settings.deform, LIMBER_EFFECT_LIFT, "source")->value =
                1u << LIMBER_EFFECT_STRETCH | 1u << LIMBER_EFFECT_SQUASH;
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

// Where nobody wants normals, only those of lift are skinned.
static void lift_moves_hard_edges_alike_whether_normals_are_wanted_or_not(void** state) {
    (void)state;
    for (int scalar = 0; scalar < 2; scalar++) {
        test_scene s;
        open_cube(&s);
        if (scalar)
            limber_effect_number(&s.settings.deform, LIMBER_EFFECT_LIFT, "source")->value =
                1u << LIMBER_EFFECT_STRETCH | 1u << LIMBER_EFFECT_SQUASH;
        test_scene_run(&s);
        size_t bytes = 3 * (size_t)s.model->vertex_count * sizeof(float);
        float* wanted = malloc(bytes);
        assert_non_null(wanted);
        memcpy(wanted, s.frame.positions, bytes);
        assert_true(memcmp(wanted, s.frame.skinned, bytes) != 0);
        limber_pipeline_set_outputs(s.pipeline, 0);
        assert_int_equal(limber_pipeline_evaluate_what_if(s.pipeline, -1, 0, &s.motion, 1, &s.frame), LIMBER_OK);
        assert_memory_equal(s.frame.positions, wanted, bytes);
        free(wanted);
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
    s.settings = limber_stage_settings_default();
    assert_int_equal(limber_kinematics_create(s.model, &s.motion), LIMBER_OK);
    effect(&s, LIMBER_EFFECT_LIFT)->angular.value = 0.5f;
    limber_effect_number(&s.settings.deform, LIMBER_EFFECT_LIFT, "normals")->value = LIMBER_LIFT_MESH;
    s.motion.angular_velocity[0] = limberi_vec3(0, 4, 0);
    test_scene_run(&s);
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        limber_vec3 p = test_scene_position(&s, u);
        float reach = sqrtf(p.x * p.x + p.z * p.z) / s.model->size;
        assert_true(close_to(test_scene_displacement(&s, u), limberi_vec3(0.5f * reach * 16, 0, 0), 1e-5f));
    }
    test_scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lift_projects_the_source_on_the_cone_and_spares_the_waist),
        cmocka_unit_test(lift_takes_any_list_of_sources_with_their_own_gains),
        cmocka_unit_test(lift_may_replace_its_sources),
        cmocka_unit_test(lift_without_falloff_is_the_source_along_the_normal),
        cmocka_unit_test(lift_by_plain_stretch_has_no_falloff_either),
        cmocka_unit_test(lift_by_what_is_off_is_refused),
        cmocka_unit_test(lift_does_not_tear_hard_edges),
        cmocka_unit_test(lift_moves_hard_edges_alike_whether_normals_are_wanted_or_not),
        cmocka_unit_test(lift_of_a_sheet_with_two_sides_keeps_them_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
