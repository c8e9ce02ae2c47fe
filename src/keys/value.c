// Reads the value of a key: whether it is of the right type and within its range, and what to say if not.
#include "keys/value.h"

#include "base/buffer.h"
#include "base/error.h"
#include "text/text.h"

#include <string.h>

// --- lists of words ---

typedef struct word_list {
    char words[8][LIMBERI_WORD_BYTES];
} word_list;

static const char* word_of(const void* user, size_t index) {
    return ((const word_list*)user)->words[index];
}

static limber_result fail_word(const limber_key* key, const char* found, limber_error* error) {
    word_list list;
    char name[64];
    char all[160] = "";
    uint32_t count = limberi_word_count(key->choices);
    count = count < 8 ? count : 8;
    for (uint32_t i = 0; i < count; i++) {
        limberi_word_at(key->choices, i, list.words[i]);
        size_t length = strlen(all);
        limberi_format(all + length, sizeof all - length, i ? ", %s" : "%s", list.words[i]);
    }
    limberi_json_tidy(found, name, sizeof name);
    const char* near = limberi_suggest(name, word_of, &list, count);
    if (near)
        return limberi_fail(error, LIMBER_ERROR_DATA, "unknown word '%s'; did you mean '%s'? (known: %s)", name, near,
                            all);
    return limberi_fail(error, LIMBER_ERROR_DATA, "unknown word '%s' (known: %s)", name, all);
}

// --- what a key takes, in words ---

void limberi_key_expects(const limber_key* key, char* out, size_t size) {
    switch (key->type) {
    case LIMBER_KEY_NUMBER:
        limberi_format(out, size, "a number or a formula in quotes");
        break;
    case LIMBER_KEY_CONSTANT: {
        char words[64] = "";
        limberi_words_list(key->choices, words, sizeof words);
        limberi_format(out, size, key->choices ? "a number or %s" : "a number", words);
        break;
    }
    case LIMBER_KEY_SWITCH:
        limberi_format(out, size, "true or false");
        break;
    case LIMBER_KEY_CHOICE:
        limberi_words_list(key->choices, out, size);
        break;
    case LIMBER_KEY_TEXT:
        limberi_format(out, size, "a name in quotes");
        break;
    case LIMBER_KEY_LIST:
        limberi_format(out, size, key->choices ? "a list of words" : "a list of names in quotes");
        break;
    case LIMBER_KEY_VECTOR:
        limberi_format(out, size, "a list of three numbers");
        break;
    default:
        limberi_format(out, size, key->choices ? "a list or \"%s\"" : "a list", key->choices);
        break;
    }
}

void limberi_key_range(const limber_key* key, char* out, size_t size) {
    out[0] = 0;
    if (key->type != LIMBER_KEY_NUMBER && key->type != LIMBER_KEY_CONSTANT && key->type != LIMBER_KEY_VECTOR)
        return;
    if (key->min_is_excluded)
        limberi_format(out, size, "above %g, at most %g", key->min, key->max);
    else if (key->min < key->max)
        limberi_format(out, size, "%g ... %g", key->min, key->max);
    else
        limberi_format(out, size, "%g", key->min);
}

static limber_result fail_type(const limber_key* key, const limberi_json_document* json, const limberi_json* node,
                               limber_error* error) {
    char expected[160], found[80];
    limberi_key_expects(key, expected, sizeof expected);
    limberi_json_describe(json, node, found, sizeof found);
    return limberi_fail(error, LIMBER_ERROR_DATA, "expected %s, found %s", expected, found);
}

limber_result limberi_fail_found(const limberi_json_document* json, const limberi_json* node,
                                 const limberi_json** fault, const char* wanted, limber_error* error) {
    char found[80];
    *fault = node;
    limberi_json_describe(json, node, found, sizeof found);
    return limberi_fail(error, LIMBER_ERROR_DATA, "expected %s, found %s", wanted, found);
}

// --- numbers ---

static limber_result check_range(const limber_key* key, const limberi_json_document* json, const limberi_json* node,
                                 limber_error* error) {
    double x = limberi_json_as_number(node);
    if (x <= key->max && (key->min_is_excluded ? x > key->min : x >= key->min))
        return LIMBER_OK;
    char range[64], number[32];
    limberi_key_range(key, range, sizeof range);
    limberi_json_written(json, node, number, sizeof number);
    if (strcmp(key->path, "limber") == 0)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED,
                            "version %s of the style format is not supported (supported: %s)", number, range);
    return limberi_fail(error, LIMBER_ERROR_DATA, "%s is out of range: %s%s%s", number, range, key->unit[0] ? " " : "",
                        key->unit);
}

