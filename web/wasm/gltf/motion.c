// The studio's module for .glb files: the clips of a motion's file as clips of the character that is open.
#include "base/error.h"
#include "io/gltf/document.h"
#include "web/wasm/gltf/load.h"
#include "web/wasm/web.h"

#include <limber/stages/retarget.h>
#include <stdlib.h>

typedef struct web_motion {
    limberi_web_file character, motion;
    limber_retarget* retarget;
    const limber_clip* clip; // the last one
} web_motion;

static const limber_model* model_of(const limberi_web_file* file) {
    return limber_asset_model(limber_gltf_asset(file->gltf));
}

void WEB_EXPORT(motion_destroy)(web_motion* m) {
    if (!m)
        return;
    limber_retarget_destroy(m->retarget);
    limberi_web_file_close(&m->character);
    limberi_web_file_close(&m->motion);
    free(m);
}

enum { CYCLE = 1, ROOT_MOTION = 2 }; // the options of a motion, as bits

static limber_result match(web_motion* m, uint32_t options) {
    limber_retarget_settings settings = limber_retarget_settings_default();
    settings.loop = (options & CYCLE) != 0;
    settings.root_motion = (options & ROOT_MOTION) != 0;
    const limber_model* motion = model_of(&m->motion);
    if (!motion->clip_count)
        return limberi_fail(&limberi_web_error, LIMBER_ERROR_ARGUMENT, "has no clip to take the motion of");
    return limber_retarget_create(motion, model_of(&m->character), &settings, &m->retarget, &limberi_web_error);
}

// Both files stay where they are. A name of a clip: that file is BVH. 0: they do not fit together.
web_motion* WEB_EXPORT(motion_create)(const void* character, size_t character_size, const char* character_clip,
                                      const void* motion, size_t motion_size, const char* motion_clip,
                                      uint32_t options) {
    web_motion* m = calloc(1, sizeof *m);
    limber_result result = m ? LIMBER_OK : limberi_fail_memory(&limberi_web_error);
    if (!result)
        result = limberi_web_file_open(character, character_size, character_clip, &m->character);
    if (!result)
        result = limberi_web_file_open(motion, motion_size, motion_clip, &m->motion);
    if (!result)
        result = match(m, options);
    if (!result)
        return m;
    motion_destroy(m);
    return NULL;
}

// --- what was matched ---

uint32_t WEB_EXPORT(motion_joint_count)(const web_motion* m) {
    return model_of(&m->character)->rig.joint_count;
}

uint32_t WEB_EXPORT(motion_match_count)(const web_motion* m) {
    return limber_retarget_match_count(m->retarget);
}

// How sure the least sure match is.
double WEB_EXPORT(motion_sure)(const web_motion* m) {
    double sure = 1;
    for (uint32_t i = 0; i < limber_retarget_match_count(m->retarget); i++) {
        double one = (double)limber_retarget_match(m->retarget, i).sure;
        sure = one < sure ? one : sure;
    }
    return sure;
}

// --- clips ---

uint32_t WEB_EXPORT(motion_clip_count)(const web_motion* m) {
    return model_of(&m->motion)->clip_count;
}

const char* WEB_EXPORT(motion_clip_name)(const web_motion* m, uint32_t clip) {
    return model_of(&m->motion)->clips[clip].name;
}

double WEB_EXPORT(motion_clip_fps)(const web_motion* m, uint32_t clip) {
    return model_of(&m->motion)->clips[clip].fps;
}

// Makes a clip; the channels below are its own. Returns a limber_result.
int32_t WEB_EXPORT(motion_clip)(web_motion* m, uint32_t clip) {
    return (int32_t)limber_retarget_clip(m->retarget, &model_of(&m->motion)->clips[clip], &m->clip, &limberi_web_error);
}

uint32_t WEB_EXPORT(motion_channel_count)(const web_motion* m) {
    return m->clip->channel_count;
}

// The node of the file; of a BVH file, the joint.
uint32_t WEB_EXPORT(motion_channel_node)(const web_motion* m, uint32_t channel) {
    uint32_t joint = m->clip->channels[channel].target;
    return m->character.bvh ? joint : m->character.gltf->node_of_joint[joint];
}

uint32_t WEB_EXPORT(motion_channel_path)(const web_motion* m, uint32_t channel) {
    return (uint32_t)m->clip->channels[channel].path;
}

uint32_t WEB_EXPORT(motion_channel_keys)(const web_motion* m, uint32_t channel) {
    return m->clip->channels[channel].key_count;
}

const float* WEB_EXPORT(motion_channel_times)(const web_motion* m, uint32_t channel) {
    return m->clip->channels[channel].times;
}

const float* WEB_EXPORT(motion_channel_values)(const web_motion* m, uint32_t channel) {
    return m->clip->channels[channel].values;
}
