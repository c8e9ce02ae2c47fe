// The SIMD kernels against the scalar ones, which are the reference: over random rigs and all characters, every effect
// alone and together, with every option that changes what a kernel does.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "deform/deformer.h"
#include "kit/looks.h"
#include "kit/models.h"
#include "skin/blend_group.h"
#include "skin/skin.h"

// Twice as many where the test may take long.
static uint32_t rig_count(void) {
    if (TEST_SANITIZED)
        return 12;
    return test_character_step() == 1 ? 66 : 22;
}

static limber_compose compose; // how the effects are compared just now

// Of L, or of the farthest displacement where that is more.
static const double tolerance = 5e-6;

// Every joint of a chain rounds the position, and lift, which grows with the distance, throws far what is far already.
static double tolerance_of(limber_compose way, const test_look* look) {
    double slack = look->slack * tolerance;
    if (way != LIMBER_COMPOSE_CHAIN)
        return slack;
    return slack * (strstr(look->name, "lift") ? 20 : 2);
}

typedef void (*stage_check)(test_stage* stage);

static void check_rigs(stage_check check) {
    for (uint32_t i = 0; i < rig_count(); i++) {
        test_stage stage = test_stage_random(i);
        check(&stage);
        test_stage_close(&stage);
    }
}

// Made once: modelling them takes longer than all of the comparisons.
enum { MAX_CHARACTERS = 64 };

static test_stage characters[MAX_CHARACTERS];

// Sanitizers look at what is read and written, for which the shapes of the random rigs do more.
static int open_characters(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        return 0;
    for (uint32_t i = 0; i < test_character_count() && i < MAX_CHARACTERS; i += test_character_step())
        characters[i] = test_stage_character(i);
    return 0;
}

static int close_all(void** state) {
    (void)state;
    for (uint32_t i = 0; i < MAX_CHARACTERS && characters[i].asset; i += test_character_step())
        test_stage_close(&characters[i]);
    test_looks_free();
    return 0;
}

static void check_characters(stage_check check) {
    for (uint32_t i = 0; i < MAX_CHARACTERS && characters[i].asset; i += test_character_step())
        check(&characters[i]);
}

static limber_deformer* make_deformer(test_stage* stage, const limber_deform_settings* settings) {
    limber_deformer* deformer;
    limber_error error;
    if (limber_deformer_create(stage->asset, settings, &deformer, &error) != LIMBER_OK)
        fail_msg("%s: %s", stage->name, error.message);
    return deformer;
}

// --- skinning ---

typedef struct skin_work {
    const test_stage* stage;
    const limber_mesh* mesh;
    limber_skinning skinning;
    limber_mat4* palette;
    limber_dualquat* dualquats;
    float *positions, *normals, *want, *want_normals; // 3 per vertex of the mesh
} skin_work;

static double worst_position, worst_normal;
static uint32_t compared, skipped;

// The volume that is left of a unit cube: near 0 the blended joints have crushed it and no direction is certain.
static float blended_volume(const skin_work* w, uint32_t u) {
    float m[12];
    limberi_skin_blend(w->mesh, w->palette, u, m);
    limber_vec3 x = limberi_vec3(m[0], m[4], m[8]), y = limberi_vec3(m[1], m[5], m[9]);
    return fabsf(limberi_dot(limberi_vec3(m[2], m[6], m[10]), limberi_cross(x, y)));
}

