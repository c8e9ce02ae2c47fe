// Lift: skirts fly up when they spin (acceleration skinning, equations 13 and 14; thesis 5.3, the two-pass form).
//   angular  k X (source . n) n, X = max(0, (|r| - r0) / L), or 1 without a falloff (thesis, 5.3.1)
// n is the outward normal of a cone, or the vertex normal; `source` the displacement of other effects at this vertex,
// which lift adds to or replaces.
#include "base/error.h"
#include "deform/effects/cone.h"
#include "deform/effects/keys.h"
#include "deform/gpu_rows.h"
#include "deform/plan.h"
#include "deform/run.h"

// Without a falloff everything is that far from the axis: what is added to |r| is lost in rounding.
#define EVEN_REACH 1e18f

static bool is_even(const limber_deformer* d) {
    return limberi_number_of(&d->settings.effects[LIMBER_EFFECT_LIFT], LIMBERI_LIFT_FALLOFF).value == LIMBER_LIFT_EVEN;
}

static float per_reach(const limber_deformer* d) {
    return 1 / (is_even(d) ? EVEN_REACH : d->size);
}

// Where the cone stands in this frame; none: mesh normals.
typedef struct cone_place {
    limber_vec3 apex, axis;
    float cosine, sine; // of the half angle
} cone_place;

static cone_place place_cone(const limber_deformer* d, const limber_pose* pose) {
    const limber_mat4* world = &pose->world_from_joint[d->cone.joint];
    cone_place place = {limberi_mat4_point(world, d->cone.apex),
                        limberi_normalize(limberi_mat4_vector(world, d->cone.axis)), cosf(d->cone.half_angle_rad),
                        sinf(d->cone.half_angle_rad)};
    return place;
}

static limber_vec3 cone_normal(const cone_place* cone, limber_vec3 p) {
    limber_vec3 out = limberi_normalize(limberi_radius(p, cone->apex, cone->axis));
    return limberi_sub(limberi_scale(out, cone->cosine), limberi_scale(cone->axis, cone->sine));
}

// Each cone lifts its part of the vertex.
static void lift_by_cones(const limberi_effect_call* call, const limber_effect_block* b, const limberi_block3* sources,
                          limber_vec3 axis) {
    const limber_deformer* d = call->deformer;
    for (uint32_t c = 0; c < d->cone_count; c++) {
        const limberi_lift_cone* own = &d->cones[c];
        const cone_place cone = {own->apex, own->axis, own->cosine, own->sine};
        const limber_layer* parts = limber_mesh_find_layer(call->mesh, own->layer);
        for (uint32_t i = 0; parts && i < b->count; i++) {
            float part = parts->values[call->first + i];
            if (b->weight[i] == 0 || b->angular[i] == 0 || part == 0)
                continue;
            limber_vec3 p = limberi_vec3(b->x[i], b->y[i], b->z[i]);
            limber_vec3 n = cone_normal(&cone, p);
            limber_vec3 source = limberi_vec3(sources->v[0][i], sources->v[1][i], sources->v[2][i]);
            float reach = limberi_length(limberi_radius(p, b->position, axis)) - own->cone.base_radius;
            float amount = part * b->angular[i] * (fmaxf(reach, 0) * per_reach(d)) * limberi_dot(source, n);
            limberi_displace(b, i, limberi_scale(n, amount));
        }
    }
}

static void lift(const limberi_effect_call* call, const limber_effect_block* b, const limberi_block3* sources) {
    const limber_deformer* d = call->deformer;
    limberi_turn turn;
    cone_place cone = {{0, 0, 0}, {0, 0, 0}, 1, 0};
    if (!limberi_turn_of(b->angular_velocity, b->bone_direction, &turn))
        return;
    if (d->cone_count) {
        lift_by_cones(call, b, sources, turn.axis);
        return;
    }
    if (d->has_cone)
        cone = place_cone(d, call->job->pose);
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->weight[i] == 0 || b->angular[i] == 0)
            continue;
        limber_vec3 p = limberi_vec3(b->x[i], b->y[i], b->z[i]);
        float reach = limberi_length(limberi_radius(p, b->position, turn.axis)) - d->cone.base_radius;
        if (!(reach > 0))
            continue;
        limber_vec3 n = d->has_cone ? cone_normal(&cone, p) : limberi_vec3(b->nx[i], b->ny[i], b->nz[i]);
        limber_vec3 source = limberi_vec3(sources->v[0][i], sources->v[1][i], sources->v[2][i]);
        float amount = b->angular[i] * (reach * per_reach(d)) * limberi_dot(source, n);
        limberi_displace(b, i, limberi_scale(n, amount));
    }
}

