// Squash: shapes stretch along their motion and thin across it, keeping their volume (velocity skinning, equations 14
// and 15).
//   linear   (T - I)(p - c), T stretching by 1 + s along v and by 1 / sqrt(1 + s) across, s = k |v| / L
//   angular  s (e . y) e + (1 / (1 + s) - 1)(z . y) z, with m the medial axis, e = m x w normalised, z = e x m,
//            s = k |w x (p - p_j)| / L, and y from the medial axis to p; about the center also (1 / (1 + s) - 1)
//            (m . (p - c)) m, which the paper's text leaves out and the authors' program has
// The angular s is multiplied by the square of the sine between m and w, so that nothing jumps where they pass each
// other (fade 1; 0 is the paper's own). With a max, s becomes s / sqrt(1 + (s / max)^2).
#include "deform/effects/keys.h"
#include "deform/gpu_rows.h"
#include "deform/plan.h"

static limber_vec3 squash_linear(const limber_effect_block* b, uint32_t i, limber_vec3 direction, float speed) {
    float s = limberi_limit_squash(b->linear[i] * speed / b->size, limberi_values_of(b, LIMBERI_VALUE_MAX_SQUASH)[i]);
    float stretch = fmaxf(1 + s, LIMBERI_MIN_STRETCH);
    float across = 1 / sqrtf(stretch) - 1;
    limber_vec3 arm = limberi_sub(limberi_vec3(b->x[i], b->y[i], b->z[i]), b->centroid);
    float along = limberi_dot(arm, direction);
    return limberi_add(limberi_scale(direction, (stretch - 1 - across) * along), limberi_scale(arm, across));
}

static limber_vec3 squash_angular(const limber_effect_block* b, uint32_t i, const limberi_squash_plane* q,
                                  bool about_axis) {
    limber_vec3 arm = limberi_sub(limberi_vec3(b->x[i], b->y[i], b->z[i]), b->position);
    float s = b->angular[i] * limberi_length(limberi_cross(b->angular_velocity, arm)) / b->size;
    s = limberi_limit_squash(limberi_squash_share(q, limberi_values_of(b, LIMBERI_VALUE_FADE)[i]) * s,
                             limberi_values_of(b, LIMBERI_VALUE_MAX_SQUASH)[i]);
    float stretch = fmaxf(1 + s, LIMBERI_MIN_STRETCH);
    // e and z are perpendicular to m, so the foot on the axis may be any of its points: the joint itself.
    limber_vec3 d = limberi_add(limberi_scale(q->e, (stretch - 1) * limberi_dot(q->e, arm)),
                                limberi_scale(q->z, (1 / stretch - 1) * limberi_dot(q->z, arm)));
    if (about_axis)
        return d;
    limber_vec3 from_center = limberi_sub(limberi_vec3(b->x[i], b->y[i], b->z[i]), b->centroid);
    return limberi_add(d, limberi_scale(q->m, (1 / stretch - 1) * limberi_dot(q->m, from_center)));
}

