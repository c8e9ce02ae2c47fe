// Valid characters out of a fuzzer's bytes: trees, forests and chains of joints, skins that share joints, several
// meshes, morph targets, layers, clips with every kind of key, cameras. What limber_asset_create says to them is up to
// it: numbers may be extreme.
#ifndef LIMBER_FUZZ_RIG_H
#define LIMBER_FUZZ_RIG_H

#include "fuzz/kit/bytes.h"

#include <limber/asset.h>

// NULL: refused, with a reason. *mild: all numbers are small, so that whatever comes out must be finite.
limber_asset* fuzz_rig(fuzz_bytes* bytes, bool* mild);

#endif
