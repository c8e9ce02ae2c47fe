// Ways to set the effects, one for everything that changes what a kernel does.
#ifndef LIMBER_TEST_KERNEL_LOOKS_H
#define LIMBER_TEST_KERNEL_LOOKS_H

#include "kit/kernel_stage.h"

typedef struct test_look {
    const char* name;
    void (*set)(limber_deform_settings* settings, limber_deform_job* job, test_stage* stage);
    double slack; // how far kernel and reference may be apart, times the usual: more than 1 where both lose digits, by
                  // angles of many turns or by hundreds of joints that pull with all they have against each other
} test_look;

extern const test_look test_looks[];
extern const uint32_t test_look_count;

void test_looks_free(void);

#endif
