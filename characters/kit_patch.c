// Patches: a grid over (u, v) that may close around, end in poles or flat lids, or become a shell with two sides.
#include "characters/characters.h"
#include "characters/kit_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct corner {
    limber_vec3 at, normal;
    float u, v, edge;
} corner;

typedef struct weave {
    const kit_patch* patch;
    uint32_t columns, rows; // quads
    uint32_t per_row;       // vertices
    uint32_t corner_count, triangle_count;
    corner* corners;
    uint32_t* triangles;
} weave;

void kit_round_normal(void* user, float u, float v, limber_vec3* normal) {
    (void)user, (void)v;
    float around = 2 * (float)LIMBERI_PI * u;
    *normal = kit_at(sinf(around), 0, cosf(around));
}

static bool row_is_pole(const weave* w, uint32_t row) {
    return (row == 0 && w->patch->pole_start) || (row == w->rows && w->patch->pole_end);
}

static uint32_t row_first(const weave* w, uint32_t row) {
    uint32_t first = row * w->per_row;
    return row > 0 && w->patch->pole_start ? first - w->per_row + 1 : first;
}

static uint32_t index_of(const weave* w, uint32_t row, uint32_t column) {
    if (row_is_pole(w, row))
        return row_first(w, row);
    return row_first(w, row) + (w->patch->closed ? column % w->columns : column);
}

