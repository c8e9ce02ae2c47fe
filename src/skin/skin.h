// Kernels of skinning, and the motion of morph targets.
#ifndef LIMBERI_SKIN_H
#define LIMBERI_SKIN_H

#include <limber/stages/skin.h>

// --- the scalar reference kernels of both skinning methods ---

void limberi_skin_linear(const limber_skin_job* job, uint32_t first, uint32_t end);
void limberi_skin_dualquat(const limber_skin_job* job, uint32_t first, uint32_t end);

// Sum of the palette's matrices by the weights of one vertex: three rows of four.
void limberi_skin_blend(const limber_mesh* mesh, const limber_mat4* palette, uint32_t vertex, float* rows);

// Transforms a normal by the cofactors of a 3x3 matrix given as rows of four, which stays right under uneven scale.
limber_vec3 limberi_skin_normal(const float* rows, limber_vec3 normal);

// --- effects of morph targets that move: drag and squash of the vertices they move (thesis, section 7.2, open there). They
// act on the morphed mesh before it is skinned ---

typedef struct limberi_morph_job {
    const limber_mesh* mesh;
    const float* rates;     // [morph_count] of the mesh's weights, per second
    const float* positions; // morphed
    limber_morph_settings settings;
    double size; // L in the mesh's units
} limberi_morph_job;

static inline bool limberi_morphs_are_on(const limber_morph_settings* settings) {
    return settings->drag != 0 || settings->squash != 0;
}

// Positions where the vertices are shown; false: no weight changes, and nothing is written. `out` is not `positions`.
bool limberi_morph_move(const limberi_morph_job* job, float* out);

#endif
