// Rigid parts in the shader against the CPU: characters with props, painted parts, crowds, every way to run it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/looks.h"
#include "kit/models.h"
#include "kit/props.h"
#include "pipeline/state.h"
#include "render/gl/deform_gpu.h"

static const double tolerance = 1e-4; // of L
static const double sideways = 3;     // degrees

static limberi_gpu* gpu;

static bool have_gpu(void) {
    limber_error error;
    if (gpu || limberi_gpu_create(&gpu, &error) == LIMBER_OK)
        return true;
    print_message("skipped: %s\n", error.message);
    return false;
}

typedef struct run_settings {
    limberi_gpu_path path;
    bool dynamic;
    limber_skinning skinning;
    limber_compose compose;
    limber_rigid_mode rigid;
} run_settings;

typedef struct stage {
    const limber_model* model;
    limber_pipeline* pipeline;
    limberi_gpu_character* character;
    run_settings way;
    float *got, *got_normals;
} stage;

static stage open_stage(limber_asset* asset, const char* look, run_settings way) {
    stage s = {.model = limber_asset_model(asset), .way = way};
    limber_stage_settings settings = limber_stage_settings_default();
    limber_error error;
    settings.skinning = way.skinning;
    settings.deform.normals = LIMBER_NORMALS_JACOBIAN;
    test_look_named(look)->set(&settings.deform, &(test_look_target){s.model, 0, NULL, NULL});
    settings.deform.compose = way.compose;
    settings.rigid.mode = way.rigid;
    const limberi_gpu_settings wanted = {.instances = 1, .dynamic = way.dynamic};
    if (limber_pipeline_create_from_settings(asset, &settings, &s.pipeline, &error) != LIMBER_OK ||
        limberi_gpu_character_create(gpu, s.pipeline, &wanted, &s.character, &error) != LIMBER_OK)
        fail_msg("%s: %s", look, error.message);
    s.got = calloc(3 * (size_t)s.model->vertex_count, sizeof *s.got);
    s.got_normals = calloc(3 * (size_t)s.model->vertex_count, sizeof *s.got_normals);
    assert_true(s.got && s.got_normals);
    return s;
}

static void close_stage(stage* s) {
    limberi_gpu_character_destroy(s->character);
    limber_pipeline_destroy(s->pipeline);
    free(s->got);
    free(s->got_normals);
}

static double distance(const float* a, const float* b) {
    return (double)limberi_length(limberi_sub(limberi_load3(a), limberi_load3(b)));
}

static void run(const stage* s) {
    limber_error error;
    if (limberi_gpu_character_pose(s->character, 0, &error) != LIMBER_OK ||
        limberi_gpu_character_run(s->character, s->way.path, &error) != LIMBER_OK ||
        limberi_gpu_character_read(s->character, 0, s->got, s->got_normals, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
}

typedef struct tally {
    double apart, moved;      // of L; the second is of rigid parts
    uint64_t normals, turned; // of rigid parts
} tally;

static void compare_frame(const stage* s, int32_t clip, double time_s, tally* t) {
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(s->pipeline, clip, time_s, &frame), LIMBER_OK);
    run(s); // and leaves the frame alone
    const limber_rigid_parts* parts = limber_pipeline_rigid_parts(s->pipeline);
    for (size_t u = 0; u < s->model->vertex_count; u++) {
        double apart = distance(frame.positions + 3 * u, s->got + 3 * u) / (double)s->model->size;
        t->apart = fmax(t->apart, apart);
        if (!(apart <= tolerance))
            fail_msg("%g s: vertex %zu is %.2g of L away from where the CPU puts it", time_s, u, apart);
        if (!parts || limber_rigid_part_of_vertex(parts)[u] < 0)
            continue;
        limber_vec3 a = limberi_load3(frame.normals + 3 * u), b = limberi_load3(s->got_normals + 3 * u);
        t->normals++;
        t->turned += !(limberi_dot(a, b) > cosf((float)(sideways * 3.14159265 / 180)));
        t->moved = fmax(t->moved, distance(frame.positions + 3 * u, frame.skinned + 3 * u) / (double)s->model->size);
    }
}

static void compare_clips(const stage* s, tally* t) {
    for (uint32_t clip = 0; clip < s->model->clip_count && clip < 2; clip++) {
        const limber_clip* c = &s->model->clips[clip];
        for (int i = 0; i < 3; i++)
            compare_frame(s, (int32_t)clip, c->start_s + (0.15 + 0.3 * i) * (c->end_s - c->start_s), t);
    }
}

static void compare_character(limber_asset* asset, const char* name, const char* look, run_settings way) {
    tally t = {0};
    way.rigid = LIMBER_RIGID_AUTO;
    stage s = open_stage(asset, look, way);
    compare_clips(&s, &t);
    print_message("%s, %s: at most %.2g of L apart, parts moved by up to %.2g; %llu of %llu normals turned\n", name,
                  look, t.apart, t.moved, (unsigned long long)t.turned, (unsigned long long)t.normals);
    assert_true(t.normals && t.moved > 0.01);
    assert_true(t.turned * 200 <= t.normals);
    close_stage(&s);
}

static void rigid_parts_of_characters_are_where_the_cpu_puts_them(void** state) {
    static const char* const names[] = {"hero", "toon", "cow", "snail"};
    static const char* const looks[] = {"overlap and squash", "overlap by a layer", "formulas per vertex"};
    (void)state;
    if (!have_gpu())
        skip();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        limber_asset* asset = test_built_in(names[i], 1);
        for (int k = 0; k < 3; k++) {
            if (((int)i + k) % 2 && !getenv("LIMBER_TEST_LONG"))
                continue;
            run_settings way = {.skinning = (limber_skinning)(i % 2), .compose = (limber_compose)(k == 0)};
            compare_character(asset, names[i], looks[k], way);
        }
        limber_asset_destroy(asset);
    }
}

