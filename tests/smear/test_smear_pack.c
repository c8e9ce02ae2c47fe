// What a graphics card gets for live smears: which frames it mixes, bones of vertices, formulas, and what it does not get.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kit/models.h"
#include "kit/style_kit.h"
#include "pipeline/state.h"
#include "smear/smear_pack.h"

typedef struct stage {
    limber_asset* asset;
    limber_pipeline* pipeline;
    limber_smear_live* live;
    limberi_smear_pack* pack;
} stage;

static limber_result open_stage(stage* s, const char* character, const char* style_text, limber_error* error) {
    s->asset = test_built_in(character, 1);
    limber_style* style = style_kit_read(style_text);
    assert_int_equal(limber_pipeline_create(s->asset, style, &s->pipeline, error), LIMBER_OK);
    limber_style_destroy(style);
    assert_int_equal(limberi_smear_live_create_for_gpu(s->asset, &limber_pipeline_stage_settings(s->pipeline)->smear,
                                                       NULL, &s->live, error),
                     LIMBER_OK);
    return limberi_smear_pack_create(s->live, &s->pack, error);
}

static void close_stage(stage* s) {
    limberi_smear_pack_destroy(s->pack);
    limber_smear_live_destroy(s->live);
    limber_pipeline_destroy(s->pipeline);
    limber_asset_destroy(s->asset);
}

static uint32_t push(stage* s, double time_s) {
    assert_int_equal(limber_pipeline_evaluate_joints(s->pipeline, 0, time_s), LIMBER_OK);
    limber_smear_live_push(s->live, NULL, NULL, limberi_pipeline_state_of(s->pipeline).pose, time_s);
    return limberi_smear_live_place(s->live);
}

static const char plain[] =
    "{\"smear\": {\"elongate\": {\"amount\": \"3 * offset * smoothstep(0, 0.1, speed) * voronoi(9)\"}, "
    "\"multiples\": {\"past\": 2}, \"lines\": {\"count\": 20, \"length\": \"-4 * rand\", \"gap\": \"t\"}}}";

static void frames_are_mixes_of_pushes(void** state) {
    (void)state;
    stage s;
    limber_error error;
    assert_int_equal(open_stage(&s, "cow", plain, &error), LIMBER_OK);
    double times[64] = {0}, now = 0;
    for (int i = 0; i < 40; i++) {
        now = 0.1 + i / 47.0; // between the frames of 30 per second that smears count
        uint32_t place = push(&s, now);
        assert_true(place < limberi_smear_pack_get_layout(s.pack).places);
        times[place] = now;
    }
    const float* frame = limberi_smear_pack_frame(s.pack);
    const float* mixes = frame + 4 * (size_t)frame[24];
    assert_true(frame[3] >= 8);
    for (int k = 0; k <= (int)frame[3]; k++, mixes += 4) {
        double time_s = times[(int)mixes[0]] + (times[(int)mixes[1]] - times[(int)mixes[0]]) * (double)mixes[2];
        assert_true(fabs(time_s - (now - k / 30.0)) < 1e-4);
    }
    close_stage(&s);
}

static void shares_of_the_frames_add_up(void** state) {
    (void)state;
    stage s;
    limber_error error;
    assert_int_equal(open_stage(&s, "cow", plain, &error), LIMBER_OK);
    for (int pushes = 1; pushes <= 4; pushes++) {
        push(&s, 0.1 + pushes / 30.0);
        const float* frame = limberi_smear_pack_frame(s.pack);
        float sum = 0;
        for (int k = 0; k <= (int)frame[5]; k++)
            sum += frame[4 * ((size_t)frame[25] + (size_t)k)];
        assert_true(fabsf(sum - 1) < 1e-6f);
        assert_int_equal((int)frame[5], pushes < 3 ? pushes - 1 : 2);
    }
    close_stage(&s);
}

