// Values of the keys of contacts: corrections by artists, for joints and clips that the character must have, and how much
// each joint keeps to its contacts.
#include "base/error.h"
#include "contact/style_keys.h"
#include "keys/items.h"

#include <math.h>
#include <string.h>

static const limberi_item_key contact_keys[] = {
    {"joint", true, true, 0, 0},  {"clip", true, false, 0, 0},    {"from", false, false, 0, 1e6},
    {"to", false, false, 0, 1e6}, {"amount", false, false, 0, 1}, {"shift", false, false, -1e6, 1e6},
};

static limber_result check_contact(const limberi_json* node, const limberi_json** fault, limber_error* error) {
    const limberi_json* to = limberi_json_get(node, "to");
    if (limberi_json_get(node, "amount") && limberi_json_get(node, "shift"))
        return limberi_fail(error, LIMBER_ERROR_DATA, "a contact has either \"amount\" or \"shift\", not both");
    if (to && limberi_json_as_number(to) < limberi_item_number(node, "from", 0)) {
        *fault = to;
        return limberi_fail(error, LIMBER_ERROR_DATA, "a contact must not end before it starts");
    }
    return LIMBER_OK;
}

static const limberi_items contact_items = {"contact", "{\"joint\": ..., \"from\": ..., \"to\": ...}", contact_keys,
                                            sizeof contact_keys / sizeof *contact_keys, check_contact};

limber_result limberi_contacts_check(const limberi_row* row, const limberi_json_document* json,
                                     const limberi_json* node, const limberi_json** fault, limber_error* error) {
    (void)row;
    return limberi_items_check(&contact_items, json, node, fault, error);
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

// --- one correction, once for each clip that it names ---

static limber_contact_edit read_edit(const limberi_json* node) {
    limber_contact_edit edit = {NULL, -1, 0, INFINITY, 1, 0};
    edit.from_s = limberi_item_number(node, "from", 0);
    edit.to_s = limberi_item_number(node, "to", INFINITY);
    edit.amount = (float)limberi_item_number(node, "amount", 1);
    edit.shift_s = limberi_item_number(node, "shift", 0);
    return edit;
}

typedef struct edit_list {
    limber_contact_edit* edits;
    limber_contact_edit next; // what is added, for one clip after the other
    uint32_t count;
} edit_list;

static void add_edit(void* user, int32_t clip) {
    edit_list* list = user;
    list->next.clip = clip;
    list->edits[list->count++] = list->next;
}

static limber_result bind_edit(limberi_binder* b, const limberi_entry* entry, uint32_t at, const limberi_json* node,
                               edit_list* list) {
    const char* pattern = limberi_json_as_text(limberi_json_get(node, "joint"));
    list->next = read_edit(node);
    limber_result result = mark_joints(b, entry, at, pattern, &list->next.joints);
    if (result || (limberi_json_get(node, "shift") && list->next.shift_s == 0)) // nothing to do
        return result;
    return limberi_bind_item_clips(b, entry, at, node, add_edit, list);
}

limber_result limberi_bind_contacts(limberi_binder* b, const limberi_entry* entry, const limberi_json* root,
                                    void* out) {
    limber_contact_settings* settings = out;
    size_t max = (size_t)limberi_json_count(root) * (b->model->clip_count + 1);
    edit_list list = {.edits = LIMBERI_ALLOCATE(b->arena, limber_contact_edit, max)};
    limber_result result = list.edits ? LIMBER_OK : limberi_fail_memory(b->error);
    for (uint32_t i = 0; !result && i < limberi_json_count(root); i++)
        result = bind_edit(b, entry, i, limberi_json_at(root, i), &list);
    settings->edits = list.edits;
    settings->edit_count = list.count;
    return result;
}

// --- joints ---

// Joints that no key names keep to them wholly.
limber_result limberi_bind_contact_joints(limberi_binder* b, limber_contact_settings* settings) {
    return limberi_bind_joint_gains(b, "joints.*.contact", &settings->of_joint);
}
