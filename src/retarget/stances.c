// Where feet stand: moved along the ground so that the legs above them keep the directions of the motion's legs. A foot
// that stays where it is in the motion is moved as a whole; the move changes only as far as the foot itself goes.
#include "base/math.h"
#include "base/memory.h"
#include "base/sort.h"
#include "retarget/retarget_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ground_low = 0.03;  // of the leg: a foot of the motion that is lower than this is on the ground,
static const double ground_high = 0.15; // and from here on it swings free
static const double still_speed = 0.5;  // legs a second: a foot that goes slower stands,
static const double free_speed = 2;     // and one that goes faster does not
static const double rest_speed = 0.25;  // what a foot drifts more slowly than this is no way at all
static const double speed_s = 0.025;    // over so long before and after
static const double way_along = 0.05; // of the leg: how far a foot goes while most of its move is replaced by the next
static const int rounds = 6;          // moves and hips in turn; three are within a degree of what many give
static const int soft_passes = 3;     // at 60 frames a second: a bell of 20 ms
static const double negligible = 1e-200; // weight that counts as none

static size_t index_of(const limberi_stances* s, uint32_t foot, uint32_t frame) {
    return (size_t)foot * s->frame_count + frame;
}

bool limberi_stances_open(limberi_stances* s, uint32_t foot_count, uint32_t frame_count) {
    size_t count = (size_t)foot_count * frame_count + 1;
    memset(s, 0, sizeof *s);
    s->foot_count = foot_count;
    s->frame_count = frame_count;
    s->misses = limberi_allocate_zeroed(count, sizeof *s->misses);
    s->moves = limberi_allocate_zeroed(count, sizeof *s->moves);
    s->grounds = limberi_allocate_zeroed(count, sizeof *s->grounds);
    s->lows = limberi_allocate_zeroed(count, sizeof *s->lows);
    s->ways = limberi_allocate_zeroed(count, sizeof *s->ways);
    return s->misses && s->moves && s->lows && s->grounds && s->ways;
}

void limberi_stances_close(limberi_stances* s) {
    limberi_release(s->misses);
    limberi_release(s->moves);
    limberi_release(s->grounds);
    limberi_release(s->lows);
    limberi_release(s->ways);
}

// --- when feet stand ---

// Feet that stand go with the ground, which moves under a figure that walks in place: by the step of most of them.
static void find_ground_step(const limberi_stances* s, const limberi_steps* steps, double* room, double* step) {
    for (int k = 0; k < 3; k++) {
        size_t count = 0;
        for (uint32_t i = 0; i < s->foot_count; i++)
            for (uint32_t f = 1; f < s->frame_count; f++)
                if (s->lows[index_of(s, i, f)] > 0.5)
                    room[count++] = steps->places[index_of(s, i, f)][k] - steps->places[index_of(s, i, f - 1)][k];
        qsort(room, count, sizeof *room, limberi_compare_doubles);
        step[k] = count ? room[count / 2] : 0;
    }
}

// By the ankle or by the toes, whichever goes less.
static double way_of_frame(const double* before, const double* now, const double* ground) {
    double ways[2] = {0, 0};
    for (int i = 0; i < 6; i++) {
        double step = now[i] - before[i] - ground[i % 3];
        ways[i / 3] += step * step;
    }
    return sqrt(ways[0] < ways[1] ? ways[0] : ways[1]);
}

static double by_height(const limberi_steps* steps, uint32_t foot, uint32_t frame, double leg) {
    double height = steps->heights[(size_t)foot * steps->frame_count + frame] - limberi_step_at(steps, foot, frame);
    return 1 - limberi_smooth_step(ground_low, ground_high, height / leg);
}

// How far a foot goes from one frame to another, per second.
static double speed_between(const limberi_stances* s, uint32_t foot, uint32_t first, uint32_t last, double fps) {
    double way = 0;
    for (uint32_t f = first + 1; f <= last; f++)
        way += s->ways[index_of(s, foot, f)];
    return way * fps / (last - first);
}

// The speed before a frame or after it, whichever is lower: a foot stands from where it comes down until it leaves.
static double speed_at(const limberi_stances* s, uint32_t foot, uint32_t frame, double fps) {
    uint32_t reach = (uint32_t)(speed_s * fps + 0.5);
    reach = reach > 0 ? reach : 1;
    uint32_t first = frame > reach ? frame - reach : 0;
    uint32_t last = frame + reach < s->frame_count ? frame + reach : s->frame_count - 1;
    double before = frame > first ? speed_between(s, foot, first, frame, fps) : INFINITY;
    double after = last > frame ? speed_between(s, foot, frame, last, fps) : INFINITY;
    double speed = before < after ? before : after;
    return isfinite(speed) ? speed : 0;
}

// A foot lands and leaves over a few frames, so that the hips do not jump with it. Frames in which it stands are not
// lowered.
static void soften(double* grounds, uint32_t count) {
    for (int pass = 0; pass < soft_passes; pass++) {
        double before = grounds[0];
        for (uint32_t f = 0; f + 1 < count; f++) {
            double now = grounds[f];
            double soft = 0.25 * before + 0.5 * now + 0.25 * grounds[f + 1];
            grounds[f] = soft > now ? soft : now;
            before = now;
        }
    }
}

