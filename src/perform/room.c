// What stands in the way of a larger pose: the character's own body, and the floor. Looked at by the few vertices of each
// joint that stick out.
#include "perform/room.h"

#include "asset/asset.h"
#include "base/math.h"
#include "base/sort.h"
#include "base/turns.h"
#include "perform/exaggerate/cartoon_filter.h"
#include "perform/legs.h"

#include <string.h>

enum { FAR_POINTS = 16, OTHER_POINTS = 600, AT_ONCE = 4, TRIES = 3 };

static const double looks_per_second = 30;
static const double far_half = 0.55;
static const double no_room = 0.02; // distance to the rest of the body, in heights
static const double all_room = 0.12;
static const double room_to_swing = 0.05; // arms that swing in a steady walk or run go along the body, not into it
static const double deep = 0.002;         // below the floor, in heights: the contact stage lifts the rest
static const double tolerance = 0.008;
static const double max_lift_rad = 0.20943951023931953;
static const double hold_soft_s = 0.1;
static const double slip = 0.014;                 // what lies still on the floor may be moved along it, in heights
static const double on_floor[2] = {0.02, 0.045};  // above it, in heights: surely, and no longer
static const double lies_still[2] = {0.15, 0.35}; // heights per second

// Points of the moment that is looked at.
typedef struct point_look {
    limberi_acting* a;
    limber_pose pose;
    limberi_slot_matrix* slots;
    float* places; // [point * 3]
} point_look;

static bool open_look(limberi_acting* a, limberi_arena* arena, point_look* look) {
    look->a = a;
    look->slots = limberi_arena_allocate(arena, a->surface->slot_count + (size_t)1, sizeof *look->slots);
    look->places = LIMBERI_ALLOCATE(arena, float, 3 * (size_t)a->points->count);
    return !arena->failed && limber_pose_create(a->model, &look->pose) == LIMBER_OK;
}

static void look_at(point_look* look, const limber_transform* local) {
    limberi_acting* a = look->a;
    memcpy(look->pose.local, local, a->joint_count * sizeof *local);
    limber_pose_update_world(a->model, &look->pose);
    limberi_skin_sums_slots(a->surface, &look->pose, look->slots);
}

static void see_points(point_look* look, const uint32_t* list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        limberi_skin_sums_place(look->a->surface, (const limberi_slot_matrix*)look->slots,
                                look->a->points->vertices[list[i]], look->places + 3 * (size_t)list[i]);
}

// [joint] how far from it its points are, as the clip starts.
static void find_reach(point_look* look, float* reach) {
    limberi_acting* a = look->a;
    look_at(look, a->local);
    for (uint32_t i = 0; i < a->points->count; i++) {
        uint32_t joint = a->points->joints[i];
        see_points(look, &i, 1);
        limber_vec3 place = limberi_load3(look->places + 3 * (size_t)i);
        limber_vec3 away = limberi_sub(place, limberi_mat4_translation(&look->pose.world_from_joint[joint]));
        reach[joint] = fmaxf(reach[joint], limberi_length(away));
    }
}

// --- the body itself ---

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

