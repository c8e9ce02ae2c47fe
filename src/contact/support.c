// Support points: the few vertices of each joint that can touch a floor, whatever way it is turned.
#include "contact/support.h"
#include "asset/asset.h"
#include "base/lanes.h"
#include "base/math.h"
#include "base/memory.h"

#include <string.h>

enum { AROUND = 128, DIRECTIONS = AROUND + 6 };

static const float apart = 0.012f; // in scales, of points: contacts are within 0.02
// In scales: of vertices that are as far out the first one counts, whatever the rounding.
static const float ties = 1e-5f;
static const float bound = 0.5f; // weight of a vertex that goes where the joint goes
// The length contacts are measured in is a multiple of how far the middle of the skin is above its lowest point, so that
// a halberd does not count; within these parts of L.
static const double of_middle = 2.7; // S10
static const double min_scale = 0.5;
static const double max_scale = 1.3;

typedef struct maker {
    limberi_support* s;
    const limber_model* model;
    float* rest; // [vertex * 3] world
    int32_t* owner_of_vertex;
    uint32_t* sorted; // vertices by owner
    uint32_t* start;  // [joint + 1] in `sorted`
    uint8_t* usable;  // [vertex] has a triangle and is no support point yet
    uint32_t* first;
    uint32_t* owners;
    uint32_t* points;
    float directions[DIRECTIONS][3];
    float heading[2]; // along the ground
} maker;

// --- whose a vertex is ---

static int32_t owner_of(const maker* m, const limber_mesh* mesh, uint32_t u) {
    const uint32_t* joints = m->model->skins[mesh->skin].joints;
    uint32_t from = mesh->influence_first[u];
    uint32_t to = mesh->influence_first[u + 1];
    for (uint32_t i = from; i < to; i++) {
        uint32_t joint = m->s->fused[joints[mesh->influence_joint[i]]];
        float sum = 0;
        for (uint32_t k = from; k < to; k++)
            sum += m->s->fused[joints[mesh->influence_joint[k]]] == joint ? mesh->influence_weight[k] : 0;
        if (sum >= bound)
            return (int32_t)joint;
    }
    return -1;
}

// Vertices that triangles use; other programs drop those whose triangles are lines.
static void find_usable(maker* m, const limber_mesh* mesh) {
    for (size_t t = 0; !mesh->scenery && t < mesh->triangle_count; t++) {
        const uint32_t* v = mesh->triangles + 3 * t;
        for (int i = 0; v[0] != v[1] && v[1] != v[2] && v[2] != v[0] && i < 3; i++)
            m->usable[mesh->first_vertex + v[i]] = 1;
    }
}

static void find_owners(maker* m) {
    for (uint32_t i = 0; i < m->model->mesh_count; i++) {
        const limber_mesh* mesh = &m->model->meshes[i];
        find_usable(m, mesh);
        limber_mesh_rest_positions(m->model, mesh, m->rest + 3 * (size_t)mesh->first_vertex);
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            uint32_t v = mesh->first_vertex + u;
            m->owner_of_vertex[v] = m->usable[v] ? owner_of(m, mesh, u) : -1;
        }
    }
}

static void sort_by_owner(maker* m) {
    uint32_t joints = m->model->rig.joint_count;
    for (uint32_t v = 0; v < m->model->vertex_count; v++)
        if (m->owner_of_vertex[v] >= 0)
            m->start[m->owner_of_vertex[v] + 1]++;
    for (uint32_t j = 0; j < joints; j++)
        m->start[j + 1] += m->start[j];
    for (uint32_t v = m->model->vertex_count; v-- > 0;)
        if (m->owner_of_vertex[v] >= 0)
            m->sorted[--m->start[m->owner_of_vertex[v] + 1]] = v;
    // Each entry now is the start of its own joint, one place to the right.
    memmove(m->start, m->start + 1, joints * sizeof *m->start);
    m->start[joints] = 0;
    for (uint32_t v = 0; v < m->model->vertex_count; v++)
        m->start[joints] += m->owner_of_vertex[v] >= 0;
}

