// Stretch: what spins is drawn outwards (acceleration skinning, equation 12; thesis 5.2).
//   angular  k |w|^2 r, with the quadratic profile also times |p - p_j|^2 / L^2
#include "deform/plan.h"

static void stretch(const limber_effect_block* b) {
    limberi_turn turn;
    if (!limberi_turn_of(b->angular_velocity, b->bone_direction, &turn))
        return;
    bool quadratic = b->settings->profile == LIMBER_PROFILE_QUADRATIC;
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->weight[i] == 0 || b->angular[i] == 0)
            continue;
        limber_vec3 p = limberi_vec3(b->x[i], b->y[i], b->z[i]), arm = limberi_sub(p, b->position);
        float gain = b->angular[i] * turn.speed * turn.speed;
        if (quadratic)
            gain *= limberi_dot(arm, arm) / (b->size * b->size);
        limberi_displace(b, i, limberi_scale(limberi_radius(p, b->position, turn.axis), gain));
    }
}

static void plan(limberi_joint_plan* p) {
    const limberi_turn* turn = limberi_plan_turn(p, false);
    if (p->gain.angular == 0 || !turn)
        return;
    float rate = p->gain.angular * turn->speed * turn->speed;
    if (p->d->settings.effects[p->slot].profile == LIMBER_PROFILE_QUADRATIC)
        limberi_plan_spin(p, rate / (p->at.size * p->at.size));
    else
        limberi_plan_matrix(p, p->d->plans[p->slot].fold, rate, -rate, turn->axis, p->at.position);
}

const limberi_effect limberi_effect_stretch = {
    .name = "stretch",
    .source = "acceleration skinning, equation 12; thesis 5.2",
    .reads = LIMBERI_ANGULAR_VELOCITY,
    .driven_by = LIMBERI_ANGULAR_VELOCITY,
    .affine_part = LIMBERI_ANGULAR,
    .affine_matrix = true,
    .shapes = 1u << LIMBERI_SHAPE_SPIN,
    .function = stretch,
    .plan = plan,
};
