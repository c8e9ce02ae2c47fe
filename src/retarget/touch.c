// Hands that touch each other or the body in the motion come as close on the character: arms that are shorter, and bodies
// that are thicker, bring them elsewhere when only directions are kept. How near is near, and how far a hand may go for
// it, is bounded.
#include "base/math.h"
#include "base/memory.h"
#include "base/turns.h"
#include "retarget/figure_private.h"
#include "retarget/retarget_private.h"

#include <string.h>

static const double touches = 0.08; // of the arm: a hand that is nearer to skin than this in the motion touches it,
static const double misses = 0.25;  // and one that is farther away does not
static const double farthest = 0.4; // of the arm: how far a hand may go, reached smoothly

// --- parts of bodies ---

// The place on a segment that is nearest to a point, as a part of its length, and the way from there to the point.
static double nearest_on(const double* a, const double* b, const double* point, double* way) {
    double along[3];
    double from[3];
    for (int k = 0; k < 3; k++) {
        along[k] = b[k] - a[k];
        from[k] = point[k] - a[k];
    }
    double square = limberi_dot3(along, along);
    double part = square > 0 ? limberi_dot3(from, along) / square : 0;
    part = part > 0 ? part : 0;
    part = part < 1 ? part : 1;
    for (int k = 0; k < 3; k++)
        way[k] = from[k] - part * along[k];
    return part;
}

// Skin of a part: what hangs on its first joint, but not on its last one.
static bool is_of_part(const limber_rig* rig, const limberi_touch_part* part, uint32_t joint) {
    bool below = joint == part->first || limberi_hangs_below(rig, joint, part->first);
    bool beyond = part->last != part->first && (joint == part->last || limberi_hangs_below(rig, joint, part->last));
    return below && !beyond;
}

typedef struct skin_sums {
    double place[3], away, weight;
} skin_sums;

static void add_vertex(const double* a, const double* b, const float* at, skin_sums* sums) {
    double point[3] = {(double)at[0], (double)at[1], (double)at[2]};
    double way[3];
    nearest_on(a, b, point, way);
    for (int k = 0; k < 3; k++)
        sums->place[k] += point[k];
    sums->away += limberi_length3(way);
    sums->weight += 1;
}

// Sums over the skin of a part, which lies from `a` to `b` in the rest pose. False: memory is short.
static bool add_skin(const limber_model* model, const limberi_touch_part* part, const double* a, const double* b,
                     skin_sums* sums) {
    memset(sums, 0, sizeof *sums);
    for (uint32_t i = 0; i < model->mesh_count; i++) {
        const limber_mesh* mesh = &model->meshes[i];
        const limber_skin* skin = &model->skins[mesh->skin];
        float* places = limberi_allocate((size_t)mesh->vertex_count * 3 * sizeof *places);
        if (!places)
            return false;
        limber_mesh_rest_positions(model, mesh, places);
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            double weight = 0;
            for (uint32_t k = mesh->influence_first[v]; k < mesh->influence_first[v + 1]; k++)
                if (is_of_part(&model->rig, part, skin->joints[mesh->influence_joint[k]]))
                    weight += (double)mesh->influence_weight[k];
            if (weight > 0.5)
                add_vertex(a, b, places + 3 * (size_t)v, sums);
        }
        limberi_release(places);
    }
    return true;
}

// A head ends in the middle of its skin, other parts at their last joint.
static bool measure_part(const limber_model* model, limberi_touch_part* part) {
    double a[3];
    double b[3];
    skin_sums sums;
    limberi_rest_place(&model->rig, part->first, a);
    limberi_rest_place(&model->rig, part->last, b);
    if (part->last == part->first) {
        double turn[4];
        double inverse[4];
        double way[3] = {0, 0, 0};
        if (!add_skin(model, part, a, a, &sums))
            return false;
        for (int k = 0; sums.weight > 0 && k < 3; k++)
            way[k] = sums.place[k] / sums.weight - a[k];
        for (int k = 0; k < 3; k++)
            b[k] = a[k] + way[k];
        limberi_turn_of_matrix(&model->rig.world_from_joint_rest[part->first], turn);
        limberi_turn_inverse(turn, inverse);
        limberi_turn_rotate(inverse, way, part->tip);
    }
    if (!add_skin(model, part, a, b, &sums))
        return false;
    part->thick = sums.weight > 0 ? sums.away / sums.weight : 0;
    return true;
}

