// Joints that push along normals: those of a cone, or of the mesh.
#include "deform/kernels/lanes_kit.h"

// How far out along the normal a joint pushes.
LIMBERI_INLINED lanes lift_one(const limberi_row_call* call, uint32_t v, const lanes* p, const lanes* n, lanes sum) {
    const limberi_spin_row* row = call->row;
    lanes a = distance(&row->first, p);
    lanes b = distance(&row->second, p);
    lanes reach = limberi_lanes_max(limberi_lanes_sqrt(fma_(a, a, b * b)) - all(row->base_radius), all(0));
    lanes outward = fma_(a, along(&row->first, n), b * along(&row->second, n)) * get(call->weight, v);
    return fma_(reach * all(row->rate), outward, sum);
}

// How that changes along the axes, for normals that stay as they are.
LIMBERI_INLINED void lift_slope(const limberi_row_call* call, uint32_t v, const lanes* p, const lanes* n, lanes* sum) {
    const limberi_spin_row* row = call->row;
    lanes a = distance(&row->first, p);
    lanes b = distance(&row->second, p);
    lanes apart = limberi_lanes_sqrt(fma_(a, a, b * b));
    lanes reach = apart - all(row->base_radius);
    lanes first = along(&row->first, n);
    lanes second = along(&row->second, n);
    lanes farther = fma_(a, first, b * second) * limberi_lanes_inverse(apart);
    lanes rate = limberi_lanes_select(limberi_lanes_less(all(0), reach), all(row->rate), all(0)) * get(call->weight, v);
    add_along(sum, row->first.d, rate * fma_(reach, first, farther * a));
    add_along(sum, row->second.d, rate * fma_(reach, second, farther * b));
}

static void lift_slopes(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                        const float* gain, const limberi_block3* normal) {
    for (uint32_t v = 0; v < block->width; v += LIMBERI_LANE_COUNT) {
        lanes p[3];
        lanes n[3];
        lanes sum[3] = {all(0), all(0), all(0)};
        load(block->position, v, p);
        load(normal, v, n);
        for (uint32_t i = 0; i < call_count; i++)
            lift_slope(&calls[i], v, p, n, sum);
        for (int e = 0; e < 9; e++) {
            float* to = block->slopes->v[e] + v;
            limberi_lanes_store(to, fma_(sum[e / 3] * get(gain, v), n[e % 3], limberi_lanes_load(to)));
        }
    }
}

void LIMBERI_VARIANT(limberi_lift)(const limberi_lane_block* given, const limberi_row_call* calls, uint32_t call_count,
                                   const float* gain, const limberi_block3* normal) {
    const limberi_lane_block block = *given;
    if (block.slopes)
        lift_slopes(&block, calls, call_count, gain, normal);
    for (uint32_t v = 0; v < block.width; v += SIDE * LIMBERI_LANE_COUNT) {
        lanes p[SIDE][3], n[SIDE][3], amount[SIDE];
        for (uint32_t h = 0; h < SIDE; h++) {
            load(block.position, v + h * LIMBERI_LANE_COUNT, p[h]);
            load(normal, v + h * LIMBERI_LANE_COUNT, n[h]);
            amount[h] = all(0);
        }
        uint32_t i = 0;
        for (; SIDE > 1 && i + 1 < call_count; i += 2)
            for (uint32_t k = 0; k < 2 * SIDE; k++) {
                uint32_t h = k % SIDE;
                amount[h] = lift_one(&calls[i + k / SIDE], v + h * LIMBERI_LANE_COUNT, p[h], n[h], amount[h]);
            }
        for (; i < call_count; i++)
            for (uint32_t h = 0; h < SIDE; h++)
                amount[h] = lift_one(&calls[i], v + h * LIMBERI_LANE_COUNT, p[h], n[h], amount[h]);
        for (uint32_t h = 0; h < SIDE; h++) {
            uint32_t at = v + h * LIMBERI_LANE_COUNT;
            lanes all_of_it = amount[h] * get(gain, at);
            for (int c = 0; c < 3; c++)
                limberi_lanes_store(block.displacement->v[c] + at,
                                    fma_(all_of_it, n[h][c], get(block.displacement->v[c], at)));
        }
    }
}

void LIMBERI_VARIANT(limberi_cone)(const limberi_lane_block* block, const float* apex, const float* axis, float cosine,
                                   float sine, limberi_block3* normal) {
    for (uint32_t v = 0; v < block->width; v += LIMBERI_LANE_COUNT) {
        lanes p[3], r[3];
        load(block->position, v, p);
        for (int c = 0; c < 3; c++)
            p[c] = p[c] - all(apex[c]);
        lanes height = fma_(all(axis[0]), p[0], fma_(all(axis[1]), p[1], all(axis[2]) * p[2]));
        for (int c = 0; c < 3; c++)
            r[c] = fma_(-height, all(axis[c]), p[c]);
        lanes scale =
            all(cosine) * limberi_lanes_inverse(limberi_lanes_sqrt(fma_(r[0], r[0], fma_(r[1], r[1], r[2] * r[2]))));
        for (int c = 0; c < 3; c++)
            limberi_lanes_store(normal->v[c] + v, fma_(r[c], scale, all(-sine * axis[c])));
    }
}
