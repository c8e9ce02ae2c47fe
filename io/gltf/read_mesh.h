// Shared by the files that read "meshes".
#ifndef LIMBERI_GLTF_READ_MESH_H
#define LIMBERI_GLTF_READ_MESH_H

#include "io/gltf/read_accessor.h"

typedef struct limberi_gltf_primitive {
    limberi_gltf_place place;
    limberi_json* object;
    limberi_json* attributes;
    const limberi_gltf_accessor* position;
    const limberi_gltf_accessor* indices; // NULL: the vertices in order
    uint32_t mode;
    uint32_t joint_sets; // JOINTS_0, JOINTS_1, ...
    uint32_t first_vertex, vertex_count;
    uint32_t triangle_limit; // at most this many; strips lose the triangles without area that join their pieces
} limberi_gltf_primitive;

// One entry of "meshes", read once for all the nodes that carry it.
typedef struct limberi_gltf_geometry {
    bool described, filled, skinned;
    bool morph_normals; // some target has normals
    uint32_t index;     // in "meshes"
    uint32_t primitive_count;
    limberi_gltf_primitive* primitives;
    uint64_t influence_count; // joints times vertices that its attributes hold, used or not
    uint64_t triangle_limit;
    limber_mesh mesh; // lacks skin, node name, default weights and influences

    // Filled by limberi_gltf_read_influences.
    uint32_t* influence_first;
    uint16_t* influence_joint;
    float* influence_weight;
    uint32_t joint_end; // one past the largest joint a vertex hangs on, and who names it
    uint32_t joint_end_primitive, joint_end_vertex;
} limberi_gltf_geometry;

limber_result limberi_gltf_describe(limberi_gltf_reader* reader, uint32_t mesh, limberi_gltf_geometry* out);
limber_result limberi_gltf_read_geometry(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry);
limber_result limberi_gltf_read_triangles(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry,
                                          limber_part* parts);
limber_result limberi_gltf_read_influences(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry);
limber_result limberi_gltf_read_morphs(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry);
limber_result limberi_gltf_read_layers(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry);

// Positions and weights that are not finite, where few are.
limber_result limberi_gltf_mend_positions(limberi_gltf_reader* reader, const limberi_gltf_primitive* primitive);
limber_result limberi_gltf_mend_weights(limberi_gltf_reader* reader, const limberi_gltf_primitive* primitive);

// How many layers and morph targets there are, known before their memory is allocated.
limber_result limberi_gltf_count_morphs(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry);
limber_result limberi_gltf_count_layers(limberi_gltf_reader* reader, limberi_gltf_geometry* geometry);

#endif
