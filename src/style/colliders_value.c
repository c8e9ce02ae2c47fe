// What the key "colliders" may hold.
#include "style/colliders_value.h"

#include "base/build.h"
#include "base/error.h"
#include "style/style_private.h"
#include "text/text.h"

#include <string.h>

const limberi_collider_words limberi_collider_shapes[3] = {
    {"capsule", "from", "to", true}, {"sphere", "center", NULL, true}, {"plane", "point", "normal", false}};

static const char expected[] = "\"none\", \"auto\" or a list of colliders";
static const char expected_item[] = "a collider: {\"capsule\": {\"joint\": ..., \"to\": [x, y, z], \"radius\": ...}}";

typedef struct checker {
    const limberi_json_document* json;
    const limberi_json** fault;
    limber_error* error;
} checker;

static limber_result fail_found(const checker* c, const limberi_json* node, const char* wanted) {
    char found[80];
    *c->fault = node;
    limberi_json_describe(c->json, node, found, sizeof found);
    return limberi_fail(c->error, LIMBER_ERROR_DATA, "expected %s, found %s", wanted, found);
}

const limberi_json* limberi_collider_shape_of(const limberi_json* item, uint32_t* shape) {
    for (*shape = 0; *shape < 3; ++*shape) {
        const limberi_json* found = limberi_json_get(item, limberi_collider_shapes[*shape].shape);
        if (found)
            return found;
    }
    return NULL;
}

// --- keys ---

static const char* key_at(const void* user, size_t index) {
    return ((const char* const*)user)[index];
}

static limber_result fail_key(const checker* c, const char* key, const char* of, const char* const* known,
                              uint32_t count) {
    char name[64], all[96] = "";
    limberi_json_tidy(key, name, sizeof name);
    const char* near = limberi_suggest(name, key_at, known, count);
    if (near)
        return limberi_fail(c->error, LIMBER_ERROR_DATA, "unknown key '%s' of a %s; did you mean '%s'?", name, of,
                            near);
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(all);
        limberi_format(all + length, sizeof all - length, i ? ", %s" : "%s", known[i]);
    }
    return limberi_fail(c->error, LIMBER_ERROR_DATA, "unknown key '%s' of a %s (known: %s)", name, of, all);
}

static limber_result check_name(const checker* c, const limberi_json* node) {
    if (node->type == LIMBERI_JSON_STRING && node->text[0] && strlen(node->text) < LIMBERI_PATTERN_BYTES)
        return LIMBER_OK;
    return fail_found(c, node, "a name in quotes");
}

static limber_result check_names(const checker* c, const limberi_json* list) {
    if (list->type != LIMBERI_JSON_ARRAY || !list->count)
        return fail_found(c, list, "a list of names in quotes");
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < list->count; i++)
        result = check_name(c, limberi_json_at(list, i));
    return result;
}

static limber_result check_number(const checker* c, const limberi_json* node, double min) {
    double number = limberi_json_as_number(node);
    if (!limberi_json_is_number(node))
        return fail_found(c, node, "a number");
    if (number >= min && number <= 1e9)
        return LIMBER_OK;
    return fail_found(c, node, min < 0 ? "a number within 1e9" : "a radius from 0 to 1e9");
}

static limber_result check_vector(const checker* c, const limberi_json* node) {
    if (node->type != LIMBERI_JSON_ARRAY || node->count != 3)
        return fail_found(c, node, "three numbers: [x, y, z]");
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < 3; i++)
        result = check_number(c, limberi_json_at(node, i), -1e9);
    return result;
}

// --- one collider ---

