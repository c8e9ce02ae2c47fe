// The key "contacts": corrections by artists, for joints and clips that the character must have.
#include "base/error.h"
#include "style/bind.h"
#include "text/text.h"

#include <math.h>
#include <string.h>

// --- names ---

static limber_result at_item(limberi_binder* b, limber_result result, const limberi_entry* entry, uint32_t at,
                             const char* key) {
    char place[32];
    limberi_format(place, sizeof place, "contacts[%u]", at);
    limberi_address address = {2, {place, key}};
    return limberi_style_at(b->error, result, entry->place, &address);
}

// Presets work on any character; in a style file a name that finds nothing is a slip.
static limber_result mark_joints(limberi_binder* b, const limberi_entry* entry, uint32_t at, const char* pattern,
                                 const uint8_t** out) {
    uint32_t found = 0;
    uint8_t* marks = LIMBERI_ALLOCATE(&b->bound->arena, uint8_t, b->model->rig.joint_count);
    if (!marks)
        return limberi_fail_memory(b->error);
    for (uint32_t j = 0; j < b->model->rig.joint_count; j++) {
        marks[j] = limberi_joint_matches(&b->model->rig, j, pattern);
        found += marks[j];
    }
    *out = marks;
    if (found || entry->preset)
        return LIMBER_OK;
    return at_item(b, limberi_fail_joint(b, pattern), entry, at, "joint");
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
    const limberi_json *from = limberi_json_get(node, "from"), *to = limberi_json_get(node, "to");
    const limberi_json *amount = limberi_json_get(node, "amount"), *shift = limberi_json_get(node, "shift");
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
                               limber_contact_edit* list) {
    limber_contact_settings* settings = &b->bound->settings.contacts;
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
    return at_item(b, fail_clip(b, limberi_json_as_text(clip)), entry, at, "clip");
}

limber_result limberi_bind_contacts(limberi_binder* b, const limberi_entry* entry) {
    limberi_json_document json;
    limber_contact_settings* settings = &b->bound->settings.contacts;
    limber_result result = limberi_json_read(entry->value.json, strlen(entry->value.json), NULL, &json, b->error);
    if (result)
        return result;
    size_t max = (size_t)limberi_json_count(json.root) * (b->model->clip_count + 1);
    limber_contact_edit* list = LIMBERI_ALLOCATE(&b->bound->arena, limber_contact_edit, max);
    settings->edits = list;
    settings->edit_count = 0;
    if (!list)
        result = limberi_fail_memory(b->error);
    for (uint32_t i = 0; !result && i < limberi_json_count(json.root); i++)
        result = bind_edit(b, entry, i, limberi_json_at(json.root, i), list);
    limberi_json_free(&json);
    return result;
}
