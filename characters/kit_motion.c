// What motions are written with: turning joints, reaching with limbs, and curves of time.
#include "characters/kit_internal.h"

#include <string.h>

static limber_quat about(double x, double y, double z, double angle_deg) {
    double half = 0.5 * angle_deg * LIMBERI_PI / 180;
    double s = sin(half);
    return (limber_quat){(float)(x * s), (float)(y * s), (float)(z * s), (float)cos(half)};
}

limber_quat kit_euler(double x_deg, double y_deg, double z_deg) {
    limber_quat q = limberi_quat_mul(about(0, 1, 0, y_deg), about(1, 0, 0, x_deg));
    return limberi_quat_mul(q, about(0, 0, 1, z_deg));
}

void kit_turn(kit_pose* pose, uint32_t joint, double x_deg, double y_deg, double z_deg) {
    limber_transform* local = &pose->local[joint];
    local->rotation = limberi_quat_mul(local->rotation, kit_euler(x_deg, y_deg, z_deg));
}

void kit_move(kit_pose* pose, uint32_t joint, double x, double y, double z) {
    limber_transform* local = &pose->local[joint];
    local->translation = limberi_add(local->translation, kit_at((float)x, (float)y, (float)z));
}

limber_quat kit_pose_turned(const kit_pose* pose, uint32_t joint) {
    limber_quat q = pose->local[joint].rotation;
    for (int32_t j = pose->k->parents[joint]; j >= 0; j = pose->k->parents[j])
        q = limberi_quat_mul(pose->local[j].rotation, q);
    return limberi_quat_normalize(q);
}

limber_vec3 kit_pose_at(const kit_pose* pose, uint32_t joint) {
    limber_vec3 p = pose->local[joint].translation;
    for (int32_t j = pose->k->parents[joint]; j >= 0; j = pose->k->parents[j])
        p = limberi_add(pose->local[j].translation, limberi_quat_rotate(pose->local[j].rotation, p));
    return p;
}

