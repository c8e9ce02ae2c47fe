// Joints one after another, from the leaves to the root: p <- p + B_j sum over effects of psi_j(p). Rotations compose,
// so that a row of bent joints keeps its length where the sum of their displacements grows.
//
// Consecutive joints that only turn (or are affine, too), with the same numbers per vertex, are one call of the kernel,
// which keeps the vertices in registers from joint to joint. All others add up what they do in a block and move the
// vertices by that.
#include "base/bits.h"
#include "deform/run.h"

#include <string.h>

enum { CALLS_AT_ONCE = 32 };

typedef struct chain_state {
    limberi_group_state* g;
    limberi_block3 at;  // where the vertices are so far
    limberi_block3 own; // what one joint does ...
    limberi_block9 own_slopes;
    limberi_block9* slopes; // ... and how everything so far changes along the axes; NULL: nobody asks
    float astray;           // no vertex is farther than this outside the sphere that was found last
    limberi_turn_list lists[LIMBERI_WORKS];
    // joints that turn and wait for the kernel
    limberi_turn_list* list;
    limberi_turn_reach reach;
    bool affine; // some of them do more
    uint32_t call_count;
    limberi_row_call calls[CALLS_AT_ONCE];
    // joints that are followed and wait for theirs
    bool links_open; // their mode is known
    limberi_link_mode link_mode;
    uint32_t link_count;
    limberi_link_call link_calls[CALLS_AT_ONCE];
} chain_state;

// --- the order ---

// Children have higher numbers than their parents. Each chain of the group descends, and most groups have few.
static uint32_t gather_links(const limberi_group_state* g) {
    const limber_rig* rig = &g->d->model->rig;
    const limberi_deform_frame* f = g->f;
    limberi_chain_link* links = g->scratch->links;
    uint32_t count = 0;
    for (uint32_t c = 0; c < g->group->chain_count; c++) {
        limberi_chain chain = g->groups->chains[g->group->chain_first + c];
        const float* weight = limberi_group_weight(g->groups, g->group, g->scratch->sums, chain.weight);
        for (int32_t j = f->acting[chain.first]; j > chain.stop;) {
            limberi_chain_link link = {(uint32_t)j, weight};
            uint32_t at = count++;
            for (; at > 0 && links[at - 1].joint < link.joint; at--)
                links[at] = links[at - 1];
            links[at] = link;
            j = rig->hangs_on[j] < 0 ? -1 : f->acting[rig->hangs_on[j]];
        }
    }
    return count;
}

// --- joints that only turn ---

static void run_turns(chain_state* c) {
    if (!c->call_count)
        return;
    c->list->mode.reach = c->reach;
    c->list->mode.chain = true;
    c->list->mode.affine = c->affine;
    c->g->kernels->turn(&c->g->block, c->calls, c->call_count, &c->list->mode);
    c->call_count = 0;
}

// --- joints that are followed ---

static void open_links(chain_state* c) {
    limberi_group_state* g = c->g;
    limberi_link_mode* mode = &c->link_mode;
    uint32_t follow = g->d->follow_slot;
    uint32_t squash = (uint32_t)g->d->squash_slot;
    const bool* varies = g->d->plans[follow].gain_varies;
    c->links_open = true;
    mode->varies = varies[LIMBERI_LINEAR] || varies[LIMBERI_ANGULAR];
    mode->turn_gain = limberi_group_gain_or_ones(g, follow, LIMBERI_ANGULAR);
    mode->shift_gain = limberi_group_gain_or_ones(g, follow, LIMBERI_LINEAR);
    mode->squash_gain = mode->travel_gain = limberi_group_ones;
    mode->max_squash = 0;
    if (g->d->squash_slot < 0)
        return;
    varies = g->d->plans[squash].gain_varies;
    mode->varies = mode->varies || varies[LIMBERI_LINEAR] || varies[LIMBERI_ANGULAR];
    mode->squash_gain = limberi_group_gain_or_ones(g, squash, LIMBERI_ANGULAR);
    mode->travel_gain = limberi_group_gain_or_ones(g, squash, LIMBERI_LINEAR);
    mode->max_squash = g->f->constants[squash].v[LIMBERI_VALUE_MAX_SQUASH][0];
}

