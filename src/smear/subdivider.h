// What tests ask a subdivider.
#ifndef LIMBERI_SMEAR_SUBDIVIDER_H
#define LIMBERI_SMEAR_SUBDIVIDER_H

#include <limber/stages/subdivide.h>

// The largest difference seen along any edge, in model units.
float limberi_subdivider_worst(const limber_subdivider* subdivider);

#endif
