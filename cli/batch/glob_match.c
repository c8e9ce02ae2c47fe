// Whether a name matches a pattern with wildcards.
#include "cli/batch/batch.h"

#include <string.h>

bool batch_has_wildcards(const char* text) {
    return strpbrk(text, "*?[") != NULL;
}

// Matches one character against [a-z], [!a-z]; *end is what follows it. Without a closing bracket '[' is itself.
static bool matches_set(const char* set, char c, const char** end) {
    const char* at = set + 1;
    bool inverted = *at == '!' || *at == '^';
    bool found = false;
    at += inverted;
    for (const char* first = at; *at && (*at != ']' || at == first); at++) {
        unsigned char low = (unsigned char)*at;
        unsigned char high = low;
        if (at[1] == '-' && at[2] && at[2] != ']') {
            high = (unsigned char)at[2];
            at += 2;
        }
        found = found || ((unsigned char)c >= low && (unsigned char)c <= high);
    }
    *end = *at ? at + 1 : set + 1;
    return *at ? found != inverted : c == '[';
}

// Linear in both: only the last star is ever tried again.
bool batch_matches(const char* pattern, const char* text) {
    const char* star = NULL;
    const char* retry = NULL;
    while (*text) {
        const char* next = pattern + 1;
        bool one = *pattern && (*pattern == '?' || (*pattern == '[' && matches_set(pattern, *text, &next)) ||
                                (*pattern != '[' && *pattern == *text));
        if (*pattern == '*') {
            star = pattern++;
            retry = text;
        } else if (one) {
            pattern = next;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}