static bool find_rooms(limberi_acting* a, const bool* is_leg, limberi_arena* arena, point_look* look, double** rooms) {
    uint32_t step = (uint32_t)fmax(1, round(1 / (looks_per_second * a->grid.step_s)));
    uint32_t last = a->grid.count - 1;
    limb_points* chosen = LIMBERI_ALLOCATE(arena, limb_points, a->body->limb_count);
    uint32_t* all = LIMBERI_ALLOCATE(arena, uint32_t, 2 * (size_t)a->points->count);
    float* rest = LIMBERI_ALLOCATE(arena, float, 3 * (size_t)a->points->count);
    if (arena->failed)
        return false;
    for (uint32_t i = 0; i < a->points->count; i++)
        all[i] = i;
    limber_pose_rest(a->model, &look->pose);
    limber_pose_update_world(a->model, &look->pose);
    limberi_skin_sums_slots(a->surface, &look->pose, look->slots);
    see_points(look, all, a->points->count);
    memcpy(rest, look->places, 3 * (size_t)a->points->count * sizeof *rest);
    limberi_sort(all, all + a->points->count, a->points->count, compare_points, a);
    for (uint32_t l = 0; l < a->body->limb_count; l++)
        if (!is_leg[l] && !a->body->limbs[l].loose) {
            choose_points(a, l, rest, all, &chosen[l]);
            if (chosen[l].far_count)
                rooms[l] = LIMBERI_ALLOCATE(&a->arena, double, a->grid.count);
        }
    uint32_t before = 0;
    for (uint32_t f = 0; !a->arena.failed; f = f + step < last ? f + step : last) {
        look_at(look, &a->local[limberi_acting_at(a, f, 0)]);
        see_points(look, all, a->points->count);
        for (uint32_t l = 0; l < a->body->limb_count; l++)
            if (rooms[l])
                limberi_signal_fill(rooms[l], before, f, gap(&chosen[l], look->places) / a->body->height);
        if (f == last)
            break;
        before = f;
    }
    for (uint32_t l = 0; l < a->body->limb_count; l++)
        if (rooms[l])
            soften(a, rooms[l]);
    return !a->arena.failed;
}