static void run_links_so_far(chain_state* c) {
    if (!c->link_count)
        return;
    c->g->kernels->link(&c->g->block, c->link_calls, c->link_count, &c->link_mode);
    c->link_count = 0;
    c->astray = HUGE_VALF;
}

// A joint that does nothing but what the kernel of followed joints has. False: it does more.
static bool link_joint(chain_state* c, const limberi_chain_link* link) {
    const limberi_group_state* g = c->g;
    const limberi_joint_work* own = &g->f->joints[link->joint];
    const limberi_joint_row* rows = g->f->rows + (size_t)link->joint * g->d->work_count;
    if (c->slopes || !own->links)
        return false;
    limberi_link_call call = {NULL, NULL, NULL, NULL, link->weight, own->place, false};
    for (uint32_t rest = own->works; rest; rest &= rest - 1) {
        uint32_t w = limberi_lowest_bit(rest);
        limberi_shape shape = g->d->works[w].shape;
        call.follow = shape == LIMBERI_SHAPE_FOLLOW ? &rows[w].follow : call.follow;
        call.squash = shape == LIMBERI_SHAPE_SQUASH ? &rows[w].turn : call.squash;
        call.travel = shape == LIMBERI_SHAPE_TRAVEL ? &rows[w].travel : call.travel;
    }
    if (own->fold == LIMBERI_FOLD_CONSTANT)
        call.affine = g->f->palettes[LIMBERI_FOLD_CONSTANT] + 12 * (size_t)link->joint;
    call.whole = call.follow && call.follow->shifts && call.squash && call.affine;
    if (!c->links_open)
        open_links(c);
    run_turns(c);
    c->link_calls[c->link_count++] = call;
    if (c->link_count == CALLS_AT_ONCE)
        run_links_so_far(c);
    return true;
}

static inline limberi_turn_list* turns_of(chain_state* c, const limberi_work* work) {
    limberi_turn_list* list = &c->lists[work->list];
    if (!list->open)
        limberi_group_open_turns(c->g, work, list);
    return list;
}

// How far the row turns the vertices, wherever they are by now, and how far they are from the joint. The sphere is only
// found again where that helps.
static inline limberi_turn_reach reach_of(chain_state* c, const limberi_turn_list* list, const limberi_turn_row* row,
                                          const float* place, float* far) {
    float near = limberi_group_farthest(c->g, place);
    *far = near + c->astray;
    limberi_turn_reach reach = limberi_turn_reach_of(list, row, *far);
    if (reach == LIMBERI_TURN_FAINT || !(c->astray > 0) || reach == limberi_turn_reach_of(list, row, near))
        return reach;
    run_turns(c);
    limberi_group_bound(c->g);
    c->astray = 0;
    *far = limberi_group_farthest(c->g, place);
    return limberi_turn_reach_of(list, row, *far);
}

// How far an affine palette can move a vertex.
static float affine_push(const limberi_group_state* g, const float* m, float astray) {
    float square = 0;
    float push[3];
    for (int e = 0; e < 9; e++)
        square += m[e] * m[e];
    for (int r = 0; r < 3; r++)
        push[r] = m[r] * g->middle[0] + m[3 + r] * g->middle[1] + m[6 + r] * g->middle[2] + m[9 + r];
    return sqrtf(push[0] * push[0] + push[1] * push[1] + push[2] * push[2]) + sqrtf(square) * (g->radius + astray);
}

// How far a turn can move a vertex. Bends go along chords; squash below nothing stretches across by up to ten times as
// much.
static inline float push_of(const limberi_turn_list* list, const limberi_turn_row* row, float far) {
    float distance = far * row->longest;
    float squash = distance * fabsf(row->squash_rate) * list->squash_gain;
    float bend = list->mode.bend ? fminf(distance * list->bend_gain, 2) : 0;
    bool shrinks = row->squash_rate < 0 || list->mode.squash_gain;
    if (!(far < HUGE_VALF))
        return HUGE_VALF;
    if (list->mode.max_squash > 0)
        squash = fminf(squash, list->mode.max_squash);
    return far * (bend + (shrinks ? 10 : 1) * squash);
}

