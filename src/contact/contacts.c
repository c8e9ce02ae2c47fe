// Contacts of a clip. Per joint and moment: a support point is near a level of the floor, and slow. That is widened and
// smoothed in time, and spreads along the bones to what must not move against a planted foot.
#include "contact/contacts_private.h"

#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"

#include <string.h>

// Constants of S10; lengths in scales, times in seconds.
static const double near_full = 0.02;
static const double near_none = 0.05;
static const double deep_full = -0.05;
static const double deep_none = -0.08;
static const double slow_full = 0.3; // per second
static const double slow_none = 0.8;
static const double gliding = 2;        // so much faster may be what keeps its height
static const double straight = 0.87;    // cosine of how far its way may turn within 2 widen_s
static const double still_way = 0.005;  // a way that is shorter has no direction
static const double level_full = 0.001; // how far it goes up and down within widen_s before and after
static const double level_none = 0.003;
static const double widen_s = 0.06; // both to find the largest value and to smooth it
static const double spread_full = 0.06;
static const double spread_none = 0.35;
static const double min_contact = 1e-3; // less is no contact
enum { INSTANT = 4 };                   // moments that a bounce may take
enum { MAX_SPREADING = 256 };           // joints that touch: more would take long and change nothing

// One signal per joint that is ever held.
typedef struct column {
    uint32_t joint; // fused
    float* touch;   // [moment] c; NULL: never touches
    float* hold;    // [moment] C
    float* ground;  // [moment]; NULL: the base
} column;

struct limber_contacts {
    limberi_arena arena;
    const limberi_support* support;
    const limber_clip* clip;
    limberi_grid grid;
    limberi_floor floor;
    double base; // the lowest level; without one a height far below
    uint32_t column_count;
    column* columns;    // [joint_count at most]
    int32_t* column_of; // [joint] through its fused joint, -1: never held
    uint32_t span_count, span_capacity;
    limber_contact* spans; // of what stands
    limberi_grips grips;
    uint32_t hit_count;
    limberi_hit* hits;
    float* low; // [moment] of the lowest point; NULL: no floor
};

limber_contact_settings limber_contact_settings_default(void) {
    limber_contact_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.layer = "contact";
    return settings;
}

// --- one joint over time ---

double limberi_contact_near(double above) {
    return (1 - limberi_smooth_step(near_full, near_none, above)) * limberi_smooth_step(deep_none, deep_full, above);
}

double limberi_contact_slow(double speed) {
    return 1 - limberi_smooth_step(slow_full, slow_none, speed);
}

static double point_near(const limber_contacts* c, const limberi_point_tracks* t, uint32_t moment, const float* place) {
    if (isnan(place[0]))
        return 0;
    double level = limberi_floor_below(&c->floor, place, t->low[moment], c->support->scale);
    return limberi_contact_near(((double)place[1] - level) / c->support->scale);
}

// Scales per second; what has no motion is too fast for any contact.
static double point_speed(const limber_contacts* c, const limberi_point_tracks* t, uint32_t owner, uint32_t point,
                          uint32_t moment) {
    limberi_point_motion motion;
    if (!limberi_point_tracks_motion(t, owner, point, moment, &motion))
        return HUGE_VAL;
    return limberi_floor_speed(&c->floor, &motion);
}

typedef struct signals {
    double *raw, *low, *scratch, *line; // [moment]
    uint8_t* added;                     // [moment] touches because an artist says so
    uint8_t* grips;                     // [moment] touches because it holds on to something, not the floor
} signals;

// Whether a joint goes about straight on around a moment, or hardly goes anywhere: a foot that is dragged along, not one
// that a spin carries round.
static bool goes_straight(const limber_contacts* c, const limberi_point_tracks* t, uint32_t owner, uint32_t moment,
                          int reach) {
    const float* now = limberi_point_tracks_place(t, owner, 0, moment);
    const float* was = limberi_point_tracks_place(t, owner, 0, limberi_grid_shift(&c->grid, moment, -reach));
    const float* next = limberi_point_tracks_place(t, owner, 0, limberi_grid_shift(&c->grid, moment, reach));
    if (!now || !was || !next)
        return false;
    const float in[2] = {now[0] - was[0], now[2] - was[2]};
    const float out[2] = {next[0] - now[0], next[2] - now[2]};
    double product = (double)(in[0] * out[0] + in[1] * out[1]);
    double lengths = hypot((double)in[0], (double)in[1]) * hypot((double)out[0], (double)out[1]);
    double tiny = still_way * c->support->scale;
    return product >= straight * lengths - tiny * tiny;
}

