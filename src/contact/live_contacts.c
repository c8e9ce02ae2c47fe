// Contacts of poses that come one by one: the same rule as for clips, with backward differences, and the game says
// where the ground is.
#include "contact/contacts_private.h"

#include "base/math.h"
#include "base/memory.h"

#include <string.h>

// Lengths in scales, times in seconds.
static const double followed = 0.12; // above the ground: higher joints are skipped
static const double attack_s = 0.02; // how fast a contact comes and goes
static const double release_s = 0.05;
static const double velocity_s = 0.012;       // velocities are smoothed over that
static const double shortest_step_s = 0.0005; // less: the same moment, asked for again
static const double longest_step_s = 0.25;    // a longer pause is a new beginning
static const double nowhere = 10;             // how far below the joint the ground is where there is none
static const double air_s = 0.05;             // before a landing: in the air, and where its speed is looked for
static const double fall_s = 0.1;
static const double min_fall = 0.35;
static const double press_s = 0.12;
static const double rise_s = 0.035;
enum { FALLS = 16, HITS = 4 };

typedef struct fall {
    double time_s, speed;
} fall;

struct limberi_live_contacts {
    limberi_arena arena;
    const limberi_support* support;
    limber_mat4* palettes;
    float* places;                   // [point * 3] of the last pose
    float* velocities;               // [point * 3] scales per second, smoothed
    uint8_t* seen;                   // [owner] its places are of the last pose
    float* touch;                    // [owner]
    float* ground;                   // [owner]
    float *hold, *height, *touching; // [joint]
    limber_vec3* now;                // [point] of this pose, where its owner is low
    int32_t* owner_of;               // [joint] whose ground it has; -1: that of the joint above
    float* spread;                   // [owner * joint] how much of a contact a joint feels
    uint8_t* spreads;                // [owner] which is known
    double* distance;                // [joint] scratch
    bool started, standing;
    double time_s, body_y, low, depth, in_air_s; // depth: how far the pose itself is below the ground
    fall falls[FALLS];
    uint32_t next_fall, hit_count;
    limberi_hit hits[HITS]; // the last ones, in the order of their times
};

limberi_live_contacts* limberi_live_contacts_create(const limber_asset* asset) {
    const limberi_support* support = limberi_asset_support(asset);
    limberi_live_contacts* c = support ? limberi_allocate_zeroed(1, sizeof *c) : NULL;
    if (!c)
        return NULL;
    size_t points = support->point_count;
    size_t owners = support->owner_count;
    size_t joints = support->model->rig.joint_count;
    c->support = support;
    c->palettes = LIMBERI_ALLOCATE(&c->arena, limber_mat4, support->palette_count);
    c->places = LIMBERI_ALLOCATE(&c->arena, float, 3 * points);
    c->velocities = LIMBERI_ALLOCATE(&c->arena, float, 3 * points);
    c->seen = LIMBERI_ALLOCATE(&c->arena, uint8_t, owners);
    c->touch = LIMBERI_ALLOCATE(&c->arena, float, owners);
    c->ground = LIMBERI_ALLOCATE(&c->arena, float, owners);
    c->hold = LIMBERI_ALLOCATE(&c->arena, float, joints);
    c->height = LIMBERI_ALLOCATE(&c->arena, float, joints);
    c->touching = LIMBERI_ALLOCATE(&c->arena, float, joints);
    c->now = LIMBERI_ALLOCATE(&c->arena, limber_vec3, points);
    c->owner_of = LIMBERI_ALLOCATE(&c->arena, int32_t, joints);
    c->spread = LIMBERI_ALLOCATE(&c->arena, float, owners* joints);
    c->spreads = LIMBERI_ALLOCATE(&c->arena, uint8_t, owners);
    c->distance = LIMBERI_ALLOCATE(&c->arena, double, joints);
    if (c->arena.failed) {
        limberi_live_contacts_destroy(c);
        return NULL;
    }
    for (uint32_t j = 0; j < joints; j++) {
        c->owner_of[j] = -1;
        for (uint32_t i = 0; i < owners; i++)
            if (support->owners[i] == support->fused[j])
                c->owner_of[j] = (int32_t)i;
    }
    return c;
}

void limberi_live_contacts_destroy(limberi_live_contacts* c) {
    if (!c)
        return;
    limberi_arena_free(&c->arena);
    limberi_release(c);
}

