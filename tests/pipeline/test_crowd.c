// Crowds: the numbers are those of single characters, whatever is shared and by whomever it is computed.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "characters/characters.h"
#include "cli/pool.h"
#include "kit/failing_memory.h"
#include "kit/models.h"
#include "kit/sanitized.h"

enum { KINDS = 3, MEMBERS = 24 };

static limber_asset* assets[KINDS];
static limber_style* styles[KINDS];
static size_t max_vertices, max_palettes;

static size_t palette_floats(const limber_model* model) {
    size_t floats = 0;
    for (uint32_t s = 0; s < model->skin_count; s++)
        floats += 16 * (size_t)model->skins[s].joint_count;
    return floats;
}

static int open_all(void** state) {
    static const char* const names[KINDS] = {"cow", "snail", "flower"};
    static const char* const presets[KINDS] = {"cartoon", "jelly", NULL};
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        assert_int_equal(limberi_character_create(names[k], TEST_SANITIZED ? 0.5 : 0.6, &assets[k], NULL), LIMBER_OK);
        const limber_model* model = limber_asset_model(assets[k]);
        max_vertices = model->vertex_count > max_vertices ? model->vertex_count : max_vertices;
        max_palettes = palette_floats(model) > max_palettes ? palette_floats(model) : max_palettes;
        if (!presets[k])
            continue;
        assert_int_equal(limber_style_create(&styles[k], NULL), LIMBER_OK);
        assert_int_equal(limber_style_read_preset(styles[k], presets[k], NULL), LIMBER_OK);
    }
    return 0;
}

static int close_all(void** state) {
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        limber_asset_destroy(assets[k]);
        limber_style_destroy(styles[k]);
    }
    return 0;
}

// --- a crowd with memory for everything ---

typedef struct stage {
    limber_crowd* crowd;
    cli_pool* pool;
    limber_crowd_memory memory;
    limber_crowd_member members[MEMBERS];
    uint32_t texel_counts[MEMBERS], same_as[MEMBERS];
    uint8_t changed[MEMBERS];
} stage;

static limber_crowd_settings settings_of(uint32_t outputs) {
    static limber_crowd_kind kinds[KINDS];
    limber_crowd_settings s = limber_crowd_settings_default();
    for (int k = 0; k < KINDS; k++)
        kinds[k] = (limber_crowd_kind){assets[k], styles[k]};
    s.kind_count = KINDS;
    s.kinds = kinds;
    s.member_limit = MEMBERS;
    s.outputs = outputs;
    return s;
}

static void place_members(stage* s) {
    for (uint32_t i = 0; i < MEMBERS; i++) {
        const limber_model* model = limber_asset_model(assets[i % KINDS]);
        s->members[i] = (limber_crowd_member){.kind = i % KINDS,
                                              .clip = (int32_t)(i / KINDS % (model->clip_count + 1)) - 1,
                                              .start_s = 0.37 * i,
                                              .speed = 0.5 + 0.1 * i};
    }
}

static void allocate_memory(stage* s) {
    size_t texels = 0;
    for (uint32_t k = 0; k < KINDS; k++) {
        size_t max = 4 * (size_t)limber_crowd_layout(s->crowd, k).max_texels;
        texels = max > texels ? max : texels;
    }
    s->memory.palette_stride = max_palettes;
    s->memory.texel_stride = texels;
    s->memory.vertex_stride = 3 * max_vertices;
    s->memory.palettes = calloc(MEMBERS * max_palettes, sizeof(float));
    s->memory.texels = calloc(MEMBERS * texels + 1, sizeof(float));
    s->memory.positions = calloc(MEMBERS * 3 * max_vertices, sizeof(float));
    s->memory.normals = calloc(MEMBERS * 3 * max_vertices, sizeof(float));
    s->memory.texel_counts = s->texel_counts;
    s->memory.changed = s->changed;
}

static const uint32_t everything =
    LIMBER_CROWD_PALETTES | LIMBER_CROWD_TEXELS | LIMBER_CROWD_POSITIONS | LIMBER_CROWD_NORMALS;

