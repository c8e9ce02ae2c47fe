// Blows that land on the beat although the skin lags: overlap with `arrive`.
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
#include "kit/style_kit.h"
#include "kit/surfaces.h"
#include "motion/arrivals.h"

// --- a tube that strikes ---

enum { MAX_KEYS = 1024, TOP = 16 }; // TOP: a vertex of the last ring

typedef struct blow {
    double seconds, start_s, way_s, keys_per_s;
    double back_s; // a loop goes back in this time, before its end; 0: it stays there
    double phase_s;
} blow;

static const blow strike = {1.5, 0.5, 0.12, 240, 0, 0};
static const blow loop = {2, 0.5, 0.12, 240, 1, 0};

static double ease(double x) {
    x = fmin(fmax(x, 0), 1);
    return x * x * (3 - 2 * x);
}

static double angle_at(const blow* b, double time_s) {
    double t = fmod(time_s + b->phase_s, b->seconds + (b->back_s > 0 ? 0 : 1e9));
    double angle = 1.5 * ease((t - b->start_s) / b->way_s);
    return b->back_s > 0 ? angle * (1 - ease((t - b->seconds + b->back_s) / b->back_s)) : angle;
}

static limber_asset* strike_with(const blow* b) {
    float times[MAX_KEYS], values[4 * MAX_KEYS];
    limber_asset* tube = test_tube_create(3, 1, 24, false);
    limber_model model = *limber_asset_model(tube);
    uint32_t keys = (uint32_t)(b->seconds * b->keys_per_s + 0.5) + 1;
    assert_true(keys <= MAX_KEYS);
    for (uint32_t k = 0; k < keys; k++) {
        double half = 0.5 * angle_at(b, k / b->keys_per_s);
        const float q[4] = {0, 0, (float)sin(half), (float)cos(half)};
        times[k] = (float)(k / b->keys_per_s);
        memcpy(values + 4 * (size_t)k, q, sizeof q);
    }
    limber_channel channel = {LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, 1, keys, times, values};
    limber_clip clip;
    memset(&clip, 0, sizeof clip);
    clip.name = "blow";
    clip.channel_count = 1;
    clip.channels = &channel;
    model.clip_count = 1;
    model.clips = &clip;
    limber_asset* asset = NULL;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    limber_asset_destroy(tube);
    return asset;
}

static limber_pipeline* with_frequency(const limber_asset* asset, const char* arrive, const char* hertz) {
    limber_style* style = style_kit_read("{\"limber\": 1, \"compose\": \"chain\", \"effects\": {\"overlap\": "
                                         "{\"gain\": 3, \"max\": 30, \"ahead\": 0.03}}}");
    limber_pipeline* pipeline;
    limber_error error;
    if (arrive)
        style_kit_set(style, "effects.overlap.arrive", arrive);
    if (hertz)
        style_kit_set(style, "effects.overlap.frequency", hertz);
    if (limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    limber_style_destroy(style);
    return pipeline;
}

static limber_pipeline* styled(const limber_asset* asset, const char* arrive) {
    return with_frequency(asset, arrive, NULL);
}

// How far the top is behind the clip, in L; negative: past it. The tube turns about Z, so behind is the side where the
// cross product of the two says.
static double lag_at(limber_pipeline* pipeline, double time_s) {
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(pipeline, 0, time_s, &frame), LIMBER_OK);
    const float *now = frame.positions + 3 * (size_t)TOP, *plain = frame.skinned + 3 * (size_t)TOP;
    float x = plain[0], y = plain[1] - 1; // from the joint that turns
    double way = (double)((now[0] - x) * y - (now[1] - 1 - y) * x) / (double)hypotf(x, y);
    return way / (double)limber_asset_model(limber_pipeline_asset(pipeline))->size;
}

static double lag_of(const limber_asset* asset, const char* arrive, double time_s) {
    limber_pipeline* pipeline = styled(asset, arrive);
    double lag = lag_at(pipeline, time_s);
    limber_pipeline_destroy(pipeline);
    return lag;
}

static const double landing_s = 0.62; // strike.start_s + strike.way_s

// --- tests ---

static void a_blow_lands_on_the_beat_and_overshoots(void** state) {
    (void)state;
    limber_asset* asset = strike_with(&strike);
    limber_pipeline* late = styled(asset, NULL);
    limber_pipeline* punctual = styled(asset, "1");
    assert_true(lag_at(late, landing_s) > 0.05 && lag_at(late, landing_s + 1 / 24.0) > 0.05);
    assert_true(fabs(lag_at(punctual, landing_s)) < 0.005);
    assert_true(lag_at(punctual, landing_s + 1 / 24.0) < -0.005 && lag_at(punctual, landing_s + 0.1) < -0.02);
    assert_true(lag_at(punctual, landing_s - 0.112) == lag_at(late, landing_s - 0.112)); // until then it drags as ever
    assert_true(fabs(lag_at(punctual, 1.5)) < 0.01);                                     // and it settles
    limber_pipeline_destroy(late);
    limber_pipeline_destroy(punctual);
    limber_asset_destroy(asset);
}

