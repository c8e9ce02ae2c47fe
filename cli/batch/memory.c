// How much memory this machine, or its container, has left.
#include "cli/batch/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t unknown = (uint64_t)4 << 30;

// 0: not there, or "max".
static uint64_t read_number(const char* path) {
    char text[64] = "";
    FILE* file = fopen(path, "r");
    if (!file)
        return 0;
    if (!fgets(text, sizeof text, file))
        text[0] = 0;
    fclose(file);
    return strtoull(text, NULL, 10);
}

static uint64_t machine_bytes(void) {
    char line[128];
    unsigned long long kilobytes = 0;
    FILE* file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes ? 1024 * (uint64_t)kilobytes : unknown;
}

uint64_t batch_memory_available(void) {
    uint64_t machine = machine_bytes();
    uint64_t max = read_number("/sys/fs/cgroup/memory.max");
    uint64_t used = read_number("/sys/fs/cgroup/memory.current");
    uint64_t group = max > used ? max - used : max;
    return max && group < machine ? group : machine;
}
