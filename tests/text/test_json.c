// The JSON reader and writer: what they take, what they refuse and where, and that nothing is slow or deep.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text/json.h"
#include "text/json_write.h"

static limberi_json_document read_with(const char* text, limberi_json_rules rules) {
    limberi_json_document json;
    limber_error error;
    if (limberi_json_read(text, strlen(text), &rules, &json, &error) != LIMBER_OK)
        fail_msg("%s: %s: %s", text, error.place, error.message);
    return json;
}

static limberi_json_document read_or_fail(const char* text) {
    return read_with(text, limberi_json_rules_hand_written());
}

static limberi_json_document read_exactly(const char* text) {
    return read_with(text, limberi_json_rules_exact());
}

// Compact; to be freed.
static char* written(const limberi_json* value) {
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer w = {.out = &text};
    limberi_json_tree(&w, value);
    assert_false(text.failed);
    return text.data;
}

static void assert_written(const limberi_json* value, const char* expected) {
    char* text = written(value);
    assert_string_equal(text, expected);
    free(text);
}

static bool is_place(limberi_json_document* json, uint32_t place, uint32_t line, uint32_t column) {
    limberi_json_place found = limberi_json_place_at(json, place);
    return found.line == line && found.column == column;
}

static void comments_commas_and_places(void** state) {
    (void)state;
    limberi_json_document json =
        read_or_fail("\xEF\xBB\xBF// first\n{ /* a */ \"k\": [1, true, null, \"\xC3\xA9x\", {},],\r\n  "
                     "\"\xC3\xA9\": -2.5e-1,}\n// last");
    const limberi_json *k = limberi_json_get(json.root, "k"), *e = limberi_json_get(json.root, "\xC3\xA9");
    assert_int_equal(json.value_count, 8);
    assert_int_equal(limberi_json_count(json.root), 2);
    assert_string_equal(limberi_json_key_at(json.root, 0), "k");
    assert_true(is_place(&json, k->key_place, 2, 11) && is_place(&json, k->place, 2, 16));
    assert_int_equal(limberi_json_count(k), 5);
    assert_true(limberi_json_as_integer(limberi_json_at(k, 0)) == 1 && limberi_json_at(k, 1)->truth);
    assert_true(limberi_json_is(limberi_json_at(k, 2), LIMBERI_JSON_NULL));
    assert_string_equal(limberi_json_as_text(limberi_json_at(k, 3)), "\xC3\xA9x");
    assert_true(limberi_json_is(limberi_json_at(k, 4), LIMBERI_JSON_OBJECT));
    assert_true(is_place(&json, limberi_json_at(k, 4)->place, 2, 38)); // columns count characters
    assert_true(limberi_json_as_number(e) == -0.25 && is_place(&json, e->place, 3, 8));
    assert_true(is_place(&json, k->key_place, 2, 11)); // backwards, too
    char text[16];
    limberi_json_written(&json, e, text, sizeof text);
    assert_string_equal(text, "-2.5e-1");
    assert_null(limberi_json_at(k, 5));
    assert_null(limberi_json_get(k, "k"));
    assert_null(limberi_json_get(NULL, "k"));
    limberi_json_free(&json);
}

static void escapes_become_utf8(void** state) {
    (void)state;
    limberi_json_document json = read_or_fail("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"");
    assert_string_equal(json.root->text, "\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
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
        limberi_json_document json = read_or_fail(text);
        assert_true(limberi_json_as_number(json.root) == expected);
        limberi_json_free(&json);
    }
    const char* exact[] = {"0",    "-0.0", "0.1", "1e22", "123456789012345", "0.000001", "9007199254740991",
                           "1E+2", "2.50"};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        limberi_json_document json = read_or_fail(exact[i]);
        assert_true(limberi_json_as_number(json.root) == strtod(exact[i], NULL));
        assert_true(signbit(limberi_json_as_number(json.root)) == signbit(strtod(exact[i], NULL)));
        limberi_json_free(&json);
    }
    limberi_json_document tiny = read_or_fail("1e-999999999999999999");
    assert_true(limberi_json_as_number(tiny.root) == 0);
    limberi_json_free(&tiny);
    limberi_json_document large = read_or_fail("1.7e308");
    assert_true(limberi_json_as_number(large.root) == 1.7e308);
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
        limberi_json_document json;
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
        assert_true(json.root == NULL && json.arena.blocks == NULL);
    }
}

