// Typed arrays of a glTF file, opened once and then read as floats or as indices, whole or in blocks.
#ifndef LIMBERI_GLTF_READ_ACCESSOR_H
#define LIMBERI_GLTF_READ_ACCESSOR_H

#include "io/gltf/read.h"

typedef enum limberi_gltf_component {
    LIMBERI_GLTF_INT8 = 5120,
    LIMBERI_GLTF_UINT8 = 5121,
    LIMBERI_GLTF_INT16 = 5122,
    LIMBERI_GLTF_UINT16 = 5123,
    LIMBERI_GLTF_UINT32 = 5125,
    LIMBERI_GLTF_FLOAT = 5126
} limberi_gltf_component;

// Everything lies inside its buffer: reading needs no further check.
struct limberi_gltf_accessor {
    bool opened;
    bool normalized;
    uint8_t components;      // 1 for SCALAR, 3 for VEC3, 16 for MAT4
    uint8_t component_bytes; // of one component
    limberi_gltf_component component;
    uint32_t index; // in "accessors"
    uint32_t stride;
    uint32_t count;
    const uint8_t* data; // NULL: zeros
    uint32_t sparse_count;
    limberi_gltf_component sparse_index_component;
    const uint8_t* sparse_indices; // increasing, below `count`
    const uint8_t* sparse_values;
    const float* floats; // a whole accessor kept by limberi_gltf_floats_shared, or NULL
};

// Checks accessor `index`, of those the file has, the first time it is asked for.
limber_result limberi_gltf_open_index(limberi_gltf_reader* reader, uint32_t index, limberi_gltf_accessor** out);

// The accessor that `object` names as `what`, NULL when it names none. `who` and `what` (the user of the accessor and the field that
// names it) are for messages; `types` lists the types it may have, e.g. "VEC3 VEC4".
limber_result limberi_gltf_open(limberi_gltf_reader* reader, const limberi_gltf_place* who, const limberi_json* object,
                                const char* what, const char* types, limberi_gltf_accessor** out);

// A vertex attribute or a morph target's: as limberi_gltf_open, and with one element for each vertex. *out is NULL when
// `attributes` has none.
limber_result limberi_gltf_attribute(limberi_gltf_reader* reader, const limberi_gltf_place* who,
                                     const limberi_json* attributes, const char* name, const char* types,
                                     uint32_t vertex_count, limberi_gltf_accessor** out);

// Elements [first, first + count) as floats, integers turned to fractions when normalised, `out_stride` floats apart.
// A number that is not finite is an error.
limber_result limberi_gltf_read_floats(limberi_gltf_reader* reader, const limberi_gltf_accessor* accessor,
                                       uint32_t first, uint32_t count, float* out, uint32_t out_stride);

// Elements [first, first + count) as whole numbers. The component type must not be FLOAT or signed.
void limberi_gltf_read_unsigned(const limberi_gltf_accessor* accessor, uint32_t first, uint32_t count, uint32_t* out);

bool limberi_gltf_is_unsigned(const limberi_gltf_accessor* accessor);

// The whole accessor as floats, read once however often it is used.
limber_result limberi_gltf_floats_shared(limberi_gltf_reader* reader, limberi_gltf_accessor* accessor,
                                         const float** out);

#endif
