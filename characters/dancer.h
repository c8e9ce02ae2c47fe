// What the files of the dancer share: her joints, and the pieces that are modelled one after the other.
#ifndef LIMBERI_CHARACTERS_DANCER_H
#define LIMBERI_CHARACTERS_DANCER_H

#include "characters/kit.h"

enum { DANCER_FINGERS = 4, DANCER_PANELS = 8, DANCER_PONYTAIL = 5 };

// Sides are [left, right].
typedef struct dancer {
    const kit* k;
    uint32_t root, hips, spine[3], neck, head;
    uint32_t clavicle[2], arm_upper[2], arm_lower[2], hand[2];
    uint32_t finger[2][DANCER_FINGERS][2]; // thumb, index, middle, little; [base, tip]
    uint32_t leg_upper[2], leg_lower[2], foot[2], toe[2];
    uint32_t skirt, skirt_upper[DANCER_PANELS], skirt_lower[DANCER_PANELS];
    uint32_t ponytail[DANCER_PONYTAIL];
    uint32_t ribbon[2][2]; // [side][base, tip]
    kit_shape* body;       // what skirt, sash and straps are sewn to
} dancer;

static const float DANCER_SIDES[2] = {1, -1};

// Heights and places that several files need, metres.
#define DANCER_WAIST 0.992f
#define DANCER_TOE_X 0.083f
#define DANCER_TOE_Z 0.085f
static const limber_vec3 DANCER_HEAD = {0, 1.47f, 0.005f};

// Palette.
#define DANCER_SKIN 0xf3b892
#define DANCER_DRESS 0xd7263d
#define DANCER_GOLD 0xf7b733

// Angle around the waist of a skirt panel: 0 is the front, a quarter turn the left side.
static inline float dancer_panel_angle(uint32_t panel) {
    return 2 * (float)LIMBERI_PI * (float)panel / DANCER_PANELS;
}

// The finger's base (0), middle (1) and tip (2) on the left hand.
limber_vec3 dancer_finger_point(uint32_t finger, uint32_t point);
// Middle line of a skirt panel, 0 at the waist and 1 at the hem.
limber_vec3 dancer_panel_point(uint32_t panel, float along);
limber_vec3 dancer_ponytail_point(uint32_t point); // DANCER_PONYTAIL + 1 points
// Height of the upper edge of the dress, by the angle around the trunk: a heart in front, low under the arms.
float dancer_neckline(float angle_rad);
limber_vec3 dancer_ribbon_point(float side, uint32_t point); // 0 knot, 1 middle, 2 end

void dancer_model_body(kit* k, dancer* d);
void dancer_model_hands(kit* k, const dancer* d);
void dancer_model_face(kit* k, const dancer* d);
void dancer_model_hair(kit* k, const dancer* d);
void dancer_model_skirt(kit* k, const dancer* d);
void dancer_model_trims(kit* k, const dancer* d);
void dancer_animate(kit* k, const dancer* d);

#endif
