// Contacts of a clip. Per joint and moment: a support point is near a level of the floor, and slow. That is widened and
// smoothed in time, and spreads along the bones to what must not move against a planted foot.
#include "ground/contacts_private.h"

#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "motion/at.h"

#include <string.h>

// Lengths in scales, times in seconds.
static const double near_full = 0.02, near_none = 0.05;
static const double deep_full = -0.05, deep_none = -0.08;
static const double slow_full = 0.3, slow_none = 0.8; // per second
static const double widen_s = 0.05;                   // both to find the largest value and to smooth it
static const double spread_full = 0.06, spread_none = 0.35;
static const double least = 1e-3; // less is no contact
enum { MOST_SPREADING = 256 };    // joints that touch: more would take long and change nothing

// One signal per joint that is ever held.
typedef struct column {
    uint32_t joint; // fused
    float most;     // of `touch`
    float* touch;   // [moment] c; NULL: never touches
    float* hold;    // [moment] C
    float* ground;  // [moment]; NULL: the lowest level
} column;

struct limber_contacts {
    limberi_arena arena;
    const limberi_support* support;
    const limber_clip* clip;
    limberi_grid grid;
    limberi_floor floor;
    uint32_t column_count;
    column* columns;        // [joint_count at most]
    int32_t* column_of;     // [joint] through its fused joint, -1: never held
    uint32_t span_count;
    limber_contact* spans;
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

// --- the floors of all clips ---

typedef struct floors {
    limberi_memo_item memo;
    double usual; // the level that most clips have; NAN: none has any
    limberi_floor of_clip[];
} floors;

static void destroy_floors(limberi_memo_item* item) {
    limberi_release(item);
}

static limberi_grid grid_of(const limberi_support* support, const limber_clip* clip, bool loops) {
    return limberi_ground_grid(clip, loops, (size_t)support->owner_count + 1);
}

static limber_result find_floor(const limberi_support* support, const limber_clip* clip, bool loops,
                                limberi_floor* floor) {
    limberi_grid grid = grid_of(support, clip, loops);
    limberi_trace trace;
    limber_result result = limberi_trace_make(support, clip, &grid, NULL, false, &trace);
    if (result)
        return result;
    result = limberi_floor_find(&trace, floor);
    limberi_trace_free(&trace);
    return result;
}

static uint32_t clips_on(const floors* all, uint32_t clips, double level, double scale) {
    uint32_t count = 0;
    for (uint32_t c = 0; c < clips; c++) {
        bool has = false;
        for (uint32_t i = 0; i < all->of_clip[c].level_count; i++)
            has |= limberi_floor_same(all->of_clip[c].levels[i], level, scale);
        count += has;
    }
    return count;
}

static double usual_level(const floors* all, uint32_t clips, double scale) {
    double usual = NAN;
    uint32_t most = 0;
    for (uint32_t c = 0; c < clips; c++)
        for (uint32_t i = 0; i < all->of_clip[c].level_count; i++) {
            uint32_t count = clips_on(all, clips, all->of_clip[c].levels[i], scale);
            if (count > most) {
                most = count;
                usual = all->of_clip[c].levels[i];
            }
        }
    return usual;
}

// Clips of a file stand on the same floor: one that only leaps has it from the others. All other levels are their own:
// a sword's tip below the floor in one clip says nothing about the next.
static const floors* floors_of(const limber_asset* asset, const limberi_support* support) {
    const limber_model* model = limber_asset_model(asset);
    limberi_memo* memo = limberi_asset_memo(asset, LIMBERI_MEMO_FLOORS);
    limberi_memo_item* known = atomic_load(&memo->item);
    if (known)
        return (floors*)(void*)known;
    floors* made = limberi_allocate_zeroed(1, sizeof *made + model->clip_count * sizeof made->of_clip[0]);
    for (uint32_t c = 0; made && c < model->clip_count; c++) {
        if (find_floor(support, &model->clips[c], model->clips[c].loops, &made->of_clip[c])) {
            limberi_release(made);
            return NULL;
        }
    }
    if (!made)
        return NULL;
    made->usual = usual_level(made, model->clip_count, support->scale);
    made->memo.destroy = destroy_floors;
    return (floors*)(void*)limberi_memo_keep(memo, &made->memo);
}

static limber_result choose_floor(limber_contacts* c, const limber_asset* asset, int32_t index,
                                  const limber_contact_settings* settings) {
    if (settings->floor == LIMBER_FLOOR_NONE)
        return LIMBER_OK;
    const floors* all = index >= 0 ? floors_of(asset, c->support) : NULL;
    if (index >= 0 && !all)
        return LIMBER_ERROR_MEMORY;
    if (all)
        c->floor = all->of_clip[index];
    else if (find_floor(c->support, c->clip, c->grid.loops, &c->floor))
        return LIMBER_ERROR_MEMORY;
    bool given = settings->floor == LIMBER_FLOOR_GIVEN, usual = !given && !c->floor.level_count && all;
    if (given || (usual && !isnan(all->usual))) {
        c->floor.level_count = 1;
        c->floor.levels[0] = given ? (double)settings->height : all->usual;
    }
    return LIMBER_OK;
}

// --- one joint over time ---

// The highest level that the point is not clearly below.
static double level_below(const limberi_floor* floor, double height, double scale) {
    uint32_t at = 0;
    while (at + 1 < floor->level_count && floor->levels[at + 1] <= height + near_full * scale)
        at++;
    return floor->levels[at];
}

static double point_contact(const limber_contacts* c, const limberi_trace* t, uint32_t owner, uint32_t point,
                            uint32_t moment, double height) {
    limberi_point_motion motion;
    double above = (height - level_below(&c->floor, height, c->support->scale)) / c->support->scale;
    double near = (1 - limberi_smooth_step(near_full, near_none, above)) *
                  limberi_smooth_step(deep_none, deep_full, above);
    if (!(near > 0) || !limberi_trace_motion(t, owner, point, moment, &motion))
        return 0;
    return near * (1 - limberi_smooth_step(slow_full, slow_none, limberi_floor_speed(&c->floor, &motion)));
}

typedef struct signals {
    double *raw, *low, *scratch; // [moment]
} signals;

static double look_at(const limber_contacts* c, const limberi_trace* t, uint32_t owner, signals* s) {
    uint32_t points = c->support->first[owner + 1] - c->support->first[owner];
    double most = 0;
    for (uint32_t i = 0; i < c->grid.count; i++) {
        s->raw[i] = 0;
        s->low[i] = INFINITY;
        for (uint32_t k = 0; k < points; k++) {
            double height;
            if (!limberi_trace_height(t, owner, k, i, &height))
                break;
            s->low[i] = height < s->low[i] ? height : s->low[i];
            double touch = s->raw[i] < 1 ? point_contact(c, t, owner, k, i, height) : 1;
            s->raw[i] = touch > s->raw[i] ? touch : s->raw[i];
        }
        most = s->raw[i] > most ? s->raw[i] : most;
    }
    return most;
}

static void widen(const limber_contacts* c, double* values, double* scratch) {
    int reach = limberi_grid_span(&c->grid, widen_s);
    limberi_grid_filter(&c->grid, LIMBERI_WINDOW_MAX, reach, values, scratch);
    limberi_grid_filter(&c->grid, LIMBERI_WINDOW_HANN, reach, values, scratch);
}

// --- the ground below a joint, where there is more than one level ---

// The end of a run of moments in which the joint touches.
static uint32_t run_end(const signals* s, uint32_t count, uint32_t from, double* low) {
    uint32_t i = from;
    for (*low = INFINITY; i < count && s->raw[i] > 0.5; i++)
        *low = fmin(*low, s->low[i]);
    return i;
}

// Each time it touches, the lowest it gets; between two of them the lower one.
static void find_ground(const limber_contacts* c, const signals* s, double* line) {
    uint32_t count = c->grid.count, written = 0;
    double last = NAN, first = NAN, low;
    for (uint32_t i = 0; i < count; i++) {
        if (!(s->raw[i] > 0.5))
            continue;
        uint32_t end = run_end(s, count, i, &low);
        first = isnan(first) ? low : first;
        for (; written < i; written++)
            line[written] = isnan(last) ? low : fmin(low, last);
        for (; written < end; written++)
            line[written] = low;
        last = low;
        i = end;
    }
    for (uint32_t i = 0; i < count; i++)
        line[i] = i >= written ? last : line[i];
    if (!c->grid.loops || isnan(first))
        return;
    for (uint32_t i = written; i < count; i++)
        line[i] = fmin(first, last);
    for (uint32_t i = 0; i < count && !(s->raw[i] > 0.5); i++)
        line[i] = fmin(first, last);
}

static bool keep_ground(limber_contacts* c, signals* s, column* to) {
    double* line = s->low;
    bool any = false;
    for (uint32_t i = 0; i < c->grid.count; i++)
        any |= s->raw[i] > 0.5;
    if (c->floor.level_count < 2 || !any)
        return true;
    limberi_arena scratch = {NULL, false};
    double* heights = LIMBERI_ALLOCATE(&scratch, double, c->grid.count);
    to->ground = LIMBERI_ALLOCATE(&c->arena, float, c->grid.count);
    if (heights && to->ground) {
        int reach = limberi_grid_span(&c->grid, widen_s);
        find_ground(c, s, heights);
        memcpy(line, heights, c->grid.count * sizeof *line);
        limberi_grid_filter(&c->grid, LIMBERI_WINDOW_MIN, reach, line, s->scratch);
        limberi_grid_filter(&c->grid, LIMBERI_WINDOW_HANN, reach, line, s->scratch);
        for (uint32_t i = 0; i < c->grid.count; i++)
            to->ground[i] = (float)line[i];
    }
    bool fine = heights && to->ground;
    limberi_arena_free(&scratch);
    return fine;
}

// --- what the artist says ---

static bool has_joint(const limber_contacts* c, const limber_contact_edit* edit, uint32_t fused) {
    for (uint32_t j = 0; j < c->support->model->rig.joint_count; j++)
        if (c->support->fused[j] == fused && edit->joints[j])
            return true;
    return false;
}

static bool is_edited(const limber_contacts* c, const limber_contact_settings* settings, int32_t index,
                      uint32_t fused) {
    for (uint32_t e = 0; e < settings->edit_count; e++)
        if ((settings->edits[e].clip < 0 || settings->edits[e].clip == index) &&
            has_joint(c, &settings->edits[e], fused))
            return true;
    return false;
}

static void edit_joint(const limber_contacts* c, const limber_contact_settings* settings, int32_t index,
                       uint32_t fused, signals* s) {
    for (uint32_t e = 0; e < settings->edit_count; e++) {
        const limber_contact_edit* edit = &settings->edits[e];
        if ((edit->clip >= 0 && edit->clip != index) || !has_joint(c, edit, fused))
            continue;
        for (uint32_t i = 0; i < c->grid.count; i++) {
            double time_s = i * c->grid.step_s;
            if (time_s >= edit->from_s && time_s <= edit->to_s)
                s->raw[i] = (double)edit->amount;
        }
    }
}

// --- columns ---

static column* column_for(limber_contacts* c, uint32_t joint) {
    if (c->column_of[joint] < 0) {
        c->column_of[joint] = (int32_t)c->column_count;
        c->columns[c->column_count++].joint = joint;
    }
    return &c->columns[c->column_of[joint]];
}

static void list_spans(limber_contacts* c, const column* from, bool count_only) {
    for (uint32_t i = 0; i < c->grid.count; i++) {
        if (!(from->touch[i] > 0.5f))
            continue;
        uint32_t end = i;
        while (end + 1 < c->grid.count && from->touch[end + 1] > 0.5f)
            end++;
        if (!count_only) {
            limber_contact span = {from->joint, i * c->grid.step_s, end * c->grid.step_s,
                                   from->ground ? (double)from->ground[(i + end) / 2] : c->floor.levels[0]};
            c->spans[c->span_count] = span;
        }
        c->span_count++;
        i = end;
    }
}

static bool find_touching(limber_contacts* c, const limberi_trace* t, const limber_contact_settings* settings,
                          int32_t index, signals* s) {
    for (uint32_t o = 0; o < c->support->owner_count; o++) {
        uint32_t joint = c->support->owners[o];
        bool edited = is_edited(c, settings, index, joint);
        double most = look_at(c, t, o, s);
        if (edited)
            edit_joint(c, settings, index, joint, s);
        for (uint32_t i = 0; edited && i < c->grid.count; i++)
            most = fmax(most, s->raw[i]);
        if (!(most > least))
            continue;
        column* to = column_for(c, joint);
        to->touch = LIMBERI_ALLOCATE(&c->arena, float, c->grid.count);
        if (!to->touch || !keep_ground(c, s, to))
            return false;
        widen(c, s->raw, s->scratch);
        for (uint32_t i = 0; i < c->grid.count; i++) {
            to->touch[i] = (float)fmin(fmax(s->raw[i], 0), 1);
            to->most = fmaxf(to->most, to->touch[i]);
        }
    }
    return true;
}

// --- along the bones ---

static double bone(const limber_rig* rig, uint32_t joint) {
    return (double)limberi_length(
        limberi_sub(limberi_mat4_translation(&rig->world_from_joint_rest[joint]),
                    limberi_mat4_translation(&rig->world_from_joint_rest[rig->parents[joint]])));
}

// Distance along the tree from `from` to every joint: up to the root, then down.
static void measure(const limber_rig* rig, uint32_t from, double* distance) {
    for (uint32_t j = 0; j < rig->joint_count; j++)
        distance[j] = INFINITY;
    distance[from] = 0;
    for (uint32_t j = from; rig->parents[j] >= 0; j = (uint32_t)rig->parents[j])
        distance[rig->parents[j]] = distance[j] + bone(rig, j);
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (isinf(distance[j]) && rig->parents[j] >= 0)
            distance[j] = distance[rig->parents[j]] + bone(rig, j);
}

static bool spread_one(limber_contacts* c, uint32_t from, const double* distance) {
    const limber_rig* rig = &c->support->model->rig;
    const float* touch = c->columns[from].touch;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        double part = 1 - limberi_smooth_step(spread_none > 0 ? spread_full : 0, spread_none,
                                              distance[j] / c->support->scale);
        if (!(part > 0) || c->support->fused[j] != j)
            continue;
        column* to = column_for(c, j);
        if (!to->hold)
            to->hold = LIMBERI_ALLOCATE(&c->arena, float, c->grid.count);
        if (!to->hold)
            return false;
        for (uint32_t i = 0; i < c->grid.count; i++)
            to->hold[i] = 1 - (1 - to->hold[i]) * (1 - touch[i] * (float)part);
    }
    return true;
}

