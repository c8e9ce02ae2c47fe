// The motion of one skeleton onto another: what both have to be, and how their worlds and sizes lie.
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/settings.h"
#include "base/turns.h"
#include "retarget/retarget_private.h"
#include "text/text.h"

#include <string.h>

static const double same_place = 1e-4;   // of L: rest poses that differ by less are the same
static const double uneven_scale = 0.02; // how much the scales of a joint's axes may differ

void limber_retarget_settings_init(limber_retarget_settings* given, size_t size) {
    limber_retarget_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.struct_size = sizeof settings;
    limberi_settings_write(given, size, &settings, sizeof settings);
}

// --- the two skeletons ---

static bool agree(const limber_model* a, const limber_model* b) {
    if (a->rig.joint_count != b->rig.joint_count)
        return false;
    for (uint32_t j = 0; j < a->rig.joint_count; j++) {
        if (a->rig.parents[j] != b->rig.parents[j] || !limberi_same_text(a->rig.names[j], b->rig.names[j]))
            return false;
        const float* m = a->rig.world_from_joint_rest[j].m;
        const float* n = b->rig.world_from_joint_rest[j].m;
        for (int i = 0; i < 16; i++) {
            double limit = i < 12 ? same_place : same_place * (double)b->size;
            if (!(fabs((double)m[i] - (double)n[i]) <= limit))
                return false;
        }
    }
    return true;
}

// Joints below the hips must keep their shape when they turn.
static limber_result find_sizes(limber_retarget* r, limber_error* error) {
    const limber_rig* rig = &r->character->rig;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        const limber_mat4* m = &rig->world_from_joint_rest[j];
        double x = (double)limberi_length(limberi_mat4_column(m, 0));
        double y = (double)limberi_length(limberi_mat4_column(m, 1));
        double z = (double)limberi_length(limberi_mat4_column(m, 2));
        r->size[j] = x;
        bool even = fabs(x - y) <= uneven_scale * x && fabs(x - z) <= uneven_scale * x && x > 0;
        if (!even && r->drive_of[j] >= 0)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                                "joint '%s' of the character has an uneven scale; apply the scale in the program that "
                                "made it",
                                rig->names[j]);
    }
    return LIMBER_OK;
}

static double height_of_ankles(const limberi_figure* f) {
    double height = 0;
    for (uint32_t l = LIMBERI_LEG_LEFT; l <= LIMBERI_LEG_RIGHT; l++) {
        double p[3];
        limberi_rest_place(f->rig, (uint32_t)f->limbs[l].end, p);
        for (int i = 0; i < 3; i++)
            height += 0.5 * p[i] * f->up[i];
    }
    return height;
}

double limberi_leg_length_of(const limberi_figure* f) {
    return 0.5 * (limberi_limb_length(f, LIMBERI_LEG_LEFT) + limberi_limb_length(f, LIMBERI_LEG_RIGHT));
}

// The turn from the motion's world to the character's: left, up and front onto left, up and front.
static void align_worlds(limber_retarget* r) {
    float columns[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            columns[3 * k + i] = (float)(r->to.side[i] * r->from.side[k] + r->to.up[i] * r->from.up[k] +
                                         r->to.front[i] * r->from.front[k]);
    limber_quat q = limberi_quat_normalize(limberi_quat_from_rotation(columns));
    r->turn[0] = (double)q.x;
    r->turn[1] = (double)q.y;
    r->turn[2] = (double)q.z;
    r->turn[3] = (double)q.w;
}

static limber_result find_figure(const limber_model* model, const char* const* bones, const char* whose,
                                 limberi_figure* figure, limber_error* error) {
    const char* missing;
    limber_result result = limberi_figure_find(model, bones, figure, &missing);
    if (result == LIMBER_ERROR_MEMORY)
        return limberi_fail_memory(error);
    return result ? limberi_fail(error, result, "the %s's skeleton: cannot find %s", whose, missing) : LIMBER_OK;
}

static limber_result find_figures(limber_retarget* r, limber_error* error) {
    limber_result result = find_figure(r->motion, r->settings.motion_bones, "motion", &r->from, error);
    if (!result)
        result = find_figure(r->character, r->settings.character_bones, "character", &r->to, error);
    if (result)
        return result;
    if (r->from.all_fours != r->to.all_fours)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the motion goes on %s, the character on %s",
                            r->from.all_fours ? "all fours" : "two legs", r->to.all_fours ? "all fours" : "two legs");
    double from_leg = limberi_leg_length_of(&r->from);
    double to_leg = limberi_leg_length_of(&r->to);
    if (!(from_leg > 0) || !(to_leg > 0))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "legs of no length");
    align_worlds(r);
    r->scale = to_leg / from_leg;
    r->floor_rest = height_of_ankles(&r->from);
    r->floor_goal = height_of_ankles(&r->to);
    return LIMBER_OK;
}

