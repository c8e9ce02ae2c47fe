// What is found out about a clip before it is changed: where its joints are, how fast the pose changes, what carries the
// body, and when it only travels.
#include "perform/passes.h"

#include "base/math.h"
#include "base/turns.h"

#include <string.h>

static const double rate = 120;            // moments per second
static const double max_numbers = 1 << 20; // joints times moments: longer clips get fewer moments
static const double max_inserted_s = 0.25; // a pose before a jump cut that lasts no longer is not part of the motion
static const double touch_before_s = 0.04; // contacts are widened, S14
static const double touch_after_s = 0.05;
static const double touch_soft_s = 0.045;
static const double glide_low[2] = {0.012, 0.03}; // feet that glide along the floor: how high, surely and not at all
static const double glide_rise[2] = {0.06, 0.2};  // up and down, per second
static const double glide_speed[2] = {0.9, 1.4};  // along the floor
static const double glide_s = 0.05;               // what lasts for less than twice this is a foot that passes
static const double floor_near = 0.05;            // how far a level may be from where the legs stand
static const double stand_high = 0.03;
static const double belt_still = 0.3;
static const double belt_share = 0.6;
static const double trunk_low = 0.10; // height of trunk joints that carry the body
static const double trunk_high = 0.25;

// --- joints over time ---

static void make_grid(limberi_acting* a, bool loops) {
    double length = fmax(a->clip->end_s - a->clip->start_s, 1e-6);
    double steps = fmin(fmax(round(length * rate), 4), fmax(4, max_numbers / a->joint_count));
    a->grid.count = (uint32_t)steps + 1;
    a->grid.step_s = length / steps;
    a->grid.loops = loops && a->clip->cut_count == 0;
    a->first = 0;
    if (a->clip->cut_count && a->clip->cuts[0].before_s - a->clip->start_s <= max_inserted_s) {
        double moment = ceil((a->clip->cuts[0].after_s - a->clip->start_s + 1e-4) / a->grid.step_s);
        a->first = (uint32_t)fmin(moment, steps - 4);
    }
}

// Neighbouring quaternions on one side, so that they can be averaged.
static void keep_side(const limber_transform* before, limber_transform* now) {
    const limber_quat* p = &before->rotation;
    const limber_quat* q = &now->rotation;
    if (p->x * q->x + p->y * q->y + p->z * q->z + p->w * q->w >= 0)
        return;
    limber_quat other = {-q->x, -q->y, -q->z, -q->w};
    now->rotation = other;
}

void limberi_place_joints(const limber_rig* rig, const limber_transform* local, limberi_placed_joint* world) {
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        const limber_transform* t = &local[j];
        const double turn[4] = {(double)t->rotation.x, (double)t->rotation.y, (double)t->rotation.z,
                                (double)t->rotation.w};
        double place[3] = {(double)t->translation.x, (double)t->translation.y, (double)t->translation.z};
        double scale = ((double)t->scale.x + (double)t->scale.y + (double)t->scale.z) / 3;
        limberi_placed_joint* out = &world[j];
        if (rig->parents[j] < 0) {
            memcpy(out->turn, turn, sizeof turn);
            memcpy(out->place, place, sizeof place);
            out->scale = scale;
            continue;
        }
        const limberi_placed_joint* parent = &world[rig->parents[j]];
        limberi_turn_mul(parent->turn, turn, out->turn);
        limberi_turn_rotate(parent->turn, place, place);
        for (int i = 0; i < 3; i++)
            out->place[i] = parent->place[i] + parent->scale * place[i];
        out->scale = parent->scale * scale;
    }
}

// Any thread, for different parts.
static void sample_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_acting* a = user;
    limber_pose* poses = a->lookers[worker].poses;
    double times_s[LIMBERI_POSES];
    uint32_t count;
    limberi_moments_of(a, &first, &end);
    for (uint32_t f = first > a->first ? first : a->first; f < end; f += count) {
        count = end - f < LIMBERI_POSES ? end - f : LIMBERI_POSES;
        for (uint32_t i = 0; i < count; i++)
            times_s[i] = f + i + 1 < a->grid.count ? a->clip->start_s + (f + i) * a->grid.step_s : a->clip->end_s;
        limberi_clip_sample_some(a->model, a->clip, times_s, count, poses);
        for (uint32_t i = 0; i < count; i++)
            memcpy(&a->local[limberi_acting_at(a, f + i, 0)], poses[i].local, a->joint_count * sizeof *a->local);
    }
}

