// Joints that carry the whole character from its middle, as hips do.
#ifndef LIMBERI_DEFORM_CARRIERS_H
#define LIMBERI_DEFORM_CARRIERS_H

#include "base/memory.h"
#include <limber/asset.h>

// [joint] how much it is one: 0 ... 1. False: not enough memory.
bool limberi_carriers_find(limberi_arena* arena, const limber_model* model, float** carries);

#endif
