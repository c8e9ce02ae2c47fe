// The performance: clips are retimed and get stronger poses, each when it is first asked for. Later stages see the
// changed clips through the pipeline's own copy of the model.
#include "asset/asset.h"
#include "asset/clip.h"
#include "base/build.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "contact/contacts.h"
#include "contact/support.h"
#include "motion/kinematics.h"
#include "perform/live_acting.h"
#include "pipeline/pipeline_private.h"

#include <math.h>
#include <string.h>

// What performances of a character need, whatever the style: found once, and kept with the character.
typedef struct rehearsal {
    limberi_derived_item item;
    limberi_arena arena;
    limberi_performer performer;
    limberi_clip_ground* grounds; // [clip] as they came
    uint32_t* limbs;              // first joints, of legs first, without loose feet
} rehearsal;

// --- the ground under plain clips ---

static bool see_ground(limberi_arena* arena, const limber_contacts* found, limberi_clip_ground* ground) {
    double* levels = LIMBERI_ALLOCATE(arena, double, limber_contacts_level_count(found));
    limberi_contact_span* touches = LIMBERI_ALLOCATE(arena, limberi_contact_span, limber_contact_count(found));
    limberi_contact_span* grips = LIMBERI_ALLOCATE(arena, limberi_contact_span, limber_grip_count(found));
    double* landings = LIMBERI_ALLOCATE(arena, double, limber_landing_count(found));
    if (arena->failed)
        return false;
    for (uint32_t i = 0; i < limber_contacts_level_count(found); i++)
        levels[ground->level_count++] = limber_contacts_level(found, i);
    for (uint32_t i = 0; i < limber_contact_count(found); i++) {
        limber_contact one = limber_contact_at(found, i);
        limberi_contact_span touch = {one.joint, one.from_s, one.to_s};
        touches[ground->touch_count++] = touch;
    }
    for (uint32_t i = 0; i < limber_grip_count(found); i++) {
        limber_grip one = limber_grip_at(found, i);
        limberi_contact_span grip = {one.joint, one.from_s, one.to_s};
        grips[ground->grip_count++] = grip;
    }
    for (uint32_t i = 0; i < limber_landing_count(found); i++)
        landings[ground->landing_count++] = limber_landing_at(found, i).time_s;
    limber_contacts_belt(found, ground->belt);
    ground->levels = levels;
    ground->touches = touches;
    ground->grips = grips;
    ground->landings = landings;
    return true;
}

typedef struct contact_search {
    const limber_asset* asset;
    const uint32_t* order;         // clips
    const limber_contacts** found; // [clip] NULL: not enough memory
} contact_search;

// Any thread, for different clips.
static void find_contacts(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const contact_search* s = user;
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        if (limberi_contacts_share(s->asset, s->order[i], &s->found[s->order[i]]))
            s->found[s->order[i]] = NULL;
}

static bool see_grounds(rehearsal* r, const limber_asset* asset, const limber_parallel* parallel) {
    const limber_model* model = limber_asset_model(asset);
    uint32_t count = model->clip_count;
    limber_contact_settings plain = limber_contact_settings_default();
    uint32_t* order = LIMBERI_ALLOCATE(&r->arena, uint32_t, 2 * (size_t)count);
    contact_search search = {asset, order, LIMBERI_ALLOCATE(&r->arena, const limber_contacts*, count)};
    r->grounds = LIMBERI_ALLOCATE(&r->arena, limberi_clip_ground, count + (size_t)1);
    bool seen = search.found && order && r->grounds && !limberi_contacts_prepare(asset, &plain, parallel);
    if (seen) {
        limberi_clips_longest_first(model, order);
        limberi_parallel_for(parallel, count, 1, find_contacts, &search);
    }
    for (uint32_t c = 0; seen && c < count; c++)
        seen = search.found[c] && see_ground(&r->arena, search.found[c], &r->grounds[c]);
    return seen;
}

// --- the character ---

static bool list_points(rehearsal* r, const limber_asset* asset) {
    const limberi_support* support = limberi_asset_support(asset);
    if (!support)
        return false;
    uint32_t* joints = LIMBERI_ALLOCATE(&r->arena, uint32_t, support->point_count);
    for (uint32_t o = 0; joints && o < support->owner_count; o++)
        for (uint32_t i = support->first[o]; i < support->first[o + 1]; i++)
            joints[i] = support->owners[o];
    limberi_touch_points points = {support->point_count, support->vertices, joints};
    r->performer.points = points;
    return joints != NULL;
}

