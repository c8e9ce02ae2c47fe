// One key from a command line: "effects.floppy.angular" and "0.5".
#include "style/style_private.h"

#include "base/error.h"
#include "text/json_write.h"

#include <string.h>

// --- the path ---

static bool starts_with(const char* text, const char* with) {
    return strncmp(text, with, strlen(with)) == 0;
}

// Names of joints and meshes may hold dots. What ends in a known key is split before the longest one: "Arm.L.squash.angular".
static char* find_joint_key(const char* before, char* rest) {
    char* best = NULL;
    size_t length = strlen(rest);
    size_t best_length = 0;
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const char* path = limberi_row_at(i)->key.path;
        if (!starts_with(path, before))
            continue;
        const char* key = path + strlen(before);
        size_t n = strlen(key);
        if (n + 1 < length && n > best_length && rest[length - n - 1] == '.' && strcmp(rest + length - n, key) == 0) {
            best = rest + length - n;
            best_length = n;
        }
    }
    return best;
}

static void push(limberi_address* address, const char* key) {
    address->keys[address->count++] = key;
}

// `rest` is what follows "joints." or "meshes."; changed in place. A key of joints may hold a dot, those of meshes are
// several.
static limber_result split_joint(char* rest, bool object, limberi_address* address, limber_error* error) {
    bool mesh = strcmp(address->keys[0], "meshes") == 0;
    char* key = NULL;
    if (*rest == '"') {
        char* close = strchr(++rest, '"');
        if (!close || (close[1] != 0 && close[1] != '.'))
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the quote in the path is not closed");
        key = close[1] == '.' ? close + 2 : NULL;
        *close = 0;
    } else {
        key = find_joint_key(mesh ? "meshes.*." : "joints.*.", rest);
        if (!key && !object) { // the last word is then a key that nobody knows
            char* section = mesh ? strchr(rest, '.') : NULL;
            while (section && !starts_with(section, ".smear.") && !starts_with(section, ".effects."))
                section = strchr(section + 1, '.');
            key = section ? section : strrchr(rest, '.');
            key = key ? key + 1 : NULL;
        }
        if (key)
            key[-1] = 0;
    }
    push(address, rest);
    for (char* dot; mesh && key && (dot = strchr(key, '.')) != NULL; key = dot + 1) {
        *dot = 0;
        if (address->count + 1 == LIMBERI_ADDRESS_DEPTH)
            return limberi_fail(error, LIMBER_ERROR_DATA, "the path has too many parts");
        push(address, key);
    }
    if (key)
        push(address, key);
    return LIMBER_OK;
}

static limber_result split_path(char* path, bool object, limberi_address* address, limber_error* error) {
    address->count = 0;
    for (char* key = path; key;) {
        char* dot = strchr(key, '.');
        if (dot)
            *dot = 0;
        if (address->count == LIMBERI_ADDRESS_DEPTH)
            return limberi_fail(error, LIMBER_ERROR_DATA, "the path has too many parts");
        push(address, key);
        key = dot ? dot + 1 : NULL;
        if (key && limberi_has_names(path))
            return split_joint(key, object, address, error);
    }
    return LIMBER_OK;
}

// --- the value ---

static const char* skip_blanks(const char* text) {
    while (*text == ' ' || *text == '\t')
        text++;
    return text;
}

// "stretch,floppy" -> ["stretch","floppy"]
static void write_list(limberi_buffer* out, const char* words) {
    limberi_json_writer writer = {.out = out};
    limberi_json_open(&writer, '[');
    while (*words) {
        size_t length = strcspn(words, ", ");
        char word[64];
        size_t kept = length < sizeof word ? length : sizeof word - 1;
        memcpy(word, words, kept);
        word[kept] = 0;
        if (kept)
            limberi_json_string(&writer, word);
        words += length;
        words += *words != 0;
    }
    limberi_json_close(&writer, ']');
}

// Whether the value is JSON: LIMBER_OK, or why not (which may be that memory is short).
static limber_result try_json(const char* value) {
    limberi_json_document json;
    limber_result result = limberi_json_read(value, strlen(value), NULL, &json, NULL);
    limberi_json_free(&json);
    return result;
}

// The value as JSON: as it is where it starts like JSON or is some, else quoted.
static limber_result write_json(limberi_buffer* out, const limberi_row* row, const char* value) {
    const char* start = skip_blanks(value);
    bool bracket = *start == '{' || *start == '[' || *start == '"';
    limber_key_type type = row ? row->key.type : LIMBER_KEY_OTHER;
    limber_result tried = try_json(value);
    if (bracket)
        limberi_buffer_add(out, value);
    else if (type == LIMBER_KEY_TEXT)
        limberi_json_quote(out, value);
    else if (type == LIMBER_KEY_LIST)
        write_list(out, value);
    else if (type == LIMBER_KEY_VECTOR)
        limberi_buffer_format(out, "[%s]", value);
    else if (tried == LIMBER_OK)
        limberi_buffer_add(out, value);
    else
        limberi_json_quote(out, start);
    return out->failed || tried == LIMBER_ERROR_MEMORY ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

// --- both ---

static limber_result set_json(limber_style* style, const limberi_address* address, const char* text,
                              limber_error* error) {
    static const limberi_json_place nowhere = {0, 0};
    limberi_json_document json;
    limber_result result = limberi_json_read(text, strlen(text), NULL, &json, error);
    if (result)
        return limberi_style_at(error, result, nowhere, address);
    result = limberi_style_change(style, &json, address, false, error);
    limberi_json_free(&json);
    return result;
}

static limber_result set_value(limber_style* style, const limberi_address* address, const char* value,
                               limber_error* error) {
    static const limberi_json_place nowhere = {0, 0};
    int32_t row = limberi_row_find(address);
    const limberi_row* known = row < 0 ? NULL : limberi_row_at((uint32_t)row);
    if (!*skip_blanks(value) && known && known->key.type != LIMBER_KEY_TEXT)
        return limberi_style_at(error, limberi_fail(error, LIMBER_ERROR_DATA, "a value is missing"), nowhere, address);
    limberi_buffer text = {NULL, 0, 0, false};
    limber_result result =
        write_json(&text, known, value) ? limberi_fail_memory(error) : set_json(style, address, text.data, error);
    limberi_buffer_free(&text);
    return result;
}

// What stands in a style can be written and read again, so a path must be text.
static limber_result check_text(const char* path, limber_error* error) {
    limberi_buffer quoted = {NULL, 0, 0, false};
    limberi_json_quote(&quoted, path);
    limber_result tried = quoted.failed ? LIMBER_ERROR_MEMORY : try_json(quoted.data);
    limberi_buffer_free(&quoted);
    if (tried == LIMBER_ERROR_MEMORY)
        return limberi_fail_memory(error);
    return tried ? limberi_fail(error, LIMBER_ERROR_DATA, "the path is not UTF-8 text") : LIMBER_OK;
}

limber_result limber_style_set(limber_style* style, const char* path, const char* value, limber_error* error) {
    limberi_address address;
    limberi_arena scratch = {NULL, false};
    char tidy[96];
    char* keys = limberi_arena_string(&scratch, path);
    limber_result result = keys ? check_text(path, error) : limberi_fail_memory(error);
    if (!result)
        result = split_path(keys, *skip_blanks(value) == '{', &address, error);
    limberi_json_tidy(path, tidy, sizeof tidy);
    result = result ? limberi_at(error, result, "%s", tidy) : set_value(style, &address, value, error);
    limberi_arena_free(&scratch);
    return result;
}
