// A model's vertices, triangles and textures on the graphics card.
#ifndef LIMBERI_GEOMETRY_H
#define LIMBERI_GEOMETRY_H

#include "render/gl/gl.h"

// A run of triangles with one material.
typedef struct limberi_batch {
    size_t first_index; // into the index buffer
    GLsizei index_count;
    float base_color[4];
    float metallic, roughness;
    GLuint texture; // 0: none
    bool double_sided, blended;
    bool sheer;    // blended and seen through on the whole: it hides nothing behind it
    bool mirrored; // triangles wind the other way once in the world
    uint32_t mesh; // of the model it was made of
    uint32_t part; // 1, 2, ...: what belongs together for an inker: one material of one mesh
} limberi_batch;

typedef struct limberi_geometry {
    const limberi_gl* gl;
    size_t vertex_count;
    GLuint vertex_array;
    GLuint positions, normals, uvs, colors, indices;
    GLuint paint;         // colours over the materials' own
    bool painted;         // with these
    uint32_t batch_count; // opaque ones first
    limberi_batch* batches;
    limberi_textures textures;
} limberi_geometry;

LIMBER_MUST_USE limber_result limberi_geometry_create(const limberi_gl* gl, const limber_model* model,
                                                      limberi_geometry* geometry, limber_error* error);
void limberi_geometry_destroy(limberi_geometry* geometry);

// Where the vertices are in this frame. `normals` may be NULL.
void limberi_geometry_move(const limberi_geometry* geometry, const float* positions, const float* normals);

// Other colours for the vertices, 4 floats each; some mesh must have had some from the start.
void limberi_geometry_paint(const limberi_geometry* geometry, const float* colors);

// Colours in place of the materials' own, 4 floats per vertex; NULL: as it was.
void limberi_geometry_repaint(limberi_geometry* geometry, const float* colors);

// What limberi_geometry_draw draws from, once there is more than one geometry.
void limberi_geometry_bind(const limberi_geometry* geometry);
void limberi_geometry_draw(const limberi_geometry* geometry, const limberi_batch* batch);

#endif
