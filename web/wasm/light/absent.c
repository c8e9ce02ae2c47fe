// What the light module leaves out: everything but effects. Stages that a character never has are NULL, and what needs
// them is not reached; styles that ask for more are refused, or warned of, by name.
#include "base/error.h"
#include "contact/contacts.h"
#include "deform/deformer.h"
#include "deform/effects/cone.h"
#include "gpu/packing.h"
#include "pipeline/probes.h"
#include "pipeline/smear_stage.h"
#include "pipeline/style_change.h"
#include "skin/skin.h"
#include "style/bind.h"
#include "style/colliders_value.h"
#include "style/constraints.h"
#include "style/contacts_value.h"
#include "style/rigid_value.h"
#include "web/wasm/web.h"

#include <limber/stages/layer.h>
#include <limber/stages/smear_live.h>
#include <string.h>

static limber_result refuse(limber_error* error, const char* what) {
    return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "limber/light has no %s; use the whole module", what);
}

static limber_result refuse_entry(limberi_binder* b, const limberi_entry* entry, const char* what) {
    return limberi_bind_at(b, refuse(b->error, what), entry);
}

// --- styles ---

limber_result limberi_bind_smear(limberi_binder* b, const limberi_entry* entry) {
    return refuse_entry(b, entry, "smears");
}

limber_result limberi_bind_smear_joints(limberi_binder* b) {
    return LIMBER_OK;
}

limber_result limberi_bind_smear_meshes(limberi_binder* b) {
    return LIMBER_OK;
}

limber_result limberi_bind_colliders(limberi_binder* b, const limberi_entry* entry) {
    return refuse_entry(b, entry, "colliders");
}

// Read without a look inside: what is in them does nothing, or is refused when the style is bound.
limber_result limberi_rigid_check(const limberi_json_document* json, const limberi_json* node,
                                  const limberi_json** fault, limber_error* error) {
    return LIMBER_OK;
}

limber_result limberi_contacts_check(const limberi_json_document* json, const limberi_json* node,
                                     const limberi_json** fault, limber_error* error) {
    return LIMBER_OK;
}

limber_result limberi_colliders_check(const limberi_json_document* json, const limberi_json* node,
                                      const limberi_json** fault, limber_error* error) {
    return LIMBER_OK;
}

limber_result limberi_constraints_check(const limberi_json_document* json, const limberi_json* node,
                                        const limberi_json** fault, limber_error* error) {
    return LIMBER_OK;
}

limber_result limberi_bind_contacts(limberi_binder* b, const limberi_entry* entry) {
    return LIMBER_OK;
}

limber_result limberi_bind_rigid(limberi_binder* b, const limberi_entry* entry) {
    return LIMBER_OK;
}

static const char* ground_word(limberi_store store) {
    return store == LIMBERI_STORE_RIGID ? "rigid parts"
           : store == LIMBERI_STORE_FLOAT || store == LIMBERI_STORE_CONTACTS || store == LIMBERI_STORE_CONTACT ||
                   store == LIMBERI_STORE_FLOOR
               ? "contacts"
           : store == LIMBERI_STORE_IMPACT ? "impacts"
                                           : NULL;
}

// The last of the sections, when all keys are known.
limber_result limberi_bind_exaggerate(limberi_binder* b) {
    for (uint32_t i = 0; i < b->style->count; i++) {
        const limberi_entry* entry = &b->style->entries[b->order[i]];
        limberi_store store = limberi_row_at(entry->row)->store;
        if (store == LIMBERI_STORE_EXAGGERATE)
            return refuse_entry(b, entry, "edits of clips");
        if (store == LIMBERI_STORE_MESH_SMEAR || store == LIMBERI_STORE_SMEAR_GAIN)
            return refuse_entry(b, entry, "smears");
        if (ground_word(store))
            limberi_bind_warn(b, entry, "does nothing: limber/light has no %s", ground_word(store));
    }
    return LIMBER_OK;
}

limber_result limber_expression_create(const char* text, const limber_expression_scope* scope,
                                       limber_expression** expression, limber_error* error) {
    *expression = NULL;
    return refuse(error, "formulas");
}

limber_result limberi_clip_derive(limberi_arena* arena, const limber_model* model, const float* shares,
                                  limber_clip* clip, limber_error* error) {
    return refuse(error, "clips");
}

bool limberi_morph_move(const limberi_morph_job* job, float* out) {
    return false;
}

// --- what nobody asks for, or is told that there is none ---

uint32_t limber_collider_count(const limber_colliders* colliders) {
    return 0;
}

void limber_colliders_destroy(limber_colliders* colliders) {
}

limber_contact_settings limber_contact_settings_default(void) {
    return (limber_contact_settings){0};
}

bool limber_exaggerate_is_on(const limber_exaggerate_settings* settings) {
    return false;
}

limber_exaggerate_settings limber_exaggerate_settings_default(void) {
    return (limber_exaggerate_settings){0};
}

