// What is affine in p, summed along the hierarchy for those who move the vertices themselves: what the plans of effects
// fold for the kernels, four joints side by side, and to the same bits.
#include "deform/gpu_rows.h"

#include <string.h>

// Effects that fold, and what they do at four joints.
typedef struct fold_plan {
    uint32_t count, slots[LIMBER_EFFECT_COUNT], palettes[LIMBER_EFFECT_COUNT];
    uint32_t palette_count, used[LIMBERI_FOLD_COUNT]; // palettes of the deformer, without that of velocities
    limberi_gpu_slot seen[LIMBER_EFFECT_COUNT];
    limberi_gpu_fold folds[LIMBER_EFFECT_COUNT];
} fold_plan;

static bool slot_folds(const limber_deformer* d, uint32_t slot) {
    const limber_number gains[2] = {d->settings.effects[slot].linear, d->settings.effects[slot].angular};
    if (!limberi_slot_is_on(d, slot) || d->plans[slot].scalar)
        return false;
    for (uint32_t part = 0; part < 2; part++)
        if ((gains[part].expression || gains[part].value != 0) && limberi_part_is_folded(d, slot, part))
            return true;
    return false;
}

bool limberi_deform_can_fold(const limber_deformer* d) {
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        if (!limberi_effects[slot]->fold && slot_folds(d, slot))
            return false;
    return true;
}

static void open_plan(const limber_deformer* d, fold_plan* plan) {
    plan->count = plan->palette_count = 0;
    for (uint32_t palette = 0; palette < LIMBERI_FOLD_VELOCITY; palette++)
        if (d->frame.palettes[palette])
            plan->used[plan->palette_count++] = palette;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++) {
        if (!d->frame.job.motion[slot] || !slot_folds(d, slot))
            continue;
        plan->slots[plan->count] = slot;
        plan->palettes[plan->count] = d->plans[slot].fold;
        plan->seen[plan->count++] = limberi_gpu_slot_of(d, slot);
    }
}

// A palette starts as that of the parent; in a chain every joint acts by itself. Returns the bit of the palette where the
// joint adds to it.
static uint32_t add_up(const limber_deformer* d, const fold_plan* plan, uint32_t palette, uint32_t joint,
                       uint32_t lane) {
    const limberi_deform_frame* f = &d->frame;
    int32_t parent = limberi_is_chain(d) ? -1 : d->model->rig.parents[joint];
    float* to = f->palettes[palette] + 12 * (size_t)joint;
    uint32_t folded = 0;
    limberi_lanes sum[3] = {limberi_lanes_all(0), limberi_lanes_all(0), limberi_lanes_all(0)};
    for (int i = 0; parent >= 0 && i < 3; i++)
        sum[i] = limberi_lanes_load(f->palettes[palette] + 12 * (size_t)parent + 4 * i);
    for (uint32_t n = 0; n < plan->count; n++) {
        const limberi_gpu_fold* fold = &plan->folds[n];
        if (!fold->acts[lane] || plan->palettes[n] != palette)
            continue;
        folded = 1u << palette;
        sum[2] += limberi_lanes_load(fold->m[lane] + 8);
        for (int i = 0; fold->matrix && i < 2; i++)
            sum[i] += limberi_lanes_load(fold->m[lane] + 4 * i);
    }
    for (int i = 0; i < 3; i++)
        limberi_lanes_store(to + 4 * i, sum[i]);
    return folded;
}

static void add_joint(limber_deformer* d, const fold_plan* plan, uint32_t joint, uint32_t lane) {
    limberi_deform_frame* f = &d->frame;
    int32_t parent = d->model->rig.parents[joint];
    uint32_t folded = parent < 0 ? 0 : f->folded[parent];
    if (limberi_is_chain(d))
        folded &= 1u << LIMBERI_FOLD_VELOCITY;
    for (uint32_t i = 0; i < plan->palette_count; i++)
        folded |= add_up(d, plan, plan->used[i], joint, lane);
    f->folded[joint] = (uint16_t)folded;
    float* velocity = f->palettes[LIMBERI_FOLD_VELOCITY];
    if (velocity) {
        memset(velocity + 12 * (size_t)joint, 0, 12 * sizeof *velocity);
        if (parent >= 0)
            memcpy(velocity + 12 * (size_t)joint, velocity + 12 * (size_t)parent, 12 * sizeof *velocity);
        limberi_fold_velocity(d, joint);
    }
    f->folds |= f->folded[joint];
}

static void fold_pen(limber_deformer* d, fold_plan* plan, limberi_gpu_pen* pen) {
    for (uint32_t n = 0; n < plan->count; n++) {
        pen->fold = &plan->folds[n];
        limberi_gpu_open(pen, &plan->seen[n]);
        limberi_effects[plan->slots[n]]->fold(pen, plan->slots[n]);
    }
    for (uint32_t i = 0; i < pen->count; i++)
        add_joint(d, plan, pen->joints[i], i);
}

bool limberi_deform_begin_folds(limber_deformer* d, const limber_deform_job* job, limberi_gpu_pen* pens) {
    fold_plan plan;
    if (!limberi_deform_open(d, job))
        return false;
    limberi_gpu_place(d, pens);
    open_plan(d, &plan);
    for (uint32_t i = 0; i < limberi_gpu_pen_count(d->model); i++)
        fold_pen(d, &plan, &pens[i]);
    d->frame.moves = true;
    return true;
}
