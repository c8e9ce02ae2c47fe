// What performances make of the built-in characters, against acting.txt: parts of the body, key poses, shifts, turns of
// joints, squash and holds. A constant that moves shows here, though every identity still holds.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"
#include "kit/recorded.h"

enum { LOOKS = 9 };

static limber_pipeline* performing(const limber_asset* asset, const limber_perform_settings* perform) {
    limber_stage_settings settings = limber_stage_settings_default();
    limber_pipeline* pipeline;
    settings.perform = *perform;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
    return pipeline;
}

static double moment_of(const limber_clip* clip, int look) {
    return clip->start_s + (clip->end_s - clip->start_s) * (look + 0.37) / LOOKS;
}

static void say_body(FILE* out, const limber_model* model, const limber_performance* a) {
    char* const* names = (char* const*)model->rig.names;
    fprintf(out, " hips %s head %s trunk", a->hips < 0 ? "-" : names[a->hips], a->head < 0 ? "-" : names[a->head]);
    for (uint32_t i = 0; i < a->trunk_count; i++)
        fprintf(out, " %s", names[a->trunk[i]]);
    for (uint32_t i = 0; i < a->limb_count; i++)
        fprintf(out, " %s %s", i < a->leg_count ? "leg" : "limb", names[a->limbs[i]]);
    fprintf(out, "\n");
}

// Key poses, and how far things are shifted, in ms.
static void say_timing(FILE* out, const limber_asset* asset, uint32_t clip) {
    const limber_model* model = limber_asset_model(asset);
    limber_perform_settings perform = limber_perform_settings_default();
    limber_performance a;
    perform.snap = 0.75;
    perform.hang = 1;
    limber_pipeline* pipeline = performing(asset, &perform);
    assert_true(limber_pipeline_performance(pipeline, clip, &a));
    if (!clip)
        say_body(out, model, &a);
    fprintf(out, " %s%s amplitude %.4f flights %u keys", model->clips[clip].name, a.gait ? " is a gait" : "",
            a.amplitude, a.flight_count);
    for (uint32_t i = 0; i < a.key_count; i++)
        fprintf(out, " %.4f", a.key_times[i]);
    fprintf(out, "\n  slowest %.4f fastest %.4f lingers %.4f shifts", a.slowest, a.fastest, a.lingers);
    for (int i = 0; i < LOOKS; i++) {
        double t = moment_of(&model->clips[clip], i);
        fprintf(out, " %.4f", 1000 * (limber_pipeline_source_time(pipeline, clip, t) - t));
    }
    limber_pipeline_destroy(pipeline);
    perform.step = 0;
    pipeline = performing(asset, &perform);
    assert_true(limber_pipeline_performance(pipeline, clip, &a));
    fprintf(out, "\n  frames on ones %u twos %u threes %u\n", a.held_frames[0], a.held_frames[1], a.held_frames[2]);
    limber_pipeline_destroy(pipeline);
}

// In degrees, from the distance of the quaternions, which rounding leaves alone.
static double turned(const limber_pose* a, const limber_pose* b, uint32_t joint) {
    const float *p = &a->local[joint].rotation.x, *q = &b->local[joint].rotation.x;
    double apart = 0, together = 0;
    for (int i = 0; i < 4; i++) {
        apart += ((double)p[i] - (double)q[i]) * ((double)p[i] - (double)q[i]);
        together += ((double)p[i] + (double)q[i]) * ((double)p[i] + (double)q[i]);
    }
    return 4 * asin(0.5 * sqrt(fmin(apart, together))) / 0.0174533;
}

