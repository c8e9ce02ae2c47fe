// The ground under a frame, after the effects: landings squash the body, what stands stays where it is, and the floor
// pushes back what would go through it (S10, S12). render/shaders/limber_deform.glsl has the same for a GPU.
#include "contact/stage.h"

#include "base/error.h"
#include "base/lanes.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/symmetric.h"

#include <string.h>

static const float out_of_reach = 4; // in scales

// What of the ground a joint has, and a vertex sees: weighted means over its joints.
typedef struct footing {
    float hold, height, lift, fixed;
} footing;

// The floor of a frame.
typedef struct floor_state {
    float scale; // what heights are measured in
    float depth; // how far the plain clip itself is below it
    float firm;  // how much of its push counts
    bool edited; // it holds whatever the skeleton does
} floor_state;

static const float soft_zone = 0.02f; // in scales above the ground, where the floor begins to push back

// A group of vertices.
typedef struct settle_block {
    limberi_block3 skinned, moved; // moved: by how much
    float hold[LIMBER_BLOCK], height[LIMBER_BLOCK], lift[LIMBER_BLOCK], fixed[LIMBER_BLOCK];
    float strength[LIMBER_BLOCK], keep[LIMBER_BLOCK]; // keep: how much of the displacement is left
    float above[LIMBER_BLOCK];                        // the center of the body's shape
} settle_block;

// Numbers that a frame is stored by: the lowest point above the middle of the body, how far its shape is lifted, how far
// owners of support points are lifted, then those of rigid parts.
enum { STORED_LOW, STORED_SHIFT, STORED_LIFTS };

struct limberi_contact_stage {
    limberi_arena arena;
    const limber_asset* asset;
    const limber_model* model;
    const limber_contact_settings* contact;
    const limber_impact_settings* impact;
    const limberi_support* support;
    limberi_floor_points points; // of the support
    limberi_rigid* rigid;
    limber_contacts** of_clip;       // [clip] NULL: not asked for yet
    const float** layer_of_mesh;     // [mesh] values per vertex, NULL: 1
    footing* rows;                   // [joint] this frame
    float *hold, *height, *touching; // [joint] scratch
    float* planted;                  // [rigid part] this frame
    bool floor;                      // this frame has a floor
    floor_state on;                  // and this is it
    bool shapes;                     // frames may come with a body
    bool squashes;                   // the whole body has another shape in this frame
    limberi_body_shape shape;        // and this is it
    float low;                       // the lowest support point that it was found by, above the middle of the body
    limber_vec3 unstretch[3];        // rows of the inverse of its stretch, for normals
};

limber_impact_settings limber_impact_settings_default(void) {
    limber_impact_settings settings = {0, 0.9};
    return settings;
}

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

