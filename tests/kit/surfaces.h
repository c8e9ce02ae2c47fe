// Surfaces of known shape, and characters made of them.
#ifndef LIMBER_TEST_SURFACES_H
#define LIMBER_TEST_SURFACES_H

#include <limber/limber.h>
#include <limber/stages/stages.h>

enum { TEST_SURFACE_VERTICES = 60000, TEST_SURFACE_JOINTS = 8 };

// Grows as shapes are added; all of it hangs on joint 0 unless `joint` is changed. Allocated by test_surface_create.
typedef struct test_surface {
    uint32_t vertex_count, triangle_count, joint_count;
    float positions[3 * TEST_SURFACE_VERTICES];
    uint16_t joint[TEST_SURFACE_VERTICES];
    uint32_t triangles[6 * TEST_SURFACE_VERTICES];
    limber_vec3 joints[TEST_SURFACE_JOINTS]; // places; all are roots
} test_surface;

test_surface* test_surface_create(void);

// Both face outwards. Segments around, rings from pole to pole or from end to end.
void test_surface_ball(test_surface* s, limber_vec3 center, float radius, uint32_t segments, uint32_t rings);
void test_surface_capsule(test_surface* s, limber_vec3 low, float length, float radius, uint32_t segments,
                          uint32_t rings); // upright
void test_surface_tube(test_surface* s, limber_vec3 low, float length, float radius_low, float radius_high,
                       uint32_t segments, uint32_t rings); // upright, open at both ends
// (columns + 1) * (rows + 1) vertices; faces along `right` x `up`.
void test_surface_grid(test_surface* s, limber_vec3 corner, limber_vec3 right, limber_vec3 up, uint32_t columns,
                       uint32_t rows);
void test_surface_triangle(test_surface* s, limber_vec3 a, limber_vec3 b, limber_vec3 c);

// Fails the test when it cannot.
limber_asset* test_surface_asset(const test_surface* s);

// The same character with every triangle on its own three vertices, or with vertices and triangles in another order;
// `from` (may be NULL) says which old vertex each new one is. Only the first mesh.
limber_asset* test_asset_exploded(const limber_model* model, uint32_t* from);
limber_asset* test_asset_shuffled(const limber_model* model, uint32_t* from);
// The same character with its roots moved, turned about the vertical and scaled.
limber_asset* test_asset_placed(const limber_model* model, limber_vec3 move, float turn_rad, float scale);

#endif
