// Feet that stood in the motion stand on the character: the ankle, or with a raised heel the toes, go where those of the
// motion go, and the leg is bent to reach them.
#include "base/math.h"
#include "base/turns.h"
#include "retarget/retarget_private.h"

#include <string.h>

static const double heel_raised = 0.1;  // sine of the foot's pitch from which the toes lead
static const double low_part = 0.1;     // what a foot counts that is low but does not stand, for the height of the hips
static const double go_along = 0.006;   // of the leg: how far the leg of a foot that goes is bent for the ground
static const double soft_floor = 0.004; // of the leg: how gently soles come to the floor

static void carried_rest_way(const limber_retarget* r, uint32_t a, uint32_t b, double* way) {
    double plain[3];
    limberi_rest_way(&r->motion->rig, a, b, plain);
    limberi_carry_vector(r, plain, way);
    for (int i = 0; i < 3; i++)
        way[i] *= r->scale;
}

// From the middle between the legs to where this one begins.
static void root_from_middle(const limberi_figure* figure, const limberi_figure_limb* limb, double* way) {
    double left[3];
    double right[3];
    limberi_rest_place(figure->rig, figure->limbs[LIMBERI_LEG_LEFT].bones.joints[0], left);
    limberi_rest_place(figure->rig, figure->limbs[LIMBERI_LEG_RIGHT].bones.joints[0], right);
    limberi_rest_place(figure->rig, limb->bones.joints[0], way);
    for (int i = 0; i < 3; i++)
        way[i] -= 0.5 * (left[i] + right[i]);
}

static void prepare_foot(const limber_retarget* r, uint32_t l, limberi_foot* foot) {
    uint32_t source = r->settings.mirror ? l ^ 1u : l;
    foot->from = &r->from.limbs[source];
    foot->to = &r->to.limbs[l];
    foot->from_length = limberi_limb_length(&r->from, source);
    foot->length = limberi_limb_length(&r->to, l);
    double there[3];
    double carried[3];
    root_from_middle(&r->from, foot->from, there);
    limberi_carry_vector(r, there, carried);
    root_from_middle(&r->to, foot->to, foot->wide);
    for (int i = 0; i < 3; i++)
        foot->wide[i] -= r->scale * carried[i];
    foot->has_toes = foot->from->tip.count && foot->to->tip.count;
    if (foot->from->tip.count)
        carried_rest_way(r, (uint32_t)foot->from->end, foot->from->tip.joints[0], foot->from_toes);
    if (foot->has_toes)
        limberi_rest_way(&r->character->rig, (uint32_t)foot->to->end, foot->to->tip.joints[0], foot->toes);
    uint32_t last = foot->to->bones.joints[foot->to->bones.count - 1];
    double inverse[4];
    double way[3];
    limberi_rest_way(&r->character->rig, last, (uint32_t)foot->to->end, way);
    limberi_turn_inverse(r->rest[last], inverse);
    limberi_turn_rotate(inverse, way, foot->end_offset);
}

// How much of the way between the legs is wider than in the motion; little counts as nothing.
static void find_wider(limber_retarget* r) {
    double roots[2][3];
    double excess = 0;
    for (int i = 0; i < 2; i++) {
        r->legs[i] = &r->feet[r->foot_count - 2 + (uint32_t)i];
        root_from_middle(&r->to, r->legs[i]->to, roots[i]);
    }
    for (int k = 0; k < 3; k++) {
        r->legs_apart[k] = roots[0][k] - roots[1][k];
        excess += r->legs_apart[k] * (r->legs[0]->wide[k] - r->legs[1]->wide[k]);
    }
    double part = excess / limberi_dot3(r->legs_apart, r->legs_apart);
    r->wider = part * limberi_smooth_step(0.1, 0.5, part);
}

