// What this machine does: nanoseconds per vertex for the built-in characters, each as a ratio to plain linear skinning
// measured in the same run, best of several rounds.
#include "characters/characters.h"
#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 7, FRAMES = 24 };

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct row {
    const char* name;
    limber_pipeline_settings settings;
} row;

static double best_ns_per_vertex(const limber_asset* asset, const limber_pipeline_settings* settings,
                                 uint32_t outputs) {
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create(asset, settings, &pipeline, &error) != LIMBER_OK) {
        fprintf(stderr, "limber_bench: %s\n", error.message);
        exit(1);
    }
    limber_pipeline_outputs(pipeline, outputs);
    const limber_clip* clip = &limber_asset_model(asset)->clips[0];
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_s();
        for (int f = 0; f < FRAMES; f++) {
            limber_frame frame;
            double t = clip->start_s + (clip->end_s - clip->start_s) * (f + 0.5) / FRAMES;
            if (limber_pipeline_evaluate(pipeline, 0, t, &frame) != LIMBER_OK)
                exit(1);
        }
        double spent = (now_s() - start) / FRAMES;
        best = spent < best ? spent : best;
    }
    limber_pipeline_destroy(pipeline);
    return 1e9 * best / limber_asset_model(asset)->vertex_count;
}

static void turn_on(limber_pipeline_settings* s, limber_effect first, limber_effect last) {
    for (int e = (int)first; e <= (int)last; e++) {
        s->deform.effects[e].linear.value = 0.02f;
        s->deform.effects[e].angular.value = 0.05f;
        s->deform.effects[e].max_bend_deg.value = 60;
        s->deform.effects[e].normals = LIMBER_LIFT_MESH;
    }
}

// What a formula costs against a constant, the same effect otherwise.
static void bench_formula(const limber_asset* asset) {
    limber_pipeline_settings constant = limber_pipeline_settings_default(), formula;
    limber_expression* expression;
    limber_error error;
    if (limber_expression_create("0.4 * smoothstep(0.2, 1, height)", NULL, &expression, &error) != LIMBER_OK)
        exit(1);
    constant.deform.effects[LIMBER_EFFECT_FLOPPY].angular.value = 0.2f;
    formula = constant;
    formula.deform.effects[LIMBER_EFFECT_FLOPPY].angular.expression = expression;
    double plain = best_ns_per_vertex(asset, &constant, 0), written = best_ns_per_vertex(asset, &formula, 0);
    printf("%-9s %-20s %9.1f ns/vertex  %6.2f x the constant\n", "", "floppy by formula", written, written / plain);
    limber_expression_destroy(expression);
}

static void bench_character(const char* name) {
    limber_asset* asset;
    limber_error error;
    if (limber_character_create(name, 1, &asset, &error) != LIMBER_OK) {
        fprintf(stderr, "limber_bench: %s\n", error.message);
        exit(1);
    }
    row rows[4] = {{"skinning", limber_pipeline_settings_default()},
                   {"dual quaternion", limber_pipeline_settings_default()},
                   {"+ velocity effects", limber_pipeline_settings_default()},
                   {"+ all six effects", limber_pipeline_settings_default()}};
    rows[1].settings.skinning = LIMBER_SKINNING_DUALQUAT;
    turn_on(&rows[2].settings, LIMBER_EFFECT_FLOPPY, LIMBER_EFFECT_SQUASH);
    turn_on(&rows[3].settings, LIMBER_EFFECT_FLOPPY, LIMBER_EFFECT_LIFT);
    double plain = 0;
    for (int i = 0; i < 4; i++) {
        double ns = best_ns_per_vertex(asset, &rows[i].settings, 0);
        plain = i == 0 ? ns : plain;
        printf("%-9s %-20s %9.1f ns/vertex  %6.2f x\n", i == 0 ? name : "", rows[i].name, ns, ns / plain);
    }
    bench_formula(asset);
    limber_asset_destroy(asset);
}

int main(void) {
    printf("one thread, positions only, best of %d rounds of %d frames\n", ROUNDS, FRAMES);
    static const char* const names[] = {"cow", "giraffe", "dancer"};
    for (int i = 0; i < 3; i++)
        bench_character(names[i]);
    return 0;
}
