// The performance: poses become larger and feet stay, timing holds and hurries without moving the key poses, walks and
// idles keep their time, and neither the size nor the heading of the world, nor the order of joints, matters.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "kit/scene.h"
#include "perform/acting.h"

// --- helpers ---

// Characters are made once.
static struct {
    const char* name;
    limber_asset* asset;
} loaded[8];

static limber_asset* load(const char* name) {
    limber_error error;
    int i = 0;
    while (loaded[i].asset && strcmp(loaded[i].name, name) != 0)
        i++;
    loaded[i].name = name;
    if (!loaded[i].asset && limberi_character_create(name, 0.5, &loaded[i].asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return loaded[i].asset;
}

static int drop_loaded(void** state) {
    (void)state;
    for (int i = 0; i < 8; i++)
        limber_asset_destroy(loaded[i].asset);
    return 0;
}

static limber_stage_settings performing(double snap, double hang, double exaggerate, double anticipate) {
    limber_stage_settings settings = limber_stage_settings_default();
    settings.perform.snap = snap;
    settings.perform.hang = hang;
    settings.perform.exaggerate = exaggerate;
    settings.perform.anticipate = anticipate;
    return settings;
}

static float* copy_of(const limber_model* model, const float* from) {
    size_t bytes = 3 * (size_t)model->vertex_count * sizeof *from;
    float* copy = malloc(bytes);
    assert_non_null(copy);
    memcpy(copy, from, bytes);
    return copy;
}

static double apart(const limber_model* model, const float* a, const float* b) {
    double worst = 0;
    for (size_t v = 0; v < model->vertex_count; v++)
        worst = fmax(worst, (double)limberi_length(limberi_sub(limberi_load3(a + 3 * v), limberi_load3(b + 3 * v))));
    return worst / (double)model->size;
}

// rms distance of the vertices from their mean places, the way of the body taken out.
static double amplitude(limber_pipeline* pipeline, const limber_model* model, uint32_t clip, int frames) {
    const limber_clip* c = &model->clips[clip];
    size_t numbers = 3 * (size_t)model->vertex_count;
    double *sum = calloc(numbers, sizeof *sum), *square = calloc(numbers, sizeof *square), total = 0;
    assert_true(sum && square);
    for (int f = 0; f < frames; f++) {
        const float* p = test_positions(pipeline, clip, c->start_s + (c->end_s - c->start_s) * f / (frames - 1));
        double middle[3] = {0, 0, 0};
        for (size_t i = 0; i < numbers; i++)
            middle[i % 3] += (double)p[i] / model->vertex_count;
        for (size_t i = 0; i < numbers; i++) {
            double at = (double)p[i] - middle[i % 3];
            sum[i] += at / frames;
            square[i] += at * at / frames;
        }
    }
    for (size_t i = 0; i < numbers; i++)
        total += fmax(square[i] - sum[i] * sum[i], 0) / model->vertex_count;
    free(sum);
    free(square);
    return sqrt(total);
}

// --- poses ---

static void poses_become_larger(void** state) {
    (void)state;
    const char* const shows[][2] = {{"hero", "jump"}, {"dancer", "leap"}, {"toon", "jump"}};
    for (size_t i = 0; i < sizeof shows / sizeof *shows; i++) {
        limber_asset* asset = load(shows[i][0]);
        const limber_model* model = limber_asset_model(asset);
        uint32_t clip = shows[i][1] ? test_clip(asset, shows[i][1]) : 0;
        limber_stage_settings off = limber_stage_settings_default(), on = performing(0, 0, 0.8, 0.45),
                              more = performing(0, 0, 1.6, 0.45);
        limber_pipeline *plain = test_pipeline(asset, &off), *large = test_pipeline(asset, &on),
                        *larger = test_pipeline(asset, &more);
        double was = amplitude(plain, model, clip, 30), now = amplitude(large, model, clip, 30),
               then = amplitude(larger, model, clip, 30);
        if (!(now > 1.04 * was && now < 1.6 * was && then > now))
            fail_msg("%s: %g, %g, %g", shows[i][0], was, now / was, then / was);
        limber_pipeline_destroy(plain);
        limber_pipeline_destroy(large);
        limber_pipeline_destroy(larger);
    }
}

// Vertices that are low and still in the plain clip.
static void feet_stay_where_they_were(void** state) {
    (void)state;
    limber_asset* asset = load("hero");
    const limber_model* model = limber_asset_model(asset);
    uint32_t clip = test_clip(asset, "jump"), standing = 0;
    const limber_clip* c = &model->clips[clip];
    limber_stage_settings off = limber_stage_settings_default(), on = performing(0, 0, 0.8, 0.45);
    limber_pipeline *plain = test_pipeline(asset, &off), *posed = test_pipeline(asset, &on);
    double worst = 0;
    for (double t = c->start_s; t < c->end_s - 0.05; t += 0.04) {
        float *now = copy_of(model, test_positions(plain, clip, t)),
              *next = copy_of(model, test_positions(plain, clip, t + 0.02));
        const float* made = test_positions(posed, clip, t);
        double low = INFINITY;
        for (size_t v = 0; v < model->vertex_count; v++)
            low = fmin(low, (double)now[3 * v + 1]);
        for (size_t v = 0; v < model->vertex_count; v++) {
            limber_vec3 p = limberi_load3(now + 3 * v), way = limberi_sub(limberi_load3(next + 3 * v), p);
            bool stands = p.y < 0.01f * model->size && limberi_length(way) < 0.001f * model->size;
            standing += stands;
            if (stands)
                worst = fmax(worst, (double)limberi_length(limberi_sub(limberi_load3(made + 3 * v), p)));
        }
        free(now);
        free(next);
    }
    assert_true(standing > 100);
    if (worst > 0.012 * (double)model->size)
        fail_msg("a foot slides by %g L", worst / (double)model->size);
    limber_pipeline_destroy(plain);
    limber_pipeline_destroy(posed);
}

// The hero punches while he glides to one side along the floor, feet and all.
static limber_asset* gliding_hero(void) {
    enum { KEYS = 45 };
    limber_asset* hero = load("hero");
    limber_model model = *limber_asset_model(hero);
    limber_clip clip = model.clips[test_clip(hero, "swing")];
    limber_channel* channels = calloc(clip.channel_count + 1, sizeof *channels);
    limber_asset* asset;
    limber_error error;
    float times[KEYS], places[3 * KEYS];
    assert_non_null(channels);
    memcpy(channels, clip.channels, clip.channel_count * sizeof *channels);
    for (uint32_t k = 0; k < KEYS; k++) {
        limber_vec3 rest = model.rig.rest_local[0].translation;
        times[k] = (float)(clip.end_s - clip.start_s) * (float)k / (KEYS - 1);
        rest.x += 0.9f * (float)limberi_smooth_step(0.6, 1.4, (double)times[k]);
        limberi_store3(places + 3 * (size_t)k, rest);
    }
    limber_channel glide = {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, 0, KEYS, times, places};
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip.channel_count; i++)
        if (channels[i].path != LIMBER_CHANNEL_TRANSLATION || channels[i].target != 0)
            channels[count++] = channels[i];
    channels[count++] = glide;
    clip.channels = channels;
    clip.channel_count = count;
    model.clips = &clip;
    model.clip_count = 1;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    free(channels);
    return asset;
}

// They never stop, so that they are no contacts, but nobody wants to see them lifted or left behind.
static void feet_that_glide_keep_their_path(void** state) {
    (void)state;
    limber_asset* asset = gliding_hero();
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings off = limber_stage_settings_default(), on = performing(0, 0, 0.9, 0.3);
    limber_pipeline *plain = test_pipeline(asset, &off), *posed = test_pipeline(asset, &on);
    double worst = 0;
    uint32_t low = 0;
    for (double t = 0.3; t < 1.9; t += 0.08) {
        float* now = copy_of(model, test_positions(plain, 0, t));
        float* next = copy_of(model, test_positions(plain, 0, t + 0.02));
        const float* made = test_positions(posed, 0, t);
        for (size_t v = 0; v < model->vertex_count; v++) {
            limber_vec3 p = limberi_load3(now + 3 * v);
            bool glides = p.y < 0.01f * model->size && fabsf(next[3 * v + 1] - p.y) < 2e-4f * model->size;
            low += glides;
            if (glides)
                worst = fmax(worst, (double)limberi_length(limberi_sub(limberi_load3(made + 3 * v), p)));
        }
        free(now);
        free(next);
    }
    assert_true(low > 100);
    if (worst > 0.012 * (double)model->size)
        fail_msg("a gliding foot is off by %g L", worst / (double)model->size);
    limber_pipeline_destroy(plain);
    limber_pipeline_destroy(posed);
    limber_asset_destroy(asset);
}

// No moment is moved too far: the rest of a clip becomes larger before its largest moment does.
static void the_largest_moment_is_limited(void** state) {
    (void)state;
    limber_asset* asset = load("dancer");
    const limber_model* model = limber_asset_model(asset);
    uint32_t clip = test_clip(asset, "leap");
    const limber_clip* c = &model->clips[clip];
    limber_stage_settings off = limber_stage_settings_default();
    limber_stage_settings on = performing(0, 0, 1, 0);
    limber_pipeline* plain = test_pipeline(asset, &off);
    limber_pipeline* posed = test_pipeline(asset, &on);
    double largest = 0;
    for (double t = c->start_s; t < c->end_s; t += 0.02) {
        float* now = copy_of(model, test_positions(plain, clip, t));
        const float* made = test_positions(posed, clip, t);
        double square = 0;
        for (size_t k = 0; k < 3 * (size_t)model->vertex_count; k++)
            square += ((double)made[k] - (double)now[k]) * ((double)made[k] - (double)now[k]);
        largest = fmax(largest, sqrt(square / model->vertex_count) / (double)model->size);
        free(now);
    }
    if (!(largest > 0.05 && largest < 0.12))
        fail_msg("moved by %g L", largest);
    limber_pipeline_destroy(plain);
    limber_pipeline_destroy(posed);
}

// When the edit of a hand goes the same way as without a trail, in seconds later.
static double trail_of(const limber_asset* asset, const char* name) {
    const limber_model* model = limber_asset_model(asset);
    uint32_t clip = test_clip(asset, name);
    enum { FRAMES = 120 };
    double length = model->clips[clip].end_s - model->clips[clip].start_s;
    double edits[2][FRAMES][3];
    uint32_t vertex = 0;
    limber_stage_settings off = limber_stage_settings_default();
    limber_pipeline* plain = test_pipeline(asset, &off);
    for (uint32_t v = 0; v < model->vertex_count; v++) // the outermost one: of a hand
        if (test_positions(plain, UINT32_MAX, 0)[3 * (size_t)v] >
            test_positions(plain, UINT32_MAX, 0)[3 * (size_t)vertex])
            vertex = v;
    for (int i = 0; i < 2; i++) {
        limber_stage_settings on = performing(0, 0, 0.8, 0);
        on.perform.trail = i ? 0.2 : 0;
        limber_pipeline* posed = test_pipeline(asset, &on);
        for (int f = 0; f < FRAMES; f++) {
            double t = model->clips[clip].start_s + length * f / FRAMES;
            for (size_t k = 0; k < 3; k++)
                edits[i][f][k] = (double)test_positions(posed, clip, t)[3 * (size_t)vertex + k] -
                                 (double)test_positions(plain, clip, t)[3 * (size_t)vertex + k];
        }
        limber_pipeline_destroy(posed);
    }
    limber_pipeline_destroy(plain);
    double best = -INFINITY;
    int later = 0;
    for (int shift = 0; shift < FRAMES / 2; shift++) {
        double sum = 0;
        for (int f = 0; f < FRAMES; f++)
            for (int k = 0; k < 3; k++)
                sum += edits[0][f][k] * edits[1][(f + shift) % FRAMES][k];
        if (sum > best) {
            best = sum;
            later = shift;
        }
    }
    return length * later / FRAMES;
}

static void a_run_trails_less_than_a_slow_sway(void** state) {
    (void)state;
    double run = trail_of(load("hero"), "run");
    double sway = trail_of(load("dancer"), "sway");
    if (!(run > 0.05 && run < 0.15 && sway > 1.6 * run && sway < 0.7))
        fail_msg("run %g s, sway %g s", run, sway);
}

// How far the middle of the skin goes up and down, as a standard deviation.
static double bounce_of(const limber_asset* asset, uint32_t clip, double exaggerate, double trail) {
    enum { FRAMES = 24 };
    const limber_model* model = limber_asset_model(asset);
    const limber_clip* c = &model->clips[clip];
    limber_stage_settings settings = performing(0, 0, exaggerate, 0);
    settings.perform.trail = trail;
    limber_pipeline* pipeline = test_pipeline(asset, &settings);
    double sum = 0;
    double square = 0;
    for (int f = 0; f < FRAMES; f++) {
        const float* made = test_positions(pipeline, clip, c->start_s + (c->end_s - c->start_s) * f / FRAMES);
        double middle = 0;
        for (size_t v = 0; v < model->vertex_count; v++)
            middle += (double)made[3 * v + 1] / model->vertex_count;
        sum += middle / FRAMES;
        square += middle * middle / FRAMES;
    }
    limber_pipeline_destroy(pipeline);
    return sqrt(fmax(square - sum * sum, 0));
}

static void a_run_that_trails_bounces_as_much(void** state) {
    (void)state;
    limber_asset* asset = load("hero");
    uint32_t clip = test_clip(asset, "run");
    double plain = bounce_of(asset, clip, 0, 0);
    double prompt = bounce_of(asset, clip, 0.8, 0);
    double late = bounce_of(asset, clip, 0.8, 0.3);
    if (!(prompt > 1.2 * plain && late > 0.9 * prompt))
        fail_msg("bounces by %g, %g with larger poses, %g with larger poses that trail", plain, prompt, late);
}

static void joints_with_a_gain_of_0_keep_their_pose(void** state) {
    (void)state;
    limber_asset* asset = load("hero");
    const limber_model* model = limber_asset_model(asset);
    float* gains = calloc(model->rig.joint_count, sizeof *gains);
    limber_stage_settings off = limber_stage_settings_default(), on = performing(0, 0, 0.8, 0.45);
    on.perform.of_joint = gains;
    limber_pipeline *plain = test_pipeline(asset, &off), *posed = test_pipeline(asset, &on);
    float* was = copy_of(model, test_positions(plain, test_clip(asset, "jump"), 0.6));
    assert_true(apart(model, was, test_positions(posed, test_clip(asset, "jump"), 0.6)) < 1e-5);
    free(was);
    free(gains);
    limber_pipeline_destroy(plain);
    limber_pipeline_destroy(posed);
}

// --- timing ---

static void timing_keeps_both_ends_and_never_runs_back(void** state) {
    (void)state;
    limber_asset* asset = load("hero");
    const limber_clip* c = &limber_asset_model(asset)->clips[test_clip(asset, "jump")];
    limber_stage_settings on = performing(0.75, 1, 0, 0);
    limber_pipeline* pipeline = test_pipeline(asset, &on);
    uint32_t clip = test_clip(asset, "jump");
    double before = c->start_s, largest = 0;
    assert_true(fabs(limber_pipeline_source_time(pipeline, clip, c->start_s) - c->start_s) < 1e-9);
    assert_true(fabs(limber_pipeline_source_time(pipeline, clip, c->end_s) - c->end_s) < 1e-6);
    for (double t = c->start_s + 0.01; t < c->end_s; t += 0.01) {
        double source = limber_pipeline_source_time(pipeline, clip, t), rate = (source - before) / 0.01;
        assert_true(rate > 0.3 && rate < 2.2);
        largest = fmax(largest, fabs(source - t));
        before = source;
    }
    assert_true(largest > 0.02 && largest < 0.22);
    limber_pipeline_destroy(pipeline);
}

// How long the body is in the top tenth of its way up.
static double time_at_the_top(limber_pipeline* pipeline, const limber_model* model, uint32_t clip) {
    const limber_clip* c = &model->clips[clip];
    double heights[200], low = INFINITY, high = -INFINITY;
    int top = 0;
    for (int f = 0; f < 200; f++) {
        const float* p = test_positions(pipeline, clip, c->start_s + (c->end_s - c->start_s) * f / 199);
        heights[f] = 0;
        for (size_t v = 0; v < model->vertex_count; v++)
            heights[f] += (double)p[3 * v + 1] / model->vertex_count;
        low = fmin(low, heights[f]);
        high = fmax(high, heights[f]);
    }
    for (int f = 0; f < 200; f++)
        top += heights[f] > high - 0.1 * (high - low);
    return top * (c->end_s - c->start_s) / 200;
}

static void leaps_hang_in_the_air(void** state) {
    (void)state;
    limber_asset* asset = load("hero");
    const limber_model* model = limber_asset_model(asset);
    uint32_t clip = test_clip(asset, "jump");
    limber_stage_settings off = limber_stage_settings_default(), on = performing(0, 1, 0, 0);
    limber_pipeline *plain = test_pipeline(asset, &off), *hanging = test_pipeline(asset, &on);
    double was = time_at_the_top(plain, model, clip), now = time_at_the_top(hanging, model, clip);
    if (now < 1.15 * was)
        fail_msg("%g s at the top, %g s in the plain clip", now, was);
    limber_pipeline_destroy(plain);
    limber_pipeline_destroy(hanging);
}

static void walks_and_runs_keep_their_time(void** state) {
    (void)state;
    const char* const shows[][2] = {{"hero", "run"}, {"dog", "run"}, {"cow", "walk"}};
    for (size_t i = 0; i < sizeof shows / sizeof *shows; i++) {
        limber_asset* asset = load(shows[i][0]);
        uint32_t clip = test_clip(asset, shows[i][1]);
        const limber_clip* c = &limber_asset_model(asset)->clips[clip];
        limber_stage_settings on = performing(0.75, 1, 0, 0);
        limber_pipeline* pipeline = test_pipeline(asset, &on);
        for (double t = c->start_s; t < c->end_s; t += 0.02) {
            double off = fabs(limber_pipeline_source_time(pipeline, clip, t) - t);
            if (off > 0.012)
                fail_msg("%s %s: %g s off", shows[i][0], shows[i][1], off);
        }
        limber_pipeline_destroy(pipeline);
    }
}

static void key_poses_keep_their_times(void** state) {
    (void)state;
    limber_asset* asset = load("hero");
    limber_stage_settings on = performing(0.75, 1, 0, 0);
    limber_pipeline* pipeline = test_pipeline(asset, &on);
    uint32_t clip = test_clip(asset, "jump");
    double start_s = limber_asset_model(asset)->clips[clip].start_s;
    limber_performance found;
    assert_true(limber_pipeline_performance(pipeline, clip, &found));
    assert_true(found.retimed && !found.posed && found.key_count >= 2 && found.max_shift_s > 0.02);
    for (uint32_t i = 0; i < found.key_count; i++) {
        double t = start_s + found.key_times[i];
        double off = fabs(limber_pipeline_source_time(pipeline, clip, t) - t);
        if (off > 0.03)
            fail_msg("the key pose at %g s is %g s off", t, off);
    }
    limber_pipeline_destroy(pipeline);
}

static void parts_of_the_body_are_found(void** state) {
    (void)state;
    const struct {
        const char *name, *hips, *head;
        uint32_t legs;
    } bodies[] = {{"hero", "Hips", "Head", 2}, {"dog", "Hips", "Head", 4}, {"toon", "Hips", "Head", 2}};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        limber_asset* asset = load(bodies[i].name);
        char* const* names = (char* const*)limber_asset_model(asset)->rig.names;
        limber_stage_settings on = performing(0, 0, 0.8, 0);
        limber_pipeline* pipeline = test_pipeline(asset, &on);
        limber_performance found;
        assert_true(limber_pipeline_performance(pipeline, 0, &found));
        assert_true(found.hips >= 0 && found.head >= 0);
        if (strcmp(names[found.hips], bodies[i].hips) != 0 || strcmp(names[found.head], bodies[i].head) != 0 ||
            found.leg_count != bodies[i].legs)
            fail_msg("%s: hips %s, head %s, %u legs", bodies[i].name, names[found.hips], names[found.head],
                     found.leg_count);
        limber_pipeline_destroy(pipeline);
    }
}

