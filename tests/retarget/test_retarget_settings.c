// The settings of retargeting, and what is refused: mirrored, in place, root motion, cycles, parts of clips, rates, pairs,
// hands that touch.
#include "retarget/player.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "characters/characters.h"
#include "kit/failing_memory.h"

static void a_mirrored_motion_swaps_left_and_right(void** state) {
    (void)state;
    limber_retarget_settings settings = usual_settings();
    settings.mirror = true;
    player* p = play(hero, "jump", toon, &settings);
    player* q = play(hero, "jump", toon, NULL);
    for (uint32_t k = 0; k < key_count(p); k += 5) {
        pose_both(p, q, k);
        limber_vec3 left = place_of(p, "HandLeft");
        limber_vec3 right = place_of(q, "HandRight");
        right.x = -right.x;
        assert_true(apart(left, right) < 2e-3 * (double)p->model->size);
    }
}

static void in_place_ends_where_it_begins(void** state) {
    (void)state;
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.in_place = true;
    player* p = play(hero, "jump", toon, &settings);
    pose_at(p, 0);
    limber_vec3 first = place_of(p, "Hips");
    pose_at(p, key_count(p) - 1);
    limber_vec3 last = place_of(p, "Hips");
    assert_true(apart_on_ground(last, first) < 0.02 * (double)p->model->size);
}

// The poses stay as they are; the root goes below the hips, along the ground.
static void root_motion_moves_the_travel_to_the_root(void** state) {
    (void)state;
    limber_asset* with_root = make_version(toon, (version){0});
    limber_asset* climber = make_version(hero, (version){.slope = 0.4});
    limber_retarget_settings settings = usual_settings();
    settings.root_motion = true;
    player* p = play(climber, "jump", with_root, &settings);
    player* q = play(climber, "jump", with_root, NULL);
    assert_true(farthest(p, q, (uint32_t)limber_rig_find_joint(&p->model->rig, "Hips")) < 1e-4);
    double way = 0;
    limber_vec3 above = {0, 0, 0};
    for (uint32_t k = 0; k < key_count(p); k++) {
        pose_at(p, k);
        limber_vec3 root = place_of(p, "world");
        limber_vec3 now = limberi_sub(place_of(p, "Hips"), root);
        above = k ? above : now;
        assert_true(apart_on_ground(now, above) < 1e-4 * (double)p->model->size);
        assert_true(fabs((double)root.y) < 1e-6);
        way = fmax(way, apart_on_ground(root, limberi_vec3(0, 0, 0)));
    }
    assert_true(way > 0.1 * (double)p->model->size);
    // Also of a skeleton that plays its own motion, which otherwise is taken over key by key.
    p = play(with_root, "jump", with_root, &settings);
    pose_at(p, key_count(p) - 1);
    assert_true(apart_on_ground(place_of(p, "world"), place_of(p, "Hips")) < 0.05 * (double)p->model->size);
}

// --- cycles ---

enum { CYCLE_KEYS = 400 };

// The hero's clip again and again, from key `first` on for `count` keys.
static limber_asset* repeat(const char* name, uint32_t first, uint32_t count) {
    static float times[CYCLE_KEYS];
    static float values[3 * JOINT_MAX][CYCLE_KEYS * 4];
    player* p = play(hero, name, hero, NULL);
    limber_clip clip = *p->clip;
    limber_channel channels[3 * JOINT_MAX];
    assert_true(count <= CYCLE_KEYS && clip.channel_count <= 3 * JOINT_MAX);
    uint32_t keys = key_count(p) - 1;
    for (uint32_t k = 0; k < count; k++)
        times[k] = (float)(k / usual_fps);
    for (uint32_t c = 0; c < clip.channel_count; c++) {
        uint32_t width = clip.channels[c].path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
        for (uint32_t k = 0; k < count; k++)
            memcpy(values[c] + (size_t)k * width, clip.channels[c].values + (size_t)((first + k) % keys) * width,
                   width * sizeof(float));
        channels[c] = clip.channels[c];
        channels[c].key_count = count;
        channels[c].times = times;
        channels[c].values = values[c];
    }
    clip.channels = channels;
    return make_with_clip(p->model, &clip, "again");
}

