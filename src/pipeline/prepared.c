// What the frames of a clip share: filtered motions and contacts.
#include "base/memory.h"
#include "motion/at.h"
#include "motion/time_filter.h"
#include "pipeline/pipeline_private.h"
#include "pipeline/twin.h"

// Contacts are those of the clip as it came; edits of the skeleton leave planted joints where they are.
limber_result limber_pipeline_contacts(limber_pipeline* p, uint32_t clip_index, const limber_contacts** contacts) {
    const limber_model* model = limber_asset_model(p->asset);
    *contacts = NULL;
    if (clip_index >= model->clip_count)
        return LIMBER_ERROR_ARGUMENT;
    limberi_ground* ground = p->original ? p->original->ground : p->ground;
    if (!ground)
        return LIMBER_OK;
    const limber_clip* clip = &model->clips[clip_index];
    bool loops = limberi_motion_loops(clip, &p->settings.motion);
    return limberi_ground_contacts(ground, clip, (int32_t)clip_index, loops, contacts);
}

void limberi_pipeline_drop_tracks(limber_pipeline* p, limber_track** tracks) {
    for (uint32_t i = 0; i < p->filter_count; i++) {
        limber_track_destroy(tracks[i]);
        tracks[i] = NULL;
    }
}

static limber_result make_tracks(limber_pipeline* p, int32_t clip_index, limber_track** tracks) {
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < p->filter_count; i++)
        result = limberi_track_create(p->model, &p->model->clips[clip_index], &p->settings.motion, &p->filters[i],
                                      p->air, &tracks[i], NULL);
    return result;
}

static limber_result keep_tracks(limber_pipeline* p, uint32_t clip) {
    limber_track** tracks = LIMBERI_ALLOCATE(&p->arena, limber_track*, p->filter_count + (size_t)1);
    limber_result result = tracks ? make_tracks(p, (int32_t)clip, tracks) : LIMBER_ERROR_MEMORY;
    if (!result)
        p->kept[clip] = tracks;
    else if (tracks)
        limberi_pipeline_drop_tracks(p, tracks);
    return result;
}

limber_result limberi_pipeline_prepare_clip(limber_pipeline* p, uint32_t clip) {
    const limber_contacts* contacts;
    if (clip >= p->model->clip_count)
        return LIMBER_ERROR_ARGUMENT;
    if (!p->kept) {
        limberi_pipeline_drop_tracks(p, p->tracks);
        p->track_clip = -1;
        p->kept = LIMBERI_ALLOCATE(&p->arena, limber_track**, p->model->clip_count);
    }
    limber_result result = !p->kept ? LIMBER_ERROR_MEMORY : p->kept[clip] ? LIMBER_OK : keep_tracks(p, clip);
    return result ? result : limber_pipeline_contacts(p, clip, &contacts);
}

static limber_result take_kept(limber_pipeline* p, int32_t clip) {
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
    return make_tracks(p, clip, p->tracks);
}

// Filters run over a whole clip; their results are kept until another clip is asked for, unless clips are prepared.
limber_result limberi_pipeline_prepare_tracks(limber_pipeline* p, int32_t clip) {
    if (p->track_clip == clip || clip < 0)
        return LIMBER_OK;
    p->track_clip = -1;
    limber_result result = p->original || p->kept ? take_kept(p, clip) : renew_tracks(p, clip);
    if (!result)
        p->track_clip = clip;
    return result;
}
