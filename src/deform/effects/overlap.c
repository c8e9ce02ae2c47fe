// Overlap: a spring follows every joint, and the skin lags behind the joint by the difference. Drag, overshoot and
// settling come out of it without gates or second derivatives: for a follower y = spring(x) the lag x - y is
// (2 d / w) spring(velocity) + (1 / w^2) spring(acceleration), velocity skinning and acceleration skinning with matched
// gains and one filter.
//
// Along the hierarchy the lags add up, A_j = A_parent + phi_j, and are compressed, C(A) = G A / sqrt(1 + (G |A| / M)^2),
// so that a chain never bends by more than M however many joints it has; a joint turns its skin by what it adds,
// E_j = C(A_j) - C(A_parent). With a layer by joints, E_j = share_j C(A_j) - share_parent C(A_parent): what hangs on
// something stiff lags by all of it.
#include "deform/effects/keys.h"
#include "deform/gpu_rows.h"
#include "deform/plan.h"

static const float dead_zone = 0.0261799388f; // 1.5 degrees: noise of captured idles
static const float fastest_squash = 6;        // rad/s that turning squashes by
static const float slow_squash = 0.2f;        // L/s: below this, squash grows with the square of the speed

// The kernel turns by up to half a turn.
static const float widest_turn = 3.1f;

// Radians and lengths per L that nobody sees, not even where hundreds of joints add up.
static const float min_lag = 1e-9f;

static void overlap(const limber_effect_block* b) {
    limber_vec3 turn = b->angular_acceleration, shift = b->acceleration;
    float reach = (float)b->settings->reach * b->size, whole = limberi_length(turn);
    limber_vec3 axis = whole > 0 ? limberi_scale(turn, 1 / whole) : limberi_vec3(0, 0, 0);
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->weight[i] == 0)
            continue;
        limber_vec3 p = limberi_vec3(b->x[i], b->y[i], b->z[i]), q = limberi_sub(p, b->position);
        float square = limberi_dot(q, q), layer = b->angular[i], shift_layer = b->linear[i];
        float share = sqrtf(square / (square + reach * reach)),
              shift_share = sqrtf(square / (square + 0.25f * reach * reach));
        limber_vec3 r = limberi_radius(p, b->position, axis);
        limber_vec3 d = limberi_bend(-layer * share * whole, axis, r);
        limberi_displace(b, i, limberi_sub(d, limberi_scale(shift, shift_layer * shift_share)));
    }
}

// --- along the hierarchy, once a frame ---

static limber_vec3 compress(limber_vec3 a, float gain, float max) {
    float angle = gain * limberi_length(a);
    return limberi_scale(a, max > 0 ? gain / sqrtf(1 + angle * angle / (max * max)) : gain);
}

static limber_vec3 without_noise(limber_vec3 a) {
    float square = limberi_dot(a, a);
    return limberi_scale(a, sqrtf(square / (square + dead_zone * dead_zone)));
}

static limber_result prepare(limber_deformer* d, uint32_t slot, limber_error* error) {
    uint32_t joints = d->model->rig.joint_count;
    (void)error;
    d->followed.velocity = LIMBERI_ALLOCATE(&d->arena, limber_vec3, joints);
    d->followed.acceleration = LIMBERI_ALLOCATE(&d->arena, limber_vec3, joints);
    d->followed.angular_velocity = LIMBERI_ALLOCATE(&d->arena, limber_vec3, joints);
    d->followed.angular_acceleration = LIMBERI_ALLOCATE(&d->arena, limber_vec3, joints);
    d->lags = LIMBERI_ALLOCATE(&d->arena, limberi_lag, joints);
    if (d->arena.failed)
        return LIMBER_ERROR_MEMORY;
    return limberi_joint_layer_prepare(d, d->settings.effects[slot].joint_layer);
}

typedef struct overlap_numbers {
    float gain, max, twist, bend, linear, max_linear;
} overlap_numbers;

static overlap_numbers numbers_of(const limber_deformer* d, uint32_t slot) {
    const limberi_block_values* c = &d->frame.constants[slot];
    overlap_numbers n = {c->v[LIMBERI_VALUE_ANGULAR][0],
                         c->v[LIMBERI_VALUE_MAX_BEND][0],
                         c->v[LIMBERI_VALUE_TWIST][0],
                         c->v[LIMBERI_VALUE_BEND][0],
                         d->plans[slot].formula[LIMBERI_LINEAR] ? 1 : c->v[LIMBERI_VALUE_LINEAR][0],
                         (float)d->settings.effects[slot].max_linear * d->size};
    return n;
}

