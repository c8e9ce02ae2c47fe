// The bones as an undirected graph: which joints are connected, and which are held.
#ifndef LIMBERI_EXAGGERATE_GRAPH_H
#define LIMBERI_EXAGGERATE_GRAPH_H

#include <limber/stages/exaggerate.h>

static inline bool limberi_graph_has(const limber_bone_graph* graph, uint32_t joint) {
    return !graph->members || graph->members[joint];
}

// The joint above in the graph, -1: none.
static inline int32_t limberi_graph_parent(const limber_bone_graph* graph, uint32_t joint) {
    int32_t parent = graph->parents[joint];
    return parent >= 0 && limberi_graph_has(graph, joint) && limberi_graph_has(graph, (uint32_t)parent) ? parent : -1;
}

// Number of children in the graph, for every joint.
void limberi_graph_children(const limber_bone_graph* graph, uint32_t* children);

// As limber_bone_solver_create. `kinematic`, 0 ... 1: how much bones keep their length instead.
LIMBER_MUST_USE limber_result limberi_bone_solver_create(const limber_bone_graph* graph, uint32_t constraint_count,
                                                         const uint32_t* joints, const float* weights,
                                                         limber_pin pin_root, double kinematic,
                                                         limber_bone_solver** solver, limber_error* error);

// How all joints of a pose move when the targets lie `pulls` away from their joints.
void limberi_bone_solver_displace(limber_bone_solver* solver, const limber_vec3* positions, const limber_vec3* pulls,
                                  limber_vec3* displacements);

// Marks the joints that a pinned root holds: from each top of the graph down to where it branches.
void limberi_graph_pins(const limber_bone_graph* graph, const uint32_t* children, bool* pinned);

#endif
