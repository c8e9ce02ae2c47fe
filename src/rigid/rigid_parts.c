// From rigid islands to parts: islands that belong together become one body, and each body gets what holds it.
#include "rigid/rigid_parts.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/sort.h"
#include "rigid/islands.h"

#include <stdlib.h>
#include <string.h>

// A distance is farther only by this factor: symmetric shapes have equal ones, and rounding must not choose among them.
static const float clearly_farther = 1.001f;
static const float neighborhood = 0.02f; // in L
enum { STRAY = 8 }; // fewer nodes of skin near a part are painting errors: they do not hold what another part carries

typedef struct finder {
    limberi_islands s;
    limberi_touches touches;
    uint32_t* sets;         // [island] the set it belongs to, named by an island of it
    uint32_t* set_count;    // [island] vertices, at the set's name
    uint32_t* first_touch;  // [island + 1] of a set
    uint32_t *loose, *held; // [joint] the set without and the largest one with skin, UINT32_MAX: none
    uint8_t* skin;          // [joint] some soft vertex mostly hangs on it
    uint32_t* order;        // sets as they become bodies
    uint32_t* body_of;      // [island] at the set's name
    limber_rigid_parts* out;
} finder;

static bool is_rigid(const finder* f, uint32_t island) {
    return limberi_island_is_rigid(&f->s, island);
}

// --- sets ---

static bool is_touched(const finder* f, uint32_t set) {
    return f->first_touch[set + 1] > f->first_touch[set];
}

static bool goes_alone(const finder* f, uint32_t set) {
    return f->touches.rides[set] || f->s.islands[set].appendage || limberi_island_is_spike(&f->s, set);
}

// Joins the sets of a joint that no skin holds to the largest one of that joint that skin holds, else to each other.
static void join_loose(finder* f) {
    uint32_t joints = f->s.model->rig.joint_count;
    for (uint32_t i = 0; i < f->touches.count; i++)
        f->first_touch[f->touches.items[i].set + 1]++;
    for (uint32_t i = 0; i < f->s.count; i++) {
        f->first_touch[i + 1] += f->first_touch[i];
        f->set_count[f->sets[i]] += is_rigid(f, i) ? f->s.islands[i].count : 0;
    }
    memset(f->loose, 0xff, joints * sizeof *f->loose);
    memset(f->held, 0xff, joints * sizeof *f->held);
    for (uint32_t i = 0; i < f->s.count; i++) {
        uint32_t* held = &f->held[f->s.islands[i].joint];
        if (f->sets[i] == i && is_rigid(f, i) && is_touched(f, i) && !goes_alone(f, i) &&
            (*held == UINT32_MAX || f->set_count[i] > f->set_count[*held]))
            *held = i;
    }
    for (uint32_t i = 0; i < f->s.count; i++) {
        uint32_t joint = f->s.islands[i].joint;
        if (f->sets[i] != i || !is_rigid(f, i) || is_touched(f, i) || goes_alone(f, i))
            continue;
        if (f->loose[joint] == UINT32_MAX)
            f->loose[joint] = f->held[joint] != UINT32_MAX ? f->held[joint] : i;
        f->sets[i] = f->loose[joint];
    }
    for (uint32_t i = 0; i < f->s.count; i++)
        f->sets[i] = f->sets[f->sets[i]];
}

// --- what holds a body ---

static float square_distance(limber_vec3 a, limber_vec3 b) {
    limber_vec3 way = limberi_sub(a, b);
    return limberi_dot(way, way);
}

static uint32_t number_in_mesh(const limberi_islands* s, uint32_t node) {
    uint32_t vertex = s->vertex_of_node[node];
    return vertex - s->model->meshes[s->mesh_of_vertex[vertex]].first_vertex;
}

// Of the nodes about as far from everything taken before as any, and of those about as far from the middle as any, the
// one that comes first in its mesh. Nodes themselves have another order where a program has moved the vertices.
static uint32_t farthest_place(const limberi_islands* s, const uint32_t* nodes, uint32_t count, const float* away,
                               limber_vec3 middle) {
    const limber_vec3* places = s->surface.positions;
    float farthest = 0;
    float outermost = 0;
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        farthest = fmaxf(farthest, away[i]);
    for (uint32_t i = 0; i < count; i++)
        if (clearly_farther * away[i] >= farthest)
            outermost = fmaxf(outermost, square_distance(places[nodes[i]], middle));
    for (uint32_t i = 0; i < count; i++)
        if (clearly_farther * away[i] >= farthest &&
            clearly_farther * square_distance(places[nodes[i]], middle) >= outermost &&
            (found == UINT32_MAX || number_in_mesh(s, nodes[i]) < number_in_mesh(s, nodes[found])))
            found = i;
    return found;
}

