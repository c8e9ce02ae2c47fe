// The motion of one skeleton on another: what stands stands, bones point where they pointed, and neither the size, the
// heading, the names nor the rate of the motion matter.
#include "retarget/player.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* const all_bones[][2] = {
    {"Hips", "Chest"},
    {"Chest", "Head"},
    {"ArmUpperLeft", "ArmLowerLeft"},
    {"ArmLowerLeft", "HandLeft"},
    {"ArmUpperRight", "ArmLowerRight"},
    {"ArmLowerRight", "HandRight"},
    {"LegUpperLeft", "LegLowerLeft"},
    {"LegLowerLeft", "LegFootLeft"},
    {"LegUpperRight", "LegLowerRight"},
    {"LegLowerRight", "LegFootRight"},
    {"LegFootLeft", "LegToeLeft"},
    {"LegFootRight", "LegToeRight"},
};
enum { ARMS = 2, LEGS = 6, FEET = 10, ALL_BONES = 12 };

static double degrees_between(limber_vec3 a, limber_vec3 b) {
    float cosine = limberi_dot(limberi_normalize(a), limberi_normalize(b));
    return acos((double)limberi_clamp(cosine, -1, 1)) * 180 / LIMBERI_PI;
}

static double largest_turn(player* p, player* q, const char* const* bone) {
    double largest = 0;
    for (uint32_t k = 0; k < key_count(p); k++) {
        pose_both(p, q, k);
        limber_vec3 a = limberi_sub(place_of(p, bone[1]), place_of(p, bone[0]));
        limber_vec3 b = limberi_sub(place_of(q, bone[1]), place_of(q, bone[0]));
        largest = fmax(largest, degrees_between(a, b));
    }
    return largest;
}

static void the_same_skeleton_plays_the_same_keys(void** state) {
    (void)state;
    player* p = play(hero, "jump", hero, NULL);
    const limber_model* model = limber_asset_model(hero);
    const limber_clip* clip = clip_of(hero, "jump");
    limber_pose plain;
    double far = 0;
    assert_int_equal(limber_pose_create(model, &plain), LIMBER_OK);
    for (uint32_t k = 0; k < key_count(p); k++) {
        pose_at(p, k);
        limber_clip_sample(model, clip, clip->start_s + (double)p->clip->channels[0].times[k], &plain);
        limber_pose_update_world(model, &plain);
        for (uint32_t j = 0; j < model->rig.joint_count; j++)
            far = fmax(far, apart(joint_place(p, j), limberi_mat4_translation(&plain.world_from_joint[j])));
    }
    assert_true(far < 1e-5 * (double)model->size);
    assert_true(limber_retarget_match(p->retarget, 0).sure == 1);
    limber_pose_destroy(&plain);
}

// A node more above the skeleton: the joints do not agree any more, and everything is found and carried.
static void a_skeleton_of_the_same_shape_plays_the_same_poses(void** state) {
    (void)state;
    limber_asset* other = make_version(hero, (version){0});
    player* p = play(other, "jump", hero, NULL);
    player* q = play(hero, "jump", hero, NULL);
    // The cape is nobody's limb: the clip's own keys for it are not carried. Limbs and trunk are.
    static const char* const joints[] = {"Hips",        "Chest",        "Head",         "HandLeft",     "HandRight",
                                         "LegFootLeft", "LegFootRight", "LegLowerLeft", "ArmLowerRight"};
    expect_near(p, q, joints, sizeof joints / sizeof *joints, 0.01);
}

static void size_and_axes_of_the_motion_do_not_matter(void** state) {
    (void)state;
    limber_asset* large = make_version(hero, (version){.scale = 37, .turn = z_is_up});
    limber_asset* other = make_version(hero, (version){0});
    player* p = play(other, "run", toon, NULL);
    player* q = play(large, "run", toon, NULL);
    assert_true(farthest(p, q, 0) < 1e-4);
    q = play(make_version(hero, (version){.turn = {(float)LIMBERI_PI, 0, 0}}), "run", toon, NULL); // Y is down
    assert_true(farthest(p, q, 0) < 1e-4);
}

