// Inside src/smear: numbers for edges.
#ifndef LIMBERI_SMEAR_EDGE_NUMBERS_H
#define LIMBERI_SMEAR_EDGE_NUMBERS_H

#include "base/arena.h"

// Edges by their two ends in either order, each with a number of its own in the order they were first asked for.
typedef struct limberi_edge_numbers {
    uint64_t* keys; // [size] 0: free, otherwise both ends and 1
    uint32_t* numbers;
    uint32_t size, count; // size is a power of two
} limberi_edge_numbers;

// Room for `max` edges.
bool limberi_edge_numbers_allocate(limberi_arena* arena, size_t max, limberi_edge_numbers* edges);
uint32_t limberi_edge_number(limberi_edge_numbers* edges, uint32_t a, uint32_t b);

#endif