// How far the call can move a vertex.
static inline float call_push(const chain_state* c, const limberi_turn_list* list, const limberi_row_call* call,
                              float far) {
    float turn = push_of(list, call->row, far);
    if (!call->affine || !(turn < HUGE_VALF))
        return turn;
    // Layers stay within 1; formulas are not searched.
    bool formula = call->affine_gain != limberi_group_ones && c->g->d->names_used;
    return formula ? HUGE_VALF : turn + affine_push(c->g, call->affine, c->astray);
}

// Joints that need one reach less may run along.
static inline void list_turn(chain_state* c, const limberi_work* work, const limberi_row_call* call,
                             const float* place) {
    limberi_turn_list* list = turns_of(c, work);
    float far;
    limberi_turn_reach reach = reach_of(c, list, call->row, place, &far);
    bool affine = call->affine != NULL;
    bool fits = reach <= c->reach && reach + 1 >= c->reach && affine <= c->affine;
    if (c->call_count == CALLS_AT_ONCE || c->list != list || !fits)
        run_turns(c);
    if (!c->call_count) {
        c->list = list;
        c->reach = reach;
        c->affine = affine;
    }
    c->calls[c->call_count++] = *call;
    c->astray += call_push(c, list, call, far);
}

// --- any joint ---

// The joint's own shifts and matrices, which no joint below inherits.
static void run_fold(const chain_state* c, uint32_t fold, const limberi_chain_link* link, limberi_affine_use use) {
    static const uint16_t first_slot = 0;
    limberi_group_state* g = c->g;
    limberi_affine_row row = {1, &first_slot, &link->joint, link->weight, g->f->palettes[fold], false, true, use};
    row.shift_only = g->f->shift_only[fold];
    g->kernels->affine(&g->block, &row, limberi_group_fold_gain(g, fold));
}

// They start the sums.
static void run_affine(chain_state* c, const limberi_chain_link* link) {
    limberi_group_state* g = c->g;
    bool begun = false;
    for (uint32_t fold = 0; fold < LIMBERI_FOLD_VELOCITY; fold++) {
        if (!(g->f->folded[link->joint] >> fold & 1))
            continue;
        if (g->block.slopes && !begun && g->f->shift_only[fold])
            limberi_group_clear(g->block.slopes->v, 9, g->group->width);
        run_fold(c, fold, link, begun ? LIMBERI_AFFINE_ADD : LIMBERI_AFFINE_SET);
        begun = true;
    }
    if (!begun)
        limberi_group_clear(g->block.displacement->v, 3, g->group->width);
    if (!begun && g->block.slopes)
        limberi_group_clear(g->block.slopes->v, 9, g->group->width);
}

static void run_turn(chain_state* c, const limberi_work* work, const limberi_turn_row* row, const float* place,
                     const float* weight) {
    limberi_turn_list* list = turns_of(c, work);
    limberi_row_call call = {row, weight, NULL, NULL};
    float far;
    list->mode.reach = reach_of(c, list, row, place, &far);
    list->mode.chain = list->mode.affine = false;
    c->g->kernels->turn(&c->g->block, &call, 1, &list->mode);
}

static void run_joint(chain_state* c, const limberi_chain_link* link) {
    limberi_group_state* g = c->g;
    const limberi_joint_work* own = &g->f->joints[link->joint];
    const limberi_joint_row* rows = g->f->rows + (size_t)link->joint * g->d->work_count;
    run_turns(c);
    g->block.slopes = c->slopes ? &c->own_slopes : NULL;
    g->lift_normal_ready = false; // the cone's normals are those of where the vertices are
    run_affine(c, link);
    for (uint32_t rest = own->works; rest; rest &= rest - 1) {
        uint32_t w = limberi_lowest_bit(rest);
        limberi_row_call call = {&rows[w], link->weight, NULL, NULL};
        if (g->d->turn_works >> w & 1)
            run_turn(c, &g->d->works[w], &rows[w].turn, own->place, link->weight);
        else
            limberi_group_run_rows(g, &g->d->works[w], &call, 1);
    }
    if (own->scalar_slots)
        limberi_group_run_scalar(g, own, link->joint, link->weight);
    g->kernels->advance(&g->block, c->slopes);
    g->block.slopes = c->slopes;
    c->astray = HUGE_VALF;
}