// A foot that is dragged along keeps its height for a while and may be faster; one that swings past the floor does not.
// `glide`: [moment] how much it would touch.
static void hold_gliding(const limber_contacts* c, const limberi_point_tracks* t, uint32_t owner, const double* glide,
                         signals* s) {
    int reach = limberi_grid_span(&c->grid, widen_s);
    for (uint32_t i = 0; i < c->grid.count; i++) {
        double low = s->low[i];
        double high = s->low[i];
        if (!(glide[i] > s->raw[i]) || !goes_straight(c, t, owner, i, reach))
            continue;
        for (int k = -reach; k <= reach; k++) {
            double at = s->low[limberi_grid_shift(&c->grid, i, k)];
            low = fmin(low, at);
            high = fmax(high, at);
        }
        double level = 1 - limberi_smooth_step(level_full, level_none, (high - low) / c->support->scale);
        s->raw[i] = fmax(s->raw[i], glide[i] * level);
    }
}

// Fills the touch and the height of the lowest point of every moment. Returns the largest touch.
static double measure_joint(const limber_contacts* c, const limberi_point_tracks* t, uint32_t owner, signals* s) {
    uint32_t points = c->support->first[owner + 1] - c->support->first[owner];
    double* glide = s->line;
    double max = 0;
    double too_high = -INFINITY; // for any level
    if (c->floor.level_count)
        too_high = c->floor.levels[c->floor.level_count - 1] + near_none * c->support->scale;
    for (uint32_t i = 0; i < c->grid.count; i++) {
        s->raw[i] = glide[i] = 0;
        s->low[i] = INFINITY;
        const float* place = limberi_point_tracks_place(t, owner, 0, i);
        for (uint32_t k = 0; place && k < points; k++, place += 3) {
            double height = (double)place[1];
            s->low[i] = height < s->low[i] ? height : s->low[i];
            double near = s->raw[i] < 1 && height < too_high ? point_near(c, t, i, place) : 0;
            double speed = near > 0 ? point_speed(c, t, owner, k, i) : HUGE_VAL;
            s->raw[i] = fmax(s->raw[i], near * limberi_contact_slow(speed));
            glide[i] = fmax(glide[i], near * limberi_contact_slow(speed / gliding));
        }
    }
    hold_gliding(c, t, owner, glide, s);
    for (uint32_t i = 0; i < c->grid.count; i++)
        max = fmax(max, s->raw[i]);
    return max;
}

// Drops contacts of an instant: a bouncing ball is slow where it turns round, and nothing holds it there. `first` is a
// moment at which nothing touches, so that no run is cut in two.
static void drop_instants(const limber_contacts* c, signals* s) {
    uint32_t count = c->grid.count;
    uint32_t first = 0;
    while (first < count && s->raw[first] > min_contact)
        first++;
    for (uint32_t i = 0, run; first < count && i < count; i += run + 1) {
        for (run = 0; i + run < count && s->raw[(first + i + run) % count] > min_contact; run++)
            ;
        bool edge =
            !c->grid.loops && (first + i == 0 || (first + i + run) % count == 0); // it may have stood for longer
        for (uint32_t k = 0; run <= INSTANT && !edge && k < run; k++)
            s->raw[(first + i + k) % count] = 0;
    }
}

// --- the ground below a joint, where it is not the one level ---

static bool touches_floor(const signals* s, uint32_t moment) {
    return s->raw[moment] > 0.5 && !s->added[moment] && !s->grips[moment];
}

