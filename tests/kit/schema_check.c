// Checks a value against a JSON Schema, with the words that the style's schema uses.
#include "kit/schema_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { PATH_BYTES = 128 };

static bool obeys(const limberi_json* rule, const limberi_json* value, char* path);

static bool is_type(const char* type, const limberi_json* value) {
    static const char* const names[] = {"null", "boolean", "number", "number", "string", "array", "object"};
    return strcmp(type, names[value->type]) == 0;
}

static bool check_type(const limberi_json* word, const limberi_json* value) {
    if (word->type == LIMBERI_JSON_STRING)
        return is_type(word->text, value);
    for (uint32_t i = 0; i < limberi_json_count(word); i++)
        if (is_type(limberi_json_at(word, i)->text, value))
            return true;
    return false;
}

static bool check_enum(const limberi_json* word, const limberi_json* value) {
    for (uint32_t i = 0; i < limberi_json_count(word); i++) {
        const limberi_json* allowed = limberi_json_at(word, i);
        bool same_text = allowed->type == LIMBERI_JSON_STRING && value->type == LIMBERI_JSON_STRING &&
                         strcmp(allowed->text, value->text) == 0;
        bool same_switch = allowed->type == LIMBERI_JSON_SWITCH && value->type == LIMBERI_JSON_SWITCH &&
                           allowed->truth == value->truth;
        if (same_text || same_switch)
            return true;
    }
    return false;
}

static bool check_any(const limberi_json* word, const limberi_json* value, char* path) {
    for (uint32_t i = 0; i < limberi_json_count(word); i++)
        if (obeys(limberi_json_at(word, i), value, path))
            return true;
    return false;
}

// `path` is of the first member that breaks a rule: written before it is looked at, and left there.
static bool check_members(const limberi_json* rule, const limberi_json* value, char* path) {
    const limberi_json *properties = limberi_json_get(rule, "properties"),
                       *rest = limberi_json_get(rule, "additionalProperties");
    size_t length = strlen(path);
    for (uint32_t i = 0; i < limberi_json_count(value); i++) {
        const limberi_json* own = limberi_json_get(properties, limberi_json_key_at(value, i));
        const limberi_json* one = limberi_json_at(value, i);
        bool closed = limberi_json_is(rest, LIMBERI_JSON_SWITCH);
        snprintf(path + length, PATH_BYTES - length, "/%s", limberi_json_key_at(value, i));
        if (own ? !obeys(own, one, path) : closed || (rest && !obeys(rest, one, path)))
            return false;
    }
    path[length] = 0;
    return true;
}

static bool check_required(const limberi_json* word, const limberi_json* value) {
    for (uint32_t i = 0; i < limberi_json_count(word); i++)
        if (!limberi_json_get(value, limberi_json_at(word, i)->text))
            return false;
    return true;
}

static bool check_items(const limberi_json* word, const limberi_json* value, char* path) {
    for (uint32_t i = 0; i < limberi_json_count(value); i++)
        if (!obeys(word, limberi_json_at(value, i), path))
            return false;
    return true;
}

static bool check_unique(const limberi_json* list) {
    for (uint32_t i = 0; i < limberi_json_count(list); i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(limberi_json_at(list, i)->text, limberi_json_at(list, k)->text) == 0)
                return false;
    return true;
}

static bool check_word(const limberi_json* rule, const char* name, const limberi_json* word, const limberi_json* value,
                       char* path) {
    double limit = limberi_json_as_number(word), x = limberi_json_as_number(value);
    bool number = limberi_json_is_number(value), list = value->type == LIMBERI_JSON_ARRAY;
    if (strcmp(name, "type") == 0)
        return check_type(word, value);
    if (strcmp(name, "enum") == 0)
        return check_enum(word, value);
    if (strcmp(name, "anyOf") == 0)
        return check_any(word, value, path);
    if (strcmp(name, "minimum") == 0)
        return !number || x >= limit;
    if (strcmp(name, "exclusiveMinimum") == 0)
        return !number || x > limit;
    if (strcmp(name, "maximum") == 0)
        return !number || x <= limit;
    if (strcmp(name, "minLength") == 0)
        return value->type != LIMBERI_JSON_STRING || (double)strlen(value->text) >= limit;
    if (strcmp(name, "minItems") == 0)
        return !list || value->count >= limit;
    if (strcmp(name, "maxItems") == 0)
        return !list || value->count <= limit;
    if (strcmp(name, "uniqueItems") == 0)
        return !list || check_unique(value);
    if (strcmp(name, "items") == 0)
        return !list || check_items(word, value, path);
    if (strcmp(name, "required") == 0)
        return value->type != LIMBERI_JSON_OBJECT || check_required(word, value);
    if (strcmp(name, "additionalProperties") == 0)
        return value->type != LIMBERI_JSON_OBJECT || check_members(rule, value, path);
    if (strcmp(name, "properties") != 0 && strcmp(name, "description") != 0 && strcmp(name, "default") != 0 &&
        strcmp(name, "$schema") != 0 && strcmp(name, "title") != 0)
        fail_msg("the schema uses '%s', which this checker does not know", name);
    return true;
}

static bool obeys(const limberi_json* rule, const limberi_json* value, char* path) {
    for (uint32_t i = 0; i < limberi_json_count(rule); i++)
        if (!check_word(rule, limberi_json_key_at(rule, i), limberi_json_at(rule, i), value, path))
            return false;
    return true;
}

const char* schema_check(const limberi_json* rule, const limberi_json* value) {
    static char path[PATH_BYTES];
    snprintf(path, sizeof path, "the root");
    return obeys(rule, value, path) ? "" : path;
}
