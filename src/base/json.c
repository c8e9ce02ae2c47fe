#include "base/json.h"

#include "base/json_scan.h"
#include "base/sort.h"

#include <string.h>

// What may stand next.
typedef enum expectation { VALUE, ITEM_OR_END, KEY_OR_END, COMMA_OR_END, NOTHING } expectation;

typedef struct reader {
    limberi_scanner scanner;
    limberi_json* json;
    limberi_json_limits limits;
    uint32_t room; // nodes that were allocated
    uint32_t open; // the container being read, UINT32_MAX: none
    uint32_t depth;
    expectation next;
    const char* key; // of the value that comes next
    limberi_json_place key_place;
} reader;

static const uint32_t NONE = UINT32_MAX;

limberi_json_limits limberi_json_limits_default(void) {
    limberi_json_limits limits = {1u << 20, 1u << 16, 64};
    return limits;
}

void limberi_json_free(limberi_json* json) {
    limberi_arena_free(&json->arena);
    memset(json, 0, sizeof *json);
}

uint32_t limberi_json_first(const limberi_json* json, uint32_t node) {
    return json->nodes[node].count ? node + 1 : 0;
}

uint32_t limberi_json_next(const limberi_json* json, uint32_t node) {
    uint32_t parent = json->nodes[node].parent, end = json->nodes[node].end;
    return parent != NONE && end < json->nodes[parent].end ? end : 0;
}

uint32_t limberi_json_member(const limberi_json* json, uint32_t object, const char* key) {
    for (uint32_t i = limberi_json_first(json, object); i; i = limberi_json_next(json, i))
        if (strcmp(json->nodes[i].key, key) == 0)
            return i;
    return 0;
}

// --- names in messages ---

static bool is_continuation(char c) {
    return ((unsigned char)c & 0xC0) == 0x80;
}

void limberi_json_tidy(const char* name, char* out, size_t size) {
    size_t length = 0;
    for (; name[length] && length + 1 < size; length++)
        out[length] = (unsigned char)name[length] < 32 || name[length] == 127 ? '?' : name[length];
    if (is_continuation(name[length])) { // cut inside a character: all of it goes
        while (length && is_continuation(name[length]))
            length--;
    }
    out[length] = 0;
}

void limberi_json_describe(const limberi_json_node* node, char* out, size_t size) {
    char text[48];
    switch (node->type) {
    case LIMBERI_JSON_NULL:
        limberi_format(out, size, "null");
        break;
    case LIMBERI_JSON_SWITCH:
        limberi_format(out, size, "%s", node->truth ? "true" : "false");
        break;
    case LIMBERI_JSON_NUMBER:
        limberi_json_tidy(node->text, text, sizeof text);
        limberi_format(out, size, "the number %s", text);
        break;
    case LIMBERI_JSON_STRING:
        limberi_json_tidy(node->text, text, sizeof text);
        limberi_format(out, size, "\"%s\"", text);
        break;
    case LIMBERI_JSON_ARRAY:
        limberi_format(out, size, "a list of %u", node->count);
        break;
    default:
        limberi_format(out, size, "an object");
        break;
    }
}

static uint32_t position_in(const limberi_json* json, uint32_t parent, uint32_t node) {
    uint32_t position = 0;
    for (uint32_t i = parent + 1; i < node; i = json->nodes[i].end)
        position++;
    return position;
}

void limberi_json_path(const limberi_json* json, uint32_t node, char* out, size_t size) {
    uint32_t chain[16], count = 0;
    out[0] = 0;
    for (; node != NONE && json->nodes[node].parent != NONE; node = json->nodes[node].parent)
        chain[count++ % 16] = node; // a deeper path keeps its upper end
    for (uint32_t left = count < 16 ? count : 16, length; left-- > 0;) {
        uint32_t at = chain[(count - (count < 16 ? count : 16) + left) % 16];
        const limberi_json_node* n = &json->nodes[at];
        length = (uint32_t)strlen(out);
        char name[64];
        limberi_json_tidy(n->key ? n->key : "", name, sizeof name);
        if (n->key)
            limberi_format(out + length, size - length, length ? ".%s" : "%s", name);
        else
            limberi_format(out + length, size - length, "[%u]", position_in(json, n->parent, at));
    }
}

// --- the grammar ---