// While the joint touches: the lowest point of that contact. Between two contacts: the lower of both.
static void find_ground(const limber_contacts* c, const signals* s, double* line) {
    uint32_t count = c->grid.count;
    uint32_t written = 0;
    double last = NAN;
    double first = NAN;
    for (uint32_t i = 0; i < count; i++) {
        double low = INFINITY;
        uint32_t end = i;
        for (; end < count && touches_floor(s, end); end++)
            low = fmin(low, s->low[end]);
        if (end == i)
            continue;
        first = isnan(first) ? low : first;
        for (; written < i; written++)
            line[written] = isnan(last) ? low : fmin(low, last);
        for (; written < end; written++)
            line[written] = low;
        last = low;
        i = end;
    }
    for (uint32_t i = written; i < count; i++)
        line[i] = c->grid.loops ? fmin(first, last) : last;
    for (uint32_t i = 0; c->grid.loops && i < count && !touches_floor(s, i); i++)
        line[i] = fmin(first, last);
}

// A contact that an artist adds has its own ground, where the joint is, until it has faded out.
static void find_own_ground(const limber_contacts* c, const signals* s, int reach, double* line) {
    uint32_t count = c->grid.count;
    for (uint32_t i = 0; i < count; i++)
        line[i] = c->base;
    for (uint32_t i = 0, end; i < count; i = end + 1) {
        for (end = i; end < count && s->added[end]; end++)
            ;
        int length = (int)(end - i);
        for (int k = -3 * reach; length && k < length + 3 * reach; k++) {
            uint32_t at = limberi_grid_shift(&c->grid, i, k);
            int within = k < length ? k : length - 1;
            line[at] = fmax(line[at], s->low[i + (uint32_t)(within > 0 ? within : 0)]);
        }
    }
}

static bool any_moment(const limber_contacts* c, const signals* s, bool added) {
    for (uint32_t i = 0; i < c->grid.count; i++)
        if (added ? s->added[i] : touches_floor(s, i))
            return true;
    return false;
}

static bool keep_ground(limber_contacts* c, signals* s, column* to) {
    int reach = limberi_grid_span(&c->grid, widen_s);
    bool on_levels = c->floor.level_count > 1 && any_moment(c, s, false);
    bool own = any_moment(c, s, true);
    if (!on_levels && !own)
        return true;
    to->ground = LIMBERI_ALLOCATE(&c->arena, float, c->grid.count);
    for (uint32_t i = 0; to->ground && i < c->grid.count; i++)
        to->ground[i] = (float)c->base;
    if (to->ground && on_levels) {
        find_ground(c, s, s->line);
        limberi_grid_filter(&c->grid, LIMBERI_WINDOW_MIN, reach, s->line, s->scratch);
        limberi_grid_filter(&c->grid, LIMBERI_WINDOW_HANN, reach, s->line, s->scratch);
        for (uint32_t i = 0; i < c->grid.count; i++)
            to->ground[i] = (float)s->line[i];
    }
    if (to->ground && own) {
        find_own_ground(c, s, reach, s->line);
        limberi_grid_filter(&c->grid, LIMBERI_WINDOW_HANN, reach, s->line, s->scratch);
        for (uint32_t i = 0; i < c->grid.count; i++)
            to->ground[i] = fmaxf(to->ground[i], (float)s->line[i]);
    }
    return to->ground != NULL;
}

// --- columns ---

static column* column_for(limber_contacts* c, uint32_t joint) {
    if (c->column_of[joint] < 0) {
        c->column_of[joint] = (int32_t)c->column_count;
        c->columns[c->column_count++].joint = joint;
    }
    return &c->columns[c->column_of[joint]];
}

static bool add_span(limber_contacts* c, const limber_contact* span) {
    limber_contact* spans = limberi_list_with_room(c->spans, c->span_count, &c->span_capacity, sizeof *spans);
    if (!spans)
        return false;
    c->spans = spans;
    c->spans[c->span_count++] = *span;
    return true;
}

// Whether it touches at the moment or, after `start`, will touch again within widen_s: a gap too short to be seen.
static bool touches_soon(const limber_contacts* c, const signals* s, uint32_t moment, uint32_t start) {
    uint32_t ahead = moment > start ? (uint32_t)limberi_grid_span(&c->grid, widen_s) : 0;
    for (uint32_t k = 0; k <= ahead && moment + k < c->grid.count; k++)
        if (s->raw[moment + k] > 0.5 && !s->grips[moment + k])
            return true;
    return false;
}

