// Even triangles on an implicit surface: split long edges, collapse short ones, flip towards six neighbours per vertex,
// slide vertices to the middle of their neighbours and pull them back to the surface; repeated until it settles
// (Botsch and Kobbelt, "A Remeshing Approach to Multiresolution Modeling", 2004, with a length that varies over the
// surface so that ears and tails stay fine while the body stays light).
#include "characters/kit_internal.h"

#include <stdlib.h>
#include <string.h>

// How far vertices keep off a border between colours, in edges.
static const float KEPT_OFF = 0.5f;

typedef struct remesher {
    const kit_shape* shape;
    float detail;
    kit_tri* mesh;
    uint32_t* valence;
    uint32_t valence_capacity;
} remesher;

static limber_vec3 edge_vector(const kit_tri* m, uint32_t h) {
    return limberi_sub(m->at[m->corner[kit_next(h)]], m->at[m->corner[h]]);
}

static float wanted_length(const kit_tri* m, uint32_t h) {
    return 0.5f * (m->wanted[m->corner[h]] + m->wanted[m->corner[kit_next(h)]]);
}

// Length in units of what is wanted there.
static float relative_length(const kit_tri* m, uint32_t a, uint32_t b) {
    float wanted = 0.5f * (m->wanted[a] + m->wanted[b]);
    return limberi_length(limberi_sub(m->at[a], m->at[b])) / fmaxf(wanted, 1e-9f);
}

static bool is_removed(const kit_tri* m, uint32_t h) {
    return m->corner[h - h % 3] == KIT_NONE;
}

// The half-edge out of the same vertex in the next triangle around it.
static uint32_t turn(const kit_tri* m, uint32_t h) {
    return m->twin[kit_prev(h)];
}

static void join(kit_tri* m, uint32_t a, uint32_t b) {
    m->twin[a] = b;
    m->twin[b] = a;
}

static limber_vec3 triangle_normal(limber_vec3 a, limber_vec3 b, limber_vec3 c) {
    return limberi_cross(limberi_sub(b, a), limberi_sub(c, a));
}

static bool split_edge(remesher* r, uint32_t h) {
    kit_tri* m = r->mesh;
    if (!kit_tri_reserve(m, m->vertex_count + 1, m->triangle_count + 2))
        return false;
    uint32_t g = m->twin[h];
    uint32_t hn = kit_next(h);
    uint32_t hp = kit_prev(h);
    uint32_t gn = kit_next(g);
    uint32_t gp = kit_prev(g);
    uint32_t a = m->corner[h];
    uint32_t b = m->corner[g];
    uint32_t c = m->corner[hp];
    uint32_t d = m->corner[gp];
    uint32_t v = m->vertex_count++;
    uint32_t s = 3 * m->triangle_count;
    uint32_t t = s + 3;
    m->triangle_count += 2;
    m->wanted[v] = 0.5f * (m->wanted[a] + m->wanted[b]);
    m->at[v] = kit_shape_project(r->shape, limberi_lerp(m->at[a], m->at[b], 0.5f), 2, m->wanted[v]);
    uint32_t outer_h = m->twin[hn];
    // (a, b, c) becomes (a, v, c) and (v, b, c); (b, a, d) becomes (b, v, d), kept in g's place, and (v, a, d).
    m->corner[hn] = v;
    uint32_t first[3] = {v, b, c};
    uint32_t second[3] = {v, a, d};
    memcpy(m->corner + s, first, sizeof first);
    memcpy(m->corner + t, second, sizeof second);
    m->corner[gn] = v;
    // g: b -> v, gn: v -> d, gp: d -> b. The old gn (a -> d) lives on as t + 1.
    uint32_t outer_gn = m->twin[gn];
    join(m, t + 1, outer_gn);
    join(m, s + 1, outer_h);
    join(m, s, g);
    join(m, t, h);
    join(m, s + 2, hn);
    join(m, t + 2, gn);
    m->out[v] = s;
    m->out[a] = h;
    m->out[b] = g;
    m->out[c] = hp;
    m->out[d] = gp;
    return true;
}

