// What of a character is what. One pass over the rest pose says how much of the skin hangs on each joint and how low it
// reaches; contacts of all clips say which limbs carry the body.
#include "perform/anatomy.h"

#include "asset/clip.h"
#include "base/math.h"
#include "base/memory.h"

#include <string.h>

static const double low_reach = 0.12;   // of the height: limbs that come this near the lowest vertex may be legs
static const double leg_touch = 0.45;   // of the time that the busiest limb touches the floor
static const double stand_reach = 0.06; // the same, at rest where no clip shows what stands: long arms come near, too
static const double steep = 0.3;        // of its length: how far a leg goes down at least
static const double sole = 0.03;        // of the height: what is this near the lowest vertex of a limb stands, at rest
static const double head_min = 0.02;    // shares; height
static const double head_max = 0.62;
static const double head_own = 0.4;
static const double head_high = 0.55;
static const double twin_mass = 0.15;
static const double twin_height = 0.05;

// --- the rest pose ---

typedef struct rest_look {
    double* lowest;   // [joint] y of the vertices that follow it most
    double* moment_y; // [joint] their area times y
    double* area;     // [joint]
    double* scratch;  // [joint]
} rest_look;

static uint32_t main_joint(const limber_model* model, const limber_mesh* mesh, uint32_t vertex) {
    uint32_t best = mesh->influence_first[vertex];
    for (uint32_t i = best; i < mesh->influence_first[vertex + 1]; i++)
        if (mesh->influence_weight[i] > mesh->influence_weight[best])
            best = i;
    return model->skins[mesh->skin].joints[mesh->influence_joint[best]];
}

typedef struct rest_sums {
    double y, low;
    size_t count;
} rest_sums;

static void look_at_mesh(limberi_anatomy* a, const limber_mesh* mesh, const float* rest, rest_look* look,
                         rest_sums* sums) {
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        double area = (double)mesh->areas[v];
        double y = (double)rest[3 * (size_t)v + 1];
        if (!(area > 0) || mesh->influence_first[v] == mesh->influence_first[v + 1])
            continue;
        uint32_t joint = main_joint(a->model, mesh, v);
        look->lowest[joint] = fmin(look->lowest[joint], y);
        look->moment_y[joint] += area * y;
        look->area[joint] += area;
        sums->low = fmin(sums->low, y);
        sums->y += y;
        sums->count++;
    }
}

static bool look_at_rest(limberi_anatomy* a, rest_look* look) {
    const limber_model* model = a->model;
    float* rest = limberi_allocate((3 * (size_t)model->vertex_count + 1) * sizeof *rest);
    if (!rest)
        return false;
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        look->lowest[j] = INFINITY;
    rest_sums sums = {0, INFINITY, 0};
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        if (mesh->scenery)
            continue;
        limber_mesh_rest_positions(model, mesh, rest);
        look_at_mesh(a, mesh, rest, look, &sums);
    }
    limberi_release(rest);
    double size = (double)model->size;
    double middle = sums.count ? sums.y / (double)sums.count - sums.low : 0;
    a->height = fmin(fmax(1.9 * middle, 0.5 * size), size); // S14
    a->lowest = sums.count ? sums.low : 0;
    return true;
}

// --- the tree ---

static void list_trunk(limberi_anatomy* a) {
    a->trunk_count = limberi_body_trunk(&a->model->rig, a->up, a->hips, a->trunk);
}

static bool list_limbs(limberi_anatomy* a) {
    uint32_t* roots = limberi_allocate_zeroed(a->model->rig.joint_count + (size_t)1, sizeof *roots);
    if (!roots)
        return false;
    a->limb_count = limberi_body_limbs(&a->model->rig, a->up, a->trunk, a->trunk_count, roots);
    for (uint32_t i = 0; i < a->limb_count; i++) {
        limberi_limb limb = {roots[i], false, false, false, 0};
        a->limbs[i] = limb;
    }
    limberi_release(roots);
    return true;
}

// Joints below the root of a limb are of that limb.
static void spread_limbs(limberi_anatomy* a) {
    const limber_rig* rig = &a->model->rig;
    memset(a->limb_of, -1, rig->joint_count * sizeof *a->limb_of);
    for (uint32_t i = 0; i < a->limb_count; i++)
        a->limb_of[a->limbs[i].root] = (int32_t)i;
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (a->limb_of[j] < 0 && rig->parents[j] >= 0 && !limberi_body_is_trunk(a->trunk, a->trunk_count, (int32_t)j))
            a->limb_of[j] = a->limb_of[rig->parents[j]];
}

// --- legs ---

