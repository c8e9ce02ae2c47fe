// The same for one lane.
#define LIMBERI_LANE_COUNT 1
#define LIMBERI_VARIANT_NAME plain
#include "lanes_probe.c"
