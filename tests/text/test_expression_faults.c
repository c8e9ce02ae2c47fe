// What is wrong with a formula, and where: message, column and caret; limits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <limber/stages/expression.h>

#include "kit/failing_memory.h"

typedef struct fault {
    const char* text;
    int column;
    const char* message; // a part of it
} fault;

static limber_error fault_of(const char* text, const limber_expression_scope* scope) {
    limber_expression* e = (limber_expression*)text; // must become NULL
    limber_error error;
    memset(&error, 'z', sizeof error);
    limber_result result = limber_expression_create(text, scope, &e, &error);
    if (result == LIMBER_OK)
        fail_msg("'%s' compiled", text);
    assert_null(e);
    assert_int_equal(error.result, result);
    assert_non_null(memchr(error.message, 0, sizeof error.message));
    assert_non_null(memchr(error.detail, 0, sizeof error.detail));
    assert_int_equal(limber_expression_create(text, scope, &e, NULL), result);
    return error;
}

// The detail is one line of text and one line with a caret at the column that the place names.
static void check_fault(const limber_error* error, const fault* f) {
    char place[32];
    snprintf(place, sizeof place, "column %d", f->column);
    if (strcmp(error->place, place) != 0 || !strstr(error->message, f->message))
        fail_msg("'%s': %s: %s", f->text, error->place, error->message);
    const char* second = strchr(error->detail, '\n');
    assert_non_null(second);
    assert_null(strchr(second + 1, '\n'));
    size_t spaces = strspn(second + 1, " ");
    assert_string_equal(second + 1 + spaces, "^");
}

static void check_faults(const fault* rows, size_t count, const limber_expression_scope* scope) {
    for (size_t i = 0; i < count; i++) {
        limber_error error = fault_of(rows[i].text, scope);
        check_fault(&error, &rows[i]);
        assert_int_equal(error.result, LIMBER_ERROR_DATA);
        const char* second = strchr(error.detail, '\n') + 1;
        if (strlen(rows[i].text) <= 100)
            assert_int_equal(strspn(second, " "), rows[i].column - 1);
    }
}

#define CHECK(rows, scope) check_faults(rows, sizeof(rows) / sizeof *(rows), scope)

static void grammar_faults_point_at_the_token(void** state) {
    (void)state;
    static const fault rows[] = {
        {"", 1, "the formula is empty"},
        {"  \t", 4, "the formula is empty"},
        {"1 +", 4, "a value is missing at the end"},
        {"1 + + 2", 5, "a value is missing before '+'"},
        {"x * / 2", 5, "a value is missing before '/'"},
        {"x ** 2", 4, "a value is missing before '*'; a power is written '^'"},
        {"()", 2, "a value is missing before ')'"},
        {"min(1, )", 8, "a value is missing before ')'"},
        {"min(, 1)", 5, "a value is missing before ','"},
        {"? 1 : 2", 1, "a value is missing before '?'"},
        {"!", 2, "a value is missing at the end"},
        {"x ? 1 : ", 9, "a value is missing at the end"},
        {"x ? : 2", 5, "a value is missing before ':'"},
        {"2 x", 3, "an operator is missing before 'x'"},
        {"2height", 2, "an operator is missing before 'height'"},
        {"x paint.ears", 3, "an operator is missing before 'paint.ears'"},
        {"(1)(2)", 4, "an operator is missing before '('"},
        {"1 2", 3, "an operator is missing before '2'"},
        {"x !y", 3, "an operator is missing before '!'"},
        {"(1+2", 1, "this '(' is never closed"},
        {"1+(2*(3+4)", 3, "this '(' is never closed"},
        {"min(1", 4, "this '(' is never closed"},
        {"1+2)", 4, "this ')' has no '('"},
        {"x ? 1", 3, "this '?' has no ':'"},
        {"(x ? 1)", 4, "this '?' has no ':'"},
        {"min(x ? 1, 2)", 7, "this '?' has no ':'"},
        {"1 : 2", 3, "this ':' has no '?'"},
        {"x ? 1 : 2 : 3", 11, "this ':' has no '?'"},
        {"x ? (1 : 2)", 8, "this ':' has no '?'"},
        {"1, 2", 2, "a comma is allowed only between function arguments"},
        {"(1, 2)", 3, "a comma is allowed only between function arguments"},
        {"min((1, 2), 3)", 7, "a comma is allowed only between function arguments"},
        {"1 < x < 2", 7, "comparisons do not chain: write a < b && b < c"},
        {"x == y != z", 8, "comparisons do not chain"},
        {"x+1 >= y*2 > z", 12, "comparisons do not chain"},
    };
    CHECK(rows, NULL);
}

