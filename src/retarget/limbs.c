// Chains of joints, and how a chain from the body to a tip is cut into a limb.
#include "retarget/figure_private.h"

#include <math.h>
#include <string.h>

// --- the tree ---

int32_t limberi_common_parent(const limber_rig* rig, uint32_t a, uint32_t b) {
    int32_t i = (int32_t)a;
    int32_t j = (int32_t)b;
    while (i != j && i >= 0 && j >= 0) {
        if (i > j)
            i = rig->parents[i];
        else
            j = rig->parents[j];
    }
    return i == j ? i : -1;
}

void limberi_chain_add(limberi_chain* chain, uint32_t joint) {
    if (chain->count < LIMBERI_CHAIN_MAX)
        chain->joints[chain->count++] = joint;
}

void limberi_chain_between(const limber_rig* rig, int32_t above, int32_t joint, limberi_chain* chain) {
    uint32_t up[LIMBERI_CHAIN_MAX];
    uint32_t count = 0;
    for (int32_t j = joint; j >= 0 && j != above && count < LIMBERI_CHAIN_MAX; j = rig->parents[j])
        up[count++] = (uint32_t)j;
    chain->count = 0;
    while (count)
        limberi_chain_add(chain, up[--count]);
}

double limberi_joints_apart(const limber_rig* rig, uint32_t a, uint32_t b) {
    double p[3];
    double q[3];
    limberi_rest_place(rig, a, p);
    limberi_rest_place(rig, b, q);
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

double limberi_limb_length(const limberi_figure* figure, uint32_t limb) {
    const limberi_figure_limb* l = &figure->limbs[limb];
    uint32_t knee = l->bones.joints[l->lower];
    return limberi_joints_apart(figure->rig, l->bones.joints[0], knee) +
           limberi_joints_apart(figure->rig, knee, (uint32_t)l->end);
}

// --- a path becomes a limb ---

static const double thigh_part = 0.35; // of the bone after it
static const double thigh_along = 0.6; // cosine between it and the whole leg

// The child that has most below it, for limbs whose names end early.
static int32_t longest_child(const limber_rig* rig, uint32_t joint) {
    int32_t best = -1;
    double far = 0;
    for (uint32_t j = joint + 1; j < rig->joint_count; j++) {
        if (rig->parents[j] != (int32_t)joint)
            continue;
        double apart = limberi_joints_apart(rig, joint, j);
        if (best < 0 || apart > far) {
            best = (int32_t)j;
            far = apart;
        }
    }
    return far > 0 ? best : -1;
}

// How well three joints make a limb of two halves: both long, and about as long as each other.
static double limb_score(const limber_rig* rig, uint32_t a, uint32_t b, uint32_t c) {
    double upper = limberi_joints_apart(rig, a, b);
    double lower = limberi_joints_apart(rig, b, c);
    double small = upper < lower ? upper : lower;
    double large = upper < lower ? lower : upper;
    return large > 0 ? small * pow(small / large, 0.25) : 0;
}

static int32_t first_piece(const limberi_joint_meaning* meanings, const limberi_chain* path, limberi_piece piece) {
    for (uint32_t i = 0; i < path->count; i++)
        if (meanings[path->joints[i]].piece == piece)
            return (int32_t)i;
    return -1;
}

typedef struct limb_cut {
    uint32_t upper, lower, end; // places in the path
} limb_cut;

static bool allowed(int32_t named, uint32_t place) {
    return named < 0 || named == (int32_t)place;
}

// Hind legs of animals have a bone more, and some call the second one the upper leg: what comes before it is long, goes
// where the leg goes, and is the thigh.
static bool is_thigh(const limber_rig* rig, const limberi_joint_meaning* meanings, const limberi_chain* path,
                     uint32_t upper, uint32_t lower) {
    double way[3];
    double leg[3];
    uint32_t joint = path->joints[upper - 1];
    if (meanings[joint].family != LIMBERI_FAMILY_LEG || meanings[joint].piece != LIMBERI_PIECE_ANY)
        return false;
    limberi_rest_way(rig, joint, path->joints[upper], way);
    limberi_rest_way(rig, joint, path->joints[path->count - 1], leg);
    double length = limberi_joints_apart(rig, joint, path->joints[upper]);
    double whole = limberi_joints_apart(rig, joint, path->joints[path->count - 1]);
    double along = way[0] * leg[0] + way[1] * leg[1] + way[2] * leg[2];
    return length > thigh_part * limberi_joints_apart(rig, path->joints[upper], path->joints[lower]) &&
           along > thigh_along * length * whole;
}

// Where the path is cut: as the names of its joints say, and where they do not, by the lengths of its bones.
static bool cut_path(const limber_rig* rig, const limberi_joint_meaning* meanings, const limberi_chain* path,
                     limb_cut* cut) {
    int32_t upper = first_piece(meanings, path, LIMBERI_PIECE_UPPER);
    int32_t lower = first_piece(meanings, path, LIMBERI_PIECE_LOWER);
    int32_t end = first_piece(meanings, path, LIMBERI_PIECE_END);
    if (upper > 0 && lower == upper + 1 && is_thigh(rig, meanings, path, (uint32_t)upper, (uint32_t)lower)) {
        end = end < 0 && lower + 1 < (int32_t)path->count ? lower + 1 : end;
        lower = upper--;
    }
    double best = 0;
    for (uint32_t a = 0; a + 2 < path->count; a++)
        for (uint32_t b = a + 1; b + 1 < path->count; b++)
            for (uint32_t c = b + 1; c < path->count; c++) {
                bool near = (upper >= 0 || b == a + 1) && (end >= 0 || lower >= 0 || c == b + 1);
                if (!near || !allowed(upper, a) || !allowed(lower, b) || !allowed(end, c))
                    continue;
                double score = limb_score(rig, path->joints[a], path->joints[b], path->joints[c]);
                if (score > best) {
                    best = score;
                    *cut = (limb_cut){a, b, c};
                }
            }
    return best > 0;
}

// The joint that acts as the end although it hangs elsewhere: skin that follows the limb, or the foot by name.
static int32_t loose_end(const limber_rig* rig, const limberi_joint_meaning* meanings, const limberi_chain* path) {
    uint32_t last = path->joints[path->count - 1];
    limberi_joint_meaning m = meanings[last];
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (rig->hangs_on[j] == (int32_t)last && rig->parents[j] != (int32_t)last)
            return (int32_t)j;
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (limberi_means(&meanings[j], m.family, m.side) && meanings[j].piece == LIMBERI_PIECE_END &&
            !limberi_hangs_below(rig, j, path->joints[0]))
            return (int32_t)j;
    return -1;
}

static void extend(const limber_rig* rig, limberi_chain* path) {
    while (path->count && path->count < 3) {
        int32_t child = longest_child(rig, path->joints[path->count - 1]);
        if (child < 0)
            return;
        limberi_chain_add(path, (uint32_t)child);
    }
}

static void fill_limb(const limberi_chain* path, const limb_cut* cut, limberi_figure_limb* limb) {
    for (uint32_t i = 0; i < cut->upper; i++)
        limberi_chain_add(&limb->stub, path->joints[i]);
    for (uint32_t i = cut->upper; i < cut->end; i++)
        limberi_chain_add(&limb->bones, path->joints[i]);
    limb->lower = cut->lower - cut->upper;
    limb->end = (int32_t)path->joints[cut->end];
    for (uint32_t i = cut->end + 1; i < path->count; i++)
        limberi_chain_add(&limb->tip, path->joints[i]);
}

void limberi_limb_of_path(const limber_rig* rig, const limberi_joint_meaning* meanings, const limberi_chain* given,
                          limberi_figure_limb* limb) {
    limberi_chain path = *given;
    limb_cut cut = {0, 0, 0};
    memset(limb, 0, sizeof *limb);
    limb->end = -1;
    if (path.count < 2)
        return;
    if (first_piece(meanings, &path, LIMBERI_PIECE_END) < 0) {
        int32_t end = loose_end(rig, meanings, &path);
        limb->loose = end >= 0;
        if (end >= 0)
            limberi_chain_add(&path, (uint32_t)end);
    }
    extend(rig, &path);
    if (!cut_path(rig, meanings, &path, &cut))
        return;
    limb->loose = limb->loose && cut.end + 1 == path.count;
    fill_limb(&path, &cut, limb);
}
