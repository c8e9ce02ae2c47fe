// A skeleton as a figure: the limbs by name or by shape, then what lies between them.
#include "retarget/figure.h"

#include "base/memory.h"
#include "retarget/figure_private.h"

#include <math.h>
#include <string.h>

static const float sure_name = 0.95f;
static const float min_sure = 0.35f; // what is less sure is asked for
static const double upright = 0.6; // of the cosine between the arms' and the legs' way down: arms that reach the floor

// --- names ---

// The bone that the caller says the joint is, else the one the file says, else the name of the joint.
static const char* name_of(const limber_rig* rig, const char* const* bones, uint32_t joint) {
    const char* bone = bones ? bones[joint] : NULL;
    if (!bone && rig->bones)
        bone = rig->bones[joint];
    const char* name = bone ? bone : rig->names[joint];
    return name ? name : "";
}

// How many joints of a limb lie above and at each joint; the path that has most of them is the limb.
static int32_t deepest_of(const limber_rig* rig, const limberi_joint_meaning* meanings, limberi_family family, int side,
                          uint32_t* depth) {
    int32_t deepest = -1;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        int32_t parent = rig->parents[j];
        depth[j] = parent >= 0 ? depth[parent] : 0;
        bool same_place = parent >= 0 && meanings[parent].piece == meanings[j].piece && meanings[j].piece &&
                          limberi_means(&meanings[parent], family, side) &&
                          limberi_joints_apart(rig, j, (uint32_t)parent) <= 0;
        if (!limberi_means(&meanings[j], family, side) || same_place)
            continue;
        depth[j]++;
        if (deepest < 0 || depth[j] > depth[deepest])
            deepest = (int32_t)j;
    }
    return deepest;
}

static void path_by_name(const limber_rig* rig, const limberi_joint_meaning* meanings, limberi_family family, int side,
                         uint32_t* depth, limberi_chain* path) {
    int32_t deepest = deepest_of(rig, meanings, family, side, depth);
    limberi_chain all;
    limberi_chain_between(rig, -1, deepest, &all);
    path->count = 0;
    for (uint32_t i = 0; i < all.count; i++)
        if (limberi_means(&meanings[all.joints[i]], family, side))
            limberi_chain_add(path, all.joints[i]);
}

// --- fingers ---

static void find_fingers(const limberi_joint_meaning* meanings, int side, const limber_rig* rig,
                         limberi_figure_limb* limb) {
    for (uint32_t j = (uint32_t)limb->end + 1; j < rig->joint_count; j++) {
        const limberi_joint_meaning* m = &meanings[j];
        if (!limberi_means(m, LIMBERI_FAMILY_FINGER, side) || !limberi_hangs_below(rig, j, (uint32_t)limb->end))
            continue;
        limberi_chain* finger = &limb->fingers[m->finger];
        if (!finger->count || limberi_hangs_below(rig, j, finger->joints[finger->count - 1]))
            limberi_chain_add(finger, j);
    }
}

// --- the trunk ---

static int32_t first_of(const limber_rig* rig, const limberi_joint_meaning* meanings, limberi_family family,
                        int32_t below) {
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (meanings[j].family == family && meanings[j].side < 0 && below >= 0 &&
            limberi_hangs_below(rig, j, (uint32_t)below))
            return (int32_t)j;
    return -1;
}

static uint32_t first_joint(const limberi_figure_limb* limb) {
    return limb->stub.count ? limb->stub.joints[0] : limb->bones.joints[0];
}

// Where the arms meet, or what of the spine is named last.
static int32_t find_chest(const limberi_figure* f, const limberi_joint_meaning* meanings) {
    if (limberi_figure_has(f, LIMBERI_ARM_LEFT) && limberi_figure_has(f, LIMBERI_ARM_RIGHT))
        return limberi_common_parent(f->rig, first_joint(&f->limbs[LIMBERI_ARM_LEFT]),
                                     first_joint(&f->limbs[LIMBERI_ARM_RIGHT]));
    int32_t chest = -1;
    for (uint32_t j = 0; j < f->rig->joint_count; j++)
        if (meanings[j].family == LIMBERI_FAMILY_SPINE && limberi_hangs_below(f->rig, j, (uint32_t)f->hips))
            chest = (int32_t)j;
    return chest;
}

static void find_tail(limberi_figure* f, const limberi_joint_meaning* meanings) {
    for (uint32_t j = 0; j < f->rig->joint_count; j++) {
        limberi_chain* tail = &f->tail;
        if (meanings[j].family == LIMBERI_FAMILY_TAIL && meanings[j].side < 0 &&
            (!tail->count || limberi_hangs_below(f->rig, j, tail->joints[tail->count - 1])))
            limberi_chain_add(tail, j);
    }
}

