// The style keys of contacts and impacts.
#include "contact/style_keys.h"

#include <stddef.h>

static const char* const contacts_schema[] = {
    "type", "\"array\"", "items",
    LIMBERI_TEXT("{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"joint\": "
                 "{\"description\": \"whose contacts; with a * all that match\", \"type\": \"string\", \"minLength\": "
                 "1}, \"clip\": {\"description\": \"in which clip (default: all); with a * all that match\", "
                 "\"type\": \"string\", \"minLength\": 1}, \"from\": {\"description\": \"start (s; default: of the "
                 "clip)\", \"type\": \"number\", \"minimum\": 0, \"maximum\": 1000000}, \"to\": {\"description\": "
                 "\"end (s; default: of the clip)\", \"type\": \"number\", \"minimum\": 0, \"maximum\": 1000000}, "
                 "\"amount\": {\"description\": \"1 adds a contact, 0 removes it (default 1)\", \"type\": \"number\", "
                 "\"minimum\": 0, \"maximum\": 1}, \"shift\": {\"description\": \"instead of amount: how much later "
                 "the contacts in the range happen (s)\", \"type\": \"number\", \"minimum\": -1000000, \"maximum\": "
                 "1000000}}, \"required\": [\"joint\"]}"),
    NULL};

static const limberi_reader floor_reader = {.bind = limberi_bind_floor};
static const limberi_reader contacts_reader = {
    .check = limberi_contacts_check, .bind_json = limberi_bind_contacts, .schema = LIMBERI_TEXTS(contacts_schema)};

static const limberi_row contact_rows[] = {
    LIMBERI_ROW("contact", CONSTANT, "", 0, 1, false, "0", NULL,
                "how firmly what stands on the ground stays there, and how firmly the floor holds", FLOAT, 0, 0,
                offsetof(limber_contact_settings, strength), NULL),
    LIMBERI_ROW("floor", CONSTANT, "model units", -1e9, 1e9, false, "\"auto\"", "auto none",
                "height of the floor; \"auto\": where the clips stand, on several levels if need be", OWN, 0, 0, 0,
                LIMBERI_HAS_CONTACTS ? &floor_reader : NULL),
    LIMBERI_ROW(
        "contacts", OTHER, "", 0, 0, false, "[]", NULL,
        "corrections of contacts: a list of {\"joint\", \"clip\", \"from\", \"to\" and \"amount\" or \"shift\"}; see "
        "docs/ground.md",
        OWN, 0, 0, 0, LIMBERI_HAS_CONTACTS ? &contacts_reader : NULL),
};
static const limberi_row impact_rows[] = {
    LIMBERI_ROW("impact.gain", CONSTANT, "", 0, 10, false, "0", NULL,
                "how much a landing squashes the whole body, which then swings back", DOUBLE, 0, 0,
                offsetof(limber_impact_settings, gain), NULL),
    LIMBERI_ROW("impact.min_speed", CONSTANT, "L/s", 0, 1000, false, "0.9", NULL, "slower falls have no impact", DOUBLE,
                0, 0, offsetof(limber_impact_settings, min_speed), NULL),
};
static const limberi_row joint_rows[] = {
    LIMBERI_ROW("joints.*.contact", CONSTANT, "", 0, 1, false, "1", NULL,
                "how much of \"contact\" these joints get; 0: not even the floor holds them", LATER, 0, 0, 0, NULL),
};

const limberi_keys limberi_contact_keys = LIMBERI_KEYS(contact_rows);
const limberi_keys limberi_impact_keys = LIMBERI_KEYS(impact_rows);
const limberi_keys limberi_contact_joint_keys = LIMBERI_KEYS(joint_rows);