// Dual quaternions that cancel each other out, or a quarter turn apart so that either side is right, say nothing that
// rounding does not decide; and a joint that a vertex names twice counts once, which may make it the heaviest.
static bool is_certain(const skin_work* w, uint32_t u) {
    const limber_mesh* mesh = w->mesh;
    uint32_t first = mesh->influence_first[u], end = mesh->influence_first[u + 1], pivot = first;
    float sum[4] = {0, 0, 0, 0};
    for (uint32_t i = first; i < end; i++) {
        for (uint32_t k = first; k < i; k++)
            if (mesh->influence_joint[k] == mesh->influence_joint[i])
                return false;
        if (mesh->influence_weight[i] > mesh->influence_weight[pivot])
            pivot = i;
    }
    const float* side = (const float*)&w->dualquats[mesh->influence_joint[pivot]].real;
    for (uint32_t i = first; i < end; i++) {
        const float* q = (const float*)&w->dualquats[mesh->influence_joint[i]].real;
        float facing = side[0] * q[0] + side[1] * q[1] + side[2] * q[2] + side[3] * q[3];
        if (fabsf(facing) < 1e-5f)
            return false;
        for (int e = 0; e < 4; e++)
            sum[e] += copysignf(mesh->influence_weight[i], facing) * q[e];
    }
    return sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3] > 0.1f;
}

static void compare_vertex(const skin_work* w, uint32_t u) {
    bool dual = w->skinning == LIMBER_SKINNING_DUALQUAT;
    if (dual && !is_certain(w, u)) {
        skipped++;
        return;
    }
    limber_vec3 p = limberi_load3(w->positions + 3 * (size_t)u), q = limberi_load3(w->want + 3 * (size_t)u);
    double scale = fmax((double)w->stage->model->size, (double)limberi_length(q));
    double apart = (double)limberi_length(limberi_sub(p, q)) / scale;
    if (!(apart <= tolerance))
        fail_msg("%s: vertex %u is %.2g of L away", w->stage->name, u, apart);
    worst_position = fmax(worst_position, apart);
    compared++;
    limber_vec3 n = limberi_load3(w->normals + 3 * (size_t)u), m = limberi_load3(w->want_normals + 3 * (size_t)u);
    assert_true(isfinite(n.x) && isfinite(n.y) && isfinite(n.z));
    if (blended_volume(w, u) > 0.1f || dual)
        worst_normal = fmax(worst_normal, (double)limberi_length(limberi_sub(m, n)));
}

static void skin_groups(const skin_work* w, limberi_variant variant) {
    const struct limberi_groups* groups = limberi_asset_groups(w->stage->asset)[w->mesh - w->stage->model->meshes];
    for (uint32_t i = 0; i < groups->group_count; i++) {
        const limberi_group* g = &groups->groups[i];
        limberi_block3 position, normal;
        limberi_skin_group_job job = {groups,
                                      g,
                                      w->skinning,
                                      w->palette,
                                      w->dualquats,
                                      i % 2 ? w->mesh->positions : NULL,
                                      i % 3 ? NULL : w->mesh->normals,
                                      NULL,
                                      &position,
                                      &normal};
        limberi_skin_group(variant, &job);
        for (uint32_t v = 0; v < g->count; v++) {
            for (size_t c = 0; c < 3; c++) {
                w->positions[3 * (size_t)groups->vertices[g->first + v] + c] = position.v[c][v];
                w->normals[3 * (size_t)groups->vertices[g->first + v] + c] = normal.v[c][v];
            }
        }
    }
}

static void skin_mesh(skin_work* w) {
    limberi_variant variants[3];
    uint32_t variant_count = test_variants(variants);
    limber_skin_job job = limber_skin_job_default();
    job.mesh = w->mesh;
    job.palette = w->palette;
    job.dualquats = w->dualquats;
    job.palette_count = w->stage->model->skins[w->mesh->skin].joint_count;
    job.out_positions = w->want;
    job.out_normals = w->want_normals;
    for (int skinning = 0; skinning < 2; skinning++) {
        job.skinning = w->skinning = (limber_skinning)skinning;
        assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
        for (uint32_t v = 0; v < variant_count; v++) {
            skin_groups(w, variants[v]);
            for (uint32_t u = 0; u < w->mesh->vertex_count; u++)
                compare_vertex(w, u);
        }
    }
}

