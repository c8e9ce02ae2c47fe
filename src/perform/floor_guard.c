// The floor under larger poses (S16): limbs that would go below it are lifted, and edits are taken back where that is not
// enough or where something that lies on the floor would slide.
#include "base/math.h"
#include "base/turns.h"
#include "perform/exaggerate/cartoon_filter.h"
#include "perform/legs.h"
#include "perform/passes.h"
#include "perform/room.h"

#include <string.h>

enum { TRIES = 3 };

static const double deep = 0.002; // below the floor, in heights: the contact stage lifts the rest
static const double tolerance = 0.008;
static const double max_lift_rad = 0.20943951023931953;
static const double no_turn = 1e-7; // radians: what a filter leaves far from where it had something to do
static const double hold_soft_s = 0.1;
static const double slip = 0.014; // what lies still on the floor may be moved along it, in heights

// Edits that are to stay above the floor.
typedef struct floor_guard {
    limberi_acting* a;
    const limberi_resting* resting;
    limber_transform* edited; // [moment * joint_count + joint]
    double* deep;             // [moment] how deep anything is; what an edit has changed since: infinite
    double* deepest;          // [looker * limb_count + limb]
    double* keep;             // [moment] how much of the edits stays
    double** keeps;           // [limb] the same
    bool* which;              // [joint] that an edit is taken back of; NULL: all
    uint32_t limb;            // that is lifted
    double* depth;            // [moment] by how much
    double* axis;             // [moment * 3] about what
} floor_guard;

static bool is_low(const floor_guard* g, const limberi_looker* own, uint32_t f, uint32_t joint) {
    const limberi_acting* a = g->a;
    double low = a->floor + 1.1 * (double)g->resting->reach[joint];
    return (double)own->poses[0].world_from_joint[joint].m[13] < low ||
           a->world[limberi_acting_at(a, f, joint)].place[1] < low;
}

static bool is_below(const limberi_acting* a, const limberi_looker* own, uint32_t point) {
    return (double)limberi_skin_sums_height(a->surface, (const limberi_slot_matrix*)own->slots[0],
                                            a->points->vertices[point]) < a->floor;
}

// Lists points below the floor, the only ones that can be deep: mostly there are none, and only heights are looked at.
// Returns how many there are; places are where they are now, and in the plain clip.
static uint32_t list_low(const floor_guard* g, limberi_looker* own, uint32_t f, int32_t limb) {
    const limberi_acting* a = g->a;
    size_t at = limberi_acting_at(a, f, 0);
    uint32_t count = 0;
    limberi_look_at(a, &g->edited[at], &own->poses[0], own->slots[0]);
    for (uint32_t i = 0, next; i < a->points->count; i = next) { // joint by joint
        uint32_t joint = a->points->joints[i];
        bool mine = (limb < 0 || a->body->limb_of[joint] == limb) && is_low(g, own, f, joint);
        for (next = i; next < a->points->count && a->points->joints[next] == joint; next++)
            if (mine && is_below(a, own, next))
                own->list[count++] = next;
    }
    if (!count)
        return 0;
    limberi_see_points(a, (const limberi_slot_matrix*)own->slots[0], own->list, count, own->places[0]);
    limberi_look_at(a, &a->local[at], &own->poses[1], own->slots[1]);
    limberi_see_points(a, (const limberi_slot_matrix*)own->slots[1], own->list, count, own->places[1]);
    return count;
}

static double depth_at(const limberi_acting* a, const limberi_looker* own, uint32_t point) {
    double floor = fmin((double)own->places[1][3 * (size_t)point + 1], a->floor);
    return fmax(floor - (double)own->places[0][3 * (size_t)point + 1], 0);
}

