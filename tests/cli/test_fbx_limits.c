// Curves of .fbx files that would unpack to gigabytes stay as they are.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/import/fbx.h"

#include <stdio.h>

enum { CUBIC_USER = 0x408 };

// Two keys so many seconds apart, with a tangent between.
static bool samples_over(double span_s, size_t* count) {
    const int64_t times[2] = {0, (int64_t)(span_s * (double)FBX_SECOND)};
    const float values[2] = {0, 1};
    const int32_t flags[1] = {CUBIC_USER};
    const float tangents[4] = {5, -5, 0, 0};
    const int32_t repeats[1] = {2};
    const fbx_curve curve = {2, 1, times, values, flags, tangents, repeats};
    limberi_arena arena = {NULL, false};
    fbx_keys keys = {0, NULL, NULL};
    bool sampled = fbx_curve_sample(&arena, &curve, &keys);
    assert_false(arena.failed);
    *count = keys.count;
    limberi_arena_free(&arena);
    return sampled;
}

static void a_curve_gets_keys_up_to_a_limit(void** state) {
    (void)state;
    size_t count;
    assert_true(samples_over(2, &count));
    assert_true(count > 100 && count < 140);
    assert_true(samples_over(1000, &count));
    assert_true(count > 50000 && count <= FBX_KEY_LIMIT);
    assert_false(samples_over(1.01 * FBX_KEY_LIMIT / 60, &count)); // a day's worth of samples in two keys
    assert_false(samples_over(1e8, &count));
}

static bool grows(double span_s, size_t* length) {
    char text[1024];
    limberi_buffer out;
    int size =
        snprintf(text, sizeof text,
                 "; FBX 7.4.0 project file\nObjects:  {\n\tAnimationCurve: 7, \"AnimCurve::\", \"\" {\n"
                 "\t\tKeyTime: *2 {\n\t\t\ta: 0,%.0f\n\t\t}\n\t\tKeyValueFloat: *2 {\n\t\t\ta: 0,1\n\t\t}\n"
                 "\t\tKeyAttrFlags: *1 {\n\t\t\ta: %d\n\t\t}\n\t\tKeyAttrDataFloat: *4 {\n\t\t\ta: 5,-5,0,0\n\t\t}\n"
                 "\t\tKeyAttrRefCount: *1 {\n\t\t\ta: 2\n\t\t}\n\t}\n}\n",
                 span_s * (double)FBX_SECOND, CUBIC_USER);
    bool grown = fbx_sample_curves((limberi_bytes){(const uint8_t*)text, (size_t)size}, &out);
    *length = grown ? out.length : 0;
    if (grown)
        limberi_buffer_free(&out);
    return grown;
}

static void so_does_a_file(void** state) {
    (void)state;
    size_t length;
    assert_true(grows(2, &length));
    assert_true(length > 2000 && length < 20000);
    assert_false(grows(1e5, &length));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_gets_keys_up_to_a_limit),
        cmocka_unit_test(so_does_a_file),
    };
    return cmocka_run_group_tests_name("fbx_limits", tests, NULL, NULL);
}