static double duration_of(const player* p) {
    return (double)p->clip->channels[0].times[key_count(p) - 1];
}

// How far the last pose is from the first one: in degrees of a joint, and in height of the hips.
static void expect_closed(player* p) {
    pose_at(p, 0);
    limber_vec3 start = place_of(p, "Hips");
    limber_transform first[JOINT_MAX];
    memcpy(first, p->pose.local, p->model->rig.joint_count * sizeof *first);
    pose_at(p, key_count(p) - 1);
    for (uint32_t j = 0; j < p->model->rig.joint_count; j++) {
        limber_quat a = first[j].rotation;
        limber_quat b = p->pose.local[j].rotation;
        double same = fabs((double)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
        if (!(same > 0.9999))
            fail_msg("%s: %g", p->model->rig.names[j], same);
    }
    assert_true(fabs((double)(place_of(p, "Hips").y - start.y)) < 2e-3 * (double)p->model->size);
}

static void a_cycle_is_found_and_closed(void** state) {
    (void)state;
    const limber_clip* run = clip_of(hero, "run");
    uint32_t keys = (uint32_t)((run->end_s - run->start_s) * usual_fps + 0.5);
    limber_asset* runner = repeat("run", keys / 3, 2 * keys + keys / 2);
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.loop = true;
    player* p = play(runner, "again", toon, &settings);
    double turns = duration_of(p) / (run->end_s - run->start_s);
    assert_true(fabs(turns - round(turns)) < 0.05 && turns > 0.9);
    expect_closed(p);
}

// It swings to and fro: half way, arms are where they were, and go the other way.
static void a_cycle_goes_the_same_way_at_both_ends(void** state) {
    (void)state;
    enum { PERIOD = 40, KEYS = PERIOD + 3 * PERIOD / 4 };
    float parts[KEYS];
    for (uint32_t k = 0; k < KEYS; k++)
        parts[k] = (float)sin(2 * LIMBERI_PI * k / PERIOD);
    const turned_joint arm = {"ArmUpperLeft", {0, 0.8f, 0}};
    limber_asset* pendulum = make_turning("swing", &arm, 1, parts, KEYS);
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.loop = true;
    player* p = play(pendulum, "swing", toon, &settings);
    assert_true(fabs(duration_of(p) - PERIOD / 30.0) < 0.05);
}

static void a_loop_stays_a_loop(void** state) {
    (void)state;
    player* p = play(hero, "run", toon, NULL);
    limber_vec3 first[JOINT_MAX];
    pose_at(p, 0);
    for (uint32_t j = 0; j < p->model->rig.joint_count; j++)
        first[j] = joint_place(p, j);
    pose_at(p, key_count(p) - 1);
    for (uint32_t j = 0; j < p->model->rig.joint_count; j++)
        assert_true(apart(first[j], joint_place(p, j)) < 3e-4 * (double)p->model->size);
}

static void a_part_that_is_said_to_be_a_cycle_is_closed(void** state) {
    (void)state;
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.loop = true;
    settings.start_s = 0.2;
    settings.end_s = 0.7;
    player* p = play(hero, "jump", toon, &settings);
    assert_true(fabs(duration_of(p) - 0.5) < 1e-6);
    expect_closed(p);
}

static void what_never_comes_back_has_no_cycle(void** state) {
    (void)state;
    limber_asset* leaver = repeat("jump", 20, 30);
    limber_retarget_settings settings = limber_retarget_settings_default();
    limber_retarget* retarget;
    const limber_clip* clip;
    limber_error error;
    settings.loop = true;
    assert_int_equal(
        limber_retarget_create(limber_asset_model(leaver), limber_asset_model(toon), &settings, &retarget, &error),
        LIMBER_OK);
    assert_int_equal(limber_retarget_clip(retarget, clip_of(leaver, "again"), &clip, &error), LIMBER_ERROR_ARGUMENT);
    assert_null(clip);
    assert_non_null(strstr(error.message, "no cycle in clip 'again'"));
    limber_retarget_destroy(retarget);
}

static void a_part_of_a_clip_begins_at_zero(void** state) {
    (void)state;
    limber_retarget_settings settings = usual_settings();
    settings.start_s = 0.2;
    settings.end_s = 0.5;
    settings.name = "part";
    player* p = play(hero, "jump", toon, &settings);
    player* q = play(hero, "jump", toon, NULL);
    const float* times = p->clip->channels[0].times;
    assert_true(times[0] == 0 && fabs((double)times[key_count(p) - 1] - 0.3) < 1e-6);
    assert_string_equal(p->clip->name, "part");
    uint32_t key = (uint32_t)(0.2 * usual_fps + 0.5);
    pose_at(p, 0);
    pose_at(q, key);
    assert_true(apart(place_of(p, "HandLeft"), place_of(q, "HandLeft")) < 0.01 * (double)p->model->size);
}

static void a_part_ends_with_its_clip(void** state) {
    (void)state;
    limber_retarget_settings settings = usual_settings();
    settings.end_s = 100;
    player* p = play(hero, "jump", toon, &settings);
    player* q = play(hero, "jump", toon, NULL);
    assert_true(fabs(duration_of(p) - duration_of(q)) < 1e-6);
}

// A file that swaps the arms, and a caller who knows better.
static void what_a_caller_says_of_joints_counts_more_than_the_file(void** state) {
    (void)state;
    static const char* const arms[][2] = {{"ArmUpper", "UpperArm"}, {"ArmLower", "LowerArm"}, {"Hand", "Hand"}};
    static char names[2][3][24]; // on the left, on the right
    const char* wrong[JOINT_MAX] = {NULL};
    const char* right[JOINT_MAX] = {NULL};
    limber_model model = *limber_asset_model(hero);
    for (int i = 0; i < 6; i++) {
        const char* const sides[2][2] = {{"Left", "left"}, {"Right", "right"}};
        char joint[32];
        snprintf(joint, sizeof joint, "%s%s", arms[i / 2][0], sides[i % 2][0]);
        snprintf(names[i % 2][i / 2], sizeof names[0][0], "%s%s", sides[i % 2][1], arms[i / 2][1]);
        right[limber_rig_find_joint(&model.rig, joint)] = names[i % 2][i / 2];
        wrong[limber_rig_find_joint(&model.rig, joint)] = names[1 - i % 2][i / 2];
    }
    model.rig.bones = wrong;
    limber_retarget_settings settings = usual_settings();
    settings.motion_bones = right;
    player* p = play(make_asset(&model), "jump", toon, &settings);
    player* q = play(hero, "jump", toon, NULL);
    assert_true(farthest(p, q, 0) < 1e-4);
}

static void a_higher_rate_has_the_same_poses_in_between(void** state) {
    (void)state;
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.fps = 2 * usual_fps;
    player* p = play(hero, "jump", toon, &settings);
    player* q = play(hero, "jump", toon, NULL);
    for (uint32_t k = 0; k < key_count(q); k++) {
        pose_at(p, 2 * k);
        pose_at(q, k);
        for (uint32_t j = 0; j < p->model->rig.joint_count; j++)
            assert_true(apart(joint_place(p, j), joint_place(q, j)) < 1e-4 * (double)p->model->size);
    }
}

static void keys_come_one_after_the_other(void** state) {
    (void)state;
    const limber_model* model = limber_asset_model(hero);
    for (uint32_t c = 0; c < model->clip_count; c++) {
        limber_retarget_settings settings = limber_retarget_settings_default();
        player* p = play(hero, model->clips[c].name, toon, &settings);
        const limber_channel* channel = &p->clip->channels[0];
        for (uint32_t k = 1; k < channel->key_count; k++)
            assert_true(channel->times[k] - channel->times[k - 1] > 0.01f);
    }
}

enum { CLAP_KEYS = 19 };

// The hero with arms that turn from their rest pose about an axis, ten degrees a key and the right one the other way.
static limber_asset* make_waver(limber_vec3 axis) {
    float parts[CLAP_KEYS];
    for (uint32_t k = 0; k < CLAP_KEYS; k++)
        parts[k] = (float)(k * LIMBERI_PI / 18);
    const turned_joint arms[] = {{"ArmUpperLeft", limberi_scale(axis, -1)}, {"ArmUpperRight", axis}};
    return make_turning("clap", arms, 2, parts, CLAP_KEYS);
}

// Arms go to the front and across each other.
static limber_asset* make_clapper(void) {
    return make_waver(limberi_vec3(0, 1, 0));
}

// Keys of the motion that lie far apart have others between them; where its keys are the character's, they do not.
static void keys_lie_near_to_each_other(void** state) {
    (void)state;
    limber_retarget_settings settings = limber_retarget_settings_default();
    limber_asset* clapper = make_clapper();
    player* p = play(clapper, "clap", toon, &settings);
    player* q = play(clapper, "clap", clapper, &settings);
    assert_int_equal(key_count(q), CLAP_KEYS);
    assert_int_equal(key_count(p), 2 * CLAP_KEYS - 1);
}

static void a_given_pair_wins(void** state) {
    (void)state;
    const limber_rig* from = &limber_asset_model(hero)->rig;
    const limber_rig* to = &limber_asset_model(toon)->rig;
    limber_joint_pair pair = {(uint32_t)limber_rig_find_joint(to, "Hat"),
                              (uint32_t)limber_rig_find_joint(from, "CapeMiddle2")};
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.pairs = &pair;
    settings.pair_count = 1;
    player* p = play(hero, "jump", toon, &settings);
    bool found = false;
    for (uint32_t i = 0; i < limber_retarget_match_count(p->retarget); i++) {
        limber_joint_match m = limber_retarget_match(p->retarget, i);
        found = found || (m.joint == pair.joint && m.source == pair.source && m.sure == 1);
    }
    assert_true(found);
    pair.joint = 9999;
    limber_retarget* none;
    assert_int_equal(limber_retarget_create(limber_asset_model(hero), limber_asset_model(toon), &settings, &none, NULL),
                     LIMBER_ERROR_ARGUMENT);
    assert_null(none);
    pair = (limber_joint_pair){0, 9999};
    assert_int_equal(limber_retarget_create(limber_asset_model(hero), limber_asset_model(toon), &settings, &none, NULL),
                     LIMBER_ERROR_ARGUMENT);
    assert_null(none);
}

static player* play_with_pair(const char* joint, const char* source) {
    static limber_joint_pair pair;
    limber_retarget_settings settings = usual_settings();
    pair.joint = (uint32_t)limber_rig_find_joint(&limber_asset_model(toon)->rig, joint);
    pair.source =
        source ? (uint32_t)limber_rig_find_joint(&limber_asset_model(hero)->rig, source) : (uint32_t)LIMBER_NO_SOURCE;
    settings.pairs = &pair;
    settings.pair_count = 1;
    return play(hero, "jump", toon, &settings);
}

// It is known how both bones lie in their rest poses; saying what is so anyway loses nothing.
static void a_pair_that_is_found_anyway_changes_nothing(void** state) {
    (void)state;
    player* p = play_with_pair("ArmUpperLeft", "ArmUpperLeft");
    assert_true(farthest(p, play(hero, "jump", toon, NULL), 0) == 0);
}

static bool has_key(const player* p, const char* joint) {
    uint32_t target = (uint32_t)limber_rig_find_joint(&p->model->rig, joint);
    for (uint32_t i = 0; i < p->clip->channel_count; i++)
        if (p->clip->channels[i].target == target)
            return true;
    return false;
}

static void what_follows_nothing_has_no_keys(void** state) {
    (void)state;
    player* p = play_with_pair("HandLeft", NULL);
    assert_true(has_key(p, "HandRight") && has_key(p, "Hips"));
    assert_false(has_key(p, "HandLeft") || has_key(p, "Hat"));
}

// --- hands that touch ---

// How far the hands are from each other, in lengths of an arm.
static double between_hands(player* p, uint32_t key) {
    pose_at(p, key);
    limber_vec3 elbow = place_of(p, "ArmLowerLeft");
    double arm = apart(place_of(p, "ArmUpperLeft"), elbow) + apart(elbow, place_of(p, "HandLeft"));
    return apart(place_of(p, "HandLeft"), place_of(p, "HandRight")) / arm;
}

static void hands_that_touched_come_as_close_again(void** state) {
    (void)state;
    limber_asset* clapper = make_clapper();
    limber_retarget_settings settings = usual_settings();
    settings.touch = true;
    player* source = play(clapper, "clap", clapper, NULL);
    player* off = play(clapper, "clap", toon, NULL);
    player* on = play(clapper, "clap", toon, &settings);
    uint32_t together = 0;
    for (uint32_t k = 1; k < key_count(source); k++)
        together = between_hands(source, k) < between_hands(source, together) ? k : together;
    double wanted = between_hands(source, together);
    assert_true(wanted < 0.15);
    double without = fabs(between_hands(off, together) - wanted);
    double with = fabs(between_hands(on, together) - wanted);
    assert_true(without > 0.1);
    if (!(with < 0.3 * without))
        fail_msg("%g without, %g with, of %g", without, with, wanted);
    pose_at(on, together);
    pose_at(off, together);
    assert_true(apart(place_of(on, "HandLeft"), place_of(off, "HandLeft")) < 0.4 * (double)on->model->size);
    assert_true(apart(place_of(on, "LegFootLeft"), place_of(off, "LegFootLeft")) == 0);
    assert_true(fabs(between_hands(on, 0) - between_hands(off, 0)) < 1e-5); // far from everything
}

// How far the left hand is from the line of the left thigh, in lengths of an arm.
static double hand_to_thigh(player* p, uint32_t key) {
    pose_at(p, key);
    limber_vec3 hip = place_of(p, "LegUpperLeft"), hand = limberi_sub(place_of(p, "HandLeft"), hip);
    limber_vec3 thigh = limberi_sub(place_of(p, "LegLowerLeft"), hip), elbow = place_of(p, "ArmLowerLeft");
    float part = limberi_clamp(limberi_dot(hand, thigh) / limberi_dot(thigh, thigh), 0, 1);
    double arm = apart(place_of(p, "ArmUpperLeft"), elbow) + apart(elbow, place_of(p, "HandLeft"));
    return (double)limberi_length(limberi_sub(hand, limberi_scale(thigh, part))) / arm;
}

// Arms go down to the sides of the body.
static void expect_touched_thigh(bool mirror) {
    limber_asset* waver = make_waver(limberi_vec3(0, 0, 1));
    limber_retarget_settings settings = usual_settings();
    settings.touch = true;
    settings.mirror = mirror;
    player* source = play(waver, "clap", waver, NULL);
    player* off = play(waver, "clap", toon, NULL);
    player* on = play(waver, "clap", toon, &settings);
    uint32_t at = 0;
    for (uint32_t k = 1; k < key_count(source); k++)
        at = hand_to_thigh(source, k) < hand_to_thigh(source, at) ? k : at;
    double wanted = hand_to_thigh(source, at), without = hand_to_thigh(off, at), with = hand_to_thigh(on, at);
    assert_true(wanted < 0.05 && without > wanted + 0.08);
    if (!(fabs(with - wanted) < 0.3 * (without - wanted)))
        fail_msg("%g without, %g with, of %g", without, with, wanted);
}

static void a_hand_that_touched_a_thigh_touches_it_again(void** state) {
    (void)state;
    expect_touched_thigh(false);
    expect_touched_thigh(true);
}

// --- what is refused ---

static void refuse(const limber_asset* motion, const limber_asset* character, const char* why) {
    limber_retarget_settings settings = limber_retarget_settings_default();
    limber_retarget* none;
    limber_error error;
    assert_int_equal(
        limber_retarget_create(limber_asset_model(motion), limber_asset_model(character), &settings, &none, &error),
        LIMBER_ERROR_ARGUMENT);
    assert_null(none);
    if (!strstr(error.message, why))
        fail_msg("%s", error.message);
}

static void what_has_no_body_is_refused(void** state) {
    (void)state;
    limber_asset* flower;
    assert_int_equal(limberi_character_create("flower", 0.5, &flower, NULL), LIMBER_OK);
    refuse(flower, hero, "the motion's skeleton: cannot find two legs");
    refuse(hero, flower, "the character's skeleton: cannot find two legs");
    refuse(hero, dog, "the motion goes on two legs, the character on all fours");
    refuse(toon, make_version(hero, (version){.uneven = true}), "uneven scale");
    limber_asset_destroy(flower);
}

static void swapped_sides_are_refused(void** state) {
    (void)state;
    const limber_model* from = limber_asset_model(hero);
    limber_model model = *from;
    static char names[JOINT_MAX][64];
    const char* list[JOINT_MAX];
    for (uint32_t j = 0; j < from->rig.joint_count; j++) {
        const char* name = from->rig.names[j];
        const char* left = strstr(name, "Left");
        const char* right = strstr(name, "Right");
        snprintf(names[j], sizeof names[j], "%s", name);
        if (left)
            snprintf(names[j], sizeof names[j], "%.*sRight%s", (int)(left - name), name, left + 4);
        if (right)
            snprintf(names[j], sizeof names[j], "%.*sLeft%s", (int)(right - name), name, right + 5);
        list[j] = names[j];
    }
    model.rig.names = list;
    refuse(make_asset(&model), toon, "left and right seem to be swapped");
}

static void memory_that_runs_out_is_said(void** state) {
    (void)state;
    limber_asset* nameless = make_version(hero, (version){.nameless = true});
    bool ran_out = true;
    for (long allowed = 0; ran_out; allowed++) {
        limber_retarget_settings settings = limber_retarget_settings_default();
        limber_retarget* retarget;
        const limber_clip* clip = NULL;
        settings.touch = settings.loop = true;
        test_memory_allow(allowed);
        limber_result result =
            limber_retarget_create(limber_asset_model(nameless), limber_asset_model(toon), &settings, &retarget, NULL);
        if (!result)
            result = limber_retarget_clip(retarget, clip_of(nameless, "jump"), &clip, NULL);
        ran_out = test_memory_end();
        assert_int_equal(result, ran_out ? LIMBER_ERROR_MEMORY : LIMBER_OK);
        limber_retarget_destroy(retarget);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RETARGET_TEST(a_mirrored_motion_swaps_left_and_right),
        RETARGET_TEST(in_place_ends_where_it_begins),
        RETARGET_TEST(root_motion_moves_the_travel_to_the_root),
        RETARGET_TEST(a_cycle_is_found_and_closed),
        RETARGET_TEST(a_cycle_goes_the_same_way_at_both_ends),
        RETARGET_TEST(a_loop_stays_a_loop),
        RETARGET_TEST(a_part_that_is_said_to_be_a_cycle_is_closed),
        RETARGET_TEST(what_never_comes_back_has_no_cycle),
        RETARGET_TEST(a_part_of_a_clip_begins_at_zero),
        RETARGET_TEST(a_part_ends_with_its_clip),
        RETARGET_TEST(what_a_caller_says_of_joints_counts_more_than_the_file),
        RETARGET_TEST(a_higher_rate_has_the_same_poses_in_between),
        RETARGET_TEST(keys_come_one_after_the_other),
        RETARGET_TEST(keys_lie_near_to_each_other),
        RETARGET_TEST(a_given_pair_wins),
        RETARGET_TEST(a_pair_that_is_found_anyway_changes_nothing),
        RETARGET_TEST(what_follows_nothing_has_no_keys),
        RETARGET_TEST(hands_that_touched_come_as_close_again),
        RETARGET_TEST(a_hand_that_touched_a_thigh_touches_it_again),
        RETARGET_TEST(what_has_no_body_is_refused),
        RETARGET_TEST(swapped_sides_are_refused),
        RETARGET_TEST(memory_that_runs_out_is_said),
    };
    return cmocka_run_group_tests(tests, open_characters, close_characters);
}
