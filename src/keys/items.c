// Lists of objects: what each may have, and the clips that they name.
#include "keys/items.h"

#include "base/error.h"
#include "text/text.h"

#include <string.h>

enum { LIMIT = 1024 };

// --- checks ---

static const char* key_at(const void* user, size_t index) {
    return ((const limberi_items*)user)->keys[index].name;
}

limber_result limberi_fail_unknown_key(const char* key, const char* of,
                                       const char* (*name_at)(const void* user, size_t index), const void* user,
                                       uint32_t count, limber_error* error) {
    char name[64];
    char known[128] = "";
    limberi_json_tidy(key, name, sizeof name);
    const char* near = limberi_suggest(name, name_at, user, count);
    if (near)
        return limberi_fail(error, LIMBER_ERROR_DATA, "unknown key '%s' of a %s; did you mean '%s'?", name, of, near);
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(known);
        limberi_format(known + length, sizeof known - length, i ? ", %s" : "%s", name_at(user, i));
    }
    return limberi_fail(error, LIMBER_ERROR_DATA, "unknown key '%s' of a %s (known: %s)", name, of, known);
}

limber_result limberi_check_pattern(const limberi_json_document* json, const limberi_json* node,
                                    const limberi_json** fault, limber_error* error) {
    *fault = node;
    if (node->type != LIMBERI_JSON_STRING || !node->text[0])
        return limberi_fail_found(json, node, fault, "a name in quotes", error);
    if (strlen(node->text) < LIMBERI_PATTERN_BYTES)
        return LIMBER_OK;
    return limberi_fail(error, LIMBER_ERROR_LIMIT, "the name is too long (max %d bytes)", LIMBERI_PATTERN_BYTES - 1);
}

static limber_result check_member(const limberi_items* items, const limberi_json_document* json, const char* key,
                                  const limberi_json* node, const limberi_json** fault, limber_error* error) {
    uint32_t at = 0;
    *fault = node;
    while (at < items->key_count && strcmp(items->keys[at].name, key) != 0)
        at++;
    if (at == items->key_count)
        return limberi_fail_unknown_key(key, items->one, key_at, items, items->key_count, error);
    const limberi_item_key* known = &items->keys[at];
    if (known->text)
        return limberi_check_pattern(json, node, fault, error);
    double number = limberi_json_as_number(node);
    if (!limberi_json_is_number(node))
        return limberi_fail_found(json, node, fault, "a number", error);
    if (!(number >= known->min && number <= known->max))
        return limberi_fail(error, LIMBER_ERROR_DATA, "%g is out of range (%g ... %g)", number, known->min, known->max);
    return LIMBER_OK;
}

static limber_result check_item(const limberi_items* items, const limberi_json_document* json, const limberi_json* node,
                                const limberi_json** fault, limber_error* error) {
    char wanted[128];
    limberi_format(wanted, sizeof wanted, "a %s: %s", items->one, items->shape);
    if (node->type != LIMBERI_JSON_OBJECT)
        return limberi_fail_found(json, node, fault, wanted, error);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_member(items, json, limberi_json_key_at(node, i), limberi_json_at(node, i), fault, error);
    if (result)
        return result;
    *fault = node;
    for (uint32_t i = 0; i < items->key_count; i++)
        if (items->keys[i].needed && !limberi_json_get(node, items->keys[i].name))
            return limberi_fail(error, LIMBER_ERROR_DATA, "a %s needs the key \"%s\"", items->one, items->keys[i].name);
    return items->check ? items->check(node, fault, error) : LIMBER_OK;
}

limber_result limberi_items_check(const limberi_items* items, const limberi_json_document* json,
                                  const limberi_json* node, const limberi_json** fault, limber_error* error) {
    char wanted[128];
    limberi_format(wanted, sizeof wanted, "a list of %ss: [%s]", items->one, items->shape);
    *fault = node;
    if (node->type != LIMBERI_JSON_ARRAY)
        return limberi_fail_found(json, node, fault, wanted, error);
    if (node->count > LIMIT)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many %ss (max %d)", items->one, LIMIT);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_item(items, json, limberi_json_at(node, i), fault, error);
    return result;
}

double limberi_item_number(const limberi_json* item, const char* key, double otherwise) {
    const limberi_json* node = limberi_json_get(item, key);
    return node ? limberi_json_as_number(node) : otherwise;
}

// --- clips ---

static const char* clip_name_at(const void* user, size_t index) {
    return ((const limber_model*)user)->clips[index].name;
}

static limber_result fail_clip(limberi_binder* b, const char* pattern) {
    char wanted[64], near[64];
    const char* best = limberi_suggest(pattern, clip_name_at, b->model, b->model->clip_count);
    limberi_json_tidy(pattern, wanted, sizeof wanted);
    limberi_json_tidy(best ? best : "", near, sizeof near);
    if (best)
        return limberi_fail(b->error, LIMBER_ERROR_DATA, "no clip matches '%s'; did you mean '%s'?", wanted, near);
    return limberi_fail(b->error, LIMBER_ERROR_DATA, "no clip matches '%s'%s", wanted,
                        b->model->clip_count ? " (limber info lists them)" : " (this character has none)");
}

limber_result limberi_bind_item_clips(limberi_binder* b, const limberi_entry* entry, uint32_t at,
                                      const limberi_json* item, void (*add)(void* user, int32_t clip), void* user) {
    const limberi_json* clip = limberi_json_get(item, "clip");
    bool found = !clip;
    if (!clip)
        add(user, -1);
    for (uint32_t c = 0; clip && c < b->model->clip_count; c++) {
        if (!limberi_name_matches(b->model->clips[c].name, limberi_json_as_text(clip)))
            continue;
        found = true;
        add(user, (int32_t)c);
    }
    if (found || entry->preset)
        return LIMBER_OK;
    return limberi_bind_at_item(b, fail_clip(b, limberi_json_as_text(clip)), entry, at, "clip");
}
