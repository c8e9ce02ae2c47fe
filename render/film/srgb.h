// sRGB bytes to linear light and back.
#ifndef LIMBERI_SRGB_H
#define LIMBERI_SRGB_H

#include <math.h>
#include <stdint.h>

static inline float limberi_linear_from_srgb(float s) {
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

static inline float limberi_srgb_from_linear(float l) {
    if (!(l > 0.0f))
        return 0.0f;
    if (l >= 1.0f)
        return 1.0f;
    return l <= 0.0031308f ? l * 12.92f : 1.055f * powf(l, 1.0f / 2.4f) - 0.055f;
}

static inline uint8_t limberi_byte(float value) {
    if (!(value > 0.0f))
        return 0;
    return (uint8_t)(value >= 1.0f ? 255.0f : value * 255.0f + 0.5f);
}

#endif
