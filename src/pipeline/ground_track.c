// A stored track: what it has of a moment.
#include "pipeline/ground_track.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

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
    return ((size_t)t->piece_count + 2) * t->width * sizeof *t->ends +
           (size_t)t->piece_count * t->width * sizeof *t->bows + t->numbers * sizeof *t->still +
           t->run_count * sizeof *t->runs + t->piece_count +
           (t->cell_count + (size_t)1) * (sizeof *t->corners + sizeof *t->first_piece);
}

static void show_piece(const limberi_ground_track* t, uint32_t piece, float x, float* restrict numbers) {
    const float* a = t->ends + (size_t)t->width * piece;
    const float* b = a + t->width;
    const int16_t* bows = t->bows + (size_t)t->width * piece;
    const float* steps = t->steps;
    float of_bow = 4 * x * (1 - x);
    memcpy(numbers, t->still, t->numbers * sizeof *numbers);
    for (uint32_t r = 0; r < t->run_count; r++) {
        uint32_t count = t->runs[r].end - t->runs[r].first;
        float* out = numbers + t->runs[r].first;
        for (uint32_t i = 0; i < count; i++)
            out[i] = a[i] + x * (b[i] - a[i]) + of_bow * ((float)bows[i] * steps[i]);
        a += count;
        b += count;
        bows += count;
        steps += count;
    }
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
    show_piece(t, piece, (float)(at - within), numbers);
    *lifts = (t->good[piece] & LIMBERI_STORED_LIFTS) != 0;
    return true;
}
