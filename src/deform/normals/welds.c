// Finds the welds of a mesh and the fans of triangles around them, and sorts them by shape.
#include "deform/normals/welds.h"

#include "asset/groups.h"
#include "base/buffer.h"
#include "base/math.h"
#include "base/sort.h"

#include <string.h>

enum { CHUNK_WELDS = 256, LONGEST_SEARCH = 32, MANY_FANS = 65535 };

static const float same_normal = 0.996f; // cosine of 5 degrees

typedef struct corner {
    uint32_t from, to; // the other two vertices of a triangle
    uint32_t next;     // corner that starts where this one ends; UINT32_MAX: none
    bool linked, used; // linked: some corner ends where this one starts
} corner;

// Of one mesh. Welds are numbered as they are found, fans only while their chunk is worked on.
typedef struct finder {
    limberi_arena scratch;
    const limber_mesh* mesh;
    const struct limberi_groups* groups;
    uint32_t weld_count;
    uint32_t* weld_of;      // [vertex]
    uint32_t* member_first; // [weld + 1] in ...
    uint32_t* members;      // ... these vertices
    uint32_t* corner_first; // [vertex + 1] in ...
    uint32_t* corners;      // ... these corners of triangles
    corner* around;         // those of one vertex
    uint32_t* group_of;     // [vertex] asset/groups.h
    uint32_t* listed_in;    // [group] number of the chunk that lists it, from 1

    uint32_t weld[CHUNK_WELDS];                                        // the current chunk ...
    uint32_t fan_first[CHUNK_WELDS + 1], entry_first[CHUNK_WELDS + 1]; // ... what each of its welds has in ...
    uint32_t *rings, *entries;                                         // ... counts and vertices of its fans
    bool last[CHUNK_WELDS];                                            // ... whether the mesh's last one is there
    uint32_t key[CHUNK_WELDS];                                         // ... and what tells most shapes apart
    uint16_t* coded;                                                   // the entries of one weld
    limberi_buffer out_chunks, out_runs, out_rings, out_entries, out_groups;
} finder;

// --- vertices that are one point ---

static uint32_t hash_place(const float* p) {
    uint32_t h = 2166136261u;
    for (int i = 0; i < 3; i++) {
        float value = p[i] + 0.0f; // -0 and 0 are one place
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        h = (h ^ bits) * 16777619u;
        h ^= h >> 15;
    }
    return h;
}

static bool same_point(const limber_mesh* mesh, uint32_t a, uint32_t b) {
    for (int c = 0; c < 3; c++)
        if (mesh->positions[3 * (size_t)a + (size_t)c] != mesh->positions[3 * (size_t)b + (size_t)c])
            return false;
    limber_vec3 m = limberi_load3(mesh->normals + 3 * (size_t)a);
    limber_vec3 n = limberi_load3(mesh->normals + 3 * (size_t)b);
    return limberi_dot(m, n) > same_normal * limberi_length(m) * limberi_length(n);
}

static void weld_vertices(finder* f) {
    const limber_mesh* mesh = f->mesh;
    uint32_t size = 16;
    while (size < 2 * mesh->vertex_count && size < 1u << 31)
        size *= 2;
    uint32_t* table = LIMBERI_ALLOCATE(&f->scratch, uint32_t, size); // vertex + 1 of a weld's first member, by hash
    f->weld_of = LIMBERI_ALLOCATE(&f->scratch, uint32_t, mesh->vertex_count);
    for (uint32_t u = 0; !f->scratch.failed && u < mesh->vertex_count; u++) {
        uint32_t slot = hash_place(mesh->positions + 3 * (size_t)u) & (size - 1);
        while (table[slot] && !same_point(mesh, table[slot] - 1, u))
            slot = (slot + 1) & (size - 1);
        if (!table[slot]) {
            table[slot] = u + 1;
            f->weld_of[u] = f->weld_count++;
        } else {
            f->weld_of[u] = f->weld_of[table[slot] - 1];
        }
    }
}

// Lists of what belongs to each of `owner_count` owners: *first has the places in *items where they start.
static void list_by_owner(finder* f, const uint32_t* owners, size_t count, uint32_t owner_count, uint32_t** first,
                          uint32_t** items) {
    *first = LIMBERI_ALLOCATE(&f->scratch, uint32_t, (size_t)owner_count + 2);
    *items = LIMBERI_ALLOCATE(&f->scratch, uint32_t, count);
    if (f->scratch.failed)
        return;
    uint32_t* next = *first + 1; // ends up as the end of each owner, which is the start of the one after
    for (size_t i = 0; i < count; i++)
        next[owners[i] + 1]++;
    for (uint32_t o = 0; o < owner_count; o++)
        next[o + 1] += next[o];
    for (size_t i = 0; i < count; i++)
        (*items)[next[owners[i]]++] = (uint32_t)i;
}

