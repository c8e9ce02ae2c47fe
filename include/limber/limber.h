// limber/limber.h: what most programs need.
//
// Load a character, choose a style, and get the deformed vertices of any frame:
//
//     limber_error error;
//     limber_gltf* gltf = NULL;
//     limber_style* style = NULL;
//     limber_pipeline* pipeline = NULL;
//     limber_frame frame;
//     if (limber_gltf_load_file("fox.glb", NULL, &gltf, &error) != LIMBER_OK ||
//         limber_style_create(&style, &error) != LIMBER_OK ||
//         limber_style_read_preset(style, "cartoon", &error) != LIMBER_OK ||
//         limber_pipeline_create(limber_gltf_asset(gltf), style, &pipeline, &error) != LIMBER_OK)
//         fprintf(stderr, "%s: %s\n", error.place, error.message);
//     else if (limber_pipeline_evaluate(pipeline, 0, 0.5, &frame) == LIMBER_OK) // clip 0 at half a second
//         printf("first vertex: %g %g %g\n", frame.positions[0], frame.positions[1], frame.positions[2]);
//     limber_pipeline_destroy(pipeline); // destroying NULL is fine
//     limber_style_destroy(style);
//     limber_gltf_destroy(gltf);
//
// Programs that fill settings in code, add effects of their own or call single stages include limber/stages/stages.h,
// or one of the headers it includes.
#ifndef LIMBER_H
#define LIMBER_H

#include <limber/asset.h>
#include <limber/bake.h>
#include <limber/base.h>
#include <limber/bvh.h>
#include <limber/cache.h>
#include <limber/crowd.h>
#include <limber/gltf.h>
#include <limber/live.h>
#include <limber/pack.h>
#include <limber/pipeline.h>
#include <limber/style.h>
#include <limber/usd.h>
#include <limber/vat.h>

#endif
