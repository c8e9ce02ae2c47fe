#include "ground/stage.h"
#include "ground/settle.h"

#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"

#include <string.h>

static const float out_of_reach = 4; // in scales

struct limberi_ground {
    limberi_arena arena;
    const limber_asset* asset;
    const limber_model* model;
    const limber_contact_settings* contact;
    const limber_impact_settings* impact;
    const limberi_support* support;
    limberi_rigid* rigid;
    limber_contacts** of_clip;       // [clip] NULL: not asked for yet
    const float** layer_of_mesh;     // [mesh] values per vertex, NULL: 1
    limberi_footing* rows;           // [joint] this frame
    float *hold, *height, *touching; // [joint] scratch
    float* planted;                  // [rigid part] this frame
    bool floor;                      // this frame has one:
    limberi_footed on;
    bool squashes;    // a landing is felt in this frame
    float center[3];  // about which it squashes
    float factors[3]; // by which
};

limber_impact_settings limber_impact_settings_default(void) {
    limber_impact_settings settings = {0, 0.9};
    return settings;
}

// --- memory ---

static bool find_layers(limberi_ground* g) {
    g->layer_of_mesh = LIMBERI_ALLOCATE(&g->arena, const float*, g->model->mesh_count);
    for (uint32_t m = 0; g->layer_of_mesh && g->contact->layer && m < g->model->mesh_count; m++) {
        const limber_layer* layer = limber_mesh_layer(&g->model->meshes[m], g->contact->layer);
        g->layer_of_mesh[m] = layer ? layer->values : NULL;
    }
    return g->layer_of_mesh != NULL;
}

static bool take_memory(limberi_ground* g) {
    uint32_t joints = g->model->rig.joint_count;
    g->support = limberi_asset_support(g->asset);
    g->of_clip = LIMBERI_ALLOCATE(&g->arena, limber_contacts*, g->model->clip_count);
    g->rows = LIMBERI_ALLOCATE(&g->arena, limberi_footing, joints);
    g->hold = LIMBERI_ALLOCATE(&g->arena, float, joints);
    g->height = LIMBERI_ALLOCATE(&g->arena, float, joints);
    g->touching = LIMBERI_ALLOCATE(&g->arena, float, joints);
    uint32_t parts = g->rigid ? limber_rigid_part_count(limberi_rigid_parts_of(g->rigid)) : 0;
    g->planted = LIMBERI_ALLOCATE(&g->arena, float, parts);
    return g->support && find_layers(g) && !g->arena.failed;
}

limber_result limberi_ground_create(const limber_asset* asset, const limber_contact_settings* contact,
                                    const limber_impact_settings* impact, limberi_rigid* rigid, limberi_ground** ground,
                                    limber_error* error) {
    *ground = NULL;
    if (!rigid && !(contact->strength > 0) && !(impact->gain > 0))
        return LIMBER_OK;
    limberi_ground* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for contacts");
    made->asset = asset;
    made->model = limber_asset_model(asset);
    made->contact = contact;
    made->impact = impact;
    made->rigid = rigid;
    if (!take_memory(made)) {
        limberi_ground_destroy(made);
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for contacts");
    }
    made->on.scale = (float)made->support->scale;
    *ground = made;
    return LIMBER_OK;
}

void limberi_ground_destroy(limberi_ground* g) {
    if (!g)
        return;
    for (uint32_t c = 0; g->of_clip && c < g->model->clip_count; c++)
        limber_contacts_destroy(g->of_clip[c]);
    limberi_arena_free(&g->arena);
    limberi_release(g);
}

static bool uses_contacts(const limberi_ground* g) {
    return g->contact->strength > 0 || g->impact->gain > 0;
}

limber_result limberi_ground_prepare(const limberi_ground* g, const limber_parallel* parallel) {
    return g && uses_contacts(g) ? limberi_contacts_prepare(g->asset, g->contact, parallel) : LIMBER_OK;
}

