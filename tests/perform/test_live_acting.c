// Acting of live poses: poses become larger while feet stay, nothing depends on the rate of the poses, on the size of the
// world or its turn, and a puppet at rest has its plain pose.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/failing_memory.h"
#include "kit/puppet.h"
#include "kit/scene.h"

// --- poses ---

typedef struct measures {
    double life;  // amplitude of the pose, styled over plain
    double slide; // how far planted vertices are moved, in L
    double below; // how far the floor is passed, in L
    double pop;   // largest change of the edit between two frames, in L
} measures;

enum { FPS = 60, MOST_FRAMES = 240 };

static void center_frame(const limber_model* model, float* p) {
    for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (uint32_t v = 0; v < model->vertex_count; v++)
            sum += (double)p[3 * (size_t)v + (size_t)c];
        for (uint32_t v = 0; v < model->vertex_count; v++)
            p[3 * (size_t)v + (size_t)c] -= (float)(sum / model->vertex_count);
    }
}

// rms distance from the mean shape.
static double amplitude(const limber_model* model, float* frames, uint32_t count) {
    size_t numbers = 3 * (size_t)model->vertex_count;
    double square = 0;
    for (uint32_t f = 0; f < count; f++)
        center_frame(model, frames + f * numbers);
    for (size_t i = 0; i < numbers; i++) {
        double mean = 0;
        for (uint32_t f = 0; f < count; f++)
            mean += (double)frames[f * numbers + i] / count;
        for (uint32_t f = 0; f < count; f++)
            square += ((double)frames[f * numbers + i] - mean) * ((double)frames[f * numbers + i] - mean) / count;
    }
    return sqrt(square / model->vertex_count);
}

static void compare_frames(const puppet* p, const float* plain, const float* styled, const float* last_plain,
                           const float* last_styled, double floor, measures* m) {
    double size = (double)p->model->size;
    for (size_t v = 0; v < 3 * (size_t)p->model->vertex_count; v += 3) {
        double step = 0;
        double moved = 0;
        double change = 0;
        for (size_t c = v; c < v + 3; c++) {
            double off = (double)styled[c] - (double)plain[c];
            double was = (double)last_styled[c] - (double)last_plain[c];
            step += pow((double)plain[c] - (double)last_plain[c], 2);
            moved += off * off;
            change += (off - was) * (off - was);
        }
        m->pop = fmax(m->pop, sqrt(change) / size);
        m->below = fmax(m->below, (floor - (double)styled[v + 1]) / size);
        if ((double)plain[v + 1] < floor + 0.02 * size && sqrt(step) * FPS < 0.15 * size)
            m->slide = fmax(m->slide, sqrt(moved) / size);
    }
}

// Plays a clip twice; the second turn counts.
static measures measure(puppet* p, uint32_t clip, bool ground) {
    const limber_clip* c = &p->model->clips[clip];
    size_t numbers = 3 * (size_t)p->model->vertex_count;
    uint32_t count = (uint32_t)fmin((c->end_s - c->start_s) * FPS, MOST_FRAMES);
    float* plain = calloc(numbers * count, sizeof *plain);
    float* styled = calloc(numbers * count, sizeof *styled);
    measures m = {0, 0, 0, 0};
    double floor = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        puppet_sample(p, clip, (double)i / FPS);
        puppet_skin_plainly(p);
        floor = fmin(floor, puppet_box_of(p->model, p->plain).low);
    }
    if (ground)
        puppet_stand_at(p, (float)floor);
    for (uint32_t i = 0; i < 2 * count; i++) {
        puppet_sample(p, clip, (double)i / FPS);
        puppet_skin_plainly(p);
        memcpy(plain + numbers * (i % count), p->plain, numbers * sizeof *plain);
        puppet_push(p, (double)i / FPS);
        memcpy(styled + numbers * (i % count), p->frame.positions, numbers * sizeof *styled);
        if (i > count)
            compare_frames(p, p->plain, p->frame.positions, plain + numbers * (i % count - 1),
                           styled + numbers * (i % count - 1), floor, &m);
    }
    m.life = amplitude(p->model, styled, count) / amplitude(p->model, plain, count);
    free(plain);
    free(styled);
    return m;
}

