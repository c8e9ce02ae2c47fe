// What joints do one by one, as rows of texels: four joints side by side, then those of them that act, one after another.
#include "base/bits.h"
#include "deform/gpu_rows.h"
#include "gpu/packing.h"

#include <string.h>

// --- effects ---

// The multiplier of a turn's angle: how much of it is twist, and what twist and bend count.
static limberi_lanes mixture(const limberi_joint_quad* quad, uint32_t slot, const limberi_turns* turn) {
    return turn->twist * limberi_gpu_constant(quad, slot, LIMBERI_VALUE_TWIST) +
           (1 - turn->twist) * limberi_gpu_constant(quad, slot, LIMBERI_VALUE_BEND);
}

// --- blocks ---

// Where nothing is squashed any direction across the axis will do.
static limberi_vectors3 any_across(limberi_vectors3 axis) {
    limberi_lanes zero = limberi_lanes_all(0);
    limberi_lanes one = limberi_lanes_all(1);
    limberi_mask along = limberi_lanes_less(limberi_lanes_abs(axis.x), limberi_lanes_all(0.6f));
    limberi_vectors3 helper =
        limberi_vectors_of(limberi_lanes_where(along, one), limberi_lanes_where(~along, one), zero);
    return limberi_vectors_normalize(limberi_vectors_cross(helper, axis));
}

static void put_turn(limberi_joint_quad* quad, const uint32_t* slots, limberi_lanes bend, limberi_lanes squash) {
    const limberi_turns* turn = limberi_gpu_turns(quad, false);
    limberi_lanes rate = -mixture(quad, slots[0], turn) * bend * turn->speed / quad->d->size;
    limberi_squash_planes q =
        limberi_gpu_squash_planes(quad, turn->speed, limberi_gpu_constant(quad, slots[1], LIMBERI_VALUE_FADE));
    limberi_lanes max = limberi_lanes_all(limberi_gpu_constant(quad, slots[1], LIMBERI_VALUE_MAX_SQUASH));
    limberi_lanes squash_rate = limberi_lanes_where(q.is_there, q.share * squash * turn->speed / quad->d->size);
    limberi_vectors3 m = quad->medial_axis;
    if (limberi_lanes_any(~q.is_there)) {
        q.e = limberi_vectors_select(q.is_there, q.e, any_across(turn->axis));
        q.z = limberi_vectors_select(q.is_there, q.z, turn->axis);
        m = limberi_vectors_cross(q.z, q.e);
    }
    limberi_vectors3 second = limberi_vectors_cross(turn->axis, q.e);
    second = limberi_vectors_of(limberi_vectors_dot(second, q.z), limberi_vectors_dot(second, m),
                                limberi_gpu_center(quad, slots[1]));
    rate = limberi_lanes_where(turn->turns, rate);
    limberi_gpu_put(quad, limberi_vectors_where(turn->turns, q.e), rate);
    limberi_gpu_put(quad, limberi_vectors_where(turn->turns, second), squash_rate);
    limberi_gpu_put(quad, limberi_vectors_where(turn->turns, q.z), limberi_lanes_where(turn->turns, max));
    quad->acts |= (rate != 0) | (squash_rate != 0);
}

