// Which joints spin, about which axis, and what is left of their rotation without it.
#include "smear/spin.h"

#include "asset/channel.h"
#include "asset/clip.h"
#include "base/error.h"
#include "base/math.h"
#include "base/symmetric.h"
#include "base/turns.h"

#include <string.h>

static const double min_turn_rad = LIMBERI_PI; // less is a swing
static const double min_turns = 1e-10;         // [rad^2] of all steps together: less is rounding
static const double samples_per_frame = 4; // so that a fast wheel turns by less than half a turn from one to the next
static const uint32_t max_samples = 20000;
static const float whole = 0.999f; // weight of a vertex that hangs on one joint alone

// --- the rotation of one joint over a clip ---

static const limber_channel* rotation_of(const limber_clip* clip, uint32_t joint) {
    int32_t index = clip->channel_of_joint[3 * (size_t)joint + LIMBER_CHANNEL_ROTATION];
    return index < 0 ? NULL : &clip->channels[index];
}

static void rotation_at(const limber_model* model, const limber_clip* clip, uint32_t joint, double time_s, double* q) {
    const limber_quat* rest = &model->rig.rest_local[joint].rotation;
    const limber_channel* channel = rotation_of(clip, joint);
    uint32_t hint = 0;
    q[0] = (double)rest->x, q[1] = (double)rest->y, q[2] = (double)rest->z, q[3] = (double)rest->w;
    if (channel)
        limberi_channel_sample(channel, time_s, &hint, q);
}

// q = swing twist: the angle of the twist, -pi ... pi.
static double twist_of(const double* q, const double* axis) {
    double angle = 2 * atan2(q[0] * axis[0] + q[1] * axis[1] + q[2] * axis[2], q[3]);
    return remainder(angle, 2 * LIMBERI_PI);
}

static uint32_t sample_count(const limber_clip* clip, double per_frame) {
    double count = ceil((clip->end_s - clip->start_s) * clip->fps * per_frame - 1e-6) + 1;
    return (uint32_t)fmin(fmax(count, 2), max_samples);
}

static double sample_time(const limber_clip* clip, uint32_t i, uint32_t count) {
    return clip->start_s + (clip->end_s - clip->start_s) * i / (count - 1);
}

// Sum of v v^T over all turns from sample to sample, in the joint's own frame.
static void add_turns(const limber_model* model, const limber_clip* clip, uint32_t joint, double* sums) {
    uint32_t count = sample_count(clip, samples_per_frame);
    double last[4], now[4], back[4], step[4], v[3];
    rotation_at(model, clip, joint, clip->start_s, last);
    for (uint32_t i = 1; i < count; i++) {
        rotation_at(model, clip, joint, sample_time(clip, i, count), now);
        limberi_turn_inverse(last, back);
        limberi_turn_mul(back, now, step);
        limberi_turn_log(step, v);
        for (int a = 0; a < 9; a++)
            sums[a] += v[a / 3] * v[a % 3];
        memcpy(last, now, sizeof last);
    }
}

// The axis that the joint turns about most: the largest eigenvector.
static bool find_axis(const limber_model* model, uint32_t joint, double* axis) {
    double sums[9] = {0};
    double values[3];
    for (uint32_t c = 0; c < model->clip_count; c++)
        if (rotation_of(&model->clips[c], joint))
            add_turns(model, &model->clips[c], joint, sums);
    int max = sums[4] >= sums[8] ? 1 : 2;
    if (sums[0] >= sums[4] && sums[0] >= sums[8])
        max = 0;
    limberi_eigen_small(sums, 3, values);
    for (int i = 0; i < 3; i++)
        axis[i] = sums[max] < 0 ? -sums[i] : sums[i];
    return values[0] > min_turns;
}

// From its smallest to its largest angle about the axis, in the clip where that is most.
static double turn_range(const limber_model* model, uint32_t joint, const double* axis) {
    double range = 0;
    double q[4];
    for (uint32_t c = 0; c < model->clip_count; c++) {
        const limber_clip* clip = &model->clips[c];
        uint32_t count = rotation_of(clip, joint) ? sample_count(clip, samples_per_frame) : 0;
        double angle = 0;
        double min = 0;
        double max = 0;
        double before = 0;
        for (uint32_t i = 0; i < count; i++) {
            rotation_at(model, clip, joint, sample_time(clip, i, count), q);
            double now = twist_of(q, axis);
            angle += i ? remainder(now - before, 2 * LIMBERI_PI) : 0;
            before = now;
            min = fmin(min, angle);
            max = fmax(max, angle);
        }
        range = fmax(range, max - min);
    }
    return range;
}

