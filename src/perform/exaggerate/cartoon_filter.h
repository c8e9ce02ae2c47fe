// The cartoon filter: f~ = f - A (f * LoG), and joints that move later the farther down they are.
#ifndef LIMBERI_CARTOON_FILTER_H
#define LIMBERI_CARTOON_FILTER_H

#include "perform/take.h"
#include <limber/stages/exaggerate.h>

// How much the filter changes a signal of three numbers a frame. `bends` are its second differences
// (x[i+1] - 2 x[i] + x[i-1]); the changes are added to `change`.
// The Gaussian's half width is in `gauss` (reach + 1 values, gauss[0] in the middle), as limberi_gauss makes it; that of
// frame i begins at i * stride, so with a stride of 0 all frames have the same.
void limberi_cartoon(const double* bends, uint32_t count, bool loops, const double* gauss, size_t stride,
                     uint32_t reach, double* change);

// Samples of -A sigma^2 G_sigma / step. The reach follows from sigma and the step.
uint32_t limberi_gauss_reach(double sigma_s, double step_s, uint32_t max);
void limberi_gauss(double amount, double sigma_s, double step_s, uint32_t reach, double* gauss);

// Part of the way from a to b, the short way round.
limber_transform limberi_transform_blend(const limber_transform* a, const limber_transform* b, double part);

// `size`: L, and changes are limited; 0: they are not.
LIMBER_MUST_USE limber_result limberi_take_filter(limberi_take* take, const limber_rig* rig,
                                                  const limber_exaggerate_settings* settings, double size);

#endif