void limber_expression_destroy(limber_expression* expression) {
}

void limber_expression_evaluate(const limber_expression* expression, const limber_expression_inputs* inputs,
                                float* out) {
}

float limber_expression_evaluate_uniform(const limber_expression* expression, const limber_expression_inputs* inputs) {
    return 0;
}

limber_expression_inputs limber_expression_inputs_default(void) {
    return (limber_expression_inputs){.count = 1};
}

bool limber_expression_is_uniform(const limber_expression* expression) {
    return false;
}

const char* limber_expression_layer(const limber_expression* expression, uint32_t index) {
    return NULL;
}

uint32_t limber_expression_layer_count(const limber_expression* expression) {
    return 0;
}

limber_expression_scope limber_expression_scope_all(void) {
    return (limber_expression_scope){0};
}

const char* limber_expression_text(const limber_expression* expression) {
    return NULL;
}

uint32_t limber_expression_uses(const limber_expression* expression) {
    return 0;
}

limber_impact_settings limber_impact_settings_default(void) {
    return (limber_impact_settings){0};
}

limber_result limber_layer_skirt(const limber_model* model, float* values, bool* found, limber_error* error) {
    *found = false;
    return LIMBER_OK;
}

void limber_smear_live_destroy(limber_smear_live* live) {
}

void limber_smear_live_reset(limber_smear_live* live) {
}

const struct limberi_groups* limberi_groups_make(limberi_arena* arena, const limber_model* model,
                                                 const limberi_ancestors* tree, const limber_mesh* mesh) {
    static const struct limberi_groups none;
    return &none;
}

const float* limberi_groups_sorted(limberi_arena* arena, const struct limberi_groups* groups, const float* values) {
    return values;
}

limber_result limberi_mesh_names_fill(limberi_arena* arena, const limber_model* model, const limber_mesh* mesh,
                                      uint32_t used, limberi_mesh_names* names) {
    return LIMBER_OK;
}

void limberi_mesh_names_point(const limberi_mesh_names* names, const limber_mesh* mesh,
                              const limber_expression* expression, uint32_t first, uint32_t count,
                              limber_expression_inputs* inputs) {
}

limberi_averager* limberi_averager_create(const limber_asset* asset) {
    static char some;
    return (limberi_averager*)(void*)&some; // nobody looks inside
}

limberi_averager* limberi_averager_create_twin(const limberi_averager* other) {
    return NULL;
}

void limberi_averager_destroy(limberi_averager* averager) {
}

limber_result limberi_cone_fit(const limber_model* model, uint32_t joint, limber_cone* cone, float* residual,
                               limber_error* error) {
    return refuse(error, "fitted cones");
}

void limberi_cones_place(limber_deformer* deformer, const limber_pose* pose) {
}

limber_result limberi_cones_prepare(limber_deformer* deformer, const limber_lift_cones* settings, limber_error* error) {
    return refuse(error, "fitted cones");
}

void limberi_pipeline_drop_edits(limber_pipeline* pipeline) {
}

void limberi_pipeline_drop_tracks(limber_pipeline* pipeline, limber_track** tracks) {
}

limber_result limberi_pipeline_exaggerate(limber_pipeline* pipeline, limber_error* error) {
    return LIMBER_OK;
}

limberi_contact_stage_frame limberi_pipeline_ground_frame(const limber_pipeline* pipeline,
                                                          const limber_deform_job* job) {
    return (limberi_contact_stage_frame){0};
}

bool limberi_pipeline_has_ground(const limber_pipeline* pipeline, bool moves) {
    return false;
}

limber_result limberi_pipeline_share_edits(limber_pipeline* pipeline, limber_error* error) {
    return LIMBER_OK;
}

const limber_pose* limberi_pipeline_skin_pose(limber_pipeline* pipeline, const limber_clip* clip, double time_s) {
    return &pipeline->pose;
}

limber_result limberi_pipeline_stop_spins(limber_pipeline* pipeline, limber_error* error) {
    return LIMBER_OK;
}

limber_result limberi_pipeline_allocate_groups(limber_pipeline* pipeline) {
    return LIMBER_OK;
}

void limberi_pipeline_layer_changed(limber_pipeline* pipeline, uint32_t mesh, uint32_t layer) {
    limberi_deformer_layer_changed(pipeline->deformer, mesh, layer);
}

void limberi_pipeline_smear_destroy(struct limberi_smear_stage* stage) {
}

limber_result limberi_probes_create(const limber_pipeline* pipeline, const uint32_t* vertices, uint32_t count,
                                    limberi_probes* probes) {
    memset(probes, 0, sizeof *probes);
    return LIMBER_OK;
}

void limberi_probes_destroy(limberi_probes* probes) {
}

void limberi_probes_repaint(limberi_probes* probes) {
}

void limberi_probes_run(const limber_pipeline* pipeline, bool moves, limberi_probes* probes) {
}

