// What contacts do to a styled clip: feet stay where they are planted and nothing goes through the floor, whatever the
// order of frames, their rate and the number of threads.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/failing_memory.h"
#include "kit/figure.h"
#include "kit/models.h"
#include "kit/scene.h"
#include "kit/style_kit.h"
#include "pipeline/pipeline_private.h"

static const char* const walkers[] = {"toon", "hero", "dog", "cow"};
static const char* const presets[] = {"subtle", "cartoon", "rubberhose", "jelly"};

static limber_pipeline* styled(const limber_asset* asset, const char* preset, const char* more) {
    limber_style* style;
    limber_pipeline* pipeline = NULL;
    limber_error error;
    if (limber_style_create(&style, &error) != LIMBER_OK ||
        limber_style_read_preset(style, preset, &error) != LIMBER_OK ||
        limber_style_read(style, more, strlen(more), &error) != LIMBER_OK ||
        limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_style_destroy(style);
    return pipeline;
}

static limber_frame frame_at(limber_pipeline* pipeline, uint32_t clip, double time_s) {
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(pipeline, (int32_t)clip, time_s, &frame), LIMBER_OK);
    return frame;
}

// --- planted feet and the floor ---

typedef struct worst {
    double slide, depth; // L
    uint32_t planted;    // vertices looked at
} worst;

typedef struct watcher {
    const limber_model* model;
    const limber_contacts* contacts;
    float *hold, *ground; // [joint]
    worst worst;
} watcher;

// Of a vertex that hangs on one joint: how much that is held, and how far above its ground it is.
static bool is_planted(const watcher* w, const limber_mesh* mesh, uint32_t u, double height) {
    uint32_t i = mesh->influence_first[u];
    uint32_t joint = w->model->skins[mesh->skin].joints[mesh->influence_joint[i]];
    return mesh->influence_weight[i] > 0.99f && w->hold[joint] > 0.999f &&
           height - (double)w->ground[joint] < 0.03 * limber_contacts_scale(w->contacts);
}

static void look_at(watcher* w, const limber_frame* frame) {
    double floor = limber_contacts_level(w->contacts, 0), size = (double)w->model->size;
    for (uint32_t m = 0; m < w->model->mesh_count; m++) {
        const limber_mesh* mesh = &w->model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            const float* plain = frame->skinned + 3 * (size_t)(mesh->first_vertex + u);
            const float* now = frame->positions + 3 * (size_t)(mesh->first_vertex + u);
            double limit = fmin(floor, (double)plain[1]);
            w->worst.depth = fmax(w->worst.depth, (limit - (double)now[1]) / size);
            if (!is_planted(w, mesh, u, (double)plain[1]))
                continue;
            limber_vec3 moved = limberi_sub(limberi_load3(now), limberi_load3(plain));
            w->worst.slide = fmax(w->worst.slide, (double)limberi_length(moved) / size);
            w->worst.planted++;
        }
    }
}

static worst watch(limber_pipeline* pipeline, const limber_model* model, uint32_t clip) {
    watcher w = {model, NULL, calloc(model->rig.joint_count, sizeof(float)), NULL, {0, 0, 0}};
    w.ground = calloc(model->rig.joint_count, sizeof(float));
    assert_true(w.hold && w.ground);
    assert_int_equal(limber_pipeline_contacts(pipeline, clip, &w.contacts), LIMBER_OK);
    uint32_t count = limber_clip_frame_count(&model->clips[clip], 30);
    for (uint32_t i = 0; i < count; i++) {
        double time_s = limber_clip_frame_time(&model->clips[clip], 30, i);
        limber_frame frame = frame_at(pipeline, clip, time_s);
        double source_s = limber_pipeline_source_time(pipeline, clip, time_s);
        (void)limber_contacts_evaluate(w.contacts, source_s, w.hold, w.ground);
        look_at(&w, &frame);
    }
    free(w.hold);
    free(w.ground);
    return w.worst;
}

