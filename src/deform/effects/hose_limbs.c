// Which limbs can be hoses. A limb of the body (asset/body.h) is followed along the child that reaches farthest; of that
// path the long bones count. Collarbones, hands, feet and fingers are short or turn off, and stay as they are.
#include "deform/effects/hose.h"

#include "asset/body.h"
#include "asset/clip.h"
#include "base/math.h"

#include <string.h>

static const float as_long = 0.85f;    // of the best pair of bones: the first one that is counts, feet can be as long
static const float long_bone = 0.7f;   // of the longest of the pair: fingers, collarbones and feet are shorter, or ...
static const float ahead = 0.75f;      // ... turn off: cosine to the rest of the limb
static const float like_others = 0.1f; // three bones that differ by less are of a tail, a tentacle or a cape
static const float twin = 0.25f;       // limbs come in pairs: their bones differ by no more
static const float fork = 0.75f;       // a limb that starts with two ways as long as this part of the longer one is two
static const float max_radius = 0.4f;  // mean distance of the skin, of the length: wings, heads and skirts are wider

enum { MAX_PATH = 64 };

typedef struct tree {
    const limber_model* model;
    float *own, *up; // [joint] shares of the skin
    float* reach;    // [joint] length of the longest chain below
    int32_t* next;   // [joint] where that goes on, -1
} tree;

static limber_vec3 place_of(const tree* t, uint32_t joint) {
    return limberi_mat4_translation(&t->model->rig.world_from_joint_rest[joint]);
}

static float distance(const tree* t, uint32_t a, uint32_t b) {
    return limberi_distance(place_of(t, a), place_of(t, b));
}

// Joints with skin come before joints without, which may be anything: sockets, targets, ends of bones.
static void find_ways(tree* t) {
    const limber_rig* rig = &t->model->rig;
    for (uint32_t j = 0; j < rig->joint_count; j++)
        t->next[j] = -1;
    for (uint32_t j = rig->joint_count; j-- > 0;) {
        int32_t parent = rig->parents[j];
        if (parent < 0)
            continue;
        float reach = t->reach[j] + distance(t, j, (uint32_t)parent);
        int32_t old = t->next[parent];
        bool skinned = t->up[j] > 0;
        bool old_skinned = old >= 0 && t->up[old] > 0;
        if (old >= 0 && (old_skinned != skinned ? old_skinned : t->reach[parent] > reach))
            continue;
        t->next[parent] = (int32_t)j;
        t->reach[parent] = reach;
    }
}

typedef struct path {
    uint32_t count, last; // joints; the last of them that has skin: a hand or a foot
    uint32_t joints[MAX_PATH];
} path;

static path path_from(const tree* t, uint32_t root) {
    path p = {0, 0, {0}};
    for (int32_t j = (int32_t)root; j >= 0 && p.count < MAX_PATH; j = t->next[j]) {
        if (t->own[j] > 0)
            p.last = p.count;
        p.joints[p.count++] = (uint32_t)j;
    }
    return p;
}

static float bone_length(const tree* t, const path* p, uint32_t bone) {
    return distance(t, p->joints[bone], p->joints[bone + 1]);
}

static limber_vec3 way(const tree* t, const path* p, uint32_t from, uint32_t to) {
    return limberi_normalize(limberi_sub(place_of(t, p->joints[to]), place_of(t, p->joints[from])));
}

static float shorter_of_pair(const tree* t, const path* p, uint32_t bone) {
    return fminf(bone_length(t, p, bone), bone_length(t, p, bone + 1));
}

// The two bones that an elbow or knee is between. False: there are none.
static bool find_pair(const tree* t, const path* p, uint32_t end, uint32_t* first) {
    float best = 0;
    for (uint32_t i = 0; i + 1 < end; i++)
        best = fmaxf(best, shorter_of_pair(t, p, i));
    for (*first = 0; *first + 1 < end && shorter_of_pair(t, p, *first) < as_long * best;)
        ++*first;
    return best > 0;
}

// Bones before and after the pair that are of the same limb: hind legs of animals have three, and some arms are halved.
static void extend_limb(const tree* t, const path* p, uint32_t end, uint32_t* first, uint32_t* last) {
    float min = long_bone * fmaxf(bone_length(t, p, *first), bone_length(t, p, *last));
    while (*last + 1 < end && bone_length(t, p, *last + 1) >= min &&
           limberi_dot(way(t, p, *last + 1, *last + 2), way(t, p, *first, *last + 1)) >= ahead)
        ++*last;
    while (*first > 0 && bone_length(t, p, *first - 1) >= min &&
           limberi_dot(way(t, p, *first - 1, *first), way(t, p, *first, *last + 1)) >= ahead)
        --*first;
}

