// Derivative: parts go against a chosen time derivative of their joint's motion, the velocity, the acceleration, the jerk
// or the jounce (thesis, section 7.3: each derivative is half a swing of a spring).
//   linear   -k x^(n), at most `max` long
//   angular  bend(-k |w^(n-1) x r| / L, w^(n-1) / |w^(n-1)|, r)
// Without a limit, by velocity it is floppy; by acceleration it is the plain acceleration deformer, drag and
// followthrough at once. The motion stage brings jerk and jounce in place of the accelerations
// (limber_filter_set.derivative).
#include "base/error.h"
#include "deform/effects/keys.h"
#include "deform/gpu_rows.h"
#include "deform/plan.h"

enum { BY = LIMBERI_VALUE_BEND + 1, MAX };

static limber_derivative derivative_of(const limber_effect_settings* s) {
    return (limber_derivative)limberi_number_of(s, BY).value;
}

// Velocity and acceleration are there anyway.
static uint32_t higher_derivative(const limber_effect_settings* s) {
    limber_derivative by = derivative_of(s);
    return by >= LIMBER_BY_JERK ? (uint32_t)by + 1 : 0;
}

static void derivative(const limber_effect_block* b) {
    limberi_turn turn;
    bool turns = limberi_turn_of(b->angular_acceleration, b->bone_direction, &turn);
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->weight[i] == 0)
            continue;
        limber_vec3 d = limberi_scale(b->acceleration, -b->linear[i]);
        if (turns && b->angular[i] != 0)
            d = limberi_add(d, limberi_bend_back(b, i, &turn, b->angular[i]));
        limberi_displace(b, i, d);
    }
}

typedef struct derivative_state {
    limber_kinematics motion; // accelerations are what the effect goes by, this frame
    limber_vec3* held;        // [joint] these within `max`; NULL: no limit
} derivative_state;

static limber_result prepare(limber_deformer* d, uint32_t slot, limber_error* error) {
    const limber_effect_settings* s = &d->settings.effects[slot];
    derivative_state* state = LIMBERI_ALLOCATE(&d->arena, derivative_state, 1);
    d->states[slot] = state;
    if (!state)
        return LIMBER_ERROR_MEMORY;
    if (!(limberi_number_of(s, MAX).value > 0))
        return LIMBER_OK;
    if (limberi_number_varies(s->linear))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                            "derivative: with a 'max', 'linear' may differ in time, but not from vertex to vertex; use "
                            "a layer");
    state->held = LIMBERI_ALLOCATE(&d->arena, limber_vec3, d->model->rig.joint_count);
    return d->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

// k |x| stays below the max: x becomes x / sqrt(1 + (k |x| / max)^2). Layers scale what is left.
static void hold(limber_deformer* d, uint32_t slot) {
    derivative_state* state = d->states[slot];
    const limberi_own_layer* meshes = &d->own_layers[slot]; // scale what is left, too
    float k = d->frame.constants[slot].v[LIMBERI_VALUE_LINEAR][0] / (meshes->name ? meshes->scale : 1);
    float max = limberi_number_of(&d->settings.effects[slot], MAX).value * d->size;
    for (uint32_t j = 0; j < d->model->rig.joint_count; j++) {
        limber_vec3 x = state->motion.acceleration[j];
        float part = k * limberi_frame_gain(d, slot, j).linear * limberi_length(x) / max;
        state->held[j] = limberi_scale(x, 1 / sqrtf(1 + part * part));
    }
    state->motion.acceleration = state->held;
}

static void begin(limber_deformer* d, uint32_t slot) {
    derivative_state* state = d->states[slot];
    const limber_kinematics* in = d->frame.job.motion[slot];
    if (!in || in == &state->motion)
        return;
    state->motion = *in;
    if (derivative_of(&d->settings.effects[slot]) == LIMBER_BY_VELOCITY) {
        state->motion.acceleration = in->velocity;
        state->motion.angular_acceleration = in->angular_velocity;
    }
    if (state->held)
        hold(d, slot);
    d->frame.job.motion[slot] = &state->motion;
}

static void plan(limberi_joint_plan* p) {
    if (p->gain.linear != 0 && !limberi_is_zero(p->at.acceleration))
        limberi_plan_shift(p, -1, p->at.acceleration);
    if (p->gain.angular != 0 && !limberi_is_zero(p->at.angular_acceleration))
        limberi_plan_bend(p, true, 1);
}

static void fold(limberi_joint_quad* quad, uint32_t slot) {
    (void)slot;
    limberi_gpu_fold_shift(quad, limberi_lanes_all(-1), quad->acceleration);
}

static const limberi_row keys[] = {
    LIMBERI_CHOICE_KEY("derivative", DERIVATIVE, "by", BY, "\"jerk\"", "velocity acceleration jerk jounce",
                       "derivative of the joint's motion: first, second, third or fourth"),
    LIMBERI_LINEAR_KEY("derivative", DERIVATIVE, "s^n", "how far parts go against the derivative of a translation"),
    LIMBERI_CONSTANT_KEY("derivative", DERIVATIVE, "max", MAX, "L", 0, 1000, "0",
                         "max displacement of the linear part; 0: no limit"),
    LIMBERI_ANGULAR_KEY("derivative", DERIVATIVE, "s^n", "how far parts bend against the derivative of a rotation"),
    LIMBERI_BEND_KEYS("derivative", DERIVATIVE),
    LIMBERI_LAYER_KEY("derivative", DERIVATIVE),
};

static const limberi_row joint_keys[] = {LIMBERI_JOINT_KEYS("derivative", DERIVATIVE)};

static const limberi_section sections[] = {
    {"effects.derivative", "derivative",
     LIMBERI_TEXT(
         "Parts go against a chosen derivative of the motion: jerk and jounce add swings before and after the others."),
     LIMBERI_TEXT("{\"effects\": {\"derivative\": {\"by\": \"jerk\", \"angular\": 0.001, \"max_bend\": 30}}}")},
};

const limberi_effect limberi_effect_derivative = {
    .name = "derivative",
    .source = LIMBERI_TEXT("thesis on acceleration skinning, section 7.3"),
    .reads = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY | LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .driven_by = LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .parts = 1u << LIMBERI_LINEAR | 1u << LIMBERI_ANGULAR,
    .affine_part = LIMBERI_LINEAR,
    .constant_affine_part = LIMBERI_NO_PART,
    .bends = true,
    .shapes = 1u << LIMBERI_SHAPE_BEND,
    .function = LIMBERI_SCALAR(derivative),
    .plan = plan,
    .fold = fold,
    .derivative = higher_derivative,
    .prepare = prepare,
    .begin = begin,
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .joint_keys = joint_keys,
    .joint_key_count = sizeof joint_keys / sizeof *joint_keys,
    .sections = LIMBERI_TEXTS(sections),
    .section_count = sizeof sections / sizeof *sections,
};
