// A pipeline and its memory.
#include "base/build.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"
#include "motion/time_filter.h"
#include "perform/performance.h"
#include "pipeline/clone.h"
#include "pipeline/pipeline_private.h"
#include "rigid/rigid_parts.h"
#include "skin/skin.h"

#include <string.h>

// Effects with the same filters share one filtered motion.
static uint32_t find_filter(limber_pipeline* p, const limberi_filters* set) {
    uint32_t at = 0;
    while (at < p->filter_count && !limberi_filters_equal(set, &p->filters[at]))
        at++;
    p->filters[at] = *set;
    p->filter_count += at == p->filter_count;
    return at;
}

// Drag and followthrough with everything equal are one effect, the plain acceleration deformer: the first runs on the
// whole motion, the second not at all.
static void find_filters(limber_pipeline* p) {
    limberi_filters none = {limber_filter_set_none(), 0, {{0, 0, NULL}}};
    float size = p->settings.deform.size > 0 ? p->settings.deform.size : p->model->size;
    p->whole = limberi_slots_that_add_up(&p->settings.deform, p->model->rig.joint_count);
    for (uint32_t slot = 0; slot < limberi_slot_count(&p->settings.deform); slot++) {
        limberi_filters set = limberi_slot_filters(&p->settings.deform, slot, size);
        p->filter_of_slot[slot] = UINT32_MAX;
        if (p->whole >> slot & 1)
            set.set.gate = LIMBER_GATE_NONE;
        if (!limberi_filters_equal(&set, &none))
            p->filter_of_slot[slot] = find_filter(p, &set);
    }
}

void limberi_pipeline_show_only(limber_pipeline* p) {
    uint32_t filtered = 0;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT; slot++)
        filtered |= (uint32_t)(p->filter_of_slot[slot] != UINT32_MAX) << slot;
    p->plain_unread = !limberi_deform_reads_plain(p->deformer, filtered);
}

static bool has_moving_morphs(const limber_pipeline* p) {
    return LIMBERI_HAS_MORPHS && p->model->morph_count && limberi_morphs_are_on(&p->settings.morphs);
}

static limber_result allocate(limber_pipeline* p) {
    const limber_model* model = p->model;
    size_t numbers = 3 * (size_t)model->vertex_count;
    bool dualquat = p->settings.skinning == LIMBER_SKINNING_DUALQUAT;
    p->palettes = LIMBERI_ALLOCATE(&p->arena, limber_mat4*, model->skin_count);
    p->dualquats = LIMBERI_ALLOCATE(&p->arena, limber_dualquat*, model->skin_count);
    for (uint32_t s = 0; !p->arena.failed && s < model->skin_count; s++) {
        p->palettes[s] = LIMBERI_ALLOCATE(&p->arena, limber_mat4, model->skins[s].joint_count);
        if (dualquat)
            p->dualquats[s] = LIMBERI_ALLOCATE(&p->arena, limber_dualquat, model->skins[s].joint_count);
    }
    p->skinned = LIMBERI_ALLOCATE(&p->arena, float, numbers);
    p->deformed = LIMBERI_ALLOCATE(&p->arena, float, numbers);
    p->normals = LIMBERI_ALLOCATE(&p->arena, float, numbers);
    if (p->ground && p->settings.deform.normals == LIMBER_NORMALS_JACOBIAN)
        p->skinned_normals = LIMBERI_ALLOCATE(&p->arena, float, numbers);
    p->morphed_positions = LIMBERI_ALLOCATE(&p->arena, float, model->morph_count ? numbers : 0);
    p->morphed_normals = LIMBERI_ALLOCATE(&p->arena, float, model->morph_count ? numbers : 0);
    if (has_moving_morphs(p)) {
        p->morph_rates = LIMBERI_ALLOCATE(&p->arena, float, model->morph_count);
        p->morph_scratch = LIMBERI_ALLOCATE(&p->arena, float, 2 * (size_t)model->morph_count);
        p->late_positions = LIMBERI_ALLOCATE(&p->arena, float, numbers);
        p->mesh_is_late = LIMBERI_ALLOCATE(&p->arena, uint8_t, model->mesh_count);
    }
    if (limberi_deform_split(p->deformer))
        p->lift_normals = LIMBERI_ALLOCATE(&p->arena, float, numbers);
    if (p->arena.failed || limber_pose_create(model, &p->pose) || limber_kinematics_create(model, &p->local_motion) ||
        limber_kinematics_create(model, &p->world_motion))
        return LIMBER_ERROR_MEMORY;
    float size = p->settings.deform.size > 0 ? p->settings.deform.size : model->size;
    if (limberi_air_create(model, &p->settings.air, size, &p->air))
        return LIMBER_ERROR_MEMORY;
    if (p->air && (limber_kinematics_create(model, &p->aired) || limber_kinematics_create(model, &p->air_only)))
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < p->filter_count; i++)
        if (limber_kinematics_create(model, &p->filtered[i]))
            return LIMBER_ERROR_MEMORY;
    if (p->lift_normals && !model->morph_count)
        limberi_pipeline_weld_normals(p); // once; otherwise with every pose
    return LIMBERI_HAS_VERTICES ? limberi_pipeline_allocate_groups(p) : LIMBER_OK;
}