// But for where it is, which the clip says.
static void heading_and_place_of_the_motion_do_not_matter(void** state) {
    (void)state;
    limber_asset* turned = make_version(hero, (version){.turn = {0, 2.1f, 0}});
    limber_asset* other = make_version(hero, (version){0});
    limber_asset* moved = make_version(hero, (version){.move = {3, 0, -7}});
    player* p = play(other, "jump", toon, NULL);
    player* q = play(turned, "jump", toon, NULL);
    assert_true(farthest(p, q, 0) < 1e-4);
    q = play(moved, "jump", toon, NULL);
    limber_vec3 away[2];
    for (int i = 0; i < 2; i++) {
        pose_both(p, q, i ? 40 : 0);
        away[i] = limberi_sub(place_of(q, "LegFootLeft"), place_of(p, "LegFootLeft"));
    }
    assert_true(apart(away[0], away[1]) < 1e-4 * (double)p->model->size);
    assert_true(largest_turn(p, q, all_bones[6]) < 0.05 && largest_turn(p, q, all_bones[3]) < 0.05);
}

// The same motion with its keys elsewhere.
static void a_resampled_motion_is_the_same(void** state) {
    (void)state;
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.fps = 144;
    player* dense = play(hero, "run", hero, &settings);
    limber_asset* resampled = make_with_clip(dense->model, dense->clip, "there");
    player* p = play(resampled, "there", toon, NULL);
    player* q = play(hero, "run", toon, NULL);
    assert_int_equal(key_count(p), key_count(q));
    double far = farthest(p, q, 0);
    if (!(far < 2e-3))
        fail_msg("%g L", far);
}

static void rotations_go_the_short_way_from_key_to_key(void** state) {
    (void)state;
    enum { KEYS = 37 };
    float parts[KEYS];
    for (uint32_t k = 0; k < KEYS; k++)
        parts[k] = (float)(k * 2 * LIMBERI_PI / (KEYS - 1));
    const turned_joint hips = {"Hips", {0, 1, 0}};
    player* p = play(make_turning("spin", &hips, 1, parts, KEYS), "spin", toon, NULL);
    for (uint32_t c = 0; c < p->clip->channel_count; c++) {
        const limber_channel* channel = &p->clip->channels[c];
        for (uint32_t k = 1; channel->path == LIMBER_CHANNEL_ROTATION && k < channel->key_count; k++) {
            const float* key = channel->values + 4 * (size_t)k;
            assert_true(key[0] * key[-4] + key[1] * key[-3] + key[2] * key[-2] + key[3] * key[-1] > 0);
        }
    }
}

static void names_are_not_needed(void** state) {
    (void)state;
    limber_asset* nameless = make_version(hero, (version){.nameless = true});
    player* p = play(nameless, "run", toon, NULL);
    player* q = play(hero, "run", toon, NULL);
    assert_true(limber_retarget_match(p->retarget, 0).sure < limber_retarget_match(q->retarget, 0).sure);
    static const char* const joints[] = {"Hips",         "Chest",     "Head",          "Hat",
                                         "ArmLowerLeft", "HandRight", "LegLowerRight", "LegFootLeft"};
    expect_near(p, q, joints, sizeof joints / sizeof *joints, 0.02);
}

