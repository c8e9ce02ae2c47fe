// The parts of a character that smear on their own: chains of joints from the tip of each limb up to the trunk, and long
// rigid things that are held.
#include "smear/drawn.h"

#include <string.h>

static const double short_reach = 0.12; // of L: skin nearer to its joint than this belongs to the parent's part
static const double trunk_share = 0.4;  // of all skin: a joint with this much below it is the trunk
static const double fork_share = 0.22;  // the same where it forks
static const double branch = 0.25;      // of the skin below a fork: a branch
static const double reach_sigmas = 1.7; // above the mean: where a bar ends
static const double slender = 2.5;      // times as long as thick: a stick
static const uint32_t min_vertices = 8; // of a part
static const float inside = 0.15f;      // of its length: a stick that is held farther from its end has no root there
static const float min_end = 0.1f;      // of L: what sticks out of a hand by as much swings on its own
static const double twig = 0.5;         // of a limb's length: shorter branches of it (fingers) belong to it

// --- joints ---

static void find_dominant(limberi_drawn_builder* b) {
    const limber_model* model = b->smearer->model;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const uint32_t* joints = model->skins[mesh->skin].joints;
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
                uint32_t v = mesh->first_vertex + u;
                float weight = mesh->influence_weight[i];
                b->own[joints[mesh->influence_joint[i]]] += (double)weight * (double)b->drawn->areas[v];
                if (!(weight > b->weight[v]))
                    continue;
                b->weight[v] = weight;
                b->joint[v] = joints[mesh->influence_joint[i]];
            }
    }
}

static limber_vec3 joint_place(const limberi_drawn_builder* b, uint32_t j) {
    return limberi_mat4_translation(&b->smearer->model->rig.world_from_joint_rest[j]);
}

// How far the skin of each joint and of those below goes from it.
static limber_result find_reach(limberi_drawn_builder* b, double* reach) {
    const limber_rig* rig = &b->smearer->model->rig;
    double* sums = LIMBERI_ALLOCATE(&b->scratch, double, 3 * (size_t)rig->joint_count);
    if (!sums)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++)
        for (int32_t j = b->weight[v] > 0.5f ? (int32_t)b->joint[v] : -1; j >= 0; j = b->parents[j]) {
            limber_vec3 arm = limberi_sub(limberi_load3(b->rest + 3 * (size_t)v), joint_place(b, (uint32_t)j));
            double distance = (double)limberi_length(arm);
            sums[3 * j] += 1;
            sums[3 * j + 1] += distance;
            sums[3 * j + 2] += distance * distance;
        }
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        double count = fmax(sums[3 * j], 1);
        double mean = sums[3 * j + 1] / count;
        reach[j] = mean + reach_sigmas * sqrt(fmax(sums[3 * j + 2] / count - mean * mean, 0));
    }
    return LIMBER_OK;
}

static limber_result find_bones(limberi_drawn_builder* b) {
    const limber_rig* rig = &b->smearer->model->rig;
    double* reach = LIMBERI_ALLOCATE(&b->scratch, double, rig->joint_count);
    if (!reach || find_reach(b, reach))
        return LIMBER_ERROR_MEMORY;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        uint32_t bone = j;
        while (b->parents[bone] >= 0 && reach[bone] < short_reach * (double)b->smearer->size)
            bone = (uint32_t)b->parents[bone];
        b->bone_of[j] = bone;
    }
    return LIMBER_OK;
}

static int32_t parent_bone(const limberi_drawn_builder* b, uint32_t bone) {
    int32_t parent = b->parents[bone];
    return parent < 0 ? -1 : (int32_t)b->bone_of[parent];
}

// --- sticks ---

// Where a stick is held, if enough of it is on either side: both ends swing then.
static float find_grip(const limberi_drawn_builder* b, uint32_t bone, float off, float half_length) {
    float grip = half_length - fabsf(off);
    limber_vec3 way = limberi_normalize(limberi_sub(b->to[bone], b->from[bone]));
    uint32_t sides[2] = {0, 0};
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++) {
        limber_vec3 p = limberi_sub(limberi_load3(b->rest + 3 * (size_t)v), b->from[bone]);
        sides[limberi_dot(p, way) < grip] += b->bone_of[b->joint[v]] == bone;
    }
    bool both = sides[0] >= min_vertices && sides[1] >= min_vertices;
    return both && grip > min_end * b->smearer->size ? grip : 0;
}