static void open_stage(stage* s, uint32_t threads, double step_s) {
    limber_crowd_settings settings = settings_of(everything);
    limber_error error;
    memset(s, 0, sizeof *s);
    s->pool = cli_pool_create(threads);
    limber_parallel parallel = cli_pool_parallel(s->pool);
    if (threads > 1)
        settings.parallel = &parallel;
    settings.step_s = step_s;
    if (limber_crowd_create(&settings, &s->crowd, &error) != LIMBER_OK)
        fail_msg("%s %s", error.place, error.message);
    place_members(s);
    allocate_memory(s);
}

static void close_stage(stage* s) {
    limber_crowd_destroy(s->crowd);
    cli_pool_destroy(s->pool);
    free(s->memory.palettes);
    free(s->memory.texels);
    free(s->memory.positions);
    free(s->memory.normals);
}

static void run(stage* s, double now_s, uint64_t frame) {
    limber_error error;
    if (limber_crowd_evaluate(s->crowd, s->members, MEMBERS, now_s, frame, &s->memory, &error) != LIMBER_OK)
        fail_msg("%s %s", error.place, error.message);
}

static bool same_numbers(const stage* a, uint32_t i, const stage* b, uint32_t j) {
    size_t vertices = 3 * (size_t)limber_asset_model(assets[a->members[i].kind])->vertex_count;
    size_t palettes = palette_floats(limber_asset_model(assets[a->members[i].kind]));
    const limber_crowd_memory *m = &a->memory, *n = &b->memory;
    return a->texel_counts[i] == b->texel_counts[j] &&
           !memcmp(m->texels + i * m->texel_stride, n->texels + j * n->texel_stride, 16 * (size_t)a->texel_counts[i]) &&
           !memcmp(m->positions + i * m->vertex_stride, n->positions + j * n->vertex_stride, 4 * vertices) &&
           !memcmp(m->normals + i * m->vertex_stride, n->normals + j * n->vertex_stride, 4 * vertices) &&
           !memcmp(m->palettes + i * m->palette_stride, n->palettes + j * n->palette_stride, 4 * palettes);
}

// --- tests ---

static void members_are_what_pipelines_compute(void** state) {
    (void)state;
    stage s;
    open_stage(&s, 1, 0);
    run(&s, 0.8, 0);
    for (uint32_t k = 0; k < KINDS; k++) {
        limber_pipeline* pipeline;
        limber_frame frame;
        size_t bytes = 12 * (size_t)limber_asset_model(assets[k])->vertex_count;
        assert_int_equal(limber_pipeline_create(assets[k], styles[k], &pipeline, NULL), LIMBER_OK);
        for (uint32_t i = k; i < MEMBERS; i += KINDS) {
            double time_s = limber_crowd_time(s.crowd, &s.members[i], 0.8);
            assert_int_equal(limber_pipeline_evaluate(pipeline, s.members[i].clip, time_s, &frame), LIMBER_OK);
            assert_memory_equal(s.memory.positions + i * s.memory.vertex_stride, frame.positions, bytes);
            assert_memory_equal(s.memory.normals + i * s.memory.vertex_stride, frame.normals, bytes);
            assert_int_equal(s.changed[i], 1);
        }
        limber_pipeline_destroy(pipeline);
    }
    close_stage(&s);
}

static void compare_one_member(limber_asset* asset, limber_style* style, const char* text) {
    limber_crowd_kind kind = {asset, style};
    limber_crowd_settings settings = limber_crowd_settings_default();
    limber_crowd* crowd;
    limber_pipeline* pipeline;
    settings.kinds = &kind;
    settings.kind_count = settings.member_limit = 1;
    assert_int_equal(limber_crowd_create(&settings, &crowd, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, NULL), LIMBER_OK);
    size_t floats = 3 * (size_t)limber_asset_model(asset)->vertex_count;
    limber_crowd_memory memory = {.positions = malloc(floats * sizeof(float)), .vertex_stride = floats};
    for (int n = 0; n < 4; n++) {
        limber_crowd_member member = {.clip = n == 2 ? -1 : 0, .start_s = 0.23 * n, .speed = 1};
        limber_frame frame;
        assert_int_equal(limber_crowd_evaluate(crowd, &member, 1, 0, 0, &memory, NULL), LIMBER_OK);
        double time_s = limber_crowd_time(crowd, &member, 0);
        assert_int_equal(limber_pipeline_evaluate(pipeline, member.clip, time_s, &frame), LIMBER_OK);
        if (memcmp(memory.positions, frame.positions, floats * sizeof(float)) != 0)
            fail_msg("%s", text);
    }
    free(memory.positions);
    limber_pipeline_destroy(pipeline);
    limber_crowd_destroy(crowd);
}

