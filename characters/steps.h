// Steps that never slide: a foot is a list of plants, and swings from one to the next.
#ifndef LIMBERI_CHARACTERS_STEPS_H
#define LIMBERI_CHARACTERS_STEPS_H

#include "characters/kit.h"

// A foot stands at z from `land_s` to `off_s` and swings to the next plant.
typedef struct steps_plant {
    double land_s, off_s, z;
} steps_plant;

typedef struct steps_gait {
    double period_s, stride, stance; // a stride is two steps; each foot stands for this part of the period
    double shift;                    // of the plants against the body, metres
    double lift;                     // of a swinging foot
    double push_deg, strike_deg;     // heel up before leaving, toes up when landing
} steps_gait;

typedef struct steps_foot {
    double z, up; // against its place at rest
    double pitch; // degrees; heel raised, below 0 toes raised
    double air;   // 0 on the floor, 1 in the middle of a swing
} steps_foot;

// One foot between the plants around time t.
steps_foot steps_at(const steps_plant* plants, uint32_t count, double t, const steps_gait* gait);
// Plant `index` of a run in which the body is at 0 at time 0; a foot with phase 0 lands then, others later in the period.
steps_plant steps_run_plant(const steps_gait* gait, double phase, int index);
// A foot of a run on the spot, on a floor that glides back at stride / period.
steps_foot steps_run(const steps_gait* gait, double phase, double t);
// How far a body has come at time t that goes at `speed` and brakes between two times.
double steps_brake(double t, double speed, double from_s, double to_s);

#endif
