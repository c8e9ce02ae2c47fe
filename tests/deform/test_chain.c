// Joints composed as a chain against closed forms.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/scene.h"

static void open_chain(test_scene* s, const char* character) {
    test_scene_open(s, character);
    s->settings.deform.compose = LIMBER_COMPOSE_CHAIN;
}

static limber_vec3 deformed(const test_scene* s, uint32_t u) {
    return limberi_load3(s->frame.positions + 3 * (size_t)u);
}

static float distance(limber_vec3 a, limber_vec3 b) {
    return limberi_length(limberi_sub(a, b));
}

// Turns everything about the joint by a fixed angle, about x and z by turns of joints; `user` is the angle.
static limber_vec3 axis_of(uint32_t joint) {
    return joint % 2 ? limberi_vec3(1, 0, 0) : limberi_vec3(0, 0, 1);
}

static limber_vec3 turned(limber_vec3 p, limber_vec3 about, limber_vec3 axis, float angle) {
    limber_vec3 arm = limberi_sub(p, about), along = limberi_scale(axis, limberi_dot(axis, arm));
    limber_vec3 across = limberi_sub(arm, along);
    limber_vec3 moved =
        limberi_add(limberi_scale(across, cosf(angle)), limberi_scale(limberi_cross(axis, across), sinf(angle)));
    return limberi_add(about, limberi_add(along, moved));
}

static void turn_everything(const limber_effect_block* b) {
    const float* angle = b->user;
    limber_vec3 axis = angle[1] != 0 ? axis_of(b->joint) : limberi_vec3(0, 0, 1);
    for (uint32_t i = 0; i < b->count; i++) {
        limber_vec3 p = limberi_vec3(b->x[i], b->y[i], b->z[i]);
        limber_vec3 d = limberi_sub(turned(p, b->position, axis, angle[0]), p);
        b->dx[i] += b->weight[i] * d.x;
        b->dy[i] += b->weight[i] * d.y;
        b->dz[i] += b->weight[i] * d.z;
    }
}

static void turn_all_joints(test_scene* s, const float angle[2]) {
    limber_custom_effect own = {"turn", turn_everything, angle, limber_effect_settings_default(LIMBER_EFFECT_FLOPPY)};
    own.settings.angular.value = 1;
    s->settings.deform.custom[0] = own;
    s->settings.deform.custom_count = 1;
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++)
        s->motion.angular_velocity[j] = limberi_vec3(0, 0, 1);
}

// Vertices that hang on the last joint of the cylinder alone.
static bool is_tip(const test_scene* s, uint32_t u) {
    float upward[64];
    assert_true(s->model->rig.joint_count <= 64);
    limber_mesh_upward_weights(s->model, &s->model->meshes[0], u, upward);
    return upward[s->model->rig.joint_count - 1] > 0.99999f;
}

static void one_joint_alone_does_what_it_does_in_a_sum(void** state) {
    (void)state;
    test_scene sum, chain;
    test_scene_open(&sum, "cylinder");
    open_chain(&chain, "cylinder");
    test_scene* scenes[2] = {&sum, &chain};
    for (int i = 0; i < 2; i++) {
        limber_stage_settings everything = test_everything(scenes[i]->model);
        everything.deform.compose = (limber_compose)i;
        scenes[i]->settings = everything;
        scenes[i]->motion.velocity[2] = limberi_vec3(1, 2, 0.5f);
        scenes[i]->motion.acceleration[2] = limberi_vec3(-1, 3, 2);
        scenes[i]->motion.angular_velocity[2] = limberi_vec3(2, 0.5f, 1.5f);
        scenes[i]->motion.angular_acceleration[2] = limberi_vec3(4, 1, -2);
        test_scene_run(scenes[i]);
    }
    float farthest = 0;
    for (uint32_t u = 0; u < sum.model->vertex_count; u++) {
        assert_true(distance(deformed(&sum, u), deformed(&chain, u)) <= 2e-7f * sum.model->size);
        farthest = fmaxf(farthest, limberi_length(test_scene_displacement(&sum, u)));
    }
    assert_true(farthest > 0.05f);
    test_scene_close(&sum);
    test_scene_close(&chain);
}