typedef struct performance {
    const char *character, *clip;
    double life;
} performance;

// With and without a ground: feet stay where they were in both.
static void live_poses_become_larger_and_feet_stay(void** state) {
    (void)state;
    static const performance list[] = {{"hero", "run", 1.1}, {"dog", "run", 1.08}, {"dancer", "sway", 1.1}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int ground = 0; ground < 2; ground++) {
            puppet p;
            limber_stage_settings settings = puppet_settings(0.9, 0, 0);
            settings.contacts.strength = 1;
            puppet_open(&p, list[i].character, settings);
            measures m = measure(&p, puppet_clip(&p, list[i].clip), ground);
            print_message("%s %s: life %.3f slide %.4f below %.4f pop %.4f\n", list[i].character, list[i].clip, m.life,
                          m.slide, m.below, m.pop);
            assert_true(m.life > list[i].life && m.life < 1.7);
            assert_true(m.slide < 0.015 && m.below < 0.015);
            puppet_close(&p);
        }
}

// The same without effects, poses and body.
static void live_poses_are_plain_where_nothing_acts(void** state) {
    (void)state;
    puppet p;
    puppet_open(&p, "hero", puppet_settings(0, 0, 0));
    for (int i = 0; i < 90; i++) {
        puppet_play(&p, 0, i / 60.0);
        puppet_skin_plainly(&p);
        assert_true(puppet_farthest(&p, p.plain, p.frame.positions) < 1e-6);
    }
    puppet_close(&p);
}

// Both would have to know what comes.
static void timing_and_anticipation_leave_live_poses_alone(void** state) {
    (void)state;
    puppet p, q;
    limber_stage_settings settings = puppet_settings(0.9, 1, 1);
    puppet_open(&p, "hero", settings);
    settings.perform.snap = settings.perform.hang = settings.perform.anticipate = 1;
    settings.perform.step = 2;
    puppet_open_with(&q, p.asset, &settings);
    for (int i = 0; i < 90; i++) {
        puppet_play(&p, puppet_clip(&p, "jump"), i / 60.0);
        memcpy(q.pose.local, p.pose.local, p.model->rig.joint_count * sizeof *p.pose.local);
        puppet_push(&q, i / 60.0);
        assert_memory_equal(q.frame.positions, p.frame.positions, 3 * sizeof(float) * p.model->vertex_count);
    }
    puppet_close(&q);
    puppet_close(&p);
}

// A larger pose that comes later is another one.
static void a_trail_is_late(void** state) {
    (void)state;
    puppet p, q;
    double apart = 0;
    limber_stage_settings settings = puppet_settings(0.9, 0, 0);
    puppet_open(&p, "dancer", settings);
    settings.perform.trail = 0.1;
    puppet_open_with(&q, p.asset, &settings);
    for (int i = 0; i < 120; i++) {
        puppet_play(&p, puppet_clip(&p, "spin"), i / 60.0);
        puppet_play(&q, puppet_clip(&p, "spin"), i / 60.0);
        apart = fmax(apart, puppet_farthest(&p, p.frame.positions, q.frame.positions));
    }
    assert_true(apart > 0.005);
    puppet_close(&q);
    puppet_close(&p);
}

// Joints that turn by up to 0.6 rad from pose to pose, each its own way, and steps that vary tenfold.
static void violent_poses_stay_bounded(void** state) {
    (void)state;
    puppet p;
    uint32_t seed = 1;
    double t = 0;
    puppet_open(&p, "dog", puppet_settings(2, 2, 2));
    puppet_stand_at(&p, 0);
    for (int i = 0; i < 400; i++) {
        memcpy(p.pose.local, p.model->rig.rest_local, p.model->rig.joint_count * sizeof *p.pose.local);
        for (uint32_t j = 0; j < p.model->rig.joint_count; j++) {
            float turn[3];
            for (int c = 0; c < 3; c++) {
                seed = seed * 1664525u + 1013904223u;
                turn[c] = 0.3f * ((float)(seed >> 8) / 8388608.0f - 1);
            }
            p.pose.local[j].rotation =
                limberi_quat_mul(limberi_quat_exp(limberi_load3(turn)), p.pose.local[j].rotation);
        }
        t += (seed >> 16 & 1) ? 0.004 : 0.04;
        puppet_push(&p, t);
        puppet_skin_plainly(&p);
        assert_true(puppet_farthest(&p, p.plain, p.frame.positions) < 0.8);
    }
    puppet_close(&p);
}

