// Styles for the tests of the shader: each effect alone in every form it has, and all together.
#ifndef LIMBER_TEST_SHADER_LOOKS_H
#define LIMBER_TEST_SHADER_LOOKS_H

#include <limber/limber.h>

typedef struct test_shader_look {
    const char* name;
    void (*set)(limber_deform_settings* settings, const limber_model* model);
    bool often; // looked at several times of each clip
} test_shader_look;

extern const test_shader_look test_shader_looks[];
extern const uint32_t test_shader_look_count;

void test_shader_looks_free(void);

#endif
