// A frame of the stage. The clearance between a vertex and a collider is linearized where the plain animation has them:
// the normal there decides which way is out, however far effects push a vertex, so nothing tunnels through to the other
// side. (Pushing vertices out of where they are after the effects does.)
#include "base/lanes.h"
#include "ground/colliders_private.h"

#include <string.h>

enum { SWEEPS = 2 }; // a vertex that one collider pushes into another

static const float soft = 0.02f;                // in L: clearance from which on a vertex is slowed down
static const float far_off[2] = {0.12f, 0.24f}; // in L: plain clearance at which a collider fades out ...
static const float beside = 0.2f;               // ... for vertices that pass its side at this distance
static const float axis_fade[2] = {-0.9f,
                                   -0.3f}; // in radii: near the axis there is no way out that holds from frame to frame

// --- where the colliders are ---

limberi_placed_collider limberi_collider_place(const limber_collider* c, const limber_pose* pose) {
    limberi_placed_collider placed = {c->from, c->to, c->radius};
    if (c->joint >= 0) {
        const limber_mat4* m = &pose->world_from_joint[c->joint];
        float scale = 0;
        for (int i = 0; i < 3; i++)
            scale = fmaxf(scale, limberi_length(limberi_mat4_column(m, i)));
        placed.from = limberi_mat4_point(m, c->from);
        placed.to = c->shape == LIMBER_COLLIDER_PLANE ? limberi_mat4_vector(m, c->to) : limberi_mat4_point(m, c->to);
        placed.radius *= scale;
    }
    if (c->shape == LIMBER_COLLIDER_PLANE)
        placed.to = limberi_normalize(placed.to);
    return placed;
}

static limber_vec3 mean_move(const limberi_collision_frame* f, const uint32_t* vertices, uint32_t count) {
    limber_vec3 sum = limberi_vec3(0, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        size_t at = 3 * (size_t)vertices[i];
        sum = limberi_add(sum, limberi_sub(limberi_load3(f->deformed + at), limberi_load3(f->skinned + at)));
    }
    return count ? limberi_scale(sum, 1 / (float)count) : sum;
}

void limberi_collision_begin(limberi_collision* s, const limberi_collision_frame* frame) {
    for (uint32_t c = 0; c < s->colliders->count; c++) {
        const limber_collider* item = &s->colliders->items[c];
        const limberi_collider_anchors* anchors = &s->anchors[c];
        limberi_placed_collider placed = limberi_collider_place(item, frame->pose);
        limberi_moving_collider* m = &s->moving[c];
        m->shape = item->shape;
        m->from = placed.from;
        m->radius = placed.radius;
        m->along = item->shape == LIMBER_COLLIDER_SPHERE ? limberi_vec3(0, 0, 0) : placed.to;
        if (item->shape == LIMBER_COLLIDER_CAPSULE)
            m->along = limberi_sub(placed.to, placed.from);
        m->per_square = limberi_per_square(m->along);
        for (int end = 0; end < 2; end++)
            m->move[end] = mean_move(frame, anchors->vertices[end], anchors->count[end]);
    }
}

limberi_placed_collider limberi_collision_placed(const limberi_collision* s, uint32_t index) {
    const limberi_moving_collider* m = &s->moving[index];
    limberi_placed_collider placed = {limberi_add(m->from, m->move[0]), m->along, m->radius};
    if (m->shape != LIMBER_COLLIDER_PLANE)
        placed.to = limberi_add(limberi_add(m->from, m->along), m->move[1]);
    return placed;
}

// --- one vertex ---

// What a collider asks of a vertex: the clearance along `normal`, rest + normal . (its displacement - move), is at least
// `least`.
typedef struct contact {
    limber_vec3 normal, move;
    float rest, least;
} contact;

typedef struct vertex {
    limber_vec3 plain, moved; // where it is before the effects, and what they did
    float length;             // L
    float* normal;            // NULL: averaged later
} vertex;

static float clearance_along(const contact* c, limber_vec3 moved) {
    return c->rest + limberi_dot(c->normal, limberi_sub(moved, c->move));
}