static void live_acting_starts_from_nothing_and_grows_in(void** state) {
    (void)state;
    puppet p;
    double early = 0;
    double later = 0;
    double jump = 0;
    double last = 0;
    puppet_open(&p, "dancer", puppet_settings(0.9, 0.6, 0.6));
    for (int i = 0; i < 120; i++) {
        double t = i / 60.0;
        puppet_play(&p, puppet_clip(&p, "sway"), t);
        puppet_skin_plainly(&p);
        double off = puppet_farthest(&p, p.plain, p.frame.positions);
        if (i == 0)
            assert_true(off < 1e-6);
        early = t < 0.05 ? fmax(early, off) : early;
        later = t > 1 ? fmax(later, off) : later;
        jump = fmax(jump, fabs(off - last));
        last = off;
    }
    assert_true(later > 0.02);
    assert_true(early < 0.1 * later);
    assert_true(jump < 0.2 * later);
    puppet_close(&p);
}

// --- at rest, cut, asked again ---

static void a_still_puppet_has_exactly_its_plain_pose(void** state) {
    (void)state;
    puppet p;
    puppet_open(&p, "hero", puppet_settings(0.9, 0.6, 0.6));
    puppet_stand_at(&p, 0);
    for (int i = 0; i < 60; i++)
        puppet_play(&p, 0, i / 60.0);
    for (int i = 60; i < 60 * 25; i++) {
        puppet_sample(&p, 0, 1);
        puppet_push(&p, i / 60.0);
    }
    puppet_skin_plainly(&p);
    assert_true(puppet_farthest(&p, p.plain, p.frame.positions) < 1e-6);
    assert_memory_equal(p.frame.positions, p.frame.skinned, 3 * sizeof(float) * p.model->vertex_count);
    assert_memory_equal(p.frame.pose->local, p.pose.local, p.model->rig.joint_count * sizeof *p.pose.local);
    puppet_close(&p);
}

// A held pose comes back slowly: at most 1 - exp(-1/1.2) of the edit goes within a second.
static void a_held_pose_does_not_visibly_drift(void** state) {
    (void)state;
    puppet p;
    double last = 0;
    puppet_open(&p, "dancer", puppet_settings(0.9, 0, 0));
    for (int i = 0; i <= 80; i++)
        puppet_play(&p, puppet_clip(&p, "sway"), i / 60.0);
    for (int i = 0; i < 120; i++) {
        puppet_push(&p, (81 + i) / 60.0);
        puppet_skin_plainly(&p);
        double off = puppet_farthest(&p, p.plain, p.frame.positions);
        if (i == 0)
            assert_true(off > 0.01);
        if (i > 12) // the last steps of the motion have come through the filters
            assert_true(off <= last + 1e-5 && off > last * (1 - 0.03));
        last = off;
    }
    puppet_close(&p);
}

static void a_jump_cut_starts_again(void** state) {
    (void)state;
    puppet p;
    puppet_open(&p, "dancer", puppet_settings(0.9, 1, 1));
    for (int i = 0; i < 90; i++)
        puppet_play(&p, puppet_clip(&p, "sway"), i / 60.0);
    puppet_sample(&p, puppet_clip(&p, "leap"), 0.4);
    p.pose.local[0].translation.x += 3 * p.model->size;
    for (uint32_t j = 0; j < p.model->rig.joint_count; j++) {
        limber_quat half = limberi_quat_exp(limberi_vec3(0, 2.5f, 0));
        p.pose.local[j].rotation = limberi_quat_mul(half, p.pose.local[j].rotation);
    }
    puppet_push(&p, 90 / 60.0);
    puppet_skin_plainly(&p);
    assert_true(puppet_farthest(&p, p.plain, p.frame.positions) < 1e-5);
    puppet_close(&p);
}