typedef enum part_name { PART_TRUNK, PART_HEAD, PART_THIGH_LEFT, PART_THIGH_RIGHT, PART_OTHER_ARM } part_name;

// Which joints a part has; false: the figure does not have it. `limb` is the arm whose hand touches it.
static bool name_part(const limberi_figure* f, part_name name, uint32_t limb, limberi_touch_part* part) {
    memset(part, 0, sizeof *part);
    if (name == PART_TRUNK) {
        part->first = (uint32_t)f->hips;
        part->last = f->spine.count ? f->spine.joints[f->spine.count - 1] : part->first;
        part->last = f->neck.count ? f->neck.joints[0] : part->last;
        return part->last != part->first;
    }
    if (name == PART_HEAD) {
        part->first = part->last = f->head >= 0 ? (uint32_t)f->head : 0;
        return f->head >= 0;
    }
    uint32_t other = name == PART_THIGH_LEFT ? LIMBERI_LEG_LEFT : LIMBERI_LEG_RIGHT;
    other = name == PART_OTHER_ARM ? limb ^ 1u : other;
    part->first = f->limbs[other].bones.joints[0];
    part->last = f->limbs[other].bones.joints[f->limbs[other].lower];
    return limberi_figure_has(f, other);
}

static uint32_t source_limb(const limber_retarget* r, uint32_t limb) {
    return r->settings.mirror ? limb ^ 1u : limb;
}

static part_name source_part(const limber_retarget* r, part_name name) {
    if (!r->settings.mirror || (name != PART_THIGH_LEFT && name != PART_THIGH_RIGHT))
        return name;
    return name == PART_THIGH_LEFT ? PART_THIGH_RIGHT : PART_THIGH_LEFT;
}

limber_result limberi_touch_prepare(limber_retarget* r) {
    if (!r->settings.touch || r->to.all_fours || !limberi_figure_has(&r->to, LIMBERI_ARM_LEFT) ||
        !limberi_figure_has(&r->from, LIMBERI_ARM_LEFT))
        return LIMBER_OK;
    r->has_hands = true;
    for (uint32_t l = 0; l < 2; l++)
        for (uint32_t p = 0; p < LIMBERI_TOUCH_PARTS; p++) {
            limberi_touch* touch = &r->touches[l][p];
            touch->is_there = name_part(&r->from, source_part(r, (part_name)p), source_limb(r, l), &touch->from) &&
                              name_part(&r->to, (part_name)p, l, &touch->to);
            if (touch->is_there && !(measure_part(r->motion, &touch->from) && measure_part(r->character, &touch->to)))
                return LIMBER_ERROR_MEMORY;
        }
    return LIMBER_OK;
}

// --- one moment ---

// The ends of a part of the motion, in the character's world and size.
static void ends_in_motion(const limber_retarget* r, const limberi_moment* m, const limberi_touch_part* part, double* a,
                           double* b) {
    limberi_carry_place(r, m, part->first, a);
    limberi_carry_place(r, m, part->last, b);
    if (part->last != part->first)
        return;
    double turn[4];
    double way[3];
    double carried[3];
    limberi_turn_of_matrix(&m->from[part->first], turn);
    limberi_turn_rotate(turn, part->tip, way);
    limberi_carry_vector(r, way, carried);
    for (int k = 0; k < 3; k++)
        b[k] += r->scale * carried[k];
}

static void ends_in_character(const limberi_moment* m, const limberi_touch_part* part, double* a, double* b) {
    double way[3] = {0, 0, 0};
    if (part->last == part->first)
        limberi_turn_rotate(m->turn[part->first], part->tip, way);
    for (int k = 0; k < 3; k++) {
        a[k] = m->place[part->first][k];
        b[k] = m->place[part->last][k] + way[k];
    }
}

// Ways to where a hand would touch, weighed by how much it touches in the motion.
typedef struct touch_sums {
    double way[3], weight, max;
} touch_sums;