limber_result limberi_ground_contacts(limberi_ground* g, const limber_clip* clip, int32_t index, bool loops,
                                      const limber_contacts** contacts) {
    *contacts = NULL;
    if (!uses_contacts(g) || index < 0 || index >= (int32_t)g->model->clip_count)
        return LIMBER_OK;
    limber_result result = LIMBER_OK;
    if (!g->of_clip[index])
        result = limberi_contacts_find(g->asset, clip, index, loops, g->contact, &g->of_clip[index]);
    *contacts = g->of_clip[index];
    return result;
}

// --- what a vertex sees ---

static void add_row(limberi_footing* sum, const limberi_footing* row, float weight) {
    sum->hold += weight * row->hold;
    sum->height += weight * row->height;
    sum->lift += weight * row->lift;
    sum->fixed += weight * row->fixed;
}

static limberi_footing footing_of(const limberi_ground* g, const limber_mesh* mesh, uint32_t u) {
    limberi_footing sum = {0, 0, 0, 0};
    const uint32_t* joints = g->model->skins[mesh->skin].joints;
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
        add_row(&sum, &g->rows[joints[mesh->influence_joint[i]]], mesh->influence_weight[i]);
    return sum;
}

static inline void squash(const limberi_ground* g, const float* p, float* d) {
    for (int c = 0; c < 3; c++)
        d[c] += (g->factors[c] - 1) * (p[c] + d[c] - g->center[c]);
}

// --- single vertices, for what follows from a few of them ---

typedef struct asked {
    const limberi_ground* g;
    const limberi_ground_frame* f;
} asked;

static limber_vec3 field_at(const void* user, uint32_t vertex) {
    const asked* a = user;
    const float *p = a->f->skinned + 3 * (size_t)vertex, *to = a->f->deformed + 3 * (size_t)vertex;
    float d[3] = {to[0] - p[0], to[1] - p[1], to[2] - p[2]};
    if (a->g->squashes)
        squash(a->g, p, d);
    return limberi_load3(d);
}

static limber_vec3 settled_at(const void* user, uint32_t vertex) {
    const asked* a = user;
    const limberi_ground* g = a->g;
    limber_vec3 field = field_at(user, vertex);
    if (!g->floor)
        return field;
    const limber_mesh* mesh = limberi_mesh_of_vertex(g->model, vertex);
    const float* layer = g->layer_of_mesh[mesh - g->model->meshes];
    float d[3] = {field.x, field.y, field.z};
    uint32_t u = vertex - mesh->first_vertex;
    limberi_settle_one(&g->on, layer ? layer[u] : 1, footing_of(g, mesh, u), a->f->skinned[3 * (size_t)vertex + 1], d);
    return limberi_load3(d);
}

// --- a frame ---

static void find_squash(limberi_ground* g, const limberi_ground_frame* f) {
    double low = 0, middle[3] = {0, 0, 0};
    double gain = g->impact->gain * (double)f->strength, least = g->impact->min_speed;
    double s = f->live ? limberi_live_contacts_impact(f->live, gain, least, &low)
                       : limberi_contacts_impact(f->contacts, f->time_s, gain, least, &low);
    g->squashes = fabs(s) > 1e-7;
    if (!g->squashes)
        return;
    for (uint32_t i = 0; i < g->model->skin_count; i++)
        limberi_support_body(g->support, i, f->palettes[i], middle);
    float up = (float)(1 + s), across = 1 / sqrtf(up);
    const float center[3] = {(float)middle[0], (float)low, (float)middle[2]}, factors[3] = {across, up, across};
    memcpy(g->center, center, sizeof center);
    memcpy(g->factors, factors, sizeof factors);
}

static void take_live(limberi_ground* g, limberi_live_footing live) {
    size_t bytes = g->model->rig.joint_count * sizeof *g->hold;
    memcpy(g->hold, live.hold, bytes);
    memcpy(g->height, live.height, bytes);
    memcpy(g->touching, live.touching, bytes);
}

