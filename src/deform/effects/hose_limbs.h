// Limbs that can be hoses: chains of a few long bones that end in a hand or foot.
#ifndef LIMBERI_DEFORM_HOSE_LIMBS_H
#define LIMBERI_DEFORM_HOSE_LIMBS_H

#include "base/arena.h"
#include <limber/asset.h>

enum { LIMBERI_HOSE_BONES = 4 }; // max; what has more is a tail or a tentacle, which is a hose already

typedef struct limberi_hose_limb {
    uint32_t bone_count;
    uint32_t joints[LIMBERI_HOSE_BONES + 1]; // where its bones start, then where the last one ends
} limberi_hose_limb;

typedef struct limberi_hose_bone {
    int32_t limb; // -1: none
    uint32_t bone;
} limberi_hose_bone;

typedef struct limberi_hose_limbs {
    uint32_t count;
    limberi_hose_limb* limbs;
    limberi_hose_bone* of_joint; // [joint]: the bone that carries it; joints from the end on have none
} limberi_hose_limbs;

// False: memory is short.
bool limberi_hose_limbs_find(limberi_arena* arena, const limber_model* model, limberi_hose_limbs* limbs);

#endif
