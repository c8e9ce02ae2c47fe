// Sorting: a stable sort of indices that hands the caller's data to the comparison, which qsort does not, and comparisons
// for qsort.
#ifndef LIMBERI_SORT_H
#define LIMBERI_SORT_H

#include <stddef.h>
#include <stdint.h>

// Negative, zero or positive, as strcmp.
typedef int (*limberi_compare)(const void* user, uint32_t a, uint32_t b);

// `scratch` has room for `count` items.
void limberi_sort(uint32_t* items, uint32_t* scratch, size_t count, limberi_compare compare, const void* user);

// For qsort: rising numbers.
int limberi_compare_doubles(const void* a, const void* b);
int limberi_compare_floats(const void* a, const void* b);
int limberi_compare_keys(const void* a, const void* b); // uint64_t

#endif