bool limberi_stances_find_grounds(limberi_stances* s, const limber_retarget* r, const limberi_steps* steps,
                                  double fps) {
    double ground[3];
    double* room = limberi_allocate_zeroed((size_t)s->foot_count * s->frame_count + 1, sizeof *room);
    if (!room)
        return false;
    for (uint32_t i = 0; i < s->foot_count; i++)
        for (uint32_t f = 0; f < s->frame_count; f++)
            s->lows[index_of(s, i, f)] = by_height(steps, i, f, r->feet[i].length);
    find_ground_step(s, steps, room, ground);
    for (uint32_t i = 0; i < s->foot_count; i++)
        for (uint32_t f = 1; f < s->frame_count; f++)
            s->ways[index_of(s, i, f)] =
                way_of_frame(steps->places[index_of(s, i, f - 1)], steps->places[index_of(s, i, f)], ground);
    limberi_release(room);
    for (uint32_t i = 0; i < s->foot_count; i++) {
        for (uint32_t f = 0; f < s->frame_count; f++) {
            double speed = speed_at(s, i, f, fps) / r->feet[i].length;
            s->grounds[index_of(s, i, f)] =
                s->lows[index_of(s, i, f)] * (1 - limberi_smooth_step(still_speed, free_speed, speed));
        }
        soften(s->grounds + index_of(s, i, 0), s->frame_count);
        for (uint32_t f = 0; f < s->frame_count; f++) {
            double* way = &s->ways[index_of(s, i, f)];
            *way *= limberi_smooth_step(rest_speed, still_speed, *way * fps / r->feet[i].length);
        }
    }
    return true;
}

// --- the moves ---

typedef struct running_mean {
    double sum[3], weight;
} running_mean;

static void fade(running_mean* mean, double way, double scale) {
    double keep = exp(-way / scale);
    for (int k = 0; k < 3; k++)
        mean->sum[k] *= keep;
    mean->weight *= keep;
}

static void add_frame(const limberi_stances* s, const double (*hips)[3], uint32_t foot, uint32_t frame,
                      running_mean* mean) {
    double ground = s->grounds[index_of(s, foot, frame)];
    for (int k = 0; k < 3; k++)
        mean->sum[k] += ground * (s->misses[index_of(s, foot, frame)][k] + hips[frame][k]);
    mean->weight += ground;
}

// Means over frames before and after, the less the farther the foot went in between. Loops go round once to begin with.
static void find_moves_of_foot(limberi_stances* s, const double (*hips)[3], uint32_t foot, double scale,
                               running_mean* before) {
    uint32_t count = s->frame_count;
    running_mean mean = {0};
    for (uint32_t f = s->loops ? 0 : count; f < count; f++) {
        fade(&mean, s->ways[index_of(s, foot, f)], scale);
        add_frame(s, hips, foot, f, &mean);
    }
    for (uint32_t f = 0; f < count; f++) {
        fade(&mean, s->ways[index_of(s, foot, f)], scale);
        before[f] = mean;
        add_frame(s, hips, foot, f, &mean);
    }
    memset(&mean, 0, sizeof mean);
    for (uint32_t f = s->loops ? count : 0; f-- > 0;) {
        add_frame(s, hips, foot, f, &mean);
        fade(&mean, s->ways[index_of(s, foot, f)], scale);
    }
    for (uint32_t f = count; f-- > 0;) {
        add_frame(s, hips, foot, f, &mean);
        double weight = mean.weight + before[f].weight;
        for (int k = 0; k < 3; k++)
            s->moves[index_of(s, foot, f)][k] = weight > negligible ? (mean.sum[k] + before[f].sum[k]) / weight : 0;
        fade(&mean, s->ways[index_of(s, foot, f)], scale);
    }
}

// What the hips give way by then, as feet.c has it.
static void find_hips(const limberi_stances* s, double (*hips)[3]) {
    for (uint32_t f = 0; f < s->frame_count; f++) {
        double sum = 0;
        double shift[3] = {0, 0, 0};
        for (uint32_t i = 0; i < s->foot_count; i++) {
            double weight = limberi_foot_weight(s->grounds[index_of(s, i, f)]);
            sum += weight;
            for (int k = 0; k < 3; k++)
                shift[k] += weight * (s->moves[index_of(s, i, f)][k] - s->misses[index_of(s, i, f)][k]);
        }
        for (int k = 0; k < 3; k++)
            hips[f][k] = sum > negligible ? shift[k] / sum : 0;
    }
}

bool limberi_stances_find_moves(limberi_stances* s, const limber_retarget* r) {
    double(*hips)[3] = limberi_allocate_zeroed((size_t)s->frame_count + 1, sizeof *hips);
    running_mean* before = limberi_allocate_zeroed((size_t)s->frame_count + 1, sizeof *before);
    bool done = hips && before;
    for (int round = 0; done && round < rounds; round++) {
        for (uint32_t i = 0; i < s->foot_count; i++)
            find_moves_of_foot(s, (const double(*)[3])hips, i, way_along * r->feet[i].length, before);
        find_hips(s, hips);
    }
    limberi_release(hips);
    limberi_release(before);
    return done;
}
