// Random-looking functions of space that give the same bits on every machine: integer hashes, and nothing in floating
// point but sums, products and floors.
#include "text/noise.h"
#include "base/lanes.h"

#include <limber/stages/expression.h>

uint32_t limberi_hash3(int32_t x, int32_t y, int32_t z) {
    // 2^32 / g^k with g^4 = g + 1: the three numbers whose multiples stay furthest from each other. Then two rounds of
    // shift and multiply by the digits of the roots of 3 and 5; of the pairs and shifts tried, one of those after which
    // every bit of a coordinate changes every bit of the hash like a fair coin.
    uint32_t h = (uint32_t)x * 0xd1b54a33u + (uint32_t)y * 0xabc98389u + (uint32_t)z * 0x8cb92ba7u;
    h = (h ^ h >> 17) * 0xbb67ae85u;
    h = (h ^ h >> 13) * 0x3c6ef373u;
    return h ^ h >> 16;
}

// Beyond 2^24 floats are integers, so that nothing is lost, and the conversion to int stays defined.
static inline float lattice_floor(float v) {
    return floorf(limberi_cut_below(limberi_cut_above(v, 0x1p30f), -0x1p30f));
}

// Within the cell; past the end of the lattice everything sits on a lattice point.
static inline float lattice_rest(float v, float floor_of_v) {
    float rest = v - floor_of_v;
    return limberi_pick(fabsf(rest) <= 1, rest, 0);
}

// The gradient is one of the twelve directions to the edges of a cube, as in K. Perlin, "Improving noise", 2002.
static inline float corner(uint32_t hash, float x, float y, float z) {
    uint32_t axis = (hash >> 16) * 3 >> 16;
    uint32_t a = limberi_bits_of(limberi_pick(axis == 0, y, x)) ^ hash << 31;
    uint32_t b = limberi_bits_of(limberi_pick(axis == 2, y, z)) ^ (hash >> 1) << 31;
    return limberi_float_of(a) + limberi_float_of(b);
}

static inline float fade(float t) {
    return t * t * t * (t * (t * 6 - 15) + 10);
}

static inline float lerp(float a, float b, float t) {
    return a + (b - a) * t;
}

static inline float noise_at(float px, float py, float pz) {
    float cx = lattice_floor(px);
    float cy = lattice_floor(py);
    float cz = lattice_floor(pz);
    float x = lattice_rest(px, cx);
    float y = lattice_rest(py, cy);
    float z = lattice_rest(pz, cz);
    int32_t i = (int32_t)cx;
    int32_t j = (int32_t)cy;
    int32_t k = (int32_t)cz;
    float u = fade(x);
    float v = fade(y);
    float w = fade(z);
    float near = lerp(lerp(corner(limberi_hash3(i, j, k), x, y, z), //
                           corner(limberi_hash3(i + 1, j, k), x - 1, y, z), u),
                      lerp(corner(limberi_hash3(i, j + 1, k), x, y - 1, z), //
                           corner(limberi_hash3(i + 1, j + 1, k), x - 1, y - 1, z), u),
                      v);
    float far = lerp(lerp(corner(limberi_hash3(i, j, k + 1), x, y, z - 1), //
                          corner(limberi_hash3(i + 1, j, k + 1), x - 1, y, z - 1), u),
                     lerp(corner(limberi_hash3(i, j + 1, k + 1), x, y - 1, z - 1), //
                          corner(limberi_hash3(i + 1, j + 1, k + 1), x - 1, y - 1, z - 1), u),
                     v);
    // The largest sum that eight such gradients can reach is 1.0363.
    return lerp(near, far, w) * 0.9649f;
}

void limberi_noise(float* restrict out, const float* x, const float* y, const float* z, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        out[i] = noise_at(x[i], y[i], z[i]);
}

typedef struct cells {
    int32_t x[LIMBER_BLOCK], y[LIMBER_BLOCK], z[LIMBER_BLOCK];
    float rest_x[LIMBER_BLOCK], rest_y[LIMBER_BLOCK], rest_z[LIMBER_BLOCK];
    float nearest[LIMBER_BLOCK]; // squared distance
    uint32_t owner[LIMBER_BLOCK];
} cells;

static void cells_fill(cells* c, const float* x, const float* y, const float* z, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        float fx = lattice_floor(x[i]);
        float fy = lattice_floor(y[i]);
        float fz = lattice_floor(z[i]);
        c->x[i] = (int32_t)fx;
        c->y[i] = (int32_t)fy;
        c->z[i] = (int32_t)fz;
        c->rest_x[i] = lattice_rest(x[i], fx);
        c->rest_y[i] = lattice_rest(y[i], fy);
        c->rest_z[i] = lattice_rest(z[i], fz);
        c->nearest[i] = 1e9f;
        c->owner[i] = 0;
    }
}

// Ten bits of the hash place the cube's point along an axis. It keeps a twentieth away from the faces: then, in two
// million random places, the nearest point was always in one of the 27 cubes around.
static inline float point_in_cube(uint32_t bits) {
    return 0.05f + (float)(int32_t)(bits & 1023) * (0.9f / 1023);
}

static void cells_visit(cells* c, int32_t dx, int32_t dy, int32_t dz, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t hash = limberi_hash3(c->x[i] + dx, c->y[i] + dy, c->z[i] + dz);
        float x = (float)dx + point_in_cube(hash) - c->rest_x[i];
        float y = (float)dy + point_in_cube(hash >> 10) - c->rest_y[i];
        float z = (float)dz + point_in_cube(hash >> 20) - c->rest_z[i];
        float distance = x * x + y * y + z * z;
        bool nearer = distance < c->nearest[i];
        c->nearest[i] = limberi_pick(nearer, distance, c->nearest[i]);
        c->owner[i] = limberi_pick_bits(nearer, hash, c->owner[i]);
    }
}

void limberi_voronoi(float* restrict out, const float* x, const float* y, const float* z, uint32_t count) {
    cells c;
    cells_fill(&c, x, y, z, count);
    for (int32_t n = 0; n < 27; n++)
        cells_visit(&c, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1, count);
    // Hashed again: the value must not tell where in its cube the point lies.
    for (uint32_t i = 0; i < count; i++)
        out[i] = limberi_unit_from_hash(limberi_hash3((int32_t)c.owner[i], 1, 2));
}
