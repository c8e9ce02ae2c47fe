// The triangles around each vertex for a pass on the GPU that averages normals: deform_normals.comp. Most
// vertices have a single short fan (deform/normals/welds.h), which stands in four words of their own; the others have a
// list.
#include "asset/groups.h"
#include "base/buffer.h"
#include "deform/normals/welds.h"
#include "gpu/packing.h"

#include <string.h>

enum { OWN_WORDS = 4, OWN_ENTRIES = 2 * OWN_WORDS };

typedef struct ring_maker {
    uint32_t* own;        // [vertex][OWN_WORDS]
    uint32_t list_first;  // where lists start among all words
    limberi_buffer lists; // 2 * vertex, + 1 where a fan starts
} ring_maker;

// The vertices of one weld: its own, then those of its fans.
typedef struct weld_view {
    const limberi_weld_chunk* chunk;
    const limberi_weld_run* run;
    const uint32_t* rings;
    const uint16_t* entries;
    uint32_t first_vertex; // of the mesh
} weld_view;

static uint32_t vertex_at(const weld_view* w, uint32_t entry) {
    const uint16_t* e = w->entries + ((size_t)entry << w->chunk->wide);
    return w->first_vertex + w->chunk->base + (w->chunk->wide ? e[0] | (uint32_t)e[1] << 16 : e[0]);
}

// The fan as differences to the vertex, two to a word; its last entry is repeated, which adds nothing.
static bool put_own(const weld_view* w, uint32_t vertex, uint32_t* out) {
    uint32_t count = w->run->entry_count - w->run->member_count;
    if (w->run->fan_count != 1 || count > OWN_ENTRIES)
        return false;
    memset(out, 0, OWN_WORDS * sizeof *out);
    for (uint32_t i = 0; i < OWN_ENTRIES; i++) {
        uint32_t entry = w->run->member_count + (i < count ? i : count - 1);
        int64_t difference = (int64_t)vertex_at(w, entry) - vertex;
        if (difference < INT16_MIN || difference > INT16_MAX)
            return false;
        out[i / 2] |= ((uint32_t)difference & 0xffffu) << (16 * (i % 2));
    }
    return true;
}

// Returns where the list of this weld starts.
static uint32_t add_list(ring_maker* m, const weld_view* w) {
    uint32_t first = m->list_first + (uint32_t)(m->lists.length / sizeof(uint32_t));
    uint32_t entry = w->run->member_count;
    for (uint32_t f = 0; f < w->run->fan_count; f++)
        for (uint32_t i = 0; i <= w->rings[f]; i++) {
            uint32_t word = 2 * vertex_at(w, entry++) + (i == 0);
            limberi_buffer_add_bytes(&m->lists, (const char*)&word, sizeof word);
        }
    return first;
}

// A fan never starts with its own vertex twice, so a first word of zero says that the next two have a list.
static void put_weld(ring_maker* m, const weld_view* w) {
    uint32_t first = 0;
    uint32_t end = 0;
    for (uint32_t i = 0; i < w->run->member_count; i++) {
        uint32_t vertex = vertex_at(w, i);
        uint32_t* out = m->own + OWN_WORDS * (size_t)vertex;
        if (put_own(w, vertex, out))
            continue;
        if (!end) {
            first = add_list(m, w);
            end = m->list_first + (uint32_t)(m->lists.length / sizeof(uint32_t));
        }
        const uint32_t list[OWN_WORDS] = {0, first, end, 0};
        memcpy(out, list, sizeof list);
    }
}

static void put_mesh(ring_maker* m, const limber_mesh* mesh, const limberi_mesh_welds* welds) {
    for (uint32_t c = 0; c < welds->chunk_count; c++) {
        weld_view w = {.chunk = &welds->chunks[c], .first_vertex = mesh->first_vertex};
        for (uint32_t r = 0; r < w.chunk->run_count; r++) {
            w.run = &welds->runs[w.chunk->run_first + r];
            w.rings = welds->rings + w.run->fan_first;
            w.entries = welds->entries + w.run->entry_first;
            for (uint32_t i = 0; i < w.run->count; i++, w.entries += (size_t)w.run->entry_count << w.chunk->wide)
                put_weld(m, &w);
        }
    }
}

static bool put_meshes(ring_maker* m, const limber_asset* asset) {
    const limber_model* model = limber_asset_model(asset);
    const struct limberi_groups* const* groups = limberi_asset_groups(asset);
    for (uint32_t i = 0; i < model->mesh_count; i++) {
        limberi_arena scratch = {NULL, false};
        limberi_mesh_welds welds;
        limber_result result = limberi_mesh_welds_make(&scratch, &model->meshes[i], groups[i], &welds);
        if (!result)
            put_mesh(m, &model->meshes[i], &welds);
        limberi_arena_free(&scratch);
        if (result)
            return false;
    }
    return !m->lists.failed;
}

const uint32_t* limberi_pack_make_rings(const limber_asset* asset, limberi_arena* arena, size_t* count) {
    size_t own = OWN_WORDS * (size_t)limber_asset_model(asset)->vertex_count;
    size_t bytes = own * sizeof(uint32_t);
    limberi_arena scratch = {0};
    ring_maker m = {LIMBERI_ALLOCATE(&scratch, uint32_t, own + 1), (uint32_t)own, {0}};
    uint32_t* words = NULL;
    if (m.own && put_meshes(&m, asset) && own + m.lists.length / sizeof(uint32_t) < UINT32_MAX)
        words = LIMBERI_ALLOCATE(arena, uint32_t, own + m.lists.length / sizeof(uint32_t) + 1);
    if (words) {
        memcpy(words, m.own, bytes);
        if (m.lists.length)
            memcpy(words + own, m.lists.data, m.lists.length);
        *count = own + m.lists.length / sizeof(uint32_t);
    }
    limberi_buffer_free(&m.lists);
    limberi_arena_free(&scratch);
    return words;
}
