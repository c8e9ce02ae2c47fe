// The same kernels for eight lanes, on x86 processors with AVX2 and FMA (compiled with those switched on).
#define LIMBERI_LANE_COUNT 8
#define LIMBERI_VARIANT_NAME avx2
#include "deform/kernels/affine.c"
#include "deform/kernels/along_normals.c"
#include "deform/kernels/block.c"
#include "deform/kernels/follow.c"
#include "deform/kernels/link.c"
#include "deform/kernels/spin.c"
#include "deform/kernels/travel.c"
#include "deform/kernels/turn.c"
#include "deform/normals/jacobian.c"