limber_result limberi_room_find(limberi_acting* a, const bool* is_leg, double*** rooms) {
    limberi_arena arena = {NULL, false};
    point_look look = {0};
    *rooms = LIMBERI_ALLOCATE(&a->arena, double*, a->body->limb_count + (size_t)1);
    bool made = *rooms && open_look(a, &arena, &look) && find_rooms(a, is_leg, &arena, &look, *rooms);
    limber_pose_destroy(&look.pose);
    limberi_arena_free(&arena);
    return made ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

// --- the floor ---

// Heights of all points in the plain clip and in the edited one. Points of joints that stay high are left out.
typedef struct floor_look {
    point_look plain, now;
    uint32_t count;
    uint32_t* list; // points of this moment that matter
    float* reach;   // [joint] how far from it its points are
} floor_look;

static bool is_low(const floor_look* look, uint32_t f, uint32_t joint) {
    const limberi_acting* a = look->plain.a;
    double low = a->floor + 1.1 * (double)look->reach[joint];
    return (double)look->now.pose.world_from_joint[joint].m[13] < low ||
           a->world[limberi_acting_at(a, f, joint)].place[1] < low;
}

static bool is_below(const floor_look* look, uint32_t point) {
    const limberi_acting* a = look->now.a;
    return (double)limberi_skin_sums_height(a->surface, (const limberi_slot_matrix*)look->now.slots,
                                            a->points->vertices[point]) < a->floor;
}

// Lists points below the floor, the only ones that can be deep: mostly there are none, and only heights are looked at.
static void list_low(floor_look* look, const limber_transform* edited, uint32_t f, int32_t limb) {
    limberi_acting* a = look->plain.a;
    look_at(&look->now, edited);
    look->count = 0;
    for (uint32_t i = 0, next; i < a->points->count; i = next) { // joint by joint
        uint32_t joint = a->points->joints[i];
        bool mine = (limb < 0 || a->body->limb_of[joint] == limb) && is_low(look, f, joint);
        for (next = i; next < a->points->count && a->points->joints[next] == joint; next++)
            if (mine && is_below(look, next))
                look->list[look->count++] = next;
    }
    if (!look->count)
        return;
    see_points(&look->now, look->list, look->count);
    look_at(&look->plain, &a->local[limberi_acting_at(a, f, 0)]);
    see_points(&look->plain, look->list, look->count);
}

static double depth_at(const floor_look* look, uint32_t point) {
    double floor = fmin((double)look->plain.places[3 * (size_t)point + 1], look->plain.a->floor);
    return fmax(floor - (double)look->now.places[3 * (size_t)point + 1], 0);
}

// How deep the limb is at one moment, and where: the arm of the lever from its root.
static double see_depth(floor_look* look, const limber_transform* edited, uint32_t f, uint32_t limb, double* arm) {
    limberi_acting* a = look->plain.a;
    uint32_t root = a->body->limbs[limb].root;
    double max = 0;
    double sum = 0;
    memset(arm, 0, 3 * sizeof *arm);
    list_low(look, edited, f, (int32_t)limb);
    const float* m = look->now.pose.world_from_joint[root].m;
    for (uint32_t i = 0; i < look->count; i++) {
        double depth = depth_at(look, look->list[i]);
        const float* p = look->now.places + 3 * (size_t)look->list[i];
        max = fmax(max, depth);
        sum += depth * depth;
        for (int c = 0; c < 3; c++)
            arm[c] += depth * depth * ((double)p[c] - (double)m[12 + c]);
    }
    for (int c = 0; c < 3; c++)
        arm[c] /= fmax(sum, 1e-30);
    return max;
}

// Turns the limb up at its root by at most 12 degrees.
static void lift_limb(floor_look* look, uint32_t limb, limber_transform* edited, double* depth, double* axis) {
    limberi_acting* a = look->plain.a;
    double height = a->body->height;
    for (uint32_t f = 0; f < a->grid.count; f++) {
        double arm[3];
        double deepest = see_depth(look, &edited[limberi_acting_at(a, f, 0)], f, limb, arm);
        double level = sqrt(arm[0] * arm[0] + arm[2] * arm[2]);
        depth[f] = fmin(deepest / fmax(level, 0.12 * height), max_lift_rad);
        axis[3 * (size_t)f] = -arm[2] * deepest; // arm x up
        axis[3 * (size_t)f + 1] = 0;
        axis[3 * (size_t)f + 2] = arm[0] * deepest;
    }
    limberi_signal_max(&a->grid, 0.05, depth, a->scratch);
    limberi_signal_smooth(&a->grid, 0.03, 1, depth, a->scratch);
    limberi_signal_smooth(&a->grid, 0.06, 3, axis, a->scratch);
    uint32_t root = a->body->limbs[limb].root;
    for (uint32_t f = 0; f < a->grid.count; f++) {
        limber_transform* local = &edited[limberi_acting_at(a, f, 0)];
        double* n = &axis[3 * (size_t)f];
        double size = fmax(limberi_length3(n), 1e-9 * height * height);
        double turn[4];
        double own[4];
        double above[4];
        double back[4];
        double out[4];
        double whole[4];
        double v[3] = {n[0] / size, 0, n[2] / size};
        limberi_turn_exp(v, depth[f], turn);
        limberi_turn_of_transform(&local[root], own);
        limberi_turn_above(&a->model->rig, local, root, above);
        limberi_turn_mul(above, own, whole);
        limberi_turn_mul(turn, whole, out);
        limberi_turn_inverse(above, back);
        limberi_turn_mul(back, out, own);
        limberi_set_turn(&local[root], own);
    }
}

static void find_deep_limbs(floor_look* look, const limber_transform* edited, double* deepest) {
    const limberi_acting* a = look->plain.a;
    for (uint32_t f = 0; f < a->grid.count; f++) {
        list_low(look, &edited[limberi_acting_at(a, f, 0)], f, -1);
        for (uint32_t i = 0; i < look->count; i++) {
            int32_t limb = a->body->limb_of[a->points->joints[look->list[i]]];
            if (limb >= 0)
                deepest[limb] = fmax(deepest[limb], depth_at(look, look->list[i]));
        }
    }
}

// How still a point lies on the floor, or on a belt: 0 ... 1. `before` and `after` are its places one moment away.
static double stillness(const limberi_acting* a, const float* before, const float* at, const float* after,
                        double span_s) {
    double height = a->body->height;
    double low = 1 - limberi_smooth_step(on_floor[0], on_floor[1], ((double)at[1] - a->floor) / height);
    if (low == 0 || !(span_s > 0))
        return 0;
    double v[3];
    for (int c = 0; c < 3; c++)
        v[c] = ((double)after[c] - (double)before[c]) / (span_s * height);
    double speed = limberi_length3(v);
    if (a->belt > 0) {
        v[0] -= a->ground->belt[0] / height;
        v[2] -= a->ground->belt[1] / height;
        speed = fmin(speed, limberi_length3(v));
    }
    return low * (1 - limberi_smooth_step(lies_still[0], lies_still[1], speed));
}

// Points that lie still on the floor: the hem of a cape, a hand, a foot that the contacts did not count.
typedef struct resting_point {
    uint32_t moment, point;
    float place[3];
    float still;
} resting_point;

struct limberi_resting {
    size_t count;
    resting_point* points; // by moment
};

static bool add_resting(limberi_arena* arena, limberi_resting* resting, size_t* room, const resting_point* one) {
    if (resting->count == *room) {
        size_t more = 2 * *room + 256;
        resting_point* grown = LIMBERI_ALLOCATE(arena, resting_point, more);
        if (!grown)
            return false;
        if (resting->count)
            memcpy(grown, resting->points, resting->count * sizeof *grown);
        resting->points = grown;
        *room = more;
    }
    resting->points[resting->count++] = *one;
    return true;
}

// `rows`: places of all points at the moment before, at this one and after it.
static bool list_resting(limberi_acting* a, uint32_t f, float* const* rows, limberi_resting* resting, size_t* room) {
    bool inside = f > 0 && f < a->grid.count - 1;
    for (uint32_t i = 0; i < a->points->count; i++) {
        const float* at = rows[1] + 3 * (size_t)i;
        double still =
            stillness(a, rows[0] + 3 * (size_t)i, at, rows[2] + 3 * (size_t)i, (inside ? 2 : 1) * a->grid.step_s);
        resting_point one = {f, i, {at[0], at[1], at[2]}, (float)still};
        if (still > 0 && !add_resting(&a->arena, resting, room, &one))
            return false;
    }
    return true;
}

// What the points of three moments after each other take.
typedef struct point_rows {
    float* reach; // [joint]
    uint32_t* list;
    float* places[3]; // [point * 3]
} point_rows;

// Whether points of a joint may lie on the floor at a moment, or at the one before or after it.
static bool may_lie(const limberi_acting* a, const point_rows* rows, uint32_t joint, uint32_t f) {
    double low = a->floor + on_floor[1] * a->body->height + 1.25 * (double)rows->reach[joint];
    uint32_t from = f > 0 ? f - 1 : 0;
    for (uint32_t k = from; k <= f + 1 && k < a->grid.count; k++)
        if (a->world[limberi_acting_at(a, k, joint)].place[1] < low)
            return true;
    return false;
}

// Points that cannot lie there are high up.
static void see_row(point_look* look, uint32_t f, point_rows* rows, float* row) {
    limberi_acting* a = look->a;
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->points->count; i++) {
        look->places[3 * (size_t)i + 1] = INFINITY;
        if (may_lie(a, rows, a->points->joints[i], f))
            rows->list[count++] = i;
    }
    if (count)
        look_at(look, &a->local[limberi_acting_at(a, f, 0)]);
    see_points(look, rows->list, count);
    memcpy(row, look->places, 3 * (size_t)a->points->count * sizeof *row);
}

