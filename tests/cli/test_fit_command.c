// `limber fit` as a user meets it: known styles come back, and files that do not match are refused in one line.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/program.h"
#include "kit/sanitized.h"

static void expect_failure(const char* arguments, int status, const char* words) {
    test_fails("", "fit", arguments, status, words, 1);
    assert_int_not_equal(access("style.json", F_OK), 0);
}

static int make_files(void** state) {
    (void)state;
    if (test_folder_enter())
        return -1;
    return test_limber("", "sample", "flower --detail 0.5 -o flower.glb").status ||
           test_limber("", "sample", "cylinder --detail 0.5 -o cylinder.glb").status;
}

static int remove_files(void** state) {
    (void)state;
    return unlink("flower.glb") || unlink("cylinder.glb") || test_folder_leave();
}

// Bakes a character with a style, and looks for that style.
static answer fit_back(const char* character, const char* style, const char* options) {
    char arguments[1024];
    snprintf(arguments, sizeof arguments, "%s.glb -o wanted.glb --no-normals --fps 15 %s", character, style);
    test_succeeds("apply", arguments, "");
    snprintf(arguments, sizeof arguments, "%s.glb wanted.glb -o style.json --json --fps 15 %s", character, options);
    answer report = test_limber("", "fit", arguments);
    if (report.status)
        fail_msg("limber fit %s: %s", arguments, report.text);
    return report;
}

static void forget(void) {
    unlink("wanted.glb");
    unlink("style.json");
}

// Within 1 % of what it was.
static void expect_key(const answer* report, const char* path, double value) {
    char quoted[96];
    snprintf(quoted, sizeof quoted, "\"%s\":", path);
    const char* at = strstr(report->text, quoted);
    double found = at ? strtod(at + strlen(quoted), NULL) : NAN;
    if (!(fabs(found - value) <= 0.01 * fabs(value)))
        fail_msg("%s should be %g: %s", path, value, report->text);
}

static void expect_no_key(const answer* report, const char* words) {
    if (strstr(report->text, words))
        fail_msg("%s is not wanted: %s", words, report->text);
}

// Two layers that are not alike: where things hang and how high they are.
static void gains_of_layers_come_back(void** state) {
    (void)state;
    test_succeeds("paint", "flower.glb -o painted.glb --layer high --auto height", "");
    answer report = fit_back("painted",
                             "--set 'effects.floppy.angular=0.1 + 0.4 * paint.high' --set effects.floppy.linear=0.05 "
                             "--set 'effects.squash.linear=0.2 * paint.floppy - 0.1 * paint.high'",
                             "--effects floppy,squash --layer high --layer floppy");
    expect_key(&report, "effects.floppy.angular", 0.1);
    expect_key(&report, "effects.floppy.angular * paint.high", 0.4);
    expect_key(&report, "effects.floppy.linear", 0.05);
    expect_key(&report, "effects.squash.linear * paint.floppy", 0.2);
    expect_key(&report, "effects.squash.linear * paint.high", -0.1);
    expect_no_key(&report, "\"effects.floppy.angular * paint.floppy\"");
    expect_no_key(&report, "\"effects.squash.linear\"");
    const char* explained = strstr(report.text, "\"explained\":");
    assert_true(explained && strtod(explained + 12, NULL) > 0.999);
    test_succeeds("apply", "painted.glb --style style.json -o again.glb --bake corrective --quiet", "");
    forget();
    // A layer of an effect is the same.
    report = fit_back("painted", "--set effects.floppy.angular=0.3 --set effects.floppy.layer=high",
                      "--effects floppy --layer high");
    expect_key(&report, "effects.floppy.angular * paint.high", 0.3);
    expect_no_key(&report, "\"effects.floppy.angular\"");
    forget();
    expect_failure("painted.glb flower.glb -o style.json --layer hihg", 1, "did you mean 'high'");
    expect_failure("painted.glb flower.glb -o style.json --layer a --layer b --layer c --layer d", 2, "3 layers");
    unlink("again.glb");
    unlink("painted.glb");
}

static void gains_of_velocity_skinning_come_back(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip(); // numbers only
    answer report = fit_back("flower",
                             "--set effects.floppy.linear=0.05 --set effects.floppy.angular=0.4 "
                             "--set effects.squash.linear=0.1 --set effects.squash.angular=0.1",
                             "");
    expect_key(&report, "effects.floppy.linear", 0.05);
    expect_key(&report, "effects.floppy.angular", 0.4);
    expect_key(&report, "effects.squash.linear", 0.1);
    expect_key(&report, "effects.squash.angular", 0.1);
    expect_no_key(&report, "drag");
    expect_no_key(&report, "stretch");
    expect_no_key(&report, "filter");
    forget();
}

static void gains_of_acceleration_skinning_come_back(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip(); // numbers only
    answer report = fit_back("flower",
                             "--set effects.drag.linear=-0.003 --set effects.drag.angular=0.002 "
                             "--set effects.followthrough.angular=0.004 --set effects.stretch.angular=0.003",
                             "");
    expect_key(&report, "effects.drag.linear", -0.003);
    expect_key(&report, "effects.drag.angular", 0.002);
    expect_key(&report, "effects.followthrough.angular", 0.004);
    expect_key(&report, "effects.stretch.angular", 0.003);
    expect_no_key(&report, "floppy");
    expect_no_key(&report, "squash");
    forget();
}

