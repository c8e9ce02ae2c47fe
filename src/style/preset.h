// What src/style/embed_presets.cmake makes from presets/*.json.
#ifndef LIMBERI_STYLE_PRESET_H
#define LIMBERI_STYLE_PRESET_H

#include <limber/style.h>

extern const limber_preset limberi_presets[];
extern const uint32_t limberi_preset_count;

#endif
