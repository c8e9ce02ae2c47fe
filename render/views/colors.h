// The colors of views and ghosts, and of the legend that names them: sRGB.
#ifndef LIMBERI_VIEW_COLORS_H
#define LIMBERI_VIEW_COLORS_H

#include <stdint.h>

extern const uint8_t limberi_view_bone[3], limberi_view_joint[3], limberi_view_velocity[3], limberi_view_spin[3];
extern const uint8_t limberi_view_past[3], limberi_view_future[3], limberi_view_plain[3];
extern const uint8_t limberi_view_leading[3], limberi_view_trailing[3], limberi_view_more[3], limberi_view_less[3];
extern const uint8_t limberi_view_held[3], limberi_view_level[3];
extern const uint8_t limberi_view_neutral[3], limberi_view_part[3], limberi_view_skin[3];
extern const uint8_t limberi_view_collider[3];

// Of a rigid part; -1: skin.
void limberi_view_part_color(int32_t part, uint8_t color[3]);

#endif
