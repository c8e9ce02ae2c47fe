// Overlap: a spring follows every joint, and the skin lags behind the joint by the difference. Drag, overshoot and
// settling come out of it without gates or second derivatives: for a follower y = spring(x) the lag x - y is
// (2 d / w) spring(velocity) + (1 / w^2) spring(acceleration), velocity skinning and acceleration skinning with matched
// gains and one filter.
//
// Along the hierarchy the lags add up, A_j = A_parent + phi_j, and are compressed, C(A) = G A / sqrt(1 + (G |A| / M)^2),
// so that a chain never bends by more than M however many joints it has; a joint turns its skin by what it adds,
// E_j = C(A_j) - C(A_parent). With a layer by joints, E_j = share_j C(A_j) - share_parent C(A_parent): what hangs on
// something stiff lags by all of it.
//
// Loose parts (ears, tails, hair that no clip moves) have a limit of their own: their tips are behind by T, what the lags
// of all joints above do there, and they swing from their first joint by the angle between their way to the tip and the
// same less T.
#include "base/build.h"
#include "base/error.h"
#include "deform/carriers.h"
#include "deform/effects/keys.h"
#include "deform/gpu_rows.h"
#include "deform/loose_parts.h"
#include "deform/plan.h"
#include "layer/layer.h"

#include <string.h>

static const float dead_zone = 0.0261799388f; // 1.5 degrees: noise of captured idles
static const float fastest_squash = 6;        // rad/s that turning squashes by
static const float slow_squash = 0.2f;        // L/s: below this, squash grows with the square of the speed

// Loose parts are lighter than what carries them: lags that are small against their length count this much more.
static const float light = 1.7f;
static const float small = 0.25f;

// The kernel turns by up to half a turn.
static const float widest_turn = 3.1f;

// Radians and lengths per L that nobody sees, not even where hundreds of joints add up.
static const float min_lag = 1e-9f;

enum { REACH = LIMBERI_VALUE_BEND + 1, MAX_LINEAR, LOOSE, WHOLE };

static float reach_of(const limber_effect_settings* s, float size) {
    return limberi_number_of(s, REACH).value * size;
}

static void overlap(const limber_effect_block* b) {
    limber_vec3 turn = b->angular_acceleration;
    limber_vec3 shift = b->acceleration;
    float reach = reach_of(b->settings, b->size);
    float whole = limberi_length(turn);
    limber_vec3 axis = whole > 0 ? limberi_scale(turn, 1 / whole) : limberi_vec3(0, 0, 0);
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->weight[i] == 0)
            continue;
        limber_vec3 p = limberi_vec3(b->x[i], b->y[i], b->z[i]);
        limber_vec3 q = limberi_sub(p, b->position);
        float square = limberi_dot(q, q);
        float layer = b->angular[i];
        float shift_layer = b->linear[i];
        float share = sqrtf(square / (square + reach * reach));
        float shift_share = sqrtf(square / (square + 0.25f * reach * reach));
        limber_vec3 r = limberi_radius(p, b->position, axis);
        limber_vec3 d = limberi_bend(-layer * share * whole, axis, r);
        limberi_displace(b, i, limberi_sub(d, limberi_scale(shift, shift_layer * shift_share)));
    }
}

// How far the springs that follow a joint and all joints above it lag, how fast they turn, and how the skin bends by
// it.
typedef struct joint_lag {
    limber_vec3 total, bent;
    limber_vec3 place;   // of where it is
    limber_vec3 turning; // how fast the joint itself turns
    limber_vec3 spin, slowed;
} joint_lag;

typedef struct overlap_state {
    limber_kinematics followed; // what the skin makes of the followers, this frame
    joint_lag* lags;            // [joint]
    float* joint_share;         // [joint] of the layer by joints; NULL: 1
    double* joint_sums;         // [4 * joint] scratch of it
    float* whole;               // [joint] what is left of the lag of what carries everything; NULL: 1
    limberi_loose_parts loose;
} overlap_state;

// --- the layer by joints: what a joint's own skin is painted with on average ---
// A floppy ear on a stiff head then flops as a whole from its root, however hard the edge of the paint is; per vertex it
// would be torn off there.

