// Clips out of the module: those of the character, and what a style made of them.
#include "web/wasm/web.h"

const limber_clip* WEB_EXPORT(clip_of_character)(const web_character* c, uint32_t clip) {
    return &c->model->clips[clip];
}

// The edited one where there is one.
const limber_clip* WEB_EXPORT(clip_of_pipeline)(const web_pipeline* p, uint32_t clip) {
    limber_edited_clip edited;
    if (limber_pipeline_edited_clip(p->pipeline, clip, &edited))
        return edited.clip;
    return &limberi_pipeline_state_of(p->pipeline).model->clips[clip];
}

double WEB_EXPORT(clip_source_time)(const web_pipeline* p, uint32_t clip, double time_s) {
    return limber_pipeline_source_time(p->pipeline, clip, time_s);
}

// Writes what the performance is about, then the joints of the trunk, the first joints of the limbs, and the times of key
// poses. Returns how many numbers that are; `out` NULL: only that. 0: there is no performance.
uint32_t WEB_EXPORT(clip_performance)(const web_pipeline* p, uint32_t clip, float* out) {
    limber_performance a;
    if (!limber_pipeline_performance(p->pipeline, clip, &a))
        return 0;
    const double numbers[] = {
        a.hips,         a.head,    a.trunk_count,    a.limb_count,     a.leg_count,      a.key_count,
        a.flight_count, a.gait,    a.retimed,        a.posed,          a.shaped,         a.max_shift_s,
        a.slowest,      a.fastest, a.lingers,        a.pose_gain,      a.amplitude,      a.new_amplitude,
        a.shortest,     a.tallest, a.held_frames[0], a.held_frames[1], a.held_frames[2], a.hold_count,
    };
    uint32_t count = sizeof numbers / sizeof *numbers;
    for (uint32_t i = 0; out && i < count; i++)
        *out++ = (float)numbers[i];
    for (uint32_t i = 0; out && i < a.trunk_count; i++)
        *out++ = (float)a.trunk[i];
    for (uint32_t i = 0; out && i < a.limb_count; i++)
        *out++ = (float)a.limbs[i];
    for (uint32_t i = 0; out && i < a.key_count; i++)
        *out++ = (float)a.key_times[i];
    return count + a.trunk_count + a.limb_count + a.key_count;
}

// Many captures start with a few frames of a pose that is not part of the motion, then cut.
static double motion_start(const limber_clip* clip) {
    const double longest_pose_s = 0.25; // what lasts longer is motion
    bool inserted = clip->cut_count && clip->cuts[0].before_s - clip->start_s <= longest_pose_s;
    return inserted ? clip->cuts[0].after_s : clip->start_s;
}

double WEB_EXPORT(clip_number)(const limber_clip* clip, uint32_t which) {
    const double numbers[] = {clip->start_s,       clip->end_s,   clip->fps,         clip->loops,
                              clip->channel_count, clip->travels, motion_start(clip)};
    return which < 7 ? numbers[which] : 0;
}

const char* WEB_EXPORT(clip_name)(const limber_clip* clip) {
    return clip->name;
}

uint32_t WEB_EXPORT(channel_number)(const limber_clip* clip, uint32_t channel, uint32_t which) {
    const limber_channel* c = &clip->channels[channel];
    const uint32_t numbers[] = {c->path, c->interpolation, c->target, c->key_count};
    return which < 4 ? numbers[which] : 0;
}

const float* WEB_EXPORT(channel_array)(const limber_clip* clip, uint32_t channel, uint32_t which) {
    return which == 0 ? clip->channels[channel].times : clip->channels[channel].values;
}

uint32_t WEB_EXPORT(stretch_count)(const web_pipeline* p, uint32_t clip) {
    limber_edited_clip edited;
    return limber_pipeline_edited_clip(p->pipeline, clip, &edited) ? edited.stretch_count : 0;
}

static const limber_stretch* stretch_at(const web_pipeline* p, uint32_t clip, uint32_t i) {
    limber_edited_clip edited;
    return limber_pipeline_edited_clip(p->pipeline, clip, &edited) ? &edited.stretches[i] : NULL;
}

uint32_t WEB_EXPORT(stretch_number)(const web_pipeline* p, uint32_t clip, uint32_t i, uint32_t which) {
    const limber_stretch* s = stretch_at(p, clip, i);
    return which == 0 ? s->joint : s->key_count;
}

const float* WEB_EXPORT(stretch_array)(const web_pipeline* p, uint32_t clip, uint32_t i, uint32_t which) {
    const limber_stretch* s = stretch_at(p, clip, i);
    if (which == 0)
        return &s->axis.x;
    return which == 1 ? s->times : s->factors;
}
