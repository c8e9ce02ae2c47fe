// Numbers for edges.
#include "smear/edge_numbers.h"

#include <string.h>

bool limberi_edge_numbers_allocate(limberi_arena* arena, size_t max, limberi_edge_numbers* edges) {
    memset(edges, 0, sizeof *edges);
    if (max > UINT32_MAX / 8)
        return false;
    edges->size = 16;
    while (edges->size < 2 * max)
        edges->size *= 2;
    edges->keys = LIMBERI_ALLOCATE(arena, uint64_t, edges->size);
    edges->numbers = LIMBERI_ALLOCATE(arena, uint32_t, edges->size);
    return !arena->failed;
}

// Mixes all bits of a key, as a good random number generator does with a counter.
static uint64_t mixed(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

uint32_t limberi_edge_number(limberi_edge_numbers* edges, uint32_t a, uint32_t b) {
    uint64_t low = a < b ? a : b, high = a < b ? b : a, key = (high << 32 | low) + 1;
    uint32_t at = (uint32_t)mixed(key) & (edges->size - 1);
    while (edges->keys[at] && edges->keys[at] != key)
        at = (at + 1) & (edges->size - 1);
    if (!edges->keys[at]) {
        edges->keys[at] = key;
        edges->numbers[at] = edges->count++;
    }
    return edges->numbers[at];
}
