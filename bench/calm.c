// How calm the presets are: for every clip of the given characters, the largest change of an effect from one sample to
// the next beside the largest change of the plain motion, at 240 samples per second, and the seam of loops. Lengths are
// in L. `limber_calm --help` has the options.
#include "characters/characters.h"
#include "review/bounds.h"
#include "review/changes.h"
#include <limber/bvh.h>
#include <limber/gltf.h>
#include <limber/limber.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STYLES = 32 };

typedef struct options {
    const char* styles[STYLES];
    uint32_t style_count;
    const char* settings[STYLES]; // path=value, on top of every style
    uint32_t setting_count;
    double rate, seconds;
    bool rows, markdown;
} options;

typedef struct figures {
    double plain, change, seam, strength; // in L
    double pop, change_s;                 // how much, and when
    bool loops;
} figures;

typedef struct totals {
    uint32_t cells, pops, seams;
    double worst_pop, worst_seam;
} totals;

static bool play(const options* o, limber_pipeline* plain, limber_pipeline* styled, uint32_t clip, double start_s,
                 double end_s, limberi_changes* changes) {
    uint32_t frames = (uint32_t)fmax(ceil((end_s - start_s) * o->rate - 1e-6), 0) + 1;
    for (uint32_t i = 0; i < frames; i++) {
        double time_s = i + 1 < frames ? start_s + i / o->rate : end_s;
        limber_frame a, b;
        if (limber_pipeline_evaluate(plain, (int32_t)clip, time_s, &a) != LIMBER_OK ||
            limber_pipeline_evaluate(styled, (int32_t)clip, time_s, &b) != LIMBER_OK)
            return false;
        limberi_changes_add(changes, time_s, a.positions, b.positions);
    }
    return true;
}

static void read_changes(const options* o, const limberi_changes* changes, bool whole, double size, figures* f) {
    f->plain = changes->plain_change / size;
    f->change = changes->change.length / size;
    f->change_s = changes->change_s;
    f->strength = changes->strength / size;
    f->pop = limberi_changes_pop(changes, size, o->rate);
    f->loops = whole && changes->frame_count > 3 && limberi_changes_gap(changes) < LIMBERI_CLOSED * size;
    f->seam = f->loops ? limberi_changes_seam(changes).length / size : 0;
}

static bool measure(const options* o, limber_pipeline* plain, limber_pipeline* styled, uint32_t clip_index,
                    figures* f) {
    const limber_model* model = limber_asset_model(limber_pipeline_asset(plain));
    const limber_clip* clip = &model->clips[clip_index];
    double start = clip->start_s, end = clip->end_s;
    if (o->seconds > 0 && end - start > o->seconds) {
        start = 0.5 * (start + end - o->seconds);
        end = start + o->seconds;
    }
    limberi_arena arena = {NULL, false};
    limberi_changes changes;
    bool good = limberi_changes_begin(&changes, &arena, clip, model->vertex_count) &&
                play(o, plain, styled, clip_index, start, end, &changes);
    if (good)
        read_changes(o, &changes, start <= clip->start_s && end >= clip->end_s, (double)model->size, f);
    limberi_arena_free(&arena);
    return good;
}

static limber_result set(limber_style* style, const char* setting, limber_error* error) {
    char path[128];
    const char* value = strchr(setting, '=');
    if (!value || (size_t)(value - setting) >= sizeof path)
        return LIMBER_ERROR_ARGUMENT;
    memcpy(path, setting, (size_t)(value - setting));
    path[value - setting] = 0;
    return limber_style_set(style, path, value + 1, error);
}

static limber_pipeline* make_pipeline(const options* o, const limber_asset* asset, const char* name) {
    limber_style* style = NULL;
    limber_pipeline* made = NULL;
    limber_error error = {0};
    limber_result result = LIMBER_OK;
    if (name)
        result = limber_style_create(&style, &error);
    if (!result && name && strchr(name, '{'))
        result = limber_style_read(style, name, strlen(name), &error);
    else if (!result && name)
        result = limber_style_read_preset(style, name, &error);
    for (uint32_t i = 0; !result && name && i < o->setting_count; i++)
        result = set(style, o->settings[i], &error);
    if (!result)
        result = limber_pipeline_create(asset, style, &made, &error);
    if (result)
        fprintf(stderr, "limber_calm: %s: %s\n", name ? name : "plain", error.message);
    limber_style_destroy(style);
    if (made)
        limber_pipeline_set_outputs(made, 0);
    return made;
}

static void print_row(const options* o, const char* file, const char* clip, const char* style, const figures* f) {
    const char* row =
        o->markdown ? "| %s | %s | %s | %.4f | %.4f | %.2f | %s |\n" : "%-18.18s %-22.22s %-13.13s %.4f %.4f %6.2f  %s";
    char seam[16] = "-";
    if (f->loops)
        snprintf(seam, sizeof seam, "%.4f", f->seam);
    printf(row, file, clip, style, f->plain, f->change, f->pop, seam);
    if (!o->markdown)
        printf("  at %.3f strength %.3f%s%s\n", f->change_s, f->strength, f->pop > LIMBERI_POP_BOUND ? "  POP" : "",
               f->seam > LIMBERI_SEAM_BOUND ? "  SEAM" : "");
}