static void limits_hold(void** state) {
    (void)state;
    enum { COUNT = 200000 };
    char* text = malloc(COUNT + 1);
    limberi_json_document json;
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
    limberi_json_rules rules = limberi_json_rules_hand_written();
    text[0] = '[';
    text[1] = ' ';
    assert_int_equal(limberi_json_read(text, COUNT, &rules, &json, &error), LIMBER_ERROR_LIMIT);
    rules.byte_count = 100;
    assert_int_equal(limberi_json_read(text, COUNT, &rules, &json, &error), LIMBER_ERROR_LIMIT);
    free(text);
}

static void a_key_that_comes_twice_is_found_among_many(void** state) {
    (void)state;
    enum { COUNT = 600000 };
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_buffer_add(&text, "{");
    for (int i = 0; i < COUNT; i++)
        limberi_buffer_format(&text, "\"key %d\":1,", i);
    limberi_buffer_add(&text, "\"key 7\":2}");
    limberi_json_rules rules = limberi_json_rules_hand_written();
    rules.byte_count = text.length;
    rules.value_count = COUNT + 2;
    limberi_json_document json;
    limber_error error;
    assert_int_equal(limberi_json_read(text.data, text.length, &rules, &json, &error), LIMBER_ERROR_DATA);
    assert_non_null(strstr(error.message, "'key 7'"));
    limberi_buffer_free(&text);
}

static void writer_puts_commas_and_lines(void** state) {
    (void)state;
    limberi_buffer text = {NULL, 0, 0, false};
    for (uint32_t indent = 0; indent < 3; indent += 2) {
        limberi_json_writer w = {.out = &text, .indent = indent};
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
        assert_string_equal(text.data, indent ? "{\n  \"a\\n\\\"\": [\n    0.5,\n    \"x, \",\n    null\n  ],\n  "
                                                "\"b\": {\"c\": 1, \"d\": 2},\n  \"e\": {}\n}"
                                              : "{\"a\\n\\\"\":[0.5,\"x, \",null],\"b\":{\"c\":1,\"d\":2},\"e\":{}}");
        limberi_json_document json = read_or_fail(text.data);
        assert_string_equal(limberi_json_key_at(json.root, 0), "a\n\"");
        limberi_json_free(&json);
    }
    limberi_buffer_free(&text);
}

// --- exact JSON, as glTF has it ---

static void exact_rules_take_no_more_than_json(void** state) {
    (void)state;
    static const char* const texts[] = {"[1,]",
                                        "{\"a\":1,}",
                                        "[1] // one",
                                        "/**/[]",
                                        "[9223372036854775808]",
                                        "[1e400]",
                                        "{a:1}",
                                        "[\"\t\"]",
                                        "[1 2]",
                                        "[-9223372036854775809]",
                                        "{\"a\\u0000\":1}",
                                        "[01]",
                                        "[\"\xC0\x80\"]",
                                        "[nul]"};
    limberi_json_rules rules = limberi_json_rules_exact();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        limberi_json_document json;
        limber_error error;
        if (limberi_json_read(texts[i], strlen(texts[i]), &rules, &json, &error) != LIMBER_ERROR_DATA)
            fail_msg("accepted: %s", texts[i]);
    }
}

