// What edits leave behind: accessors of keys that were replaced, and their bytes. Objects that were in the file keep
// their indices, which extensions unknown here may name; so new objects move into the places that became free.
#include "io/gltf/write.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 4 };

typedef struct byte_range {
    uint64_t start, end;
} byte_range;

// Accessors, or buffer views: a list of the document, and who is used.
typedef struct numbering {
    limberi_json* list;
    uint32_t old_count, count; // of the file as read, and now
    bool* used;                // [count] by what is in the tree now
    bool* was_used;            // [old_count] by what was in it
    uint32_t* number;          // [count] where it is to be
} numbering;

typedef struct tidying {
    limberi_writer* writer;
    numbering accessors, views;
    byte_range* gone; // sorted, without overlaps: bytes of the buffer that nobody needs
    uint64_t* before; // [gone_count] so many bytes of ranges before it
    size_t gone_count;
} tidying;

// --- every place that names an accessor, and every one that names a view ---

typedef void (*visitor)(tidying* t, limberi_json* object, const char* key, uint32_t index);

static void visit_member(tidying* t, limberi_json* object, const char* key, visitor at) {
    uint32_t index = limberi_index(object, key);
    if (index != UINT32_MAX)
        at(t, object, key, index);
}

static void visit_members(tidying* t, limberi_json* object, visitor at) {
    for (uint32_t i = 0; i < limberi_json_count(object); i++)
        visit_member(t, object, limberi_json_key_at(object, i), at);
}

static void visit_primitive(tidying* t, limberi_json* primitive, visitor at) {
    const limberi_json* targets = limberi_json_get(primitive, "targets");
    visit_member(t, primitive, "indices", at);
    visit_members(t, limberi_json_get(primitive, "attributes"), at);
    for (uint32_t i = 0; i < limberi_json_count(targets); i++)
        visit_members(t, limberi_json_at(targets, i), at);
}

static void visit_accessors(tidying* t, const limberi_json* root, visitor at) {
    const limberi_json* meshes = limberi_json_get(root, "meshes");
    const limberi_json* skins = limberi_json_get(root, "skins");
    const limberi_json* animations = limberi_json_get(root, "animations");
    for (uint32_t m = 0; m < limberi_json_count(meshes); m++) {
        const limberi_json* primitives = limberi_json_get(limberi_json_at(meshes, m), "primitives");
        for (uint32_t p = 0; p < limberi_json_count(primitives); p++)
            visit_primitive(t, limberi_json_at(primitives, p), at);
    }
    for (uint32_t s = 0; s < limberi_json_count(skins); s++)
        visit_member(t, limberi_json_at(skins, s), "inverseBindMatrices", at);
    for (uint32_t a = 0; a < limberi_json_count(animations); a++) {
        const limberi_json* samplers = limberi_json_get(limberi_json_at(animations, a), "samplers");
        for (uint32_t s = 0; s < limberi_json_count(samplers); s++) {
            visit_member(t, limberi_json_at(samplers, s), "input", at);
            visit_member(t, limberi_json_at(samplers, s), "output", at);
        }
    }
}

// Of accessors that stay and of pictures; extensions name views by the same word.
static void visit_views(tidying* t, limberi_json* value, visitor at) {
    for (uint32_t i = 0; i < limberi_json_count(value); i++) {
        limberi_json* member = limberi_json_at(value, i);
        bool view =
            limberi_json_is(value, LIMBERI_JSON_OBJECT) && strcmp(limberi_json_key_at(value, i), "bufferView") == 0;
        if (view)
            visit_member(t, value, "bufferView", at);
        else if (value != t->accessors.list || t->accessors.used[i])
            visit_views(t, member, at);
    }
}

// --- what nobody uses any more ---

static void mark_old(tidying* t, limberi_json* object, const char* key, uint32_t index) {
    (void)object;
    (void)key;
    if (index < t->accessors.old_count)
        t->accessors.was_used[index] = true;
}

static void mark_new(tidying* t, limberi_json* object, const char* key, uint32_t index) {
    (void)object;
    (void)key;
    if (index < t->accessors.count)
        t->accessors.used[index] = true;
}

static void mark_view(tidying* t, limberi_json* object, const char* key, uint32_t index) {
    (void)object;
    (void)key;
    if (index < t->views.count)
        t->views.used[index] = true;
}

