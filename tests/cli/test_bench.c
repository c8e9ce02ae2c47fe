// The benchmark measures what it says: every joint moves, pairs are counted, rows have the shape scripts expect.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/bench.h"
#include "characters/characters.h"
#include "kit/program.h"
#include "text/json.h"

static answer said; // by the last run

static int run(const char* arguments) {
    said = test_limber("", "bench", arguments);
    return said.status;
}

static limberi_json_document read_answer(void) {
    limberi_json_rules rules = limberi_json_rules_exact();
    limberi_json_document json;
    limber_error error;
    if (limberi_json_read(said.text, strlen(said.text), &rules, &json, &error) != LIMBER_OK)
        fail_msg("%s: %s: %s", error.place, error.message, said.text);
    return json;
}

static double number_of(const limberi_json* row, const char* key) {
    const limberi_json* value = limberi_json_get(row, key);
    assert_true(limberi_json_is_number(value));
    return limberi_json_as_number(value);
}

static const char* text_of(const limberi_json* row, const char* key) {
    const char* value = limberi_json_as_text(limberi_json_get(row, key));
    assert_non_null(value);
    return value;
}

// The row of a character, set and thread count; there must be exactly one.
static const limberi_json* find_row(const limberi_json* rows, const char* character, const char* effects, int threads) {
    const limberi_json* found = NULL;
    for (size_t i = 0; i < limberi_json_count(rows); i++) {
        const limberi_json* row = limberi_json_at(rows, i);
        if (strcmp(text_of(row, "character"), character) == 0 && strcmp(text_of(row, "effects"), effects) == 0 &&
            (int)number_of(row, "threads") == threads) {
            assert_null(found);
            found = row;
        }
    }
    if (!found)
        fail_msg("no row for %s, %s, %d threads", character, effects, threads);
    return found;
}

static void check_ratio(const limberi_json* rows, const char* character, const char* effects, int threads) {
    const limberi_json *row = find_row(rows, character, effects, threads),
                       *skin = find_row(rows, character, "skin", threads);
    double ns = number_of(row, "ns_per_vertex"), ratio = number_of(row, "ratio_to_skinning");
    assert_true(isfinite(ns) && ns > 0);
    assert_true(fabs(ratio * number_of(skin, "ns_per_vertex") / ns - 1) < 0.01);
    assert_true(number_of(row, "spread_percent") >= 0);
}

static void rows_for_scripts_have_every_set_with_its_ratio(void** state) {
    (void)state;
    static const char* const characters[] = {"cow", "giraffe", "dancer"};
    static const char* const sets[] = {"skin", "velocity", "affine", "all", "smear"};
    assert_int_equal(run("--quick --json --threads 2"), 0);
    limberi_json_document json = read_answer();
    const limberi_json* rows = json.root;
    assert_true(limberi_json_is(rows, LIMBERI_JSON_ARRAY));
    assert_int_equal(limberi_json_count(rows), 3 * (5 + 4));
    for (int c = 0; c < 3; c++)
        for (int s = 0; s < 5; s++)
            for (int threads = 1; threads <= (s == 4 ? 1 : 2); threads++)
                check_ratio(rows, characters[c], sets[s], threads);
    limberi_json_free(&json);
}

static void the_table_names_every_set(void** state) {
    (void)state;
    assert_int_equal(run("--quick --threads 1"), 0);
    for (int set = 0; set < BENCH_SET_COUNT; set++)
        if (!strstr(said.text, bench_set_name((bench_set)set)))
            fail_msg("no row for %s in '%s'", bench_set_name((bench_set)set), said.text);
    assert_null(strstr(said.text, "nan "));
    assert_null(strstr(said.text, "inf "));
}

static void wrong_command_lines_are_refused(void** state) {
    (void)state;
    assert_int_equal(run("--threads 0"), 2);
    assert_int_equal(run("--threads 100000"), 2);
    assert_int_equal(run("--quickly"), 2);
    assert_int_equal(run("cow.glb"), 2);
    assert_int_equal(strncmp(said.text, "limber: ", 8), 0);
}

static float length_of(limber_vec3 v) {
    return sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
}

// Joints that do not move cost nothing: with any of them at rest the numbers would be too good.
static void check_moves(const limber_asset* moving) {
    const limber_model* model = limber_asset_model(moving);
    limber_motion_settings settings = limber_motion_settings_default();
    limber_kinematics motion;
    assert_int_equal(limber_kinematics_create(model, &motion), LIMBER_OK);
    for (uint32_t f = 0; f < 8; f++) {
        assert_int_equal(limber_motion_from_clip(model, &model->clips[0], &settings, bench_frame_time(f), &motion),
                         LIMBER_OK);
        for (uint32_t j = 0; j < model->rig.joint_count; j++) {
            assert_true(length_of(motion.velocity[j]) > 1e-7f * model->size);
            assert_true(length_of(motion.acceleration[j]) > 1e-7f * model->size);
            assert_true(length_of(motion.angular_velocity[j]) > 1e-4f);
            assert_true(length_of(motion.angular_acceleration[j]) > 1e-4f);
        }
    }
    limber_kinematics_destroy(&motion);
}