void limberi_live_contacts_reset(limberi_live_contacts* c) {
    c->started = c->standing = false;
    c->hit_count = 0;
    c->in_air_s = 0;
    memset(c->seen, 0, c->support->owner_count);
    memset(c->velocities, 0, 3 * (size_t)c->support->point_count * sizeof *c->velocities);
    memset(c->touch, 0, c->support->owner_count * sizeof *c->touch);
    memset(c->falls, 0, sizeof c->falls);
}

// --- one joint ---

typedef struct moment {
    const limber_pose* pose;
    double step_s;
    limberi_contact_stage_height ground;
    void* user;
    float newest, per; // how much of a velocity is that of this pose; from lengths to scales per second
    double attack, release;
} moment;

// The height of the ground at a place; far below where there is none.
static double ground_at(const limberi_live_contacts* c, const moment* m, limber_vec3 place) {
    float height;
    if (m->ground && m->ground(m->user, place.x, place.z, &height) && isfinite(height))
        return (double)height;
    return (double)place.y - nowhere * c->support->scale;
}

// `seen`: its place in the last pose is known.
static double speed_of(limberi_live_contacts* c, const moment* m, bool seen, uint32_t point, limber_vec3 place) {
    float* was = c->places + 3 * (size_t)point;
    float* v = c->velocities + 3 * (size_t)point;
    const float now[3] = {place.x, place.y, place.z};
    for (int k = 0; k < 3; k++) {
        v[k] += seen ? m->newest * ((now[k] - was[k]) * m->per - v[k]) : 0;
        was[k] = now[k];
    }
    return sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
}

static double touch_of_points(limberi_live_contacts* c, const moment* m, uint32_t owner, double ground) {
    const limberi_support* s = c->support;
    double touch = 0;
    for (uint32_t i = s->first[owner]; i < s->first[owner + 1]; i++) {
        limber_vec3 place = c->now[i];
        double speed = speed_of(c, m, c->seen[owner], i, place);
        if (c->seen[owner])
            touch =
                fmax(touch, limberi_contact_near(((double)place.y - ground) / s->scale) * limberi_contact_slow(speed));
    }
    c->seen[owner] = 1;
    return touch;
}

static double touch_of_joint(limberi_live_contacts* c, const moment* m, uint32_t owner, double* ground) {
    const limberi_support* s = c->support;
    limber_vec3 middle = limberi_mat4_point(&m->pose->world_from_joint[s->owners[owner]], s->middle[owner]);
    double bottom = (double)middle.y - (double)s->radius[owner];
    *ground = ground_at(c, m, middle);
    if (bottom < *ground + followed * s->scale) {
        limberi_support_places(s, c->palettes, s->first[owner], s->first[owner + 1] - s->first[owner],
                               &c->now[s->first[owner]].x);
        limber_vec3 low = c->now[s->first[owner]];
        for (uint32_t i = s->first[owner] + 1; i < s->first[owner + 1]; i++)
            low = c->now[i].y < low.y ? c->now[i] : low;
        *ground = ground_at(c, m, low);
        c->low = fmin(c->low, (double)low.y);
        c->depth = fmax(c->depth, *ground - (double)low.y);
        return touch_of_points(c, m, owner, *ground);
    }
    c->low = fmin(c->low, bottom);
    c->seen[owner] = 0;
    memset(c->velocities + 3 * (size_t)s->first[owner], 0,
           3 * (size_t)(s->first[owner + 1] - s->first[owner]) * sizeof(float));
    return 0;
}

// --- all of them ---

static void find_touching(limberi_live_contacts* c, const moment* m) {
    const limberi_support* s = c->support;
    c->low = INFINITY;
    c->depth = 0;
    for (uint32_t i = 0; i < s->owner_count; i++) {
        double ground;
        double raw = touch_of_joint(c, m, i, &ground);
        double part = raw > (double)c->touch[i] ? m->attack : m->release;
        c->touch[i] += (float)(part * (raw - (double)c->touch[i]));
        c->ground[i] = (float)ground;
    }
}

static const float* spread_of(limberi_live_contacts* c, uint32_t owner) {
    const limberi_support* s = c->support;
    uint32_t joints = s->model->rig.joint_count;
    float* parts = c->spread + owner * (size_t)joints;
    if (c->spreads[owner])
        return parts;
    limberi_tree_distances(&s->model->rig, s->owners[owner], c->distance);
    for (uint32_t j = 0; j < joints; j++)
        parts[j] = (float)limberi_contact_spread(c->distance[j] / s->scale);
    c->spreads[owner] = 1;
    return parts;
}