static bool open_numbering(tidying* t, numbering* n, const char* key) {
    limberi_arena* arena = &t->writer->arena;
    n->list = limberi_json_get(t->writer->json.root, key);
    n->count = limberi_json_count(n->list);
    n->old_count = limberi_json_count(limberi_json_get(t->writer->document->json.root, key));
    n->used = LIMBERI_ALLOCATE(arena, bool, n->count);
    n->was_used = LIMBERI_ALLOCATE(arena, bool, n->old_count);
    n->number = LIMBERI_ALLOCATE(arena, uint32_t, n->count);
    for (uint32_t i = 0; n->number && i < n->count; i++)
        n->number[i] = i;
    return n->used && n->was_used && n->number;
}

// Those that nobody used before stay: somebody may whom we do not know.
static void find_unused(tidying* t) {
    numbering* a = &t->accessors;
    visit_accessors(t, t->writer->document->json.root, mark_old);
    visit_accessors(t, t->writer->json.root, mark_new);
    for (uint32_t i = 0; i < a->count; i++)
        a->used[i] = a->used[i] || (i < a->old_count && !a->was_used[i]);
    for (uint32_t i = 0; i < a->count; i++) // their views may go
        if (!a->used[i] && limberi_index(limberi_json_at(a->list, i), "bufferView") < t->views.old_count)
            t->views.was_used[limberi_index(limberi_json_at(a->list, i), "bufferView")] = true;
    visit_views(t, t->writer->json.root, mark_view);
    for (uint32_t i = 0; i < t->views.count; i++)
        t->views.used[i] = t->views.used[i] || i >= t->views.old_count || !t->views.was_used[i];
}

// --- bytes ---

static byte_range range_of(const limberi_json* view) {
    int64_t start = limberi_json_as_integer(limberi_json_get(view, "byteOffset"));
    int64_t size = limberi_json_as_integer(limberi_json_get(view, "byteLength"));
    byte_range range = {start > 0 ? (uint64_t)start : 0, 0};
    range.end = range.start + (size > 0 ? (uint64_t)size : 0);
    return range;
}

static int compare_ranges(const void* a, const void* b) {
    const byte_range* x = a;
    const byte_range* y = b;
    return (x->start > y->start) - (x->start < y->start);
}