// Each walker in two of the presets; in all with --long.
static void planted_feet_stay_and_nothing_sinks(void** state) {
    (void)state;
    const bool is_long = getenv("LIMBER_TEST_LONG") != NULL;
    for (size_t i = 0; i < sizeof walkers / sizeof *walkers; i++) {
        limber_asset* asset = test_built_in(walkers[i], 0.7);
        const limber_model* model = limber_asset_model(asset);
        for (size_t p = is_long ? 0 : i % 2; p < sizeof presets / sizeof *presets; p += is_long ? 1 : 2) {
            limber_pipeline* pipeline = styled(asset, presets[p], "{\"contact\": 1}");
            worst all = {0, 0, 0};
            for (uint32_t c = 0; c < model->clip_count; c++) {
                worst one = watch(pipeline, model, c);
                all.slide = fmax(all.slide, one.slide);
                all.depth = fmax(all.depth, one.depth);
                all.planted += one.planted;
            }
            print_message("%s %s: slides %.5f L, sinks %.5f L, %u planted\n", walkers[i], presets[p], all.slide,
                          all.depth, all.planted);
            assert_true(all.planted > 1000);
            // shins that colliders push take a little of the hooves along
            double max = strcmp(presets[p], "rubberhose") == 0 || strcmp(presets[p], "jelly") == 0 ? 0.01 : 0.006;
            assert_true(all.slide < max && all.depth < 0.004);
            limber_pipeline_destroy(pipeline);
        }
        limber_asset_destroy(asset);
    }
}

// --- order, rate, threads ---

static const char everything[] = "{\"contact\": 1, \"impact\": {\"gain\": 1}}";

static void frames_in_any_order_are_the_same(void** state) {
    (void)state;
    enum { FRAMES = 24 };
    limber_asset* asset = test_built_in("toon", 0.5);
    const limber_model* model = limber_asset_model(asset);
    size_t numbers = 3 * (size_t)model->vertex_count;
    float* kept = malloc(FRAMES * numbers * sizeof *kept);
    assert_non_null(kept);
    limber_pipeline *one = styled(asset, "jelly", everything), *other = styled(asset, "jelly", everything);
    for (uint32_t i = 0; i < FRAMES; i++)
        memcpy(kept + i * numbers, frame_at(one, 1, 0.1 * i).positions, numbers * sizeof *kept);
    for (uint32_t i = 0; i < FRAMES; i++) {
        uint32_t k = (7 * i + 5) % FRAMES;
        (void)frame_at(other, i % 3, 0.03 * i);
        assert_memory_equal(frame_at(other, 1, 0.1 * k).positions, kept + k * numbers, numbers * sizeof *kept);
    }
    limber_pipeline_destroy(one);
    limber_pipeline_destroy(other);
    limber_asset_destroy(asset);
    free(kept);
}

static void the_rate_of_frames_does_not_matter(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("dog", 0.5);
    const limber_model* model = limber_asset_model(asset);
    const limber_clip* clip = &model->clips[1];
    limber_pipeline *slow = styled(asset, "jelly", everything), *fast = styled(asset, "jelly", everything);
    double off = 0;
    uint32_t count = limber_clip_frame_count(clip, 24);
    for (uint32_t i = 0; i + 1 < count; i++) {
        limber_frame a = frame_at(slow, 1, limber_clip_frame_time(clip, 24, i));
        for (uint32_t k = i * 10 > 3 ? i * 10 - 3 : 0; k < i * 10; k++)
            (void)frame_at(fast, 1, limber_clip_frame_time(clip, 240, k));
        limber_frame b = frame_at(fast, 1, limber_clip_frame_time(clip, 240, 10 * i));
        for (size_t n = 0; n < 3 * (size_t)model->vertex_count; n++)
            off = fmax(off, fabs((double)(a.positions[n] - b.positions[n])));
    }
    assert_true(off < 1e-4 * (double)model->size);
    limber_pipeline_destroy(slow);
    limber_pipeline_destroy(fast);
    limber_asset_destroy(asset);
}

static void the_number_of_threads_does_not_matter(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof walkers / sizeof *walkers; i++) {
        limber_asset* asset = test_built_in(walkers[i], 1);
        size_t bytes = 3 * (size_t)limber_asset_model(asset)->vertex_count * sizeof(float);
        limber_pipeline *one = styled(asset, "jelly", everything), *three = styled(asset, "jelly", everything);
        limber_parallel parallel = {.worker_count = 3, .run = test_run_backwards};
        assert_int_equal(limber_pipeline_set_parallel(three, &parallel), LIMBER_OK);
        for (int k = 0; k < 5; k++) {
            limber_frame a = frame_at(one, 1, 1.1 + 0.1 * k), b = frame_at(three, 1, 1.1 + 0.1 * k);
            assert_memory_equal(a.positions, b.positions, bytes);
            assert_memory_equal(a.normals, b.normals, bytes);
        }
        limber_pipeline_destroy(one);
        limber_pipeline_destroy(three);
        limber_asset_destroy(asset);
    }
}

