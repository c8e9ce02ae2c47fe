// Vertices against the colliders near them. The clearance between a vertex and a collider is linearized where the plain
// animation has them: the normal there decides which way is out, however far effects push a vertex, so nothing tunnels
// through to the other side. (Pushing vertices out of where they are after the effects does.)
// render/shaders/limber_deform.glsl has the same for a GPU.
#include "base/lanes.h"
#include "collide/colliders_private.h"

enum { SWEEPS = 2 }; // for vertices that one collider pushes into another (S13)

static const float far_off[2] = {0.12f, 0.24f}; // in L: plain clearance at which a collider fades out (S13) ...
static const float beside = 0.2f;               // ... for vertices that pass its side at this distance
// In radii: how much deeper effects may take the skin of another limb until it is let through, so that a hand is not thrown
// from one side of a leg that it passes to the other.
static const float let_through[2] = {0.5f, 2};
static const float full_hold = 0.002f; // in L: below the soft zone, where a contact holds against others
// In radii: near the axis the way out changes from frame to frame, so colliders fade out there.
static const float axis_fade[2] = {-0.9f, -0.3f};

// --- several vectors ---

typedef struct lanes3 {
    limberi_lanes x, y, z;
} lanes3;

LIMBERI_INLINED lanes3 load(const limberi_block3* block, uint32_t at) {
    lanes3 v = {limberi_lanes_load(block->v[0] + at), limberi_lanes_load(block->v[1] + at),
                limberi_lanes_load(block->v[2] + at)};
    return v;
}

LIMBERI_INLINED lanes3 all3(limber_vec3 v) {
    return (lanes3){limberi_lanes_all(v.x), limberi_lanes_all(v.y), limberi_lanes_all(v.z)};
}

LIMBERI_INLINED limberi_lanes dot(lanes3 a, lanes3 b) {
    return limberi_lanes_fma(a.z, b.z, limberi_lanes_fma(a.y, b.y, a.x * b.x));
}

