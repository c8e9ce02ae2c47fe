// The grammar. A container is filled when it ends: what is in it waits on two piles, so that its size is known and no
// recursion is needed.
#include "base/memory.h"
#include "text/json_private.h"
#include "text/json_scan.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

// What may stand next.
typedef enum expectation { VALUE, ITEM, ITEM_OR_END, KEY, KEY_OR_END, COMMA_OR_END, NOTHING } expectation;

// A container that is being read, and where its items and keys start on the piles.
typedef struct frame {
    limberi_json* container;
    size_t first_value, first_key;
} frame;

typedef struct pile {
    void* items;
    size_t count, room;
} pile;

typedef struct reader {
    limberi_scanner scanner;
    limberi_json_document* json;
    limberi_json_rules rules;
    pile frames, values, keys;
    uint32_t value_count;
    uint32_t key_place; // of the value that comes next
    expectation next;
} reader;

limberi_json_rules limberi_json_rules_hand_written(void) {
    return (limberi_json_rules){(size_t)1 << 20, 0, 1u << 16, 64, true};
}

limberi_json_rules limberi_json_rules_exact(void) {
    return (limberi_json_rules){UINT32_MAX, (size_t)256 << 20, UINT32_MAX, 2048, false};
}

// --- piles ---

// Room for one more; NULL when memory is short.
static void* push(pile* p, size_t size) {
    if (p->count == p->room) {
        size_t room = p->room ? 2 * p->room : 64;
        void* grown = room < SIZE_MAX / 2 / size ? limberi_reallocate(p->items, p->room * size, room * size) : NULL;
        if (!grown)
            return NULL;
        p->items = grown;
        p->room = room;
    }
    return (char*)p->items + p->count++ * size;
}

static frame* frame_at(const reader* r, size_t index) {
    return (frame*)r->frames.items + index;
}

static frame* open_frame(const reader* r) {
    return r->frames.count ? frame_at(r, r->frames.count - 1) : NULL;
}

static bool in_object(const frame* f) {
    return f && f->container->type == LIMBERI_JSON_OBJECT;
}

static const char* key_on_pile(const reader* r, size_t index) {
    return ((const char**)r->keys.items)[index];
}

static limber_result push_value(reader* r, limberi_json* value) {
    limberi_json** slot = push(&r->values, sizeof *slot);
    if (!slot)
        return limberi_scan_fail_memory(&r->scanner);
    *slot = value;
    r->next = r->frames.count ? COMMA_OR_END : NOTHING;
    return LIMBER_OK;
}

// --- failures ---

static void add_to_path(char* path, size_t size, const char* key, size_t index) {
    size_t length = strlen(path);
    char name[64];
    limberi_json_tidy(key ? key : "", name, sizeof name);
    if (key)
        limberi_format(path + length, size - length, length ? ".%s" : "%s", name);
    else
        limberi_format(path + length, size - length, "[%u]", (unsigned)index);
}

// Adds where in the tree it happened.
static limber_result fail_in_tree(const reader* r, limber_result result) {
    char path[96] = "";
    limber_error* error = r->scanner.error;
    if (!error || !r->frames.count)
        return result;
    const frame* before = frame_at(r, 0);
    for (size_t i = 1; i < r->frames.count; i++) {
        const frame* f = frame_at(r, i);
        add_to_path(path, sizeof path, in_object(before) ? key_on_pile(r, f->first_key - 1) : NULL,
                    f->first_value - before->first_value);
        before = f;
    }
    // A key whose value has not been read.
    if (r->keys.count - before->first_key > (in_object(before) ? r->values.count - before->first_value : 0))
        add_to_path(path, sizeof path, key_on_pile(r, r->keys.count - 1), 0);
    size_t used = strlen(error->place);
    if (path[0] && used)
        limberi_format(error->place + used, sizeof error->place - used, " (%s)", path);
    return result;
}

static limber_result unexpected(reader* r, const char* expected) {
    char found[64];
    const frame* open = open_frame(r);
    limberi_scan_describe(&r->scanner, found, sizeof found);
    if (r->scanner.at >= r->scanner.end && open)
        return limberi_scan_fail(&r->scanner, open->container->place, "the %s that starts here is never closed",
                                 in_object(open) ? "object" : "list");
    return limberi_scan_fail(&r->scanner, limberi_scan_place(&r->scanner), "expected %s, found %s", expected, found);
}

// --- values ---

