// The style key of colliders.
#ifndef LIMBERI_COLLIDE_STYLE_KEYS_H
#define LIMBERI_COLLIDE_STYLE_KEYS_H

#include "keys/bind.h"
#include <limber/stages/colliders.h>

#define LIMBERI_COLLIDER_WORDS "none auto"

extern const limberi_keys limberi_collider_keys; // of limber_collider_settings

limber_result limberi_colliders_check(const limberi_row* row, const limberi_json_document* json,
                                      const limberi_json* node, const limberi_json** fault, limber_error* error);
limber_result limberi_bind_colliders(limberi_binder* binder, const limberi_entry* entry, const limberi_json* root,
                                     void* settings);

#endif