const limberi_reader limberi_frame_reader = {.scope = {(1u << LIMBER_VARIABLE_FRAME_COUNT) - 1, false}};

limber_expression_scope limberi_row_scope(const limberi_row* row) {
    if (row->reader && row->reader->scope.names)
        return row->reader->scope;
    limber_expression_scope scope = limber_expression_scope_all();
    scope.names &= ~(1u << LIMBER_VARIABLE_OFFSET | 1u << LIMBER_VARIABLE_COPY | 1u << LIMBER_VARIABLE_COPIES);
    return scope;
}

static limber_result check_formula(const limberi_row* row, const char* text, limber_error* error) {
    limber_expression_scope scope = limberi_row_scope(row);
    limber_expression* expression = NULL;
    limber_result result = limber_expression_create(text, &scope, &expression, error);
    limber_expression_destroy(expression);
    return result;
}

static limber_result read_number(const limberi_row* row, const limberi_json_document* json, const limberi_json* node,
                                 limberi_value* value, limber_error* error) {
    const limber_key* key = &row->key;
    if (limberi_json_is_number(node)) {
        value->numbers[0] = limberi_json_as_number(node);
        return check_range(key, json, node, error);
    }
    if (node->type != LIMBERI_JSON_STRING)
        return fail_type(key, json, node, error);
    int32_t choice = key->choices ? limberi_word_find(key->choices, node->text) : -1;
    value->word = choice >= 0;
    value->choice = choice >= 0 ? (uint32_t)choice : 0;
    if (value->word)
        return LIMBER_OK;
    if (key->type == LIMBER_KEY_NUMBER) {
        value->text = node->text;
        return check_formula(row, node->text, error);
    }
    if (key->choices)
        return fail_type(key, json, node, error);
    char found[80];
    limberi_json_describe(json, node, found, sizeof found);
    return limberi_fail(error, LIMBER_ERROR_DATA,
                        "expected a plain number, found %s (no formula here: it is used once for the whole clip)",
                        found);
}

static limber_result read_vector(const limber_key* key, const limberi_json_document* json, const limberi_json* node,
                                 limberi_value* value, const limberi_json** fault, limber_error* error) {
    if (node->type != LIMBERI_JSON_ARRAY || node->count != 3)
        return fail_type(key, json, node, error);
    for (uint32_t i = 0; i < 3; i++) {
        const limberi_json* item = *fault = limberi_json_at(node, i);
        char found[80];
        limberi_json_describe(json, item, found, sizeof found);
        if (!limberi_json_is_number(item))
            return limberi_fail(error, LIMBER_ERROR_DATA, "expected a plain number, found %s", found);
        limber_result result = check_range(key, json, item, error);
        if (result)
            return result;
        value->numbers[i] = limberi_json_as_number(item);
    }
    *fault = node;
    return LIMBER_OK;
}

// --- words ---

// true and false are words without quotes, where they are among the choices.
static limber_result read_choice(const limber_key* key, const limberi_json_document* json, const limberi_json* node,
                                 limberi_value* value, limber_error* error) {
    bool bare = node->type == LIMBERI_JSON_SWITCH;
    if (!bare && node->type != LIMBERI_JSON_STRING)
        return fail_type(key, json, node, error);
    const char* word = node->text;
    if (bare)
        word = node->truth ? "true" : "false";
    int32_t choice = limberi_word_find(key->choices, word);
    if (choice < 0)
        return bare ? fail_type(key, json, node, error) : fail_word(key, word, error);
    if (!bare && (strcmp(word, "true") == 0 || strcmp(word, "false") == 0))
        return limberi_fail(error, LIMBER_ERROR_DATA, "write %s without quotes", word);
    value->choice = (uint32_t)choice;
    return LIMBER_OK;
}

static limber_result read_list(const limber_key* key, const limberi_json_document* json, const limberi_json* node,
                               limberi_value* value, const limberi_json** fault, limber_error* error) {
    if (node->type != LIMBERI_JSON_ARRAY)
        return fail_type(key, json, node, error);
    if (node->count < (uint32_t)key->min)
        return limberi_fail(error, LIMBER_ERROR_DATA, "the list is empty");
    for (uint32_t i = 0; i < node->count; i++) {
        const limberi_json* item = *fault = limberi_json_at(node, i);
        limberi_value one = {NULL, NULL, false, {0}, 0, 0};
        char found[80];
        limberi_json_describe(json, item, found, sizeof found);
        if (item->type != LIMBERI_JSON_STRING)
            return limberi_fail(error, LIMBER_ERROR_DATA, "expected a word in quotes, found %s", found);
        limber_result result = read_choice(key, json, item, &one, error);
        if (result)
            return result;
        if (value->bits >> one.choice & 1)
            return limberi_fail(error, LIMBER_ERROR_DATA, "'%s' is in the list twice", item->text);
        value->bits |= 1u << one.choice;
    }
    *fault = node;
    return LIMBER_OK;
}