static void a_reset_starts_again(void** state) {
    (void)state;
    puppet p;
    puppet_open(&p, "dancer", puppet_settings(0.9, 1, 1));
    for (int i = 0; i < 90; i++)
        puppet_play(&p, puppet_clip(&p, "sway"), i / 60.0);
    limber_live_reset(p.live);
    puppet_play(&p, puppet_clip(&p, "sway"), 1.5);
    puppet_skin_plainly(&p);
    assert_true(puppet_farthest(&p, p.plain, p.frame.positions) < 1e-5);
    puppet_close(&p);
}

static float* copy_of(const puppet* p) {
    size_t bytes = 3 * sizeof(float) * p->model->vertex_count;
    float* copy = malloc(bytes);
    memcpy(copy, p->frame.positions, bytes);
    return copy;
}

static void the_same_moment_again_is_the_same_frame(void** state) {
    (void)state;
    puppet p;
    puppet_open(&p, "hero", puppet_settings(0.9, 1, 1));
    for (int i = 0; i < 70; i++)
        puppet_play(&p, 0, i / 60.0);
    float* once = copy_of(&p);
    puppet_push(&p, 69 / 60.0);
    puppet_push(&p, 69 / 60.0);
    assert_memory_equal(once, p.frame.positions, 3 * sizeof(float) * p.model->vertex_count);
    free(once);
    puppet_close(&p);
}

static void a_pose_with_holes_leaves_nothing_behind(void** state) {
    (void)state;
    puppet p, q;
    limber_stage_settings settings = puppet_settings(0.9, 1, 1);
    puppet_open(&p, "hero", settings);
    puppet_open_with(&q, p.asset, &settings);
    for (int i = 0; i < 60; i++) {
        puppet_play(&p, 0, i / 60.0);
        puppet_sample(&q, 0, i / 60.0);
        q.pose.local[1].rotation.x = NAN;
        assert_int_equal(limber_live_push(q.live, q.pose.local, NULL, i / 60.0), LIMBER_ERROR_ARGUMENT);
        puppet_play(&q, 0, i / 60.0);
        assert_memory_equal(q.frame.positions, p.frame.positions, 3 * sizeof(float) * p.model->vertex_count);
    }
    puppet_close(&q);
    puppet_close(&p);
}

// A style that takes over goes on where the other one was.
static void acting_goes_on_under_another_style(void** state) {
    (void)state;
    puppet p, q;
    limber_live* next;
    limber_stage_settings settings = puppet_settings(0.9, 1, 1);
    puppet_open(&p, "dancer", settings);
    puppet_open_with(&q, p.asset, &settings);
    for (int i = 0; i < 90; i++)
        puppet_play(&p, puppet_clip(&p, "sway"), i / 60.0);
    assert_int_equal(limber_live_create(q.pipeline, p.live, &next, NULL), LIMBER_OK);
    limber_live_destroy(q.live);
    q.live = next;
    for (int i = 90; i < 120; i++) {
        puppet_play(&p, puppet_clip(&p, "sway"), i / 60.0);
        puppet_play(&q, puppet_clip(&p, "sway"), i / 60.0);
        assert_memory_equal(q.frame.positions, p.frame.positions, 3 * sizeof(float) * p.model->vertex_count);
    }
    puppet_close(&q);
    puppet_close(&p);
}

// --- gains of joints ---

static uint32_t turned_joints(const puppet* p, const char* below) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < p->model->rig.joint_count; j++) {
        const limber_quat* a = &p->frame.pose->local[j].rotation;
        const limber_quat* b = &p->pose.local[j].rotation;
        double off = fabs((double)(a->x - b->x)) + fabs((double)(a->y - b->y)) + fabs((double)(a->z - b->z));
        count += off > 1e-4 && (!below || strcmp(p->model->rig.names[j], below) == 0);
    }
    return count;
}

