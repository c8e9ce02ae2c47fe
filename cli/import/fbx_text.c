// The readable way of writing .fbx: a curve is `AnimationCurve: 7, "", "" { KeyTime: *2 { a: 0,5 } ... }`. Its arrays are
// written again; everything else is copied. And the choice between the two ways.
#include "cli/import/fbx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char curve_name[] = "AnimationCurve:";
static const char* const array_names[5] = {
    "KeyTime:", "KeyValueFloat:", "KeyAttrFlags:", "KeyAttrDataFloat:", "KeyAttrRefCount:"};
enum { TIMES, VALUES, FLAGS, TANGENTS, REPEATS, BITS_VERSION = 7200 };

typedef struct array_text {
    const char *from, *to; // from the name to the brace that ends it
    size_t count;
    double* values;
} array_text;

// The brace that ends the block which opens at `from`; NULL: none. Words may have braces in them.
static const char* block_end(const char* from) {
    int depth = 0;
    bool word = false;
    for (const char* at = from; *at; at++) {
        if (*at == '"')
            word = !word;
        if (word)
            continue;
        if (*at == '{')
            depth++;
        if (*at == '}' && --depth <= 0)
            return at;
    }
    return NULL;
}

// Numbers with commas between. Whole ones are kept to the last digit up to 2^53, which is far beyond the ticks of a day.
static bool read_numbers(limberi_arena* arena, const char* from, const char* to, array_text* a) {
    size_t room = 1;
    for (const char* at = from; at < to; at++)
        room += *at == ',';
    a->count = 0;
    a->values = LIMBERI_ALLOCATE(arena, double, room);
    const char* at = from;
    while (a->values && a->count < room && at < to) {
        char* end;
        a->values[a->count] = strtod(at, &end);
        if (end == at || end > to)
            break;
        a->count++;
        at = end + strspn(end, " \t\r\n,");
    }
    return a->values && a->count == room;
}

// The arrays of a curve, in its block.
static bool find_arrays(limberi_arena* arena, const char* from, const char* to, array_text arrays[5]) {
    for (int i = 0; i < 5; i++) {
        array_text* a = &arrays[i];
        a->from = strstr(from, array_names[i]);
        const char* open = a->from ? strchr(a->from, '{') : NULL;
        a->to = open && open < to ? block_end(open) : NULL;
        const char* values = a->to ? strstr(open, "a:") : NULL;
        if (!values || values > a->to || !read_numbers(arena, values + 2, a->to, a))
            return false;
    }
    return true;
}