// Slow springs lag by more, so they begin to catch up earlier.
static void slow_springs_catch_up_for_longer(void** state) {
    (void)state;
    const char* const hertz[] = {"1.5", "4"};
    limber_asset* asset = strike_with(&strike);
    for (int slow = 0; slow < 2; slow++) {
        limber_pipeline* late = with_frequency(asset, NULL, hertz[1 - slow]);
        limber_pipeline* punctual = with_frequency(asset, "1", hertz[1 - slow]);
        double share = lag_at(punctual, landing_s - 0.085) / lag_at(late, landing_s - 0.085);
        assert_true(slow ? share < 0.95 : share == 1);
        assert_true(fabs(lag_at(punctual, landing_s)) < 0.005);
        limber_pipeline_destroy(late);
        limber_pipeline_destroy(punctual);
    }
    limber_asset_destroy(asset);
}

static void more_of_it_is_less_late(void** state) {
    (void)state;
    const char* const amounts[] = {"0", "0.25", "0.5", "0.75", "1"};
    limber_asset* asset = strike_with(&strike);
    double before[2] = {1, 1};
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        double lags[2] = {lag_of(asset, amounts[i], landing_s), lag_of(asset, amounts[i], landing_s + 0.08)};
        assert_true(lags[0] < before[0] - 1e-3 && lags[1] < before[1] - 1e-3);
        memcpy(before, lags, sizeof before);
    }
    limber_asset_destroy(asset);
}

