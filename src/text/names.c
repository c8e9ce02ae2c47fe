// Names: patterns with stars, and the known name nearest to a mistyped one ("did you mean").
#include "text/text.h"

#include <string.h>

// A mismatch goes back to the last star only: an earlier one cannot do better.
bool limberi_name_matches(const char* name, const char* pattern) {
    const char* star = NULL;
    const char* after = NULL;
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

// --- did you mean ---

enum { LONGEST = 64 };

static int min(int a, int b) {
    return a < b ? a : b;
}

static int length_of(const char* s) {
    size_t n = strlen(s);
    return n < LONGEST ? (int)n : LONGEST;
}

int limberi_edit_distance(const char* a, const char* b) {
    int n = length_of(a);
    int m = length_of(b);
    int rows[3][LONGEST + 1];
    for (int k = 0; k <= m; k++)
        rows[0][k] = k;
    for (int i = 1; i <= n; i++) {
        int* now = rows[i % 3];
        int* before = rows[(i + 2) % 3];
        int* earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (int k = 1; k <= m; k++) {
            int cost = limberi_lowercase(a[i - 1]) != limberi_lowercase(b[k - 1]);
            now[k] = min(min(before[k] + 1, now[k - 1] + 1), before[k - 1] + cost);
            if (i > 1 && k > 1 && limberi_lowercase(a[i - 1]) == limberi_lowercase(b[k - 2]) &&
                limberi_lowercase(a[i - 2]) == limberi_lowercase(b[k - 1]))
                now[k] = min(now[k], earlier[k - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

const char* limberi_suggest(const char* wrong, const char* (*name_at)(const void* user, size_t i), const void* user,
                            size_t count) {
    const char* best = NULL;
    int length = length_of(wrong);
    int min_distance = length <= 3 ? 2 : 2 + length / 3;
    for (size_t i = 0; i < count; i++) {
        const char* name = name_at(user, i);
        int distance = limberi_edit_distance(wrong, name);
        // A name that merely goes on where the user stopped is as good as one letter off.
        if (length >= 3 && strncmp(name, wrong, strlen(wrong)) == 0)
            distance = min(distance, 1);
        if (distance < min_distance) {
            min_distance = distance;
            best = name;
        }
    }
    return best;
}