// The joint's lag in the world, with twist and bend counting as the style says.
static limber_vec3 own_lag(const limber_deformer* d, const overlap_numbers* n, const limber_kinematics* in,
                           uint32_t joint) {
    limber_vec3 lag = in->angular_acceleration[joint];
    if (n->twist == n->bend)
        return limberi_scale(lag, n->bend);
    limber_vec3 bone = limberi_normalize(
        limberi_mat4_vector(&d->frame.job.pose->world_from_joint[joint], d->model->rig.bone_direction[joint]));
    return limberi_add(limberi_scale(lag, n->bend), limberi_scale(bone, (n->twist - n->bend) * limberi_dot(lag, bone)));
}

static void follow_joint(limber_deformer* d, uint32_t slot, const overlap_numbers* n, const limber_kinematics* in,
                         uint32_t joint) {
    static const limberi_lag nothing = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    int32_t parent = d->model->rig.parents[joint];
    const limberi_lag* above = parent < 0 ? &nothing : &d->lags[parent];
    limberi_lag* lag = &d->lags[joint];
    limber_joint_gain gain = limberi_frame_gain(d, slot, joint);
    lag->total = limberi_add(above->total, own_lag(d, n, in, joint));
    float share = d->joint_share ? d->joint_share[joint] : 1;
    lag->bent = limberi_scale(compress(without_noise(lag->total), n->gain, n->max), share);
    lag->spin = limberi_add(above->spin, in->angular_velocity[joint]);
    lag->slowed = compress(lag->spin, 1, fastest_squash);
    limber_vec3 shift = limberi_scale(in->acceleration[joint], n->linear), v = in->velocity[joint];
    float far = limberi_length(shift), speed = limberi_length(v) / d->size;
    float held = n->max_linear > 0 ? 1 / sqrtf(1 + far * far / (n->max_linear * n->max_linear)) : 1;
    d->followed.angular_acceleration[joint] = limberi_scale(limberi_sub(lag->bent, above->bent), gain.angular);
    d->followed.acceleration[joint] = limberi_scale(shift, share * held * gain.linear);
    d->followed.angular_velocity[joint] = limberi_sub(lag->slowed, above->slowed);
    d->followed.velocity[joint] = limberi_scale(v, speed / sqrtf(speed * speed + slow_squash * slow_squash));
}

// What the skin makes of the followers takes the place of their motion; squash that goes by the same followers sees
// them likewise.
static void begin(limber_deformer* d, uint32_t slot) {
    const limber_kinematics* in = d->frame.job.motion[slot];
    overlap_numbers n = numbers_of(d, slot);
    if (!in || in == &d->followed)
        return;
    for (uint32_t j = 0; j < d->model->rig.joint_count; j++)
        follow_joint(d, slot, &n, in, j);
    if (d->frame.job.motion[LIMBER_EFFECT_SQUASH] == in && d->settings.effects[slot].filters.follower.frequency_hz > 0)
        d->frame.job.motion[LIMBER_EFFECT_SQUASH] = &d->followed;
    d->frame.job.motion[slot] = &d->followed;
}

static void plan(limberi_joint_plan* p) {
    limber_vec3 turn = p->at.angular_acceleration, shift = p->at.acceleration;
    float square = limberi_dot(turn, turn), reach = (float)p->d->settings.effects[p->slot].reach * p->at.size;
    float min_shift = min_lag * p->at.size;
    if (square < min_lag * min_lag && limberi_dot(shift, shift) < min_shift * min_shift)
        return;
    if (square > widest_turn * widest_turn)
        limberi_plan_scalar(p);
    else
        limberi_plan_follow(p, turn, shift, reach);
}

static void put(limberi_gpu_pen* pen, uint32_t slot) {
    float reach = (float)pen->d->settings.effects[slot].reach * pen->d->size;
    limberi_vectors3 turn = limberi_vectors_scale(pen->angular_acceleration, pen->gain[LIMBERI_ANGULAR]);
    limberi_vectors3 shift = limberi_vectors_scale(pen->acceleration, pen->gain[LIMBERI_LINEAR]);
    limberi_gpu_put(pen, turn, limberi_lanes_all(reach * reach));
    limberi_gpu_put(pen, shift, limberi_lanes_all(0.25f * reach * reach));
    pen->acts |= limberi_vectors_move(turn) | limberi_vectors_move(shift);
}