static bool list_spans(limber_contacts* c, const signals* s, const column* of) {
    for (uint32_t i = 0, end; i < c->grid.count; i = end + 1) {
        for (end = i; end < c->grid.count && touches_soon(c, s, end, i); end++)
            ;
        if (end == i)
            continue;
        while (!(s->raw[end - 1] > 0.5) || s->grips[end - 1])
            end--;
        limber_contact span = {of->joint, i * c->grid.step_s, (end - 1) * c->grid.step_s,
                               of->ground ? (double)of->ground[(i + end - 1) / 2] : c->base};
        if (!add_span(c, &span))
            return false;
    }
    return true;
}

static bool keep_touch(limber_contacts* c, signals* s, column* to) {
    to->touch = LIMBERI_ALLOCATE(&c->arena, float, c->grid.count);
    if (!to->touch || !keep_ground(c, s, to) || !list_spans(c, s, to))
        return false;
    int reach = limberi_grid_span(&c->grid, widen_s);
    limberi_grid_filter(&c->grid, LIMBERI_WINDOW_MAX, reach, s->raw, s->scratch);
    limberi_grid_filter(&c->grid, LIMBERI_WINDOW_HANN, reach, s->raw, s->scratch);
    for (uint32_t i = 0; i < c->grid.count; i++)
        to->touch[i] = (float)fmin(fmax(s->raw[i], 0), 1);
    return true;
}

// Whether the owner holds on to something at any moment.
static bool hold_on(const limber_contacts* c, uint32_t owner, signals* s) {
    bool any = false;
    memset(s->grips, 0, c->grid.count);
    for (uint32_t g = 0; g < c->grips.count; g++) {
        const limberi_grip* grip = &c->grips.list[g];
        if (grip->owner != owner)
            continue;
        for (double t = ceil(grip->from_s / c->grid.step_s); t * c->grid.step_s <= grip->to_s; t++) {
            uint32_t at = limberi_grid_shift(&c->grid, 0, (int)t);
            any = true;
            s->grips[at] |= !(s->raw[at] > 0.5);
            s->raw[at] = s->grips[at] ? 1 : s->raw[at];
        }
    }
    return any;
}

static bool find_touching(limber_contacts* c, const limberi_point_tracks* t, const limberi_edits* edits, signals* s) {
    for (uint32_t o = 0; o < c->support->owner_count; o++) {
        uint32_t joint = c->support->owners[o];
        double max = measure_joint(c, t, o, s);
        if (max > min_contact)
            drop_instants(c, s);
        max = hold_on(c, o, s) ? 1 : max;
        memset(s->added, 0, c->grid.count);
        bool edited = limberi_edits_apply(edits, &c->grid, joint, s->raw, s->scratch, s->added);
        for (uint32_t i = 0, first = edited || max > min_contact; first && i < c->grid.count; i++)
            max = i ? fmax(max, s->raw[i]) : s->raw[i];
        if (max > min_contact && !keep_touch(c, s, column_for(c, joint)))
            return false;
    }
    return true;
}

// --- along the bones ---

// 0 where a joint hangs on another one than its parent: their skins meet there, without a bone between.
static double bone_length(const limber_rig* rig, uint32_t joint) {
    if (rig->hangs_on[joint] != rig->parents[joint])
        return 0;
    return (double)limberi_length(
        limberi_sub(limberi_mat4_translation(&rig->world_from_joint_rest[joint]),
                    limberi_mat4_translation(&rig->world_from_joint_rest[rig->hangs_on[joint]])));
}

// Distance along the tree from `from` to every joint: up to the root, then down.
void limberi_tree_distances(const limber_rig* rig, uint32_t from, double* distance) {
    for (uint32_t j = 0; j < rig->joint_count; j++)
        distance[j] = INFINITY;
    distance[from] = 0;
    for (uint32_t j = from; rig->hangs_on[j] >= 0; j = (uint32_t)rig->hangs_on[j])
        distance[rig->hangs_on[j]] = distance[j] + bone_length(rig, j);
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (isinf(distance[j]) && rig->hangs_on[j] >= 0)
            distance[j] = distance[rig->hangs_on[j]] + bone_length(rig, j);
}

double limberi_contact_spread(double distance) {
    return 1 - limberi_smooth_step(spread_full, spread_none, distance);
}

