// The bytes of a fuzzer as a stream of choices.
#include "fuzz/kit/bytes.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

fuzz_bytes fuzz_bytes_of(const uint8_t* data, size_t size) {
    fuzz_bytes bytes = {data, size, 2166136261u};
    for (size_t i = 0; i < size; i++)
        bytes.state = (bytes.state ^ data[i]) * 16777619u;
    return bytes;
}

static uint32_t next_byte(fuzz_bytes* b) {
    if (b->left) {
        b->left--;
        return *b->at++;
    }
    b->state = b->state * 1664525u + 1013904223u;
    return b->state >> 24;
}

uint32_t fuzz_below(fuzz_bytes* b, uint32_t end) {
    uint32_t value = next_byte(b);
    if (end > 256)
        value = value << 8 | next_byte(b);
    return end ? value % end : 0;
}

bool fuzz_chance(fuzz_bytes* b, uint32_t of_256) {
    return next_byte(b) < of_256;
}

float fuzz_mild(fuzz_bytes* b) {
    return ((float)next_byte(b) - 128) / 64;
}

float fuzz_wild(fuzz_bytes* b) {
    static const float odd[] = {0,      -0.0f,   1e-3f, 1e-7f,  1e-20f, 1e-38f, 1e-44f, 1e4f,
                                -1e10f, 1e19f,   1e20f, -1e30f, 3e38f,  -3e38f, 100,    1000.25f,
                                1,      1.0001f, -1,    2e9f,   1e-5f,  0.5f,   6.5e4f, 16777216};
    uint32_t kind = next_byte(b);
    return kind < 96 ? odd[kind % (sizeof odd / sizeof *odd)] : fuzz_mild(b);
}

void fuzz_check(bool holds, const char* text, const char* file, int line) {
    if (holds)
        return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, text);
    abort();
}

bool fuzz_all_finite(const float* values, size_t count) {
    for (size_t i = 0; values && i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

// --- files ---

static char folder[64];

static void clean_up(void) {
    DIR* list = opendir(folder);
    for (struct dirent* entry; list && (entry = readdir(list));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            remove(path);
    }
    if (list)
        closedir(list);
    remove(folder);
}

const char* fuzz_path(const char* name) {
    static char paths[3][256];
    static int turn;
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/limber-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        FUZZ_CHECK(mkdtemp(folder) != NULL);
        atexit(clean_up);
    }
    turn = (turn + 1) % 3;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
    return paths[turn];
}

void fuzz_remove(const char* path) {
    remove(path);
}