// Adds where in the tree it happened.
static limber_result fail_in_tree(reader* r, limber_result result) {
    char path[96];
    limber_error* error = r->scanner.error;
    if (!error)
        return result;
    limberi_json_path(r->json, r->open, path, sizeof path);
    size_t length = strlen(path);
    if (r->key) {
        char name[64];
        limberi_json_tidy(r->key, name, sizeof name);
        limberi_format(path + length, sizeof path - length, length ? ".%s" : "%s", name);
    }
    size_t used = strlen(error->place);
    if (path[0] && used)
        limberi_format(error->place + used, sizeof error->place - used, " (%s)", path);
    return result;
}

static limber_result unexpected(reader* r, const char* expected) {
    char found[64];
    limberi_json_place place = limberi_scan_place(&r->scanner);
    limberi_scan_describe(&r->scanner, found, sizeof found);
    if (r->scanner.at >= r->scanner.end && r->open != NONE) {
        const limberi_json_node* open = &r->json->nodes[r->open];
        return limberi_scan_fail(&r->scanner, open->place, "the %s that starts here is never closed",
                                 open->type == LIMBERI_JSON_ARRAY ? "list" : "object");
    }
    return limberi_scan_fail(&r->scanner, place, "expected %s, found %s", expected, found);
}

static limber_result add_node(reader* r, limberi_json_type type, uint32_t* index) {
    if (r->json->node_count == r->room)
        return limberi_fail(r->scanner.error, LIMBER_ERROR_LIMIT, "too many values (max %u)", r->limits.node_count);
    *index = r->json->node_count++;
    limberi_json_node* node = &r->json->nodes[*index];
    node->type = type;
    node->place = limberi_scan_place(&r->scanner);
    node->key = r->key;
    node->key_place = r->key_place;
    node->parent = r->open;
    node->end = *index + 1;
    if (r->open != NONE)
        r->json->nodes[r->open].count++;
    r->key = NULL;
    r->next = r->open == NONE ? NOTHING : COMMA_OR_END;
    return LIMBER_OK;
}

static limber_result open_container(reader* r, bool object) {
    uint32_t index;
    if (r->depth == r->limits.depth)
        return limberi_scan_fail(&r->scanner, limberi_scan_place(&r->scanner), "nested too deeply (max %u levels)",
                                 r->limits.depth);
    limber_result result = add_node(r, object ? LIMBERI_JSON_OBJECT : LIMBERI_JSON_ARRAY, &index);
    if (result)
        return result;
    r->open = index;
    r->depth++;
    r->scanner.at++;
    r->next = object ? KEY_OR_END : ITEM_OR_END;
    return LIMBER_OK;
}