static void spread_holds(limberi_live_contacts* c) {
    const limberi_support* s = c->support;
    uint32_t joints = s->model->rig.joint_count;
    memset(c->hold, 0, joints * sizeof *c->hold);
    for (uint32_t i = 0; i < s->owner_count; i++) {
        if (!(c->touch[i] > 1e-3f))
            continue;
        const float* parts = spread_of(c, i);
        for (uint32_t j = 0; j < joints; j++)
            c->hold[j] = 1 - (1 - c->hold[j]) * (1 - c->touch[i] * parts[j]);
    }
}

// Joints without support points stand on the ground of their nearest ancestor that has some.
static void set_joint_ground(limberi_live_contacts* c) {
    const limberi_support* s = c->support;
    const limber_rig* rig = &s->model->rig;
    float low = s->owner_count ? INFINITY : 0; // or there are no vertices
    for (uint32_t i = 0; i < s->owner_count; i++)
        low = fminf(low, c->ground[i]);
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        c->touching[j] = 0;
        c->height[j] = rig->hangs_on[j] >= 0 ? c->height[rig->hangs_on[j]] : low;
        if (c->owner_of[j] >= 0) {
            c->touching[j] = c->touch[c->owner_of[j]];
            c->height[j] = c->ground[c->owner_of[j]];
        }
        c->hold[j] = c->hold[s->fused[j]];
    }
}

// --- landings ---

static double fastest_fall(const limberi_live_contacts* c) {
    double max = 0;
    for (int i = 0; i < FALLS; i++)
        if (c->time_s - c->falls[i].time_s <= fall_s)
            max = fmax(max, c->falls[i].speed);
    return max;
}

static void find_landing(limberi_live_contacts* c, double step_s, double body_y) {
    bool standing = false;
    double speed = c->started ? (c->body_y - body_y) / (step_s * c->support->scale) : 0;
    fall now = {c->time_s, fmax(speed, 0)};
    c->falls[c->next_fall++ % FALLS] = now;
    for (uint32_t i = 0; i < c->support->owner_count; i++)
        standing = standing || (double)c->low < (double)c->ground[i] + 0.015 * c->support->scale;
    if (standing && !c->standing && c->in_air_s >= air_s && fastest_fall(c) > min_fall) {
        limberi_hit hit = {c->time_s + rise_s, fastest_fall(c), press_s};
        if (c->hit_count == HITS)
            memmove(c->hits, c->hits + 1, --c->hit_count * sizeof *c->hits);
        c->hits[c->hit_count++] = hit;
    }
    c->in_air_s = standing ? 0 : c->in_air_s + step_s;
    c->standing = standing;
    c->body_y = body_y;
}

void limberi_live_contacts_push(limberi_live_contacts* c, const limber_pose* pose, double time_s,
                                limberi_contact_stage_height ground, void* user) {
    double middle[3] = {0, 0, 0};
    double step_s = time_s - c->time_s;
    if (c->started && step_s >= 0 && step_s < shortest_step_s)
        return;
    if (c->started && !(step_s > 0 && step_s < longest_step_s))
        limberi_live_contacts_reset(c);
    step_s = c->started ? step_s : 1.0 / 60;
    moment m = {pose,
                step_s,
                ground,
                user,
                (float)(1 - exp(-step_s / velocity_s)),
                (float)(1 / (step_s * c->support->scale)),
                1 - exp(-step_s / attack_s),
                1 - exp(-step_s / release_s)};
    c->time_s = time_s;
    limberi_support_palettes(c->support, pose, c->palettes);
    find_touching(c, &m);
    spread_holds(c);
    set_joint_ground(c);
    for (uint32_t k = 0; k < c->support->model->skin_count; k++)
        limberi_support_body(c->support, k, c->palettes + c->support->first_palette[k], middle);
    find_landing(c, m.step_s, middle[1]);
    c->started = true;
}

limberi_live_footing limberi_live_contacts_footing(const limberi_live_contacts* c) {
    return (limberi_live_footing){c->hold, c->height, c->touching, c->depth};
}

double limberi_live_contacts_impact(const limberi_live_contacts* c, double gain, double min_speed, double* low) {
    *low = c->low;
    return limberi_hits_squash(c->hits, c->hit_count, c->time_s, 0, false, gain, min_speed);
}