static void spelling_faults_point_at_the_character(void** state) {
    (void)state;
    static const fault rows[] = {
        {"1.2.3", 1, "'1.2.3' is not a number"},
        {"x + 1e", 5, "'1e' is not a number"},
        {"1e+", 1, "'1e' is not a number"},
        {"2exp(1)", 1, "'2exp' is not a number"},
        {"1e31", 1, "1e31 is too large (max 1e30)"},
        {"2 * 1e999999999", 5, "is too large"},
        {"x @ 2", 3, "unexpected '@'"},
        {"x = 2", 3, "unexpected '='; equality is '=='"},
        {"x & y", 3, "unexpected '&'; the logical 'and' is '&&'"},
        {"x | y", 3, "unexpected '|'; the logical 'or' is '||'"},
        {"x.y", 2, "unexpected '.'"},
        {".", 1, "unexpected '.'"},
        {"\"x\"", 1, "unexpected '\"'"},
        {"x + \303\244", 5, "unexpected '\303\244'"},
        {"2 \302\267 x", 3, "unexpected '\302\267'"},
        {"1 \001", 3, "unexpected ' '"},
        {"\377", 1, "unexpected"},
        {"paint.", 7, "the name of a layer is missing after 'paint.'"},
        {"2*paint. x", 9, "the name of a layer is missing after 'paint.'"},
    };
    CHECK(rows, NULL);
}

static void unknown_names_suggest_the_nearest(void** state) {
    (void)state;
    static const fault rows[] = {
        {"2 * heigth", 5, "unknown name 'heigth'; did you mean 'height'?"},
        {"Height", 1, "did you mean 'height'?"},
        {"X", 1, "unknown name 'X'; did you mean 'x'?"},
        {"q", 1, "unknown name 'q'; known are t, frame, phase, x, y, z,"},
        {"zzzzzz", 1, "unknown name 'zzzzzz'; known are t, frame,"},
        {"pant.ears", 1, "unknown name 'pant'; did you mean 'paint'?"},
        {"heigth $", 1, "did you mean 'height'?"},
        {"1 + smothstep(0, 1, x)", 5, "unknown function 'smothstep'; did you mean 'smoothstep'?"},
        {"noize (x, y, z)", 1, "did you mean 'noise'?"},
        {"zzzzzz(1)", 1, "unknown function 'zzzzzz'; known are abs, min,"},
        {"sin + 1", 1, "'sin' is a function: sin(radians)"},
        {"x(2)", 1, "'x' is not a function"},
        {"pi(2)", 1, "'pi' is not a function"},
        {"paint", 1, "'paint' needs a layer name"},
        {"paint(2)", 1, "unknown function 'paint'"},
        {"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg", 1, "ffffffffff..."},
    };
    CHECK(rows, NULL);
}

