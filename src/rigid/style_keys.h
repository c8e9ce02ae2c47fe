// The style key of rigid parts.
#ifndef LIMBERI_RIGID_STYLE_KEYS_H
#define LIMBERI_RIGID_STYLE_KEYS_H

#include "keys/bind.h"
#include <limber/stages/rigid.h>

#define LIMBERI_RIGID_WORDS "off auto" // as in limber_rigid_mode

extern const limberi_keys limberi_rigid_keys; // of limber_rigid_settings

limber_result limberi_rigid_check(const limberi_row* row, const limberi_json_document* json, const limberi_json* node,
                                  const limberi_json** fault, limber_error* error);
limber_result limberi_bind_rigid(limberi_binder* binder, const limberi_entry* entry, const limberi_json* root,
                                 void* settings);

#endif