// Three moments at a time: a clip may be long.
static bool watch_points(limberi_acting* a, point_look* look, limberi_arena* arena, limberi_resting* resting) {
    uint32_t last = a->grid.count - 1;
    point_rows rows;
    float** places = rows.places;
    size_t room = 0;
    rows.reach = LIMBERI_ALLOCATE(arena, float, a->joint_count);
    rows.list = LIMBERI_ALLOCATE(arena, uint32_t, a->points->count);
    for (int r = 0; r < 3; r++)
        places[r] = LIMBERI_ALLOCATE(arena, float, 3 * (size_t)a->points->count);
    if (arena->failed)
        return false;
    find_reach(look, rows.reach);
    see_row(look, 0, &rows, places[1]);
    memcpy(places[0], places[1], 3 * (size_t)a->points->count * sizeof *places[0]);
    for (uint32_t f = 0; f <= last; f++) {
        see_row(look, f < last ? f + 1 : last, &rows, places[2]);
        if (!list_resting(a, f, places, resting, &room))
            return false;
        float* oldest = places[0];
        places[0] = places[1];
        places[1] = places[2];
        places[2] = oldest;
    }
    return true;
}

limber_result limberi_resting_find(limberi_acting* a, limberi_resting** resting) {
    limberi_arena arena = {NULL, false};
    point_look look = {0};
    *resting = LIMBERI_ALLOCATE(&a->arena, limberi_resting, 1);
    if (!*resting)
        return LIMBER_ERROR_MEMORY;
    if (!a->has_floor || !a->points->count)
        return LIMBER_OK;
    bool made = open_look(a, &arena, &look) && watch_points(a, &look, &arena, *resting);
    limber_pose_destroy(&look.pose);
    limberi_arena_free(&arena);
    return made ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

static void blend_back(limberi_acting* a, const double* keep, const bool* which, limber_transform* edited) {
    for (uint32_t f = 0; f < a->grid.count; f++)
        for (uint32_t j = 0; keep[f] < 1 && j < a->joint_count; j++) {
            size_t at = limberi_acting_at(a, f, j);
            if (!which || which[j])
                edited[at] = limberi_transform_blend(&a->local[at], &edited[at], keep[f]);
        }
}

void limberi_soften_keep(limberi_acting* a, double soft_s, double* keep) {
    limberi_signal_min(&a->grid, 1.4 * soft_s, keep, a->scratch);
    limberi_signal_smooth(&a->grid, soft_s, 1, keep, a->scratch);
}

// Fills `keep` with how much of the edits of a limb (-1: of the trunk) may stay at each moment, so that skin that lies
// still on the floor does not slide. Returns whether some would.
static bool see_resting(floor_look* look, const limberi_resting* resting, int32_t limb, const limber_transform* edited,
                        double* keep) {
    limberi_acting* a = look->plain.a;
    bool any = false;
    uint32_t shown = UINT32_MAX;
    for (uint32_t f = 0; f < a->grid.count; f++)
        keep[f] = 1;
    for (size_t i = 0; i < resting->count; i++) {
        const resting_point* r = &resting->points[i];
        if (a->body->limb_of[a->points->joints[r->point]] != limb)
            continue;
        if (r->moment != shown)
            look_at(&look->now, &edited[limberi_acting_at(a, r->moment, 0)]);
        shown = r->moment;
        see_points(&look->now, &r->point, 1);
        const float* now = look->now.places + 3 * (size_t)r->point;
        double moved[3];
        for (int c = 0; c < 3; c++)
            moved[c] = (double)now[c] - (double)r->place[c];
        double far = (double)r->still * limberi_length3(moved) / a->body->height;
        if (far <= slip)
            continue;
        keep[r->moment] = fmin(keep[r->moment], slip / far);
        any = true;
    }
    if (any)
        limberi_soften_keep(a, hold_soft_s, keep);
    return any;
}

// Takes edits back by `keep`: of the joints of one limb or, with -1, of the trunk and the legs below it.
static void hold_joints(limberi_acting* a, const bool* is_leg, int32_t limb, const double* keep,
                        limber_transform* edited, bool* which) {
    const limberi_anatomy* body = a->body;
    for (uint32_t j = 0; j < a->joint_count; j++) {
        int32_t own = body->limb_of[j];
        bool carries = own < 0 || is_leg[own] || body->limbs[own].loose;
        which[j] = limb < 0 ? carries : own == limb && !carries;
    }
    blend_back(a, keep, which, edited);
}

// First what the trunk needs, then what the limbs need: all at once, since their order means nothing.
static bool hold_resting(floor_look* look, const limberi_resting* resting, const bool* is_leg, limberi_arena* arena,
                         limber_transform* edited, bool* which) {
    limberi_acting* a = look->plain.a;
    uint32_t limbs = a->body->limb_count;
    double** keeps = LIMBERI_ALLOCATE(arena, double*, limbs + (size_t)1);
    double* all = LIMBERI_ALLOCATE(arena, double, a->grid.count);
    for (uint32_t l = 0; keeps && l < limbs; l++)
        keeps[l] = LIMBERI_ALLOCATE(arena, double, a->grid.count);
    if (arena->failed)
        return false;
    if (see_resting(look, resting, -1, edited, all))
        hold_joints(a, is_leg, -1, all, edited, which);
    for (uint32_t f = 0; f < a->grid.count; f++)
        all[f] = 1;
    for (uint32_t l = 0; l < limbs; l++) {
        if (!see_resting(look, resting, (int32_t)l, edited, keeps[l]))
            keeps[l] = NULL;
        for (uint32_t f = 0; keeps[l] && f < a->grid.count; f++)
            all[f] = fmin(all[f], keeps[l][f]);
    }
    hold_joints(a, is_leg, -1, all, edited, which);
    for (uint32_t l = 0; l < limbs; l++)
        if (keeps[l])
            hold_joints(a, is_leg, (int32_t)l, keeps[l], edited, which);
    return true;
}

// What is still below the floor takes all edits of the moment back, as far as needed. Returns whether anything was.
static bool take_back(floor_look* look, limber_transform* edited, double* keep) {
    limberi_acting* a = look->plain.a;
    double room = tolerance * a->body->height;
    bool any = false;
    for (uint32_t f = 0; f < a->grid.count; f++) {
        keep[f] = 1;
        list_low(look, &edited[limberi_acting_at(a, f, 0)], f, -1);
        for (uint32_t i = 0; i < look->count; i++) {
            uint32_t point = look->list[i];
            double plain = (double)look->plain.places[3 * (size_t)point + 1];
            double now = (double)look->now.places[3 * (size_t)point + 1];
            if (depth_at(look, point) <= room)
                continue;
            double allowed = plain - fmin(plain, a->floor) + room;
            keep[f] = fmin(keep[f], fmin(fmax(allowed / fmax(plain - now, 1e-9), 0), 1));
            any = true;
        }
    }
    if (any) {
        limberi_soften_keep(a, hold_soft_s, keep);
        blend_back(a, keep, NULL, edited);
    }
    return any;
}

limber_result limberi_floor_guard(limberi_acting* a, const bool* is_leg, const limberi_resting* resting,
                                  limber_transform* edited) {
    if (!a->has_floor || !a->points->count)
        return LIMBER_OK;
    limberi_arena arena = {NULL, false};
    floor_look look = {0};
    look.list = LIMBERI_ALLOCATE(&arena, uint32_t, a->points->count);
    double* depth = LIMBERI_ALLOCATE(&arena, double, a->grid.count);
    double* axis = LIMBERI_ALLOCATE(&arena, double, 3 * (size_t)a->grid.count);
    double* deepest = LIMBERI_ALLOCATE(&arena, double, a->body->limb_count + (size_t)1);
    bool* which = LIMBERI_ALLOCATE(&arena, bool, a->joint_count);
    look.reach = LIMBERI_ALLOCATE(&arena, float, a->joint_count);
    bool made = !arena.failed && open_look(a, &arena, &look.plain) && open_look(a, &arena, &look.now);
    if (made) {
        find_reach(&look.now, look.reach);
        find_deep_limbs(&look, edited, deepest);
    }
    for (uint32_t l = 0; made && l < a->body->limb_count; l++)
        if (!is_leg[l] && !a->body->limbs[l].loose && deepest[l] >= deep * a->body->height)
            lift_limb(&look, l, edited, depth, axis);
    made = made && hold_resting(&look, resting, is_leg, &arena, edited, which);
    for (int i = 0; made && i < TRIES && take_back(&look, edited, depth); i++) // turns do not add up to straight ways
        ;
    limber_pose_destroy(&look.plain.pose);
    limber_pose_destroy(&look.now.pose);
    limberi_arena_free(&arena);
    return made ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}