static double angle_between(limber_quat a, limber_quat b) {
    double same = fabs((double)(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
    return 2 * acos(fmin(same, 1)) * 180 / LIMBERI_PI;
}

// How a joint has turned since the rest pose.
static limber_quat turn_of(const player* p, const char* joint) {
    int32_t j = limber_rig_find_joint(&p->model->rig, joint);
    assert_true(j >= 0);
    float now[9], rest[9];
    limberi_mat4_rotation(&p->pose.world_from_joint[j], now);
    limberi_mat4_rotation(&p->model->rig.world_from_joint_rest[j], rest);
    return limberi_quat_mul(limberi_quat_from_rotation(now), limberi_quat_conj(limberi_quat_from_rotation(rest)));
}

// What a joint turns by, another one turns by as well, and it is something.
static void expect_turned(player* p, const char* joint, player* q, const char* other) {
    double far = 0, apart = 0;
    for (uint32_t k = 0; k < key_count(p); k++) {
        pose_both(p, q, k);
        far = fmax(far, angle_between(turn_of(p, joint), limber_transform_identity().rotation));
        apart = fmax(apart, angle_between(turn_of(p, joint), turn_of(q, other)));
    }
    if (!(far > 5 && apart < 0.1))
        fail_msg("%s turns by %g degrees, and differs from %s by %g", joint, far, other, apart);
}

// Necks and tails have other numbers of joints.
static void an_animal_plays_the_motion_of_another(void** state) {
    (void)state;
    static const char* const bones[][2] = {
        {"LegFrontUpperLeft", "LegFrontLowerLeft"},
        {"LegHindUpperRight", "LegHindLowerRight"},
    };
    limber_asset* horse = make_character("horse");
    player* p = play(horse, "kick", dog, NULL);
    player* q = play(horse, "kick", horse, NULL);
    for (size_t i = 0; i < sizeof bones / sizeof *bones; i++)
        assert_true(largest_turn(p, q, bones[i]) < 10);
    expect_turned(p, "Chest", q, "Chest");
    expect_turned(p, "Neck", q, "Neck2");
    expect_turned(p, "Head", q, "Head");
    expect_turned(p, "Tail5", q, "Tail4");
}

// How far a joint is from its rest pose in its parent's frame, in degrees.
static double bend_of(const player* p, const char* joint) {
    int32_t j = limber_rig_find_joint(&p->model->rig, joint);
    assert_true(j >= 0);
    return angle_between(p->pose.local[j].rotation, p->model->rig.rest_local[j].rotation);
}

static void each_finger_bends_by_itself(void** state) {
    (void)state;
    static const char* const fingers[] = {"HandThumbLeft", "HandIndexLeft", "HandMiddleLeft", "HandLittleLeft",
                                          "HandIndexRight"};
    for (size_t bent = 0; bent < 4; bent++) {
        const turned_joint finger = {fingers[bent], {0, 0, 0.7f}};
        player* p = play(make_turning("point", &finger, 1, (const float[]){0, 1}, 2), "point", toon, NULL);
        pose_at(p, key_count(p) - 1);
        for (size_t i = 0; i < 5; i++)
            assert_true(fabs(bend_of(p, fingers[i]) - (i == bent ? 0.7 * 180 / LIMBERI_PI : 0)) < 0.1);
    }
}

static void feet_that_hang_on_the_root_go_with_the_legs(void** state) {
    (void)state;
    player* p = play(hero, "jump", make_version(toon, (version){.loose = true}), NULL);
    player* q = play(hero, "jump", make_version(toon, (version){0}), NULL);
    static const char* const joints[] = {"Hips", "Head", "HandLeft", "LegLowerLeft", "LegFootLeft", "LegFootRight"};
    expect_near(p, q, joints, sizeof joints / sizeof *joints, 0.02);
    for (uint32_t k = 0; k < key_count(p); k++) { // nothing is torn off
        pose_both(p, q, k);
        double shin = apart(place_of(p, "LegLowerLeft"), place_of(p, "LegFootLeft"));
        assert_true(fabs(shin - apart(place_of(q, "LegLowerLeft"), place_of(q, "LegFootLeft"))) < 1e-4 * shin);
    }
}

// The hero without arms that could be told from ribbons.
static limber_asset* make_armless(void) {
    static char names[JOINT_MAX][64];
    static const char* list[JOINT_MAX];
    limber_model model = *limber_asset_model(hero);
    for (uint32_t j = 0; j < model.rig.joint_count; j++) {
        bool is_arm = strstr(model.rig.names[j], "Arm") || strstr(model.rig.names[j], "Hand");
        snprintf(names[j], sizeof names[j], "Ribbon%u", j);
        list[j] = is_arm ? names[j] : model.rig.names[j];
    }
    model.rig.names = list;
    return make_asset(&model);
}

// Without arms to follow, arms hang from the chest as they did, and everything else moves.
static void arms_that_the_motion_lacks_stay_at_rest(void** state) {
    (void)state;
    limber_asset* armless = make_armless();
    player* p = play(armless, "run", toon, NULL);
    player* q = play(hero, "run", toon, NULL);
    static const char* const joints[] = {"Hips", "Chest", "Head", "LegLowerRight", "LegFootLeft"};
    expect_near(p, q, joints, sizeof joints / sizeof *joints, 0.01);
    uint32_t elbow = (uint32_t)limber_rig_find_joint(&p->model->rig, "ArmLowerLeft");
    pose_both(p, q, key_count(p) / 2);
    const limber_quat* rest = &p->model->rig.rest_local[elbow].rotation;
    assert_memory_equal(&p->pose.local[elbow].rotation, rest, sizeof *rest);
    assert_memory_not_equal(&q->pose.local[elbow].rotation, rest, sizeof *rest);
    p = play(toon, "run", armless, NULL); // and the other way round
    q = play(toon, "run", hero, NULL);
    expect_near(p, q, joints, sizeof joints / sizeof *joints, 0.01);
}

// Arms exactly. Legs as far as the feet let them: the toon's are shorter, wider apart and end in large feet.
static void bones_point_where_they_pointed(void** state) {
    (void)state;
    static const char* const clips[] = {"run", "jump"};
    static const double legs[] = {1, 2.5};
    for (size_t c = 0; c < 2; c++) {
        player* p = play(hero, clips[c], toon, NULL);
        player* q = play(hero, clips[c], hero, NULL);
        for (uint32_t i = ARMS; i < FEET; i++)
            if (!(largest_turn(p, q, all_bones[i]) < (i < LEGS ? 0.1 : legs[c])))
                fail_msg("%s in %s: %g degrees", all_bones[i][0], clips[c], largest_turn(p, q, all_bones[i]));
    }
}

// The largest angle between the hero's bones and the same after a clip went to another character and back again.
static void expect_return(const limber_asset* between, const char* clip, uint32_t first, uint32_t end, double degrees) {
    player* there = play(hero, clip, between, NULL);
    limber_asset* other = make_with_clip(there->model, there->clip, "there");
    player* back = play(other, "there", hero, NULL);
    player* plain = play(hero, clip, hero, NULL);
    for (uint32_t i = first; i < end; i++)
        if (!(largest_turn(back, plain, all_bones[i]) < degrees))
            fail_msg("%s in %s: %g degrees", all_bones[i][0], clip, largest_turn(back, plain, all_bones[i]));
}

// A large foot pitches less with the same ankle and toes: in leaps, not all of that comes back.
static void there_and_back_is_the_same_motion(void** state) {
    (void)state;
    static const char* const clips[] = {"run", "swing", "jump"};
    limber_asset* same_shape = make_version(hero, (version){.scale = 37, .turn = z_is_up});
    for (size_t c = 0; c < sizeof clips / sizeof *clips; c++) {
        expect_return(same_shape, clips[c], 0, ALL_BONES, 2);
        expect_return(toon, clips[c], 0, FEET, 2.1);
        expect_return(toon, clips[c], FEET, ALL_BONES, 30);
    }
}

// A foot in the air can be still, too; that is no step that it stands on.
static void a_leg_that_is_held_up_points_where_it_pointed(void** state) {
    (void)state;
    enum { KEYS = 60 };
    float parts[KEYS];
    for (uint32_t k = 0; k < KEYS; k++)
        parts[k] = (float)limberi_smooth_step(10, 20, k) - (float)limberi_smooth_step(45, 55, k);
    const turned_joint leg = {"LegUpperLeft", {-1.2f, 0, 0.3f}};
    limber_asset* kicker = make_turning("kick", &leg, 1, parts, KEYS);
    player* p = play(kicker, "kick", toon, NULL);
    player* q = play(kicker, "kick", kicker, NULL);
    for (uint32_t i = LEGS; i < FEET; i++)
        assert_true(largest_turn(p, q, all_bones[i]) < 1);
}

// How far a joint goes along the ground while the same joint of the source rests.
static double slide_of(player* p, player* source, const char* joint) {
    double slide = 0;
    limber_vec3 at = {0, 0, 0};
    limber_vec3 from = {0, 0, 0};
    bool rests = false;
    for (uint32_t k = 0; k < key_count(p); k++) {
        pose_at(p, k);
        pose_at(source, k);
        limber_vec3 now = place_of(p, joint);
        limber_vec3 there = place_of(source, joint);
        bool still = rests && apart(there, from) < 2e-3 * (double)source->model->size;
        if (!still) {
            at = now;
            from = there;
        }
        rests = true;
        slide = fmax(slide, still ? apart_on_ground(now, at) : 0);
    }
    return slide / (double)p->model->size;
}

static const char* const feet[] = {"LegFootLeft", "LegFootRight", "LegToeLeft", "LegToeRight"};

static void expect_firm_feet(player* p, player* source, double limit) {
    for (size_t i = 0; i < 4; i++)
        if (!(slide_of(p, source, feet[i]) < limit))
            fail_msg("%s slides by %g L", feet[i], slide_of(p, source, feet[i]));
}

static void feet_that_rest_do_not_slide(void** state) {
    (void)state;
    player* p = play(hero, "jump", toon, NULL);
    player* q = play(hero, "jump", hero, NULL);
    expect_firm_feet(p, q, 0.01);
}

// Feet that stand on a step stand there, too, while the body above them moves.
static void feet_that_stand_on_a_step_do_not_slide(void** state) {
    (void)state;
    limber_asset* climber = make_version(hero, (version){.rise = 0.25 * (double)limber_asset_model(hero)->size});
    player* p = play(climber, "jump", toon, NULL);
    player* q = play(climber, "jump", climber, NULL);
    expect_firm_feet(p, q, 0.005);
    pose_at(p, 0);
    double low = (double)place_of(p, "LegFootRight").y;
    pose_at(p, key_count(p) - 1);
    double high = (double)place_of(p, "LegFootRight").y;
    assert_true(high > low + 0.1 * (double)p->model->size);
}

// On a slope, feet stand where the slope is, on the character at its own size.
static void feet_that_stand_on_a_slope_stand_on_it(void** state) {
    (void)state;
    limber_asset* climber = make_version(hero, (version){.slope = 0.4});
    player* p = play(climber, "jump", toon, NULL);
    player* q = play(climber, "jump", climber, NULL);
    expect_firm_feet(p, q, 0.01);
    limber_vec3 ways[2];
    pose_both(p, q, 0);
    ways[0] = place_of(p, "LegFootRight");
    ways[1] = place_of(q, "LegFootRight");
    pose_at(p, key_count(p) - 1);
    pose_at(q, key_count(q) - 1);
    ways[0] = limberi_sub(place_of(p, "LegFootRight"), ways[0]);
    ways[1] = limberi_sub(place_of(q, "LegFootRight"), ways[1]);
    assert_true(ways[0].y > 0.05f * p->model->size);
    assert_true(fabs((double)(ways[0].y / ways[0].z - ways[1].y / ways[1].z)) < 0.02);
}

// All of the ground goes at one speed.
static void feet_go_with_the_ground_of_a_run_on_the_spot(void** state) {
    (void)state;
    player* p = play(hero, "run", toon, NULL);
    player* q = play(hero, "run", hero, NULL);
    for (size_t i = 0; i < 2; i++) {
        limber_vec3 before[2], now[2];
        double low = INFINITY, least = INFINITY, most = 0;
        for (uint32_t k = 0; k < key_count(q); k++) {
            pose_at(q, k);
            low = fmin(low, (double)place_of(q, feet[i]).y);
        }
        for (uint32_t k = 0; k < key_count(p); k++) {
            pose_both(p, q, k);
            now[0] = place_of(p, feet[i]);
            now[1] = place_of(q, feet[i]);
            if (k && (double)now[1].y < low + 0.006 * (double)q->model->size) {
                double ratio = apart(now[0], before[0]) / apart(now[1], before[1]);
                least = fmin(least, ratio);
                most = fmax(most, ratio);
            }
            memcpy(before, now, sizeof now);
        }
        if (!(most < 1.01 * least))
            fail_msg("%s: %g to %g of the way of the motion's foot", feet[i], least, most);
    }
}

static void toes_in_the_air_turn_as_they_did(void** state) {
    (void)state;
    player* p = play(hero, "jump", toon, NULL);
    player* q = play(hero, "jump", hero, NULL);
    expect_turned(p, "LegToeLeft", q, "LegToeLeft");
}

static void soles_stay_above_the_floor(void** state) {
    (void)state;
    player* p = play(hero, "run", toon, NULL);
    double rest[4];
    limber_pose_rest(p->model, &p->pose);
    limber_pose_update_world(p->model, &p->pose);
    for (size_t i = 0; i < 4; i++)
        rest[i] = (double)place_of(p, feet[i]).y;
    for (uint32_t k = 0; k < key_count(p); k++) {
        pose_at(p, k);
        for (size_t i = 0; i < 4; i++)
            assert_true((double)place_of(p, feet[i]).y > rest[i] - 0.02 * (double)p->model->size);
    }
}

// The joint that a vertex hangs on most is a foot or its toes.
static bool is_of_foot(const limber_model* model, uint32_t u) {
    const limber_mesh* mesh = &model->meshes[0];
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
        const char* name = model->rig.names[model->skins[mesh->skin].joints[mesh->influence_joint[i]]];
        if (mesh->influence_weight[i] > 0.5f && (strstr(name, "Foot") || strstr(name, "Toe")))
            return true;
    }
    return false;
}

static double height_of(const player* p, uint32_t u) {
    const limber_mesh* mesh = &p->model->meshes[0];
    const limber_skin* skin = &p->model->skins[mesh->skin];
    double height = 0;
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
        uint32_t slot = mesh->influence_joint[i];
        limber_vec3 in_joint =
            limberi_mat4_point(&skin->joint_from_mesh[slot], limberi_load3(mesh->positions + 3 * (size_t)u));
        limber_vec3 at = limberi_mat4_point(&p->pose.world_from_joint[skin->joints[slot]], in_joint);
        height += (double)(mesh->influence_weight[i] * at.y);
    }
    return height;
}

