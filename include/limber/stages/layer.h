// limber/stages/layer.h: automatic layers: thickness, height, distance from a joint, formulas, and smoothing.
//
// A layer is a number per vertex in [-1, 1] that scales an effect where an artist wants more or less of it. These
// functions fill one for the whole character at once, so that the values of different meshes are comparable:
//
//     float* values = malloc(model->vertex_count * sizeof *values); // all meshes, one after the other
//     limber_error error;
//     if (limber_layer_thickness(model, values, &error) != LIMBER_OK ||
//         limber_layer_smooth(model, 3, values, &error) != LIMBER_OK)
//         fprintf(stderr, "%s\n", error.message);
//     printf("first vertex of mesh 1: %g\n", values[model->meshes[1].first_vertex]);
//     free(values);
//
// They look at the rest pose only. The result does not depend on the character's position, scale or vertex order, and
// vertices at the same place get the same value, however texture seams cut the mesh. `model` must come from
// limber_asset_model. The only possible failure is LIMBER_ERROR_MEMORY unless stated otherwise.
#ifndef LIMBER_STAGES_LAYER_H
#define LIMBER_STAGES_LAYER_H

#include <limber/asset.h>
#include <limber/stages/expression.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMBER_LAYER_NAME_LENGTH 63u // max characters

// Letters, digits and underscores, case-insensitive: files hold upper case, limber shows lower case.
LIMBER_API bool limber_layer_name_is_valid(const char* name);

// 1 where the character is thinnest, 0 where it is thickest (velocity skinning, figure 11), measured by the shape
// diameter: the distance through the body to the other side. A uniformly thick character, or one without triangles, is
// 1 everywhere.
LIMBER_API LIMBER_MUST_USE limber_result limber_layer_thickness(const limber_model* model, float* values,
                                                                limber_error* error);

// 0 at the lowest point of the rest pose, 1 at the highest.
LIMBER_API LIMBER_MUST_USE limber_result limber_layer_height(const limber_model* model, float* values,
                                                             limber_error* error);

// 0 around a joint, 1 at the vertex farthest from it along the surface. Separate pieces (eyes, buttons) continue from
// the nearest point of the piece that the joint moves.
LIMBER_API LIMBER_MUST_USE limber_result limber_layer_joint_distance(const limber_model* model, uint32_t joint,
                                                                     float* values, limber_error* error);

// 0 on a character without a skirt, and at the joint that carries the legs; 1 at the hem. A skirt is what hangs below
// that joint and ends in a hem around two legs: a border of the surface, or the lowest rim of a piece. It gets wider
// downwards, and nothing closes it below.
LIMBER_API LIMBER_MUST_USE limber_result limber_layer_skirt(const limber_model* model, float* values, bool* found,
                                                            limber_error* error);

// What the formula of a layer may use: everything but `speed` and `offset`, which need motion.
LIMBER_API limber_expression_scope limber_layer_scope(void);

// A formula, clamped to [-1, 1]; t, frame and phase are 0. A paint.<layer> that no mesh has is LIMBER_ERROR_DATA and
// the error suggests the nearest name; a mesh that lacks a layer which others have counts as 1.
LIMBER_API LIMBER_MUST_USE limber_result limber_layer_evaluate(const limber_model* model,
                                                               const limber_expression* expression, float* values,
                                                               limber_error* error);

// Smooths values over the surface: each pass moves every vertex half way to the mean of its neighbors, weighted by how
// near they are. Values stay within their range, and a uniform layer does not change.
LIMBER_API LIMBER_MUST_USE limber_result limber_layer_smooth(const limber_model* model, uint32_t passes, float* values,
                                                             limber_error* error);

#ifdef __cplusplus
}
#endif

#endif
