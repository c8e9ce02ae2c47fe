// The settings of an effect, by what its description says: the names, kinds and defaults of its numbers.
#include "base/bits.h"
#include "deform/effects/keys.h"
#include "text/text.h"
#include "text/words.h"

#include <string.h>

const char* limber_effect_name(limber_effect effect) {
    return limberi_effects[effect]->name;
}

// --- defaults ---

static double default_of(const limber_key* key) {
    uint32_t words = key->choices ? limberi_words_in(key->choices, key->default_text) : 0;
    if (key->type == LIMBER_KEY_LIST)
        return words;
    return key->type == LIMBER_KEY_CHOICE ? limberi_lowest_bit(words)
                                          : limberi_decimal_read(key->default_text, strlen(key->default_text));
}

static void set_default(limber_effect_settings* settings, const limberi_row* row) {
    char* out = (char*)settings + row->offset;
    double value = default_of(&row->key);
    limber_number number = {(float)value, NULL};
    if (row->store == LIMBERI_STORE_DOUBLE)
        memcpy(out, &value, sizeof value);
    else
        memcpy(out, &number, sizeof number);
}

static bool is_number(const limberi_row* row) {
    return row->store == LIMBERI_STORE_NUMBER || row->store == LIMBERI_STORE_VALUE;
}

limber_effect_settings limber_effect_settings_default(limber_effect effect) {
    const limberi_effect* e = limberi_effects[effect];
    limber_effect_settings s;
    memset(&s, 0, sizeof s);
    s.filters = limber_filter_set_none();
    for (uint32_t i = 0; i < e->key_count; i++)
        if (is_number(&e->keys[i]) || e->keys[i].store == LIMBERI_STORE_DOUBLE)
            set_default(&s, &e->keys[i]);
    return s;
}

// --- names ---

static const char* short_name(const limberi_effect* effect, const limberi_row* row) {
    return row->key.path + strlen("effects.") + strlen(effect->name) + 1;
}

limber_number* limber_effect_number(limber_deform_settings* settings, limber_effect effect, const char* name) {
    const limberi_effect* e = limberi_effects[effect];
    for (uint32_t i = 0; i < e->key_count; i++)
        if (is_number(&e->keys[i]) && strcmp(short_name(e, &e->keys[i]), name) == 0)
            return (limber_number*)(void*)((char*)&settings->effects[effect] + e->keys[i].offset);
    return NULL;
}

const char* limberi_effect_number_name(const limberi_effect* effect, uint32_t number) {
    for (uint32_t i = 0; i < effect->key_count; i++)
        if (is_number(&effect->keys[i]) && effect->keys[i].offset == LIMBERI_PLACE_OF(number))
            return short_name(effect, &effect->keys[i]);
    return "";
}

// --- kinds ---

// A program's own effects have no keys, and all the numbers there are.
limberi_numbers limberi_effect_numbers(const limberi_effect* effect) {
    limberi_numbers numbers = {effect->key_count ? LIMBERI_VALUE_OWN : LIMBERI_VALUES, 0};
    for (uint32_t i = 0; i < effect->key_count; i++) {
        const limberi_row* row = &effect->keys[i];
        for (uint32_t n = 0; row->store == LIMBERI_STORE_NUMBER && n < LIMBERI_VALUES; n++) {
            if (row->offset != LIMBERI_PLACE_OF(n))
                continue;
            numbers.count = numbers.count > n + 1 ? numbers.count : n + 1;
            numbers.degrees |= strcmp(row->key.unit, "degrees") == 0 ? 1u << n : 0;
        }
    }
    return numbers;
}