static double lowest_of_feet(const player* p) {
    double low = INFINITY;
    for (uint32_t u = 0; u < p->model->meshes[0].vertex_count; u++)
        if (is_of_foot(p->model, u))
            low = fmin(low, height_of(p, u));
    return low;
}

// How far the skin of the feet goes below where it is at rest, in L.
static double depth_of_feet(const limber_asset* motion, const char* clip) {
    player* p = play(motion, clip, toon, NULL);
    limber_pose_rest(p->model, &p->pose);
    limber_pose_update_world(p->model, &p->pose);
    double floor = lowest_of_feet(p), deep = 0;
    for (uint32_t k = 0; k < key_count(p); k++) {
        pose_at(p, k);
        deep = fmax(deep, floor - lowest_of_feet(p));
    }
    return deep / (double)p->model->size;
}

// The hero's jump on the edges of his feet: they roll by this much about where they point.
static limber_asset* make_rolling(float angle_rad) {
    enum { CHANNELS = 128, VALUES = 4096 };
    static limber_channel channels[CHANNELS];
    static float values[VALUES];
    limber_clip clip = *clip_of(hero, "jump");
    const limber_model* model = limber_asset_model(hero);
    uint32_t used = 0;
    assert_true(clip.channel_count <= CHANNELS);
    for (uint32_t c = 0; c < clip.channel_count; c++) {
        limber_channel* channel = &channels[c];
        *channel = clip.channels[c];
        if (channel->path != LIMBER_CHANNEL_ROTATION || !strstr(model->rig.names[channel->target], "Foot"))
            continue;
        limber_mat4 joint_from_world;
        assert_true(limberi_mat4_inverse(&model->rig.world_from_joint_rest[channel->target], &joint_from_world));
        limber_vec3 ahead = limberi_mat4_vector(&joint_from_world, limberi_vec3(0, 0, 1));
        limber_quat roll = limberi_quat_exp(limberi_scale(limberi_normalize(ahead), angle_rad));
        assert_true(used + 4 * channel->key_count <= VALUES);
        for (uint32_t k = 0; k < channel->key_count; k++) {
            limber_quat turned;
            memcpy(&turned, channel->values + 4 * (size_t)k, sizeof turned);
            turned = limberi_quat_mul(turned, roll);
            memcpy(values + used + 4 * (size_t)k, &turned, sizeof turned);
        }
        channel->values = values + used;
        used += 4 * channel->key_count;
    }
    assert_true(used > 0);
    clip.channels = channels;
    return make_with_clip(model, &clip, "roll");
}