static void every_joint_moves_in_every_measured_frame(void** state) {
    (void)state;
    limber_asset *cow, *moving;
    limber_error error;
    assert_int_equal(limberi_character_create("cow", 1, &cow, &error), LIMBER_OK);
    assert_int_equal(bench_moving(cow, &moving, &error), LIMBER_OK);
    check_moves(moving);
    limber_asset_destroy(moving);
    limber_asset_destroy(cow);
    for (int bush = 0; bush < 2; bush++) {
        assert_int_equal(bench_rig(64, 1000, bush == 1, &moving, &error), LIMBER_OK);
        check_moves(moving);
        limber_asset_destroy(moving);
    }
}

static void pairs_are_those_of_the_upward_weights(void** state) {
    (void)state;
    for (int bush = 0; bush < 2; bush++) {
        limber_asset* asset;
        limber_error error;
        float dense[32];
        double pairs = 0;
        assert_int_equal(bench_rig(32, 1000, bush == 1, &asset, &error), LIMBER_OK);
        const limber_model* model = limber_asset_model(asset);
        for (uint32_t v = 0; v < model->vertex_count; v++) {
            limber_mesh_upward_weights(model, &model->meshes[0], v, dense);
            for (uint32_t j = 0; j < 32; j++)
                pairs += dense[j] > 0;
        }
        assert_true(fabs(bench_pairs_per_vertex(asset) - pairs / 1000) < 1e-9);
        if (!bush) // vertices of joint j hang on 0 ... j
            assert_true(fabs(pairs / 1000 - 16.5) < 0.2);
        limber_asset_destroy(asset);
    }
}

// Without EGL there is one line that says what to install.
static void graphics_card_rows_have_every_set_and_path(void** state) {
    (void)state;
    int status = run("gpu --quick --json --scene \"150k vertices, 12\"");
    if (status == 1 && strstr(said.text, "EGL")) {
        print_message("skipped: %s", said.text);
        skip();
    }
    assert_int_equal(status, 0);
    limberi_json_document json = read_answer();
    const limberi_json* rows = json.root;
    static const char* const sets[] = {"skin",          "velocity",         "overlap",         "overlap+ground",
                                       "overlap+world", "velocity+normals", "overlap+normals", "everything"};
    uint32_t drawn = 0;
    for (size_t i = 0; i < limberi_json_count(rows); i++) {
        const limberi_json* row = limberi_json_at(rows, i);
        assert_true(number_of(row, "ms") > 0);
        assert_true(number_of(row, "bytes_per_vertex") <= 1.25 * 48);
        bool known = false;
        for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
            known = known || strcmp(text_of(row, "effects"), sets[s]) == 0;
        assert_true(known);
        drawn += strcmp(text_of(row, "path"), "draw") == 0;
        if (strcmp(text_of(row, "effects"), "skin") == 0)
            assert_true(fabs(number_of(row, "ratio_to_skinning") - 1) < 1e-9);
    }
    assert_int_equal(drawn, sizeof sets / sizeof *sets);
    limberi_json_free(&json);
}

static void unknown_scenes_and_benchmarks_are_refused(void** state) {
    (void)state;
    assert_int_equal(run("cpu"), 2);
    assert_non_null(strstr(said.text, "'cpu'"));
    assert_int_equal(run("--scene cows"), 2);
    int status = run("gpu --scene elephants");
    assert_true(status == 2 || (status == 1 && strstr(said.text, "EGL")));
    status = run("gpu --picture /nowhere/at/all/meadow.png");
    assert_int_equal(status, 1);
    assert_non_null(strstr(said.text, "limber: "));
}

// What a character with a single clip and its pipeline hold with a set of effects, in bytes.
static double memory_with(const char* name, bench_set set) {
    limber_asset *given, *asset;
    limber_pipeline* pipeline;
    limber_stage_settings settings = bench_settings(set);
    assert_int_equal(limberi_character_create(name, 1, &given, NULL), LIMBER_OK);
    double before = bench_memory();
    assert_int_equal(bench_moving(given, &asset, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
    double bytes = bench_memory() - before;
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
    limber_asset_destroy(given);
    return bytes;
}

static void effects_take_at_most_a_quarter_more_memory_than_skinning(void** state) {
    (void)state;
    static const char* const names[] = {"cow", "giraffe", "dancer"};
    static const bench_set sets[] = {BENCH_VELOCITY, BENCH_JACOBIAN, BENCH_AVERAGED};
    for (int c = 0; c < 3; c++) {
        double plain = memory_with(names[c], BENCH_SKIN);
        if (plain <= 0) // not known here
            skip();
        for (int s = 0; s < 3; s++) {
            double ratio = memory_with(names[c], sets[s]) / plain;
            print_message("%s, %s: %.2f times the memory of plain skinning\n", names[c], bench_set_name(sets[s]),
                          ratio);
            assert_true(ratio > 1 && ratio <= 1.25);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_take_at_most_a_quarter_more_memory_than_skinning),
        cmocka_unit_test(graphics_card_rows_have_every_set_and_path),
        cmocka_unit_test(unknown_scenes_and_benchmarks_are_refused),
        cmocka_unit_test(rows_for_scripts_have_every_set_with_its_ratio),
        cmocka_unit_test(the_table_names_every_set),
        cmocka_unit_test(wrong_command_lines_are_refused),
        cmocka_unit_test(every_joint_moves_in_every_measured_frame),
        cmocka_unit_test(pairs_are_those_of_the_upward_weights),
    };
    return cmocka_run_group_tests_name("bench", tests, NULL, NULL);
}
