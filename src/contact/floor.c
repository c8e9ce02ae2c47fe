// The floor, from what touches it: heights where the lowest points of the body are still, or where a fall ends. Feet
// that walk on the spot move at the speed of a treadmill's belt; "still" then means still on the belt.
#include "base/sort.h"
#include "contact/contacts_private.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/turns.h"

#include <stdlib.h>
#include <string.h>

// Lengths in scales, times in seconds; level_gap as in S10.
static const double lowest_band = 0.015; // points this near to the lowest one count as low
static const double still_speed = 0.3;   // per second
static const double min_belt = 0.25;     // per second: slower is no belt
static const double level_gap = 0.03;    // heights that far apart are two levels
static const double level_step = 0.05;   // a ramp is cut in steps of this
static const double level_slack = 0.02;  // below a level, and still on it
static const double level_margin = 0.25; // around the places where something stands on a level
static const double mode_width = 0.006;  // of the most frequent height of a level
static const double rise_weight = 0.03;  // seconds: a point that turns round near the belt is a hand swinging past
static const double low_band = 0.05;     // above the lowest points but for one in twenty: leaps do not count
static const double min_rest = 0.2;      // of the motion up and down, while the lowest point rests: less is no floor
static const double min_stir = 0.005;    // of that motion in all clips: less says nothing
static const double hard_fall = 6;       // scales per second: what ends it is a floor, even for a fish
enum { CANDIDATES = 150, VOTERS = 800, ROUNDS = 5, NEIGHBOURS = 300, ENOUGH_POINTS = 4096 };

// A low point in one moment.
typedef struct low_point {
    uint32_t moment;
    limberi_point_motion motion;
} low_point;

typedef struct finder {
    const limberi_point_tracks* t;
    limberi_floor* floor;
    low_point* lows;
    uint32_t low_count, capacity;
    limberi_arena arena;
    double* scratch;  // [moment]
    double* window;   // [moment]
    uint8_t* still;   // [moment] the lowest point is
    uint8_t* stopped; // [moment] a fall ends
    double* heights;  // [moment]
} finder;

// --- low points ---

static bool add_low(finder* f, const low_point* low) {
    low_point* lows = limberi_list_with_room(f->lows, f->low_count, &f->capacity, sizeof *lows);
    if (!lows)
        return false;
    f->lows = lows;
    f->lows[f->low_count++] = *low;
    return true;
}

static bool find_lows_of(finder* f, uint32_t owner, uint32_t moment, double highest) {
    const limberi_support* s = f->t->support;
    uint32_t step = 1 + s->point_count / ENOUGH_POINTS; // of a crowd, every few points
    const float* places = limberi_point_tracks_place(f->t, owner, 0, moment);
    uint32_t count = places ? s->first[owner + 1] - s->first[owner] : 0;
    uint32_t off = s->first[owner] % step;
    low_point low;
    low.moment = moment;
    for (uint32_t i = off ? step - off : 0; i < count; i += step) {
        bool counts = (double)places[3 * (size_t)i + 1] < highest &&
                      limberi_point_tracks_motion(f->t, owner, i, moment, &low.motion);
        if (counts && !add_low(f, &low))
            return false;
    }
    return true;
}

static bool find_lows(finder* f) {
    const limberi_support* s = f->t->support;
    for (uint32_t moment = 0; moment < f->t->grid.count; moment++)
        for (uint32_t owner = 0; owner < s->owner_count; owner++)
            if (!find_lows_of(f, owner, moment, f->t->low[moment] + lowest_band * s->scale))
                return false;
    return true;
}

// --- the belt ---

static double percentile(finder* f, double part) {
    uint32_t count = f->t->grid.count;
    memcpy(f->scratch, f->t->low, count * sizeof *f->scratch);
    qsort(f->scratch, count, sizeof *f->scratch, limberi_compare_doubles);
    double at = part * (count - 1);
    uint32_t i = (uint32_t)at;
    uint32_t next = i + 1 < count ? i + 1 : i;
    return f->scratch[i] + (at - i) * (f->scratch[next] - f->scratch[i]);
}

