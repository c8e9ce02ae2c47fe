// What joints do, settled before any vertex is looked at.
//
// Once, when a deformer is made (limberi_prepare_plans):
//   1. for each effect: which of its numbers differ from vertex to vertex, and whether kernels can run it
//   2. palettes: everything that is affine in p is one matrix per joint, added up along the hierarchy,
//        sum over j of B_j A_j p  =  sum over k of b_k (sum over j in k and its ancestors of A_j) p
//      with one palette for constant gains, and one per effect whose gain differs from vertex to vertex
//   3. works: the kinds of rows that joints may have for the kernels, each with the effect whose numbers it runs with
// Every frame (limberi_deform_begin):
//   1. stop where nothing moves or the strength is 0
//   2. gains of joints (values.c), numbers of effects that are the same everywhere, each effect's `begin`
//   3. joint after joint, parents first: start from the parent's palettes (unless joints are composed as a chain), let
//      the `plan` of each effect add shifts, matrices and rows (plan_joint.c), note which joints act
// run.c then moves the vertices.
#include "deform/plan.h"
#include "base/bits.h"
#include "base/lanes.h"
#include "layer/layer.h"

#include <string.h>

// --- once: effects ---

static void make_plan(limber_deformer* d, uint32_t slot) {
    const limber_effect_settings* s = limberi_slot_settings(&d->settings, slot);
    const limberi_effect* effect = d->plans[slot].effect;
    limberi_slot_plan* plan = &d->plans[slot];
    bool mixed = false;
    for (uint32_t value = LIMBERI_VALUE_TWIST; effect->bends && value < LIMBERI_VALUES; value++)
        mixed = mixed || limberi_number_varies(limberi_number_of(s, value));
    plan->layered = s->layer && limberi_has_layer(d->model, s->layer);
    plan->formula[LIMBERI_LINEAR] = limberi_number_varies(s->linear);
    plan->formula[LIMBERI_ANGULAR] = limberi_number_varies(s->angular);
    for (int part = 0; part < 2; part++)
        plan->gain_varies[part] = plan->layered || plan->formula[part];
    for (uint32_t value = 0; value < LIMBERI_VALUES; value++) {
        limber_number number = limberi_number_of(s, value);
        bool differs = limberi_number_varies(number);
        plan->varies = plan->varies || differs;
        plan->constants_change = plan->constants_change || (number.expression && !differs);
    }
    // The kernels take one turning time and one mixture of twist and bend per joint.
    bool printed = effect->bends && limberi_number_of(s, LIMBERI_VALUE_DECOMPOSE).value != LIMBER_DECOMPOSE_MIXED;
    plan->scalar =
        (!effect->plan && !effect->bend) || mixed || printed || (effect->needs_scalar && effect->needs_scalar(s));
}

// --- once: palettes ---

static bool same_layer(const limber_deformer* d, uint32_t a, uint32_t b) {
    const char* x = d->settings.effects[a].layer;
    const char* y = d->settings.effects[b].layer;
    return x && y && strcmp(x, y) == 0;
}

// Effects that the same layer scales share a palette.
static void choose_fold(limber_deformer* d, uint32_t slot) {
    uint32_t part = d->plans[slot].effect->affine_part;
    limberi_slot_plan* plan = &d->plans[slot];
    if (part == LIMBERI_NO_PART || !plan->gain_varies[part])
        return; // LIMBERI_FOLD_CONSTANT
    plan->fold = LIMBERI_FOLD_SLOT + slot;
    for (uint32_t k = 0; k < slot && plan->fold == LIMBERI_FOLD_SLOT + slot && !plan->formula[part]; k++) {
        uint32_t other = d->plans[k].effect->affine_part;
        if (other != LIMBERI_NO_PART && limberi_slot_is_on(d, k) && !d->plans[k].formula[other] &&
            same_layer(d, slot, k))
            plan->fold = d->plans[k].fold;
    }
}

