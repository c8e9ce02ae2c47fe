// Where a camera is: the joint it hangs on, and the nodes from there down to it.
#include "asset/channel.h"
#include "base/math.h"
#include <limber/stages/pose.h>

static limber_transform local_of(const limber_model* model, const limber_clip* clip, double time_s, uint32_t node) {
    limber_transform local = model->camera_nodes[node].rest_local;
    uint32_t key = 0;
    for (uint32_t c = clip ? clip->camera_channel_count : 0;
         c-- > 0;) { // backwards: of two for one target the first counts
        const limber_channel* channel = &clip->camera_channels[c];
        if (channel->target != node)
            continue;
        double v[4];
        limberi_channel_sample(channel, time_s, &key, v);
        limber_vec3 three = limberi_vec3((float)v[0], (float)v[1], (float)v[2]);
        limber_quat four = {(float)v[0], (float)v[1], (float)v[2], (float)v[3]};
        if (channel->path == LIMBER_CHANNEL_TRANSLATION)
            local.translation = three;
        else if (channel->path == LIMBER_CHANNEL_SCALE)
            local.scale = three;
        else if (channel->path == LIMBER_CHANNEL_ROTATION)
            local.rotation = four;
    }
    return local;
}

limber_mat4 limber_camera_world(const limber_model* model, const limber_clip* clip, double time_s,
                                const limber_pose* pose, uint32_t camera) {
    limber_mat4 world = limber_mat4_identity();
    for (int32_t node = (int32_t)model->cameras[camera].node; node >= 0;) {
        limber_transform local = local_of(model, clip, time_s, (uint32_t)node);
        limber_mat4 matrix = limberi_mat4_from_transform(&local);
        world = limberi_mat4_mul(&matrix, &world);
        int32_t joint = model->camera_nodes[node].joint;
        node = model->camera_nodes[node].parent;
        if (node < 0 && joint >= 0)
            world = limberi_mat4_mul(&pose->world_from_joint[joint], &world);
    }
    return world;
}
