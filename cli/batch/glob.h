// Names with wildcards: *, ?, [a-z], and ** for any number of folders. Names that begin with a dot need to be asked for.
#ifndef LIMBER_CLI_BATCH_GLOB_H
#define LIMBER_CLI_BATCH_GLOB_H

#include "cli/batch/words.h"

bool batch_has_wildcards(const char* text);
// The whole of `text`.
bool batch_matches(const char* pattern, const char* text);
// Adds the files that match, sorted by name. Folders that links lead to are entered when they are named, not by **.
// False when memory is short.
bool batch_glob(const char* pattern, limberi_arena* arena, batch_words* out);

#endif
