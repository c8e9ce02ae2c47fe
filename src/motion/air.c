// Wind and gravity: what they add to the motion of the joints before effects see it (limber_air_settings).
#include "motion/air.h"
#include "base/build.h"
#include "base/math.h"
#include "base/memory.h"
#include "text/text.h"

#include <string.h>

static const float shortest = 0.05f; // in L: joints in the middle of their skin would spin without end

struct limberi_air {
    limberi_arena arena;
    const limber_model* model;
    limber_air_settings settings;
    float size;
    limber_vec3* hanging; // [joint] gravity in the joint's frame of the rest pose, L/s^2
};

uint32_t limberi_air_bits(const limber_air_settings* s) {
    bool wind = limberi_is_on(s->wind[0]) || limberi_is_on(s->wind[1]) || limberi_is_on(s->wind[2]);
    uint32_t bits = wind ? LIMBER_AIR_WIND : 0;
    return limberi_is_zero(s->gravity) ? bits : bits | LIMBER_AIR_GRAVITY;
}

static limber_vec3 turn_back(const float* r, limber_vec3 v) {
    return limberi_vec3(r[0] * v.x + r[1] * v.y + r[2] * v.z, r[3] * v.x + r[4] * v.y + r[5] * v.z,
                        r[6] * v.x + r[7] * v.y + r[8] * v.z);
}

limber_result limberi_air_create(const limber_model* model, const limber_air_settings* settings, float size,
                                 limberi_air** air) {
    *air = NULL;
    if (!limberi_air_bits(settings))
        return LIMBER_OK;
    limberi_air* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return LIMBER_ERROR_MEMORY;
    made->model = model;
    made->settings = *settings;
    made->size = size;
    made->hanging = LIMBERI_ALLOCATE(&made->arena, limber_vec3, model->rig.joint_count);
    if (made->arena.failed) {
        limberi_air_destroy(made);
        return LIMBER_ERROR_MEMORY;
    }
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        float r[9];
        limberi_mat4_rotation(&model->rig.world_from_joint_rest[j], r);
        made->hanging[j] = turn_back(r, settings->gravity);
    }
    *air = made;
    return LIMBER_OK;
}

void limberi_air_destroy(limberi_air* air) {
    if (!air)
        return;
    limberi_arena_free(&air->arena);
    limberi_release(air);
}

// The wind at some joints, L/s.
static void find_wind(const limberi_air* air, const limberi_moment* at, const limber_pose* pose, uint32_t first,
                      uint32_t count, float (*wind)[LIMBER_BLOCK]) {
    float place[3][LIMBER_BLOCK];
    limber_expression_inputs inputs = limber_expression_inputs_default();
    inputs.count = count;
    inputs.frame[LIMBER_VARIABLE_T] = (float)at->time_s;
    inputs.frame[LIMBER_VARIABLE_FRAME] = (float)at->frame;
    inputs.frame[LIMBER_VARIABLE_PHASE] = (float)at->phase;
    for (uint32_t c = 0; c < 3; c++) {
        inputs.vertex[LIMBER_VARIABLE_X + c] = place[c];
        for (uint32_t i = 0; i < count; i++)
            place[c][i] = pose->world_from_joint[first + i].m[12 + c] / air->size;
    }
    for (uint32_t c = 0; c < 3; c++) {
        limber_number n = air->settings.wind[c];
        for (uint32_t i = 0; !n.expression && i < count; i++)
            wind[c][i] = n.value;
        if (LIMBERI_HAS_FORMULAS && n.expression)
            limber_expression_evaluate(n.expression, &inputs, wind[c]);
    }
}

// What turns the skin of a joint: l x (a vector in L) / |l|^2.
static limber_vec3 lever(const limberi_air* air, limber_vec3 arm, limber_vec3 by) {
    float min = shortest * air->size;
    float square = fmaxf(limberi_dot(arm, arm), min * min);
    return limberi_scale(limberi_cross(arm, by), -air->size / square);
}

static void find_joint(const limberi_air* air, uint32_t bits, const limber_pose* pose, uint32_t joint, limber_vec3 wind,
                       limber_kinematics* out) {
    const limber_rig* rig = &air->model->rig;
    const limber_mat4* m = &pose->world_from_joint[joint];
    limber_vec3 arm = limberi_mat4_vector(m, rig->centroid[joint]);
    limber_vec3 zero = limberi_vec3(0, 0, 0);
    limber_vec3 velocity = bits & LIMBER_AIR_WIND ? lever(air, arm, wind) : zero;
    limber_vec3 push = zero;
    float r[9];
    if (bits & LIMBER_AIR_GRAVITY) {
        limberi_mat4_rotation(m, r);
        push = lever(air, arm, limberi_sub(air->settings.gravity, limberi_mat3_vector(r, air->hanging[joint])));
    }
    if (rig->parents[joint] >= 0) {
        limberi_mat4_rotation(&pose->world_from_joint[rig->parents[joint]], r);
        velocity = turn_back(r, velocity);
        push = turn_back(r, push);
    }
    out->angular_velocity[joint] = velocity;
    out->angular_acceleration[joint] = push;
}

void limberi_air_find(const limberi_air* air, uint32_t bits, const limberi_moment* at, const limber_pose* pose,
                      limber_kinematics* out) {
    uint32_t joints = air->model->rig.joint_count;
    for (uint32_t first = 0; first < joints; first += LIMBER_BLOCK) {
        float wind[3][LIMBER_BLOCK];
        uint32_t count = joints - first < LIMBER_BLOCK ? joints - first : LIMBER_BLOCK;
        find_wind(air, at, pose, first, count, wind);
        for (uint32_t i = 0; i < count; i++)
            find_joint(air, bits, pose, first + i, limberi_vec3(wind[0][i], wind[1][i], wind[2][i]), out);
    }
}

void limberi_air_add(const limber_model* model, const limber_kinematics* air, limber_kinematics* motion) {
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        motion->angular_velocity[j] = limberi_add(motion->angular_velocity[j], air->angular_velocity[j]);
        motion->angular_acceleration[j] = limberi_add(motion->angular_acceleration[j], air->angular_acceleration[j]);
    }
}
