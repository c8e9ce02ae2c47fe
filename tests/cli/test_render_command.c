// `limber render` as a user meets it: exit status, one line of error, a complete file or none.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/file.h"
#include "kit/models.h"
#include "kit/program.h"
#include "render/render.h"

// The tests' own folder is the working directory.
static answer run(const char* arguments) {
    return test_limber("", "render", arguments);
}

static void expect_failure(const char* arguments, int status, const char* words) {
    test_fails("", "render", arguments, status, words, 1);
    assert_int_not_equal(access("out.png", F_OK), 0);
}

static void expect_picture(const char* arguments, uint32_t width, uint32_t height) {
    answer a = run(arguments);
    limberi_arena arena = {0};
    limberi_bytes bytes;
    limberi_picture picture;
    limber_error error;
    if (a.status != 0)
        fail_msg("limber render %s: status %d, '%s'", arguments, a.status, a.text);
    assert_int_equal(limberi_file_read("out.png", 1 << 26, &arena, &bytes, &error), LIMBER_OK);
    assert_int_equal(limberi_picture_decode(bytes.data, bytes.size, &picture, &error), LIMBER_OK);
    assert_int_equal(picture.width, width);
    assert_int_equal(picture.height, height);
    limberi_picture_destroy(&picture);
    limberi_arena_free(&arena);
    assert_int_equal(unlink("out.png"), 0);
}

