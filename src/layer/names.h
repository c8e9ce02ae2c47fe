// Which layers the meshes of a character have, and which one a wrong name may have meant.
#ifndef LIMBERI_LAYER_NAMES_H
#define LIMBERI_LAYER_NAMES_H

#include <limber/asset.h>

bool limberi_has_layer(const limber_model* model, const char* name); // some mesh has it
size_t limberi_layer_count(const limber_model* model);               // of all meshes
// NULL: none comes near.
const char* limberi_nearest_layer(const limber_model* model, const char* name);

#endif
