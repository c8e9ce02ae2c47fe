// A mesh some of whose edges are split in the middle. Both triangles at an edge see the same flag, so their new corners
// meet; a triangle with one, two or three split sides becomes two, three or four.
#include "base/math.h"
#include "smear/smear.h"

#include <string.h>

// --- numbers for edges ---

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

// Mixes all bits of a key (xor-shift and multiply).
static uint64_t hash(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

uint32_t limberi_edge_number(limberi_edge_numbers* edges, uint32_t a, uint32_t b) {
    uint64_t low = a < b ? a : b;
    uint64_t high = a < b ? b : a;
    uint64_t key = (high << 32 | low) + 1;
    uint32_t at = (uint32_t)hash(key) & (edges->size - 1);
    while (edges->keys[at] && edges->keys[at] != key)
        at = (at + 1) & (edges->size - 1);
    if (!edges->keys[at]) {
        edges->keys[at] = key;
        edges->numbers[at] = edges->count++;
    }
    return edges->numbers[at];
}

// --- the mesh ---

// The ends of the edge that a vertex is the middle of; the same twice: a vertex that was there.
typedef struct ends {
    uint32_t a, b;
} ends;

typedef struct splitter {
    limberi_arena* arena;
    const limber_mesh* mesh;
    const uint8_t* split;
    uint32_t run_count; // parts, or everything as one
    limber_part* runs;
    uint32_t* run_middles; // [run + 1] middles before it
    uint32_t* middle;      // [3 * triangle + side]
    uint32_t middle_count, vertex_count, triangle_count;
    ends* ends_of_middle;
    uint32_t* moved; // [old vertex] its new number
    ends* vertices;  // [new vertex] in old numbers
    uint32_t* triangles;
    uint32_t* first_triangle; // [old triangle + 1] in new numbers
} splitter;

// --- new numbers of vertices ---

// Whether the parts follow each other without gaps, each with separate vertices; it then stays so.
static bool parts_are_tidy(const limber_mesh* mesh) {
    uint32_t vertex = 0;
    uint32_t triangle = 0;
    for (uint32_t p = 0; p < mesh->part_count; p++) {
        const limber_part* part = &mesh->parts[p];
        if (part->first_vertex != vertex || part->first_triangle != triangle)
            return false;
        vertex += part->vertex_count;
        triangle += part->triangle_count;
        for (size_t i = 3 * (size_t)part->first_triangle; i < 3 * (size_t)triangle; i++)
            if (mesh->triangles[i] < part->first_vertex || mesh->triangles[i] >= vertex)
                return false;
    }
    return mesh->part_count && vertex == mesh->vertex_count && triangle == mesh->triangle_count;
}

static bool find_runs(splitter* s) {
    const limber_mesh* mesh = s->mesh;
    limber_part whole = {0, mesh->vertex_count, 0, mesh->triangle_count, -1};
    bool tidy = parts_are_tidy(mesh);
    s->run_count = tidy ? mesh->part_count : 1;
    s->runs = LIMBERI_COPY(s->arena, limber_part, tidy ? mesh->parts : &whole, s->run_count);
    s->run_middles = LIMBERI_ALLOCATE(s->arena, uint32_t, (size_t)s->run_count + 1);
    return !s->arena->failed;
}

static uint32_t corner(const limber_mesh* mesh, size_t triangle, uint32_t c) {
    return mesh->triangles[3 * triangle + c % 3];
}

static bool number_middles(splitter* s) {
    const limber_mesh* mesh = s->mesh;
    size_t sides = 3 * (size_t)mesh->triangle_count;
    size_t split_count = 0;
    for (size_t i = 0; i < sides; i++)
        split_count += s->split[i];
    limberi_edge_numbers numbers;
    s->middle = LIMBERI_ALLOCATE(s->arena, uint32_t, sides);
    s->ends_of_middle = LIMBERI_ALLOCATE(s->arena, ends, split_count);
    if (!limberi_edge_numbers_allocate(s->arena, split_count, &numbers))
        return false;
    for (uint32_t r = 0; r < s->run_count; r++) {
        const limber_part* run = &s->runs[r];
        for (size_t t = run->first_triangle; t < (size_t)run->first_triangle + run->triangle_count; t++)
            for (uint32_t c = 0; c < 3; c++) {
                if (!s->split[3 * t + c])
                    continue;
                ends e = {corner(mesh, t, c), corner(mesh, t, c + 1)};
                uint32_t number = limberi_edge_number(&numbers, e.a, e.b);
                s->middle[3 * t + c] = number;
                s->ends_of_middle[number] = e;
            }
        s->run_middles[r + 1] = numbers.count;
    }
    s->middle_count = numbers.count;
    s->vertex_count = mesh->vertex_count + numbers.count;
    s->triangle_count = mesh->triangle_count + (uint32_t)split_count;
    return true;
}

// New numbers: every run has its old vertices first, then its middles.
static uint32_t middle_vertex(const splitter* s, uint32_t run, uint32_t middle) {
    return s->runs[run].first_vertex + s->runs[run].vertex_count + middle;
}

static bool place_vertices(splitter* s) {
    s->moved = LIMBERI_ALLOCATE(s->arena, uint32_t, s->mesh->vertex_count);
    s->vertices = LIMBERI_ALLOCATE(s->arena, ends, s->vertex_count);
    if (s->arena->failed)
        return false;
    for (uint32_t r = 0; r < s->run_count; r++) {
        const limber_part* run = &s->runs[r];
        for (uint32_t u = run->first_vertex; u < run->first_vertex + run->vertex_count; u++) {
            ends same = {u, u};
            s->moved[u] = u + s->run_middles[r];
            s->vertices[s->moved[u]] = same;
        }
        for (uint32_t k = s->run_middles[r]; k < s->run_middles[r + 1]; k++)
            s->vertices[middle_vertex(s, r, k)] = s->ends_of_middle[k];
    }
    return true;
}

// --- triangles ---

static limber_vec3 place_of(const splitter* s, uint32_t vertex) {
    ends e = s->vertices[vertex];
    limber_vec3 a = limberi_load3(s->mesh->positions + 3 * (size_t)e.a);
    limber_vec3 b = limberi_load3(s->mesh->positions + 3 * (size_t)e.b);
    return limberi_scale(limberi_add(a, b), 0.5f);
}

static float distance_between(const splitter* s, uint32_t u, uint32_t v) {
    return limberi_distance(place_of(s, u), place_of(s, v));
}

static uint32_t* put_triangle(uint32_t* out, uint32_t a, uint32_t b, uint32_t c) {
    out[0] = a;
    out[1] = b;
    out[2] = c;
    return out + 3;
}

// Corners v and the middles m of the sides after them.
static uint32_t* put_two(uint32_t* out, const uint32_t* v, const uint32_t* m, uint32_t k) {
    out = put_triangle(out, v[k], m[k], v[(k + 2) % 3]);
    return put_triangle(out, m[k], v[(k + 1) % 3], v[(k + 2) % 3]);
}

// Only the side before corner k is whole; the shorter diagonal of what is left makes the better triangles.
static uint32_t* put_three(const splitter* s, uint32_t* out, const uint32_t* v, const uint32_t* m, uint32_t k) {
    uint32_t a = v[k];
    uint32_t b = v[(k + 1) % 3];
    uint32_t c = v[(k + 2) % 3];
    uint32_t ab = m[k];
    uint32_t bc = m[(k + 1) % 3];
    out = put_triangle(out, ab, b, bc);
    if (distance_between(s, a, bc) <= distance_between(s, ab, c)) {
        out = put_triangle(out, a, ab, bc);
        return put_triangle(out, a, bc, c);
    }
    out = put_triangle(out, a, ab, c);
    return put_triangle(out, ab, bc, c);
}

static uint32_t* split_triangle(const splitter* s, uint32_t run, size_t t, uint32_t* out) {
    const uint8_t* split = s->split + 3 * t;
    uint32_t v[3];
    uint32_t m[3];
    uint32_t k = 0;
    uint32_t count = (uint32_t)split[0] + split[1] + split[2];
    for (uint32_t c = 0; c < 3; c++) {
        v[c] = s->moved[corner(s->mesh, t, c)];
        m[c] = middle_vertex(s, run, s->middle[3 * t + c]);
    }
    if (count == 0)
        return put_triangle(out, v[0], v[1], v[2]);
    while (count == 1 && !split[k])
        k++;
    if (count == 1)
        return put_two(out, v, m, k);
    while (count == 2 && split[(k + 2) % 3]) // side k + 2 lies before corner k
        k++;
    if (count == 2)
        return put_three(s, out, v, m, k);
    out = put_triangle(out, v[0], m[0], m[2]);
    out = put_triangle(out, m[0], v[1], m[1]);
    out = put_triangle(out, m[2], m[1], v[2]);
    return put_triangle(out, m[0], m[1], m[2]);
}

static bool split_triangles(splitter* s) {
    s->triangles = LIMBERI_ALLOCATE(s->arena, uint32_t, 3 * (size_t)s->triangle_count);
    s->first_triangle = LIMBERI_ALLOCATE(s->arena, uint32_t, (size_t)s->mesh->triangle_count + 1);
    uint32_t* out = s->triangles;
    if (s->arena->failed)
        return false;
    for (uint32_t r = 0; r < s->run_count; r++)
        for (size_t t = s->runs[r].first_triangle; t < (size_t)s->runs[r].first_triangle + s->runs[r].triangle_count;
             t++) {
            out = split_triangle(s, r, t, out);
            s->first_triangle[t + 1] = (uint32_t)((out - s->triangles) / 3);
        }
    return true;
}

// Parts that shared vertices may use every new one.
static const limber_part* split_parts(const splitter* s) {
    bool tidy = parts_are_tidy(s->mesh);
    limber_part* parts = LIMBERI_COPY(s->arena, limber_part, s->mesh->parts, s->mesh->part_count);
    for (uint32_t p = 0; parts && p < s->mesh->part_count; p++) {
        const limber_part* old = &s->mesh->parts[p];
        parts[p].first_triangle = s->first_triangle[old->first_triangle];
        parts[p].triangle_count =
            s->first_triangle[old->first_triangle + old->triangle_count] - parts[p].first_triangle;
        parts[p].first_vertex = tidy ? old->first_vertex + s->run_middles[p] : old->first_vertex;
        parts[p].vertex_count =
            tidy ? old->vertex_count + s->run_middles[p + 1] - s->run_middles[p] : s->vertex_count - old->first_vertex;
    }
    return parts;
}

// --- attributes ---

static const float* blend(const splitter* s, const float* values, size_t width) {
    if (!values)
        return NULL;
    float* out = LIMBERI_ALLOCATE(s->arena, float, width * s->vertex_count);
    for (size_t u = 0; out && u < s->vertex_count; u++) {
        const float* a = values + width * s->vertices[u].a;
        const float* b = values + width * s->vertices[u].b;
        for (size_t c = 0; c < width; c++)
            out[width * u + c] = a == b ? a[c] : 0.5f * (a[c] + b[c]);
    }
    return out;
}

static const float* blend_normals(const splitter* s, const float* normals) {
    float* out = LIMBERI_ALLOCATE(s->arena, float, 3 * (size_t)s->vertex_count);
    for (size_t u = 0; out && u < s->vertex_count; u++) {
        limber_vec3 a = limberi_load3(normals + 3 * (size_t)s->vertices[u].a);
        limber_vec3 n = a;
        if (s->vertices[u].a != s->vertices[u].b) {
            n = limberi_normalize(limberi_add(a, limberi_load3(normals + 3 * (size_t)s->vertices[u].b)));
            n = limberi_dot(n, n) > 0.5f ? n : a; // opposite ones have no middle
        }
        limberi_store3(out + 3 * u, n);
    }
    return out;
}

static void blend_morphs(const splitter* s, limber_mesh* out) {
    limber_morph* morphs = LIMBERI_COPY(s->arena, limber_morph, out->morphs, out->morph_count);
    for (uint32_t i = 0; morphs && i < out->morph_count; i++) {
        morphs[i].positions = blend(s, morphs[i].positions, 3);
        morphs[i].normals = blend(s, morphs[i].normals, 3);
    }
    limber_layer* layers = LIMBERI_COPY(s->arena, limber_layer, out->layers, out->layer_count);
    for (uint32_t i = 0; layers && i < out->layer_count; i++)
        layers[i].values = blend(s, layers[i].values, 1);
    out->morphs = morphs;
    out->layers = layers;
}

typedef struct influences {
    uint32_t* first;
    uint16_t* joint;
    float* weight;
} influences;

// Adds half of (or all of) the weights of a vertex to those from `begin` to `end`; returns the new end.
static uint32_t add_weights(const limber_mesh* mesh, uint32_t vertex, float part, influences* in, uint32_t begin,
                            uint32_t end) {
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++) {
        uint32_t at = begin;
        while (at < end && in->joint[at] != mesh->influence_joint[i])
            at++;
        if (at == end) {
            in->joint[end] = mesh->influence_joint[i];
            in->weight[end++] = 0;
        }
        in->weight[at] += part * mesh->influence_weight[i];
    }
    return end;
}