// The clips as the style has them.
static limber_result edit_clips(limber_pipeline* p, limber_error* error) {
    if (p->original)
        return limberi_pipeline_share_edits(p, error);
    limber_result result = limberi_pipeline_stop_spins(p, error);
    if (!result)
        result = limberi_pipeline_begin_performing(p, error);
    if (!result)
        result = limberi_pipeline_begin_holding(p, error);
    return result ? result : limberi_pipeline_exaggerate(p, error);
}

// [vertex] the staff, sword or shield that it belongs to, -1: none. NULL: not enough memory.
static int32_t* find_props(const limber_asset* asset) {
    const limber_rigid_parts* parts = limberi_asset_rigid_parts(asset);
    uint32_t vertices = limber_asset_model(asset)->vertex_count;
    int32_t* props = parts ? limberi_allocate_zeroed((size_t)vertices + 1, sizeof *props) : NULL;
    const int32_t* of_vertex = parts ? limber_rigid_part_of_vertex(parts) : NULL;
    for (uint32_t u = 0; props && u < vertices; u++) {
        int32_t part = of_vertex[u];
        bool prop = part >= 0 && limber_rigid_part_at(parts, (uint32_t)part).kind == LIMBER_RIGID_PROP;
        props[u] = prop ? part : -1;
    }
    return props;
}

// What is rigid does not give way: what the style keeps rigid, or props where it keeps nothing.
static limber_result create_collision(limber_pipeline* p, limber_error* error) {
    bool find = !p->rigid && LIMBERI_HAS_RIGID && p->settings.colliders.automatic;
    int32_t* props = find ? find_props(p->asset) : NULL;
    if (find && !props)
        return limberi_fail_memory(error);
    const int32_t* parts = p->rigid ? limber_rigid_part_of_vertex(limberi_rigid_parts_of(p->rigid)) : props;
    limber_result result =
        limberi_collision_create(p->asset, &p->settings.colliders, parts, p->ground != NULL, &p->collision, error);
    limberi_release(props);
    return result;
}

static limber_result prepare(limber_pipeline* p, const limber_pipeline* other, limber_error* error) {
    const limber_deformer* lender = other ? other->deformer : NULL;
    bool clone = p->original != NULL; // both run at once
    limber_result result = LIMBER_OK;
    if (LIMBERI_HAS_RIGID)
        result = limberi_rigid_create(p->asset, &p->settings.rigid, &p->rigid, error);
    if (!result && LIMBERI_HAS_CONTACTS)
        result = limberi_contact_stage_create(p->asset, &p->settings.contacts, &p->settings.impact,
                                              p->settings.perform.squash != 0 || p->settings.perform.bend != 0,
                                              p->rigid, &p->ground, error);
    if (!result && LIMBERI_HAS_COLLIDERS)
        result = create_collision(p, error);
    if (!result && LIMBERI_HAS_CLIPS)
        result = edit_clips(p, error);
    if (limber_exaggerate_is_on(&p->settings.exaggerate) ||
        limberi_perform_edits(&p->settings.perform)) // edited clips have samples in place of the file's curves
        p->settings.motion.derivatives = LIMBER_DERIVATIVES_DIFFERENCES;
    p->settings.deform.air = limberi_air_bits(&p->settings.air);
    if (!result)
        result = limberi_deformer_create_beside(p->asset, &p->settings.deform, lender, clone, &p->deformer, error);
    if (result)
        return result;
    find_filters(p);
    bool averages = LIMBERI_HAS_VERTICES && (p->ground || has_moving_morphs(p));
    result = averages ? limberi_deformer_create_averager(p->deformer, p->asset, lender, clone) : LIMBER_OK;
    if (!result)
        result = allocate(p);
    if (!result && LIMBERI_HAS_CONTACTS && p->settings.deform.root == LIMBER_ROOT_CONTACTS) {
        p->roots = limberi_roots_create(p->model, p->deformer);
        result = p->roots ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    }
    return result ? limberi_fail_memory(error) : LIMBER_OK;
}

