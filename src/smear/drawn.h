// Inside src/smear: smears as an animator draws them. The character is taken apart into parts (an arm, a leg, a sword);
// each has stations along its length, whose paths between the frames decide what is stretched and what leaves a ribbon.
#ifndef LIMBERI_DRAWN_H
#define LIMBERI_DRAWN_H

#include "smear/smear_private.h"

enum {
    LIMBERI_PARTS = 16,        // the longest ones; more would be fingers
    LIMBERI_STATIONS = 14,     // along a part
    LIMBERI_PART_NONE = 255,   // a vertex of the trunk
    LIMBERI_TRUNK_BONES = 24,  // of it that are looked at
    LIMBERI_NO_ISLAND = 0xffff // a vertex that is not moved together with others
};

// What a joint holds of a station: a share of its skin, with mean and covariance in the joint's frame.
typedef struct limberi_drawn_share {
    uint32_t station, joint;
    float share;
    limber_vec3 mean;
    float spread[6]; // xx xy xz yy yz zz
} limberi_drawn_share;

typedef struct limberi_drawn_part {
    float length;                 // along the stations in the rest pose
    float min_width;              // model units
    float fine;                   // 1: enough vertices to be stretched, 0: too coarse or rigid
    float stiff;                  // 1: rigid
    bool pieces;                  // some of them rigid: what is soft of it would come off
    float hat;                    // stations to either side that a vertex counts for
    float gain;                   // of its joints
    float stands;                 // 1: its end is on the floor in the rest pose, as that of a leg
    float slim;                   // 1: long enough for its width to leave a ribbon, 0: a head, a hat
    float lean[LIMBERI_STATIONS]; // the same of a station: 0 where a limb has a head in its middle
    float cloth;                  // 1: a panel of a skirt or cape
    bool stubby;                  // a ball, a head: one thing with one path
    bool head;                    // too short to leave a ribbon, but no ball: a head with its neck
} limberi_drawn_part;

// A part in the frame on show.
typedef struct limberi_drawn_state {
    float burst;                          // 0 ... 1: how much of a smear this moment is
    float near;                           // the same, going further from the fastest moment
    limber_vec3 center[LIMBERI_STATIONS]; // as drawn
    limber_vec3 shift[LIMBERI_STATIONS];  // from where the pose alone has it
    limber_vec3 axis[LIMBERI_STATIONS];   // along the part
    limber_vec3 way[LIMBERI_STATIONS];    // direction of the motion across the part
    float across[LIMBERI_STATIONS];       // how much of the motion is across the part, 0 ... 1
    float width[LIMBERI_STATIONS];        // along the motion
    float depth[LIMBERI_STATIONS];        // across the motion and the part
    limber_vec3 slant[LIMBERI_STATIONS];  // how far aside the ends of that lie, of the depth
    float lean[LIMBERI_STATIONS];         // 0: too broad there to leave a ribbon
    float travel[LIMBERI_STATIONS];       // over the last T0
    float ratio[LIMBERI_STATIONS];        // travel over width, of what the part does by itself
    float gap[LIMBERI_STATIONS];          // the same with all of its travel, where all limbs are on the move
    float ribbon[LIMBERI_STATIONS];       // 0 ... 1
    float one;                            // 0 ... 1: it goes as one, as a head that does not nod
    float one_middle, one_half;           // of all of it, along its way: where the middle is, and half its width
    limber_vec3 one_way;
    float tip; // stations from the center of the last one to the end of the part
} limberi_drawn_state;

// What the edges around a vertex ask it to do.
typedef struct limberi_drawn_pull {
    limber_vec3 sum;
    float count;
} limberi_drawn_pull;

// An edge of the surface between what moves.
typedef struct limberi_drawn_edge {
    uint32_t a, b;
    float limit; // how far its ends may go apart
    bool apart;  // farther than that to begin with
} limberi_drawn_edge;

struct limberi_drawn {
    const limber_smearer* smearer;
    uint32_t part_count, limb_count; // the parts after the limbs are spikes, which are not stretched
    bool one_piece;                  // all of it hangs on one joint, and it is no ball
    limberi_drawn_part parts[LIMBERI_PARTS];
    limberi_drawn_state states[LIMBERI_PARTS];
    uint32_t share_count;
    limberi_drawn_share* shares; // by station; the last station is the whole body
    uint8_t* part_of;            // [vertex]
    float* along;                // [vertex] 0 ... LIMBERI_STATIONS - 1
    uint8_t* spike_of;           // [vertex] the same of spikes, whose vertices may also be those of a limb
    float* spike_along;          // [vertex]
    float* hold;                 // [vertex] how much of the stretch of its part it takes, 0 ... 1
    uint16_t* island_of;         // [vertex] moved by the mean of these
    uint8_t (*trunk_of)[2]; // [vertex] numbers of the bones of the trunk that hold most of it, or LIMBERI_PART_NONE
    float* trunk_share;     // [vertex] of what these hold is the second one's
    uint8_t* limb_of;       // [vertex] the same of limbs
    float* limb_share;      // [vertex] of its weight is that limb's, the rest is that bone's
    uint32_t trunk_count;   // each has a point after that of the whole body
    uint32_t island_count;
    uint8_t* island_stiff;     // [island] all of its joint is rigid
    limber_vec3* island_steps; // [island]
    float* island_areas;
    float* areas;   // [vertex]
    uint32_t* weld; // [vertex] the first one at its place
    uint32_t edge_count;
    uint32_t* edges;                 // [edge * 2] of the surface, between first ones
    limberi_drawn_edge* moved_edges; // [edge] those of the frame on show
    limber_vec3 *steps, *changes;    // [vertex] how far first ones are stretched, and how they give way
    limberi_drawn_pull* pulls;       // [vertex]
    uint8_t* gave_way;               // [vertex]
    float (*colors)[4];              // [part * LIMBERI_STATIONS + station] of the surface
    limber_vec3 body_center;         // as drawn
    limber_vec3 body_way;            // of its motion
    float body_travel, body_size;    // over the last T0; along the motion
    float body_burst;
    float ground; // how low the ends of legs are around the frame on show: nothing is stretched below
    float vigor;  // 0 ... 1: how much all limbs are on the move, as in a leap
    // The samples of the frame on show.
    const limberi_drawn_point* const* samples;
    uint32_t sample_count, now, per_step;
    // Ribbons and strokes.
    uint32_t columns, strokes;
    float *positions, *normals, *mesh_colors;
    bool moved, visible;
};