static void sample(limberi_acting* a) {
    limberi_each_part(a, sample_some, a);
    for (size_t i = limberi_acting_at(a, a->first + 1, 0); i < limberi_acting_at(a, a->grid.count, 0); i++)
        keep_side(&a->local[i - a->joint_count], &a->local[i]);
    for (uint32_t f = 0; f < a->first; f++)
        memcpy(&a->local[limberi_acting_at(a, f, 0)], &a->local[limberi_acting_at(a, a->first, 0)],
               a->joint_count * sizeof *a->local);
}

// --- legs ---

static bool is_of_leg(const limberi_acting* a, uint32_t joint) {
    int32_t limb = a->body->limb_of[joint];
    return limb >= 0 && (a->body->limbs[limb].leg || a->body->limbs[limb].loose);
}

// The points of the legs over time.
typedef struct leg_points {
    uint32_t count;
    uint32_t* vertices;
    uint32_t* joints; // which joint each one belongs to
    float* places;    // [moment * count * 3]
} leg_points;

static bool list_leg_points(limberi_acting* a, limberi_arena* arena, leg_points* legs) {
    uint32_t count = 0;
    legs->vertices = LIMBERI_ALLOCATE(arena, uint32_t, a->points->count);
    legs->joints = LIMBERI_ALLOCATE(arena, uint32_t, a->points->count);
    for (uint32_t i = 0; !arena->failed && i < a->points->count; i++)
        if (is_of_leg(a, a->points->joints[i])) {
            legs->vertices[count] = a->points->vertices[i];
            legs->joints[count++] = a->points->joints[i];
        }
    legs->count = count;
    legs->places = LIMBERI_ALLOCATE(arena, float, 3 * (size_t)count * a->grid.count);
    return !arena->failed;
}

// --- the skin over time ---

typedef struct skin_look {
    limberi_acting* a;
    double *square, *flow;      // [moment] mean square of the velocity, [moment * 3] its mean; heights per second
    double* shape;              // [moment] mean square of the shape
    limberi_slot_matrix* means; // [part * slot_count + slot] of the shape
    leg_points legs;
} skin_look;

static void see_moment(const limberi_acting* a, uint32_t f, limberi_looker* own, limberi_slot_matrix* slots) {
    limberi_look_at(a, &a->local[limberi_acting_at(a, f, 0)], own->poses, slots);
}

// The shape of this moment: its place is taken out.
static void see_shape(const skin_look* look, uint32_t f, const limberi_slot_matrix* slots, limberi_slot_matrix* shape) {
    const limberi_acting* a = look->a;
    for (uint32_t s = 0; s < a->surface->slot_count; s++)
        for (int i = 0; i < 12; i++)
            shape[s][i] = slots[s][i] - (i % 4 == 3 ? a->middle[3 * (size_t)f + (size_t)i / 4] : 0);
    limberi_add_slots(a, 1.0 / a->grid.count, (const limberi_slot_matrix*)shape,
                      look->means + (size_t)(f / LIMBERI_PART) * a->surface->slot_count);
    look->shape[f] = limberi_skin_sums_square(a->surface, (const limberi_slot_matrix*)shape);
}

static void see_velocity(const skin_look* look, uint32_t f, double steps, const limberi_looker* own) {
    const limberi_acting* a = look->a;
    double unit = 1 / (steps * a->grid.step_s * a->body->height);
    limberi_slot_matrix* change = own->slots[3];
    for (uint32_t s = 0; s < a->surface->slot_count; s++)
        for (int i = 0; i < 12; i++)
            change[s][i] = (own->slots[2][s][i] - own->slots[0][s][i]) * unit;
    look->square[f] = limberi_skin_sums_square(a->surface, (const limberi_slot_matrix*)change);
    limberi_skin_sums_middle(a->surface, (const limberi_slot_matrix*)change, &look->flow[3 * (size_t)f]);
}

// At the seam of a loop both sides count, and what is missing there is no motion.
static void see_seam(const skin_look* look) {
    const limberi_acting* a = look->a;
    limberi_looker* own = a->lookers;
    uint32_t last = a->grid.count - 1;
    see_moment(a, last, own, own->slots[2]);
    see_moment(a, last - 1, own, own->slots[1]);
    limberi_add_slots(a, -1, (const limberi_slot_matrix*)own->slots[1], own->slots[2]);
    see_moment(a, 1, own, own->slots[1]);
    see_moment(a, 0, own, own->slots[0]);
    limberi_add_slots(a, 1, (const limberi_slot_matrix*)own->slots[1], own->slots[2]);
    see_velocity(look, 0, 2, own);
    look->square[last] = look->square[0];
    memcpy(&look->flow[3 * (size_t)last], look->flow, 3 * sizeof *look->flow);
}

