// What stays in its place while the body goes on holds on to something: a hand on a bar, on a ledge, on the rung of a
// ladder. Nothing of that is in the file, so it is seen by the motion alone.
#include "contact/contacts_private.h"

#include "asset/asset.h"
#include "asset/body.h"
#include "base/math.h"

#include <string.h>

// Lengths in scales.
static const double look_s = 1.0 / 30;
static const double max_looks = 1 << 18;  // more than two hours
static const double max_places = 1 << 24; // of joints in all looks together
static const double stays = 0.015;        // within this for SHORTEST looks ...
static const double stays_long = 0.04;    // ... and within this for as long as it holds on
static const double as_long = 0.8;        // of a grip: how long what hangs below has to hold on as well
static const double above_floor = 0.25;   // what stands is found by the floor
static const double elsewhere = 0.01;     // a joint moves at all
static const double goes_on = 0.08;       // how far the body gets meanwhile ...
static const double stays_behind = 0.25;  // ... and how much less the grip moves
enum { SHORTEST = 13 }; // looks that a grip lasts at least: longer than the hand of a walker swings back
enum { MAX_OWNERS = 256, MAX_GRIPS = 2048 };

// The last places of one thing.
typedef float recent[SHORTEST][3];

static double distance(const float* a, const float* b) {
    return (double)limberi_length(limberi_sub(limberi_load3(a), limberi_load3(b)));
}

// How far it was from the place in a slot.
static double farthest(recent places, int slot) {
    double max = 0;
    for (int i = 0; i < SHORTEST; i++) { // without fmax, over which gcc 12 for arm64 breaks down
        double way = distance(places[i], places[slot]);
        max = way > max ? way : max;
    }
    return max;
}

// An owner that may be holding on.
typedef struct holder {
    recent places;
    bool holds;
    int64_t since;                     // the first look
    float own_start[3], body_start[3]; // where it was then, and where the body was
    double own_way, body_way;          // how far both have been from there
} holder;

typedef struct search {
    const limberi_floor* floor;
    const limberi_support* support;
    const double* shares; // [owner]
    holder* holders;      // [owner]
    recent body;
    float* first; // [joint * 3] where it was in the first pose
    bool* moves;  // [joint] whether it was elsewhere in another one
    limberi_grips* out;
} search;

static bool add_grip(search* s, uint32_t owner, int64_t from, int64_t to, double look) {
    limberi_grips* g = s->out;
    limberi_grip* list = limberi_list_with_room(g->list, g->count, &g->capacity, sizeof *list);
    if (!list)
        return false;
    g->list = list;
    g->list[g->count++] = (limberi_grip){owner, (double)from * look, (double)to * look, true};
    return true;
}

// It moved, or the clip is over: was it a grip?
static bool let_go(search* s, uint32_t owner, int64_t last, double look) {
    holder* h = &s->holders[owner];
    double scale = s->support->scale;
    bool grip = h->holds && h->body_way >= goes_on * scale && h->own_way <= stays_behind * h->body_way;
    h->holds = false;
    for (uint32_t i = 0; i < s->floor->level_count; i++)
        grip = grip && !(fabs((double)h->own_start[1] - s->floor->levels[i]) < above_floor * scale);
    return !grip || add_grip(s, owner, h->since, last, look);
}

static void find_moving(search* s, const limber_pose* pose, bool is_first) {
    for (uint32_t j = 0; j < s->support->model->rig.joint_count; j++) {
        const float* place = &pose->world_from_joint[j].m[12];
        if (is_first)
            memcpy(s->first + 3 * (size_t)j, place, 3 * sizeof *place);
        s->moves[j] |= distance(place, s->first + 3 * (size_t)j) > elsewhere * s->support->scale;
    }
}

static void find_places(search* s, const limber_pose* pose, int slot) {
    double body[3] = {0, 0, 0};
    for (uint32_t o = 0; o < s->support->owner_count; o++) {
        limber_vec3 p = limberi_mat4_point(&pose->world_from_joint[s->support->owners[o]], s->support->middle[o]);
        limberi_store3(s->holders[o].places[slot], p);
        body[0] += s->shares[o] * (double)p.x;
        body[1] += s->shares[o] * (double)p.y;
        body[2] += s->shares[o] * (double)p.z;
    }
    for (int c = 0; c < 3; c++)
        s->body[slot][c] = (float)body[c];
}

static bool look_at_owner(search* s, uint32_t owner, int64_t look, int slot, double look_length_s) {
    holder* h = &s->holders[owner];
    double scale = s->support->scale;
    int oldest = (slot + 1) % SHORTEST; // most have moved since
    bool still =
        distance(h->places[slot], h->places[oldest]) <= stays * scale && farthest(h->places, oldest) <= stays * scale;
    if (h->holds) {
        double way = distance(h->places[slot], h->own_start);
        if (!still || way > stays_long * scale)
            return let_go(s, owner, look - 1, look_length_s);
        h->own_way = fmax(h->own_way, way);
        h->body_way = fmax(h->body_way, distance(s->body[slot], h->body_start));
    } else if (still) {
        h->holds = true;
        h->since = look - (SHORTEST - 1);
        memcpy(h->own_start, h->places[oldest], sizeof h->own_start);
        memcpy(h->body_start, s->body[oldest], sizeof h->body_start);
        h->own_way = farthest(h->places, oldest);
        h->body_way = farthest(s->body, oldest);
    }
    return true;
}

