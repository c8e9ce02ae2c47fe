// Writing BVH: what is read back equals what was written, in the order of channels it came in.
#include "base/math.h"
#include "characters/characters.h"
#include "kit/bvh_load.h"

#include <limber/bvh.h>
#include <limber/gltf.h>
#include <limber/stages/pose.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef NDEBUG
static const bool checked_build = false;
#else
static const bool checked_build = true;
#endif

static char folder[] = "/tmp/limber-bvh-XXXXXX", path[64], glb_path[64];

static int open_folder(void** state) {
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/out.bvh", folder);
    snprintf(glb_path, sizeof glb_path, "%s/out.glb", folder);
    return 0;
}

static int close_folder(void** state) {
    (void)state;
    remove(path);
    remove(glb_path);
    return rmdir(folder); // fails when a temporary file was left
}

static limber_bvh_report save(const limber_model* model, const limber_bvh* layout, uint32_t clip, double fps) {
    limber_bvh_settings settings = limber_bvh_settings_default();
    limber_bvh_report report;
    limber_error error;
    settings.layout = layout;
    settings.clip = clip;
    settings.fps = fps;
    if (limber_bvh_save_file(model, &settings, path, &report, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    return report;
}

static limber_bvh* load_back(void) {
    limber_bvh* bvh;
    limber_error error;
    if (limber_bvh_load_file(path, NULL, &bvh, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    return bvh;
}

static char* text_back(void) {
    static char text[1 << 20];
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

// The joints of `b` have the names of a's, but perhaps another order.
static void match_joints(const limber_rig* a, const limber_rig* b, uint32_t* of_b) {
    assert_int_equal(a->joint_count, b->joint_count);
    for (uint32_t j = 0; j < a->joint_count; j++) {
        int32_t found = limber_rig_find_joint(b, a->names[j]);
        assert_true(found >= 0);
        of_b[j] = (uint32_t)found;
    }
}

// The largest distance between the joints of two models over the frames of a's clip, as a part of L.
static double largest_distance(const limber_model* a, uint32_t clip, const limber_model* b, double step_s) {
    limber_pose p, q;
    assert_int_equal(limber_pose_create(a, &p), LIMBER_OK);
    assert_int_equal(limber_pose_create(b, &q), LIMBER_OK);
    uint32_t* of_b = calloc(a->rig.joint_count, sizeof *of_b);
    assert_non_null(of_b);
    match_joints(&a->rig, &b->rig, of_b);
    double worst = 0, start_s = a->clips[clip].start_s;
    for (uint32_t i = 0; start_s + i * step_s <= a->clips[clip].end_s + 1e-4; i++) {
        limber_clip_sample(a, &a->clips[clip], start_s + i * step_s, &p);
        limber_clip_sample(b, &b->clips[0], i * step_s, &q);
        limber_pose_update_world(a, &p);
        limber_pose_update_world(b, &q);
        for (uint32_t j = 0; j < a->rig.joint_count; j++) {
            limber_vec3 d = limberi_sub(limberi_mat4_translation(&p.world_from_joint[j]),
                                        limberi_mat4_translation(&q.world_from_joint[of_b[j]]));
            worst = fmax(worst, (double)limberi_length(d));
        }
    }
    free(of_b);
    limber_pose_destroy(&p);
    limber_pose_destroy(&q);
    return worst / (double)a->size;
}

static uint32_t count_of(const char* text, const char* word) {
    uint32_t count = 0;
    for (const char* at = strstr(text, word); at; at = strstr(at + 1, word))
        count++;
    return count;
}

static void motion_capture_comes_back(void** state) {
    (void)state;
    static const char* const names[] = {"cmu_02_01", "cmu_06_15", "cmu_09_01", "cmu_88_06"};
    const char* assets = getenv("LIMBER_TEST_ASSETS");
    if (!assets)
        skip();
    for (int i = 0; i < 4; i++) {
        char input[1024];
        limber_bvh* bvh;
        snprintf(input, sizeof input, "%s/%s.bvh", assets, names[i]);
        assert_int_equal(limber_bvh_load_file(input, NULL, &bvh, NULL), LIMBER_OK);
        limber_bvh_report report = save(model_of(bvh), bvh, 0, 0);
        assert_int_equal(report.stretched_joint_count, 0);
        assert_int_equal(count_of(text_back(), "CHANNELS 3 Zrotation Yrotation Xrotation\n"), 30);
        limber_bvh* back = load_back();
        assert_int_equal(limber_bvh_frame_count(back), limber_bvh_frame_count(bvh));
        assert_true(limber_bvh_frame_time_s(back) == limber_bvh_frame_time_s(bvh));
        assert_true(largest_distance(model_of(bvh), 0, model_of(back), 0.0083333) < 1e-6);
        limber_bvh_destroy(back);
        limber_bvh_destroy(bvh);
    }
}

// Three joints with the same channels in a given order; the middle one turns through everything.
static bvh_text tumbling(const char* channels, int numbers) {
    bvh_text t = {NULL, 0, 0};
    bvh_add(&t, "HIERARCHY\nROOT a\n{\n\tOFFSET 1 2 3\n\tCHANNELS %d%s\n\tJOINT b\n\t{\n\t\tOFFSET 1 2 3\n", numbers,
            channels);
    bvh_add(&t, "\t\tCHANNELS %d%s\n\t\tJOINT c\n\t\t{\n\t\t\tOFFSET 0 4 1\n\t\t\tCHANNELS %d%s\n\t\t\tEnd Site\n",
            numbers, channels, numbers, channels);
    bvh_add(&t, "\t\t\t{\n\t\t\t\tOFFSET 0 0.125 -2\n\t\t\t}\n\t\t}\n\t}\n}\nMOTION\nFrames: 90\nFrame Time: 0.02\n");
    for (int f = 0; f < 90; f++)
        for (int i = 0; i < 3 * numbers; i++)
            bvh_add(&t, "%g ", (13.0 * (i % 5 - 2) * f * 0.2 + 90 * (i % 3)) * (numbers == 6 && i % 6 < 3 ? 0.02 : 1));
    return t;
}

static char* up_to_motion(char* text) {
    char* motion = strstr(text, "MOTION");
    assert_non_null(motion);
    *motion = 0;
    return text;
}

static void every_order_of_channels_is_kept_and_comes_back(void** state) {
    (void)state;
    static const char* const axes[3] = {" Xrotation", " Yrotation", " Zrotation"};
    for (int code = 0; code < 54; code++) {
        int order[3] = {code / 9 % 3, code / 3 % 3, code % 3};
        char channels[128];
        if (order[0] == order[1] || order[1] == order[2])
            continue;
        snprintf(channels, sizeof channels, "%s%s%s%s", code < 27 ? "" : " Zposition Xposition Yposition",
                 axes[order[0]], axes[order[1]], axes[order[2]]);
        bvh_text t = tumbling(channels, code < 27 ? 3 : 6);
        limber_bvh* bvh = load(t.text);
        limber_bvh_report report = save(model_of(bvh), bvh, 0, 0);
        assert_true(report.frame_count == 90 && report.stretched_joint_count == 0);
        limber_bvh* back = load_back();
        double worst = largest_distance(model_of(bvh), 0, model_of(back), 0.02);
        if (!(worst < 2e-6))
            fail_msg("%s: %g", channels, worst);
        assert_string_equal(up_to_motion(text_back()), up_to_motion(t.text));
        limber_bvh_destroy(back);
        limber_bvh_destroy(bvh);
        free(t.text);
    }
}

// The model with other clips.
static limber_asset* with_channels(const limber_model* model, const limber_channel* channels, uint32_t count) {
    limber_model edited = *model;
    limber_clip clip = {.name = "edited", .channel_count = count, .channels = channels};
    limber_asset* asset;
    edited.clip_count = 1;
    edited.clips = &clip;
    assert_int_equal(limber_asset_create(&edited, &asset, NULL), LIMBER_OK);
    return asset;
}

static void only_bones_that_stretch_get_translation_channels(void** state) {
    (void)state;
    bvh_text t = tumbling(" Yrotation Xrotation Zrotation", 3);
    limber_bvh* bvh = load(t.text);
    const limber_model* model = model_of(bvh);
    limber_channel channels[4];
    float still[3 * 90], places[3 * 90];
    memcpy(channels, model->clips[0].channels, 3 * sizeof *channels);
    for (uint32_t i = 0; i < 90; i++) {
        limberi_store3(still + 3 * (size_t)i, limberi_vec3(1, 2.0f + 1e-6f * (float)(i % 2), 3)); // not worth a channel
        limberi_store3(places + 3 * (size_t)i, limberi_vec3(0, 4 + 0.05f * (float)i, 1));
    }
    channels[0].path = LIMBER_CHANNEL_TRANSLATION; // instead of the root's rotation
    channels[0].target = 1;
    channels[0].values = still;
    channels[3] = channels[0];
    channels[3].target = 2;
    channels[3].values = places;
    limber_asset* edited = with_channels(model, channels, 4);
    limber_bvh_report report = save(limber_asset_model(edited), bvh, 0, 0);
    assert_int_equal(report.stretched_joint_count, 1);
    assert_false(report.dropped_scale);
    const char* text = text_back();
    assert_int_equal(count_of(text, "CHANNELS 3 Yrotation Xrotation Zrotation\n"), 2);
    assert_int_equal(count_of(text, "CHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation\n"), 1);
    limber_bvh* back = load_back();
    assert_true(largest_distance(limber_asset_model(edited), 0, model_of(back), 0.02) < 1e-5);
    limber_bvh_destroy(back);
    limber_asset_destroy(edited);
    limber_bvh_destroy(bvh);
    free(t.text);
}

static void a_joint_gets_the_rotations_it_needs_and_no_more(void** state) {
    (void)state;
    bvh_text t = tumbling(" Zrotation Xrotation", 2); // well beyond 90 degrees about both
    limber_bvh* bvh = load(t.text);
    save(model_of(bvh), bvh, 0, 0);
    assert_int_equal(count_of(text_back(), "CHANNELS 2 Zrotation Xrotation\n"), 3);
    bvh_text u = tumbling(" Zrotation", 1);
    limber_bvh* narrow = load(u.text);
    limber_asset* edited = with_channels(model_of(narrow), model_of(bvh)->clips[0].channels, 3);
    save(limber_asset_model(edited), narrow, 0, 0);
    assert_int_equal(count_of(text_back(), "CHANNELS 3 Zrotation Xrotation Yrotation\n"), 0);
    assert_int_equal(count_of(text_back(), "CHANNELS 2 Zrotation Xrotation\n"), 3);
    limber_bvh* back = load_back();
    assert_true(largest_distance(model_of(bvh), 0, model_of(back), 0.02) < 2e-6);
    limber_bvh_destroy(back);
    limber_asset_destroy(edited);
    limber_bvh_destroy(narrow);
    limber_bvh_destroy(bvh);
    free(t.text);
    free(u.text);
}

static void several_roots_and_all_end_sites_come_back(void** state) {
    (void)state;
    static const char text[] =
        "HIERARCHY\nROOT a one\n{\n\tOFFSET 0 0 0\n\tCHANNELS 1 Xrotation\n\tEnd Site\n\t{\n\t\tOFFSET "
        "1 2 3\n\t}\n\tJOINT b\n\t{\n\t\tOFFSET 0 1 0\n\t\tCHANNELS 0\n\t}\n\tEnd Site\n\t{\n\t\tOFFSET 4 "
        "5 6\n\t}\n}\nROOT c\n{\n\tOFFSET 7 0 0\n\tCHANNELS 3 Yposition Zposition Xposition\n}\nMOTION\n"
        "Frames: 2\nFrame Time: 0.04\n10 2 3 1\n20 5 6 4\n";
    limber_bvh* bvh = load(text);
    save(model_of(bvh), bvh, 0, 0);
    assert_string_equal(text_back(), text);
    limber_bvh_destroy(bvh);
}

static void a_character_keeps_its_joints_places(void** state) {
    (void)state;
    const int count = checked_build ? 2 : 3; // a cow takes long to grow under a sanitizer
    static const char* const names[] = {"cylinder", "ball", "cow"};
    for (int i = 0; i < count; i++) {
        limber_asset* asset;
        assert_int_equal(limberi_character_create(names[i], 0.5, &asset, NULL), LIMBER_OK);
        const limber_model* model = limber_asset_model(asset);
        for (uint32_t c = 0; c < model->clip_count; c++) {
            limber_bvh_report report = save(model, NULL, c, 0);
            assert_int_equal(report.dropped_mesh_count, model->mesh_count);
            limber_bvh* back = load_back();
            assert_true(fabs(limber_bvh_frame_time_s(back) * model->clips[c].fps - 1) < 1e-9);
            assert_true(largest_distance(model, c, model_of(back), 1 / model->clips[c].fps) < 1e-5);
            limber_bvh_destroy(back);
        }
        limber_asset_destroy(asset);
    }
}

// Turned, scaled and mirrored frames above and between the joints, which BVH does not know.
static void a_rig_with_axes_of_its_own_keeps_its_places_and_its_rest_pose(void** state) {
    (void)state;
    bvh_text t = tumbling(" Yrotation Xrotation Zrotation", 3);
    limber_bvh* bvh = load(t.text);
    limber_model model = *model_of(bvh);
    limber_transform rest[3];
    memcpy(rest, model.rig.rest_local, sizeof rest);
    rest[0].rotation = limberi_quat_exp(limberi_vec3(-1.57f, 0.2f, 0));
    rest[0].scale = limberi_vec3(0.01f, 0.01f, 0.01f);
    rest[1].rotation = limberi_quat_exp(limberi_vec3(0.3f, 2, 1));
    rest[1].scale = limberi_vec3(3, 3, 3);
    model.rig.rest_local = rest;
    limber_asset* asset;
    assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
    const limber_model* turned = limber_asset_model(asset);
    limber_bvh_report report = save(turned, NULL, 0, 0);
    assert_false(report.dropped_scale); // it never changes
    limber_bvh* back = load_back();
    assert_true(largest_distance(turned, 0, model_of(back), 0.02) < 1e-5);
    for (uint32_t j = 0; j < 3; j++) {
        limber_vec3 d = limberi_sub(limberi_mat4_translation(&turned->rig.world_from_joint_rest[j]),
                                    limberi_mat4_translation(&model_of(back)->rig.world_from_joint_rest[j]));
        assert_true(limberi_length(d) < 1e-5f * turned->size);
    }
    limber_bvh_destroy(back);
    limber_asset_destroy(asset);
    limber_bvh_destroy(bvh);
    free(t.text);
}

static void scale_is_lost_but_places_are_not(void** state) {
    (void)state;
    limber_bvh* bvh = load(bvh_good);
    float times[2] = {0, 1}, scales[6] = {1, 1, 1, 2, 2, 2};
    limber_channel channel = {LIMBER_CHANNEL_SCALE, LIMBER_INTERPOLATION_LINEAR, 0, 2, times, scales};
    limber_asset* asset = with_channels(model_of(bvh), &channel, 1);
    limber_bvh_report report = save(limber_asset_model(asset), bvh, 0, 30);
    assert_true(report.dropped_scale);
    assert_int_equal(report.frame_count, 31);
    assert_int_equal(report.stretched_joint_count, 1);
    limber_bvh* back = load_back();
    assert_true(largest_distance(limber_asset_model(asset), 0, model_of(back), 1 / 30.0) < 1e-5);
    limber_bvh_destroy(back);
    limber_asset_destroy(asset);
    limber_bvh_destroy(bvh);
}

static void through_glb_and_back_nothing_moves(void** state) {
    (void)state;
    bvh_text t = bvh_crowd(20, 90);
    limber_bvh* bvh = load(t.text);
    limber_gltf *gltf, *again;
    limber_error error;
    limber_gltf_edits edits = limber_gltf_edits_default();
    assert_int_equal(limber_gltf_from_asset(limber_bvh_asset(bvh), &gltf, &error), LIMBER_OK);
    assert_int_equal(limber_gltf_save_file(gltf, &edits, glb_path, &error), LIMBER_OK);
    assert_int_equal(limber_gltf_load_file(glb_path, NULL, &again, &error), LIMBER_OK);
    const limber_model* model = limber_asset_model(limber_gltf_asset(again));
    assert_int_equal(model->mesh_count, 1);
    save(model, NULL, 0, 0);
    limber_bvh* back = load_back();
    assert_int_equal(limber_bvh_frame_count(back), 90);
    assert_true(fabs(limber_bvh_frame_time_s(back) - 0.0083333) < 1e-8);
    assert_true(largest_distance(model_of(bvh), 0, model_of(back), 0.0083333) < 1e-5);
    limber_bvh_destroy(back);
    limber_gltf_destroy(gltf);
    limber_gltf_destroy(again);
    limber_bvh_destroy(bvh);
    free(t.text);
}

static void names_that_would_end_a_block_are_written_harmlessly(void** state) {
    (void)state;
    static const char* const names[] = {"", "a {b}", "# c", "d //e", " f ", "g\nh", "i"};
    static const char* const written[] = {"joint_0", "a _b_", "_ c", "d _/e", "_f_", "g_h", "i"};
    int32_t parents[7] = {-1, 0, 1, 0, 3, 3, 0};
    limber_transform rest[7];
    for (int i = 0; i < 7; i++)
        rest[i] = limber_transform_identity();
    limber_model model = limber_model_default();
    model.rig = (limber_rig){.joint_count = 7, .names = names, .parents = parents, .rest_local = rest};
    limber_asset* asset;
    assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
    limber_bvh_report report = save(limber_asset_model(asset), NULL, 0, 0);
    assert_int_equal(report.frame_count, 1); // the default pose
    limber_bvh* back = load_back();
    const limber_rig* rig = &model_of(back)->rig;
    assert_int_equal(rig->joint_count, 7);
    for (uint32_t j = 0; j < 7; j++) { // parents[] is in the order of the file already
        assert_string_equal(rig->names[j], written[j]);
        assert_int_equal(rig->parents[j], parents[j]);
    }
    limber_bvh_destroy(back);
    limber_asset_destroy(asset);
}

static void children_follow_their_parents_in_the_file(void** state) {
    (void)state;
    static const char* const names[] = {"a", "b", "a1", "b1", "a2"};
    int32_t parents[5] = {-1, -1, 0, 1, 0};
    limber_transform rest[5];
    for (int i = 0; i < 5; i++) {
        rest[i] = limber_transform_identity();
        rest[i].translation = limberi_vec3((float)i, 1, 0);
    }
    limber_model model = limber_model_default();
    model.rig = (limber_rig){.joint_count = 5, .names = names, .parents = parents, .rest_local = rest};
    limber_asset* asset;
    assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
    save(limber_asset_model(asset), NULL, 0, 0);
    limber_bvh* back = load_back();
    static const char* const order[] = {"a", "a1", "a2", "b", "b1"};
    for (uint32_t j = 0; j < 5; j++) {
        assert_string_equal(model_of(back)->rig.names[j], order[j]);
        int32_t was = limber_rig_find_joint(&limber_asset_model(asset)->rig, order[j]);
        assert_true(model_of(back)->rig.rest_local[j].translation.x == (float)was);
    }
    limber_bvh_destroy(back);
    limber_asset_destroy(asset);
}

static void a_chain_of_thousands_of_joints_comes_back(void** state) {
    (void)state;
    const uint32_t depth = checked_build ? 2000 : 10000;
    bvh_text t = bvh_chain(depth, 2);
    limber_bvh* bvh = load_bytes(t.text, t.length);
    save(model_of(bvh), bvh, 0, 0);
    limber_bvh* back = load_back();
    assert_int_equal(model_of(back)->rig.joint_count, depth);
    limber_bvh_destroy(back);
    save(model_of(bvh), NULL, 0, 0);
    back = load_back();
    assert_int_equal(model_of(back)->rig.joint_count, depth);
    limber_bvh_destroy(back);
    limber_bvh_destroy(bvh);
    free(t.text);
}

static void what_cannot_be_written_leaves_no_file(void** state) {
    (void)state;
    remove(path);
    limber_bvh *bvh = load(bvh_good),
               *other = load("HIERARCHY ROOT a\n{ OFFSET 0 0 0 } MOTION Frames: 0 Frame Time: 1");
    limber_bvh_settings settings = limber_bvh_settings_default();
    limber_error error;
    settings.layout = other;
    assert_int_equal(limber_bvh_save_file(model_of(bvh), &settings, path, NULL, &error), LIMBER_ERROR_ARGUMENT);
    settings.layout = bvh;
    settings.clip = 1;
    assert_int_equal(limber_bvh_save_file(model_of(bvh), &settings, path, NULL, &error), LIMBER_ERROR_ARGUMENT);
    settings.clip = 0;
    settings.fps = NAN;
    assert_int_equal(limber_bvh_save_file(model_of(bvh), &settings, path, NULL, &error), LIMBER_ERROR_ARGUMENT);
    settings.fps = 0;
    limber_model empty = limber_model_default();
    assert_int_equal(limber_bvh_save_file(&empty, NULL, path, NULL, &error), LIMBER_ERROR_ARGUMENT);
    assert_int_equal(limber_bvh_save_file(model_of(bvh), &settings, "does/not/exist.bvh", NULL, NULL),
                     LIMBER_ERROR_FILE);
    assert_int_equal(access(path, F_OK), -1);
    limber_bvh_destroy(bvh);
    limber_bvh_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motion_capture_comes_back),
        cmocka_unit_test(every_order_of_channels_is_kept_and_comes_back),
        cmocka_unit_test(only_bones_that_stretch_get_translation_channels),
        cmocka_unit_test(a_joint_gets_the_rotations_it_needs_and_no_more),
        cmocka_unit_test(several_roots_and_all_end_sites_come_back),
        cmocka_unit_test(a_character_keeps_its_joints_places),
        cmocka_unit_test(a_rig_with_axes_of_its_own_keeps_its_places_and_its_rest_pose),
        cmocka_unit_test(scale_is_lost_but_places_are_not),
        cmocka_unit_test(through_glb_and_back_nothing_moves),
        cmocka_unit_test(names_that_would_end_a_block_are_written_harmlessly),
        cmocka_unit_test(children_follow_their_parents_in_the_file),
        cmocka_unit_test(a_chain_of_thousands_of_joints_comes_back),
        cmocka_unit_test(what_cannot_be_written_leaves_no_file),
    };
    return cmocka_run_group_tests_name("bvh write", tests, open_folder, close_folder);
}
