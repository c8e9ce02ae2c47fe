// Which parts of a character are loose: chains of joints that no clip moves, on a joint in the middle of the body (fingers
// hang on a hand), thin in at least one direction (a jaw is not), neither too small nor too large (a leg), with one tip (a
// joint for both horns has two).
#include "deform/loose_parts.h"

#include "asset/asset.h"
#include "asset/body.h"
#include "base/math.h"
#include "base/symmetric.h"

#include <string.h>

static const double min_length = 0.06;   // in L
static const double max_area = 0.12;     // of the skin
static const float beside = 0.04f;       // in L, from the plane between the two halves of the body
static const double floor_near = 0.03;   // in L: what comes in pairs and reaches down to here is a leg
static const double thin = 0.4;          // third extent over the first
static const double slender = 0.5;       // second over the first, of a part with a single joint
static const float own_weight = 0.5f;    // of a vertex, on joints of the part
static const double tip_share = 0.8;     // of the length: what is farther than this from the joint is the tip
static const double one_tip = 0.7;       // of the length: nearer to the joint is the mean of several tips
static const float way_limit = 0.9f;     // of the length: the tip does not turn over
static const float along_limit = 0.55f;  // of the length, along the part
static const float along_soft = 0.25f;   // the same: what is pushed towards its joint gives way to the outside
static const float give_way = 0.5f;      // by this much of it
static const float inward_share = 0.25f; // of a swing into what carries it
static const float inward_soft = 0.05f;  // of the length

// --- which joints ---

// [joint] paired: it is one of two, or beside the middle of the body.
static void mark_middle(const limber_model* model, uint32_t* below, uint8_t* paired) {
    limber_vec3 point, normal;
    limberi_body_pairs(model, below, paired);
    bool known = limberi_body_middle(model, below, paired, &point, &normal);
    for (uint32_t j = 0; known && j < model->rig.joint_count; j++) {
        limber_vec3 from = limberi_mat4_translation(&model->rig.world_from_joint_rest[j]);
        if (fabsf(limberi_dot(limberi_sub(from, point), normal)) > beside * model->size)
            paired[j] = 1;
    }
}

// Whether anything still hangs on something that moves.
static bool any_still(const limber_rig* rig, const uint8_t* moved) {
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (!moved[j] && rig->hangs_on[j] >= 0 && moved[rig->hangs_on[j]])
            return true;
    return false;
}

// Roots of the chains that may be loose: of_joint[joint] is the root that it belongs to, -1: none.
static void find_roots(const limber_model* model, const uint8_t* moved, const uint8_t* paired, int32_t* of_joint) {
    const limber_rig* rig = &model->rig;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        int32_t carrier = rig->hangs_on[j];
        of_joint[j] = -1;
        if (carrier < 0 || moved[j])
            continue;
        if (of_joint[carrier] >= 0)
            of_joint[j] = of_joint[carrier];
        else if (moved[carrier] && !paired[carrier])
            of_joint[j] = (int32_t)j;
    }
}

// --- their skin ---

typedef struct part_sums {
    uint32_t joint_count;
    double count;
    double area, mean[3], square[9]; // of its skin, by area: meshes of all densities have the same
    double farthest;                 // from the joint
    double lowest;
    double tip_count, tip[3];
} part_sums;

typedef struct part_search {
    const limber_model* model;
    const uint8_t* paired;  // [joint]
    const int32_t* root_of; // [joint]
    part_sums* sums;        // [joint] of the part that begins there
    double (*own)[4];       // [joint] places and number of the vertices that mostly hang on it
    double lowest, area;    // of all skin
    float* rest;            // [3 * vertex] of a mesh
} part_search;

static limber_vec3 place_of(const limber_model* model, uint32_t joint) {
    return limberi_mat4_translation(&model->rig.world_from_joint_rest[joint]);
}

// The root of most of the vertex, or -1. `main`: the joint with the largest weight.
static int32_t root_of_vertex(const part_search* s, const limber_mesh* mesh, uint32_t vertex, uint32_t* main) {
    const uint32_t* joints = s->model->skins[mesh->skin].joints;
    float largest = 0;
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++)
        if (mesh->influence_weight[i] > largest) {
            largest = mesh->influence_weight[i];
            *main = joints[mesh->influence_joint[i]];
        }
    int32_t root = largest > 0 ? s->root_of[*main] : -1;
    float sum = 0;
    for (uint32_t i = mesh->influence_first[vertex]; root >= 0 && i < mesh->influence_first[vertex + 1]; i++)
        sum += s->root_of[joints[mesh->influence_joint[i]]] == root ? mesh->influence_weight[i] : 0;
    return sum >= own_weight ? root : -1;
}