static void add_mesh(const limber_deformer* d, const limber_mesh* mesh, const char* name, double* sum, double* mass) {
    const limber_layer* layer = limber_mesh_find_layer(mesh, name);
    const uint32_t* joints = d->model->skins[mesh->skin].joints;
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
            uint32_t j = joints[mesh->influence_joint[i]];
            sum[j] += (double)mesh->influence_weight[i] * (layer ? (double)layer->values[u] : 1);
            mass[j] += (double)mesh->influence_weight[i];
        }
}

// Joints without skin take the mean of what hangs on them.
static void layer_of_joints(const limber_deformer* d, double* sum, double* mass, float* shares) {
    const limber_rig* rig = &d->model->rig;
    double* below_sum = sum + rig->joint_count;
    double* below_mass = mass + rig->joint_count;
    memcpy(below_sum, sum, rig->joint_count * sizeof *sum);
    memcpy(below_mass, mass, rig->joint_count * sizeof *mass);
    for (uint32_t j = rig->joint_count; j-- > 0;)
        if (rig->hangs_on[j] >= 0) {
            below_sum[rig->hangs_on[j]] += below_sum[j];
            below_mass[rig->hangs_on[j]] += below_mass[j];
        }
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        bool own = mass[j] > 0;
        double weight = own ? mass[j] : below_mass[j];
        double value = own ? sum[j] : below_sum[j];
        shares[j] = weight > 0 ? (float)(value / weight) : 1;
    }
}

static void layer_changed(limber_deformer* d, uint32_t slot) {
    const overlap_state* state = d->states[slot];
    if (!state->joint_share)
        return;
    uint32_t joints = d->model->rig.joint_count;
    double* sum = state->joint_sums;
    double* mass = state->joint_sums + 2 * (size_t)joints;
    memset(sum, 0, 4 * (size_t)joints * sizeof *sum);
    for (uint32_t m = 0; m < d->model->mesh_count; m++)
        add_mesh(d, &d->model->meshes[m], d->settings.effects[slot].joint_layer, sum, mass);
    layer_of_joints(d, sum, mass, state->joint_share);
}

static limber_result check(const limber_effect_settings* s, limber_error* error) {
    bool varies = limberi_number_varies(s->angular);
    for (uint32_t value = LIMBERI_VALUE_OWN; value < LIMBERI_VALUES; value++)
        varies = varies || limberi_number_varies(limberi_number_of(s, value));
    if (varies)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                            "overlap: 'gain', 'max', 'twist' and 'bend' may differ in time, but not from vertex to "
                            "vertex; use a layer");
    return LIMBER_OK;
}

