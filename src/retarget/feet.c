// Feet that stood in the motion stand on the character: the ankle, or with a raised heel the toes, go where those of the
// motion go, and the leg is bent to reach them.
#include "base/math.h"
#include "base/turns.h"
#include "retarget/retarget_private.h"

#include <string.h>

static const double heel_raised = 0.1;  // sine of the foot's pitch from which the toes lead
static const double soft_floor = 0.004; // of the leg: how gently soles come to the floor
static const double ground_low = 0.03;  // of the leg: a foot of the motion that is lower than this stands,
static const double ground_high = 0.15; // and from here on it swings free

static double dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double apart(const double* a, const double* b) {
    double way[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrt(dot(way, way));
}

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
    if (foot->has_toes) {
        limberi_rest_way(&r->character->rig, (uint32_t)foot->to->end, foot->to->tip.joints[0], foot->toes);
        carried_rest_way(r, (uint32_t)foot->from->end, foot->from->tip.joints[0], foot->from_toes);
        for (int i = 0; i < 3; i++)
            foot->longer[i] = foot->toes[i] - foot->from_toes[i];
    }
    uint32_t last = foot->to->bones.joints[foot->to->bones.count - 1];
    double inverse[4];
    double way[3];
    limberi_rest_way(&r->character->rig, last, (uint32_t)foot->to->end, way);
    limberi_turn_inverse(r->rest[last], inverse);
    limberi_turn_rotate(inverse, way, foot->end_offset);
}

void limberi_feet_prepare(limber_retarget* r) {
    for (uint32_t l = 0; l < LIMBERI_LIMBS; l++) {
        bool stands = l >= LIMBERI_LEG_LEFT || r->to.all_fours;
        if (stands && limberi_figure_has(&r->to, l) && limberi_figure_has(&r->from, r->settings.mirror ? l ^ 1u : l))
            prepare_foot(r, l, &r->feet[r->foot_count++]);
    }
}

// --- one moment ---

// The part of a rotation that is about `axis`.
static void twist_about(const double* q, const double* axis, double* twist) {
    double along = dot(q, axis);
    double size = sqrt(along * along + q[3] * q[3]);
    for (int i = 0; i < 3; i++)
        twist[i] = size > 1e-9 ? axis[i] * along / size : 0;
    twist[3] = size > 1e-9 ? q[3] / size : 1;
}

// How much the toes lead instead of the ankle: when the heel is up, and the sole still looks down.
static double toes_lead(const limber_retarget* r, const limberi_foot* foot, const double* turn) {
    double turned[3];
    double up[3];
    double length = sqrt(dot(foot->from_toes, foot->from_toes));
    limberi_turn_rotate(turn, foot->from_toes, turned);
    limberi_turn_rotate(turn, r->to.up, up);
    if (!foot->has_toes || !(length > 0))
        return 0;
    double pitch = (dot(foot->from_toes, r->to.up) - dot(turned, r->to.up)) / length;
    return limberi_smooth_step(0, heel_raised, pitch) * limberi_smooth_step(0.2, 0.5, dot(up, r->to.up));
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
    double height = dot(way, r->to.up);
    double forward = ahead * dot(way, front);
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
    double size = sqrt(dot(way, way));
    double sine = size > 0 ? fabs(dot(way, r->to.up)) / size : 0;
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
        deep[i] = below_floor(r, foot, dot(at, r->to.up) + dot(ways[i], r->to.up));
    int lower = deep[1] > deep[0];
    double lift = deep[lower] - deep[!lower];
    double angle = turn_to_lift(r, axis, ways[lower], lower ? -1 : 1, lift);
    double most = turn_to_level(r, ways[0], ways[1]);
    if (fabs(angle) > most)
        angle = angle < 0 ? -most : most;
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
    limberi_turn_rotate(turn, foot->tip, tip);
    limberi_turn_rotate(turn, foot->heel, heel);
    return dot(tip, r->to.up) < dot(heel, r->to.up);
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
    corners_at(foot, tip_is_lower(r, foot, turn) ? foot->tip : foot->heel, right, left);
    turn_above_floor(r, foot, front, goal, right, left, turn);
    turn_above_floor(r, foot, side, goal, foot->nose, foot->heel, turn);
    turn_above_floor(r, foot, side, goal, foot->tip, foot->heel, turn);
    double lift = INFINITY;
    const double* points[2] = {foot->tip, foot->heel};
    for (int i = 0; i < 2; i++) {
        limberi_turn_rotate(turn, points[i], way);
        double deep = below_floor(r, foot, dot(goal, r->to.up) + dot(way, r->to.up));
        lift = deep < lift ? deep : lift;
    }
    for (int i = 0; i < 3; i++)
        goal[i] += lift * r->to.up[i];
}

