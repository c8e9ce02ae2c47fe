// Names and patterns.
#ifndef LIMBERI_NAMES_H
#define LIMBERI_NAMES_H

#include <stdbool.h>

// Whether `name` matches `pattern`, in which * stands for any run of characters.
bool limberi_name_matches(const char* name, const char* pattern);

#endif
