// What a frame has in store before any vertex is looked at: the rows of every joint for the kernels, and the palettes
// of everything that is affine in p, summed along the hierarchy:
//   sum over j of B_j A_j p  =  sum over k of b_k (sum over j in k and its ancestors of A_j) p
#include "base/lanes.h"
#include "deform/deform_private.h"

#include <string.h>

// --- plans, made once ---

static bool number_varies(limber_number n) {
    return n.expression && !limber_expression_is_uniform(n.expression);
}

static bool layer_exists(const limber_deformer* d, const char* layer) {
    for (uint32_t m = 0; layer && m < d->model->mesh_count; m++)
        if (limber_mesh_layer(&d->model->meshes[m], layer))
            return true;
    return false;
}

static bool bends(uint32_t slot) {
    return slot == LIMBER_EFFECT_FLOPPY || slot == LIMBER_EFFECT_DRAG || slot == LIMBER_EFFECT_FOLLOWTHROUGH;
}

static void make_plan(limber_deformer* d, uint32_t slot) {
    const limber_effect_settings* s = limberi_slot_settings(d, slot);
    limberi_slot_plan* plan = &d->plans[slot];
    bool layered = layer_exists(d, s->layer), mixed = number_varies(s->twist) || number_varies(s->bend);
    plan->active = d->slot_active[slot];
    plan->source = limberi_is_source(d, slot);
    plan->formula[0] = number_varies(s->linear);
    plan->formula[1] = number_varies(s->angular);
    plan->gain_varies[0] = layered || plan->formula[0];
    plan->gain_varies[1] = layered || plan->formula[1];
    plan->varies =
        plan->formula[0] || plan->formula[1] || mixed || number_varies(s->max_bend_deg) || number_varies(s->threshold);
    // The kernels take one threshold and one mixture of twist and bend per joint, and lift driven by plain stretch.
    plan->scalar = slot >= LIMBER_EFFECT_COUNT || (bends(slot) && (mixed || number_varies(s->threshold))) ||
                   (slot == LIMBER_EFFECT_LIFT && s->sources != 1u << LIMBER_EFFECT_STRETCH);
    plan->layered = layered;
}

// The part of an effect that folds, and the palette it has when its gain differs from vertex to vertex.
static const struct folding {
    limber_effect effect;
    int part, fold;
} foldings[] = {{LIMBER_EFFECT_FLOPPY, 0, FOLD_FLOPPY},
                {LIMBER_EFFECT_DRAG, 0, FOLD_DRAG},
                {LIMBER_EFFECT_FOLLOWTHROUGH, 0, FOLD_FOLLOWTHROUGH},
                {LIMBER_EFFECT_STRETCH, 1, FOLD_STRETCH}};

enum { FOLDINGS = sizeof foldings / sizeof *foldings };

static bool same_layer(const limber_deformer* d, limber_effect a, limber_effect b) {
    const char *x = d->settings.effects[a].layer, *y = d->settings.effects[b].layer;
    return x && y && strcmp(x, y) == 0;
}

// Effects that the same layer scales share a palette.
static void choose_folds(limber_deformer* d) {
    for (int i = 0; i < FOLDINGS; i++) {
        const struct folding* own = &foldings[i];
        limberi_slot_plan* plan = &d->plans[own->effect];
        plan->fold = plan->gain_varies[own->part] ? own->fold : FOLD_CONSTANT;
        for (int k = 0; k < i && plan->fold == own->fold && !plan->formula[own->part]; k++) {
            const limberi_slot_plan* other = &d->plans[foldings[k].effect];
            if (other->active && !other->formula[foldings[k].part] && same_layer(d, own->effect, foldings[k].effect))
                plan->fold = other->fold;
        }
    }
}

// Whether bends of the two run with the same numbers per vertex, so that one list does.
static bool run_alike(const limber_deformer* d, limber_effect a, limber_effect b) {
    const limber_effect_settings *x = &d->settings.effects[a], *y = &d->settings.effects[b];
    const limberi_slot_plan *p = &d->plans[a], *q = &d->plans[b];
    bool formula = p->formula[1] || q->formula[1] || x->max_bend_deg.expression || y->max_bend_deg.expression;
    bool same = (!p->layered && !q->layered) || same_layer(d, a, b);
    return !formula && same && x->max_bend_deg.value == y->max_bend_deg.value;
}

