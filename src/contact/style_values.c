// Values of the keys of contacts: corrections by artists, for joints and clips that the character must have, and how much
// each joint keeps to its contacts.
#include "base/error.h"
#include "contact/style_keys.h"
#include "text/text.h"

#include <math.h>
#include <string.h>

enum { LIMIT = 1024, KEYS = 6 };

typedef struct contact_key {
    const char* name;
    bool text; // a name; else a number
    double min, max;
} contact_key;

static const contact_key contact_keys[KEYS] = {
    {"joint", true, 0, 0}, {"clip", true, 0, 0},    {"from", false, 0, 1e6},
    {"to", false, 0, 1e6}, {"amount", false, 0, 1}, {"shift", false, -1e6, 1e6},
};

static const char* key_at(const void* user, size_t index) {
    (void)user;
    return contact_keys[index].name;
}

static limber_result fail_key(const char* key, limber_error* error) {
    char name[64];
    limberi_json_tidy(key, name, sizeof name);
    const char* near = limberi_suggest(name, key_at, NULL, KEYS);
    if (near)
        return limberi_fail(error, LIMBER_ERROR_DATA, "unknown key '%s' of a contact; did you mean '%s'?", name, near);
    return limberi_fail(error, LIMBER_ERROR_DATA,
                        "unknown key '%s' of a contact (known: joint, clip, from, to, amount, shift)", name);
}

static limber_result check_member(const limberi_json_document* json, const char* key, const limberi_json* node,
                                  const limberi_json** fault, limber_error* error) {
    uint32_t at = 0;
    *fault = node;
    while (at < KEYS && strcmp(contact_keys[at].name, key) != 0)
        at++;
    if (at == KEYS)
        return fail_key(key, error);
    const contact_key* known = &contact_keys[at];
    if (known->text && (node->type != LIMBERI_JSON_STRING || !node->text[0]))
        return limberi_fail_found(json, node, fault, "a name in quotes", error);
    if (known->text && strlen(node->text) >= LIMBERI_PATTERN_BYTES)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "the name is too long (max %d bytes)",
                            LIMBERI_PATTERN_BYTES - 1);
    if (known->text)
        return LIMBER_OK;
    double number = limberi_json_as_number(node);
    if (!limberi_json_is_number(node))
        return limberi_fail_found(json, node, fault, "a number", error);
    if (!(number >= known->min && number <= known->max))
        return limberi_fail(error, LIMBER_ERROR_DATA, "%g is out of range (%g ... %g)", number, known->min, known->max);
    return LIMBER_OK;
}

static limber_result check_contact(const limberi_json_document* json, const limberi_json* node,
                                   const limberi_json** fault, limber_error* error) {
    if (node->type != LIMBERI_JSON_OBJECT)
        return limberi_fail_found(json, node, fault, "a contact: {\"joint\": ..., \"from\": ..., \"to\": ...}", error);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_member(json, limberi_json_key_at(node, i), limberi_json_at(node, i), fault, error);
    if (result)
        return result;
    const limberi_json* from = limberi_json_get(node, "from");
    const limberi_json* to = limberi_json_get(node, "to");
    *fault = node;
    if (!limberi_json_get(node, "joint"))
        return limberi_fail(error, LIMBER_ERROR_DATA, "a contact needs a \"joint\"");
    if (limberi_json_get(node, "amount") && limberi_json_get(node, "shift"))
        return limberi_fail(error, LIMBER_ERROR_DATA, "a contact has either \"amount\" or \"shift\", not both");
    if (to && limberi_json_as_number(to) < (from ? limberi_json_as_number(from) : 0)) {
        *fault = to;
        return limberi_fail(error, LIMBER_ERROR_DATA, "a contact must not end before it starts");
    }
    return LIMBER_OK;
}

limber_result limberi_contacts_check(const limberi_row* row, const limberi_json_document* json,
                                     const limberi_json* node, const limberi_json** fault, limber_error* error) {
    (void)row;
    *fault = node;
    if (node->type != LIMBERI_JSON_ARRAY)
        return limberi_fail_found(json, node, fault,
                                  "a list of contacts: [{\"joint\": ..., \"from\": ..., \"to\": ...}]", error);
    if (node->count > LIMIT)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many contacts (max %d)", LIMIT);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_contact(json, limberi_json_at(node, i), fault, error);
    return result;
}