static bool is_within(const double* v, const double* belt, double width) {
    double x = v[0] - belt[0];
    double z = v[2] - belt[1];
    return x * x + z * z < width * width;
}

static double share_near(const low_point* lows, size_t count, const double* belt, double width) {
    size_t step = count / VOTERS ? count / VOTERS : 1;
    size_t near = 0;
    size_t asked = 0;
    for (size_t i = 0; i < count; i += step, asked++)
        near += is_within(lows[i].motion.velocity, belt, width);
    return asked ? (double)near / (double)asked : 0;
}

static double most_frequent(const low_point* lows, size_t count, double* belt) {
    double max = 0;
    size_t candidates = count < CANDIDATES ? count : CANDIDATES;
    for (size_t k = 0; k < candidates; k++) {
        const double* v = lows[candidates > 1 ? k * (count - 1) / (candidates - 1) : 0].motion.velocity;
        const double at[2] = {v[0], v[2]};
        double share = share_near(lows, count, at, 0.15);
        if (share > max) {
            max = share;
            memcpy(belt, at, sizeof at);
        }
    }
    return max;
}

static void move_to_mean(const low_point* lows, size_t count, double* belt) {
    double sum[2] = {0, 0};
    double near = 0;
    for (size_t i = 0; i < count; i++)
        if (is_within(lows[i].motion.velocity, belt, 0.2)) {
            sum[0] += lows[i].motion.velocity[0];
            sum[1] += lows[i].motion.velocity[2];
            near++;
        }
    for (int c = 0; near > 0 && c < 2; c++)
        belt[c] = sum[c] / near;
}

// Moves the low points that glide over the ground to the front of the list. Returns how many.
static size_t gliding_first(finder* f) {
    double ground = percentile(f, 0.03) + level_gap * f->t->support->scale;
    size_t count = 0;
    for (size_t i = 0; i < f->low_count; i++) {
        low_point* p = &f->lows[i];
        if (fabs(p->motion.velocity[1]) < 0.3 && fabs(p->motion.rise) < 8 && f->t->low[p->moment] < ground) {
            low_point kept = f->lows[count];
            f->lows[count++] = *p;
            *p = kept;
        }
    }
    return count;
}

static double mean_travel(const limberi_point_tracks* t) {
    const double* first = t->body + 3 * (size_t)(t->grid.loops ? LIMBERI_TRACK_PAD : 0);
    const double* last = first + 3 * (size_t)(t->grid.loops ? t->grid.count : t->grid.count - 1);
    double time = t->grid.step_s * (t->grid.loops ? t->grid.count : t->grid.count - 1);
    return time > 0 ? hypot(last[0] - first[0], last[2] - first[2]) / (time * t->support->scale) : 0;
}

static void find_belt(finder* f) {
    size_t count = gliding_first(f);
    double belt[2] = {0, 0};
    double share = most_frequent(f->lows, count, belt);
    for (int round = 0; round < ROUNDS; round++)
        move_to_mean(f->lows, count, belt);
    double speed = hypot(belt[0], belt[1]);
    if (speed > min_belt && share > 0.2 && mean_travel(f->t) < 0.3 * speed)
        memcpy(f->floor->belt, belt, sizeof belt);
}

// Against a belt, motion across it and up counts in full; along it a foot may be up to 40 % slower or faster.
double limberi_floor_speed(const limberi_floor* floor, const limberi_point_motion* m) {
    const double* v = m->velocity;
    const double* belt = floor->belt;
    double world = limberi_length3(v);
    double speed = hypot(belt[0], belt[1]);
    if (!(speed > 0))
        return world;
    double along = (v[0] * belt[0] + v[2] * belt[1]) / speed;
    double across = (v[0] * belt[1] - v[2] * belt[0]) / speed;
    double late = (along - speed) * fmin(1, 0.25 / (0.4 * speed));
    double off = sqrt(v[1] * v[1] + across * across + late * late);
    double turns = rise_weight * m->rise;
    return fmin(world, sqrt(off * off + turns * turns));
}

// --- moments on the floor ---

