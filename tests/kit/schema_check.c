#include "kit/schema_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct pair {
    const limberi_json* schema;
    const limberi_json* json;
} pair;

static bool obeys(const pair* p, uint32_t rule, uint32_t node, char* path);

static uint32_t member(const limberi_json* json, uint32_t object, const char* key) {
    for (uint32_t i = limberi_json_first(json, object); i; i = limberi_json_next(json, i))
        if (strcmp(json->nodes[i].key, key) == 0)
            return i;
    return 0;
}

static bool is_type(const char* type, const limberi_json_node* value) {
    static const char* const names[] = {"null", "boolean", "number", "string", "array", "object"};
    return strcmp(type, names[value->type]) == 0;
}

static bool check_type(const pair* p, uint32_t word, const limberi_json_node* value) {
    if (p->schema->nodes[word].type == LIMBERI_JSON_STRING)
        return is_type(p->schema->nodes[word].text, value);
    for (uint32_t i = limberi_json_first(p->schema, word); i; i = limberi_json_next(p->schema, i))
        if (is_type(p->schema->nodes[i].text, value))
            return true;
    return false;
}

static bool check_enum(const pair* p, uint32_t word, const limberi_json_node* value) {
    for (uint32_t i = limberi_json_first(p->schema, word); i; i = limberi_json_next(p->schema, i)) {
        const limberi_json_node* allowed = &p->schema->nodes[i];
        bool same_text = allowed->type == LIMBERI_JSON_STRING && value->type == LIMBERI_JSON_STRING &&
                         strcmp(allowed->text, value->text) == 0;
        bool same_switch = allowed->type == LIMBERI_JSON_SWITCH && value->type == LIMBERI_JSON_SWITCH &&
                           allowed->truth == value->truth;
        if (same_text || same_switch)
            return true;
    }
    return false;
}

static bool check_any(const pair* p, uint32_t word, uint32_t node, char* path) {
    for (uint32_t i = limberi_json_first(p->schema, word); i; i = limberi_json_next(p->schema, i))
        if (obeys(p, i, node, path))
            return true;
    return false;
}

static bool check_members(const pair* p, uint32_t rule, uint32_t node, char* path) {
    uint32_t properties = member(p->schema, rule, "properties"), rest = member(p->schema, rule, "additionalProperties");
    for (uint32_t i = limberi_json_first(p->json, node); i; i = limberi_json_next(p->json, i)) {
        uint32_t own = properties ? member(p->schema, properties, p->json->nodes[i].key) : 0;
        bool closed = rest && p->schema->nodes[rest].type == LIMBERI_JSON_SWITCH;
        limberi_json_path(p->json, i, path, 128);
        if (own ? !obeys(p, own, i, path) : closed || (rest && !obeys(p, rest, i, path)))
            return false;
    }
    return true;
}

static bool check_items(const pair* p, uint32_t word, uint32_t node, char* path) {
    for (uint32_t i = limberi_json_first(p->json, node); i; i = limberi_json_next(p->json, i))
        if (!obeys(p, word, i, path))
            return false;
    return true;
}

static bool check_unique(const limberi_json* json, uint32_t node) {
    for (uint32_t i = limberi_json_first(json, node); i; i = limberi_json_next(json, i))
        for (uint32_t k = limberi_json_first(json, node); k < i; k = limberi_json_next(json, k))
            if (strcmp(json->nodes[i].text, json->nodes[k].text) == 0)
                return false;
    return true;
}

static bool check_word(const pair* p, uint32_t rule, uint32_t word, uint32_t node, char* path) {
    const char* name = p->schema->nodes[word].key;
    double limit = p->schema->nodes[word].number;
    const limberi_json_node* value = &p->json->nodes[node];
    bool number = value->type == LIMBERI_JSON_NUMBER, list = value->type == LIMBERI_JSON_ARRAY;
    if (strcmp(name, "type") == 0)
        return check_type(p, word, value);
    if (strcmp(name, "enum") == 0)
        return check_enum(p, word, value);
    if (strcmp(name, "anyOf") == 0)
        return check_any(p, word, node, path);
    if (strcmp(name, "minimum") == 0)
        return !number || value->number >= limit;
    if (strcmp(name, "exclusiveMinimum") == 0)
        return !number || value->number > limit;
    if (strcmp(name, "maximum") == 0)
        return !number || value->number <= limit;
    if (strcmp(name, "minLength") == 0)
        return value->type != LIMBERI_JSON_STRING || (double)strlen(value->text) >= limit;
    if (strcmp(name, "minItems") == 0)
        return !list || value->count >= limit;
    if (strcmp(name, "maxItems") == 0)
        return !list || value->count <= limit;
    if (strcmp(name, "uniqueItems") == 0)
        return !list || check_unique(p->json, node);
    if (strcmp(name, "items") == 0)
        return !list || check_items(p, word, node, path);
    if (strcmp(name, "additionalProperties") == 0)
        return value->type != LIMBERI_JSON_OBJECT || check_members(p, rule, node, path);
    if (strcmp(name, "properties") != 0 && strcmp(name, "description") != 0 && strcmp(name, "default") != 0 &&
        strcmp(name, "$schema") != 0 && strcmp(name, "title") != 0)
        fail_msg("the schema uses '%s', which this checker does not know", name);
    return true;
}

static bool obeys(const pair* p, uint32_t rule, uint32_t node, char* path) {
    for (uint32_t word = limberi_json_first(p->schema, rule); word; word = limberi_json_next(p->schema, word))
        if (!check_word(p, rule, word, node, path))
            return false;
    return true;
}

const char* schema_check(const limberi_json* schema, uint32_t rule, const limberi_json* json, uint32_t node) {
    static char path[128];
    const pair p = {schema, json};
    snprintf(path, sizeof path, "the root");
    return obeys(&p, rule, node, path) ? "" : path;
}
