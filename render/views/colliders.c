// The colliders that skin stays out of.
#include "base/math.h"
#include "pipeline/state.h"
#include "render/views/views_private.h"

static void draw_one(limberi_views* v, limber_collider_shape shape, const limberi_placed_collider* at) {
    const float plane_radius = 0.6f * v->model->size;
    if (shape == LIMBER_COLLIDER_PLANE) {
        limberi_shapes_disk(&v->shapes, at->from, at->to, plane_radius);
        return;
    }
    limberi_shapes_ball(&v->shapes, at->from, at->radius);
    if (shape == LIMBER_COLLIDER_SPHERE)
        return;
    const limber_vec3 ends[2] = {at->from, at->to};
    const float radii[2] = {at->radius, at->radius};
    limberi_shapes_path(&v->shapes, ends, radii, 2);
    limberi_shapes_ball(&v->shapes, at->to, at->radius);
}

// Effects take colliders of the style along; those that the style does not use are drawn where the plain bones are.
void limberi_view_colliders(limberi_views* v, const limber_pose* pose) {
    limberi_shapes_pen(&v->shapes, limberi_view_collider, 0.55f, 0.6f);
    for (uint32_t i = 0; v->colliders && i < limber_collider_count(v->colliders); i++) {
        limber_collider c = limber_collider_at(v->colliders, i);
        limberi_placed_collider at =
            v->colliders == v->found ? limberi_collider_place(&c, pose) : limberi_pipeline_collider(v->pipeline, i);
        draw_one(v, c.shape, &at);
    }
}
