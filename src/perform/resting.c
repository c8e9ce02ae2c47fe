// Points that lie still on the floor in the plain clip: where they do, a larger pose must not move them (S16).
#include "perform/room.h"

#include "base/math.h"
#include "perform/passes.h"

static const double on_floor[2] = {0.02, 0.045};  // above it, in heights: surely, and no longer
static const double lies_still[2] = {0.15, 0.35}; // heights per second

static void find_reach(const limberi_acting* a, float* reach) {
    limberi_looker* own = a->lookers;
    limberi_look_at(a, a->local, own->poses, own->slots[0]);
    for (uint32_t i = 0; i < a->points->count; i++) {
        uint32_t joint = a->points->joints[i];
        limberi_see_points(a, (const limberi_slot_matrix*)own->slots[0], &i, 1, own->places[0]);
        limber_vec3 place = limberi_load3(own->places[0] + 3 * (size_t)i);
        limber_vec3 away = limberi_sub(place, limberi_mat4_translation(&own->poses->world_from_joint[joint]));
        reach[joint] = fmaxf(reach[joint], limberi_length(away));
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

static void add_resting(limberi_resting_part* part, const limberi_resting_point* one) {
    limberi_resting_point* points =
        part->failed ? NULL : limberi_list_with_room(part->points, part->count, &part->room, sizeof *points);
    part->failed = !points;
    if (!points)
        return;
    part->points = points;
    part->points[part->count++] = *one;
}

// `rows`: places of all points at the moment before, at this one and after it.
static void list_resting(const limberi_acting* a, uint32_t f, float* const* rows, limberi_resting_part* part) {
    bool inside = f > 0 && f < a->grid.count - 1;
    for (uint32_t i = 0; i < a->points->count; i++) {
        const float* at = rows[1] + 3 * (size_t)i;
        double still =
            stillness(a, rows[0] + 3 * (size_t)i, at, rows[2] + 3 * (size_t)i, (inside ? 2 : 1) * a->grid.step_s);
        limberi_resting_point one = {f, i, {at[0], at[1], at[2]}, (float)still};
        if (still > 0)
            add_resting(part, &one);
    }
}

// Whether points of a joint may lie on the floor at a moment, or at the one before or after it.
static bool may_lie(const limberi_resting* r, uint32_t joint, uint32_t f) {
    const limberi_acting* a = r->a;
    double low = a->floor + on_floor[1] * a->body->height + 1.25 * (double)r->reach[joint];
    uint32_t from = f > 0 ? f - 1 : 0;
    for (uint32_t k = from; k <= f + 1 && k < a->grid.count; k++)
        if (a->world[limberi_acting_at(a, k, joint)].place[1] < low)
            return true;
    return false;
}

// Points that cannot lie there are high up.
static void see_row(const limberi_resting* r, uint32_t f, limberi_looker* own, float* row) {
    const limberi_acting* a = r->a;
    uint32_t count = 0;
    for (uint32_t i = 0, next; i < a->points->count; i = next) { // joint by joint
        bool low = may_lie(r, a->points->joints[i], f);
        for (next = i; next < a->points->count && a->points->joints[next] == a->points->joints[i]; next++) {
            row[3 * (size_t)next + 1] = INFINITY;
            if (low)
                own->list[count++] = next;
        }
    }
    if (count)
        limberi_look_at(a, &a->local[limberi_acting_at(a, f, 0)], own->poses, own->slots[0]);
    limberi_see_points(a, (const limberi_slot_matrix*)own->slots[0], own->list, count, row);
}

// Any thread, for different parts. Three moments at a time: a clip may be long.
static void watch_points(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_resting* r = user;
    limberi_looker* own = &r->a->lookers[worker];
    float** places = own->places;
    uint32_t last = r->a->grid.count - 1;
    limberi_moments_of(r->a, &first, &end);
    see_row(r, first > 0 ? first - 1 : 0, own, places[0]);
    see_row(r, first, own, places[1]);
    for (uint32_t f = first; f < end; f++) {
        see_row(r, f < last ? f + 1 : last, own, places[2]);
        list_resting(r->a, f, places, &r->parts[f / LIMBERI_PART]);
        float* oldest = places[0];
        places[0] = places[1];
        places[1] = places[2];
        places[2] = oldest;
    }
}

limber_result limberi_resting_find(limberi_acting* a, limberi_resting** resting) {
    limberi_resting* r = *resting = LIMBERI_ALLOCATE(&a->arena, limberi_resting, 1);
    if (!r)
        return LIMBER_ERROR_MEMORY;
    r->a = a;
    if (!a->has_floor || !a->points->count)
        return LIMBER_OK;
    uint32_t parts = limberi_part_count(a);
    r->reach = LIMBERI_ALLOCATE(&a->arena, float, a->joint_count);
    r->parts = LIMBERI_ALLOCATE(&a->arena, limberi_resting_part, parts);
    if (a->arena.failed)
        return LIMBER_ERROR_MEMORY;
    find_reach(a, r->reach);
    limberi_each_part(a, watch_points, r);
    bool failed = false;
    for (uint32_t k = 0; k < parts; k++) { // what threads allocated goes into the arena
        limberi_resting_point* points = r->parts[k].points;
        r->parts[k].points = LIMBERI_COPY(&a->arena, limberi_resting_point, points, r->parts[k].count);
        failed = failed || r->parts[k].failed;
        limberi_release(points);
    }
    return failed || a->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}