static void performances_say_what_they_did(void** state) {
    (void)state;
    limber_asset* asset = load("hero");
    const limber_model* model = limber_asset_model(asset);
    uint32_t run = test_clip(asset, "run"), jump = test_clip(asset, "jump");
    limber_stage_settings on = performing(0.75, 0, 0.8, 0), still = performing(0, 0, 0, 0);
    on.perform.step = 0;
    on.perform.squash = 1;
    still.perform.bend = 0.001;
    limber_pipeline *pipeline = test_pipeline(asset, &on), *plain = test_pipeline(asset, &still);
    limber_performance leap, gait, none;
    assert_true(limber_pipeline_performance(pipeline, jump, &leap));
    assert_true(limber_pipeline_performance(pipeline, run, &gait) && limber_pipeline_performance(plain, jump, &none));
    assert_false(limber_pipeline_performance(pipeline, model->clip_count, &none));
    assert_true(limber_pipeline_performance(plain, jump, &none));
    assert_true(gait.gait && !gait.retimed && gait.flight_count == 0 && gait.lingers == 0);
    assert_true(!leap.gait && leap.retimed && leap.flight_count == 1 && leap.lingers > 0.1 && leap.lingers < 0.6);
    uint32_t frames = leap.held_frames[0] + leap.held_frames[1] + leap.held_frames[2];
    assert_int_equal(frames, lround(24 * (model->clips[jump].end_s - model->clips[jump].start_s)));
    assert_true(leap.held_frames[1] % 2 == 0 || leap.held_frames[0] > 0); // a last pair may be cut short
    assert_int_equal(leap.held_frames[2] % 3, 0);
    assert_true(leap.pose_gain >= 0.8 && leap.pose_gain < 1.6 && none.pose_gain == 0);
    assert_true(leap.new_amplitude > 1.03 * leap.amplitude && none.new_amplitude == none.amplitude);
    assert_true(fabs(leap.amplitude - none.amplitude) < 1e-12 && leap.amplitude > 0.05 && leap.amplitude < 0.2);
    assert_true(leap.shaped && leap.shortest < 0.95 && leap.tallest > 1.05 && leap.shortest > 0.6);
    assert_true(none.shaped && !none.posed && !none.retimed && none.flight_count == 1 && none.held_frames[0] == 0);
    char* const* names = (char* const*)model->rig.names;
    assert_int_equal(leap.trunk_count, 3);
    assert_string_equal(names[leap.trunk[0]], "Hips");
    assert_string_equal(names[leap.trunk[2]], "Chest");
    assert_string_equal(names[leap.limbs[0]], "LegUpperLeft");
    assert_string_equal(names[leap.limbs[leap.leg_count]], "Neck");
    limber_pipeline_destroy(pipeline);
    limber_pipeline_destroy(plain);
}

