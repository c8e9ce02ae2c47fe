// What the frames of a clip share: filtered motions and contacts.
#include "asset/clip.h"
#include "base/memory.h"
#include "motion/kinematics.h"
#include "motion/time_filter.h"
#include "pipeline/clone.h"
#include "pipeline/pipeline_private.h"

// Contacts are those of the clip as it came; edits of the skeleton leave planted joints where they are.
limber_result limber_pipeline_contacts(limber_pipeline* p, uint32_t clip_index, const limber_contacts** contacts) {
    const limber_model* model = limber_asset_model(p->asset);
    *contacts = NULL;
    if (clip_index >= model->clip_count)
        return LIMBER_ERROR_ARGUMENT;
    limberi_contact_stage* ground = p->original ? p->original->ground : p->ground;
    if (!ground)
        return LIMBER_OK;
    const limber_clip* clip = &model->clips[clip_index];
    bool loops = limberi_motion_loops(clip, &p->settings.motion);
    return limberi_contact_stage_contacts(ground, clip, (int32_t)clip_index, loops, contacts);
}

void limberi_pipeline_drop_tracks(limber_pipeline* p, limber_track** tracks) {
    for (uint32_t i = 0; i < p->filter_count; i++) {
        limber_track_destroy(tracks[i]);
        tracks[i] = NULL;
    }
}

static limber_result make_tracks(limber_pipeline* p, int32_t clip_index, const limber_parallel* parallel,
                                 limber_track** tracks) {
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < p->filter_count; i++)
        result = limberi_track_create(p->model, &p->model->clips[clip_index], &p->settings.motion, &p->filters[i],
                                      p->air, parallel, &tracks[i], NULL);
    return result;
}

// A clip while it is prepared.
typedef struct preparation {
    limber_pipeline* pipeline;
    uint32_t clip;
    limber_track** tracks; // NULL: it has them
    limber_result result;
} preparation;

typedef struct preparations {
    preparation* all;      // [clip]
    const uint32_t* order; // clips
    uint32_t done;         // of these
} preparations;

static limber_result begin_tracks(limber_pipeline* p, uint32_t clip, preparation* out) {
    const preparation none = {p, clip, NULL, LIMBER_OK};
    *out = none;
    if (clip >= p->model->clip_count)
        return LIMBER_ERROR_ARGUMENT;
    if (!p->kept) {
        limberi_pipeline_drop_tracks(p, p->tracks);
        p->track_clip = -1;
        p->kept = LIMBERI_ALLOCATE(&p->arena, limber_track**, p->model->clip_count);
    }
    if (!p->kept || p->kept[clip])
        return p->kept ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    out->tracks = LIMBERI_ALLOCATE(&p->arena, limber_track*, p->filter_count + (size_t)1);
    return out->tracks ? limberi_pipeline_perform(p, clip) : LIMBER_ERROR_MEMORY;
}

// Any thread, for different clips. `parallel`: threads to share its samples with.
static void make_one(preparation* one, const limber_parallel* parallel) {
    const limber_contacts* contacts;
    if (one->tracks)
        one->result = make_tracks(one->pipeline, (int32_t)one->clip, parallel, one->tracks);
    if (!one->result)
        one->result = limber_pipeline_contacts(one->pipeline, one->clip, &contacts);
}

static void make_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const preparations* p = user;
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        make_one(&p->all[p->order[p->done + i]], NULL);
}

static limber_result finish_tracks(const preparation* one) {
    limber_pipeline* p = one->pipeline;
    if (one->tracks && !one->result)
        p->kept[one->clip] = one->tracks;
    else if (one->tracks)
        limberi_pipeline_drop_tracks(p, one->tracks);
    return one->result;
}

limber_result limberi_pipeline_prepare_clip(limber_pipeline* p, uint32_t clip) {
    preparation one;
    limber_result result = begin_tracks(p, clip, &one);
    if (result)
        return result;
    make_one(&one, NULL);
    return finish_tracks(&one);
}

limber_result limberi_pipeline_prepare_clips(limber_pipeline* p) {
    uint32_t count = p->model->clip_count;
    uint32_t begun = 0;
    preparation* all = limberi_allocate((count + (size_t)1) * sizeof *all);
    uint32_t* order = limberi_allocate((2 * (size_t)count + 1) * sizeof *order);
    preparations clips = {all, order, 0};
    limber_result result = all && order ? limberi_pipeline_perform_all(p) : LIMBER_ERROR_MEMORY;
    for (; !result && begun < count; begun += !result)
        result = begin_tracks(p, begun, &all[begun]);
    if (!result)
        result = limberi_contact_stage_prepare(p->ground, &p->parallel);
    if (!result) {
        limberi_clips_longest_first(p->model, order);
        while (clips.done < count && limberi_pipeline_is_long(p, order, clips.done))
            make_one(&all[order[clips.done++]], &p->parallel);
        limberi_pipeline_for(p, count - clips.done, 1, make_some, &clips);
    }
    for (uint32_t i = 0; i < begun; i++) {
        all[i].result = result ? result : all[i].result;
        limber_result one = finish_tracks(&all[i]);
        result = result ? result : one;
    }
    limberi_release(order);
    limberi_release(all);
    return result;
}

static limber_result use_kept(limber_pipeline* p, int32_t clip) {
    limber_result result = p->original ? LIMBER_OK : limberi_pipeline_prepare_clip(p, (uint32_t)clip);
    limber_track*** kept = p->original ? p->original->kept : p->kept;
    if (result)
        return result;
    if (!kept || !kept[clip])
        return LIMBER_ERROR_ARGUMENT;
    for (uint32_t i = 0; i < p->filter_count; i++)
        p->tracks[i] = kept[clip][i];
    return LIMBER_OK;
}

static limber_result renew_tracks(limber_pipeline* p, int32_t clip) {
    limberi_pipeline_drop_tracks(p, p->tracks);
    limber_result result = limberi_pipeline_perform(p, (uint32_t)clip);
    return result ? result : make_tracks(p, clip, NULL, p->tracks);
}

// Filters run over a whole clip; their results are kept until another clip is asked for, unless clips are prepared.
limber_result limberi_pipeline_prepare_tracks(limber_pipeline* p, int32_t clip) {
    if (p->track_clip == clip || clip < 0)
        return LIMBER_OK;
    p->track_clip = -1;
    limber_result result = p->original || p->kept ? use_kept(p, clip) : renew_tracks(p, clip);
    if (!result)
        p->track_clip = clip;
    return result;
}