static void find_trunk(limberi_figure* f, const limberi_joint_meaning* meanings) {
    const limber_rig* rig = f->rig;
    f->hips =
        limberi_common_parent(rig, first_joint(&f->limbs[LIMBERI_LEG_LEFT]), first_joint(&f->limbs[LIMBERI_LEG_RIGHT]));
    if (f->hips < 0)
        return;
    int32_t chest = find_chest(f, meanings);
    if (chest >= 0 && limberi_hangs_below(rig, (uint32_t)chest, (uint32_t)f->hips))
        limberi_chain_between(rig, f->hips, chest, &f->spine);
    else
        chest = f->hips;
    f->head = first_of(rig, meanings, LIMBERI_FAMILY_HEAD, chest);
    if (f->head < 0)
        f->head = limberi_shape_head(f, (uint32_t)chest);
    if (f->head >= 0 && rig->parents[f->head] >= 0)
        limberi_chain_between(rig, chest, rig->parents[f->head], &f->neck);
    find_tail(f, meanings);
}

// --- directions ---

static void mean_of_limbs(const limberi_figure* f, uint32_t left, bool ends, double* mean) {
    double p[3];
    mean[0] = mean[1] = mean[2] = 0;
    for (uint32_t l = left; l < left + 2; l++) {
        limberi_rest_place(f->rig, ends ? (uint32_t)f->limbs[l].end : f->limbs[l].bones.joints[0], p);
        for (int i = 0; i < 3; i++)
            mean[i] += 0.5 * p[i];
    }
}

// The axis of the world that is nearest to the way from the feet to the hips.
static void find_up(limberi_figure* f) {
    double feet[3];
    double hips[3];
    mean_of_limbs(f, LIMBERI_LEG_LEFT, true, feet);
    mean_of_limbs(f, LIMBERI_LEG_LEFT, false, hips);
    int axis = 1;
    for (int i = 0; i < 3; i++) {
        f->up[i] = 0;
        if (fabs(hips[i] - feet[i]) > 1.2 * fabs(hips[axis] - feet[axis]))
            axis = i;
    }
    f->up[axis] = hips[axis] >= feet[axis] ? 1 : -1;
}

static bool find_side(limberi_figure* f) {
    double p[3];
    double q[3];
    limberi_rest_place(f->rig, f->limbs[LIMBERI_LEG_LEFT].bones.joints[0], p);
    limberi_rest_place(f->rig, f->limbs[LIMBERI_LEG_RIGHT].bones.joints[0], q);
    double along = 0;
    double size = 0;
    for (int i = 0; i < 3; i++)
        along += (p[i] - q[i]) * f->up[i];
    for (int i = 0; i < 3; i++) {
        f->side[i] = p[i] - q[i] - along * f->up[i];
        size += f->side[i] * f->side[i];
    }
    size = sqrt(size);
    for (int i = 0; i < 3; i++)
        f->side[i] = size > 0 ? f->side[i] / size : 0;
    for (int i = 0; i < 3; i++)
        f->front[i] = f->side[(i + 1) % 3] * f->up[(i + 2) % 3] - f->side[(i + 2) % 3] * f->up[(i + 1) % 3];
    return size > 0;
}

// How far the feet point to the front, in their own length; 0 when they have no toes.
static double feet_forward(const limberi_figure* f) {
    double forward = 0;
    for (uint32_t l = LIMBERI_LEG_LEFT; l <= LIMBERI_LEG_RIGHT; l++) {
        const limberi_figure_limb* limb = &f->limbs[l];
        if (!limb->tip.count)
            continue;
        double p[3];
        double q[3];
        limberi_rest_place(f->rig, (uint32_t)limb->end, p);
        limberi_rest_place(f->rig, limb->tip.joints[0], q);
        double apart = limberi_joints_apart(f->rig, (uint32_t)limb->end, limb->tip.joints[0]);
        for (int i = 0; i < 3; i++)
            forward += apart > 0 ? 0.5 * (q[i] - p[i]) / apart * f->front[i] : 0;
    }
    return forward;
}