// A joint that does not touch itself gets the ground of the joint that holds it, as long as that one touches.
static bool spread_ground(limber_contacts* c, const column* from, double part, column* to) {
    if (!from->ground || to->touch)
        return true;
    bool fresh = !to->ground;
    if (fresh)
        to->ground = LIMBERI_ALLOCATE(&c->arena, float, c->grid.count);
    for (uint32_t i = 0; to->ground && i < c->grid.count; i++) {
        double here = part * limberi_smooth_step(0, 0.5, (double)from->touch[i]);
        float ground = (float)(c->base + here * ((double)from->ground[i] - c->base));
        to->ground[i] = fresh ? ground : fmaxf(to->ground[i], ground);
    }
    return to->ground != NULL;
}

static bool spread_one(limber_contacts* c, uint32_t from, const double* distance) {
    const limber_rig* rig = &c->support->model->rig;
    const float* touch = c->columns[from].touch;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        double part = limberi_contact_spread(distance[j] / c->support->scale);
        if (!(part > 0) || c->support->fused[j] != j)
            continue;
        column* to = column_for(c, j);
        if (!to->hold)
            to->hold = LIMBERI_ALLOCATE(&c->arena, float, c->grid.count);
        if (!to->hold || !spread_ground(c, &c->columns[from], part, to))
            return false;
        for (uint32_t i = 0; i < c->grid.count; i++)
            to->hold[i] = 1 - (1 - to->hold[i]) * (1 - touch[i] * (float)part);
    }
    return true;
}

static bool spread_holds(limber_contacts* c, double* distance) {
    uint32_t touching = c->column_count;
    for (uint32_t i = 0; i < touching && i < MAX_SPREADING; i++) {
        limberi_tree_distances(&c->support->model->rig, c->columns[i].joint, distance);
        if (!spread_one(c, i, distance))
            return false;
    }
    for (uint32_t j = 0; j < c->support->model->rig.joint_count; j++)
        c->column_of[j] = c->column_of[c->support->fused[j]];
    return true;
}

// --- all of it ---

static bool find_impacts(limber_contacts* c, const limberi_point_tracks* t, double* touching) {
    memset(touching, 0, c->grid.count * sizeof *touching);
    for (uint32_t k = 0; k < c->column_count; k++)
        for (uint32_t i = 0; c->columns[k].touch && i < c->grid.count; i++)
            touching[i] += (double)c->columns[k].touch[i];
    c->low = LIMBERI_ALLOCATE(&c->arena, float, c->grid.count);
    for (uint32_t i = 0; c->low && i < c->grid.count; i++)
        c->low[i] = (float)t->low[i];
    return c->low && !limberi_find_hits(t, &c->floor, touching, &c->arena, &c->hits, &c->hit_count);
}

static void find_base(limber_contacts* c, const limberi_point_tracks* t) {
    const double below = 4; // scales, out of reach
    c->base = c->floor.levels[0];
    if (c->floor.level_count)
        return;
    c->base = INFINITY;
    for (uint32_t i = 0; i < c->grid.count; i++)
        c->base = fmin(c->base, t->low[i]);
    c->base = (isfinite(c->base) ? c->base : 0) - below * c->support->scale;
}

static bool analyze(limber_contacts* c, const limberi_edits* edits) {
    uint32_t joints = c->support->model->rig.joint_count;
    uint32_t count = c->grid.count;
    limberi_point_tracks t;
    limberi_arena scratch = {NULL, false};
    if (count < 2) // a pose: nobody knows what stands, and what lies below the usual floor is not lifted
        c->floor.level_count = 0;
    if (count < 2)
        return true;
    if (!limberi_grips_find(c->support, c->clip, &c->grid, &c->floor, &c->grips))
        return false;
    if (!c->floor.level_count && !limberi_edits_add(edits) && !c->grips.count)
        return true;
    if (limberi_point_tracks_make(c->support, c->clip, &c->grid, &c->floor, edits->any, &t))
        return false;
    double* distance = LIMBERI_ALLOCATE(&scratch, double, joints);
    signals s = {.raw = LIMBERI_ALLOCATE(&scratch, double, count),
                 .low = LIMBERI_ALLOCATE(&scratch, double, count),
                 .scratch = LIMBERI_ALLOCATE(&scratch, double, count),
                 .line = LIMBERI_ALLOCATE(&scratch, double, count),
                 .added = LIMBERI_ALLOCATE(&scratch, uint8_t, count),
                 .grips = LIMBERI_ALLOCATE(&scratch, uint8_t, count)};
    c->columns = LIMBERI_ALLOCATE(&c->arena, column, joints);
    find_base(c, &t);
    bool fine = !scratch.failed && c->columns && find_touching(c, &t, edits, &s) && spread_holds(c, distance);
    if (fine && c->floor.level_count)
        fine = find_impacts(c, &t, s.raw);
    limberi_arena_free(&scratch);
    limberi_point_tracks_free(&t);
    return fine;
}

