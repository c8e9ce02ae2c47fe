// The mesh that a vertex animation texture moves.
#ifndef LIMBERI_VAT_MESH_H
#define LIMBERI_VAT_MESH_H

#include <limber/gltf.h>

typedef struct limberi_vat_mesh {
    const limber_model* model;
    const char* name;
    const float* positions; // of all vertices
    const float* normals;   // or NULL: averaged from the triangles
    const float* lookup;    // 2 per vertex
} limberi_vat_mesh;

// All meshes of the model as one, without skin.
LIMBER_MUST_USE limber_result limberi_vat_mesh_save(const limberi_vat_mesh* mesh, const char* path,
                                                    limber_error* error);

#endif
