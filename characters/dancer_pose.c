// From a figure to joints: spine, reaching arms and legs, and a skirt that keeps off the legs.
#include "characters/dancer_pose.h"

// Hands and head follow the body by this much.
static const double FOLLOW_S = 0.045;

void dancer_figure_at(const figure_key* keys, uint32_t count, double t, figure* out) {
    const kit_figure kind = {.size = sizeof *out,
                             .first_late = offsetof(figure, head),
                             .end_late = offsetof(figure, foot),
                             .late_s = FOLLOW_S};
    kit_figure_at(&kind, keys, count, t, out);
}

// ---- spine and arms ----

static void bend_spine(const dancer* d, kit_pose* pose, const figure* f) {
    kit_move(pose, d->hips, f->hips[0], f->hips[1], f->hips[2]);
    kit_turn(pose, d->hips, f->tilt[0], f->tilt[1], f->tilt[2]);
    for (uint32_t i = 0; i < 3; i++)
        kit_turn(pose, d->spine[i], f->spine[0] / 3, f->spine[1] / 3, f->spine[2] / 3);
    kit_turn(pose, d->neck, 0.4 * f->head[0], 0.4 * f->head[1], 0.4 * f->head[2]);
    kit_turn(pose, d->head, 0.6 * f->head[0], 0.6 * f->head[1], 0.6 * f->head[2]);
}

// Fingers never lie in a plane: the index stays long, the others close a little.
static void curl_fingers(const dancer* d, kit_pose* pose, uint32_t side) {
    static const double curl[DANCER_FINGERS] = {6, 4, 16, 10};
    for (uint32_t f = 0; f < DANCER_FINGERS; f++)
        for (uint32_t i = 0; i < 2; i++)
            kit_turn(pose, d->finger[side][f][i], 0, 0, -(double)DANCER_SIDES[side] * curl[f]);
}

static void reach_arm(const dancer* d, kit_pose* pose, const figure* f, uint32_t side) {
    float s = DANCER_SIDES[side];
    const double* h = f->hand[side];
    // The shoulder blade helps when the hand goes above the shoulder.
    kit_turn(pose, d->clavicle[side], 0, -(double)s * 10 * kit_ease(h[2], 0.1, 0.4),
             (double)s * 22 * kit_ease(h[1], -0.1, 0.42));
    limber_vec3 chest = kit_pose_at(pose, d->spine[2]);
    limber_vec3 shoulder = kit_pose_at(pose, d->arm_upper[side]);
    limber_vec3 rest = limberi_sub(kit_joint_at(d->k, d->arm_upper[side]), kit_joint_at(d->k, d->spine[2]));
    limber_quat turned = kit_pose_turned(pose, d->spine[2]);
    limber_vec3 still = limberi_add(chest, limberi_quat_rotate(turned, rest));
    limber_vec3 hand = limberi_quat_rotate(turned, kit_at(s * (float)h[0], (float)h[1], (float)h[2]));
    limber_vec3 target = limberi_add(limberi_lerp(still, shoulder, 0.6f), hand);
    limber_vec3 pole = kit_at(s * 0.7f, -0.2f, -0.7f);
    limber_vec3 rest_way = limberi_sub(kit_joint_at(d->k, d->hand[side]), kit_joint_at(d->k, d->arm_upper[side]));
    limber_vec3 way = limberi_sub(target, shoulder);
    limber_vec3 hinge = limberi_cross(limberi_quat_rotate(turned, pole), way);
    kit_reach_hinge(pose, d->arm_upper[side], d->arm_lower[side], d->hand[side], target, limberi_cross(pole, rest_way),
                    hinge, turned);
    pose->local[d->hand[side]].rotation = limberi_quat_identity();
    kit_turn(pose, d->hand[side], 0, 0, -(double)s * f->wrist[side]);
    curl_fingers(d, pose, side);
}

// ---- legs ----

static limber_quat mix_turns(limber_quat a, limber_quat b, float t) {
    float dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    float s = dot < 0 ? -t : t;
    limber_quat q = {kit_mix(a.x, 0, t) + s * b.x, kit_mix(a.y, 0, t) + s * b.y, kit_mix(a.z, 0, t) + s * b.z,
                     kit_mix(a.w, 0, t) + s * b.w};
    return limberi_quat_normalize(q);
}

