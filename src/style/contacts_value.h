// Inside src/style: the value of "contacts", a list of corrections.
#ifndef LIMBERI_STYLE_CONTACTS_VALUE_H
#define LIMBERI_STYLE_CONTACTS_VALUE_H

#include "style/value.h"

enum { LIMBERI_CONTACT_LIMIT = 1024, LIMBERI_CONTACT_KEYS = 6 };

typedef struct limberi_contact_key {
    const char *name, *help;
    bool text; // a name; else a number
    double min, max;
} limberi_contact_key;

extern const limberi_contact_key limberi_contact_keys[LIMBERI_CONTACT_KEYS];

// On failure the message is set and *fault is the value it is about.
LIMBER_MUST_USE limber_result limberi_contacts_check(const limberi_json_document* json, const limberi_json* node,
                                                     const limberi_json** fault, limber_error* error);

#endif
