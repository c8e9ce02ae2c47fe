// Styles, and presets.
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

uint32_t WEB_EXPORT(preset_count)(void) {
    return limber_preset_count();
}

const char* WEB_EXPORT(preset_text)(uint32_t i, uint32_t which) {
    const limber_preset* preset = limber_preset_at(i);
    if (which == 0)
        return preset->name;
    return which == 1 ? preset->summary : preset->text;
}
