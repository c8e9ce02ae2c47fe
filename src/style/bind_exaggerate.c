// From the keys of `exaggerate` to the settings of that stage: joints by their names, constraints one by one.
#include "style/bind.h"
#include "style/constraints.h"

#include "base/error.h"

#include <string.h>

// --- lists of joints ---

static uint32_t mark_matching(const limberi_binder* b, const char* pattern, bool* marks) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < b->model->rig.joint_count; j++)
        if (limberi_name_matches(b->model->rig.names[j], pattern)) {
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

static limber_result bind_elongation(limberi_binder* b, const limberi_entry* entry, const limberi_json_node* node,
                                     limber_number* out) {
    out->value = (float)node->number;
    return node->type == LIMBERI_JSON_STRING ? limberi_bind_text(b, entry, node->text, out) : LIMBER_OK;
}

static limber_result bind_keys(limberi_binder* b, const limberi_json* json, uint32_t node, limber_constraint* out) {
    limber_target_key* keys = LIMBERI_ALLOCATE(&b->bound->arena, limber_target_key, json->nodes[node].count);
    if (!keys)
        return limberi_fail_memory(b->error);
    for (uint32_t item = limberi_json_first(json, node); item; item = limberi_json_next(json, item)) {
        uint32_t time = limberi_json_first(json, item), x = limberi_json_first(json, limberi_json_next(json, time));
        uint32_t y = limberi_json_next(json, x), z = limberi_json_next(json, y);
        limber_target_key* key = &keys[out->key_count++];
        key->time_s = json->nodes[time].number;
        key->position.x = (float)json->nodes[x].number;
        key->position.y = (float)json->nodes[y].number;
        key->position.z = (float)json->nodes[z].number;
    }
    out->keys = keys;
    return LIMBER_OK;
}

static limber_result read_constraint(limberi_binder* b, const limberi_entry* entry, const limberi_json* json,
                                     uint32_t node, limber_constraint* out) {
    *out = limber_constraint_default();
    uint32_t relative = limberi_json_member(json, node, "relative"), keys = limberi_json_member(json, node, "keys");
    uint32_t window = limberi_json_member(json, node, "window"), weight = limberi_json_member(json, node, "weight");
    out->relative = relative && json->nodes[relative].truth;
    if (window)
        out->window_s = json->nodes[window].number;
    if (weight)
        out->weight = (float)json->nodes[weight].number;
    if (keys)
        return bind_keys(b, json, keys, out);
    return bind_elongation(b, entry, &json->nodes[limberi_json_member(json, node, "elongate")], &out->elongate);
}

static limber_result fail_constraint(limberi_binder* b, const limberi_entry* entry, const char* pattern, uint32_t at) {
    char place[32];
    limberi_format(place, sizeof place, "constraints[%u]", at);
    limberi_address address = {3, {"exaggerate", place, "joint"}};
    return limberi_style_at(b->error, limberi_fail_joint(b, pattern), entry->place, &address);
}

// One constraint for every joint that matches.
static limber_result add_constraint(limberi_binder* b, const limberi_entry* entry, const limberi_json* json,
                                    uint32_t node, limber_constraint* list, uint32_t* count) {
    limber_constraint made;
    const char* pattern = json->nodes[limberi_json_member(json, node, "joint")].text;
    limber_result result = read_constraint(b, entry, json, node, &made);
    for (uint32_t j = 0; !result && j < b->model->rig.joint_count; j++) {
        if (!limberi_name_matches(b->model->rig.names[j], pattern))
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
        count += limberi_name_matches(b->model->rig.names[j], pattern);
    return count;
}

static limber_result bind_list(limberi_binder* b, const limberi_entry* entry, const limberi_json* json) {
    limber_exaggerate_settings* settings = &b->bound->settings.exaggerate;
    uint32_t room = 0, at = 0, items = json->nodes[0].count;
    for (uint32_t item = limberi_json_first(json, 0); item; item = limberi_json_next(json, item), at++) {
        const char* pattern = json->nodes[limberi_json_member(json, item, "joint")].text;
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
    for (uint32_t item = limberi_json_first(json, 0); !result && item; item = limberi_json_next(json, item))
        result = add_constraint(b, entry, json, item, list, &settings->constraint_count);
    settings->constraints = list;
    return result;
}

static limber_result bind_constraints(limberi_binder* b, const limberi_entry* entry) {
    limberi_json json;
    limber_result result = limberi_json_read(entry->value.json, strlen(entry->value.json), NULL, &json, b->error);
    if (result)
        return result;
    b->bound->settings.exaggerate.automatic = json.nodes[0].type == LIMBERI_JSON_STRING;
    if (!b->bound->settings.exaggerate.automatic)
        result = bind_list(b, entry, &json);
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
    case LIMBERI_EXAGGERATE_PLANTED:
        return bind_names(b, entry, "\n", &b->bound->settings.exaggerate.plant);
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
