// What joints do one by one, as rows of texels: four joints side by side, then those of them that act, one after another.
#include "base/bits.h"
#include "deform/gpu_rows.h"
#include "gpu/packing.h"

#include <string.h>

// --- effects ---

// What effects have in common for all joints.
static void open_slots(limberi_pack* p) {
    for (uint32_t slot = 0; slot < LIMBERI_PACK_EFFECTS; slot++) {
        p->slots[slot] = limberi_gpu_slot_of(p->deformer, slot);
        for (uint32_t part = 0; part < 2; part++)
            p->slots[slot].scale[part] = limberi_pack_column_scale(p, slot, part);
    }
}

static void open_effect(const limberi_pack* p, limberi_gpu_pen* pen, uint32_t slot) {
    limberi_gpu_open(pen, &p->slots[slot]);
}

// The multiplier of a turn's angle: how much of it is twist, and what twist and bend count.
static limberi_lanes mixture(const limberi_gpu_pen* pen, uint32_t slot, const limberi_turns* turn) {
    return turn->twist * limberi_gpu_constant(pen, slot, LIMBERI_VALUE_TWIST) +
           (1 - turn->twist) * limberi_gpu_constant(pen, slot, LIMBERI_VALUE_BEND);
}

// --- blocks ---

// Where nothing is squashed any direction across the axis will do.
static limberi_vectors3 any_across(limberi_vectors3 axis) {
    limberi_lanes zero = limberi_lanes_all(0), one = limberi_lanes_all(1);
    limberi_mask along = limberi_lanes_less(limberi_lanes_abs(axis.x), limberi_lanes_all(0.6f));
    limberi_vectors3 helper =
        limberi_vectors_of(limberi_lanes_where(along, one), limberi_lanes_where(~along, one), zero);
    return limberi_vectors_normalize(limberi_vectors_cross(helper, axis));
}

static void put_turn(limberi_gpu_pen* pen, const uint32_t* slots, limberi_lanes bend, limberi_lanes squash) {
    const limberi_turns* turn = limberi_gpu_turns(pen, false);
    limberi_lanes rate = -mixture(pen, slots[0], turn) * bend * turn->speed / pen->d->size;
    limberi_squash_planes q =
        limberi_gpu_squash_planes(pen, turn->speed, limberi_gpu_constant(pen, slots[1], LIMBERI_VALUE_FADE));
    limberi_lanes max = limberi_lanes_all(limberi_gpu_constant(pen, slots[1], LIMBERI_VALUE_MAX_SQUASH));
    limberi_lanes squash_rate = limberi_lanes_where(q.is_there, q.share * squash * turn->speed / pen->d->size);
    if (limberi_lanes_any(~q.is_there)) {
        q.e = limberi_vectors_select(q.is_there, q.e, any_across(turn->axis));
        q.z = limberi_vectors_where(q.is_there, q.z);
    }
    rate = limberi_lanes_where(turn->turns, rate);
    limberi_gpu_put(pen, limberi_vectors_where(turn->turns, q.e), rate);
    limberi_gpu_put(pen, limberi_vectors_where(turn->turns, limberi_vectors_cross(turn->axis, q.e)), squash_rate);
    limberi_gpu_put(pen, limberi_vectors_where(turn->turns, q.z), limberi_lanes_where(turn->turns, max));
    pen->acts |= (rate != 0) | (squash_rate != 0);
}

// Where one of the two does not turn, the motion is that of the other.
static void put_turns(const limberi_pack* p, limberi_gpu_pen* pen) {
    const uint32_t* slots = p->slot_of[LIMBERI_GPU_TURN];
    const limberi_gpu_slot* first = &p->slots[slots[0]];
    const limberi_lanes zero = limberi_lanes_all(0);
    bool twice = p->kinds & LIMBERI_KIND_TURN_TWICE;
    open_effect(p, pen, slots[0]);
    limberi_lanes bend = pen->gain[LIMBERI_ANGULAR];
    if (twice)
        put_turn(pen, slots, bend, zero);
    open_effect(p, pen, slots[1]);
    if (!twice && first->motion && first->constant[LIMBERI_ANGULAR] != 0)
        limberi_gpu_set_motion(pen, first->motion);
    put_turn(pen, slots, twice ? zero : bend, pen->gain[LIMBERI_ANGULAR]);
}

