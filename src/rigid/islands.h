// Connected pieces of a character, and which of them are rigid.
#ifndef LIMBERI_RIGID_ISLANDS_H
#define LIMBERI_RIGID_ISLANDS_H

#include "layer/surface.h"
#include "layer/tree.h"
#include <limber/stages/rigid.h>

typedef enum limberi_island_kind {
    LIMBERI_ISLAND_SOFT,
    LIMBERI_ISLAND_WHOLE,   // all on one joint
    LIMBERI_ISLAND_BLENDED, // the same weights everywhere, on several joints
    LIMBERI_ISLAND_EDGED,   // on one joint but for an edge, where it blends into soft skin
    LIMBERI_ISLAND_SPIKE,   // slender and round, with soft weights: a spike, a horn, a claw
    LIMBERI_ISLAND_PAINTED, // an area of the layer "rigid"
    LIMBERI_ISLAND_CARRIED  // soft, but small in a character that is rigid otherwise (a robot's hand)
} limberi_island_kind;

typedef struct limberi_island {
    limberi_island_kind kind;
    uint32_t joint;        // that holds it, after fusing
    uint32_t named_joint;  // the same before fusing, for names shown to users
    uint32_t mesh;         // most of its vertices are in this one
    uint32_t first, count; // in limberi_islands.vertices
    limber_vec3 middle;    // of its vertices, in the surface's space
    float low[3], high[3]; // box around it, in the surface's space
    float extent;          // diameter about its middle, in L
    double area;
    int8_t asked;   // limber_rigid_class that the settings say; -1: none
    bool prop;      // held at the end of a limb
    bool appendage; // attached at one end
    uint32_t host;  // of an appendage: the island it is attached to
    uint32_t on;    // the appendage that it lies on, as a buckle on a hat; UINT32_MAX: none
} limberi_island;

typedef struct limberi_islands {
    const limber_model* model;
    limberi_surface surface; // its arena has all arrays below
    uint32_t count;
    limberi_island* islands;
    uint32_t* vertices;       // by island, each in rising order; those without a triangle are in none
    uint32_t* of_node;        // [node] UINT32_MAX: in none
    uint32_t* vertex_of_node; // [node] the vertex that speaks for it
    uint32_t* mesh_of_vertex; // [vertex]
    float* hold;              // [node] 1: moves with the part, 0: with the skin
    uint32_t* fused;          // [joint] the joint that moves it: itself, or an ancestor where no clip moves it
    uint32_t* still;          // [joint] the same, also where its skin would bend if a clip moved it
    uint8_t* limb;            // [joint] it or one above it has a twin: arms, legs, wings
    float* gap;               // [node of an appendage] how far it is from what holds it, in L
    limber_vec3* near;        // [node of an appendage] and the point of that
    double *mean, *weight;    // [joint] scratch: of an island, and of one vertex
} limberi_islands;

// `settings` decides which rigid islands stay so; NULL: all. With `painted` the layer "rigid" counts. Destroy the
// result, also after a failure.
limber_result limberi_islands_find(const limber_model* model, const limber_rigid_settings* settings, bool painted,
                                   limberi_islands* islands);
void limberi_islands_destroy(limberi_islands* islands);

// --- weights.c ---

typedef struct limberi_influences {
    const uint32_t* joints; // of the skin
    const uint16_t* slots;
    const float* weights;
    uint32_t count;
} limberi_influences;

limberi_influences limberi_influences_of(const limberi_islands* islands, uint32_t vertex);
// Fills `mean` with the mean weights of an island, on fused joints or as they are. Returns the joint with the largest.
uint32_t limberi_island_mean_weights(limberi_islands* islands, const limberi_island* island, bool fuse);
// Weight of a vertex on a joint and those fused with it.
float limberi_island_weight(const limberi_islands* islands, uint32_t vertex, uint32_t joint);
// The joint a vertex mostly hangs on, after fusing.
uint32_t limberi_island_main_joint(const limberi_islands* islands, uint32_t vertex);
// Whether a pattern is meant for this island: by the name of its mesh, its node or its joint.
bool limberi_island_matches(const limber_model* model, const limberi_island* island, const char* pattern);

// classes.c: what islands are. Each false or an error: not enough memory.
bool limberi_islands_find_limbs(limberi_islands* islands);
bool limberi_islands_find_props(limberi_islands* islands);
limber_result limberi_islands_find_appendages(limberi_islands* islands);
// Standard deviations of some vertices along their own axes, falling, and the first of these axes.
void limberi_island_measure(const limberi_islands* islands, const uint32_t* vertices, uint32_t count, double* extents,
                            double* axis);

// A node that effects move freely: skin that can hold a part.
static inline bool limberi_node_is_soft(const limberi_islands* s, uint32_t node) {
    return s->of_node[node] != UINT32_MAX && !(s->hold[node] > 0);
}

static inline bool limberi_island_is_rigid(const limberi_islands* s, uint32_t island) {
    return s->islands[island].kind != LIMBERI_ISLAND_SOFT;
}

// A spike holds nothing and is held by nothing: it moves as its own skin does, but keeps its shape.
static inline bool limberi_island_is_spike(const limberi_islands* s, uint32_t island) {
    return s->islands[island].kind == LIMBERI_ISLAND_SPIKE;
}

// --- which islands lie on each other, and the skin that lies on them ---

// One node of skin near a set of islands.
typedef struct limberi_touch {
    uint32_t set, node;
    uint32_t steps; // between their joints in the hierarchy
} limberi_touch;

typedef struct limberi_touches {
    uint32_t count;
    limberi_touch* items; // by set, then by steps, then by node; none twice
    uint32_t* sets;       // [island] islands on one joint that touch are a set, named by one of them
    uint8_t* rides;       // [island] its set is a rider
} limberi_touches;

enum { LIMBERI_MAX_STEPS = 3 }; // a sword beside a leg is not held by it

// The arrays belong to the islands.
limber_result limberi_rigid_touch(limberi_islands* islands, limberi_touches* touches);
// Between two joints in the hierarchy; UINT32_MAX: they are in different ones.
uint32_t limberi_joint_steps(const limberi_islands* islands, uint32_t a, uint32_t b);
limberi_box limberi_box_around(const limber_vec3* points, uint32_t count);

// Some of the triangles, to find the nearest one.
typedef struct limberi_triangle_tree {
    const limberi_surface* surface;
    limberi_box_tree boxes;
    uint32_t* triangle_of; // [item]
} limberi_triangle_tree;

// Of the triangles that `takes` says yes to; `nodes`: the three of one.
limber_result limberi_triangle_tree_build(limberi_arena* arena, const limberi_islands* islands,
                                          bool (*takes)(const limberi_islands* islands, const uint32_t* nodes),
                                          limberi_triangle_tree* tree);
float limberi_triangle_tree_distance(const limberi_triangle_tree* tree, uint32_t item, limber_vec3 place);

// Makes riders of small islands that rest on skin: changes `sets` and fills `rides`.
limber_result limberi_rigid_riders(limberi_islands* islands, limberi_touches* touches);
// Up to `max` nodes of skin nearest to a rider (the name of its set) and how much each counts. Returns how many.
// `scratch` has room for all nodes.
uint32_t limberi_rider_skin(const limberi_islands* islands, const limberi_touches* touches, uint32_t rider,
                            uint32_t max, uint32_t* scratch, uint32_t* nodes, float* weights);

// swing.c: the vertices of appendages, and `motion_of`. `order`: [body] the name of its set.
limber_result limberi_swings_find(const limberi_islands* islands, const uint32_t* order, limber_rigid_parts* parts);

#endif