static void compare_skinning(test_stage* stage) {
    for (uint32_t m = 0; m < stage->model->mesh_count; m++) {
        const limber_mesh* mesh = &stage->model->meshes[m];
        const limber_skin* skin = &stage->model->skins[mesh->skin];
        size_t bytes = (3 * (size_t)mesh->vertex_count + 1) * sizeof(float);
        skin_work w = {stage,
                       mesh,
                       LIMBER_SKINNING_LINEAR,
                       malloc(skin->joint_count * sizeof *w.palette),
                       malloc(skin->joint_count * sizeof *w.dualquats),
                       malloc(bytes),
                       malloc(bytes),
                       malloc(bytes),
                       malloc(bytes)};
        limber_skin_palette(skin, &stage->pose, w.palette);
        limber_skin_dualquats(w.palette, skin->joint_count, w.dualquats);
        skin_mesh(&w);
        free(w.palette);
        free(w.dualquats);
        free(w.positions);
        free(w.normals);
        free(w.want);
        free(w.want_normals);
    }
}

static void kernels_skin_as_the_reference_does(void** state) {
    (void)state;
    check_rigs(compare_skinning);
    check_characters(compare_skinning);
    print_message("positions %.2g of L, normals %.2g apart; %u compared, %u are up to rounding\n", worst_position,
                  worst_normal, compared, skipped);
    assert_true(worst_normal < 2e-5 && compared > (TEST_SANITIZED ? 2 : 3) * skipped); // rigs have more such vertices
}

// --- effects ---

static double worst_of_look[TEST_LOOKS_MAX];

static void exceed(limber_deform_settings* s, float factor) {
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        s->effects[e].linear.value *= factor;
        s->effects[e].angular.value *= factor;
    }
}

// Along a chain a joint turns what the ones before have put somewhere: by many turns that is anywhere. What one of
// hundreds of joints rounds is stretched by all that follow; gains are then as much smaller.
static bool is_compared(const test_look* look) {
    return look->uses & TEST_LOOK_KERNELS && !(compose == LIMBER_COMPOSE_CHAIN && strstr(look->name, "turns"));
}

static void compare_looks(test_stage* stage) {
    limberi_variant variants[3];
    uint32_t variant_count = test_variants(variants);
    for (uint32_t l = 0; l < test_look_count; l++) {
        const test_look* look = &test_looks[l];
        if (!is_compared(look))
            continue;
        limber_deform_settings settings = limber_deform_settings_default();
        limber_deform_job job = test_stage_job(stage);
        test_look_set(look, &settings, &job, stage);
        settings.compose = compose;
        if (compose == LIMBER_COMPOSE_CHAIN)
            exceed(&settings, 8.0f / (8 + (float)stage->model->rig.joint_count));
        limber_deformer* deformer = make_deformer(stage, &settings);
        test_stage_reference(stage, deformer, &job);
        for (uint32_t v = 0; v < variant_count; v++) {
            double worst = test_stage_compare(stage, deformer, &job, variants[v]);
            worst_of_look[l] = fmax(worst_of_look[l], worst);
            if (!(worst <= tolerance_of(compose, look)))
                print_error("%s, %s, %s: %.2g of L apart\n", stage->name, look->name, test_variant_name(variants[v]),
                            worst);
        }
        limber_deformer_destroy(deformer);
    }
}

static void show_worst(void) {
    bool good = true;
    for (uint32_t l = 0; l < test_look_count; l++) {
        if (!is_compared(&test_looks[l]))
            continue;
        print_message("  %-30s %.2g of L\n", test_looks[l].name, worst_of_look[l]);
        good = good && worst_of_look[l] <= tolerance_of(compose, &test_looks[l]);
        worst_of_look[l] = 0;
    }
    assert_true(good);
}

static void kernels_deform_random_rigs_as_the_reference_does(void** state) {
    (void)state;
    check_rigs(compare_looks);
    show_worst();
}

static void kernels_deform_all_characters_as_the_reference_does(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip();
    check_characters(compare_looks);
    show_worst();
}

