// What an animator wants to see besides the character: its skeleton, what drives the effects,
// motion offsets, layers, rigid parts, colliders, contacts, and the paths it takes.
//
//     limberi_view_settings settings;
//     if (limberi_view_parse("joints,velocity", &settings, &error) != LIMBER_OK) ...
//     limberi_views* views;
//     if (limberi_views_create(model, &settings, &views, &error) != LIMBER_OK) ...
//     limber_pipeline_set_outputs(pipeline,
//                                 LIMBER_OUTPUT_NORMALS | LIMBER_OUTPUT_SKINNED | limberi_views_outputs(views));
//     // per picture:
//     if (limberi_views_scout(views, pipeline, clip, time_s, fps, &error) != LIMBER_OK) ...
//     if (limber_pipeline_evaluate_smeared(pipeline, clip, time_s, fps, &smeared) != LIMBER_OK) ...
//     if (limberi_views_show(views, renderer, &smeared, &error) != LIMBER_OK) ...
//     ... limberi_renderer_draw ...
//     limberi_views_legend(views, &picture);
//     limberi_views_destroy(views);
#ifndef LIMBERI_VIEWS_H
#define LIMBERI_VIEWS_H

#include "render/render.h"
#include <limber/pipeline.h>
#include <limber/stages/pose.h>

typedef struct limberi_view_settings {
    bool joints, velocity, acceleration, offsets, layers, trajectories, rigid, colliders, contacts;
    char layer[64]; // "": the first that there is
} limberi_view_settings;

typedef struct limberi_views limberi_views;

// "joints,layers:floppy". An unknown name is LIMBER_ERROR_ARGUMENT with the nearest known one.
LIMBER_MUST_USE limber_result limberi_view_parse(const char* text, limberi_view_settings* settings,
                                                 limber_error* error);

// Fails when no mesh has the layer.
LIMBER_MUST_USE limber_result limberi_views_create(const limber_model* model, const limberi_view_settings* settings,
                                                   limberi_views** views, limber_error* error);
void limberi_views_destroy(limberi_views* views);

// Which LIMBER_OUTPUT_... the pipeline must give.
uint32_t limberi_views_outputs(const limberi_views* views);

// Looks at the moments around this one where a view needs them; after it the pipeline holds another frame.
LIMBER_MUST_USE limber_result limberi_views_scout(limberi_views* views, limber_pipeline* pipeline, int32_t clip,
                                                  double time_s, double fps, limber_error* error);

// Hands colours and triangles of a frame to the renderer.
LIMBER_MUST_USE limber_result limberi_views_show(limberi_views* views, limberi_renderer* renderer,
                                                 const limber_smeared* smeared, limber_error* error);

// What the colours mean, in the lower left corner. Pictures too small to read it get none.
void limberi_views_legend(const limberi_views* views, limberi_picture* picture);

#endif
