// The keys "wind" and "gravity".
#include "base/error.h"
#include "base/math.h"
#include "style/bind.h"

#include <string.h>

static limber_result bind_wind(limberi_binder* b, const limberi_entry* entry, const limberi_json* list) {
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < 3; i++) {
        const limberi_json* item = limberi_json_at(list, i);
        limber_number* out = &b->bound->settings.air.wind[i];
        out->value = (float)limberi_json_as_number(item);
        if (limberi_json_is(item, LIMBERI_JSON_STRING))
            result = limberi_bind_text(b, entry, item->text, out);
    }
    return result;
}

// A number pulls down.
static limber_vec3 gravity_of(const limberi_json* node) {
    if (limberi_json_is_number(node))
        return limberi_vec3(0, 0 - (float)limberi_json_as_number(node), 0); // not -0
    return limberi_vec3((float)limberi_json_as_number(limberi_json_at(node, 0)),
                        (float)limberi_json_as_number(limberi_json_at(node, 1)),
                        (float)limberi_json_as_number(limberi_json_at(node, 2)));
}

limber_result limberi_bind_air(limberi_binder* b, const limberi_entry* entry) {
    limberi_json_document json;
    limber_result result = limberi_json_read(entry->value.json, strlen(entry->value.json), NULL, &json, b->error);
    if (result)
        return result;
    if (limberi_row_at(entry->row)->store == LIMBERI_STORE_WIND)
        result = bind_wind(b, entry, json.root);
    else
        b->bound->settings.air.gravity = gravity_of(json.root);
    limberi_json_free(&json);
    return result;
}
