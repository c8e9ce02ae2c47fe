// Flicker of what smears draw: ink that goes away for a single frame and comes back.
#include "base/math.h"
#include "layer/surface.h"
#include "review/review_private.h"

#include <math.h>

enum { KEPT = 3 }; // frames

// Pieces are what hangs together: a ribbon, a stroke, a copy. All frames have the same triangles.
static void find_pieces(limberi_review_flicker* f, limberi_arena* arena, const limber_smeared* at) {
    uint32_t vertices = 0;
    for (uint32_t m = 0; m < at->mesh_count; m++)
        vertices += at->meshes[m].vertex_count;
    f->vertex_count = vertices;
    f->piece_of = LIMBERI_ALLOCATE(arena, uint32_t, vertices);
    f->ink = LIMBERI_ALLOCATE(arena, double, (size_t)KEPT* vertices);
    if (arena->failed)
        return;
    for (uint32_t v = 0; v < vertices; v++)
        f->piece_of[v] = v;
    uint32_t first = 0;
    for (uint32_t m = 0; m < at->mesh_count; first += at->meshes[m++].vertex_count)
        for (size_t t = 0; t < 3 * (size_t)at->meshes[m].triangle_count; t += 3)
            for (size_t i = 1; i < 3; i++)
                limberi_join_sets(f->piece_of, first + at->meshes[m].triangles[t],
                                  first + at->meshes[m].triangles[t + i]);
    for (uint32_t v = 0; v < vertices; v++)
        f->piece_of[v] = limberi_root_of(f->piece_of, v);
}

static double triangle_ink(const limber_smear_mesh* mesh, const uint32_t* corners) {
    limber_vec3 a = limberi_load3(mesh->positions + 3 * (size_t)corners[0]);
    limber_vec3 b = limberi_sub(limberi_load3(mesh->positions + 3 * (size_t)corners[1]), a);
    limber_vec3 c = limberi_sub(limberi_load3(mesh->positions + 3 * (size_t)corners[2]), a);
    double opacity = 0;
    for (size_t i = 0; i < 3; i++)
        opacity += mesh->colors ? (double)mesh->colors[4 * (size_t)corners[i] + 3] / 3 : 1.0 / 3;
    return 0.5 * (double)limberi_length(limberi_cross(b, c)) * opacity;
}

static void add_ink(limberi_review_flicker* f, const limber_smeared* at, double* ink) {
    uint32_t first = 0;
    for (uint32_t v = 0; v < f->vertex_count; v++)
        ink[v] = 0;
    for (uint32_t m = 0; m < at->mesh_count; first += at->meshes[m++].vertex_count) {
        const limber_smear_mesh* mesh = &at->meshes[m];
        for (size_t t = 0; mesh->visible && t < 3 * (size_t)mesh->triangle_count; t += 3)
            ink[f->piece_of[first + mesh->triangles[t]]] += triangle_ink(mesh, mesh->triangles + t);
    }
}

// How much of the ink of the frames before and after is missing in the one between.
static void add_dips(limberi_review_flicker* f, double before_s) {
    const double* before = f->ink + (size_t)(f->frames % KEPT) * f->vertex_count;
    const double* now = f->ink + (size_t)((f->frames + 1) % KEPT) * f->vertex_count;
    const double* after = f->ink + (size_t)((f->frames + 2) % KEPT) * f->vertex_count;
    double missing = 0;
    for (uint32_t v = 0; v < f->vertex_count; v++)
        missing += fmax(fmin(before[v], after[v]) - now[v], 0);
    f->missing += missing;
    if (missing <= f->worst)
        return;
    f->worst = missing;
    f->worst_s = before_s;
}

void limberi_flicker_add(limberi_review_flicker* f, limberi_arena* arena, const limber_smeared* at, double time_s) {
    if (!f->piece_of)
        find_pieces(f, arena, at);
    if (arena->failed || !f->vertex_count)
        return;
    double* ink = f->ink + (size_t)((f->frames + 2) % KEPT) * f->vertex_count;
    add_ink(f, at, ink);
    for (uint32_t v = 0; v < f->vertex_count; v++)
        f->all += ink[v];
    if (f->frames >= 2)
        add_dips(f, f->last_s);
    f->frames++;
    f->last_s = time_s;
}

double limberi_flicker_share(const limberi_review_flicker* f) {
    return f->all > 0 ? f->missing / f->all : 0;
}
