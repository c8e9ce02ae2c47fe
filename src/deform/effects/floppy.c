// Floppy: parts trail behind the motion that carries them (velocity skinning, equations 16 and 17).
//   linear   -k v
//   angular  bend(-k |w x r| / L, w / |w|, r)
#include "deform/effects/keys.h"
#include "deform/gpu_rows.h"
#include "deform/plan.h"

static void floppy(const limber_effect_block* b) {
    limberi_turn turn;
    bool moves = !limberi_is_zero(b->velocity);
    bool turns = limberi_turn_of(b->angular_velocity, b->bone_direction, &turn);
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->weight[i] == 0)
            continue;
        limber_vec3 d = limberi_vec3(0, 0, 0);
        if (moves)
            d = limberi_scale(b->velocity, -b->linear[i]);
        if (turns && b->angular[i] != 0)
            d = limberi_add(d, limberi_bend_back(b, i, &turn, b->angular[i]));
        limberi_displace(b, i, d);
    }
}

static void plan(limberi_joint_plan* p) {
    limberi_plan_shift(p, -1, p->at.velocity);
    limberi_plan_bend(p, false, 1);
}

static void fold(limberi_joint_quad* quad, uint32_t slot) {
    (void)slot;
    limberi_gpu_fold_shift(quad, limberi_lanes_all(-1), quad->velocity);
}

static const limberi_row keys[] = {
    LIMBERI_LINEAR_KEY("floppy", FLOPPY, "s", "how far parts trail behind a moving joint"),
    LIMBERI_ANGULAR_KEY("floppy", FLOPPY, "s", "how far parts bend back behind a rotating joint"),
    LIMBERI_BEND_KEYS("floppy", FLOPPY),
    LIMBERI_LAYER_KEY("floppy", FLOPPY),
};

static const limberi_row joint_keys[] = {LIMBERI_JOINT_KEYS("floppy", FLOPPY)};

static const limberi_section sections[] = {
    {"effects.floppy", "floppy",
     LIMBERI_TEXT("Loose parts trail behind: they bend and lag against the velocity of their joints."),
     LIMBERI_TEXT("{\"effects\": {\"floppy\": {\"linear\": 0.05, \"angular\": \"0.4 * smoothstep(0.2, 1, height)\", "
                  "\"max_bend\": "
                  "60}}}")},
};

const limberi_effect limberi_effect_floppy = {
    .name = "floppy",
    .source = LIMBERI_TEXT("velocity skinning, equations 16 and 17"),
    .air = LIMBER_AIR_WIND,
    .reads = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY,
    .driven_by = LIMBERI_VELOCITY | LIMBERI_ANGULAR_VELOCITY,
    .parts = 1u << LIMBERI_LINEAR | 1u << LIMBERI_ANGULAR,
    .affine_part = LIMBERI_LINEAR,
    .constant_affine_part = LIMBERI_NO_PART,
    .bends = true,
    .shapes = 1u << LIMBERI_SHAPE_BEND,
    .function = LIMBERI_SCALAR(floppy),
    .plan = plan,
    .fold = fold,
    .gpu = {.block = {LIMBERI_GPU_NONE, LIMBERI_GPU_TURN}, .role = 0, .source_texels = 2},
    .fit = {.is_offered = true},
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .joint_keys = joint_keys,
    .joint_key_count = sizeof joint_keys / sizeof *joint_keys,
    .sections = LIMBERI_TEXTS(sections),
    .section_count = sizeof sections / sizeof *sections,
};