// Flattened against a collider, a surface faces along its normal: the Jacobian of the clamp stretches normals by the
// inverse of its slope.
static void bend_normal(const contact* c, float slope, float* normal) {
    limber_vec3 n = limberi_load3(normal);
    float along = limberi_dot(n, c->normal) * (1 / fmaxf(slope, 0.02f) - 1);
    n = limberi_normalize(limberi_add(n, limberi_scale(c->normal, along)));
    if (!limberi_is_zero(n))
        limberi_store3(normal, n);
}

// Below z the clearance x becomes z^2 / (2 z - x), which has the same value and slope there and stays above 0. False:
// it is not below.
static bool touch(const vertex* v, limber_vec3 normal, limber_vec3 move, float clearance, float amount, contact* c) {
    c->normal = normal;
    c->move = move;
    c->rest = clearance > 0 ? clearance : 0; // of a vertex inside: how much deeper than in the plain animation
    float x = clearance_along(c, v->moved), z = fminf(c->rest, soft * v->length);
    if (!(x < z && amount > 0))
        return false;
    float r = z / (2 * z - x); // x < z, so 2 z - x > z >= 0
    c->least = x + amount * (z * r - x);
    if (v->normal)
        bend_normal(c, 1 - amount * (1 - r * r), v->normal);
    return true;
}

// Effects may take a vertex that is far away past the collider's side. Seen along the normal, what misses the collider by
// a margin is free; pushing it back along the normal would not bring it any nearer.
static float fade_far(const vertex* v, const limberi_moving_collider* m, limber_vec3 normal, limber_vec3 move,
                      float clearance) {
    float far = limberi_smooth(far_off[0] * v->length, far_off[1] * v->length, clearance);
    if (!(far > 0))
        return 1;
    limber_vec3 p = limberi_sub(limberi_add(v->plain, v->moved), limberi_add(m->from, move));
    p = limberi_sub(p, limberi_scale(normal, limberi_dot(p, normal)));
    limber_vec3 along = limberi_sub(m->along, limberi_scale(normal, limberi_dot(m->along, normal)));
    limberi_nearest n = limberi_axis_nearest(limberi_vec3(0, 0, 0), along, limberi_per_square(along), p);
    return 1 - far * limberi_smooth(m->radius, m->radius + beside * v->length, sqrtf(n.square));
}

static bool touch_axis(const vertex* v, const limberi_moving_collider* m, float weight, contact* c) {
    limberi_nearest n = limberi_axis_nearest(m->from, m->along, m->per_square, v->plain);
    if (!(n.square > 0))
        return false;
    float distance = sqrtf(n.square), clearance = distance - m->radius;
    limber_vec3 normal = limberi_scale(n.away, 1 / distance), move = limberi_lerp(m->move[0], m->move[1], n.part);
    weight *= limberi_smooth(axis_fade[0] * m->radius, axis_fade[1] * m->radius, clearance);
    weight *= fade_far(v, m, normal, move, clearance);
    return touch(v, normal, move, clearance, weight, c);
}

static bool touch_plane(const vertex* v, const limberi_moving_collider* m, float weight, contact* c) {
    float clearance = limberi_dot(limberi_sub(v->plain, m->from), m->along);
    return touch(v, m->along, m->move[0], clearance, weight, c);
}

static void resolve(const contact* contacts, uint32_t count, limber_vec3* moved) {
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (uint32_t i = 0; i < count; i++) {
            float push = contacts[i].least - clearance_along(&contacts[i], *moved);
            if (push > 0)
                *moved = limberi_add(*moved, limberi_scale(contacts[i].normal, push));
        }
}

// --- a group of vertices ---

// Vertices side by side: where they are before the effects, and what those did.
typedef struct many {
    uint32_t width;
    limberi_block3 plain, moved;
} many;

// Ball around the plain places of a group, and one around its displacements.
typedef struct bounds {
    limber_vec3 middle, move;
    float reach, spread;
} bounds;

// A collider that is near enough to matter, and the vertices that it touches.
typedef struct near_one {
    const limberi_moving_collider* moving;
    const float* weights;
    uint64_t touched; // bit per vertex
} near_one;

