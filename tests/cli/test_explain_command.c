// `limber info --style` as a user meets it: what a style does, and which bounds it breaks.
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
#include "kit/sanitized.h"

static int make_files(void** state) {
    (void)state;
    if (test_folder_enter() || test_tube_write("swing.glb", 3, 1, 24, true))
        return 1;
    test_succeeds("", "sample ball -o ball.glb", "");
    test_succeeds("", "sample cow --detail 0.6 -o cow.glb", "");
    test_succeeds("", "sample hero --detail 0.6 -o hero.glb", "");
    return 0;
}

static int remove_files(void** state) {
    (void)state;
    return unlink("swing.glb") || unlink("ball.glb") || unlink("cow.glb") || unlink("hero.glb") || test_folder_leave();
}

// One run, several texts; the last is NULL.
static void says(const char* arguments, const char* const* texts) {
    answer given = test_limber("", "info", arguments);
    assert_int_equal(given.status, 0);
    for (; *texts; texts++)
        if (!strstr(given.text, *texts))
            fail_msg("info %s does not say '%s': %s", arguments, *texts, given.text);
}
#define SAYS(arguments, ...) says(arguments, (const char* const[]){__VA_ARGS__, NULL})

static void every_clip_has_its_lines(void** state) {
    (void)state;
    SAYS("ball.glb --style cartoon", "ball.glb with cartoon (lengths in L = 1.385, the diagonal",
         "\n  bounce: 2.00 s\n    timing: ", "\n    strength: ", "\n  roll: 3.00 s\n", " of 3 clips within all bounds");
    test_succeeds("", "info cow.glb --style cartoon --clip charge-and-stop",
                  "\n  charge-and-stop: 4.00 s, measured from 0.50 to 3.50 s\n");
}

static void one_clip_can_be_asked_for(void** state) {
    (void)state;
    SAYS("cow.glb --style cartoon --clip jump", "clips: 1\n  jump: ", "rigid parts: ");
    SAYS("cow.glb --style cartoon --clip 1", "clips: 1\n  jump: ");
    test_succeeds("", "info cow.glb --style jelly --clip jump", "no part is kept rigid");
}

static void performances_say_what_they_found_and_did(void** state) {
    (void)state;
    SAYS("hero.glb --set timing.snap=0.75 --set timing.hang=1 --set timing.step=auto --set pose.exaggerate=0.8 --set "
         "body.squash=1",
         "body:\n  hips: Hips\n  trunk: Hips, Spine, Chest\n  legs: LegUpperLeft, LegUpperRight\n  other limbs: Neck, "
         "ArmUpperLeft, ArmUpperRight, CapeLeft1, CapeMiddle1, CapeRight1\n  head: Head\nclips: 4",
         "  run: 0.60 s\n    timing: 0 key poses, 0 flights, a gait; not changed\n    step: 14 frames on ones, 0 on "
         "twos, "
         "0 on threes\n    pose: gain 0.80; amplitude ",
         "    timing: 4 key poses, 1 flight; shifted by up to 1", " ms, 0.", " on threes\n",
         " of the plain clip's\n    body: 0.");
    SAYS("hero.glb --set timing.step=2 --clip jump", "    step: a new pose every 2 of 77 frames\n    strength: 0.000 L",
         "1 of 1 clip within all bounds"); // poses that change at once are no pops
    SAYS("hero.glb --set pose.exaggerate=0.8 --clip jump --json", "\"hips\": [\n      \"Hips\"\n    ]", "\"step\": 1",
         "\"flights\": 1", "\"posed\": true", "\"retimed\": false");
    SAYS("hero.glb --set 'timing.holds=[{\"at\":0.3,\"length\":0.1}]' --clip run",
         "    timing: 0 key poses, 0 flights, a gait, 1 hold; shifted by up to ");
    SAYS("hero.glb --set 'timing.holds=[{\"at\":2,\"length\":0.1},{\"at\":1,\"length\":0.1}]' --clip jump --json",
         "\"holds\": 2", "\"retimed\": true");
    SAYS("hero.glb --set timing.step=auto --clip run --json", "\"step\": \"auto\"", "\"gait\": true",
         "\"frames_on_ones\": 14", "\"posed\": false");
    SAYS("hero.glb --set strength=1 --clip run --json", "\"performance\": null", "\"body\": null");
}

static void presets_keep_their_bounds(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip(); // numbers only
    if (getenv("LIMBER_TEST_LONG")) {
        test_succeeds("", "info cow.glb --style subtle", "4 of 4 clips within all bounds\n");
        test_succeeds("", "info cow.glb --style mocap-toon", "4 of 4 clips within all bounds\n");
    }
    test_succeeds("", "info cow.glb --style mocap-toon --clip jump", "1 of 1 clip within all bounds\n");
    test_succeeds("", "info ball.glb --style cartoon", "3 of 3 clips within all bounds\n"); // no prop, though one piece
}

