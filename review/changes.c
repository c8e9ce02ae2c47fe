// How fast a character and its displacement change from frame to frame, and how far the ends of a clip are apart.
#include "review/changes.h"

#include <math.h>
#include <string.h>

// The largest of the vectors a - b; b NULL: of a.
static limberi_farthest farthest(const float* a, const float* b, uint32_t vertices) {
    float max = 0;
    size_t at = 0;
    for (size_t v = 0; v < 3 * (size_t)vertices; v += 3) {
        float x = a[v];
        float y = a[v + 1];
        float z = a[v + 2];
        if (b) {
            x -= b[v];
            y -= b[v + 1];
            z -= b[v + 2];
        }
        float square = x * x + y * y + z * z;
        if (square > max) {
            max = square;
            at = v;
        }
    }
    return (limberi_farthest){sqrt((double)max), (uint32_t)(at / 3)};
}

static bool crosses_cut(const limber_clip* clip, double from_s, double to_s) {
    for (uint32_t i = 0; i < clip->cut_count; i++)
        if (clip->cuts[i].after_s > from_s && clip->cuts[i].before_s < to_s)
            return true;
    return false;
}

bool limberi_changes_begin(limberi_changes* c, limberi_arena* arena, const limber_clip* clip, uint32_t vertices) {
    size_t numbers = 3 * (size_t)vertices;
    memset(c, 0, sizeof *c);
    c->clip = clip;
    c->vertex_count = vertices;
    c->plain = LIMBERI_ALLOCATE(arena, float, numbers);
    c->moved = LIMBERI_ALLOCATE(arena, float, numbers);
    c->first_plain = LIMBERI_ALLOCATE(arena, float, numbers);
    c->first_moved = LIMBERI_ALLOCATE(arena, float, numbers);
    c->scratch = LIMBERI_ALLOCATE(arena, float, numbers);
    return !arena->failed;
}

void limberi_changes_add(limberi_changes* c, double time_s, const float* plain, const float* styled) {
    size_t numbers = 3 * (size_t)c->vertex_count;
    float* moved = c->scratch;
    for (size_t i = 0; i < numbers; i++)
        moved[i] = styled[i] - plain[i];
    c->strength = fmax(c->strength, farthest(moved, NULL, c->vertex_count).length);
    if (c->frame_count && !crosses_cut(c->clip, c->last_s, time_s)) {
        limberi_farthest change = farthest(moved, c->moved, c->vertex_count);
        c->plain_change = fmax(c->plain_change, farthest(plain, c->plain, c->vertex_count).length);
        if (change.length > c->change.length) {
            c->change = change;
            c->change_s = time_s;
        }
    }
    c->scratch = c->moved;
    c->moved = moved;
    memcpy(c->plain, plain, numbers * sizeof *plain);
    if (!c->frame_count) {
        memcpy(c->first_plain, plain, numbers * sizeof *plain);
        memcpy(c->first_moved, moved, numbers * sizeof *moved);
    }
    c->last_s = time_s;
    c->frame_count++;
}

double limberi_changes_gap(const limberi_changes* c) {
    return farthest(c->plain, c->first_plain, c->vertex_count).length;
}

limberi_farthest limberi_changes_seam(const limberi_changes* c) {
    return farthest(c->moved, c->first_moved, c->vertex_count);
}

double limberi_changes_pop(const limberi_changes* c, double size, double rate) {
    double min = fmax(c->plain_change, LIMBERI_MIN_SPEED / rate * size);
    return min > 0 ? c->change.length / min : 0;
}