// A joint with one row, which turns, and at most one palette, which the kernel of turns takes along.
static void turn_joint(chain_state* c, const limberi_chain_link* link) {
    limberi_group_state* g = c->g;
    const limberi_joint_work* own = &g->f->joints[link->joint];
    limberi_row_call call = {&g->f->rows[(size_t)link->joint * g->d->work_count + own->only_turn], link->weight, NULL,
                             NULL};
    if (own->fold != LIMBERI_FOLD_VELOCITY) {
        const float* gain = limberi_group_fold_gain(g, own->fold);
        call.affine = g->f->palettes[own->fold] + 12 * (size_t)link->joint;
        call.affine_gain = gain ? gain : limberi_group_ones;
    }
    list_turn(c, &g->d->works[own->only_turn], &call, own->place);
}

static void run_links(chain_state* c) {
    limberi_group_state* g = c->g;
    uint32_t count = gather_links(g);
    for (uint32_t i = 0; i < count; i++) {
        const limberi_chain_link* link = &g->scratch->links[i];
        const limberi_joint_work* own = &g->f->joints[link->joint];
        if (link_joint(c, link))
            continue;
        run_links_so_far(c);
        if (own->only_turn < LIMBERI_WORKS && own->fold < LIMBERI_FOLD_COUNT)
            turn_joint(c, link);
        else if (!own->works && !own->scalar_slots && own->fold < LIMBERI_FOLD_VELOCITY && !c->slopes) {
            // An affine joint moves the vertices at once.
            run_turns(c);
            run_fold(c, c->g->f->joints[link->joint].fold, link, LIMBERI_AFFINE_MOVE);
            c->astray = HUGE_VALF;
        } else
            run_joint(c, link);
    }
    run_turns(c);
    run_links_so_far(c);
}

static void open_chain(chain_state* c, limberi_group_state* g) {
    c->g = g;
    c->slopes = g->block.slopes;
    c->list = NULL;
    c->reach = LIMBERI_TURN_FAINT;
    c->affine = false;
    c->call_count = c->link_count = 0;
    c->links_open = false;
    c->astray = 0;
    for (uint32_t w = 0; w < g->d->work_count; w++)
        c->lists[w].open = false;
}

// --- how far ---
// Bounds of what kernels/link.c does, axis by axis: q is how far vertices are from the joint at most, in either
// direction; gains stay within 1. Feet hang below their joints, and turns move them sideways rather than down.

static float within(const float* direction, const float* q) {
    return fabsf(direction[0]) * q[0] + fabsf(direction[1]) * q[1] + fabsf(direction[2]) * q[2];
}

static void add_follow_push(const limberi_follow_row* row, const float* q, float* push) {
    const float* f = row->first;
    const float* s = row->second;
    const float axis[3] = {fabsf(f[1] * s[2]), fabsf(f[0] * s[2]), fabsf(f[0] * s[1] - f[1] * s[0])};
    float square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    float angle = row->angle * sqrtf(square / (square + row->reach2));
    float back = fminf(0.5f * angle * angle, 2) * sqrtf(square); // 1 - cos
    float share = sqrtf(square / (square + 0.25f * row->reach2));
    for (int c = 0; c < 3; c++) {
        int d = c < 2 ? c + 1 : 0;
        int e = c > 0 ? c - 1 : 2;
        push[c] += angle * (axis[d] * q[e] + axis[e] * q[d]) + back + share * fabsf(row->shift[c]);
    }
}

// What shrinks stretches across by up to ten times as much.
static void add_squash_push(const limberi_turn_row* row, float max, const float* q, float* push) {
    float distance = sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    float grown = distance * row->longest;
    if (max > 0)
        grown = fminf(grown, max);
    float along = grown * within(row->first.d, q); // the direction times `longest`, as the push is divided by it
    float across = grown * within(row->squash_second.d, q) * (row->squash_rate < 0 ? 10 : 1);
    for (int c = 0; c < 3; c++)
        push[c] += fabsf(row->push_first[c]) * along + fabsf(row->squash_second.d[c]) * across;
}

