// The colors of views and ghosts, and of the legend that names them: sRGB.
#include "render/views/views_private.h"

#include <math.h>

const uint8_t limberi_view_bone[3] = {250, 196, 70}, limberi_view_joint[3] = {62, 58, 92};
const uint8_t limberi_view_velocity[3] = {28, 160, 84}, limberi_view_spin[3] = {146, 72, 208};
const uint8_t limberi_view_acceleration[3] = {236, 132, 20}, limberi_view_spin_up[3] = {214, 42, 96};
const uint8_t limberi_view_past[3] = {58, 110, 220}, limberi_view_future[3] = {238, 104, 46};
const uint8_t limberi_view_plain[3] = {120, 122, 132};
const uint8_t limberi_view_leading[3] = {226, 46, 40}, limberi_view_trailing[3] = {44, 84, 226};
const uint8_t limberi_view_more[3] = {220, 30, 148}, limberi_view_less[3] = {0, 170, 205};
const uint8_t limberi_view_neutral[3] = {236, 234, 230};
const uint8_t limberi_view_collider[3] = {58, 134, 200};
const uint8_t limberi_view_held[3] = {232, 92, 40}, limberi_view_level[3] = {40, 132, 150};
const uint8_t limberi_view_part[3] = {235, 89, 70}, limberi_view_skin[3] = {190, 190, 190};

// Steps of the golden ratio around the circle of hues.
void limberi_view_part_color(int32_t part, uint8_t color[3]) {
    float hue = 6.0f * fmodf(0.02f + 0.618034f * (float)part, 1.0f);
    for (int c = 0; c < 3; c++) {
        float away =
            fabsf(fmodf(hue + 6.0f - 2.0f * (float)c, 6.0f) - 3.0f); // 3 at the channel's own hue ... 0 opposite
        float share = fminf(fmaxf(away - 1.0f, 0.0f), 1.0f);
        color[c] = part < 0 ? limberi_view_skin[c] : (uint8_t)(70.0f + 165.0f * share);
    }
}