static bool split_long(remesher* r) {
    kit_tri* m = r->mesh;
    uint32_t half_edges = 3 * m->triangle_count;
    for (uint32_t h = 0; h < half_edges; h++) {
        if (is_removed(m, h) || m->twin[h] < h)
            continue;
        if (limberi_length(edge_vector(m, h)) > 1.3333f * wanted_length(m, h) && !split_edge(r, h))
            return false;
    }
    return true;
}

// Collapsing a - b keeps the surface a manifold only if they share exactly the two neighbours across the edge.
static bool collapse_keeps_manifold(const kit_tri* m, uint32_t h) {
    uint32_t a = m->corner[h];
    uint32_t b = m->corner[kit_next(h)];
    uint32_t shared = 0;
    uint32_t around_a = 0;
    uint32_t around_b = 0;
    uint32_t e = m->out[a];
    do {
        uint32_t x = m->corner[kit_next(e)];
        around_a++;
        uint32_t f = m->out[b];
        around_b = 0;
        do {
            shared += m->corner[kit_next(f)] == x;
            around_b++;
            f = turn(m, f);
        } while (f != m->out[b]);
        e = turn(m, e);
    } while (e != m->out[a]);
    uint32_t c = m->corner[kit_prev(h)];
    uint32_t d = m->corner[kit_prev(m->twin[h])];
    uint32_t around_c = 0;
    uint32_t around_d = 0;
    e = m->out[c];
    do
        around_c++;
    while ((e = turn(m, e)) != m->out[c]);
    e = m->out[d];
    do
        around_d++;
    while ((e = turn(m, e)) != m->out[d]);
    return shared == 2 && around_c > 3 && around_d > 3 && around_a + around_b >= 7;
}

// Moving vertex v to `to` must neither turn a triangle over nor stretch an edge beyond what the next pass would split.
static bool move_keeps_shape(const kit_tri* m, uint32_t v, uint32_t other, limber_vec3 to) {
    uint32_t e = m->out[v];
    do {
        uint32_t x = m->corner[kit_next(e)];
        uint32_t y = m->corner[kit_prev(e)];
        if (x != other && y != other) {
            limber_vec3 before = triangle_normal(m->at[v], m->at[x], m->at[y]);
            limber_vec3 after = triangle_normal(to, m->at[x], m->at[y]);
            float lengths = limberi_length(before) * limberi_length(after);
            if (lengths > 1e-16f && limberi_dot(before, after) < 0.3f * lengths)
                return false;
            if (limberi_length(limberi_sub(to, m->at[x])) > 1.3f * 0.5f * (m->wanted[v] + m->wanted[x]))
                return false;
        }
        e = turn(m, e);
    } while (e != m->out[v]);
    return true;
}

static void collapse_edge(kit_tri* m, uint32_t h, limber_vec3 to) {
    uint32_t g = m->twin[h];
    uint32_t a = m->corner[h];
    uint32_t b = m->corner[g];
    uint32_t hn = kit_next(h);
    uint32_t hp = kit_prev(h);
    uint32_t gn = kit_next(g);
    uint32_t gp = kit_prev(g);
    uint32_t c = m->corner[hp];
    uint32_t d = m->corner[gp];
    uint32_t e = m->out[b];
    do {
        m->corner[e] = a;
        e = turn(m, e);
    } while (e != m->out[b]);
    uint32_t across_hn = m->twin[hn];
    uint32_t across_hp = m->twin[hp];
    uint32_t across_gn = m->twin[gn];
    uint32_t across_gp = m->twin[gp];
    join(m, across_hn, across_hp);
    join(m, across_gn, across_gp);
    for (uint32_t i = 0; i < 3; i++) {
        m->corner[h - h % 3 + i] = KIT_NONE;
        m->corner[g - g % 3 + i] = KIT_NONE;
    }
    m->at[a] = to;
    m->out[b] = KIT_NONE;
    m->out[a] = across_hp;
    m->out[c] = across_hn;
    m->out[d] = across_gn;
}