void limberi_collision_begin(limberi_collision* collision, const limberi_collision_frame* frame) {
}

const limber_colliders* limberi_collision_colliders(const limberi_collision* collision) {
    return NULL;
}

limber_result limberi_collision_create(const limber_asset* asset, const limber_collider_settings* settings,
                                       limberi_collision** collision, limber_error* error) {
    *collision = NULL;
    return LIMBER_OK;
}

void limberi_collision_destroy(limberi_collision* collision) {
}

uint32_t limberi_collision_probes(const limberi_collision* collision, uint32_t* vertices) {
    return 0;
}

bool limberi_contact_stage_acts(const limberi_contact_stage* ground) {
    return false;
}

bool limberi_contact_stage_begin(limberi_contact_stage* ground, const limberi_contact_stage_frame* frame) {
    return false;
}

limber_result limberi_contact_stage_create(const limber_asset* asset, const limber_contact_settings* contact,
                                           const limber_impact_settings* impact, limberi_rigid* rigid,
                                           limberi_contact_stage** ground, limber_error* error) {
    *ground = NULL;
    return LIMBER_OK;
}

void limberi_contact_stage_destroy(limberi_contact_stage* ground) {
}

uint32_t limberi_contact_stage_probes(const limberi_contact_stage* ground, uint32_t* vertices) {
    return 0;
}

limber_vec3 limberi_contact_stage_settled(const limberi_contact_stage* ground, const limberi_contact_stage_frame* frame,
                                          uint32_t vertex) {
    return (limber_vec3){0};
}

limberi_live_contacts* limberi_live_contacts_create(const limber_asset* asset) {
    return NULL;
}

void limberi_live_contacts_destroy(limberi_live_contacts* contacts) {
}

void limberi_live_contacts_push(limberi_live_contacts* contacts, const limber_pose* pose, double time_s,
                                limberi_contact_stage_height ground, void* user) {
}

void limberi_live_contacts_reset(limberi_live_contacts* contacts) {
}

limber_result limberi_rigid_create(const limber_asset* asset, const limber_rigid_settings* settings,
                                   limberi_rigid** rigid, limber_error* error) {
    *rigid = NULL;
    return LIMBER_OK;
}

void limberi_rigid_destroy(limberi_rigid* rigid) {
}

uint32_t limberi_rigid_entry_count(const limberi_rigid* rigid) {
    return 0;
}

const limber_rigid_parts* limberi_rigid_parts_of(const limberi_rigid* rigid) {
    return NULL;
}

void limberi_rigid_run(const limberi_rigid* rigid, const limberi_rigid_frame* frame, uint32_t first, uint32_t end) {
}

limber_result limberi_pack_check_rigid(const limberi_pack* pack, limber_error* error) {
    return LIMBER_OK;
}

uint32_t limberi_pack_collider_columns(const limberi_pack* pack) {
    return 0;
}

uint32_t limberi_pack_collider_texels(const limberi_pack* pack) {
    return 0;
}

uint32_t limberi_pack_contact_columns(const limberi_pack* pack) {
    return 0;
}

limber_result limberi_pack_find_collider_layers(limberi_pack* pack) {
    return LIMBER_OK;
}

limber_result limberi_pack_find_obeyed(limberi_pack* pack) {
    return LIMBER_OK;
}

uint32_t limberi_pack_ground_texels(const limberi_pack* pack) {
    return 0;
}

bool limberi_pack_has_floor(const limberi_pack* pack, const limberi_pack_frame* frame) {
    return false;
}

void limberi_pack_put_collider_columns(const limberi_pack* pack, size_t stride, int16_t* out) {
}

void limberi_pack_put_colliders(const limberi_pack* pack, uint32_t column, float* out) {
}

void limberi_pack_put_contact_column(const limberi_pack* pack, size_t stride, int16_t* out) {
}

void limberi_pack_put_footings(const limberi_pack* pack, float* out) {
}

void limberi_pack_put_ground_head(const limberi_pack* pack, const limberi_pack_frame* frame, int32_t rigid,
                                  int32_t rows, float out[12]) {
    static const float head[12] = {-1, -1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0};
    memcpy(out, head, sizeof head);
}

void limberi_pack_put_rigid(const limberi_pack* pack, float* out) {
}

void limberi_pack_put_rigid_columns(const limberi_pack* pack, size_t stride, int16_t* out) {
}

uint32_t limberi_pack_rigid_columns(const limberi_pack* pack) {
    return 0;
}

uint32_t limberi_pack_rigid_texels(const limberi_pack* pack) {
    return 0;
}

void limberi_web_color_lines(const web_character* character, limber_pipeline* pipeline) {
}

void limberi_web_drop_textures(web_character* character) {
}

const limber_asset* limber_bvh_asset(const limber_bvh* bvh) {
    return NULL;
}

void limber_bvh_destroy(limber_bvh* bvh) {
}
