// The key "rigid" of a style: words, selections, what is wrong with them, and memory that runs out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kit/failing_memory.h"
#include "kit/props.h"
#include "kit/style_kit.h"

static uint32_t parts_with(const limber_asset* asset, const char* text) {
    limber_style* style = style_kit_read(text);
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s: %s", text, error.message);
    const limber_rigid_parts* parts = limber_pipeline_rigid_parts(pipeline);
    uint32_t count = parts ? limber_rigid_part_count(parts) : 0;
    limber_pipeline_destroy(pipeline);
    limber_style_destroy(style);
    return count;
}

static void a_style_selects_parts(void** state) {
    (void)state;
    limber_asset* asset = test_sword_create();
    assert_int_equal(parts_with(asset, "{}"), 0);
    assert_int_equal(parts_with(asset, "{\"rigid\": \"off\"}"), 0);
    assert_int_equal(parts_with(asset, "{\"rigid\": \"auto\"}"), 1);
    assert_int_equal(parts_with(asset, "{\"rigid\": {}}"), 1);
    assert_int_equal(parts_with(asset, "{\"rigid\": {\"only\": [\"*word\"]}}"), 1);
    assert_int_equal(parts_with(asset, "{\"rigid\": {\"only\": [\"Hand\"]}}"), 1);
    assert_int_equal(parts_with(asset, "{\"rigid\": {\"except\": [\"S*\"]}}"), 0);
    assert_int_equal(parts_with(asset, "{\"rigid\": {\"only\": [\"*\"], \"except\": [\"Hand\"]}}"), 0);
    limber_asset_destroy(asset);
}

static void refused(const char* text, const char* message) {
    style_kit_refuse(text, message, "rigid");
}

static void wrong_values_are_refused(void** state) {
    (void)state;
    refused("{\"rigid\": true}", "expected \"auto\", \"off\" or an object of \"only\", \"except\", \"mass\", \"prop\" "
                                 "and \"appendage\", each a list of names, "
                                 "found true");
    refused("{\"rigid\": \"on\"}", "found \"on\"");
    refused("{\"rigid\": {\"some\": [\"a\"]}}",
            "unknown key 'some' of rigid (known: only, except, mass, prop, appendage)");
    refused("{\"rigid\": {\"only\": \"Sword\"}}", "expected a list of names in quotes, found \"Sword\"");
    refused("{\"rigid\": {\"only\": []}}", "expected a list of names");
    refused("{\"rigid\": {\"only\": [3]}}", "expected a name in quotes");
}

static void unbound(const limber_asset* asset, const char* text, const char* message) {
    limber_style* style = style_kit_read(text);
    limber_bound_style* bound;
    limber_error error;
    assert_int_equal(limber_style_bind(style, asset, &bound, &error), LIMBER_ERROR_DATA);
    assert_null(bound);
    if (!strstr(error.message, message))
        fail_msg("%s: %s", text, error.message);
    limber_style_destroy(style);
}

static void names_that_match_nothing_are_refused(void** state) {
    (void)state;
    limber_asset *sword = test_sword_create(), *none = style_kit_asset();
    unbound(sword, "{\"rigid\": {\"only\": [\"Swrod*\"]}}", "no rigid part matches 'Swrod*'; did you mean 'Sword'?");
    unbound(sword, "{\"rigid\": {\"except\": [\"Umbrella\"]}}", "no rigid part matches 'Umbrella' (limber info");
    unbound(sword, "{\"rigid\": {\"only\": [\"Arm\"]}}", "no rigid part matches 'Arm'");
    unbound(none, "{\"rigid\": {\"only\": [\"Umbrella\"]}}", "(this character has none)");
    limber_asset_destroy(sword);
    limber_asset_destroy(none);
}

static void a_style_is_written_as_it_was_read(void** state) {
    (void)state;
    limber_style* style = style_kit_read("{\"rigid\": {\"only\": [\"Sword\"], \"except\": [\"Hand\"]}}");
    assert_non_null(strstr(limber_style_text(style), "\"only\""));
    style_kit_set(style, "rigid", "auto");
    assert_non_null(strstr(limber_style_text(style), "\"auto\""));
    assert_null(strstr(limber_style_text(style), "\"only\""));
    limber_style_destroy(style);
}

static void each_failing_allocation_is_reported(void** state) {
    (void)state;
    static const char* const texts[] = {
        "{\"rigid\": \"auto\", \"normals\": \"jacobian\", \"effects\": {\"floppy\": {\"angular\": 0.2}}}",
        "{\"rigid\": {\"only\": [\"Sword\"]}, \"effects\": {\"floppy\": {\"angular\": 0.2}}}"};
    for (int i = 0; i < 2; i++) {
        limber_style* style = style_kit_read(texts[i]);
        long failures = 0;
        for (bool done = false; !done; failures++) {
            limber_asset* asset = test_sword_create(); // whose parts nobody knows yet
            limber_pipeline* pipeline;
            limber_error error;
            test_memory_allow(failures);
            limber_result result = limber_pipeline_create(asset, style, &pipeline, &error);
            done = !test_memory_end();
            assert_int_equal(result, done ? LIMBER_OK : LIMBER_ERROR_MEMORY);
            limber_pipeline_destroy(pipeline);
            assert_int_equal(limber_pipeline_create(asset, style, &pipeline, &error), LIMBER_OK);
            assert_int_equal(limber_rigid_part_count(limber_pipeline_rigid_parts(pipeline)), 1);
            limber_pipeline_destroy(pipeline);
            limber_asset_destroy(asset);
        }
        print_message("%ld allocations\n", failures - 1);
        assert_true(failures > 60);
        limber_style_destroy(style);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_style_selects_parts),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(names_that_match_nothing_are_refused),
        cmocka_unit_test(a_style_is_written_as_it_was_read),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