static void add_way(touch_sums* sums, const double* way, double weight) {
    for (int k = 0; k < 3; k++)
        sums->way[k] += weight * way[k];
    sums->weight += weight;
    sums->max = weight > sums->max ? weight : sums->max;
}

static double touch_weight(double gap, double arm) {
    return 1 - limberi_smooth_step(touches, misses, gap / arm);
}

// A hand of the motion beside a part of its body, and the same on the character: on the same side of it, and as near to
// its skin. Sizes go by the lengths of the arms.
static void touch_part(const limber_retarget* r, const limberi_moment* m, uint32_t limb, const limberi_touch* touch,
                       double share, touch_sums* sums) {
    double hand[3];
    double a[3];
    double b[3];
    double way[3];
    double arm = limberi_limb_length(&r->to, limb);
    double grow = arm / (r->scale * limberi_limb_length(&r->from, source_limb(r, limb)));
    limberi_carry_place(r, m, (uint32_t)r->from.limbs[source_limb(r, limb)].end, hand);
    ends_in_motion(r, m, &touch->from, a, b);
    double part = nearest_on(a, b, hand, way);
    double away = limberi_length3(way);
    double gap = grow * (away - r->scale * touch->from.thick);
    double weight = share * touch_weight(gap, arm);
    if (!(weight > 0) || !(away > 0))
        return;
    ends_in_character(m, &touch->to, a, b);
    for (int k = 0; k < 3; k++)
        way[k] =
            a[k] + part * (b[k] - a[k]) + way[k] / away * (touch->to.thick + gap) - m->place[r->to.limbs[limb].end][k];
    add_way(sums, way, weight);
}

// Hands that are together: each goes half of what they are too far apart or too close.
static void touch_hand(const limber_retarget* r, const limberi_moment* m, uint32_t limb, touch_sums* sums) {
    double hands[2][3];
    double way[3];
    double arm = limberi_limb_length(&r->to, limb);
    double grow = arm / (r->scale * limberi_limb_length(&r->from, source_limb(r, limb)));
    for (uint32_t i = 0; i < 2; i++)
        limberi_carry_place(r, m, (uint32_t)r->from.limbs[source_limb(r, i ? limb ^ 1u : limb)].end, hands[i]);
    const double* mine = m->place[r->to.limbs[limb].end];
    const double* other = m->place[r->to.limbs[limb ^ 1u].end];
    for (int k = 0; k < 3; k++)
        way[k] = grow * (hands[0][k] - hands[1][k]);
    double weight = touch_weight(limberi_length3(way), arm);
    for (int k = 0; k < 3; k++)
        way[k] = 0.5 * (way[k] - (mine[k] - other[k]));
    add_way(sums, way, weight);
}

// How far a hand goes: all the way for small ones, and never farther than it may.
static double bounded(double way, double max) {
    return way > 0 ? max * (1 - exp(-way / max)) / way : 0;
}

void limberi_touch_solve(const limber_retarget* r, limberi_moment* m) {
    double goals[2][3];
    for (uint32_t l = 0; l < 2; l++) {
        touch_sums sums = {0};
        touch_hand(r, m, l, &sums);
        double share = 1 - sums.weight; // hands that hold each other leave the body alone
        for (uint32_t p = 0; p < LIMBERI_TOUCH_PARTS; p++)
            if (r->touches[l][p].is_there)
                touch_part(r, m, l, &r->touches[l][p], share, &sums);
        for (int k = 0; k < 3; k++)
            sums.way[k] *= sums.weight > 0 ? sums.max / sums.weight : 0;
        double part = bounded(limberi_length3(sums.way), farthest * limberi_limb_length(&r->to, l));
        for (int k = 0; k < 3; k++)
            goals[l][k] = m->place[r->to.limbs[l].end][k] + part * sums.way[k];
    }
    for (uint32_t l = 0; l < 2; l++) {
        const limberi_figure_limb* limb = &r->to.limbs[l];
        uint32_t upper = r->from.limbs[source_limb(r, l)].bones.joints[0];
        double back[3];
        double hint[3];
        for (int k = 0; k < 3; k++)
            back[k] = -r->to.front[k];
        limberi_turn_rotate(m->from_turn[upper], back, hint);
        limberi_bend_limb(m, limb, m->place[limb->end], goals[l], hint);
    }
}