// Spreads picks over `nodes` by always taking the one farthest from those taken before. Returns how many.
static uint32_t spread_out(const limberi_islands* s, const uint32_t* nodes, uint32_t node_count, float* away,
                           uint32_t max, uint32_t* picks) {
    const limber_vec3* places = s->surface.positions;
    uint32_t count = 0;
    limber_vec3 middle = limberi_vec3(0, 0, 0);
    limber_vec3 axis = middle;
    for (uint32_t i = 0; i < node_count; i++) {
        away[i] = HUGE_VALF;
        middle = limberi_add(middle, limberi_scale(places[nodes[i]], 1 / (float)node_count));
    }
    while (count < max && count < node_count) {
        uint32_t next = farthest_place(s, nodes, node_count, away, middle);
        limber_vec3 last = places[nodes[next]];
        if (count && !(away[next] > 0))
            break;
        picks[count++] = nodes[next];
        for (uint32_t i = 0; i < node_count; i++) {
            limber_vec3 way = limberi_sub(places[nodes[i]], last);
            float along = limberi_dot(way, axis);
            away[i] = fminf(away[i], limberi_dot(way, way) - .75f * along * along);
        }
        if (count == 2)
            axis = limberi_normalize(limberi_sub(places[picks[1]], places[picks[0]]));
    }
    return count;
}

static void to_vertices(const finder* f, uint32_t* nodes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = f->s.vertex_of_node[nodes[i]];
}

static void collect_ridden(finder* f, uint32_t set, limberi_rigid_body* body, uint32_t* nodes) {
    if (!f->touches.rides[set])
        return;
    body->touch_count =
        limberi_rider_skin(&f->s, &f->touches, set, LIMBERI_RIGID_TOUCHES, nodes, body->touches, body->weights);
    to_vertices(f, body->touches, body->touch_count);
    body->rider = body->touched = body->touch_count > 0;
}

// Skin of the joint itself holds a part, not that of its neighbours, where there is some.
static void collect_touches(finder* f, uint32_t set, limberi_rigid_body* body, uint32_t* nodes, float* away) {
    uint32_t count = 0;
    const limberi_touch* items = f->touches.items;
    for (uint32_t i = f->first_touch[set]; i < f->first_touch[set + 1]; i++)
        if (items[i].steps == items[f->first_touch[set]].steps)
            nodes[count++] = items[i].node;
    body->touch_count = spread_out(&f->s, nodes, count, away, LIMBERI_RIGID_TOUCHES, body->touches);
    body->touched = body->touch_count > 0;
    to_vertices(f, body->touches, body->touch_count);
}

// The soft nodes of a joint that are nearest to the joint of a body.
static void collect_nearest_skin(finder* f, uint32_t joint, limberi_rigid_body* body) {
    const limberi_surface* surface = &f->s.surface;
    float squares[LIMBERI_RIGID_TOUCHES];
    const limber_mat4* rest = &f->s.model->rig.world_from_joint_rest[body->joint];
    limber_vec3 place = limberi_surface_place(f->s.model, limberi_mat4_translation(rest));
    for (uint32_t n = 0; n < surface->node_count; n++) {
        if (!limberi_node_is_soft(&f->s, n) || limberi_island_main_joint(&f->s, f->s.vertex_of_node[n]) != joint)
            continue;
        limber_vec3 away = limberi_sub(surface->positions[n], place);
        float square = limberi_dot(away, away);
        uint32_t at = body->touch_count;
        if (at == LIMBERI_RIGID_TOUCHES && square >= squares[at - 1])
            continue;
        body->touch_count += at < LIMBERI_RIGID_TOUCHES;
        for (at = body->touch_count - 1; at && squares[at - 1] > square; at--) {
            squares[at] = squares[at - 1];
            body->touches[at] = body->touches[at - 1];
        }
        squares[at] = square;
        body->touches[at] = n;
    }
    to_vertices(f, body->touches, body->touch_count);
}

