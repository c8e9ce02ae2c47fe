// Characters that play the motions of others, and other versions of characters, for the tests of retargeting.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/math.h"
#include <limber/stages/pose.h>
#include <limber/stages/retarget.h>

extern limber_asset* hero;
extern limber_asset* toon;
extern limber_asset* dog;

int open_characters(void** state);
int close_characters(void** state);

// A test after which everything made below is destroyed.
int destroy_made(void** state);
#define RETARGET_TEST(name) cmocka_unit_test_teardown(name, destroy_made)

const limber_clip* clip_of(const limber_asset* asset, const char* name);

enum { JOINT_MAX = 64 };

// How a character differs from the one it is made of; fields that are 0 change nothing.
typedef struct version {
    double scale;     // of the whole skeleton, above its root
    limber_vec3 turn; // of it: the axis, as long as the angle in radians
    bool uneven;      // the hips' scale is
    bool nameless;    // its joints have numbers for names
    bool loose;       // its feet hang on the node above it all, as in rigs for inverse kinematics; it has no clips
    double rise;      // in its clips, at half their speed, all of it rises by so much in 0.2 to 0.4 s, and stays there
    double slope;     // its clips go uphill: forward in strides between stands, and up by so much of that
    limber_vec3 move; // of the whole skeleton
} version;

static const limber_vec3 z_is_up = {1.5707963f, 0, 0};

// The same character with a node above it all.
limber_asset* make_version(const limber_asset* asset, version v);
limber_asset* make_asset(const limber_model* model);
limber_asset* make_with_clip(const limber_model* model, const limber_clip* clip, const char* name);
limber_asset* make_character(const char* name);

// A joint that turns away from its rest pose, in its parent's frame: the axis, as long as the angle in radians.
typedef struct turned_joint {
    const char* name;
    limber_vec3 turn;
} turned_joint;

// The hero with one clip of that name at 30 keys a second: at each key its joints have turned by so much of their turn.
limber_asset* make_turning(const char* clip, const turned_joint* joints, uint32_t joint_count, const float* parts,
                           uint32_t key_count);

typedef struct player {
    limber_retarget* retarget;
    const limber_clip* clip;
    const limber_model* model;
    limber_pose pose;
} player;

static const double usual_fps = 60; // two players have keys at the same times

limber_retarget_settings usual_settings(void);
// `settings` NULL: the usual ones.
player* play(const limber_asset* motion, const char* clip, const limber_asset* character,
             const limber_retarget_settings* settings);
uint32_t key_count(const player* p);
void pose_at(player* p, uint32_t key);
void pose_both(player* p, player* q, uint32_t key);

limber_vec3 joint_place(const player* p, uint32_t joint);
limber_vec3 place_of(const player* p, const char* joint);
double apart(limber_vec3 a, limber_vec3 b);
double apart_on_ground(limber_vec3 a, limber_vec3 b);
// The largest distance between joints of two players of one character, from `first` on, by its size.
double farthest(player* p, player* q, uint32_t first);
void expect_near(player* p, player* q, const char* const* joints, size_t joint_count, double limit);
