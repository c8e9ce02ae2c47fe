// Style keys of skeleton exaggeration.
#ifndef LIMBERI_EXAGGERATE_STYLE_KEYS_H
#define LIMBERI_EXAGGERATE_STYLE_KEYS_H

#include "keys/bind.h"
#include <limber/stages/exaggerate.h>

extern const limberi_keys limberi_exaggerate_keys; // of limber_exaggerate_settings

limber_result limberi_constraints_check(const limberi_row* row, const limberi_json_document* json,
                                        const limberi_json* node, const limberi_json** fault, limber_error* error);
limber_result limberi_bind_constraints(limberi_binder* binder, const limberi_entry* entry, const limberi_json* root,
                                       void* settings);
limber_result limberi_bind_filtered_joints(limberi_binder* binder, const limberi_entry* entry, void* settings);
limber_result limberi_bind_exaggerate_change(limberi_binder* binder, const limberi_entry* entry, void* settings);

#endif
