// Characters that play the motions of others: made here, posed, compared and destroyed.
#include "retarget/player.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "characters/characters.h"
#include "kit/models.h"

limber_asset* hero;
limber_asset* toon;
limber_asset* dog;

int open_characters(void** state) {
    (void)state;
    return limberi_character_create("hero", 0.5, &hero, NULL) != LIMBER_OK ||
           limberi_character_create("toon", 0.5, &toon, NULL) != LIMBER_OK ||
           limberi_character_create("dog", 0.5, &dog, NULL) != LIMBER_OK;
}

int close_characters(void** state) {
    (void)state;
    limber_asset_destroy(hero);
    limber_asset_destroy(toon);
    limber_asset_destroy(dog);
    return 0;
}

// --- what a test has made ---

enum { MADE_MAX = 32 };
static limber_asset* assets[MADE_MAX];
static player players[MADE_MAX];
static size_t asset_count, player_count;

int destroy_made(void** state) {
    (void)state;
    for (; player_count; player_count--) {
        limber_pose_destroy(&players[player_count - 1].pose);
        limber_retarget_destroy(players[player_count - 1].retarget);
    }
    for (; asset_count; asset_count--)
        limber_asset_destroy(assets[asset_count - 1]);
    return 0;
}

limber_asset* make_asset(const limber_model* model) {
    limber_error error;
    assert_true(asset_count < MADE_MAX);
    if (limber_asset_create(model, &assets[asset_count], &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return assets[asset_count++];
}

limber_asset* make_with_clip(const limber_model* model, const limber_clip* clip, const char* name) {
    limber_model changed = *model;
    limber_clip named = *clip;
    named.name = name;
    changed.clips = &named;
    changed.clip_count = 1;
    return make_asset(&changed);
}

limber_asset* make_character(const char* name) {
    assert_true(asset_count < MADE_MAX);
    return assets[asset_count++] = test_built_in(name, 0.5);
}

limber_asset* make_turning(const char* clip_name, const turned_joint* joints, uint32_t joint_count, const float* parts,
                           uint32_t key_count) {
    enum { KEYS = 128, CHANNELS = 8 };
    static float times[KEYS];
    static float values[CHANNELS][KEYS][4];
    const limber_model* model = limber_asset_model(hero);
    limber_channel channels[CHANNELS];
    assert_true(joint_count <= CHANNELS && key_count <= KEYS);
    for (uint32_t i = 0; i < joint_count; i++) {
        int32_t joint = limber_rig_find_joint(&model->rig, joints[i].name);
        assert_true(joint >= 0);
        for (uint32_t k = 0; k < key_count; k++) {
            limber_quat turn = limberi_quat_exp(limberi_scale(joints[i].turn, parts[k]));
            limber_quat local = limberi_quat_mul(turn, model->rig.rest_local[joint].rotation);
            times[k] = (float)k / 30;
            memcpy(values[i][k], &local, sizeof local);
        }
        channels[i] = (limber_channel){
            LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, (uint32_t)joint, key_count, times, values[i][0]};
    }
    limber_clip clip = {.channels = channels, .channel_count = joint_count};
    return make_with_clip(model, &clip, clip_name);
}

const limber_clip* clip_of(const limber_asset* asset, const char* name) {
    const limber_model* model = limber_asset_model(asset);
    int32_t clip = limber_model_find_clip(model, name);
    assert_true(clip >= 0);
    return &model->clips[clip];
}

// --- other versions of a character ---

typedef struct skeleton {
    char names[JOINT_MAX][64];
    const char* list[JOINT_MAX];
    int32_t parents[JOINT_MAX];
    limber_transform rest[JOINT_MAX];
} skeleton;

static void make_skeleton(const limber_rig* from, version v, skeleton* s) {
    s->parents[0] = LIMBER_NO_PARENT;
    s->rest[0] = limber_transform_identity();
    float scale = v.scale > 0 ? (float)v.scale : 1;
    s->rest[0].scale = limberi_vec3(scale, scale, scale);
    s->rest[0].rotation = limberi_quat_exp(v.turn);
    s->rest[0].translation = v.move;
    assert_true(from->joint_count < JOINT_MAX);
    for (uint32_t j = 0; j <= from->joint_count; j++) {
        if (v.nameless)
            snprintf(s->names[j], sizeof s->names[j], "joint%u", j);
        else
            snprintf(s->names[j], sizeof s->names[j], "%s", j ? from->names[j - 1] : "world");
        s->list[j] = s->names[j];
        if (j) {
            s->parents[j] = from->parents[j - 1] < 0 ? 0 : from->parents[j - 1] + 1;
            s->rest[j] = from->rest_local[j - 1];
        }
        if (v.loose && j && strstr(s->names[j], "Foot")) {
            s->parents[j] = 0;
            s->rest[j] = limber_transform_identity();
            s->rest[j].translation = limberi_mat4_translation(&from->world_from_joint_rest[j - 1]);
        }
    }
    if (v.uneven)
        s->rest[2].scale.y = 1.5f;
}

static void move_skins(const limber_model* from, limber_skin* skins, uint32_t* joints) {
    for (uint32_t s = 0; s < from->skin_count; s++, joints += JOINT_MAX) {
        skins[s] = from->skins[s];
        for (uint32_t i = 0; i < skins[s].joint_count; i++)
            joints[i] = from->skins[s].joints[i] + 1;
        skins[s].joints = joints;
    }
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

enum { CHANNEL_MAX = 4096 };

// `way`: of the node above it all, if it goes anywhere. Returns how many channels were used.
static uint32_t move_clip(limber_clip* clip, limber_channel* channels, const limber_channel* way) {
    const limber_channel* old = clip->channels;
    uint32_t old_count = clip->channel_count, used = 0;
    if (way)
        channels[used++] = *way;
    for (uint32_t i = 0; i < old_count; i++, used++) {
        channels[used] = old[i];
        if (way)
            channels[used].times = slower(&old[i]);
        channels[used].target += old[i].path == LIMBER_CHANNEL_WEIGHTS ? 0 : 1;
    }
    clip->channels = channels;
    clip->channel_count = used;
    return used;
}

limber_asset* make_version(const limber_asset* asset, version v) {
    static skeleton made;
    static limber_channel channels[CHANNEL_MAX];
    const limber_model* from = limber_asset_model(asset);
    limber_model model = *from;
    make_skeleton(&from->rig, v, &made);
    model.rig.joint_count++;
    model.rig.names = made.list;
    model.rig.bones = NULL;
    model.rig.parents = made.parents;
    model.rig.rest_local = made.rest;
    limber_skin* skins = calloc(from->skin_count, sizeof *skins);
    uint32_t* joints = calloc((size_t)from->skin_count * JOINT_MAX, sizeof *joints);
    limber_clip* clips = calloc(from->clip_count, sizeof *clips);
    move_skins(from, skins, joints);
    model.skins = skins;
    static const float times[4] = {0, 0.2f, 0.4f, 0.5f};
    float rise = (float)v.rise, forward = v.slope > 0 ? 0.3f * from->size : 0;
    if (v.slope > 0)
        rise = (float)v.slope * forward;
    const float places[12] = {0, 0, 0, 0, 0, 0, 0, rise, forward, 0, rise, forward};
    const limber_channel way = {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, 0, 4, times, places};
    uint32_t used = 0;
    for (uint32_t c = 0; c < from->clip_count; c++) {
        clips[c] = from->clips[c];
        assert_true(used + clips[c].channel_count < CHANNEL_MAX);
        used += move_clip(&clips[c], channels + used, rise > 0 ? &way : NULL);
    }
    model.clips = clips;
    model.clip_count = v.loose ? 0 : from->clip_count;
    limber_asset* result = make_asset(&model);
    free(skins);
    free(joints);
    free(clips);
    return result;
}

// --- a character that plays a retargeted clip ---

limber_retarget_settings usual_settings(void) {
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.fps = usual_fps;
    return settings;
}

player* play(const limber_asset* motion, const char* clip, const limber_asset* character,
             const limber_retarget_settings* settings) {
    limber_retarget_settings usual = usual_settings();
    limber_error error;
    assert_true(player_count < MADE_MAX);
    player* p = &players[player_count];
    memset(p, 0, sizeof *p);
    p->model = limber_asset_model(character);
    if (limber_retarget_create(limber_asset_model(motion), p->model, settings ? settings : &usual, &p->retarget,
                               &error) ||
        limber_retarget_clip(p->retarget, clip_of(motion, clip), &p->clip, &error))
        fail_msg("%s", error.message);
    assert_int_equal(limber_pose_create(p->model, &p->pose), LIMBER_OK);
    player_count++;
    return p;
}

uint32_t key_count(const player* p) {
    return p->clip->channels[0].key_count;
}

// Sampling of the new clip needs channel_of_joint, which an asset derives; the test looks the keys up itself.
void pose_at(player* p, uint32_t key) {
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

void pose_both(player* p, player* q, uint32_t key) {
    pose_at(p, key);
    pose_at(q, key);
}

// --- comparisons ---

limber_vec3 joint_place(const player* p, uint32_t joint) {
    return limberi_mat4_translation(&p->pose.world_from_joint[joint]);
}

limber_vec3 place_of(const player* p, const char* joint) {
    int32_t j = limber_rig_find_joint(&p->model->rig, joint);
    assert_true(j >= 0);
    return joint_place(p, (uint32_t)j);
}

double apart(limber_vec3 a, limber_vec3 b) {
    return (double)limberi_length(limberi_sub(a, b));
}

double apart_on_ground(limber_vec3 a, limber_vec3 b) {
    return hypot((double)(a.x - b.x), (double)(a.z - b.z));
}

double farthest(player* p, player* q, uint32_t first) {
    double far = 0;
    for (uint32_t k = 0; k < key_count(p); k++) {
        pose_both(p, q, k);
        for (uint32_t j = first; j < p->model->rig.joint_count; j++)
            far = fmax(far, apart(joint_place(p, j), joint_place(q, j)));
    }
    return far / (double)p->model->size;
}

void expect_near(player* p, player* q, const char* const* joints, size_t joint_count, double limit) {
    for (uint32_t k = 0; k < key_count(p); k++) {
        pose_both(p, q, k);
        for (size_t i = 0; i < joint_count; i++) {
            double far = apart(place_of(p, joints[i]), place_of(q, joints[i])) / (double)p->model->size;
            if (!(far < limit))
                fail_msg("%s at key %u: %g L", joints[i], k, far);
        }
    }
}
