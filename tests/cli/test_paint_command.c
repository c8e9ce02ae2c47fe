// `limber paint` as a user meets it: exit status, one line of error, a layer in a complete file or no file.
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

static void succeed(const char* arguments, const char* words) {
    test_succeeds("", arguments, words);
}

// `lines` of text, the first of them the error.
static void expect_failure(const char* arguments, int status, const char* words, int lines) {
    test_fails("", "", arguments, status, words, lines);
    assert_int_not_equal(access("out.glb", F_OK), 0);
}

static limber_gltf* load(const char* path) {
    limber_gltf* gltf;
    limber_error error;
    if (limber_gltf_load_file(path, NULL, &gltf, &error) != LIMBER_OK)
        fail_msg("%s: %s: %s", path, error.place, error.message);
    return gltf;
}

static const limber_mesh* mesh_of(const limber_gltf* gltf) {
    return &limber_asset_model(limber_gltf_asset(gltf))->meshes[0];
}

static float value_at(const char* path, const char* layer, uint32_t vertex) {
    limber_gltf* gltf = load(path);
    const limber_layer* found = limber_mesh_find_layer(mesh_of(gltf), layer);
    if (!found)
        fail_msg("%s has no layer %s", path, layer);
    float value = found->values[vertex];
    limber_gltf_destroy(gltf);
    return value;
}

static bool has_layer(const char* path, const char* layer) {
    limber_gltf* gltf = load(path);
    bool has = limber_mesh_find_layer(mesh_of(gltf), layer) != NULL;
    limber_gltf_destroy(gltf);
    return has;
}

static int make_tube(void** state) {
    (void)state;
    return test_folder_enter() || test_tube_write("tube.glb", 3, 1, 24, false);
}

static int remove_tube(void** state) {
    (void)state;
    return unlink("tube.glb") || test_folder_leave();
}

static void wrong_command_lines_end_with_2(void** state) {
    (void)state;
    expect_failure("paint", 2, "needs an input", 1);
    expect_failure("paint tube.glb --layer a --fill 1", 2, "-o", 1);
    expect_failure("paint tube.glb -o out.obj --layer a --fill 1", 2, ".glb", 1);
    expect_failure("paint tube.glb -o out.glb --fill 1", 2, "--layer", 1);
    expect_failure("paint tube.glb -o out.glb --layer 'left ear' --fill 1", 2, "left ear", 1);
    expect_failure("paint tube.glb -o out.glb --layer a", 2, "--auto", 1);
    expect_failure("paint tube.glb -o out.glb --layer a --fill 1 --expr 1", 2, "only one", 1);
    expect_failure("paint tube.glb -o out.glb --layer a --fill 1 --remove", 2, "--remove", 1);
    expect_failure("paint tube.glb -o out.glb --layer a --fill 1.5", 2, "--fill", 1);
    expect_failure("paint tube.glb -o out.glb --layer a --fill x", 2, "--fill", 1);
    expect_failure("paint tube.glb -o out.glb --layer a --fill 1 --scale 1", 2, "--scale", 1);
    expect_failure("paint tube.glb -o out.glb --layer a --fill 1 --scale 0:2", 2, "--scale", 1);
    expect_failure("paint tube.glb -o out.glb --layer a --fill 1 --scale 0:1x", 2, "--scale", 1);
    expect_failure("paint tube.glb -o out.glb --layer a --fill 1 --smooth 4000000000", 2, "--smooth", 1);
    expect_failure("paint tube.glb -o out.glb --layer a --auto thicknes", 2, "did you mean 'thickness'", 1);
    expect_failure("paint tube.glb -o out.glb --layer a --fil 1", 2, "did you mean '--fill'", 1);
}

static void wrong_formulas_end_with_2_and_a_caret(void** state) {
    (void)state;
    expect_failure("paint tube.glb -o out.glb --layer a --expr '1 + heigth'", 2, "\n1 + heigth\n    ^\n", 3);
    expect_failure("paint tube.glb -o out.glb --layer a --expr '1 + heigth'", 2, "did you mean 'height'", 3);
    expect_failure("paint tube.glb -o out.glb --layer a --expr 'speed'", 2, "speed", 3);
    expect_failure("paint tube.glb -o out.glb --layer a --expr '(1'", 2, "column", 3);
}