// The kernel's lift is driven by linear stretch of the same motion; anything else takes the scalar way.
static bool kernel_drives(const limber_deformer* d, uint32_t slot) {
    const limber_kinematics* const* motion = d->frame.job.motion;
    return !d->cone_count && motion[LIMBER_EFFECT_STRETCH] == motion[slot] &&
           limberi_number_of(&d->settings.effects[LIMBER_EFFECT_STRETCH], LIMBERI_VALUE_PROFILE).value ==
               LIMBER_PROFILE_LINEAR;
}

static void plan(limberi_joint_plan* p) {
    limber_joint_gain source = limberi_joint_gain(p->d, LIMBER_EFFECT_STRETCH, p->joint);
    if (!kernel_drives(p->d, p->slot)) {
        limberi_plan_scalar(p);
        return;
    }
    const limberi_turn* turn = limberi_plan_turn(p, false);
    if (turn)
        limberi_plan_lift(p, p->gain.angular * source.angular * turn->speed * turn->speed * per_reach(p->d));
}

// The words of the key: effects up to stretch, then those after lift.
static uint32_t sources(const limber_effect_settings* settings) {
    uint32_t words = (uint32_t)limberi_number_of(settings, LIMBERI_LIFT_SOURCE).value;
    uint32_t before = (1u << LIMBER_EFFECT_LIFT) - 1;
    return (words & before) | (words & ~before) << 1;
}

// These have nothing to go by while they are off.
static limber_result check_sources(const limber_deformer* d, limber_error* error) {
    uint32_t missing = d->sources & ~d->own_sources;
    for (uint32_t slot = LIMBER_EFFECT_LIFT + 1; slot < LIMBER_EFFECT_COUNT; slot++)
        if (missing >> slot & 1)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "lift: its source '%s' is off",
                                slot == LIMBER_EFFECT_OVERLAP ? "overlap" : "derivative");
    return LIMBER_OK;
}

static bool replaces_sources(const limber_effect_settings* settings) {
    return limberi_number_of(settings, LIMBERI_LIFT_MODE).value == LIMBER_LIFT_REPLACE;
}

static bool reads_normals(const limber_effect_settings* settings) {
    return limberi_number_of(settings, LIMBERI_LIFT_NORMALS).value == LIMBER_LIFT_MESH;
}

static bool is_driven_otherwise(const limber_effect_settings* settings) {
    return sources(settings) != 1u << LIMBER_EFFECT_STRETCH || replaces_sources(settings);
}

// Lift along a cone has no derivatives in the kernel: its normals change with the place.
static bool has_derivatives(const limber_deformer* d, uint32_t slot) {
    return !d->has_cone && kernel_drives(d, slot);
}

// Vertices of one place go along one normal, or hard edges would tear open.
static limber_result find_split(limber_deformer* d, limber_error* error) {
    limber_result result = limberi_split_find(&d->arena, d->model, &d->split);
    if (d->split.count)
        d->lift_normals = LIMBERI_ALLOCATE(&d->arena, float, 3 * (size_t)d->model->vertex_count);
    return result || d->arena.failed ? limberi_fail_memory(error) : LIMBER_OK;
}