static void limits_and_springs_come_back(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip(); // numbers only
    answer report = fit_back("cylinder",
                             "--set effects.floppy.angular=0.8 --set effects.floppy.max_bend=20 "
                             "--set effects.followthrough.angular=0.006 "
                             "--set effects.followthrough.filter.type=spring "
                             "--set effects.followthrough.filter.frequency=2.2 "
                             "--set effects.followthrough.filter.damping=0.25",
                             "--effects floppy,followthrough");
    expect_key(&report, "effects.floppy.angular", 0.8);
    expect_key(&report, "effects.floppy.max_bend", 20);
    expect_key(&report, "effects.followthrough.angular", 0.006);
    expect_key(&report, "effects.followthrough.filter.frequency", 2.2);
    expect_key(&report, "effects.followthrough.filter.damping", 0.25);
    forget();
}

static void overlap_comes_back(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip(); // numbers only
    answer report = fit_back("flower",
                             "--clip dance --set compose=chain --set effects.overlap.gain=3.1 "
                             "--set effects.overlap.frequency=1.4 --set effects.overlap.damping=0.35 "
                             "--set effects.overlap.max=25 --set effects.overlap.smooth=0.05",
                             "--clip dance --effects overlap");
    expect_key(&report, "effects.overlap.gain", 3.1);
    expect_key(&report, "effects.overlap.frequency", 1.4);
    expect_key(&report, "effects.overlap.damping", 0.35);
    expect_key(&report, "effects.overlap.max", 25);
    expect_key(&report, "effects.overlap.smooth", 0.05);
    forget();
}

// What the base style says stays; what it says too much of is taken back.
static void a_style_to_start_from_is_kept(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip(); // numbers only
    answer report =
        fit_back("cylinder", "--set effects.floppy.angular=0.3 --set effects.stretch.angular=0.002",
                 "--effects floppy,drag --set effects.stretch.angular=0.002 --set effects.drag.angular=0.1");
    expect_key(&report, "effects.floppy.angular", 0.3);
    expect_key(&report, "effects.drag.angular", 0);
    test_succeeds("apply", "cylinder.glb --style style.json -o out.glb", "");
    assert_true(strstr(test_shell("cat style.json").text, "\"stretch\"") != NULL);
    unlink("out.glb");
    forget();
}

static void the_report_is_for_people_too(void** state) {
    (void)state;
    test_succeeds("apply", "cylinder.glb -o wanted.glb --bake vertex --set effects.floppy.angular=0.3", "");
    test_succeeds("fit", "cylinder.glb wanted.glb -o style.json", "100.00 % explained");
    test_succeeds("fit", "cylinder.glb wanted.glb -o style.json --effects floppy", "effects.floppy.angular");
    assert_string_equal(test_limber("", "fit", "cylinder.glb wanted.glb -o style.json --quiet").text, "");
    forget();
}

static void wrong_command_lines_end_with_2(void** state) {
    (void)state;
    expect_failure("", 2, "fit needs a plain file, a wanted file");
    expect_failure("flower.glb -o style.json", 2, "a wanted file");
    expect_failure("flower.glb flower.glb", 2, "-o STYLE");
    expect_failure("flower.glb flower.glb flower.glb -o style.json", 2, "unexpected argument");
    expect_failure("flower.glb flower.glb -o style.glb", 2, ".json");
    expect_failure("flower.glb flower.glb -o style.json --effects flopy", 2, "did you mean 'floppy'?");
    expect_failure("flower.glb flower.glb -o style.json --effects floppy,", 2, "cannot be fitted");
    expect_failure("flower.glb flower.glb -o style.json --fps 0.01", 2, "--fps");
}

static void files_that_do_not_match_end_with_1(void** state) {
    (void)state;
    expect_failure("flower.glb nothing.glb -o style.json", 1, "nothing.glb");
    expect_failure("flower.glb cylinder.glb -o style.json", 1, "vertices instead of");
    expect_failure("flower.glb flower.glb -o style.json", 1, "there is nothing to fit");
    expect_failure("flower.glb flower.glb -o style.json --clip danse", 1, "did you mean 'dance'?");
    expect_failure("flower.glb flower.glb -o style.json --range 90:", 1, "no frames to compare");
    test_succeeds("apply", "cylinder.glb -o wanted.glb --set effects.floppy.angular=0.3", "");
    expect_failure("wanted.glb cylinder.glb -o style.json", 1, "has effects baked into it");
    expect_failure("cylinder.glb wanted.glb -o nowhere/style.json", 1, "nowhere");
    forget();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_of_layers_come_back),
        cmocka_unit_test(gains_of_velocity_skinning_come_back),
        cmocka_unit_test(gains_of_acceleration_skinning_come_back),
        cmocka_unit_test(limits_and_springs_come_back),
        cmocka_unit_test(overlap_comes_back),
        cmocka_unit_test(a_style_to_start_from_is_kept),
        cmocka_unit_test(the_report_is_for_people_too),
        cmocka_unit_test(wrong_command_lines_end_with_2),
        cmocka_unit_test(files_that_do_not_match_end_with_1),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
