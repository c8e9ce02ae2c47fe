// Hours of live poses: random actions on random styles, for LIMBER_ENDURANCE_S seconds (2 unless told otherwise). Every
// frame is finite, and when everything is destroyed after some hundred actions, no more memory is held than the first
// time. Prints the memory of the process at the start and at the end. Only under the address sanitizer.
#include <math.h>
#include <sanitizer/allocator_interface.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "characters/characters.h"
#include "kit/endurance.h"

#include <limber/limber.h>
#include <limber/live.h>
#include <limber/pack.h>
#include <limber/stages/stages.h>

enum { ROUND = 300, KINDS = 3 };

typedef struct show {
    const limber_model* model;
    limber_asset* asset;
    limber_pipeline* pipeline;
    limber_live* lives[2];
    limber_pose pose;
    double time_s, clip_s;
    uint64_t frames;
} show;

static uint32_t below(uint32_t count) {
    return endurance_below(count);
}

static double unit(void) {
    return below(1u << 24) / (double)(1u << 24);
}

static limber_pipeline* dress(const limber_asset* asset) {
    limber_style* style;
    limber_pipeline* pipeline = NULL;
    limber_error error;
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    const char* name = limber_preset_at(below(limber_preset_count()))->name;
    assert_int_equal(limber_style_read_preset(style, name, &error), LIMBER_OK);
    char strength[32];
    snprintf(strength, sizeof strength, "%.3f", 2 * unit());
    assert_int_equal(limber_style_set(style, "strength", strength, &error), LIMBER_OK);
    if (limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s: %s", name, error.message);
    limber_style_destroy(style);
    return pipeline;
}

// The first of the two goes on where it was before, the second begins.
static void change_style(show* s) {
    limber_pipeline* next = dress(s->asset);
    limber_live* lives[2];
    limber_error error;
    for (int i = 0; i < 2; i++)
        if (limber_live_create(next, i ? NULL : s->lives[0], &lives[i], &error) != LIMBER_OK)
            fail_msg("%s", error.message);
    for (int i = 0; i < 2; i++) {
        limber_live_destroy(s->lives[i]);
        s->lives[i] = lives[i];
    }
    limber_pipeline_destroy(s->pipeline);
    s->pipeline = next;
    limber_smear_live_settings smears = limber_smear_live_settings_default();
    smears.history = 1 + below(12);
    if (limber_live_set_smears(s->lives[0], &smears, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
}

static void expect_finite(const show* s, const float* positions) {
    for (size_t i = 0; i < 3 * (size_t)s->model->vertex_count; i++)
        if (!isfinite(positions[i]))
            fail_msg("frame %llu is not finite", (unsigned long long)s->frames);
}

static void disturb(show* s) {
    limber_transform* local = &s->pose.local[below(s->model->rig.joint_count)];
    float amount = (float)(s->model->size * (below(10) ? 0.05 : 50));
    local->translation.x += amount * (float)(unit() - 0.5);
    local->rotation.y += (float)(unit() - 0.5);
}

static void play_frame(show* s) {
    static const double steps[] = {1.0 / 60, 1.0 / 60, 1.0 / 60, 1.0 / 30, 1.0 / 24, 0.1, 0, 2, -1};
    limber_live* live = s->lives[below(8) == 0];
    const limber_clip* clip = &s->model->clips[below(400) ? 0 : below(s->model->clip_count)];
    double step_s = steps[below(sizeof steps / sizeof *steps)];
    s->time_s += step_s;
    s->clip_s += step_s;
    limber_clip_sample(s->model, clip, limber_clip_wrap(clip, true, s->clip_s), &s->pose);
    if (!below(20))
        disturb(s);
    limber_result result = limber_live_push(live, s->pose.local, below(2) ? s->pose.morph_weights : NULL, s->time_s);
    assert_int_equal(result, LIMBER_OK);
    s->frames++;
    limber_smeared smeared;
    limber_frame frame;
    if (live == s->lives[0] && !below(3)) {
        assert_int_equal(limber_live_evaluate_smeared(live, &smeared), LIMBER_OK);
        expect_finite(s, smeared.frame.positions);
        return;
    }
    limber_pipeline_evaluate_vertices(s->pipeline, &frame);
    expect_finite(s, frame.positions);
}

static bool hills(void* user, float x, float z, float* height) {
    (void)user;
    *height = 0.1f * sinf(x + z);
    return x < 5;
}

static void pack_and_unpack(const show* s) {
    limber_pack* pack;
    if (limber_pack_create(s->pipeline, true, &pack, NULL) == LIMBER_OK)
        limber_pack_destroy(pack);
}

static void act(show* s) {
    switch (below(40)) {
    case 0:
        change_style(s);
        break;
    case 1:
        limber_live_reset(s->lives[below(2)]);
        break;
    case 2:
        limber_live_set_ground(s->lives[below(2)], below(2) ? hills : NULL, NULL);
        break;
    case 3:
        pack_and_unpack(s);
        break;
    default:
        play_frame(s);
    }
}

static uint64_t play_round(void) {
    static const char* const names[KINDS] = {"dog", "hero", "snail"};
    show s = {0};
    limber_error error;
    assert_int_equal(limberi_character_create(names[below(KINDS)], 0.5, &s.asset, &error), LIMBER_OK);
    s.model = limber_asset_model(s.asset);
    assert_int_equal(limber_pose_create(s.model, &s.pose), LIMBER_OK);
    change_style(&s);
    for (int i = 0; i < ROUND; i++)
        act(&s);
    for (int i = 0; i < 2; i++)
        limber_live_destroy(s.lives[i]);
    limber_pipeline_destroy(s.pipeline);
    limber_pose_destroy(&s.pose);
    limber_asset_destroy(s.asset);
    return s.frames;
}

static void an_hour_of_live_poses_is_bounded(void** state) {
    (void)state;
    uint64_t frames = play_round();
    uint32_t rounds = 1;
    size_t held = __sanitizer_get_current_allocated_bytes();
    long start_kb = endurance_memory_kb(0);
    for (time_t end = time(NULL) + endurance_seconds(); time(NULL) < end; rounds++) {
        frames += play_round();
        assert_true(__sanitizer_get_current_allocated_bytes() <= held);
    }
    long end_kb = endurance_memory_kb(0);
    print_message("%u rounds, %llu frames: %zu bytes held after the first, %zu after the last; "
                  "the process had %ld kB, has %ld kB\n",
                  rounds, (unsigned long long)frames, held, __sanitizer_get_current_allocated_bytes(), start_kb,
                  end_kb);
    assert_true(end_kb <= start_kb + ENDURANCE_GROWTH_KB);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_hour_of_live_poses_is_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
