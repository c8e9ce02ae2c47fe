// Single holds: around a held moment the clip runs as slowly as it may, for as long as the hold says, and the time that
// takes is made up on both sides, up to the next key pose. A hold that has no room there comes out shorter.
#include "perform/held_poses.h"

#include "base/math.h"

#include <string.h>

static const double reach_s = 0.60;   // how far a hold of no length makes up for its time ...
static const double reach_more = 2.0; // ... and how much farther for each second that it is long
static const double soft_s = 0.03;    // half the way from the plain speed to that of a hold
static const double clear_s = 0.10;   // beside a hold the timing has no say, and gets it back within as much again
static const double ease_s = 0.10;    // from there to the speed that makes up for it
static const double share = 1 / 6.5;  // of the room beside it that a hold can show: the rest must be fast enough
enum { HALVINGS = 32 };

typedef struct held_pose {
    uint32_t moment;
    double length;  // moments of the output
    double slow[2]; // moments of the plain clip before and after it that are shown slowly
} held_pose;

typedef struct held_list {
    const limberi_acting* a;
    const limberi_warp_bounds* bounds;
    const limberi_timing* timing;
    held_pose* poses; // by moment
    uint32_t count;
    bool wraps; // the last moment is the first one again
} held_list;

// What lies between a held moment and the next one that keeps its time.
typedef struct stretch {
    uint32_t from, to;
    int32_t other;  // the hold at the far end; -1: none
    bool held[2];   // at its start and at its end
    double slow[2]; // moments there that are shown slowly
} stretch;

static uint32_t last_of(const held_list* l) {
    return l->a->grid.count - 1;
}

static double moments_of(const held_list* l, double seconds) {
    return seconds / l->a->grid.step_s;
}

static double distance(const held_list* l, uint32_t a, uint32_t b) {
    double apart = fabs((double)a - b);
    return l->wraps && last_of(l) - apart < apart ? last_of(l) - apart : apart;
}

// --- the holds of a clip ---

// A later hold takes the place of an earlier one at the same pose.
static void add_hold(held_list* l, const limber_hold* hold) {
    uint32_t last = last_of(l);
    double at = moments_of(l, hold->at_s);
    double max_s = 2 * l->bounds->max_shift_s / (1 - l->bounds->slowest);
    if (!(hold->at_s >= 0) || !(hold->length_s >= 0) || at < l->a->first - 0.5 || !(at <= last + 0.5))
        return;
    uint32_t moment = (uint32_t)fmin(fmax(at + 0.5, l->a->first), last);
    if (l->wraps && moment == last)
        moment = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (distance(l, l->poses[i].moment, moment) >= 0.5 * moments_of(l, l->bounds->key_apart_s))
            l->poses[kept++] = l->poses[i];
    l->count = kept + 1;
    uint32_t place = kept;
    for (; place > 0 && l->poses[place - 1].moment > moment; place--)
        l->poses[place] = l->poses[place - 1];
    held_pose pose = {moment, moments_of(l, fmin(hold->length_s, max_s)), {0, 0}};
    l->poses[place] = pose;
}

// --- the stretches beside them ---

static double reach_of(const held_list* l, uint32_t index) {
    return moments_of(l, reach_s) + reach_more * l->poses[index].length;
}

// A key pose that no hold takes along keeps its time.
static bool keeps_time(const held_list* l, uint32_t key) {
    for (uint32_t i = 0; i < l->count; i++)
        if (distance(l, l->poses[i].moment, key) <= moments_of(l, l->bounds->key_apart_s))
            return false;
    return true;
}

// From a hold to the next moment that keeps its time: before the hold (`way` -1) or after it (1).
static stretch stretch_beside(const held_list* l, uint32_t index, int way) {
    bool seam_held = l->wraps && l->poses[0].moment == 0;
    bool from_end = way < 0 && seam_held && index == 0;
    uint32_t own = from_end ? last_of(l) : l->poses[index].moment;
    int32_t other = way < 0 ? (int32_t)(from_end ? l->count : index) - 1 : (int32_t)index + 1;
    uint32_t far = way < 0 ? l->a->first : last_of(l);
    if (other == (int32_t)l->count)
        other = seam_held ? 0 : -1;
    else if (other >= 0)
        far = l->poses[other].moment;
    double reach = reach_of(l, index);
    double room = fabs((double)far - own);
    bool shared = other >= 0 && room <= reach + reach_of(l, (uint32_t)other);
    room = shared || room < reach ? room : reach;
    for (uint32_t k = 0; k < l->timing->key_count; k++) {
        double away = way * ((double)l->timing->keys[k] - own);
        if (away > 0 && away < room && keeps_time(l, l->timing->keys[k])) {
            room = away < reach ? away : reach;
            shared = false;
        }
    }
    uint32_t end = way < 0 ? own - (uint32_t)room : own + (uint32_t)room;
    stretch s = {
        way < 0 ? end : own, way < 0 ? own : end, shared ? other : -1, {way > 0 || shared, way < 0 || shared}, {0, 0}};
    return s;
}

// How many moments of the plain clip a hold can show slowly there: what is late or early already has less room.
static double room_in(const held_list* l, const stretch* s, double shift_s) {
    double by_rate = share * (s->to - s->from) / (s->other >= 0 ? 2 : 1);
    double by_shift = moments_of(l, l->bounds->max_shift_s - shift_s) / (1 / l->bounds->slowest - 1);
    return fmax(fmin(by_rate, by_shift), 0);
}

