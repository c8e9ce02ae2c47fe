// Contacts and impacts in the shader against the CPU: landings, planted feet, painted contacts, edited clips, crowds.
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

#define LAG "\"effects\": {\"overlap\": {\"gain\": 3.5, \"max\": 37, \"linear\": 1}, \"squash\": {\"linear\": 0.08}}"
#define GROUND "\"contact\": 1, \"impact\": {\"gain\": 0.8}, \"normals\": \"jacobian\""
#define WHOLE "{\"limber\": 1, \"compose\": \"chain\", " GROUND ", " LAG "}"
#define RIGID "{\"limber\": 1, \"compose\": \"chain\", \"rigid\": \"auto\", " GROUND ", " LAG "}"
#define BENDS "\"skinning\": \"dualquat\", \"normals\": \"jacobian\", \"effects\": {\"floppy\": {\"angular\": 0.4}}"
#define SUM "{\"limber\": 1, \"contact\": 0.6, \"impact\": {\"gain\": 0.8}, " BENDS "}"
#define FREE_SUM "{\"limber\": 1, " BENDS "}"
#define LANDS "{\"limber\": 1, \"impact\": {\"gain\": 0.8}, \"normals\": \"jacobian\"}"
#define FLOATS "{\"limber\": 1, \"compose\": \"chain\", \"normals\": \"jacobian\", " LAG "}"
#define EDITED                                                                                                         \
    "{\"limber\": 1, \"contact\": 1, \"rigid\": \"auto\", \"normals\": \"jacobian\", \"exaggerate\": {\"filter\": "    \
    "{\"amount\": 0.7, \"sigma\": 0.12}, \"constraints\": \"auto\", \"strength\": 0.09}}"

// --- one character, one style ---

typedef struct tally {
    double apart;   // of L
    double changed; // of L: how far contacts and impacts took a vertex
    uint64_t normals, turned, turned_by_ground;
} tally;

// `without`: the same style on no ground.
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
        t->turned_by_ground += is_turned(frame.normals + at, free_frame.normals + at);
    }
}

// The first two clips walk and jump, or bounce and roll.
static void compare_clips(const stage* s, limber_pipeline* without, int moments, tally* t) {
    for (uint32_t clip = 0; clip < s->model->clip_count && clip < 2; clip++) {
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
    compare_clips(&s, without, 9, &t);
    print_message(
        "%s: at most %.2g of L apart, the ground moves by up to %.2g; normals: %llu of %llu turned, %llu by it\n", name,
        t.apart, t.changed, (unsigned long long)t.turned, (unsigned long long)t.normals,
        (unsigned long long)t.turned_by_ground);
    assert_true(t.changed > 0.01);
    assert_true(t.turned * 200 <= t.normals);
    assert_true(t.turned * 20 <= t.turned_by_ground);
    limber_pipeline_destroy(without);
    close_stage(&s);
}

// --- tests ---

static void characters_stand_and_land_as_on_the_cpu(void** state) {
    static const char* const names[] = {"toon", "hero", "ball", "dog", "cow"};
    (void)state;
    if (!have_gpu())
        skip();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        limber_asset* asset = test_built_in(names[i], 0.5);
        compare(asset, names[i], WHOLE, FLOATS, LIMBERI_GPU_FEEDBACK, false);
        compare(asset, names[i], RIGID, FLOATS, LIMBERI_GPU_FEEDBACK, false);
        limber_asset_destroy(asset);
    }
}

static void landings_need_neither_contacts_nor_effects(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    limber_asset* asset = test_built_in("ball", 0.5);
    compare(asset, "ball", LANDS, "{\"limber\": 1, \"normals\": \"jacobian\"}", LIMBERI_GPU_FEEDBACK, false);
    limber_asset_destroy(asset);
}

static void edited_clips_stay_above_the_floor(void** state) {
    static const char* const names[] = {"toon", "hero", "dog"};
    (void)state;
    if (!have_gpu())
        skip();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        limber_asset* asset = test_built_in(names[i], 0.5);
        stage s = open_stage(asset, EDITED, LIMBERI_GPU_FEEDBACK, false);
        tally t = {0};
        compare_clips(&s, s.pipeline, 9, &t);
        print_message("%s, edited: at most %.2g of L apart\n", names[i], t.apart);
        assert_true(t.turned * 200 <= t.normals);
        close_stage(&s);
        limber_asset_destroy(asset);
    }
}

