// The motion of one skeleton on another: what stands stands, bones point where they pointed, and neither the size, the
// heading, the names nor the rate of the motion matter.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "kit/failing_memory.h"
#include <limber/stages/pose.h>
#include <limber/stages/retarget.h>

static limber_asset* hero;
static limber_asset* toon;
static limber_asset* dog;

static int open_characters(void** state) {
    (void)state;
    return limberi_character_create("hero", 0.5, &hero, NULL) != LIMBER_OK ||
           limberi_character_create("toon", 0.5, &toon, NULL) != LIMBER_OK ||
           limberi_character_create("dog", 0.5, &dog, NULL) != LIMBER_OK;
}

static int close_characters(void** state) {
    (void)state;
    limber_asset_destroy(hero);
    limber_asset_destroy(toon);
    limber_asset_destroy(dog);
    return 0;
}

static const limber_clip* clip_of(const limber_asset* asset, const char* name) {
    const limber_model* model = limber_asset_model(asset);
    int32_t clip = limber_model_find_clip(model, name);
    assert_true(clip >= 0);
    return &model->clips[clip];
}

// --- other versions of a character ---

enum { JOINT_MAX = 64 };

typedef struct version {
    const char* format; // of the joints' names: "%s" keeps them, "j%u" numbers them
    double scale;       // of the whole skeleton, above its root
    limber_quat turn;   // of it
    bool uneven;        // the hips' scale is
    double rise;      // in its clips, at half their speed, all of it rises by so much in 0.2 to 0.4 s, and stays there
    double slope;     // its clips go uphill: forward in strides between stands, and up by so much of that
    limber_vec3 move; // of the whole skeleton
} version;

static version plain_version(void) {
    version v = {NULL, 1, limberi_quat_identity(), false, 0, 0, {0, 0, 0}};
    return v;
}

// The times of a channel at half its speed.
static const float* slower(const limber_channel* channel) {
    static float room[1 << 18];
    static size_t used;
    float* times = room + used;
    used += channel->key_count;
    assert_true(used <= sizeof room / sizeof *room);
    for (uint32_t k = 0; k < channel->key_count; k++)
        times[k] = 2 * channel->times[k];
    return times;
}

