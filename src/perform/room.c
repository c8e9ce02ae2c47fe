// What stands in the way of a larger pose: the character's own body. Looked at by the few vertices of each joint that
// stick out.
#include "perform/room.h"

#include "asset/asset.h"
#include "base/math.h"
#include "base/sort.h"
#include "perform/passes.h"

enum { FAR_POINTS = 16, OTHER_POINTS = 600, AT_ONCE = 4 };

static const double looks_per_second = 30;
static const double far_half = 0.55;
static const double no_room = 0.02; // distance to the rest of the body, in heights
static const double all_room = 0.12;
static const double room_to_swing = 0.05; // arms that swing in a steady walk or run go along the body, not into it

typedef struct limb_points {
    uint32_t far_count, other_count;
    uint32_t far[FAR_POINTS], others[OTHER_POINTS];
} limb_points;

// How far from the root of its limb a point is in the rest pose.
static double far_from_root(const limberi_acting* a, const float* rest, uint32_t point, uint32_t root) {
    const float* p = rest + 3 * (size_t)point;
    limber_vec3 away =
        limberi_sub(limberi_load3(p), limberi_mat4_translation(&a->model->rig.world_from_joint_rest[root]));
    return (double)limberi_length(away);
}

// By positions in the file, so that a choice of every third depends neither on the order of joints and meshes nor on the
// place of the character in the world.
static int compare_points(const void* user, uint32_t a, uint32_t b) {
    const limberi_acting* acting = user;
    const uint32_t points[2] = {a, b};
    uint32_t number[2]; // in its mesh
    const float* at[2];
    for (int i = 0; i < 2; i++) {
        uint32_t vertex = acting->points->vertices[points[i]];
        const limber_mesh* mesh = limberi_mesh_of_vertex(acting->model, vertex);
        number[i] = vertex - mesh->first_vertex;
        at[i] = mesh->positions + 3 * (size_t)number[i];
    }
    int order = limberi_compare_positions(at[0], at[1]);
    return order ? order : (number[0] > number[1]) - (number[0] < number[1]);
}

// `all` has the points in order.
static void choose_points(const limberi_acting* a, uint32_t limb, const float* rest, const uint32_t* all,
                          limb_points* chosen) {
    const limberi_anatomy* body = a->body;
    uint32_t root = body->limbs[limb].root;
    uint32_t far = 0;
    uint32_t others = 0;
    double max = 0;
    for (uint32_t i = 0; i < a->points->count; i++) {
        bool mine = body->limb_of[a->points->joints[i]] == (int32_t)limb;
        max = mine ? fmax(max, far_from_root(a, rest, i, root)) : max;
        others += !mine;
    }
    for (uint32_t i = 0; i < a->points->count; i++)
        far +=
            body->limb_of[a->points->joints[i]] == (int32_t)limb && far_from_root(a, rest, i, root) >= far_half * max;
    uint32_t far_step = 1 + far / FAR_POINTS;
    uint32_t other_step = 1 + others / OTHER_POINTS;
    chosen->far_count = chosen->other_count = far = others = 0;
    for (uint32_t k = 0; k < a->points->count; k++) {
        uint32_t i = all[k];
        bool mine = body->limb_of[a->points->joints[i]] == (int32_t)limb;
        if (mine && far_from_root(a, rest, i, root) >= far_half * max && far++ % far_step == 0)
            chosen->far[chosen->far_count++] = i;
        if (!mine && others++ % other_step == 0)
            chosen->others[chosen->other_count++] = i;
    }
}

// Thousands of pairs in each moment: squares of distances to all others at once.
static double gap(const limb_points* chosen, const float* places) {
    float x[OTHER_POINTS], y[OTHER_POINTS], z[OTHER_POINTS], squares[OTHER_POINTS];
    for (uint32_t k = 0; k < chosen->other_count; k++) {
        const float* q = places + 3 * (size_t)chosen->others[k];
        x[k] = q[0];
        y[k] = q[1];
        z[k] = q[2];
        squares[k] = INFINITY;
    }
    for (uint32_t i = 0; i < chosen->far_count; i += AT_ONCE) {
        const float* p[AT_ONCE];
        for (uint32_t n = 0; n < AT_ONCE; n++)
            p[n] = places + 3 * (size_t)chosen->far[i + n < chosen->far_count ? i + n : i];
        for (uint32_t k = 0; k < chosen->other_count; k++)
            for (uint32_t n = 0; n < AT_ONCE; n++) {
                float square = (p[n][0] - x[k]) * (p[n][0] - x[k]) + (p[n][1] - y[k]) * (p[n][1] - y[k]) +
                               (p[n][2] - z[k]) * (p[n][2] - z[k]);
                squares[k] = square < squares[k] ? square : squares[k];
            }
    }
    float min = INFINITY;
    for (uint32_t k = 0; k < chosen->other_count; k++)
        min = squares[k] < min ? squares[k] : min;
    return sqrt((double)min);
}

