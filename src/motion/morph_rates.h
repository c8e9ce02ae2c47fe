// How fast the weights of morph targets change.
#ifndef LIMBERI_MOTION_MORPH_RATES_H
#define LIMBERI_MOTION_MORPH_RATES_H

#include <limber/stages/motion.h>

// Per second, [model.morph_count], by the differences that velocities of joints have. `scratch`: twice as many.
void limberi_morph_rates(const limber_model* model, const limber_clip* clip, const limber_motion_settings* settings,
                         double time_s, float* scratch, float* rates);

#endif
