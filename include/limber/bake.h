// limber/bake.h: frames become morph targets, for files that plain viewers play. No files here, only numbers.
//
// A corrective bake keeps the skin: for each frame it finds the displacement in the mesh's own space which, once added
// to the mesh and skinned by an ordinary player, lands exactly on the frame. A vertex bake needs no skin: its targets
// are the frames themselves.
//
//     limberi_bake_corrective(&job);   // world positions of one frame -> mesh-space displacements
//     limber_bake_reduce(...);     // many targets -> as few as hold a tolerance
#ifndef LIMBER_BAKE_H
#define LIMBER_BAKE_H

#include <limber/stages/skin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum limber_bake_kind { LIMBER_BAKE_CORRECTIVE, LIMBER_BAKE_VERTEX } limber_bake_kind;

// Morph targets of one mesh and how much of each to use at each frame of each clip.
typedef struct limber_bake_mesh {
    uint32_t target_count; // 0: this mesh needs no targets
    float* base_positions; // vertex bake: world space, replaces the mesh's positions; else NULL
    float* base_normals;   // vertex bake; may be NULL
    float* positions;      // [target][vertex * 3]
    float* normals;        // [target][vertex * 3], or NULL
    float** weights;       // [track]: [frame][target]
} limber_bake_mesh;

// What becomes of multiples and motion lines (limber/stages/smear.h): a mesh for each copy of each mesh and one for the lines,
// or all that belongs to one mesh together, or nothing.
typedef enum limber_bake_smear_meshes {
    LIMBER_SMEAR_MESHES_SEPARATE,
    LIMBER_SMEAR_MESHES_MERGED,
    LIMBER_SMEAR_MESHES_NONE
} limber_bake_smear_meshes;

// A copy of a mesh, or the lines.
typedef struct limber_bake_piece {
    int32_t source;                      // in the model: its triangles and parts are the copy's, too; -1: lines
    uint32_t first_vertex, vertex_count; // in the extra
    uint32_t triangle_count;             // of lines
    uint32_t* triangles;                 // of lines, else NULL
} limber_bake_piece;

// A mesh beside the character's that is seen in some frames only. World space, counted from `center`.
typedef struct limber_bake_smear_mesh {
    char name[32];  // "multiple -2", "lines"; "smears" when they are merged
    int32_t source; // the mesh it belongs to; -1: to all of them
    uint32_t piece_count;
    limber_bake_piece* pieces;
    uint32_t vertex_count;
    limber_vec3 center;
    float* base_positions; // 3 per vertex
    float* base_normals;   // 3 per vertex
    float* base_colors;    // 4 per vertex, linear; the opacity is the mean of the frames that show it
    uint32_t target_count;
    uint32_t shape_count;   // the first targets move vertices
    uint32_t opacity_count; // the last change opacities; 0: they never change. These may be the same targets
    float* positions;       // [shape][vertex * 3]; NULL: no frame shows it
    float* normals;         // [shape][vertex * 3], or NULL
    float* opacities;       // [opacity][vertex], added to that of the base, in steps of 1 / 127
    float** weights;        // [track]: [frame][target]; where it is not seen, those of the last that did
    uint8_t** visible;      // [track]: [frame]
} limber_bake_smear_mesh;

typedef struct limber_bake_track {
    uint32_t clip; // index in the model
    uint32_t frame_count;
    float* times; // seconds, increasing
} limber_bake_track;

typedef struct limber_bake {
    limber_bake_kind kind;
    uint32_t mesh_count; // as in the model
    limber_bake_mesh* meshes;
    uint32_t track_count;
    limber_bake_track* tracks;
    uint32_t smear_mesh_count; // multiples and lines
    limber_bake_smear_mesh* smear_meshes;
} limber_bake;

// Frees every array of a bake that limber_pipeline_bake made.
LIMBER_API void limber_bake_destroy(limber_bake* bake);

#ifdef __cplusplus
}
#endif

#endif