// --- fans ---

// The corners at a vertex, without triangles that have no area.
static uint32_t gather_corners(finder* f, uint32_t vertex) {
    uint32_t count = 0;
    for (uint32_t i = f->corner_first[vertex]; i < f->corner_first[vertex + 1]; i++) {
        uint32_t c = f->corners[i];
        uint32_t place = c % 3;
        const uint32_t* triangle = f->mesh->triangles + (c - place);
        corner here = {triangle[place == 2 ? 0 : place + 1], triangle[place == 0 ? 2 : place - 1], UINT32_MAX, false,
                       false};
        if (here.from != vertex && here.to != vertex && here.from != here.to)
            f->around[count++] = here;
    }
    return count;
}

// Not found far away, a fan falls into two, which add up to the same.
static void link_corners(corner* around, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t step = 1; step < count && step <= LONGEST_SEARCH; step++) {
            uint32_t k = i + step < count ? i + step : i + step - count;
            if (around[k].linked || around[k].from != around[i].to)
                continue;
            around[k].linked = true;
            around[i].next = k;
            break;
        }
    }
}

// Triangles all around, starting at (v, a, b): as seen from a, the first and the last one have no area.
static void add_fan(finder* f, uint32_t vertex, uint32_t start, bool circle, uint32_t* fan_count,
                    uint32_t* entry_count) {
    corner* c = &f->around[start];
    uint32_t* entries = f->entries + *entry_count;
    uint32_t count = 0;
    entries[count++] = circle ? c->from : vertex;
    if (!circle)
        entries[count++] = c->from;
    while (!c->used) {
        c->used = true;
        entries[count++] = c->to;
        if (c->next != UINT32_MAX)
            c = &f->around[c->next];
    }
    if (circle)
        count--; // back at the start
    if (count < 3)
        return;
    f->rings[(*fan_count)++] = count - 1;
    *entry_count += count;
}

static void add_fans(finder* f, uint32_t vertex, uint32_t* fan_count, uint32_t* entry_count) {
    uint32_t count = gather_corners(f, vertex);
    link_corners(f->around, count);
    for (uint32_t i = 0; i < count; i++)
        if (!f->around[i].linked)
            add_fan(f, vertex, i, false, fan_count, entry_count);
    for (uint32_t i = 0; i < count; i++)
        if (!f->around[i].used)
            add_fan(f, vertex, i, true, fan_count, entry_count);
}

static void find_fans(finder* f, const uint32_t* welds, uint32_t count) {
    uint32_t fan_count = 0;
    uint32_t entry_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        f->weld[k] = welds[k];
        for (uint32_t i = f->member_first[welds[k]]; i < f->member_first[welds[k] + 1]; i++)
            add_fans(f, f->members[i], &fan_count, &entry_count);
        f->fan_first[k + 1] = fan_count;
        f->entry_first[k + 1] = entry_count;
        f->last[k] = false;
        for (uint32_t i = f->entry_first[k]; i < entry_count; i++)
            f->last[k] = f->last[k] || f->entries[i] == f->mesh->vertex_count - 1;
    }
}

// --- runs ---

static uint32_t members_of(const finder* f, uint32_t k) {
    return f->member_first[f->weld[k] + 1] - f->member_first[f->weld[k]];
}

static uint32_t fans_of(const finder* f, uint32_t k) {
    return f->fan_first[k + 1] - f->fan_first[k];
}

// Most welds are one vertex and one fan, and differ by a single number.
static uint32_t key_of(const finder* f, uint32_t k) {
    uint32_t key = members_of(f, k) == 1 && fans_of(f, k) == 1 ? f->rings[f->fan_first[k]] : MANY_FANS;
    return key < MANY_FANS ? key : MANY_FANS;
}

static int compare_shapes(const void* user, uint32_t a, uint32_t b) {
    const finder* f = user;
    if (f->last[a] != f->last[b])
        return f->last[a] ? 1 : -1;
    if (f->key[a] != f->key[b])
        return f->key[a] < f->key[b] ? -1 : 1;
    uint32_t x = MANY_FANS;
    uint32_t y = MANY_FANS;
    if (f->key[a] == MANY_FANS) {
        x = members_of(f, a);
        y = members_of(f, b);
    }
    if (f->key[a] == MANY_FANS && x == y) {
        x = fans_of(f, a);
        y = fans_of(f, b);
        for (uint32_t i = 0, count = x; x == y && i < count; i++) {
            x = f->rings[f->fan_first[a] + i];
            y = f->rings[f->fan_first[b] + i];
        }
    }
    return x < y ? -1 : x > y;
}

