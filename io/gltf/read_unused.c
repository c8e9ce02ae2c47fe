// Once packed data is unpacked, nothing needs the packed bytes any more: the views move into one new buffer, so that a
// file that is written back does not carry both.
#include "io/gltf/read.h"

#include <string.h>

enum { ALIGNMENT = 8 };

typedef struct gathering {
    limberi_gltf_reader* reader;
    uint32_t count; // of views
    bool* used;     // [view]
    uint32_t* number;
    uint8_t* out;
    uint64_t byte_count;
} gathering;

// A view is called "bufferView" wherever it is used: in accessors, their sparse parts, images and extensions.
static void visit(gathering* g, limberi_json* value, void (*at)(gathering*, limberi_json* object, uint32_t view)) {
    bool object = limberi_json_is(value, LIMBERI_JSON_OBJECT);
    for (uint32_t i = 0; i < limberi_json_count(value); i++) {
        limberi_json* member = limberi_json_at(value, i);
        double index = limberi_json_is_number(member) ? limberi_json_as_number(member) : -1;
        if (object && index >= 0 && index < g->count && strcmp(limberi_json_key_at(value, i), "bufferView") == 0)
            at(g, value, (uint32_t)index);
        else
            visit(g, member, at);
    }
}

static void set_number(gathering* g, limberi_json* object, const char* key, uint64_t value) {
    limberi_json_document* json = &g->reader->gltf->json;
    limberi_json_set(json, object, key, limberi_json_new_integer(json, (int64_t)value));
}

static void mark_view(gathering* g, limberi_json* object, uint32_t view) {
    (void)object;
    g->used[view] = true;
}

static void renumber(gathering* g, limberi_json* object, uint32_t view) {
    if (g->number[view] != view)
        set_number(g, object, "bufferView", g->number[view]);
}

// Views that held packed primitives go when nothing else uses them; all others stay, used or not.
static limber_result move_views(gathering* g, bool measure) {
    limberi_gltf_reader* reader = g->reader;
    uint32_t kept = 0;
    g->byte_count = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        limberi_gltf_view from;
        limber_result result = limberi_gltf_buffer_view(reader, i, &from);
        if (result)
            return result;
        if (!g->used[i] && reader->packed_views && i < reader->packed_view_count && reader->packed_views[i])
            continue;
        g->number[i] = kept++;
        if (!measure) {
            limberi_json* view = limberi_json_at(reader->buffer_views.array, i);
            memcpy(g->out + g->byte_count, from.bytes.data, from.bytes.size);
            set_number(g, view, "byteOffset", g->byte_count);
        }
        g->byte_count += (from.bytes.size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    }
    return LIMBER_OK;
}

static void replace_buffers(gathering* g) {
    limberi_gltf_reader* reader = g->reader;
    limber_gltf* gltf = reader->gltf;
    limberi_json* buffers = limberi_json_get(gltf->json.root, "buffers");
    limberi_json* first = limberi_json_at(buffers, 0);
    limberi_json* views = limberi_json_get(gltf->json.root, "bufferViews");
    for (uint32_t i = 0; i < g->count; i++)
        set_number(g, limberi_json_at(views, i), "buffer", 0);
    for (uint32_t i = g->count; i-- > 0;)
        if (g->number[i] == LIMBERI_NONE)
            limberi_json_remove_at(views, i);
    visit(g, gltf->json.root, renumber);
    for (uint32_t i = gltf->buffer_count; i-- > 1;)
        limberi_json_remove_at(buffers, i);
    limberi_json_remove(first, "uri");
    set_number(g, first, "byteLength", g->byte_count);
    gltf->buffers[0].data = g->out;
    gltf->buffers[0].size = (size_t)g->byte_count;
    gltf->buffer_count = reader->buffers.count = 1;
    reader->buffer_views.count = limberi_json_count(views);
}

limber_result limberi_gltf_drop_unused(limberi_gltf_reader* reader) {
    gathering g = {.reader = reader, .count = reader->buffer_views.count};
    if (!reader->unpacked || !reader->buffers.count)
        return LIMBER_OK;
    g.used = LIMBERI_ALLOCATE(&reader->scratch, bool, g.count);
    g.number = LIMBERI_ALLOCATE(&reader->scratch, uint32_t, g.count);
    if (!g.used || !g.number)
        return limberi_fail_memory(reader->error);
    memset(g.number, 0xff, g.count * sizeof *g.number);
    visit(&g, reader->gltf->json.root, mark_view);
    limber_result result = move_views(&g, true);
    if (!result)
        result = limberi_gltf_charge(reader, NULL, &reader->budget.bytes, g.byte_count, "bytes");
    if (result)
        return result;
    g.out = LIMBERI_ALLOCATE(reader->arena, uint8_t, (size_t)g.byte_count);
    if (!g.out)
        return limberi_fail_memory(reader->error);
    result = move_views(&g, false);
    if (!result)
        replace_buffers(&g);
    return !result && reader->gltf->json.arena.failed ? limberi_fail_memory(reader->error) : result;
}
