// Threads in everything that lends them or may be used from several: bakes of every kind, live streams, smears, and
// pipelines of one character in several threads at once. The thread sanitizer runs this, too.
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "characters/characters.h"
#include "cli/pool.h"

#include <limber/bake.h>
#include <limber/limber.h>
#include <limber/live.h>
#include <limber/stages/pose.h>
#include <limber/stages/settings.h>

enum { THREADS = 3, FRAMES = 12 };

static limber_asset* open_asset(const char* name) {
    limber_asset* asset;
    assert_int_equal(limberi_character_create(name, 0.5, &asset, NULL), LIMBER_OK);
    return asset;
}

static limber_pipeline* open_pipeline(const limber_asset* asset, const char* preset) {
    limber_style* style;
    limber_pipeline* pipeline;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, preset, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, NULL), LIMBER_OK);
    limber_style_destroy(style);
    return pipeline;
}

// --- bakes ---

static void same_floats(const float* a, const float* b, size_t count) {
    assert_int_equal(a != NULL, b != NULL);
    if (a)
        assert_memory_equal(a, b, count * sizeof *a);
}

static void same_bakes(const limber_model* model, const limber_bake* a, const limber_bake* b) {
    assert_int_equal(a->bone_count, b->bone_count);
    assert_int_equal(a->smear_mesh_count, b->smear_mesh_count);
    assert_true(a->error == b->error);
    for (uint32_t m = 0; m < a->mesh_count; m++) {
        const limber_bake_mesh *x = &a->meshes[m], *y = &b->meshes[m];
        size_t width = 3 * (size_t)model->meshes[m].vertex_count;
        assert_int_equal(x->target_count, y->target_count);
        same_floats(x->base_positions, y->base_positions, width);
        same_floats(x->positions, y->positions, x->target_count * width);
        same_floats(x->normals, y->normals, x->target_count * width);
    }
    for (uint32_t m = 0; m < a->smear_mesh_count; m++) {
        const limber_bake_smear_mesh *x = &a->smear_meshes[m], *y = &b->smear_meshes[m];
        assert_int_equal(x->vertex_count, y->vertex_count);
        same_floats(x->positions, y->positions, (size_t)x->shape_count * 3 * x->vertex_count);
    }
}

static limber_bake* bake_with(const limber_asset* asset, const char* preset, const limber_bake_settings* settings,
                              uint32_t threads) {
    limber_pipeline* pipeline = open_pipeline(asset, preset);
    cli_pool* pool = NULL;
    limber_bake* bake;
    assert_int_equal(cli_pool_lend(&pool, threads, pipeline), LIMBER_OK);
    assert_int_equal(limber_pipeline_bake(pipeline, settings, &bake, NULL), LIMBER_OK);
    limber_pipeline_destroy(pipeline);
    cli_pool_destroy(pool);
    return bake;
}

static void check_bake(limber_bake_kind kind, const char* preset, double tolerance) {
    limber_asset* asset = open_asset("cylinder");
    const uint32_t first = 0;
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = kind;
    settings.fps = 10;
    settings.tolerance = tolerance;
    settings.clips = &first;
    settings.clip_count = 1;
    limber_bake *one = bake_with(asset, preset, &settings, 1), *three = bake_with(asset, preset, &settings, THREADS);
    same_bakes(limber_asset_model(asset), one, three);
    limber_bake_destroy(one);
    limber_bake_destroy(three);
    limber_asset_destroy(asset);
}

static void bakes_of_every_kind_are_the_same_for_1_and_3_threads(void** state) {
    (void)state;
    check_bake(LIMBER_BAKE_CORRECTIVE, "cartoon", 0);
    check_bake(LIMBER_BAKE_CORRECTIVE, "jelly", 0.002);
    check_bake(LIMBER_BAKE_VERTEX, "cartoon", 0.002);
    check_bake(LIMBER_BAKE_CORRECTIVE, "smear", 0);
    check_bake(LIMBER_BAKE_BONES, "cartoon", 0.002);
}

// --- performances ---

static limber_pipeline* open_acting(const limber_asset* asset) {
    static const char text[] =
        "{\"timing\": {\"snap\": 0.6, \"hang\": 0.8}, \"body\": {\"squash\": 0.6, \"bend\": 0.6},"
        " \"pose\": {\"exaggerate\": 1.5, \"anticipate\": 0.5, \"trail\": 0.1}}";
    limber_style* style;
    limber_pipeline* pipeline;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read(style, text, strlen(text), NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, NULL), LIMBER_OK);
    limber_style_destroy(style);
    return pipeline;
}

static void same_clips(const limber_clip* a, const limber_clip* b) {
    assert_int_equal(a->channel_count, b->channel_count);
    for (uint32_t i = 0; i < a->channel_count; i++) {
        const limber_channel *x = &a->channels[i], *y = &b->channels[i];
        assert_int_equal(x->key_count, y->key_count);
        same_floats(x->times, y->times, x->key_count);
        if (x->path != LIMBER_CHANNEL_WEIGHTS && x->interpolation == LIMBER_INTERPOLATION_LINEAR)
            same_floats(x->values, y->values, x->key_count * (x->path == LIMBER_CHANNEL_ROTATION ? 4u : 3u));
    }
}