// How long each limb touches the floor: a share of every clip.
static bool count_touches(limberi_anatomy* a, const limberi_clip_ground* grounds) {
    double* share = limberi_allocate_zeroed(a->limb_count + (size_t)1, sizeof *share);
    if (!share)
        return false;
    for (uint32_t c = 0; c < a->model->clip_count; c++) {
        double length = fmax(a->model->clips[c].end_s - a->model->clips[c].start_s, 1e-3);
        memset(share, 0, a->limb_count * sizeof *share);
        for (uint32_t i = 0; i < grounds[c].touch_count; i++) {
            const limberi_contact_span* contact = &grounds[c].touches[i];
            int32_t limb = a->limb_of[contact->joint];
            a->touch[contact->joint] += (float)(contact->to_s - contact->from_s);
            if (limb >= 0)
                share[limb] = fmin(share[limb] + (contact->to_s - contact->from_s) / length, 1);
        }
        for (uint32_t l = 0; l < a->limb_count; l++)
            a->limbs[l].touch += share[l];
    }
    limberi_release(share);
    return true;
}

static uint32_t depth_of_limb(const limberi_anatomy* a, uint32_t limb) {
    const limber_rig* rig = &a->model->rig;
    uint32_t root = a->limbs[limb].root;
    uint32_t max = 1;
    for (uint32_t j = root; j < rig->joint_count; j++)
        if (a->up[j] > 0.002f) {
            uint32_t length = limberi_chain_length(rig, j, root);
            max = length > max ? length : max;
        }
    return max;
}

// How low each limb reaches at rest.
static void find_lowest(const limberi_anatomy* a, const rest_look* look, double* low) {
    for (uint32_t l = 0; l < a->limb_count; l++)
        low[l] = INFINITY;
    for (uint32_t j = 0; j < a->model->rig.joint_count; j++)
        if (a->limb_of[j] >= 0)
            low[a->limb_of[j]] = fmin(low[a->limb_of[j]], look->lowest[j]);
}

// A leg goes down: a neck or a tail that begins on the floor does not.
static bool goes_down(const limberi_anatomy* a, uint32_t limb, double low) {
    const limber_rig* rig = &a->model->rig;
    limber_vec3 root = limberi_mat4_translation(&rig->world_from_joint_rest[a->limbs[limb].root]);
    double reach = 0;
    for (uint32_t j = a->limbs[limb].root; j < rig->joint_count; j++) {
        limber_vec3 away = limberi_sub(limberi_mat4_translation(&rig->world_from_joint_rest[j]), root);
        if (a->limb_of[j] == (int32_t)limb)
            reach = fmax(reach, (double)limberi_length(away));
    }
    return (double)root.y - low > steep * reach;
}

// Whether limbs that are too short for a leg do not stand although they reach the floor. The trunk may lie there (they
// are fins), or there are real legs (they are the ends of a cape). Feet that hang on the root are ends of legs.
static bool only_legs_stand(const limberi_anatomy* a, const rest_look* look, const double* low, double near) {
    bool only = false;
    for (uint32_t i = 0; i < a->trunk_count; i++)
        only = only || look->lowest[a->trunk[i]] < a->lowest + low_reach * a->height;
    for (uint32_t l = 0; l < a->limb_count; l++)
        only = only || (low[l] < near && depth_of_limb(a, l) >= 3 && goes_down(a, l, low[l]));
    return only;
}

// Where no clip shows what touches the floor: limbs stand that reach down to it in the rest pose.
static void stand_at_rest(limberi_anatomy* a, const rest_look* look) {
    double* low = look->scratch;
    double near = a->lowest + stand_reach * a->height;
    find_lowest(a, look, low);
    bool only = only_legs_stand(a, look, low, near);
    for (uint32_t l = 0; l < a->limb_count; l++) {
        bool foot = a->model->rig.parents[a->limbs[l].root] == a->hips;
        bool leg = depth_of_limb(a, l) >= 3 ? goes_down(a, l, low[l]) : !only || foot;
        a->limbs[l].touch = low[l] < near && leg;
    }
    for (uint32_t j = 0; j < a->model->rig.joint_count; j++) {
        int32_t limb = a->limb_of[j];
        if (limb >= 0 && a->limbs[limb].touch > 0)
            a->touch[j] = look->lowest[j] < low[limb] + sole * a->height;
    }
}

static void find_legs(limberi_anatomy* a, const rest_look* look) {
    double max = 0;
    for (uint32_t l = 0; l < a->limb_count; l++)
        max = fmax(max, a->limbs[l].touch);
    for (uint32_t j = 0; j < a->model->rig.joint_count; j++)
        if (a->limb_of[j] >= 0 && look->lowest[j] < a->lowest + low_reach * a->height)
            a->limbs[a->limb_of[j]].low = true;
    for (uint32_t l = 0; l < a->limb_count; l++)
        a->limbs[l].leg = a->limbs[l].low && max > 0 && a->limbs[l].touch >= leg_touch * max;
}

