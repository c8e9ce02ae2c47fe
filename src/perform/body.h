// The body as a whole in a clip: how it is stretched, squashed and bent at each moment (S17).
#ifndef LIMBERI_PERFORM_BODY_H
#define LIMBERI_PERFORM_BODY_H

#include "perform/acting.h"

typedef struct limberi_body_moment {
    double strain[6]; // logarithm of the stretch in the world: xx, yy, zz, xy, yz, zx; the first three add up to 0
    double bend[2];   // along x and z: radians per body height
    double support;   // 0: it flies ... 1: something carries it
} limberi_body_moment;

// [moment] of the clip as it is played: `played` are its local transforms, [moment * joint_count + joint], NULL: those of
// the plain clip; `source` as in limberi_timing, NULL: the same time. In `arena`.
LIMBER_MUST_USE limber_result limberi_body_find(limberi_acting* a, const limber_transform* played, const double* source,
                                                double squash, double bend, limberi_arena* arena,
                                                const limberi_body_moment** body);

#endif
