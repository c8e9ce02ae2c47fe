// Where a clip was cut: a joint jumps within one step although it is slow on both sides.
//
// Whose cut it is depends on how much of the character jumps at that moment. An edit, such as a T-pose put before a
// walk, moves most of the body at once, some joints by less than what makes a cut of one: there nothing may cross. A
// thumb that flips over between two keys, as captured and exported ones do, says nothing about the rest: effects of the
// whole character would stop and start again in the middle of a movement. The measure is the skin on the joints that
// jump and on those they carry. The T-poses in files of motion capture reach 73 to 100 % of it; hands, thumbs and
// fingers that flip by themselves 0.1 to 0.4 %, an arm 9 %. Half lies far from both.
#include "asset/channel.h"
#include "asset/clip.h"
#include "base/math.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const float whole_share = 0.5f;
static const double cut_move = 0.5; // of L
static const double cut_turn = 2 * LIMBERI_PI / 3;
// "Slow on both sides": the steps beside a cut are less than this part of the jump itself. Joints that flip in captured
// motion turn by up to 5 % of the jump beside it; an arm that throws a punch, 124 degrees from one frame of 24 to the
// next, by 14 % before and 9 % after, and that is motion. Moves are compared with a stride, which can be long.
static const double slow_turn = 0.1;
static const double slow_move = 0.25;
// Flips often last for a key or two: their sides are the steps before and after all of them.
static const int max_flips = 3;
// A whole pose can jump although no joint alone turns by 120 degrees: a T-pose put before a walk turns some twenty
// joints by 550 degrees in sum (measured on such files; the next steps turn them by less than a hundredth of that).
// Joints count that jump by ten degrees or more and are slower than a tenth of that afterwards.
static const double pose_jump = 2.0; // in thresholds of a cut, summed over the joints
static const double min_pose = 1.0 / 12;
static const double pose_slow = 0.1;
static const uint32_t pose_keys = 8;

// --- how much of the character ---

void limberi_skin_shares(const limber_model* model, float* shares) {
    uint32_t joints = model->rig.joint_count;
    double total = 0;
    memset(shares, 0, joints * sizeof *shares);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t u = 0; !mesh->scenery && u < mesh->vertex_count; u++)
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
                float area = mesh->areas[u] * mesh->influence_weight[i];
                shares[model->skins[mesh->skin].joints[mesh->influence_joint[i]]] += area;
                total += (double)area;
            }
    }
    for (uint32_t j = 0; j < joints; j++)
        shares[j] = total > 0 ? (float)((double)shares[j] / total) : 1.0f / (float)joints;
}

bool limberi_jump_of_all(const limber_rig* rig, const float* shares, uint8_t* jumps) {
    float share = 0;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        if (!jumps[j] && rig->parents[j] >= 0 && jumps[rig->parents[j]])
            jumps[j] = LIMBERI_CARRIED;
        share += jumps[j] ? shares[j] : 0;
    }
    return share >= whole_share;
}

// --- jumps of one channel ---

double limberi_parent_scale(const limber_rig* rig, uint32_t joint) {
    if (rig->parents[joint] < 0)
        return 1;
    const limber_mat4* a = &rig->world_from_joint_rest[rig->parents[joint]];
    limber_vec3 x = limberi_mat4_column(a, 0);
    limber_vec3 y = limberi_mat4_column(a, 1);
    limber_vec3 z = limberi_mat4_column(a, 2);
    return cbrt(fabs((double)limberi_dot(x, limberi_cross(y, z))));
}

static bool moves_joint(const limber_channel* channel) {
    return channel->path == LIMBER_CHANNEL_TRANSLATION || channel->path == LIMBER_CHANNEL_ROTATION;
}

// How far a channel goes from time a to time b, in thresholds of a cut (1: enough to be one).
static double channel_travel(const limber_model* model, const limber_channel* channel, double a_s, double b_s) {
    double a[4], b[4];
    uint32_t key = 0;
    limberi_channel_sample(channel, a_s, &key, a);
    limberi_channel_sample(channel, b_s, &key, b);
    if (channel->path == LIMBER_CHANNEL_ROTATION)
        return limberi_quat_angle(a, b) / cut_turn;
    double length = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    return length * limberi_parent_scale(&model->rig, channel->target) / (cut_move * (double)model->size);
}

// Most steps turn by far less than a cut does, and the stored keys show that without interpolation.
static bool turns_little(const limber_channel* channel, uint32_t key) {
    if (channel->path != LIMBER_CHANNEL_ROTATION)
        return false;
    const float* a = limberi_channel_key(channel, key);
    const float* b = limberi_channel_key(channel, key + 1);
    float dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    float squares = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]) *
                    (b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3]);
    return dot * dot > 0.26f * squares; // the cosine of half of cut_turn is 0.5
}

