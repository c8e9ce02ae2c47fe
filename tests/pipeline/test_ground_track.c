// What the ground and rigid parts do in a clip, stored: near to what is found, for most frames, whoever makes it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "characters/characters.h"
#include "cli/pool.h"
#include "kit/sanitized.h"
#include "pipeline/clone.h"
#include "pipeline/ground_track.h"
#include "pipeline/pipeline_private.h"
#include <limber/limber.h>

enum { WALK = 0, JUMP = 1, MOMENTS = TEST_SANITIZED ? 60 : 600 };

static limber_asset* cow;

static int open_cow(void** state) {
    (void)state;
    return limberi_character_create("cow", 0.6, &cow, NULL) == LIMBER_OK ? 0 : -1;
}

static int close_cow(void** state) {
    (void)state;
    limber_asset_destroy(cow);
    return 0;
}

typedef struct stored {
    limber_style* style;
    limber_pipeline* pipeline;
    limber_pack* pack;
    limberi_ground_track* track;
    const limber_clip* clip;
    float *found, *numbers;
} stored;

static stored store(const char* preset, uint32_t clip) {
    const limber_parallel alone = {0};
    stored s;
    memset(&s, 0, sizeof s);
    assert_int_equal(limber_style_create(&s.style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(s.style, preset, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(cow, s.style, &s.pipeline, NULL), LIMBER_OK);
    assert_int_equal(limber_pack_create(s.pipeline, true, &s.pack, NULL), LIMBER_OK);
    assert_int_equal(limberi_pipeline_prepare_clip(s.pipeline, clip), LIMBER_OK);
    const limberi_ground_workers workers = {&s.pipeline, &s.pack, &alone};
    assert_int_equal(limberi_ground_track_create(&workers, clip, &s.track), LIMBER_OK);
    uint32_t numbers = limberi_pack_ground_numbers(s.pack);
    s.clip = &limber_asset_model(cow)->clips[clip];
    s.found = calloc(numbers + (size_t)1, sizeof *s.found);
    s.numbers = calloc(numbers + (size_t)1, sizeof *s.numbers);
    assert_true(s.found && s.numbers);
    return s;
}

static void drop(stored* s) {
    free(s->found);
    free(s->numbers);
    limberi_ground_track_destroy(s->track);
    limber_pack_destroy(s->pack);
    limber_pipeline_destroy(s->pipeline);
    limber_style_destroy(s->style);
}

static double moment(const stored* s, uint32_t index) {
    return s->clip->start_s + (s->clip->end_s - s->clip->start_s) * fmod(0.6180339887 * index, 1);
}

// How many of the frames are stored, and of how many joints' lifts, too.
static void check_frames(const char* preset, uint32_t clip, double whole_share, double lift_share) {
    stored s = store(preset, clip);
    uint32_t whole = 0;
    uint32_t lifted = 0;
    assert_non_null(s.track);
    for (uint32_t i = 0; i < MOMENTS; i++) {
        bool lifts = false;
        assert_true(limberi_pack_find_ground(s.pack, (int32_t)clip, moment(&s, i), s.found));
        if (!limberi_ground_track_at(s.track, moment(&s, i), s.numbers, &lifts))
            continue;
        limberi_stored_errors errors = limberi_pack_compare_ground(s.pack, s.found, s.numbers);
        assert_true(errors.whole <= 1e-6f);
        assert_true(!lifts || errors.lifts <= 1e-6f);
        whole++;
        lifted += lifts;
    }
    print_message("%s: %u of %u frames are stored, %u with their lifts\n", preset, whole, MOMENTS, lifted);
    assert_true(whole >= whole_share * MOMENTS);
    assert_true(lifted >= lift_share * MOMENTS);
    drop(&s);
}

static void frames_of_a_walk_are_stored(void** state) {
    (void)state;
    check_frames("cartoon", WALK, 0.85, 0.8);
}

static void most_frames_of_a_jump_are_stored(void** state) {
    (void)state;
    if (!TEST_SANITIZED)
        check_frames("mocap-toon", JUMP, 0.75, 0.7);
}

static void a_track_is_no_larger_than_promised(void** state) {
    (void)state;
    stored s = store("cartoon", WALK);
    double seconds = s.clip->end_s - s.clip->start_s;
    double joints = limber_asset_model(cow)->rig.joint_count;
    assert_true((double)limberi_ground_track_bytes(s.track) < 20e3 * joints * seconds);
    drop(&s);
}

static void styles_without_ground_have_no_track(void** state) {
    (void)state;
    limber_asset* asset = cow;
    limber_pipeline* pipeline;
    limber_pack* pack;
    assert_int_equal(limber_pipeline_create(asset, NULL, &pipeline, NULL), LIMBER_OK);
    assert_int_equal(limber_pack_create(pipeline, true, &pack, NULL), LIMBER_OK);
    assert_int_equal(limberi_pack_ground_numbers(pack), 0);
    limber_pack_destroy(pack);
    limber_pipeline_destroy(pipeline);
}

// --- crowds ---

enum { SHOWN = 40 };

// The texels of the first members at a time; `limit`: of members.
static float* texels_of(uint32_t limit, bool prepare, cli_pool* pool, uint32_t* counts, size_t* stride) {
    limber_crowd_settings settings = limber_crowd_settings_default();
    limber_parallel parallel = pool ? cli_pool_parallel(pool) : (limber_parallel){0};
    limber_style* style;
    limber_crowd* crowd;
    limber_crowd_member members[SHOWN];
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, "cartoon", NULL), LIMBER_OK);
    limber_crowd_kind kind = {cow, style};
    settings.kind_count = 1;
    settings.kinds = &kind;
    settings.member_limit = limit;
    settings.outputs = LIMBER_CROWD_TEXELS;
    settings.parallel = pool ? &parallel : NULL;
    assert_int_equal(limber_crowd_create(&settings, &crowd, NULL), LIMBER_OK);
    if (prepare)
        assert_int_equal(limber_crowd_prepare(crowd, 0, 0, NULL), LIMBER_OK);
    *stride = 4 * (size_t)limber_crowd_layout(crowd, 0).max_texels;
    float* texels = calloc(SHOWN * *stride, sizeof *texels);
    assert_non_null(texels);
    memset(members, 0, sizeof members);
    for (uint32_t i = 0; i < SHOWN; i++) {
        members[i].start_s = 0.31 * i;
        members[i].speed = 1;
    }
    limber_crowd_memory memory = {.texels = texels, .texel_stride = *stride, .texel_counts = counts};
    assert_int_equal(limber_crowd_evaluate(crowd, members, SHOWN, 0.1, 0, &memory, NULL), LIMBER_OK);
    limber_crowd_destroy(crowd);
    limber_style_destroy(style);
    return texels;
}

