// Where the vertices of one mesh lie on another one with the same skeleton, such as those of a level of detail.
#ifndef LIMBERI_BAKE_NEAREST_H
#define LIMBERI_BAKE_NEAREST_H

#include <limber/asset.h>

// For each vertex of `from` the vertex of `to` that is next to it on the surface there, in the rest pose, and how far that
// surface is, in L of `to`. Surface that hangs on other joints counts as farther: an arm beside the body is not the body.
// `joint_of`: [joint of `from`] the joint of `to`, UINT32_MAX: none. Without triangles in `to` all vertices are UINT32_MAX.
limber_result limberi_nearest_vertices(const limber_model* from, const limber_model* to, const uint32_t* joint_of,
                                       uint32_t* vertices, float* distances);

#endif
