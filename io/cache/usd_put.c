// Text that the parts of the UsdSkel writer share.
#include "io/cache/usd_skel.h"

#include <math.h>

void limberi_usd_floats(limberi_usd* usd, const float* values, size_t tuple_count, uint32_t size) {
    for (size_t i = 0; i < tuple_count * size; i++)
        usd->not_finite = usd->not_finite || !isfinite(values[i]);
    if (!usd->not_finite)
        limberi_usd_tuples(&usd->out, values, tuple_count, size, size);
}

// USD multiplies rows by matrices, so its rows are our columns.
void limberi_usd_matrix(limberi_usd* usd, const limber_mat4* matrix) {
    usd->not_finite = usd->not_finite || !limberi_mat4_is_finite(matrix);
    for (size_t c = 0; !usd->not_finite && c < 4; c++)
        limberi_out_tuple(&usd->out, c ? ", (" : "( (", matrix->m + 4 * c, 4, ", ", c < 3 ? ")" : ") )");
}

void limberi_usd_tokens(limberi_usd* usd, const char* before, const char* const* names, size_t count) {
    limberi_out_string(&usd->out, before);
    for (size_t i = 0; i < count; i++) {
        limberi_out_string(&usd->out, i ? ", \"" : "[\"");
        limberi_out_string(&usd->out, names[i]);
        limberi_out_string(&usd->out, "\"");
    }
    limberi_out_string(&usd->out, count ? "]\n" : "[]\n");
}

void limberi_usd_path(limberi_usd* usd, const char* a, const char* b, const char* c) {
    const char* const parts[] = {usd->root, a, b, c};
    for (size_t i = 0; i < 4 && parts[i]; i++) {
        limberi_out_string(&usd->out, "/");
        limberi_out_string(&usd->out, parts[i]);
    }
}
