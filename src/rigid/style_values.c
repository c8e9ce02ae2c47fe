// The value of "rigid": "auto", "off", or which parts, by names that the character must have.
#include "base/error.h"
#include "rigid/rigid_parts.h"
#include "rigid/style_keys.h"
#include "text/text.h"

#include <stddef.h>
#include <string.h>

static const char expected[] = "\"auto\", \"off\" or an object of \"only\", \"except\", \"mass\", \"prop\" and "
                               "\"appendage\", each a list of names";

// Where the lists of a selection go.
typedef struct name_list {
    const char* key;
    size_t names, count; // offsets in limber_rigid_settings
} name_list;

#define LIST(key)                                                                                                      \
    { #key, offsetof(limber_rigid_settings, key), offsetof(limber_rigid_settings, key##_count) }

static const name_list lists[] = {LIST(only), LIST(except), LIST(mass), LIST(prop), LIST(appendage)};

enum { LISTS = sizeof lists / sizeof *lists };

static const name_list* find_list(const char* key) {
    for (int i = 0; i < LISTS; i++)
        if (strcmp(key, lists[i].key) == 0)
            return &lists[i];
    return NULL;
}

static limber_result check_names(const limberi_json_document* json, const limberi_json* list,
                                 const limberi_json** fault, limber_error* error) {
    if (list->type != LIMBERI_JSON_ARRAY || !list->count)
        return limberi_fail_found(json, list, fault, "a list of names in quotes", error);
    for (uint32_t i = 0; i < list->count; i++) {
        const limberi_json* name = limberi_json_at(list, i);
        if (name->type != LIMBERI_JSON_STRING || !name->text[0] || strlen(name->text) >= LIMBERI_PATTERN_BYTES)
            return limberi_fail_found(json, name, fault, "a name in quotes", error);
    }
    return LIMBER_OK;
}

limber_result limberi_rigid_check(const limberi_row* row, const limberi_json_document* json, const limberi_json* node,
                                  const limberi_json** fault, limber_error* error) {
    (void)row;
    *fault = node;
    if (node->type == LIMBERI_JSON_STRING && limberi_word_find(LIMBERI_RIGID_WORDS, node->text) >= 0)
        return LIMBER_OK;
    if (node->type != LIMBERI_JSON_OBJECT)
        return limberi_fail_found(json, node, fault, expected, error);
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < node->count; i++) {
        const char* key = limberi_json_key_at(node, i);
        char name[64];
        *fault = limberi_json_at(node, i);
        limberi_json_tidy(key, name, sizeof name);
        if (find_list(key))
            result = check_names(json, *fault, fault, error);
        else
            result = limberi_fail(error, LIMBER_ERROR_DATA,
                                  "unknown key '%s' of rigid (known: only, except, mass, prop, appendage)", name);
    }
    return result;
}

// --- for one character ---

static const char* name_at(const void* user, size_t index) {
    return ((const limber_rigid_parts*)user)->names[index];
}

static bool is_known(const limber_rigid_parts* parts, const char* pattern) {
    for (uint32_t i = 0; i < parts->name_count; i++)
        if (limberi_name_matches(parts->names[i], pattern))
            return true;
    return false;
}

static limber_result fail_part(limberi_binder* b, const limberi_entry* entry, const limber_rigid_parts* parts,
                               const char* pattern) {
    char wanted[64], near[64], letters[LIMBERI_PATTERN_BYTES];
    limberi_pattern_letters(pattern, letters);
    const char* best = limberi_suggest(letters, name_at, parts, parts->name_count);
    limberi_json_tidy(pattern, wanted, sizeof wanted);
    limberi_json_tidy(best ? best : "", near, sizeof near);
    limber_result result;
    if (best)
        result =
            limberi_fail(b->error, LIMBER_ERROR_DATA, "no rigid part matches '%s'; did you mean '%s'?", wanted, near);
    else
        result = limberi_fail(b->error, LIMBER_ERROR_DATA, "no rigid part matches '%s'%s", wanted,
                              parts->count ? " (limber info lists them)" : " (this character has none)");
    return limberi_bind_at(b, result, entry);
}

// Presets work on any character; in a style file a pattern that finds nothing is a slip.
static limber_result bind_names(limberi_binder* b, const limberi_entry* entry, const limber_rigid_parts* parts,
                                const limberi_json* list, const char* const** out, uint32_t* count) {
    const char** names = LIMBERI_ALLOCATE(b->arena, const char*, limberi_json_count(list));
    if (!names)
        return limberi_fail_memory(b->error);
    for (uint32_t i = 0; i < limberi_json_count(list); i++) {
        const char* pattern = limberi_json_as_text(limberi_json_at(list, i));
        if (!entry->preset && !is_known(parts, pattern))
            return fail_part(b, entry, parts, pattern);
        names[i] = limberi_arena_string(b->arena, pattern);
    }
    *out = names;
    *count = limberi_json_count(list);
    return LIMBER_OK;
}

static limber_result bind_selection(limberi_binder* b, const limberi_entry* entry, const limberi_json* node,
                                    limber_rigid_settings* settings) {
    limber_rigid_parts* parts = NULL;
    limber_result result = limber_rigid_parts_find(b->asset, NULL, &parts, b->error);
    for (int i = 0; !result && i < LISTS; i++) {
        const char* const* names = NULL;
        uint32_t count = 0;
        result = bind_names(b, entry, parts, limberi_json_get(node, lists[i].key), &names, &count);
        memcpy((char*)settings + lists[i].names, &names, sizeof names);
        memcpy((char*)settings + lists[i].count, &count, sizeof count);
    }
    limber_rigid_parts_destroy(parts);
    return result;
}

limber_result limberi_bind_rigid(limberi_binder* b, const limberi_entry* entry, const limberi_json* root, void* out) {
    limber_rigid_settings* settings = out;
    int32_t word = root->type == LIMBERI_JSON_STRING ? limberi_word_find(LIMBERI_RIGID_WORDS, root->text) : -1;
    settings->mode = word < 0 ? LIMBER_RIGID_AUTO : (limber_rigid_mode)word;
    return word < 0 ? bind_selection(b, entry, root, settings) : LIMBER_OK;
}