static void any_number_of_threads_stores_the_same_bits(void** state) {
    uint32_t counts[2][SHOWN];
    size_t stride;
    (void)state;
    cli_pool* pool = cli_pool_create(3);
    assert_non_null(pool);
    float* alone = texels_of(LIMBER_CROWD_STORES, true, NULL, counts[0], &stride);
    float* shared = texels_of(LIMBER_CROWD_STORES, true, pool, counts[1], &stride);
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    assert_memory_equal(alone, shared, SHOWN * stride * sizeof *alone);
    free(alone);
    free(shared);
    cli_pool_destroy(pool);
}

// Matrices of small parts take up the noise of their vertices, so single texels may be off a little more than these.
static void large_crowds_store_what_is_prepared(void** state) {
    uint32_t counts[3][SHOWN];
    size_t stride;
    uint32_t differ = 0;
    float size = limber_asset_model(cow)->size;
    (void)state;
    float* large = texels_of(LIMBER_CROWD_STORES, true, NULL, counts[0], &stride);
    float* small = texels_of(LIMBER_CROWD_STORES - 1, true, NULL, counts[1], &stride);
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    for (size_t i = 0; i < SHOWN * stride; i++) {
        differ += large[i] != small[i];
        assert_true(fabsf(large[i] - small[i]) < 2e-4f * size);
    }
    assert_true(differ > 0);
    float* unprepared = texels_of(LIMBER_CROWD_STORES, false, NULL, counts[2], &stride);
    assert_memory_equal(unprepared, small, SHOWN * stride * sizeof *small);
    free(unprepared);
    free(large);
    free(small);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_a_walk_are_stored),
        cmocka_unit_test(most_frames_of_a_jump_are_stored),
        cmocka_unit_test(a_track_is_no_larger_than_promised),
        cmocka_unit_test(styles_without_ground_have_no_track),
        cmocka_unit_test(any_number_of_threads_stores_the_same_bits),
        cmocka_unit_test(large_crowds_store_what_is_prepared),
    };
    return cmocka_run_group_tests(tests, open_cow, close_cow);
}
