// A stored track: what it has of a moment.
#include "pipeline/ground_track.h"
#include "base/memory.h"

#include <math.h>

void limberi_ground_track_blend(uint32_t count, const float* a, const float* b, const float* c, float x,
                                float* restrict out) {
    float of_a = (1 - x) * (1 - x - x);
    float of_b = 4 * x * (1 - x);
    float of_c = x * (x + x - 1);
    for (uint32_t i = 0; i < count; i++)
        out[i] = of_a * a[i] + of_b * b[i] + of_c * c[i];
}

void limberi_ground_track_destroy(limberi_ground_track* track) {
    if (!track)
        return;
    limberi_arena_free(&track->arena);
    limberi_release(track);
}

size_t limberi_ground_track_bytes(const limberi_ground_track* t) {
    return (2 * (size_t)t->piece_count + 1) * t->numbers * sizeof *t->nodes + t->piece_count +
           (t->cell_count + (size_t)1) * (sizeof *t->corners + sizeof *t->first_piece);
}

bool limberi_ground_track_at(const limberi_ground_track* t, double time_s, float* numbers, bool* lifts) {
    uint32_t low = 0;
    uint32_t high = t->cell_count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (t->corners[middle] <= time_s)
            low = middle;
        else
            high = middle;
    }
    uint32_t pieces = t->first_piece[low + 1] - t->first_piece[low];
    double at = pieces * (time_s - t->corners[low]) / (t->corners[low + 1] - t->corners[low]);
    uint32_t within = at < pieces - 1 ? (uint32_t)fmax(at, 0) : pieces - 1;
    uint32_t piece = t->first_piece[low] + within;
    if (!(t->good[piece] & LIMBERI_STORED_WHOLE))
        return false;
    const float* nodes = t->nodes + 2 * (size_t)t->numbers * piece;
    limberi_ground_track_blend(t->numbers, nodes, nodes + t->numbers, nodes + 2 * (size_t)t->numbers,
                               (float)(at - within), numbers);
    *lifts = (t->good[piece] & LIMBERI_STORED_LIFTS) != 0;
    return true;
}