static bool fold_is_used(const limber_deformer* d, uint32_t fold) {
    if (fold == LIMBERI_FOLD_CONSTANT)
        return true;
    if (fold == LIMBERI_FOLD_VELOCITY)
        return d->names_used >> LIMBER_VARIABLE_SPEED & 1;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        if (limberi_slot_is_on(d, slot) && d->plans[slot].fold == fold)
            return true;
    return false;
}

// --- once: works ---

// Whether bends of the two run with the same numbers per vertex, so that one list does.
static bool run_alike(const limber_deformer* d, uint32_t a, uint32_t b) {
    limber_number x = limberi_number_of(&d->settings.effects[a], LIMBERI_VALUE_MAX_BEND);
    limber_number y = limberi_number_of(&d->settings.effects[b], LIMBERI_VALUE_MAX_BEND);
    const limberi_slot_plan* p = &d->plans[a];
    const limberi_slot_plan* q = &d->plans[b];
    bool formula = p->formula[LIMBERI_ANGULAR] || q->formula[LIMBERI_ANGULAR] || x.expression || y.expression;
    bool same = (!p->layered && !q->layered) || same_layer(d, a, b);
    return d->plans[a].effect->driven_by == d->plans[b].effect->driven_by && !formula && same && x.value == y.value;
}

static uint32_t add_work(limber_deformer* d, limberi_shape shape, int32_t bend_slot, int32_t slot, uint32_t part) {
    limberi_work work = {shape, bend_slot, slot, part, d->work_count};
    bool turns = shape == LIMBERI_SHAPE_BEND || shape == LIMBERI_SHAPE_SQUASH;
    for (uint32_t w = 0; shape == LIMBERI_SHAPE_BEND && w < d->work_count && work.list == d->work_count; w++)
        if (d->works[w].shape == LIMBERI_SHAPE_BEND && run_alike(d, (uint32_t)d->works[w].bend_slot, (uint32_t)slot))
            work.list = d->works[w].list;
    d->turn_works |= turns ? 1u << d->work_count : 0;
    d->works[d->work_count] = work;
    return d->work_count++;
}

// The part whose gain scales a row of the shape.
static uint32_t part_of(uint32_t shape) {
    return shape == LIMBERI_SHAPE_TRAVEL ? LIMBERI_LINEAR : LIMBERI_ANGULAR;
}

static bool is_about_a_center(const limber_deformer* d, uint32_t slot) {
    float about = limberi_number_of(&d->settings.effects[slot], LIMBERI_VALUE_ABOUT).value;
    return d->settings.about || about != (float)LIMBER_ABOUT_AXIS;
}

// Whether the effect's plan may ask for the shape.
static bool may_need(const limber_deformer* d, uint32_t slot, uint32_t shape) {
    uint32_t part = part_of(shape);
    limber_number gain = limberi_number_of(&d->settings.effects[slot], part);
    if (shape == LIMBERI_SHAPE_SHORTEN && !is_about_a_center(d, slot))
        return false;
    if (shape == LIMBERI_SHAPE_FOLLOW) // both parts
        return limberi_slot_is_on(d, slot) && (d->plans[slot].effect->shapes >> shape & 1);
    return limberi_slot_is_on(d, slot) && !d->plans[slot].scalar && (d->plans[slot].effect->shapes >> shape & 1) &&
           (gain.expression || gain.value != 0) && !limberi_part_is_folded(d, slot, part);
}

static void add_own_work(limber_deformer* d, uint32_t slot, limberi_shape shape) {
    int32_t bend_slot = shape == LIMBERI_SHAPE_BEND ? (int32_t)slot : -1;
    if (may_need(d, slot, shape))
        d->work_of[slot][shape] = (uint8_t)add_work(d, shape, bend_slot, (int32_t)slot, part_of(shape));
}