static bool spread(limber_contacts* c, double* distance) {
    uint32_t touching = c->column_count;
    for (uint32_t i = 0; i < touching && i < MOST_SPREADING; i++) {
        measure(&c->support->model->rig, c->columns[i].joint, distance);
        if (!spread_one(c, i, distance))
            return false;
    }
    for (uint32_t j = 0; j < c->support->model->rig.joint_count; j++)
        c->column_of[j] = c->column_of[c->support->fused[j]];
    return true;
}

// --- all of it ---

static bool list_all_spans(limber_contacts* c) {
    for (uint32_t i = 0; i < c->column_count; i++)
        if (c->columns[i].touch)
            list_spans(c, &c->columns[i], true);
    c->spans = LIMBERI_ALLOCATE(&c->arena, limber_contact, c->span_count);
    c->span_count = 0;
    for (uint32_t i = 0; c->spans && i < c->column_count; i++)
        if (c->columns[i].touch)
            list_spans(c, &c->columns[i], false);
    return c->spans != NULL;
}

static bool find_impacts(limber_contacts* c, const limberi_trace* t, double* touching) {
    memset(touching, 0, c->grid.count * sizeof *touching);
    for (uint32_t k = 0; k < c->column_count; k++)
        for (uint32_t i = 0; c->columns[k].touch && i < c->grid.count; i++)
            touching[i] += (double)c->columns[k].touch[i];
    c->low = LIMBERI_ALLOCATE(&c->arena, float, c->grid.count);
    for (uint32_t i = 0; c->low && i < c->grid.count; i++)
        c->low[i] = (float)t->low[i];
    return c->low && !limberi_find_hits(t, &c->floor, touching, &c->arena, &c->hits, &c->hit_count);
}