static int32_t largest_on(const limber_rigid_parts* parts, uint32_t joint, uint32_t before) {
    int32_t best = -1;
    for (uint32_t b = 0; b < before; b++)
        if (parts->bodies[b].joint == joint && !parts->bodies[b].appendage &&
            (best < 0 || parts->bodies[b].count > parts->bodies[best].count))
            best = (int32_t)b;
    return best;
}

// The part of the nearest joint above that has one, -1: there is none, or skin comes first.
static int32_t carrier_above(const finder* f, uint32_t index) {
    const limberi_rigid_body* body = &f->out->bodies[index];
    int32_t carrier = -1;
    for (int32_t a = f->s.model->rig.hangs_on[body->joint]; a >= 0 && carrier < 0; a = f->s.model->rig.hangs_on[a]) {
        uint32_t joint = f->s.fused[a];
        if (joint == body->joint)
            continue;
        carrier = largest_on(f->out, joint, index);
        if (carrier < 0 && f->skin[joint])
            break;
    }
    return carrier;
}

// Without skin on it: the skin of its joint, or of the nearest joint above that has some or carries a part.
static void find_holder(finder* f, uint32_t index) {
    limberi_rigid_body* body = &f->out->bodies[index];
    const int32_t* parents = f->s.model->rig.hangs_on;
    uint32_t before = UINT32_MAX;
    for (int32_t a = (int32_t)body->joint; a >= 0 && !body->touch_count && body->carrier < 0; a = parents[a]) {
        uint32_t joint = f->s.fused[a];
        if (joint == before)
            continue;
        before = joint;
        if (joint != body->joint)
            body->carrier = largest_on(f->out, joint, index);
        if (body->carrier < 0 && f->skin[joint])
            collect_nearest_skin(f, joint, body);
    }
}

// --- bodies ---

static int compare_sets(const void* user, uint32_t a, uint32_t b) {
    const finder* f = user;
    uint32_t x = f->s.islands[a].joint;
    uint32_t y = f->s.islands[b].joint;
    if (x != y)
        return (x > y) - (x < y);
    if (f->s.islands[a].appendage != f->s.islands[b].appendage) // after what it is attached to
        return f->s.islands[a].appendage ? 1 : -1;
    return (a > b) - (a < b);
}

// A body is named after its largest island.
static void fill_bodies(finder* f) {
    limber_rigid_parts* out = f->out;
    for (uint32_t b = 0; b < out->count; b++)
        out->bodies[b].carrier = -1;
    for (uint32_t i = 0; i < f->s.count; i++) {
        const limberi_island* island = &f->s.islands[i];
        if (!is_rigid(f, i) || f->body_of[f->sets[i]] == UINT32_MAX)
            continue;
        limberi_rigid_body* body = &out->bodies[f->body_of[f->sets[i]]];
        limber_rigid_part* part = &out->parts[f->body_of[f->sets[i]]];
        body->joint = f->s.islands[f->sets[i]].joint;
        if (island->count > part->vertex_count) {
            const limber_mesh* mesh = &f->s.model->meshes[island->mesh];
            part->vertex_count = island->count; // the largest so far; list_entries sets the sum
            part->name = mesh->node_name[0] ? mesh->node_name : mesh->name;
            part->joint = island->named_joint;
        }
    }
}

static void list_entries(finder* f) {
    limber_rigid_parts* out = f->out;
    for (uint32_t u = 0; u < f->s.surface.vertex_count; u++) {
        uint32_t node = f->s.surface.node_of_vertex[u];
        uint32_t island = f->s.of_node[node];
        bool in = island != UINT32_MAX && is_rigid(f, island) && f->s.hold[node] > 0;
        out->of_vertex[u] = in ? (int32_t)f->body_of[f->sets[island]] : -1; // UINT32_MAX: exempt
        if (out->of_vertex[u] >= 0)
            out->bodies[out->of_vertex[u]].count++;
    }
    for (uint32_t b = 0; b < out->count; b++) {
        out->bodies[b].first = out->entry_count;
        out->entry_count += out->bodies[b].count;
        out->parts[b].vertex_count = out->bodies[b].count;
        out->bodies[b].count = 0;
    }
    for (uint32_t u = 0; u < f->s.surface.vertex_count; u++) {
        if (out->of_vertex[u] < 0)
            continue;
        limberi_rigid_body* body = &out->bodies[out->of_vertex[u]];
        uint32_t at = body->first + body->count++;
        out->vertices[at] = u;
        out->holds[at] = fminf(f->s.hold[f->s.surface.node_of_vertex[u]], 1);
    }
}