// A triangle between two cameras: one sees it, the other has it at its back.
static void write_cameras(void) {
    static const char text[] =
        "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0, 1, 2]}],"
        "\"nodes\": [{\"mesh\": 0}, {\"name\": \"Front\", \"camera\": 0, \"translation\": [0, 0, 4]},"
        "{\"name\": \"Away\", \"camera\": 1, \"translation\": [0, 0, -4]}],"
        "\"cameras\": [{\"type\": \"perspective\", \"perspective\": {\"yfov\": 0.8, \"znear\": 0.1}},"
        "{\"type\": \"orthographic\", \"orthographic\": {\"xmag\": 2, \"ymag\": 2, \"znear\": 0.1, \"zfar\": 9}}],"
        "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"indices\": 1}]}],"
        "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\","
        "\"min\": [-1, -1, 0], \"max\": [1, 1, 0]},"
        "{\"bufferView\": 1, \"componentType\": 5123, \"count\": 3, \"type\": \"SCALAR\"}],"
        "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 36}, {\"buffer\": 0, \"byteOffset\": 36, \"byteLength\": "
        "6}],"
        "\"buffers\": [{\"byteLength\": 44, \"uri\": \"data:application/octet-stream;base64,"
        "AACAvwAAgL8AAAAAAACAPwAAgL8AAAAAAAAAAAAAgD8AAAAAAAABAAIAAAA=\"}]}";
    FILE* file = fopen("cameras.gltf", "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

static int covered_pixels(const char* arguments) {
    limberi_arena arena = {0};
    limberi_bytes bytes;
    limberi_picture picture;
    limber_error error;
    answer a = run(arguments);
    if (a.status != 0)
        fail_msg("limber render %s: status %d, '%s'", arguments, a.status, a.text);
    assert_int_equal(limberi_file_read("out.png", 1 << 26, &arena, &bytes, &error), LIMBER_OK);
    assert_int_equal(limberi_picture_decode(bytes.data, bytes.size, &picture, &error), LIMBER_OK);
    int covered = 0;
    for (size_t i = 0; i < (size_t)picture.width * picture.height; i++)
        covered += picture.pixels[4 * i + 3] > 127;
    limberi_picture_destroy(&picture);
    limberi_arena_free(&arena);
    assert_int_equal(unlink("out.png"), 0);
    return covered;
}

static void cameras_of_the_file_are_looked_through(void** state) {
    (void)state;
    write_cameras();
    const double tangent = 0.42279; // of 0.4 rad: half a picture is 4 times as much, the triangle 2 by 2 units
    double expected = 0.5 * 64 * 64 / (4 * tangent) / (4 * tangent);
    int seen = covered_pixels("cameras.gltf -o out.png --size 64x64 --transparent --no-ground --camera Front");
    assert_in_range(seen, (int)(0.95 * expected), (int)(1.05 * expected));
    int away = covered_pixels("cameras.gltf -o out.png --size 64x64 --transparent --no-ground --camera Away --ink");
    assert_int_equal(away, 0);
    expect_failure("cameras.gltf -o out.png --camera Frnt", 1, "did you mean 'Front'");
    assert_int_equal(unlink("cameras.gltf"), 0);
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
    expect_failure("", 2, "needs an input");
    expect_failure("tube.glb", 2, "-o");
    expect_failure("tube.glb -o out.tiff", 2, ".png");
    expect_failure("tube.glb -o out.png --size 0x0", 2, "--size");
    expect_failure("tube.glb -o out.png --size 100", 2, "--size");
    expect_failure("tube.glb -o out.png --size 100x9999999", 2, "--size");
    expect_failure("tube.glb -o out.png --size 99999999999999x5", 2, "--size");
    expect_failure("tube.glb -o out.png --size -3x5", 2, "--size");
    expect_failure("tube.glb -o out.png --sheet 0", 2, "--sheet");
    expect_failure("tube.glb -o out.png --sheet 3 --frame 2", 2, "only one");
    expect_failure("tube.glb -o out.png --even", 2, "--sheet");
    expect_failure("tube.glb -o out.png --pitch 100", 2, "--pitch");
    expect_failure("tube.glb -o out.png --yaww 3", 2, "--yaw");
    expect_failure("tube.glb -o out.png --range 2:1", 2, "--range");
    expect_failure("tube.glb -o out.png --skinning soft", 2, "--skinning");
    expect_failure("tube.glb -o out.png --view joint", 2, "did you mean 'joints'");
    expect_failure("tube.glb -o out.png --view layers,offsets", 2, "choose one");
    expect_failure("tube.glb -o out.png --onion 0", 2, "--onion");
    expect_failure("tube.glb -o out.png --onion 65", 2, "--onion");
    expect_failure("tube.glb -o out.png --onion-step 2", 2, "--onion");
    expect_failure("tube.glb -o out.png --onion 1 --onion-step 0", 2, "--onion-step");
    expect_failure("tube.glb -o out.png --ink-width 0", 2, "--ink-width");
    expect_failure("tube.glb -o out.png --ink-width 99", 2, "--ink-width");
}

static void work_that_fails_ends_with_1(void** state) {
    (void)state;
    expect_failure("nothing.glb -o out.png", 1, "nothing.glb");
    expect_failure("tube.glb -o out.png --clip nosuch", 1, "nosuch");
    expect_failure("tube.glb -o out.png --clip 7", 1, "7");
    expect_failure("tube.glb -o out.png --frame 1000", 1, "1000");
    expect_failure("tube.glb -o out.png --time 99", 1, "99");
    expect_failure("tube.glb -o out.png --range 50:60", 1, "range");
    expect_failure("tube.glb -o out.png --camera Front", 1, "no cameras");
    expect_failure("tube.glb -o out.png --view layers", 1, "limber paint");
    expect_failure("tube.glb -o no/such/folder/out.png --size 8x8", 1, "no/such/folder/out.png");
    expect_failure("nothing.glb -o no/such/folder/out.png", 1, "no/such/folder/out.png"); // known before anything else
    expect_failure("tube.glb -o out.png --sheet 400 --fps 1000 --size 8192x8192", 1, "too large");
}

static void pictures_have_the_size_asked_for(void** state) {
    (void)state;
    expect_picture("tube.glb -o out.png", 960, 720);
    expect_picture("tube.glb -o out.png --size 40x30 --frame 3 --yaw 400 --pitch -20", 40, 30);
    expect_picture("tube.glb -o out.png --size 1x1 --time 0.5 --transparent --no-ground", 1, 1);
    expect_picture("tube.glb -o out.png --size 1x1 --ink --view joints,velocity,offsets,trajectories --onion 2", 1, 1);
    expect_picture("tube.glb -o out.png --size 64x48 --ink-width 12 --onion 3 --onion-step 5 --range 0:0.1", 64, 48);
    // Gaps of 12 between and around, captions of 24, a title of 36.
    expect_picture("tube.glb -o out.png --size 40x30 --sheet 3 --skinning dualquat", 3 * 40 + 4 * 12,
                   30 + 24 + 12 + 36);
    // No more pictures than the range has frames.
    expect_picture("tube.glb -o out.png --size 40x30 --sheet 9 --range 0:0.05", 2 * 40 + 3 * 12, 30 + 24 + 12 + 36);
}

static void sheets_take_every_choice_of_frames(void** state) {
    (void)state;
    const uint32_t width = 3 * 40 + 4 * 12, height = 30 + 24 + 12 + 36;
    expect_picture("tube.glb -o out.png --size 40x30 --sheet 3 --style cartoon", width, height);
    expect_picture("tube.glb -o out.png --size 40x30 --sheet 3 --style cartoon --even --no-follow", width, height);
}

// A second style beside the first one, and the plain character through it (stretchable cartoon editing, figures 1 and 2).
static void pictures_compare_styles_and_show_the_plain_character(void** state) {
    (void)state;
    static const char* const pairs[][2] = {{"--sheet 3 --compare", "--sheet 3 --compare rubberhose"},
                                           {"--time 0.3", "--time 0.3 --ghost plain"}};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            char arguments[160];
            snprintf(arguments, sizeof arguments, "tube.glb -o %s --size 40x30 --style jelly %s", k ? "b.png" : "a.png",
                     pairs[i][k]);
            assert_int_equal(run(arguments).status, 0);
        }
        assert_int_not_equal(test_shell("cmp -s a.png b.png").status, 0);
    }
    expect_failure("tube.glb -o out.png --ghost styled", 2, "--ghost must be plain");
    expect_failure("tube.glb -o out.png --compare jellly", 1, "jelly");
    assert_int_equal(test_shell("rm a.png b.png").status, 0);
}

