// Islands: pieces of the welded surface that triangles connect. One is rigid when its weights say so: props are bound
// to one joint as a whole, skin is not.
#include "rigid/islands.h"
#include "asset/asset.h"
#include "base/math.h"

#include <string.h>

// S11, but for `still_island`.
static const double same_weights = 0.02;  // sum over the joints of how far a vertex may be from the island's mean
static const float bound = 0.95f;         // weight of a vertex that hangs on one joint ...
static const double bound_share = 0.8;    // ... and how many vertices of an island must, so that its edge may blend
static const float loose = 0.5f;          // weight of a vertex that is skin
static const double robot_share = 0.8;    // of the surface: where that much is rigid, small soft islands are carried
static const float small_island = 0.5f;   // in L
static const float longest_spike = 0.4f;  // in L
static const double slender_spike = 0.25; // second extent over the first ...
static const double round_spike = 0.6;    // ... and third over the second: no hair, no strap
static const double spike_weights = 0.6;  // as same_weights: two joints may share it, but not half and half
static const float still_island = 0.2f;   // in L: a glove whose fingers no clip moves is one piece; a ponytail is not

// Joints that bend skin are not fused even where they are still: another clip may move them.
static void mark_bending(const limberi_islands* s, uint8_t* moving) {
    const limber_model* model = s->model;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        uint32_t count = mesh->vertex_count ? mesh->influence_first[mesh->vertex_count] : 0;
        for (uint32_t i = 0; i < count; i++) {
            float w = mesh->influence_weight[i];
            if (w > (float)same_weights && w < 1 - (float)same_weights)
                moving[model->skins[mesh->skin].joints[mesh->influence_joint[i]]] = 1;
        }
    }
}

// A hat's node below the head, or a slot in a hand, is one with the joint above it.
static bool fuse_joints(limberi_islands* s) {
    const limber_rig* rig = &s->model->rig;
    s->fused = LIMBERI_ALLOCATE(&s->surface.arena, uint32_t, rig->joint_count);
    s->still = LIMBERI_ALLOCATE(&s->surface.arena, uint32_t, rig->joint_count);
    uint8_t* moving = LIMBERI_ALLOCATE(&s->surface.arena, uint8_t, rig->joint_count);
    if (!s->fused || !s->still || !moving)
        return false;
    limberi_find_moving(s->model, moving);
    limberi_fuse_still(s->model, moving, s->still);
    mark_bending(s, moving);
    limberi_fuse_still(s->model, moving, s->fused);
    return true;
}

// --- weights ---

// Sum over the joints of how far a vertex is from the mean.
static double distance_from_mean(limberi_islands* s, uint32_t vertex) {
    limberi_influences in = limberi_influences_of(s, vertex);
    double sum = 1;
    for (uint32_t k = 0; k < in.count; k++)
        s->weight[s->fused[in.joints[in.slots[k]]]] += (double)in.weights[k];
    for (uint32_t k = 0; k < in.count; k++) {
        uint32_t joint = s->fused[in.joints[in.slots[k]]];
        if (s->weight[joint] > 0)
            sum += fabs(s->weight[joint] - s->mean[joint]) - s->mean[joint];
        s->weight[joint] = 0;
    }
    return sum;
}

// The lowest joint that nearly all of an island hangs on, with what is below it.
static uint32_t common_joint(limberi_islands* s, const limberi_island* island) {
    const int32_t* parents = s->model->rig.parents;
    limberi_island_mean_weights(s, island, true);
    for (uint32_t j = s->model->rig.joint_count; j-- > 0;) {
        if (s->mean[j] >= (double)bound)
            return j;
        if (parents[j] >= 0)
            s->mean[parents[j]] += s->mean[j];
    }
    return island->joint;
}

// --- islands ---

enum { FREE, UNPAINTED, PAINTED }; // nodes outside painted meshes, and inside

static uint8_t* mark_paint(limberi_islands* s, bool painted) {
    uint8_t* paint = LIMBERI_ALLOCATE(&s->surface.arena, uint8_t, s->surface.node_count);
    for (uint32_t m = 0; painted && paint && m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        const limber_layer* layer = limber_mesh_find_layer(mesh, "rigid");
        for (uint32_t u = 0; layer && u < mesh->vertex_count; u++) {
            uint32_t node = s->surface.node_of_vertex[mesh->first_vertex + u];
            bool more = layer->values[u] > s->hold[node];
            s->hold[node] = more ? layer->values[u] : s->hold[node];
            paint[node] = s->hold[node] > 0 ? PAINTED : UNPAINTED;
        }
    }
    return paint;
}

