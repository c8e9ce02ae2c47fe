// A small character with names, and short ways to read and bind styles in tests.
#ifndef LIMBER_TEST_STYLE_KIT_H
#define LIMBER_TEST_STYLE_KIT_H

#include <limber/asset.h>
#include <limber/stages/keys.h>
#include <limber/stages/settings.h>

enum { KIT_ROOT, KIT_HIP, KIT_HEAD, KIT_ARM, KIT_LEG_LEFT, KIT_LEG_RIGHT, KIT_SKIRT, KIT_JOINTS };

// Joints Root, Hip, Head, Arm.L, LegL, LegR, Skirt in a chain, and one mesh with the layers "floppy" and "ears".
limber_asset* style_kit_asset(void);

// A style made of one text. Fails the test when it is refused.
limber_style* style_kit_read(const char* text);
// Fails the test unless the text is refused; the message and the place of the error contain these.
void style_kit_refuse(const char* text, const char* message, const char* place);
limber_bound_style* style_kit_bind(const limber_style* style, const limber_asset* asset);
void style_kit_set(limber_style* style, const char* path, const char* value);

// A number of an effect by its name. Fails the test when there is none.
limber_number style_kit_number(const limber_stage_settings* settings, limber_effect effect, const char* name);

// Field by field; says the first difference, "" when there is none.
const char* style_kit_difference(const limber_stage_settings* a, const limber_stage_settings* b);

#endif
