// Jerk and jounce of a live stream of poses: backward differences of its accelerations (thesis, section 7.3).
#include "base/math.h"
#include "motion/differences.h"

#include <string.h>

static const double default_step_s = 1 / 24.0;

enum { KEPT = 24, KEPT_PER_STEP = 8 };

struct limberi_live_differences {
    uint32_t joint_count, order;
    double step_s, time_s; // time_s: since the stream started
    double kept_s[KEPT];   // a ring: the last two steps of the stream, and a bit
    uint32_t kept_count, kept_newest;
    limber_vec3* kept;    // [kept][2 * joint]: accelerations, then angular ones
    double* since_s;      // [joint] its accelerations are known from here on
    limber_vec3* derived; // [2 * joint]
};

limberi_live_differences* limberi_live_differences_create(limberi_arena* arena, uint32_t joint_count, uint32_t order,
                                                          double step_s) {
    limberi_live_differences* made = LIMBERI_ALLOCATE(arena, limberi_live_differences, 1);
    size_t vectors = 2 * (size_t)joint_count;
    if (!made)
        return NULL;
    made->joint_count = joint_count;
    made->order = order;
    made->step_s = step_s > 0 ? step_s : default_step_s;
    made->kept = LIMBERI_ALLOCATE(arena, limber_vec3, KEPT * vectors);
    made->since_s = LIMBERI_ALLOCATE(arena, double, joint_count);
    made->derived = LIMBERI_ALLOCATE(arena, limber_vec3, vectors);
    return arena->failed ? NULL : made;
}

// The kept moment nearest to `ago_s` before now; KEPT: none that is at least half as long ago, and not before `since_s`.
static uint32_t find_sample(const limberi_live_differences* d, double ago_s, double since_s) {
    uint32_t found = KEPT;
    for (uint32_t i = 0; i < d->kept_count; i++) {
        double ago = d->time_s - d->kept_s[i];
        bool nearer = found == KEPT || fabs(ago - ago_s) < fabs(d->time_s - d->kept_s[found] - ago_s);
        if (d->kept_s[i] >= since_s && ago >= 0.5 * ago_s && nearer)
            found = i;
    }
    return found;
}

static limber_vec3 slope(limber_vec3 to, limber_vec3 from, double time_s) {
    return limberi_scale(limberi_sub(to, from), (float)(1 / time_s));
}

// Divided differences over what is there; 0 until there is enough.
static limber_vec3 derive(const limberi_live_differences* d, size_t vector, limber_vec3 now, uint32_t a, uint32_t b) {
    size_t vectors = 2 * (size_t)d->joint_count;
    if (a == KEPT || (d->order == 2 && (b == KEPT || !(d->kept_s[b] < d->kept_s[a]))))
        return limberi_vec3(0, 0, 0);
    limber_vec3 middle = d->kept[a * vectors + vector];
    limber_vec3 late = slope(now, middle, d->time_s - d->kept_s[a]);
    if (d->order == 1)
        return late;
    limber_vec3 early = slope(middle, d->kept[b * vectors + vector], d->kept_s[a] - d->kept_s[b]);
    return slope(late, early, 0.5 * (d->time_s - d->kept_s[b]));
}

static void keep_accelerations(limberi_live_differences* d, const limber_kinematics* plain) {
    size_t bytes = d->joint_count * sizeof *d->kept;
    if (d->kept_count && d->time_s - d->kept_s[d->kept_newest] < d->step_s / KEPT_PER_STEP)
        return;
    d->kept_newest = d->kept_count ? (d->kept_newest + 1) % KEPT : 0;
    d->kept_count += d->kept_count < KEPT;
    d->kept_s[d->kept_newest] = d->time_s;
    limber_vec3* to = d->kept + 2 * (size_t)d->joint_count * d->kept_newest;
    memcpy(to, plain->acceleration, bytes);
    memcpy(to + d->joint_count, plain->angular_acceleration, bytes);
}

static void store_kinematics(const limberi_live_differences* d, limber_kinematics* out) {
    out->acceleration = d->derived;
    out->angular_acceleration = d->derived + d->joint_count;
}

void limberi_live_differences_push(limberi_live_differences* d, limberi_tracked tracked, const limber_kinematics* plain,
                                   limber_kinematics* out) {
    static const uint32_t first = 3; // pose that has accelerations
    store_kinematics(d, out);
    if (tracked.held || !d->joint_count)
        return;
    d->time_s += fmax(tracked.step_s, 0);
    uint32_t near = find_sample(d, d->step_s, 0);
    uint32_t far = find_sample(d, 2 * d->step_s, 0);
    for (uint32_t j = 0; j < d->joint_count; j++) {
        if (tracked.pushes[j] <= first)
            d->since_s[j] = d->time_s;
        bool whole = far < KEPT && d->kept_s[far] >= d->since_s[j];
        uint32_t a = whole ? near : find_sample(d, d->step_s, d->since_s[j]);
        uint32_t b = whole ? far : find_sample(d, 2 * d->step_s, d->since_s[j]);
        d->derived[j] = derive(d, j, plain->acceleration[j], a, b);
        d->derived[d->joint_count + j] = derive(d, d->joint_count + j, plain->angular_acceleration[j], a, b);
    }
    keep_accelerations(d, plain);
}

void limberi_live_differences_start(limberi_live_differences* d, limber_kinematics* out) {
    d->kept_count = 0;
    for (uint32_t j = 0; j < d->joint_count; j++)
        d->since_s[j] = d->time_s;
    memset(d->derived, 0, 2 * (size_t)d->joint_count * sizeof *d->derived);
    store_kinematics(d, out);
}

void limberi_live_differences_copy(limberi_live_differences* to, const limberi_live_differences* from) {
    size_t vectors = 2 * (size_t)to->joint_count;
    to->time_s = from->time_s;
    to->kept_count = from->kept_count;
    to->kept_newest = from->kept_newest;
    memcpy(to->kept_s, from->kept_s, sizeof to->kept_s);
    memcpy(to->kept, from->kept, KEPT * vectors * sizeof *to->kept);
    memcpy(to->since_s, from->since_s, to->joint_count * sizeof *to->since_s);
    memcpy(to->derived, from->derived, vectors * sizeof *to->derived);
}
