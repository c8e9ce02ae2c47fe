// Inside render/: bones, balls, arrows and paths as triangles for limberi_renderer_overlay.
#ifndef LIMBERI_SHAPES_H
#define LIMBERI_SHAPES_H

#include "render/render.h"

typedef struct limberi_shapes {
    limberi_overlay_vertex* vertices;
    uint32_t count, capacity;
    bool short_of_memory;
    float color[4]; // of what is added next
    float hidden;
} limberi_shapes;

void limberi_shapes_clear(limberi_shapes* shapes); // keeps the memory
void limberi_shapes_destroy(limberi_shapes* shapes);
// sRGB bytes; `hidden` as in limberi_overlay_vertex.
void limberi_shapes_pen(limberi_shapes* shapes, const uint8_t color[3], float opacity, float hidden);

void limberi_shapes_ball(limberi_shapes* shapes, limber_vec3 center, float radius);
// A tapered octahedron, thickest near `from`.
void limberi_shapes_bone(limberi_shapes* shapes, limber_vec3 from, limber_vec3 to, float radius);
// From ring to ring along points with a thickness each; at most LIMBERI_PATH_LIMIT points. Points on top of each other
// are left out.
#define LIMBERI_PATH_LIMIT 128u
void limberi_shapes_path(limberi_shapes* shapes, const limber_vec3* points, const float* radii, uint32_t count);
// A flat round sheet.
void limberi_shapes_disk(limberi_shapes* shapes, limber_vec3 center, limber_vec3 normal, float radius);
void limberi_shapes_arrow(limberi_shapes* shapes, limber_vec3 from, limber_vec3 to, float radius);
// An arrow that follows a circle: `arm` turned about `axis` (unit length) by an angle, with a spoke to the centre.
void limberi_shapes_turn(limberi_shapes* shapes, limber_vec3 center, limber_vec3 axis, limber_vec3 arm, float angle_rad,
                         float radius);

#endif
