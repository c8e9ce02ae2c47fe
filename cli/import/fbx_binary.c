// The binary way of writing .fbx: records in records, each with the place where it ends. One with a denser curve is
// longer, so all of them are copied, and told their new ends.
#include "cli/import/fbx.h"

#include <string.h>
#include <zlib.h>

enum { HEAD = 27, DEPTH = 32, WIDE_VERSION = 7500 };

typedef struct fbx_copy {
    limberi_bytes file;
    limberi_arena* arena;
    limberi_buffer* out;
    bool wide;    // numbers in heads of records have 8 bytes
    bool damaged; // something is not as it should be: the file stays as it is
    bool changed;
} fbx_copy;

// A record of the file; its name, its properties, the records in it.
typedef struct record {
    uint64_t end, property_count, property_size;
    const char* name;
    size_t name_size, properties, children;
} record;

static void add_bytes(const fbx_copy* f, const void* bytes, size_t size) {
    limberi_buffer_add_bytes(f->out, bytes, size);
}

// --- heads ---

static uint64_t number_at(const fbx_copy* f, size_t at) {
    uint32_t narrow;
    uint64_t value;
    memcpy(&narrow, f->file.data + at, sizeof narrow);
    if (!f->wide)
        return narrow;
    memcpy(&value, f->file.data + at, sizeof value);
    return value;
}

// False: there is none more, or it is damaged.
static bool read_record(fbx_copy* f, size_t at, size_t end, record* r) {
    size_t number = f->wide ? 8 : 4;
    size_t head = f->wide ? 25 : 13;
    if (at > end || end - at < head)
        return false;
    r->end = number_at(f, at);
    r->property_count = number_at(f, at + number);
    r->property_size = number_at(f, at + 2 * number);
    r->name_size = f->file.data[at + head - 1];
    r->name = (const char*)f->file.data + at + head;
    r->properties = at + head + r->name_size;
    if (r->end == 0)
        return false;
    f->damaged = f->damaged || r->end > end || r->end < r->properties || r->property_size > r->end - r->properties;
    r->children = r->properties + (f->damaged ? 0 : (size_t)r->property_size);
    return !f->damaged;
}

static bool is_called(const record* r, const char* name) {
    return r->name_size == strlen(name) && memcmp(r->name, name, r->name_size) == 0;
}

static void put_number(const fbx_copy* f, uint64_t value) {
    uint32_t narrow = (uint32_t)value;
    add_bytes(f, f->wide ? (const void*)&value : (const void*)&narrow, f->wide ? 8 : 4);
}

// Where its end is to be written once it is known.
static size_t put_head(const fbx_copy* f, const record* r, uint64_t property_size) {
    size_t at = f->out->length;
    uint8_t name_size = (uint8_t)r->name_size;
    put_number(f, 0);
    put_number(f, r->property_count);
    put_number(f, property_size);
    add_bytes(f, &name_size, 1);
    add_bytes(f, r->name, r->name_size);
    return at;
}

static void end_record(const fbx_copy* f, size_t at) {
    uint64_t end = f->out->length;
    uint32_t narrow = (uint32_t)end;
    if (!f->out->failed)
        memcpy(f->out->data + at, f->wide ? (const void*)&end : (const void*)&narrow, f->wide ? 8 : 4);
}

// --- arrays ---

// Numbers of one kind ('l', 'f', 'i'), packed or not; their count, 0 where there is no such array.
static size_t read_array(fbx_copy* f, const record* r, char kind, size_t item, const void** items) {
    enum { ARRAY_HEAD = 13, MAX_RATIO = 1040 }; // deflate cannot do better
    uint32_t about[3];                          // count, whether it is packed, bytes
    const uint8_t* from = f->file.data + r->properties;
    if (r->property_count != 1 || r->property_size < ARRAY_HEAD || from[0] != (uint8_t)kind)
        return 0;
    memcpy(about, from + 1, sizeof about);
    size_t size = about[0] * item;
    uLongf unpacked = (uLongf)size;
    if (about[0] > FBX_KEY_LIMIT || about[2] > r->property_size - ARRAY_HEAD || size > (size_t)MAX_RATIO * about[2])
        return 0;
    void* to = limberi_arena_allocate(f->arena, about[0], item);
    *items = to;
    if (!to)
        return 0;
    if (about[1] == 0 && about[2] == size)
        memcpy(to, from + ARRAY_HEAD, size);
    else if (about[1] != 1 || uncompress(to, &unpacked, from + ARRAY_HEAD, about[2]) != Z_OK || unpacked != size)
        return 0;
    return about[0];
}

