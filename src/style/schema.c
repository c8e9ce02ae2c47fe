// The JSON Schema of a style (draft 2020-12), from the table.
#include "style/style_private.h"

#include "keys/value.h"
#include "text/json_write.h"

#include <string.h>

// One key of one effect: rows whose path says effects.* stand for several.
typedef struct concrete {
    const limberi_row* row;
    uint32_t depth;
    char keys[LIMBERI_ADDRESS_DEPTH][LIMBERI_WORD_BYTES];
} concrete;

static concrete make_concrete(const limberi_row* row, int32_t effect) {
    concrete c = {row, limberi_row_depth(row), {{0}}};
    for (uint32_t level = 0; level < c.depth; level++)
        limberi_row_key(row, level, c.keys[level], sizeof c.keys[level]);
    if (effect >= 0)
        limberi_format(c.keys[1], sizeof c.keys[1], "%s", limber_effect_name((limber_effect)effect));
    return c;
}

// --- one value ---

static void write_description(limberi_json_writer* w, const limber_key* key) {
    char text[256];
    limberi_format(text, sizeof text, key->unit[0] ? "%s (%s)" : "%s", key->help, key->unit);
    limberi_json_key(w, "description");
    limberi_json_string(w, text);
}

static void write_range(limberi_json_writer* w, const limber_key* key) {
    limberi_json_key(w, key->min_is_excluded ? "exclusiveMinimum" : "minimum");
    limberi_json_number(w, key->min);
    limberi_json_key(w, "maximum");
    limberi_json_number(w, key->max);
}

static void write_type(limberi_json_writer* w, const char* type) {
    limberi_json_key(w, "type");
    limberi_json_string(w, type);
}

static void write_words(limberi_json_writer* w, const char* words) {
    limberi_json_key(w, "enum");
    limberi_json_open(w, '[');
    for (uint32_t i = 0, count = limberi_word_count(words); i < count; i++)
        limberi_word_write(w, words, i);
    limberi_json_close(w, ']');
}

static void write_number(limberi_json_writer* w, const limber_key* key) {
    if (key->choices && key->type == LIMBER_KEY_CONSTANT) {
        limberi_json_key(w, "anyOf");
        limberi_json_open(w, '[');
        limberi_json_open(w, '{');
        write_words(w, key->choices);
        limberi_json_close(w, '}');
        limberi_json_open(w, '{');
        write_type(w, "number");
        write_range(w, key);
        limberi_json_close(w, '}');
        limberi_json_close(w, ']');
        return;
    }
    limberi_json_key(w, "type"); // a range only binds numbers, so a formula passes
    if (key->type == LIMBER_KEY_NUMBER)
        limberi_json_raw(w, "[\"number\", \"string\"]");
    else
        limberi_json_string(w, "number");
    write_range(w, key);
    if (key->type == LIMBER_KEY_NUMBER) {
        limberi_json_key(w, "minLength");
        limberi_json_raw(w, "1");
    }
}

static void write_items(limberi_json_writer* w, const limber_key* key) {
    bool vector = key->type == LIMBER_KEY_VECTOR;
    write_type(w, "array");
    limberi_json_key(w, "items");
    limberi_json_open(w, '{');
    if (vector) {
        write_type(w, "number");
        write_range(w, key);
    } else if (key->choices) {
        write_words(w, key->choices);
    } else {
        write_type(w, "string");
        limberi_json_key(w, "minLength");
        limberi_json_raw(w, "1");
    }
    limberi_json_close(w, '}');
    limberi_json_key(w, "minItems");
    limberi_json_number(w, vector ? 3 : key->min);
    if (vector) {
        limberi_json_key(w, "maxItems");
        limberi_json_number(w, 3);
    } else if (key->choices) {
        limberi_json_key(w, "uniqueItems");
        limberi_json_raw(w, "true");
    }
}

static void write_rule(limberi_json_writer* w, const limberi_row* row);

// A word, or a list of objects with the keys of the reader.
static void write_list_of_objects(limberi_json_writer* w, const limberi_row* row) {
    limberi_json_key(w, "anyOf");
    limberi_json_open(w, '[');
    limberi_json_open(w, '{');
    write_words(w, row->key.choices);
    limberi_json_close(w, '}');
    limberi_json_open(w, '{');
    write_type(w, "array");
    limberi_json_key(w, "items");
    limberi_json_open(w, '{');
    write_type(w, "object");
    limberi_json_key(w, "additionalProperties");
    limberi_json_raw(w, "false");
    limberi_json_key(w, "properties");
    limberi_json_open(w, '{');
    for (uint32_t i = 0; i < row->reader->item_count; i++) {
        const limberi_row* member = &row->reader->items[i];
        limberi_json_key(w, strrchr(member->key.path, '.') + 1);
        limberi_json_open(w, '{');
        write_description(w, &member->key);
        write_rule(w, member);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, '}');
    limberi_json_close(w, '}');
    limberi_json_close(w, '}');
    limberi_json_close(w, ']');
}