static limber_result new_value(reader* r, limberi_json_type type, limberi_json** out) {
    if (r->value_count == r->rules.value_count)
        return limberi_fail(r->scanner.error, LIMBER_ERROR_LIMIT, "too many values (max %u)", r->rules.value_count);
    limberi_json* value = limberi_json_new(r->json, type);
    if (!value)
        return limberi_scan_fail_memory(&r->scanner);
    r->value_count++;
    value->place = limberi_scan_place(&r->scanner);
    value->key_place = in_object(open_frame(r)) ? r->key_place : value->place;
    *out = value;
    return LIMBER_OK;
}

static limber_result open_container(reader* r, bool object) {
    limberi_json* container;
    if (r->frames.count == r->rules.depth)
        return limberi_scan_fail(&r->scanner, limberi_scan_place(&r->scanner), "nested too deeply (max %u levels)",
                                 r->rules.depth);
    limber_result result = new_value(r, object ? LIMBERI_JSON_OBJECT : LIMBERI_JSON_ARRAY, &container);
    if (result)
        return result;
    frame* f = push(&r->frames, sizeof *f);
    if (!f)
        return limberi_scan_fail_memory(&r->scanner);
    *f = (frame){container, r->values.count, r->keys.count};
    r->scanner.at++;
    r->next = object ? KEY_OR_END : ITEM_OR_END;
    return LIMBER_OK;
}

static limber_result fail_duplicate(reader* r, const frame* f, uint32_t index) {
    char name[64];
    const char* key = key_on_pile(r, f->first_key + index);
    limberi_json_tidy(key, name, sizeof name);
    uint32_t place = limberi_json_at(f->container, index)->key_place;
    r->keys.count = f->first_key + index + 1; // for the path
    r->values.count = f->first_value + index;
    return limberi_scan_fail(&r->scanner, place, "duplicate key '%s'", name);
}

static limber_result fill_container(reader* r, const frame* f) {
    limberi_json* container = f->container;
    uint32_t count = (uint32_t)(r->values.count - f->first_value);
    if (!count)
        return LIMBER_OK;
    limberi_json** values = (limberi_json**)r->values.items + f->first_value;
    if (!limberi_json_reserve(r->json, container, count))
        return limberi_scan_fail_memory(&r->scanner);
    container->count = count;
    if (container->type == LIMBERI_JSON_ARRAY) {
        memcpy(container->list->items, values, count * sizeof *values);
        return LIMBER_OK;
    }
    for (uint32_t i = 0; i < count; i++)
        container->table->members[i] = (limberi_json_member){key_on_pile(r, f->first_key + i), values[i]};
    uint32_t duplicate = limberi_json_index(r->json, f->container);
    if (duplicate != UINT32_MAX && r->rules.hand_written)
        return fail_duplicate(r, f, duplicate);
    if (duplicate != UINT32_MAX)
        limberi_json_merge_members(r->json, f->container);
    return r->json->arena.failed ? limberi_scan_fail_memory(&r->scanner) : LIMBER_OK;
}

static limber_result close_container(reader* r) {
    frame f = *open_frame(r);
    limber_result result = fill_container(r, &f);
    if (result)
        return result;
    r->frames.count--;
    r->values.count = f.first_value;
    r->keys.count = f.first_key;
    r->scanner.at++;
    return push_value(r, f.container);
}

static bool is_word(char c) {
    return limberi_is_letter(c) || c == '_' || c == '$';
}

static size_t word_length(const limberi_scanner* scanner) {
    size_t length = 0;
    size_t max = (size_t)(scanner->end - scanner->at);
    while (length < max && (is_word(scanner->at[length]) || (length && limberi_is_digit(scanner->at[length]))))
        length++;
    return length;
}

// true, false, null; any other word is a string whose quotes were forgotten.
static limber_result read_word(reader* r) {
    static const struct {
        const char* word;
        limberi_json_type type;
        bool truth;
    } words[] = {
        {"true", LIMBERI_JSON_SWITCH, true}, {"false", LIMBERI_JSON_SWITCH, false}, {"null", LIMBERI_JSON_NULL, false}};
    size_t length = word_length(&r->scanner);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].word) != length || memcmp(words[i].word, r->scanner.at, length) != 0)
            continue;
        limberi_json* value;
        limber_result result = new_value(r, words[i].type, &value);
        if (result)
            return result;
        value->truth = words[i].truth;
        r->scanner.at += length;
        return push_value(r, value);
    }
    char word[32];
    length = length < sizeof word ? length : sizeof word - 1;
    memcpy(word, r->scanner.at, length);
    word[length] = 0;
    return limberi_scan_fail(&r->scanner, limberi_scan_place(&r->scanner), "put double quotes around this word: \"%s\"",
                             word);
}