// One part holds half of what it has, the other most of it.
static limber_asset* painted(void) {
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_box(props, "Sword", PROP_HAND, limberi_vec3(2.1f, -0.3f, -0.03f), limberi_vec3(2.2f, 1.6f, 0.03f));
    test_props_paint(props, 0.45f);
    test_props_box(props, "Shield", PROP_ELBOW, limberi_vec3(1.2f, -0.6f, 0.1f), limberi_vec3(1.6f, 0.6f, 0.2f));
    test_props_paint(props, 0.85f);
    return test_props_end(props);
}

static void every_way_mixes_painted_parts(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    limber_asset* asset = painted();
    for (int i = 0; i < 8; i++) {
        run_settings way = {.path = i & 1 ? LIMBERI_GPU_COMPUTE : LIMBERI_GPU_FEEDBACK,
                            .dynamic = i >> 1 & 1,
                            .skinning = (limber_skinning)(i >> 2)};
        if (limberi_gpu_can(gpu, way.path))
            compare_character(asset, "painted", "floppy", way);
    }
    limber_asset_destroy(asset);
}

static void parts_that_nothing_moves_stay_to_the_last_bit(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    limber_asset* asset = test_sword_create();
    stage soft = open_stage(asset, "floppy", (run_settings){.rigid = LIMBER_RIGID_OFF});
    stage hard = open_stage(asset, "floppy", (run_settings){.rigid = LIMBER_RIGID_AUTO});
    assert_non_null(limber_pipeline_rigid_parts(hard.pipeline));
    const stage* both[2] = {&soft, &hard};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(limber_pipeline_evaluate_joints(both[i]->pipeline, -1, 0), LIMBER_OK);
        run(both[i]);
    }
    assert_memory_equal(soft.got, hard.got, 12 * (size_t)soft.model->vertex_count);
    close_stage(&soft);
    close_stage(&hard);
    limber_asset_destroy(asset);
}

static void every_character_of_a_crowd_has_its_own_parts(void** state) {
    enum { CROWD = 3 };
    (void)state;
    if (!have_gpu())
        skip();
    limber_asset* asset = test_sword_create();
    limber_error error;
    stage s = open_stage(asset, "floppy", (run_settings){.rigid = LIMBER_RIGID_AUTO});
    const limberi_gpu_settings wanted = {.instances = CROWD};
    limberi_gpu_character* crowd;
    assert_int_equal(limberi_gpu_character_create(gpu, s.pipeline, &wanted, &crowd, &error), LIMBER_OK);
    for (uint32_t i = 0; i < CROWD; i++) { // the middle one stands still
        assert_int_equal(limber_pipeline_evaluate_joints(s.pipeline, i == 1 ? -1 : 0, 0.1 + 0.2 * i), LIMBER_OK);
        assert_int_equal(limberi_gpu_character_pose(crowd, i, &error), LIMBER_OK);
    }
    assert_int_equal(limberi_gpu_character_run(crowd, LIMBERI_GPU_FEEDBACK, &error), LIMBER_OK);
    for (uint32_t i = 0; i < CROWD; i++) {
        limber_frame frame;
        assert_int_equal(limber_pipeline_evaluate(s.pipeline, i == 1 ? -1 : 0, 0.1 + 0.2 * i, &frame), LIMBER_OK);
        assert_int_equal(limberi_gpu_character_read(crowd, i, s.got, NULL, &error), LIMBER_OK);
        for (size_t u = 0; u < s.model->vertex_count; u++)
            assert_true(distance(frame.positions + 3 * u, s.got + 3 * u) <= tolerance * (double)s.model->size);
    }
    limberi_gpu_character_destroy(crowd);
    close_stage(&s);
    limber_asset_destroy(asset);
}

static int close_gpu(void** state) {
    (void)state;
    limberi_gpu_destroy(gpu);
    test_looks_free();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_mixes_painted_parts),
        cmocka_unit_test(parts_that_nothing_moves_stay_to_the_last_bit),
        cmocka_unit_test(every_character_of_a_crowd_has_its_own_parts),
        cmocka_unit_test(rigid_parts_of_characters_are_where_the_cpu_puts_them),
    };
    return cmocka_run_group_tests(tests, NULL, close_gpu);
}
