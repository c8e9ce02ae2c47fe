// The smallest ball around points.
#ifndef LIMBERI_ASSET_BALL_H
#define LIMBERI_ASSET_BALL_H

#include <stddef.h>

typedef struct limberi_ball {
    double center[3], radius;
} limberi_ball;

// Around `count` points of 3 numbers each; points that are not finite are left out. No points: radius 0.
limberi_ball limberi_ball_around(const float* points, size_t count);

#endif
