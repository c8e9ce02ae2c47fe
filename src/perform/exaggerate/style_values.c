// Values of the keys of exaggeration: constraints one by one, and joints by their names.
#include "base/error.h"
#include "keys/items.h"
#include "perform/exaggerate/style_keys.h"

#include <string.h>

enum { CONSTRAINT_LIMIT = 1024, TARGET_LIMIT = 4096 };

// --- the keys of a constraint ---

// `user` is the reader, which has the keys.
static const char* name_at(const void* user, size_t index) {
    return strrchr(((const limberi_reader*)user)->items[index].key.path, '.') + 1;
}

static limber_result check_target(const limberi_json_document* json, const limberi_json* node, double* before,
                                  const limberi_json** fault, limber_error* error) {
    static const char expected[] = "a key: [seconds, [x, y, z]]";
    const limberi_json* time = limberi_json_at(node, 0);
    const limberi_json* place = limberi_json_at(node, 1);
    if (node->type != LIMBERI_JSON_ARRAY || node->count != 2 || !limberi_json_is_number(time) ||
        place->type != LIMBERI_JSON_ARRAY || place->count != 3)
        return limberi_fail_found(json, node, fault, expected, error);
    for (uint32_t i = 0; i < 3; i++)
        if (!limberi_json_is_number(limberi_json_at(place, i)))
            return limberi_fail_found(json, limberi_json_at(place, i), fault, "a plain number", error);
    *fault = time;
    double now = limberi_json_as_number(time);
    if (now > 1e6 || now < -1e6 || now <= *before)
        return limberi_fail(error, LIMBER_ERROR_DATA, "key times must increase, within a million seconds");
    *before = now;
    return LIMBER_OK;
}

static limber_result check_targets(const limberi_json_document* json, const limberi_json* node,
                                   const limberi_json** fault, limber_error* error) {
    if (node->type != LIMBERI_JSON_ARRAY || node->count == 0 || node->count > TARGET_LIMIT)
        return limberi_fail_found(json, node, fault, "a list of keys: [[seconds, [x, y, z]], ...]", error);
    double before = -1e7;
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_target(json, limberi_json_at(node, i), &before, fault, error);
    return result;
}

static limber_result check_member(const limberi_reader* reader, const limberi_json_document* json, const char* key,
                                  const limberi_json* node, const limberi_json** fault, limber_error* error) {
    *fault = node;
    if (strcmp(key, "joint") == 0)
        return limberi_check_pattern(json, node, fault, error);
    if (strcmp(key, "keys") == 0)
        return check_targets(json, node, fault, error);
    for (uint32_t i = 0; i < reader->item_count; i++) {
        if (strcmp(name_at(reader, i), key) != 0)
            continue;
        limberi_arena scratch = {NULL, false};
        limberi_value value;
        limber_result result = limberi_value_read(&scratch, &reader->items[i], json, node, &value, fault, error);
        limberi_arena_free(&scratch);
        return result;
    }
    return limberi_fail_unknown_key(key, "constraint", name_at, reader, reader->item_count, error);
}

static limber_result check_constraint(const limberi_reader* reader, const limberi_json_document* json,
                                      const limberi_json* node, const limberi_json** fault, limber_error* error) {
    if (node->type != LIMBERI_JSON_OBJECT)
        return limberi_fail_found(json, node, fault, "a constraint: {\"joint\": ..., \"elongate\": ...}", error);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_member(reader, json, limberi_json_key_at(node, i), limberi_json_at(node, i), fault, error);
    if (result)
        return result;
    *fault = node;
    if (!limberi_json_get(node, "joint"))
        return limberi_fail(error, LIMBER_ERROR_DATA, "a constraint needs a \"joint\"");
    bool elongate = limberi_json_get(node, "elongate");
    bool keys = limberi_json_get(node, "keys");
    if (elongate == keys)
        return limberi_fail(error, LIMBER_ERROR_DATA, "a constraint needs either \"elongate\" or \"keys\"%s",
                            elongate ? ", not both" : "");
    return LIMBER_OK;
}

limber_result limberi_constraints_check(const limberi_row* row, const limberi_json_document* json,
                                        const limberi_json* node, const limberi_json** fault, limber_error* error) {
    *fault = node;
    if (node->type == LIMBERI_JSON_STRING && strcmp(node->text, "auto") == 0)
        return LIMBER_OK;
    if (node->type != LIMBERI_JSON_ARRAY)
        return limberi_fail_found(json, node, fault, "a list of constraints or \"auto\"", error);
    if (node->count > CONSTRAINT_LIMIT)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many constraints (max %d)", CONSTRAINT_LIMIT);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_constraint(row->reader, json, limberi_json_at(node, i), fault, error);
    return result;
}

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
static const char* next_name(const char* text, char* out, size_t size) {
    text += strspn(text, " ");
    size_t length = strcspn(text, ",");
    size_t kept = length < size ? length : size - 1;
    const char* next = text + length + (text[length] != 0);
    while (kept && text[kept - 1] == ' ')
        kept--;
    memcpy(out, text, kept);
    out[kept] = 0;
    return next;
}