static void find_middle(limber_retarget* r) {
    double hips[3];
    double left[3];
    double right[3];
    limberi_rest_place(&r->character->rig, (uint32_t)r->to.hips, hips);
    limberi_rest_place(&r->character->rig, r->to.limbs[LIMBERI_LEG_LEFT].bones.joints[0], left);
    limberi_rest_place(&r->character->rig, r->to.limbs[LIMBERI_LEG_RIGHT].bones.joints[0], right);
    for (int i = 0; i < 3; i++)
        r->middle[i] = 0.5 * (left[i] + right[i]) - hips[i];
}

static limber_result check_pairs(const limber_retarget* r, limber_error* error) {
    for (uint32_t i = 0; i < r->settings.pair_count; i++)
        if (r->settings.pairs[i].joint >= r->character->rig.joint_count ||
            (r->settings.pairs[i].source >= r->motion->rig.joint_count &&
             r->settings.pairs[i].source != LIMBER_NO_SOURCE))
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "pair %u names a joint that is not there", i);
    return LIMBER_OK;
}

// What a person said about joints, but for pairs that say of the same skeleton what is so anyway.
static bool is_told(const limber_retarget_settings* settings) {
    for (uint32_t i = 0; i < settings->pair_count; i++)
        if (settings->pairs[i].joint != settings->pairs[i].source)
            return true;
    return settings->motion_bones || settings->character_bones;
}

static limber_result find_root(limber_retarget* r, limber_error* error) {
    const limber_rig* rig = &r->character->rig;
    r->root = (uint32_t)r->to.hips;
    while (rig->parents[r->root] >= 0)
        r->root = (uint32_t)rig->parents[r->root];
    if (r->settings.root_motion && r->root == (uint32_t)r->to.hips)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                            "no joint above '%s' of the character that could carry the motion of its root",
                            rig->names[r->to.hips]);
    return LIMBER_OK;
}

static limber_result prepare(limber_retarget* r, limber_error* error) {
    uint32_t from_joints = r->motion->rig.joint_count;
    uint32_t to_joints = r->character->rig.joint_count;
    limber_result result = check_pairs(r, error);
    if (result)
        return result;
    const limber_retarget_settings* s = &r->settings;
    bool plain = !s->mirror && !s->in_place && !s->root_motion && !s->loop;
    r->same = plain && !is_told(&r->settings) && agree(r->motion, r->character);
    if (r->same)
        return LIMBER_OK;
    result = find_figures(r, error);
    if (!result)
        result = find_root(r, error);
    if (result)
        return result;
    r->from_rest = limberi_arena_allocate(&r->arena, from_joints, sizeof *r->from_rest);
    r->rest = limberi_arena_allocate(&r->arena, to_joints, sizeof *r->rest);
    r->size = LIMBERI_ALLOCATE(&r->arena, double, to_joints);
    if (r->arena.failed)
        return limberi_fail_memory(error);
    for (uint32_t j = 0; j < from_joints; j++) {
        double turn[4];
        limberi_turn_of_matrix(&r->motion->rig.world_from_joint_rest[j], turn);
        limberi_turn_inverse(turn, r->from_rest[j]);
    }
    for (uint32_t j = 0; j < to_joints; j++)
        limberi_turn_of_matrix(&r->character->rig.world_from_joint_rest[j], r->rest[j]);
    if (limberi_retarget_match(r))
        return limberi_fail_memory(error);
    find_middle(r);
    limberi_feet_prepare(r);
    if (limberi_find_soles(r) || limberi_touch_prepare(r))
        return limberi_fail_memory(error);
    return find_sizes(r, error);
}

limber_result limber_retarget_create(const limber_model* motion, const limber_model* character,
                                     const limber_retarget_settings* settings, limber_retarget** out,
                                     limber_error* error) {
    limber_retarget_settings own;
    *out = NULL;
    limber_retarget_settings_init(&own, sizeof own);
    limber_result result = limberi_settings_read(&own, sizeof own, settings, "limber_retarget_settings", error);
    if (result)
        return result;
    limber_retarget* r = limberi_allocate_zeroed(1, sizeof *r);
    if (!r)
        return limberi_fail_memory(error);
    r->motion = motion;
    r->character = character;
    r->settings = own;
    result = prepare(r, error);
    if (result)
        limber_retarget_destroy(r);
    else
        *out = r;
    return result;
}

void limber_retarget_destroy(limber_retarget* r) {
    if (!r)
        return;
    limberi_arena_free(&r->arena);
    limberi_release(r);
}

uint32_t limber_retarget_match_count(const limber_retarget* r) {
    return r->same ? r->character->rig.joint_count : r->drive_count;
}

limber_joint_match limber_retarget_match(const limber_retarget* r, uint32_t index) {
    if (r->same)
        return (limber_joint_match){index, index, "same joint", 1};
    const limberi_drive* d = &r->drives[index];
    return (limber_joint_match){d->joint, limberi_drive_source(d), d->name, d->sure};
}
