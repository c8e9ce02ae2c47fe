// Normals turned along with the deformation, by the Jacobian of p -> p + d(p).
#include "deform/kernels/lanes_kit.h"

LIMBERI_INLINED void cross(const lanes* a, const lanes* b, lanes* out) {
    for (int c = 0; c < 3; c++)
        out[c] = limberi_lanes_fms(a[(c + 2) % 3], b[(c + 1) % 3], a[(c + 1) % 3] * b[(c + 2) % 3]);
}

void LIMBERI_VARIANT(limberi_jacobian_normals)(const limberi_lane_block* given, limberi_block3* normal) {
    const limberi_lane_block block = *given;
    for (uint32_t v = 0; v < block.width; v += LIMBERI_LANE_COUNT) {
        lanes m[9], cofactors[9], n[3], d[3], old[3];
        for (int e = 0; e < 9; e++)
            m[e] = e % 4 ? get(block.slopes->v[e], v) : get(block.slopes->v[e], v) + all(1);
        for (int c = 0; c < 3; c++)
            cross(m + 3 * ((c + 1) % 3), m + 3 * ((c + 2) % 3), cofactors + 3 * c);
        load(block.displacement, v, d);
        load(normal, v, old);
        for (int c = 0; c < 3; c++)
            n[c] = fma_(cofactors[c], old[0], fma_(cofactors[3 + c], old[1], cofactors[6 + c] * old[2]));
        lanes length = limberi_lanes_sqrt(fma_(n[0], n[0], fma_(n[1], n[1], n[2] * n[2])));
        lanes touched = fma_(d[0], d[0], fma_(d[1], d[1], d[2] * d[2]));
        limberi_mask good = limberi_lanes_less(all(1e-12f), length) & limberi_lanes_less(length, all(1e12f)) &
                            limberi_lanes_less(all(0), touched);
        lanes inverse = all(1) / length;
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(normal->v[c] + v, limberi_lanes_select(good, n[c] * inverse, old[c]));
    }
}