static limber_result read_value(reader* r) {
    char c = r->scanner.at < r->scanner.end ? *r->scanner.at : 0;
    if (c == '{' || c == '[')
        return open_container(r, c == '{');
    if (is_word(c))
        return read_word(r);
    bool string = c == '"';
    bool number = c == '-' || limberi_is_digit(c);
    if (c == '\'')
        return limberi_scan_fail(&r->scanner, limberi_scan_place(&r->scanner), "strings need double quotes");
    if (!string && !number)
        return unexpected(r, "a value");
    limberi_json* value;
    limber_result result = new_value(r, string ? LIMBERI_JSON_STRING : LIMBERI_JSON_REAL, &value);
    if (!result)
        result = string ? limberi_scan_string(&r->scanner, &value->text, &value->count)
                        : limberi_scan_number(&r->scanner, value);
    return result ? result : push_value(r, value);
}

static limber_result read_key(reader* r) {
    char c = r->scanner.at < r->scanner.end ? *r->scanner.at : 0;
    if (c == '}' && r->next == KEY_OR_END)
        return close_container(r);
    if (is_word(c) || c == '\'')
        return limberi_scan_fail(&r->scanner, limberi_scan_place(&r->scanner), "a key needs double quotes");
    if (c != '"')
        return unexpected(r, r->next == KEY ? "a key in double quotes" : "a key in double quotes or '}'");
    r->key_place = limberi_scan_place(&r->scanner);
    const char* key;
    limber_result result = limberi_scan_key(&r->scanner, &key);
    if (result)
        return result;
    const char** slot = push(&r->keys, sizeof *slot);
    if (!slot)
        return limberi_scan_fail_memory(&r->scanner);
    *slot = key;
    if ((result = limberi_scan_space(&r->scanner)))
        return result;
    if (r->scanner.at >= r->scanner.end || *r->scanner.at != ':')
        return unexpected(r, "':' after the key");
    r->scanner.at++;
    r->next = VALUE;
    return LIMBER_OK;
}

static limber_result read_separator(reader* r) {
    bool list = !in_object(open_frame(r));
    char c = r->scanner.at < r->scanner.end ? *r->scanner.at : 0;
    if (c == (list ? ']' : '}'))
        return close_container(r);
    if (c != ',')
        return unexpected(r, list ? "',' or ']'" : "',' or '}'");
    r->scanner.at++;
    if (r->rules.hand_written) // where the last item may have a comma, too
        r->next = list ? ITEM_OR_END : KEY_OR_END;
    else
        r->next = list ? ITEM : KEY;
    return LIMBER_OK;
}

static limber_result read_next(reader* r) {
    switch (r->next) {
    case KEY:
    case KEY_OR_END:
        return read_key(r);
    case COMMA_OR_END:
        return read_separator(r);
    case ITEM_OR_END:
        if (r->scanner.at < r->scanner.end && *r->scanner.at == ']')
            return close_container(r);
        return read_value(r);
    default:
        return read_value(r);
    }
}

static limber_result read_document(reader* r) {
    for (;;) {
        limber_result result = limberi_scan_space(&r->scanner);
        if (!result && r->next == NOTHING)
            return r->scanner.at < r->scanner.end ? unexpected(r, "the end of the text") : LIMBER_OK;
        if (!result)
            result = read_next(r);
        if (result)
            return fail_in_tree(r, result);
    }
}

// --- all of it ---

static limber_result prepare(reader* r, const char* text, size_t length) {
    if (length > r->rules.byte_count || length > UINT32_MAX)
        return limberi_fail(r->scanner.error, LIMBER_ERROR_LIMIT, "the text is too large (max %zu bytes)",
                            r->rules.byte_count);
    bool mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0; // some editors put a byte order mark in front
    r->json->text = r->scanner.at = text + (mark ? 3 : 0);
    r->json->byte_limit = r->rules.memory_bytes;
    r->scanner.end = text + length;
    return LIMBER_OK;
}

limber_result limberi_json_read(const char* text, size_t length, const limberi_json_rules* rules,
                                limberi_json_document* json, limber_error* error) {
    memset(json, 0, sizeof *json);
    reader r = {0};
    r.json = r.scanner.json = json;
    r.rules = rules ? *rules : limberi_json_rules_hand_written();
    r.scanner.hand_written = r.rules.hand_written;
    r.scanner.error = error;
    limber_result result = prepare(&r, text, length);
    if (!result)
        result = read_document(&r);
    if (!result)
        json->root = *(limberi_json**)r.values.items;
    json->value_count = r.value_count;
    json->byte_limit = 0; // is of the text, not of what may be added
    limberi_release(r.frames.items);
    limberi_release(r.values.items);
    limberi_release(r.keys.items);
    if (result)
        limberi_json_free(json);
    return result;
}