// Crowds leave out the motion before all filters where nobody reads it. Who does: loose parts, formulas of speed, effects
// without a filter or with filters of a part of the motion. Wind comes to it before the filters.
static void effects_see_the_motion_that_they_read(void** state) {
    static const struct {
        const char *character, *style;
    } looks[] = {
        {"cow", "{\"compose\": \"chain\", \"effects\": {\"overlap\": {\"gain\": 1.5, \"loose\": 50}}}"},
        {"dog", "{\"compose\": \"chain\", \"effects\": {\"overlap\": {\"gain\": 1.5, \"loose\": 50}}}"},
        {"cow", "{\"effects\": {\"overlap\": {\"gain\": 2, \"linear\": \"speed\"}}}"},
        {"cow", "{\"effects\": {\"overlap\": {\"gain\": 2}, \"floppy\": {\"angular\": 0.3}}}"},
        {"cow",
         "{\"effects\": {\"overlap\": {\"gain\": 2}, \"squash\": {\"linear\": 0.1}, \"lift\": {\"angular\": 0.3}}}"},
        {"cow", "{\"effects\": {\"floppy\": {\"angular\": 0.3, \"linear\": 0.1, "
                "\"filter\": {\"angular_velocity\": {\"type\": \"lowpass\", \"gamma\": 0.2}}}}}"},
        {"cow", "{\"effects\": {\"overlap\": {\"gain\": 2}}, \"wind\": [3, 0, 1]}"},
    };
    (void)state;
    for (size_t l = 0; l < sizeof looks / sizeof *looks; l++) {
        limber_style* style;
        limber_asset* asset;
        limber_error error;
        assert_int_equal(limberi_character_create(looks[l].character, 0.5, &asset, NULL), LIMBER_OK);
        assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
        if (limber_style_read(style, looks[l].style, strlen(looks[l].style), &error) != LIMBER_OK)
            fail_msg("%s: %s", looks[l].style, error.message);
        compare_one_member(asset, style, looks[l].style);
        limber_style_destroy(style);
        limber_asset_destroy(asset);
    }
}

static void texels_are_what_a_pack_writes(void** state) {
    (void)state;
    stage s;
    open_stage(&s, 2, 0);
    run(&s, 0.4, 0);
    limber_pipeline* pipeline;
    limber_pack* pack;
    uint32_t count;
    float* texels = malloc(s.memory.texel_stride * sizeof *texels);
    assert_int_equal(limber_pipeline_create(assets[0], styles[0], &pipeline, NULL), LIMBER_OK);
    assert_int_equal(limber_pack_create(pipeline, true, &pack, NULL), LIMBER_OK);
    for (uint32_t i = 0; i < MEMBERS; i += KINDS) {
        double time_s = limber_crowd_time(s.crowd, &s.members[i], 0.4);
        assert_int_equal(limber_pipeline_evaluate_joints(pipeline, s.members[i].clip, time_s), LIMBER_OK);
        assert_int_equal(limber_pack_evaluate(pack, texels, &count, NULL, NULL), LIMBER_OK);
        assert_int_equal(count, s.texel_counts[i]);
        assert_memory_equal(texels, s.memory.texels + i * s.memory.texel_stride, 16 * (size_t)count);
    }
    assert_string_equal(limber_pack_defines(pack), limber_pack_defines(limber_crowd_pack(s.crowd, 0)));
    limber_pack_destroy(pack);
    limber_pipeline_destroy(pipeline);
    free(texels);
    close_stage(&s);
}

static void counts_of_texels_and_changes_may_be_left_out(void** state) {
    (void)state;
    stage counted, plain;
    open_stage(&counted, 1, 0);
    open_stage(&plain, 1, 0);
    plain.memory.texel_counts = NULL;
    plain.memory.changed = NULL;
    run(&counted, 0.4, 0);
    run(&plain, 0.4, 0);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_true(counted.texel_counts[i] > 0 && counted.changed[i]);
        plain.texel_counts[i] = counted.texel_counts[i];
        assert_true(same_numbers(&counted, i, &plain, i));
    }
    close_stage(&counted);
    close_stage(&plain);
}