// --- what hangs on it ---

typedef enum hold { HOLD_NONE, HOLD_SOME, HOLD_ALL } hold;

static hold held_by(const limber_model* model, const limber_mesh* mesh, uint32_t joint) {
    const limber_skin* skin = &model->skins[mesh->skin];
    uint32_t held = 0;
    uint32_t touched = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        float weight = 0;
        for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++)
            if (skin->joints[mesh->influence_joint[i]] == joint)
                weight += mesh->influence_weight[i];
        held += weight >= whole;
        touched += weight > 1 - whole;
    }
    if (!touched)
        return HOLD_NONE;
    return held == mesh->vertex_count ? HOLD_ALL : HOLD_SOME;
}

// The vertices as the joint's rotation sees them: in its frame, scaled.
static float* points_of(limberi_arena* arena, const limber_model* model, const limber_mesh* mesh, uint32_t joint) {
    const limber_skin* skin = &model->skins[mesh->skin];
    limber_vec3 scale = model->rig.rest_local[joint].scale;
    float* points = LIMBERI_ALLOCATE(arena, float, 3 * (size_t)mesh->vertex_count);
    uint32_t k = 0;
    while (k < skin->joint_count && skin->joints[k] != joint)
        k++;
    for (size_t v = 0; points && k < skin->joint_count && v < mesh->vertex_count; v++) {
        limber_vec3 p = limberi_mat4_point(&skin->joint_from_mesh[k], limberi_load3(mesh->positions + 3 * v));
        limberi_store3(points + 3 * v, limberi_vec3(p.x * scale.x, p.y * scale.y, p.z * scale.z));
    }
    return points;
}

// Why the spin of one joint cannot go into its textures; `mesh` is whose fault it is, NULL: the joint's.
typedef struct refusal {
    const char* why; // NULL: it can
    const limber_mesh* mesh;
    bool bare; // nothing hangs on the joint
} refusal;

static refusal try_joint(limberi_arena* arena, const limber_model* model, const limberi_spin* spin,
                         limberi_spins* spins) {
    refusal r = {NULL, NULL, true};
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        if (model->rig.parents[j] == (int32_t)spin->joint)
            r.why = "other joints hang on it";
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        hold held = held_by(model, mesh, spin->joint);
        r.bare = r.bare && held == HOLD_NONE;
        if (held == HOLD_NONE || r.why)
            continue;
        float* points = held == HOLD_ALL ? points_of(arena, model, mesh, spin->joint) : NULL;
        r.why = points ? limberi_spin_refuses(model, mesh, points, spin->axis, &spins->widths[m])
                       : "hangs on other joints, too";
        r.mesh = r.why ? mesh : NULL;
    }
    for (uint32_t m = 0; !r.why && !r.bare && m < model->mesh_count; m++)
        if (held_by(model, &model->meshes[m], spin->joint) == HOLD_ALL)
            spins->of_mesh[m] = (int32_t)spins->count;
    return r;
}

// The joint that turns most and cannot; `why` NULL: none.
typedef struct failure {
    refusal refusal;
    uint32_t joint;
    double range;
} failure;

static limber_result fail_spin(const limber_model* model, const failure* f, limber_error* error) {
    const refusal* r = &f->refusal;
    const char* joint = model->rig.names[f->joint];
    limber_result result = LIMBER_ERROR_DATA;
    if (!r->why)
        limberi_fail(error, result,
                     "nothing can spin in its texture: no joint with a mesh turns by half a turn or more");
    else if (r->mesh)
        limberi_fail(error, result, "the spin of joint '%s' cannot go into a texture: mesh '%s' %s", joint,
                     r->mesh->name, r->why);
    else
        limberi_fail(error, result, "the spin of joint '%s' cannot go into a texture: %s", joint, r->why);
    return limberi_at(error, result, "smear.spin");
}

static void add_joint(limberi_arena* arena, const limber_model* model, uint32_t joint, limberi_spins* spins,
                      failure* worst) {
    limberi_spin spin = {.joint = joint};
    double range = find_axis(model, joint, spin.axis) ? turn_range(model, joint, spin.axis) : 0;
    if (range < min_turn_rad)
        return;
    const limber_quat* rest = &model->rig.rest_local[joint].rotation;
    const double q[4] = {(double)rest->x, (double)rest->y, (double)rest->z, (double)rest->w};
    spin.rest_rad = twist_of(q, spin.axis);
    refusal r = try_joint(arena, model, &spin, spins);
    if (!r.why && !r.bare)
        spins->list[spins->count++] = spin;
    if (r.why && !r.bare && range > worst->range)
        *worst = (failure){r, joint, range};
}