static void wrong_argument_counts_say_how_many_are_wanted(void** state) {
    (void)state;
    static const fault rows[] = {
        {"sin()", 1, "sin needs 1 argument, not 0: sin(radians)"},
        {"1+sin(1, 2)", 3, "sin needs 1 argument, not 2"},
        {"clamp(1, 2)", 1, "clamp needs 3 arguments, not 2: clamp(x, lo, hi)"},
        {"min(1)", 1, "min needs 2 or more arguments, not 1: min(a, b, ...)"},
        {"max()", 1, "max needs 2 or more arguments, not 0"},
        {"abs(1, 2)", 1, "abs needs 1 argument"},
        {"mix(1, 2, 3, 4)", 1, "mix needs 3 arguments, not 4: mix(a, b, t)"},
        {"step(1)", 1, "step needs 2 arguments"},
        {"smoothstep(1, 2)", 1, "smoothstep needs 3 arguments"},
        {"pow(1)", 1, "pow needs 2 arguments"},
        {"noise(x, y, z, 1)", 1, "noise needs 1 to 3 arguments, not 4: noise(x, y, z)"},
        {"voronoi()", 1, "voronoi needs 1 argument"},
        {"warp(1, 2)", 1, "warp needs 3 arguments"},
        {"key(0, 1)", 1, "key needs 4 or more arguments, not 2"},
        {"key(0, 1, 2, 3, 4)", 1, "key needs pairs of a time and a value, not 5 arguments"},
        {"key(x, 1, 2, 3)", 5, "the times of key must be constant"},
        {"key(0, 1, 2*t, 3)", 11, "the times of key must be constant"},
        {"key(0, 1, 0, 3)", 11, "the times of key must increase, but 0 follows 0"},
        {"key(1, 1, 1/2, 3)", 11, "the times of key must increase, but 0.5 follows 1"},
        {"key(1, 1, -(2), 3)", 11, "the times of key must increase, but -2 follows 1"},
        {"key(1, 1, min(0, 5), 3)", 11, "the times of key must increase"},
    };
    CHECK(rows, NULL);
}

static void names_out_of_scope_say_where_they_are_known(void** state) {
    (void)state;
    limber_expression_scope nothing = {0, false}, time = {1u << LIMBER_VARIABLE_T, false};
    limber_expression_scope effects = limber_expression_scope_all();
    effects.names &= ~(1u << LIMBER_VARIABLE_OFFSET);
    static const fault in_nothing[] = {
        {"1 + t", 5, "'t' cannot be used here: it changes over time"},
        {"frame", 1, "it changes over time"},
        {"2*x", 3, "'x' cannot be used here: it differs from vertex to vertex"},
        {"height", 1, "it differs from vertex to vertex"},
        {"speed", 1, "'speed' cannot be used here"},
        {"1 + paint.ears", 5, "'paint.ears' cannot be used here: it differs from vertex to vertex"},
        {"voronoi(2)", 1, "'voronoi' uses 'x', which cannot be used here"},
        {"key(0, 1, 1, 2)", 1, "'key' uses 't', which cannot be used here: it changes over time"},
        {"heigth", 1, "unknown name 'heigth'; known are pi"},
    };
    static const fault in_time[] = {{"t*rand", 3, "'rand' cannot be used here"}};
    static const fault in_effects[] = {{"1.5 * offset", 7, "'offset' cannot be used here: it is known only in smears"}};
    CHECK(in_nothing, &nothing);
    CHECK(in_time, &time);
    CHECK(in_effects, &effects);
    limber_expression* e;
    assert_int_equal(limber_expression_create("key(0,1,1,2)+sin(pi*t)", &time, &e, NULL), LIMBER_OK);
    limber_expression_destroy(e);
    assert_int_equal(limber_expression_create("noise(1,2,3)*pi", &nothing, &e, NULL), LIMBER_OK);
    limber_expression_destroy(e);
}

// The letter above the caret, in code points.
static char above_caret(const char* detail) {
    const char* caret = strchr(detail, '\n') + 1;
    size_t column = strspn(caret, " ");
    const char* p = detail;
    for (; *p != '\n'; p++)
        if (((unsigned char)*p & 0xc0) != 0x80 && column-- == 0)
            break;
    return *p;
}