// A planted foot whose heel is up keeps its toes in their place on the ground.
static void hold_toes(const limber_retarget* r, const limberi_moment* m, const limberi_foot* foot, const double* flat,
                      const double* turn, double part, double* goal) {
    double toe[3];
    double out[3];
    double now[3];
    double outward[3];
    limberi_carry_place(r, m, foot->from->tip.joints[0], toe);
    for (int i = 0; i < 3; i++)
        outward[i] = foot->wide[i] + foot->longer[i];
    limberi_turn_rotate(flat, outward, out);
    limberi_turn_rotate(turn, foot->toes, now);
    double climb = 0;
    for (int i = 0; i < 3; i++) {
        now[i] = toe[i] + out[i] - goal[i] - now[i];
        climb += now[i] * r->to.up[i];
    }
    for (int i = 0; i < 3; i++)
        goal[i] += part * (now[i] - climb * r->to.up[i]);
}

double limberi_foot_height(const limber_retarget* r, const limberi_moment* m, const limberi_foot* foot, double* place) {
    double toe[3];
    limberi_carry_place(r, m, (uint32_t)foot->from->end, place);
    double low = dot(place, r->to.up) - r->floor_goal;
    if (!foot->has_toes)
        return low;
    limberi_carry_place(r, m, foot->from->tip.joints[0], toe);
    double toes = dot(toe, r->to.up) - r->floor_goal - dot(foot->from_toes, r->to.up);
    return toes < low ? toes : low;
}

// How much a foot of the motion is on its ground. By height alone: it changes as smoothly as the motion does.
static double on_ground(const limber_retarget* r, const limberi_moment* m, const limberi_foot* foot) {
    double place[3];
    double low = limberi_foot_height(r, m, foot, place) - foot->step;
    return 1 - limberi_smooth_step(ground_low, ground_high, low / foot->length);
}

// A leg that is not straight in the motion does not become straight: what it would reach farther is softened.
static double limit_reach(const limberi_moment* m, const limberi_foot* foot, double reach) {
    const limber_mat4* hip = &m->from[foot->from->bones.joints[0]];
    const limber_mat4* ankle = &m->from[foot->from->end];
    double a[3] = {(double)hip->m[12], (double)hip->m[13], (double)hip->m[14]};
    double b[3] = {(double)ankle->m[12], (double)ankle->m[13], (double)ankle->m[14]};
    double was = foot->from_length > 0 ? apart(a, b) / foot->from_length : 1;
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
    double reach = apart(hip, goal);
    for (int i = 0; i < 3; i++)
        way[i] = reach > 0 ? (goal[i] - hip[i]) / reach : 0;
    double along = 0;
    double ahead = dot(front, way);
    for (int i = 0; i < 3; i++)
        along += (knee[i] - hip[i]) * way[i];
    for (int i = 0; i < 3; i++)
        bend[i] = knee[i] - hip[i] - along * way[i] + 1e-4 * upper * (front[i] - ahead * way[i]);
    double size = sqrt(dot(bend, bend));
    double at = reach > 0 ? (upper * upper - lower * lower + reach * reach) / (2 * reach) : 0;
    at = at > upper ? upper : at;
    at = at < -upper ? -upper : at;
    double off = sqrt(upper * upper - at * at);
    for (int i = 0; i < 3; i++)
        out[i] = hip[i] + at * way[i] + (size > 0 ? off * bend[i] / size : 0);
}

static void add_turn(limberi_moment* m, uint32_t joint, const double* turn) {
    memcpy(m->extra[joint], turn, sizeof m->extra[joint]);
}

// What is between a turn as planned and as it is to be.
static void turn_more(limberi_moment* m, uint32_t joint, const double* planned, const double* turn) {
    double inverse[4];
    double more[4];
    limberi_turn_inverse(planned, inverse);
    limberi_turn_mul(turn, inverse, more);
    add_turn(m, joint, more);
}

static void end_place(const limberi_moment* m, const limberi_foot* foot, double* place) {
    uint32_t last = foot->to->bones.joints[foot->to->bones.count - 1];
    limberi_turn_rotate(m->turn[last], foot->end_offset, place);
    for (int i = 0; i < 3; i++)
        place[i] += m->place[last][i];
}

// Where a foot that stands goes.
static void standing_goal(const limber_retarget* r, const limberi_moment* m, const limberi_foot* foot, double* goal) {
    const double* planned = m->from_turn[foot->from->end];
    double flat[4];
    double wide[3];
    double turn[4];
    memcpy(turn, planned, sizeof turn);
    twist_about(planned, r->to.up, flat);
    limberi_turn_rotate(flat, foot->wide, wide);
    limberi_carry_place(r, m, (uint32_t)foot->from->end, goal);
    for (int i = 0; i < 3; i++)
        goal[i] += wide[i];
    keep_above_floor(r, foot, flat, goal, turn);
    double lead = toes_lead(r, foot, planned);
    if (lead > 0)
        hold_toes(r, m, foot, flat, turn, lead, goal);
}

