// The kernels of the effects: one joint (or one folded palette) over a group of vertices, several lanes at a time.
#ifndef LIMBERI_DEFORM_LANES_H
#define LIMBERI_DEFORM_LANES_H

#include "asset/groups.h"
#include "base/variant.h"

// The derivatives of a displacement: [3 * column + row] is how its row changes along the column's axis.
typedef struct limberi_block9 {
    float v[9][LIMBER_BLOCK];
} limberi_block9;

// A group of vertices and what is summed for them.
typedef struct limberi_lane_block {
    uint32_t width;
    limberi_block3* position;
    limberi_block3* displacement;
    limberi_block9* slopes; // NULL: no derivatives
} limberi_lane_block;

// A direction and an offset: d . p + o.
typedef struct limberi_plane {
    float d[3], offset;
} limberi_plane;

// Everything a joint does by turning: bend and angular squash share the distance from its axis.
//   a = first . p, b = second . p, distance = |(a, b)|; first, second and the axis are a right-handed frame
// The squash measures from the medial axis, which first is perpendicular to and which passes through the joint.
// Where there is a bend, first and second are so long that the distance is its angle (per unit of gain), and second
// points the way it turns; push is as much shorter. Where the gain is the same for all vertices it is in there already.
typedef struct limberi_turn_row {
    limberi_plane first, second, squash_second;
    float push_first[3], squash_rate; // first times the share of the displacement that counts; squash per distance
    float push_second[3], longest;    // the same of second; length of first and second
} limberi_turn_row;

// The squash of a joint that travels.
typedef struct limberi_travel_row {
    limberi_plane way; // direction and the distance from the centroid along it
    float centre[3];
    float rate; // squash per gain
    float max;  // of the squash; 0: none
} limberi_travel_row;

// The stretch of a joint that spins, growing with the square of the distance, lift, and the angular squash along the
// medial axis: `axis` measures from the centroid then.
typedef struct limberi_spin_row {
    limberi_plane first, second, axis;
    float rate;        // displacement per gain and distance, in units of the kernel
    float base_radius; // lift; of a squash its max, 0: none
} limberi_spin_row;

// A joint that the skin follows: it turns by an angle, and shifts, by as much as the distance says.
// first, second and the axis are a right-handed frame, and the turn is from second to first. First has no z.
typedef struct limberi_follow_row {
    float place[3], reach2;
    float first[3], angle; // of vertices far away
    float second[3];
    float shift[3];
    bool shifts;
} limberi_follow_row;

// What is done with the sum: it is added to the displacement, replaces it, or is added to the positions (only where it
// cannot be NaN).
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

// A joint over a group: its row, and the vertices' weights on it.
typedef struct limberi_row_call {
    const void* row;
    const float* weight;
    // With limberi_turn_mode.affine: what else the joint does, a matrix of an affine palette, and what scales it.
    const float *affine, *affine_gain; // NULL: nothing
} limberi_row_call;

// A joint of a chain whose springs follow it. NULL stands for what the joint does not do; `affine` is symmetric.
typedef struct limberi_link_call {
    const limberi_follow_row* follow;
    const limberi_turn_row* squash;
    const limberi_travel_row* travel;
    const float* affine;
    const float* weight;
    const float* place; // of the joint
    bool whole;         // follows, shifts, squashes and is affine
} limberi_link_call;

typedef struct limberi_link_mode {
    bool varies;                                                     // some gain is not 1 everywhere
    const float *turn_gain, *shift_gain, *squash_gain, *travel_gain; // per vertex
    float max_squash;                                                // of the angular part; 0: none
} limberi_link_mode;

// How far bends may go: an eighth of a radian, a half, one, or any angle; the less, the cheaper. Below their limits,
// but for the last, which also takes what squashes below nothing.
typedef enum limberi_turn_reach {
    LIMBERI_TURN_FAINT,
    LIMBERI_TURN_TINY,
    LIMBERI_TURN_SMALL,
    LIMBERI_TURN_WIDE,
    LIMBERI_TURN_REACHES
} limberi_turn_reach;

// How a list of them runs.
typedef struct limberi_turn_mode {
    bool bend, squash;
    bool chain;  // each joint moves the positions before the next one sees them; nothing is added to the displacement
    bool affine; // joints of a chain do more than turn
    limberi_turn_reach reach;
    const float *bend_gain, *squash_gain; // NULL: in the rows
    const float* limit;                   // of the bend, radians; NULL: none
    float max_squash;                     // 0: none
} limberi_turn_mode;

typedef struct limberi_deform_kernels {
    void (*turn)(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                 const limberi_turn_mode* mode);
    void (*travel)(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                   const float* gain);
    void (*spin)(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                 const float* gain);
    void (*shorten)(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                    const float* gain);
    // All joints that lift: they push along the same normals.
    void (*lift)(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count, const float* gain,
                 const limberi_block3* normal);
    void (*follow)(const limberi_lane_block* block, const limberi_row_call* calls, uint32_t call_count,
                   const float* gain, const float* shift_gain);
    // Moves the positions from joint to joint.
    void (*link)(const limberi_lane_block* block, const limberi_link_call* calls, uint32_t call_count,
                 const limberi_link_mode* mode);
    void (*affine)(const limberi_lane_block* block, const limberi_affine_row* row, const float* gain);
    // Unit normals of the cone through `apex` about `axis`, at the block's positions.
    void (*cone)(const limberi_lane_block* block, const float* apex, const float* axis, float cosine, float sine,
                 limberi_block3* normal);
    // The box around the positions.
    void (*box)(const limberi_lane_block* block, float* min, float* max);
    // position += displacement, but for what is not a number.
    void (*finish)(const limberi_lane_block* block);
    // position += displacement; with slopes, those of all displacements so far go on by those of the block.
    void (*advance)(const limberi_lane_block* block, limberi_block9* so_far);
    // Turns normals along: by the cofactors of 1 + slopes.
    void (*normals)(const limberi_lane_block* block, limberi_block3* normal);
} limberi_deform_kernels;

extern const limberi_deform_kernels limberi_deform_kernels_plain, limberi_deform_kernels_wide;
#if defined(LIMBERI_HAS_AVX2)
extern const limberi_deform_kernels limberi_deform_kernels_avx2;
#endif

#endif
