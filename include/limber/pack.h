// limber/pack.h: the same effects on your own GPU: what to upload for the shader limber_deform.glsl.
//
// The shader is installed in share/limber/shaders (pkg-config --variable=shaders limber). It skins a vertex and adds
// every effect of the style, contacts and impacts; rigid parts keep their shape, and colliders keep skin out. It needs
// preprocessor defines, two vertex attributes and one float texture per frame. This header makes those as plain memory.
// No graphics API is called here, so any will do.
//
//     limber_pack* pack;
//     limber_error error;
//     if (limber_pack_create(pipeline, true, &pack, &error) != LIMBER_OK)
//         fprintf(stderr, "%s\n", error.message); // says what the shader cannot do
//     limber_pack_layout layout = limber_pack_get_layout(pack);
//     compile(limber_pack_defines(pack), shader_text);
//     limber_pack_write_joints(pack, joints); // vertex_count * layout.joint_bytes
//     // per frame: evaluate the joints, or push a live pose, then pack
//     uint32_t texel_count;
//     if (limber_pipeline_evaluate_joints(pipeline, 0, time_s) == LIMBER_OK &&
//         limber_pack_evaluate(pack, texels, &texel_count, columns, &error) == LIMBER_OK)
//         upload(texels, texel_count, columns, layout.column_bytes);
//     limber_pack_destroy(pack);
//
// docs/shader.md explains the texture and the attributes; examples/own_engine is a complete program.
#ifndef LIMBER_PACK_H
#define LIMBER_PACK_H

#include <limber/pipeline.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMBER_PACK_WIDTH 1024u  // texels in a row of the texture (RGBA, 32-bit floats)
#define LIMBER_PACK_SETTINGS 32u // integers of the uniform limber_settings

// A pipeline packed for the shader.
typedef struct limber_pack limber_pack;

// Sizes of what to upload; the same for every frame.
typedef struct limber_pack_layout {
    uint32_t influences;    // joints per vertex: 4 or 8
    uint32_t joint_bytes;   // per vertex: `influences` joints (uint16), then as many weights (float)
    uint32_t column_count;  // values per vertex (int16, normalized to -1 ... 1): layers, formulas, contacts ...
    uint32_t column_bytes;  // per vertex, a multiple of 4
    bool columns_change;    // with every frame; otherwise one upload will do
    uint32_t max_texels;    // no frame has more
    uint32_t obeyed_texels; // of a second texture, which stays the same; 0: the style has no colliders
} limber_pack_layout;

// `normals`: normals follow the effects; otherwise they are only skinned. The pipeline must outlive the pack.
// LIMBER_ERROR_UNSUPPORTED where the shader cannot do what the style or the character asks for.
LIMBER_API LIMBER_MUST_USE limber_result limber_pack_create(limber_pipeline* pipeline, bool normals, limber_pack** pack,
                                                            limber_error* error);
LIMBER_API void limber_pack_destroy(limber_pack* pack);
LIMBER_API limber_pack_layout limber_pack_get_layout(const limber_pack* pack);

// The #define lines that go before the shader's text.
LIMBER_API const char* limber_pack_defines(const limber_pack* pack);
// The same for one program that shows every style with the same skinning and sources of lift; what differs is in the
// uniform limber_settings, LIMBER_PACK_SETTINGS integers.
LIMBER_API const char* limber_pack_dynamic_defines(const limber_pack* pack);
LIMBER_API void limber_pack_write_settings(const limber_pack* pack, int32_t* settings);

// Joints and weights of all vertices, all meshes in order.
LIMBER_API void limber_pack_write_joints(const limber_pack* pack, void* joints);
// Which colliders vertices obey, for the texture limber_obeyed: obeyed_texels of 4 floats each.
LIMBER_API void limber_pack_write_obeyed(const limber_pack* pack, float* texels);
// The triangles around each vertex, for averaged normals by a second pass over skinned and deformed positions
// (deform_normals.comp; docs/shader.md). Stays valid until the pack is destroyed.
//
// Four words per vertex: eight signed 16-bit differences to its own number, the lower one of a word first. They are a
// fan: a first vertex and a ring, each two neighbours of which make a triangle with the first; the last is repeated.
// Where the first word is 0, the second and third say where a list in the rest of the words starts and ends: numbers of
// vertices (times 2, plus 1 for the first of a fan).
LIMBER_API LIMBER_MUST_USE limber_result limber_pack_rings(limber_pack* pack, const uint32_t** words, size_t* count,
                                                           limber_error* error);
// Mesh-space positions and normals of a mesh in the current pose; they change only where it has morph targets.
LIMBER_API void limber_pack_surface(const limber_pack* pack, uint32_t mesh, const float** positions,
                                    const float** normals);

// The pipeline's current pose as texels (4 floats each, room for max_texels) and columns (column_bytes per vertex).
// NULL columns: not written, for layouts whose columns do not change or that have none. With rigid parts, the last two
// columns are the index of the vertex's part (-1: none) and how much the vertex belongs to it.
LIMBER_API LIMBER_MUST_USE limber_result limber_pack_evaluate(limber_pack* pack, float* texels, uint32_t* texel_count,
                                                              int16_t* columns, limber_error* error);

#ifdef __cplusplus
}
#endif

#endif