limber_result limberi_bind_floor(limberi_binder* b, const limberi_entry* entry, void* settings) {
    limber_contact_settings* contacts = settings;
    (void)b;
    contacts->floor = LIMBER_FLOOR_GIVEN;
    if (entry->value.word)
        contacts->floor = entry->value.choice ? LIMBER_FLOOR_NONE : LIMBER_FLOOR_AUTO;
    contacts->height = entry->value.word ? 0 : (float)entry->value.numbers[0];
    return LIMBER_OK;
}

// --- corrections ---

// Presets work on any character; in a style file a name that finds nothing is a slip.
static limber_result mark_joints(limberi_binder* b, const limberi_entry* entry, uint32_t at, const char* pattern,
                                 const uint8_t** out) {
    uint32_t found = 0;
    uint8_t* marks = LIMBERI_ALLOCATE(b->arena, uint8_t, b->model->rig.joint_count);
    if (!marks)
        return limberi_fail_memory(b->error);
    for (uint32_t j = 0; j < b->model->rig.joint_count; j++) {
        marks[j] = limberi_joint_matches(&b->model->rig, j, pattern);
        found += marks[j];
    }
    *out = marks;
    if (found || entry->preset)
        return LIMBER_OK;
    return limberi_bind_at_item(b, limberi_fail_joint(b, pattern), entry, at, "joint");
}

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

// --- one correction, once for each clip that it names ---

static limber_contact_edit read_edit(const limberi_json* node) {
    const limberi_json* from = limberi_json_get(node, "from");
    const limberi_json* to = limberi_json_get(node, "to");
    const limberi_json* amount = limberi_json_get(node, "amount");
    const limberi_json* shift = limberi_json_get(node, "shift");
    limber_contact_edit edit = {NULL, -1, 0, INFINITY, 1, 0};
    edit.from_s = from ? limberi_json_as_number(from) : 0;
    edit.to_s = to ? limberi_json_as_number(to) : INFINITY;
    edit.amount = amount ? (float)limberi_json_as_number(amount) : 1;
    edit.shift_s = shift ? limberi_json_as_number(shift) : 0;
    return edit;
}

static bool does_nothing(const limberi_json* node, const limber_contact_edit* edit) {
    return limberi_json_get(node, "shift") && edit->shift_s == 0;
}

static limber_result bind_edit(limberi_binder* b, const limberi_entry* entry, uint32_t at, const limberi_json* node,
                               limber_contact_settings* settings, limber_contact_edit* list) {
    limber_contact_edit edit = read_edit(node);
    const limberi_json* clip = limberi_json_get(node, "clip");
    const char* pattern = limberi_json_as_text(limberi_json_get(node, "joint"));
    limber_result result = mark_joints(b, entry, at, pattern, &edit.joints);
    if (result || does_nothing(node, &edit))
        return result;
    if (!clip) {
        list[settings->edit_count++] = edit;
        return LIMBER_OK;
    }
    bool found = false;
    for (uint32_t c = 0; c < b->model->clip_count; c++) {
        if (!limberi_name_matches(b->model->clips[c].name, limberi_json_as_text(clip)))
            continue;
        found = true;
        edit.clip = (int32_t)c;
        list[settings->edit_count++] = edit;
    }
    if (found || entry->preset)
        return LIMBER_OK;
    return limberi_bind_at_item(b, fail_clip(b, limberi_json_as_text(clip)), entry, at, "clip");
}

limber_result limberi_bind_contacts(limberi_binder* b, const limberi_entry* entry, void* out) {
    limberi_json_document json;
    limber_contact_settings* settings = out;
    limber_result result = limberi_json_read(entry->value.json, strlen(entry->value.json), NULL, &json, b->error);
    if (result)
        return result;
    size_t max = (size_t)limberi_json_count(json.root) * (b->model->clip_count + 1);
    limber_contact_edit* list = LIMBERI_ALLOCATE(b->arena, limber_contact_edit, max);
    settings->edits = list;
    settings->edit_count = 0;
    if (!list)
        result = limberi_fail_memory(b->error);
    for (uint32_t i = 0; !result && i < limberi_json_count(json.root); i++)
        result = bind_edit(b, entry, i, limberi_json_at(json.root, i), settings, list);
    limberi_json_free(&json);
    return result;
}

// --- joints ---

// Joints that no key names keep to them wholly.
limber_result limberi_bind_contact_joints(limberi_binder* b, limber_contact_settings* settings) {
    return limberi_bind_joint_gains(b, "joints.*.contact", &settings->of_joint);
}