static void every_way_runs_it(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    limber_asset* asset = test_built_in("dog", 0.5);
    for (int i = 0; i < 4; i++) {
        limberi_gpu_path path = i & 1 ? LIMBERI_GPU_COMPUTE : LIMBERI_GPU_FEEDBACK;
        if (limberi_gpu_can(gpu, path))
            compare(asset, "dog", SUM, FREE_SUM, path, i >> 1);
    }
    limber_asset_destroy(asset);
}

// Contacts count less and less from the left to the right.
static limber_asset* painted(const limber_model* given) {
    limber_model model = *given;
    limber_mesh mesh = given->meshes[0];
    limber_layer layer = {.name = "contact"};
    float* values = calloc(mesh.vertex_count, sizeof *values);
    assert_non_null(values);
    for (uint32_t u = 0; u < mesh.vertex_count; u++)
        values[u] = fmaxf(0, fminf(0.5f + 3 * mesh.positions[3 * (size_t)u] / given->size, 1));
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

static void painted_contacts_count_by_vertex(void** state) {
    (void)state;
    if (!have_gpu())
        skip();
    limber_asset *whole = test_built_in("toon", 0.5), *asset = painted(limber_asset_model(whole));
    compare(asset, "painted", WHOLE, FLOATS, LIMBERI_GPU_FEEDBACK, false);
    compare(asset, "painted", RIGID, FLOATS, LIMBERI_GPU_FEEDBACK, true);
    // The layer is what makes the difference.
    limber_pipeline *even = make_pipeline(whole, WHOLE), *uneven = make_pipeline(asset, WHOLE);
    limber_frame a, b;
    double max = 0;
    assert_int_equal(limber_pipeline_evaluate(even, 0, 0.2, &a), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(uneven, 0, 0.2, &b), LIMBER_OK);
    for (size_t at = 0; at < 3 * (size_t)limber_asset_model(asset)->vertex_count; at += 3)
        max = fmax(max, distance(a.positions + at, b.positions + at));
    assert_true(max > 0.003 * (double)limber_asset_model(whole)->size);
    limber_pipeline_destroy(even);
    limber_pipeline_destroy(uneven);
    limber_asset_destroy(asset);
    limber_asset_destroy(whole);
}

// In the air, on the ground, and at rest, where nothing is known of the ground.
static void every_character_of_a_crowd_has_its_own_ground(void** state) {
    enum { CROWD = 4 };
    static const int32_t clips[CROWD] = {1, 0, -1, 1};
    static const double times[CROWD] = {1.1, 0.1, 0, 1.5};
    (void)state;
    if (!have_gpu())
        skip();
    limber_asset* asset = test_built_in("toon", 0.5);
    limber_error error;
    stage s = open_stage(asset, RIGID, LIMBERI_GPU_FEEDBACK, false);
    const limberi_gpu_settings wanted = {.instances = CROWD};
    limberi_gpu_character* crowd;
    assert_int_equal(limberi_gpu_character_create(gpu, s.pipeline, &wanted, &crowd, &error), LIMBER_OK);
    for (uint32_t i = 0; i < CROWD; i++) {
        assert_int_equal(limber_pipeline_evaluate_joints(s.pipeline, clips[i], times[i]), LIMBER_OK);
        assert_int_equal(limberi_gpu_character_pose(crowd, i, &error), LIMBER_OK);
    }
    assert_int_equal(limberi_gpu_character_run(crowd, LIMBERI_GPU_FEEDBACK, &error), LIMBER_OK);
    for (uint32_t i = 0; i < CROWD; i++) {
        limber_frame frame;
        assert_int_equal(limber_pipeline_evaluate(s.pipeline, clips[i], times[i], &frame), LIMBER_OK);
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
        cmocka_unit_test(landings_need_neither_contacts_nor_effects),
        cmocka_unit_test(characters_stand_and_land_as_on_the_cpu),
        cmocka_unit_test(edited_clips_stay_above_the_floor),
        cmocka_unit_test(every_way_runs_it),
        cmocka_unit_test(painted_contacts_count_by_vertex),
        cmocka_unit_test(every_character_of_a_crowd_has_its_own_ground),
    };
    return cmocka_run_group_tests(tests, NULL, close_gpu);
}
