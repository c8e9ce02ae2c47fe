// Layers of a character besides the public header: by name, and the automatic skirt.
#ifndef LIMBERI_LAYER_H
#define LIMBERI_LAYER_H

#include <limber/asset.h>

bool limberi_has_layer(const limber_model* model, const char* name); // some mesh has it
size_t limberi_layer_count(const limber_model* model);               // of all meshes
// For limberi_suggest: one layer after the other, mesh by mesh; `model` is a limber_model.
const char* limberi_layer_name_at(const void* model, size_t i);
// The layer that a wrong name may have meant. NULL: none comes near.
const char* limberi_nearest_layer(const limber_model* model, const char* name);

#define LIMBERI_SKIRT_LAYER "skirt"

// The model with that layer: the asset's own where a mesh has it, else one that shares everything with it but for the
// layer that was found. *model is NULL where there is no skirt. Found when first asked for, and kept as long as the
// character lives.
LIMBER_MUST_USE limber_result limberi_asset_skirt(const limber_asset* asset, const limber_model** model);

#endif
