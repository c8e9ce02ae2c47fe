// Style keys of contacts and impacts.
#ifndef LIMBERI_CONTACT_STYLE_KEYS_H
#define LIMBERI_CONTACT_STYLE_KEYS_H

#include "keys/bind.h"
#include <limber/stages/contacts.h>
#include <limber/stages/impact.h>

extern const limberi_keys limberi_contact_keys, limberi_contact_joint_keys; // of limber_contact_settings
extern const limberi_keys limberi_impact_keys;                              // of limber_impact_settings

limber_result limberi_contacts_check(const limberi_row* row, const limberi_json_document* json,
                                     const limberi_json* node, const limberi_json** fault, limber_error* error);
limber_result limberi_bind_contacts(limberi_binder* binder, const limberi_entry* entry, const limberi_json* root,
                                    void* settings);
limber_result limberi_bind_floor(limberi_binder* binder, const limberi_entry* entry, void* settings);
// What the keys of joints say, once all are known.
limber_result limberi_bind_contact_joints(limberi_binder* binder, limber_contact_settings* settings);

#endif