// --- what must not matter ---

static void compare_worlds(const char* what, const limber_transform* above, double tolerance) {
    limber_asset* asset = load("hero");
    const limber_model* model = limber_asset_model(asset);
    limber_asset* other = test_rearranged(model, NULL, above);
    limber_stage_settings on = performing(0.75, 1, 0.8, 0.45);
    on.perform.squash = on.perform.bend = 1;
    on.perform.trail = 0.1;
    limber_pipeline *a = test_pipeline(asset, &on), *b = test_pipeline(other, &on);
    limber_mat4 to = limberi_mat4_from_transform(above), back;
    assert_true(limberi_mat4_inverse(&to, &back));
    uint32_t clip = test_clip(asset, "jump");
    double worst = 0;
    for (double t = 0.1; t < 1.4; t += 0.13) {
        float* here = copy_of(model, test_positions(a, clip, t));
        float* there = copy_of(model, test_positions(b, clip, t));
        for (size_t v = 0; v < model->vertex_count; v++)
            limberi_store3(there + 3 * v, limberi_mat4_point(&back, limberi_load3(there + 3 * v)));
        worst = fmax(worst, apart(model, here, there));
        free(here);
        free(there);
    }
    if (worst > tolerance)
        fail_msg("%s: off by %g L", what, worst);
    limber_pipeline_destroy(a);
    limber_pipeline_destroy(b);
    limber_asset_destroy(other);
}