static bool fold_is_used(const limber_deformer* d, int fold) {
    if (fold == FOLD_CONSTANT)
        return true;
    if (fold == FOLD_VELOCITY)
        return d->names_used >> LIMBER_VARIABLE_SPEED & 1;
    for (int i = 0; i < FOLDINGS; i++)
        if (d->plans[foldings[i].effect].active && d->plans[foldings[i].effect].fold == fold)
            return true;
    return false;
}

limber_result limberi_prepare_frame(limber_deformer* d) {
    limberi_deform_frame* f = &d->frame;
    uint32_t joints = d->model->rig.joint_count;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT + d->settings.custom_count; slot++)
        make_plan(d, slot);
    choose_folds(d);
    d->follow_is_drag = run_alike(d, LIMBER_EFFECT_DRAG, LIMBER_EFFECT_FOLLOWTHROUGH);
    f->rows = LIMBERI_ALLOCATE(&d->arena, limberi_joint_rows, joints);
    f->acting = LIMBERI_ALLOCATE(&d->arena, int32_t, joints);
    f->folded = LIMBERI_ALLOCATE(&d->arena, uint8_t, joints);
    f->constants = LIMBERI_ALLOCATE(&d->arena, limberi_block_values, LIMBER_EFFECT_COUNT + d->settings.custom_count);
    for (int fold = 0; fold < FOLD_COUNT; fold++)
        if (fold_is_used(d, fold))
            f->palettes[fold] = LIMBERI_ALLOCATE(&d->arena, float, 12 * (size_t)joints);
    d->variant = limberi_variant_best();
    return d->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

// --- one joint ---

// An axis of rotation and two directions that make a right-handed frame with it; effects of one motion share it.
typedef struct turn_frame {
    const limber_kinematics* motion; // NULL: not known yet
    bool turns, framed;              // framed: first and second are there
    limberi_turn turn;
    limber_vec3 first, second;
} turn_frame;

enum { MOVING_LINEAR = 1, MOVING_ANGULAR = 2, SPEEDING_LINEAR = 4, SPEEDING_ANGULAR = 8 };

// Where the joint at hand puts its share.
typedef struct joint_state {
    limber_deformer* d;
    limberi_deform_frame* f;
    const limber_deform_job* job;
    uint32_t slot_count, slots[EFFECT_SLOTS]; // effects that are on,
    limber_joint_gain gains[EFFECT_SLOTS];    // and their gains, but for what formulas and layers give at each vertex
    uint32_t fold_count, folds[FOLD_COUNT];   // palettes that are used
    uint32_t joint, slot;
    limber_joint_gain gain;          // times the joint's own
    limber_effect_block at;          // position, axes and ...
    const limber_kinematics* motion; // ... this motion of the joint; NULL: none yet
    uint32_t moving;                 // MOVING_... of it
    turn_frame velocity, acceleration;
    float bend, squash; // rates of floppy and angular squash, which run as one where they can; 0: none
    limber_vec3 bend_axis;
    limberi_squash_plane plane;
    bool placed, axed; // its position and its axes are those of the joint
    limberi_joint_rows* rows;
} joint_state;

static float constant(const joint_state* s, int value) {
    return s->f->constants[s->slot].v[value][0];
}

static limberi_plane plane_through(limber_vec3 direction, limber_vec3 point) {
    limberi_plane plane = {{direction.x, direction.y, direction.z}, -limberi_dot(direction, point)};
    return plane;
}

// Two directions that make a right-handed frame with the axis.
static void across(limber_vec3 axis, limber_vec3* first, limber_vec3* second) {
    limber_vec3 helper = fabsf(axis.x) < 0.6f ? limberi_vec3(1, 0, 0) : limberi_vec3(0, 1, 0);
    *first = limberi_normalize(limberi_cross(helper, axis));
    *second = limberi_cross(axis, *first);
}

