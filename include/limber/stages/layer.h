// limber/stages/layer.h: layers that paint themselves: thin parts, height, distance from a joint, formulas, and smoothing.
//
// A layer is a number per vertex in [-1, 1] that scales an effect where an artist wants more or less of it. These
// functions fill one for the whole character, so that values of different meshes can be compared:
//
//     const limber_model* model = limber_asset_model(asset);
//     float* values = malloc(model->vertex_count * sizeof *values);  // all meshes, one after the other
//     if (limber_layer_thickness(model, values, &error) != LIMBER_OK ||
//         limber_layer_smooth(model, 3, values, &error) != LIMBER_OK) ...
//     const float* of_mesh = values + model->meshes[m].first_vertex;
//
// All of them look at the rest pose only, and depend neither on the character's place and size nor on the order of its
// vertices. Vertices at the same place get the same value, however a mesh is cut for its textures. `model` is one that
// limber_asset_create completed. Memory is taken for the time of the call; running short of it is the one thing that
// can go wrong where nothing else is said.
#ifndef LIMBER_STAGES_LAYER_H
#define LIMBER_STAGES_LAYER_H

#include <limber/asset.h>
#include <limber/stages/expression.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMBER_LAYER_NAME_LENGTH 63u // characters

// Letters, digits and underscores. Case does not count: files hold names in upper case, limber shows lower case.
LIMBER_API bool limber_layer_name_is_valid(const char* name);

// 1 where the character is thinnest, 0 where it is thickest (VS Fig. 11): the shape diameter, which is how far it is
// through the body to the other side. A character as thick everywhere as anywhere, or without triangles, is 1 all over.
LIMBER_API LIMBER_MUST_USE limber_result limber_layer_thickness(const limber_model* model, float* values,
                                                                limber_error* error);

// 0 at the lowest point of the rest pose, 1 at the highest.
LIMBER_API LIMBER_MUST_USE limber_result limber_layer_height(const limber_model* model, float* values,
                                                             limber_error* error);

// 0 around a joint, 1 at the vertex farthest from it along the surface. Pieces that hang on nothing (eyes, buttons)
// continue from the nearest point of the surface that the joint's own piece has.
LIMBER_API LIMBER_MUST_USE limber_result limber_layer_joint_distance(const limber_model* model, uint32_t joint,
                                                                     float* values, limber_error* error);

// What a formula for a layer may use: everything but `speed` and `offset`, which a still character does not have.
LIMBER_API limber_expression_scope limber_layer_scope(void);

// A formula, cut off at [-1, 1]; t, frame and phase are 0. A paint.<layer> that no mesh has is an error that suggests
// the nearest; one that only some meshes have counts as 1 on the others.
LIMBER_API LIMBER_MUST_USE limber_result limber_layer_evaluate(const limber_model* model,
                                                               const limber_expression* expression, float* values,
                                                               limber_error* error);

// Spreads values over the surface: each pass moves every vertex half way to the mean of its neighbours, near ones
// counting more. Stays within the range of the values, and a layer that is the same everywhere does not change.
LIMBER_API LIMBER_MUST_USE limber_result limber_layer_smooth(const limber_model* model, uint32_t passes, float* values,
                                                             limber_error* error);

#ifdef __cplusplus
}
#endif

#endif
