// Runs every set of effects on the cow, and with "members" those of crowds in presets, too, for valgrind to count
// instructions (instructions.sh).
#include "base/variant.h"
#include "bench/bench.h"
#include "characters/characters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

enum { FRAMES = 2, MEMBERS = 60, CLIPS = 2 };

#if defined(__clang__)
#define COMPILER "clang"
#define COMPILER_VERSION __clang_major__
#elif defined(__GNUC__)
#define COMPILER "gcc"
#define COMPILER_VERSION __GNUC__
#else
#define COMPILER "cc"
#define COMPILER_VERSION 0
#endif

#if defined(__aarch64__)
#define ARCHITECTURE "aarch64"
#elif defined(__x86_64__)
#define ARCHITECTURE "x86_64"
#else
#define ARCHITECTURE "other"
#endif

static void check(limber_result result, const limber_error* error) {
    if (result == LIMBER_OK)
        return;
    fprintf(stderr, "limber_count: %s\n", error->message);
    exit(1);
}

// Valgrind counts between the two marks, and writes down what it counted of this set.
static void count_set(limber_pipeline* pipeline, bench_set set) {
    limber_error error = {.message = "a frame failed"};
    for (uint32_t f = 0; f <= FRAMES; f++) {
        limber_frame frame;
        check(limber_pipeline_evaluate_joints(pipeline, set == BENCH_STILL ? -1 : 0, bench_frame_time(f)), &error);
        if (f > 0) // by then functions of libraries are found
            CALLGRIND_START_INSTRUMENTATION;
        limber_pipeline_evaluate_vertices(pipeline, &frame);
        CALLGRIND_STOP_INSTRUMENTATION;
    }
    CALLGRIND_DUMP_STATS_AT(bench_set_name(set));
}

// A frame of a crowd large enough to store what the ground does, whose clips are prepared.
static void count_members(const limber_asset* cow, const char* preset) {
    limber_error error = {.message = "a crowd failed"};
    limber_crowd_settings settings = limber_crowd_settings_default();
    limber_crowd_member members[MEMBERS];
    limber_style* style;
    limber_crowd* crowd;
    check(limber_style_create(&style, &error), &error);
    check(limber_style_read_preset(style, preset, &error), &error);
    limber_crowd_kind kind = {cow, style};
    settings.kind_count = 1;
    settings.kinds = &kind;
    settings.member_limit = LIMBER_CROWD_STORES;
    settings.outputs = LIMBER_CROWD_TEXELS | LIMBER_CROWD_NORMALS;
    check(limber_crowd_create(&settings, &crowd, &error), &error);
    for (uint32_t c = 0; c < CLIPS; c++)
        check(limber_crowd_prepare(crowd, 0, c, &error), &error);
    memset(members, 0, sizeof members);
    for (int i = 0; i < MEMBERS; i++) {
        members[i].clip = i % CLIPS;
        members[i].start_s = 0.6180339887 * i;
        members[i].speed = 1;
    }
    limber_crowd_memory memory = {.texel_stride = 4 * (size_t)limber_crowd_layout(crowd, 0).max_texels};
    memory.texels = calloc(MEMBERS * memory.texel_stride, sizeof(float));
    check(memory.texels ? LIMBER_OK : LIMBER_ERROR_MEMORY, &error);
    for (int f = 0; f < 2; f++) {
        if (f > 0)
            CALLGRIND_START_INSTRUMENTATION;
        check(limber_crowd_evaluate(crowd, members, MEMBERS, f * 0.0171, (uint64_t)f, &memory, &error), &error);
        CALLGRIND_STOP_INSTRUMENTATION;
    }
    char name[64];
    snprintf(name, sizeof name, "member:%s", preset);
    CALLGRIND_DUMP_STATS_AT(name);
    free(memory.texels);
    limber_crowd_destroy(crowd);
    limber_style_destroy(style);
}

int main(int argc, char** argv) {
    limber_asset *cow, *moving;
    limber_error error;
    check(limberi_character_create("cow", 1, &cow, &error), &error);
    check(bench_moving(cow, &moving, &error), &error);
    // What counts depend on.
    printf("build %s%s-%s%d\n", ARCHITECTURE, limberi_variant_best() == LIMBERI_VARIANT_AVX2 ? "-avx2" : "", COMPILER,
           COMPILER_VERSION);
    printf("vertices %u\n", FRAMES * limber_asset_model(moving)->vertex_count);
    for (int set = 0; set < BENCH_SMEAR; set++) {
        limber_stage_settings settings = bench_settings((bench_set)set);
        limber_pipeline* pipeline;
        check(limber_pipeline_create_from_settings(moving, &settings, &pipeline, &error), &error);
        limber_pipeline_set_outputs(pipeline, bench_outputs((bench_set)set));
        printf("set %s\n", bench_set_name((bench_set)set));
        count_set(pipeline, (bench_set)set);
        limber_pipeline_destroy(pipeline);
    }
    printf("members %d\n", MEMBERS);
    if (argc > 1 && strcmp(argv[1], "members") == 0) {
        count_members(cow, "cartoon");
        count_members(cow, "mocap-toon");
    }
    limber_asset_destroy(moving);
    limber_asset_destroy(cow);
    return 0;
}
