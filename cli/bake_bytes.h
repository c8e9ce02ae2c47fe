// How large a bake becomes in a glTF file.
#ifndef LIMBER_CLI_BAKE_BYTES_H
#define LIMBER_CLI_BAKE_BYTES_H

#include <limber/bake.h>

// Targets, weights, keys and nodes, roughly; without in-between copies and motion lines, which every bake has.
double cli_bake_bytes(const limber_model* model, const limber_bake* bake);

#endif
