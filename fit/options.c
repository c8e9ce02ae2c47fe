// Effects and filters that `fit` tries to add, one at a time.
#include "fit/fit_private.h"

#include <string.h>

static const double enough = 1e-4;     // of the energy: so little may be left without a reason to look further
static const double worth_left = 0.2;  // of what is left: an option that explains less than this is not worth it,
static const double worth_all = 0.002; // nor one that explains less of the energy
static const double starts[] = {1, 0.4, 2.5}; // times the start of the first number
enum { TRIAL_ROUNDS = 3, TRIAL_EVERY = 6, FULL_ROUNDS = 15, MAX_OPTIONS = 5 };

// What a trial may change, to go back to.
typedef struct state {
    uint32_t key_count, word_count;
    limberi_fit_key keys[LIMBERI_FIT_KEYS];
    limberi_fit_word words[LIMBERI_FIT_WORDS];
    double left;
} state;

static void save(const limberi_fit_search* s, state* kept) {
    kept->key_count = s->key_count;
    kept->word_count = s->word_count;
    memcpy(kept->keys, s->keys, sizeof kept->keys);
    memcpy(kept->words, s->words, sizeof kept->words);
    kept->left = s->left;
}

static void restore(limberi_fit_search* s, const state* kept) {
    s->key_count = kept->key_count;
    s->word_count = kept->word_count;
    memcpy(s->keys, kept->keys, sizeof kept->keys);
    memcpy(s->words, kept->words, sizeof kept->words);
    s->left = kept->left;
}

static bool works(const limberi_fit_search* s, limber_effect effect) {
    for (uint32_t i = 0; i < s->key_count; i++)
        if (s->keys[i].effect == effect && s->keys[i].row->gain && s->keys[i].x != 0)
            return true;
    return false;
}

static bool has_filter(const limberi_fit_search* s, limber_effect effect) {
    for (uint32_t i = 0; i < s->word_count; i++)
        if (s->words[i].effect == effect)
            return true;
    return false;
}

static bool has_row(const limberi_fit_search* s, limber_effect effect, const limberi_fit_row* row) {
    for (uint32_t i = 0; i < s->key_count; i++)
        if (s->keys[i].effect == effect && s->keys[i].row == row)
            return true;
    return false;
}

static bool fits(const limberi_fit_search* s, limber_effect effect, const limberi_fit_option* option) {
    if (!works(s, effect) || has_row(s, effect, option->rows))
        return false;
    if (option->filter && (has_filter(s, effect) || s->word_count == LIMBERI_FIT_WORDS))
        return false;
    return s->key_count + option->row_count <= LIMBERI_FIT_KEYS;
}

// The gains of all effects go along: what they made up for is now done by the option.
static limber_result try_option(limberi_fit_search* s, limber_effect effect, const limberi_fit_option* option,
                                double start, limber_error* error) {
    if (option->filter)
        s->words[s->word_count++] = (limberi_fit_word){effect, option->filter};
    uint32_t first = s->key_count;
    for (uint32_t i = 0; i < option->row_count; i++)
        limberi_fit_add_key(s, effect, &option->rows[i], NULL);
    limberi_fit_start(&s->keys[first], start * option->rows[0].start);
    for (uint32_t i = 0; i < s->key_count; i++)
        s->keys[i].active = true;
    limber_result result = limberi_fit_sum(s, &s->left, error);
    return result ? result : limberi_fit_descend(s, TRIAL_ROUNDS, error);
}

static limber_result try_starts(limberi_fit_search* s, limber_effect effect, const limberi_fit_option* option,
                                const state* before, state* best, limber_error* error) {
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        limber_result result = try_option(s, effect, option, starts[i], error);
        if (result)
            return result;
        if (s->left < best->left)
            save(s, best);
        restore(s, before);
    }
    return LIMBER_OK;
}

// *best is the state after the option that leaves least in some of the frames.
static limber_result try_all(limberi_fit_search* s, const state* before, state* best, limber_error* error) {
    limber_result result = limberi_fit_sum(s, &s->left, error);
    if (result)
        return result;
    save(s, best);
    for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        limberi_fit_option options[LIMBERI_FIT_OPTIONS];
        uint32_t count = limberi_fit_options_of((limber_effect)e, options);
        for (uint32_t o = 0; o < count; o++) {
            if (!fits(s, (limber_effect)e, &options[o]))
                continue;
            result = try_starts(s, (limber_effect)e, &options[o], before, best, error);
            if (result)
                return result;
        }
    }
    return LIMBER_OK;
}

static limber_result choose(limberi_fit_search* s, const state* before, limber_error* error) {
    state best;
    s->every = TRIAL_EVERY;
    limber_result result = try_all(s, before, &best, error);
    s->every = 1;
    if (result)
        return result;
    restore(s, &best);
    for (uint32_t i = 0; i < s->key_count; i++)
        s->keys[i].active = true;
    result = limberi_fit_sum(s, &s->left, error);
    return result ? result : limberi_fit_descend(s, FULL_ROUNDS, error);
}

limber_result limberi_fit_add_options(limberi_fit_search* s, limber_error* error) {
    state before;
    for (uint32_t n = 0; n < MAX_OPTIONS && s->left > enough * s->energy; n++) {
        save(s, &before);
        limber_result result = choose(s, &before, error);
        if (result)
            return result;
        double gained = before.left - s->left;
        bool worth_it = gained >= worth_left * before.left && gained >= worth_all * s->energy; // not where it is NaN
        if (!worth_it) {
            restore(s, &before);
            break;
        }
    }
    return LIMBER_OK;
}