static turn_frame* spin_of(joint_state* s, bool acceleration) {
    const limber_kinematics* motion = s->job->motion[s->slot];
    turn_frame* known = acceleration ? &s->acceleration : &s->velocity;
    if (known->motion == motion)
        return known;
    known->motion = motion;
    known->framed = false;
    known->turns = limberi_turn_of(acceleration ? s->at.angular_acceleration : s->at.angular_velocity,
                                   limberi_vec3(0, 0, 0), &known->turn);
    return known;
}

static void need_frame(turn_frame* spun) {
    if (!spun->framed)
        across(spun->turn.axis, &spun->first, &spun->second);
    spun->framed = true;
}

static float* folded_matrix(joint_state* s, int fold) {
    s->f->folded[s->joint] |= (uint8_t)(1u << fold);
    return s->f->palettes[fold] + 12 * (size_t)s->joint;
}

static void fold_shift(joint_state* s, int fold, limber_vec3 shift) {
    if (limberi_is_still(shift))
        return;
    float* m = folded_matrix(s, fold);
    m[9] += shift.x;
    m[10] += shift.y;
    m[11] += shift.z;
}

// scale * identity + rank * (d d^T), about a point.
static void fold_matrix(joint_state* s, int fold, float scale, float rank, limber_vec3 d, limber_vec3 point) {
    if (scale == 0 && rank == 0)
        return;
    float* m = folded_matrix(s, fold);
    s->f->shift_only[fold] = false;
    limber_vec3 r = limberi_scale(d, rank);
    float xx = r.x * d.x + scale, yy = r.y * d.y + scale, zz = r.z * d.z + scale;
    float xy = r.x * d.y, xz = r.x * d.z, yz = r.y * d.z;
    const float columns[3][3] = {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
    for (int e = 0; e < 9; e++)
        m[e] += columns[e / 3][e % 3];
    m[9] -= xx * point.x + xy * point.y + xz * point.z;
    m[10] -= xy * point.x + yy * point.y + yz * point.z;
    m[11] -= xz * point.x + yz * point.y + zz * point.z;
}

static void add_shift(joint_state* s, float gain, limber_vec3 direction) {
    fold_shift(s, s->d->plans[s->slot].fold, limberi_scale(direction, gain * s->gain.linear));
}

static void need_axes(joint_state* s) {
    if (!s->axed)
        limberi_fill_axes(s->d, s->job, &s->at);
    s->axed = true;
}

// Bends smaller than this per size of the character are none; larger ones can be measured in radians.
static const float LEAST_BEND = 1e-12f;

// The plane across the axis, in units of which the distance is the angle of a bend by `rate` per length.
static void set_turn_plane(limberi_turn_row* row, limber_vec3 first, limber_vec3 second, limber_vec3 point, float rate,
                           float share) {
    limber_vec3 along = limberi_scale(first, fabsf(rate)), way = limberi_scale(second, rate);
    row->first = plane_through(along, point);
    row->second = plane_through(way, point);
    limberi_store3(row->push_first, limberi_scale(first, share / fabsf(rate)));
    limberi_store3(row->push_second, limberi_scale(second, share / rate));
    row->squash_rate = 0;
    row->longest = fabsf(rate);
}

// Angle per distance of the bend by the turn `spun`, 0: none.
static float bend_rate(joint_state* s, const turn_frame* spun) {
    if (s->gain.angular == 0 || !spun->turns)
        return 0;
    need_axes(s);
    float twist = fminf(fabsf(limberi_dot(spun->turn.axis, s->at.bone_direction)), 1);
    float mixed = twist * constant(s, VALUE_TWIST) + (1 - twist) * constant(s, VALUE_BEND);
    float rate = -mixed * s->gain.angular * spun->turn.speed / s->at.size;
    return fabsf(rate) * s->at.size > LEAST_BEND ? rate : 0;
}

// False: no bend.
static bool make_bend(joint_state* s, float share, limberi_turn_row* row) {
    turn_frame* spun = share == 0 ? NULL : spin_of(s, true);
    float rate = spun ? bend_rate(s, spun) : 0;
    if (rate == 0)
        return false;
    need_frame(spun);
    set_turn_plane(row, spun->first, spun->second, s->at.position, rate, share);
    return true;
}

static void plan_floppy(joint_state* s) {
    add_shift(s, -1, s->at.velocity);
    const turn_frame* spun = spin_of(s, false);
    s->bend = bend_rate(s, spun);
    s->bend_axis = spun->turn.axis;
}

static void plan_acceleration(joint_state* s, bool slowing) {
    float threshold = constant(s, VALUE_THRESHOLD), size = s->at.size;
    float opposed = limberi_opposition(limberi_dot(s->at.velocity, s->at.acceleration) / (size * size), threshold);
    add_shift(s, slowing ? -opposed : opposed - 1, s->at.acceleration);
    opposed = limberi_opposition(limberi_dot(s->at.angular_velocity, s->at.angular_acceleration), threshold);
    limberi_turn_row* row = slowing ? &s->rows->follow : &s->rows->drag;
    if (make_bend(s, slowing ? opposed : 1 - opposed, row))
        s->rows->kinds |= slowing ? ROW_FOLLOW : ROW_DRAG;
}

static void plan_linear_squash(joint_state* s) {
    float speed = limberi_length(s->at.velocity);
    if (!(speed > 0) || s->gain.linear == 0)
        return;
    limber_vec3 direction = limberi_normalize(s->at.velocity), c = s->at.centroid;
    float rate = s->gain.linear * speed / s->at.size;
    if (s->d->plans[s->slot].gain_varies[0]) {
        limberi_travel_row row = {plane_through(direction, c), {c.x, c.y, c.z}, rate};
        s->rows->travel = row;
        s->rows->kinds |= ROW_TRAVEL;
        return;
    }
    float stretch = fmaxf(1 + rate, LIMBERI_LEAST_STRETCH);
    float thin = 1 / sqrtf(stretch) - 1;
    fold_matrix(s, FOLD_CONSTANT, thin, stretch - 1 - thin, direction, c);
}

static void plan_squash(joint_state* s) {
    plan_linear_squash(s);
    if (s->gain.angular == 0 || limberi_is_still(s->at.angular_velocity))
        return;
    need_axes(s);
    if (limberi_squash_plane_of(&s->at, &s->plane))
        s->squash = s->plane.fade * s->gain.angular * s->plane.speed / s->at.size;
}

// Bend and squash of the same turn run as one, in the frame of the squash.
static void make_turns(joint_state* s) {
    limberi_joint_rows* rows = s->rows;
    const limber_kinematics* const* motion = s->job->motion;
    limber_vec3 first, second, point = s->at.position;
    bool together = s->bend != 0 && s->squash != 0 && motion[LIMBER_EFFECT_FLOPPY] == motion[LIMBER_EFFECT_SQUASH];
    float rate = together ? s->bend : 1;
    if (s->squash != 0) {
        first = s->plane.e;
        second = limberi_cross(s->plane.axis, first);
        set_turn_plane(&rows->squash, first, second, point, rate, 1);
        rows->squash.squash_second = plane_through(s->plane.z, point); // the centroid lies on the same axis
        rows->squash.squash_rate = s->squash / fabsf(rate);
        rows->kinds |= ROW_SQUASH;
    }
    if (together)
        rows->kinds |= ROW_BEND | ROW_TOGETHER;
    if (together || s->bend == 0)
        return;
    across(s->bend_axis, &first, &second);
    set_turn_plane(&rows->bend, first, second, point, s->bend, 1);
    rows->kinds |= ROW_BEND;
}

static void make_spin(const joint_state* s, turn_frame* spun, float rate, limberi_spin_row* row) {
    need_frame(spun);
    row->first = plane_through(spun->first, s->at.position);
    row->second = plane_through(spun->second, s->at.position);
    row->axis = plane_through(spun->turn.axis, s->at.position);
    row->rate = rate;
    row->base_radius = s->d->cone.base_radius;
}

static void plan_stretch(joint_state* s) {
    turn_frame* spun = spin_of(s, false);
    if (s->gain.angular == 0 || !spun->turns)
        return;
    float rate = s->gain.angular * spun->turn.speed * spun->turn.speed;
    if (limberi_slot_settings(s->d, s->slot)->profile == LIMBER_PROFILE_QUADRATIC) {
        make_spin(s, spun, rate / (s->at.size * s->at.size), &s->rows->spin);
        s->rows->kinds |= ROW_SPIN;
        return;
    }
    fold_matrix(s, s->d->plans[s->slot].fold, rate, -rate, spun->turn.axis, s->at.position);
}

// The kernel's lift is driven by linear stretch of the same motion; anything else takes the scalar way.
static void plan_lift(joint_state* s) {
    const limber_deform_job* job = s->job;
    limber_joint_gain source = limberi_joint_gain(s->d, LIMBER_EFFECT_STRETCH, s->joint);
    if (job->motion[LIMBER_EFFECT_STRETCH] != job->motion[LIMBER_EFFECT_LIFT] ||
        s->d->settings.effects[LIMBER_EFFECT_STRETCH].profile != LIMBER_PROFILE_LINEAR) {
        s->rows->scalar_slots |= 1u << LIMBER_EFFECT_LIFT;
        return;
    }
    turn_frame* spun = spin_of(s, false);
    if (!spun->turns)
        return;
    float speed = spun->turn.speed;
    make_spin(s, spun, s->gain.angular * source.angular * speed * speed / s->at.size, &s->rows->lift);
    s->rows->kinds |= ROW_LIFT;
}

// What the slot's motion does at this joint, looked up once for all effects that share it.
static void need_motion(joint_state* s) {
    const limber_kinematics* motion = s->job->motion[s->slot];
    if (s->motion == motion)
        return;
    s->motion = motion;
    limberi_fill_motion(motion, s->joint, &s->at);
    s->moving = (limberi_is_still(s->at.velocity) ? 0u : MOVING_LINEAR) |
                (limberi_is_still(s->at.angular_velocity) ? 0u : MOVING_ANGULAR) |
                (limberi_is_still(s->at.acceleration) ? 0u : SPEEDING_LINEAR) |
                (limberi_is_still(s->at.angular_acceleration) ? 0u : SPEEDING_ANGULAR);
}

// As limberi_slot_moves finds out.
static bool slot_moves(joint_state* s) {
    static const uint32_t driven_by[LIMBER_EFFECT_COUNT] = {[LIMBER_EFFECT_FLOPPY] = MOVING_LINEAR | MOVING_ANGULAR,
                                                            [LIMBER_EFFECT_SQUASH] = MOVING_LINEAR | MOVING_ANGULAR,
                                                            [LIMBER_EFFECT_DRAG] = SPEEDING_LINEAR | SPEEDING_ANGULAR,
                                                            [LIMBER_EFFECT_FOLLOWTHROUGH] =
                                                                SPEEDING_LINEAR | SPEEDING_ANGULAR,
                                                            [LIMBER_EFFECT_STRETCH] = MOVING_LINEAR | MOVING_ANGULAR,
                                                            [LIMBER_EFFECT_LIFT] = MOVING_ANGULAR};
    if (!s->job->motion[s->slot])
        return false;
    need_motion(s);
    limber_joint_gain own = limberi_joint_gain(s->d, s->slot, s->joint), given = s->gains[s->slot];
    s->gain.linear = own.linear * given.linear;
    s->gain.angular = own.angular * given.angular;
    return (own.linear != 0 || own.angular != 0) &&
           (s->slot >= LIMBER_EFFECT_COUNT ? s->moving : s->moving & driven_by[s->slot]);
}

static void plan_slot(joint_state* s) {
    if (s->d->plans[s->slot].scalar) {
        s->rows->scalar_slots |= 1u << s->slot;
        return;
    }
    if (!s->placed)
        limberi_fill_place(s->d, s->job, s->joint, &s->at);
    s->placed = true;
    switch (s->slot) {
    case LIMBER_EFFECT_FLOPPY:
        plan_floppy(s);
        break;
    case LIMBER_EFFECT_SQUASH:
        plan_squash(s);
        break;
    case LIMBER_EFFECT_DRAG:
    case LIMBER_EFFECT_FOLLOWTHROUGH:
        plan_acceleration(s, s->slot == LIMBER_EFFECT_FOLLOWTHROUGH);
        break;
    case LIMBER_EFFECT_STRETCH:
        plan_stretch(s);
        break;
    default:
        plan_lift(s);
        break;
    }
}

// The velocity of a point carried by this joint: v + w x (p - p_j).
static void fold_velocity(joint_state* s) {
    const limber_kinematics* k = s->job->plain_motion;
    if (!k)
        return;
    limber_vec3 v = k->velocity[s->joint], w = k->angular_velocity[s->joint];
    limber_vec3 p = limberi_mat4_translation(&s->job->pose->world_from_joint[s->joint]);
    float* m = folded_matrix(s, FOLD_VELOCITY);
    m[1] += w.z;
    m[2] -= w.y;
    m[3] -= w.z;
    m[5] += w.x;
    m[6] += w.y;
    m[7] -= w.x;
    s->f->shift_only[FOLD_VELOCITY] = false;
    limberi_store3(m + 9, limberi_add(limberi_load3(m + 9), limberi_sub(v, limberi_cross(w, p))));
}

// Palettes start as those of the parent: what a joint does is added to what it inherits.
static void inherit(joint_state* s, int32_t parent) {
    limberi_deform_frame* f = s->f;
    f->folded[s->joint] = parent < 0 ? 0 : f->folded[parent];
    for (uint32_t i = 0; i < s->fold_count; i++) {
        uint32_t fold = s->folds[i];
        float* to = f->palettes[fold] + 12 * (size_t)s->joint;
        if (f->folded[s->joint] >> fold & 1)
            memcpy(to, f->palettes[fold] + 12 * (size_t)parent, 12 * sizeof *to);
        else
            memset(to, 0, 12 * sizeof *to);
    }
}

static void plan_joint(joint_state* s, int32_t parent) {
    limberi_deform_frame* f = s->f;
    s->rows->kinds = s->rows->scalar_slots = 0;
    s->placed = s->axed = false;
    s->bend = s->squash = 0;
    s->motion = s->velocity.motion = s->acceleration.motion = NULL;
    inherit(s, parent);
    for (uint32_t i = 0; i < s->slot_count; i++) {
        s->slot = s->slots[i];
        if (slot_moves(s))
            plan_slot(s);
    }
    make_turns(s);
    limberi_store3(s->rows->place, s->at.position);
    if (f->palettes[FOLD_VELOCITY])
        fold_velocity(s);
    bool acts = s->rows->kinds || s->rows->scalar_slots;
    f->acting[s->joint] = acts ? (int32_t)s->joint : parent < 0 ? -1 : f->acting[parent];
    f->folds |= f->folded[s->joint];
    f->moves = f->moves || acts;
}

// --- all joints ---

// Far below what overflows, far above what any motion makes.
static bool is_calm(const float* palette, uint32_t joints) {
    limberi_lanes sum = limberi_lanes_all(0);
    for (size_t i = 0; i < 12 * (size_t)joints; i += 4)
        sum = limberi_lanes_abs(limberi_lanes_load(palette + i)) + sum;
    return !limberi_lanes_any(~limberi_lanes_less(sum, limberi_lanes_all(1e12f))); // none that is not a number, either
}

static void open_state(joint_state* s, limber_deformer* d) {
    memset(s, 0, sizeof *s);
    s->d = d;
    s->f = &d->frame;
    s->job = &d->frame.job;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT + d->settings.custom_count; slot++) {
        const limberi_block_values* values = &d->frame.constants[slot];
        if (!d->plans[slot].active)
            continue;
        s->slots[s->slot_count++] = slot;
        s->gains[slot].linear = d->plans[slot].formula[0] ? 1 : values->v[VALUE_LINEAR][0];
        s->gains[slot].angular = d->plans[slot].formula[1] ? 1 : values->v[VALUE_ANGULAR][0];
    }
    for (uint32_t fold = 0; fold < FOLD_COUNT; fold++)
        if (d->frame.palettes[fold])
            s->folds[s->fold_count++] = fold;
}

