// Which keys of a style `fit` may change, and where it starts: what the descriptions of the effects say.
#include "fit/fit_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Ranges lie inside those of the style's keys. The gains stand in the order of the parts.
static const limberi_fit_row gains[] = {{.name = "linear", .gain = true, .low = -1e3, .high = 1e3},
                                        {.name = "angular", .gain = true, .low = -1e3, .high = 1e3}};
static const limberi_fit_row max_bend = {.name = "max_bend", .start = 45, .low = 1, .high = 180};
static const limberi_fit_row lowpass = {.name = "filter.gamma", .start = 0.4, .low = 0.01, .high = 1};
static const limberi_fit_row spring[] = {{.name = "filter.frequency", .start = 3, .low = 0.2, .high = 60},
                                         {.name = "filter.damping", .start = 0.4, .low = 0.02, .high = 10}};

uint32_t limberi_fit_effects(bool by_default) {
    uint32_t effects = 0;
    for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++)
        if (limberi_effects[e]->fit.is_offered && !(by_default && limberi_effects[e]->has_follower))
            effects |= 1u << e;
    return effects;
}

bool limberi_fit_wants_chain(uint32_t effects) {
    for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++)
        if (effects >> e & 1 && limberi_effects[e]->has_follower)
            return true;
    return false;
}

uint32_t limberi_fit_options_of(limber_effect effect, limberi_fit_option options[LIMBERI_FIT_OPTIONS]) {
    const limberi_effect* e = limberi_effects[effect];
    const limberi_fit_row* usual = e->bends ? &max_bend : NULL;
    const limberi_fit_row* limit = e->fit.limit ? e->fit.limit : usual;
    uint32_t count = 0;
    if (e->has_follower) // its springs and limits are among its rows
        return 0;
    if (limit)
        options[count++] = (limberi_fit_option){NULL, 1, limit};
    options[count++] = (limberi_fit_option){"lowpass", 1, &lowpass};
    options[count++] = (limberi_fit_option){"spring", 2, spring};
    return count;
}

double limberi_fit_value(const limberi_fit_key* key) {
    return key->row->gain ? key->x : exp(key->x);
}

void limberi_fit_start(limberi_fit_key* key, double value) {
    double inside = fmin(fmax(value, key->row->low), key->row->high);
    key->x = key->row->gain ? inside : log(inside);
}

static bool is_in_base(const limberi_fit_search* s, limber_effect effect, const limberi_fit_row* row) {
    const limber_effect_settings* settings = &limber_bound_style_settings(s->base)->deform.effects[effect];
    const limber_number* number = strcmp(row->name, "linear") == 0 ? &settings->linear : &settings->angular;
    return row->gain && (number->value != 0 || number->expression);
}

void limberi_fit_add_key(limberi_fit_search* s, limber_effect effect, const limberi_fit_row* row, const char* layer) {
    limberi_fit_key* key = &s->keys[s->key_count++];
    snprintf(key->path, sizeof key->path, "effects.%s.%s", limber_effect_name(effect), row->name);
    key->effect = effect;
    key->row = row;
    key->layer = layer;
    key->step = row->gain ? 1e-3 : 0.01;
    key->active = true;
    key->in_base = !layer && is_in_base(s, effect, row);
    limberi_fit_start(key, row->start);
}

void limberi_fit_add_effect(limberi_fit_search* s, limber_effect effect) {
    const limberi_effect* e = limberi_effects[effect];
    uint32_t count = e->fit.rows ? e->fit.row_count : 2;
    uint32_t layers = e->has_follower ? 0 : s->job->layer_count;
    for (uint32_t i = 0; i < count; i++) {
        const limberi_fit_row* row = e->fit.rows ? &e->fit.rows[i] : &gains[i];
        if (!e->fit.rows && !(e->parts >> i & 1))
            continue;
        limberi_fit_add_key(s, effect, row, NULL);
        for (uint32_t k = 0; k < layers; k++)
            limberi_fit_add_key(s, effect, row, s->job->layers[k]);
    }
}
