#include "style/constraints.h"

#include "base/build.h"
#include "base/error.h"
#include "style/style_private.h"
#include "text/text.h"

#include <string.h>

limber_expression_scope limberi_constraint_scope(void) {
    limber_expression_scope scope = {((1u << LIMBER_VARIABLE_FRAME_COUNT) - 1) | 1u << LIMBER_VARIABLE_SPEED, false};
    return scope;
}

static limber_result fail_found(const limberi_json_document* json, const limberi_json* node, const limberi_json** fault,
                                const char* expected, limber_error* error) {
    char found[80];
    *fault = node;
    limberi_json_describe(json, node, found, sizeof found);
    return limberi_fail(error, LIMBER_ERROR_DATA, "expected %s, found %s", expected, found);
}

static limber_result check_name(const limberi_json_document* json, const limberi_json* node, const limberi_json** fault,
                                limber_error* error) {
    if (node->type != LIMBERI_JSON_STRING || !node->text[0])
        return fail_found(json, node, fault, "a name in quotes", error);
    if (strlen(node->text) < LIMBERI_PATTERN_BYTES)
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

static limber_result check_target(const limberi_json_document* json, const limberi_json* node, double* before,
                                  const limberi_json** fault, limber_error* error) {
    static const char expected[] = "a key: [seconds, [x, y, z]]";
    const limberi_json *time = limberi_json_at(node, 0), *place = limberi_json_at(node, 1);
    if (node->type != LIMBERI_JSON_ARRAY || node->count != 2 || !limberi_json_is_number(time) ||
        place->type != LIMBERI_JSON_ARRAY || place->count != 3)
        return fail_found(json, node, fault, expected, error);
    for (uint32_t i = 0; i < 3; i++)
        if (!limberi_json_is_number(limberi_json_at(place, i)))
            return fail_found(json, limberi_json_at(place, i), fault, "a plain number", error);
    *fault = time;
    double now = limberi_json_as_number(time);
    if (now > 1e6 || now < -1e6 || now <= *before)
        return limberi_fail(error, LIMBER_ERROR_DATA, "key times must increase, within a million seconds");
    *before = now;
    return LIMBER_OK;
}

static limber_result check_targets(const limberi_json_document* json, const limberi_json* node,
                                   const limberi_json** fault, limber_error* error) {
    if (node->type != LIMBERI_JSON_ARRAY || node->count == 0 || node->count > LIMBERI_TARGET_LIMIT)
        return fail_found(json, node, fault, "a list of keys: [[seconds, [x, y, z]], ...]", error);
    double before = -1e7;
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_target(json, limberi_json_at(node, i), &before, fault, error);
    return result;
}

static limber_result check_member(const limberi_json_document* json, const char* key, const limberi_json* node,
                                  const limberi_json** fault, limber_error* error) {
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

static limber_result check_constraint(const limberi_json_document* json, const limberi_json* node,
                                      const limberi_json** fault, limber_error* error) {
    if (node->type != LIMBERI_JSON_OBJECT)
        return fail_found(json, node, fault, "a constraint: {\"joint\": ..., \"elongate\": ...}", error);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_member(json, limberi_json_key_at(node, i), limberi_json_at(node, i), fault, error);
    if (result)
        return result;
    *fault = node;
    if (!limberi_json_get(node, "joint"))
        return limberi_fail(error, LIMBER_ERROR_DATA, "a constraint needs a \"joint\"");
    bool elongate = limberi_json_get(node, "elongate"), keys = limberi_json_get(node, "keys");
    if (elongate == keys)
        return limberi_fail(error, LIMBER_ERROR_DATA, "a constraint needs either \"elongate\" or \"keys\"%s",
                            elongate ? ", not both" : "");
    return LIMBER_OK;
}

limber_result limberi_constraints_check(const limberi_json_document* json, const limberi_json* node,
                                        const limberi_json** fault, limber_error* error) {
    if (!LIMBERI_HAS_CLIPS)
        return LIMBER_OK; // binding says so
    *fault = node;
    if (node->type == LIMBERI_JSON_STRING && strcmp(node->text, "auto") == 0)
        return LIMBER_OK;
    if (node->type != LIMBERI_JSON_ARRAY)
        return fail_found(json, node, fault, "a list of constraints or \"auto\"", error);
    if (node->count > LIMBERI_CONSTRAINT_LIMIT)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many constraints (max %d)", LIMBERI_CONSTRAINT_LIMIT);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_constraint(json, limberi_json_at(node, i), fault, error);
    return result;
}