static void join_nodes(const limberi_surface* surface, const uint8_t* paint, uint32_t* parents, uint8_t* used) {
    for (uint32_t n = 0; n < surface->node_count; n++)
        parents[n] = n;
    for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++) {
        uint32_t m = surface->triangles[i];
        uint32_t n = surface->triangles[i % 3 == 2 ? i - 2 : i + 1];
        used[m] = surface->moves[m];
        if (paint[m] != paint[n])
            continue;
        limberi_join_sets(parents, m, n);
    }
}

static bool number_islands(limberi_islands* s, const uint8_t* paint) {
    uint32_t nodes = s->surface.node_count;
    uint32_t* parents = s->of_node = LIMBERI_ALLOCATE(&s->surface.arena, uint32_t, nodes);
    uint8_t* used = LIMBERI_ALLOCATE(&s->surface.arena, uint8_t, nodes);
    if (!parents || !used)
        return false;
    join_nodes(&s->surface, paint, parents, used);
    for (uint32_t n = 0; n < nodes; n++)
        parents[n] = limberi_root_of(parents, n);
    for (uint32_t n = 0; n < nodes; n++) { // a root comes before all that hang on it
        if (!used[n])
            parents[n] = UINT32_MAX;
        else
            parents[n] = parents[n] == n ? s->count++ : parents[parents[n]];
    }
    return true;
}

static float largest_weight(const limberi_islands* s, uint32_t vertex) {
    limberi_influences in = limberi_influences_of(s, vertex);
    float largest = 0;
    for (uint32_t k = 0; k < in.count; k++)
        largest = fmaxf(largest, in.weights[k]);
    return largest;
}

// Where meshes meet, the vertex that hangs on one joint most speaks for the node, whichever mesh comes first.
static void choose_vertices(limberi_islands* s) {
    float* best = s->hold; // not yet in use
    for (uint32_t u = 0; u < s->surface.vertex_count; u++) {
        uint32_t node = s->surface.node_of_vertex[u];
        float weight = 1 + largest_weight(s, u);
        if (weight > best[node]) {
            best[node] = weight;
            s->vertex_of_node[node] = u;
        }
    }
    memset(best, 0, s->surface.node_count * sizeof *best);
}

static bool list_vertices(limberi_islands* s) {
    uint32_t vertices = s->surface.vertex_count;
    s->islands = LIMBERI_ALLOCATE(&s->surface.arena, limberi_island, (size_t)s->count + 1);
    s->vertices = LIMBERI_ALLOCATE(&s->surface.arena, uint32_t, vertices);
    if (!s->islands || !s->vertices)
        return false;
    for (uint32_t u = 0; u < vertices; u++) {
        uint32_t island = s->of_node[s->surface.node_of_vertex[u]];
        if (island != UINT32_MAX)
            s->islands[island + 1].first++;
    }
    for (uint32_t i = 0; i < s->count; i++)
        s->islands[i + 1].first += s->islands[i].first;
    for (uint32_t u = 0; u < vertices; u++) {
        uint32_t island = s->of_node[s->surface.node_of_vertex[u]];
        if (island != UINT32_MAX)
            s->vertices[s->islands[island].first + s->islands[island].count++] = u;
    }
    return true;
}

static void measure_island(limberi_islands* s, limberi_island* island) {
    const limberi_surface* surface = &s->surface;
    double sum[3] = {0};
    for (uint32_t i = 0; i < island->count; i++) {
        uint32_t u = s->vertices[island->first + i];
        const limber_mesh* mesh = &s->model->meshes[s->mesh_of_vertex[u]];
        limber_vec3 p = surface->positions[surface->node_of_vertex[u]];
        sum[0] += (double)p.x;
        sum[1] += (double)p.y;
        sum[2] += (double)p.z;
        island->area += (double)mesh->areas[u - mesh->first_vertex];
    }
    double n = island->count;
    limber_vec3 middle = limberi_vec3((float)(sum[0] / n), (float)(sum[1] / n), (float)(sum[2] / n));
    island->middle = middle;
    uint32_t run = 0;
    uint32_t longest = 0;
    for (int c = 0; c < 3; c++) {
        island->low[c] = HUGE_VALF;
        island->high[c] = -HUGE_VALF;
    }
    for (uint32_t i = 0; i < island->count; i++) { // vertices of a mesh follow each other
        uint32_t u = s->vertices[island->first + i];
        uint32_t mesh = s->mesh_of_vertex[u];
        run = i && mesh == s->mesh_of_vertex[s->vertices[island->first + i - 1]] ? run + 1 : 1;
        if (run > longest) {
            longest = run;
            island->mesh = mesh;
        }
        limber_vec3 away = limberi_sub(surface->positions[surface->node_of_vertex[u]], middle);
        island->extent = fmaxf(island->extent, 2 * limberi_length(away));
        limber_vec3 p = surface->positions[surface->node_of_vertex[u]];
        const float at[3] = {p.x, p.y, p.z};
        for (int c = 0; c < 3; c++) {
            island->low[c] = fminf(island->low[c], at[c]);
            island->high[c] = fmaxf(island->high[c], at[c]);
        }
    }
}

