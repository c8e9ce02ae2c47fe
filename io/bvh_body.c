#include "io/bvh.h"

limber_result limberi_bvh_body(const limber_bvh* bvh, limberi_arena* scratch, limber_model* model) {
    (void)bvh;
    (void)scratch;
    (void)model;
    return LIMBER_OK;
}
