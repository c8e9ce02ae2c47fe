// Styles out of a fuzzer's bytes: a preset or nothing, and keys of the table with values of their kind on top.
#ifndef LIMBER_FUZZ_LOOK_H
#define LIMBER_FUZZ_LOOK_H

#include "fuzz/kit/bytes.h"

#include <limber/style.h>

// `mild` becomes false where a number is so large that finite results cannot be expected.
limber_style* fuzz_look(fuzz_bytes* bytes, bool* mild);

#endif