static bool measure_style(const options* o, const limber_asset* asset, const char* file, uint32_t style, totals* t) {
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline *plain = make_pipeline(o, asset, NULL), *styled = make_pipeline(o, asset, o->styles[style]);
    bool good = plain && styled;
    for (uint32_t c = 0; good && c < model->clip_count; c++) {
        figures f = {0};
        good = measure(o, plain, styled, c, &f);
        t->cells++;
        t->pops += f.pop > LIMBERI_POP_BOUND;
        t->seams += f.seam > LIMBERI_SEAM_BOUND;
        t->worst_pop = fmax(t->worst_pop, f.pop);
        t->worst_seam = fmax(t->worst_seam, f.seam);
        if (o->rows)
            print_row(o, file, model->clips[c].name, o->styles[style], &f);
    }
    limber_pipeline_destroy(plain);
    limber_pipeline_destroy(styled);
    return good;
}

typedef struct character {
    limber_gltf* gltf;
    limber_bvh* bvh;
    limber_asset* made;
    const limber_asset* asset;
} character;

static bool load(const char* path, character* c) {
    limber_error error = {0};
    limber_result result;
    const char* ending = strrchr(path, '.');
    memset(c, 0, sizeof *c);
    if (!ending) {
        result = limberi_character_create(path, 1, &c->made, &error);
        c->asset = c->made;
    } else if (strcmp(ending, ".bvh") == 0) {
        result = limber_bvh_load_file(path, NULL, &c->bvh, &error);
        c->asset = result ? NULL : limber_bvh_asset(c->bvh);
    } else {
        result = limber_gltf_load_file(path, NULL, &c->gltf, &error);
        c->asset = result ? NULL : limber_gltf_asset(c->gltf);
    }
    if (result)
        fprintf(stderr, "limber_calm: %s: %s\n", path, error.message);
    return !result;
}

static void unload(character* c) {
    limber_gltf_destroy(c->gltf);
    limber_bvh_destroy(c->bvh);
    limber_asset_destroy(c->made);
}

static const char* short_name(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static uint32_t print_totals(const char* style, const totals* t) {
    printf("%-14.14s %u clips, %u pop (worst %.2f), %u seams (worst %.4f)\n", style, t->cells, t->pops, t->worst_pop,
           t->seams, t->worst_seam);
    return t->pops + t->seams;
}

static int help(void) {
    puts("limber_calm [--style PRESET]... [--set PATH=VALUE]... [--rate N] [--seconds N] [--totals] [--markdown] "
         "FILE|CHARACTER...\n"
         "Prints one row per clip and preset; exit status 1 when a bound is broken.");
    return 2;
}

static int read_options(int count, char** words, options* o) {
    int first = 1;
    for (; first < count && strncmp(words[first], "--", 2) == 0; first++) {
        bool more = first + 1 < count;
        if (strcmp(words[first], "--style") == 0 && more && o->style_count < STYLES)
            o->styles[o->style_count++] = words[++first];
        else if (strcmp(words[first], "--set") == 0 && more && o->setting_count < STYLES)
            o->settings[o->setting_count++] = words[++first];
        else if (strcmp(words[first], "--rate") == 0 && more)
            o->rate = atof(words[++first]);
        else if (strcmp(words[first], "--seconds") == 0 && more)
            o->seconds = atof(words[++first]);
        else if (strcmp(words[first], "--totals") == 0)
            o->rows = false;
        else if (strcmp(words[first], "--markdown") == 0)
            o->markdown = true;
        else
            return count;
    }
    if (!o->style_count)
        for (; o->style_count < limber_preset_count() && o->style_count < STYLES; o->style_count++)
            o->styles[o->style_count] = limber_preset_at(o->style_count)->name;
    return o->rate > 0 ? first : count;
}

static bool measure_character(const options* o, const char* path, totals* per_style) {
    character c;
    if (!load(path, &c))
        return false;
    bool good = true;
    for (uint32_t s = 0; good && s < o->style_count; s++)
        good = measure_style(o, c.asset, short_name(path), s, &per_style[s]);
    unload(&c);
    fflush(stdout);
    return good;
}

int main(int count, char** words) {
    options o = {.rate = 240, .rows = true};
    totals per_style[STYLES];
    memset(per_style, 0, sizeof per_style);
    int first = read_options(count, words, &o), status = 0;
    if (first == count)
        return help();
    for (int i = first; i < count; i++)
        if (!measure_character(&o, words[i], per_style))
            status = 1;
    for (uint32_t s = 0; s < o.style_count; s++)
        if (print_totals(o.styles[s], &per_style[s]))
            status = 1;
    return status;
}