static void find_rows(limberi_ground* g, const limberi_ground_frame* f) {
    g->on.depth = 0;
    if (f->live) {
        take_live(g, limberi_live_contacts_footing(f->live));
        g->floor = g->contact->strength > 0;
    } else {
        g->floor = limber_contacts_evaluate(f->contacts, f->time_s, g->hold, g->height) && g->contact->strength > 0;
        limberi_contacts_touching(f->contacts, f->time_s, g->touching);
        g->on.depth = f->edited ? (float)limberi_contacts_depth(f->contacts, f->time_s) : 0;
    }
    for (uint32_t j = 0; j < g->model->rig.joint_count; j++) {
        float part = g->contact->of_joint ? g->contact->of_joint[j] : 1, strength = g->contact->strength * part;
        if (part == 0) // nor does the floor matter to it
            g->height[j] -= out_of_reach * g->on.scale;
        limberi_footing row = {strength * g->hold[j], g->height[j], 0, 0};
        g->rows[j] = row;
        g->touching[j] *= strength;
    }
}

// How far each joint sinks into the ground, beyond what the plain motion has.
static void find_lifts(limberi_ground* g, const limberi_ground_frame* f) {
    const limberi_support* s = g->support;
    asked user = {g, f};
    for (uint32_t o = 0; o < s->owner_count; o++) {
        limberi_footing* row = &g->rows[s->owners[o]];
        for (uint32_t i = s->first[o]; i < s->first[o + 1]; i++) {
            float plain = f->skinned[3 * (size_t)s->vertices[i] + 1];
            float limit = plain < row->height && !g->on.edited ? plain : row->height - g->on.depth;
            if (plain - limit > g->on.scale) // out of the reach of any effect
                continue;
            float sinks = limit - plain - field_at(&user, s->vertices[i]).y;
            row->lift = sinks > row->lift ? sinks : row->lift;
        }
        row->lift *= g->contact->strength;
    }
    for (uint32_t j = 0; j < g->model->rig.joint_count; j++)
        g->rows[j].lift = g->rows[s->fused[j]].lift;
}

// A body stands when its joint touches the ground, or when it carries one that does.
static void find_planted(limberi_ground* g) {
    const limber_rigid_parts* parts = limberi_rigid_parts_of(g->rigid);
    for (uint32_t b = 0; b < parts->count; b++)
        g->planted[b] = g->touching[parts->bodies[b].joint];
    for (uint32_t b = parts->count; b-- > 0;) {
        int32_t by = parts->bodies[b].carrier;
        if (by >= 0)
            g->planted[by] = 1 - (1 - g->planted[by]) * (1 - g->planted[b]);
    }
    for (uint32_t b = 0; b < parts->count; b++) {
        limberi_footing* row = &g->rows[parts->bodies[b].joint];
        row->fixed = fmaxf(row->fixed, g->planted[b]);
    }
    for (uint32_t j = 0; j < g->model->rig.joint_count; j++) {
        g->rows[j].fixed = g->rows[g->support->fused[j]].fixed;
        g->rows[j].hold *= 1 - g->rows[j].fixed;
    }
}

static limberi_rigid_frame rigid_frame(const limberi_ground* g, const limberi_ground_frame* f, const asked* user) {
    limberi_rigid_frame rigid = {.pose = f->pose,
                                 .skinned = f->skinned,
                                 .deformed = f->deformed,
                                 .skinned_normals = f->skinned_normals,
                                 .normals = f->normals,
                                 .user = user,
                                 .field = field_at,
                                 .settled = settled_at};
    if (g->floor) {
        rigid.planted = g->planted;
        rigid.ground = g->height;
        rigid.scale = g->on.scale;
        rigid.edited = g->on.edited;
        rigid.depth = g->on.depth;
    }
    return rigid;
}

bool limberi_ground_begin(limberi_ground* g, const limberi_ground_frame* f) {
    g->floor = g->squashes = false;
    g->on.edited = f->edited;
    g->on.firm = f->edited ? 1 : g->contact->strength;
    memset(g->rows, 0, g->model->rig.joint_count * sizeof *g->rows);
    bool known = f->contacts || f->live;
    if (known && g->impact->gain > 0)
        find_squash(g, f);
    if (known)
        find_rows(g, f);
    if (g->floor)
        find_lifts(g, f);
    if (g->rigid) {
        asked user = {g, f};
        if (g->floor)
            find_planted(g);
        limberi_rigid_frame rigid = rigid_frame(g, f, &user);
        limberi_rigid_begin(g->rigid, &rigid);
    }
    return g->floor || g->squashes || g->rigid;
}

