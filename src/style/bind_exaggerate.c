// From the keys of `exaggerate` to the settings of that stage: joints by their names, constraints one by one.
#include "style/bind.h"
#include "style/constraints.h"

#include "base/error.h"

#include <string.h>

// --- lists of joints ---

static uint32_t mark_matching(const limberi_binder* b, const char* pattern, bool* marks) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < b->model->rig.joint_count; j++)
        if (limberi_joint_matches(&b->model->rig, j, pattern)) {
            marks[j] = true;
            count++;
        }
    return count;
}

// One name of a list, without the blanks around it. Returns the start of the next.
static const char* next_name(const char* text, const char* between, char* out, size_t size) {
    text += strspn(text, " ");
    size_t length = strcspn(text, between), kept = length < size ? length : size - 1;
    const char* next = text + length + (text[length] != 0);
    while (kept && text[kept - 1] == ' ')
        kept--;
    memcpy(out, text, kept);
    out[kept] = 0;
    return next;
}

// A pattern with a star may match nothing, so that a preset works on any character; what is spelled out must exist.
static limber_result bind_names(limberi_binder* b, const limberi_entry* entry, const char* between, const bool** out) {
    uint32_t count = 0, names = 0;
    bool* marks = LIMBERI_ALLOCATE(&b->bound->arena, bool, b->model->rig.joint_count);
    if (!marks)
        return limberi_fail_memory(b->error);
    for (const char* text = entry->value.text; *text; names++) {
        char pattern[LIMBERI_PATTERN_BYTES];
        text = next_name(text, between, pattern, sizeof pattern);
        uint32_t found = mark_matching(b, pattern, marks);
        count += found;
        if (!found && !strchr(pattern, '*'))
            return limberi_bind_at(b, limberi_fail_joint(b, pattern), entry);
    }
    if (names && !count)
        limberi_bind_warn(b, entry, "no joint matches, so it has no effect");
    *out = marks;
    return LIMBER_OK;
}

// --- constraints ---

static limber_result bind_elongation(limberi_binder* b, const limberi_entry* entry, const limberi_json* node,
                                     limber_number* out) {
    out->value = (float)limberi_json_as_number(node);
    return node->type == LIMBERI_JSON_STRING ? limberi_bind_text(b, entry, node->text, out) : LIMBER_OK;
}

static limber_result bind_keys(limberi_binder* b, const limberi_json* list, limber_constraint* out) {
    limber_target_key* keys = LIMBERI_ALLOCATE(&b->bound->arena, limber_target_key, list->count);
    if (!keys)
        return limberi_fail_memory(b->error);
    for (uint32_t i = 0; i < list->count; i++) {
        const limberi_json *item = limberi_json_at(list, i), *place = limberi_json_at(item, 1);
        limber_target_key* key = &keys[out->key_count++];
        key->time_s = limberi_json_as_number(limberi_json_at(item, 0));
        key->position.x = (float)limberi_json_as_number(limberi_json_at(place, 0));
        key->position.y = (float)limberi_json_as_number(limberi_json_at(place, 1));
        key->position.z = (float)limberi_json_as_number(limberi_json_at(place, 2));
    }
    out->keys = keys;
    return LIMBER_OK;
}

static limber_result read_constraint(limberi_binder* b, const limberi_entry* entry, const limberi_json* node,
                                     limber_constraint* out) {
    *out = limber_constraint_default();
    const limberi_json *relative = limberi_json_get(node, "relative"), *keys = limberi_json_get(node, "keys");
    const limberi_json *window = limberi_json_get(node, "window"), *weight = limberi_json_get(node, "weight");
    out->relative = relative && relative->truth;
    if (window)
        out->window_s = limberi_json_as_number(window);
    if (weight)
        out->weight = (float)limberi_json_as_number(weight);
    if (keys)
        return bind_keys(b, keys, out);
    return bind_elongation(b, entry, limberi_json_get(node, "elongate"), &out->elongate);
}

static limber_result fail_constraint(limberi_binder* b, const limberi_entry* entry, const char* pattern, uint32_t at) {
    char place[32];
    limberi_format(place, sizeof place, "constraints[%u]", at);
    limberi_address address = {3, {"exaggerate", place, "joint"}};
    return limberi_style_at(b->error, limberi_fail_joint(b, pattern), entry->place, &address);
}