// Any thread, for different parts: how deep the limb is, and where: the arm of the lever from its root.
static void see_depths(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const floor_guard* g = user;
    const limberi_acting* a = g->a;
    limberi_looker* own = &a->lookers[worker];
    limberi_moments_of(a, &first, &end);
    for (uint32_t f = first; f < end; f++) {
        double arm[3] = {0, 0, 0};
        double max = 0;
        double sum = 0;
        uint32_t count = g->deep[f] > 0 ? list_low(g, own, f, (int32_t)g->limb) : 0;
        const float* m = own->poses[0].world_from_joint[a->body->limbs[g->limb].root].m;
        for (uint32_t i = 0; i < count; i++) {
            double depth = depth_at(a, own, own->list[i]);
            const float* p = own->places[0] + 3 * (size_t)own->list[i];
            max = fmax(max, depth);
            sum += depth * depth;
            for (int c = 0; c < 3; c++)
                arm[c] += depth * depth * ((double)p[c] - (double)m[12 + c]);
        }
        for (int c = 0; c < 3; c++)
            arm[c] /= fmax(sum, 1e-30);
        double level = sqrt(arm[0] * arm[0] + arm[2] * arm[2]);
        g->depth[f] = fmin(max / fmax(level, 0.12 * a->body->height), max_lift_rad);
        g->axis[3 * (size_t)f] = -arm[2] * max; // arm x up
        g->axis[3 * (size_t)f + 1] = 0;
        g->axis[3 * (size_t)f + 2] = arm[0] * max;
    }
}

// Turns the limb up at its root by at most 12 degrees.
static void lift_limb(const floor_guard* g) {
    limberi_acting* a = g->a;
    double height = a->body->height;
    limberi_each_part(a, see_depths, g);
    limberi_signal_max(&a->grid, 0.05, g->depth, a->scratch);
    limberi_signal_smooth(&a->grid, 0.03, 1, g->depth, a->scratch);
    limberi_signal_smooth(&a->grid, 0.06, 3, g->axis, a->scratch);
    uint32_t root = a->body->limbs[g->limb].root;
    for (uint32_t f = 0; f < a->grid.count; f++) {
        limber_transform* local = &g->edited[limberi_acting_at(a, f, 0)];
        double* n = &g->axis[3 * (size_t)f];
        double size = fmax(limberi_length3(n), 1e-9 * height * height);
        double turn[4];
        double own[4];
        double above[4];
        double back[4];
        double out[4];
        double whole[4];
        double v[3] = {n[0] / size, 0, n[2] / size};
        if (g->depth[f] < no_turn)
            continue;
        g->deep[f] = INFINITY;
        limberi_turn_exp(v, g->depth[f], turn);
        limberi_turn_of_transform(&local[root], own);
        limberi_turn_above(&a->model->rig, local, root, above);
        limberi_turn_mul(above, own, whole);
        limberi_turn_mul(turn, whole, out);
        limberi_turn_inverse(above, back);
        limberi_turn_mul(back, out, own);
        limberi_set_turn(&local[root], own);
    }
}

// Any thread, for different parts.
static void find_deep(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const floor_guard* g = user;
    const limberi_acting* a = g->a;
    limberi_looker* own = &a->lookers[worker];
    double* deepest = g->deepest + (size_t)worker * a->body->limb_count;
    limberi_moments_of(a, &first, &end);
    for (uint32_t f = first; f < end; f++) {
        uint32_t count = list_low(g, own, f, -1);
        g->deep[f] = 0;
        for (uint32_t i = 0; i < count; i++) {
            int32_t limb = a->body->limb_of[a->points->joints[own->list[i]]];
            double depth = depth_at(a, own, own->list[i]);
            g->deep[f] = fmax(g->deep[f], depth);
            if (limb >= 0)
                deepest[limb] = fmax(deepest[limb], depth);
        }
    }
}

static void lift_deep_limbs(floor_guard* g, const bool* is_leg) {
    const limberi_acting* a = g->a;
    limberi_each_part(a, find_deep, g);
    for (uint32_t l = 0; l < a->body->limb_count; l++) {
        double deepest = 0;
        for (uint32_t i = 0; i < a->looker_count; i++)
            deepest = fmax(deepest, g->deepest[(size_t)i * a->body->limb_count + l]);
        g->limb = l;
        if (!is_leg[l] && !a->body->limbs[l].loose && deepest >= deep * a->body->height)
            lift_limb(g);
    }
}