// --- groups ---

static const limberi_footing* row_of(const limberi_ground* g, const limber_mesh* mesh, uint16_t slot) {
    return &g->rows[g->model->skins[mesh->skin].joints[slot]];
}

// Whether the ground holds the group, or is near enough to push it. Most groups are high up: they need no sums.
static bool is_grounded(const limberi_ground* g, const limberi_ground_frame* f, const limber_mesh* mesh,
                        const struct limberi_groups* groups, const limberi_group* group) {
    float top = -INFINITY, low = INFINITY, moved_low = INFINITY;
    for (uint32_t s = 0; s < group->slot_count; s++) {
        const limberi_footing* row = row_of(g, mesh, groups->slots[group->slot_first + s]);
        if (row->hold > 0 || row->lift > 0 || row->fixed > 0)
            return true;
        top = row->height > top ? row->height : top;
    }
    const float* skinned = f->skinned + 3 * (size_t)mesh->first_vertex + 1;
    const float* deformed = f->deformed + 3 * (size_t)mesh->first_vertex + 1;
    for (uint32_t i = 0; i < group->count; i++) {
        size_t at = 3 * (size_t)groups->vertices[group->first + i];
        low = skinned[at] < low ? skinned[at] : low;
        moved_low = deformed[at] < moved_low ? deformed[at] : moved_low;
    }
    if (g->squashes)
        moved_low += (g->factors[1] - 1) * (moved_low - g->center[1]);
    return fminf(low, moved_low) - top < limberi_soft_zone * g->on.scale;
}

static void find_footing(const limberi_ground* g, const limber_mesh* mesh, const struct limberi_groups* groups,
                         const limberi_group* group, limberi_settle_block* b) {
    memset(b->hold, 0, sizeof b->hold);
    memset(b->height, 0, sizeof b->height);
    memset(b->lift, 0, sizeof b->lift);
    memset(b->fixed, 0, sizeof b->fixed);
    for (uint32_t s = 0; s < group->slot_count; s++) {
        const limberi_footing* row = row_of(g, mesh, groups->slots[group->slot_first + s]);
        const float* weights = limberi_group_weight(groups, group, NULL, s);
        for (uint32_t i = 0; i < group->width; i++) {
            b->hold[i] += weights[i] * row->hold;
            b->height[i] += weights[i] * row->height;
            b->lift[i] += weights[i] * row->lift;
            b->fixed[i] += weights[i] * row->fixed;
        }
    }
}

static void squash_block(const limberi_ground* g, const limberi_group* group, limberi_settle_block* b) {
    for (int c = 0; c < 3; c++)
        for (uint32_t i = 0; i < group->width; i++)
            b->moved.v[c][i] += (g->factors[c] - 1) * (b->skinned.v[c][i] + b->moved.v[c][i] - g->center[c]);
}

static void take_strength(const limberi_ground* g, uint32_t mesh, const struct limberi_groups* groups,
                          const limberi_group* group, limberi_settle_block* b) {
    const float* layer = g->layer_of_mesh[mesh];
    for (uint32_t i = 0; i < group->width; i++)
        b->strength[i] = layer ? layer[groups->vertices[group->first + i]] : 1;
}

// A landing turns normals as its map does; what the ground takes of a displacement it takes of its turn.
static limber_vec3 turn_normal(const limberi_ground* g, float keep, limber_vec3 skinned, limber_vec3 normal) {
    if (g->squashes)
        normal = limberi_normalize(
            limberi_vec3(normal.x / g->factors[0], normal.y / g->factors[1], normal.z / g->factors[2]));
    limber_vec3 mixed = keep < 1 ? limberi_normalize(limberi_lerp(skinned, normal, keep)) : normal;
    return limberi_is_zero(mixed) ? normal : mixed;
}

static void turn_normals(const limberi_ground* g, const limberi_ground_frame* f, const struct limberi_groups* groups,
                         const limberi_group* group, size_t at, const float* keep) {
    for (uint32_t i = 0; i < group->count; i++) {
        size_t vertex = at + 3 * (size_t)groups->vertices[group->first + i];
        limber_vec3 skinned = limberi_load3(f->skinned_normals + vertex), normal = limberi_load3(f->normals + vertex);
        limberi_store3(f->normals + vertex, turn_normal(g, keep ? keep[i] : 1, skinned, normal));
    }
}