// Its hands go below the floor in the plain clips already, and no clip bends all of its fingers. While it walks they hang
// down to the floor, where larger poses would let them slide.
static void edits_keep_a_robot_whole_and_above_the_floor(void** state) {
    (void)state;
    char words[512];
    if (TEST_SANITIZED || !test_assets())
        skip();
    static const char* const shows[] = {"cartoon --clip Punch", "mocap-toon --clip Jump", // the others with --long
                                        "mocap-toon --clip Walking", "cartoon --clip Dance",
                                        "rubberhose --clip Jump"}; // its round parts are squashed by 18 % at most
    for (size_t i = 0; i < (getenv("LIMBER_TEST_LONG") ? sizeof shows / sizeof *shows : 2); i++) {
        snprintf(words, sizeof words, "info %s/RobotExpressive.glb --style %s", test_assets(), shows[i]);
        test_succeeds("", words, "1 of 1 clip within all bounds\n");
    }
}

// What snapped within a few hundredths of a second: the staff when it came near the floor, a hat before a blow landed, a
// body that bent and straightened within a clip of 0.4 s.
static void nothing_snaps_back(void** state) {
    (void)state;
    char words[512];
    if (TEST_SANITIZED || !test_assets())
        skip();
    static const char* const shows[] = {
        "more/Mage.glb --clip Walking_A", "RobotExpressive.glb --clip Standing", "RobotExpressive.glb --clip Sitting",
        // a foot that passes an arm, and with --long a staff that a leg would push
        "RobotExpressive.glb --clip Running", "more/Mage.glb --clip Interact", "more/Mage.glb --clip Hit_A"};
    for (size_t i = 0; i < (getenv("LIMBER_TEST_LONG") ? sizeof shows / sizeof *shows : 4); i++) {
        snprintf(words, sizeof words, "info %s/%s --style jelly", test_assets(), shows[i]);
        test_succeeds("", words, "1 of 1 clip within all bounds\n");
    }
}

// Capes, ears and legs that the effects throw at the body. What larger poses do, colliders leave.
static void effects_keep_skin_outside(void** state) {
    (void)state;
    SAYS("hero.glb --clip jump --style jelly --set colliders=[]", "depth: skin gets 0.05", "(CapeMiddle");
    SAYS("hero.glb --clip jump --style jelly", "depth: skin gets 0.03", "(LegFootRight)"); // the shin above it
}

// One arm has more armor than the head has skin, and the other a finger less.
static void an_arm_is_no_head(void** state) {
    (void)state;
    char words[512];
    if (!test_assets())
        skip();
    snprintf(words, sizeof words, "info %s/more/Soldier.glb --style cartoon --clip Walk", test_assets());
    test_succeeds("", words, "  head: mixamorig:Head\n");
}

static void plain_skinning_does_nothing(void** state) {
    (void)state;
    SAYS("cow.glb --set strength=1 --clip jump", "strength: 0.000 L; the plain motion has ",
         "edges get 1.00 to 1.00 of their length\n", "within all bounds\n1 of 1 clip within all bounds\n");
}

static void broken_bounds_say_what_to_set(void** state) {
    (void)state;
    test_succeeds(
        "",
        "info cow.glb --style cartoon --set strength=0.01 --set pose.exaggerate=0 --set pose.anticipate=0 --clip jump",
        "; raise strength or effects.overlap.gain\n");
    SAYS("cow.glb --style cartoon --set contact=0 --clip jump", "; set contact=1\n", "\nwhat they mean: docs/why.md\n");
    test_succeeds("", "info cow.glb --style as-drag --clip jump",
                  "times the plain motion; lower effects.drag.angular or set effects.drag.filter.type=lowpass\n");
    test_succeeds("", "info swing.glb --style cartoon --set loop=false --set effects.overlap.gain=40", "! pops at ");
}

// Velocity skinning, figure 14.
static void smears_are_judged(void** state) {
    (void)state;
    SAYS("ball.glb --style smear", "\n    smears: 25 of 49 frames: Ball at 0.00 to 0.25 s, ",
         "\n    smears: 0 of 73 frames; nothing is stretched\n", " s\n    smears stretch edges to 1.",
         "3 of 3 clips within all bounds");
    SAYS("hero.glb --clip swing --set smear.elongate.amount=3*offset --set smear.elongate.future=0",
         "! smears tear: edges get ", "lower smear.elongate.amount or set smear.elongate.max",
         "! smears what hardly moves by ");
    SAYS("cow.glb --clip walk --set smear.lines.count=3 --set smear.lines.length=8 --set smear.lines.min_speed=0",
         " of the frames; more than 60 %; raise min_speed of copies and lines");
    SAYS("ball.glb --clip dash-stop --style smear --json", "\"smears\": {", "\"smeared\": 12,", "\"bursts\": [");
    SAYS("ball.glb --clip bounce --style cartoon --json", "\"smears\": null");
    SAYS("ball.glb --clip dash-stop --style cartoon --json", "\"motions\": [\n        {\n          \"joint\": \"Root\"",
         "\"travel\": ", "\"joint\": \"Ball\",\n          \"turns\": ");
}