// Shifts do not care where a vertex is.
static void shifts_add_up_either_way(void** state) {
    (void)state;
    test_scene s;
    open_chain(&s, "cylinder");
    s.settings.deform.effects[LIMBER_EFFECT_FLOPPY].linear.value = 0.1f;
    limber_vec3 sum = limberi_vec3(0, 0, 0);
    for (uint32_t j = 0; j < s.model->rig.joint_count; j++) {
        s.motion.velocity[j] = limberi_vec3(1, (float)j, -1);
        sum = limberi_add(sum, limberi_scale(s.motion.velocity[j], -0.1f));
    }
    test_scene_run(&s);
    uint32_t tips = 0;
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        if (!is_tip(&s, u))
            continue;
        assert_true(distance(test_scene_displacement(&s, u), sum) < 1e-6f);
        tips++;
    }
    assert_true(tips > 20);
    test_scene_close(&s);
}

static void rotations_compose_from_the_leaf_to_the_root(void** state) {
    (void)state;
    static const float angle[2] = {0.4f, 1};
    test_scene s;
    open_chain(&s, "cylinder");
    turn_all_joints(&s, angle);
    test_scene_run(&s);
    uint32_t tips = 0;
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        if (!is_tip(&s, u))
            continue;
        limber_vec3 p = test_scene_position(&s, u);
        for (uint32_t j = s.model->rig.joint_count; j-- > 0;)
            p = turned(p, limberi_mat4_translation(&s.frame.pose->world_from_joint[j]), axis_of(j), angle[0]);
        assert_true(distance(p, deformed(&s, u)) < 2e-6f);
        tips++;
    }
    assert_true(tips > 20);
    test_scene_close(&s);
}

// How much the distances between vertices of the tip change, in parts of the distance.
static float strain_of_the_tip(limber_compose compose) {
    static const float angle[2] = {0.2f, 0};
    test_scene s;
    open_chain(&s, "cylinder");
    s.settings.deform.compose = compose;
    turn_all_joints(&s, angle);
    test_scene_run(&s);
    float strain = 0;
    for (uint32_t u = 0; u < s.model->vertex_count; u++) {
        for (uint32_t v = u + 1; is_tip(&s, u) && v < s.model->vertex_count; v++) {
            float before = distance(test_scene_position(&s, u), test_scene_position(&s, v));
            if (before > 0.05f && is_tip(&s, v))
                strain = fmaxf(strain, fabsf(distance(deformed(&s, u), deformed(&s, v)) / before - 1));
        }
    }
    test_scene_close(&s);
    return strain;
}

static void a_chain_of_rotations_is_rigid_where_a_sum_inflates(void** state) {
    (void)state;
    float sum = strain_of_the_tip(LIMBER_COMPOSE_SUM), chain = strain_of_the_tip(LIMBER_COMPOSE_CHAIN);
    print_message("strain of the tip: sum %.2g, chain %.2g\n", (double)sum, (double)chain);
    assert_true(chain < 3e-5f && sum > 0.1f);
}

// The length of the cylinder's middle line, which lies in the plane x = 0 of its surface, when all joints bend alike.
static float bent_length(limber_compose compose) {
    test_scene s;
    float length = 0, before = 0;
    open_chain(&s, "cylinder");
    s.settings.deform.compose = compose;
    s.settings.deform.effects[LIMBER_EFFECT_FLOPPY].angular.value = 0.1f;
    for (uint32_t j = 0; j < s.model->rig.joint_count; j++)
        s.motion.angular_velocity[j] = limberi_vec3(0, 0, 3);
    test_scene_run(&s);
    int32_t last = -1;
    for (float y = -1; y < 10; y += 0.001f) { // vertices of the line from bottom to top
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            limber_vec3 p = test_scene_position(&s, u);
            if (fabsf(p.x) > 1e-4f || !(p.z > 1e-3f) || !(p.y > y && p.y <= y + 0.001f))
                continue;
            if (last >= 0) {
                length += distance(deformed(&s, u), deformed(&s, (uint32_t)last));
                before += distance(p, test_scene_position(&s, (uint32_t)last));
            }
            last = (int32_t)u;
            break;
        }
    }
    test_scene_close(&s);
    assert_true(before > 1);
    return length / before;
}

static void a_chain_of_bends_keeps_the_length(void** state) {
    (void)state;
    float sum = bent_length(LIMBER_COMPOSE_SUM), chain = bent_length(LIMBER_COMPOSE_CHAIN);
    print_message("length of the bent cylinder: sum %.3f, chain %.3f\n", (double)sum, (double)chain);
    assert_true(fabsf(chain - 1) < 0.5f * fabsf(sum - 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_joint_alone_does_what_it_does_in_a_sum),
        cmocka_unit_test(shifts_add_up_either_way),
        cmocka_unit_test(rotations_compose_from_the_leaf_to_the_root),
        cmocka_unit_test(a_chain_of_rotations_is_rigid_where_a_sum_inflates),
        cmocka_unit_test(a_chain_of_bends_keeps_the_length),
    };
    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