static void write_rule(limberi_json_writer* w, const limberi_row* row) {
    const limber_key* key = &row->key;
    const char* const* own = row->reader ? row->reader->schema : NULL;
    for (; own && *own; own += 2) {
        limberi_json_key(w, own[0]);
        limberi_json_raw(w, own[1]);
    }
    if (own)
        return;
    if (key->type == LIMBER_KEY_NUMBER || key->type == LIMBER_KEY_CONSTANT)
        write_number(w, key);
    else if (key->type == LIMBER_KEY_CHOICE)
        write_words(w, key->choices);
    else if (key->type == LIMBER_KEY_LIST || key->type == LIMBER_KEY_VECTOR)
        write_items(w, key);
    else if (key->type == LIMBER_KEY_OTHER && row->reader && row->reader->items)
        write_list_of_objects(w, row);
    else if (key->type == LIMBER_KEY_OTHER)
        write_type(w, "array");
    else
        write_type(w, key->type == LIMBER_KEY_SWITCH ? "boolean" : "string");
}

static void write_value(limberi_json_writer* w, const limberi_row* row) {
    const limber_key* key = &row->key;
    limberi_json_flat(w, true);
    limberi_json_open(w, '{');
    write_description(w, key);
    write_rule(w, row);
    if (key->default_text) {
        limberi_json_key(w, "default");
        limberi_json_raw(w, key->default_text);
    }
    limberi_json_close(w, '}');
    limberi_json_flat(w, false);
}

// --- objects ---

static const char* section_text(const concrete* c, uint32_t depth) {
    for (uint32_t i = 1; i < limberi_section_count(); i++) {
        const limberi_section* section = limberi_section_at(i);
        char path[96] = "";
        for (uint32_t level = 0; level < depth; level++) {
            char key[LIMBERI_WORD_BYTES];
            limberi_row_key(c->row, level, key, sizeof key);
            size_t length = strlen(path);
            limberi_format(path + length, sizeof path - length, level ? ".%s" : "%s", key);
        }
        if (strcmp(section->path, path) == 0)
            return section->text;
    }
    return NULL;
}

// The object at the first `depth` keys. Any name may stand where the path has a star.
static void open_object(limberi_json_writer* w, const concrete* c, uint32_t depth) {
    limberi_json_open(w, '{');
    const char* text = depth ? section_text(c, depth) : NULL;
    if (text) {
        limberi_json_key(w, "description");
        limberi_json_string(w, text);
    }
    write_type(w, "object");
    if (depth == 1 && strcmp(c->keys[1], "*") == 0) {
        limberi_json_key(w, "additionalProperties");
        return;
    }
    limberi_json_key(w, "additionalProperties");
    limberi_json_raw(w, "false");
    limberi_json_key(w, "properties");
    limberi_json_open(w, '{');
}

static void close_object(limberi_json_writer* w, const concrete* c, uint32_t depth) {
    if (!(depth == 1 && strcmp(c->keys[1], "*") == 0))
        limberi_json_close(w, '}');
    limberi_json_close(w, '}');
}

static void write_concrete(limberi_json_writer* w, const concrete* before, const concrete* now) {
    uint32_t shared = 0;
    while (shared + 1 < before->depth && shared + 1 < now->depth &&
           strcmp(before->keys[shared], now->keys[shared]) == 0)
        shared++;
    for (uint32_t depth = before->depth; depth-- > shared + 1;)
        close_object(w, before, depth);
    for (uint32_t depth = shared; depth < now->depth; depth++) {
        if (!(depth == 1 && strcmp(now->keys[1], "*") == 0))
            limberi_json_key(w, now->keys[depth]);
        if (depth + 1 < now->depth)
            open_object(w, now, depth + 1);
    }
    write_value(w, now->row);
}

static bool belongs(const limberi_row* row, int32_t effect) {
    bool of_effects = strncmp(row->key.path, "effects.", 8) == 0;
    return effect < 0 ? !of_effects : of_effects && (limberi_row_effects(row) >> effect & 1);
}

static void write_group(limberi_json_writer* w, concrete* before, int32_t effect, bool joints) {
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const limberi_row* row = limberi_row_at(i);
        if (!belongs(row, effect) || (strncmp(row->key.path, "joints.", 7) == 0) != joints)
            continue;
        concrete now = make_concrete(row, effect);
        write_concrete(w, before, &now);
        *before = now;
    }
}

void limberi_write_schema(limberi_buffer* out) {
    limberi_json_writer writer = {.out = out, .indent = 2};
    limberi_json_writer* w = &writer;
    concrete before = {NULL, 1, {{0}}};
    limberi_json_open(w, '{');
    limberi_json_key(w, "$schema");
    limberi_json_string(w, "https://json-schema.org/draft/2020-12/schema");
    limberi_json_key(w, "title");
    limberi_json_string(w, "limber style");
    write_type(w, "object");
    limberi_json_key(w, "additionalProperties");
    limberi_json_raw(w, "false");
    limberi_json_key(w, "properties");
    limberi_json_open(w, '{');
    write_group(w, &before, -1, false);
    for (int32_t effect = 0; effect < LIMBER_EFFECT_COUNT; effect++)
        write_group(w, &before, effect, false);
    write_group(w, &before, -1, true);
    for (uint32_t depth = before.depth; depth-- > 1;)
        close_object(w, &before, depth);
    limberi_json_close(w, '}');
    limberi_json_close(w, '}');
    limberi_buffer_add(out, "\n");
}