LIMBERI_INLINED lanes3 sub(lanes3 a, lanes3 b) {
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

// a + b * by
LIMBERI_INLINED lanes3 add_scaled(lanes3 a, lanes3 b, limberi_lanes by) {
    return (lanes3){limberi_lanes_fma(b.x, by, a.x), limberi_lanes_fma(b.y, by, a.y), limberi_lanes_fma(b.z, by, a.z)};
}

// a - b * by
LIMBERI_INLINED lanes3 sub_scaled(lanes3 a, lanes3 b, limberi_lanes by) {
    return (lanes3){limberi_lanes_fms(b.x, by, a.x), limberi_lanes_fms(b.y, by, a.y), limberi_lanes_fms(b.z, by, a.z)};
}

LIMBERI_INLINED lanes3 scaled(lanes3 a, limberi_lanes by) {
    return (lanes3){a.x * by, a.y * by, a.z * by};
}

LIMBERI_INLINED lanes3 select3(limberi_mask mask, lanes3 yes, lanes3 no) {
    lanes3 v = {limberi_lanes_select(mask, yes.x, no.x), limberi_lanes_select(mask, yes.y, no.y),
                limberi_lanes_select(mask, yes.z, no.z)};
    return v;
}

LIMBERI_INLINED limberi_lanes part_of(limberi_lanes v) {
    return limberi_lanes_max(limberi_lanes_all(0), limberi_lanes_min(v, limberi_lanes_all(1)));
}

LIMBERI_INLINED limberi_lanes smooth(float low, float high, limberi_lanes x) {
    float slope = high > low ? 1 / (high - low) : 1e30f;
    limberi_lanes t = part_of((x - limberi_lanes_all(low)) * limberi_lanes_all(slope));
    return t * t * (limberi_lanes_all(3) - (t + t));
}

// --- several vertices and one collider ---

// The vertices, and what effects did to them.
typedef struct vertices {
    lanes3 plain, moved, normals;
    bool has_normals;
    float length; // L
} vertices;

// What a collider asks of vertices: their displacement along `normal`, `start` after the effects, is at least `min`.
// Where another collider pushes them back below `start`, that much of it is undone: `hold`.
typedef struct contact {
    lanes3 normal;
    limberi_lanes start, min, hold;
} contact;

// The nearest point of the axis: the way from there to the vertices, its square, and how the collider moves there.
typedef struct nearest {
    lanes3 away, move;
    limberi_lanes square;
} nearest;

LIMBERI_INLINED nearest on_axis(lanes3 plain, const limberi_moving_collider* m) {
    lanes3 along = all3(m->along);
    lanes3 to = sub(plain, all3(m->from));
    limberi_lanes part = part_of(dot(to, along) * limberi_lanes_all(m->per_square));
    nearest n = {.away = sub_scaled(to, along, part)};
    n.move = add_scaled(all3(m->move[0]), all3(limberi_sub(m->move[1], m->move[0])), part);
    n.square = dot(n.away, n.away);
    return n;
}

// Whether effects take some of the vertices into the soft zone: at the distance d they come nearer by q / d, which is more
// than d - k. Most pairs end here, so it is written without square roots and divisions.
LIMBERI_INLINED bool come_near(lanes3 plain, lanes3 moved, const limberi_moving_collider* m, limberi_lanes k2) {
    nearest n = on_axis(plain, m);
    limberi_lanes zero = limberi_lanes_all(0);
    limberi_lanes q = dot(n.away, sub(n.move, moved));
    limberi_lanes left = n.square - q;
    limberi_mask within = limberi_lanes_less(left, zero) | limberi_lanes_less(left * left, k2 * n.square);
    return limberi_lanes_any(within & limberi_lanes_less(zero, q));
}

// A bit for each LIMBERI_LANE_COUNT vertices.
static uint64_t find_near(const limberi_push_block* block, const limberi_moving_collider* m) {
    float k = m->radius + limberi_collider_soft * block->length;
    uint64_t found = 0;
    if (m->shape == LIMBER_COLLIDER_PLANE)
        return ~found;
    for (uint32_t i = 0; i < block->width; i += LIMBERI_LANE_COUNT)
        found |= (uint64_t)come_near(load(&block->plain, i), load(&block->moved, i), m, limberi_lanes_all(k * k))
                 << i / LIMBERI_LANE_COUNT;
    return found;
}

// Where the plain animation has vertices next to a collider, and how its surface moves there.
typedef struct place {
    lanes3 normal, move;
    limberi_lanes clearance;
} place;

LIMBERI_INLINED place outside(const vertices* v, const limberi_moving_collider* m) {
    nearest n = on_axis(v->plain, m);
    limberi_lanes distance = limberi_lanes_sqrt(n.square);
    return (place){scaled(n.away, limberi_lanes_inverse(distance)), n.move, distance - limberi_lanes_all(m->radius)};
}

LIMBERI_INLINED place on_plane(const vertices* v, const limberi_moving_collider* m) {
    lanes3 normal = all3(m->along);
    return (place){normal, all3(m->move[0]), dot(sub(v->plain, all3(m->from)), normal)};
}

// Effects may take a distant vertex past the collider's side. A vertex that, seen along the normal, misses the collider by
// a margin is free: pushing it back along the normal would not bring it any nearer.
static limberi_lanes fade_far(const vertices* v, const limberi_moving_collider* m, const place* at, limberi_lanes far) {
    lanes3 p = sub(add_scaled(v->plain, v->moved, limberi_lanes_all(1)), all3(m->from));
    p = sub(p, at->move);
    p = sub_scaled(p, at->normal, dot(p, at->normal));
    lanes3 along = all3(m->along);
    along = sub_scaled(along, at->normal, dot(along, at->normal));
    limberi_lanes square = dot(along, along);
    limberi_lanes tiny = limberi_lanes_all(1e-30f);
    limberi_lanes per_square =
        limberi_lanes_inverse(limberi_lanes_select(limberi_lanes_less(tiny, square), square, limberi_lanes_all(0)));
    p = sub_scaled(p, along, part_of(dot(p, along) * per_square));
    limberi_lanes missed = smooth(m->radius, m->radius + beside * v->length, limberi_lanes_sqrt(dot(p, p)));
    return limberi_lanes_all(1) - far * missed;
}

LIMBERI_INLINED limberi_lanes fade(const vertices* v, const limberi_moving_collider* m, const place* at) {
    limberi_lanes amount = smooth(axis_fade[0] * m->radius, axis_fade[1] * m->radius, at->clearance);
    limberi_lanes far = smooth(far_off[0] * v->length, far_off[1] * v->length, at->clearance);
    if (limberi_lanes_any(limberi_lanes_less(limberi_lanes_all(0), far)))
        amount *= fade_far(v, m, at, far);
    return amount;
}

// Flattened against a collider, a surface faces along its normal: the Jacobian of the clamp stretches normals by the
// inverse of its slope.
static void bend_normals(lanes3 toward, limberi_lanes slope, limberi_mask where, lanes3* normals) {
    limberi_lanes one = limberi_lanes_all(1);
    limberi_lanes steep = one / limberi_lanes_max(slope, limberi_lanes_all(0.02f)) - one;
    lanes3 bent = add_scaled(*normals, toward, dot(*normals, toward) * steep);
    limberi_lanes size = limberi_lanes_sqrt(dot(bent, bent));
    where &= limberi_lanes_less(limberi_lanes_all(0), size);
    *normals = select3(where, scaled(bent, limberi_lanes_inverse(size)), *normals);
}

// Below z the clearance x becomes z^2 / (2 z - x), which has the same value and slope there and stays above 0. False: it
// is not below for any of the vertices.
LIMBERI_INLINED bool touch_at(vertices* v, const limberi_near_collider* near, uint32_t lane, const place* at,
                              contact* c, limberi_mask* touched) {
    limberi_lanes zero = limberi_lanes_all(0);
    limberi_lanes one = limberi_lanes_all(1);
    limberi_lanes rest = limberi_lanes_max(at->clearance, zero); // of a vertex inside: how much deeper it goes
    limberi_lanes start = dot(at->normal, v->moved);
    limberi_lanes x = rest + start - dot(at->normal, at->move);
    limberi_lanes z = limberi_lanes_min(rest, limberi_lanes_all(limberi_collider_soft * v->length));
    limberi_mask below = limberi_lanes_less(x, z);
    if (!limberi_lanes_any(below))
        return false;
    limberi_lanes amount = near->weights ? limberi_lanes_load(near->weights + lane) : one;
    limberi_mask passes = limberi_lanes_less(amount, zero);
    amount = limberi_lanes_select(passes, zero - amount, amount);
    if (near->moving->shape != LIMBER_COLLIDER_PLANE) {
        float radius = near->moving->radius;
        limberi_lanes through = smooth(let_through[0] * radius, let_through[1] * radius, z - x);
        amount *= fade(v, near->moving, at) * (one - limberi_lanes_select(passes, through, zero));
    }
    below &= limberi_lanes_less(zero, amount);
    limberi_lanes r = z * limberi_lanes_inverse(z + z - x); // x < z, so 2 z - x > z >= 0
    limberi_lanes hold = part_of((z - x) * limberi_lanes_all(1 / (full_hold * v->length)));
    c->normal = at->normal;
    c->start = start;
    c->min = limberi_lanes_select(below, start + amount * (z * r - x), start);
    c->hold = limberi_lanes_select(below, amount * hold, zero);
    *touched |= below;
    if (v->has_normals)
        bend_normals(at->normal, one - amount * (one - r * r), below, &v->normals);
    return true;
}

LIMBERI_INLINED bool touch(vertices* v, const limberi_near_collider* near, uint32_t lane, contact* c,
                           limberi_mask* touched) {
    place at = near->moving->shape == LIMBER_COLLIDER_PLANE ? on_plane(v, near->moving) : outside(v, near->moving);
    return touch_at(v, near, lane, &at, c, touched);
}

// --- several vertices ---

LIMBERI_INLINED void resolve(const contact* contacts, uint32_t count, lanes3* moved) {
    for (int sweep = 0; sweep < (count > 1 ? SWEEPS : 1); sweep++)
        for (uint32_t i = 0; i < count; i++) {
            const contact* c = &contacts[i];
            limberi_lanes zero = limberi_lanes_all(0);
            limberi_lanes now = dot(c->normal, *moved);
            limberi_lanes push = limberi_lanes_max(c->min - limberi_lanes_max(now, c->start), zero);
            push += c->hold * limberi_lanes_max(c->start - now, zero);
            *moved = add_scaled(*moved, c->normal, push);
        }
}

// Colliders push no vertex through the floor.
static limberi_lanes above_floor(const limberi_push_block* block, uint32_t at, limberi_lanes from, limberi_lanes to) {
    float before[LIMBERI_LANE_COUNT], after[LIMBERI_LANE_COUNT];
    limberi_mask down = limberi_lanes_less(to, from) & limberi_lanes_less(to, limberi_lanes_all(block->floor_reach));
    if (!limberi_lanes_any(down))
        return to;
    limberi_lanes_store(before, from);
    limberi_lanes_store(after, to);
    for (uint32_t i = 0; i < LIMBERI_LANE_COUNT; i++)
        after[i] = limberi_contact_stage_keep_above(block->frame->ground, block->first_vertex + block->vertices[at + i],
                                                    before[i], after[i]);
    return limberi_lanes_load(after);
}

static void store(const limberi_push_block* block, uint32_t at, float* to, lanes3 v) {
    float x[LIMBERI_LANE_COUNT], y[LIMBERI_LANE_COUNT], z[LIMBERI_LANE_COUNT];
    limberi_lanes_store(x, v.x);
    limberi_lanes_store(y, v.y);
    limberi_lanes_store(z, v.z);
    limberi_lanes_scatter_triples(to + 3 * (size_t)block->first_vertex, block->vertices + at, x, y, z);
}

static lanes3 load_normals(const limberi_push_block* block, uint32_t at) {
    float x[LIMBERI_LANE_COUNT], y[LIMBERI_LANE_COUNT], z[LIMBERI_LANE_COUNT];
    limberi_lanes_gather_triples(block->frame->normals + 3 * (size_t)block->first_vertex, block->vertices + at, x, y,
                                 z);
    return (lanes3){limberi_lanes_load(x), limberi_lanes_load(y), limberi_lanes_load(z)};
}

static bool push_some(const limberi_push_block* block, uint32_t at, const limberi_near_collider* near,
                      uint32_t near_count) {
    contact contacts[LIMBER_COLLIDER_LIMIT];
    vertices v = {.plain = load(&block->plain, at), .length = block->length};
    lanes3 deformed = load(&block->deformed, at);
    uint64_t bit = (uint64_t)1 << at / LIMBERI_LANE_COUNT;
    limberi_mask touched = limberi_lanes_less(limberi_lanes_all(0), limberi_lanes_all(0));
    uint32_t count = 0;
    v.moved = load(&block->moved, at);
    v.has_normals = block->frame->normals != NULL;
    if (v.has_normals)
        v.normals = load_normals(block, at);
    for (uint32_t k = 0; k < near_count; k++)
        if (near[k].which & bit)
            count += touch(&v, &near[k], at, &contacts[count], &touched);
    if (!limberi_lanes_any(touched))
        return false;
    resolve(contacts, count, &v.moved);
    lanes3 pushed = add_scaled(v.plain, v.moved, limberi_lanes_all(1));
    pushed.y = above_floor(block, at, deformed.y, pushed.y);
    store(block, at, block->frame->deformed, select3(touched, pushed, deformed));
    if (v.has_normals)
        store(block, at, block->frame->normals, v.normals);
    return true;
}

bool limberi_push_out(const limberi_push_block* block, limberi_near_collider* near, uint32_t near_count) {
    bool any = false;
    uint64_t which = 0;
    for (uint32_t k = 0; k < near_count; k++) {
        near[k].which = find_near(block, near[k].moving);
        which |= near[k].which;
    }
    for (uint32_t i = 0; which && i < block->width; i += LIMBERI_LANE_COUNT, which >>= 1)
        any |= which & 1 && push_some(block, i, near, near_count);
    return any;
}
