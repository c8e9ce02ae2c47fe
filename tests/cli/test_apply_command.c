// What `limber apply` says, and what it refuses before the work.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/program.h"
#include "kit/sanitized.h"

static void expect_lines(const char* arguments, int lines, const char* words) {
    answer a = test_limber("", "", arguments);
    int count = 0;
    for (const char* c = a.text; *c; c++)
        count += *c == '\n';
    if (a.status != 0 || count != lines || !strstr(a.text, words))
        fail_msg("limber %s: %d, '%s'", arguments, a.status, a.text);
}

static void one_line_says_what_was_written(void** state) {
    (void)state;
    assert_int_equal(test_folder_enter(), 0);
    assert_int_equal(test_tube_write("in.glb", 3, 2, 30, false), 0);
    expect_lines("apply in.glb --bake corrective --skinning dualquat -o out.glb", 2, "out.glb: 31 frames, about 3");
    expect_lines("apply in.glb --bake corrective --skinning dualquat -o out.glb", 2, " targets, ");
    expect_lines("apply in.glb --bake corrective --skinning dualquat --tolerance 1 -o out.glb", 2, "/1000 L off, ");
    expect_lines("apply in.glb -o out.pc2", 1, "out.pc2: 31 frames, ");
    expect_lines("apply in.glb --skinning dualquat -o out.usda", 2, " targets, ");
    expect_lines("apply in.glb --bake vertex -o out.usda", 1, "out.usda: 31 frames, ");
    expect_lines("convert in.glb -o out.glb", 1, "out.glb: converted, ");
    expect_lines("convert in.glb -o out.gltf", 1, " kB, "); // with the bytes beside it
    expect_lines("apply in.glb --skinning dualquat --quiet -o out.glb", 0, "");
    expect_lines("convert in.glb --quiet -o out.glb", 0, "");
    expect_lines("apply in.glb --set effects.floppy.layer=ears --quiet -o out.glb", 0, "");
    assert_int_equal(system("rm in.glb out.glb out.gltf out.bin out.pc2 out.usda"), 0);
    assert_int_equal(test_folder_leave(), 0);
}

static void many_targets_are_a_warning_with_a_way_out(void** state) {
    (void)state;
    assert_int_equal(test_folder_enter(), 0);
    assert_int_equal(test_tube_write("in.glb", 3, 2, 30, false), 0);
    expect_lines("apply in.glb --bake corrective --skinning dualquat --fps 400 -o out.glb", 3, "more than 256 targets");
    expect_lines("apply in.glb --bake corrective --skinning dualquat --fps 400 -o out.glb", 3,
                 "--tolerance, --bake bones, --fps or --clip");
    expect_lines("apply in.glb --bake corrective --skinning dualquat --fps 400 --tolerance 1 -o out.glb", 2, " off, ");
    assert_int_equal(system("rm in.glb out.glb"), 0);
    assert_int_equal(test_folder_leave(), 0);
}

static void more_than_a_glb_holds_is_refused(void** state) {
    (void)state;
    assert_int_equal(test_folder_enter(), 0);
    assert_int_equal(test_limber("", "", "sample dancer --detail 1.2 -o in.glb").status, 0);
    test_fails("", "apply", "in.glb --bake corrective --style cartoon --fps 1000 -o out.glb", 1, "4 GiB", 1);
    assert_int_equal(access("out.glb", F_OK), -1);
    assert_int_equal(system("rm in.glb"), 0);
    assert_int_equal(test_folder_leave(), 0);
}

static long bytes_of(const char* file) {
    struct stat found;
    assert_int_equal(stat(file, &found), 0);
    return (long)found.st_size;
}

// Without --bake the smallest within 1/1000 L is written; an exact one where that was asked for.
static void the_smallest_bake_is_the_default(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip(); // numbers only: test_bones bakes there
    assert_int_equal(test_folder_enter(), 0);
    assert_int_equal(test_sample("cow", "in.glb"), 0);
    answer given = test_limber("", "apply", "in.glb --style cartoon --clip walk -o auto.glb");
    const char* off = strstr(given.text, "at most ");
    assert_int_equal(given.status, 0);
    assert_true(off && strtod(off + 8, NULL) <= 1);
    assert_non_null(strstr(given.text, " bones ("));
    test_succeeds("apply", "in.glb --style cartoon --clip walk --bake corrective --tolerance 1 -o few.glb", "");
    test_succeeds("apply", "in.glb --style cartoon --clip walk --tolerance 0 -o exact.glb", "");
    test_succeeds("apply", "in.glb --style cartoon --clip walk --bake corrective -o all.glb", "");
    assert_true(bytes_of("auto.glb") <= bytes_of("few.glb") && bytes_of("few.glb") < bytes_of("all.glb"));
    assert_int_equal(system("cmp -s exact.glb all.glb"), 0);
    assert_int_equal(system("rm in.glb auto.glb few.glb exact.glb all.glb"), 0);
    assert_int_equal(test_folder_leave(), 0);
}