float limberi_ss(float low, float high, float x); // a smooth step from 0 to 1

// Where along a part a vertex lies, or a negative number.
static inline float limberi_drawn_place(const struct limberi_drawn* d, uint32_t v, uint32_t part) {
    if (part < d->limb_count)
        return d->part_of[v] == part ? d->along[v] : -1;
    return d->spike_of[v] == part ? d->spike_along[v] : -1;
}

// Parts, stations and vertices (drawn_loose.c, drawn_parts.c, drawn_rigid.c, drawn_spikes.c, drawn_stations.c).
typedef struct limberi_drawn_builder {
    limberi_arena scratch;
    limber_smearer* smearer;
    struct limberi_drawn* drawn;
    float* rest;      // [vertex * 3] world
    uint8_t* rigid;   // [vertex] its whole island hangs on one joint
    uint32_t* island; // [vertex] number of its island
    uint32_t islands;
    uint32_t* island_joint; // [island] of its first vertex
    uint32_t* joint;        // [vertex] that holds most of it
    float* weight;          // [vertex] of that joint
    int32_t* parents;       // [joint] as limbs hang together, or -1
    uint32_t* bone_of;      // [joint] itself, or the ancestor that it belongs to
    double *own, *below;    // [joint] skin area
    uint8_t* part_of_bone;  // [joint] LIMBERI_PART_NONE: none
    float* arc;             // [joint] where its piece begins along the part
    limber_vec3 *from, *to; // [joint] ends of the piece in the rest pose
    uint8_t* prop;          // [joint] a long rigid thing in a hand
    float* grip;            // [joint] where along it the hand is, if what is on either side is a part of its own
    uint8_t* last;          // [joint] its piece is the last of a part
} limberi_drawn_builder;

// Sums over points (drawn_cloud.c).
typedef struct limberi_drawn_cloud {
    double weight, first[3], second[9];
} limberi_drawn_cloud;

// A cloud of points as a bar: its middle, its longest axis, and standard deviations along it and across.
typedef struct limberi_drawn_bar {
    limber_vec3 mean, axis;
    double length, width, depth;
} limberi_drawn_bar;

void limberi_drawn_cloud_add(limberi_drawn_cloud* cloud, double weight, limber_vec3 p);
void limberi_drawn_cloud_spread(const limberi_drawn_cloud* cloud, double* mean, double* spread); // of 3 and 9
limberi_drawn_bar limberi_drawn_cloud_bar(const limberi_drawn_cloud* cloud);

LIMBER_MUST_USE limber_result limberi_drawn_find_parents(limberi_drawn_builder* builder);
LIMBER_MUST_USE limber_result limberi_drawn_find_islands(limberi_drawn_builder* builder);
LIMBER_MUST_USE limber_result limberi_drawn_find_parts(limberi_drawn_builder* builder);
LIMBER_MUST_USE limber_result limberi_drawn_place_stations(limberi_drawn_builder* builder);
LIMBER_MUST_USE limber_result limberi_drawn_find_spikes(limberi_drawn_builder* builder);
LIMBER_MUST_USE limber_result limberi_drawn_find_edges(limberi_drawn_builder* builder);
LIMBER_MUST_USE limber_result limberi_drawn_open_ribbons(limber_smearer* smearer);

// The frame on show: `positions` are those before anything is smeared.
void limberi_drawn_measure(struct limberi_drawn* drawn, const float* positions);
void limberi_drawn_stretch(struct limberi_drawn* drawn, const float* now, float* positions);
// Finds `changes` of `steps`.
void limberi_drawn_hold_together(struct limberi_drawn* drawn, const float* now);
void limberi_drawn_ribbons(struct limberi_drawn* drawn, limber_smear_mesh* mesh);

// Where a station was `age` T0 ago, as drawn now; `at` is a place along the part, 0 ... LIMBERI_STATIONS - 1.
limber_vec3 limberi_drawn_path(const struct limberi_drawn* drawn, uint32_t part, float at, float age);
// The same of the middle of the whole body, as a step from where it is.
limber_vec3 limberi_drawn_body_step(const struct limberi_drawn* drawn, float age);
// How far a bone of the trunk went in the last T0.
limber_vec3 limberi_drawn_trunk_step(const struct limberi_drawn* drawn, uint32_t bone);
// Along a part at one of its stations.
limber_vec3 limberi_drawn_axis(const limberi_drawn_point* points, uint32_t station, float size);
// How far a bar with such a spread goes in a direction.
float limberi_drawn_extent(const float* spread, limber_vec3 direction);
// How low the skin of a station was then, so that a ribbon does not go into the ground.
float limberi_drawn_low(const struct limberi_drawn* drawn, uint32_t part, float at, float age);
float limberi_drawn_at(const float* values, float at);
limber_vec3 limberi_drawn_at3(const limber_vec3* values, float at);

#endif