static limber_result prepare_cones(limber_deformer* d, uint32_t slot, limber_error* error) {
    const limber_effect_settings* settings = &d->settings.effects[slot];
    const limber_lift_cones* cones = &d->settings.lift_cones;
    d->cone = cones->cone;
    d->sources_count_one = !is_driven_otherwise(settings);
    d->has_cone = !reads_normals(settings);
    if (!d->has_cone)
        return find_split(d, error);
    if (cones->part_count)
        return limberi_cones_prepare(d, cones, error);
    if (d->cone.joint < 0 || d->cone.joint >= (int32_t)d->model->rig.joint_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "lift needs the joint its cone is fixed to, or mesh normals");
    if (!cones->fit)
        return LIMBER_OK;
    float given = cones->cone.base_radius;
    limber_result result = limberi_cone_fit(d->model, (uint32_t)cones->cone.joint, &d->cone, &d->cone_residual, error);
    if (given > 0)
        d->cone.base_radius = given;
    return result;
}

static limber_result prepare(limber_deformer* d, uint32_t slot, limber_error* error) {
    limber_result result = check_sources(d, error);
    if (!result)
        result = prepare_cones(d, slot, error);
    if (!is_even(d))
        return result;
    d->cone.base_radius = -EVEN_REACH;
    for (uint32_t c = 0; c < d->cone_count; c++)
        d->cones[c].cone.base_radius = -EVEN_REACH;
    return result;
}

static void begin(limber_deformer* d, uint32_t slot) {
    limberi_deform_frame* f = &d->frame;
    (void)slot;
    if (!d->has_cone)
        return;
    if (d->cone_count) {
        limberi_cones_place(d, f->job.pose);
        return;
    }
    cone_place place = place_cone(d, f->job.pose);
    limberi_store3(f->cone_apex, place.apex);
    limberi_store3(f->cone_axis, place.axis);
    f->cone_cosine = place.cosine;
    f->cone_sine = place.sine;
}

// Without rows for its sources lift is driven by plain stretch of the same motion.
static void put_lift(limberi_joint_quad* quad, uint32_t slot) {
    const limberi_turns* turn = limberi_gpu_turns(quad, false);
    limberi_lanes gain = quad->gain[LIMBERI_ANGULAR];
    limberi_lanes source[2];
    (void)slot;
    limberi_gpu_joint_gains(quad, quad->d->settings.joint_gains[LIMBER_EFFECT_STRETCH], source);
    if (!quad->puts_sources)
        gain *= source[LIMBERI_ANGULAR];
    limberi_mask lifts = turn->turns & (gain != 0);
    limberi_lanes driven = quad->puts_sources ? limberi_lanes_all(1) : turn->speed * turn->speed;
    limberi_gpu_put(quad, limberi_vectors_where(lifts, turn->axis),
                    limberi_lanes_where(lifts, gain * per_reach(quad->d) * driven));
    quad->acts |= lifts;
}