limber_result limberi_spins_find(limberi_arena* arena, const limber_model* model, limberi_spins* spins,
                                 limber_error* error) {
    failure worst = {{NULL, NULL, false}, 0, 0};
    memset(spins, 0, sizeof *spins);
    spins->list = LIMBERI_ALLOCATE(arena, limberi_spin, model->rig.joint_count);
    spins->of_mesh = LIMBERI_ALLOCATE(arena, int32_t, model->mesh_count);
    spins->widths = LIMBERI_ALLOCATE(arena, int32_t, model->mesh_count);
    if (arena->failed)
        return limberi_fail_memory(error);
    memset(spins->of_mesh, 0xff, model->mesh_count * sizeof *spins->of_mesh);
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        add_joint(arena, model, j, spins, &worst);
    if (arena->failed)
        return limberi_fail_memory(error);
    return spins->count ? LIMBER_OK : fail_spin(model, &worst, error);
}

// --- without the spin ---

double limberi_spin_angle(const limber_model* model, const limber_clip* clip, const limberi_spin* spin, double time_s) {
    double q[4];
    rotation_at(model, clip, spin->joint, time_s, q);
    return remainder(twist_of(q, spin->axis) - spin->rest_rad, 2 * LIMBERI_PI);
}

// Samples the rotation of a joint with the twist of the rest pose.
static limber_result stop_channel(limberi_arena* arena, const limber_model* model, const limber_clip* clip,
                                  const limberi_spin* spin, limber_channel* channel) {
    uint32_t count = sample_count(clip, 1);
    float* times = LIMBERI_ALLOCATE(arena, float, count);
    float* values = LIMBERI_ALLOCATE(arena, float, 4 * (size_t)count);
    bool still = true;
    for (uint32_t i = 0; times && values && i < count; i++) {
        double turned[4];
        double back[4];
        double q[4];
        double time_s = sample_time(clip, i, count);
        double dot = 0;
        rotation_at(model, clip, spin->joint, time_s, turned);
        limberi_turn_exp(spin->axis, -limberi_spin_angle(model, clip, spin, time_s), back);
        limberi_turn_mul(turned, back, q);
        for (size_t k = 0; i && k < 4; k++)
            dot += q[k] * (double)values[4 * ((size_t)i - 1) + k];
        for (size_t k = 0; k < 4; k++)
            values[4 * (size_t)i + k] = (float)(dot < 0 ? -q[k] : q[k]);
        times[i] = (float)time_s;
        for (size_t k = 0; k < 4; k++)
            still = still && fabsf(values[4 * (size_t)i + k] - values[k]) < 1e-5f;
    }
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    if (still) {
        times[1] = times[count - 1];
        count = 2;
    }
    channel->interpolation = LIMBER_INTERPOLATION_LINEAR;
    channel->key_count = count;
    channel->times = times;
    channel->values = values;
    return LIMBER_OK;
}

// A joint that stands still has no cuts of its own.
static limber_result drop_cuts(limberi_arena* arena, const limberi_spins* spins, limber_clip* clip) {
    limber_joint_cut* kept = LIMBERI_ALLOCATE(arena, limber_joint_cut, clip->joint_cut_count);
    uint32_t count = 0;
    for (uint32_t i = 0; kept && i < clip->joint_cut_count; i++) {
        bool spins_here = false;
        for (uint32_t s = 0; s < spins->count; s++)
            spins_here = spins_here || spins->list[s].joint == clip->joint_cuts[i].joint;
        if (!spins_here)
            kept[count++] = clip->joint_cuts[i];
    }
    clip->joint_cuts = kept;
    clip->joint_cut_count = count;
    return arena->failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

limber_result limberi_spins_stop(limberi_arena* arena, const limber_model* model, const limberi_spins* spins,
                                 limber_clip* clip) {
    const limber_clip old = *clip;
    limber_channel* channels = LIMBERI_COPY(arena, limber_channel, old.channels, old.channel_count);
    if (!channels)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t s = 0; s < spins->count; s++) {
        const limber_channel* channel = rotation_of(&old, spins->list[s].joint);
        if (channel && stop_channel(arena, model, &old, &spins->list[s], &channels[channel - old.channels]))
            return LIMBER_ERROR_MEMORY;
    }
    clip->channels = channels;
    if (drop_cuts(arena, spins, clip))
        return LIMBER_ERROR_MEMORY;
    return limberi_clip_derive_seams(arena, model, clip);
}
