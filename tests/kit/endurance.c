// What tests that run for hours share.
#include "kit/endurance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

long endurance_seconds(void) {
    const char* text = getenv("LIMBER_ENDURANCE_S");
    return text ? atol(text) : 2;
}

// xorshift, 64 bits
uint32_t endurance_below(uint32_t count) {
    static uint64_t state;
    if (!state) {
        const char* text = getenv("LIMBER_ENDURANCE_SEED");
        state = text ? strtoull(text, NULL, 10) | 1u : 88172645463325252u;
    }
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 32) % count);
}

long endurance_memory_kb(pid_t process) {
    char path[64] = "/proc/self/status", line[256];
    long kb = -1;
    if (process)
        snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    while (kb < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld kB", &kb) != 1)
            kb = -1;
    fclose(file);
    assert_true(kb > 0);
    return kb;
}
