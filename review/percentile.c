// Percentiles of numbers, interpolated between neighbors in their order.
#include "review/review_private.h"

#include <math.h>

// Of three, so that sorted values, which are common here, take no longer than others.
static float middle_of(float a, float b, float c) {
    return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

// Hoare's selection: afterwards values[rank] is where sorting would put it, with none larger before and none smaller
// behind.
static void select_rank(float* values, size_t count, size_t rank) {
    size_t low = 0;
    size_t high = count - 1;
    while (low < high) {
        float pivot = middle_of(values[low], values[low + (high - low) / 2], values[high]);
        size_t i = low;
        size_t j = high;
        for (;;) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i >= j)
                break;
            float kept = values[i];
            values[i++] = values[j];
            values[j--] = kept;
        }
        if (rank <= j)
            high = j;
        else
            low = j + 1;
    }
}

double limberi_percentile(float* values, size_t count, double percent) {
    if (!count)
        return 0;
    double place = percent / 100 * (double)(count - 1);
    size_t rank = (size_t)place;
    select_rank(values, count, rank);
    if (rank + 1 == count)
        return (double)values[rank];
    float next = values[rank + 1];
    for (size_t i = rank + 2; i < count; i++)
        next = values[i] < next ? values[i] : next;
    double low = (double)values[rank];
    return low + (place - (double)rank) * ((double)next - low);
}