// A pattern with a star may match nothing, so that a preset works on any character; what is spelled out must exist.
limber_result limberi_bind_filtered_joints(limberi_binder* b, const limberi_entry* entry, void* settings) {
    uint32_t count = 0;
    uint32_t names = 0;
    bool* marks = LIMBERI_ALLOCATE(b->arena, bool, b->model->rig.joint_count);
    if (!marks)
        return limberi_fail_memory(b->error);
    for (const char* text = entry->value.text; *text; names++) {
        char pattern[LIMBERI_PATTERN_BYTES];
        text = next_name(text, pattern, sizeof pattern);
        uint32_t found = mark_matching(b, pattern, marks);
        count += found;
        if (!found && !strchr(pattern, '*'))
            return limberi_bind_at(b, limberi_fail_joint(b, pattern), entry);
    }
    if (names && !count)
        limberi_bind_warn(b, entry, "no joint matches, so it has no effect");
    ((limber_exaggerate_settings*)settings)->filter_joints = marks;
    return LIMBER_OK;
}

// --- numbers that change with time ---

limber_result limberi_bind_exaggerate_change(limberi_binder* b, const limberi_entry* entry, void* settings) {
    limber_exaggerate_settings* s = settings;
    limber_exaggerate_changes* changes = &s->changes;
    const struct {
        double* number;
        const limber_expression** formula;
    } all[] = {{&s->amount, &changes->amount},
               {&s->sigma_s, &changes->sigma_s},
               {&s->delay_s, &changes->delay_s},
               {&s->strength, &changes->strength}};
    limber_number number = {0, NULL};
    limber_result result = limberi_bind_number(b, entry, &number);
    void* out = (char*)settings + entry->row->offset;
    for (size_t i = 0; !result && i < sizeof all / sizeof *all; i++) {
        if ((void*)all[i].number != out)
            continue;
        *all[i].number = number.expression ? 1 : entry->value.numbers[0];
        *all[i].formula = number.expression;
    }
    return result;
}

// --- constraints ---

static limber_result bind_keys(limberi_binder* b, const limberi_json* list, limber_constraint* out) {
    limber_target_key* keys = LIMBERI_ALLOCATE(b->arena, limber_target_key, list->count);
    if (!keys)
        return limberi_fail_memory(b->error);
    for (uint32_t i = 0; i < list->count; i++) {
        const limberi_json* item = limberi_json_at(list, i);
        const limberi_json* place = limberi_json_at(item, 1);
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
    const limberi_json* relative = limberi_json_get(node, "relative");
    const limberi_json* keys = limberi_json_get(node, "keys");
    const limberi_json* window = limberi_json_get(node, "window");
    const limberi_json* weight = limberi_json_get(node, "weight");
    out->relative = relative && relative->truth;
    if (window)
        out->window_s = limberi_json_as_number(window);
    if (weight)
        out->weight = (float)limberi_json_as_number(weight);
    if (keys)
        return bind_keys(b, keys, out);
    const limberi_json* elongate = limberi_json_get(node, "elongate");
    out->elongate.value = (float)limberi_json_as_number(elongate);
    if (elongate->type == LIMBERI_JSON_STRING)
        return limberi_bind_text(b, entry, elongate->text, &out->elongate);
    return LIMBER_OK;
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

static limber_result bind_list(limberi_binder* b, const limberi_entry* entry, const limberi_json* pulls,
                               limber_exaggerate_settings* settings) {
    uint32_t room = 0;
    uint32_t items = limberi_json_count(pulls);
    for (uint32_t at = 0; at < items; at++) {
        const char* pattern = limberi_json_as_text(limberi_json_get(limberi_json_at(pulls, at), "joint"));
        uint32_t matching = count_matching(b, pattern);
        if (!matching)
            return limberi_bind_at_item(b, limberi_fail_joint(b, pattern), entry, at, "joint");
        room += matching;
        if (room > CONSTRAINT_LIMIT)
            return limberi_bind_at(
                b, limberi_fail(b->error, LIMBER_ERROR_LIMIT, "too many joints are pulled (max %d)", CONSTRAINT_LIMIT),
                entry);
    }
    limber_constraint* list = LIMBERI_ALLOCATE(b->arena, limber_constraint, room);
    limber_expression** more = LIMBERI_ALLOCATE(b->arena, limber_expression*, (size_t)b->count + 2 + items);
    if (!list || !more)
        return limberi_fail_memory(b->error);
    for (uint32_t i = 0; i < b->expression_count; i++)
        more[i] = b->expressions[i];
    b->expressions = more;
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < items; i++)
        result = add_constraint(b, entry, limberi_json_at(pulls, i), list, &settings->constraint_count);
    settings->constraints = list;
    return result;
}

limber_result limberi_bind_constraints(limberi_binder* b, const limberi_entry* entry, const limberi_json* root,
                                       void* out) {
    limber_exaggerate_settings* settings = out;
    settings->automatic = limberi_json_is(root, LIMBERI_JSON_STRING);
    return settings->automatic ? LIMBER_OK : bind_list(b, entry, root, settings);
}
