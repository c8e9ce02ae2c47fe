// `limber info` as a user meets it: which clips loop, and why.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/figure.h"
#include "kit/program.h"

// All of a fish sinks and rises; a foot would rest meanwhile.
static void swim(double time_s, test_posture* p, const void* user) {
    (void)user;
    for (int j = 0; j < FIGURE_JOINTS; j++) {
        p->at[j].z = 1 - p->at[j].y;
        p->at[j].y = 2 + 0.3f * fabsf(sinf(4 * (float)time_s));
        p->at[j].x += 0.05f * sinf(8 * (float)time_s + 3 * p->at[j].z);
    }
}

static int write_fish(const char* path) {
    const test_act act = {"swim", 2.5, 60, swim, NULL};
    limber_asset* asset = test_figure_create(&act, 1, false);
    limber_gltf* gltf = NULL;
    int failed = limber_gltf_from_asset(asset, &gltf, NULL) || limber_gltf_save_file(gltf, NULL, path, NULL);
    limber_gltf_destroy(gltf);
    limber_asset_destroy(asset);
    return failed;
}

static int make_files(void** state) {
    (void)state;
    if (test_folder_enter() || test_tube_write("swing.glb", 3, 1, 24, true) ||
        test_tube_write("bend.glb", 3, 0.4f, 24, false) || write_fish("fish.glb"))
        return 1;
    assert_int_equal(test_sample("cow", "cow.glb"), 0);
    return 0;
}

static int remove_files(void** state) {
    (void)state;
    return unlink("fish.glb") || unlink("swing.glb") || unlink("bend.glb") || unlink("cow.glb") || test_folder_leave();
}

static void clips_say_whether_they_loop(void** state) {
    (void)state;
    test_succeeds("", "info swing.glb", "(25 frames), loops\n");
    test_succeeds("", "info bend.glb", "(25 frames), does not loop: joint is 22.9 degrees off at the end\n");
    test_succeeds("", "info cow.glb", ", loops, travels 4.5 per turn\n");
}

static void what_swims_has_no_floor(void** state) {
    (void)state;
    test_succeeds("", "info fish.glb", "    no floor: never rests on the ground\n");
    test_succeeds("", "info fish.glb --style cartoon", "stands on the ground: nothing; there is no floor\n");
    test_succeeds("", "info fish.glb --json", "\"levels\": []");
    test_succeeds("", "info cow.glb", "; floor at ");
}

static void json_has_the_numbers(void** state) {
    (void)state;
    test_succeeds("", "info swing.glb --json", "\"loops\": true");
    test_succeeds("", "info swing.glb --json", "\"reason\": null");
    test_succeeds("", "info bend.glb --json", "\"gap_degrees\": 22.9");
    test_succeeds("", "info bend.glb --json", "\"reason\": \"joint is 22.9 degrees off at the end\"");
    test_succeeds("", "info bend.glb --json", "\"yaw_degrees\": 0");
}

static void rigid_parts_are_listed(void** state) {
    (void)state;
    test_succeeds("", "info bend.glb", "\n0 rigid parts\n");
    test_succeeds("", "info cow.glb",
                  "\n8 rigid parts: Cow on Neck (mass), Cow on Head (prop), 4 of Cow on Head (rider), ");
    test_succeeds("", "info bend.glb --json", "\"rigid\": []");
    test_succeeds("", "info cow.glb --json", "\"joint\": \"Neck\"");
}

static void dump_says_which_vertices_are_rigid(void** state) {
    (void)state;
    test_succeeds("", "dump cow.glb -o numbers --range 0:0 --set rigid=auto", "");
    assert_int_equal(test_shell("grep -q '<i4' numbers/rigid.npy && grep -q '\"Neck\"' numbers/manifest.json").status,
                     0);
    assert_int_equal(test_shell("rm -r numbers").status, 0);
    test_succeeds("", "dump cow.glb -o numbers --range 0:0", "");
    assert_int_equal(
        test_shell("test ! -e numbers/rigid.npy && grep -q '\"rigid\": *\\[\\]' numbers/manifest.json").status, 0);
    assert_int_equal(test_shell("rm -r numbers").status, 0);
    test_fails("", "dump", "cow.glb -o numbers --set 'rigid={\"only\":[\"Nekc\"]}'", 1,
               "no rigid part matches 'Nekc'; did you mean 'Neck'?", 1);
}

// As the style has it, not as the clip could be played.
static void dump_says_whether_the_clip_loops(void** state) {
    (void)state;
    test_succeeds("", "dump swing.glb -o numbers --range 0:0", "");
    assert_int_equal(test_shell("grep -q '\"loop\": *true' numbers/manifest.json && rm -r numbers").status, 0);
    test_succeeds("", "dump swing.glb -o numbers --range 0:0 --set loop=false", "");
    assert_int_equal(test_shell("grep -q '\"loop\": *false' numbers/manifest.json && rm -r numbers").status, 0);
    test_succeeds("", "dump bend.glb -o numbers --range 0:0 --set loop=true", "");
    assert_int_equal(test_shell("grep -q '\"loop\": *true' numbers/manifest.json && rm -r numbers").status, 0);
}

static void contacts_are_described(void** state) {
    (void)state;
    test_succeeds("", "sample ball -o ball.glb", "");
    test_succeeds("", "info ball.glb",
                  "\n    only bounces on the ground; floor at 0; lands at 0.00 s (5.5 L/s), 1.00 s (5.5 L/s)\n");
    test_succeeds("", "info ball.glb", "\n    on the ground: Ball; floor at 0.003\n");
    test_succeeds("", "info ball.glb --json", "\"landings\": [");
    test_succeeds("", "info cow.glb", "\n    on the ground: LegFrontHoofLeft, LegFrontHoofRight, ");
    test_succeeds("", "info cow.glb --json", "\"joint\": \"LegHindHoofLeft\"");
    assert_int_equal(unlink("ball.glb"), 0);
}

static void dump_writes_contacts(void** state) {
    (void)state;
    test_succeeds("", "dump cow.glb -o numbers --range 0:0.1 --set contact=1", "");
    assert_int_equal(
        test_shell("grep -q '(4, ' numbers/contact.npy && grep -q '\"levels\"' numbers/manifest.json").status, 0);
    assert_int_equal(test_shell("rm -r numbers").status, 0);
    test_succeeds("", "dump cow.glb -o numbers --range 0:0", "");
    assert_int_equal(
        test_shell("test ! -e numbers/contact.npy && grep -q '\"ground\": *null' numbers/manifest.json").status, 0);
    assert_int_equal(test_shell("rm -r numbers").status, 0);
    test_fails("", "dump", "cow.glb -o numbers --set 'contacts=[{\"joint\":\"Nekc\"}]'", 1,
               "contacts[0].joint: no joint matches 'Nekc'; did you mean 'Neck'?", 1);
}

static void the_size_is_said(void** state) {
    (void)state;
    test_succeeds("", "info bend.glb", "size: 2.12132 (diameter of the smallest ball around the rest pose)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_say_whether_they_loop),
        cmocka_unit_test(what_swims_has_no_floor),
        cmocka_unit_test(json_has_the_numbers),
        cmocka_unit_test(rigid_parts_are_listed),
        cmocka_unit_test(dump_says_which_vertices_are_rigid),
        cmocka_unit_test(dump_says_whether_the_clip_loops),
        cmocka_unit_test(contacts_are_described),
        cmocka_unit_test(dump_writes_contacts),
        cmocka_unit_test(the_size_is_said),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
