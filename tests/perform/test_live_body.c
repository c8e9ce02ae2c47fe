// The body of live poses: it squashes where it lands, keeps its volume, and bends against its acceleration.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/puppet.h"
#include "kit/scene.h"

// How much taller the character is than its plain skin.
static double tall(const puppet* p) {
    puppet_box styled = puppet_box_of(p->model, p->frame.positions);
    puppet_box plain = puppet_box_of(p->model, p->frame.skinned);
    return (styled.high - styled.low) / (plain.high - plain.low);
}

static const double fall_s = 0.5;

// Stands, falls and stops on the floor: the rest pose, at a height of `high` sizes at first.
static void fall(puppet* p, double time_s, double high) {
    double past = fmin(fmax(time_s - 0.5, 0), fall_s) / fall_s;
    memcpy(p->pose.local, p->model->rig.rest_local, p->model->rig.joint_count * sizeof *p->pose.local);
    p->pose.local[0].translation.y += (float)(high * (1 - past * past)) * p->model->size;
    puppet_push(p, time_s);
}

static void live_body_stretches_as_it_falls_and_squashes_as_it_lands(void** state) {
    (void)state;
    puppet p;
    double tallest = 1;
    double shortest = 1;
    puppet_open(&p, "hero", puppet_settings(0, 1, 0));
    puppet_stand_at(&p, 0);
    for (int i = 0; i <= 180; i++) {
        double t = i / 60.0;
        fall(&p, t, 1);
        if (t < 0.45)
            assert_true(fabs(tall(&p) - 1) < 1e-6); // nothing moves yet
        tallest = t > 0.6 && t < 1.0 ? fmax(tallest, tall(&p)) : tallest;
        shortest = t > 1.0 && t < 1.3 ? fmin(shortest, tall(&p)) : shortest;
    }
    assert_true(tallest > 1.04 && tallest < 1.3);
    assert_true(shortest < 0.92 && shortest > 0.6);
    assert_true(fabs(tall(&p) - 1) < 1e-4); // it has settled
    puppet_close(&p);
}

static double shortest_of(puppet* p, bool ground) {
    double shortest = 1;
    if (ground)
        puppet_stand_at(p, 0);
    for (int i = 0; i < 120; i++) {
        puppet_play(p, puppet_clip(p, "run"), i / 60.0);
        shortest = fmin(shortest, tall(p));
    }
    return shortest;
}

// In a run on the spot no foot rests: legs that are down carry the body all the same, where somebody says what down is.
static void live_body_squashes_in_a_run_on_the_spot(void** state) {
    (void)state;
    puppet p, q;
    limber_stage_settings settings = puppet_settings(0, 1, 0);
    puppet_open(&p, "hero", settings);
    puppet_open_with(&q, p.asset, &settings);
    double with = shortest_of(&p, true);
    double without = shortest_of(&q, false);
    print_message("run: %.3f on the ground, %.3f in the air\n", with, without);
    assert_true(with < without - 0.02);
    puppet_close(&q);
    puppet_close(&p);
}

// Without a floor that pushes back the shape is an affine map, so the volume is kept exactly.
static void live_body_keeps_its_volume(void** state) {
    (void)state;
    puppet p;
    double changed = 0;
    puppet_open(&p, "ball", puppet_settings(0, 1, 0));
    puppet_stand_at(&p, 0);
    for (int i = 0; i <= 150; i++) {
        puppet_play(&p, puppet_clip(&p, "bounce"), i / 60.0);
        puppet_box styled = puppet_box_of(p.model, p.frame.positions);
        puppet_box plain = puppet_box_of(p.model, p.frame.skinned);
        changed = fmax(changed, fabs(tall(&p) - 1));
        assert_true(fabs(styled.volume / plain.volume - 1) < 1e-4);
    }
    assert_true(changed > 0.1);
    puppet_close(&p);
}

static void live_body_bends_against_its_acceleration(void** state) {
    (void)state;
    puppet p;
    puppet_open(&p, "hero", puppet_settings(0, 0, 1));
    for (int i = 0; i <= 90; i++) {
        double t = fmax(i / 60.0 - 1, 0);
        memcpy(p.pose.local, p.model->rig.rest_local, p.model->rig.joint_count * sizeof *p.pose.local);
        p.pose.local[0].translation.x += (float)(4 * t * t) * p.model->size;
        puppet_push(&p, i / 60.0);
    }
    uint32_t top = 0;
    for (uint32_t v = 0; v < p.model->vertex_count; v++)
        top = p.frame.skinned[3 * (size_t)v + 1] > p.frame.skinned[3 * (size_t)top + 1] ? v : top;
    double off = (double)(p.frame.positions[3 * (size_t)top] - p.frame.skinned[3 * (size_t)top]);
    assert_true(off < -0.005 * (double)p.model->size);
    puppet_close(&p);
}

// At rest, then turning about one axis at 8 radians per second.
static double shortest_in_a_turn(bool upright) {
    puppet p;
    double shortest = 1;
    puppet_open(&p, "hero", puppet_settings(0, 1, 0));
    puppet_stand_at(&p, 0);
    for (int i = 0; i <= 90; i++) {
        float angle = 8 * fmaxf((float)i / 60 - 0.5f, 0);
        memcpy(p.pose.local, p.model->rig.rest_local, p.model->rig.joint_count * sizeof *p.pose.local);
        limber_quat turn = limberi_quat_exp(limberi_vec3(0, upright ? angle : 0, 0));
        p.pose.local[0].rotation = limberi_quat_mul(turn, p.pose.local[0].rotation);
        puppet_push(&p, i / 60.0);
        shortest = fmin(shortest, tall(&p));
    }
    puppet_close(&p);
    return shortest;
}

static void live_body_is_flattened_by_a_spin(void** state) {
    (void)state;
    double spun = shortest_in_a_turn(true), stood = shortest_in_a_turn(false);
    print_message("in a spin it is %.3f of its height, without %.3f\n", spun, stood);
    assert_true(stood > 0.999);
    assert_true(spun < 0.92 && spun > 0.75);
}

// An impact on top of it would squash twice.
static void live_body_stands_in_for_the_impact(void** state) {
    (void)state;
    puppet p, q;
    limber_stage_settings settings = puppet_settings(0, 1, 0);
    puppet_open(&p, "hero", settings);
    settings.impact.gain = 1;
    puppet_open_with(&q, p.asset, &settings);
    puppet_stand_at(&p, 0);
    puppet_stand_at(&q, 0);
    for (int i = 0; i <= 90; i++) {
        fall(&p, i / 60.0, 1);
        fall(&q, i / 60.0, 1);
        assert_memory_equal(p.frame.positions, q.frame.positions, 3 * sizeof(float) * p.model->vertex_count);
    }
    puppet_close(&q);
    puppet_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_body_stretches_as_it_falls_and_squashes_as_it_lands),
        cmocka_unit_test(live_body_squashes_in_a_run_on_the_spot),
        cmocka_unit_test(live_body_keeps_its_volume),
        cmocka_unit_test(live_body_bends_against_its_acceleration),
        cmocka_unit_test(live_body_is_flattened_by_a_spin),
        cmocka_unit_test(live_body_stands_in_for_the_impact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