// Any thread, for different parts.
static void blend_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const floor_guard* g = user;
    const limberi_acting* a = g->a;
    (void)worker;
    limberi_moments_of(a, &first, &end);
    for (uint32_t f = first; f < end; f++) {
        if (!(g->keep[f] < 1))
            continue;
        g->deep[f] = INFINITY;
        for (uint32_t j = 0; j < a->joint_count; j++) {
            size_t at = limberi_acting_at(a, f, j);
            if (!g->which || g->which[j])
                g->edited[at] = limberi_transform_blend(&a->local[at], &g->edited[at], g->keep[f]);
        }
    }
}

void limberi_soften_keep(limberi_acting* a, double soft_s, double* keep) {
    limberi_signal_min(&a->grid, 1.4 * soft_s, keep, a->scratch);
    limberi_signal_smooth(&a->grid, soft_s, 1, keep, a->scratch);
}

// Softens how much is kept, if anything is taken back at all.
static bool soften_any(limberi_acting* a, double* keep) {
    for (uint32_t f = 0; f < a->grid.count; f++)
        if (keep[f] < 1) {
            limberi_soften_keep(a, hold_soft_s, keep);
            return true;
        }
    return false;
}

// Any thread, for different parts: how much of the edits of the trunk (`keep`) or, where that is NULL, of each limb may stay
// at each moment, so that skin that lies still on the floor does not slide.
static void see_resting(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const floor_guard* g = user;
    const limberi_acting* a = g->a;
    limberi_looker* own = &a->lookers[worker];
    for (uint32_t k = first; k < end; k++) {
        uint32_t shown = UINT32_MAX;
        const limberi_resting_part* part = &g->resting->parts[k];
        for (uint32_t i = 0; i < part->count; i++) {
            const limberi_resting_point* r = &part->points[i];
            int32_t limb = a->body->limb_of[a->points->joints[r->point]];
            if ((limb < 0) != (g->keep != NULL))
                continue;
            if (r->moment != shown)
                limberi_look_at(a, &g->edited[limberi_acting_at(a, r->moment, 0)], own->poses, own->slots[0]);
            shown = r->moment;
            limberi_see_points(a, (const limberi_slot_matrix*)own->slots[0], &r->point, 1, own->places[0]);
            const float* now = own->places[0] + 3 * (size_t)r->point;
            double moved[3];
            for (int c = 0; c < 3; c++)
                moved[c] = (double)now[c] - (double)r->place[c];
            double far = (double)r->still * limberi_length3(moved) / a->body->height;
            double* keep = limb < 0 ? g->keep : g->keeps[limb];
            if (far > slip)
                keep[r->moment] = fmin(keep[r->moment], slip / far);
        }
    }
}

// Takes edits back by `keep`: of the joints of one limb or, with -1, of the trunk and the legs below it.
static void hold_joints(floor_guard* g, const bool* is_leg, int32_t limb, double* keep, bool* which) {
    const limberi_anatomy* body = g->a->body;
    for (uint32_t j = 0; j < g->a->joint_count; j++) {
        int32_t own = body->limb_of[j];
        bool carries = own < 0 || is_leg[own] || body->limbs[own].loose;
        which[j] = limb < 0 ? carries : own == limb && !carries;
    }
    g->which = which;
    g->keep = keep;
    limberi_each_part(g->a, blend_some, g);
}

static void fill_ones(const limberi_acting* a, double* keep) {
    for (uint32_t f = 0; f < a->grid.count; f++)
        keep[f] = 1;
}