// A bend about the axis of a turn; `acts` where it is one.
typedef struct bends {
    limberi_vectors3 axis;
    limberi_lanes rate;
    limberi_mask acts;
} bends;

static bool by_acceleration(uint32_t slot) {
    return limberi_slot_effect(slot)->driven_by & LIMBERI_ANGULAR_ACCELERATION;
}

static bends find_bends(limberi_gpu_pen* pen, uint32_t slot) {
    const limberi_turns* turn = limberi_gpu_turns(pen, by_acceleration(slot));
    limberi_lanes gain = pen->gain[LIMBERI_ANGULAR], mixed = mixture(pen, slot, turn);
    limberi_mask turns = turn->turns & (gain != 0);
    bends b = {limberi_vectors_where(turns, turn->axis),
               limberi_lanes_where(turns, -mixed * gain * turn->speed / pen->d->size), turns & (mixed != 0)};
    return b;
}

static void put_bend_source(limberi_gpu_pen* pen, uint32_t slot) {
    const limberi_effect* effect = limberi_slot_effect(slot);
    limberi_vectors3 shift = by_acceleration(slot) ? pen->acceleration : pen->velocity;
    limberi_lanes share[2];
    for (uint32_t part = 0; part < 2; part++) {
        pen->share = limberi_lanes_all(1);
        if (effect->gpu.share)
            effect->gpu.share(pen, slot, part);
        share[part] = pen->share;
    }
    limberi_lanes linear = -pen->gain[LIMBERI_LINEAR] * share[LIMBERI_LINEAR];
    limberi_gpu_put(pen, limberi_vectors_scale(shift, linear), share[LIMBERI_ANGULAR]);
    bends b = find_bends(pen, slot);
    limberi_gpu_put(pen, b.axis, b.rate);
}

// The bend of one of the two, and how much of it counts.
static bends find_slowing(const limberi_pack* p, limberi_gpu_pen* pen, uint32_t slot, limberi_lanes* share) {
    open_effect(p, pen, slot);
    bends b = find_bends(pen, slot);
    limberi_effects[slot]->gpu.share(pen, slot, LIMBERI_ANGULAR);
    *share = limberi_lanes_where(b.acts, pen->share);
    return b;
}

// Two bends about one axis; where the first is missing the second brings it.
static void put_slowing_pair(const limberi_pack* p, limberi_gpu_pen* pen, bool drag, bool follow) {
    const uint32_t* slots = p->slot_of[LIMBERI_GPU_SLOWING];
    const limberi_lanes zero = limberi_lanes_all(0);
    const bends none = {limberi_vectors_zero(), zero, {0, 0, 0, 0}};
    limberi_lanes drag_share = zero, follow_share = zero;
    bends a = drag ? find_slowing(p, pen, slots[0], &drag_share) : none;
    bends b = follow ? find_slowing(p, pen, slots[1], &follow_share) : none;
    if (follow)
        a.axis = limberi_vectors_select(drag_share == 0, b.axis, a.axis);
    limberi_gpu_put(pen, a.axis, a.rate);
    limberi_gpu_put(pen, limberi_vectors_of(drag_share, follow_share, b.rate), zero);
    pen->acts |= (drag_share != 0) | (follow_share != 0);
}

static void put_slowings(const limberi_pack* p, limberi_gpu_pen* pen) {
    bool twice = p->kinds & LIMBERI_KIND_SLOWING_TWICE;
    put_slowing_pair(p, pen, true, !twice);
    if (twice)
        put_slowing_pair(p, pen, false, true);
}

static void put_single(const limberi_pack* p, limberi_gpu_pen* pen, limberi_gpu_block block) {
    uint32_t slot = p->slot_of[block][0];
    open_effect(p, pen, slot);
    limberi_effects[slot]->gpu.put(pen, slot);
}