// --- loose feet ---

// Where feet hang on the root beside a single joint of the trunk, the body begins at that joint. Returns whether they
// do.
static bool leave_feet(limberi_anatomy* a) {
    const limber_rig* rig = &a->model->rig;
    uint32_t bodies = 0;
    uint32_t feet = 0;
    uint32_t kept = 0;
    int32_t body = -1;
    for (uint32_t i = 0; i < a->trunk_count; i++)
        if (rig->parents[a->trunk[i]] == a->hips) {
            body = (int32_t)a->trunk[i];
            bodies++;
        }
    for (uint32_t l = 0; l < a->limb_count; l++) {
        limberi_limb* limb = &a->limbs[l];
        bool foot = rig->parents[limb->root] == a->hips && limb->low && limb->touch > 0 && depth_of_limb(a, l) < 3;
        feet += foot;
        limb->loose = limb->loose || (foot && bodies == 1);
    }
    if (!feet || bodies != 1)
        return false;
    a->hips = body;
    list_trunk(a);
    for (uint32_t l = 0; l < a->limb_count; l++)
        if (a->limbs[l].loose || limberi_hangs_below(rig, a->limbs[l].root, (uint32_t)body))
            a->limbs[kept++] = a->limbs[l];
    a->limb_count = kept;
    return true;
}

static void sort_feet_last(limberi_anatomy* a) {
    for (uint32_t l = 0; l < a->limb_count; l++)
        for (uint32_t k = l + 1; k < a->limb_count; k++)
            if (a->limbs[l].loose && !a->limbs[k].loose) {
                limberi_limb swap = a->limbs[l];
                a->limbs[l] = a->limbs[k];
                a->limbs[k] = swap;
            }
    for (uint32_t l = 0; l < a->limb_count; l++)
        a->limbs[l].leg = a->limbs[l].leg && !a->limbs[l].loose;
    spread_limbs(a);
}

// --- the head ---

typedef struct head_candidate {
    double mass, height;
    uint32_t joint;
} head_candidate;

// Its own skin, with rigid meshes that hang on it as joints of their own.
static void fuse_masses(const limberi_anatomy* a, double* mass) {
    const limber_model* model = a->model;
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        mass[j] = (double)a->own[j];
    for (uint32_t s = model->skin_count; s-- > 0;) {
        uint32_t joint = model->skins[s].joint_count == 1 ? model->skins[s].joints[0] : 0;
        if (model->skins[s].joint_count == 1 && model->rig.parents[joint] >= 0)
            mass[model->rig.parents[joint]] += (double)a->own[joint];
    }
}

static bool may_be_head(const limberi_anatomy* a, uint32_t j, double mass) {
    const limber_rig* rig = &a->model->rig;
    int32_t limb = a->limb_of[j];
    bool leg = limb >= 0 && (a->limbs[limb].leg || a->limbs[limb].loose);
    double up = (double)a->up[j];
    return a->hips >= 0 && rig->parents[j] >= 0 && limberi_hangs_below(rig, j, (uint32_t)a->hips) && !leg &&
           up >= head_min && up <= head_max && mass >= head_own * up;
}

static bool is_twin(const limberi_anatomy* a, const head_candidate* one, const head_candidate* other) {
    const limber_rig* rig = &a->model->rig;
    return one->joint != other->joint && fabs(one->mass - other->mass) < twin_mass * one->mass &&
           fabs(one->height - other->height) < twin_height * a->height &&
           !limberi_hangs_below(rig, one->joint, other->joint) && !limberi_hangs_below(rig, other->joint, one->joint);
}

// The heaviest end of the tree that is high up and has no counterpart on the other side.
static bool find_head(limberi_anatomy* a, const rest_look* look) {
    const limber_rig* rig = &a->model->rig;
    limberi_arena scratch = {NULL, false};
    head_candidate* list = LIMBERI_ALLOCATE(&scratch, head_candidate, rig->joint_count);
    double* mass = LIMBERI_ALLOCATE(&scratch, double, rig->joint_count);
    double* area = LIMBERI_COPY(&scratch, double, look->area, rig->joint_count);
    double* moment = LIMBERI_COPY(&scratch, double, look->moment_y, rig->joint_count);
    uint8_t* paired = LIMBERI_ALLOCATE(&scratch, uint8_t, rig->joint_count);
    uint32_t* below = LIMBERI_ALLOCATE(&scratch, uint32_t, rig->joint_count);
    bool failed = scratch.failed;
    uint32_t count = 0;
    a->head = -1;
    if (!failed) {
        fuse_masses(a, mass);
        limberi_body_pairs(a->model, below, paired); // an arm in armor may be heavier than a head
    }
    for (uint32_t j = failed ? 0 : rig->joint_count; j-- > 0;) {
        head_candidate one = {mass[j], area[j] > 0 ? moment[j] / area[j] : a->lowest, j};
        if (one.height > a->lowest + head_high * a->height && !paired[j] && may_be_head(a, j, mass[j]))
            list[count++] = one;
        if (rig->parents[j] >= 0) {
            area[rig->parents[j]] += area[j];
            moment[rig->parents[j]] += moment[j];
        }
    }
    double max = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool twin = false;
        for (uint32_t k = 0; k < count; k++)
            twin = twin || is_twin(a, &list[i], &list[k]);
        if (!twin && list[i].mass > max) {
            max = list[i].mass;
            a->head = (int32_t)list[i].joint;
        }
    }
    limberi_arena_free(&scratch);
    return !failed;
}

