// Onion skins: the character some frames before and after, as ghosts behind it.
//
//     limberi_onion* onion;
//     if (limberi_onion_create(model, 3, 2, &onion, &error) != LIMBER_OK) ...
//     // per picture, before the frame itself is evaluated:
//     if (limberi_onion_look(onion, pipeline, clip, time_s, fps, &error) != LIMBER_OK) ...
//     limberi_onion_show(onion, renderer);
//     ... evaluate, limberi_renderer_draw ...
//     limberi_onion_destroy(onion);
#ifndef LIMBERI_ONION_H
#define LIMBERI_ONION_H

#include "render/render.h"
#include <limber/pipeline.h>
#include <limber/stages/pose.h>

#define LIMBERI_ONION_LIMIT 64u // ghosts to either side

typedef struct limberi_onion limberi_onion;

// `count` ghosts to either side, `step` frames apart.
LIMBER_MUST_USE limber_result limberi_onion_create(const limber_model* model, uint32_t count, uint32_t step,
                                                   limberi_onion** onion, limber_error* error);
void limberi_onion_destroy(limberi_onion* onion);

// Evaluates the moments around this one; those outside a clip that does not loop are left out. After it the pipeline
// holds another frame.
LIMBER_MUST_USE limber_result limberi_onion_look(limberi_onion* onion, limber_pipeline* pipeline, int32_t clip,
                                                 double time_s, double fps, limber_error* error);
void limberi_onion_show(const limberi_onion* onion, limberi_renderer* renderer);
// Makes room for them in the picture.
void limberi_onion_frame(const limberi_onion* onion, limberi_renderer* renderer);

#endif
