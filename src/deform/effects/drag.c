// Drag: while a joint speeds up, what hangs on it stays behind (acceleration skinning, equation 11).
//   linear   -(1 - D(v, a)) k a
//   angular  (1 - D(w, alpha)) bend(-k |alpha x r| / L, alpha / |alpha|, r)
#include "deform/effects/acceleration.h"
#include "deform/effects/keys.h"

static void drag(const limber_effect_block* block) {
    limberi_acceleration_share(block, false);
}

static void plan(limberi_joint_plan* p) {
    limberi_acceleration_plan(p, false);
}

static void share(limberi_joint_quad* quad, uint32_t slot, uint32_t part) {
    limberi_acceleration_gpu_share(quad, slot, part, false);
}

static void fold(limberi_joint_quad* quad, uint32_t slot) {
    share(quad, slot, LIMBERI_LINEAR);
    limberi_gpu_fold_shift(quad, -quad->share, quad->acceleration);
}

static const limberi_row keys[] = {
    LIMBERI_LINEAR_KEY("drag", DRAG, "s^2", "how far parts stay back while a joint accelerates"),
    LIMBERI_ANGULAR_KEY("drag", DRAG, "s^2", "how far parts bend back while a rotation accelerates"),
    LIMBERI_BEND_KEYS("drag", DRAG),
    LIMBERI_GATE_KEYS("drag", DRAG),
    LIMBERI_LAYER_KEY("drag", DRAG),
};

static const limberi_row joint_keys[] = {LIMBERI_JOINT_KEYS("drag", DRAG)};

static const limberi_section sections[] = {
    {"effects.drag", "drag",
     LIMBERI_TEXT("Parts lag behind while a motion starts: the accelerating half of the acceleration effect."),
     LIMBERI_TEXT("{\"effects\": {\"drag\": {\"angular\": 0.02, \"max_bend\": 45, \"turn\": 0.06}}}")},
};

const limberi_effect limberi_effect_drag = {
    .name = "drag",
    .source = LIMBERI_TEXT("acceleration skinning, equation 11"),
    .air = LIMBER_AIR_GRAVITY,
    .reads = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY | LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .driven_by = LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .parts = 1u << LIMBERI_LINEAR | 1u << LIMBERI_ANGULAR,
    .affine_part = LIMBERI_LINEAR,
    .constant_affine_part = LIMBERI_NO_PART,
    .bends = true,
    .gate = LIMBER_GATE_STARTING,
    .shapes = 1u << LIMBERI_SHAPE_BEND,
    .function = LIMBERI_SCALAR(drag),
    .plan = plan,
    .fold = fold,
    .gpu = {.block = {LIMBERI_GPU_NONE, LIMBERI_GPU_SLOWING}, .role = 0, .share = share, .source_texels = 2},
    .fit = {.is_offered = true},
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .joint_keys = joint_keys,
    .joint_key_count = sizeof joint_keys / sizeof *joint_keys,
    .sections = LIMBERI_TEXTS(sections),
    .section_count = sizeof sections / sizeof *sections,
};
