// The scalar reference kernels of both skinning methods.
#ifndef LIMBERI_SKIN_KERNELS_H
#define LIMBERI_SKIN_KERNELS_H

#include <limber/stages/skin.h>

void limberi_skin_linear(const limber_skin_job* job, uint32_t first, uint32_t end);
void limberi_skin_dualquat(const limber_skin_job* job, uint32_t first, uint32_t end);

// Sum of the palette's matrices by the weights of one vertex: three rows of four.
void limberi_skin_blend(const limber_mesh* mesh, const limber_mat4* palette, uint32_t vertex, float* rows);

// Transforms a normal by the cofactors of a 3x3 matrix given as rows of four, which stays right under uneven scale.
limber_vec3 limberi_skin_normal(const float* rows, limber_vec3 normal);

#endif
