// Squash: shapes stretch along their motion and thin across it, keeping their volume (velocity skinning, equations 14
// and 15).
//   linear   (T - I)(p - c), T stretching by 1 + s along v and by 1 / sqrt(1 + s) across, s = k |v| / L
//   angular  s (e . y) e + (1 / (1 + s) - 1)(z . y) z, with m the medial axis, e = m x w normalised, z = e x m,
//            s = k |w x (p - p_j)| / L, and y from the medial axis (or from the centroid) to p
#include "deform/plan.h"

// Where medial axis and rotation axis grow parallel the plane of the squash loses its meaning: it fades between these
// sines (0.6 and 2.9 degrees).
static const float fade_from = 0.01f, fade_to = 0.05f;

static limber_vec3 squash_linear(const limber_effect_block* b, uint32_t i, limber_vec3 direction, float speed) {
    float stretch = fmaxf(1 + b->linear[i] * speed / b->size, LIMBERI_MIN_STRETCH);
    float across = 1 / sqrtf(stretch) - 1;
    limber_vec3 arm = limberi_sub(limberi_vec3(b->x[i], b->y[i], b->z[i]), b->centroid);
    float along = limberi_dot(arm, direction);
    return limberi_add(limberi_scale(direction, (stretch - 1 - across) * along), limberi_scale(arm, across));
}

// False when medial axis and rotation axis are parallel, or nothing turns.
static bool find_plane(const limber_effect_block* b, limberi_squash_plane* q) {
    limber_vec3 across = limberi_cross(b->medial_axis, b->angular_velocity);
    float speed = limberi_length(b->angular_velocity), sine = limberi_length(across);
    if (!(speed > 0) || !(sine > fade_from * speed))
        return false;
    float x = fminf((sine / speed - fade_from) / (fade_to - fade_from), 1);
    q->fade = x * x * (3 - 2 * x);
    q->axis = limberi_scale(b->angular_velocity, 1 / speed);
    q->speed = speed;
    q->m = b->medial_axis;
    q->e = limberi_scale(across, 1 / sine);
    q->z = limberi_cross(q->e, q->m);
    return true;
}

static limber_vec3 squash_angular(const limber_effect_block* b, uint32_t i, const limberi_squash_plane* q,
                                  bool about_axis) {
    limber_vec3 arm = limberi_sub(limberi_vec3(b->x[i], b->y[i], b->z[i]), b->position);
    float s = q->fade * b->angular[i] * limberi_length(limberi_cross(b->angular_velocity, arm)) / b->size;
    float stretch = fmaxf(1 + s, LIMBERI_MIN_STRETCH);
    // e and z are perpendicular to m, so the foot on the axis may be any of its points: the joint itself.
    limber_vec3 y = about_axis ? arm : limberi_sub(limberi_vec3(b->x[i], b->y[i], b->z[i]), b->centroid);
    return limberi_add(limberi_scale(q->e, (stretch - 1) * limberi_dot(q->e, y)),
                       limberi_scale(q->z, (1 / stretch - 1) * limberi_dot(q->z, y)));
}

static void squash(const limber_effect_block* b) {
    float speed = limberi_length(b->velocity);
    limber_vec3 direction = limberi_normalize(b->velocity);
    limberi_squash_plane q;
    bool turns = find_plane(b, &q), about_axis = b->settings->about == LIMBER_ABOUT_AXIS;
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->weight[i] == 0)
            continue;
        limber_vec3 d = limberi_vec3(0, 0, 0);
        if (speed > 0 && b->linear[i] != 0)
            d = squash_linear(b, i, direction, speed);
        if (turns && b->angular[i] != 0)
            d = limberi_add(d, squash_angular(b, i, &q, about_axis));
        limberi_displace(b, i, d);
    }
}

static void plan_linear(limberi_joint_plan* p) {
    float speed = limberi_length(p->at.velocity);
    if (!(speed > 0) || p->gain.linear == 0)
        return;
    limber_vec3 direction = limberi_normalize(p->at.velocity);
    float rate = p->gain.linear * speed / p->at.size;
    if (p->d->plans[p->slot].gain_varies[LIMBERI_LINEAR]) {
        limberi_plan_travel(p, direction, rate);
        return;
    }
    float stretch = fmaxf(1 + rate, LIMBERI_MIN_STRETCH);
    float thin = 1 / sqrtf(stretch) - 1;
    limberi_plan_matrix(p, LIMBERI_FOLD_CONSTANT, thin, stretch - 1 - thin, direction, p->at.centroid);
}

static void plan(limberi_joint_plan* p) {
    limberi_squash_plane plane;
    plan_linear(p);
    if (p->gain.angular == 0 || limberi_is_still(p->at.angular_velocity))
        return;
    limberi_plan_need_axes(p);
    if (find_plane(&p->at, &plane))
        limberi_plan_squash(p, &plane, plane.fade * p->gain.angular * plane.speed / p->at.size);
}

const limberi_effect limberi_effect_squash = {
    .name = "squash",
    .source = "velocity skinning, equations 14 and 15",
    .reads = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY,
    .driven_by = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY,
    .affine_part = LIMBERI_NO_PART,
    .shapes = 1u << LIMBERI_SHAPE_SQUASH | 1u << LIMBERI_SHAPE_TRAVEL,
    .function = squash,
    .plan = plan,
};