static void columns_are_what_a_pack_writes(void** state) {
    (void)state;
    stage s;
    open_stage(&s, 1, 0);
    limber_pack_layout layout = limber_crowd_layout(s.crowd, 0);
    size_t bytes = layout.column_bytes * (size_t)limber_asset_model(assets[0])->vertex_count;
    assert_true(layout.column_count && !layout.columns_change);
    limber_pipeline* pipeline;
    limber_pack* pack;
    uint32_t count;
    int16_t *of_pack = calloc(1, bytes), *of_crowd = calloc(1, bytes);
    assert_int_equal(limber_pipeline_create(assets[0], styles[0], &pipeline, NULL), LIMBER_OK);
    assert_int_equal(limber_pack_create(pipeline, true, &pack, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate_joints(pipeline, 0, 0.3), LIMBER_OK);
    assert_int_equal(limber_pack_evaluate(pack, s.memory.texels, &count, of_pack, NULL), LIMBER_OK);
    assert_int_equal(limber_crowd_write_columns(s.crowd, 0, of_crowd, NULL), LIMBER_OK);
    assert_memory_equal(of_crowd, of_pack, bytes);
    assert_int_equal(limber_crowd_write_columns(s.crowd, KINDS, of_crowd, NULL), LIMBER_ERROR_ARGUMENT);
    limber_pack_destroy(pack);
    limber_pipeline_destroy(pipeline);
    free(of_pack);
    free(of_crowd);
    close_stage(&s);
}

static void any_number_of_threads_gives_the_same_bits(void** state) {
    static const uint32_t threads[] = {2, 3, 8};
    (void)state;
    stage one, several;
    open_stage(&one, 1, 0);
    for (int t = 0; t < (TEST_SANITIZED ? 1 : 3); t++) {
        open_stage(&several, threads[t], 0);
        for (int f = 0; f < 3; f++) {
            run(&one, 0.3 * f, (uint64_t)f);
            run(&several, 0.3 * f, (uint64_t)f);
            for (uint32_t i = 0; i < MEMBERS; i++)
                assert_true(same_numbers(&one, i, &several, i));
        }
        close_stage(&several);
    }
    close_stage(&one);
}

static void who_shares_a_moment_is_computed_once(void** state) {
    (void)state;
    stage s;
    open_stage(&s, 2, 0);
    for (uint32_t i = 0; i < MEMBERS; i++)
        s.members[i] = (limber_crowd_member){.kind = i % 2, .clip = 0, .start_s = i % 4 < 2 ? 0.25 : 0.5, .speed = 1};
    run(&s, 0.125, 0);
    assert_int_equal(limber_crowd_computed(s.crowd), 4);
    for (uint32_t i = 4; i < MEMBERS; i++)
        assert_true(same_numbers(&s, i, &s, i % 4));
    assert_false(same_numbers(&s, 0, &s, 2)); // another time

    memset(s.memory.positions, 0, MEMBERS * s.memory.vertex_stride * sizeof(float));
    s.memory.same_as = s.same_as;
    s.members[9].every = 2; // wants numbers of its own
    run(&s, 0.125, 1);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_int_equal(s.same_as[i], i == 9 ? 9 : i % 4);
        assert_int_equal(s.changed[i], i < 4 || i == 9);
    }
    assert_true(same_numbers(&s, 9, &s, 1));
    assert_true(s.memory.positions[5 * s.memory.vertex_stride] == 0); // no copy was made
    close_stage(&s);
}

static void times_are_rounded_to_the_step(void** state) {
    (void)state;
    stage exact, rough;
    open_stage(&exact, 1, 0);
    open_stage(&rough, 1, 0.125);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        exact.members[i] = (limber_crowd_member){.kind = 0, .clip = 0, .start_s = 0.25};
        rough.members[i] = (limber_crowd_member){.kind = 0, .clip = 0, .start_s = 0.2 + 0.1 * i / MEMBERS};
    }
    run(&exact, 0, 0);
    run(&rough, 0, 0);
    assert_int_equal(limber_crowd_computed(rough.crowd), 1);
    assert_true(same_numbers(&exact, 0, &rough, MEMBERS - 1));
    close_stage(&exact);
    close_stage(&rough);
}

