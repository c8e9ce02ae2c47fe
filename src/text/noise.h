// Random-looking functions of space that give the same bits on every machine: integer hashes, and nothing in floating
// point but sums, products and floors.
#ifndef LIMBERI_NOISE_H
#define LIMBERI_NOISE_H

#include <limber/base.h>

// A random-looking number for a point of the integer lattice.
uint32_t limberi_hash3(int32_t x, int32_t y, int32_t z);

// 0 <= result < 1, evenly spread when the hash is.
static inline float limberi_unit_from_hash(uint32_t hash) {
    return (float)(hash >> 8) * 0x1p-24f;
}

// Gradient noise in [-1, 1]: 0 at lattice points, smooth, about one bump per unit of length. `out` overlaps no input.
void limberi_noise(float* restrict out, const float* x, const float* y, const float* z, uint32_t count);

// The value in [0, 1) of the cell around the point: one random point per unit cube, each owning what is nearest to it.
// At most LIMBER_BLOCK points; `out` overlaps no input.
void limberi_voronoi(float* restrict out, const float* x, const float* y, const float* z, uint32_t count);

#endif