static void set_defaults(limber_effect_settings* s) {
    s->filters.follower.frequency_hz = 2.2;
    s->filters.follower.damping = 0.5;
    s->filters.follower.smooth_s = 0.03;
    s->max_bend_deg.value = 37;
    s->reach = 0.75;
    s->max_linear = 0.05;
}

#define CONSTANT(key, member, unit, min, max, excluded, value, help)                                                   \
    LIMBERI_EFFECT_KEY("overlap", OVERLAP, key, CONSTANT, unit, min, max, excluded, value, NULL, help, DOUBLE, 0,      \
                       offsetof(limber_effect_settings, member))

static const limberi_row keys[] = {
    CONSTANT("frequency", filters.follower.frequency_hz, "Hz", 0, 100, true, "2.2",
             "how fast the skin follows a joint; lower: longer lag and slower wobble"),
    CONSTANT("damping", filters.follower.damping, "", 0, 10, false, "0.5", "how soon the wobble ends; 1: no overshoot"),
    LIMBERI_NUMBER_KEY("overlap", OVERLAP, "gain", angular, "", -LIMBERI_MAX_GAIN, LIMBERI_MAX_GAIN, "0",
                       "multiplies small lags of rotations"),
    LIMBERI_NUMBER_KEY("overlap", OVERLAP, "max", max_bend_deg, "degrees", 0, 90, "37",
                       "max bend of a whole chain of joints; 0: no limit"),
    CONSTANT("reach", reach, "L", 0, 1000, false, "0.75", "distance from the joint at which most of the lag counts"),
    CONSTANT("smooth", filters.follower.smooth_s, "s", 0, 10, false, "0.03", "smooths the lag in time"),
    CONSTANT("ahead", filters.follower.ahead_s, "s", 0, 1, false, "0",
             "in clips the lag comes this much earlier: a hint of anticipation, and blows land on their frame"),
    LIMBERI_NUMBER_KEY("overlap", OVERLAP, "twist", twist, "", -1000, 1000, "1",
                       "multiplies the rotation around the bone"),
    LIMBERI_NUMBER_KEY("overlap", OVERLAP, "bend", bend, "", -1000, 1000, "1",
                       "multiplies the rotation across the bone"),
    LIMBERI_LINEAR_KEY("overlap", OVERLAP, "", "multiplies the lag of translations"),
    CONSTANT("max_linear", max_linear, "L", 0, 1000, false, "0.05", "max lag of a translation; 0: no limit"),
    LIMBERI_LAYER_KEY("overlap", OVERLAP),
    LIMBERI_EFFECT_KEY("overlap", OVERLAP, "joint_layer", TEXT, "", 0, 0, false, "\"\"", NULL,
                       "painted layer that scales how much each joint lags, by the mean over its skin: what is "
                       "painted keeps its shape and stays attached; \"\": none",
                       JOINT_LAYER, 0, 0),
};

static const limberi_row joint_keys[] = {LIMBERI_JOINT_KEYS("overlap", OVERLAP)};

static const limberi_section sections[] = {
    {"effects.overlap", "overlap",
     LIMBERI_TEXT("The skin follows each joint on a spring: it drags, overshoots and settles. One effect for what "
                  "floppy, drag and "
                  "followthrough do, safe on any character. Best with \"compose\": \"chain\". Squash without a filter "
                  "then goes by "
                  "the same springs."),
     LIMBERI_TEXT("{\"compose\": \"chain\", \"effects\": {\"overlap\": {\"gain\": 4.6, \"linear\": 1}}}")},
};

const limberi_effect limberi_effect_overlap = {
    .name = "overlap",
    .source = LIMBERI_TEXT("velocity skinning and acceleration skinning behind one spring"),
    .air = LIMBER_AIR_WIND | LIMBER_AIR_GRAVITY,
    .reads = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY | LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .driven_by = LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .parts = 1u << LIMBERI_LINEAR | 1u << LIMBERI_ANGULAR,
    .affine_part = LIMBERI_NO_PART,
    .constant_affine_part = LIMBERI_NO_PART,
    .shapes = 1u << LIMBERI_SHAPE_FOLLOW,
    .gains_are_in_motion = true,
    .function = LIMBERI_SCALAR(overlap),
    .plan = plan,
    .set_defaults = set_defaults,
    .prepare = prepare,
    .begin = begin,
    .gpu = {.block = {LIMBERI_GPU_OVERLAP, LIMBERI_GPU_OVERLAP}, .put = put},
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .joint_keys = joint_keys,
    .joint_key_count = sizeof joint_keys / sizeof *joint_keys,
    .sections = sections,
    .section_count = sizeof sections / sizeof *sections,
};