// A long rigid thing that is held in its middle, as a staff is, runs along its own axis. One that is held at its end, as
// a sword is, goes on where the arm ends.
static void find_stick(limberi_drawn_builder* b, uint32_t bone) {
    limberi_drawn_cloud cloud = {0, {0}, {0}};
    double rigid = 0;
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++) {
        if (b->bone_of[b->joint[v]] != bone)
            continue;
        rigid += b->rigid[v];
        limberi_drawn_cloud_add(&cloud, 1, limberi_load3(b->rest + 3 * (size_t)v));
    }
    limberi_drawn_bar s = limberi_drawn_cloud_bar(&cloud);
    bool long_enough = s.length > slender * s.width && 3.4 * s.length > short_reach * (double)b->smearer->size;
    if (cloud.weight < min_vertices || rigid < 0.9 * cloud.weight || !long_enough)
        return;
    limber_vec3 arm = limberi_sub(s.mean, joint_place(b, bone));
    float off = limberi_dot(arm, s.axis);
    float half_length = 1.7f * (float)s.length; // a bar ends at 1.73
    if (fabsf(off) > half_length * (1 - 2 * inside))
        return;
    limber_vec3 half = limberi_scale(s.axis, off < 0 ? -half_length : half_length);
    b->prop[bone] = 1;
    b->from[bone] = limberi_sub(s.mean, half);
    b->to[bone] = limberi_add(s.mean, half);
    b->grip[bone] = find_grip(b, bone, off, half_length);
}

// What hangs above a stick is a limb without it.
static void put_stick_down(limberi_drawn_builder* b, uint32_t bone) {
    double area = b->below[bone];
    for (int32_t j = b->parents[bone]; j >= 0; j = b->parents[j])
        b->below[j] -= area;
}

// --- chains ---

typedef struct chain {
    uint32_t tip, top; // bones
    double length;
    bool stick;
} chain;

// A bone with skin, and none below it but that of sticks.
static bool is_leaf(const limberi_drawn_builder* b, uint32_t bone, double all) {
    double held = 0;
    for (uint32_t j = 0; j < b->smearer->model->rig.joint_count; j++)
        held += b->bone_of[j] == bone ? b->own[j] : 0;
    return b->bone_of[bone] == bone && held > 1e-9 * all && b->below[bone] - held < 1e-6 * all;
}

// The farthest vertex of a bone from its joint.
static limber_vec3 far_end(const limberi_drawn_builder* b, uint32_t bone) {
    limber_vec3 start = joint_place(b, bone);
    limber_vec3 end = start;
    float max = 0;
    for (uint32_t v = 0; v < b->smearer->model->vertex_count; v++) {
        limber_vec3 p = limberi_load3(b->rest + 3 * (size_t)v);
        float distance = limberi_distance(p, start);
        if (b->bone_of[b->joint[v]] != bone || !(distance > max))
            continue;
        max = distance;
        end = p;
    }
    return end;
}

// Where limbs meet, or most of the body hangs.
static bool is_trunk(const limberi_drawn_builder* b, uint32_t bone, uint32_t from, double all) {
    double others = b->below[bone] - b->below[from];
    for (uint32_t j = 0; j < b->smearer->model->rig.joint_count; j++)
        others -= b->bone_of[j] == bone ? b->own[j] : 0;
    bool forks = others > branch * b->below[bone] && b->below[bone] > fork_share * all;
    return forks || b->below[bone] >= trunk_share * all;
}

static chain climb(limberi_drawn_builder* b, uint32_t leaf, double all) {
    chain c = {leaf, leaf, 0, b->prop[leaf]};
    if (!c.stick) {
        b->from[leaf] = joint_place(b, leaf);
        b->to[leaf] = far_end(b, leaf);
    }
    c.length = (double)limberi_distance(b->to[leaf], b->from[leaf]);
    for (int32_t up = parent_bone(b, leaf); !c.stick && up >= 0 && !is_trunk(b, (uint32_t)up, c.top, all);
         up = parent_bone(b, c.top)) {
        c.length += (double)limberi_distance(joint_place(b, c.top), joint_place(b, (uint32_t)up));
        c.top = (uint32_t)up;
    }
    return c;
}

static bool has_stick_beside(const limberi_drawn_builder* b, const chain* c, const chain* taken, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (taken[i].stick && parent_bone(b, taken[i].tip) == parent_bone(b, c->tip))
            return true;
    return false;
}

static double own_length(const limberi_drawn_builder* b, const uint32_t* bones, uint32_t count) {
    double length = (double)limberi_distance(b->to[bones[0]], b->from[bones[0]]);
    for (uint32_t i = 1; i < count; i++)
        length += (double)limberi_distance(joint_place(b, bones[i - 1]), joint_place(b, bones[i]));
    return length;
}

static void lay_pieces(limberi_drawn_builder* b, const chain* c, const uint32_t* bones, uint32_t count, uint32_t part,
                       float arc) {
    for (uint32_t i = count; i-- > 0;) {
        uint32_t j = bones[i];
        b->part_of_bone[j] = (uint8_t)part;
        if (j != c->tip) {
            b->from[j] = joint_place(b, j);
            b->to[j] = i > 0 ? joint_place(b, bones[i - 1]) : b->from[j];
        }
        b->arc[j] = arc;
        b->last[j] = i == 0;
        arc += limberi_distance(b->to[j], b->from[j]);
    }
}

