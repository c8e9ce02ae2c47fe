// A bake as UsdSkel.
#ifndef LIMBER_CLI_USD_H
#define LIMBER_CLI_USD_H

#include <limber/limber.h>

int cli_save_usd(const char* input, const limber_pipeline* pipeline, const limber_model* model,
                 const limber_bake_settings* settings, const limber_bake* bake, const char* output);

#endif