// The toes of a foot that has come to `ankle` with `turn`: as in the motion, but not below the floor.
static void turn_toes(const limber_retarget* r, limberi_moment* m, const limberi_foot* foot, const double* flat,
                      const double* ankle, const double* turn) {
    double at[3];
    double points[4][3];
    double axis[3];
    double toes_turn[4];
    if (!foot->has_toes || !foot->has_sole)
        return;
    const double* planned = m->from_turn[foot->from->tip.joints[0]];
    double right[3];
    double left[3];
    corners_at(foot, foot->tip, right, left);
    const double* sole[4] = {right, left, foot->nose, foot->tip};
    limberi_turn_rotate(turn, foot->toes, at);
    for (int i = 0; i < 3; i++) {
        at[i] += ankle[i];
        for (int k = 0; k < 4; k++)
            points[k][i] = sole[k][i] - foot->toes[i];
    }
    const double none[3] = {0, 0, 0};
    memcpy(toes_turn, planned, sizeof toes_turn);
    limberi_turn_rotate(flat, r->to.front, axis);
    turn_above_floor(r, foot, axis, at, points[0], points[1], toes_turn);
    limberi_turn_rotate(flat, r->to.side, axis);
    turn_above_floor(r, foot, axis, at, points[2], none, toes_turn);
    turn_above_floor(r, foot, axis, at, points[3], none, toes_turn);
    for (uint32_t i = 0; i < foot->to->tip.count; i++)
        turn_more(m, foot->to->tip.joints[i], planned, toes_turn);
}

static void bend_leg(const limber_retarget* r, limberi_moment* m, const limberi_foot* foot, const double* end,
                     double* goal) {
    uint32_t hip = foot->to->bones.joints[0];
    uint32_t knee = foot->to->bones.joints[foot->to->lower];
    double new_knee[3];
    double front[3];
    const double* h = m->place[hip];
    double reach = apart(h, goal);
    double limited = limit_reach(m, foot, reach);
    for (int i = 0; i < 3; i++)
        goal[i] = reach > 0 ? h[i] + (goal[i] - h[i]) * limited / reach : goal[i];
    limberi_turn_rotate(m->from_turn[foot->from->bones.joints[0]], r->to.front, front);
    place_knee(h, m->place[knee], goal, apart(h, m->place[knee]), apart(m->place[knee], end), front, new_knee);
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
    for (uint32_t i = 0; i < foot->to->bones.count; i++)
        add_turn(m, foot->to->bones.joints[i], swing[i >= foot->to->lower]);
}

static void solve_foot(const limber_retarget* r, limberi_moment* m, const limberi_foot* foot, double ground,
                       const double* standing) {
    const double* planned = m->from_turn[foot->from->end];
    double end[3];
    double goal[3];
    double flat[4];
    double turn[4];
    end_place(m, foot, end);
    for (int i = 0; i < 3; i++)
        goal[i] = end[i] + ground * (standing[i] - end[i]);
    memcpy(turn, planned, sizeof turn);
    twist_about(planned, r->to.up, flat);
    keep_above_floor(r, foot, flat, goal, turn);
    bend_leg(r, m, foot, end, goal);
    turn_more(m, (uint32_t)foot->to->end, planned, turn);
    turn_toes(r, m, foot, flat, goal, turn);
}

void limberi_feet_solve(const limber_retarget* r, limberi_moment* m) {
    double standing[LIMBERI_LIMBS][3];
    double ground[LIMBERI_LIMBS];
    double free = 1;
    double sum = 0;
    double shift[3] = {0, 0, 0};
    for (uint32_t i = 0; i < r->foot_count; i++) {
        double end[3];
        end_place(m, &r->feet[i], end);
        standing_goal(r, m, &r->feet[i], standing[i]);
        ground[i] = on_ground(r, m, &r->feet[i]);
        free *= 1 - ground[i];
        sum += ground[i];
        for (int k = 0; k < 3; k++)
            shift[k] += ground[i] * (standing[i][k] - end[k]);
    }
    for (int k = 0; k < 3; k++)
        m->shift[k] = sum > 0 ? shift[k] * (1 - free) / sum : 0;
    for (uint32_t j = 0; j < r->character->rig.joint_count; j++)
        for (int k = 0; k < 3; k++)
            m->place[j][k] += m->shift[k];
    for (uint32_t i = 0; i < r->foot_count; i++)
        solve_foot(r, m, &r->feet[i], ground[i], standing[i]);
}