static void bound_ball(const limberi_block3* block, uint32_t width, limber_vec3* middle, float* reach) {
    float low[3], high[3];
    for (int c = 0; c < 3; c++) {
        limberi_lanes least = limberi_lanes_load(block->v[c]), most = least;
        for (uint32_t i = LIMBERI_LANE_COUNT; i < width; i += LIMBERI_LANE_COUNT) {
            limberi_lanes x = limberi_lanes_load(block->v[c] + i);
            least = limberi_lanes_min(least, x);
            most = limberi_lanes_max(most, x);
        }
        low[c] = limberi_lanes_least(least);
        high[c] = limberi_lanes_greatest(most);
    }
    limber_vec3 a = limberi_load3(low), b = limberi_load3(high);
    *middle = limberi_lerp(a, b, 0.5f);
    *reach = 0.5f * limberi_length(limberi_sub(b, a));
}

static void load_group(const limberi_collision_frame* f, const struct limberi_groups* groups,
                       const limberi_group* group, size_t first, many* v) {
    v->width = group->width;
    limberi_group_gather(groups, group, f->skinned + 3 * first, &v->plain);
    limberi_group_gather(groups, group, f->deformed + 3 * first, &v->moved);
    for (int c = 0; c < 3; c++)
        for (uint32_t i = 0; i < group->width; i++)
            v->moved.v[c][i] -= v->plain.v[c][i];
}

// What can come nearer to each other by no more than their clearance needs no further look.
static bool is_near(const limberi_collision* s, const limberi_moving_collider* m, const bounds* b) {
    float closing =
        fmaxf(limberi_length(limberi_sub(b->move, m->move[0])), limberi_length(limberi_sub(b->move, m->move[1])));
    closing += b->spread;
    if (!(closing > 0))
        return false;
    float room = closing + soft * s->length;
    if (m->shape == LIMBER_COLLIDER_PLANE)
        return limberi_dot(limberi_sub(b->middle, m->from), m->along) - b->reach <= room;
    float most = m->radius + b->reach + room;
    return limberi_axis_nearest(m->from, m->along, m->per_square, b->middle).square <= most * most;
}

typedef struct lanes3 {
    limberi_lanes x, y, z;
} lanes3;

LIMBERI_INLINED lanes3 load_lanes(const limberi_block3* block, uint32_t at) {
    lanes3 v = {limberi_lanes_load(block->v[0] + at), limberi_lanes_load(block->v[1] + at),
                limberi_lanes_load(block->v[2] + at)};
    return v;
}

