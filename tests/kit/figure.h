// A figure of boxes whose limbs go where a test says, for what depends on the ground.
#ifndef LIMBER_TEST_FIGURE_H
#define LIMBER_TEST_FIGURE_H

#include <limber/limber.h>
#include <limber/stages/stages.h>

// About 1.8 high and standing at rest: soles at y = 0. All limbs hang on the root, at hip height.
enum {
    FIGURE_ROOT,
    FIGURE_BODY,
    FIGURE_HEAD,
    FIGURE_HAND_LEFT,
    FIGURE_HAND_RIGHT,
    FIGURE_FOOT_LEFT,
    FIGURE_FOOT_RIGHT,
    FIGURE_JOINTS
};

// Where the lowest point of each limb is, in the middle of its box. World space.
typedef struct test_posture {
    limber_vec3 at[FIGURE_JOINTS]; // of the root: itself
} test_posture;

test_posture test_figure_rest(void);

typedef struct test_act {
    const char* name;
    double seconds, fps;                                                  // of the keys; 0 seconds: one key
    void (*pose)(double time_s, test_posture* posture, const void* user); // NULL: a clip without channels
    const void* user;
} test_act;

// One clip per act. `bare`: without meshes. The caller destroys it.
limber_asset* test_figure_create(const test_act* acts, uint32_t count, bool bare);

// A limb that stands at places for a while. Between two of them it goes straight ahead over an arc, without easing in or
// out: its contacts are known to the moment.
typedef struct test_stand {
    double from_s, to_s;
    limber_vec3 at;
} test_stand;

limber_vec3 test_stand_at(const test_stand* stands, uint32_t count, double arc, double time_s);

// A round ball of radius 0.5 on one joint (and a root), whose lowest point is where `height` says.
limber_asset* test_bouncer_create(double seconds, double fps, double (*height)(double time_s));

#endif
