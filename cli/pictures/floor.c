// Where the floor of a clip lies: the height on which the plain character rests again and again.
#include "cli/pictures/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 1024 };

// What lies below a level: soles and paws are more than this share of a skin, the tip of a blade is less.
static const double RESTING_SHARE = 0.003;
// Of the character's size: soles are rounded and feet dip, but no farther.
static const float ROUNDING = 0.01f;
// Frames that may be lower than the floor: what a contact solver or a capture got wrong.
static const double WRONG_SHARE = 0.02;

static void measure_skin(floor_survey* s, const limber_model* model, bool scenery) {
    float* area = s->area;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        if (model->meshes[m].scenery == scenery)
            memcpy(area, model->meshes[m].areas, model->meshes[m].vertex_count * sizeof *area);
        area += model->meshes[m].vertex_count;
    }
    for (uint32_t v = 0; v < s->vertex_count; v++)
        s->whole_area += (double)s->area[v];
}

bool floor_survey_open(floor_survey* s, const limber_model* model, uint32_t frame_limit) {
    memset(s, 0, sizeof *s);
    s->vertex_count = model->vertex_count;
    s->frame_limit = frame_limit;
    s->size = model->size;
    s->area = calloc(s->vertex_count ? s->vertex_count : 1, sizeof *s->area);
    s->level = malloc(sizeof *s->level * (frame_limit ? frame_limit : 1));
    s->low = malloc(sizeof *s->low * (frame_limit ? frame_limit : 1));
    if (!s->area || !s->level || !s->low)
        return false;
    measure_skin(s, model, false);
    if (!(s->whole_area > 0)) // scenery counts when there is nothing else
        measure_skin(s, model, true);
    return true;
}

void floor_survey_close(floor_survey* s) {
    free(s->area);
    free(s->level);
    free(s->low);
    memset(s, 0, sizeof *s);
}

static bool counts(const floor_survey* s, const float* positions, uint32_t v) {
    return s->area[v] > 0 && isfinite(positions[3 * (size_t)v + 1]);
}

// The height under which the resting share of the surface lies, to a thousandth of the character's height.
static float resting_level(const floor_survey* s, const float* positions, float bottom, float top) {
    double bins[BINS] = {0};
    double below = 0;
    float scale = top > bottom ? (BINS - 1) / (top - bottom) : 0;
    for (uint32_t v = 0; v < s->vertex_count; v++)
        if (counts(s, positions, v))
            bins[(uint32_t)((positions[3 * (size_t)v + 1] - bottom) * scale)] += (double)s->area[v];
    uint32_t bin = 0;
    for (; bin + 1 < BINS; bin++) {
        below += bins[bin];
        if (below >= RESTING_SHARE * s->whole_area)
            break;
    }
    return scale > 0 ? bottom + (float)bin / scale : bottom;
}

void floor_survey_look(floor_survey* s, const float* positions) {
    float bottom = INFINITY;
    float top = -INFINITY;
    float low = INFINITY;
    if (s->frame_count >= s->frame_limit)
        return;
    for (uint32_t v = 0; v < s->vertex_count; v++)
        if (counts(s, positions, v)) {
            bottom = fminf(bottom, positions[3 * (size_t)v + 1]);
            top = fmaxf(top, positions[3 * (size_t)v + 1]);
        }
    if (!isfinite(bottom))
        return;
    float level = resting_level(s, positions, bottom, top);
    for (uint32_t v = 0; v < s->vertex_count; v++)
        if (counts(s, positions, v) && positions[3 * (size_t)v + 1] >= level - ROUNDING * s->size)
            low = fminf(low, positions[3 * (size_t)v + 1]);
    s->level[s->frame_count] = level;
    s->low[s->frame_count++] = low;
}

static int by_height(const void* a, const void* b) {
    float x = *(const float*)a;
    float y = *(const float*)b;
    return x < y ? -1 : x > y;
}

float floor_survey_height(const floor_survey* s) {
    float* sorted = malloc(sizeof *sorted * (s->frame_count ? s->frame_count : 1));
    float floor = NAN;
    if (!sorted || !s->frame_count) {
        free(sorted);
        return NAN;
    }
    memcpy(sorted, s->level, sizeof *sorted * s->frame_count);
    qsort(sorted, s->frame_count, sizeof *sorted, by_height);
    float level = sorted[(uint32_t)(WRONG_SHARE * s->frame_count)];
    free(sorted);
    for (uint32_t i = 0; i < s->frame_count; i++)
        if (s->low[i] >= level - ROUNDING * s->size)
            floor = fminf(floor, s->low[i]); // of a NAN and a number fminf takes the number
    return floor;
}
