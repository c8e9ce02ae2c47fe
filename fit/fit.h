// The style that brings a plain clip closest to wanted vertices: a simulation, a sculpt, the bake of another program.
// (Velocity skinning, section 8, leaves "to make the weights match a physical simulation" as future work.)
//
// Least squares over the vertices of some frames. Displacements are nearly linear in the gains, so the first step of the
// search is a linear problem; a few damped Gauss-Newton steps (Levenberg-Marquardt) settle the rest: bends, springs and
// limits. Filters and limits are only added where they explain a good part of what the gains leave.
#ifndef LIMBERI_FIT_H
#define LIMBERI_FIT_H

#include <limber/bake.h>
#include <limber/pipeline.h>
#include <limber/stages/deform.h>
#include <limber/style.h>

#define LIMBERI_FIT_LAYERS 3u

// The same motion in both files.
typedef struct limberi_fit_clip {
    uint32_t plain, wanted;
} limberi_fit_clip;

typedef struct limberi_fit_job {
    const limber_asset *plain, *wanted; // with the same meshes
    limber_style* base;                 // its keys stay, but for those that are fitted
    uint32_t effects;                   // bit per limber_effect, of limberi_fit_effects
    uint32_t layer_count;               // LIMBERI_FIT_LAYERS at most
    const char* const* layers;          // every gain of an effect without a follower gets a part for each
    uint32_t clip_count;
    const limberi_fit_clip* clips;
    double fps;            // 0: that of each plain clip
    double start_s, end_s; // of the plain clips
    const limber_parallel* parallel;
    limber_progress progress; // may be NULL; counts the passes over the frames
    void* user;
} limberi_fit_job;

// How close two motions are: sums over all vertices of all frames.
typedef struct limberi_fit_measure {
    uint32_t frame_count;
    double wanted;    // root mean square distance between plain and wanted vertices, in L
    double left;      // the same between fitted and wanted ones
    double explained; // 1 - left^2 / wanted^2; 1 where nothing is wanted
} limberi_fit_measure;

typedef struct limberi_fitted_key {
    char path[128]; // "effects.floppy.angular", or "effects.floppy.angular * paint.ears" of a layer
    double value;
} limberi_fitted_key;

typedef struct limberi_fit {
    limber_style* style; // base and what was found
    uint32_t key_count;
    const limberi_fitted_key* keys;
    limberi_fit_measure total;
    const limberi_fit_measure* clips; // [job.clip_count]
} limberi_fit;

// Bit per limber_effect that can be fitted; by default those without springs of their own.
uint32_t limberi_fit_effects(bool by_default);
// Whether one of them is made for "compose": "chain".
bool limberi_fit_wants_chain(uint32_t effects);

// Whether the meshes are the same: LIMBER_ERROR_DATA and a sentence when they are not.
LIMBER_MUST_USE limber_result limberi_fit_check(const limber_model* plain, const limber_model* wanted,
                                                limber_error* error);

// *fit is NULL when it fails: memory is short, a vertex is not finite, or nothing is displaced.
LIMBER_MUST_USE limber_result limberi_fit_run(const limberi_fit_job* job, limberi_fit** fit, limber_error* error);
void limberi_fit_destroy(limberi_fit* fit);

#endif
