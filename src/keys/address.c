// Addresses of values: the keys on the way to them.
#include "keys/address.h"

#include "base/error.h"

#include <string.h>

static bool is_joint_path(const char* path) {
    return strncmp(path, "joints.", 7) == 0;
}

bool limberi_has_names(const char* key) {
    return strcmp(key, "joints") == 0 || strcmp(key, "meshes") == 0;
}

// Where key `level` of a path starts and how long it is. The third key of a joint is all the rest, since it may hold a
// dot ("squash.angular").
const char* limberi_row_key_at(const limberi_row* row, uint32_t level, size_t* length) {
    const char* path = row->key.path;
    const char* start = path;
    for (uint32_t i = 0; i < level; i++) {
        start = strchr(start, '.');
        if (!start)
            return NULL;
        start++;
    }
    bool rest = level == 2 && is_joint_path(path);
    const char* end = rest ? NULL : strchr(start, '.');
    *length = end ? (size_t)(end - start) : strlen(start);
    return start;
}

uint32_t limberi_row_depth(const limberi_row* row) {
    if (is_joint_path(row->key.path))
        return 3;
    uint32_t depth = 1;
    for (const char* p = row->key.path; *p; p++)
        depth += *p == '.';
    return depth;
}

void limberi_row_key(const limberi_row* row, uint32_t level, char* out, size_t size) {
    size_t length = 0;
    const char* start = limberi_row_key_at(row, level, &length);
    length = start && length < size ? length : 0;
    if (length)
        memcpy(out, start, length);
    out[length] = 0;
}

void limberi_address_format(const limberi_address* address, char* out, size_t size) {
    size_t length = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < address->count; i++) {
        char key[64];
        limberi_json_tidy(address->keys[i], key, sizeof key);
        limberi_format(out + length, size - length, i ? ".%s" : "%s", key);
        length = strlen(out);
    }
}

limber_result limberi_style_at(limber_error* error, limber_result result, limberi_json_place place,
                               const limberi_address* address) {
    char path[96];
    limberi_address_format(address, path, sizeof path);
    if (place.line == 0)
        return limberi_at(error, result, "%s", path);
    if (!path[0])
        return limberi_at(error, result, "line %u, column %u", place.line, place.column);
    return limberi_at(error, result, "line %u, column %u (%s)", place.line, place.column, path);
}
