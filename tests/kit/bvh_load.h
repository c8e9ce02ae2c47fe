// Loading BVH texts, for the tests of the reader and the writer.
#ifndef LIMBER_TEST_BVH_LOAD_H
#define LIMBER_TEST_BVH_LOAD_H

#include "kit/bvh_files.h"

#include <limber/bvh.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static inline limber_bvh* load_bytes(const char* text, size_t size) {
    limber_bvh* bvh;
    limber_error error;
    if (limber_bvh_load_memory(text, size, NULL, NULL, &bvh, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    return bvh;
}

static inline limber_bvh* load(const char* text) {
    return load_bytes(text, strlen(text));
}

static inline const limber_model* model_of(const limber_bvh* bvh) {
    return limber_asset_model(limber_bvh_asset(bvh));
}

#endif