static void add_vertex(part_sums* sums, limber_vec3 joint, const float* place, double area) {
    double away = (double)limberi_distance(limberi_load3(place), joint);
    sums->count++;
    sums->area += area;
    sums->farthest = away > sums->farthest ? away : sums->farthest;
    sums->lowest = sums->count > 1 && sums->lowest < (double)place[1] ? sums->lowest : (double)place[1];
    for (int i = 0; i < 3; i++)
        sums->mean[i] += area * (double)place[i];
    for (int i = 0; i < 9; i++)
        sums->square[i] += area * (double)place[i / 3] * (double)place[i % 3];
}

static void add_tip(part_sums* sums, limber_vec3 joint, const float* place) {
    if ((double)limberi_distance(limberi_load3(place), joint) < tip_share * sums->farthest)
        return;
    sums->tip_count++;
    for (int i = 0; i < 3; i++)
        sums->tip[i] += (double)place[i];
}

static void see_mesh(part_search* s, const limber_mesh* mesh, bool tips) {
    limber_mesh_rest_positions(s->model, mesh, s->rest);
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        uint32_t main = 0;
        int32_t root = root_of_vertex(s, mesh, u, &main);
        const float* place = s->rest + 3 * (size_t)u;
        if (root >= 0 && tips)
            add_tip(&s->sums[root], place_of(s->model, (uint32_t)root), place);
        if (tips)
            continue;
        s->area += (double)mesh->areas[u];
        s->lowest = s->lowest < (double)place[1] ? s->lowest : (double)place[1];
        if (root >= 0)
            add_vertex(&s->sums[root], place_of(s->model, (uint32_t)root), place, (double)mesh->areas[u]);
        s->own[main][3]++;
        for (int i = 0; i < 3; i++)
            s->own[main][i] += (double)place[i];
    }
}

// --- what they are like ---

static bool is_leg(const part_search* s, uint32_t root) {
    return s->paired[root] && s->sums[root].lowest < s->lowest + floor_near * (double)s->model->size;
}

static bool is_loose(const part_search* s, uint32_t root) {
    const part_sums* sums = &s->sums[root];
    double spread[9], extents[3];
    if (sums->count < 4 || !(sums->area > 0) || !(s->own[s->model->rig.hangs_on[root]][3] > 0) ||
        sums->farthest < min_length * (double)s->model->size || sums->area > max_area * s->area || is_leg(s, root))
        return false;
    for (int i = 0; i < 9; i++)
        spread[i] = sums->square[i] / sums->area - sums->mean[i / 3] * sums->mean[i % 3] / (sums->area * sums->area);
    limberi_eigen_small(spread, 3, extents);
    for (int i = 0; i < 3; i++)
        extents[i] = sqrt(fmax(extents[i], 0));
    return extents[2] <= thin * extents[0] && (sums->joint_count > 1 || extents[1] <= slender * extents[0]);
}

static limberi_loose_part part_of(const part_search* s, uint32_t root) {
    const part_sums* sums = &s->sums[root];
    const double* carrier = s->own[s->model->rig.hangs_on[root]];
    limber_mat4 inverse;
    if (!limberi_mat4_inverse(&s->model->rig.world_from_joint_rest[root], &inverse))
        return (limberi_loose_part){root, 0, {0, 0, 0}, {0, 0, 0}};
    float tip[3], inward[3];
    for (int i = 0; i < 3; i++) {
        tip[i] = (float)(sums->tip[i] / sums->tip_count);
        inward[i] = (float)(carrier[i] / carrier[3] - sums->mean[i] / sums->area);
    }
    limber_vec3 way = limberi_sub(limberi_load3(tip), place_of(s->model, root));
    limberi_loose_part part = {root, limberi_length(way), limberi_mat4_vector(&inverse, way),
                               limberi_mat4_vector(&inverse, limberi_normalize(limberi_load3(inward)))};
    return part;
}