// Half of a hold comes before its moment, half after it. Where one side has no room for its half, the other takes more.
static void share_out(held_list* l, uint32_t index, const double* shift) {
    held_pose* pose = &l->poses[index];
    stretch before = stretch_beside(l, index, -1);
    stretch after = stretch_beside(l, index, 1);
    double wanted = pose->length * l->bounds->slowest;
    double room[2] = {room_in(l, &before, -shift[pose->moment]), room_in(l, &after, shift[pose->moment])};
    pose->slow[0] = fmin(wanted / 2, room[0]);
    pose->slow[1] = fmin(wanted - pose->slow[0], room[1]);
    pose->slow[0] = fmin(wanted - pose->slow[1], room[0]);
}

// --- the speed along a stretch ---

static double rise(double from, double width, double at) {
    if (width > 0)
        return limberi_smooth_step(from, from + width, at);
    return at >= from;
}

// The speed along a stretch.
typedef struct passage {
    double scale; // how much of the holds there is
    double fast;  // how much of what the timing hurries
    double hurry; // log of the speed that makes up for the holds
} passage;

// Seconds of the output per second of the plain clip.
static double rate_at(const held_list* l, const stretch* s, const passage* p, const double* shift, uint32_t moment) {
    double half = 0.5 * (s->to - s->from);
    double ease = fmin(moments_of(l, ease_s), half / 2);
    double clear = fmin(moments_of(l, clear_s), half / 2);
    double timed = (shift[moment + 1] - shift[moment]) / l->a->grid.step_s;
    double at[2] = {moment + 0.5 - s->from, s->to - moment - 0.5};
    double held = 0;
    double give = 1;
    timed *= timed < 0 ? p->fast : 1;
    for (int side = 0; side < 2; side++) {
        double slow = p->scale * s->slow[side];
        double soft = fmin(moments_of(l, soft_s), slow);
        held = fmax(held, slow > 0 ? 1 - rise(slow - soft, 2 * soft, at[side]) : 0);
        timed *= s->held[side] ? rise(slow + clear, clear, at[side]) : 1;
        give *= rise(slow, ease, at[side]);
    }
    double rate = 1 + (1 - held) * timed + held * (1 / l->bounds->slowest - 1);
    rate *= exp(-p->hurry * (1 - held) * give);
    return fmin(fmax(rate, 1 / l->bounds->fastest), 1 / l->bounds->slowest);
}

static double duration(const held_list* l, const stretch* s, const passage* p, const double* shift) {
    double sum = 0;
    for (uint32_t f = s->from; f < s->to; f++)
        sum += rate_at(l, s, p, shift, f);
    return sum;
}

// Finds the value of one field of the passage, by halving, with which it takes as long as wanted. With `low` it is too
// short, with `high` too long.
static void fit(const held_list* l, const stretch* s, passage* p, double* field, double low, double high,
                const double* shift, double wanted) {
    for (int i = 0; i < HALVINGS; i++) {
        *field = 0.5 * (low + high);
        if (duration(l, s, p, shift) <= wanted)
            low = *field;
        else
            high = *field;
    }
    *field = low;
}

// Keeps the shift at both ends: the time that the holds take is won back between them. Where hurrying is not enough,
// the holds become shorter; where nothing has to be won back, the timing hurries less.
static void retime(const held_list* l, const stretch* s, double* shift) {
    double step_s = l->a->grid.step_s;
    double max = log(l->bounds->fastest);
    double wanted = s->to - s->from + (shift[s->to] - shift[s->from]) / step_s;
    double* rates = l->a->speeds[0];
    passage p = {1, 1, max};
    if (s->to < s->from + 2)
        return;
    if (duration(l, s, &p, shift) > wanted) {
        fit(l, s, &p, &p.scale, 0, 1, shift, wanted);
    } else {
        p.hurry = 0;
        if (duration(l, s, &p, shift) < wanted)
            fit(l, s, &p, &p.fast, 1, 0, shift, wanted);
        else
            fit(l, s, &p, &p.hurry, max, 0, shift, wanted);
    }
    double rest = (wanted - duration(l, s, &p, shift)) / (s->to - s->from);
    for (uint32_t f = s->from; f < s->to; f++)
        rates[f] = rate_at(l, s, &p, shift, f);
    for (uint32_t f = s->from; f + 1 < s->to; f++)
        shift[f + 1] = shift[f] + (rates[f] - 1 + rest) * step_s;
}

limber_result limberi_poses_hold(const limberi_acting* a, const limberi_warp_bounds* bounds,
                                 const limberi_timing_amounts* amounts, limberi_timing* timing, double* shift) {
    limberi_arena arena = {NULL, false};
    held_list l = {a,      bounds,
                   timing, LIMBERI_ALLOCATE(&arena, held_pose, amounts->hold_count + (size_t)1),
                   0,      a->grid.loops && a->first == 0};
    bool failed = arena.failed;
    for (uint32_t i = 0; !failed && i < amounts->hold_count; i++)
        if (amounts->holds[i].clip < 0 || amounts->holds[i].clip == amounts->clip)
            add_hold(&l, &amounts->holds[i]);
    for (uint32_t i = 0; i < l.count; i++)
        share_out(&l, i, shift);
    for (uint32_t i = 0; i < l.count; i++) {
        stretch before = stretch_beside(&l, i, -1);
        stretch after = stretch_beside(&l, i, 1);
        before.slow[1] = l.poses[i].slow[0];
        after.slow[0] = l.poses[i].slow[1];
        after.slow[1] = after.other >= 0 ? l.poses[after.other].slow[0] : 0;
        retime(&l, &after, shift);
        if (before.other < 0) // else it is what comes after the other one
            retime(&l, &before, shift);
    }
    timing->hold_count = l.count;
    limberi_arena_free(&arena);
    return failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}
