// Names and patterns.
#include "text/names.h"

#include <stddef.h>

// A mismatch goes back to the last star only: an earlier one cannot do better.
bool limberi_name_matches(const char* name, const char* pattern) {
    const char *star = NULL, *after = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            after = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++after;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == 0;
}