static double low_speed(const finder* f, uint32_t moment) {
    const limberi_grid* grid = &f->t->grid;
    uint32_t before = limberi_grid_shift(grid, moment, -1);
    uint32_t after = limberi_grid_shift(grid, moment, 1);
    double steps = grid->loops || (moment > 0 && moment + 1 < grid->count) ? 2 : 1;
    double span = steps * grid->step_s * f->t->support->scale;
    return span > 0 ? (f->t->low[after] - f->t->low[before]) / span : 0;
}

// The lowest point turns from falling to rising faster than free fall would have it, and the body does as well.
static void find_stops(finder* f) {
    const limberi_point_tracks* t = f->t;
    int reach = limberi_grid_span(&t->grid, 0.03);
    memcpy(f->window, t->low, t->grid.count * sizeof *f->window);
    limberi_grid_filter(&t->grid, LIMBERI_WINDOW_MIN, reach, f->window, f->scratch);
    for (uint32_t i = 0; i < t->grid.count; i++) {
        uint32_t before = limberi_grid_shift(&t->grid, i, -reach);
        uint32_t after = limberi_grid_shift(&t->grid, i, reach);
        double falls = low_speed(f, before);
        double turn = low_speed(f, after) - falls;
        f->stopped[i] = t->low[i] <= f->window[i] + 1e-9 && falls < -0.3 && turn > 0.8 &&
                        limberi_point_tracks_fall(t, after) - limberi_point_tracks_fall(t, before) > 0.5 &&
                        !t->near_cut[i];
        f->floor->impact = f->stopped[i] ? fmax(f->floor->impact, turn) : f->floor->impact;
    }
}

// Moments whose lowest point is still, except at the top of a leap.
static void find_still(finder* f) {
    const limberi_point_tracks* t = f->t;
    for (size_t i = 0; i < f->low_count; i++)
        if (limberi_floor_speed(f->floor, &f->lows[i].motion) < still_speed)
            f->still[f->lows[i].moment] = 1;
    memcpy(f->window, t->low, t->grid.count * sizeof *f->window);
    limberi_grid_filter(&t->grid, LIMBERI_WINDOW_MIN, limberi_grid_span(&t->grid, 0.12), f->window, f->scratch);
    for (uint32_t i = 0; i < t->grid.count; i++)
        if (t->low[i] > f->window[i] + lowest_band * t->support->scale)
            f->still[i] = 0;
}

// A foot rests while the body moves; the lowest point of a fish or a bird goes up and down like the rest of it.
static void find_rest(finder* f) {
    const limberi_point_tracks* t = f->t;
    const limberi_grid* grid = &t->grid;
    double low = percentile(f, 0.05) + low_band * t->support->scale;
    uint32_t pad = grid->loops ? LIMBERI_TRACK_PAD : 0;
    for (uint32_t i = 0; i < grid->count; i++) {
        bool inside = grid->loops || (i >= 2 && i + 2 < grid->count);
        if (!inside || t->low[i] > low || t->near_cut[i])
            continue;
        double climb = t->low[limberi_grid_shift(grid, i, 2)] - t->low[limberi_grid_shift(grid, i, -2)];
        double speed = fabs(climb) / (4 * grid->step_s * t->support->scale);
        double stir = 0.5 * (t->stir[i + pad] + t->stir[i + pad + 1]);
        f->floor->stirred += stir * grid->step_s;
        f->floor->rested += speed < 0.5 * stir ? stir * grid->step_s : 0;
    }
}

static double standard_deviation(const double* values, size_t count, size_t stride, const double* minus) {
    double sum = 0;
    double square = 0;
    for (size_t i = 0; i < count; i++) {
        double v = (minus ? minus[i] : 0) - values[i * stride];
        sum += v;
        square += v * v;
    }
    double mean = sum / (double)count;
    return sqrt(fmax(0, square / (double)count - mean * mean));
}

// The lowest points ride up and down with the whole body, and seldom rest.
static bool hovers(const finder* f, double still_share, bool stopped) {
    const limberi_point_tracks* t = f->t;
    const double* body = t->body + 3 * (size_t)(t->grid.loops ? LIMBERI_TRACK_PAD : 0) + 1;
    double low = standard_deviation(t->low, t->grid.count, 1, NULL);
    double against = standard_deviation(body, t->grid.count, 3, t->low);
    return !stopped && low > 0.01 * t->support->scale && against < 0.35 * low && still_share < 0.5;
}

