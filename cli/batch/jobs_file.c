// JOBS.json: what a batch is to do, written by hand or by a script (docs/farms.md has the keys, schema/ the schema).
#include "cli/batch/batch.h"

#include "base/buffer.h"
#include "text/json_write.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

// A batch of 100,000 explicit jobs.
static const size_t max_bytes = (size_t)256 << 20;
static const uint32_t max_values = 1u << 24;
static const uint32_t max_depth = 16;

typedef struct reader {
    limberi_json_document json;
    limberi_arena* arena;
    limber_error* error;
} reader;

static limber_result at_place(reader* r, uint32_t place, limber_result result) {
    limberi_json_place p = limberi_json_place_at(&r->json, place);
    return limberi_at(r->error, result, "line %u, column %u", p.line, p.column);
}

static limber_result fail_type(reader* r, const limberi_json* value, const char* key, const char* wanted) {
    char what[96];
    limberi_json_describe(&r->json, value, what, sizeof what);
    limberi_fail(r->error, LIMBER_ERROR_DATA, "'%s' must be %s, not %s", key, wanted, what);
    return at_place(r, value->place, LIMBER_ERROR_DATA);
}

// `names` ends with NULL.
static limber_result check_keys(reader* r, const limberi_json* object, const char* const* names, const char* where) {
    size_t count = 0;
    while (names[count])
        count++;
    for (uint32_t i = 0; i < limberi_json_count(object); i++) {
        const char* key = limberi_json_key_at(object, i);
        if (batch_is_among(key, names))
            continue;
        char tidy[64];
        const char* near = limberi_suggest(key, limberi_name_at, names, count);
        limberi_json_tidy(key, tidy, sizeof tidy);
        limberi_fail(r->error, LIMBER_ERROR_DATA, "unknown key '%s'%s%s%s%s", tidy, where,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return at_place(r, limberi_json_at(object, i)->key_place, LIMBER_ERROR_DATA);
    }
    return LIMBER_OK;
}

static limber_result read_text(reader* r, const limberi_json* value, const char* key, const char** out) {
    const char* text = limberi_json_as_text(value);
    if (!text || !*text)
        return fail_type(r, value, key, "a text");
    *out = limberi_arena_string(r->arena, text);
    return *out ? LIMBER_OK : limberi_fail_memory(r->error);
}

// A text, or a list of texts.
static limber_result read_texts(reader* r, const limberi_json* value, const char* key, batch_words* out) {
    bool list = limberi_json_is(value, LIMBERI_JSON_ARRAY);
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < (list ? limberi_json_count(value) : 1); i++) {
        const char* text = NULL;
        limber_result result = read_text(r, list ? limberi_json_at(value, i) : value, key, &text);
        if (result)
            return result;
        if (!batch_words_add(out, r->arena, text))
            return limberi_fail_memory(r->error);
    }
    return LIMBER_OK;
}

// --- styles ---

static limber_result add_set(reader* r, const char* key, const limberi_json* value, batch_words* out) {
    limberi_buffer text = {0};
    limberi_json_writer w = {.out = &text, .source = r->json.text};
    const char* written = limberi_json_as_text(value);
    if (!written)
        limberi_json_tree(&w, value);
    char* set = text.failed ? NULL : batch_join(r->arena, key, "=", written ? written : text.data);
    limberi_buffer_free(&text);
    return batch_words_keep(out, r->arena, set) ? LIMBER_OK : limberi_fail_memory(r->error);
}

