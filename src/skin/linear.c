// Linear blend skinning: p = (sum of b_k M_k) p_rest.
#include "base/lanes.h"
#include "base/math.h"
#include "skin/skin.h"

#include <string.h>

// Columns of the sum; the fourth numbers do not count.
LIMBERI_INLINED void blend_columns(const limber_mesh* mesh, const limber_mat4* palette, uint32_t vertex,
                                   limberi_lanes sum[4]) {
    for (int column = 0; column < 4; column++)
        sum[column] = limberi_lanes_all(0);
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++) {
        const float* m = palette[mesh->influence_joint[i]].m;
        limberi_lanes weight = limberi_lanes_all(mesh->influence_weight[i]);
        for (int column = 0; column < 4; column++)
            sum[column] += weight * limberi_lanes_load(m + 4 * column);
    }
}

void limberi_skin_blend(const limber_mesh* mesh, const limber_mat4* palette, uint32_t vertex, float* rows) {
    limberi_lanes sum[4];
    float columns[4][4];
    blend_columns(mesh, palette, vertex, sum);
    for (int column = 0; column < 4; column++)
        limberi_lanes_store(columns[column], sum[column]);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            rows[4 * row + column] = columns[column][row];
}

limber_vec3 limberi_skin_normal(const float* rows, limber_vec3 n) {
    limber_vec3 x = limberi_vec3(rows[0], rows[4], rows[8]);
    limber_vec3 y = limberi_vec3(rows[1], rows[5], rows[9]);
    limber_vec3 z = limberi_vec3(rows[2], rows[6], rows[10]);
    limber_vec3 yz = limberi_cross(y, z);
    limber_vec3 zx = limberi_cross(z, x);
    limber_vec3 xy = limberi_cross(x, y);
    float sign = limberi_dot(x, yz) < 0 ? -1.0f : 1.0f;
    limber_vec3 turned =
        limberi_add(limberi_add(limberi_scale(yz, n.x), limberi_scale(zx, n.y)), limberi_scale(xy, n.z));
    return limberi_normalize(limberi_scale(turned, sign));
}

static void skin_positions(const limber_skin_job* job, uint32_t first, uint32_t end) {
    for (uint32_t u = first; u < end; u++) {
        limberi_lanes m[4];
        float out[4];
        const float* p = job->positions + 3 * (size_t)u;
        blend_columns(job->mesh, job->palette, u, m);
        limberi_lanes_store(out, m[0] * limberi_lanes_all(p[0]) + m[1] * limberi_lanes_all(p[1]) +
                                     m[2] * limberi_lanes_all(p[2]) + m[3]);
        memcpy(job->out_positions + 3 * (size_t)u, out, 3 * sizeof *out);
    }
}

void limberi_skin_linear(const limber_skin_job* job, uint32_t first, uint32_t end) {
    skin_positions(job, first, end);
    for (uint32_t u = first; job->out_normals && u < end; u++) {
        float m[12];
        limberi_skin_blend(job->mesh, job->palette, u, m);
        limberi_store3(job->out_normals + 3 * (size_t)u,
                       limberi_skin_normal(m, limberi_load3(job->normals + 3 * (size_t)u)));
    }
}