static void values_come_back_as_they_went_in(void** state) {
    (void)state;
    static const char* const same[] = {
        "[]",
        "{}",
        "[0,-1,9223372036854775807,-9223372036854775808,9007199254740993]",
        "[0.1,0.30000000000000004,-0.0,1.0,1e20,1e-7,0.0001]",
        "[1.7976931348623157e308,4.94065645841247e-324,100000000000000.0,1e17,123456.75,1.5e-5]",
        "[true,false,null,\"\",\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001F\\u0000/\x7F\xC3\xA9\xF0\x9F\x98\x80\"]",
        "{\"z\":1,\"a\":{\"\":[[],{}]},\"m\":\"x\"}",
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        limberi_json_document json = read_exactly(same[i]), copy = {.root = NULL};
        assert_written(json.root, same[i]);
        assert_written(limberi_json_copy(&copy, json.root), same[i]);
        limberi_json_free(&copy);
        limberi_json_free(&json);
    }
    limberi_json_document json = read_exactly("[-0, 1.50, 1E+2, 0.1e1, 1e-07, \"\\/\\u00e9\"]");
    assert_written(json.root, "[0,1.5,100.0,1.0,1e-7,\"/\xC3\xA9\"]");
    limberi_json_free(&json);
}

static void the_last_of_the_same_keys_counts(void** state) {
    (void)state;
    limberi_json_document json = read_exactly("{\"a\":1,\"b\":2,\"a\":3,\"c\":4,\"a\":5}");
    assert_written(json.root, "{\"a\":5,\"b\":2,\"c\":4}");
    limberi_json_free(&json);
    enum { KEYS = 1000 };
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_buffer_add(&text, "{");
    for (int i = 0; i < 3 * KEYS; i++)
        limberi_buffer_format(&text, "%s\"key %d\":%d", i ? "," : "", i * 7 % KEYS, i);
    limberi_buffer_add(&text, "}");
    json = read_exactly(text.data);
    assert_int_equal(limberi_json_count(json.root), KEYS);
    for (int i = 0; i < KEYS; i++) {
        char key[16];
        snprintf(key, sizeof key, "key %d", i * 7 % KEYS);
        assert_string_equal(limberi_json_key_at(json.root, (size_t)i), key);
        assert_true(limberi_json_as_integer(limberi_json_get(json.root, key)) == 2 * KEYS + i);
    }
    limberi_json_free(&json);
    limberi_buffer_free(&text);
}

static void a_copy_stays_when_the_tree_is_changed(void** state) {
    (void)state;
    limberi_json_document json = read_exactly("{\"a\":[1,{\"b\":2}]}"), copy = {.root = NULL};
    limberi_json* copied = limberi_json_copy(&copy, json.root);
    limberi_json* list = limberi_json_at(json.root, 0);
    limberi_json_set(&json, limberi_json_at(list, 1), "b", limberi_json_new_integer(&json, 7));
    limberi_json_append(&json, list, limberi_json_new_integer(&json, 3));
    assert_written(json.root, "{\"a\":[1,{\"b\":7},3]}");
    assert_written(copied, "{\"a\":[1,{\"b\":2}]}");
    limberi_json_free(&copy);
    limberi_json_free(&json);
}

static void exact_rules_have_limits(void** state) {
    (void)state;
    enum { DEPTH = 2048, COUNT = 100000 };
    limberi_json_rules rules = limberi_json_rules_exact();
    limberi_json_document json;
    limber_error error;
    char* text = malloc(2 * COUNT + 1);
    assert_non_null(text);
    memset(text, '[', DEPTH + 1);
    memset(text + DEPTH + 1, ']', DEPTH + 1);
    assert_int_equal(limberi_json_read(text, 2 * DEPTH + 2, &rules, &json, &error), LIMBER_ERROR_DATA);
    assert_int_equal(limberi_json_read(text + 1, 2 * DEPTH, &rules, &json, &error), LIMBER_OK);
    limberi_json_document copy = {.root = NULL};
    char* back = written(limberi_json_copy(&copy, json.root));
    assert_int_equal(strlen(back), 2 * DEPTH);
    free(back);
    limberi_json_free(&copy);
    limberi_json_free(&json);
    for (int i = 0; i < COUNT; i++)
        memcpy(text + 2 * i, i ? ",1" : "[1", 2);
    rules.memory_bytes = 32 * COUNT; // 24 and a pointer each, and the root
    text[2 * COUNT] = ']';
    assert_int_equal(limberi_json_read(text, 2 * COUNT + 1, &rules, &json, &error), LIMBER_ERROR_LIMIT);
    rules.memory_bytes = 40 * COUNT;
    assert_int_equal(limberi_json_read(text, 2 * COUNT + 1, &rules, &json, &error), LIMBER_OK);
    assert_true(json.byte_count <= 40 * COUNT);
    limberi_json_free(&json);
    free(text);
}

