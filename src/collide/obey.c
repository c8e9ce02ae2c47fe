// Which vertices obey which collider, and by how much; and the skin that each collider goes along with. Found once, when
// a pipeline is made.
#include "asset/body.h"
#include "base/error.h"
#include "collide/colliders_private.h"

#include <string.h>

// A vertex obeys a collider that may push it.
static const float obeying[2] = {0.1f, 0.6f}; // share of the weights on joints that obey: not at all, fully
static const float even_share = 0.35f;        // where two bones are as thick as each other: half of `obeying`
static const float clearly_thicker = 1.1f;
static const float root_clearance = 0.04f;   // in L: skin obeys the bone it grows out of from here on
static const float sunk[2] = {-0.8f, -0.3f}; // in radii: skin this deep in the rest pose does not obey, obeys
static const float feet[2] = {0.04f, 0.1f};  // in L above the lowest point of the rest pose: does not obey, obeys
static const float end_part = 0.35f;         // of a capsule's length: skin that goes along with its end
static const float clearly_farther = 1.001f; // of two squared distances: rounding must not choose

typedef struct finder {
    limberi_collision* s;
    limber_colliders* c;
    uint32_t collider;
    const limber_collider* item;
    limberi_placed_collider rest; // where it is in the rest pose
    limber_vec3 along;
    float per_square;
    uint32_t* nodes; // [vertex] scratch
    float* away;     // the same
} finder;

// --- the skin around a collider ---

// Picks vertices of `nodes` by always taking the one farthest from those picked before. Returns how many.
static uint32_t spread_out(const finder* f, uint32_t count, uint32_t* picks) {
    uint32_t picked = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++)
        f->away[i] = HUGE_VALF;
    while (picked < LIMBERI_COLLIDER_ANCHORS && picked < count) {
        limber_vec3 last = limberi_load3(f->c->rest + 3 * (size_t)f->nodes[next]);
        float farthest = 0;
        picks[picked++] = f->nodes[next];
        for (uint32_t i = 0; i < count; i++) {
            limber_vec3 to = limberi_sub(limberi_load3(f->c->rest + 3 * (size_t)f->nodes[i]), last);
            f->away[i] = fminf(f->away[i], limberi_dot(to, to));
            if (f->away[i] > clearly_farther * farthest) {
                farthest = f->away[i];
                next = i;
            }
        }
        if (!(farthest > 0))
            break;
    }
    return picked;
}

// Vertices on a joint, at one end of the collider or anywhere (end 2).
static uint32_t list_skin(const finder* f, uint32_t joint, int end) {
    uint32_t count = 0;
    for (uint32_t u = 0; u < f->s->model->vertex_count; u++) {
        if (f->c->main[u] != joint)
            continue;
        limber_vec3 to = limberi_sub(limberi_load3(f->c->rest + 3 * (size_t)u), f->rest.from);
        float part = limberi_dot(to, f->along) * f->per_square;
        if (end == 2 || (end ? part > 1 - end_part : part < end_part))
            f->nodes[count++] = u;
    }
    return count;
}

// A joint without skin is carried by the nearest one above that has some.
static void find_anchors(finder* f) {
    limberi_collider_anchors* anchors = &f->s->anchors[f->collider];
    const int32_t* parents = f->s->model->rig.parents;
    for (int32_t j = f->item->joint; j >= 0 && !anchors->count[0]; j = parents[j])
        for (int end = 0; end < 2; end++) {
            uint32_t count = f->per_square > 0 ? list_skin(f, (uint32_t)j, end) : 0;
            if (!count)
                count = list_skin(f, (uint32_t)j, 2);
            anchors->count[end] = count ? spread_out(f, count, anchors->vertices[end]) : 0;
        }
}

// --- who obeys ---

typedef enum rule { NOT, EVENLY, FULLY, FROM_ITS_ROOT_ON } rule;

// Of two bones the thinner one gives way; cloth, which has no thickness, always does.
static rule rule_of(const finder* f, uint32_t joint) {
    const limber_rig* rig = &f->s->model->rig;
    int32_t own = f->item->joint;
    int32_t other = (int32_t)joint;
    if (f->item->obey)
        return f->item->obey[joint] ? FULLY : NOT;
    if (own < 0)
        return FULLY;
    if (own == other || rig->parents[own] == other)
        return NOT;
    bool above = limberi_hangs_below(rig, joint, (uint32_t)own);
    if (!f->c->fitted[f->collider])
        return above ? FROM_ITS_ROOT_ON : FULLY;
    float mine = f->c->thickness[joint];
    float its = f->c->thickness[own];
    if (!(mine > 0))
        return FULLY;
    if (its * clearly_thicker < mine || (above && its < clearly_thicker * mine))
        return NOT;
    if (above)
        return FROM_ITS_ROOT_ON;
    return its > clearly_thicker * mine ? FULLY : EVENLY;
}