static void collapse_short(remesher* r) {
    kit_tri* m = r->mesh;
    for (uint32_t h = 0; h < 3 * m->triangle_count; h++) {
        if (is_removed(m, h) || m->twin[h] < h)
            continue;
        float length = limberi_length(edge_vector(m, h));
        float wanted = wanted_length(m, h);
        if (length > 0.8f * wanted)
            continue;
        uint32_t a = m->corner[h];
        uint32_t b = m->corner[kit_next(h)];
        limber_vec3 to = kit_shape_project(r->shape, limberi_lerp(m->at[a], m->at[b], 0.5f), 1, wanted);
        if (collapse_keeps_manifold(m, h) && move_keeps_shape(m, a, b, to) && move_keeps_shape(m, b, a, to))
            collapse_edge(m, h, to);
    }
}

static bool count_valences(remesher* r) {
    kit_tri* m = r->mesh;
    if (m->vertex_count > r->valence_capacity) {
        uint32_t* grown = realloc(r->valence, sizeof *grown * m->vertex_count);
        if (!grown)
            return false;
        r->valence = grown;
        r->valence_capacity = m->vertex_count;
    }
    memset(r->valence, 0, sizeof *r->valence * m->vertex_count);
    for (uint32_t h = 0; h < 3 * m->triangle_count; h++)
        if (!is_removed(m, h))
            r->valence[m->corner[h]]++;
    return true;
}

static int valence_error(uint32_t valence, int change) {
    int e = (int)valence + change - 6;
    return e * e;
}

static bool are_neighbours(const kit_tri* m, uint32_t a, uint32_t b) {
    uint32_t e = m->out[a];
    do {
        if (m->corner[kit_next(e)] == b)
            return true;
        e = turn(m, e);
    } while (e != m->out[a]);
    return false;
}

// The flipped pair must face the way the old pair did, and not be slivers.
static bool flip_keeps_shape(const kit_tri* m, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    limber_vec3 old = limberi_normalize(
        limberi_add(triangle_normal(m->at[a], m->at[b], m->at[c]), triangle_normal(m->at[b], m->at[a], m->at[d])));
    limber_vec3 one = limberi_normalize(triangle_normal(m->at[d], m->at[c], m->at[a]));
    limber_vec3 two = limberi_normalize(triangle_normal(m->at[c], m->at[d], m->at[b]));
    return limberi_dot(old, one) > 0.6f && limberi_dot(old, two) > 0.6f && limberi_dot(one, two) > 0.5f &&
           relative_length(m, c, d) < 1.6f;
}

static void flip_edge(kit_tri* m, uint32_t h) {
    uint32_t g = m->twin[h];
    uint32_t hn = kit_next(h);
    uint32_t hp = kit_prev(h);
    uint32_t gn = kit_next(g);
    uint32_t gp = kit_prev(g);
    uint32_t a = m->corner[h];
    uint32_t b = m->corner[g];
    uint32_t c = m->corner[hp];
    uint32_t d = m->corner[gp];
    uint32_t bc = m->twin[hn];
    uint32_t ca = m->twin[hp];
    uint32_t ad = m->twin[gn];
    uint32_t db = m->twin[gp];
    // (a, b, c), (b, a, d) become (d, c, a), (c, d, b).
    m->corner[h] = d;
    m->corner[hn] = c;
    m->corner[hp] = a;
    m->corner[g] = c;
    m->corner[gn] = d;
    m->corner[gp] = b;
    join(m, hn, ca);
    join(m, hp, ad);
    join(m, gn, db);
    join(m, gp, bc);
    m->out[a] = hp;
    m->out[b] = gp;
    m->out[c] = g;
    m->out[d] = h;
}

