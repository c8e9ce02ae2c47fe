// limber/style.h: the style file: how an artist says what a character's motion should be like.
//
// One table in the code describes every key; the parser, `--set`, the JSON Schema, the help and the documentation all
// come from it. A style is text until it is bound to a character, which checks its joint and layer names:
//
//     limber_style* style;
//     if (limber_style_create(&style, &error) != LIMBER_OK ||
//         limber_style_read(style, text, strlen(text), &error) != LIMBER_OK ||
//         limber_style_set(style, "effects.floppy.angular", "0.5", &error) != LIMBER_OK) ...
//     limber_bound_style* bound;
//     if (limber_style_bind(style, asset, &bound, &error) != LIMBER_OK) ...
//     const limber_stage_settings* settings = limber_bound_style_settings(bound);
#ifndef LIMBER_STYLE_H
#define LIMBER_STYLE_H

#include <limber/stages/deform.h>
#include <limber/stages/exaggerate.h>
#include <limber/stages/key.h>
#include <limber/stages/skin.h>
#include <limber/stages/smear.h>

#ifdef __cplusplus
extern "C" {
#endif

LIMBER_API uint32_t limber_key_count(void);
LIMBER_API const limber_key* limber_key_at(uint32_t index);

// Texts made from the table; they live as long as the program. NULL when memory is short.
LIMBER_API const char* limber_style_schema(void);   // JSON Schema
LIMBER_API const char* limber_style_help(void);     // for a terminal
LIMBER_API const char* limber_style_markdown(void); // for the documentation

// Presets that ship: name, one line about it, and the style's JSON text.
typedef struct limber_preset {
    const char *name, *summary, *text;
} limber_preset;

LIMBER_API uint32_t limber_preset_count(void);
LIMBER_API const limber_preset* limber_preset_at(uint32_t index);
LIMBER_API const limber_preset* limber_preset_find(const char* name); // NULL: none

typedef struct limber_style limber_style;

// An empty style: plain skinning.
LIMBER_API LIMBER_MUST_USE limber_result limber_style_create(limber_style** style, limber_error* error);
LIMBER_API void limber_style_destroy(limber_style* style);

// Reads JSON (comments and trailing commas allowed) on top of what the style holds. error->place is
// "line 4, column 12 (effects.floppy.angular)".
LIMBER_API LIMBER_MUST_USE limber_result limber_style_read(limber_style* style, const char* text, size_t length,
                                                           limber_error* error);
// One key, as `--set path=value` gives it: the value is JSON, or a bare word or expression.
LIMBER_API LIMBER_MUST_USE limber_result limber_style_set(limber_style* style, const char* path, const char* value,
                                                          limber_error* error);
// The style as compact JSON; lives until the style changes. NULL when memory is short.
LIMBER_API const char* limber_style_text(limber_style* style);

// What the stages take. Arrays belong to the bound style.
typedef struct limber_stage_settings {
    limber_skinning skinning;
    limber_motion_settings motion;
    limber_exaggerate_settings exaggerate;
    limber_deform_settings deform;
    limber_smear_settings smear;
    int baked; // 1: a file that carries this style already shows it
} limber_stage_settings;

typedef struct limber_bound_style limber_bound_style;

// Resolves joint names (with * wildcards), layers and cones for one character. Joint names that match nothing and
// paint.<layer> names that no mesh has are errors; a "layer" that no mesh has is a warning and counts as 1.
LIMBER_API LIMBER_MUST_USE limber_result limber_style_bind(const limber_style* style, const limber_asset* asset,
                                                           limber_bound_style** bound, limber_error* error);
LIMBER_API void limber_bound_style_destroy(limber_bound_style* bound);
LIMBER_API const limber_stage_settings* limber_bound_style_settings(const limber_bound_style* bound);
LIMBER_API uint32_t limber_bound_style_warning_count(const limber_bound_style* bound);
LIMBER_API const char* limber_bound_style_warning(const limber_bound_style* bound, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
