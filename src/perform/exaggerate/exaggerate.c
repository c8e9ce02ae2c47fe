// The steps in their order, and the resulting clip.
#include "asset/clip.h"
#include "base/memory.h"
#include "base/settings.h"
#include "perform/exaggerate/cartoon_filter.h"
#include "perform/exaggerate/editor.h"

#include "base/error.h"

#include <string.h>

static const float worth_a_stretch = 1e-4f;
static const double range_snap_s = 1e-6;
static const double seam_s = 0.2; // how long before and after its seam a loop with cuts, travel or a gap is left alone

struct limber_exaggerated {
    limberi_arena arena;
    limber_clip clip;
    bool* pulled; // [joint]
    uint32_t stretch_count;
    limber_stretch* stretches;
};

limber_constraint limber_constraint_default(void) {
    limber_constraint c = {0};
    c.weight = 1;
    c.window_s = 0.5;
    return c;
}

void limber_exaggerate_settings_init(limber_exaggerate_settings* given, size_t size) {
    limber_exaggerate_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.struct_size = sizeof settings;
    settings.sigma_s = 0.12;
    settings.strength = 0.1;
    settings.pin_root = LIMBER_PIN_ROOT;
    settings.spread = LIMBER_SPREAD_BILAPLACE;
    settings.stretch_skin = true;
    limberi_settings_write(given, size, &settings, sizeof settings);
}

bool limber_exaggerate_is_on(const limber_exaggerate_settings* s) {
    return s->amount != 0 || s->delay_s != 0 || s->constraint_count > 0 || (s->automatic && s->strength != 0);
}

// --- the skeleton ---

// Whether a joint always lies where its parent does, as captures like to have it in the hips and the neck.
static bool is_same_place(const limberi_editor* e, uint32_t joint) {
    const limber_rig* rig = &e->model->rig;
    const limber_mat4* here = &rig->world_from_joint_rest[joint];
    const limber_mat4* above = &rig->world_from_joint_rest[rig->parents[joint]];
    limber_vec3 bone = limberi_sub(limberi_mat4_translation(here), limberi_mat4_translation(above));
    bool moves = e->clip->channel_of_joint[3 * (size_t)joint + LIMBER_CHANNEL_TRANSLATION] >= 0;
    return !moves && limberi_length(bone) < LIMBERI_SHORTEST_AXIS * (float)e->size;
}

// Bones of no length would be stretched like all others: both their ends count as one joint of the graph.
static const int32_t* contract(limberi_editor* e, bool* members) {
    const limber_rig* rig = &e->model->rig;
    int32_t* parents = LIMBERI_ALLOCATE(&e->arena, int32_t, rig->joint_count);
    e->twin = LIMBERI_ALLOCATE(&e->arena, uint32_t, rig->joint_count);
    for (uint32_t j = 0; parents && e->twin && j < rig->joint_count; j++) {
        int32_t parent = rig->parents[j];
        e->twin[j] = j;
        parents[j] = parent < 0 ? parent : (int32_t)e->twin[parent];
        if (parent >= 0 && members[j] && members[e->twin[parent]] && is_same_place(e, j)) {
            e->twin[j] = e->twin[parent];
            members[j] = false;
        }
    }
    return e->arena.failed ? NULL : parents;
}

// Members are joints of skins and the joints between them. Nodes above that only place the skeleton in the world are
// not.
static limber_result find_members(limberi_editor* e) {
    const limber_model* model = e->model;
    uint32_t count = model->rig.joint_count;
    uint32_t found = 0;
    bool* members = LIMBERI_ALLOCATE(&e->arena, bool, count);
    bool* below = LIMBERI_ALLOCATE(&e->arena, bool, count);
    e->children = LIMBERI_ALLOCATE(&e->arena, uint32_t, count);
    e->pinned = LIMBERI_ALLOCATE(&e->arena, bool, count);
    if (e->arena.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t s = 0; s < model->skin_count; s++)
        for (uint32_t i = 0; i < model->skins[s].joint_count; i++, found++)
            members[model->skins[s].joints[i]] = true;
    for (uint32_t j = count; j-- > 0;) {
        below[j] = below[j] || members[j];
        if (model->rig.parents[j] >= 0 && below[j])
            below[model->rig.parents[j]] = true;
    }
    for (uint32_t j = 0; j < count; j++) {
        int32_t parent = model->rig.parents[j];
        members[j] = !found || members[j] || (parent >= 0 && members[parent] && below[j]);
    }
    limber_bone_graph graph = {count, contract(e, members), members};
    if (!graph.parents)
        return LIMBER_ERROR_MEMORY;
    e->graph = graph;
    limberi_graph_children(&e->graph, e->children);
    limberi_graph_pins(&e->graph, e->children, e->pinned);
    return LIMBER_OK;
}

// --- the clip ---

static bool is_stretched(const limberi_editor* e, uint32_t joint) {
    limber_vec3 axis = e->model->rig.bone_direction[joint];
    if (!e->children[joint] || !(limberi_length(axis) > 0.5f))
        return false;
    for (uint32_t f = 0; f < e->take.frame_count; f++)
        if (fabsf(e->factors[(size_t)f * e->take.joint_count + joint] - 1) > worth_a_stretch)
            return true;
    return false;
}