static void find_scale(maker* m) {
    double sum = 0;
    double low = INFINITY;
    double count = 0;
    for (uint32_t v = 0; v < m->model->vertex_count; v++)
        if (m->usable[v]) {
            double y = (double)m->rest[3 * (size_t)v + 1];
            sum += y;
            count++;
            low = fmin(low, y);
        }
    double size = (double)m->model->size;
    double scale = count > 0 ? of_middle * (sum / count - low) : 0;
    m->s->scale = fmin(fmax(scale, min_scale * size), max_scale * size);
}

// --- the points of a joint ---

// Evenly over the sphere, by the golden angle; and along the axes, so that what stands upright stands exactly.
static void make_directions(maker* m) {
    for (int i = 0; i < 6; i++)
        m->directions[AROUND + i][i / 2] = i % 2 ? -1 : 1;
    for (int i = 0; i < AROUND; i++) {
        double z = 1 - 2 * (i + 0.5) / AROUND;
        double turn = LIMBERI_PI * (1 + sqrt(5)) * (i + 0.5);
        double r = sqrt(1 - z * z);
        m->directions[i][0] = (float)(r * cos(turn));
        m->directions[i][1] = (float)z;
        m->directions[i][2] = (float)(r * sin(turn));
    }
}

// Where an axis of the meshes points along the ground in the rest pose, summed over the vertices.
static void add_headings(const maker* m, const limber_mesh* mesh, int axis, double* level) {
    const limber_skin* skin = &m->model->skins[mesh->skin];
    for (uint32_t k = 0; k < mesh->influence_first[mesh->vertex_count]; k++) {
        uint32_t slot = mesh->influence_joint[k];
        const float* world = m->model->rig.world_from_joint_rest[skin->joints[slot]].m;
        const float* way = skin->joint_from_mesh[slot].m + 4 * (size_t)axis;
        float x = world[0] * way[0] + world[4] * way[1] + world[8] * way[2];
        float z = world[2] * way[0] + world[6] * way[1] + world[10] * way[2];
        level[0] += (double)(mesh->influence_weight[k] * x);
        level[1] += (double)(mesh->influence_weight[k] * z);
    }
}

// A unit vector along the ground that turns with the world, whatever axes the joints have.
static void find_heading(maker* m) {
    double longest = 0;
    m->heading[0] = 1;
    for (int axis = 0; axis < 3; axis++) {
        double level[2] = {0, 0};
        for (uint32_t i = 0; i < m->model->mesh_count; i++)
            add_headings(m, &m->model->meshes[i], axis, level);
        double length = sqrt(level[0] * level[0] + level[1] * level[1]);
        if (length > 1.01 * longest) {
            longest = length;
            m->heading[0] = (float)(level[0] / length);
            m->heading[1] = (float)(level[1] / length);
        }
    }
}

// Four directions at a time: x, y and z of each four, one after the other.
static void turn_directions(const maker* m, float* turned) {
    const float* heading = m->heading;
    for (int d = 0; d < DIRECTIONS; d++) {
        const float* n = m->directions[d];
        float* to = turned + 12 * (d / 4) + d % 4;
        to[0] = heading[0] * n[0] - heading[1] * n[2];
        to[4] = n[1];
        to[8] = heading[1] * n[0] + heading[0] * n[2];
    }
}

// `best`: for each direction the vertex that is farthest out. There is at least one.
static void find_extremes(const maker* m, uint32_t from, uint32_t to, uint32_t* best) {
    enum { FOURS = (DIRECTIONS + 3) / 4 };
    float turned[12 * FOURS] = {0};
    limberi_lanes max[FOURS];
    limberi_mask found[FOURS];
    limberi_lanes tie = limberi_lanes_all(ties * (float)m->s->scale);
    turn_directions(m, turned);
    for (int d = 0; d < FOURS; d++) {
        max[d] = limberi_lanes_all(-INFINITY);
        found[d] = (limberi_mask){0} + (int32_t)m->sorted[from];
    }
    for (uint32_t i = from; i < to; i++) {
        const float* p = m->rest + 3 * (size_t)m->sorted[i];
        limberi_mask here = (limberi_mask){0} + (int32_t)m->sorted[i];
        for (int d = 0; d < FOURS; d++) {
            const float* n = turned + 12 * d;
            limberi_lanes along =
                p[0] * limberi_lanes_load(n) + p[1] * limberi_lanes_load(n + 4) + p[2] * limberi_lanes_load(n + 8);
            limberi_mask more = limberi_lanes_less(max[d] + tie, along);
            max[d] = limberi_lanes_select(more, along, max[d]);
            found[d] = (more & here) | (~more & found[d]);
        }
    }
    for (int d = 0; d < DIRECTIONS; d++)
        best[d] = (uint32_t)found[d / 4][d % 4];
}

