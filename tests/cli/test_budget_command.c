// Files that ask for more work than anyone meant: it is counted first, and a picture of a long clip takes few frames.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/program.h"

// Two keys, more than a year apart: a billion frames at 30 per second. Quotes are written as apostrophes.
static const char long_clip[] =
    "{'asset':{'version':'2.0'},'scene':0,'scenes':[{'nodes':[0]}],'nodes':[{'mesh':0}],'meshes"
    "':[{'primitives':[{'attributes':{'POSITION':0}}]}],'animations':[{'samplers':[{'input':1,'"
    "output':2}],'channels':[{'sampler':0,'target':{'node':0,'path':'rotation'}}]}],'accessors'"
    ":[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[1,1,0]"
    "},{'bufferView':0,'byteOffset':36,'componentType':5126,'count':2,'type':'SCALAR','min':[0]"
    ",'max':[34000000]},{'bufferView':0,'byteOffset':44,'componentType':5126,'count':2,'type':'"
    "VEC4'}],'bufferViews':[{'buffer':0,'byteLength':76}],'buffers':[{'byteLength':76,'uri':'da"
    "ta:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAACC"
    "zAUwAAAAAAAAAAAAAAAAAAIA/AAAAAAAAAADzBDU/8wQ1Pw=='}]}";

static int write_long_clip(const char* path) {
    FILE* file = fopen(path, "w");
    if (!file)
        return 1;
    for (const char* c = long_clip; *c; c++)
        fputc(*c == '\'' ? '"' : *c, file);
    return fclose(file);
}

static int make_files(void** state) {
    (void)state;
    return test_folder_enter() || test_tube_write("tube.glb", 3, 1, 24, false) || write_long_clip("long.gltf");
}

static int remove_files(void** state) {
    (void)state;
    return unlink("tube.glb") || unlink("long.gltf") || test_folder_leave();
}

static void work_over_the_budget_is_refused(void** state) {
    (void)state;
    static const char words[] = "raise --budget";
    test_fails("", "apply", "tube.glb --style jelly --budget 1e-9 -o out.glb", 1, words, 1);
    test_fails("", "apply", "tube.glb --style jelly --budget 1e-9 -o out.pc2", 1, words, 1);
    test_fails("", "dump", "tube.glb --style jelly --budget 1e-9 -o out", 1, words, 1);
    test_fails("", "exaggerate", "tube.glb --budget 1e-9 -o out.bvh", 1, words, 1);
    test_succeeds("apply", "tube.glb --style jelly --budget 1 -o out.glb", "");
    assert_int_equal(unlink("out.glb"), 0);
    test_fails("", "apply", "tube.glb --style jelly --budget -1 -o out.glb", 2, "--budget", 1);
    test_fails("", "apply", "tube.glb --style jelly --budget much -o out.glb", 2, "--budget", 1);
}

static void long_clips_are_counted_first(void** state) {
    (void)state;
    test_fails("", "apply", "long.gltf --fps 30 --style jelly -o out.glb", 1, "1020000001, max 1000000", 1);
    test_fails("", "apply", "long.gltf --fps 30 --style jelly -o out.pc2 --budget 1", 1, "1020000001 frames", 1);
    test_fails("", "dump", "long.gltf --fps 30 -o out", 1, "1020000001 frames", 1);
}

// A filter needs the motion from the beginning of the clip on, however little of it is wanted.
static void clips_that_are_too_long_to_filter_are_refused(void** state) {
    (void)state;
    static const char* const kinds[] = {"corrective", "vertex", "corrective --tolerance 1", "bones"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char line[256];
        snprintf(line, sizeof line,
                 "long.gltf --range 0:1 --quiet -o out.glb --set effects.floppy.linear=0.1 --set "
                 "effects.floppy.filter.type=spring --bake %s",
                 kinds[i]);
        test_fails("", "apply", line, 1, "too long to filter", 1);
    }
}

#ifdef LIMBER_TEST_RENDER
static void pictures_of_long_clips_take_few_frames(void** state) {
    (void)state;
    test_succeeds("render", "long.gltf --fps 30 --frame 1000000000 --size 64x48 -o out.png", "");
    assert_int_equal(unlink("out.png"), 0);
    test_succeeds("render", "long.gltf --fps 30 --even --sheet 3 --size 64x48 -o out.png", "");
    assert_int_equal(unlink("out.png"), 0);
    test_fails("", "render", "long.gltf --fps 30 --budget 1e9 -o out.mp4", 1, "max 1000000 in a film", 1);
}

static void sizes_of_pictures_do_not_wrap_around(void** state) {
    (void)state;
    static const char* const sizes[] = {"4294967297x4294967297",
                                        "64x18446744073709551617",
                                        "99999999999999999999x1",
                                        "-1x64",
                                        "64x",
                                        "x64",
                                        "64x64x",
                                        " 64x64",
                                        "64"};
    char arguments[128];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(arguments, sizeof arguments, "tube.glb -o out.png --size '%s'", sizes[i]);
        test_fails("", "render", arguments, 2, "--size must be", 1);
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_over_the_budget_is_refused),
        cmocka_unit_test(long_clips_are_counted_first),
        cmocka_unit_test(clips_that_are_too_long_to_filter_are_refused),
#ifdef LIMBER_TEST_RENDER
        cmocka_unit_test(pictures_of_long_clips_take_few_frames),
        cmocka_unit_test(sizes_of_pictures_do_not_wrap_around),
#endif
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
