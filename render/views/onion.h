// render/views/onion.h: onion skins: the character some frames before and after, as ghosts behind it.
//
//     limber_onion* onion;
//     if (limber_onion_create(model, 3, 2, &onion, &error) != LIMBER_OK) ...
//     // per picture, before the frame itself is evaluated:
//     if (limber_onion_look(onion, pipeline, clip, time_s, fps, &error) != LIMBER_OK) ...
//     limber_onion_show(onion, renderer);
//     ... evaluate, limber_renderer_draw ...
//     limber_onion_destroy(onion);
#ifndef LIMBER_ONION_H
#define LIMBER_ONION_H

#include "render/render.h"
#include <limber/pipeline.h>

#define LIMBER_ONION_LIMIT 64u // ghosts to either side

typedef struct limber_onion limber_onion;

// `count` ghosts to either side, `step` frames apart.
LIMBER_MUST_USE limber_result limber_onion_create(const limber_model* model, uint32_t count, uint32_t step,
                                                  limber_onion** onion, limber_error* error);
void limber_onion_destroy(limber_onion* onion);

// Evaluates the moments around this one; those outside a clip that does not loop are left out. After it the pipeline
// holds another frame.
LIMBER_MUST_USE limber_result limber_onion_look(limber_onion* onion, limber_pipeline* pipeline, int32_t clip,
                                                double time_s, double fps, limber_error* error);
void limber_onion_show(const limber_onion* onion, limber_renderer* renderer);
// Makes room for them in the picture.
void limber_onion_frame(const limber_onion* onion, limber_renderer* renderer);

#endif
