// Fuzzes styles: any bytes in, an error or a style out. A style comes back from its text, binds or says why not, and a
// single key may be set on top of it: what follows a zero byte is a path, what follows the next one its value.
//
// Plain mutation of bytes rarely spells a key, so the mutator (kit/style_words.c) also drops in keys and words of the
// table.
#include <limber/asset.h>
#include <limber/stages/keys.h>
#include <limber/stages/settings.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/style_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void check(bool holds) {
    if (!holds)
        abort();
}

static void check_error(const limber_error* error, limber_result result) {
    check(error->result == result && error->message[0]);
    check(!strpbrk(error->message, "\r\n") && !strpbrk(error->place, "\r\n"));
}

static void check_bind(const limber_style* style) {
    static limber_asset* asset;
    if (!asset)
        asset = style_kit_asset();
    limber_bound_style* bound;
    limber_error error;
    limber_result result = limber_style_bind(style, asset, &bound, &error);
    check((result == LIMBER_OK) == (bound != NULL));
    if (result != LIMBER_OK) {
        check_error(&error, result);
        return;
    }
    for (uint32_t i = 0; i < limber_bound_style_warning_count(bound); i++)
        check(limber_bound_style_warning(bound, i)[0] != 0);
    limber_deformer* deformer;
    if (limber_deformer_create(asset, &limber_bound_style_settings(bound)->deform, &deformer, &error) == LIMBER_OK)
        limber_deformer_destroy(deformer);
    limber_bound_style_destroy(bound);
}

static void check_style(limber_style* style) {
    limber_style* again = NULL;
    limber_error error;
    const char* text = limber_style_text(style);
    check(text && limber_style_create(&again, &error) == LIMBER_OK);
    check(limber_style_read(again, text, strlen(text), &error) == LIMBER_OK);
    check(strcmp(limber_style_text(again), text) == 0);
    limber_style_destroy(again);
    check_bind(style);
}

// Copies `size` bytes from `data` and ends them with a zero.
static char* string_of(const uint8_t* data, size_t size) {
    char* text = malloc(size + 1);
    check(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    limber_style* style;
    limber_error error;
    const uint8_t* split = size ? memchr(data, 0, size) : NULL;
    size_t length = split ? (size_t)(split - data) : size;
    check(limber_style_create(&style, &error) == LIMBER_OK);
    limber_result result = limber_style_read(style, (const char*)data, length, &error);
    if (result != LIMBER_OK)
        check_error(&error, result);
    check_style(style);
    if (split) {
        char* path = string_of(split + 1, size - length - 1);
        size_t path_length = strlen(path);
        const char* value = path_length + 1 < size - length ? path + path_length + 1 : "0.5";
        result = limber_style_set(style, path, value, &error);
        if (result != LIMBER_OK)
            check_error(&error, result);
        check_style(style);
        free(path);
    }
    limber_style_destroy(style);
    return 0;
}