// A view that shares bytes with one that stays stays, too. Both lists are sorted.
static bool is_shared(const byte_range* range, const byte_range* kept, size_t count) {
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (kept[middle].end <= range->start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && kept[low].start < range->end;
}

static void join_overlaps(tidying* t) {
    size_t count = 0;
    for (size_t i = 0; i < t->gone_count; i++) {
        const byte_range range = t->gone[i];
        if (count && range.start < t->gone[count - 1].end)
            t->gone[count - 1].end = range.end > t->gone[count - 1].end ? range.end : t->gone[count - 1].end;
        else
            t->gone[count++] = range;
    }
    t->gone_count = count;
    for (size_t i = 1; i < count; i++)
        t->before[i] = t->before[i - 1] + (t->gone[i - 1].end - t->gone[i - 1].start);
}

static bool find_gone(tidying* t) {
    numbering* v = &t->views;
    byte_range* kept = LIMBERI_ALLOCATE(&t->writer->arena, byte_range, v->count);
    size_t count = 0;
    t->gone = LIMBERI_ALLOCATE(&t->writer->arena, byte_range, v->count);
    t->before = LIMBERI_ALLOCATE(&t->writer->arena, uint64_t, v->count);
    if (!kept || !t->gone || !t->before)
        return false;
    for (uint32_t i = 0; i < v->count; i++) {
        const limberi_json* view = limberi_json_at(v->list, i);
        if (v->used[i])
            kept[count++] = range_of(view);
        if (limberi_json_get(view, "extensions")) // bytes elsewhere
            return false;
    }
    qsort(kept, count, sizeof *kept, compare_ranges);
    // Ends that rise, so that a search by them is right where views lie inside others.
    for (size_t i = 1; i < count; i++)
        kept[i].end = kept[i].end > kept[i - 1].end ? kept[i].end : kept[i - 1].end;
    for (uint32_t i = 0; i < v->count; i++) {
        byte_range range = range_of(limberi_json_at(v->list, i));
        v->used[i] = v->used[i] || is_shared(&range, kept, count);
        range.start = (range.start + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
        range.end &= ~(uint64_t)(ALIGNMENT - 1);
        if (!v->used[i] && range.start < range.end)
            t->gone[t->gone_count++] = range;
    }
    qsort(t->gone, t->gone_count, sizeof *t->gone, compare_ranges);
    join_overlaps(t);
    return t->gone_count > 0;
}

// Bytes that went before this one.
static uint64_t gone_before(const tidying* t, uint64_t at) {
    size_t low = 0;
    size_t high = t->gone_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->gone[middle].start < at)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return 0;
    const byte_range* last = &t->gone[low - 1];
    return t->before[low - 1] + (last->end < at ? last->end : at) - last->start;
}

// The parts of a segment that stay. Only bytes of the file go, which are in memory.
static void keep_parts(tidying* t, const limberi_segment* from, uint64_t start, size_t* at) {
    limberi_writer* writer = t->writer;
    uint64_t end = start + from->size;
    for (; *at < t->gone_count && t->gone[*at].start < end; ++*at) {
        const byte_range* gone = &t->gone[*at];
        if (gone->start > start)
            limberi_writer_append(writer, (const uint8_t*)from->data + (from->size - (end - start)),
                                  (size_t)(gone->start - start));
        start = gone->end > start ? gone->end : start;
    }
    if (start < end)
        limberi_writer_append(writer, (const uint8_t*)from->data + (from->size - (end - start)), (size_t)(end - start));
}

// Whether each lies in one segment that can be shortened.
static bool are_inside(const tidying* t) {
    const limberi_segment* segment = t->writer->segments;
    const limberi_segment* end = segment + t->writer->segment_count;
    uint64_t start = 0;
    for (size_t i = 0; i < t->gone_count; i++) {
        for (; segment < end && start + segment->size <= t->gone[i].start; segment++)
            start += segment->size;
        if (segment == end || t->gone[i].end > start + segment->size || !segment->data || segment->fill ||
            segment->inside)
            return false;
    }
    return true;
}

static void drop_bytes(tidying* t) {
    limberi_writer* writer = t->writer;
    limberi_segment* segments = LIMBERI_COPY(&writer->arena, limberi_segment, writer->segments, writer->segment_count);
    size_t count = writer->segment_count;
    uint64_t start = 0;
    size_t at = 0;
    if (!segments)
        return;
    writer->segment_count = 0;
    writer->byte_count = 0;
    for (size_t s = 0; s < count; s++) {
        if (segments[s].fill || !segments[s].data)
            limberi_writer_append_segment(writer, &segments[s]);
        else
            keep_parts(t, &segments[s], start, &at);
        start += segments[s].size;
    }
    for (uint32_t i = 0; i < t->views.count; i++) {
        limberi_json* view = limberi_json_at(t->views.list, i);
        uint64_t offset = range_of(view).start;
        uint64_t gone = gone_before(t, offset);
        if (gone)
            limberi_put_integer(writer, view, "byteOffset", (int64_t)(offset - gone));
    }
}

// --- places ---

// The last of the list move into places that became free.
static void fill_places(limberi_writer* writer, numbering* n) {
    uint32_t last = n->count;
    for (uint32_t i = 0; i < n->old_count && i < last; i++) {
        if (n->used[i])
            continue;
        while (last > n->old_count && !n->used[last - 1])
            limberi_json_remove_at(n->list, --last);
        if (last == n->old_count)
            return;
        last--;
        limberi_json_replace(&writer->json, n->list, i, limberi_json_at(n->list, last));
        limberi_json_remove_at(n->list, last);
        n->number[last] = i;
        n->used[i] = true;
    }
}

static uint32_t count_free(const numbering* n) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->old_count; i++)
        count += !n->used[i];
    return count;
}

static void renumber_accessor(tidying* t, limberi_json* object, const char* key, uint32_t index) {
    if (index < t->accessors.count && t->accessors.number[index] != index)
        limberi_put_integer(t->writer, object, key, t->accessors.number[index]);
}

static void renumber_view(tidying* t, limberi_json* object, const char* key, uint32_t index) {
    if (index < t->views.count && t->views.number[index] != index)
        limberi_put_integer(t->writer, object, key, t->views.number[index]);
}

void limberi_drop_unused(limberi_writer* writer) {
    tidying t = {.writer = writer};
    if (!open_numbering(&t, &t.accessors, "accessors") || !open_numbering(&t, &t.views, "bufferViews"))
        return;
    find_unused(&t);
    bool fits = count_free(&t.accessors) <= t.accessors.count - t.accessors.old_count &&
                count_free(&t.views) <= t.views.count - t.views.old_count;
    if (!fits || !find_gone(&t) || !are_inside(&t))
        return;
    drop_bytes(&t);
    fill_places(writer, &t.accessors);
    visit_accessors(&t, writer->json.root, renumber_accessor);
    memset(t.accessors.used, true, t.accessors.count);
    fill_places(writer, &t.views);
    visit_views(&t, writer->json.root, renumber_view);
}
