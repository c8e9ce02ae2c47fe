// "Did you mean": the known name nearest to a mistyped one.
#ifndef LIMBERI_SUGGEST_H
#define LIMBERI_SUGGEST_H

#include <stddef.h>

// Edit distance with swaps of neighbours, ignoring case, capped at 64 characters a side.
int limberi_edit_distance(const char* a, const char* b);

// The nearest of `count` names, or NULL when none is close enough to be worth suggesting. `name_at` returns name i.
const char* limberi_suggest(const char* wrong, const char* (*name_at)(const void* user, size_t i), const void* user,
                            size_t count);

#endif
