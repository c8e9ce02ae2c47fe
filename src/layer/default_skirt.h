// The layer "skirt" of characters on which nobody painted it (limber_layer_skirt).
#ifndef LIMBERI_DEFAULT_SKIRT_H
#define LIMBERI_DEFAULT_SKIRT_H

#include <limber/asset.h>

#define LIMBERI_SKIRT_LAYER "skirt"

// The model with that layer: the asset's own where a mesh has it, else one that shares everything with it but for the
// layer that was found. *model is NULL where there is no skirt. Found when first asked for, and kept as long as the
// character lives.
LIMBER_MUST_USE limber_result limberi_asset_skirt(const limber_asset* asset, const limber_model** model);

#endif