#define CONE_KEY(key, KEY, type, unit, min, max, excluded, value, choices, help)                                       \
    LIMBERI_EFFECT_KEY("lift", LIFT, "cone." key, type, unit, min, max, excluded, value, choices, help, LATER,         \
                       LIMBERI_CONE_##KEY, 0)

static const limberi_row keys[] = {
    LIMBERI_ANGULAR_KEY("lift", LIFT, "", "how far the sources push parts along the normals"),
    LIMBERI_EFFECT_KEY(
        "lift", LIFT, "source", LIST, "", 1, LIMBER_EFFECT_COUNT, false, "[\"stretch\"]",
        "floppy squash drag followthrough stretch overlap derivative",
        "effects whose displacement lifts; \"stretch\" alone has gain 1 unless replaced, others use their own gains",
        VALUE, 0, LIMBERI_PLACE_OF(LIMBERI_LIFT_SOURCE)),
    LIMBERI_CHOICE_KEY("lift", LIFT, "mode", LIMBERI_LIFT_MODE, "\"add\"", "add replace",
                       "add to the sources, or replace them: only their part along the normals stays"),
    LIMBERI_CHOICE_KEY("lift", LIFT, "normals", LIMBERI_LIFT_NORMALS, "\"cone\"", "cone mesh",
                       "normals come from a cone fixed to a joint, or from the mesh"),
    LIMBERI_CHOICE_KEY(
        "lift", LIFT, "falloff", LIMBERI_LIFT_FALLOFF, "\"radius\"", "radius none",
        "lift grows with the distance from the axis of rotation, beyond cone.base_radius, or it does not"),
    LIMBERI_LAYER_KEY("lift", LIFT),
    CONE_KEY("joint", JOINT, TEXT, "", 0, 0, false, "\"\"", NULL,
             "joint that carries the cone; with a * the first match"),
    CONE_KEY("joints", JOINTS, LIST, "", 0, 16, false, "[]", NULL,
             "instead of joint: several fitted cones; \"A > B\" is a frustum along the chain from A to B"),
    CONE_KEY("fit", FIT, CHOICE, "", 0, 0, false, "\"auto\"", "auto none",
             "without apex, axis and half_angle: fit a cone to the joint's vertices, or report an error"),
    CONE_KEY("apex", APEX, VECTOR, "model units", -1e9, 1e9, false, NULL, NULL,
             "tip of the cone, in the joint's rest frame"),
    CONE_KEY("axis", AXIS, VECTOR, "", -1e9, 1e9, false, NULL, NULL,
             "direction from the tip to the open end, in the joint's rest frame"),
    CONE_KEY("half_angle", HALF_ANGLE, CONSTANT, "degrees", 0, 89.9, true, NULL, NULL,
             "angle between axis and surface"),
    CONE_KEY("base_radius", BASE_RADIUS, CONSTANT, "model units", 0, 1e9, false, "0", NULL,
             "no lift closer to the rotation axis than this; 0: the narrow end of a fitted cone, else no limit"),
};

static const limberi_row joint_keys[] = {LIMBERI_ANGULAR_JOINT_KEYS("lift", LIFT)};

static const limberi_section sections[] = {
    {"effects.lift", "lift",
     LIMBERI_TEXT("A spin lifts a skirt: the displacement of other effects, redirected along the normals of a cone or "
                  "of the mesh."),
     LIMBERI_TEXT(
         "{\"effects\": {\"lift\": {\"angular\": 0.1, \"source\": [\"stretch\"], \"normals\": \"mesh\", \"layer\": "
         "\"skirt\"}}}")},
    {"effects.lift.cone", "lift.cone",
     LIMBERI_TEXT("The cone whose normals lift follows, fixed to a joint. Give its apex, axis and half_angle, or let "
                  "it be fitted "
                  "to the joint's vertices. With joints there are several, each for its own part of the skin."),
     LIMBERI_TEXT(
         "{\"effects\": {\"lift\": {\"angular\": 0.1, \"cone\": {\"joint\": \"Skirt\", \"fit\": \"auto\"}}}}")},
};

const limberi_effect limberi_effect_lift = {
    .name = "lift",
    .source = LIMBERI_TEXT("acceleration skinning, equations 13 and 14; thesis 5.3"),
    .reads = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY | LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .driven_by = LIMBERI_ANGULAR_VELOCITY, // whatever its sources are driven by
    .parts = 1u << LIMBERI_ANGULAR,
    .affine_part = LIMBERI_NO_PART,
    .constant_affine_part = LIMBERI_NO_PART,
    .shapes = 1u << LIMBERI_SHAPE_LIFT,
    .run_on_sources = LIMBERI_SCALAR(lift),
    .plan = plan,
    .needs_scalar = is_driven_otherwise,
    .reads_normals = reads_normals,
    .sources = sources,
    .replaces_sources = replaces_sources,
    .prepare = prepare,
    .begin = begin,
    .has_derivatives = has_derivatives,
    .gpu = {.block = {LIMBERI_GPU_NONE, LIMBERI_GPU_LIFT}, .put = put_lift},
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .joint_keys = joint_keys,
    .joint_key_count = sizeof joint_keys / sizeof *joint_keys,
    .sections = LIMBERI_TEXTS(sections),
    .section_count = sizeof sections / sizeof *sections,
};
