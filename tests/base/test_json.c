// The JSON reader and writer: what they take, what they refuse and where, and that nothing is slow or deep.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/json_write.h"

static limberi_json read_or_fail(const char* text) {
    limberi_json json;
    limber_error error;
    if (limberi_json_read(text, strlen(text), NULL, &json, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    return json;
}

static void comments_commas_and_places(void** state) {
    (void)state;
    limberi_json json = read_or_fail("\xEF\xBB\xBF// first\n{ /* a */ \"k\": [1, true, null, \"\xC3\xA9x\", {},],\r\n  "
                                     "\"\xC3\xA9\": -2.5e-1,}\n// last");
    const limberi_json_node* n = json.nodes;
    assert_int_equal(json.node_count, 8);
    assert_int_equal(n[0].count, 2);
    assert_string_equal(n[1].key, "k");
    assert_true(n[1].key_place.line == 2 && n[1].key_place.column == 11 && n[1].place.column == 16);
    assert_true(n[2].number == 1 && n[3].truth && n[4].type == LIMBERI_JSON_NULL && n[6].type == LIMBERI_JSON_OBJECT);
    assert_string_equal(n[5].text, "\xC3\xA9x");
    assert_true(n[6].place.column == 38); // columns count characters
    assert_true(n[7].number == -0.25 && n[7].place.line == 3 && n[7].place.column == 8);
    assert_string_equal(n[7].text, "-2.5e-1");
    assert_int_equal(limberi_json_first(&json, 0), 1);
    assert_int_equal(limberi_json_next(&json, 1), 7);
    assert_int_equal(limberi_json_next(&json, 7), 0);
    assert_int_equal(limberi_json_first(&json, 6), 0);
    char path[32];
    limberi_json_path(&json, 5, path, sizeof path);
    assert_string_equal(path, "k[3]");
    limberi_json_free(&json);
}

static void escapes_become_utf8(void** state) {
    (void)state;
    limberi_json json = read_or_fail("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"");
    assert_string_equal(json.nodes[0].text, "\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    limberi_json_free(&json);
}

static void numbers_agree_with_the_c_library(void** state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        char text[64];
        int digits = (int)(seed >> 60) + 1, exponent = (int)(seed >> 40 & 63) - 32;
        snprintf(text, sizeof text, "%.*e", digits, ((double)(seed >> 20 & 0xFFFFFF) - 8e6) * pow(10, exponent));
        double expected = strtod(text, NULL);
        limberi_json json = read_or_fail(text);
        double difference = fabs(json.nodes[0].number - expected);
        assert_true(difference <= 4e-16 * fabs(expected));
        limberi_json_free(&json);
    }
    const char* exact[] = {"0", "-0", "0.1", "1e22", "123456789012345", "0.000001", "9007199254740991", "1E+2", "2.50"};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        limberi_json json = read_or_fail(exact[i]);
        assert_true(json.nodes[0].number == strtod(exact[i], NULL));
        assert_true(signbit(json.nodes[0].number) == signbit(strtod(exact[i], NULL)));
        limberi_json_free(&json);
    }
    limberi_json tiny = read_or_fail("1e-999999999999999999");
    assert_true(tiny.nodes[0].number == 0);
    limberi_json_free(&tiny);
    limberi_json large = read_or_fail("1.7e308");
    assert_true(fabs(large.nodes[0].number / 1.7e308 - 1) < 1e-14);
    limberi_json_free(&large);
}

typedef struct bad {
    const char *text, *place, *message;
} bad;

static const bad bads[] = {
    {"", "line 1, column 1", "found the end of the text"},
    {"  // only a comment", "line 1, column 20", "found the end of the text"},
    {"{\"a\": 1} x", "line 1, column 10", "expected the end of the text"},
    {"{\"a\": [1, 2}", "line 1, column 12 (a)", "',' or ']'"},
    {"{\"a\": {\"b\": 1", "line 1, column 7 (a)", "never closed"},
    {"[1 2]", "line 1, column 4", "',' or ']'"},
    {"[,]", "line 1, column 2", "expected a value, found ','"},
    {"{,}", "line 1, column 2", "a key in double quotes"},
    {"{\"a\" 1}", "line 1, column 6 (a)", "':' after the key"},
    {"{\"a\": }", "line 1, column 7 (a)", "expected a value, found '}'"},
    {"{a: 1}", "line 1, column 2", "a key needs double quotes"},
    {"{\"a\": b}", "line 1, column 7 (a)", "put double quotes around this word: \"b\""},
    {"{\"a\": 'b'}", "line 1, column 7 (a)", "double quotes"},
    {"{\"a\": NaN}", "line 1, column 7 (a)", "\"NaN\""},
    {"[-Infinity]", "line 1, column 2", "numbers are written like"},
    {"[01]", "line 1, column 2", "numbers are written like"},
    {"[.5]", "line 1, column 2", "expected a value"},
    {"[1.]", "line 1, column 2", "numbers are written like"},
    {"[1e]", "line 1, column 2", "numbers are written like"},
    {"[+1]", "line 1, column 2", "expected a value, found '+'"},
    {"{\"a\": 1e400}", "line 1, column 7 (a)", "too large"},
    {"[-1e309]", "line 1, column 2", "too large"},
    {"\"abc", "line 1, column 1", "no closing quote"},
    {"[\"abc\n\"]", "line 1, column 2", "no closing quote on its line"},
    {"[\"a\tb\"]", "line 1, column 4", "control character"},
    {"[\"\\x\"]", "line 1, column 3", "backslash"},
    {"[\"\\u12g4\"]", "line 1, column 3", "four hexadecimal digits"},
    {"[\"\\ud800\"]", "line 1, column 3", "surrogate"},
    {"[\"\\udc00\"]", "line 1, column 3", "surrogate"},
    {"[\"\\u0000\"]", "line 1, column 3", "character 0"},
    {"[\"\xC0\x80\"]", "line 1, column 3", "not UTF-8"},
    {"[\"\xED\xA0\x80\"]", "line 1, column 3", "not UTF-8"},
    {"[\"\xF4\x90\x80\x80\"]", "line 1, column 3", "not UTF-8"},
    {"[\"\xE2\x82\"]", "line 1, column 3", "not UTF-8"},
    {"[\x80]", "line 1, column 2", "only a string may hold"},
    {"/* open", "line 1, column 1", "never ends"},
    {"/x", "line 1, column 1", "// or /*"},
    {"{\"a\": {\"k\": 1,\n  \"k\": 2}}", "line 2, column 3 (a.k)", "duplicate key 'k'"},
    {"{\"\\u0061\": 1, \"a\": 2}", "line 1, column 15 (a)", "duplicate key"},
};

static void bad_texts_say_what_and_where(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof bads / sizeof bads[0]; i++) {
        limberi_json json;
        limber_error error;
        // A copy without a terminating zero: a read beyond the end is seen by the sanitizer.
        size_t length = strlen(bads[i].text);
        char* exact = malloc(length ? length : 1);
        assert_non_null(exact);
        memcpy(exact, bads[i].text, length);
        assert_int_not_equal(limberi_json_read(exact, length, NULL, &json, &error), LIMBER_OK);
        assert_int_not_equal(limberi_json_read(exact, length, NULL, &json, NULL), LIMBER_OK);
        free(exact);
        if (strcmp(error.place, bads[i].place) != 0 || !strstr(error.message, bads[i].message))
            fail_msg("%s\n  gives  %s: %s\n  wanted %s: ...%s", bads[i].text, error.place, error.message, bads[i].place,
                     bads[i].message);
        assert_null(strchr(error.message, '\n'));
        assert_true(json.nodes == NULL && json.node_count == 0);
    }
}

static void limits_hold(void** state) {
    (void)state;
    enum { COUNT = 200000 };
    char* text = malloc(COUNT + 1);
    limberi_json json;
    limber_error error;
    assert_non_null(text);
    memset(text, '[', COUNT);
    assert_int_equal(limberi_json_read(text, COUNT, NULL, &json, &error), LIMBER_ERROR_DATA);
    assert_non_null(strstr(error.message, "too deeply (max 64"));
    memset(text, '1', COUNT);
    for (int i = 1; i < COUNT; i += 2)
        text[i] = ',';
    text[0] = '[';
    assert_int_equal(limberi_json_read(text, COUNT, NULL, &json, &error), LIMBER_ERROR_DATA); // "[,1,1"
    limberi_json_limits limits = limberi_json_limits_default();
    text[0] = '[';
    text[1] = ' ';
    assert_int_equal(limberi_json_read(text, COUNT, &limits, &json, &error), LIMBER_ERROR_LIMIT);
    limits.byte_count = 100;
    assert_int_equal(limberi_json_read(text, COUNT, &limits, &json, &error), LIMBER_ERROR_LIMIT);
    free(text);
}

static void a_key_that_comes_twice_is_found_among_many(void** state) {
    (void)state;
    enum { COUNT = 60000 };
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_buffer_add(&text, "{");
    for (int i = 0; i < COUNT; i++)
        limberi_buffer_format(&text, "\"key %d\":1,", i);
    limberi_buffer_add(&text, "\"key 7\":2}");
    limberi_json json;
    limber_error error;
    assert_int_equal(limberi_json_read(text.data, text.length, NULL, &json, &error), LIMBER_ERROR_DATA);
    assert_non_null(strstr(error.message, "'key 7'"));
    limberi_buffer_free(&text);
}

static void writer_puts_commas_and_lines(void** state) {
    (void)state;
    limberi_buffer text = {NULL, 0, 0, false};
    for (uint32_t indent = 0; indent < 3; indent += 2) {
        limberi_json_writer w = {&text, indent, 0, 0};
        limberi_buffer_free(&text);
        limberi_json_open(&w, '{');
        limberi_json_key(&w, "a\n\"");
        limberi_json_open(&w, '[');
        limberi_json_number(&w, 0.5);
        limberi_json_string(&w, "x, ");
        limberi_json_raw(&w, "null");
        limberi_json_close(&w, ']');
        limberi_json_key(&w, "b");
        limberi_json_flat(&w, true);
        limberi_json_open(&w, '{');
        limberi_json_key(&w, "c");
        limberi_json_raw(&w, "1");
        limberi_json_key(&w, "d");
        limberi_json_raw(&w, "2");
        limberi_json_close(&w, '}');
        limberi_json_flat(&w, false);
        limberi_json_key(&w, "e");
        limberi_json_open(&w, '{');
        limberi_json_close(&w, '}');
        limberi_json_close(&w, '}');
        assert_string_equal(text.data, indent
                                           ? "{\n  \"a\\u000a\\\"\": [\n    0.5,\n    \"x, \",\n    null\n  ],\n  "
                                             "\"b\": {\"c\": 1, \"d\": 2},\n  \"e\": {}\n}"
                                           : "{\"a\\u000a\\\"\":[0.5,\"x, \",null],\"b\":{\"c\":1,\"d\":2},\"e\":{}}");
        limberi_json json = read_or_fail(text.data);
        assert_string_equal(json.nodes[1].key, "a\n\"");
        limberi_json_free(&json);
    }
    limberi_buffer_free(&text);
}

static void buffer_takes_long_texts(void** state) {
    (void)state;
    limberi_buffer text = {NULL, 0, 0, false};
    char word[1001];
    memset(word, 'x', 1000);
    word[1000] = 0;
    for (int i = 0; i < 50; i++)
        limberi_buffer_format(&text, "<%s>", word);
    assert_int_equal(text.length, 50 * 1002);
    assert_int_equal(strlen(text.data), text.length);
    limberi_buffer_free(&text);
}

static void tidy_keeps_whole_characters(void** state) {
    (void)state;
    char out[6];
    limberi_json_tidy("a\nb", out, sizeof out);
    assert_string_equal(out, "a?b");
    limberi_json_tidy("abcd\xC3\xA9", out, sizeof out);
    assert_string_equal(out, "abcd");
    limberi_json_tidy("abc\xC3\xA9", out, sizeof out);
    assert_string_equal(out, "abc\xC3\xA9");
    limberi_json_tidy("ab\xE2\x82\xACx", out, sizeof out);
    assert_string_equal(out, "ab\xE2\x82\xAC");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_commas_and_places),
        cmocka_unit_test(escapes_become_utf8),
        cmocka_unit_test(numbers_agree_with_the_c_library),
        cmocka_unit_test(bad_texts_say_what_and_where),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(a_key_that_comes_twice_is_found_among_many),
        cmocka_unit_test(writer_puts_commas_and_lines),
        cmocka_unit_test(buffer_takes_long_texts),
        cmocka_unit_test(tidy_keeps_whole_characters),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