// Whether a point of the joint is so near that this one would say nothing new.
static bool is_crowded(const maker* m, uint32_t first, uint32_t vertex) {
    float min = apart * (float)m->s->scale;
    limber_vec3 here = limberi_load3(m->rest + 3 * (size_t)vertex);
    for (uint32_t i = first; i < m->s->point_count; i++) {
        limber_vec3 away = limberi_sub(limberi_load3(m->rest + 3 * (size_t)m->points[i]), here);
        if (limberi_dot(away, away) < min * min)
            return true;
    }
    return false;
}

static void pick_points(maker* m, uint32_t joint) {
    uint32_t best[DIRECTIONS];
    uint32_t before = m->s->point_count;
    find_extremes(m, m->start[joint], m->start[joint + 1], best);
    for (int d = DIRECTIONS; d-- > 0;) // straight down and the other axes first
        if (m->usable[best[d]] && !is_crowded(m, before, best[d])) {
            m->usable[best[d]] = 0;
            m->points[m->s->point_count++] = best[d];
        }
    if (m->s->point_count == before)
        return;
    m->owners[m->s->owner_count] = joint;
    m->first[m->s->owner_count++] = before;
    m->first[m->s->owner_count] = m->s->point_count;
}

// --- what moves them ---

static limber_result bind_points(maker* m) {
    limberi_support* s = m->s;
    const limber_model* model = m->model;
    uint32_t total = 0;
    uint32_t* first = LIMBERI_ALLOCATE(&s->arena, uint32_t, (size_t)s->point_count + 1);
    float* positions = LIMBERI_ALLOCATE(&s->arena, float, 3 * (size_t)s->point_count);
    if (s->arena.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < s->point_count; i++) {
        const limber_mesh* mesh = limberi_mesh_of_vertex(model, m->points[i]);
        uint32_t u = m->points[i] - mesh->first_vertex;
        memcpy(positions + 3 * (size_t)i, mesh->positions + 3 * (size_t)u, 3 * sizeof *positions);
        total += mesh->influence_first[u + 1] - mesh->influence_first[u];
        first[i + 1] = total;
    }
    uint32_t* slots = LIMBERI_ALLOCATE(&s->arena, uint32_t, total);
    float* weights = LIMBERI_ALLOCATE(&s->arena, float, total);
    if (s->arena.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < s->point_count; i++) {
        const limber_mesh* mesh = limberi_mesh_of_vertex(model, m->points[i]);
        uint32_t from = mesh->influence_first[m->points[i] - mesh->first_vertex];
        for (uint32_t k = first[i]; k < first[i + 1]; k++) {
            slots[k] = s->first_palette[mesh->skin] + mesh->influence_joint[from + k - first[i]];
            weights[k] = mesh->influence_weight[from + k - first[i]];
        }
    }
    s->influence_first = first;
    s->positions = positions;
    s->influence_slot = slots;
    s->influence_weight = weights;
    return LIMBER_OK;
}

static bool weigh(maker* m) {
    limberi_support* s = m->s;
    double* mass = LIMBERI_ALLOCATE(&s->arena, double, 4 * (size_t)s->palette_count);
    double count = 0;
    if (!mass)
        return false;
    for (uint32_t i = 0; i < m->model->mesh_count; i++)
        count += m->model->meshes[i].scenery ? 0 : m->model->meshes[i].vertex_count;
    for (const limber_mesh* mesh = m->model->meshes; mesh < m->model->meshes + m->model->mesh_count; mesh++)
        for (uint32_t u = 0; !mesh->scenery && u < mesh->vertex_count; u++)
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
                double* at = mass + 4 * ((size_t)s->first_palette[mesh->skin] + mesh->influence_joint[i]);
                double w = 1 / count * (double)mesh->influence_weight[i];
                at[3] += w;
                for (size_t c = 0; c < 3; c++)
                    at[c] += w * (double)mesh->positions[3 * (size_t)u + c];
            }
    s->mass = mass;
    return true;
}

