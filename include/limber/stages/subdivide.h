// limber/stages/subdivide.h: more triangles where elongation would tear a coarse mesh.
//
// An edge whose ends are displaced differently gets longer. Where the difference exceeds a threshold in any frame, the
// edge is split in the middle, and so is every other edge between the same two places (both sides of a seam, two meshes
// that touch), so that no cracks open. The result is a character with the same joints, clips and meshes; attributes,
// weights, layers and morph targets of a new vertex are half way between those of the edge's ends.
//
//     limber_subdivider* subdivider;
//     limber_error error;
//     if (limber_subdivider_create(asset, &subdivider, &error) != LIMBER_OK)
//         return 1;
//     limber_subdivider_see(subdivider, deformed, smeared); // every frame that will be shown
//     limber_asset* subdivided;
//     if (limber_subdivider_split(subdivider, 0.02f, LIMBER_SMEAR_TRIANGLES, &subdivided, &error) == LIMBER_OK)
//         limber_asset_destroy(subdivided); // NULL: no edge needs it
//     limber_subdivider_destroy(subdivider);
//
// All frames share one topology, so all of them have to be seen first. limber_pipeline_subdivide does that for clips.
#ifndef LIMBER_STAGES_SUBDIVIDE_H
#define LIMBER_STAGES_SUBDIVIDE_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMBER_SMEAR_TRIANGLES 500000u // limber_pipeline_subdivide stops here, unless the character has more already
#define LIMBER_SMEAR_INFLUENCES 8u     // max joints of a new vertex; the ends of the edge may have more

// What is known of edges that tear.
typedef struct limber_subdivider limber_subdivider;

// The asset must outlive it.
LIMBER_API LIMBER_MUST_USE limber_result limber_subdivider_create(const limber_asset* asset,
                                                                  limber_subdivider** subdivider, limber_error* error);
LIMBER_API void limber_subdivider_destroy(limber_subdivider* subdivider);

// A frame before and after elongation, 3 per vertex of all meshes.
LIMBER_API void limber_subdivider_see(limber_subdivider* subdivider, const float* before, const float* after);

// Splits once every edge whose ends were displaced differently by more than `threshold` (in L); when that would make
// more than `triangle_limit` triangles, only the worst edges. *subdivided is NULL when no edge is split.
LIMBER_API LIMBER_MUST_USE limber_result limber_subdivider_split(limber_subdivider* subdivider, float threshold,
                                                                 uint32_t triangle_limit, limber_asset** subdivided,
                                                                 limber_error* error);

#ifdef __cplusplus
}
#endif

#endif
