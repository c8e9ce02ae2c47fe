// The ground under a frame, after the effects: landings squash the body, what stands stays where it is, and the floor
// pushes back what would go through it (S10, S12). render/shaders/limber_deform.glsl has the same for a GPU.
#include "contact/stage_private.h"

#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/symmetric.h"

#include <string.h>

static const float out_of_reach = 4; // in scales

// Numbers that a frame is stored by: the lowest point above the middle of the body, how far its shape is lifted, how far
// owners of support points are lifted, then those of rigid parts.
enum { STORED_LOW, STORED_SHIFT, STORED_LIFTS };

limber_impact_settings limber_impact_settings_default(void) {
    return (limber_impact_settings){0, 0.9};
}

// --- memory ---

static bool prepare(limberi_contact_stage* g) {
    uint32_t joints = g->model->rig.joint_count;
    g->support = limberi_asset_support(g->asset);
    g->of_clip = LIMBERI_ALLOCATE(&g->arena, limber_contacts*, g->model->clip_count);
    g->rows = LIMBERI_ALLOCATE(&g->arena, limberi_contact_footing, joints);
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
    if (limberi_contacts_are_shared(g->asset, index, loops, g->contact))
        return limberi_contacts_share(g->asset, (uint32_t)index, contacts);
    if (!g->of_clip[index])
        result = limberi_contacts_find(g->asset, clip, index, loops, g->contact, &g->of_clip[index]);
    *contacts = g->of_clip[index];
    return result;
}

// --- a frame ---

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
                        const limberi_floor_group* group, const float* from, limberi_contact_block* b) {
    const struct limberi_groups* groups = g->points.groups[group->mesh];
    const limberi_group* of = &groups->groups[group->index];
    size_t at = 3 * (size_t)g->model->meshes[group->mesh].first_vertex;
    limberi_group_gather(groups, of, f->skinned + at, &b->skinned);
    limberi_group_gather(groups, of, from + at, &b->moved);
    for (int c = 0; c < 3; c++)
        for (uint32_t i = 0; i < of->width; i++)
            b->moved.v[c][i] -= b->skinned.v[c][i];
    if (g->squashes)
        limberi_contact_shape_group(&g->shape, of->width, b);
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
        limberi_contact_block b;
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
        limberi_contact_footing row = {strength * g->hold[j], g->height[j], 0, 0};
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

static void find_lift(const limberi_contact_stage* g, float plain, float moved, limberi_contact_footing* row) {
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
        limberi_contact_block b;
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
        limberi_contact_footing* row = &g->rows[parts->bodies[b].joint];
        row->fixed = fmaxf(row->fixed, g->planted[b]);
    }
    for (uint32_t j = 0; j < g->model->rig.joint_count; j++) {
        g->rows[j].fixed = g->rows[g->support->fused[j]].fixed;
        g->rows[j].hold *= 1 - g->rows[j].fixed;
    }
}

static limberi_rigid_frame rigid_frame(const limberi_contact_stage* g, const limberi_contact_stage_frame* f,
                                       const limberi_contact_step* user) {
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
                                 .field = limberi_contact_shape_points,
                                 .settled = limberi_contact_settle_points};
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
        limberi_contact_step user = {g, f};
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
    const limberi_contact_footing* row = &g->rows[joint];
    out[0] = row->hold;
    out[1] = row->height;
    out[2] = row->lift;
    out[3] = row->fixed;
}
