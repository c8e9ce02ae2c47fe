// A character whose style or layers change while it plays.
#ifndef LIMBERI_PIPELINE_STYLE_CHANGE_H
#define LIMBERI_PIPELINE_STYLE_CHANGE_H

#include <limber/pipeline.h>
#include <limber/stages/smear.h>

// Another pipeline of a character that has one, see limberi_deformer_create_beside: another style takes less time then.
LIMBER_MUST_USE limber_result limberi_pipeline_create_beside(const limber_asset* asset, const limber_style* style,
                                                             const limber_pipeline* other, limber_pipeline** pipeline,
                                                             limber_error* error);
void limberi_pipeline_inherit(limber_pipeline* pipeline, limber_pipeline* from);

// Where motion lines find the colors of textures; before anything is smeared. Copies the reader.
void limberi_pipeline_read_texels(limber_pipeline* pipeline, const limber_texel_reader* reader);

// Values of a layer were written over in the asset itself: frames are then those of a pipeline made with them.
void limberi_pipeline_layer_changed(limber_pipeline* pipeline, uint32_t mesh, uint32_t layer);

#endif