static void members_far_away_keep_their_numbers_until_they_are_due(void** state) {
    (void)state;
    stage s, all;
    open_stage(&s, 2, 0);
    open_stage(&all, 1, 0);
    for (uint32_t i = 0; i < MEMBERS; i++)
        s.members[i].every = 2 + i % 2;
    for (uint64_t f = 0; f < 7; f++) {
        run(&s, 0.05 * (double)f, f);
        run(&all, 0.05 * (double)f, f);
        for (uint32_t i = 0; i < MEMBERS; i++) {
            bool due = (f + i) % s.members[i].every == 0;
            assert_int_equal(s.changed[i], due);
            if (due)
                assert_true(same_numbers(&s, i, &all, i));
        }
    }
    close_stage(&s);
    close_stage(&all);
}

static void loops_start_again_and_other_clips_stop(void** state) {
    (void)state;
    limber_crowd_settings settings = settings_of(LIMBER_CROWD_POSITIONS);
    limber_crowd* crowd;
    assert_int_equal(limber_crowd_create(&settings, &crowd, NULL), LIMBER_OK);
    uint32_t loops = 0, others = 0;
    for (uint32_t k = 0; k < KINDS; k++)
        for (uint32_t c = 0; c < limber_asset_model(assets[k])->clip_count; c++) {
            const limber_clip* clip = &limber_asset_model(assets[k])->clips[c];
            double length = clip->end_s - clip->start_s;
            limber_crowd_member m = {.kind = k, .clip = (int32_t)c, .start_s = 0.25 * length, .speed = 1};
            double later = limber_crowd_time(crowd, &m, 3 * length), before = limber_crowd_time(crowd, &m, -length);
            assert_true(fabs(later - (clip->loops ? clip->start_s + 0.25 * length : clip->end_s)) < 1e-9);
            assert_true(fabs(before - (clip->loops ? clip->start_s + 0.25 * length : clip->start_s)) < 1e-9);
            loops += clip->loops;
            others += !clip->loops;
        }
    assert_true(loops && others);
    limber_crowd_destroy(crowd);
}

static void frames_take_no_memory(void** state) {
    (void)state;
    stage s;
    open_stage(&s, 2, 0);
    run(&s, 0, 0);
    test_memory_forget();
    for (uint64_t f = 1; f < 5; f++)
        run(&s, 0.1 * (double)f, f);
    assert_int_equal(test_memory_taken_count(), 0);
    close_stage(&s);
}

static void a_prepared_clip_takes_none_when_it_is_first_seen(void** state) {
    (void)state;
    stage s;
    open_stage(&s, 1, 0);
    for (uint32_t k = 0; k < KINDS; k++)
        for (uint32_t c = 0; c < limber_asset_model(assets[k])->clip_count; c++)
            assert_int_equal(limber_crowd_prepare(s.crowd, k, c, NULL), LIMBER_OK);
    test_memory_forget();
    run(&s, 0.2, 0);
    assert_int_equal(test_memory_taken_count(), 0);
    assert_int_equal(limber_crowd_prepare(s.crowd, KINDS, 0, NULL), LIMBER_ERROR_ARGUMENT);
    assert_int_equal(limber_crowd_prepare(s.crowd, 0, 99, NULL), LIMBER_ERROR_ARGUMENT);
    close_stage(&s);
}

static void running_out_of_memory_is_told(void** state) {
    (void)state;
    limber_crowd_settings settings = settings_of(everything);
    cli_pool* pool = cli_pool_create(2);
    limber_parallel parallel = cli_pool_parallel(pool);
    settings.parallel = &parallel;
    bool ran_out = true;
    for (long allowed = 0; ran_out; allowed += 1 + allowed / 8) {
        limber_crowd* crowd;
        test_memory_allow(allowed);
        limber_result result = limber_crowd_create(&settings, &crowd, NULL);
        if (!result)
            result = limber_crowd_prepare(crowd, 0, 0, NULL);
        ran_out = test_memory_end();
        assert_int_equal(result, ran_out ? LIMBER_ERROR_MEMORY : LIMBER_OK);
        limber_crowd_destroy(crowd);
    }
    cli_pool_destroy(pool);
}

