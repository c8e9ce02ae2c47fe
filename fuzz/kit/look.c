// Styles out of a fuzzer's bytes: a preset or nothing, and keys of the table with values of their kind on top.
#include "fuzz/kit/look.h"

#include <limber/stages/keys.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// One of the words of a list with spaces between them.
static void pick_word(fuzz_bytes* b, const char* words, char* out, size_t size) {
    const char* at = words;
    for (uint32_t skip = fuzz_below(b, 8); skip > 0; skip--) {
        const char* next = strchr(at, ' ');
        at = next ? next + 1 : words;
    }
    snprintf(out, size, "%.*s", (int)strcspn(at, " "), at);
}

static void pick_number(fuzz_bytes* b, const limber_key* key, char* out, size_t size, bool* mild) {
    double low = isfinite(key->min) ? key->min : -1e6, high = isfinite(key->max) ? key->max : 1e6;
    double near_low = fmax(low, -2), near_high = fmin(high, 2);
    double values[] = {low, high, 0.5 * (near_low + near_high), 0.1, 1, near_high, near_low, 0.02};
    double value = values[fuzz_below(b, 8)];
    if (strcmp(key->path, "derivative_step") == 0) // ten thousand samples per second take their time
        value = fmax(value, 0.01);
    bool lift = strncmp(key->path, "effects.lift.", 13) == 0; // in a chain it takes squares of squares
    if (fabs(value) > 1000 || (lift && value != 0))
        *mild = false;
    snprintf(out, size, "%.9g", value);
}

static void pick_formula(fuzz_bytes* b, char* out, size_t size, bool* mild) {
    static const char* const texts[] = {"0.4 * height",
                                        "sin(t * 5)",
                                        "x + y * z",
                                        "phase",
                                        "noise(x, y, z)",
                                        "1 / (height - 0.5)",
                                        "exp(50 * height)",
                                        "u * 0.3",
                                        "paint.floppy",
                                        "voronoi(x, y, z)",
                                        "0.2 * step(0.5, height)",
                                        "-frame"};
    uint32_t which = fuzz_below(b, sizeof texts / sizeof *texts);
    if (which == 5 || which == 6)
        *mild = false;
    snprintf(out, size, "%s", texts[which]);
}

static void pick_other(fuzz_bytes* b, char* out, size_t size) {
    static const char* const texts[] = {"\"auto\"",
                                        "\"none\"",
                                        "[]",
                                        "{}",
                                        "[{\"joint\": \"*\", \"elongate\": 0.3}]",
                                        "[{\"joint\": \"root0\", \"keys\": [[0.1, [1, 0, 0]]], \"relative\": true}]",
                                        "[{\"shape\": \"sphere\", \"joint\": \"root0\", \"radius\": 0.5}]",
                                        "[{\"shape\": \"plane\", \"from\": [0, 0, 0], \"to\": [0, 1, 0]}]",
                                        "[{\"joint\": \"*\", \"from\": 0, \"to\": 1}]",
                                        "{\"spring\": 1}",
                                        "true",
                                        "[0, -9.8, 0]"};
    snprintf(out, size, "%s", texts[fuzz_below(b, sizeof texts / sizeof *texts)]);
}

static void pick_value(fuzz_bytes* b, const limber_key* key, char* out, size_t size, bool* mild) {
    char word[64];
    bool by_word = key->choices && key->choices[0] && fuzz_chance(b, 128);
    if (key->type == LIMBER_KEY_NUMBER && fuzz_chance(b, 70))
        pick_formula(b, out, size, mild);
    else if (key->type == LIMBER_KEY_LIST) {
        pick_word(b, key->choices && key->choices[0] ? key->choices : "root0 Hips1 *", word, sizeof word);
        snprintf(out, size, "[\"%s\"]", word);
    } else if (by_word || (key->type == LIMBER_KEY_CHOICE && key->choices))
        pick_word(b, key->choices, out, size);
    else if (key->type == LIMBER_KEY_NUMBER || key->type == LIMBER_KEY_CONSTANT)
        pick_number(b, key, out, size, mild);
    else if (key->type == LIMBER_KEY_SWITCH)
        snprintf(out, size, "%s", fuzz_chance(b, 128) ? "true" : "false");
    else if (key->type == LIMBER_KEY_VECTOR)
        snprintf(out, size, "[%g, %g, %g]", (double)fuzz_mild(b), (double)fuzz_mild(b), (double)fuzz_mild(b));
    else if (key->type == LIMBER_KEY_TEXT)
        pick_word(b, "floppy * root0 skirt world surface", out, size);
    else
        pick_other(b, out, size);
}

// "joints.*.drag" may become the path of one joint.
static void pick_path(fuzz_bytes* b, const char* path, char* out, size_t size) {
    const char* star = strstr(path, ".*.");
    char name[32];
    if (!star || fuzz_chance(b, 128)) {
        snprintf(out, size, "%s", path);
        return;
    }
    pick_word(b, "root0 Hips* body node *1", name, sizeof name);
    snprintf(out, size, "%.*s.%s.%s", (int)(star - path), path, name, star + 3);
}

limber_style* fuzz_look(fuzz_bytes* b, bool* mild) {
    limber_style* style;
    limber_error error;
    FUZZ_CHECK(limber_style_create(&style, &error) == LIMBER_OK);
    if (fuzz_chance(b, 140)) {
        const limber_preset* preset = limber_preset_at(fuzz_below(b, limber_preset_count()));
        FUZZ_CHECK(limber_style_read(style, preset->text, strlen(preset->text), &error) == LIMBER_OK);
    }
    for (uint32_t i = fuzz_below(b, 8); i > 0; i--) {
        const limber_key* key = limber_key_at(fuzz_below(b, limber_key_count()));
        char path[128], value[160];
        pick_path(b, key->path, path, sizeof path);
        pick_value(b, key, value, sizeof value, mild);
        if (limber_style_set(style, path, value, &error) != LIMBER_OK)
            FUZZ_CHECK(error.message[0] != 0);
    }
    return style;
}