static void gains_of_joints_hold(void** state) {
    (void)state;
    puppet p, q;
    limber_stage_settings settings = puppet_settings(0.9, 0, 0);
    puppet_open(&p, "flower", settings);
    float* gains = calloc(p.model->rig.joint_count, sizeof *gains);
    uint32_t kept = p.model->rig.joint_count - 1;
    for (uint32_t j = 0; j < p.model->rig.joint_count; j++)
        gains[j] = 1;
    settings.perform.of_joint = gains;
    for (int i = 0; i < 90; i++)
        puppet_play(&p, puppet_clip(&p, "dance"), i / 60.0);
    for (uint32_t j = 0; j < p.model->rig.joint_count; j++) // one that the style turns
        if (turned_joints(&p, p.model->rig.names[j]))
            kept = j;
    assert_int_equal(turned_joints(&p, p.model->rig.names[kept]), 1);
    gains[kept] = 0;
    puppet_open_with(&q, p.asset, &settings);
    for (int i = 0; i < 90; i++)
        puppet_play(&q, puppet_clip(&p, "dance"), i / 60.0);
    assert_int_equal(turned_joints(&q, p.model->rig.names[kept]), 0);
    assert_true(turned_joints(&q, NULL) > 0);
    puppet_close(&q);
    puppet_close(&p);
    free(gains);
}

// What begins on the floor is no leg: the eyes at the end of a snail's neck swing farther.
static void a_neck_on_the_floor_is_no_leg(void** state) {
    (void)state;
    puppet p;
    bool turned = false;
    puppet_open(&p, "snail", puppet_settings(0.9, 0, 0));
    for (int i = 0; i < 120; i++) {
        puppet_play(&p, puppet_clip(&p, "peek"), i / 60.0);
        turned = turned || turned_joints(&p, "StalkLeft") > 0;
    }
    assert_true(turned);
    puppet_close(&p);
}

// --- rate, size, turn ---

// The frames of the third second, [60] of them.
static float* third_second(puppet* p, uint32_t clip, const double* times, uint32_t count) {
    size_t numbers = 3 * (size_t)p->model->vertex_count;
    float* frames = calloc(60 * numbers, sizeof *frames);
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        puppet_play(p, clip, times[i]);
        if (next < 60 && fabs(times[i] - 2 - next / 60.0) < 1e-9)
            memcpy(frames + numbers * next++, p->frame.positions, numbers * sizeof *frames);
    }
    assert_int_equal(next, 60);
    return frames;
}

static float* at_rate(const limber_asset* asset, const limber_stage_settings* settings, uint32_t per_frame,
                      bool uneven) {
    static double times[3 * 60 * 8];
    puppet p;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3 * 60; i++)
        for (uint32_t k = 0; k < per_frame; k++) {
            double part = (double)k / per_frame;
            times[count++] = (i + (uneven ? part * part : part)) / 60.0;
        }
    puppet_open_with(&p, (limber_asset*)asset, settings);
    float* frames = third_second(&p, puppet_clip(&p, "run"), times, count);
    puppet_close(&p);
    return frames;
}

static double difference(const float* a, const float* b, size_t numbers) {
    double worst = 0;
    for (size_t i = 0; i < numbers; i++)
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    return worst;
}

static void live_acting_is_the_same_at_any_rate(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("dog", 0.5);
    const limber_model* model = limber_asset_model(asset);
    size_t numbers = 60 * 3 * (size_t)model->vertex_count;
    const limber_stage_settings list[3] = {puppet_settings(0.9, 0, 0), puppet_settings(0, 1, 1),
                                           puppet_settings(0, 0, 0)};
    float* none = at_rate(asset, &list[2], 1, false);
    for (int i = 0; i < 2; i++) {
        float* fine = at_rate(asset, &list[i], 8, false);
        double whole = difference(fine, none, numbers);
        float* coarse = at_rate(asset, &list[i], 1, false);
        float* uneven = at_rate(asset, &list[i], 3, true);
        print_message("%s: of %.4f L, at 60: %.4f, uneven: %.4f\n", i ? "body" : "pose", whole / (double)model->size,
                      difference(coarse, fine, numbers) / whole, difference(uneven, fine, numbers) / whole);
        assert_true(whole > 0.01 * (double)model->size);
        assert_true(difference(coarse, fine, numbers) < (i ? 0.12 : 0.03) * whole);
        assert_true(difference(uneven, fine, numbers) < (i ? 0.08 : 0.02) * whole);
        free(fine);
        free(coarse);
        free(uneven);
    }
    free(none);
    limber_asset_destroy(asset);
}

