// What `limber bench` and the instruction counts share: characters in which every joint moves, sets of effects, and
// time taken in rounds.
#ifndef LIMBER_BENCH_H
#define LIMBER_BENCH_H

#include <limber/limber.h>
#include <limber/stages/stages.h>

// --- sets of effects ---

typedef enum bench_set {
    BENCH_SKIN,           // plain linear blend skinning: what the others are compared with
    BENCH_DUALQUAT,       // plain dual quaternion skinning
    BENCH_VELOCITY,       // floppy and squash, both parts
    BENCH_VELOCITY_CHAIN, // the same, composed as a chain
    BENCH_JACOBIAN,       // as velocity, with normals that follow by the Jacobian of the deformation
    BENCH_AVERAGED,       // as velocity, with normals that follow their surface's averaged ones
    BENCH_AFFINE,         // what is affine in p: linear parts and stretch
    BENCH_ALL,            // all six effects with limits, twist and bend, a layer on each of them, lift by mesh normals
    BENCH_STILL,          // the same of a character that stands still
    BENCH_OVERLAP,        // overlap and squash along a chain, as the presets have them
    BENCH_OVERLAP_SUM,    // the same, composed as a sum
    BENCH_OVERLAP_JACOBIAN, // along a chain, with normals that follow by the Jacobian
    BENCH_SMEAR,            // motion offsets alone, from vertices that are there already
    BENCH_SET_COUNT
} bench_set;

#define BENCH_LAYER "bench" // the layer that bench_moving and bench_rig paint

const char* bench_set_name(bench_set set);
limber_stage_settings bench_settings(bench_set set);
uint32_t bench_outputs(bench_set set); // LIMBER_OUTPUT_...

// --- characters ---

// A copy of `asset` with a layer and with one clip, in which every joint turns and travels all the time.
LIMBER_MUST_USE limber_result bench_moving(const limber_asset* asset, limber_asset** moving, limber_error* error);

// The same where only some joints move.
LIMBER_MUST_USE limber_result bench_moving_joints(const limber_asset* asset, uint32_t first, uint32_t count,
                                                  limber_asset** moving, limber_error* error);

// A generated character of four influences per vertex that moves in the same way. Its joints are a chain, or a bush in
// which each has four children.
LIMBER_MUST_USE limber_result bench_rig(uint32_t joint_count, uint32_t vertex_count, bool bush, limber_asset** asset,
                                        limber_error* error);

double bench_frame_time(uint32_t frame); // seconds into that clip

double bench_pairs_per_vertex(const limber_asset* asset); // after upward propagation
// Read and written for each vertex, caches left aside; 0 where that is not known.
double bench_bytes_per_vertex(const limber_asset* asset, bench_set set);

// --- time ---

// Cases of one measurement take turns within each round, so that a busy neighbour hits all of them alike.
typedef struct bench_case {
    bench_set set;
    const limber_parallel* parallel; // NULL: one thread
    double best_ns, median_ns;       // result, per vertex
    double bytes;                    // result: memory of the pipeline, 0 where that is unknown
} bench_case;

// Times the vertex work (limber_pipeline_evaluate_vertices) of a character made by bench_moving or bench_rig until
// `budget_s` is spent. *rounds is how often.
LIMBER_MUST_USE limber_result bench_measure(const limber_asset* moving, bench_case* cases, uint32_t case_count,
                                            double budget_s, uint32_t* rounds, limber_error* error);

// Memory in use by this program, in bytes; 0 where that is not known.
double bench_memory(void);

// Times the joints (limber_pipeline_evaluate_joints) of a character's first clip, in microseconds per frame.
typedef struct bench_motion {
    limber_filter_type filter; // what every quantity goes through
    double best_us, median_us; // result
} bench_motion;

LIMBER_MUST_USE limber_result bench_measure_motion(const limber_asset* asset, bench_motion* cases, uint32_t case_count,
                                                   double budget_s, limber_error* error);

#endif