static bool is_tail(const tree* t, const path* p, uint32_t first, uint32_t last) {
    float longest = 0;
    float shortest = INFINITY;
    for (uint32_t i = first; i <= last; i++) {
        longest = fmaxf(longest, bone_length(t, p, i));
        shortest = fminf(shortest, bone_length(t, p, i));
    }
    uint32_t count = last - first + 1;
    return count > LIMBERI_HOSE_BONES || (count > 2 && longest - shortest < like_others * longest);
}

// A leg without a foot ends where its last bone does, if a joint says where that is.
static void find_limb(const tree* t, uint32_t root, limberi_hose_limbs* limbs) {
    path p = path_from(t, root);
    uint32_t end = p.last;
    uint32_t first;
    if (!find_pair(t, &p, end, &first)) {
        end = p.last + 1 < p.count ? p.last + 1 : p.last;
        if (!find_pair(t, &p, end, &first))
            return;
    }
    uint32_t last = first + 1;
    extend_limb(t, &p, end, &first, &last);
    if (is_tail(t, &p, first, last))
        return;
    limberi_hose_limb* limb = &limbs->limbs[limbs->count++];
    limb->bone_count = last - first + 1;
    memcpy(limb->joints, p.joints + first, (limb->bone_count + 1) * sizeof *limb->joints);
}

static float limb_length(const tree* t, const limberi_hose_limb* limb) {
    float length = 0;
    for (uint32_t b = 0; b < limb->bone_count; b++)
        length += distance(t, limb->joints[b], limb->joints[b + 1]);
    return length;
}

static bool are_twins(const tree* t, const limberi_hose_limb* a, const limberi_hose_limb* b) {
    for (uint32_t i = 0; i < a->bone_count && a->bone_count == b->bone_count; i++) {
        float one = distance(t, a->joints[i], a->joints[i + 1]);
        float other = distance(t, b->joints[i], b->joints[i + 1]);
        if (!(fabsf(one - other) <= twin * fmaxf(one, other)))
            return false;
    }
    return a != b && a->bone_count == b->bone_count;
}

static bool has_twin(const tree* t, const limberi_hose_limbs* limbs, const limberi_hose_limb* limb) {
    for (uint32_t l = 0; l < limbs->count; l++)
        if (are_twins(t, limb, &limbs->limbs[l]))
            return true;
    return false;
}

// --- which joint belongs to which bone ---

// Joints hang on the bone above them: twist and helper joints, sleeves.
static void inherit_bones(const limber_rig* rig, limberi_hose_limbs* limbs) {
    const limberi_hose_bone none = {-1, 0};
    const limberi_hose_bone inherited = {-2, 0};
    for (uint32_t j = 0; j < rig->joint_count; j++)
        limbs->of_joint[j] = inherited;
    for (uint32_t l = 0; l < limbs->count; l++)
        for (uint32_t b = 0; b <= limbs->limbs[l].bone_count; b++) {
            limberi_hose_bone bone = {b < limbs->limbs[l].bone_count ? (int32_t)l : -1, b};
            limbs->of_joint[limbs->limbs[l].joints[b]] = bone;
        }
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (limbs->of_joint[j].limb == inherited.limb)
            limbs->of_joint[j] = rig->parents[j] >= 0 ? limbs->of_joint[rig->parents[j]] : none;
}

// --- how wide they are ---

typedef struct width_sums {
    double distance, area;
} width_sums;

static float distance_from_bone(const tree* t, const limberi_hose_limb* limb, uint32_t bone, limber_vec3 p) {
    limber_vec3 from = place_of(t, limb->joints[bone]);
    limber_vec3 along = limberi_normalize(limberi_sub(place_of(t, limb->joints[bone + 1]), from));
    limber_vec3 arm = limberi_sub(p, from);
    return limberi_distance(arm, limberi_scale(along, limberi_dot(arm, along)));
}

static void measure_mesh(const tree* t, const limberi_hose_limbs* limbs, const limber_mesh* mesh, const float* rest,
                         width_sums* sums) {
    const uint32_t* joints = t->model->skins[mesh->skin].joints;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++) {
            limberi_hose_bone of = limbs->of_joint[joints[mesh->influence_joint[i]]];
            if (of.limb < 0)
                continue;
            double area = (double)mesh->areas[v] * (double)mesh->influence_weight[i];
            limber_vec3 p = limberi_load3(rest + 3 * (size_t)v);
            sums[of.limb].distance += area * (double)distance_from_bone(t, &limbs->limbs[of.limb], of.bone, p);
            sums[of.limb].area += area;
        }
}

