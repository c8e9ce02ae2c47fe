// smear.elongate.subdivide on the command line: finer meshes in every kind of output, and only when asked for.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "kit/program.h"
#include <limber/limber.h>

static void run(const char* arguments, int status) {
    answer a = test_limber("", "", arguments);
    if (a.status != status)
        fail_msg("limber %s: %d, '%s'", arguments, a.status, a.text);
}

static uint32_t triangles_in(const char* path, uint32_t* morphs) {
    limber_gltf* gltf;
    limber_error error;
    if (limber_gltf_load_file(path, NULL, &gltf, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    const limber_model* model = limber_asset_model(limber_gltf_asset(gltf));
    uint32_t count = model->triangle_count;
    *morphs = model->morph_count;
    limber_gltf_destroy(gltf);
    return count;
}

static void commands_write_finer_files_when_asked_to(void** state) {
    (void)state;
    uint32_t morphs;
    assert_int_equal(test_folder_enter(), 0);
    run("sample ball --detail 0.5 -o in.glb", 0);
    uint32_t plain = triangles_in("in.glb", &morphs);
    const char* kinds[] = {"corrective", "vertex", "none"};
    for (int i = 0; i < 3; i++) {
        char arguments[512];
        snprintf(arguments, sizeof arguments,
                 "apply in.glb --clip dash-stop --range 0.8:1.1 --set smear.elongate.amount=offset --set "
                 "smear.elongate.subdivide=1 "
                 "--bake %s -o out.glb",
                 kinds[i]);
        run(arguments, 0);
        uint32_t fine = triangles_in("out.glb", &morphs);
        assert_true(i == 2 ? fine == plain : fine > plain && fine <= 4 * plain);
        assert_true((morphs > 0) == (i < 2));
    }
    const char* look =
        "--clip dash-stop --range 0.8:1.1 --set smear.elongate.amount=offset --set smear.elongate.subdivide=1 -o";
    const char* outs[] = {"apply in.glb %s out.pc2", "dump in.glb %s out"};
    struct stat file;
    for (int i = 0; i < 2; i++) {
        char arguments[512];
        snprintf(arguments, sizeof arguments, outs[i], look);
        run(arguments, 0);
        assert_int_equal(stat(i ? "out" : "out.pc2", &file), 0);
        assert_true(i || file.st_size > 10 * (long)plain / 2 * 12 * 3 / 2);
    }
    run("apply in.glb --set smear.elongate.subdivide=4 -o out2.glb", 2);
    assert_int_equal(system("rm -r in.glb out.glb out.pc2 out"), 0);
    assert_int_equal(test_folder_leave(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(commands_write_finer_files_when_asked_to)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
