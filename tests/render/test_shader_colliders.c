// Colliders in the shader against the CPU: skirts and capes, all shapes, painted ones, on the ground, crowds.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/gpu_stage.h"
#include "kit/models.h"

static const double tolerance = 2e-4; // of L

#define LAG "\"compose\": \"chain\", \"effects\": {\"overlap\": {\"gain\": 6, \"max\": 60}}"
#define BENDS "\"skinning\": \"dualquat\", \"effects\": {\"floppy\": {\"angular\": 0.5, \"max_bend\": 60}}"
#define GROUND "\"contact\": 1, \"rigid\": \"auto\", \"impact\": {\"gain\": 0.8}"
#define OWN                                                                                                            \
    "[\"auto\", {\"capsule\": {\"joint\": \"LegUpper*\", \"to\": [0, 0.3, 0], \"radius\": 0.12}, \"obey\": "           \
    "[\"Skirt*\"]}, {\"sphere\": {\"joint\": \"Head\", \"center\": [0, 0.1, 0], \"radius\": 0.15}, \"layer\": "        \
    "\"ramp\"}, {\"sphere\": {\"joint\": \"Hips\", \"radius\": 0.25}, \"layer\": \"ramp\"}, {\"plane\": {\"point\": "  \
    "[0, 0, -0.1], \"normal\": [0, 0, 1]}}]"
#define STYLE(colliders, rest) "{\"limber\": 1, \"normals\": \"jacobian\", \"colliders\": " colliders ", " rest "}"

// --- one character, one style ---

typedef struct tally {
    double apart;   // of L
    double changed; // of L: how far colliders took a vertex
    uint64_t normals, turned, turned_by_them;
} tally;