static bool is_slender(const tree* t, const limberi_hose_limb* limb, const width_sums* sums) {
    return sums->area > 0 && sums->distance < (double)(max_radius * limb_length(t, limb)) * sums->area;
}

static void choose_limbs(const tree* t, limberi_arena* scratch, limberi_hose_limbs* limbs) {
    const limber_model* model = t->model;
    width_sums* sums = LIMBERI_ALLOCATE(scratch, width_sums, limbs->count);
    bool* kept = LIMBERI_ALLOCATE(scratch, bool, limbs->count);
    float* rest = LIMBERI_ALLOCATE(scratch, float, 3 * (size_t)model->vertex_count);
    for (uint32_t m = 0; !scratch->failed && m < model->mesh_count; m++) {
        if (model->meshes[m].scenery)
            continue;
        limber_mesh_rest_positions(model, &model->meshes[m], rest);
        measure_mesh(t, limbs, &model->meshes[m], rest, sums);
    }
    uint32_t count = scratch->failed ? 0 : limbs->count;
    for (uint32_t l = 0; l < count; l++)
        kept[l] = is_slender(t, &limbs->limbs[l], &sums[l]) && has_twin(t, limbs, &limbs->limbs[l]);
    limbs->count = 0;
    for (uint32_t l = 0; l < count; l++)
        if (kept[l])
            limbs->limbs[limbs->count++] = limbs->limbs[l];
}

// --- all of them ---

// A joint with two legs below is none of a limb.
static uint32_t ways_from(const tree* t, uint32_t root, bool* taken) {
    const limber_rig* rig = &t->model->rig;
    uint32_t count = 0;
    for (uint32_t j = root + 1; j < rig->joint_count; j++) {
        taken[j] = rig->parents[j] == (int32_t)root && t->up[j] > 0 &&
                   t->reach[j] + distance(t, j, root) >= fork * t->reach[root];
        count += taken[j];
    }
    return count;
}

static void find_below(const tree* t, uint32_t root, bool* taken, limberi_hose_limbs* limbs) {
    if (ways_from(t, root, taken) < 2) {
        find_limb(t, root, limbs);
        return;
    }
    for (uint32_t j = root + 1; j < t->model->rig.joint_count; j++)
        if (taken[j])
            find_limb(t, j, limbs);
}

static void find_limbs(tree* t, limberi_arena* scratch, limberi_hose_limbs* limbs) {
    const limber_rig* rig = &t->model->rig;
    uint32_t* trunk = LIMBERI_ALLOCATE(scratch, uint32_t, rig->joint_count);
    uint32_t* roots = LIMBERI_ALLOCATE(scratch, uint32_t, rig->joint_count);
    bool* taken = LIMBERI_ALLOCATE(scratch, bool, rig->joint_count);
    if (scratch->failed)
        return;
    limberi_skin_shares(t->model, t->own);
    limberi_shares_below(rig, t->own, t->up);
    find_ways(t);
    uint32_t trunk_count = limberi_body_trunk(rig, t->up, limberi_body_hips(rig, t->up), trunk);
    uint32_t root_count = limberi_body_limbs(rig, t->up, trunk, trunk_count, roots);
    for (uint32_t i = 0; i < root_count; i++)
        find_below(t, roots[i], taken, limbs);
    inherit_bones(rig, limbs);
    choose_limbs(t, scratch, limbs);
    inherit_bones(rig, limbs);
}

bool limberi_hose_limbs_find(limberi_arena* arena, const limber_model* model, limberi_hose_limbs* limbs) {
    uint32_t joints = model->rig.joint_count;
    limberi_arena scratch = {NULL, false};
    tree t = {model, LIMBERI_ALLOCATE(&scratch, float, joints), LIMBERI_ALLOCATE(&scratch, float, joints),
              LIMBERI_ALLOCATE(&scratch, float, joints), LIMBERI_ALLOCATE(&scratch, int32_t, joints)};
    limbs->count = 0;
    limbs->limbs = LIMBERI_ALLOCATE(arena, limberi_hose_limb, joints);
    limbs->of_joint = LIMBERI_ALLOCATE(arena, limberi_hose_bone, joints);
    if (!scratch.failed && !arena->failed)
        find_limbs(&t, &scratch, limbs);
    bool failed = scratch.failed || arena->failed;
    limberi_arena_free(&scratch);
    return !failed;
}
