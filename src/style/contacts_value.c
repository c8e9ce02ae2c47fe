// What the key "contacts" may hold.
#include "style/contacts_value.h"

#include "base/build.h"
#include "base/error.h"
#include "style/style_private.h"
#include "text/text.h"

#include <string.h>

const limberi_contact_key limberi_contact_keys[LIMBERI_CONTACT_KEYS] = {
    {"joint", "whose contacts; with a * all that match", true, 0, 0},
    {"clip", "in which clip (default: all); with a * all that match", true, 0, 0},
    {"from", "start (s; default: of the clip)", false, 0, 1e6},
    {"to", "end (s; default: of the clip)", false, 0, 1e6},
    {"amount", "1 adds a contact, 0 removes it (default 1)", false, 0, 1},
    {"shift", "instead of amount: how much later the contacts in the range happen (s)", false, -1e6, 1e6},
};

static limber_result fail_found(const limberi_json_document* json, const limberi_json* node, const limberi_json** fault,
                                const char* wanted, limber_error* error) {
    char found[80];
    *fault = node;
    limberi_json_describe(json, node, found, sizeof found);
    return limberi_fail(error, LIMBER_ERROR_DATA, "expected %s, found %s", wanted, found);
}

static const char* key_at(const void* user, size_t index) {
    (void)user;
    return limberi_contact_keys[index].name;
}

static limber_result fail_key(const char* key, limber_error* error) {
    char name[64];
    limberi_json_tidy(key, name, sizeof name);
    const char* near = limberi_suggest(name, key_at, NULL, LIMBERI_CONTACT_KEYS);
    if (near)
        return limberi_fail(error, LIMBER_ERROR_DATA, "unknown key '%s' of a contact; did you mean '%s'?", name, near);
    return limberi_fail(error, LIMBER_ERROR_DATA,
                        "unknown key '%s' of a contact (known: joint, clip, from, to, amount, shift)", name);
}

static limber_result check_member(const limberi_json_document* json, const char* key, const limberi_json* node,
                                  const limberi_json** fault, limber_error* error) {
    uint32_t at = 0;
    *fault = node;
    while (at < LIMBERI_CONTACT_KEYS && strcmp(limberi_contact_keys[at].name, key) != 0)
        at++;
    if (at == LIMBERI_CONTACT_KEYS)
        return fail_key(key, error);
    const limberi_contact_key* known = &limberi_contact_keys[at];
    if (known->text && (node->type != LIMBERI_JSON_STRING || !node->text[0]))
        return fail_found(json, node, fault, "a name in quotes", error);
    if (known->text && strlen(node->text) >= LIMBERI_PATTERN_BYTES)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "the name is too long (max %d bytes)",
                            LIMBERI_PATTERN_BYTES - 1);
    if (known->text)
        return LIMBER_OK;
    double number = limberi_json_as_number(node);
    if (!limberi_json_is_number(node))
        return fail_found(json, node, fault, "a number", error);
    if (!(number >= known->min && number <= known->max))
        return limberi_fail(error, LIMBER_ERROR_DATA, "%g is out of range (%g ... %g)", number, known->min, known->max);
    return LIMBER_OK;
}

static limber_result check_contact(const limberi_json_document* json, const limberi_json* node,
                                   const limberi_json** fault, limber_error* error) {
    if (node->type != LIMBERI_JSON_OBJECT)
        return fail_found(json, node, fault, "a contact: {\"joint\": ..., \"from\": ..., \"to\": ...}", error);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_member(json, limberi_json_key_at(node, i), limberi_json_at(node, i), fault, error);
    if (result)
        return result;
    const limberi_json *from = limberi_json_get(node, "from"), *to = limberi_json_get(node, "to");
    *fault = node;
    if (!limberi_json_get(node, "joint"))
        return limberi_fail(error, LIMBER_ERROR_DATA, "a contact needs a \"joint\"");
    if (limberi_json_get(node, "amount") && limberi_json_get(node, "shift"))
        return limberi_fail(error, LIMBER_ERROR_DATA, "a contact has either \"amount\" or \"shift\", not both");
    if (to && limberi_json_as_number(to) < (from ? limberi_json_as_number(from) : 0)) {
        *fault = to;
        return limberi_fail(error, LIMBER_ERROR_DATA, "a contact must not end before it starts");
    }
    return LIMBER_OK;
}

limber_result limberi_contacts_check(const limberi_json_document* json, const limberi_json* node,
                                     const limberi_json** fault, limber_error* error) {
    if (!LIMBERI_HAS_CONTACTS)
        return LIMBER_OK; // binding says so
    *fault = node;
    if (node->type != LIMBERI_JSON_ARRAY)
        return fail_found(json, node, fault, "a list of contacts: [{\"joint\": ..., \"from\": ..., \"to\": ...}]",
                          error);
    if (node->count > LIMBERI_CONTACT_LIMIT)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "too many contacts (max %d)", LIMBERI_CONTACT_LIMIT);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++)
        result = check_contact(json, limberi_json_at(node, i), fault, error);
    return result;
}
