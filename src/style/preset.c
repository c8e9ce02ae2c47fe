// The presets: presets/*.json and presets/papers/*.json, put into the program when it is built.
#include "style/style_private.h"

#include "base/error.h"
#include "text/text.h"

#include <string.h>

uint32_t limber_preset_count(void) {
    return limberi_preset_count;
}

const limber_preset* limber_preset_at(uint32_t index) {
    return index < limberi_preset_count ? &limberi_presets[index] : NULL;
}

// Those of single papers are found with and without the folder they lie in.
const limber_preset* limber_preset_find(const char* name) {
    static const char papers[] = "papers/";
    if (strncmp(name, papers, sizeof papers - 1) == 0)
        name += sizeof papers - 1;
    for (uint32_t i = 0; i < limberi_preset_count; i++)
        if (strcmp(limberi_presets[i].name, name) == 0)
            return &limberi_presets[i];
    return NULL;
}

static const char* name_at(const void* user, size_t i) {
    (void)user;
    return limberi_presets[i].name;
}

limber_result limber_style_read_preset(limber_style* style, const char* name, limber_error* error) {
    const limber_preset* preset = limber_preset_find(name);
    if (preset) {
        limber_result result = limber_style_read(style, preset->text, strlen(preset->text), error);
        for (uint32_t i = 0; !result && i < style->count; i++)
            style->entries[i].preset = true;
        return result;
    }
    const char* nearest = limberi_suggest(name, name_at, NULL, limberi_preset_count);
    if (nearest)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there is no preset '%s'; did you mean '%s'?", name, nearest);
    return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there is no preset '%s'", name);
}