static limber_result check_shape_key(const checker* c, const limberi_collider_words* words, const char* key,
                                     const limberi_json* node) {
    const char* known[4] = {"joint", words->from};
    uint32_t count = 2;
    if (words->to)
        known[count++] = words->to;
    if (words->round)
        known[count++] = "radius";
    *c->fault = node;
    if (strcmp(key, "joint") == 0)
        return check_name(c, node);
    if (words->round && strcmp(key, "radius") == 0)
        return check_number(c, node, 0);
    if (strcmp(key, words->from) == 0 || (words->to && strcmp(key, words->to) == 0))
        return check_vector(c, node);
    return fail_key(c, key, words->shape, known, count);
}

static bool is_zero_vector(const limberi_json* node) {
    for (uint32_t i = 0; i < limberi_json_count(node); i++)
        if (limberi_json_as_number(limberi_json_at(node, i)) != 0)
            return false;
    return node != NULL;
}

static limber_result check_shape(const checker* c, uint32_t shape, const limberi_json* node) {
    const limberi_collider_words* words = &limberi_collider_shapes[shape];
    if (node->type != LIMBERI_JSON_OBJECT)
        return fail_found(c, node, "an object: { ... }");
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_shape_key(c, words, limberi_json_key_at(node, i), limberi_json_at(node, i));
    if (result)
        return result;
    *c->fault = node;
    if (words->round && !limberi_json_get(node, "radius"))
        return limberi_fail(c->error, LIMBER_ERROR_DATA, "a %s needs a \"radius\"", words->shape);
    if (words->round && words->to && !limberi_json_get(node, words->to))
        return limberi_fail(c->error, LIMBER_ERROR_DATA, "a %s needs a \"%s\": [x, y, z]", words->shape, words->to);
    if (!words->round && is_zero_vector(limberi_json_get(node, words->to)))
        return limberi_fail(c->error, LIMBER_ERROR_DATA, "the normal of a plane must have a length");
    return LIMBER_OK;
}

static limber_result check_item_key(const checker* c, const char* key, const limberi_json* node) {
    static const char* const known[] = {"capsule", "sphere", "plane", "layer", "obey"};
    *c->fault = node;
    for (uint32_t shape = 0; shape < 3; shape++)
        if (strcmp(key, known[shape]) == 0)
            return check_shape(c, shape, node);
    if (strcmp(key, "layer") == 0)
        return check_name(c, node);
    if (strcmp(key, "obey") == 0)
        return check_names(c, node);
    return fail_key(c, key, "collider", known, 5);
}

static limber_result check_item(const checker* c, const limberi_json* node) {
    uint32_t shape, shapes = 0;
    if (node->type == LIMBERI_JSON_STRING && strcmp(node->text, "auto") == 0)
        return LIMBER_OK;
    if (node->type != LIMBERI_JSON_OBJECT)
        return fail_found(c, node, expected_item);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_item_key(c, limberi_json_key_at(node, i), limberi_json_at(node, i));
    if (result)
        return result;
    for (shape = 0; shape < 3; shape++)
        shapes += limberi_json_get(node, limberi_collider_shapes[shape].shape) != NULL;
    *c->fault = node;
    if (shapes == 1)
        return LIMBER_OK;
    return limberi_fail(c->error, LIMBER_ERROR_DATA, "a collider needs one \"capsule\", \"sphere\" or \"plane\"%s",
                        shapes ? ", not several" : "");
}

limber_result limberi_colliders_check(const limberi_json_document* json, const limberi_json* node,
                                      const limberi_json** fault, limber_error* error) {
    if (!LIMBERI_HAS_COLLIDERS)
        return LIMBER_OK; // binding says so
    const checker c = {json, fault, error};
    *fault = node;
    if (node->type == LIMBERI_JSON_STRING && limberi_word_find(LIMBERI_COLLIDER_WORDS, node->text) >= 0)
        return LIMBER_OK;
    if (node->type != LIMBERI_JSON_ARRAY)
        return fail_found(&c, node, expected);
    if (node->count > LIMBER_COLLIDER_LIMIT)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many colliders (max %u)", LIMBER_COLLIDER_LIMIT);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_item(&c, limberi_json_at(node, i));
    return result;
}
