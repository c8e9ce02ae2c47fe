// Which keys of a style `fit` may change, and where it starts.
#include "fit/fit_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Ranges lie inside those of the style's keys.
static const limberi_fit_row both[] = {{"linear", true, 0, -1e3, 1e3}, {"angular", true, 0, -1e3, 1e3}};
static const limberi_fit_row angular[] = {{"angular", true, 0, -1e3, 1e3}};
// A spring is seen only where something lags, so the gains do not start at 0.
static const limberi_fit_row overlap[] = {{"frequency", false, 2.2, 0.2, 30}, {"damping", false, 0.5, 0.02, 5},
                                          {"gain", true, 2, -1e3, 1e3},       {"max", false, 37, 1, 90},
                                          {"smooth", false, 0.03, 1e-3, 1},   {"reach", false, 0.75, 0.02, 50},
                                          {"linear", true, 0.5, -1e3, 1e3},   {"max_linear", false, 0.05, 1e-3, 50}};

static const limberi_fit_row max_bend[] = {{"max_bend", false, 45, 1, 180}};
static const limberi_fit_row max_squash[] = {{"max", false, 0.3, 1e-3, 10}};
static const limberi_fit_row lowpass[] = {{"filter.gamma", false, 0.4, 0.01, 1}};
static const limberi_fit_row spring[] = {{"filter.frequency", false, 3, 0.2, 60},
                                         {"filter.damping", false, 0.4, 0.02, 10}};

static const limberi_fit_option options[] = {
    {1u << LIMBER_EFFECT_FLOPPY | 1u << LIMBER_EFFECT_DRAG | 1u << LIMBER_EFFECT_FOLLOWTHROUGH, NULL, 1, max_bend},
    {1u << LIMBER_EFFECT_SQUASH, NULL, 1, max_squash},
    {LIMBERI_FIT_PAPERS, "lowpass", 1, lowpass},
    {LIMBERI_FIT_PAPERS, "spring", 2, spring},
};

uint32_t limberi_fit_option_count(void) {
    return sizeof options / sizeof *options;
}

const limberi_fit_option* limberi_fit_option_at(uint32_t index) {
    return &options[index];
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
    const limberi_fit_row* rows = effect == LIMBER_EFFECT_OVERLAP   ? overlap
                                  : effect == LIMBER_EFFECT_STRETCH ? angular
                                                                    : both;
    size_t count = rows == overlap ? sizeof overlap / sizeof *overlap : rows == angular ? 1 : 2;
    uint32_t layers = rows == overlap ? 0 : s->job->layer_count;
    for (size_t i = 0; i < count; i++) {
        limberi_fit_add_key(s, effect, &rows[i], NULL);
        for (uint32_t k = 0; k < layers; k++)
            limberi_fit_add_key(s, effect, &rows[i], s->job->layers[k]);
    }
}