// A sphere around the points of an owner.
static void surround(const maker* m, uint32_t owner, limber_vec3* middle, float* radius) {
    const limberi_support* s = m->s;
    limber_vec3 low = limberi_vec3(INFINITY, INFINITY, INFINITY);
    limber_vec3 high = limberi_scale(low, -1);
    for (uint32_t i = s->first[owner]; i < s->first[owner + 1]; i++) {
        limber_vec3 p = limberi_load3(m->rest + 3 * (size_t)s->vertices[i]);
        low = limberi_vec3(fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z));
        high = limberi_vec3(fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z));
    }
    limber_vec3 center = limberi_lerp(low, high, 0.5f);
    limber_vec3 away;
    const limber_mat4* joint = &m->model->rig.world_from_joint_rest[s->owners[owner]];
    away = limberi_sub(center, limberi_mat4_translation(joint));
    *radius = 0.5f * limberi_distance(high, low);
    float* out[3] = {&middle->x, &middle->y, &middle->z};
    for (int c = 0; c < 3; c++) { // joints have hardly any shear: the inverse by columns is near enough
        limber_vec3 axis = limberi_mat4_column(joint, c);
        float square = limberi_dot(axis, axis);
        *out[c] = square > 0 ? limberi_dot(axis, away) / square : 0;
    }
}

static bool surround_all(maker* m) {
    limberi_support* s = m->s;
    limber_vec3* middle = LIMBERI_ALLOCATE(&s->arena, limber_vec3, s->owner_count);
    float* radius = LIMBERI_ALLOCATE(&s->arena, float, s->owner_count);
    for (uint32_t i = 0; middle && radius && i < s->owner_count; i++)
        surround(m, i, &middle[i], &radius[i]);
    s->middle = middle;
    s->radius = radius;
    return middle && radius;
}

// --- all of it ---

static bool count_palettes(limberi_support* s) {
    uint32_t* first = LIMBERI_ALLOCATE(&s->arena, uint32_t, (size_t)s->model->skin_count + 1);
    for (uint32_t i = 0; first && i < s->model->skin_count; i++)
        first[i + 1] = first[i] + s->model->skins[i].joint_count;
    s->first_palette = first;
    s->palette_count = first ? first[s->model->skin_count] : 0;
    return first != NULL;
}

static bool fuse(maker* m, limberi_arena* scratch) {
    uint32_t joints = m->model->rig.joint_count;
    uint8_t* moving = LIMBERI_ALLOCATE(scratch, uint8_t, joints);
    uint32_t* fused = LIMBERI_ALLOCATE(&m->s->arena, uint32_t, joints);
    if (!moving || !fused)
        return false;
    limberi_find_moving(m->model, moving);
    limberi_fuse_still(m->model, moving, fused);
    m->s->fused = fused;
    return true;
}

static bool allocate_memory(maker* m, limberi_arena* scratch) {
    size_t vertices = m->model->vertex_count;
    size_t joints = m->model->rig.joint_count;
    m->rest = LIMBERI_ALLOCATE(scratch, float, 3 * vertices);
    m->owner_of_vertex = LIMBERI_ALLOCATE(scratch, int32_t, vertices);
    m->sorted = LIMBERI_ALLOCATE(scratch, uint32_t, vertices);
    m->usable = LIMBERI_ALLOCATE(scratch, uint8_t, vertices);
    m->start = LIMBERI_ALLOCATE(scratch, uint32_t, joints + 2);
    m->points = LIMBERI_ALLOCATE(&m->s->arena, uint32_t, vertices);
    m->owners = LIMBERI_ALLOCATE(&m->s->arena, uint32_t, joints);
    m->first = LIMBERI_ALLOCATE(&m->s->arena, uint32_t, joints + 1);
    m->s->vertices = m->points;
    m->s->owners = m->owners;
    m->s->first = m->first;
    return !scratch->failed && !m->s->arena.failed;
}

