// The same for eight lanes, on x86 processors with AVX2 and FMA (compiled with those switched on).
#define LIMBERI_LANE_COUNT 8
#define LIMBERI_VARIANT_NAME avx2
#include "deform/normals/average.c"
