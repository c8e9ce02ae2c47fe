// `limber exaggerate` as a user meets it: exit status, one line of error, a complete file or no file.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/models.h"
#include "kit/program.h"
#include <limber/bvh.h>

static void succeed(const char* arguments, const char* words) {
    test_succeeds("", arguments, words);
}

static void expect_failure(const char* arguments, int status, const char* words) {
    test_fails("", "", arguments, status, words, 1);
    assert_int_not_equal(access("out.glb", F_OK), 0);
    assert_int_not_equal(access("out.bvh", F_OK), 0);
}

static int make_files(void** state) {
    (void)state;
    if (test_folder_enter() || test_tube_write("tube.glb", 5, 1.5f, 30, true))
        return -1;
    return test_limber("", "convert", "tube.glb -o tube.bvh").status;
}

static int remove_files(void** state) {
    (void)state;
    return unlink("tube.glb") || unlink("tube.bvh") || test_folder_leave();
}

// The largest difference between the joints of two files at the same frames, in the first clip.
static float largest_move(const char* before, const char* after, double from_s, double to_s) {
    limber_gltf *a, *b;
    limber_pose p, q;
    assert_int_equal(limber_gltf_load_file(before, NULL, &a, NULL), LIMBER_OK);
    assert_int_equal(limber_gltf_load_file(after, NULL, &b, NULL), LIMBER_OK);
    const limber_model *x = limber_asset_model(limber_gltf_asset(a)), *y = limber_asset_model(limber_gltf_asset(b));
    assert_int_equal(limber_pose_create(x, &p), LIMBER_OK);
    assert_int_equal(limber_pose_create(y, &q), LIMBER_OK);
    float max = 0;
    for (double t = from_s; t <= to_s + 1e-9; t += 1 / 30.0) {
        limber_clip_sample(x, &x->clips[0], t, &p);
        limber_clip_sample(y, &y->clips[0], t, &q);
        limber_pose_update_world(x, &p);
        limber_pose_update_world(y, &q);
        for (uint32_t j = 0; j < 5; j++)
            for (int i = 12; i < 15; i++)
                max = fmaxf(max, fabsf(p.world_from_joint[j].m[i] - q.world_from_joint[j].m[i]));
    }
    limber_pose_destroy(&p);
    limber_pose_destroy(&q);
    limber_gltf_destroy(a);
    limber_gltf_destroy(b);
    return max;
}

static void wrong_command_lines_end_with_2(void** state) {
    (void)state;
    expect_failure("exaggerate", 2, "needs an input");
    expect_failure("exaggerate tube.glb", 2, "-o");
    expect_failure("exaggerate tube.glb -o out.obj", 2, ".bvh, .glb or .gltf");
    expect_failure("exaggerate tube.glb -o out.glb --set exaggerate.filter.amont=1", 2, "did you mean 'amount'?");
    expect_failure("exaggerate tube.glb -o out.glb --set exaggerate.kinematic=t", 2, "expected a plain number");
    expect_failure("exaggerate tube.glb -o out.glb --set exaggerate.plant=joint", 2, "'plant' is now \"contact\": 1");
    expect_failure("exaggerate tube.glb -o out.glb --fps 0.01", 2, "--fps");
    expect_failure("exaggerate tube.glb -o out.glb --range 2:1", 2, "--range");
    expect_failure("exagerate tube.glb -o out.glb", 2, "did you mean 'exaggerate'?");
}

static void work_that_fails_ends_with_1(void** state) {
    (void)state;
    expect_failure("exaggerate nothing.glb -o out.glb", 1, "nothing.glb");
    expect_failure("exaggerate tube.glb -o out.glb --clip trun", 1, "did you mean 'turn'?");
    expect_failure("exaggerate tube.glb -o out.glb --style mocap-tone", 1, "did you mean 'mocap-toon'?");
    expect_failure("exaggerate tube.bvh -o out.bvh --range 5:6 --set exaggerate.filter.amount=1", 1, "range");
}

static void clips_are_edited_and_kept_in_their_file(void** state) {
    (void)state;
    succeed("exaggerate tube.glb -o out.glb --set exaggerate.filter.amount=1", "turn: 1 joints changed");
    assert_true(largest_move("tube.glb", "out.glb", 0, 1) > 0.1f);
    succeed("exaggerate tube.glb -o out.glb --set exaggerate.filter.amount=1 --range 0.4:0.6", "");
    assert_true(largest_move("tube.glb", "out.glb", 0, 0.36) < 1e-5f);
    assert_true(largest_move("tube.glb", "out.glb", 0.7, 1) < 1e-5f);
    assert_true(largest_move("tube.glb", "out.glb", 0.4, 0.6) > 0.05f);
    succeed("exaggerate tube.glb -o out.glb --json --style mocap-toon --quiet", "\"largest_move\"");
    unlink("out.glb");
}

static void nothing_asked_is_worth_a_warning(void** state) {
    (void)state;
    succeed("exaggerate tube.glb -o out.glb", "warning: nothing to do");
    assert_true(largest_move("tube.glb", "out.glb", 0, 1) == 0);
    unlink("out.glb");
}

