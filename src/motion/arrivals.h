// Where fast parts of a character stop: a blow that lands, a leap that ends, a head that turns to somebody.
#ifndef LIMBERI_MOTION_ARRIVALS_H
#define LIMBERI_MOTION_ARRIVALS_H

#include "base/memory.h"
#include <limber/asset.h>

// The moments at which a clip is analysed: start_s + i * step_s. A loop goes on at its first sample.
typedef struct limberi_arrival_grid {
    const limber_clip* clip;
    bool loops;
    double step_s;
    uint32_t count;
    uint32_t ahead;                  // samples of which the result is read that much earlier
    const limber_parallel* parallel; // NULL: the calling thread alone
} limberi_arrival_grid;

// What a joint leads to stops here. `share`: how much it counts, 0 to 1.
typedef struct limberi_stop {
    uint32_t sample; // with `ahead`: may be beyond the end of a clip that does not loop
    float share;
} limberi_stop;

// Of one joint, by time.
typedef struct limberi_arrivals {
    uint32_t count;
    const limberi_stop* stops;
} limberi_arrivals;

// [joint], in the arena, whose flag says whether memory was short.
limberi_arrivals* limberi_arrivals_find(limberi_arena* arena, const limber_model* model,
                                        const limberi_arrival_grid* grid);

#endif