LIMBERI_INLINED limberi_lanes kept(const floor_state* floor, const footing_lanes* on) {
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
LIMBERI_INLINED limberi_lanes pushed(const floor_state* floor, const footing_lanes* on, limberi_lanes y) {
    limberi_lanes nothing = limberi_lanes_all(0);
    limberi_lanes was = on->plain - limberi_lanes_min(on->plain, on->height);
    limberi_lanes up = above_floor(was, was + y, limberi_lanes_all(soft_zone * floor->scale)) - was - y;
    return limberi_lanes_select(limberi_lanes_less(y, nothing), up, nothing);
}

// With an edited skeleton the plain clip does not say where the vertex was. The floor is soft for what moves, hard for
// what stands.
LIMBERI_INLINED limberi_lanes pushed_back(const floor_state* floor, const footing_lanes* on, limberi_lanes y) {
    limberi_lanes nothing = limberi_lanes_all(0);
    limberi_lanes free = limberi_lanes_all(1) - on->hold - on->fixed;
    limberi_lanes above = on->plain + y - (on->height - limberi_lanes_all(floor->depth));
    limberi_lanes zone = limberi_lanes_all(soft_zone * floor->scale) * limberi_lanes_max(free, nothing);
    limberi_lanes up = above_floor(zone, above, zone) - above;
    return limberi_lanes_select(limberi_lanes_less(above, zone), up, nothing);
}

LIMBERI_INLINED limberi_lanes settle(const floor_state* floor, const footing_lanes* on, limberi_lanes* d) {
    limberi_lanes keep = kept(floor, on);
    d[0] *= keep;
    d[1] = (d[1] + limberi_lanes_all(lift_part) * on->lift * on->strength) * keep;
    d[2] *= keep;
    limberi_lanes firm = on->strength * limberi_lanes_all(floor->firm);
    d[1] += firm * (floor->edited ? pushed_back(floor, on, d[1]) : pushed(floor, on, d[1]));
    return keep;
}

static void settle_group(const floor_state* floor, uint32_t width, settle_block* b) {
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

// --- memory ---

static bool prepare(limberi_contact_stage* g) {
    uint32_t joints = g->model->rig.joint_count;
    g->support = limberi_asset_support(g->asset);
    g->of_clip = LIMBERI_ALLOCATE(&g->arena, limber_contacts*, g->model->clip_count);
    g->rows = LIMBERI_ALLOCATE(&g->arena, footing, joints);
    g->hold = LIMBERI_ALLOCATE(&g->arena, float, joints);
    g->height = LIMBERI_ALLOCATE(&g->arena, float, joints);
    g->touching = LIMBERI_ALLOCATE(&g->arena, float, joints);
    uint32_t parts = g->rigid ? limber_rigid_part_count(limberi_rigid_parts_of(g->rigid)) : 0;
    g->planted = LIMBERI_ALLOCATE(&g->arena, float, parts);
    g->layer_of_mesh = LIMBERI_ALLOCATE(&g->arena, const float*, g->model->mesh_count);
    if (!g->support || g->arena.failed || !limberi_floor_points_make(g->support, &g->arena, &g->points))
        return false;
    g->on.scale = (float)g->support->scale;
    for (uint32_t m = 0; g->contact->layer && m < g->model->mesh_count; m++) {
        const limber_layer* layer = limber_mesh_find_layer(&g->model->meshes[m], g->contact->layer);
        g->layer_of_mesh[m] = layer ? layer->values : NULL;
    }
    return true;
}

limber_result limberi_contact_stage_create(const limber_asset* asset, const limber_contact_settings* contact,
                                           const limber_impact_settings* impact, bool shapes, limberi_rigid* rigid,
                                           limberi_contact_stage** ground, limber_error* error) {
    *ground = NULL;
    if (!rigid && !(contact->strength > 0) && !(impact->gain > 0) && !shapes)
        return LIMBER_OK;
    limberi_contact_stage* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    made->asset = asset;
    made->model = limber_asset_model(asset);
    made->contact = contact;
    made->impact = impact;
    made->shapes = shapes;
    made->rigid = rigid;
    if (!prepare(made)) {
        limberi_contact_stage_destroy(made);
        return limberi_fail_memory(error);
    }
    *ground = made;
    return LIMBER_OK;
}

void limberi_contact_stage_destroy(limberi_contact_stage* g) {
    if (!g)
        return;
    for (uint32_t c = 0; g->of_clip && c < g->model->clip_count; c++)
        limber_contacts_destroy(g->of_clip[c]);
    limberi_arena_free(&g->arena);
    limberi_release(g);
}

limber_result limberi_contact_stage_prepare(const limberi_contact_stage* g, const limber_parallel* parallel) {
    return limberi_contact_stage_acts(g) ? limberi_contacts_prepare(g->asset, g->contact, parallel) : LIMBER_OK;
}

limber_result limberi_contact_stage_contacts(limberi_contact_stage* g, const limber_clip* clip, int32_t index,
                                             bool loops, const limber_contacts** contacts) {
    *contacts = NULL;
    if (!limberi_contact_stage_acts(g) || index < 0 || index >= (int32_t)g->model->clip_count)
        return LIMBER_OK;
    limber_result result = LIMBER_OK;
    if (!g->of_clip[index])
        result = limberi_contacts_find(g->asset, clip, index, loops, g->contact, &g->of_clip[index]);
    *contacts = g->of_clip[index];
    return result;
}

// --- what a vertex sees ---

static footing footing_of(const limberi_contact_stage* g, const limber_mesh* mesh, uint32_t u) {
    footing sum = {0, 0, 0, 0};
    const uint32_t* joints = g->model->skins[mesh->skin].joints;
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
        const footing* row = &g->rows[joints[mesh->influence_joint[i]]];
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

// exp of a symmetric matrix (xx, yy, zz, xy, yz, zx), minus the identity, and the inverse of exp.
static void exponential(const double* strain, float* stretch, limber_vec3* inverse) {
    static const int at[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    double whole[9], axes[9], values[3];
    double grown[6] = {0};
    double back[6] = {0};
    for (int i = 0; i < 9; i++)
        whole[i] = strain[at[i / 3][i % 3]];
    limberi_eigen_three(whole, axes, values);
    for (int k = 0; k < 3; k++) {
        double more = expm1(values[k]);
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++) {
                double pair = axes[3 * k + i] * axes[3 * k + j];
                grown[at[i][j]] += pair * more;
                back[at[i][j]] += pair / (1 + more);
            }
    }
    for (int i = 0; i < 6; i++)
        stretch[i] = (float)grown[i];
    for (int i = 0; i < 3; i++)
        inverse[i] = limberi_vec3((float)back[at[i][0]], (float)back[at[i][1]], (float)back[at[i][2]]);
}

static void shape_group(const limberi_body_shape* shape, uint32_t width, settle_block* b) {
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

typedef struct stage_frame {
    const limberi_contact_stage* g;
    const limberi_contact_stage_frame* f;
} stage_frame;

static void field_of(const void* user, limberi_rigid_points* points) {
    const limberi_contact_stage* g = ((const stage_frame*)user)->g;
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

static void settle_points(const void* user, limberi_rigid_points* points) {
    const limberi_contact_stage* g = ((const stage_frame*)user)->g;
    float rows[5][LIMBERI_RIGID_POINTS] = {{0}};
    for (uint32_t i = 0; i < points->count; i++) {
        const limber_mesh* mesh = limberi_mesh_of_vertex(g->model, points->vertices[i]);
        const float* layer = g->layer_of_mesh[mesh - g->model->meshes];
        uint32_t u = points->vertices[i] - mesh->first_vertex;
        footing row = footing_of(g, mesh, u);
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

static limber_vec3 settled_at(const stage_frame* user, uint32_t vertex) {
    limberi_rigid_points one = {.vertices = &vertex, .count = 1, .width = 4};
    for (size_t c = 0; c < 3; c++) {
        one.at[c][0] = user->f->skinned[3 * (size_t)vertex + c];
        one.way[c][0] = user->f->deformed[3 * (size_t)vertex + c] - one.at[c][0];
    }
    field_of(user, &one);
    if (user->g->floor)
        settle_points(user, &one);
    return limberi_vec3(one.way[0][0], one.way[1][0], one.way[2][0]);
}

// --- a frame ---

static void find_middle(const limberi_contact_stage* g, const limberi_contact_stage_frame* f, double* middle) {
    memset(middle, 0, 3 * sizeof *middle);
    for (uint32_t i = 0; i < g->model->skin_count; i++)
        limberi_support_body(g->support, i, f->palettes[i], middle);
}

// A landing squashes the body about the point of the floor under its middle.
static void find_impact(limberi_contact_stage* g, const limberi_contact_stage_frame* f) {
    double low = 0;
    double middle[3];
    double gain = g->impact->gain * (double)f->strength;
    double min = g->impact->min_speed;
    double s = f->live ? limberi_live_contacts_impact(f->live, gain, min, &low)
                       : limberi_contacts_impact(f->contacts, f->time_s, gain, min, &low);
    g->squashes = fabs(s) > 1e-7;
    if (!g->squashes)
        return;
    find_middle(g, f, middle);
    float up = (float)(1 + s);
    float across = 1 / sqrtf(up);
    limberi_body_shape shape = {.center = {(float)middle[0], (float)low, (float)middle[2]},
                                .stretch = {across - 1, up - 1, across - 1}};
    g->shape = shape;
    g->unstretch[0] = limberi_vec3(1 / across, 0, 0);
    g->unstretch[1] = limberi_vec3(0, 1 / up, 0);
    g->unstretch[2] = limberi_vec3(0, 0, 1 / across);
}

static const double bent_back = 0.06; // in squared heights: the mean of the bend over a body that nothing carries

static const double felt = 0.1; // strain of a landing that the floor carries wholly

// Adds a landing to the strain, for a body without legs. Returns how much the floor carries the body then.
static double land(const limberi_contact_stage* g, const limberi_contact_stage_frame* f, double* strain) {
    double low;
    if (!(f->contacts || f->live) || !(f->body.landing > 0))
        return 0;
    double gain = f->body.landing * (double)f->strength;
    double s = f->live ? limberi_live_contacts_impact(f->live, gain, g->impact->min_speed, &low)
                       : limberi_contacts_impact(f->contacts, f->time_s, gain, g->impact->min_speed, &low);
    double up = log1p(s);
    strain[1] += up;
    strain[0] -= 0.5 * up;
    strain[2] -= 0.5 * up;
    return limberi_smooth_step(0, felt, fabs(up));
}

// --- support points that are low ---

static const float box_slack = 1e-3f; // in scales: for rounding

// How low a point of a box gets, after the shape of the body.
static float lowest_of(const limberi_contact_stage* g, const limberi_floor_box* box) {
    const limberi_body_shape* b = &g->shape;
    float slack = box_slack * g->on.scale;
    if (!g->squashes)
        return box->middle[1] - box->half[1] - slack;
    const float row[3] = {b->stretch[3], 1 + b->stretch[1], b->stretch[4]};
    float height = b->shift[1];
    float half = slack;
    for (int c = 0; c < 3; c++) {
        height += row[c] * (box->middle[c] - b->center[c]);
        half += fabsf(row[c]) * box->half[c];
    }
    float high = fabsf(height) + half;
    float sinks = (b->bend[0] * b->bend[0] + b->bend[1] * b->bend[1]) * high * high * high * (1 / 6.0f);
    float low = b->center[1] + height - half - sinks;
    return low > -HUGE_VALF ? low : -HUGE_VALF; // not if there is no box
}

static void show_points(const limberi_contact_stage_frame* f, const limberi_floor_group* group, bool moved) {
    if (f->wanted)
        f->wanted->show(f->wanted->user, group->mesh, group->index, moved);
}

static float lowest_skinned(const limberi_contact_stage_frame* f, const limberi_floor_group* group, float low) {
    show_points(f, group, false);
    for (uint32_t i = 0; i < group->count; i++) {
        float y = f->skinned[3 * (size_t)group->vertices[i] + 1];
        low = y < low ? y : low;
    }
    return low;
}

static float bottom(const limberi_contact_stage* g, uint32_t group) {
    return g->points.boxes[group].middle[1] - g->points.boxes[group].half[1] - box_slack * g->on.scale;
}

// A group of points with the shape of the body, from before the effects or after them.
static void load_points(const limberi_contact_stage* g, const limberi_contact_stage_frame* f,
                        const limberi_floor_group* group, const float* from, settle_block* b) {
    const struct limberi_groups* groups = g->points.groups[group->mesh];
    const limberi_group* of = &groups->groups[group->index];
    size_t at = 3 * (size_t)g->model->meshes[group->mesh].first_vertex;
    limberi_group_gather(groups, of, f->skinned + at, &b->skinned);
    limberi_group_gather(groups, of, from + at, &b->moved);
    for (int c = 0; c < 3; c++)
        for (uint32_t i = 0; i < of->width; i++)
            b->moved.v[c][i] -= b->skinned.v[c][i];
    if (g->squashes)
        shape_group(&g->shape, of->width, b);
}

// The lowest support point before the effects. The lowest box comes first: then hardly any other can have it.
static float find_lowest(const limberi_contact_stage* g, const limberi_contact_stage_frame* f) {
    const limberi_floor_points* points = &g->points;
    uint32_t first = 0;
    if (!points->group_count)
        return INFINITY;
    for (uint32_t i = 1; f->boxed && i < points->group_count; i++)
        first = bottom(g, i) < bottom(g, first) ? i : first;
    float low = lowest_skinned(f, &points->all[first], INFINITY);
    for (uint32_t i = 0; i < points->group_count; i++)
        if (i != first && !(f->boxed && bottom(g, i) > low))
            low = lowest_skinned(f, &points->all[i], low);
    return low;
}

static float highest_ground(const limberi_contact_stage* g) {
    float top = -HUGE_VALF;
    for (uint32_t o = 0; o < g->support->owner_count; o++)
        top = fmaxf(top, g->rows[g->support->owners[o]].height);
    return top;
}

// What the performance does to the body in this frame (S17). What is carried stretches from its lowest point, what flies
// from its middle.
static void find_shape(limberi_contact_stage* g, const limberi_contact_stage_frame* f) {
    const limberi_body_state* body = &f->body;
    double middle[3], strain[6];
    for (int i = 0; i < 6; i++)
        strain[i] = body->strain[i] * (double)f->strength;
    double carried = fmax(body->support, land(g, f, strain));
    find_middle(g, f, middle);
    float low = f->stored ? (float)middle[1] + f->stored[STORED_LOW] : find_lowest(g, f);
    g->low = low < INFINITY ? low - (float)middle[1] : INFINITY;
    memset(&g->shape, 0, sizeof g->shape);
    if (low < INFINITY)
        middle[1] += carried * ((double)low - middle[1]);
    for (int i = 0; i < 3; i++)
        g->shape.center[i] = (float)middle[i];
    exponential(strain, g->shape.stretch, g->unstretch);
    g->shape.planted = g->contact->strength * (float)carried;
    g->shape.per_height = (float)(1 / body->height);
    for (int i = 0; i < 2; i++) {
        double bend = body->bend[i] * (double)f->strength;
        g->shape.bend[i] = (float)(bend / body->height);
        g->shape.shift[2 * i] = (float)(-0.5 * bend * bent_back * body->height * (1 - carried));
    }
    g->squashes = true;
}

// What would go below the ground lifts the body as a whole: a stretch goes up instead of down.
static void lift_shape(limberi_contact_stage* g, const limberi_contact_stage_frame* f) {
    float lift = 0;
    float top = highest_ground(g);
    if (f->stored) {
        g->shape.shift[1] = f->stored[STORED_SHIFT];
        return;
    }
    for (uint32_t k = 0; k < g->points.group_count; k++) {
        const limberi_floor_group* group = &g->points.all[k];
        if (f->boxed && lowest_of(g, &g->points.boxes[k]) > top)
            continue;
        settle_block b;
        show_points(f, group, false);
        load_points(g, f, group, f->skinned, &b);
        for (uint32_t i = 0; i < group->count; i++) {
            float plain = b.skinned.v[1][i];
            float sinks = fminf(g->rows[group->owners[i]].height, plain) - plain - b.moved.v[1][i];
            lift = sinks > lift ? sinks : lift;
        }
    }
    g->shape.shift[1] = lift * g->contact->strength;
}

static void find_rows(limberi_contact_stage* g, const limberi_contact_stage_frame* f) {
    g->on.depth = 0;
    if (f->live) {
        limberi_live_footing live = limberi_live_contacts_footing(f->live);
        size_t bytes = g->model->rig.joint_count * sizeof *g->hold;
        memcpy(g->hold, live.hold, bytes);
        memcpy(g->height, live.height, bytes);
        memcpy(g->touching, live.touching, bytes);
        g->on.depth = f->edited ? (float)live.depth : 0;
        g->floor = g->contact->strength > 0 && g->support->owner_count;
    } else {
        g->floor = limber_contacts_evaluate(f->contacts, f->time_s, g->hold, g->height) && g->contact->strength > 0;
        limberi_contacts_touching(f->contacts, f->time_s, g->touching);
        g->on.depth = f->edited ? (float)limberi_contacts_depth(f->contacts, f->time_s) : 0;
    }
    for (uint32_t j = 0; j < g->model->rig.joint_count; j++) {
        float part = g->contact->of_joint ? g->contact->of_joint[j] : 1;
        float strength = g->contact->strength * part;
        if (part == 0) // the floor does not concern it either
            g->height[j] -= out_of_reach * g->on.scale;
        footing row = {strength * g->hold[j], g->height[j], 0, 0};
        g->rows[j] = row;
        g->touching[j] *= strength;
    }
}

// Whether effects may push points of a group below a height.
static bool may_sink(const limberi_contact_stage* g, const limberi_contact_stage_frame* f, uint32_t index, float top) {
    const limberi_floor_group* group = &g->points.all[index];
    limberi_floor_box box = g->points.boxes[index];
    float reach[3];
    if (!f->boxed || !(lowest_of(g, &box) > top))
        return true;
    if (!f->wanted->reach(f->wanted->user, group->mesh, group->index, &box, reach))
        return true;
    for (int c = 0; c < 3; c++)
        box.half[c] += reach[c];
    return !(lowest_of(g, &box) > top);
}

static void find_lift(const limberi_contact_stage* g, float plain, float moved, footing* row) {
    float limit = plain < row->height && !g->on.edited ? plain : row->height - g->on.depth;
    float sinks = limit - plain - moved;
    if (!(plain - limit > g->on.scale)) // out of the reach of any effect
        row->lift = sinks > row->lift ? sinks : row->lift;
}

// How far each joint sinks into the ground, beyond what the plain motion has.
static void find_owner_lifts(limberi_contact_stage* g, const limberi_contact_stage_frame* f) {
    const limberi_support* s = g->support;
    float top = highest_ground(g) + fabsf(g->on.depth);
    for (uint32_t k = 0; k < g->points.group_count; k++) {
        const limberi_floor_group* group = &g->points.all[k];
        if (!may_sink(g, f, k, top))
            continue;
        settle_block b;
        show_points(f, group, true);
        load_points(g, f, group, f->deformed, &b);
        for (uint32_t i = 0; i < group->count; i++)
            find_lift(g, b.skinned.v[1][i], b.moved.v[1][i], &g->rows[group->owners[i]]);
    }
    for (uint32_t o = 0; o < s->owner_count; o++)
        g->rows[s->owners[o]].lift *= g->contact->strength;
}

static void find_lifts(limberi_contact_stage* g, const limberi_contact_stage_frame* f) {
    const limberi_support* s = g->support;
    bool stored = f->stored && f->stored_lifts;
    for (uint32_t o = 0; stored && o < s->owner_count; o++)
        g->rows[s->owners[o]].lift = f->stored[STORED_LIFTS + o];
    if (!stored)
        find_owner_lifts(g, f);
    for (uint32_t j = 0; j < g->model->rig.joint_count; j++)
        g->rows[j].lift = g->rows[s->fused[j]].lift;
}

// A body stands when its joint touches the ground, or when it carries one that does.
static void find_planted(limberi_contact_stage* g) {
    const limber_rigid_parts* parts = limberi_rigid_parts_of(g->rigid);
    for (uint32_t b = 0; b < parts->count; b++)
        g->planted[b] = g->touching[parts->bodies[b].joint];
    for (uint32_t b = parts->count; b-- > 0;) {
        int32_t by = parts->bodies[b].carrier;
        if (by >= 0)
            g->planted[by] = 1 - (1 - g->planted[by]) * (1 - g->planted[b]);
    }
    for (uint32_t b = 0; b < parts->count; b++) {
        footing* row = &g->rows[parts->bodies[b].joint];
        row->fixed = fmaxf(row->fixed, g->planted[b]);
    }
    for (uint32_t j = 0; j < g->model->rig.joint_count; j++) {
        g->rows[j].fixed = g->rows[g->support->fused[j]].fixed;
        g->rows[j].hold *= 1 - g->rows[j].fixed;
    }
}

static limberi_rigid_frame rigid_frame(const limberi_contact_stage* g, const limberi_contact_stage_frame* f,
                                       const stage_frame* user) {
    limberi_rigid_frame rigid = {.pose = f->pose,
                                 .skinned = f->skinned,
                                 .deformed = f->deformed,
                                 .skinned_normals = f->skinned_normals,
                                 .normals = f->normals,
                                 .lag_moves = f->lag_moves,
                                 .lag_turns = f->lag_turns,
                                 .swing = f->swing,
                                 .swing_limit = f->swing_limit,
                                 .user = user,
                                 .field = field_of,
                                 .settled = settle_points};
    if (g->floor) {
        rigid.planted = g->planted;
        rigid.ground = g->height;
        rigid.scale = g->on.scale;
        rigid.edited = g->on.edited;
        rigid.depth = g->on.depth;
    }
    return rigid;
}

bool limberi_contact_stage_begin(limberi_contact_stage* g, const limberi_contact_stage_frame* f) {
    g->floor = g->squashes = false;
    g->on.edited = f->edited;
    g->on.firm = f->edited ? 1 : g->contact->strength;
    memset(g->rows, 0, g->model->rig.joint_count * sizeof *g->rows);
    bool known = f->contacts || f->live;
    if (f->boxed)
        limberi_floor_points_place(&g->points, g->model, f->palettes);
    if (f->shaped)
        find_shape(g, f);
    else if (known && g->impact->gain > 0)
        find_impact(g, f);
    if (known)
        find_rows(g, f);
    if (g->floor && f->shaped)
        lift_shape(g, f);
    if (g->floor)
        find_lifts(g, f);
    if (g->rigid) {
        stage_frame user = {g, f};
        if (g->floor)
            find_planted(g);
        limberi_rigid_frame rigid = rigid_frame(g, f, &user);
        rigid.stored = f->stored ? f->stored + STORED_LIFTS + g->support->owner_count : NULL;
        limberi_rigid_begin(g->rigid, &rigid);
    }
    return g->floor || g->squashes || g->rigid;
}

// --- what a frame found, as numbers ---

uint32_t limberi_contact_stage_numbers(const limberi_contact_stage* g) {
    return STORED_LIFTS + g->support->owner_count + (g->rigid ? limberi_rigid_numbers(g->rigid) : 0);
}

void limberi_contact_stage_store(const limberi_contact_stage* g, const limber_pose* pose, float* numbers) {
    const limberi_support* s = g->support;
    numbers[STORED_LOW] = g->squashes && g->low < INFINITY ? g->low : 0;
    numbers[STORED_SHIFT] = g->squashes ? g->shape.shift[1] : 0;
    for (uint32_t o = 0; o < s->owner_count; o++)
        numbers[STORED_LIFTS + o] = g->rows[s->owners[o]].lift;
    if (g->rigid)
        limberi_rigid_store(g->rigid, pose, numbers + STORED_LIFTS + s->owner_count);
}

// How far a wrong height of the center moves what is up to a body's height away from it.
static float center_share(const limberi_body_shape* b) {
    float stretch = fabsf(b->stretch[1]) + fabsf(b->stretch[3]) + fabsf(b->stretch[4]);
    float bend = fabsf(b->bend[0]) + fabsf(b->bend[1]);
    return stretch + (b->per_height > 0 ? bend / b->per_height : 0);
}

limberi_stored_errors limberi_contact_stage_compare(const limberi_contact_stage* g, const limber_pose* pose,
                                                    const float* skinned, const float* found, const float* stored) {
    limberi_stored_errors errors = {0, 0};
    uint32_t owners = g->support->owner_count;
    float low = fabsf(found[STORED_LOW] - stored[STORED_LOW]) * (g->squashes ? center_share(&g->shape) : 0);
    float shift = fabsf(found[STORED_SHIFT] - stored[STORED_SHIFT]);
    errors.whole = low + shift;
    if (g->rigid) {
        size_t at = STORED_LIFTS + (size_t)owners;
        errors.whole = fmaxf(errors.whole, limberi_rigid_compare(g->rigid, pose, skinned, found + at, stored + at));
    }
    for (uint32_t o = 0; o < owners; o++)
        errors.lifts = fmaxf(errors.lifts, fabsf(found[STORED_LIFTS + o] - stored[STORED_LIFTS + o]));
    return errors;
}

// --- groups ---

static const footing* row_of(const limberi_contact_stage* g, const limber_mesh* mesh, uint16_t slot) {
    return &g->rows[g->model->skins[mesh->skin].joints[slot]];
}

// Whether the ground holds the group, or is near enough to push it. Most groups are high up: they need no sums.
static bool is_grounded(const limberi_contact_stage* g, const limber_mesh* mesh, const struct limberi_groups* groups,
                        const limberi_group* group, const settle_block* b) {
    float top = -INFINITY;
    float low = INFINITY;
    for (uint32_t s = 0; s < group->slot_count; s++) {
        const footing* row = row_of(g, mesh, groups->slots[group->slot_first + s]);
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
                         const limberi_group* group, settle_block* b) {
    memset(b->hold, 0, sizeof b->hold);
    memset(b->height, 0, sizeof b->height);
    memset(b->lift, 0, sizeof b->lift);
    memset(b->fixed, 0, sizeof b->fixed);
    for (uint32_t s = 0; s < group->slot_count; s++) {
        const footing* row = row_of(g, mesh, groups->slots[group->slot_first + s]);
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
    settle_block b;
    if (!g->squashes && !g->floor)
        return false;
    limberi_group_gather(groups, group, f->skinned + at, &b.skinned);
    limberi_group_gather(groups, group, f->deformed + at, &b.moved);
    for (int c = 0; c < 3; c++)
        for (uint32_t i = 0; i < group->width; i++)
            b.moved.v[c][i] -= b.skinned.v[c][i];
    if (g->squashes)
        shape_group(&g->shape, group->width, &b);
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

// --- for a GPU ---

bool limberi_contact_stage_acts(const limberi_contact_stage* g) {
    return g && (g->contact->strength > 0 || g->impact->gain > 0 || g->shapes);
}

uint32_t limberi_contact_stage_probes(const limberi_contact_stage* g, bool moved, uint32_t* vertices) {
    return g->rigid ? limberi_rigid_probes(g->rigid, moved, vertices) : 0;
}

const struct limberi_groups* const* limberi_contact_stage_points(const limberi_contact_stage* g) {
    return g->contact->strength > 0 || g->shapes ? g->points.groups : NULL;
}

limber_vec3 limberi_contact_stage_settled(const limberi_contact_stage* g, const limberi_contact_stage_frame* frame,
                                          uint32_t vertex) {
    stage_frame user = {g, frame};
    return settled_at(&user, vertex);
}

const float* limberi_contact_stage_layer(const limberi_contact_stage* g, uint32_t mesh) {
    return g->layer_of_mesh[mesh];
}

limberi_contact_stage_found limberi_contact_stage_result(const limberi_contact_stage* g) {
    limberi_contact_stage_found found = {
        .floor = g->floor, .edited = g->on.edited, .scale = g->on.scale, .depth = g->on.depth, .firm = g->on.firm};
    if (g->squashes)
        found.shape = g->shape;
    return found;
}

void limberi_contact_stage_footing(const limberi_contact_stage* g, uint32_t joint, float out[4]) {
    const footing* row = &g->rows[joint];
    out[0] = row->hold;
    out[1] = row->height;
    out[2] = row->lift;
    out[3] = row->fixed;
}
