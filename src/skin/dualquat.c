// Dual quaternion skinning (Kavan et al. 2007). Antipodal quaternions are turned to one side, and the stretch of each
// joint is carried separately: p is first scaled by the blended stretch, then moved by the blended rigid motion.
#include "base/math.h"
#include "skin/skin.h"

static bool is_identity(const float* stretch) {
    for (int e = 0; e < 9; e++) // the polar decomposition leaves rounding
        if (!(fabsf(stretch[e] - (e % 4 == 0 ? 1.0f : 0.0f)) <= 1e-6f))
            return false;
    return true;
}

// M = [R S | t]: R the polar rotation, S = R^T M the stretch (with the mirror, if there is one).
void limber_skin_dualquats(const limber_mat4* palette, uint32_t count, limber_dualquat* out) {
    for (uint32_t k = 0; k < count; k++) {
        const limber_mat4* m = &palette[k];
        float r[9];
        limberi_mat4_rotation(m, r);
        for (int column = 0; column < 3; column++) {
            limber_vec3 c = limberi_mat4_column(m, column);
            for (int row = 0; row < 3; row++)
                out[k].stretch[3 * column + row] = limberi_dot(limberi_load3(r + 3 * row), c);
        }
        out[k].rigid = is_identity(out[k].stretch);
        out[k].real = limberi_quat_from_rotation(r);
        limber_vec3 t = limberi_mat4_translation(m);
        limber_quat pure = {0.5f * t.x, 0.5f * t.y, 0.5f * t.z, 0};
        out[k].dual = limberi_quat_mul(pure, out[k].real);
    }
}

static void add_scaled(limber_quat* sum, limber_quat q, float s) {
    sum->x += s * q.x;
    sum->y += s * q.y;
    sum->z += s * q.z;
    sum->w += s * q.w;
}

static limber_dualquat blend(const limber_skin_job* job, uint32_t u) {
    const limber_mesh* mesh = job->mesh;
    limber_dualquat sum = {0};
    uint32_t first = mesh->influence_first[u];
    uint32_t pivot = first;
    for (uint32_t i = first; i < mesh->influence_first[u + 1]; i++) // the heaviest joint decides which side counts
        if (mesh->influence_weight[i] > mesh->influence_weight[pivot])
            pivot = i;
    limber_quat side = job->dualquats[mesh->influence_joint[pivot]].real;
    for (uint32_t i = first; i < mesh->influence_first[u + 1]; i++) {
        const limber_dualquat* d = &job->dualquats[mesh->influence_joint[i]];
        float weight = mesh->influence_weight[i];
        float turned = limberi_quat_dot(side, d->real) < 0 ? -weight : weight;
        add_scaled(&sum.real, d->real, turned);
        add_scaled(&sum.dual, d->dual, turned);
        for (int e = 0; e < 9; e++)
            sum.stretch[e] += weight * d->stretch[e];
    }
    return sum;
}

void limberi_skin_dualquat(const limber_skin_job* job, uint32_t first, uint32_t end) {
    for (uint32_t u = first; u < end; u++) {
        if (job->mesh->influence_first[u + 1] - job->mesh->influence_first[u] == 1) {
            limberi_skin_linear(job, u, u + 1); // one joint has nothing to blend: exactly what linear skinning does
            continue;
        }
        limber_dualquat b = blend(job, u);
        float length = sqrtf(limberi_quat_dot(b.real, b.real));
        float inverse = length > 1e-20f ? 1 / length : 0;
        limber_quat real = limberi_quat_normalize(b.real);
        limber_quat dual = {b.dual.x * inverse, b.dual.y * inverse, b.dual.z * inverse, b.dual.w * inverse};
        limber_quat moved = limberi_quat_mul(dual, limberi_quat_conj(real));
        limber_vec3 translation = limberi_vec3(2 * moved.x, 2 * moved.y, 2 * moved.z);
        limber_vec3 p = limberi_load3(job->positions + 3 * (size_t)u);
        const float* s = b.stretch;
        limber_vec3 stretched = limberi_vec3(s[0] * p.x + s[3] * p.y + s[6] * p.z, s[1] * p.x + s[4] * p.y + s[7] * p.z,
                                             s[2] * p.x + s[5] * p.y + s[8] * p.z);
        limberi_store3(job->out_positions + 3 * (size_t)u,
                       limberi_add(limberi_quat_rotate(real, stretched), translation));
        if (!job->out_normals)
            continue;
        float rows[12] = {s[0], s[3], s[6], 0, s[1], s[4], s[7], 0, s[2], s[5], s[8], 0};
        limber_vec3 n = limberi_skin_normal(rows, limberi_load3(job->normals + 3 * (size_t)u));
        limberi_store3(job->out_normals + 3 * (size_t)u, limberi_quat_rotate(real, n));
    }
}