static void tabs_breaks_and_other_alphabets_do_not_move_the_caret(void** state) {
    (void)state;
    static const fault rows[] = {
        {"paint.\303\266hr + \t heigth", 15, "unknown name"},
        {"\t\tx +\theigth", 7, "unknown name"},
        {"x\r\n+ heigth", 6, "unknown name"},
        {"paint.\346\227\245\346\234\254 * heigth", 12, "unknown name"},
        {"paint.\360\237\230\200 * heigth", 11, "unknown name"},
    };
    CHECK(rows, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        limber_error error = fault_of(rows[i].text, NULL);
        assert_int_equal(above_caret(error.detail), 'h');
        assert_null(strchr(error.detail, '\t'));
    }
}

static void long_texts_show_a_window_around_the_fault(void** state) {
    (void)state;
    for (int before = 0; before <= 240; before += 3)
        for (int wide = 0; wide < 2; wide++) {
            // A layer of two-byte letters takes the place of digits.
            char text[1200] = "";
            size_t length = 0;
            for (int i = 0; i < before; i++)
                length += (size_t)snprintf(text + length, sizeof text - length, "%s",
                                           i == 0 ? "paint."
                                           : wide ? "\303\266"
                                                  : "o");
            snprintf(text + length, sizeof text - length, "%sheigth%0*d", before ? "o+" : "", 1 + 240 - before, 0);
            limber_error error = fault_of(text, NULL);
            int column = before ? 6 + before - 1 + 2 + 1 : 1;
            fault f = {text, column, "unknown name"};
            check_fault(&error, &f);
            assert_int_equal(above_caret(error.detail), 'h');
            const char* second = strchr(error.detail, '\n');
            assert_true(second - error.detail < 240 && strlen(second) < 110);
            assert_int_equal(strncmp(error.detail, "...", 3) == 0, column > 46);
        }
}

// A text that is not UTF-8 may hold a "character" of hundreds of bytes; the caret still has its line.
static void stray_bytes_do_not_push_the_caret_out(void** state) {
    (void)state;
    char text[LIMBER_EXPRESSION_LENGTH];
    limber_expression* e;
    limber_error error;
    memset(text, 0x80, sizeof text);
    memcpy(text, "paint.b", 7);
    memcpy(text + sizeof text - 9, " + 1e30/", 9);
    assert_int_equal(limber_expression_create(text, NULL, &e, &error), LIMBER_ERROR_DATA);
    const char* second = strchr(error.detail, '\n');
    assert_non_null(second);
    size_t caret = strspn(second + 1, " ");
    assert_string_equal(second + 1 + caret, "^");
    assert_true(caret <= (size_t)(second - error.detail));
}

static void limits_are_errors_and_just_below_them_is_fine(void** state) {
    (void)state;
    char text[4 * LIMBER_EXPRESSION_LENGTH + 1];
    limber_expression* e;
    for (size_t length = LIMBER_EXPRESSION_LENGTH - 1; length <= 4 * LIMBER_EXPRESSION_LENGTH;
         length += length - 1022) {
        memset(text, ' ', length);
        text[0] = '1';
        text[length] = 0;
        limber_result result = limber_expression_create(text, NULL, &e, NULL);
        assert_int_equal(result, length <= LIMBER_EXPRESSION_LENGTH ? LIMBER_OK : LIMBER_ERROR_LIMIT);
        limber_expression_destroy(e);
        if (result) {
            fault f = {text, LIMBER_EXPRESSION_LENGTH + 1, "characters, max 1024)"};
            limber_error error = fault_of(text, NULL);
            check_fault(&error, &f);
        }
    }
    for (int way = 0; way < 3; way++)
        for (int depth = 63; depth <= 66; depth++) {
            static const char* const opened[3] = {"(", "-(", "abs("};
            text[0] = 0;
            for (int i = 0; i < depth; i++)
                strcat(text, way == 2 ? opened[i % 3] : opened[way]);
            strcat(text, "x");
            for (int i = 0; i < depth; i++)
                strcat(text, ")");
            limber_error error;
            limber_result result = limber_expression_create(text, NULL, &e, &error);
            assert_int_equal(result, depth <= (int)LIMBER_EXPRESSION_DEPTH ? LIMBER_OK : LIMBER_ERROR_LIMIT);
            if (result)
                assert_non_null(strstr(error.message, "parentheses and calls are nested too deeply (max 64)"));
            limber_expression_destroy(e);
        }
}

