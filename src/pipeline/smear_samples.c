// Poses between the frames of a clip, as the stations of smears see them. The latest are kept, so that going through a
// clip poses each moment once.
#include "pipeline/smear_times.h"

#include "base/math.h"
#include "base/memory.h"

#include <string.h>

enum { KEPT = LIMBERI_DRAWN_SAMPLES + 48 }; // and those of the next frame

struct limberi_smear_samples {
    const struct limberi_drawn* drawn;
    size_t point_count;
    limberi_drawn_point* points; // [KEPT][point_count]
    double times[KEPT];
    uint64_t ticks[KEPT]; // of the call that used it last; 0: empty
    uint64_t tick;
    const limberi_drawn_point* around[LIMBERI_DRAWN_SAMPLES];
};

limberi_smear_samples* limberi_smear_samples_create(const struct limberi_drawn* drawn) {
    limberi_smear_samples* s = limberi_allocate_zeroed(1, sizeof *s);
    if (!s)
        return NULL;
    s->drawn = drawn;
    s->point_count = limberi_drawn_point_count(drawn);
    s->points = limberi_allocate(KEPT * s->point_count * sizeof *s->points);
    if (s->points)
        return s;
    limberi_release(s);
    return NULL;
}

void limberi_smear_samples_destroy(limberi_smear_samples* s) {
    if (!s)
        return;
    limberi_release(s->points);
    limberi_release(s);
}

void limberi_smear_samples_forget(limberi_smear_samples* s) {
    memset(s->ticks, 0, sizeof s->ticks);
}

static void pose_at(limber_pipeline* p, const limber_clip* clip, double time_s, const struct limberi_drawn* drawn,
                    limberi_drawn_point* out) {
    if (clip)
        limber_clip_sample(p->model, clip, time_s, &p->pose);
    limber_pose_update_world(p->model, &p->pose);
    limberi_drawn_pose(drawn, clip ? limberi_pipeline_skin_pose(p, clip, time_s) : &p->pose, out);
}

static const limberi_drawn_point* sample(limberi_smear_samples* s, limber_pipeline* p, const limber_clip* clip,
                                         double time_s) {
    uint32_t oldest = 0;
    for (uint32_t i = 0; i < KEPT; i++) {
        if (s->ticks[i] && s->times[i] == time_s) {
            s->ticks[i] = s->tick;
            return s->points + i * s->point_count;
        }
        oldest = s->ticks[i] < s->ticks[oldest] ? i : oldest;
    }
    s->times[oldest] = time_s;
    s->ticks[oldest] = s->tick;
    limberi_drawn_point* points = s->points + oldest * s->point_count;
    pose_at(p, clip, time_s, s->drawn, points);
    return points;
}

const limberi_drawn_point* const* limberi_smear_samples_around(limberi_smear_samples* s, limber_pipeline* p,
                                                               const limberi_timeline* t,
                                                               const limberi_drawn_grid* grid) {
    s->tick++;
    for (uint32_t i = 0; i < grid->count; i++) {
        int64_t away = ((int64_t)i - grid->now) * grid->frames * p->settings.smear.step;
        s->around[i] = sample(s, p, t->clip, limberi_timeline_between(t, away, grid->parts));
    }
    return s->around;
}