static limber_result read_sets(reader* r, const limberi_json* object, batch_words* out) {
    if (!limberi_json_is(object, LIMBERI_JSON_OBJECT))
        return fail_type(r, object, "set", "an object of style keys");
    for (uint32_t i = 0; i < limberi_json_count(object); i++) {
        limber_result result = add_set(r, limberi_json_key_at(object, i), limberi_json_at(object, i), out);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

static limber_result read_style(reader* r, const limberi_json* value, batch_style* style) {
    static const char* const keys[] = {"name", "style", "set", NULL};
    if (limberi_json_is(value, LIMBERI_JSON_STRING))
        return read_text(r, value, "styles", &style->style);
    if (!limberi_json_is(value, LIMBERI_JSON_OBJECT))
        return fail_type(r, value, "styles", "a list of names and objects");
    const limberi_json* name = limberi_json_get(value, "name");
    const limberi_json* of = limberi_json_get(value, "style");
    const limberi_json* set = limberi_json_get(value, "set");
    limber_result result = check_keys(r, value, keys, " of a style");
    if (!result && name)
        result = read_text(r, name, "name", &style->name);
    if (!result && of)
        result = read_text(r, of, "style", &style->style);
    if (!result && set)
        result = read_sets(r, set, &style->sets);
    return result;
}

static limber_result read_styles(reader* r, const limberi_json* value, batch_group* group) {
    bool list = limberi_json_is(value, LIMBERI_JSON_ARRAY);
    uint32_t count = list ? limberi_json_count(value) : 1;
    if (!count)
        return fail_type(r, value, "styles", "a list of names and objects");
    group->styles = LIMBERI_ALLOCATE(r->arena, batch_style, count);
    group->style_count = count;
    if (!group->styles)
        return limberi_fail_memory(r->error);
    for (uint32_t i = 0; i < count; i++) {
        limber_result result = read_style(r, list ? limberi_json_at(value, i) : value, &group->styles[i]);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

// --- options ---

typedef struct option {
    const char *key, *word;
    limberi_json_type type; // LIMBERI_JSON_REAL: any number
    bool when;              // of a switch: the word stands for this value
} option;

static const option options[] = {
    {"fps", "--fps", LIMBERI_JSON_REAL, false},
    {"range", "--range", LIMBERI_JSON_STRING, false},
    {"skinning", "--skinning", LIMBERI_JSON_STRING, false},
    {"bake", "--bake", LIMBERI_JSON_STRING, false},
    {"tolerance", "--tolerance", LIMBERI_JSON_REAL, false},
    {"targets", "--targets", LIMBERI_JSON_INTEGER, false},
    {"normals", "--no-normals", LIMBERI_JSON_SWITCH, false},
    {"compress", "--compress", LIMBERI_JSON_SWITCH, true},
    {"smear_meshes", "--smear-meshes", LIMBERI_JSON_STRING, false},
    {"in_place", "--in-place", LIMBERI_JSON_SWITCH, true},
    {"root_motion", "--root-motion", LIMBERI_JSON_SWITCH, true},
    {"cycle", "--cycle", LIMBERI_JSON_SWITCH, true},
    {"mirror", "--mirror", LIMBERI_JSON_SWITCH, true},
    {"touch", "--touch", LIMBERI_JSON_SWITCH, true},
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

static limber_result read_option(reader* r, const option* o, const limberi_json* value, batch_words* out) {
    static const char* const names[] = {"null", "true or false", "a whole number", "a number", "a text"};
    char number[64];
    bool fits = o->type == LIMBERI_JSON_REAL ? limberi_json_is_number(value) : limberi_json_is(value, o->type);
    if (!fits)
        return fail_type(r, value, o->key, names[o->type]);
    if (o->type == LIMBERI_JSON_SWITCH)
        return limberi_json_as_truth(value) != o->when || batch_words_add(out, r->arena, o->word)
                   ? LIMBER_OK
                   : limberi_fail_memory(r->error);
    const char* text = limberi_json_as_text(value);
    if (!text)
        limberi_json_written(&r->json, value, number, sizeof number);
    // One word: a text that begins with a dash is no option.
    bool done = batch_words_add(out, r->arena, o->word) && batch_words_add(out, r->arena, text ? text : number);
    return done ? LIMBER_OK : limberi_fail_memory(r->error);
}

static limber_result add_each(reader* r, const char* word, const batch_words* values, batch_words* out) {
    for (uint32_t i = 0; i < values->count; i++)
        if (!batch_words_add(out, r->arena, word) || !batch_words_add(out, r->arena, values->items[i]))
            return limberi_fail_memory(r->error);
    return LIMBER_OK;
}

static limber_result read_option_sets(reader* r, const limberi_json* object, batch_words* out) {
    batch_words sets = {NULL, 0, 0};
    limber_result result = read_sets(r, object, &sets);
    return result ? result : add_each(r, "--set", &sets, out);
}

static limber_result read_motions(reader* r, const limberi_json* value, batch_words* out) {
    batch_words motions = {NULL, 0, 0};
    limber_result result = read_texts(r, value, "motion", &motions);
    return result ? result : add_each(r, "--motion", &motions, out);
}

static limber_result read_options(reader* r, const limberi_json* object, batch_words* out) {
    const char* keys[OPTION_COUNT + 3] = {"set", "motion"};
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < OPTION_COUNT; i++)
        keys[i + 2] = options[i].key;
    if (!limberi_json_is(object, LIMBERI_JSON_OBJECT))
        return fail_type(r, object, "options", "an object");
    limber_result result = check_keys(r, object, keys, " of \"options\"");
    if (result)
        return result;
    for (uint32_t i = 0; i < OPTION_COUNT; i++) {
        const limberi_json* value = limberi_json_get(object, options[i].key);
        result = value ? read_option(r, &options[i], value, out) : LIMBER_OK;
        if (result)
            return result;
    }
    const limberi_json* motion = limberi_json_get(object, "motion");
    result = motion ? read_motions(r, motion, out) : LIMBER_OK;
    const limberi_json* set = limberi_json_get(object, "set");
    return set && !result ? read_option_sets(r, set, out) : result;
}

// --- groups ---

static limber_result read_members(reader* r, const limberi_json* object, batch_group* group) {
    const limberi_json* inputs = limberi_json_get(object, "inputs");
    const limberi_json* styles = limberi_json_get(object, "styles");
    const limberi_json* clips = limberi_json_get(object, "clips");
    const limberi_json* words = limberi_json_get(object, "options");
    const limberi_json* output = limberi_json_get(object, "output");
    limber_result result = inputs ? read_texts(r, inputs, "inputs", &group->inputs) : LIMBER_OK;
    if (!result && styles)
        result = read_styles(r, styles, group);
    if (!result && clips)
        result = read_texts(r, clips, "clips", &group->clips);
    if (!result && words)
        result = read_options(r, words, &group->options);
    if (!result && output)
        result = read_text(r, output, "output", &group->output);
    return result;
}

static limber_result need_inputs(reader* r, const limberi_json* object, const batch_group* group) {
    if (group->inputs.count)
        return LIMBER_OK;
    limberi_fail(r->error, LIMBER_ERROR_DATA, "\"inputs\" is missing: a list of files and patterns");
    return at_place(r, object->place, LIMBER_ERROR_DATA);
}

static limber_result read_group(reader* r, const limberi_json* object, const batch_group* above, batch_group* group) {
    static const char* const keys[] = {"inputs", "styles", "clips", "options", "output", NULL};
    *group = *above;
    if (!limberi_json_is(object, LIMBERI_JSON_OBJECT))
        return fail_type(r, object, "jobs", "a list of objects");
    limber_result result = check_keys(r, object, keys, " of a job");
    if (!result)
        result = read_members(r, object, group);
    return result ? result : need_inputs(r, object, group);
}

static limber_result read_root(reader* r, batch_groups* groups) {
    static const char* const keys[] = {"$schema", "inputs", "styles", "clips", "options", "output", "jobs", NULL};
    static batch_style plain;
    const limberi_json* root = r->json.root;
    const limberi_json* jobs = limberi_json_get(root, "jobs");
    batch_group above = {.styles = &plain, .style_count = 1};
    if (!limberi_json_is(root, LIMBERI_JSON_OBJECT))
        return fail_type(r, root, "jobs", "an object {...}");
    if (jobs && (!limberi_json_is(jobs, LIMBERI_JSON_ARRAY) || !limberi_json_count(jobs)))
        return fail_type(r, jobs, "jobs", "a list of objects");
    limber_result result = check_keys(r, root, keys, "");
    if (!result)
        result = read_members(r, root, &above);
    if (!result && !jobs)
        result = need_inputs(r, root, &above);
    if (result)
        return result;
    groups->count = jobs ? limberi_json_count(jobs) : 1;
    groups->items = LIMBERI_ALLOCATE(r->arena, batch_group, groups->count);
    if (!groups->items)
        return limberi_fail_memory(r->error);
    if (!jobs)
        groups->items[0] = above;
    for (uint32_t i = 0; jobs && i < groups->count; i++) {
        result = read_group(r, limberi_json_at(jobs, i), &above, &groups->items[i]);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

limber_result batch_jobs_read(const char* text, size_t length, limberi_arena* arena, batch_groups* groups,
                              limber_error* error) {
    reader r = {.arena = arena, .error = error};
    limberi_json_rules rules = limberi_json_rules_hand_written();
    rules.byte_count = max_bytes;
    rules.value_count = max_values;
    rules.depth = max_depth;
    memset(groups, 0, sizeof *groups);
    limber_result result = limberi_json_read(text, length, &rules, &r.json, error);
    if (result)
        return result;
    result = read_root(&r, groups);
    if (result)
        memset(groups, 0, sizeof *groups);
    limberi_json_free(&r.json);
    return result;
}
