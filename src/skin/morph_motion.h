// Effects of morph targets that move: drag and squash of the vertices they move (thesis, section 7.2, open there). They
// act on the morphed mesh before it is skinned.
#ifndef LIMBERI_SKIN_MORPH_MOTION_H
#define LIMBERI_SKIN_MORPH_MOTION_H

#include <limber/stages/skin.h>

typedef struct limberi_morph_job {
    const limber_mesh* mesh;
    const float* rates;     // [morph_count] of the mesh's weights, per second
    const float* positions; // morphed
    limber_morph_settings settings;
    double size; // L in the mesh's units
} limberi_morph_job;

static inline bool limberi_morphs_are_on(const limber_morph_settings* settings) {
    return settings->drag != 0 || settings->squash != 0;
}

// Positions where the vertices are shown; false: no weight changes, and nothing is written. `out` is not `positions`.
bool limberi_morph_move(const limberi_morph_job* job, float* out);

#endif