static void list_parts(part_search* s, limberi_loose_parts* loose) {
    for (int tips = 0; tips < 2; tips++)
        for (uint32_t m = 0; m < s->model->mesh_count; m++)
            if (!s->model->meshes[m].scenery)
                see_mesh(s, &s->model->meshes[m], tips);
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++) {
        if (s->root_of[j] != (int32_t)j || !is_loose(s, j))
            continue;
        limberi_loose_part part = part_of(s, j);
        if ((double)part.length > one_tip * s->sums[j].farthest) {
            loose->of_joint[j] = (int32_t)loose->count;
            loose->parts[loose->count++] = part;
        }
    }
}

bool limberi_loose_parts_find(limberi_arena* arena, const limber_model* model, limberi_loose_parts* loose) {
    uint32_t joints = model->rig.joint_count;
    limberi_arena scratch = {NULL, false};
    uint8_t* moved = LIMBERI_ALLOCATE(&scratch, uint8_t, joints);
    uint8_t* paired = LIMBERI_ALLOCATE(&scratch, uint8_t, joints);
    uint32_t* below = LIMBERI_ALLOCATE(&scratch, uint32_t, joints);
    int32_t* root_of = LIMBERI_ALLOCATE(&scratch, int32_t, joints);
    part_search s = {.model = model, .paired = paired, .root_of = root_of, .lowest = INFINITY};
    s.sums = LIMBERI_ALLOCATE(&scratch, part_sums, joints);
    s.own = limberi_arena_allocate(&scratch, joints, sizeof *s.own);
    s.rest = LIMBERI_ALLOCATE(&scratch, float, 3 * (size_t)model->vertex_count);
    memset(loose, 0, sizeof *loose);
    loose->of_joint = LIMBERI_ALLOCATE(arena, int32_t, joints);
    loose->parts = LIMBERI_ALLOCATE(arena, limberi_loose_part, joints);
    bool memory = !scratch.failed && !arena->failed;
    for (uint32_t j = 0; memory && j < joints; j++)
        loose->of_joint[j] = -1;
    if (memory) {
        // [joint] whether a clip moves it or something that hangs on it.
        limberi_find_moving(model, moved);
        for (uint32_t j = model->rig.joint_count; j-- > 0;)
            if (moved[j] && model->rig.hangs_on[j] >= 0)
                moved[model->rig.hangs_on[j]] = 1;
    }
    if (memory && any_still(&model->rig, moved)) {
        mark_middle(model, below, paired);
        find_roots(model, moved, paired, root_of);
        for (uint32_t j = 0; j < joints; j++)
            if (root_of[j] >= 0)
                s.sums[root_of[j]].joint_count++;
        list_parts(&s, loose);
    }
    limberi_arena_free(&scratch);
    return memory;
}

// --- how they swing ---

limber_vec3 limberi_loose_swing(limber_vec3 tip, limber_vec3 inward, limber_vec3 lag, float max) {
    float square = limberi_dot(tip, tip);
    float limit = way_limit * way_limit * square;
    float soft = inward_soft * inward_soft * square;
    limber_vec3 way = limberi_scale(lag, -1 / sqrtf(1 + limberi_dot(lag, lag) / limit));
    float along = limberi_dot(way, tip) / square; // near the joint, the tip would turn over at once
    way = limberi_add(way, limberi_scale(tip, along / sqrtf(1 + along * along / (along_limit * along_limit)) - along));
    float pushed = along < 0 ? along * along / (along_soft - along) : 0;
    limber_vec3 aside = limberi_sub(limberi_scale(tip, limberi_dot(inward, tip) / square), inward);
    way = limberi_add(way, limberi_scale(aside, give_way * pushed * sqrtf(square)));
    float in = limberi_dot(way, inward);
    float less = 0.5f * (1 - inward_share) * (in + sqrtf(in * in + soft) - sqrtf(soft));
    limber_vec3 now = limberi_add(tip, limberi_sub(way, limberi_scale(inward, less)));
    limber_vec3 across = limberi_cross(now, tip);
    float sine = limberi_length(across);
    if (!(sine > 0))
        return limberi_vec3(0, 0, 0);
    float angle = atan2f(sine, limberi_dot(now, tip));
    return limberi_scale(across, angle / (sine * sqrtf(1 + angle * angle / (max * max))));
}