// One constraint for every joint that matches.
static limber_result add_constraint(limberi_binder* b, const limberi_entry* entry, const limberi_json* node,
                                    limber_constraint* list, uint32_t* count) {
    limber_constraint made;
    const char* pattern = limberi_json_as_text(limberi_json_get(node, "joint"));
    limber_result result = read_constraint(b, entry, node, &made);
    for (uint32_t j = 0; !result && j < b->model->rig.joint_count; j++) {
        if (!limberi_joint_matches(&b->model->rig, j, pattern))
            continue;
        made.joint = j;
        if (list)
            list[*count] = made;
        ++*count;
    }
    return result;
}

static uint32_t count_matching(const limberi_binder* b, const char* pattern) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < b->model->rig.joint_count; j++)
        count += limberi_joint_matches(&b->model->rig, j, pattern);
    return count;
}

static limber_result bind_list(limberi_binder* b, const limberi_entry* entry, const limberi_json* pulls) {
    limber_exaggerate_settings* settings = &b->bound->settings.exaggerate;
    uint32_t room = 0, items = limberi_json_count(pulls);
    for (uint32_t at = 0; at < items; at++) {
        const char* pattern = limberi_json_as_text(limberi_json_get(limberi_json_at(pulls, at), "joint"));
        uint32_t matching = count_matching(b, pattern);
        if (!matching)
            return fail_constraint(b, entry, pattern, at);
        room += matching;
        if (room > LIMBERI_CONSTRAINT_LIMIT)
            return limberi_bind_at(b,
                                   limberi_fail(b->error, LIMBER_ERROR_LIMIT, "too many joints are pulled (max %d)",
                                                LIMBERI_CONSTRAINT_LIMIT),
                                   entry);
    }
    limber_constraint* list = LIMBERI_ALLOCATE(&b->bound->arena, limber_constraint, room);
    limber_expression** more = LIMBERI_ALLOCATE(&b->bound->arena, limber_expression*, (size_t)b->style->count + items);
    if (!list || !more)
        return limberi_fail_memory(b->error);
    for (uint32_t i = 0; i < b->bound->expression_count; i++)
        more[i] = b->bound->expressions[i];
    b->bound->expressions = more;
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < items; i++)
        result = add_constraint(b, entry, limberi_json_at(pulls, i), list, &settings->constraint_count);
    settings->constraints = list;
    return result;
}

static limber_result bind_constraints(limberi_binder* b, const limberi_entry* entry) {
    limberi_json_document json;
    limber_result result = limberi_json_read(entry->value.json, strlen(entry->value.json), NULL, &json, b->error);
    if (result)
        return result;
    b->bound->settings.exaggerate.automatic = limberi_json_is(json.root, LIMBERI_JSON_STRING);
    if (!b->bound->settings.exaggerate.automatic)
        result = bind_list(b, entry, json.root);
    limberi_json_free(&json);
    return result;
}

// --- all of it ---

static limber_result bind_entry(limberi_binder* b, const limberi_entry* entry) {
    const limberi_row* row = limberi_row_at(entry->row);
    char* target = (char*)&b->bound->settings.exaggerate + row->offset;
    bool truth = entry->value.choice != 0;
    int choice = (int)entry->value.choice;
    switch ((limberi_exaggerate_part)row->part) {
    case LIMBERI_EXAGGERATE_NUMBER:
        memcpy(target, &entry->value.numbers[0], sizeof(double));
        break;
    case LIMBERI_EXAGGERATE_SWITCH:
        memcpy(target, &truth, sizeof truth);
        break;
    case LIMBERI_EXAGGERATE_CHOICE:
        memcpy(target, &choice, sizeof choice);
        break;
    case LIMBERI_EXAGGERATE_FILTERED:
        return bind_names(b, entry, ",", &b->bound->settings.exaggerate.filter_joints);
    case LIMBERI_EXAGGERATE_CONSTRAINTS:
        return bind_constraints(b, entry);
    }
    return LIMBER_OK;
}

limber_result limberi_bind_exaggerate(limberi_binder* b) {
    limber_stage_settings* settings = &b->bound->settings;
    limber_result result = LIMBER_OK;
    settings->exaggerate.size = settings->deform.size;
    settings->exaggerate.loop = settings->motion.loop;
    for (uint32_t i = 0; !result && i < b->style->count; i++) {
        const limberi_entry* entry = &b->style->entries[b->order[i]];
        if (limberi_row_at(entry->row)->store == LIMBERI_STORE_EXAGGERATE)
            result = bind_entry(b, entry);
    }
    return result;
}