static float rest_clearance(const finder* f, uint32_t vertex) {
    limber_vec3 p = limberi_load3(f->c->rest + 3 * (size_t)vertex);
    if (f->item->shape == LIMBER_COLLIDER_PLANE)
        return limberi_dot(limberi_sub(p, f->rest.from), f->rest.to);
    return sqrtf(limberi_axis_nearest(f->rest.from, f->along, f->per_square, p).square) - f->rest.radius;
}

// Feet stand where the contacts have them; cloth, which has no thickness, may hang down to the floor.
static float free_of_floor(const finder* f, uint32_t vertex) {
    const limber_model* model = f->s->model;
    uint32_t joint = f->c->main[vertex];
    if (!f->s->stands || joint == UINT32_MAX || !(f->c->thickness[joint] > 0))
        return 1;
    float height = f->c->rest[3 * (size_t)vertex + 1] - model->rest_min.y;
    return limberi_smooth(feet[0] * model->size, feet[1] * model->size, height);
}

// Shares of the weights of a group's vertices that are on joints which obey.
typedef struct obeying_shares {
    float at_once[LIMBER_BLOCK];
    float from_root_on[LIMBER_BLOCK];
    float of_limbs[LIMBER_BLOCK]; // of `at_once`: on other limbs, as an arm beside a leg, not on cloth
} obeying_shares;

static bool add_shares(const finder* f, const struct limberi_groups* groups, const limberi_group* group,
                       const limber_skin* skin, obeying_shares* shares) {
    bool any = false;
    memset(shares, 0, sizeof *shares);
    for (uint32_t k = 0; k < group->slot_count; k++) {
        const float* weights = limberi_group_weight(groups, group, NULL, k);
        uint32_t joint = skin->joints[groups->slots[group->slot_first + k]];
        rule r = rule_of(f, joint);
        if (r == NOT)
            continue;
        any = true;
        bool limb = f->c->fitted[f->collider] && f->c->thickness[joint] > 0 && r != FROM_ITS_ROOT_ON;
        float* to = r == FROM_ITS_ROOT_ON ? shares->from_root_on : shares->at_once;
        for (uint32_t i = 0; i < group->count; i++) {
            float share = (r == EVENLY ? even_share : 1) * weights[i];
            to[i] += share;
            shares->of_limbs[i] += limb ? share : 0;
        }
    }
    return any;
}

// How much each vertex of a group obeys, but for the layer; below 0: as much, until it is let through. False: none of
// them does.
static bool weigh_group(const finder* f, const limber_mesh* mesh, const struct limberi_groups* groups,
                        const limberi_group* group, float* out) {
    obeying_shares shares;
    float max = 0;
    if (mesh->scenery || !add_shares(f, groups, group, &f->s->model->skins[mesh->skin], &shares))
        return false;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t u = groups->vertices[group->first + i];
        float clearance = rest_clearance(f, mesh->first_vertex + u);
        float share = shares.at_once[i];
        if (shares.from_root_on[i] > 0)
            share += shares.from_root_on[i] * limberi_smooth(0, root_clearance * f->s->length, clearance);
        out[i] = limberi_smooth(obeying[0], obeying[1], share);
        if (f->s->parts && f->s->parts[mesh->first_vertex + u] >= 0) // rigid: it keeps its shape
            out[i] = 0;
        if (f->c->fitted[f->collider])
            out[i] *= free_of_floor(f, mesh->first_vertex + u) *
                      limberi_smooth(sunk[0] * f->rest.radius, sunk[1] * f->rest.radius, clearance);
        max = fmaxf(max, out[i]);
        out[i] = 2 * shares.of_limbs[i] > share ? -out[i] : out[i];
    }
    return max > 0;
}

// A copy of the weights, padded with that of the last vertex; NULL: all are 1.
static const float* copy_weights(limberi_arena* arena, const limberi_group* group, float* weights) {
    bool all = true;
    for (uint32_t i = 0; i < group->count; i++)
        all = all && weights[i] >= 1;
    for (uint32_t i = group->count; i < group->width; i++)
        weights[i] = weights[group->count - 1];
    return all ? NULL : LIMBERI_COPY(arena, float, weights, group->width);
}

