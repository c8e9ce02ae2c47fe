// Edits made at single moments, spread over the time around them (stretchable cartoon editing,
// section 3: temporal Laplace with zero ends).
#ifndef LIMBERI_EXAGGERATE_SPREAD_H
#define LIMBERI_EXAGGERATE_SPREAD_H

#include <limber/stages/exaggerate.h>

typedef struct limberi_knot {
    double time_s;
    double value[3];
    double slope[3]; // filled by limberi_spread_prepare
} limberi_knot;

// `knots` has room for `count` + 2: the first and the last become the ends of the window, where everything is 0; the
// keys lie between. `scratch` has room for `count` + 2 numbers.
void limberi_spread_prepare(limberi_knot* knots, uint32_t count, double window_s, limber_spread spread,
                            double* scratch);
// Adds the edit at a time; nothing outside the window. `count` as above.
void limberi_spread_add(const limberi_knot* knots, uint32_t count, limber_spread spread, double time_s,
                        limber_vec3* value);

// Smooths three numbers a frame by passes that are each as wide as a frame at 30 fps, whatever the step. `scratch` has
// room for `count` values. A loop's last frame is its first again.
void limberi_smooth(limber_vec3* values, size_t stride, uint32_t count, bool loops, double step_s, double passes,
                    limber_vec3* scratch);

#endif