// --- levels ---

static double mode_of(const double* heights, size_t count, double width) {
    size_t step = count / NEIGHBOURS ? count / NEIGHBOURS : 1;
    size_t max = 0;
    double mode = heights[0];
    for (size_t i = 0; i < count; i += step) {
        size_t near = 0;
        for (size_t k = 0; k < count; k += step)
            near += fabs(heights[i] - heights[k]) < width;
        if (near > max) {
            max = near;
            mode = heights[i];
        }
    }
    return mode;
}

// A group of heights without gaps; a ramp is cut in steps.
static void add_levels(finder* f, const double* heights, size_t count) {
    double scale = f->t->support->scale;
    for (size_t first = 0, end; first < count && f->floor->level_count < LIMBERI_LEVELS; first = end) {
        for (end = first; end < count && heights[end] < heights[first] + level_step * scale; end++)
            ;
        f->floor->levels[f->floor->level_count++] = mode_of(heights + first, end - first, mode_width * scale);
    }
}

static void find_levels(finder* f, size_t count) {
    double scale = f->t->support->scale;
    double rate = f->t->grid.step_s > 0 ? 1 / f->t->grid.step_s : 0;
    double enough = fmin(0.05 * rate, 0.5 * f->t->grid.count);
    qsort(f->heights, count, sizeof *f->heights, limberi_compare_doubles);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && f->heights[end] - f->heights[end - 1] <= level_gap * scale; end++)
            ;
        if ((double)(end - first) >= enough || (double)(end - first) >= 0.1 * (double)count)
            add_levels(f, f->heights + first, end - first);
    }
}

static void mark_areas(finder* f) {
    limberi_floor* floor = f->floor;
    for (uint32_t i = 0; i < floor->level_count; i++) {
        const float none[4] = {INFINITY, -INFINITY, INFINITY, -INFINITY};
        memcpy(floor->areas[i], none, sizeof none);
    }
    for (uint32_t i = 0; i < f->t->grid.count; i++) {
        if (!f->still[i] && !f->stopped[i])
            continue;
        uint32_t level = 0;
        for (uint32_t k = 1; k < floor->level_count; k++)
            if (fabs(floor->levels[k] - f->t->low[i]) < fabs(floor->levels[level] - f->t->low[i]))
                level = k;
        float* area = floor->areas[level];
        for (int c = 0; c < 2; c++) {
            area[2 * c] = fminf(area[2 * c], f->t->spot[2 * (size_t)i + (size_t)c]);
            area[2 * c + 1] = fmaxf(area[2 * c + 1], f->t->spot[2 * (size_t)i + (size_t)c]);
        }
    }
}

static void find_floor(finder* f) {
    uint32_t moments = f->t->grid.count;
    size_t count = 0;
    size_t still = 0;
    size_t stops = 0;
    double rate = f->t->grid.step_s > 0 ? 1 / f->t->grid.step_s : 0;
    find_rest(f);
    find_belt(f);
    find_stops(f);
    find_still(f);
    for (uint32_t i = 0; i < moments; i++) {
        still += f->still[i];
        stops += f->stopped[i];
        if (f->still[i] || f->stopped[i])
            f->heights[count++] = f->t->low[i];
    }
    bool rests = (double)still >= fmin(0.06 * rate, 0.5 * moments) && !hovers(f, (double)still / moments, stops > 0);
    if (count && (rests || stops))
        find_levels(f, count);
    mark_areas(f);
}

