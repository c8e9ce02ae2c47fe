// Landings: when the body comes down on the floor, how fast, and how it is squashed then.
#include "contact/contacts_private.h"

#include "base/math.h"
#include "base/memory.h"

#include <string.h>

// Lengths in scales, times in seconds (S12).
static const double on_floor = 0.015;        // above a level
static const double air_s = 0.05;            // in the air before a landing
static const double before_s = 0.1;          // where the fastest fall is looked for
static const double after_s = 0.25;          // until when it must have ended
static const double min_listed_speed = 0.35; // slower ones are not even listed
static const double hit_rise = 4;            // per second squared: a fall that the back or the hands stop
static const double hit_speed = 0.7;         // of such a fall
static const double hit_contact = 4;         // per second: how fast contacts must come with it
static const double apart_s = 0.3;           // between a landing and such a fall
static const double longest_s = 0.5;         // of a contact that counts

typedef struct seeker {
    const limberi_point_tracks* t;
    const limberi_grid* grid;
    uint8_t* on;            // [moment] the lowest point is on the floor
    const double* touching; // [moment] how many joints touch
    limberi_hit* hits;
    uint32_t count;
} seeker;

static double fastest_fall(const seeker* s, uint32_t at) {
    double fall = 0;
    for (int k = -limberi_grid_span(s->grid, before_s); k <= 0; k++)
        fall = fmax(fall, -limberi_point_tracks_fall(s->t, limberi_grid_shift(s->grid, at, k)));
    return fall;
}

static bool fall_ends(const seeker* s, uint32_t at, double fall) {
    for (int k = 0; k < limberi_grid_span(s->grid, after_s); k++)
        if (limberi_point_tracks_fall(s->t, limberi_grid_shift(s->grid, at, k)) > -0.5 * fall)
            return true;
    return false;
}

static bool was_in_air(const seeker* s, uint32_t at) {
    int span = limberi_grid_span(s->grid, air_s);
    for (int k = -span; k < 0; k++)
        if (s->on[limberi_grid_shift(s->grid, at, k)])
            return false;
    return s->grid->loops || at > (uint32_t)limberi_grid_span(s->grid, before_s);
}

static double lasts(const seeker* s, uint32_t at) {
    int max = limberi_grid_span(s->grid, longest_s);
    int k = 1;
    while (k < max && s->on[limberi_grid_shift(s->grid, at, k)])
        k++;
    return k * s->grid->step_s;
}

static void add_landing(seeker* s, uint32_t at, double speed, double lasts_s) {
    limberi_hit hit = {at * s->grid->step_s, speed, lasts_s};
    s->hits[s->count++] = hit;
}

static void find_landings(seeker* s) {
    for (uint32_t i = 0; i < s->grid->count; i++) {
        if (!s->on[i] || !was_in_air(s, i))
            continue;
        double fall = fastest_fall(s, i);
        if (fall > min_listed_speed && fall_ends(s, i, fall))
            add_landing(s, i, fall, lasts(s, i));
    }
}

static double rise(const seeker* s, uint32_t at) {
    uint32_t before = limberi_grid_shift(s->grid, at, -1);
    uint32_t after = limberi_grid_shift(s->grid, at, 1);
    double fall = limberi_point_tracks_fall(s->t, before);
    double later = limberi_point_tracks_fall(s->t, after);
    return (later - fall) / (2 * s->grid->step_s);
}

static bool is_near_another(const seeker* s, uint32_t count, uint32_t at) {
    double length = s->grid->count * s->grid->step_s;
    double time_s = at * s->grid->step_s;
    for (uint32_t i = 0; i < count; i++) {
        double off = fabs(time_s - s->hits[i].time_s);
        if ((s->grid->loops ? fmin(off, length - off) : off) <= apart_s)
            return true;
    }
    return false;
}

static bool is_hit(const seeker* s, uint32_t at) {
    double mine = rise(s, at);
    double comes = 0;
    int reach = limberi_grid_span(s->grid, before_s);
    for (int k = -reach; mine > hit_rise && k <= reach; k++) {
        uint32_t i = limberi_grid_shift(s->grid, at, k);
        uint32_t next = limberi_grid_shift(s->grid, i, 1);
        if (rise(s, i) > mine + 1e-9)
            return false;
        comes = fmax(comes, (s->touching[next] - s->touching[i]) / s->grid->step_s);
    }
    return mine > hit_rise && comes > hit_contact;
}

