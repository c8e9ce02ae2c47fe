// Loading what a gltf_kit holds, for the tests of the reader.
#ifndef LIMBER_TEST_GLTF_LOAD_H
#define LIMBER_TEST_GLTF_LOAD_H

#include "io/gltf/document.h"
#include "kit/gltf_kit.h"

#include <limber/limber.h>
#include <limber/stages/stages.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline limber_gltf* load_bytes(uint8_t* bytes, size_t size) {
    limber_gltf* gltf;
    limber_error error;
    if (limber_gltf_load_memory(bytes, size, NULL, NULL, &gltf, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    free(bytes);
    return gltf;
}

// The kit's file as a document; ends the kit.
static inline limber_gltf* load_kit(gltf_kit* kit) {
    size_t size;
    uint8_t* bytes = kit_glb(kit, &size);
    kit_end(kit);
    return load_bytes(bytes, size);
}

static inline limber_result load_with(gltf_kit* kit, const limber_gltf_limits* limits, limber_error* error) {
    size_t size;
    limber_gltf* gltf;
    uint8_t* bytes = kit_glb(kit, &size);
    kit_end(kit);
    limber_result result = limber_gltf_load_memory(bytes, size, NULL, limits, &gltf, error);
    limber_gltf_destroy(gltf);
    free(bytes);
    return result;
}

static inline const limber_model* model_of(const limber_gltf* gltf) {
    return limber_asset_model(limber_gltf_asset(gltf));
}

static inline bool has_problem(const limber_gltf* gltf, const char* words) {
    for (uint32_t i = 0; i < limber_gltf_warning_count(gltf); i++)
        if (strstr(limber_gltf_warning(gltf, i), words))
            return true;
    return false;
}

static inline void assert_floats(const float* values, const float* expected, size_t count, float tolerance) {
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(values[i] - expected[i]) <= tolerance))
            fail_msg("value %zu is %g instead of %g", i, (double)values[i], (double)expected[i]);
}

#endif
