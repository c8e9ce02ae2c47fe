// What a review may at most be.
#include "review/bounds.h"

#include <math.h>
#include <string.h>

static const double min_motion = 0.01; // sizes: of clips that move less nothing is expected
static const double min_share = 0.25;  // of the plain motion that is enough to be seen

typedef struct band {
    const char* preset;
    double weak, strong, stretch, rigid, lag_s;
} band;

static const band bands[] = {
    {"subtle", 0.015, 0.07, 1.3, 0.02, 0.02},    {"cartoon", 0.05, 0.22, 1.8, 0.02, 0.04},
    {"rubberhose", 0.07, 0.30, 2.2, 0.02, 0.04}, {"jelly", 0.07, 0.35, 2.4, INFINITY, 0.04}, // may melt anything
    {"mocap-toon", 0.04, 0.30, 2.2, 0.02, 0.04},
};

static const band* band_of(const char* preset) {
    for (size_t i = 0; preset && i < sizeof bands / sizeof *bands; i++)
        if (strcmp(bands[i].preset, preset) == 0)
            return &bands[i];
    return NULL;
}

limberi_bounds limberi_bounds_of(const char* preset, bool keeps_rigid, bool no_props) {
    const band* own = band_of(preset);
    double rigid = keeps_rigid ? 0.02 : INFINITY;
    if (own)
        rigid = own->rigid;
    limberi_bounds bounds = {{[LIMBERI_BOUND_WEAK] = own ? own->weak : 0,
                              [LIMBERI_BOUND_STRONG] = own ? own->strong : INFINITY,
                              [LIMBERI_BOUND_STRETCH] = own ? own->stretch : INFINITY,
                              [LIMBERI_BOUND_RIGID] = no_props ? INFINITY : rigid,
                              [LIMBERI_BOUND_POP] = LIMBERI_POP_BOUND,
                              [LIMBERI_BOUND_FLOOR] = 0.01,
                              [LIMBERI_BOUND_SLIDE] = 0.015,
                              [LIMBERI_BOUND_SEAM] = LIMBERI_SEAM_BOUND,
                              [LIMBERI_BOUND_CRACK] = 0.002,
                              [LIMBERI_BOUND_SMEARED] = 0.6,
                              [LIMBERI_BOUND_SMEAR_STRETCH] = 3,
                              [LIMBERI_BOUND_SMEAR_RIGID] = no_props ? INFINITY : 0.1,
                              [LIMBERI_BOUND_SMEAR_IDLE] = 0.02,
                              [LIMBERI_BOUND_SMEAR_FLICKER] = 0.1},
                             own ? own->lag_s : 0};
    return bounds;
}

const char* limberi_bound_name(limberi_bound bound) {
    static const char* const names[LIMBERI_BOUND_COUNT] = {
        "weak", "strong", "stretch", "rigid",         "pop",         "floor",      "slide",
        "seam", "crack",  "smeared", "smear-stretch", "smear-rigid", "smear-idle", "smear-flicker"};
    return names[bound];
}

double limberi_bound_value(limberi_bound bound, const limberi_review* r) {
    const limberi_smear_review* s = &r->smears;
    double smeared = s->frame_count ? (double)s->smeared / s->frame_count : 0;
    const double values[LIMBERI_BOUND_COUNT] = {r->strength, r->strength, r->stretch, r->rigid,  r->pop,
                                                r->floor,    r->slide,    r->seam,    r->crack,  smeared,
                                                s->stretch,  s->rigid,    s->idle,    s->flicker};
    return values[bound];
}

// What moves little or slowly cannot be as strong as the band wants.
double limberi_bound_limit(limberi_bound bound, const limberi_bounds* b, const limberi_review* r) {
    double limit = b->limit[bound];
    if (bound != LIMBERI_BOUND_WEAK)
        return limit;
    return r->motion > min_motion ? fmin(limit, fmin(min_share * r->motion, b->lag_s * r->speed)) : 0;
}

uint32_t limberi_bounds_broken(const limberi_bounds* bounds, const limberi_review* review) {
    uint32_t broken = 0;
    for (int i = 0; i < LIMBERI_BOUND_COUNT; i++) {
        limberi_bound bound = (limberi_bound)i;
        double value = limberi_bound_value(bound, review);
        double limit = limberi_bound_limit(bound, bounds, review);
        if (bound == LIMBERI_BOUND_WEAK ? value < limit : value > limit)
            broken |= 1u << i;
    }
    return broken;
}
