// Normals by the Jacobian of the effects, against the reference walked a little along the surface.
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

enum { RIGS = 24 };

static const float step = 1e-3f; // of L, to either side: float rounding then counts for a hundredth of a degree

// Two unit vectors along the surface.
static void tangents(limber_vec3 n, limber_vec3* s, limber_vec3* t) {
    limber_vec3 helper = fabsf(n.x) < 0.7f ? limberi_vec3(1, 0, 0) : limberi_vec3(0, 1, 0);
    *s = limberi_normalize(limberi_cross(helper, n));
    *t = limberi_cross(n, *s);
}

// Where the reference puts vertices that lie `way` of L further along tangent `k`.
static void walk(test_stage* stage, limber_deformer* deformer, const limber_deform_job* given, int k, float way,
                 float* to) {
    limber_deform_job job = *given;
    size_t count = stage->model->vertex_count;
    float* from = malloc((3 * count + 1) * sizeof *from);
    for (size_t u = 0; u < count; u++) {
        limber_vec3 side[2];
        tangents(limberi_load3(stage->normals + 3 * u), &side[0], &side[1]);
        limber_vec3 p = limberi_load3(stage->positions + 3 * u);
        limberi_store3(from + 3 * u, limberi_add(p, limberi_scale(side[k], way * stage->model->size)));
    }
    job.positions = from;
    job.out_positions = to;
    assert_int_equal(limberi_deformer_run_reference(deformer, &job), LIMBER_OK);
    free(from);
}

static limber_compose compose; // how the effects are compared just now

typedef struct outcome {
    double worst_deg;
    uint32_t compared, beyond, folded;
} outcome;

// The cross product of the two ways, as a share of what it was: small or against the old normal where a surface folds.
static void compare_normals(test_stage* stage, float* const ends[4], outcome* o) {
    float scale = 1 / (2 * step * stage->model->size);
    for (size_t u = 0; u < stage->model->vertex_count; u++) {
        limber_vec3 side[2], kept = limberi_load3(stage->normals + 3 * u);
        for (int k = 0; k < 2; k++)
            side[k] = limberi_scale(
                limberi_sub(limberi_load3(ends[2 * k] + 3 * u), limberi_load3(ends[2 * k + 1] + 3 * u)), scale);
        limber_vec3 want = limberi_cross(side[0], side[1]), got = limberi_load3(stage->out_normals + 3 * u);
        if (limberi_length(kept) < 0.5f)
            continue;
        assert_true(fabsf(limberi_length(got) - 1) < 1e-3f);
        if (limberi_length(want) < 0.1f) {
            o->folded++;
            continue;
        }
        float away = limberi_length(limberi_sub(limberi_normalize(want), got));
        double angle_deg = 2 * asin(fmin(0.5 * (double)away, 1)) * 57.29577951;
        o->worst_deg = fmax(o->worst_deg, angle_deg);
        o->beyond += angle_deg > 1;
        o->compared++;
    }
}

// Gains that change from vertex to vertex count as constant at each, so formulas of `speed`, which changes along the
// surface, are left out. So are chains that crush the surface joint after joint.
static bool is_walked(const test_look* look) {
    if (compose == LIMBER_COMPOSE_CHAIN && strstr(look->name, "negative squash"))
        return false;
    return look->uses & TEST_LOOK_KERNELS && !strstr(look->name, "speed") && !strstr(look->name, "turns") &&
           !strstr(look->name, "some effects");
}

static void compare_look(test_stage* stage, const test_look* look, float* const ends[4], outcome* o) {
    limberi_variant variants[3];
    uint32_t variant_count = test_variants(variants);
    limber_deform_settings settings = limber_deform_settings_default();
    limber_deform_job job = test_stage_job(stage);
    test_look_set(look, &settings, &job, stage);
    settings.normals = LIMBER_NORMALS_JACOBIAN;
    settings.compose = compose;
    limber_deformer* deformer;
    assert_int_equal(limber_deformer_create(stage->asset, &settings, &deformer, NULL), LIMBER_OK);
    for (int i = 0; i < 4; i++)
        walk(stage, deformer, &job, i / 2, i % 2 ? -step : step, ends[i]);
    job.out_normals = stage->out_normals;
    for (uint32_t v = 0; v < variant_count; v++) {
        limberi_deform_use(deformer, variants[v]);
        assert_int_equal(limber_deformer_evaluate(deformer, &job), LIMBER_OK);
        compare_normals(stage, ends, o);
    }
    limber_deformer_destroy(deformer);
}

static void compare_stage(test_stage* stage, outcome* outcomes) {
    float* ends[4];
    for (int i = 0; i < 4; i++)
        ends[i] = malloc((3 * (size_t)stage->model->vertex_count + 1) * sizeof(float));
    for (uint32_t l = 0; l < test_look_count; l += TEST_SANITIZED ? 3 : 1)
        if (is_walked(&test_looks[l]))
            compare_look(stage, &test_looks[l], ends, &outcomes[l]);
    for (int i = 0; i < 4; i++)
        free(ends[i]);
    test_stage_close(stage);
}

static void judge(const outcome* outcomes) {
    for (uint32_t l = 0; l < test_look_count; l++) {
        const outcome* o = &outcomes[l];
        if (!o->compared)
            continue;
        print_message("  %-30s worst %.2g degrees, beyond one %u of %u, folded %u\n", test_looks[l].name, o->worst_deg,
                      o->beyond, o->compared, o->folded);
        // Where an effect has a corner (a limit, the rim of a lift, the tip of its cone) both sides of it are right.
        // Where effects fold a surface, or hold it at a tenth of its width, it can turn right round there.
        assert_true(o->beyond <= o->compared / 40 && o->folded <= o->compared / 200);
    }
}

static void compare_rigs(void) {
    outcome outcomes[TEST_LOOKS_MAX];
    memset(outcomes, 0, sizeof outcomes);
    for (uint32_t i = 0; i < (getenv("LIMBER_TEST_LONG") ? RIGS : RIGS / 3); i++) {
        test_stage stage = test_stage_random(i);
        compare_stage(&stage, outcomes);
    }
    judge(outcomes);
}

static void compare_characters(void) {
    outcome outcomes[TEST_LOOKS_MAX];
    memset(outcomes, 0, sizeof outcomes);
    for (uint32_t i = 0; i < test_character_count(); i += test_character_step()) {
        test_stage stage = test_stage_character(i);
        compare_stage(&stage, outcomes);
    }
    judge(outcomes);
}

static void normals_of_random_rigs_are_those_of_the_moved_surface(void** state) {
    (void)state;
    compare_rigs();
}

static void normals_of_characters_are_those_of_the_moved_surface(void** state) {
    (void)state;
    compare_characters();
}

static void normals_along_chains_are_those_of_the_moved_surface(void** state) {
    (void)state;
    compose = LIMBER_COMPOSE_CHAIN;
    compare_rigs();
    compare_characters();
    compose = LIMBER_COMPOSE_SUM;
}

static int free_looks(void** state) {
    (void)state;
    test_looks_free();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normals_of_random_rigs_are_those_of_the_moved_surface),
        cmocka_unit_test(normals_of_characters_are_those_of_the_moved_surface),
        cmocka_unit_test(normals_along_chains_are_those_of_the_moved_surface),
    };
    return cmocka_run_group_tests_name("kernel_normals", tests, NULL, free_looks);
}
