// limber/stages/impact.h: landings squash the whole body, and it swings back.
//
// A landing is a contact after a flight, or a fall that the floor stops (limber/stages/contacts.h). How much it does
// grows with the speed of the fall; the volume is kept.
#ifndef LIMBER_STAGES_IMPACT_H
#define LIMBER_STAGES_IMPACT_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// How much a landing squashes the body.
typedef struct limber_impact_settings {
    double gain;      // 0: off; 1: a fall from the body's own height squashes it to about 2/3
    double min_speed; // of the fall, in body lengths per second: slower ones do nothing
} limber_impact_settings;

// Gain 0, min_speed 0.9.
LIMBER_API limber_impact_settings limber_impact_settings_default(void);

#ifdef __cplusplus
}
#endif

#endif
