// Colliders for the shader: which of them a vertex obeys and how much, and where they are in a frame.
#include "base/build.h"
#include "gpu/packing.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 2, TEXELS = 4, COLUMN_BITS = 15 }; // a column has 16 bits with a sign

static const float end_of_row = -1;

// --- who obeys: rows of a table that never changes ---

// Many vertices obey the same colliders in the same way: they share a row.
typedef struct table {
    float* texels;
    uint32_t count;         // texels
    uint32_t *slots, *size; // [slot] of a hash table: first texel of a row, 0: free; and how many it has
    uint32_t slot_count;    // a power of two
} table;

static uint32_t hash_of(const float* row, uint32_t texels) {
    uint32_t hash = 2166136261u; // FNV-1a
    for (uint32_t i = 0; i < 4 * texels; i++) {
        uint32_t bits;
        memcpy(&bits, &row[i], sizeof bits);
        hash = (hash ^ bits) * 16777619u;
    }
    return hash ^ hash >> 15;
}

// The row lies behind the table; returns where it stays.
static uint32_t keep_row(table* t, uint32_t texels) {
    const float* row = t->texels + 4 * (size_t)t->count;
    uint32_t at = hash_of(row, texels) & (t->slot_count - 1);
    for (; t->slots[at]; at = (at + 1) & (t->slot_count - 1))
        if (t->size[at] == texels && !memcmp(t->texels + 4 * (size_t)t->slots[at], row, 16 * (size_t)texels))
            return t->slots[at];
    t->slots[at] = t->count;
    t->size[at] = texels;
    t->count += texels;
    return t->slots[at];
}

// Numbers 2 collider + weight without its layer, four per texel, then end_of_row; -2 less that where the vertex may be
// let through. Returns the texels.
static uint32_t write_row(const limberi_obeyed* obeyed, uint32_t count, uint32_t lane, float* out) {
    uint32_t used = 0;
    for (uint32_t k = 0; k < count; k++) {
        float weight = obeyed[k].base ? obeyed[k].base[lane] : 1;
        float number = 2 * (float)obeyed[k].collider + fminf(fabsf(weight), 1);
        if (weight != 0)
            out[used++] = weight < 0 ? -2 - number : number;
    }
    uint32_t texels = used / 4 + 1;
    while (used < 4 * texels)
        out[used++] = end_of_row;
    return texels;
}

static const limberi_group* group_at(const limberi_pack* p, uint32_t index, const struct limberi_groups** groups,
                                     uint32_t* first_vertex) {
    limberi_collision_group at = limberi_collision_group_at(p->collision, index);
    *groups = limberi_asset_groups(p->asset)[at.mesh];
    *first_vertex = p->model->meshes[at.mesh].first_vertex;
    return &(*groups)->groups[at.group];
}

static void add_group(limberi_pack* p, uint32_t index, table* t) {
    const struct limberi_groups* groups;
    uint32_t first, count;
    const limberi_group* group = group_at(p, index, &groups, &first);
    const limberi_obeyed* obeyed = limberi_collision_obeyed(p->collision, index, &count);
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t texels = write_row(obeyed, count, i, t->texels + 4 * (size_t)t->count);
        p->obeyed_row[first + groups->vertices[group->first + i]] =
            texels == 1 && t->texels[4 * (size_t)t->count] == end_of_row ? 0 : keep_row(t, texels);
    }
}

// Texels if no two vertices had the same row, and the empty row at the start.
static size_t max_texels(const limberi_pack* p) {
    size_t texels = 2;
    for (uint32_t g = 0; g < limberi_collision_group_count(p->collision); g++) {
        const struct limberi_groups* groups;
        uint32_t first, count;
        const limberi_group* group = group_at(p, g, &groups, &first);
        limberi_collision_obeyed(p->collision, g, &count);
        texels += (size_t)group->count * (count / 4 + 1);
    }
    return texels;
}