bool limberi_ground_group(const limberi_ground* g, const limberi_ground_frame* f, uint32_t m, uint32_t index) {
    const limber_mesh* mesh = &g->model->meshes[m];
    const struct limberi_groups* groups = limberi_asset_groups(g->asset)[m];
    const limberi_group* group = &groups->groups[index];
    size_t at = 3 * (size_t)mesh->first_vertex;
    bool grounded = g->floor && is_grounded(g, f, mesh, groups, group);
    limberi_settle_block b;
    if (!g->squashes && !grounded)
        return false;
    limberi_group_gather(groups, group, f->skinned + at, &b.skinned);
    limberi_group_gather(groups, group, f->deformed + at, &b.moved);
    for (int c = 0; c < 3; c++)
        for (uint32_t i = 0; i < group->width; i++)
            b.moved.v[c][i] -= b.skinned.v[c][i];
    if (g->squashes)
        squash_block(g, group, &b);
    if (grounded) {
        find_footing(g, mesh, groups, group, &b);
        take_strength(g, m, groups, group, &b);
        limberi_settle(&g->on, group->width, &b);
    }
    for (int c = 0; c < 3; c++)
        for (uint32_t i = 0; i < group->width; i++)
            b.moved.v[c][i] += b.skinned.v[c][i];
    limberi_group_scatter(groups, group, &b.moved, f->deformed + at);
    if (f->normals)
        turn_normals(g, f, groups, group, at, grounded ? b.keep : NULL);
    return true;
}

// --- what comes after it ---

float limberi_ground_keep_above(const limberi_ground* g, uint32_t vertex, float from, float to) {
    const limber_mesh* mesh = limberi_mesh_of_vertex(g->model, vertex);
    const float* layer = g->layer_of_mesh[mesh - g->model->meshes];
    uint32_t u = vertex - mesh->first_vertex;
    return limberi_settle_height(&g->on, layer ? layer[u] : 1, footing_of(g, mesh, u), from, to);
}

float limberi_ground_reach(const limberi_ground* g) {
    float top = -HUGE_VALF;
    for (uint32_t j = 0; g->floor && j < g->model->rig.joint_count; j++)
        top = fmaxf(top, g->rows[j].height);
    return top + limberi_soft_zone * g->on.scale;
}

// --- for a GPU ---

bool limberi_ground_acts(const limberi_ground* g) {
    return g && (g->contact->strength > 0 || g->impact->gain > 0);
}

uint32_t limberi_ground_probes(const limberi_ground* g, uint32_t* vertices) {
    uint32_t parts = g->rigid ? limberi_rigid_probes(g->rigid, vertices) : 0;
    uint32_t points = g->contact->strength > 0 ? g->support->point_count : 0;
    if (vertices && points)
        memcpy(vertices + parts, g->support->vertices, points * sizeof *vertices);
    return parts + points;
}

limber_vec3 limberi_ground_settled(const limberi_ground* g, const limberi_ground_frame* frame, uint32_t vertex) {
    asked user = {g, frame};
    return settled_at(&user, vertex);
}

const float* limberi_ground_layer(const limberi_ground* g, uint32_t mesh) {
    return g->layer_of_mesh[mesh];
}

limberi_ground_found limberi_ground_result(const limberi_ground* g) {
    limberi_ground_found found = {.floor = g->floor,
                                  .edited = g->on.edited,
                                  .scale = g->on.scale,
                                  .depth = g->on.depth,
                                  .firm = g->on.firm,
                                  .factors = {1, 1, 1}};
    if (g->squashes) {
        memcpy(found.center, g->center, sizeof found.center);
        memcpy(found.factors, g->factors, sizeof found.factors);
    }
    return found;
}

void limberi_ground_footing(const limberi_ground* g, uint32_t joint, float out[4]) {
    const limberi_footing* row = &g->rows[joint];
    out[0] = row->hold;
    out[1] = row->height;
    out[2] = row->lift;
    out[3] = row->fixed;
}