static void kernels_chain_random_rigs_as_the_reference_does(void** state) {
    (void)state;
    compose = LIMBER_COMPOSE_CHAIN;
    check_rigs(compare_looks);
    show_worst();
    compose = LIMBER_COMPOSE_SUM;
}

static void kernels_chain_all_characters_as_the_reference_does(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip();
    compose = LIMBER_COMPOSE_CHAIN;
    check_characters(compare_looks);
    show_worst();
    compose = LIMBER_COMPOSE_SUM;
}

// --- the ends of the range ---

static void assert_finite(const test_stage* stage, const char* what) {
    for (size_t i = 0; i < 3 * (size_t)stage->model->vertex_count; i++)
        if (!isfinite(stage->out[i]) || !isfinite(stage->out_normals[i]))
            fail_msg("%s, %s: number %zu is not finite", stage->name, what, i);
}

static void overdo_looks(test_stage* stage) {
    static const float factors[] = {1e4f, -1e10f, 1e25f, 1e37f};
    limberi_variant variants[3];
    uint32_t variant_count = test_variants(variants);
    for (uint32_t l = 0; l < test_look_count; l++) {
        if (!(test_looks[l].uses & TEST_LOOK_KERNELS))
            continue;
        limber_deform_settings settings = limber_deform_settings_default();
        limber_deform_job job = test_stage_job(stage);
        test_look_set(&test_looks[l], &settings, &job, stage);
        exceed(&settings, factors[l % 4]);
        settings.normals = l % 2 ? LIMBER_NORMALS_JACOBIAN : LIMBER_NORMALS_AVERAGED;
        settings.compose = compose;
        limber_deformer* deformer = make_deformer(stage, &settings);
        job.out_normals = stage->out_normals;
        for (uint32_t v = 0; v < variant_count; v++) {
            limberi_deform_use(deformer, variants[v]);
            assert_int_equal(limber_deformer_evaluate(deformer, &job), LIMBER_OK);
            assert_finite(stage, test_looks[l].name);
        }
        limber_deformer_destroy(deformer);
    }
}

static void overdo_motion(test_stage* stage) {
    const limber_kinematics* k = &stage->motion[0];
    for (uint32_t j = 0; j < stage->model->rig.joint_count; j++) {
        k->velocity[j] = limberi_scale(k->velocity[j], 1e22f);
        k->acceleration[j] = limberi_scale(k->acceleration[j], -1e30f);
        k->angular_velocity[j] = limberi_scale(k->angular_velocity[j], 1e20f);
        k->angular_acceleration[j] = limberi_scale(k->angular_acceleration[j], 1e35f);
    }
    overdo_looks(stage);
}

static void enormous_gains_and_motions_leave_only_numbers(void** state) {
    (void)state;
    for (uint32_t i = 0; i < rig_count(); i += 3) {
        test_stage stage = test_stage_random(i);
        for (int way = LIMBER_COMPOSE_CHAIN; way >= LIMBER_COMPOSE_SUM; way--) {
            compose = (limber_compose)way;
            overdo_looks(&stage);
        }
        compose = i % 2 ? LIMBER_COMPOSE_CHAIN : LIMBER_COMPOSE_SUM;
        overdo_motion(&stage);
        compose = LIMBER_COMPOSE_SUM;
        test_stage_close(&stage);
    }
}

