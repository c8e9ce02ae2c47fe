// The sets of effects that benchmarks compare.
#include "bench/bench.h"

const char* bench_set_name(bench_set set) {
    static const char* const names[BENCH_SET_COUNT] = {
        "skin", "dualquat", "velocity", "velocity-chain", "jacobian",         "averaged", "affine",
        "all",  "still",    "overlap",  "overlap-sum",    "overlap-jacobian", "smear"};
    return names[set];
}

// Gains as a strong style has them; what a frame costs does not depend on them.
static void turn_on(limber_stage_settings* s, limber_effect effect, float linear, float angular) {
    s->deform.effects[effect].linear.value = linear;
    s->deform.effects[effect].angular.value = angular;
}

// Where the effect has a number of that name.
static void set(limber_stage_settings* s, limber_effect effect, const char* name, float value) {
    limber_number* number = limber_effect_number(&s->deform, effect, name);
    if (number)
        number->value = value;
}

static void turn_on_velocity(limber_stage_settings* s) {
    turn_on(s, LIMBER_EFFECT_FLOPPY, 0.02f, 0.2f);
    turn_on(s, LIMBER_EFFECT_SQUASH, 0.2f, 0.1f);
}

// As the preset `cartoon` has them.
static void turn_on_overlap(limber_stage_settings* s) {
    turn_on(s, LIMBER_EFFECT_OVERLAP, 1, 3.6f);
    turn_on(s, LIMBER_EFFECT_SQUASH, 0.08f, 0.1f);
    set(s, LIMBER_EFFECT_OVERLAP, "max", 26);
    set(s, LIMBER_EFFECT_SQUASH, "max", 0.25f);
}

static void turn_on_all(limber_stage_settings* s) {
    turn_on_velocity(s);
    turn_on(s, LIMBER_EFFECT_DRAG, 0.002f, 0.02f);
    turn_on(s, LIMBER_EFFECT_FOLLOWTHROUGH, 0.002f, 0.02f);
    turn_on(s, LIMBER_EFFECT_STRETCH, 0, 0.01f);
    turn_on(s, LIMBER_EFFECT_LIFT, 0, 0.01f);
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        set(s, (limber_effect)e, "max_bend", 60);
        set(s, (limber_effect)e, "twist", 0.5f);
        set(s, (limber_effect)e, "bend", 1.25f);
        s->deform.effects[e].layer = BENCH_LAYER;
    }
    set(s, LIMBER_EFFECT_LIFT, "normals", LIMBER_LIFT_MESH);
}

limber_stage_settings bench_settings(bench_set set) {
    limber_stage_settings s = limber_stage_settings_default();
    switch (set) {
    case BENCH_DUALQUAT:
        s.skinning = LIMBER_SKINNING_DUALQUAT;
        break;
    case BENCH_JACOBIAN:
        s.deform.normals = LIMBER_NORMALS_JACOBIAN;
        turn_on_velocity(&s);
        break;
    case BENCH_VELOCITY_CHAIN:
        s.deform.compose = LIMBER_COMPOSE_CHAIN;
        turn_on_velocity(&s);
        break;
    case BENCH_VELOCITY:
    case BENCH_AVERAGED:
        turn_on_velocity(&s);
        break;
    case BENCH_AFFINE:
        turn_on(&s, LIMBER_EFFECT_FLOPPY, 0.02f, 0);
        turn_on(&s, LIMBER_EFFECT_SQUASH, 0.2f, 0);
        turn_on(&s, LIMBER_EFFECT_STRETCH, 0, 0.01f);
        break;
    case BENCH_OVERLAP_SUM:
        turn_on_overlap(&s);
        break;
    case BENCH_OVERLAP_JACOBIAN:
        s.deform.normals = LIMBER_NORMALS_JACOBIAN; // fall through
    case BENCH_OVERLAP:
        s.deform.compose = LIMBER_COMPOSE_CHAIN;
        turn_on_overlap(&s);
        break;
    case BENCH_ALL:
    case BENCH_STILL:
        turn_on_all(&s);
        break;
    default:
        break;
    }
    return s;
}

uint32_t bench_outputs(bench_set set) {
    bool normals = set == BENCH_JACOBIAN || set == BENCH_AVERAGED || set == BENCH_OVERLAP_JACOBIAN;
    return normals ? LIMBER_OUTPUT_NORMALS : 0;
}