// What a clip became, and a frame of it: that has the shape of the body in it.
static void same_performances(const limber_asset* asset, limber_pipeline* a, limber_pipeline* b) {
    const limber_model* model = limber_asset_model(asset);
    for (uint32_t c = 0; c < model->clip_count; c++) {
        double time_s = 0.4 * model->clips[c].start_s + 0.6 * model->clips[c].end_s;
        limber_edited_clip x, y;
        limber_frame frames[2];
        assert_true(limber_pipeline_edited_clip(a, c, &x) && limber_pipeline_edited_clip(b, c, &y));
        same_clips(x.clip, y.clip);
        assert_true(limber_pipeline_source_time(a, c, time_s) == limber_pipeline_source_time(b, c, time_s));
        assert_int_equal(limber_pipeline_evaluate(a, (int32_t)c, time_s, &frames[0]), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(b, (int32_t)c, time_s, &frames[1]), LIMBER_OK);
        same_floats(frames[0].positions, frames[1].positions, 3 * (size_t)model->vertex_count);
    }
}

// Clips one after the other, whose moments the threads share out among them, and all clips at once, as bakes have them.
static void performances_are_the_same_for_any_number_of_threads(void** state) {
    static const char* const names[] = {"hero", "snail"};
    static const uint32_t threads[] = {1, 2, 3, 16};
    limber_bake_settings settings = limber_bake_settings_default();
    (void)state;
    settings.fps = 1;
    for (int i = 0; i < 2; i++) {
        limber_asset* asset = open_asset(names[i]);
        limber_pipeline* alone = open_acting(asset);
        for (int k = 0; k < 8; k++) {
            limber_pipeline* shared = open_acting(asset);
            cli_pool* pool = NULL;
            limber_bake* bake = NULL;
            assert_int_equal(cli_pool_lend(&pool, threads[k % 4], shared), LIMBER_OK);
            if (k >= 4)
                assert_int_equal(limber_pipeline_bake(shared, &settings, &bake, NULL), LIMBER_OK);
            same_performances(asset, alone, shared);
            limber_bake_destroy(bake);
            limber_pipeline_destroy(shared);
            cli_pool_destroy(pool);
        }
        limber_pipeline_destroy(alone);
        limber_asset_destroy(asset);
    }
}

// --- several pipelines at once ---

typedef struct player {
    const limber_asset* asset;
    const char* preset;
    bool live;
    float* out; // [FRAMES][vertex * 3]
} player;

static void put_frame(const player* p, uint32_t frame, const float* positions) {
    size_t count = 3 * (size_t)limber_asset_model(p->asset)->vertex_count;
    memcpy(p->out + frame * count, positions, count * sizeof *positions);
}

// cmocka's checks belong to the main thread; here a failure leaves the frames empty.
static bool play_clip(const player* p, limber_pipeline* pipeline) {
    limber_smeared s;
    for (uint32_t i = 0; i < FRAMES; i++) {
        if (limber_pipeline_evaluate_smeared(pipeline, 0, 0.05 * i, 24, &s) != LIMBER_OK)
            return false;
        put_frame(p, i, s.frame.positions);
    }
    return true;
}

static bool play_live(const player* p, limber_pipeline* pipeline) {
    const limber_model* model = limber_asset_model(p->asset);
    limber_live* live;
    limber_pose pose;
    limber_smeared s;
    if (limber_live_create(pipeline, NULL, &live, NULL) != LIMBER_OK)
        return false;
    bool good = limber_pose_create(model, &pose) == LIMBER_OK;
    for (uint32_t i = 0; good && i < FRAMES; i++) {
        limber_clip_sample(model, &model->clips[0], 0.05 * i, &pose);
        good = limber_live_push(live, pose.local, NULL, 0.05 * i) == LIMBER_OK &&
               limber_live_evaluate_smeared(live, &s) == LIMBER_OK;
        if (good)
            put_frame(p, i, s.frame.positions);
    }
    limber_pose_destroy(&pose);
    limber_live_destroy(live);
    return good;
}

static void* play(void* user) {
    player* p = user;
    limber_style* style = NULL;
    limber_pipeline* pipeline = NULL;
    cli_pool* pool = NULL;
    bool good = limber_style_create(&style, NULL) == LIMBER_OK &&
                limber_style_read_preset(style, p->preset, NULL) == LIMBER_OK &&
                limber_pipeline_create(p->asset, style, &pipeline, NULL) == LIMBER_OK &&
                cli_pool_lend(&pool, 2, pipeline) == LIMBER_OK;
    good = good && (p->live ? play_live(p, pipeline) : play_clip(p, pipeline));
    limber_pipeline_destroy(pipeline);
    limber_style_destroy(style);
    cli_pool_destroy(pool);
    return good ? p : NULL;
}

static player make_player(const limber_asset* asset, uint32_t i) {
    static const char* const presets[] = {"cartoon", "jelly", "smear", "rubberhose"};
    player p = {asset, presets[i % 4], i % 2 == 1, NULL};
    p.out = calloc((size_t)FRAMES * 3 * limber_asset_model(asset)->vertex_count, sizeof *p.out);
    assert_non_null(p.out);
    return p;
}

static void pipelines_of_one_character_play_in_several_threads(void** state) {
    enum { PLAYERS = 4 };
    (void)state;
    limber_asset* asset = open_asset("dancer");
    pthread_t threads[PLAYERS];
    player together[PLAYERS];
    for (uint32_t i = 0; i < PLAYERS; i++) {
        together[i] = make_player(asset, i);
        assert_int_equal(pthread_create(&threads[i], NULL, play, &together[i]), 0);
    }
    for (uint32_t i = 0; i < PLAYERS; i++) {
        void* good;
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_non_null(good);
    }
    for (uint32_t i = 0; i < PLAYERS; i++) {
        player alone = make_player(asset, i);
        assert_non_null(play(&alone));
        same_floats(alone.out, together[i].out, (size_t)FRAMES * 3 * limber_asset_model(asset)->vertex_count);
        free(alone.out);
        free(together[i].out);
    }
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bakes_of_every_kind_are_the_same_for_1_and_3_threads),
        cmocka_unit_test(performances_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(pipelines_of_one_character_play_in_several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