static limber_result prepare(limber_deformer* d, uint32_t slot, limber_error* error) {
    uint32_t joints = d->model->rig.joint_count;
    const char* layer = d->settings.effects[slot].joint_layer;
    overlap_state* state = LIMBERI_ALLOCATE(&d->arena, overlap_state, 1);
    (void)error;
    d->states[slot] = state;
    if (!state)
        return LIMBER_ERROR_MEMORY;
    state->followed.velocity = LIMBERI_ALLOCATE(&d->arena, limber_vec3, joints);
    state->followed.acceleration = LIMBERI_ALLOCATE(&d->arena, limber_vec3, joints);
    state->followed.angular_velocity = LIMBERI_ALLOCATE(&d->arena, limber_vec3, joints);
    state->followed.angular_acceleration = LIMBERI_ALLOCATE(&d->arena, limber_vec3, joints);
    state->lags = LIMBERI_ALLOCATE(&d->arena, joint_lag, joints);
    if (layer && limberi_has_layer(d->model, layer)) {
        state->joint_share = LIMBERI_ALLOCATE(&d->arena, float, joints);
        state->joint_sums = LIMBERI_ALLOCATE(&d->arena, double, 4 * (size_t)joints);
    }
    bool loose = LIMBERI_HAS_CLIPS && limberi_number_of(&d->settings.effects[slot], LOOSE).value > 0;
    if (d->arena.failed || (loose && !limberi_loose_parts_find(&d->arena, d->model, &state->loose)))
        return LIMBER_ERROR_MEMORY;
    float whole = limberi_number_of(&d->settings.effects[slot], WHOLE).value;
    if (whole != 1 && !limberi_carriers_find(&d->arena, d->model, &state->whole))
        return LIMBER_ERROR_MEMORY;
    for (uint32_t j = 0; state->whole && j < joints; j++)
        state->whole[j] = 1 - state->whole[j] * (1 - whole);
    layer_changed(d, slot);
    return LIMBER_OK;
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

typedef struct overlap_numbers {
    float gain, max, twist, bend, linear, max_linear, loose, reach;
} overlap_numbers;

static overlap_numbers numbers_of(const limber_deformer* d, uint32_t slot) {
    const limberi_block_values* c = &d->frame.constants[slot];
    overlap_numbers n = {c->v[LIMBERI_VALUE_ANGULAR][0],
                         c->v[LIMBERI_VALUE_MAX_BEND][0],
                         c->v[LIMBERI_VALUE_TWIST][0],
                         c->v[LIMBERI_VALUE_BEND][0],
                         d->plans[slot].formula[LIMBERI_LINEAR] ? 1 : c->v[LIMBERI_VALUE_LINEAR][0],
                         limberi_number_of(&d->settings.effects[slot], MAX_LINEAR).value * d->size,
                         limberi_number_of(&d->settings.effects[slot], LOOSE).value * (float)(LIMBERI_PI / 180),
                         reach_of(&d->settings.effects[slot], d->size)};
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

// How far the place of a joint is behind, with what is above it.
static limber_vec3 lag_of_place(const limber_deformer* d, const joint_lag* above, const limber_kinematics* in,
                                uint32_t joint) {
    const limber_mat4* world = d->frame.job.pose->world_from_joint;
    int32_t parent = d->model->rig.hangs_on[joint];
    limber_vec3 own = in->acceleration[joint];
    if (parent < 0)
        return own;
    limber_vec3 arm = limberi_sub(limberi_mat4_translation(&world[joint]), limberi_mat4_translation(&world[parent]));
    return limberi_add(own, limberi_add(above->place, limberi_cross(above->total, arm)));
}

// Of the springs, in this frame.
static double frequency_of(const limber_deformer* d, uint32_t slot) {
    const limber_deform_job* job = &d->frame.job;
    limberi_moment at = {job->time_s, job->frame, job->phase};
    limberi_filters filters = {d->settings.effects[slot].filters, 0, {{0, 0, NULL}}};
    for (uint32_t i = 0; LIMBERI_HAS_FORMULAS && i < d->settings.filter_formula_count; i++) {
        const limber_filter_formula* f = &d->settings.filter_formulas[i];
        if ((uint32_t)f->effect == slot && f->number == offsetof(limber_filter_set, follower.frequency_hz)) {
            filters.formulas[0] = (limberi_filter_formula){f->number, 1, f->expression};
            filters.formula_count = 1;
        }
    }
    return limberi_filters_at(&filters, &at).follower.frequency_hz;
}

// What the lag of a loose part is multiplied by: more than 1 for small lags, 1 for large ones, where the part just
// stays behind; more would throw it farther than its joint went. "Large" is lag and speed together, as one is large
// while the other passes 0.
static float gain_of_loose(const limber_deformer* d, uint32_t slot, const overlap_numbers* n, limber_vec3 tip,
                           limber_vec3 behind, limber_vec3 turning) {
    double rate = 2 * LIMBERI_PI * frequency_of(d, slot);
    limber_vec3 speed = limberi_scale(limberi_cross(turning, tip), rate > 0 ? (float)(1 / rate) : 0);
    float thrown = limberi_dot(behind, behind) + limberi_dot(speed, speed);
    float gain = light * n->gain;
    return gain > 1 ? 1 + (gain - 1) / (1 + thrown / (small * small * limberi_dot(tip, tip))) : gain;
}

// What a loose part turns by at its first joint. Skin near the joint turns less than the tip, which gets all of it, unless
// the part is very short against the reach.
static limber_vec3 swing_of(const limber_deformer* d, uint32_t slot, const overlap_numbers* n,
                            const limberi_loose_part* part, const joint_lag* lag) {
    const limber_mat4* world = &d->frame.job.pose->world_from_joint[part->joint];
    limber_vec3 tip = limberi_mat4_vector(world, part->tip);
    limber_vec3 inward = limberi_normalize(limberi_mat4_vector(world, part->inward));
    limber_vec3 behind = limberi_add(lag->place, limberi_cross(lag->total, tip));
    float square = limberi_dot(tip, tip);
    float share = sqrtf(square / (square + n->reach * n->reach));
    float gain = gain_of_loose(d, slot, n, tip, behind, lag->turning);
    limber_vec3 swing = limberi_loose_swing(tip, inward, limberi_scale(behind, gain), n->loose);
    return compress(limberi_scale(swing, share > 0 ? 1 / share : 0), 1, widest_turn);
}

static void follow_joint(limber_deformer* d, uint32_t slot, const overlap_numbers* n, const limber_kinematics* in,
                         uint32_t joint) {
    static const joint_lag nothing = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    overlap_state* state = d->states[slot];
    int32_t parent = d->model->rig.hangs_on[joint];
    const joint_lag* above = parent < 0 ? &nothing : &state->lags[parent];
    joint_lag* own = &state->lags[joint];
    limber_joint_gain gain = limberi_frame_gain(d, slot, joint);
    own->total = limberi_add(above->total, own_lag(d, n, in, joint));
    float share = state->joint_share ? state->joint_share[joint] : 1;
    own->bent = limberi_scale(compress(without_noise(own->total), n->gain, n->max), share);
    own->spin = limberi_add(above->spin, in->angular_velocity[joint]);
    limber_vec3 bend = limberi_sub(own->bent, above->bent);
    if (LIMBERI_HAS_CLIPS && state->loose.count) {
        int32_t part = state->loose.of_joint[joint];
        const limber_kinematics* plain = d->frame.job.plain_motion;
        own->place = lag_of_place(d, above, in, joint);
        own->turning = plain ? limberi_add(above->turning, plain->angular_velocity[joint]) : above->turning;
        if (part >= 0)
            bend = limberi_add(bend, limberi_scale(swing_of(d, slot, n, &state->loose.parts[part], own), share));
    }
    own->slowed = compress(own->spin, 1, fastest_squash);
    limber_vec3 shift = limberi_scale(in->acceleration[joint], n->linear);
    limber_vec3 v = in->velocity[joint];
    float far = limberi_length(shift);
    float speed = limberi_length(v) / d->size;
    float held = n->max_linear > 0 ? 1 / sqrtf(1 + far * far / (n->max_linear * n->max_linear)) : 1;
    float whole = state->whole ? state->whole[joint] : 1;
    state->followed.angular_acceleration[joint] = limberi_scale(bend, whole * gain.angular);
    state->followed.acceleration[joint] = limberi_scale(shift, whole * share * held * gain.linear);
    state->followed.angular_velocity[joint] = limberi_sub(own->slowed, above->slowed);
    state->followed.velocity[joint] = limberi_scale(v, speed / sqrtf(speed * speed + slow_squash * slow_squash));
}

// Loose parts swing by how fast their joints really turn.
static bool reads_plain(const limber_deformer* d, uint32_t slot) {
    const overlap_state* state = d->states[slot];
    return LIMBERI_HAS_CLIPS && state->loose.count;
}

// What the skin makes of the followers takes the place of their motion; effects that join them see it likewise.
static void begin(limber_deformer* d, uint32_t slot) {
    overlap_state* state = d->states[slot];
    const limber_kinematics** motion = d->frame.job.motion;
    const limber_kinematics* in = motion[slot];
    overlap_numbers n = numbers_of(d, slot);
    if (!in || in == &state->followed)
        return;
    for (uint32_t j = 0; j < d->model->rig.joint_count; j++)
        follow_joint(d, slot, &n, in, j);
    bool follows = d->settings.effects[slot].filters.follower.frequency_hz > 0;
    for (uint32_t k = 0; follows && k < LIMBER_EFFECT_COUNT; k++)
        if (limberi_effect_joins(d->plans[k].effect, &d->settings.effects[k]) && motion[k] == in)
            motion[k] = &state->followed;
    motion[slot] = &state->followed;
}

static bool is_near_limit(const limber_deformer* d, uint32_t slot, uint32_t joint, float limit, float part) {
    const overlap_state* state = d->states[slot];
    float share = state->joint_share ? state->joint_share[joint] : 1;
    return share > 0 && limberi_length(state->lags[joint].bent) > part * limit * share;
}

static void plan(limberi_joint_plan* p) {
    limber_vec3 turn = p->at.angular_acceleration;
    limber_vec3 shift = p->at.acceleration;
    float square = limberi_dot(turn, turn);
    float reach = reach_of(&p->d->settings.effects[p->slot], p->at.size);
    float min_shift = min_lag * p->at.size;
    if (square < min_lag * min_lag && limberi_dot(shift, shift) < min_shift * min_shift)
        return;
    if (square > widest_turn * widest_turn)
        limberi_plan_scalar(p);
    else
        limberi_plan_follow(p, turn, shift, reach);
}

static void put_turn_and_shift(limberi_joint_quad* quad, uint32_t slot) {
    float reach = reach_of(&quad->d->settings.effects[slot], quad->d->size);
    limberi_vectors3 turn = limberi_vectors_scale(quad->angular_acceleration, quad->gain[LIMBERI_ANGULAR]);
    limberi_vectors3 shift = limberi_vectors_scale(quad->acceleration, quad->gain[LIMBERI_LINEAR]);
    limberi_gpu_put(quad, turn, limberi_lanes_all(reach * reach));
    limberi_gpu_put(quad, shift, limberi_lanes_all(0.25f * reach * reach));
    quad->acts |= limberi_vectors_move(turn) | limberi_vectors_move(shift);
}

#define SPRING_ROW(key, type, member, unit, min, max, excluded, value, help, reader)                                   \
    LIMBERI_ROW_WITH(value, "effects.overlap." key, type, unit, min, max, excluded, NULL, help, DOUBLE,                \
                     1u << LIMBER_EFFECT_OVERLAP, 0, offsetof(limber_effect_settings, filters.follower.member),        \
                     reader)
// A number, ...
#define SPRING(key, member, unit, min, max, excluded, value, help)                                                     \
    SPRING_ROW(key, CONSTANT, member, unit, min, max, excluded, value, help, NULL)
// ... or one that may be a formula of time.
#define SPRING_OF_TIME(key, member, unit, min, max, excluded, value, help)                                             \
    SPRING_ROW(key, NUMBER, member, unit, min, max, excluded, value, help, &limberi_frame_reader)

static const limberi_row keys[] = {
    SPRING_OF_TIME("frequency", frequency_hz, "Hz", 0, 100, true, "2.2",
                   "how fast the skin follows a joint; lower: longer lag and slower wobble"),
    SPRING_OF_TIME("damping", damping, "", 0, 10, false, "0.5", "how soon the wobble ends; 1: no overshoot"),
    LIMBERI_NUMBER_KEY("overlap", OVERLAP, "gain", LIMBERI_VALUE_ANGULAR, "", -LIMBERI_MAX_GAIN, LIMBERI_MAX_GAIN, "0",
                       "multiplies small lags of rotations"),
    LIMBERI_NUMBER_KEY("overlap", OVERLAP, "max", LIMBERI_VALUE_MAX_BEND, "degrees", 0, 90, "37",
                       "max bend of a whole chain of joints; 0: no limit"),
    LIMBERI_CONSTANT_KEY("overlap", OVERLAP, "reach", REACH, "L", 0, 1000, "0.75",
                         "distance from the joint at which most of the lag counts"),
    SPRING_OF_TIME("smooth", smooth_s, "s", 0, 10, false, "0.03", "smooths the lag in time"),
    SPRING("ahead", ahead_s, "s", 0, 1, false, "0",
           "in clips the lag comes this much earlier: a hint of anticipation, and blows land on their frame"),
    SPRING(
        "arrive", arrive, "", 0, 1, false, "0",
        "in clips, blows land on the beat: where a fast hand, foot or tip stops, nothing lags, and then it overshoots; "
        "live poses ignore it"),
    LIMBERI_NUMBER_KEY("overlap", OVERLAP, "twist", LIMBERI_VALUE_TWIST, "", -1000, 1000, "1",
                       "multiplies the rotation around the bone"),
    LIMBERI_NUMBER_KEY("overlap", OVERLAP, "bend", LIMBERI_VALUE_BEND, "", -1000, 1000, "1",
                       "multiplies the rotation across the bone"),
    LIMBERI_LINEAR_KEY("overlap", OVERLAP, "", "multiplies the lag of translations"),
    LIMBERI_CONSTANT_KEY("overlap", OVERLAP, "max_linear", MAX_LINEAR, "L", 0, 1000, "0.05",
                         "max lag of a translation; 0: no limit"),
    LIMBERI_CONSTANT_KEY("overlap", OVERLAP, "loose", LOOSE, "degrees", 0, 90, "0",
                         "max swing of loose parts: ears, tails and hair whose joints no clip moves; 0: as everything"),
    LIMBERI_CONSTANT_KEY("overlap", OVERLAP, "whole", WHOLE, "", 0, 1, "1",
                         "multiplies the lag of joints that carry the whole character from its middle, as hips do: it "
                         "bends nothing, everything is only late"),
    LIMBERI_LAYER_KEY("overlap", OVERLAP),
    LIMBERI_EFFECT_KEY("overlap", OVERLAP, "joint_layer", TEXT, "", 0, 0, false, "\"\"", NULL,
                       "painted layer that scales how much each joint lags, by the mean over its skin: what is "
                       "painted keeps its shape and stays attached; \"\": none",
                       TEXT, 0, offsetof(limber_effect_settings, joint_layer)),
};

static const limberi_row joint_keys[] = {LIMBERI_JOINT_KEYS("overlap", OVERLAP)};

// A spring is seen only where something lags, so the gains do not start at 0. One of another frequency is in another
// phase, where a search gets stuck: it begins at several.
static const limberi_fit_row fit_rows[] = {
    {.name = "frequency", .start = 2.2, .low = 0.2, .high = 30, .more_starts = {1.1, 4.4}},
    {.name = "damping", .start = 0.5, .low = 0.02, .high = 5},
    {.name = "gain", .gain = true, .start = 2, .low = -1e3, .high = 1e3},
    {.name = "max", .start = 37, .low = 1, .high = 90},
    {.name = "smooth", .start = 0.03, .low = 1e-3, .high = 1},
    {.name = "reach", .start = 0.75, .low = 0.02, .high = 50},
    {.name = "linear", .gain = true, .start = 0.5, .low = -1e3, .high = 1e3},
    {.name = "max_linear", .start = 0.05, .low = 1e-3, .high = 50, .only_limits = "linear"},
};

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
    .has_follower = true,
    .function = LIMBERI_SCALAR(overlap),
    .plan = plan,
    .check = check,
    .prepare = prepare,
    .reads_plain = reads_plain,
    .begin = begin,
    .layer_changed = layer_changed,
    .limit = {.key = LIMBERI_TOOL("max"),
              .unit = LIMBERI_TOOL(" degrees"),
              .per_unit = 180 / LIMBERI_PI,
              .value = LIMBERI_VALUE_MAX_BEND,
              .is_near = LIMBERI_TOOL(is_near_limit)},
    .advice = {.strength = LIMBERI_TOOL("gain"),
               .stretch = {LIMBERI_TOOL("max"), LIMBERI_TOOL("max_linear")},
               .pop = LIMBERI_TOOL("smooth")},
    .fit = {.is_offered = true, .rows = LIMBERI_TOOL(fit_rows), .row_count = sizeof fit_rows / sizeof *fit_rows},
    .gpu = {.block = {LIMBERI_GPU_OVERLAP, LIMBERI_GPU_OVERLAP}, .put = put_turn_and_shift},
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .joint_keys = joint_keys,
    .joint_key_count = sizeof joint_keys / sizeof *joint_keys,
    .sections = LIMBERI_TEXTS(sections),
    .section_count = sizeof sections / sizeof *sections,
};
