// The key "rigid": "auto", "off", or which parts, by names that the character must have.
#include "base/error.h"
#include "rigid/parts.h"
#include "style/bind.h"
#include "style/rigid_value.h"
#include "text/text.h"

#include <string.h>

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
    size_t length = 0;
    for (const char* p = pattern; *p && length + 1 < sizeof letters; p++)
        if (*p != '*')
            letters[length++] = *p;
    letters[length] = 0;
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
    const char** names = LIMBERI_ALLOCATE(&b->bound->arena, const char*, limberi_json_count(list));
    if (!names)
        return limberi_fail_memory(b->error);
    for (uint32_t i = 0; i < limberi_json_count(list); i++) {
        const char* pattern = limberi_json_as_text(limberi_json_at(list, i));
        if (!entry->preset && !is_known(parts, pattern))
            return fail_part(b, entry, parts, pattern);
        names[i] = limberi_arena_string(&b->bound->arena, pattern);
    }
    *out = names;
    *count = limberi_json_count(list);
    return LIMBER_OK;
}

static limber_result bind_selection(limberi_binder* b, const limberi_entry* entry, const limberi_json* node) {
    limber_rigid_settings* settings = &b->bound->settings.rigid;
    limber_rigid_parts* parts = NULL;
    limber_result result = limber_rigid_parts_find(b->asset, NULL, &parts, b->error);
    if (!result)
        result = bind_names(b, entry, parts, limberi_json_get(node, "only"), &settings->only, &settings->only_count);
    if (!result)
        result =
            bind_names(b, entry, parts, limberi_json_get(node, "except"), &settings->except, &settings->except_count);
    limber_rigid_parts_destroy(parts);
    return result;
}

limber_result limberi_bind_rigid(limberi_binder* b, const limberi_entry* entry) {
    limberi_json_document json;
    limber_result result = limberi_json_read(entry->value.json, strlen(entry->value.json), NULL, &json, b->error);
    if (result)
        return result;
    int32_t word =
        json.root->type == LIMBERI_JSON_STRING ? limberi_word_find(LIMBERI_RIGID_WORDS, json.root->text) : -1;
    b->bound->settings.rigid.mode = word < 0 ? LIMBER_RIGID_AUTO : (limber_rigid_mode)word;
    if (word < 0)
        result = bind_selection(b, entry, json.root);
    limberi_json_free(&json);
    return result;
}
