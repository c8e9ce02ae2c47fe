// Stretch: what spins is drawn outwards (acceleration skinning, equation 12; thesis 5.2).
//   angular  k |w|^2 r, with the quadratic profile also times |p - p_j|^2 / L^2
#include "deform/effects/keys.h"
#include "deform/gpu_rows.h"
#include "deform/plan.h"

static bool is_affine(const limber_effect_settings* settings) {
    return limberi_number_of(settings, LIMBERI_VALUE_PROFILE).value != LIMBER_PROFILE_QUADRATIC;
}

static void stretch(const limber_effect_block* b) {
    limberi_turn turn;
    if (!limberi_turn_of(b->angular_velocity, b->bone_direction, &turn))
        return;
    bool quadratic = !is_affine(b->settings);
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->weight[i] == 0 || b->angular[i] == 0)
            continue;
        limber_vec3 p = limberi_vec3(b->x[i], b->y[i], b->z[i]);
        limber_vec3 arm = limberi_sub(p, b->position);
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
    if (!is_affine(&p->d->settings.effects[p->slot]))
        limberi_plan_spin(p, rate / (p->at.size * p->at.size));
    else
        limberi_plan_matrix(p, p->d->plans[p->slot].fold, rate, -rate, turn->axis, p->at.position);
}

static void fold(limberi_joint_quad* quad, uint32_t slot) {
    const limberi_turns* turn = limberi_gpu_turns(quad, false);
    limberi_lanes rate = quad->gain[LIMBERI_ANGULAR] * turn->speed * turn->speed;
    (void)slot;
    limberi_gpu_fold_matrix(quad, turn->turns, rate, -rate, turn->axis, quad->position);
}

static void put_spin(limberi_joint_quad* quad, uint32_t slot) {
    const limberi_turns* turn = limberi_gpu_turns(quad, false);
    limberi_lanes gain = quad->gain[LIMBERI_ANGULAR];
    limberi_mask spins = turn->turns & (gain != 0);
    float scale = is_affine(&quad->d->settings.effects[slot]) ? 1 : 1 / (quad->d->size * quad->d->size);
    limberi_gpu_put(quad, limberi_vectors_where(spins, turn->axis),
                    limberi_lanes_where(spins, gain * turn->speed * turn->speed * scale));
    quad->acts |= spins;
}

static void put_source(limberi_joint_quad* quad, uint32_t slot) {
    limberi_mask acts = quad->acts;
    put_spin(quad, slot);
    quad->acts = acts;
}

static const limberi_row keys[] = {
    LIMBERI_ANGULAR_KEY("stretch", STRETCH, "s^2", "how far a spin pulls parts away from its axis"),
    LIMBERI_CHOICE_KEY("stretch", STRETCH, "profile", LIMBERI_VALUE_PROFILE, "\"linear\"", "linear quadratic",
                       "how the pull grows outwards: linearly, or mostly at the far end"),
    LIMBERI_LAYER_KEY("stretch", STRETCH),
};

static const limberi_row joint_keys[] = {LIMBERI_ANGULAR_JOINT_KEYS("stretch", STRETCH)};

static const limberi_section sections[] = {
    {"effects.stretch", "stretch", LIMBERI_TEXT("A spin pulls parts outwards, like a centrifuge."),
     LIMBERI_TEXT("{\"effects\": {\"stretch\": {\"angular\": 0.008, \"profile\": \"quadratic\"}}}")},
};

const limberi_effect limberi_effect_stretch = {
    .name = "stretch",
    .source = LIMBERI_TEXT("acceleration skinning, equation 12; thesis 5.2"),
    .reads = LIMBERI_ANGULAR_VELOCITY,
    .driven_by = LIMBERI_ANGULAR_VELOCITY,
    .parts = 1u << LIMBERI_ANGULAR,
    .affine_part = LIMBERI_ANGULAR,
    .affine_matrix = true,
    .constant_affine_part = LIMBERI_NO_PART,
    .shapes = 1u << LIMBERI_SHAPE_SPIN,
    .function = LIMBERI_SCALAR(stretch),
    .plan = plan,
    .fold = fold,
    .is_affine = is_affine,
    .gpu = {.block = {LIMBERI_GPU_NONE, LIMBERI_GPU_SPIN},
            .put = put_spin,
            .put_source = put_source,
            .source_texels = 1},
    .fit = {.is_offered = true},
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .joint_keys = joint_keys,
    .joint_key_count = sizeof joint_keys / sizeof *joint_keys,
    .sections = LIMBERI_TEXTS(sections),
    .section_count = sizeof sections / sizeof *sections,
};