// Any thread, for different parts. Slots are the matrices of the moment before, of this one and of the one after.
static void see_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const skin_look* look = user;
    const limberi_acting* a = look->a;
    limberi_looker* own = &a->lookers[worker];
    size_t bytes = a->surface->slot_count * sizeof *own->slots[0];
    uint32_t last = a->grid.count - 1;
    limberi_moments_of(a, &first, &end);
    see_moment(a, first > 0 ? first - 1 : 0, own, own->slots[0]);
    see_moment(a, first, own, own->slots[1]);
    for (uint32_t f = first; f < end; f++) {
        const limberi_slot_matrix* now = (const limberi_slot_matrix*)own->slots[1];
        limberi_place_joints(&a->model->rig, &a->local[limberi_acting_at(a, f, 0)],
                             &a->world[limberi_acting_at(a, f, 0)]);
        limberi_skin_sums_middle(a->surface, now, &a->middle[3 * (size_t)f]);
        see_shape(look, f, now, own->slots[3]);
        for (uint32_t i = 0; i < look->legs.count; i++)
            limberi_skin_sums_place(a->surface, now, look->legs.vertices[i],
                                    look->legs.places + 3 * ((size_t)f * look->legs.count + i));
        if (f < last)
            see_moment(a, f + 1, own, own->slots[2]);
        else
            memcpy(own->slots[2], own->slots[1], bytes);
        see_velocity(look, f, f > 0 && f < last ? 2 : 1, own);
        limberi_slot_matrix* oldest = own->slots[0];
        own->slots[0] = own->slots[1];
        own->slots[1] = own->slots[2];
        own->slots[2] = oldest;
    }
}

static void see_skin(limberi_acting* a, const skin_look* look) {
    double square = 0;
    limberi_each_part(a, see_some, look);
    for (uint32_t f = 0; f < a->grid.count; f++)
        square += look->shape[f] / a->grid.count;
    if (a->grid.loops && a->grid.count > 3)
        see_seam(look);
    double still = limberi_square_of_parts(a, limberi_part_count(a), look->means);
    a->amplitude = sqrt(fmax(square - still, 0)) / a->body->height;
}

// --- travel and speed ---

// 0 while the body travels steadily. `slow`: [moment * 3] the mean horizontal velocity around each moment.
static void find_travel(limberi_acting* a, const double* slow, const double* square) {
    const limberi_moments* grid = &a->grid;
    for (uint32_t f = 0; f < grid->count; f++) {
        const double* v = &slow[3 * (size_t)f];
        double mean = limberi_dot3(v, v);
        double spread = fmax(square[f] - mean, 0);
        double steady = a->belt > 0.1 ? 1 : mean / (mean + 4 * spread + 1e-9);
        a->free[f] =
            limberi_smooth_step(0.15, 0.5, fmax(sqrt(mean), a->belt)) * limberi_smooth_step(0.45, 0.85, steady);
    }
    limberi_signal_max(grid, 0.15, a->free, a->scratch);
    limberi_signal_smooth(grid, 0.1, 1, a->free, a->scratch);
    for (uint32_t f = 0; f < grid->count; f++)
        a->free[f] = 1 - a->free[f];
}

