// The mesh that a vertex animation texture moves.
#ifndef LIMBERI_VAT_MESH_H
#define LIMBERI_VAT_MESH_H

#include "io/file_write.h"
#include <limber/gltf.h>

typedef struct limberi_vat_mesh {
    const limber_model* model;
    const char* name;
    const float* positions; // of all vertices
    const float* normals;   // or NULL: averaged from the triangles
    const float* lookup;    // 2 per vertex
} limberi_vat_mesh;

// All meshes of the model as one, without skin; the file is finished, not committed.
LIMBER_MUST_USE limber_result limberi_vat_mesh_write(const limberi_vat_mesh* mesh, const char* path, limberi_file* file,
                                                     limber_error* error);

#endif