static void expect_refusal(stage* s, const char* place, const char* message) {
    limber_error error;
    assert_int_equal(limber_crowd_evaluate(s->crowd, s->members, MEMBERS, 0, 0, &s->memory, &error),
                     LIMBER_ERROR_ARGUMENT);
    assert_string_equal(error.place, place);
    assert_string_equal(error.message, message);
    place_members(s);
}

static void members_that_cannot_be_are_refused(void** state) {
    (void)state;
    stage s;
    open_stage(&s, 1, 0);
    s.members[3].kind = KINDS;
    expect_refusal(&s, "members[3]", "there is no such kind of character");
    s.members[4].clip = 1000;
    expect_refusal(&s, "members[4]", "its character has no such clip");
    s.members[5].start_s = (double)NAN;
    expect_refusal(&s, "members[5]", "its time is not a number");
    s.memory.texel_stride = 8;
    expect_refusal(&s, "members[0]", "there is no room for its texels and columns");
    s.memory.vertex_stride = 8;
    s.memory.texel_stride = 1 << 20;
    expect_refusal(&s, "members[0]", "there is no room for its vertices");
    limber_error error;
    assert_int_equal(limber_crowd_evaluate(s.crowd, s.members, MEMBERS + 1, 0, 0, &s.memory, &error),
                     LIMBER_ERROR_ARGUMENT);
    assert_string_equal(error.message, "the crowd was made for 24 members at most");
    close_stage(&s);
}

static void expect_no_crowd(const limber_crowd_settings* settings, const char* place) {
    limber_crowd* crowd;
    limber_error error;
    assert_int_equal(limber_crowd_create(settings, &crowd, &error), LIMBER_ERROR_ARGUMENT);
    assert_null(crowd);
    assert_string_equal(error.place, place);
    assert_true(error.message[0]);
}

static void crowds_that_cannot_be_are_refused(void** state) {
    (void)state;
    limber_crowd_settings s = settings_of(0);
    expect_no_crowd(&s, "");
    s = settings_of(1024);
    expect_no_crowd(&s, "");
    s = settings_of(LIMBER_CROWD_POSITIONS);
    s.kinds = NULL;
    expect_no_crowd(&s, "");
    s = settings_of(LIMBER_CROWD_POSITIONS);
    s.kind_count = 0;
    expect_no_crowd(&s, "");
    s = settings_of(LIMBER_CROWD_POSITIONS);
    s.member_limit = 0;
    expect_no_crowd(&s, "");
    s = settings_of(LIMBER_CROWD_POSITIONS);
    s.step_s = (double)NAN;
    expect_no_crowd(&s, "");
    s = settings_of(LIMBER_CROWD_POSITIONS);
    s.struct_size = 0;
    expect_no_crowd(&s, "");
    limber_crowd_kind kinds[2] = {{assets[0], NULL}, {NULL, NULL}};
    s = settings_of(LIMBER_CROWD_POSITIONS);
    s.kind_count = 2;
    s.kinds = kinds;
    expect_no_crowd(&s, "kinds[1]");
    limber_crowd_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_what_pipelines_compute),
        cmocka_unit_test(effects_see_the_motion_that_they_read),
        cmocka_unit_test(texels_are_what_a_pack_writes),
        cmocka_unit_test(counts_of_texels_and_changes_may_be_left_out),
        cmocka_unit_test(columns_are_what_a_pack_writes),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(who_shares_a_moment_is_computed_once),
        cmocka_unit_test(times_are_rounded_to_the_step),
        cmocka_unit_test(members_far_away_keep_their_numbers_until_they_are_due),
        cmocka_unit_test(loops_start_again_and_other_clips_stop),
        cmocka_unit_test(frames_take_no_memory),
        cmocka_unit_test(a_prepared_clip_takes_none_when_it_is_first_seen),
        cmocka_unit_test(running_out_of_memory_is_told),
        cmocka_unit_test(members_that_cannot_be_are_refused),
        cmocka_unit_test(crowds_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