static bool list_limbs(rehearsal* r) {
    const limberi_anatomy* body = r->performer.anatomy;
    uint32_t count = 0;
    r->limbs = LIMBERI_ALLOCATE(&r->arena, uint32_t, body->limb_count + (size_t)1);
    for (int legs = 1; r->limbs && legs >= 0; legs--)
        for (uint32_t l = 0; l < body->limb_count; l++)
            if (!body->limbs[l].loose && body->limbs[l].leg == legs)
                r->limbs[count++] = body->limbs[l].root;
    return r->limbs != NULL;
}

static void destroy(rehearsal* r) {
    if (!r)
        return;
    limberi_anatomy_destroy(r->performer.anatomy);
    limberi_skin_sums_destroy(r->performer.surface);
    limberi_arena_free(&r->arena);
    limberi_release(r);
}

static void destroy_item(limberi_derived_item* item) {
    destroy((rehearsal*)(void*)item);
}

// `live`: without a look at clips, so that a character acts the same whichever it has.
static const rehearsal* make_rehearsal(const limber_asset* asset, bool live, const limber_parallel* parallel) {
    const limber_model* model = limber_asset_model(asset);
    limberi_derived* slot =
        limberi_asset_derived(asset, live ? LIMBERI_DERIVED_LIVE_REHEARSAL : LIMBERI_DERIVED_REHEARSAL);
    limberi_derived_item* known = atomic_load(&slot->item);
    if (known)
        return (const rehearsal*)(const void*)known;
    rehearsal* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return NULL;
    made->item.destroy = destroy_item;
    made->performer.model = model;
    if ((live || see_grounds(made, asset, parallel)) && list_points(made, asset)) {
        made->performer.anatomy = limberi_anatomy_create(model, made->grounds);
        made->performer.surface = limberi_skin_sums_create(model);
    }
    if (!made->performer.anatomy || !made->performer.surface || !list_limbs(made)) {
        destroy(made);
        return NULL;
    }
    return (const rehearsal*)(const void*)limberi_derived_keep(slot, &made->item);
}

const limberi_performer* limberi_pipeline_live_performer(const limber_pipeline* p) {
    const rehearsal* r = make_rehearsal(p->asset, true, NULL);
    return r ? &r->performer : NULL;
}

// --- the pipeline ---

limber_result limberi_pipeline_begin_performing(limber_pipeline* p, limber_error* error) {
    const limber_model* model = p->model;
    limber_perform_settings needs = p->settings.perform;
    needs.step = needs.step > 0; // even steps need to know nothing about a clip
    if (!limber_perform_is_on(&needs) || !model->clip_count)
        return LIMBER_OK;
    limber_clip* clips = LIMBERI_COPY(&p->arena, limber_clip, model->clips, model->clip_count);
    p->performed = LIMBERI_ALLOCATE(&p->arena, limberi_performance*, model->clip_count);
    if (p->arena.failed)
        return limberi_fail_memory(error);
    p->performed_model = *model;
    p->performed_model.clips = p->performed_clips = clips;
    p->model = &p->performed_model;
    return LIMBER_OK;
}

static bool can_perform(const limber_pipeline* p, uint32_t clip) {
    return LIMBERI_HAS_CLIPS && p->performed && !p->original && !p->performed[clip];
}

// `parallel`: threads to share the moments of this clip with.
static limber_result perform(limber_pipeline* p, const rehearsal* r, uint32_t clip, const limber_parallel* parallel) {
    const limber_clip* plain = &p->performed_clips[clip];
    bool loops = limberi_motion_loops(plain, &p->settings.motion);
    p->performed[clip] =
        limberi_perform(&r->performer, (int32_t)clip, plain, &r->grounds[clip], loops, &p->settings.perform, parallel);
    if (!p->performed[clip])
        return LIMBER_ERROR_MEMORY;
    p->performed_clips[clip] = p->performed[clip]->clip;
    return LIMBER_OK;
}

limber_result limberi_pipeline_perform(limber_pipeline* p, uint32_t clip) {
    if (!can_perform(p, clip))
        return LIMBER_OK;
    const rehearsal* r = make_rehearsal(p->asset, false, &p->parallel);
    return r ? perform(p, r, clip, &p->parallel) : LIMBER_ERROR_MEMORY;
}

