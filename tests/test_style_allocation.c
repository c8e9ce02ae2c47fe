// Memory may run out at any allocation of a style: it then says so, keeps the style as it was, and leaks nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "style_kit.h"

static long left = -1; // allocations until one fails; negative: none does

static bool refuse(void) {
    return left >= 0 && left-- == 0;
}

// The linker sends the library's calls here (--wrap).
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* memory, size_t size);
void* __real_limberi_json_take(limberi_json_document* json, size_t byte_count);
char* __real_limberi_json_take_text(limberi_json_document* json, size_t byte_count);
void* __real_limberi_arena_take(limberi_arena* arena, size_t count, size_t size);
void* __real_limberi_arena_copy(limberi_arena* arena, const void* items, size_t count, size_t size);
char* __real_limberi_arena_string(limberi_arena* arena, const char* text);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* memory, size_t size);
void* __wrap_limberi_json_take(limberi_json_document* json, size_t byte_count);
char* __wrap_limberi_json_take_text(limberi_json_document* json, size_t byte_count);
void* __wrap_limberi_arena_take(limberi_arena* arena, size_t count, size_t size);
void* __wrap_limberi_arena_copy(limberi_arena* arena, const void* items, size_t count, size_t size);
char* __wrap_limberi_arena_string(limberi_arena* arena, const char* text);

void* __wrap_calloc(size_t count, size_t size) {
    return refuse() ? NULL : __real_calloc(count, size);
}

void* __wrap_realloc(void* memory, size_t size) {
    return refuse() ? NULL : __real_realloc(memory, size);
}

void* __wrap_limberi_json_take(limberi_json_document* json, size_t byte_count) {
    json->arena.failed = json->arena.failed || refuse();
    return json->arena.failed ? NULL : __real_limberi_json_take(json, byte_count);
}

char* __wrap_limberi_json_take_text(limberi_json_document* json, size_t byte_count) {
    json->arena.failed = json->arena.failed || refuse();
    return json->arena.failed ? NULL : __real_limberi_json_take_text(json, byte_count);
}

void* __wrap_limberi_arena_take(limberi_arena* arena, size_t count, size_t size) {
    arena->failed = arena->failed || refuse();
    return __real_limberi_arena_take(arena, count, size);
}

void* __wrap_limberi_arena_copy(limberi_arena* arena, const void* items, size_t count, size_t size) {
    arena->failed = arena->failed || refuse();
    return __real_limberi_arena_copy(arena, items, count, size);
}

char* __wrap_limberi_arena_string(limberi_arena* arena, const char* text) {
    arena->failed = arena->failed || refuse();
    return __real_limberi_arena_string(arena, text);
}

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
        left = failures;
        limber_result result = act(style, asset, &error);
        done = left >= 0;
        left = -1;
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
        for (left = 0; !text; left++) {
            long allowed = left;
            text = makers[i]();
            left = text ? left : allowed;
        }
        left = -1;
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