// Takes over `bound`, also when it fails. Without settings and without `bound` there is only skinning. `other` may be
// NULL; a clone reads what it shares from there.
static limber_result create(const limber_asset* asset, const limber_stage_settings* settings, limber_bound_style* bound,
                            const limber_pipeline* other, bool clone, limber_pipeline** pipeline, limber_error* error) {
    limber_pipeline* made = limberi_allocate_zeroed(1, sizeof *made);
    *pipeline = NULL;
    if (!made) {
        limber_bound_style_destroy(bound);
        return limberi_fail_memory(error);
    }
    made->asset = asset;
    made->model = limber_asset_model(asset);
    made->bound = bound;
    made->original = clone ? other : NULL;
    made->track_clip = made->posed_clip = -1;
    settings = bound ? limber_bound_style_settings(bound) : settings;
    if (settings)
        made->settings = *settings;
    else
        made->settings = limber_stage_settings_default();
    limber_result result = prepare(made, other, error);
    if (result)
        limber_pipeline_destroy(made);
    else
        *pipeline = made;
    return result;
}

// Settings of an older program: new stages are at the end and may be missing, but a stage of another size would move
// all that follow it, and is refused.
static limber_result read_settings(const limber_stage_settings* given, limber_stage_settings* own,
                                   limber_error* error) {
    limber_result result = limberi_settings_read(own, sizeof *own, given, "limber_stage_settings", error);
    if (!result)
        result = limberi_settings_check(own->motion.struct_size, sizeof own->motion, "limber_motion_settings", error);
    if (!result)
        result = limberi_settings_check(own->exaggerate.struct_size, sizeof own->exaggerate,
                                        "limber_exaggerate_settings", error);
    if (!result)
        result = limberi_settings_check(own->deform.struct_size, sizeof own->deform, "limber_deform_settings", error);
    if (!result)
        result = limberi_settings_check(own->smear.struct_size, sizeof own->smear, "limber_smear_settings", error);
    if (!result)
        result =
            limberi_settings_check(own->perform.struct_size, sizeof own->perform, "limber_perform_settings", error);
    return result;
}

limber_result limber_pipeline_create_from_settings(const limber_asset* asset, const limber_stage_settings* settings,
                                                   limber_pipeline** pipeline, limber_error* error) {
    *pipeline = NULL;
    if (!asset)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a pipeline needs a character");
    limber_stage_settings own = limber_stage_settings_default();
    limber_result result = settings ? read_settings(settings, &own, error) : LIMBER_OK;
    return result ? result : create(asset, &own, NULL, NULL, false, pipeline, error);
}

limber_result limber_pipeline_create(const limber_asset* asset, const limber_style* style, limber_pipeline** pipeline,
                                     limber_error* error) {
    return limberi_pipeline_create_beside(asset, style, NULL, pipeline, error);
}

limber_result limberi_pipeline_create_beside(const limber_asset* asset, const limber_style* style,
                                             const limber_pipeline* other, limber_pipeline** pipeline,
                                             limber_error* error) {
    limber_bound_style* bound = NULL;
    *pipeline = NULL;
    if (!asset)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a pipeline needs a character");
    limber_result result = style ? limber_style_bind(style, asset, &bound, error) : LIMBER_OK;
    return result ? result : create(asset, NULL, bound, other, false, pipeline, error);
}

limber_result limberi_pipeline_clone(const limber_pipeline* original, limber_pipeline** clone, limber_error* error) {
    limber_result result = create(original->asset, &original->settings, NULL, original, true, clone, error);
    if (!result) {
        (*clone)->outputs = original->outputs;
        (*clone)->variant = original->variant;
    }
    return result;
}

void limberi_pipeline_inherit(limber_pipeline* pipeline, limber_pipeline* from) {
    limberi_deformer_inherit(pipeline->deformer, from->deformer);
}

