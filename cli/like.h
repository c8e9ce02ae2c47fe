// --like FILE of apply: the bones of one character's bake move another one with the same skeleton, such as a coarser
// level of detail.
#ifndef LIMBER_CLI_LIKE_H
#define LIMBER_CLI_LIKE_H

#include "cli/cli.h"

typedef struct cli_like {
    limber_bake bake; // what the writer gets; the arrays are its own or the other bake's
    limber_bake_bone* bones;
    limber_bake_mesh* meshes;
    limber_bake_track* tracks;
    uint32_t helper_count; // of the bones; they carry pieces of a mesh
    double farthest;       // how far a vertex is from the other mesh at rest, in L
} cli_like;

// Makes of a bone bake of `fine` one of `coarse`: joints and clips go by their names, pieces of a mesh by where they are.
// Prints what does not fit. The bake must outlive the result, which cli_like_close frees, also after a failure.
int cli_like_open(const char* input, const limber_model* coarse, const char* like, const limber_model* fine,
                  const limber_bake* bake, cli_like* out);
void cli_like_close(cli_like* like);

// like_error.c: what was written, and what it should show.
typedef struct cli_like_check {
    const char* output;
    const limber_gltf* coarse;
    const cli_look* look; // of the other character
    const limber_bake_settings* frames;
    const limber_bake* bake; // of the coarse one
} cli_like_check;

// How far a vertex is from where the style itself puts it, in L, at most; NaN: it cannot be measured.
double cli_like_error(const cli_like_check* check);

#endif