static void size_does_not_matter(void** state) {
    (void)state;
    limber_transform above = limber_transform_identity();
    above.scale = limberi_vec3(100, 100, 100);
    compare_worlds("times 100", &above, 1e-4);
}

static void heading_and_place_do_not_matter(void** state) {
    (void)state;
    limber_transform above = limber_transform_identity();
    above.rotation = limberi_quat_exp(limberi_vec3(0, 37 * 0.0174533f, 0));
    above.translation = limberi_vec3(1, 0, -2);
    compare_worlds("turned by 37 degrees", &above, 1e-4);
}

static void loops_close(void** state) {
    (void)state;
    limber_asset* asset = load("hero");
    const limber_model* model = limber_asset_model(asset);
    for (uint32_t c = 0; c < model->clip_count; c++) {
        const limber_clip* clip = &model->clips[c];
        if (!clip->loops || clip->travels)
            continue;
        limber_stage_settings on = performing(0.75, 1, 0.8, 0.45), off = limber_stage_settings_default();
        on.perform.trail = 0.3; // what comes later at the end of the loop is there at its start
        limber_pipeline *pipeline = test_pipeline(asset, &on), *plain = test_pipeline(asset, &off);
        float *start = copy_of(model, test_positions(plain, c, clip->start_s)), *first;
        double gap = apart(model, start, test_positions(plain, c, clip->end_s));
        first = copy_of(model, test_positions(pipeline, c, clip->start_s));
        double off_by = apart(model, first, test_positions(pipeline, c, clip->end_s));
        if (off_by > gap + 1e-3)
            fail_msg("%s: the ends are %g L apart, %g in the plain clip", clip->name, off_by, gap);
        free(start);
        free(first);
        limber_pipeline_destroy(pipeline);
        limber_pipeline_destroy(plain);
    }
}