// --- single vertices ---

// What is asked of single vertices, for hats, colliders and the GPU, is what the ground does to all of them.
static void a_single_vertex_goes_where_it_goes_among_all(void** state) {
    static const char still[] = "{\"timing\": {\"snap\": 0, \"hang\": 0}, \"pose\": {\"exaggerate\": 0, \"trail\": 0}, "
                                "\"body\": {\"squash\": 0, \"bend\": 0}, \"colliders\": [], \"rigid\": \"off\", %s}";
    char on[300];
    char off[300];
    snprintf(on, sizeof on, still, "\"contact\": 1, \"impact\": {\"gain\": 1}");
    snprintf(off, sizeof off, still, "\"contact\": 0, \"impact\": {\"gain\": 0}");
    (void)state;
    limber_asset* asset = test_built_in("dog", 0.5);
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline *grounded = styled(asset, "jelly", on), *floating = styled(asset, "jelly", off);
    float* moved = malloc(3 * model->vertex_count * sizeof *moved);
    uint32_t pushed = 0;
    double far = 0;
    assert_non_null(moved);
    for (uint32_t i = 0; i < 60; i++) {
        limber_frame a = frame_at(grounded, i % model->clip_count, 0.05 * i);
        limber_frame b = frame_at(floating, i % model->clip_count, 0.05 * i);
        limberi_contact_stage_frame frame = {.skinned = a.skinned, .deformed = moved};
        memcpy(moved, b.positions, 3 * model->vertex_count * sizeof *moved);
        for (uint32_t v = 0; v < model->vertex_count; v++) {
            limber_vec3 alone = limberi_contact_stage_settled(grounded->ground, &frame, v);
            limber_vec3 among = limberi_sub(limberi_load3(a.positions + 3 * v), limberi_load3(a.skinned + 3 * v));
            limber_vec3 effects = limberi_sub(limberi_load3(b.positions + 3 * v), limberi_load3(a.skinned + 3 * v));
            far = fmax(far, (double)limberi_length(limberi_sub(alone, among)));
            pushed += limberi_length(limberi_sub(effects, among)) > 0.01f * model->size;
        }
    }
    print_message("%u moved by the ground, off by %.2g of the size\n", pushed, far / (double)model->size);
    assert_true(pushed > 1000);
    assert_true(far < 1e-5 * (double)model->size);
    limber_pipeline_destroy(grounded);
    limber_pipeline_destroy(floating);
    limber_asset_destroy(asset);
    free(moved);
}

// --- many joints ---

enum { MANY = 10000, KEYS = 3, CORNERS = 4 };

typedef struct crowd {
    limber_transform rest[MANY];
    limber_mat4 inverse[MANY];
    int32_t parents[MANY];
    uint32_t joints[MANY];
    const char* names[MANY];
    limber_channel channels[MANY];
    float values[MANY][3 * KEYS], positions[MANY * CORNERS * 3], weights[MANY * CORNERS];
    uint32_t first[MANY * CORNERS + 1], triangles[MANY * 12];
    uint16_t influences[MANY * CORNERS];
} crowd;

