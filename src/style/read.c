// From JSON to entries: every key is looked up in the table, every value checked against its row.
#include "style/style_private.h"

#include "base/error.h"
#include "text/text.h"

#include <string.h>

typedef struct reader {
    limber_style* style;
    limberi_json_document* json;
    bool places;
    limber_error* error;
} reader;

enum { CANDIDATES = 32 };

static limberi_json_place place_at(const reader* r, uint32_t place) {
    static const limberi_json_place nowhere = {0, 0};
    return r->places ? limberi_json_place_at(r->json, place) : nowhere;
}

static limber_result at_place(const reader* r, limber_result result, uint32_t place, const limberi_address* address) {
    return limberi_style_at(r->error, result, place_at(r, place), address);
}

// --- unknown keys ---

typedef struct candidates {
    char names[CANDIDATES][LIMBERI_WORD_BYTES];
    uint32_t count;
} candidates;

static const char* candidate_at(const void* user, size_t index) {
    return ((const candidates*)user)->names[index];
}

static void add_candidate(candidates* list, const char* name) {
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return;
    if (list->count < CANDIDATES)
        limberi_format(list->names[list->count++], LIMBERI_WORD_BYTES, "%s", name);
}

// The keys that could stand where the last key of the address does.
static void find_candidates(const limberi_address* address, candidates* list) {
    uint32_t level = address->count - 1;
    list->count = 0;
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const limberi_row* row = limberi_row_at(i);
        char name[LIMBERI_WORD_BYTES];
        limberi_row_key(row, level, name, sizeof name);
        bool star = level == 1 && strcmp(name, "*") == 0; // stands for names that other rows spell out
        if (limberi_row_depth(row) > level && !star && limberi_row_accepts(row, address, level))
            add_candidate(list, name);
    }
}

// "max_bend" in squash: right word, wrong effect.
static bool is_key_of_another_effect(const limberi_address* address) {
    if (address->count != 3 || strcmp(address->keys[0], "effects") != 0)
        return false;
    for (uint32_t i = 0; i < LIMBER_EFFECT_COUNT; i++) {
        limberi_address other = *address;
        other.keys[1] = limber_effect_name((limber_effect)i);
        if (limberi_row_find(&other) >= 0)
            return true;
    }
    return false;
}

static void list_candidates(const candidates* list, char* out, size_t size) {
    size_t length = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        limberi_format(out + length, size - length, i ? ", %s" : "%s", list->names[i]);
        length = strlen(out);
    }
}

static bool is_prefix(const limberi_address* address) {
    for (uint32_t i = 0; i < limber_key_count(); i++)
        if (limberi_row_depth(limberi_row_at(i)) > address->count &&
            limberi_row_accepts(limberi_row_at(i), address, address->count))
            return true;
    return false;
}

static limber_result say_unknown(const reader* r, const limberi_address* address) {
    candidates list;
    char name[64], all[256];
    const char* key = address->keys[address->count - 1];
    limberi_json_tidy(key, name, sizeof name);
    find_candidates(address, &list);
    list_candidates(&list, all, sizeof all);
    if (list.count == 0)
        return limberi_fail(r->error, LIMBER_ERROR_DATA, "'%s' is a value and has no keys",
                            address->keys[address->count - 2]);
    if (is_key_of_another_effect(address))
        return limberi_fail(r->error, LIMBER_ERROR_DATA, "%s does not use '%s' (it has: %s)", address->keys[1], name,
                            all);
    if (strcmp(name, "threshold") == 0 && address->count == 3 && limberi_effect_find(address->keys[1]) >= 0)
        return limberi_fail(r->error, LIMBER_ERROR_DATA,
                            "'threshold' is now 'turn': the seconds that drag takes to fade into followthrough around "
                            "a turning point (default 0.06)");
    if (strcmp(name, "plant") == 0 && address->count == 2 && strcmp(address->keys[0], "exaggerate") == 0)
        return limberi_fail(r->error, LIMBER_ERROR_DATA,
                            "'plant' is now \"contact\": 1 of the whole style, which finds what stands by itself");
    const char* what = address->count == 2 && strcmp(address->keys[0], "effects") == 0 ? "effect" : "key";
    const char* near = name[0] ? limberi_suggest(name, candidate_at, &list, list.count) : NULL;
    if (near)
        return limberi_fail(r->error, LIMBER_ERROR_DATA, "unknown %s '%s'; did you mean '%s'?", what, name, near);
    return limberi_fail(r->error, LIMBER_ERROR_DATA, "unknown %s '%s' (known: %s)", what, name, all);
}

// A path from the command line may go wrong before its last key.
static limber_result fail_unknown(const reader* r, limberi_address* address, uint32_t place) {
    uint32_t whole = address->count;
    for (address->count = 1; address->count < whole && (is_prefix(address) || limberi_row_find(address) >= 0);)
        address->count++;
    return at_place(r, say_unknown(r, address), place, address);
}

// --- values and objects ---

static limberi_quantity quantity_of(const char* name) {
    static const char words[] = "all velocity acceleration angular_velocity angular_acceleration";
    int32_t found = limberi_word_find(words, name);
    return found < 0 ? LIMBERI_QUANTITY_ALL : (limberi_quantity)found;
}