static int compare_numbers(const void* a, const void* b) {
    const uint32_t* x = a;
    const uint32_t* y = b;
    return (*x > *y) - (*x < *y);
}

static void pick_anchors(finder* f, limberi_rigid_body* body, uint32_t* nodes, float* away) {
    const limber_rigid_parts* out = f->out;
    uint32_t count = 0;
    for (float min = 0.999f; !count && min >= 0; min -= 0.999f)
        for (uint32_t i = 0; i < body->count; i++) {
            uint32_t u = out->vertices[body->first + i];
            uint32_t node = f->s.surface.node_of_vertex[u];
            if (f->s.vertex_of_node[node] == u && out->holds[body->first + i] >= min)
                nodes[count++] = node;
        }
    qsort(nodes, count, sizeof *nodes, compare_numbers); // whatever the order of meshes
    body->anchor_count = spread_out(&f->s, nodes, count, away, LIMBERI_RIGID_ANCHORS, body->anchors);
    to_vertices(f, body->anchors, body->anchor_count);
}

// Whether more of the character hangs on the joint of a body than the body itself.
static bool has_more_below(const finder* f, const limberi_rigid_body* body) {
    const limber_rig* rig = &f->s.model->rig;
    for (uint32_t j = body->joint + 1; j < rig->joint_count; j++) {
        uint32_t joint = f->s.fused[j];
        if (joint == body->joint || (!f->skin[joint] && largest_on(f->out, joint, f->out->count) < 0))
            continue;
        for (int32_t a = rig->hangs_on[j]; a >= 0; a = rig->hangs_on[a])
            if (f->s.fused[a] == body->joint)
                return true;
    }
    return false;
}

static const double round_share = 0.4; // third extent over the first: a head, a helmet, a hand
static const float min_rod = 0.03f;    // in L: shorter islands do not count
static const float rod_tie = 1e-3f;    // of an island's extent: places at its end that are the same to us
static const float clearly_nearer = 0.999f;
static const double slender_share = 0.25; // second over the first: a blade, a staff; thicker ones may be limbs

// What the settings say of the islands of a set; -1: nothing.
static int8_t asked_of(const finder* f, uint32_t set, bool* prop) {
    int8_t asked = -1;
    *prop = true;
    for (uint32_t i = 0; i < f->s.count; i++) {
        if (f->sets[i] != set || !is_rigid(f, i))
            continue;
        asked = f->s.islands[i].asked >= 0 ? f->s.islands[i].asked : asked;
        *prop = *prop && f->s.islands[i].prop;
    }
    return asked;
}

// Blades, staffs and shields keep their shape; torsos, heads and limbs may be squashed (S19).
static bool is_mass(const finder* f, uint32_t set, const limberi_rigid_body* body) {
    double extents[3], axis[3];
    bool prop;
    int8_t asked = asked_of(f, set, &prop);
    if (asked >= 0 || prop || body->appendage)
        return asked == LIMBER_RIGID_MASS && !body->appendage;
    limberi_island_measure(&f->s, f->out->vertices + body->first, body->count, extents, axis);
    return extents[2] > round_share * extents[0] ||
           (extents[1] > slender_share * extents[0] && has_more_below(f, body));
}

static limber_vec3 place_in_rest(const finder* f, uint32_t vertex) {
    return f->s.surface.positions[f->s.surface.node_of_vertex[vertex]];
}

// The vertex at an end of an island that lies straight across from another one, as seen along the axis. `way`: -1 or 1.
// Of several the first one: rounding does not choose.
static uint32_t rod_end(const finder* f, const limberi_island* island, limber_vec3 axis, float way, uint32_t other) {
    const uint32_t* vertices = f->s.vertices + island->first;
    float farthest = -HUGE_VALF;
    float least = HUGE_VALF;
    uint32_t end = vertices[0];
    for (uint32_t i = 0; i < island->count; i++)
        farthest = fmaxf(farthest, way * limberi_dot(axis, place_in_rest(f, vertices[i])));
    for (uint32_t i = 0; i < island->count; i++) {
        limber_vec3 p = place_in_rest(f, vertices[i]);
        if (way * limberi_dot(axis, p) < farthest - rod_tie * island->extent)
            continue;
        if (other == UINT32_MAX)
            return vertices[i];
        limber_vec3 to = limberi_sub(p, place_in_rest(f, other));
        float aside = limberi_length(limberi_cross(axis, to)) + rod_tie * island->extent;
        if (aside < clearly_nearer * least) {
            least = aside;
            end = vertices[i];
        }
    }
    return end;
}

