// Joints that stay still relative to their parent.
#ifndef LIMBERI_MOVING_JOINTS_H
#define LIMBERI_MOVING_JOINTS_H

#include <limber/asset.h>

// Sets moving[joint] for those that any clip moves in their parent's frame.
void limberi_find_moving(const limber_model* model, uint8_t* moving);
// fused[joint]: the joint itself, or the one above that it never moves against.
void limberi_fuse_still(const limber_model* model, const uint8_t* moving, uint32_t* fused);

#endif
