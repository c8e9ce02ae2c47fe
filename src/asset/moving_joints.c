// Joints that stay still relative to their parent.
#include "asset/asset.h"
#include "asset/channel.h"
#include "base/math.h"

static const double still_turn = 2e-3; // rad, L: less than this is no motion
static const double still_move = 2e-4;

static bool is_still(const limber_model* model, const limber_channel* channel) {
    uint32_t width = limberi_channel_width(channel);
    int32_t parent = model->rig.parents[channel->target];
    const float* first = limberi_channel_key(channel, 0);
    for (uint32_t k = 1; k < channel->key_count; k++) {
        const float* key = limberi_channel_key(channel, k);
        double off = 0;
        for (uint32_t i = 0; i < width; i++)
            off += (double)(key[i] - first[i]) * (double)(key[i] - first[i]);
        if (channel->path == LIMBER_CHANNEL_TRANSLATION && parent >= 0) {
            limber_vec3 move = limberi_mat4_vector(&model->rig.world_from_joint_rest[parent],
                                                   limberi_sub(limberi_load3(key), limberi_load3(first)));
            off = (double)limberi_dot(move, move) / ((double)model->size * (double)model->size);
        }
        double max = channel->path == LIMBER_CHANNEL_TRANSLATION ? still_move : 0.5 * still_turn;
        if (!(off <= max * max))
            return false;
    }
    return true;
}

void limberi_find_moving(const limber_model* model, uint8_t* moving) {
    for (uint32_t c = 0; c < model->clip_count; c++)
        for (uint32_t i = 0; i < model->clips[c].channel_count; i++) {
            const limber_channel* channel = &model->clips[c].channels[i];
            if (channel->path != LIMBER_CHANNEL_WEIGHTS && !moving[channel->target])
                moving[channel->target] = !is_still(model, channel);
        }
}

void limberi_fuse_still(const limber_model* model, const uint8_t* moving, uint32_t* fused) {
    const limber_rig* rig = &model->rig;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        bool fuse = model->clip_count && !moving[j] && rig->parents[j] >= 0;
        fused[j] = fuse ? fused[rig->parents[j]] : j;
    }
}
