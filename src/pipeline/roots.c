// Effects that start at contacts ("root": "contacts"). Velocity skinning (section 8) and the thesis (7.2) leave open how the
// motion of hands and feet goes up the tree. Seen from a joint c that stays in place, everything between it and the root
// moves the other way round: joint j of its path turns all that is not below j by the opposite motion. For effects that
// are odd in the motion, that is
//   d'(p) = d(p) - D_c(p),   D_c(p) = sum over j in c and its ancestors of psi_j(p)
// and in any case what hangs on c alone does not move. Several contacts share, and each counts as much as it is still.
#include "base/math.h"
#include "base/memory.h"
#include "deform/deformer.h"
#include "motion/kinematics.h"
#include "pipeline/pipeline_private.h"

// Speeds of a joint's skin, L per second: holding on, and moving.
static const float still = 0.03f;
static const float moving = 0.25f;
static const double around_s = 0.1; // either side of a moment, so that contacts come and go softly

struct limberi_roots {
    limberi_rooting* rooting;
    limber_pose before, after;
    uint32_t count;
    uint32_t* joints;      // the ends of limbs
    int32_t* tops;         // [count] the root of the tree it hangs in
    float *holds, *shares; // [count] this frame
};

static void mark_skinned(const limber_model* model, float* marks) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t i = 0; i < mesh->influence_first[mesh->vertex_count]; i++)
            marks[model->skins[mesh->skin].joints[mesh->influence_joint[i]]] += mesh->influence_weight[i];
    }
}

// Joints with skin and no children that have some.
static void find_ends(const limber_model* model, limberi_roots* r) {
    const limber_rig* rig = &model->rig;
    mark_skinned(model, r->holds);
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        bool end = r->holds[j] > 0;
        for (uint32_t k = j + 1; end && k < rig->joint_count; k++)
            end = rig->hangs_on[k] != (int32_t)j || !(r->holds[k] > 0);
        if (!end)
            continue;
        int32_t top = (int32_t)j;
        while (rig->hangs_on[top] >= 0)
            top = rig->hangs_on[top];
        r->tops[r->count] = top;
        r->joints[r->count++] = j;
    }
}

limberi_roots* limberi_roots_create(const limber_model* model, limber_deformer* deformer) {
    limberi_roots* r = limberi_allocate_zeroed(1, sizeof *r);
    if (!r)
        return NULL;
    r->rooting = limberi_rooting_create(deformer);
    r->joints = limberi_allocate_zeroed((size_t)model->rig.joint_count + 1, sizeof *r->joints);
    r->holds = limberi_allocate_zeroed((size_t)model->rig.joint_count + 1, sizeof *r->holds);
    r->shares = limberi_allocate_zeroed((size_t)model->rig.joint_count + 1, sizeof *r->shares);
    r->tops = limberi_allocate_zeroed((size_t)model->rig.joint_count + 1, sizeof *r->tops);
    bool failed = !r->rooting || !r->joints || !r->holds || !r->shares || !r->tops ||
                  limber_pose_create(model, &r->before) || limber_pose_create(model, &r->after);
    if (failed) {
        limberi_roots_destroy(r);
        return NULL;
    }
    find_ends(model, r);
    return r;
}

void limberi_roots_destroy(limberi_roots* r) {
    if (!r)
        return;
    limberi_rooting_destroy(r->rooting);
    limber_pose_destroy(&r->before);
    limber_pose_destroy(&r->after);
    limberi_release(r->joints);
    limberi_release(r->holds);
    limberi_release(r->shares);
    limberi_release(r->tops);
    limberi_release(r);
}

static limber_vec3 skin_at(const limber_model* model, const limber_pose* pose, uint32_t joint) {
    return limberi_mat4_point(&pose->world_from_joint[joint], model->rig.centroid[joint]);
}

// The ends of one tree share what they hold, in proportion; in sum it is 1 - the product of (1 - hold).
static void share_holds(limberi_roots* r) {
    for (uint32_t i = 0; i < r->count; i++) {
        float sum = 0;
        float none = 1;
        for (uint32_t k = 0; k < r->count; k++) {
            if (r->tops[k] != r->tops[i])
                continue;
            sum += r->holds[k];
            none *= 1 - r->holds[k];
        }
        r->shares[i] = sum > 0 ? r->holds[i] * (1 - none) / sum : 0;
    }
}

// How much each end stays where it is, 0 ... 1, smooth in time as the motion is.
static void find_holds(const limber_pipeline* p, limberi_roots* r) {
    const limber_model* model = p->model;
    const limber_clip* clip = &model->clips[p->posed_clip];
    double before_s;
    double after_s;
    limber_motion_settings wide = p->settings.motion;
    wide.step_s = around_s;
    double span_s = limberi_motion_around(clip, &wide, p->posed_time_s, &before_s, &after_s);
    limber_clip_sample(model, clip, before_s, &r->before);
    limber_clip_sample(model, clip, after_s, &r->after);
    limber_pose_update_world(model, &r->before);
    limber_pose_update_world(model, &r->after);
    float size = p->settings.deform.size > 0 ? p->settings.deform.size : model->size;
    for (uint32_t i = 0; i < r->count; i++) {
        limber_vec3 way =
            limberi_sub(skin_at(model, &r->after, r->joints[i]), skin_at(model, &r->before, r->joints[i]));
        float speed = span_s > 0 ? limberi_length(way) / ((float)span_s * size) : 0;
        float t = limberi_clamp((speed - still) / (moving - still), 0, 1);
        r->holds[i] = 1 - t * t * (3 - 2 * t);
    }
    share_holds(r);
}

void limberi_roots_run(const limber_pipeline* p, const limber_deform_job* job) {
    const float nothing = 1e-5f;
    limberi_roots* r = p->roots;
    limber_deform_job rooted = *job;
    if (p->posed_clip < 0 || p->posed_live || p->posed_what_if)
        return;
    find_holds(p, r);
    rooted.positions = p->skinned;
    rooted.normals = p->normals;
    rooted.out_positions = p->deformed;
    for (uint32_t i = 0; i < r->count; i++)
        if (r->shares[i] > nothing)
            limberi_rooting_run(r->rooting, &rooted, r->joints[i], r->shares[i]);
}
