// limber/stages/settings.h: the settings of all stages, and pipelines made from settings that a program fills in code.
//
//     limber_stage_settings settings = limber_stage_settings_default(); // plain skinning
//     settings.deform.effects[LIMBER_EFFECT_FLOPPY].angular.value = 0.4f;
//     limber_pipeline* pipeline;
//     limber_error error;
//     if (limber_pipeline_create_from_settings(asset, &settings, &pipeline, &error) != LIMBER_OK)
//         return 1;
//     limber_pipeline_destroy(pipeline);
//
// A style becomes settings when it is bound to a character; limber_pipeline_create does that. Bind it yourself to look
// at the settings or to change them:
//
//     limber_bound_style* bound;
//     limber_error error;
//     if (limber_style_bind(style, asset, &bound, &error) != LIMBER_OK)
//         return 1;
//     limber_stage_settings settings = *limber_bound_style_settings(bound);
//     settings.skinning = LIMBER_SKINNING_DUALQUAT;
//     limber_pipeline* pipeline;
//     if (limber_pipeline_create_from_settings(asset, &settings, &pipeline, &error) == LIMBER_OK)
//         limber_pipeline_destroy(pipeline);
//     limber_bound_style_destroy(bound);
#ifndef LIMBER_STAGES_SETTINGS_H
#define LIMBER_STAGES_SETTINGS_H

#include <limber/stages/colliders.h>
#include <limber/stages/contacts.h>
#include <limber/stages/deform.h>
#include <limber/stages/exaggerate.h>
#include <limber/stages/impact.h>
#include <limber/stages/perform.h>
#include <limber/stages/rigid.h>
#include <limber/stages/skin.h>
#include <limber/stages/smear.h>
#include <limber/style.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limber_pipeline limber_pipeline; // limber/pipeline.h
typedef struct limber_frame limber_frame;       // limber/pipeline.h

// The settings of all stages.
typedef struct limber_stage_settings {
    uint32_t struct_size; // set by limber_stage_settings_default
    limber_skinning skinning;
    limber_motion_settings motion;
    limber_air_settings air;
    limber_exaggerate_settings exaggerate;
    limber_morph_settings morphs;
    limber_deform_settings deform;
    limber_rigid_settings rigid;
    limber_contact_settings contacts;
    limber_impact_settings impact;
    limber_collider_settings colliders;
    limber_smear_settings smear;
    int baked; // 1: a file that carries this style already shows it
    limber_perform_settings perform;
} limber_stage_settings;

// Plain linear skinning. The struct has about 20 kilobytes.
LIMBER_DEFAULT(limber_stage_settings)

// Makes exaggeration leave joints that stand where they are: sets `hold` of the settings. NULL: no joint is held. The
// contacts must outlive the settings.
LIMBER_API void limber_exaggerate_hold_contacts(limber_exaggerate_settings* settings, const limber_contacts* contacts);

// `settings` NULL: plain skinning. Copies the struct; formulas, layer names and per-joint arrays it points to must
// outlive the pipeline.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_create_from_settings(const limber_asset* asset,
                                                                              const limber_stage_settings* settings,
                                                                              limber_pipeline** pipeline,
                                                                              limber_error* error);
// The settings that a pipeline runs with.
LIMBER_API const limber_stage_settings* limber_pipeline_stage_settings(const limber_pipeline* pipeline);

// The cone that lift uses and the distance of the vertices from it (limber_deformer_cone); false when there is none.
LIMBER_API bool limber_pipeline_cone(const limber_pipeline* pipeline, limber_cone* cone, float* residual);
LIMBER_API bool limber_pipeline_cone_at(const limber_pipeline* pipeline, uint32_t index, limber_cone* cone,
                                        float* residual);

// The rigid parts that the pipeline keeps in shape; NULL: none. Destroyed with the pipeline.
LIMBER_API const limber_rigid_parts* limber_pipeline_rigid_parts(const limber_pipeline* pipeline);
// The colliders that the pipeline keeps skin out of; NULL: none. Destroyed with the pipeline.
LIMBER_API const limber_colliders* limber_pipeline_colliders(const limber_pipeline* pipeline);

// The contacts of a clip as the pipeline uses them, found when first asked for; *contacts is NULL where the style has
// neither contacts nor impacts. Destroyed with the pipeline.
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_contacts(limber_pipeline* pipeline, uint32_t clip,
                                                                  const limber_contacts** contacts);

// The time of the plain clip that is shown at a time: another one where the style changes the timing.
LIMBER_API double limber_pipeline_source_time(limber_pipeline* pipeline, uint32_t clip, double time_s);
// What the performance found out about a clip and did to it. False: the style has none, or there is no such clip. Arrays
// belong to the pipeline.
LIMBER_API bool limber_pipeline_performance(limber_pipeline* pipeline, uint32_t clip, limber_performance* performance);

// What if a joint moved like this? The pose is held still, and `motion` (world space) times `amount` takes the place of
// the clip's motion. Amounts from 0 to 1 trace the path of each vertex (velocity skinning, section 5).
LIMBER_API LIMBER_MUST_USE limber_result limber_pipeline_evaluate_what_if(limber_pipeline* pipeline, int32_t clip,
                                                                          double time_s,
                                                                          const limber_kinematics* motion, float amount,
                                                                          limber_frame* frame);

// A style as settings for one character.
typedef struct limber_bound_style limber_bound_style;

// Resolves joint names (with * wildcards), layers and cones for one character; limber_pipeline_create says which names
// are errors. The bound style keeps what it needs of the style.
LIMBER_API LIMBER_MUST_USE limber_result limber_style_bind(const limber_style* style, const limber_asset* asset,
                                                           limber_bound_style** bound, limber_error* error);
LIMBER_API void limber_bound_style_destroy(limber_bound_style* bound);
// Arrays and formulas in the settings belong to the bound style.
LIMBER_API const limber_stage_settings* limber_bound_style_settings(const limber_bound_style* bound);
// What the style says that does not fit this character, one sentence each.
LIMBER_API uint32_t limber_bound_style_warning_count(const limber_bound_style* bound);
LIMBER_API const char* limber_bound_style_warning(const limber_bound_style* bound, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