void limberi_pipeline_read_texels(limber_pipeline* pipeline, const limber_texel_reader* reader) {
    pipeline->settings.smear.lines.texels = *reader;
}

const limber_stage_settings* limber_pipeline_stage_settings(const limber_pipeline* pipeline) {
    return &pipeline->settings;
}

uint32_t limber_pipeline_warning_count(const limber_pipeline* pipeline) {
    return pipeline->bound ? limber_bound_style_warning_count(pipeline->bound) : 0;
}

const char* limber_pipeline_warning(const limber_pipeline* pipeline, uint32_t index) {
    return pipeline->bound ? limber_bound_style_warning(pipeline->bound, index) : "";
}

static void drop_tracks(limber_pipeline* p) {
    if (p->original)
        return;
    if (!p->kept)
        limberi_pipeline_drop_tracks(p, p->tracks);
    for (uint32_t c = 0; p->kept && c < p->model->clip_count; c++)
        if (p->kept[c])
            limberi_pipeline_drop_tracks(p, p->kept[c]);
}

void limber_pipeline_destroy(limber_pipeline* pipeline) {
    if (!pipeline)
        return;
    limber_pose_destroy(&pipeline->pose);
    limber_kinematics_destroy(&pipeline->local_motion);
    limber_kinematics_destroy(&pipeline->world_motion);
    limber_kinematics_destroy(&pipeline->aired);
    limber_kinematics_destroy(&pipeline->air_only);
    for (uint32_t i = 0; i < pipeline->filter_count; i++)
        limber_kinematics_destroy(&pipeline->filtered[i]);
    drop_tracks(pipeline);
    limberi_air_destroy(pipeline->air);
    if (LIMBERI_HAS_SMEARS)
        limberi_pipeline_smear_destroy(pipeline->smear);
    if (LIMBERI_HAS_CONTACTS)
        limberi_roots_destroy(pipeline->roots);
    limber_deformer_destroy(pipeline->deformer);
    limberi_contact_stage_destroy(pipeline->ground);
    limberi_rigid_destroy(pipeline->rigid);
    limberi_collision_destroy(pipeline->collision);
    if (LIMBERI_HAS_CLIPS)
        limberi_pipeline_drop_held(pipeline);
    limberi_pipeline_drop_edits(pipeline);
    limberi_pipeline_drop_performances(pipeline);
    limberi_arena_free(&pipeline->worker_arena);
    limberi_arena_free(&pipeline->arena);
    limber_bound_style_destroy(pipeline->bound);
    limberi_release(pipeline);
}

const limber_asset* limber_pipeline_asset(const limber_pipeline* pipeline) {
    return pipeline->asset;
}

limberi_pipeline_state limberi_pipeline_state_of(const limber_pipeline* p) {
    limberi_pipeline_state parts = {.asset = p->asset,
                                    .model = p->model,
                                    .deformer = p->deformer,
                                    .skinning = p->settings.skinning,
                                    .normals = p->settings.deform.normals,
                                    .outputs = p->outputs,
                                    .pose = &p->pose,
                                    .motion = &p->world_motion,
                                    .palettes = p->palettes,
                                    .dualquats = p->dualquats,
                                    .morphed_positions = p->model->morph_count ? p->morphed_positions : NULL,
                                    .lift_normals = p->lift_normals};
    return parts;
}

bool limber_pipeline_cone(const limber_pipeline* pipeline, limber_cone* cone, float* residual) {
    return limber_deformer_cone(pipeline->deformer, cone, residual);
}

bool limber_pipeline_cone_at(const limber_pipeline* pipeline, uint32_t index, limber_cone* cone, float* residual) {
    return limber_deformer_cone_at(pipeline->deformer, index, cone, residual);
}

const limber_rigid_parts* limber_pipeline_rigid_parts(const limber_pipeline* pipeline) {
    return pipeline->rigid ? limberi_rigid_parts_of(pipeline->rigid) : NULL;
}

const limber_colliders* limber_pipeline_colliders(const limber_pipeline* pipeline) {
    return pipeline->collision ? limberi_collision_colliders(pipeline->collision) : NULL;
}

limberi_placed_collider limberi_pipeline_collider(const limber_pipeline* pipeline, uint32_t index) {
    return limberi_collision_placed(pipeline->collision, index);
}
