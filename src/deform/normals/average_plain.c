// The same for one lane: ordinary floats.
#define LIMBERI_LANE_COUNT 1
#define LIMBERI_VARIANT_NAME plain
#include "deform/normals/average.c"