void limberi_feet_prepare(limber_retarget* r) {
    for (uint32_t l = 0; l < LIMBERI_LIMBS; l++) {
        bool stands = l >= LIMBERI_LEG_LEFT || r->to.all_fours;
        if (stands && limberi_figure_has(&r->to, l) && limberi_figure_has(&r->from, r->settings.mirror ? l ^ 1u : l))
            prepare_foot(r, l, &r->feet[r->foot_count++]);
    }
    find_wider(r);
}

// --- one moment ---

// The part of a rotation that is about `axis`.
static void twist_about(const double* q, const double* axis, double* twist) {
    double along = limberi_dot3(q, axis);
    double size = sqrt(along * along + q[3] * q[3]);
    for (int i = 0; i < 3; i++)
        twist[i] = size > 1e-9 ? axis[i] * along / size : 0;
    twist[3] = size > 1e-9 ? q[3] / size : 1;
}

// How much the toes lead instead of the ankle: when the heel is up, and the sole still looks down.
static double toes_lead(const limber_retarget* r, const limberi_foot* foot, const double* turn) {
    double turned[3];
    double up[3];
    double length = limberi_length3(foot->from_toes);
    limberi_turn_rotate(turn, foot->from_toes, turned);
    limberi_turn_rotate(turn, r->to.up, up);
    if (!foot->can_roll || !(length > 0))
        return 0;
    double pitch = (limberi_dot3(foot->from_toes, r->to.up) - limberi_dot3(turned, r->to.up)) / length;
    return limberi_smooth_step(0, heel_raised, pitch) * limberi_smooth_step(0.2, 0.5, limberi_dot3(up, r->to.up));
}

// How far something goes below the floor, with a soft begin.
static double below_floor(const limber_retarget* r, const limberi_foot* foot, double height) {
    double deep = r->sole + foot->step - height;
    return deep > 0 ? deep * deep / (deep + soft_floor * foot->length) : 0;
}

// The turn about the horizontal `axis` that lifts a point of the sole by `lift`; the point is `way` from what stays. A
// point that lies ahead in the rest pose (`ahead` 1, else -1) is lifted to the front, even when it hangs straight down.
static double turn_to_lift(const limber_retarget* r, const double* axis, const double* way, double ahead, double lift) {
    double front[3] = {axis[1] * r->to.up[2] - axis[2] * r->to.up[1], axis[2] * r->to.up[0] - axis[0] * r->to.up[2],
                       axis[0] * r->to.up[1] - axis[1] * r->to.up[0]};
    double height = limberi_dot3(way, r->to.up);
    double forward = ahead * limberi_dot3(way, front);
    double reach = sqrt(height * height + forward * forward);
    if (!(lift > 0) || !(reach > 0))
        return 0;
    double goal = (height + lift) / reach;
    goal = goal < 1 ? goal : 1;
    return -ahead * (asin(goal) - atan2(height, forward));
}

