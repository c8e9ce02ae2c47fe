// The value of "colliders": a word, or a list whose joints the character must have.
#include "base/error.h"
#include "base/math.h"
#include "collide/style_keys.h"
#include "keys/items.h"
#include "text/text.h"

#include <string.h>

// The shapes in the order of limber_collider_shape, and what each may have besides "joint".
typedef struct collider_words {
    const char *shape, *from, *to; // to NULL: none
    bool round;                    // has a radius
} collider_words;

static const collider_words collider_shapes[3] = {
    {"capsule", "from", "to", true}, {"sphere", "center", NULL, true}, {"plane", "point", "normal", false}};

static const char expected[] = "\"none\", \"auto\" or a list of colliders";
static const char expected_item[] = "a collider: {\"capsule\": {\"joint\": ..., \"to\": [x, y, z], \"radius\": ...}}";

typedef struct checker {
    const limberi_json_document* json;
    const limberi_json** fault;
    limber_error* error;
} checker;

static limber_result fail_found(const checker* c, const limberi_json* node, const char* wanted) {
    return limberi_fail_found(c->json, node, c->fault, wanted, c->error);
}

static const limberi_json* shape_of(const limberi_json* item, uint32_t* shape) {
    for (*shape = 0; *shape < 3; ++*shape) {
        const limberi_json* found = limberi_json_get(item, collider_shapes[*shape].shape);
        if (found)
            return found;
    }
    return NULL;
}

// --- keys ---

static limber_result fail_key(const checker* c, const char* key, const char* of, const char* const* known,
                              uint32_t count) {
    return limberi_fail_unknown_key(key, of, limberi_name_at, known, count, c->error);
}

static limber_result check_name(const checker* c, const limberi_json* node) {
    return limberi_check_pattern(c->json, node, c->fault, c->error);
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

static limber_result check_shape_key(const checker* c, const collider_words* words, const char* key,
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
    const collider_words* words = &collider_shapes[shape];
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
    uint32_t shape;
    uint32_t shapes = 0;
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
        shapes += limberi_json_get(node, collider_shapes[shape].shape) != NULL;
    *c->fault = node;
    if (shapes == 1)
        return LIMBER_OK;
    return limberi_fail(c->error, LIMBER_ERROR_DATA, "a collider needs one \"capsule\", \"sphere\" or \"plane\"%s",
                        shapes ? ", not several" : "");
}

limber_result limberi_colliders_check(const limberi_row* row, const limberi_json_document* json,
                                      const limberi_json* node, const limberi_json** fault, limber_error* error) {
    (void)row;
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

// --- for one character ---

static limber_vec3 vector_of(const limberi_json* list, limber_vec3 standard) {
    if (!list)
        return standard;
    return limberi_vec3((float)limberi_json_as_number(limberi_json_at(list, 0)),
                        (float)limberi_json_as_number(limberi_json_at(list, 1)),
                        (float)limberi_json_as_number(limberi_json_at(list, 2)));
}

static limber_result bind_obey(limberi_binder* b, const limberi_entry* entry, uint32_t at, const limberi_json* list,
                               const uint8_t** out) {
    uint32_t joints = b->model->rig.joint_count;
    uint8_t* marks = LIMBERI_ALLOCATE(b->arena, uint8_t, joints);
    if (!marks)
        return limberi_fail_memory(b->error);
    for (uint32_t i = 0; i < limberi_json_count(list); i++) {
        const char* pattern = limberi_json_as_text(limberi_json_at(list, i));
        bool any = false;
        for (uint32_t j = 0; j < joints; j++)
            if (limberi_joint_matches(&b->model->rig, j, pattern))
                marks[j] = any = true;
        if (!any && !entry->preset)
            return limberi_bind_at_item(b, limberi_fail_joint(b, pattern), entry, at, "obey");
    }
    *out = marks;
    return LIMBER_OK;
}

static limber_collider read_shape(uint32_t shape, const limberi_json* node) {
    const collider_words* words = &collider_shapes[shape];
    limber_vec3 zero = limberi_vec3(0, 0, 0);
    limber_vec3 up = limberi_vec3(0, 1, 0);
    limber_collider c = {0};
    c.shape = (limber_collider_shape)shape;
    c.joint = -1;
    c.from = vector_of(limberi_json_get(node, words->from), zero);
    c.to = zero;
    if (words->to)
        c.to = vector_of(limberi_json_get(node, words->to), words->round ? zero : up);
    c.radius = (float)limberi_json_as_number(limberi_json_get(node, "radius"));
    return c;
}

// One collider for every joint that matches, or one in the world. `list` NULL: only counts.
static limber_result add_item(limberi_binder* b, const limberi_entry* entry, const limberi_json* item, uint32_t at,
                              limber_collider* list, uint32_t* count) {
    uint32_t shape;
    uint32_t before = *count;
    const limberi_json* node = shape_of(item, &shape);
    const limberi_json* layer = limberi_json_get(item, "layer");
    const limberi_json* obey = limberi_json_get(item, "obey");
    const char* pattern = limberi_json_as_text(limberi_json_get(node, "joint"));
    limber_collider c = read_shape(shape, node);
    limber_result result = list && obey ? bind_obey(b, entry, at, obey, &c.obey) : LIMBER_OK;
    if (layer && list) {
        c.layer = limberi_arena_string(b->arena, layer->text);
        limberi_bind_layer(b, entry, layer->text);
    }
    for (uint32_t j = 0; pattern && !result && j < b->model->rig.joint_count; j++) {
        if (!limberi_joint_matches(&b->model->rig, j, pattern))
            continue;
        c.joint = (int32_t)j;
        if (list)
            list[*count] = c;
        ++*count;
    }
    if (result || *count > before)
        return result;
    if (pattern)
        return entry->preset ? LIMBER_OK : limberi_bind_at_item(b, limberi_fail_joint(b, pattern), entry, at, "joint");
    if (list)
        list[*count] = c;
    ++*count;
    return LIMBER_OK;
}

static limber_result add_items(limberi_binder* b, const limberi_entry* entry, const limberi_json* items,
                               limber_collider_settings* settings, limber_collider* list, uint32_t* count) {
    limber_result result = LIMBER_OK;
    *count = 0;
    for (uint32_t i = 0; !result && i < limberi_json_count(items); i++) {
        const limberi_json* item = limberi_json_at(items, i);
        if (item->type == LIMBERI_JSON_STRING)
            settings->automatic = true;
        else
            result = add_item(b, entry, item, i, list, count);
        if (!result && *count > LIMBER_COLLIDER_LIMIT)
            result = limberi_bind_at(
                b, limberi_fail(b->error, LIMBER_ERROR_LIMIT, "too many colliders (max %u)", LIMBER_COLLIDER_LIMIT),
                entry);
    }
    return result;
}

static limber_result bind_list(limberi_binder* b, const limberi_entry* entry, const limberi_json* items,
                               limber_collider_settings* settings) {
    uint32_t count;
    limber_result result = add_items(b, entry, items, settings, NULL, &count);
    if (result)
        return result;
    limber_collider* list = LIMBERI_ALLOCATE(b->arena, limber_collider, count);
    if (!list)
        return limberi_fail_memory(b->error);
    settings->items = list;
    return add_items(b, entry, items, settings, list, &settings->count);
}

limber_result limberi_bind_colliders(limberi_binder* b, const limberi_entry* entry, const limberi_json* root,
                                     void* out) {
    limber_collider_settings* settings = out;
    const char* word = limberi_json_as_text(root);
    settings->automatic = word && strcmp(word, "auto") == 0;
    return word ? LIMBER_OK : bind_list(b, entry, root, settings);
}