static limber_result make_support(limberi_support* s, const limber_model* model) {
    maker m;
    limberi_arena scratch = {NULL, false};
    memset(&m, 0, sizeof m);
    m.s = s;
    m.model = s->model = model;
    limber_result result = LIMBER_ERROR_MEMORY;
    if (allocate_memory(&m, &scratch) && fuse(&m, &scratch) && count_palettes(s)) {
        make_directions(&m);
        find_heading(&m);
        find_owners(&m);
        find_scale(&m);
        sort_by_owner(&m);
        for (uint32_t j = 0; j < model->rig.joint_count; j++)
            if (m.start[j + 1] > m.start[j])
                pick_points(&m, j);
        result = surround_all(&m) && weigh(&m) ? bind_points(&m) : LIMBER_ERROR_MEMORY;
    }
    limberi_arena_free(&scratch);
    return result;
}

static void destroy(limberi_support* support) {
    limberi_arena_free(&support->arena);
    limberi_release(support);
}

static void destroy_item(limberi_derived_item* item) {
    destroy((limberi_support*)(void*)item);
}

const limberi_support* limberi_asset_support(const limber_asset* asset) {
    limberi_derived* slot = limberi_asset_derived(asset, LIMBERI_DERIVED_SUPPORTS);
    limberi_derived_item* known = atomic_load(&slot->item);
    if (known)
        return (limberi_support*)(void*)known;
    limberi_support* made = limberi_allocate_zeroed(1, sizeof *made);
    if (made && make_support(made, limber_asset_model(asset))) {
        destroy(made);
        made = NULL;
    }
    if (!made)
        return NULL;
    made->item.destroy = destroy_item;
    return (limberi_support*)(void*)limberi_derived_keep(slot, &made->item);
}

void limberi_support_places(const limberi_support* s, const limber_mat4* palettes, uint32_t first, uint32_t count,
                            float* places) {
    uint32_t i = s->influence_first[first];
    const float* p = s->positions + 3 * (size_t)first;
    for (uint32_t point = first; point < first + count; point++, p += 3, places += 3) {
        const uint32_t end = s->influence_first[point + 1];
        limberi_lanes sum = limberi_lanes_all(0);
        for (; i < end; i++) {
            const float* m = palettes[s->influence_slot[i]].m;
            limberi_lanes at = limberi_lanes_load(m) * p[0] + limberi_lanes_load(m + 4) * p[1] +
                               limberi_lanes_load(m + 8) * p[2] + limberi_lanes_load(m + 12);
            sum += s->influence_weight[i] * at;
        }
        places[0] = sum[0];
        places[1] = sum[1];
        places[2] = sum[2];
    }
}

void limberi_support_palettes(const limberi_support* s, const limber_pose* pose, limber_mat4* palettes) {
    for (uint32_t i = 0; i < s->model->skin_count; i++) {
        const limber_skin* skin = &s->model->skins[i];
        for (uint32_t k = 0; k < skin->joint_count; k++)
            palettes[s->first_palette[i] + k] =
                limberi_mat4_mul(&pose->world_from_joint[skin->joints[k]], &skin->joint_from_mesh[k]);
    }
}

void limberi_support_body(const limberi_support* s, uint32_t skin, const limber_mat4* palette, double* middle) {
    for (uint32_t i = 0; i < s->model->skins[skin].joint_count; i++) {
        const double* m = s->mass + 4 * ((size_t)s->first_palette[skin] + i);
        for (int r = 0; m[3] > 0 && r < 3; r++)
            middle[r] += (double)palette[i].m[r] * m[0] + (double)palette[i].m[4 + r] * m[1] +
                         (double)palette[i].m[8 + r] * m[2] + (double)palette[i].m[12 + r] * m[3];
    }
}

void limberi_support_shares(const limberi_support* s, double* shares) {
    memset(shares, 0, s->owner_count * sizeof *shares);
    for (uint32_t k = 0; k < s->model->skin_count; k++)
        for (uint32_t i = 0; i < s->model->skins[k].joint_count; i++)
            for (uint32_t o = 0; o < s->owner_count; o++)
                if (s->owners[o] == s->fused[s->model->skins[k].joints[i]])
                    shares[o] += s->mass[4 * ((size_t)s->first_palette[k] + i) + 3];
}