static limber_result analyse(limber_contacts* c, const limberi_trace* t, int32_t index,
                             const limber_contact_settings* settings) {
    uint32_t joints = c->support->model->rig.joint_count;
    limberi_arena scratch = {NULL, false};
    signals s = {LIMBERI_ALLOCATE(&scratch, double, c->grid.count), LIMBERI_ALLOCATE(&scratch, double, c->grid.count),
                 LIMBERI_ALLOCATE(&scratch, double, c->grid.count)};
    double* distance = LIMBERI_ALLOCATE(&scratch, double, joints);
    c->columns = LIMBERI_ALLOCATE(&c->arena, column, joints);
    bool fine = !scratch.failed && !c->arena.failed && find_touching(c, t, settings, index, &s) &&
                spread(c, distance) && list_all_spans(c) && find_impacts(c, t, s.raw);
    limberi_arena_free(&scratch);
    return fine ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

static limber_result find(limber_contacts* c, const limber_asset* asset, int32_t index,
                          const limber_contact_settings* settings) {
    limberi_trace trace;
    limber_result result = choose_floor(c, asset, index, settings);
    c->column_of = LIMBERI_ALLOCATE(&c->arena, int32_t, c->support->model->rig.joint_count);
    if (result || !c->column_of)
        return LIMBER_ERROR_MEMORY;
    memset(c->column_of, 0xff, c->support->model->rig.joint_count * sizeof *c->column_of);
    if (!c->floor.level_count || c->grid.count < 2)
        return LIMBER_OK;
    result = limberi_trace_make(c->support, c->clip, &c->grid, &c->floor, settings->edit_count > 0, &trace);
    if (result)
        return result;
    result = analyse(c, &trace, index, settings);
    limberi_trace_free(&trace);
    return result;
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
    made->grid = grid_of(support, clip, loops);
    limber_result result = find(made, asset, index, settings);
    if (result)
        limber_contacts_destroy(made);
    else
        *contacts = made;
    return result;
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
    return result ? limberi_fail(error, result, "not enough memory to find contacts") : LIMBER_OK;
}

void limber_contacts_destroy(limber_contacts* contacts) {
    if (!contacts)
        return;
    limberi_arena_free(&contacts->arena);
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
    float t = (float)(x - at), u = 1 - t;
    lookup result = {{0}, {-0.5f * t * u * u, 1 - t * t * (2.5f - 1.5f * t), 1 - u * u * (2.5f - 1.5f * u),
                           -0.5f * u * t * t}};
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
    bool any = c->floor.level_count > 0;
    lookup at = look_up(c, time_s);
    for (uint32_t j = 0; j < joints; j++) {
        const column* from = c->column_of[j] >= 0 ? &c->columns[c->column_of[j]] : NULL;
        if (contact)
            contact[j] = from ? part_at(from->hold, &at) : 0;
        if (ground)
            ground[j] = from && from->ground ? value_at(from->ground, &at) : any ? (float)c->floor.levels[0] : 0;
    }
    return any;
}

void limber_contacts_hold(const void* contacts, double time_s, float* holds) {
    (void)limber_contacts_evaluate(contacts, time_s, holds, NULL);
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
    return limberi_hits_squash(c->hits, c->hit_count, since_s, period_s, gain, min_speed);
}

uint32_t limberi_contacts_landing_count(const limber_contacts* c) {
    return c->hit_count;
}

void limberi_contacts_landing_at(const limber_contacts* c, uint32_t index, double* time_s, double* speed) {
    *time_s = c->hits[index].time_s;
    *speed = c->hits[index].speed;
}

double limberi_contacts_depth(const limber_contacts* c, double time_s) {
    if (!c->low)
        return 0;
    lookup at = look_up(c, time_s);
    return fmax(0, c->floor.levels[0] - (double)value_at(c->low, &at));
}
