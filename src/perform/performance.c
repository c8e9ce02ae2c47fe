// The steps of a performance in their order, and the resulting clip.
#include "perform/performance.h"

#include "base/memory.h"
#include "base/settings.h"
#include "perform/exaggerate/cartoon_filter.h"
#include "perform/passes.h"
#include "perform/take.h"

#include <math.h>
#include <string.h>

void limber_perform_settings_init(limber_perform_settings* given, size_t size) {
    limber_perform_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.struct_size = sizeof settings;
    settings.step = 1;
    limberi_settings_write(given, size, &settings, sizeof settings);
}

bool limber_perform_is_on(const limber_perform_settings* s) {
    return limberi_perform_edits(s) || s->squash != 0 || s->bend != 0 || s->step != 1;
}

bool limberi_perform_edits(const limber_perform_settings* s) {
    return s->snap != 0 || s->hang != 0 || s->exaggerate != 0 || s->anticipate != 0 || s->hold_count > 0;
}

// --- frames ---

// The clip as it came and as it becomes, at the same moments.
typedef struct takes {
    limberi_take plain, made;
} takes;

static bool sample_plain(const limberi_acting* a, limberi_arena* arena, takes* t) {
    size_t all = (size_t)a->grid.count * a->joint_count;
    limber_pose* pose = a->lookers->poses;
    memset(t, 0, sizeof *t);
    t->plain.joint_count = a->joint_count;
    t->plain.frame_count = a->grid.count;
    t->plain.start_s = a->clip->start_s;
    t->plain.step_s = a->grid.step_s;
    t->plain.loops = a->grid.loops;
    t->plain.local = a->first ? LIMBERI_COPY(arena, limber_transform, a->local, all) : a->local;
    t->made = t->plain;
    t->made.local = LIMBERI_ALLOCATE(arena, limber_transform, all);
    if (!t->plain.local || !t->made.local)
        return false;
    for (uint32_t f = 0; f < a->first; f++) { // the pose that was put in front of the motion stays
        limber_clip_sample(a->model, a->clip, limberi_take_time(&t->plain, f), pose);
        memcpy(limberi_take_at(&t->plain, f, 0), pose->local, a->joint_count * sizeof *pose->local);
        memcpy(limberi_take_at(&t->made, f, 0), pose->local, a->joint_count * sizeof *pose->local);
    }
    return true;
}

static void show_edited(const limberi_acting* a, const limber_transform* edited, double moment, limber_transform* out) {
    uint32_t at = (uint32_t)fmin(fmax(moment, 0), a->grid.count - 2);
    double part = moment - at;
    for (uint32_t j = 0; j < a->joint_count; j++) {
        const limber_transform* before = &edited[limberi_acting_at(a, at, j)];
        const limber_transform* after = &edited[limberi_acting_at(a, at + 1, j)];
        if (part <= 0)
            out[j] = *before;
        else
            out[j] = part < 1 ? limberi_transform_blend(before, after, part) : *after;
    }
}

typedef struct making {
    const limberi_acting* a;
    const double* source;           // NULL: the same moments
    const limber_transform* edited; // NULL: the plain clip
    takes* takes;
} making;

// Any thread, for different parts.
static void make_frames(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const making* m = user;
    const limberi_acting* a = m->a;
    limber_pose* pose = a->lookers[worker].poses;
    limberi_moments_of(a, &first, &end);
    for (uint32_t f = first > a->first ? first : a->first; f < end; f++) {
        double moment = m->source ? m->source[f] : f;
        limber_transform* out = limberi_take_at(&m->takes->made, f, 0);
        if (m->edited) {
            show_edited(a, m->edited, moment, out);
            continue;
        }
        limber_clip_sample(a->model, a->clip, a->clip->start_s + moment * a->grid.step_s, pose);
        memcpy(out, pose->local, a->joint_count * sizeof *out);
    }
}

// Morph weights follow the timing.
static bool retime_weights(const limberi_acting* a, const double* source, const float* times,
                           limberi_performance* made) {
    limber_channel* channels = (limber_channel*)made->clip.channels;
    limber_pose* pose = a->lookers->poses;
    for (uint32_t i = 0; i < made->clip.channel_count; i++) {
        if (channels[i].path != LIMBER_CHANNEL_WEIGHTS)
            continue;
        const limber_mesh* mesh = &a->model->meshes[channels[i].target];
        float* values = LIMBERI_ALLOCATE(&made->arena, float, (size_t)a->grid.count * mesh->morph_count);
        for (uint32_t f = 0; values && f < a->grid.count; f++) {
            limber_clip_sample(a->model, a->clip, a->clip->start_s + source[f] * a->grid.step_s, pose);
            memcpy(values + (size_t)f * mesh->morph_count, pose->morph_weights + mesh->first_morph,
                   mesh->morph_count * sizeof *values);
        }
        channels[i].interpolation = LIMBER_INTERPOLATION_LINEAR;
        channels[i].key_count = a->grid.count;
        channels[i].times = times;
        channels[i].values = values;
    }
    return !made->arena.failed;
}

// Most of the time.
static bool travels(const limberi_acting* a) {
    double free = 0;
    for (uint32_t f = a->first; f < a->grid.count; f++)
        free += a->free[f] / (a->grid.count - a->first);
    return free < 0.5;
}