static void close_container(reader* r) {
    limberi_json_node* node = &r->json->nodes[r->open];
    node->end = r->json->node_count;
    r->open = node->parent;
    r->depth--;
    r->scanner.at++;
    r->next = r->open == NONE ? NOTHING : COMMA_OR_END;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static size_t word_length(const limberi_scanner* scanner) {
    size_t length = 0, most = (size_t)(scanner->end - scanner->at);
    while (length < most &&
           (is_word(scanner->at[length]) || (length && scanner->at[length] >= '0' && scanner->at[length] <= '9')))
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
        uint32_t index;
        limber_result result = add_node(r, words[i].type, &index);
        if (result)
            return result;
        r->json->nodes[index].truth = words[i].truth;
        r->scanner.at += length;
        return LIMBER_OK;
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
    bool string = c == '"', number = c == '-' || (c >= '0' && c <= '9');
    if (c == '\'')
        return limberi_scan_fail(&r->scanner, limberi_scan_place(&r->scanner), "strings need double quotes");
    if (!string && !number)
        return unexpected(r, "a value");
    uint32_t index;
    const char* key = r->key;
    limber_result result = add_node(r, string ? LIMBERI_JSON_STRING : LIMBERI_JSON_NUMBER, &index);
    if (result)
        return result;
    limberi_json_node* node = &r->json->nodes[index];
    result = string ? limberi_scan_string(&r->scanner, &node->text)
                    : limberi_scan_number(&r->scanner, &node->number, &node->text);
    r->key = result ? key : NULL; // a failure is placed by its key
    return result;
}

static limber_result read_key(reader* r) {
    char c = r->scanner.at < r->scanner.end ? *r->scanner.at : 0;
    if (c == '}') {
        close_container(r);
        return LIMBER_OK;
    }
    if (is_word(c) || c == '\'')
        return limberi_scan_fail(&r->scanner, limberi_scan_place(&r->scanner), "a key needs double quotes");
    if (c != '"')
        return unexpected(r, "a key in double quotes or '}'");
    r->key_place = limberi_scan_place(&r->scanner);
    const char* key;
    limber_result result = limberi_scan_string(&r->scanner, &key);
    if (result)
        return result;
    r->key = key;
    if ((result = limberi_scan_space(&r->scanner)))
        return result;
    if (r->scanner.at >= r->scanner.end || *r->scanner.at != ':')
        return unexpected(r, "':' after the key");
    r->scanner.at++;
    r->next = VALUE;
    return LIMBER_OK;
}

static limber_result read_separator(reader* r) {
    bool list = r->json->nodes[r->open].type == LIMBERI_JSON_ARRAY;
    char c = r->scanner.at < r->scanner.end ? *r->scanner.at : 0;
    if (c == (list ? ']' : '}')) {
        close_container(r);
        return LIMBER_OK;
    }
    if (c != ',')
        return unexpected(r, list ? "',' or ']'" : "',' or '}'");
    r->scanner.at++;
    r->next = list ? ITEM_OR_END : KEY_OR_END;
    return LIMBER_OK;
}

static limber_result read_next(reader* r) {
    switch (r->next) {
    case KEY_OR_END:
        return read_key(r);
    case COMMA_OR_END:
        return read_separator(r);
    case ITEM_OR_END:
        if (r->scanner.at < r->scanner.end && *r->scanner.at == ']') {
            close_container(r);
            return LIMBER_OK;
        }
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

// --- duplicate keys ---

static int compare_keys(const void* user, uint32_t a, uint32_t b) {
    const limberi_json_node *x = (const limberi_json_node*)user + a, *y = (const limberi_json_node*)user + b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return strcmp(x->key, y->key);
}

// Sorting finds them in n log n, where comparing all pairs would let a small file keep us busy for minutes.
static limber_result check_duplicates(reader* r) {
    limberi_json* json = r->json;
    uint32_t count = 0;
    uint32_t* keys = LIMBERI_ALLOCATE(&json->arena, uint32_t, json->node_count);
    uint32_t* scratch = LIMBERI_ALLOCATE(&json->arena, uint32_t, json->node_count);
    if (!keys || !scratch)
        return limberi_fail_memory(r->scanner.error);
    for (uint32_t i = 0; i < json->node_count; i++)
        if (json->nodes[i].key)
            keys[count++] = i;
    limberi_sort(keys, scratch, count, compare_keys, json->nodes);
    uint32_t first = NONE;
    for (uint32_t i = 1; i < count; i++)
        if (compare_keys(json->nodes, keys[i - 1], keys[i]) == 0 && keys[i] < first)
            first = keys[i];
    if (first == NONE)
        return LIMBER_OK;
    char name[64];
    limberi_json_tidy(json->nodes[first].key, name, sizeof name);
    (void)limberi_scan_fail(&r->scanner, json->nodes[first].key_place, "duplicate key '%s'", name);
    r->open = first;
    r->key = NULL;
    return fail_in_tree(r, LIMBER_ERROR_DATA);
}

// --- all of it ---

// Every value but the root follows a comma or an opening bracket.
static uint32_t most_nodes(const char* text, size_t length, uint32_t limit) {
    uint32_t count = 1;
    for (size_t i = 0; i < length && count < limit; i++)
        count += text[i] == ',' || text[i] == '[' || text[i] == '{';
    return count;
}

static limber_result prepare(reader* r, const char* text, size_t length) {
    if (length > r->limits.byte_count)
        return limberi_fail(r->scanner.error, LIMBER_ERROR_LIMIT, "the text is too large (max %zu bytes)",
                            r->limits.byte_count);
    r->room = most_nodes(text, length, r->limits.node_count);
    r->json->nodes = LIMBERI_ALLOCATE(&r->json->arena, limberi_json_node, r->room);
    r->scanner.strings = LIMBERI_ALLOCATE(&r->json->arena, char, length + 1);
    if (!r->json->nodes || !r->scanner.strings)
        return limberi_fail_memory(r->scanner.error);
    bool mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0; // some editors put a byte order mark in front
    r->scanner.at = r->scanner.mark = text + (mark ? 3 : 0);
    r->scanner.end = text + length;
    r->scanner.mark_place.line = r->scanner.mark_place.column = 1;
    return LIMBER_OK;
}

limber_result limberi_json_read(const char* text, size_t length, const limberi_json_limits* limits, limberi_json* json,
                                limber_error* error) {
    memset(json, 0, sizeof *json);
    reader r;
    memset(&r, 0, sizeof r);
    r.json = json;
    r.limits = limits ? *limits : limberi_json_limits_default();
    r.open = NONE;
    r.scanner.error = error;
    limber_result result = prepare(&r, text, length);
    if (!result)
        result = read_document(&r);
    if (!result)
        result = check_duplicates(&r);
    if (result)
        limberi_json_free(json);
    return result;
}