static limber_result find_contacts(limber_contacts* c, const limber_asset* asset, int32_t index,
                                   const limber_contact_settings* settings) {
    uint32_t joints = c->support->model->rig.joint_count;
    limberi_arena scratch = {NULL, false};
    limberi_edits edits;
    limber_result result = limberi_floor_choose(asset, c->support, c->clip, index, c->grid.loops, settings, &c->floor);
    c->column_of = LIMBERI_ALLOCATE(&c->arena, int32_t, joints);
    if (result || !c->column_of)
        return LIMBER_ERROR_MEMORY;
    memset(c->column_of, 0xff, joints * sizeof *c->column_of);
    c->base = c->floor.levels[0];
    bool fine = limberi_contact_edits_collect(c->support, settings, index, &scratch, &edits) && analyze(c, &edits);
    limberi_arena_free(&scratch);
    return fine ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

limber_result limberi_contacts_find(const limber_asset* asset, const limber_clip* clip, int32_t index, bool loops,
                                    const limber_contact_settings* settings, limber_contacts** contacts) {
    *contacts = NULL;
    const limberi_support* support = limberi_asset_support(asset);
    limber_contacts* made = support ? limberi_allocate_zeroed(1, sizeof *made) : NULL;
    if (!made)
        return LIMBER_ERROR_MEMORY;
    made->support = support;
    made->clip = clip;
    made->grid = limberi_contact_grid(support, clip, loops);
    limber_result result = find_contacts(made, asset, index, settings);
    if (result)
        limber_contacts_destroy(made);
    else
        *contacts = made;
    return result;
}

limber_result limberi_contacts_prepare(const limber_asset* asset, const limber_contact_settings* settings,
                                       const limber_parallel* parallel) {
    const limberi_support* support = limberi_asset_support(asset);
    if (!support)
        return LIMBER_ERROR_MEMORY;
    return settings->floor == LIMBER_FLOOR_NONE ? LIMBER_OK : limberi_floors_find(asset, support, parallel);
}

limber_result limber_contacts_find(const limber_asset* asset, uint32_t clip, const limber_contact_settings* settings,
                                   limber_contacts** contacts, limber_error* error) {
    limber_contact_settings none = limber_contact_settings_default();
    const limber_model* model = limber_asset_model(asset);
    *contacts = NULL;
    if (clip >= model->clip_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there is no clip %u", clip);
    limber_result result = limberi_contacts_find(asset, &model->clips[clip], (int32_t)clip, model->clips[clip].loops,
                                                 settings ? settings : &none, contacts);
    return result ? limberi_fail_memory(error) : LIMBER_OK;
}

void limber_contacts_destroy(limber_contacts* contacts) {
    if (!contacts)
        return;
    limberi_arena_free(&contacts->arena);
    limberi_release(contacts->spans);
    limberi_release(contacts->grips.list);
    limberi_release(contacts);
}

// --- asking ---

uint32_t limber_contacts_level_count(const limber_contacts* contacts) {
    return contacts->floor.level_count;
}

double limber_contacts_level(const limber_contacts* contacts, uint32_t index) {
    return index < contacts->floor.level_count ? contacts->floor.levels[index] : 0;
}

double limber_contacts_scale(const limber_contacts* contacts) {
    return contacts->support->scale;
}

void limber_contacts_belt(const limber_contacts* contacts, double* velocity) {
    for (int c = 0; c < 2; c++)
        velocity[c] = contacts->floor.belt[c] * contacts->support->scale;
}

uint32_t limber_contact_count(const limber_contacts* contacts) {
    return contacts->span_count;
}

limber_contact limber_contact_at(const limber_contacts* contacts, uint32_t index) {
    limber_contact none = {0, 0, 0, 0};
    return index < contacts->span_count ? contacts->spans[index] : none;
}

uint32_t limber_grip_count(const limber_contacts* contacts) {
    return contacts->grips.count;
}

limber_grip limber_grip_at(const limber_contacts* contacts, uint32_t index) {
    limber_grip none = {0, 0, 0};
    if (index >= contacts->grips.count)
        return none;
    const limberi_grip* found = &contacts->grips.list[index];
    return (limber_grip){contacts->support->owners[found->owner], found->from_s, found->to_s};
}

uint32_t limber_landing_count(const limber_contacts* contacts) {
    return contacts->hit_count;
}

limber_landing limber_landing_at(const limber_contacts* contacts, uint32_t index) {
    limber_landing landing = {0, 0};
    if (index < contacts->hit_count) {
        landing.time_s = contacts->hits[index].time_s;
        landing.speed = contacts->hits[index].speed;
    }
    return landing;
}

// Between four moments, with a continuous slope.
typedef struct lookup {
    uint32_t at[4];
    float weight[4];
} lookup;

static lookup look_up(const limber_contacts* c, double time_s) {
    const limberi_grid* grid = &c->grid;
    double x = grid->step_s > 0 ? (limber_clip_wrap(c->clip, grid->loops, time_s) - grid->start_s) / grid->step_s : 0;
    x = fmin(fmax(x, 0), grid->loops ? grid->count : grid->count - 1);
    uint32_t at = (uint32_t)x < grid->count ? (uint32_t)x : grid->count - 1;
    float t = (float)(x - at);
    float u = 1 - t;
    lookup result = {
        {0}, {-0.5f * t * u * u, 1 - t * t * (2.5f - 1.5f * t), 1 - u * u * (2.5f - 1.5f * u), -0.5f * u * t * t}};
    for (int k = 0; k < 4; k++)
        result.at[k] = limberi_grid_shift(grid, at, k - 1);
    return result;
}

static float value_at(const float* values, const lookup* at) {
    return values[at->at[0]] * at->weight[0] + values[at->at[1]] * at->weight[1] + values[at->at[2]] * at->weight[2] +
           values[at->at[3]] * at->weight[3];
}

static float part_at(const float* values, const lookup* at) {
    return values ? fminf(fmaxf(value_at(values, at), 0), 1) : 0;
}

bool limber_contacts_evaluate(const limber_contacts* c, double time_s, float* contact, float* ground) {
    uint32_t joints = c->support->model->rig.joint_count;
    bool any = c->floor.level_count > 0 || c->column_count > 0;
    lookup at = look_up(c, time_s);
    for (uint32_t j = 0; j < joints; j++) {
        const column* from = c->column_of[j] >= 0 ? &c->columns[c->column_of[j]] : NULL;
        if (contact)
            contact[j] = from ? part_at(from->hold, &at) : 0;
        if (!ground)
            continue;
        ground[j] = any ? (float)c->base : 0;
        if (from && from->ground)
            ground[j] = value_at(from->ground, &at);
    }
    return any;
}

void limberi_contacts_touching(const limber_contacts* c, double time_s, float* touching) {
    lookup at = look_up(c, time_s);
    for (uint32_t j = 0; j < c->support->model->rig.joint_count; j++)
        touching[j] = c->column_of[j] >= 0 ? part_at(c->columns[c->column_of[j]].touch, &at) : 0;
}

double limberi_contacts_impact(const limber_contacts* c, double time_s, double gain, double min_speed, double* low) {
    if (!c->hit_count)
        return 0;
    lookup at = look_up(c, time_s);
    double period_s = c->grid.loops ? c->clip->end_s - c->clip->start_s : 0;
    double since_s = limber_clip_wrap(c->clip, c->grid.loops, time_s) - c->grid.start_s;
    *low = (double)value_at(c->low, &at);
    return limberi_hits_squash(c->hits, c->hit_count, since_s, period_s, true, gain, min_speed);
}

double limberi_contacts_depth(const limber_contacts* c, double time_s) {
    if (!c->low)
        return 0;
    lookup at = look_up(c, time_s);
    return fmax(0, c->floor.levels[0] - (double)value_at(c->low, &at));
}
