// What the ground does to the vertices of a frame: the shape of the whole body, holds, lifts and the floor (S10, S12).
#include "contact/stage_private.h"

#include "base/lanes.h"
#include "base/math.h"

#include <string.h>

static const float soft_zone = 0.02f; // in scales above the ground, where the floor begins to push back

// --- what the ground leaves of a displacement ---

static const float lift_part = 0.8f; // how much of what a joint sinks it is lifted as a whole; the floor takes the rest

// The footing of several vertices, how much contacts count there, and the heights without effects.
typedef struct footing_lanes {
    limberi_lanes hold, height, lift, fixed, strength, plain;
} footing_lanes;

// limberi_contact_reach of several vertices.
LIMBERI_INLINED limberi_lanes reach(limberi_lanes above) {
    const float full = limberi_reach_full;
    const float none = limberi_reach_none;
    limberi_lanes t = (above - limberi_lanes_all(full)) * limberi_lanes_all(1 / (none - full));
    t = limberi_lanes_min(limberi_lanes_max(t, limberi_lanes_all(0)), limberi_lanes_all(1));
    return limberi_lanes_all(1) - t * t * (limberi_lanes_all(3) - (t + t));
}

LIMBERI_INLINED limberi_lanes kept(const limberi_contact_floor* floor, const footing_lanes* on) {
    limberi_lanes above = (on->plain - on->height) * limberi_lanes_all(1 / floor->scale);
    return limberi_lanes_max(limberi_lanes_all(1) - on->strength * (on->fixed + on->hold * reach(above)),
                             limberi_lanes_all(0));
}

// The height above the ground that the floor leaves: x where it is above the soft zone, never below 0, and with a
// continuous slope. `was`: without the effects.
LIMBERI_INLINED limberi_lanes above_floor(limberi_lanes was, limberi_lanes x, limberi_lanes zone) {
    zone = limberi_lanes_max(limberi_lanes_min(zone, was), limberi_lanes_all(1e-9f));
    limberi_lanes bent = zone * zone / limberi_lanes_max(zone + zone - x, zone);
    return limberi_lanes_select(limberi_lanes_less(x, zone), bent, x);
}

// How far the floor pushes a vertex up that was displaced by `y`.
LIMBERI_INLINED limberi_lanes pushed(const limberi_contact_floor* floor, const footing_lanes* on, limberi_lanes y) {
    limberi_lanes nothing = limberi_lanes_all(0);
    limberi_lanes was = on->plain - limberi_lanes_min(on->plain, on->height);
    limberi_lanes up = above_floor(was, was + y, limberi_lanes_all(soft_zone * floor->scale)) - was - y;
    return limberi_lanes_select(limberi_lanes_less(y, nothing), up, nothing);
}

// With an edited skeleton the plain clip does not say where the vertex was. The floor is soft for what moves, hard for
// what stands.
LIMBERI_INLINED limberi_lanes pushed_back(const limberi_contact_floor* floor, const footing_lanes* on,
                                          limberi_lanes y) {
    limberi_lanes nothing = limberi_lanes_all(0);
    limberi_lanes free = limberi_lanes_all(1) - on->hold - on->fixed;
    limberi_lanes above = on->plain + y - (on->height - limberi_lanes_all(floor->depth));
    limberi_lanes zone = limberi_lanes_all(soft_zone * floor->scale) * limberi_lanes_max(free, nothing);
    limberi_lanes up = above_floor(zone, above, zone) - above;
    return limberi_lanes_select(limberi_lanes_less(above, zone), up, nothing);
}

LIMBERI_INLINED limberi_lanes settle(const limberi_contact_floor* floor, const footing_lanes* on, limberi_lanes* d) {
    limberi_lanes keep = kept(floor, on);
    d[0] *= keep;
    d[1] = (d[1] + limberi_lanes_all(lift_part) * on->lift * on->strength) * keep;
    d[2] *= keep;
    limberi_lanes firm = on->strength * limberi_lanes_all(floor->firm);
    d[1] += firm * (floor->edited ? pushed_back(floor, on, d[1]) : pushed(floor, on, d[1]));
    return keep;
}

