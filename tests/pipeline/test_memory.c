// A character of a million vertices: loading it and skinning a frame must stay under 400 bytes a vertex.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/program.h"
#include <limber/limber.h>

static void a_million_vertices_take_under_400_bytes_each(void** state) {
    (void)state;
    assert_int_equal(test_folder_enter(), 0);
    // Another process builds the character, so that this one's peak is loading and skinning alone.
    test_succeeds("sample", "cylinder --detail 28 -o large.glb", "");
    limber_gltf* gltf;
    limber_error error;
    limber_result result = limber_gltf_load_file("large.glb", NULL, &gltf, &error);
    unlink("large.glb");
    assert_int_equal(test_folder_leave(), 0);
    if (result)
        fail_msg("%s: %s", error.place, error.message);
    limber_pipeline* pipeline;
    limber_frame frame;
    assert_int_equal(limber_pipeline_create(limber_gltf_asset(gltf), NULL, &pipeline, &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(pipeline, 0, 0.5, &frame), LIMBER_OK);
    uint32_t vertices = limber_asset_model(limber_gltf_asset(gltf))->vertex_count;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double bytes = 1024.0 * (double)usage.ru_maxrss / vertices;
    print_message("%u vertices, %.0f bytes each at the peak\n", vertices, bytes);
    assert_true(vertices >= 950000);
    assert_true(bytes < 400);
    limber_pipeline_destroy(pipeline);
    limber_gltf_destroy(gltf);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_vertices_take_under_400_bytes_each)};
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
