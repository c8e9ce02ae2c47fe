// What the constraints ask of every frame (stretchable cartoon editing, section 3), solved for all joints.
#include "perform/exaggerate/editor.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

// --- one constraint ---

static limber_vec3 displacement_of(const limberi_editor* e, const limber_constraint* c, const limber_target_key* key) {
    if (c->relative)
        return limberi_scale(key->position, (float)e->size);
    double time_s = e->take.start_s + key->time_s;
    double frame = e->take.step_s > 0 ? key->time_s / e->take.step_s : 0;
    uint32_t near = (uint32_t)fmin(fmax(round(frame), 0), (double)e->take.frame_count - 1);
    limberi_between at = limberi_take_between(&e->take, near, time_s);
    limber_vec3 here = limberi_lerp(*limberi_editor_at(e, e->positions, at.a, c->joint),
                                    *limberi_editor_at(e, e->positions, at.b, c->joint), (float)at.part);
    return limberi_sub(key->position, here);
}

// Keys whose windows touch belong together: the edit goes from one to the next without coming back to nothing.
static limber_result add_keys(limberi_editor* e, const limber_constraint* c, limberi_pull* pull) {
    double* scratch = LIMBERI_ALLOCATE(&e->arena, double, (size_t)c->key_count + 2);
    uint32_t at = 0;
    for (uint32_t k = 0; scratch && k < c->key_count;) {
        limberi_pull_group* group = &pull->groups[pull->group_count++];
        group->first = at;
        group->key_count = 0;
        do {
            limber_vec3 d = displacement_of(e, c, &c->keys[k]);
            limberi_knot knot = {c->keys[k].time_s, {(double)d.x, (double)d.y, (double)d.z}, {0, 0, 0}};
            pull->knots[at + 1 + group->key_count++] = knot;
            k++;
        } while (k < c->key_count && c->keys[k].time_s - c->keys[k - 1].time_s < 2 * c->window_s);
        limberi_spread_prepare(pull->knots + at, group->key_count, c->window_s, e->settings->spread, scratch);
        at += group->key_count + 2;
    }
    return scratch ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

static limber_result add_constraint(limberi_editor* e, const limber_constraint* c) {
    if (!(c->weight > 0))
        return LIMBER_OK;
    limberi_pull* pull = limberi_editor_new_pull(e, c->joint, c->weight, c->key_count);
    if (!pull)
        return LIMBER_ERROR_MEMORY;
    pull->constraint = c;
    return c->key_count ? add_keys(e, c, pull) : LIMBER_OK;
}

// --- one frame ---

static float elongation(const limberi_editor* e, const limber_constraint* c, uint32_t frame) {
    if (!c->elongate.expression)
        return c->elongate.value;
    limber_expression_inputs in = limber_expression_inputs_default();
    double t = frame * e->take.step_s;
    double duration = e->clip->end_s - e->clip->start_s;
    float speed = (float)limberi_editor_speed(e, frame, c->joint, -1);
    float out = 0;
    in.count = 1;
    in.frame[LIMBER_VARIABLE_T] = (float)t;
    in.frame[LIMBER_VARIABLE_FRAME] = (float)(t * e->clip->fps);
    in.frame[LIMBER_VARIABLE_PHASE] = duration > 0 ? (float)(t / duration) : 0;
    in.vertex[LIMBER_VARIABLE_SPEED] = &speed;
    limber_expression_evaluate(c->elongate.expression, &in, &out);
    return fminf(fmaxf(out, -100), 100);
}

// The unit vector from the nearest joint above that is some way off to the joint; 0 when there is none.
static limber_vec3 bone_direction(const limberi_editor* e, uint32_t frame, uint32_t joint) {
    limber_vec3 here = *limberi_editor_at(e, e->positions, frame, joint);
    for (int32_t above = limberi_graph_parent(&e->graph, joint); above >= 0;
         above = limberi_graph_parent(&e->graph, (uint32_t)above)) {
        limber_vec3 bone = limberi_sub(here, *limberi_editor_at(e, e->positions, frame, (uint32_t)above));
        if ((double)limberi_length(bone) > (double)LIMBERI_SHORTEST_AXIS * e->size)
            return limberi_normalize(bone);
    }
    return limberi_vec3(0, 0, 0);
}

// Few groups reach a time, however many there are.
static void find_reach(limberi_pull* pull) {
    double end_s = -INFINITY;
    double start_s = INFINITY;
    for (uint32_t g = 0; g < pull->group_count; g++) {
        limberi_pull_group* group = &pull->groups[g];
        double last_s = pull->knots[group->first + group->key_count + 1].time_s;
        end_s = last_s > end_s ? last_s : end_s;
        group->end_s = end_s;
    }
    for (uint32_t g = pull->group_count; g-- > 0;) {
        double first_s = pull->knots[pull->groups[g].first].time_s;
        start_s = first_s < start_s ? first_s : start_s;
        pull->groups[g].start_s = start_s;
    }
}

static void add_groups(const limberi_editor* e, const limberi_pull* pull, double time_s, limber_vec3* sum) {
    uint32_t g = 0;
    for (uint32_t end = pull->group_count; g < end;) { // the first that does not end before
        uint32_t middle = g + (end - g) / 2;
        if (pull->groups[middle].end_s > time_s)
            end = middle;
        else
            g = middle + 1;
    }
    for (; g < pull->group_count && pull->groups[g].start_s < time_s; g++) {
        const limberi_pull_group* group = &pull->groups[g];
        limberi_spread_add(pull->knots + group->first, group->key_count, e->settings->spread, time_s, sum);
    }
}

static limber_vec3 pull_at(const limberi_editor* e, const limberi_pull* pull, uint32_t frame) {
    limber_vec3 sum = {0, 0, 0};
    if (pull->constraint && !pull->constraint->key_count) {
        float length = elongation(e, pull->constraint, frame) * (float)e->size;
        return length != 0 ? limberi_scale(bone_direction(e, frame, pull->joint), length) : sum;
    }
    double t = frame * e->take.step_s;
    double period = e->clip->end_s - e->clip->start_s;
    for (int turn = e->take.loops ? -1 : 0; turn <= (e->take.loops ? 1 : 0); turn++)
        add_groups(e, pull, t + turn * period, &sum);
    return sum;
}

// --- all frames ---

// Several constraints may pull one joint: their pulls add up, and the greatest weight counts.
typedef struct slots {
    uint32_t count;
    uint32_t* joints;
    float* weights;
    uint32_t* of_pull;
    limber_vec3* sums;
} slots;

static bool make_slots(limberi_editor* e, slots* s) {
    s->joints = LIMBERI_ALLOCATE(&e->arena, uint32_t, e->pull_count);
    s->weights = LIMBERI_ALLOCATE(&e->arena, float, e->pull_count);
    s->of_pull = LIMBERI_ALLOCATE(&e->arena, uint32_t, e->pull_count);
    s->sums = LIMBERI_ALLOCATE(&e->arena, limber_vec3, e->pull_count);
    uint32_t* of_joint = LIMBERI_ALLOCATE(&e->arena, uint32_t, e->take.joint_count); // plus 1
    if (e->arena.failed)
        return false;
    for (uint32_t i = 0; i < e->pull_count; i++) {
        uint32_t* slot = &of_joint[e->pulls[i].joint];
        bool known = *slot != 0;
        *slot = known ? *slot : ++s->count;
        uint32_t at = *slot - 1;
        s->joints[at] = e->pulls[i].joint;
        s->weights[at] = known ? fmaxf(s->weights[at], e->pulls[i].weight) : e->pulls[i].weight;
        s->of_pull[i] = at;
    }
    return true;
}

static void solve_frames(limberi_editor* e, limber_bone_solver* solver, const slots* s) {
    for (uint32_t i = 0; i < e->pull_count; i++)
        find_reach(&e->pulls[i]);
    for (uint32_t f = 0; f < e->take.frame_count; f++) {
        memset(s->sums, 0, s->count * sizeof *s->sums);
        for (uint32_t i = 0; i < e->pull_count; i++) {
            limber_vec3* sum = &s->sums[s->of_pull[i]];
            *sum = limberi_add(*sum, pull_at(e, &e->pulls[i], f));
        }
        limberi_bone_solver_displace(solver, limberi_editor_at(e, e->positions, f, 0), s->sums,
                                     limberi_editor_at(e, e->moved, f, 0));
        limberi_editor_follow_twins(e, limberi_editor_at(e, e->moved, f, 0));
    }
}

static limber_result smooth_frames(limberi_editor* e) {
    const limberi_take* take = &e->take;
    limber_vec3* scratch = limberi_allocate(((size_t)take->frame_count + 1) * sizeof *scratch);
    if (!scratch)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t s = 0; s < take->segment_count; s++)
        for (uint32_t j = 0; j < take->joint_count; j++)
            limberi_smooth(limberi_editor_at(e, e->moved, take->segments[s], j), take->joint_count,
                           take->segments[s + 1] - take->segments[s], take->loops, take->step_s, e->settings->smooth,
                           scratch);
    limberi_release(scratch);
    return LIMBER_OK;
}