static bool keep_timing(const limberi_acting* a, const limberi_timing* timing, limberi_performance* made) {
    double* keys = LIMBERI_ALLOCATE(&made->arena, double, timing->key_count + (size_t)1);
    for (uint32_t i = 0; keys && i < timing->key_count; i++)
        keys[i] = timing->keys[i] * a->grid.step_s;
    made->key_times = keys;
    made->key_count = timing->key_count;
    made->flight_count = timing->flight_count;
    made->hold_count = timing->hold_count;
    made->gait = timing->gait || travels(a);
    made->amplitude = a->amplitude;
    made->count = a->grid.count;
    made->step_s = a->grid.step_s;
    made->height = a->body->height;
    if (timing->changed)
        made->source = LIMBERI_COPY(&made->arena, double, timing->source, a->grid.count);
    return !made->arena.failed;
}

static bool shape_body(limberi_acting* a, const limber_perform_settings* settings, const limber_transform* played,
                       limberi_performance* made) {
    bool legs = false;
    if (settings->squash == 0 && settings->bend == 0)
        return true;
    for (uint32_t l = 0; l < a->body->limb_count; l++)
        legs = legs || a->body->limbs[l].leg;
    double squash = legs ? settings->squash : fmin(settings->squash, 1); // nothing else of a ball takes a landing up
    made->landing = legs ? 0 : squash;
    return limberi_body_find(a, played, made->source, squash, settings->bend, &made->arena, &made->body) == LIMBER_OK;
}

static bool build(limberi_acting* a, int32_t clip, const limber_perform_settings* settings, limberi_performance* made) {
    limberi_timing_amounts pace = {settings->snap, settings->hang, settings->hold_count, settings->holds, clip};
    limberi_timing timing;
    limber_transform* edited;
    limberi_pose_amounts amounts = {settings->exaggerate, settings->anticipate, settings->trail, settings->of_joint};
    takes t;
    if (limberi_timing_find(a, &pace, &timing) || !keep_timing(a, &timing, made) ||
        limberi_pose_edit(a, &amounts, &edited))
        return false;
    if (settings->step == 0 && limberi_holds_find(a, made->source, &made->arena, &made->holds))
        return false;
    made->posed = edited != NULL;
    made->gain = limberi_pose_gain(a, settings->exaggerate);
    if (!made->source && !edited)
        return shape_body(a, settings, NULL, made);
    if (!sample_plain(a, &a->arena, &t))
        return false;
    making frames = {a, made->source, edited, &t};
    limberi_each_part(a, make_frames, &frames);
    const float* times = limberi_take_key_times(&t.made, a->clip, &made->arena);
    if (limberi_take_to_clip(&t.made, &t.plain, a->model, a->clip, times, &made->arena, &made->clip))
        return false;
    if (made->source && !retime_weights(a, made->source, times, made))
        return false;
    return shape_body(a, settings, t.made.local, made);
}

limberi_performance* limberi_perform(const limberi_performer* performer, int32_t index, const limber_clip* clip,
                                     const limberi_clip_ground* ground, bool loops,
                                     const limber_perform_settings* settings, const limber_parallel* parallel) {
    limberi_performance* made = limberi_allocate_zeroed(1, sizeof *made);
    limberi_acting acting;
    if (!made)
        return NULL;
    made->clip = *clip;
    if (!clip->channel_count || !(clip->end_s > clip->start_s) || !performer->anatomy->model->rig.joint_count)
        return made;
    bool failed = limberi_acting_create(performer->anatomy, performer->surface, &performer->points, clip, ground, loops,
                                        parallel, &acting) != LIMBER_OK;
    if (!failed) {
        failed = !build(&acting, index, settings, made);
        limberi_acting_destroy(&acting);
    }
    if (!failed)
        return made;
    limberi_performance_destroy(made);
    return NULL;
}

void limberi_performance_destroy(limberi_performance* performance) {
    if (!performance)
        return;
    limberi_arena_free(&performance->arena);
    limberi_release(performance);
}

double limberi_performance_source(const limberi_performance* p, double time_s) {
    double moment = (time_s - p->clip.start_s) / (p->step_s > 0 ? p->step_s : 1);
    if (!p->source || !(moment >= 0) || moment > p->count - 1)
        return time_s;
    return p->clip.start_s + p->step_s * limberi_signal_at(p->source, p->count, moment);
}

bool limberi_performance_body(const limberi_performance* p, double time_s, limberi_body_moment* body) {
    if (!p->body || !(p->step_s > 0))
        return false;
    double moment = fmin(fmax((time_s - p->clip.start_s) / p->step_s, 0), p->count - 1);
    uint32_t at = (uint32_t)fmin(moment, p->count - 2);
    double part = moment - at;
    const limberi_body_moment* a = &p->body[at];
    const limberi_body_moment* b = &p->body[at + 1];
    for (int i = 0; i < 6; i++)
        body->strain[i] = (1 - part) * a->strain[i] + part * b->strain[i];
    for (int i = 0; i < 2; i++)
        body->bend[i] = (1 - part) * a->bend[i] + part * b->bend[i];
    body->support = (1 - part) * a->support + part * b->support;
    return true;
}
