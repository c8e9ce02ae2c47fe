// Ways to set the effects, one for everything that changes what a kernel or the shader does.
#ifndef LIMBER_TEST_LOOKS_H
#define LIMBER_TEST_LOOKS_H

#include "kit/kernel_stage.h"

// What a look is set for.
typedef struct test_look_target {
    const limber_model* model;
    uint32_t joint;                  // one with vertices
    limber_deform_job* job;          // whose motion a look may change; NULL where a pipeline sees to that
    const limber_kinematics* motion; // [TEST_MOTIONS] with a job
} test_look_target;

typedef enum test_look_use {
    TEST_LOOK_KERNELS = 1,
    TEST_LOOK_SHADER = 2,
    TEST_LOOK_OFTEN = 4, // by the shader at several times of each clip
    TEST_LOOK_CHAIN = 8  // by the shader, composed as a chain as well
} test_look_use;

typedef struct test_look {
    const char* name;
    void (*set)(limber_deform_settings* settings, const test_look_target* target);
    unsigned uses; // bits of test_look_use
    double slack;  // how far kernel and reference may be apart, times the usual: more than 1 where both lose digits, by
                   // angles of many turns or by hundreds of joints that pull with all they have against each other
} test_look;

extern const test_look test_looks[];
enum { TEST_LOOKS_MAX = 96 }; // room for them in arrays
extern const uint32_t test_look_count;

const test_look* test_look_named(const char* name);

// Sets a look for the kernels of a stage.
void test_look_set(const test_look* look, limber_deform_settings* settings, limber_deform_job* job,
                   const test_stage* stage);

void test_looks_free(void);

#endif
