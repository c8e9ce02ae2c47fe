// The bones as an undirected graph: which joints are connected, and which are held.
#include "perform/exaggerate/graph.h"

#include <string.h>

void limberi_graph_children(const limber_bone_graph* graph, uint32_t* children) {
    memset(children, 0, graph->joint_count * sizeof *children);
    for (uint32_t j = 0; j < graph->joint_count; j++) {
        int32_t parent = limberi_graph_parent(graph, j);
        if (parent >= 0)
            children[parent]++;
    }
}

void limberi_graph_pins(const limber_bone_graph* graph, const uint32_t* children, bool* pinned) {
    memset(pinned, 0, graph->joint_count * sizeof *pinned);
    // First from the leaves up: whether the chain below a joint comes to a branch. A chain that never does is held at
    // its top only.
    for (uint32_t j = graph->joint_count; j-- > 0;) {
        int32_t parent = limberi_graph_parent(graph, j);
        pinned[j] = pinned[j] || children[j] > 1;
        if (parent >= 0 && children[parent] == 1 && pinned[j])
            pinned[parent] = true;
    }
    for (uint32_t j = 0; j < graph->joint_count; j++) {
        int32_t parent = limberi_graph_parent(graph, j);
        if (parent >= 0)
            pinned[j] = pinned[j] && pinned[parent] && children[parent] == 1;
        else
            pinned[j] = limberi_graph_has(graph, j);
    }
}
