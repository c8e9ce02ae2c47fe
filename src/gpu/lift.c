// Lift along the mesh's normals for the shader: one normal for all vertices of a place. It is folded onto an octahedron
// (Meyer and others, "On floating-point normal vectors", 2010), two numbers of 32 bits: two columns have the upper half
// of each, two the rest.
#include "base/math.h"
#include "gpu/packing.h"

enum { COLUMNS = 4 };
static const double steps = 32767; // of a column

uint32_t limberi_pack_lift_columns(const limberi_pack* p) {
    return limberi_deform_split(p->deformer) ? COLUMNS : 0;
}

static double side(double x) {
    return x < 0 ? -1 : 1;
}

static void store_normal(limber_vec3 n, int16_t* out) {
    double sum = fabs((double)n.x) + fabs((double)n.y) + fabs((double)n.z);
    double x = sum > 0 ? (double)n.x / sum : 0;
    double y = sum > 0 ? (double)n.y / sum : 0;
    const double folded[2] = {n.z < 0 ? (1 - fabs(y)) * side(x) : x, n.z < 0 ? (1 - fabs(x)) * side(y) : y};
    for (int c = 0; c < 2; c++) {
        double upper = rint(fmax(-1, fmin(folded[c], 1)) * steps);
        out[c] = (int16_t)upper;
        out[2 + c] = (int16_t)rint((folded[c] * steps - upper) * steps); // at most half a step
    }
}

// Vertices that are not split keep their own normal: the rest is more than it can be.
void limberi_pack_put_lift_columns(const limberi_pack* p, const float* normals, size_t stride, int16_t* out) {
    const limberi_split_normals* split = limberi_deform_split(p->deformer);
    for (size_t u = 0; u < p->model->vertex_count; u++)
        out[u * stride + 2] = INT16_MAX;
    for (uint32_t i = 0; i < split->first[split->count]; i++)
        store_normal(limberi_load3(normals + 3 * (size_t)split->vertices[i]), out + split->vertices[i] * stride);
}