static void sums_that_distort_are_said(void** state) {
    (void)state;
    const char* sum = "cow.glb --style vs-floppy --clip jump";
    answer given = test_limber("", "info", sum);
    assert_int_equal(given.status, 0);
    assert_non_null(strstr(given.text, "    joints that turn one after another distort it by 0."));
    assert_non_null(strstr(given.text, "; set compose=chain\n"));
    given = test_limber("", "info", "cow.glb --style vs-floppy --clip jump --set compose=chain");
    assert_null(strstr(given.text, "distort"));
    given = test_limber("", "info", "ball.glb --style vs-floppy"); // one joint
    assert_null(strstr(given.text, "distort"));
}

// Only presets have a band to be weak or strong in.
static void other_styles_have_no_band(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip();
    answer given = test_limber("", "info", "cow.glb --set effects.overlap.gain=0.01 --clip jump");
    assert_int_equal(given.status, 0);
    assert_null(strstr(given.text, "weak"));
    given = test_limber(
        "", "info",
        "cow.glb --style cartoon --set strength=0.01 --set pose.exaggerate=0 --set pose.anticipate=0 --clip jump");
    assert_non_null(strstr(given.text, "weak"));
}

static void limits_are_said(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip();
    const char* far =
        "cow.glb --clip jump --set compose=chain --set effects.overlap.gain=50 --set effects.overlap.max=5";
    answer given = test_limber("", "info", far);
    assert_non_null(strstr(given.text, "effects.overlap.max (5 degrees): within a tenth of it "));
    assert_null(strstr(given.text, "effects.squash.max"));
    test_succeeds("", "info cow.glb --clip jump --set effects.squash.linear=0.001 --set effects.squash.max=2",
                  "effects.squash.max (2): never near it\n");
}

static void the_ground_is_told(void** state) {
    (void)state;
    test_succeeds("", "info cow.glb --clip jump --set contact=1", "stands on the ground: ");
    test_succeeds("", "info cow.glb --clip jump --set contact=0", "; not held (contact is 0)\n");
    SAYS("cow.glb --clip jump --set impact.gain=0", "lands at: ", "; no squash (impact.gain is 0)\n");
}

static void json_has_the_numbers(void** state) {
    (void)state;
    SAYS("cow.glb --style cartoon --set contact=0 --clip jump --json", "\"style\": \"cartoon\"", "\"strength\": {",
         "\"effects.overlap.max\": {", "\"landings\": [", "\"bound\": \"floor\"", "\"why\": \"goes ",
         "\"more\": \"docs/why.md#slide\"");
    SAYS("cow.glb --set strength=1 --clip jump --json", "\"broken\": []", "\"effects.squash.max\": null");
}

static void threads_change_nothing(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip();
    answer one = test_limber("", "info", "cow.glb --style cartoon --clip jump --json --threads 1");
    answer three = test_limber("", "info", "cow.glb --style cartoon --clip jump --json --threads 3");
    assert_int_equal(one.status, 0);
    assert_string_equal(one.text, three.text);
}

static void mistakes_are_told(void** state) {
    (void)state;
    test_fails("", "info", "cow.glb --style cartoom", 1, "did you mean 'cartoon'?", 1);
    test_fails("", "info", "cow.glb --style cartoon --clip jum", 1, "did you mean 'jump'?", 1);
    test_fails("", "info", "cow.glb --clip jump", 2, "--clip needs a style to explain", 1);
    test_fails("", "info", "cow.glb --set strenght=1", 2, "did you mean 'strength'?", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_clip_has_its_lines),
        cmocka_unit_test(one_clip_can_be_asked_for),
        cmocka_unit_test(performances_say_what_they_found_and_did),
        cmocka_unit_test(presets_keep_their_bounds),
        cmocka_unit_test(edits_keep_a_robot_whole_and_above_the_floor),
        cmocka_unit_test(nothing_snaps_back),
        cmocka_unit_test(effects_keep_skin_outside),
        cmocka_unit_test(an_arm_is_no_head),
        cmocka_unit_test(plain_skinning_does_nothing),
        cmocka_unit_test(broken_bounds_say_what_to_set),
        cmocka_unit_test(smears_are_judged),
        cmocka_unit_test(sums_that_distort_are_said),
        cmocka_unit_test(other_styles_have_no_band),
        cmocka_unit_test(limits_are_said),
        cmocka_unit_test(the_ground_is_told),
        cmocka_unit_test(json_has_the_numbers),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