limber_result limberi_pack_find_obeyed(limberi_pack* p) {
    if (!LIMBERI_HAS_COLLIDERS || !p->collision)
        return LIMBER_OK;
    limberi_arena scratch = {NULL, false};
    table t = {.count = 1, .slot_count = 16};
    while (t.slot_count < 2 * p->model->vertex_count)
        t.slot_count *= 2;
    t.texels = LIMBERI_ALLOCATE(&scratch, float, 4 * max_texels(p));
    t.slots = LIMBERI_ALLOCATE(&scratch, uint32_t, t.slot_count);
    t.size = LIMBERI_ALLOCATE(&scratch, uint32_t, t.slot_count);
    p->obeyed_row = LIMBERI_ALLOCATE(&p->arena, uint32_t, p->model->vertex_count);
    if (!scratch.failed && p->obeyed_row) {
        for (int i = 0; i < 4; i++)
            t.texels[i] = end_of_row;
        for (uint32_t g = 0; g < limberi_collision_group_count(p->collision); g++)
            add_group(p, g, &t);
        p->obeyed_texels = t.count;
        p->obeyed = LIMBERI_COPY(&p->arena, float, t.texels, 4 * (size_t)t.count);
    }
    bool failed = scratch.failed || p->arena.failed;
    limberi_arena_free(&scratch);
    return failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

// --- columns ---

static uint32_t layer_index(const limberi_pack* p, const char* name) {
    uint32_t i = 0;
    while (i < p->collider_layers && strcmp(p->collider_layer[i], name) != 0)
        i++;
    return i;
}

static bool has_layer(const limberi_pack* p, const char* name) {
    for (uint32_t m = 0; m < p->model->mesh_count; m++)
        if (limber_mesh_find_layer(&p->model->meshes[m], name))
            return true;
    return false;
}

limber_result limberi_pack_find_collider_layers(limberi_pack* p) {
    if (!LIMBERI_HAS_COLLIDERS || !p->collision)
        return LIMBER_OK;
    const limber_colliders* colliders = limberi_collision_colliders(p->collision);
    uint32_t count = limber_collider_count(colliders);
    p->collider_layer = LIMBERI_ALLOCATE(&p->arena, const char*, count);
    for (uint32_t c = 0; p->collider_layer && c < count; c++) {
        const char* name = limber_collider_at(colliders, c).layer;
        if (name && has_layer(p, name) && layer_index(p, name) == p->collider_layers)
            p->collider_layer[p->collider_layers++] = name;
    }
    return p->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

uint32_t limberi_pack_collider_columns(const limberi_pack* p) {
    return p->collision ? COLUMNS + p->collider_layers : 0;
}

static void put_layer(const limberi_pack* p, const char* name, size_t stride, int16_t* out) {
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        const limber_mesh* mesh = &p->model->meshes[m];
        const limber_layer* layer = limber_mesh_find_layer(mesh, name);
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            out[(mesh->first_vertex + u) * stride] =
                (int16_t)lrintf(layer ? fmaxf(0, fminf(layer->values[u], 1)) * 32767 : 32767);
    }
}

void limberi_pack_put_collider_columns(const limberi_pack* p, size_t stride, int16_t* out) {
    for (uint32_t u = 0; u < p->model->vertex_count; u++) {
        out[u * stride] = (int16_t)(p->obeyed_row[u] & ((1u << COLUMN_BITS) - 1));
        out[u * stride + 1] = (int16_t)(p->obeyed_row[u] >> COLUMN_BITS);
    }
    for (uint32_t i = 0; i < p->collider_layers; i++)
        put_layer(p, p->collider_layer[i], stride, out + COLUMNS + i);
}

// --- where they are ---

uint32_t limberi_pack_collider_texels(const limberi_pack* p) {
    return p->collision ? TEXELS * limber_collider_count(limberi_collision_colliders(p->collision)) : 0;
}

// The column of a collider's layer is behind the move of its first end; -1: it has none.
void limberi_pack_put_colliders(const limberi_pack* p, uint32_t column, float* out) {
    const limber_colliders* colliders = limberi_collision_colliders(p->collision);
    for (uint32_t c = 0; c < limber_collider_count(colliders); c++, out += 4 * TEXELS) {
        const char* name = limber_collider_at(colliders, c).layer;
        uint32_t layer = name ? layer_index(p, name) : p->collider_layers;
        limberi_collision_row(p->collision, c, out);
        if (layer < p->collider_layers)
            out[11] = (float)(column + COLUMNS + layer);
    }
}