// Also how the file looks inside: whether a text is in it.
static bool holds(const char* path, const char* text) {
    char line[160];
    snprintf(line, sizeof line, "grep -aq '%s' %s", text, path);
    return system(line) == 0;
}

static void a_size_chooses_the_tolerance(void** state) {
    (void)state;
    if (TEST_SANITIZED)
        skip(); // many bakes, and only their numbers matter
    assert_int_equal(test_folder_enter(), 0);
    assert_int_equal(test_sample("cow", "in.glb"), 0);
    test_succeeds("apply", "in.glb --style cartoon --clip walk --max-size 5x -o a.glb",
                  "tolerance 1 for --max-size 5x");
    test_succeeds("apply", "in.glb --style cartoon --clip walk -o b.glb", "");
    assert_int_equal(bytes_of("a.glb"), bytes_of("b.glb"));
    char arguments[128];
    snprintf(arguments, sizeof arguments, "in.glb --style cartoon --clip walk --max-size %lld -o a.glb",
             (long long)(bytes_of("b.glb") - 1));
    test_succeeds("apply", arguments, "tolerance 2 for --max-size");
    assert_true(bytes_of("a.glb") < bytes_of("b.glb"));
    assert_int_equal(system("rm a.glb b.glb"), 0);
    test_fails("", "apply", "in.glb --style cartoon --clip walk --max-size 1kB -o a.glb", 1, "but --max-size is 1", 1);
    test_fails("", "apply", "in.glb --max-size 3q -o a.glb", 2, "such as 3x, 500kB or 2MB", 1);
    test_fails("", "apply", "in.glb --max-size 0x10 -o a.glb", 2, "such as 3x, 500kB or 2MB", 1);
    test_fails("", "apply", "in.glb --max-size 3x --tolerance 1 -o a.glb", 2, "only one of them", 1);
    test_fails("", "apply", "in.glb --max-size 3x -o a.pc2", 2, "for bakes in .glb and .gltf", 1);
    assert_int_equal(system("rm in.glb"), 0);
    assert_int_equal(test_folder_leave(), 0);
}

static void a_profile_keeps_to_what_a_player_can_read(void** state) {
    (void)state;
    assert_int_equal(test_folder_enter(), 0);
    assert_int_equal(test_limber("", "", "sample giraffe --detail 0.5 -o in.glb").status, 0);
    test_succeeds("apply", "in.glb --style cartoon -o a.glb", "");
    test_succeeds("apply", "in.glb --style cartoon --profile godot -o b.glb", "");
    assert_true(holds("a.glb", "\"sparse\"") && !holds("b.glb", "\"sparse\""));
    assert_int_equal(test_tube_write("tube.glb", 3, 2, 30, false), 0);
    test_fails("", "apply", "tube.glb --bake corrective --skinning dualquat --fps 400 --profile web --quiet -o a.glb",
               1, "targets on a mesh, but web plays 256; use --bake auto", 1);
    test_succeeds("apply", "tube.glb --skinning dualquat --fps 400 --tolerance 0 --profile web -o a.glb", " bones (");
    test_fails("", "apply", "tube.glb --profile foo -o a.glb", 2, "godot, unity, unreal, web or blender", 1);
    test_fails("", "apply", "tube.glb --profile unity --compress -o a.glb", 2, "cannot read what --compress", 1);
    assert_int_equal(system("rm -f in.glb tube.glb a.glb b.glb"), 0);
    assert_int_equal(test_folder_leave(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line_says_what_was_written),
        cmocka_unit_test(many_targets_are_a_warning_with_a_way_out),
        cmocka_unit_test(the_smallest_bake_is_the_default),
        cmocka_unit_test(a_size_chooses_the_tolerance),
        cmocka_unit_test(a_profile_keeps_to_what_a_player_can_read),
        cmocka_unit_test(more_than_a_glb_holds_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