// The lag never changes faster than the blow itself goes: 1.5 rad in 0.12 s, at its fastest half as fast again.
static void nothing_pops(void** state) {
    (void)state;
    limber_asset* asset = strike_with(&strike);
    double fastest = 1.5 * 1.5 / 0.12 / 120 / (double)limber_asset_model(asset)->size;
    limber_pipeline* pipeline = styled(asset, "1");
    for (int shift = 0; shift < 4; shift++) {
        double before = 0, change = 0; // of the lag, within 1/120 s
        for (int i = 0; i < 180; i++) {
            double lag = lag_at(pipeline, (i + 0.25 * shift) / 120);
            change = fmax(change, fabs(lag - before));
            before = lag;
        }
        assert_true(change < 0.8 * fastest);
    }
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static void a_motion_without_stops_stays_as_it_is(void** state) {
    (void)state;
    const blow slow = {1.5, 0.2, 1, 60, 0, 0};
    limber_asset* asset = strike_with(&slow);
    limber_pipeline* late = styled(asset, NULL);
    limber_pipeline* punctual = styled(asset, "1");
    for (int i = 0; i <= 90; i++) {
        limber_frame a, b;
        assert_int_equal(limber_pipeline_evaluate(late, 0, i / 60.0, &a), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(punctual, 0, i / 60.0, &b), LIMBER_OK);
        assert_memory_equal(a.positions, b.positions,
                            3 * limber_asset_model(asset)->vertex_count * sizeof *a.positions);
    }
    limber_pipeline_destroy(late);
    limber_pipeline_destroy(punctual);
    limber_asset_destroy(asset);
}

// At any rate of the output a moment looks the same, and the rate of the keys matters little.
static void rates_do_not_matter(void** state) {
    (void)state;
    const double rates[] = {24, 60, 240};
    const blow coarse = {1.5, 0.5, 0.12, 60, 0, 0};
    limber_asset* asset = strike_with(&strike);
    limber_asset* other = strike_with(&coarse);
    limber_pipeline* whole = styled(asset, "1");
    limber_pipeline* keyed = styled(other, "1");
    for (int r = 0; r < 3; r++) {
        limber_pipeline* pipeline = styled(asset, "1");
        for (int i = 0; i <= (int)(1.5 * rates[r]); i++) {
            double lag = lag_at(pipeline, i / rates[r]);
            assert_true(lag == lag_at(whole, i / rates[r]));
            assert_true(fabs(lag - lag_at(keyed, i / rates[r])) < 0.01);
        }
        limber_pipeline_destroy(pipeline);
    }
    limber_pipeline_destroy(whole);
    limber_pipeline_destroy(keyed);
    limber_asset_destroy(asset);
    limber_asset_destroy(other);
}

// A loop closes, and it does not matter where it begins: not even when it strikes across its end.
static void loops_go_on(void** state) {
    (void)state;
    limber_asset* asset = strike_with(&loop);
    limber_pipeline* pipeline = styled(asset, "1");
    assert_true(fabs(lag_at(pipeline, 0) - lag_at(pipeline, 2)) < 1e-5);
    assert_true(fabs(lag_at(pipeline, landing_s)) < 0.005);
    for (double phase_s = 0.25; phase_s < 2; phase_s += 0.05) {
        blow shifted = loop;
        shifted.phase_s = phase_s;
        limber_asset* moved = strike_with(&shifted);
        limber_pipeline* other = styled(moved, "1");
        for (int i = 0; i < 48; i++) {
            double time_s = fmod(i / 24.0 - phase_s + 2, 2);
            assert_true(fabs(lag_at(pipeline, i / 24.0) - lag_at(other, time_s)) < 2e-4);
        }
        limber_pipeline_destroy(other);
        limber_asset_destroy(moved);
    }
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static void scale_does_not_matter(void** state) {
    (void)state;
    limber_transform above = limber_transform_identity();
    above.scale = limberi_vec3(100, 100, 100);
    limber_asset* asset = strike_with(&strike);
    limber_asset* large = test_rearranged(limber_asset_model(asset), NULL, &above);
    limber_pipeline* pipelines[2] = {styled(asset, "1"), styled(large, "1")};
    for (int i = 0; i <= 90; i++) {
        limber_frame frames[2];
        for (int k = 0; k < 2; k++)
            assert_int_equal(limber_pipeline_evaluate(pipelines[k], 0, i / 60.0, &frames[k]), LIMBER_OK);
        for (uint32_t n = 0; n < 3 * limber_asset_model(asset)->vertex_count; n++)
            assert_true(fabsf(frames[1].positions[n] / 100 - frames[0].positions[n]) < 1e-4f);
    }
    limber_pipeline_destroy(pipelines[0]);
    limber_pipeline_destroy(pipelines[1]);
    limber_asset_destroy(asset);
    limber_asset_destroy(large);
}

// A body with two hands that hit something one after the other, each on its own way.
static limber_asset* boxer(const double* hit_s, const double* way) {
    enum { KEYS = 121 };
    static const int32_t parents[3] = {-1, 0, 0};
    test_surface* s = test_surface_create();
    s->joint_count = 3;
    test_surface_ball(s, limberi_vec3(0, 0, 0), 1, 24, 12);
    for (uint16_t hand = 1; hand < 3; hand++) {
        uint32_t first = s->vertex_count;
        test_surface_ball(s, s->joints[hand] = limberi_vec3(hand == 1 ? 1.2f : -1.2f, 0, 0), 0.05f, 12, 6);
        for (uint32_t u = first; u < s->vertex_count; u++)
            s->joint[u] = hand;
    }
    limber_asset *flat = test_surface_asset(s), *asset;
    limber_model model = *limber_asset_model(flat);
    float times[KEYS], values[2][3 * KEYS];
    limber_channel channels[2];
    for (uint32_t hand = 0; hand < 2; hand++) {
        channels[hand] = (limber_channel){
            LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, hand + 1, KEYS, times, values[hand]};
        for (uint32_t k = 0; k < KEYS; k++) {
            times[k] = (float)k / (KEYS - 1);
            limber_vec3 at = s->joints[hand + 1];
            at.z += (float)(way[hand] * ease(1 + ((double)times[k] - hit_s[hand]) / 0.12));
            limberi_store3(values[hand] + 3 * (size_t)k, at);
        }
    }
    limber_clip clip = {.name = "two blows", .channel_count = 2, .channels = channels};
    model.rig.parents = parents;
    model.clip_count = 1;
    model.clips = &clip;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    limber_asset_destroy(flat);
    free(s);
    return asset;
}

// Each hand stops when it hits; the body that leads both arrives with the harder blow, the first or the second.
static void of_two_blows_in_a_row_the_harder_one_counts(void** state) {
    (void)state;
    const double hit_s[2] = {0.5, 0.575};
    const double ways[2][2] = {{0.8, 1.4}, {1.4, 0.8}};
    for (uint32_t harder = 0; harder < 2; harder++) {
        limber_asset* asset = boxer(hit_s, ways[1 - harder]);
        const limber_model* model = limber_asset_model(asset);
        limberi_arrival_grid grid = {&model->clips[0], false, 1 / 240.0, 240, 0, NULL};
        limberi_arena arena = {0};
        const limberi_arrivals* found = limberi_arrivals_find(&arena, model, &grid);
        assert_int_equal(found[1].count, 1);
        assert_int_equal(found[2].count, 1);
        assert_int_equal(found[0].count, 1);
        assert_int_equal(found[0].stops[0].sample, found[1 + harder].stops[0].sample);
        limberi_arena_free(&arena);
        limber_asset_destroy(asset);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blow_lands_on_the_beat_and_overshoots),
        cmocka_unit_test(slow_springs_catch_up_for_longer),
        cmocka_unit_test(more_of_it_is_less_late),
        cmocka_unit_test(nothing_pops),
        cmocka_unit_test(a_motion_without_stops_stays_as_it_is),
        cmocka_unit_test(rates_do_not_matter),
        cmocka_unit_test(loops_go_on),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(of_two_blows_in_a_row_the_harder_one_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