static limber_result build_stretches(const limberi_editor* e, const float* times, limber_exaggerated* out) {
    out->stretches = LIMBERI_ALLOCATE(&out->arena, limber_stretch, e->take.joint_count);
    for (uint32_t j = 0; e->factors && out->stretches && j < e->take.joint_count; j++) {
        if (!is_stretched(e, j))
            continue;
        float* factors = LIMBERI_ALLOCATE(&out->arena, float, e->take.frame_count);
        for (uint32_t f = 0; factors && f < e->take.frame_count; f++)
            factors[f] = e->factors[(size_t)f * e->take.joint_count + j];
        limber_stretch stretch = {j, e->model->rig.bone_direction[j], e->take.frame_count, times, factors};
        out->stretches[out->stretch_count++] = stretch;
    }
    return out->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

static limber_result build_clip(const limberi_editor* e, limber_exaggerated* out) {
    const float* times = limberi_take_key_times(&e->take, e->clip, &out->arena);
    limber_result result =
        limberi_take_to_clip(&e->take, &e->source, e->model, e->clip, times, &out->arena, &out->clip);
    return result ? result : build_stretches(e, times, out);
}

// --- all of it ---

static limber_result open_editor(limberi_editor* e, double fps) {
    const limber_exaggerate_settings* s = e->settings;
    bool closes = e->clip->loops ? limberi_clip_closes(e->clip) : s->loop == LIMBER_LOOP_ALWAYS && !e->clip->travels;
    bool loops = closes && s->loop != LIMBER_LOOP_NEVER;
    limber_result result = limberi_take_create(&e->arena, e->model, e->clip, fps, loops, &e->source, e->error);
    if (result)
        return result;
    e->take = e->source;
    size_t all = (size_t)e->take.frame_count * e->take.joint_count;
    e->take.local = LIMBERI_COPY(&e->arena, limber_transform, e->source.local, all);
    e->positions = LIMBERI_ALLOCATE(&e->arena, limber_vec3, all);
    e->moved = LIMBERI_ALLOCATE(&e->arena, limber_vec3, all);
    e->fixed = LIMBERI_ALLOCATE(&e->arena, bool, e->take.joint_count);
    e->size = s->size > 0 ? (double)s->size : (double)e->model->size;
    if (e->arena.failed || find_members(e))
        return limberi_fail_memory(e->error);
    limberi_editor_find_fixed(e);
    return LIMBER_OK;
}

// A loop that has cuts in it is edited piece by piece, and one that travels or has a gap at its seam from end to end;
// towards the seam it goes back to what it was, so that it closes as before.
static void fade_ends(limberi_editor* e) {
    double duration = (e->take.frame_count - 1) * e->take.step_s;
    double fade = fmin(seam_s, 0.25 * duration);
    for (uint32_t f = 0; fade > 0 && f < e->take.frame_count; f++) {
        double from_end = fmin(f * e->take.step_s, duration - f * e->take.step_s);
        double part = fmin(from_end / fade, 1);
        part = part * part * (3 - 2 * part);
        for (uint32_t j = 0; part < 1 && j < e->take.joint_count; j++) {
            limber_transform* now = limberi_take_at(&e->take, f, j);
            *now = limberi_transform_blend(limberi_take_at(&e->source, f, j), now, part);
            if (e->factors) {
                float* factor = &e->factors[(size_t)f * e->take.joint_count + j];
                *factor = (float)(1 + part * ((double)*factor - 1));
            }
        }
    }
}

static void close_loop(limberi_editor* e) {
    uint32_t last = e->take.frame_count - 1;
    uint32_t count = e->take.joint_count;
    if (!(e->clip->loops || e->clip->travels) || e->settings->loop == LIMBER_LOOP_NEVER)
        return;
    if (!e->take.loops) {
        fade_ends(e);
        return;
    }
    memcpy(limberi_take_at(&e->take, last, 0), limberi_take_at(&e->take, 0, 0), count * sizeof *e->take.local);
    if (e->factors)
        memcpy(e->factors + (size_t)last * count, e->factors, count * sizeof *e->factors);
}

// Outside the range the clip stays plain.
static void keep_outside(limberi_editor* e) {
    uint32_t count = e->take.joint_count;
    for (uint32_t f = 0; e->settings->limited && f < e->take.frame_count; f++) {
        double time_s = limberi_take_time(&e->take, f);
        if (time_s >= e->settings->range_start_s - range_snap_s && time_s <= e->settings->range_end_s + range_snap_s)
            continue;
        memcpy(limberi_take_at(&e->take, f, 0), limberi_take_at(&e->source, f, 0), count * sizeof *e->take.local);
        for (uint32_t j = 0; e->factors && j < count; j++)
            e->factors[(size_t)f * count + j] = 1;
    }
}

static limber_result edit(limberi_editor* e, double fps) {
    limber_result result = open_editor(e, fps);
    if (result)
        return result;
    if (limberi_take_filter(&e->take, &e->model->rig, e->settings, e->settings->automatic ? e->size : 0))
        return limberi_fail_memory(e->error);
    limber_mat4* scratch = LIMBERI_ALLOCATE(&e->arena, limber_mat4, e->take.joint_count);
    if (!scratch)
        return limberi_fail_memory(e->error);
    limberi_take_positions(&e->take, &e->model->rig, scratch, e->positions);
    result = limberi_editor_pull(e);
    if (!result)
        result = limberi_editor_rebuild(e);
    if (!result && limberi_editor_holds(e))
        result = limberi_editor_hold(e);
    if (!result) {
        close_loop(e);
        keep_outside(e);
    }
    return result;
}

static limber_result list_pulled(const limberi_editor* e, limber_exaggerated* out) {
    out->pulled = LIMBERI_ALLOCATE(&out->arena, bool, e->take.joint_count);
    for (uint32_t i = 0; out->pulled && i < e->pull_count; i++)
        out->pulled[e->pulls[i].joint] = true;
    return out->pulled ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

static limber_result check(const limber_model* model, const limber_exaggerate_settings* s, limber_error* error) {
    if (!(s->sigma_s > 0) || !isfinite(s->amount) || !isfinite(s->delay_s) || !isfinite(s->strength) ||
        !(s->smooth >= 0))
        return limberi_fail(
            error, LIMBER_ERROR_ARGUMENT,
            "a setting of the cartoon filter is invalid: sigma_s must be above 0, smooth 0 or more, the others finite");
    for (uint32_t i = 0; i < s->constraint_count; i++) {
        const limber_constraint* c = &s->constraints[i];
        if (c->joint >= model->rig.joint_count)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "constraint %u names a joint that does not exist", i);
        for (uint32_t k = 1; k < c->key_count; k++)
            if (!(c->keys[k].time_s > c->keys[k - 1].time_s))
                return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the key times of constraint %u do not increase", i);
    }
    return LIMBER_OK;
}

limber_result limber_exaggerate(const limber_model* model, const limber_clip* clip, double fps,
                                const limber_exaggerate_settings* given, limber_exaggerated** edited,
                                limber_error* error) {
    *edited = NULL;
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    limber_result result =
        limberi_settings_read(&settings, sizeof settings, given, "limber_exaggerate_settings", error);
    if (!result)
        result = check(model, &settings, error);
    if (result)
        return result;
    limber_exaggerated* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    limberi_editor e = {0};
    e.model = model;
    e.clip = clip;
    e.settings = &settings;
    e.error = error;
    made->clip = *clip;
    if (clip->channel_count && limber_exaggerate_is_on(&settings)) {
        result = edit(&e, fps);
        if (!result && (build_clip(&e, made) || list_pulled(&e, made)))
            result = limberi_fail_memory(error);
    }
    limberi_arena_free(&e.arena);
    if (result) {
        limber_exaggerated_destroy(made);
        return result;
    }
    *edited = made;
    return LIMBER_OK;
}

void limber_exaggerated_destroy(limber_exaggerated* edited) {
    if (!edited)
        return;
    limberi_arena_free(&edited->arena);
    limberi_release(edited);
}

const limber_clip* limber_exaggerated_clip(const limber_exaggerated* edited) {
    return &edited->clip;
}

const bool* limber_exaggerated_pulled(const limber_exaggerated* edited) {
    return edited->pulled;
}

uint32_t limber_exaggerated_stretch_count(const limber_exaggerated* edited) {
    return edited->stretch_count;
}

const limber_stretch* limber_exaggerated_stretch(const limber_exaggerated* edited, uint32_t index) {
    return index < edited->stretch_count ? &edited->stretches[index] : NULL;
}

// --- skins ---

// As a player reads the keys: straight between them, the ends held.
static float factor_at(const limber_stretch* s, double time_s) {
    uint32_t low = 0;
    uint32_t high = s->key_count - 1;
    if (!(time_s > (double)s->times[0]))
        return s->factors[0];
    if (time_s >= (double)s->times[high])
        return s->factors[high];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if ((double)s->times[middle] <= time_s)
            low = middle;
        else
            high = middle;
    }
    double part = (time_s - (double)s->times[low]) / ((double)s->times[high] - (double)s->times[low]);
    return (float)((1 - part) * (double)s->factors[low] + part * (double)s->factors[high]);
}

void limber_exaggerated_stretch_pose(const limber_exaggerated* edited, double time_s, limber_mat4* world_from_joint) {
    for (uint32_t i = 0; i < edited->stretch_count; i++) {
        const limber_stretch* s = &edited->stretches[i];
        const float axis[3] = {s->axis.x, s->axis.y, s->axis.z};
        float more = factor_at(s, time_s) - 1;
        limber_mat4* world = &world_from_joint[s->joint];
        // W (I + (f - 1) a a^T): what lies along the axis is added once more, f - 1 times.
        limber_vec3 along = limberi_scale(limberi_mat4_vector(world, s->axis), more);
        for (int c = 0; c < 3; c++) {
            world->m[4 * c] += along.x * axis[c];
            world->m[4 * c + 1] += along.y * axis[c];
            world->m[4 * c + 2] += along.z * axis[c];
        }
    }
}
