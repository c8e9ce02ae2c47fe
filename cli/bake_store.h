// Where the targets of a bake wait until the file is written.
#ifndef LIMBER_CLI_BAKE_STORE_H
#define LIMBER_CLI_BAKE_STORE_H

#include <limber/limber.h>

// *store is NULL for targets that memory holds, or that are reduced. `inside`: the file that targets may be put into
// while they are made, NULL: none.
LIMBER_MUST_USE limber_result cli_bake_store(const limber_model* model, const limber_gltf* inside,
                                             const limber_bake_settings* settings, const limber_bake_estimate* estimate,
                                             const char* output, limber_bake_store** store, limber_error* error);

#endif