static void flip_edges(remesher* r) {
    kit_tri* m = r->mesh;
    for (uint32_t h = 0; h < 3 * m->triangle_count; h++) {
        if (is_removed(m, h) || m->twin[h] < h)
            continue;
        uint32_t a = m->corner[h];
        uint32_t b = m->corner[kit_next(h)];
        uint32_t c = m->corner[kit_prev(h)];
        uint32_t d = m->corner[kit_prev(m->twin[h])];
        uint32_t* n = r->valence;
        int before = valence_error(n[a], 0) + valence_error(n[b], 0) + valence_error(n[c], 0) + valence_error(n[d], 0);
        int after = valence_error(n[a], -1) + valence_error(n[b], -1) + valence_error(n[c], 1) + valence_error(n[d], 1);
        if (after >= before || n[a] <= 3 || n[b] <= 3 || c == d || are_neighbours(m, c, d) ||
            !flip_keeps_shape(m, a, b, c, d))
            continue;
        flip_edge(m, h);
        n[a]--;
        n[b]--;
        n[c]++;
        n[d]++;
    }
}

static limber_vec3 border_gradient(const kit_shape* shape, limber_vec3 at, float step) {
    limber_vec3 g;
    float* out[3] = {&g.x, &g.y, &g.z};
    for (int axis = 0; axis < 3; axis++) {
        limber_vec3 shift = kit_at(axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0);
        *out[axis] =
            (shape->border(shape->user, limberi_add(at, shift)) - shape->border(shape->user, limberi_sub(at, shift))) /
            (2 * step);
    }
    return g;
}

// Vertices close to a border between colours go to either side of it, along the surface.
static limber_vec3 keep_off_border(const kit_shape* shape, limber_vec3 at, limber_vec3 normal, float edge) {
    if (!shape->border)
        return at;
    float distance = shape->border(shape->user, at);
    if (fabsf(distance) > 1.5f * KEPT_OFF * edge)
        return at;
    limber_vec3 g = border_gradient(shape, at, 0.1f * edge);
    g = limberi_sub(g, limberi_scale(normal, limberi_dot(normal, g)));
    float steepness = limberi_dot(g, g);
    // Where the border runs along the surface there is no side to go to.
    if (steepness < 0.05f)
        return at;
    float wanted = distance < 0 ? -KEPT_OFF * edge : KEPT_OFF * edge;
    float step = fminf(fmaxf((wanted - distance) / steepness, -edge), edge);
    return limberi_add(at, limberi_scale(g, step));
}

// Would a triangle around v face into the surface if v went to `to`?
static bool move_folds(const kit_tri* m, uint32_t v, limber_vec3 to, limber_vec3 normal) {
    uint32_t e = m->out[v];
    do {
        limber_vec3 n = triangle_normal(to, m->at[m->corner[kit_next(e)]], m->at[m->corner[kit_prev(e)]]);
        if (limberi_dot(n, normal) < 0.15f * limberi_length(n))
            return true;
        e = turn(m, e);
    } while (e != m->out[v]);
    return false;
}

// The middle of the triangles around v, each weighted by its area in units of what is wanted there.
static limber_vec3 middle_of_ring(const kit_tri* m, uint32_t v) {
    limber_vec3 sum = {0, 0, 0};
    limber_vec3 at = m->at[v];
    float total = 0;
    uint32_t e = m->out[v];
    do {
        uint32_t x = m->corner[kit_next(e)];
        uint32_t y = m->corner[kit_prev(e)];
        limber_vec3 middle = limberi_scale(limberi_add(limberi_add(m->at[x], m->at[y]), at), 1.0f / 3);
        float weight = limberi_length(triangle_normal(at, m->at[x], m->at[y]));
        float wanted = (m->wanted[x] + m->wanted[y]) / (2 * fmaxf(m->wanted[v], 1e-9f));
        weight /= fmaxf(wanted * wanted, 1e-6f);
        sum = limberi_add(sum, limberi_scale(middle, weight));
        total += weight;
        e = turn(m, e);
    } while (e != m->out[v]);
    return total > 1e-20f ? limberi_scale(sum, 1 / total) : at;
}

