// limber/stages/perform.h: a performance: timing, stronger poses, anticipation, and squash of the whole body, as an
// animator would add them.
//
// A clip is looked at once: what the hips, the trunk, the limbs, the legs and the head are, what stands on the floor,
// where the motion rests and where it hurries. Then it is retimed (key poses are held, the way between them is short,
// leaps hang in the air) and its own poses are made larger, with feet that stay where they were. All later stages run on
// the changed clip. A pipeline does this when its settings or style say so:
//
//     limber_stage_settings settings = limber_stage_settings_default();
//     settings.perform.snap = 0.75;
//     settings.perform.exaggerate = 0.8;
//     limber_pipeline* pipeline;
//     limber_error error;
//     if (limber_pipeline_create_from_settings(asset, &settings, &pipeline, &error) != LIMBER_OK)
//         return 1;
//     printf("at 0.5 s it shows what was at %g s\n", limber_pipeline_source_time(pipeline, 0, 0.5));
//     limber_pipeline_destroy(pipeline);
//
// Duration and loops are kept. Steady walks and runs, swims and idles keep their timing. With a `step` whole frames are
// held, as in drawn films: everything shows what it shows at the held time.
//
// Live poses (limber/live.h) become larger and their body squashes, too, from what was so far; they are not retimed, and
// nothing is anticipated.
#ifndef LIMBER_STAGES_PERFORM_H
#define LIMBER_STAGES_PERFORM_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

// A moment that stays for as long as an animator says, whatever `snap`, gaits and flights do there. It keeps its time, as
// key poses do; where there is no room beside it, it comes out shorter. What is not a time (NaN, below 0, behind the end)
// is left out; of several holds within 0.09 s the last one counts.
typedef struct limber_hold {
    int32_t clip;    // -1: every clip
    double at_s;     // from the start of the plain clip
    double length_s; // how long it stays; 0: the clip passes it at its plain speed
} limber_hold;

// How the timing, the poses and the body of a clip become stronger.
typedef struct limber_perform_settings {
    uint32_t struct_size;  // set by limber_perform_settings_default
    double snap;           // timing: holds and snaps; 0: off, 0.75: clearly visible
    double hang;           // timing: how long leaps hang at their top; 0: off, 1: clearly visible
    double exaggerate;     // how much larger poses become; 0: off, 0.8: clearly visible
    double anticipate;     // how much each motion starts the other way; 0: off
    const float* of_joint; // [joint] multiplies the change of its pose; NULL: 1
    double trail;  // the larger pose comes later by this part of a swing there and back, ends of limbs most; 0: at once
    double squash; // of the whole body, with its volume kept; 0: off, 1: clearly visible. Instead of the impact
    double bend;   // of the whole body against its acceleration; 0: off, 1: clearly visible
    uint32_t step; // timing: frames of 1/24 s that a pose is held; 1: off, 0: 1 to 3 by speed ("auto")
    const limber_hold* holds; // timing: single holds; borrowed like of_joint
    uint32_t hold_count;
} limber_perform_settings;

// Everything off.
LIMBER_DEFAULT(limber_perform_settings)
// Whether the settings change clips.
LIMBER_API bool limber_perform_is_on(const limber_perform_settings* settings);

// What a pipeline found out about a character and made of one of its clips; see limber_pipeline_performance.
typedef struct limber_performance {
    int32_t hips, head; // joints; -1: none
    uint32_t trunk_count, limb_count, leg_count;
    const uint32_t* trunk;   // [trunk_count] joints, parents first
    const uint32_t* limbs;   // [limb_count] the first joint of each; legs come first
    bool posed;              // poses are stronger than in the plain clip
    bool retimed;            // it runs faster and slower than the plain clip
    bool gait;               // it travels steadily, or is a loop that never comes to rest: it keeps its timing
    bool shaped;             // the body is squashed or bent
    uint32_t key_count;      // key poses: where the motion rests
    const double* key_times; // [key_count] seconds of the plain clip, rising
    uint32_t flight_count;   // leaps
    double max_shift_s;      // how much earlier or later than in the plain clip something happens at most
    double slowest, fastest; // of the plain speed
    double lingers;          // share of the time that runs at less than 0.8 of the plain speed
    double pose_gain;        // how much larger poses become: a small performance gets more than the style says
    double amplitude;        // rms distance of the skin from its mean shape in the plain clip, in body heights
    double new_amplitude;    // and in the performed one
    double shortest;         // height of the body, as a part of its own: where it is squashed most, ...
    double tallest;          // ... and where it is stretched most
    uint32_t held_frames[3]; // step "auto": how many frames of 1/24 s are on ones, twos and threes
    uint32_t hold_count;     // single holds of the settings in this clip
    const void* reserved[6];
} limber_performance;

#ifdef __cplusplus
}
#endif

#endif
