// Shared by the two halves of the pack: what stays, and what a frame changes.
#ifndef LIMBERI_SMEAR_PACK_PRIVATE_H
#define LIMBERI_SMEAR_PACK_PRIVATE_H

#include "smear/smear_pack.h"
#include "smear/smear_private.h"

enum {
    LIMBERI_PACK_COLUMNS = 64,
    LIMBERI_PACK_CONSTANTS = 256,
    LIMBERI_PACK_TEXT = 16384,
    LIMBERI_PACK_HEAD = 8, // texels
    LIMBERI_PACK_CHUNK = 64,
    LIMBERI_PACK_SEED = 7 // texels before the columns: vertices, parts, color, ink
};

typedef struct limberi_pack_column {
    const limber_expression* expression;
    uint32_t instruction;
} limberi_pack_column;

typedef struct limberi_pack_columns {
    limberi_pack_column list[LIMBERI_PACK_COLUMNS];
    uint32_t count;
} limberi_pack_columns;

// First texels of the parts of the texture that stays, and texels per item.
typedef struct limberi_pack_fixed_places {
    uint32_t vertex_stride, seed_stride;
    uint32_t influences, joints, children, chunks, strong, seeds, end;
} limberi_pack_fixed_places;

struct limberi_smear_pack {
    limberi_arena arena;
    limber_smear_live* live;
    const limber_smearer* smearer;
    char text[LIMBERI_PACK_TEXT];
    float constants[LIMBERI_PACK_CONSTANTS];
    uint32_t constant_count;
    limberi_pack_columns of_vertices, of_seeds, *filling;
    bool full;
    limberi_smear_pack_layout layout;
    limberi_pack_fixed_places at;
    float *fixed, *frame;
    limberi_smear_mix* mixes; // [history + 1]
};

// Counts everything, takes the texture that stays and fills it.
LIMBER_MUST_USE limber_result limberi_smear_pack_fix(limberi_smear_pack* pack);

#endif