static void every_vertex_has_its_bones(void** state) {
    (void)state;
    stage s;
    limber_error error;
    assert_int_equal(open_stage(&s, "cow", plain, &error), LIMBER_OK);
    push(&s, 0.1);
    const float *frame = limberi_smear_pack_frame(s.pack), *fixed = limberi_smear_pack_fixed(s.pack);
    size_t stride = (size_t)frame[19], vertices = (size_t)frame[28];
    assert_int_equal(vertices, limber_asset_model(s.asset)->vertex_count);
    for (size_t u = 0; u < vertices; u++) {
        const float* vertex = fixed + 4 * u * stride;
        float sum = 0;
        for (size_t i = 0; i < (size_t)vertex[3]; i++)
            sum += fixed[4 * ((size_t)vertex[2] + i) + 1];
        assert_true(fabsf(sum - 1) < 1e-5f);
        assert_true(fixed[4 * (u * stride + 1)] >= 0 && fixed[4 * (u * stride + 1)] < 1); // voronoi(9), which stays
    }
    close_stage(&s);
}

enum { SEEDS = 22 }; // of a frame's numbers: where the lines begin, then how many texels each has

// Where a line starts, its color, and how strong its ink is along the way.
static void every_line_has_its_place_and_color(void** state) {
    (void)state;
    stage s;
    limber_error error;
    assert_int_equal(open_stage(&s, "cow",
                                "{\"smear\": {\"elongate\": {\"amount\": \"offset\"}, \"lines\": {\"count\": 20, "
                                "\"color\": \"#00ff00\"}}}",
                                &error),
                     LIMBER_OK);
    push(&s, 0.1);
    const float *frame = limberi_smear_pack_frame(s.pack), *fixed = limberi_smear_pack_fixed(s.pack);
    size_t vertices = limber_asset_model(s.asset)->vertex_count;
    for (size_t i = 0; i < 20; i++) {
        const float* seed = fixed + 4 * ((size_t)frame[SEEDS] + i * (size_t)frame[SEEDS + 1]);
        for (int k = 0; k < 3; k++) {
            assert_true(seed[k] >= 0 && (size_t)seed[k] < vertices);
            assert_true(seed[4 + k] >= 0 && seed[8 + k] == (k == 1 ? 1 : 0));
        }
        assert_true(seed[3] == 1 && fabsf(seed[4] + seed[5] + seed[6] - 1) < 1e-5f && seed[11] == 1);
        for (int ring = 0; ring < 13; ring++)
            assert_true(seed[12 + ring] >= 0 && seed[12 + ring] <= 1);
    }
    close_stage(&s);
}

static void formulas_leave_what_stays_to_columns(void** state) {
    (void)state;
    stage s;
    limber_error error;
    assert_int_equal(open_stage(&s, "cow", plain, &error), LIMBER_OK);
    const char* text = limberi_smear_pack_formulas(s.pack);
    assert_non_null(strstr(text, "amount\n"));
    assert_non_null(strstr(text, "ramp"));
    assert_non_null(strstr(text, " v0"));
    assert_null(strstr(text, "voronoi"));
    assert_non_null(strstr(text, "gap\n= u0\n"));
    assert_non_null(strstr(text, "radius\n= c"));
    close_stage(&s);
}

static void refused(const char* style, const char* reason) {
    stage s = {0};
    limber_error error;
    assert_int_equal(open_stage(&s, "cow", style, &error), LIMBER_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, reason));
    close_stage(&s);
}

static void what_a_card_computes_otherwise_is_refused(void** state) {
    (void)state;
    refused("{\"smear\": {\"elongate\": {\"amount\": \"offset * sin(9 * speed)\"}}}", "sin");
    refused("{\"smear\": {\"elongate\": {\"amount\": \"offset\"}, \"offsets\": {\"skeleton\": false}}}", "skeleton");
    refused("{\"smear\": {\"ribbon\": {\"amount\": 1}}}", "smears as drawn");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_mixes_of_pushes),
        cmocka_unit_test(shares_of_the_frames_add_up),
        cmocka_unit_test(every_vertex_has_its_bones),
        cmocka_unit_test(every_line_has_its_place_and_color),
        cmocka_unit_test(formulas_leave_what_stays_to_columns),
        cmocka_unit_test(what_a_card_computes_otherwise_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