static void add_travel_push(const limberi_travel_row* row, const float* q, float* push) {
    float grown = fabsf(row->rate);
    if (row->max > 0)
        grown = fminf(grown, row->max);
    float across = 1 / sqrtf(1 - fminf(grown, 0.9f)) - 1;
    float along = (grown + across) * within(row->way.d, q);
    for (int c = 0; c < 3; c++)
        push[c] += fabsf(row->way.d[c]) * along + across * q[c];
}

static void add_affine_push(const float* m, const float* middle, const float* spread, float* push) {
    for (int r = 0; r < 3; r++)
        push[r] += fabsf(m[r] * middle[0] + m[3 + r] * middle[1] + m[6 + r] * middle[2] + m[9 + r]) +
                   fabsf(m[r]) * spread[0] + fabsf(m[3 + r]) * spread[1] + fabsf(m[6 + r]) * spread[2];
}

// `spread`: how far vertices are from the middle.
static void find_push(const limberi_group_state* g, uint32_t joint, const float* spread, float* push) {
    const limberi_joint_work* own = &g->f->joints[joint];
    const limberi_joint_row* rows = g->f->rows + (size_t)joint * g->d->work_count;
    push[0] = push[1] = push[2] = 0;
    for (uint32_t rest = own->works; rest; rest &= rest - 1) {
        uint32_t w = limberi_lowest_bit(rest);
        limberi_shape shape = g->d->works[w].shape;
        const float* from = shape == LIMBERI_SHAPE_TRAVEL ? rows[w].travel.centre : own->place;
        const float q[3] = {fabsf(g->middle[0] - from[0]) + spread[0], fabsf(g->middle[1] - from[1]) + spread[1],
                            fabsf(g->middle[2] - from[2]) + spread[2]};
        if (shape == LIMBERI_SHAPE_FOLLOW)
            add_follow_push(&rows[w].follow, q, push);
        else if (shape == LIMBERI_SHAPE_SQUASH)
            add_squash_push(&rows[w].turn, g->f->constants[g->d->squash_slot].v[LIMBERI_VALUE_MAX_SQUASH][0], q, push);
        else
            add_travel_push(&rows[w].travel, q, push);
    }
    if (own->fold == LIMBERI_FOLD_CONSTANT)
        add_affine_push(g->f->palettes[LIMBERI_FOLD_CONSTANT] + 12 * (size_t)joint, g->middle, spread, push);
}

void limberi_chain_reach(const limberi_group_state* g, const float half[3], float reach[3]) {
    static const float rounding = 1.01f; // of kernels and weights
    uint32_t count = gather_links(g);
    float spread[3] = {half[0], half[1], half[2]};
    for (uint32_t i = 0; i < count; i++) {
        float push[3];
        find_push(g, g->scratch->links[i].joint, spread, push);
        for (int c = 0; c < 3; c++)
            spread[c] += rounding * push[c];
    }
    for (int c = 0; c < 3; c++)
        reach[c] = spread[c] - half[c];
}

void limberi_chain_move(limberi_group_state* g) {
    chain_state c;
    open_chain(&c, g);
    run_links(&c);
}

void limberi_chain_effects(limberi_group_state* g) {
    chain_state c;
    limberi_block3* home = g->block.position;
    limberi_block3* displacement = g->block.displacement;
    open_chain(&c, g);
    for (int axis = 0; axis < 3; axis++)
        memcpy(c.at.v[axis], home->v[axis], g->group->width * sizeof(float));
    if (c.slopes)
        limberi_group_clear(c.slopes->v, 9, g->group->width);
    g->block.position = &c.at;
    g->block.displacement = &c.own;
    limberi_group_bound(g);
    run_links(&c);
    g->block.position = home;
    g->block.displacement = displacement;
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t v = 0; v < g->group->width; v++)
            displacement->v[axis][v] = c.at.v[axis][v] - home->v[axis][v];
}