// Where one of the two does not turn, the motion is that of the other.
static void put_turns(const limberi_pack* p, limberi_joint_quad* quad) {
    const uint32_t* slots = p->slot_of[LIMBERI_GPU_TURN];
    const limberi_gpu_slot* first = &p->slots[slots[0]];
    const limberi_lanes zero = limberi_lanes_all(0);
    bool twice = p->kinds & LIMBERI_KIND_TURN_TWICE;
    limberi_gpu_open(quad, &p->slots[slots[0]]);
    limberi_lanes bend = quad->gain[LIMBERI_ANGULAR];
    if (twice)
        put_turn(quad, slots, bend, zero);
    limberi_gpu_open(quad, &p->slots[slots[1]]);
    if (!twice && first->motion && first->constant[LIMBERI_ANGULAR] != 0)
        limberi_gpu_set_motion(quad, first->motion);
    put_turn(quad, slots, twice ? zero : bend, quad->gain[LIMBERI_ANGULAR]);
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

static bends find_bends(limberi_joint_quad* quad, uint32_t slot) {
    const limberi_turns* turn = limberi_gpu_turns(quad, by_acceleration(slot));
    limberi_lanes gain = quad->gain[LIMBERI_ANGULAR];
    limberi_lanes mixed = mixture(quad, slot, turn);
    limberi_mask turns = turn->turns & (gain != 0);
    bends b = {limberi_vectors_where(turns, turn->axis),
               limberi_lanes_where(turns, -mixed * gain * turn->speed / quad->d->size), turns & (mixed != 0)};
    return b;
}

static void put_bend_source(limberi_joint_quad* quad, uint32_t slot) {
    const limberi_effect* effect = limberi_slot_effect(slot);
    limberi_vectors3 shift = by_acceleration(slot) ? quad->acceleration : quad->velocity;
    limberi_lanes share[2];
    for (uint32_t part = 0; part < 2; part++) {
        quad->share = limberi_lanes_all(1);
        if (effect->gpu.share)
            effect->gpu.share(quad, slot, part);
        share[part] = quad->share;
    }
    limberi_lanes linear = -quad->gain[LIMBERI_LINEAR] * share[LIMBERI_LINEAR];
    limberi_gpu_put(quad, limberi_vectors_scale(shift, linear), share[LIMBERI_ANGULAR]);
    bends b = find_bends(quad, slot);
    limberi_gpu_put(quad, b.axis, b.rate);
}

// The bend of one of the two, and how much of it counts.
static bends find_slowing(const limberi_pack* p, limberi_joint_quad* quad, uint32_t slot, limberi_lanes* share) {
    limberi_gpu_open(quad, &p->slots[slot]);
    bends b = find_bends(quad, slot);
    limberi_effects[slot]->gpu.share(quad, slot, LIMBERI_ANGULAR);
    *share = limberi_lanes_where(b.acts, quad->share);
    return b;
}

// Two bends about one axis; where the first is missing the second brings it.
static void put_slowing_pair(const limberi_pack* p, limberi_joint_quad* quad, bool drag, bool follow) {
    const uint32_t* slots = p->slot_of[LIMBERI_GPU_SLOWING];
    const limberi_lanes zero = limberi_lanes_all(0);
    const bends none = {limberi_vectors_zero(), zero, {0, 0, 0, 0}};
    limberi_lanes drag_share = zero;
    limberi_lanes follow_share = zero;
    bends a = drag ? find_slowing(p, quad, slots[0], &drag_share) : none;
    bends b = follow ? find_slowing(p, quad, slots[1], &follow_share) : none;
    if (follow)
        a.axis = limberi_vectors_select(drag_share == 0, b.axis, a.axis);
    limberi_gpu_put(quad, a.axis, a.rate);
    limberi_gpu_put(quad, limberi_vectors_of(drag_share, follow_share, b.rate), zero);
    quad->acts |= (drag_share != 0) | (follow_share != 0);
}

static void put_single(const limberi_pack* p, limberi_joint_quad* quad, limberi_gpu_block block) {
    uint32_t slot = p->slot_of[block][0];
    limberi_gpu_open(quad, &p->slots[slot]);
    limberi_effects[slot]->gpu.put(quad, slot);
}

// A source has its own gains, or gains of 1, and those of its joints; the strength is that of the effect that reads it.
static void put_sources(const limberi_pack* p, limberi_joint_quad* quad) {
    for (uint32_t rest = p->sources; rest; rest &= rest - 1) {
        uint32_t slot = limberi_lowest_bit(rest);
        const limberi_effect* effect = limberi_effects[slot];
        limberi_lanes own[2];
        if (!quad->job->motion[slot]) {
            limberi_gpu_put_nothing(quad, effect->gpu.source_texels);
            continue;
        }
        limberi_gpu_set_motion(quad, quad->job->motion[slot]);
        limberi_gpu_joint_gains(quad, p->slots[slot].own, own);
        for (uint32_t part = 0; part < 2; part++)
            quad->gain[part] = p->sources_own >> slot & 1 ? limberi_gpu_gain(&p->slots[slot], own, part) : own[part];
        if (effect->gpu.put_source)
            effect->gpu.put_source(quad, slot);
        else
            put_bend_source(quad, slot);
    }
}

// --- rows ---

// Everything but what is affine.
static void put_pen(const limberi_pack* p, limberi_joint_quad* quad) {
    const limberi_mask nobody = {0, 0, 0, 0};
    quad->acts = nobody;
    quad->out = p->quad_texels;
    limberi_gpu_put(quad, quad->position, limberi_lanes_all(0));
    if (p->kinds & LIMBERI_KIND_TURN)
        put_turns(p, quad);
    if (p->kinds & LIMBERI_KIND_SLOWING) {
        bool twice = p->kinds & LIMBERI_KIND_SLOWING_TWICE;
        put_slowing_pair(p, quad, true, !twice);
        if (twice)
            put_slowing_pair(p, quad, false, true);
    }
    if (p->kinds & LIMBERI_KIND_TRAVEL)
        put_single(p, quad, LIMBERI_GPU_TRAVEL);
    if (p->kinds & LIMBERI_KIND_SPIN)
        put_single(p, quad, LIMBERI_GPU_SPIN);
    if (p->kinds & LIMBERI_KIND_LIFT)
        put_single(p, quad, LIMBERI_GPU_LIFT);
    if (p->kinds & LIMBERI_KIND_OVERLAP)
        put_single(p, quad, LIMBERI_GPU_OVERLAP);
    put_sources(p, quad);
}

// One of the quad's joints; `above` is the row of the joint that acts above it.
static void copy_row(const limberi_pack* p, uint32_t joint, uint32_t lane, int32_t above, float* out) {
    const float* from = p->quad_texels + 4 * (size_t)lane;
    uint32_t texels = p->joint_texels - (p->chain ? p->fold_texels : 0);
    memcpy(out, from, 4 * sizeof *out);
    out[3] = (float)above;
    out += 4;
    if (p->chain)
        out = limberi_pack_put_folds(p, true, joint, 0, out);
    for (uint32_t t = 1; t < texels; t++, out += 4)
        memcpy(out, from + 4 * LIMBERI_QUAD_JOINTS * (size_t)t, 4 * sizeof *out);
}

// The rows of a quad's joints that act, and where each joint's chain of them starts, itself or above.
static uint32_t copy_rows(limberi_pack* p, const limberi_joint_quad* quad, uint32_t first, float* out) {
    for (uint32_t i = 0; i < quad->count; i++) {
        uint32_t j = quad->joints[i];
        int32_t parent = p->model->rig.hangs_on[j];
        int32_t above = parent < 0 ? -1 : p->rows[parent];
        bool folds = p->chain && (p->deformer->frame.folded[j] & ~(1u << LIMBERI_FOLD_VELOCITY));
        p->rows[j] = above;
        if (!quad->acts[i] && !folds)
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
        limberi_gpu_place(p->deformer, p->quads);
    for (uint32_t slot = 0; slot < LIMBERI_PACK_EFFECTS; slot++) {
        p->slots[slot] = limberi_gpu_slot_of(p->deformer, slot);
        for (uint32_t part = 0; part < 2; part++)
            p->slots[slot].scale[part] = limberi_pack_column_scale(p, slot, part);
    }
    for (uint32_t i = 0; i < limberi_quad_count(p->model); i++) {
        p->quads[i].puts_sources = p->sources != 0;
        put_pen(p, &p->quads[i]);
        first = copy_rows(p, &p->quads[i], first, out);
    }
    return first;
}
