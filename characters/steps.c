// Steps that never slide: a foot is a list of plants, and swings from one to the next.
#include "characters/steps.h"

static steps_foot swing(double u, const steps_plant* from, const steps_plant* to, const steps_gait* gait) {
    steps_foot foot = {.z = from->z + (to->z - from->z) * kit_ease(u, 0, 1)};
    foot.up = gait->lift * kit_bump(u, 0, 0.36, 1);
    foot.pitch = KIT_KEYS(u, {0, gait->push_deg}, {0.22, 1.5 * gait->push_deg}, {0.72, 0.1 * gait->push_deg},
                          {0.9, -gait->strike_deg}, {1, -gait->strike_deg});
    foot.air = kit_bump(u, 0, 0.3, 1);
    return foot;
}

steps_foot steps_at(const steps_plant* plants, uint32_t count, double t, const steps_gait* gait) {
    const double flat_s = 0.06;
    const double roll_s = 0.11;
    uint32_t i = 0;
    while (i + 1 < count && t >= plants[i + 1].land_s)
        i++;
    const steps_plant* here = &plants[i];
    if (t >= here->off_s && i + 1 < count)
        return swing((t - here->off_s) / fmax(here[1].land_s - here->off_s, 1e-6), here, here + 1, gait);
    steps_foot foot = {.z = here->z};
    foot.pitch = -gait->strike_deg * (1 - kit_ease(t, here->land_s, here->land_s + flat_s)) +
                 gait->push_deg * kit_ease(t, here->off_s - roll_s, here->off_s);
    return foot;
}

steps_plant steps_run_plant(const steps_gait* gait, double phase, int index) {
    double land = gait->period_s * (index + phase);
    double stand = gait->stance * gait->period_s;
    double speed = gait->stride / gait->period_s;
    return (steps_plant){land, land + stand, speed * (land + 0.5 * stand) + gait->shift};
}

steps_foot steps_run(const steps_gait* gait, double phase, double t) {
    steps_plant plants[4];
    for (int i = 0; i < 4; i++)
        plants[i] = steps_run_plant(gait, phase, i - 2);
    steps_foot foot = steps_at(plants, 4, t, gait);
    foot.z -= gait->stride * t / gait->period_s;
    return foot;
}

double steps_brake(double t, double speed, double from_s, double to_s) {
    double span = to_s - from_s;
    double x = fmin(fmax((t - from_s) / span, 0), 1);
    double xxxx = x * x * x * x;
    // The integral of 1 - kit_ease.
    return speed * (fmin(t, from_s) + span * (x - xxxx * (x * x - 3 * x + 2.5)));
}