// Whether the channel goes less than `limit` in the step that starts (or, backwards, ends) at `time_s`, or in the first
// one beyond it that is no jump itself.
static bool is_slow(const limber_model* model, const limber_channel* channel, double time_s, double step_s,
                    double limit) {
    for (int i = 0; i < max_flips; i++) {
        double travel = channel_travel(model, channel, time_s + i * step_s, time_s + (i + 1) * step_s);
        if (travel < limit)
            return true;
        if (!(travel > 1))
            return false;
    }
    return false;
}

static bool is_cut(const limber_model* model, const limber_channel* channel, uint32_t key, double step_s,
                   limber_cut* cut) {
    cut->before_s = (double)channel->times[key];
    cut->after_s = (double)channel->times[key + 1];
    if (channel->interpolation == LIMBER_INTERPOLATION_STEP) // holds its value until the next key
        cut->before_s = fmax(cut->before_s, cut->after_s - step_s);
    if (cut->after_s - cut->before_s > step_s * 1.01 || turns_little(channel, key))
        return false;
    double jump = channel_travel(model, channel, cut->before_s, cut->after_s);
    if (!(jump > 1))
        return false;
    double limit = jump * (channel->path == LIMBER_CHANNEL_ROTATION ? slow_turn : slow_move);
    return is_slow(model, channel, cut->before_s, -step_s, limit) &&
           is_slow(model, channel, cut->after_s, step_s, limit);
}

// --- jumps of the pose ---

// What is known while a clip is searched.
typedef struct search {
    const limber_model* model;
    const limber_clip* clip;
    double step_s;
    float* shares;     // [joint] of the skin
    bool knows_shares; // few clips need them
    uint8_t* jumps;    // [joint] those that jump at the moment in question
} search;

// Finds the joints that jump, and how far all of them go in sum, in thresholds of a cut.
static double find_jumps(const search* s, const limber_cut* cut) {
    double sum = 0;
    memset(s->jumps, 0, s->model->rig.joint_count);
    for (uint32_t i = 0; i < s->clip->channel_count; i++) {
        const limber_channel* channel = &s->clip->channels[i];
        if (!moves_joint(channel))
            continue;
        double jump = channel_travel(s->model, channel, cut->before_s, cut->after_s);
        double slow = jump > 1 && channel->path == LIMBER_CHANNEL_TRANSLATION ? slow_move : pose_slow;
        if (jump > min_pose && is_slow(s->model, channel, cut->before_s, -s->step_s, slow * jump) &&
            is_slow(s->model, channel, cut->after_s, s->step_s, slow * jump)) {
            sum += jump;
            s->jumps[channel->target] = LIMBERI_JUMPS;
        }
    }
    return sum;
}

static bool is_whole(search* s) {
    if (!s->knows_shares)
        limberi_skin_shares(s->model, s->shares);
    s->knows_shares = true;
    return limberi_jump_of_all(&s->model->rig, s->shares, s->jumps);
}

// A pose put before the clip and held for a few keys.
static bool starts_with_pose(search* s, limber_cut* cut) {
    const limber_channel* timing = NULL;
    const limber_clip* clip = s->clip;
    for (uint32_t i = 0; !timing && i < clip->channel_count; i++)
        if (clip->channels[i].key_count > 2 && (double)clip->channels[i].times[0] <= clip->start_s)
            timing = &clip->channels[i];
    for (uint32_t k = 0; timing && k + 2 < timing->key_count && k < pose_keys; k++) {
        cut->before_s = (double)timing->times[k];
        cut->after_s = (double)timing->times[k + 1];
        if (cut->after_s - cut->before_s <= s->step_s * 1.01 && find_jumps(s, cut) > pose_jump && is_whole(s))
            return true;
    }
    return false;
}

// --- all cuts ---

// Every cut of every channel, one after the other; with `found` NULL it only counts.
static uint32_t collect(const search* s, limber_joint_cut* found) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->clip->channel_count; i++) {
        const limber_channel* channel = &s->clip->channels[i];
        for (uint32_t k = 0; moves_joint(channel) && k + 1 < channel->key_count; k++) {
            limber_cut cut;
            if (!is_cut(s->model, channel, k, s->step_s, &cut))
                continue;
            if (found) {
                limber_joint_cut of_joint = {channel->target, cut};
                found[count] = of_joint;
            }
            count++;
        }
    }
    return count;
}

static int compare_cuts(const void* a, const void* b) {
    const limber_cut* x = a;
    const limber_cut* y = b;
    if (x->before_s != y->before_s)
        return x->before_s < y->before_s ? -1 : 1;
    return (x->after_s > y->after_s) - (x->after_s < y->after_s);
}