static void the_skin_of_feet_stays_above_the_floor(void** state) {
    (void)state;
    double run = depth_of_feet(hero, "run"), jump = depth_of_feet(hero, "jump");
    double out = depth_of_feet(make_rolling(0.4f), "roll"), in = depth_of_feet(make_rolling(-0.4f), "roll");
    print_message("%.5f L in a run, %.5f in a jump, %.5f and %.5f on the edges of the feet\n", run, jump, out, in);
    assert_true(run < 0.001 && jump < 0.001);
    assert_true(out < 0.013 && in < 0.04);
}

static void travel_goes_with_the_length_of_the_legs(void** state) {
    (void)state;
    limber_asset* large = make_version(toon, (version){.scale = 2});
    player* p = play(hero, "run", toon, NULL);
    player* q = play(hero, "run", large, NULL);
    pose_both(p, q, 0);
    limber_vec3 small_start = place_of(p, "Hips");
    limber_vec3 large_start = place_of(q, "Hips");
    pose_at(p, key_count(p) / 2);
    pose_at(q, key_count(q) / 2);
    double small_way = apart(place_of(p, "Hips"), small_start);
    double large_way = apart(place_of(q, "Hips"), large_start);
    assert_true(small_way > 0 && fabs(large_way / small_way - 2) < 1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RETARGET_TEST(the_same_skeleton_plays_the_same_keys),
        RETARGET_TEST(a_skeleton_of_the_same_shape_plays_the_same_poses),
        RETARGET_TEST(size_and_axes_of_the_motion_do_not_matter),
        RETARGET_TEST(heading_and_place_of_the_motion_do_not_matter),
        RETARGET_TEST(a_resampled_motion_is_the_same),
        RETARGET_TEST(rotations_go_the_short_way_from_key_to_key),
        RETARGET_TEST(names_are_not_needed),
        RETARGET_TEST(an_animal_plays_the_motion_of_another),
        RETARGET_TEST(each_finger_bends_by_itself),
        RETARGET_TEST(feet_that_hang_on_the_root_go_with_the_legs),
        RETARGET_TEST(arms_that_the_motion_lacks_stay_at_rest),
        RETARGET_TEST(bones_point_where_they_pointed),
        RETARGET_TEST(a_leg_that_is_held_up_points_where_it_pointed),
        RETARGET_TEST(there_and_back_is_the_same_motion),
        RETARGET_TEST(feet_that_rest_do_not_slide),
        RETARGET_TEST(feet_that_stand_on_a_step_do_not_slide),
        RETARGET_TEST(feet_that_stand_on_a_slope_stand_on_it),
        RETARGET_TEST(feet_go_with_the_ground_of_a_run_on_the_spot),
        RETARGET_TEST(toes_in_the_air_turn_as_they_did),
        RETARGET_TEST(soles_stay_above_the_floor),
        RETARGET_TEST(the_skin_of_feet_stays_above_the_floor),
        RETARGET_TEST(travel_goes_with_the_length_of_the_legs),
    };
    return cmocka_run_group_tests(tests, open_characters, close_characters);
}
