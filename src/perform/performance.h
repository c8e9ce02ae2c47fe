// A clip in, a clip out: retimed and with stronger poses, and what its body does as a whole (S14 to S17).
#ifndef LIMBERI_PERFORMANCE_H
#define LIMBERI_PERFORMANCE_H

#include "perform/body.h"
#include "perform/holds.h"
#include <limber/stages/perform.h>

// What all clips of a character share.
typedef struct limberi_performer {
    const limber_model* model;
    limberi_anatomy* anatomy;
    limberi_skin_sums* surface;
    limberi_touch_points points;
} limberi_performer;

typedef struct limberi_performance {
    limberi_arena arena;
    limber_clip clip; // play this one; shares what did not change with the plain clip
    bool posed;       // joints are elsewhere than in the plain clip at the source time
    uint32_t count;
    double step_s;
    const double* source; // [count] which moment of the plain clip each moment shows; NULL: the same
    uint32_t key_count;
    const double* key_times;         // of key poses, from the start of the plain clip
    double landing;                  // gain of landings, for bodies without legs
    double height;                   // of the body
    const limberi_body_moment* body; // [count] NULL: it keeps its shape
    limberi_holds holds;             // of a step that goes by the speed
    uint32_t flight_count;
    uint32_t hold_count; // single holds
    bool gait;           // travels steadily, or never rests
    double gain;         // of the poses
    double amplitude;    // of the plain clip
} limberi_performance;

// `index` is the clip's number in the model, `ground` what the plain clip does on it. `parallel`: threads to
// share its moments with; NULL: none. NULL: not enough memory.
limberi_performance* limberi_perform(const limberi_performer* performer, int32_t index, const limber_clip* clip,
                                     const limberi_clip_ground* ground, bool loops,
                                     const limber_perform_settings* settings, const limber_parallel* parallel);
void limberi_performance_destroy(limberi_performance* performance);

// The time of the plain clip that is shown at a time.
double limberi_performance_source(const limberi_performance* performance, double time_s);
// What the body does at a time. False: it keeps its shape.
bool limberi_performance_body(const limberi_performance* performance, double time_s, limberi_body_moment* body);

// Whether the settings change clips; otherwise they are about the shape of the body alone.
bool limberi_perform_edits(const limber_perform_settings* settings);

#endif