static void put_array(const fbx_copy* f, const record* r, char kind, size_t item, const void* items, size_t count) {
    uint32_t about[3] = {(uint32_t)count, 0, (uint32_t)(count * item)};
    size_t at = put_head(f, r, 1 + sizeof about + about[2]);
    add_bytes(f, &kind, 1);
    add_bytes(f, about, sizeof about);
    add_bytes(f, items, about[2]);
    end_record(f, at);
}

static bool read_curve(fbx_copy* f, const record* curve, fbx_curve* c) {
    record r;
    size_t sizes[5] = {0};
    memset(c, 0, sizeof *c);
    for (size_t at = curve->children; read_record(f, at, (size_t)curve->end, &r); at = (size_t)r.end) {
        if (is_called(&r, "KeyTime"))
            sizes[0] = read_array(f, &r, 'l', 8, (const void**)&c->times);
        else if (is_called(&r, "KeyValueFloat"))
            sizes[1] = read_array(f, &r, 'f', 4, (const void**)&c->values);
        else if (is_called(&r, "KeyAttrFlags"))
            sizes[2] = read_array(f, &r, 'i', 4, (const void**)&c->flags);
        else if (is_called(&r, "KeyAttrDataFloat"))
            sizes[3] = read_array(f, &r, 'f', 4, (const void**)&c->tangents);
        else if (is_called(&r, "KeyAttrRefCount"))
            sizes[4] = read_array(f, &r, 'i', 4, (const void**)&c->repeats);
    }
    c->count = sizes[0];
    c->runs = sizes[2];
    return sizes[0] && sizes[0] == sizes[1] && sizes[2] && sizes[2] == sizes[4] && sizes[3] == 4 * sizes[2];
}

// --- records ---

static void put_keys(fbx_copy* f, const record* r, const fbx_keys* keys) {
    static const int32_t linear = 4;
    static const float flat[4] = {0, 0, 0, 0};
    int32_t count = (int32_t)keys->count;
    if (is_called(r, "KeyTime"))
        put_array(f, r, 'l', 8, keys->times, keys->count);
    else if (is_called(r, "KeyValueFloat"))
        put_array(f, r, 'f', 4, keys->values, keys->count);
    else if (is_called(r, "KeyAttrFlags"))
        put_array(f, r, 'i', 4, &linear, 1);
    else if (is_called(r, "KeyAttrDataFloat"))
        put_array(f, r, 'f', 4, flat, 4);
    else
        put_array(f, r, 'i', 4, &count, 1);
}

static bool is_key_array(const record* r) {
    return is_called(r, "KeyTime") || is_called(r, "KeyValueFloat") || is_called(r, "KeyAttrFlags") ||
           is_called(r, "KeyAttrDataFloat") || is_called(r, "KeyAttrRefCount");
}

// Copies the records between two places. Recursion is bounded by DEPTH.
static size_t copy_records(fbx_copy* f, size_t from, size_t end, const fbx_keys* keys, int depth) {
    record r;
    size_t at = from;
    f->damaged = f->damaged || depth > DEPTH || f->out->length > f->file.size + FBX_ADDED_LIMIT;
    while (!f->damaged && !f->out->failed && read_record(f, at, end, &r)) {
        fbx_curve curve;
        fbx_keys denser;
        at = (size_t)r.end;
        if (keys && is_key_array(&r)) {
            put_keys(f, &r, keys);
            continue;
        }
        limberi_arena* above = f->arena;
        limberi_arena own = {NULL, false}; // until the curve is written
        f->arena = &own;
        bool sampled =
            is_called(&r, "AnimationCurve") && read_curve(f, &r, &curve) && fbx_curve_sample(&own, &curve, &denser);
        size_t head = put_head(f, &r, r.property_size);
        add_bytes(f, f->file.data + r.properties, (size_t)r.property_size);
        size_t done = copy_records(f, r.children, at, sampled ? &denser : NULL, depth + 1);
        add_bytes(f, f->file.data + done, at - done); // the empty record that ends a list
        end_record(f, head);
        f->changed = f->changed || sampled;
        f->arena = above;
        above->failed = above->failed || own.failed;
        limberi_arena_free(&own);
    }
    return at;
}

bool fbx_sample_binary(limberi_bytes file, limberi_arena* arena, limberi_buffer* out) {
    fbx_copy f = {.file = file, .arena = arena, .out = out};
    uint32_t version;
    if (file.size < HEAD)
        return false;
    memcpy(&version, file.data + HEAD - sizeof version, sizeof version);
    f.wide = version >= WIDE_VERSION;
    add_bytes(&f, file.data, HEAD);
    size_t done = copy_records(&f, HEAD, file.size, NULL, 0);
    if (f.damaged || arena->failed || !f.changed || (!f.wide && out->length > UINT32_MAX / 2))
        return false;
    add_bytes(&f, file.data + done, file.size - done);
    return !out->failed;
}