static void find_speed(limberi_acting* a, const skin_look* look) {
    const limberi_moments* grid = &a->grid;
    double* square = a->speeds[0];
    memcpy(a->velocity, look->flow, 3 * (size_t)grid->count * sizeof *a->velocity);
    limberi_signal_smooth(grid, 0.02, 3, a->velocity, a->scratch);
    double* mean = a->speeds[1]; // [moment * 3]
    for (uint32_t f = 0; f < grid->count; f++) {
        const double* v = &a->velocity[3 * (size_t)f];
        square[f] = v[0] * v[0] + v[2] * v[2];
        mean[3 * (size_t)f] = v[0];
        mean[3 * (size_t)f + 1] = 0;
        mean[3 * (size_t)f + 2] = v[2];
    }
    limberi_signal_smooth(grid, 0.35, 1, square, a->scratch);
    limberi_signal_smooth(grid, 0.35, 3, mean, a->scratch);
    for (uint32_t f = 0; f < grid->count; f++) {
        const double* v = &mean[3 * (size_t)f];
        const double* flow = &look->flow[3 * (size_t)f];
        a->speed[f] = fmax(look->square[f] - 2 * limberi_dot3(flow, v) + limberi_dot3(v, v), 0);
    }
    limberi_signal_smooth(grid, 0.02, 1, a->speed, a->scratch);
    for (uint32_t f = 0; f < grid->count; f++)
        a->speed[f] = sqrt(fmax(a->speed[f], 0));
    find_travel(a, mean, square);
    double high = limberi_signal_percentile(grid, 0.95, a->speed, a->scratch);
    a->rest = high > 0 ? limberi_signal_percentile(grid, 0.05, a->speed, a->scratch) / high : 1;
}

// --- the ground ---

// The floor is where the legs stand, not where a sword strikes.
static void find_floor(limberi_acting* a, const leg_points* legs) {
    const limberi_clip_ground* g = a->ground;
    a->has_floor = g->level_count > 0;
    a->floor = a->has_floor ? g->levels[0] : 0;
    if (!a->has_floor || legs->count < 4)
        return;
    double* low = a->speeds[0];
    for (uint32_t f = 0; f < a->grid.count; f++) {
        float lowest = INFINITY; // by comparing: gcc 12 for Arm fails to compile fmin here
        for (uint32_t i = 0; i < legs->count; i++) {
            float high = legs->places[3 * ((size_t)f * legs->count + i) + 1];
            lowest = high < lowest ? high : lowest;
        }
        low[f] = lowest;
    }
    double stands = limberi_signal_percentile(&a->grid, 0.05, low, a->scratch);
    bool found = false;
    for (uint32_t i = g->level_count; i-- > 0;)
        if (fabs(g->levels[i] - stands) < floor_near * a->body->height) {
            a->floor = g->levels[i];
            found = true;
        }
    if (!found && a->floor < stands)
        a->floor = stands;
}

// A belt is what feet move with. Where they stand still, something else swept the floor.
static void find_belt(limberi_acting* a, const leg_points* legs) {
    double belt = sqrt(a->ground->belt[0] * a->ground->belt[0] + a->ground->belt[1] * a->ground->belt[1]);
    double height = a->body->height;
    double low = 0;
    double still = 0;
    a->belt = belt / height;
    for (uint32_t f = 1; belt > 0 && f + 1 < a->grid.count; f++)
        for (uint32_t i = 0; i < legs->count; i++) {
            const float* now = legs->places + 3 * ((size_t)f * legs->count + i);
            const float* before = now - 3 * (size_t)legs->count;
            const float* after = now + 3 * (size_t)legs->count;
            if ((double)now[1] > a->floor + stand_high * height)
                continue;
            double x = (double)after[0] - (double)before[0];
            double z = (double)after[2] - (double)before[2];
            low++;
            still += sqrt(x * x + z * z) / (2 * a->grid.step_s) < belt_still * belt;
        }
    if (legs->count >= 4 && still > belt_share * low)
        a->belt = 0;
}

// How much a point of a leg glides: low, and level.
static double glide_of(const limberi_acting* a, const leg_points* legs, uint32_t f, uint32_t i) {
    size_t stride = 3 * (size_t)legs->count;
    const float* now = legs->places + f * stride + 3 * (size_t)i;
    const float* before = f > 0 ? now - stride : now;
    const float* after = f + 1 < a->grid.count ? now + stride : now;
    double unit = 1 / (a->body->height * a->grid.step_s * (f > 0 && f + 1 < a->grid.count ? 2 : 1));
    double x = unit * ((double)after[0] - (double)before[0]);
    double y = unit * ((double)after[1] - (double)before[1]);
    double z = unit * ((double)after[2] - (double)before[2]);
    double above = ((double)now[1] - a->floor) / a->body->height;
    if (above > glide_low[1])
        return 0;
    return (1 - limberi_smooth_step(glide_low[0], glide_low[1], above)) *
           (1 - limberi_smooth_step(glide_rise[0], glide_rise[1], fabs(y))) *
           (1 - limberi_smooth_step(glide_speed[0], glide_speed[1], sqrt(x * x + z * z)));
}

