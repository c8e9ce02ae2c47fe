#include "style/constraints.h"

#include "base/error.h"
#include "base/suggest.h"
#include "style/style_private.h"

#include <string.h>

static limber_result fail_found(const limberi_json* json, uint32_t node, uint32_t* fault, const char* expected,
                                limber_error* error) {
    char found[80];
    *fault = node;
    limberi_json_describe(&json->nodes[node], found, sizeof found);
    return limberi_fail(error, LIMBER_ERROR_DATA, "expected %s, found %s", expected, found);
}

static limber_result check_name(const limberi_json* json, uint32_t node, uint32_t* fault, limber_error* error) {
    const limberi_json_node* n = &json->nodes[node];
    if (n->type != LIMBERI_JSON_STRING || !n->text[0])
        return fail_found(json, node, fault, "a name in quotes", error);
    if (strlen(n->text) < LIMBERI_PATTERN_BYTES)
        return LIMBER_OK;
    *fault = node;
    return limberi_fail(error, LIMBER_ERROR_LIMIT, "the joint name is too long (max %d bytes)",
                        LIMBERI_PATTERN_BYTES - 1);
}

// --- the keys of a constraint ---

static const char* short_name(uint32_t index) {
    return strrchr(limberi_constraint_row_at(index)->key.path, '.') + 1;
}

static const char* name_at(const void* user, size_t index) {
    (void)user;
    return short_name((uint32_t)index);
}

static limber_result fail_unknown(const char* key, limber_error* error) {
    char name[64], all[128] = "";
    uint32_t count = limberi_constraint_row_count();
    limberi_json_tidy(key, name, sizeof name);
    const char* near = limberi_suggest(name, name_at, NULL, count);
    if (near)
        return limberi_fail(error, LIMBER_ERROR_DATA, "unknown key '%s' of a constraint; did you mean '%s'?", name,
                            near);
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(all);
        limberi_format(all + length, sizeof all - length, i ? ", %s" : "%s", short_name(i));
    }
    return limberi_fail(error, LIMBER_ERROR_DATA, "unknown key '%s' of a constraint (known: %s)", name, all);
}

static limber_result check_target(const limberi_json* json, uint32_t node, double* before, uint32_t* fault,
                                  limber_error* error) {
    static const char expected[] = "a key: [seconds, [x, y, z]]";
    uint32_t time = limberi_json_first(json, node), place = time ? limberi_json_next(json, time) : 0;
    if (json->nodes[node].type != LIMBERI_JSON_ARRAY || json->nodes[node].count != 2 ||
        json->nodes[time].type != LIMBERI_JSON_NUMBER || json->nodes[place].type != LIMBERI_JSON_ARRAY ||
        json->nodes[place].count != 3)
        return fail_found(json, node, fault, expected, error);
    for (uint32_t i = limberi_json_first(json, place); i; i = limberi_json_next(json, i))
        if (json->nodes[i].type != LIMBERI_JSON_NUMBER)
            return fail_found(json, i, fault, "a plain number", error);
    *fault = time;
    double now = json->nodes[time].number;
    if (now > 1e6 || now < -1e6 || now <= *before)
        return limberi_fail(error, LIMBER_ERROR_DATA, "key times must increase, within a million seconds");
    *before = now;
    return LIMBER_OK;
}

static limber_result check_targets(const limberi_json* json, uint32_t node, uint32_t* fault, limber_error* error) {
    const limberi_json_node* list = &json->nodes[node];
    if (list->type != LIMBERI_JSON_ARRAY || list->count == 0 || list->count > LIMBERI_TARGET_LIMIT)
        return fail_found(json, node, fault, "a list of keys: [[seconds, [x, y, z]], ...]", error);
    double before = -1e7;
    limber_result result = LIMBER_OK;
    for (uint32_t item = limberi_json_first(json, node); !result && item; item = limberi_json_next(json, item))
        result = check_target(json, item, &before, fault, error);
    return result;
}

static limber_result check_member(const limberi_json* json, uint32_t node, uint32_t* fault, limber_error* error) {
    const char* key = json->nodes[node].key;
    *fault = node;
    if (strcmp(key, "joint") == 0)
        return check_name(json, node, fault, error);
    if (strcmp(key, "keys") == 0)
        return check_targets(json, node, fault, error);
    for (uint32_t i = 0; i < limberi_constraint_row_count(); i++) {
        if (strcmp(short_name(i), key) != 0)
            continue;
        limberi_arena scratch = {NULL, false};
        limberi_value value;
        limber_result result =
            limberi_value_read(&scratch, limberi_constraint_row_at(i), json, node, &value, fault, error);
        limberi_arena_free(&scratch);
        return result;
    }
    return fail_unknown(key, error);
}

static limber_result check_constraint(const limberi_json* json, uint32_t node, uint32_t* fault, limber_error* error) {
    if (json->nodes[node].type != LIMBERI_JSON_OBJECT)
        return fail_found(json, node, fault, "a constraint: {\"joint\": ..., \"elongate\": ...}", error);
    limber_result result = LIMBER_OK;
    for (uint32_t i = limberi_json_first(json, node); !result && i; i = limberi_json_next(json, i))
        result = check_member(json, i, fault, error);
    if (result)
        return result;
    *fault = node;
    if (!limberi_json_member(json, node, "joint"))
        return limberi_fail(error, LIMBER_ERROR_DATA, "a constraint needs a \"joint\"");
    bool elongate = limberi_json_member(json, node, "elongate") != 0, keys = limberi_json_member(json, node, "keys");
    if (elongate == keys)
        return limberi_fail(error, LIMBER_ERROR_DATA, "a constraint needs either \"elongate\" or \"keys\"%s",
                            elongate ? ", not both" : "");
    return LIMBER_OK;
}

limber_result limberi_constraints_check(const limberi_json* json, uint32_t node, uint32_t* fault, limber_error* error) {
    const limberi_json_node* n = &json->nodes[node];
    *fault = node;
    if (n->type == LIMBERI_JSON_STRING && strcmp(n->text, "auto") == 0)
        return LIMBER_OK;
    if (n->type != LIMBERI_JSON_ARRAY)
        return fail_found(json, node, fault, "a list of constraints or \"auto\"", error);
    if (n->count > LIMBERI_CONSTRAINT_LIMIT)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many constraints (max %d)", LIMBERI_CONSTRAINT_LIMIT);
    limber_result result = LIMBER_OK;
    for (uint32_t item = limberi_json_first(json, node); !result && item; item = limberi_json_next(json, item))
        result = check_constraint(json, item, fault, error);
    return result;
}
