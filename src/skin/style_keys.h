// Style keys of skinning.
#ifndef LIMBERI_SKIN_STYLE_KEYS_H
#define LIMBERI_SKIN_STYLE_KEYS_H

#include "keys/bind.h"
#include <limber/stages/skin.h>

extern const limberi_keys limberi_skinning_keys; // of limber_skinning
extern const limberi_keys limberi_morph_keys;    // of limber_morph_settings

#endif
