// From JSON to entries: every key is looked up in the table, every value checked against its row.
#include "style/style_private.h"

#include "base/error.h"
#include "base/suggest.h"
#include "style/constraints.h"

#include <string.h>

typedef struct reader {
    limber_style* style;
    const limberi_json* json;
    const limberi_address* base;
    bool places;
    limber_error* error;
} reader;

enum { CANDIDATES = 32 };

limber_result limberi_style_at(limber_error* error, limber_result result, limberi_json_place place,
                               const limberi_address* address) {
    char path[96];
    limberi_address_format(address, path, sizeof path);
    if (place.line == 0)
        return limberi_at(error, result, "%s", path);
    if (!path[0])
        return limberi_at(error, result, "line %u, column %u", place.line, place.column);
    return limberi_at(error, result, "line %u, column %u (%s)", place.line, place.column, path);
}

static limber_result at(const reader* r, limber_result result, limberi_json_place place,
                        const limberi_address* address) {
    static const limberi_json_place nowhere = {0, 0};
    return limberi_style_at(r->error, result, r->places ? place : nowhere, address);
}

// The base and the keys from the root down to `node`. One key more than an address holds is cut off: such a node lies
// inside something that was refused.
static limberi_address address_of(const reader* r, uint32_t node) {
    limberi_address address = *r->base;
    uint32_t chain[LIMBERI_ADDRESS_DEPTH], count = 0;
    for (; r->json->nodes[node].parent != UINT32_MAX && count < LIMBERI_ADDRESS_DEPTH;
         node = r->json->nodes[node].parent)
        chain[count++] = node;
    while (count && address.count < LIMBERI_ADDRESS_DEPTH)
        address.keys[address.count++] = r->json->nodes[chain[--count]].key;
    return address;
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
    const char* what = address->count == 2 && strcmp(address->keys[0], "effects") == 0 ? "effect" : "key";
    const char* near = name[0] ? limberi_suggest(name, candidate_at, &list, list.count) : NULL;
    if (near)
        return limberi_fail(r->error, LIMBER_ERROR_DATA, "unknown %s '%s'; did you mean '%s'?", what, name, near);
    return limberi_fail(r->error, LIMBER_ERROR_DATA, "unknown %s '%s' (known: %s)", what, name, all);
}

// A path from the command line may go wrong before its last key.
static limber_result fail_unknown(const reader* r, limberi_address* address, limberi_json_place place) {
    uint32_t whole = address->count;
    for (address->count = 1; address->count < whole && (is_prefix(address) || limberi_row_find(address) >= 0);)
        address->count++;
    return at(r, say_unknown(r, address), place, address);
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

static limber_result enter_object(const reader* r, const limberi_address* address, uint32_t node) {
    const limberi_json_node* n = &r->json->nodes[node];
    if (n->type != LIMBERI_JSON_OBJECT) {
        char found[80];
        limberi_json_describe(n, found, sizeof found);
        (void)limberi_fail(r->error, LIMBER_ERROR_DATA, "expected an object: { ... }, found %s", found);
        return at(r, LIMBER_ERROR_DATA, n->place, address);
    }
    start_object(r, address);
    return LIMBER_OK;
}

// Where the pattern of a joint stands: the key of the node above, unless it came with the path.
static limberi_json_place pattern_place(const reader* r, uint32_t node) {
    static const limberi_json_place nowhere = {0, 0};
    uint32_t parent = r->json->nodes[node].parent;
    return r->places && parent != UINT32_MAX ? r->json->nodes[parent].key_place : nowhere;
}

static limber_result read_entry(const reader* r, const limberi_address* address, uint32_t row, uint32_t node) {
    static const limberi_json_place nowhere = {0, 0};
    limberi_entry entry;
    memset(&entry, 0, sizeof entry);
    uint32_t fault;
    limber_result result =
        limberi_value_read(&r->style->arena, limberi_row_at(row), r->json, node, &entry.value, &fault, r->error);
    if (!result && limberi_row_at(row)->key.type == LIMBER_KEY_OTHER)
        result = limberi_constraints_check(r->json, node, &fault, r->error);
    if (result)
        return at(r, result, r->json->nodes[fault].place, address);
    bool joint = address->keys[0] && address->keys[1] && strcmp(address->keys[0], "joints") == 0;
    if (joint && strlen(address->keys[1]) >= LIMBERI_PATTERN_BYTES) {
        result = limberi_fail(r->error, LIMBER_ERROR_LIMIT, "the joint name is too long (max %d bytes)",
                              LIMBERI_PATTERN_BYTES - 1);
        return at(r, result, pattern_place(r, node), address);
    }
    entry.row = row;
    entry.effect = address->count > 1 && !joint ? limberi_effect_find(address->keys[1]) : -1;
    entry.pattern = joint ? address->keys[1] : NULL;
    entry.place = r->places ? r->json->nodes[node].place : nowhere;
    entry.pattern_place = joint ? pattern_place(r, node) : nowhere;
    result = limberi_style_put(r->style, &entry, r->error);
    return result ? at(r, result, r->json->nodes[node].place, address) : LIMBER_OK;
}

static limber_result apply(limber_style* style, const limberi_json* json, const limberi_address* base, bool places,
                           limber_error* error) {
    const reader r = {style, json, base, places, error};
    for (uint32_t node = 0; node < json->node_count;) {
        limberi_address address = address_of(&r, node);
        int32_t row = limberi_row_find(&address);
        limber_result result;
        if (row >= 0) {
            result = read_entry(&r, &address, (uint32_t)row, node);
            node = json->nodes[node].end;
        } else if (is_prefix(&address)) {
            result = enter_object(&r, &address, node);
            node++;
        } else {
            return fail_unknown(&r, &address, json->nodes[node].key_place);
        }
        if (result)
            return result;
    }
    return LIMBER_OK;
}

limber_result limberi_style_change(limber_style* style, const limberi_json* json, const limberi_address* base,
                                   bool places, limber_error* error) {
    limber_style copy;
    limber_result result = limberi_style_copy(style, json->node_count, &copy, error);
    if (result)
        return result;
    result = apply(&copy, json, base, places, error);
    if (result)
        limberi_style_clear(&copy);
    else
        limberi_style_replace(style, &copy);
    return result;
}

limber_result limber_style_read(limber_style* style, const char* text, size_t length, limber_error* error) {
    static const limberi_address root = {0, {NULL}};
    limberi_json_limits limits = limberi_json_limits_default();
    limits.node_count = LIMBERI_ENTRY_LIMIT;
    limberi_json json;
    limber_result result = limberi_json_read(text, length, &limits, &json, error);
    if (result)
        return result;
    result = limberi_style_change(style, &json, &root, true, error);
    limberi_json_free(&json);
    return result;
}