static int compare_times(const void* a, const void* b) {
    return compare_cuts(&((const limber_joint_cut*)a)->cut, &((const limber_joint_cut*)b)->cut);
}

static int compare_joints(const void* a, const void* b) {
    const limber_joint_cut* x = a;
    const limber_joint_cut* y = b;
    if (x->joint != y->joint)
        return x->joint < y->joint ? -1 : 1;
    return compare_times(a, b);
}

static uint32_t merge_cuts(limber_cut* cuts, uint32_t count) {
    uint32_t kept = 0;
    qsort(cuts, count, sizeof *cuts, compare_cuts);
    for (uint32_t i = 0; i < count; i++) {
        if (kept && cuts[i].before_s < cuts[kept - 1].after_s)
            cuts[kept - 1].after_s = fmax(cuts[kept - 1].after_s, cuts[i].after_s);
        else
            cuts[kept++] = cuts[i];
    }
    return kept;
}

static bool overlaps(const limber_cut* cuts, uint32_t count, const limber_cut* cut) {
    uint32_t low = 0;
    uint32_t high = count; // the first that ends after this one starts
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cuts[middle].after_s > cut->before_s)
            high = middle;
        else
            low = middle + 1;
    }
    return low < count && cuts[low].before_s < cut->after_s;
}

// Both channels of a joint may have the same cut, and what is cut for all need not be cut for one.
static uint32_t merge_joint_cuts(limber_joint_cut* found, uint32_t count, const limber_cut* cuts, uint32_t cut_count) {
    uint32_t kept = 0;
    qsort(found, count, sizeof *found, compare_joints);
    for (uint32_t i = 0; i < count; i++) {
        limber_joint_cut* last = kept ? &found[kept - 1] : NULL;
        if (overlaps(cuts, cut_count, &found[i].cut))
            continue;
        if (last && last->joint == found[i].joint && found[i].cut.before_s < last->cut.after_s)
            last->cut.after_s = fmax(last->cut.after_s, found[i].cut.after_s);
        else
            found[kept++] = found[i];
    }
    return kept;
}

// Of the cuts that joints have, those that are the whole character's. Cuts of one moment are looked at once.
static uint32_t pick_whole(search* s, limber_joint_cut* found, uint32_t count, limber_cut* cuts) {
    uint32_t whole = starts_with_pose(s, &cuts[0]) ? 1 : 0;
    qsort(found, count, sizeof *found, compare_times);
    for (uint32_t i = 0; i < count; i++) {
        if (i && compare_times(&found[i - 1], &found[i]) == 0)
            continue;
        find_jumps(s, &found[i].cut);
        if (is_whole(s))
            cuts[whole++] = found[i].cut;
    }
    return merge_cuts(cuts, whole);
}

static limber_result find_cuts(limberi_arena* arena, search* s, limber_clip* clip) {
    uint32_t count = collect(s, NULL);
    limber_joint_cut* found = LIMBERI_ALLOCATE(arena, limber_joint_cut, count);
    limber_cut* cuts = LIMBERI_ALLOCATE(arena, limber_cut, (size_t)count + 1);
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    collect(s, found);
    clip->cut_count = pick_whole(s, found, count, cuts);
    clip->cuts = cuts;
    clip->joint_cut_count = merge_joint_cuts(found, count, cuts, clip->cut_count);
    clip->joint_cuts = found;
    return LIMBER_OK;
}

limber_result limberi_clip_derive_cuts(limberi_arena* arena, const limber_model* model, limber_clip* clip) {
    size_t joints = model->rig.joint_count ? model->rig.joint_count : 1;
    search s = {model, clip, fmin(fmax(clip->key_step_s, 1 / 120.0), 1 / 24.0), NULL, false, NULL};
    s.shares = limberi_allocate(joints * sizeof *s.shares);
    s.jumps = limberi_allocate(joints);
    limber_result result = LIMBER_ERROR_MEMORY;
    if (s.shares && s.jumps)
        result = find_cuts(arena, &s, clip);
    limberi_release(s.shares);
    limberi_release(s.jumps);
    return result;
}

// --- looking them up ---

uint32_t limberi_joint_cuts_end(const limber_clip* clip, uint32_t first) {
    uint32_t low = first + 1;
    uint32_t high = clip->joint_cut_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (clip->joint_cuts[middle].joint > clip->joint_cuts[first].joint)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint32_t limberi_joint_cut_after(const limber_clip* clip, uint32_t first, uint32_t end, double time_s) {
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        const limber_cut* cut = &clip->joint_cuts[middle].cut;
        if (0.5 * (cut->before_s + cut->after_s) > time_s)
            end = middle;
        else
            first = middle + 1;
    }
    return end;
}
