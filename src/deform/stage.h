// Deforming group by group (asset/groups.h): begin a frame, then any groups in any order, by any number of threads.
#ifndef LIMBERI_DEFORM_STAGE_H
#define LIMBERI_DEFORM_STAGE_H

#include "asset/groups.h"
#include "base/memory.h"
#include "base/variant.h"
#include "deform/normals/averager.h"
#include "deform/normals/split.h"
#include "deform/slots.h"
#include "motion/time_filter.h"

typedef struct limberi_block_values {
    float v[LIMBERI_VALUES][LIMBER_BLOCK];
} limberi_block_values;

// A joint that acts on a group, and the vertices' upward weights on it.
typedef struct limberi_chain_link {
    uint32_t joint;
    const float* weight;
} limberi_chain_link;

// What a thread needs while it works on groups.
typedef struct limberi_deform_scratch {
    limberi_block_values* values;        // [slot]
    limberi_block_values* source_values; // [slot]
    float* sums;                         // upward weights, see limberi_group_sums
    limberi_chain_link* links;           // [joint] where joints are composed as a chain
} limberi_deform_scratch;

// A deformer of the same character as `other` (NULL: none), from which it borrows what does not depend on the settings.
// The new one inherits that, and then outlives the other; or it is destroyed before it. They do not run at once, unless
// the new one is a clone, which inherits nothing and is destroyed first.
LIMBER_MUST_USE limber_result limberi_deformer_create_beside(const limber_asset* asset,
                                                             const limber_deform_settings* settings,
                                                             const limber_deformer* other, bool clone,
                                                             limber_deformer** deformer, limber_error* error);
void limberi_deformer_inherit(limber_deformer* deformer, limber_deformer* from);

bool limberi_scratch_allocate(limberi_arena* arena, const limber_deformer* deformer, limberi_deform_scratch* scratch);
// False: nothing moves, the skinned vertices are the result.
bool limberi_deform_begin(limber_deformer* deformer, const limber_deform_job* job);
// Adds the displacements to `position`; with `jacobian` turns `normal` along. `normal` may be NULL when neither
// formulas nor lift need it; `lift_normal` NULL: lift takes the same. False: nothing moves this group, and nothing was
// touched.
bool limberi_deform_group(const limber_deformer* deformer, uint32_t mesh, uint32_t group,
                          limberi_deform_scratch* scratch, limberi_block3* position, limberi_block3* normal,
                          const limberi_block3* lift_normal, bool jacobian);
// How far limberi_deform_group moves vertices of a group that are in a box, along each axis, at most. False: nobody knows.
bool limberi_deform_group_reach(const limber_deformer* deformer, uint32_t mesh, uint32_t group,
                                limberi_deform_scratch* scratch, const float middle[3], const float half[3],
                                float reach[3]);
// Of the style in this frame.
float limberi_deform_strength(const limber_deformer* deformer, const limber_deform_job* job);
// Whether some effect reads the skinned normals; `lift_has_own`: lift gets normals of its own.
bool limberi_deform_reads_normals(const limber_deformer* deformer, bool lift_has_own);
// Whether some effect reads the motion before all filters: itself, in a formula, or for want of filters; `filtered`: bit per
// slot that has some.
bool limberi_deform_reads_plain(const limber_deformer* deformer, uint32_t filtered);
// Points where lift takes one normal for several vertices (normals/split.h); NULL: nowhere.
const limberi_split_normals* limberi_deform_split(const limber_deformer* deformer);

// The same deformer over other groups, such as those of a few vertices. `of` and the groups must outlive it.
typedef struct limberi_deform_subset limberi_deform_subset;

LIMBER_MUST_USE limber_result limberi_deform_subset_create(const limber_deformer* of,
                                                           const struct limberi_groups* const* groups,
                                                           limberi_deform_subset** subset);
void limberi_deform_subset_destroy(limberi_deform_subset* subset);
// Layers of the model have other values.
void limberi_deform_subset_repaint(limberi_deform_subset* subset);
// After limberi_deform_begin of the other: what limberi_deform_group takes for this frame, by one thread.
const limber_deformer* limberi_deform_subset_begin(limberi_deform_subset* subset, limberi_deform_scratch** scratch);

// Averaged normals, once positions are known and moved groups are marked (normals/averager.h); NULL: none.
limberi_averager* limberi_deformer_averager(const limber_deformer* deformer);
// Where no effect is on there are none, unless a later stage moves vertices and asks for them.
LIMBER_MUST_USE limber_result limberi_deformer_create_averager(limber_deformer* deformer, const limber_asset* asset,
                                                               const limber_deformer* other, bool clone);
// The model's layer has other values: the deformer is then as if it had been made with them.
void limberi_deformer_layer_changed(limber_deformer* deformer, uint32_t mesh, uint32_t layer);

// The filters that an effect's motion takes, with its gate; `size`: L.
limberi_filters limberi_slot_filters(const limber_deform_settings* settings, uint32_t slot, float size);
// Effects with gates that add up to the whole acceleration: equal in all they have, and filtered. Bit per slot, 0: none.
uint32_t limberi_slots_that_add_up(const limber_deform_settings* settings, uint32_t joint_count);

// Which build of the kernels runs; the best one by default.
void limberi_deform_use(limber_deformer* deformer, limberi_variant variant);

#endif