static void settle_group(const limberi_contact_floor* floor, uint32_t width, limberi_contact_block* b) {
    for (uint32_t i = 0; i < width; i += LIMBERI_LANE_COUNT) {
        footing_lanes on = {limberi_lanes_load(b->hold + i),     limberi_lanes_load(b->height + i),
                            limberi_lanes_load(b->lift + i),     limberi_lanes_load(b->fixed + i),
                            limberi_lanes_load(b->strength + i), limberi_lanes_load(b->skinned.v[1] + i)};
        limberi_lanes d[3];
        for (int c = 0; c < 3; c++)
            d[c] = limberi_lanes_load(b->moved.v[c] + i);
        limberi_lanes_store(b->keep + i, settle(floor, &on, d));
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(b->moved.v[c] + i, d[c]);
    }
}

// --- what a vertex sees ---

static limberi_contact_footing footing_of(const limberi_contact_stage* g, const limber_mesh* mesh, uint32_t u) {
    limberi_contact_footing sum = {0, 0, 0, 0};
    const uint32_t* joints = g->model->skins[mesh->skin].joints;
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
        const limberi_contact_footing* row = &g->rows[joints[mesh->influence_joint[i]]];
        float weight = mesh->influence_weight[i];
        sum.hold += weight * row->hold;
        sum.height += weight * row->height;
        sum.lift += weight * row->lift;
        sum.fixed += weight * row->fixed;
    }
    return sum;
}

// --- the shape of the whole body ---

// Moves several points; `d` comes in as their displacement so far. Stretched about the center, shifted, then bent
// sideways along their height above the center, which is returned.
LIMBERI_INLINED limberi_lanes shape_lanes(const limberi_body_shape* b, const limberi_lanes* p, limberi_lanes* d) {
    const float* s = b->stretch;
    limberi_lanes x = p[0] + d[0] - limberi_lanes_all(b->center[0]);
    limberi_lanes y = p[1] + d[1] - limberi_lanes_all(b->center[1]);
    limberi_lanes z = p[2] + d[2] - limberi_lanes_all(b->center[2]);
    limberi_lanes xy = limberi_lanes_all(s[3]);
    limberi_lanes yz = limberi_lanes_all(s[4]);
    limberi_lanes zx = limberi_lanes_all(s[5]);
    limberi_lanes up = xy * x + limberi_lanes_all(s[1]) * y + yz * z + limberi_lanes_all(b->shift[1]);
    limberi_lanes h = y + up;
    limberi_lanes square = h * h;
    limberi_lanes above = (p[1] - limberi_lanes_all(b->center[1])) * limberi_lanes_all(b->per_height);
    limberi_lanes free = limberi_lanes_all(1) - limberi_lanes_all(b->planted) * reach(above);
    limberi_lanes across = limberi_lanes_all(s[0]) * x + xy * y + zx * z + limberi_lanes_all(b->shift[0]);
    limberi_lanes ahead = zx * x + yz * y + limberi_lanes_all(s[2]) * z + limberi_lanes_all(b->shift[2]);
    float sinks = (b->bend[0] * b->bend[0] + b->bend[1] * b->bend[1]) * (1 / 6.0f);
    d[0] += free * (across + limberi_lanes_all(0.5f * b->bend[0]) * square);
    d[1] += up - limberi_lanes_all(sinks) * square * h;
    d[2] += free * (ahead + limberi_lanes_all(0.5f * b->bend[1]) * square);
    return h;
}

// A normal goes by the inverse transpose of the map's derivative; `height`: above the center, after the stretch.
static limber_vec3 shape_normal(const limberi_contact_stage* g, float height, limber_vec3 n) {
    limber_vec3 even =
        limberi_vec3(limberi_dot(g->unstretch[0], n), limberi_dot(g->unstretch[1], n), limberi_dot(g->unstretch[2], n));
    float bx = g->shape.bend[0] * height;
    float bz = g->shape.bend[1] * height;
    float sinks = 0.5f * (bx * bx + bz * bz);
    even.y -= (bx * even.x - sinks * even.y + bz * even.z) / (1 - sinks);
    return limberi_normalize(even);
}

void limberi_contact_shape_group(const limberi_body_shape* shape, uint32_t width, limberi_contact_block* b) {
    for (uint32_t i = 0; i < width; i += LIMBERI_LANE_COUNT) {
        limberi_lanes p[3], d[3];
        for (int c = 0; c < 3; c++) {
            p[c] = limberi_lanes_load(b->skinned.v[c] + i);
            d[c] = limberi_lanes_load(b->moved.v[c] + i);
        }
        limberi_lanes_store(b->above + i, shape_lanes(shape, p, d));
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(b->moved.v[c] + i, d[c]);
    }
}

// --- displacements of a few vertices: with effects and squash, and after the floor ---

