// Deforming group by group (asset/groups.h): begin a frame, then any groups in any order, by any number of threads.
#ifndef LIMBERI_DEFORM_GROUP_H
#define LIMBERI_DEFORM_GROUP_H

#include "asset/groups.h"
#include "base/variant.h"
#include <limber/stages/deform.h>

// Numbers of an effect that may be formulas, in the order of limberi_block_values.
enum { VALUE_LINEAR, VALUE_ANGULAR, VALUE_MAX_BEND, VALUE_TWIST, VALUE_BEND, VALUE_THRESHOLD, VALUE_COUNT };

typedef struct limberi_block_values {
    float v[VALUE_COUNT][LIMBER_BLOCK];
} limberi_block_values;

// What a thread needs while it works on groups.
typedef struct limberi_deform_scratch {
    limberi_block_values* values;        // [slot]
    limberi_block_values* source_values; // [slot]
    float* sums;                         // upward weights, see limberi_group_sums
} limberi_deform_scratch;

// A deformer of the same character as `other` (NULL: none), from which it borrows what does not depend on the settings.
// The new one inherits that, and then outlives the other; or it is destroyed before it. They do not run at once.
LIMBER_MUST_USE limber_result limberi_deformer_create_beside(const limber_asset* asset,
                                                             const limber_deform_settings* settings,
                                                             const limber_deformer* other, limber_deformer** deformer,
                                                             limber_error* error);
void limberi_deformer_inherit(limber_deformer* deformer, limber_deformer* from);

bool limberi_scratch_take(limberi_arena* arena, const limber_deformer* deformer, limberi_deform_scratch* scratch);
// False: nothing moves, the skinned vertices are the result.
bool limberi_deform_begin(limber_deformer* deformer, const limber_deform_job* job);
// Adds the displacements to `position`; with `jacobian` turns `normal` along. `normal` may be NULL when neither
// formulas nor lift need it. False: nothing moves this group, and nothing was touched.
bool limberi_deform_group(const limber_deformer* deformer, uint32_t mesh, uint32_t group,
                          limberi_deform_scratch* scratch, limberi_block3* position, limberi_block3* normal,
                          bool jacobian);
// Whether some effect reads the skinned normals.
bool limberi_deform_reads_normals(const limber_deformer* deformer);

// Averaged normals, when positions are known and it is said which groups moved: chunks of vertices, shared out among
// threads in any way.
void limberi_average_mark(const limber_deformer* deformer, uint32_t mesh, uint32_t group, bool moved);
uint32_t limberi_average_chunks(const limber_deformer* deformer);
void limberi_average_normals(const limber_deformer* deformer, const limber_deform_job* job, uint32_t first,
                             uint32_t end);
// All of them, as if every group had moved.
void limberi_average_everywhere(const limber_deformer* deformer, const limber_deform_job* job);

// Which build of the kernels runs; the best one by default.
void limberi_deform_use(limber_deformer* deformer, limberi_variant variant);

#endif