// A bend and a squash that may run as one come first.
static void add_together(limber_deformer* d) {
    int32_t bend = -1;
    int32_t squash = -1;
    for (int32_t slot = LIMBER_EFFECT_COUNT - 1; slot >= 0; slot--) {
        if (may_need(d, (uint32_t)slot, LIMBERI_SHAPE_BEND) &&
            (d->plans[slot].effect->driven_by & LIMBERI_ANGULAR_VELOCITY))
            bend = slot;
        if (may_need(d, (uint32_t)slot, LIMBERI_SHAPE_SQUASH))
            squash = slot;
    }
    if (bend >= 0 && squash >= 0)
        d->together = add_work(d, LIMBERI_SHAPE_SQUASH, bend, squash, LIMBERI_ANGULAR);
}

// Everything that turns, effect by effect, then the other shapes.
static void list_works(limber_deformer* d) {
    add_together(d);
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        add_own_work(d, slot, LIMBERI_SHAPE_BEND);
        add_own_work(d, slot, LIMBERI_SHAPE_SQUASH);
    }
    for (uint32_t shape = LIMBERI_SHAPE_TRAVEL; shape < LIMBERI_SHAPE_COUNT; shape++)
        for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
            add_own_work(d, slot, (limberi_shape)shape);
}

// One effect that squashes (without a bend) and travels runs along with the joints that are followed.
static bool runs_along(const limberi_work* work) {
    return (work->shape == LIMBERI_SHAPE_SQUASH && work->bend_slot < 0) || work->shape == LIMBERI_SHAPE_TRAVEL;
}

static void find_link_works(limber_deformer* d) {
    d->squash_slot = -1;
    bool follows = false;
    for (uint32_t w = 0; w < d->work_count; w++) {
        const limberi_work* work = &d->works[w];
        bool follow = work->shape == LIMBERI_SHAPE_FOLLOW;
        if (follow ? follows : !runs_along(work) || (d->squash_slot >= 0 && d->squash_slot != work->slot))
            continue;
        d->link_works |= 1u << w;
        if (follow)
            d->follow_slot = (uint32_t)work->slot;
        else
            d->squash_slot = work->slot;
        follows = follows || follow;
    }
    if (!follows)
        d->link_works = 0;
}

