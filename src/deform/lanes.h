// The kernels of the effects: one joint (or one folded palette) over a group of vertices, several lanes at a time.
#ifndef LIMBERI_DEFORM_LANES_H
#define LIMBERI_DEFORM_LANES_H

#include "asset/groups.h"
#include "base/variant.h"

// The vertices at hand and what is summed for them. With tangents, also how the displacement changes along them.
typedef struct limberi_lane_block {
    uint32_t width;
    limberi_block3* position;
    limberi_block3* displacement;
    limberi_block3* tangent[2]; // NULL: no derivatives
    limberi_block3* moved[2];
} limberi_lane_block;

// A direction and an offset: d . p + o.
typedef struct limberi_plane {
    float d[3], offset;
} limberi_plane;

// Everything a joint does by turning: bend and angular squash share the distance from its axis.
//   a = first . p, b = second . p, distance = |(a, b)|; first, second and the axis are a right-handed frame
// The squash measures from the medial axis, which first is perpendicular to and which passes through the joint.
// Rates are per unit of gain; where the gain is the same for all vertices it is in the rate already.
typedef struct limberi_turn_row {
    limberi_plane first, second, squash_second;
    float push[2][3];  // first and second times the share of the displacement that counts
    float bend_rate;   // angle per distance
    float squash_rate; // squash per distance
} limberi_turn_row;

// The squash of a joint that travels.
typedef struct limberi_travel_row {
    float direction[3], centre[3];
    float rate; // squash per gain
} limberi_travel_row;

// The stretch of a joint that spins, growing with the square of the distance, and lift.
typedef struct limberi_spin_row {
    limberi_plane first, second, axis;
    float rate;         // displacement per gain and distance
    float inverse_size; // 1 / L
    float base_radius;  // lift
} limberi_spin_row;

// What becomes of the outcome: it is added to the displacement, starts it, or moves the positions at once (where it is
// known to be numbers).
typedef enum limberi_affine_use { LIMBERI_AFFINE_ADD, LIMBERI_AFFINE_SET, LIMBERI_AFFINE_MOVE } limberi_affine_use;

// sum over slots of weight x matrix; matrices are three columns and a translation, 12 floats per joint.
typedef struct limberi_affine_row {
    uint32_t slot_count;
    const uint16_t* slots;
    const uint32_t* joints; // rig joint of a slot's skin joint
    const float* weights;   // [slot][width], NULL: one slot of weight 1
    const float* palette;
    bool shift_only; // the matrices are translations
    bool symmetric;  // their 3x3 parts are
    limberi_affine_use use;
} limberi_affine_row;

// A turning joint over a group: its row and the vertices' weights on it.
typedef struct limberi_turn_call {
    const limberi_turn_row* row;
    const float* weight;
} limberi_turn_call;

typedef struct limberi_lift_call {
    const limberi_spin_row* row;
    const float* weight;
} limberi_lift_call;

// How far bends may go: what the cheapest polynomials do for (half a radian), one radian, or any angle. Below their
// limits, but for the last.
typedef enum limberi_turn_reach {
    LIMBERI_TURN_TINY,
    LIMBERI_TURN_SMALL,
    LIMBERI_TURN_WIDE,
    LIMBERI_TURN_REACHES
} limberi_turn_reach;

// How a list of them runs.
typedef struct limberi_turn_mode {
    bool bend, squash;
    limberi_turn_reach reach;
    const float *bend_gain, *squash_gain; // NULL: in the rates
    const float* limit;                   // of the bend, radians; NULL: none
} limberi_turn_mode;

typedef struct limberi_deform_kernels {
    void (*turn)(const limberi_lane_block* block, const limberi_turn_call* calls, uint32_t call_count,
                 const limberi_turn_mode* mode);
    void (*travel)(const limberi_lane_block* block, const limberi_travel_row* row, const float* weight,
                   const float* gain);
    void (*spin)(const limberi_lane_block* block, const limberi_spin_row* row, const float* weight, const float* gain);
    // All joints that lift: they push along the same normals.
    void (*lift)(const limberi_lane_block* block, const limberi_lift_call* calls, uint32_t call_count,
                 const float* gain, const limberi_block3* normal);
    void (*affine)(const limberi_lane_block* block, const limberi_affine_row* row, const float* gain);
    // Unit normals of the cone through `apex` about `axis`, at the block's positions.
    void (*cone)(const limberi_lane_block* block, const float* apex, const float* axis, float cosine, float sine,
                 limberi_block3* normal);
    // The box around the positions.
    void (*box)(const limberi_lane_block* block, float* least, float* most);
    // position += displacement, but for what is not a number.
    void (*finish)(const limberi_lane_block* block);
    // Two directions along the surface, and the normal of where they lead: n = (s + moved s) x (t + moved t).
    void (*tangents)(uint32_t width, const limberi_block3* normal, limberi_block3* s, limberi_block3* t);
    void (*normals)(const limberi_lane_block* block, limberi_block3* const* tangent, limberi_block3* const* moved,
                    limberi_block3* normal);
} limberi_deform_kernels;

extern const limberi_deform_kernels limberi_deform_kernels_plain, limberi_deform_kernels_wide;
#if defined(LIMBERI_HAS_AVX2)
extern const limberi_deform_kernels limberi_deform_kernels_avx2;
#endif

#endif
