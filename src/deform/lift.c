// Lift: skirts fly up when they spin (acceleration skinning, equations 13 and 14; thesis 5.3, the two-pass form).
//   angular  k X (source . n) n, X = max(0, (|r| - r0) / L)
// n is the outward normal of a cone, or the vertex normal; `source` the displacement of other effects at this vertex.
#include "deform/effects.h"

static limber_vec3 cone_normal(const limberi_lift* lift, limber_vec3 p) {
    limber_vec3 out = limberi_normalize(limberi_radius(p, lift->apex, lift->axis));
    return limberi_sub(limberi_scale(out, lift->cosine), limberi_scale(lift->axis, lift->sine));
}

void limberi_effect_lift(const limber_effect_block* b, const limberi_lift* lift) {
    limberi_turn turn;
    if (!limberi_turn_of(b->angular_velocity, b->bone_direction, &turn))
        return;
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->weight[i] == 0 || b->angular[i] == 0)
            continue;
        limber_vec3 p = limberi_vec3(b->x[i], b->y[i], b->z[i]);
        float reach = limberi_length(limberi_radius(p, b->position, turn.axis)) - lift->base_radius;
        if (!(reach > 0))
            continue;
        limber_vec3 n = lift->mesh_normals ? limberi_vec3(b->nx[i], b->ny[i], b->nz[i]) : cone_normal(lift, p);
        limber_vec3 source = limberi_vec3(lift->source_x[i], lift->source_y[i], lift->source_z[i]);
        float amount = b->angular[i] * (reach / b->size) * limberi_dot(source, n);
        limberi_displace(b, i, limberi_scale(n, amount));
    }
}
