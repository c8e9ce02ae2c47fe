// Styles, their table of keys, and presets.
#include "style/table.h"
#include "web/wasm/web.h"

limber_style* WEB_EXPORT(style_create)(void) {
    limber_style* style;
    return limber_style_create(&style, &limberi_web_error) == LIMBER_OK ? style : NULL;
}

void WEB_EXPORT(style_destroy)(limber_style* style) {
    limber_style_destroy(style);
}

int32_t WEB_EXPORT(style_read)(limber_style* style, const char* text, size_t length) {
    return (int32_t)limber_style_read(style, text, length, &limberi_web_error);
}

int32_t WEB_EXPORT(style_set)(limber_style* style, const char* path, const char* value) {
    return (int32_t)limber_style_set(style, path, value, &limberi_web_error);
}

const char* WEB_EXPORT(style_text)(limber_style* style) {
    return limber_style_text(style);
}

// The keys of a constraint come after all others.
static const limberi_row* row_at(uint32_t i) {
    uint32_t count = limber_key_count();
    return i < count ? limberi_row_at(i) : limberi_constraint_row_at(i - count);
}

uint32_t WEB_EXPORT(key_count)(void) {
    return limber_key_count() + limberi_constraint_row_count();
}

// 0: there is none.
const char* WEB_EXPORT(key_text)(uint32_t i, uint32_t which) {
    const limber_key* key = &row_at(i)->key;
    const char* const texts[] = {key->path, key->unit, key->default_text, key->choices, key->help};
    return which < 5 ? texts[which] : 0;
}

// Type, range, whether it leaves out its lower end, and for which effects the key is (a bit for each).
double WEB_EXPORT(key_number)(uint32_t i, uint32_t which) {
    const limberi_row* row = row_at(i);
    const double numbers[] = {row->key.type, row->key.min, row->key.max, row->key.min_is_excluded,
                              limberi_row_effects(row)};
    return which < 5 ? numbers[which] : 0;
}

uint32_t WEB_EXPORT(preset_count)(void) {
    return limber_preset_count();
}

const char* WEB_EXPORT(preset_text)(uint32_t i, uint32_t which) {
    const limber_preset* preset = limber_preset_at(i);
    return which == 0 ? preset->name : which == 1 ? preset->summary : preset->text;
}
