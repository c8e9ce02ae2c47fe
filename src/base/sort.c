// A stable sort of indices that hands the caller's data to the comparison, which qsort does not.
#include "base/sort.h"

#include <string.h>

static void merge(const uint32_t* from, uint32_t* to, size_t first, size_t middle, size_t end, limberi_compare compare,
                  const void* user) {
    size_t a = first;
    size_t b = middle;
    for (size_t i = first; i < end; i++) {
        if (a < middle && (b >= end || compare(user, from[a], from[b]) <= 0))
            to[i] = from[a++];
        else
            to[i] = from[b++];
    }
}

void limberi_sort(uint32_t* items, uint32_t* scratch, size_t count, limberi_compare compare, const void* user) {
    uint32_t* from = items;
    uint32_t* to = scratch;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t first = 0; first < count; first += 2 * width) {
            size_t middle = first + width < count ? first + width : count;
            size_t end = first + 2 * width < count ? first + 2 * width : count;
            merge(from, to, first, middle, end, compare, user);
        }
        uint32_t* swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

int limberi_compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

int limberi_compare_floats(const void* a, const void* b) {
    float x = *(const float*)a;
    float y = *(const float*)b;
    return (x > y) - (x < y);
}

int limberi_compare_keys(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a;
    uint64_t y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}