static void add_triangle(weave* w, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t* t = w->triangles + 3 * w->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static void weave_corners(weave* w) {
    const kit_patch* patch = w->patch;
    for (uint32_t row = 0; row <= w->rows; row++) {
        uint32_t count = row_is_pole(w, row) ? 1 : w->per_row;
        for (uint32_t column = 0; column < count; column++) {
            corner* c = &w->corners[w->corner_count++];
            c->u = (float)column / (float)w->columns;
            c->v = (float)row / (float)w->rows;
            patch->point(patch->user, c->u, c->v, &c->at);
        }
    }
}

static void weave_triangles(weave* w) {
    for (uint32_t row = 0; row < w->rows; row++)
        for (uint32_t column = 0; column < w->columns; column++) {
            uint32_t a = index_of(w, row, column);
            uint32_t b = index_of(w, row, column + 1);
            uint32_t c = index_of(w, row + 1, column + 1);
            uint32_t d = index_of(w, row + 1, column);
            // Alternating diagonals leave no grain that a light could show.
            bool other = (row + column) % 2 == 1 && !w->patch->slanted;
            if (row_is_pole(w, row)) {
                add_triangle(w, a, c, d);
            } else if (row_is_pole(w, row + 1)) {
                add_triangle(w, a, b, c);
            } else if (other) {
                add_triangle(w, a, b, d);
                add_triangle(w, b, c, d);
            } else {
                add_triangle(w, a, b, c);
                add_triangle(w, a, c, d);
            }
        }
}

static void average_normals(weave* w, uint32_t first_triangle, uint32_t first_corner) {
    for (uint32_t i = first_triangle; i < w->triangle_count; i++) {
        const uint32_t* t = w->triangles + 3 * i;
        limber_vec3 a = w->corners[t[0]].at;
        limber_vec3 b = w->corners[t[1]].at;
        limber_vec3 c = w->corners[t[2]].at;
        limber_vec3 normal = limberi_cross(limberi_sub(b, a), limberi_sub(c, a));
        for (int k = 0; k < 3; k++)
            w->corners[t[k]].normal = limberi_add(w->corners[t[k]].normal, normal);
    }
    for (uint32_t i = first_corner; i < w->corner_count; i++)
        w->corners[i].normal = limberi_normalize(w->corners[i].normal);
}

static void measure_edges(weave* w) {
    for (uint32_t row = 0; row <= w->rows; row++)
        for (uint32_t column = 0; column < (row_is_pole(w, row) ? 1 : w->per_row); column++) {
            corner* c = &w->corners[index_of(w, row, column)];
            uint32_t side = index_of(w, row, column < w->columns ? column + 1 : column - 1);
            uint32_t along = index_of(w, row < w->rows ? row + 1 : row - 1, column);
            float a = limberi_length(limberi_sub(w->corners[side].at, c->at));
            c->edge = fmaxf(a, limberi_length(limberi_sub(w->corners[along].at, c->at)));
        }
}

static void find_normals(weave* w) {
    const kit_patch* patch = w->patch;
    if (!patch->normal) {
        average_normals(w, 0, 0);
        return;
    }
    for (uint32_t i = 0; i < w->corner_count; i++)
        patch->normal(patch->user, w->corners[i].u, w->corners[i].v, &w->corners[i].normal);
}

// A lid has its own ring of vertices, so that the edge stays sharp.
static void weave_lid(weave* w, bool top) {
    uint32_t row = top ? w->rows : 0;
    uint32_t first = w->corner_count;
    uint32_t first_triangle = w->triangle_count;
    limber_vec3 middle = {0, 0, 0};
    for (uint32_t i = 0; i < w->columns; i++) {
        corner c = w->corners[index_of(w, row, i)];
        c.normal = limberi_vec3(0, 0, 0);
        middle = limberi_add(middle, limberi_scale(c.at, 1 / (float)w->columns));
        w->corners[w->corner_count++] = c;
    }
    corner center = w->corners[first];
    center.at = middle;
    w->corners[w->corner_count++] = center;
    for (uint32_t i = 0; i < w->columns; i++) {
        uint32_t a = first + i;
        uint32_t b = first + (i + 1) % w->columns;
        add_triangle(w, first + w->columns, top ? a : b, top ? b : a);
    }
    average_normals(w, first_triangle, first);
}

static void stitch(weave* w, uint32_t layer, uint32_t a, uint32_t b) {
    add_triangle(w, a, layer + a, layer + b);
    add_triangle(w, a, layer + b, b);
}

// The second side lies `thickness` behind the first; rims are stitched wherever the patch has a border.
static void weave_shell(weave* w) {
    const kit_patch* patch = w->patch;
    uint32_t layer = w->corner_count;
    uint32_t triangles = w->triangle_count;
    for (uint32_t i = 0; i < layer; i++) {
        corner back = w->corners[i];
        back.at = limberi_sub(back.at, limberi_scale(back.normal, patch->thickness));
        back.normal = limberi_scale(back.normal, -1);
        w->corners[w->corner_count++] = back;
    }
    for (uint32_t i = 0; i < triangles; i++) {
        const uint32_t* t = w->triangles + 3 * i;
        add_triangle(w, layer + t[0], layer + t[2], layer + t[1]);
    }
    for (uint32_t column = 0; column < w->columns; column++) {
        if (!patch->pole_start)
            stitch(w, layer, index_of(w, 0, column), index_of(w, 0, column + 1));
        if (!patch->pole_end)
            stitch(w, layer, index_of(w, w->rows, column + 1), index_of(w, w->rows, column));
    }
    for (uint32_t row = 0; row < w->rows && !patch->closed; row++) {
        stitch(w, layer, index_of(w, row + 1, 0), index_of(w, row, 0));
        stitch(w, layer, index_of(w, row, w->columns), index_of(w, row + 1, w->columns));
    }
}

static void store(kit* k, const weave* w) {
    kit_mesh_data* mesh = kit_mesh_grow(k, w->corner_count, w->triangle_count);
    if (!mesh)
        return;
    const kit_brush* brush = &w->patch->brush;
    uint32_t first = mesh->vertex_count;
    for (uint32_t i = 0; i < w->corner_count; i++) {
        const corner* c = &w->corners[i];
        kit_vertex vertex = {.position = c->at, .normal = c->normal, .u = c->u, .v = c->v, .edge = c->edge};
        vertex.color = brush->color;
        vertex.floppy = brush->floppy;
        vertex.squash = brush->squash;
        kit_weights_add_chain(k, &vertex.weights, brush->bind, vertex.position, 1);
        if (w->patch->paint)
            w->patch->paint(w->patch->user, &vertex);
        kit_mesh_put(mesh, &vertex);
    }
    for (uint32_t i = 0; i < w->triangle_count; i++) {
        const uint32_t* t = w->triangles + 3 * i;
        kit_mesh_put_triangle(mesh, first + t[0], first + t[1], first + t[2]);
    }
}

static uint32_t refined(const kit* k, uint32_t count, uint32_t smallest) {
    double wanted = floor((double)count * k->detail + 0.5);
    return wanted > smallest ? (uint32_t)fmin(wanted, 1e6) : smallest;
}

void kit_mesh_patch(kit* k, const kit_patch* patch) {
    if (kit_failed(k))
        return;
    weave w = {.patch = patch};
    w.columns = refined(k, patch->columns, patch->closed ? 3 : 1);
    if (patch->fold > 1)
        w.columns = (w.columns + patch->fold - 1) / patch->fold * patch->fold;
    w.rows = refined(k, patch->rows, 1);
    w.per_row = w.columns + (patch->closed ? 0 : 1);
    double corners = ((double)w.rows + 3) * (w.per_row + 1);
    double sides = patch->thickness > 0 ? 2 : 1;
    if (corners * sides > LIMBERI_CHARACTER_VERTEX_LIMIT + 1e5) {
        kit_mesh_grow(k, corners * sides, 0);
        return;
    }
    size_t corner_room = (size_t)(corners * sides);
    w.corners = calloc(corner_room, sizeof *w.corners);
    w.triangles = malloc(sizeof(uint32_t) * 3 * (2 * corner_room + 4 * (w.columns + w.rows)));
    if (w.corners && w.triangles) {
        weave_corners(&w);
        weave_triangles(&w);
        measure_edges(&w);
        find_normals(&w);
        if (patch->closed && patch->flat_start)
            weave_lid(&w, false);
        if (patch->closed && patch->flat_end)
            weave_lid(&w, true);
        if (patch->thickness > 0)
            weave_shell(&w);
        store(k, &w);
    } else {
        kit_fail_memory(k);
    }
    free(w.corners);
    free(w.triangles);
}