// A foot that glides along the floor without stopping (a dodge, a skid, a skater) touches it as well.
static bool add_glides(limberi_acting* a, const leg_points* legs) {
    double* glide = a->speeds[0];
    for (uint32_t j = 0; j < a->joint_count; j++) {
        double max = 0;
        if (!is_of_leg(a, j))
            continue;
        memset(glide, 0, a->grid.count * sizeof *glide);
        for (uint32_t i = 0; i < legs->count; i++)
            for (uint32_t f = 0; legs->joints[i] == j && f < a->grid.count; f++)
                glide[f] = fmax(glide[f], glide_of(a, legs, f, i));
        limberi_signal_min(&a->grid, glide_s, glide, a->scratch);
        limberi_signal_max(&a->grid, glide_s, glide, a->scratch);
        for (uint32_t f = 0; f < a->grid.count; f++)
            max = glide[f] > max ? glide[f] : max;
        if (max == 0)
            continue;
        if (!a->touch[j])
            a->touch[j] = LIMBERI_ALLOCATE(&a->arena, double, a->grid.count);
        for (uint32_t f = 0; a->touch[j] && f < a->grid.count; f++)
            a->touch[j][f] = fmax(a->touch[j][f], glide[f]);
    }
    return !a->arena.failed;
}

static uint32_t moment_before(const limberi_moments* grid, double time_s) {
    double at = floor(time_s / grid->step_s) - 1;
    double last = grid->count - 1.0;
    if (!(at > 0))
        return 0;
    return (uint32_t)(at < last ? at : last);
}

// In a loop, a contact that goes on beyond the end is also marked at the beginning, and the other way round.
static void mark_touch(const limberi_moments* grid, double from, double to, double* touch) {
    double length = (grid->count - 1) * grid->step_s;
    for (uint32_t f = moment_before(grid, from); f < grid->count && f * grid->step_s <= to; f++)
        if (f * grid->step_s >= from)
            touch[f] = 1;
    if (!grid->loops)
        return;
    for (uint32_t f = moment_before(grid, from + length); f < grid->count; f++)
        if (f * grid->step_s - length >= from)
            touch[f] = 1;
    for (uint32_t f = 0; f < grid->count && f * grid->step_s + length <= to; f++)
        touch[f] = 1;
}

static bool mark_touches(limberi_acting* a, const limberi_contact_span* list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const limberi_contact_span* c = &list[i];
        double* touch = a->touch[c->joint];
        if (!touch)
            touch = a->touch[c->joint] = LIMBERI_ALLOCATE(&a->arena, double, a->grid.count);
        if (!touch)
            return false;
        mark_touch(&a->grid, c->from_s - touch_before_s, c->to_s + touch_after_s, touch);
    }
    return true;
}

// [moment] 1 while a contact lasts, a little longer on both sides, with soft ends.
static bool find_touches(limberi_acting* a, const leg_points* legs) {
    const limberi_moments* grid = &a->grid;
    if (!mark_touches(a, a->ground->touches, a->ground->touch_count) ||
        !mark_touches(a, a->ground->grips, a->ground->grip_count))
        return false;
    if (a->has_floor && a->belt == 0 && !add_glides(a, legs))
        return false;
    for (uint32_t j = 0; j < a->joint_count; j++)
        if (a->touch[j])
            limberi_signal_hann(grid, touch_soft_s, a->touch[j], a->scratch);
    return true;
}

double limberi_limb_touch(const limberi_acting* a, uint32_t limb, uint32_t moment) {
    double max = 0;
    for (uint32_t j = a->body->limbs[limb].root; j < a->joint_count; j++)
        if (a->touch[j] && a->body->limb_of[j] == (int32_t)limb)
            max = fmax(max, a->touch[j][moment]);
    return max;
}

// What landings leave of `free`, the nearest ones: they come in the order of their times.
static double free_of_landings(const limberi_clip_ground* ground, double time_s, double free) {
    static const double width_s = 0.03;
    static const double far = 6.5; // widths: the factor is 1 beyond
    uint32_t first = 0;
    for (uint32_t end = ground->landing_count; first < end;) {
        uint32_t middle = first + (end - first) / 2;
        if (time_s - ground->landings[middle] - width_s > far * width_s)
            first = middle + 1;
        else
            end = middle;
    }
    for (uint32_t i = first; i < ground->landing_count; i++) {
        double since = (time_s - ground->landings[i] - width_s) / width_s;
        if (since < -far)
            break;
        free *= 1 - exp(-since * since);
    }
    return free;
}