static void squash(const limber_effect_block* b) {
    float speed = limberi_length(b->velocity);
    limber_vec3 direction = limberi_normalize(b->velocity);
    limberi_squash_plane q;
    bool turns = limberi_squash_plane_of(b, &q);
    bool about_axis = limberi_number_of(b->settings, LIMBERI_VALUE_ABOUT).value == LIMBER_ABOUT_AXIS;
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

static float constant(const limber_deformer* d, uint32_t slot, int value) {
    return d->frame.constants[slot].v[value][0];
}

static void plan_linear(limberi_joint_plan* p) {
    float speed = limberi_length(p->at.velocity);
    if (!(speed > 0) || p->gain.linear == 0)
        return;
    limber_vec3 direction = limberi_normalize(p->at.velocity);
    float rate = p->gain.linear * speed / p->at.size;
    float max = constant(p->d, p->slot, LIMBERI_VALUE_MAX_SQUASH);
    if (p->d->plans[p->slot].gain_varies[LIMBERI_LINEAR]) {
        limberi_plan_travel(p, direction, rate, max);
        return;
    }
    float stretch = fmaxf(1 + limberi_limit_squash(rate, max), LIMBERI_MIN_STRETCH);
    float thin = 1 / sqrtf(stretch) - 1;
    limberi_plan_matrix(p, LIMBERI_FOLD_CONSTANT, thin, stretch - 1 - thin, direction, p->at.centroid);
}

static void plan(limberi_joint_plan* p) {
    limberi_squash_plane plane;
    plan_linear(p);
    if (p->gain.angular == 0 || limberi_is_zero(p->at.angular_velocity))
        return;
    limberi_plan_need_axes(p);
    if (!limberi_squash_plane_of(&p->at, &plane))
        return;
    float share = limberi_squash_share(&plane, constant(p->d, p->slot, LIMBERI_VALUE_FADE));
    float rate = share * p->gain.angular * plane.speed / p->at.size;
    limberi_plan_squash(p, &plane, rate);
    if (LIMBERI_HAS_VERTICES && limberi_about_of(p->d, p->slot, p->joint) == LIMBER_ABOUT_CENTER)
        limberi_plan_shorten(p, &plane, rate, constant(p->d, p->slot, LIMBERI_VALUE_MAX_SQUASH));
}

static limberi_lanes limit_squash(limberi_lanes s, float max) {
    if (!(max > 0))
        return s;
    max = fmaxf(max, LIMBERI_MIN_MAX_SQUASH);
    limberi_lanes bound = limberi_lanes_all(LIMBERI_MAX_SQUASH);
    limberi_lanes x = limberi_lanes_min(limberi_lanes_max(s / max, -bound), bound);
    return max * x / limberi_lanes_sqrt(1 + x * x);
}

static void fold(limberi_joint_quad* quad, uint32_t slot) {
    limberi_lanes speed = limberi_vectors_length(quad->velocity);
    limberi_lanes gain = quad->gain[LIMBERI_LINEAR];
    limberi_lanes rate = gain * speed / quad->d->size;
    limberi_lanes stretch = limberi_lanes_max(1 + limit_squash(rate, constant(quad->d, slot, LIMBERI_VALUE_MAX_SQUASH)),
                                              limberi_lanes_all(LIMBERI_MIN_STRETCH));
    limberi_lanes thin = 1 / limberi_lanes_sqrt(stretch) - 1;
    limberi_mask moves = limberi_lanes_less(limberi_lanes_all(0), speed) & (gain != 0);
    limberi_gpu_fold_matrix(quad, moves, thin, stretch - 1 - thin, limberi_vectors_normalize(quad->velocity),
                            quad->centroid);
}

// The kernels take one of each per joint.
static bool needs_scalar(const limber_effect_settings* settings) {
    return limberi_number_varies(limberi_number_of(settings, LIMBERI_VALUE_FADE)) ||
           limberi_number_varies(limberi_number_of(settings, LIMBERI_VALUE_MAX_SQUASH));
}

// Travel, and turning as the middle of the joint's skin feels it.
static bool is_near_limit(const limber_deformer* d, uint32_t slot, uint32_t joint, float limit, float part) {
    const limber_kinematics* motion = d->frame.job.motion[slot];
    limber_joint_gain gain = limberi_frame_gain(d, slot, joint);
    const limber_mat4* world = &d->frame.job.pose->world_from_joint[joint];
    if (!motion)
        return false;
    limber_vec3 arm =
        limberi_sub(limberi_mat4_point(world, d->model->rig.centroid[joint]), limberi_mat4_translation(world));
    float travel = gain.linear * constant(d, slot, LIMBERI_VALUE_LINEAR) * limberi_length(motion->velocity[joint]);
    float turn = gain.angular * constant(d, slot, LIMBERI_VALUE_ANGULAR) *
                 limberi_length(limberi_cross(motion->angular_velocity[joint], arm));
    return limberi_limit_squash(fmaxf(fabsf(travel / d->size), fabsf(turn / d->size)), limit) > part * limit;
}

static void put_travel(limberi_joint_quad* quad, uint32_t slot) {
    limberi_lanes speed = limberi_vectors_length(quad->velocity);
    limberi_lanes gain = quad->gain[LIMBERI_LINEAR];
    limberi_gpu_put(quad, limberi_vectors_normalize(quad->velocity), gain * speed / quad->d->size);
    limberi_gpu_put(quad, limberi_vectors_sub(quad->centroid, quad->position),
                    limberi_lanes_all(constant(quad->d, slot, LIMBERI_VALUE_MAX_SQUASH)));
    quad->acts |= (gain != 0) & limberi_lanes_less(limberi_lanes_all(0), speed);
}

static void put_source(limberi_joint_quad* quad, uint32_t slot) {
    limberi_lanes gain = quad->gain[LIMBERI_ANGULAR];
    limberi_lanes max = limberi_lanes_all(constant(quad->d, slot, LIMBERI_VALUE_MAX_SQUASH));
    const limberi_turns* turn = limberi_gpu_turns(quad, false);
    limberi_squash_planes q = limberi_gpu_squash_planes(quad, turn->speed, constant(quad->d, slot, LIMBERI_VALUE_FADE));
    limberi_mask there = q.is_there & (gain != 0);
    limberi_mask acts = quad->acts;
    limberi_lanes rate = q.share * gain * turn->speed / quad->d->size;
    limberi_gpu_put(quad, limberi_vectors_where(there, turn->axis), limberi_lanes_where(there, rate));
    limberi_gpu_put(quad, limberi_vectors_where(there, q.e), limberi_gpu_center(quad, slot));
    limberi_gpu_put(quad, limberi_vectors_where(there, q.z), limberi_lanes_where(there, max));
    put_travel(quad, slot);
    quad->acts = acts;
}

static const limberi_row keys[] = {
    LIMBERI_LINEAR_KEY("squash", SQUASH, "s", "stretch along the path of a joint, with thinning across it"),
    LIMBERI_ANGULAR_KEY("squash", SQUASH, "s", "flattening of a part that rotates about its joint"),
    LIMBERI_CHOICE_KEY(
        "squash", SQUASH, "about", LIMBERI_VALUE_ABOUT, "\"axis\"", "axis center",
        "what the angular part keeps in place: the medial axis of the part, or its center, along the axis too"),
    LIMBERI_CHOICE_KEY("squash", SQUASH, "driven_by", LIMBERI_VALUE_DRIVEN_BY, "\"overlap\"", "overlap motion",
                       "the motion it sees: that of overlap's springs, if on and without a filter, or the joints' own"),
    LIMBERI_NUMBER_KEY("squash", SQUASH, "fade", LIMBERI_VALUE_FADE, "", 0, 1, "1",
                       "how smoothly the angular part vanishes where a part spins about its own axis; 0: abruptly"),
    LIMBERI_NUMBER_KEY("squash", SQUASH, "max", LIMBERI_VALUE_MAX_SQUASH, "", 0, LIMBERI_MAX_GAIN, "0",
                       "max stretch, 0.5 is half as long again, eased in; 0: no limit"),
    LIMBERI_LAYER_KEY("squash", SQUASH),
};

static const limberi_row joint_keys[] = {LIMBERI_JOINT_KEYS("squash", SQUASH)};

static const limberi_fit_row fit_limit = {.name = "max", .start = 0.3, .low = 1e-3, .high = 10};

static const limberi_section sections[] = {
    {"effects.squash", "squash",
     LIMBERI_TEXT(
         "Fast parts stretch along their path and thin across it; rotating parts flatten. The volume is preserved."),
     LIMBERI_TEXT("{\"effects\": {\"squash\": {\"linear\": 0.1, \"angular\": 0.1, \"max\": 0.5}}}")},
};

const limberi_effect limberi_effect_squash = {
    .name = "squash",
    .source = LIMBERI_TEXT("velocity skinning, equations 14 and 15"),
    .reads = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY,
    .driven_by = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY,
    .parts = 1u << LIMBERI_LINEAR | 1u << LIMBERI_ANGULAR,
    .affine_part = LIMBERI_NO_PART,
    .constant_affine_part = LIMBERI_LINEAR,
    .shapes = 1u << LIMBERI_SHAPE_SQUASH | 1u << LIMBERI_SHAPE_SHORTEN | 1u << LIMBERI_SHAPE_TRAVEL,
    .function = LIMBERI_SCALAR(squash),
    .plan = plan,
    .fold = fold,
    .needs_scalar = needs_scalar,
    .joins_follower = true,
    .limit = {.key = LIMBERI_TOOL("max"),
              .unit = LIMBERI_TOOL(""),
              .per_unit = 1,
              .value = LIMBERI_VALUE_MAX_SQUASH,
              .is_near = LIMBERI_TOOL(is_near_limit)},
    .advice = {.stretch = {LIMBERI_TOOL("max")}},
    .fit = {.is_offered = true, .limit = &fit_limit},
    .gpu = {.block = {LIMBERI_GPU_TRAVEL, LIMBERI_GPU_TURN},
            .role = 1,
            .put = put_travel,
            .put_source = put_source,
            .source_texels = 5},
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .joint_keys = joint_keys,
    .joint_key_count = sizeof joint_keys / sizeof *joint_keys,
    .sections = LIMBERI_TEXTS(sections),
    .section_count = sizeof sections / sizeof *sections,
};