LIMBERI_INLINED limberi_lanes dot_lanes(lanes3 a, lanes3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LIMBERI_INLINED lanes3 all_lanes(limber_vec3 v) {
    lanes3 all = {limberi_lanes_all(v.x), limberi_lanes_all(v.y), limberi_lanes_all(v.z)};
    return all;
}

LIMBERI_INLINED lanes3 sub_lanes(lanes3 a, lanes3 b) {
    lanes3 v = {a.x - b.x, a.y - b.y, a.z - b.z};
    return v;
}

LIMBERI_INLINED lanes3 scale_lanes(lanes3 a, limberi_lanes by) {
    lanes3 v = {a.x * by, a.y * by, a.z * by};
    return v;
}

// Whether some of the vertices may touch the collider: the test of `touch`, with a margin for rounding.
LIMBERI_INLINED bool some_touch(const limberi_moving_collider* m, lanes3 p, lanes3 moved, float length) {
    const limberi_lanes zero = limberi_lanes_all(0), least = limberi_lanes_all(1e-30f);
    lanes3 along = all_lanes(m->along), away = sub_lanes(p, all_lanes(m->from)), move = all_lanes(m->move[0]);
    limberi_lanes clearance, closing;
    if (m->shape == LIMBER_COLLIDER_PLANE) {
        clearance = dot_lanes(away, along);
        closing = dot_lanes(sub_lanes(moved, move), along);
    } else {
        limberi_lanes part = dot_lanes(away, along) * limberi_lanes_all(m->per_square);
        part = limberi_lanes_max(zero, limberi_lanes_min(part, limberi_lanes_all(1)));
        away = sub_lanes(away, scale_lanes(along, part));
        lanes3 change = scale_lanes(all_lanes(limberi_sub(m->move[1], m->move[0])), part);
        limberi_lanes distance = limberi_lanes_sqrt(limberi_lanes_max(dot_lanes(away, away), least));
        clearance = distance - limberi_lanes_all(m->radius);
        closing = dot_lanes(sub_lanes(sub_lanes(moved, move), change), away) / distance;
    }
    limberi_lanes rest = limberi_lanes_max(clearance, zero);
    limberi_lanes start = limberi_lanes_min(rest, limberi_lanes_all(soft * length));
    return limberi_lanes_any(limberi_lanes_less(rest + closing, start + limberi_lanes_all(1e-5f * length)));
}

static uint64_t find_touched(const limberi_moving_collider* m, const many* v, float length) {
    uint64_t touched = 0;
    for (uint32_t i = 0; i < v->width; i += LIMBERI_LANE_COUNT)
        if (some_touch(m, load_lanes(&v->plain, i), load_lanes(&v->moved, i), length))
            touched |= (((uint64_t)1 << LIMBERI_LANE_COUNT) - 1) << i;
    return touched;
}

static bool run_vertex(const limberi_collision* s, const limberi_collision_frame* f, size_t index, uint32_t lane,
                       const near_one* near, uint32_t near_count) {
    contact contacts[LIMBER_COLLIDER_LIMIT];
    uint32_t count = 0;
    limber_vec3 p = limberi_load3(f->skinned + 3 * index);
    vertex v = {p, limberi_sub(limberi_load3(f->deformed + 3 * index), p), s->length,
                f->normals ? f->normals + 3 * index : NULL};
    for (uint32_t k = 0; k < near_count; k++) {
        const limberi_moving_collider* m = near[k].moving;
        float weight = near[k].weights ? near[k].weights[lane] : 1;
        if (!(near[k].touched >> lane & 1) || !(weight > 0))
            continue;
        if (m->shape == LIMBER_COLLIDER_PLANE)
            count += touch_plane(&v, m, weight, &contacts[count]);
        else
            count += touch_axis(&v, m, weight, &contacts[count]);
    }
    if (!count)
        return false;
    resolve(contacts, count, &v.moved);
    limberi_store3(f->deformed + 3 * index, limberi_add(p, v.moved));
    return true;
}

// Returns how many colliders touch some vertex.
static uint32_t list_near(const limberi_collision* s, const limberi_obeying* o, const many* v, near_one* near) {
    bounds b;
    uint32_t count = 0;
    bound_ball(&v->plain, v->width, &b.middle, &b.reach);
    bound_ball(&v->moved, v->width, &b.move, &b.spread);
    for (uint32_t k = 0; k < o->count; k++) {
        near_one one = {&s->moving[o->obeyed[k].collider], o->obeyed[k].weights, 0};
        if (is_near(s, one.moving, &b))
            one.touched = find_touched(one.moving, v, s->length);
        near[count] = one;
        count += one.touched != 0;
    }
    return count;
}

bool limberi_collision_run(const limberi_collision* s, const limberi_collision_frame* f, uint32_t index) {
    const limberi_obeying* o = &s->groups[index];
    const struct limberi_groups* groups = limberi_asset_groups(s->asset)[o->at.mesh];
    const limberi_group* group = &groups->groups[o->at.group];
    size_t first = s->model->meshes[o->at.mesh].first_vertex;
    near_one near[LIMBER_COLLIDER_LIMIT];
    many v;
    bool any = false;
    uint64_t touched = 0;
    load_group(f, groups, group, first, &v);
    uint32_t count = list_near(s, o, &v, near);
    for (uint32_t k = 0; k < count; k++)
        touched |= near[k].touched;
    for (uint32_t i = 0; i < group->count && touched; i++)
        if (touched >> i & 1)
            any |= run_vertex(s, f, first + groups->vertices[group->first + i], i, near, count);
    return any;
}