static void list_vertex(finder* f, limberi_weld_chunk* chunk, uint32_t vertex, uint32_t number) {
    uint32_t group = f->group_of[vertex];
    chunk->base = vertex < chunk->base ? vertex : chunk->base;
    if (f->listed_in[group] == number)
        return;
    f->listed_in[group] = number;
    limberi_buffer_add_bytes(&f->out_groups, (const char*)&group, sizeof group);
    chunk->group_count++;
}

// What the entries of a chunk count from, whether they fit, and the groups they are in.
static void measure_chunk(finder* f, limberi_weld_chunk* chunk, uint32_t count, uint32_t number) {
    uint32_t max = 0;
    chunk->base = UINT32_MAX;
    chunk->group_first = (uint32_t)(f->out_groups.length / sizeof(uint32_t));
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = f->member_first[f->weld[k]]; i < f->member_first[f->weld[k] + 1]; i++) {
            list_vertex(f, chunk, f->members[i], number);
            max = f->members[i] > max ? f->members[i] : max;
        }
        for (uint32_t i = f->entry_first[k]; i < f->entry_first[k + 1]; i++) {
            list_vertex(f, chunk, f->entries[i], number);
            max = f->entries[i] > max ? f->entries[i] : max;
        }
    }
    chunk->wide = max - chunk->base > UINT16_MAX;
}

static void add_entries(finder* f, const limberi_weld_chunk* chunk, const uint32_t* vertices, uint32_t count) {
    uint32_t coded = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t offset = vertices[i] - chunk->base;
        f->coded[coded++] = (uint16_t)offset;
        if (chunk->wide)
            f->coded[coded++] = (uint16_t)(offset >> 16);
    }
    limberi_buffer_add_bytes(&f->out_entries, (const char*)f->coded, coded * sizeof *f->coded);
}

static void add_run(finder* f, const limberi_weld_chunk* chunk, const uint32_t* order, uint32_t count) {
    uint32_t k = order[0];
    limberi_weld_run run = {count, members_of(f, k), fans_of(f, k), 0, 0, 0, f->last[k]};
    run.fan_first = (uint32_t)(f->out_rings.length / sizeof *f->rings);
    run.entry_first = (uint32_t)(f->out_entries.length / sizeof *f->coded);
    run.entry_count = run.member_count + f->entry_first[k + 1] - f->entry_first[k];
    limberi_buffer_add_bytes(&f->out_runs, (const char*)&run, sizeof run);
    limberi_buffer_add_bytes(&f->out_rings, (const char*)(f->rings + f->fan_first[k]),
                             run.fan_count * sizeof *f->rings);
    for (uint32_t i = 0; i < count; i++) {
        k = order[i];
        add_entries(f, chunk, f->members + f->member_first[f->weld[k]], run.member_count);
        add_entries(f, chunk, f->entries + f->entry_first[k], run.entry_count - run.member_count);
    }
}

static void add_chunk(finder* f, const uint32_t* welds, uint32_t count, uint32_t number) {
    uint32_t order[CHUNK_WELDS], scratch[CHUNK_WELDS];
    limberi_weld_chunk chunk = {0};
    find_fans(f, welds, count);
    measure_chunk(f, &chunk, count, number);
    for (uint32_t k = 0; k < count; k++) {
        order[k] = k;
        f->key[k] = key_of(f, k);
    }
    limberi_sort(order, scratch, count, compare_shapes, f);
    chunk.run_first = (uint32_t)(f->out_runs.length / sizeof(limberi_weld_run));
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && compare_shapes(f, order[first], order[end]) == 0;)
            end++;
        add_run(f, &chunk, order + first, end - first);
        chunk.run_count++;
    }
    limberi_buffer_add_bytes(&f->out_chunks, (const char*)&chunk, sizeof chunk);
}

// --- all of it ---

// Corners of a weld's triangles.
static uint32_t corners_of(const finder* f, uint32_t weld) {
    uint32_t count = 0;
    for (uint32_t i = f->member_first[weld]; i < f->member_first[weld + 1]; i++)
        count += f->corner_first[f->members[i] + 1] - f->corner_first[f->members[i]];
    return count;
}

// Welds in the order of the groups of vertices, so that a chunk hangs on few joints. Those without triangles never
// turn.
static uint32_t order_welds(finder* f, uint32_t* order) {
    const struct limberi_groups* groups = f->groups;
    uint32_t count = 0;
    for (uint32_t g = 0; g < groups->group_count; g++) {
        for (uint32_t i = 0; i < groups->groups[g].count; i++) {
            uint32_t u = groups->vertices[groups->groups[g].first + i];
            uint32_t w = f->weld_of[u];
            f->group_of[u] = g;
            if (u == f->members[f->member_first[w]] && corners_of(f, w))
                order[count++] = w;
        }
    }
    return count;
}

