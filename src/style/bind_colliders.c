// The key "colliders": a word, or a list whose joints the character must have.
#include "base/error.h"
#include "base/math.h"
#include "style/bind.h"
#include "style/colliders_value.h"

#include <string.h>

static limber_result fail_joint_at(limberi_binder* b, const limberi_entry* entry, uint32_t at, const char* key,
                                   const char* pattern) {
    char place[32];
    limberi_format(place, sizeof place, "colliders[%u]", at);
    limberi_address address = {2, {place, key}};
    return limberi_style_at(b->error, limberi_fail_joint(b, pattern), entry->place, &address);
}

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
    uint8_t* marks = LIMBERI_ALLOCATE(&b->bound->arena, uint8_t, joints);
    if (!marks)
        return limberi_fail_memory(b->error);
    for (uint32_t i = 0; i < limberi_json_count(list); i++) {
        const char* pattern = limberi_json_as_text(limberi_json_at(list, i));
        bool any = false;
        for (uint32_t j = 0; j < joints; j++)
            if (limberi_joint_matches(&b->model->rig, j, pattern))
                marks[j] = any = true;
        if (!any && !entry->preset)
            return fail_joint_at(b, entry, at, "obey", pattern);
    }
    *out = marks;
    return LIMBER_OK;
}

static limber_collider read_shape(uint32_t shape, const limberi_json* node) {
    const limberi_collider_words* words = &limberi_collider_shapes[shape];
    limber_vec3 zero = limberi_vec3(0, 0, 0), up = limberi_vec3(0, 1, 0);
    limber_collider c;
    memset(&c, 0, sizeof c);
    c.shape = (limber_collider_shape)shape;
    c.joint = -1;
    c.from = vector_of(limberi_json_get(node, words->from), zero);
    c.to = words->to ? vector_of(limberi_json_get(node, words->to), words->round ? zero : up) : zero;
    c.radius = (float)limberi_json_as_number(limberi_json_get(node, "radius"));
    return c;
}

// One collider for every joint that matches, or one in the world. `list` NULL: only counts.
static limber_result add_item(limberi_binder* b, const limberi_entry* entry, const limberi_json* item, uint32_t at,
                              limber_collider* list, uint32_t* count) {
    uint32_t shape, before = *count;
    const limberi_json* node = limberi_collider_shape_of(item, &shape);
    const limberi_json *layer = limberi_json_get(item, "layer"), *obey = limberi_json_get(item, "obey");
    const char* pattern = limberi_json_as_text(limberi_json_get(node, "joint"));
    limber_collider c = read_shape(shape, node);
    limber_result result = list && obey ? bind_obey(b, entry, at, obey, &c.obey) : LIMBER_OK;
    if (layer && list) {
        c.layer = limberi_arena_string(&b->bound->arena, layer->text);
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
        return entry->preset ? LIMBER_OK : fail_joint_at(b, entry, at, "joint", pattern);
    if (list)
        list[*count] = c;
    ++*count;
    return LIMBER_OK;
}

static limber_result add_items(limberi_binder* b, const limberi_entry* entry, const limberi_json* items,
                               limber_collider* list, uint32_t* count) {
    limber_result result = LIMBER_OK;
    *count = 0;
    for (uint32_t i = 0; !result && i < limberi_json_count(items); i++) {
        const limberi_json* item = limberi_json_at(items, i);
        if (item->type == LIMBERI_JSON_STRING)
            b->bound->settings.colliders.automatic = true;
        else
            result = add_item(b, entry, item, i, list, count);
        if (!result && *count > LIMBER_COLLIDER_LIMIT)
            result = limberi_bind_at(
                b, limberi_fail(b->error, LIMBER_ERROR_LIMIT, "too many colliders (max %u)", LIMBER_COLLIDER_LIMIT),
                entry);
    }
    return result;
}

static limber_result bind_list(limberi_binder* b, const limberi_entry* entry, const limberi_json* items) {
    limber_collider_settings* settings = &b->bound->settings.colliders;
    uint32_t count;
    limber_result result = add_items(b, entry, items, NULL, &count);
    if (result)
        return result;
    limber_collider* list = LIMBERI_ALLOCATE(&b->bound->arena, limber_collider, count);
    if (!list)
        return limberi_fail_memory(b->error);
    settings->items = list;
    return add_items(b, entry, items, list, &settings->count);
}

limber_result limberi_bind_colliders(limberi_binder* b, const limberi_entry* entry) {
    limberi_json_document json;
    limber_result result = limberi_json_read(entry->value.json, strlen(entry->value.json), NULL, &json, b->error);
    if (result)
        return result;
    const char* word = limberi_json_as_text(json.root);
    b->bound->settings.colliders.automatic = word && strcmp(word, "auto") == 0;
    if (!word)
        result = bind_list(b, entry, json.root);
    limberi_json_free(&json);
    return result;
}