static void add_rod(const finder* f, const limberi_island* island, limberi_rigid_body* body) {
    const uint32_t* vertices = f->s.vertices + island->first;
    double extents[3], axis[3];
    limberi_island_measure(&f->s, vertices, island->count, extents, axis);
    if (extents[1] > slender_share * extents[0] || body->rod_count == LIMBERI_RIGID_RODS)
        return;
    limber_vec3 along = limberi_vec3((float)axis[0], (float)axis[1], (float)axis[2]);
    uint32_t low = rod_end(f, island, along, -1, UINT32_MAX);
    uint32_t high = rod_end(f, island, along, 1, UINT32_MAX);
    float way = low < high ? 1 : -1; // whichever way the axis points
    body->rod_widths[body->rod_count] = (float)(extents[1] / extents[0]);
    uint32_t* ends = body->rods[body->rod_count++];
    ends[0] = low < high ? low : high;
    ends[1] = rod_end(f, island, along, way, ends[0]);
}

static void find_rods(finder* f) {
    for (uint32_t i = 0; i < f->s.count; i++)
        if (is_rigid(f, i) && f->body_of[f->sets[i]] != UINT32_MAX && f->s.islands[i].extent > min_rod)
            add_rod(f, &f->s.islands[i], &f->out->bodies[f->body_of[f->sets[i]]]);
}

// A hat goes where the head goes.
static bool copy_host(const finder* f, uint32_t index) {
    limberi_rigid_body* body = &f->out->bodies[index];
    uint32_t host = f->s.islands[f->order[index]].host;
    body->appendage = f->s.islands[f->order[index]].appendage;
    if (!body->appendage || host == UINT32_MAX || !is_rigid(f, host) || f->body_of[f->sets[host]] >= index)
        return false;
    body->carrier = (int32_t)f->body_of[f->sets[host]];
    body->copies = true;
    return true;
}

static void hold_body(finder* f, uint32_t index, uint32_t* nodes, float* away) {
    limberi_rigid_body* body = &f->out->bodies[index];
    body->spike = limberi_island_is_spike(&f->s, f->order[index]);
    if (body->spike || copy_host(f, index))
        return;
    collect_ridden(f, f->order[index], body, nodes);
    if (!body->rider)
        collect_touches(f, f->order[index], body, nodes, away);
    if (body->touch_count && body->touch_count < STRAY && !body->rider)
        body->carrier = carrier_above(f, index);
    if (body->carrier >= 0)
        body->touch_count = body->touched = 0;
    find_holder(f, index);
}

static limber_rigid_class class_of(const limberi_rigid_body* body) {
    if (body->appendage)
        return LIMBER_RIGID_APPENDAGE;
    if (body->rider || body->spike)
        return LIMBER_RIGID_RIDER;
    return body->mass ? LIMBER_RIGID_MASS : LIMBER_RIGID_PROP;
}

static limber_result make_bodies(finder* f) {
    limber_rigid_parts* out = f->out;
    uint32_t vertices = f->s.surface.vertex_count;
    out->parts = LIMBERI_ALLOCATE(&out->arena, limber_rigid_part, out->count);
    out->bodies = LIMBERI_ALLOCATE(&out->arena, limberi_rigid_body, out->count);
    out->of_vertex = LIMBERI_ALLOCATE(&out->arena, int32_t, vertices);
    out->vertices = LIMBERI_ALLOCATE(&out->arena, uint32_t, vertices);
    out->holds = LIMBERI_ALLOCATE(&out->arena, float, vertices);
    uint32_t* nodes = LIMBERI_ALLOCATE(&f->s.surface.arena, uint32_t, f->s.surface.node_count);
    float* away = LIMBERI_ALLOCATE(&f->s.surface.arena, float, f->s.surface.node_count);
    if (out->arena.failed || f->s.surface.arena.failed)
        return LIMBER_ERROR_MEMORY;
    fill_bodies(f);
    list_entries(f);
    for (uint32_t b = 0; b < out->count; b++) {
        pick_anchors(f, &out->bodies[b], nodes, away);
        hold_body(f, b, nodes, away);
        out->bodies[b].mass = is_mass(f, f->order[b], &out->bodies[b]);
        out->parts[b].kind = class_of(&out->bodies[b]);
    }
    find_rods(f);
    return limberi_swings_find(&f->s, f->order, out);
}