static void work_that_fails_ends_with_1(void** state) {
    (void)state;
    succeed("paint tube.glb -o in.glb --layer floppy --fill 1 --quiet", "");
    expect_failure("paint nothing.glb -o out.glb --layer a --fill 1", 1, "nothing.glb", 1);
    expect_failure("paint in.glb -o out.glb --layer a --auto joint:jiont", 1, "did you mean 'joint'", 1);
    expect_failure("paint in.glb -o out.glb --layer a --auto joint:xyzzy", 1, "no joint 'xyzzy'", 1);
    expect_failure("paint in.glb -o out.glb --layer a --expr paint.flopy", 1, "did you mean 'floppy'", 1);
    expect_failure("paint in.glb -o out.glb --layer flopy --smooth 2", 1, "did you mean 'floppy'", 1);
    expect_failure("paint in.glb -o out.glb --layer flopy --remove", 1, "did you mean 'floppy'", 1);
    expect_failure("paint in.glb -o out.glb --layer a --fill 1 --mesh tub", 1, "did you mean 'tube'", 1);
    expect_failure("paint in.glb -o no/folder/out.glb --layer a --fill 1", 1, "no/folder/out.glb", 1);
    assert_int_equal(unlink("in.glb"), 0);
}

static void what_is_painted_is_in_the_file(void** state) {
    (void)state;
    succeed("paint tube.glb -o out.glb --layer Tall --auto height", "tall: 20 vertices of 1 mesh, 0.000 to 1.000");
    succeed("info out.glb", "layer tall");
    assert_true(value_at("out.glb", "tall", 0) == 0);
    assert_true(value_at("out.glb", "tall", 19) == 1);
    assert_true(fabsf(value_at("out.glb", "tall", 10) - 0.5f) < 1e-6f);
    succeed("paint out.glb -o out.glb --layer far --auto joint:joint --quiet", "");
    succeed("paint out.glb -o out.glb --layer thin --auto thickness --mesh tube", "thin");
    succeed("paint out.glb -o out.glb --layer mix --expr '0.5 * paint.tall - paint.far * 0' --quiet", "");
    assert_true(value_at("out.glb", "mix", 19) == 0.5f);
    assert_true(has_layer("out.glb", "tall") && has_layer("out.glb", "far") && has_layer("out.glb", "thin"));
    assert_int_equal(unlink("out.glb"), 0);
}

static void a_second_coat_replaces_the_first(void** state) {
    (void)state;
    succeed("paint tube.glb -o out.glb --layer a --fill 0.25 --quiet", "");
    succeed("paint out.glb -o out.glb --layer A --fill -0.75 --quiet", "");
    assert_true(value_at("out.glb", "a", 3) == -0.75f);
    limber_gltf* gltf = load("out.glb");
    assert_int_equal(mesh_of(gltf)->layer_count, 1);
    limber_gltf_destroy(gltf);
    assert_int_equal(unlink("out.glb"), 0);
}

static void values_are_smoothed_then_inverted_then_scaled(void** state) {
    (void)state;
    succeed("paint tube.glb -o out.glb --layer a --auto height --invert --scale -1:0.5", "a: 20 vertices");
    assert_true(fabsf(value_at("out.glb", "a", 0) - 0.5f) < 1e-6f);
    assert_true(fabsf(value_at("out.glb", "a", 19) + 1) < 1e-6f);
    succeed("paint out.glb -o out.glb --layer a --smooth 5000 --quiet", ""); // alone: what is there
    assert_true(fabsf(value_at("out.glb", "a", 0) - value_at("out.glb", "a", 19)) < 0.01f);
    succeed("paint out.glb -o out.glb --layer a --invert --quiet", "");
    assert_true(value_at("out.glb", "a", 0) == 1); // 1 + 0.25, cut off
    assert_int_equal(unlink("out.glb"), 0);
}

static void a_layer_can_be_taken_away(void** state) {
    (void)state;
    succeed("paint tube.glb -o out.glb --layer a --fill 0.5 --quiet", "");
    succeed("paint out.glb -o out.glb --layer b --fill 0.5 --quiet", "");
    succeed("paint out.glb -o out.glb --layer a --remove", "");
    assert_true(!has_layer("out.glb", "a") && has_layer("out.glb", "b"));
    assert_int_equal(unlink("out.glb"), 0);
}

static void help_shows_examples(void** state) {
    (void)state;
    succeed("paint --help", "Examples:\n  limber paint ");
    succeed("help paint", "--auto");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_command_lines_end_with_2),
        cmocka_unit_test(wrong_formulas_end_with_2_and_a_caret),
        cmocka_unit_test(work_that_fails_ends_with_1),
        cmocka_unit_test(what_is_painted_is_in_the_file),
        cmocka_unit_test(a_second_coat_replaces_the_first),
        cmocka_unit_test(values_are_smoothed_then_inverted_then_scaled),
        cmocka_unit_test(a_layer_can_be_taken_away),
        cmocka_unit_test(help_shows_examples),
    };
    return cmocka_run_group_tests(tests, make_tube, remove_tube);
}
