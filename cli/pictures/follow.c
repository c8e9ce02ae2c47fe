// A camera that goes along with a character that travels.
#include "base/math.h"
#include "cli/pictures/pictures.h"

#include <limber/stages/pose.h>

#include <stdlib.h>
#include <string.h>

static const float FOLLOWED_WAY = 0.5f; // of the size
static const double SMOOTHING_S = 0.3;  // to either side

// How much skin hangs on each joint.
static float* weigh_joints(const limber_model* model) {
    float* mass = calloc(model->rig.joint_count ? model->rig.joint_count : 1, sizeof *mass);
    for (uint32_t m = 0; mass && m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const limber_skin* skin = &model->skins[mesh->skin];
        for (uint32_t i = 0; !mesh->scenery && i < mesh->influence_first[mesh->vertex_count]; i++)
            mass[skin->joints[mesh->influence_joint[i]]] += mesh->influence_weight[i];
    }
    return mass;
}

static limber_vec3 middle_of(const limber_model* model, const limber_pose* pose, const float* mass) {
    limber_vec3 sum = {0, 0, 0};
    float whole = 0;
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        limber_vec3 at = limberi_mat4_translation(&pose->world_from_joint[j]);
        if (!(mass[j] > 0) || !isfinite(at.x + at.z))
            continue;
        sum = limberi_add(sum, limberi_scale(limberi_vec3(at.x, 0, at.z), mass[j]));
        whole += mass[j];
    }
    return whole > 0 ? limberi_scale(sum, 1 / whole) : sum;
}

static bool walk(const limber_model* model, const limber_clip* clip, double fps, limber_frame_range frames,
                 limber_vec3* at) {
    limber_pose pose;
    float* mass = weigh_joints(model);
    if (!mass || limber_pose_create(model, &pose) != LIMBER_OK) {
        free(mass);
        return false;
    }
    for (uint32_t i = 0; i < frames.count; i++) {
        limber_clip_sample(model, clip, limber_clip_frame_time(clip, fps, frames.first + i), &pose);
        limber_pose_update_world(model, &pose);
        at[i] = middle_of(model, &pose, mass);
    }
    limber_pose_destroy(&pose);
    free(mass);
    return true;
}

static bool is_long(const limber_vec3* at, uint32_t count, float size) {
    limber_vec3 low = at[0];
    limber_vec3 high = at[0];
    for (uint32_t i = 1; i < count; i++) {
        low = limberi_vec3(fminf(low.x, at[i].x), 0, fminf(low.z, at[i].z));
        high = limberi_vec3(fmaxf(high.x, at[i].x), 0, fmaxf(high.z, at[i].z));
    }
    return limberi_distance(high, low) > FOLLOWED_WAY * size;
}

// Means over a window that shrinks towards both ends, twice: a ramp stays a ramp, steps and stops become round.
static void smooth(limber_vec3* at, limber_vec3* scratch, uint32_t count, uint32_t reach) {
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t side = i < reach ? i : reach;
            side = count - 1 - i < side ? count - 1 - i : side;
            limber_vec3 sum = {0, 0, 0};
            for (uint32_t n = i - side; n <= i + side; n++)
                sum = limberi_add(sum, at[n]);
            scratch[i] = limberi_scale(sum, 1 / (float)(2 * side + 1));
        }
        memcpy(at, scratch, sizeof *at * count);
    }
}

bool follow_open(follow_path* path, const limber_model* model, const limber_clip* clip, double fps,
                 limber_frame_range frames) {
    memset(path, 0, sizeof *path);
    if (!clip || !frames.count)
        return true;
    limber_vec3* at = malloc(sizeof *at * frames.count);
    limber_vec3* scratch = malloc(sizeof *at * frames.count);
    bool done = at && scratch && walk(model, clip, fps, frames, at);
    if (done && is_long(at, frames.count, model->size)) {
        smooth(at, scratch, frames.count, (uint32_t)(SMOOTHING_S * fps + 0.5));
        limber_vec3 first = at[0];
        for (uint32_t i = 0; i < frames.count; i++)
            at[i] = limberi_sub(at[i], first);
        path->at = at;
        path->frame_count = frames.count;
        at = NULL;
    }
    free(at);
    free(scratch);
    return done;
}

void follow_close(follow_path* path) {
    free(path->at);
    memset(path, 0, sizeof *path);
}

limber_vec3 follow_at(const follow_path* path, double frame) {
    if (!path->at)
        return limberi_vec3(0, 0, 0);
    double last = (double)path->frame_count - 1;
    double at = fmin(fmax(frame, 0), last);
    uint32_t i = (uint32_t)at;
    uint32_t next = i + 1 < path->frame_count ? i + 1 : i;
    return limberi_lerp(path->at[i], path->at[next], (float)(at - i));
}
