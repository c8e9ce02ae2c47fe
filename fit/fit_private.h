// Shared inside fit/: a search while it runs.
#ifndef LIMBERI_FIT_PRIVATE_H
#define LIMBERI_FIT_PRIVATE_H

#include "base/memory.h"
#include "deform/effects/effect.h"
#include "fit/fit.h"
#include <limber/stages/settings.h>

enum { LIMBERI_FIT_KEYS = 48, LIMBERI_FIT_WORDS = 8, LIMBERI_FIT_OPTIONS = 3 };

// --- keys.c: which numbers of a style are sought ---

typedef struct limberi_fit_key {
    char path[64];
    limber_effect effect;
    const limberi_fit_row* row;
    const char* layer; // the part of a gain that this layer scales; NULL: that which nothing does
    double x;          // the number, or its logarithm
    double step;       // of the difference quotient
    bool active;       // sought right now; others stay as they are
    bool in_base;      // the base style has it: without it the style says 0
} limberi_fit_key;

// Which filter an effect has: lowpass, spring.
typedef struct limberi_fit_word {
    limber_effect effect;
    const char* filter;
} limberi_fit_word;

// What can be added to an effect that the gains alone do not do: a limit, a filter.
typedef struct limberi_fit_option {
    const char* filter; // its type; NULL: none
    uint32_t row_count;
    const limberi_fit_row* rows; // several starts are tried for the first one
} limberi_fit_option;

typedef struct limberi_fit_search limberi_fit_search;

// `layer` may be NULL.
void limberi_fit_add_key(limberi_fit_search* s, limber_effect effect, const limberi_fit_row* row, const char* layer);
void limberi_fit_add_effect(limberi_fit_search* s, limber_effect effect);
uint32_t limberi_fit_options_of(limber_effect effect, limberi_fit_option options[LIMBERI_FIT_OPTIONS]);
double limberi_fit_value(const limberi_fit_key* key);
void limberi_fit_start(limberi_fit_key* key, double value);

// --- frames.c: the frames that are compared ---

typedef struct limberi_fit_frame {
    uint32_t clip; // of the plain file
    double time_s;
    const float* wanted; // [vertex * 3]
} limberi_fit_frame;

struct limberi_fit_search {
    limberi_arena arena;
    const limberi_fit_job* job;
    const limber_model* model;
    limber_pipeline *plain, *wanted;
    limber_bound_style* base;
    uint32_t frame_count;
    limberi_fit_frame* frames;
    uint32_t every; // only every so many frames count right now
    double energy;  // sum of the squared displacements of all these frames
    uint32_t key_count, word_count;
    limberi_fit_key keys[LIMBERI_FIT_KEYS];
    limberi_fit_word words[LIMBERI_FIT_WORDS];
    double left; // sum of the squared distances that these keys leave in the frames that count
    uint32_t passes;
};

LIMBER_MUST_USE limber_result limberi_fit_frames_find(limberi_fit_search* s, limber_error* error);
// Over all frames of one clip; `fitted` is a pipeline of the plain asset.
LIMBER_MUST_USE limber_result limberi_fit_measure_clip(limberi_fit_search* s, limber_pipeline* fitted, uint32_t index,
                                                       limberi_fit_measure* measure, limber_error* error);

// --- descend.c: from some numbers to better ones ---

// A style from base, words and keys.
LIMBER_MUST_USE limber_result limberi_fit_style(const limberi_fit_search* s, limber_style** style, limber_error* error);
LIMBER_MUST_USE limber_result limberi_fit_pipeline(limberi_fit_search* s, limber_pipeline** pipeline,
                                                   limber_error* error);
LIMBER_MUST_USE limber_result limberi_fit_sum(limberi_fit_search* s, double* sum, limber_error* error);
// Up to `rounds` steps of the active keys; s->left is up to date before and after.
LIMBER_MUST_USE limber_result limberi_fit_descend(limberi_fit_search* s, uint32_t rounds, limber_error* error);

// --- options.c: limits and filters, where they help ---

LIMBER_MUST_USE limber_result limberi_fit_add_options(limberi_fit_search* s, limber_error* error);

// --- solve.c ---

// (A + damping diag A) x = b for the symmetric A of normal equations [n * n]; what has no influence (a zero column) is 0.
// False where it cannot be solved.
bool limberi_fit_solve(uint32_t n, const double* a, const double* b, double damping, double* x);

#endif
