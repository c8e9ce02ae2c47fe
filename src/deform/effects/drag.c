// Drag: while a joint speeds up, what hangs on it stays behind (acceleration skinning, equation 11).
//   linear   -(1 - D(v, a)) k a
//   angular  (1 - D(w, alpha)) bend(-k |alpha x r| / L, alpha / |alpha|, r)
#include "deform/effects/acceleration.h"

static void drag(const limber_effect_block* block) {
    limberi_acceleration_share(block, false);
}

static void plan(limberi_joint_plan* p) {
    limberi_acceleration_plan(p, false);
}

static float share(const limberi_gpu_pen* pen, uint32_t slot, uint32_t part) {
    return limberi_acceleration_gpu_share(pen, slot, part, false);
}

const limberi_effect limberi_effect_drag = {
    .name = "drag",
    .source = "acceleration skinning, equation 11",
    .reads = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY | LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .driven_by = LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .parts = 1u << LIMBERI_LINEAR | 1u << LIMBERI_ANGULAR,
    .affine_part = LIMBERI_LINEAR,
    .constant_affine_part = LIMBERI_NO_PART,
    .bends = true,
    .shapes = 1u << LIMBERI_SHAPE_BEND,
    .function = drag,
    .plan = plan,
    .gpu = {.block = {LIMBERI_GPU_NONE, LIMBERI_GPU_SLOWING}, .role = 0, .share = share, .source_texels = 2},
};
