// render/views/views.h: what an animator wants to see besides the character: its skeleton, what drives the effects,
// motion offsets, layers, and the paths it takes.
//
//     limber_view_settings settings;
//     if (limber_view_parse("joints,velocity", &settings, &error) != LIMBER_OK) ...
//     limber_views* views;
//     if (limber_views_create(model, &settings, &views, &error) != LIMBER_OK) ...
//     limber_pipeline_outputs(pipeline, LIMBER_OUTPUT_NORMALS | LIMBER_OUTPUT_SKINNED | limber_views_outputs(views));
//     // per picture:
//     if (limber_views_scout(views, pipeline, clip, time_s, fps, &error) != LIMBER_OK) ...
//     if (limber_pipeline_smear(pipeline, clip, time_s, fps, &smeared) != LIMBER_OK) ...
//     if (limber_views_show(views, renderer, &smeared, &error) != LIMBER_OK) ...
//     ... limber_renderer_draw ...
//     limber_views_legend(views, &picture);
//     limber_views_destroy(views);
#ifndef LIMBER_VIEWS_H
#define LIMBER_VIEWS_H

#include "render/render.h"
#include <limber/pipeline.h>

typedef struct limber_view_settings {
    bool joints, velocity, offsets, layers, trajectories;
    char layer[64]; // "": the first that there is
} limber_view_settings;

typedef struct limber_views limber_views;

// "joints,layers:floppy". An unknown name is LIMBER_ERROR_ARGUMENT with the nearest known one.
LIMBER_MUST_USE limber_result limber_view_parse(const char* text, limber_view_settings* settings, limber_error* error);

// Fails when no mesh has the layer.
LIMBER_MUST_USE limber_result limber_views_create(const limber_model* model, const limber_view_settings* settings,
                                                  limber_views** views, limber_error* error);
void limber_views_destroy(limber_views* views);

// Which LIMBER_OUTPUT_... the pipeline must give.
uint32_t limber_views_outputs(const limber_views* views);

// Looks at the moments around this one where a view needs them; after it the pipeline holds another frame.
LIMBER_MUST_USE limber_result limber_views_scout(limber_views* views, limber_pipeline* pipeline, int32_t clip,
                                                 double time_s, double fps, limber_error* error);

// Hands colours and triangles of a frame to the renderer.
LIMBER_MUST_USE limber_result limber_views_show(limber_views* views, limber_renderer* renderer,
                                                const limber_smeared* smeared, limber_error* error);

// What the colours mean, in the lower left corner. Pictures too small to read it get none.
void limber_views_legend(const limber_views* views, limber_picture* picture);

#endif