// `without`: the same style without colliders.
static void compare_frame(const stage* s, limber_pipeline* without, int32_t clip, double time_s, tally* t) {
    limber_frame frame, free_frame;
    limber_error error;
    double size = (double)s->model->size;
    assert_int_equal(limber_pipeline_evaluate(without, clip, time_s, &free_frame), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(s->pipeline, clip, time_s, &frame), LIMBER_OK);
    if (limberi_gpu_character_pose(s->character, 0, &error) != LIMBER_OK ||
        limberi_gpu_character_run(s->character, s->path, &error) != LIMBER_OK ||
        limberi_gpu_character_read(s->character, 0, s->got, s->got_normals, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    for (size_t at = 0; at < 3 * (size_t)s->model->vertex_count; at += 3) {
        double apart = distance(frame.positions + at, s->got + at) / size;
        if (!(apart <= tolerance))
            fail_msg("clip %d, %g s: vertex %zu is %.2g of L away from where the CPU puts it", (int)clip, time_s,
                     at / 3, apart);
        t->apart = fmax(t->apart, apart);
        t->changed = fmax(t->changed, distance(frame.positions + at, free_frame.positions + at) / size);
        t->normals++;
        t->turned += is_turned(frame.normals + at, s->got_normals + at);
        t->turned_by_them += is_turned(frame.normals + at, free_frame.normals + at);
    }
}

static void compare_clips(const stage* s, limber_pipeline* without, int moments, tally* t) {
    for (uint32_t clip = 0; clip < s->model->clip_count && clip < 3; clip++) {
        const limber_clip* c = &s->model->clips[clip];
        for (int i = 0; i < moments; i++)
            compare_frame(s, without, (int32_t)clip, c->start_s + (i + 0.35) / moments * (c->end_s - c->start_s), t);
    }
}

static void compare(const limber_asset* asset, const char* name, const char* style, const char* free_style,
                    limberi_gpu_path path, bool dynamic) {
    tally t = {0};
    stage s = open_stage(asset, style, path, dynamic);
    limber_pipeline* without = make_pipeline(asset, free_style);
    compare_clips(&s, without, 7, &t);
    print_message("%s: at most %.2g of L apart, colliders move by up to %.2g; normals: %llu of %llu turned, %llu by "
                  "them\n",
                  name, t.apart, t.changed, (unsigned long long)t.turned, (unsigned long long)t.normals,
                  (unsigned long long)t.turned_by_them);
    assert_true(t.changed > 0.01);
    assert_true(t.turned * 200 <= t.normals);
    assert_true(t.turned * 20 <= t.turned_by_them);
    limber_pipeline_destroy(without);
    close_stage(&s);
}

// --- tests ---

static void skirts_and_capes_are_where_the_cpu_puts_them(void** state) {
    static const char* const names[] = {"dancer", "hero", "cow"};
    (void)state;
    if (!have_gpu())
        skip();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        limber_asset* asset = test_built_in(names[i], 0.5);
        compare(asset, names[i], STYLE("\"auto\"", LAG), STYLE("\"none\"", LAG), LIMBERI_GPU_FEEDBACK, false);
        compare(asset, names[i], STYLE("\"auto\"", GROUND ", " LAG), STYLE("\"none\"", GROUND ", " LAG),
                LIMBERI_GPU_FEEDBACK, false);
        limber_asset_destroy(asset);
    }
}

// From the bottom to the top.
static limber_asset* painted(const limber_model* given) {
    limber_model model = *given;
    limber_mesh mesh = given->meshes[0];
    limber_layer layer = {.name = "ramp"};
    float* values = calloc(mesh.vertex_count, sizeof *values);
    assert_non_null(values);
    for (uint32_t u = 0; u < mesh.vertex_count; u++)
        values[u] = fmaxf(0, fminf(1.5f * mesh.positions[3 * (size_t)u + 1] / given->size, 1));
    layer.values = values;
    mesh.layers = &layer;
    mesh.layer_count = 1;
    model.meshes = &mesh;
    model.mesh_count = 1;
    limber_asset* asset;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    free(values);
    return asset;
}

static void every_way_runs_every_shape(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    limber_asset *whole = test_built_in("dancer", 0.5), *asset = painted(limber_asset_model(whole));
    for (int i = 0; i < 4; i++) {
        limberi_gpu_path path = i & 1 ? LIMBERI_GPU_COMPUTE : LIMBERI_GPU_FEEDBACK;
        if (!limberi_gpu_can(gpu, path))
            continue;
        compare(asset, "all shapes", STYLE(OWN, BENDS), STYLE("\"none\"", BENDS), path, i >> 1);
        compare(asset, "all shapes, on the ground", STYLE(OWN, GROUND ", " BENDS), STYLE("\"none\"", GROUND ", " BENDS),
                path, i >> 1);
    }
    limber_asset_destroy(asset);
    limber_asset_destroy(whole);
}

static void every_character_of_a_crowd_has_its_own_colliders(void** state) {
    enum { CROWD = 3 };
    static const int32_t clips[CROWD] = {1, -1, 0};
    (void)state;
    if (!have_gpu())
        skip();
    limber_asset* asset = test_built_in("hero", 0.5);
    limber_error error;
    stage s = open_stage(asset, STYLE("\"auto\"", GROUND ", " LAG), LIMBERI_GPU_FEEDBACK, false);
    const limberi_gpu_settings wanted = {.instances = CROWD};
    limberi_gpu_character* crowd;
    assert_int_equal(limberi_gpu_character_create(gpu, s.pipeline, &wanted, &crowd, &error), LIMBER_OK);
    for (uint32_t i = 0; i < CROWD; i++) { // the middle one stands still
        assert_int_equal(limber_pipeline_evaluate_joints(s.pipeline, clips[i], 0.3 + 0.2 * i), LIMBER_OK);
        assert_int_equal(limberi_gpu_character_pose(crowd, i, &error), LIMBER_OK);
    }
    assert_int_equal(limberi_gpu_character_run(crowd, LIMBERI_GPU_FEEDBACK, &error), LIMBER_OK);
    for (uint32_t i = 0; i < CROWD; i++) {
        limber_frame frame;
        assert_int_equal(limber_pipeline_evaluate(s.pipeline, clips[i], 0.3 + 0.2 * i, &frame), LIMBER_OK);
        assert_int_equal(limberi_gpu_character_read(crowd, i, s.got, NULL, &error), LIMBER_OK);
        for (size_t at = 0; at < 3 * (size_t)s.model->vertex_count; at += 3)
            assert_true(distance(frame.positions + at, s.got + at) <= tolerance * (double)s.model->size);
    }
    limberi_gpu_character_destroy(crowd);
    close_stage(&s);
    limber_asset_destroy(asset);
}

static int close_gpu(void** state) {
    (void)state;
    limberi_gpu_destroy(gpu);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skirts_and_capes_are_where_the_cpu_puts_them),
        cmocka_unit_test(every_way_runs_every_shape),
        cmocka_unit_test(every_character_of_a_crowd_has_its_own_colliders),
    };
    return cmocka_run_group_tests(tests, NULL, close_gpu);
}