// A small tetrahedron for each joint, all side by side on the floor; each sways a little against the first.
static void make_one(crowd* c, uint32_t j, const float* times) {
    static const float corners[CORNERS][3] = {{0, 0, 0}, {0.5f, 0, 0}, {0, 0, 0.5f}, {0.2f, 0.8f, 0.2f}};
    static const uint32_t faces[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    limber_vec3 at = limberi_vec3((float)(j % 100), 0, (float)(j / 100));
    c->names[j] = "joint";
    c->parents[j] = j ? 0 : LIMBER_NO_PARENT;
    c->joints[j] = j;
    c->rest[j] = limber_transform_identity();
    c->rest[j].translation = at;
    c->inverse[j] = limber_mat4_identity();
    limberi_store3(c->inverse[j].m + 12, limberi_scale(at, -1));
    for (int k = 0; k < KEYS; k++)
        limberi_store3(c->values[j] + 3 * k,
                       limberi_add(at, limberi_vec3(0, 0, k == 1 ? 0.05f + 0.001f * (float)(j % 7) : 0)));
    limber_channel channel = {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, j, KEYS, times, c->values[j]};
    c->channels[j] = channel;
    for (uint32_t i = 0; i < CORNERS; i++) {
        uint32_t u = CORNERS * j + i;
        limberi_store3(c->positions + 3 * (size_t)u, limberi_add(at, limberi_load3(corners[i])));
        c->weights[u] = 1;
        c->influences[u] = (uint16_t)j;
        c->first[u + 1] = u + 1;
    }
    for (uint32_t i = 0; i < 12; i++)
        c->triangles[12 * (size_t)j + i] = CORNERS * j + faces[i];
}

static limber_asset* make_crowd(void) {
    static const float times[KEYS] = {0, 1, 2};
    crowd* c = calloc(1, sizeof *c);
    assert_non_null(c);
    for (uint32_t j = 0; j < MANY; j++)
        make_one(c, j, times);
    const limber_skin skin = {.name = "skin", .joint_count = MANY, .joints = c->joints, .joint_from_mesh = c->inverse};
    const limber_clip clip = {.name = "sway", .channel_count = MANY, .channels = c->channels};
    const limber_mesh mesh = {.name = "Crowd",
                              .vertex_count = MANY * CORNERS,
                              .triangle_count = MANY * 4,
                              .positions = c->positions,
                              .triangles = c->triangles,
                              .influence_first = c->first,
                              .influence_joint = c->influences,
                              .influence_weight = c->weights};
    limber_model model = limber_model_default();
    model.rig.joint_count = MANY;
    model.rig.names = c->names;
    model.rig.parents = c->parents;
    model.rig.rest_local = c->rest;
    model.skin_count = model.mesh_count = model.clip_count = 1;
    model.skins = &skin;
    model.meshes = &mesh;
    model.clips = &clip;
    limber_asset* asset;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    free(c);
    return asset;
}

// How long it takes is printed, for people; what it takes is checked.
static void ten_thousand_joints_fit_in_memory(void** state) {
    (void)state;
    limber_asset* asset = make_crowd();
    limber_contacts* contacts;
    test_memory_forget();
    clock_t start = clock();
    assert_int_equal(limber_contacts_find(asset, 0, NULL, &contacts, NULL), LIMBER_OK);
    print_message("%d joints, 2 s: %.0f ms, %.0f MB taken\n", MANY, 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC,
                  (double)test_memory_taken_bytes() / 1e6);
    assert_true(test_memory_taken_bytes() < 1200u << 20); // one after the other, mostly
    assert_true(limber_contact_count(contacts) >= MANY - 1);
    limber_contacts_destroy(contacts);
    limber_asset_destroy(asset);
}

// --- memory ---

static void each_failing_allocation_is_reported(void** state) {
    (void)state;
    uint8_t marks[2] = {0, 1};
    const limber_contact_edit edits[2] = {{marks, -1, 0.1, 0.3, 1, 0}, {marks, 0, 0.4, 0.8, 1, 0.1}};
    limber_contact_settings settings = limber_contact_settings_default();
    settings.edit_count = 2;
    settings.edits = edits;
    long failures = 0;
    for (bool done = false; !done; failures++) {
        limber_asset* asset = test_built_in("ball", 0.5); // whose floor nobody knows yet
        limber_contacts* contacts;
        limber_error error;
        test_memory_allow(failures);
        limber_result result = limber_contacts_find(asset, 0, &settings, &contacts, &error);
        done = !test_memory_end();
        assert_int_equal(result, done ? LIMBER_OK : LIMBER_ERROR_MEMORY);
        assert_true(done || !contacts);
        limber_contacts_destroy(contacts);
        limber_asset_destroy(asset);
    }
    print_message("%ld allocations\n", failures - 1);
    assert_true(failures > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_feet_stay_and_nothing_sinks),
        cmocka_unit_test(frames_in_any_order_are_the_same),
        cmocka_unit_test(the_rate_of_frames_does_not_matter),
        cmocka_unit_test(the_number_of_threads_does_not_matter),
        cmocka_unit_test(a_single_vertex_goes_where_it_goes_among_all),
        cmocka_unit_test(ten_thousand_joints_fit_in_memory),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