static limber_quat frame(limber_vec3 along, limber_vec3 pole) {
    limber_vec3 x = limberi_normalize(along);
    limber_vec3 y = limberi_across(pole, x);
    limber_vec3 z = limberi_cross(x, y);
    float r[9] = {x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
    return limberi_quat_from_rotation(r);
}

// The world rotation that takes a bone from its direction at rest to `along`, keeping the pole on the same side.
static limber_quat aim(limber_vec3 rest, limber_vec3 rest_pole, limber_vec3 along, limber_vec3 pole) {
    return limberi_quat_mul(frame(along, pole), limberi_quat_conj(frame(rest, rest_pole)));
}

// Grows like x up to 98.5 % of the reach, then bends towards it without a kink, so that a knee never snaps straight.
static float soft_reach(float distance, float reach) {
    float knee = 0.985f * reach;
    float room = 0.0145f * reach;
    return distance <= knee ? distance : knee + room * (1 - expf(-(distance - knee) / room));
}

// `to` leads from the limb's root to the target, `side` (unit, across it) is where the middle joint goes; the rolls
// keep their side of each bone.
static void bend_limb(kit_pose* pose, const uint32_t* joints, limber_vec3 to, limber_vec3 side, limber_vec3 rest_roll,
                      limber_vec3 roll, limber_quat turned) {
    limber_vec3 upper_rest = pose->k->rest_local[joints[1]].translation;
    limber_vec3 lower_rest = pose->k->rest_local[joints[2]].translation;
    float a = limberi_length(upper_rest);
    float b = limberi_length(lower_rest);
    int32_t parent = pose->k->parents[joints[0]];
    limber_quat carried = parent < 0 ? limberi_quat_identity() : kit_pose_turned(pose, (uint32_t)parent);
    float distance = soft_reach(fmaxf(limberi_length(to), 1.02f * fabsf(a - b) + 1e-6f), a + b);
    limber_vec3 along = limberi_normalize(to);
    float cosine = fminf(fmaxf((a * a + distance * distance - b * b) / (2 * a * distance), -1), 1);
    float sine = sqrtf(fmaxf(1 - cosine * cosine, 0));
    limber_vec3 knee = limberi_add(limberi_scale(along, a * cosine), limberi_scale(side, a * sine));
    limber_vec3 shin = limberi_sub(limberi_scale(along, distance), knee);
    limber_quat world_upper = aim(upper_rest, rest_roll, knee, roll);
    limber_quat world_lower = aim(lower_rest, rest_roll, shin, roll);
    pose->local[joints[0]].rotation = limberi_quat_mul(limberi_quat_conj(carried), world_upper);
    pose->local[joints[1]].rotation = limberi_quat_mul(limberi_quat_conj(world_upper), world_lower);
    pose->local[joints[2]].rotation = limberi_quat_mul(limberi_quat_conj(world_lower), turned);
}

void kit_reach(kit_pose* pose, uint32_t upper, uint32_t lower, uint32_t end, limber_vec3 target, limber_vec3 pole,
               limber_quat turned) {
    int32_t parent = pose->k->parents[upper];
    limber_quat carried = parent < 0 ? limberi_quat_identity() : kit_pose_turned(pose, (uint32_t)parent);
    limber_vec3 to = limberi_sub(target, kit_pose_at(pose, upper));
    limber_vec3 world_pole = limberi_quat_rotate(carried, pole);
    limber_vec3 side = limberi_across(world_pole, limberi_normalize(to));
    bend_limb(pose, (const uint32_t[]){upper, lower, end}, to, side, pole, world_pole, turned);
}

void kit_reach_hinge(kit_pose* pose, uint32_t upper, uint32_t lower, uint32_t end, limber_vec3 target,
                     limber_vec3 rest_hinge, limber_vec3 hinge, limber_quat turned) {
    limber_vec3 to = limberi_sub(target, kit_pose_at(pose, upper));
    limber_vec3 along = limberi_normalize(to);
    limber_vec3 side = limberi_cross(along, limberi_across(hinge, along));
    bend_limb(pose, (const uint32_t[]){upper, lower, end}, to, side, rest_hinge, hinge, turned);
}

kit_step kit_step_at(double way, double stride, double phase, double stance) {
    double cycle = way / stride - phase;
    double whole = floor(cycle);
    double x = cycle - whole;
    kit_step step = {.way = (whole + phase + 0.5 * stance) * stride};
    if (x <= stance)
        return step;
    step.swing = (x - stance) / (1 - stance);
    step.way += stride * kit_ease(step.swing, 0, 1);
    step.lift = kit_bump(step.swing, 0, 0.45, 1);
    return step;
}

// ---- curves ----

// Tangent at the middle of three keys: zero at extremes, otherwise limited so that the cubic never leaves the interval
// of its two keys (Fritsch and Carlson's condition, with the weighted harmonic mean of the slopes).
static double level_tangent(kit_key a, kit_key b, kit_key c) {
    double ab = b.t - a.t;
    double bc = c.t - b.t;
    if (ab <= 0 || bc <= 0)
        return 0;
    double left = (b.value - a.value) / ab;
    double right = (c.value - b.value) / bc;
    if (left * right <= 0)
        return 0;
    double w1 = 2 * bc + ab;
    double w2 = bc + 2 * ab;
    return (w1 + w2) / (w1 / left + w2 / right);
}

static double hermite(double t, kit_key a, kit_key b, double slope_a, double slope_b) {
    double h = b.t - a.t;
    if (h <= 0)
        return b.value;
    double x = (t - a.t) / h;
    double xx = x * x;
    double xxx = xx * x;
    return a.value * (2 * xxx - 3 * xx + 1) + b.value * (3 * xx - 2 * xxx) +
           h * (slope_a * (xxx - 2 * xx + x) + slope_b * (xxx - xx));
}

double kit_keys(double t, const kit_key* keys, uint32_t count) {
    if (count == 0)
        return 0;
    if (t <= keys[0].t)
        return keys[0].value;
    if (t >= keys[count - 1].t)
        return keys[count - 1].value;
    uint32_t i = 0;
    while (t >= keys[i + 1].t)
        i++;
    double slope_a = i > 0 ? level_tangent(keys[i - 1], keys[i], keys[i + 1]) : 0;
    double slope_b = i + 2 < count ? level_tangent(keys[i], keys[i + 1], keys[i + 2]) : 0;
    return hermite(t, keys[i], keys[i + 1], slope_a, slope_b);
}

static kit_key wrapped_key(const kit_key* keys, uint32_t count, double period, int64_t i) {
    int64_t turns = 0;
    for (; i < 0; i += count)
        turns--;
    for (; i >= count; i -= count)
        turns++;
    kit_key key = keys[i];
    key.t += period * (double)turns;
    return key;
}

double kit_keys_loop(double t, double period, const kit_key* keys, uint32_t count) {
    if (count == 0 || !(period > 0))
        return 0;
    t -= period * floor((t - keys[0].t) / period);
    int64_t i = 0;
    while (t >= wrapped_key(keys, count, period, i + 1).t)
        i++;
    kit_key around[4];
    for (int n = 0; n < 4; n++)
        around[n] = wrapped_key(keys, count, period, i - 1 + n);
    return hermite(t, around[1], around[2], level_tangent(around[0], around[1], around[2]),
                   level_tangent(around[1], around[2], around[3]));
}

void kit_figure_at(const kit_figure* figure, const void* keys, uint32_t count, double t, void* out) {
    kit_key track[KIT_FIGURE_KEYS];
    uint32_t used = count < KIT_FIGURE_KEYS ? count : KIT_FIGURE_KEYS;
    for (size_t at = 0; at < figure->size; at += sizeof(double)) {
        for (uint32_t i = 0; i < used; i++) {
            const char* key = (const char*)keys + i * (sizeof(double) + figure->size);
            memcpy(&track[i].t, key, sizeof(double));
            memcpy(&track[i].value, key + sizeof(double) + at, sizeof(double));
        }
        bool late = at >= figure->first_late && at < figure->end_late;
        double value = kit_keys(late ? t - figure->late_s : t, track, used);
        memcpy((char*)out + at, &value, sizeof value);
    }
}

double kit_wave(double t, double period, double phase) {
    return sin(2 * LIMBERI_PI * (t / period + phase));
}

double kit_ease(double t, double from, double to) {
    if (!(to > from))
        return t < from ? 0 : 1;
    double x = fmin(fmax((t - from) / (to - from), 0), 1);
    return x * x * x * (x * (6 * x - 15) + 10);
}

double kit_bump(double t, double from, double peak, double to) {
    return t < peak ? kit_ease(t, from, peak) : 1 - kit_ease(t, peak, to);
}

double kit_ring_down(double t, double from, double frequency, double decay) {
    if (t <= from)
        return 0;
    double s = t - from;
    return exp(-decay * s) * sin(2 * LIMBERI_PI * frequency * s);
}

double kit_wind_up(double t, double from, double to, double amount, double over) {
    double span = to - from;
    kit_key keys[] = {{from, 0}, {from + 0.35 * span, -amount}, {from + 0.7 * span, 1 + over}, {to, 1}};
    return kit_keys(t, keys, 4);
}