// --- which are rigid ---

// Whether no clip moves any of its joints against the others.
static bool is_still(const limberi_islands* s, const limberi_island* island, uint32_t joint) {
    for (uint32_t i = 0; i < island->count; i++) {
        limberi_influences in = limberi_influences_of(s, s->vertices[island->first + i]);
        float sum = 0;
        for (uint32_t k = 0; k < in.count; k++)
            sum += s->still[in.joints[in.slots[k]]] == joint ? in.weights[k] : 0;
        if (!(sum >= 1 - (float)same_weights))
            return false;
    }
    return true;
}

static bool is_spike(const limberi_islands* s, const limberi_island* island, double farthest) {
    double extents[3], axis[3];
    if (farthest > spike_weights || island->extent > longest_spike)
        return false;
    limberi_island_measure(s, s->vertices + island->first, island->count, extents, axis);
    return extents[1] <= slender_spike * extents[0] && extents[2] >= round_spike * extents[1];
}

static void classify(limberi_islands* s, limberi_island* island) {
    uint32_t on = 0;
    float min = 1;
    double farthest = 0;
    island->named_joint = limberi_island_mean_weights(s, island, false);
    island->joint = limberi_island_mean_weights(s, island, true);
    for (uint32_t i = 0; i < island->count; i++) {
        uint32_t u = s->vertices[island->first + i];
        float weight = limberi_island_weight(s, u, island->joint);
        on += weight >= bound;
        min = fminf(min, weight);
        farthest = fmax(farthest, distance_from_mean(s, u));
    }
    if (farthest <= same_weights)
        island->kind = min >= 0.99f ? LIMBERI_ISLAND_WHOLE : LIMBERI_ISLAND_BLENDED;
    else if (on >= bound_share * island->count)
        island->kind = LIMBERI_ISLAND_EDGED;
    else if (island->extent < still_island && is_still(s, island, s->still[island->joint])) {
        island->kind = LIMBERI_ISLAND_WHOLE;
        island->joint = s->still[island->joint];
    } else if (is_spike(s, island, farthest))
        island->kind = LIMBERI_ISLAND_SPIKE;
}

static bool is_painted(const limberi_islands* s, const limberi_island* island, const uint8_t* paint, uint8_t as) {
    return paint[s->surface.node_of_vertex[s->vertices[island->first]]] == as;
}

// Vertices at one place hold together as much as the loosest of them.
static void set_holds(limberi_islands* s, const limberi_island* island) {
    const uint32_t* node_of_vertex = s->surface.node_of_vertex;
    for (uint32_t i = 0; i < island->count && island->kind != LIMBERI_ISLAND_PAINTED; i++)
        s->hold[node_of_vertex[s->vertices[island->first + i]]] = island->kind == LIMBERI_ISLAND_SOFT ? 0 : 1;
    for (uint32_t i = 0; i < island->count && island->kind == LIMBERI_ISLAND_EDGED; i++) {
        uint32_t u = s->vertices[island->first + i];
        double weight = (double)limberi_island_weight(s, u, island->joint);
        float hold = (float)limberi_smooth_step((double)loose, (double)bound, weight);
        s->hold[node_of_vertex[u]] = fminf(s->hold[node_of_vertex[u]], hold);
    }
}

bool limberi_island_matches(const limber_model* model, const limberi_island* island, const char* pattern) {
    const limber_mesh* mesh = &model->meshes[island->mesh];
    return limberi_name_matches(mesh->name, pattern) || limberi_name_matches(mesh->node_name, pattern) ||
           limberi_joint_matches(&model->rig, island->named_joint, pattern);
}

// A mesh under its own node is named after the joint above that node.
static void name_joint(const limber_model* model, limberi_island* island) {
    const limber_rig* rig = &model->rig;
    int32_t parent = rig->parents[island->named_joint];
    const char* joint = rig->names[island->named_joint];
    const limber_mesh* mesh = &model->meshes[island->mesh];
    if (parent >= 0 && (strcmp(joint, mesh->node_name) == 0 || strcmp(joint, mesh->name) == 0))
        island->named_joint = (uint32_t)parent;
}