// The largest LIMBER_SMEAR_INFLUENCES of them; the others take the last one's place as they go.
static uint32_t keep_largest(influences* in, uint32_t begin, uint32_t end) {
    while (end - begin > LIMBER_SMEAR_INFLUENCES) {
        uint32_t min = begin;
        for (uint32_t i = begin; i < end; i++)
            min = in->weight[i] < in->weight[min] ? i : min;
        end--;
        in->joint[min] = in->joint[end];
        in->weight[min] = in->weight[end];
    }
    return end;
}

static void blend_weights(const splitter* s, limber_mesh* out) {
    const uint32_t* first = s->mesh->influence_first;
    size_t room = first[s->mesh->vertex_count];
    for (uint32_t k = 0; k < s->middle_count; k++) {
        ends e = s->ends_of_middle[k];
        room += (size_t)first[e.a + 1] - first[e.a] + first[e.b + 1] - first[e.b];
    }
    influences in = {LIMBERI_ALLOCATE(s->arena, uint32_t, (size_t)s->vertex_count + 1),
                     LIMBERI_ALLOCATE(s->arena, uint16_t, room), LIMBERI_ALLOCATE(s->arena, float, room)};
    if (s->arena->failed)
        return;
    for (uint32_t u = 0; u < s->vertex_count; u++) {
        ends e = s->vertices[u];
        uint32_t begin = in.first[u];
        uint32_t count = first[e.a + 1] - first[e.a];
        uint32_t end = begin + count;
        if (e.a == e.b) {
            memcpy(in.joint + begin, s->mesh->influence_joint + first[e.a], count * sizeof *in.joint);
            memcpy(in.weight + begin, s->mesh->influence_weight + first[e.a], count * sizeof *in.weight);
        } else {
            end = add_weights(s->mesh, e.a, 0.5f, &in, begin, begin);
            end = keep_largest(&in, begin, add_weights(s->mesh, e.b, 0.5f, &in, begin, end));
        }
        in.first[u + 1] = end;
    }
    out->influence_first = in.first;
    out->influence_joint = in.joint;
    out->influence_weight = in.weight;
}

static void blend_everything(const splitter* s, limber_mesh* out) {
    const limber_mesh* mesh = s->mesh;
    out->vertex_count = s->vertex_count;
    out->triangle_count = s->triangle_count;
    out->triangles = s->triangles;
    out->parts = split_parts(s);
    out->positions = blend(s, mesh->positions, 3);
    out->normals = blend_normals(s, mesh->normals);
    out->uvs = blend(s, mesh->uvs, 2);
    out->colors = blend(s, mesh->colors, 4);
    blend_morphs(s, out);
    blend_weights(s, out);
}

limber_result limberi_mesh_split(limberi_arena* arena, const limber_mesh* mesh, const uint8_t* split,
                                 limber_mesh* out) {
    *out = *mesh;
    if (!memchr(split, 1, 3 * (size_t)mesh->triangle_count))
        return LIMBER_OK;
    splitter s;
    memset(&s, 0, sizeof s);
    s.arena = arena;
    s.mesh = mesh;
    s.split = split;
    if (find_runs(&s) && number_middles(&s) && place_vertices(&s) && split_triangles(&s))
        blend_everything(&s, out);
    return arena->failed || !s.triangles ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}