// Where a loop rests over its seam, that is one key pose, at the moment where it comes to rest; not where rounding has it.
static void a_rest_over_the_seam_of_a_loop_is_a_key_pose(void** state) {
    (void)state;
    enum { COUNT = 241, MOVES = 60, RESTS = 180 };
    static double speed[COUNT], all[COUNT], scratch[2 * COUNT + 2], one[COUNT], three[3 * COUNT];
    limber_clip clip = {.name = "wave"};
    limberi_acting a = {.clip = &clip, .grid = {COUNT, 1 / 120.0, true}, .speed = speed, .free = all};
    limberi_timing_amounts amounts = {.snap = 0.75};
    limberi_timing timing;
    for (int f = 0; f < COUNT; f++) {
        double part = (f - MOVES) / (double)(RESTS - MOVES);
        speed[f] = part > 0 && part < 1 ? 3 * sin(3.14159 * part) : 0;
        all[f] = 1;
    }
    a.scratch = scratch;
    a.speeds[0] = one;
    a.speeds[1] = three;
    assert_int_equal(limberi_timing_find(&a, &amounts, &timing), LIMBER_OK);
    assert_int_equal(timing.key_count, 1);
    if (timing.keys[0] < RESTS || timing.keys[0] > RESTS + 25)
        fail_msg("it rests from moment %d; the key pose is at %u", RESTS, timing.keys[0]);
    limberi_arena_free(&a.arena);
}