// A source has its own gains, or gains of 1, and those of its joints; the strength is that of the effect that reads it.
static void put_sources(const limberi_pack* p, limberi_gpu_pen* pen) {
    for (uint32_t rest = p->sources; rest; rest &= rest - 1) {
        uint32_t slot = limberi_lowest_bit(rest);
        const limberi_effect* effect = limberi_effects[slot];
        limberi_lanes own[2];
        if (!pen->job->motion[slot]) {
            limberi_gpu_put_nothing(pen, effect->gpu.source_texels);
            continue;
        }
        limberi_gpu_set_motion(pen, pen->job->motion[slot]);
        limberi_gpu_joint_gains(pen, p->slots[slot].own, own);
        for (uint32_t part = 0; part < 2; part++)
            pen->gain[part] = p->sources_own >> slot & 1 ? limberi_gpu_gain(&p->slots[slot], own, part) : own[part];
        if (effect->gpu.put_source)
            effect->gpu.put_source(pen, slot);
        else
            put_bend_source(pen, slot);
    }
}

// --- rows ---

// Everything but what is affine.
static void put_pen(const limberi_pack* p, limberi_gpu_pen* pen) {
    const limberi_mask nobody = {0, 0, 0, 0};
    pen->acts = nobody;
    pen->out = p->pen_texels;
    limberi_gpu_put(pen, pen->position, limberi_lanes_all(0));
    if (p->kinds & LIMBERI_KIND_TURN)
        put_turns(p, pen);
    if (p->kinds & LIMBERI_KIND_SLOWING)
        put_slowings(p, pen);
    if (p->kinds & LIMBERI_KIND_TRAVEL)
        put_single(p, pen, LIMBERI_GPU_TRAVEL);
    if (p->kinds & LIMBERI_KIND_SPIN)
        put_single(p, pen, LIMBERI_GPU_SPIN);
    if (p->kinds & LIMBERI_KIND_LIFT)
        put_single(p, pen, LIMBERI_GPU_LIFT);
    if (p->kinds & LIMBERI_KIND_OVERLAP)
        put_single(p, pen, LIMBERI_GPU_OVERLAP);
    put_sources(p, pen);
}

// One of the pen's joints; `above` is the row of the joint that acts above it.
static void copy_row(const limberi_pack* p, uint32_t joint, uint32_t lane, int32_t above, float* out) {
    const float* from = p->pen_texels + 4 * (size_t)lane;
    uint32_t texels = p->joint_texels - (p->chain ? p->fold_texels : 0);
    memcpy(out, from, 4 * sizeof *out);
    out[3] = (float)above;
    out += 4;
    if (p->chain)
        out = limberi_pack_put_folds(p, true, joint, 0, out);
    for (uint32_t t = 1; t < texels; t++, out += 4)
        memcpy(out, from + 4 * LIMBERI_PEN_JOINTS * (size_t)t, 4 * sizeof *out);
}

// The rows of a pen's joints that act, and where each joint's chain of them starts, itself or above.
static uint32_t copy_rows(limberi_pack* p, const limberi_gpu_pen* pen, uint32_t first, float* out) {
    for (uint32_t i = 0; i < pen->count; i++) {
        uint32_t j = pen->joints[i];
        int32_t parent = p->model->rig.parents[j], above = parent < 0 ? -1 : p->rows[parent];
        bool folds = p->chain && (p->deformer->frame.folded[j] & ~(1u << LIMBERI_FOLD_VELOCITY));
        p->rows[j] = above;
        if (!pen->acts[i] && !folds)
            continue;
        copy_row(p, j, i, above, out + 4 * (size_t)first);
        p->rows[j] = (int32_t)first;
        first += p->joint_texels;
    }
    return first;
}

uint32_t limberi_pack_put_joints(limberi_pack* p, bool moves, uint32_t first, float* out) {
    for (uint32_t j = 0; !moves && j < p->model->rig.joint_count; j++)
        p->rows[j] = -1;
    if (!moves)
        return first;
    if (!p->placed)
        limberi_gpu_place(p->deformer, p->pens);
    open_slots(p);
    for (uint32_t i = 0; i < limberi_gpu_pen_count(p->model); i++) {
        p->pens[i].puts_sources = p->sources != 0;
        put_pen(p, &p->pens[i]);
        first = copy_rows(p, &p->pens[i], first, out);
    }
    return first;
}
