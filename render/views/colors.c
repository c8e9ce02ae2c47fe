#include "render/views/colors.h"

const uint8_t limberi_view_bone[3] = {250, 196, 70}, limberi_view_joint[3] = {62, 58, 92};
const uint8_t limberi_view_velocity[3] = {28, 160, 84}, limberi_view_spin[3] = {146, 72, 208};
const uint8_t limberi_view_past[3] = {58, 110, 220}, limberi_view_future[3] = {238, 104, 46};
const uint8_t limberi_view_plain[3] = {120, 122, 132};
const uint8_t limberi_view_leading[3] = {226, 46, 40}, limberi_view_trailing[3] = {44, 84, 226};
const uint8_t limberi_view_more[3] = {220, 30, 148}, limberi_view_less[3] = {0, 170, 205};
const uint8_t limberi_view_neutral[3] = {236, 234, 230};
