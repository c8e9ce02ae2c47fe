// What src/smear offers to the pipeline besides the public headers: smoothed offsets and split meshes.
#ifndef LIMBERI_SMEAR_H
#define LIMBERI_SMEAR_H

#include "base/memory.h"
#include <limber/stages/smear.h>
#include <limber/stages/subdivide.h>

// The mean of the offsets of 2n + 1 frames (SMEAR, equation 2); offsets[n] belongs to the frame in question.
void limberi_smear_smooth(const float* const* offsets, uint32_t n, uint32_t vertex_count, float* out);

// --- drawn*.c ---

// Smears as drawn look at the motion around a frame in samples of about an eighth of T0, the longer of a frame and
// 1/24 s: sample i of the window is (i - now) * frames / parts frames away, times the step.
typedef struct limberi_drawn_grid {
    uint32_t frames, parts, per_step; // per_step: samples in T0
    uint32_t count, now;
} limberi_drawn_grid;

enum { LIMBERI_DRAWN_SAMPLES = 12 * 12 + 2 }; // largest count
limberi_drawn_grid limberi_drawn_grid_at(double fps);

// A station of a part: its middle, and the covariance of its skin (xx xy xz yy yz zz).
typedef struct limberi_drawn_point {
    limber_vec3 center;
    float spread[6];
} limberi_drawn_point;

struct limberi_drawn;
struct limberi_drawn* limberi_smearer_drawn(limber_smearer* smearer); // NULL: the settings draw nothing
uint32_t limberi_drawn_point_count(const struct limberi_drawn* drawn);
// The points of one sample, from the world matrices of a pose.
void limberi_drawn_pose(const struct limberi_drawn* drawn, const limber_pose* pose, limberi_drawn_point* points);
// After limber_smearer_evaluate: stretches its positions and updates ribbons and strokes. `now` are the positions of
// the frame before anything was smeared. All in the world.
void limberi_drawn_run(limber_smearer* smearer, const limberi_drawn_grid* grid,
                       const limberi_drawn_point* const* samples, const float* now, float* positions);

// --- split_mesh.c ---

// Edges by their two ends in either order, numbered in the order they were first asked for.
typedef struct limberi_edge_numbers {
    uint64_t* keys; // [size] 0: free, otherwise both ends and 1
    uint32_t* numbers;
    uint32_t size, count; // size is a power of two
} limberi_edge_numbers;

// Room for `max` edges.
bool limberi_edge_numbers_allocate(limberi_arena* arena, size_t max, limberi_edge_numbers* edges);
uint32_t limberi_edge_number(limberi_edge_numbers* edges, uint32_t a, uint32_t b);

// One mesh with the sides of triangles split whose flag is set. Everything is the arena's or the old mesh's.
// `split` [3 * triangle + side]; side s lies between the corners s and s + 1.
LIMBER_MUST_USE limber_result limberi_mesh_split(limberi_arena* arena, const limber_mesh* mesh, const uint8_t* split,
                                                 limber_mesh* out);

// The largest difference seen along any edge, in model units.
float limberi_subdivider_worst(const limber_subdivider* subdivider);

// How many frames on either side the offsets of a frame are smoothed over; `job` has its time.
uint32_t limberi_smear_smooth_at(const limber_smear_settings* settings, const limber_smear_job* job);

// Whether anything of the settings is made with offsets: elongation, copies, lines.
bool limberi_smear_reads_offsets(const limber_smear_settings* settings);

#endif