static void skeletons_go_from_and_to_bvh(void** state) {
    (void)state;
    limber_bvh* bvh;
    succeed("exaggerate tube.bvh -o out.bvh --set exaggerate.filter.amount=1", "");
    assert_int_equal(limber_bvh_load_file("out.bvh", NULL, &bvh, NULL), LIMBER_OK);
    assert_int_equal(limber_bvh_frame_count(bvh), 31);
    limber_bvh_destroy(bvh);
    succeed("exaggerate tube.bvh -o out.bvh --set exaggerate.filter.amount=1 --range 0.5:", "");
    assert_int_equal(limber_bvh_load_file("out.bvh", NULL, &bvh, NULL), LIMBER_OK);
    assert_int_equal(limber_bvh_frame_count(bvh), 16);
    limber_bvh_destroy(bvh);
    succeed("exaggerate tube.bvh -o out.glb --set exaggerate.filter.amount=1", "");
    assert_true(largest_move("tube.glb", "out.glb", 0, 1) > 0.1f);
    succeed("exaggerate tube.glb -o out.bvh --style mocap-toon", "");
    unlink("out.glb");
    unlink("out.bvh");
}

// A style that the file carries edits it once, whichever verb does it.
static void carried_styles_act_once(void** state) {
    (void)state;
    succeed("apply tube.glb -o carried.glb --bake none --set exaggerate.filter.amount=1 --set exaggerate.strength=0.08 "
            "--set "
            "effects.floppy.angular=0.1",
            "");
    succeed("exaggerate carried.glb -o once.glb", "joints changed");
    succeed("exaggerate once.glb -o out.glb", "nothing to do");
    assert_true(largest_move("tube.glb", "once.glb", 0, 1) > 0.1f);
    assert_true(largest_move("once.glb", "out.glb", 0, 1) == 0);
    limber_gltf* gltf;
    assert_int_equal(limber_gltf_load_file("once.glb", NULL, &gltf, NULL), LIMBER_OK);
    assert_non_null(strstr(limber_gltf_style(gltf), "floppy"));
    assert_null(strstr(limber_gltf_style(gltf), "exaggerate"));
    limber_gltf_destroy(gltf);
    unlink("carried.glb");
    unlink("once.glb");
    unlink("out.glb");
}

// Limbs, not what hangs on them.
static void automatic_pulls_leave_ears_fingers_and_props_alone(void** state) {
    (void)state;
    static const char* const never[][3] = {
        {"dog", "\"Ear", "\"Tongue"}, {"toon", "\"Hat\"", "Middle"}, {"dancer", "\"Skirt", "Tip"}};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        char words[128];
        snprintf(words, sizeof words, "sample %s -o who.glb", never[i][0]);
        succeed(words, "");
        answer given = test_limber("", "exaggerate", "who.glb -o out.glb --json --style mocap-toon --quiet");
        assert_int_equal(given.status, 0);
        assert_non_null(strstr(given.text, "\"pulled\": [\n   \""));
        assert_null(strstr(given.text, never[i][1]));
        assert_null(strstr(given.text, never[i][2]));
        unlink("who.glb");
    }
    unlink("out.glb");
}

static void no_joint_goes_beyond_the_limit(void** state) {
    (void)state;
    assert_int_equal(test_sample("hero", "who.glb"), 0);
    for (int percent = 2; percent <= 20; percent += 9) {
        char words[240];
        snprintf(words, sizeof words,
                 "who.glb -o out.glb --clip swing --json --style mocap-toon --set exaggerate.filter.amount=1 --set "
                 "exaggerate.strength=0.08 --set "
                 "exaggerate.limit=%.2f",
                 percent / 100.0);
        answer given = test_limber("", "exaggerate", words);
        const char* at = strstr(given.text, "\"largest_move\": ");
        assert_non_null(at);
        double max = strtod(at + strlen("\"largest_move\": "), NULL);
        assert_true(max < percent / 100.0 && max > 0.9 * percent / 100.0);
    }
    // Nor does one that is pulled by hand, which would tear it away from the others.
    answer given = test_limber("", "exaggerate",
                               "who.glb -o out.glb --clip run --json --set exaggerate.limit=0.05 --set "
                               "'exaggerate.constraints=[{\"joint\": \"Head\", \"keys\": [[0.3, [0, 0.2, 0]]], "
                               "\"relative\": true, \"weight\": 10}]'");
    const char* at = strstr(given.text, "\"largest_move\": ");
    assert_non_null(at);
    assert_true(strtod(at + strlen("\"largest_move\": "), NULL) < 0.05);
    unlink("who.glb");
    unlink("out.glb");
}

static void help_shows_examples(void** state) {
    (void)state;
    succeed("exaggerate --help", "limber exaggerate kick.bvh --style mocap-toon -o toon.bvh");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_command_lines_end_with_2),
        cmocka_unit_test(work_that_fails_ends_with_1),
        cmocka_unit_test(clips_are_edited_and_kept_in_their_file),
        cmocka_unit_test(nothing_asked_is_worth_a_warning),
        cmocka_unit_test(skeletons_go_from_and_to_bvh),
        cmocka_unit_test(carried_styles_act_once),
        cmocka_unit_test(automatic_pulls_leave_ears_fingers_and_props_alone),
        cmocka_unit_test(no_joint_goes_beyond_the_limit),
        cmocka_unit_test(help_shows_examples),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