static void depth_counts_what_is_open_only(void** state) {
    (void)state;
    char text[LIMBER_EXPRESSION_LENGTH] = "0";
    limber_expression* e;
    for (int i = 0; i < 150; i++)
        strcat(text, "+((x))");
    assert_int_equal(limber_expression_create(text, NULL, &e, NULL), LIMBER_OK);
    limber_expression_destroy(e);
}

static void layers_are_counted_once_each(void** state) {
    (void)state;
    for (int count = 15; count <= 18; count++) {
        char text[LIMBER_EXPRESSION_LENGTH] = "0";
        for (int i = 0; i < 40; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "+paint.layer%d", i % count);
        limber_expression* e;
        limber_error error;
        limber_result result = limber_expression_create(text, NULL, &e, &error);
        if (count <= (int)LIMBER_EXPRESSION_LAYERS) {
            assert_int_equal(result, LIMBER_OK);
            assert_int_equal(limber_expression_layer_count(e), count);
            assert_string_equal(limber_expression_layer(e, 14), "layer14");
            limber_expression_destroy(e);
        } else {
            assert_int_equal(result, LIMBER_ERROR_LIMIT);
            assert_non_null(strstr(error.message, "too many different layers (max 16)"));
            assert_int_equal(above_caret(error.detail), 'p');
        }
    }
}

static void calls_without_sense_are_refused(void** state) {
    (void)state;
    limber_expression* e;
    limber_error error;
    assert_int_equal(limber_expression_create(NULL, NULL, &e, &error), LIMBER_ERROR_ARGUMENT);
    assert_null(e);
    assert_int_equal(limber_expression_create("1", NULL, NULL, &error), LIMBER_ERROR_ARGUMENT);
}

static void every_failing_allocation_is_reported(void** state) {
    (void)state;
    int failures = 0;
    for (int left = 0;; left++) {
        limber_expression* e;
        limber_error error;
        test_memory_allow(left);
        limber_result result =
            limber_expression_create("0.4 * smoothstep(0, 1, height) * paint.ears + t", NULL, &e, &error);
        assert_true(test_memory_end() == (result != LIMBER_OK));
        limber_expression_destroy(e);
        if (result == LIMBER_OK)
            break;
        assert_int_equal(result, LIMBER_ERROR_MEMORY);
        assert_null(e);
        assert_string_equal(error.message, "not enough memory");
        failures++;
    }
    assert_true(failures > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grammar_faults_point_at_the_token),
        cmocka_unit_test(spelling_faults_point_at_the_character),
        cmocka_unit_test(unknown_names_suggest_the_nearest),
        cmocka_unit_test(wrong_argument_counts_say_how_many_are_wanted),
        cmocka_unit_test(names_out_of_scope_say_where_they_are_known),
        cmocka_unit_test(tabs_breaks_and_other_alphabets_do_not_move_the_caret),
        cmocka_unit_test(long_texts_show_a_window_around_the_fault),
        cmocka_unit_test(stray_bytes_do_not_push_the_caret_out),
        cmocka_unit_test(limits_are_errors_and_just_below_them_is_fine),
        cmocka_unit_test(depth_counts_what_is_open_only),
        cmocka_unit_test(layers_are_counted_once_each),
        cmocka_unit_test(calls_without_sense_are_refused),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests_name("expression faults", tests, NULL, NULL);
}