// Room for the fans of any chunk: a fan of one triangle names all of its vertices, and two more may be there for a
// moment.
static void allocate_fans(finder* f, const uint32_t* order, uint32_t count) {
    size_t max_corners = 0;
    size_t corners = 0;
    size_t max_entries = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t own = corners_of(f, order[i]);
        size_t entries = 3 * own + f->member_first[order[i] + 1] - f->member_first[order[i]];
        corners = i % CHUNK_WELDS ? corners + own : own;
        max_corners = corners > max_corners ? corners : max_corners;
        max_entries = entries > max_entries ? entries : max_entries;
    }
    f->around = LIMBERI_ALLOCATE(&f->scratch, corner, max_corners);
    f->rings = LIMBERI_ALLOCATE(&f->scratch, uint32_t, max_corners);
    f->entries = LIMBERI_ALLOCATE(&f->scratch, uint32_t, 3 * max_corners + 2);
    f->coded = LIMBERI_ALLOCATE(&f->scratch, uint16_t, 2 * max_entries);
}

static void find_chunks(finder* f) {
    const limber_mesh* mesh = f->mesh;
    f->group_of = LIMBERI_ALLOCATE(&f->scratch, uint32_t, mesh->vertex_count);
    f->listed_in = LIMBERI_ALLOCATE(&f->scratch, uint32_t, f->groups->group_count);
    uint32_t* order = LIMBERI_ALLOCATE(&f->scratch, uint32_t, f->weld_count);
    if (f->scratch.failed)
        return;
    uint32_t count = order_welds(f, order);
    allocate_fans(f, order, count);
    for (uint32_t first = 0; !f->scratch.failed && first < count; first += CHUNK_WELDS)
        add_chunk(f, order + first, count - first < CHUNK_WELDS ? count - first : CHUNK_WELDS, first / CHUNK_WELDS + 1);
}

// All lists of a mesh in one piece of memory: the arena rounds large pieces up far less than small ones.
typedef struct piece {
    uint8_t* memory; // NULL: only the size is wanted
    size_t size;
} piece;

// Pads so that each list can hold anything.
static const void* copy_items(piece* p, const void* items, size_t size) {
    uint8_t* at = p->memory ? p->memory + p->size : NULL;
    if (at && size && items)
        memcpy(at, items, size);
    p->size += (size + 7) & ~(size_t)7;
    return at;
}

static void put_all(const finder* f, piece* p, limberi_mesh_welds* welds) {
    p->size = 0;
    welds->chunk_count = (uint32_t)(f->out_chunks.length / sizeof *welds->chunks);
    welds->chunks = copy_items(p, f->out_chunks.data, f->out_chunks.length);
    welds->runs = copy_items(p, f->out_runs.data, f->out_runs.length);
    welds->rings = copy_items(p, f->out_rings.data, f->out_rings.length);
    welds->entries = copy_items(p, f->out_entries.data, f->out_entries.length);
    welds->groups = copy_items(p, f->out_groups.data, f->out_groups.length);
    welds->moved = p->memory ? p->memory + p->size : NULL;
    p->size += f->groups->group_count;
}

static limber_result copy_welds(const finder* f, limberi_arena* arena, limberi_mesh_welds* welds) {
    piece p = {NULL, 0};
    if (f->scratch.failed || f->out_chunks.failed || f->out_runs.failed || f->out_rings.failed ||
        f->out_entries.failed || f->out_groups.failed || f->out_entries.length / sizeof *welds->entries >= UINT32_MAX)
        return LIMBER_ERROR_MEMORY;
    put_all(f, &p, welds);
    p.memory = LIMBERI_ALLOCATE(arena, uint8_t, p.size);
    if (!p.memory)
        return LIMBER_ERROR_MEMORY;
    put_all(f, &p, welds);
    return LIMBER_OK;
}

static void free_finder(finder* f) {
    limberi_buffer_free(&f->out_chunks);
    limberi_buffer_free(&f->out_runs);
    limberi_buffer_free(&f->out_rings);
    limberi_buffer_free(&f->out_entries);
    limberi_buffer_free(&f->out_groups);
    limberi_arena_free(&f->scratch);
}

limber_result limberi_mesh_welds_make(limberi_arena* arena, const limber_mesh* mesh,
                                      const struct limberi_groups* groups, limberi_mesh_welds* welds) {
    finder f = {0};
    f.mesh = mesh;
    f.groups = groups;
    weld_vertices(&f);
    list_by_owner(&f, f.weld_of, mesh->vertex_count, f.weld_count, &f.member_first, &f.members);
    list_by_owner(&f, mesh->triangles, 3 * (size_t)mesh->triangle_count, mesh->vertex_count, &f.corner_first,
                  &f.corners);
    if (!f.scratch.failed)
        find_chunks(&f);
    limber_result result = copy_welds(&f, arena, welds);
    free_finder(&f);
    return result;
}
