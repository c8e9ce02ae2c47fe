// What both USD writers put into a file: the header, lists of numbers, the parts of a mesh that never move.
#ifndef LIMBERI_CACHE_USD_TEXT_H
#define LIMBERI_CACHE_USD_TEXT_H

#include "base/memory.h"
#include "io/out.h"
#include <limber/asset.h>

typedef struct limberi_usd_head {
    const char* type; // of the root prim
    const char* root;
    const char* metadata; // of the root prim, whole lines
    double fps, first_code, last_code;
} limberi_usd_head;

// An identifier from the name of the file; NULL when memory is short.
char* limberi_usd_root_name(limberi_arena* arena, const char* path);

// Up to the brace that opens the root prim.
void limberi_usd_header(limberi_out* out, const limberi_usd_head* head);

// "[(1, 2), (3, 4)]"; tuples of one number have no parentheses.
void limberi_usd_tuples(limberi_out* out, const float* values, size_t tuple_count, uint32_t size, size_t stride);
void limberi_usd_indices(limberi_out* out, const uint32_t* values, size_t count);

// Triangles, sides, texture coordinates and colors. `scratch`: 2 floats per vertex.
void limberi_usd_surface(limberi_out* out, const limber_model* model, const limber_mesh* mesh, float* scratch);

// Smallest and largest coordinates: 6 floats.
void limberi_usd_extent(const limber_mesh* mesh, const float* positions, float* extent);

// Ends a line of an attribute that has a value for each vertex of a mesh.
extern const char limberi_usd_per_vertex[];

#endif
