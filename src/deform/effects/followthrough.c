// Followthrough: while a joint slows down, what hangs on it overshoots (acceleration skinning, equation 10).
//   linear   -D(v, a) k a
//   angular  D(w, alpha) bend(-k |alpha x r| / L, alpha / |alpha|, r)
#include "deform/effects/acceleration.h"
#include "deform/effects/keys.h"

static void followthrough(const limber_effect_block* block) {
    limberi_acceleration_share(block, true);
}

static void plan(limberi_joint_plan* p) {
    limberi_acceleration_plan(p, true);
}

static void share(limberi_joint_quad* quad, uint32_t slot, uint32_t part) {
    limberi_acceleration_gpu_share(quad, slot, part, true);
}

static void fold(limberi_joint_quad* quad, uint32_t slot) {
    share(quad, slot, LIMBERI_LINEAR);
    limberi_gpu_fold_shift(quad, -quad->share, quad->acceleration);
}

static const limberi_row keys[] = {
    LIMBERI_LINEAR_KEY("followthrough", FOLLOWTHROUGH, "s^2", "how far parts carry on while a joint slows down"),
    LIMBERI_ANGULAR_KEY("followthrough", FOLLOWTHROUGH, "s^2", "how far parts bend on while a rotation slows down"),
    LIMBERI_BEND_KEYS("followthrough", FOLLOWTHROUGH),
    LIMBERI_GATE_KEYS("followthrough", FOLLOWTHROUGH),
    LIMBERI_LAYER_KEY("followthrough", FOLLOWTHROUGH),
};

static const limberi_row joint_keys[] = {LIMBERI_JOINT_KEYS("followthrough", FOLLOWTHROUGH)};

static const limberi_section sections[] = {
    {"effects.followthrough", "followthrough",
     LIMBERI_TEXT(
         "Parts carry on while a motion stops: the braking half of the acceleration effect. A spring filter lets them "
         "settle."),
     LIMBERI_TEXT(
         "{\"effects\": {\"followthrough\": {\"angular\": 0.03, \"filter\": {\"type\": \"spring\", \"frequency\": 3, "
         "\"damping\": 0.3}}}}")},
};

const limberi_effect limberi_effect_followthrough = {
    .name = "followthrough",
    .source = LIMBERI_TEXT("acceleration skinning, equation 10"),
    .air = LIMBER_AIR_GRAVITY,
    .reads = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY | LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .driven_by = LIMBERI_ACCELERATION | LIMBERI_ANGULAR_ACCELERATION,
    .parts = 1u << LIMBERI_LINEAR | 1u << LIMBERI_ANGULAR,
    .affine_part = LIMBERI_LINEAR,
    .constant_affine_part = LIMBERI_NO_PART,
    .bends = true,
    .gate = LIMBER_GATE_STOPPING,
    .shapes = 1u << LIMBERI_SHAPE_BEND,
    .function = LIMBERI_SCALAR(followthrough),
    .plan = plan,
    .fold = fold,
    .gpu = {.block = {LIMBERI_GPU_NONE, LIMBERI_GPU_SLOWING}, .role = 1, .share = share, .source_texels = 2},
    .fit = {.is_offered = true},
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .joint_keys = joint_keys,
    .joint_key_count = sizeof joint_keys / sizeof *joint_keys,
    .sections = LIMBERI_TEXTS(sections),
    .section_count = sizeof sections / sizeof *sections,
};