static limber_result find_on_tracks(const limberi_point_tracks* t, limberi_floor* floor) {
    finder f = {0};
    memset(floor, 0, sizeof *floor);
    f.t = t;
    f.floor = floor;
    f.scratch = LIMBERI_ALLOCATE(&f.arena, double, t->grid.count);
    f.window = LIMBERI_ALLOCATE(&f.arena, double, t->grid.count);
    f.still = LIMBERI_ALLOCATE(&f.arena, uint8_t, t->grid.count);
    f.stopped = LIMBERI_ALLOCATE(&f.arena, uint8_t, t->grid.count);
    f.heights = LIMBERI_ALLOCATE(&f.arena, double, t->grid.count);
    bool fine = !f.arena.failed && find_lows(&f);
    if (fine && t->grid.count > 1 && t->support->owner_count)
        find_floor(&f);
    limberi_release(f.lows);
    limberi_arena_free(&f.arena);
    return fine ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

static bool is_over(const float* area, const float* place, float margin) {
    return place[0] > area[0] - margin && place[0] < area[1] + margin && place[2] > area[2] - margin &&
           place[2] < area[3] + margin;
}

double limberi_floor_below(const limberi_floor* floor, const float* place, double low, double scale) {
    uint32_t at = floor->level_count;
    double height = (double)place[1];
    while (at-- > 1) {
        double level = floor->levels[at];
        if (level > height + level_slack * scale)
            continue;
        if (level < low + level_gap * scale || is_over(floor->areas[at], place, (float)(level_margin * scale)))
            break;
    }
    return floor->levels[at];
}

// Whether two heights are the same level.
static bool is_same_level(double a, double b, double scale) {
    return fabs(a - b) <= level_gap * scale;
}

// --- the floor of each clip: given, its own, or the one that other clips of the file stand on ---

typedef struct floors {
    limberi_derived_item item;
    double usual; // the level that most clips have; NAN: none has any
    limberi_floor of_clip[];
} floors;

static void destroy_floors(limberi_derived_item* item) {
    limberi_release(item);
}

static limber_result find_clip_floor(const limberi_support* support, const limber_clip* clip, bool loops,
                                     limberi_floor* floor) {
    limberi_grid grid = limberi_contact_grid(support, clip, loops);
    limberi_point_tracks tracks;
    limber_result result = limberi_point_tracks_make(support, clip, &grid, NULL, NULL, &tracks);
    if (result)
        return result;
    result = find_on_tracks(&tracks, floor);
    limberi_point_tracks_free(&tracks);
    return result;
}

// One level of one clip.
typedef struct level {
    double height;
    uint32_t clip, order;
} level;

static int compare_levels(const void* a, const void* b) {
    const level* x = a;
    const level* y = b;
    if (x->height != y->height)
        return x->height < y->height ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static uint32_t list_levels(const floors* all, uint32_t clips, level* list) {
    uint32_t count = 0;
    for (uint32_t c = 0; c < clips; c++)
        for (uint32_t i = 0; i < all->of_clip[c].level_count; i++) {
            double height = all->of_clip[c].levels[i];
            if (isfinite(height) && list)
                list[count] = (level){height, c, count};
            count += isfinite(height) ? 1 : 0;
        }
    return count;
}

// The level that most clips have; of several, the first. A window slides over the sorted list and holds all levels that
// count as the same as list[i], and always list[i] itself, even where the scale is 0 or not finite.
static double most_common(const level* list, uint32_t count, double scale, uint32_t* in_window) {
    uint32_t low = 0;
    uint32_t high = 0;
    uint32_t clips = 0;
    uint32_t max = 0;
    uint32_t first = 0;
    double usual = NAN;
    for (uint32_t i = 0; i < count; i++) {
        for (; high < count && (high <= i || is_same_level(list[high].height, list[i].height, scale)); high++)
            clips += in_window[list[high].clip]++ == 0;
        for (; low < i && !is_same_level(list[low].height, list[i].height, scale); low++)
            clips -= --in_window[list[low].clip] == 0;
        if (clips > max || (clips == max && list[i].order < first)) {
            max = clips;
            first = list[i].order;
            usual = list[i].height;
        }
    }
    return usual;
}

static bool usual_level(floors* all, uint32_t clips, double scale) {
    limberi_arena scratch = {NULL, false};
    uint32_t count = list_levels(all, clips, NULL);
    level* list = LIMBERI_ALLOCATE(&scratch, level, count);
    uint32_t* in_window = LIMBERI_ALLOCATE(&scratch, uint32_t, clips);
    bool memory = list && in_window;
    all->usual = NAN;
    if (memory && count) {
        list_levels(all, clips, list);
        qsort(list, count, sizeof *list, compare_levels);
        all->usual = most_common(list, count, scale, in_window);
    }
    limberi_arena_free(&scratch);
    return memory;
}

typedef struct floor_work {
    const limber_model* model;
    const limberi_support* support;
    floors* made;
    atomic_bool failed;
} floor_work;

static void find_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    floor_work* w = user;
    (void)worker;
    for (uint32_t c = first; c < end; c++)
        if (find_clip_floor(w->support, &w->model->clips[c], w->model->clips[c].loops, &w->made->of_clip[c]))
            atomic_store(&w->failed, true);
}

// Decided for all clips at once: a bird that flies in one clip and walks in the next has a floor in both. What is one
// piece, such as a ball, cannot rest while it moves.
static bool has_floor(const limberi_support* support, const floors* all, uint32_t clips) {
    double stirred = 0;
    double rested = 0;
    for (uint32_t c = 0; c < clips; c++) {
        stirred += all->of_clip[c].stirred;
        rested += all->of_clip[c].rested;
    }
    return support->owner_count < 2 || stirred < min_stir || rested >= min_rest * stirred;
}

static floors* make_floors(const limber_model* model, const limberi_support* support, const limber_parallel* parallel) {
    floors* made = limberi_allocate_zeroed(1, sizeof *made + model->clip_count * sizeof made->of_clip[0]);
    floor_work work = {.model = model, .support = support, .made = made};
    if (made)
        limberi_parallel_for(parallel, model->clip_count, 1, find_some, &work);
    bool none = made && !atomic_load(&work.failed) && !has_floor(support, made, model->clip_count);
    for (uint32_t c = 0; none && c < model->clip_count; c++)
        if (made->of_clip[c].impact < hard_fall)
            memset(&made->of_clip[c], 0, sizeof made->of_clip[c]);
        else
            memset(made->of_clip[c].belt, 0, sizeof made->of_clip[c].belt); // it has no feet to walk with
    if (made && !atomic_load(&work.failed) && usual_level(made, model->clip_count, support->scale)) {
        made->usual = none ? (double)NAN : made->usual;
        made->item.destroy = destroy_floors;
        return made;
    }
    limberi_release(made);
    return NULL;
}

// Clips of a file stand on the same floor: one that only leaps has it from the others. All other levels are their own:
// a sword's tip below the floor in one clip says nothing about the next.
static const floors* floors_of(const limber_asset* asset, const limberi_support* support,
                               const limber_parallel* parallel) {
    limberi_derived* slot = limberi_asset_derived(asset, LIMBERI_DERIVED_FLOORS);
    limberi_derived_item* known = atomic_load(&slot->item);
    if (known)
        return (floors*)(void*)known;
    floors* made = make_floors(limber_asset_model(asset), support, parallel);
    return made ? (floors*)(void*)limberi_derived_keep(slot, &made->item) : NULL;
}

limber_result limberi_floors_find(const limber_asset* asset, const limberi_support* support,
                                  const limber_parallel* parallel) {
    return floors_of(asset, support, parallel) ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

limber_result limberi_floor_choose(const limber_asset* asset, const limberi_support* support, const limber_clip* clip,
                                   int32_t index, bool loops, const limber_contact_settings* settings,
                                   limberi_floor* floor) {
    if (settings->floor == LIMBER_FLOOR_NONE)
        return LIMBER_OK;
    const floors* all = index >= 0 ? floors_of(asset, support, NULL) : NULL;
    if (index >= 0 && !all)
        return LIMBER_ERROR_MEMORY;
    if (all)
        *floor = all->of_clip[index];
    else if (find_clip_floor(support, clip, loops, floor))
        return LIMBER_ERROR_MEMORY;
    bool given = settings->floor == LIMBER_FLOOR_GIVEN;
    bool usual = !given && !floor->level_count && all;
    if (given || (usual && !isnan(all->usual))) {
        floor->level_count = 1;
        floor->levels[0] = given ? (double)settings->height : all->usual;
    }
    return LIMBER_OK;
}