// Looks before the first moment and after the last one of a loop, so that a grip is not cut in two there.
static bool look_at_clip(search* s, const limber_clip* clip, const limberi_grid* grid, limber_pose* poses) {
    double length = clip->end_s - clip->start_s;
    int64_t looks = (int64_t)fmax(1, round(length / look_s));
    double step = length / (double)looks;
    int64_t first = grid->loops ? -(SHORTEST - 1) : 0;
    int64_t last = grid->loops ? looks + SHORTEST - 1 : looks;
    for (int64_t i = first; i <= last; i++) {
        uint32_t nth = (uint32_t)(i - first) % LIMBERI_POSES;
        int slot = (int)((i - first) % SHORTEST);
        if (nth == 0) {
            double times_s[LIMBERI_POSES];
            uint32_t count = (uint32_t)(last - i + 1 < LIMBERI_POSES ? last - i + 1 : LIMBERI_POSES);
            for (uint32_t k = 0; k < count; k++)
                times_s[k] = limber_clip_wrap(clip, grid->loops, clip->start_s + (double)(i + k) * step);
            limberi_clip_sample_some(s->support->model, clip, times_s, count, poses);
        }
        limber_pose_update_world(s->support->model, &poses[nth]);
        find_moving(s, &poses[nth], i == first);
        find_places(s, &poses[nth], slot);
        for (uint32_t o = 0; i - first >= SHORTEST - 1 && o < s->support->owner_count; o++)
            if (!look_at_owner(s, o, i, slot, step))
                return false;
    }
    for (uint32_t o = 0; o < s->support->owner_count; o++)
        if (!let_go(s, o, last, step))
            return false;
    return true;
}

// --- which of them count ---

// A thing that stays all the time, as the bar itself, holds on to nothing.
static bool is_carried(const search* s, uint32_t owner) {
    const int32_t* parents = s->support->model->rig.parents;
    for (int32_t j = parents[s->support->owners[owner]]; j >= 0; j = parents[j])
        if (s->moves[j])
            return true;
    return false;
}

// What hangs below a joint, if it has skin, holds on as long: else it is the middle of a body that moves about it.
static bool is_end(const limberi_support* s, const limberi_grips* g, const limberi_grip* grip) {
    const limber_rig* rig = &s->model->rig;
    for (uint32_t o = 0; o < s->owner_count; o++) {
        bool below = o != grip->owner && limberi_hangs_below(rig, s->owners[o], s->owners[grip->owner]);
        double shared_s = 0;
        for (uint32_t i = 0; below && i < g->count; i++)
            if (g->list[i].owner == o)
                shared_s += fmax(0, fmin(g->list[i].to_s, grip->to_s) - fmax(g->list[i].from_s, grip->from_s));
        if (below && shared_s < as_long * (grip->to_s - grip->from_s))
            return false;
    }
    return true;
}

static void drop_others(const search* s) {
    limberi_grips* g = s->out;
    uint32_t kept = 0;
    if (g->count > MAX_GRIPS) // it stops and goes all the time
        g->count = 0;
    for (uint32_t i = 0; i < g->count; i++)
        g->list[i].counts = is_carried(s, g->list[i].owner) && is_end(s->support, g, &g->list[i]);
    for (uint32_t i = 0; i < g->count; i++)
        if (g->list[i].counts)
            g->list[kept++] = g->list[i];
    g->count = kept;
}

// Hours of motion and hundreds of joints are not looked at: who has so many hands?
static bool is_short_enough(const limberi_support* s, double length_s) {
    double looks = length_s / look_s;
    return looks >= SHORTEST && looks <= max_looks && looks * s->model->rig.joint_count <= max_places &&
           s->owner_count <= MAX_OWNERS;
}

bool limberi_grips_find(const limberi_support* support, const limber_clip* clip, const limberi_grid* grid,
                        const limberi_floor* floor, limberi_grips* grips) {
    memset(grips, 0, sizeof *grips);
    if (!is_short_enough(support, clip->end_s - clip->start_s))
        return true;
    limberi_arena scratch = {NULL, false};
    limber_pose poses[LIMBERI_POSES];
    double* shares = LIMBERI_ALLOCATE(&scratch, double, support->owner_count);
    search s = {.floor = floor, .support = support, .shares = shares, .out = grips};
    s.holders = LIMBERI_ALLOCATE(&scratch, holder, support->owner_count);
    s.first = LIMBERI_ALLOCATE(&scratch, float, 3 * (size_t)support->model->rig.joint_count);
    s.moves = LIMBERI_ALLOCATE(&scratch, bool, support->model->rig.joint_count);
    if (scratch.failed || limberi_poses_create(support->model, poses)) {
        limberi_arena_free(&scratch);
        return false;
    }
    limberi_support_shares(support, shares);
    bool fine = look_at_clip(&s, clip, grid, poses);
    drop_others(&s);
    limberi_poses_destroy(poses);
    limberi_arena_free(&scratch);
    return fine;
}