// Times the layers of colliders, for those whose mesh has them.
void limberi_collision_repaint(limberi_collision* s) {
    for (uint32_t g = 0; g < s->group_count; g++) {
        limberi_obeying* o = &s->groups[g];
        const limber_mesh* mesh = &s->model->meshes[o->at.mesh];
        const struct limberi_groups* groups = limberi_asset_groups(s->asset)[o->at.mesh];
        const limberi_group* group = &groups->groups[o->at.group];
        for (uint32_t k = 0; k < o->count; k++) {
            const limberi_obeyed* obeyed = &o->obeyed[k];
            if (!obeyed->painted)
                continue;
            const limber_layer* layer = limber_mesh_find_layer(mesh, s->colliders->items[obeyed->collider].layer);
            for (uint32_t i = 0; i < group->width; i++) {
                float value = fminf(fmaxf(layer->values[groups->vertices[group->first + i]], 0), 1);
                obeyed->painted[i] = (obeyed->base ? obeyed->base[i] : 1) * value;
            }
        }
    }
}

// The colliders of one group, in the order of the list.
static void list_group(limberi_collision* s, finder* finders, uint32_t mesh, uint32_t index, limberi_obeyed* scratch) {
    const limber_mesh* m = &s->model->meshes[mesh];
    const struct limberi_groups* groups = limberi_asset_groups(s->asset)[mesh];
    const limberi_group* group = &groups->groups[index];
    uint32_t count = 0;
    for (uint32_t c = 0; c < s->colliders->count; c++) {
        float weights[LIMBER_BLOCK];
        if (!weigh_group(&finders[c], m, groups, group, weights))
            continue;
        limberi_obeyed obeyed = {c, copy_weights(&s->arena, group, weights), NULL};
        if (finders[c].item->layer && limber_mesh_find_layer(m, finders[c].item->layer))
            obeyed.painted = LIMBERI_ALLOCATE(&s->arena, float, group->width);
        scratch[count++] = obeyed;
    }
    if (!count)
        return;
    limberi_obeying* o = &s->groups[s->group_count++];
    o->at.mesh = mesh;
    o->at.group = index;
    o->count = count;
    o->obeyed = LIMBERI_COPY(&s->arena, limberi_obeyed, scratch, count);
}

static void start_finder(limberi_collision* s, uint32_t collider, const limber_pose* rest, finder* f) {
    f->s = s;
    f->c = s->colliders;
    f->collider = collider;
    f->item = &s->colliders->items[collider];
    f->rest = limberi_collider_place(f->item, rest);
    bool capsule = f->item->shape == LIMBER_COLLIDER_CAPSULE;
    f->along = capsule ? limberi_sub(f->rest.to, f->rest.from) : limberi_vec3(0, 0, 0);
    f->per_square = limberi_per_square(f->along);
}

static limber_result find_groups(limberi_collision* s, limberi_arena* arena) {
    uint32_t count = s->colliders->count;
    uint32_t groups = 0;
    for (uint32_t m = 0; m < s->model->mesh_count; m++)
        groups += limberi_asset_groups(s->asset)[m]->group_count;
    s->anchors = LIMBERI_ALLOCATE(&s->arena, limberi_collider_anchors, count);
    s->moving = LIMBERI_ALLOCATE(&s->arena, limberi_moving_collider, count);
    s->groups = LIMBERI_ALLOCATE(&s->arena, limberi_obeying, groups);
    finder* finders = LIMBERI_ALLOCATE(arena, finder, count);
    limberi_obeyed* scratch = LIMBERI_ALLOCATE(arena, limberi_obeyed, count);
    uint32_t* nodes = LIMBERI_ALLOCATE(arena, uint32_t, s->model->vertex_count);
    float* away = LIMBERI_ALLOCATE(arena, float, s->model->vertex_count);
    if (arena->failed || s->arena.failed)
        return LIMBER_ERROR_MEMORY;
    // Only read: a pose has no constant members.
    limber_pose rest = {NULL, (limber_mat4*)(uintptr_t)s->model->rig.world_from_joint_rest, NULL};
    for (uint32_t c = 0; c < count; c++) {
        start_finder(s, c, &rest, &finders[c]);
        finders[c].nodes = nodes;
        finders[c].away = away;
        find_anchors(&finders[c]);
    }
    for (uint32_t m = 0; m < s->model->mesh_count; m++)
        for (uint32_t g = 0; g < limberi_asset_groups(s->asset)[m]->group_count; g++)
            list_group(s, finders, m, g, scratch);
    return s->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

limber_result limberi_collision_prepare(limberi_collision* s) {
    limberi_arena arena = {NULL, false};
    limber_result result = find_groups(s, &arena);
    if (!result)
        limberi_collision_repaint(s);
    limberi_arena_free(&arena);
    return result;
}