static void hold_still(test_stage* stage) {
    size_t bytes = 3 * (size_t)stage->model->vertex_count * sizeof(float);
    limberi_variant variants[3];
    uint32_t variant_count = test_variants(variants);
    for (int i = 0; i < TEST_MOTIONS; i++) {
        limber_kinematics_destroy(&stage->motion[i]);
        assert_int_equal(limber_kinematics_create(stage->model, &stage->motion[i]), LIMBER_OK);
    }
    for (uint32_t l = 0; l < test_look_count; l++) {
        if (!(test_looks[l].uses & TEST_LOOK_KERNELS))
            continue;
        limber_deform_settings settings = limber_deform_settings_default();
        limber_deform_job job = test_stage_job(stage);
        test_look_set(&test_looks[l], &settings, &job, stage);
        settings.custom_count = 0; // may do what they like
        settings.effects[LIMBER_EFFECT_HOSE] =
            limber_deform_settings_default().effects[LIMBER_EFFECT_HOSE]; // bends poses
        settings.normals = l % 2 ? LIMBER_NORMALS_JACOBIAN : LIMBER_NORMALS_AVERAGED;
        settings.compose = compose;
        job.out_normals = stage->out_normals;
        limber_deformer* deformer = make_deformer(stage, &settings);
        for (uint32_t v = 0; v < variant_count; v++) {
            limberi_deform_use(deformer, variants[v]);
            assert_int_equal(limber_deformer_evaluate(deformer, &job), LIMBER_OK);
            assert_memory_equal(stage->positions, stage->out, bytes);
            assert_memory_equal(stage->normals, stage->out_normals, bytes);
        }
        limber_deformer_destroy(deformer);
    }
}

static void what_stands_still_is_left_alone_to_the_bit(void** state) {
    (void)state;
    for (uint32_t i = 0; i < rig_count(); i += 5) {
        test_stage stage = test_stage_random(i);
        compose = i % 2 ? LIMBER_COMPOSE_CHAIN : LIMBER_COMPOSE_SUM;
        hold_still(&stage);
        test_stage_close(&stage);
    }
    compose = LIMBER_COMPOSE_SUM;
    check_characters(hold_still);
}

// One joint moves; vertices that hang on none below it stay where they were, whatever else is in their group.
static void move_one_joint(test_stage* stage) {
    const limber_model* model = stage->model;
    limber_vec3 turn = limberi_vec3(1, -2, 0.5f);
    limber_deform_settings settings = limber_deform_settings_default();
    limber_deform_job job = test_stage_job(stage);
    test_look_set(&test_looks[0], &settings, &job, stage);
    for (int e = 0; e < LIMBER_EFFECT_STRETCH; e++)
        settings.effects[e].linear.value = settings.effects[e].angular.value = 0.1f;
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        bool moves = j == stage->joint;
        stage->motion[0].velocity[j] = stage->motion[0].acceleration[j] = limberi_scale(turn, moves ? model->size : 0);
        stage->motion[0].angular_velocity[j] = stage->motion[0].angular_acceleration[j] = limberi_scale(turn, moves);
    }
    limber_deformer* deformer = make_deformer(stage, &settings);
    float* upward = malloc(model->rig.joint_count * sizeof *upward);
    assert_int_equal(limber_deformer_evaluate(deformer, &job), LIMBER_OK);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        for (uint32_t u = 0; u < model->meshes[m].vertex_count; u++) {
            size_t at = 3 * ((size_t)model->meshes[m].first_vertex + u);
            limber_mesh_upward_weights(model, &model->meshes[m], u, upward);
            bool moved = memcmp(stage->positions + at, stage->out + at, 3 * sizeof(float)) != 0;
            assert_true(moved == (upward[stage->joint] > 0));
        }
    }
    free(upward);
    limber_deformer_destroy(deformer);
}

static void joints_move_what_hangs_on_them_and_nothing_else(void** state) {
    (void)state;
    check_rigs(move_one_joint);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_skin_as_the_reference_does),
        cmocka_unit_test(kernels_deform_random_rigs_as_the_reference_does),
        cmocka_unit_test(kernels_deform_all_characters_as_the_reference_does),
        cmocka_unit_test(kernels_chain_random_rigs_as_the_reference_does),
        cmocka_unit_test(kernels_chain_all_characters_as_the_reference_does),
        cmocka_unit_test(enormous_gains_and_motions_leave_only_numbers),
        cmocka_unit_test(joints_move_what_hangs_on_them_and_nothing_else),
        cmocka_unit_test(what_stands_still_is_left_alone_to_the_bit), // takes the characters' motion away
    };
    return cmocka_run_group_tests_name("kernels", tests, open_characters, close_all);
}
