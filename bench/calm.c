// How calm the presets are: for every clip of the given characters, the largest change of an effect from one sample to
// the next beside the largest change of the plain motion, at 240 samples per second, and the seam of loops. Lengths are
// in L. `limber_calm --help` has the options.
#include "characters/characters.h"
#include <limber/bvh.h>
#include <limber/gltf.h>
#include <limber/limber.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double least_speed = 0.48; // L/s: nobody sees less from one sample to the next
static const double closed = 2e-3;      // L: a clip whose ends are this near is seen as a loop

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
    double change_s;                      // when
    bool loops;
} figures;

typedef struct totals {
    uint32_t cells, pops, seams;
    double worst_pop, worst_seam;
} totals;

// What a frame is compared with.
typedef struct trail {
    float *plain, *moved; // 3 per vertex: of the sample before
    float *first_plain, *first_moved;
} trail;

// The largest of the vectors a - b; b NULL: of a.
static double farthest(const float* a, const float* b, uint32_t vertices) {
    float most = 0;
    for (size_t v = 0; v < 3 * (size_t)vertices; v += 3) {
        float x = a[v], y = a[v + 1], z = a[v + 2];
        if (b) {
            x -= b[v];
            y -= b[v + 1];
            z -= b[v + 2];
        }
        float square = x * x + y * y + z * z;
        if (square > most)
            most = square;
    }
    return sqrt((double)most);
}

// A jump cut is not motion.
static bool crosses_cut(const limber_clip* clip, double from_s, double to_s) {
    for (uint32_t i = 0; i < clip->cut_count; i++)
        if (clip->cuts[i].after_s > from_s && clip->cuts[i].before_s < to_s)
            return true;
    return false;
}

static void look(uint32_t vertices, bool compares, double time_s, const float* plain, const float* styled, trail* t,
                 float* moved, figures* f) {
    size_t bytes = 3 * (size_t)vertices * sizeof *plain;
    for (size_t i = 0; i < 3 * (size_t)vertices; i++)
        moved[i] = styled[i] - plain[i];
    f->strength = fmax(f->strength, farthest(moved, NULL, vertices));
    if (compares) {
        double change = farthest(moved, t->moved, vertices);
        f->plain = fmax(f->plain, farthest(plain, t->plain, vertices));
        f->change_s = change > f->change ? time_s : f->change_s;
        f->change = fmax(f->change, change);
    }
    memcpy(t->plain, plain, bytes);
    memcpy(t->moved, moved, bytes);
}

static bool measure(const options* o, limber_pipeline* plain, limber_pipeline* styled, uint32_t clip_index,
                    figures* f) {
    const limber_model* model = limber_asset_model(limber_pipeline_asset(plain));
    const limber_clip* clip = &model->clips[clip_index];
    size_t numbers = 3 * (size_t)model->vertex_count + 1;
    float* memory = calloc(5 * numbers, sizeof *memory);
    if (!memory)
        return false;
    trail t = {memory, memory + numbers, memory + 2 * numbers, memory + 3 * numbers};
    double start = clip->start_s, end = clip->end_s;
    if (o->seconds > 0 && end - start > o->seconds) {
        start = 0.5 * (start + end - o->seconds);
        end = start + o->seconds;
    }
    uint32_t frames = (uint32_t)fmax(ceil((end - start) * o->rate - 1e-6), 0) + 1;
    bool good = true;
    memset(f, 0, sizeof *f);
    for (uint32_t i = 0; good && i < frames; i++) {
        double time_s = i + 1 < frames ? start + i / o->rate : end;
        limber_frame a, b;
        good = limber_pipeline_evaluate(plain, (int32_t)clip_index, time_s, &a) == LIMBER_OK &&
               limber_pipeline_evaluate(styled, (int32_t)clip_index, time_s, &b) == LIMBER_OK;
        bool compares = i && !crosses_cut(clip, time_s - 1 / o->rate, time_s);
        if (good)
            look(model->vertex_count, compares, time_s, a.positions, b.positions, &t, memory + 4 * numbers, f);
        if (i == 0)
            memcpy(t.first_plain, t.plain, 2 * numbers * sizeof *memory);
    }
    double gap = farthest(t.plain, t.first_plain, model->vertex_count);
    bool whole = start <= clip->start_s && end >= clip->end_s;
    f->loops = whole && frames > 3 && gap < closed * (double)model->size;
    if (f->loops)
        f->seam = farthest(t.moved, t.first_moved, model->vertex_count);
    double per_size = 1 / (double)model->size;
    f->plain *= per_size;
    f->change *= per_size;
    f->seam *= per_size;
    f->strength *= per_size;
    free(memory);
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

static void print_row(const options* o, const char* file, const char* clip, const char* style, const figures* f,
                      double pop) {
    const char* row =
        o->markdown ? "| %s | %s | %s | %.4f | %.4f | %.2f | %s |\n" : "%-18.18s %-22.22s %-13.13s %.4f %.4f %6.2f  %s";
    char seam[16] = "-";
    if (f->loops)
        snprintf(seam, sizeof seam, "%.4f", f->seam);
    printf(row, file, clip, style, f->plain, f->change, pop, seam);
    if (!o->markdown)
        printf("  at %.3f strength %.3f%s%s\n", f->change_s, f->strength, pop > 2.5 ? "  POP" : "",
               f->seam > 0.004 ? "  SEAM" : "");
}

static bool measure_style(const options* o, const limber_asset* asset, const char* file, uint32_t style, totals* t) {
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline *plain = make_pipeline(o, asset, NULL), *styled = make_pipeline(o, asset, o->styles[style]);
    bool good = plain && styled;
    for (uint32_t c = 0; good && c < model->clip_count; c++) {
        figures f = {0};
        good = measure(o, plain, styled, c, &f);
        double pop = f.change / fmax(f.plain, least_speed / o->rate);
        t->cells++;
        t->pops += pop > 2.5;
        t->seams += f.seam > 0.004;
        t->worst_pop = fmax(t->worst_pop, pop);
        t->worst_seam = fmax(t->worst_seam, f.seam);
        if (o->rows)
            print_row(o, file, model->clips[c].name, o->styles[style], &f, pop);
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
