// The whole skin as a few sums per joint, so that its middle and its mean speed come from the joints' matrices alone,
// exactly and whatever the number of vertices: a skinned vertex is linear in the matrices, and its square quadratic.
#ifndef LIMBERI_PERFORM_SKIN_SUMS_H
#define LIMBERI_PERFORM_SKIN_SUMS_H

#include "asset/asset.h"
#include "base/memory.h"
#include <limber/stages/pose.h>

// Matrices are 3 x 4, row by row, one per joint of every skin, all skins after each other ("slots").
typedef double limberi_slot_matrix[12];

typedef struct limberi_skin_pair {
    uint32_t a, b;       // slots of one skin, a <= b
    double products[10]; // area * weight a * weight b * p p^T of homogeneous p, upper triangle
} limberi_skin_pair;

typedef struct limberi_skin_sums {
    limberi_arena arena;
    const limber_model* model;
    uint32_t slot_count, pair_count;
    const uint32_t* first_slot; // [skin]
    double (*mean)[4];          // [slot] area * weight * homogeneous p; areas add up to 1
    limberi_skin_pair* pairs;
} limberi_skin_sums;

// NULL: not enough memory.
limberi_skin_sums* limberi_skin_sums_create(const limber_model* model);
void limberi_skin_sums_destroy(limberi_skin_sums* surface);

// The matrices of a pose that has world matrices.
void limberi_skin_sums_slots(const limberi_skin_sums* surface, const limber_pose* pose, limberi_slot_matrix* slots);
// The middle of the skin; of differences of matrices its displacement.
void limberi_skin_sums_middle(const limberi_skin_sums* surface, const limberi_slot_matrix* slots, double* middle);
// Mean square of the vertices' lengths; `slots` are differences, so vertices are displacements.
double limberi_skin_sums_square(const limberi_skin_sums* surface, const limberi_slot_matrix* slots);
// Mean of x y^T (row by row) over the vertices, x by the one and y by the other matrices.
void limberi_skin_sums_cross(const limberi_skin_sums* surface, const limberi_slot_matrix* x,
                             const limberi_slot_matrix* y, double* cross);
// Where one vertex (of all meshes) is.
void limberi_skin_sums_place(const limberi_skin_sums* surface, const limberi_slot_matrix* slots, uint32_t vertex,
                             float* place);
// Its height alone, to the bit.
float limberi_skin_sums_height(const limberi_skin_sums* sums, const limberi_slot_matrix* slots, uint32_t vertex);

#endif