// --- changing ---

static bool starts_with_b(const char* key) {
    return key[0] == 'b';
}

static void trees_can_be_changed(void** state) {
    (void)state;
    limberi_json_document json = read_exactly("{\"a\":1,\"b\":2,\"list\":[1,2,3],\"bb\":{}}");
    limberi_json* list = limberi_json_get(json.root, "list");
    limberi_json_set(&json, json.root, "a", limberi_json_new_string(&json, "one"));
    limberi_json_set(&json, json.root, "new", limberi_json_new_switch(&json, true));
    limberi_json_set(&json, limberi_json_get(json.root, "bb"), "x", limberi_json_new_real(&json, 0.5));
    limberi_json_remove_at(list, 0);
    limberi_json_append(&json, list, limberi_json_new(&json, LIMBERI_JSON_NULL));
    limberi_json_replace(&json, list, 0, limberi_json_new_integer(&json, -7));
    assert_written(json.root, "{\"a\":\"one\",\"b\":2,\"list\":[-7,3,null],\"bb\":{\"x\":0.5},\"new\":true}");
    limberi_json_remove(json.root, "a");
    limberi_json_remove(json.root, "not there");
    limberi_json_remove_if(json.root, starts_with_b);
    limberi_json_remove_at(list, 3);
    assert_written(json.root, "{\"list\":[-7,3,null],\"new\":true}");
    assert_false(json.arena.failed);
    limberi_json_set(&json, list, "key", limberi_json_new_integer(&json, 1)); // not an object
    assert_true(json.arena.failed);
    limberi_json_free(&json);
}

static void objects_and_arrays_may_grow_large(void** state) {
    (void)state;
    enum { COUNT = 20000 };
    limberi_json_document json = {.root = NULL};
    limberi_json *object = limberi_json_new(&json, LIMBERI_JSON_OBJECT),
                 *array = limberi_json_new(&json, LIMBERI_JSON_ARRAY);
    char key[16];
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "%d", i * 7919 % COUNT);
        limberi_json_set(&json, object, key, limberi_json_new_integer(&json, i));
        limberi_json_append(&json, array, limberi_json_get(object, key));
    }
    assert_false(json.arena.failed);
    assert_int_equal(limberi_json_count(object), COUNT);
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "%d", i * 7919 % COUNT);
        assert_true(limberi_json_as_integer(limberi_json_get(object, key)) == i);
        assert_ptr_equal(limberi_json_at(array, (size_t)i), limberi_json_at(object, (size_t)i));
    }
    assert_null(limberi_json_get(object, "-1"));
    limberi_json_free(&json);
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
        cmocka_unit_test(exact_rules_take_no_more_than_json),
        cmocka_unit_test(values_come_back_as_they_went_in),
        cmocka_unit_test(the_last_of_the_same_keys_counts),
        cmocka_unit_test(exact_rules_have_limits),
        cmocka_unit_test(a_copy_stays_when_the_tree_is_changed),
        cmocka_unit_test(trees_can_be_changed),
        cmocka_unit_test(objects_and_arrays_may_grow_large),
        cmocka_unit_test(buffer_takes_long_texts),
        cmocka_unit_test(tidy_keeps_whole_characters),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
