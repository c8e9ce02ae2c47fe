// Curves of an .fbx file before Assimp reads it. Assimp takes keys for linear ones, and rotations between them for the
// short way round; so keys are added where a curve bends, holds its value, or turns far.
#ifndef LIMBER_CLI_IMPORT_FBX_H
#define LIMBER_CLI_IMPORT_FBX_H

#include "base/buffer.h"
#include "io/file.h"

// A curve as in the file. Keys share their kind and tangents in runs: `flags`, four numbers and a count for each.
typedef struct fbx_curve {
    size_t count, runs;
    const int64_t* times; // ticks, of which a second has FBX_SECOND
    const float* values;
    const int32_t* flags;
    const float* tangents; // [run][4]: slope to the right, slope to the left of the next key, weights, speeds
    const int32_t* repeats;
} fbx_curve;

typedef struct fbx_keys {
    size_t count;
    int64_t* times;
    float* values;
} fbx_keys;

#define FBX_SECOND 46186158000

enum {
    FBX_KEY_LIMIT = 1 << 22,    // numbers of an array, and keys of a curve with its samples
    FBX_ADDED_LIMIT = 256 << 20 // bytes by which a file may grow: one that needs more stays as it is
};

// All keys and those between; false: the curve may stay as it is, or memory is short (`arena->failed`).
bool fbx_curve_sample(limberi_arena* arena, const fbx_curve* curve, fbx_keys* keys);

// The file with denser curves, to be freed. False: it may stay as it is, is damaged, or memory is short.
bool fbx_sample_curves(limberi_bytes file, limberi_buffer* out);
// Its two ways of writing, after the first line of the file was looked at.
bool fbx_sample_binary(limberi_bytes file, limberi_arena* arena, limberi_buffer* out);
bool fbx_sample_text(limberi_bytes file, limberi_arena* arena, limberi_buffer* out);

#endif
