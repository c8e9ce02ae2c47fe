// Corrective displacements: what to add to the mesh before skinning so that the skinned result lands on a given frame.
// With M the blended matrix of a vertex, M (p + delta) = target, so delta = M^-1 (target - M p).
#include "bake/bake_private.h"
#include "base/math.h"
#include "skin/skin.h"

// The blended matrix of a vertex: its columns, their cofactors (rows of the inverse times the determinant).
typedef struct blended {
    limber_vec3 x, y, z, shift, yz, zx, xy;
    float determinant;
} blended;

static blended blend(const limber_mesh* mesh, const limber_mat4* palette, uint32_t vertex) {
    float m[12];
    blended b;
    limberi_skin_blend(mesh, palette, vertex, m);
    b.x = limberi_vec3(m[0], m[4], m[8]);
    b.y = limberi_vec3(m[1], m[5], m[9]);
    b.z = limberi_vec3(m[2], m[6], m[10]);
    b.shift = limberi_vec3(m[3], m[7], m[11]);
    b.yz = limberi_cross(b.y, b.z);
    b.zx = limberi_cross(b.z, b.x);
    b.xy = limberi_cross(b.x, b.y);
    b.determinant = limberi_dot(b.x, b.yz);
    return b;
}

// Joints that fold a vertex flat leave no way back; what nearly does loses its digits in single precision.
static bool is_flat(const blended* b) {
    float size = limberi_dot(b->x, b->x) + limberi_dot(b->y, b->y) + limberi_dot(b->z, b->z);
    return !(fabsf(b->determinant) > 1e-3f * size * sqrtf(size));
}

static limber_vec3 invert_slowly(const blended* b, limber_vec3 off) {
    limber_mat4 m = limber_mat4_identity();
    limber_mat4 inverse;
    limberi_store3(m.m, b->x);
    limberi_store3(m.m + 4, b->y);
    limberi_store3(m.m + 8, b->z);
    return limberi_mat4_inverse(&m, &inverse) ? limberi_mat4_vector(&inverse, off) : limberi_vec3(0, 0, 0);
}

static bool is_finite(limber_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static limber_vec3 invert(const blended* b, limber_vec3 off) {
    if (is_flat(b))
        return invert_slowly(b, off);
    return limberi_scale(limberi_vec3(limberi_dot(b->yz, off), limberi_dot(b->zx, off), limberi_dot(b->xy, off)),
                         1 / b->determinant);
}

static limber_vec3 correct_position(const blended* b, limber_vec3 p, limber_vec3 target) {
    limber_vec3 skinned = limberi_vec3(b->x.x * p.x + b->y.x * p.y + b->z.x * p.z + b->shift.x,
                                       b->x.y * p.x + b->y.y * p.y + b->z.y * p.z + b->shift.y,
                                       b->x.z * p.x + b->y.z * p.y + b->z.z * p.z + b->shift.z);
    limber_vec3 off = limberi_sub(target, skinned);
    if (limberi_is_zero(off))
        return off;
    limber_vec3 delta = invert(b, off);
    bool lost = is_finite(off) && !is_finite(delta); // joints that shrink a vertex to next to nothing
    return lost ? limberi_vec3(0, 0, 0) : delta;
}

// A player turns normals by the cofactors of M, which M^T undoes up to length.
static limber_vec3 correct_normal(const blended* b, limber_vec3 n, limber_vec3 target) {
    limber_vec3 turned =
        limberi_add(limberi_add(limberi_scale(b->yz, n.x), limberi_scale(b->zx, n.y)), limberi_scale(b->xy, n.z));
    limber_vec3 skinned = limberi_normalize(limberi_scale(turned, b->determinant < 0 ? -1.0f : 1.0f));
    limber_vec3 apart = limberi_sub(skinned, target);
    if (limberi_dot(apart, apart) < 1e-12f) // single precision
        return limberi_vec3(0, 0, 0);
    limber_vec3 back = limberi_vec3(limberi_dot(b->x, target), limberi_dot(b->y, target), limberi_dot(b->z, target));
    limber_vec3 unit = limberi_normalize(back);
    return limberi_dot(unit, unit) > 0.5f ? limberi_sub(unit, n) : limberi_vec3(0, 0, 0);
}

void limberi_bake_corrective(const limberi_bake_corrective_job* job) {
    const limber_mesh* mesh = job->mesh;
    const float* positions = job->morphed_positions ? job->morphed_positions : mesh->positions;
    const float* normals = job->morphed_normals ? job->morphed_normals : mesh->normals;
    uint32_t end = job->vertex_count == LIMBER_TO_END ? mesh->vertex_count : job->first_vertex + job->vertex_count;
    for (uint32_t u = job->first_vertex; u < end; u++) {
        size_t at = 3 * (size_t)u;
        blended m = blend(mesh, job->palette, u);
        limberi_store3(job->out_positions + at,
                       correct_position(&m, limberi_load3(positions + at), limberi_load3(job->positions + at)));
        if (job->out_normals)
            limberi_store3(job->out_normals + at,
                           correct_normal(&m, limberi_load3(normals + at), limberi_load3(job->normals + at)));
    }
}

double limberi_bake_mesh_scale(const limber_model* model, const limber_mesh* mesh) {
    const limber_mat4* place = &model->skins[mesh->skin].world_from_mesh;
    double longest = 0;
    for (int c = 0; c < 3; c++)
        longest = fmax(longest, (double)limberi_length(limberi_mat4_column(place, c)));
    return longest > 0 ? longest : 1;
}