static void place_leg(const dancer* d, kit_pose* pose, const figure* f, const stage* on, uint32_t side) {
    float s = DANCER_SIDES[side];
    limber_vec3 ankle = kit_joint_at(d->k, d->foot[side]);
    limber_vec3 toe = kit_joint_at(d->k, d->toe[side]);
    limber_quat yaw = kit_euler(0, on->yaw_deg, 0);
    limber_quat raised = kit_euler(f->heel[side], 0, 0);
    limber_vec3 at = limberi_add(toe, limberi_quat_rotate(raised, limberi_sub(ankle, toe)));
    at = limberi_add(at, kit_at(s * (float)f->foot[side][0], (float)f->foot[side][1], (float)f->foot[side][2]));
    at = limberi_quat_rotate(yaw, limberi_add(at, on->shift));
    float out = (float)f->knee[side];
    limber_vec3 hinge = kit_at(1 - out, 0, -s * out);
    limber_vec3 now = limberi_quat_rotate(kit_pose_turned(pose, d->hips), hinge);
    kit_reach_hinge(pose, d->leg_upper[side], d->leg_lower[side], d->foot[side], at, hinge, now,
                    limberi_quat_mul(yaw, raised));
    limber_transform* foot = &pose->local[d->foot[side]];
    foot->rotation = mix_turns(foot->rotation, kit_euler(f->point[side], 0, 0), (float)f->air[side]);
    kit_turn(pose, d->toe[side], -f->heel[side] * (1 - f->air[side]) + 0.3 * f->point[side] * f->air[side], 0, 0);
}

// ---- skirt ----

// A point of a leg as the skirt sees it.
typedef struct bump {
    limber_vec3 at;
    float radius;
} bump;

enum { BUMPS = 10 };

static void find_bumps(const dancer* d, const kit_pose* pose, bump* bumps) {
    static const struct {
        bool shin;
        float along, radius;
    } places[BUMPS / 2] = {
        {false, 0.6f, 0.072f}, {false, 0.8f, 0.06f}, {true, 0, 0.055f}, {true, 0.3f, 0.052f}, {true, 0.6f, 0.04f}};
    limber_quat back = limberi_quat_conj(kit_pose_turned(pose, d->skirt));
    limber_vec3 origin = kit_pose_at(pose, d->skirt);
    for (uint32_t side = 0; side < 2; side++) {
        limber_vec3 hip = kit_pose_at(pose, d->leg_upper[side]);
        limber_vec3 knee = kit_pose_at(pose, d->leg_lower[side]);
        limber_vec3 ankle = kit_pose_at(pose, d->foot[side]);
        for (uint32_t i = 0; i < BUMPS / 2; i++) {
            limber_vec3 p =
                places[i].shin ? limberi_lerp(knee, ankle, places[i].along) : limberi_lerp(hip, knee, places[i].along);
            bumps[side * BUMPS / 2 + i] = (bump){limberi_quat_rotate(back, limberi_sub(p, origin)), places[i].radius};
        }
    }
}

// How far a panel must swing out, degrees, for the leg to stay under it: a smooth maximum over the points of both legs.
static double panel_lift(uint32_t panel, const bump* bumps) {
    limber_vec3 top = dancer_panel_point(panel, 0.1f);
    limber_vec3 hem = dancer_panel_point(panel, 1);
    float angle = dancer_panel_angle(panel);
    float top_radius = sqrtf(top.x * top.x + top.z * top.z);
    double hangs = atan2(sqrtf(hem.x * hem.x + hem.z * hem.z) - top_radius, top.y - hem.y);
    double sum = 0;
    for (uint32_t i = 0; i < BUMPS; i++) {
        limber_vec3 p = bumps[i].at;
        float out = p.x * sinf(angle) + p.z * cosf(angle);
        float away = sqrtf(p.x * p.x + p.z * p.z + 0.0004f);
        double faces = kit_ease(out / away, 0.1, 0.92);
        double across = away - top_radius;
        double down = (top.y - DANCER_WAIST) - p.y;
        double distance = sqrt(across * across + down * down + 1e-4);
        double radius = bumps[i].radius + 0.02;
        double needs = atan2(across, down) + asin(radius / sqrt(radius * radius + distance * distance));
        double excess = needs - hangs;
        double lift = 0.5 * (excess + sqrt(excess * excess + 0.012));
        sum += pow(faces * lift, 8);
    }
    return pow(sum, 0.125) * 180 / LIMBERI_PI;
}