// Names are kept as one text, a line each.
static limber_result read_names(limberi_arena* arena, const limber_key* key, const limberi_json_document* json,
                                const limberi_json* node, limberi_value* value, const limberi_json** fault,
                                limber_error* error) {
    limberi_buffer names = {NULL, 0, 0, false};
    limber_result result = node->type == LIMBERI_JSON_ARRAY ? LIMBER_OK : fail_type(key, json, node, error);
    for (uint32_t i = 0; !result && i < limberi_json_count(node); i++) {
        const limberi_json* item = *fault = limberi_json_at(node, i);
        char found[80];
        limberi_json_describe(json, item, found, sizeof found);
        if (item->type != LIMBERI_JSON_STRING || !item->text[0] || strchr(item->text, '\n'))
            result = limberi_fail(error, LIMBER_ERROR_DATA, "expected a name in quotes, found %s", found);
        else
            limberi_buffer_format(&names, "%s\n", item->text);
    }
    value->text = names.failed ? NULL : "";
    if (names.data && !names.failed)
        value->text = limberi_arena_string(arena, names.data);
    if (!result && (!value->text || arena->failed))
        result = limberi_fail_memory(error);
    limberi_buffer_free(&names);
    *fault = result ? *fault : node;
    return result;
}

// --- all of them ---

static void write_words(limberi_json_writer* writer, const limber_key* key, uint32_t bits) {
    limberi_json_open(writer, '[');
    for (uint32_t i = 0; bits >> i; i++) {
        char word[LIMBERI_WORD_BYTES];
        limberi_word_at(key->choices, i, word);
        if (bits >> i & 1)
            limberi_json_string(writer, word);
    }
    limberi_json_close(writer, ']');
}

static void write_value(limberi_json_writer* writer, const limber_key* key, const limberi_json* node,
                        const limberi_value* value) {
    if (key->type == LIMBER_KEY_LIST && key->choices)
        write_words(writer, key, value->bits);
    else if (key->type == LIMBER_KEY_CHOICE)
        limberi_word_write(writer, key->choices, value->choice);
    else
        limberi_json_tree(writer, node);
}

// Numbers keep the digits they were written with, so that a style comes back exactly as it went out.
static limber_result keep_texts(limberi_arena* arena, const limber_key* key, const limberi_json_document* json,
                                const limberi_json* node, limberi_value* value, limber_error* error) {
    limberi_buffer buffer = {NULL, 0, 0, false};
    limberi_json_writer writer = {.out = &buffer, .source = json->text};
    write_value(&writer, key, node, value);
    value->json = buffer.failed ? NULL : limberi_arena_string(arena, buffer.data);
    limberi_buffer_free(&buffer);
    if (value->text)
        value->text = limberi_arena_string(arena, value->text);
    if (!value->json || arena->failed)
        return limberi_fail_memory(error);
    return LIMBER_OK;
}

limber_result limberi_value_read(limberi_arena* arena, const limberi_row* row, const limberi_json_document* json,
                                 const limberi_json* node, limberi_value* value, const limberi_json** fault,
                                 limber_error* error) {
    const limber_key* key = &row->key;
    memset(value, 0, sizeof *value);
    *fault = node;
    limber_result result = LIMBER_OK;
    switch (key->type) {
    case LIMBER_KEY_NUMBER:
    case LIMBER_KEY_CONSTANT:
        result = read_number(row, json, node, value, error);
        break;
    case LIMBER_KEY_CHOICE:
        result = read_choice(key, json, node, value, error);
        break;
    case LIMBER_KEY_LIST:
        result = key->choices ? read_list(key, json, node, value, fault, error)
                              : read_names(arena, key, json, node, value, fault, error);
        break;
    case LIMBER_KEY_VECTOR:
        result = read_vector(key, json, node, value, fault, error);
        break;
    case LIMBER_KEY_SWITCH:
        value->choice = node->truth;
        result = node->type == LIMBERI_JSON_SWITCH ? LIMBER_OK : fail_type(key, json, node, error);
        break;
    case LIMBER_KEY_OTHER: // what is in it has a check of its own
        break;
    default:
        value->text = limberi_json_as_text(node);
        result = node->type == LIMBERI_JSON_STRING ? LIMBER_OK : fail_type(key, json, node, error);
        break;
    }
    return result ? result : keep_texts(arena, key, json, node, value, error);
}