// Clips while they are performed at the same time.
typedef struct stage {
    limber_pipeline* pipeline;
    const rehearsal* rehearsal;
    uint32_t* order; // clips
    uint32_t done;   // of these
} stage;

bool limberi_pipeline_is_long(const limber_pipeline* p, const uint32_t* order, uint32_t at) {
    const limber_clip* clips = p->model->clips;
    double length_s = clips[order[at]].end_s - clips[order[at]].start_s;
    double left_s = 0;
    for (uint32_t i = at; i < p->model->clip_count; i++)
        left_s += clips[order[i]].end_s - clips[order[i]].start_s;
    return LIMBERI_HAS_THREADS && p->parallel.run && length_s * p->parallel.worker_count > left_s;
}

static void perform_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const stage* s = user;
    (void)worker;
    for (uint32_t i = first; i < end; i++) {
        uint32_t c = s->order[s->done + i];
        if (can_perform(s->pipeline, c) && perform(s->pipeline, s->rehearsal, c, NULL))
            s->pipeline->performed[c] = NULL;
    }
}

limber_result limberi_pipeline_perform_all(limber_pipeline* p) {
    if (!LIMBERI_HAS_CLIPS || !p->performed || p->original)
        return LIMBER_OK;
    stage s = {.pipeline = p, .rehearsal = make_rehearsal(p->asset, false, &p->parallel)};
    s.order = s.rehearsal ? limberi_allocate((2 * (size_t)p->model->clip_count + 1) * sizeof *s.order) : NULL;
    if (!s.order)
        return LIMBER_ERROR_MEMORY;
    limberi_clips_longest_first(p->model, s.order);
    limber_result result = LIMBER_OK;
    while (!result && s.done < p->model->clip_count && limberi_pipeline_is_long(p, s.order, s.done))
        result = limberi_pipeline_perform(p, s.order[s.done++]);
    if (!result)
        limberi_parallel_for(&p->parallel, p->model->clip_count - s.done, 1, perform_some, &s);
    limberi_release(s.order);
    for (uint32_t c = 0; !result && c < p->model->clip_count; c++)
        result = p->performed[c] ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    return result;
}

void limberi_pipeline_drop_performances(limber_pipeline* p) {
    uint32_t count = LIMBERI_HAS_CLIPS && p->performed && !p->original ? limber_asset_model(p->asset)->clip_count : 0;
    for (uint32_t c = 0; c < count; c++)
        limberi_performance_destroy(p->performed[c]);
}

// --- what is on show at a time ---

bool limberi_pipeline_holds(const limber_pipeline* p, uint32_t clip, limberi_holds* holds) {
    uint32_t step = p->settings.perform.step;
    if (step == 1 || (step == 0 && !p->performed[clip]))
        return false;
    *holds = step ? limberi_holds_even(&p->model->clips[clip], step) : p->performed[clip]->holds;
    return holds->frame_count > 0;
}

limber_result limberi_pipeline_hold(limber_pipeline* p, int32_t clip, double* time_s) {
    limberi_holds holds;
    if (!LIMBERI_HAS_CLIPS || clip < 0 || p->settings.perform.step == 1)
        return LIMBER_OK;
    limber_result result = limberi_pipeline_perform(p, (uint32_t)clip);
    if (!result && limberi_pipeline_holds(p, (uint32_t)clip, &holds))
        *time_s = limberi_holds_time(&holds, *time_s);
    return result;
}

double limber_pipeline_source_time(limber_pipeline* p, uint32_t clip, double time_s) {
    if (clip >= p->model->clip_count || limberi_pipeline_perform(p, clip) ||
        limberi_pipeline_hold(p, (int32_t)clip, &time_s))
        return time_s;
    return p->performed ? limberi_performance_source(p->performed[clip], time_s) : time_s;
}

static const limberi_performance* posed_performance(const limber_pipeline* p) {
    return p->performed && p->posed_clip >= 0 ? p->performed[p->posed_clip] : NULL;
}

double limberi_pipeline_posed_source_s(const limber_pipeline* p) {
    const limberi_performance* performance = posed_performance(p);
    return performance ? limberi_performance_source(performance, p->posed_time_s) : p->posed_time_s;
}

bool limberi_pipeline_is_posed(const limber_pipeline* p) {
    const limberi_performance* performance = posed_performance(p);
    const limberi_live_acting* acting = LIMBERI_HAS_ACTING ? p->live_acting : NULL;
    return (performance && performance->posed) || (acting && limberi_live_acting_poses(acting));
}

