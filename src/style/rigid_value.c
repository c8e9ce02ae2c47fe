// What the key "rigid" may hold.
#include "style/rigid_value.h"

#include "base/build.h"
#include "base/error.h"
#include "style/style_private.h"

#include <string.h>

static const char expected[] = "\"auto\", \"off\" or {\"only\": [names], \"except\": [names]}";

static limber_result fail_found(const limberi_json_document* json, const limberi_json* node, const limberi_json** fault,
                                const char* wanted, limber_error* error) {
    char found[80];
    *fault = node;
    limberi_json_describe(json, node, found, sizeof found);
    return limberi_fail(error, LIMBER_ERROR_DATA, "expected %s, found %s", wanted, found);
}

static limber_result check_names(const limberi_json_document* json, const limberi_json* list,
                                 const limberi_json** fault, limber_error* error) {
    if (list->type != LIMBERI_JSON_ARRAY || !list->count)
        return fail_found(json, list, fault, "a list of names in quotes", error);
    for (uint32_t i = 0; i < list->count; i++) {
        const limberi_json* name = limberi_json_at(list, i);
        if (name->type != LIMBERI_JSON_STRING || !name->text[0] || strlen(name->text) >= LIMBERI_PATTERN_BYTES)
            return fail_found(json, name, fault, "a name in quotes", error);
    }
    return LIMBER_OK;
}

limber_result limberi_rigid_check(const limberi_json_document* json, const limberi_json* node,
                                  const limberi_json** fault, limber_error* error) {
    if (!LIMBERI_HAS_RIGID)
        return LIMBER_OK; // binding says so
    *fault = node;
    if (node->type == LIMBERI_JSON_STRING && limberi_word_find(LIMBERI_RIGID_WORDS, node->text) >= 0)
        return LIMBER_OK;
    if (node->type != LIMBERI_JSON_OBJECT)
        return fail_found(json, node, fault, expected, error);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++) {
        const char* key = limberi_json_key_at(node, i);
        char name[64];
        *fault = limberi_json_at(node, i);
        limberi_json_tidy(key, name, sizeof name);
        if (strcmp(key, "only") == 0 || strcmp(key, "except") == 0)
            result = check_names(json, *fault, fault, error);
        else
            result = limberi_fail(error, LIMBER_ERROR_DATA, "unknown key '%s' of rigid (known: only, except)", name);
    }
    return result;
}