// An object for a filter says all about that filter: what was there before goes.
static void start_object(const reader* r, const limberi_address* address) {
    if (address->count < 3 || strcmp(address->keys[0], "effects") != 0 || strcmp(address->keys[2], "filter") != 0)
        return;
    limberi_quantity quantity = address->count == 4 ? quantity_of(address->keys[3]) : LIMBERI_QUANTITY_ALL;
    limberi_style_drop_filter(r->style, limberi_effect_find(address->keys[1]), quantity);
}

static limber_result enter_object(const reader* r, const limberi_address* address, const limberi_json* node) {
    if (node->type != LIMBERI_JSON_OBJECT) {
        char found[80];
        limberi_json_describe(r->json, node, found, sizeof found);
        (void)limberi_fail(r->error, LIMBER_ERROR_DATA, "expected an object: { ... }, found %s", found);
        return at_place(r, LIMBER_ERROR_DATA, node->place, address);
    }
    start_object(r, address);
    return LIMBER_OK;
}

// `above` is where the name of a joint or mesh stands, else the key of the object around the value.
static limber_result read_entry(const reader* r, const limberi_address* address, uint32_t row, const limberi_json* node,
                                limberi_json_place above) {
    static const limberi_json_place nowhere = {0, 0};
    limberi_entry entry = {0};
    limberi_json_place place = place_at(r, node->place);
    const limberi_row* known = limberi_row_at(row);
    const limberi_json* fault;
    limber_result result = limberi_value_read(&r->style->arena, known, r->json, node, &entry.value, &fault, r->error);
    if (!result && known->reader && known->reader->check)
        result = known->reader->check(known, r->json, node, &fault, r->error);
    if (result)
        return at_place(r, result, fault->place, address);
    bool named = address->count > 1 && limberi_has_names(address->keys[0]);
    if (named && strlen(address->keys[1]) >= LIMBERI_PATTERN_BYTES) {
        result = limberi_fail(r->error, LIMBER_ERROR_LIMIT, "the %s name is too long (max %d bytes)",
                              address->keys[0][0] == 'j' ? "joint" : "mesh", LIMBERI_PATTERN_BYTES - 1);
        return limberi_style_at(r->error, result, above, address);
    }
    entry.row = known;
    entry.index = row;
    bool of_effect = address->count > 1 && !named && strcmp(address->keys[0], "effects") == 0;
    entry.effect = of_effect ? limberi_effect_find(address->keys[1]) : -1;
    entry.effect_name = entry.effect >= 0 ? limber_effect_name((limber_effect)entry.effect) : NULL;
    entry.pattern = named ? address->keys[1] : NULL;
    entry.place = place;
    entry.pattern_place = named ? above : nowhere;
    result = limberi_style_put(r->style, &entry, r->error);
    return result ? limberi_style_at(r->error, result, place, address) : LIMBER_OK;
}

// The value at an address, and all that is in it: only an object where further keys are known is gone into, so that
// this goes no deeper than an address. Places are asked for in the order of the text.
static limber_result apply(const reader* r, const limberi_address* at_address, const limberi_json* node,
                           limberi_json_place above) {
    limberi_address address = *at_address;
    int32_t row = limberi_row_find(&address);
    if (row >= 0)
        return read_entry(r, &address, (uint32_t)row, node, above);
    if (address.count == LIMBERI_ADDRESS_DEPTH || !is_prefix(&address))
        return fail_unknown(r, &address, node->key_place);
    static const limberi_json_place nowhere = {0, 0};
    limberi_json_place here = node == r->json->root ? nowhere : place_at(r, node->key_place);
    limber_result result = enter_object(r, &address, node);
    address.count++;
    for (uint32_t i = 0; !result && i < limberi_json_count(node); i++) {
        address.keys[address.count - 1] = limberi_json_key_at(node, i);
        result = apply(r, &address, limberi_json_at(node, i), address.count > 3 ? above : here);
    }
    return result;
}

limber_result limberi_style_change(limber_style* style, limberi_json_document* json, const limberi_address* base,
                                   bool places, limber_error* error) {
    static const limberi_json_place nowhere = {0, 0};
    limber_style copy;
    limber_result result = limberi_style_copy(style, json->value_count, &copy, error);
    if (result)
        return result;
    const reader r = {&copy, json, places, error};
    result = apply(&r, base, json->root, nowhere);
    if (result)
        limberi_style_clear(&copy);
    else
        limberi_style_replace(style, &copy);
    return result;
}

limber_result limber_style_read(limber_style* style, const char* text, size_t length, limber_error* error) {
    static const limberi_address root = {0, {NULL}};
    limberi_json_rules rules = limberi_json_rules_hand_written();
    rules.value_count = LIMBERI_ENTRY_LIMIT;
    limberi_json_document json;
    limber_result result = limberi_json_read(text, length, &rules, &json, error);
    if (result)
        return result;
    result = limberi_style_change(style, &json, &root, true, error);
    limberi_json_free(&json);
    return result;
}