void limberi_contact_shape_points(const void* user, limberi_rigid_points* points) {
    const limberi_contact_stage* g = ((const limberi_contact_step*)user)->g;
    for (uint32_t v = 0; g->squashes && v < points->width; v += LIMBERI_LANE_COUNT) {
        limberi_lanes p[3], d[3];
        for (int c = 0; c < 3; c++) {
            p[c] = limberi_lanes_load(points->at[c] + v);
            d[c] = limberi_lanes_load(points->way[c] + v);
        }
        shape_lanes(&g->shape, p, d);
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(points->way[c] + v, d[c]);
    }
}

void limberi_contact_settle_points(const void* user, limberi_rigid_points* points) {
    const limberi_contact_stage* g = ((const limberi_contact_step*)user)->g;
    float rows[5][LIMBERI_RIGID_POINTS] = {{0}};
    for (uint32_t i = 0; i < points->count; i++) {
        const limber_mesh* mesh = limberi_mesh_of_vertex(g->model, points->vertices[i]);
        const float* layer = g->layer_of_mesh[mesh - g->model->meshes];
        uint32_t u = points->vertices[i] - mesh->first_vertex;
        limberi_contact_footing row = footing_of(g, mesh, u);
        rows[0][i] = row.hold;
        rows[1][i] = row.height;
        rows[2][i] = row.lift;
        rows[3][i] = row.fixed;
        rows[4][i] = layer ? layer[u] : 1;
    }
    for (uint32_t v = 0; v < points->width; v += LIMBERI_LANE_COUNT) {
        footing_lanes on = {limberi_lanes_load(rows[0] + v), limberi_lanes_load(rows[1] + v),
                            limberi_lanes_load(rows[2] + v), limberi_lanes_load(rows[3] + v),
                            limberi_lanes_load(rows[4] + v), limberi_lanes_load(points->at[1] + v)};
        limberi_lanes d[3];
        for (int c = 0; c < 3; c++)
            d[c] = limberi_lanes_load(points->way[c] + v);
        settle(&g->on, &on, d);
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(points->way[c] + v, d[c]);
    }
}

limber_vec3 limberi_contact_stage_settled(const limberi_contact_stage* g, const limberi_contact_stage_frame* f,
                                          uint32_t vertex) {
    limberi_contact_step step = {g, f};
    limberi_rigid_points one = {.vertices = &vertex, .count = 1, .width = 4};
    for (size_t c = 0; c < 3; c++) {
        one.at[c][0] = f->skinned[3 * (size_t)vertex + c];
        one.way[c][0] = f->deformed[3 * (size_t)vertex + c] - one.at[c][0];
    }
    limberi_contact_shape_points(&step, &one);
    if (g->floor)
        limberi_contact_settle_points(&step, &one);
    return limberi_vec3(one.way[0][0], one.way[1][0], one.way[2][0]);
}

// --- groups ---

static const limberi_contact_footing* row_of(const limberi_contact_stage* g, const limber_mesh* mesh, uint16_t slot) {
    return &g->rows[g->model->skins[mesh->skin].joints[slot]];
}

// Whether the ground holds the group, or is near enough to push it. Most groups are high up: they need no sums.
static bool is_grounded(const limberi_contact_stage* g, const limber_mesh* mesh, const struct limberi_groups* groups,
                        const limberi_group* group, const limberi_contact_block* b) {
    float top = -INFINITY;
    float low = INFINITY;
    for (uint32_t s = 0; s < group->slot_count; s++) {
        const limberi_contact_footing* row = row_of(g, mesh, groups->slots[group->slot_first + s]);
        if (row->hold > 0 || row->lift > 0 || row->fixed > 0)
            return true;
        top = row->height > top ? row->height : top;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        float plain = b->skinned.v[1][i];
        float moved = plain + b->moved.v[1][i];
        low = plain < low ? plain : low;
        low = moved < low ? moved : low;
    }
    return low - top < soft_zone * g->on.scale;
}

static void find_footing(const limberi_contact_stage* g, const limber_mesh* mesh, const struct limberi_groups* groups,
                         const limberi_group* group, limberi_contact_block* b) {
    memset(b->hold, 0, sizeof b->hold);
    memset(b->height, 0, sizeof b->height);
    memset(b->lift, 0, sizeof b->lift);
    memset(b->fixed, 0, sizeof b->fixed);
    for (uint32_t s = 0; s < group->slot_count; s++) {
        const limberi_contact_footing* row = row_of(g, mesh, groups->slots[group->slot_first + s]);
        const float* weights = limberi_group_weight(groups, group, NULL, s);
        for (uint32_t i = 0; i < group->width; i++) {
            b->hold[i] += weights[i] * row->hold;
            b->height[i] += weights[i] * row->height;
            b->lift[i] += weights[i] * row->lift;
            b->fixed[i] += weights[i] * row->fixed;
        }
    }
}