// Bones of a chain that no longer one has; the pieces lie one after the other, from the trunk to the tip. Returns
// whether they are a part of their own.
static bool claim(limberi_drawn_builder* b, const chain* c, const chain* taken) {
    uint32_t bones[64];
    uint32_t count = 0;
    uint32_t part = b->drawn->part_count;
    float arc = 0;
    int32_t j = (int32_t)c->tip;
    for (; j >= 0 && count < 64 && b->part_of_bone[j] == LIMBERI_PART_NONE;
         j = (uint32_t)j == c->top ? -1 : parent_bone(b, (uint32_t)j))
        bones[count++] = (uint32_t)j;
    if (count > 0 && j >= 0 && b->part_of_bone[j] != LIMBERI_PART_NONE && !c->stick &&
        own_length(b, bones, count) < twig * taken[b->part_of_bone[j]].length) {
        part = b->part_of_bone[j];
        arc = b->arc[j] + limberi_distance(b->to[j], b->from[j]);
    }
    lay_pieces(b, c, bones, count, part, arc);
    return count > 0 && part == b->drawn->part_count;
}

static void sort_by_length(chain* chains, uint32_t count) {
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && chains[k].length > chains[k - 1].length; k--) {
            chain other = chains[k];
            chains[k] = chains[k - 1];
            chains[k - 1] = other;
        }
}

// Longest first; of several sticks in one hand only the longest counts.
static void take_chains(limberi_drawn_builder* b, chain* chains, uint32_t count) {
    chain taken[LIMBERI_PARTS];
    sort_by_length(chains, count);
    for (uint32_t i = 0; i < count && b->drawn->part_count < LIMBERI_PARTS; i++) {
        uint32_t part = b->drawn->part_count;
        if (chains[i].stick && has_stick_beside(b, &chains[i], taken, part))
            continue;
        if (part + 1 == LIMBERI_PARTS)
            b->grip[chains[i].tip] = 0;
        if (!claim(b, &chains[i], taken))
            continue;
        for (uint32_t k = b->grip[chains[i].tip] > 0 ? 2 : 1; k-- > 0;)
            taken[b->drawn->part_count++] = chains[i];
    }
}

static limber_result allocate_joints(limberi_drawn_builder* b, uint32_t joints, uint32_t vertices) {
    b->joint = LIMBERI_ALLOCATE(&b->scratch, uint32_t, vertices);
    b->weight = LIMBERI_ALLOCATE(&b->scratch, float, vertices);
    b->bone_of = LIMBERI_ALLOCATE(&b->scratch, uint32_t, joints);
    b->own = LIMBERI_ALLOCATE(&b->scratch, double, joints);
    b->below = LIMBERI_ALLOCATE(&b->scratch, double, joints);
    b->part_of_bone = LIMBERI_ALLOCATE(&b->scratch, uint8_t, joints);
    b->arc = LIMBERI_ALLOCATE(&b->scratch, float, joints);
    b->from = LIMBERI_ALLOCATE(&b->scratch, limber_vec3, joints);
    b->to = LIMBERI_ALLOCATE(&b->scratch, limber_vec3, joints);
    b->prop = LIMBERI_ALLOCATE(&b->scratch, uint8_t, joints);
    b->grip = LIMBERI_ALLOCATE(&b->scratch, float, joints);
    b->last = LIMBERI_ALLOCATE(&b->scratch, uint8_t, joints);
    return b->scratch.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

limber_result limberi_drawn_find_parts(limberi_drawn_builder* b) {
    const limber_model* model = b->smearer->model;
    uint32_t joints = model->rig.joint_count;
    chain* chains = LIMBERI_ALLOCATE(&b->scratch, chain, joints);
    if (allocate_joints(b, joints, model->vertex_count) || !chains)
        return LIMBER_ERROR_MEMORY;
    memset(b->part_of_bone, LIMBERI_PART_NONE, joints);
    find_dominant(b);
    if (limberi_drawn_find_parents(b))
        return LIMBER_ERROR_MEMORY;
    for (uint32_t j = 0; j < b->smearer->model->rig.joint_count; j++)
        for (int32_t up = (int32_t)j; b->own[j] > 0 && up >= 0; up = b->parents[up])
            b->below[up] += b->own[j];
    if (find_bones(b) || limberi_drawn_find_islands(b))
        return LIMBER_ERROR_MEMORY;
    double all = 0;
    uint32_t count = 0;
    for (uint32_t j = 0; j < joints; j++)
        all += b->own[j];
    for (uint32_t j = 0; j < joints; j++)
        if (is_leaf(b, j, all))
            find_stick(b, j);
    for (uint32_t j = 0; j < joints; j++)
        if (b->prop[j])
            put_stick_down(b, j);
    for (uint32_t j = 0; j < joints; j++)
        if (is_leaf(b, j, all))
            chains[count++] = climb(b, j, all);
    take_chains(b, chains, count);
    return LIMBER_OK;
}