static void number_sets(finder* f) {
    f->out->count = 0;
    for (uint32_t i = 0; i < f->s.count; i++)
        f->body_of[i] = UINT32_MAX;
    for (uint32_t i = 0; i < f->s.count; i++)
        if (f->sets[i] == i && is_rigid(f, i))
            f->order[f->out->count++] = i;
    limberi_sort(f->order, f->order + f->s.count, f->out->count, compare_sets, f);
    for (uint32_t b = 0; b < f->out->count; b++)
        f->body_of[f->order[b]] = b;
}

// Whether something else is about as near to an island as its own surface: a foot that stands under a leg.
static bool has_neighbor(const finder* f, uint32_t index) {
    const limberi_island* island = &f->s.islands[index];
    float reach = 0.5f * island->extent + neighborhood;
    for (uint32_t n = 0; n < f->s.surface.node_count; n++) {
        uint32_t other = f->s.of_node[n];
        if (other == UINT32_MAX || f->sets[other] == f->sets[index])
            continue;
        limber_vec3 away = limberi_sub(f->s.surface.positions[n], island->middle);
        if (limberi_dot(away, away) < reach * reach)
            return true;
    }
    return false;
}

static bool is_lone(const finder* f, uint32_t b) {
    const limberi_rigid_body* bodies = f->out->bodies;
    if (bodies[b].carrier >= 0 || bodies[b].touch_count)
        return false;
    for (uint32_t i = b + 1; i < f->out->count; i++)
        if (bodies[i].carrier == (int32_t)b)
            return false;
    for (uint32_t i = 0; i < f->s.count; i++)
        if (f->sets[i] == f->order[b] && has_neighbor(f, i))
            return false;
    return true;
}

// A ball, alone or beside a character: nothing holds it, it carries nothing and touches nothing. It is a character of
// its own and may squash. Returns whether there was one; its islands are soft then.
static bool drop_lone(finder* f) {
    bool any = false;
    for (uint32_t b = 0; b < f->out->count; b++) {
        if (!is_lone(f, b))
            continue;
        any = true;
        for (uint32_t i = 0; i < f->s.count; i++)
            if (f->sets[i] == f->order[b])
                f->s.islands[i].kind = LIMBERI_ISLAND_SOFT;
    }
    return any;
}

static limber_result find_bodies(finder* f) {
    limberi_arena* arena = &f->s.surface.arena;
    size_t islands = (size_t)f->s.count + 1;
    size_t joints = (size_t)f->s.model->rig.joint_count + 1;
    f->set_count = LIMBERI_ALLOCATE(arena, uint32_t, islands);
    f->first_touch = LIMBERI_ALLOCATE(arena, uint32_t, islands);
    f->order = LIMBERI_ALLOCATE(arena, uint32_t, 2 * islands);
    f->body_of = LIMBERI_ALLOCATE(arena, uint32_t, islands);
    f->loose = LIMBERI_ALLOCATE(arena, uint32_t, joints);
    f->held = LIMBERI_ALLOCATE(arena, uint32_t, joints);
    f->skin = LIMBERI_ALLOCATE(arena, uint8_t, joints);
    if (arena->failed || limberi_rigid_touch(&f->s, &f->touches) || limberi_rigid_riders(&f->s, &f->touches))
        return LIMBER_ERROR_MEMORY;
    f->sets = f->touches.sets;
    join_loose(f);
    for (uint32_t n = 0; n < f->s.surface.node_count; n++)
        if (limberi_node_is_soft(&f->s, n))
            f->skin[limberi_island_main_joint(&f->s, f->s.vertex_of_node[n])] = 1;
    number_sets(f);
    limber_result result = make_bodies(f);
    if (result || !drop_lone(f))
        return result;
    limberi_arena_free(&f->out->arena);
    memset(f->out, 0, sizeof *f->out); // once more without it
    number_sets(f);
    return make_bodies(f);
}