limber_result limberi_prepare_plans(limber_deformer* d) {
    limberi_deform_frame* f = &d->frame;
    uint32_t joints = d->model->rig.joint_count;
    for (uint32_t slot = 0; slot < limberi_slot_count(&d->settings); slot++)
        make_plan(d, slot);
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        choose_fold(d, slot);
    list_works(d);
    find_link_works(d);
    f->joints = LIMBERI_ALLOCATE(&d->arena, limberi_joint_work, joints);
    f->rows = LIMBERI_ALLOCATE(&d->arena, limberi_joint_row, (size_t)joints * d->work_count);
    f->acting = LIMBERI_ALLOCATE(&d->arena, int32_t, joints);
    f->folded = LIMBERI_ALLOCATE(&d->arena, uint16_t, joints);
    f->constants = LIMBERI_ALLOCATE(&d->arena, limberi_block_values, limberi_slot_count(&d->settings));
    for (uint32_t fold = 0; fold < LIMBERI_FOLD_COUNT; fold++)
        if (fold_is_used(d, fold))
            f->palettes[fold] = LIMBERI_ALLOCATE(&d->arena, float, 12 * (size_t)joints);
    d->variant = limberi_variant_best();
    return d->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

// --- every frame: one joint ---

// An effect as all joints see it.
typedef struct slot_plan {
    uint32_t slot, driven_by;
    const limber_kinematics* motion;
    const limber_joint_gain* own;        // [joint]; NULL: 1
    limber_joint_gain given;             // of the effect, without what differs from vertex to vertex
    void (*plan)(limberi_joint_plan* p); // NULL: it runs through its scalar function
} slot_plan;

// What all joints have in common.
typedef struct frame_plan {
    limberi_joint_plan joint;
    uint32_t slot_count;
    slot_plan slots[LIMBERI_SLOTS];                 // effects that are on
    uint32_t fold_count, folds[LIMBERI_FOLD_COUNT]; // palettes that are used
} frame_plan;

// What the slot's motion does at this joint, looked up once for all effects that share it.
LIMBERI_INLINED void need_motion(limberi_joint_plan* p, const limber_kinematics* motion) {
    if (p->motion == motion)
        return;
    p->motion = motion;
    limberi_fill_motion(motion, p->joint, &p->at);
    p->moving = limberi_moving_quantities(&p->at);
}

// As limberi_slot_moves finds out.
LIMBERI_INLINED bool slot_moves(limberi_joint_plan* p, const slot_plan* s) {
    need_motion(p, s->motion);
    if (!(p->moving & s->driven_by))
        return false;
    float strength = p->d->frame.strength;
    float linear = s->own ? s->own[p->joint].linear * strength : strength;
    float angular = s->own ? s->own[p->joint].angular * strength : strength;
    p->slot = s->slot;
    p->gain.linear = linear * s->given.linear;
    p->gain.angular = angular * s->given.angular;
    return linear != 0 || angular != 0;
}

LIMBERI_INLINED void plan_slots(frame_plan* plan) {
    limberi_joint_plan* p = &plan->joint;
    for (const slot_plan *s = plan->slots, *end = s + plan->slot_count; s < end; s++) {
        if (!slot_moves(p, s))
            continue;
        if (!s->plan) {
            limberi_plan_scalar(p);
            continue;
        }
        if (!p->placed)
            limberi_fill_place(p->d, &p->d->frame.job, p->joint, &p->at);
        p->placed = true;
        s->plan(p);
    }
}

// Palettes start as those of the parent: what a joint does is added to what it inherits. In a chain every joint acts by
// itself, and only the velocities add up.
static void inherit(const frame_plan* plan, int32_t parent) {
    limberi_deform_frame* f = &plan->joint.d->frame;
    uint32_t joint = plan->joint.joint;
    f->folded[joint] = parent < 0 ? 0 : f->folded[parent];
    if (limberi_is_chain(plan->joint.d))
        f->folded[joint] &= 1u << LIMBERI_FOLD_VELOCITY;
    for (uint32_t i = 0; i < plan->fold_count; i++) {
        uint32_t fold = plan->folds[i];
        float* to = f->palettes[fold] + 12 * (size_t)joint;
        if (f->folded[joint] >> fold & 1)
            memcpy(to, f->palettes[fold] + 12 * (size_t)parent, 12 * sizeof *to);
        else
            memset(to, 0, 12 * sizeof *to);
    }
}

static bool is_below(limber_vec3 v, float max) {
    return limberi_dot(v, v) < max * max; // a number, too
}

// Far below what overflows, far above what any motion makes.
static const float max_calm = 1e12f;

static bool row_is_calm(limberi_shape shape, const limberi_joint_row* row) {
    if (shape == LIMBERI_SHAPE_FOLLOW)
        return row->follow.angle < max_calm && is_below(limberi_load3(row->follow.shift), max_calm);
    if (shape == LIMBERI_SHAPE_SQUASH)
        return row->turn.longest < max_calm;
    return fabsf(row->travel.rate) < max_calm;
}

// Layers stay within 1; formulas may give anything.
static bool gains_are_calm(const limber_deformer* d) {
    for (uint32_t rest = d->link_works; rest; rest &= rest - 1) {
        const bool* formula = d->plans[d->works[limberi_lowest_bit(rest)].slot].formula;
        if (formula[LIMBERI_LINEAR] || formula[LIMBERI_ANGULAR])
            return false;
    }
    return true;
}

static bool does_link(const limberi_joint_plan* p) {
    const limberi_joint_work* work = p->work;
    if (work->scalar_slots || work->works & ~p->d->link_works ||
        (work->fold != LIMBERI_FOLD_CONSTANT && work->fold != LIMBERI_FOLD_VELOCITY) ||
        !is_below(p->at.position, max_calm))
        return false;
    bool calm = p->d->link_works != 0;
    for (uint32_t rest = work->works; rest && calm; rest &= rest - 1)
        calm = row_is_calm(p->d->works[limberi_lowest_bit(rest)].shape, &p->rows[limberi_lowest_bit(rest)]);
    return calm;
}

// What a chain asks of every joint of every group.
static void sort_out(const limberi_joint_plan* p, uint32_t folds) {
    const limber_deformer* d = p->d;
    limberi_joint_work* work = p->work;
    bool lone = work->works && !(work->works & (work->works - 1)) && !work->scalar_slots;
    folds &= ~(1u << LIMBERI_FOLD_VELOCITY);
    work->only_turn = (uint8_t)(lone && work->works & d->turn_works ? limberi_lowest_bit(work->works) : LIMBERI_WORKS);
    if (folds & (folds - 1))
        work->fold = LIMBERI_FOLD_COUNT;
    else
        work->fold = (uint8_t)(folds ? limberi_lowest_bit(folds) : LIMBERI_FOLD_VELOCITY);
    work->links = does_link(p);
}

static void plan_joint(frame_plan* plan, uint32_t joint, int32_t parent) {
    limberi_joint_plan* p = &plan->joint;
    limberi_deform_frame* f = &p->d->frame;
    p->joint = joint;
    p->work = &f->joints[joint];
    p->rows = f->rows + (size_t)joint * p->d->work_count;
    p->work->works = p->work->scalar_slots = 0;
    limberi_plan_open(p);
    inherit(plan, parent);
    plan_slots(plan);
    limberi_plan_close(p);
    if (f->palettes[LIMBERI_FOLD_VELOCITY])
        limberi_fold_velocity(p->d, joint);
    bool acts = p->work->works || p->work->scalar_slots ||
                (limberi_is_chain(p->d) && f->folded[joint] & ~(1u << LIMBERI_FOLD_VELOCITY));
    f->acting[joint] = parent < 0 ? -1 : f->acting[parent];
    if (acts)
        f->acting[joint] = (int32_t)joint;
    if (limberi_is_chain(p->d)) {
        sort_out(p, f->folded[joint]);
        f->all_link = f->all_link && (!acts || p->work->links);
    }
    f->folds |= f->folded[joint];
    f->moves = f->moves || acts;
}

// --- every frame: all joints ---

static bool is_calm(const float* palette, uint32_t joints) {
    limberi_lanes sum = limberi_lanes_all(0);
    for (size_t i = 0; i < 12 * (size_t)joints; i += 4)
        sum = limberi_lanes_abs(limberi_lanes_load(palette + i)) + sum;
    limberi_mask calm = limberi_lanes_less(sum, limberi_lanes_all(max_calm)); // none that is not a number, either
    return !limberi_lanes_any(~calm);
}

static slot_plan plan_of(const limber_deformer* d, uint32_t slot) {
    const limberi_effect* effect = d->plans[slot].effect;
    const limberi_block_values* values = &d->frame.constants[slot];
    const bool* formula = d->plans[slot].formula;
    slot_plan s = {slot,
                   effect->driven_by,
                   d->frame.job.motion[slot],
                   slot < LIMBER_EFFECT_COUNT ? d->settings.joint_gains[slot] : NULL,
                   {formula[LIMBERI_LINEAR] ? 1 : values->v[LIMBERI_VALUE_LINEAR][0],
                    formula[LIMBERI_ANGULAR] ? 1 : values->v[LIMBERI_VALUE_ANGULAR][0]},
                   d->plans[slot].scalar ? NULL : effect->plan};
    return s;
}

static void open_plan(frame_plan* plan, limber_deformer* d) {
    memset(&plan->joint, 0, sizeof plan->joint);
    plan->joint.d = d;
    plan->slot_count = plan->fold_count = 0;
    for (uint32_t slot = 0; slot < limberi_slot_count(&d->settings); slot++)
        if (limberi_slot_is_on(d, slot) && d->frame.job.motion[slot])
            plan->slots[plan->slot_count++] = plan_of(d, slot);
    for (uint32_t fold = 0; fold < LIMBERI_FOLD_COUNT; fold++)
        if (d->frame.palettes[fold])
            plan->folds[plan->fold_count++] = fold;
}

// Numbers that are the same for all vertices.
static void fill_constant(limber_deformer* d, uint32_t slot) {
    limberi_mesh_names no_names;
    limber_mesh no_mesh;
    memset(&no_names, 0, sizeof no_names);
    memset(&no_mesh, 0, sizeof no_mesh);
    limber_effect_settings s = *limberi_slot_settings(&d->settings, slot);
    limber_number* const gains[LIMBERI_VALUE_OWN] = {&s.linear, &s.angular};
    for (int n = 0; n < LIMBERI_VALUES; n++) {
        limber_number* number = n < LIMBERI_VALUE_OWN ? gains[n] : &s.values[n - LIMBERI_VALUE_OWN];
        if (limberi_number_varies(*number))
            number->expression = NULL;
    }
    limberi_evaluate_values(&no_names, &no_mesh, d->plans[slot].numbers, &s, &d->frame.job, 0, LIMBER_BLOCK, NULL,
                            &d->frame.constants[slot]);
}

void limberi_begin_effects(limber_deformer* d) {
    for (uint32_t slot = 0; slot < limberi_slot_count(&d->settings); slot++) {
        const limberi_effect* effect = d->plans[slot].effect;
        bool ready = d->frame.constants_ready && !d->plans[slot].constants_change;
        if (!ready && (limberi_slot_is_on(d, slot) || limberi_slot_is_source(d, slot)))
            fill_constant(d, slot);
        if (limberi_slot_begins(d, slot) && effect->begin)
            effect->begin(d, slot);
    }
    d->frame.constants_ready = true;
}

static bool is_still(const limber_kinematics* k, uint32_t joints) {
    const limber_vec3* const all[4] = {k->velocity, k->angular_velocity, k->acceleration, k->angular_acceleration};
    for (int q = 0; q < 4; q++)
        for (uint32_t j = 0; j < joints; j++)
            if (!limberi_is_zero(all[q][j]))
                return false;
    return true;
}

// Nothing to look for joint by joint when the character stands.
static bool all_still(const limber_deformer* d, const limber_deform_job* job) {
    const limber_kinematics* seen = NULL;
    for (uint32_t slot = 0; slot < limberi_slot_count(&d->settings); slot++) {
        const limber_kinematics* motion = limberi_slot_is_on(d, slot) ? job->motion[slot] : NULL;
        if (LIMBERI_HAS_VERTICES && limberi_slot_is_on(d, slot) && d->plans[slot].effect->bend)
            return false;
        if (motion && motion != seen && !is_still(motion, d->model->rig.joint_count))
            return false;
        seen = motion ? motion : seen;
    }
    return true;
}

bool limberi_deform_open(limber_deformer* d, const limber_deform_job* job) {
    limberi_deform_frame* f = &d->frame;
    f->job = *job;
    f->moves = false;
    f->bends = 0;
    if (!d->active || all_still(d, job))
        return false;
    limberi_evaluate_gains(d, job);
    if (f->strength == 0)
        return false;
    limberi_begin_effects(d);
    f->folds = 0;
    return true;
}

bool limberi_deform_begin(limber_deformer* d, const limber_deform_job* job) {
    limberi_deform_frame* f = &d->frame;
    frame_plan plan;
    if (!limberi_deform_open(d, job))
        return false;
    for (int fold = 0; fold < LIMBERI_FOLD_COUNT; fold++)
        f->shift_only[fold] = true;
    f->all_link = limberi_is_chain(d) && gains_are_calm(d);
    open_plan(&plan, d);
    for (uint32_t j = 0; j < d->model->rig.joint_count; j++)
        plan_joint(&plan, j, d->model->rig.hangs_on[j]);
    f->calm = d->size < max_calm && is_calm(f->palettes[LIMBERI_FOLD_CONSTANT], d->model->rig.joint_count);
    f->moves = f->moves || f->bends || f->folds & ~(1u << LIMBERI_FOLD_VELOCITY);
    return f->moves;
}
