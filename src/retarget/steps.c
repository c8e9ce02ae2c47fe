// Stairs and slopes: how high above the floor the ground is on which each foot of the motion stands, frame by frame.
#include "base/memory.h"
#include "base/turns.h"
#include "retarget/retarget_private.h"

#include <math.h>
#include <string.h>

// A foot stands that moves by less than `stands_still` leg lengths for `stands_s`; in the air it would fall three times
// as far. Ground that is `step_height` leg lengths above or below the floor is a step.
static const double stands_still = 0.015;
static const double stands_s = 0.15;
static const double stands_alone_s = 0.4; // with no other foot on the ground before or after, as in a leap that hangs
static const double step_height = 0.06;

// The frames from `first` on in which the foot stays where it is there.
static uint32_t still_frames(const limberi_steps* s, uint32_t foot, uint32_t first, double leg) {
    const double(*places)[6] = (const double(*)[6])s->places + (size_t)foot * s->frame_count;
    uint32_t end = first + 1;
    while (end < s->frame_count && limberi_distance3(places[end], places[first]) < stands_still * leg)
        end++;
    return end - first;
}

static bool is_lowest(const limberi_steps* s, uint32_t foot, uint32_t frame, double leg) {
    double limit = s->heights[(size_t)foot * s->frame_count + frame] - step_height * leg;
    for (uint32_t i = 0; i < s->foot_count; i++)
        if (s->heights[(size_t)i * s->frame_count + frame] < limit)
            return false;
    return true;
}

// Whether another foot is on the floor or stays where it is, around a frame.
static bool another_stands(const limberi_steps* s, uint32_t foot, uint32_t frame, double leg) {
    for (uint32_t i = 0; i < s->foot_count; i++) {
        const double(*places)[6] = (const double(*)[6])s->places + (size_t)i * s->frame_count;
        uint32_t next = frame + 1 < s->frame_count ? frame + 1 : frame;
        uint32_t last = frame ? frame - 1 : 0;
        bool low = s->heights[(size_t)i * s->frame_count + frame] < step_height * leg;
        if (i != foot && (low || limberi_distance3(places[next], places[last]) < 0.1 * stands_still * leg))
            return true;
    }
    return false;
}

// On stairs, one foot is on the ground when the other leaves it.
static bool is_step(const limberi_steps* s, uint32_t foot, uint32_t first, uint32_t count, double leg, double fps) {
    uint32_t before = first ? first - 1 : 0;
    uint32_t after = first + count < s->frame_count ? first + count : s->frame_count - 1;
    return count >= stands_alone_s * fps || another_stands(s, foot, before, leg) || another_stands(s, foot, after, leg);
}

// A foot in the air can be still, too: what carries the body is the lower one, at least for a moment.
static bool carries(const limberi_steps* s, uint32_t foot, uint32_t first, uint32_t count, double leg) {
    for (uint32_t f = first; f < first + count; f++)
        if (is_lowest(s, foot, f, leg))
            return true;
    return false;
}

// Between two grounds the height goes from one to the other.
static void fill_between(double* heights, uint32_t from, uint32_t to) {
    for (uint32_t f = from + 1; f < to; f++) {
        double part = (double)(f - from) / (to - from);
        heights[f] = heights[from] + part * part * (3 - 2 * part) * (heights[to] - heights[from]);
    }
}

static void find_of_foot(limberi_steps* s, uint32_t foot, double leg, double fps) {
    double* heights = s->heights + (size_t)foot * s->frame_count;
    double* steps = s->steps + (size_t)foot * s->frame_count;
    int64_t last = -1;
    for (uint32_t f = 0; f < s->frame_count;) {
        uint32_t count = still_frames(s, foot, f, leg);
        if (count < stands_s * fps + 1 || !carries(s, foot, f, count, leg)) {
            f++;
            continue;
        }
        double height = heights[f + count / 2];
        height = fabs(height) < step_height * leg ? 0 : height;
        if (height != 0 && !is_step(s, foot, f, count, leg, fps)) {
            f += count;
            continue;
        }
        s->found = s->found || height != 0;
        for (uint32_t k = f; k < f + count; k++)
            steps[k] = height;
        for (uint32_t k = 0; last < 0 && k < f; k++)
            steps[k] = height;
        if (last >= 0)
            fill_between(steps, (uint32_t)last, f);
        last = f + count - 1;
        f += count;
    }
    for (uint32_t k = (uint32_t)(last + 1); last >= 0 && k < s->frame_count; k++)
        steps[k] = steps[last];
}

bool limberi_steps_open(limberi_steps* s, uint32_t foot_count, uint32_t frame_count) {
    size_t count = (size_t)foot_count * frame_count;
    memset(s, 0, sizeof *s);
    s->foot_count = foot_count;
    s->frame_count = frame_count;
    s->places = limberi_allocate_zeroed(count + 1, sizeof *s->places);
    s->heights = limberi_allocate_zeroed(count + 1, sizeof *s->heights);
    s->steps = limberi_allocate_zeroed(count + 1, sizeof *s->steps);
    return s->places && s->heights && s->steps;
}

void limberi_steps_find(limberi_steps* s, const limber_retarget* r, double fps) {
    for (uint32_t i = 0; i < s->foot_count; i++)
        find_of_foot(s, i, r->feet[i].length, fps);
}

double limberi_step_at(const limberi_steps* s, uint32_t foot, uint32_t frame) {
    return s->found ? s->steps[(size_t)foot * s->frame_count + frame] : 0;
}

void limberi_steps_close(limberi_steps* s) {
    limberi_release(s->places);
    limberi_release(s->heights);
    limberi_release(s->steps);
}
