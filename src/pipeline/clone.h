// Several pipelines of one character: clones, which evaluate frames at the same time, and the pipeline of a new style.
#ifndef LIMBERI_PIPELINE_CLONE_H
#define LIMBERI_PIPELINE_CLONE_H

#include <limber/pipeline.h>
#include <limber/stages/smear.h>

// Makes everything that frames of a clip share, and keeps it until the pipeline is destroyed: filtered motions and
// contacts. Clips that were not prepared are prepared when they are first evaluated, from then on.
LIMBER_MUST_USE limber_result limberi_pipeline_prepare_clip(limber_pipeline* pipeline, uint32_t clip);

// All clips, by several threads where the program lends them.
LIMBER_MUST_USE limber_result limberi_pipeline_prepare_clips(limber_pipeline* pipeline);

// The same character in the same style, with its own memory for a frame. The original must outlive the clone, and must
// have prepared the clips that the clone evaluates: clones only read from it, so several may run at the same time.
LIMBER_MUST_USE limber_result limberi_pipeline_clone(const limber_pipeline* original, limber_pipeline** clone,
                                                     limber_error* error);

// From now on only what frames show is asked for. Where no effect reads the motion before all filters, that of clips is no
// longer computed.
void limberi_pipeline_show_only(limber_pipeline* pipeline);

// --- a character whose style or layers change while it plays ---

// A second pipeline of a character, for another style. It shares what limberi_deformer_create_beside shares, which
// makes it quicker than a first one.
LIMBER_MUST_USE limber_result limberi_pipeline_create_beside(const limber_asset* asset, const limber_style* style,
                                                             const limber_pipeline* other, limber_pipeline** pipeline,
                                                             limber_error* error);
void limberi_pipeline_inherit(limber_pipeline* pipeline, limber_pipeline* from);

// Where motion lines find the colors of textures; before anything is smeared. Copies the reader.
void limberi_pipeline_read_texels(limber_pipeline* pipeline, const limber_texel_reader* reader);

// Values of a layer were written over in the asset itself: frames are then those of a pipeline made with them.
void limberi_pipeline_layer_changed(limber_pipeline* pipeline, uint32_t mesh, uint32_t layer);

#endif
