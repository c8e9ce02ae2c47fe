// Memory may run out at any of the reader's own allocations: it then says so, and leaks nothing (the sanitizer build
// sees to that).
#include "kit/failing_memory.h"
#include "kit/gltf_load.h"

static void each_failing_allocation_is_reported(void** state) {
    (void)state;
    gltf_kit kit;
    size_t size;
    kit_character(&kit);
    kit_set(&kit, "scenes/0/extensions", "{'LIMBER_style': {'limber': 1}}");
    kit_set(&kit, "nodes/1/rotation", "[0, 0, 0, 2]"); // worth a note
    uint8_t* bytes = kit_glb(&kit, &size);
    kit_end(&kit);
    long failures = 0;
    for (;; failures++) {
        limber_gltf* gltf;
        limber_error error;
        test_memory_allow(failures);
        limber_result result = limber_gltf_load_memory(bytes, size, ".", NULL, &gltf, &error);
        bool done = !test_memory_end();
        if (result == LIMBER_OK)
            limber_gltf_destroy(gltf);
        if (done)
            break;
        if (result != LIMBER_ERROR_MEMORY)
            fail_msg("allocation %ld failed and the answer is %d: %s", failures, result, error.message);
    }
    assert_true(failures > 100);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests_name("gltf allocation", tests, NULL, NULL);
}