// Numbers that are the same for all vertices; those without formulas are so for ever.
static void fill_constants(limber_deformer* d) {
    limberi_mesh_names no_names;
    limber_mesh no_mesh;
    memset(&no_names, 0, sizeof no_names);
    memset(&no_mesh, 0, sizeof no_mesh);
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT + d->settings.custom_count; slot++) {
        if (!d->plans[slot].active && !d->plans[slot].source)
            continue;
        limber_effect_settings s = *limberi_slot_settings(d, slot);
        limber_number* numbers[VALUE_COUNT] = {&s.linear, &s.angular, &s.max_bend_deg, &s.twist, &s.bend, &s.threshold};
        bool changes = false;
        for (int n = 0; n < VALUE_COUNT; n++) {
            if (number_varies(*numbers[n]))
                numbers[n]->expression = NULL;
            changes = changes || numbers[n]->expression;
        }
        if (changes || !d->frame.constants_ready)
            limberi_evaluate_values(&no_names, &no_mesh, &s, &d->frame.job, 0, LIMBER_BLOCK, NULL,
                                    &d->frame.constants[slot]);
    }
    d->frame.constants_ready = true;
}

static void place_cone(limber_deformer* d) {
    limberi_deform_frame* f = &d->frame;
    if (!d->plans[LIMBER_EFFECT_LIFT].active || d->settings.effects[LIMBER_EFFECT_LIFT].normals == LIMBER_LIFT_MESH)
        return;
    const limber_mat4* world = &f->job.pose->world_from_joint[d->cone.joint];
    limberi_store3(f->cone_apex, limberi_mat4_point(world, d->cone.apex));
    limberi_store3(f->cone_axis, limberi_normalize(limberi_mat4_vector(world, d->cone.axis)));
    f->cone_cosine = cosf(d->cone.half_angle_rad);
    f->cone_sine = sinf(d->cone.half_angle_rad);
}

