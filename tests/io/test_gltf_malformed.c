// Every malformed file is refused with the right result, a place and one clear line.
#include "kit/gltf_kit.h"
#include "kit/malformed.h"

#include <limber/gltf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void each_malformed_file_is_refused_with_one_clear_line(void** state) {
    (void)state;
    assert_true(malformed_count() >= 45);
    for (uint32_t i = 0; i < malformed_count(); i++) {
        malformed_file file = malformed_make(i);
        limber_gltf* gltf = NULL;
        limber_error error;
        limber_result result = limber_gltf_load_memory(file.bytes, file.size, ".", NULL, &gltf, &error);
        bool good = result == file.result && error.result == result && !gltf && malformed_line(error.message) &&
                    strncmp(error.place, file.place, strlen(file.place)) == 0;
        if (!good)
            print_error("%s: result %d (should be %d), place '%s' (should be '%s'): %s\n", file.name, result,
                        file.result, error.place, file.place, error.message);
        limber_gltf_destroy(gltf);
        malformed_free(&file);
        assert_true(good);
    }
}

static void a_file_cut_anywhere_is_refused(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    size_t whole;
    uint8_t* bytes = kit_glb(&kit, &whole);
    kit_end(&kit);
    for (size_t size = 0; size <= whole; size++) {
        uint8_t* part = malloc(size ? size : 1); // its own block, so that a sanitizer sees a byte read too far
        assert_non_null(part);
        memcpy(part, bytes, size);
        limber_gltf* gltf;
        limber_error error;
        limber_result result = limber_gltf_load_memory(part, size, NULL, NULL, &gltf, &error);
        assert_int_equal(result, size < whole ? LIMBER_ERROR_DATA : LIMBER_OK);
        limber_gltf_destroy(gltf);
        free(part);
    }
    free(bytes);
}

static void the_error_may_be_left_out(void** state) {
    (void)state;
    malformed_file file = malformed_make(1);
    limber_gltf* gltf;
    assert_int_equal(limber_gltf_load_memory(file.bytes, file.size, NULL, NULL, &gltf, NULL), file.result);
    assert_int_equal(limber_gltf_load_file("does/not/exist.glb", NULL, &gltf, NULL), LIMBER_ERROR_FILE);
    malformed_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_malformed_file_is_refused_with_one_clear_line),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(the_error_may_be_left_out),
    };
    return cmocka_run_group_tests_name("gltf malformed", tests, NULL, NULL);
}
