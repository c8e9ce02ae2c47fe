// What every fuzzer does with a character and a style, and what must hold then.
#ifndef LIMBER_FUZZ_RUN_H
#define LIMBER_FUZZ_RUN_H

#include "fuzz/kit/bytes.h"

#include <limber/limber.h>

// NULL: refused with a reason, or a clip so long that a fuzzer has no time for it.
limber_pipeline* fuzz_pipeline(const limber_asset* asset, const limber_style* style);

// Work divided among three workers, the last piece first.
limber_parallel fuzz_workers(void);

// One frame, twice: by one worker and by three. The bytes are the same, and finite where `mild`.
void fuzz_evaluate(limber_pipeline* pipeline, int32_t clip, double time_s, bool mild);

// The frame with smears, and every mesh they add.
void fuzz_smear(limber_pipeline* pipeline, int32_t clip, double time_s, double fps, bool mild);

// Saved, and read again without an error; a save that fails says why and leaves nothing.
void fuzz_save(const limber_gltf* gltf, const limber_gltf_edits* edits, const char* name);

#endif
