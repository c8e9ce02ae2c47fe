// The same kernels for one lane: ordinary floats.
#define LIMBERI_LANE_COUNT 1
#define LIMBERI_VARIANT_NAME plain
#include "deform/kernels/affine.c"
#include "deform/kernels/along_normals.c"
#include "deform/kernels/block.c"
#include "deform/kernels/follow.c"
#include "deform/kernels/link.c"
#include "deform/kernels/spin.c"
#include "deform/kernels/travel.c"
#include "deform/kernels/turn.c"
#include "deform/normals/jacobian.c"