// Legs carry the body, and trunk joints that are low themselves; not the hem of a cape that hangs from the chest.
double limberi_carried(const limberi_acting* a, uint32_t f) {
    const limberi_anatomy* body = a->body;
    double legs = 0;
    double free = 1;
    for (uint32_t l = 0; l < body->limb_count; l++)
        if (body->limbs[l].leg || body->limbs[l].loose)
            legs = fmax(legs, limberi_limb_touch(a, l, f));
    free -= legs;
    for (uint32_t i = 0; i < body->trunk_count; i++) {
        uint32_t j = body->trunk[i];
        if (!a->touch[j])
            continue;
        double high = (a->world[limberi_acting_at(a, f, j)].place[1] - a->floor) / body->height;
        double low = body->trunk_count > 1 ? 1 - limberi_smooth_step(trunk_low, trunk_high, high) : 1;
        free *= 1 - a->touch[j][f] * low;
    }
    return 1 - free_of_landings(a->ground, f * a->grid.step_s, free);
}

// --- all of it ---

static bool allocate(limberi_acting* a, limberi_arena* scratch, skin_look* look) {
    size_t count = a->grid.count;
    size_t all = count * a->joint_count;
    size_t parts = limberi_part_count(a);
    a->local = LIMBERI_ALLOCATE(&a->arena, limber_transform, all);
    a->world = LIMBERI_ALLOCATE(&a->arena, limberi_placed_joint, all);
    a->middle = LIMBERI_ALLOCATE(&a->arena, double, 3 * count);
    a->velocity = LIMBERI_ALLOCATE(&a->arena, double, 3 * count);
    a->speed = LIMBERI_ALLOCATE(&a->arena, double, count);
    a->free = LIMBERI_ALLOCATE(&a->arena, double, count);
    a->support = LIMBERI_ALLOCATE(&a->arena, double, count);
    a->touch = LIMBERI_ALLOCATE(&a->arena, double*, a->joint_count);
    a->speeds[0] = LIMBERI_ALLOCATE(&a->arena, double, count);
    a->speeds[1] = LIMBERI_ALLOCATE(&a->arena, double, 3 * count);
    look->means = LIMBERI_ALLOCATE(scratch, limberi_slot_matrix, parts * a->surface->slot_count);
    look->shape = LIMBERI_ALLOCATE(scratch, double, count);
    look->square = LIMBERI_ALLOCATE(scratch, double, count);
    look->flow = LIMBERI_ALLOCATE(scratch, double, 3 * count);
    return !a->arena.failed && !scratch->failed && list_leg_points(a, scratch, &look->legs) && limberi_lookers_open(a);
}

static void find_carried(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const limberi_acting* a = user;
    (void)worker;
    limberi_moments_of(a, &first, &end);
    for (uint32_t f = first; f < end; f++)
        a->support[f] = limberi_carried(a, f);
}

static bool analyse(limberi_acting* a, limberi_arena* scratch) {
    skin_look look = {.a = a};
    if (!allocate(a, scratch, &look))
        return false;
    sample(a);
    see_skin(a, &look);
    find_floor(a, &look.legs);
    find_belt(a, &look.legs);
    find_speed(a, &look);
    if (!find_touches(a, &look.legs))
        return false;
    if (a->has_floor)
        limberi_each_part(a, find_carried, a);
    return true;
}

limber_result limberi_acting_create(const limberi_anatomy* body, const limberi_skin_sums* surface,
                                    const limberi_touch_points* points, const limber_clip* clip,
                                    const limberi_clip_ground* ground, bool loops, const limber_parallel* parallel,
                                    limberi_acting* acting) {
    memset(acting, 0, sizeof *acting);
    acting->parallel = parallel;
    acting->model = body->model;
    acting->clip = clip;
    acting->body = body;
    acting->surface = surface;
    acting->points = points;
    acting->ground = ground;
    acting->joint_count = body->model->rig.joint_count;
    make_grid(acting, loops);
    limberi_arena scratch = {NULL, false};
    bool made = analyse(acting, &scratch);
    limberi_arena_free(&scratch);
    if (made)
        return LIMBER_OK;
    limberi_acting_destroy(acting);
    return LIMBER_ERROR_MEMORY;
}

void limberi_acting_destroy(limberi_acting* acting) {
    limberi_lookers_close(acting);
    limberi_arena_free(&acting->arena);
    memset(acting, 0, sizeof *acting);
}
