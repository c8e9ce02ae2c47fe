// The presets: presets/*.json, put into the program when it is built.
#include "style/preset.h"

#include <string.h>

uint32_t limber_preset_count(void) {
    return limberi_preset_count;
}

const limber_preset* limber_preset_at(uint32_t index) {
    return index < limberi_preset_count ? &limberi_presets[index] : NULL;
}

const limber_preset* limber_preset_find(const char* name) {
    for (uint32_t i = 0; i < limberi_preset_count; i++)
        if (strcmp(limberi_presets[i].name, name) == 0)
            return &limberi_presets[i];
    return NULL;
}
