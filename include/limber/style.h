// limber/style.h: what a character's motion should look like: which effects, and how strong.
//
// A style starts empty (plain skinning). Presets, style files and single keys go on top of each other:
//
//     limber_error error;
//     limber_style* style;
//     const char* text = "{\"effects\": {\"squash\": {\"linear\": 0.2}}}"; // a style file, see docs/style.md
//     if (limber_style_create(&style, &error) != LIMBER_OK ||
//         limber_style_read_preset(style, "cartoon", &error) != LIMBER_OK ||
//         limber_style_read(style, text, strlen(text), &error) != LIMBER_OK ||
//         limber_style_set(style, "effects.floppy.angular", "0.5", &error) != LIMBER_OK) {
//         fprintf(stderr, "%s: %s\n%s", error.place, error.message, error.detail);
//         return 1;
//     }
//     limber_style_destroy(style);
//
// limber_pipeline_create (limber/pipeline.h) checks the joint and layer names of a style against a character.
// limber/stages/keys.h lists every key. A limber_style_ function that fails leaves the style as it was.
#ifndef LIMBER_STYLE_H
#define LIMBER_STYLE_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// Keys with their values.
typedef struct limber_style limber_style;

// An empty style. Destroying NULL is fine.
LIMBER_API LIMBER_MUST_USE limber_result limber_style_create(limber_style** style, limber_error* error);
LIMBER_API void limber_style_destroy(limber_style* style);

// A preset by its name. The error for an unknown name suggests the nearest one.
LIMBER_API LIMBER_MUST_USE limber_result limber_style_read_preset(limber_style* style, const char* name,
                                                                  limber_error* error);
// JSON; comments and trailing commas are allowed. error->place is "line 4, column 12 (effects.floppy.angular)".
LIMBER_API LIMBER_MUST_USE limber_result limber_style_read(limber_style* style, const char* text, size_t length,
                                                           limber_error* error);
// One key, as `--set path=value` gives it: the value is JSON, a word or a formula.
LIMBER_API LIMBER_MUST_USE limber_result limber_style_set(limber_style* style, const char* path, const char* value,
                                                          limber_error* error);
// The style as compact JSON, valid until the style changes. NULL when memory is short.
LIMBER_API const char* limber_style_text(limber_style* style);

// The presets that ship with limber.
typedef struct limber_preset {
    const char *name, *summary; // "cartoon"; what it does, in one line
    const char* text;           // JSON
} limber_preset;

// All presets in order, or one by its name.
LIMBER_API uint32_t limber_preset_count(void);
LIMBER_API const limber_preset* limber_preset_at(uint32_t index);
LIMBER_API const limber_preset* limber_preset_find(const char* name); // NULL: there is none

#ifdef __cplusplus
}
#endif

#endif
