// What a joint does in one frame as texels for limber_deform.glsl; docs/shader.md has the layout in words.
#ifndef LIMBERI_DEFORM_GPU_ROWS_H
#define LIMBERI_DEFORM_GPU_ROWS_H

#include "base/math.h"
#include "deform/deformer.h"

struct limberi_gpu_pen {
    const limber_deformer* d;
    const limber_deform_job* job;
    uint32_t joint;
    limber_effect_block at;          // place and axes of the joint, and the motion of the effect
    const limber_kinematics* motion; // that `at` holds; NULL: none yet
    uint32_t moving;                 // LIMBERI_VELOCITY ...: quantities of it that are not zero
    float gain[2];                   // [part] of the effect and the joint, per unit of what the vertex's column holds
    bool puts_sources;               // rows of the sources follow those of the effect that reads them
    float* out;                      // the next texel
};

static inline void limberi_gpu_put(limberi_gpu_pen* pen, limber_vec3 v, float w) {
    limberi_store3(pen->out, v);
    pen->out[3] = w;
    pen->out += 4;
}

static inline void limberi_gpu_put_nothing(limberi_gpu_pen* pen, uint32_t texels) {
    for (uint32_t i = 0; i < texels; i++)
        limberi_gpu_put(pen, limberi_vec3(0, 0, 0), 0);
}

#endif