static float from_bits(double whole) {
    uint32_t bits = (uint32_t)(int64_t)whole;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Later versions write these numbers as whole ones that have the same bits; with a dot they are what they say.
static float tangent_value(double value, bool bits) {
    return bits && value == (double)(int64_t)value ? from_bits(value) : (float)value;
}

static bool read_curve(limberi_arena* arena, const array_text arrays[5], bool bits, fbx_curve* c) {
    size_t count = arrays[TIMES].count;
    size_t runs = arrays[FLAGS].count;
    if (arrays[VALUES].count != count || arrays[REPEATS].count != runs || arrays[TANGENTS].count != 4 * runs)
        return false;
    int64_t* times = LIMBERI_ALLOCATE(arena, int64_t, count);
    float* values = LIMBERI_ALLOCATE(arena, float, count);
    int32_t* flags = LIMBERI_ALLOCATE(arena, int32_t, runs);
    float* tangents = LIMBERI_ALLOCATE(arena, float, 4 * runs);
    int32_t* repeats = LIMBERI_ALLOCATE(arena, int32_t, runs);
    for (int i = 0; i < 5; i++)
        for (size_t v = 0; v < arrays[i].count; v++)
            if (!(arrays[i].values[v] > -9e15 && arrays[i].values[v] < 9e15))
                return false;
    for (size_t i = 0; !arena->failed && i < count; i++) {
        times[i] = (int64_t)arrays[TIMES].values[i];
        values[i] = (float)arrays[VALUES].values[i];
    }
    for (size_t i = 0; !arena->failed && i < runs; i++) {
        flags[i] = (int32_t)(uint32_t)(int64_t)arrays[FLAGS].values[i];
        repeats[i] = (int32_t)(uint32_t)(int64_t)arrays[REPEATS].values[i];
        for (size_t n = 4 * i; n < 4 * i + 4; n++)
            tangents[n] = tangent_value(arrays[TANGENTS].values[n], bits);
    }
    *c = (fbx_curve){count, runs, times, values, flags, tangents, repeats};
    return !arena->failed;
}

// --- curves, written again ---

static void put_array(limberi_buffer* out, int which, const fbx_keys* keys) {
    char text[64];
    (void)snprintf(text, sizeof text, "%s *%zu {\n a: ", array_names[which], keys->count);
    limberi_buffer_add(out, text);
    for (size_t i = 0; i < keys->count; i++) {
        const char* comma = i ? "," : "";
        if (which == TIMES)
            (void)snprintf(text, sizeof text, "%s%lld", comma, (long long)keys->times[i]);
        else
            (void)snprintf(text, sizeof text, "%s%.9g", comma, (double)keys->values[i]);
        limberi_buffer_add(out, text);
    }
    limberi_buffer_add(out, "\n");
}

static void put_curve(limberi_buffer* out, const char* from, const char* to, const array_text arrays[5],
                      const fbx_keys* keys) {
    char count[64];
    (void)snprintf(count, sizeof count, "KeyAttrRefCount: *1 {\n a: %zu\n", keys->count);
    const char* at = from;
    while (at < to) {
        int next = -1;
        for (int i = 0; i < 5; i++)
            if (arrays[i].from >= at && (next < 0 || arrays[i].from < arrays[next].from))
                next = i;
        const char* until = next < 0 ? to : arrays[next].from;
        limberi_buffer_add_bytes(out, at, (size_t)(until - at));
        at = next < 0 ? to : arrays[next].to;
        if (next == TIMES || next == VALUES)
            put_array(out, next, keys);
        else if (next == FLAGS)
            limberi_buffer_add(out, "KeyAttrFlags: *1 {\n a: 4\n");
        else if (next == TANGENTS)
            limberi_buffer_add(out, "KeyAttrDataFloat: *4 {\n a: 0,0,0,0\n");
        else if (next == REPEATS)
            limberi_buffer_add(out, count);
    }
}

bool fbx_sample_text(limberi_bytes file, limberi_arena* arena, limberi_buffer* out) {
    char* text = LIMBERI_ALLOCATE(arena, char, file.size + 1);
    bool changed = false;
    if (!text || memchr(file.data, 0, file.size))
        return false;
    memcpy(text, file.data, file.size);
    const char* about = strstr(text, "FBXVersion:");
    bool bits = about && strtol(about + strlen("FBXVersion:"), NULL, 10) >= BITS_VERSION;
    const char* done = text;
    for (const char* at = strstr(text, curve_name); at; at = strstr(done > at ? done : at + 1, curve_name)) {
        array_text arrays[5];
        fbx_curve curve;
        fbx_keys keys;
        const char* open = strchr(at, '{');
        const char* end = open ? block_end(open) : NULL;
        if (!end || !find_arrays(arena, open, end, arrays) || !read_curve(arena, arrays, bits, &curve) ||
            !fbx_curve_sample(arena, &curve, &keys))
            continue;
        if (out->length > file.size + FBX_ADDED_LIMIT)
            return false;
        limberi_buffer_add_bytes(out, done, (size_t)(open - done));
        put_curve(out, open, end, arrays, &keys);
        done = end;
        changed = true;
    }
    limberi_buffer_add(out, done);
    return changed && !arena->failed && !out->failed;
}

bool fbx_sample_curves(limberi_bytes file, limberi_buffer* out) {
    static const char magic[] = "Kaydara FBX Binary";
    limberi_arena arena = {NULL, false};
    memset(out, 0, sizeof *out);
    bool binary = file.size > sizeof magic && memcmp(file.data, magic, sizeof magic - 1) == 0;
    bool done = binary ? fbx_sample_binary(file, &arena, out) : fbx_sample_text(file, &arena, out);
    limberi_arena_free(&arena);
    if (!done)
        limberi_buffer_free(out);
    return done;
}