// A fall onto the back, without a flight before.
static void find_falls(seeker* s) {
    for (uint32_t i = 0; i < s->grid->count; i++) {
        bool early = !s->grid->loops && i <= (uint32_t)limberi_grid_span(s->grid, before_s);
        if (early || s->t->near_cut[i] || !is_hit(s, i) || is_near_another(s, s->count, i))
            continue;
        double fall = fastest_fall(s, i);
        if (fall > hit_speed)
            add_landing(s, i, fall, longest_s);
    }
}

// Whether a height is on the highest level below it.
static bool is_on_floor(const limberi_floor* floor, double height, double scale) {
    uint32_t at = 0;
    while (at + 1 < floor->level_count && floor->levels[at + 1] <= height + on_floor * scale)
        at++;
    return (height - floor->levels[at]) / scale < on_floor;
}

static void sort_by_time(seeker* s) {
    for (uint32_t i = 1; i < s->count; i++) {
        limberi_hit hit = s->hits[i];
        uint32_t at = i;
        for (; at > 0 && s->hits[at - 1].time_s > hit.time_s; at--)
            s->hits[at] = s->hits[at - 1];
        s->hits[at] = hit;
    }
}

limber_result limberi_find_hits(const limberi_point_tracks* t, const limberi_floor* floor, const double* touching,
                                limberi_arena* arena, limberi_hit** hits, uint32_t* count) {
    limberi_arena scratch = {NULL, false};
    seeker s = {.t = t,
                .grid = &t->grid,
                .touching = touching,
                .on = LIMBERI_ALLOCATE(&scratch, uint8_t, t->grid.count),
                .hits = LIMBERI_ALLOCATE(&scratch, limberi_hit, 2 * (size_t)t->grid.count)};
    *count = 0;
    if (!scratch.failed) {
        for (uint32_t i = 0; i < t->grid.count; i++)
            s.on[i] = is_on_floor(floor, t->low[i], t->support->scale);
        find_landings(&s);
        find_falls(&s);
        sort_by_time(&s);
        *hits = limberi_arena_copy(arena, s.hits, s.count, sizeof *s.hits);
        *count = *hits ? s.count : 0;
    }
    bool fine = !scratch.failed && *hits;
    limberi_arena_free(&scratch);
    return fine ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

// --- what a landing does ---

// S12.
static const double max_squash = 0.5;
static const double of_speed = 0.45;
static const double speed_half = 2;
static const double rise_s = 0.035;         // the squash begins this long before the contact
static const double longest_press_s = 0.09; // from the contact to the strongest squash
static const double settling = 0.35;        // damping ratio of the swing that follows
static const double stretch_before = 0.25;  // of the squash, just before the contact
static const double foreseen_s = 0.2;       // nothing happens earlier before a hit
static const double over_s = 12;            // what is left of the swing is less than rounding

// 0 up to the contact, 1 at the strongest squash, then a damped swing.
static double pulse(double x, double press_s) {
    double quarter = 0.05 + 0.6 * press_s;
    double b = LIMBERI_PI / 2 / quarter;
    double a = settling * b;
    double y = x - press_s;
    if (y < 0)
        return limberi_smooth_step(-rise_s, press_s, x);
    return exp(-a * y) * (cos(b * y) + a / b * sin(b * y));
}

// The first hit, in the order of times, that is not earlier.
static uint32_t first_hit_from(const limberi_hit* hits, uint32_t count, double time_s) {
    uint32_t first = 0;
    for (uint32_t end = count; first < end;) {
        uint32_t middle = first + (end - first) / 2;
        if (hits[middle].time_s < time_s)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static double squash_of(const limberi_hit* hit, double x, bool foreseen, double gain) {
    double max = of_speed * (1 - exp(-hit->speed / speed_half)) * gain;
    double press_s = fmin(0.5 * hit->lasts_s, longest_press_s);
    double before = foreseen ? stretch_before : 0;
    return max * (before * limberi_smooth_step(-0.2, -0.05, x) * (1 - limberi_smooth_step(-0.05, -0.01, x)) -
                  pulse(x, press_s));
}

double limberi_hits_squash(const limberi_hit* hits, uint32_t count, double time_s, double period_s, bool foreseen,
                           double gain, double min_speed) {
    double sum = 0;
    for (int turn = period_s > 0 ? -2 : 0; turn <= (period_s > 0 ? 2 : 0); turn++) {
        double now = time_s - turn * period_s;
        for (uint32_t i = first_hit_from(hits, count, now - over_s); i < count; i++) {
            if (hits[i].time_s > now + foreseen_s)
                break;
            if (hits[i].speed >= min_speed)
                sum += squash_of(&hits[i], now - hits[i].time_s, foreseen, gain);
        }
    }
    return max_squash * tanh(sum / max_squash);
}
