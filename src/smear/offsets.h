// Motion offsets over time.
#ifndef LIMBERI_SMEAR_OFFSETS_H
#define LIMBERI_SMEAR_OFFSETS_H

#include <stdint.h>

// The mean of the offsets of 2n + 1 frames (SMEAR, equation 2); offsets[n] belongs to the frame in question.
void limberi_smear_smooth(const float* const* offsets, uint32_t n, uint32_t vertex_count, float* out);

#endif