// Of each joint: how far it turns against its parent (degrees) and goes (thousandths of L), as root mean squares.
static void say_poses(FILE* out, const limber_asset* asset, uint32_t clip, double exaggerate, double anticipate) {
    const limber_model* model = limber_asset_model(asset);
    limber_perform_settings perform = limber_perform_settings_default();
    limber_edited_clip edited;
    limber_performance a;
    limber_pose poses[2];
    perform.exaggerate = exaggerate;
    perform.anticipate = anticipate;
    limber_pipeline* pipeline = performing(asset, &perform);
    assert_true(limber_pipeline_edited_clip(pipeline, clip, &edited));
    assert_true(limber_pipeline_performance(pipeline, clip, &a));
    double* sums = calloc(2 * (size_t)model->rig.joint_count, sizeof *sums);
    assert_non_null(sums);
    for (int i = 0; i < 2; i++)
        assert_int_equal(limber_pose_create(model, &poses[i]), LIMBER_OK);
    for (int n = 0; n < 4 * LOOKS; n++) {
        for (int i = 0; i < 2; i++) {
            limber_clip_sample(model, i ? edited.clip : &model->clips[clip],
                               moment_of(edited.clip, n / 4) + 0.03 * (n % 4), &poses[i]);
            limber_pose_update_world(model, &poses[i]);
        }
        for (uint32_t j = 0; j < model->rig.joint_count; j++) {
            double turn = turned(&poses[0], &poses[1], j);
            limber_vec3 way = limberi_sub(limberi_mat4_translation(&poses[1].world_from_joint[j]),
                                          limberi_mat4_translation(&poses[0].world_from_joint[j]));
            sums[2 * j] += turn * turn / (4 * LOOKS);
            sums[2 * j + 1] += (double)limberi_dot(way, way) / (4 * LOOKS);
        }
    }
    fprintf(out, "  poses %g %g gain %.4f amplitude %.4f:", exaggerate, anticipate, a.pose_gain, a.new_amplitude);
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        fprintf(out, "%s %.4f %.4f", j % 12 ? "" : "\n  ", sqrt(sums[2 * j]),
                1000 * sqrt(sums[2 * j + 1]) / (double)model->size);
    fprintf(out, "\n");
    free(sums);
    for (int i = 0; i < 2; i++)
        limber_pose_destroy(&poses[i]);
    limber_pipeline_destroy(pipeline);
}

// How tall the body becomes, and how far vertices go in a few moments (thousandths of L).
static void say_shape(FILE* out, const limber_asset* asset, uint32_t clip) {
    const limber_model* model = limber_asset_model(asset);
    limber_perform_settings perform = limber_perform_settings_default();
    limber_performance a;
    limber_frame frame;
    perform.squash = 1;
    perform.bend = 1;
    limber_pipeline* pipeline = performing(asset, &perform);
    assert_true(limber_pipeline_performance(pipeline, clip, &a));
    fprintf(out, "  body from %.4f to %.4f moves", a.shortest, a.tallest);
    for (int i = 0; i < LOOKS; i++) {
        double sum = 0;
        assert_int_equal(limber_pipeline_evaluate(pipeline, (int32_t)clip, moment_of(&model->clips[clip], i), &frame),
                         LIMBER_OK);
        for (size_t v = 0; v < 3 * (size_t)model->vertex_count; v++)
            sum += ((double)frame.positions[v] - (double)frame.skinned[v]) *
                   ((double)frame.positions[v] - (double)frame.skinned[v]);
        fprintf(out, " %.4f", 1000 * sqrt(sum / model->vertex_count) / (double)model->size);
    }
    fprintf(out, "\n");
    limber_pipeline_destroy(pipeline);
}

static void performances_are_as_recorded(void** state) {
    (void)state;
    static const char* const names[] = {"hero", "dog", "toon", "dancer", "giraffe"};
    char* text;
    size_t length;
    FILE* out = test_recorded_begin(&text, &length);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        limber_asset* asset = test_built_in(names[i], 0.5);
        fprintf(out, "%s\n", names[i]);
        for (uint32_t c = 0; c < limber_asset_model(asset)->clip_count; c++) {
            say_timing(out, asset, c);
            say_poses(out, asset, c, 0.8, 0);
            say_poses(out, asset, c, 0.8, 0.45);
            say_shape(out, asset, c);
        }
        limber_asset_destroy(asset);
    }
    test_recorded_end(out, &text, &length, LIMBER_SOURCE_DIR "/tests/perform/acting.txt");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(performances_are_as_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