static void swing_out(kit_pose* pose, uint32_t joint, limber_vec3 outwards, double angle_deg) {
    limber_vec3 axis = limberi_cross(outwards, kit_at(0, 1, 0));
    limber_quat q = limberi_quat_exp(limberi_scale(axis, (float)(angle_deg * LIMBERI_PI / 180)));
    pose->local[joint].rotation = limberi_quat_mul(pose->local[joint].rotation, q);
}

static void strike(const dancer* d, kit_pose* pose, const figure* f, const stage* on) {
    kit_turn(pose, d->root, 0, on->yaw_deg, 0);
    kit_move(pose, d->root, 0, 0, on->z);
    kit_move(pose, d->hips, on->shift.x, on->shift.y, on->shift.z);
    bend_spine(d, pose, f);
    for (uint32_t side = 0; side < 2; side++) {
        reach_arm(d, pose, f, side);
        place_leg(d, pose, f, on, side);
    }
    static const double thrown[DANCER_PONYTAIL] = {0.5, 0.3, 0.2, 0.1, 0};
    for (uint32_t i = 0; i < DANCER_PONYTAIL; i++)
        swing_out(pose, d->ponytail[i], kit_at(0, 0, -1), thrown[i] * f->tail);
}

// The lift each panel needs now, or needed a moment ago.
static void find_lifts(const dancer* d, const kit_pose* rest, choreography dance, double t, double* lift) {
    static const struct {
        double ago_s, share;
    } moments[] = {{0, 1}, {0.06, 0.93}, {0.12, 0.8}, {0.18, 0.62}, {0.24, 0.42}};
    double sum[DANCER_PANELS] = {0};
    for (uint32_t m = 0; m < sizeof moments / sizeof *moments; m++) {
        kit_pose then = *rest;
        figure f;
        stage on;
        bump bumps[BUMPS];
        dance(t - moments[m].ago_s, &f, &on);
        strike(d, &then, &f, &on);
        find_bumps(d, &then, bumps);
        for (uint32_t i = 0; i < DANCER_PANELS; i++)
            sum[i] += pow(moments[m].share * panel_lift(i, bumps), 10);
    }
    for (uint32_t i = 0; i < DANCER_PANELS; i++)
        lift[i] = pow(sum[i], 0.1);
}

static void drape_skirt(const dancer* d, kit_pose* pose, const double* lift, double flare) {
    double behind = 0;
    for (uint32_t i = 0; i < DANCER_PANELS; i++) {
        double beside = lift[(i + 1) % DANCER_PANELS] + lift[(i + DANCER_PANELS - 1) % DANCER_PANELS];
        double pulled = lift[i] + 0.1 * beside;
        // What is thrown out already need not be pushed: the larger of the two, smoothly.
        double open = pow(pow(pulled, 4) + pow(flare, 4), 0.25);
        open /= pow(1 + pow(open / 90, 6), 1.0 / 6); // never over her head
        float angle = dancer_panel_angle(i);
        limber_vec3 outwards = kit_at(sinf(angle), 0, cosf(angle));
        swing_out(pose, d->skirt_upper[i], outwards, open);
        // A thigh held level fills the room under the waist: the cloth gives way upwards.
        double room = pow(pulled, 2) / (pow(pulled, 2) + 3600);
        kit_move(pose, d->skirt_upper[i], 0.02 * room * (double)outwards.x, 0.07 * room,
                 0.02 * room * (double)outwards.z);
        swing_out(pose, d->skirt_lower[i], outwards, 0.25 * flare - 0.08 * pulled);
        behind += i >= 3 && i <= 5 ? open / 3 : 0;
    }
    for (uint32_t side = 0; side < 2; side++) {
        swing_out(pose, d->ribbon[side][0], kit_at(0, 0, -1), behind);
        swing_out(pose, d->ribbon[side][1], kit_at(0, 0, -1), 0.2 * flare);
    }
}

void dancer_perform(const dancer* d, kit_pose* pose, choreography dance, double t) {
    double lift[DANCER_PANELS];
    figure f;
    stage on;
    find_lifts(d, pose, dance, t, lift);
    dance(t, &f, &on);
    strike(d, pose, &f, &on);
    drape_skirt(d, pose, lift, f.flare);
}
