// Colliders that a file or a program gives.
#ifndef LIMBERI_COLLIDER_H
#define LIMBERI_COLLIDER_H

#include "base/math.h"
#include <limber/asset.h>

// Whether the stages may trust it.
static inline bool limberi_collider_is_valid(const limber_collider* c, uint32_t joint_count) {
    limber_vec3 sum = limberi_add(c->from, c->to);
    bool finite = isfinite(sum.x) && isfinite(sum.y) && isfinite(sum.z) && isfinite(c->radius);
    bool known = c->shape <= LIMBER_COLLIDER_PLANE && c->joint >= -1 && c->joint < (int32_t)joint_count;
    return finite && known && c->radius >= 0 && (c->shape != LIMBER_COLLIDER_PLANE || !limberi_is_zero(c->to));
}

#endif