// The turn that brings two points to one height, without its sign.
static double turn_to_level(const limber_retarget* r, const double* a, const double* b) {
    double way[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    double size = limberi_length3(way);
    double sine = size > 0 ? fabs(limberi_dot3(way, r->to.up)) / size : 0;
    return asin(sine < 1 ? sine : 1);
}

// Turns a sole about a horizontal axis until the deeper one of two of its points is not below the floor any more, or both
// are as deep: `a` ahead of the axis and `b` behind it, in the rest pose, from `at`, which is what stays.
static void turn_above_floor(const limber_retarget* r, const limberi_foot* foot, const double* axis, const double* at,
                             const double* a, const double* b, double* turn) {
    double ways[2][3];
    double deep[2];
    double step[4];
    double before[4];
    limberi_turn_rotate(turn, a, ways[0]);
    limberi_turn_rotate(turn, b, ways[1]);
    for (int i = 0; i < 2; i++)
        deep[i] = below_floor(r, foot, limberi_dot3(at, r->to.up) + limberi_dot3(ways[i], r->to.up));
    int lower = deep[1] > deep[0];
    double lift = deep[lower] - deep[!lower];
    double angle = turn_to_lift(r, axis, ways[lower], lower ? -1 : 1, lift);
    double max = turn_to_level(r, ways[0], ways[1]);
    if (fabs(angle) > max)
        angle = angle < 0 ? -max : max;
    limberi_turn_exp(axis, angle, step);
    memcpy(before, turn, sizeof before);
    limberi_turn_mul(step, before, turn);
}

// Both corners of the sole at its tip or at its heel, from the ankle, rest pose.
static void corners_at(const limberi_foot* foot, const double* end, double* right, double* left) {
    for (int i = 0; i < 3; i++) {
        double middle = 0.5 * (foot->tip[i] + foot->heel[i]);
        right[i] = end[i] + foot->right[i] - middle;
        left[i] = end[i] + foot->left[i] - middle;
    }
}

static bool tip_is_lower(const limber_retarget* r, const limberi_foot* foot, const double* turn) {
    double tip[3];
    double heel[3];
    limberi_turn_rotate(turn, foot->ball, tip);
    limberi_turn_rotate(turn, foot->heel, heel);
    return limberi_dot3(tip, r->to.up) < limberi_dot3(heel, r->to.up);
}

// The joint of the toes stays as high as it is in the rest pose, which keeps the skin around it above the floor.
static void lift_toe_joint(const limber_retarget* r, const limberi_foot* foot, const double* side, const double* goal,
                           double* turn) {
    double at[3];
    double heel[3];
    double thick = limberi_dot3(foot->toes, r->to.up) - limberi_dot3(foot->ball, r->to.up);
    for (int i = 0; i < 3; i++) {
        at[i] = goal[i] - thick * r->to.up[i];
        heel[i] = foot->heel[i] + thick * r->to.up[i];
    }
    turn_above_floor(r, foot, side, at, foot->toes, heel, turn);
}

// The sole stays above the floor: the foot rolls and pitches, and the ankle rises when all of it would be below.
static void keep_above_floor(const limber_retarget* r, const limberi_foot* foot, const double* flat, double* goal,
                             double* turn) {
    double side[3];
    double front[3];
    double way[3];
    if (!foot->has_sole)
        return;
    limberi_turn_rotate(flat, r->to.side, side);
    limberi_turn_rotate(flat, r->to.front, front);
    double right[3];
    double left[3];
    corners_at(foot, tip_is_lower(r, foot, turn) ? foot->ball : foot->heel, right, left);
    turn_above_floor(r, foot, front, goal, right, left, turn);
    if (foot->has_toes)
        lift_toe_joint(r, foot, side, goal, turn);
    else
        turn_above_floor(r, foot, side, goal, foot->nose, foot->heel, turn);
    turn_above_floor(r, foot, side, goal, foot->ball, foot->heel, turn);
    double lift = INFINITY;
    const double* points[2] = {foot->ball, foot->heel};
    for (int i = 0; i < 2; i++) {
        limberi_turn_rotate(turn, points[i], way);
        double deep = below_floor(r, foot, limberi_dot3(goal, r->to.up) + limberi_dot3(way, r->to.up));
        lift = deep < lift ? deep : lift;
    }
    for (int i = 0; i < 3; i++)
        goal[i] += lift * r->to.up[i];
}

// Keeps the middle of a foot that is longer than that of the motion where the motion has it: when it turns on the spot,
// ankle and toes move farther by the same amount.
static void step_back(const limber_retarget* r, const limberi_foot* foot, const double* flat, double* place) {
    double out[3];
    if (!foot->has_toes)
        return;
    limberi_turn_rotate(flat, foot->longer, out);
    double climb = limberi_dot3(out, r->to.up);
    for (int i = 0; i < 3; i++)
        place[i] -= 0.5 * (out[i] - climb * r->to.up[i]);
}

// A low foot whose heel is up has its toes where those of the motion are: it pitches as far as its length asks for. One
// that stands keeps them there, and its ankle stays as near as it can to where that of the motion is.
static void hold_toes(const limber_retarget* r, const limberi_moment* m, const limberi_foot* foot, const double* flat,
                      double lead, double* goal, double* turn) {
    double toe[3];
    double out[3];
    double now[3];
    double outward[3];
    double swing[4];
    double vector[3];
    double before[4];
    limberi_carry_place(r, m, foot->from->tip.joints[0], toe);
    limberi_turn_rotate(flat, foot->longer, out);
    limberi_turn_rotate(turn, foot->pivot, now);
    for (int i = 0; i < 3; i++) {
        toe[i] += out[i] + foot->move[i];
    }
    step_back(r, foot, flat, toe);
    for (int i = 0; i < 3; i++)
        outward[i] = toe[i] - goal[i];
    limberi_turn_onto(now, outward, swing);
    limberi_turn_log(swing, vector);
    limberi_turn_exp(vector, lead * foot->low, swing);
    memcpy(before, turn, sizeof before);
    limberi_turn_mul(swing, before, turn);
    limberi_turn_rotate(turn, foot->pivot, now);
    for (int i = 0; i < 3; i++)
        goal[i] += lead * foot->ground * (toe[i] - now[i] - goal[i]);
}

double limberi_foot_height(const limber_retarget* r, const limberi_moment* m, const limberi_foot* foot,
                           double* places) {
    double* toe = places + 3;
    limberi_carry_place(r, m, (uint32_t)foot->from->end, places);
    limberi_carry_place(r, m, foot->from->tip.count ? foot->from->tip.joints[0] : (uint32_t)foot->from->end, toe);
    double low = limberi_dot3(places, r->to.up) - r->floor_goal;
    double toes = limberi_dot3(toe, r->to.up) - r->floor_goal - limberi_dot3(foot->from_toes, r->to.up);
    return toes < low ? toes : low;
}

// When hips turn that are wider than those of the motion, they lift and shift one leg against the other by more than
// its feet do. While the feet are low, the additional width therefore turns with the feet: with the way they look, or
// with the way they were found to stand.
void limberi_feet_level_hips(const limber_retarget* r, limberi_moment* m) {
    const double* turn = m->from_turn[r->from.hips];
    double was[3];
    double goal[3];
    double wide[2][3];
    if (!(r->wider > 0))
        return;
    for (int i = 0; i < 2; i++) {
        double flat[4];
        twist_about(m->from_turn[r->legs[i]->from->end], r->to.up, flat);
        limberi_turn_rotate(flat, r->legs[i]->wide, wide[i]);
        double known = r->stands ? limberi_smooth_step(0, 0.4, r->legs[i]->ground) : 0;
        for (int k = 0; k < 3; k++)
            wide[i][k] += known * (r->legs[i]->move[k] - wide[i][k]);
    }
    double excess[3];
    for (int k = 0; k < 3; k++)
        excess[k] = r->legs[0]->wide[k] - r->legs[1]->wide[k];
    limberi_turn_rotate(turn, r->legs_apart, was);
    limberi_turn_rotate(turn, excess, goal);
    for (int k = 0; k < 3; k++)
        goal[k] = was[k] + r->legs[0]->low * r->legs[1]->low * (wide[0][k] - wide[1][k] - goal[k]);
    limberi_turn_onto(was, goal, m->extra[r->to.hips]);
}

// A leg that is not straight in the motion does not become straight: what it would reach farther is softened.
static double limit_reach(const limberi_moment* m, const limberi_foot* foot, double reach) {
    const limber_mat4* hip = &m->from[foot->from->bones.joints[0]];
    const limber_mat4* ankle = &m->from[foot->from->end];
    double a[3] = {(double)hip->m[12], (double)hip->m[13], (double)hip->m[14]};
    double b[3] = {(double)ankle->m[12], (double)ankle->m[13], (double)ankle->m[14]};
    double was = foot->from_length > 0 ? limberi_distance3(a, b) / foot->from_length : 1;
    double now = foot->length > 0 ? reach / foot->length : 0;
    was = was < 1 ? was : 1;
    double room = 1 - was;
    if (now <= was)
        return reach;
    return foot->length * (room > 1e-9 ? was + room * (1 - exp(-(now - was) / room)) : was);
}

// The knee on the way from hip to goal, on the side where it is now.
static void place_knee(const double* hip, const double* knee, const double* goal, double upper, double lower,
                       const double* front, double* out) {
    double way[3];
    double bend[3];
    double reach = limberi_distance3(hip, goal);
    for (int i = 0; i < 3; i++)
        way[i] = reach > 0 ? (goal[i] - hip[i]) / reach : 0;
    double along = 0;
    double ahead = limberi_dot3(front, way);
    for (int i = 0; i < 3; i++)
        along += (knee[i] - hip[i]) * way[i];
    for (int i = 0; i < 3; i++)
        bend[i] = knee[i] - hip[i] - along * way[i] + 1e-4 * upper * (front[i] - ahead * way[i]);
    double size = limberi_length3(bend);
    double at = reach > 0 ? (upper * upper - lower * lower + reach * reach) / (2 * reach) : 0;
    at = at > upper ? upper : at;
    at = at < -upper ? -upper : at;
    double off = sqrt(upper * upper - at * at);
    for (int i = 0; i < 3; i++)
        out[i] = hip[i] + at * way[i] + (size > 0 ? off * bend[i] / size : 0);
}

// What is between a turn as planned and as it is to be.
static void turn_more(limberi_moment* m, uint32_t joint, const double* planned, const double* turn) {
    double inverse[4];
    double more[4];
    limberi_turn_inverse(planned, inverse);
    limberi_turn_mul(turn, inverse, more);
    memcpy(m->extra[joint], more, sizeof m->extra[joint]);
}

static void end_place(const limberi_moment* m, const limberi_foot* foot, double* place) {
    uint32_t last = foot->to->bones.joints[foot->to->bones.count - 1];
    limberi_turn_rotate(m->turn[last], foot->end_offset, place);
    for (int i = 0; i < 3; i++)
        place[i] += m->place[last][i];
}

// Where a foot that stands goes, and how it turns there.
static void standing_goal(const limber_retarget* r, const limberi_moment* m, const limberi_foot* foot, double* goal,
                          double* turn) {
    const double* planned = m->from_turn[foot->from->end];
    double flat[4];
    memcpy(turn, planned, 4 * sizeof *turn);
    twist_about(planned, r->to.up, flat);
    limberi_carry_place(r, m, (uint32_t)foot->from->end, goal);
    for (int i = 0; i < 3; i++)
        goal[i] += foot->move[i];
    step_back(r, foot, flat, goal);
    double lead = toes_lead(r, foot, planned);
    if (lead > 0)
        hold_toes(r, m, foot, flat, lead, goal, turn);
    keep_above_floor(r, foot, flat, goal, turn);
}

void limberi_foot_miss(const limber_retarget* r, const limberi_moment* m, const limberi_foot* foot, double* miss) {
    double end[3];
    double turn[4];
    end_place(m, foot, end);
    standing_goal(r, m, foot, miss, turn);
    for (int i = 0; i < 3; i++)
        miss[i] = end[i] - miss[i];
    double climb = limberi_dot3(miss, r->to.up);
    for (int i = 0; i < 3; i++)
        miss[i] -= climb * r->to.up[i];
}

// The toes of a foot that has come to `ankle` with `turn`: as in the motion, but not below the floor. They roll by where
// they begin, and pitch by where they end.
static void turn_toes(const limber_retarget* r, limberi_moment* m, const limberi_foot* foot, const double* flat,
                      const double* ankle, const double* turn) {
    double at[3];
    double points[6][3];
    double axis[3];
    double toes_turn[4];
    if (!foot->has_toes || !foot->has_sole)
        return;
    const double* planned = m->from_turn[foot->from->tip.joints[0]];
    corners_at(foot, foot->ball, points[0], points[1]);
    corners_at(foot, foot->tip, points[2], points[3]);
    memcpy(points[4], foot->nose, sizeof points[4]);
    memcpy(points[5], foot->tip, sizeof points[5]);
    limberi_turn_rotate(turn, foot->toes, at);
    for (int i = 0; i < 3; i++) {
        at[i] += ankle[i];
        for (int k = 0; k < 6; k++)
            points[k][i] -= foot->toes[i];
    }
    const double none[3] = {0, 0, 0};
    memcpy(toes_turn, planned, sizeof toes_turn);
    limberi_turn_rotate(flat, r->to.front, axis);
    turn_above_floor(r, foot, axis, at, points[0], points[1], toes_turn);
    limberi_turn_rotate(flat, r->to.side, axis);
    for (int k = 2; k < 6; k++)
        turn_above_floor(r, foot, axis, at, points[k], none, toes_turn);
    for (uint32_t i = 0; i < foot->to->tip.count; i++)
        turn_more(m, foot->to->tip.joints[i], planned, toes_turn);
}

// What both legs lack then, wide hips give by tilting; a little of it moves the feet by much.
void limberi_feet_tilt_hips(const limber_retarget* r, limberi_moment* m) {
    double was[3];
    double goal[3];
    double ways[2][3];
    double swing[4];
    double before[4];
    for (int i = 0; i < 2; i++) {
        double end[3];
        double turn[4];
        end_place(m, r->legs[i], end);
        standing_goal(r, m, r->legs[i], ways[i], turn);
        for (int k = 0; k < 3; k++)
            ways[i][k] -= end[k];
    }
    double along = r->wider * r->legs[0]->ground * r->legs[1]->ground;
    double upward = r->wider * r->legs[0]->low * r->legs[1]->low;
    double climb = limberi_dot3(ways[0], r->to.up) - limberi_dot3(ways[1], r->to.up);
    for (int k = 0; k < 3; k++) {
        was[k] = m->place[r->legs[0]->to->bones.joints[0]][k] - m->place[r->legs[1]->to->bones.joints[0]][k];
        goal[k] = was[k] + along * (ways[0][k] - ways[1][k]) + (upward - along) * climb * r->to.up[k];
    }
    limberi_turn_onto(was, goal, swing);
    memcpy(before, m->extra[r->to.hips], sizeof before);
    limberi_turn_mul(swing, before, m->extra[r->to.hips]);
}

void limberi_bend_limb(limberi_moment* m, const limberi_figure_limb* limb, const double* end, const double* goal,
                       const double* front) {
    uint32_t knee = limb->bones.joints[limb->lower];
    double new_knee[3];
    const double* h = m->place[limb->bones.joints[0]];
    place_knee(h, m->place[knee], goal, limberi_distance3(h, m->place[knee]), limberi_distance3(m->place[knee], end),
               front, new_knee);
    double was[3];
    double now[3];
    double swing[2][4];
    for (int i = 0; i < 3; i++) {
        was[i] = m->place[knee][i] - h[i];
        now[i] = new_knee[i] - h[i];
    }
    limberi_turn_onto(was, now, swing[0]);
    for (int i = 0; i < 3; i++) {
        was[i] = end[i] - m->place[knee][i];
        now[i] = goal[i] - new_knee[i];
    }
    limberi_turn_onto(was, now, swing[1]);
    for (uint32_t i = 0; i < limb->bones.count; i++)
        memcpy(m->extra[limb->bones.joints[i]], swing[i >= limb->lower], sizeof *swing);
}

static void bend_leg(const limber_retarget* r, limberi_moment* m, const limberi_foot* foot, const double* end,
                     double* goal) {
    double front[3];
    const double* h = m->place[foot->to->bones.joints[0]];
    double reach = limberi_distance3(h, goal);
    double limited = limit_reach(m, foot, reach);
    for (int i = 0; i < 3; i++)
        goal[i] = reach > 0 ? h[i] + (goal[i] - h[i]) * limited / reach : goal[i];
    limberi_turn_rotate(m->from_turn[foot->from->bones.joints[0]], r->to.front, front);
    limberi_bend_limb(m, foot->to, end, goal, front);
}

// A foot that stands by now.
typedef struct standing_foot {
    double goal[3], turn[4];
    double rest[3]; // how far it is from its goal, less what both feet have in common
} standing_foot;

// Which part of the way to its goal a leg bends for: all of it where the foot stands, none while it swings.
static double bent_part(const limberi_foot* foot, const double* lack) {
    double far = foot->ground * limberi_length3(lack) * (1 - foot->ground);
    double limit = go_along * foot->length;
    return limit > 0 ? foot->ground * limit / sqrt(limit * limit + far * far) : foot->ground;
}

static void solve_foot(const limber_retarget* r, limberi_moment* m, const limberi_foot* foot,
                       const standing_foot* standing) {
    const double* planned = m->from_turn[foot->from->end];
    double end[3];
    double goal[3];
    double flat[4];
    double turn[4];
    end_place(m, foot, end);
    double part = bent_part(foot, standing->rest);
    for (int i = 0; i < 3; i++)
        goal[i] = end[i] + part * standing->rest[i];
    memcpy(turn, standing->turn, sizeof turn);
    twist_about(planned, r->to.up, flat);
    keep_above_floor(r, foot, flat, goal, turn);
    bend_leg(r, m, foot, end, goal);
    turn_more(m, (uint32_t)foot->to->end, planned, turn);
    turn_toes(r, m, foot, flat, goal, turn);
}

// The mean of what feet lack.
typedef struct feet_mean {
    double sum[3], weight, free;
} feet_mean;

static void add_foot(feet_mean* mean, const double* way, double weight, double on) {
    for (int k = 0; k < 3; k++)
        mean->sum[k] += weight * way[k];
    mean->weight += weight;
    mean->free *= 1 - on;
}

static double mean_of(const feet_mean* mean, int k) {
    return mean->weight > 0 ? mean->sum[k] / mean->weight : 0;
}

// How the hips give way so that the legs keep their directions: along the ground with the feet that stand, upward also
// with a foot that has just left it, so that nothing drops.
static void shift_hips(const limber_retarget* r, limberi_moment* m, standing_foot* standing) {
    feet_mean along = {{0, 0, 0}, 0, 1};
    feet_mean upward = {{0, 0, 0}, 0, 1};
    for (uint32_t i = 0; i < r->foot_count; i++) {
        const limberi_foot* foot = &r->feet[i];
        double end[3];
        double way[3];
        double climb[3];
        end_place(m, foot, end);
        for (int k = 0; k < 3; k++)
            way[k] = standing[i].rest[k] = standing[i].goal[k] - end[k];
        double height = limberi_dot3(way, r->to.up);
        for (int k = 0; k < 3; k++) {
            climb[k] = height * r->to.up[k];
            way[k] -= climb[k];
        }
        double weight = limberi_foot_weight(foot->ground);
        add_foot(&along, way, weight, foot->ground);
        add_foot(&upward, climb, weight + low_part * foot->low, foot->low);
    }
    for (int k = 0; k < 3; k++) {
        m->shift[k] = mean_of(&along, k) * (1 - along.free) + mean_of(&upward, k) * (1 - upward.free);
        for (uint32_t i = 0; i < r->foot_count; i++)
            standing[i].rest[k] -= mean_of(&along, k) + mean_of(&upward, k);
    }
    for (uint32_t j = 0; j < r->character->rig.joint_count; j++)
        for (int k = 0; k < 3; k++)
            m->place[j][k] += m->shift[k];
}

void limberi_feet_solve(const limber_retarget* r, limberi_moment* m) {
    standing_foot standing[LIMBERI_LIMBS];
    for (uint32_t i = 0; i < r->foot_count; i++)
        standing_goal(r, m, &r->feet[i], standing[i].goal, standing[i].turn);
    shift_hips(r, m, standing);
    for (uint32_t i = 0; i < r->foot_count; i++)
        solve_foot(r, m, &r->feet[i], &standing[i]);
}