static limber_result solve(limberi_editor* e) {
    slots s;
    limber_bone_solver* solver;
    memset(&s, 0, sizeof s);
    if (!make_slots(e, &s))
        return limberi_fail_memory(e->error);
    limber_result result = limberi_bone_solver_create(&e->graph, s.count, s.joints, s.weights, e->settings->pin_root,
                                                      e->settings->kinematic, &solver, e->error);
    if (result)
        return result;
    solve_frames(e, solver, &s);
    limber_bone_solver_destroy(solver);
    return e->settings->smooth > 0 && smooth_frames(e) ? limberi_fail_memory(e->error) : LIMBER_OK;
}

limber_result limberi_editor_pull(limberi_editor* e) {
    const limber_exaggerate_settings* settings = e->settings;
    e->pull_room = settings->constraint_count + (settings->automatic ? e->take.joint_count : 0);
    e->pulls = LIMBERI_ALLOCATE(&e->arena, limberi_pull, e->pull_room);
    if (!e->pulls)
        return limberi_fail_memory(e->error);
    for (uint32_t i = 0; i < settings->constraint_count; i++)
        if (add_constraint(e, &settings->constraints[i]))
            return limberi_fail_memory(e->error);
    if (settings->automatic && limberi_editor_choose(e))
        return limberi_fail_memory(e->error);
    return e->pull_count ? solve(e) : LIMBER_OK;
}