// Where the ground keeps a part of a displacement, it keeps the same part of the turn. `keep` NULL: all of it. `heights`:
// above the center of the shape, after its stretch.
static void turn_normals(const limberi_contact_stage* g, const limberi_contact_stage_frame* f,
                         const struct limberi_groups* groups, const limberi_group* group, size_t at,
                         const float* heights, const float* keep) {
    for (uint32_t i = 0; i < group->count; i++) {
        size_t vertex = at + 3 * (size_t)groups->vertices[group->first + i];
        limber_vec3 skinned = limberi_load3(f->skinned_normals + vertex);
        limber_vec3 normal = limberi_load3(f->normals + vertex);
        if (g->squashes)
            normal = shape_normal(g, heights[i], normal);
        limber_vec3 mixed = keep && keep[i] < 1 ? limberi_normalize(limberi_lerp(skinned, normal, keep[i])) : normal;
        limberi_store3(f->normals + vertex, limberi_is_zero(mixed) ? normal : mixed);
    }
}

bool limberi_contact_stage_group(const limberi_contact_stage* g, const limberi_contact_stage_frame* f, uint32_t m,
                                 uint32_t index) {
    const limber_mesh* mesh = &g->model->meshes[m];
    const struct limberi_groups* groups = limberi_asset_groups(g->asset)[m];
    const limberi_group* group = &groups->groups[index];
    size_t at = 3 * (size_t)mesh->first_vertex;
    limberi_contact_block b;
    if (!g->squashes && !g->floor)
        return false;
    limberi_group_gather(groups, group, f->skinned + at, &b.skinned);
    limberi_group_gather(groups, group, f->deformed + at, &b.moved);
    for (int c = 0; c < 3; c++)
        for (uint32_t i = 0; i < group->width; i++)
            b.moved.v[c][i] -= b.skinned.v[c][i];
    if (g->squashes)
        limberi_contact_shape_group(&g->shape, group->width, &b);
    bool grounded = g->floor && is_grounded(g, mesh, groups, group, &b);
    if (!g->squashes && !grounded)
        return false;
    if (grounded) {
        const float* layer = g->layer_of_mesh[m];
        find_footing(g, mesh, groups, group, &b);
        for (uint32_t i = 0; i < group->width; i++)
            b.strength[i] = layer ? layer[groups->vertices[group->first + i]] : 1;
        settle_group(&g->on, group->width, &b);
    }
    for (int c = 0; c < 3; c++)
        for (uint32_t i = 0; i < group->width; i++)
            b.moved.v[c][i] += b.skinned.v[c][i];
    limberi_group_scatter(groups, group, &b.moved, f->deformed + at);
    if (f->normals)
        turn_normals(g, f, groups, group, at, b.above, grounded ? b.keep : NULL);
    return true;
}

// --- for the stages after it ---

// The clamp of above_floor, with `from` as the height without effects: a vertex that stays at `from` is left alone.
float limberi_contact_stage_keep_above(const limberi_contact_stage* g, uint32_t vertex, float from, float to) {
    const limber_mesh* mesh = limberi_mesh_of_vertex(g->model, vertex);
    const float* layer = g->layer_of_mesh[mesh - g->model->meshes];
    uint32_t u = vertex - mesh->first_vertex;
    float height = footing_of(g, mesh, u).height;
    float strength = layer ? layer[u] : 1;
    float low = fminf(from, g->on.edited ? height - g->on.depth : height);
    float x = to - low;
    float zone = fmaxf(fminf(soft_zone * g->on.scale, from - low), 1e-9f);
    if (!(to < from && x < zone))
        return to;
    return to + strength * g->on.firm * (zone * zone / (zone + zone - x) - x);
}

float limberi_contact_stage_reach(const limberi_contact_stage* g) {
    float top = -HUGE_VALF;
    for (uint32_t j = 0; g->floor && j < g->model->rig.joint_count; j++)
        top = fmaxf(top, g->rows[j].height);
    return top + soft_zone * g->on.scale;
}