// For messages about selections.
static bool list_names(finder* f) {
    const limber_model* model = f->s.model;
    limberi_arena* arena = &f->out->arena;
    f->out->names = LIMBERI_ALLOCATE(arena, const char*, 2 * (size_t)model->mesh_count + model->rig.joint_count);
    uint8_t* meshes = LIMBERI_ALLOCATE(&f->s.surface.arena, uint8_t, model->mesh_count);
    uint8_t* joints = LIMBERI_ALLOCATE(&f->s.surface.arena, uint8_t, model->rig.joint_count);
    if (!f->out->names || !meshes || !joints)
        return false;
    for (uint32_t i = 0; i < f->s.count; i++) {
        meshes[f->s.islands[i].mesh] |= is_rigid(f, i);
        joints[f->s.islands[i].named_joint] |= is_rigid(f, i);
    }
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const char* names[2] = {model->meshes[m].node_name, model->meshes[m].name};
        for (int i = 0; i < 2; i++)
            if (meshes[m] && names[i][0])
                f->out->names[f->out->name_count++] = names[i];
    }
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        if (joints[j])
            f->out->names[f->out->name_count++] = model->rig.names[j];
    return true;
}

static limber_result find_parts(const limber_model* model, const limber_rigid_settings* settings, bool painted,
                                limber_rigid_parts** parts) {
    finder f = {0};
    limber_rigid_parts* out = *parts = limberi_allocate_zeroed(1, sizeof *out);
    limber_result result = out ? limberi_islands_find(model, settings, painted, &f.s) : LIMBER_ERROR_MEMORY;
    f.out = out;
    uint32_t first_rigid = 0;
    while (!result && first_rigid < f.s.count && !is_rigid(&f, first_rigid))
        first_rigid++;
    if (!result && first_rigid < f.s.count)
        result = find_bodies(&f);
    if (!result && !list_names(&f))
        result = LIMBER_ERROR_MEMORY;
    if (!result && !out->of_vertex) {
        out->of_vertex = LIMBERI_ALLOCATE(&out->arena, int32_t, model->vertex_count);
        if (out->of_vertex)
            memset(out->of_vertex, 0xff, model->vertex_count * sizeof *out->of_vertex);
        result = out->of_vertex ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    }
    limberi_islands_destroy(&f.s);
    if (result) {
        limber_rigid_parts_destroy(out);
        *parts = NULL;
    }
    return result;
}

limber_result limber_rigid_parts_find(const limber_asset* asset, const limber_rigid_settings* settings,
                                      limber_rigid_parts** parts, limber_error* error) {
    limber_result result = find_parts(limber_asset_model(asset), settings, true, parts);
    return result ? limberi_fail_memory(error) : LIMBER_OK;
}

void limber_rigid_parts_destroy(limber_rigid_parts* parts) {
    if (!parts)
        return;
    limberi_arena_free(&parts->arena);
    limberi_release(parts);
}

uint32_t limber_rigid_part_count(const limber_rigid_parts* parts) {
    return parts->count;
}

limber_rigid_part limber_rigid_part_at(const limber_rigid_parts* parts, uint32_t index) {
    static const limber_rigid_part none = {"", 0, 0, LIMBER_RIGID_PROP};
    return index < parts->count ? parts->parts[index] : none;
}

const int32_t* limber_rigid_part_of_vertex(const limber_rigid_parts* parts) {
    return parts->of_vertex;
}

bool limberi_rigid_is_painted(const limber_model* model) {
    for (uint32_t m = 0; m < model->mesh_count; m++)
        if (limber_mesh_find_layer(&model->meshes[m], "rigid"))
            return true;
    return false;
}

// --- kept with the character ---

static void destroy_item(limberi_derived_item* item) {
    limber_rigid_parts_destroy((limber_rigid_parts*)(void*)item);
}

const limber_rigid_parts* limberi_asset_rigid_parts(const limber_asset* asset) {
    limberi_derived* slot = limberi_asset_derived(asset, LIMBERI_DERIVED_RIGID);
    limberi_derived_item* known = atomic_load(&slot->item);
    limber_rigid_parts* found = NULL;
    if (known || find_parts(limber_asset_model(asset), NULL, false, &found))
        return (limber_rigid_parts*)(void*)known;
    found->item.destroy = destroy_item;
    return (limber_rigid_parts*)(void*)limberi_derived_keep(slot, &found->item);
}