static bool is_still(const limber_kinematics* k, uint32_t joints) {
    const limber_vec3* const all[4] = {k->velocity, k->angular_velocity, k->acceleration, k->angular_acceleration};
    for (int q = 0; q < 4; q++)
        for (uint32_t j = 0; j < joints; j++)
            if (!limberi_is_still(all[q][j]))
                return false;
    return true;
}

// Nothing to look for joint by joint when the character stands.
static bool all_still(const limber_deformer* d, const limber_deform_job* job) {
    const limber_kinematics* seen = NULL;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT + d->settings.custom_count; slot++) {
        const limber_kinematics* motion = d->plans[slot].active ? job->motion[slot] : NULL;
        if (motion && motion != seen && !is_still(motion, d->model->rig.joint_count))
            return false;
        seen = motion ? motion : seen;
    }
    return true;
}

bool limberi_deform_begin(limber_deformer* d, const limber_deform_job* job) {
    limberi_deform_frame* f = &d->frame;
    f->job = *job;
    f->moves = false;
    if (!d->active || all_still(d, job))
        return false;
    limberi_evaluate_gains(d, job);
    fill_constants(d);
    place_cone(d);
    for (int fold = 0; fold < FOLD_COUNT; fold++)
        f->shift_only[fold] = true;
    f->folds = 0;
    joint_state s;
    open_state(&s, d);
    for (uint32_t j = 0; j < d->model->rig.joint_count; j++) {
        s.joint = j;
        s.rows = &f->rows[j];
        plan_joint(&s, d->model->rig.parents[j]);
    }
    f->calm = d->size < 1e12f && is_calm(f->palettes[FOLD_CONSTANT], d->model->rig.joint_count);
    f->moves = f->moves || f->folds & ~(1u << FOLD_VELOCITY);
    return f->moves;
}