// First what the trunk needs, then what the limbs need: all at once, since their order means nothing.
static void hold_resting(floor_guard* g, const bool* is_leg, double* all, bool* which) {
    limberi_acting* a = g->a;
    fill_ones(a, all);
    g->keep = all;
    limberi_each_part(a, see_resting, g);
    if (soften_any(a, all))
        hold_joints(g, is_leg, -1, all, which);
    fill_ones(a, all);
    for (uint32_t l = 0; l < a->body->limb_count; l++)
        fill_ones(a, g->keeps[l]);
    g->keep = NULL;
    limberi_each_part(a, see_resting, g);
    for (uint32_t l = 0; l < a->body->limb_count; l++) {
        if (!soften_any(a, g->keeps[l]))
            g->keeps[l] = NULL;
        for (uint32_t f = 0; g->keeps[l] && f < a->grid.count; f++)
            all[f] = fmin(all[f], g->keeps[l][f]);
    }
    hold_joints(g, is_leg, -1, all, which);
    for (uint32_t l = 0; l < a->body->limb_count; l++)
        if (g->keeps[l])
            hold_joints(g, is_leg, (int32_t)l, g->keeps[l], which);
}

// Any thread, for different parts: how much of a moment stays, so that nothing is too deep. Moments that no edit has
// changed since they were looked at are known.
static void find_kept(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const floor_guard* g = user;
    const limberi_acting* a = g->a;
    limberi_looker* own = &a->lookers[worker];
    double room = tolerance * a->body->height;
    limberi_moments_of(a, &first, &end);
    for (uint32_t f = first; f < end; f++) {
        g->keep[f] = 1;
        if (g->deep[f] <= room)
            continue;
        uint32_t count = list_low(g, own, f, -1);
        g->deep[f] = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t point = own->list[i];
            double plain = (double)own->places[1][3 * (size_t)point + 1];
            double now = (double)own->places[0][3 * (size_t)point + 1];
            double depth = depth_at(a, own, point);
            g->deep[f] = fmax(g->deep[f], depth);
            if (depth <= room)
                continue;
            double allowed = plain - fmin(plain, a->floor) + room;
            g->keep[f] = fmin(g->keep[f], fmin(fmax(allowed / fmax(plain - now, 1e-9), 0), 1));
        }
    }
}

// What is still below the floor takes all edits of the moment back, as far as needed. Returns whether anything was.
static bool take_back(floor_guard* g, double* keep) {
    g->keep = keep;
    g->which = NULL;
    limberi_each_part(g->a, find_kept, g);
    if (!soften_any(g->a, keep))
        return false;
    limberi_each_part(g->a, blend_some, g);
    return true;
}

static bool open_guard(limberi_arena* arena, floor_guard* g) {
    const limberi_acting* a = g->a;
    size_t limbs = a->body->limb_count;
    g->deep = LIMBERI_ALLOCATE(arena, double, a->grid.count);
    g->deepest = LIMBERI_ALLOCATE(arena, double, limbs * a->looker_count);
    g->keeps = LIMBERI_ALLOCATE(arena, double*, limbs);
    g->depth = LIMBERI_ALLOCATE(arena, double, a->grid.count);
    g->axis = LIMBERI_ALLOCATE(arena, double, 3 * (size_t)a->grid.count);
    for (uint32_t l = 0; !arena->failed && l < limbs; l++)
        g->keeps[l] = LIMBERI_ALLOCATE(arena, double, a->grid.count);
    return !arena->failed;
}

limber_result limberi_floor_guard(limberi_acting* a, const bool* is_leg, const limberi_resting* resting,
                                  limber_transform* edited) {
    if (!a->has_floor || !a->points->count)
        return LIMBER_OK;
    limberi_arena arena = {NULL, false};
    floor_guard guard = {.a = a, .resting = resting, .edited = edited};
    bool* which = LIMBERI_ALLOCATE(&arena, bool, a->joint_count);
    bool made = open_guard(&arena, &guard);
    if (made) {
        lift_deep_limbs(&guard, is_leg);
        hold_resting(&guard, is_leg, guard.depth, which);
    }
    for (int i = 0; made && i < TRIES && take_back(&guard, guard.depth); i++) // turns do not add up to straight ways
        ;
    limberi_arena_free(&arena);
    return made ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}
