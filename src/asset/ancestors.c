// Depths of joints in the tree, and the lowest common ancestor of two joints in logarithmic time.
#include "asset/groups.h"

// A jump is as long as the parent's when the parent's two jumps are equally long, and one step otherwise (skew-binary
// numbers): any ancestor is then a logarithmic number of jumps and steps away.
static int32_t jump_of(const limberi_ancestors* t, int32_t parent) {
    if (parent < 0)
        return -1;
    int32_t first = t->jump[parent];
    int32_t second = first < 0 ? -1 : t->jump[first];
    uint32_t a = t->depth[parent] - limberi_ancestors_depth(t, first);
    uint32_t b = limberi_ancestors_depth(t, first) - limberi_ancestors_depth(t, second);
    return a == b ? second : parent;
}

bool limberi_ancestors_make(limberi_arena* arena, const limber_rig* rig, limberi_ancestors* t) {
    uint32_t count = rig->joint_count;
    uint32_t roots = 0;
    t->parents = rig->hangs_on;
    t->depth = LIMBERI_ALLOCATE(arena, uint32_t, count);
    t->jump = LIMBERI_ALLOCATE(arena, int32_t, count);
    t->order = LIMBERI_ALLOCATE(arena, uint32_t, count);
    uint32_t* size = LIMBERI_ALLOCATE(arena, uint32_t, count); // of the branch, then where its next child goes
    if (arena->failed)
        return false;
    for (uint32_t j = 0; j < count; j++) {
        t->depth[j] = 1 + limberi_ancestors_depth(t, rig->hangs_on[j]);
        t->jump[j] = jump_of(t, rig->hangs_on[j]);
    }
    for (uint32_t j = count; j-- > 0;) {
        size[j]++;
        if (rig->hangs_on[j] >= 0)
            size[rig->hangs_on[j]] += size[j];
    }
    for (uint32_t j = 0; j < count; j++) {
        uint32_t* next = rig->hangs_on[j] < 0 ? &roots : &size[rig->hangs_on[j]];
        t->order[j] = *next;
        *next += size[j];
        size[j] = t->order[j] + 1;
    }
    return true;
}

int32_t limberi_ancestors_common(const limberi_ancestors* t, int32_t a, int32_t b) {
    if (a < 0 || b < 0)
        return -1;
    if (t->depth[a] < t->depth[b]) {
        int32_t swap = a;
        a = b;
        b = swap;
    }
    while (t->depth[a] > t->depth[b])
        a = limberi_ancestors_depth(t, t->jump[a]) >= t->depth[b] ? t->jump[a] : t->parents[a];
    while (a != b) { // joints of one depth have jumps of one length
        bool far = t->jump[a] != t->jump[b];
        a = far ? t->jump[a] : t->parents[a];
        b = far ? t->jump[b] : t->parents[b];
        if (a < 0 || b < 0)
            return -1;
    }
    return a;
}
