// Memory may run out at any allocation of a style: it then says so, keeps the style as it was, and leaks nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kit/failing_memory.h"
#include "kit/style_kit.h"

static const char before[] = "{\"size\": 2, \"joints\": {\"Leg*\": {\"*\": 0}}}";
static const char after[] =
    "{\"effects\": {\"floppy\": {\"angular\": \"0.4 * height * paint.ears\", \"layer\": \"belly\", \"filter\": "
    "{\"gamma\": 0.5}},"
    "\"lift\": {\"angular\": 1, \"source\": [\"drag\"], \"cone\": {\"joint\": \"S*\", \"apex\": [0, 0, 0], \"axis\": "
    "[0, 1, 0], \"half_angle\": 9}}},"
    "\"joints\": {\"Head\": {\"floppy\": 2, \"drag\": \"2 * t\", \"about\": \"center\", \"centroid_offset\": [0, 1, "
    "0]}}}";

typedef limber_result (*action)(limber_style* style, const limber_asset* asset, limber_error* error);

static limber_result read_style(limber_style* style, const limber_asset* asset, limber_error* error) {
    (void)asset;
    return limber_style_read(style, after, strlen(after), error);
}

static limber_result set_key(limber_style* style, const limber_asset* asset, limber_error* error) {
    (void)asset;
    return limber_style_set(style, "effects.floppy.angular", "0.4 * height", error);
}

static limber_result write_text(limber_style* style, const limber_asset* asset, limber_error* error) {
    (void)asset;
    (void)error;
    return limber_style_text(style) ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

static limber_result bind_style(limber_style* style, const limber_asset* asset, limber_error* error) {
    limber_bound_style* bound;
    limber_result result = limber_style_bind(style, asset, &bound, error);
    assert_true((bound != NULL) == (result == LIMBER_OK));
    if (result == LIMBER_OK)
        assert_int_equal(limber_bound_style_warning_count(bound), 2);
    limber_bound_style_destroy(bound);
    return result;
}

static void check_action(const char* name, const char* text, action act) {
    limber_asset* asset = style_kit_asset();
    limber_style* style = style_kit_read(text);
    char* kept = strdup(limber_style_text(style));
    long failures = 0;
    for (bool done = false; !done; failures++) {
        limber_error error;
        limber_style_destroy(style);
        style = style_kit_read(text);
        test_memory_allow(failures);
        limber_result result = act(style, asset, &error);
        done = !test_memory_end();
        if (done ? result != LIMBER_OK : result != LIMBER_ERROR_MEMORY)
            fail_msg("%s, allocation %ld failed and the answer is %d", name, failures, result);
        if (!done)
            assert_string_equal(limber_style_text(style), kept);
    }
    print_message("%s: %ld allocations\n", name, failures - 1);
    assert_true(failures > 2);
    free(kept);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

static void each_failing_allocation_is_reported(void** state) {
    (void)state;
    check_action("read", before, read_style);
    check_action("set", before, set_key);
    check_action("text", before, write_text);
    check_action("bind", after, bind_style);
}

static void texts_are_tried_again(void** state) {
    (void)state;
    const char* (*const makers[])(void) = {limber_style_schema, limber_style_help, limber_style_markdown};
    for (size_t i = 0; i < 3; i++) {
        const char* text = NULL;
        for (long allowed = 0; !text; allowed++) {
            test_memory_allow(allowed);
            text = makers[i]();
            assert_true(test_memory_end() == (text == NULL));
        }
        assert_true(strlen(text) > 1000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failing_allocation_is_reported),
        cmocka_unit_test(texts_are_tried_again),
    };
    return cmocka_run_group_tests_name("style_allocation", tests, NULL, NULL);
}