static void soften(limberi_acting* a, double* room) {
    limberi_signal_min(&a->grid, 0.10, room, a->scratch);
    limberi_signal_smooth(&a->grid, 0.06, 1, room, a->scratch);
    for (uint32_t f = 0; f < a->grid.count; f++) {
        double none = no_room * a->free[f];
        double all = room_to_swing + (all_room - room_to_swing) * a->free[f];
        room[f] = limberi_smooth_step(none, all, room[f]);
    }
}

typedef struct room_search {
    limberi_acting* a;
    const limb_points* chosen; // [limb]
    const uint32_t* all;       // points
    double** rooms;            // [limb]
    uint32_t step;             // moments from one look to the next
} room_search;

static uint32_t moment_of(const room_search* s, uint32_t look) {
    uint32_t last = s->a->grid.count - 1;
    return look * s->step < last ? look * s->step : last;
}

// Any thread, for different looks.
static void find_gaps(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const room_search* s = user;
    const limberi_acting* a = s->a;
    limberi_looker* own = &a->lookers[worker];
    for (uint32_t i = first; i < end; i++) {
        uint32_t f = moment_of(s, i);
        limberi_look_at(a, &a->local[limberi_acting_at(a, f, 0)], own->poses, own->slots[0]);
        limberi_see_points(a, (const limberi_slot_matrix*)own->slots[0], s->all, a->points->count, own->places[0]);
        for (uint32_t l = 0; l < a->body->limb_count; l++)
            if (s->rooms[l])
                s->rooms[l][f] = gap(&s->chosen[l], own->places[0]) / a->body->height;
    }
}

static bool find_rooms(limberi_acting* a, const bool* is_leg, limberi_arena* arena, double** rooms) {
    limb_points* chosen = LIMBERI_ALLOCATE(arena, limb_points, a->body->limb_count);
    uint32_t* all = LIMBERI_ALLOCATE(arena, uint32_t, 2 * (size_t)a->points->count);
    room_search search = {a, chosen, all, rooms, (uint32_t)fmax(1, round(1 / (looks_per_second * a->grid.step_s)))};
    limberi_looker* own = a->lookers;
    if (arena->failed)
        return false;
    for (uint32_t i = 0; i < a->points->count; i++)
        all[i] = i;
    limberi_look_at(a, a->model->rig.rest_local, own->poses, own->slots[0]);
    limberi_see_points(a, (const limberi_slot_matrix*)own->slots[0], all, a->points->count, own->places[0]);
    limberi_sort(all, all + a->points->count, a->points->count, compare_points, a);
    for (uint32_t l = 0; l < a->body->limb_count; l++)
        if (!is_leg[l] && !a->body->limbs[l].loose) {
            choose_points(a, l, own->places[0], all, &chosen[l]);
            if (chosen[l].far_count)
                rooms[l] = LIMBERI_ALLOCATE(&a->arena, double, a->grid.count);
        }
    if (a->arena.failed)
        return false;
    uint32_t looks = (a->grid.count - 1 + search.step - 1) / search.step + 1;
    limberi_parallel_for(a->parallel, looks, 1, find_gaps, &search);
    for (uint32_t l = 0; l < a->body->limb_count; l++) {
        for (uint32_t i = 1; rooms[l] && i < looks; i++)
            limberi_signal_fill(rooms[l], moment_of(&search, i - 1), moment_of(&search, i),
                                rooms[l][moment_of(&search, i)]);
        if (rooms[l])
            soften(a, rooms[l]);
    }
    return true;
}

limber_result limberi_room_find(limberi_acting* a, const bool* is_leg, double*** rooms) {
    limberi_arena arena = {NULL, false};
    *rooms = LIMBERI_ALLOCATE(&a->arena, double*, a->body->limb_count + (size_t)1);
    bool made = *rooms && find_rooms(a, is_leg, &arena, *rooms);
    limberi_arena_free(&arena);
    return made ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}