static void any_order_of_frames_gives_the_same_bits(void** state) {
    (void)state;
    limber_asset* asset = load("hero");
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings on = performing(0.75, 1, 0.8, 0.45);
    limber_pipeline *a = test_pipeline(asset, &on), *b = test_pipeline(asset, &on);
    uint32_t clip = test_clip(asset, "jump");
    test_positions(b, clip == 0 ? 1 : 0, 0.3);
    test_positions(b, clip, 1.1);
    float* here = copy_of(model, test_positions(a, clip, 0.4));
    assert_memory_equal(here, test_positions(b, clip, 0.4), 3 * (size_t)model->vertex_count * sizeof *here);
    free(here);
    limber_pipeline_destroy(a);
    limber_pipeline_destroy(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_become_larger),
        cmocka_unit_test(feet_stay_where_they_were),
        cmocka_unit_test(feet_that_glide_keep_their_path),
        cmocka_unit_test(the_largest_moment_is_limited),
        cmocka_unit_test(a_run_trails_less_than_a_slow_sway),
        cmocka_unit_test(a_run_that_trails_bounces_as_much),
        cmocka_unit_test(joints_with_a_gain_of_0_keep_their_pose),
        cmocka_unit_test(timing_keeps_both_ends_and_never_runs_back),
        cmocka_unit_test(leaps_hang_in_the_air),
        cmocka_unit_test(walks_and_runs_keep_their_time),
        cmocka_unit_test(key_poses_keep_their_times),
        cmocka_unit_test(parts_of_the_body_are_found),
        cmocka_unit_test(performances_say_what_they_did),
        cmocka_unit_test(size_does_not_matter),
        cmocka_unit_test(heading_and_place_do_not_matter),
        cmocka_unit_test(loops_close),
        cmocka_unit_test(a_rest_over_the_seam_of_a_loop_is_a_key_pose),
        cmocka_unit_test(any_order_of_frames_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, drop_loaded);
}