static void find_all_fours(limberi_figure* f) {
    if (!limberi_figure_has(f, LIMBERI_ARM_LEFT) || !limberi_figure_has(f, LIMBERI_ARM_RIGHT))
        return;
    double down[2] = {0, 0};
    double low[2] = {0, 0};
    for (int pair = 0; pair < 2; pair++) {
        double p[3];
        double q[3];
        mean_of_limbs(f, pair ? LIMBERI_LEG_LEFT : LIMBERI_ARM_LEFT, false, p);
        mean_of_limbs(f, pair ? LIMBERI_LEG_LEFT : LIMBERI_ARM_LEFT, true, q);
        for (int i = 0; i < 3; i++) {
            down[pair] += (p[i] - q[i]) * f->up[i];
            low[pair] += q[i] * f->up[i];
        }
    }
    f->all_fours = down[0] > upright * down[1] && low[0] - low[1] < 0.35 * down[1];
}

// --- all of it ---

static void clear_figure(const limber_rig* rig, limberi_figure* figure) {
    memset(figure, 0, sizeof *figure);
    figure->rig = rig;
    figure->hips = figure->head = -1;
    for (uint32_t l = 0; l < LIMBERI_LIMBS; l++)
        figure->limbs[l].end = -1;
}

static bool has_legs(const limberi_figure* f) {
    return limberi_figure_has(f, LIMBERI_LEG_LEFT) && limberi_figure_has(f, LIMBERI_LEG_RIGHT);
}

static void limbs_by_name(limberi_figure* f, const limberi_joint_meaning* meanings, uint32_t* depth) {
    for (uint32_t l = 0; l < LIMBERI_LIMBS; l++) {
        limberi_family family = l < LIMBERI_LEG_LEFT ? LIMBERI_FAMILY_ARM : LIMBERI_FAMILY_LEG;
        limberi_chain path;
        path_by_name(f->rig, meanings, family, (int)(l & 1), depth, &path);
        limberi_limb_of_path(f->rig, meanings, &path, &f->limbs[l]);
    }
}

static bool finish(limberi_figure* f, const limberi_joint_meaning* meanings, const char** missing) {
    // Both arms or none: half a pair is a mistake of the names.
    if (limberi_figure_has(f, LIMBERI_ARM_LEFT) != limberi_figure_has(f, LIMBERI_ARM_RIGHT))
        f->limbs[LIMBERI_ARM_LEFT].end = f->limbs[LIMBERI_ARM_RIGHT].end = -1;
    find_trunk(f, meanings);
    *missing = "hips that two legs hang on";
    if (f->hips < 0)
        return false;
    find_up(f);
    *missing = "two legs beside each other";
    if (!find_side(f))
        return false;
    *missing = "feet that point forward; left and right seem to be swapped";
    if (feet_forward(f) < -0.5)
        return false;
    find_all_fours(f);
    for (uint32_t l = 0; l < LIMBERI_LEG_LEFT; l++)
        if (limberi_figure_has(f, l))
            find_fingers(meanings, (int)l, f->rig, &f->limbs[l]);
    return true;
}

static limber_result find(const limber_model* model, const char* const* bones, limberi_figure* figure,
                          limberi_joint_meaning* meanings, uint32_t* depth, const char** missing) {
    const limber_rig* rig = &model->rig;
    for (uint32_t j = 0; j < rig->joint_count; j++)
        meanings[j] = limberi_joint_meaning_of(name_of(rig, bones, j));
    limbs_by_name(figure, meanings, depth);
    figure->sure = sure_name;
    if (!has_legs(figure)) {
        clear_figure(rig, figure);
        figure->by_shape = true;
        if (!limberi_limbs_by_shape(model, figure, meanings))
            return LIMBER_ERROR_MEMORY;
    }
    *missing = "two legs";
    if (has_legs(figure) && figure->sure < min_sure) {
        *missing = "which limbs are arms and legs: others are like them";
        return LIMBER_ERROR_ARGUMENT;
    }
    return has_legs(figure) && finish(figure, meanings, missing) ? LIMBER_OK : LIMBER_ERROR_ARGUMENT;
}

limber_result limberi_figure_find(const limber_model* model, const char* const* bones, limberi_figure* figure,
                                  const char** missing) {
    uint32_t joints = model->rig.joint_count;
    limberi_joint_meaning* meanings = limberi_allocate(joints * sizeof *meanings);
    uint32_t* depth = limberi_allocate(joints * sizeof *depth);
    clear_figure(&model->rig, figure);
    *missing = "";
    limber_result result =
        meanings && depth ? find(model, bones, figure, meanings, depth, missing) : LIMBER_ERROR_MEMORY;
    limberi_release(meanings);
    limberi_release(depth);
    return result;
}