bool limberi_pipeline_has_body(const limber_pipeline* p) {
    limberi_body_state body;
    return limberi_pipeline_body(p, &body);
}

bool limberi_pipeline_body(const limber_pipeline* p, limberi_body_state* body) {
    const limberi_performance* performance = posed_performance(p);
    const limberi_live_acting* acting = LIMBERI_HAS_ACTING ? p->live_acting : NULL;
    limberi_body_moment moment;
    if (acting) {
        if (!limberi_live_acting_body(acting, &moment, &body->height, &body->landing))
            return false;
    } else {
        if (!performance || !limberi_performance_body(performance, p->posed_time_s, &moment))
            return false;
        body->height = performance->height;
        body->landing = performance->landing;
    }
    memcpy(body->strain, moment.strain, sizeof body->strain);
    memcpy(body->bend, moment.bend, sizeof body->bend);
    body->support = moment.support;
    return true;
}

// --- for people ---

static const double lingering = 0.8; // of the plain speed

// How far the timing goes.
static void measure_timing(const limberi_performance* p, limber_performance* out) {
    out->slowest = out->fastest = 1;
    for (uint32_t f = 0; p->source && f + 1 < p->count; f++) {
        double rate = p->source[f + 1] - p->source[f];
        out->max_shift_s = fmax(out->max_shift_s, fabs(p->source[f] - f) * p->step_s);
        out->slowest = fmin(out->slowest, rate);
        out->fastest = fmax(out->fastest, rate);
        out->lingers += rate < lingering ? 1.0 / (p->count - 1) : 0;
    }
    const limberi_holds* holds = &p->holds;
    for (uint32_t f = 0, first = 0; f < holds->frame_count; f++) {
        if (f + 1 < holds->frame_count && holds->firsts[f + 1] == first)
            continue;
        out->held_frames[f - first] += f + 1 - first;
        first = f + 1;
    }
}

// How tall the body becomes.
static void measure_body(const limberi_performance* p, limber_performance* out) {
    out->shaped = p->body != NULL;
    out->shortest = out->tallest = 1;
    for (uint32_t f = 0; p->body && f < p->count; f++) {
        out->shortest = fmin(out->shortest, exp(p->body[f].strain[1]));
        out->tallest = fmax(out->tallest, exp(p->body[f].strain[1]));
    }
}

static bool measure_amplitude(const limber_pipeline* p, const rehearsal* r, uint32_t clip, limber_performance* out) {
    const limberi_performance* made = p->performed[clip];
    limberi_acting acting;
    out->amplitude = out->new_amplitude = made->amplitude;
    if (!made->count || (!made->posed && !made->source))
        return true;
    bool loops = limberi_motion_loops(&made->clip, &p->settings.motion);
    if (limberi_acting_create(r->performer.anatomy, r->performer.surface, &r->performer.points, &made->clip,
                              &r->grounds[clip], loops, NULL, &acting))
        return false;
    out->new_amplitude = acting.amplitude;
    limberi_acting_destroy(&acting);
    return true;
}

static void list_parts(const rehearsal* r, limber_performance* out) {
    const limberi_anatomy* body = r->performer.anatomy;
    out->hips = body->hips;
    out->head = body->head;
    out->trunk_count = body->trunk_count;
    out->trunk = body->trunk;
    out->limbs = r->limbs;
    for (uint32_t l = 0; l < body->limb_count; l++) {
        out->limb_count += !body->limbs[l].loose;
        out->leg_count += body->limbs[l].leg;
    }
}

bool limber_pipeline_performance(limber_pipeline* p, uint32_t clip, limber_performance* out) {
    memset(out, 0, sizeof *out);
    out->hips = out->head = -1;
    if (!p->performed || clip >= p->model->clip_count || limberi_pipeline_perform(p, clip) || !p->performed[clip])
        return false;
    const limberi_performance* made = p->performed[clip];
    const rehearsal* r = make_rehearsal(p->asset, false, NULL);
    list_parts(r, out);
    out->posed = made->posed;
    out->retimed = made->source != NULL;
    out->key_count = made->key_count;
    out->key_times = made->key_times;
    out->flight_count = made->flight_count;
    out->hold_count = made->hold_count;
    out->gait = made->gait;
    out->pose_gain = made->gain;
    measure_timing(made, out);
    measure_body(made, out);
    return measure_amplitude(p, r, clip, out);
}
