// Motion at the edge of what a float holds: one clear line and no file, or a file that loads again.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/gltf_kit.h"
#include "kit/program.h"

static const char head[] = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n"
                           "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
                           "JOINT b\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
                           "End Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 9\nFrame Time: 0.0333333\n";

static int write_clip(const char* path, const char* low, const char* middle, const char* high) {
    const char* places[] = {low, high, middle};
    FILE* file = fopen(path, "w");
    if (!file)
        return 1;
    fputs(head, file);
    for (int i = 0; i < 9; i++)
        fprintf(file, "%s 0 0 0 0 0 %d 0 0\n", places[i % 3], 20 * i);
    return fclose(file);
}

static int make_files(void** state) {
    (void)state;
    return test_folder_enter() || write_clip("far.bvh", "-1e38", "3e37", "1e38") ||
           write_clip("large.bvh", "-1e18", "3e17", "1e18") || write_clip("small.bvh", "-1e-38", "3e-39", "1e-38");
}

static int remove_files(void** state) {
    (void)state;
    return test_shell("rm far.bvh large.bvh small.bvh").status || test_folder_leave();
}

static bool is_there(const char* path) {
    return access(path, F_OK) == 0;
}

static int line_count(const char* text) {
    int count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

// Nothing is left behind, whatever happens.
static void expect_error_or_file(const char* verb, const char* arguments, const char* output) {
    char text[512];
    assert_true(snprintf(text, sizeof text, "%s --quiet -o %s", arguments, output) < (int)sizeof text);
    answer a = test_limber("", verb, text);
    bool failed = a.status == 1 && !is_there(output) && line_count(a.text) == 1 && strncmp(a.text, "limber: ", 8) == 0;
    bool written = a.status == 0 && is_there(output);
    if (!failed && !written)
        fail_msg("limber %s %s: status %d, '%s'", verb, text, a.status, a.text);
    bool loads = strstr(output, ".glb") || strstr(output, ".gltf") || strstr(output, ".bvh");
    if (written && loads)
        test_succeeds("info", output, "joints: ");
    assert_int_equal(test_shell("rm -rf out out.*; ls | wc -l | grep -qx ' *3'").status, 0);
}

static void own_files_load_again_or_are_not_written(void** state) {
    (void)state;
    static const char* const inputs[] = {"far.bvh", "large.bvh", "small.bvh"};
    static const char* const outputs[] = {"out.glb", "out.gltf", "out.pc2", "out.mdd", "out.usda", "out.%02d.obj"};
    char arguments[256];
    for (int i = 0; i < 3; i++) {
        for (int o = 0; o < 5; o++) {
            snprintf(arguments, sizeof arguments, "%s --style jelly", inputs[i]);
            expect_error_or_file("apply", arguments, outputs[o]);
        }
        static const char* const bakes[] = {"corrective", "vertex", "corrective --tolerance 10",
                                            "vertex --tolerance 10"};
        for (int b = 0; b < 4; b++) {
            snprintf(arguments, sizeof arguments, "%s --style cartoon --bake %s", inputs[i], bakes[b]);
            expect_error_or_file("apply", arguments, "out.glb");
        }
        snprintf(arguments, sizeof arguments, "%s --set exaggerate.filter.amount=20", inputs[i]);
        expect_error_or_file("exaggerate", arguments, "out.glb");
        expect_error_or_file("exaggerate", arguments, "out.bvh");
        expect_error_or_file("convert", inputs[i], "out.glb");
        snprintf(arguments, sizeof arguments, "%s --style jelly", inputs[i]);
        expect_error_or_file("dump", arguments, "out");
    }
}

static void what_overflows_is_said(void** state) {
    (void)state;
    test_fails("", "exaggerate", "far.bvh --set exaggerate.filter.amount=20 -o out.glb", 1, "not finite", 1);
    test_fails("", "exaggerate", "far.bvh --set exaggerate.filter.amount=20 -o out.bvh", 1, "too large", 1);
    test_fails("", "dump", "far.bvh -o out", 1, "a number of velocity.npy is not finite", 1);
}

// A hat of 2e29 m that grows and turns within a trillionth of a second, or not at all.
static void write_giant(const char* path, bool moves) {
    static const float hat[3][3] = {{0, 0, 2e29f}, {0, 7e22f, 0}, {3e27f, 1e25f, 0}};
    static const float times[3] = {2.5035635e-12f, 2.503564e-12f, 2.5177e-12f};
    static const float scales[3][3] = {{1, 8e17f, 1}, {2e8f, 1e8f, 1}, {1, 2e8f, 1}};
    gltf_kit kit;
    size_t size;
    kit_character(&kit);
    kit_poke(&kit, KIT_PROP_POSITION, 0, hat, sizeof hat);
    kit_poke(&kit, KIT_TIMES, 0, times, sizeof times);
    kit_poke(&kit, KIT_SCALES, 0, scales, sizeof scales);
    if (!moves)
        kit_set(&kit, "animations/0/channels", "[]");
    uint8_t* bytes = kit_glb(&kit, &size);
    FILE* file = fopen(path, "wb");
    assert_true(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    free(bytes);
    kit_end(&kit);
}

// Whatever style is tried, its vertices are too far away to be compared with the wanted ones.
static void a_fit_that_cannot_compare_is_refused(void** state) {
    (void)state;
    write_giant("plain.glb", true);
    write_giant("wanted.glb", false);
    test_fails("", "fit", "plain.glb wanted.glb -o out.json", 1, "a distance is not finite", 1);
    assert_false(is_there("out.json"));
    assert_int_equal(test_shell("rm plain.glb wanted.glb").status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_files_load_again_or_are_not_written),
        cmocka_unit_test(what_overflows_is_said),
        cmocka_unit_test(a_fit_that_cannot_compare_is_refused),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
