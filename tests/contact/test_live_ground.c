// Live poses on the ground that a game gives: what stands stays, nothing sinks, a landing squashes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"
#include "kit/scene.h"
#include <limber/live.h>
#include <limber/style.h>

typedef struct stage {
    limber_asset* asset;
    const limber_model* model;
    limber_pipeline* pipeline;
    limber_live* live;
    limber_pose pose;
    float floor;
} stage;

static bool flat(void* user, float x, float z, float* height) {
    (void)x;
    (void)z;
    *height = *(const float*)user;
    return true;
}

static bool nowhere(void* user, float x, float z, float* height) {
    (void)user;
    (void)x;
    (void)z;
    (void)height;
    return false;
}

static const char bouncy[] = "{\"compose\": \"chain\", \"contact\": 1, \"impact\": {\"gain\": 1}, \"effects\": {"
                             "\"overlap\": {\"frequency\": 1.9, \"gain\": 3.5, \"linear\": 1}}}";

static void open_stage(stage* s, const char* character, const char* text) {
    limber_style* style;
    limber_error error;
    memset(s, 0, sizeof *s);
    s->asset = test_built_in(character, 1);
    s->model = limber_asset_model(s->asset);
    if (limber_style_create(&style, &error) != LIMBER_OK ||
        limber_style_read(style, text, strlen(text), &error) != LIMBER_OK ||
        limber_pipeline_create(s->asset, style, &s->pipeline, &error) != LIMBER_OK ||
        limber_live_create(s->pipeline, NULL, &s->live, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_style_destroy(style);
    assert_int_equal(limber_pose_create(s->model, &s->pose), LIMBER_OK);
    limber_contacts* contacts;
    assert_int_equal(limber_contacts_find(s->asset, 0, NULL, &contacts, NULL), LIMBER_OK);
    s->floor = (float)limber_contacts_level(contacts, 0);
    limber_contacts_destroy(contacts);
    limber_live_set_ground(s->live, flat, &s->floor);
}

static void close(stage* s) {
    limber_live_destroy(s->live);
    limber_pipeline_destroy(s->pipeline);
    limber_pose_destroy(&s->pose);
    limber_asset_destroy(s->asset);
}

static void push(stage* s, uint32_t clip, double time_s, limber_frame* frame) {
    const limber_clip* c = &s->model->clips[clip];
    limber_clip_sample(s->model, c, limber_clip_wrap(c, true, c->start_s + time_s), &s->pose);
    assert_int_equal(limber_live_push(s->live, s->pose.local, NULL, time_s), LIMBER_OK);
    limber_pipeline_evaluate_vertices(s->pipeline, frame);
}

static float lowest(const stage* s, const float* positions) {
    float low = INFINITY;
    for (uint32_t v = 0; v < s->model->vertex_count; v++)
        low = fminf(low, positions[3 * (size_t)v + 1]);
    return low;
}

// Vertices that lie on the floor and do not move.
static float worst_slide(const stage* s, const limber_frame* frame, const float* before) {
    float worst = 0, near = 0.01f * s->model->size, still = 0.001f * s->model->size;
    for (uint32_t v = 0; v < s->model->vertex_count; v++) {
        const float *p = frame->skinned + 3 * (size_t)v, *q = frame->positions + 3 * (size_t)v;
        limber_vec3 way = limberi_sub(limberi_load3(p), limberi_load3(before + 3 * (size_t)v));
        if (p[1] < s->floor + near && limberi_length(way) < still)
            worst = fmaxf(worst, limberi_length(limberi_sub(limberi_load3(q), limberi_load3(p))));
    }
    return worst;
}

static void what_stands_stays_and_nothing_sinks(void** state) {
    (void)state;
    stage s;
    open_stage(&s, "dog", bouncy);
    float* before = calloc(3 * (size_t)s.model->vertex_count, sizeof *before);
    float slide = 0, sink = 0;
    uint32_t clip = s.model->clip_count - 1; // stops, and then stands
    for (int f = 0; f < 120; f++) {
        limber_frame frame;
        push(&s, clip, f / 60.0, &frame);
        if (f > 110)
            slide = fmaxf(slide, worst_slide(&s, &frame, before));
        sink = fmaxf(sink, fminf(s.floor, lowest(&s, frame.skinned)) - lowest(&s, frame.positions));
        memcpy(before, frame.skinned, 3 * (size_t)s.model->vertex_count * sizeof *before);
    }
    print_message("slides %g L, sinks %g L\n", (double)(slide / s.model->size), (double)(sink / s.model->size));
    assert_true(slide < 0.004f * s.model->size);
    assert_true(sink < 0.002f * s.model->size);
    free(before);
    close(&s);
}

static float min_height(int rate, const char* text, bool ground) {
    stage s;
    open_stage(&s, "ball", text);
    if (!ground)
        limber_live_set_ground(s.live, nowhere, NULL);
    float min = INFINITY;
    for (int f = 0; f < 3 * rate; f++) {
        limber_frame frame;
        push(&s, 0, (double)f / rate, &frame);
        float low = INFINITY, high = -INFINITY;
        for (uint32_t v = 0; v < s.model->vertex_count; v++) {
            low = fminf(low, frame.positions[3 * (size_t)v + 1]);
            high = fmaxf(high, frame.positions[3 * (size_t)v + 1]);
        }
        min = fminf(min, high - low);
    }
    close(&s);
    return min;
}

static void a_landing_squashes_at_any_rate(void** state) {
    (void)state;
    static const char impact[] = "{\"contact\": 1, \"impact\": {\"gain\": 1}}", off[] = "{\"contact\": 1}";
    float round = min_height(60, off, true), squashed = min_height(60, impact, true);
    print_message("%g high, %g at a landing, %g at 240 per second\n", (double)round, (double)squashed,
                  (double)min_height(240, impact, true));
    assert_true(squashed < 0.85f * round);
    assert_true(fabsf(min_height(240, impact, true) - squashed) < 0.05f * round);
    assert_true(fabsf(min_height(60, impact, false) - round) < 1e-4f * round); // no ground, no landing
}

static void a_pause_or_a_reset_starts_anew(void** state) {
    (void)state;
    stage s;
    limber_frame frame;
    open_stage(&s, "ball", bouncy);
    for (int f = 0; f < 30; f++)
        push(&s, 0, f / 60.0, &frame);
    push(&s, 0, 100, &frame); // minutes later
    for (uint32_t v = 0; v < 3 * s.model->vertex_count; v++)
        assert_true(isfinite(frame.positions[v]));
    limber_live_reset(s.live);
    push(&s, 0, 0, &frame);
    for (uint32_t v = 0; v < 3 * s.model->vertex_count; v++)
        assert_true(isfinite(frame.positions[v]));
    close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_stays_and_nothing_sinks),
        cmocka_unit_test(a_landing_squashes_at_any_rate),
        cmocka_unit_test(a_pause_or_a_reset_starts_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
