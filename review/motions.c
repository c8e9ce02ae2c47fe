// What a clip consists of (SMEAR, section 6, leaves it open): the travel of a tree of joints, and the spin of parts that
// sit around their joint, as wheels and balls do. Each is a part of the motion that a style may smear alone or leave out.
#include "base/math.h"
#include "review/review.h"
#include <limber/stages/motion.h>
#include <limber/stages/pose.h>

static const double step_s = 1 / 60.0;
static const double min_turns = 0.5;  // at once: less is no spin
static const double steady = 0.8;     // of the turning that is about one axis
static const float centered = 0.25f;  // of how far the skin of a joint reaches: its middle is this close at most
static const double min_travel = 0.3; // L

// How far the skin of a joint reaches from it.
static float reach_of(const limber_model* model, uint32_t joint) {
    float max = 0;
    limber_vec3 at = limberi_mat4_translation(&model->rig.world_from_joint_rest[joint]);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
                if (model->skins[mesh->skin].joints[mesh->influence_joint[i]] == joint)
                    max = fmaxf(max, limberi_distance(limberi_load3(mesh->positions + 3 * (size_t)u), at));
    }
    return max;
}

static bool is_centered(const limber_model* model, uint32_t joint) {
    float reach = reach_of(model, joint);
    return reach > 0 && limberi_length(model->rig.centroid[joint]) < centered * reach;
}

// About one axis, to and fro; by more than half a turn at once, which nothing does that only swings.
static double turns_of(const limber_model* model, const limber_clip* clip, uint32_t joint, limber_kinematics* motion) {
    limber_motion_settings settings = limber_motion_settings_default();
    limber_vec3 sum = {0, 0, 0}; // those that go back are turned round
    double all = 0;
    double angle = 0;
    double low = 0;
    double high = 0;
    for (double t = clip->start_s; t < clip->end_s; t += step_s) {
        if (limber_motion_from_clip(model, clip, &settings, t, motion) != LIMBER_OK)
            return 0;
        limber_vec3 turn = limberi_scale(motion->angular_velocity[joint], (float)step_s);
        float way = limberi_dot(turn, sum) < 0 ? -1.0f : 1.0f;
        double length = (double)limberi_length(turn);
        sum = limberi_add(sum, limberi_scale(turn, way));
        all += length;
        angle += (double)way * length;
        low = angle < low ? angle : low;
        high = angle > high ? angle : high;
    }
    bool spins = (double)limberi_length(sum) > steady * all && high - low > 2 * LIMBERI_PI * min_turns;
    return spins ? all / (2 * LIMBERI_PI) : 0;
}

static double travel_of(const limber_model* model, const limber_clip* clip, uint32_t joint, limber_pose* pose) {
    limber_vec3 ends[2];
    for (int i = 0; i < 2; i++) {
        limber_clip_sample(model, clip, i ? clip->end_s : clip->start_s, pose);
        limber_pose_update_world(model, pose);
        ends[i] = limberi_mat4_translation(&pose->world_from_joint[joint]);
    }
    return (double)(limberi_distance(ends[1], ends[0]) / model->size);
}

limber_result limberi_review_motions(const limber_model* model, const limber_clip* clip, limberi_motion_part* parts,
                                     uint32_t room, uint32_t* count) {
    limber_kinematics motion;
    limber_pose pose;
    *count = 0;
    if (limber_kinematics_create(model, &motion) != LIMBER_OK)
        return LIMBER_ERROR_MEMORY;
    if (limber_pose_create(model, &pose) != LIMBER_OK) {
        limber_kinematics_destroy(&motion);
        return LIMBER_ERROR_MEMORY;
    }
    for (uint32_t j = 0; j < model->rig.joint_count && *count < room; j++) {
        bool top = model->rig.parents[j] < 0;
        double travel = top ? travel_of(model, clip, j, &pose) : 0;
        if (travel > min_travel)
            parts[(*count)++] = (limberi_motion_part){j, false, travel};
        bool turns = *count < room && clip->channel_of_joint[3 * (size_t)j + LIMBER_CHANNEL_ROTATION] >= 0;
        double spin = turns && is_centered(model, j) ? turns_of(model, clip, j, &motion) : 0;
        if (spin > min_turns)
            parts[(*count)++] = (limberi_motion_part){j, true, spin};
    }
    limber_pose_destroy(&pose);
    limber_kinematics_destroy(&motion);
    return LIMBER_OK;
}