// The same character with a node above it all, and other names.
static limber_asset* make_version(const limber_asset* asset, version v) {
    static char names[JOINT_MAX][64];
    const limber_model* from = limber_asset_model(asset);
    limber_model model = *from;
    const char* list[JOINT_MAX];
    int32_t parents[JOINT_MAX];
    limber_transform rest[JOINT_MAX];
    uint32_t count = from->rig.joint_count + 1;
    assert_true(count <= JOINT_MAX);
    for (uint32_t j = 0; j < count; j++) {
        const char* old = j ? from->rig.names[j - 1] : "world";
        snprintf(names[j], sizeof names[j], "%s%s", v.format && v.format[0] != '#' ? v.format : "", old);
        if (v.format && v.format[0] == '#')
            snprintf(names[j], sizeof names[j], "joint%u", j);
        list[j] = names[j];
        parents[j] = j && from->rig.parents[j - 1] >= 0 ? from->rig.parents[j - 1] + 1 : (int32_t)j - 1;
        parents[j] = j == 0 ? LIMBER_NO_PARENT : parents[j];
        if (j && from->rig.parents[j - 1] < 0)
            parents[j] = 0;
        rest[j] = j ? from->rig.rest_local[j - 1] : limber_transform_identity();
    }
    rest[0].scale = limberi_vec3((float)v.scale, (float)v.scale, (float)v.scale);
    rest[0].rotation = v.turn;
    rest[0].translation = v.move;
    if (v.uneven)
        rest[2].scale.y = 1.5f;
    model.rig.joint_count = count;
    model.rig.names = list;
    model.rig.bones = NULL;
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    limber_skin* skins = calloc(from->skin_count, sizeof *skins);
    uint32_t* joints = calloc((size_t)from->skin_count * JOINT_MAX, sizeof *joints);
    for (uint32_t s = 0; s < from->skin_count; s++) {
        skins[s] = from->skins[s];
        for (uint32_t i = 0; i < skins[s].joint_count; i++)
            joints[s * JOINT_MAX + i] = from->skins[s].joints[i] + 1;
        skins[s].joints = joints + s * JOINT_MAX;
    }
    model.skins = skins;
    limber_clip* clips = calloc(from->clip_count, sizeof *clips);
    limber_channel* channels = calloc(4096, sizeof *channels);
    uint32_t used = 0;
    const float times[4] = {0, 0.2f, 0.4f, 0.5f};
    const float rise[12] = {0, 0, 0, 0, 0, 0, 0, (float)v.rise, 0, 0, (float)v.rise, 0};
    float stride[12] = {0};
    for (int i = 0; v.slope > 0 && i < 4; i++) {
        stride[3 * i + 2] = i < 2 ? 0 : 0.3f * from->size;
        stride[3 * i + 1] = (float)v.slope * stride[3 * i + 2];
    }
    for (uint32_t c = 0; c < from->clip_count; c++) {
        clips[c] = from->clips[c];
        clips[c].channels = channels + used;
        uint32_t own = clips[c].channel_count;
        bool moves = v.rise > 0 || v.slope > 0;
        if (moves) {
            channels[used++] = (limber_channel){LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, 0, 4, times,
                                                v.slope > 0 ? stride : rise};
            clips[c].channel_count++;
        }
        for (uint32_t i = 0; i < own; i++, used++) {
            assert_true(used < 4096);
            channels[used] = from->clips[c].channels[i];
            if (moves)
                channels[used].times = slower(&channels[used]);
            channels[used].target += channels[used].path == LIMBER_CHANNEL_WEIGHTS ? 0 : 1;
        }
    }
    model.clips = clips;
    limber_asset* made;
    limber_error error;
    if (limber_asset_create(&model, &made, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    free(skins);
    free(joints);
    free(clips);
    free(channels);
    return made;
}

// --- a character that plays a retargeted clip ---

typedef struct player {
    limber_retarget* retarget;
    const limber_clip* clip;
    const limber_model* model;
    limber_pose pose;
} player;

// Sampling of the new clip needs channel_of_joint, which an asset derives; the test looks the keys up itself.
static void pose_at(player* p, uint32_t key) {
    limber_pose_rest(p->model, &p->pose);
    for (uint32_t i = 0; i < p->clip->channel_count; i++) {
        const limber_channel* c = &p->clip->channels[i];
        limber_transform* local = &p->pose.local[c->target];
        uint32_t k = key < c->key_count ? key : c->key_count - 1;
        if (c->path == LIMBER_CHANNEL_ROTATION)
            memcpy(&local->rotation, c->values + 4 * (size_t)k, 4 * sizeof(float));
        else
            memcpy(c->path == LIMBER_CHANNEL_SCALE ? &local->scale : &local->translation, c->values + 3 * (size_t)k,
                   3 * sizeof(float));
    }
    limber_pose_update_world(p->model, &p->pose);
}

static uint32_t key_count(const player* p) {
    return p->clip->channels[0].key_count;
}

static const double usual_fps = 60; // two players have keys at the same times

static player play(const limber_asset* motion, const char* clip, const limber_asset* character,
                   const limber_retarget_settings* settings) {
    limber_retarget_settings usual = limber_retarget_settings_default();
    usual.fps = usual_fps;
    player p;
    limber_error error;
    memset(&p, 0, sizeof p);
    p.model = limber_asset_model(character);
    if (limber_retarget_create(limber_asset_model(motion), p.model, settings ? settings : &usual, &p.retarget,
                               &error) ||
        limber_retarget_clip(p.retarget, clip_of(motion, clip), &p.clip, &error))
        fail_msg("%s", error.message);
    assert_int_equal(limber_pose_create(p.model, &p.pose), LIMBER_OK);
    return p;
}

static void stop(player* p) {
    limber_pose_destroy(&p->pose);
    limber_retarget_destroy(p->retarget);
}

static limber_vec3 place_of(const player* p, const char* joint) {
    int32_t j = limber_rig_find_joint(&p->model->rig, joint);
    assert_true(j >= 0);
    return limberi_mat4_translation(&p->pose.world_from_joint[j]);
}

static double apart(limber_vec3 a, limber_vec3 b) {
    return (double)limberi_length(limberi_sub(a, b));
}

// The largest distance between joints of two players whose poses should be the same.
static double farthest(player* a, player* b, uint32_t shift) {
    double far = 0;
    for (uint32_t k = 0; k < key_count(a); k++) {
        pose_at(a, k);
        pose_at(b, k);
        for (uint32_t j = 0; j < a->model->rig.joint_count; j++) {
            limber_vec3 p = limberi_mat4_translation(&a->pose.world_from_joint[j]);
            limber_vec3 q = limberi_mat4_translation(&b->pose.world_from_joint[j + shift]);
            far = fmax(far, apart(p, q));
        }
    }
    return far / (double)a->model->size;
}

static double degrees_between(limber_vec3 a, limber_vec3 b) {
    float cosine = limberi_dot(limberi_normalize(a), limberi_normalize(b));
    return acos((double)limberi_clamp(cosine, -1, 1)) * 180 / LIMBERI_PI;
}

static double largest_turn(player* p, player* q, const char* const* bone) {
    double largest = 0;
    for (uint32_t k = 0; k < key_count(p); k++) {
        pose_at(p, k);
        pose_at(q, k);
        limber_vec3 a = limberi_sub(place_of(p, bone[1]), place_of(p, bone[0]));
        limber_vec3 b = limberi_sub(place_of(q, bone[1]), place_of(q, bone[0]));
        largest = fmax(largest, degrees_between(a, b));
    }
    return largest;
}

// The character with the clip that a player plays.
static limber_asset* with_clip(const player* p) {
    limber_model model = *p->model;
    limber_clip clip = *p->clip;
    limber_asset* made;
    limber_error error;
    clip.name = "there";
    model.clips = &clip;
    model.clip_count = 1;
    if (limber_asset_create(&model, &made, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return made;
}

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
enum { LEGS_TOO = 10, ALL_BONES = 12 };

// --- tests ---

static void the_same_skeleton_plays_the_same_keys(void** state) {
    (void)state;
    player p = play(hero, "jump", hero, NULL);
    const limber_model* model = limber_asset_model(hero);
    const limber_clip* clip = clip_of(hero, "jump");
    limber_pose plain;
    double far = 0;
    assert_int_equal(limber_pose_create(model, &plain), LIMBER_OK);
    for (uint32_t k = 0; k < key_count(&p); k++) {
        pose_at(&p, k);
        limber_clip_sample(model, clip, clip->start_s + (double)p.clip->channels[0].times[k], &plain);
        limber_pose_update_world(model, &plain);
        for (uint32_t j = 0; j < model->rig.joint_count; j++)
            far = fmax(far, apart(limberi_mat4_translation(&p.pose.world_from_joint[j]),
                                  limberi_mat4_translation(&plain.world_from_joint[j])));
    }
    assert_true(far < 1e-5 * (double)model->size);
    assert_true(limber_retarget_match(p.retarget, 0).sure == 1);
    limber_pose_destroy(&plain);
    stop(&p);
}

// A node more above the skeleton: the joints do not agree any more, and everything is found and carried.
static void a_skeleton_of_the_same_shape_plays_the_same_poses(void** state) {
    (void)state;
    limber_asset* other = make_version(hero, plain_version());
    player p = play(other, "jump", hero, NULL);
    player q = play(hero, "jump", hero, NULL);
    // The cape is nobody's limb: the clip's own keys for it are not carried. Limbs and trunk are.
    static const char* const joints[] = {"Hips",        "Chest",        "Head",         "HandLeft",     "HandRight",
                                         "LegFootLeft", "LegFootRight", "LegLowerLeft", "ArmLowerRight"};
    for (uint32_t k = 0; k < key_count(&p); k++) {
        pose_at(&p, k);
        pose_at(&q, k);
        for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
            if (!(apart(place_of(&p, joints[i]), place_of(&q, joints[i])) < 0.01 * (double)p.model->size))
                fail_msg("%s at key %u: %g L", joints[i], k,
                         apart(place_of(&p, joints[i]), place_of(&q, joints[i])) / (double)p.model->size);
    }
    stop(&p);
    stop(&q);
    limber_asset_destroy(other);
}

static void size_and_axes_of_the_motion_do_not_matter(void** state) {
    (void)state;
    version v = plain_version();
    v.scale = 37;
    v.turn = limberi_quat_exp(limberi_vec3(1.5707963f, 0, 0)); // Z is up
    limber_asset* large = make_version(hero, v);
    limber_asset* other = make_version(hero, plain_version());
    player p = play(other, "run", toon, NULL);
    player q = play(large, "run", toon, NULL);
    assert_true(farthest(&p, &q, 0) < 1e-4);
    stop(&p);
    stop(&q);
    limber_asset_destroy(large);
    limber_asset_destroy(other);
}

// But for where it is, which the clip says.
static void heading_and_place_of_the_motion_do_not_matter(void** state) {
    (void)state;
    version v = plain_version();
    v.turn = limberi_quat_exp(limberi_vec3(0, 2.1f, 0));
    limber_asset* turned = make_version(hero, v);
    limber_asset* other = make_version(hero, plain_version());
    v = plain_version();
    v.move = limberi_vec3(3, 0, -7);
    limber_asset* moved = make_version(hero, v);
    player p = play(other, "jump", toon, NULL);
    player q = play(turned, "jump", toon, NULL);
    assert_true(farthest(&p, &q, 0) < 1e-4);
    stop(&q);
    q = play(moved, "jump", toon, NULL);
    limber_vec3 away[2];
    for (int i = 0; i < 2; i++) {
        pose_at(&p, i ? 40 : 0);
        pose_at(&q, i ? 40 : 0);
        away[i] = limberi_sub(place_of(&q, "LegFootLeft"), place_of(&p, "LegFootLeft"));
    }
    assert_true(apart(away[0], away[1]) < 1e-4 * (double)p.model->size);
    assert_true(largest_turn(&p, &q, all_bones[6]) < 0.05 && largest_turn(&p, &q, all_bones[3]) < 0.05);
    stop(&p);
    stop(&q);
    limber_asset_destroy(turned);
    limber_asset_destroy(moved);
    limber_asset_destroy(other);
}

// The same motion with its keys elsewhere.
static void a_resampled_motion_is_the_same(void** state) {
    (void)state;
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.fps = 144;
    player dense = play(hero, "run", hero, &settings);
    limber_asset* resampled = with_clip(&dense);
    player p = play(resampled, "there", toon, NULL);
    player q = play(hero, "run", toon, NULL);
    assert_int_equal(key_count(&p), key_count(&q));
    double far = farthest(&p, &q, 0);
    if (!(far < 2e-3))
        fail_msg("%g L", far);
    stop(&dense);
    stop(&p);
    stop(&q);
    limber_asset_destroy(resampled);
}

static void names_are_not_needed(void** state) {
    (void)state;
    version v = plain_version();
    v.format = "#";
    limber_asset* nameless = make_version(hero, v);
    player p = play(nameless, "run", toon, NULL);
    player q = play(hero, "run", toon, NULL);
    assert_true(limber_retarget_match(p.retarget, 0).sure < limber_retarget_match(q.retarget, 0).sure);
    static const char* const joints[] = {"Hips", "ArmLowerLeft", "HandRight", "LegLowerRight", "LegFootLeft"};
    for (uint32_t k = 0; k < key_count(&p); k++) {
        pose_at(&p, k);
        pose_at(&q, k);
        for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
            assert_true(apart(place_of(&p, joints[i]), place_of(&q, joints[i])) < 0.02 * (double)p.model->size);
    }
    stop(&p);
    stop(&q);
    limber_asset_destroy(nameless);
}

// Arms exactly. Legs as far as the feet let them: the toon's are shorter, wider apart and end in large feet.
static void bones_point_where_they_pointed(void** state) {
    (void)state;
    static const char* const bones[][2] = {{"ArmUpperLeft", "ArmLowerLeft"},   {"ArmLowerLeft", "HandLeft"},
                                           {"ArmUpperRight", "ArmLowerRight"}, {"ArmLowerRight", "HandRight"},
                                           {"LegUpperLeft", "LegLowerLeft"},   {"LegLowerLeft", "LegFootLeft"},
                                           {"LegUpperRight", "LegLowerRight"}, {"LegLowerRight", "LegFootRight"}};
    static const char* const clips[] = {"run", "jump"};
    static const double legs[] = {1, 2.5};
    for (size_t c = 0; c < 2; c++) {
        player p = play(hero, clips[c], toon, NULL);
        player q = play(hero, clips[c], hero, NULL);
        for (size_t i = 0; i < sizeof bones / sizeof *bones; i++)
            if (!(largest_turn(&p, &q, bones[i]) < (i < 4 ? 0.1 : legs[c])))
                fail_msg("%s in %s: %g degrees", bones[i][0], clips[c], largest_turn(&p, &q, bones[i]));
        stop(&p);
        stop(&q);
    }
}

// The largest angle between the hero's bones and the same after a clip went to another character and back again.
static void expect_return(const limber_asset* between, const char* clip, uint32_t first, uint32_t end, double degrees) {
    player there = play(hero, clip, between, NULL);
    limber_asset* other = with_clip(&there);
    player back = play(other, "there", hero, NULL);
    player plain = play(hero, clip, hero, NULL);
    for (uint32_t i = first; i < end; i++)
        if (!(largest_turn(&back, &plain, all_bones[i]) < degrees))
            fail_msg("%s in %s: %g degrees", all_bones[i][0], clip, largest_turn(&back, &plain, all_bones[i]));
    stop(&there);
    stop(&back);
    stop(&plain);
    limber_asset_destroy(other);
}

// A large foot pitches less with the same ankle and toes: in leaps, not all of that comes back.
static void there_and_back_is_the_same_motion(void** state) {
    (void)state;
    static const char* const clips[] = {"run", "swing", "jump"};
    version v = plain_version();
    v.scale = 37;
    v.turn = limberi_quat_exp(limberi_vec3(1.5707963f, 0, 0)); // Z is up
    limber_asset* same_shape = make_version(hero, v);
    for (size_t c = 0; c < sizeof clips / sizeof *clips; c++) {
        expect_return(same_shape, clips[c], 0, ALL_BONES, 2);
        expect_return(toon, clips[c], 0, LEGS_TOO, 2.1);
        expect_return(toon, clips[c], LEGS_TOO, ALL_BONES, 30);
    }
    limber_asset_destroy(same_shape);
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
        slide = fmax(slide, still ? hypot((double)(now.x - at.x), (double)(now.z - at.z)) : 0);
    }
    return slide / (double)p->model->size;
}

static void feet_that_rest_do_not_slide(void** state) {
    (void)state;
    static const char* const joints[] = {"LegFootLeft", "LegFootRight", "LegToeLeft", "LegToeRight"};
    player p = play(hero, "jump", toon, NULL);
    player q = play(hero, "jump", hero, NULL);
    for (size_t i = 0; i < 4; i++)
        if (!(slide_of(&p, &q, joints[i]) < 0.01))
            fail_msg("%s slides by %g L", joints[i], slide_of(&p, &q, joints[i]));
    stop(&p);
    stop(&q);
}

// Feet that stand on a step stand there, too, while the body above them moves.
static void feet_that_stand_on_a_step_do_not_slide(void** state) {
    (void)state;
    static const char* const joints[] = {"LegFootLeft", "LegFootRight", "LegToeLeft", "LegToeRight"};
    version v = plain_version();
    v.rise = 0.25 * (double)limber_asset_model(hero)->size;
    limber_asset* climber = make_version(hero, v);
    player p = play(climber, "jump", toon, NULL);
    player q = play(climber, "jump", climber, NULL);
    for (size_t i = 0; i < 4; i++)
        if (!(slide_of(&p, &q, joints[i]) < 0.005))
            fail_msg("%s slides by %g L", joints[i], slide_of(&p, &q, joints[i]));
    pose_at(&p, 0);
    double low = (double)place_of(&p, "LegFootRight").y;
    pose_at(&p, key_count(&p) - 1);
    double high = (double)place_of(&p, "LegFootRight").y;
    assert_true(high > low + 0.1 * (double)p.model->size);
    stop(&p);
    stop(&q);
    limber_asset_destroy(climber);
}

// On a slope, feet stand where the slope is, on the character at its own size.
static void feet_that_stand_on_a_slope_stand_on_it(void** state) {
    (void)state;
    static const char* const joints[] = {"LegFootLeft", "LegFootRight", "LegToeLeft", "LegToeRight"};
    version v = plain_version();
    v.slope = 0.4;
    limber_asset* climber = make_version(hero, v);
    player p = play(climber, "jump", toon, NULL);
    player q = play(climber, "jump", climber, NULL);
    for (size_t i = 0; i < 4; i++)
        if (!(slide_of(&p, &q, joints[i]) < 0.01))
            fail_msg("%s slides by %g L", joints[i], slide_of(&p, &q, joints[i]));
    limber_vec3 ways[2];
    pose_at(&p, 0);
    pose_at(&q, 0);
    ways[0] = place_of(&p, "LegFootRight");
    ways[1] = place_of(&q, "LegFootRight");
    pose_at(&p, key_count(&p) - 1);
    pose_at(&q, key_count(&q) - 1);
    ways[0] = limberi_sub(place_of(&p, "LegFootRight"), ways[0]);
    ways[1] = limberi_sub(place_of(&q, "LegFootRight"), ways[1]);
    assert_true(ways[0].y > 0.05f * p.model->size);
    assert_true(fabs((double)(ways[0].y / ways[0].z - ways[1].y / ways[1].z)) < 0.02);
    stop(&p);
    stop(&q);
    limber_asset_destroy(climber);
}

static void soles_stay_above_the_floor(void** state) {
    (void)state;
    player p = play(hero, "run", toon, NULL);
    static const char* const joints[] = {"LegToeLeft", "LegToeRight", "LegFootLeft", "LegFootRight"};
    double rest[4];
    limber_pose_rest(p.model, &p.pose);
    limber_pose_update_world(p.model, &p.pose);
    for (size_t i = 0; i < 4; i++)
        rest[i] = (double)place_of(&p, joints[i]).y;
    for (uint32_t k = 0; k < key_count(&p); k++) {
        pose_at(&p, k);
        for (size_t i = 0; i < 4; i++)
            assert_true((double)place_of(&p, joints[i]).y > rest[i] - 0.02 * (double)p.model->size);
    }
    stop(&p);
}

static void travel_goes_with_the_length_of_the_legs(void** state) {
    (void)state;
    version v = plain_version();
    v.scale = 2;
    limber_asset* large = make_version(toon, v);
    player p = play(hero, "run", toon, NULL);
    player q = play(hero, "run", large, NULL);
    pose_at(&p, 0);
    pose_at(&q, 0);
    limber_vec3 small_start = place_of(&p, "Hips");
    limber_vec3 large_start = place_of(&q, "Hips");
    pose_at(&p, key_count(&p) / 2);
    pose_at(&q, key_count(&q) / 2);
    double small_way = apart(place_of(&p, "Hips"), small_start);
    double large_way = apart(place_of(&q, "Hips"), large_start);
    assert_true(small_way > 0 && fabs(large_way / small_way - 2) < 1e-3);
    stop(&p);
    stop(&q);
    limber_asset_destroy(large);
}

static void a_mirrored_motion_swaps_left_and_right(void** state) {
    (void)state;
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.mirror = true;
    settings.fps = usual_fps;
    player p = play(hero, "jump", toon, &settings);
    player q = play(hero, "jump", toon, NULL);
    for (uint32_t k = 0; k < key_count(&p); k += 5) {
        pose_at(&p, k);
        pose_at(&q, k);
        limber_vec3 left = place_of(&p, "HandLeft");
        limber_vec3 right = place_of(&q, "HandRight");
        right.x = -right.x;
        assert_true(apart(left, right) < 2e-3 * (double)p.model->size);
    }
    stop(&p);
    stop(&q);
}

static void in_place_ends_where_it_begins(void** state) {
    (void)state;
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.in_place = true;
    player p = play(hero, "jump", toon, &settings);
    pose_at(&p, 0);
    limber_vec3 first = place_of(&p, "Hips");
    pose_at(&p, key_count(&p) - 1);
    limber_vec3 last = place_of(&p, "Hips");
    assert_true(hypot((double)(last.x - first.x), (double)(last.z - first.z)) < 0.02 * (double)p.model->size);
    stop(&p);
}

// The poses stay as they are; the root goes below the hips, along the ground.
static void root_motion_moves_the_travel_to_the_root(void** state) {
    (void)state;
    limber_asset* with_root = make_version(toon, plain_version());
    version v = plain_version();
    v.slope = 0.4;
    limber_asset* climber = make_version(hero, v);
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.fps = usual_fps;
    settings.root_motion = true;
    player p = play(climber, "jump", with_root, &settings);
    player q = play(climber, "jump", with_root, NULL);
    int32_t hips = limber_rig_find_joint(&p.model->rig, "Hips");
    double way = 0;
    limber_vec3 above = {0, 0, 0};
    for (uint32_t k = 0; k < key_count(&p); k++) {
        pose_at(&p, k);
        pose_at(&q, k);
        limber_vec3 root = place_of(&p, "world");
        for (int32_t j = hips; j < (int32_t)p.model->rig.joint_count; j++)
            assert_true(apart(limberi_mat4_translation(&p.pose.world_from_joint[j]),
                              limberi_mat4_translation(&q.pose.world_from_joint[j])) < 1e-4 * (double)p.model->size);
        limber_vec3 now = limberi_sub(place_of(&p, "Hips"), root);
        above = k ? above : now;
        assert_true(hypot((double)(now.x - above.x), (double)(now.z - above.z)) < 1e-4 * (double)p.model->size);
        assert_true(fabs((double)root.y) < 1e-6);
        way = fmax(way, hypot((double)root.x, (double)root.z));
    }
    assert_true(way > 0.1 * (double)p.model->size);
    stop(&p);
    stop(&q);
    limber_asset_destroy(climber);
    limber_asset_destroy(with_root);
}

// --- cycles ---

enum { CYCLE_KEYS = 400 };

// The hero's clip again and again, from key `first` on for `count` keys.
static limber_asset* repeat(const char* name, uint32_t first, uint32_t count) {
    static float times[CYCLE_KEYS];
    static float values[3 * JOINT_MAX][CYCLE_KEYS * 4];
    player p = play(hero, name, hero, NULL);
    limber_model model = *p.model;
    limber_clip clip = *p.clip;
    limber_channel channels[3 * JOINT_MAX];
    assert_true(count <= CYCLE_KEYS && clip.channel_count <= 3 * JOINT_MAX);
    uint32_t keys = key_count(&p) - 1;
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
    clip.name = "again";
    clip.channels = channels;
    model.clips = &clip;
    model.clip_count = 1;
    limber_asset* made;
    limber_error error;
    if (limber_asset_create(&model, &made, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    stop(&p);
    return made;
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
    player p = play(runner, "again", toon, &settings);
    double turns = duration_of(&p) / (run->end_s - run->start_s);
    assert_true(fabs(turns - round(turns)) < 0.05 && turns > 0.9);
    expect_closed(&p);
    stop(&p);
    limber_asset_destroy(runner);
}

static void a_part_that_is_said_to_be_a_cycle_is_closed(void** state) {
    (void)state;
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.loop = true;
    settings.start_s = 0.2;
    settings.end_s = 0.7;
    player p = play(hero, "jump", toon, &settings);
    assert_true(fabs(duration_of(&p) - 0.5) < 1e-6);
    expect_closed(&p);
    stop(&p);
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
    limber_asset_destroy(leaver);
}

static void a_part_of_a_clip_begins_at_zero(void** state) {
    (void)state;
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.fps = usual_fps;
    settings.start_s = 0.2;
    settings.end_s = 0.5;
    settings.name = "part";
    player p = play(hero, "jump", toon, &settings);
    player q = play(hero, "jump", toon, NULL);
    const float* times = p.clip->channels[0].times;
    assert_true(times[0] == 0 && fabs((double)times[key_count(&p) - 1] - 0.3) < 1e-6);
    assert_string_equal(p.clip->name, "part");
    uint32_t key = (uint32_t)(0.2 * usual_fps + 0.5);
    pose_at(&p, 0);
    pose_at(&q, key);
    assert_true(apart(place_of(&p, "HandLeft"), place_of(&q, "HandLeft")) < 0.01 * (double)p.model->size);
    stop(&p);
    stop(&q);
}

static void a_higher_rate_has_the_same_poses_in_between(void** state) {
    (void)state;
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.fps = 2 * usual_fps;
    player p = play(hero, "jump", toon, &settings);
    player q = play(hero, "jump", toon, NULL);
    for (uint32_t k = 0; k < key_count(&q); k++) {
        pose_at(&p, 2 * k);
        pose_at(&q, k);
        for (uint32_t j = 0; j < p.model->rig.joint_count; j++)
            assert_true(apart(limberi_mat4_translation(&p.pose.world_from_joint[j]),
                              limberi_mat4_translation(&q.pose.world_from_joint[j])) < 1e-4 * (double)p.model->size);
    }
    stop(&p);
    stop(&q);
}

static void keys_come_one_after_the_other(void** state) {
    (void)state;
    const limber_model* model = limber_asset_model(hero);
    for (uint32_t c = 0; c < model->clip_count; c++) {
        limber_retarget_settings settings = limber_retarget_settings_default();
        player p = play(hero, model->clips[c].name, toon, &settings);
        const limber_channel* channel = &p.clip->channels[0];
        for (uint32_t k = 1; k < channel->key_count; k++)
            assert_true(channel->times[k] - channel->times[k - 1] > 0.01f);
        stop(&p);
    }
}

enum { CLAP_KEYS = 19 };

// The hero with arms that go from their rest pose to the front and across each other, ten degrees a key.
static limber_asset* make_clapper(void) {
    static float times[CLAP_KEYS];
    static float values[2][CLAP_KEYS][4];
    limber_model model = *limber_asset_model(hero);
    limber_channel channels[2];
    for (int side = 0; side < 2; side++) {
        int32_t arm = limber_rig_find_joint(&model.rig, side ? "ArmUpperRight" : "ArmUpperLeft");
        for (uint32_t k = 0; k < CLAP_KEYS; k++) {
            float angle = (float)(k * LIMBERI_PI / 18);
            limber_quat turn = limberi_quat_exp(limberi_vec3(0, side ? angle : -angle, 0));
            limber_quat local = limberi_quat_mul(turn, model.rig.rest_local[arm].rotation);
            times[k] = (float)k / 30;
            memcpy(values[side][k], &local, sizeof local);
        }
        channels[side] = (limber_channel){
            LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, (uint32_t)arm, CLAP_KEYS, times, values[side][0]};
    }
    limber_clip clip;
    memset(&clip, 0, sizeof clip);
    clip.name = "clap";
    clip.channels = channels;
    clip.channel_count = 2;
    model.clips = &clip;
    model.clip_count = 1;
    limber_asset* made;
    limber_error error;
    if (limber_asset_create(&model, &made, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return made;
}

// Keys of the motion that lie far apart have others between them; where its keys are the character's, they do not.
static void keys_lie_near_to_each_other(void** state) {
    (void)state;
    limber_retarget_settings settings = limber_retarget_settings_default();
    limber_asset* clapper = make_clapper();
    player p = play(clapper, "clap", toon, &settings);
    player q = play(clapper, "clap", clapper, &settings);
    assert_int_equal(key_count(&q), CLAP_KEYS);
    assert_int_equal(key_count(&p), 2 * CLAP_KEYS - 1);
    stop(&p);
    stop(&q);
    limber_asset_destroy(clapper);
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
    player p = play(hero, "jump", toon, &settings);
    bool found = false;
    for (uint32_t i = 0; i < limber_retarget_match_count(p.retarget); i++) {
        limber_joint_match m = limber_retarget_match(p.retarget, i);
        found = found || (m.joint == pair.joint && m.source == pair.source && m.sure == 1);
    }
    assert_true(found);
    stop(&p);
    pair.joint = 9999;
    limber_retarget* none;
    assert_int_equal(limber_retarget_create(limber_asset_model(hero), limber_asset_model(toon), &settings, &none, NULL),
                     LIMBER_ERROR_ARGUMENT);
    assert_null(none);
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
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.touch = true;
    settings.fps = usual_fps;
    player source = play(clapper, "clap", clapper, NULL);
    player off = play(clapper, "clap", toon, NULL);
    player on = play(clapper, "clap", toon, &settings);
    uint32_t together = 0;
    for (uint32_t k = 1; k < key_count(&source); k++)
        together = between_hands(&source, k) < between_hands(&source, together) ? k : together;
    double wanted = between_hands(&source, together);
    assert_true(wanted < 0.15);
    double without = fabs(between_hands(&off, together) - wanted);
    double with = fabs(between_hands(&on, together) - wanted);
    assert_true(without > 0.1);
    if (!(with < 0.3 * without))
        fail_msg("%g without, %g with, of %g", without, with, wanted);
    pose_at(&on, together);
    pose_at(&off, together);
    assert_true(apart(place_of(&on, "HandLeft"), place_of(&off, "HandLeft")) < 0.4 * (double)on.model->size);
    assert_true(apart(place_of(&on, "LegFootLeft"), place_of(&off, "LegFootLeft")) == 0);
    assert_true(fabs(between_hands(&on, 0) - between_hands(&off, 0)) < 1e-5); // far from everything
    stop(&source);
    stop(&off);
    stop(&on);
    limber_asset_destroy(clapper);
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
    version v = plain_version();
    v.uneven = true;
    limber_asset* uneven = make_version(hero, v);
    refuse(toon, uneven, "uneven scale");
    limber_asset_destroy(uneven);
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
    limber_asset* swapped;
    assert_int_equal(limber_asset_create(&model, &swapped, NULL), LIMBER_OK);
    refuse(swapped, toon, "left and right seem to be swapped");
    limber_asset_destroy(swapped);
}

static void memory_that_runs_out_is_said(void** state) {
    (void)state;
    version v = plain_version();
    v.format = "#";
    limber_asset* nameless = make_version(hero, v);
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
    limber_asset_destroy(nameless);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_skeleton_plays_the_same_keys),
        cmocka_unit_test(a_skeleton_of_the_same_shape_plays_the_same_poses),
        cmocka_unit_test(size_and_axes_of_the_motion_do_not_matter),
        cmocka_unit_test(heading_and_place_of_the_motion_do_not_matter),
        cmocka_unit_test(a_resampled_motion_is_the_same),
        cmocka_unit_test(names_are_not_needed),
        cmocka_unit_test(bones_point_where_they_pointed),
        cmocka_unit_test(there_and_back_is_the_same_motion),
        cmocka_unit_test(feet_that_rest_do_not_slide),
        cmocka_unit_test(feet_that_stand_on_a_step_do_not_slide),
        cmocka_unit_test(feet_that_stand_on_a_slope_stand_on_it),
        cmocka_unit_test(soles_stay_above_the_floor),
        cmocka_unit_test(travel_goes_with_the_length_of_the_legs),
        cmocka_unit_test(a_mirrored_motion_swaps_left_and_right),
        cmocka_unit_test(in_place_ends_where_it_begins),
        cmocka_unit_test(root_motion_moves_the_travel_to_the_root),
        cmocka_unit_test(a_cycle_is_found_and_closed),
        cmocka_unit_test(a_part_that_is_said_to_be_a_cycle_is_closed),
        cmocka_unit_test(what_never_comes_back_has_no_cycle),
        cmocka_unit_test(a_part_of_a_clip_begins_at_zero),
        cmocka_unit_test(a_higher_rate_has_the_same_poses_in_between),
        cmocka_unit_test(keys_come_one_after_the_other),
        cmocka_unit_test(keys_lie_near_to_each_other),
        cmocka_unit_test(a_given_pair_wins),
        cmocka_unit_test(hands_that_touched_come_as_close_again),
        cmocka_unit_test(what_has_no_body_is_refused),
        cmocka_unit_test(swapped_sides_are_refused),
        cmocka_unit_test(memory_that_runs_out_is_said),
    };
    return cmocka_run_group_tests(tests, open_characters, close_characters);
}