// --- all of it ---

static bool scales_are_uniform(const limber_model* model) {
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        limber_vec3 s = model->rig.rest_local[j].scale;
        float max = fmaxf(s.x, fmaxf(s.y, s.z));
        float min = fminf(s.x, fminf(s.y, s.z));
        if (!(min > 0) || max - min > 1e-3f * max)
            return false;
    }
    return true;
}

static bool find_held(limberi_anatomy* a) {
    uint32_t joints = a->model->rig.joint_count;
    limberi_arena scratch = {NULL, false};
    uint8_t* moving = LIMBERI_ALLOCATE(&scratch, uint8_t, joints);
    uint32_t* fused = LIMBERI_ALLOCATE(&scratch, uint32_t, joints);
    bool failed = scratch.failed;
    if (!failed) {
        limberi_find_moving(a->model, moving);
        limberi_fuse_still(a->model, moving, fused);
        for (uint32_t j = 0; j < joints; j++)
            a->held[fused[j]] += a->own[j];
    }
    limberi_arena_free(&scratch);
    return !failed;
}

static bool fill(limberi_anatomy* a, const limberi_clip_ground* grounds, float* own, float* up, rest_look* look) {
    const limber_rig* rig = &a->model->rig;
    limberi_skin_shares(a->model, own);
    limberi_shares_below(rig, own, up);
    a->posable = scales_are_uniform(a->model);
    if (!grounds)
        memcpy(a->held, own, rig->joint_count * sizeof *own);
    else if (!find_held(a))
        return false;
    a->hips = limberi_body_hips(rig, up);
    list_trunk(a);
    if (!list_limbs(a))
        return false;
    spread_limbs(a);
    if (!look_at_rest(a, look) || (grounds && !count_touches(a, grounds)))
        return false;
    if (!grounds)
        stand_at_rest(a, look);
    find_legs(a, look);
    for (int pass = 0; pass < 2 && leave_feet(a); pass++)
        spread_limbs(a);
    sort_feet_last(a);
    return find_head(a, look);
}

limberi_anatomy* limberi_anatomy_create(const limber_model* model, const limberi_clip_ground* grounds) {
    uint32_t joints = model->rig.joint_count;
    limberi_anatomy* a = limberi_allocate_zeroed(1, sizeof *a);
    if (!a)
        return NULL;
    a->model = model;
    limberi_arena scratch = {NULL, false};
    float* own = LIMBERI_ALLOCATE(&a->arena, float, joints);
    float* up = LIMBERI_ALLOCATE(&a->arena, float, joints);
    a->own = own;
    a->up = up;
    a->trunk = LIMBERI_ALLOCATE(&a->arena, uint32_t, joints);
    a->limbs = LIMBERI_ALLOCATE(&a->arena, limberi_limb, joints);
    a->limb_of = LIMBERI_ALLOCATE(&a->arena, int32_t, joints);
    a->touch = LIMBERI_ALLOCATE(&a->arena, float, joints);
    a->held = LIMBERI_ALLOCATE(&a->arena, float, joints);
    rest_look look = {LIMBERI_ALLOCATE(&scratch, double, joints), LIMBERI_ALLOCATE(&scratch, double, joints),
                      LIMBERI_ALLOCATE(&scratch, double, joints), LIMBERI_ALLOCATE(&scratch, double, joints)};
    bool made = !a->arena.failed && !scratch.failed && fill(a, grounds, own, up, &look);
    limberi_arena_free(&scratch);
    if (!made) {
        limberi_anatomy_destroy(a);
        return NULL;
    }
    return a;
}

void limberi_anatomy_destroy(limberi_anatomy* anatomy) {
    if (!anatomy)
        return;
    limberi_arena_free(&anatomy->arena);
    limberi_release(anatomy);
}