// A joint above all others turns and scales the world.
static void live_acting_is_the_same_in_a_turned_and_scaled_world(void** state) {
    (void)state;
    puppet p, q;
    limber_transform above = {limberi_vec3(3, 0, -7), limberi_quat_exp(limberi_vec3(0, 0.65f, 0)),
                              limberi_vec3(2.5f, 2.5f, 2.5f)};
    limber_stage_settings settings = puppet_settings(0.9, 1, 1);
    settings.contacts.strength = 1;
    puppet_open(&p, "hero", settings);
    puppet_open_with(&q, test_rearranged(p.model, NULL, &above), &settings);
    q.asset = (limber_asset*)limber_pipeline_asset(q.pipeline);
    puppet_stand_at(&p, 0);
    puppet_stand_at(&q, 0);
    double worst = 0;
    for (int i = 0; i < 120; i++) {
        puppet_play(&p, puppet_clip(&p, "run"), i / 60.0);
        puppet_play(&q, puppet_clip(&q, "run"), i / 60.0);
        for (uint32_t v = 0; v < p.model->vertex_count; v++) {
            limber_vec3 at = limberi_load3(p.frame.positions + 3 * (size_t)v);
            at = limberi_add(limberi_scale(limberi_quat_rotate(above.rotation, at), 2.5f), above.translation);
            limber_vec3 off = limberi_sub(at, limberi_load3(q.frame.positions + 3 * (size_t)v));
            worst = fmax(worst, (double)(limberi_length(off) / q.model->size));
        }
    }
    print_message("turned and scaled: %.2g L\n", worst);
    assert_true(worst < 1e-3);
    puppet_close(&q);
    puppet_close(&p);
}

// --- memory ---

static void live_acting_allocates_when_it_is_created_only(void** state) {
    (void)state;
    puppet p;
    puppet_open(&p, "hero", puppet_settings(0.9, 1, 1));
    puppet_stand_at(&p, 0);
    puppet_play(&p, 0, 0);
    test_memory_forget();
    for (int i = 1; i < 60; i++)
        puppet_play(&p, 0, i / 60.0);
    assert_int_equal(test_memory_taken_count(), 0);
    puppet_close(&p);
}

static void live_acting_survives_any_failed_allocation(void** state) {
    (void)state;
    limber_stage_settings settings = puppet_settings(0.9, 1, 1);
    bool ran_out = true;
    for (long allowed = 0; ran_out; allowed += allowed < 40 ? 1 : 7) {
        limber_asset* asset = test_built_in("ball", 0.5);
        limber_pipeline* pipeline;
        limber_live* live = NULL;
        assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
        test_memory_allow(allowed);
        limber_result result = limber_live_create(pipeline, NULL, &live, NULL);
        ran_out = test_memory_end();
        assert_int_equal(result, ran_out ? LIMBER_ERROR_MEMORY : LIMBER_OK);
        limber_live_destroy(live);
        limber_pipeline_destroy(pipeline);
        limber_asset_destroy(asset);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_poses_become_larger_and_feet_stay),
        cmocka_unit_test(live_poses_are_plain_where_nothing_acts),
        cmocka_unit_test(timing_and_anticipation_leave_live_poses_alone),
        cmocka_unit_test(a_trail_is_late),
        cmocka_unit_test(violent_poses_stay_bounded),
        cmocka_unit_test(live_acting_starts_from_nothing_and_grows_in),
        cmocka_unit_test(a_still_puppet_has_exactly_its_plain_pose),
        cmocka_unit_test(a_held_pose_does_not_visibly_drift),
        cmocka_unit_test(a_jump_cut_starts_again),
        cmocka_unit_test(a_reset_starts_again),
        cmocka_unit_test(the_same_moment_again_is_the_same_frame),
        cmocka_unit_test(a_pose_with_holes_leaves_nothing_behind),
        cmocka_unit_test(acting_goes_on_under_another_style),
        cmocka_unit_test(gains_of_joints_hold),
        cmocka_unit_test(a_neck_on_the_floor_is_no_leg),
        cmocka_unit_test(live_acting_is_the_same_at_any_rate),
        cmocka_unit_test(live_acting_is_the_same_in_a_turned_and_scaled_world),
        cmocka_unit_test(live_acting_allocates_when_it_is_created_only),
        cmocka_unit_test(live_acting_survives_any_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