// Velocity skinning, section 5: velocities that nobody animated. The plain character has none, and twice as fast is more.
static void pictures_ask_what_if(void** state) {
    (void)state;
    static const char* const what[3] = {"", "--what-if joint.angular=0,0,6", "--what-if joint.angular=0,0,12"};
    for (int styled = 0; styled < 2; styled++) {
        for (int i = 0; i < 3; i++) {
            char arguments[200];
            snprintf(arguments, sizeof arguments, "tube.glb -o %d.png --size 40x30 --frame 0 %s %s", i,
                     styled ? "--style vs-floppy" : "--set size=1", what[i]);
            assert_int_equal(run(arguments).status, 0);
        }
        assert_int_equal(test_shell("cmp -s 0.png 1.png").status != 0, styled);
        assert_int_equal(test_shell("cmp -s 1.png 2.png").status != 0, styled);
    }
    expect_failure("tube.glb -o out.png --what-if joint.angular=1", 2, "three numbers");
    expect_failure("tube.glb -o out.png --what-if nobody.angular=1,0,0", 1, "no joint 'nobody'");
    assert_int_equal(test_shell("rm 0.png 1.png 2.png").status, 0);
}

static void floor_lies_where_it_is_put(void** state) {
    (void)state;
    enum { SIDE = 48 };
    static uint8_t pictures[3][4 * SIDE * SIDE];
    limberi_render_settings settings = limberi_render_settings_default();
    limberi_renderer* renderer;
    limber_error error;
    settings.width = settings.height = SIDE;
    limber_asset* asset = test_tube_create(3, 1.0f, 24, false);
    const limber_model* model = limber_asset_model(asset);
    const limber_mesh* tube = &model->meshes[0];
    float lowest = tube->positions[1];
    for (uint32_t v = 1; v < tube->vertex_count; v++)
        lowest = tube->positions[3 * v + 1] < lowest ? tube->positions[3 * v + 1] : lowest;
    assert_int_equal(limberi_renderer_create(&settings, &renderer, &error), LIMBER_OK);
    assert_int_equal(limberi_renderer_load(renderer, model, &error), LIMBER_OK);
    limberi_renderer_frame(renderer, tube->positions);
    const float floors[3] = {NAN, lowest, lowest - 0.5f};
    for (int i = 0; i < 3; i++) {
        limberi_renderer_ground(renderer, floors[i]);
        assert_int_equal(limberi_renderer_draw(renderer, tube->positions, NULL, pictures[i], &error), LIMBER_OK);
    }
    assert_memory_equal(pictures[0], pictures[1], sizeof pictures[0]);
    assert_memory_not_equal(pictures[0], pictures[2], sizeof pictures[0]);
    limberi_renderer_destroy(renderer);
    limber_asset_destroy(asset);
}

static void missing_graphics_driver_is_named(void** state) {
    (void)state;
    setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent.json", 1); // libglvnd then finds no driver
    expect_failure("tube.glb -o out.png --size 8x8", 1, "install");
    unsetenv("__EGL_VENDOR_LIBRARY_FILENAMES");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_command_lines_end_with_2),
        cmocka_unit_test(work_that_fails_ends_with_1),
        cmocka_unit_test(pictures_have_the_size_asked_for),
        cmocka_unit_test(floor_lies_where_it_is_put),
        cmocka_unit_test(sheets_take_every_choice_of_frames),
        cmocka_unit_test(cameras_of_the_file_are_looked_through),
        cmocka_unit_test(missing_graphics_driver_is_named),
        cmocka_unit_test(pictures_compare_styles_and_show_the_plain_character),
        cmocka_unit_test(pictures_ask_what_if),
    };
    return cmocka_run_group_tests(tests, make_tube, remove_tube);
}