static bool is_chosen(const limber_model* model, const limber_rigid_settings* settings, const limberi_island* island) {
    bool chosen = !settings || !settings->only_count;
    for (uint32_t i = 0; settings && i < settings->only_count; i++)
        chosen = chosen || limberi_island_matches(model, island, settings->only[i]);
    for (uint32_t i = 0; settings && i < settings->except_count; i++)
        chosen = chosen && !limberi_island_matches(model, island, settings->except[i]);
    return chosen;
}

static int8_t asked_class(const limber_model* model, const limber_rigid_settings* settings,
                          const limberi_island* island) {
    if (!settings)
        return -1;
    const uint32_t counts[3] = {settings->mass_count, settings->prop_count, settings->appendage_count};
    const char* const* const names[3] = {settings->mass, settings->prop, settings->appendage};
    for (int8_t k = 0; k < 3; k++)
        for (uint32_t i = 0; i < counts[k]; i++)
            if (limberi_island_matches(model, island, names[k][i]))
                return k;
    return -1;
}

// Whether the character is made of rigid parts, apart from its props.
static bool is_robot(const limberi_islands* s) {
    double rigid = 0;
    double all = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const limberi_island* island = &s->islands[i];
        bool soft = island->kind == LIMBERI_ISLAND_SOFT || limberi_island_is_spike(s, i);
        rigid += !soft && !island->prop ? island->area : 0;
        all += island->prop ? 0 : island->area;
    }
    return all > 0 && rigid >= robot_share * all;
}

static bool decide(limberi_islands* s, const limber_rigid_settings* settings, const uint8_t* paint) {
    for (uint32_t i = 0; i < s->count; i++) {
        limberi_island* island = &s->islands[i];
        measure_island(s, island);
        classify(s, island);
        if (is_painted(s, island, paint, PAINTED))
            island->kind = LIMBERI_ISLAND_PAINTED;
        else if (is_painted(s, island, paint, UNPAINTED))
            island->kind = LIMBERI_ISLAND_SOFT;
        name_joint(s->model, island);
        island->asked = asked_class(s->model, settings, island);
        island->on = island->host = UINT32_MAX;
    }
    if (!limberi_islands_find_props(s))
        return false;
    bool robot = is_robot(s);
    for (uint32_t i = 0; i < s->count; i++) {
        limberi_island* island = &s->islands[i];
        bool small = island->extent < small_island && !is_painted(s, island, paint, UNPAINTED);
        if (island->kind == LIMBERI_ISLAND_SOFT && small && robot) {
            island->kind = LIMBERI_ISLAND_CARRIED;
            island->joint = island->named_joint = common_joint(s, island);
            name_joint(s->model, island);
        }
        if (!is_chosen(s->model, settings, island))
            island->kind = LIMBERI_ISLAND_SOFT;
        set_holds(s, island);
    }
    return limberi_islands_find_appendages(s) == LIMBER_OK;
}

limber_result limberi_islands_find(const limber_model* model, const limber_rigid_settings* settings, bool painted,
                                   limberi_islands* s) {
    memset(s, 0, sizeof *s);
    s->model = model;
    if (limberi_surface_create(model, &s->surface))
        return LIMBER_ERROR_MEMORY;
    limberi_arena* arena = &s->surface.arena;
    s->vertex_of_node = LIMBERI_ALLOCATE(arena, uint32_t, s->surface.node_count);
    s->mesh_of_vertex = LIMBERI_ALLOCATE(arena, uint32_t, s->surface.vertex_count);
    s->hold = LIMBERI_ALLOCATE(arena, float, s->surface.node_count);
    s->mean = LIMBERI_ALLOCATE(arena, double, (size_t)model->rig.joint_count + 1);
    s->weight = LIMBERI_ALLOCATE(arena, double, (size_t)model->rig.joint_count + 1);
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        for (uint32_t u = 0; u < model->meshes[m].vertex_count; u++)
            s->mesh_of_vertex[model->meshes[m].first_vertex + u] = m;
    choose_vertices(s);
    const uint8_t* paint = mark_paint(s, painted);
    if (!paint || !fuse_joints(s) || !number_islands(s, paint) || !list_vertices(s) || !limberi_islands_find_limbs(s))
        return LIMBER_ERROR_MEMORY;
    return decide(s, settings, paint) ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

void limberi_islands_destroy(limberi_islands* s) {
    limberi_surface_destroy(&s->surface);
}