// One step along the surface towards the middle of the neighbours, off the borders of colours unless that would fold
// the mesh, and back to the surface.
static void relax(remesher* r) {
    kit_tri* m = r->mesh;
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        if (m->out[v] == KIT_NONE)
            continue;
        limber_vec3 normal;
        limber_vec3 at = m->at[v];
        limber_vec3 shift = limberi_sub(middle_of_ring(m, v), at);
        kit_shape_distance(r->shape, at, &normal);
        normal = limberi_normalize(normal);
        shift = limberi_sub(shift, limberi_scale(normal, limberi_dot(normal, shift)));
        at = limberi_add(at, limberi_scale(shift, 0.8f));
        limber_vec3 off = keep_off_border(r->shape, at, normal, m->wanted[v]);
        off = kit_shape_project(r->shape, off, 4, m->wanted[v]);
        for (int attempt = 0; attempt < 2 && move_folds(m, v, off, normal); attempt++)
            off = kit_shape_project(r->shape, limberi_lerp(off, at, attempt ? 1.0f : 0.6f), 4, m->wanted[v]);
        m->at[v] = off;
    }
}

static void want_lengths(remesher* r) {
    for (uint32_t v = 0; v < r->mesh->vertex_count; v++)
        if (r->mesh->out[v] != KIT_NONE)
            r->mesh->wanted[v] = kit_shape_edge(r->shape, r->mesh->at[v], r->detail);
}

// Drops removed triangles and vertices and renumbers the rest.
static bool compact(kit_tri* m) {
    uint32_t* renumbered = malloc(sizeof *renumbered * (m->vertex_count ? m->vertex_count : 1));
    if (!renumbered)
        return false;
    uint32_t vertices = 0;
    uint32_t triangles = 0;
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        if (m->out[v] == KIT_NONE)
            continue;
        renumbered[v] = vertices;
        m->at[vertices] = m->at[v];
        m->wanted[vertices++] = m->wanted[v];
    }
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        if (m->corner[3 * t] == KIT_NONE)
            continue;
        for (uint32_t i = 0; i < 3; i++)
            m->corner[3 * triangles + i] = renumbered[m->corner[3 * t + i]];
        triangles++;
    }
    free(renumbered);
    m->vertex_count = vertices;
    m->triangle_count = triangles;
    return kit_tri_connect(m);
}

bool kit_remesh(const kit_shape* shape, float detail, kit_tri* mesh) {
    remesher r = {.shape = shape, .detail = detail, .mesh = mesh};
    bool done = true;
    want_lengths(&r);
    // Ten rounds settle the built-in characters; the last ones change little more than the evenness of the triangles.
    for (int round = 0; round < 10 && done; round++) {
        done = split_long(&r);
        if (!done)
            break;
        collapse_short(&r);
        done = compact(mesh) && count_valences(&r);
        if (!done)
            break;
        flip_edges(&r);
        relax(&r);
        want_lengths(&r);
    }
    for (int round = 0; round < 10 && done; round++) {
        done = count_valences(&r);
        if (!done)
            break;
        flip_edges(&r);
        relax(&r);
    }
    for (uint32_t v = 0; v < mesh->vertex_count && done; v++)
        mesh->at[v] = kit_shape_project(shape, mesh->at[v], 8, mesh->wanted[v]);
    free(r.valence);
    return done && compact(mesh);
}

bool kit_model(const kit_shape* shape, float cell, float detail, kit_tri* mesh) {
    return kit_extract(shape, cell, mesh) && kit_remesh(shape, detail, mesh);
}
