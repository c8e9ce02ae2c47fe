// The key "colliders" of a style: words and lists, what is wrong with them, and memory that runs out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kit/failing_memory.h"
#include "kit/models.h"
#include "kit/style_kit.h"

static uint32_t colliders_with(const limber_asset* asset, const char* text) {
    limber_style* style = style_kit_read(text);
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s: %s", text, error.message);
    const limber_colliders* colliders = limber_pipeline_colliders(pipeline);
    uint32_t count = colliders ? limber_collider_count(colliders) : 0;
    limber_pipeline_destroy(pipeline);
    limber_style_destroy(style);
    return count;
}

static void a_style_lists_colliders(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("hero", 0.5);
    uint32_t fitted = colliders_with(asset, "{\"colliders\": \"auto\"}");
    assert_true(fitted > 10);
    assert_int_equal(colliders_with(asset, "{}"), 0);
    assert_int_equal(colliders_with(asset, "{\"colliders\": \"none\"}"), 0);
    assert_int_equal(colliders_with(asset, "{\"colliders\": []}"), 0);
    assert_int_equal(colliders_with(asset, "{\"colliders\": [{\"plane\": {}}]}"), 1);
    assert_int_equal(colliders_with(asset, "{\"colliders\": [\"auto\", {\"plane\": {}}]}"), fitted + 1);
    assert_int_equal(colliders_with(asset, "{\"colliders\": [{\"sphere\": {\"joint\": \"Leg*\", \"radius\": 0.1}}]}"),
                     8);
    limber_asset_destroy(asset);
}

static void refused(const char* text, const char* message) {
    style_kit_refuse(text, message, "colliders");
}

static void wrong_values_are_refused(void** state) {
    (void)state;
    refused("{\"colliders\": true}", "expected \"none\", \"auto\" or a list of colliders, found true");
    refused("{\"colliders\": \"all\"}", "found \"all\"");
    refused("{\"colliders\": [3]}", "expected a collider: ");
    refused("{\"colliders\": [{}]}", "a collider needs one \"capsule\", \"sphere\" or \"plane\"");
    refused("{\"colliders\": [{\"plane\": {}, \"sphere\": {\"radius\": 1}}]}", "not several");
    refused("{\"colliders\": [{\"shpere\": {}}]}", "unknown key 'shpere' of a collider; did you mean 'sphere'?");
    refused("{\"colliders\": [{\"sphere\": {}}]}", "a sphere needs a \"radius\"");
    refused("{\"colliders\": [{\"capsule\": {\"radius\": 1}}]}", "a capsule needs a \"to\": [x, y, z]");
    refused("{\"colliders\": [{\"capsule\": {\"radius\": -1, \"to\": [0, 1, 0]}}]}", "a radius from 0 to 1e9");
    refused("{\"colliders\": [{\"capsule\": {\"radius\": 1, \"to\": [0, 1]}}]}", "three numbers: [x, y, z]");
    refused("{\"colliders\": [{\"sphere\": {\"radius\": 1, \"centre\": [0, 1, 0]}}]}",
            "unknown key 'centre' of a sphere; did you mean 'center'?");
    refused("{\"colliders\": [{\"plane\": {\"normal\": [0, 0, 0]}}]}", "must have a length");
    refused("{\"colliders\": [{\"plane\": {}, \"obey\": []}]}", "a list of names");
}

static void unknown_joints_are_refused(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("hero", 0.5);
    static const char* const texts[2] = {
        "{\"colliders\": [{\"plane\": {}}, {\"sphere\": {\"joint\": \"Haed\", \"radius\": 1}}]}",
        "{\"colliders\": [{\"plane\": {}}, {\"plane\": {}, \"obey\": [\"Haed\"]}]}"};
    static const char* const places[2] = {"colliders[1].joint", "colliders[1].obey"};
    for (int i = 0; i < 2; i++) {
        limber_style* style = style_kit_read(texts[i]);
        limber_pipeline* pipeline;
        limber_error error;
        assert_int_equal(limber_pipeline_create(asset, style, &pipeline, &error), LIMBER_ERROR_DATA);
        assert_non_null(strstr(error.message, "did you mean 'Head'?"));
        assert_non_null(strstr(error.place, places[i]));
        limber_style_destroy(style);
    }
    limber_asset_destroy(asset);
}

static void each_failing_allocation_is_reported(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("cylinder", 0.5);
    limber_style* style = style_kit_read("{\"colliders\": [\"auto\", {\"plane\": {}, \"layer\": \"floppy\", \"obey\": "
                                         "[\"*\"]}], \"effects\": {\"floppy\": {\"angular\": 0.2}}}");
    long failures = 0;
    for (bool done = false; !done; failures++) {
        limber_pipeline* pipeline;
        limber_error error;
        test_memory_allow(failures);
        limber_result result = limber_pipeline_create(asset, style, &pipeline, &error);
        done = !test_memory_end();
        assert_int_equal(result, done ? LIMBER_OK : LIMBER_ERROR_MEMORY);
        limber_pipeline_destroy(pipeline);
    }
    assert_true(failures > 20);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_style_lists_colliders),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(unknown_joints_are_refused),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
