// What is affine in p, for the shader.
#include "gpu/packing.h"

float limberi_pack_column_scale(const limberi_pack* p, uint32_t slot, uint32_t part) {
    int column = slot < LIMBERI_PACK_EFFECTS ? p->column_of[2 * slot + part] : -1;
    return column < 0 ? 1 : p->columns[column].scale;
}

static float* put_symmetric(float* out, const float* m, float scale) {
    out = limberi_put4(out, scale * m[0], scale * m[1], scale * m[2], scale * m[4]);
    return limberi_put4(out, scale * m[5], scale * m[8], 0, 0);
}

// What is affine: of a joint and all above it, or of one joint of a chain.
float* limberi_pack_put_folds(const limberi_pack* p, bool moves, uint32_t joint, float row, float* out) {
    static const float nothing[12] = {0};
    float* const* palettes = p->deformer->frame.palettes;
    const float* m = moves ? palettes[LIMBERI_FOLD_CONSTANT] + 12 * (size_t)joint : nothing;
    out = limberi_put4(out, m[9], m[10], m[11], row);
    if (p->folds & LIMBERI_PACK_FOLD_MATRIX)
        out = put_symmetric(out, m, 1);
    for (uint32_t i = 0; i < LIMBERI_PACK_FOLDS; i++) {
        if (!(p->folds & 1u << (i + 1)))
            continue;
        uint32_t slot = p->folded[i];
        bool matrix = limberi_effects[slot]->affine_matrix;
        uint32_t fold = matrix ? (uint32_t)p->matrix_fold : LIMBERI_FOLD_SLOT + slot;
        float scale = limberi_pack_column_scale(p, slot, limberi_effects[slot]->affine_part);
        m = moves ? palettes[fold] + 12 * (size_t)joint : nothing;
        if (matrix)
            out = put_symmetric(out, m, scale);
        out = limberi_put4(out, scale * m[9], scale * m[10], scale * m[11], 0);
    }
    return out;
}
